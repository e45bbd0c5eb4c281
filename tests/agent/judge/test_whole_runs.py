"""The file's own `__main__` and the project's tests, run whole with a rewrite in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from loops import open_bench

from afterburner.agent.judge.whole_runs import WholeRunDifference, difference_of_whole_runs
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.sandbox.sandbox import Sandbox

    Judged = Callable[[str, str], WholeRunDifference | None]

LOOK_UP = """\
import logging
import random
import sys
import time
import warnings

log = logging.getLogger(__name__)


def known(names, wanted):
    log.info("%d wanted", len(wanted))
    return [name for name in wanted if name in names]
"""
BY_SET = """\
import logging
import random
import sys
import time
import warnings

log = logging.getLogger(__name__)


def known(names, wanted):
    log.info("%d wanted", len(wanted))
    held = set(names)

    return [name for name in wanted if name in held]
"""
SIZES = "    for size in (3, 40, 500, 600):\n        print(len(known(list(range(size)), list(range(0, size, 2)))))\n"
MAIN = f"\n\nif __name__ == '__main__':\n{SIZES}"


@pytest.fixture
def judged(tmp_path: Path, sandbox: Sandbox) -> Judged:
    """What whole runs say of a rewrite of `known`."""

    def judge(before: str, after: str) -> WholeRunDifference | None:
        path = tmp_path / "looking.py"
        path.write_text(before, encoding="utf-8")
        bench = open_bench(RunSettings(file=str(path), function="known"), sandbox)
        return difference_of_whole_runs(bench, after)

    return judge


@pytest.mark.parametrize(
    "shown",
    [
        "    begun = time.perf_counter()\n{sizes}    print(f'took {{time.perf_counter() - begun:.6f} s')\n",
        "    print(random.random(), {'set', 'of', 'texts'})\n{sizes}",
        "    warnings.warn('soon to go')\n{sizes}    print(sys.argv[1:], 'done', file=sys.stderr)\n",
        "    logging.basicConfig(format='%(asctime)s %(lineno)d %(message)s', level=0)\n{sizes}",
        "{sizes}    sys.exit('not so good')\n",
    ],
    ids=["time", "chance", "warnings", "log", "exit"],
)
def test_what_differs_from_run_to_run_is_not_held_against_a_rewrite(judged: Judged, shown: str) -> None:
    main = "\n\nif __name__ == '__main__':\n" + shown.replace("{{", "{").replace("{sizes}", SIZES)
    assert judged(LOOK_UP + main, BY_SET + main) is None


@pytest.mark.parametrize(
    ("main", "old", "new", "reason"),
    [
        (SIZES, "in held]", "in held][:200]", "line 3 of stdout is '200' instead of '250'"),
        (
            f"    logging.basicConfig(level=0)\n{SIZES}",
            '    log.info("%d wanted", len(wanted))\n',
            "",
            "0 lines on stderr instead of 4",
        ),
        (
            f"{SIZES}    sys.exit(len(known([1], [1])))\n",
            "in held]",
            "in held][1:]",
            "exit code 0",
        ),
    ],
)
def test_another_output_of_the_program_is_a_difference(
    judged: Judged, main: str, old: str, new: str, reason: str
) -> None:
    main = f"\n\nif __name__ == '__main__':\n{main}"
    found = judged(LOOK_UP + main, BY_SET.replace(old, new) + main)
    assert found is not None
    assert found.decision is Decision.WRONG
    assert reason in found.reason


def test_a_test_that_the_rewrite_breaks_is_named_and_one_that_failed_before_is_not(
    judged: Judged, tmp_path: Path
) -> None:
    (tmp_path / "test_looking.py").write_text(
        "from looking import known\n\n\ndef test_none():\n    assert known([], [[]]) == []\n\n\n"
        "def test_red():\n    assert known([1], [1]) == []\n",
        encoding="utf-8",
    )
    found = judged(LOOK_UP + MAIN, BY_SET + MAIN)
    assert found == WholeRunDifference(Decision.WRONG, "test_looking.py::test_none passed before, and fails with it")
    right = BY_SET.replace("set(names)", "names[:]")
    assert judged(LOOK_UP + MAIN, right + MAIN) is None


def test_work_that_the_program_does_not_need_is_no_gain(judged: Judged) -> None:
    """It takes one item of what the function yields."""
    lazy = LOOK_UP.replace("return [name for name in wanted if name in names]", "yield from map(abs, wanted)")
    eager = lazy.replace(
        "yield from map(abs, wanted)", "return iter([abs(n) ** 3 % 7 and n for n in wanted for _ in 'ab'][::2])"
    )
    main = "\n\nif __name__ == '__main__':\n" + SIZES.replace(
        "len(known(list(range(size)), list(range(0, size, 2))))", "next(known([], range(size * 800)))"
    )
    found = judged(lazy + main, eager + main)
    assert found is not None
    assert found.decision is Decision.NOT_BETTER
    assert "of CPU time with it" in found.reason
