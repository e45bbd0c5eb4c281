"""`afterburner-agent run FOLDER`: many targets in one call; what is shown, and what is written when."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.batch.batch_results import TOO_LITTLE_TIME, ManyResult
from afterburner.agent.batch.work import resume_many, work_through
from afterburner.agent.cli.many_document import document_of_many
from afterburner.agent.cli.many_summary import print_many
from afterburner.agent.cli.offer import weigh
from afterburner.agent.cli.pages import page_of_many
from afterburner.agent.cli.progress import show_progress
from afterburner.agent.cli.resume_hint import say_how_to_resume
from afterburner.agent.code.patch import is_written, patch_bytes, write_atomically
from afterburner.agent.models.requests.spending import SHARE_IS_UP
from afterburner.agent.session.from_settings import session_for
from afterburner.agent.store.checkpoints import new_run_id
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import write_result
from afterburner.sandbox.terminal.program_name import program_name
from afterburner.sandbox.terminal.text import confirm, display_path, is_interactive

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.batch.batch_results import Outcome
    from afterburner.agent.cli.outputs import Outputs
    from afterburner.agent.cli.progress import ProgressStyle
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings

ALL = "all.patch"


def run_many(settings: RunSettings, outputs: Outputs, style: ProgressStyle) -> None:
    """Profile, work through the best targets, and deliver.

    Raises:
        KeyboardInterrupt: the work was interrupted; what was found until then is written.
        AfterburnerError: nothing could be ranked, or something could not be written.
    """
    begun: list[str] = []
    with say_how_to_resume(begun):
        many = ManyResult(Path(settings.file), settings, new_run_id())
        with show_progress(settings, style) as on_event, session_for(settings, many.run_id) as session:
            work_through(session, many, on_event, is_offered, outputs=asdict(outputs), on_begun=begun.append)
        deliver_many(many, outputs)
        if many.interrupted:
            raise KeyboardInterrupt


def go_on_with_many(run_id: str, settings: RunSettings, outputs: Outputs, style: ProgressStyle) -> None:
    """Do what is left of a run over many targets, and deliver all of it; of a finished one just deliver.

    Raises:
        KeyboardInterrupt, AfterburnerError: as `run_many`.
    """
    with say_how_to_resume([run_id]):
        with show_progress(settings, style) as on_event, session_for(settings, run_id) as session:
            many = resume_many(session, run_id, on_event, is_offered)
        deliver_many(many, outputs)
        if many.interrupted:
            raise KeyboardInterrupt


def is_offered(result: RunResult, settings: RunSettings) -> bool:
    """Whether an improvement may be written."""
    return weigh(result, settings.proof.min_gain_per_line).offered


def deliver_many(many: ManyResult, outputs: Outputs) -> None:
    """Show the table and write what was asked for. After an interrupt no file of the project is touched.

    Raises:
        BrokenPipeError: nobody read the report to its end; everything else is written.
        AfterburnerError: something could not be written; the JSON was, if that is possible.
    """
    console = open_console(sys.stderr if outputs.take_stdout else sys.stdout)
    names = patch_names(many)
    print_many(console, many, names if outputs.patch else {})
    applied: list[str] = []
    problem = None
    try:
        if outputs.patch is not None:
            _write_patches(Path(outputs.patch), many, names)
        if outputs.html is not None:
            write_result("--html", outputs.html, page_of_many(many).encode())
        if outputs.apply and not many.interrupted and many.merged.sources:
            _apply(many, applied, ask=not outputs.yes)
    except AfterburnerError as error:
        problem = error
    if outputs.json is not None:
        document = document_of_many(many, names, set(applied))
        write_result("--json", outputs.json, document.to_text().encode("ascii"))
    if problem is not None:
        raise problem
    _print_next(console, many, outputs, applied)
    if console.reader_gone:
        raise BrokenPipeError


def patch_names(many: ManyResult) -> dict[int, str]:
    """The name of the patch of each offer, by the place of its outcome: `01-module.function.patch`."""
    names: dict[int, str] = {}
    for place, outcome in enumerate(many.outcomes):
        if outcome.result is not None and _offered(outcome):
            name = f"{outcome.result.target.module}.{outcome.result.target.function}"
            names[place] = f"{len(names) + 1:02d}-{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}.patch"
    return names


def _offered(outcome: Outcome) -> bool:
    result, settings = outcome.result, outcome.settings
    return result is not None and settings is not None and is_offered(result, settings)


def _write_patches(folder: Path, many: ManyResult, names: dict[int, str]) -> None:
    if not names:
        return
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise AfterburnerError(f"--patch {folder}: cannot be made: {error.strerror or error}.") from error
    for place, name in names.items():
        result: RunResult | None = many.outcomes[place].result
        if result is not None:
            write_result("--patch", str(folder / name), patch_bytes(result.target, result.patch))
    write_result("--patch", str(folder / ALL), many.merged.patch)


def _apply(many: ManyResult, applied: list[str], *, ask: bool) -> None:
    left = {path: each for path, each in many.merged.sources.items() if not is_written(*each)}
    applied += [path for path in many.merged.sources if path not in left]  # before this run was killed
    if not left:
        return
    if many.objection:
        what, plural = ("the command", "es") if many.settings.batch.command else ("the project's tests", "")
        raise AfterburnerError(
            f"Nothing was written, because nothing shows that {what} still pass{plural}: "
            f"{many.objection}. `{program_name()} resume {many.run_id} --patch DIR` writes the patches: apply "
            "those that you trust one by one."
        )
    listed = ", ".join(display_path(path) for path in left)
    if ask and is_interactive() and not confirm(f"Write the rewrites to {listed}?"):
        return
    problems = []
    for path, (target, text) in left.items():
        try:
            write_atomically(target, text)
            applied.append(path)
        except AfterburnerError as error:  # the other files have nothing to do with it
            problems.append(str(error))
    if problems:
        raise AfterburnerError(" ".join(problems))


def how_to_find_more(many: ManyResult) -> str:
    """What may find more in a project than this run did."""
    late = any(each.reason == TOO_LITTLE_TIME for each in many.outcomes)
    ways = ["--max-seconds S gives those that were not reached their time"] if late else []
    if not late and any(SHARE_IS_UP in each.reason for each in many.outcomes):
        ways.append("--max-seconds S gives each function a larger share; or `run FILE -f NAME` gives one all of it")
    if many.tried >= many.settings.batch.top:
        ways.append("--top N tries more functions")
    ways.append("--model NAME asks a language model")
    if not many.settings.batch.command:
        ways.append("`-- python SCRIPT.py` profiles a program on data as large as yours")
    return f"To find more: {'; '.join(ways)}."


def _print_next(console: Console, many: ManyResult, outputs: Outputs, applied: list[str]) -> None:
    if not many.merged.sources:
        if outputs.patch is not None:
            console.print("No patch was written: there is nothing to offer.")
        elif outputs.apply:
            console.print("No file was changed: there is nothing to offer.")
        console.print(how_to_find_more(many), soft_wrap=True)
        return
    if outputs.patch is not None:
        console.print(f"The patches are in {display_path(outputs.patch)}; {ALL} is all of them.", soft_wrap=True)
    if applied:
        console.print(f"Written to {', '.join(display_path(path) for path in applied)}.", soft_wrap=True)
    else:
        console.print("Nothing of the project was changed. --apply writes the rewrites, --patch DIR the patches.")
