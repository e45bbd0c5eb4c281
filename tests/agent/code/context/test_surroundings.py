"""What a model is told of a project: what the function uses and who uses it, within a budget, and no secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.context import readable_files as bounds
from afterburner.agent.code.context.token_budget import Piece, Use, estimate_tokens, fit
from afterburner.agent.code.locate import with_source

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Project

REPORT = '''\
import os
from shop import items
from shop.items import Item, norm as normalise
from shop.units import *

LIMIT = 10


class Base:
    def kept(self):
        return self.factor


class Report(Base):
    factor: int = 2

    def __init__(self, rows):
        self.rows = rows

    def idle(self):
        return "idle"

    def total(self, rows: "list[Item]", rate=2):
        """Total of the rows.

        Twice.
        """
        out = 0
        for row in rows:
            if normalise(row.name) and row.kind is items.Kind.A:
                out += row.gross(rate) + LIMIT + self.kept() + GRAM
        return out


def total(rows):
    return Report(rows).total(rows)
'''
SHOP = {
    "shop/__init__.py": "from shop.items import Item\n",
    "shop/items.py": '''\
from dataclasses import dataclass
from enum import Enum

from .money import Money, API_TOKEN


class Kind(Enum):
    A = 1


@dataclass
class Item:
    """An item.

    In many lines.
    """

    name: str
    price: "Money"
    kind: Kind = Kind.A

    def gross(self, rate):
        # secret-in-a-comment
        return self.price.amount * rate

    def not_called(self):
        return 1


def norm(name):
    return name.strip() + API_TOKEN


def unrelated():
    return 1
''',
    "shop/money.py": 'from typing import NamedTuple\nAPI_TOKEN = "hunter2"\nclass Money(NamedTuple):\n  amount: int\n',
    "shop/units.py": "GRAM = 0.001\n_HIDDEN = 2\n",
    "shop/report.py": REPORT,
    "app.py": "from shop.report import Report, total as t\n\n\ndef main(x):\n    for a in x:\n        print(t(\n"
    '            a))\n    return Report(x).total(x, url="https://me:pass@host/")\n',
    "other.py": "def total(x):\n    return x\n\n\ntotal(1)\n",
    "tests/test_report.py": "from shop.report import Report, total\n\n\ndef test_total():\n    assert total([]) == 0\n"
    "def test_other():\n    assert 1\n",
    ".env": "KEY = 'from-the-env'\n",
    ".gitignore": "ignored.py\n",
    "ignored.py": "from shop.report import total\ntotal(['ignored'])\n",
}


def test_a_method_is_told_with_all_that_it_uses_across_files(project: Project) -> None:
    project.write(SHOP)
    project.install("numpy", "2.1", "numpy")
    text = project.told("shop/report.py", "Report.total")
    for part in (
        "method `Report.total`:\ndef total(self, rows: 'list[Item]', rate=2)",
        "Total of the rows.\n\nTwice.",
        "LIMIT = 10",
        "class Report(Base):\n    factor: int = 2",
        "self.rows = rows",
        "def kept(self):",
        '# shop/items.py\n@dataclass\nclass Item:\n    """An item."""\n    name: str\n    price: \'Money\'',
        "return self.price.amount * rate",
        "class Kind(Enum):\n    A = 1",
        "def norm(name):\n    return name.strip() + API_TOKEN",
        "# shop/units.py\nGRAM = 0.001",
        "# shop/money.py",  # what the type uses in its turn
        "class Money(NamedTuple):\n    amount: int",
        "# tests/test_report.py\ndef test_total():",
        "# app.py\n# line 8, in main\nreturn Report(x).total(x, url='…')",
        "It runs on Python 3.10.",
        "New import statements may name the standard library and modules of the project itself; no others",
    ):
        assert part in text
    for part in (
        "idle",
        "not_called",
        "unrelated",
        "test_other",
        "secret",
        "hunter2",
        "ignored",
        "env",
        "me:pass",
        "_HID",
    ):
        assert part not in text


def test_callers_are_those_that_mean_this_function_whatever_they_call_it(project: Project) -> None:
    project.write(SHOP)
    text = project.told("shop/report.py", "total")
    assert "# app.py\n# line 6, in main\nprint(t(a))" in text
    assert "other.py" not in text
    assert "class Report(Base)" in text


def test_a_rewrite_is_described_alike_whatever_was_described_before(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MAX_PARSED_BYTES", 200)
    longer = "def area(a):\n    b = a\n    c = b\n    return c\n"
    project.write({"shop.py": f"{longer}\n\nprint(area(2))\n", "far.py": "import shop\n\nprint(shop.area(3))\n"})
    original = project.target("shop.py", "area")
    rewritten = with_source(original, original.source.replace(longer, "def area(a):\n    return a\n"))
    described = project.around(original)
    first = described.describe(original)
    assert "# line 7\nprint(area(2))" in first
    assert "# far.py\n# line 3\nprint(shop.area(3))" in first
    then = described.describe(rewritten)
    assert then == project.around(original).describe(rewritten)
    assert [described.describe(rewritten) for _ in range(9)][-1] == then
    assert "# line 7\nprint(area(2))" in then


def test_without_tokens_there_is_the_signature_and_what_may_be_imported(project: Project) -> None:
    project.write(SHOP)
    text = project.told("shop/report.py", "Report.total", 0)
    assert text.startswith("Rewrite the method `Report.total`:\ndef total(self")
    assert "It runs on Python 3.10." in text
    for part in ("Twice", "LIMIT", "Item:", "# app.py", "lack of room"):
        assert part not in text


@pytest.mark.parametrize("tokens", [70, 120, 200, 300])
def test_the_budget_holds_and_says_what_it_cost(project: Project, tokens: int) -> None:
    project.write(SHOP)
    bare, text = (project.told("shop/report.py", "Report.total", each) for each in (0, tokens))
    context = estimate_tokens(text) - estimate_tokens(bare)
    assert context <= tokens
    assert "(For lack of room " in text
    assert "Total of the rows" in text
    assert text.count("```") % 2 == 0


def test_what_is_most_useful_comes_first_and_long_pieces_are_outlined() -> None:
    pieces = [
        Piece(Use.CALLER, "a.py", "caller", "c" * 70),
        Piece(Use.CALLED, "", "big", "b" * 4_000, "def big(): ..."),
        Piece(Use.DOCUMENTATION, "", "doc", "d" * 35),
        Piece(Use.CONSTANT, "", "K", "k" * 400),
        Piece(Use.TEST, "t.py", "t", "t" * 4_000),
    ]
    chosen, told = fit(pieces, 300)
    assert [piece.text[:3] for piece in chosen] == ["ddd", "def", "kkk", "ccc"]
    assert told == "(For lack of room only outlined: big; left out: 1 test.)"
    assert fit(pieces, 100_000) == (sorted(pieces, key=lambda piece: piece.use), "")
    assert fit(pieces, 1)[0] == []
    assert estimate_tokens("é" * 7) == 4


def test_a_program_is_told_what_it_uses_of_other_files(project: Project) -> None:
    project.write(
        {"prog.py": '"""Sum up."""\nfrom calc import add\nX = 1\nprint(add(X))\n', "calc.py": "def add(x): return x\n"}
    )
    text = project.told("prog.py", None)
    assert "Sum up." in text
    assert "# calc.py\ndef add(x):\n    return x" in text
    assert "X = 1" not in text


def test_modules_are_found_by_every_way_to_name_them(project: Project) -> None:
    project.write(
        {
            "src/pkg/__init__.py": "from .deep import f4 as g4\nfrom . import loop\n",
            "src/pkg/deep/__init__.py": "from .inner import *\n",
            "src/pkg/deep/inner.py": "def f4(): return 4\ntry:\n    import nope\nexcept ImportError:\n    nope = 0\n",
            "src/pkg/loop.py": "from pkg.loop import f9\nfrom pkg.other import f9\n",
            "src/pkg/other.py": "from pkg.loop import f9\nimport pkg.loop\n",
            "src/pkg/a.py": "import pkg.deep.inner as one\nimport pkg.deep.inner\nfrom .deep import inner as two\n"
            "from .. import nothing\nfrom pkg import g4, loop\nfrom pkg.loop import f9\n\n\n"
            "def f(x: 'pkg.deep.inner.T'):\n    return one.f1() + pkg.deep.inner.f2() + two.f3() + g4() + f9()\n",
        }
    )
    inner = project.root / "src/pkg/deep/inner.py"
    inner.write_text(inner.read_text() + "".join(f"def f{n}(): return {n}\n" for n in (1, 2, 3)) + "class T: t = 1\n")
    text = project.told("src/pkg/a.py", "f")
    for part in ("def f1()", "def f2()", "def f3()", "def f4()", "class T:"):
        assert part in text


def test_a_hostile_project_is_borne(project: Project, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("from a import f\nf('outside')\n")
    deep = "d/" * 60
    project.write(
        {
            "a.py": "import huge, broken, nested, odd, pipe\nfrom link import g\n\n\ndef f(x):\n"
            "    return huge.h + broken.b + nested.n + odd.o + g(x)\n",
            "huge.py": "h = 1\n" + "# f f f\n" * 100_000,
            "broken.py": "def b(:\nf(1)\n",
            "nested.py": "n = " + "(" * 50_000 + ")" * 50_000 + "\nf(2)\n",
            "chain.py": "from a import f\nf(1" + "+1" * 60_000 + ")\n",
            "odd.py": b"# coding: no-such\no = 1; f(3)\n",
            "latin.py": "# coding: latin-1\nfrom a import f\nf('é')\n".encode("latin-1"),
            "null.py": b"f(4)\0\n",
            f"{deep}low.py": "from a import f\nf('low')\n",
            "pkg/real.py": "",
        }
    )
    (project.root / "link.py").symlink_to(tmp_path / "outside.py")
    (project.root / "folder").symlink_to(tmp_path)
    (project.root / "pkg/loop").symlink_to(project.root)
    text = project.told("a.py", "f")
    assert "f('é')" in text
    for part in ("outside", "h = 1", "low", "o = 1"):
        assert part not in text


def test_a_project_of_3000_files_is_read_within_bounds(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "from core import work\n\n\ndef use():\n    return work(1)\n" + "x = 'work'\n" * 40
    project.write({f"part{n % 50}/m{n}.py": body for n in range(3_000)})
    project.write({"core.py": "def work(x):\n    return x\n"})
    parsed = 0

    def counting(text: str, real=bounds.parse) -> object:  # noqa: ANN001
        nonlocal parsed
        parsed += 1
        return real(text)

    monkeypatch.setattr(bounds, "parse", counting)
    text = project.told("core.py", "work")
    assert parsed < 120
    assert len(re.findall("return work", text)) == 12
    assert project.told("core.py", "work") == text


def test_the_same_project_is_told_in_the_same_words(project: Project) -> None:
    project.write(SHOP)
    assert project.told("shop/report.py", "total") == project.told("shop/report.py", "total")
