"""Short ways to make calls of a function in the real sandbox."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Protocol

from afterburner.sandbox import Verdict
from afterburner.sandbox.differences import render_outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.sandbox import CaseReport, Limits


class Call(Protocol):
    """Makes calls of `f` (or `qualname`) in a module with this source."""

    def __call__(
        self,
        source: str,
        *blobs: bytes,
        qualname: str = "f",
        expected: tuple[bytes, ...] | None = None,
        passes: int = 1,
        cold: bool = False,
        limits: Limits | None = None,
        known_names: tuple[str, ...] | None = None,
    ) -> CaseReport: ...


def blob(
    *args: object, held: Mapping[str, object] | None = None, absent: tuple[str, ...] = (), **kwargs: object
) -> bytes:
    """A call as `call_blobs.dump_call` writes it."""
    return pickle.dumps((args, kwargs, dict(held or {}), absent), 4)


def shown(report: CaseReport) -> list[str]:
    assert report.verdict is Verdict.ACCEPTED, (report.detail, report.stderr)
    return [render_outcome(outcome.encoded) for outcome in report.outcomes]


def outcome_of(call: Call, source: str, *blobs: bytes, qualname: str = "f") -> tuple[bytes, ...]:
    report = call(source, *blobs, qualname=qualname)
    assert report.verdict is Verdict.ACCEPTED, (report.detail, report.stderr)
    return tuple(outcome.encoded for outcome in report.outcomes)


def verdict_on(call: Call, original: str, rewrite: str, *blobs: bytes, qualname: str = "f") -> tuple[Verdict, str]:
    expected = outcome_of(call, original, *blobs, qualname=qualname)
    report = call(rewrite, *blobs, qualname=qualname, expected=expected)
    return report.verdict, report.detail
