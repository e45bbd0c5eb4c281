"""The report as SARIF 2.1.0, which code hosts and editors show at the lines that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from afterburner.ci_action.formats.phrases import explained, headline, verdict
from afterburner.ci_action.report.document import Decision, Mode
from afterburner.ci_action.report.words import few_of

if TYPE_CHECKING:
    from afterburner.ci_action.report.document import CiDocument, EditPart, FunctionPart, LeftOutPart

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    Decision.IMPROVED: ("faster-rewrite", "A proven rewrite is better", "note"),
    Decision.SLOWER: ("slower", "A change makes a function slower", "warning"),
    Decision.DIFFERENT: ("different", "A change makes a function behave differently", "note"),
    Decision.CONDITIONAL: ("conditional", "A change keeps a function the same only on a condition", "note"),
}
_LEFT_OUT = ("left-out", "A changed file could not be looked at", "warning")


def sarif(document: CiDocument) -> dict[str, Any]:
    """The results that have a place to stand at: rewrites, slow-downs, differences, and files that could not be read.

    A difference speaks against a claim (`prove`), and is often the purpose of another pull request.
    """
    unproven = {Decision.CONDITIONAL} if document.mode is not Mode.PROVE else set()
    told = [each for each in document.functions if each.decision in _RULES and each.decision not in unproven]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Afterburner Agent",
                        "version": document.version,
                        "rules": [
                            {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
                            for name, text, level in (*_RULES.values(), _LEFT_OUT)
                        ],
                    }
                },
                "invocations": [_invocation(document)],
                "results": [
                    *(_result(each, document) for each in told),
                    *(_of_file(each) for each in document.left_out if each.function is None),
                ],
            }
        ],
    }


def _invocation(document: CiDocument) -> dict[str, Any]:
    """Whether the run came to its end, and what has no answer: without results, the report would look clean."""
    if document.interrupted:
        return {"executionSuccessful": False, "toolExecutionNotifications": [_told("error", document)]}
    if document.without_answer or (document.left_out and not document.functions):
        return {"executionSuccessful": True, "toolExecutionNotifications": [_told("warning", document)]}
    return {"executionSuccessful": True}


def _told(level: str, document: CiDocument) -> dict[str, Any]:
    names = few_of([each.function for each in document.without_answer])
    text = f"{headline(document)}. Without an answer: {names}" if names else headline(document)
    return {"level": level, "message": {"text": text}}


def _result(function: FunctionPart, document: CiDocument) -> dict[str, Any]:
    rule, _, level = _RULES[function.decision]
    if function.decision is Decision.DIFFERENT and document.mode is Mode.PROVE:
        level = "warning"
    place = {"uri": quote(function.file)}
    region = {"startLine": function.line, "endLine": function.last_line}
    result: dict[str, Any] = {
        "ruleId": rule,
        "level": level,
        "message": {"text": f"{function.function}: {explained(function, document)}"},
        "locations": [{"physicalLocation": {"artifactLocation": place, "region": region}}],
        "partialFingerprints": {"function/v1": function.key},
    }
    if function.rewrite is not None and function.rewrite.edits:
        changes = [{"artifactLocation": place, "replacements": [_replacement(each) for each in function.rewrite.edits]}]
        result["fixes"] = [{"description": {"text": verdict(function, document)}, "artifactChanges": changes}]
    return result


def _of_file(left: LeftOutPart) -> dict[str, Any]:
    """A changed file of which nothing is known; where no line is to blame it stands at the first one."""
    rule, _, level = _LEFT_OUT
    place = {"artifactLocation": {"uri": quote(left.file)}, "region": {"startLine": left.line or 1}}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": f"left out: {left.reason}"},
        "locations": [{"physicalLocation": place}],
    }


def _replacement(edit: EditPart) -> dict[str, Any]:
    """Whole lines, from the first column to the first column of the line behind the last."""
    region = {"startLine": edit.first, "startColumn": 1, "endLine": edit.last + 1, "endColumn": 1}
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}
