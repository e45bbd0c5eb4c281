"""What cannot be evaluated as asked is refused before a folder is made; what one case may take is a setting."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest
from running_problems import FAST, LOOP, answer, summing
from typer.testing import CliRunner

from afterburner.evals.commands.group import app
from afterburner.evals.datasets.registry import load_problems, sample_of
from afterburner.evals.errors import UnknownDatasetError
from afterburner.evals.problems import BenchmarkProblem
from afterburner.evals.running.evaluate import begin_evaluation, evaluate
from afterburner.evals.running.folder import RunFolder
from afterburner.evals.running.model_check import check_recordings
from afterburner.evals.running.progress import EvaluationEvent, Step
from afterburner.evals.running.request_check import check_request
from afterburner.evals.running.settings import EvaluationSettings, Resources, Start
from afterburner.evals.running.subjects import expect_subjects
from afterburner.evals.tables import read_rows
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SUM = {"name": "sum", "description": "Add.", "cases": [{"stdin": "1 2", "expected_stdout": "3"}]}


@pytest.fixture
def own(tmp_path: Path) -> Callable[..., str]:
    """Write problems of one's own, one for each of the changes; return the path."""

    def write(*changes: dict[str, Any]) -> str:
        path = tmp_path / "own.jsonl"
        rows = [{**SUM, "name": f"sum-{number}", **each} for number, each in enumerate(changes)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return str(path)

    return write


def test_a_misspelt_dataset_is_told_before_any_advice_on_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trial").mkdir()
    done = CliRunner().invoke(app, ["run", "--dataset", "trail", "--model", "rules", "--out", "out"])
    assert isinstance(done.exception, UnknownDatasetError)
    assert "Did you mean trial?" in str(done.exception)
    done = CliRunner().invoke(app, ["run", "--dataset", "trial", "--model", "rules", "--out", "out"])
    assert "Give --start slow, fast or original" in str(done.exception)
    assert not (tmp_path / "out").exists()


def test_code_to_begin_with_that_no_problem_has_is_refused_before_a_folder_is_made(
    own: Callable[..., str], tmp_path: Path
) -> None:
    settings = EvaluationSettings(own({"references": [FAST]}, {"references": [LOOP]}), start=Start.SLOW)
    with pytest.raises(UsageError, match=r"--start slow: no problem of .*own.jsonl has such code\. .* sum-0 has no"):
        begin_evaluation(tmp_path / "run", "rules", settings)
    assert not (tmp_path / "run").exists()
    check_request(replace(settings, start=Start.ORIGINAL))
    check_request(replace(settings, model="replay:x", start=Start.NONE))


def test_one_problem_with_code_to_begin_with_is_enough(own: Callable[..., str]) -> None:
    measured = {"references": [{"code": FAST, "time": 10, "memory": 9_000}]}
    settings = EvaluationSettings(own({}, measured), start=Start.SLOW)
    check_request(settings)
    with pytest.raises(UsageError, match="--start slow"):
        check_request(replace(settings, only=("sum-0",)))


def test_a_time_limit_holds_for_problems_that_state_none(
    own: Callable[..., str], benchmark: Callable[..., Path]
) -> None:
    path = own({"private_cases": SUM["cases"]}, {"limits": {"wall_time_s": 90.0}}, {"limits": {"memory_kib": 9_000}})
    unstated, stated, memory = loaded(path, 5.0)
    assert [each.limits.wall_time_s for each in (unstated.problem, unstated.private) if each] == [5.0, 5.0]
    assert stated.problem.limits.wall_time_s == 90.0
    assert (memory.problem.limits.cpu_time_s, memory.problem.limits.memory_kib) == (5.0, 9_000)
    assert loaded(path, None)[0].problem.limits.wall_time_s == 90.0
    (built,) = loaded(str(benchmark("one")), 5.0)
    assert built.problem.limits == summing("one", (1,)).limits, "it states limits of its own"
    venus = load_problems("venus", source=sample_of("venus"), case_seconds=5.0)
    assert {each.problem.limits.wall_time_s for each in venus if isinstance(each, BenchmarkProblem)} == {5.0}


def loaded(path: str, case_seconds: float | None) -> list[BenchmarkProblem]:
    return [each for each in load_problems(path, case_seconds=case_seconds) if isinstance(each, BenchmarkProblem)]


def test_a_time_limit_is_refused_where_the_datasets_own_evaluation_has_one() -> None:
    with pytest.raises(UsageError, match="--case-seconds 5: the problems of mercury have the time limits"):
        check_request(EvaluationSettings("mercury", model="replay:x", case_seconds=5.0))
    check_request(EvaluationSettings("venus", model="replay:x", case_seconds=5.0))
    with pytest.raises(UsageError, match="--case-seconds 0: give a number of seconds above 0"):
        EvaluationSettings("venus", model="replay:x", case_seconds=0.0)


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [({}, 2, 2), ({"limit": 1}, 1, 1), ({"limit": 4}, 2, 2), ({"only": ("sum-3",)}, 1, 1)],
)
def test_records_that_cannot_be_used_are_not_among_the_problems_of_a_run(
    own: Callable[..., str], asked: dict[str, Any], first: int, last: int
) -> None:
    """Neither those that are broken, nor one with the id of another."""
    dataset = own({}, {"cases": []}, {"name": "sum-0"}, {})
    expected = expect_subjects(EvaluationSettings(dataset, model="replay:x", **asked))
    assert (expected.problems(rejected=0), expected.problems(rejected=2)) == (first, last)


def test_where_no_record_can_be_used_no_problem_is_expected(own: Callable[..., str]) -> None:
    dataset = own({"cases": []}, {"cases": []})
    assert expect_subjects(EvaluationSettings(dataset, model="replay:x", limit=5)).problems(rejected=2) == 0


def test_where_no_record_is_read_before_it_is_worked_on_those_without_use_are_taken_off_as_they_come() -> None:
    settings = EvaluationSettings("apps", source=str(sample_of("apps")), model="replay:x")
    records = expect_subjects(settings).records
    assert records is not None
    assert records > 1
    assert expect_subjects(settings).problems(rejected=1) == records - 1
    few = expect_subjects(replace(settings, limit=records - 1))
    assert (few.problems(rejected=0), few.problems(rejected=1), few.problems(rejected=2)) == (
        records - 1,
        records - 1,
        records - 2,
    )
    assert expect_subjects(EvaluationSettings("apps", model="replay:x", limit=5)).problems(rejected=1) == 5
    assert expect_subjects(EvaluationSettings("apps", model="replay:x")).problems(rejected=1) == 0


def test_progress_counts_only_the_problems_that_can_be_used(
    own: Callable[..., str], recording: Callable[..., str], tmp_path: Path
) -> None:
    model = recording(dict.fromkeys(("sum-1", "sum-2"), ["print(sum(map(int, input().split())))\n"] * 2))
    settings = EvaluationSettings(own({"cases": []}, {"name": 5}, {}), model=model, iterations=1, repeats=1)
    told: list[EvaluationEvent] = []
    evaluate(begin_evaluation(tmp_path / "run", "x", settings), Resources(), on_event=told.append)
    assert [each.problems for each in told if each.step is Step.REJECTED] == [1, 1]
    assert {each.problems for each in told} == {1}
    assert told[-1].done == 1


def test_endless_code_is_given_up_at_the_limit_that_the_run_was_begun_with(
    own: Callable[..., str], recording: Callable[..., str], tmp_path: Path
) -> None:
    add = "print(sum(map(int, input().split())))\n"
    dataset = own({"cases": [{"stdin": f"{n} 2", "expected_stdout": f"{n + 2}"} for n in range(5)]})
    model = recording({"sum-0": ["while True:\n    pass\n", add]})
    settings = EvaluationSettings(dataset, model=model, iterations=1, repeats=1, case_seconds=1.0)
    begin_evaluation(tmp_path / "run", "x", settings)
    folder = RunFolder.open(tmp_path / "run")
    assert folder.settings.case_seconds == 1.0
    assert evaluate(folder, Resources()).is_complete
    endless, right = read_rows(tmp_path / "run", "candidates")
    assert (endless["verdict"], right["verdict"]) == ("time_limit", "accepted")
    assert endless["reason"].startswith("stopped after 1 s")
    assert read_rows(tmp_path / "run", "verdicts") == [], "the rule of one's own problems is as strict as ours"


def test_a_run_stores_how_much_data_there_was_and_what_began_it_when(own: Callable[..., str], tmp_path: Path) -> None:
    settings = EvaluationSettings(own({"start": LOOP}, {"start": LOOP}, {}), limit=1, start=Start.ORIGINAL)
    about = begin_evaluation(tmp_path / "run", "x", settings).about
    assert about["dataset_records"] == 3, "those that are not asked for count, too"
    assert about["version"] == version("afterburner-agent")
    assert abs(datetime.now(UTC) - datetime.fromisoformat(about["begun"])) < timedelta(hours=1)


def test_a_recording_that_names_no_problem_is_refused_for_several(
    own: Callable[..., str], recording: Callable[..., str], tmp_path: Path
) -> None:
    """Each of them would be given the same answers, without a word."""
    dataset, plain = own({}, {}), tmp_path / "plain.jsonl"
    plain.write_text(json.dumps({"content": answer(FAST)}) + "\n", "utf-8")
    settings = EvaluationSettings(dataset, model=f"replay:{plain}")
    one = replace(settings, model=recording({"sum-0": [FAST]}))
    venus = EvaluationSettings("venus", model=f"replay:{plain}")
    for several in (settings, replace(settings, limit=2), venus, one):
        with pytest.raises(
            UsageError, match=r"given the same answers\. Evaluate one problem, with --only ID"
        ) as refused:
            begin_evaluation(tmp_path / "run", "x", several)
        assert refused.value.exit_code == 2
    assert not (tmp_path / "run").exists()
    for allowed in (
        replace(settings, limit=1),
        replace(settings, only=("sum-1",)),
        replace(settings, model=recording({"sum-0": [FAST], "sum-1": [FAST]})),
    ):
        check_recordings(allowed)
