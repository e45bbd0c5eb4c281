"""What `eval report --compare` says of two runs that cannot be compared as they are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import UsageError
from afterburner.evals.commands.report import report
from afterburner.evals.metrics.gains import CommonGain
from afterburner.evals.metrics.intervals import Interval
from afterburner.evals.report import paired_table as paired_module
from afterburner.evals.report.main_table import main_table
from afterburner.evals.report.paired_table import comparisons, paired_table
from afterburner.evals.report.run_scores import scores_of
from afterburner.evals.report.runs import load_runs
from afterburner.evals.report.table_html import table_html
from afterburner.evals.report.table_markdown import table_markdown

from .run_folders import RunPlan

if TYPE_CHECKING:
    from pathlib import Path


def compared(tmp_path: Path, *plans: RunPlan) -> list[str]:
    runs, _ = load_runs([plan.write(tmp_path / plan.name) for plan in plans])
    return list(comparisons([scores_of(run) for run in runs]))


def ratio_of(lines: list[str], of: str) -> float:
    (line,) = [each for each in lines if f": {of}: ratio " in each]
    return float(line.split(": ratio ")[1].split("x")[0])


def test_a_slower_machine_is_told_and_its_factor_taken_out(tmp_path: Path) -> None:
    """The same code, measured while the machine was three times as slow: no slower code."""
    before, after = (RunPlan(name, problems=16, slowness=slow) for name, slow in (("a", 1.0), ("b", 3.0)))
    lines = compared(tmp_path, before, after)
    assert 2.7 < ratio_of(lines, "wall time") < 3.3
    assert 0.9 < ratio_of(lines, "wall time, scaled") < 1.1
    (caution,) = [each for each in lines if each.startswith("caution: ")]
    assert "The same known solutions took 3.00 times as long in b as in a (the median over 15 problems)" in caution
    assert "slower or busier" in caution
    assert ": b is slower" in next(each for each in lines if ": wall time: " in each)
    assert ": b is slower" not in next(each for each in lines if ": wall time, scaled: " in each)
    few = compared(tmp_path / "few", replace(before, problems=4), replace(after, problems=4))
    assert ": too few problems to tell" in next(each for each in few if ": wall time: " in each)
    assert lines.index(caution) == 0, "it stands before what it speaks against"
    back = compared(tmp_path / "back", after, before)
    assert ": a is faster" in next(each for each in back if ": wall time: " in each)
    assert any("took 0.33 times as long in a as in b" in each and "faster or less busy" in each for each in back)


def test_what_speaks_against_a_table_stands_above_its_rows(tmp_path: Path) -> None:
    plans = [RunPlan(name, problems=4, slowness=slow, drift=1.5) for name, slow in (("a", 1.0), ("b", 3.0))]
    runs, _ = load_runs([plan.write(tmp_path / plan.name) for plan in plans])
    scores = [scores_of(run) for run in runs]
    for table, said in (
        (paired_table(scores), "took 3.00 times as long in b"),
        (main_table(scores), "In a the known solutions of 4 of 4 problems took 1.50 times as long as stored."),
    ):
        page, text = table_html(table, "all"), table_markdown(table)
        assert 0 < page.index("<li>Caution: ") < page.index("<table")
        assert 0 < text.index("**Caution:**") < text.index("| --- |")
        assert any(said in each for each in table.cautions)
        assert table.to_document()["cautions"] == list(table.cautions)
        assert all(line in text for line in table.caption if "Parentheses hold" in line), "no note is cut"


def test_two_runs_on_an_equal_machine_are_compared_without_a_word(tmp_path: Path) -> None:
    lines = compared(tmp_path, *(RunPlan(name, problems=4, slowness=slow) for name, slow in (("a", 1.0), ("b", 1.02))))
    assert not [each for each in lines if "caution" in each or "scaled" in each]


def test_without_a_shared_known_solution_and_with_other_settings_a_reader_is_told(tmp_path: Path) -> None:
    other = {"start": "slow", "objective": "time", "case_seconds": 5.0}
    lines = compared(tmp_path, RunPlan("a", problems=3), RunPlan("b", problems=3, iterations=4, settings=other))
    cautions = [each for each in lines if each.startswith("caution: ")]
    assert cautions[0] == (
        "caution: a and b have different settings: start (none, slow), iterations (5, 4), objective (integral, time), "
        "case_seconds (not given, 5.0)."
    )
    assert re.search("No known solution was measured in both a and b", cautions[1])


def test_that_two_files_of_one_name_differ_is_told(tmp_path: Path) -> None:
    """Their problems may have the same ids and other cases."""

    def cautions(*hashes: str) -> list[str]:
        plans = [
            RunPlan(name, "rules", "sums", {"dataset": f"/{name}/sums.jsonl"}, 3, slowness=1.0, about=about)
            for name, about in zip("ab", [{"dataset_sha256": each * 64} for each in hashes], strict=True)
        ]
        lines = compared(tmp_path / "".join(("runs", *hashes)), *plans)
        return [each for each in lines if each.startswith("caution: ")]

    (told,) = cautions("1", "2")
    assert told == (
        f"caution: a and b are of different data (sums.jsonl, SHA-256 {'1' * 12}…; sums.jsonl, SHA-256 {'2' * 12}…). "
        "A problem that both have may have other cases in each, so differences and ratios may be those of the data."
    )
    assert not cautions("1", "1")
    assert not cautions("1", ""), "of what has no hash, nothing is known"


def test_no_run_is_called_faster_where_nothing_tells_how_fast_the_machines_were(tmp_path: Path) -> None:
    slow, quick = RunPlan("a", problems=16), RunPlan("b", problems=16, skill=9.0)
    lines = compared(tmp_path, slow, quick)
    told = {each.split(": ")[1]: each for each in lines if ": ratio " in each}
    for of in ("wall time", "memory integral"):
        assert "this may be the machine's doing, so no run is called faster" in told[of]
    assert "b is faster" not in "".join(told.values())
    assert "no difference shown" in told["peak memory"], "memory depends on no machine's speed"


@pytest.mark.parametrize(
    ("interval", "shown", "finding"),
    [
        ((1.010, 1.0003, 1.0244), "1.0100x (1.0003, 1.0244)", "a difference too small to matter (below 5%)"),
        ((0.980, 0.9600, 0.99996), "0.98000x (0.96000, 0.99996)", "a difference too small to matter (below 5%)"),
        ((1.200, 1.0200, 1.4000), "1.200x (1.020, 1.400)", "a difference that may be too small to matter (below 5%)"),
        ((0.800, 0.7000, 0.9600), "0.800x (0.700, 0.960)", "a difference that may be too small to matter (below 5%)"),
        ((1.200, 1.0600, 1.4000), "1.200x (1.060, 1.400)", "b is slower"),
        ((0.800, 0.7000, 0.9500), "0.800x (0.700, 0.950)", "b is faster"),
        ((1.010, 0.9999, 1.0200), "1.010x (1.000, 1.020)", "no difference shown"),
    ],
)
def test_a_run_is_called_faster_only_by_as_much_as_the_product_asks_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    interval: tuple[float, float, float],
    shown: str,
    finding: str,
) -> None:
    """An interval that excludes 1 is not written as if it held it."""
    ratio = Interval(*interval, 6)
    gain = CommonGain(6, 6, 1.0, interval[0], ratio, ratio)
    monkeypatch.setattr(paired_module, "gain_between_runs", lambda *_, **__: gain)
    lines = compared(tmp_path, *(RunPlan(name, problems=3, slowness=1.0) for name in ("a", "b")))
    (line,) = [each for each in lines if ": wall time: " in each]
    assert line == f"a -> b: wall time: ratio {shown}: {finding} (6 problems)"


def test_a_score_that_nothing_can_be_ranked_for_says_why(tmp_path: Path) -> None:
    lines = compared(tmp_path, RunPlan("a", problems=1), RunPlan("b", problems=1))

    assert not any("none points" in each for each in lines)
    [told] = [each for each in lines if ": Beyond-T: " in each]
    assert "nothing to rank" in told or "points, p" in told, told


def test_a_run_is_not_compared_with_itself(tmp_path: Path) -> None:
    folder = RunPlan("a", problems=4).write(tmp_path / "a")
    with pytest.raises(UsageError, match=r"a is given twice: name each run once\."):
        report([folder, tmp_path / "b" / ".." / "a"], out=tmp_path / "report", compare=True)
