"""Chooses the cases of a problem: where all solutions agree, and what is not public is private."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.usage import counted
from afterburner.evals.recipe.candidates import Pool
from afterburner.sandbox import TestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from afterburner.evals.recipe.candidates import Candidate, Candidates
    from afterburner.evals.recipe.settings import RecipeSettings
    from afterburner.evals.recipe.trials import Trials


@dataclass(frozen=True, slots=True)
class ChosenCases:
    """The cases of one problem, and what has to be known of them."""

    public: tuple[TestCase, ...]
    private: tuple[TestCase, ...]
    notes: tuple[str, ...]


def choose_cases(
    trials: Trials,
    solutions: Sequence[str],
    candidates: Candidates,
    settings: RecipeSettings,
    on_run: Callable[[int], object],
) -> ChosenCases:
    """Run the solutions on what was generated, and choose public and private cases of what they agree on.

    Half of the public cases are generated and half are stored ones, for stored ones are often tiny and generated ones
    often all alike; where one kind does not suffice, there is more of the other. The private ones are generated from
    another seed. Where they do not suffice, stored cases that are not public join them.

    Args:
        trials: what the solutions are run with.
        solutions: those that pass the stored cases.
        candidates: the inputs.
        settings: how many of each.
        on_run: receives how many solutions have been run in a round.

    Raises:
        CheckerError: the problem's evaluator failed.
        AfterburnerError: as `Sandbox.run_many`.
    """
    notes = list(candidates.notes)
    stored = [TestCase(each.stdin, each.expected) for each in candidates.of(Pool.STORED)]
    agreed: dict[Pool, list[TestCase]] = {Pool.STORED: stored, Pool.PUBLIC: [], Pool.PRIVATE: []}
    wanted = {Pool.PUBLIC: _generated_share(settings.cases, len(stored)), Pool.PRIVATE: settings.private_cases}
    waiting = {pool: deque(candidates.of(pool)) for pool in wanted}
    dropped: Counter[str] = Counter()
    while batch := [each for pool in wanted for each in _next(waiting[pool], wanted[pool] - len(agreed[pool]))]:
        found, reasons = trials.agreed(solutions, batch, on_run)
        dropped.update(reasons)
        for candidate, case in zip(batch, found, strict=True):
            if case is not None:
                agreed[candidate.pool].append(case)
    notes += [f"{counted(count, 'case')} dropped: {reason}" for reason, count in sorted(dropped.items())]
    chosen = _share_out(agreed, settings, notes)
    if chosen.private or not settings.private_cases or not chosen.public:
        return chosen
    if candidates.of(Pool.PRIVATE):
        generated = "all generated ones were dropped"
    else:
        generated = "only public ones were generated" if candidates.of(Pool.PUBLIC) else "none was generated"
    return replace(chosen, notes=(*chosen.notes, f"no private cases: {generated}, and no stored one is left for them"))


def _share_out(agreed: Mapping[Pool, list[TestCase]], settings: RecipeSettings, notes: list[str]) -> ChosenCases:
    """Share out what is left; each case goes to one side alone."""
    stored, public, private = agreed[Pool.STORED], agreed[Pool.PUBLIC], agreed[Pool.PRIVATE]
    if public or private:
        generated = min(len(public), _generated_share(settings.cases, len(stored)))
        from_stored = settings.cases - generated
    else:  # in the proportion that was asked for
        generated = 0
        whole = settings.cases + settings.private_cases
        from_stored = min(settings.cases, -(-len(stored) * settings.cases // whole))
    missing = max(0, settings.private_cases - len(private))
    added = stored[from_stored:][:missing]
    if added:
        notes.append(f"{counted(len(added), 'private case')} of the dataset's stored ones")
    return ChosenCases(
        public=(*stored[:from_stored], *public[:generated]),
        private=(*private[: settings.private_cases], *added),
        notes=tuple(notes),
    )


def _generated_share(cases: int, stored: int) -> int:
    """How many of the public cases are generated ones: half, or as many as the stored ones do not make up for."""
    return max(-(-cases // 2), cases - stored)


def _next(waiting: deque[Candidate], most: int) -> list[Candidate]:
    return [waiting.popleft() for _ in range(min(most, len(waiting)))]
