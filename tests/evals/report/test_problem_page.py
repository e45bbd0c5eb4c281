"""The page of a problem: its ranks are those that the scores of the report are made of."""

from __future__ import annotations

import re
from statistics import mean
from typing import TYPE_CHECKING

import pytest

from afterburner.evals.report.measures import BEYOND_I, BEYOND_M, BEYOND_T
from afterburner.evals.report.problem_page import problem_page
from afterburner.evals.report.run_scores import scores_of
from afterburner.evals.report.runs import load_runs
from afterburner.evals.tables import file_key, read_rows, write_rows

from .run_folders import RunPlan

if TYPE_CHECKING:
    from pathlib import Path

RANKS = {BEYOND_T: 6, BEYOND_M: 8, BEYOND_I: 10}  # the columns


def ranks_on(page: str) -> list[list[list[str]]]:
    """The cells of the table of each generation, iteration by iteration."""
    tables = re.findall(r'<table class="scores">(.*?)</table>', page, re.DOTALL)
    rows = [re.findall(r"<tr>(.*?)</tr>", each, re.DOTALL)[1:] for each in tables]
    return [[re.findall(r"<td>(.*?)</td>", row, re.DOTALL) for row in each] for each in rows]


@pytest.mark.parametrize(
    ("reasoning", "answer", "title"),
    [
        ("Less work.", "<solution>x</solution>", "The answer without its reasoning"),
        ("Less work.", "<thinking>\nLess work.\n</thinking><solution>x</solution>", "The whole answer"),
        ("", "<solution>x</solution>", "The whole answer"),
    ],
)
def test_an_answer_is_called_whole_only_with_its_reasoning(
    tmp_path: Path, reasoning: str, answer: str, title: str
) -> None:
    stored = {(0, iteration): {"reasoning": reasoning, "answer": answer} for iteration in range(6)}
    (run,), _ = load_runs([RunPlan(problems=3, answers=stored, has_private=False).write(tmp_path / "run")])
    page = problem_page("problem 0", [(run, run.public.problems[0])], "../index.html")
    titles = set(re.findall(r"<summary>(The (?:whole )?answer[^<]*)</summary>", page))
    assert titles == {title}
    assert ("<summary>Reasoning</summary>" in page) is bool(reasoning)


def test_the_mean_of_the_ranks_on_the_pages_is_beyond(tmp_path: Path) -> None:
    """Of repeats on both sides of a known solution, of a known solution's own text, and of code that fails."""
    folder = RunPlan(repeats=4, has_private=False).write(tmp_path / "run")
    key = file_key("problem 0")
    measured = read_rows(folder, "measurements", key)
    last = [row for row in read_rows(folder, "best", key) if row["generation"] == 0][-1]["code_id"]
    for row in measured:
        if row["code_id"] == last:  # two of four repeats are faster than all known solutions, two slower
            row["wall_time_s"] = 0.1 if row["repeat"] < 2 else 9.0
    write_rows(folder, "measurements", key, measured)
    key = file_key("problem 1")
    known = read_rows(folder, "references", key)
    known[3]["code_id"] = [row for row in read_rows(folder, "best", key) if row["generation"] == 1][-1]["code_id"]
    write_rows(folder, "references", key, known)
    (run,), _ = load_runs([folder])
    scores = scores_of(run)
    ranked = [each for each in run.public.problems if each.id != "problem 4"]  # which has no known solutions
    pages = {each.id: problem_page(each.id, [(run, each)], "../index.html") for each in run.public.problems}
    found = {each.id: ranks_on(pages[each.id]) for each in ranked}
    for measure, column in RANKS.items():
        for iteration in range(6):
            of_problems = [mean(float(one[iteration][column]) for one in found[each.id]) for each in ranked]
            beyond = scores.public.curves[measure][iteration].value
            assert mean(of_problems) == pytest.approx(beyond, abs=0.006), (measure, iteration)
    assert found["problem 0"][0][5][6] == "50.00", "not the rank of the median, which is slower than some"
    assert found["problem 1"][1][5][6] == "62.50", "five of the eight are no faster than the fourth"
    assert found["problem 5"][0][5][6] == "0.00", "it fails"
    assert "Rank, %: what Beyond counts" in pages["problem 0"]
    assert [one[5][6] for one in ranks_on(pages["problem 4"])] == ["", ""]
    assert "Rank, %: what Beyond counts" not in pages["problem 4"]
