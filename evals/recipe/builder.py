"""Builds one problem of a benchmark from a raw one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.agent.usage import counted
from afterburner.evals.errors import RecordError
from afterburner.evals.problems import BenchmarkProblem
from afterburner.evals.recipe.candidates import Pool, find_candidates
from afterburner.evals.recipe.cases import choose_cases
from afterburner.evals.recipe.distributions import Distributions, ReferenceMeter
from afterburner.evals.recipe.events import BuildEvent, CoreUse
from afterburner.evals.recipe.framing import NO_EVALUATOR, frame
from afterburner.evals.recipe.judging import OutputJudge
from afterburner.evals.recipe.solutions import distinct, in_trial_order
from afterburner.evals.recipe.trials import Trials
from afterburner.sandbox import UsageError
from afterburner.sandbox.checkers import Lines
from afterburner.sandbox.errors import CheckerError

if TYPE_CHECKING:
    from afterburner.agent import Problem
    from afterburner.evals.datasets.raw import RawProblem
    from afterburner.evals.recipe.cases import ChosenCases
    from afterburner.evals.recipe.events import OnBuild
    from afterburner.evals.recipe.settings import RecipeSettings
    from afterburner.sandbox import Sandbox
    from afterburner.sandbox.cores import Cores


class LeftOutError(RecordError):
    """A raw problem does not become one of the benchmark, and why."""


@dataclass(frozen=True, slots=True)
class BuiltProblem:
    """A problem of the benchmark, with every measurement of its references.

    `dropped` says how many solutions did not become references, and why: `(2, "fail a stored case")`.
    """

    problem: BenchmarkProblem
    distributions: Distributions
    dropped: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ProblemBuilder:
    """What problems are built with.

    Attributes:
        sandbox: where all code of the dataset runs.
        cores: of which one is leased for measuring.
        settings: of the recipe.
        name: of the benchmark.
        measured_on: a description of this machine.
        on_event: is told of progress.
        jobs: how many programs run side by side where nothing is timed; None: one on each core.
        running: how the cores were used where nothing was timed.
        timing: likewise where something was.
    """

    sandbox: Sandbox
    cores: Cores
    settings: RecipeSettings
    name: str
    measured_on: str = ""
    on_event: OnBuild = lambda _: None
    jobs: int | None = None
    running: CoreUse = field(default_factory=CoreUse)
    timing: CoreUse = field(default_factory=CoreUse)

    def build(self, raw: RawProblem) -> BuiltProblem:
        """Carry out the recipe for one problem.

        Raises:
            LeftOutError: there are too few solutions or no cases, or its evaluator fails.
            CancelledError: the sandbox was stopped.
            AfterburnerError: the sandbox failed; nothing is said of the problem.
        """
        try:
            return self._build(raw)
        except LeftOutError as error:
            raise _left_out(raw, error.field, error.reason) from error
        except CheckerError as error:
            raise _left_out(raw, "test_case_evaluator", str(error)) from error
        except UsageError as error:
            raise _left_out(raw, "problem", str(error)) from error

    def _build(self, raw: RawProblem) -> BuiltProblem:
        template = frame(raw)
        trials = Trials(
            self.sandbox,
            template.program,
            self.settings.limits,
            OutputJudge(self.sandbox, template.checker),
            self.running,
            self.jobs,
        )
        solutions = distinct(raw.solutions)
        self._need(len(solutions), f"it has {counted(len(solutions), 'different solution')}")
        self._tell(raw, "making cases")
        candidates = find_candidates(self.sandbox, raw, self.settings)
        if not candidates.found:
            raise LeftOutError("test_cases", "; ".join(("it has no cases", *candidates.notes)))
        tried = in_trial_order(solutions, self.settings.most_solutions, f"{self.settings.seed} {raw.id} solutions")
        passing = trials.passing(
            tried,
            candidates.of(Pool.STORED),
            self.settings.most_solutions,
            lambda done: self._tell(raw, "running solutions on stored cases", done, len(tried)),
        )
        judged = "" if raw.evaluator.strip() else f" ({NO_EVALUATOR})"
        self._need(len(passing), f"{len(passing)} of {len(tried)} solutions pass its stored cases{judged}")
        chosen = choose_cases(
            trials,
            passing,
            candidates,
            self.settings,
            lambda done: self._tell(raw, "running solutions on generated cases", done, len(passing)),
        )
        if not chosen.public:
            raise LeftOutError("test_cases", "; ".join(("no case is left", *chosen.notes)))
        built = self._measure(raw, template, chosen, passing, lines_suffice=trials.judge.lines_suffice)
        return replace(built, dropped=self._dropped(raw, tried, passing, built))

    def _measure(
        self, raw: RawProblem, template: Problem, chosen: ChosenCases, solutions: list[str], *, lines_suffice: bool
    ) -> BuiltProblem:
        public = replace(template, cases=chosen.public)
        private = replace(template, cases=chosen.private) if chosen.private else None
        # The outputs have been judged by the problem's own rule; where that came to the same lines, comparing lines
        # says as much of the timed runs, and needs no second program for each of them.
        checker = Lines() if lines_suffice else template.checker
        meter = ReferenceMeter(self.sandbox, self.cores, self.settings, self.timing)
        found = meter.measure(
            replace(public, checker=checker),
            replace(private, checker=checker) if private else None,
            solutions,
            lambda done, total: self._tell(raw, "measuring references", done, total),
        )
        self._need(
            len(found.references), f"{len(found.references)} of {len(solutions)} solutions pass each time they are run"
        )
        strict = replace(public, cases=(*chosen.public, *chosen.private), checker=Lines()) if lines_suffice else None
        problem = BenchmarkProblem(
            dataset=self.name,
            id=raw.id,
            problem=public,
            private=private,
            strict=strict,
            references=found.references,
            difficulty=raw.difficulty,
            tags=raw.tags,
            generator=raw.generator,
            measured_on=self.measured_on,
            measured_alike=True,
            notes=(*raw.notes, *(() if raw.evaluator.strip() else (NO_EVALUATOR,)), *chosen.notes),
        )
        return BuiltProblem(problem, found)

    def _dropped(
        self, raw: RawProblem, tried: list[str], passing: list[str], built: BuiltProblem
    ) -> tuple[tuple[int, str], ...]:
        """Count the solutions that did not become references; one that was not tried, as enough had passed, is none."""
        has_enough = len(passing) == self.settings.most_solutions
        run = tried.index(passing[-1]) + 1 if has_enough else len(tried)
        counts = (
            (len(raw.solutions) - len(tried) if run == len(tried) else 0, "repeats another", "repeat others"),
            (run - len(passing), "fails a stored case", "fail a stored case"),
            (len(passing) - len(built.problem.references), "fails when it is measured", "fail when they are measured"),
        )
        return tuple((count, one if count == 1 else several) for count, one, several in counts if count)

    def _need(self, solutions: int, told: str) -> None:
        if solutions < self.settings.least_solutions:
            raise LeftOutError("solutions", f"{told}; {self.settings.too_few}")

    def _tell(self, raw: RawProblem, doing: str, done: int = 0, total: int = 0) -> None:
        self.on_event(BuildEvent(raw.id, doing, done, total))


def _left_out(raw: RawProblem, field: str, reason: str) -> LeftOutError:
    """The error with what has to be known of the record."""
    return LeftOutError(field, "; ".join((reason, *raw.notes)))
