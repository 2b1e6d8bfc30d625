/* The virtual rig: a program in the place of the device, with a watch of its own and faults on request.

   SAFE      the command is held, whatever comes; left by an IDLE frame
   HOLD      the test has not begun: the model stands at its first tick, and answers with its outputs there
   FOLLOW    each frame is one tick of the model

   The answer to the command of tick k is what can be measured at tick k + 1: the outputs of tick k where the cut adds a
   tick (`late`), those of tick k + 1, which need no further command, where it does not. */

#ifndef HD_RIG_MODEL_H
#define HD_RIG_MODEL_H

#include "process.h"

#define HR_FAULTS(X) \
    X(FREEZE, "the measured values stay as they are") \
    X(NAN, "the measured values are nan") \
    X(STALL, "the rig stands still and does not answer") \
    X(DROP, "answers are lost") \
    X(DELAY, "answers are late by `value` ticks") \
    X(OFFSET, "`value` is added to the measured values")

#define HR_NAME(name, meaning) HR_##name,
enum { HR_FAULTS(HR_NAME) HR_FAULT_COUNT };
#undef HR_NAME

enum { HR_LATEST = 64 }; /* answers kept for HR_DELAY */

typedef struct {
    hl_region *region;
    const hl_setup *s;
    const hs_program *program;
    double *p, *x, *row, *next;
    int64_t k, begun, safe, tripped, taken; /* taken: tick of the last frame */
    double command[HL_CHANNELS], frozen[HL_CHANNELS];
    hd_answer latest[HR_LATEST];
} hr_rig;

/* As built: the model at its first tick, safe until told otherwise. */
static void hr_begin(hr_rig *r) {
    memcpy(r->p, hl_p(r->region), (size_t)r->program->parameters * sizeof(double));
    memcpy(r->x, hl_x(r->region), (size_t)r->program->states * sizeof(double));
    for (int i = 0; i < r->s->ins[0]; i++) r->command[i] = r->x[r->s->in_state[i]];
    r->k = r->begun = r->tripped = 0;
    r->taken = -1;
    r->safe = 1;
}

static int hr_open(hr_rig *r, const char *path, const hs_program *program) {
    r->region = hl_map(path, program);
    if (!r->region) return -1;
    if (!hl_rig_is_sound(&r->region->setup)) return hl_fail(path, "does not make sense as the set-up of a rig"), -1;
    r->s = &r->region->setup;
    r->program = program;
    r->p = hl_own(0, program->parameters);
    r->x = hl_own(0, program->states);
    r->row = hl_own(0, program->signals);
    r->next = hl_own(0, program->signals);
    if (!r->p || !r->x || !r->row || !r->next) return -1;
    hr_begin(r);
    return 0;
}

static void hr_trip(hr_rig *r) { r->safe = r->tripped = 1; }

/* Whether a fault of this kind is there now, for this channel (-1: whichever). */
static int hr_faulty(const hr_rig *r, int64_t kind, int64_t channel, double *value) {
    for (int i = 0; i < r->s->faults[0]; i++) {
        int64_t from = r->s->fault_from[i], ticks = r->s->fault_ticks[i], of = r->s->fault_call[i];
        if (!r->begun || r->s->fault_kind[i] != kind || r->k < from || (ticks > 0 && r->k >= from + ticks)) continue;
        if (channel >= 0 && of >= 0 && of != channel) continue;
        if (value) *value = r->s->fault_value[i];
        return 1;
    }
    return 0;
}

static void hr_log(hr_rig *r, const hd_command *command, const hd_answer *answer) {
    double *row = hl_row(r->region);
    if (!row) { HL_SET(r->region->shared.lost, HL_GET(r->region->shared.lost) + 1); return; }
    row[HL_R_tick] = (double)command->tick;
    row[HL_R_test_tick] = (double)r->k;
    row[HL_R_mode] = (double)command->mode;
    row[HL_R_device] = (double)answer->bits;
    row += HL_RIG_COLUMN_COUNT;
    memcpy(row, r->command, (size_t)r->s->ins[0] * sizeof(double));
    row += r->s->ins[0];
    memcpy(row, answer->values, (size_t)r->s->outs[0] * sizeof(double));
    row += r->s->outs[0];
    memcpy(row, r->row, (size_t)r->program->signals * sizeof(double));
    hl_row_done(r->region);
}

/* Takes a frame and makes its answer; 0 where none is given. */
static int hr_take(hr_rig *r, const hd_command *command, hd_answer *answer) {
    const hl_setup *s = r->s;
    if (command->mode != HD_SAFE && command->tick <= r->taken) return 0; /* an old frame */
    if (command->tick > r->taken) r->taken = command->tick;
    int sound = command->count == s->ins[0];
    double wanted[HL_CHANNELS] = {0};
    for (int i = 0; sound && i < s->ins[0]; i++) {
        wanted[i] = (command->values[i] - s->in_offset[i]) / s->in_scale[i];
        sound = wanted[i] - wanted[i] == 0.0;
    }
    if (command->mode == HD_SAFE) { r->safe = 1; r->tripped = 0; }
    else if (!sound && command->mode != HD_IDLE) hr_trip(r);
    else if (command->mode == HD_IDLE) r->safe = 0;
    else if (!r->safe) {
        memcpy(r->command, wanted, sizeof wanted);
        if (command->mode == HD_FOLLOW) r->begun = 1;
    } else r->tripped = 1; /* it is not where the loop believes it to be */
    if (hr_faulty(r, HR_STALL, -1, 0)) { r->k++; return 0; } /* its clock goes on, so that a stall can end */
    int64_t fault = 0;
    for (int i = 0; i < s->ins[0]; i++) r->x[s->in_state[i]] = r->command[i];
    fault = r->program->outputs(r->p, r->x, r->k, r->row);
    const double *measured = r->row;
    int64_t k = r->k;
    if (r->begun && !fault) {
        fault = r->program->update(r->p, r->x, r->k, r->row);
        if (!s->late[0] && !fault) {
            fault = r->program->outputs(r->p, r->x, r->k + 1, r->next);
            measured = r->next;
        }
    }
    if (fault) { HL_SET(r->region->shared.program_fault, fault); hr_trip(r); }
    *answer = (hd_answer){.tick = command->tick, .count = s->outs[0], .bits = HD_VIRTUAL | (r->tripped ? HD_TRIPPED : 0)};
    for (int i = 0; i < s->outs[0]; i++) {
        double value = measured[s->out_column[i]], by = 0.0;
        if (hr_faulty(r, HR_OFFSET, i, &by)) value += by;
        if (hr_faulty(r, HR_FREEZE, i, 0)) value = r->frozen[i];
        r->frozen[i] = value;
        if (hr_faulty(r, HR_NAN, i, 0)) value = __builtin_nan("");
        answer->values[i] = s->out_scale[i] * value + s->out_offset[i];
    }
    hr_log(r, command, answer);
    int lost = hr_faulty(r, HR_DROP, -1, 0);
    r->latest[k % HR_LATEST] = *answer;
    double by = 0.0;
    if (r->begun && hr_faulty(r, HR_DELAY, -1, &by) && by >= 1.0 && by < HR_LATEST && k >= (int64_t)by) {
        hd_answer late = r->latest[(k - (int64_t)by) % HR_LATEST];
        memcpy(answer->values, late.values, sizeof late.values);
    }
    if (r->begun) r->k++;
    return !lost;
}

#endif
