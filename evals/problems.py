"""One problem of a benchmark, whichever benchmark it is of, with what a score is computed from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from afterburner.agent import Problem
from afterburner.agent.types import Objective
from afterburner.evals.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Mapping


def code_id(code: str) -> str:
    """A short name for a text of code; empty for no code. Blank lines around it and line ends make no other code."""
    text = code.replace("\r\n", "\n").rstrip().lstrip("\n")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16] if code else ""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run of a program used, its cases together: seconds, KiB and KiB·s."""

    wall_time_s: float
    cpu_time_s: float
    peak_memory_kib: float
    memory_integral_kib_s: float

    def of(self, objective: Objective) -> float:
        """The figure that an objective wants smaller. Time is wall time, as in the paper."""
        if objective is Objective.TIME:
            return self.wall_time_s
        return self.peak_memory_kib if objective is Objective.MEMORY else self.memory_integral_kib_s


@dataclass(frozen=True, slots=True)
class Reference:
    """A known solution. `figures` are the medians of the machine that measured it; None: nobody did.

    A dataset may tell figures without code, as Mercury's stored distributions do, and some of the figures only: what
    is not known is NaN. `private_figures` are those on the private cases.
    """

    code: str
    figures: Figures | None = None
    private_figures: Figures | None = None

    @property
    def id(self) -> str:
        """See `code_id`."""
        return code_id(self.code)


@dataclass(frozen=True, slots=True)
class BenchmarkProblem:
    """A problem, and what a score is computed from.

    Attributes:
        dataset: the name by which `eval datasets` lists it.
        id: how the dataset calls the problem; unique in it.
        problem: what a model solves: its cases are the public ones, which the loop may run; its checker is the
            benchmark's own grader.
        private: the same problem with other cases, on which the result is scored and which the loop never sees; None:
            there are none.
        strict: the same problem under our strict rules, on all cases; None: the benchmark's own are as strict.
        references: known solutions, passing as far as anybody knows.
        difficulty: `easy`, `medium`, `hard`, or what the dataset says; empty: it does not say.
        tags: topics.
        generator: Python source that defines `generate_test_cases(num_cases, seed=42)`; empty: there is none.
        measured_on: a description of the machine that the references' figures are from; empty: they have none.
        measured_alike: whether these are figures of whole runs in this sandbox on these cases, as `eval build` measures
            them. Then anchors scale them; others are of something else, such as a website's own clock, and known
            solutions are measured anew.
        notes: what has to be known of it, such as a test that was left out and why.
    """

    dataset: str
    id: str
    problem: Problem
    private: Problem | None = None
    strict: Problem | None = None
    references: tuple[Reference, ...] = ()
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    generator: str = ""
    measured_on: str = ""
    measured_alike: bool = False
    notes: tuple[str, ...] = ()

    @property
    def measured(self) -> tuple[Reference, ...]:
        """The references that have figures: what percentile ranks are taken in."""
        return tuple(each for each in self.references if each.figures is not None)

    def starting_with(self, code: str) -> BenchmarkProblem:
        """The same problem with a code to begin with; empty: the model writes the first one."""
        return replace(self, problem=replace(self.problem, start=code))

    def to_json(self) -> str:
        """All of it as JSON."""
        known = asdict(replace(self, problem=None, private=None, strict=None))  # type: ignore[arg-type]
        for name in ("problem", "private", "strict"):
            problem: Problem | None = getattr(self, name)
            known[name] = None if problem is None else json.loads(problem.to_json())
        return json.dumps(known)

    @classmethod
    def from_json(cls, text: str | Mapping[str, Any]) -> BenchmarkProblem:
        """Read what `to_json` wrote.

        Raises:
            RecordError: it is no such JSON.
            UsageError: one of the problems in it is none.
        """
        try:
            known = dict(json.loads(text) if isinstance(text, str) else text)
            references = tuple(_read_reference(each) for each in known.pop("references", ()))
            problems: dict[str, Any] = {
                name: Problem.from_json(found)
                for name in ("problem", "private", "strict")
                if (found := known.pop(name, None)) is not None
            }
            lists: dict[str, Any] = {name: tuple(known.pop(name, ())) for name in ("tags", "notes")}
            return cls(references=references, **problems, **lists, **known)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError("problem", f"this is not the JSON of a benchmark's problem: {error}") from error


def _read_reference(known: Mapping[str, Any]) -> Reference:
    figures = (
        None if (found := known.get(name)) is None else Figures(**found) for name in ("figures", "private_figures")
    )
    return Reference(known["code"], *figures)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that cannot be used, and why; the rest of its dataset is."""

    place: str  # "questions.jsonl, record 17 (two-sum)"
    field: str  # empty: the record as a whole
    reason: str

    @property
    def line(self) -> str:
        """All of it for a person."""
        return f"{self.place}: {self.without_place}"

    @property
    def without_place(self) -> str:
        """The field and the reason, which many records may share."""
        return f"{self.field}: {self.reason}" if self.field else self.reason


Loaded = BenchmarkProblem | Rejected


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """What `eval datasets` tells of a benchmark."""

    name: str
    hub: str  # "Elfsong/Venus_Python"; empty: it is on no hub
    size: str  # "2,181 problems for training, 300 for testing"
    licence: str
    grader: str  # its rule for a right answer, in a sentence
    source: str  # where it comes from: a paper, an address
    splits: tuple[str, ...] = ("test",)
    configurations: tuple[str, ...] = field(default=())
