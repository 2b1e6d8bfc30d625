/* The detectors, one for each row of HG_FAULTS: whether the fault is there in this tick.

   They read what hg_notice has counted before, so that each is a plain comparison. */

#define HG_DETECTOR(name) static int hg_##name(const hg_config *c, const hg_inputs *in, const hg_guard *g)

static int hg_finite(double value) { return value - value == 0.0; }

static double hg_wanted_speed(const hg_config *c, const hg_inputs *in, const hg_guard *g, int i) {
    return (in->wanted[i] - g->command[i]) / c->dt[0];
}

/* Counts over ticks: missing frames, late ticks, sensors off track or still. */
static void hg_notice(const hg_config *c, const hg_inputs *in, hg_guard *g) {
    if (in->frame[0]) g->apart[0] = g->missing[0] + 1;
    g->missing[0] = in->frame[0] ? 0 : g->missing[0] + 1;
    int late = in->late[0] > 0.0;
    g->late_in_a_row[0] = late ? g->late_in_a_row[0] + 1 : 0;
    if (late) g->late_ticks[g->late_count[0]++ % 4] = g->tick[0];
    if (!in->frame[0]) return;
    for (int i = 0; i < c->measured[0]; i++) {
        int64_t command = c->follows[i];
        if (command < 0) continue;
        double answered = g->command[command], error = __builtin_fabs(answered - in->measured[i]);
        double share = __builtin_fabs(g->speed[command]) / c->velocity[command];
        double allowed = share * c->error_most[i] > c->error_least[i] ? share * c->error_most[i] : c->error_least[i];
        g->off_track[i] = error > allowed ? g->off_track[i] + 1 : 0;
        int still = g->has_measured[0] && in->measured[i] == g->last_measured[i];
        if (!still || answered < g->still_low[i]) g->still_low[i] = answered;
        if (!still || answered > g->still_high[i]) g->still_high[i] = answered;
    }
}

HG_DETECTOR(COMMAND_NOT_FINITE) {
    (void)g;
    if (!in->has_sample[0]) return 0;
    for (int i = 0; i < c->commands[0]; i++)
        if (!hg_finite(in->wanted[i])) return 1;
    return !hg_finite(in->energy_index[0]) || !hg_finite(in->energy[0]);
}

HG_DETECTOR(COMMAND_POSITION) {
    for (int i = 0; in->has_sample[0] && i < c->commands[0]; i++) {
        double place = hg_stop_place(c, i, in->wanted[i], hg_wanted_speed(c, in, g, i));
        if (in->wanted[i] < c->low[i] || in->wanted[i] > c->high[i] || place < c->low[i] || place > c->high[i]) return 1;
    }
    return 0;
}

HG_DETECTOR(COMMAND_VELOCITY) {
    for (int i = 0; in->has_sample[0] && i < c->commands[0]; i++)
        if (__builtin_fabs(hg_wanted_speed(c, in, g, i)) > c->velocity[i]) return 1;
    return 0;
}

HG_DETECTOR(COMMAND_ACCELERATION) {
    for (int i = 0; in->has_sample[0] && i < c->commands[0]; i++)
        if (__builtin_fabs(hg_wanted_speed(c, in, g, i) - g->speed[i]) > c->acceleration[i] * c->dt[0]) return 1;
    return 0;
}

HG_DETECTOR(MEASURED_VALUE) {
    (void)g;
    for (int i = 0; in->frame[0] && i < c->measured[0]; i++)
        if (in->measured[i] < c->hard_low[i] || in->measured[i] > c->hard_high[i]) return 1;
    return 0;
}

HG_DETECTOR(MEASURED_RATE) {
    for (int i = 0; in->frame[0] && g->has_measured[0] && i < c->measured[0]; i++)
        if (__builtin_fabs(in->measured[i] - g->last_measured[i]) > c->hard_rate[i] * c->dt[0] * (double)g->apart[0]) return 1;
    return 0;
}

HG_DETECTOR(SENSOR_NOT_FINITE) {
    (void)g;
    for (int i = 0; in->frame[0] && i < c->measured[0]; i++)
        if (!hg_finite(in->measured[i])) return 1;
    return 0;
}

HG_DETECTOR(SENSOR_RANGE) {
    (void)g;
    for (int i = 0; in->frame[0] && i < c->measured[0]; i++)
        if (in->measured[i] < c->range_low[i] || in->measured[i] > c->range_high[i]) return 1;
    return 0;
}

HG_DETECTOR(SENSOR_FROZEN) {
    (void)in;
    for (int i = 0; i < c->measured[0]; i++)
        if (c->follows[i] >= 0 && g->still_high[i] - g->still_low[i] > c->noise_floor[i]) return 1;
    return 0;
}

HG_DETECTOR(TRACKING) {
    (void)in;
    for (int i = 0; i < c->measured[0]; i++)
        if (c->follows[i] >= 0 && g->off_track[i] >= 3) return 1;
    return 0;
}

static int hg_energy_at(const hg_config *c, const hg_inputs *in, double threshold) {
    return in->has_sample[0] && in->energy[0] >= c->energy_floor[0] && -in->energy_index[0] >= threshold;
}

HG_DETECTOR(ENERGY_WARN) { return (void)g, hg_energy_at(c, in, c->energy_warn[0]); }
HG_DETECTOR(ENERGY_PAUSE) { return (void)g, hg_energy_at(c, in, c->energy_pause[0]); }
HG_DETECTOR(ENERGY_STOP) { return (void)g, hg_energy_at(c, in, c->energy_stop[0]); }

HG_DETECTOR(FRAME_MISSED) { return (void)c, (void)in, g->missing[0] >= 1; }
HG_DETECTOR(FRAMES_MISSING) { return (void)c, (void)in, g->missing[0] >= 3; }
HG_DETECTOR(FRAMES_LOST) { return (void)c, (void)in, g->missing[0] > 10; }

HG_DETECTOR(OVERRUN) { return (void)c, (void)g, in->late[0] > 0.0; }
HG_DETECTOR(OVERRUNS_IN_A_ROW) { return in->late[0] >= c->dt[0] || g->late_in_a_row[0] >= 2; }
HG_DETECTOR(OVERRUNS_OFTEN) { /* this one and the three before it within ten seconds */
    if (!(in->late[0] > 0.0) || g->late_count[0] < 4) return 0;
    return (double)(g->tick[0] - g->late_ticks[g->late_count[0] % 4]) * c->dt[0] <= 10.0;
}

HG_DETECTOR(DRIVER_ERROR) { return (void)c, (void)g, in->driver_error[0] != 0; }
HG_DETECTOR(DRIVER_HANG) { return (void)g, in->driver_time[0] > 2.0 * c->dt[0]; }
HG_DETECTOR(TARGET_LATE) { return (void)c, (void)g, in->target_late[0] != 0; }
HG_DETECTOR(SUPERVISOR_SILENT) { return (void)g, in->supervisor_age[0] > c->supervisor_silence[0]; }
HG_DETECTOR(LOG_FULL) { return (void)c, (void)g, in->log_full[0] != 0; }
