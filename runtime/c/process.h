/* What the loop and the virtual rig have in common: mapping the region, the set-up for the driver, real time. */

#ifndef HL_PROCESS_H
#define HL_PROCESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "driver.h"
#include "program.h"
#include "region.h"
#include "region_check.h"

static int hl_fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

static hl_region *hl_map(const char *path, const hs_program *program) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0 || about.st_size < (off_t)sizeof(hl_region)) {
        hl_fail(path, "cannot be opened as the memory of a run");
        return 0;
    }
    hl_region *r = mmap(0, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (r == MAP_FAILED) { hl_fail(path, "cannot be mapped"); return 0; }
    hl_setup *s = &r->setup;
    if (s->magic[0] != HL_MAGIC || s->size[0] != (int64_t)sizeof(hl_region)) {
        hl_fail(path, "is not the memory of a run of this version");
        return 0;
    }
    if (!hl_is_sound(s)) { hl_fail(path, "does not make sense as a set-up"); return 0; }
    int64_t numbers = s->parameters[0] + s->states[0] + s->rows[0] * s->columns[0];
    if (about.st_size < (off_t)sizeof(hl_region) + 8 * numbers) { hl_fail(path, "is too short"); return 0; }
    if (program && (s->signals[0] != program->signals || s->parameters[0] != program->parameters ||
                    s->states[0] != program->states)) {
        hl_fail(path, "was made for another program");
        return 0;
    }
    return r;
}

/* A copy of n numbers that nobody else can change. */
static double *hl_own(const double *from, int64_t n) {
    double *own = calloc((size_t)(n > 0 ? n : 1), sizeof(double));
    if (own && from) memcpy(own, from, (size_t)n * sizeof(double));
    return own;
}

static hd_setup hl_driver_setup(const hl_setup *s, int64_t commands, int64_t measured, hd_clock *clock) {
    static hd_fault faults[HL_FAULTS];
    for (int i = 0; i < s->faults[0]; i++)
        faults[i] = (hd_fault){s->fault_call[i], s->fault_kind[i], s->fault_from[i], s->fault_ticks[i], s->fault_value[i]};
    return (hd_setup){
        .commands = commands, .measured = measured, .lockstep = s->lockstep[0], .session = s->session[0],
        .period = s->period[0], .patience = s->patience[0], .driver = s->driver, .address = s->address,
        .key = s->keyed[0] ? (const uint8_t *)s->key : 0, .clock = clock, .faults = s->faults[0], .fault = faults,
    };
}

/* Locked memory and a fixed priority, as far as the system lets us; 0 if all was had. */
static int hl_real_time(const hl_setup *s) {
    int lacking = 0;
    if (s->virtual_clock[0]) return 0;
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) lacking |= 1;
    struct sched_param priority = {.sched_priority = (int)s->priority[0]};
    if (s->priority[0] > 0 && sched_setscheduler(0, SCHED_FIFO, &priority) != 0) lacking |= 2;
    if (s->processor[0] >= 0) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET((int)s->processor[0], &only);
        if (sched_setaffinity(0, sizeof only, &only) != 0) lacking |= 4;
    }
    volatile char stack[65536]; /* its pages are there before the loop needs them */
    for (size_t i = 0; i < sizeof stack; i += 1024) stack[i] = 0;
    return lacking;
}

/* The next row of the ring, or null where nothing was acknowledged yet of what it would overwrite. */
static double *hl_row(hl_region *r) {
    int64_t head = atomic_load_explicit(&r->shared.head[0], memory_order_relaxed);
    if (head - HL_GET(r->shared.stored) >= r->setup.rows[0]) return 0;
    return hl_ring(r) + head % r->setup.rows[0] * r->setup.columns[0];
}

static void hl_row_done(hl_region *r) {
    HL_SET(r->shared.head, atomic_load_explicit(&r->shared.head[0], memory_order_relaxed) + 1);
}

#endif
