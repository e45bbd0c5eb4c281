"""Expressions that came out of a sandbox are let through only if all that they can do is make values."""

from __future__ import annotations

import pytest

from afterburner.agent.judge.verification.project_text import ProjectText
from afterburner.agent.judge.verification.safe_expressions import ExpressionReader, FileNames, UnsafeExpressionError
from afterburner.agent.types import Target

SHOP = """\
import enum
import os
from collections import namedtuple
from dataclasses import dataclass, field
from subprocess import Popen
from typing import NamedTuple

from shop import Item, Shelf
from shop.hooks import Deleting, Odd

VALUE = 1
Size = namedtuple("Size", "width height")

@dataclass(frozen=True)
class Point:
    x: int
    y: list = field(default_factory=list)

class Pair(NamedTuple):
    left: int
    right: int

class Colour(enum.Enum):
    RED = 1

class NoStock(ValueError):
    pass

class Cart:
    class Row(NamedTuple):
        name: str

    def __init__(self, path):
        os.remove(path)

    @property
    def total(self):
        return 0

    @total.setter
    def total(self, value):
        os.remove(value)

@dataclass
class Checked:
    x: int

    def __post_init__(self):
        os.remove(self.x)

class Job(Popen):
    pass

@dataclass
class Later(Odd):
    y: int

def scale(x):
    return x

def bytearray(x):
    return x
"""
ITEMS = """\
import dataclasses

@dataclasses.dataclass
class Item:
    name: str

class Shelf:
    pass
"""
HOOKS = """\
import os

class Deleting:
    def __del__(self):
        os.remove(self.path)

class Odd:
    def __setattr__(self, name, value):
        os.remove(value)
"""
PROCESSES = """\
from dataclasses import dataclass

@dataclass
class Popen:
    command: str
    shell: bool
"""
PROJECT = {
    "module.py": SHOP,
    "shop/__init__.py": "from .items import Item, Shelf\n",
    "shop/items.py": ITEMS,
    "shop/hooks.py": HOOKS,
    "subprocess.py": PROCESSES,
}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> FileNames:
    folder = tmp_path_factory.mktemp("project")
    for name, text in PROJECT.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    target = Target(str(folder / "module.py"), SHOP, "scale", "module", str(folder), str(folder))
    project, module = ProjectText.of(target)
    return FileNames.of(module, project)


@pytest.mark.parametrize(
    "text",
    [
        "[1, -2.5, 'a', b'b', None, True, (1+2j), {1: (2,)}, {3}, set(), float('nan')]",
        "[Point(x=1, y=[Item('a')]), Pair(1, 2), Size(1, 2), Colour.RED, NoStock('x'), Cart.Row('a')]",
        "pd.DataFrame({'a': [1, None]}, index=pd.RangeIndex(0, 2, 1)).astype({'a': 'int8'}).set_axis([1], axis=1)",
        "pd.MultiIndex.from_tuples([('a', 1)], names=['k', None])",
        "[datetime.date(2024, 1, 1), Decimal('1.1'), np.array([1], dtype='int8'), pd.NaT, np.bytes_(b'x')]",
        "[datetime.timedelta(days=1, seconds=2), zoneinfo.ZoneInfo(key='UTC'), np.array(['a'], dtype='<U5')]",
        "[np.empty((0, 3), dtype='float64'), pd.Series(['a'], dtype=pd.CategoricalDtype(['a'], ordered=False))]",
        "[made(Cart, prices=scale), made(Shelf), made(Checked, x=1), made(Cart.Row)]",
        "defaultdict(list, {})",
        "[range(1000000000000), Point(range(1000000000000)), frozenset(range(9))]",
    ],
)
def test_values_are_let_through(names: FileNames, text: str) -> None:
    assert ExpressionReader(names).read(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('x')",
        "os.system('x')",
        "scale(1)",
        "open('x')",
        "Point.__subclasses__()",
        "Point.__init__.__globals__",
        "(lambda: 1)()",
        "[x for x in ()]",
        "f'{scale(1)}'",
        "1 # a comment",
        "[1]\n+ [2]",
        "(1, 2",
        "Point(**{})",
        "Point(*[])",
        "(x := 1)",
        "eval('1')",
        "type('X', (), {})",
        "pd.read_pickle('x')",
        "np.load('x')",
        "pd.DataFrame({}).to_pickle('x')",
        "Point(1).astype('x')",
        "datetime.sys",
        "unknown",
        "'\u202e'",
        "made(Point, __class__=Point)",
        "1 if 1 else 2",
        "[" * 500 + "]" * 500,
        "9" * 30_000,
        "<Cart with items=1>",
    ],
)
def test_everything_else_is_stopped(names: FileNames, text: str) -> None:
    with pytest.raises(UnsafeExpressionError):
        ExpressionReader(names).read(text)


@pytest.mark.parametrize(
    "text",
    [
        "Popen('touch /tmp/x', shell=True)",
        "made(Popen, command='x')",
        "[Popen, Point]",
        "[Job, Point]",
        "Job('touch /tmp/x', shell=True)",
        "made(Job, command='x')",
        "Cart('/tmp/x')",
        "made(Cart, total='/tmp/x')",
        "Checked('/tmp/x')",
        "Later('/tmp/x')",
        "Deleting()",
        "made(Deleting, path='/tmp/x')",
        "Shelf()",
        "made(Decimal, x=1)",
        "made(scale, x=1)",
        "[bytearray, bytearray(b'/tmp/x')]",
    ],
)
def test_only_classes_whose_text_says_that_they_keep_values_are_made(names: FileNames, text: str) -> None:
    with pytest.raises(UnsafeExpressionError):
        ExpressionReader(names).read(text)


@pytest.mark.parametrize(
    "text",
    [
        "np.empty((10000000000,))",
        "np.empty(10000000000)",
        "np.bytes_(10000000000)",
        "np.array(range(10000000000))",
        "np.array(['a'], dtype='U1000000000')",
        "np.dtype('(1000000000,)i8')",
        "np.array([1], dtype=('i8', (1000000000,)))",
        "np.array([1], ndmin=30)",
        "set(range(10000000000))",
        "deque(range(scale))",
        "pd.Series('x', index=pd.RangeIndex(0, 10000000000, 1))",
        "pd.DataFrame({'a': range(10000000000)})",
        "pd.DataFrame({'a': [1]}).astype({'a': 'S1000000000'})",
    ],
)
def test_no_value_is_far_larger_than_its_text(names: FileNames, text: str) -> None:
    with pytest.raises(UnsafeExpressionError):
        ExpressionReader(names).read(text)


def test_bytes_are_made_of_bytes_alone() -> None:
    names = FileNames({}, frozenset(), frozenset())
    assert ExpressionReader(names).read("bytearray(b'x')")
    with pytest.raises(UnsafeExpressionError):
        ExpressionReader(names).read("bytearray(10000000000000)")


def test_objects_that_stand_in_several_places_have_names_that_mean_nothing_else(names: FileNames) -> None:
    reader = ExpressionReader(names)
    assert reader.define("a", "[1]") == "[1]"
    assert reader.read("[a, a]") == "[a, a]"
    for name, text in {"float": "scale", "b": "range(1000000000000)", "long": "[1]"}.items():
        with pytest.raises(UnsafeExpressionError):
            reader.define(name, text)
    for text in ("a()", "np.array([a, a])"):
        with pytest.raises(UnsafeExpressionError):
            reader.read(text)


def test_only_data_of_the_module_is_set(names: FileNames) -> None:
    reader = ExpressionReader(names)
    reader.check_state("VALUE")
    for name in ("scale", "Point", "Popen", "os", "len", "unknown"):
        with pytest.raises(UnsafeExpressionError):
            reader.check_state(name)
