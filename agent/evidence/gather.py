"""What is told of an offer beside its gain. Called while the sandbox is still open, after the decision."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.deadline import Deadline
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.evidence.growth import measure_growth
from afterburner.agent.evidence.project_files import project_files
from afterburner.agent.evidence.receipt import make_receipt
from afterburner.agent.evidence.samples import sample_figures
from afterburner.agent.types import Objective

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.evidence.growth import Growth
    from afterburner.agent.evidence.receipt import Receipt
    from afterburner.agent.evidence.samples import SampleFigures
    from afterburner.agent.judge.measuring.sampling import Block
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Gain, Machine
    from afterburner.sandbox.project import StagedProject

GROWTH_S = 12.0  # the most that measuring growth may take; making its inputs included


@dataclass(frozen=True, slots=True)
class Evidence:
    """Beside an offer: how its time grows, its receipt, its samples, and what became of a gain too good to be true."""

    growth: Growth | None = None
    receipt: Receipt | None = None
    larger_inputs: str = ""  # "measured again on inputs 4 times as large: 61x", or why it was not
    samples: SampleFigures | None = None  # of the confirmation; None: of a run that an older version has stored

    @property
    def disagreement(self) -> str:
        """Where the rewrite did something else than the original, so that it is no offer; empty if nowhere."""
        return self.growth.disagreement if self.growth else ""

    @property
    def condition(self) -> str:
        """On what the rewrite does the same there, too, in words; empty if on nothing plain."""
        return self.growth.condition if self.growth else ""


@dataclass(frozen=True, slots=True)
class Offered:
    """The winner as its confirmation left it."""

    source: str
    gain: Gain
    held_out_gain: Gain | None
    blocks: tuple[Block, ...]
    larger_inputs: str = ""
    shown_blocks: Sequence[Block] = ()  # samples of the calls that the announced gain is of; none: `blocks`


def gather_evidence(
    bench: Workbench,
    settings: RunSettings,
    offered: Offered,
    *,
    project: StagedProject,
    machine: Machine,
    deadline: Deadline,
    on_event: OnEvent,
) -> Evidence:
    """Measure what an offer's evidence needs, and write its receipt if one is wanted.

    Args:
        bench: of the run.
        settings: of the run; `receipt` says whether a receipt is wanted.
        offered: what is offered.
        project: as it was staged for the run.
        machine: where it ran.
        deadline: of the run; growth is not begun after it.
        on_event: is told what is being done.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    growth = None
    if settings.proof.growth and settings.search.objective is Objective.TIME and not deadline.passed():
        on_event(ProgressEvent(kind=EventKind.MEASURING_GROWTH, stage=Stage.CONFIRM))
        growth = measure_growth(bench, offered.source, Deadline.after(min(GROWTH_S, deadline.left_s())))
    receipt = _receipt(bench, settings, offered, project, machine) if settings.proof.receipt else None
    samples = sample_figures(offered.shown_blocks or offered.blocks, settings.search.objective)
    return Evidence(growth, receipt, offered.larger_inputs, samples)


def _receipt(
    bench: Workbench, settings: RunSettings, offered: Offered, project: StagedProject, machine: Machine
) -> Receipt:
    files = project_files(project, bench.environment, Path(bench.target.path))
    return make_receipt(
        bench,
        settings,
        winner_source=offered.source,
        gain=offered.gain,
        held_out_gain=offered.held_out_gain,
        blocks=offered.blocks,
        project=files,
        machine=machine,
    )
