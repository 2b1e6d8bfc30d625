/* The diagram of EERC Fig. 3-5 written by hand: what its emitted program is measured against.

   Record, load, Newmark's explicit method, a lagging actuator with normal noise, the specimen and the energy
   monitor, with the arithmetic of the blocks, so that every bit agrees. All state is in local variables, and
   what a diagram computes in two places is computed once. One row of 13 numbers a tick, in the diagram's order. */
#include <stdint.h>

double log(double), cos(double);

typedef struct {
    double dt, mass_gain;                       /* load = mass_gain * ground acceleration */
    double damping, solve, solve_first;         /* C, 1 / (M + dt/2 C), 1 / M */
    double lag_mean, lag_deviation;
    double stiffness, yield_disp, yield_force;
    double strain;                              /* recoverable strain energy of HSEI */
    double noise;                               /* the first normal number, drawn already */
    double stream[6];                           /* the state of the random numbers after it */
    const double *record;
    int64_t record_length;
} Parameters;

/* MRG32k3a (L'Ecuyer 1999): whole numbers below 2^53 held exactly in doubles. */
typedef struct { double a0, a1, a2, b0, b1, b2; } Stream;

static inline double uniform(Stream *s) {
    const double m1 = 4294967087.0, m2 = 4294944443.0, norm = 1.0 / 4294967088.0;
    double a = 1403580.0 * s->a1 - 810728.0 * s->a0;
    a -= (double)(int64_t)(a / m1) * m1;
    if (a < 0.0) a += m1;
    s->a0 = s->a1; s->a1 = s->a2; s->a2 = a;
    double b = 527612.0 * s->b2 - 1370589.0 * s->b0;
    b -= (double)(int64_t)(b / m2) * m2;
    if (b < 0.0) b += m2;
    s->b0 = s->b1; s->b1 = s->b2; s->b2 = b;
    double difference = a - b;
    if (difference <= 0.0) difference += m1;
    return difference * norm;
}

static inline double normal(Stream *s) {
    double radius = __builtin_sqrt(-2.0 * log(uniform(s)));
    return radius * cos(6.283185307179586 * uniform(s));
}

static inline void run(const Parameters *q, int elastic_plastic, int64_t ticks, double *restrict row) {
    const double dt = q->dt, half_dt = 0.5 * dt, half_dt2 = 0.5 * dt * dt, least = 0.01 * q->strain;
    Stream stream = {q->stream[0], q->stream[1], q->stream[2], q->stream[3], q->stream[4], q->stream[5]};
    double noise = q->noise, disp = 0.0, vel = 0.0, accel = 0.0, plastic = 0.0;
    double disp_last = 0.0, gap_last = 0.0, force_last = 0.0, load_last = 0.0;
    double e_experimental = 0.0, e_error = 0.0, e_input = 0.0;

    for (int64_t k = 0; k < ticks; k++, row += 13) {
        double ground = k < q->record_length ? q->record[k] : 0.0;
        double load = ground * q->mass_gain;
        double step = k > 0 ? disp - disp_last : 0.0;
        double applied = disp - (q->lag_mean + q->lag_deviation * noise) * step;
        double gap = disp - applied, force;
        if (elastic_plastic) {
            force = q->stiffness * (applied - plastic);
            if (force > q->yield_force) { force = q->yield_force; plastic = applied - q->yield_disp; }
            else if (force < -q->yield_force) { force = -q->yield_force; plastic = applied + q->yield_disp; }
        } else {
            force = q->stiffness * applied;
        }
        if (k > 0) {
            double mean_force = 0.5 * (force_last + force);
            e_experimental += mean_force * step;
            e_error += mean_force * (gap - gap_last);
            e_input += 0.5 * (load_last + load) * step;
        }
        double denominator = q->strain + e_input;
        row[0] = ground;
        row[1] = load;
        row[2] = disp;
        row[3] = vel;
        row[4] = accel;
        row[5] = force;
        row[6] = noise;
        row[7] = applied;
        row[8] = e_experimental;
        row[9] = e_error;
        row[10] = e_input;
        row[11] = e_error / q->strain;
        row[12] = e_error / (least > denominator ? least : denominator);

        noise = normal(&stream);
        vel += half_dt * accel;
        double rest = load - force - q->damping * vel;
        if (k > 0) { accel = q->solve * rest; vel += half_dt * accel; }
        else accel = q->solve_first * rest;
        disp_last = disp;
        disp = disp + dt * vel + half_dt2 * accel;
        gap_last = gap;
        force_last = force;
        load_last = load;
    }
}

void fig_3_5_linear(const Parameters *q, int64_t ticks, double *rows) { run(q, 0, ticks, rows); }
void fig_3_5_elastic_plastic(const Parameters *q, int64_t ticks, double *rows) { run(q, 1, ticks, rows); }
