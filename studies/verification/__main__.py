"""python -m hybsim.studies.verification [FILE.md]: measure everything and write the page."""

from __future__ import annotations

import sys
from pathlib import Path

from hybsim.studies.verification.report import write


def main(arguments: list[str]) -> int:
    path = Path(arguments[0] if arguments else "docs/verification.md")
    failures = write(path)
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"Wrote {path}: {len(failures)} number(s) out of tolerance.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
