"""The paper's answer format: `<thinking>…</thinking><solution>…</solution>`, the last code block counts.

This is the strict reading alone; `lenient.py` makes something of answers that break the format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from afterburner.agent.errors import ProposerError

_ANSWER = re.compile(r"\s*<thinking>(.*?)</thinking>\s*<solution>(.*?)</solution>\s*", re.DOTALL)
_TAG = re.compile(r"</?(?:thinking|solution)>")
_TAGS = ["<thinking>", "</thinking>", "<solution>", "</solution>"]
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")


STRICT = "strict"


class AnswerFormatError(ProposerError):
    """An answer is not in the format that the prompt asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model thought, and the code that it settled on."""

    thinking: str
    code: str
    form: str = STRICT  # or the names of the leniency that it took to read it, with commas between


def parse_answer(text: str) -> Answer:
    """Read an answer strictly: the whole text has to match, tags must not nest, blanks around are fine.

    Raises:
        AnswerFormatError: the message says what is wrong.
    """
    match = _ANSWER.fullmatch(text)
    found = _TAG.findall(text)
    if match is None or found != _TAGS:
        raise AnswerFormatError(_what_is_wrong(text, found))
    thinking, solution = (part.strip() for part in match.groups())
    return Answer(thinking, _last_block(solution))


def _what_is_wrong(text: str, found: list[str]) -> str:
    if not text.strip():
        return "The answer is empty."
    for tag in _TAGS:
        if tag not in found:
            return f"The answer has no {tag}."
    if len(found) > len(_TAGS):
        return "The answer has a tag more than once, or nests tags."
    if found != _TAGS:
        return f"The answer's tags are in the wrong order: {' '.join(found)}."
    return "The answer has text outside of <thinking>…</thinking><solution>…</solution>."


def _last_block(solution: str) -> str:
    """Give the text of the last fenced code block; a fence closes with at least as many of its own marks."""
    fence = ""
    block: list[str] = []
    last: str | None = None
    for line in solution.split("\n"):
        match = FENCE.fullmatch(line.rstrip("\r"))
        if not fence:
            if match:
                fence, block = match[1], []
        elif match and match[1].startswith(fence) and not match[2].strip():
            fence, last = "", "\n".join(block)
        else:
            block.append(line)
    if fence:
        raise AnswerFormatError("The last code block of the solution is not closed.")
    if last is None:
        raise AnswerFormatError("The solution has no code block.")
    if not last.strip():
        raise AnswerFormatError("The last code block of the solution is empty.")
    return last + "\n"
