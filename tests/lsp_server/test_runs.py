"""A run from the click to the edit, against a real server and the real sandbox."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from editor_client import HELIX, NEOVIM, PAIRS, VS_CODE, Editor, StartEditor, is_alive, wait_until
from process_tree import descendants

AGREE = "Run it in the sandbox"
INFO = 3  # the type of a message
BRIEF = {"iterations": 1, "max_seconds": 90}
FUNCTION_LINE = 9
# Lines of what the rules make of it, whichever of them win.
PART = """\
    found_set = set()
    numbers_set = set(numbers) if isinstance(numbers, (list, tuple)) else numbers
"""


PREVIEW = "Tick the change in the preview"


def optimize(editor: Editor, uri: str, kind: str = "time") -> None:
    editor.choose(editor.actions(uri, FUNCTION_LINE)[kind])


def ended(editor: Editor) -> str:
    """What the server says at the end of a run."""
    return str(editor.wait("window/showMessage", lambda params: PREVIEW not in params["message"])["message"])


def progress(editor: Editor) -> list[dict[str, Any]]:
    return [each["params"]["value"] for each in list(editor.asked) if each["method"] == "$/progress"]


@pytest.fixture
def pairs(project: Path) -> Path:
    path = project / "pairs.py"
    path.write_text(PAIRS)
    return path


@pytest.mark.floor
@pytest.mark.timed
@pytest.mark.slow
def test_the_whole_walk_with_a_change_elsewhere_meanwhile(  # noqa: PLR0915 - a run is dear: one shows all of this
    start_editor: StartEditor, pairs: Path
) -> None:
    editor = start_editor(VS_CODE, settings=BRIEF, answers=(AGREE,))
    uri = editor.open(pairs)
    optimize(editor, uri)
    editor.wait("$/progress", lambda params: params["value"]["kind"] == "report")
    typed = PAIRS.replace("def unrelated(x):\n    return x\n", "def unrelated(x, y):\n    return x, y\n\n\nSIZE = 3\n")
    editor.type(uri, typed)
    said = ended(editor)
    assert "CPU time improved" in said, said
    assert "Applied. Undo restores the original." in said
    assert pairs.read_text() == PAIRS, "the editor saves, not the server"
    [edit] = editor.edits
    [change] = edit["documentChanges"]
    assert change["textDocument"]["version"] == 2
    assert all(each["range"]["start"]["line"] > 12 for each in change["edits"]), "no more than what changes"
    assert edit["changeAnnotations"]["afterburner"]["needsConfirmation"]
    now = editor.buffers[uri].text
    assert now.startswith(typed[: typed.index("    found = []")])
    assert now.endswith(typed[typed.index("\n\nif __name__") :])
    told = progress(editor)
    assert (told[0]["kind"], told[0]["cancellable"], told[-1]["kind"]) == ("begin", True, "end")
    assert [each["percentage"] for each in told[1:-1]] == sorted(each["percentage"] for each in told[1:-1])

    # What one sees of it, and the way back.
    lenses = editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert ", proven" in lenses[0]["command"]["title"]
    assert [each["command"]["title"] for each in lenses[1:]] == ["report", "revert"]
    place = {"line": lenses[0]["range"]["start"]["line"], "character": 4}
    hover = editor.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
    assert "held-out" in hover["contents"]["value"]
    editor.choose(lenses[1])
    page = editor.wait("window/showDocument")
    assert page["external"]
    editor.wait("window/logMessage", lambda params: "The report is /" in params["message"])
    said = [each["params"]["message"] for each in editor.asked if each["method"] == "window/showMessage"]
    assert not [each for each in said if "The report is" in each], "no window where the page is open"
    text = Path(page["uri"].removeprefix("file://")).read_text("utf-8")
    assert "<h1>pairs</h1>" in text
    assert "<ins>+    " in text, "the change"
    assert text.count("set-membership"), "the candidates"
    assert "<script" not in text
    editor.choose(lenses[2])
    assert wait_until(lambda: editor.buffers[uri].text == typed)
    assert not editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})

    # What is kept fits again, and its report can be read before.
    listed = editor.actions(uri, FUNCTION_LINE + 4)
    shown = sum(each["method"] == "window/showDocument" for each in editor.asked)
    assert listed["report"]["title"] == "Show the report of pairs"
    editor.choose(listed["report"])
    assert wait_until(lambda: sum(each["method"] == "window/showDocument" for each in editor.asked) == shown + 1)
    again = listed["apply"]
    assert "Apply the proven rewrite of pairs" in again["title"]
    editor.choose(again)
    assert wait_until(lambda: editor.buffers[uri].text == now)

    # Lines that come while the server asks for settings, or while the edit is on its way, do not move it.
    for method, is_stale in (("workspace/configuration", False), ("workspace/applyEdit", True)):
        editor.type(uri, typed)
        before = "# one\n# two\n" + typed
        editor.while_asked[method] = lambda before=before: editor.type(uri, before)
        editor.choose(again)
        expected = before if is_stale else "# one\n# two\n" + now
        assert wait_until(lambda expected=expected: editor.buffers[uri].text == expected), editor.buffers[uri].text
        if is_stale:
            editor.wait("window/showMessage", lambda params: "the rewrite was not applied" in params["message"].lower())
    editor.edit_error = "user cancelled server edit"
    editor.type(uri, typed)
    editor.choose(again)
    editor.wait("window/showMessage", lambda params: "user cancelled server edit" in params["message"])
    # Editors that show the edit first leave it to the user to tick its changes.
    editor.edit_error, editor.takes_edits = "", False
    editor.choose(again)
    editor.wait("window/showMessage", lambda params: "tick all of its changes there" in params["message"])
    editor.takes_edits = True
    # It is not made where the function is another one.
    editor.type(uri, typed.replace("    found = []\n", "    found = []  # mine\n"))
    assert "apply" not in editor.actions(uri, FUNCTION_LINE + 4)
    editor.choose(again)
    editor.wait("window/showMessage", lambda params: "so the rewrite was not applied" in params["message"])
    assert editor.buffers[uri].text.count("# mine") == 1
    asked = [each for each in editor.asked if each["method"] == "window/showMessageRequest"]
    assert len(asked) == 1, "trust is asked for once"
    assert editor.quit() == 0

    # Another server knows of it, too.
    editor = start_editor(VS_CODE)
    editor.open(pairs, now)
    editor.wait("workspace/codeLens/refresh")
    again_there = editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [each["command"]["title"] for each in again_there] == [each["command"]["title"] for each in lenses]
    editor.choose(again_there[2])
    assert wait_until(lambda: editor.buffers[uri].text == typed)


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.nightly
def test_a_function_that_changed_meanwhile_is_left_alone(start_editor: StartEditor, pairs: Path) -> None:
    editor = start_editor(NEOVIM, settings=BRIEF, initial={"trusted": True})
    uri = editor.open(pairs)
    optimize(editor, uri)
    editor.wait("$/progress", lambda params: params["value"]["kind"] == "report")
    typed = PAIRS.replace("    found = []\n", "    found = []  # mine\n")
    editor.type(uri, typed)
    assert "so the rewrite was not applied" in ended(editor)
    assert editor.buffers[uri].text == typed
    assert "apply" not in editor.actions(uri, FUNCTION_LINE)
    editor.type(uri, PAIRS)  # undone
    assert "apply" in editor.actions(uri, FUNCTION_LINE)
    assert not editor.edits

    # Some editors put an edit into text that the user is changing.
    editor.asked.clear()
    editor.odd_answers["workspace/applyEdit"] = {"result": {"applied": True}}
    editor.while_asked["workspace/applyEdit"] = partial(
        editor.type, uri, PAIRS.replace("    found = []\n", f"    found = []\n{PART}")
    )
    editor.choose(editor.actions(uri, FUNCTION_LINE)["apply"])
    assert "Undo now: pairs holds only a part of the rewrite" in ended(editor)


def test_an_edit_of_the_function_is_told_while_the_run_goes_on(start_editor: StartEditor, pairs: Path) -> None:
    def wait(told: str) -> dict[str, Any]:
        return editor.wait("$/progress", lambda params: told in params["value"].get("message", ""))

    editor = start_editor(NEOVIM, initial={"trusted": True})
    uri = editor.open(pairs)
    optimize(editor, uri)
    wait(" · ")
    editor.type(uri, PAIRS.replace("    found = []\n", "    found = []  # mine\n"))
    wait("pairs was edited: the result will not be applied as it is; cancel and run again (")
    editor.type(uri, PAIRS.replace("def unrelated", "def another"))
    editor.asked.clear()
    undone = wait(" · ")
    if "edited" in undone["value"]["message"]:
        undone = editor.wait("$/progress", lambda params: "edited" not in params["value"].get("message", "edited"))
    editor.notify("window/workDoneProgress/cancel", {"token": undone["token"]})


def commit_all(folder: Path) -> None:
    git = ["git", "-c", "user.name=Shop", "-c", "user.email=shop@example.com"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=folder, check=True)


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.nightly
def test_a_change_is_compared_with_the_last_commit(start_editor: StartEditor, pairs: Path) -> None:
    commit_all(pairs.parent)
    editor = start_editor(initial={"trusted": True})
    uri = editor.open(pairs, PAIRS.replace("if total - number in numbers", "if False and total - number in numbers"))
    editor.choose(editor.actions(uri, FUNCTION_LINE)["prove"])
    said = ended(editor)
    assert said.startswith("Comparing pairs with the last commit: different. On pairs("), said
    assert ", the last commit returned [" in said
    assert ", your change returned []" in said
    logged = editor.wait("window/logMessage", lambda params: said in params["message"])["message"].splitlines()
    assert [line.split()[0] for line in logged[1:4]] == ["for", "before", "after"]
    editor.asked.clear()
    editor.type(
        uri,
        PAIRS.replace("    found = []\n", "    found, known = [], set(numbers)\n").replace(
            "total - number in numbers", "total - number in known"
        ),
    )
    editor.choose(editor.actions(uri, FUNCTION_LINE)["prove"])
    assert "Comparing pairs with the last commit: faster: " in ended(editor)


def test_a_change_of_a_comment_is_the_same_at_once(start_editor: StartEditor, pairs: Path) -> None:
    commit_all(pairs.parent)
    editor = start_editor(initial={"trusted": True})
    uri = editor.open(pairs, PAIRS.replace("    found = []\n", "    found = []  # mine\n"))
    editor.choose(editor.actions(uri, FUNCTION_LINE)["prove"])
    told = "Comparing pairs with the last commit: the same: only comments or the layout of the code differ"
    assert ended(editor).startswith(told)


def test_nothing_runs_where_the_user_does_not_agree(start_editor: StartEditor, pairs: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    pairs.write_text(f"open({str(mark)!r}, 'w')\n{PAIRS}")
    editor = start_editor(answers=("Do not run it",))
    uri = editor.open(pairs)
    editor.choose(editor.actions(uri, FUNCTION_LINE + 1)["time"])
    assert "you did not allow code of the project to run" in ended(editor)
    assert editor.wait("window/showMessage")["type"] == INFO, "the user's own answer is no error"
    asked = editor.wait("window/showMessageRequest")
    assert [each["title"] for each in asked["actions"]] == [AGREE, "Do not run it"]
    messages = [each["message"] for each in progress(editor)]
    assert "waiting for your answer to the question about running code of shop" in messages, (
        "the window may hide itself"
    )
    assert progress(editor)[-1]["kind"] == "end"
    assert not mark.exists()


@pytest.mark.slow
def test_a_run_can_be_cancelled_and_runs_wait_for_one_another(start_editor: StartEditor, pairs: Path) -> None:
    editor = start_editor(initial={"trusted": True})
    uri = editor.open(pairs, PAIRS + "\n\ndef other(x):\n    return x\n")
    optimize(editor, uri)
    running = editor.wait("$/progress", lambda params: params["value"]["kind"] == "report")
    optimize(editor, uri)
    assert "Optimizing pairs is still running" in ended(editor)
    editor.choose(editor.actions(uri, PAIRS.count("\n") + 3)["time"])
    waiting = editor.wait("$/progress", lambda params: "other" in params["value"].get("title", ""))
    editor.choose(editor.actions(uri, PAIRS.count("\n") + 3)["time"])
    said = editor.wait("window/showMessage", lambda params: "Optimizing other" in params["message"])["message"]
    assert said == "Optimizing other is waiting for its turn. Cancel it, or wait."
    for each in (waiting, running):
        editor.notify("window/workDoneProgress/cancel", {"token": each["token"]})
        end = editor.wait(
            "$/progress",
            lambda params, each=each: params["token"] == each["token"] and params["value"]["kind"] == "end",
        )
        assert end["value"]["message"] == "cancelled"
    assert not editor.edits
    assert wait_until(lambda: not descendants(editor.process.pid)), "something of the sandbox is left"


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("way", ["quit", "kill"])
def test_a_run_ends_with_the_client(start_editor: StartEditor, pairs: Path, way: str) -> None:
    editor = start_editor(initial={"trusted": True})
    uri = editor.open(pairs)
    optimize(editor, uri)
    editor.wait("$/progress", lambda params: "measuring" in params["value"].get("message", ""))
    assert wait_until(lambda: bool(descendants(editor.process.pid)), 60)
    running = descendants(editor.process.pid)
    getattr(editor, way)()
    assert wait_until(lambda: editor.process.poll() is not None)
    assert wait_until(lambda: not any(map(is_alive, running))), "something of the sandbox is left"


MODEL, NO_MODEL = "replay:nowhere.jsonl", "No such recording: "
GOES_ON = "Optimizing pairs: going on without model, which you did not allow."
IN_PROJECT = f"[tool.afterburner]\nmodel = '{MODEL}'\n"


def test_a_setting_that_cannot_be_used_is_told(start_editor: StartEditor, pairs: Path) -> None:
    editor = start_editor(initial={"trusted": True})
    uri = editor.open(pairs)
    for settings, told in (
        ({"iterationz": 3}, "Did you mean iterations?"),
        ({"iterations": "many"}, 'the editor\'s settings: iterations = "many": this has to be an integer'),
        ({"preview": "yes"}, "preview = 'yes': give true or false"),
        ({"model": MODEL}, NO_MODEL),
        ({"max_seconds": -3}, "the editor's settings: max-seconds = -3: -3 is not a number above 0."),
        ({"assume": ["rows =="]}, "the editor's settings: assume 'rows ==' is no Python expression: invalid syntax."),
    ):
        editor.settings = settings
        editor.asked.clear()
        optimize(editor, uri)
        assert told in ended(editor)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"initial": {"trusted": True}}, NO_MODEL),
        ({"answers": (AGREE, "Use these settings")}, NO_MODEL),
        ({"answers": (AGREE, "Do not use them")}, GOES_ON),
        # A file of the workspace may be behind what the client says of its configuration.
        ({"answers": (AGREE,), "settings": {"trusted": True}}, GOES_ON),
        ({"answers": (AGREE,), "settings": {"model": "replay:x"}}, GOES_ON),
        ({"can_ask": False}, "you did not allow code of the project to run"),
    ],
)
def test_settings_that_choose_a_model_need_trust(
    start_editor: StartEditor, pairs: Path, options: dict[str, Any], told: str
) -> None:
    (pairs.parent / "pyproject.toml").write_text(IN_PROJECT)
    editor = start_editor(HELIX, **options)
    uri = editor.open(pairs)
    optimize(editor, uri)
    assert editor.wait("window/showMessage", lambda params: told in params["message"])
    if told is GOES_ON:
        reports = editor.wait("$/progress", lambda params: " · " in params["value"].get("message", ""))
        editor.notify("window/workDoneProgress/cancel", {"token": reports["token"]})


def test_a_syntax_error_is_told_at_once(start_editor: StartEditor, pairs: Path) -> None:
    editor = start_editor(initial={"trusted": True})
    optimize(editor, editor.open(pairs))
    editor.wait("$/progress", lambda params: params["value"]["kind"] == "report")
    uri = editor.open(pairs.with_name("broken.py"), f"{PAIRS}\nif True\n")
    optimize(editor, uri)
    assert "broken.py has a syntax error in line" in ended(editor), "not when the run before it has ended"


def test_a_wrong_setting_is_told_at_once(start_editor: StartEditor, pairs: Path) -> None:
    editor = start_editor(initial={"trusted": True})
    optimize(editor, editor.open(pairs))
    editor.wait("$/progress", lambda params: params["value"]["kind"] == "report")
    editor.settings = {"assume": ["rows =="]}
    optimize(editor, editor.open(pairs.with_name("other.py"), PAIRS))
    assert "assume 'rows ==' is no Python expression" in ended(editor), "not when the run before it has ended"


def test_a_client_vouches_for_its_own_folders_only(start_editor: StartEditor, pairs: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "pyproject.toml").write_text("[project]\nname = 'elsewhere'\n")
    (other / "pairs.py").write_text(PAIRS)
    editor = start_editor(initial={"trusted": True}, answers=("Do not run it",))
    optimize(editor, editor.open(other / "pairs.py"))
    assert "you did not allow" in ended(editor)
    assert str(other) in editor.wait("window/showMessageRequest")["message"]
    assert pairs.exists()


@pytest.mark.nightly
@pytest.mark.slow
def test_where_nothing_calls_a_function_a_file_with_calls_is_begun(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor(initial={"trusted": True}, answers=("Write shop_calls.py",))
    path = project / "shop.py"
    path.write_text("class Stock:\n    def value(self, prices, *, tax):\n        return sum(prices) * tax\n")
    uri = editor.open(path)
    editor.choose(editor.actions(uri, 1)["time"])
    calls = (project / "shop_calls.py").as_uri()
    assert wait_until(lambda: calls in editor.buffers, 60)
    text = editor.buffers[calls].text
    assert "from shop import Stock" in text
    assert "# Stock(...).value(prices, tax)" in text
    assert editor.edits[0]["documentChanges"][0] == {
        "kind": "create",
        "uri": calls,
        "options": {"overwrite": False, "ignoreIfExists": False},
    }
