"""Reads the calls that a language model gives: a snippet of Python, which runs nowhere but in the sandbox."""

from __future__ import annotations

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.answer_format import FENCE

MOST_CHARS = 20_000
_OF_PYTHON = frozenset({"", "python", "python3", "py"})


def snippet_of(answer: str) -> str:
    """The Python in an answer: what stands in its code blocks, as one text.

    Raises:
        ProposerError: there is none, or it is too long.
    """
    fence = ""
    is_python = False
    lines: list[str] = []
    for line in answer.split("\n"):
        match = FENCE.fullmatch(line.rstrip("\r"))
        if not fence and match:
            fence, is_python = match[1], match[2].strip().lower() in _OF_PYTHON
        elif match and match[1].startswith(fence) and not match[2].strip():
            fence = ""
        elif fence and is_python:
            lines.append(line)
    snippet = "\n".join(lines).strip()
    if not snippet:
        raise ProposerError("the answer holds no calls in a code block")
    if len(snippet) > MOST_CHARS:
        raise ProposerError(f"the answer's calls are longer than {MOST_CHARS:,} characters")
    return snippet
