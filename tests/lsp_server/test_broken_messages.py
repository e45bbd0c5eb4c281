"""What a client should not send: each request gets an answer, nothing ends the server, nothing is left running."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from editor_client import PAIRS, ServerError, is_alive, offset, wait_until

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
    assert not editor.errors


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
    assert not editor.errors


def test_before_it_is_initialized_nothing_is_answered_but_with_an_error(
    start_editor: StartEditor, project: Path
) -> None:
    editor = start_editor()
    with pytest.raises(ServerError):
        editor.request("initialize", {"processId": "x"})
    assert not editor.actions((project / "none.py").as_uri(), 0)


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
    # The server holds what the editor holds: each function is where the editor has it.
    editor.type(uri, editor.buffers[uri].text + "\n\ndef the_last(x):\n    return x\n")
    lines = editor.buffers[uri].text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    last = lines.replace("\r\n", "\n").replace("\r", "\n").count("\n") - 1
    assert "the_last" in editor.actions(uri, last)["time"]["title"] or _is_in_text(lines)
    assert editor.quit() == 0
    assert not [line for line in editor.errors if "Traceback" in line]


def _code(editor: Editor, sent: int) -> int:
    """The code of an answer that is an error; 0: it is none."""
    try:
        editor.result(sent)
    except ServerError as error:
        return int(error.args[0])
    return 0


def _is_in_text(text: str) -> bool:
    """Whether random edits have left a text in triple quotes open, so that there is no last function."""
    return text.count('"""') % 2 == 1 or "'''" in text


def _edit(editor: Editor, rng: random.Random, uri: str) -> None:
    """Replace a random part of the text, told by its range."""
    buffer = editor.buffers[uri]
    places = sorted((rng.randrange(40), rng.choice([0, 0, 1, 4, 10_000])) for _ in range(2))
    start, end = ({"line": line, "character": character} for line, character in places)
    new = rng.choice(["", "x", "def g(a):\n", "😀", "\r\n", "\x0c", '"', "(", "    ", "\ud83d", "y" * 50_000, "\n\n"])
    at, behind = (offset(buffer.text, each) for each in (start, end))
    buffer.text = buffer.text[:at] + new + buffer.text[behind:]
    buffer.version += 1
    change = {"range": {"start": start, "end": end}, "text": new}
    identifier = {"uri": uri, "version": buffer.version}
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


def test_nothing_but_messages_comes_on_its_stdout(start_editor: StartEditor) -> None:
    editor = start_editor()
    assert json.loads(json.dumps(editor.server))["serverInfo"]["name"] == "afterburner"
