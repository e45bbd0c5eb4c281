"""The benchmark of `compare`: both directions are planned evenly, and the table counts what was decided."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from scripts.selection_bench.book import Record, load
from scripts.selection_bench.comparisons import HEADS, false_answers, plan_pairs, rows
from scripts.selection_bench.plan import FUNCTIONS

ROOT = Path(__file__).parents[3]


def record(ratio: float, decision: str, truth: str) -> Record:
    return {"ratio": ratio, "decision": decision, "truth": truth, "blocks": 8}


def test_gains_and_losses_are_tried_as_often() -> None:
    pairs = plan_pairs(FUNCTIONS[:3], 30, 6)
    assert Counter(pair.truth.value for pair in pairs) == {"same": 30, "faster": 12, "slower": 12}
    assert len({pair.key for pair in pairs}) == len(pairs)


def test_no_answer_is_not_wrong_and_any_other_is_counted_with_its_bound() -> None:
    records = [record(1.0, "same", "same")] * 8 + [record(1.0, "too_noisy", "same")]
    assert false_answers(records) == 0
    assert false_answers([*records, record(1.0, "slower", "same")]) == 1
    head, row, lost = rows([*records, record(1 / 1.1, "faster", "slower")])
    assert head == HEADS
    assert row == ("identical code", "9", "0", "0", "8", "1", "0, at most 28.3%", "8, at least 57.1%", "8")
    assert lost[0] == "AFTER does 10% more"
    assert lost[6].startswith("1, at most 100")


def test_trials_by_the_whole_command_are_told_apart_from_those_of_the_timing_decision() -> None:
    keys = [{pair.key for pair in plan_pairs(FUNCTIONS[:3], 30, 6, whole=whole)} for whole in (False, True)]
    assert not keys[0] & keys[1]
    timed = record(1.0, "same", "same")
    different = timed | {"whole": True, "decision": "different"}
    _, first, second = rows([timed, different])
    assert (first[0], second[0]) == ("identical code", "identical code, by the whole command")
    assert first[6].startswith("0, ")
    assert second[6].startswith("1, ")


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("whole", [False, True])
def test_a_run_writes_its_book_and_shows_it(tmp_path: Path, whole: bool) -> None:
    place = tmp_path / "book.json"
    command = [sys.executable, "-m", "scripts.bench_compare", "--functions", "50us", "--trials", "1", "--changes", "1"]
    command += ["--whole"] * whole
    done = subprocess.run([*command, "--json", str(place)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert len(load(place).trials) == 5
    assert "AFTER does 20% more" in done.stdout
