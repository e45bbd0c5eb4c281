"""Trains in forks of one process, which has the libraries loaded: `python forked.py`, a line of JSON for each run.

A line is `{"config": …, "out": …, "kill_at": step, "interrupt_at": step, "fill_at": step, "processes": number}`.
All but the first two may be missing. As that step ends, the fork is killed, is interrupted, or fills the disk. The
answer is a line with its exit `status` (negative: the signal that killed it), and what came of it. With several
`processes`, that many forks train together on CPUs, and the answers of all but the first are in its `others`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
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


def fork(asked: dict[str, Any], environment: dict[str, str]) -> tuple[int, int]:
    """Start a run; what comes back is its process and where its answer is read."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.environ.update(environment)
        with os.fdopen(writing, "w") as answer:
            run(asked, answer)
        os._exit(0)
    os.close(writing)
    return child, reading


def wait_for(child: int, reading: int) -> dict[str, Any]:
    with os.fdopen(reading) as answer:
        told = answer.read()
    return {"status": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), **json.loads(told or "{}")}


def environments(processes: int) -> list[dict[str, str]]:
    """What `accelerate launch --cpu` tells each of its processes; nothing to one that is alone."""
    if processes == 1:
        return [{}]
    with socket.create_server(("127.0.0.1", 0)) as free:
        shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
    shared |= {"CUDA_VISIBLE_DEVICES": "", "ACCELERATE_USE_CPU": "true"}
    shared |= {"WORLD_SIZE": str(processes), "LOCAL_WORLD_SIZE": str(processes)}
    return [{**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(processes)]


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        forks = [fork(asked, each) for each in environments(asked.get("processes", 1))]
        first, *others = [wait_for(*each) for each in forks]
        print(json.dumps(first | ({"others": others} if others else {})), flush=True)  # noqa: T201 - to the test


if __name__ == "__main__":
    main()
