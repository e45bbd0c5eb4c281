"""What measuring gathers, whichever mode it is in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.page.section import PageSection
    from afterburner.agent.types import Machine
    from afterburner.ci_action.changes import LeftOut
    from afterburner.ci_action.report.document import FunctionPart


@dataclass(slots=True)
class Gathered:
    """What was found so far; still right if the work is cut off at any moment.

    Attributes:
        functions: those that were looked at, the hottest first.
        left_out: what was not looked at.
        notes: what else there is to say.
        sections: of the page for people.
        receipts: by the names of their files.
        patch: all rewrites that go together.
        tests: what the tests say with all of them in place.
        cost_usd: what models cost; None: none was asked, or it is not known.
        machine: where it ran; None: nothing was measured.
        interrupted: whether somebody ended the work.
        python_without_pytest: the interpreter, if unittest ran the tests since it lacks pytest; else empty.
    """

    functions: list[FunctionPart] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sections: list[PageSection] = field(default_factory=list)
    receipts: dict[str, bytes] = field(default_factory=dict)
    patch: bytes = b""
    tests: str = ""
    cost_usd: float | None = None
    machine: Machine | None = None
    interrupted: bool = False
    python_without_pytest: str = ""

    @property
    def unknown(self) -> list[LeftOut]:
        """The changed files of which nothing is known, since they could not be read or are not those of the commit."""
        return [each for each in self.left_out if each.is_unknown]
