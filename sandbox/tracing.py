"""Records what this process does and when, as spans. It records nothing outside `recording`.

Names and facts of spans come from a fixed vocabulary: no code, no output and no path goes into them, so that a trace
can be shared.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Fact = str | int | float

SANDBOX, MODEL, STEPS = "sandbox", "model", "steps"  # lanes; those of pinned runs are `core 3`

_recorder: Recorder | None = None
_WITHIN: ContextVar[str] = ContextVar("within", default="")  # the span that one is in, of this thread


@dataclass(frozen=True, slots=True)
class Span:
    """Something that took time, in nanoseconds of `time.monotonic_ns`.

    Attributes:
        lane: what it kept busy: a core, the sandbox, a model; or the steps of a job.
        row: which thread or which job it was in. Within a lane and a row, spans are nested or apart.
    """

    lane: str
    row: str
    name: str
    start_ns: int
    end_ns: int
    facts: Mapping[str, Fact]


@dataclass(slots=True)
class Recorder:
    """The spans of a process. Any thread may add some."""

    spans: list[Span] = field(default_factory=list)
    started_ns: int = field(default_factory=time.monotonic_ns)
    _open: dict[str, tuple[str, int, Mapping[str, Fact]]] = field(default_factory=dict)  # the step that a job is at
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, span: Span) -> None:
        """Keep a span."""
        with self._lock:
            self.spans.append(span)

    def begin_step(self, job: str, name: str, facts: Mapping[str, Fact]) -> None:
        """End the step that a job is at, and begin the next."""
        self.end_step(job)
        with self._lock:
            self._open[job] = name, time.monotonic_ns(), facts

    def end_step(self, job: str) -> None:
        """End the step that a job is at, if it is at one."""
        with self._lock:
            found = self._open.pop(job, None)
            if found is not None:
                name, start_ns, facts = found
                self.spans.append(Span(STEPS, job, name, start_ns, time.monotonic_ns(), facts))

    def finish(self) -> None:
        """End the steps that jobs are at."""
        for job in tuple(self._open):
            self.end_step(job)

    def steps(self) -> str:
        """The steps that jobs are at just now; several where several jobs work."""
        with self._lock:
            return ", ".join(sorted({name for name, _, _ in self._open.values()}))


@contextmanager
def recording() -> Iterator[Recorder]:
    """Record what the whole process does while the block runs."""
    global _recorder  # noqa: PLW0603 - one for the process: threads and libraries need not be told of it
    _recorder = recorder = Recorder()
    try:
        yield recorder
    finally:
        _recorder = None
        recorder.finish()


def recorder() -> Recorder | None:
    """The recorder in place, if there is one."""
    return _recorder


@contextmanager
def span(lane: str, name: str, **facts: Fact) -> Iterator[None]:
    """Record what the block does, and why it runs: `within` names the enclosing span, `step` the steps of jobs."""
    found = _recorder
    if found is None:
        yield
        return
    within, step = _WITHIN.get(), found.steps()
    reasons = {key: value for key, value in (("within", within), ("step", step)) if value}
    token = _WITHIN.set(name)
    start_ns = time.monotonic_ns()
    try:
        yield
    finally:
        _WITHIN.reset(token)
        row = f"thread {threading.get_ident()}"
        found.add(Span(lane, row, name, start_ns, time.monotonic_ns(), {**facts, **reasons}))


def core_lane(cpu: int | None) -> str:
    """The lane of work that is pinned to a core; the sandbox's lane for work that is not."""
    return SANDBOX if cpu is None else f"core {cpu}"
