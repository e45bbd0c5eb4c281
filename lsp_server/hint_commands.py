"""Profiles a project for hints, and keeps the hints of open documents as their texts are."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import to_fs_path, uri_scheme

from afterburner import agent
from afterburner.lsp_server.hints import hints_of
from afterburner.lsp_server.hot_functions import HOT_S, allowed_project, hot_functions
from afterburner.lsp_server.progress import Progress
from afterburner.lsp_server.project_session import RunRequest
from afterburner.lsp_server.runs import Run
from afterburner.lsp_server.server import document_of, refusal_teller
from afterburner.lsp_server.settings import GIVEN_BY, EditorSettingsError
from afterburner.lsp_server.threads import begin_in_thread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.lsp_server.hot_functions import HotFunction, HotFunctions
    from afterburner.lsp_server.server import Server

PAUSE_S = 1.0  # in typing, before the hints of a document are renewed
_TO_ALLOW = 'Choose "Profile this project again", and allow it.'


def profile(server: Server, given: Mapping[str, Any]) -> None:
    """Profile the project of a document now, whatever the settings say, and show its hints."""
    document = document_of(server, given)

    async def asked() -> None:
        folder = await _project_of(document.path)
        server.hints.asked_for.add(folder)
        server.hints.profiled.add(folder)
        for each in server.protocol.documents().open_documents():
            if _is_asked_for(server, each.uri):
                server.hints.wanted.add(each.uri)
        server.say(*await _profile(server, document.uri, folder))

    server.begin(asked())


async def begin_hints(server: Server, uri: str) -> None:
    """Show the hints of a document if its settings ask for them; the first one of a project has that profiled."""
    document = server.document(uri)
    if document is None or uri_scheme(uri) != "file":
        return
    try:
        is_set = (await server.settings_of(uri)).hints and _is_in_opened_folder(server, document.path)
    except EditorSettingsError as error:
        server.log(str(error), types.MessageType.Warning)
        return
    if server.document(uri) is None:  # closed meanwhile
        return
    is_wanted = is_set or _is_asked_for(server, uri)
    (server.hints.wanted.add if is_wanted else server.hints.wanted.discard)(uri)
    publish_hints(server, uri)
    if not is_wanted:
        return
    folder = await _project_of(document.path)
    if folder not in server.hints.profiled:
        server.hints.profiled.add(folder)
        server.log(*await _profile(server, uri, folder))


def follow_settings(server: Server) -> None:
    """Begin or end the hints of all open documents, as the settings are now."""
    server.hints.asked_for.clear()
    for each in server.protocol.documents().open_documents():
        server.begin(begin_hints(server, each.uri), is_asked_for=False)


def renew_hints(server: Server, uri: str) -> None:
    """Renew the hints of a document whose text has changed, when its user pauses."""
    if not server.hints.hot_in(uri):
        return
    if (timer := server.hints.waiting.get(uri)) is not None:
        timer.cancel()
    server.hints.waiting[uri] = asyncio.get_running_loop().call_later(PAUSE_S, publish_hints, server, uri)


def publish_hints(server: Server, uri: str) -> None:
    """Send the hints of a document, if they are not those that the client has."""
    document = server.document(uri)
    hot = server.hints.hot_in(uri)
    found = hints_of(document, server.outline_of(document), hot, server.offers) if document is not None and hot else {}
    if found == server.hints.shown.get(uri, {}):
        return
    server.hints.shown[uri] = dict(found)
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(
            uri=uri, version=document.version if document is not None else None, diagnostics=list(found.values())
        )
    )


def end_hints(server: Server, uri: str) -> None:
    """Take the hints of a document away that is closed."""
    server.hints.wanted.discard(uri)
    publish_hints(server, uri)
    server.hints.forget(uri)


async def _profile(server: Server, uri: str, folder: Path) -> tuple[str, types.MessageType]:
    """Profile a project when the runs before it have ended; a message about what came of it."""
    title = f"Profiling the tests of {folder.name}"
    if server.runs.find(folder.as_uri(), None) is not None:
        told = f"{title} is still going on: answer its question about trust, wait, or cancel it."
        return told, types.MessageType.Info
    progress = Progress(server, title)
    run = Run(folder.as_uri(), None, title, progress.token, agent.CancelToken())
    said, kind = "", types.MessageType.Warning
    with server.runs.begun(run):
        try:
            found = await _found(server, uri, run, progress)
        except agent.CancelledError:
            said, kind = "cancelled", types.MessageType.Info
        except agent.NotTrustedError:
            said = f"nothing was run, since you did not allow code of the project to run. {_TO_ALLOW}"
        except agent.WorkloadError as error:
            said = f"no tests call its functions, so there are no hints. Add tests, or make them run here. ({error})"
        except (agent.AfterburnerError, EditorSettingsError) as error:
            said = str(error)
        else:
            said, kind = _told(found), types.MessageType.Info
            server.hints.keep_profile(folder, found.marked)
    for each in list(server.hints.wanted):
        publish_hints(server, each)
    return f"{title}: {said}", kind


async def _found(server: Server, uri: str, run: Run, progress: Progress) -> HotFunctions:
    """The hot functions. A question about trust that nobody answers keeps no other run waiting.

    Raises:
        AfterburnerError: there is no profile.
        EditorSettingsError: a setting of the editor is of the wrong type.
    """
    settings = await server.runs.unless_cancelled(run, server.settings_of(uri))
    trust = server.trust.hook(server.trusted_folders(settings))
    request = RunRequest(
        settings.run,
        GIVEN_BY,
        settings.doubtful,
        trust,
        refusal_teller(server, run.title),
        run.cancel,
        progress.report,
    )
    folder = await begin_in_thread(partial(allowed_project, to_fs_path(uri) or "", request), "trust")[1]
    await server.runs.unless_cancelled(run, progress.begin())
    ended = "failed"
    try:
        found = await server.runs.carry_out(run, lambda: partial(hot_functions, folder, request))
        ended = "done"
    except agent.CancelledError:
        ended = "cancelled"
        raise
    finally:
        progress.end(ended)
    return found


async def _project_of(path: str) -> Path:
    return await begin_in_thread(partial(agent.project_of, Path(path)), "project")[1]


def _told(found: HotFunctions) -> str:
    told = f"hot: {_listed(found.marked)}" if found.marked else "no function takes much of their time"
    if not found.quick:
        return told
    little = f"a rewrite could save less than {HOT_S * 1000:.0f} ms"
    if found.marked:
        return f"{told}; not marked, since {little}: {_listed(found.quick)}"
    return f"no function is marked: {little} of {_listed(found.quick)}"


def _listed(functions: Sequence[HotFunction]) -> str:
    return ", ".join(f"{each.name} ({each.share:.0%})" for each in functions)


def _is_asked_for(server: Server, uri: str) -> bool:
    path = to_fs_path(uri)
    return path is not None and any(Path(path).is_relative_to(each) for each in server.hints.asked_for)


def _is_in_opened_folder(server: Server, path: str) -> bool:
    """Whether a file is part of what the user works on, and not of a library that was looked into."""
    return any(Path(path).resolve().is_relative_to(each) for each in server.opened_folders())
