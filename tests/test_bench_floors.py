"""The benchmark of the floors: a floor that fails is a row, nothing is left behind, and a real run gives figures."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.bench_floors import BARE, Row, measure_round, shown
from scripts.eval_chain import answer_with, code_of
from scripts.floor_bench.floor import Floor, FloorFailedError, bare_s, finish
from scripts.latency_bench.versions import Program

ROOT = Path(__file__).parents[1]
BEFORE, HERE = Program("v1", ()), Program("here", ())


def measured(program: Program, place: Path) -> dict[str, float]:
    assert not list(place.iterdir()), "each measurement has a folder of its own"
    (place / "left").touch()
    if program is BEFORE:
        raise FloorFailedError("there was no editor")
    return {"click": 6.0, "second click": 3.0}


FLOOR = Floor("editor", "s", 3, measured, lambda _place: 2.0, "its own run")


def test_a_version_without_the_floor_is_a_row_that_failed_and_the_others_are_measured(tmp_path: Path) -> None:
    rows: list[Row] = []
    measure_round(FLOOR, [BEFORE, HERE], tmp_path / "0", rows)
    measure_round(replace(FLOOR, bare=lambda _place: 4.0), [BEFORE, HERE], tmp_path / "1", rows)
    assert [(row.version, row.what, row.figures) for row in rows] == [
        (BARE, "its own run", [2.0, 4.0]),
        ("v1", "", []),
        ("here", "click", [6.0, 6.0]),
        ("here", "second click", [3.0, 3.0]),
    ]
    text = shown(rows)
    assert "| editor | its own run | bare processes | 3 s | 2 to 4 | 2 |  |" in text
    assert "| editor |  | v1 | FAILED |" in text
    assert "| editor | click | here | 6 s | 6 to 6 | 2 | 2.00x |" in text
    assert "editor, v1: there was no editor" in text


def test_without_bare_processes_there_is_no_ratio(tmp_path: Path) -> None:
    def missing(_place: Path) -> float:
        raise FloorFailedError("no data")

    rows: list[Row] = []
    measure_round(replace(FLOOR, bare=missing), [HERE], tmp_path / "0", rows)
    assert "| editor | click | here | 6 s | 6 to 6 | 1 |  |" in shown(rows)
    assert "editor, bare processes: no data" in shown(rows)


def test_a_command_that_fails_says_why_and_one_that_hangs_leaves_no_process(tmp_path: Path) -> None:
    assert finish(("sh", "-c", "pwd; cat"), tmp_path, os.environ, 60) == f"{tmp_path}\n", "and stdin is empty"
    with pytest.raises(FloorFailedError, match="exit code 3: no luck"):
        finish(("sh", "-c", "echo first >&2; echo no luck >&2; exit 3"), tmp_path, os.environ, 60)
    with pytest.raises(FloorFailedError, match="did not end within 1 s"):
        finish(("sh", "-c", "sleep 300 & echo $! > child; wait"), tmp_path, os.environ, 1)
    child = int((tmp_path / "child").read_text())
    until_s = time.monotonic() + 60
    while is_running(child) and time.monotonic() < until_s:  # a kill takes a moment on a busy machine
        time.sleep(0.01)
    assert not is_running(child)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_bare_programs_get_their_input_and_take_at_least_their_own_time(tmp_path: Path) -> None:
    program = "import sys, time\ntime.sleep(float(input()))\nopen('seen', 'a').write('x')\n"
    took_s = bare_s([(program.replace("'seen'", repr(str(tmp_path / "seen"))), "0.1\n")] * 3, tmp_path)
    assert took_s >= 0.3
    assert (tmp_path / "seen").read_text() == "xxx"


def test_the_code_of_a_recorded_answer_is_found_again() -> None:
    code = "text = '```'\nprint(text)\n"
    assert code_of(answer_with(code)) == code


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.usefixtures("sandbox")
def test_it_measures_rewards_and_writes_them(tmp_path: Path) -> None:
    done = subprocess.run(
        command(tmp_path), cwd=ROOT, env=variables(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert [(row["version"], row["what"], row["failure"]) for row in rows] == [
        (BARE, "each program once on each test", ""),
        ("here", "rewards a second", ""),
    ]
    assert all(figure > 0 for row in rows for figure in row["figures"])
    assert "rewards a second" in done.stdout
    assert list((tmp_path / "temporary").glob("afterburner-floors-*")) == []


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_an_interrupt_shows_what_there_is_and_leaves_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        command(tmp_path, "9"),
        cwd=ROOT,
        env=variables(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        assert "iteration 1" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        printed, told = running.communicate()
    assert running.returncode == 130, told
    assert "Traceback" not in told
    assert "rewards a second" in printed
    assert list((tmp_path / "temporary").iterdir()) == []


def command(folder: Path, rounds: str = "1") -> list[str]:
    words = ["--only", "training", "--rounds", rounds, "--json", str(folder / "found.json")]
    return [sys.executable, "-m", "scripts.bench_floors", *words]


def variables(folder: Path) -> dict[str, str]:
    """A temporary folder of its own, and what the Makefile sets."""
    (folder / "temporary").mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder / "temporary"),
        "PYTHONPATH": "tests/lsp_server:tests/ci_action",
    }
