/* The memory that the processes of a run share: set-up, state, and the ring of logged rows. A file, mapped by all.

   hl_setup     written before the loop starts and copied by it; nobody changes it afterwards
   hl_shared    every field is written by one process; loaded and stored as C11 atomics
   p, x         parameters and initial state of the program
   ring         `rows` rows of `columns` numbers; row n at n modulo rows

   The loop stores a row, then raises `head`; the logger syncs rows to disk, then raises `stored`, and only then may they
   be overwritten. Python reads the lists of fields below as well (runtime/region.py). */

#ifndef HL_REGION_H
#define HL_REGION_H

#include <stdatomic.h>
#include <stdint.h>
#include "guard.h"

enum { HL_MAGIC = 0x686c3031, HL_SCRIPT = 64, HL_CHANNELS = 32, HL_FAULTS = 16, HL_BINS = 512 };
enum { HL_NAME = 16, HL_ADDRESS = 256 };

#define HL_SETUP(X) \
    X(int64_t, magic, 1) X(int64_t, size, 1)             /* of the structure, in bytes */ \
    X(int64_t, session, 1) \
    X(double, period, 1)                                 /* of a tick in s of real time */ \
    X(int64_t, virtual_clock, 1) X(int64_t, lockstep, 1) \
    X(int64_t, rehearsal, 1)                             /* late ticks are counted only; a virtual rig is asked for */ \
    X(double, patience, 1)                               /* s that opening, and reading in lockstep, may wait */ \
    X(int64_t, test_ticks, 1)                            /* the test ends by itself after so many; 0: never */ \
    X(int64_t, last_tick, 1)                             /* the loop ends there, whatever the state; 0: never */ \
    X(int64_t, scripted, 1) X(int64_t, script_tick, HL_SCRIPT) X(int64_t, script_event, HL_SCRIPT) \
    X(int64_t, ins, 1) X(int64_t, in_state, HL_CHANNELS) /* where each value that comes in is put in x */ \
    X(double, in_scale, HL_CHANNELS) X(double, in_offset, HL_CHANNELS) \
    X(int64_t, outs, 1) X(int64_t, out_column, HL_CHANNELS) /* which signal each value that goes out is */ \
    X(double, out_scale, HL_CHANNELS) X(double, out_offset, HL_CHANNELS) \
    X(int64_t, energy_column, 1) X(int64_t, index_column, 1) /* or -1 */ \
    X(int64_t, fade_parameter, 1) X(double, fade_time, 1)    /* place in p of the excitation's scale, or -1; s */ \
    X(int64_t, late, 1)                                  /* of a rig: it answers with this tick's signals, not the next */ \
    X(double, watchdog, 1)                               /* s of the loop's silence that the device, or guardian, bears */ \
    X(int64_t, signals, 1) X(int64_t, parameters, 1) X(int64_t, states, 1) \
    X(int64_t, columns, 1) X(int64_t, rows, 1) \
    X(int64_t, priority, 1) X(int64_t, processor, 1)     /* -1: any */ \
    X(int64_t, faults, 1)                                /* of driver `faulty`, or of a virtual rig (`call`: channel) */ \
    X(int64_t, fault_call, HL_FAULTS) X(int64_t, fault_kind, HL_FAULTS) \
    X(int64_t, fault_from, HL_FAULTS) X(int64_t, fault_ticks, HL_FAULTS) X(double, fault_value, HL_FAULTS) \
    X(int64_t, keyed, 1) X(char, key, 16) X(char, driver, HL_NAME) X(char, address, HL_ADDRESS)

#define HL_SHARED(X) \
    /* the supervisor's */ \
    X(supervisor, 1)                 /* which one: it rises when a test is taken over */ \
    X(event_number, 1) X(event, 1) X(supervisor_beat, 1) X(timing_passed, 1) X(quit, 1) \
    /* the logger's */ \
    X(logger_pid, 1) X(logger_beat, 1) X(log_ready, 1) X(stored, 1) X(log_failed, 1) \
    /* the guardian's */ \
    X(guardian_pid, 1) X(guardian_beat, 1) X(guardian_trips, 1) \
    /* the loop's, or the virtual rig's */ \
    X(loop_pid, 1) X(started, 1) X(ended, 1) X(loop_beat, 1) X(tick, 1) X(test_tick, 1) \
    X(state, 1) X(motion, 1) X(free_vibration, 1) X(cause, 1) X(handled, 1) X(refused, 1) \
    X(head, 1) X(lost, 1) X(program_fault, 1) X(device_bits, 1) X(without_real_time, 1) \
    X(overruns, 1) X(missed, 1) X(counts, HG_FAULT_COUNT) \
    X(wake_bins, HL_BINS) X(work_bins, HL_BINS)

/* The first columns of a row; behind them the commands, the measured values, and the signals of the program. */
#define HL_COLUMNS(X) \
    X(tick, "tick of the loop") X(test_tick, "tick of the diagram") X(state, "state of the guard") \
    X(event, "event asked for") X(refused, "event refused") X(faults, "bits of the faults of this tick") \
    X(sampled, "1: the diagram was asked") X(advanced, "1: the diagram went on to its next tick") \
    X(fade, "factor on the excitation") X(frame, "1: a new frame came from the device") \
    X(device, "bits of the device") X(late, "s that the tick began late") X(wake, "s from deadline to waking") \
    X(work, "s that the tick before worked") X(driver_time, "s of the slowest call of the driver")

#define HL_RIG_COLUMNS(X) \
    X(tick, "tick of the loop whose command was taken") X(test_tick, "tick of the model") \
    X(mode, "what the loop asked for") X(device, "bits of the answer")

#define HL_FIELD(type, name, length) type name[length];
typedef struct { HL_SETUP(HL_FIELD) } hl_setup;
#undef HL_FIELD
#define HL_FIELD(name, length) _Atomic int64_t name[length];
typedef struct { HL_SHARED(HL_FIELD) } hl_shared;
#undef HL_FIELD
#define HL_COLUMN(name, meaning) HL_C_##name,
enum { HL_COLUMNS(HL_COLUMN) HL_COLUMN_COUNT };
#undef HL_COLUMN
#define HL_COLUMN(name, meaning) HL_R_##name,
enum { HL_RIG_COLUMNS(HL_COLUMN) HL_RIG_COLUMN_COUNT };
#undef HL_COLUMN

typedef struct {
    hl_setup setup;
    hg_config guard;
    hl_shared shared;
} hl_region; /* p, x and ring follow */

static inline double *hl_p(hl_region *r) { return (double *)(r + 1); }
static inline double *hl_x(hl_region *r) { return hl_p(r) + r->setup.parameters[0]; }
static inline double *hl_ring(hl_region *r) { return hl_x(r) + r->setup.states[0]; }

#define HL_SET(field, value) atomic_store_explicit(&(field)[0], (value), memory_order_release)
#define HL_GET(field) atomic_load_explicit(&(field)[0], memory_order_acquire)

/* Durations in bins: 8 to an octave, from 1 ns; a bin is at most 13 % wide. */
static inline int hl_bin(int64_t ns) {
    if (ns < 1) ns = 1;
    int octave = 63 - __builtin_clzll((unsigned long long)ns);
    int part = octave >= 3 ? (int)(ns >> (octave - 3) & 7) : (int)(ns << (3 - octave) & 7);
    int bin = 8 * octave + part;
    return bin < HL_BINS ? bin : HL_BINS - 1;
}

static inline void hl_count(_Atomic int64_t *bins, int64_t ns) {
    int bin = hl_bin(ns); /* one writer: no need for an atomic addition */
    atomic_store_explicit(bins + bin, atomic_load_explicit(bins + bin, memory_order_relaxed) + 1, memory_order_relaxed);
}

#endif
