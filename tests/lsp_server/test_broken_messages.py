"""What a client should not send: each request gets an answer, nothing ends the server, nothing is left running."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from editor_client import PAIRS, ServerError, is_alive, offset, wait_until
from process_tree import descendants

from afterburner.agent.code.source_text import split_lines
from afterburner.lsp_server.text.outline import function_at, outline

if TYPE_CHECKING:
    from editor_client import Editor, StartEditor

MESSAGES = 300  # of the random ones; `make test-nightly` sends 10,000
NEW_TEXTS = [
    "", "x", "def g(a):\n", "def pairs(a):\n    return a\n", "😀", "\r\n", "\r", "\x0c", '"', '"""', "(", ")", "    ",
    "\ud83d", "\ude00", "\u2028", "é", "y" * 50_000, "\n\n",
]  # fmt: skip


def test_a_request_that_does_not_fit_is_answered(start_editor: StartEditor) -> None:
    editor = start_editor()
    document = {"uri": "file:///a.py"}
    for method, params in (
        ("textDocument/codeAction", {}),
        ("textDocument/codeAction", None),
        ("textDocument/codeAction", {"textDocument": document, "range": 3, "context": {}}),
        ("textDocument/hover", {"textDocument": document, "position": {"line": -1, "character": 0}}),
        ("workspace/executeCommand", {"command": "afterburner.optimize", "arguments": {"uri": 1}}),
        ("workspace/executeCommand", {"arguments": []}),
    ):
        with pytest.raises(ServerError) as raised:
            editor.request(method, params)
        assert raised.value.args[0] == -32602, (method, params)
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
@pytest.mark.parametrize(
    ("seed", "end"),
    [
        (0, "without a run"),
        pytest.param(1, "quit", marks=pytest.mark.nightly),
        pytest.param(2, "kill", marks=pytest.mark.nightly),
        pytest.param(3, "wait", marks=[pytest.mark.nightly, pytest.mark.timed]),
    ],
)
def test_random_messages(start_editor: StartEditor, project: Path, seed: int, end: str) -> None:
    """The last tenth of the many messages comes while a run is going on, of a file that they are not about."""
    editor, rng = start_editor(initial={"trusted": True, "iterations": 1}), random.Random(seed)
    uri = editor.open(project / "odd.py", PAIRS)
    (project / "pairs.py").write_text(PAIRS)
    running = editor.open(project / "pairs.py", PAIRS)
    waiting: list[int] = []
    expected: dict[int, str | None] = {}
    number = MESSAGES if end == "without a run" else 10_000
    for each in range(number):
        if end != "without a run" and each == number * 9 // 10:
            editor.choose(editor.actions(running, 9)["time"])
        do = rng.choice([_edit, _edit, _edit, _ask, _ask, _nonsense, _reopen, _stray])
        sent = do(editor, rng, uri)
        waiting += [] if sent is None else [sent]
        if do in (_edit, _reopen):
            line = rng.randrange(len(split_lines(editor.buffers[uri].text)) + 1)
            expected[_ask_at(editor, uri, line)] = _function_at(editor.buffers[uri].text, line)
    assert -32603 not in [_code(editor, each) for each in waiting], "an error of ours"
    # After every edit, the server held what the editor held.
    assert {sent: _chosen(editor.result(sent)) for sent in expected} == expected
    assert {None, "pairs"} < set(expected.values()), "most of the functions are still there"
    if end == "wait":
        _let_the_run_end(editor, running)
    if end in ("quit", "kill"):
        _end_in_a_run(editor, end)
    else:
        assert editor.quit() == 0
    assert not _failures(editor)


def _let_the_run_end(editor: Editor, uri: str) -> None:
    """The rewrite goes to where its function has moved to."""
    above = "# typed\r\n" * 7
    editor.type(uri, above + PAIRS)
    editor.wait("window/showMessage", lambda params: "Applied." in params["message"])
    now = editor.buffers[uri].text
    assert now.startswith(above + PAIRS[: PAIRS.index("    found = []")])
    assert now.endswith(PAIRS[PAIRS.index("\n\nif __name__") :])
    assert now != above + PAIRS


def _end_in_a_run(editor: Editor, end: str) -> None:
    """Nothing is left of a run that goes on while its editor ends."""
    assert wait_until(lambda: bool(descendants(editor.process.pid)), 60)
    running = descendants(editor.process.pid)
    assert (editor.quit() if end == "quit" else editor.kill()) in (0, None)
    assert wait_until(lambda: editor.process.poll() is not None)
    assert wait_until(lambda: not any(map(is_alive, running))), "something of the sandbox is left"


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
    """Replace random parts of the text, told by their ranges; once in a while the whole text."""
    buffer, changes = editor.buffers[uri], []
    if rng.random() < 0.02:
        buffer.text = PAIRS
        changes.append({"text": PAIRS})
    for _ in range(rng.choice([1, 1, 1, 3])):
        lines = [rng.choice([rng.randrange(40), rng.randrange(40), rng.randrange(40), 10**6]) for _ in range(2)]
        places = sorted((line, rng.choice([0, 0, 1, 2, 4, 10_000, 2**31 - 1])) for line in lines)
        start, end = ({"line": line, "character": character} for line, character in places)
        new = rng.choice(NEW_TEXTS)
        at, behind = (offset(buffer.text, each, editor.encoding) for each in (start, end))
        buffer.text = buffer.text[:at] + new + buffer.text[behind:]
        changes.append({"range": {"start": start, "end": end}, "text": new})
    buffer.version += 1
    identifier = {"uri": uri, "version": buffer.version}
    editor.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})


def _reopen(editor: Editor, rng: random.Random, uri: str) -> None:
    """Close the file, ask about it, change it nevertheless, and open it again; now and then without closing it."""
    if rng.random() < 0.8:
        editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        _ask_at(editor, uri, 3)
        change = {"textDocument": {"uri": uri, "version": 1}, "contentChanges": [{"text": "def no(): pass"}]}
        editor.notify("textDocument/didChange", change)
    text = PAIRS if rng.random() < 0.5 else editor.buffers[uri].text
    editor.open(Path(uri.removeprefix("file://")), text)


def _stray(editor: Editor, rng: random.Random, uri: str) -> None:
    """Tell something of what there is not."""
    other = {"uri": rng.choice([f"{uri}x", "", "untitled:1"]), "version": rng.choice([-1, 0, 1])}
    place = {"line": -1, "character": 2**31}
    method, params = rng.choice(
        [
            ("textDocument/didChange", {"textDocument": other, "contentChanges": [{"text": "x"}]}),
            ("textDocument/didChange", {"textDocument": {"uri": uri, "version": 1}, "contentChanges": [{"range": 3}]}),
            (
                "textDocument/didChange",
                {
                    "textDocument": {"uri": uri, "version": 1},
                    "contentChanges": [{"range": {"start": place, "end": place}, "text": "def no(): pass"}],
                },
            ),
            ("textDocument/didClose", {"textDocument": other}),
            ("textDocument/didOpen", {"textDocument": other}),
            ("window/workDoneProgress/cancel", {"token": rng.choice([1, "", None])}),
            ("$/cancelRequest", {"id": rng.randrange(editor.last_id + 2)}),
        ]
    )
    editor.notify(method, params)


def _ask_at(editor: Editor, uri: str, line: int) -> int:
    place = {"line": line, "character": 0}
    context = {"diagnostics": [], "only": ["refactor.rewrite.afterburner.time"]}
    params = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": context}
    return editor.begin("textDocument/codeAction", params)


def _function_at(text: str, line: int) -> str | None:
    """The function that can be optimised at a line of the text that the editor holds."""
    functions = outline(text)
    found = function_at(functions, line)
    if found is None or found.is_accessor:
        return None
    last = [each for each in functions if each.qualname == found.qualname][-1]
    return found.qualname if found.def_line == last.def_line else None


def _chosen(actions: list[dict[str, Any]]) -> str | None:
    """The function that the one listed action is for; None: it cannot be chosen, or there is none."""
    return next((each["command"]["arguments"][0]["function"] for each in actions if each.get("command")), None)


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
