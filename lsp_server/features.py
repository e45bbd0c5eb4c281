"""What the server answers: which messages, and who handles them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from afterburner.lsp_server.actions import (
    APPLY,
    CANCEL,
    FIX,
    KIND,
    OF_PROJECT,
    OPTIMIZE,
    OPTIMIZE_HOTTEST,
    PROFILE,
    PROVE,
    REPORT,
    REVERT,
    WRITE_CALLS,
    Place,
    code_actions,
)
from afterburner.lsp_server.calls_commands import write_calls
from afterburner.lsp_server.hint_commands import begin_hints, end_hints, follow_settings, profile, renew_hints
from afterburner.lsp_server.lenses import hover_of, lenses_of
from afterburner.lsp_server.offer_commands import change, report
from afterburner.lsp_server.run_commands import optimize, prove
from afterburner.lsp_server.server import Server
from afterburner.lsp_server.stored_offers import find_offers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def make_server(version: str, *, may_trust_client: bool = True) -> Server:
    """A server with all that it answers; see `Server`."""
    server = Server(version, may_trust_client=may_trust_client)
    _answer_client(server)
    _answer_documents(server)
    _answer_notebooks(server)
    _answer_questions(server)
    _answer_commands(server)
    return server


def _answer_client(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.protocol.use_documents()
        server.initial_settings = params.initialization_options

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        server.pushed_settings = params.settings
        follow_settings(server)

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancelled(params: types.WorkDoneProgressCancelParams) -> None:
        if params.token is not None:  # a broken message must not end all runs
            server.runs.cancel(params.token)

    @server.feature(types.SHUTDOWN)
    def shut_down(_params: None) -> None:
        server.runs.cancel()


def _answer_notebooks(server: Server) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(_params: types.DidChangeNotebookDocumentParams) -> None:
        server.changed.set()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        for each in params.cell_text_documents:
            server.forget(each.uri)


def _answer_documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.begin(find_offers(server, params.text_document.uri), is_asked_for=False)
        server.begin(begin_hints(server, params.text_document.uri), is_asked_for=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed.set()
        renew_hints(server, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        end_hints(server, params.text_document.uri)
        server.forget(params.text_document.uri)


def _answer_questions(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[KIND, FIX, OF_PROJECT], resolve_provider=False),
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.document(params.text_document.uri)
        if document is None:
            return []
        lines = params.range.start.line, params.range.end.line
        can = server.client_capabilities.text_document
        shows = can is not None and can.code_action is not None and bool(can.code_action.disabled_support)
        hints = server.hints.shown.get(document.uri, {}) if document.uri in server.hints.wanted else None
        functions, module = server.outline_of(document), server.module_of(document)
        later = frozenset(found.root for each in module.behind(document) for found in server.outline_of(each))
        place = Place(
            document.uri,
            document.python,
            functions,
            *lines,
            shows_disabled=shows,
            hints=hints,
            word=module.word,
            has_several=sum(len(server.outline_of(each)) for each in module.documents) > 1,
            defined_later=later,
        )
        return code_actions(place, server.offers, server.runs, params.context)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        document = server.document(params.text_document.uri)
        return [] if document is None else lenses_of(document, server.outline_of(document), server.offers)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.document(params.text_document.uri)
        if document is None:
            return None
        return hover_of(document, server.outline_of(document), server.offers, params.position.line)


def _answer_commands(server: Server) -> None:
    def command(name: str, handle: Callable[[Server, Mapping[str, Any]], Any]) -> None:
        @server.command(name)
        def call(*arguments: Any) -> Any:
            given = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
            return handle(server, given)

    command(OPTIMIZE, optimize)
    command(OPTIMIZE_HOTTEST, optimize)
    command(PROVE, prove)
    command(APPLY, partial(change, reverts=False))
    command(REVERT, partial(change, reverts=True))
    command(REPORT, report)
    command(CANCEL, lambda server, given: server.runs.cancel(given.get("token")))
    command(WRITE_CALLS, write_calls)
    command(PROFILE, profile)
