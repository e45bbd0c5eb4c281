"""Arguments that the code unpacks for another function, or calls with arguments by name."""

from __future__ import annotations

import contextlib
from typing import Any, Self

from afterburner.agent.inputs.inside.argument_uses import otherwise_used, uses_of

SOURCE = """
def join(parts, options, callback, rest, inner):
    made = make(*parts, **options)
    callback(made, left=rest, right=1)
    callback(made)
    rest(made)
    inner.call(*inner.parts)


class Other:
    def join(self, inner):
        return make(*inner)
"""


class Version:
    """What stands beside a mapping that is unpacked."""

    def __init__(self, major: int, label: str = "") -> None:
        self.major, self.label = major, label


def made(source: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(source, "join.py", "exec"), names)  # noqa: S102 - the text above
    return names["join"]


def test_the_code_says_which_parameters_it_unpacks_and_which_it_calls_by_name() -> None:
    uses = uses_of(made(SOURCE), SOURCE)
    assert (uses.as_sequence, uses.as_mapping) == ({"parts"}, {"options"})
    assert uses.called == {"callback": {"left", "right"}, "rest": set()}


def test_unpacked_sequences_have_parts_more_and_fewer_and_mappings_other_keys() -> None:
    uses = uses_of(made(SOURCE), SOURCE)
    root: Any = [[(1, 2), {"major": 1}, print, print, None], {}]
    beside: Any = [[(1, 2), {"major": 1}, print, print, Version(3)], {}]
    names = ["parts", "options", "callback", "rest", "inner"]
    tuples = [args[0] for args, _ in otherwise_used(root, names, uses)]
    assert {(1, 2, None), (1, 2, ""), (1, 2, 0), (1,), (), (1, 2, "", None)} <= set(tuples)
    options = [args[1] for args, _ in otherwise_used(beside, names, uses)]
    assert {"major": 1, "label": ""} in options
    assert {} in options
    by_name: Any = [[], {"parts": (1,), "rest": 3}]
    assert {"parts": (1, "a"), "rest": 3} in [kwargs for _, kwargs in otherwise_used(by_name, names, uses)]


def test_what_is_called_by_name_tells_its_arguments() -> None:
    uses = uses_of(made(SOURCE), SOURCE)
    root: Any = [[(), {}, print, print, None], {}]
    functions = [args[2] for args, _ in otherwise_used(root, ["parts", "options", "callback"], uses)]
    told = []
    for function in (each for each in functions if each is not print):
        with contextlib.suppress(IndexError):  # it tells more arguments than there are
            told.append(function(7, left=8, right=9))
    assert {"7 left=8 right=9", "left=8 right=9", "right=9"} <= set(told)


def test_a_method_is_read_for_itself() -> None:
    names: dict[str, Any] = {}
    exec(compile(SOURCE, "join.py", "exec"), names)  # noqa: S102 - the text above
    uses = uses_of(names["Other"].join, SOURCE)
    assert (uses.as_sequence, uses.called) == ({"inner"}, {})


class Three(tuple[int, ...]):
    """A tuple of three."""

    __slots__ = ()

    def __new__(cls, items: Any) -> Self:
        if len(items) != 3:
            raise ValueError("three")
        return super().__new__(cls, items)


def test_what_its_class_forbids_is_left_out_and_the_rest_is_made() -> None:
    uses = uses_of(made(SOURCE), SOURCE)
    root: Any = [[Three((1, 2, 3)), {"major": 1}, print, print, Version(1)], {}]
    changed = [args for args, _ in otherwise_used(root, ["parts", "options"], uses)]
    assert changed
    assert all(type(args[0]) is Three for args in changed)


def test_who_asks_for_the_iterator_of_an_argument_takes_one() -> None:
    source = "def join(items, others):\n    first = next(iter(items))\n    return [first, *others]\n"
    assert uses_of(made(source), source).iterated == {"items"}
