"""Trains in forks of one process, which has the libraries loaded: `python forked.py`, a line of JSON for each run.

A line is `{"config": …, "out": …, "kill_at": step, "interrupt_at": step, "fill_at": step}`, of which the steps
may be missing: as that step ends, the fork is killed, is interrupted, or fills the disk. The answer is a line with its
exit `status` (negative: the signal that killed it), and what came of it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.sandbox import AfterburnerError
from afterburner.training.config.schema import TrainConfig
from afterburner.training.trainers.following import Interruption
from afterburner.training.trainers.running import train

if TYPE_CHECKING:
    from collections.abc import Callable


def do_at(step: int, what: Callable[[], object]) -> None:
    """Do something in this process as a step ends."""
    listen = Interruption.on_step_end

    def on_step_end(self: Interruption, args: Any, state: Any, control: Any, **rest: Any) -> None:
        if state.global_step == step:
            what()
        listen(self, args, state, control, **rest)

    Interruption.on_step_end = on_step_end  # type: ignore[method-assign]


def send(number: int) -> Callable[[], object]:
    return lambda: os.kill(os.getpid(), number)


def fill(folder: Path) -> None:
    """Take what is free on the disk of a folder."""
    with suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass


def run(asked: dict[str, Any], answer: Any) -> None:
    (Path(asked["out"]).parent / "filler").unlink(missing_ok=True)
    if asked.get("kill_at"):
        do_at(asked["kill_at"], send(signal.SIGKILL))
    if asked.get("interrupt_at"):
        do_at(asked["interrupt_at"], send(signal.SIGINT))
    if asked.get("fill_at"):
        do_at(asked["fill_at"], lambda: fill(Path(asked["out"]).parent))
    try:
        outcome = train(TrainConfig.model_validate(asked["config"]), Path(asked["out"]))
        told = {"steps": outcome.steps, "resumed_from": outcome.resumed_from, "stopped": outcome.stopped}
        told |= {"interrupted": True} if outcome.interrupted else {}
    except AfterburnerError as error:
        told = {"message": str(error)}
    answer.write(json.dumps(told))
    answer.flush()


def main() -> None:
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            with os.fdopen(writing, "w") as answer:
                run(json.loads(line), answer)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as answer:
            told = answer.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps({"status": status, **json.loads(told or "{}")}), flush=True)  # noqa: T201 - to the test


if __name__ == "__main__":
    main()
