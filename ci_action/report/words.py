"""Foreign text as one bounded line that a reader, a terminal and a log can take."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.agent.models.requests.spending import SHARE_IS_UP, TIME_IS_UP

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_CHARACTERS = 1_500
_MORE_TIME = re.compile(
    r"--max-seconds(?= allows more| more(?:$|[;.])|, or fewer calls|\) is up)"
)  # as our own reasons end
_RUN = re.compile(r"(\S)\1{39,}")  # of one character: how many there are tells more than to see them
_PYTEST_COMMAND = re.compile(r"run FOLDER -- python -m (pytest [^\"]+)")
_OPTION = re.compile(r"(?<!\w)--(?:[a-z]|\s)")


def one_line(text: object, most: int = MOST_CHARACTERS) -> str:
    """The text on one line, cut at `most` characters: unseen characters are escaped, long runs told by length."""
    flat = _RUN.sub(lambda run: f"{run[1]}{run[1]}…({len(run[0]):,} in a row)", " ".join(str(text).split()))
    shown = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in flat)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def few_of(names: Sequence[str], most: int = 3) -> str:
    """`a, b, c, …`: the first names."""
    return ", ".join([*names[:most], *(["…"] if len(names) > most else [])])


def own_option(reason: str) -> str:
    """A reason of a run with the option of `ci` that gives it more time, which its functions share."""
    shared = reason if SHARE_IS_UP in reason else reason.replace(TIME_IS_UP, SHARE_IS_UP)
    return _MORE_TIME.sub("--max-minutes", shared)


def plain_reason(error: Exception, root: Path) -> str:
    """An error of a session on one line: paths from the root, and without advice on options that `ci` does not have."""
    lines = [line.strip().removeprefix("- ") for line in str(error).replace(f"{root}/", "").splitlines()]
    lines = [line for line in lines if line and not _OPTION.search(_PYTEST_COMMAND.sub("", line))]
    kept = [_PYTEST_COMMAND.sub(r'--tests-command "\1"', line.rstrip(".")) for line in lines]
    return one_line("; ".join(kept).replace(":; ", ": ")) or type(error).__name__
