"""The supervisor as a process of its own, to be killed: PYTHON supervised.py FOLDER ADDRESS SECONDS."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "support")]


def main(folder: str, address: str, seconds: str) -> None:
    from deployments import SLOWLY

    import hybsim as hs
    from hybsim.diagrams.virtual_rig import virtual_rig
    from hybsim.hw.rig_file import parse_rig
    from hybsim.runtime.deployment import Deployment

    rig = parse_rig(SLOWLY.format(driver="shm", address=address))
    made = Deployment(hs.compile(virtual_rig()).cut("rig"), rig)
    with made.supervisor(Path(folder), float(seconds), rehearsal=True) as test:
        test.check_timing(0.05)
        test.ask("ARM")
        test.ask("START")
        test.watch()


if __name__ == "__main__":
    main(*sys.argv[1:])
