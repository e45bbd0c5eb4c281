"""The patch holds what changed and nothing else: statements that are the same code keep their lines and comments."""

from __future__ import annotations

import ast
import subprocess
import sysconfig
from difflib import ndiff
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import ruff  # type: ignore[import-untyped]
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from afterburner.agent.code.locate import find_target, function_source, functions_in, with_source
from afterburner.agent.code.source_text import split_lines
from afterburner.agent.code.splice import parse_answer_code, same_code, splice
from afterburner.agent.code.unchanged import keep_unchanged
from afterburner.agent.errors import TargetError
from afterburner.agent.types import Rewrite, Target

if TYPE_CHECKING:
    from collections.abc import Callable

    MakeTarget = Callable[..., Target]

_MAX_BYTES = 40_000
_STDLIB = sorted(
    path
    for path in Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")
    if not {"site-packages", "data", "test", "lib2to3"} & set(path.parts) and 0 < path.stat().st_size < _MAX_BYTES
)


def changes(old: str, new: str) -> list[str]:
    return [line for line in ndiff(split_lines(old), split_lines(new)) if line[0] in "+-"]


def squeezed(code: str) -> str:
    """The code as another house would lay it out, comments and all."""
    style = ["--config", 'format.quote-style="single"', "--config", "line-length=60", "--config", "indent-width=2"]
    command = [ruff.find_ruff_bin(), "format", "--isolated", "--no-cache", "--quiet", *style, "-"]
    return subprocess.run(command, input=code.encode(), capture_output=True, check=True).stdout.decode()


def any_function(data: st.DataObject) -> Target:
    path = data.draw(st.sampled_from(_STDLIB))
    try:
        names = [name for name, *_ in functions_in(find_target(path, None, whole_program=True).source)]
        assume(names)
        return find_target(path, data.draw(st.sampled_from(names)))
    except TargetError:  # empty files, files in other encodings than they say
        assume(False)
        raise


@settings(max_examples=25, deadline=None)
@given(st.data(), st.sampled_from([squeezed, lambda code: ast.unparse(ast.parse(code))]))
@pytest.mark.nightly
def test_a_real_function_that_was_only_laid_out_anew_leaves_no_difference(
    data: st.DataObject, style: Callable[[str], str]
) -> None:
    target = any_function(data)
    rewrite = parse_answer_code(style(function_source(target)), target)
    assume(same_code(rewrite.function, function_source(target)))  # a style may change what a docstring holds
    assert splice(target, rewrite) == target.source


@settings(max_examples=30, deadline=None)
@given(st.data(), st.sampled_from([squeezed, lambda code: ast.unparse(ast.parse(code))]))
@pytest.mark.nightly
def test_one_new_statement_in_a_real_function_is_one_new_line(data: st.DataObject, style: Callable[[str], str]) -> None:
    """Wherever it goes, however deep: every other line stays byte for byte."""
    target = any_function(data)
    code = function_source(target)
    assume(";" not in code)
    tree = ast.parse(code)
    blocks = [
        node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.For | ast.While | ast.With)
    ]
    block = data.draw(st.sampled_from([each for each in blocks if each[0].lineno != each[-1].end_lineno] or [None]))
    assume(block is not None)
    assert block is not None
    block.insert(data.draw(st.integers(1, len(block))), ast.parse("brand_new = 1").body[0])
    meant = ast.unparse(tree)
    rewrite = parse_answer_code(style(meant), target)
    assume(same_code(rewrite.function, meant))
    text = splice(target, rewrite)
    assert same_code(function_source(with_source(target, text)), meant)
    got = changes(target.source, text)
    assert [line.split() for line in got if line.startswith("+") and line[2:].strip()] == [["+", "brand_new", "=", "1"]]
    assert [line for line in got if line.startswith("-") and line[2:].strip()] == []


OLD = '''\
@wraps( f )
@other("x", )
def total(rows, *, by = None):  # why   so
    """Total.

    Of all.
    """
    # first the names
    seen = [ ]   # a list
    text = 'a' "b"
\tpass_through = 1
    for row in rows:   # each row
        # known already?
        if row in seen :   # slow
            again( row )   # keep
            # end of if
        elif row is None:
            # nothing
            continue
        else:
            seen.append(row)
        # end of loop

    # now the result
    with open( "é" ) as file, lock:
        try:
            return { 'seen': seen,   # aligned
                     "by"  : by }
        except (KeyError,
                ValueError) as error:
            raise   # on
        finally:
            # close
            file.close( )
    # the end
'''.replace("\t", "    ")
NEW = '''\
@wraps(f)
@other('x')
def total(rows, *, by=None):
    """Total.

    Of all.
    """
    # Use a set for O(1) lookups
    seen = []
    known = set()  # fast
    text = "ab"
    pass_through = 1
    for row in rows:
        # check
        if row in known:
            again(row)
        elif row is None:
            continue
        else:
            seen.append(row)
            known.add(row)
    with open("é") as file, lock:
        try:
            return {"seen": seen, "by": by}
        except (KeyError, ValueError) as error:
            raise
        finally:
            file.close()
'''
WANTED = (
    OLD.replace("    text =", "    known = set()  # fast\n    text =")
    .replace(
        "        # known already?\n        if row in seen :   # slow\n",
        "        # check\n        if row in known:\n",
    )
    .replace("            seen.append(row)\n", "            seen.append(row)\n            known.add(row)\n")
)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("indent", ["    ", "  ", "\t"])
@pytest.mark.parametrize("in_class", [False, True])
def test_only_the_statements_that_changed_are_the_models(
    make_target: MakeTarget, end: str, indent: str, in_class: bool
) -> None:
    def laid(code: str) -> str:
        if in_class:
            code = "class A:\n" + "".join(f"    {line}" if line.strip() else line for line in split_lines(code))
        return code.replace("    ", indent).replace("\n", end)

    if in_class:  # what a docstring holds is data; a rewrite brings it as the file has it
        old, new, wanted = (
            each.replace('"""Total.\n\n    Of all.\n    """', '"""Total."""') for each in (OLD, NEW, WANTED)
        )
    else:
        old, wanted = OLD, WANTED
        new = NEW.replace("Of all.\n    ", f"Of all.\n{indent}").replace("    Of all", f"{indent}Of all")
    name = "A.total" if in_class else "total"
    target = make_target(laid(old) + f"after = 1{end}", name)
    assert splice(target, Rewrite(new)) == laid(wanted) + f"after = 1{end}"


def kept(old: str, new: str) -> str:
    return "".join(keep_unchanged(split_lines(old), split_lines(new), "\n"))


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        # two statements in one line, and blocks in the header's line, are one piece each
        ("a=1; b=2\nc=3\n", "a = 1\nb = 2\nc = 3\n", "a=1; b=2\nc=3\n"),
        ("a=1; b=2\nc=3\n", "a = 1\nb = 2\nc = 4\n", "a = 1\nb = 2\nc = 4\n"),
        ("if x : a ( )\nb=1\n", "if x:\n    a()\nb = 2\n", "if x : a ( )\nb = 2\n"),
        # `else: if` is the same code as `elif`
        ("if x :\n  a\nelse:\n  if y:\n    b\nc=1\n", "if x:\n    a\nelif y:\n    b\nc = 2\n",
         "if x :\n  a\nelse:\n  if y:\n    b\nc = 2\n"),
        # an inner function, and a block whose depth differs
        ("def g( ):\n  # why\n  x = [ ]\n  return x\n", "def g():\n    x = []\n    y = 1\n    return x\n",
         "def g( ):\n  # why\n  x = [ ]\n  y = 1\n  return x\n"),
        # what a string holds is data, also where lines are moved
        ("if a :\n  x = 1\n  y = 2\n", "if a:\n    x = '''\n    z'''\n    y = 2\n",
         "if a :\n  x = '''\n    z'''\n  y = 2\n"),
        # cases of a match
        ("match a :\n  case  1:\n    b( )\n  case  _:\n    c( )\n",
         "match a:\n  case 1:\n    b()\n  case _:\n    d()\n",
         "match a :\n  case  1:\n    b( )\n  case  _:\n    d()\n"),
        # comments go with the statement above which they stand; those of a block that is gone go too
        ("for a in b:\n    c\n    # of c\n# of d\nd ( )\n", "e()\nd()\n", "e()\n# of d\nd ( )\n"),
        # only comments differ, or nothing is left alike
        ("# a\nx = 1\n", "# b\nx = 1\n", "# a\nx = 1\n"),
        ("x = 1\n# last\n", "y = 1\n# new\n", "y = 1\n# new\n"),
        ("a = 1\nb = 2", "b = 2\na = 1\n", "b = 2\na = 1\n"),
        ("async def f( ):\n  async for a in b :\n    c ( )\n",
         "async def f():\n  async for a in b:\n    c()\n    d()\n",
         "async def f( ):\n  async for a in b :\n    c ( )\n    d()\n"),
        # not Python, or not to be taken apart: as it came
        ("x = (\n", "x = 1\n", "x = 1\n"),
    ],
)  # fmt: skip
def test_what_counts_as_unchanged(old: str, new: str, wanted: str) -> None:
    assert kept(old, new) == wanted


CODE = st.recursive(
    st.sampled_from(["a = 1", "b( 'x' )", 'c = {"k" : 2}', "return", "pass", "d = '''\nq'''", "# note", ""]),
    lambda inner: st.tuples(
        st.sampled_from(["if x :", "for i in y:", "while z :", "with w as v:", "def g( ) :", "try :", "class K :"]),
        st.lists(inner, max_size=3),
        st.booleans(),
    ),
    max_leaves=12,
)


def written(parts: list[object], depth: int = 0) -> str:
    lines = ""
    for part in parts:
        if isinstance(part, str):
            lines += " " * depth + part + "\n"
            continue
        header, body, has_else = part  # type: ignore[misc]
        inside = written([*body, "end"], depth + 3)
        lines += " " * depth + f"{header}\n{inside}"
        if header.startswith("try"):
            lines += " " * depth + f"except E :\n{inside}"
        if has_else and header.startswith(("if", "for", "while", "try")):
            lines += " " * depth + f"else :\n{inside}"
    return lines


@settings(max_examples=150, deadline=None)
@given(st.lists(CODE, max_size=5), st.lists(CODE, max_size=5))
def test_the_result_is_always_the_code_of_the_rewrite(old: list[object], new: list[object]) -> None:
    before, after = written(old), written(new)
    assert ast.dump(ast.parse(kept(before, after))) == ast.dump(ast.parse(after))
    unparsed = ast.unparse(ast.parse(after)) + "\n"
    assert kept(after, unparsed) == after
    assert kept(after + "y ( )\nx = 1\n", unparsed + "y()\nx = 2\n") == after + "y ( )\nx = 2\n"
