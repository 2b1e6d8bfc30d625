/* The delayed Bouc-Wen oscillator written by hand: what its emitted program is measured against.

   m u'' + c u' + r(t - delay) = amplitude sin(omega t), r of a Bouc-Wen specimen with n = 2, classical
   Runge-Kutta steps with the delayed force held over the step. The arithmetic is that of the blocks, so that
   every bit agrees; one row of 9 numbers a tick, in the diagram's order. */
#include <stdint.h>

double sin(double);

enum { MOST_TICKS_DELAYED = 64 };

typedef struct {
    double dt, amplitude, omega, inverse_mass, damping;
    double yield_disp, elastic, hysteretic, beta, gamma;
    int64_t ticks_delayed;
} Parameters;

/* z' of the Bouc-Wen model; s is the change of z with the displacement, in yield displacements. */
static inline double hysteresis(const Parameters *q, double vel, double z) {
    double s = 1.0 - (z * vel > 0.0 ? q->beta + q->gamma : q->beta - q->gamma) * (z * z);
    return vel / q->yield_disp * s;
}

void delayed_bouc_wen(const Parameters *q, int64_t ticks, double *restrict row) {
    const double h = q->dt, half = h * 0.5, sixth = 1.0 / 6.0, third = 1.0 / 3.0;
    double disp = 0.0, vel = 0.0, z = 0.0, past[MOST_TICKS_DELAYED] = {0};
    int64_t head = 0;

    for (int64_t k = 0; k < ticks; k++, row += 9) {
        const double t = (double)k * h;
        const double force = q->elastic * disp + q->hysteretic * z, delayed = past[head];
        const double load = q->amplitude * sin(q->omega * t), damper = q->damping * vel;
        const double net = load - damper - delayed;
        past[head] = force;
        head = head + 1 == q->ticks_delayed ? 0 : head + 1;

        const double d1 = vel, v1 = net * q->inverse_mass, z1 = hysteresis(q, vel, z);
        row[0] = t;
        row[1] = load;
        row[2] = net;
        row[3] = v1;
        row[4] = vel;
        row[5] = disp;
        row[6] = damper;
        row[7] = force;
        row[8] = delayed;

        /* Two evaluations in the middle share the load. */
        const double load_half = q->amplitude * sin(q->omega * (t + 0.5 * h));
        const double load_end = q->amplitude * sin(q->omega * (t + 1.0 * h));
        const double d2 = vel + half * v1;
        const double v2 = (load_half - q->damping * d2 - delayed) * q->inverse_mass;
        const double z2 = hysteresis(q, d2, z + half * z1);
        const double d3 = vel + half * v2;
        const double v3 = (load_half - q->damping * d3 - delayed) * q->inverse_mass;
        const double z3 = hysteresis(q, d3, z + half * z2);
        const double d4 = vel + h * v3;
        const double v4 = (load_end - q->damping * d4 - delayed) * q->inverse_mass;
        const double z4 = hysteresis(q, d4, z + h * z3);
        disp += h * (sixth * d1 + third * d2 + third * d3 + sixth * d4);
        vel += h * (sixth * v1 + third * v2 + third * v3 + sixth * v4);
        z += h * (sixth * z1 + third * z2 + third * z3 + sixth * z4);
    }
}
