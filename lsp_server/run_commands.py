"""A run from the command to its result: queued, carried out, shown, told."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import to_fs_path

from afterburner import agent
from afterburner.lsp_server import work
from afterburner.lsp_server.calls_commands import offer_calls
from afterburner.lsp_server.calls_file import calls_file_of, calls_for
from afterburner.lsp_server.offer_commands import offer_result
from afterburner.lsp_server.progress import Progress
from afterburner.lsp_server.protocol import failed
from afterburner.lsp_server.runs import Run
from afterburner.lsp_server.server import bug_of_ours, document_of, function_of
from afterburner.lsp_server.settings import GIVEN_BY, EditorSettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from afterburner.agent.events import ProgressEvent
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.lsp_server.documents import Document
    from afterburner.lsp_server.server import Server

logger = logging.getLogger(__name__)


def optimize(server: Server, given: Mapping[str, Any]) -> None:
    """Begin a run; what comes of it is told when it has ended."""
    document = document_of(server, given)
    function = function_of(given) if given.get("function") is not None else None
    objective = given.get("objective", "time")
    if objective not in ("time", "memory", "integral"):
        raise failed(f"There is no objective {objective!r:.40}. Give time, memory or integral.")
    title = f"Optimizing {function or 'the hottest function of ' + Path(document.path).name}"
    uri = document.uri

    def do(buffers: work.Buffers, request: work.RunRequest) -> RunResult:
        return work.optimize(buffers, function, objective, request)

    server.begin(_run(server, document, _Task(function, title, do, partial(offer_result, server, uri))))


def prove(server: Server, given: Mapping[str, Any]) -> None:
    """Begin a comparison with the last commit; what comes of it is told when it has ended."""
    document, function = document_of(server, given), function_of(given)

    async def done(result: ComparisonResult) -> str:
        return (
            f"{function} against the last commit: {result.decision.value.replace('_', ' ')}: {result.compared.reason}"
        )

    title = f"Comparing {function} with the last commit"

    def compare(buffers: work.Buffers, request: work.RunRequest) -> ComparisonResult:
        return work.prove(buffers, function, request)

    server.begin(_run(server, document, _Task(function, title, compare, done)))


@dataclass(frozen=True, slots=True)
class _Task:
    """What a run does, and what becomes of its result: a sentence for the user."""

    function: str | None
    title: str
    do: Callable[[work.Buffers, work.RunRequest], Any]
    done: Callable[[Any], Coroutine[Any, Any, str]]


async def _run(server: Server, document: Document, task: _Task) -> None:
    """Carry out a run with its progress, and tell what came of it."""
    running = server.runs.find(document.uri, task.function)
    if running is not None:
        server.say(f"{running.title} is still running. Cancel it, or wait.")
        return
    progress = Progress(server, task.title)
    run = Run(document.uri, task.function, task.title, progress.token, agent.CancelToken())
    said, kind = "", types.MessageType.Error
    with server.runs.begun(run):
        try:
            result = await _result(server, document, task, run, progress)
        except agent.CancelledError:
            progress.end("cancelled")
            return
        except agent.WorkloadError as error:
            progress.end("no inputs")
            server.begin(offer_calls(server, document, task.function, _no_inputs(document, task, error)))
            return
        except agent.NotTrustedError:
            said = "you did not allow code of the project to run. Run the action again to change that"
        except (agent.AfterburnerError, EditorSettingsError) as error:
            said = str(error)
        except Exception as error:
            logger.exception("a run failed")
            said = bug_of_ours(error)
        progress.end("failed" if said else "done")
    if not said:
        said, kind = await task.done(result), types.MessageType.Info
    server.say(f"{task.title}: {said}", kind)


async def _result(server: Server, document: Document, task: _Task, run: Run, progress: Progress) -> Any:
    """The result of a run.

    Raises:
        AfterburnerError: there is none.
        EditorSettingsError: a setting of the editor is of the wrong type.
    """
    loop = asyncio.get_running_loop()

    def on_event(event: ProgressEvent) -> None:
        with contextlib.suppress(RuntimeError):  # the server ends, and its loop has ended before
            loop.call_soon_threadsafe(progress.report, event)

    await server.runs.unless_cancelled(run, progress.begin())
    settings = await server.runs.unless_cancelled(run, server.settings_of(document.uri))
    trust = server.trust.hook(server.trusted_folders(settings))
    request = work.RunRequest(settings.run, GIVEN_BY, settings.doubtful, trust, run.cancel, on_event)
    return await server.runs.carry_out(
        run, lambda: partial(task.do, _buffers(server, document, task.function), request)
    )


def _no_inputs(document: Document, task: _Task, error: Exception) -> str:
    """What to do where nothing calls a function: in words for an editor, not for the command line."""
    place = calls_file_of(document.path).name
    return (
        f"{task.title}: no calls of it that can be used. Write some in {place}, or add a doctest or a test. ({error})"
    )


def _buffers(server: Server, document: Document, function: str | None) -> work.Buffers:
    """What the editor holds now, of this file and of others that differ from the disk."""
    held = server.document(document.uri) or document  # it may have been closed and opened again
    others = {
        other.path: other.source
        for other in server.protocol.documents().open_documents()
        if other.uri != document.uri and other.is_python and to_fs_path(other.uri) and _differs_from_disk(other)
    }
    calls = calls_for(document.path, function) if function is not None else None
    return work.Buffers(document.path, held.source, others, str(calls) if calls is not None else None)


def _differs_from_disk(document: Document) -> bool:
    try:
        return Path(document.path).read_bytes() != document.source.encode("utf-8", "surrogatepass")
    except OSError:
        return True
