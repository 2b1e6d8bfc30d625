/* Motions the guard makes by itself: each stays within velocity and acceleration of `move_*`.

   stop     speed falls from v to 0 in n ticks, n = ceil(|v| / (a dt)):      c_j = c + v dt sum_{i<=j} (1 - i/n)
   move     from rest to rest in n ticks of a cosine:                        c_j = c + D (1 - cos(pi j/n)) / 2,
            n dt >= pi |D| / (2 v) and (n dt)^2 >= pi^2 |D| / (2 a);         differences never exceed derivatives
   run-up   from rest to speed v at the place c in n ticks:                  c_j = c - v dt sum_{j<i<=n} i/n

   A stop covers v dt (n - 1)/2 beyond the last command, a run-up begins v dt (n + 1)/2 before it. Channels of a stop
   end each on its own; those of a move or a run-up go together, so that their paths stay a straight line. */

enum { HG_STILL, HG_STOPPING, HG_GOING_HOME, HG_GOING_BACK, HG_RUNNING_UP };

#define HG_SLACK (1.0 - 1e-9) /* keeps rounding inside the bounds */

static int64_t hg_ticks(double ticks) { /* rounded up, at least 1; a motion of more than a day is cut in the checks */
    if (!(ticks < 1e9)) return 1000000000;
    int64_t n = (int64_t)ticks;
    n += (double)n < ticks;
    return n < 1 ? 1 : n;
}

static int64_t hg_stop_ticks(const hg_config *c, int i, double v) {
    double most = HG_SLACK * c->move_acceleration[i] * c->dt[0];
    return v == 0.0 ? 0 : hg_ticks(__builtin_fabs(v) / most);
}

static double hg_stop_place(const hg_config *c, int i, double from, double v) {
    int64_t n = hg_stop_ticks(c, i, v);
    return n == 0 ? from : from + v * c->dt[0] * ((double)(n - 1) / 2.0);
}

static void hg_begin_stop(const hg_config *c, hg_guard *g) {
    g->motion[0] = HG_STOPPING;
    g->moved[0] = 0;
    for (int i = 0; i < c->commands[0]; i++) {
        g->from[i] = g->command[i];
        g->by[i] = g->speed[i];
        g->length[i] = hg_stop_ticks(c, i, g->speed[i]);
    }
}

static void hg_begin_move(const hg_config *c, hg_guard *g, int64_t motion, const double *to) {
    int64_t longest = 0;
    for (int i = 0; i < c->commands[0]; i++) {
        double way = to[i] - g->command[i], size = __builtin_fabs(way);
        double by_velocity = HG_PI * size / (2.0 * HG_SLACK * c->move_velocity[i]) / c->dt[0];
        double by_acceleration = HG_PI * __builtin_sqrt(size / (2.0 * HG_SLACK * c->move_acceleration[i])) / c->dt[0];
        int64_t n = way == 0.0 ? 0 : hg_ticks(by_velocity > by_acceleration ? by_velocity : by_acceleration);
        longest = n > longest ? n : longest;
        g->from[i] = g->command[i];
        g->by[i] = way;
    }
    for (int i = 0; i < c->commands[0]; i++) g->length[i] = longest;
    g->motion[0] = motion;
    g->moved[0] = 0;
}

static int64_t hg_run_up_ticks(const hg_config *c, const hg_guard *g) {
    int64_t longest = 0;
    for (int i = 0; i < c->commands[0]; i++) {
        int64_t n = hg_stop_ticks(c, i, g->left_with[i]);
        longest = n > longest ? n : longest;
    }
    return longest;
}

static double hg_run_up_place(const hg_config *c, const hg_guard *g, int i) {
    int64_t n = hg_run_up_ticks(c, g);
    return n == 0 ? g->left_at[i] : g->left_at[i] - g->left_with[i] * c->dt[0] * ((double)(n + 1) / 2.0);
}

static void hg_begin_run_up(const hg_config *c, hg_guard *g) {
    int64_t n = hg_run_up_ticks(c, g);
    for (int i = 0; i < c->commands[0]; i++) {
        g->from[i] = g->left_at[i];
        g->by[i] = g->left_with[i];
        g->length[i] = n;
    }
    g->motion[0] = HG_RUNNING_UP;
    g->moved[0] = -1; /* a tick of rest: the move before may end with half of its acceleration, the other way */
}

/* The next command of a motion for channel i; j counts from 1. */
static double hg_motion_at(const hg_config *c, const hg_guard *g, int i, int64_t j) {
    double n = (double)g->length[i], k = (double)(j < g->length[i] ? j : g->length[i]);
    if (g->length[i] == 0) return g->motion[0] == HG_STOPPING || g->motion[0] == HG_RUNNING_UP ? g->from[i] : g->from[i] + g->by[i];
    switch (g->motion[0]) {
    case HG_STOPPING: return g->from[i] + g->by[i] * c->dt[0] * (k - k * (k + 1.0) / (2.0 * n));
    case HG_RUNNING_UP: return g->from[i] - g->by[i] * c->dt[0] * ((n * (n + 1.0) - k * (k + 1.0)) / (2.0 * n));
    default: return k == n ? g->from[i] + g->by[i] : g->from[i] + g->by[i] * (0.5 - 0.5 * cos(HG_PI * k / n));
    }
}

/* Makes one tick of the motion; 1 when it is over. */
static int hg_move_on(const hg_config *c, hg_guard *g) {
    int over = 1;
    int64_t j = ++g->moved[0];
    for (int i = 0; i < c->commands[0]; i++) {
        double next = hg_motion_at(c, g, i, j);
        g->speed[i] = (next - g->command[i]) / c->dt[0];
        g->command[i] = next;
        over &= j >= g->length[i];
    }
    return over;
}
