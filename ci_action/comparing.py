"""Compares each changed function with the base commit: whole trees, with their changed helpers."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError, CancelledError, InputOptions, Job, NotTrustedError, WorkloadError
from afterburner.agent.batch.turns import share_of
from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.profiled_command import python_command
from afterburner.agent.options import BatchPlace
from afterburner.ci_action.findings import (
    Place,
    part_interrupted,
    part_not_reached,
    part_of_comparison,
    part_of_failure,
    section_of_change,
)
from afterburner.ci_action.optimizing import beyond_the_most, key_of, proof_of
from afterburner.ci_action.report.document import Mode
from afterburner.ci_action.report.words import plain_reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent import Session
    from afterburner.agent.events import OnEvent, ProgressEvent
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.ci_action.changes import ChangedFunction
    from afterburner.ci_action.gathered import Gathered
    from afterburner.ci_action.optimizing import Key
    from afterburner.ci_action.options import CiOptions
    from afterburner.ci_action.repository import Range

_MOVED = "it seems to come from {}, changed as well, and no import or assignment of its name there can be compared"
_SURVEY_SHARE, _LONGEST_SURVEY_S = 0.25, 120.0


@dataclass(frozen=True, slots=True)
class Comparing:
    """Compares functions of two commits.

    Attributes:
        session: with a sandbox.
        options: of the call.
        span: the commits.
        gathered: receives what was found.
        on_event: receives progress events.
    """

    session: Session
    options: CiOptions
    span: Range
    gathered: Gathered
    on_event: OnEvent

    def compare(self, functions: Mapping[Key, ChangedFunction]) -> None:
        """Compare the functions that both commits have, the hottest first. One that was moved away has no answer.

        Raises:
            AfterburnerError: nothing could be done at all, such as for want of a sandbox.
        """
        deadline = Deadline.after(self.options.search.max_seconds)
        old = {key: each for key, each in functions.items() if not each.is_new}
        self.gathered.functions += [
            part_of_failure(Place(each, None), _MOVED.format(each.moved_from), 0.0)
            for each in functions.values()
            if each.moved_from
        ]
        if not old:
            return
        try:
            self._compare_hottest(old, deadline)
        except KeyboardInterrupt:
            self.gathered.interrupted = True
            told = {(each.file, each.function) for each in self.gathered.functions}
            told |= {(each.file, each.function or "") for each in self.gathered.left_out}
            self.gathered.functions += [part_interrupted(Place(old[key], None)) for key in old if key not in told]

    def _compare_hottest(self, functions: Mapping[Key, ChangedFunction], deadline: Deadline) -> None:
        ranked = self._ranked(functions)
        places, rest = ranked[: self.options.most_functions], ranked[self.options.most_functions :]
        self.gathered.left_out += [beyond_the_most(each.function, self.options) for each in rest]
        for number, place in enumerate(places):
            share_s = share_of(deadline.left_s(), len(places) - number, self.options.search.max_seconds)
            if share_s is None:
                self.gathered.functions.append(part_not_reached(place))
                continue
            self._compare_one(place, share_s, partial(self._tell, place.function.name, number + 1, len(places)))

    def _tell(self, function: str, number: int, functions: int, event: ProgressEvent) -> None:
        self.on_event(replace(event, target=function, number=number, targets=functions))

    def _ranked(self, functions: Mapping[Key, ChangedFunction]) -> list[Place]:
        """The functions by how hot they are. Those that no test calls come last: they may have inputs of their own."""
        options = self.options
        limit_s = min(_SURVEY_SHARE * options.search.max_seconds, _LONGEST_SURVEY_S)
        try:
            ranked = self.session.survey(
                options.root, options.command, python=options.python, limit_s=limit_s, on_event=self.on_event
            )
        except WorkloadError as error:
            self.gathered.notes.append(plain_reason(error, options.root))
            ranked = []
        hot = {key_of(options.root, target): target for target in ranked}
        places = [
            Place(functions[key], target.share, target.test_files) for key, target in hot.items() if key in functions
        ]
        return places + [Place(each, None) for key, each in functions.items() if key not in hot]

    def _compare_one(self, place: Place, share_s: float, on_event: OnEvent) -> None:
        started_s = time.monotonic()
        try:
            result = self._compared(place, share_s, on_event)
        except (CancelledError, NotTrustedError):
            raise
        except AfterburnerError as error:
            reason = plain_reason(error, self.options.root)
            self.gathered.functions.append(part_of_failure(place, reason, time.monotonic() - started_s))
            return
        self.gathered.functions.append(part_of_comparison(place, result))
        self.gathered.sections.append(section_of_change(result))
        self.gathered.machine = result.machine

    def _compared(self, place: Place, share_s: float, on_event: OnEvent) -> ComparisonResult:
        function, options = place.function, self.options
        words = python_command(options.command)
        folder = str(Path.cwd()) if words else ""
        batch = BatchPlace(command=words, command_folder=folder, test_files=place.test_files or None)
        old, new = options.root / function.base_file, options.root / function.file
        inputs = InputOptions(python=options.python)
        before = Job.from_revision(old, self.span.base.hexsha, function=function.name, inputs=inputs)
        after = Job.from_revision(new, self.span.head.hexsha, function=function.name)
        return self.session.compare(
            replace(before, batch=batch),
            after,
            replace(options.search, max_seconds=share_s),
            # A slow-down counts whatever else the pull request changes; a claim to be faster has to be right as well.
            proof=replace(proof_of(options), real_calls_alone=options.mode is Mode.REGRESSIONS),
            on_event=on_event,
        )
