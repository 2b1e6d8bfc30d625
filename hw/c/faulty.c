/* Driver "faulty": any other driver, and the faults of the setup. What each of the 25 pairs means:

            fails             hangs            NaN                 wrong shape           stale
     open   refused           late by `value`  refused: no         refused: another      refused: frames of
                                               numbers come        number of channels    another run come
     read   HD_ERROR; what    late by `value`  every value is NaN  one value fewer       the answer before the
            came is lost                                           than agreed on        fault once more
     write  HD_ERROR;         late by `value`  every value is NaN  one value fewer       the frame before the
            nothing is sent                                        than agreed on        fault once more
     health HD_ERROR          late by `value`  a status that does  a status that does    what it was before
                                               not exist           not exist             the fault
     safe   HD_ERROR; the     late by `value`  the device hears    the device does not;  the device does not; the
            device does not                    it; a status that   a status that does    status is the one before
            hear it                            does not exist      not exist             the fault

   `value` is in s of the loop's clock. A fault applies from tick `from` on for `ticks` ticks, the tick being that of the
   last command written, the one in hand included; none applies before the first. A fault of open always applies. Of
   several faults of a call the first that applies counts. The device is read in any case, so that lockstep goes on.
   Stale where nothing came before: nothing comes, nothing is sent, all is well. */

#include "driver.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HD_NO_STATUS = 77, HD_NAN_STATUS = 78 };

typedef struct {
    hd_driver inner;
    hd_clock *clock;
    int64_t faults, tick, has_answer, has_command;
    hd_fault fault[HD_FAULTS];
    hd_answer answer; /* the last ones without a fault */
    hd_command command;
    hd_status health, safe;
} hd_faulty;

static const hd_fault *hd_faulty_fault(hd_faulty *f, hd_call call) {
    for (int i = 0; i < f->faults; i++) {
        const hd_fault *fault = f->fault + i;
        if (fault->call != (int64_t)call) continue;
        int64_t from = fault->from > 0 ? fault->from : 0;
        if (call == HD_OPEN || (f->tick >= from && f->tick - from < fault->ticks)) return fault;
    }
    return 0;
}

/* The kind of the fault that applies, or -1; a hang is over when this returns. */
static int hd_faulty_kind(hd_faulty *f, hd_call call) {
    const hd_fault *fault = hd_faulty_fault(f, call);
    if (!fault) return -1;
    if (fault->kind == HD_HANGS) {
        hd_sleep_until(f->clock, hd_now(f->clock) + (int64_t)(fault->value * 1e9));
        return -1;
    }
    return (int)fault->kind;
}

static hd_status hd_faulty_open(hd_driver *driver, const hd_setup *setup) {
    static const char *const whys[] = {
        [HD_FAILS] = "it does not open", [HD_NANS] = "what it measures are not numbers",
        [HD_WRONG_SHAPE] = "it has another number of channels", [HD_STALE] = "its frames are of another run"};
    for (int i = 0; i < setup->faults && i < HD_FAULTS; i++) {
        const hd_fault *fault = setup->fault + i;
        int known = fault->call >= HD_OPEN && fault->call <= HD_SAFE_CALL && fault->kind >= HD_FAILS;
        if (known && fault->kind <= HD_STALE && fault->value >= 0.0 && fault->value <= 1e6) continue;
        snprintf(driver->why, HD_WHY, "Fault %d is of no known call or kind, or hangs for no time in s.", i);
        return HD_ERROR;
    }
    if (setup->faults < 0 || setup->faults > HD_FAULTS || (setup->faults && !setup->clock)) {
        snprintf(driver->why, HD_WHY, "Driver faulty takes up to %d faults and a clock.", HD_FAULTS);
        return HD_ERROR;
    }
    hd_faulty *f = calloc(1, sizeof *f);
    if (!f) return snprintf(driver->why, HD_WHY, "No memory."), HD_ERROR;
    f->clock = setup->clock;
    f->faults = setup->faults;
    f->tick = -1;
    if (f->faults) memcpy(f->fault, setup->fault, (size_t)f->faults * sizeof *f->fault);
    hd_setup plain = *setup;
    plain.faults = 0;
    int kind = hd_faulty_kind(f, HD_OPEN);
    hd_status status = HD_ERROR;
    if (kind >= 0) snprintf(driver->why, HD_WHY, "A fault was brought in for this device: %s.", whys[kind]);
    else if (hd_find_driver(&plain, &f->inner)) snprintf(driver->why, HD_WHY, "There is no driver of this name.");
    else if ((status = f->inner.open(&f->inner, &plain)) != HD_OK) memcpy(driver->why, f->inner.why, HD_WHY);
    if (status != HD_OK) return free(f), status;
    driver->why[0] = 0;
    driver->self = f;
    return HD_OK;
}

static hd_status hd_faulty_read(hd_driver *driver, hd_answer *answer) {
    hd_faulty *f = driver->self;
    if (!f) return HD_ERROR;
    int kind = hd_faulty_kind(f, HD_READ);
    hd_status status = f->inner.read(&f->inner, answer);
    if (kind == HD_FAILS) return HD_ERROR;
    if (kind == HD_STALE && status != HD_ERROR) {
        if (f->has_answer) *answer = f->answer;
        return f->has_answer ? HD_OK : HD_NONE;
    }
    if (status != HD_OK) return status;
    if (kind == HD_NANS) for (int i = 0; i < HD_CHANNELS; i++) answer->values[i] = NAN;
    else if (kind == HD_WRONG_SHAPE) answer->count--;
    else f->answer = *answer, f->has_answer = 1;
    return HD_OK;
}

static hd_status hd_faulty_write(hd_driver *driver, const hd_command *command) {
    hd_faulty *f = driver->self;
    if (!f) return HD_ERROR;
    f->tick = command->tick;
    int kind = hd_faulty_kind(f, HD_WRITE);
    hd_command other = *command;
    switch (kind) {
    case HD_FAILS: return HD_ERROR;
    case HD_NANS:
        for (int i = 0; i < HD_CHANNELS; i++) other.values[i] = NAN;
        break;
    case HD_WRONG_SHAPE: other.count--; break;
    case HD_STALE:
        if (!f->has_command) return HD_OK;
        other = f->command;
        break;
    default: f->command = other, f->has_command = 1;
    }
    return f->inner.write(&f->inner, &other);
}

static hd_status hd_faulty_health(hd_driver *driver) {
    hd_faulty *f = driver->self;
    if (!f) return HD_ERROR;
    switch (hd_faulty_kind(f, HD_HEALTH)) {
    case HD_FAILS: return HD_ERROR;
    case HD_NANS: return (hd_status)HD_NAN_STATUS;
    case HD_WRONG_SHAPE: return (hd_status)HD_NO_STATUS;
    case HD_STALE: return f->health;
    default: return f->health = f->inner.health(&f->inner);
    }
}

static hd_status hd_faulty_safe(hd_driver *driver) {
    hd_faulty *f = driver->self;
    if (!f) return HD_ERROR;
    switch (hd_faulty_kind(f, HD_SAFE_CALL)) {
    case HD_FAILS: return HD_ERROR;
    case HD_NANS: return f->inner.safe(&f->inner), (hd_status)HD_NAN_STATUS;
    case HD_WRONG_SHAPE: return (hd_status)HD_NO_STATUS;
    case HD_STALE: return f->safe;
    default: return f->safe = f->inner.safe(&f->inner);
    }
}

static hd_status hd_faulty_close(hd_driver *driver) {
    hd_faulty *f = driver->self;
    if (!f) return HD_OK;
    hd_status status = f->inner.close(&f->inner);
    free(f);
    driver->self = 0;
    return status;
}

void hd_faulty_driver(hd_driver *driver) {
    *driver = (hd_driver){"faulty", hd_faulty_open, hd_faulty_read, hd_faulty_write, hd_faulty_health, hd_faulty_safe,
                          hd_faulty_close, 0, ""};
}
