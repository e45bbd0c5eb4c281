"""A raw problem: what a benchmark can be built of, before anybody has checked or measured any of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RawProblem:
    """A problem with human solutions, as its dataset has it.

    Attributes:
        id: how the dataset calls it; unique in it.
        title: for people.
        description: the text that a model is given.
        difficulty: `easy`, `medium`, `hard`, or what the dataset says; empty: it does not say.
        tags: topics.
        language: of the solutions.
        starter_code: what a solution has to begin with; empty: nothing.
        generator: Python source that defines `generate_test_cases(num_cases, seed=42)`; empty: there is none.
        evaluator: Python source that defines `evaluate(expected_output, program_output)`; empty: there is none.
        runner: the program that a solution is put into, at `==Code Submission==`; empty: a solution is a program.
        solutions: texts of code; nobody has said that they are right.
        cases: pairs of a text for stdin and what has to be printed.
        notes: what has to be known of the record, such as a field that may have been misspelt.
    """

    id: str
    title: str
    description: str
    difficulty: str
    tags: tuple[str, ...]
    language: str
    starter_code: str
    generator: str
    evaluator: str
    runner: str
    solutions: tuple[str, ...]
    cases: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()
