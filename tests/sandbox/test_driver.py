"""Calls made by the driver inside the real sandbox."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import CallCase, FunctionEntry, Limits, Program, Verdict
from afterburner.sandbox.differences import render_outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from afterburner.sandbox import CaseReport, Sandbox

    Run = Callable[..., CaseReport]


def blob(
    *args: object, absent: tuple[str, ...] = (), held: Mapping[str, object] | None = None, **kwargs: object
) -> bytes:
    """A call as `ab_calls.dump_call` writes it."""
    return pickle.dumps((args, kwargs, dict(held or {}), absent), 4)


@pytest.fixture
def run(sandbox: Sandbox) -> Run:
    def call(source: str, *calls: bytes, qualname: str = "f", expected: tuple[bytes, ...] | None = None, passes: int = 1,
             cold: bool = False, limits: Limits = Limits()) -> CaseReport:  # fmt: skip
        program = Program("python", source, FunctionEntry("target_module", "/afterburner/program/t.py", qualname))
        case = CallCase(calls, expected, passes=passes, cold_caches=cold)
        return sandbox.run(program, [case], limits).cases[0]

    return call


def shown(report: CaseReport) -> list[str]:
    return [render_outcome(outcome.encoded) for outcome in report.outcomes]


def test_a_call_is_answered_with_its_outcome_and_its_times(run: Run) -> None:
    report = run("def f(n):\n    return sum(i * i for i in range(n))\n", blob(10), blob(n=200_000))
    assert (report.verdict, report.detail) == (Verdict.ACCEPTED, "")
    assert shown(report) == ["returned 285", "returned 2666646666700000"]
    small, large = report.outcomes
    assert 0 <= small.cpu_time_s < large.cpu_time_s <= report.measurement.cpu_time_s
    assert report.call_measurement is not None
    assert report.call_measurement.peak_memory_kib <= report.measurement.peak_memory_kib
