"""What an attack does to the host's own buffers and reports. The attacks themselves: `attacks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from conftest import Runner


def test_stdin_that_nobody_reads_is_not_the_programs_memory(run: Runner) -> None:
    report = run("print('done')", stdin=b"x" * (8 << 20), expected=b"done")
    assert report.verdict == Verdict.ACCEPTED
    assert report.measurement.peak_memory_kib < 60_000, "the meter's buffers are not the program's memory"


def test_long_stdin_arrives_whole_while_output_flows_back(run: Runner) -> None:
    source = "import sys\nwhile data := sys.stdin.buffer.read(1000): sys.stdout.buffer.write(data)"
    data = bytes(range(256)) * (1 << 12)
    assert run(source, stdin=data).stdout == data


def test_control_characters_and_floods_on_stderr_are_scrubbed(run: Runner) -> None:
    report = run("import sys; sys.stderr.write('\\x1b[31mred\\x07\\u202e' + 'y' * 200_000); sys.exit(1)")
    assert "\x1b" not in report.stderr + report.detail
    assert "\u202e" not in report.stderr
    assert len(report.stderr) < 70_000
    assert len(report.detail) < 300
