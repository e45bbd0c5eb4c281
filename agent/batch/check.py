"""Runs the project's tests with all rewrites in place, and finds out which of them a failing test rejects."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.batch.batch_results import Outcome
from afterburner.agent.batch.merge import Merged, merge_offers
from afterburner.agent.inputs.survey import check_tests
from afterburner.agent.store.batch_state import NAMED, SuiteCheck
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.batch.batch_results import ManyResult, Offered
    from afterburner.agent.inputs.harness_answers import Suite
    from afterburner.sandbox.sandbox import Sandbox

_SEARCH_FACTOR = 3  # times the limit of one run of the tests, for finding out which rewrites break them


def check_offers(many: ManyResult, sandbox: Sandbox, limit_s: float, offered: Offered) -> None:
    """Run the tests with all offers in place; those that break a test are no offers any more.

    That the tests cannot be run is told, and is no reason to lose the offers.

    Args:
        many: what was found; gets the state of the tests.
        sandbox: where they run.
        limit_s: of one run of the tests.
        offered: which improvements may be written.
    """
    before = many.suite
    if before is None:
        many.tests_note = "the tests were not checked: how the original does on them is not known"
        return
    check = _check(many, sandbox, limit_s, many.merged, before)
    if check is not None and check.broken:
        again = _check(many, sandbox, limit_s, many.merged, before)
        if again is not None and not again.broken:
            named = ", ".join(check.broken[:NAMED])
            many.tests_note = f"{named} failed once with the offers in place, and passed when run again"
            check = again
        elif offers := _offers(many, offered):
            check = _without_breaking(many, sandbox, limit_s, before, offers)
            many.tests_note = "" if check is not None else many.tests_note  # of a run with one that is left out
            many.merge(offered)
    many.tests = check


def _without_breaking(
    many: ManyResult, sandbox: Sandbox, limit_s: float, before: Suite, offers: Sequence[Outcome]
) -> SuiteCheck | None:
    """Put the offers in place one after the other, the best ranked first, and leave out each that breaks a test."""
    ends_s = time.monotonic() + _SEARCH_FACTOR * limit_s
    kept: list[Outcome] = []
    last: SuiteCheck | None = None
    for outcome in offers:
        why = "there was no time to tell which rewrite breaks tests"
        if time.monotonic() < ends_s:
            check = _check(many, sandbox, limit_s, _merged([*kept, outcome]), before)
            if check is not None and not check.broken:
                kept.append(outcome)
                last = check
                continue
            why = _breaking(check)
        refused = Outcome(outcome.target, "no_improvement", f"a faster rewrite was found, but {why}", outcome.settings)
        many.outcomes[many.outcomes.index(outcome)] = refused
    return last


def _breaking(check: SuiteCheck | None) -> str:
    """What stands against a rewrite, in words."""
    if check is None:
        return "the tests could not be run with it in place"
    more = f" and {len(check.broken) - NAMED} more" if len(check.broken) > NAMED else ""
    return f"with it in place {', '.join(check.broken[:NAMED])}{more} failed, and passed before"


def _offers(many: ManyResult, offered: Offered) -> list[Outcome]:
    return [each for each in many.found if each.result and each.settings and offered(each.result, each.settings)]


def _merged(outcomes: Sequence[Outcome]) -> Merged:
    return merge_offers(each.result for each in outcomes if each.result is not None)


def _check(many: ManyResult, sandbox: Sandbox, limit_s: float, merged: Merged, before: Suite) -> SuiteCheck | None:
    """The tests with these rewrites in place; None, with a note, where nobody can tell."""
    texts = {Path(path): text for path, text in merged.texts.items()}
    try:
        after = check_tests(sandbox, many.place, many.settings, limit_s, texts)
    except AfterburnerError as error:
        many.tests_note = f"the tests could not be run with the offers in place: {error}"
        return None
    if after is None:
        many.tests_note = "the tests did not finish with the offers in place"
        return None
    return SuiteCheck(before, after)
