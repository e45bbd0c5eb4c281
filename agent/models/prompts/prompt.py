"""The paper's prompt (appendix, "Afterburner inference"): one text for training and for inference, units printed.

Its parts, in this order: instructions with the target language, problem description, original solution, original
performance, output format. What else may be told (`feedback.py`) stands between the last two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.agent.models.prompts.feedback import EVERYTHING
from afterburner.agent.types import Objective

if TYPE_CHECKING:
    from afterburner.agent.models.prompts.feedback import Telling
    from afterburner.sandbox import Measurement

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


def build_prompt(  # noqa: PLR0917 - the parts of the paper's prompt
    language: str,
    objective: Objective,
    problem_description: str,
    original_solution: str,
    passed: bool,
    measurement: Measurement | None,
    counterexample: str | None = None,
    *,
    profile: str = "",
    history: str = "",
    tell: Telling = EVERYTHING,
) -> list[dict[str, str]]:
    """Build the messages, a system and a user message, that ask for a more efficient solution.

    For a first generation `original_solution` is empty and `measurement` None. What `tell` switches off is left out
    even if it is given, and what is not given has no section: without the last four arguments, the prompt is the
    paper's.

    Args:
        language: of the solution, as people write it: `Python`, `C++`.
        objective: what is to become smaller.
        problem_description: what the solution has to do.
        original_solution: the code to improve on.
        passed: whether the original solution is right.
        measurement: of the original solution.
        counterexample: where an earlier solution did something else than it had to, in one line.
        profile: a table of lines (`line_table.py`).
        history: a list of attempts (`trail.py`).
        tell: which of these parts are told.
    """
    parts = [
        _INSTRUCTIONS.format(
            words=EFFICIENCY_WORDS[objective], language=language, task=_task(original_solution, measurement, tell)
        ),
        f"## Problem description\n{problem_description.strip()}",
    ]
    if tell.original:
        parts.append(f"## Original solution\n{block(language, original_solution)}")
    if tell.numbers:
        parts.append(f"## Original performance\n{performance(passed, measurement)}")
    if tell.profile and profile:
        parts.append(_PROFILE.format(table=block("text", profile)))
    if tell.counterexample and counterexample:
        parts.append(_WRONG.format(line=one_line(counterexample, MAX_COUNTEREXAMPLE_CHARS)))
    if tell.history and history:
        parts.append(_HISTORY.format(trail=block("text", history)))
    parts.append(_FORMAT.format(tag=language.lower()))
    return [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": "\n\n".join(parts)}]


def _task(original_solution: str, measurement: Measurement | None, tell: Telling) -> str:
    if not tell.original and measurement is not None:
        return _IMPROVE_UNSEEN
    if not original_solution.strip() or not tell.original:
        return _FRESH
    return _IMPROVE if tell.numbers else _IMPROVE_UNMEASURED


def performance(passed: bool, measurement: Measurement | None) -> str:
    """Write a measurement as the prompt shows it, with the unit of every figure."""
    if measurement is None:
        return "Passed: not run\nTime: not measured\nMemory: not measured\nIntegral: not measured"
    return (
        f"Passed: {passed}\n"
        f"Time: {measurement.wall_time_s:.6g} s\n"
        f"Memory: {measurement.peak_memory_kib} KiB\n"
        f"Integral: {measurement.memory_integral_kib_s:.6g} KiB·s"
    )


def one_line(text: str, most_chars: int) -> str:
    """One printable line of at most so many characters; what it quotes may come from a sandbox or a model."""
    line = "".join(each if each.isprintable() else " " for each in " ".join(text.split()))
    return line if len(line) <= most_chars else line[: most_chars - 1] + "…"


def block(language: str, code: str) -> str:
    """Fence code with more backticks than it has itself."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language.lower()}\n{code.rstrip()}\n{fence}"
