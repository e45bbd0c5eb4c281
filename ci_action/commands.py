"""Measure what a pull request changes: faster rewrites, slow-downs, or the proof of a claim."""

from __future__ import annotations

import shlex
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from afterburner.agent import Caps, ModelOptions, Search, UsageError
from afterburner.agent.cli.from_options import option_of
from afterburner.agent.cli.needs import needing_extra
from afterburner.agent.types import Objective
from afterburner.ci_action.github.publish import CommentMode, PublishOptions
from afterburner.ci_action.options import CiOptions, patterns_in, read_min_effect
from afterburner.ci_action.report.document import Mode

app = typer.Typer(add_completion=False, invoke_without_command=True)
REACHED = 5  # the exit code where --fail-on names what was found
_WHAT, _HOW, _MODEL, _OUT = "What to look at", "How to measure", "Who proposes", "What to write"


class Format(StrEnum):
    """What is printed."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"


class FailOn(StrEnum):
    """What ends the command with an exit code of its own; `no-answer` is `regression` and more."""

    NEVER = "never"
    REGRESSION = "regression"
    NO_ANSWER = "no-answer"


@app.callback()
def ci(
    context: typer.Context,
    *,
    mode: Annotated[
        Mode,
        typer.Option(
            help="optimize: faster rewrites of what the pull request changes; regressions: what it makes slower; "
            "prove: whether it is as fast and as right as it says; schedule: rewrites for the whole repository.",
            rich_help_panel=_WHAT,
        ),
    ] = Mode.OPTIMIZE,
    base: Annotated[
        str,
        typer.Option(
            metavar="REV",
            help="The revision that the pull request goes to. Default: what GitHub or GitLab tells the job.",
            rich_help_panel=_WHAT,
        ),
    ] = "",
    include: Annotated[
        str,
        typer.Option(
            metavar="PATTERNS",
            help="Files that count, as .gitignore writes them: `src/, *_core.py`. Default: all.",
            rich_help_panel=_WHAT,
        ),
    ] = "",
    exclude: Annotated[
        str, typer.Option(metavar="PATTERNS", help="Files that do not count.", rich_help_panel=_WHAT)
    ] = "",
    max_functions: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=100, help="How many functions, the hottest first.", rich_help_panel=_WHAT),
    ] = 5,
    tests_command: Annotated[
        str,
        typer.Option(
            metavar="COMMAND",
            help="python SCRIPT.py …, python -m MODULE … or pytest …: calls the functions. Default: the tests.",
            rich_help_panel=_HOW,
        ),
    ] = "",
    python: Annotated[
        str,
        typer.Option(
            metavar="PATH",
            help="The interpreter with what the project needs. Default: VIRTUAL_ENV, then the project's .venv.",
            rich_help_panel=_HOW,
        ),
    ] = "",
    sandbox: Annotated[
        str, typer.Option(metavar="NAME", help="auto, bubblewrap or docker.", rich_help_panel=_HOW)
    ] = "auto",
    objective: Annotated[Objective, option_of(Search, "objective", _HOW)] = Objective.TIME,
    min_effect: Annotated[
        str,
        typer.Option(
            metavar="X",
            help="The least gain or slow-down that counts: 0.1 or 10%. Default: 5%, or what selfcheck found.",
            rich_help_panel=_HOW,
        ),
    ] = "",
    max_minutes: Annotated[
        float, typer.Option(metavar="M", min=0.1, help="Time for everything, minutes.", rich_help_panel=_HOW)
    ] = 10.0,
    seed: Annotated[int, option_of(Search, "seed", _HOW)] = 0,
    memory: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="With schedule: remembers what was tried, so that the next run goes on.",
            rich_help_panel=_HOW,
        ),
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="rules, or a LiteLLM model such as openai/gpt-5; its key is in its own variable, or in MODEL_API_KEY.",
            rich_help_panel=_MODEL,
        ),
    ] = "rules",
    max_cost: Annotated[float | None, option_of(Caps, "cost_usd", _MODEL)] = None,
    output_format: Annotated[
        Format,
        typer.Option("--format", help="What is printed: text, markdown, json, sarif or junit.", rich_help_panel=_OUT),
    ] = Format.TEXT,
    out: Annotated[
        str,
        typer.Option(
            metavar="DIR",
            help="A folder for the report in every form, the page for people, the patch and the receipts.",
            rich_help_panel=_OUT,
        ),
    ] = "",
    job_summary: Annotated[
        bool,
        typer.Option(
            "--job-summary/--no-job-summary",
            help="In GitHub Actions: write the summary and the annotations of the job.",
            rich_help_panel=_OUT,
        ),
    ] = True,
    fail_on: Annotated[
        FailOn,
        typer.Option(
            help="regression: end with exit code 5 if a function is slower, or by prove different; no-answer: also "
            "end with 2 if that is not known of a changed function, or by prove only on a condition, or only "
            "for the kinds of elements in the real calls.",
            rich_help_panel=_OUT,
        ),
    ] = FailOn.NEVER,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel=_OUT)] = False,
) -> None:
    """Measure what a pull request changes: faster rewrites, slow-downs, or the proof of a claim.

    Run it at the top of a git checkout. It works without any code host; docs/ci.md has workflows for GitHub and GitLab.
    """
    if context.invoked_subcommand is not None:
        return
    options = CiOptions(
        root=Path.cwd(),
        mode=mode,
        base=base,
        include=patterns_in(include),
        exclude=patterns_in(exclude),
        command=_words(tests_command),
        python=python or None,
        search=Search(objective=objective, seed=seed, max_seconds=max_minutes * 60),
        min_effect=read_min_effect(min_effect),
        models=ModelOptions(model=model or "rules"),
        caps=Caps(cost_usd=max_cost),
        sandbox=sandbox or "auto",
        most_functions=max_functions,
        memory=Path(memory) if memory else None,
    )
    measure_command = _module("measure_command")
    outputs = measure_command.Outputs(output_format.value, Path(out) if out else None, job_summary, quiet)
    measured = measure_command.run(options, outputs)
    if fail_on is not FailOn.NEVER and measure_command.fails_gate(measured, answers=fail_on is FailOn.NO_ANSWER):
        raise typer.Exit(REACHED)


@app.command()
def comment(
    report: Annotated[str, typer.Argument(metavar="DIR|FILE", help="What --out has written.", show_default=False)],
    *,
    comment_mode: Annotated[
        CommentMode,
        typer.Option(
            "--comment",
            help="review: suggestions where they fit, and one comment; summary: the comment; none: neither.",
        ),
    ] = CommentMode.REVIEW,
    max_suggestions: Annotated[
        int, typer.Option(metavar="N", min=0, max=50, help="The most suggestions on one pull request.")
    ] = 5,
    even_if_nothing: Annotated[
        bool, typer.Option("--even-if-nothing", help="Comment where nothing was found, too.")
    ] = False,
    by_fork: Annotated[
        bool, typer.Option("--by-fork", help="Label everything: measured by the fork, not verified.")
    ] = False,
    branch: Annotated[
        bool, typer.Option("--branch", help="Make a branch and a pull request with the rewrites, a commit for each.")
    ] = False,
    report_url: Annotated[str, typer.Option(metavar="URL", help="Where the artifact with the report is.")] = "",
    author: Annotated[
        str, typer.Option(metavar="LOGIN", help="Who the token writes as, where GitHub does not tell: `my-app[bot]`.")
    ] = "",
    memory: Annotated[
        str, typer.Option(metavar="FILE", help="Of a schedule: what cannot be proposed is forgotten.")
    ] = "",
) -> None:
    """Say on the pull request what `afterburner-agent ci` has found. It runs no code, and believes nothing.

    The token is read from GITHUB_TOKEN, and the pull request from GitHub's own event.
    """
    _module("comment_command").run(
        Path(report),
        PublishOptions(
            comment=comment_mode,
            most_suggestions=max_suggestions,
            even_if_nothing=even_if_nothing,
            by_fork=by_fork,
            branch=branch,
            report_url=report_url,
            author=author,
        ),
        Path(memory) if memory else None,
    )


@app.command()
def base() -> None:
    """Set the output `base` of a step: where the pull request goes to, of which another workflow's run tells.

    The token is read from GITHUB_TOKEN, and only reads.
    """
    _module("base_command").run()


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"--tests-command {command}: {error}. Write it as in a shell.") from error


def _module(name: str) -> Any:
    """A module that needs the extra.

    Raises:
        UsageError: the extra is not installed.
    """
    with needing_extra("ci", "This command"):
        return import_module(f"afterburner.ci_action.{name}")
