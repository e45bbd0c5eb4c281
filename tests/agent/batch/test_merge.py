"""Rewrites of one file put together, and their patches as git takes them."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pytest

from afterburner.agent.batch.merge import merge_offers
from afterburner.agent.code.locate import find_target
from afterburner.agent.code.patch import patch_bytes, unified_diff
from afterburner.agent.code.splice import splice
from afterburner.agent.types import Rewrite

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import Target

SOURCE = """\
import os


def first(items):
    total = 0
    for item in items:
        total += item
    return total


def second(items):
    text = ""
    for item in items:
        text += item
    return text


def third(items):
    return os.sep.join(items)
"""


@dataclass
class Offer:
    """As much of a result as is needed here."""

    target: Target
    best_source: str


def offer(path: Path, function: str, *changes: tuple[str, str]) -> RunResult:
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return cast("RunResult", Offer(find_target(path, function), text))


SUM = ("    total = 0\n    for item in items:\n        total += item\n    return total\n", "    return sum(items)\n")
JOIN = ('    text = ""\n    for item in items:\n        text += item\n    return text\n', '    return "".join(items)\n')
IMPORT = ("import os\n", "import functools\nimport os\n")


def write(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    path = tmp_path / "module.py"
    path.write_text(SOURCE)
    return path


def apply(folder: Path, patch: bytes) -> None:
    done = subprocess.run(["git", "apply", "-"], cwd=folder, input=patch, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_each_patch_applies_alone_and_all_of_them_in_order(tmp_path: Path) -> None:
    path = write(tmp_path)
    offers = [offer(path, "second", JOIN), offer(path, "first", SUM)]
    patches = [patch_bytes(each.target, unified_diff(each.target, each.best_source)) for each in offers]
    merged = merge_offers(offers)
    for each, patch in zip(offers, patches, strict=True):
        apply(tmp_path, patch)
        assert path.read_text() == each.best_source
        path.write_text(SOURCE)
    for patch in patches:
        apply(tmp_path, patch)
    assert path.read_bytes() == merged.texts[str(path)]
    path.write_text(SOURCE)
    apply(tmp_path, merged.patch)
    assert path.read_bytes() == merged.texts[str(path)]
    assert merged.left_out == ()


def test_an_import_that_both_need_is_there_once(tmp_path: Path) -> None:
    path = write(tmp_path)
    text = merge_offers([offer(path, "first", SUM, IMPORT), offer(path, "second", JOIN, IMPORT)]).texts[str(path)]
    assert text.count(b"import functools\n") == 1
    assert b"sum(items)" in text
    assert b".join(items)" in text


def test_imports_at_one_place_go_together(tmp_path: Path) -> None:
    path = write(tmp_path)
    both = ("import os\n", "import functools\nimport operator\nimport os\n")
    text = merge_offers([offer(path, "first", SUM, IMPORT), offer(path, "second", JOIN, both)]).texts[str(path)]
    assert text.startswith(b"import functools\nimport operator\nimport os\n")


def test_helpers_of_one_name_that_mean_different_things_do_not_go_together(tmp_path: Path) -> None:
    path = write(tmp_path)
    one = ("def first(", "_START = 0\n\n\ndef first(")
    other = ("def second(", "_START = ''\n\n\ndef second(")
    merged = merge_offers([offer(path, "first", one), offer(path, "second", other)])
    assert merged.left_out == ((str(path), "second"),)
    assert b"_START = 0" in merged.texts[str(path)]
    assert b"_START = ''" not in merged.texts[str(path)]


def test_two_ways_to_change_the_same_lines_do_not_go_together(tmp_path: Path) -> None:
    path = write(tmp_path)
    other = ("    total = 0\n    for item", "    total = 0.0\n    for item")
    merged = merge_offers([offer(path, "first", SUM), offer(path, "second", other)])
    assert merged.left_out == ((str(path), "second"),)
    assert b"0.0" not in merged.texts[str(path)]


PLAIN = SOURCE.replace("import os\n\n\n", "").replace("os.sep", '"/"')
CACHED = Rewrite("@functools.cache\ndef first(items):\n    return sum(items)\n", ("import functools",))
REDUCED = Rewrite(
    "def second(items):\n    return functools.reduce(operator.add, items)\n", ("import functools", "import operator")
)
DEQUE = Rewrite("def third(items):\n    return deque(items)\n", ("from collections import deque",))
BOTH = Rewrite(
    "def second(items):\n    return defaultdict(deque)[items]\n", ("from collections import defaultdict, deque",)
)
OTHER_DEQUE = Rewrite("def second(items):\n    return deque(items)\n", ("from queue import deque",))


def spliced(path: Path, function: str, rewrite: Rewrite) -> RunResult:
    target = find_target(path, function)
    return cast("RunResult", Offer(target, splice(target, rewrite)))


@pytest.mark.parametrize("head", ["", '"""Doc."""\n', '"""Doc."""\n\n\n', "import os\n\n\n", "#!/usr/bin/python\n"])
@pytest.mark.parametrize("turned", [False, True])
def test_imports_that_two_offers_share_are_there_once_and_leave_no_holes(
    tmp_path: Path, head: str, turned: bool
) -> None:
    path = tmp_path / "module.py"
    path.write_text(head + PLAIN)
    for one, other in ((("first", CACHED), ("second", REDUCED)), (("third", DEQUE), ("second", BOTH))):
        offers = [spliced(path, *one), spliced(path, *other)]
        merged = merge_offers(offers[::-1] if turned else offers)
        assert merged.left_out == ()
        text = merged.texts[str(path)].decode()
        compile(text, "module.py", "exec")
        assert "\n\n\n\n" not in text, text
        assert "@functools.cache\n\n" not in text, text
        for name in ("functools", "operator", "defaultdict"):
            assert len(re.findall(rf"import.* {name}\b", text)) == any(name in each.best_source for each in offers), (
                text
            )
        for line in (one[1].function + other[1].function).splitlines():
            assert line in text


def test_one_name_from_two_modules_is_a_clash(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(PLAIN)
    merged = merge_offers([spliced(path, "third", DEQUE), spliced(path, "second", OTHER_DEQUE)])
    assert merged.left_out == ((str(path), "second"),)
