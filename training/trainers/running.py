"""Runs a training from its configuration to the trained model, or goes on with one that was stopped."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from accelerate import PartialState
from torch.utils.tensorboard import SummaryWriter
from transformers import PrinterCallback
from transformers.integrations.integration_utils import TensorBoardCallback

from afterburner.evals.datasets.built import is_built
from afterburner.evals.files import claimed
from afterburner.sandbox import CancelToken, UsageError, open_sandbox
from afterburner.sandbox.cores import ServiceSlots
from afterburner.training.config.batches import plan_batches
from afterburner.training.config.schema import Method
from afterburner.training.data.reading import read_data
from afterburner.training.errors import TrainingError
from afterburner.training.planning.adapter_bases import absolute_if_folder
from afterburner.training.planning.checks import check_launch, check_plan
from afterburner.training.planning.hardware import detect_hardware
from afterburner.training.planning.plan import make_plan
from afterburner.training.reward.benchmark import benchmark_sha256, judge_of_benchmark
from afterburner.training.reward.log import RewardLog
from afterburner.training.trainers.folder import RunFolder, step_of
from afterburner.training.trainers.following import Checkpoints, Interruption, Metrics, check_finite
from afterburner.training.trainers.model_card import PAGE, model_card
from afterburner.training.trainers.models import load_tokenizer, starting_point
from afterburner.training.trainers.parts import Parts
from afterburner.training.trainers.preferences import preference_trainer
from afterburner.training.trainers.preflight import check_machine
from afterburner.training.trainers.quiet import quieten
from afterburner.training.trainers.rewarding import SandboxReward
from afterburner.training.trainers.rollouts import rollout_trainer
from afterburner.training.trainers.rows import trainable_rows
from afterburner.training.trainers.supervised import supervised_trainer
from afterburner.training.trainers.writing import whole_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from transformers import Trainer

    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.data.reading import DataSet
    from afterburner.training.planning.plan import Plan
    from afterburner.training.reward.judge import RewardJudge


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    Attributes:
        folder: of the run.
        steps: updates of the weights that were made, those of earlier processes included.
        resumed_from: the step of the checkpoint that it went on from; 0: it began anew.
        too_long: rows that were left out because they have too many tokens.
        stopped: whether someone interrupted it before its end.
        interrupted: whether someone interrupted it, even if that was during its last step.
        tells: whether this process is the one that tells of it.
    """

    folder: RunFolder
    steps: int
    resumed_from: int
    too_long: int
    stopped: bool
    interrupted: bool
    tells: bool


def train(config: TrainConfig, out: Path, *, sandbox: str = "auto") -> Outcome:
    """Train a model, or go on from the last checkpoint in the folder.

    Args:
        config: of the run; its `data` names the data set.
        out: the folder of the run.
        sandbox: where GRPO's answers are judged.

    Raises:
        UsageError: the settings do not fit together, or the folder holds another run.
        TrainingError: training cannot begin or go on.
    """
    quieten()
    config = _in_any_folder(config)
    check_launch(config)
    check_machine(config)
    hardware = detect_hardware()
    plan = plan_batches(config, hardware.devices)
    if not config.data:
        raise UsageError("Give the data set: data in the configuration, or --data.")
    data, folder = read_data(Path(config.data)), RunFolder(out)
    tokenizer = load_tokenizer(config.model.path)
    rows = trainable_rows(data, config, tokenizer)
    process = PartialState(cpu=not torch.cuda.is_available())  # else each process on a CPU is the main one
    interruption = Interruption(plan.updates_per_rollout)
    with ExitStack() as stack:
        with process.main_process_first():
            last = _prepare(folder, config, data, make_plan(config, hardware, rows=len(rows.dataset)), stack)
        resumed_from = 0 if last is None else step_of(last)
        metrics = Metrics(folder, resumed_from)
        stack.callback(metrics.end_line)
        callbacks = [metrics, Checkpoints(), interruption]
        if process.is_main_process:
            if resumed_from:
                sys.stderr.write(f"going on after step {resumed_from}\n")
            callbacks.append(TensorBoardCallback(_writer(folder, resumed_from, stack)))
        start = starting_point(config.model, folder.start)
        parts = Parts(config, plan, folder, start, tokenizer, rows.dataset, tuple(callbacks))
        with _enough_memory(lambda: "for the model"):
            trainer = _trainer(parts, data.card, sandbox, interruption, stack)
        trainer.remove_callback(PrinterCallback)
        stack.enter_context(interruption.listening())
        with _enough_memory(lambda: f"at step {trainer.state.global_step + 1}"):
            trainer.train(resume_from_checkpoint=None if last is None else str(last))
        stopped = interruption.happened and trainer.state.global_step < trainer.state.max_steps
        if not stopped:
            _save(trainer, folder)
    steps = trainer.state.global_step
    heard = interruption.happened
    return Outcome(folder, steps, resumed_from, rows.too_long, stopped, heard, process.is_main_process)


def _in_any_folder(config: TrainConfig) -> TrainConfig:
    """The same run, with a path of its model that the run's files can be read by from any working folder."""
    path = absolute_if_folder(config.model.path)
    return config.model_copy(update={"model": config.model.model_copy(update={"path": path})})


def _prepare(folder: RunFolder, config: TrainConfig, data: DataSet, plan: Plan, stack: ExitStack) -> Path | None:
    """Begin the folder or check what is in it, keep others out of it, and find the checkpoint to go on from.

    Raises:
        UsageError: the folder holds another run, or one that is complete.
        TrainingError: memory or disk do not suffice, or there is no benchmark to judge answers by.
        EvaluationError: another process works on it.
    """
    goes_on = folder.last_checkpoint() is not None
    check_plan(plan, None if goes_on else folder.path)  # a run that goes on has most of its files already
    judged_by = benchmark_sha256(_benchmark(config, data.card)) if config.method is Method.GRPO else ""
    is_main = PartialState().is_main_process
    is_claimed = is_main and folder.is_begun
    if is_claimed:
        stack.enter_context(claimed(folder.path))
    folder.begin(config, data, devices=plan.hardware.devices, benchmark_sha256=judged_by)
    if is_main and not is_claimed:
        stack.enter_context(claimed(folder.path))
    if folder.is_complete():
        raise UsageError(
            f"{folder.path} holds a model that is trained already. Give another --out to train another, or use it: "
            f"{folder.next_command()}"
        )
    last = folder.last_checkpoint()
    folder.remove_cut_off()
    folder.forget_after(0 if last is None else step_of(last))
    return last


def _writer(folder: RunFolder, resumed_from: int, stack: ExitStack) -> SummaryWriter:
    """The writer for TensorBoard, which is told to forget steps that are made again.

    Raises:
        TrainingError: nothing can be written.
    """
    try:
        writer = SummaryWriter(str(folder.tensorboard), purge_step=resumed_from + 1)
    except OSError as error:
        raise TrainingError(f"{folder.tensorboard} cannot be written: {error.strerror or error}.") from error
    stack.callback(writer.close)
    return writer


def _trainer(parts: Parts, card: dict[str, Any], sandbox: str, interruption: Interruption, stack: ExitStack) -> Trainer:
    match parts.config.method:
        case Method.SFT | Method.COLD_START:
            return supervised_trainer(parts)
        case Method.DPO:
            return preference_trainer(parts)
        case Method.GRPO:
            interruption.cancel = CancelToken()
            judge = _judge(parts.config, card, sandbox, interruption.cancel, stack)
            judge.check_knows(parts.dataset["problem_id"])
            log = RewardLog(parts.folder.rewards(PartialState().process_index))
            processes = PartialState().num_processes
            is_service = isinstance(judge.slots, ServiceSlots)
            sharing = processes if is_service else int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
            reward = SandboxReward(
                judge,
                log,
                parts.config.seed,
                parts.plan.updates_per_rollout,
                processes=processes,
                sharing=min(processes, sharing),
            )
            return rollout_trainer(parts, reward)


def _judge(
    config: TrainConfig, card: dict[str, Any], sandbox: str, cancel: CancelToken, stack: ExitStack
) -> RewardJudge:
    """The judge of the benchmark that the prompts are from."""
    opened = stack.enter_context(open_sandbox(sandbox))
    judge = judge_of_benchmark(_benchmark(config, card), opened, config.grpo.split)
    return replace(judge, settings=config.reward, cancel=cancel)


def _benchmark(config: TrainConfig, card: dict[str, Any]) -> Path:
    """The benchmark that the prompts are from.

    Raises:
        TrainingError: it is not there.
    """
    benchmark = Path(config.grpo.benchmark or card.get("source") or "")
    if not is_built(benchmark):
        raise TrainingError(
            f"The tests that judge answers are in the benchmark {benchmark}, which is no folder of eval build. Give "
            "its place as grpo.benchmark."
        )
    return benchmark


@contextmanager
def _enough_memory(where: Callable[[], str]) -> Iterator[None]:
    """Say in one line that a device's memory does not suffice.

    Raises:
        TrainingError: it does not.
    """
    try:
        yield
    except RuntimeError as error:
        if not _is_lack_of_memory(error):
            raise
        raise TrainingError(
            f"The device's memory does not suffice {where()}. Lower batch.per_device (the effective batch stays the "
            "same) or max_tokens, and run the same command again with another --out."
        ) from error


def _is_lack_of_memory(error: RuntimeError) -> bool:
    """Whether PyTorch, the driver or cuBLAS lacked memory; only the first has an error of its own for that."""
    said = str(error)
    return isinstance(error, torch.OutOfMemoryError) or "out of memory" in said or "ALLOC_FAILED" in said


def _save(trainer: Trainer, folder: RunFolder) -> None:
    """Write the trained model, in one piece or not at all.

    Raises:
        TrainingError: it cannot be written.
    """
    state = trainer.state
    if state.global_step < state.max_steps:
        raise TrainingError(
            f"Training ended after {state.global_step} of {state.max_steps} steps: the data set has too few rows for a "
            "batch. Lower batch.size, or build a larger data set."
        )
    model: Any = trainer.model
    check_finite(model, state.global_step)
    model.config.use_cache = True  # trainers switch it off; whoever serves the model needs it
    # All processes take part, as weights may be spread over them; the main one writes.
    is_main = trainer.is_world_process_zero()
    with whole_folder(folder.model) if is_main else nullcontext(folder.model) as unfinished:
        trainer.save_model(str(unfinished))
        if is_main:
            (unfinished / "training_args.bin").unlink(missing_ok=True)  # a pickle that nobody needs
            (unfinished / PAGE).write_text(model_card(folder, steps=state.global_step), encoding="utf-8")
            (folder.checkpoints / PAGE).unlink(missing_ok=True)  # TRL's, which knows no base
