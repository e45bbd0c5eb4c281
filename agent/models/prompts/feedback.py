"""What a model is told beside the problem: the named choices of `--tell`, which evaluation switches as well."""

from __future__ import annotations

from dataclasses import dataclass

from afterburner.sandbox import UsageError


@dataclass(frozen=True, slots=True)
class Telling:
    """Which parts a prompt has. Instructions, problem and output format are always there.

    A part for which there is nothing to tell (no counterexample yet, no earlier attempt) is left out all the same.
    """

    original: bool = True  # the code of the best solution so far: C*
    numbers: bool = True  # its verdict, time, memory and integral: M*
    counterexample: bool = True  # where an earlier solution behaved differently
    profile: bool = True  # which lines of the best solution take how much of its time
    history: bool = True  # what was tried before, and what became of it
    solutions: bool = False  # each earlier solution's code and figures: the history-aware loop of the paper's rebuttal


EVERYTHING = Telling()
PAPER = Telling(counterexample=False, profile=False, history=False)
PARTS = {
    "numbers": "verdict, time, memory and integral of the best solution so far",
    "counterexample": "an input on which an earlier rewrite behaved differently",
    "profile": "the share of time and the number of runs of its lines",
    "history": "earlier attempts, and what became of them",
    "solutions": "the code of each earlier solution, and its figures",
}
PRESETS = {
    "all": "all but solutions",
    "paper": "numbers alone",
    "no-feedback": "the original without numbers",
    "no-original": "numbers without the original's code",
    "history-aware": "numbers and solutions, as in the rebuttal's history-aware loop",
}


def parse_telling(text: str) -> Telling:
    """Read what `--tell` says: names of parts and presets, with commas between; together they tell what each tells.

    The original's code is told unless `no-original` is among them.

    Raises:
        UsageError: a name is unknown, there is none, or two of them contradict each other.
    """
    names = [name.strip().lower() for name in text.split(",")]
    for name in names:
        if name not in PARTS and name not in PRESETS:
            known = ", ".join([*PARTS, *PRESETS])
            raise UsageError(f"--tell knows no {name!r}. Give one or more of: {known}, with commas between.")
    told = set(names) | (set(PARTS) - {"solutions"} if "all" in names else set())
    if {"paper", "no-original", "history-aware"} & told:
        told.add("numbers")
    if "history-aware" in told:
        told.add("solutions")
    if {"numbers", "no-feedback"} <= told:
        raise UsageError(f"--tell {text}: no-feedback leaves the numbers out, and another name asks for them.")
    if {"profile", "no-original"} <= told:
        raise UsageError(f"--tell {text}: the profile quotes the original's lines, and no-original leaves them out.")
    parts = {part: part in told for part in PARTS}
    return Telling(original="no-original" not in told, **parts)
