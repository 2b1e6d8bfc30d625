/* The loop: one diagram, one device, one tick after the other.

   read -> outputs -> guard -> write -> update -> log -> wait for the next deadline, counted from the start

   Deadlines are absolute. Work that runs past one makes the next tick late; after more than a period they are counted
   anew from now, so that lost ticks are not made up for in a burst. On a virtual clock nothing is waited for. */

#include <math.h>
#include <sys/prctl.h>
#include "process.h"

#define HL_PI 3.14159265358979323846

typedef struct {
    hl_region *region;
    hl_setup s;
    hg_config c;
    hg_guard g;
    const hs_program *program;
    double *p, *x, *row, *spare_x, *spare_row;
    hd_driver driver;
    hd_clock clock;
    hd_answer answer;
    double measured[HG_MEASURED];
    int64_t tick, test_tick, seen_event, begun, broken, bits, faded_at, send_failed, answered;
    double excitation, fade, driver_time, energy, index;
} hl_loop;

static hl_loop l;

static int hl_is_live(int64_t state) {
    return state == HG_S_ARMED || state == HG_S_RUNNING || state == HG_S_PAUSED || state == HG_S_RAMP_DOWN;
}

/* A call of the driver, timed; anything but the three it may answer is an error. */
#define HL_CALL(call) ({ int64_t before = hd_now(&l.clock); int status = (call); \
    double took = 1e-9 * (double)(hd_now(&l.clock) - before); \
    if (took > l.driver_time) l.driver_time = took; \
    status == HD_OK || status == HD_NONE ? status : HD_ERROR; })

/* The newest answer in our units; 1 if there is one. */
static int hl_read(int *error) {
    int status = HL_CALL(l.driver.read(&l.driver, &l.answer));
    if (status == HD_OK && l.answer.count != l.s.ins[0]) status = HD_ERROR;
    *error |= status == HD_ERROR;
    if (status != HD_OK || l.answer.tick < l.answered || l.answer.tick >= l.tick) return 0;
    /* Old news is none: of a frame that was answered before, or more than two ticks late. Safe frames, which are no
       commands, share a tick. */
    if (!l.g.safe[0] && (l.answer.tick == l.answered || l.answer.tick < l.tick - 3)) return 0;
    l.answered = l.answer.tick;
    l.bits = l.answer.bits;
    for (int i = 0; i < l.s.ins[0]; i++) l.measured[i] = (l.answer.values[i] - l.s.in_offset[i]) / l.s.in_scale[i];
    return 1;
}

static int64_t hl_event(void) {
    for (int i = 0; i < l.s.scripted[0]; i++)
        if (l.s.script_tick[i] == l.tick) return l.s.script_event[i];
    int64_t number = HL_GET(l.region->shared.event_number);
    if (number != l.seen_event) {
        l.seen_event = number;
        return HL_GET(l.region->shared.event);
    }
    /* The end of the test is the loop's own request: it must not wait for the supervisor. */
    if (l.s.test_ticks[0] > 0 && l.test_tick >= l.s.test_ticks[0] && l.g.state[0] == HG_S_RUNNING) return HG_E_END;
    return HG_E_NONE;
}

/* Free vibration: the excitation goes to nothing along half a cosine. */
static void hl_fade(void) {
    if (l.s.fade_parameter[0] < 0) return;
    if (!l.g.free_vibration[0]) { l.fade = 1.0; l.faded_at = l.test_tick; }
    else {
        double share = (double)(l.test_tick - l.faded_at) * l.s.period[0] / l.s.fade_time[0];
        l.fade = share >= 1.0 ? 0.0 : 0.5 + 0.5 * cos(HL_PI * share);
    }
    l.p[l.s.fade_parameter[0]] = l.excitation * l.fade;
}

/* The diagram's sample of this tick; what is not finite, or stopped in a kernel, makes it nan. */
static void hl_sample(hg_inputs *in) {
    for (int i = 0; i < l.s.ins[0]; i++) l.x[l.s.in_state[i]] = l.measured[i];
    hl_fade();
    int64_t fault = l.broken ? l.broken : l.program->outputs(l.p, l.x, l.test_tick, l.row);
    double sound = 0.0;
    for (int64_t i = 0; !fault && i < l.program->signals; i++) sound += l.row[i] * 0.0;
    if (fault) HL_SET(l.region->shared.program_fault, fault);
    in->has_sample[0] = 1;
    for (int i = 0; i < l.s.outs[0]; i++) in->wanted[i] = fault || sound != 0.0 ? __builtin_nan("") : l.row[l.s.out_column[i]];
    if (fault) return;
    if (l.s.energy_column[0] >= 0) l.energy = l.row[l.s.energy_column[0]];
    if (l.s.index_column[0] >= 0) l.index = l.row[l.s.index_column[0]];
}

static int hl_send(void) {
    if (l.g.safe[0]) return HL_CALL(l.driver.safe(&l.driver));
    int live = hl_is_live(l.g.state[0]);
    if (l.g.advance[0]) l.begun = 1;
    if (!live) l.begun = 0;
    hd_command frame = {.tick = l.tick, .mode = !live ? HD_IDLE : l.begun ? HD_FOLLOW : HD_HOLD, .count = l.s.outs[0]};
    for (int i = 0; i < l.s.outs[0]; i++) frame.values[i] = l.s.out_scale[i] * l.g.command[i] + l.s.out_offset[i];
    return HL_CALL(l.driver.write(&l.driver, &frame));
}

static void hl_log(const hg_inputs *in, double late, double wake, double work, double driver_time) {
    double *row = hl_row(l.region);
    if (!row) {
        HL_SET(l.region->shared.lost, HL_GET(l.region->shared.lost) + 1);
        return;
    }
    const double lead[HL_COLUMN_COUNT] = {
        [HL_C_tick] = (double)l.tick, [HL_C_test_tick] = (double)l.test_tick, [HL_C_state] = (double)l.g.state[0],
        [HL_C_event] = (double)in->event[0], [HL_C_refused] = (double)l.g.refused[0],
        [HL_C_faults] = (double)l.g.faults[0], [HL_C_sampled] = (double)in->has_sample[0],
        [HL_C_advanced] = (double)l.g.advance[0], [HL_C_fade] = l.fade, [HL_C_frame] = (double)in->frame[0],
        [HL_C_device] = (double)l.bits, [HL_C_late] = late, [HL_C_wake] = wake, [HL_C_work] = work,
        [HL_C_driver_time] = driver_time,
    };
    memcpy(row, lead, sizeof lead);
    row += HL_COLUMN_COUNT;
    memcpy(row, l.g.command, (size_t)l.s.outs[0] * sizeof(double));
    row += l.s.outs[0];
    memcpy(row, l.measured, (size_t)l.s.ins[0] * sizeof(double));
    row += l.s.ins[0];
    memcpy(row, l.row, (size_t)l.program->signals * sizeof(double));
    hl_row_done(l.region);
}

static void hl_publish(void) {
    hl_shared *shared = &l.region->shared;
    HL_SET(shared->state, l.g.state[0]);
    HL_SET(shared->motion, l.g.motion[0]);
    HL_SET(shared->free_vibration, l.g.free_vibration[0]);
    HL_SET(shared->cause, l.g.cause[0]);
    HL_SET(shared->device_bits, l.bits);
    HL_SET(shared->test_tick, l.test_tick);
    HL_SET(shared->tick, l.tick);
    HL_SET(shared->loop_beat, hd_now(&l.clock));
    for (int i = 0; l.g.faults[0] && i < HG_FAULT_COUNT; i++)
        if (l.g.faults[0] >> i & 1) atomic_store_explicit(shared->counts + i, l.g.counts[i], memory_order_relaxed);
}

static double hl_age(_Atomic int64_t *beat, int64_t now) { return 1e-9 * (double)(now - HL_GET(beat)); }

/* One tick; `late` and `wake` in s. */
static void hl_tick(double late, double wake, double work) {
    hl_shared *shared = &l.region->shared;
    static hg_inputs in;
    int error = l.send_failed;
    memset(&in, 0, sizeof in);
    in.frame[0] = hl_read(&error);
    int well = HL_CALL(l.driver.health(&l.driver)) == HD_OK;
    if (hl_is_live(l.g.state[0])) error |= !well;
    memcpy(in.measured, l.measured, sizeof in.measured);
    if (l.g.asks[0]) hl_sample(&in);
    /* Computed for nothing: the timing is checked in this state, and should be that of a test. */
    if (l.g.state[0] == HG_S_CONFIGURED) l.program->outputs(l.p, l.spare_x, 0, l.spare_row);
    in.event[0] = hl_event();
    in.energy[0] = l.energy;
    in.energy_index[0] = l.index;
    in.driver_error[0] = error;
    /* A rehearsal counts what a busy machine does to the time, and no more. */
    const double driver_time = l.driver_time;
    in.driver_time[0] = l.s.rehearsal[0] ? 0.0 : driver_time;
    in.late[0] = l.s.rehearsal[0] ? 0.0 : late;
    if (!l.s.virtual_clock[0]) {
        int64_t now = hd_now(&l.clock);
        double supervisor = hl_age(shared->supervisor_beat, now), guardian = hl_age(shared->guardian_beat, now);
        in.supervisor_age[0] = guardian > supervisor && HL_GET(shared->guardian_pid) ? guardian : supervisor;
    }
    int64_t waiting = HL_GET(shared->head) - HL_GET(shared->stored);
    in.log_full[0] = 4 * waiting >= 3 * l.s.rows[0] || HL_GET(shared->log_failed);
    /* A log is of one test: the diagram does not begin anew, and must not go on in its middle. */
    in.log_ready[0] = HL_GET(shared->log_ready) && !in.log_full[0] && !l.test_tick;
    in.timing_passed[0] = HL_GET(shared->timing_passed);
    /* Late ticks may be overlooked only where nothing but a model can come to harm. */
    in.healthy[0] = well && !error && !(l.s.rehearsal[0] && in.frame[0] && !(l.bits & HD_VIRTUAL));
    l.driver_time = 0.0;
    hg_tick(&l.c, &in, &l.g);
    l.send_failed = hl_send() != HD_OK;
    if (l.g.advance[0] && !l.broken) l.broken = l.program->update(l.p, l.x, l.test_tick, l.row);
    hl_log(&in, late, wake, work, driver_time);
    if (l.g.advance[0]) l.test_tick++;
    hl_publish();
    if (l.seen_event != HL_GET(shared->handled)) {
        HL_SET(shared->refused, l.g.refused[0]);
        HL_SET(shared->handled, l.seen_event);
    }
    l.tick++;
}

/* Whether the script still has an event to come: this one, or any. */
static int hl_to_come(int64_t event) {
    for (int i = 0; i < l.s.scripted[0]; i++)
        if (l.s.script_tick[i] >= l.tick && (event == HG_E_NONE || l.s.script_event[i] == event)) return 1;
    return 0;
}

/* The end: asked for while nothing moves, at the tick set for it, or, by the script, when nothing more can come. */
static int hl_is_over(void) {
    int64_t state = l.g.state[0];
    if (l.s.last_tick[0] > 0 && l.tick >= l.s.last_tick[0]) return 1;
    if (!hl_is_live(state) && HL_GET(l.region->shared.quit)) return 1;
    if (!l.s.scripted[0]) return 0;
    if (state == HG_S_ESTOP || state == HG_S_FINISHED) return !hl_to_come(HG_E_RESET);
    if (hl_is_live(state) && (state != HG_S_PAUSED || l.g.motion[0] != HG_STILL || l.g.missing[0])) return 0;
    return !hl_to_come(HG_E_NONE);
}

/* A virtual clock can wait for the logger, so that a ring of any length is enough. */
static void hl_wait_for_logger(void) {
    hl_shared *shared = &l.region->shared;
    const struct timespec moment = {0, 50000};
    for (int64_t i = 0; i < (int64_t)(20000.0 * l.s.patience[0]); i++) {
        if (2 * (HL_GET(shared->head) - HL_GET(shared->stored)) < l.s.rows[0]) return;
        if (HL_GET(shared->log_failed)) return; /* it will not come: the ring is for the way down */
        nanosleep(&moment, 0);
    }
}

static void hl_run(void) {
    hl_shared *shared = &l.region->shared;
    const int64_t period = (int64_t)(1e9 * l.s.period[0] + 0.5);
    double work = 0.0;
    int64_t start = hd_now(&l.clock), n = 0, ended = start;
    while (!hl_is_over()) {
        int64_t deadline = start + (int64_t)((double)n++ * 1e9 * l.s.period[0]);
        hd_sleep_until(&l.clock, deadline);
        int64_t woke = hd_now(&l.clock), wake = woke - deadline;
        int64_t late = ended > deadline ? ended - deadline : wake >= period ? wake : 0;
        if (late) HL_SET(shared->overruns, HL_GET(shared->overruns) + 1);
        if (wake >= period) { start = woke; n = 1; } /* counted anew: no burst of ticks */
        if (l.clock.is_virtual) hl_wait_for_logger();
        hl_tick(1e-9 * (double)late, 1e-9 * (double)wake, work);
        ended = hd_now(&l.clock);
        work = 1e-9 * (double)(ended - woke);
        if (!l.clock.is_virtual) {
            hl_count(shared->wake_bins, wake);
            hl_count(shared->work_bins, ended - woke);
        }
    }
}

int hl_main(const char *path, const hs_program *program) {
    hl_region *r = l.region = hl_map(path, program);
    if (!r) return 2;
    if (!hl_loop_is_sound(r)) return hl_fail(path, "does not make sense as the set-up of a loop"), 2;
    l.program = program;
    l.s = r->setup;
    l.c = r->guard;
    l.p = hl_own(hl_p(r), program->parameters);
    l.x = hl_own(hl_x(r), program->states);
    l.row = hl_own(0, program->signals);
    l.spare_x = hl_own(l.x, program->states);
    l.spare_row = hl_own(0, program->signals);
    if (!l.p || !l.x || !l.row || !l.spare_x || !l.spare_row) return hl_fail(path, "there is no memory left");
    l.clock = (hd_clock){.is_virtual = l.s.virtual_clock[0]};
    l.answered = -1;
    l.fade = 1.0;
    if (l.s.fade_parameter[0] >= 0) l.excitation = l.p[l.s.fade_parameter[0]];
    hd_setup setup = hl_driver_setup(&l.s, l.s.outs[0], l.s.ins[0], &l.clock);
    if (hd_find_driver(&setup, &l.driver) != 0) return hl_fail(setup.driver, "there is no driver of this name");
    if (l.driver.open(&l.driver, &setup) != HD_OK) return hl_fail(l.driver.name, l.driver.why);
    hg_boot(&l.c, &l.g);
    if (l.s.virtual_clock[0]) prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing moves but models: it ends with its caller */
    sigset_t all;
    sigfillset(&all); /* the end comes through the region: a test is not left in the middle of a tick */
    sigprocmask(SIG_BLOCK, &all, 0);
    HL_SET(r->shared.without_real_time, hl_real_time(&l.s));
    HL_SET(r->shared.loop_pid, getpid());
    HL_SET(r->shared.started, 1);
    hl_run();
    l.driver.safe(&l.driver);
    l.driver.close(&l.driver);
    HL_SET(r->shared.ended, 1);
    return 0;
}
