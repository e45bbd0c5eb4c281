"""The types that the parts of the harness hand to one another."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Sequence

Request = Dict[str, Any]  # what the host asks, as `afterburner.agent.inputs.harness` puts it
Record = Dict[str, Any]  # what it is told, as `afterburner.agent.inputs.harness_answers` reads it
Write = Callable[[Record], None]
Copy = Callable[[Sequence[Any], Mapping[str, Any]], bytes]  # a call's arguments into a blob


HURRIED: Record = {"kind": "told", "body": {"hurried": True}}  # there would be more, had there been more time


class Interrupted(BaseException):
    """Our alarm. No `Exception`, so that user code that catches those lets it through."""
