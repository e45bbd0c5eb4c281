"""What is judged and offered: the rewrite in place, as small a change as it can be, in the project's style."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.context.surroundings import Surroundings
from afterburner.agent.code.locate import find_target
from afterburner.agent.code.patch import unified_diff
from afterburner.agent.code.splice import parse_answer_code
from afterburner.agent.errors import TargetError
from afterburner.agent.loop.placing import place
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Rewrite
from afterburner.sandbox import PythonEnvironment
from afterburner.sandbox.project import stage_project

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]

SOURCE = """\
import os

def count(words,  limit = 3):   # of words
    # what was seen
    seen = [ ]
    for word in words:    # one by one
        if word not in seen :
            seen.append(  word )
    return { 'seen' : seen [ : limit ] }
"""
ANSWER = '''\
import re
def count(words, limit=3):
    """New."""
    seen = []
    known = set( ); spare = {"a":1}
    for word in words:
        if word not in known:
            known.add(word)
            seen.append(word)
    return {"seen": seen[:limit]}
'''
SECOND = ANSWER.replace('; spare = {"a":1}', "").replace("not in known:", "not in seen:").replace("import re\n", "")


def surroundings(target: Target, tmp_path: Path) -> Surroundings:
    staged = stage_project(Path(target.project_root), tmp_path.parent / f"{tmp_path.name}-copy", Path(target.path))
    return Surroundings(target, staged, PythonEnvironment("/python", (3, 11), ()), RunSettings(target.path))


def test_a_patch_holds_what_changed_in_the_projects_style(make_target: MakeTarget, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "pyproject.toml").write_text("[tool.ruff.format]\nquote-style = 'single'\n")
    target = make_target(SOURCE, "count")
    around = surroundings(target, tmp_path)
    text = place(target, SOURCE, parse_answer_code(ANSWER, target), around)
    added = [line[1:] for line in unified_diff(target, text).splitlines()[2:] if line.startswith("+")]
    gone = [line[1:] for line in unified_diff(target, text).splitlines()[2:] if line.startswith("-")]
    assert added == [
        "    known = set()",
        "    spare = {'a': 1}",
        "        if word not in known:",
        "            known.add(word)",
    ]
    assert gone == ["        if word not in seen :"]


def test_a_later_rewrite_gives_the_users_own_lines_back(make_target: MakeTarget) -> None:
    target = make_target(SOURCE, "count")
    first = place(target, SOURCE, parse_answer_code(ANSWER, target), None)
    text = place(target, first, parse_answer_code(SECOND, target), None)
    assert "        if word not in seen :\n" in text
    assert "            known.add(word)\n            seen.append(  word )\n" in text


def test_an_import_that_is_not_allowed_is_refused_with_what_to_do(make_target: MakeTarget, tmp_path: Path) -> None:
    target = make_target(SOURCE, "count")
    answer = ANSWER.replace("seen = []", "import nowhere_installed\n    seen = []")
    with pytest.raises(TargetError, match=r"^It imports nowhere_installed, which is not installed.*--allow-imports"):
        place(target, SOURCE, parse_answer_code(answer, target), surroundings(target, tmp_path))


def test_a_project_without_a_formatter_is_not_laid_out(make_target: MakeTarget, tmp_path: Path) -> None:
    target = make_target(SOURCE, "count")
    assert 'spare = {"a":1}' in place(target, SOURCE, parse_answer_code(ANSWER, target), surroundings(target, tmp_path))
    assert find_target(target.path, "count").source == SOURCE


@pytest.mark.parametrize("depth", [500, 3000], ids=["parsed by Python alone", "parsed by nobody"])
def test_a_rewrite_that_is_nested_too_deeply_is_refused(make_target: MakeTarget, depth: int) -> None:
    target = make_target("def f(a):\n    return a\n", "f")
    with pytest.raises(TargetError, match="nested too deeply"):
        place(target, target.source, Rewrite(f"def f(a):\n    return {'-' * depth}a\n"), None)


def test_many_equal_lines_are_put_in_place(make_target: MakeTarget) -> None:
    """The lines of the original stay, and the comment in them; `difflib` compares each with each."""
    equal = "    x += 1\n" * 250
    target = make_target(f"def f(x):\n{equal}    # half of them\n{equal}    return x\n", "f")
    code = f"def f(x):\n{equal}{equal}{'    x += 2' + chr(10)}{equal * 8}    return x\n"
    text = place(target, target.source, parse_answer_code(code, target), None)
    assert text.count("    x += 1\n") == 2500
    assert "    # half of them\n" in text


def test_many_helpers_are_put_in_place(make_target: MakeTarget) -> None:
    target = make_target("def f(x):\n    return x\n", "f")
    helpers = "".join(f"def h{at}(x):\n    return h{(at + 1) % 5000}(x)\n" for at in range(5000))
    text = place(target, target.source, parse_answer_code(f"{helpers}def f(x):\n    return h0(x)\n", target), None)
    assert text.endswith("\n\n\ndef f(x):\n    return h0(x)\n")
    assert text.count("def h") == 5000
