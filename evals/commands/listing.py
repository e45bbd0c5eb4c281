"""Lists datasets for the command line, and checks local copies of them."""

from __future__ import annotations

import json as json_format
import sys
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from afterburner.agent.wording import count
from afterburner.evals.datasets.guessing import OWN
from afterburner.evals.datasets.registry import dataset_infos, find_dataset, load_problems, sample_of, split_meant
from afterburner.evals.datasets.sources import layout_hint
from afterburner.evals.errors import DatasetError
from afterburner.evals.problems import Rejected
from afterburner.sandbox import open_sandbox
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import STDOUT, write_result
from afterburner.sandbox.terminal.plain_lines import SILENT_AT_MOST_S, PlainLines
from afterburner.sandbox.terminal.streams import is_live
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.evals.problems import DatasetInfo, Loaded
    from afterburner.sandbox import Sandbox

NONE_USABLE = 4
MOST_ALIKE = 10  # rejected records printed for each reason


def list_datasets(name: str, json: str | None) -> None:
    """Print what there is to know of all datasets, or of one.

    Raises:
        DatasetError: there is none of that name.
    """
    infos = (find_dataset(name),) if name else dataset_infos()
    if json is not None:
        _write_json(json, [asdict(info) for info in infos])
    if json == STDOUT:
        return
    if name:
        _print_one(infos[0])
    elif is_live(sys.stdout):
        _print_table(infos)
    else:
        for info in infos:
            typer.echo("\t".join((info.name, info.size, info.licence, _origin(info), info.grader)))


def is_own(name: str) -> bool:
    """Whether this is the path of problems of one's own, rather than what a dataset is called."""
    return bool(name) and name not in {info.name for info in dataset_infos()} and Path(name).exists()


def check_copy(
    name: str, source: str | None, *, split: str, configuration: str, json: str | None, sandbox: str
) -> None:
    """Read a copy of a dataset, or problems of one's own, and say how many records can be used, and why others not.

    Raises:
        DatasetError: it cannot be read at all.
        Exit: with code 4, if no record can be used.
    """
    counted = _Count()
    with ExitStack() as stack:
        tell = stack.enter_context(_progress(source or name))
        opened: list[Sandbox] = []

        def give() -> Sandbox:
            if not opened:
                opened.append(stack.enter_context(open_sandbox(sandbox)))
            return opened[0]

        split = split_meant(name, split)
        loaded = load_problems(name, split=split, configuration=configuration, source=source, sandbox=give)
        for number, each in enumerate(loaded, start=1):
            tell(f"{count(number, 'record')} read")
            line = counted.add(each)
            if line and json != STDOUT:
                typer.echo(scrub_line(line))
    if json is not None:
        _write_json(json, {"usable": counted.usable, "rejected": [asdict(each) for each in counted.rejected]})
    if json != STDOUT:
        of_split = f" of the split {split!r}; name another with --split" if split else ""
        for line in counted.summary(f"{source or name} holds no record{of_split}."):
            typer.echo(scrub_line(line))
        if not counted.usable and (hint := layout_hint(source or name, name if source else OWN, split)):
            typer.echo(scrub_line(hint))
    if not counted.usable:
        raise typer.Exit(NONE_USABLE)


@contextmanager
def _progress(place: str) -> Iterator[Callable[[str], None]]:
    """Show that a copy is being read, since making the tests of a record may take minutes.

    On a terminal, lines on stdout appear above it; elsewhere, a line on stderr comes now and then.
    """
    doing = scrub_line(f"reading {place}")
    if is_live(sys.stdout) and is_live(sys.stderr):
        with open_console(sys.stderr).status(escape(doing)) as status:
            yield status.update
        return
    lines = PlainLines()
    lines.note(doing, ongoing=True)
    with lines.never_silent(SILENT_AT_MOST_S):
        yield lambda told: lines.note(f"{doing}: {told}", ongoing=True)


@dataclass(slots=True)
class _Count:
    """How many records can be used, and those that cannot."""

    usable: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    by_reason: Counter[str] = field(default_factory=Counter)

    def add(self, loaded: Loaded) -> str:
        """Count a record, and give the line of one that is told by itself: one of the first with its reason."""
        if not isinstance(loaded, Rejected):
            self.usable += 1
            return ""
        self.rejected.append(loaded)
        self.by_reason[loaded.without_place] += 1
        return loaded.line if self.by_reason[loaded.without_place] <= MOST_ALIKE else ""

    def summary(self, nothing: str) -> Iterator[str]:
        """The reasons that were not told each time, and the numbers; `nothing` where there was no record."""
        if not (self.usable or self.rejected):
            yield nothing
            return
        for what, times in self.by_reason.items():
            if times > MOST_ALIKE:
                yield f"{count(times - MOST_ALIKE, 'more record')}: {what}"
        yield f"{count(self.usable, 'record')} can be used, {len(self.rejected)} cannot."


def _print_table(infos: tuple[DatasetInfo, ...]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold", row_styles=("", "dim"))
    table.add_column("dataset", no_wrap=True)
    for column in ("size", "licence", "from", "right if"):
        table.add_column(column, overflow="fold")
    for info in infos:
        table.add_row(*map(Text, (info.name, info.size, info.licence, _origin(info), info.grader)))
    open_console(sys.stdout).print(table)


def _print_one(info: DatasetInfo) -> None:
    told = {
        "dataset": info.name,
        "size": info.size,
        "licence": info.licence,
        "from": _origin(info),
        "right if": info.grader,
        "splits": ", ".join(info.splits),
        "configurations": ", ".join(info.configurations),
        "sample of ours": _sample(info.name),
    }
    for label, value in told.items():
        if value:
            typer.echo(f"{label + ':':<16} {value}")


def _origin(info: DatasetInfo) -> str:
    return f"{info.hub} on the hub; {info.source}" if info.hub else info.source


def _sample(name: str) -> str:
    try:
        return str(sample_of(name))
    except DatasetError:
        return ""


def _write_json(place: str, document: object) -> None:
    write_result("--json", place, f"{json_format.dumps(document, indent=2)}\n".encode("ascii"))
