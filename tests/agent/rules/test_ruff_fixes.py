"""ruff-fixes: ruff's fixes are taken over in the target, with their imports, and nowhere else."""

from collections.abc import Callable
from typing import Any

from afterburner.agent.rules.patterns.ruff_fixes import RuffFixes

SOURCE = """\
\"\"\"A file.\"\"\"


class Report:
    def other(self, xs):
        out = []
        for x in xs:
            out.append(x * 2)
        return out

    def rows(self, xs, table):
        # the big ones
        out = []
        for x in xs:
            if x > 2:
                out.append(x * 2)  # doubled
        for key in table.keys():
            if key in table.keys():
                out.append(list(sorted([table[key]])))
        return   out


def rows(xs):
    for x in xs:
        if x:
            return True
    return False
"""


def test_only_the_target_changes(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(RuffFixes(), SOURCE, "Report.rows")
    assert after != SOURCE
    assert "# the big ones" in after
    assert "# doubled" in after
    assert "return   out" in after
    assert after[: after.index("def rows")] == SOURCE[: SOURCE.index("def rows")]
    assert after[after.index("\n\n\ndef rows") :] == SOURCE[SOURCE.index("\n\n\ndef rows") :]
    agree(SOURCE, after, "Report.rows", [(None, [1, 3], {"a": 1}), (None, [], {}), (None, 3, {})])


def test_the_right_one_of_two_functions_with_one_name_is_taken(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    after = apply(RuffFixes(), SOURCE, "rows")
    assert after.endswith("def rows(xs):\n    return any(x for x in xs)\n")
    agree(SOURCE, after, "rows", [([0, 1],), ([],), (3,)])


def test_an_import_that_a_fix_needs_comes_along(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    source = "def products(pairs):\n    return [max(a, b) for a, b in pairs]\n"
    after = apply(RuffFixes(), source, "products")
    assert after.startswith("from itertools import starmap\n")
    agree(source, after, "products", [([(1, 2), (4, 3)],), ([],)])


def test_a_whole_program_is_a_target_too(apply: Callable[..., Any]) -> None:
    assert apply(RuffFixes(), "d = {}\nfor k in d.keys():\n    print(k)\n") == "d = {}\nfor k in d:\n    print(k)\n"


def test_nothing_to_fix_is_no_proposal(apply: Callable[..., Any]) -> None:
    assert apply(RuffFixes(), "def f(x):\n    return x\n", "f") is None
    assert (
        apply(RuffFixes(), "d = {}\n\n\ndef f(x):\n    return x\n\n\nfor k in d.keys():\n    print(k)\n", "f") is None
    )
