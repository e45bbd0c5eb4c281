"""Functions in the cells of notebooks, against a real server; one of them is optimised in the real sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from editor_client import PAIRS, VS_CODE, ServerError, wait_until
from notebook_client import Notebook

from afterburner.lsp_server.text.rebase import text_of_function

if TYPE_CHECKING:
    from pathlib import Path

    from editor_client import Editor, StartEditor

NOTEBOOKS = {**VS_CODE, "notebookDocument": {"synchronization": {"executionSummarySupport": True}}}
IMPORTS = "%matplotlib inline\nimport math\n\nTOTAL = 1400\n"
PAIRS_CELL = (text_of_function(PAIRS, "pairs") or "").rstrip(
    "\n"
)  # editors leave the last line of a cell without an end
CALLS = """\
%%time
numbers = list(range(0, 1500, 2))
text = '''
    kept as it is
'''
for total in (TOTAL, 3):
    print(len(pairs(numbers, total)), text)
display(pairs([1, 2, 1], 3))"""
BROKEN = "for number in:\n    pass"
RUNS = {"time", "memory", "integral"}


@pytest.fixture
def uri(project: Path) -> str:
    return (project / "analysis.ipynb").as_uri()


def told(editor: Editor, what: str) -> str:
    return str(editor.wait("window/showMessage", lambda params: what in params["message"])["message"])


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.nightly
def test_a_function_of_a_cell_is_optimised_on_the_calls_of_another(
    start_editor: StartEditor, project: Path, uri: str
) -> None:
    editor = start_editor(NOTEBOOKS, settings={"iterations": 1, "max_seconds": 90}, answers=("Run it in the sandbox",))
    notebook = Notebook(editor, uri, IMPORTS, PAIRS_CELL, BROKEN, CALLS)
    first, function, *_ = notebook.cells
    editor.choose(editor.actions(function, 3)["time"])
    editor.wait("$/progress", lambda params: params["value"]["kind"] == "report")
    above = notebook.insert(0, "import os\n")
    typed = "# mine\n\n\n" + PAIRS_CELL
    editor.type(function, typed)
    said = told(editor, "Optimizing pairs")
    assert "CPU time improved" in said, said
    assert "Applied. Undo restores the original." in said
    assert "The cell that begins with `for number in:` was left out: it does not parse, line 1" in said
    [edit] = editor.edits
    [change] = edit["documentChanges"]
    assert change["textDocument"] == {"uri": function, "version": 2}
    assert all(each["range"]["start"]["line"] > 4 for each in change["edits"]), "no more than what changes"
    now = editor.buffers[function].text
    assert now.startswith("# mine\n\n\ndef pairs(numbers, total):\n")
    assert not now.endswith("\n"), "the cell ends as it did"
    assert (editor.buffers[above].text, editor.buffers[first].text) == ("import os\n", IMPORTS)
    assert not list(project.glob("*.py")), "the module of the notebook is never on the disk"
    asked = editor.wait("workspace/configuration")["items"]
    assert asked == [{"scopeUri": uri, "section": "afterburner"}]

    # What one sees of it, and the way back.
    gain, report, revert = editor.request("textDocument/codeLens", {"textDocument": {"uri": function}})
    assert gain["range"]["start"]["line"] == 3
    hover = {"textDocument": {"uri": function}, "position": {"line": 3, "character": 4}}
    assert r"captured from \_\_main\_\_" in editor.request("textDocument/hover", hover)["contents"]["value"]
    editor.choose(report)
    editor.wait("window/showDocument")
    editor.choose(revert)
    assert wait_until(lambda: editor.buffers[function].text == typed)

    # The cell moves: what is kept still fits. It is not made where the function is another one, or the cell is stale.
    notebook.move(function, 0)
    again = editor.actions(function, 4)["apply"]
    editor.choose(again)
    assert wait_until(lambda: editor.buffers[function].text == now)
    editor.type(function, typed)
    editor.while_asked["workspace/applyEdit"] = lambda: editor.type(function, "# late\n" + typed)
    editor.choose(again)
    told(editor, "The rewrite was not applied:")
    assert editor.buffers[function].text == "# late\n" + typed
    editor.type(function, typed.replace("found = []", "found = list()"))
    assert "apply" not in editor.actions(function, 4)
    editor.choose(again)
    told(editor, "so the rewrite was not applied")
    assert editor.quit() == 0


def test_the_actions_of_cells(start_editor: StartEditor, uri: str) -> None:
    editor = start_editor(NOTEBOOKS)
    selector = editor.server["capabilities"]["notebookDocumentSync"]["notebookSelector"]
    assert selector == [{"notebook": "*", "cells": [{"language": "python"}]}]
    notebook = Notebook(
        editor, uri, PAIRS_CELL, "%%bash\ndef pairs(x):\n", "class A:\n    def m(self):\n        pass", CALLS
    )
    cells = list(notebook.cells)
    actions = editor.actions(cells[0], 3)
    assert actions.keys() == RUNS | {"hottest"}, "a commit has no module of a notebook to compare with"
    assert actions["hottest"]["title"] == "Optimize the hottest function of this notebook"
    assert not editor.actions(cells[1], 1).keys() & RUNS, "a cell in another language has no functions"
    assert editor.actions(cells[2], 1)["time"]["command"]["arguments"][0]["function"] == "A.m"
    later = notebook.insert(4, "def pairs(a, b):\n    return []\n\n\nclass A:\n    pass\n")
    assert "A later cell redefines pairs" in editor.actions(cells[0], 3)["time"]["disabled"]["reason"]
    notebook.move(later, 0)
    assert "disabled" not in editor.actions(cells[0], 3)["time"]
    assert "A later cell redefines pairs" in editor.actions(later, 0)["time"]["disabled"]["reason"]
    assert not [each for each in editor.asked if each["method"] != "window/logMessage"], "listing asks nothing"
    notebook.close()
    assert not editor.actions(cells[0], 3)


def test_what_cannot_be_done_with_a_cell_is_told(start_editor: StartEditor, uri: str) -> None:
    editor = start_editor(NOTEBOOKS, initial={"trusted": True})
    [untitled] = Notebook(editor, "untitled:Untitled-1.ipynb", PAIRS_CELL).cells
    action = editor.actions(untitled, 3)["time"]
    with pytest.raises(ServerError, match=r"Save the notebook Untitled-1\.ipynb first"):
        editor.choose(action)
    timed, broken = Notebook(
        editor, uri, "def slow(a):\n    %time a\n    return a\n", "def typed(a):\n    return (\n"
    ).cells
    argument = {"uri": timed, "function": "slow"}
    for command, match in (("afterburner.prove", "cannot be compared"), ("afterburner.writeCalls", "Call slow in a")):
        with pytest.raises(ServerError, match=match):
            editor.request("workspace/executeCommand", {"command": command, "arguments": [argument]})
    editor.choose(editor.actions(timed, 0)["time"])
    told(editor, "slow holds a magic")
    editor.choose(editor.actions(broken, 0)["time"])
    told(editor, "The cell of typed does not parse, line 2")


@pytest.mark.slow
def test_a_function_that_no_cell_calls_is_told_so(start_editor: StartEditor, uri: str) -> None:
    editor = start_editor(NOTEBOOKS, initial={"trusted": True})
    cells = "def alone(unknown):\n    return unknown.size()\n", "def once(given):\n    return [*given]\n", "once({1})\n"
    uncalled, called, _ = Notebook(editor, uri, *cells).cells
    editor.choose(editor.actions(uncalled, 0)["time"])
    assert "no usable calls of it were found. Call it in a cell" in told(editor, "Optimizing alone")
    editor.choose(editor.actions(called, 0)["time"])
    assert "just one usable call of it was found" in told(editor, "Optimizing once")
