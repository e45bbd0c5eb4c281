"""Searches for a difference between two texts of one small file, in the real sandbox."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.verification.search import SHRINKING_S, DifferenceSearch, Least

from ...evidence.conftest import make_bench  # noqa: F401, TID252 - the same workbenches, as a fixture
from ...inputs.conftest import project  # noqa: F401, TID252 - which need this one

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

    from ...evidence.conftest import MakeBench  # noqa: TID252 - likewise

    Compare = Callable[..., Counterexample | Agreement]

LONGEST_S = 60.0  # on a machine that is busy with other things; rounds end the search long before


@pytest.fixture
def compare(make_bench: MakeBench) -> Compare:  # noqa: F811 - the fixture above
    """Look for a difference between two definitions of `f`; `calls` is the body of the file's main block."""

    def search(
        original: str,
        candidate: str,
        calls: str,
        *,
        function: str = "f",
        rounds: int | None = 4,
        longest_s: float = LONGEST_S,
        least: int | None = None,
        assume: tuple[str, ...] = (),
        float_tolerance: float | None = None,
        shrinking_s: float = SHRINKING_S,
        writes_tests: bool = False,
    ) -> object:
        main = 'if __name__ == "__main__":\n' + "".join(f"    {line}\n" for line in calls.splitlines())
        bench = make_bench(f"{original}\n\n{main}", function, float_tolerance=float_tolerance)
        bench = replace(bench, workload=replace(bench.workload, assume=assume), writes_tests=writes_tests)
        deadline = Deadline.after(longest_s)
        found = DifferenceSearch(bench, bench.target.source, seed=0, shrinking_s=shrinking_s)
        return found.against(
            f"{candidate}\n\n{main}",
            deadline,
            real_calls=bench.workload.calls_in_order(),
            rounds=rounds,
            least=None if least is None else Least(least, deadline),
        )

    return search
