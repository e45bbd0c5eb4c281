"""What a benchmark is built by; stored with it, so that it can be resumed and built again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent import UsageError
from afterburner.sandbox import Limits
from afterburner.sandbox.languages import find_language
from afterburner.sandbox.types import KEPT_OUTPUT_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class RecipeSettings:
    """The settings that decide what a benchmark holds.

    Attributes:
        language: of the solutions.
        cases: the most public cases of a problem.
        private_cases: the most private ones.
        least_solutions: with fewer that pass, a problem is left out; the paper has 16.
        most_solutions: of a problem with more, as many are chosen; None: all count.
        repeats: measurements of each solution on the public cases; their median is stored.
        private_repeats: likewise on the private cases; 0: they are not measured.
        case_seconds: wall time that a human solution may take for one case, seconds. A slower one fails the case.
        generator_seconds: likewise that a generator may take, each time it is run.
        test_share: of the problems, that are for testing.
        seed: of all random choices.
    """

    language: str = "python"
    cases: int = 100
    private_cases: int = 100
    least_solutions: int = 16
    most_solutions: int | None = None
    repeats: int = 3
    private_repeats: int = 3
    case_seconds: float = 10.0
    generator_seconds: float = 60.0
    test_share: float = 0.25
    seed: int = 42

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of bounds, two exclude each other, or there is no such language.
        """
        object.__setattr__(self, "language", find_language(self.language).name)
        least = {"cases": 1, "private_cases": 0, "least_solutions": 1, "repeats": 1, "private_repeats": 0, "seed": 0}
        for name, bound in least.items():
            if getattr(self, name) < bound:
                raise UsageError(f"--{name.replace('_', '-')} {getattr(self, name)}: at least {bound} is needed.")
        if self.most_solutions is not None and self.most_solutions < self.least_solutions:
            raise UsageError(
                f"--most-solutions {self.most_solutions} is less than --least-solutions {self.least_solutions}: "
                "every problem would be left out."
            )
        for name in ("case_seconds", "generator_seconds"):
            if not getattr(self, name) > 0:
                raise UsageError(f"--{name.replace('_', '-')} {getattr(self, name):g}: give a number above 0.")
        if not 0 <= self.test_share <= 1:
            raise UsageError(f"--test-share {self.test_share:g}: give a number from 0 to 1.")

    @property
    def limits(self) -> Limits:
        """What a human solution may use for one case."""
        return Limits(wall_time_s=self.case_seconds, cpu_time_s=self.case_seconds)

    @property
    def generator_limits(self) -> Limits:
        """What a generator may use each time it is run; what it prints has to be held."""
        return Limits(
            wall_time_s=self.generator_seconds, cpu_time_s=self.generator_seconds, output_bytes=KEPT_OUTPUT_BYTES
        )

    @property
    def too_few(self) -> str:
        """What is said of a problem with fewer solutions than `least_solutions`."""
        return f"at least {self.least_solutions} {'is' if self.least_solutions == 1 else 'are'} needed"

    def to_document(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)

    def differences(self, document: Mapping[str, Any]) -> list[str]:
        """How stored settings differ from these: `--cases 10, not 20`, `--most-solutions not given, not 4`."""
        return [
            f"--{name.replace('_', '-')} {_told(document.get(name))}, not {_told(value)}"
            for name, value in self.to_document().items()
            if document.get(name) != value
        ]


def _told(value: object) -> str:
    return "not given" if value is None else str(value)
