/* Driver and peer "udp": a device on the network, such as a Speedgoat, xPC or dSPACE machine.

   The address is "host:port" of the device: the driver sends to it, and the device answers to where the last sound
   command came from. A frame is one datagram of 328 bytes, all fields little-endian:

     offset  bytes  field
          0      4  "HDF1" as four ASCII bytes
          4      4  direction: 1 command, 2 answer, 3 "be safe" from a watcher
          8      8  session, signed: of an answer, that of the command it answers
         16      8  sequence, unsigned: rises with every frame of a sender; gaps are allowed
         24      8  of an answer: sequence of the command it answers; else 0
         32      8  time stamp in ns of the sender's clock, for the record; nothing is decided by it
         40      8  tick, signed: of an answer, that of the command it answers
         48      8  of a command: mode 0 safe, 1 idle, 2 hold, 3 follow; of an answer: bits (driver.h)
         56      8  count: how many of the values are used
         64    256  32 values, IEEE 754 double; unused ones are 0
        320      8  SipHash-2-4 of bytes 0 to 319 with the 16-byte key of the session

   A receiver drops, in this order: another size, other first bytes, a wrong tag, another direction than it should get
   (so a frame sent back to its sender is refused), a session lower than its own (the driver: any other than its own),
   a sequence not above the last one accepted, another count or mode than agreed on, a tick older than the last. A
   device takes a higher session as a new run, in which sequence and tick begin anew. It keeps the sequence of
   direction 3 apart from that of direction 1, and never sends answers to a watcher. The newest frame counts, but
   never is a "be safe" passed over for a newer one. */

#include "udp_link.h"
#include <stddef.h>
#include <sys/un.h>

/* A name that only one process of this machine can hold; the kernel gives it back when the process ends. */
static int hd_udp_hold(const char *name) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    size_t size = (size_t)snprintf(place.sun_path + 1, sizeof place.sun_path - 1, "%s", name);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    size += offsetof(struct sockaddr_un, sun_path) + 1;
    if (bind(fd, (struct sockaddr *)&place, (socklen_t)size) == 0) return fd;
    close(fd);
    return -1;
}

/* One process drives a device; another one with the same session is a watcher. */
static int hd_udp_claim(hd_udp *u, char *why) {
    char device[40], name[80];
    inet_ntop(AF_INET, &u->to.sin_addr, device, sizeof device);
    snprintf(name, sizeof name, "hybsim-udp-%s:%d-%lld", device, ntohs(u->to.sin_port), (long long)u->session);
    u->marker = hd_udp_hold(name);
    u->watcher = u->marker < 0;
    if (u->watcher) return 0;
    snprintf(name, sizeof name, "hybsim-udp-%s:%d", device, ntohs(u->to.sin_port));
    u->lock = hd_udp_hold(name);
    if (u->lock >= 0) return 0;
    snprintf(why, HD_WHY, "%s:%d is driven by another process already.", device, ntohs(u->to.sin_port));
    return -1;
}

static hd_status hd_udp_open(hd_driver *driver, const hd_setup *setup) {
    hd_udp *u = hd_udp_begin(setup, driver->why);
    if (!u) return HD_ERROR;
    if (hd_udp_claim(u, driver->why)) return hd_udp_end(u), HD_ERROR;
    /* Connected, the kernel takes datagrams from the device only and reports that nobody listens there. */
    if (connect(u->fd, (struct sockaddr *)&u->to, sizeof u->to)) {
        snprintf(driver->why, HD_WHY, "'%.80s' cannot be reached (%s).", setup->address, strerror(errno));
        return hd_udp_end(u), HD_ERROR;
    }
    u->sent = (uint64_t)hd_now(&hd_udp_real); /* above that of whoever drove in this session before */
    u->last.direction = HD_UDP_COMMAND;
    u->last.count = u->commands;
    driver->self = u;
    return HD_OK;
}

static int hd_udp_judge_answer(const hd_udp *u, const hd_udp_frame *frame) {
    if (frame->direction != HD_UDP_ANSWER) return HD_DROP_DIRECTION;
    if (frame->session != u->session) return HD_DROP_SESSION;
    if (frame->sequence <= u->received) return HD_DROP_SEQUENCE;
    if (frame->what & HD_NOTHING ? !u->lockstep : frame->count != u->measured) return HD_DROP_SHAPE;
    if (frame->tick < u->last_tick) return HD_DROP_TICK;
    return -1;
}

static hd_status hd_udp_take(hd_udp *u, hd_answer *answer) {
    hd_status status = HD_NONE;
    struct sockaddr_in from;
    for (int i = 0; i < HD_UDP_DRAIN; i++) {
        hd_udp_frame frame;
        int sound = hd_udp_receive(u, &frame, &from);
        if (sound < 0) break;
        if (!sound) continue;
        int reason = hd_udp_judge_answer(u, &frame);
        if (reason >= 0) {
            u->dropped[reason]++;
            continue;
        }
        u->received = frame.sequence;
        u->answered = frame.answers;
        u->unreachable = 0;
        if (frame.what & HD_NOTHING) {
            status = HD_NONE;
            continue;
        }
        u->last_tick = frame.tick;
        u->tripped = frame.what & HD_TRIPPED;
        answer->tick = frame.tick, answer->bits = frame.what, answer->count = frame.count;
        memcpy(answer->values, frame.values, sizeof answer->values);
        status = HD_OK;
    }
    return status;
}

static hd_status hd_udp_read(hd_driver *driver, hd_answer *answer) {
    hd_udp *u = driver->self;
    if (!u || u->watcher) return HD_ERROR;
    if (!u->lockstep || u->answered == u->written) return hd_udp_take(u, answer);
    int64_t end = hd_now(&hd_udp_real) + u->patience;
    for (;;) {
        hd_status status = hd_udp_take(u, answer);
        if (u->answered == u->written) return status;
        if (!hd_udp_listen(u, end)) return HD_ERROR;
    }
}

static hd_status hd_udp_write(hd_driver *driver, const hd_command *command) {
    hd_udp *u = driver->self;
    if (!u || u->watcher) return HD_ERROR;
    u->last.tick = command->tick, u->last.what = command->mode, u->last.count = command->count;
    memcpy(u->last.values, command->values, sizeof u->last.values);
    hd_status status = hd_udp_send(u, &u->last);
    u->written = u->sent;
    return status;
}

static hd_status hd_udp_health(hd_driver *driver) {
    hd_udp *u = driver->self;
    return !u || u->tripped || u->unreachable ? HD_ERROR : HD_OK;
}

static hd_status hd_udp_safe(hd_driver *driver) {
    hd_udp *u = driver->self;
    if (!u) return HD_ERROR;
    u->last.what = HD_SAFE;
    u->last.count = u->commands;
    u->last.direction = u->watcher ? HD_UDP_WATCH : HD_UDP_COMMAND;
    hd_status status = hd_udp_send(u, &u->last);
    u->written = u->sent;
    return status;
}

static hd_status hd_udp_close(hd_driver *driver) {
    if (driver->self) hd_udp_end(driver->self);
    driver->self = 0;
    return HD_OK;
}

/* Frames that the driver or peer with this `self` dropped for a reason; for any where there is no such reason. */
int64_t hd_udp_dropped(const void *self, int64_t reason) {
    const hd_udp *u = self;
    if (reason >= 0 && reason < HD_DROPS) return u->dropped[reason];
    int64_t sum = 0;
    for (int i = 0; i < HD_DROPS; i++) sum += u->dropped[i];
    return sum;
}

void hd_udp_driver(hd_driver *driver) {
    *driver = (hd_driver){"udp", hd_udp_open, hd_udp_read, hd_udp_write, hd_udp_health, hd_udp_safe, hd_udp_close,
                          0, ""};
}
