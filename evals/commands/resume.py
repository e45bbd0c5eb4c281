"""The command `eval resume`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from afterburner.agent import Caps
from afterburner.agent.cli.from_options import option_of
from afterburner.evals.commands.needs import needing_extra
from afterburner.evals.commands.run import EXECUTOR, JOBS, QUIET, RAY_ADDRESS, SANDBOX, VERBOSE
from afterburner.evals.running.settings import Executor, Resources

_MODEL = "The model"


def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that eval run made.")],
    *,
    max_cost: Annotated[float | None, option_of(Caps, "cost_usd", _MODEL)] = None,
    max_tokens: Annotated[int | None, option_of(Caps, "tokens", _MODEL)] = None,
    max_requests: Annotated[int | None, option_of(Caps, "requests", _MODEL)] = None,
    executor: Annotated[Executor, EXECUTOR] = Executor.LOCAL,
    ray_address: Annotated[str, RAY_ADDRESS] = "",
    jobs: Annotated[int | None, JOBS] = None,
    sandbox: Annotated[str, SANDBOX] = "auto",
    quiet: Annotated[bool, QUIET] = False,
    verbose: Annotated[bool, VERBOSE] = False,
) -> None:
    """Go on with an evaluation that was stopped, killed or capped: what is stored is not done again.

    After a stop or a kill, answers that were paid for are not asked for again. A loop that a cap or a failing server
    cut short begins anew. The caps count what was used before.
    """
    with needing_extra():
        from afterburner.evals.commands.carrying_out import carry_out
        from afterburner.evals.running.folder import RunFolder

        caps = Caps(cost_usd=max_cost, tokens=max_tokens, requests=max_requests)
        resources = Resources(sandbox, jobs, caps, executor, ray_address)
        stored = RunFolder.open(folder)
        carry_out(lambda: stored, resources, is_new=False, quiet=quiet, verbose=verbose)
