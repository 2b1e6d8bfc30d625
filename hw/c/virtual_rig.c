/* The process of a virtual rig: answers frames, and makes itself safe when the loop falls silent.

   It takes any number of runs, one after the other; each begins with the model as built. */

#include "rig_model.h"

static hr_rig rig;

static volatile sig_atomic_t over;
static void hr_end(int signal) { (void)signal; over = 1; }

int hr_main(const char *path, const hs_program *program) {
    if (hr_open(&rig, path, program) != 0) return 2;
    const hl_setup *s = rig.s;
    hl_shared *shared = &rig.region->shared;
    hd_clock clock = {0};
    hd_setup setup = hl_driver_setup(s, s->ins[0], s->outs[0], &clock);
    setup.faults = 0;
    setup.session = 0; /* the sessions are those of the loops that come */
    hd_peer peer;
    if (hd_find_peer(&setup, &peer) != 0) return hl_fail(setup.driver, "there is no virtual rig for this driver");
    if (peer.open(&peer, &setup) != HD_OK) return hl_fail(peer.name, peer.why);
    struct sigaction end = {.sa_handler = hr_end};
    sigaction(SIGTERM, &end, 0);
    sigaction(SIGINT, &end, 0);
    HL_SET(shared->without_real_time, hl_real_time(s));
    HL_SET(shared->loop_pid, getpid());
    HL_SET(shared->started, 1);
    const int64_t bears = (int64_t)(1e9 * s->watchdog[0]);
    int64_t session = 0, heard = hd_now(&clock);
    while (!over && !HL_GET(shared->quit)) {
        hd_command command;
        hd_answer answer;
        hd_status status = peer.wait(&peer, &command, bears < 100000000 ? bears : 100000000);
        int64_t now = hd_now(&clock);
        HL_SET(shared->loop_beat, now);
        if (status == HD_OK) {
            if (peer.session != session) {
                session = peer.session;
                hr_begin(&rig);
            }
            heard = now;
            if (hr_take(&rig, &command, &answer)) peer.answer(&peer, &answer);
            else if (s->lockstep[0]) peer.answer(&peer, &(hd_answer){.tick = command.tick, .bits = HD_VIRTUAL | HD_NOTHING});
        } else if (!rig.safe && !s->lockstep[0] && now - heard > bears) {
            hr_trip(&rig);
        }
        HL_SET(shared->state, rig.safe ? HG_S_ESTOP : rig.begun ? HG_S_RUNNING : HG_S_IDLE);
        HL_SET(shared->device_bits, rig.tripped ? HD_TRIPPED : 0);
        HL_SET(shared->test_tick, rig.k);
    }
    peer.close(&peer);
    HL_SET(shared->ended, 1);
    return 0;
}
