"""The scores that benchmarks have of their own: ENAMEL's eff@1, whose levels may run out, and Mercury's Beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from afterburner.evals.commands.report import cautions_of
from afterburner.evals.report.captions import few_caution
from afterburner.evals.report.measures import MEASURES
from afterburner.evals.report.own_scores_table import own_scores_table
from afterburner.evals.report.run_scores import scores_of
from afterburner.evals.report.runs import load_runs
from afterburner.evals.report.strict_table import strict_table
from afterburner.evals.tables import file_key, read_rows, write_rows

from .run_folders import RunPlan

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["level 0, case 0", *(f"level {level}, case {case}" for level in (1, 2, 3) for case in (0, 1))]
REFERENCE = [0.1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.5]  # T = 2 * 0.5 = 1


def eff_at_1(folder: Path, *repeats: tuple[str, list[float]]) -> float | None:
    """The score of one code on one problem, of these verdicts with the times of the cases that were made."""
    RunPlan(dataset="enamel", problems=0).write(folder)
    key, figures = file_key("one"), {"wall_time_s": 1.0, "cpu_time_s": 1.0, "peak_memory_kib": 1.0}

    def write(table: str, *rows: dict[str, Any]) -> None:
        write_rows(folder, table, key, [{"problem_id": "one", **row} for row in rows])

    about = {"dataset": "enamel", "difficulty": "", "language": "python", "public_cases": 7, "private_cases": 0}
    write("problems", {**about, "case_names": NAMES, "reason": "", **drifts()})
    write("references", {"code_id": "reference", "tests": "public", "is_anchor": False, **figures})
    write("best", {"generation": 0, "iteration": 0, "code_id": "code", "passed": True})
    runs = [("reference", "accepted", REFERENCE), *(("code", *each) for each in repeats)]
    measured = [
        {
            "code_id": code,
            "tests": "public",
            "repeat": 0,
            "verdict": verdict,
            "detail": "" if verdict == "accepted" else f"case {len(times)}: {verdict}",
            "case_wall_times_s": times,
            **figures,
        }
        for code, verdict, times in runs
    ]
    write("measurements", *measured)
    write(
        "verdicts", *({"rule": "strict", **{k: row[k] for k in ("code_id", "verdict", "detail")}} for row in measured)
    )
    table = own_scores_table([scores_of(each) for each in load_runs([folder])[0]])
    assert table is not None
    score = table.rows[0][1].score
    return score.value if score is not None else None


def drifts() -> dict[str, float]:
    return {f"{side}drift{kind}": float("nan") for side in ("", "private_") for kind in ("", "_memory", "_integral")}


@pytest.mark.parametrize(
    ("repeats", "score"),
    [
        ([("accepted", REFERENCE)], 100.0),
        # Level 1: (1 - 0.6) / (1 - 0.2) = 1/2; level 2 as the reference; level 3: (1 - 0.8) / (1 - 0.5) = 2/5.
        ([("accepted", [0.1, 0.6, 0.1, 0.3, 0.4, 0.8, 0.7])] * 2, 10 * (3 / 2 + 3 + 4 * 2 / 5)),
        ([("time_limit", [0.1, 0.6, 0.1, 0.3, 0.4, 0.8, 20.0])], 10 * (3 / 2 + 3)),
        ([("memory_limit", [0.1, 0.6, 0.1, 0.3])], 10 * (3 / 2)),
        ([("accepted", REFERENCE), ("time_limit", [0.1, 0.1, 0.2, 0.3, 20.0])], 30.0),
        ([("time_limit", [20.0])], 0.0),
        ([("wrong_answer", [0.1, 0.6, 0.1, 0.3, 0.4, 0.8, 0.7])], 0.0),
        ([], 0.0),
    ],
)
def test_a_level_that_runs_out_ends_the_levels_and_is_no_failure(
    tmp_path: Path, repeats: list[tuple[str, list[float]]], score: float
) -> None:
    assert eff_at_1(tmp_path / "run", *repeats) == pytest.approx(score)


@pytest.mark.parametrize(
    ("verdict", "made", "passes"), [("time_limit", 7, True), ("time_limit", 1, False), ("wrong_answer", 7, False)]
)
def test_a_code_that_runs_out_at_a_later_level_passes_and_ranks_last(
    tmp_path: Path, verdict: str, made: int, passes: bool
) -> None:
    """It is no less than a pass, no more than the slowest, and our strict rule has nothing against it."""
    eff_at_1(tmp_path / "run", (verdict, REFERENCE[:made]))
    (run,), _ = load_runs([tmp_path / "run"])
    (problem,) = run.public.problems
    assert bool(problem.passed[0, 0]) is passes
    scores = scores_of(run)
    assert scores.public.unranked == 0
    assert [scores.public.curves[each][0].value for each in MEASURES[:3]] == [100.0 * passes, 0, 0]
    table = strict_table([scores])
    assert table is not None
    assert [cell.text for cell in table.rows[0][1:]] == ([*"1100", ""] if passes else [*"0000", ""])


def mercury_run(folder: Path, *known: int, equal: frozenset[int] = frozenset()) -> Path:
    """A run of one problem each, with so many known solutions; those of `equal` problems took the same time."""
    RunPlan(dataset="mercury", problems=len(known) + 2, has_private=False).write(folder)
    for number in (len(known), len(known) + 1):  # one without known solutions, one that never passes
        for table in ("problems", "references", "best", "measurements"):
            (folder / table / f"{file_key(f'problem {number}')}.parquet").unlink(missing_ok=True)
    for number, kept in enumerate(known):
        key = file_key(f"problem {number}")
        rows = read_rows(folder, "references", key)[:kept]
        if number in equal:
            rows = [{**row, "wall_time_s": 0.5} for row in rows]
        write_rows(folder, "references", key, rows)
    return folder


def test_mercurys_beyond_leaves_problems_without_a_range_out_and_says_so(tmp_path: Path) -> None:
    """The score is that of the two problems with a range; the others are counted by their kind."""
    both, all_five = (
        mercury_run(tmp_path / "both", 8, 8),
        mercury_run(tmp_path / "five", 8, 8, 1, 0, 3, equal=frozenset({4})),
    )
    scores = [scores_of(run) for run in load_runs([both, all_five])[0]]
    table = own_scores_table(scores)
    assert table is not None
    first, second = (row[1].score for row in table.rows)
    assert first is not None
    assert first == second
    (caution,) = table.cautions
    assert "leaves 3 of 5 problems out" in caution
    assert caution.endswith("There are: none in 1, one in 1, several of equal times in 1.")
    assert table.to_document()["cautions"] == [caution]
    assert cautions_of(scores[1]) == [few_caution(scores[1]), caution]
    assert cautions_of(scores[0]) == [few_caution(scores[0])]


def test_mercurys_beyond_of_nothing_is_none_and_no_0(tmp_path: Path) -> None:
    runs, _ = load_runs([mercury_run(tmp_path / "run", 1)])
    table = own_scores_table([scores_of(each) for each in runs])
    assert table is not None
    (row,) = table.rows
    assert row[1].ours == "none"
    assert "two known solutions" in row[1].missing
