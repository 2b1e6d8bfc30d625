"""Time per step: emitted programs against hand-written C, bdsim and PathSim.

Both loops fill the same number of rows of the same width, into memory that is there already. What a
caller of `program.run` waits for beyond that (parameters, new memory, the look for nan and inf, the
result) is in the figures against bdsim and PathSim. All of it happens in one thread: its own time counts.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import delayed_bouc_wen
import fig_3_5
import numpy as np
from figures import Figure
from timing import by_turns, duration, own_time, ratio, spread

import hybsim as hs
from hybsim.kernel import KernelBlock

SEEDS = 10

NOTHING: Mapping[str, Any] = {}


def emitted_loop(program: hs.Program, rows: np.ndarray, params: Mapping[str, Any] = NOTHING) -> Callable[[], None]:
    """A call of the emitted loop itself, from the beginning of a run."""
    run = program.engine_c.library.hs_run
    run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 2 + [ctypes.c_void_p] * 2
    run.restype = ctypes.c_int64
    p, start = program.vectors(params)
    x, stopped = start.copy(), ctypes.c_int64(0)
    arguments = (p.ctypes.data, x.ctypes.data, 0, len(rows), rows.ctypes.data, ctypes.addressof(stopped))

    def call(memory: Any = (p, rows, stopped)) -> None:  # whose addresses are used must stay
        np.copyto(x, start)
        run(*arguments)

    return call


def checked_loop(program: hs.Program, rows: np.ndarray, params: Mapping[str, Any] = NOTHING) -> Callable[[], None]:
    """The same with the look for nan and inf."""
    p, start = program.vectors(params)
    x = start.copy()

    def call() -> None:
        np.copyto(x, start)
        program.engine_c.run(p, x, rows)

    return call


def repeated(times: int, work: Callable[[], object]) -> Callable[[], None]:
    return one_after_the_other([work] * times)


def one_after_the_other(pieces: Sequence[Callable[[], object]]) -> Callable[[], None]:
    def call() -> None:
        for piece in pieces:
            piece()

    return call


def compare(program: hs.Program, emitted: np.ndarray, hand_written: np.ndarray) -> None:
    if not np.array_equal(emitted.view(np.int64), hand_written.view(np.int64)):
        raise AssertionError(f"the hand-written loop of {program.graph.name} gives other bits")


def fig_3_5_times(program: hs.Program, specimen: str, rounds: int) -> dict[str, list[float]]:
    """Seconds of one run each, the rows compared bit by bit first.

    A round takes SEEDS runs, each with other noise: one run over and over, and the processor would learn to
    foresee the random numbers, as it cannot in a study.
    """
    ticks = program.ticks(fig_3_5.DURATION, {})
    ours, theirs = (np.zeros((ticks, fig_3_5.SIGNALS)) for _ in range(2))
    emitted, checked, by_hand = [], [], []
    for seed in range(SEEDS):
        loop = fig_3_5.hand_written_loop(program, specimen, seed=seed)
        emitted.append(emitted_loop(program, ours, {"noise.seed": seed}))
        checked.append(checked_loop(program, ours, {"noise.seed": seed}))
        by_hand.append(partial(loop, theirs))
        emitted[-1]()
        by_hand[-1]()
        compare(program, ours, theirs)
    times = by_turns(
        rounds,
        own_time,
        emitted=one_after_the_other(emitted),
        hand_written=one_after_the_other(by_hand),
        checked=one_after_the_other(checked),
    )
    return {name: [t / SEEDS for t in samples] for name, samples in times.items()}


def fig_3_5_figures(quick: bool) -> list[Figure]:
    figures = []
    for specimen in fig_3_5.SPECIMENS:
        program = hs.compile(fig_3_5.diagram(specimen))
        ticks = program.ticks(fig_3_5.DURATION, {})
        times = fig_3_5_times(program, specimen, 60 if quick else 400)
        measured = {name: spread(samples) for name, samples in times.items()}
        figures += [
            Figure(
                f"Fig. 3-5 ({specimen}): time per step against hand-written C",
                ratio(times["emitted"], times["hand_written"]),
                aim=1.15,
                measured=measured,
            ),
            Figure(
                f"Fig. 3-5 ({specimen}): with the look for nan and inf",
                ratio(times["checked"], times["hand_written"]),
            ),
            Figure(
                f"Fig. 3-5 ({specimen}): one step",
                spread([t / ticks * 1e9 for t in times["emitted"]]),
                unit="ns",
            ),
        ]
    return figures


def bdsim_run(bd: Any) -> Callable[[], object]:
    """bdsim's own run of a diagram, with all outputs logged as in a result."""
    with contextlib.redirect_stdout(io.StringIO()):  # it lists outputs that are not connected
        bd.compile()
    watch = [block[port] for block in bd.blocklist for port in range(block.nout)]
    return lambda: bd.runtime.run(bd, T=fig_3_5.DURATION, watch=watch)


def idle(bd: Any) -> Any:
    """The same diagram with our blocks doing nothing: what is left of a run is bdsim itself."""
    for block in bd.blocklist:
        if isinstance(block, KernelBlock):
            block.output = lambda t, inputs, x, count=block.nout: [0.0] * count
            block.next = lambda t, inputs, x: x
    return bd


def bdsim_figures(quick: bool) -> list[Figure]:
    program = hs.compile(fig_3_5.diagram("linear"))
    runs = [partial(program.run, fig_3_5.DURATION, engine="c", params={"noise.seed": seed}) for seed in range(100)]
    times = by_turns(
        2 if quick else 5,
        own_time,
        bdsim=bdsim_run(fig_3_5.diagram("linear")),
        idle=bdsim_run(idle(fig_3_5.diagram("linear"))),
        hybsim=one_after_the_other(runs),
    )
    ours = [t / len(runs) for t in times["hybsim"]]
    return [
        Figure(
            "Fig. 3-5: program.run against bdsim's clocked engine",
            ratio(times["bdsim"], ours),
            aim=2000.0,
            at_least=True,
            measured={
                "bdsim": spread(times["bdsim"]),
                "bdsim, idle blocks": spread(times["idle"]),
                "hybsim": spread(ours),
            },
        ),
        Figure("Fig. 3-5: program.run against bdsim with blocks that do nothing", ratio(times["idle"], ours)),
    ]


def bouc_wen_figures(quick: bool) -> list[Figure]:
    oscillator, length = delayed_bouc_wen.Oscillator(), 4.0 if quick else delayed_bouc_wen.DURATION
    program = hs.compile(delayed_bouc_wen.diagram(oscillator), solver="rk4")
    loop = delayed_bouc_wen.hand_written_loop(oscillator)
    ticks = program.ticks(length, {})
    rows, theirs = (np.zeros((ticks, loop.columns)) for _ in range(2))
    emitted, whole = emitted_loop(program, rows), lambda: program.run(length, engine="c")
    emitted()
    loop(theirs)
    compare(program, rows, theirs)
    pathsim, emitted_times, hand_times, whole_times = [], [], [], []
    for _ in range(1 if quick else 3):
        simulation, scope = delayed_bouc_wen.pathsim(oscillator)
        pathsim.append(duration(lambda simulation=simulation: simulation.run(length), own_time))
        times = by_turns(20 if quick else 40, own_time, emitted=emitted, hand=lambda: loop(theirs), whole=whole)
        emitted_times += times["emitted"]
        hand_times += times["hand"]
        whole_times += times["whole"]
    _, (disp, _) = scope.read()
    np.testing.assert_allclose(disp, program.run(length)["disp"], rtol=0, atol=1e-9)
    reference = spread(pathsim).median
    measured = {
        "pathsim": spread(pathsim),
        "emitted": spread(emitted_times),
        "hand_written": spread(hand_times),
        "program.run": spread(whole_times),
    }
    return [
        Figure(
            "delayed Bouc-Wen, RK4: speed-up over PathSim, share of hand-written C's",
            ratio(hand_times, emitted_times),
            aim=0.85,
            at_least=True,
            measured=measured,
        ),
        Figure("delayed Bouc-Wen: speed-up of the emitted loop", spread([reference / t for t in emitted_times])),
        Figure("delayed Bouc-Wen: speed-up of the hand-written loop", spread([reference / t for t in hand_times])),
        Figure("delayed Bouc-Wen: speed-up of program.run", spread([reference / t for t in whole_times])),
    ]
