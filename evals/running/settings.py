"""What an evaluation is asked to do, which `run.json` keeps whole to resume and compare it; and what it may use."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from afterburner.agent import Caps, UsageError
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.option_kinds import LARGEST_SEED, Selection, member
from afterburner.agent.types import Objective
from afterburner.evals.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Mapping

RULES = "rules"  # the model that rewrites by rules, and writes no code of its own
SEEDS_APART = 1_000_000  # between the generations of a problem: a loop adds 1,000 for each of its iterations


class Start(StrEnum):
    """The code that the loop begins with."""

    NONE = "none"  # the model writes it, as iteration 0
    SLOW = "slow"  # the reference with the largest figure
    FAST = "fast"  # the reference with the smallest figure
    ORIGINAL = "original"  # the problem's own, else its first reference


class Executor(StrEnum):
    """Where problems are worked on."""

    LOCAL = "local"
    RAY = "ray"


@dataclass(frozen=True, slots=True)
class Resources:
    """What an evaluation may use; unlike its settings, this may change when it is resumed.

    Attributes:
        sandbox: as `open_sandbox` takes it.
        jobs: problems at a time; None: two more than there are cores for programs, on a cluster one for each CPU.
        caps: the most that models may use, over all processes that work on the evaluation.
        executor: where problems are worked on.
        ray_address: of a Ray cluster; empty: one is started on this machine.
    """

    sandbox: str = "auto"
    jobs: int | None = None
    caps: Caps = field(default_factory=Caps)
    executor: Executor = Executor.LOCAL
    ray_address: str = ""


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """The settings of one evaluation.

    Attributes:
        dataset: a name of `eval datasets`, or the path of a file or a folder.
        source: where a named dataset's records lie; empty: on the hub.
        split: of the dataset; empty: `test` of a named one, and all of a file or a built benchmark.
        configuration: of the dataset, such as a language or a release.
        only: ids of problems; empty: all.
        limit: of problems; None: all.
        model: as `afterburner-agent run --model`.
        objective: what the loop reduces.
        iterations: of the loop, beyond the first code.
        candidates: answers in each iteration.
        generations: independent runs of the loop on each problem.
        repeats: measurements of each code that a score is made of.
        selection: `paper` or `verified`.
        tell: as `--tell`.
        start: see `Start`.
        temperature: as `--temperature`.
        timeout_s: of one answer, seconds.
        references: how many known solutions are measured with the new code, where nobody has measured any of them.
        seed: of all random choices.
        max_seconds: of one loop on one problem.
        case_seconds: what one case may take of a problem that states no limit; None: 90 s, as in the paper.
    """

    dataset: str
    source: str = ""
    split: str = ""
    configuration: str = ""
    only: tuple[str, ...] = ()
    limit: int | None = None
    model: str = RULES
    objective: Objective = Objective.INTEGRAL
    iterations: int = 10
    candidates: int = 1
    generations: int = 1
    repeats: int = 16
    selection: Selection = Selection.PAPER
    tell: str = "paper"
    start: Start = Start.NONE
    temperature: str = ""
    timeout_s: float = 600.0
    references: int = 20
    seed: int = 0
    max_seconds: float = 7_200.0
    case_seconds: float | None = None

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of bounds, or two exclude each other.
        """
        object.__setattr__(self, "objective", member(Objective, "objective", self.objective))
        object.__setattr__(self, "selection", member(Selection, "selection", self.selection))
        object.__setattr__(self, "start", member(Start, "start", self.start))
        parse_telling(self.tell)
        for name in ("iterations", "candidates", "generations", "repeats", "limit"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"--{name} {value}: at least 1 is needed.")
        if self.references < 0:
            raise UsageError(f"--references {self.references}: give 0 or more.")
        spans = (("timeout_s", "timeout"), ("max_seconds", "max-seconds"), ("case_seconds", "case-seconds"))
        for name, option in spans:
            seconds = getattr(self, name)
            if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
                raise UsageError(f"--{option} {seconds:g}: give a number of seconds above 0.")
        most_seed = LARGEST_SEED - self.generations * SEEDS_APART
        if not 0 <= self.seed <= most_seed:
            raise UsageError(f"--seed {self.seed}: give a number from 0 to {most_seed}.")
        if self.start is Start.NONE and self.selection is Selection.VERIFIED:
            raise UsageError(
                "--selection verified proves a gain over the code to begin with. Give --start slow, fast or original."
            )
        if self.start is Start.NONE and self.model == RULES:
            raise UsageError(
                "--model rules rewrites code and writes none. Give --start slow, fast or original: slow and fast are "
                "known solutions that eval build or the dataset has measured, original is the problem's own code, or "
                "its first known solution."
            )

    def to_document(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {**asdict(self), "only": list(self.only)}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> EvaluationSettings:
        """Read what `to_document` wrote.

        Raises:
            EvaluationError: another version of this program has written it.
        """
        unknown = document.keys() - {each.name for each in fields(cls)}
        if unknown or "dataset" not in document:
            raise EvaluationError(
                f"These are no settings of this version's evaluations: {', '.join(sorted(unknown)) or 'no dataset'}. "
                "Read the run with the version that wrote it."
            )
        try:
            return cls(**{**document, "only": tuple(document.get("only", ()))})
        except TypeError as error:
            raise EvaluationError(f"The settings of this evaluation are damaged: {error}.") from error
