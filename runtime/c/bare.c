/* A loop that does nothing, to compare the real one with: PROGRAM PERIOD_NS TICKS PRIORITY; prints its histogram. */

#include "process.h"

static _Atomic int64_t bins[HL_BINS];

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "usage: %s PERIOD_NS TICKS PRIORITY\n", words[0]);
        return 2;
    }
    const double period = atof(words[1]);
    const int64_t ticks = atoll(words[2]);
    hl_setup setup = {.priority = {atoll(words[3])}, .processor = {-1}};
    hd_clock clock = {0};
    int lacking = hl_real_time(&setup);
    int64_t start = hd_now(&clock), n = 0, late = 0;
    for (int64_t i = 0; i < ticks; i++) {
        int64_t deadline = start + (int64_t)((double)n++ * period);
        hd_sleep_until(&clock, deadline);
        int64_t woke = hd_now(&clock);
        hl_count(bins, woke - deadline);
        if (woke - deadline >= (int64_t)period) { late++; start = woke; n = 1; }
    }
    printf("%d %lld", lacking, (long long)late);
    for (int i = 0; i < HL_BINS; i++) printf(" %lld", (long long)bins[i]);
    printf("\n");
    return 0;
}
