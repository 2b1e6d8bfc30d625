/* A half of a cut diagram, as the loop and the virtual rig run it (runtime/step_emitter.py). */

#ifndef HS_PROGRAM_H
#define HS_PROGRAM_H

#include <stdint.h>

typedef struct {
    int64_t signals, parameters, states;
    int64_t (*outputs)(const double *p, double *x, int64_t k, double *row);
    int64_t (*update)(const double *p, double *x, int64_t k, double *row);
} hs_program;

#endif
