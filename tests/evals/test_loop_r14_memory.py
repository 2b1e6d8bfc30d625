"""R14: the loop allocates nothing once it ticks. A library in front of the C library counts, from the first wait on."""

from __future__ import annotations

import re
from pathlib import Path

from deployments import SLOWLY, deployment

from hybsim.runtime.build import build
from hybsim.runtime.processes import wait_for

COUNTER = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
static long waits, taken, taken_so_far;
void *malloc(size_t n) { taken += waits > 0; return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { taken += waits > 0; return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { taken += waits > 0; return __libc_realloc(p, n); }
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
    if (clock == CLOCK_MONOTONIC && flags == TIMER_ABSTIME) waits++, taken_so_far = taken;
    return (int)-syscall(SYS_clock_nanosleep, clock, flags, until, left);
}
static char where[4096];
__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("COUNTS");
    if (folder) snprintf(where, sizeof where, "%s/%d.count", folder, (int)getpid());
}
__attribute__((destructor)) static void end(void) {
    char text[64];
    int file = waits && where[0] ? open(where, O_CREAT | O_WRONLY, 0600) : -1, size;
    if (file < 0) return;
    size = snprintf(text, sizeof text, "%ld %ld", waits, taken_so_far);
    if (write(file, text, (size_t)size) != size) abort();
    close(file);
}
"""
"""Writes the waits, and the allocations from the first to the last of them, into the folder COUNTS."""

CONTROL = r"""
#include <stdlib.h>
#include <time.h>
void *volatile kept;
int main(void) {
    struct timespec begin = {0, 0};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &begin, 0);
    for (int i = 0; i < 3; i++) kept = malloc(10);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &begin, 0);
    kept = malloc(10);
    return 0;
}
"""


def counted(folder: Path, pid: int) -> tuple[int, int]:
    waits, taken = re.findall(r"\d+", (folder / f"{pid}.count").read_text())
    return int(waits), int(taken)


def test_R14_the_loop_allocates_nothing_while_it_ticks(tmp_path, monkeypatch):
    made = deployment("shm", text=SLOWLY)
    made.loop_executable(), made.rig_executable()
    with made.virtual_rig(tmp_path):
        with monkeypatch.context() as change:
            change.setenv("LD_PRELOAD", str(build(COUNTER, name="counter", checked=False)))
            change.setenv("COUNTS", str(tmp_path))
            test = made.supervisor(tmp_path, 60.0, rehearsal=True)
        with test:
            pid = test.region["loop_pid"]
            test.check_timing(0.05)
            test.ask("ARM")
            test.ask("START")
            assert wait_for(lambda: test.region["test_tick"] > 100, 20.0)
            test.ask("PAUSE")
            test.ask("END")
            test.watch()
            assert test.state == "FINISHED"
    waits, taken = counted(tmp_path, pid)
    assert waits > 100 and taken == 0


def test_the_counter_counts(tmp_path):
    import subprocess

    from hybsim.runtime.executable import LARGER, build_executable

    control = build_executable({"control": LARGER + CONTROL}, "control")
    counter = build(COUNTER, name="counter", checked=False)
    with subprocess.Popen([control], env={"LD_PRELOAD": str(counter), "COUNTS": str(tmp_path)}) as process:
        assert process.wait() == 0
    assert counted(tmp_path, process.pid) == (2, 3)
