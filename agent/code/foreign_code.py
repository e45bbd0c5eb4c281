"""Code that a model wrote: how deep it may be nested, and that whatever goes wrong with it is that answer's refusal."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from afterburner.agent.code.additions import RewriteError
from afterburner.agent.code.source_text import parse
from afterburner.sandbox import AfterburnerError, CancelledError

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LEVELS = 200  # of a syntax tree; what takes code apart calls itself three or four times for each

Result = TypeVar("Result")


def attempted(step: Callable[[], Result], what: str) -> Result:
    """Carry out one step on what a model wrote: reading it, putting it in place, looking at it.

    Args:
        step: the step.
        what: what it does with the answer, as a participle: "read".

    Raises:
        RewriteError: the step raised something, whatever it was, told in plain words.
        CancelledError: the run was cancelled.
    """
    try:
        return step()
    except (RewriteError, CancelledError):
        raise
    except AfterburnerError as error:
        raise RewriteError(str(error)) from error
    except RecursionError as error:
        raise RewriteError(f"The answer is nested too deeply to be {what}.") from error
    except MemoryError as error:
        raise RewriteError(f"The answer takes more memory to be {what} than there is.") from error
    except Exception as error:
        line = " ".join(str(error).split())
        raise RewriteError(f"The answer cannot be {what}: {type(error).__name__}: {line}") from error


def check_levels(tree: ast.Module, what: str, most: int) -> None:
    """Refuse what is nested too deeply; a sum or a chain has a level for each of its parts.

    Raises:
        RewriteError: it has more levels, in which line, and what to do.
    """
    row = [_Node(tree, 1)]
    for _ in range(most):
        row = _below(row)
    if row:
        raise RewriteError(
            f"The {what} is nested too deeply in line {row[0].line}: it has more than {most} levels. A sum or a chain "
            "has one for each of its parts: write a long one as a loop."
        )


def most_levels(original: str) -> int:
    """How many levels a rewrite may have: as many as the original file has itself, or the usual number."""
    levels, row = 0, list[_Node]()
    with suppress(SyntaxError):
        row = [_Node(parse(original), 1)]
    while row:
        levels, row = levels + 1, _below(row)
    return max(levels, MAX_LEVELS)


class _Node(NamedTuple):
    """A node and the line that it stands in."""

    node: ast.AST
    line: int


def _below(row: list[_Node]) -> list[_Node]:
    """The next level: what the nodes of one consist of."""
    return [_Node(child, getattr(child, "lineno", line)) for node, line in row for child in ast.iter_child_nodes(node)]
