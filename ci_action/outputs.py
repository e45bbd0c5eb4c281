"""Writes what was found: a folder with the report in every form, and the outputs of a job's step."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError, UsageError
from afterburner.agent.page.render import render_page
from afterburner.agent.wording import count, format_ratio
from afterburner.ci_action.formats.junit import junit
from afterburner.ci_action.formats.markdown import Surroundings, summary
from afterburner.ci_action.formats.phrases import explained, headline
from afterburner.ci_action.formats.sarif import sarif
from afterburner.ci_action.report.document import CiDocument, Decision
from afterburner.ci_action.report.reading import REPORT
from afterburner.ci_action.report.words import one_line

if TYPE_CHECKING:
    from afterburner.ci_action.measuring import Measured

PAGE, PATCH, RECEIPTS = "report.html", "all.patch", "receipts"
MARKDOWN, SARIF, JUNIT = "report.md", "report.sarif", "junit.xml"
FILES = (REPORT, PAGE, MARKDOWN, SARIF, JUNIT, PATCH)  # besides the receipts


def check_folder(folder: Path) -> None:
    """Find out now what could not be written later, and take away what an earlier run has left.

    Raises:
        UsageError: the folder cannot be made, holds something else, or is reached through a link of the checkout.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder}: this is a file. Name a folder.")
    here = Path(os.path.relpath(folder / RECEIPTS))
    if os.pardir not in here.parts and any(place.is_symlink() for place in (here, *here.parents)):
        raise UsageError(f"--out {folder}: a symbolic link leads there. Name a folder outside of the checkout.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / REPORT).is_file():
        raise UsageError(f"--out {folder}: this folder holds something else. Name a new one, or empty it.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in (folder / PATCH, *(folder / RECEIPTS).glob("*.json")):
            old.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"--out {folder}: cannot be made: {error.strerror or error}.") from error


def write_folder(measured: Measured, folder: Path) -> None:
    """Write the report as JSON, HTML, Markdown, SARIF and JUnit, the patch and the receipts.

    Raises:
        AfterburnerError: something cannot be written.
    """
    document, gathered = measured.document, measured.gathered
    files = {
        REPORT: document_text(document).encode(),
        PAGE: _page(measured).encode("utf-8", "replace"),
        MARKDOWN: summary(document, Surroundings()).encode("utf-8", "replace"),
        SARIF: (json.dumps(sarif(document), indent=2) + "\n").encode(),
        JUNIT: junit(document),
        **gathered.receipts,
    }
    if gathered.patch:
        files[PATCH] = gathered.patch
    try:
        for name, data in files.items():
            _write_anew(folder / name, data)
    except OSError as error:
        raise AfterburnerError(f"--out {folder}: cannot be written: {error.strerror or error}.") from error


def _write_anew(place: Path, data: bytes) -> None:
    """Write a file that is ours: a link or a pipe that a pull request has put there is not written through."""
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def document_text(document: CiDocument) -> str:
    """The report as JSON, in ASCII."""
    return json.dumps(document.model_dump(mode="json"), indent=2) + "\n"


_FIRST = (Decision.IMPROVED, Decision.SLOWER, Decision.DIFFERENT, Decision.FASTER)  # what somebody has to act on
_MOST_OF_LINE = 800  # characters that a log shows of what was found; the report has all


def text_report(document: CiDocument) -> str:
    """The report in a few lines, for a terminal or a log."""
    lines = [f"{headline(document)}."]
    lines += [
        f"  {one_line(each.file)}:{each.line} {each.function}: {one_line(explained(each, document), _MOST_OF_LINE)}"
        for each in sorted(document.functions, key=lambda each: each.decision not in _FIRST)
    ]
    lines += [
        f"  {' '.join(filter(None, (one_line(each.file), each.function)))}: left out: {each.reason}"
        for each in document.left_out
    ]
    lines += [f"  {note}" for note in document.notes]
    if document.tests:
        lines.append(f"  {document.tests}")
    return "\n".join(lines) + "\n"


def step_outputs(measured: Measured, folder: Path) -> dict[str, str]:
    """The outputs of the step, as action.yml names them. It also fails if a changed file could not be read."""
    document = measured.document
    best = document.best_gain
    patch = folder / PATCH
    return {
        "improved": str(len(document.of(Decision.IMPROVED))),
        "regressions": str(len(document.of(Decision.SLOWER))),
        "failed": str(document.has_regressions or bool(measured.gathered.unknown)).lower(),
        "unanswered": str(bool(document.unanswered)).lower(),
        "best-gain": f"{best.ratio:.2f}" if best is not None else "",
        "report": str(folder / PAGE),
        "folder": str(folder),
        "patch": str(patch) if patch.exists() else "",
    }


def _page(measured: Measured) -> str:
    document = measured.document
    commits = f"Measured at {document.head}" + (f" against {document.base}." if document.base else ".")
    looked_at = len(document.functions) - len(document.not_looked_at)
    looked = f"{count(looked_at, 'function')} looked at in {document.elapsed_s:.0f} s."
    cost = "No model was asked." if document.cost_usd is None else f"Models cost {document.cost_usd:.4f} US dollars."
    best = document.best_gain
    gain = f"The best gain is {format_ratio(best.ratio)}." if best is not None else ""
    left_out = [
        f"Left out: {' '.join(filter(None, (each.file, each.function)))}: {each.reason}." for each in document.left_out
    ]
    no_section = [*document.of(Decision.FAILED), *document.not_looked_at]
    told = [f"{each.function}: {explained(each, document)}." for each in no_section]
    intro = [" ".join(filter(None, (looked, gain, cost, commits))), *told, *document.notes, *left_out]
    return render_page(f"Afterburner Agent: {headline(document)}", intro, measured.gathered.sections)
