"""How time grows with the input, measured in the real sandbox."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.evidence.growth import measure_growth
from afterburner.agent.judge.text_objections import TextObjections
from afterburner.agent.judge.version_comparison import ComparisonDecision, VersionFindings
from afterburner.agent.session.compare import in_light_of_growth
from afterburner.agent.types import Workload, WorkloadCase

from .conftest import COMMON, COMMON_BY_SET

if TYPE_CHECKING:
    from .conftest import MakeBench

FIBONACCI = (
    "def fibonacci(n):\n    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)\n\n"
    'if __name__ == "__main__":\n    fibonacci(18)\n    fibonacci(17)\n'
)


@pytest.mark.timed
@pytest.mark.slow
def test_a_quadratic_search_becomes_about_linear(make_bench: MakeBench) -> None:
    growth = measure_growth(make_bench(COMMON, "common"), COMMON_BY_SET, Deadline.after(30))
    assert growth.original is not None
    assert growth.winner is not None
    assert "n²" in growth.original.text
    assert 1.6 < growth.original.exponent < 2.4
    assert growth.winner.text in {"n", "n log n", "n or n log n"}
    assert 0.7 < growth.winner.exponent < 1.4
    assert growth.sentence == f"{growth.original.text} → {growth.winner.text}"
    assert growth.scaled == "len(left) + len(right)"
    held_for = f"of calls like {growth.like}; calls of another kind may grow in another way"
    assert growth.of_calls == f"{growth.sentence}, {held_for}"
    assert re.match(r"common\(\['name-\d+', 'name-\d+', ", growth.like)  # which call costs most, a busy machine decides
    assert growth.points[-1].original_s > 20 * growth.points[0].original_s


@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.slow
def test_an_exponential_recursion_is_told_from_a_power(make_bench: MakeBench) -> None:
    faster = "from functools import lru_cache\n\n\n@lru_cache(None)\n" + FIBONACCI
    growth = measure_growth(make_bench(FIBONACCI, "fibonacci"), faster, Deadline.after(30))
    assert growth.original is not None
    assert growth.original.best.endswith("ⁿ")
    assert growth.winner is not None
    assert not growth.winner.best.endswith("ⁿ")
    assert growth.scaled == "n"


@pytest.mark.slow
def test_a_winner_that_is_wrong_at_another_size_is_found_out(make_bench: MakeBench) -> None:
    wrong = COMMON_BY_SET.replace("    return result\n", "    return result[:150]\n", 1)
    growth = measure_growth(make_bench(COMMON, "common"), wrong, Deadline.after(20))
    assert re.match(r"with len\(left\) \+ len\(right\) = \d+, common\(.*\) returned \[", growth.disagreement)
    assert growth.example is not None
    assert growth.example.shown_calls.startswith("common(['name-")
    found = in_light_of_growth(VersionFindings(ComparisonDecision.SAME, "1.00x"), growth, TextObjections())
    assert (found.decision, found.counterexample) == (ComparisonDecision.DIFFERENT, growth.example)
    assert growth.sentence == ""


@pytest.mark.nightly
@pytest.mark.slow
def test_a_winner_that_breaks_at_another_size_is_found_out(make_bench: MakeBench) -> None:
    """The process ends, so there is no answer that differs; the original stands the same inputs."""
    broken = COMMON_BY_SET.replace("    return result\n", "    return result if len(right) < 900 else os.abort()\n", 1)
    growth = measure_growth(make_bench(COMMON, "common"), f"import os\n{broken}", Deadline.after(20))
    assert growth.disagreement.startswith("it fails where the original does not: ")
    assert growth.points, "the original's times are told"


def test_what_cannot_be_scaled_is_told(make_bench: MakeBench) -> None:
    examples = "    '''\n    >>> turn(True)\n    1\n    >>> turn(False)\n    2\n    '''\n"
    bench = make_bench(f"def turn(on):\n{examples}    return 1 if on else 2\n", "turn")
    growth = measure_growth(bench, bench.target.source, Deadline.after(10))
    assert growth.note == "cannot tell how time grows: nothing among its arguments has a size that can be changed"
    assert (growth.sentence, growth.points) == ("", ())
    program = replace(bench, workload=Workload(cases=(WorkloadCase("a", b"", b"", "cases"),)))
    assert "stdin cannot be scaled" in measure_growth(program, "", Deadline.after(10)).note
