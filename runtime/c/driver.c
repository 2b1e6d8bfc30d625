/* Runs that are looked at for nan and inf, and many runs in one call that keep what was asked for. */

/* Whether all of n numbers are finite: a finite number times zero is zero, anything else is nan. */
static int hs_all_finite(const double *restrict values, int64_t n) {
    double sum[16] = {0}, total = 0.0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int j = 0; j < 16; j++) sum[j] += values[i + j] * 0.0;
    for (; i < n; i++) total += values[i] * 0.0;
    for (int j = 0; j < 16; j++) total += sum[j];
    return total == 0.0;
}

/* As hs_run, looking at `chunk` rows at a time while they are in the cache. Ends at the first row with a nan
   or inf, which is written but not counted: then fewer than n ticks are finished and *stopped is 0. */
int64_t hs_run_checked(const double *p, double *x, int64_t k0, int64_t n, int64_t chunk, double *row, int64_t *stopped) {
    int64_t done = 0;
    *stopped = 0;
    while (done < n) {
        int64_t wanted = n - done < chunk ? n - done : chunk, ran = hs_run(p, x, k0 + done, wanted, row, stopped);
        int64_t readable = HS_IN_UPDATE(*stopped) ? ran + 1 : ran; /* the row was written before the fault */
        if (!hs_all_finite(row, readable * HS_SIGNALS)) {
            while (hs_all_finite(row, HS_SIGNALS)) { row += HS_SIGNALS; done++; }
            *stopped = 0;
            return done;
        }
        done += ran;
        row += ran * HS_SIGNALS;
        if (ran < wanted) break;
    }
    return done;
}

/* The largest magnitudes of n rows, raised in `top`; whole vectors are read, up to 7 numbers beyond the rows. */
enum { HS_PADDED = (HS_SIGNALS + 7) / 8 * 8 };

static void hs_raise(double *restrict top, const double *restrict row, int64_t n) {
    for (int64_t i = 0; i < n; i++, row += HS_SIGNALS)
        for (int j = 0; j < HS_PADDED; j++) {
            double size = __builtin_fabs(row[j]);
            top[j] = size > top[j] ? size : top[j];
        }
}

/* For each run: `p` and `x` hold its parameters and initial state; on return `x` is its final state,
   `last` its last row, `peak` the largest magnitudes, `kept` the chosen columns, `done` its finished ticks
   and `fault` where a kernel stopped it (0: nowhere; a nan or inf shows as done < ticks).
   `rows` is room for `chunk` rows and 8 numbers. */
void hs_sweep(int64_t runs, int64_t ticks, int64_t chunk, const double *p, double *x, double *rows,
              const int64_t *columns, int64_t n_columns, double *kept, double *last, double *peak,
              int64_t *done, int64_t *fault) {
    for (int64_t run = 0; run < runs; run++) {
        double top[HS_PADDED] = {0}, *out = kept + run * n_columns * ticks;
        int64_t k = 0, wanted, n;
        do {
            wanted = ticks - k < chunk ? ticks - k : chunk;
            n = hs_run_checked(p + run * HS_PARAMETERS, x + run * HS_STATES, k, wanted, chunk, rows, fault + run);
            hs_raise(top, rows, n);
            for (int64_t j = 0; j < n_columns; j++)
                for (int64_t i = 0; i < n; i++) out[j * ticks + k + i] = rows[i * HS_SIGNALS + columns[j]];
            if (n > 0)
                for (int64_t j = 0; j < HS_SIGNALS; j++) last[run * HS_SIGNALS + j] = rows[(n - 1) * HS_SIGNALS + j];
            k += n;
        } while (n == wanted && k < ticks);
        for (int64_t j = 0; j < HS_SIGNALS; j++) peak[run * HS_SIGNALS + j] = top[j];
        done[run] = k;
    }
}
