/* Whether the numbers of a set-up make sense: what follows from them in C, places in memory above all, is not looked at
   again. A file that was damaged, or made by something else, is refused before anything is driven. */

#ifndef HL_REGION_CHECK_H
#define HL_REGION_CHECK_H

#include "region.h"

enum { HL_MOST = 1 << 28 }; /* of any one size, so that no product of two overflows */

static int hl_from_to(int64_t n, int64_t low, int64_t high) { return n >= low && n <= high; }
static int hl_finite(double value) { return value - value == 0.0; }
static int hl_positive(double value) { return hl_finite(value) && value > 0.0; }

static int hl_channels_are_sound(const int64_t *place, int64_t end, const double *scale, const double *offset,
                                 int64_t n) {
    int sound = 1;
    for (int64_t i = 0; i < n; i++)
        sound &= hl_from_to(place[i], 0, end - 1) && hl_finite(scale[i]) && scale[i] != 0.0 && hl_finite(offset[i]);
    return sound;
}

static int hl_is_sound(const hl_setup *s) {
    return hl_from_to(s->parameters[0], 0, HL_MOST) && hl_from_to(s->states[0], 0, HL_MOST) &&
           hl_from_to(s->signals[0], 0, HL_MOST) && hl_from_to(s->rows[0], 1, HL_MOST) &&
           hl_from_to(s->columns[0], 1, HL_MOST) && hl_from_to(s->scripted[0], 0, HL_SCRIPT) &&
           hl_from_to(s->faults[0], 0, HL_FAULTS) && hl_from_to(s->ins[0], 0, HL_CHANNELS) &&
           hl_from_to(s->outs[0], 0, HL_CHANNELS) && hl_from_to(s->energy_column[0], -1, s->signals[0] - 1) &&
           hl_from_to(s->index_column[0], -1, s->signals[0] - 1) &&
           hl_from_to(s->fade_parameter[0], -1, s->parameters[0] - 1) &&
           (s->fade_parameter[0] < 0 || hl_positive(s->fade_time[0])) &&
           hl_positive(s->period[0]) && hl_positive(s->watchdog[0]) && hl_finite(s->patience[0]) &&
           !s->driver[HL_NAME - 1] && !s->address[HL_ADDRESS - 1] &&
           hl_channels_are_sound(s->in_state, s->states[0], s->in_scale, s->in_offset, s->ins[0]) &&
           hl_channels_are_sound(s->out_column, s->signals[0], s->out_scale, s->out_offset, s->outs[0]);
}

/* Every limit of the guard a finite number, and those that belong together in order. */
static int hl_guard_is_sound(const hg_config *c) {
    for (int64_t i = 0; i < c->commands[0]; i++)
        if (!(hl_finite(c->low[i]) && hl_finite(c->high[i]) && c->low[i] <= c->home[i] && c->home[i] <= c->high[i] &&
              hl_positive(c->velocity[i]) && hl_positive(c->acceleration[i]) && hl_positive(c->move_velocity[i]) &&
              hl_positive(c->move_acceleration[i]) && c->move_velocity[i] <= c->velocity[i] &&
              c->move_acceleration[i] <= c->acceleration[i])) return 0;
    for (int64_t i = 0; i < c->measured[0]; i++)
        if (!(hl_finite(c->range_low[i]) && hl_finite(c->range_high[i]) && hl_finite(c->hard_low[i]) &&
              hl_finite(c->hard_high[i]) && hl_positive(c->hard_rate[i]) && hl_finite(c->noise_floor[i]) &&
              hl_from_to(c->follows[i], -1, c->commands[0] - 1) &&
              hl_finite(c->error_least[i]) && hl_finite(c->error_most[i]))) return 0;
    return c->energy_floor[0] >= 0.0 && c->energy_warn[0] > 0.0 && c->energy_pause[0] > 0.0 && c->energy_stop[0] > 0.0 &&
           hl_positive(c->supervisor_silence[0]);
}

static int hl_loop_is_sound(const hl_region *r) {
    const hl_setup *s = &r->setup;
    const hg_config *c = &r->guard;
    return hl_from_to(s->outs[0], 0, HG_COMMANDS) && hl_from_to(s->ins[0], 0, HG_MEASURED) &&
           c->commands[0] == s->outs[0] && c->measured[0] == s->ins[0] && c->dt[0] == s->period[0] &&
           s->columns[0] == HL_COLUMN_COUNT + s->outs[0] + s->ins[0] + s->signals[0] && hl_guard_is_sound(c);
}

static int hl_rig_is_sound(const hl_setup *s) {
    return s->columns[0] == HL_RIG_COLUMN_COUNT + s->ins[0] + s->outs[0] + s->signals[0];
}

#endif
