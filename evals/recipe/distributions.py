"""Measures the reference solutions of a problem, which is what later code is ranked among."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.evals.evaluation import PRIVATE, PUBLIC
from afterburner.evals.problems import Reference, code_id
from afterburner.evals.running.measure import measure_codes, medians

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent import Problem
    from afterburner.evals.recipe.events import CoreUse
    from afterburner.evals.recipe.settings import RecipeSettings
    from afterburner.evals.running.measure import Measured
    from afterburner.sandbox import Sandbox
    from afterburner.sandbox.cores import Cores


@dataclass(frozen=True, slots=True)
class Distributions:
    """The references with their medians, and every repeat by the side that it was on: `public` or `private`."""

    references: tuple[Reference, ...]
    measured: dict[str, list[Measured]]


@dataclass(frozen=True, slots=True)
class ReferenceMeter:
    """What references are measured with."""

    sandbox: Sandbox
    cores: Cores
    settings: RecipeSettings
    use: CoreUse

    def measure(
        self, public: Problem, private: Problem | None, solutions: Sequence[str], on_run: Callable[[int, int], object]
    ) -> Distributions:
        """Measure each solution on the public cases, then on the private ones; a solution that fails is left out.

        Args:
            public: the problem with its public cases.
            private: with its private ones; None: there are none.
            solutions: to be measured.
            on_run: receives how many runs are done, and how many there will be.

        Raises:
            CancelledError: the sandbox was stopped.
            AfterburnerError: as `Sandbox.run`.
        """
        sides = [(PUBLIC, public, self.settings.repeats)]
        if private is not None and self.settings.private_repeats:
            sides.append((PRIVATE, private, self.settings.private_repeats))
        total, done = len(solutions) * sum(repeats for _, _, repeats in sides), 0
        measured: dict[str, list[Measured]] = {}
        passing = list(solutions)
        for side, problem, repeats in sides:
            with self.use.of_slots(1) as ran:

                def tell(each: Measured, ran: Callable[[float], None] = ran, before: int = done) -> None:
                    ran(each.figures.wall_time_s if each.figures else 0.0)
                    on_run(before + each.turn + 1, total)

                measured[side] = measure_codes(
                    self.sandbox,
                    self.cores,
                    problem,
                    passing,
                    repeats=repeats,
                    seed=self.settings.seed,
                    on_measured=tell,
                )
            done += len(measured[side])
            failed = {each.code_id for each in measured[side] if not each.passed}
            passing = [code for code in passing if code_id(code) not in failed]
        found = {side: medians(repeats) for side, repeats in measured.items()}
        references = tuple(
            Reference(code, found[PUBLIC][code_id(code)], found.get(PRIVATE, {}).get(code_id(code))) for code in passing
        )
        return Distributions(references, measured)
