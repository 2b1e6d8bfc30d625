/* What the guard knows, as tables: states, events, transitions, faults. Python reads this file too
   (runtime/guard_tables.py), for tests and documentation; there is no second copy.

   Severity orders the reactions; where several faults apply in one tick the most severe wins. */

#define HG_REACTIONS(X) \
    X(COUNT, "counted") \
    X(PAUSE, "stop with bounded deceleration, then PAUSED") \
    X(RAMP, "stop with bounded deceleration, then RAMP_DOWN to the home position") \
    X(STOP, "ESTOP, latched; the driver is told to make the device safe")

#define HG_STATES(X) \
    X(ESTOP, "latched stop, and the state at boot: nothing is sent, the device is held safe") \
    X(IDLE, "reset, no configuration") \
    X(CONFIGURED, "configuration accepted") \
    X(ARMED, "the device is live and holds its position") \
    X(RUNNING, "the diagram gives the commands") \
    X(PAUSED, "stopped; the diagram waits") \
    X(RAMP_DOWN, "on the way to the home position") \
    X(FINISHED, "at the home position, the record is complete")

/* Asked by the operator or the supervisor, except HOME, which the guard finds itself, and the last three,
   which are the reactions to faults. */
#define HG_EVENTS(X) \
    X(NONE, "nothing asked") \
    X(RESET, "leave ESTOP, or make FINISHED ready again; only its rising edge counts") \
    X(CONFIGURE, "take the configuration") \
    X(ARM, "make the device live") \
    X(DISARM, "let the device go") \
    X(START, "begin the test") \
    X(PAUSE, "stop and wait") \
    X(RESUME, "go on from where the test stopped") \
    X(FADE, "free vibration: go on with the excitation faded out") \
    X(END, "ramp down and finish") \
    X(KILL, "emergency stop by the operator") \
    X(HOME, "the home position is reached") \
    X(PAUSING, "a fault that pauses") \
    X(RAMPING, "a fault that ramps down") \
    X(STOPPING, "a fault that stops")

/* Where each event leads. `no`: refused, the state stays. `same`: accepted, the state stays.
   START, RESUME and ARM have conditions beside (hg_refusal in guard.c). */
#define HG_TRANSITIONS(X) \
    /*           NONE  RESET  CONFIGURE   ARM    DISARM      START    PAUSE   RESUME   FADE  END        KILL   HOME      PAUSING    RAMPING    STOPPING */ \
    X(ESTOP,      same, IDLE,  no,         no,    no,         no,      no,     no,      no,   no,        ESTOP, no,       same,      same,      ESTOP) \
    X(IDLE,       same, no,    CONFIGURED, no,    no,         no,      no,     no,      no,   no,        ESTOP, no,       same,      same,      ESTOP) \
    X(CONFIGURED, same, no,    same,       ARMED, no,         no,      no,     no,      no,   no,        ESTOP, no,       same,      same,      ESTOP) \
    X(ARMED,      same, no,    no,         no,    CONFIGURED, RUNNING, no,     no,      no,   RAMP_DOWN, ESTOP, no,       same,      RAMP_DOWN, ESTOP) \
    X(RUNNING,    same, no,    no,         no,    no,         no,      PAUSED, no,      same, RAMP_DOWN, ESTOP, no,       PAUSED,    RAMP_DOWN, ESTOP) \
    X(PAUSED,     same, no,    no,         no,    no,         no,      same,   RUNNING, no,   RAMP_DOWN, ESTOP, no,       same,      RAMP_DOWN, ESTOP) \
    X(RAMP_DOWN,  same, no,    no,         no,    no,         no,      no,     no,      no,   same,      ESTOP, FINISHED, same,      same,      ESTOP) \
    X(FINISHED,   same, IDLE,  no,         no,    no,         no,      no,     no,      no,   no,        ESTOP, no,       same,      same,      ESTOP)

/* Fault, reaction, what it means. A fault has one detector, the function hg_NAME in guard_faults.h. */
#define HG_FAULTS(X) \
    X(COMMAND_NOT_FINITE, PAUSE, "the diagram computed nan or inf; the sample was discarded") \
    X(COMMAND_POSITION, PAUSE, "a command, or where it could be stopped, lies beyond a soft limit; refused") \
    X(COMMAND_VELOCITY, PAUSE, "a command is faster than its soft limit; refused") \
    X(COMMAND_ACCELERATION, PAUSE, "a command accelerates more than its soft limit; refused") \
    X(MEASURED_VALUE, STOP, "a measured value is beyond its hard limit") \
    X(MEASURED_RATE, STOP, "a measured value changes faster than its hard limit") \
    X(SENSOR_NOT_FINITE, STOP, "a sensor gave nan or inf") \
    X(SENSOR_RANGE, STOP, "a sensor is out of its range") \
    X(SENSOR_FROZEN, STOP, "a sensor did not change while its command moved") \
    X(TRACKING, PAUSE, "the measured position does not follow the command") \
    X(ENERGY_WARN, COUNT, "the energy index reached its warning") \
    X(ENERGY_PAUSE, PAUSE, "the energy index reached its pause threshold") \
    X(ENERGY_STOP, RAMP, "the energy index reached its stop threshold") \
    X(FRAME_MISSED, COUNT, "a frame of the device is missing; the last values were used") \
    X(FRAMES_MISSING, PAUSE, "three frames of the device are missing") \
    X(FRAMES_LOST, STOP, "more than ten frames of the device are missing") \
    X(OVERRUN, COUNT, "a tick began late; the command before was held") \
    X(OVERRUNS_IN_A_ROW, PAUSE, "two ticks in a row began late, or one by more than a period") \
    X(OVERRUNS_OFTEN, PAUSE, "more than three ticks in ten seconds began late") \
    X(DRIVER_ERROR, STOP, "the driver reported an error") \
    X(DRIVER_HANG, STOP, "a call of the driver took more than two ticks") \
    X(TARGET_LATE, RAMP, "the next target from the remote coordinator did not come") \
    X(SUPERVISOR_SILENT, PAUSE, "the supervisor gave no sign of life") \
    X(LOG_FULL, RAMP, "the log has no room left")
