"""Looks for faster rewrites of the functions that count."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent import InputOptions, Proof, WorkloadError, optimize_many
from afterburner.agent.evidence.receipt import receipt_bytes
from afterburner.agent.inputs.survey import SEEN
from afterburner.agent.judge.confirmation import NOT_TRIED_IN_TIME
from afterburner.agent.judge.decide import TOO_LATE_TO_CONFIRM
from afterburner.agent.judge.screening import TOO_LATE_TO_SCREEN
from afterburner.agent.models.requests.spending import TIME_IS_UP
from afterburner.agent.options import RunSettings
from afterburner.agent.wording import count
from afterburner.ci_action.changes import LeftOut
from afterburner.ci_action.findings import Place, part_of_outcome, section_of_outcome
from afterburner.ci_action.report.words import few_of, one_line, plain_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from afterburner.agent import Session
    from afterburner.agent.batch.batch_results import ManyResult, Outcome
    from afterburner.agent.events import OnEvent
    from afterburner.agent.inputs.harness_answers import Suite
    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.loop.results import RunResult
    from afterburner.ci_action.changes import ChangedFunction
    from afterburner.ci_action.gathered import Gathered
    from afterburner.ci_action.options import CiOptions

Key = tuple[str, str]  # a file from the repository's root, and the name of a function


def optimize_functions(
    session: Session,
    options: CiOptions,
    find: Callable[[Key], ChangedFunction | None],
    gathered: Gathered,
    on_event: OnEvent,
) -> None:
    """Rank all functions by how hot they are, and optimise the first of those that count.

    Args:
        session: with the model and the caps of the options.
        options: of the call.
        find: gives a function that counts by its file and name; None: it does not count.
        gathered: receives what was found.
        on_event: receives progress events.

    Raises:
        AfterburnerError: nothing could be done at all, such as for want of a sandbox.
    """
    written = (*options.written, *filter(None, [options.memory]))
    settings = RunSettings(
        str(options.root),
        inputs=InputOptions(python=options.python, left_out=tuple(str(each.absolute()) for each in written)),
        search=options.search,
        proof=replace(proof_of(options), receipt=True),
        models=options.models,
        caps=options.caps,
    )

    def counts(target: RankedTarget) -> bool:
        return find(key_of(options.root, target)) is not None

    many = optimize_many(
        session,
        settings,
        command=options.command,
        most=options.most_functions,
        only=counts,
        on_event=on_event,
    )
    _gather(many, options, find, gathered)


def proof_of(options: CiOptions) -> Proof:
    """The least gain or slow-down that counts, and who set it."""
    source = "" if options.min_effect is None else "--min-effect"
    return Proof(min_effect=options.min_effect, min_effect_source=source)


def beyond_the_most(function: ChangedFunction, options: CiOptions) -> LeftOut:
    """A function that is not looked at because hotter ones are."""
    reason = f"--max-functions is {options.most_functions}, and as many others come before it"
    return LeftOut(function.file, reason, function.name, beyond_max_functions=True)


def key_of(root: Path, target: RankedTarget) -> Key:
    """A ranked function as the repository names it."""
    return Path(target.path).relative_to(root).as_posix(), target.function


def explain_unranked(
    error: WorkloadError, options: CiOptions, functions: Mapping[Key, ChangedFunction], gathered: Gathered
) -> None:
    """Note that no call of any function was seen, so that none could be looked at; or that the tests did not run."""
    gathered.notes.append(plain_reason(error, options.root))
    ran = SEEN not in str(error)
    reason = "nothing calls it" if ran else "no call of it was seen: see below what stood in the way of the tests"
    gathered.left_out += [LeftOut(file, reason, name) for file, name in functions]


def _gather(
    many: ManyResult, options: CiOptions, find: Callable[[Key], ChangedFunction | None], gathered: Gathered
) -> None:
    for outcome in many.outcomes:
        function = find(key_of(options.root, outcome.target))
        if function is None:
            continue
        place = Place(function, outcome.target.share, outcome.target.test_files)
        receipt = _receipt_of(outcome, len(gathered.functions) + 1, gathered)
        merged = (outcome.target.path, outcome.target.function) not in many.merged.left_out
        cut_short = outcome.result is not None and is_cut_short(outcome.result)
        part = part_of_outcome(place, outcome, receipt, merged=merged, cut_short=cut_short)
        gathered.functions.append(part)
        if outcome.result is not None:
            gathered.sections.append(section_of_outcome(outcome.result))
            gathered.machine = outcome.result.machine
    gathered.patch = many.merged.patch
    gathered.notes += [
        f"{Path(path).name}: the rewrite of {function} does not go with those before it, so the patch leaves it out"
        for path, function in many.merged.left_out
    ]
    gathered.python_without_pytest = many.python_without_pytest.removeprefix(f"{options.root}/")
    if many.suite is not None:
        gathered.notes += suite_notes(many.suite, gathered.python_without_pytest)
    gathered.tests = _tests_line(many)
    gathered.cost_usd = many.usage.known_cost_usd if many.usage is not None and many.usage.requests else None
    gathered.interrupted = many.interrupted
    if many.usage is not None and many.usage.cap:
        gathered.notes.append(f"the model was not asked further: {many.usage.cap}")


def suite_notes(suite: Suite, python_without_pytest: str = "") -> Iterator[str]:
    """Which tests fail before anything is changed: what only they call is neither ranked nor judged."""
    if suite.failing and python_without_pytest:
        yield one_line(f"the tests failed under unittest, and {pytest_missing(python_without_pytest)}")
    elif suite.failing:
        names = list(dict.fromkeys(suite.failing))  # one may fail twice: by itself, and when it is cleaned up
        why = suite.why(names[0]).removeprefix(": ")
        first = f" ({'the first: ' if len(names) > 1 else ''}{why})" if why else ""
        yield one_line(f"{count(len(names), 'test')} failed before anything was changed: {few_of(names)}{first}")
    if not suite.complete:
        yield "the tests did not run to their end, so that what the others call is not known"


def is_cut_short(result: RunResult) -> bool:
    """Whether nothing is offered, and more time might have given an offer."""
    reasons = (result.ended_early, *(each.reason for each in result.candidates))
    return not result.improved and any(map(is_for_want_of_time, reasons))


def pytest_missing(python: str) -> str:
    """What to install in an interpreter that lacks pytest."""
    return f"pytest is not installed: {python} -m pip install pytest"


def is_for_want_of_time(reason: str) -> bool:
    """Whether a search ended, or a candidate was refused, since the time was over. Other reasons may quote the code."""
    if reason in (TIME_IS_UP, TOO_LATE_TO_CONFIRM, TOO_LATE_TO_SCREEN):
        return True
    return reason.startswith("only ") and reason.endswith(NOT_TRIED_IN_TIME)


def _receipt_of(outcome: Outcome, number: int, gathered: Gathered) -> str | None:
    evidence = outcome.result.evidence if outcome.result is not None else None
    if evidence is None or evidence.receipt is None:
        return None
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", outcome.target.function)[:100]
    file = f"receipts/{number:02d}-{name}.json"
    gathered.receipts[file] = receipt_bytes(evidence.receipt)
    return file


def _tests_line(many: ManyResult) -> str:
    if not many.merged.texts:
        return ""
    if many.objection:
        return one_line(many.objection)
    passing = "command still succeeds" if many.settings.batch.command else "project's tests still pass"
    line = f"the {passing} with all rewrites in place"
    if many.suite is not None and many.suite.failing:
        failed = count(len(set(many.suite.failing)), "test")
        line = f"what passed before still passes with all rewrites in place; {failed} failed before, too"
    return one_line(f"{line}; {many.tests_note}" if many.tests_note else line)
