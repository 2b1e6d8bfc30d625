/* The drivers by name. Sim is built in only where the model of a rig is. */

#include "driver.h"
#include <string.h>

void hd_shm_driver(hd_driver *);
void hd_udp_driver(hd_driver *);
void hd_sim_driver(hd_driver *);
void hd_faulty_driver(hd_driver *);
void hd_shm_peer(hd_peer *);
void hd_udp_peer(hd_peer *);

int hd_find_driver(const hd_setup *setup, hd_driver *driver) {
    const char *name = setup->driver ? setup->driver : "";
    memset(driver, 0, sizeof *driver);
    if (!strcmp(name, "shm")) hd_shm_driver(driver);
    if (!strcmp(name, "udp")) hd_udp_driver(driver);
#ifdef HD_WITH_SIM
    if (!strcmp(name, "sim")) hd_sim_driver(driver);
#endif
    if (driver->open && setup->faults) hd_faulty_driver(driver); /* it looks for the other one when it opens */
    return driver->open ? 0 : -1;
}

int hd_find_peer(const hd_setup *setup, hd_peer *peer) {
    const char *name = setup->driver ? setup->driver : "";
    memset(peer, 0, sizeof *peer);
    if (!strcmp(name, "shm")) hd_shm_peer(peer);
    if (!strcmp(name, "udp")) hd_udp_peer(peer);
    return peer->open ? 0 : -1;
}
