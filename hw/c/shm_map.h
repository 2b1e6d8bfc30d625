/* The shared memory of driver and peer "shm": one slot each way, as a reflective-memory card shows them.

   A slot is a seqlock with one writer: `sequence` is odd while it writes. A reader that meets a writer tries a few times
   and then has nothing, so it can never be held up, also not by a writer that died in the middle. */

#ifndef HD_SHM_MAP_H
#define HD_SHM_MAP_H

#include "driver.h"
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { HD_SHM_VERSION = 0x48530002, HD_SHM_TRIES = 8, HD_SHM_PATH = 96 };
enum { HD_SHM_SLOW = 5000000 }; /* ns: in longer periods a watcher's safe must not wait for the next command */

static const hd_clock hd_shm_real = {0, 0};

typedef struct {
    int64_t session, tick, what, count; /* what: mode of a command, bits of an answer */
    int64_t stamp;                      /* of a command: when it was written, in ns */
    uint64_t answers;                   /* of an answer: sequence of the command it answers */
    uint64_t safes;                     /* of a command: calls of `safe` so far; an overwritten one is still noticed */
    double values[HD_CHANNELS];
} hd_shm_frame;
enum { HD_SHM_WORDS = sizeof(hd_shm_frame) / 8 };

typedef struct {
    _Alignas(64) _Atomic uint64_t sequence;
    _Atomic uint64_t words[HD_SHM_WORDS];
    _Alignas(64) _Atomic uint32_t bell; /* futex of lockstep: rises after each frame */
} hd_shm_slot;

typedef struct {
    int64_t commands, measured;
    _Atomic uint32_t ready;             /* HD_SHM_VERSION while the peer is there */
    _Atomic int64_t owner, peer;        /* marks of the processes, 0: none */
    _Atomic int64_t session;
    _Atomic uint64_t safes;             /* of the driver; goes on from one to the next */
    _Atomic uint64_t safe_requests;     /* of others that opened the running session */
    hd_shm_slot command, answer;
} hd_shm_map;

static inline uint64_t hd_shm_put(hd_shm_slot *slot, const hd_shm_frame *frame) {
    uint64_t words[HD_SHM_WORDS];
    memcpy(words, frame, sizeof words);
    uint64_t writing = (atomic_load_explicit(&slot->sequence, memory_order_relaxed) + 1) | 1;
    atomic_store_explicit(&slot->sequence, writing, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    for (int i = 0; i < HD_SHM_WORDS; i++) atomic_store_explicit(slot->words + i, words[i], memory_order_relaxed);
    atomic_store_explicit(&slot->sequence, writing + 1, memory_order_release);
    return writing + 1;
}

/* The sequence of the frame that was read, or 0: there is none, or a writer was in the way. */
static inline uint64_t hd_shm_get(hd_shm_slot *slot, hd_shm_frame *frame) {
    uint64_t words[HD_SHM_WORDS];
    for (int i = 0; i < HD_SHM_TRIES; i++) {
        uint64_t before = atomic_load_explicit(&slot->sequence, memory_order_acquire);
        if (before & 1) continue;
        for (int j = 0; j < HD_SHM_WORDS; j++) words[j] = atomic_load_explicit(slot->words + j, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&slot->sequence, memory_order_relaxed) != before) continue;
        memcpy(frame, words, sizeof *frame);
        return before;
    }
    return 0;
}

static inline void hd_shm_ring(hd_shm_slot *slot) {
    atomic_fetch_add_explicit(&slot->bell, 1, memory_order_release);
    syscall(SYS_futex, &slot->bell, FUTEX_WAKE, INT_MAX, 0, 0, 0);
}

/* Sleeps until the bell is no longer `heard`, at most until `end` of the monotonic clock; 0 where that has passed. */
static inline int hd_shm_listen(hd_shm_slot *slot, uint32_t heard, int64_t end) {
    int64_t left = end - hd_now(&hd_shm_real);
    if (left <= 0) return 0;
    struct timespec most = {left / 1000000000, left % 1000000000};
    syscall(SYS_futex, &slot->bell, FUTEX_WAIT, heard, &most, 0, 0);
    return 1;
}

/* A process as one number: its id and when it started, so that another with the same id is told apart. 0: it is gone. */
static inline int64_t hd_process_mark(int64_t pid) {
    char path[40], stat[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    size_t size = fread(stat, 1, sizeof stat - 1, file);
    fclose(file);
    stat[size] = 0;
    char *rest = strrchr(stat, ')'); /* the name before it may hold anything */
    char state = 0;
    unsigned long long start = 0;
    if (!rest || sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                        &state, &start) != 2) return 0;
    if (state == 'Z' || state == 'X') return 0;
    return (pid << 40) | (int64_t)(start & (((unsigned long long)1 << 40) - 1));
}

static inline int hd_process_lives(int64_t mark) { return mark && hd_process_mark(mark >> 40) == mark; }

typedef struct {
    hd_shm_map *map;
    int64_t commands, measured, lockstep, patience, period, step; /* ns */
    int64_t session, watcher, tripped;
    int64_t last_tick;              /* of what was delivered */
    uint64_t seen, written, answered; /* sequences: last delivered; driver: last written, last answered */
    uint64_t safes, requests;       /* peer: those delivered */
    hd_shm_frame last;              /* driver: last written; peer: last delivered */
    char path[HD_SHM_PATH];
} hd_shm;

static inline hd_status hd_shm_begin(const hd_setup *setup, hd_shm **self, char *why) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const char *name = setup->address ? setup->address : "";
    size_t size = strlen(name);
    if (!size || size > 64 || strspn(name, plain) != size) {
        snprintf(why, HD_WHY, "The address of shm is a name of 1 to 64 letters, digits, - and _, got '%.80s'.", name);
        return HD_ERROR;
    }
    if (setup->commands < 0 || setup->commands > HD_CHANNELS || setup->measured < 0 ||
        setup->measured > HD_CHANNELS) {
        snprintf(why, HD_WHY, "A device has 0 to %d channels each way.", HD_CHANNELS);
        return HD_ERROR;
    }
    if (!(setup->patience >= 0.0 && setup->patience <= 1e6 && setup->period >= 0.0 && setup->period <= 1e6)) {
        snprintf(why, HD_WHY, "Period and patience are times in s, got %g and %g.", setup->period, setup->patience);
        return HD_ERROR;
    }
    hd_shm *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, HD_WHY, "No memory.");
        return HD_ERROR;
    }
    s->commands = setup->commands, s->measured = setup->measured;
    s->lockstep = setup->lockstep, s->session = setup->session;
    s->patience = (int64_t)(setup->patience * 1e9), s->period = (int64_t)(setup->period * 1e9), s->step = s->period / 4;
    if (s->step < 20000) s->step = 20000; /* the peer of a very fast loop must not spin */
    s->last_tick = INT64_MIN;
    snprintf(s->path, sizeof s->path, "/dev/shm/hybsim-%s", name);
    *self = s;
    return HD_OK;
}

static inline hd_status hd_shm_end(hd_shm *s) {
    if (s->map) munmap(s->map, sizeof *s->map);
    free(s);
    return HD_ERROR;
}

/* Maps a file that is there, or says in `why` what is wrong with it. */
static inline hd_shm_map *hd_shm_attach(const char *path, char *why) {
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        snprintf(why, HD_WHY, "There is no device at %s (%s): start the virtual rig first.", path, strerror(errno));
        return 0;
    }
    struct stat file;
    hd_shm_map *map = 0;
    if (fstat(fd, &file) || !S_ISREG(file.st_mode) || file.st_uid != geteuid() || file.st_size != sizeof *map) {
        snprintf(why, HD_WHY, "%s is not a device of this user and version: remove it.", path);
    } else {
        map = mmap(0, sizeof *map, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
        if (map == MAP_FAILED) {
            snprintf(why, HD_WHY, "%s cannot be mapped (%s).", path, strerror(errno));
            map = 0;
        } else if (atomic_load(&map->ready) != HD_SHM_VERSION || !hd_process_lives(atomic_load(&map->peer))) {
            snprintf(why, HD_WHY, "The virtual rig of %s is gone: start it again.", path);
            munmap(map, sizeof *map);
            map = 0;
        }
    }
    close(fd);
    return map;
}

#endif
