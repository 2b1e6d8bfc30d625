/* Many runs of one program: runs, checks for nan and inf, keeps what was asked for. */

/* Whether all of n numbers are finite: a finite number times zero is zero, anything else is nan. */
int64_t hs_all_finite(const double *restrict values, int64_t n) {
    double sum[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) sum[j] += values[i + j] * 0.0;
    double total = 0.0;
    for (; i < n; i++) total += values[i] * 0.0;
    for (int j = 0; j < 8; j++) total += sum[j];
    return total == 0.0;
}

static int64_t hs_first_bad_row(const double *rows, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!hs_all_finite(rows + i * HS_SIGNALS, HS_SIGNALS)) return i;
    return n;
}

/* For each run: `p` and `x` hold its parameters and initial state; on return `x` is its final state,
   `last` its last row, `peak` the largest magnitudes, `kept` the chosen columns, `done` its finished ticks
   and `fault` where a kernel stopped it (0: nowhere; a nan or inf shows as done < ticks). `rows` is scratch. */
void hs_sweep(int64_t runs, int64_t ticks, int64_t chunk, const double *p, double *x, double *rows,
              const int64_t *columns, int64_t n_columns, double *kept, double *last, double *peak,
              int64_t *done, int64_t *fault) {
    for (int64_t run = 0; run < runs; run++) {
        const double *pr = p + run * HS_PARAMETERS;
        double *xr = x + run * HS_STATES, *out = kept + run * n_columns * ticks;
        double *end = last + run * HS_SIGNALS, *top = peak + run * HS_SIGNALS;
        for (int64_t j = 0; j < HS_SIGNALS; j++) top[j] = 0.0;
        int64_t k = 0;
        fault[run] = 0;
        while (k < ticks) {
            int64_t wanted = ticks - k < chunk ? ticks - k : chunk;
            int64_t n = hs_run(pr, xr, k, wanted, rows, fault + run);
            int64_t readable = n;
            if (n < wanted && HS_IN_UPDATE(fault[run])) readable = n + 1; /* the row was written before the fault */
            int64_t good = hs_all_finite(rows, readable * HS_SIGNALS) ? n : hs_first_bad_row(rows, readable);
            if (good < readable) { fault[run] = 0; n = good; }
            for (int64_t i = 0; i < n; i++) {
                const double *row = rows + i * HS_SIGNALS;
                for (int64_t j = 0; j < HS_SIGNALS; j++) {
                    double size = __builtin_fabs(row[j]);
                    top[j] = size > top[j] ? size : top[j];
                }
                for (int64_t j = 0; j < n_columns; j++) out[j * ticks + k + i] = row[columns[j]];
            }
            if (n > 0) for (int64_t j = 0; j < HS_SIGNALS; j++) end[j] = rows[(n - 1) * HS_SIGNALS + j];
            k += n;
            if (n < wanted) break;
        }
        done[run] = k;
    }
}
