"""Inputs that may become cases of a problem: its stored ones, and what its generator makes."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from afterburner.evals.datasets.generating import run_generator
from afterburner.evals.errors import RecordError
from afterburner.sandbox.types import KEPT_OUTPUT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.evals.datasets.raw import RawProblem
    from afterburner.evals.recipe.settings import RecipeSettings
    from afterburner.sandbox import Limits, Sandbox

_MOST_BYTES = KEPT_OUTPUT_BYTES // 2  # of inputs that are asked for at once: JSON may write a byte as several
_NO_GENERATOR = "no generator"
_PRIVATE_SEEDS = 1_000_003  # beyond the public seed: generators count up from the seed that they are given


class Pool(StrEnum):
    """Where a case comes from."""

    STORED = "stored"
    PUBLIC = "public"  # generated
    PRIVATE = "private"  # generated from another seed


@dataclass(frozen=True, slots=True)
class Candidate:
    """An input that may become a case; `expected` is what its dataset says has to be printed, if it says anything."""

    pool: Pool
    stdin: bytes
    expected: bytes | None = None


@dataclass(slots=True)
class Candidates:
    """Those of one problem, no two with the same input, and what has to be known of them."""

    found: list[Candidate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _seen: set[bytes] = field(default_factory=set)

    def of(self, pool: Pool) -> list[Candidate]:
        """Those of one pool, in the order in which they are tried."""
        return [each for each in self.found if each.pool is pool]

    def add(self, candidate: Candidate) -> None:
        """Add one, unless its input is there: whitespace at the end is no difference."""
        key = candidate.stdin.rstrip()
        if key not in self._seen:
            self._seen.add(key)
            self.found.append(candidate)


def find_candidates(sandbox: Sandbox, raw: RawProblem, settings: RecipeSettings) -> Candidates:
    """Take stored cases in a random order, then run the generator for public and, from another seed, for private ones.

    An input that is stored or public is never private. Where a generator is missing, hostile, never ends or makes
    garbage, the stored cases have to do: twice as many are taken, and the notes say why.

    Raises:
        AfterburnerError: as `Sandbox.run`.
    """
    generated = Candidates()
    if raw.generator.strip():
        _generate(sandbox, raw, settings, generated)
    else:
        generated.notes.append(_NO_GENERATOR)
    found = Candidates(notes=generated.notes)
    most = settings.cases + (0 if generated.found else settings.private_cases)
    for given, expected in _in_random_order(raw, settings)[:most]:
        found.add(Candidate(Pool.STORED, _encoded(given), _encoded(expected)))
    for each in generated.found:
        found.add(each)
    return found


def _generate(sandbox: Sandbox, raw: RawProblem, settings: RecipeSettings, into: Candidates) -> None:
    wanted = {Pool.PUBLIC: (settings.cases, settings.seed)}
    if settings.private_cases:
        spare = settings.private_cases // 4 + 1  # some may be public already, or the solutions disagree on them
        wanted[Pool.PRIVATE] = (settings.private_cases + spare, settings.seed + _PRIVATE_SEEDS)
    for pool, (count, seed) in wanted.items():
        try:
            for stdin in _inputs(sandbox, raw.generator, count, seed, settings.generator_limits):
                into.add(Candidate(pool, stdin))
        except RecordError as error:
            into.notes.append(f"The generator made no {pool.value} cases: {error}")
            return  # it would only fail again


def _inputs(sandbox: Sandbox, generator: str, count: int, seed: int, limits: Limits) -> Iterator[bytes]:
    """What the generator makes; fewer than wanted where its inputs are long."""
    first = run_generator(sandbox, generator, 1, seed, limits)[0]["input"]
    yield _encoded(first)
    fitting = max(1, min(count, _MOST_BYTES // (len(first) + 1)))
    if fitting > 1:
        for case in run_generator(sandbox, generator, fitting, seed, limits):
            yield _encoded(case["input"])


def _in_random_order(raw: RawProblem, settings: RecipeSettings) -> list[tuple[str, str]]:
    cases = list(raw.cases)
    random.Random(f"{settings.seed} {raw.id} cases").shuffle(cases)  # noqa: S311 - no secret
    return cases


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
