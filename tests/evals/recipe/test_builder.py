"""One problem of a benchmark: which cases and solutions are kept, and what is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.evals.problems import BenchmarkProblem
from afterburner.evals.recipe.builder import LeftOutError

if TYPE_CHECKING:
    from afterburner.agent import Problem
    from afterburner.evals.recipe.builder import BuiltProblem
    from afterburner.sandbox import TestCase

TOKENS = (
    "def evaluate(expected_output, program_output):\n    return expected_output.split() == program_output.split()\n"
)


def test_keeps_right_solutions_and_cases_of_both_kinds(sums: Any) -> None:
    """Wrong, failing and repeated solutions go; half of the public cases are generated; no private case is public."""
    given = (sums.wrong, *sums.right, sums.same_as_first, "1/0")
    built = sums.builder().build(sums.raw(solutions=given))
    problem = built.problem
    assert [each.code for each in problem.references] == list(sums.right)
    assert built.dropped == ((1, "repeats another"), (2, "fail a stored case"))
    assert [_is_stored(each) for each in problem.problem.test_cases] == [True] * 2 + [False] * 2
    assert [_is_stored(each) for each in problem.private.test_cases] == [False] * 2
    assert not _inputs(problem.problem) & _inputs(problem.private)
    for case in (*problem.problem.test_cases, *problem.private.test_cases):
        assert int(case.expected_stdout) == sum(map(int, case.stdin.split()))
    assert problem.notes == ("no evaluator: outputs are compared by lines",)
    assert problem.measured_on == "a machine"


def test_measures_each_reference_on_both_sides(sums: Any) -> None:
    """The figures are the medians of the stored repeats, public ones twice and private ones once."""
    built = sums.builder(replace(sums.settings, repeats=2, private_repeats=1)).build(sums.raw())
    measured = built.distributions.measured
    assert {side: len(repeats) for side, repeats in measured.items()} == {"public": 6, "private": 3}
    for each in built.problem.references:
        times = [one.figures.wall_time_s for one in measured["public"] if one.code_id == each.id]
        assert len(times) == 2
        assert each.figures.wall_time_s == pytest.approx(sum(times) / 2)
        assert each.figures.peak_memory_kib > 1000
        assert [one.figures for one in measured["private"] if one.code_id == each.id] == [each.private_figures]
    assert built.problem == BenchmarkProblem.from_json(built.problem.to_json())


@pytest.mark.nightly
def test_one_solution_that_disagrees_drops_a_case(sums: Any) -> None:
    """As in the paper: all have to agree, so the stored cases have to do, and the notes say why."""
    built = sums.builder().build(sums.raw(solutions=(*sums.right, sums.rogue)))
    problem = built.problem
    assert len(problem.references) == 4
    assert all(_is_stored(each) for each in _cases(built))
    assert len(_inputs(problem.problem) | _inputs(problem.private)) == len(_cases(built)) == 4
    assert [each for each in problem.notes if each.endswith("dropped: the solutions disagree")]


def test_a_case_on_which_one_solution_fails_is_dropped(sums: Any) -> None:
    """The others are kept: here those whose first number is even."""
    picky = (
        "numbers = [*map(int, input().split())]\nassert numbers[0] < 99 or numbers[0] % 2 == 0\nprint(sum(numbers))\n"
    )
    built = sums.builder().build(sums.raw(solutions=(*sums.right, picky)))
    generated = [each for each in _cases(built) if not _is_stored(each)]
    assert generated
    assert all(int(each.stdin.split()[0]) % 2 == 0 for each in generated)
    assert [each for each in built.problem.notes if each.endswith("dropped: a solution fails")]


@pytest.mark.slow
@pytest.mark.parametrize(("evaluator", "references"), [(TOKENS, 4), pytest.param("", 3, marks=pytest.mark.nightly)])
def test_outputs_are_compared_by_the_evaluator(sums: Any, evaluator: str, references: int) -> None:
    """An answer below empty lines is right for an evaluator of tokens, and wrong for lines."""
    odd = "print('\\n\\n', sum(map(int, input().split())))\n"
    problem = sums.builder().build(sums.raw(solutions=(*sums.right, odd), evaluator=evaluator)).problem
    assert len(problem.references) == references
    assert (problem.strict is None) == bool(evaluator)  # lines would refuse a reference


@pytest.mark.nightly
def test_same_input_same_benchmark(sums: Any) -> None:
    """Two builds differ in figures alone."""
    first, second = (sums.builder().build(sums.raw()).problem for _ in range(2))
    assert _without_figures(first) == _without_figures(second)


def test_without_stored_cases_agreement_decides(sums: Any) -> None:
    """All public cases are generated then."""
    problem = sums.builder().build(sums.raw(cases=())).problem
    assert (len(problem.problem.cases), len(problem.private.cases)) == (4, 2)


def test_takes_as_many_solutions_as_asked_for(sums: Any) -> None:
    """A wrong one does not count among them."""
    settings = replace(sums.settings, most_solutions=2, least_solutions=2)
    built = sums.builder(settings).build(sums.raw(solutions=(sums.wrong, *sums.right)))
    assert len(built.problem.references) == 2
    assert {each.code for each in built.problem.references} < set(sums.right)
    assert built.dropped == ((1, "fails a stored case"),)  # the third right one is neither tried nor dropped


@pytest.mark.parametrize(
    ("generator", "stored", "reasons"),
    [
        (
            "",
            2,
            (
                "no generator",
                "no private cases: none was generated, and no stored one is left for them",
            ),
        ),
        (
            "def generate_test_cases(num_cases, seed=42):\n    return [{'input': '5 6'}] * num_cases\n",
            1,
            ("no private cases: only public ones were generated, and no stored one is left for them",),
        ),
        (
            "def generate_test_cases(num_cases, seed=42):\n    return [{'input': f'no {seed}'}] * num_cases\n",
            1,
            (
                "2 cases dropped: a solution fails",
                "no private cases: all generated ones were dropped, and no stored one is left for them",
            ),
        ),
    ],
)
def test_a_problem_without_private_cases_says_why(
    sums: Any, generator: str, stored: int, reasons: tuple[str, ...]
) -> None:
    """Nobody generated any, they are public already, or no solution runs on them."""
    problem = sums.builder().build(sums.raw(generator=generator, cases=sums.stored[:stored])).problem
    assert problem.private is None
    assert problem.notes[1:] == reasons


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"solutions": ("print(1)",) * 5}, "1 different solution; at least 3"),
        ({"solutions": ("print(1)", "print(2)", "print(3)")}, "0 of 3 solutions pass"),
        ({"generator": "", "cases": ()}, "no cases"),
        ({"generator": "def generate_test_cases(n, seed):\n    return 7\n", "cases": ()}, "made no public cases"),
        ({"language": "brainfuck"}, "brainfuck"),
        ({"runner": "no place for a solution"}, "runner"),
        ({"evaluator": "1/0\n"}, "test_case_evaluator: "),
    ],
)
def test_leaves_out_what_cannot_be_used(sums: Any, changes: dict[str, object], reason: str) -> None:
    """The reason names what is missing or broken."""
    with pytest.raises(LeftOutError, match=reason):
        sums.builder().build(sums.raw(**changes))


def _inputs(problem: Problem) -> set[bytes]:
    return {each.stdin.strip() for each in problem.test_cases}


def _cases(built: BuiltProblem) -> tuple[TestCase, ...]:
    private = built.problem.private
    return (*built.problem.problem.test_cases, *(private.test_cases if private else ()))


def _is_stored(case: TestCase) -> bool:
    return max(map(int, case.stdin.split())) < 100


def _without_figures(problem: BenchmarkProblem) -> BenchmarkProblem:
    bare = tuple(replace(each, figures=None, private_figures=None) for each in problem.references)
    return replace(problem, references=bare)
