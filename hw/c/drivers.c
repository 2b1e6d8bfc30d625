/* The drivers by name. Each file has its drivers; sim is built in only where the model of a rig is. */

#include "driver.h"
#include <string.h>

void hd_shm_driver(hd_driver *);
void hd_shm_peer(hd_peer *);
void hd_sim_driver(hd_driver *);

int hd_find_driver(const hd_setup *setup, hd_driver *driver) {
    const char *name = setup->driver ? setup->driver : "";
    memset(driver, 0, sizeof *driver);
    if (!strcmp(name, "shm")) hd_shm_driver(driver);
#ifdef HD_WITH_SIM
    else if (!strcmp(name, "sim")) hd_sim_driver(driver);
#endif
    return driver->open ? 0 : -1;
}

int hd_find_peer(const hd_setup *setup, hd_peer *peer) {
    const char *name = setup->driver ? setup->driver : "";
    memset(peer, 0, sizeof *peer);
    if (!strcmp(name, "shm")) hd_shm_peer(peer);
    return peer->open ? 0 : -1;
}
