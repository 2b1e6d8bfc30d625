/* The guardian: a process that watches the loop from outside and tells the device to be safe when the loop cannot.

   The loop counts as gone when its process has ended, or has not come round for `watchdog` seconds, while the device is
   live. It ends when the loop has ended, or the supervisor says so while nothing is live. */

#include "process.h"

int hl_guardian(const char *path) {
    hl_region *r = hl_map(path, 0);
    if (!r) return 2;
    hl_shared *shared = &r->shared;
    hd_clock clock = {0};
    hd_setup setup = hl_driver_setup(&r->setup, r->setup.outs[0], r->setup.ins[0], &clock);
    setup.faults = 0;
    hd_driver driver;
    if (hd_find_driver(&setup, &driver) != 0) return hl_fail(setup.driver, "there is no driver of this name");
    if (driver.open(&driver, &setup) != HD_OK) return hl_fail(driver.name, driver.why);
    hl_real_time(&r->setup);
    HL_SET(shared->guardian_beat, hd_now(&clock));
    HL_SET(shared->guardian_pid, getpid());
    /* As often as the loop's silence, and its own for the loop, must be noticed. */
    const double silence = r->guard.supervisor_silence[0], watchdog = r->setup.watchdog[0];
    const int64_t bears = (int64_t)(1e9 * watchdog), least = (int64_t)(1e9 * (silence < watchdog ? silence : watchdog));
    const int64_t eighth = least / 8, round = eighth > 1000000 ? eighth : 1000000;
    int tripped = 0;
    while (!HL_GET(shared->ended)) {
        int64_t now = hd_now(&clock), state = HL_GET(shared->state), quit = HL_GET(shared->quit);
        int live = state == HG_S_ARMED || state == HG_S_RUNNING || state == HG_S_PAUSED || state == HG_S_RAMP_DOWN;
        int gone = kill((pid_t)HL_GET(shared->loop_pid), 0) != 0 || now - HL_GET(shared->loop_beat) > bears;
        if (live && gone) {
            driver.safe(&driver);
            if (!tripped) HL_SET(shared->guardian_trips, HL_GET(shared->guardian_trips) + 1);
        }
        if (quit && (gone || !live)) break; /* not while the loop drives the device, whoever says so */
        tripped = live && gone;
        HL_SET(shared->guardian_beat, now);
        hd_sleep_until(&clock, now + round);
    }
    driver.close(&driver);
    HL_SET(shared->guardian_pid, 0);
    return 0;
}
