"""Calls that are captured while the file's own main block runs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.errors import WorkloadError
from afterburner.agent.inputs.inside.call_descriptions import describe
from afterburner.agent.inputs.inside.new_forms import MOST_FORMS, NewForms

from .conftest import every_call, of_origin, reasons

if TYPE_CHECKING:
    from afterburner.agent.types import WorkloadCall

    from .conftest import Project

MAIN = "captured from __main__"


def outcome(call: WorkloadCall) -> Any:
    """What the original returned or raised."""
    return json.loads(call.expected)[2]


def test_arguments_are_copied_before_the_function_changes_them(project: Project) -> None:
    project.write(
        "drain.py",
        "def drain(items):\n"
        "    total = 0\n"
        "    while items:\n"
        "        total += items.pop(0)\n"
        "    return total\n\n"
        'if __name__ == "__main__":\n'
        "    print(drain([1, 2, 3]), drain(list(range(100))), drain([7]))\n",
    )
    workload = project.workload("drain.py", "drain")
    captured = of_origin(workload, MAIN)
    assert sorted(outcome(call)[1] for call in captured) == [6, 7, 4950]
    assert {call.description for call in captured} == {"drain([1, 2, 3])", "drain([0, 1, 2, …])", "drain([7])"}
    assert not any("drain([])" in call.description for call in every_call(workload)), "no real call is empty"
    assert all(call.cpu_time_s > 0 for call in every_call(workload))


def test_each_call_brings_the_module_state_that_it_started_from(project: Project) -> None:
    project.write(
        "rates.py",
        "RATES = {}\n"
        "FACTOR = 1\n\n"
        "def price(name, amount):\n"
        "    RATES[name] = RATES.get(name, 0) + 1\n"
        "    return amount * FACTOR * RATES[name]\n\n"
        'if __name__ == "__main__":\n'
        '    price("a", 10)\n'
        "    FACTOR = 5\n"
        '    price("a", 10)\n'
        '    price("b", 10)\n',
    )
    captured = of_origin(project.workload("rates.py", "price"), MAIN)
    assert sorted(outcome(call)[1] for call in captured) == [10, 50, 100]


def test_only_outermost_calls_of_a_recursion_are_recorded(project: Project) -> None:
    project.write(
        "deep.py",
        "def depth(n):\n    return 0 if n == 0 else 1 + depth(n - 1)\n\n"
        'if __name__ == "__main__":\n    depth(900)\n    depth(5)\n',
    )
    captured = of_origin(project.workload("deep.py", "depth"), MAIN)
    assert sorted(outcome(call)[1] for call in captured) == [5, 900]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("Box.total", {"Box.total(<Box>, 3)", "Box.total(<Small>, 4)"}),
        ("Box.double", {"Box.double(4)", "Box.double('ab')"}),
        ("Box.make", {"Box.make(Box, 10)", "Box.make(Small, 2)"}),
    ],
)
def test_methods_of_every_kind_and_through_subclasses(project: Project, function: str, expected: set[str]) -> None:
    project.write(
        "boxes.py",
        "class Box:\n"
        "    def __init__(self, n):\n"
        "        self.n = n\n\n"
        "    def total(self, k):\n"
        "        return sum(i * k for i in range(self.n))\n\n"
        "    @staticmethod\n"
        "    def double(x):\n"
        "        return x * 2\n\n"
        "    @classmethod\n"
        "    def make(cls, n):\n"
        "        return cls(n)\n\n"
        "class Small(Box):\n"
        "    def total(self, k):\n"
        "        return super().total(k) + 1\n\n"
        'if __name__ == "__main__":\n'
        "    Box.make(10).total(3)\n"
        "    Small.make(2).total(4)\n"
        "    Box.double(4), Small(1).double('ab')\n",
    )
    workload = project.workload("boxes.py", function)
    assert {call.description for call in of_origin(workload, MAIN)} == expected


@pytest.mark.parametrize("function", ["Stats._mode", "Stats._size", "Stats.Inner.total", "Stats.largest"])
def test_methods_that_their_class_has_handed_on_before_it_was_made(project: Project, function: str) -> None:
    project.write(
        "stats.py",
        "class Kept:\n"
        "    def __init__(self, make):\n"
        "        self.make = make\n\n"
        "    def __get__(self, owner, kind=None):\n"
        "        return self if owner is None else self.make(owner)\n\n"
        "class Stats:\n"
        "    def __init__(self, data):\n"
        "        self.data = data\n\n"
        "    def _mode(self):\n"
        "        return max(self.data, key=self.data.count)\n\n"
        "    def _size(self):\n"
        "        return len(self.data)\n\n"
        "    def largest(data):\n"
        "        return max(data)\n\n"
        "    class Inner:\n"
        "        def total(self):\n"
        "            return 3\n\n"
        "        whole = property(total)\n\n"
        "    mode, size, by_name = Kept(_mode), property(_size), {'largest': largest}\n"
        "    largest = staticmethod(largest)\n\n"
        'if __name__ == "__main__":\n'
        "    assert Stats([1, 2, 2]).mode == 2 and Stats([1, 2, 2]).size == 3\n"
        "    assert Stats.by_name['largest']([4, 5]) == 5 and Stats.Inner().whole == 3\n",
    )
    [call] = of_origin(project.workload("stats.py", function), MAIN)
    assert outcome(call)[1] in (2, 3, 5)


def test_decorated_functions_keep_their_behaviour(project: Project) -> None:
    project.write(
        "cached.py",
        "import functools\n\n"
        "@functools.lru_cache(maxsize=None)\n"
        "def ways(n, k=2):\n"
        "    return 1 if n < k else ways(n - 1, k) + ways(n - k, k)\n\n"
        "def twice(function):\n"
        "    @functools.wraps(function)\n"
        "    def inner(*args):\n"
        "        return function(*args) * 2\n"
        "    return inner\n\n"
        "@twice\n"
        "def size(items):\n"
        "    return len(items)\n\n"
        'if __name__ == "__main__":\n'
        "    assert ways(20) == 10946 and ways.cache_info().hits > 0\n"
        "    ways(30, k=3)\n"
        "    assert size([1, 2]) == 4 and size.__name__ == 'size'\n"
        "    size('abc')\n",
    )
    ways = of_origin(project.workload("cached.py", "ways"), MAIN)
    assert {call.description for call in ways} == {"ways(20)", "ways(30, k=3)"}
    size = of_origin(project.workload("cached.py", "size"), MAIN)
    assert sorted(outcome(call)[1] for call in size) == [4, 6]


def test_generators_stay_lazy_and_exceptions_pass(project: Project) -> None:
    project.write(
        "lazy.py",
        "import itertools\n\n"
        "def naturals(start):\n"
        "    if start < 0:\n"
        "        raise ValueError('negative: %d' % start)\n"
        "    for n in range(start, start + 50):\n"
        "        yield n\n\n"
        'if __name__ == "__main__":\n'
        "    bad = naturals(-1)\n"
        "    assert list(itertools.islice(naturals(3), 2)) == [3, 4]\n"
        "    try:\n"
        "        next(bad)\n"
        "    except ValueError as error:\n"
        "        assert str(error) == 'negative: -1'\n"
        "    else:\n"
        "        raise SystemExit('it did not raise')\n",
    )
    workload = project.workload("lazy.py", "naturals")
    assert {call.description for call in of_origin(workload, MAIN)} == {"naturals(-1)", "naturals(3)"}
    assert "exit code" not in reasons(workload)


def test_a_package_with_relative_imports_that_imports_the_function_again(project: Project) -> None:
    project.write("shop/__init__.py", "from .cart import total\n")
    project.write("shop/tax.py", "RATE = 3\n")
    project.write(
        "shop/cart.py",
        "import sys\n"
        "from .tax import RATE\n\n"
        "class Line:\n"
        "    def __init__(self, price):\n"
        "        self.price = price\n\n"
        "def total(lines):\n"
        "    return sum(line.price for line in lines) * RATE\n\n"
        'if __name__ == "__main__":\n'
        "    import shop\n"
        "    assert sys.argv == [__file__]\n"
        "    shop.total([Line(2), Line(3)])\n"
        "    total([Line(n) for n in range(50)])\n",
    )
    captured = of_origin(project.workload("shop/cart.py", "total"), MAIN)
    assert sorted(outcome(call)[1] for call in captured) == [15, 3675]


def test_a_file_without_a_main_block_that_calls_at_top_level(project: Project) -> None:
    project.write(
        "script.py", "def square(n):\n    return n * n\n\nfor number in (3, 4, 5):\n    print(square(number))\n"
    )
    captured = of_origin(project.workload("script.py", "square"), "captured from the file's top level")
    assert sorted(outcome(call)[1] for call in captured) == [9, 16, 25]


def test_what_cannot_be_copied_is_reported(project: Project) -> None:
    project.write(
        "apply.py",
        "import threading\n"
        "LOCK = threading.Lock()\n\n"
        "def apply(function, items):\n"
        "    with LOCK:\n"
        "        return [function(item) for item in items]\n\n"
        'if __name__ == "__main__":\n'
        "    apply(lambda x: x + 1, [1, 2])\n"
        "    apply(next, [(n for n in range(3))])\n"
        "    with open('/tmp/log', 'w+') as file:\n        apply(len, file)\n"
        "    apply(abs, [-1, -2])\n"
        "    apply(len, ['a', 'bb'])\n",
    )
    workload = project.workload("apply.py", "apply")
    captured = [outcome(call)[1] for call in of_origin(workload, MAIN)]
    assert sorted(captured) == [["list", 1, 2], ["list", 1, 2], ["list", 2, 3]]
    told = reasons(workload)
    assert "generator" in told
    assert "TextIOWrapper" in told
    assert "`LOCK` cannot be copied" in told


def test_a_main_block_that_crashes_keeps_the_calls_before(project: Project) -> None:
    project.write(
        "crash.py",
        "def add(a, b):\n    return a + b\n\n"
        'if __name__ == "__main__":\n    add(1, 2)\n    add(3, 4)\n    raise OSError("disk on fire")\n',
    )
    workload = project.workload("crash.py", "add")
    assert len(of_origin(workload, MAIN)) == 2
    assert "it failed after 2 recorded calls, which are used: OSError: disk on fire" in reasons(workload)


@pytest.mark.slow
def test_a_main_block_that_never_ends_keeps_the_calls_before(project: Project) -> None:
    project.limits = replace(project.limits, wall_time_s=4.0, cpu_time_s=4.0)
    project.write(
        "endless.py",
        "def add(a, b):\n    return a + b\n\n"
        'if __name__ == "__main__":\n    add(1, 2)\n    add(3, 4)\n    while True:\n        pass\n',
    )
    workload = project.workload("endless.py", "add")
    assert len(of_origin(workload, MAIN)) == 2
    assert "it was ended after 2 recorded calls, which are used: it ran longer than 4 s" in reasons(workload)


def test_many_calls_are_thinned_out_and_the_costly_ones_kept(project: Project) -> None:
    project.write(
        "many.py",
        "def triangle(n):\n    return sum(range(n))\n\n"
        'if __name__ == "__main__":\n'
        "    for n in range(3000):\n        triangle(n % 50)\n"
        "    triangle(1_000_000)\n"
        "    triangle(8_000_000)\n",  # by far the costliest, also where a busy machine delays the other
    )
    workload = project.workload("many.py", "triangle")
    captured = of_origin(workload, MAIN)
    assert 10 < len(captured) <= 40
    assert {"triangle(1000000)", "triangle(8000000)"} <= {call.description for call in captured}
    assert " of 3002 calls. Recorded were the first, the costliest, " in reasons(workload)
    assert any(call.cpu_time_s > 0.0005 for call in workload.calls)
    assert any(call.cpu_time_s > 0.0005 for call in workload.held_out_calls)


def test_of_many_calls_those_are_kept_that_go_where_no_other_went(project: Project) -> None:
    project.write(
        "rare.py",
        "def grade(n):\n"
        "    if n == 1777:\n        return 'rare'\n"
        "    for digit in str(n):\n"
        "        if digit == '7' and n == 2707:\n            break\n"
        "    return (lambda: 'odd' if n == 2909 else 'usual')()\n\n"
        'if __name__ == "__main__":\n'
        "    for n in range(1000, 3000):\n        grade(n)\n",
    )
    captured = of_origin(project.workload("rare.py", "grade"), MAIN)
    assert {"grade(1777)", "grade(2707)"} <= {call.description for call in captured}
    assert len(captured) <= 50


def test_of_many_calls_those_are_kept_whose_arguments_are_of_another_kind_or_sign(project: Project) -> None:
    project.write(
        "limits.py",
        "def head(items, limit, *, strict=False):\n    return items[:limit]\n\n"
        'if __name__ == "__main__":\n'
        "    for n in range(1, 3000):\n"
        "        head([n, n], -2 if n == 1777 else n % 7 + 1)\n"
        "        if n == 1876:\n            head([], 3)\n            head((n,), 3)\n"
        "            head([n], 3, strict=True)\n",
    )
    described = {call.description for call in of_origin(project.workload("limits.py", "head"), MAIN)}
    assert {"head([1777, 1777], -2)", "head([], 3)", "head((1876,), 3)", "head([1876], 3, strict=True)"} <= described
    assert len(described) <= 40


@pytest.mark.parametrize("value", [(), (1,), (1, "a"), [], [(2,)], set(), frozenset(), {3}, frozenset({4}), {}])
def test_small_containers_are_described_as_python_writes_them(value: object) -> None:
    assert describe(value) == repr(value)


class Unhashable(type):
    """A class of classes that cannot be hashed, and that runs code when they are compared."""

    def __eq__(cls, _other: object) -> bool:
        raise AssertionError

    __hash__ = None  # type: ignore[assignment]


class Odd(metaclass=Unhashable):
    """One of them."""


def test_forms_of_arguments_are_told_apart_only_as_long_as_they_are_few() -> None:
    forms = NewForms()

    def is_new(args: list[object]) -> bool:
        form = forms.new_form(args, {})
        if form is not None:
            forms.learn(form)
        return form is not None

    assert [is_new([kind()]) for kind in (int, int, str, list, Odd, Odd)] == [True, False, True, True, True, False]
    new = [is_new([*range(1, number + 2)]) for number in range(2 * MOST_FORMS)]
    assert new.count(True) == MOST_FORMS - 4
    assert not new[-1]


def test_a_call_is_recorded_while_somebody_else_traces(project: Project) -> None:
    project.write(
        "traced.py",
        "import sys\n\ndef f(n):\n    return n\n\ndef trace(*_):\n    return trace\n\n"
        'if __name__ == "__main__":\n'
        "    sys.settrace(trace)\n    f(1)\n    assert sys.gettrace() is trace\n    f(2)\n",
    )
    captured = of_origin(project.workload("traced.py", "f"), MAIN)
    assert sorted(outcome(call)[1] for call in captured) == [1, 2]


@pytest.mark.parametrize(
    "body",
    [
        "os.urandom(4)",
        "list({str(n) for n in range(30)})",
        "id(object())",
    ],
)
def test_a_function_that_never_does_the_same_twice_is_refused(project: Project, body: str) -> None:
    project.write(
        "chance.py",
        f"import os, time\n\ndef draw(n):\n    return n, {body}\n\n"
        'if __name__ == "__main__":\n    draw(1)\n    draw(2)\n',
    )
    with pytest.raises(WorkloadError) as caught:
        project.workload("chance.py", "draw")
    assert "behaves differently each time" in str(caught.value)
    assert "--calls FILE.py" in str(caught.value)


def test_calls_that_lean_on_state_set_elsewhere_are_dropped(project: Project) -> None:
    project.write("config.py", "LIMITS = {}\n")
    project.write(
        "lean.py",
        "import config\n\n"
        "def clip(name, n):\n    return min(n, config.LIMITS[name])\n\n"
        'if __name__ == "__main__":\n'
        "    config.LIMITS['a'] = 5\n"
        "    clip('a', 9)\n    clip('a', 3)\n",
    )
    with pytest.raises(WorkloadError) as caught:
        project.workload("lean.py", "clip")
    assert "depends on state that was set elsewhere" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nowhere_to_be_found\n\ndef f(x):\n    return x\n", "No module named 'nowhere_to_be_found'"),
        ("def f(x):\n    return x\n\nraise RuntimeError('not today')\n", "RuntimeError: not today"),
    ],
)
def test_a_file_that_cannot_be_imported(project: Project, text: str, said: str) -> None:
    project.write("broken.py", text)
    with pytest.raises(WorkloadError) as caught:
        project.workload("broken.py", "f")
    assert caught.value.exit_code == 4
    assert "cannot be imported" in str(caught.value)
    assert said in str(caught.value)


def test_nothing_to_go_on_says_what_was_tried_and_what_to_do(project: Project) -> None:
    project.write("alone.py", "def f(x):\n    return x\n\ndef g():\n    return f(1)\n")
    with pytest.raises(WorkloadError) as caught:
        project.workload("alone.py", "f")
    text = str(caught.value)
    for part in ("no `if __name__", "docstring", "test file", "`x` has no type hint", "--calls", "--cases"):
        assert part in text


def test_a_main_block_that_crashes_before_any_call(project: Project) -> None:
    project.write(
        "early.py", 'def f(x):\n    return x\n\nif __name__ == "__main__":\n    raise KeyError("settings")\n    f(1)\n'
    )
    with pytest.raises(WorkloadError, match="KeyError: 'settings'"):
        project.workload("early.py", "f")


def test_a_module_that_writes_over_every_descriptor_is_refused_cleanly(project: Project) -> None:
    project.write(
        "vandal.py",
        "import os\n\n"
        "def f(x):\n"
        "    for fd in range(1, 64):\n"
        "        try:\n"
        '            os.write(fd, b"R\\xff\\xff\\xff\\xff{\\"kind\\": \\"call\\"}" * 50)\n'
        "        except OSError:\n"
        "            pass\n"
        "    return x\n\n"
        'if __name__ == "__main__":\n    f(1)\n    f(2)\n',
    )
    with pytest.raises(WorkloadError) as caught:
        project.workload("vandal.py", "f")
    assert "Traceback" not in str(caught.value)
    assert len(str(caught.value)) < 5000


@pytest.mark.parametrize("function", ["Box.__unique", "Box.__of", "_Stack.__Inner.__keep"])
def test_private_methods_are_recorded_under_the_name_that_their_class_holds_them_by(
    project: Project, function: str
) -> None:
    project.write(
        "box.py",
        "class _Stack:\n"
        "    class __Inner:\n"
        "        @staticmethod\n"
        "        def __keep(items):\n"
        "            return list(dict.fromkeys(items))\n\n"
        "        def all(self, items):\n"
        "            return self.__keep(items)\n\n"
        "    def make(self):\n"
        "        return self.__Inner()\n\n\n"
        "class Box:\n"
        "    def __init__(self, items):\n"
        "        self.__items = items\n\n"
        "    def __unique(self):\n"
        "        return list(dict.fromkeys(self.__items))\n\n"
        "    @classmethod\n"
        "    def __of(cls, items):\n"
        "        return len(cls(items).__unique())\n\n"
        "    def sized(self):\n"
        "        return len(self.__unique()) + Box.__of(self.__items)\n\n\n"
        'if __name__ == "__main__":\n'
        "    print(Box([3, 1, 3]).sized(), _Stack().make().all([1, 1, 2]))\n",
    )
    captured = of_origin(project.workload("box.py", function), MAIN)
    assert captured, project.told
