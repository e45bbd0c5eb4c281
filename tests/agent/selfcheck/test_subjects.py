"""The functions of the check: disguises change nothing, and a slower one does more of the same."""

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.code.source_text import fingerprint
from afterburner.agent.judge.gates import refusal
from afterburner.agent.selfcheck.subjects import DISGUISES, FUNCTION, SHAPES, Shape, Subject


def subject(shape: Shape) -> Subject:
    return Subject("a subject", shape, 1e-3, 20)


def function(source: str) -> Callable[[Any], Any]:
    namespace: dict[str, Any] = {}
    exec(source, namespace)  # noqa: S102 - our own text, which no stranger has written
    work: Callable[[Any], Any] = namespace[FUNCTION]
    return work


def arguments(shape: Shape) -> list[Any]:
    chance = random.Random(0)
    elements = [eval(shape.element, {"chance": chance, "str": str}) for _ in range(50)]  # noqa: S307 - likewise
    return [eval(shape.argument.format(elements="elements"), {"elements": part}) for part in (elements, elements[:3])]  # noqa: S307 - likewise


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_every_disguise_does_the_same(shape: Shape) -> None:
    plain = subject(shape).source()
    sources = [subject(shape).source(layout) for layout in DISGUISES]
    assert sources[0] == plain, "the first is identical to the byte"
    assert len(set(sources)) == len(sources)
    assert len({fingerprint(source) for source in sources}) > 3, "some differ in more than their layout"
    for argument in arguments(shape):
        assert len({repr(function(source)(argument)) for source in sources}) == 1
    assert [refusal(plain, source) for source in sources] == [None] * len(sources)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_slower_one_does_the_same_so_many_times_more(shape: Shape) -> None:
    """Counted in lines that are run, which no clock has a say in."""
    for argument in arguments(shape):
        base, slower = (function(subject(shape).source(slower=factor)) for factor in (1.0, 1.2))
        assert repr(base(argument)) == repr(slower(argument))
        assert lines_run(slower, argument) / lines_run(base, argument) == pytest.approx(1.2, rel=0.01)


def lines_run(work: Callable[[Any], Any], argument: Any) -> int:
    lines = 0

    def count(_frame: object, event: str, _argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work(argument)
    finally:
        sys.settrace(before)
    return lines
