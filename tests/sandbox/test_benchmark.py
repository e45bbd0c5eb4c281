"""The benchmark runs, and what it writes is what it says; its figures are for people to judge, on a quiet machine."""

from __future__ import annotations

import json
import math
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scripts.bench.bare import UnableError, build

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "scripts.bench_sandbox", "--quick", "--rounds", "1", "--backend", "bubblewrap"]


@pytest.mark.parametrize("source", sorted((ROOT / "scripts" / "bench").glob("*.c")), ids=lambda path: path.name)
def test_its_c_programs_compile_without_warnings(source: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler: apt-get install gcc libc6-dev")
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only"]
    done = subprocess.run([compiler, *flags, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_bare_process_has_to_print_what_is_expected(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: apt-get install gcc libc6-dev")
    bare = build(tmp_path)
    texts = [tmp_path / name for name in ("same", "longer", "shorter", "other")]
    for path, text in zip(texts, (b"3 4\n", b"3 4\n5\n", b"3", b"3 5\n"), strict=True):
        path.write_bytes(text)
    echo = (str(tmp_path / "echo"),)
    processes, _ = bare(echo, {}, None, 2, (texts[0], texts[0]))
    assert [each.line for each in processes] == ["3 4", "3 4"]
    for expected in texts[1:]:
        with pytest.raises(UnableError, match="status 65536"):
            bare(echo, {}, None, 1, (texts[0], expected))
    assert bare(echo, {}, None)[0][0].line == "", "without a file, the input is empty"


@pytest.fixture
def start(tmp_path: Path) -> Callable[[], subprocess.Popen[str]]:
    """Starts the benchmark, with a temporary folder of its own."""
    (tmp_path / "temporary").mkdir()

    def started() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, "--json", str(tmp_path / "found.json")],
            cwd=ROOT,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": str(tmp_path / "temporary")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return started


def figures(row: dict[str, Any]) -> list[float]:
    return [row[name] for name in ("sandbox", "reference", "result", "worst", "best")]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.usefixtures("sandbox")
def test_it_answers_every_question(start: Callable[[], subprocess.Popen[str]], tmp_path: Path) -> None:
    with start() as running:
        printed, told = running.communicate()
    assert running.returncode == 0, told
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert found["schema"] == 1
    assert not found["interrupted"]
    assert len({row["group"] for row in found["rows"]}) == 8
    for row in found["rows"]:
        assert all(math.isfinite(figure) for figure in figures(row)), row
        assert row["kind"] in found["kinds"]
        assert (row["met"] is None) == (row["goal"] is None)
        assert row["what"] in printed
    positive = [row for row in found["rows"] if row["unit"] in {"/s", "KiB", "KiB·s"}]
    assert all(row["sandbox"] > 0 and row["reference"] > 0 for row in positive)
    assert found["machine"]["cpu_model"] in printed
    assert "load average" in printed


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_an_interrupt_shows_what_there_is_and_leaves_nothing(
    start: Callable[[], subprocess.Popen[str]], tmp_path: Path
) -> None:
    with start() as running:
        assert running.stderr is not None
        assert "python hello" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        printed, told = running.communicate()
    assert running.returncode == 130, told
    assert "interrupted" in printed
    assert "Traceback" not in told
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert found["interrupted"]
    assert [row["what"] for row in found["rows"]] in ([], ["python hello, 100 tests"]), "whatever was done by then"
    assert list((tmp_path / "temporary").glob("afterburner-bench-*")) == []
