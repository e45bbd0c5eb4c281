"""What `afterburner-agent ci` does: measure, print, write, and tell the runner."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent import UsageError
from afterburner.agent.cli.progress import ProgressStyle, show_progress
from afterburner.agent.models.requests.language_model import key_variable
from afterburner.ci_action.formats.junit import junit
from afterburner.ci_action.formats.markdown import Surroundings, summary
from afterburner.ci_action.formats.sarif import sarif
from afterburner.ci_action.github.event import read_event
from afterburner.ci_action.github.runner import Commands, write_outputs, write_step_summary
from afterburner.ci_action.measuring import measure
from afterburner.ci_action.outputs import (
    FILES,
    PATCH,
    check_folder,
    document_text,
    step_outputs,
    text_report,
    write_folder,
)
from afterburner.ci_action.report.document import Mode
from afterburner.ci_action.report.words import few_of, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from afterburner.ci_action.measuring import Measured
    from afterburner.ci_action.options import CiOptions
    from afterburner.ci_action.report.document import CiDocument, FunctionPart

KEY_VARIABLE = "MODEL_API_KEY"
_LONGEST_SENTENCE = 160  # characters
_OF_REAL_KINDS = (
    "it differs on values of kinds that no real call holds; in the base, give the parameter a type hint that rules "
    "them out"
)
_BASES = ("CI_MERGE_REQUEST_DIFF_BASE_SHA",)  # what GitLab tells a job of a merge request


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is written where.

    Attributes:
        output_format: of what is printed: text, markdown, json, sarif or junit.
        folder: for the report in every form; None: only stdout gets it.
        job_summary: whether the summary and the annotations of a job of GitHub Actions get it, too.
        quiet: whether progress is left out.
    """

    output_format: str
    folder: Path | None
    job_summary: bool
    quiet: bool


def run(options: CiOptions, outputs: Outputs) -> Measured:
    """Measure, and write what was found where it was asked for.

    Args:
        options: of the call; without a base, the one that the code host tells.
        outputs: what is written where.

    Returns:
        What was measured.

    Raises:
        KeyboardInterrupt: it was interrupted; what was found until then is written.
        AfterburnerError: nothing could be measured, or something cannot be written.
    """
    if options.mode is not Mode.SCHEDULE:
        options = replace(options, base=options.base or _base_told(os.environ))
    if outputs.folder is not None:
        check_folder(outputs.folder)
        options = replace(options, written=tuple(outputs.folder / name for name in FILES))
    _hand_over_key(options.models.model)
    commands = Commands(os.environ, is_text=outputs.output_format == "text")
    commands.stop()
    with show_progress(None, ProgressStyle.NONE if outputs.quiet else ProgressStyle.TEXT) as on_event:
        measured = measure(options, on_event)
    document = measured.document
    sys.stdout.buffer.write(_printed(document, outputs.output_format))
    sys.stdout.flush()
    if outputs.folder is not None:
        write_folder(measured, outputs.folder)
        write_outputs(step_outputs(measured, outputs.folder), os.environ)
        if outputs.output_format == "text" and measured.gathered.patch:
            sys.stdout.write(f"To apply all rewrites: git apply {outputs.folder / PATCH}\n")
    if outputs.job_summary:
        write_step_summary(summary(document, Surroundings()), os.environ)
        commands.annotate(document)
    if measured.gathered.interrupted:
        raise KeyboardInterrupt
    return measured


def fails_gate(measured: Measured, *, answers: bool = False) -> bool:
    """Whether `--fail-on` ends with its exit code, which is then told on stderr.

    Args:
        measured: what was found.
        answers: whether each changed function needs an answer, as `--fail-on no-answer` asks.

    Raises:
        UsageError: nothing is slower, but a changed file could not be read, or is not that of the commit; or a function
            has no answer, or by `prove` one on a condition.
    """
    option = f"--fail-on {'no-answer' if answers else 'regression'}"
    if measured.document.has_regressions:
        sys.stderr.write(f"{option}: a function is slower or different, so this ends with exit code 5.\n")
        return True
    if unknown := measured.gathered.unknown:
        first, *others = unknown
        file = f"{first.file} (and {len(others)} more)" if others else first.file
        raise UsageError(f"{option}: nothing is known of what was changed in {file}: {first.reason}.")
    if answers and (unanswered := measured.document.unanswered):
        names = few_of([f"{one_line(each.file)} {each.function}" for each in unanswered])
        reasons = {_why_unanswered(each) for each in unanswered}
        why = f": {reasons.pop()}" if len(reasons) == 1 else ""
        raise UsageError(f"{option}: there is no answer for {names}{why}.")
    return False


def _why_unanswered(function: FunctionPart) -> str:
    """In a few words: the report has the reason in full."""
    if function.is_of_real_kinds:
        return _OF_REAL_KINDS
    sentence = re.split(r"[.;](?:\s|$)", function.reason, maxsplit=1)[0]
    return one_line(sentence, _LONGEST_SENTENCE)


def _printed(document: CiDocument, output_format: str) -> bytes:
    match output_format:
        case "markdown":
            return summary(document, Surroundings()).encode("utf-8", "replace")
        case "json":
            return document_text(document).encode()
        case "sarif":
            return (json.dumps(sarif(document), indent=2) + "\n").encode()
        case "junit":
            return junit(document)
    return text_report(document).encode("utf-8", "replace")


def _base_told(variables: Mapping[str, str]) -> str:
    """The commit that the pull request goes to, by the event of GitHub or the variables of GitLab.

    Raises:
        UsageError: nobody tells it.
    """
    event = read_event(variables.get("GITHUB_EVENT_PATH", ""))
    pull_request = event.get("pull_request")
    target = pull_request.get("base") if isinstance(pull_request, dict) else None
    told = str(target.get("sha", "")) if isinstance(target, dict) else ""
    base = told or next((variables[name] for name in _BASES if variables.get(name)), "")
    if not base:
        raise UsageError("The base revision is not known. Name what the pull request goes to: --base origin/main.")
    return base


def _hand_over_key(model: str) -> None:
    """Put the key of MODEL_API_KEY where LiteLLM looks for the key of this model's provider."""
    key = os.environ.pop(KEY_VARIABLE, "")
    if not key or model.partition(":")[0] in ("rules", "replay", "vllm"):
        return
    variable = key_variable(model)
    if variable is not None:
        os.environ[variable] = key
