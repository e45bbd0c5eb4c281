"""Asks a language model for calls of a function that nothing calls, as a user would make them.

Its answer is a snippet of Python that is read as text here, and runs nowhere but in the sandbox.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from afterburner.agent.code.locate import function_source
from afterburner.agent.models.prompts.description import describe_target
from afterburner.agent.models.prompts.parts import parts_of
from afterburner.agent.models.prompts.prompt import block, system_and_user

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.types import Target

MOST_CALLS = 16

_SYSTEM = """\
You are an expert in testing programs. You write calls that show how a function is used. You answer in the requested \
format and write nothing outside of it."""

_TASK = """\
## Instructions
Nothing in the project calls `{name}`, and it has to be run and measured. Write calls of it as its users make them in \
earnest: with arguments of the kinds that it is written for, as they are in practice, and with objects made by their \
constructors and public methods. Give several sizes: some small calls, some of an ordinary size, and at least four \
large ones, each with other values, that keep it busy for about 10 milliseconds and never longer than 0.2 seconds. \
Every call has to return, and to return the same whenever it is made: no call that raises an exception, no network, no \
files, no time of day, no unseeded random numbers."""

_FORMAT = """\
## Output format
First think, then give at most {most} calls in one code block, in exactly this form:
<thinking>
who calls it, with what, and how large that is
</thinking>
```python
statements that call {name}
```
All names of the function's module are there; what else is needed has to be imported. Make large arguments by \
comprehensions or a seeded `random.Random`. Define no functions, classes or lambdas, set no attributes, and use no \
names that begin with an underscore."""


@dataclass(frozen=True, slots=True)
class CallsRequest:
    """What the author of calls receives: the function, what the project knows of it, what the user states."""

    target: Target
    seed: int = 0
    describe: Callable[[Target], str] | None = None  # says what the project knows of a target; None: its own file only
    assume: tuple[str, ...] = ()  # what holds for every call: expressions over the parameters


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """The text of an answer, and the model that gave it."""

    model: str
    text: str


@runtime_checkable
class CallAuthor(Protocol):
    """Writes calls of a function that nothing calls."""

    name: str

    def write_calls(self, request: CallsRequest) -> WrittenAnswer:
        """Give an answer.

        Raises:
            ProposerError: there is none; the message says why.
        """


def call_author_of(proposer: Proposer) -> CallAuthor | None:
    """The first language model among the proposers, or a recording of its calls; None: there is neither."""
    return next((part for part in parts_of(proposer) if isinstance(part, CallAuthor)), None)


def messages_for_calls(request: CallsRequest) -> list[dict[str, str]]:
    """Render the messages that ask for calls."""
    name = request.target.function or ""
    parts = [
        _TASK.format(name=name),
        f"## Problem description\n{(request.describe or describe_target)(request.target).strip()}",
        f"## The function\n{block('python', function_source(request.target))}",
    ]
    if request.assume:
        parts.append(f"## What holds for every call\n{block('python', chr(10).join(request.assume))}")
    parts.append(_FORMAT.format(name=name, most=MOST_CALLS))
    return system_and_user(_SYSTEM, parts)
