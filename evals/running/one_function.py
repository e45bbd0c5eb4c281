"""Evaluates one function of a package, as the product would for its user: a loop, and what it offers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from afterburner.evals.datasets.packages.functions import NAME, job_of
from afterburner.evals.running.rows import ProblemRows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.evals.datasets.packages.functions import PackageFunction
    from afterburner.evals.running.loops import LoopRunner
    from afterburner.evals.tables import Row


def evaluate_function(loops: LoopRunner, function: PackageFunction) -> Mapping[str, Sequence[Row]]:
    """Run the loop on a function, and return the rows of all tables.

    There are no known solutions to rank it among, and no cases to time it on: its score is the gain that was proved.

    Raises:
        InterruptedLoopError: a loop was cut short.
        CancelledError: it was cancelled.
        AfterburnerError: as `Session.optimize`.
    """
    began, rows, settings = time.monotonic(), ProblemRows(function.id), loops.folder.settings
    for generation in range(settings.generations):
        result = loops.run_job(job_of(function), function.id, generation)
        rows.add_loop(result, generation, settings.iterations)
        rows.add_gain(result, generation)
    facts = {"dataset": NAME, "language": "python", "description": f"{function.function} in {function.file}"}
    rows.finish(facts, time.monotonic() - began)
    return rows.tables
