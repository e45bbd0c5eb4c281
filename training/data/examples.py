"""The examples of each data set, problem by problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afterburner.training.data.choosing import best, choose_originals, choose_pairs, choose_triples
from afterburner.training.data.prompts import answer_with, prompt_for
from afterburner.training.data.settings import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.types import Objective
    from afterburner.evals.problems import BenchmarkProblem, Reference
    from afterburner.training.data.prompts import Messages
    from afterburner.training.data.settings import DataSettings

Example = dict[str, Any]  # a row of the data set


def examples_of(problem: BenchmarkProblem, settings: DataSettings) -> Iterator[Example]:
    """The examples of one problem, in the form that TRL takes: `prompt` with `completion`, or `chosen` and `rejected`.

    Beside these, each row says what it is of: `problem_id`, `objective`, `original`, `difficulty` and, where there is a
    better and a worse solution, their `gap`.
    """
    for objective in settings.objectives:
        for told in _MAKERS[settings.recipe](problem, objective, settings):
            yield {
                "problem_id": problem.id,
                "objective": objective.value,
                "difficulty": problem.difficulty,
                "language": problem.problem.language,
                **told,
            }


def _sft(problem: BenchmarkProblem, objective: Objective, settings: DataSettings) -> Iterator[Example]:
    for worse, better in choose_pairs(problem, objective, settings):
        yield {
            "original": worse.code,
            "prompt": _prompt(problem, objective, worse, settings),
            "completion": _answer(better, problem, objective),
            "gap": _gap(worse, better, objective),
        }


def _dpo(problem: BenchmarkProblem, objective: Objective, settings: DataSettings) -> Iterator[Example]:
    for first, middling, worst in choose_triples(problem, objective, settings):
        yield {
            "original": middling.code,
            "prompt": _prompt(problem, objective, middling, settings),
            "chosen": _answer(first, problem, objective),
            "rejected": _answer(worst, problem, objective),
            "gap": _gap(worst, first, objective),
        }


def _grpo(problem: BenchmarkProblem, objective: Objective, settings: DataSettings) -> Iterator[Example]:
    for original in choose_originals(problem, objective, settings):
        yield {"original": original.code, "prompt": _prompt(problem, objective, original, settings)}


def _direct(problem: BenchmarkProblem, objective: Objective, settings: DataSettings) -> Iterator[Example]:
    for found in best(problem, objective):
        yield {
            "original": "",
            "prompt": prompt_for(problem.problem, objective, "", None, tell=settings.tell),
            "completion": _answer(found, problem, objective, is_rewrite=False),
        }


def _prompt(problem: BenchmarkProblem, objective: Objective, original: Reference, settings: DataSettings) -> Messages:
    return prompt_for(problem.problem, objective, original.code, original.figures, tell=settings.tell)


def _answer(
    solution: Reference, problem: BenchmarkProblem, objective: Objective, *, is_rewrite: bool = True
) -> Messages:
    text = answer_with(solution.code, objective, problem.problem.language, is_rewrite=is_rewrite)
    return [{"role": "assistant", "content": text}]


def _gap(worse: Reference, better: Reference, objective: Objective) -> float:
    assert worse.figures is not None  # noqa: S101 - it was chosen by them
    assert better.figures is not None  # noqa: S101 - likewise
    return worse.figures.of(objective) / better.figures.of(objective)


_MAKERS: dict[Recipe, Callable[[BenchmarkProblem, Objective, DataSettings], Iterator[Example]]] = {
    Recipe.SFT: _sft,
    Recipe.DPO: _dpo,
    Recipe.GRPO: _grpo,
    Recipe.DIRECT: _direct,
}
