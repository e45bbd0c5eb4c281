"""A cluster does what one machine does, also where a worker dies in the middle."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from running_problems import FAST, LISTED, LOOP, SLOW, WRONG, benchmark_problem

from afterburner.agent import Caps
from afterburner.evals.running.cluster import evaluate_remotely
from afterburner.evals.running.evaluate import begin_evaluation, evaluate
from afterburner.evals.running.progress import EvaluationEvent, Step
from afterburner.evals.running.settings import EvaluationSettings, Executor, Resources
from afterburner.evals.running.subjects import subject_to_json
from afterburner.evals.tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Ray's own
COMPARED = {
    "candidates": ("iteration", "candidate", "code_id", "verdict", "answer"),
    "best": ("iteration", "passed"),
    "references": ("code_id", "tests", "is_anchor", "wall_time_s"),
    "problems": ("public_cases", "private_cases", "reason"),
}


def what_was_found(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """What does not depend on how fast the machine was at the moment."""
    return {
        table: sorted((row["problem_id"], *(row[name] for name in names)) for row in read_rows(folder, table))
        for table, names in COMPARED.items()
    }


def workers() -> list[int]:
    """The processes of Ray that are at a problem."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            command = (process / "cmdline").read_bytes() if process.name.isdigit() else b""
        except OSError:
            continue
        if command.startswith(b"ray::evaluate_remotely"):
            found.append(int(process.name))
    return found


def test_caps_are_refused_where_workers_cannot_count_together(tmp_path: Path) -> None:
    """Each worker would spend the whole cap; a folder of another run at the same path does not count, either."""
    order = {
        "subject": subject_to_json(benchmark_problem("one")),
        "settings": EvaluationSettings("own", model="replay:none.jsonl").to_document(),
        "folder": str(tmp_path),
        "name": "run",
        "session_id": "mine",
        "sandbox": "auto",
        "caps": asdict(Caps(requests=3)),
    }
    alone = evaluate_remotely(order)
    (tmp_path / "run.json").write_text(json.dumps({"format": 1, **order, "session": "another"}), "utf-8")
    for found in (alone, evaluate_remotely(order)):
        assert found["fails_for_all"]
        assert "no cap could be kept" in found["error"]
        assert str(tmp_path) in found["error"]


@pytest.mark.nightly
def test_a_worker_without_the_folder_of_the_run_brings_the_same_rows(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    """Machines that share no file system can still work on a run without caps; it keeps what they find."""
    model = recording({"one": [WRONG, SLOW, FAST]})
    settings = EvaluationSettings(str(benchmark("one")), model=model, iterations=2, repeats=1, objective="time")
    local = begin_evaluation(tmp_path / "local", "local", settings)
    assert evaluate(local, Resources()).is_complete
    remote = begin_evaluation(tmp_path / "remote", "remote", settings)
    order = {
        "subject": subject_to_json(benchmark_problem("one")),
        "settings": settings.to_document(),
        "folder": "/a/folder/of/another/machine",
        "name": "remote",
        "session_id": "theirs",
        "sandbox": "auto",
        "caps": asdict(Caps()),
    }
    remote.keep("one", evaluate_remotely(order)["rows"])
    assert what_was_found(remote.path) == what_was_found(local.path)


@pytest.mark.nightly
def test_a_cluster_finds_the_same_although_a_worker_is_killed(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    names = ("a", "b")
    model = recording({"a": [WRONG, SLOW, FAST], "b": [SLOW, WRONG, LISTED, LOOP]})
    settings = EvaluationSettings(
        str(benchmark(*names)), split="", model=model, iterations=2, repeats=1, objective="time"
    )
    killed: list[int] = []

    def kill_one(event: EvaluationEvent) -> None:
        if event.step is Step.BEGUN and not killed:
            threading.Thread(target=kill_when_there).start()

    def kill_when_there() -> None:
        until = time.monotonic() + 60
        while not killed and time.monotonic() < until:
            if found := workers():
                killed.append(found[0])
                os.kill(found[0], signal.SIGKILL)
            time.sleep(0.05)

    local = begin_evaluation(tmp_path / "local", "local", settings)
    assert evaluate(local, Resources()).is_complete
    remote = begin_evaluation(tmp_path / "remote", "remote", settings)
    outcome = evaluate(remote, Resources(executor=Executor.RAY), on_event=kill_one)
    assert killed, "no worker was seen"
    assert outcome.is_complete, outcome.failed
    assert sorted(outcome.done) == list(names)
    assert what_was_found(remote.path) == what_was_found(local.path)
