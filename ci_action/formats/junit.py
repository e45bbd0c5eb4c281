"""The report as JUnit's XML, which every CI system shows: a test case for each function."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from afterburner.ci_action.formats.phrases import explained, headline, verdict
from afterburner.ci_action.report.document import Decision, Mode

if TYPE_CHECKING:
    from afterburner.ci_action.report.document import CiDocument, FunctionPart

_LOWEST_PRINTABLE = 32


def junit(document: CiDocument) -> bytes:
    """A slower function fails; by `prove` one that behaves differently does, too.

    What has no answer is skipped, and so is a function or a file that was left out. A changed file that could not be
    read is an error, as it fails a gate. An interrupted run is an error of a case of its own: many systems show a
    report of skipped cases alone as passed.
    """
    failing = {Decision.SLOWER} | ({Decision.DIFFERENT} if document.mode is Mode.PROVE else set())
    name = f"afterburner-agent {document.mode.value}"
    suite = ET.Element("testsuite", name=name)
    if document.interrupted:
        case = ET.SubElement(suite, "testcase", classname=name, name="the whole run", time=f"{document.elapsed_s:.3f}")
        ET.SubElement(case, "error", message=headline(document), type="interrupted")
    unanswered = [*document.unanswered, *(each for each in document.without_answer if each.rewrite is None)]
    for each in document.functions:
        case = _add_case(suite, each)
        if each.decision in failing:
            failure = ET.SubElement(case, "failure", message=verdict(each, document), type=each.decision.value)
            failure.text = _plain(explained(each, document))
        elif each in unanswered:
            ET.SubElement(case, "skipped", message=_plain(explained(each, document)))
        else:
            told = [explained(each, document), *each.evidence]
            ET.SubElement(case, "system-out").text = _plain("\n".join(f"- {line}" for line in told))
    for left in document.left_out:
        name = left.function or "the whole file"
        case = ET.SubElement(suite, "testcase", classname=_plain(left.file), name=name, time="0.000")
        why = _plain(f"left out: {left.reason}")
        if left.is_unknown:
            ET.SubElement(case, "error", message=why, type="unknown")
        else:
            ET.SubElement(case, "skipped", message=why)
    suite.set("tests", str(len(suite)))
    for counted, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(counted, str(len(suite.findall(f"testcase/{kind}"))))
    suite.set("time", f"{document.elapsed_s:.3f}")
    suites = ET.Element("testsuites")
    suites.append(suite)
    text: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_case(suite: ET.Element, function: FunctionPart) -> ET.Element:
    return ET.SubElement(
        suite,
        "testcase",
        classname=_plain(function.file),
        name=function.function,
        file=_plain(function.file),
        line=str(function.line),
        time=f"{function.elapsed_s:.3f}",
    )


def _plain(text: str) -> str:
    """Without the characters that XML does not allow."""
    return "".join(
        each if each == "\n" or (ord(each) >= _LOWEST_PRINTABLE and not _is_forbidden(each)) else "?" for each in text
    )


def _is_forbidden(character: str) -> bool:
    return "\ud800" <= character <= "\udfff" or character in "\ufffe\uffff"
