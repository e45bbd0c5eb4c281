"""The code actions for a place in a document. Listing them asks no model and measures nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import uri_scheme

from afterburner.agent.code.source_text import split_lines
from afterburner.agent.types import Objective
from afterburner.lsp_server.text.outline import function_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from afterburner.lsp_server.offers import Offers
    from afterburner.lsp_server.runs import Runs
    from afterburner.lsp_server.text.outline import OutlinedFunction

KIND = "refactor.rewrite.afterburner"
FIX = "quickfix.afterburner"  # of a hint, for clients that list fixes alone
OF_PROJECT = "source.afterburner"
OPTIMIZE, OPTIMIZE_HOTTEST, PROVE = "afterburner.optimize", "afterburner.optimizeHottest", "afterburner.prove"
APPLY, REVERT, REPORT = "afterburner.apply", "afterburner.revert", "afterburner.report"
CANCEL, WRITE_CALLS, PROFILE = "afterburner.cancel", "afterburner.writeCalls", "afterburner.profile"
_FOR = {
    Objective.TIME: "this function",
    Objective.MEMORY: "this function for memory",
    Objective.INTEGRAL: "this function for memory over time",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the actions are asked for.

    Attributes:
        uri: of the document.
        text: what it holds.
        functions: of it.
        first_line: of the selection, from 0.
        last_line: likewise.
        shows_disabled: whether the client shows why an action is disabled.
        hints: that the client shows, by function; None: it is to have none.
        word: what the user calls the module, "file" or "notebook".
        has_several: whether the module has several functions.
        defined_later: the names that later cells of the notebook define.
    """

    uri: str
    text: str
    functions: Sequence[OutlinedFunction]
    first_line: int
    last_line: int
    shows_disabled: bool
    hints: Mapping[str, types.Diagnostic] | None = None
    word: str = "file"
    has_several: bool = False
    defined_later: frozenset[str] = frozenset()

    def text_of(self, function: OutlinedFunction) -> str:
        """The lines of a function."""
        return "".join(split_lines(self.text)[function.first_line : function.last_line + 1])


def code_actions(place: Place, offers: Offers, runs: Runs, context: types.CodeActionContext) -> list[types.CodeAction]:
    """All actions that the client wants."""
    found = [*_all_actions(place, offers, runs), *(_fixes(place) if context.only else ())]
    return [each for each in found if _is_wanted(str(each.kind), context.only)]


def command_of(name: str, title: str, **argument: Any) -> types.Command:
    """A command of ours. Each takes one object."""
    return types.Command(title=title, command=name, arguments=[argument])


def _all_actions(place: Place, offers: Offers, runs: Runs) -> Iterator[types.CodeAction]:
    function = _selected(place)
    if function is not None and (why_not := _why_not(function, place)):
        if place.shows_disabled:
            yield _action("Optimize this function", "time", disabled=types.CodeActionDisabled(reason=why_not))
    elif function is not None:
        if (run := runs.find(place.uri, function.qualname)) is not None:
            yield _action(f"Cancel: {run.title}", "cancel", command_of(CANCEL, "Cancel", token=run.token))
        yield from _of_function(place, function, offers)
    if place.has_several:
        title = f"Optimize the hottest function of this {place.word}"
        yield _action(title, "hottest", command_of(OPTIMIZE_HOTTEST, title, uri=place.uri))
    if place.hints is not None:
        title = "Profile this project again"
        yield _action(title, "profile", command_of(PROFILE, title, uri=place.uri), below=OF_PROJECT)


def _fixes(place: Place) -> Iterator[types.CodeAction]:
    """What a client that lists fixes alone is to offer for a hint: the same as among the other actions."""
    function = _selected(place)
    if function is not None and not _why_not(function, place) and (hint := _hint_of(place, function)):
        title = f"Optimize this function ({function.qualname})"
        argument = {"objective": Objective.TIME.value, "uri": place.uri, "function": function.qualname}
        yield _action(title, "time", command_of(OPTIMIZE, title, **argument), hint=hint, below=FIX)


def _hint_of(place: Place, function: OutlinedFunction) -> types.Diagnostic | None:
    return (place.hints or {}).get(function.qualname)


def _of_function(place: Place, function: OutlinedFunction, offers: Offers) -> Iterator[types.CodeAction]:
    name = {"uri": place.uri, "function": function.qualname}
    offer = offers.get(place.uri, function.qualname)
    if offer is not None and place.text_of(function) == offer.original:
        title = f"Apply the proven rewrite of {function.qualname} ({offer.short})"
        yield _action(title, "apply", command_of(APPLY, title, **name))
    if offers.result(place.uri, function.qualname, place.text) is not None:
        title = f"Show the report of {function.qualname}"
        yield _action(title, "report", command_of(REPORT, title, **name))
    inner = function.inner_at(place.first_line)
    around = f" ({function.qualname}, around {inner})" if inner else f" ({function.qualname})"
    for objective, words in _FOR.items():
        title = f"Optimize {words}{around}"
        hint = _hint_of(place, function) if objective is Objective.TIME else None
        command = command_of(OPTIMIZE, title, objective=objective.value, **name)
        yield _action(title, objective.value, command, hint=hint)
    if place.word == "file" and uri_scheme(place.uri) == "file":  # no commit has a new file; a notebook is JSON there
        title = f"Prove my change faster ({function.qualname}, against the last commit)"
        yield _action(title, "prove", command_of(PROVE, title, **name))


def _selected(place: Place) -> OutlinedFunction | None:
    """The function at the cursor, or the first one that the selection touches."""
    if (found := function_at(place.functions, place.first_line)) is not None:
        return found
    return next((each for each in place.functions if place.first_line <= each.first_line <= place.last_line), None)


def _why_not(function: OutlinedFunction, place: Place) -> str:
    """Why a function cannot be optimised; empty: it can."""
    if function.is_accessor:
        return (
            f"{function.qualname} is a property, which cannot be optimized by itself: a rewrite is judged on calls, "
            "and a property is read. Move its work into a method, and optimize that."
        )
    same = [each for each in place.functions if each.qualname == function.qualname]
    if same[-1].def_line > function.def_line:
        return f"Line {same[-1].def_line + 1} redefines {function.qualname}. Optimize that definition."
    if function.root in place.defined_later:
        return f"A later cell redefines {function.root}. Optimize that definition."
    return ""


def _action(
    title: str,
    what: str,
    command: types.Command | None = None,
    *,
    disabled: types.CodeActionDisabled | None = None,
    hint: types.Diagnostic | None = None,
    below: str = KIND,
) -> types.CodeAction:
    diagnostics = [hint] if hint is not None else None
    return types.CodeAction(
        title=title, kind=f"{below}.{what}", command=command, disabled=disabled, diagnostics=diagnostics
    )


def _is_wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a kind is one of those asked for, or below one of them."""
    wanted = [getattr(each, "value", each) for each in only or ()]
    return not wanted or any(kind == each or kind.startswith(f"{each}.") or not each for each in wanted)
