"""Which arguments are left out of a call, as the signature allows it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from afterburner.agent.inputs.inside.optional_arguments import signature_of
from afterburner.sandbox.driver.user_module import resolve

SOURCE = "def f(items, start=0, *, stop, step=1, **options): ...\n"


def test_what_has_a_default_and_each_keyword_of_the_open_ones_may_be_left_out() -> None:
    module: Any = ModuleType("leaving")
    exec(SOURCE, vars(module))  # noqa: S102 - the text above
    signature = signature_of(resolve(module, "f"), SOURCE)
    keywords = {"stop": 9, "step": 2, "key": len, "default": None}
    left_out = [keywords.keys() - kwargs.keys() for _, kwargs in signature.with_fewer([[[1]], keywords])]
    assert left_out == [{"step"}, {"key"}, {"default"}]


@pytest.mark.parametrize(
    ("source", "sites"),
    [
        ("def f(iterable, key=None): ...\n", {("iterable",), ("0",)}),
        ("def f(rows, chunk_iter): ...\n", {("chunk_iter",), ("1",)}),
        ('def f(rows, key):\n    """Group.\n\n    :param rows: any iterable of pairs\n    """\n', {("rows",), ("0",)}),
        ("def f(rows: Iterable[int], key=None): ...\n", {("rows",), ("0",)}),
        ('def f(rows, key=None):\n    """Make a tree from an iterable of pairs."""\n', {("rows",), ("0",)}),
        ('def f(rows, key):\n    """Make a tree from an iterable of pairs."""\n', set()),
        ('def f(rows, key):\n    """Group.\n\n    rows (iterable): pairs\n    """\n', {("rows",), ("0",)}),
        (
            'def f(rows, key):\n    """Group `rows`, which may be long. `rows` may be any iterable."""\n',
            {("rows",), ("0",)},
        ),
        ('def f(rows):\n    """Turn rows into a generator of dicts."""\n', set()),
        ('def f(text):\n    """Split text and return an iterator of words."""\n', set()),
        ('def f(seq):\n    """Count: seq must be a sequence, not an iterator."""\n', set()),
        ('def f(rows, key):\n    """Join.\n\n    :param rows: list of iterables\n    """\n', set()),
        ("def f(x, max_iter=5, n_iter=2): ...\n", set()),
        ("def f(iterable: list[int]): ...\n", set()),
        ("def f(rows, *iterables): ...\n", set()),
        ('def f(rows):\n    """Return an iterator of rows that differ."""\n', set()),
    ],
)
def test_an_iterator_goes_where_a_hint_a_name_or_the_docstring_promises_one(source: str, sites: set[Any]) -> None:
    module: Any = ModuleType("iterating")
    source = f"from __future__ import annotations\n{source}"
    exec(source, vars(module))  # noqa: S102 - the text above
    assert signature_of(resolve(module, "f"), source).iterables == sites


def test_an_argument_that_is_none_may_be_what_its_hint_names() -> None:
    module: Any = ModuleType("named")
    source = (
        "def f(data: bytes, encoding: str | None = None, width: int | float | None = None, rows: list[str] = ()): ...\n"
    )
    exec(source, vars(module))  # noqa: S102 - the text above
    signature = signature_of(resolve(module, "f"), source)
    assert signature.scalars == {"data": [b""], "encoding": [""], "width": [0, 0.0], "rows": []}
    assert {"", " "} <= set(signature.instead_of_none(("1",)))
    assert {0, 1, -1} <= set(signature.instead_of_none(("width",)))
    assert list(signature.instead_of_none(("rows", "0"))) == []
    given = [kwargs for _, kwargs in signature.with_more([[b"x"], {}])]
    assert {"encoding": ""} in given
    assert {"width": 0} in given
