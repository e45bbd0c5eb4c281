"""Generators whose caller breaks off, in the real sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.early_ends import find_early_end

from ..evidence.conftest import make_bench  # noqa: F401, TID252 - the same workbenches, as a fixture
from ..inputs.conftest import project  # noqa: F401, TID252 - which need this one

if TYPE_CHECKING:
    from ..evidence.conftest import MakeBench  # noqa: TID252 - likewise

ORIGINAL = """\
def f(told, items, last):
    try:
        for item in items:
            told(item)
            yield item
    finally:
        last()
"""
# Right as long as its caller takes all items: GeneratorExit is no Exception.
LOST = ORIGINAL.replace("    finally:\n", "    except Exception:\n        last()\n        raise\n    else:\n")
BOUND = ORIGINAL.replace("        for item in items:\n", "        tell = told\n        for item in items:\n").replace(
    "            told(item)", "            tell(item)"
)
SWALLOWED = ORIGINAL.replace("    finally:\n        last()\n", "    except GeneratorExit:\n        yield 0\n")
CALLS = """

log = []


def note(item=None):
    log.append(item)


if __name__ == "__main__":
    for size in (0, 1, 5, 9):
        list(f(note, list(range(size)), note))
"""


@pytest.mark.parametrize(
    ("rewrite", "told"),
    [
        (BOUND, None),
        (LOST, "by a caller that takes one item and closes the generator: f(<function>, ["),
        (SWALLOWED, "generator ignored GeneratorExit"),
    ],
)
def test_what_a_generator_does_when_its_caller_breaks_off_is_compared(
    make_bench: MakeBench,  # noqa: F811 - the fixture above
    rewrite: str,
    told: str | None,
) -> None:
    bench = make_bench(ORIGINAL + CALLS, "f")
    found = find_early_end(bench, bench.target.source, rewrite + CALLS)
    if told is None:
        assert found is None
    else:
        assert found is not None
        assert told in found.reason
        assert not found.timed_out


def test_nothing_is_broken_off_where_no_generator_is_returned(make_bench: MakeBench) -> None:  # noqa: F811 - as above
    bench = make_bench("def f(n):\n    return [n]\n\nif __name__ == '__main__':\n    f(1)\n    f(2)\n", "f")
    assert find_early_end(bench, bench.target.source, "def f(n):\n    return (n for n in [n])\n") is None
