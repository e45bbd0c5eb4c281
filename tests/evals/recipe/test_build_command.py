"""`afterburner-agent eval build`, as a person uses it: killed, interrupted, gone on with, on real problems."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.evals.datasets.built import is_unfinished, read_built
from afterburner.evals.problems import BenchmarkProblem

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine

SMALL = ("--cases", "2", "--private-cases", "1", "--least-solutions", "3", "--repeats", "1", "--test-share", "1")
_SLOW_S = 120


@pytest.fixture
def raw_file(sums: Any, tmp_path: Path) -> Path:
    """Three problems in the layout of Venus, and two records that are none."""
    path = tmp_path / "raw.jsonl"
    records = [_record(sums.raw(id=str(number), title=f"sum-{number}")) for number in (1, 2, 3)]
    path.write_text(
        "".join(
            f"{line}\n"
            for line in (
                json.dumps(records[0]),
                "{",
                r'{"problem_id": "\ud800\u001b[2J"}',
                *map(json.dumps, records[1:]),
            )
        )
    )
    return path


@pytest.mark.slow
def test_a_killed_and_an_interrupted_build_go_on(program: CommandLine, raw_file: Path, tmp_path: Path) -> None:
    """Each loses the problem at hand alone; the interrupted one says how to go on."""
    out = tmp_path / "benchmark"
    command = ("eval", "build", str(raw_file), "--out", str(out), *SMALL)
    with program.start(*command) as killed:
        _wait_for(lambda: _kept(out) >= 1, killed)
        killed.kill()
    first = {path: path.read_bytes() for path in (out / "problems").glob("*.parquet")}
    assert is_unfinished(out)
    with program.start(*command) as interrupted:
        _wait_for(lambda: _kept(out) > len(first), interrupted)
        interrupted.send_signal(signal.SIGINT)
        _, told = interrupted.communicate()
    if interrupted.returncode:  # else it was done just before
        assert interrupted.returncode == 130
        assert f"eval build {raw_file} --out {out} --cases 2" in told
    done = program(*command)
    assert done.returncode == 0, done.stderr
    assert not is_unfinished(out)
    assert f"{out} holds 3 problems; 2 left out; " in done.stdout
    assert "raw.jsonl, record 2: this is no JSON" in done.stdout
    assert {path: path.read_bytes() for path in first} == first
    problems = list(read_built(out, "test"))
    assert sorted(each.id for each in problems if isinstance(each, BenchmarkProblem)) == ["1", "2", "3"]


def test_a_wrong_command_line_says_what_to_do(program: CommandLine, raw_file: Path, tmp_path: Path) -> None:
    """Exit code 2 for values that cannot be meant, and for a source that is not there; nothing is made."""
    out = tmp_path / "benchmark"
    wrong = program("eval", "build", str(raw_file), "--out", str(out), "--most-solutions", "3")
    assert (wrong.returncode, "every problem would be left out" in wrong.stderr) == (2, True)
    missing = program("eval", "build", str(tmp_path / "none.jsonl"), "--out", str(out))
    assert (missing.returncode, "none.jsonl" in missing.stderr) == (2, True)
    assert not out.exists()


def test_a_source_of_no_raw_problem_is_no_success(program: CommandLine, tmp_path: Path) -> None:
    """Problems of one's own are in another layout, and have nothing to be built of."""
    own = {"name": "sum", "description": "Add.", "cases": [{"stdin": "1 2", "expected_stdout": "3"}]}
    (tmp_path / "own.jsonl").write_text(json.dumps(own) + "\n", "utf-8")
    done = program("eval", "build", str(tmp_path / "own.jsonl"), "--out", str(tmp_path / "benchmark"), *SMALL)
    assert done.returncode == 4
    assert "problem_id" in done.stdout
    assert "No problem could be kept" in done.stdout


@pytest.mark.nightly
def test_a_real_problem(program: CommandLine, shared_data: Path, tmp_path: Path) -> None:
    """Human solutions of CodeContests: what is kept has figures and private cases of its own."""
    source = shared_data / "venus_like" / "codecontests_human.jsonl.gz"
    out = tmp_path / "benchmark"
    chosen = ("--only", "coffe-codecontests-20", "--most-solutions", "4", "--least-solutions", "4", "--seed", "1")
    sizes = ("--cases", "4", "--private-cases", "2", "--repeats", "1", "--private-repeats", "1", "--test-share", "1")
    done = program("eval", "build", str(source), "--out", str(out), *chosen, *sizes)
    assert done.returncode == 0, done.stderr
    assert "kept: 4 references, 4 public and 2 private cases" in done.stderr
    (problem,) = read_built(out)
    assert isinstance(problem, BenchmarkProblem)
    assert problem.problem.name == "coffe-codecontests-20"
    assert len(problem.measured) == 4
    assert all(each.private_figures is not None for each in problem.references)


def _record(raw: Any) -> dict[str, Any]:
    return {
        "problem_id": raw.id,
        "title": raw.title,
        "question_content": raw.description,
        "difficulty": raw.difficulty,
        "tags": list(raw.tags),
        "code_prompt": "",
        "test_case_generator": raw.generator,
        "test_case_evaluator": "",
        "test_case_runners": "==Code Submission==\n",
        "test_cases": json.dumps([{"input": given, "output": expected} for given, expected in raw.cases]),
        "solutions": [{"code": code, "passed": True} for code in raw.solutions],
    }


def _kept(out: Path) -> int:
    return len(list((out / "problems").glob("*.parquet")))


def _wait_for(is_so: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + _SLOW_S
    while not is_so() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert is_so()
