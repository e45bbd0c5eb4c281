"""Trains in forks of one process, which has the libraries loaded: `python forked.py`, a line of JSON for each run.

A line is `{"config": …, "out": …, "kill_at": step or 0, "interrupt_at": step or 0}`; the answer is a line with the exit
`status` of the fork (negative: the signal that killed it), its `message`, and whether it was `stopped`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from afterburner.sandbox import AfterburnerError
from afterburner.training.config.schema import TrainConfig
from afterburner.training.trainers.following import Interruption
from afterburner.training.trainers.running import train


def send_at(step: int, number: int) -> None:
    """Let this process get a signal as a step ends."""
    listen = Interruption.on_step_end

    def on_step_end(self: Interruption, args: Any, state: Any, control: Any, **rest: Any) -> None:
        if state.global_step == step:
            os.kill(os.getpid(), number)
        listen(self, args, state, control, **rest)

    Interruption.on_step_end = on_step_end  # type: ignore[method-assign]


def run(asked: dict[str, Any], answer: Any) -> None:
    if asked.get("kill_at"):
        send_at(asked["kill_at"], signal.SIGKILL)
    if asked.get("interrupt_at"):
        send_at(asked["interrupt_at"], signal.SIGINT)
    try:
        outcome = train(TrainConfig.model_validate(asked["config"]), Path(asked["out"]))
        told = {"steps": outcome.steps, "resumed_from": outcome.resumed_from, "stopped": outcome.stopped}
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
