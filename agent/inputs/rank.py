"""Ranks functions by the CPU time that a rewrite of them could save."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import function_texts, read_source
from afterburner.agent.code.skip_marker import says_skip
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.inputs.harness_answers import SurveyedFunction
    from afterburner.agent.inputs.survey import Survey

# Of the time in callees that were called again and again, what a rewrite may hope to avoid. The callee is a target of
# its own, to which all of that time counts already, so this is a guess that only breaks ties between neighbours.
AVOIDABLE_SHARE = 0.5
_PYTEST = "pytest: "


@dataclass(frozen=True, slots=True)
class RankedTarget:
    """A function that is worth a try.

    Attributes:
        path: of its file.
        function: its qualified name.
        saving_s: what a rewrite could save at best; see `rank`.
        share: that of `saving_s` in all the CPU time that was seen in the files.
        calls: how often it was called.
        test_files: that call it.
        own_share: that of the function itself, and of what it calls outside the files, in the same time.
    """

    path: str
    function: str
    saving_s: float
    share: float
    calls: int
    test_files: tuple[str, ...]
    own_share: float = 0.0


def rank(survey: Survey) -> list[RankedTarget]:
    """The functions that a rewrite can be of, those first that could save the most.

    What could be saved is the time of the function itself and of what it calls outside the project, and half of the
    time in functions of the project that it calls more than once a call. Left out is what nobody calls by its name
    (properties), what was never called, what only waits (`async def`), and what says `# afterburner: skip`.
    """
    total_s = survey.total_s
    targets = [
        RankedTarget(
            function.path,
            function.qualname,
            saving_s(function),
            saving_s(function) / total_s if total_s else 0.0,
            function.calls,
            tuple(origin.removeprefix(_PYTEST) for origin in function.origins if origin.startswith(_PYTEST)),
            function.cost_s / total_s if total_s else 0.0,
        )
        for function in _that_can_be_rewritten(survey.functions)
    ]
    return sorted(targets, key=lambda target: (-target.saving_s, target.path, target.function))


def saving_s(function: SurveyedFunction) -> float:
    """Seconds of the profile that a rewrite could save at best."""
    return function.cost_s + AVOIDABLE_SHARE * function.repeated_s


def _that_can_be_rewritten(functions: Sequence[SurveyedFunction]) -> Iterator[SurveyedFunction]:
    called = sorted((each for each in functions if each.qualname and each.calls), key=lambda each: each.path)
    for path, group in groupby(called, key=lambda each: each.path):
        try:
            source, _ = read_source(Path(path))
            known = {name for name, text in function_texts(source).items() if not says_skip(text)}
        except UsageError:
            continue
        known -= _asynchronous(source)
        yield from (each for each in group if each.qualname in known)


def _asynchronous(source: str) -> set[str]:
    found: set[str] = set()

    def visit(nodes: Sequence[ast.stmt], prefix: str) -> None:
        for node in nodes:
            if isinstance(node, ast.AsyncFunctionDef):
                found.add(prefix + node.name)
            elif isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}.")

    visit(ast.parse(source).body, "")
    return found
