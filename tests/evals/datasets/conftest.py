"""What tests of datasets share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent import Problem
    from afterburner.sandbox import Sandbox, Verdict

    Judge = Callable[[Problem, str], Verdict]


@pytest.fixture(scope="session")
def judge(sandbox: Sandbox) -> Judge:
    """Judge a code as an evaluation does: by the cases of a problem up to the first that it fails."""

    def verdict(problem: Problem, code: str) -> Verdict:
        given = problem.program(code), problem.test_cases, problem.limits
        return sandbox.run(*given, checker=problem.checker, stop_at_failure=True).verdict

    return verdict
