"""Measures what a pull request changes, or a part of a whole repository, in one session."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError, WorkloadError, open_session
from afterburner.agent.code.skip_marker import SKIP_MARKER, says_skip
from afterburner.agent.events import OnEvent, ignore_event
from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.ci_action.changes import LeftOut, find_changes, functions_of_file, printable_name
from afterburner.ci_action.comparing import Comparing
from afterburner.ci_action.findings import Place, part_interrupted
from afterburner.ci_action.gathered import Gathered
from afterburner.ci_action.memory import Memory
from afterburner.ci_action.optimizing import (
    beyond_the_most,
    explain_unranked,
    optimize_functions,
    pytest_missing,
)
from afterburner.ci_action.paths import PathFilter
from afterburner.ci_action.python_code import is_async
from afterburner.ci_action.report.document import MOST_FUNCTIONS, CiDocument, Decision, LeftOutPart, Mode
from afterburner.ci_action.report.words import one_line, own_option
from afterburner.ci_action.repository import find_range, head_alone, open_repository
from afterburner.ci_action.uncommitted import uncommitted_files, uncommitted_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from git import Repo

    from afterburner.agent import Session
    from afterburner.agent.types import Machine
    from afterburner.ci_action.changes import ChangedFunction
    from afterburner.ci_action.optimizing import Key
    from afterburner.ci_action.options import CiOptions
    from afterburner.ci_action.report.document import FunctionPart
    from afterburner.ci_action.repository import Range

_PACKAGE = "afterburner-agent"
_NOT_TRIED = (Decision.NOT_REACHED, Decision.INTERRUPTED)
_ASYNC = "it is `async def`, which is not looked at by itself"
_MOST_PATCH = 400_000


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured: the report, and what the page and the receipts are made of."""

    document: CiDocument
    gathered: Gathered


def measure(options: CiOptions, on_event: OnEvent = ignore_event) -> Measured:
    """Find what counts, measure it, and tell what was found. Nothing of the repository is written.

    Args:
        options: of the call.
        on_event: receives progress events.

    Raises:
        UsageError: there is no repository, or no such revision.
        AfterburnerError: nothing could be measured, such as for want of a sandbox.
    """
    started_s = time.monotonic()
    gathered = Gathered()
    on_event = in_own_terms(on_event)
    with (
        open_repository(options.root) as repository,
        open_session(sandbox=options.sandbox, models=options.models, caps=options.caps, store=None) as session,
    ):
        if options.mode is Mode.SCHEDULE:
            span = head_alone(repository)
            _note_uncommitted(repository, options, span, gathered)
            _work_through(session, options, span, gathered, on_event)
        else:
            span = find_range(repository, options.base)
            changes = find_changes(
                repository,
                span,
                PathFilter.of(options.include, options.exclude),
                of_checkout=options.mode is Mode.OPTIMIZE,
            )
            gathered.left_out += changes.left_out
            gathered.notes += changes.notes
            functions = {(each.file, each.name): each for each in changes.functions}
            if options.mode is Mode.OPTIMIZE:
                if functions:
                    _note_uncommitted(repository, options, span, gathered)
                with_code = {key: each for key, each in functions.items() if not each.is_bound}
                _optimize_changes(session, options, with_code, gathered, on_event)
            else:
                Comparing(session, options, span, gathered, on_event).compare(functions)
        base = None if options.mode is Mode.SCHEDULE else span.base.hexsha
        document = _document(options, base, span.head.hexsha, gathered, time.monotonic() - started_s)
    return Measured(document, gathered)


def in_own_terms(on_event: OnEvent) -> OnEvent:
    """Tells of events with the options of `ci` in place of a run's."""
    return lambda event: on_event(replace(event, detail=own_option(event.detail)))


def _note_uncommitted(repository: Repo, options: CiOptions, span: Range, gathered: Gathered) -> None:
    """Note which files of the checkout are not those of the commit: the checkout is what is measured."""
    files = uncommitted_files(repository, span.head, tuple(filter(None, (*options.written, options.memory))))
    if files:
        gathered.notes.append(uncommitted_note([printable_name(each) for each in files], span.head))


def _optimize_changes(
    session: Session,
    options: CiOptions,
    functions: dict[Key, ChangedFunction],
    gathered: Gathered,
    on_event: OnEvent,
) -> None:
    silenced = {key for key, each in functions.items() if says_skip(each.text)}
    gathered.left_out += [LeftOut(file, f"it says `{SKIP_MARKER}`", name) for file, name in sorted(silenced)]
    functions = {key: each for key, each in functions.items() if key not in silenced}
    if not functions:
        return
    called: set[Key] = set()

    def find(key: Key) -> ChangedFunction | None:
        called.add(key)
        return functions.get(key)

    try:
        optimize_functions(session, options, find, gathered, on_event)
    except WorkloadError as error:
        explain_unranked(error, options, functions, gathered)
        return
    tried = {(part.file, part.function) for part in gathered.functions}
    for key, function in functions.items():
        if key not in tried:
            is_called = key in called
            if gathered.interrupted and (is_called or not called):  # else nothing was ranked yet
                gathered.functions.append(part_interrupted(Place(function, None)))
            else:
                gathered.left_out.append(_why_not_tried(function, options, gathered, is_called=is_called))


def _why_not_tried(function: ChangedFunction, options: CiOptions, gathered: Gathered, *, is_called: bool) -> LeftOut:
    if is_called:
        return beyond_the_most(function, options)
    reason = _ASYNC if is_async(function.text) else _not_called(options, gathered.python_without_pytest)
    return LeftOut(function.file, reason, function.name)


def _not_called(options: CiOptions, python_without_pytest: str) -> str:
    if python_without_pytest:
        return f"unittest does not call it, and {pytest_missing(python_without_pytest)}"
    who = "the command does" if options.command else "the tests do"
    return f"{who} not call it, so there is nothing to judge a rewrite on"


def _work_through(session: Session, options: CiOptions, span: Range, gathered: Gathered, on_event: OnEvent) -> None:
    """Optimise the hottest functions of the whole repository that no earlier run has tried."""
    memory, who = Memory.read(options.memory), f"{options.models.model} {version(_PACKAGE)}"
    wanted = PathFilter.of(options.include, options.exclude)
    resting = memory.wake(who)
    files: dict[str, dict[str, ChangedFunction]] = {}

    def find(key: Key) -> ChangedFunction | None:
        file, name = key
        if file not in files:
            files[file] = _functions_by_name(options, span, file) if wanted.takes(file) else {}
        function = files[file].get(name)
        is_new = function is not None and not memory.knows(function.key, who) and function.key not in resting
        return function if is_new else None

    optimize_functions(session, options, find, gathered, on_event)
    remember_tried(memory, gathered.functions, who)
    if options.memory is not None:
        memory.write(options.memory)


def remember_tried(memory: Memory, parts: Sequence[FunctionPart], who: str) -> None:
    """Note what was tried; one that was not reached is tried by the next run, and does not rest before."""
    for part in parts:
        if part.decision in _NOT_TRIED:
            continue
        if part.cut_short:
            memory.let_rest(part.key, who)
        else:
            memory.remember(part.key, who)


def _functions_by_name(options: CiOptions, span: Range, file: str) -> dict[str, ChangedFunction]:
    try:
        return {each.name: each for each in functions_of_file(options.root, span.head, file)}
    except AfterburnerError:
        return {}  # a file that is not committed


def _document(options: CiOptions, base: str | None, head: str, gathered: Gathered, elapsed_s: float) -> CiDocument:
    machine = gathered.machine
    notes = list(gathered.notes)
    patch = gathered.patch.decode("utf-8", "replace")
    if len(patch) > _MOST_PATCH:
        patch = ""
        notes.append("the patch is too large for this report; the file all.patch beside it has it")
    return CiDocument(
        version=version(_PACKAGE),
        mode=options.mode,
        base=base,
        head=head,
        objective=options.search.objective.value,
        model=one_line(options.models.model, 300),
        machine=_named(machine) if machine is not None else "",
        min_effect=DEFAULT_MIN_EFFECT if options.min_effect is None else options.min_effect,
        functions=gathered.functions[:MOST_FUNCTIONS],
        left_out=[
            LeftOutPart(
                file=each.file,
                function=each.function,
                line=each.line,
                is_unknown=each.is_unknown,
                beyond_max_functions=each.beyond_max_functions,
                reason=one_line(each.reason),
            )
            for each in sorted(gathered.left_out, key=lambda each: (each.file, each.function or ""))[:MOST_FUNCTIONS]
        ],
        notes=[one_line(each) for each in notes][:50],
        patch=patch,
        tests=gathered.tests,
        cost_usd=gathered.cost_usd,
        interrupted=gathered.interrupted,
        elapsed_s=elapsed_s,
    )


def _named(machine: Machine) -> str:
    where = f"{machine.cpu_model}, {machine.cpus} CPUs, {machine.system}, Python {machine.python}"
    return one_line(f"{where}, {machine.backend} ({machine.tier})")
