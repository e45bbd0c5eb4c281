"""Asks a language model, as a sceptic, for calls on which a rewrite may differ from the original.

Its answer is a snippet of Python that is read as text here, and runs nowhere but in the sandbox.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from afterburner.agent.code.line_matching import changes
from afterburner.agent.code.locate import function_source
from afterburner.agent.code.source_text import split_lines
from afterburner.agent.models.prompts.description import describe_target
from afterburner.agent.models.prompts.parts import parts_of
from afterburner.agent.models.prompts.prompt import block, system_and_user
from afterburner.agent.usage import NOTHING_USED, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.types import Target

_SYSTEM = """\
You are an expert in testing programs. You find calls on which two versions of a function behave differently. You \
answer in the requested format and write nothing outside of it."""

_TASK = """\
## Instructions
Version B is to replace version A of `{name}`, because it needs fewer resources. Find calls on which they may differ: \
another result, another exception, another effect on the arguments, other output, other log records. Go through \
everything that B does in another way and ask where it matters: limits and the values beside them, ties, duplicates, \
the order, nothing and a single element, zero, negative numbers, rounding, overflow, text beyond ASCII, matches that \
overlap, the same object in two places, what is left from the call before.
Give only calls that a user of version A may make: arguments of the kinds that A is written for, and objects made by \
their constructors and public methods. A call that A is not made for counts for nothing."""

_FORMAT = """\
## Output format
First think, then give at most {most} calls in one code block, in exactly this form:
<thinking>
what B does in another way, and where that may show
</thinking>
```python
statements that call {name}
```
All names of the function's module are there; what else is needed has to be imported. Keep the arguments small and \
write them out. Define no functions, classes or lambdas, set no attributes, use no names that begin with an \
underscore, and compare nothing."""

MOST_CALLS = 30


@dataclass(frozen=True, slots=True)
class DoubtRequest:
    """What a sceptic receives: both versions of a function."""

    original: Target
    rewrite: Target
    candidate: str  # the rewrite's id: "1.3"
    iteration: int  # of the run, in which it was proposed
    seed: int = 0
    describe: Callable[[Target], str] | None = None  # says what the project knows of a target; None: its own file only
    usage: Usage = NOTHING_USED  # what the run had used of language models when the confirmation began


@runtime_checkable
class Sceptic(Protocol):
    """Writes calls on which two versions of a function may differ."""

    name: str

    def doubt(self, request: DoubtRequest) -> str:
        """Give the text of an answer.

        Raises:
            ProposerError: there is none; the message says why.
        """


def sceptic_of(proposer: Proposer) -> Sceptic | None:
    """The first language model among the proposers, or a recording of its calls; None: there is neither."""
    return next((part for part in parts_of(proposer) if isinstance(part, Sceptic)), None)


def messages_for_doubt(request: DoubtRequest) -> list[dict[str, str]]:
    """Render the messages that ask for calls."""
    name = request.original.function or ""
    parts = [
        _TASK.format(name=name),
        f"## Problem description\n{(request.describe or describe_target)(request.original).strip()}",
        f"## Version A\n{block('python', function_source(request.original))}",
        f"## Version B\n{block('python', _added(request) + function_source(request.rewrite))}",
        _FORMAT.format(name=name, most=MOST_CALLS),
    ]
    return system_and_user(_SYSTEM, parts)


def _added(request: DoubtRequest) -> str:
    """What a rewrite adds to the file beside the function: its imports and helpers."""
    before, after = split_lines(request.original.source), split_lines(request.rewrite.source)
    own = range(request.rewrite.first_line - 1, request.rewrite.last_line)
    added = (number for change in changes(before, after) for number in range(change.new_start, change.new_end))
    return "".join(after[number] for number in added if number not in own)
