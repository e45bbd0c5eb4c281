"""What a report says, in Markdown and as data, and what the command says where there is nothing to report."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from afterburner.evals.commands.report import PaperDataset, scores_line
from afterburner.evals.commands.report import report as report_command
from afterburner.evals.errors import EvaluationError
from afterburner.evals.report.content import content_of
from afterburner.evals.report.coverage_table import coverage_table, table_of
from afterburner.evals.report.index_page import index_page
from afterburner.evals.report.markdown_report import markdown_report
from afterburner.evals.report.run_scores import scores_of
from afterburner.evals.report.runs import load_runs
from afterburner.evals.report.table_markdown import plain, table_markdown
from afterburner.evals.report.writing import write_report
from afterburner.evals.run_notes import Answers

from .conftest import GRPO, HOSTILE, Report
from .run_folders import RunPlan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine


def cells(row: str) -> list[str]:
    return [each.strip() for each in row.strip().strip("|").split("|")]


def row_of(section: str, *heads: str) -> list[str]:
    """The cells of the row that begins with these."""
    rows = [cells(line) for line in section.splitlines() if line.startswith("|")]
    (found,) = (row for row in rows if row[: len(heads)] == list(heads))
    return found


def markdown_of(folders: list[Path], held_against: str = "") -> str:
    """The report without its pictures and pages, which take most of the time."""
    return markdown_report(content_of(*load_runs(folders, held_against)), ())


def test_table_1_holds_scores_with_intervals_and_the_papers_beside_the_same_cells(report: Report) -> None:
    section = report.section("Table 1: models side by side")
    last = row_of(section, "trained", GRPO, "10")
    assert re.fullmatch(r"83\.33 \([\d.]+, [\d.]+\); \*paper: 61\.67\*", last[3])
    assert last[6].endswith("; *paper: 38.95 (38.89, 39.17)*")
    assert "paper" not in " ".join(row_of(section, "trained", GRPO, "0")), "the paper has no first code of this model"
    vanilla = row_of(section, "vanilla", "openai/Qwen/Qwen2.5-3B-Instruct", "0")
    assert vanilla[4].endswith("*paper: 12.40 (12.35, 12.45)*")
    assert "paper" not in " ".join(row_of(section, "without feedback", GRPO, "5"))
    for said in (
        "wall time",
        "public tests",
        "95% intervals",
        "1 of them without references",
        "Measured on: A processor",
    ):
        assert said in section, said


def test_ablations_show_what_is_lost_and_how_to_get_what_is_missing(report: Report) -> None:
    section = report.section("Table 2: ablations")
    less = row_of(section, GRPO, "no feedback", "without feedback", "4")
    assert re.match(r"[\d.]+ \[-[\d.]+\] \(", less[5])
    assert less[5].endswith("*paper: 34.15 [-6.66]*")
    assert row_of(section, GRPO, "no original code", "", "4")[4:] == ["none (1)"] * 4
    assert "(1) No run of this kind: afterburner-agent eval run … --tell no-original" in section
    assert row_of(section, GRPO, "no feedback", "without feedback", "10")[4:] == ["none (2)"] * 4


def test_the_other_tables_are_filled_or_say_what_is_missing(report: Report) -> None:
    shares = row_of(report.section("Table 3: against known solutions"), "trained", "10")
    assert [float(each.split(";")[0]) for each in shares[2:6]] == pytest.approx([0, 80, 0, 20])
    assert shares[2].endswith("*paper: 8.00*")
    assert report.section("History-aware loop").strip().endswith("--tell history-aware")
    section = report.section("Vanilla models under the loop")
    vanilla = row_of(section, "venus", "vanilla", "openai/Qwen/Qwen2.5-3B-Instruct", "Beyond-I")
    assert vanilla[5].endswith("*paper: 10.77*")
    assert "| 8 | 12 |" in section
    assert row_of(report.section("By difficulty"), "trained", "easy")[2] == "2"
    assert "--start slow --iterations 32" in report.section("Slow and fast starts")
    private = row_of(report.section("Private against public tests"), "trained", "Beyond-T", "private")
    assert float(private[-1].split(";")[0]) == pytest.approx(1, abs=0.01)
    assert private[-1].endswith("*paper: 0.9852*")
    gains = row_of(report.section("Totals and means over passing solutions"), "trained", "8")
    assert gains[2] == "10; *paper: 186*"
    assert re.match(r"0\.\d{3}x \(", gains[-1])
    apps = report.section("APPS, Mercury and LiveCodeBench over the iterations")
    assert row_of(apps, "apps", "on apps", GRPO, "Pass@1")[4].endswith("*paper: 13.00*")
    paired = row_of(report.section("Paired tests between runs"), "trained", "without feedback", "Beyond-T")
    assert paired[3] == "5"
    assert paired[4].startswith("-")
    assert "lost: Its tests cannot be read." in report.section("Not evaluated in trained")


def test_a_curve_of_two_points_has_no_correlation_and_small_integrals_are_not_0(tmp_path: Path) -> None:
    markdown = markdown_of([RunPlan("short", problems=3, iterations=1).write(tmp_path / "short")])
    private = row_of(markdown, "short", "Beyond-T", "private")
    assert private[-1].startswith("none ("), private
    assert "r needs at least three iterations" in markdown
    assert " total, MiB·s" in markdown


def test_passes_that_the_strict_rule_refuses_are_counted_and_named(report: Report) -> None:
    """Of five problems that pass in both generations, the rule refuses one, and has no say on another."""
    row = row_of(report.section("Passes that our strict rule refuses"), "trained")
    assert row[1:5] == ["10", "6", "2", "2"]
    assert row[5] == ("problem 1 (generation 0): wrong_answer; problem 1 (generation 1): wrong_answer"), (
        "the others are not named"
    )


def test_pass_at_k_is_told_for_several_generations_alone(report: Report, tmp_path: Path) -> None:
    """Its pass@1 is Table 1's; one that passes in any generation counts for the last."""
    section = report.section("Pass@k over the generations")
    row = row_of(section, "trained", GRPO, "0")
    assert (
        row[3].split()[0] == row_of(report.section("Table 1: models side by side"), "trained", GRPO, "0")[3].split()[0]
    )
    assert "Pass@2, %" in section
    assert "Pass@4" not in section

    single = RunPlan(generations=1).write(tmp_path / "single")
    double = RunPlan("double", generations=2).write(tmp_path / "double")
    assert "Pass@k over" not in markdown_of([single])
    assert "first has fewer generations." in markdown_of([single, double])


def test_a_benchmark_of_another_name_is_held_against_the_paper_if_asked(tmp_path: Path) -> None:
    folder = RunPlan(model=GRPO, dataset="mine", problems=3, iterations=10).write(tmp_path / "run")
    for held_against, is_papers in (("venus", True), ("", False)):
        markdown = markdown_of([folder], held_against)
        assert ("paper: 61.67" in markdown) == is_papers
        assert ("Held against: the paper's numbers of venus" in markdown) == is_papers
        assert "Scored on private tests" in markdown, "what it is held against does not change its scores"
    training = RunPlan(model=GRPO, problems=3, iterations=10, settings={"split": "train"}).write(tmp_path / "training")
    assert "*paper" not in markdown_of([training])


def test_the_tables_are_data_too(report: Report) -> None:
    known = json.loads((report.folder / "tables.json").read_text("utf-8"))
    assert list(known["datasets"]) == ["venus", "apps"]
    table = known["datasets"]["venus"][0]
    cell = table["rows"][1][3]
    assert cell["paper"]["value"] == 61.67
    assert cell["ours"]["low"] <= cell["ours"]["value"] <= cell["ours"]["high"]
    assert all(len(row) == len(each["columns"]) for each in known["datasets"]["venus"] for row in each["rows"])


def test_the_rebuttals_other_loops_have_their_tables(tmp_path: Path) -> None:
    """A history-aware loop beside the paper's, and a slow start to 32 iterations; the paper's numbers beside both."""
    plans = [
        RunPlan("plain", GRPO, problems=3, iterations=10, has_private=False),
        RunPlan("history", GRPO, problems=3, iterations=10, has_private=False, settings={"tell": "history-aware"}),
        RunPlan("slow", GRPO, problems=3, iterations=32, has_private=False, settings={"start": "slow"}),
        RunPlan("fast", GRPO, problems=3, iterations=8, has_private=False, settings={"start": "fast"}),
    ]
    folders = [plan.write(tmp_path / plan.name) for plan in plans]
    report = Report(write_report(folders, tmp_path / "out").folder)
    history = report.section("History-aware loop")
    assert row_of(history, "history-aware", "history", GRPO, "Beyond-I")[14].endswith("*paper: 15.10*")
    assert row_of(history, "paper", "plain", GRPO, "Beyond-I")[14].endswith("*paper: 38.95*")
    starts = report.section("Slow and fast starts")
    slow = row_of(starts, "slow", "slow", GRPO, "Beyond-I")
    assert slow[-1].endswith("*paper: 29.13*")
    assert row_of(starts, "fast", "fast", GRPO, "Beyond-I")[8].endswith("*paper: 62.17*")
    assert "| 28 | 29 | 30 | 31 | 32 |" in starts


@pytest.mark.nightly
def test_the_same_runs_give_the_same_files(report: Report, tmp_path: Path) -> None:
    again = write_report([report.folder.parent / str(at) for at in range(4)], tmp_path / "out").folder
    names = sorted(each.relative_to(again) for each in again.rglob("*") if each.is_file())
    assert names == sorted(each.relative_to(report.folder) for each in report.folder.rglob("*") if each.is_file())
    assert [each for each in names if (again / each).read_bytes() != (report.folder / each).read_bytes()] == []
    assert {each.suffix for each in names} == {".html", ".json", ".md", ".png", ".svg"}


def test_an_unfinished_run_is_reported_as_far_as_it_came(tmp_path: Path) -> None:
    asked = {"only": [f"problem {at}" for at in range(5)]}
    folder = RunPlan(problems=3, settings=asked, is_complete=False).write(tmp_path / "run")
    (folder / "begun").mkdir()
    (folder / "begun" / "problem-3-00000000.0").write_text("a-run")
    (run,), _ = load_runs([folder])
    assert run.unfinished.startswith("3 of 5 problems are done, 1 more is begun. Go on with: ")
    written = write_report([folder], tmp_path / "out").folder
    assert "Unfinished: 3 of 5 problems are done" in (written / "report.md").read_text("utf-8")
    assert "Unfinished" in (written / "index.html").read_text("utf-8")


def test_records_that_could_not_be_used_are_told(tmp_path: Path) -> None:
    run = RunPlan(problems=2, rejected=("own.jsonl, record 3: name: <b>",)).write(tmp_path / "run")
    written = write_report([run], tmp_path / "out").folder
    page, text = ((written / name).read_text("utf-8") for name in ("index.html", "report.md"))
    assert "1 record of the dataset could not be used" in page
    assert "own.jsonl, record 3: name: &lt;b&gt;" in page
    assert "<b>" not in page
    assert "- own.jsonl, record 3: name: &#60;b" in text


def test_a_run_that_stopped_between_two_problems_is_not_taken_for_a_complete_one(tmp_path: Path) -> None:
    """A cap stops a run with no problem begun, and nobody knows how many the dataset has."""
    stopped = RunPlan(problems=2, is_complete=False).write(tmp_path / "stopped")
    complete = RunPlan(problems=2).write(tmp_path / "complete")
    (first, second), _ = load_runs([stopped, complete])
    assert first.unfinished.startswith("2 problems are done; the evaluation has not come to its end")
    assert first.unfinished.endswith(f"afterburner-agent eval resume {stopped}")
    assert not second.unfinished


def test_what_cannot_be_reported_says_why(tmp_path: Path, new_program: Callable[[Path], CommandLine]) -> None:
    (tmp_path / "empty").mkdir()
    begun = RunPlan(problems=0).write(tmp_path / "begun")
    lost = RunPlan(problems=0, not_evaluated={"one": "It has no tests."}).write(tmp_path / "lost")
    program = new_program(tmp_path)
    for folder, said in (
        (tmp_path / "empty", "is no folder of an evaluation: there is no run.json in it."),
        (begun, "afterburner-agent eval resume"),
        (lost, "It has no tests."),
    ):
        done = program("eval", "report", str(folder))
        assert done.returncode == 1, done.stdout
        assert done.stderr.startswith("error: ")
        assert said in done.stderr
    done = program("eval", "report", str(begun), "--compare")
    assert done.returncode == 2
    assert "give two or more" in done.stderr


def test_a_run_without_a_scored_problem_leaves_the_others_their_report(tmp_path: Path) -> None:
    lost = RunPlan(problems=0, not_evaluated={"one": "It has no tests."}).write(tmp_path / "lost")
    found = RunPlan(problems=3).write(tmp_path / "found")
    runs, left_out = load_runs([lost, found])
    assert [each.label for each in runs] == ["first"]
    assert left_out == [f"No problem of {lost} could be evaluated: It has no tests."]
    content = content_of(runs, left_out)
    for text in (index_page(content, ()), markdown_report(content, ())):
        assert "It has no tests." in text
        assert "Table 1: models side by side" in text


def test_runs_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    folders = [RunPlan("a model", problems=1).write(tmp_path / name) for name in ("x/run", "greedy", "y/run")]
    folders.append(RunPlan("another", problems=1).write(tmp_path / "another"))
    runs, _ = load_runs(folders)
    assert [each.label for each in runs] == ["a model (run)", "a model (greedy)", "a model (run) (2)", "another"]


def test_the_command_says_what_it_wrote_and_compares(
    tmp_path: Path, new_program: Callable[[Path], CommandLine]
) -> None:
    folders = [RunPlan(name, problems=3, skill=skill).write(tmp_path / name) for name, skill in (("a", 1), ("b", 0.2))]
    program = new_program(tmp_path)
    done = program("eval", "report", *map(str, folders), "--out", "found", "--compare", "--paper", "venus")
    assert done.returncode == 0, done.stderr
    assert "a: 3 problems of venus" in done.stdout
    assert "--paper: the paper has no numbers of rules; it has those of Qwen" in done.stdout
    assert "written: found/index.html" in done.stdout
    assert re.search(r"a -> b: wall time: ratio [\d.]+x \([\d.]+, [\d.]+\)", done.stdout)
    assert (program.home / "found" / "report.md").is_file()


def test_hostile_texts_stay_texts_in_markdown(hostile_report: Report) -> None:
    text = hostile_report.markdown
    for forbidden in ("<script", "<img", "](https", "`code`", "\x1b", "\u202e", "https://"):
        assert forbidden not in text, forbidden
    heads = [line for line in text.splitlines() if line.startswith("| run | model")]
    rows = [line for line in text.splitlines() if line.startswith("| one ")]
    assert heads
    assert rows
    assert {line.count(" | ") for line in rows} <= {line.count(" | ") for line in text.splitlines() if "| ---" in line}
    assert max(map(len, text.splitlines())) < 12_000
    assert plain("a_b __c__ Pass@1 @you") == "a_b &#95;&#95;c&#95;&#95; Pass@1 &#64;you"
    assert len(plain(HOSTILE, 50)) < 400


def test_the_coverage_of_the_intervals_is_a_table() -> None:
    metric = {
        "truth": 0.5,
        "mean_estimate": 0.5,
        "ours": 0.949,
        "plain": 0.9,
        "paper": math.nan,
        "our_half_width": 0.1,
        "paper_half_width": 0.001,
    }
    size = {"problems": 6, "generations": 4, "runs": 16, "repetitions": 1000, "metrics": {"pass@1": metric}}
    text = table_markdown(table_of({"level": 0.95, "sizes": [size]}))
    assert "| 6, 4 generations, 16 repeats | Pass@1 | 94.9% | 90.0% |" in text
    known = coverage_table()
    assert known is not None, "the program is installed with the simulation's results"
    assert {len(row) for row in known.rows} == {len(known.columns)}


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = RunPlan(problems=1).write(tmp_path / "run")
    (tmp_path / "file").write_text("")
    with pytest.raises(EvaluationError, match="cannot be written"):
        write_report([folder], tmp_path / "file")


def test_a_run_is_told_in_a_line_with_its_scores(tmp_path: Path) -> None:
    runs, _ = load_runs([RunPlan("a", problems=3, has_private=False).write(tmp_path / "a")])
    told = scores_line(scores_of(runs[0]))
    number = r"\d+\.\d\d% \(\d+\.\d\d, \d+\.\d\d\)"
    assert re.fullmatch(
        rf"after iteration 5, on public tests: Pass@1 {number}, Beyond-T {number}, Beyond-M {number}, "
        rf"Beyond-I {number}",
        told,
    )
    assert "Pass@1 66.67%" in told, "two of three pass in the end"


def test_each_problem_is_scored_on_its_private_tests_whatever_the_others_have(tmp_path: Path) -> None:
    """One problem without private tests must not let what fails another's count as passed."""
    plan = RunPlan("a", dataset="livecodebench", problems=5, fails_private=frozenset({0, 1}))
    for without, passing, told in (
        (frozenset[int](), 2, "private tests"),
        (frozenset({2}), 2, "private tests, and public ones of 1 problem without any"),
        (frozenset({0, 2}), 3, "private tests, and public ones of 2 problems without any"),
        (frozenset(range(5)), 4, "public tests"),
    ):
        folder = replace(plan, without_private=without).write(tmp_path / f"run {len(without)}")
        runs, _ = load_runs([folder])
        assert f"on {told}: Pass@1 {20 * passing}.00% " in scores_line(scores_of(runs[0]))
        markdown = markdown_of([folder])
        assert f"Scored on {told}; the loop " in markdown


def test_paper_is_told_to_change_nothing_for_a_dataset_that_the_paper_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [
        RunPlan("mine", dataset="mine", problems=3, has_private=False).write(tmp_path / "mine"),
        RunPlan("on apps", dataset="apps", problems=3, has_private=False).write(tmp_path / "apps"),
    ]
    report_command(runs, out=tmp_path / "out", paper=PaperDataset.VENUS)
    told = capsys.readouterr().out
    assert (
        "--paper venus changes nothing for on apps, a run on apps: it is held against the paper's numbers of apps"
        in told
    )
    assert "changes nothing for mine" not in told


def test_the_scores_are_defined_and_how_many_known_solutions_there_are(report: Report, tmp_path: Path) -> None:
    table = report.section("Table 1: models side by side")
    assert "Beyond-T, -M and -I: the mean over problems" in table
    assert "6 problems, 5 of them with 8 known solutions each, 1 of them without references" in table
    folder = RunPlan("one", problems=3, has_private=False).write(tmp_path / "one")
    for path in (folder / "references").glob("*.parquet"):
        pq.write_table(pq.read_table(path).slice(0, 1), path)
    assert "3 problems, 2 of them with only one known solution each, so that a repeat" in markdown_of([folder])


def test_a_run_whose_known_solutions_all_fail_is_not_taken_for_one_of_a_bad_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plans = [
        RunPlan("all", problems=6, has_private=False, failing_solutions=frozenset(range(6))),
        RunPlan("some", problems=6, has_private=False, failing_solutions=frozenset({1})),
        RunPlan("none", problems=6, has_private=False),
    ]
    report_command([plan.write(tmp_path / plan.name) for plan in plans], out=tmp_path / "out")
    told = [line.strip() for line in capsys.readouterr().out.splitlines() if "caution" in line]
    page, text = ((tmp_path / "out" / name).read_text("utf-8") for name in ("index.html", "report.md"))
    cautions = json.loads((tmp_path / "out" / "tables.json").read_text("utf-8"))["datasets"]["venus"][0]["cautions"]
    whole = "On 6 of 6 problems all known solutions that were run fail here"
    part = "On 1 of 6 problems all known solutions that were run fail here"
    failure = "The first failure, of problem 1: on the public tests, case 1: no."
    assert [line.partition(":")[0] for line in cautions] == ["all", "some"]
    for found in (told, cautions):
        assert whole in found[0]
        assert part in found[1]
        assert failure in found[1]
    for found in (page, text):
        assert 0 < found.index(whole) < found.index("Pass@1, %")
        assert part in found
    assert "6 problems, 6 of them with known solutions that all fail here, which Beyond leaves out" in text
    assert (
        "6 problems, 4 of them with 8 known solutions each, 1 of them with known solutions that all fail here and 1 of "
        "them without references, which Beyond leaves out" in text
    )
    assert len(told) == 2, "nothing is said of the run whose known solutions pass"


def test_a_run_that_an_earlier_version_stored_can_be_reported(tmp_path: Path) -> None:
    """Columns that it did not have yet are empty."""
    folder = RunPlan(problems=3, has_private=False).write(tmp_path / "run")
    for path in (folder / "problems").glob("*.parquet"):
        pq.write_table(pq.read_table(path).drop_columns(["failing_references"]), path)
    assert "that were run fail here" not in markdown_of([folder])


def test_the_head_of_a_run_says_what_of_which_data_it_is(tmp_path: Path) -> None:
    about = {
        "dataset_sha256": "0123456789abcdef" * 4,
        "dataset_records": 43,
        "version": "9.8.7",
        "begun": "2026-01-02T03:04:05+00:00",
    }
    asked = {"limit": 3, "source": "/data/sums.jsonl", "temperature": "0.2:0.8", "seed": 7}
    part = RunPlan("part", "openai/a-model", problems=3, generations=2, settings=asked, about=about)
    whole = RunPlan(
        "whole", "openai/a-model", problems=3, settings={"only": list("abcdef")}, about={"dataset_records": 3}
    )
    older = RunPlan("older", "openai/a-model", problems=3, not_evaluated={"one": "It has no tests."})
    text = markdown_of([plan.write(tmp_path / plan.name) for plan in (part, whole, older)])
    heads = {
        name: text.split(f"### Run: {name}\n", 1)[1].split("\n##", 1)[0].splitlines()
        for name in ("part", "whole", "older")
    }
    for line in (
        "- Of the data: 3 of 43 problems, by --limit 3",
        "- Data: sums.jsonl, SHA-256 0123456789ab…",
        "- Temperature: 0.2:0.8",
        "- Generations: 2",
        "- Seed: 7",
        "- Version: 9.8.7",
        "- Begun: 2026-01-02 03:04:05 UTC",
    ):
        assert line in heads["part"]
    assert "- Of the data: all 3 problems, by --only of 6 ids" in heads["whole"]
    assert "- Temperature: not given, so the model's own" in heads["whole"]
    assert "- Of the data: 4 problems; how many the data holds is not known" in heads["older"]
    assert not [line for line in heads["older"] if line.startswith(("- Version", "- Begun"))], "it was not stored"


@pytest.mark.parametrize(
    ("cut_off", "without_code", "told"),
    [
        (0, 0, ""),
        (0, 12, "12 of 32 answers had no code that could be used."),
        (1, 0, "1 of 32 answers was cut off by the limit of tokens."),
        (2, 3, "3 of 32 answers had no code that could be used; 2 were cut off by the limit of tokens."),
    ],
)
def test_only_what_is_wrong_with_answers_is_told(cut_off: int, without_code: int, told: str) -> None:
    assert Answers(32, cut_off, without_code).caution == told


def test_answers_that_were_cut_off_or_had_no_code_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer that never came is none, and rules give none."""
    some = {
        (0, 0): {"finish_reason": "length", "code_id": ""},
        (0, 1): {"finish_reason": "length"},
        (0, 2): {"code_id": ""},
        (1, 0): {"finish_reason": "length", "answer": "", "code_id": ""},
        (1, 1): {"answer": "", "code_id": "", "completion_tokens": None},
    }
    every = {
        (number, iteration): {"answer": "", "finish_reason": "", "completion_tokens": None}
        for number in range(6)
        for iteration in range(6)
    }
    plans = [
        RunPlan("a model", problems=6, generations=1, has_private=False, answers=some),
        RunPlan("another", problems=6, generations=1, has_private=False),
        RunPlan("by rules", problems=6, generations=1, has_private=False, answers=every),
    ]
    report_command([plan.write(tmp_path / plan.name) for plan in plans], out=tmp_path / "out")
    counted = "3 of 35 answers had no code that could be used; 3 were cut off by the limit of tokens."
    told = [line.strip() for line in capsys.readouterr().out.splitlines() if "caution" in line]
    assert told == [f"caution: {counted}"]
    table = json.loads((tmp_path / "out" / "tables.json").read_text("utf-8"))["datasets"]["venus"][0]
    assert table["cautions"] == [f"a model: {counted}"]
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert f"**Caution:** a model: {counted}" in text
    assert "- Answers: 36 answers; none was cut off, and each had code, valid or not." in text
    assert text.count("- Answers: ") == 2
