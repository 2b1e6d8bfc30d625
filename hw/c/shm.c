/* Driver and peer "shm": a device in shared memory on this machine. The address is a plain name; the peer creates
   /dev/shm/hybsim-<name> and removes it when it closes.

   One process drives. Another one that opens with the running session is a watcher: it may only call `safe`, which
   the peer sees whatever the driver goes on writing. Calls of `safe` between two looks of the peer are one. */

#include "shm_map.h"

#define HD_REFUSE(end, ...) (snprintf((end)->why, HD_WHY, __VA_ARGS__), HD_ERROR)

/* Takes the device over, or joins the running session as a watcher. */
static hd_status hd_shm_claim(hd_driver *driver, hd_shm *s) {
    int64_t mine = hd_process_mark(getpid()), owner = atomic_load(&s->map->owner);
    int64_t session = atomic_load(&s->map->session);
    if (!mine) return HD_REFUSE(driver, "This process is not listed in /proc, so its device could not be given back.");
    if (owner && session == s->session) {
        s->watcher = 1;
        return HD_OK;
    }
    if (owner && hd_process_lives(owner))
        return HD_REFUSE(driver, "%s is driven by process %lld already.", s->path, (long long)(owner >> 40));
    if (session > s->session)
        return HD_REFUSE(driver, "%s has seen session %lld, which is newer than %lld: sessions rise.", s->path,
                         (long long)session, (long long)s->session);
    if (!atomic_compare_exchange_strong(&s->map->owner, &owner, mine))
        return HD_REFUSE(driver, "%s has just been taken by process %lld.", s->path, (long long)(owner >> 40));
    atomic_store(&s->map->session, s->session);
    return HD_OK;
}

static hd_status hd_shm_open(hd_driver *driver, const hd_setup *setup) {
    hd_shm *s = 0;
    if (hd_shm_begin(setup, &s, driver->why)) return HD_ERROR;
    int64_t end = hd_now(&hd_shm_real) + s->patience;
    while (!(s->map = hd_shm_attach(s->path, driver->why))) {
        if (hd_now(&hd_shm_real) >= end) return hd_shm_end(s);
        hd_clock clock = hd_shm_real;
        hd_sleep_until(&clock, hd_now(&clock) + 1000000);
    }
    if (s->map->commands != s->commands || s->map->measured != s->measured) {
        snprintf(driver->why, HD_WHY, "%s has %lld commands and %lld measured values, not %lld and %lld.", s->path,
                 (long long)s->map->commands, (long long)s->map->measured, (long long)s->commands,
                 (long long)s->measured);
        return hd_shm_end(s);
    }
    if (hd_shm_claim(driver, s)) return hd_shm_end(s);
    hd_shm_frame old;
    s->seen = hd_shm_get(&s->map->answer, &old); /* an answer to a run before this one is not news */
    s->last.count = s->commands;
    driver->why[0] = 0;
    driver->self = s;
    return HD_OK;
}

static int hd_shm_gone(hd_shm *s) {
    return atomic_load_explicit(&s->map->ready, memory_order_relaxed) != HD_SHM_VERSION;
}

static hd_status hd_shm_take(hd_shm *s, hd_answer *answer) {
    hd_shm_frame frame;
    uint64_t sequence = hd_shm_get(&s->map->answer, &frame);
    if (!sequence || sequence == s->seen) return HD_NONE;
    s->seen = sequence;
    if (frame.session != s->session || frame.tick < s->last_tick) return HD_NONE;
    if (frame.what & HD_NOTHING) s->answered = frame.answers;
    if (frame.what & HD_NOTHING || frame.count != s->measured) return HD_NONE;
    s->last_tick = frame.tick;
    s->answered = frame.answers;
    s->tripped = frame.what & HD_TRIPPED;
    answer->tick = frame.tick, answer->bits = frame.what, answer->count = frame.count;
    memcpy(answer->values, frame.values, sizeof answer->values);
    return HD_OK;
}

static hd_status hd_shm_read(hd_driver *driver, hd_answer *answer) {
    hd_shm *s = driver->self;
    if (!s || s->watcher) return HD_ERROR;
    if (!s->lockstep || s->answered == s->written) return hd_shm_take(s, answer);
    int64_t end = hd_now(&hd_shm_real) + s->patience;
    for (;;) {
        uint32_t heard = atomic_load_explicit(&s->map->answer.bell, memory_order_acquire);
        hd_status status = hd_shm_take(s, answer);
        if (s->answered == s->written) return status;
        if (hd_shm_gone(s) || !hd_shm_listen(&s->map->answer, heard, end)) return HD_ERROR;
    }
}

static hd_status hd_shm_send(hd_shm *s) {
    s->last.session = s->session;
    s->last.stamp = s->lockstep ? 0 : hd_now(&hd_shm_real);
    s->last.safes = atomic_load_explicit(&s->map->safes, memory_order_relaxed);
    s->written = hd_shm_put(&s->map->command, &s->last);
    if (s->lockstep) hd_shm_ring(&s->map->command);
    return HD_OK;
}

static hd_status hd_shm_write(hd_driver *driver, const hd_command *command) {
    hd_shm *s = driver->self;
    if (!s || s->watcher) return HD_ERROR;
    s->last.tick = command->tick, s->last.what = command->mode, s->last.count = command->count;
    memcpy(s->last.values, command->values, sizeof s->last.values);
    return hd_shm_send(s);
}

static hd_status hd_shm_health(hd_driver *driver) {
    hd_shm *s = driver->self;
    return !s || s->tripped || hd_shm_gone(s) ? HD_ERROR : HD_OK;
}

static hd_status hd_shm_safe(hd_driver *driver) {
    hd_shm *s = driver->self;
    if (!s) return HD_ERROR;
    if (s->watcher) {
        if (atomic_load(&s->map->session) != s->session) return HD_ERROR; /* another run, with its own watcher */
        atomic_fetch_add_explicit(&s->map->safe_requests, 1, memory_order_release);
        hd_shm_ring(&s->map->command);
        return HD_OK;
    }
    atomic_fetch_add_explicit(&s->map->safes, 1, memory_order_relaxed);
    s->last.what = HD_SAFE;
    s->last.count = s->commands;
    return hd_shm_send(s);
}

static hd_status hd_shm_close(hd_driver *driver) {
    hd_shm *s = driver->self;
    if (!s) return HD_OK;
    if (!s->watcher) {
        int64_t mine = hd_process_mark(getpid());
        atomic_compare_exchange_strong(&s->map->owner, &mine, 0); /* no longer ours where another has taken over */
    }
    hd_shm_end(s);
    driver->self = 0;
    return HD_OK;
}

void hd_shm_driver(hd_driver *driver) {
    *driver = (hd_driver){"shm", hd_shm_open, hd_shm_read, hd_shm_write, hd_shm_health, hd_shm_safe, hd_shm_close,
                          0, ""};
}

