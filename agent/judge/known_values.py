"""Whether a rewrite holds values of the workload, so that it may be fast on this workload alone.

`if x == 12345: return 678` in front of the slow code is right everywhere, and fast where it was measured. So where the
new text of a rewrite mentions values that occur in the workload's arguments (compared in the sandbox) or outcomes, its
gain has to show on other inputs as well.
"""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.code.literals import MOST_LITERALS, new_literals
from afterburner.agent.inputs.inside import held_values
from afterburner.agent.inputs.inside.held_values import LONG
from afterburner.agent.judge.first_items import screen_unknown
from afterburner.agent.judge.larger_inputs import LargerLook
from afterburner.agent.judge.world_uses import changed_statements
from afterburner.agent.types import Decision
from afterburner.agent.wording import format_ratio
from afterburner.sandbox import CallCase, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import Gain, WorkloadCall

USUAL_NUMBERS = frozenset((0, 1, 2))  # and -1, -2: they are of every workload
SHORTEST_TEXT = 2
MOST_TOLD = 3
MOST_MADE = 6
COMPARABLE = 0.5  # of what the dearest timed call takes
_FUNCTION = "afterburner_held_values"
_FINDER = Path(held_values.__file__)

Literal = int | float | str


def known_values(bench: Workbench, winner: str) -> list[Literal]:
    """The literals of what a rewrite changes that occur in the workload, but for those that stood there before.

    Where there are more new ones than are looked at, all of these count.

    Args:
        bench: of the run, with the original.
        winner: the text of the file with the rewrite in place.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    new = _new_literals(bench.target.source, winner)
    values = [value for value in new if _is_telling(value)]
    calls = bench.workload.calls_in_order()
    if len(new) >= MOST_LITERALS or not values or not calls:
        return values if calls else []
    held = _in_outcomes(values, calls) | _in_arguments(bench, values, calls)
    return [value for place, value in enumerate(values) if place in held]


def _told(values: Sequence[Literal]) -> str:
    shown = ", ".join(ascii(value) for value in values[:MOST_TOLD])
    return f"it holds values of the workload ({shown}{', …' if len(values) > MOST_TOLD else ''})"


def _new_literals(original: str, rewrite: str) -> list[Literal]:
    """Without a look at the rest of the file: that may be where the workload comes from."""
    try:
        before, after = ast.parse(original), ast.parse(rewrite)
        old, new = changed_statements(after, before), changed_statements(before, after)
        return new_literals(*(ast.unparse(ast.Module(each, [])) for each in (old, new)))
    except (SyntaxError, ValueError, RecursionError):
        return []


def screen_on_made(
    bench: Workbench, judge: Judge, winner: str, made: Iterable[WorkloadCall], deadline: Deadline
) -> Comparison | None:
    """What screening says on made inputs that are about as dear as the dearest that were timed; None without any.

    Cheaper ones tell nothing: a rewrite may well gain on large inputs alone.

    Args:
        bench: of the run, with the original.
        judge: likewise.
        winner: the text of the file with the rewrite in place.
        made: inputs on which it does the same as the original.
        deadline: when to stop.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    timed = bench.timed_calls()
    if not timed:  # a program that is judged by cases
        return None
    least_s = COMPARABLE * max(call.cpu_time_s for call in timed)
    known = {call.blob for call in bench.workload.calls_in_order()}
    dear = [call for call in made if call.cpu_time_s >= least_s and call.blob not in known]
    dear.sort(key=lambda call: call.cpu_time_s, reverse=True)
    case = bench.call_case(dear[:MOST_MADE], hash_seed=0)
    return screen_unknown(bench, judge, winner, case, deadline) if dear else None


def without_larger(
    comparison: Comparison, made: Comparison | None, held: Sequence[Literal], needed: float, note: str
) -> LargerLook:
    """What becomes of a comparison where no larger inputs could be made: what made ones of that cost say, if any.

    Args:
        comparison: with the gain on the workload.
        made: see `screen_on_made`.
        held: values of the workload in the rewrite, if that is why it was looked at.
        needed: the least gain (ratio) that is worth anything.
        note: why there are no larger inputs.
    """
    if not held:
        return LargerLook(comparison, note)
    if made is None or made.gain is None:
        return LargerLook(comparison, f"{note}; nor on others of that cost, though {_told(held)}")
    if made.gain.ratio <= needed:
        return LargerLook(without_gain(comparison, made.gain, "made inputs of that cost", held))
    return LargerLook(comparison, f"measured again on made inputs of that cost: {format_ratio(made.gain.ratio)}")


def without_gain(comparison: Comparison, gain: Gain, where: str, held: Sequence[Literal]) -> Comparison:
    """A comparison whose gain other inputs do not show, and why that may be."""
    shown = f"{format_ratio(comparison.gain.ratio)}, but " if comparison.gain is not None else ""
    why = f": {_told(held)}" if held else ""
    reason = f"{shown}on {where} only {format_ratio(gain.ratio)}{why}"
    return replace(comparison, decision=Decision.NOT_BETTER, reason=reason)


def _is_telling(value: Literal) -> bool:
    if isinstance(value, str):
        return len(value) >= SHORTEST_TEXT
    return value not in USUAL_NUMBERS and value - value == 0  # neither of the usual ones nor infinite


def _in_arguments(bench: Workbench, values: Sequence[Literal], calls: Sequence[WorkloadCall]) -> set[int]:
    """The places of the values that occur in the arguments of a call; a function beside the original's tells it."""
    source = (
        f"{bench.target.source}\n\n\ndef {_FUNCTION}(*args, **kwargs):\n    finder = {{}}\n"
        f"    exec({_FINDER.read_text(encoding='utf-8')!r}, finder)\n"
        f"    return finder['held_values']({list(values)!r}, [*args, *kwargs.values()])\n"
    )
    program = bench.program(source)
    if program.entry is None:
        return set()
    program = replace(program, entry=replace(program.entry, qualname=_FUNCTION))
    case = CallCase(tuple(call.blob for call in calls))
    report = bench.sandbox.run(program, [case], bench.limits).cases[0]
    if report.verdict is not Verdict.ACCEPTED:
        return set()
    found = (_returned(outcome.encoded) for outcome in report.outcomes)
    return {int(place) for text in found for place in text.split(",") if place.isdecimal()}


def _returned(encoded: bytes) -> str:
    match _tree(encoded):
        case ["outcome", _, ["returned", str(text), *_], *_]:
            return text
    return ""


def _in_outcomes(values: Sequence[Literal], calls: Sequence[WorkloadCall]) -> set[int]:
    leaves = {leaf for call in calls for leaf in _leaves(_tree(call.expected))}
    return {place for place, value in enumerate(values) if _occurs(value, leaves)}


def _occurs(value: Literal, leaves: set[str]) -> bool:
    if not isinstance(value, str):
        return repr(value) in leaves
    return value in leaves or (len(value) >= LONG and any(value in leaf for leaf in leaves))


def _leaves(tree: Any) -> Iterator[str]:
    """The texts in a tree of `sandbox/driver/value_encoder.py` but its tags, and the numbers without their signs."""
    waiting = [tree]
    while waiting:
        match waiting.pop():
            case ["float", str(text)]:
                yield text.removeprefix("-")
            case [str(), *parts] | [*parts]:
                waiting += parts
            case int(number):
                yield repr(abs(number))
            case str(text):
                yield text


def _tree(encoded: bytes) -> Any:
    try:
        return json.loads(encoded)
    except (ValueError, RecursionError):
        return None
