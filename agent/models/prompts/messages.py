"""From what a proposer is asked to what a language model is sent: the same for every model of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.code.locate import function_source
from afterburner.agent.models.prompts.description import description_of
from afterburner.agent.models.prompts.earlier_solutions import earlier_solutions
from afterburner.agent.models.prompts.line_table import line_table
from afterburner.agent.models.prompts.prompt import render_prompt
from afterburner.agent.models.prompts.trail import trail

if TYPE_CHECKING:
    from afterburner.agent.models.prompts.proposer import ProposalRequest


def messages_for(request: ProposalRequest) -> list[dict[str, str]]:
    """Render the messages of a request, with the parts that `request.tell` names."""
    tell, measured = request.tell, request.measurement
    return render_prompt(
        language=request.target.language,
        objective=request.objective,
        problem_description=description_of(request),
        original_solution=function_source(request.target),
        passed=request.passed,
        wall_time_s=measured.wall_time_s if measured else None,
        peak_memory_kib=measured.peak_memory_kib if measured else None,
        memory_integral_kib_s=measured.memory_integral_kib_s if measured else None,
        show_original=tell.original,
        show_performance=tell.numbers,
        counterexample=(request.counterexample or "") if tell.counterexample else "",
        line_profile=line_table(request.profile, request.target) if tell.profile else "",
        earlier_solutions=earlier_solutions(request.history, request.target) if tell.solutions else "",
        history=trail(request.history, request.target.source, examples=tell.counterexample) if tell.history else "",
    )
