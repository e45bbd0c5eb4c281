"""An evaluation from its settings to stored tables: by the command line, in this process, resumed and killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import pytest
from running_problems import FAST, LISTED, LOOP, SLOW, WRONG

from afterburner.agent import Caps
from afterburner.agent.types import Objective
from afterburner.evals.commands.carrying_out import done_so_far
from afterburner.evals.datasets.built import PROBLEMS
from afterburner.evals.errors import EvaluationError
from afterburner.evals.evaluation import PRIVATE, PUBLIC, load_evaluation
from afterburner.evals.files import claimed
from afterburner.evals.running.folder import RunFolder
from afterburner.evals.running.settings import EvaluationSettings
from afterburner.evals.tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow
SMALL = ("--iterations", "3", "--generations", "1", "--repeats", "2")


def afterburner(*words: str, expected: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "afterburner.agent", "eval", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == expected, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.mark.floor
def test_a_replayed_model_is_evaluated_and_everything_is_stored(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    folder = benchmark("first", "second/../name")
    model = recording({"first": [WRONG, SLOW, FAST], "second/../name": [LOOP, WRONG, LISTED, FAST]})
    said = afterburner("run", "--dataset", str(folder), "--out", str(tmp_path / "run"), "--model", model, *SMALL)
    assert ": 2 problems\n" in said
    public, private = (load_evaluation(tmp_path / "run", tests) for tests in (PUBLIC, PRIVATE))
    first, second = sorted(public.problems, key=lambda each: each.id)
    assert first.passed.tolist() == [[False, True, True, True]]
    assert second.passed.tolist() == [[True, True, True, True]]
    assert [each.passed.shape for each in private.problems] == [(1, 4)] * 2
    assert first.figures[Objective.TIME].shape == (1, 4, 2)
    assert (first.figures[Objective.TIME][0, 1:] > 0).all()
    assert len(first.references[Objective.MEMORY]) == 5
    rows = read_rows(tmp_path / "run", "candidates")
    assert [row["verdict"] for row in rows if row["problem_id"] == "first"] == ["wrong_answer", "accepted", "accepted"]
    measured_once = {row["verdict"]: row["wall_time_s"] is not None for row in rows}
    assert measured_once == {"wrong_answer": False, "accepted": True}, "a penalty is no measurement"
    assert all("<solution>" in row["answer"] for row in rows)
    assert {row["code"] for row in read_rows(tmp_path / "run", "codes")} >= {SLOW, FAST, LISTED, WRONG}
    strict = read_rows(tmp_path / "run", "verdicts")
    assert {row["verdict"] for row in strict} == {"accepted", "wrong_answer"}
    flags = read_rows(tmp_path / "run", "problems")[0]["flags"]
    assert any("anchors drifted" in flag for flag in flags), "the references are from another machine"
    anchors = {row["code_id"] for row in read_rows(tmp_path / "run", "references") if row["is_anchor"]}
    measured = {row["code_id"] for row in read_rows(tmp_path / "run", "measurements")}
    assert len(anchors) == 5
    assert anchors < measured


@pytest.mark.nightly
def test_rules_start_from_the_slowest_reference_and_a_folder_is_not_used_twice(
    benchmark: Callable[..., Path], tmp_path: Path
) -> None:
    folder, out = benchmark("only", private=False), str(tmp_path / "run")
    words = ("run", "--dataset", str(folder), "--out", out, "--model", "rules", "--start", "slow", *SMALL)
    afterburner(*words)
    (problem,) = load_evaluation(tmp_path / "run").problems
    assert problem.passed.all()
    first = min(read_rows(tmp_path / "run", "best"), key=lambda row: row["iteration"])
    codes = {row["code_id"]: row["code"] for row in read_rows(tmp_path / "run", "codes")}
    assert codes[first["code_id"]] == SLOW
    assert "is not empty" in afterburner(*words, expected=1)
    assert ": 1 problem\n" in afterburner("resume", out)


@pytest.mark.nightly
def test_rules_start_from_the_fastest_reference_in_each_generation(
    benchmark: Callable[..., Path], tmp_path: Path
) -> None:
    """There is nothing to gain over it, so both generations end with it."""
    folder, out = benchmark("only", private=False), tmp_path / "run"
    words = ("--model", "rules", "--start", "fast", "--iterations", "1", "--generations", "2", "--repeats", "1")
    afterburner("run", "--dataset", str(folder), "--out", str(out), *words)
    codes = {row["code_id"]: row["code"] for row in read_rows(out, "codes")}
    found = {(row["generation"], row["iteration"]): codes[row["code_id"]] for row in read_rows(out, "best")}
    assert found == dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], FAST)
    (problem,) = load_evaluation(out).problems
    assert problem.passed.shape == (2, 2)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_an_evaluation_that_is_cut_short_goes_on_where_it_was(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path, sent: signal.Signals
) -> None:
    names = ("a", "b", "c")
    folder, out = benchmark(*names), tmp_path / "run"
    model = recording({name: [SLOW, LOOP, FAST] for name in names})
    words = ("run", "--dataset", str(folder), "--out", str(out), "--model", model, "--jobs", "1", *SMALL)
    process = subprocess.Popen(
        [sys.executable, "-m", "afterburner.agent", "eval", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not list(out.glob("problems/*.parquet")):
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.05)
    os.killpg(process.pid, sent)
    _, told = process.communicate()
    if sent == signal.SIGINT:
        assert process.returncode == 130
        assert told.endswith(f"Go on with: afterburner-agent eval resume {out}\ninterrupted\n")
    kept = {path.name: path.stat().st_mtime_ns for path in out.glob("problems/*.parquet")}
    assert 1 <= len(kept) < len(names)
    if sent == signal.SIGINT:
        assert f"\n{done_so_far(len(kept), len(names))} The answers that a model gave are kept. " in told
    afterburner("resume", str(out))
    assert {each.id for each in load_evaluation(out).problems} == set(names)
    assert all((out / "problems" / name).stat().st_mtime_ns == written for name, written in kept.items())
    assert not list(out.glob("*/.*unfinished")), "files that the kill cut short are cleared away"


def test_a_run_that_is_interrupted_as_it_starts_says_that_nothing_is_stored(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    folder, out = benchmark("a"), tmp_path / "run"
    words = ("run", "--dataset", str(folder), "--out", str(out), "--model", recording({"a": [FAST]}), *SMALL)
    process = subprocess.Popen(
        [sys.executable, "-m", "afterburner.agent", "eval", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().endswith("] starting: looking at the data, the model and this machine\n")
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    is_begun = (out / "run.json").exists()  # where this test was kept waiting
    assert told.endswith("interrupted\n")
    assert ("Nothing is stored yet. To begin anew, run the same command again.\n" in told) is not is_begun


def test_a_resumed_run_counts_what_is_stored_from_its_first_line_on(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    """Here the problem that comes first is the one that is not done."""
    dataset, out = benchmark("a", "b"), tmp_path / "run"
    least = ("--iterations", "1", "--generations", "1", "--repeats", "1")
    words = ("--dataset", str(dataset), "--out", str(out), "--jobs", "1", *least)
    told = afterburner("run", *words, "--model", recording({"b": [FAST], "c": [FAST]}), expected=1)
    assert "problem a: begun (0 of 2 done)\n" in told
    recording({"a": [FAST], "b": [FAST]})
    told = afterburner("resume", str(out), "--jobs", "1")
    assert "problem a: begun (1 of 2 done)\n" in told
    assert told.index("] starting: looking at ") < told.index("problem a: begun")
    assert "2 of 2 done" in told
    assert f"stored in {out}: 2 problems\n" in told


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (("--model", "rules"), "--start slow, fast or original", 2),
        (("--model", "replay:x", "--selection", "verified"), "verified proves a gain over", 2),
        (("--model", "replay:x", "--tell", "everything"), "knows no 'everything'", 2),
        (("--model", "replay:x", "--max-seconds", "0"), "max-seconds", 2),
        (("--model", "rule", "--start", "slow"), "Did you mean rules?", 2),
        pytest.param(("--model", "hosted_vllm/mine"), "set HOSTED_VLLM_API_BASE", 1, marks=pytest.mark.nightly),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_written(
    words: tuple[str, ...], said: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOSTED_VLLM_API_BASE", raising=False)
    out = tmp_path / "run"
    assert said in afterburner("run", "--dataset", "venus", "--out", str(out), *words, expected=code)
    assert not out.exists()


@pytest.mark.nightly
def test_a_problem_that_has_no_reference_to_start_from_is_told_and_not_scored(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    bare = {"name": "bare", "description": "Print 1.", "cases": [{"stdin": "", "expected_stdout": "1\n"}]}
    measured = {**bare, "name": "measured", "references": [{"code": "print(1)", "time": 9, "memory": 9_000}]}
    path.write_text(f"{json.dumps(bare)}\n{json.dumps(measured)}\n", "utf-8")
    out = tmp_path / "run"
    said = afterburner("run", "--dataset", str(path), "--out", str(out), "--model", "rules", "--start", "slow", *SMALL)
    assert "bare has no measured reference" in said
    assert "run: 2 problems, 1 of them without scores: the report says why\n" in said
    assert "1 of them without scores" in afterburner("resume", str(out)), "it knows what was stored"
    found = load_evaluation(out)
    assert [each.id for each in found.problems] == ["measured"]
    assert [name for name, _ in found.not_evaluated] == ["bare"]


@pytest.mark.nightly
def test_records_that_are_none_are_told(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    """The report knows what was left out."""
    folder, out = benchmark("one"), tmp_path / "run"
    (folder / PROBLEMS / "a-torn-one.parquet").write_bytes(b"no Parquet")
    few = ("--iterations", "1", "--generations", "1", "--repeats", "1", "--model", recording({"one": [LOOP, FAST]}))
    said = afterburner("run", "--dataset", str(folder), "--only", "one", "--out", str(out), *few)
    assert "1 record left out" in said
    found = load_evaluation(out)
    assert [each.id for each in found.problems] == ["one"]
    assert len(found.rejected) == 1
    assert found.rejected[0].startswith("a-torn-one.parquet: ")


def test_an_id_that_no_problem_has_is_an_error_before_any_work(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    folder, out = benchmark("one"), tmp_path / "run"
    words = ("--only", "one,two", "--out", str(out), "--model", recording({"one": [LOOP, FAST]}), *SMALL)
    said = afterburner("run", "--dataset", str(folder), *words, expected=2)
    assert "has no problem of this id that can be used: two." in said
    assert not out.exists(), "another try needs the name"
    said = afterburner("run", "--dataset", str(folder), "--limit", "1", "--only", "two", *words[2:], expected=2)
    assert "has no problem of this id that can be used: two." in said


@pytest.mark.nightly
def test_references_whose_anchors_all_fail_here_are_flagged(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    """Nothing tells how far this machine is from the stored figures, so they are as they were, and a reader is told."""
    folder, out = benchmark("only", private=False, solutions=(WRONG, f"{WRONG}{WRONG}")), tmp_path / "run"
    model = recording({"only": [FAST, LOOP]})
    few = ("--iterations", "1", "--generations", "1", "--repeats", "1", "--model", model)
    afterburner("run", "--dataset", str(folder), "--out", str(out), *few)
    (problem,) = load_evaluation(out).problems
    (flag,) = problem.facts["flags"]
    assert flag.startswith("On the public tests no anchor passes here")
    assert flag.endswith("what was stored (another machine), and are not scaled.")
    assert problem.references[Objective.TIME].tolist() == [0.01, 0.02]
    assert problem.passed.all()


@pytest.mark.nightly
def test_known_solutions_that_fail_here_are_flagged(recording: Callable[..., str], tmp_path: Path) -> None:
    """A reference of one's own may be wrong; nothing is compared with it, and a reader is told."""
    path, out = tmp_path / "own.jsonl", tmp_path / "run"
    problem = {
        "name": "only",
        "description": "Read n. Print the sum of the numbers from 0 to n.",
        "cases": [{"stdin": "3\n", "expected_stdout": "6\n"}],
        "references": [LOOP, WRONG],
    }
    path.write_text(json.dumps(problem) + "\n", "utf-8")
    few = ("--iterations", "1", "--generations", "1", "--repeats", "1", "--model", recording({"only": [FAST, LOOP]}))
    afterburner("run", "--dataset", str(path), "--out", str(out), *few)
    (found,) = load_evaluation(out).problems
    (flag,) = found.facts["flags"]
    assert flag.startswith("On the public tests 1 of 2 known solutions fail here, and nothing is compared with them.")
    assert "case 1: " in flag
    assert len(found.references[Objective.TIME]) == 1


@pytest.mark.parametrize("is_measured", [False, True])
def test_a_run_in_which_all_known_solutions_fail_says_so_at_its_end(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path, is_measured: bool
) -> None:
    """Stored figures or not: where what is known to be right fails, a failing answer says little of the model."""
    dataset = tmp_path / "own.jsonl"
    if is_measured:
        dataset = benchmark("only", private=False, solutions=(WRONG, WRONG + "\n"))
    else:
        cases = [{"stdin": "3\n", "expected_stdout": "6\n"}]
        problem = {"name": "only", "description": "Print the sum.", "cases": cases, "references": [WRONG]}
        dataset.write_text(json.dumps(problem) + "\n", "utf-8")
    few = ("--iterations", "1", "--generations", "1", "--repeats", "1", "--model", recording({"only": [WRONG, FAST]}))
    told = afterburner("run", "--dataset", str(dataset), "--out", str(tmp_path / "run"), *few)
    (caution,) = [line for line in told.splitlines() if line.startswith("caution: On ")]
    assert caution.startswith("caution: On 1 of 1 problem all known solutions that were run fail here")
    assert "The first failure, of only: on the public tests, case 1: " in caution


def test_of_two_that_begin_in_one_folder_one_is_refused(tmp_path: Path) -> None:
    settings = EvaluationSettings("venus", model="replay:x")
    begin = partial(RunFolder.create, tmp_path / "run", "x", settings, session_id="s", machine={}, caps=Caps())
    (tmp_path / "run").mkdir()
    with claimed(tmp_path / "run"), pytest.raises(EvaluationError, match="Another process works on"):
        begin()
    with ThreadPoolExecutor(8) as pool:
        errors = [begun.exception() for begun in [pool.submit(begin) for _ in range(8)]]
    assert errors.count(None) == 1
    assert all(isinstance(error, EvaluationError) for error in errors if error is not None)


def test_a_folder_that_is_refused_is_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("text")
    settings = EvaluationSettings("venus", model="replay:x")
    with pytest.raises(EvaluationError, match="is not empty"):
        RunFolder.create(tmp_path, "x", settings, session_id="s", machine={}, caps=Caps())
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_a_dataset_without_a_problem_is_no_success(benchmark: Callable[..., Path], tmp_path: Path) -> None:
    words = ("--dataset", str(benchmark()), "--out", str(tmp_path / "run"), "--model", "rules", "--start", "slow")
    assert "has no problem that can be used. It has 0 of train, 0 of test." in afterburner("run", *words, expected=4)
    assert not (tmp_path / "run").exists(), "another try needs the name"
