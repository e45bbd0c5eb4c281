"""Measures a receipt again on this machine: is the winner still right, and still better?

A receipt may come from an enemy. Its texts and inputs are run and opened in the sandbox and nowhere else; from it the
host takes names, numbers and bytes.
"""

from __future__ import annotations

import ast
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.locate import with_source
from afterburner.agent.errors import WorkloadError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage, ignore_event, in_stage
from afterburner.agent.evidence.project_files import keep_only
from afterburner.agent.evidence.receipt import sha256_of
from afterburner.agent.inputs.cases import check_cases, whole_program
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.inputs.harness_answers import FoundCall, scrub
from afterburner.agent.inputs.replayed_calls import Replay
from afterburner.agent.inputs.staging import environment_of
from afterburner.agent.inputs.stated_assumptions import unmet_assumptions
from afterburner.agent.inputs.written_calls import invented_inputs
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import Incumbent, confirmation_of
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.decide import TOO_LATE_TO_CONFIRM, Judge
from afterburner.agent.judge.gates import refusal
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.measuring.workbench import Workbench, look_limits
from afterburner.agent.judge.running_original import measure_original
from afterburner.agent.judge.text_objections import TextObjections
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.judge.version_comparison import ComparisonDecision, VersionJudge
from afterburner.agent.machine import describe_machine
from afterburner.agent.options import InputOptions
from afterburner.agent.types import Decision, HeldOut, Target, Workload, WorkloadCase
from afterburner.agent.wording import count
from afterburner.sandbox import Bind, CancelledError, UsageError, open_sandbox
from afterburner.sandbox.project import StagedProject, replace_in_copy, stage_project
from afterburner.sandbox.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.evidence.receipt import Receipt
    from afterburner.agent.evidence.receipt_parts import ReceiptInput
    from afterburner.agent.judge.confirmation import Confirmation
    from afterburner.agent.types import Gain, Machine, WorkloadCall
    from afterburner.sandbox import Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

ROOT = Path("/afterburner/project")  # inside the sandbox, where the receipt stands for itself
GRACE_S = 30.0  # beyond the time budget
LONGEST_CHECK_S = 60.0  # for the original on all inputs
DIFFERENCES_NAMED = 5
UNDECIDED = (TOO_LATE_TO_CONFIRM, "the original behaved differently")  # reasons that say nothing of the rewrite


class Answer(StrEnum):
    """What a replay says of a receipt."""

    CONFIRMED = "confirmed"
    DENIED = "denied"
    TOO_NOISY = "too_noisy"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The answer with its reason, what was measured here, and what is different here."""

    answer: Answer
    reason: str
    gain: Gain | None
    held_out_gain: Gain | None
    machine: Machine
    notes: tuple[str, ...]


def replay_receipt(
    receipt: Receipt,
    deadline: Deadline,
    *,
    project: Path | None = None,
    python: str | None = None,
    on_event: OnEvent = ignore_event,
) -> Replayed:
    """Judge and measure the winner of a receipt again.

    Args:
        receipt: from `read_receipt`.
        deadline: when to give up measuring.
        project: the folder that the project's other files are taken from; they have to be those of the receipt.
        python: the interpreter, as for a run.
        on_event: is told what is being done.

    Raises:
        UsageError: the project's files are not those of the receipt.
        TargetError: the receipt's original does not define the function.
        WorkloadError: the original cannot be judged on these inputs here.
        SandboxUnavailableError, SandboxInternalError: as for a run.
    """
    on_event = in_stage(on_event, Stage.REPLAY)
    with open_sandbox("auto") as sandbox, _bounded(sandbox, deadline):
        staged = _staged(receipt, project, sandbox.staging_folder())
        target = _target(receipt, staged.root)
        environment = environment_of(target, sandbox, staged, InputOptions(python=python), on_event)
        machine = describe_machine(sandbox, environment, target.language)
        on_event(ProgressEvent(kind=EventKind.RUNNING_RECEIPT, count=len(receipt.inputs)))
        workload, notes = _workload(receipt, sandbox, target, environment, has_project=project is not None)
        notes = (*_other_toolchain(receipt, machine), *notes)
        bench, original = measure_original(
            Workbench(target, workload, sandbox, environment, _limits(receipt), TimingCore())
        )
        if isinstance(receipt.decision, ComparisonDecision):
            return _compared(bench, receipt, receipt.decision, deadline, machine, notes, on_event)
        confirmation = _confirm(bench, original, receipt, deadline, on_event)
        answer = _answer(confirmation)
        held_out = confirmation.held_out.gain
        return Replayed(answer, _reason(confirmation), confirmation.gain, held_out, machine, notes)


def _compared(  # noqa: PLR0917 - a comparison, and what is told of it
    bench: Workbench,
    receipt: Receipt,
    decision: ComparisonDecision,
    deadline: Deadline,
    machine: Machine,
    notes: tuple[str, ...],
    on_event: OnEvent,
) -> Replayed:
    """The comparison once more: it has to come to the same decision."""
    settings = receipt.settings
    judge = TwoSidedJudge(settings.objective, settings.min_effect, settings.seed + 1)
    texts = TextObjections.between([(receipt.original, receipt.winner)], receipt.target.language)
    comparing = VersionJudge(bench, judge, deadline, on_event, texts)
    found = comparing.compare(receipt.winner)
    answer = Answer.CONFIRMED if found.decision is decision else Answer.DENIED
    if found.decision is ComparisonDecision.TOO_NOISY and not found.objection:
        answer = Answer.TOO_NOISY
    reason = f"{found.decision.value.replace('_', ' ')}, the receipt says {decision.value}: {found.reason}"
    return Replayed(answer, reason, found.tested_gain, None, machine, notes)


def _confirm(
    bench: Workbench, original: Incumbent, receipt: Receipt, deadline: Deadline, on_event: OnEvent
) -> Confirmation:
    """What a run asks of its winner, again."""
    settings = receipt.settings
    winner = replace(original, id="winner", source=receipt.winner)
    try:
        objection = refusal(receipt.original, receipt.winner, receipt.target.language)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UsageError(f"A text of the receipt is not Python that this program can read: {error}.") from error
    if objection:
        unused = HeldOut(bench.workload.held_out_count, passed=True, gain=None)
        return confirmation_of(winner, original, Comparison(Decision.REFUSED, objection), unused)
    # Other coins and other orders than the run had: whatever these favoured must not be met again.
    judge = Judge(settings.objective, settings.min_effect, settings.seed + 1)
    on_event(ProgressEvent(kind=EventKind.MEASURING_REWRITE))
    confirming = Confirming(bench, judge, deadline, on_event)
    return confirming.confirm(winner, original)


def _answer(confirmation: Confirmation) -> Answer:
    if confirmation.confirmed:
        return Answer.CONFIRMED
    if confirmation.decision is Decision.TOO_NOISY or any(word in confirmation.reason for word in UNDECIDED):
        return Answer.TOO_NOISY
    return Answer.DENIED


def _reason(confirmation: Confirmation) -> str:
    example = f": {confirmation.counterexample}" if confirmation.counterexample else ""
    return confirmation.reason + example


@contextmanager
def _bounded(sandbox: Sandbox, deadline: Deadline) -> Iterator[None]:
    """Stop whatever runs when the time is long over: programs of a receipt may each run up to their limit."""
    timer = threading.Timer(deadline.left_s() + GRACE_S, sandbox.stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except CancelledError as error:
        raise WorkloadError(
            "The time budget ended before the receipt was measured again; --max-seconds allows more."
        ) from error
    finally:
        timer.cancel()


def _staged(receipt: Receipt, project: Path | None, folder: Path) -> StagedProject:
    """The project as the sandbox will see it: what the receipt names, and nothing else."""
    name = Path(receipt.target.file)
    if project is None:
        staged = StagedProject((Bind(str(folder), str(ROOT)),), 1, (), ROOT, folder, is_single_file=True)
    elif not project.is_dir():
        raise UsageError(f"--project {project}: there is no such folder.")
    else:
        root = project.absolute()
        staged = stage_project(root, folder, root / name)
        _check_files(receipt, staged, project)
    replace_in_copy(staged, name, receipt.original.encode("utf-8", "surrogatepass"))
    return staged


def _check_files(receipt: Receipt, staged: StagedProject, project: Path) -> None:
    differences = keep_only(staged, receipt.project, Path(receipt.target.file))
    if differences:
        more = len(differences) - DIFFERENCES_NAMED
        named = "; ".join(scrub(each, 200) for each in differences[:DIFFERENCES_NAMED])
        raise UsageError(
            f"--project {project}: this is not the project as the receipt saw it: {named}"
            f"{f'; and {more} more' if more > 0 else ''}. Check out the state that the receipt was made from, or leave "
            "out --project if the code needs no other file."
        )


def _target(receipt: Receipt, root: Path) -> Target:
    target = receipt.target
    unread = Target(
        path=str(root / target.file),
        source=receipt.original,
        function=target.function,
        module=target.module,
        import_root=str(root / target.import_root),
        project_root=str(root),
        language=target.language,
    )
    return with_source(unread, receipt.original)


def _workload(
    receipt: Receipt, sandbox: Sandbox, target: Target, environment: PythonEnvironment, *, has_project: bool
) -> tuple[Workload, tuple[str, ...]]:
    """The inputs with what the original does on them here, and notes on what is different here."""
    notes: list[str] = []
    python = ".".join(map(str, environment.version))
    if target.language == PYTHON and python != receipt.machine.python:
        notes.append(f"Python {python} here, {receipt.machine.python} in the receipt")
    try:
        if target.function is None:
            return _cases(receipt, sandbox, target, environment), tuple(notes)
        calls = _calls(receipt, sandbox, target, environment)
    except WorkloadError as error:
        raise WorkloadError(f"{error} {_advice(receipt, has_project=has_project)}") from error
    other = sum(sha256_of(call.expected) != each.outcome for call, each in zip(calls, receipt.inputs, strict=True))
    if other:
        notes.append(f"on {other} of {len(calls)} inputs the original does something else here than in the receipt")
    parts = [
        tuple(call for call, each in zip(calls, receipt.inputs, strict=True) if each.held_out is held)
        for held in (False, True)
    ]
    invented = invented_inputs(Counter(call.origin for call in calls).items())
    if invented:
        notes.append(f"none of the inputs is from the project: {invented}")
    settings = receipt.settings
    if settings.float_tolerance is not None:
        notes.append(f"floats may differ by {settings.float_tolerance:g} (relative), as in the receipt")
    if settings.assume:
        harness = Harness(sandbox, target, environment, _limits(receipt))
        for each in unmet_assumptions(harness, settings.assume, calls):
            if not each.held:
                raise UsageError(
                    f"The receipt assumes `{_whole(each.expression)}`, which holds in none of its own inputs, so a "
                    "replay would try nothing. Measure the rewrite with compare instead."
                )
        stated = " and ".join(map(_whole, settings.assume))
        notes.append(f"inputs are made only if {stated}, as in the receipt")
    workload = Workload(
        calls=parts[0],
        held_out_calls=parts[1],
        float_tolerance=settings.float_tolerance,
        fixed_clock=settings.fixed_clock,
        assume=settings.assume,
    )
    return workload, tuple(notes)


def _whole(expression: str) -> str:
    """An expression as Python reads it: comments, line ends and blanks could hide what makes a rewrite right."""
    return visible(ast.unparse(ast.parse(expression, mode="eval")))


def _other_toolchain(receipt: Receipt, machine: Machine) -> tuple[str, ...]:
    """What is to be said of the compiler or interpreter of a program in another language."""
    there, here = scrub(receipt.machine.toolchain, 200), machine.toolchain
    return () if there == here else (f"{here or 'Python'} here, {there or 'Python'} in the receipt",)


def _calls(receipt: Receipt, sandbox: Sandbox, target: Target, environment: PythonEnvironment) -> list[WorkloadCall]:
    found = [_found(each, number) for number, each in enumerate(receipt.inputs, start=1)]
    settings = receipt.settings
    replay = Replay(
        sandbox,
        target,
        environment,
        _limits(receipt),
        settings.seed,
        settings.float_tolerance,
        settings.fixed_clock,
    )
    kept, skipped = replay.keep_usable(found)
    if len(kept) < len(found):
        raise WorkloadError(
            f"The original cannot be judged on {len(found) - len(kept)} of {count(len(found), 'input')} here: "
            f"{skipped[0].reason}."
        )
    return [replace(call, position=each.position) for call, each in zip(kept, receipt.inputs, strict=True)]


def _cases(receipt: Receipt, sandbox: Sandbox, target: Target, environment: PythonEnvironment) -> Workload:
    cases = [
        WorkloadCase(scrub(each.description, 100), each.data, each.expected or b"", scrub(each.origin, 100))
        for each in receipt.inputs
    ]
    program = whole_program(target, target.source, environment)
    checked = check_cases(target, cases, lambda tests: sandbox.run(program, tests, _limits(receipt)))
    parts: tuple[list[WorkloadCase], list[WorkloadCase]] = ([], [])
    for case, each in zip(checked, receipt.inputs, strict=True):
        parts[each.held_out].append(case)
    return Workload(cases=tuple(parts[0]), held_out_cases=tuple(parts[1]))


def _found(each: ReceiptInput, number: int) -> FoundCall:
    return FoundCall(
        each.data, scrub(each.origin, 100), scrub(each.description, 120), "unknown", number, each.cpu_time_s
    )


def _advice(receipt: Receipt, *, has_project: bool) -> str:
    if receipt.project and not has_project:
        files = count(len(receipt.project), "other file")
        return f"The code could see {files} of its project: give their folder with --project."
    if receipt.target.language != PYTHON:
        return "Another version of its compiler or interpreter may be the reason."
    return "Its packages may be missing here: --python names an interpreter that has them."


def _limits(receipt: Receipt) -> Limits:
    return look_limits(LONGEST_CHECK_S, receipt.settings.float_tolerance)
