/* The guard: between the diagram and the device, once every tick. It decides the state, and what is sent.

   Call hg_tick after the outputs of the diagram; send `command` where `send` is 1, call the driver's `safe` where
   `safe` is 1, let the diagram go on to the next tick where `advance` is 1. The diagram is asked for a sample
   only where `asks` was 1 at the end of the tick before. Plain memory, no calls to the system. */

#ifndef HS_GUARD_H
#define HS_GUARD_H

#include <stdint.h>
#include "guard_table.h"

enum { HG_COMMANDS = 16, HG_MEASURED = 32 }; /* the most channels; rig.toml is refused beyond */

#define HG_NAME(name, ...) HG_##name,
typedef enum { HG_REACTIONS(HG_NAME) HG_REACTION_COUNT } hg_reaction;
#undef HG_NAME
#define HG_NAME(name, ...) HG_S_##name,
typedef enum { HG_STATES(HG_NAME) HG_STATE_COUNT, HG_S_no, HG_S_same } hg_state_name;
#undef HG_NAME
#define HG_NAME(name, ...) HG_E_##name,
typedef enum { HG_EVENTS(HG_NAME) HG_EVENT_COUNT } hg_event;
#undef HG_NAME
#define HG_NAME(name, ...) HG_F_##name,
typedef enum { HG_FAULTS(HG_NAME) HG_FAULT_COUNT } hg_fault;
#undef HG_NAME

/* Fields of the structures, in order: type, name, length. Python reads these lists as well. */

#define HG_CONFIG(X) \
    X(int64_t, commands, 1) X(int64_t, measured, 1) \
    X(double, dt, 1) \
    X(double, low, HG_COMMANDS) X(double, high, HG_COMMANDS)             /* soft limits of a command */ \
    X(double, velocity, HG_COMMANDS) X(double, acceleration, HG_COMMANDS) \
    X(double, home, HG_COMMANDS) \
    X(double, move_velocity, HG_COMMANDS) X(double, move_acceleration, HG_COMMANDS) /* of stops, ramps, returns */ \
    X(double, range_low, HG_MEASURED) X(double, range_high, HG_MEASURED) /* what the sensor can show */ \
    X(double, hard_low, HG_MEASURED) X(double, hard_high, HG_MEASURED) \
    X(double, hard_rate, HG_MEASURED) \
    X(int64_t, follows, HG_MEASURED)                                     /* the command it should follow, or -1 */ \
    X(double, noise_floor, HG_MEASURED) \
    X(double, error_least, HG_MEASURED) X(double, error_most, HG_MEASURED) /* tracking: at rest; at `velocity` */ \
    X(double, energy_floor, 1) X(double, energy_warn, 1) X(double, energy_pause, 1) X(double, energy_stop, 1) \
    X(double, supervisor_silence, 1)                                     /* s */

#define HG_INPUTS(X) \
    X(int64_t, event, 1) \
    X(int64_t, has_sample, 1)        /* the diagram was asked, and `wanted` is its answer */ \
    X(double, wanted, HG_COMMANDS) \
    X(double, measured, HG_MEASURED) \
    X(double, energy, 1) X(double, energy_index, 1) \
    X(int64_t, frame, 1)             /* 1: a new frame came from the device */ \
    X(int64_t, driver_error, 1) \
    X(double, driver_time, 1)        /* s that the slowest call took, or has taken so far */ \
    X(double, late, 1)               /* s that the tick began after its deadline */ \
    X(double, supervisor_age, 1)     /* s since the supervisor's last sign of life */ \
    X(int64_t, target_late, 1) X(int64_t, log_full, 1) \
    X(int64_t, healthy, 1) X(int64_t, log_ready, 1) X(int64_t, timing_passed, 1) /* asked for at ARM */

#define HG_GUARD(X) \
    X(int64_t, state, 1) \
    X(int64_t, free_vibration, 1) \
    X(int64_t, asks, 1) X(int64_t, advance, 1) X(int64_t, send, 1) X(int64_t, safe, 1) \
    X(int64_t, held, 1)              /* a late tick: the diagram's sample waits, the command before is sent again */ \
    X(double, command, HG_COMMANDS)  /* sent last: what the measured values of the next tick answer */ \
    X(double, speed, HG_COMMANDS)    /* of the last command, per second */ \
    X(int64_t, faults, 1)            /* bits, of this tick */ \
    X(int64_t, cause, 1)             /* bits, of the faults that led to this state; kept until it is left */ \
    X(int64_t, refused, 1)           /* the event that was refused in this tick, or 0 */ \
    X(int64_t, last_event, 1) \
    X(int64_t, motion, 1) X(int64_t, moved, 1) X(int64_t, length, HG_COMMANDS) /* hg_motion.h */ \
    X(double, from, HG_COMMANDS) X(double, by, HG_COMMANDS) \
    X(double, left_at, HG_COMMANDS) X(double, left_with, HG_COMMANDS) /* where the diagram's last sample was */ \
    X(double, last_measured, HG_MEASURED) X(int64_t, has_measured, 1) \
    X(double, still_low, HG_MEASURED) X(double, still_high, HG_MEASURED) /* commands while the sensor was still */ \
    X(int64_t, off_track, HG_MEASURED) /* ticks in a row */ \
    X(int64_t, missing, 1)           /* frames in a row */ \
    X(int64_t, apart, 1)             /* ticks from the frame before to the last one */ \
    X(int64_t, late_in_a_row, 1) X(int64_t, tick, 1) X(int64_t, late_ticks, 4) X(int64_t, late_count, 1) \
    X(int64_t, counts, HG_FAULT_COUNT) /* ticks with each fault */

#define HG_FIELD(type, name, length) type name[length];
typedef struct { HG_CONFIG(HG_FIELD) } hg_config;
typedef struct { HG_INPUTS(HG_FIELD) } hg_inputs;
typedef struct { HG_GUARD(HG_FIELD) } hg_guard;
#undef HG_FIELD

void hg_boot(const hg_config *c, hg_guard *g);
void hg_tick(const hg_config *c, const hg_inputs *in, hg_guard *g);
void hg_run(const hg_config *c, const hg_inputs *in, int64_t ticks, hg_guard *g, hg_guard *history);

#endif
