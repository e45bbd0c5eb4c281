"""What earlier runs have found is there when a file is opened: after a restart, and from the command line."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from editor_client import NEOVIM, PAIRS, VS_CODE, Editor, wait_until

from afterburner.agent.inputs.choosing import GENERATED
from afterburner.agent.store.sqlite import VERSION, database_path
from afterburner.agent.store.table import open_runs
from afterburner.agent.types import GainRange

if TYPE_CHECKING:
    from pathlib import Path

    from editor_client import StartEditor

pytestmark = pytest.mark.nightly  # they need a whole run; the whole walk of test_runs.py shows a lens after a restart
FUNCTION_LINE = 9
MOVED = '"""Finds pairs, and more."""\n\nSIZE = 3\n'


@pytest.fixture(scope="module")
def run_of_command_line(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder after a run of `pairs` on the command line."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    (folder / "pairs.py").write_text(PAIRS)
    state = folder / "state"
    command = [sys.executable, "-m", "afterburner.agent", "run", "pairs.py", "--function", "pairs", "--iterations", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(state))
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return state


@pytest.fixture
def pairs(run_of_command_line: Path, project: Path) -> Path:
    """A file that the run was of, as its store says, and which is still as it was."""
    path = project / "pairs.py"
    path.write_text(PAIRS)
    shutil.copytree(run_of_command_line, database_path().parent.parent, dirs_exist_ok=True)
    with closing(sqlite3.connect(database_path())) as connection, connection:
        connection.execute("UPDATE runs SET file = ?", (str(path),))
    return path


def rewritten() -> str:
    """The file with the rewrite."""
    with open_runs() as runs:
        result = runs.result(runs.find("latest").run_id)
    assert result is not None
    return result.best_source


def opened(editor: Editor, path: Path, text: str | None = None) -> str:
    """Open a file, and wait until what is stored of it was looked up."""
    editor.asked.clear()
    uri = editor.open(path, text)
    editor.wait("workspace/codeLens/refresh")
    return uri


def lenses(editor: Editor, uri: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return found


@pytest.mark.slow
@pytest.mark.timed
def test_a_run_of_the_command_line_is_offered_and_its_lens_outlives_the_server(
    start_editor: StartEditor, pairs: Path
) -> None:
    editor = start_editor(VS_CODE)
    uri = opened(editor, pairs)
    assert not lenses(editor, uri)
    editor.choose(editor.actions(uri, FUNCTION_LINE)["apply"])
    assert wait_until(lambda: editor.buffers[uri].text == rewritten())
    assert len(lenses(editor, uri)) == 3
    pairs.write_text(editor.buffers[uri].text)  # saved
    assert editor.quit() == 0

    editor = start_editor(VS_CODE)
    uri = opened(editor, pairs)
    above = lenses(editor, uri)
    assert ", proven" in above[0]["command"]["title"]
    assert [each["command"]["title"] for each in above[1:]] == ["report", "revert"]
    place = {"line": above[0]["range"]["start"]["line"], "character": 4}
    hover = editor.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
    assert "held-out" in hover["contents"]["value"]
    editor.choose(above[1])
    page = editor.wait("window/showDocument")["uri"]
    assert "pairs" not in page, "a page of its own"
    here, elsewhere = (
        "This is the report of pairs, the latest run of pairs.py.",
        "This is the report of pairs in pairs.py, the latest run of all open files.",
    )
    for other, told in (
        ({"uri": uri, "function": "lonely"}, f"There is no run of lonely. {here}"),
        ({"uri": uri}, here),
        ({"uri": "file:///none.py"}, elsewhere),
        ({}, elsewhere),
    ):
        editor.asked.clear()
        editor.request("workspace/executeCommand", {"command": "afterburner.report", "arguments": [other]})
        assert editor.wait("window/showDocument")["uri"] == page, "of the latest run"
        said = [each["params"]["message"] for each in editor.asked if each["method"] == "window/showMessage"]
        assert said == [told]
    editor.choose(above[2])
    assert wait_until(lambda: editor.buffers[uri].text == PAIRS)
    assert "apply" in editor.actions(uri, FUNCTION_LINE)
    editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    uri = opened(editor, pairs)
    assert lenses(editor, uri) == above, "what was forgotten with the document is found again"
    assert not [each for each in editor.asked if each["method"] in ("$/progress", "window/showMessageRequest")]


@pytest.mark.slow
@pytest.mark.timed
def test_a_lens_stands_where_its_function_does(start_editor: StartEditor, pairs: Path) -> None:
    editor = start_editor(VS_CODE)
    moved = rewritten().replace('"""Finds pairs."""\n', MOVED)
    uri = opened(editor, pairs, moved)
    assert lenses(editor, uri)[0]["range"]["start"]["line"] == moved.splitlines().index("def pairs(numbers, total):")
    editor.type(uri, moved.replace("    found = []\n", "    found = []  # mine\n"))
    assert not lenses(editor, uri)
    assert "apply" not in editor.actions(uri, FUNCTION_LINE + 2)
    editor.type(uri, PAIRS.replace('"""Finds pairs."""\n', MOVED))
    editor.choose(editor.actions(uri, FUNCTION_LINE + 2)["apply"])
    assert wait_until(lambda: editor.buffers[uri].text == moved)
    other = editor.open(pairs.with_name("other.py"), PAIRS)
    assert not lenses(editor, other), "the same text in another file"


@pytest.mark.slow
@pytest.mark.timed
def test_of_several_runs_the_newest_that_fits_is_shown(start_editor: StartEditor, pairs: Path) -> None:
    with open_runs() as runs:
        [kept] = runs.all()
        asked, result = runs.asked(kept.run_id), runs.result(kept.run_id)
        assert result is not None
        made = result.best_source
        for number, (before, after) in enumerate(((made, made + "# two\n"), ("def other():\n    pass\n", made))):
            text = before if number else before.replace("    found = []\n", "    found = list()\n")
            target = replace(result.target, source=text)
            later = replace(
                result,
                run_id=f"21000101-00000{number}-aaaaaa",
                target=target,
                best_source=after,
                by_size=GainRange(0.7, 20.0),
                workload_origins=((GENERATED, 6),),
                caveat="it differs on values of kinds that no real call holds",
            )
            runs.begin(later.run_id, asked, replace(target, path=str(pairs)))
            runs.finish(later.run_id, later)
    editor = start_editor(NEOVIM)  # which is not asked to show its lenses anew
    uri = editor.open(pairs, made)
    assert wait_until(lambda: bool(lenses(editor, uri)))
    told = (
        ', proven; not the same on elements of other kinds: "Show the report" names one; 1.43x slower on small inputs'
        "; none of its inputs is from your project"
    )
    command = lenses(editor, uri)[0]["command"]
    assert command["title"].endswith(", proven; differs on other kinds; 2 more caveats")
    assert command["tooltip"].endswith(told)
    line = lenses(editor, uri)[0]["range"]["start"]["line"]
    hover = editor.request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": line, "character": 4}}
    )
    assert "21000101-000001-aaaaaa" in hover["contents"]["value"]
    editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    editor.open(pairs, PAIRS)
    assert wait_until(lambda: "apply" in editor.actions(uri, FUNCTION_LINE)), "an earlier run fits the original"


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.parametrize("harm", ["locked", "newer", "broken"])
def test_a_store_that_cannot_be_read_disturbs_nobody(start_editor: StartEditor, pairs: Path, harm: str) -> None:
    with ExitStack() as stack:
        connection = stack.enter_context(closing(sqlite3.connect(database_path(), isolation_level=None)))
        if harm == "locked":
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
        elif harm == "newer":
            connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        else:
            connection.close()
            database_path().write_bytes(b"no database at all" * 100)
        editor = start_editor(VS_CODE)
        uri = editor.open(pairs)
        told = editor.wait("window/logMessage", lambda params: "earlier runs" in params["message"])
        assert {"locked": "locked", "newer": "newer version", "broken": "not a database"}[harm] in told["message"]
        assert "apply" not in editor.actions(uri, FUNCTION_LINE)
        assert not lenses(editor, uri)
        assert not [each for each in editor.asked if each["method"].startswith("window/show")]
        assert editor.quit() == 0


def test_opening_a_file_makes_no_store(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor(VS_CODE)
    path = project / "pairs.py"
    path.write_text(PAIRS)
    uris = [editor.open(path), editor.open(project / "new.py", PAIRS)]
    assert all("time" in editor.actions(uri, FUNCTION_LINE) for uri in uris)
    assert editor.quit() == 0
    assert not database_path().exists()
    assert not [line for line in editor.errors if line.startswith("ERROR")]
