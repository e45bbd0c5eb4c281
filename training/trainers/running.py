"""Runs a training from its configuration to the trained model, or goes on with one that was stopped."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import datasets
import torch
from torch.utils.tensorboard import SummaryWriter
from transformers import PrinterCallback
from transformers.integrations.integration_utils import TensorBoardCallback
from transformers.utils import logging

from afterburner.evals.datasets.built import is_built, read_built
from afterburner.evals.problems import BenchmarkProblem
from afterburner.sandbox import CancelToken, UsageError, open_sandbox
from afterburner.training.config.batches import plan_batches
from afterburner.training.config.schema import Method
from afterburner.training.data.reading import read_data
from afterburner.training.errors import TrainingError
from afterburner.training.planning.checks import check_launch, check_plan
from afterburner.training.planning.hardware import detect_hardware
from afterburner.training.planning.plan import make_plan
from afterburner.training.reward.judge import RewardJudge
from afterburner.training.reward.log import RewardLog
from afterburner.training.trainers.folder import RunFolder, step_of
from afterburner.training.trainers.following import Checkpoints, Interruption, Metrics
from afterburner.training.trainers.models import load_tokenizer, starting_point
from afterburner.training.trainers.parts import Parts
from afterburner.training.trainers.preferences import preference_trainer
from afterburner.training.trainers.rewarding import SandboxReward
from afterburner.training.trainers.rollouts import rollout_trainer
from afterburner.training.trainers.rows import trainable_rows
from afterburner.training.trainers.supervised import supervised_trainer

if TYPE_CHECKING:
    from transformers import Trainer

    from afterburner.training.config.schema import TrainConfig


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    Attributes:
        folder: of the run.
        steps: updates of the weights that were made, those of earlier processes included.
        resumed_from: the step of the checkpoint that it went on from; 0: it began anew.
        too_long: rows that were left out because they have too many tokens.
        stopped: whether someone interrupted it.
    """

    folder: RunFolder
    steps: int
    resumed_from: int
    too_long: int
    stopped: bool


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
    _quieten()
    check_launch(config)
    hardware = detect_hardware()
    plan = plan_batches(config, hardware.devices)
    if not config.data:
        raise UsageError("Give the data set: data in the configuration, or --data.")
    data, folder = read_data(Path(config.data)), RunFolder(out)
    tokenizer = load_tokenizer(config.model.path)
    rows = trainable_rows(data, config, tokenizer)
    check_plan(make_plan(config, hardware, rows=len(rows.dataset)), out)
    folder.begin(config, data, devices=hardware.devices)
    if folder.is_complete():
        raise UsageError(f"{out} holds a model that is trained already. Give another --out to train another.")
    last = folder.last_checkpoint()
    resumed_from = 0 if last is None else step_of(last)
    folder.forget_after(resumed_from)
    interruption = Interruption()
    with ExitStack() as stack:
        writer = stack.enter_context(SummaryWriter(str(folder.tensorboard)))
        callbacks = (Metrics(folder), Checkpoints(), interruption, TensorBoardCallback(writer))
        start = starting_point(config.model, folder.start)
        parts = Parts(config, plan, folder, start, tokenizer, rows.dataset, callbacks)
        trainer = _trainer(parts, data.card, sandbox, interruption, stack)
        trainer.remove_callback(PrinterCallback)
        stack.enter_context(interruption.listening())
        _run(trainer, last)
        if not interruption.happened:
            _save(trainer, folder)
    return Outcome(folder, trainer.state.global_step, resumed_from, rows.too_long, interruption.happened)


def _quieten() -> None:
    """Leave the terminal to our own progress."""
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    datasets.disable_progress_bars()
    warnings.filterwarnings(
        "ignore", category=FutureWarning, module=r"transformers\..*"
    )  # of names that TRL still uses


def _trainer(parts: Parts, card: dict[str, Any], sandbox: str, interruption: Interruption, stack: ExitStack) -> Trainer:
    match parts.config.method:
        case Method.SFT | Method.COLD_START:
            return supervised_trainer(parts)
        case Method.DPO:
            return preference_trainer(parts)
        case Method.GRPO:
            interruption.cancel = CancelToken()
            judge = _judge(parts.config, card, sandbox, interruption.cancel, stack)
            return rollout_trainer(parts, SandboxReward(judge, RewardLog(parts.folder.rewards)))


def _judge(
    config: TrainConfig, card: dict[str, Any], sandbox: str, cancel: CancelToken, stack: ExitStack
) -> RewardJudge:
    """The judge of the benchmark that the prompts are from.

    Raises:
        TrainingError: it is not there.
    """
    benchmark = Path(config.grpo.benchmark or card.get("source") or "")
    if not is_built(benchmark):
        raise TrainingError(
            f"The tests that judge answers are in the benchmark {benchmark}, which is no folder of eval build. Give "
            "its place as grpo.benchmark."
        )
    problems = [each for each in read_built(benchmark, config.grpo.split) if isinstance(each, BenchmarkProblem)]
    return RewardJudge(
        stack.enter_context(open_sandbox(sandbox)),
        {each.id: each.problem for each in problems},
        {each.id: each.private for each in problems if each.private is not None},
        config.reward,
        cancel=cancel,
    )


def _run(trainer: Trainer, last: Path | None) -> None:
    """Train.

    Raises:
        TrainingError: the device's memory does not suffice.
    """
    try:
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    except torch.OutOfMemoryError as error:
        raise TrainingError(
            f"The device's memory does not suffice at step {trainer.state.global_step + 1}. Lower batch.per_device "
            "(the effective batch stays the same) or max_tokens, and run the same command again with another --out."
        ) from error


def _save(trainer: Trainer, folder: RunFolder) -> None:
    """Write the trained model, in one piece or not at all.

    Raises:
        TrainingError: it cannot be written.
    """
    unfinished = folder.path / "model.unfinished"
    model: Any = trainer.model
    model.config.use_cache = True  # trainers switch it off; whoever serves the model needs it
    try:
        trainer.save_model(str(unfinished))
        if trainer.is_world_process_zero():
            (unfinished / "training_args.bin").unlink(missing_ok=True)  # a pickle that nobody needs
            unfinished.replace(folder.model)
    except OSError as error:
        raise TrainingError(
            f"{folder.model} cannot be written: {error.strerror or error}. Free some space and run the same "
            "command again."
        ) from error
