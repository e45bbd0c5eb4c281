"""The rules that operators write for the alert feed."""

import re
from dataclasses import dataclass


@dataclass
class Rule:
    """A pattern for the messages of one source. Operators may mute a rule, and unmute it, at any time."""

    name: str
    source: str
    pattern: str
    muted: bool = False
    hits: int = 0

    def __post_init__(self):
        re.compile(self.pattern)
