"""What `afterburner-agent ci` does: measure, print, write, and tell the runner."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent import UsageError
from afterburner.agent.cli.progress import ProgressStyle, show_progress
from afterburner.agent.models.requests.language_model import key_variable
from afterburner.ci_action.formats.junit import junit
from afterburner.ci_action.formats.markdown import Surroundings, summary
from afterburner.ci_action.formats.sarif import sarif
from afterburner.ci_action.github.event import read_event
from afterburner.ci_action.github.runner import annotate, without_commands, write_outputs, write_step_summary
from afterburner.ci_action.measuring import measure
from afterburner.ci_action.outputs import check_folder, document_text, step_outputs, text_report, write_folder
from afterburner.ci_action.report.document import Mode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from afterburner.ci_action.options import CiOptions
    from afterburner.ci_action.report.document import CiDocument

KEY_VARIABLE = "MODEL_API_KEY"
_BASES = ("CI_MERGE_REQUEST_DIFF_BASE_SHA",)  # what GitLab tells a job of a merge request


def run(options: CiOptions, output_format: str, out: Path | None, *, quiet: bool) -> bool:
    """Measure, and write what was found where it was asked for.

    Args:
        options: of the call; without a base, the one that the code host tells.
        output_format: text, markdown, json, sarif or junit.
        out: a folder for the report in every form; None: only stdout gets it.
        quiet: whether progress is left out.

    Returns:
        Whether a function has become slower.

    Raises:
        KeyboardInterrupt: it was interrupted; what was found until then is written.
        AfterburnerError: nothing could be measured, or something cannot be written.
    """
    if options.mode is not Mode.SCHEDULE:
        options = replace(options, base=options.base or _base_told(os.environ))
    if out is not None:
        check_folder(out)
    _hand_over_key(options.models.model)
    with without_commands(os.environ):
        with show_progress(None, ProgressStyle.NONE if quiet else ProgressStyle.TEXT) as on_event:
            measured = measure(options, on_event)
        document = measured.document
        sys.stdout.buffer.write(_printed(document, output_format))
        sys.stdout.flush()
    if out is not None:
        write_folder(measured, out)
        write_outputs(step_outputs(document, out), os.environ)
    write_step_summary(summary(document, Surroundings()), os.environ)
    annotate(document, os.environ)
    if measured.gathered.interrupted:
        raise KeyboardInterrupt
    return document.has_regressions


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
    told = str(pull_request["base"]["sha"]) if isinstance(pull_request, dict) else ""
    base = told or next((variables[name] for name in _BASES if variables.get(name)), "")
    if not base:
        raise UsageError("Nothing tells which revision the pull request goes to. Name it: --base origin/main.")
    return base


def _hand_over_key(model: str) -> None:
    """Put the key of MODEL_API_KEY where LiteLLM looks for the key of this model's provider."""
    key = os.environ.pop(KEY_VARIABLE, "")
    if not key or model.partition(":")[0] in ("rules", "replay", "vllm"):
        return
    variable = key_variable(model)
    if variable is not None:
        os.environ[variable] = key
