"""The check of a machine: decisions on identical code, the noise in them, and what can be found in that noise."""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.deadline import Deadline
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.measuring.figures import CPU
from afterburner.agent.judge.min_effect import LOWEST, remember
from afterburner.agent.machine import describe_machine
from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.agent.selfcheck.decision import best_of, confirm_alone
from afterburner.agent.selfcheck.findings import (
    FEWEST_BLOCKS,
    Findings,
    Known,
    Tried,
    accepted_rate,
    failures,
    floor_of,
    offered_rate,
    suitable_min_effect,
)
from afterburner.agent.selfcheck.place import calibrate, open_subject
from afterburner.agent.selfcheck.subjects import DISGUISES, SHAPES
from afterburner.agent.types import Objective

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.selfcheck.decision import Prepared
    from afterburner.agent.selfcheck.subjects import Shape, Subject
    from afterburner.agent.types import Machine
    from afterburner.sandbox.sandbox import Sandbox

FUNCTIONS: dict[str, tuple[Shape, float]] = {
    "microseconds": (SHAPES[0], 5e-6),
    "tenths of a millisecond": (SHAPES[1], 3e-4),
    "milliseconds": (SHAPES[2], 4e-3),
    "tens of milliseconds": (SHAPES[0], 3e-2),
}
NOISE_SHARE = 0.5  # of the time, at most: to set the functions up and to learn their noise
KNOWN_SHARE = 0.2  # of the time: to check what is computed from it by gains of known size
KNOWN_TRIALS = 5
_FIRST_KNOWN, _FIRST_DECISION = 1_000, 100  # seeds, so that no two comparisons toss the same coins
_MOST_TESTS = 4  # of a subject's own code, to learn its noise


@dataclass(slots=True)
class SelfCheck:
    """One check. What is known so far can be asked for at any time, after an interrupt too."""

    sandbox: Sandbox
    max_seconds: float
    decisions_wanted: int
    on_event: OnEvent
    seed: int = 0
    functions: Mapping[str, tuple[Shape, float]] = field(default_factory=lambda: FUNCTIONS)
    machine: Machine | None = None
    tried: list[Tried] = field(default_factory=list)
    known: Known | None = None
    decided_at: float = DEFAULT_MIN_EFFECT
    _subjects: list[Subject] = field(default_factory=list)
    _prepared: list[Prepared] = field(default_factory=list)
    _started_s: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """Carry it out; it ends when the decisions or the time are used up, and makes one of each kind at least.

        Raises:
            AfterburnerError: the sandbox failed, or the functions of the check do not run here.
        """
        begin_s = time.monotonic()
        until = Deadline(begin_s + self.max_seconds)
        with tempfile.TemporaryDirectory(prefix="afterburner-selfcheck-") as folder:
            self.on_event(ProgressEvent(kind=EventKind.CHOOSING_FUNCTIONS, detail=", ".join(self.functions)))
            subjects = calibrate(self.sandbox, self.functions)
            for number, subject in enumerate(subjects, start=1):
                self._prepare(subject, Path(folder, str(number)))
                used_s = NOISE_SHARE * self.max_seconds * number / len(subjects)
                self._learn_noise(Deadline(begin_s + used_s))
            self.decided_at = suitable_min_effect(self.tried) or DEFAULT_MIN_EFFECT
            decide_until = Deadline(until.at_s - KNOWN_SHARE * self.max_seconds)
            for number in range(self.decisions_wanted):
                if number and decide_until.passed():
                    break
                self._decide_on_identical(number)
            self._try_known_gain(until)

    def findings(self) -> Findings:
        """What is known so far. The simulation behind it takes some seconds."""
        min_effect = suitable_min_effect(self.tried)
        shown_at = self.decided_at if min_effect is None else min_effect
        return Findings(
            machine=self.machine,
            floors=tuple(floor_of(each, each.noise(), shown_at) for each in self.tried),
            decided_at=self.decided_at,
            offered=offered_rate(self.tried),
            accepted=accepted_rate(self.tried),
            failed=failures(self.tried),
            known=self.known,
            min_effect=min_effect,
            elapsed_s=time.monotonic() - self._started_s,
        )

    def _prepare(self, subject: Subject, folder: Path) -> None:
        folder.mkdir()
        prepared = open_subject(self.sandbox, subject, folder)
        call_s = statistics.median(call.cpu_time_s for call in prepared.bench.workload.calls)
        self.on_event(ProgressEvent(kind=EventKind.CHOSE_FUNCTION, subject=subject.name, seconds=call_s))
        self.machine = self.machine or describe_machine(self.sandbox, prepared.bench.environment)
        self._subjects.append(subject)
        self._prepared.append(prepared)
        self.tried.append(Tried(subject.name, call_s))

    def _learn_noise(self, until: Deadline) -> None:
        """Test the function that was prepared last against itself, at the strictest minimum effect."""
        tried, prepared = self.tried[-1], self._prepared[-1]
        for number in range(_MOST_TESTS):
            if len(tried.log_ratios(CPU)) >= FEWEST_BLOCKS or (number and until.passed()):
                return
            judge = Judge(Objective.TIME, LOWEST, self.seed + len(self.tried) * _MOST_TESTS + number)
            tried.tests.append(confirm_alone(prepared, judge, prepared.original.source))
            self.on_event(
                ProgressEvent(
                    kind=EventKind.LEARNED_NOISE,
                    stage=Stage.NOISE,
                    subject=tried.name,
                    detail=tried.tests[-1].comparison.reason,
                )
            )

    def _decide_on_identical(self, number: int) -> None:
        """Offer the same code six times over, in other words; whatever wins is a false accept."""
        index = number % len(self.tried)
        subject, tried = self._subjects[index], self.tried[index]
        judge = Judge(Objective.TIME, self.decided_at, self.seed + _FIRST_DECISION + number)
        sources = [subject.source(layout) for layout in DISGUISES]
        choice = best_of(self._prepared[index], judge, sources)
        tried.choices.append(choice)
        rate = offered_rate(self.tried)
        self.on_event(
            ProgressEvent(
                kind=EventKind.DECIDED_ON_IDENTICAL,
                stage=Stage.IDENTICAL,
                subject=tried.name,
                candidate="" if choice.offered is None else str(choice.offered + 1),
                count=rate.hits,
                most=rate.trials,
            )
        )

    def _try_known_gain(self, until: Deadline) -> None:
        """Check what is computed from the noise by decisions on code that does more work, by just so much."""
        index = len(self.tried) - 1  # the longest: its rounds are many, so that the gain can be chosen to the percent
        noise, min_effect = self.tried[index].noise(), suitable_min_effect(self.tried)
        if noise is None or min_effect is None:
            return
        subject = self._subjects[index]
        gain = math.ceil(noise.smallest_gain(min_effect) * subject.rounds) / subject.rounds
        slowed = self._prepared[index].of_source(subject.source(slower=gain))
        found = 0
        for number in range(1, KNOWN_TRIALS + 1):
            if until.passed():
                return
            judge = Judge(Objective.TIME, min_effect, self.seed + _FIRST_KNOWN + number)
            found += best_of(slowed, judge, [subject.source()]).offered is not None
            self.known = Known(subject.name, gain, found, number)
            self.on_event(
                ProgressEvent(
                    kind=EventKind.TRIED_KNOWN_GAIN,
                    stage=Stage.KNOWN,
                    subject=subject.name,
                    ratio=gain,
                    count=found,
                    most=number,
                )
            )


def keep(findings: Findings) -> Path | None:
    """Store the minimum effect, if one was found, as the default of later runs on this machine; where it is now.

    Raises:
        AfterburnerError: it cannot be written.
    """
    if findings.machine is None or findings.min_effect is None:
        return None
    return remember(findings.machine, findings.min_effect, decisions=findings.offered.trials)
