"""The places that calls can come from, each asked through the harness."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.read_file import similar_name
from afterburner.agent.errors import NoInputsError, WorkloadError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent
from afterburner.agent.inputs.broken_assumptions import broken_assumptions
from afterburner.agent.inputs.cases import cases_origin, read_cases
from afterburner.agent.inputs.choosing import (
    DERIVED,
    EDGE_BUDGET_BYTES,
    EDGE_BUDGET_S,
    GENERATED,
    HEAVY_SHARE,
    is_invented,
    most_for_edge_case,
)
from afterburner.agent.inputs.harness import CUT_OFF, Harness
from afterburner.agent.inputs.harness_answers import Failure, scrub
from afterburner.agent.inputs.hypothesis_interpreter import drawing_environment
from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.agent.inputs.written_calls import MOST_CALL_S, SNIPPET_S, written_origin
from afterburner.agent.types import Skipped
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.inputs.harness_answers import Answer, Assumption, FoundCall
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import WorkloadCall, WrittenCalls

MAX_CALLS_FILE_BYTES = 4 * 1024 * 1024
DERIVE_FROM = 3
# Stages that mean "there is none of this kind here": worth a line only if nothing else is found either.
_ABSENT = frozenset({"no_main", "no_tests"})


@dataclass(frozen=True, slots=True)
class Finding:
    """What one source gave. `tried` is for the message in case that nothing is left in the end."""

    name: str
    calls: tuple[FoundCall, ...]
    skipped: tuple[Skipped, ...]
    tried: tuple[str, ...]
    is_unused: bool = False  # it ran, and never called the function


@dataclass(frozen=True, slots=True)
class Sources:
    """Asks the sources for calls of one target."""

    harness: Harness
    settings: RunSettings
    report: OnEvent
    assume: tuple[str, ...] = ()  # what is stated of every input: no other is made

    @property
    def may_generate(self) -> bool:
        """Whether inputs may be invented: not if the user said what the calls are."""
        return self.settings.inputs.calls is None and self.settings.inputs.cases is None

    def real(self) -> list[Finding]:
        """Calls that somebody wrote down: `--calls`, `--cases`, the command, the main block, doctests, tests.

        A command stands for the tests. Where it gives no call, the file's own main block and doctests are asked.

        Raises:
            UsageError: the file or folder that the user named cannot be used.
            WorkloadError: the target's file cannot be imported, or the user's file never calls the target.
        """
        if self.settings.inputs.calls is not None:
            return [self._from_calls_file(Path(self.settings.inputs.calls))]
        if self.settings.inputs.cases is not None:
            return self._from_cases(Path(self.settings.inputs.cases))
        if self.settings.batch.command:
            command = " ".join(self.settings.batch.command)
            self.report(ProgressEvent(kind=EventKind.RUNNING_COMMAND, subject=command))
            called = self._ask("command", "captured from the command", command_fields(self.settings))
            return [called] if called.calls else [called, *side_by_side(self.harness.sandbox, self._of_file())]
        self.report(ProgressEvent(kind=EventKind.RUNNING_FILE_AND_TESTS))
        known = self.settings.batch.test_files
        tests: dict[str, object] | None = {"test_files": list(known)} if known is not None else None
        pytest = partial(self._ask, "pytest", "pytest", tests)
        tasks: list[Callable[[], Finding]] = [*self._of_file(), pytest]
        found = side_by_side(self.harness.sandbox, tasks)
        if known is None and not any(each.calls for each in found):
            # Tests that do not name it may call it through other functions of the project.
            others = self._ask("pytest", "pytest", {"indirect": "alone"})
            found = [*found[:-1], others] if others.calls else found
        return found

    def generated(self) -> Finding:
        """Calls made from type hints."""
        self.report(ProgressEvent(kind=EventKind.GENERATING_INPUTS))
        drawing = drawing_environment(self.harness.environment, self.harness.target)
        fields = {
            "seed": self.settings.search.seed,
            "extra_site": drawing.extra_site,
            "assume": list(self.assume),
        }
        answer = self.harness.ask_of_original("generate", GENERATED, fields, environment=drawing.environment)
        if drawing.is_own and any(failure.stage == "import" for failure in answer.failures):
            version = ".".join(map(str, self.harness.environment.version))
            reason = f"Hypothesis is not installed for Python {version}, and the file needs packages that ours lacks"
            answer = replace(answer, failures=(Failure("no_hypothesis", reason),))
        return _finding(GENERATED, answer)

    def written(self, written: WrittenCalls) -> Finding:
        """Calls that a language model wrote, of which the original returns."""
        fields = {
            "snippet": written.code,
            "assume": list(self.assume),
            "most_s": MOST_CALL_S,
            "budget_s": SNIPPET_S,
        }
        return self._ask("write", written_origin(written.model), fields)

    def broken_assumptions(self, calls: Sequence[WorkloadCall], made: Sequence[FoundCall]) -> tuple[Assumption, ...]:
        """What holds in each of the calls and not in some that were made, by their number."""
        return broken_assumptions(self.harness, calls, [call.blob for call in made])

    def derived(self, calls: Sequence[WorkloadCall]) -> Finding:
        """Edge cases near the given calls."""
        self.report(ProgressEvent(kind=EventKind.DERIVING_INPUTS))
        ranked = sorted(calls, key=lambda call: -call.cpu_time_s)
        places = sorted({0, len(ranked) // 2, len(ranked) - 1})[:DERIVE_FROM]
        blobs = [base64.b64encode(ranked[place].blob).decode("ascii") for place in places]
        most_s = most_for_edge_case(ranked[0].cpu_time_s)
        heavy_s = HEAVY_SHARE * ranked[0].cpu_time_s
        fields = {
            "blobs": blobs,
            "assume": list(self.assume),
            "budget_bytes": EDGE_BUDGET_BYTES,
            "budget_s": EDGE_BUDGET_S,
            "most_s": most_s,
            "heavy_s": heavy_s,
            "lacks_heavy": sum(call.cpu_time_s >= heavy_s for call in calls) == 1,
        }
        return self._ask("derive", DERIVED, fields)

    def _from_calls_file(self, path: Path) -> Finding:
        self.report(ProgressEvent(kind=EventKind.RUNNING_CALLS_FILE, subject=path.name))
        finding = self._ask("calls", f"--calls {path.name}", calls_fields(path))
        if not finding.calls:
            why = "; ".join(finding.tried)
            advice = f" Let it import {self.harness.target.module} and call the function." if finding.is_unused else ""
            raise NoInputsError(f"{path} gives no usable call of {self.harness.target.function}: {why}.{advice}")
        return finding

    def _of_file(self) -> list[Callable[[], Finding]]:
        """What asks the target's own file for calls: its main block and its doctests."""
        return [partial(self._ask, "main", "captured from __main__"), self._from_doctests]

    def _from_doctests(self) -> Finding:
        if ">>>" not in self.harness.target.source:
            return Finding("doctest", (), (), ("doctest: the file has no docstring with an example",))
        return self._ask("doctest", "doctest")

    def _from_cases(self, folder: Path) -> list[Finding]:
        origin = f"captured from {cases_origin(folder)}"
        cases = case_fields(folder)
        self.report(ProgressEvent(kind=EventKind.RUNNING_CASES, count=len(cases)))
        tasks = [partial(self._ask, "main", origin, fields, name=f"case {name}") for name, fields in cases.items()]
        return side_by_side(self.harness.sandbox, tasks)

    def _ask(
        self, job: str, origin: str, fields: dict[str, object] | None = None, *, name: str | None = None
    ) -> Finding:
        """Ask one source; `name` is what messages about it say, if that is not the origin of its calls."""
        answer = self.harness.ask_of_original(job, origin, fields)
        for failure in answer.failures:
            if failure.stage == "import" and not answer.calls:
                raise WorkloadError(
                    f"{self.harness.target.path} cannot be imported: {failure.reason}. Make it run under "
                    f"{self.harness.environment.executable} first, or choose another interpreter with --python."
                )
            if failure.stage == "syntax":
                raise UsageError(f"--calls: the file is not valid Python: {failure.reason}")
        return _finding(name or origin, answer)


def calls_fields(path: Path) -> dict[str, object]:
    """What a request needs to run the user's file of calls.

    Raises:
        UsageError: the file cannot be read.
    """
    return {"calls_path": str(path.absolute()), "calls_source": _read_source(path)}


def command_fields(settings: RunSettings) -> dict[str, object]:
    """What a request needs to run the user's command."""
    return {"command": list(settings.batch.command), "working_directory": settings.batch.command_folder}


def case_fields(folder: Path) -> dict[str, dict[str, object]]:
    """What requests need to run the program on each case of a folder, by the case's name.

    Raises:
        UsageError: the folder cannot be used.
        WorkloadError: there are no cases in it.
    """
    return {case.name: {"stdin": case.stdin.decode("latin-1")} for case in read_cases(folder)}


def _finding(origin: str, answer: Answer) -> Finding:
    skipped = [Skipped(where, reason) for where, reason in answer.skipped]
    tried = [f"{origin}: {reason}" for _, reason in answer.skipped]
    for failure in answer.failures:
        tried.append(f"{origin}: {failure.reason}")
        if failure.stage not in _ABSENT:
            skipped.append(Skipped(origin, _told(failure.stage, failure.reason, answer)))
    if answer.damaged:
        skipped.append(Skipped(origin, "the program wrote into the channel of its recorded calls; some were lost"))
    if not answer.calls and not tried:
        tried.append(f"{origin}: {'no copyable call' if answer.count else 'it is never called'}")
    if answer.count > len(answer.calls) > 0 and not is_invented(origin):
        skipped.append(
            Skipped(
                origin,
                f"{answer.count - len(answer.calls)} of {answer.count} calls. Recorded were the first, the costliest, "
                "those that reach other lines or have arguments of another kind or sign, and a spread",
            )
        )
    return Finding(
        origin,
        answer.calls,
        tuple(skipped),
        tuple(tried),
        is_unused=answer.finished and not (answer.count or answer.failures),
    )


def _told(stage: str, reason: str, answer: Answer) -> str:
    if answer.calls and stage in {"run", CUT_OFF}:
        ended = "was ended" if stage == CUT_OFF else "failed"  # tests that take long need not fail
        return scrub(f"it {ended} after {len(answer.calls)} recorded calls, which are used: {reason}", 300)
    return reason


def _read_source(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_CALLS_FILE_BYTES:
            raise UsageError(f"--calls: {path} is larger than {MAX_CALLS_FILE_BYTES >> 20} MiB.")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        hint = similar_name(path) if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"--calls: {path} cannot be read: {error.strerror}.{hint}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--calls: {path} is not UTF-8 text. Save it as UTF-8.") from error
