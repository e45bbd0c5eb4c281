"""What a soak runs: a third of it attacks, the rest known-good programs, chosen by seed and number alone."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox import Limits, Program, Task, TestCase, Verdict
from afterburner.sandbox.languages import LANGUAGES
from tests.sandbox.attack_files import read_attacks
from tests.sandbox.attack_host import WORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from afterburner.sandbox import Report
    from tests.sandbox.attack_files import Attack

IMAGE = "AFTERBURNER_TEST_IMAGE"  # set by scripts.docker_daemon, to the name of an image with Python and C++
PROGRAMS = Path(__file__).parents[2] / "tests" / "sandbox" / "programs"
_ATTACKS = 1 / 3
_ECHOES = 1 / 2  # share of echoes among the non-attacks sent to a service
_USUAL_S = 0.2  # what an attack takes that comes to no limit
_SELDOM = 0.1  # the share of programs that fill 100 MiB, which takes longer than all others together
_GENEROUS = Limits(wall_time_s=60.0, cpu_time_s=30.0)  # a busy machine; nothing good is about time


@dataclass(frozen=True)
class Sample:
    """A program, and what its report has to say.

    `prints` is None if that does not matter; `share` is how often it is chosen, beside others of its kind.
    """

    name: str
    language: str
    task: Task
    must: Verdict
    prints: bytes | None
    is_attack: bool
    share: float = 1.0

    def wrong(self, report: Report) -> str:
        """What is wrong with a report; empty: nothing."""
        for case in report.cases:
            if case.verdict != self.must:
                return f"{case.verdict} in place of {self.must}: {case.detail} {case.stderr[-300:]}"
            if self.prints is not None and case.stdout != self.prints:
                return f"it printed {case.stdout[:300]!r} in place of {self.prints[:300]!r}"
            if self.is_attack and (WORD.encode() in case.stdout or WORD in case.stderr):
                return f"the attack succeeded: {case.stdout[:300]!r} {case.stderr[-300:]}"
        return ""


class Samples:
    """Chooses among all that there are in some languages; the same number is always the same sample."""

    def __init__(
        self, seed: int, languages: Sequence[str], places: Mapping[str, str], *, of_a_service: bool = False
    ) -> None:
        self._seed = seed
        self._languages = languages
        self._of_a_service = of_a_service
        attacks = [each for each in read_attacks() if each.language in languages]
        if of_a_service:  # it compiles with its own limits, so attacks that need special ones get other verdicts
            attacks = [each for each in attacks if each.compile_limits is None]
        self._attacks = [_attack(each, places) for each in attacks]
        self._programs = {language: list(_programs(language)) for language in languages}

    def __getitem__(self, index: int) -> Sample:
        chance = random.Random(f"{self._seed} {index}")
        of_a_kind = self._attacks
        if chance.random() >= _ATTACKS:
            if self._of_a_service and chance.random() < _ECHOES:
                return _echo(index)
            of_a_kind = self._programs[chance.choice(self._languages)]
        return chance.choices(of_a_kind, [sample.share for sample in of_a_kind])[0]


def _echo(index: int) -> Sample:
    """Prints its own number, so that a report meant for another submission is noticed."""
    said = b"%d\n" % index
    task = Task(Program("python", "print(input())"), [TestCase(said, said)], _GENEROUS)
    return Sample("an echo", "python", task, Verdict.ACCEPTED, said, is_attack=False)


def _attack(attack: Attack, places: Mapping[str, str]) -> Sample:
    """What sleeps until a limit, or compiles until one, is chosen seldom."""
    program = attack.program(places)
    seconds = _USUAL_S * attack.cases
    if attack.must == Verdict.TIME_LIMIT:
        seconds = min(attack.limits.wall_time_s, attack.limits.cpu_time_s) * attack.cases
    if attack.compile_limits is not None:
        program = replace(program, language=_add_language(attack, attack.compile_limits))
    task = Task(program, attack.test_cases(places), attack.limits)
    return Sample(attack.name, attack.language, task, attack.must, attack.prints, is_attack=True, share=1 / seconds)


def _add_language(attack: Attack, compile_limits: Limits) -> str:
    """The name of a new language in the table: the attack's, with these limits."""
    language = LANGUAGES[attack.language]
    name = f"{language.name} of {attack.name}"
    image = os.environ.get(IMAGE, language.image)
    LANGUAGES[name] = replace(language, name=name, aliases=(), image=image, compile_limits=compile_limits)
    return name


def _programs(language: str) -> Iterator[Sample]:
    suffix = Path(LANGUAGES[language].source).suffix
    for source in sorted((PROGRAMS / language).glob(f"*{suffix}")):
        stdin = source.with_suffix(".in")
        case = TestCase(stdin.read_bytes() if stdin.exists() else b"", source.with_suffix(".out").read_bytes())
        yield Sample(
            name=f"programs/{language}/{source.name}",
            language=language,
            task=Task(Program(language, source.read_text("utf-8")), [case], _GENEROUS),
            must=Verdict.ACCEPTED,
            prints=None,
            is_attack=False,
            share=_SELDOM if source.stem == "storage" else 1.0,
        )
