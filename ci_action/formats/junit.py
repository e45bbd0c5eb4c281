"""The report as JUnit's XML, which every CI system shows: a test case for each function."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from afterburner.ci_action.formats.phrases import explained, verdict
from afterburner.ci_action.report.document import Decision, Mode

if TYPE_CHECKING:
    from afterburner.ci_action.report.document import CiDocument, FunctionPart

_SKIPPED = (Decision.NOT_REACHED, Decision.INTERRUPTED, Decision.TOO_NOISY, Decision.FAILED)
_LOWEST_PRINTABLE = 32


def junit(document: CiDocument) -> bytes:
    """A slower function fails; by `prove` one that behaves differently does, too. What has no answer is skipped."""
    failing = {Decision.SLOWER} | ({Decision.DIFFERENT} if document.mode is Mode.PROVE else set())
    failed = [each for each in document.functions if each.decision in failing]
    skipped = [each for each in document.functions if each.decision in _SKIPPED]
    suite = ET.Element(
        "testsuite",
        name=f"afterburner-agent {document.mode.value}",
        tests=str(len(document.functions)),
        failures=str(len(failed)),
        errors="0",
        skipped=str(len(skipped)),
        time=f"{document.elapsed_s:.3f}",
    )
    for each in document.functions:
        _add_case(suite, each, document, has_failed=each in failed)
    suites = ET.Element("testsuites")
    suites.append(suite)
    text: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_case(suite: ET.Element, function: FunctionPart, document: CiDocument, *, has_failed: bool) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        classname=_plain(function.file),
        name=function.function,
        file=_plain(function.file),
        line=str(function.line),
        time=f"{function.elapsed_s:.3f}",
    )
    if has_failed:
        failure = ET.SubElement(case, "failure", message=verdict(function, document), type=function.decision.value)
        failure.text = _plain(explained(function, document))
    elif function.decision in _SKIPPED:
        ET.SubElement(case, "skipped", message=_plain(function.reason))
    else:
        told = [explained(function, document), *function.evidence]
        ET.SubElement(case, "system-out").text = _plain("\n".join(f"- {each}" for each in told))


def _plain(text: str) -> str:
    """Without the characters that XML does not allow."""
    return "".join(
        each if each == "\n" or (ord(each) >= _LOWEST_PRINTABLE and not _is_forbidden(each)) else "?" for each in text
    )


def _is_forbidden(character: str) -> bool:
    return "\ud800" <= character <= "\udfff" or character in "\ufffe\uffff"
