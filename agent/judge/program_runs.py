"""One run of a user's whole program in the sandbox, and how two such runs differ."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import with_source
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.inputs.harness_answers import parse_answer, scrub
from afterburner.agent.inputs.inside.whole_run import COPY
from afterburner.agent.wording import count
from afterburner.sandbox import Limits
from afterburner.sandbox.inside import INSIDE, name_inside
from afterburner.sandbox.launch import encoded_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.sandbox import CaseReport, PythonEnvironment

SHOWN = 60  # characters of a line
SCRATCH_KIB = 131_072  # for the copy of the project, and for all that the program writes
_NO_LINE_END = "\\ no line end"  # stands behind a last line without one
Lines = tuple[str | None, ...]  # None stands for a line that is not always the same
# Run the program under clocks that stand still: what it shows then depends on neither version.
_FIXED_CLOCK = f"""\
import os, runpy, sys
sys.path.insert(0, {INSIDE!r})
from {name_inside("afterburner.sandbox.driver")}.fixed_clock import FixedClock
sys.path.remove({INSIDE!r})
FixedClock().install()
if sys.argv[1] == "-m":
    sys.path[0] = os.getcwd()
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
else:
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")
"""


@dataclass(frozen=True, slots=True)
class WholeProgram:
    """What stands behind `python`, the folder that it starts in, and what it is called in a report."""

    arguments: tuple[str, ...]
    folder: str
    name: str  # "the file's own __main__", "`python report.py --all`"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a run shows from outside; `files` are those that it wrote, by name. None is what differs from run to run."""

    exit_code: int | None
    stdout: Lines | None
    stderr: Lines | None  # without places in the code, and without the source text that is quoted
    files: Mapping[str, Lines | None] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()
    names_are_steady: bool = True  # whether the same files are written each time

    def without_what_differs_from(self, again: Shown) -> Shown:
        """The same without what another run of the same program shows otherwise."""
        both = self.files.keys() & again.files.keys()
        return Shown(
            self.exit_code if self.exit_code == again.exit_code else None,
            _same_lines(self.stdout, again.stdout),
            _same_lines(self.stderr, again.stderr),
            {name: _same_lines(self.files[name], again.files[name]) for name in both},
            self.removed & again.removed,
            self.names_are_steady
            and again.names_are_steady
            and (self.files.keys(), self.removed) == (again.files.keys(), again.removed),
        )

    def difference_of(self, other: Shown) -> str:
        """The first thing that another program shows otherwise, in words; empty: nothing."""
        if self.exit_code is None:
            return ""
        if other.exit_code != self.exit_code:
            return f"it ends with exit code {other.exit_code} instead of {self.exit_code}"
        found = _first_difference("stdout", self.stdout, other.stdout) or self._difference_of_files(other)
        if found or self.exit_code:  # a traceback tells where code stands
            return found
        return _first_difference("stderr", self.stderr, other.stderr)

    def _difference_of_files(self, other: Shown) -> str:
        for name in sorted(self.files):
            shown = scrub(name, SHOWN)
            if name not in other.files:
                return f"it does not write the file {shown}"
            found = _first_difference(f"the file {shown}", self.files[name], other.files[name])
            if found:
                return found
        for name in sorted(self.removed - other.removed):
            return f"it does not remove the file {scrub(name, SHOWN)}"
        if self.names_are_steady:
            for name in sorted((other.files.keys() | other.removed) - self.files.keys() - self.removed):
                return f"it also writes or removes the file {scrub(name, SHOWN)}"
        return ""


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """What the sandbox reports of one run, and what the run showed; None: it did not come to its end."""

    report: CaseReport
    shown: Shown | None


def run_program(
    bench: Workbench,
    program: WholeProgram,
    source: str,
    environment: PythonEnvironment,
    limit_s: float,
    *,
    elsewhere: bool = False,
) -> ProgramRun:
    """Run it with `source` in the place of the target's file, on a copy of the project.

    Args:
        bench: of one function of a project.
        program: what to run.
        source: the text of the whole file.
        environment: of the original, or of rewrites.
        limit_s: of its wall and CPU time.
        elsewhere: under another hash seed, and with clocks that stand still.

    Raises:
        SandboxInternalError: the sandbox itself failed.
    """
    limits = replace(Limits(), wall_time_s=limit_s, cpu_time_s=limit_s, file_kib=SCRATCH_KIB)
    harness = Harness(bench.sandbox, with_source(bench.target, source, or_bound=True), environment, limits)
    fields = {
        "text": base64.b64encode(encoded_source(source)).decode("ascii"),
        "arguments": ["-c", _FIXED_CLOCK, *program.arguments] if elsewhere else list(program.arguments),
        "working_directory": program.folder,
        "hash_seed": 1 if elsewhere else 0,
    }
    report = harness.run("whole", program.name, fields)
    answer = parse_answer(report.stdout)
    return ProgramRun(report, _shown(answer.told, bench.target.project_root) if answer.finished else None)


def _shown(told: Iterable[dict[str, Any]], root: str) -> Shown | None:
    """What the job told, as far as it has the form that it should have."""
    shown: Shown | None = None
    files: dict[str, Lines | None] = {}
    removed: set[str] = set()
    for body in told:
        match body:
            case {"exit_code": int(code), "stdout": str(stdout), "stderr": str(stderr)}:
                shown = Shown(code, _lines(stdout, root), _without_places(_lines(stderr, root)))
            case {"file": str(name), "content": str(content)}:
                files[name] = _lines(content, root)
            case {"file": str(name), "content": None}:
                removed.add(name)
    return None if shown is None else replace(shown, files=files, removed=frozenset(removed))


def _lines(encoded: str, root: str) -> Lines:
    """The lines of a text, with the paths of the project in place of its copy's."""
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return ()
    *lines, rest = data.decode("utf-8", "backslashreplace").replace(COPY, root).split("\n")
    return (*lines, rest, _NO_LINE_END) if rest else tuple(lines)


def _without_places(lines: Lines) -> Lines:
    """What is said, without the line numbers of code and the source text that is quoted."""
    said = (line for line in lines if line is not None and not line.startswith((" ", "\t")))
    return tuple(re.sub(r'(\.py"?)(:\d+|, line \d+)', r"\1", line) for line in said)


def _same_lines(lines: Lines | None, again: Lines | None) -> Lines | None:
    if lines is None or again is None or len(lines) != len(again):
        return None
    return tuple(line if line == other else None for line, other in zip(lines, again, strict=True))


def _first_difference(where: str, expected: Lines | None, actual: Lines | None) -> str:
    if expected is None or actual is None:
        return ""
    for number, (line, other) in enumerate(zip(expected, actual, strict=False), start=1):
        if line is not None and other is not None and other != line:
            return f"line {number} of {where} is {scrub(other, SHOWN)!r} instead of {scrub(line, SHOWN)!r}"
    return "" if len(actual) == len(expected) else _other_count(where, expected, actual)


def _other_count(where: str, expected: Lines, actual: Lines) -> str:
    """That there are more lines or fewer."""
    before, after = (len(lines) - (_NO_LINE_END in lines) for lines in (expected, actual))
    place = f"in {where}" if where.startswith("the file") else f"on {where}"
    return f"{count(after, 'line')} {place} instead of {before}"
