"""A line profile as a model reads it: a compact table of the lines that take time, beside their code.

The code is the host's; only numbers are from the sandbox. Lines outside of the target are shown without their string
constants and comments, which may hold secrets.
"""

from __future__ import annotations

import io
import tokenize
from typing import TYPE_CHECKING

from afterburner.agent.code.source_text import split_lines

if TYPE_CHECKING:
    from afterburner.agent.inputs.line_profile import LineCost, LineProfile
    from afterburner.agent.types import Target

MAX_LINES = 24
MAX_LINE_CHARS = 120
LEAST_SHARE = 0.005  # a line below it is shown only if it is one of the `FEW` costliest
FEW = 5
_HIDDEN = "…"


def line_table(profile: LineProfile | None, target: Target) -> str:
    """Write the costliest lines, in the order of the file; empty without a profile.

    Args:
        profile: of the text that `target` holds.
        target: the place in it that is to be rewritten.
    """
    if profile is None or not profile.lines:
        return ""
    lines = split_lines(target.source)
    known = [each for each in profile.lines if 1 <= each.line <= len(lines)]
    costliest = sorted(known, key=lambda each: -each.share)[:MAX_LINES]
    shown = [each for place, each in enumerate(costliest) if each.share >= LEAST_SHARE or place < FEW]
    if not shown:
        return ""
    elsewhere = _without_texts(target.source) if target.function is not None else lines
    rows = [f"{'share':>7}  {'times run':>10}  line"]
    before = 0
    for each in sorted(shown, key=lambda each: each.line):
        if before and each.line > before + 1:
            rows.append(f"{'':>7}  {'':>10}  {_HIDDEN}")
        inside = target.first_line <= each.line <= target.last_line
        rows.append(_row(each, (lines if inside else elsewhere)[each.line - 1]))
        before = each.line
    if profile.note:
        rows.append("Of a part of the run only.")  # why is not told: it may be what the code said when it failed
    return "\n".join(rows)


def _row(cost: LineCost, text: str) -> str:
    code = "".join(each if each.isprintable() else " " for each in text.rstrip().expandtabs(4))
    code = code if len(code) <= MAX_LINE_CHARS else code[: MAX_LINE_CHARS - 1] + _HIDDEN
    return f"{cost.share:>7.1%}  {cost.hits:>10}  {code}"


def _without_texts(source: str) -> list[str]:
    """The file's lines with an ellipsis in place of each string, and without comments."""
    lines = split_lines(source)
    starts = {getattr(tokenize, name, None) for name in ("FSTRING_START", "TSTRING_START")}
    ends = {getattr(tokenize, name, None) for name in ("FSTRING_END", "TSTRING_END")}
    spans: list[tuple[tuple[int, int], tuple[int, int], str]] = []
    opened: list[tuple[int, int]] = []  # f-strings that are not closed yet
    unified = "".join(line.rstrip("\r\n") + "\n" for line in lines)
    for token in tokenize.generate_tokens(io.StringIO(unified).readline):
        if token.type in starts:
            opened.append(token.start)
        elif token.type in ends:
            start = opened.pop()
            if not opened:
                spans.append((start, token.end, f'"{_HIDDEN}"'))
        elif not opened and token.type == tokenize.STRING:
            spans.append((token.start, token.end, f'"{_HIDDEN}"'))
        elif not opened and token.type == tokenize.COMMENT:
            spans.append((token.start, token.end, ""))
    for (first, begin), (last, end), shown in reversed(spans):
        rest = lines[last - 1][end:]
        if first == last:
            lines[first - 1] = lines[first - 1][:begin] + shown + rest
        else:
            lines[first - 1] = lines[first - 1][:begin] + shown
            lines[first : last - 1] = [""] * (last - 1 - first)
            lines[last - 1] = rest
    return lines
