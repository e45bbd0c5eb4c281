"""What is known of a program is not found out again, for as long as nothing that it depends on has changed."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import Bind, CallCase, FunctionEntry, Limits, Program, TestCase, Verdict
from afterburner.sandbox.installations import own_environment
from afterburner.sandbox.interpreter import python_environment
from afterburner.sandbox.known_runs import KEPT_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox import PythonEnvironment, Sandbox

DRAW = "import os\nprint(os.urandom(8).hex())\n"  # a second run never prints the same


@dataclass(frozen=True)
class Runs:
    """Runs programs of jobs that keep what they find in one folder."""

    sandbox: Sandbox
    folder: Path
    environment: PythonEnvironment

    def __call__(self, source: str = DRAW, *, stdin: bytes = b"", limits: Limits | None = None) -> bytes:
        with self.job() as job:
            program = Program("python", source, environment=self.environment)
            [case] = job.run_known(program, [TestCase(stdin)], limits or Limits())
            return case.stdout

    @contextmanager
    def job(self) -> Iterator[Sandbox]:
        with self.sandbox.branch(self.folder) as job:
            yield job

    def kept(self) -> list[Path]:
        return [path for path in self.folder.rglob("*") if path.is_file()]


@pytest.fixture
def runs(sandbox: Sandbox, tmp_path: Path) -> Runs:
    """With the system's Python where there is one: to look at its files takes a moment, at ours a second."""
    of_system = Path("/usr/bin/python3")
    environment = python_environment(sandbox, of_system) if of_system.exists() else own_environment()
    return Runs(sandbox, tmp_path / "known", environment)


def test_a_run_is_not_made_again_by_the_next_job(runs: Runs) -> None:
    first = runs()
    assert len(first) == len("0" * 16 + "\n")
    assert runs() == first
    with runs.job() as job:
        assert job.known is not None
        job.known.renew()
        program = Program("python", DRAW, environment=runs.environment)
        [again] = job.run_known(program, [TestCase()])
        assert again.stdout != first, "renewing finds it out again"
    assert runs() == again.stdout, "and keeps what it found"


def test_reports_come_back_as_they_were(runs: Runs, tmp_path: Path) -> None:
    path = tmp_path / "half.py"
    source = "import sys\ndef half(number):\n    print('a note', file=sys.stderr)\n    return number / 2\n"
    path.write_text(source)
    program = Program("python", source, FunctionEntry("half", str(path), "half"), environment=runs.environment)
    blob = b"no blob: the call cannot be read"
    with runs.job() as job:
        made = job.run_known(program, [CallCase((blob,))], is_final=lambda _: True)
    with runs.job() as job:
        assert job.run_known(program, [CallCase((blob,))]) == made
        assert job.known is not None
        assert job.known.recalled == 1


@pytest.mark.parametrize(
    "change", ["source", "stdin", "memory", "project file", "package", "new package", "import path", "working folder"]
)
def test_whatever_it_depends_on_makes_another_run(runs: Runs, tmp_path: Path, change: str) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "words.py").write_text("word = 1\n")

    def run(project: str = "a = 1\n", **given: object) -> bytes:
        with runs.job() as job:
            staged = job.staging_folder()
            (staged / "own.py").write_text(project)
            binds = (Bind(str(staged), "/project"), Bind(str(packages), "/packages"))
            environment = replace(runs.environment, binds=(*runs.environment.binds, *binds))
            environment = replace(environment, **given)  # type: ignore[arg-type]
            program = Program("python", str(given.pop("source", DRAW)), environment=environment)
            [case] = job.run_known(program, [TestCase()])
            return case.stdout

    first = run()
    assert run() == first, "the copy of the project is another folder each time; what it holds counts"
    if change == "source":
        assert runs(DRAW) == runs(DRAW) != runs(DRAW + "# another\n")
    elif change == "stdin":
        assert runs(stdin=b"1") != runs(stdin=b"2")
    elif change == "memory":
        assert runs(limits=Limits(memory_kib=500_000)) != runs(limits=Limits(memory_kib=600_000))
    elif change == "project file":
        assert run("a = 2\n") != first
        assert run() == first, "what was known before is still known"
    elif change == "package":
        then = (packages / "words.py").stat()
        (packages / "words.py").write_text("word = 2\n")
        os.utime(packages / "words.py", ns=(then.st_atime_ns, then.st_mtime_ns + 1))
        assert run() != first
    elif change == "new package":
        (packages / "more.py").write_text("")
        assert run() != first
    elif change == "import path":
        assert run(import_paths=("/packages",)) != first
    else:
        assert run(working_directory="/project") != first


def test_limits_of_time_do_not_count(runs: Runs) -> None:
    assert runs(limits=Limits(wall_time_s=9.0, cpu_time_s=7.5)) == runs(limits=Limits(wall_time_s=8.0))


@pytest.mark.parametrize("source", ["raise SystemExit(3)", "while True: pass", "x = bytearray(10**10)"])
def test_a_run_that_was_not_accepted_is_not_kept(runs: Runs, source: str) -> None:
    program = Program("python", source, environment=runs.environment)
    with runs.job() as job:
        [case] = job.run_known(program, [TestCase()], Limits(wall_time_s=1.0, memory_kib=200_000))
        assert case.verdict is not Verdict.ACCEPTED
    assert not runs.kept()


def test_what_is_not_final_is_not_kept(runs: Runs) -> None:
    program = Program("python", DRAW, environment=runs.environment)
    with runs.job() as job:
        [first] = job.run_known(program, [TestCase()], is_final=lambda _: False)
    assert not runs.kept()
    assert runs() != first.stdout


@pytest.mark.parametrize("damage", [b"", b"no zlib", b"x\x9c\xab\xaeU*I,V\xb2R*(MK\xcbI\x052\x8c"])
def test_damaged_files_are_as_good_as_none(runs: Runs, damage: bytes) -> None:
    first = runs()
    [path] = runs.kept()
    path.write_bytes(damage)
    second = runs()
    assert second != first
    assert runs() == second, "and are replaced"


def test_a_folder_that_cannot_be_written_costs_only_the_keeping(runs: Runs) -> None:
    runs.folder.write_text("a file where the folder would be")
    assert runs() != runs()
    assert runs.folder.read_text() == "a file where the folder would be"


def test_only_the_owner_may_read_what_is_kept(runs: Runs) -> None:
    runs()
    [path] = runs.kept()
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_what_nobody_asks_for_any_more_is_deleted(runs: Runs) -> None:
    runs()
    [old] = runs.kept()
    then_s = time.time() - KEPT_S - 60
    os.utime(old, (then_s, then_s))
    runs(DRAW + "# another\n")
    assert [path for path in runs.kept() if path == old] == []
    assert len(runs.kept()) == 1


def test_nothing_is_kept_where_nobody_says_so(sandbox: Sandbox, tmp_path: Path) -> None:
    program = Program("python", DRAW, environment=own_environment())
    with sandbox.branch() as job:
        assert job.run_known(program, [TestCase()]) != job.run_known(program, [TestCase()])
    assert list(tmp_path.iterdir()) == []
