/* Peer "shm": the device's side of shm.c. A rig that starts anew is a new device; the driver has to open it again. */

#include "shm_map.h"

static hd_status hd_shm_peer_open(hd_peer *peer, const hd_setup *setup) {
    hd_shm *s = 0;
    if (hd_shm_begin(setup, &s, peer->why)) return HD_ERROR;
    char draft[HD_SHM_PATH + 32];
    hd_shm_map *other = hd_shm_attach(s->path, peer->why);
    if (other) {
        snprintf(peer->why, HD_WHY, "%s is the device of process %lld already.", s->path,
                 (long long)(atomic_load(&other->peer) >> 40));
        munmap(other, sizeof *other);
        return hd_shm_end(s);
    }
    /* Made under another name and moved into place: a driver never meets half a device. */
    snprintf(draft, sizeof draft, "%s.%ld", s->path, (long)getpid());
    unlink(draft);
    int fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    int failed = fd < 0 || ftruncate(fd, sizeof *s->map);
    if (!failed) {
        s->map = mmap(0, sizeof *s->map, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
        if (s->map == MAP_FAILED) s->map = 0;
    }
    if (fd >= 0) close(fd);
    if (s->map) {
        s->map->commands = s->commands, s->map->measured = s->measured;
        atomic_store(&s->map->session, s->session);
        atomic_store(&s->map->peer, hd_process_mark(getpid()));
        atomic_store(&s->map->ready, HD_SHM_VERSION);
        failed = rename(draft, s->path);
    }
    if (failed || !s->map) {
        snprintf(peer->why, HD_WHY, "%s cannot be created (%s).", s->path, strerror(errno));
        unlink(draft);
        return hd_shm_end(s);
    }
    peer->why[0] = 0;
    peer->session = 0;
    peer->self = s;
    return HD_OK;
}

static int hd_shm_next(hd_peer *peer, hd_shm *s, hd_command *command) {
    hd_shm_frame frame;
    uint64_t requests = atomic_load_explicit(&s->map->safe_requests, memory_order_acquire);
    uint64_t sequence = hd_shm_get(&s->map->command, &frame);
    int fresh = sequence && sequence != s->seen;
    int valid = fresh && frame.count == s->commands && frame.what >= HD_SAFE && frame.what <= HD_FOLLOW &&
                (frame.session != peer->session || frame.what == HD_SAFE || frame.tick >= s->last.tick);
    int overwritten = fresh && frame.safes != s->safes && !(valid && frame.what == HD_SAFE);
    if (fresh && !valid) s->seen = sequence;
    if (requests == s->requests && !valid && !overwritten) return 0;
    if (requests != s->requests || overwritten) {
        /* Safe first; a frame that is valid stays for the next time. */
        if (requests == s->requests) s->safes = frame.safes;
        s->requests = requests;
        s->last.what = HD_SAFE;
    } else {
        s->last = frame;
        s->safes = frame.safes;
        s->seen = sequence;
        peer->session = frame.session;
    }
    command->tick = s->last.tick, command->mode = s->last.what, command->count = s->commands;
    memcpy(command->values, s->last.values, sizeof command->values);
    return 1;
}

static hd_status hd_shm_wait(hd_peer *peer, hd_command *command, int64_t ns) {
    hd_shm *s = peer->self;
    if (!s) return HD_ERROR;
    int64_t end = hd_now(&hd_shm_real) + ns;
    for (;;) {
        uint32_t heard = atomic_load_explicit(&s->map->command.bell, memory_order_acquire);
        if (hd_shm_next(peer, s, command)) return HD_OK;
        if (s->lockstep) {
            if (!hd_shm_listen(&s->map->command, heard, end)) return HD_NONE;
            continue;
        }
        hd_clock clock = hd_shm_real;
        int64_t now = hd_now(&clock);
        if (now >= end) return HD_NONE;
        /* The next command is due a period after the last one; looked for a quarter later, and from then on in quarters,
           so that no timer of ours goes off while a loop on the same processor works. */
        int64_t due = s->last.stamp + s->period + s->step;
        int known = s->period < HD_SHM_SLOW && due > now && due < now + s->period;
        int64_t look = known ? due : now + s->step;
        hd_sleep_until(&clock, look < end ? look : end);
    }
}

static hd_status hd_shm_answer(hd_peer *peer, const hd_answer *answer) {
    hd_shm *s = peer->self;
    if (!s) return HD_ERROR;
    hd_shm_frame frame = {.session = peer->session, .tick = answer->tick, .what = answer->bits, .count = answer->count,
                          .answers = s->seen};
    memcpy(frame.values, answer->values, sizeof frame.values);
    hd_shm_put(&s->map->answer, &frame);
    if (s->lockstep) hd_shm_ring(&s->map->answer);
    return HD_OK;
}

static hd_status hd_shm_peer_close(hd_peer *peer) {
    hd_shm *s = peer->self;
    if (!s) return HD_OK;
    atomic_store(&s->map->ready, 0);
    hd_shm_ring(&s->map->answer); /* a driver in lockstep need not wait any longer */
    unlink(s->path);
    hd_shm_end(s);
    peer->self = 0;
    return HD_OK;
}

void hd_shm_peer(hd_peer *peer) {
    *peer = (hd_peer){"shm", hd_shm_peer_open, hd_shm_wait, hd_shm_answer, hd_shm_peer_close, 0, 0, ""};
}
