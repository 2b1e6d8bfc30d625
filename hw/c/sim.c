/* Driver `sim`: the virtual rig in the process of the loop; its address is the region of the rig. */

#include "rig_model.h"

static hr_rig sim;
static hd_answer sim_answer;
static int sim_has;
extern const hs_program hs_rig;

static hd_status sim_open(hd_driver *d, const hd_setup *setup) {
    if (hr_open(&sim, setup->address, &hs_rig) == 0) return HD_OK;
    snprintf(d->why, sizeof d->why, "the model of the rig cannot be opened");
    return HD_ERROR;
}

static hd_status sim_read(hd_driver *d, hd_answer *answer) {
    (void)d;
    if (!sim_has) return HD_NONE;
    sim_has = 0;
    *answer = sim_answer;
    return HD_OK;
}

static hd_status sim_write(hd_driver *d, const hd_command *command) {
    (void)d;
    sim_has = hr_take(&sim, command, &sim_answer);
    HL_SET(sim.region->shared.test_tick, sim.k);
    return HD_OK;
}

static hd_status sim_health(hd_driver *d) { return (void)d, sim.tripped ? HD_ERROR : HD_OK; }

static hd_status sim_safe(hd_driver *d) {
    const hd_command safe = {.tick = sim.taken, .mode = HD_SAFE, .count = sim.s->ins[0]};
    return sim_write(d, &safe);
}

static hd_status sim_close(hd_driver *d) { return (void)d, HD_OK; }

void hd_sim_driver(hd_driver *driver) {
    *driver = (hd_driver){.name = "sim", .open = sim_open, .read = sim_read, .write = sim_write,
                          .health = sim_health, .safe = sim_safe, .close = sim_close};
}
