"""The paper's prompt (appendix, "Afterburner inference"): one text for training and for inference, units printed.

Its parts, in this order: instructions with the target language, problem description, original solution, original
performance, output format. What else may be told (`feedback.py`) stands between the last two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import spoken_name
from afterburner.agent.option_kinds import member
from afterburner.agent.types import Objective
from afterburner.sandbox.languages import find_language
from afterburner.sandbox.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

EFFICIENCY_WORDS = {
    Objective.TIME: "time-efficient",
    Objective.MEMORY: "memory-efficient",
    Objective.INTEGRAL: "both time and memory efficient",
}

MAX_COUNTEREXAMPLE_CHARS = 1_200

_SYSTEM = """\
You are an expert in making programs efficient. You rewrite code so that it uses fewer resources and still does \
exactly what it did: the same results, the same errors, the same effects on its arguments. You answer in the \
requested format and write nothing outside of it."""

_INSTRUCTIONS = """\
## Instructions
Write a {words} solution in {language} to the problem below. {task}
Correctness comes first: a solution that behaves differently is worthless, however efficient it is. Keep the name, \
the parameters and the way it is entered. Use what the language's standard library offers, and of other libraries only \
those that the problem description allows; nothing can be installed.
Be as {words} as possible: choose better algorithms and data structures before you polish details."""

_IMPROVE = "An original solution and its measured performance are given; improve on it."
_IMPROVE_UNMEASURED = "An original solution is given; improve on it."
_IMPROVE_UNSEEN = "The measured performance of an original solution is given, its code is not; write a better one."
_FRESH = "There is no original solution yet; write the first one."

_WRONG = """\
## Counterexample
An earlier solution was rejected because it behaves differently from the original here: {line}"""

_PROFILE = """\
## Line profile
Where the original solution spends its time, as a profiler saw it on inputs of its workload: the share of the time and \
how often the line ran. Time in calls to other functions of the file counts there, in calls to libraries it counts here.
{table}"""

_HISTORY = """\
## Earlier attempts
What was tried before, the newest last. Gains are over what was the original solution then. Do not repeat an attempt \
that was refused, wrong or not better: find out why from its reason, or try something else.
{trail}"""

_SOLUTIONS = """\
## Earlier solutions
Every solution so far with its measured performance, the newest last. Do not repeat one of them.
{solutions}"""

_FORMAT = """\
## Output format
First think, then give the complete solution in one code block, in exactly this form:
<thinking>
what makes the original slow or large, and what you change
</thinking>
<solution>
```{tag}
the complete code
```
</solution>"""


def render_prompt(
    *,
    language: str,
    objective: str,
    problem_description: str,
    original_solution: str = "",
    passed: bool = False,
    wall_time_s: float | None = None,
    peak_memory_kib: int | None = None,
    memory_integral_kib_s: float | None = None,
    show_original: bool = True,
    show_performance: bool = True,
    counterexample: str = "",
    line_profile: str = "",
    history: str = "",
    earlier_solutions: str = "",
) -> list[dict[str, str]]:
    """Render the messages, a system and a user message, that ask for a more efficient solution.

    The loop sends these messages, and training renders the same bytes from the same values. Without the last six
    arguments the prompt is the paper's. An empty section is left out.

    Args:
        language: of the solution, by the sandbox's name: `python`, `cpp`.
        objective: what is to become smaller: `time`, `memory` or `integral`.
        problem_description: what the solution has to do.
        original_solution: the code to improve on; empty: there is none yet.
        passed: whether the original solution is right.
        wall_time_s: of the original solution; None: it was not measured.
        peak_memory_kib: likewise.
        memory_integral_kib_s: likewise.
        show_original: whether the original solution's code is shown.
        show_performance: whether its figures are shown.
        counterexample: where an earlier solution did something else than it had to, in one line.
        line_profile: a table of lines (`line_table.py`).
        history: a list of attempts (`trail.py`).
        earlier_solutions: code and figures of each (`earlier_solutions.py`).

    Raises:
        UsageError: there is no such language or objective.
    """
    spoken, wanted = spoken_name(find_language(language).name), member(Objective, "objective", objective)
    measured = wall_time_s is not None
    figures = performance_lines(passed, wall_time_s, peak_memory_kib, memory_integral_kib_s)
    task = _task(original_solution, is_measured=measured, shown=show_original, performance=show_performance)
    parts = [
        _INSTRUCTIONS.format(words=EFFICIENCY_WORDS[wanted], language=spoken, task=task),
        f"## Problem description\n{problem_description.strip()}",
    ]
    if show_original:
        parts.append(f"## Original solution\n{block(spoken, original_solution)}")
    if show_performance:
        parts.append(f"## Original performance\n{figures}")
    if line_profile:
        parts.append(_PROFILE.format(table=block("text", line_profile)))
    if counterexample:
        parts.append(_WRONG.format(line=one_line(counterexample, MAX_COUNTEREXAMPLE_CHARS)))
    if earlier_solutions:
        parts.append(_SOLUTIONS.format(solutions=earlier_solutions))
    if history:
        parts.append(_HISTORY.format(trail=block("text", history)))
    parts.append(_FORMAT.format(tag=spoken.lower()))
    return system_and_user(_SYSTEM, parts)


def system_and_user(system: str, parts: Sequence[str]) -> list[dict[str, str]]:
    """The two messages that a model is sent: who it is, and the parts of what it is asked, a blank line apart."""
    return [{"role": "system", "content": system}, {"role": "user", "content": sendable("\n\n".join(parts))}]


def sendable(text: str) -> str:
    """Write half of a surrogate pair, which a docstring may hold by an escape, as an escape: it cannot be sent."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _task(original_solution: str, *, is_measured: bool, shown: bool, performance: bool) -> str:
    if not shown and is_measured:
        return _IMPROVE_UNSEEN
    if not original_solution.strip() or not shown:
        return _FRESH
    return _IMPROVE if performance else _IMPROVE_UNMEASURED


def performance_lines(
    passed: bool, wall_time_s: float | None, peak_memory_kib: int | None, memory_integral_kib_s: float | None
) -> str:
    """Write a measurement with the unit of every figure; None: it was not measured."""
    if wall_time_s is None or peak_memory_kib is None or memory_integral_kib_s is None:
        return "Passed: not run\nTime: not measured\nMemory: not measured\nIntegral: not measured"
    return (
        f"Passed: {passed}\n"
        f"Time: {wall_time_s:.6g} s\n"
        f"Memory: {peak_memory_kib} KiB\n"
        f"Integral: {memory_integral_kib_s:.6g} KiB·s"
    )


def one_line(text: str, most_chars: int) -> str:
    """One line of at most so many characters, all visible; what it quotes may come from a sandbox or a model."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= most_chars else line[: most_chars - 1] + "…"


def block(language: str, code: str) -> str:
    """Fence code with more backticks than it has itself."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language.lower()}\n{code.rstrip()}\n{fence}"
