import subprocess
import sys
from pathlib import Path

import pytest
from pick_route import find_places, steps_between, walk_length

EXAMPLES = Path(__file__).parent.parent
CASES = sorted((EXAMPLES / "pick_route_cases").glob("*.in"))
PLAN = ["P..", "##a", "b#."]


def run(text):
    return subprocess.run(
        [sys.executable, EXAMPLES / "pick_route.py"], input=text, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_cases(case):
    assert run(case.read_text()).stdout == case.with_suffix(".out").read_text()


def test_there_are_cases():
    assert len(CASES) >= 4


def test_steps_between():
    places = find_places(PLAN)
    assert steps_between(PLAN, places["P"], places["a"]) == 3
    assert steps_between(PLAN, places["P"], places["P"]) == 0
    assert steps_between(PLAN, places["P"], places["b"]) is None


def test_walk_length_goes_back_to_the_table():
    assert walk_length(PLAN, find_places(PLAN), "aa") == 6
    assert walk_length(PLAN, find_places(PLAN), "ab") is None


def test_a_plan_without_a_table_is_refused():
    done = run("...\n\na\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no packing table" in done.stderr
