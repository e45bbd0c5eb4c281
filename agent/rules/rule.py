"""What a rule is: it looks at one function and proposes another text for it. Rules propose, the judge decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import libcst as cst


@dataclass(frozen=True, slots=True)
class RuleInput:
    """The function that a rule looks at.

    `module` is the whole file. `scope` is the node of it whose code may change: the target's FunctionDef, or the
    Module itself when a whole program is the target. `qualname` is None then.
    """

    module: cst.Module
    scope: cst.FunctionDef | cst.Module
    qualname: str | None


@dataclass(frozen=True, slots=True)
class RuleOutput:
    """The new scope (same node type as the input's), with what it needs at module level."""

    scope: cst.FunctionDef | cst.Module
    imports: tuple[str, ...] = ()  # "import functools", "from collections import deque"
    helpers: tuple[str, ...] = ()  # module-level definitions, "_WORD = re.compile(r'\\w+')"


class Rule(Protocol):
    """One kind of rewrite. Its docstring shows before and after."""

    name: str  # kebab-case, shown to the user: "set-membership"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Apply the rewrite wherever it fits in the scope; None if it fits nowhere."""
