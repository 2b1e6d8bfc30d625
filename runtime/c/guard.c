/* One tick of the guard: notice, detect, decide, move. See guard.h. */

#include <math.h>
#include <string.h>
#include "guard.h"

#define HG_PI 3.14159265358979323846
#include "guard_motion.h"
#include "guard_faults.h"

typedef struct {
    int (*found)(const hg_config *, const hg_inputs *, const hg_guard *);
    hg_reaction reaction;
    int64_t bit;
} hg_row;

#define HG_ROW(name, reaction, meaning) {hg_##name, HG_##reaction, (int64_t)1 << HG_F_##name},
static const hg_row hg_rows[] = {HG_FAULTS(HG_ROW)};
enum { HG_ROWS = sizeof hg_rows / sizeof hg_rows[0] };

#define HG_TO(from, a, b, d, e, f, h, i, j, k, l, m, n, o, p, q) \
    [HG_S_##from] = {HG_S_##a, HG_S_##b, HG_S_##d, HG_S_##e, HG_S_##f, HG_S_##h, HG_S_##i, HG_S_##j, \
                     HG_S_##k, HG_S_##l, HG_S_##m, HG_S_##n, HG_S_##o, HG_S_##p, HG_S_##q},
static const hg_state_name hg_next[HG_STATE_COUNT][HG_EVENT_COUNT] = {HG_TRANSITIONS(HG_TO)};

static int hg_live(int64_t state) {
    return state == HG_S_ARMED || state == HG_S_RUNNING || state == HG_S_PAUSED || state == HG_S_RAMP_DOWN;
}

/* Whether an event must be refused though the table allows it. */
static int hg_refusal(const hg_config *c, const hg_inputs *in, const hg_guard *g, int64_t event, hg_reaction worst) {
    switch (event) {
    case HG_E_RESET: return g->last_event[0] == HG_E_RESET || worst >= HG_STOP || !in->healthy[0];
    case HG_E_ARM:
        if (worst >= HG_PAUSE || !in->healthy[0] || !in->frame[0] || !in->log_ready[0] || !in->timing_passed[0]) return 1;
        for (int i = 0; i < c->measured[0]; i++)
            if (c->follows[i] >= 0 && !(__builtin_fabs(in->measured[i] - c->home[c->follows[i]]) <= c->error_least[i])) return 1;
        return 0;
    case HG_E_START: return worst >= HG_PAUSE;
    case HG_E_RESUME:
        if (worst >= HG_PAUSE || g->motion[0] != HG_STILL) return 1;
        for (int i = 0; i < c->commands[0]; i++) {
            double place = hg_run_up_place(c, g, i);
            if (!(place >= c->low[i] && place <= c->high[i])) return 1;
        }
        return 0;
    default: return 0;
    }
}

static void hg_enter(const hg_config *c, hg_guard *g, int64_t state) {
    int64_t from = g->state[0];
    g->state[0] = state;
    if (state == HG_S_ARMED)
        for (int i = 0; i < c->commands[0]; i++) {
            g->command[i] = g->left_at[i] = c->home[i];
            g->speed[i] = g->left_with[i] = 0.0;
        }
    if (from == HG_S_RUNNING && g->motion[0] == HG_STILL) {
        memcpy(g->left_at, g->command, sizeof g->left_at);
        memcpy(g->left_with, g->speed, sizeof g->left_with);
    }
    if (state == HG_S_PAUSED || state == HG_S_RAMP_DOWN) hg_begin_stop(c, g);
    if (state == HG_S_RUNNING && from == HG_S_PAUSED) {
        double to[HG_COMMANDS];
        for (int i = 0; i < c->commands[0]; i++) to[i] = hg_run_up_place(c, g, i);
        hg_begin_move(c, g, HG_GOING_BACK, to);
    }
    if (!hg_live(state)) {
        g->motion[0] = HG_STILL;
        g->free_vibration[0] = 0;
        memset(g->speed, 0, sizeof g->speed);
    }
}

/* Takes an event; 1 if it was accepted. */
static int hg_take(const hg_config *c, const hg_inputs *in, hg_guard *g, int64_t event, hg_reaction worst, int64_t bits) {
    if (event < 0 || event >= HG_EVENT_COUNT) return 0;
    hg_state_name next = hg_next[g->state[0]][event];
    if (next == HG_S_no || hg_refusal(c, in, g, event, worst)) return 0;
    if (event == HG_E_FADE) g->free_vibration[0] = 1;
    if (next == HG_S_same || next == (hg_state_name)g->state[0]) {
        g->cause[0] |= bits;
        return 1;
    }
    if (event != HG_E_HOME) g->cause[0] = bits; /* at home it is still known what led there */
    hg_enter(c, g, next);
    return 1;
}

/* The command of this tick: the diagram's sample, or the next point of the guard's own motion. */
static void hg_send(const hg_config *c, const hg_inputs *in, hg_guard *g) {
    g->send[0] = hg_live(g->state[0]);
    g->safe[0] = g->state[0] == HG_S_ESTOP;
    g->advance[0] = g->held[0] = 0;
    int sampled = g->state[0] == HG_S_RUNNING && g->motion[0] == HG_STILL && in->has_sample[0];
    if (sampled && in->late[0] > 0.0) {
        g->held[0] = 1;
    } else if (sampled) {
        for (int i = 0; i < c->commands[0]; i++) {
            g->speed[i] = hg_wanted_speed(c, in, g, i);
            g->command[i] = in->wanted[i];
        }
        g->advance[0] = 1;
    } else if (g->motion[0] != HG_STILL && hg_move_on(c, g)) {
        switch (g->motion[0]) {
        case HG_STOPPING:
            g->motion[0] = HG_STILL;
            if (g->state[0] == HG_S_RAMP_DOWN) hg_begin_move(c, g, HG_GOING_HOME, c->home);
            break;
        case HG_GOING_BACK: hg_begin_run_up(c, g); break;
        case HG_GOING_HOME:
            g->motion[0] = HG_STILL;
            hg_take(c, in, g, HG_E_HOME, HG_COUNT, 0);
            break;
        default: g->motion[0] = HG_STILL;
        }
        if (g->motion[0] == HG_STILL && g->state[0] != HG_S_RUNNING) memset(g->speed, 0, sizeof g->speed);
    }
    g->asks[0] = g->state[0] == HG_S_RUNNING && g->motion[0] == HG_STILL;
}

void hg_boot(const hg_config *c, hg_guard *g) {
    memset(g, 0, sizeof *g);
    g->state[0] = HG_S_ESTOP;
    g->safe[0] = 1;
    memcpy(g->command, c->home, sizeof g->command);
    memcpy(g->left_at, c->home, sizeof g->left_at);
}

void hg_tick(const hg_config *c, const hg_inputs *in, hg_guard *g) {
    static const hg_event event_of[] = {HG_E_NONE, HG_E_PAUSING, HG_E_RAMPING, HG_E_STOPPING};
    hg_reaction worst = HG_COUNT;
    int64_t bits = 0, deciding = 0;
    int64_t event = in->event[0];
    g->faults[0] = g->refused[0] = 0;
    hg_notice(c, in, g);
    for (int i = 0; i < HG_ROWS; i++) {
        if (!hg_rows[i].found(c, in, g)) continue;
        bits |= hg_rows[i].bit;
        if (hg_rows[i].reaction > worst) { worst = hg_rows[i].reaction; deciding = 0; }
        if (hg_rows[i].reaction == worst) deciding |= hg_rows[i].bit;
    }
    for (int i = 0; i < HG_FAULT_COUNT; i++) g->counts[i] += bits >> i & 1;
    g->faults[0] = bits;
    /* Where the device is not live nothing can move: the faults are shown, and ARM and RESET are refused. */
    if (worst > HG_COUNT && hg_live(g->state[0])) hg_take(c, in, g, event_of[worst], worst, deciding);
    if (event != HG_E_NONE) {
        int inner = event >= HG_E_HOME;
        if (inner || !hg_take(c, in, g, event, worst, 0)) g->refused[0] = event;
    }
    g->last_event[0] = event;
    hg_send(c, in, g);
    if (in->frame[0]) {
        memcpy(g->last_measured, in->measured, sizeof g->last_measured);
        g->has_measured[0] = 1;
    }
    g->tick[0]++;
}

void hg_run(const hg_config *c, const hg_inputs *in, int64_t ticks, hg_guard *g, hg_guard *history) {
    for (int64_t i = 0; i < ticks; i++) {
        hg_tick(c, in + i, g);
        if (history) history[i] = *g;
    }
}
