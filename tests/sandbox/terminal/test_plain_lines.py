"""Lines of progress in a pipe."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from afterburner.sandbox.terminal.plain_lines import PlainLines

PATIENCE_S = 60


class Told(io.StringIO):
    """Text that says when something was added."""

    def __init__(self) -> None:
        super().__init__()
        self.added = threading.Event()

    def write(self, text: str) -> int:
        """Write, and say so."""
        written = super().write(text)
        self.added.set()
        return written


def test_a_long_wait_is_told_with_what_is_done_or_was_and_ends_with_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told()
    monkeypatch.setattr(sys, "stderr", told)
    lines = PlainLines()
    lines.show("judge: judging 3 candidates", ongoing=True)
    with lines.never_silent(0.01):
        told.added.clear()
        assert told.added.wait(PATIENCE_S), "nobody has shown another line"
        lines.note("judge: 1.1 is promising")
        while "last step: judge: 1.1 is promising" not in told.getvalue():
            told.added.clear()
            assert told.added.wait(PATIENCE_S)
    assert not [each for each in threading.enumerate() if each.name == "progress"], "it ends with the work"
    first, second, *_ = told.getvalue().splitlines()
    assert re.fullmatch(r"\[\d+:\d\d\] judge: judging 3 candidates", first)
    assert re.fullmatch(r"\[\d+:\d\d\] still at work on: judge: judging 3 candidates", second)


def test_lines_that_come_in_time_need_no_reminder(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told()
    monkeypatch.setattr(sys, "stderr", told)
    lines = PlainLines()
    with lines.never_silent(PATIENCE_S):
        lines.show("one")
        lines.show("two")
    assert [line.partition("] ")[2] for line in told.getvalue().splitlines()] == ["one", "two"]


def test_a_reader_that_is_gone_stops_the_reminders_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = threading.Event()

    class Gone(io.StringIO):
        def write(self, _text: str, /) -> int:
            tried.set()
            raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(sys, "stderr", Gone())
    with PlainLines().never_silent(0.01):
        assert tried.wait(PATIENCE_S)


FULL_LOG = """\
from afterburner.sandbox.terminal.plain_lines import PlainLines

lines = PlainLines()
lines.show("one")
lines.show("two")
print("the result")
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is full")
def test_a_log_on_a_full_disk_costs_no_result() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", FULL_LOG], stdout=subprocess.PIPE, stderr=full, text=True, check=False, timeout=60
        )
    assert (done.returncode, done.stdout) == (0, "the result\n")
