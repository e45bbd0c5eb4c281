"""The functions of a text, also of one that does not parse, against what Python finds where it does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from afterburner.agent.code.locate import functions_in
from afterburner.agent.errors import TargetError
from afterburner.lsp_server.text.outline import OutlinedFunction, function_at, outline

ROOT = Path(__file__).parents[2]
SHOP = '''\
import functools

class Stock:
    """Holds

def not_a_function(x): in a docstring
    """

    @functools.lru_cache(
        maxsize=None,
    )
    def value(
        self,
    ) -> int:
        def inner():
            return 1

        return inner()

    @property
    def size(self): return 1

async def fetch(url):
    text = """
def also_not(): pass
""" + 'a string \\
def nor_this(): pass'
    return text
    # a comment of it

# and one of nobody
if True:
    def late(x): return {
        "a": x,
    }
'''


def names(text: str) -> list[tuple[str, int, int]]:
    return [(each.qualname, each.first_line, each.last_line) for each in outline(text)]


def test_functions_methods_and_what_is_inside_them() -> None:
    functions = outline(SHOP)
    assert names(SHOP) == [
        ("Stock.value", 8, 17),
        ("Stock.size", 19, 20),
        ("fetch", 22, 27),
        ("late", 32, 34),
    ]
    value, size, *_ = functions
    assert value.inner_at(15) == "inner"
    assert not value.inner_at(17)
    assert size.is_accessor
    assert not value.is_accessor
    assert value.def_line == 11


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends(line_end: str) -> None:
    assert names(SHOP.replace("\n", line_end)) == names(SHOP)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "path",
    [
        path
        for folder in ("agent", "sandbox", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))[::9]
        if "node_modules" not in path.parts
    ],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_it_finds_what_python_finds(path: Path) -> None:
    """Trailing comments apart: whether they belong to a function is a matter of taste."""
    text = path.read_text("utf-8")
    try:
        expected = functions_in(text)
    except TargetError:  # attacks and the like
        pytest.xfail("it does not parse")
    tree = ast.parse(text)
    ends = {
        node.lineno: node.end_lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    found = {each.qualname: each for each in outline(text) if not each.is_accessor}
    assert found.keys() == {name for name, _, _ in expected}
    for name, first, _ in expected:
        place = found[name]
        assert (name, place.first_line + 1, place.last_line + 1) == (name, first, ends[place.def_line + 1])


BROKEN = {
    "an open bracket": ("x = foo(1, [\n", ""),
    "an open text": ('x = """abc\n', ""),
    "an open string": ("x = 'abc\n", ""),
    "a call that is being typed": ("value = shop.(\n", ""),
    "an open text behind": ("", 'y = """\n'),
    "an odd quote in the docstring": ('def g():\n    """Half a docstring\n    return 1\n\n', ""),
    "a def that is being typed": ("def \n", "def"),
    "a bracket too many": ("x = (1))\n", ""),
}


@pytest.mark.parametrize(("before", "after"), list(BROKEN.values()), ids=list(BROKEN))
def test_a_text_that_is_being_typed(before: str, after: str) -> None:
    text = f"{before}def f(a, b):\n    return a + b\n\n\nclass C:\n    def m(self):\n        return 1\n\n{after}"
    shift = before.count("\n")
    assert [each for each in names(text) if each[0] in ("f", "C.m")] == [
        ("f", shift, shift + 1),
        ("C.m", shift + 5, shift + 6),
    ]


@pytest.mark.parametrize(
    "text", ["", "\n", "def", "def f(", "\x0cdef f(): pass", "\\", "'", '"""', "(" * 3_000, "\ud800", "\0def f(): pass"]
)
def test_odd_texts_are_no_error(text: str) -> None:
    assert all(isinstance(each, OutlinedFunction) for each in outline(text))


def test_which_function_a_line_belongs_to() -> None:
    functions = outline(SHOP)
    found = function_at(functions, 13)
    assert found is not None
    assert found.qualname == "Stock.value"
    assert function_at(functions, 0) is None
    assert function_at(functions, 10_000) is None
