"""A run from the command to its result: queued, carried out, shown, told."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import to_fs_path

from afterburner import agent
from afterburner.agent.code.locate import check_syntax
from afterburner.agent.errors import NoInputsError
from afterburner.lsp_server import loaded_late, work
from afterburner.lsp_server.calls_commands import offer_calls
from afterburner.lsp_server.calls_file import calls_file_of, calls_for
from afterburner.lsp_server.edit_watch import EditWatch
from afterburner.lsp_server.offer_commands import Told, offer_result
from afterburner.lsp_server.progress import Progress
from afterburner.lsp_server.project_session import RunRequest, check_settings
from afterburner.lsp_server.protocol import failed
from afterburner.lsp_server.runs import Run
from afterburner.lsp_server.server import bug_of_ours, document_of, function_of, refusal_teller
from afterburner.lsp_server.settings import GIVEN_BY, EditorSettingsError, in_editor_words
from afterburner.lsp_server.stated_settings import stated_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.lsp_server.server import Server
    from afterburner.lsp_server.text.documents import Document
    from afterburner.lsp_server.text.modules import Module, ModuleText

logger = logging.getLogger(__name__)
_FOR = {"time": "", "memory": " for memory", "integral": " for memory over time"}  # by the objective
_CALLS_OPTION = "--calls: "
_NOT_ALLOWED = "you did not allow code of the project to run. Run the action again to change that."


def optimize(server: Server, given: Mapping[str, Any]) -> None:
    """Begin a run; what comes of it is told when it has ended."""
    document = document_of(server, given)
    function = function_of(given) if given.get("function") is not None else None
    objective = given.get("objective", "time")
    if objective not in _FOR:
        raise failed(f"There is no objective {objective!r:.40}. Give time, memory or integral.")
    module = server.module_of(document)
    title = f"Optimizing {function or f'the hottest function of {module.name}'}{_FOR[objective]}"

    def do(buffers: work.Buffers, request: RunRequest) -> RunResult:
        return work.optimize(buffers, function, objective, request)

    done = partial(offer_result, server, document, module)
    outcome = "the result will not be applied as it is"
    server.begin(_run(server, _Task(document, module, function, title, do, done, outcome)))


def prove(server: Server, given: Mapping[str, Any]) -> None:
    """Begin a comparison with the last commit; what comes of it is told when it has ended."""
    document, function = document_of(server, given), function_of(given)
    module = server.module_of(document)
    if module.is_notebook:
        raise failed(f"{module.name} is a notebook: it cannot be compared with a commit, which holds no module of it.")

    async def done(result: ComparisonResult, _text: ModuleText) -> Told:
        message = loaded_late.message_of_comparison(result)
        return Told(message, details=loaded_late.details_of_comparison(result))

    title = f"Comparing {function} with the last commit"

    def compare(buffers: work.Buffers, request: RunRequest) -> ComparisonResult:
        return work.prove(buffers, function, request)

    outcome = "the answer will be about the text before that"
    server.begin(_run(server, _Task(document, module, function, title, compare, done, outcome)))


@dataclass(frozen=True, slots=True)
class _Task:
    """What a run does, and what becomes of its result and of the text it is of: what to tell the user.

    `outcome` says what becomes of it where the user edits the function meanwhile.
    """

    document: Document
    module: Module
    function: str | None
    title: str
    do: Callable[[work.Buffers, RunRequest], Any]
    done: Callable[[Any, ModuleText], Coroutine[Any, Any, Told]]
    outcome: str


async def _run(server: Server, task: _Task) -> None:
    """Carry out a run with its progress, and tell what came of it."""
    uri = task.document.uri
    running = server.runs.find(uri, task.function)
    if running is not None:
        standing = "is waiting for its turn" if server.runs.is_queued(running) else "is still running"
        server.say(f"{running.title} {standing}. Cancel it, or wait.")
        return
    try:  # now, since the queue may be long
        check_syntax(task.module.text_for(task.function).text, task.module.path)
    except agent.UsageError as error:
        _tell(server, task, str(error), types.MessageType.Error)
        return
    progress = Progress(server, task.title)
    run = Run(uri, task.function, task.title, progress.token, agent.CancelToken())
    said, kind, details = "", types.MessageType.Error, ""
    with server.runs.begun(run):
        try:
            result, text, note = await _result(server, task, run, progress)
        except agent.CancelledError:
            progress.end("cancelled")
            return
        except NoInputsError as error:
            progress.end("no inputs")
            _tell_no_inputs(server, task, error)
            return
        except agent.NotTrustedError:
            said, kind = _NOT_ALLOWED, types.MessageType.Info  # the user's own answer is no error
        except (agent.AfterburnerError, EditorSettingsError) as error:
            said = str(error)
        except Exception as error:
            logger.exception("a run failed")
            said = bug_of_ours(error)
        progress.end("failed" if said else "done")
    if not said:
        told, kind, details = await task.done(result, text)
        said = " ".join(filter(None, [told, *text.left_out, note]))
    _tell(server, task, said, kind, details)


def _tell(server: Server, task: _Task, said: str, kind: types.MessageType, details: str = "") -> None:
    message = f"{task.title}: {in_editor_words(said)}"
    server.say(message, kind)
    server.log("\n".join(filter(None, [message, in_editor_words(details)])), kind)  # windows vanish


async def _result(server: Server, task: _Task, run: Run, progress: Progress) -> tuple[Any, ModuleText, str]:
    """The result of a run, the text that it is of, and what of the settings did not count.

    Raises:
        AfterburnerError: there is none.
        EditorSettingsError: a setting of the editor's own is of the wrong type.
    """
    await server.runs.unless_cancelled(run, progress.begin())
    settings = await server.runs.unless_cancelled(run, server.settings_of(task.module.uri))
    check_settings(task.module.path, settings.run, GIVEN_BY, settings.doubtful)  # now, since the queue may be long
    trust = server.trust.hook(server.trusted_folders(settings), progress.asking)
    on_refused = refusal_teller(server, task.title)
    of_run, note = stated_of(settings.run, task.module.text_for(task.function).text, task.function)
    request = RunRequest(of_run, GIVEN_BY, settings.doubtful, trust, on_refused, run.cancel, progress.report)

    def work_of(text: ModuleText) -> Callable[[], tuple[Any, ModuleText]]:
        buffers = _buffers(server, task, text)
        if task.function is not None:
            now = partial(server.now, task.module)
            progress.watch(EditWatch(task.function, text.text, now, task.outcome).note)
        return lambda: (task.do(buffers, request), text)

    begun = await server.runs.carry_out(run, lambda: work_of(server.now(task.module).text_for(task.function)))
    return *begun, note


def _tell_no_inputs(server: Server, task: _Task, error: NoInputsError) -> None:
    """Say what to do where nothing calls a function: in words for an editor, not for the command line."""
    told = f"{task.title}: no usable calls of it were found."
    if error.usable:
        message = (
            f"{task.title}: just one usable call of it was found, and a rewrite has to be confirmed on another one "
            "than it is chosen by. Add a second call beside it."
        )
        server.say(message, types.MessageType.Error)
        server.log(message, types.MessageType.Error)
        return
    if task.module.is_notebook:
        server.say(f"{told} Call it in a cell, or add a doctest. ({error})", types.MessageType.Error)
        return
    lines = str(error).splitlines()
    tried = "; ".join(line.strip(" -") for line in lines if line.startswith("  - "))
    place = calls_file_of(task.module.path)
    if not tried and task.function is not None and calls_for(task.module.path, task.function) is not None:
        message = in_editor_words(f"{told} {' '.join(lines).removeprefix(_CALLS_OPTION)}")
        server.say(message, types.MessageType.Error)
        server.log(message, types.MessageType.Error)
        return
    message = f"{told} Write some in {place.name}, or add a doctest or a test.{f' (Tried: {tried})' if tried else ''}"
    server.begin(offer_calls(server, task.document, task.function, message))


def _buffers(server: Server, task: _Task, text: ModuleText) -> work.Buffers:
    """What the editor holds now, of this module and of other files that differ from the disk."""
    others = {
        other.path: other.source
        for other in server.protocol.documents().open_documents()
        if _is_other_file(other, task.module) and _differs_from_disk(other)
    }
    function = None if task.module.is_notebook else task.function
    calls = calls_for(task.module.path, function) if function is not None else None
    return work.Buffers(task.module.path, text.text, others, str(calls) if calls is not None else None)


def _is_other_file(document: Document, module: Module) -> bool:
    return (
        document.uri != module.uri
        and document.is_python
        and not document.is_cell
        and to_fs_path(document.uri) is not None
    )


def _differs_from_disk(document: Document) -> bool:
    """Whether a text is not saved. One that no file can hold, with half a character of UTF-16 in it, does not count."""
    try:
        held = document.source.encode()
    except UnicodeEncodeError:
        return False
    try:
        return Path(document.path).read_bytes() != held
    except OSError:
        return True
