"""Which actions an editor lists, for what is under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from editor_client import PAIRS, ServerError

if TYPE_CHECKING:
    from pathlib import Path

    from editor_client import StartEditor

CODE = """\
class Stock:
    @property
    def size(self):
        return 1

    async def value(self):
        def inner():
            return 1

        return inner()


def value(x):
    return 1


def value(x):
    return 2
"""
RUNS = {"time", "memory", "integral", "prove"}


def test_the_actions_of_a_function(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor()
    uri = editor.open(project / "shop.py", CODE)
    method = editor.actions(uri, 5)
    assert method.keys() == RUNS | {"hottest"}
    assert method["time"]["title"] == "Optimize this function (Stock.value)"
    assert method["memory"]["command"]["arguments"] == [{"uri": uri, "function": "Stock.value", "objective": "memory"}]
    assert editor.actions(uri, 7)["time"]["title"] == "Optimize this function (Stock.value, around inner)"
    why_not = editor.actions(uri, 2)["time"]["disabled"]["reason"]
    assert "Stock.size is a property, which cannot be optimized by itself: a rewrite is judged on calls" in why_not
    assert "Line 17 redefines value" in editor.actions(uri, 13)["time"]["disabled"]["reason"]
    assert editor.actions(uri, 17).keys() == RUNS | {"hottest"}
    assert editor.actions(uri, 14).keys() == {"hottest"}
    asked = {each["method"] for each in editor.asked} - {"window/logMessage"}
    assert asked <= {"workspace/configuration"}, "listing asks nothing; opening asks whether there are to be hints"


def test_only_what_is_asked_for_is_listed(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor()
    uri = editor.open(project / "shop.py", CODE)
    assert editor.actions(uri, 5, only=["refactor.rewrite.afterburner.memory"]).keys() == {"memory"}
    assert editor.actions(uri, 5, only=["refactor"]).keys() == RUNS | {"hottest"}
    assert not editor.actions(uri, 5, only=["quickfix", "refactor.rewrite.after"])


def test_the_actions_follow_what_is_typed(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor()
    uri = editor.open(project / "shop.py", "x = 1\n")
    assert not editor.actions(uri, 0)
    editor.type(uri, "x = (\n\ndef f(a):\n    return a\n")
    assert editor.actions(uri, 3)["time"]["command"]["arguments"][0]["function"] == "f"
    editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert not editor.actions(uri, 3)


def test_a_file_that_was_never_saved_is_not_compared_with_a_commit(start_editor: StartEditor) -> None:
    editor, uri = start_editor(), "untitled:Untitled-1"
    item = {"uri": uri, "languageId": "python", "version": 1, "text": CODE}
    editor.notify("textDocument/didOpen", {"textDocument": item})
    assert editor.actions(uri, 5).keys() == RUNS - {"prove"} | {"hottest"}


def test_a_client_that_declares_nothing_is_listed_the_same(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor({})
    uri = editor.open(project / "pairs.py", PAIRS)
    assert editor.actions(uri, 9).keys() == RUNS | {"hottest"}
    assert editor.quit() == 0


COMMANDS = [
    ("afterburner.optimize", {"uri": "file:///nowhere.py", "function": "f"}, "not open"),
    ("afterburner.optimize", {"function": 3}, "not open"),
    ("afterburner.optimize", {"objective": "speed"}, "no objective 'speed'"),
    ("afterburner.optimize", {"function": 7}, "names no function"),
    ("afterburner.prove", {}, "names no function"),
    ("afterburner.apply", {"function": "pairs"}, "No rewrite of pairs is kept"),
    ("afterburner.revert", {"function": "pairs"}, "No rewrite of pairs is kept"),
    ("afterburner.report", {"function": "pairs"}, "no run of pairs to report on"),
    ("afterburner.report", {}, "no run to report on. Optimize a function first"),
    ("afterburner.nothing", {}, "afterburner.nothing"),
]


def test_a_command_that_cannot_be_meant_says_why(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor()
    uri = editor.open(project / "pairs.py", PAIRS)
    for command, argument, told in COMMANDS:
        given = argument if told == "not open" else {"uri": uri} | argument
        with pytest.raises(ServerError, match=told):
            editor.request("workspace/executeCommand", {"command": command, "arguments": [given]})
    assert editor.actions(uri, 9), "the server goes on"
    assert not [line for line in editor.errors if line.startswith("ERROR:afterburner")]
