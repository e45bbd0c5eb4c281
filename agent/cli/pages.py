"""The pages that `--html` writes: of a run over one target, and of one over many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.batch.members import with_time_as_share
from afterburner.agent.cli.many_summary import PASSED_OVER, improved_line, passed_over_line, tests_lines
from afterburner.agent.cli.offer import weigh
from afterburner.agent.page.render import render_page
from afterburner.agent.page.run_section import section_of_run
from afterburner.agent.usage import told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.batch.batch_results import ManyResult
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.page.section import PageSection


def page_of_run(result: RunResult, settings: RunSettings) -> str:
    """The page of one target, also where nothing is offered."""
    section = _section(result, settings)
    return render_page(section.title, (), [section])


def page_of_many(many: ManyResult) -> str:
    """A section for each target that finished, a line for each other; of an interrupted run, as far as it came."""
    finished = ((each.result, each.settings) for each in many.outcomes)
    sections = [_section(with_time_as_share(result), settings) for result, settings in finished if result and settings]
    return render_page(f"Functions of {many.place.resolve().name}", tuple(_intro(many)), sections)


def _section(result: RunResult, settings: RunSettings) -> PageSection:
    """The section of a run, which also says why an improvement is not written."""
    offer = weigh(result, settings.proof.min_gain_per_line)
    return section_of_run(result, settings, offer.reason if result.improved else "")


def _intro(many: ManyResult) -> Iterator[str]:
    yield improved_line(many)
    if many.interrupted:
        yield "The run was interrupted: this is what was found until then."
    if many.survey_note:
        yield many.survey_note
    yield from (line for line, _ in tests_lines(many))
    for _, function in many.merged.left_out:
        yield f"{function} does not go together with an offer below: apply it alone."
    if many.usage is not None:
        yield f"Model use: {told(many.usage)}."
    for outcome in many.outcomes:
        if outcome.result is None and outcome.decision != PASSED_OVER:
            yield f"{outcome.target.function}: {outcome.decision.replace('_', ' ')}, {outcome.reason.rstrip('.')}."
    if line := passed_over_line(many):
        yield line
