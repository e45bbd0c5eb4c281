"""A benchmark in a folder: what is done stays done, and nothing is mixed that cannot be compared."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
import typer

from afterburner.evals.commands.building import line_of, stored_so_far, tell_summary
from afterburner.evals.datasets.built import read_about, read_built
from afterburner.evals.errors import DatasetError, EvaluationError
from afterburner.evals.files import claimed
from afterburner.evals.problems import BenchmarkProblem, Rejected
from afterburner.evals.recipe.build import BuildRequest, build_benchmark
from afterburner.evals.recipe.events import BuildEvent, Outcome

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def request_to_build(sums: Any, tmp_path: Path) -> BuildRequest:
    """A request whose source is a file, though the tests give the raw problems themselves."""
    source = tmp_path / "raw.jsonl"
    source.write_text("{}\n", "utf-8")
    return BuildRequest(source, tmp_path / "benchmark", sums.settings, note="of our own")


def build(sums: Any, request: BuildRequest, *raws: Any) -> list[Outcome]:
    """Build, and return what became of each raw problem that was not done."""
    outcomes: list[Outcome] = []
    build_benchmark(request, raws, sums.sandbox, on_outcome=outcomes.append)
    return outcomes


def test_stores_problems_measurements_and_reasons(sums: Any, request_to_build: BuildRequest) -> None:
    """What is stored is what was built, with every repeat; what is left out has a reason; counts are of all."""
    broken = Rejected("raw.jsonl, record 3", "solutions", "it is missing")
    outcomes = build(sums, request_to_build, sums.raw(), sums.raw(id="18", solutions=()), broken)
    assert [bool(each.reason) for each in outcomes] == [False, True, True]
    out = request_to_build.out
    (problem,) = read_built(out)
    assert isinstance(problem, BenchmarkProblem)
    assert (problem.id, problem.dataset, problem.generator != "") == ("17", "benchmark", True)
    assert [each.code for each in problem.references] == list(sums.right)
    rows = json.loads((out / "benchmark.json").read_text("utf-8"))
    assert rows["counts"] == {"problems": 1, "left_out": 2}
    assert rows["source"]["note"] == "of our own"
    assert rows["machine"]["cpu_model"] in problem.measured_on
    stored = _parquet(out / "references")
    assert {(each["code_id"], each["wall_time_s"]) for each in stored} == {
        (each.id, each.figures.wall_time_s) for each in problem.measured if each.figures
    }
    reasons = {each["id"]: each["reason"] for each in _parquet(out / "left_out")}
    assert reasons["raw.jsonl, record 3"] == "solutions: it is missing"
    assert "at least 3 are needed" in reasons["18"]


@pytest.mark.nightly
def test_what_is_done_is_not_done_again(sums: Any, request_to_build: BuildRequest) -> None:
    """Neither what is kept nor what is left out; a problem that comes later is added."""
    left_out = sums.raw(id="18", solutions=())
    build(sums, request_to_build, sums.raw(), left_out)
    before = {path: path.read_bytes() for path in request_to_build.out.rglob("*.parquet")}
    outcomes = build(sums, request_to_build, sums.raw(), left_out, sums.raw(id="19", title="another"))
    assert [each.problem_id for each in outcomes] == ["19"]
    assert {path: path.read_bytes() for path in before} == before
    assert read_about(request_to_build.out)["counts"] == {"problems": 2, "left_out": 1}


def test_chooses_by_id_title_and_number(sums: Any, request_to_build: BuildRequest) -> None:
    """A name that no problem has is an error, told when the others are done."""
    raws = [sums.raw(id=str(number), title=f"sum-{number}", solutions=()) for number in range(5)]
    chosen = replace(request_to_build, only=frozenset({"1", "sum-3"}))
    assert [each.problem_id for each in build(sums, chosen, *raws)] == ["1", "3"]
    assert [each.problem_id for each in build(sums, replace(request_to_build, limit=3), *raws)] == ["0", "2"]
    with pytest.raises(DatasetError, match="no problem called sum-9"):
        build(sums, replace(request_to_build, only=frozenset({"4", "sum-9"})), *raws)
    assert read_about(request_to_build.out)["counts"] == {"problems": 0, "left_out": 5}


def test_refuses_what_cannot_be_compared(sums: Any, request_to_build: BuildRequest) -> None:
    """Other settings, another source, another machine, another process, another folder: each is named."""
    build(sums, request_to_build, sums.raw(id="18", solutions=()))
    other = replace(request_to_build, settings=replace(sums.settings, cases=5, seed=7))
    with pytest.raises(EvaluationError, match="--cases 4, not 5, --seed 42, not 7"):
        build(sums, other)
    few = replace(request_to_build, settings=replace(sums.settings, most_solutions=9))
    with pytest.raises(EvaluationError, match="--most-solutions not given, not 9"):
        build(sums, few)
    with claimed(request_to_build.out), pytest.raises(EvaluationError, match="Another process"):
        build(sums, request_to_build)
    request_to_build.source.write_text("{}\n{}\n", "utf-8")
    with pytest.raises(EvaluationError, match=r"raw\.jsonl differs from what"):
        build(sums, request_to_build)
    request_to_build.source.write_text("{}\n", "utf-8")
    about = request_to_build.out / "benchmark.json"
    known = json.loads(about.read_text("utf-8"))
    known["machine"]["cpu_model"] = "Another CPU"
    about.write_text(json.dumps(known), "utf-8")
    with pytest.raises(EvaluationError, match=r"another machine \(cpu_model Another CPU"):
        build(sums, request_to_build)
    about.write_text('{"format": 99}', "utf-8")
    with pytest.raises(DatasetError, match="another version"):
        build(sums, request_to_build)
    about.unlink()
    (request_to_build.out / "notes.txt").touch()
    with pytest.raises(EvaluationError, match="holds no benchmark"):
        build(sums, request_to_build)


def test_a_folder_in_which_nothing_is_done_takes_other_settings_and_another_source(
    sums: Any, request_to_build: BuildRequest
) -> None:
    """A build that failed early, such as on a wrong source, does not keep the right one out."""
    build(sums, request_to_build)
    request_to_build.source.write_text("{}\n{}\n", "utf-8")
    other = replace(request_to_build, settings=replace(sums.settings, cases=5))
    build(sums, other, sums.raw(id="18", solutions=()))
    about = read_about(request_to_build.out)
    assert (about["settings"]["cases"], about["counts"]) == (5, {"problems": 0, "left_out": 1})
    with pytest.raises(EvaluationError, match="--cases 5, not 4"):
        build(sums, request_to_build)


def test_an_interrupted_build_says_what_is_stored(sums: Any, request_to_build: BuildRequest) -> None:
    out = request_to_build.out
    assert stored_so_far(out).startswith("No problem was finished, so nothing is stored yet;")
    build(sums, request_to_build, sums.raw(id="18", solutions=()))
    assert stored_so_far(out) == f"Stored in {out}: 0 problems kept, 1 left out. The problem at hand starts anew."


def test_a_source_that_cannot_be_read_leaves_no_folder(sums: Any, request_to_build: BuildRequest) -> None:
    request_to_build.source.unlink()
    request_to_build.source.mkdir()
    with pytest.raises(DatasetError, match="It has no such file at all"):
        build(sums, request_to_build)
    assert not request_to_build.out.exists()


def test_events_say_which_of_how_many_problems_is_built(sums: Any, request_to_build: BuildRequest) -> None:
    request_to_build.source.write_text("{}\n" * 3, "utf-8")
    raws = [sums.raw(id=str(number), solutions=()) for number in range(3)]
    assert [(each.number, each.problems) for each in build(sums, request_to_build, *raws)] == [(1, 3), (2, 3), (3, 3)]
    few = replace(request_to_build, limit=2, out=request_to_build.out.with_name("few"))
    assert [line_of(each) for each in build(sums, few, *raws)][1].startswith("problem 1 (2 of 2): left out: ")
    step = BuildEvent("900000", "running solutions", 4, 121, number=1, problems=6)
    assert line_of(step) == "problem 900000 (1 of 6): running solutions (4 of 121)"


def test_the_rest_is_estimated_by_the_problems_that_were_kept(sums: Any, request_to_build: BuildRequest) -> None:
    """One that is left out at once is no sign that the others are done as fast."""
    request_to_build.source.write_text("{}\n" * 4, "utf-8")
    few = [sums.raw(id=number, solutions=()) for number in ("1", "3")]
    first, kept, last = build(sums, request_to_build, few[0], sums.raw(id="2"), few[1])
    assert first.left_s == 0
    assert 0 < kept.left_s == 2 * kept.elapsed_s
    assert last.left_s == kept.elapsed_s


def test_what_is_left_out_is_told_of_the_problems_that_were_asked_for(
    sums: Any, request_to_build: BuildRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """A smaller limit than that of an earlier call does not look at the last ones."""
    raws = [sums.raw(), sums.raw(id="18", solutions=()), sums.raw(id="19", solutions=())]
    build(sums, request_to_build, *raws)
    fewer = replace(request_to_build, limit=2)
    summary = build_benchmark(fewer, raws, sums.sandbox)
    assert [name for name, _ in summary.left_out] == ["18"]
    tell_summary(fewer, summary)
    said = capsys.readouterr().out
    assert "holds 1 problem; 1 left out and 1 more by earlier builds of it; 2 had been done before." in said
    assert "  19: " not in said
    assert "To keep problems with fewer solutions, give a smaller --least-solutions and another folder" in said


def test_no_option_is_advised_where_no_problem_has_too_few_solutions(
    sums: Any, request_to_build: BuildRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor where no fewer can be asked for."""
    broken = Rejected("raw.jsonl, record 3", "solutions", "it is missing")
    one = replace(
        request_to_build,
        settings=replace(sums.settings, least_solutions=1),
        out=request_to_build.out.with_name("one"),
    )
    for request, raw in ((request_to_build, broken), (one, sums.raw(solutions=()))):
        summary = build_benchmark(request, [raw], sums.sandbox)
        with pytest.raises(typer.Exit):
            tell_summary(request, summary)
    said = capsys.readouterr().out
    assert "  17: solutions: it has 0 different solutions; at least 1 is needed\n" in said
    assert "--least-solutions" not in said


def test_a_line_says_how_many_solutions_were_dropped_and_why() -> None:
    dropped = ((1, "repeats another"), (2, "fail a stored case"))
    kept = Outcome("17", "", references=5, dropped=dropped, public_cases=3, private_cases=1, elapsed_s=4.0)
    told = (
        "kept: 5 references of 8 solutions (1 repeats another, 2 fail a stored case), 3 public and 1 private case, 4 s"
    )
    assert line_of(kept) == f"problem 17: {told}"
    assert line_of(replace(kept, dropped=())) == "problem 17: kept: 5 references, 3 public and 1 private case, 4 s"


def test_a_broken_file_is_one_rejected_problem(sums: Any, request_to_build: BuildRequest) -> None:
    """The others are read."""
    build(sums, request_to_build, sums.raw())
    folder = request_to_build.out / "problems"
    (folder / "0.parquet").write_bytes(b"PAR1 no, it is not")
    (folder / ".1.parquet.77.unfinished").write_bytes(b"of a process that was killed")
    first, second = read_built(request_to_build.out)
    assert isinstance(first, Rejected)
    assert first.place == "0.parquet"
    assert isinstance(second, BenchmarkProblem)


def test_reads_one_split(sums: Any, request_to_build: BuildRequest) -> None:
    """With a share of 1, everything is for testing."""
    request = replace(request_to_build, settings=replace(sums.settings, test_share=1.0))
    build(sums, request, sums.raw())
    assert len(list(read_built(request.out, "test"))) == 1
    assert list(read_built(request.out, "train")) == []


def _parquet(folder: Path) -> list[dict[str, Any]]:
    return [row for path in sorted(folder.glob("*.parquet")) for row in pq.read_table(path).to_pylist()]


def test_a_second_problem_of_one_id_is_told_and_not_counted_as_done(sums: Any, request_to_build: BuildRequest) -> None:
    """It is neither lost silently nor put in the place of the first one."""
    twins = [sums.raw(id="18", solutions=(), title=title) for title in ("one", "other")]
    first, second = build(sums, request_to_build, *twins)
    assert "at least 3 are needed" in first.reason
    assert (second.problem_id, second.reason) == ("18", "an earlier problem has the same id")
    assert build(sums, request_to_build, twins[0]) == []
