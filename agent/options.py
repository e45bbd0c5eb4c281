"""The options of a run, in groups by purpose.

Each field is defined once, here: the command line, the variables AFTERBURNER_…, the table tool.afterburner of
pyproject.toml and Python's keyword arguments are all made of these definitions (`cli/from_options.py` reads them).
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

from afterburner.agent.option_kinds import (
    LARGEST_SEED,
    LONGEST_STATED,
    MOST_STATED,
    EnvironmentKind,
    Option,
    SearchStyle,
    Selection,
    Temperature,
    check,
    member,
    options_of,
)
from afterburner.agent.stated_assumptions import AS_CALLED, stated_as_called
from afterburner.agent.types import Objective
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_MIN_EFFECT = 0.05
VERIFY_S = 60.0  # time budget of `verify`


@dataclass(frozen=True, slots=True)
class InputOptions:
    """Where the inputs come from that a target is judged and measured on, and what runs it."""

    calls: Annotated[
        str | None,
        Option(
            "A Python file whose execution calls the function: the inputs to judge on.", metavar="FILE", filled=True
        ),
    ] = None
    cases: Annotated[
        str | None,
        Option("A folder of NAME.in and NAME.out: FILE reads stdin and writes stdout.", metavar="DIR", filled=True),
    ] = None
    python: Annotated[
        str | None,
        Option(
            "The interpreter that runs the code. Default: VIRTUAL_ENV, then the project's .venv.",
            metavar="PATH",
            filled=True,
        ),
    ] = None
    environment: Annotated[
        EnvironmentKind,
        Option(
            "Where interpreter and packages come from: this machine, or a Docker image of what the project declares. "
            "auto: an image only where the sandbox cannot see this machine, as on macOS."
        ),
    ] = EnvironmentKind.AUTO
    environment_from: Annotated[
        str | None,
        Option(
            "An image, or a Dockerfile of the project, for --environment image. Default: devcontainer.json, then lock "
            "files and requirements.",
            metavar="IMAGE",
            filled=True,
        ),
    ] = None
    language: Annotated[
        str | None,
        Option(
            "The language of FILE. Default: by the suffix, .py, .cpp, .java, .js, .go, .rb or .rs.",
            metavar="NAME",
            filled=True,
        ),
    ] = None
    float_tolerance: Annotated[
        float | None,
        Option(
            "Floats may differ by X of the larger one, such as 1e-9. Default: they must be equal.",
            metavar="X",
            above=0,
        ),
    ] = None
    assume: Annotated[
        tuple[str, ...],
        Option(
            "What holds for every input: a Python expression over the parameters, such as 'limits == sorted(limits)'. "
            "Inputs that break it are not made. Repeat for more. `Requires:` in the docstring says the same.",
            metavar="EXPRESSION",
            several=True,
            whole=True,
        ),
    ] = ()
    left_out: tuple[str, ...] = ()  # files of the project that the code does not see: results are written there

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of bounds, or two exclude each other.
        """
        object.__setattr__(self, "environment", member(EnvironmentKind, "environment", self.environment))
        check(self)
        if len(self.assume) > MOST_STATED:
            raise UsageError(f"--assume: there are {len(self.assume)} expressions; at most {MOST_STATED} are taken.")
        for each in self.assume:
            if len(each) > LONGEST_STATED:
                raise UsageError(f"--assume {each[:40]!r}…: it is longer than {LONGEST_STATED:,} characters. Split it.")
            try:
                ast.parse(each, mode="eval")
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                why = error.msg if isinstance(error, SyntaxError) else str(error)
                raise UsageError(f"--assume {each!r} is no Python expression: {why}.") from None
            if f"{AS_CALLED}(" in each and not stated_as_called([each]):
                raise UsageError(
                    f"--assume {each!r}: {AS_CALLED}(NAME) takes one parameter and stands alone; give it by itself."
                )
        if self.calls is not None and self.cases is not None:
            raise UsageError(
                "--calls and --cases exclude each other: a function is judged on calls, a program on cases."
            )
        if self.environment is EnvironmentKind.HOST and self.environment_from is not None:
            raise UsageError("--environment host uses this machine's Python: leave out --environment-from.")

    @property
    def wants_image(self) -> bool:
        """Whether the code is to run in an image wherever it runs."""
        return self.environment is EnvironmentKind.IMAGE or self.environment_from is not None


@dataclass(frozen=True, slots=True)
class Search:
    """How a run searches, and how long."""

    objective: Annotated[Objective, Option("What to reduce: CPU time, peak memory, or memory summed over time.")] = (
        Objective.TIME
    )
    iterations: Annotated[int, Option("Rounds of the search.", metavar="N", least=1)] = 4
    candidates: Annotated[int, Option("Answers that a language model gives each round.", metavar="N", least=1)] = 1
    style: Annotated[
        SearchStyle,
        Option(
            "adaptive: uses --patience and --restart; greedy: runs all rounds, each from the best, as in the paper.",
            name="search",
        ),
    ] = SearchStyle.ADAPTIVE
    patience: Annotated[
        int | None,
        Option(
            "End after N rounds in a row without a better rewrite; 0: never. Adaptive: 4, greedy: 0.",
            metavar="N",
            least=0,
            show_default=False,
        ),
    ] = None
    restart: Annotated[
        int | None,
        Option(
            "After N rounds in a row without a better rewrite, continue from the next best; 0: never. "
            "Adaptive: 2, greedy: 0.",
            metavar="N",
            least=0,
            show_default=False,
        ),
    ] = None
    temperature: Annotated[
        str,
        Option(
            "Temperature of a language model, or of the first and the last round. Default: the model's own.",
            metavar="T|T0:T1",
            show_default=False,
        ),
    ] = ""
    max_seconds: Annotated[float, Option("Time budget of the run, seconds.", metavar="S", above=0)] = 300.0
    seed: Annotated[int, Option("Seed of every random choice.", metavar="N", least=0, most=LARGEST_SEED)] = 0
    fresh: Annotated[
        bool,
        Option("Find out again what earlier runs of today know of the original: its calls, and what it does in them."),
    ] = False
    selection: Selection = Selection.VERIFIED

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of bounds or no such objective, style, selection or temperature.
        """
        object.__setattr__(self, "objective", member(Objective, "objective", self.objective))
        object.__setattr__(self, "style", member(SearchStyle, "search", self.style))
        object.__setattr__(self, "selection", member(Selection, "selection", self.selection))
        check(self)
        if self.temperature:
            Temperature.read(self.temperature)


@dataclass(frozen=True, slots=True)
class Proof:
    """What a gain has to stand before it is offered, and what evidence of it is gathered."""

    min_effect: Annotated[
        float | None,
        Option(
            "The gain's lower bound must be above 1 + X. Default: what selfcheck found here, or 0.05.",
            metavar="X",
            least=0,
            show_default=False,
        ),
    ] = None
    deterministic: Annotated[
        bool,
        Option("Also count instructions under valgrind: repeatable on noisy machines, about 100 times slower."),
    ] = False
    min_gain_per_line: Annotated[
        float,
        Option("Show a rewrite whose (gain - 1) per added line is below X, but never write it.", metavar="X", least=0),
    ] = 0.0
    min_effect_source: str = ""  # who set the minimum effect, in words for the user; empty: nobody
    growth: bool = True  # whether the growth of an offer with its input is measured
    receipt: bool = False  # whether what a receipt is written from is kept
    counterexample: bool = False  # whether a counterexample comes with a test for pytest
    real_calls_alone: bool = False  # of `compare`: whether a slow-down is looked for on the real calls, and no more

    @property
    def effect(self) -> float:
        """The minimum effect that holds, as far as it is known: what was asked for or measured, else the default."""
        return DEFAULT_MIN_EFFECT if self.min_effect is None else self.min_effect

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of bounds, or two exclude each other.
        """
        check(self)
        if self.receipt and self.deterministic:
            raise UsageError(
                "--receipt and --deterministic exclude each other: a receipt holds times, by which it is measured "
                "again, and not the counts that decide."
            )


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Who proposes, what a language model is told, and how it is asked."""

    model: Annotated[
        str,
        Option(
            "Who proposes: rules (embedded), replay:FILE.jsonl, vllm:PATH, a LiteLLM model such as openai/gpt-5, "
            "or several, separated by commas.",
            metavar="MODEL",
            filled=True,
        ),
    ] = "rules"
    tell: Annotated[
        str,
        Option(
            "What a model is told: all, paper, no-feedback, no-original, history-aware, or some of numbers, "
            "counterexample, profile, history, solutions, separated by commas.",
            metavar="WHAT",
        ),
    ] = "all"
    context_tokens: Annotated[
        int,
        Option(
            "How many tokens of the project around the function a language model sees; 0: only the function itself.",
            metavar="N",
            least=0,
        ),
    ] = 3_000
    allow_imports: Annotated[
        tuple[str, ...],
        Option("Installed libraries that a rewrite may newly import, such as numpy,scipy, or all.", metavar="MODULES"),
    ] = ()
    fallbacks: Annotated[
        tuple[str, ...],
        Option(
            "A model to use when the previous one fails permanently; repeat it, or separate models by commas.",
            name="fallback",
            metavar="MODEL",
            several=True,
        ),
    ] = ()
    timeout_s: Annotated[
        float,
        Option("How long one whole answer of a model may take, seconds.", name="timeout", metavar="S", above=0),
    ] = 120.0
    retries: Annotated[
        int,
        Option(
            "How often to retry a request after a temporary error, such as a busy server.",
            metavar="N",
            least=0,
        ),
    ] = 3
    cache: Annotated[
        bool,
        Option(
            "Reuse the stored answer to an identical request.",
            flags=("--cache/--no-cache",),
        ),
    ] = True
    sceptic: Annotated[
        bool,
        Option(
            "Ask a language model once for calls on which the winner may differ, before it is offered.",
            flags=("--sceptic/--no-sceptic",),
        ),
    ] = True
    model_workload: Annotated[
        bool,
        Option(
            "Ask a language model once for calls of the function if nothing else calls it.",
            flags=("--model-workload/--no-model-workload",),
        ),
    ] = True
    record: Annotated[
        str | None,
        Option("Write the model's answers to FILE as they come, for --model replay:FILE.", metavar="FILE", filled=True),
    ] = None
    # Of the paper's selection: whether a request that fails, or a cap, interrupts the run, which can be resumed then,
    # rather than ending it early. What a model was not asked says nothing of it; nor does an answer that a cap cut off,
    # so that none is asked for that has to be shorter than the model's longest.
    must_answer: bool = False
    keep_answers: bool = False  # whether results and the store keep prompts and raw answers; by "paper" they always do

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of bounds.
        """
        check(self)


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that language models may use; None: as much as it takes."""

    cost_usd: Annotated[
        float | None,
        Option(
            "The most that models may cost, US dollars. Their prices must be known.",
            name="max_cost",
            metavar="USD",
            above=0,
        ),
    ] = None
    tokens: Annotated[
        int | None,
        Option("The most tokens, in prompts and answers together.", name="max_tokens", metavar="N", least=1),
    ] = None
    requests: Annotated[
        int | None, Option("The most requests; each try counts.", name="max_requests", metavar="N", least=1)
    ] = None

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of bounds.
        """
        check(self)


@dataclass(frozen=True, slots=True)
class BatchPlace:
    """What a run over many targets has found out of its place, and what one of its members is told of it."""

    top: int = 0  # how many targets of `file`, which may be a folder; 0: a run on one
    jobs: int | None = None  # how many of them at a time; None: as many as there are CPUs
    command: tuple[str, ...] = ()  # what stands behind `python`: its calls of the target are the workload
    command_folder: str = ""  # where it starts
    project_root: str = ""  # of the target; empty: it is found by the file
    test_files: tuple[str, ...] | None = None  # that reach the target, from the project's root; None: find them


@dataclass(frozen=True, slots=True)
class UnsavedText:
    """What a file of the project holds in an editor, in place of what is on the disk."""

    path: str  # absolute
    text: str


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Everything that one run is asked for: a target, and a value of each group."""

    file: str
    function: str | None = None
    inputs: InputOptions = field(default_factory=InputOptions)
    search: Search = field(default_factory=Search)
    proof: Proof = field(default_factory=Proof)
    models: ModelOptions = field(default_factory=ModelOptions)
    caps: Caps = field(default_factory=Caps)
    batch: BatchPlace = field(default_factory=BatchPlace)
    unsaved: tuple[UnsavedText, ...] = ()
    problem: str = ""  # a problem as JSON, which is the target then, and `file` its name; empty: there is none

    def unsaved_text(self, path: Path) -> str | None:
        """The text of a file that is open in an editor; None: what is on the disk counts."""
        absolute = os.path.abspath(path)  # noqa: PTH100 - Path.resolve would follow links
        return next((each.text for each in self.unsaved if each.path == absolute), None)


GROUPS: dict[str, type[Any]] = {
    "inputs": InputOptions,
    "search": Search,
    "proof": Proof,
    "models": ModelOptions,
    "caps": Caps,
}


def settings_of(file: str, function: str | None = None, **options: Any) -> RunSettings:
    """The settings of a run from options by their names on the command line: `iterations=3`, `max_cost=0.5`.

    Raises:
        UsageError: there is no such option, or a value cannot be used.
    """
    taken: dict[str, dict[str, Any]] = {group: {} for group in GROUPS}
    places = {
        option.name or name: (group, name)
        for group, kind in GROUPS.items()
        for name, option in options_of(kind).items()
    }
    for given, value in options.items():
        if given not in places:
            near = get_close_matches(given, places, n=1)
            hint = f" Did you mean {near[0]}?" if near else f" There are: {', '.join(sorted(places))}."
            raise UsageError(f"There is no option {given!r}.{hint}")
        group, name = places[given]
        taken[group][name] = tuple(value) if isinstance(value, list) else value
    if taken["proof"].get("min_effect") is not None:
        taken["proof"]["min_effect_source"] = "the caller"
    return RunSettings(file, function, **{group: kind(**taken[group]) for group, kind in GROUPS.items()})
