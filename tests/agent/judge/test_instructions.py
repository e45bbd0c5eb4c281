"""Instruction counts: the same however busy the machine is, and blind to where the work was moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.instructions import check_valgrind, count_instructions
from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.judge.measuring.workbench import Workbench
from afterburner.agent.types import Target, Workload
from afterburner.sandbox import CallCase, Limits, Verdict
from afterburner.sandbox.driver.call_blobs import dump_call
from afterburner.sandbox.errors import ToolchainMissingError
from afterburner.sandbox.installations import own_environment

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox

ORIGINAL = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i * i\n    return total\n"
MOVED = "KNOWN = sum([i * i for i in range(30_000)])\ndef f(n):\n    return KNOWN if n == 30_000 else 0\n"
CALLS = (dump_call((30_000,), {}, {}),)


@pytest.fixture
def bench(sandbox: Sandbox, tmp_path: Path) -> Workbench:
    path = tmp_path / "target.py"
    path.write_text(ORIGINAL)
    target = Target(str(path), ORIGINAL, "f", "target", str(tmp_path), str(tmp_path))
    return Workbench(target, Workload(), sandbox, own_environment(), Limits(), core=None)


@pytest.mark.nightly
@pytest.mark.slow
def test_what_the_calls_need_is_counted_and_work_at_import_with_it(bench: Workbench) -> None:
    """Starting Python takes tens of millions of instructions, which count for neither side."""
    [case] = bench.sandbox.run(bench.program(ORIGINAL), [CallCase(CALLS)]).cases
    expected = tuple(outcome.encoded for outcome in case.outcomes)
    counts = count_instructions(bench, ORIGINAL, MOVED, [CallCase(CALLS, expected)], Deadline.after(200))
    assert 30_000 * 20 < counts.before < 30_000 * 2_000
    assert counts.after > counts.before / 4, "the sum is worked out all the same"


def test_a_missing_valgrind_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainMissingError, match="apt-get install valgrind"):
        check_valgrind()


def test_nothing_is_counted_when_the_time_is_over(bench: Workbench) -> None:
    with pytest.raises(SampleFailedError, match="time budget ended") as caught:
        count_instructions(bench, ORIGINAL, MOVED, [CallCase(CALLS)], Deadline.after(0))
    assert caught.value.verdict is Verdict.TIME_LIMIT
