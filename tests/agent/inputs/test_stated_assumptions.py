"""What is stated of every call has to hold in a real one, or no inputs are made by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.build import IN_DOCSTRING, build_workload
from afterburner.agent.options import InputOptions, RunSettings
from afterburner.sandbox import Limits, UsageError

if TYPE_CHECKING:
    from conftest import Project

    from afterburner.agent.types import Workload

SOURCE = '''\
LEAST = 0


def steps(values, n):
    """Take every nth.

    Requires:
        {requires}
    """
    return values[::n]


if __name__ == "__main__":
    for number in range(1, 4):
        steps(list(range(number)), number)
'''


def workload(project: Project, requires: str, *assume: str) -> Workload:
    project.write("steps.py", SOURCE.format(requires=requires))
    target = project.target("steps.py", "steps")
    settings = RunSettings(target.path, "steps", inputs=InputOptions(assume=assume))
    return build_workload(project.sandbox, target, project.environment(target), settings, Limits(), project.told.append)


@pytest.mark.parametrize("requires", ["n > LEAST", "`n > LEAST`, always", "len(values) >= n", "n > 1"])
def test_what_holds_in_a_real_call_is_a_rule_for_made_ones(project: Project, requires: str) -> None:
    """Also where another real call breaks it: that says more of the call than of the rule."""
    found = workload(project, requires)
    assert found.assume == (requires.partition(",")[0].strip("`"),)
    assert not [each for each in found.skipped if each.origin == IN_DOCSTRING]


def test_what_some_real_calls_break_is_told(project: Project) -> None:
    told = [each.reason for each in workload(project, "n > 1").skipped if each.origin == "stated of every input"]
    assert told == ["`n > 1` holds in 2 of the 3 real calls: inputs are made from no others"]
    assert not [each for each in workload(project, "n > 0").skipped if each.origin == "stated of every input"]


@pytest.mark.parametrize(
    ("requires", "why"),
    [
        ("`n is positive`", "it raises NameError: name 'positive' is not defined"),
        ("`values is sorted`", "it is false"),
        ("not values", "it is false"),
        ("n.real.deep > 0", "it raises AttributeError: 'int' object has no attribute 'deep'"),
    ],
)
def test_a_docstring_that_no_real_call_keeps_to_filters_nothing(project: Project, requires: str, why: str) -> None:
    found = workload(project, requires)
    assert found.assume == ()
    [skipped] = [each for each in found.skipped if each.origin == IN_DOCSTRING]
    expression = requires.strip("`")
    assert skipped.reason == (
        f"`{expression}` holds in none of the 3 real calls, so it is no rule for made inputs: {why}"
    )
    assert "derived" in found.origins(), "edge cases are made all the same"


def test_what_the_user_states_has_to_hold_in_a_real_call(project: Project) -> None:
    message = r'^--assume "n < 0" holds in none of the 3 real calls: it is false\. State what they keep to, or leave'
    with pytest.raises(UsageError, match=message):
        workload(project, "n > 0", "n < 0")
    assert workload(project, "n > 0", "len(values) == n").assume == ("len(values) == n", "n > 0")
