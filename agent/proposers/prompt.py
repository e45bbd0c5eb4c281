"""The paper's prompt (appendix, "Afterburner inference"): one text for training and for inference, units printed.

Its parts, in this order: instructions with the target language, problem description, original solution, original
performance, output format.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.agent.types import Objective

if TYPE_CHECKING:
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
the parameters and the way it is entered. Use what the language's standard library offers; nothing can be installed.
Be as {words} as possible: choose better algorithms and data structures before you polish details."""

_IMPROVE = "An original solution and its measured performance are given; improve on it."
_FRESH = "There is no original solution yet; write the first one."

_WRONG = """\
## Counterexample
An earlier solution was rejected because it behaves differently from the original here: {line}"""

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


def build_prompt(  # noqa: PLR0913, PLR0917 - the parts of the paper's prompt
    language: str,
    objective: Objective,
    problem_description: str,
    original_solution: str,
    passed: bool,
    measurement: Measurement | None,
    counterexample: str | None = None,
) -> list[dict[str, str]]:
    """Build the messages, a system and a user message, that ask for a more efficient solution.

    For a first generation `original_solution` is empty and `measurement` None. With a `counterexample` there is one
    more section; without, the prompt is the paper's.
    """
    task = _IMPROVE if original_solution.strip() else _FRESH
    parts = [
        _INSTRUCTIONS.format(words=EFFICIENCY_WORDS[objective], language=language, task=task),
        f"## Problem description\n{problem_description.strip()}",
        f"## Original solution\n{_block(language, original_solution)}",
        f"## Original performance\n{performance(passed, measurement)}",
        *([_WRONG.format(line=_one_line(counterexample))] if counterexample else []),
        _FORMAT.format(tag=language.lower()),
    ]
    return [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": "\n\n".join(parts)}]


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


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_COUNTEREXAMPLE_CHARS else line[: MAX_COUNTEREXAMPLE_CHARS - 1] + "…"


def _block(language: str, code: str) -> str:
    """Fence code with more backticks than it has itself."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language.lower()}\n{code.rstrip()}\n{fence}"
