"""What of the text on stderr is a part of what a call did, and what a rewrite may change.

Left out, because it tells where code stands and not what it did:
- the place of a warning (file, line, source text); its category and its message stay;
- the frames of a traceback that lie in the target's own file; those of other files, and the exception, stay;
- addresses of objects (`at 0x7f…`).
All other text counts as it is, a message that `logging` writes for want of a handler among it.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, List, Optional

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_catching = warnings.catch_warnings
_AT = " at 0x"
_HEX = "0123456789abcdefABCDEF"


def install() -> None:
    """Let warnings be shown without their place; to be done before user code is loaded."""
    warnings.formatwarning = _without_place


def _without_place(
    message: object,
    category: "type[Warning]",
    filename: str,  # noqa: ARG001 - the hook's interface
    lineno: int,  # noqa: ARG001 - likewise
    line: Optional[str] = None,  # noqa: ARG001 - likewise
) -> str:
    return "%s: %s\n" % (category.__name__, message)


def forget_warnings() -> None:
    """Let each call give its warnings anew: Python shows one only the first time that a line gives it."""
    with _catching():  # entering and leaving both make every module's registry of shown warnings void
        pass


def normalised(data: bytes, path: str) -> str:
    """The text without what a rewrite of the file at `path` may change."""
    text = data.decode("utf-8", "surrogateescape")
    if _AT in text:
        first, *others = text.split(_AT)
        text = first + "".join(_AT + other.lstrip(_HEX) for other in others)
    own_frame = 'File "%s", line ' % path
    return "".join(_without_frames(text.splitlines(keepends=True), own_frame)) if own_frame in text else text


def _without_frames(lines: List[str], own_frame: str) -> List[str]:
    """The lines without those of a frame: one that names it, and what is indented more than that."""
    kept: List[str] = []
    inside: Optional[int] = None  # how far the line is indented that names the frame
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        if line.startswith(own_frame, indent):
            inside = indent
        elif inside is None or indent <= inside:
            is_repeat = inside is not None and line.lstrip(" ").startswith("[Previous line repeated ")
            inside = inside if is_repeat else None
            if not is_repeat:
                kept.append(line)
    return kept
