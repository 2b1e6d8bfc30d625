/* Monotonic time in ns, real or virtual. A virtual clock stands still but where it is told to go on: sleeping sets it. */

#ifndef HD_CLOCK_H
#define HD_CLOCK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdint.h>
#include <time.h>

typedef struct { int64_t is_virtual, ns; } hd_clock;

static inline int64_t hd_now(const hd_clock *clock) {
    if (clock->is_virtual) return clock->ns;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void hd_sleep_until(hd_clock *clock, int64_t ns) {
    if (clock->is_virtual) {
        if (clock->ns < ns) clock->ns = ns;
        return;
    }
    struct timespec until = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0) == EINTR) {}
}

#endif
