"""Rewrites of one file put together, and their patches as git takes them."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from afterburner.agent.many.merge import merge_offers
from afterburner.agent.targets.locate import find_target
from afterburner.agent.targets.patch import patch_bytes, unified_diff

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.types import RunResult, Target

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
