"""A load for the selection benchmark: repeats the judge's search on the cores that are not used for timing.

    python -m scripts.selection_bench.judging PID

PID is its parent. After the parent ends, it stops when the current search does.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from afterburner.agent import Job, Search, open_session
from afterburner.sandbox.cores import divide_cores, keep_to

_EXAMPLE, _FUNCTION = Path(__file__).parents[2] / "examples" / "log_report.py", "page_of"
_ROUND_S = 20.0


def main() -> None:
    """Search again and again for inputs on which a function differs from itself."""
    parent = int(sys.argv[1])
    keep_to(divide_cores().beside() or divide_cores().watching)
    job = Job.from_file(str(_EXAMPLE), function=_FUNCTION)
    with open_session(store=None) as session:
        while os.getppid() == parent:
            session.verify(job, job, Search(max_seconds=_ROUND_S))


if __name__ == "__main__":
    main()
