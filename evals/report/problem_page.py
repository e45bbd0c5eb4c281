"""The page of one problem: what every iteration of every run wrote, was asked, and came to."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import numpy as np

from afterburner.agent.page.diff import diff_block
from afterburner.agent.page.figures import show_figure
from afterburner.agent.page.markup import bullets, element, safe, table
from afterburner.agent.types import Objective
from afterburner.evals.metrics.percentile import ranks_at
from afterburner.evals.metrics.scores import problem_means
from afterburner.evals.report.document import LONGEST, document, facts, folded, lines
from afterburner.evals.report.problem_rows import messages_of, read_problem
from afterburner.evals.report.ranks_picture import NOUNS, ranks_picture

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from afterburner.evals.evaluation import EvaluatedProblem
    from afterburner.evals.report.problem_rows import ProblemRows
    from afterburner.evals.report.runs import Run
    from afterburner.evals.tables import Row

_RULES = ("public", "private", "strict")
_OBJECTIVES = (Objective.TIME, Objective.MEMORY, Objective.INTEGRAL)
_RANK = (
    "Each figure is the median of the code's repeats. Rank, %: what Beyond counts, which is the mean of the repeats' "
    "ranks, not the rank of their median. A repeat's rank is the share of the known solutions that it is at least as "
    "good as. Code that is the text of a known solution has that solution's rank; code that fails has 0."
)


def problem_page(problem_id: str, runs: Sequence[tuple[Run, EvaluatedProblem]], index: str) -> str:
    """The page of a problem in the runs that evaluated it.

    Args:
        problem_id: of the problem.
        runs: at least one that has it, with what it has of it.
        index: the report's main page, from here.

    Raises:
        OSError: what a run stored cannot be read.
    """
    body = [f'<p><a href="{safe(index)}">All results</a></p>']
    body += _about(runs[0][1])
    for run, problem in runs:
        body += _run(run, problem)
    return document(problem_id, body)


def _about(problem: EvaluatedProblem) -> Iterator[str]:
    known = problem.facts
    cases = f"{known['public_cases']} public, {known['private_cases']} private"
    yield facts(
        (
            ("Dataset", known["dataset"]),
            ("Difficulty", problem.difficulty),
            ("Topics", ", ".join(known["tags"] or ())),
            ("Language", known["language"]),
            ("Test cases", cases),
            ("Known solutions", f"{known['measured_references']} with figures, of {known['measured_on'] or 'nobody'}"),
        )
    )
    if known["notes"]:
        yield bullets(known["notes"])
    yield folded("The problem", known["description"] or "")


def _run(run: Run, problem: EvaluatedProblem) -> Iterator[str]:
    assert run.public.folder is not None  # noqa: S101 - it was read from one
    rows = read_problem(run.public.folder, problem.id)
    yield f"<section>\n{element('h2', run.label)}"
    yield element("p", f"{run.model}, scored on {problem.tests} tests, in wall time.", "soft")
    if problem.facts["flags"]:
        yield bullets(problem.facts["flags"])
    for objective in _OBJECTIVES:
        yield from _ranks(problem, rows, objective)
    if any(len(problem.references[each]) for each in _OBJECTIVES):
        yield element("p", _RANK, "soft")
    for generation in rows.generations:
        yield element("h3", f"Generation {generation}")
        yield _trajectory(problem, rows, generation)
        for iteration in rows.iterations(generation):
            yield from _iteration(rows, generation, iteration)
    yield "</section>"


def _ranks(problem: EvaluatedProblem, rows: ProblemRows, objective: Objective) -> Iterator[str]:
    found: Mapping[int, Mapping[int, float]] = {
        generation: {
            iteration: figure
            for iteration in rows.iterations(generation)
            if problem.passed[generation, iteration]
            and (figure := rows.figure(_best(rows, generation, iteration), problem.tests, objective)) is not None
        }
        for generation in rows.generations
    }
    references = [float(each) for each in problem.references[objective] if each > 0]
    if references or any(found.values()):
        yield f'<div class="wide">{ranks_picture(objective, references, found)}</div>'


def _best(rows: ProblemRows, generation: int, iteration: int) -> str:
    return str(rows.best[generation, iteration]["code_id"])


def _trajectory(problem: EvaluatedProblem, rows: ProblemRows, generation: int) -> str:
    head = ("iteration", "code", *(f"{rule} tests" for rule in _RULES[:2]), "strict rule")
    figures = (head for each in _OBJECTIVES for head in (NOUNS[each], "rank, %"))
    cells = []
    for iteration in rows.iterations(generation):
        best = rows.best[generation, iteration]
        verdicts = [rows.verdict(best["code_id"], rule) for rule in _RULES]
        verdicts[0] = verdicts[0] or ("passes in the loop" if best["passed"] else "fails in the loop")
        if not rows.rows["verdicts"]:
            verdicts[2] = "no strict rule"
        ranked = (text for each in _OBJECTIVES for text in _ranked(problem, rows, (generation, iteration), each))
        cells.append([safe(each) for each in (str(iteration), best["candidate"] or "none yet", *verdicts, *ranked)])
    return table((*head, *figures), cells, "scores")


def _ranked(problem: EvaluatedProblem, rows: ProblemRows, at: tuple[int, int], objective: Objective) -> tuple[str, str]:
    """The figure of C* of a generation and an iteration, and the rank that Beyond counts."""
    figure = rows.figure(_best(rows, *at), problem.tests, objective)
    return show_figure(NOUNS[objective], figure) if figure is not None else "", _rank(problem, at, objective)


def _rank(problem: EvaluatedProblem, at: tuple[int, int], objective: Objective) -> str:
    """Empty: there are no references, or the code passes and has no figure."""
    if not len(problem.references[objective]):
        return ""
    generation, iteration = at
    ranks = ranks_at(problem, objective, iteration)[np.newaxis, [generation]]
    return f"{100 * float(problem_means(ranks)[0]):.2f}" if np.isfinite(ranks).any() else ""


def _iteration(rows: ProblemRows, generation: int, iteration: int) -> Iterator[str]:
    found = rows.candidates.get((generation, iteration), [])
    if not found:
        yield element("p", f"Iteration {iteration}: no new code.", "soft")
        return
    before = rows.code(generation, iteration - 1)
    for row in found:
        title = f"Iteration {iteration}: {row['candidate']}, {row['verdict'] or 'not judged'}, {row['decision']}"
        yield f"<details>{element('summary', title)}\n" + "\n".join(_candidate(row, rows, before)) + "\n</details>"


def _candidate(row: Row, rows: ProblemRows, before: str) -> Iterator[str]:
    yield facts(
        (
            ("By", row["proposer"] or ""),
            ("Verdict", row["verdict"] or "not judged"),
            ("Decision", row["decision"] or ""),
            ("Reason", row["reason"] or ""),
            ("Measured once", ", ".join(_figures(row))),
            ("Answer", ", ".join(_use(row))),
        )
    )
    code = rows.codes.get(row["code_id"], "")
    yield from _code(code, before)
    yield folded("Reasoning", row["reasoning"] or "")
    for role, text in messages_of(row["prompt"] or ""):
        yield folded(f"Prompt: {role}", text)
    yield folded(_answer_title(row), row["answer"] or "")


def _answer_title(row: Row) -> str:
    """A server or LiteLLM may have taken the reasoning out of the answer; a recording of whole answers has it."""
    is_whole = (row["reasoning"] or "") in (row["answer"] or "")
    return "The whole answer" if is_whole else "The answer without its reasoning"


def _code(code: str, before: str) -> Iterator[str]:
    """The code, and how it differs from the best one before it."""
    if not code:
        yield element("p", "The answer held no code.", "missing")
    elif not before or max(len(before), len(code)) > LONGEST:
        yield lines(code)
    elif before == code:
        yield element("p", "The same code as the best one before it.", "soft")
        yield folded("The code", code)
    else:
        yield diff_block(_diff(before, code))
        yield folded("The code", code)


def _figures(row: Row) -> Iterator[str]:
    columns = {"wall time": "wall_time_s", "CPU time": "cpu_time_s", "peak memory": "peak_memory_kib"}
    for noun, column in {**columns, "memory integral": "memory_integral_kib_s"}.items():
        if row[column] is not None and row[column] == row[column]:
            yield f"{noun} {show_figure(noun, row[column])}"


def _use(row: Row) -> Iterator[str]:
    for name, text in (("prompt_tokens", "tokens in"), ("completion_tokens", "tokens out")):
        if row[name] is not None:
            yield f"{row[name]} {text}"
    if row["finish_reason"]:
        yield f"ended by {row['finish_reason']}"
    if row["cached"]:
        yield "from the cache"


def _diff(before: str, after: str) -> str:
    old, new = (each.splitlines(keepends=True) for each in (before, after))
    made = difflib.unified_diff(old, new, "before", "after", n=3)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in made)
