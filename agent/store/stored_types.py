"""The types that may come back from what is stored of a run beside its checkpoints."""

from afterburner.agent.events import EventKind, Stage
from afterburner.agent.evidence.classes import Fit
from afterburner.agent.evidence.gather import Evidence
from afterburner.agent.evidence.growth import Growth, GrowthPoint
from afterburner.agent.evidence.project_files import ProjectFile
from afterburner.agent.evidence.receipt import Receipt
from afterburner.agent.evidence.receipt_parts import (
    ReceiptBlock,
    ReceiptFigures,
    ReceiptInput,
    ReceiptSample,
    ReceiptSettings,
    ReceiptTarget,
)
from afterburner.agent.evidence.samples import SampleFigures
from afterburner.agent.inputs.harness_answers import Suite
from afterburner.agent.inputs.rank import RankedTarget
from afterburner.agent.loop.results import RunResult
from afterburner.agent.loop.state import CHECKPOINTED_TYPES
from afterburner.agent.option_kinds import EnvironmentKind, SearchStyle, Selection
from afterburner.agent.options import (
    BatchPlace,
    Caps,
    InputOptions,
    ModelOptions,
    Proof,
    RunSettings,
    Search,
    UnsavedText,
)
from afterburner.agent.stage_times import StageTime
from afterburner.agent.store.batch_state import Done, ManyState, SuiteCheck
from afterburner.agent.store.stored_run import Prepared
from afterburner.agent.types import (
    Machine,
    Objective,
    Readability,
    Skipped,
    Target,
    Workload,
    WorkloadCall,
    WorkloadCase,
    WrittenCalls,
)

STORED_TYPES = (
    *CHECKPOINTED_TYPES,
    BatchPlace,
    Caps,
    EnvironmentKind,
    InputOptions,
    ModelOptions,
    Proof,
    Search,
    SearchStyle,
    Selection,
    UnsavedText,
    Done,
    EventKind,
    Evidence,
    Fit,
    Growth,
    GrowthPoint,
    Machine,
    ManyState,
    Objective,
    Prepared,
    ProjectFile,
    RankedTarget,
    Readability,
    Receipt,
    ReceiptBlock,
    ReceiptFigures,
    ReceiptInput,
    ReceiptSample,
    ReceiptSettings,
    ReceiptTarget,
    RunResult,
    RunSettings,
    SampleFigures,
    Skipped,
    Stage,
    StageTime,
    Suite,
    SuiteCheck,
    Target,
    Workload,
    WorkloadCall,
    WorkloadCase,
    WrittenCalls,
)
