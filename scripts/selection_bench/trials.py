"""Makes the trials, each as `selfcheck` makes them, and writes down what became of them."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from afterburner.agent.judge.decide import Judge
from afterburner.agent.selfcheck.decision import best_of, confirm_alone
from afterburner.agent.selfcheck.place import calibrate, open_subject
from afterburner.agent.selfcheck.subjects import DISGUISES
from afterburner.agent.types import Objective
from scripts.selection_bench.busy import busy_cores, judging_beside
from scripts.selection_bench.plan import BUSY, FUNCTIONS, IDENTICAL, JUDGING, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.selfcheck.decision import Choice, Prepared
    from afterburner.agent.selfcheck.subjects import Subject
    from afterburner.agent.types import Gain
    from afterburner.sandbox.sandbox import Sandbox
    from scripts.selection_bench.book import Record


@dataclass
class Bench:
    """The functions, each set up when it is first needed."""

    sandbox: Sandbox
    min_effect: float
    alone_every: int  # the test by itself, once in so many trials on identical code; 0: never
    _folder: Path | None = None
    _subjects: dict[str, Subject] = field(default_factory=dict)
    _ready: dict[str, Prepared] = field(default_factory=dict)

    def make(self, trials: Sequence[Trial]) -> Iterator[Record]:
        """Makes one trial after the other; beside other work where a trial wants that."""
        with self.folder():
            for condition in dict.fromkeys(trial.condition for trial in trials):
                mine = [trial for trial in trials if trial.condition == condition]
                for name in dict.fromkeys(trial.function for trial in mine):
                    self.prepare(name)  # before the other work begins: setting up is not what is tried
                with ExitStack() as stack:
                    if condition == BUSY:
                        stack.enter_context(busy_cores())
                    if condition == JUDGING:
                        stack.enter_context(judging_beside())
                    for trial in mine:
                        yield self._make(trial)

    @contextmanager
    def folder(self) -> Iterator[None]:
        """Keeps the functions' files while the block runs."""
        with tempfile.TemporaryDirectory(prefix="afterburner-bench-") as folder:
            self._folder = Path(folder)
            self._ready.clear()
            yield

    def subject(self, name: str) -> Subject:
        """A function that was set up."""
        return self._subjects[name]

    def _make(self, trial: Trial) -> Record:
        prepared, subject = self.prepare(trial.function), self._subjects[trial.function]
        chance = Random(trial.key)
        judge = Judge(Objective.TIME, self.min_effect, chance.randrange(1_000_000))
        candidates = [subject.source(layout, slower=trial.gain) for layout in DISGUISES]
        faster = None
        if trial.gain != IDENTICAL:
            faster = chance.randrange(len(candidates))
            candidates[faster] = subject.source(DISGUISES[faster])
            prepared = prepared.of_source(subject.source(slower=trial.gain))
        choice = best_of(prepared, judge, candidates)
        record = {**_about(trial, subject, prepared), "faster": faster, **_told(choice)}
        alone = trial.gain == IDENTICAL and self.alone_every and trial.number % self.alone_every == 0
        if alone and choice.best is not None:
            record["alone"] = self._alone(prepared, judge, candidates[choice.best])
        return record

    def _alone(self, prepared: Prepared, judge: Judge, source: str) -> dict[str, Any]:
        """The confirmatory test of the candidate that ranks first, whatever screening saw in it."""
        test = confirm_alone(prepared, judge, source)
        said = test.comparison
        return {"decision": said.decision, **_gain(said.gain), "reason": said.reason, "seconds": test.elapsed_s}

    def prepare(self, name: str) -> Prepared:
        """The original of a function, set up when it is first needed, inside `make` or `folder`."""
        if name not in self._ready:
            assert self._folder is not None  # noqa: S101 - narrows the type
            if not self._subjects:
                wanted = {each.name: (each.shape, each.call_s) for each in FUNCTIONS}
                self._subjects = {subject.name: subject for subject in calibrate(self.sandbox, wanted)}
            place = self._folder / str(len(self._ready))
            place.mkdir()
            self._ready[name] = open_subject(self.sandbox, self._subjects[name], place)
        return self._ready[name]


def _about(trial: Trial, subject: Subject, prepared: Prepared) -> Record:
    return {
        "key": trial.key,
        **vars(trial),
        "call_s": statistics.median(call.cpu_time_s for call in prepared.bench.workload.calls),
        "rounds": subject.rounds,
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "load": os.getloadavg()[0],
    }


def _told(choice: Choice) -> Record:
    last = choice.confirmation
    return {
        "screened": [each.gain.ratio if each.gain else None for each in choice.screened],
        "decisions": [each.decision for each in choice.settled],
        "reasons": [each.reason for each in choice.settled],
        "confirmations": choice.confirmations,
        "offered": choice.offered,
        "confirmed": None if last is None else {"decision": last.decision, **_gain(last.gain)},
        "seconds": choice.elapsed_s,
    }


def _gain(gain: Gain | None) -> dict[str, Any]:
    if gain is None:
        return {"ratio": None, "low": None, "high": None, "blocks": 0}
    return {"ratio": gain.ratio, "low": gain.low, "high": gain.high, "blocks": gain.pairs}
