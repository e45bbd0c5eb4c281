"""Output of any size is judged while it comes in, and held nowhere as a whole."""

from __future__ import annotations

import time
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import Command, ContainerSpec, Limits, Program, TestCase, Verdict
from afterburner.sandbox.comparing_lines import LineComparison
from afterburner.sandbox.types import KEPT_OUTPUT_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox

LINE = b"0123456789abcdef" * 64 + b"\n"
LINES = 260_000  # some 266 MB
PRINTING = f"""
import sys
line = b"0123456789abcdef" * 64 + b"\\n"
block = line * 1000
for _ in range({LINES} // 1000): sys.stdout.buffer.write(block)
"""
ROOM = Limits(output_bytes=1 << 29, wall_time_s=60, cpu_time_s=60)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("expected") / "out"
    with path.open("wb") as file:
        for _ in range(LINES // 1000):
            file.write(LINE * 1000)
    return path


@pytest.mark.slow
def test_a_huge_output_is_accepted_without_being_held(sandbox: Sandbox, expected: Path) -> None:
    tracemalloc.start()  # what the allocator keeps for later use depends on the tests before
    try:
        report = sandbox.run(Program("python", PRINTING), [TestCase(b"", expected)], ROOM).cases[0]
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert report.verdict == Verdict.ACCEPTED, report.detail
    assert report.stdout_bytes == LINES * len(LINE) > 3 * KEPT_OUTPUT_BYTES
    assert len(report.stdout) == KEPT_OUTPUT_BYTES
    assert report.measurement.peak_memory_kib < 64 * 1024, "the meter's buffers are not the program's memory"
    assert peak_bytes < 2.5 * KEPT_OUTPUT_BYTES, "what is kept twice over, and some"


@pytest.mark.slow
def test_a_program_does_not_wait_for_its_judge(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = LineComparison.feed

    def dawdle(comparison: LineComparison, chunk: bytes | memoryview) -> None:
        if comparison._at == 0:
            time.sleep(6)
        feed(comparison, chunk)

    monkeypatch.setattr(LineComparison, "feed", dawdle)
    printing = Program("python", "print('x' * (12 << 20))")  # three times what the meter holds back
    report = sandbox.run(printing, [TestCase(b"", b"x" * (12 << 20))], Limits(wall_time_s=5)).cases[0]
    assert report.verdict == Verdict.ACCEPTED, report.detail


@pytest.mark.slow
def test_what_differs_only_at_the_end_is_found(sandbox: Sandbox, expected: Path) -> None:
    printing = [PRINTING + "print('one line more')", PRINTING.replace(f"{LINES} // 1000", f"{LINES} // 1000 - 1")]
    more, less = (
        sandbox.run(Program("python", source), [TestCase(b"", expected)], ROOM).cases[0] for source in printing
    )
    assert (more.verdict, less.verdict) == (Verdict.WRONG_ANSWER, Verdict.WRONG_ANSWER)
    assert f"line {LINES + 1}" in more.detail
    assert "one line more" in more.detail
    assert f"line {LINES - 999}" in less.detail
    assert "ends" in less.detail


def test_a_slow_reader_holds_the_program_up_and_loses_nothing(sandbox: Sandbox) -> None:
    taken = bytearray()

    def take_slowly(piece: memoryview) -> None:
        taken.extend(piece)
        time.sleep(0.002)

    size = 40_000_000
    command = Command(("sh", "-c", f"yes abcdefg | head -c {size}; echo done >&2"), {"PATH": "/bin:/usr/bin"})
    with sandbox.container(ContainerSpec()) as container:
        result = container.run(command, b"", ROOM, stdout_sink=take_slowly)
        assert (result.exit_code, result.limit, result.stdout_bytes) == (0, None, size)
        assert bytes(taken) == b"abcdefg\n" * (size // 8)
        assert result.stderr == b"done\n"
        assert container.run(Command(("/bin/echo", "next")), b"", Limits()).stdout == b"next\n"


def test_an_output_over_the_limit_ends_there(sandbox: Sandbox) -> None:
    limits = Limits(output_bytes=20_000_000, wall_time_s=30)
    report = sandbox.run(Program("python", "while True: print('y' * 65536)"), [TestCase()], limits).cases[0]
    assert report.verdict == Verdict.OUTPUT_LIMIT
    assert report.stdout_bytes == len(report.stdout) == 20_000_000
