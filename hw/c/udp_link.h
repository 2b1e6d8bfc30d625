/* What driver and peer "udp" share: the frame as bytes, and a socket that lets only sound frames through. */

#ifndef HD_UDP_LINK_H
#define HD_UDP_LINK_H

#include "driver.h"
#include "siphash.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HD_UDP_MAGIC = 0x31464448 };
enum { HD_UDP_HEAD = 64, HD_UDP_TAG = HD_UDP_HEAD + 8 * HD_CHANNELS, HD_UDP_SIZE = HD_UDP_TAG + 8 };
enum { HD_UDP_COMMAND = 1, HD_UDP_ANSWER = 2, HD_UDP_WATCH = 3 };
/* Why a frame was dropped. */
enum { HD_DROP_SIZE, HD_DROP_MAGIC, HD_DROP_TAG, HD_DROP_DIRECTION, HD_DROP_SESSION, HD_DROP_SEQUENCE, HD_DROP_SHAPE,
       HD_DROP_TICK, HD_DROPS };
enum { HD_UDP_DRAIN = 64 }; /* the most datagrams that one call looks at */

typedef struct {
    int64_t direction, session;
    uint64_t sequence, answers;
    int64_t stamp, tick, what, count;
    double values[HD_CHANNELS];
} hd_udp_frame;

typedef struct {
    int fd, lock, marker;
    int64_t commands, measured, lockstep, patience;
    int64_t session, watcher, tripped, unreachable;
    int64_t last_tick;            /* of what was delivered */
    uint64_t sent, received, watched; /* sequences: last sent; last accepted, of frames and of a watcher's */
    uint64_t written, answered;   /* driver: last command, last one answered */
    int64_t dropped[HD_DROPS];
    hd_udp_frame last;            /* driver: last written; peer: last delivered */
    hd_clock *clock;
    struct sockaddr_in to;        /* port 0: not known yet */
    uint8_t key[16];
} hd_udp;

static const hd_clock hd_udp_real = {0, 0};

static inline void hd_udp_pack(const hd_udp *u, const hd_udp_frame *frame, uint8_t *bytes) {
    hd_put64(bytes, (uint64_t)frame->direction << 32 | HD_UDP_MAGIC);
    hd_put64(bytes + 8, (uint64_t)frame->session);
    hd_put64(bytes + 16, frame->sequence);
    hd_put64(bytes + 24, frame->answers);
    hd_put64(bytes + 32, (uint64_t)frame->stamp);
    hd_put64(bytes + 40, (uint64_t)frame->tick);
    hd_put64(bytes + 48, (uint64_t)frame->what);
    hd_put64(bytes + 56, (uint64_t)frame->count);
    for (int i = 0; i < HD_CHANNELS; i++) {
        uint64_t word = 0;
        if (i < frame->count) memcpy(&word, frame->values + i, 8);
        hd_put64(bytes + HD_UDP_HEAD + 8 * i, word);
    }
    hd_put64(bytes + HD_UDP_TAG, hd_siphash(u->key, bytes, HD_UDP_TAG));
}

static inline void hd_udp_unpack(const uint8_t *bytes, hd_udp_frame *frame) {
    frame->direction = (int64_t)(hd_get64(bytes) >> 32);
    frame->session = (int64_t)hd_get64(bytes + 8);
    frame->sequence = hd_get64(bytes + 16);
    frame->answers = hd_get64(bytes + 24);
    frame->stamp = (int64_t)hd_get64(bytes + 32);
    frame->tick = (int64_t)hd_get64(bytes + 40);
    frame->what = (int64_t)hd_get64(bytes + 48);
    frame->count = (int64_t)hd_get64(bytes + 56);
    for (int i = 0; i < HD_CHANNELS; i++) {
        uint64_t word = hd_get64(bytes + HD_UDP_HEAD + 8 * i);
        memcpy(frame->values + i, &word, 8);
    }
}

/* Sends a frame with the next sequence number. */
static inline hd_status hd_udp_send(hd_udp *u, hd_udp_frame *frame) {
    uint8_t bytes[HD_UDP_SIZE];
    frame->sequence = ++u->sent;
    frame->session = u->session;
    frame->stamp = hd_now(u->clock ? u->clock : &hd_udp_real);
    hd_udp_pack(u, frame, bytes);
    for (int i = 0; i < 2; i++) { /* the first may only report that an earlier one did not arrive */
        ssize_t size = sendto(u->fd, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&u->to, sizeof u->to);
        if (size == sizeof bytes) return HD_OK;
        if (errno != ECONNREFUSED) return HD_ERROR;
        u->unreachable = 1;
    }
    return HD_OK; /* nobody listens: `health` says so */
}

/* One datagram: 1 a sound one, 0 dropped and counted, -1 none is there. What a side makes of session, sequence, tick and
   shape is its own. */
static inline int hd_udp_receive(hd_udp *u, hd_udp_frame *frame, struct sockaddr_in *from) {
    uint8_t bytes[HD_UDP_SIZE + 1];
    socklen_t room = sizeof *from;
    ssize_t size = recvfrom(u->fd, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)from, &room);
    if (size < 0 && errno == ECONNREFUSED) u->unreachable = 1;
    if (size < 0) return errno == ECONNREFUSED ? 0 : -1;
    int reason = -1;
    if (size != HD_UDP_SIZE) reason = HD_DROP_SIZE;
    else if ((hd_get64(bytes) & 0xffffffff) != HD_UDP_MAGIC) reason = HD_DROP_MAGIC;
    else if (hd_get64(bytes + HD_UDP_TAG) != hd_siphash(u->key, bytes, HD_UDP_TAG)) reason = HD_DROP_TAG;
    if (reason >= 0) return u->dropped[reason]++, 0;
    hd_udp_unpack(bytes, frame);
    return 1;
}

/* Waits for a datagram until `end` of the monotonic clock; 0 where that has passed. */
static inline int hd_udp_listen(const hd_udp *u, int64_t end) {
    int64_t left = end - hd_now(&hd_udp_real);
    if (left <= 0) return 0;
    struct pollfd socket = {u->fd, POLLIN, 0};
    struct timespec most = {left / 1000000000, left % 1000000000};
    ppoll(&socket, 1, &most, 0);
    return 1;
}

/* One of our own addresses or one on the wire: "127.0.0.1:5000"; no names but localhost, no wildcards, no groups. */
static inline int hd_udp_address(const char *text, struct sockaddr_in *address, char *why) {
    char host[64] = "";
    const char *colon = text ? strrchr(text, ':') : 0;
    size_t size = colon ? (size_t)(colon - text) : 0;
    char *rest = 0;
    long port = colon ? strtol(colon + 1, &rest, 10) : 0;
    int whole = colon && colon[1] >= '0' && colon[1] <= '9' && !*rest && port >= 1 && port <= 65535;
    if (!whole || !size || size >= sizeof host) {
        const char *got = text ? text : "";
        snprintf(why, HD_WHY, "The address of udp is 'host:port' such as '127.0.0.1:5000', got '%.80s'.", got);
        return -1;
    }
    memcpy(host, text, size);
    memset(address, 0, sizeof *address);
    address->sin_family = AF_INET;
    address->sin_port = htons((uint16_t)port);
    if (inet_pton(AF_INET, strcmp(host, "localhost") ? host : "127.0.0.1", &address->sin_addr) != 1) {
        snprintf(why, HD_WHY, "The host of udp is an IPv4 address in numbers or localhost, got '%s'.", host);
        return -1;
    }
    uint32_t first = ntohl(address->sin_addr.s_addr) >> 24;
    if (first == 0 || first >= 224) {
        snprintf(why, HD_WHY, "'%s' is not one host: name the address of one network card, or 127.0.0.1.", host);
        return -1;
    }
    return 0;
}

static inline void hd_udp_end(hd_udp *u) {
    if (u->fd >= 0) close(u->fd);
    if (u->lock >= 0) close(u->lock);
    if (u->marker >= 0) close(u->marker);
    free(u);
}

static inline hd_udp *hd_udp_begin(const hd_setup *setup, char *why) {
    hd_udp *u = calloc(1, sizeof *u);
    if (!u) return snprintf(why, HD_WHY, "No memory."), (hd_udp *)0;
    u->fd = u->lock = u->marker = -1;
    u->commands = setup->commands, u->measured = setup->measured;
    u->lockstep = setup->lockstep, u->session = setup->session, u->clock = setup->clock;
    u->last_tick = INT64_MIN;
    int wrong = hd_udp_address(setup->address, &u->to, why);
    int fits = setup->commands >= 0 && setup->commands <= HD_CHANNELS && setup->measured >= 0;
    if (!wrong && !setup->key) wrong = snprintf(why, HD_WHY, "udp needs the 16 bytes of the session's key.");
    else if (!wrong && !(fits && setup->measured <= HD_CHANNELS))
        wrong = snprintf(why, HD_WHY, "A device has 0 to %d channels each way.", HD_CHANNELS);
    else if (!wrong && !(setup->patience >= 0.0 && setup->patience <= 1e6))
        wrong = snprintf(why, HD_WHY, "Patience is a time in s, got %g.", setup->patience);
    if (!wrong && (u->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0)
        wrong = snprintf(why, HD_WHY, "No socket (%s).", strerror(errno));
    if (wrong) return hd_udp_end(u), (hd_udp *)0;
    u->patience = (int64_t)(setup->patience * 1e9);
    memcpy(u->key, setup->key, sizeof u->key);
    why[0] = 0;
    return u;
}

#endif
