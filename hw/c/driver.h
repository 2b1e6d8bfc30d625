/* The driver contract: all that the loop knows of a device, and all that a virtual rig knows of the loop.

   open     once, before real time begins; may wait and allocate; on HD_ERROR `why` says what is wrong
   read     the device's newest answer: HD_OK it is new, HD_NONE nothing new came, HD_ERROR the driver failed
   write    one command frame
   health   HD_OK while the device is well, HD_ERROR when it tripped or cannot be reached
   safe     the device goes to its safe state at once; may be called again and again, in any state
   close    lets go; the device stays as it is

   read, write, health and safe are called in every tick: they do not allocate, lock, print or wait. Only in lockstep,
   on a virtual clock, read waits until the last frame written is answered.

   Values are in device units. A frame that is not what was agreed on (another number of values, an old tick, a wrong
   tag) is not delivered: it counts as none. */

#ifndef HD_DRIVER_H
#define HD_DRIVER_H

#include "clock.h"
#include <stdint.h>

enum { HD_CHANNELS = 32, HD_FAULTS = 16, HD_WHY = 200 };

typedef enum { HD_OK = 0, HD_NONE = 1, HD_ERROR = -1 } hd_status;

/* What the device is to do. SAFE is left by IDLE only, which is sent only after an operator's reset. */
typedef enum { HD_SAFE, HD_IDLE, HD_HOLD, HD_FOLLOW } hd_mode;

/* Bits of an answer. */
enum { HD_TRIPPED = 1, /* the device went safe by itself (watchdog, bad frame); cleared by a SAFE frame */
       HD_VIRTUAL = 2, /* it is a virtual rig */
       HD_NOTHING = 4  /* in lockstep: this frame stands for one that is lost; read gives HD_NONE at once */ };

typedef struct {
    int64_t tick, mode, count; /* tick of the loop, from 0 */
    double values[HD_CHANNELS];
} hd_command;

typedef struct {
    int64_t tick, bits, count; /* tick of the command that is answered */
    double values[HD_CHANNELS];
} hd_answer;

/* A fault that driver `faulty` brings in, from a tick on, for a number of ticks. */
typedef enum { HD_OPEN, HD_READ, HD_WRITE, HD_HEALTH, HD_SAFE_CALL } hd_call;
typedef enum { HD_FAILS, HD_HANGS, HD_NANS, HD_WRONG_SHAPE, HD_STALE } hd_fault_kind;
typedef struct {
    int64_t call, kind, from, ticks;
    double value; /* of HD_HANGS: seconds */
} hd_fault;

typedef struct {
    int64_t commands, measured; /* channels each way */
    int64_t lockstep;
    int64_t session;            /* rises from one run to the next */
    double period, patience;    /* s: of a tick; that open and, in lockstep, read may wait */
    const char *driver, *address;
    const uint8_t *key;         /* 16 bytes, or null */
    hd_clock *clock;
    int64_t faults;
    const hd_fault *fault;      /* wraps the driver into `faulty` where there are any */
} hd_setup;

typedef struct hd_driver hd_driver;
struct hd_driver {
    const char *name;
    hd_status (*open)(hd_driver *, const hd_setup *);
    hd_status (*read)(hd_driver *, hd_answer *);
    hd_status (*write)(hd_driver *, const hd_command *);
    hd_status (*health)(hd_driver *);
    hd_status (*safe)(hd_driver *);
    hd_status (*close)(hd_driver *);
    void *self;
    char why[HD_WHY];
};

/* The other end, for a virtual rig. `wait` gives HD_OK with a new frame, or HD_NONE after `ns` of real time. `session`
   is that of the last frame: a change of it means that another run began. */
typedef struct hd_peer hd_peer;
struct hd_peer {
    const char *name;
    hd_status (*open)(hd_peer *, const hd_setup *);
    hd_status (*wait)(hd_peer *, hd_command *, int64_t ns);
    hd_status (*answer)(hd_peer *, const hd_answer *);
    hd_status (*close)(hd_peer *);
    int64_t session;
    void *self;
    char why[HD_WHY];
};

/* By name: "sim", "shm", "udp" ("faulty" wraps any); 0, or -1 where there is none of that name. */
int hd_find_driver(const hd_setup *, hd_driver *);
int hd_find_peer(const hd_setup *, hd_peer *);

#endif
