"""What it costs to have a substructure in OpenSees: a step of the coupled run without the time inside OpenSees."""

from __future__ import annotations

import sys

from figures import Figure
from timing import spread

import hybsim as hs
from hybsim.diagrams.fht_frame import fht_frame
from hybsim.errors import RunError
from hybsim.hw.opensees_process import recorded
from hybsim.studies.fht.substructure import BUDGET, overhead


def opensees_figures(quick: bool) -> list[Figure]:
    program = hs.compile(fht_frame())
    overheads, insides = [], []
    try:
        for _ in range(3 if quick else 11):
            with recorded() as moments:
                program.run(5.0 if quick else 20.0)
            coupling, inside = overhead(moments)
            overheads.append(coupling * 1e3)
            insides.append(inside * 1e3)
    except RunError as error:
        print(f"The figures with OpenSees were left out: {error}", file=sys.stderr)
        return []
    return [
        Figure(
            "frame in OpenSees: what the coupling takes of a step",
            spread(overheads),
            unit="ms",
            aim=BUDGET * 1e3,
            measured={"coupling": spread(overheads), "inside OpenSees": spread(insides)},
        )
    ]
