"""Finding what is to be optimised: files as they are on the disk, functions as Python would end up with them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import (
    find_target,
    function_source,
    functions_in,
    read_source,
    with_source,
)
from afterburner.agent.code.read_file import MAX_SOURCE_BYTES
from afterburner.agent.errors import TargetError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"x = 1\r\ny = 2\n", "utf-8"),
        ("x = 'é\u2028'\n".encode(), "utf-8"),
        (b"\xef\xbb\xbfx = 1\n", "utf-8-sig"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso-8859-1"),
        (b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\r\n", "cp1252"),
        (b"def f():\r    return 1", "utf-8"),
    ],
)
def test_a_file_is_read_so_that_it_can_be_written_back_unchanged(tmp_path: Path, data: bytes, encoding: str) -> None:
    path = tmp_path / "module.py"
    path.write_bytes(data)
    text, found = read_source(path)
    assert found == encoding
    assert text.encode(found) == data
    assert not text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"x = '\xff'\n", "UTF-8"),
        (b"# coding: utf-8\nx = '\xe9\n'", "UTF-8"),
        (b"# coding: no-such-code\nx = 1\n", "no-such-code"),
        (b"x = 1\0\n", "null bytes"),
        ("x = 1\n".encode("utf-16"), "null bytes"),
        (b"x = 1\ndef f(:\n    pass\n", "syntax error in line 2, column 7"),
        (b"if x:\npass\n", "syntax error in line 2"),
        (b"#" * (MAX_SOURCE_BYTES + 1), "too large"),
        (b"x = " + b"(" * 5000 + b"1" + b")" * 5000, "syntax error"),
    ],
)
def test_what_is_no_python_file_gets_one_clear_line(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "module.py"
    path.write_bytes(data)
    with pytest.raises(TargetError, match=message) as caught:
        read_source(path)
    assert "\n" not in str(caught.value)
    assert "module.py" in str(caught.value)


def test_paths_that_are_no_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "abcent.py").touch()
    with pytest.raises(TargetError, match=r"No such file: .*absent\.py\. Did you mean .*/abcent\.py\? Relative paths"):
        read_source(tmp_path / "absent.py")
    with pytest.raises(TargetError, match="is a directory"):
        read_source(tmp_path)
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(TargetError, match="not a regular file"):
        read_source(tmp_path / "pipe.py")
    with pytest.raises(TargetError, match="cannot be read"):
        read_source(tmp_path / ("x" * 300))


def test_invalid_escapes_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text('x = "\\d"\n')
    assert read_source(tmp_path / "module.py")[0] == 'x = "\\d"\n'


SHAPES = '''\
import functools
from typing import overload

@overload
def many(x: int) -> int: ...
@overload
def many(x: str) -> str: ...
def many(x):
    return x

@functools.cache
@functools.wraps(
    many
)
async def decorated(a, *, b=1):
    """Say."""
    return a

    # the end of it

# not part of it
class Outer:
    class Inner:
        def method(self):
            def local():
                return 1
            return local()

    @property
    def size(self):
        return 1

    @staticmethod
    def twice(): return 1
    @staticmethod
    def twice(): return 2

if True:
    def conditional():
        pass
else:
    try:
        pass
    except ValueError:
        def rare(): pass
    finally:
        pass

class Empty:
    x = 1

by_lambda = lambda x: x
alias = many
table = {}
'''


def test_functions_are_listed_as_python_would_end_up_with_them() -> None:
    assert functions_in(SHAPES) == [
        ("many", 8, 9),
        ("decorated", 11, 19),
        ("Outer.Inner.method", 24, 27),
        ("Outer.twice", 35, 36),
        ("conditional", 39, 40),
        ("rare", 45, 45),
    ]


@pytest.mark.parametrize(
    ("function", "first_words"),
    [
        ("many", "def many(x):"),
        ("decorated", "@functools.cache\n@functools.wraps(\n    many\n)\nasync def decorated"),
        ("Outer.Inner.method", "def method(self):\n    def local():\n        return 1\n    return local()\n"),
        ("conditional", "def conditional():\n    pass\n"),
    ],
)
def test_a_function_is_found_with_its_decorators_and_given_dedented(
    make_target: MakeTarget, function: str, first_words: str
) -> None:
    assert function_source(make_target(SHAPES, function)).startswith(first_words)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("decorate", "Did you mean decorated.*It defines: many, decorated"),
        ("method", "Did you mean Outer.Inner.method"),
        ("Outer.method", "Did you mean Outer.Inner.method"),
        ("local", "defined inside Outer.Inner.method"),
        ("Outer", "is a class. Name one of its methods: Outer.Inner.method, Outer.twice"),
        ("Empty", "is a class without methods"),
        ("Outer.size", "is a property"),
        ("by_lambda", "is a lambda"),
        ("alias", "another name for many"),
        ("table", "assigned, not defined"),
        ("overload", "imported there"),
        ("zzz", "No function zzz in .* It defines: "),
        ("", "No function"),
    ],
)
def test_a_name_that_is_no_function_is_explained(make_target: MakeTarget, function: str, message: str) -> None:
    with pytest.raises(TargetError, match=message):
        make_target(SHAPES, function)


@pytest.mark.parametrize("function", ["by_lambda", "alias", "table", "overload", "Empty"])
def test_another_version_may_bind_the_name_without_defining_it(make_target: MakeTarget, function: str) -> None:
    target = replace(make_target(SHAPES, "many"), function=function)
    bound = with_source(target, SHAPES, or_bound=True)
    assert function in function_source(bound)
    assert bound.last_line >= bound.first_line > 1
    with pytest.raises(TargetError):
        with_source(target, SHAPES)
    with pytest.raises(TargetError, match="No function zzz"):
        with_source(replace(target, function="zzz"), SHAPES, or_bound=True)


def test_of_two_definitions_the_last_counts_and_the_user_is_told(make_target: MakeTarget) -> None:
    target = make_target(SHAPES, "Outer.twice")
    assert "return 2" in function_source(target)
    assert target.notes == ("Outer.twice is defined 2 times; the last one counts, in line 35.",)
    assert with_source(target, target.source).notes == target.notes
    assert make_target(SHAPES, "many").notes == ()  # overloads are no definitions


def test_a_later_class_of_the_same_name_hides_the_earlier_one(make_target: MakeTarget) -> None:
    source = "class A:\n    def gone(self): pass\nclass A:\n    def here(self): pass\n"
    assert functions_in(source) == [("A.here", 4, 4)]
    with pytest.raises(TargetError, match=r"Did you mean|It defines: A\.here"):
        make_target(source, "A.gone")


def test_without_a_function_the_file_has_to_define_one_or_be_the_program(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("print(input())\n")
    with pytest.raises(TargetError, match="--cases"):
        find_target(path, None)
    whole = find_target(path, None, whole_program=True)
    assert (whole.function, whole.first_line, whole.last_line) == (None, 1, 1)
    assert function_source(whole) == "print(input())\n"


def test_a_target_moves_along_with_its_function(make_target: MakeTarget) -> None:
    target = make_target("def f():\n    return 1\n", "f")
    moved = with_source(target, "import os\n\n\n" + target.source)
    assert (moved.first_line, moved.last_line) == (4, 5)
    assert function_source(moved) == function_source(target)
    with pytest.raises(TargetError):
        with_source(target, "x = 1\n")


@pytest.mark.parametrize(
    ("file", "packages", "module", "root"),
    [
        ("tool.py", [], "tool", "."),
        ("my-script.py", [], "my_script", "."),
        ("2024 report.py", [], "_2024_report", "."),
        ("class.py", [], "_class", "."),
        ("pkg/sub/mod.py", ["pkg", "pkg/sub"], "pkg.sub.mod", "."),
        ("pkg/__init__.py", ["pkg"], "pkg", "."),
        ("pkg/__main__.py", ["pkg"], "pkg.__main__", "."),
        ("my-pkg/mod.py", ["my-pkg"], "mod", "my-pkg"),
        ("src/pkg/mod.py", ["src/pkg"], "pkg.mod", "src"),
        ("src/spaced/pkg/mod.py", ["src/spaced/pkg"], "spaced.pkg.mod", "src"),
    ],
)
def test_the_import_name_follows_packages_and_source_folders(
    tmp_path: Path, file: str, packages: list[str], module: str, root: str
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    for package in packages:
        (tmp_path / package / "__init__.py").write_text("x = 1\n")
    path.write_text("def f():\n    return 1\n")
    target = find_target(path, "f")
    assert (target.module, target.import_root) == (module, str((tmp_path / root).resolve()))
    assert target.project_root == str(tmp_path)


def test_a_made_up_module_name_is_not_a_neighbours(tmp_path: Path) -> None:
    (tmp_path / "my_script.py").write_text("x = 1\n")
    (tmp_path / "my-script.py").write_text("def f():\n    return 1\n")
    assert find_target(tmp_path / "my-script.py", "f").module == "my_script_"
