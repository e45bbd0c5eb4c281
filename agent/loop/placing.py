"""From a proposal to the file that is judged, measured and offered: put in place, kept small, laid out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.code.additions import RewriteError
from afterburner.agent.code.foreign_code import attempted
from afterburner.agent.code.locate import with_source
from afterburner.agent.code.source_text import line_end, same_code, split_lines, usual_line_end
from afterburner.agent.code.splice import splice
from afterburner.agent.code.unchanged import keep_unchanged
from afterburner.agent.errors import TargetError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.code.context.surroundings import Surroundings
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import Rewrite, Target


def place(original: Target, incumbent: str, rewrite: Rewrite, surroundings: Surroundings | None) -> str:
    """Give the text of the target's file with a rewrite of the incumbent in place.

    Statements that are the same code as the incumbent's or the original's keep their lines; of the others, the
    project's formatter lays the lines out.

    Args:
        original: the target as the user has it.
        incumbent: the text of its file that the rewrite starts from.
        rewrite: what was proposed.
        surroundings: the project; without it every import is let through and nothing is laid out.

    Raises:
        RewriteError: the rewrite does not fit, it imports what it may not, or whatever else went wrong with it.
        CancelledError: the run was cancelled.
    """
    return attempted(partial(_placed, original, incumbent, rewrite, surroundings), "put in place")


def _placed(original: Target, incumbent: str, rewrite: Rewrite, surroundings: Surroundings | None) -> str:
    text = splice(with_source(original, incumbent), rewrite)
    if incumbent != original.source:
        text = _with_lines_of(original, text)
    if surroundings is None:
        return text
    objection = surroundings.objection(text)
    if objection is not None:
        raise RewriteError(f"{objection[0].upper()}{objection[1:]}.")
    return surroundings.formatted(text)


def describing(bench: Workbench, surroundings: Surroundings | None) -> Callable[[Target], str] | None:
    """What says of a target what a model has to know: its problem, or the project; None: its own file only."""
    if bench.problem is not None:
        return bench.problem.describe
    return surroundings.describe if surroundings else None


def _with_lines_of(original: Target, text: str) -> str:
    """Give statements of the function that are the user's own code again the user's own lines again."""
    try:
        target = with_source(original, text)
    except TargetError:
        return text
    lines, first, stop = split_lines(text), target.first_line - 1, target.last_line
    old = split_lines(original.source)[original.first_line - 1 : original.last_line]
    kept = keep_unchanged(old, lines[first:stop], usual_line_end(lines))
    kept[-1] = kept[-1].rstrip("\r\n") + line_end(lines[stop - 1])
    result = "".join([*lines[:first], *kept, *lines[stop:]])
    return result if same_code(result, text) else text
