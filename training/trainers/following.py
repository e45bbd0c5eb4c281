"""What watches a training run: metrics, complete checkpoints, interruption."""

from __future__ import annotations

import json
import math
import signal
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from accelerate import PartialState
from transformers import TrainerCallback

from afterburner.training.errors import TrainingError
from afterburner.training.trainers.folder import mark_complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transformers import TrainerControl, TrainerState, TrainingArguments

    from afterburner.sandbox import CancelToken
    from afterburner.training.trainers.folder import RunFolder


class Metrics(TrainerCallback):
    """Appends what is logged to the metrics file, and prints a line where there is no progress bar."""

    def __init__(self, folder: RunFolder, resumed_from: int = 0) -> None:
        self._path = folder.metrics
        self._began_s = time.monotonic()
        self._resumed_from = resumed_from
        self._is_line_open = False

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Write a step's figures.

        Raises:
            TrainingError: the loss is no number, or the file cannot be written.
        """
        if not state.is_world_process_zero or logs is None:
            return
        figures = {name: value if _is_number(value) else None for name, value in logs.items()}
        elapsed_s = round(time.monotonic() - self._began_s, 3)
        row = {"step": state.global_step, "time_s": elapsed_s, "resumed_from": self._resumed_from, **figures}
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        except OSError as error:
            raise TrainingError(f"{self._path} cannot be written: {error.strerror or error}.") from error
        for name in ("loss", "grad_norm", "train_loss"):
            if name in logs and logs[name] is not None and not _is_number(logs[name]):
                raise not_finite(f"The {name} of step {state.global_step}")
        if "loss" in logs:
            self._is_line_open = _show(state, logs)

    def end_line(self) -> None:
        """End the line of progress on a terminal, so that what is written next has a line of its own."""
        if self._is_line_open:
            sys.stderr.write("\n")
            self._is_line_open = False


def not_finite(what: str) -> TrainingError:
    """The error for training that has diverged."""
    return TrainingError(f"{what} is NaN or infinite. Lower optimizer.learning_rate and give another --out.")


def check_finite(model: torch.nn.Module, step: int) -> None:
    """Check in all processes that the trained weights are finite: a broken model would be saved as a success.

    Raises:
        TrainingError: a weight is NaN or infinite.
    """
    broken = any(not bool(torch.isfinite(each).all()) for each in model.parameters() if each.requires_grad)
    if in_any_process(broken):
        raise not_finite(f"A weight after step {step}")


def _is_number(value: Any) -> bool:
    """TRL logs None where a rollout has no reward."""
    return value is not None and math.isfinite(float(value))


def _show(state: TrainerState, logs: dict[str, Any]) -> bool:
    """Write a line of progress: on a terminal always the same one, elsewhere one for each logged step.

    Returns:
        Whether the line goes on.
    """
    figures = " ".join(f"{name} {float(logs[name]):.4g}" for name in ("loss", "reward") if logs.get(name) is not None)
    start, end = ("\r\x1b[2K", "") if sys.stderr.isatty() else ("", "\n")
    if state.global_step == state.max_steps:
        end = "\n"
    sys.stderr.write(f"{start}step {state.global_step}/{state.max_steps}: {figures}{end}")
    sys.stderr.flush()
    return not end


class Checkpoints(TrainerCallback):
    """Marks each checkpoint as complete once all processes have written their parts."""

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Mark the one just written.

        Raises:
            TrainingError: it cannot be marked.
        """
        PartialState().wait_for_everyone()
        if state.is_world_process_zero:
            checkpoint = Path(args.output_dir or "") / f"checkpoint-{state.global_step}"
            try:
                mark_complete(checkpoint)
            except OSError as error:
                raise TrainingError(f"{checkpoint} cannot be written: {error.strerror or error}.") from error


@dataclass
class Interruption(TrainerCallback):
    """Ends training after the step during which someone interrupts it, with a checkpoint.

    Attributes:
        updates_per_rollout: GRPO can go on from a checkpoint only where a rollout ends.
        happened: whether someone did, in this process or another one.
        cancel: ends what runs in the sandbox when someone interrupts a second time.
    """

    updates_per_rollout: int = 1
    happened: bool = False
    cancel: CancelToken | None = field(default=None)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Stop if someone has interrupted."""
        self.happened = in_any_process(self.happened)
        if self.happened and state.global_step % self.updates_per_rollout == 0:
            control.should_save = control.should_training_stop = True

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear SIGINT and SIGTERM. A second one ends the process at once."""
        before = {number: signal.signal(number, self._hear) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _hear(self, *_: object) -> None:
        if self.happened:
            if self.cancel is not None:
                self.cancel.cancel()
            raise KeyboardInterrupt
        self.happened = True
        start = "\r\x1b[2K" if sys.stderr.isatty() else ""  # in place of the line of progress
        sys.stderr.write(f"{start}stopping after this step; interrupt again to stop at once\n")


def in_any_process(happened: bool) -> bool:
    """The same answer in all processes: they have to stop after the same step."""
    state = PartialState()
    if state.num_processes == 1:
        return happened
    flag = torch.tensor(int(happened), device=state.device)
    torch.distributed.all_reduce(flag, torch.distributed.ReduceOp.MAX)
    return bool(flag.item())
