"""Hints on hot functions: a real profile of a small project's tests, and what an editor sees of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from editor_client import HELIX, VS_CODE, Editor, wait_until
from lsprotocol import types

from afterburner.lsp_server.hints import hints_of
from afterburner.lsp_server.hot_functions import HotFunction
from afterburner.lsp_server.offers import Offer, Offers
from afterburner.lsp_server.text.documents import Documents
from afterburner.lsp_server.text.outline import outline
from afterburner.lsp_server.text.rebase import text_of_function

if TYPE_CHECKING:
    from pathlib import Path

    from editor_client import StartEditor

    from afterburner.agent.loop.results import RunResult

pytestmark = pytest.mark.slow

URI = "file:///shop/shop.py"
PROFILE = "source.afterburner.profile"
AGREE, REFUSE = "Run it in the sandbox", "Do not run it"
SHOP = '''\
"""Sums of a shop."""


class Stock:
    def größte(self, prices):
        best = 0
        for price in prices:
            if all(price >= other for other in prices):
                best = price
        return best


def quick(prices):
    return len(prices)
'''
TESTS = """\
from shop import Stock, quick


def test_sums():
    assert Stock().größte(list(range(700))) == 699
    assert quick([1]) == 1
"""
HOT_LINE = 4
UNANSWERED = {"window/showMessageRequest": {"id": -1}}  # an answer to another question


@pytest.fixture
def shop(project: Path) -> Path:
    path = project / "shop.py"
    path.write_text(SHOP)
    (project / "test_shop.py").write_text(TESTS)
    return path


def hints(editor: Editor, uri: str) -> list[dict[str, Any]] | None:
    """Those that the editor shows; None: nobody has told it anything."""
    told = [each["params"] for each in list(editor.asked) if each["method"] == "textDocument/publishDiagnostics"]
    return next((each["diagnostics"] for each in reversed(told) if each["uri"] == uri), None)


def lines(editor: Editor, uri: str) -> list[int] | None:
    found = hints(editor, uri)
    return None if found is None else [each["range"]["start"]["line"] for each in found]


def profiles(editor: Editor) -> int:
    """How many were begun."""
    begun = [each["params"]["value"] for each in list(editor.asked) if each["method"] == "$/progress"]
    return sum(each["kind"] == "begin" and each["title"] == "Profiling the tests of shop" for each in begun)


def ended(editor: Editor) -> str:
    """What the log says of a profile that has ended."""
    found = editor.wait("window/logMessage", lambda params: "Profiling the tests of" in params["message"])
    return str(found["message"])


def windows(editor: Editor) -> list[str]:
    return [each["method"] for each in list(editor.asked) if each["method"].startswith("window/showMessage")]


def test_hot_functions_get_hints_that_follow_their_text(start_editor: StartEditor, shop: Path) -> None:
    editor = start_editor(VS_CODE, settings={"hints": True}, initial={"trusted": True})
    uri = editor.open(shop)
    told = editor.wait("textDocument/publishDiagnostics")
    [hint] = told["diagnostics"]
    assert (hint["severity"], hint["source"], hint["code"]) == (4, "afterburner", "hot")
    assert hint["message"].startswith("Stock.größte takes ")
    assert hint["message"].endswith("% of the CPU time that the project's tests spend in its code. Optimize it?")
    assert hint["range"] == {"start": {"line": 4, "character": 8}, "end": {"line": 4, "character": 14}}
    assert "hot: Stock.größte (" in ended(editor)

    # The actions refer to it.
    listed = editor.actions(uri, HOT_LINE)
    assert listed["time"]["diagnostics"] == [hint]
    assert not any(listed[each].get("diagnostics") for each in ("memory", "integral", "prove"))
    [fix] = editor.actions(uri, HOT_LINE, only=["quickfix"]).values()
    assert (fix["kind"], fix["diagnostics"]) == ("quickfix.afterburner.time", [hint])
    assert fix["command"]["arguments"] == [{"uri": uri, "function": "Stock.größte", "objective": "time"}]
    assert not editor.actions(uri, SHOP.count("\n") - 1, only=["quickfix"]), "quick is not hot"
    assert editor.actions(uri, 0, only=["source"]).keys() == {PROFILE}

    # The text moves, the function is another one, it is back.
    editor.type(uri, "# one\n# two\n" + SHOP)
    assert wait_until(lambda: lines(editor, uri) == [HOT_LINE + 2])
    editor.type(uri, SHOP.replace("        best = 0\n", "        best = 1\n"))
    assert wait_until(lambda: lines(editor, uri) == [])
    assert "diagnostics" not in editor.actions(uri, HOT_LINE)["time"]
    editor.type(uri, SHOP)
    assert wait_until(lambda: lines(editor, uri) == [HOT_LINE])

    # Another file of the project does not have it profiled again; the action does.
    other = editor.open(shop.parent / "test_shop.py")
    assert wait_until(lambda: PROFILE in editor.actions(other, 0))
    changed = SHOP.replace("        best = 0\n", "        best = -1\n")
    editor.type(uri, changed)
    shop.write_text(changed)
    editor.choose(editor.actions(other, 0)[PROFILE])
    assert "hot: Stock.größte (" in editor.wait("window/showMessage")["message"]
    assert wait_until(lambda: lines(editor, uri) == [HOT_LINE])
    assert (profiles(editor), hints(editor, other)) == (2, None)
    editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert wait_until(lambda: lines(editor, uri) == [])
    assert "window/showMessageRequest" not in windows(editor)
    assert editor.quit() == 0


def test_what_is_a_proven_rewrite_or_was_changed_gets_no_hint() -> None:
    documents = Documents("file:///shop")
    documents.put_text_document(types.TextDocumentItem(uri=URI, language_id="python", version=1, text=SHOP))
    document, offers = documents.document(URI), Offers()
    assert document is not None
    hot = [
        HotFunction("/shop/shop.py", name, 0.4, text_of_function(SHOP, name) or "")
        for name in ("Stock.größte", "quick")
    ]
    gone = HotFunction("/shop/shop.py", "gone", 0.2, "def gone():\n    pass\n")
    assert hints_of(document, outline(SHOP), [*hot, gone], offers).keys() == {"Stock.größte", "quick"}
    offers.keep(Offer(URI, cast("RunResult", None), "quick", "", "", original="slow", rewrite=hot[1].text))
    assert hints_of(document, outline(SHOP), hot, offers).keys() == {"Stock.größte"}
    later = "\n\ndef quick(prices):\n    return 3\n"
    documents.put_text_document(types.TextDocumentItem(uri=URI, language_id="python", version=2, text=SHOP + later))
    document = documents.document(URI)
    assert document is not None
    assert not hints_of(document, outline(SHOP + later), hot[1:], Offers()), "a later definition replaces it"


@pytest.mark.nightly
def test_nothing_runs_before_it_is_wanted(start_editor: StartEditor, shop: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for each in (shop, shop.parent / "test_shop.py"):
        (elsewhere / each.name).write_text(each.read_text())
    editor = start_editor(VS_CODE, initial={"trusted": True})
    uri = editor.open(shop)
    assert PROFILE not in editor.actions(uri, HOT_LINE)
    assert (profiles(editor), hints(editor, uri)) == (0, None)
    editor.settings = {"hints": True}
    editor.notify("workspace/didChangeConfiguration", {"settings": None})
    assert wait_until(lambda: lines(editor, uri) == [HOT_LINE])
    library = editor.open(elsewhere / "shop.py")
    assert PROFILE not in editor.actions(library, HOT_LINE), "not in a folder that is open"
    editor.settings = {"hints": "yes"}
    editor.notify("workspace/didChangeConfiguration", {"settings": None})
    assert editor.wait("window/logMessage", lambda params: "hints = 'yes': give true or false" in params["message"])
    editor.settings = {}
    editor.notify("workspace/didChangeConfiguration", {"settings": None})
    assert wait_until(lambda: lines(editor, uri) == [])
    # Whoever asks for it gets it, whatever the settings say.
    editor.request("workspace/executeCommand", {"command": "afterburner.profile", "arguments": [{"uri": uri}]})
    assert wait_until(lambda: lines(editor, uri) == [HOT_LINE])
    assert (profiles(editor), hints(editor, library)) == (2, None)


@pytest.mark.nightly
def test_a_refusal_is_remembered_until_the_user_asks(start_editor: StartEditor, shop: Path) -> None:
    editor = start_editor(VS_CODE, settings={"hints": True}, answers=(REFUSE,))
    uri = editor.open(shop)
    assert "you did not allow code of the project to run" in ended(editor)
    other = editor.open(shop.parent / "test_shop.py")
    assert wait_until(lambda: PROFILE in editor.actions(other, 0)), "it is wanted there"
    assert (profiles(editor), hints(editor, uri)) == (0, None)
    assert windows(editor) == ["window/showMessageRequest"]
    editor.answers = (AGREE,)
    editor.choose(editor.actions(uri, HOT_LINE)[PROFILE])
    assert wait_until(lambda: lines(editor, uri) == [HOT_LINE])
    assert windows(editor).count("window/showMessageRequest") == 2


def test_a_question_that_nobody_answers_keeps_no_run_waiting(start_editor: StartEditor, shop: Path) -> None:
    editor = start_editor(VS_CODE, settings={"hints": True}, odd_answers=UNANSWERED)
    uri = editor.open(shop)
    editor.wait("window/showMessageRequest")
    editor.choose(editor.actions(uri, HOT_LINE)["time"])
    assert wait_until(lambda: windows(editor).count("window/showMessageRequest") == 2), "the run asks in its turn"
    assert profiles(editor) == 0
    assert editor.quit() == 0


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("settings", "tests", "told"),
    [
        ({}, None, "so there are no hints. Add tests"),
        ({}, "def test_nothing():\n    assert True\n", "so there are no hints. Add tests"),
        (
            {},
            "import shop\n\n\ndef test_little():\n    assert shop.quick([1]) == 1\n",
            "no function takes much of their time",
        ),
        (
            {},
            "import shop\n\n\ndef test_few():\n    assert shop.Stock().größte(list(range(100))) == 99\n",
            "no function is marked: a rewrite could save less than 20 ms of Stock.größte (",
        ),
        ({"python": "/no/such/python"}, TESTS, "/no/such/python"),
    ],
)
def test_where_there_is_nothing_to_hint_at_the_log_says_why(
    start_editor: StartEditor, shop: Path, settings: dict[str, object], tests: str | None, told: str
) -> None:
    tests_file = shop.parent / "test_shop.py"
    tests_file.unlink()
    if tests is not None:
        tests_file.write_text(tests)
    editor = start_editor(HELIX, initial={"trusted": True, "hints": True, **settings})
    uri = editor.open(shop)
    assert told in ended(editor)
    assert hints(editor, uri) is None
    assert not windows(editor)
    assert editor.quit() == 0


def test_a_profile_can_be_cancelled(start_editor: StartEditor, shop: Path) -> None:
    (shop.parent / "test_shop.py").write_text(TESTS + "    while True:\n        pass\n")
    editor = start_editor(VS_CODE, settings={"hints": True}, initial={"trusted": True})
    uri = editor.open(shop)
    running = editor.wait("$/progress", lambda params: params["value"].get("message", "").startswith("profiling"))
    editor.request("workspace/executeCommand", {"command": "afterburner.profile", "arguments": [{"uri": uri}]})
    assert "still going on" in editor.wait("window/showMessage")["message"]
    editor.notify("window/workDoneProgress/cancel", {"token": running["token"]})
    end = editor.wait("$/progress", lambda params: params["value"]["kind"] == "end")
    assert end["value"]["message"] == "cancelled"
    assert "cancelled" in ended(editor)
    assert hints(editor, uri) is None
