"""The module that the cells of a notebook make together."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from afterburner.agent import UsageError
from afterburner.agent.code.text_edits import TextEdit, apply_edits
from afterburner.lsp_server.text.documents import Documents
from afterburner.lsp_server.text.magics import as_python
from afterburner.lsp_server.text.modules import module_of
from afterburner.lsp_server.text.notebook_text import NotebookText

if TYPE_CHECKING:
    from pathlib import Path

FUNCTION = "def f(a):\n    return a"
MAIN = 'if __name__ == "__main__":\n'


def module(*cells: str, function: str | None = "f") -> NotebookText:
    return NotebookText.of({f"cell:{number}": text for number, text in enumerate(cells)}, function)


def written(*cells: str, function: str | None = "f") -> str:
    """The module without the function itself."""
    return module(*cells, FUNCTION, function=function).text.removesuffix(f"{FUNCTION}\n")


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("", ""),
        ("\n\n", "\n\n"),
        ("x = 1", "x = 1\n"),
        ("%matplotlib inline\n!ls -l\n?f\nf?\nf??\n", "# %matplotlib inline\n# !ls -l\n# ?f\n# f?\n# f??\n"),
        ("files = !ls *.csv\nn = %env HOME\na != b\n", "# files = !ls *.csv\n# n = %env HOME\na != b\n"),
        ("%time f(1)\n%timeit -n 3 -r2 -q f(2)\n", "f(1)\nf(2)\n"),
        ("%lprun -f f f(3)\n%prun -s cumulative f(4)\n%time\n", "f(3)\nf(4)\n# %time\n"),
        ("for x in y:\n    %time f(x)\n    !ls\n", "for x in y:\n    f(x)\n    pass  # !ls\n"),
        ("!ls \\\n  -l\nx = 1\n", "# !ls \\\n#   -l\nx = 1\n"),
        ("x = (5\n     % 3)\n", "x = (5\n     % 3)\n"),
        ("x = '''\n%time\n!ls\n'''\n%time f(x)\n", "x = '''\n%time\n!ls\n'''\nf(x)\n"),
        ("%%time\nf(1)\n", "# %%time\nf(1)\n"),
        ("\n%%capture out\nf(1)", "\n# %%capture out\nf(1)\n"),
        ("%%bash\n# list\nls\n", "# %%bash\n# list\n# ls\n"),
        ("%%writefile f.py\ndef f(): pass", "# %%writefile f.py\n# def f(): pass\n"),
        ("x = 1\r\n!ls\r\n", "x = 1\r\n# !ls\r\n"),
    ],
)
def test_a_cell_without_magics_has_the_same_lines(cell: str, python: str) -> None:
    assert as_python(cell) == python


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("import a\nfrom b import c\n\n\nclass D:\n    pass\n", None),
        ("SIZE = 3\nNAMES = ('a', 'b')\nPoint = namedtuple('Point', 'x y')\n", None),
        ("try:\n    import a\nexcept ImportError:\n    a = None\n", None),
        ("if SOME:\n    import a\n", None),
        ("print(f(1))\n", f"{MAIN}    print(f(1))\n"),
        ("x = f(1)\nx", f"{MAIN}    x = f(1)\n    x\n"),
        ("n = 1\nf(n)\nn = 2\nf(n)\n", f"{MAIN}    n = 1\n    f(n)\n    n = 2\n    f(n)\n"),
        # The lines of a string are data.
        ('f("""a\n  b\n""")\n', f'{MAIN}    f("""a\n  b\n""")\n'),
        ("f(\n  1,\n)\n", f"{MAIN}    f(\n      1,\n    )\n"),
        ("import a; a.b()\n", None),
        # Where imports look comes before them, with what it needs.
        (
            "import sys\nfrom pathlib import Path\nHERE = Path.cwd()\nx = g()\nsys.path.append(str(HERE))\n",
            f"import sys\nfrom pathlib import Path\nHERE = Path.cwd()\n{MAIN}    x = g()\nsys.path.append(str(HERE))\n",
        ),
        # A definition that needs the notebook's work is part of it.
        (
            "app = make()\n\n\n@app.route\ndef page():\n    return f(1)\n",
            f"{MAIN}    app = make()\n\n\n    @app.route\n    def page():\n        return f(1)\n",
        ),
        ("display(f(1))\n", f"display = print\n{MAIN}    display(f(1))\n"),
        (
            "from IPython.display import display\ndisplay(1)\n",
            f"from IPython.display import display\n{MAIN}    display(1)\n",
        ),
        ("get_ipython().magic('x')\nf(1)\n", f"# get_ipython().magic('x')\n{MAIN}    f(1)\n"),
        (
            "from __future__ import annotations\nimport a\n",
            "from __future__ import annotations\n# from __future__ import annotations\nimport a\n",
        ),
    ],
)
def test_definitions_stand_at_the_top_level_and_work_in_a_main_block(cell: str, text: str | None) -> None:
    assert written(cell) == (cell if text is None else text)


def test_what_the_function_needs_stands_at_the_top_level() -> None:
    functions = (
        "def helper(data):\n    return data + limit\n\n\n"
        "def f(data):\n    return [helper(x) for x in data if x in cache]\n\n\n"
        "def plot():\n    return unused\n"
    )
    cells = (
        "data = load()\nrates = load()\nlimit = most(rates)\nunused = load()\n",
        "cache = {}\ncache[0] = limit\ncache.update(x=1)\n",
        functions,
        "unused.sort()\nf(data)\n",
    )
    made = module(*cells)
    assert made.text == (
        f"{MAIN}    data = load()\nrates = load()\nlimit = most(rates)\n{MAIN}    unused = load()\n"
        f"cache = {{}}\ncache[0] = limit\ncache.update(x=1)\n{functions}{MAIN}    unused.sort()\n    f(data)\n"
    )
    whole = module(*cells, function=None)
    assert "\nunused = load()\n" in whole.text, "any function may be the hottest one"


def test_what_awaits_runs_in_an_event_loop(tmp_path: Path) -> None:
    made = module(
        "import asyncio\n\n\nasync def fetch(a):\n    await asyncio.sleep(0)\n    return a\n",
        "found = await fetch('''\n  1\n''')\nasync with asyncio.Lock():\n    more = [await fetch(x) for x in (1, 2)]\n",
        "seen = found, more\n",
        function="fetch",
    )
    path = tmp_path / "module.py"
    path.write_text(made.text)
    assert "seen" not in runpy.run_path(str(path))
    assert runpy.run_path(str(path), run_name="__main__")["seen"] == ("\n  1\n", [1, 2])


def test_a_cell_that_does_not_parse_is_left_out() -> None:
    made = module("\nfor x in:\n    pass\n", "return 3\n", FUNCTION)
    assert made.text == f"\n# for x in:\n#     pass\n# return 3\n{FUNCTION}\n"
    assert made.left_out == [
        "The cell that begins with `for x in:` was left out: it does not parse, line 2: invalid syntax.",
        "The cell that begins with `return 3` was left out: it does not parse, line 1: 'return' outside function.",
    ]


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["def f(a):\n    return (\n"], "The cell of f does not parse, line 2"),
        (["x = 1\n"], "No cell defines f any more"),
        (["def f(a):\n    %time a\n    return a\n"], "f holds a magic"),
        (["async with g():\n    def f(a):\n        return a\n"], "f is defined in a block that awaits"),
    ],
)
def test_there_is_no_module_without_the_function_as_it_is(cells: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        module(*cells)


@pytest.mark.parametrize(
    ("cell", "rewrite", "expected"),
    [
        (
            "# mine\n\n\n@cache\ndef f(a):\n    return a",
            {"    return a\n": "    return +a\n"},
            "# mine\n\n\n@cache\ndef f(a):\n    return +a\n",
        ),
        # A helper stays right before the function; an import comes to the top of its cell, but below its magic.
        (
            "%%time\ndef f(a):\n    return a\nf(1)\n",
            {"import math\n": "import bisect\nimport math\n", "def f(a):\n": "def help():\n    pass\n\n\ndef f(a):\n"},
            "# %%time\nimport bisect\n\ndef help():\n    pass\n\n\ndef f(a):\n    return a\nf(1)\n",
        ),
        (
            "%%time\ndef f(a):\n    return a\nf(1)\n",
            {"import math\n": "import math\nimport bisect\n"},
            "# %%time\nimport bisect\n\ndef f(a):\n    return a\nf(1)\n",
        ),
        (
            "from __future__ import annotations\ndef f(a):\n    return a\n",
            {"import math\n": "import math\nimport bisect\n"},
            "from __future__ import annotations\nimport bisect\n\ndef f(a):\n    return a\n",
        ),
        # Another cell is not changed.
        (FUNCTION, {"import math\n": "import cmath\n"}, None),
    ],
)
def test_a_rewrite_of_the_module_is_a_change_of_the_cell(
    cell: str, rewrite: dict[str, str], expected: str | None
) -> None:
    made = module("import math\n", cell, "f(2)\n")
    after = made.text
    for old, new in rewrite.items():
        assert after.count(old) == 1
        after = after.replace(old, new)
    change = made.change_to(after, "f")
    assert (change and (change.uri, change.before, change.after)) == (
        expected and ("cell:1", as_python(cell), expected)
    )


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([TextEdit(1, 2, "    return 1\n")], "def f(a):\n    return 1"),
        ([TextEdit(2, 2, "x = 1\n")], "def f(a):\n    return a\nx = 1"),
        ([TextEdit(0, 0, "x = 1\n")], "x = 1\ndef f(a):\n    return a"),
        ([TextEdit(1, 2, "")], "def f(a):\n"),
    ],
)
def test_a_cell_keeps_an_end_without_a_line_end(edits: list[TextEdit], expected: str) -> None:
    documents = Documents(None)
    item = types.TextDocumentItem(
        uri="vscode-notebook-cell:/a.ipynb#W0", language_id="python", version=1, text=FUNCTION
    )
    documents.put_text_document(item, notebook_uri="file:///a.ipynb")
    document = documents.document(item.uri)
    assert document is not None
    assert document.python == f"{FUNCTION}\n"
    assert apply_edits(document.source, document.fitted(edits)) == expected


def test_the_module_lies_beside_the_notebook_under_a_name_of_its_own(tmp_path: Path) -> None:
    notebook = tmp_path / "2 sales-été.ipynb"
    (tmp_path / "_2_sales__t__ipynb.py").touch()
    documents = Documents(None)
    cells = [
        types.TextDocumentItem(
            uri=f"vscode-notebook-cell:{notebook}#W{number}", language_id=language, version=1, text=text
        )
        for number, (language, text) in enumerate(
            [("python", "x = 1"), ("markdown", "# x"), ("r", "x"), ("python", FUNCTION)]
        )
    ]
    documents.put_notebook_document(
        types.DidOpenNotebookDocumentParams(
            notebook_document=types.NotebookDocument(
                uri=notebook.as_uri(),
                notebook_type="jupyter-notebook",
                version=1,
                cells=[types.NotebookCell(kind=types.NotebookCellKind.Code, document=each.uri) for each in cells],
            ),
            cell_text_documents=cells,
        )
    )
    document = documents.document(cells[3].uri)
    assert document is not None
    found = module_of(document, documents)
    assert found.path == str(tmp_path / "_2_sales__t__ipynb_.py")
    assert (found.name, found.word, found.uri) == (notebook.name, "notebook", notebook.as_uri())
    assert [each.source for each in found.documents] == ["x = 1", FUNCTION]
    assert found.text_for("f").text == f"x = 1\n{FUNCTION}\n"
