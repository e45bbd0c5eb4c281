"""What a client should not send: each request gets an answer, nothing ends the server, nothing is left running."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from editor_client import PAIRS, ServerError, is_alive, offset, wait_until

from afterburner.agent.code.source_text import split_lines
from afterburner.lsp_server.outline import _spans, outline

if TYPE_CHECKING:
    from pathlib import Path

    from editor_client import Editor, StartEditor

MESSAGES = 300  # of the random ones; `make test-nightly` sends 10,000


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/codeAction", {}),
        ("textDocument/codeAction", None),
        ("textDocument/codeAction", {"textDocument": {"uri": "file:///a.py"}, "range": 3, "context": {}}),
        ("textDocument/hover", {"textDocument": {"uri": "file:///a.py"}, "position": {"line": -1, "character": 0}}),
        ("workspace/executeCommand", {"command": "afterburner.optimize", "arguments": {"uri": 1}}),
        ("workspace/executeCommand", {"arguments": []}),
    ],
)
def test_a_request_that_does_not_fit_is_answered(start_editor: StartEditor, method: str, params: object) -> None:
    editor = start_editor()
    with pytest.raises(ServerError) as raised:
        editor.request(method, params)
    assert raised.value.args[0] == -32602
    assert editor.quit() == 0
    assert not _failures(editor)


def test_what_is_no_message_is_left_alone(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor()
    for body in (
        b"[]",
        b"3",
        b"null",
        b"{",
        b"\xff",
        b'{"jsonrpc": "1.0", "id": 1}',
        b'{"jsonrpc": "2.0"}',
        b'{"id": 5}',
    ):
        editor.send(body)
    editor.notify(
        "textDocument/didChange", {"textDocument": {"uri": "file:///no.py", "version": 2}, "contentChanges": []}
    )
    editor.notify(
        "notebookDocument/didClose", {"notebookDocument": {"uri": "file:///no.ipynb"}, "cellTextDocuments": []}
    )
    editor.notify("window/workDoneProgress/cancel", {"token": "nobody's"})
    editor.notify("$/cancelRequest", {"id": 99})
    # What looks like a message inside another one is data.
    uri = editor.open(project / "pairs.py", PAIRS)
    argument = {"uri": uri, "objective": "x", "jsonrpc": "2.0", "id": 4, "method": "shutdown"}
    with pytest.raises(ServerError, match="no objective"):
        editor.request("workspace/executeCommand", {"command": "afterburner.optimize", "arguments": [argument]})
    assert editor.actions(uri, 9)
    assert editor.quit() == 0
    assert not _failures(editor)


def test_requests_at_the_wrong_time_are_answered_with_an_error(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor(is_initialized=False)
    for method in ("textDocument/codeAction", "shutdown", "no/such"):
        with pytest.raises(ServerError, match="not initialized"):
            editor.request(method, {})
    editor.notify("initialized", {})
    editor.initialize(project)
    with pytest.raises(ServerError, match="initialized already"):
        editor.initialize(project)
    with pytest.raises(ServerError) as raised:
        editor.request("no/such", None)
    assert raised.value.args[0] == -32601
    assert editor.actions(editor.open(project / "pairs.py", PAIRS), 9)
    editor.request("shutdown", None)
    with pytest.raises(ServerError, match="shutting down"):
        editor.request("textDocument/codeAction", {})
    editor.notify("exit", None)
    assert editor.process.wait(10) == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_random_messages(start_editor: StartEditor, project: Path, seed: int) -> None:
    editor, rng = start_editor(), random.Random(seed)
    uri = editor.open(project / "pairs.py", PAIRS)
    waiting = []
    for _ in range(MESSAGES if seed == 0 else 10_000):
        sent = rng.choice([_edit, _edit, _edit, _ask, _ask, _nonsense])(editor, rng, uri)
        waiting += [] if sent is None else [sent]
    assert -32603 not in [_code(editor, each) for each in waiting], "an error of ours"
    # The server holds what the editor holds: what is put behind all of it is found where the editor has it.
    _insert(editor, uri, {"line": 2**31 - 1, "character": 0}, "\n\n\ndef the_last(x):\n    return x\n")
    text = editor.buffers[uri].text
    if _spans(text, may_hold_code=True) is not None:  # else a text in triple quotes is open, and anything may be in it
        assert "the_last" in editor.actions(uri, len(split_lines(text)) - 1)["time"]["title"]
    assert outline(text), "most of the functions are still there"
    assert editor.quit() == 0
    assert not _failures(editor)


def _failures(editor: Editor) -> list[str]:
    """What the server has logged as an error of its own; pygls logs refused requests as errors, too."""
    return [line for line in editor.errors if line.startswith(("ERROR:afterburner", "CRITICAL"))]


def _code(editor: Editor, sent: int) -> int:
    """The code of an answer that is an error; 0: it is none."""
    try:
        editor.result(sent)
    except ServerError as error:
        return int(error.args[0])
    return 0


def _edit(editor: Editor, rng: random.Random, uri: str) -> None:
    """Replace a random part of the text, told by its range."""
    buffer = editor.buffers[uri]
    places = sorted((rng.randrange(40), rng.choice([0, 0, 1, 4, 10_000])) for _ in range(2))
    start, end = ({"line": line, "character": character} for line, character in places)
    new = rng.choice(["", "x", "def g(a):\n", "😀", "\r\n", "\x0c", '"', "(", "    ", "\ud83d", "y" * 50_000, "\n\n"])
    at, behind = (offset(buffer.text, each) for each in (start, end))
    buffer.text = buffer.text[:at] + new + buffer.text[behind:]
    _tell(editor, uri, {"start": start, "end": end}, new)


def _insert(editor: Editor, uri: str, place: dict[str, int], new: str) -> None:
    buffer = editor.buffers[uri]
    at = offset(buffer.text, place)
    buffer.text = buffer.text[:at] + new + buffer.text[at:]
    _tell(editor, uri, {"start": place, "end": place}, new)


def _tell(editor: Editor, uri: str, place: dict[str, Any], new: str) -> None:
    buffer = editor.buffers[uri]
    buffer.version += 1
    identifier = {"uri": uri, "version": buffer.version}
    change = {"range": place, "text": new}
    editor.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})


def _ask(editor: Editor, rng: random.Random, uri: str) -> int:
    place = {"line": rng.choice([0, 5, 9, 10**6, 2**31 - 1]), "character": rng.choice([0, 3, 10**6])}
    document = {"uri": rng.choice([uri, uri, "file:///not/open.py", "untitled:Untitled-1", "http://x/y.py", ""])}
    method = rng.choice(["textDocument/codeAction", "textDocument/hover", "textDocument/codeLens"])
    params: dict[str, Any] = {"textDocument": document}
    if method == "textDocument/hover":
        params["position"] = place
    if method == "textDocument/codeAction":
        params |= {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}
    return editor.begin(method, params)


def _nonsense(editor: Editor, rng: random.Random, _uri: str) -> int | None:
    method = rng.choice(
        ["textDocument/codeAction", "workspace/executeCommand", "no/such", "$/no", "textDocument/hover"]
    )
    params = rng.choice([None, [], {}, "x", 3, {"command": "afterburner.optimize", "arguments": [None, 3]}])
    if rng.random() < 0.3:
        editor.notify(method, params)
        return None
    return editor.begin(method, params)


def test_the_server_ends_with_its_client(start_editor: StartEditor) -> None:
    editor = start_editor()
    editor.kill()
    assert wait_until(lambda: editor.process.poll() is not None)
    assert not is_alive(editor.process.pid)


@pytest.mark.slow
def test_a_response_that_cannot_be_read_ends_what_waits_for_it(start_editor: StartEditor, project: Path) -> None:
    editor = start_editor(
        initial={"trusted": True}, odd_answers={"window/workDoneProgress/create": {"result": 3, "error": 4}}
    )
    path = project / "pairs.py"
    path.write_text(PAIRS)
    editor.choose(editor.actions(editor.open(path), 9)["time"])
    editor.request("workspace/executeCommand", {"command": "afterburner.cancel", "arguments": [{}]})
    assert wait_until(lambda: "cancel" not in editor.actions(path.as_uri(), 9)), "the run has ended"


def test_the_start_brings_nothing_heavy() -> None:
    code = (
        "import sys; from afterburner.lsp_server.features import make_server; make_server('1');"
        "print(sorted({'litellm', 'langgraph', 'libcst', 'torch', 'hypothesis'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
