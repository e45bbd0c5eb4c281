"""The protocol, corner by corner, with what Visual Studio Code, Neovim and Emacs really declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from editor_client import PAIRS, units
from lsprotocol import types
from protocol_client import EditorClient, connected
from pygls.exceptions import JsonRpcException
from pytest_lsp import client_capabilities

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.asyncio(loop_scope="module")
PROFILES = {"VS Code": "visual-studio-code", "Neovim": "neovim", "Neovim 0.7": "neovim@v0.7", "Emacs": "emacs"}
COMMANDS = {"optimize", "optimizeHottest", "prove", "apply", "revert", "report", "cancel", "writeCalls"}
AGREE = "Run it in the sandbox"
FUNCTION_LINE = 9
METHOD_NOT_FOUND, INVALID_PARAMS = -32601, -32602


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=list(PROFILES.values()), ids=list(PROFILES))
async def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[EditorClient]:
    """One for all tests here. Each works on files of its own."""
    async with connected(request.param, tmp_path_factory.mktemp("workspace")) as one:
        yield one


@pytest.fixture
def path(project: Path) -> Path:
    path = project / "pairs.py"
    path.write_text(PAIRS)
    return path


def has_configuration(client: EditorClient) -> bool:
    assert client.capabilities is not None
    assert client.capabilities.workspace is not None
    return bool(client.capabilities.workspace.configuration)


async def code_of(awaited: object) -> int:
    """The code of the error that a request is answered with."""
    with pytest.raises(JsonRpcException) as raised:
        await awaited  # type: ignore[misc]
    return int(raised.value.code)


@pytest.mark.sampled(2)
async def test_what_is_announced_fits_the_client(client: EditorClient) -> None:
    announced, declared = client.announced, client.capabilities
    assert declared is not None
    wanted = declared.general.position_encodings if declared.general is not None else None
    assert announced.position_encoding == (wanted or [types.PositionEncodingKind.Utf16])[0]
    sync = announced.text_document_sync
    assert isinstance(sync, types.TextDocumentSyncOptions)
    assert (sync.open_close, sync.change) == (True, types.TextDocumentSyncKind.Incremental)
    actions = announced.code_action_provider
    assert isinstance(actions, types.CodeActionOptions)
    kinds = [str(each) for each in actions.code_action_kinds or ()]
    assert "refactor.rewrite.afterburner" in kinds
    assert all(each.endswith(".afterburner") for each in kinds)
    assert not actions.resolve_provider
    assert announced.code_lens_provider is not None
    assert not announced.code_lens_provider.resolve_provider
    assert announced.hover_provider
    assert announced.execute_command_provider is not None
    assert {f"afterburner.{each}" for each in COMMANDS} <= set(announced.execute_command_provider.commands)
    assert announced.workspace is not None
    assert announced.workspace.workspace_folders is not None
    assert announced.workspace.workspace_folders.supported


async def test_actions_are_those_that_the_client_can_show(client: EditorClient, path: Path) -> None:
    uri = client.open(path, "class Stock:\n    @property\n    def size(self):\n        return 1\n")
    assert client.capabilities is not None
    assert client.capabilities.text_document is not None
    can = client.capabilities.text_document.code_action
    assert can is not None
    listed = await client.actions(uri, 3)
    assert [each.disabled is not None for each in listed.values()] == ([True] if can.disabled_support else [])
    client.change(uri, PAIRS)
    assert (await client.actions(uri, FUNCTION_LINE, ["refactor.rewrite"])).keys() >= {"time", "memory", "prove"}
    assert (await client.actions(uri, FUNCTION_LINE, ["refactor.rewrite.afterburner.memory"])).keys() == {"memory"}
    assert not await client.actions(uri, FUNCTION_LINE, ["quickfix", "source.organizeImports"])
    whole = (await client.actions(uri, FUNCTION_LINE))["time"]
    assert (whole.edit, whole.data) == (None, None), "there is nothing to resolve"
    assert await code_of(client.code_action_resolve_async(whole)) == METHOD_NOT_FOUND


@pytest.mark.parametrize("arguments", [None, [], [None], [1, 2], [[]], ["file:///pairs.py"]])
async def test_a_command_with_other_arguments_is_refused(client: EditorClient, arguments: list[object] | None) -> None:
    params = types.ExecuteCommandParams(command="afterburner.optimize", arguments=arguments)
    assert await code_of(client.workspace_execute_command_async(params)) == INVALID_PARAMS


async def test_the_text_is_changed_in_units_of_the_client(client: EditorClient, path: Path) -> None:
    """One unit too few leaves `xdef f`, one too many `ef f`: there is no function then."""
    encoding = str(getattr(client.announced.position_encoding, "value", client.announced.position_encoding))
    head, tail = "é😀\u2028😀x", "def f(a):\n    return a\n"
    uri = client.open(path, head + tail)
    assert not await client.actions(uri, 1)
    start, end = types.Position(line=0, character=0), types.Position(line=0, character=units(head, encoding))
    part = types.TextDocumentContentChangePartial
    client.change(uri, tail, part(range=types.Range(start=start, end=end), text=""))
    assert "time" in await client.actions(uri, 1)
    # Several changes at once, each of the text that the one before it has made, the last behind the end.
    far = types.Position(line=9, character=99)
    changes = [
        part(range=types.Range(start=start, end=start), text="# 😀\n"),
        part(range=types.Range(start=types.Position(1, 4), end=types.Position(1, 5)), text="g"),
        part(range=types.Range(start=far, end=far), text="def h(): pass"),
    ]
    now = "# 😀\n" + tail.replace("f(a)", "g(a)") + "def h(): pass"
    client.change(uri, now, *changes)
    assert [(await client.actions(uri, line))["time"].title for line in (2, 3)] == [
        f"Optimize this function ({name})" for name in "gh"
    ]
    # The whole text, and then a part of it, in one message.
    client.change(uri, f"# 😀\n{tail}", types.TextDocumentContentChangeWholeDocument(text=tail), changes[0])
    assert (await client.actions(uri, 2))["time"].title == "Optimize this function (f)"


async def test_where_nothing_is_proven_there_is_nothing_to_see(client: EditorClient, path: Path) -> None:
    uri = client.open(path, PAIRS)
    for each in (uri, (path.parent / "other.py").as_uri()):
        document = types.TextDocumentIdentifier(uri=each)
        assert not await client.text_document_code_lens_async(types.CodeLensParams(text_document=document))
        place = types.Position(line=FUNCTION_LINE - 1, character=5)
        assert await client.text_document_hover_async(types.HoverParams(text_document=document, position=place)) is None


@pytest.mark.sampled(1)
async def test_a_request_that_is_answered_cannot_be_cancelled_any_more(client: EditorClient, path: Path) -> None:
    """The command that begins a run is answered at once: what ends the run is its progress, or the command for it."""
    uri = client.open(path, PAIRS)
    client.answers = {AGREE}
    command = (await client.actions(uri, FUNCTION_LINE))["time"].command
    assert command is not None
    params = types.ExecuteCommandParams(command=command.command, arguments=command.arguments)
    await client.protocol.send_request_async("workspace/executeCommand", params, msg_id="the run")
    client.cancel_request(types.CancelParams(id="the run"))
    assert "cancel" in await client.actions(uri, FUNCTION_LINE), "it goes on"
    [token] = await client.until(lambda: _going_on(client))
    client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token=token))
    reports = await client.until(lambda: _ended(client, token))
    assert isinstance(reports[0], types.WorkDoneProgressBegin)
    assert reports[0].cancellable
    assert all(isinstance(each, types.WorkDoneProgressReport) for each in reports[1:-1])
    assert (type(reports[-1]), reports[-1].message) == (types.WorkDoneProgressEnd, "cancelled")
    assert "cancel" not in await client.actions(uri, FUNCTION_LINE)
    [question] = [each for each in client.questions if str(path.parent) in each.message]
    assert [each.title for each in question.actions or ()] == [AGREE, "Do not run it"]


async def test_settings_are_asked_for_or_told(client: EditorClient, path: Path) -> None:
    uri = client.open(path, PAIRS)
    settings = {"iterations": "many"}
    if has_configuration(client):
        client.set_configuration(settings, section="afterburner", scope_uri=uri)
    else:
        told = types.DidChangeConfigurationParams(settings={"afterburner": settings})
        client.workspace_did_change_configuration(told)
    client.messages.clear()
    await client.choose((await client.actions(uri, FUNCTION_LINE))["time"].command)
    assert "the editor's settings: iterations" in await client.told("has to be an integer")
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))


def _going_on(client: EditorClient) -> list[types.ProgressToken]:
    """The tokens of runs that have begun to work: the first report is of what comes before."""
    return [
        token
        for token, reports in client.progress_reports.items()
        if len(reports) > 2 and not isinstance(reports[-1], types.WorkDoneProgressEnd)
    ]


def _ended(client: EditorClient, token: types.ProgressToken) -> list[types.WorkDoneProgressBegin]:
    """The reports of a run that has ended."""
    reports = client.progress_reports[token]
    return reports if isinstance(reports[-1], types.WorkDoneProgressEnd) else []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("profile", ["visual-studio-code", "emacs"])
async def test_a_client_may_refuse_to_show_progress(profile: str, path: Path) -> None:
    async with connected(profile, path.parent, shows_progress=False) as client:
        await client.choose((await client.actions(client.open(path, PAIRS), FUNCTION_LINE))["time"].command)
        assert await client.told("you did not allow code of the project to run")
        assert client.questions
        assert not client.progress_reports


@pytest.mark.nightly
async def test_folders_come_and_go(tmp_path: Path) -> None:
    """A client vouches for its folders, for as long as they are its own."""
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for each in folders:
        each.mkdir()
        (each / "pyproject.toml").touch()
        (each / "pairs.py").write_text(PAIRS)
    async with connected("neovim", *folders[:2], initial={"trusted": True}) as client:
        uris = [client.open(each / "pairs.py", PAIRS) for each in folders]

        async def is_asked_about(number: int) -> bool:
            client.questions.clear()
            client.messages.clear()
            await client.choose((await client.actions(uris[number], FUNCTION_LINE))["time"].command)
            runs = await client.until(lambda: client.messages or _going_on(client))
            for token in runs if not client.messages else ():
                client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token=token))
                await client.until(lambda token=token: _ended(client, token))
            return bool(client.questions)

        assert [await is_asked_about(number) for number in range(3)] == [False, False, True]
        moved = [types.WorkspaceFolder(uri=each.as_uri(), name=each.name) for each in folders]
        event = types.WorkspaceFoldersChangeEvent(added=[moved[2]], removed=[moved[1]])
        client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event=event))
        assert [await is_asked_about(number) for number in range(3)] == [False, True, False]


async def _leave_the_preview_open(client: EditorClient, apply: types.Command | None, *, can_preview: bool) -> None:
    """Ask for an edit, and for the same again where it is shown first."""
    client.is_answered.clear()
    client.edits.clear()
    await client.choose(apply)
    await client.until(lambda: client.edits)
    if can_preview:
        await client.choose(apply)
        assert await client.told("Its preview is open: apply or discard it.")
        assert len(client.edits) == 1, "another one would take the place of the open preview"


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("profile", ["emacs", "neovim@v0.7", "visual-studio-code"])
async def test_a_rewrite_from_the_run_to_its_report(profile: str, path: Path) -> None:
    """The user has closed the file before the run ends, and refuses the first edit."""
    declared = client_capabilities(profile)
    assert declared.workspace is not None
    assert declared.window is not None
    async with connected(declared, path.parent, initial={"trusted": True, "iterations": 1}) as client:
        uri = client.open(path, PAIRS)
        await client.choose((await client.actions(uri, FUNCTION_LINE))["time"].command)
        await client.until(lambda: _going_on(client))
        client.close(uri)
        assert "CPU time improved" in await client.told("You closed the file")
        assert not client.edits
        client.open(path, PAIRS)
        apply = (await client.actions(uri, FUNCTION_LINE))["apply"].command
        client.why_not = "read-only"
        await client.choose(apply)
        assert await client.told("The rewrite was not applied: read-only.")
        client.why_not = ""
        can_preview = bool(
            declared.workspace.workspace_edit and declared.workspace.workspace_edit.change_annotation_support
        )
        await _leave_the_preview_open(client, apply, can_preview=can_preview)
        client.is_answered.set()
        assert await client.told("Applied. Undo restores the original.")
        assert client.buffers[uri].text != PAIRS

        edit = client.edits[0].edit
        assert edit.changes is None, "an edit of no version could go into another text"
        assert bool(edit.change_annotations) == can_preview
        [change] = edit.document_changes or ()
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == 1
        assert {type(each) for each in change.edits} == {types.AnnotatedTextEdit if can_preview else types.TextEdit}
        lens = declared.workspace.code_lens
        if lens is not None and lens.refresh_support:
            await client.until(lambda: client.lens_refreshes)

        document = types.TextDocumentIdentifier(uri=uri)
        gain, *others = await client.text_document_code_lens_async(types.CodeLensParams(text_document=document)) or ()
        assert all(each.command is not None for each in (gain, *others)), "there is nothing to resolve"
        hover = await client.text_document_hover_async(
            types.HoverParams(text_document=document, position=gain.range.start)
        )
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert "held-out" in hover.contents.value
        client.messages.clear()
        await client.choose(gain.command)
        if declared.window.show_document is not None and declared.window.show_document.support:
            [page] = await client.until(lambda: client.shown_documents)
            assert page.external
        else:
            assert await client.told("The report is /")
        await client.choose(others[-1].command)
        assert await client.told("The original is back.")
        assert client.buffers[uri].text == PAIRS
        assert bool(client.lens_refreshes) == bool(lens is not None and lens.refresh_support)
