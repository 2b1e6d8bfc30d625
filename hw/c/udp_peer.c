/* Peer "udp": the device's side of udp.c, bound to the address it is given and to nothing else. */

#include "udp_link.h"

static hd_status hd_udp_peer_open(hd_peer *peer, const hd_setup *setup) {
    hd_udp *u = hd_udp_begin(setup, peer->why);
    if (!u) return HD_ERROR;
    if (bind(u->fd, (struct sockaddr *)&u->to, sizeof u->to)) {
        snprintf(peer->why, HD_WHY, "'%.80s' cannot be listened on (%s).", setup->address, strerror(errno));
        return hd_udp_end(u), HD_ERROR;
    }
    u->to.sin_port = 0; /* nobody has sent anything yet */
    u->sent = (uint64_t)hd_now(&hd_udp_real); /* above that of a device that ended during this session */
    u->last.count = u->commands;
    peer->session = 0;
    peer->self = u;
    return HD_OK;
}

static int hd_udp_judge_command(const hd_udp *u, const hd_udp_frame *frame) {
    int watch = frame->direction == HD_UDP_WATCH, anew = frame->session > u->session;
    if (frame->direction != HD_UDP_COMMAND && !watch) return HD_DROP_DIRECTION;
    if (frame->session < u->session) return HD_DROP_SESSION;
    if (!anew && frame->sequence <= (watch ? u->watched : u->received)) return HD_DROP_SEQUENCE;
    if (frame->count != u->commands || frame->what < HD_SAFE || frame->what > HD_FOLLOW) return HD_DROP_SHAPE;
    if (watch && frame->what != HD_SAFE) return HD_DROP_SHAPE;
    if (!anew && frame->what != HD_SAFE && frame->tick < u->last_tick) return HD_DROP_TICK;
    return -1;
}

/* The newest command, but nothing is read beyond one that asks to be safe: the rest stays for the next time. */
static int hd_udp_next(hd_peer *peer, hd_udp *u) {
    int found = 0;
    for (int i = 0; i < HD_UDP_DRAIN; i++) {
        hd_udp_frame frame;
        struct sockaddr_in from;
        int sound = hd_udp_receive(u, &frame, &from);
        if (sound < 0) break;
        if (!sound) continue;
        int reason = hd_udp_judge_command(u, &frame);
        if (reason >= 0) {
            u->dropped[reason]++;
            continue;
        }
        if (frame.session > u->session) {
            u->session = frame.session;
            u->received = u->watched = 0;
            u->last_tick = INT64_MIN;
            u->last = (hd_udp_frame){.count = u->commands};
            u->to.sin_port = 0;
        }
        peer->session = frame.session;
        found = 1;
        if (frame.direction == HD_UDP_WATCH) {
            u->watched = frame.sequence;
            u->last.what = HD_SAFE;
        } else {
            u->received = frame.sequence;
            u->last = frame;
            u->last_tick = frame.tick;
            u->to = from;
        }
        if (u->last.what == HD_SAFE) break;
    }
    return found;
}

static hd_status hd_udp_wait(hd_peer *peer, hd_command *command, int64_t ns) {
    hd_udp *u = peer->self;
    if (!u) return HD_ERROR;
    int64_t end = hd_now(&hd_udp_real) + ns;
    while (!hd_udp_next(peer, u))
        if (!hd_udp_listen(u, end)) return HD_NONE;
    command->tick = u->last.tick, command->mode = u->last.what, command->count = u->last.count;
    memcpy(command->values, u->last.values, sizeof command->values);
    return HD_OK;
}

static hd_status hd_udp_answer(hd_peer *peer, const hd_answer *answer) {
    hd_udp *u = peer->self;
    if (!u) return HD_ERROR;
    if (!u->to.sin_port) return HD_NONE;
    hd_udp_frame frame = {.direction = HD_UDP_ANSWER, .answers = u->last.sequence, .tick = answer->tick,
                          .what = answer->bits, .count = answer->count};
    memcpy(frame.values, answer->values, sizeof frame.values);
    return hd_udp_send(u, &frame);
}

static hd_status hd_udp_peer_close(hd_peer *peer) {
    if (peer->self) hd_udp_end(peer->self);
    peer->self = 0;
    return HD_OK;
}

void hd_udp_peer(hd_peer *peer) {
    *peer = (hd_peer){"udp", hd_udp_peer_open, hd_udp_wait, hd_udp_answer, hd_udp_peer_close, 0, 0, ""};
}
