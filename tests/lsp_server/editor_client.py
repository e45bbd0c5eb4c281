"""An editor for tests: it speaks to a real server process, holds documents, and applies what the server asks for."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from lsprotocol.converters import get_converter
from pytest_lsp import client_capabilities

from afterburner.agent.code.source_text import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = (sys.executable, "-m", "afterburner.agent", "lsp", "--stdio", "--verbose")
ANSWER_S = 60.0
PAIRS = Path(__file__).with_name("pairs.py.txt").read_text("utf-8")  # the walk in VS Code uses it, too


def recorded(client: str) -> dict[str, Any]:
    """What a real editor has declared when it started a server: `name` or `name@version`."""
    declared: dict[str, Any] = get_converter().unstructure(client_capabilities(client))
    return declared


VS_CODE, NEOVIM = recorded("visual-studio-code"), recorded("neovim")
HELIX = {  # of which there is no record, as far as the server looks at it; it does not know window/showMessageRequest
    "textDocument": {"codeAction": {"disabledSupport": True}},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
    },
}


@dataclass
class Buffer:
    """What the editor holds of a file."""

    text: str
    version: int = 1


@dataclass
class Editor:
    """A client with one server."""

    capabilities: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    initial: dict[str, Any] | None = None
    command: tuple[str, ...] = COMMAND
    environment: dict[str, str] | None = None  # of the server; None: ours
    answers: tuple[str, ...] = ()  # the titles to choose where a message asks; it is dismissed where there is none
    takes_edits: bool = True
    edit_error: str = ""
    can_ask: bool = True
    is_initialized: bool = True
    odd_answers: dict[str, dict[str, Any]] = field(default_factory=dict)  # by method
    while_asked: dict[str, Callable[[], None]] = field(default_factory=dict)  # what a user does then, by method
    buffers: dict[str, Buffer] = field(default_factory=dict)
    tell_change: dict[str, Callable[[dict[str, Any]], None]] = field(default_factory=dict)  # of cells, by their URIs
    asked: list[dict[str, Any]] = field(default_factory=list)  # what the server has asked for and told
    edits: list[dict[str, Any]] = field(default_factory=list)
    last_id: int = 0  # of a request
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _answers: dict[Any, dict[str, Any]] = field(default_factory=dict)
    _out: queue.Queue[dict[str, Any] | None] = field(default_factory=queue.Queue)

    def start(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=self.environment,
        )
        self.errors: list[str] = []
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._read, self._write, self._keep_errors)
        ]
        for each in self._threads:
            each.start()
        if self.is_initialized:
            self.initialize(folder)

    def initialize(self, folder: Path) -> None:
        params: dict[str, Any] = {"processId": None, "rootUri": folder.as_uri(), "capabilities": self.capabilities}
        self.server = self.request("initialize", params | {"initializationOptions": self.initial})
        self.notify("initialized", {})

    @property
    def encoding(self) -> str:
        """The units of positions that were agreed on."""
        return str(self.server["capabilities"]["positionEncoding"])

    # Sending

    def notify(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any) -> int:
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        return self.last_id

    def request(self, method: str, params: Any) -> Any:
        """The result of a request; a `ServerError` where the answer is one."""
        return self.result(self.begin(method, params))

    def result(self, sent: Any) -> Any:
        with self._changed:
            there = self._changed.wait_for(lambda: sent in self._answers, ANSWER_S)
        assert there, (sent, self.errors)
        answer = self._answers.pop(sent)
        if "error" in answer:
            raise ServerError(answer["error"]["code"], answer["error"]["message"])
        return answer["result"]

    def send(self, message: Any) -> None:
        self._out.put(message)

    # What a user does

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a file, and give its URI."""
        held = path.read_text("utf-8") if text is None else text
        self.buffers[path.as_uri()] = Buffer(held)
        item = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": held}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return path.as_uri()

    def type(self, uri: str, text: str) -> None:
        """Hold another text, told as a whole."""
        buffer = self.buffers[uri]
        buffer.text, buffer.version = text, buffer.version + 1
        identifier = {"uri": uri, "version": buffer.version}
        if uri in self.tell_change:
            self.tell_change[uri]({"document": identifier, "changes": [{"text": text}]})
        else:
            self.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [{"text": text}]})

    def actions(self, uri: str, line: int, **context: Any) -> dict[str, dict[str, Any]]:
        """The code actions at a line, by their kinds behind the common part."""
        place = {"line": line, "character": 0}
        params = {
            "textDocument": {"uri": uri},
            "range": {"start": place, "end": place},
            "context": {"diagnostics": [], **context},
        }
        found = self.request("textDocument/codeAction", params)
        return {each["kind"].removeprefix("refactor.rewrite.afterburner."): each for each in found}

    def choose(self, action: dict[str, Any]) -> Any:
        """Click it."""
        command = action["command"]
        return self.request(
            "workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]}
        )

    def wait(self, method: str, holds: Callable[[Any], bool] = lambda _: True, seconds: float = 240.0) -> Any:
        """The parameters of the first message of that kind from the server that fits, earlier ones included."""

        def found() -> dict[str, Any] | None:
            return next((each for each in self.asked if each["method"] == method and holds(each.get("params"))), None)

        with self._changed:
            there = self._changed.wait_for(lambda: found() is not None, seconds)
        assert there, ([each for each in self.asked if each["method"] != "$/progress"], self.errors)
        return (found() or {}).get("params")

    def quit(self) -> int:
        """Shut down in an orderly way, and give the exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(10)

    def kill(self) -> None:
        """End like an editor that crashes: nothing is said, the pipes close."""
        self._out.put(None)

    def close(self) -> None:
        """End it, and its server with it."""
        self.kill()
        try:
            self.process.wait(10)
        finally:
            self.process.kill()
            for each in self._threads:
                each.join(10)

    # Receiving

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as out:
            self._receive_all(out)

    def _receive_all(self, out: IO[bytes]) -> None:
        while True:
            length = 0
            while (line := out.readline().strip()) != b"":
                name, _, value = line.partition(b": ")
                assert name in (b"Content-Length", b"Content-Type"), line  # nothing but messages comes on its stdout
                length = int(value) if name == b"Content-Length" else length
            if not length:
                return
            self._receive(json.loads(out.read(length)))

    def _receive(self, message: dict[str, Any]) -> None:
        if "method" in message:
            with self._changed:
                self.asked.append(message)
                self._changed.notify_all()
            if "id" in message:
                self.while_asked.pop(message["method"], lambda: None)()
                self.send({"jsonrpc": "2.0", "id": message["id"], **self._answer(message)})
            return
        with self._changed:
            self._answers[message.get("id")] = message
            self._changed.notify_all()

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        params, method = message.get("params") or {}, message["method"]
        if method in self.odd_answers:
            return self.odd_answers[method]
        if method == "window/showMessageRequest" and not self.can_ask:
            return {"error": {"code": -32601, "message": "Method Not Found"}}
        if method == "workspace/applyEdit" and self.edit_error:
            return {"error": {"code": -32603, "message": self.edit_error}}
        result: Any = None
        if method == "workspace/configuration":
            result = [self.settings for _ in params["items"]]
        elif method == "window/showMessageRequest":
            titles = {each["title"]: each for each in params["actions"]}
            result = next((titles[each] for each in self.answers if each in titles), None)
        elif method == "window/showDocument":
            result = {"success": True}
        elif method == "workspace/applyEdit":
            result = {"applied": self.takes_edits and self._apply(params["edit"])}
        return {"result": result}

    def _apply(self, edit: dict[str, Any]) -> bool:
        self.edits.append(edit)
        changes = [
            (each["textDocument"]["uri"], each["textDocument"]["version"], each["edits"])
            for each in edit.get("documentChanges", [])
            if "textDocument" in each
        ]
        changes += [(uri, None, edits) for uri, edits in edit.get("changes", {}).items()]
        for uri, version, edits in changes:
            buffer = self.buffers.setdefault(uri, Buffer(""))
            if version is not None and version != buffer.version:
                return False
            self.type(uri, edited(buffer.text, edits, self.encoding))
        return True

    def _write(self) -> None:
        pipe = self.process.stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError, ValueError), pipe:
            while (message := self._out.get()) is not None:
                body = message if isinstance(message, bytes) else json.dumps(message).encode()
                pipe.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                pipe.flush()

    def _keep_errors(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as errors:
            self.errors += (line.decode("utf-8", "replace") for line in errors)


class ServerError(Exception):
    """An answer that is an error: its code and its message."""


def edited(text: str, edits: list[dict[str, Any]], encoding: str) -> str:
    """The text after edits of it, none of which touches another."""
    for each in sorted(edits, key=lambda each: each["range"]["start"]["line"], reverse=True):
        start, end = (offset(text, each["range"][name], encoding) for name in ("start", "end"))
        text = text[:start] + each["newText"] + text[end:]
    return text


def units(text: str, encoding: str) -> int:
    """How long a text is in units of an encoding of positions, such as `utf-16`."""
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return len(text.encode("utf-8" if size == 1 else f"{encoding}-le", "surrogatepass")) // size


def offset(text: str, position: dict[str, int], encoding: str = "utf-16") -> int:
    """Where a position is in a text: behind a line's end it is that end, in half a character its beginning."""
    lines = split_lines(text)
    before = sum(map(len, lines[: position["line"]]))
    if position["line"] >= len(lines):
        return before
    used = 0
    for column, char in enumerate(lines[position["line"]].rstrip("\r\n")):
        used += units(char, encoding)
        if used > position["character"]:
            return before + column
    return before + len(lines[position["line"]].rstrip("\r\n"))


def is_alive(pid: int) -> bool:
    """Whether a process of that number runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether something comes to hold."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


class StartEditor(Protocol):
    """Starts an editor in the folder of the test."""

    def __call__(self, capabilities: dict[str, Any] = ..., **options: Any) -> Editor: ...
