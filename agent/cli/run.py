"""`afterburner-agent run FILE`: its options."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.agent.cli.deliver import deliver
from afterburner.agent.cli.interrupts import say_how_to_resume
from afterburner.agent.cli.outputs import Outputs
from afterburner.agent.cli.settings import Layer, origin_of
from afterburner.agent.loop.search_policy import SearchStyle, Temperature
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Objective  # noqa: TC001 - typer reads the annotation
from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.options import (
    above_zero,
    above_zero_if_given,
    filled,
    zero_or_more,
    zero_or_more_if_given,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.loop.results import RunResult

LARGEST_SEED = 2**32 - 1  # PYTHONHASHSEED takes no more
_DEFAULTS = RunSettings(file="")
_WHAT, _HOW, _COST, _OUT = "What to optimise", "How to search", "What a model may cost", "What to write"


def _checked_telling(text: str) -> str:
    """A wrong name is found before anything is done, as a wrong value of the two below is."""
    return _checked(text, parse_telling)


def _checked_temperature(text: str | None) -> str | None:
    return None if filled(text) is None else _checked(str(text), Temperature.read)


def _checked_imports(text: str | None) -> str | None:
    from afterburner.agent.code.context.allowed import read_allow_imports  # noqa: PLC0415 - not needed to answer --help

    return None if filled(text) is None else _checked(str(text), read_allow_imports)


def _checked(text: str, read: Callable[[str], object]) -> str:
    """Let the parser say of a value that cannot be read where it was written.

    Raises:
        typer.BadParameter: it cannot be read.
    """
    try:
        read(text)
    except UsageError as error:
        raise typer.BadParameter(str(error).removeprefix(f"--temperature {text}: ")) from error
    return text


def run(  # noqa: PLR0913 - one parameter for each option
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DIR",
            help="A Python file, or with --cases a program in another language; of a folder the hottest functions.",
            show_default=False,
            callback=filled,
        ),
    ],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND…]",
            help="python SCRIPT.py … or python -m MODULE …: profiled instead of the tests, to find many targets.",
            show_default=False,
        ),
    ] = None,
    *,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="How many functions to work through, those first that could save the most. Of a DIR: 10.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(
            "--function",
            "-f",
            metavar="NAME",
            callback=filled,
            help="The function, or Class.method. Without it: the one that uses the most CPU time (or memory).",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    calls: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            callback=filled,
            help="A Python file whose execution calls the function: the inputs to judge on.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    cases: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            callback=filled,
            help="A folder of NAME.in and NAME.out: FILE reads stdin and writes stdout.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            callback=filled,
            help="The interpreter to run the code with. Without it: VIRTUAL_ENV, then the project's .venv.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            callback=filled,
            help="The language of FILE. Without it the suffix tells: .py, .cpp, .java, .js, .go, .rb, .rs.",
            rich_help_panel=_WHAT,
        ),
    ] = _DEFAULTS.language,
    objective: Annotated[
        Objective,
        typer.Option(
            case_sensitive=False,
            help="What has to become smaller: CPU time, peak memory, or memory summed over time.",
            rich_help_panel=_HOW,
        ),
    ] = _DEFAULTS.objective,
    model: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            callback=filled,
            help="Who proposes: rules (embedded), replay:FILE.jsonl, vllm:PATH, a LiteLLM model such as openai/gpt-5, "
            "or several with commas.",
            rich_help_panel=_HOW,
        ),
    ] = _DEFAULTS.model,
    iterations: Annotated[
        int, typer.Option(metavar="N", min=1, help="Rounds of the search.", rich_help_panel=_HOW)
    ] = _DEFAULTS.iterations,
    candidates: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Answers asked of a language model each round.", rich_help_panel=_HOW),
    ] = _DEFAULTS.candidates,
    search: Annotated[
        SearchStyle,
        typer.Option(
            "--search",
            case_sensitive=False,
            help="adaptive: with patience and restarts; greedy: always from the best, all rounds, as in the paper.",
            rich_help_panel=_HOW,
        ),
    ] = SearchStyle.ADAPTIVE,
    patience: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="End after N rounds in a row without a better rewrite; 0: never. Adaptive: 4, greedy: 0.",
            show_default=False,
            rich_help_panel=_HOW,
        ),
    ] = _DEFAULTS.patience,
    restart: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="After N rounds without a better one go on from the next best; 0: never. Adaptive: 2, greedy: 0.",
            show_default=False,
            rich_help_panel=_HOW,
        ),
    ] = _DEFAULTS.restart,
    temperature: Annotated[
        str | None,
        typer.Option(
            metavar="T|T0:T1",
            callback=_checked_temperature,
            help="Of a language model; two: of the first round and the last. Without it: the model's own.",
            show_default=False,
            rich_help_panel=_HOW,
        ),
    ] = None,
    tell: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            callback=_checked_telling,
            help="What a model is told: all, paper, no-feedback, no-original, or some of numbers, counterexample, "
            "profile, history, with commas between.",
            rich_help_panel=_HOW,
        ),
    ] = _DEFAULTS.tell,
    context_tokens: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="How much a language model is told of the project around the function, tokens; 0: nothing.",
            rich_help_panel=_HOW,
        ),
    ] = _DEFAULTS.context_tokens,
    allow_imports: Annotated[
        str | None,
        typer.Option(
            metavar="MODULES",
            callback=_checked_imports,
            help="Installed libraries that a rewrite may newly import: numpy,scipy, say, or all.",
            rich_help_panel=_HOW,
        ),
    ] = None,
    max_seconds: Annotated[
        float,
        typer.Option(metavar="S", callback=above_zero, help="Time budget of the run, seconds.", rich_help_panel=_HOW),
    ] = _DEFAULTS.max_seconds,
    seed: Annotated[
        int,
        typer.Option(metavar="N", min=0, max=LARGEST_SEED, help="Seed of every random choice.", rich_help_panel=_HOW),
    ] = _DEFAULTS.seed,
    min_effect: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            callback=zero_or_more_if_given,
            help="The gain's lower bound must be above 1 + X. Without it: what selfcheck found here, or 0.05.",
            show_default=False,
            rich_help_panel=_HOW,
        ),
    ] = None,
    float_tolerance: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            callback=above_zero_if_given,
            help="Floats may differ by X of the larger one (1e-9, say). Without it they have to be equal.",
            rich_help_panel=_HOW,
        ),
    ] = _DEFAULTS.float_tolerance,
    deterministic: Annotated[
        bool,
        typer.Option(
            "--deterministic",
            help="Count instructions under valgrind as well: exact on the noisiest machine, some 100 times slower.",
            rich_help_panel=_HOW,
        ),
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(
            metavar="USD",
            callback=above_zero_if_given,
            help="The most that models may cost, US dollars. Their prices have to be known.",
            rich_help_panel=_COST,
        ),
    ] = _DEFAULTS.max_cost_usd,
    max_tokens: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="The most tokens, prompts and answers together.", rich_help_panel=_COST),
    ] = _DEFAULTS.max_tokens,
    max_requests: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="The most requests, each try counted.", rich_help_panel=_COST),
    ] = _DEFAULTS.max_requests,
    fallback: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="A model that is asked where the one before fails for good; more than once, or with commas.",
            rich_help_panel=_COST,
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="S",
            callback=above_zero,
            help="How long one whole answer of a model may take, seconds.",
            rich_help_panel=_COST,
        ),
    ] = _DEFAULTS.timeout_s,
    retries: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="How often a request is made again where that may help: a busy server, a lost connection.",
            rich_help_panel=_COST,
        ),
    ] = _DEFAULTS.retries,
    cache: Annotated[
        bool,
        typer.Option(
            "--cache/--no-cache",
            help="Whether an answer to exactly the same request is taken from the store of answers.",
            rich_help_panel=_COST,
        ),
    ] = _DEFAULTS.cache,
    record: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            callback=filled,
            help="Write the model's answers there, as they come, for --model replay:FILE.",
            rich_help_panel=_OUT,
        ),
    ] = None,
    min_gain_per_line: Annotated[
        float,
        typer.Option(
            metavar="X",
            callback=zero_or_more,
            help="Only show a rewrite whose (gain - 1) per added line is below X; never write it.",
            rich_help_panel=_OUT,
        ),
    ] = _DEFAULTS.min_gain_per_line,
    apply: Annotated[bool, typer.Option("--apply", help="Write the rewrite to FILE.", rich_help_panel=_OUT)] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --apply: do not ask before writing.", rich_help_panel=_OUT)
    ] = False,
    patch: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", callback=filled, help="Write the unified diff there.", rich_help_panel=_OUT),
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            callback=filled,
            help="Write the result as JSON there; - is stdout, and the report moves to stderr.",
            rich_help_panel=_OUT,
        ),
    ] = None,
    receipt: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            callback=filled,
            help="Write a receipt there, from which replay-receipt measures the offer again.",
            rich_help_panel=_OUT,
        ),
    ] = None,
    growth_svg: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            callback=filled,
            help="Write a picture there of how time grows with the input, before and after.",
            rich_help_panel=_OUT,
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.", rich_help_panel=_OUT)] = False,
) -> None:
    """Rewrite a slow function or program, and prove the rewrite right and better.

    Nothing is written to FILE without --apply.
    """
    if calls is not None and cases is not None:
        raise UsageError("--calls and --cases exclude each other: a function is judged on calls, a program on cases.")
    if receipt is not None and deterministic:
        raise UsageError(
            "--receipt and --deterministic exclude each other: a receipt holds times, by which it is measured again, "
            "and not the counts that decide."
        )
    from afterburner.agent.code.context.allowed import read_allow_imports  # noqa: PLC0415 - not needed to answer --help

    settings = RunSettings(
        file=file,
        function=function,
        objective=objective,
        model=model,
        iterations=iterations,
        candidates=candidates,
        calls_file=calls,
        cases_dir=cases,
        python=python,
        seed=seed,
        max_seconds=max_seconds,
        context_tokens=context_tokens,
        allow_imports=read_allow_imports(allow_imports or ""),
        min_effect=_DEFAULTS.min_effect if min_effect is None else min_effect,
        min_effect_source="" if min_effect is None else origin_of(context, "min_effect").place,
        deterministic=deterministic,
        float_tolerance=float_tolerance,
        min_gain_per_line=min_gain_per_line,
        tell=tell,
        receipt=receipt is not None,
        language=language,
        search=search.value,
        patience=patience,
        restart=restart,
        temperature=temperature or "",
        fallbacks=tuple(name.strip() for names in fallback or () for name in names.split(",") if name.strip()),
        max_cost_usd=max_cost,
        max_tokens=max_tokens,
        max_requests=max_requests,
        timeout_s=timeout,
        retries=retries,
        cache=cache,
        record=record,
    )
    outputs = Outputs(
        apply=apply, yes=yes, patch=patch, json=json, receipt=receipt, growth_svg=growth_svg, record=record
    )
    is_many = command or Path(file).is_dir()
    if is_many or (top is not None and origin_of(context, "top").layer is Layer.COMMAND_LINE):
        from afterburner.agent.cli.many import run_many  # noqa: PLC0415 - one target needs nothing of it

        run_many(settings, top, tuple(command or ()), outputs, quiet=quiet)
        return
    outputs.check(Path(file))
    deliver(carry_out(settings, outputs, quiet=quiet), settings, outputs)


def carry_out(settings: RunSettings, outputs: Outputs, *, quiet: bool) -> RunResult:
    """Carry out the run and show its progress."""
    from afterburner.agent.cli.progress import show_progress  # noqa: PLC0415 - not needed to answer --help

    begun: list[str] = []
    with say_how_to_resume(begun), show_progress(settings, quiet=quiet) as on_event:
        from afterburner.agent.session import run_settings  # noqa: PLC0415 - imports langgraph; the display is on

        return run_settings(settings, on_event, outputs=asdict(outputs), on_begun=begun.append)
