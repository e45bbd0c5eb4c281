"""A run from the command to its result: queued, carried out, shown, told."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import to_fs_path

from afterburner import agent
from afterburner.lsp_server import work
from afterburner.lsp_server.calls_commands import offer_calls
from afterburner.lsp_server.calls_file import calls_file_of
from afterburner.lsp_server.offer_commands import offer_result
from afterburner.lsp_server.progress import Progress
from afterburner.lsp_server.protocol import failed
from afterburner.lsp_server.runs import Run
from afterburner.lsp_server.server import document_of, function_of
from afterburner.lsp_server.settings import GIVEN_BY, EditorSettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from afterburner.agent.events import ProgressEvent
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.lsp_server.documents import Document
    from afterburner.lsp_server.server import Server


def optimize(server: Server, given: Mapping[str, Any]) -> None:
    """Begin a run; what comes of it is told when it has ended."""
    document = document_of(server, given)
    function = function_of(given) if given.get("function") is not None else None
    objective = given.get("objective", "time")
    if objective not in ("time", "memory", "integral"):
        raise failed(f"There is no objective {objective!r:.40}. Give time, memory or integral.")
    title = f"Optimizing {function or 'the hottest function of ' + Path(document.path).name}"
    uri = document.uri

    def do(buffers: work.Buffers, asked: work.Asked) -> RunResult:
        return work.optimize(buffers, function, objective, asked)

    server.begin(_run(server, document, _Task(function, title, do, partial(offer_result, server, uri))))


def prove(server: Server, given: Mapping[str, Any]) -> None:
    """Begin a comparison with the last commit; what comes of it is told when it has ended."""
    document, function = document_of(server, given), function_of(given)

    async def done(result: ComparisonResult) -> str:
        return (
            f"{function} against the last commit: {result.decision.value.replace('_', ' ')}: {result.compared.reason}"
        )

    title = f"Comparing {function} with the last commit"

    def compare(buffers: work.Buffers, asked: work.Asked) -> ComparisonResult:
        return work.prove(buffers, function, asked)

    server.begin(_run(server, document, _Task(function, title, compare, done)))


@dataclass(frozen=True, slots=True)
class _Task:
    """What a run does, and what becomes of its result: a sentence for the user."""

    function: str | None
    title: str
    do: Callable[[work.Buffers, work.Asked], Any]
    done: Callable[[Any], Coroutine[Any, Any, str]]


async def _run(server: Server, document: Document, task: _Task) -> None:
    """Carry out a run with its progress, and tell what came of it."""
    if server.runs.find(document.uri, task.function) is not None:
        server.say(f"{task.title}: this is going on already.")
        return
    loop, progress = asyncio.get_running_loop(), Progress(server, task.title)
    buffers = _buffers(server, document)

    def on_event(event: ProgressEvent) -> None:
        with contextlib.suppress(RuntimeError):  # the server ends, and its loop has ended before
            loop.call_soon_threadsafe(progress.report, event)

    with server.runs.begun(Run(document.uri, task.function, progress.token, agent.CancelToken())) as run:
        try:
            await progress.begin()
            settings = await server.settings_of(document.uri)
            trust = server.trust.hook(is_trusted=settings.trusted)
            asked = work.Asked(settings.run, GIVEN_BY, trust, run.cancel, on_event)
            result = await server.runs.carry_out(run, partial(task.do, buffers, asked))
        except agent.CancelledError:
            progress.end("cancelled")
            return
        except agent.WorkloadError as error:
            progress.end("no inputs")
            server.begin(offer_calls(server, document, task.function, f"{task.title}: {error}"))
            return
        except (agent.AfterburnerError, EditorSettingsError) as error:
            progress.end("failed")
            server.say(f"{task.title}: {error}", types.MessageType.Error)
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, the user has to hear of it
            progress.end("failed")
            server.say(f"{task.title}: an error of ours: {type(error).__name__}: {error}", types.MessageType.Error)
            return
        progress.end("done")
    server.say(f"{task.title}: {await task.done(result)}")


def _buffers(server: Server, document: Document) -> work.Buffers:
    """What the editor holds now, of this file and of others that differ from the disk."""
    others = {
        other.path: other.source
        for other in server.protocol.documents().open_documents()
        if other.uri != document.uri and other.is_python and to_fs_path(other.uri) and _differs_from_disk(other)
    }
    calls = calls_file_of(document.path)
    return work.Buffers(document.path, document.source, others, str(calls) if calls.is_file() else None)


def _differs_from_disk(document: Document) -> bool:
    try:
        return Path(document.path).read_bytes() != document.source.encode("utf-8", "surrogatepass")
    except OSError:
        return True
