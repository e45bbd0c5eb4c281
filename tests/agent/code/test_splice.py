"""Putting a rewrite in place: the function changes, nothing else does."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.agent.code.locate import find_target, function_source, functions_in, with_source
from afterburner.agent.code.splice import RewriteError, same_code, splice
from afterburner.agent.errors import ProposerError, TargetError
from afterburner.agent.types import Rewrite, Target

if TYPE_CHECKING:
    from collections.abc import Callable

    MakeTarget = Callable[..., Target]

_MAX_BYTES = 60_000  # larger files take long and show nothing else
_STDLIB = sorted(
    path
    for path in Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")
    if not {"site-packages", "data", "test"} & set(path.parts) and 0 < path.stat().st_size < _MAX_BYTES
)


@settings(max_examples=20, deadline=None)
@given(st.data())
@pytest.mark.nightly
def test_putting_a_function_back_leaves_real_files_byte_for_byte(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(_STDLIB))
    try:
        whole = find_target(path, None, whole_program=True)
        names = [name for name, *_ in functions_in(whole.source)]
    except TargetError:  # empty files, files in other encodings than they say
        return
    if names:
        target = with_source(find_target(path, data.draw(st.sampled_from(names))), whole.source)
        again = splice(target, Rewrite(function_source(target)))
        assert again.encode(target.encoding) == path.read_bytes()


CLASS = '''\
#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""A module."""
from __future__ import annotations
import sys

import numpy


# belongs to Table
@decorate
class Table(Base):
    # of the class
    x   =  1

    @staticmethod
    def join(rows, sep=", ", *, end: str = ""):  # odd   spacing
        """Join.

        Indented text.
        """
        text = """raw
  data"""
        # keep this comment
        for row in rows:
            text += row   # and this
        return text
        # the end

    def after(self): return   1


print( Table )
'''


def test_only_the_methods_own_lines_change(make_target: MakeTarget) -> None:
    target = make_target(CLASS, "Table.join")
    rewrite = Rewrite(
        '@staticmethod\ndef join(rows, sep=", ", *, end=""):\n'
        '    text = """raw\n  data"""\n'
        "    # keep this comment\n"
        "    return _GLUE.join([text, *chain(rows)])\n",
        imports=("import re", "from itertools import chain", "import sys"),
        helpers=("_GLUE = ''", "def _help():\n    return re"),
    )
    head, _, _ = CLASS.partition("# belongs")
    assert splice(target, rewrite) == (
        head.replace("import sys\n", "import re\nimport sys\nfrom itertools import chain\n")
        + "_GLUE = ''\n\n\ndef _help():\n    return re\n\n\n"
        "# belongs to Table\n@decorate\nclass Table(Base):\n    # of the class\n    x   =  1\n\n"
        '    @staticmethod\n    def join(rows, sep=", ", *, end: str = ""):  # odd   spacing\n'
        '        """Join.\n\n        Indented text.\n        """\n'
        '        text = """raw\n  data"""\n'
        "        # keep this comment\n"
        "        return _GLUE.join([text, *chain(rows)])\n"
        "\n    def after(self): return   1\n\n\nprint( Table )\n"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_and_the_missing_last_one_stay(make_target: MakeTarget, end: str, last: bool) -> None:
    source = end.join(["import os", "", "def f(x):", "\treturn [", "\t\tx]"]) + (end if last else "")
    target = make_target(source, "f")
    got = splice(target, Rewrite("def f(x):\n    if x:\n        return (x,)\n    return []\n", ("import re",)))
    lines = ["import os", "import re", "", "def f(x):", "\tif x:", "\t\treturn (x,)", "\treturn []"]
    assert got == end.join(lines) + (end if last else "")


def test_lines_of_another_kind_keep_their_own_ends(make_target: MakeTarget) -> None:
    source = "a = 1\r\ndef f():\n    b = 2\r\n    return b\n\rc = 3"
    target = make_target(source, "f")
    assert splice(target, Rewrite("def f():\n    b = 2\n    return 2\n")) == source.replace("return b", "return 2")


@pytest.mark.parametrize(
    ("head", "imports", "expected"),
    [
        ("", ("import re",), "import re\n\n\n"),
        ("#!/bin/sh\n", ("import re",), "#!/bin/sh\nimport re\n\n\n"),
        ("# about f\n", ("import re",), "import re\n\n\n# about f\n"),
        ("# Licence\n\n", ("import re",), "# Licence\n\nimport re\n\n\n"),
        ('"""Doc."""\n', ("import re",), '"""Doc."""\n\nimport re\n\n\n'),
        ('"""Doc."""\n\n\n', ("import re",), '"""Doc."""\n\nimport re\n\n\n'),
        (
            "from __future__ import annotations\n\n",
            ("import re",),
            "from __future__ import annotations\n\nimport re\n\n",
        ),
        ("import os\n\n", ("import re", "import re"), "import os\nimport re\n\n"),
        ("import re\n\n", ("import re",), "import re\n\n"),
        ("import re\n\n", ("import re as r",), "import re\nimport re as r\n\n"),
        ("import zlib\n\n", ("import re", "import abc"), "import abc\nimport re\nimport zlib\n\n"),
        ("import numpy\n\n", ("import re",), "import re\n\nimport numpy\n\n"),
        ("import os; x = [\n1]\n", ("import re",), "import os; x = [\n1]\nimport re\n"),
        ("import os.path\n", ("import os",), "import os\nimport os.path\n"),
        ("import os\n", ("import os.path",), "import os\nimport os.path\n"),
        (
            "from collections import (\n    abc,\n)\n",
            ("from collections import deque, abc", "from collections import OrderedDict", "import collections"),
            "import collections\nfrom collections import (\n    abc,\n)\nfrom collections import OrderedDict, deque\n",
        ),
    ],
)
def test_missing_imports_go_among_the_others(
    make_target: MakeTarget, head: str, imports: tuple[str, ...], expected: str
) -> None:
    body = "def f():\n    return 1\n"
    target = make_target(head + body, "f")
    assert splice(target, Rewrite(body, imports)) == expected + body


def test_an_import_below_the_function_is_not_relied_upon(make_target: MakeTarget) -> None:
    source = "def f():\n    return 1\n\n\nimport functools\n"
    target = make_target(source, "f")
    got = splice(target, Rewrite("@functools.cache\ndef f():\n    return 1\n", ("import functools",)))
    assert got == "import functools\n\n\n@functools.cache\n" + source


@pytest.mark.parametrize(
    ("rewrite", "message"),
    [
        (Rewrite("def f(x, y=1, *a, k, **o):\n"), "not Python"),
        (Rewrite("x = 1\n"), "exactly one function"),
        (Rewrite("def f(x, y=1, *a, k, **o): pass\ndef g(): pass\n"), "exactly one function"),
        (Rewrite("def g(x, y=1, *a, k, **o): pass\n"), "called g, not f"),
        (Rewrite("async def f(x, y=1, *a, k, **o): pass\n"), "`async def`"),
        (Rewrite("def f(x, y=2, *a, k, **o): pass\n"), r"from \(x, y=1, \*a, k, \*\*o\) to \(x, y=2"),
        (Rewrite("def f(x, /, y=1, *a, k, **o): pass\n"), "parameters"),
        (Rewrite("def f(x, y=1, *a, k=None, **o): pass\n"), "parameters"),
        (Rewrite("def f(x): pass\n"), "parameters"),
        (Rewrite("", imports=("import re",)), "exactly one function"),
        (Rewrite("F", imports=("from m import *",)), "could change what any name"),
        (Rewrite("F", imports=("from __future__ import annotations",)), "whole module"),
        (Rewrite("F", imports=("import numpy as os",)), "os already means something else"),
        (Rewrite("F", imports=("from m import taken",)), "taken already means something else"),
        (Rewrite("F", imports=("from m import made_global",)), "made_global already means"),
        (Rewrite("F", imports=("from numpy import sum",)), "hide the builtin sum"),
        (Rewrite("F", imports=("x = 1",)), "is not one"),
        (Rewrite("F", imports=("import",)), "not Python"),
        (Rewrite("F", helpers=("taken = 2",)), "would replace what taken"),
        (Rewrite("F", helpers=("def sorted(x): pass",)), "hide the builtin sorted"),
        (Rewrite("F", helpers=("print(1)",)), "defines nothing"),
        (Rewrite("F", helpers=("new = 1", "new = 2")), "would replace what new"),
        (Rewrite("F", imports=("import re",), helpers=("re = 2",)), "would replace what re"),
        (Rewrite("F", helpers=('x = """',)), "not Python"),
    ],
)
def test_a_rewrite_that_does_not_fit_is_refused_with_the_reason(
    make_target: MakeTarget, rewrite: Rewrite, message: str
) -> None:
    code = "def f(x, y=1, *a, k, **o):\n    return x\n"
    source = f"import os\ntaken = 1\ndef g():\n    global made_global\n    made_global = 1\n{code}"
    target = make_target(source, "f")
    function = code if rewrite.function == "F" else rewrite.function
    with pytest.raises(RewriteError, match=message) as caught:
        splice(target, Rewrite(function, rewrite.imports, rewrite.helpers))
    assert isinstance(caught.value, ProposerError)
    assert isinstance(caught.value, TargetError)
    assert caught.value.exit_code == 1


def test_decorators_stay_and_more_may_come(make_target: MakeTarget) -> None:
    target = make_target("@a\n@b(1)\ndef f(x: int) -> int:\n    return x\n", "f")
    assert splice(target, Rewrite("@a\n@cache\n@b(1)\ndef f(x):\n    return x\n")).startswith("@a\n@cache\n@b(1)\n")
    for kept in ("@a\n", "@b(1)\n@a\n", "@a\n@b(2)\n"):
        with pytest.raises(RewriteError, match="drops the decorator @"):
            splice(target, Rewrite(kept + "def f(x):\n    return x\n"))


def test_a_helper_that_is_there_already_is_not_added_again(make_target: MakeTarget) -> None:
    source = "_WORD = 1\ndef f():\n    return 1\n"
    target = make_target(source, "f")
    assert splice(target, Rewrite("def f():\n    return 1\n", helpers=("_WORD  =  1",))) == source
    below = make_target("def f():\n    return 1\n_WORD = 1\n", "f")
    with pytest.raises(RewriteError, match="_WORD"):
        splice(below, Rewrite("def f():\n    return _WORD\n", helpers=("_WORD = 1",)))


def test_helpers_of_a_nested_place_go_before_the_top_level_statement(make_target: MakeTarget) -> None:
    source = "x = 1\n# why\nif x:\n    class A:\n        def f(self): return 1\n"
    target = make_target(source, "A.f")
    got = splice(target, Rewrite("def f(self): return _K", helpers=("    _K = 1",)))
    assert got == "x = 1\n\n_K = 1\n\n# why\nif x:\n    class A:\n        def f(self): return _K\n"


def test_a_rewrite_that_was_not_dedented_is_put_right(make_target: MakeTarget) -> None:
    target = make_target("class A:\n  def f(self):\n    return 1\n", "A.f")
    assert splice(target, Rewrite("\n    def f(self):\n        return 2\n\n")) == (
        "class A:\n  def f(self):\n    return 2\n"
    )


def test_the_files_encoding_limits_and_survives_a_rewrite(make_target: MakeTarget) -> None:
    target = make_target("# coding: latin-1\ndef f():\n    return 'é'\n".encode("latin-1"), "f")
    assert "'ü'" in splice(target, Rewrite("def f():\n    return 'ü'\n"))
    with pytest.raises(RewriteError, match="iso-8859-1 lacks"):
        splice(target, Rewrite("def f():\n    return '\u2192'\n"))
    whole = make_target("# coding: latin-1\nprint('é')\n".encode("latin-1"), None)
    with pytest.raises(RewriteError, match="coding declaration"):
        splice(whole, Rewrite("print('é', 1)\n"))


def test_a_whole_program_is_replaced_as_a_whole(make_target: MakeTarget) -> None:
    target = make_target(b'"""Doc."""\r\nimport sys\r\nprint(1)\r\n', None)
    assert splice(target, Rewrite("print(2)")) == "print(2)\r\n"
    assert splice(target, Rewrite(target.source, ("import re",), ("_X = re",))) == (
        '"""Doc."""\r\nimport re\r\nimport sys\r\n\r\n_X = re\r\n\r\nprint(1)\r\n'
    )
    with pytest.raises(RewriteError, match="program is not Python, line 1"):
        splice(target, Rewrite("print("))


@given(st.sampled_from(["\n", "\r\n"]), st.text("ab #'\"\\\n\t{}", max_size=30))
def test_whatever_a_string_holds_survives_the_move_into_a_class(end: str, content: str) -> None:
    plain = content.replace("'", "").replace("\\", "")
    function = f"def f(self):\n    x = {content!r}\n    y = '''a\n{plain}'''\n    return x, y\n"
    source = f"class A:{end}    def f(self):{end}        return 1{end}"
    target = Target("/m.py", source, "A.f", "m", "/", "/", first_line=2, last_line=3)
    meant = ast.dump(ast.parse(function).body[0])
    got = ast.parse(splice(target, Rewrite(function))).body[0]
    assert isinstance(got, ast.ClassDef)
    assert ast.dump(got.body[0]) == meant


def test_the_same_code_is_recognised_whatever_its_layout() -> None:
    assert same_code("x = (1)  # one\n", "x=1")
    assert not same_code("x = 1", "x = 2")
    assert same_code("not python (", "not python (")
    assert not same_code("not python (", "not python [")
