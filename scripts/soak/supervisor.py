"""Lets one process use a sandbox for long, kills others in the middle, and looks at what they leave behind."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scripts.soak.findings import Ran
from scripts.soak.hosts import Host
from scripts.soak.progress import Progress
from scripts.soak.watch import Watch, docker_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scripts.soak.findings import Findings
    from scripts.soak.watch import Found
    from tests.sandbox.attack_host import Host as Attacked

_LONGEST_BEFORE_KILL_S = 3.0
_START_S = 0.5
_KILLED_DURING_START = 0.2  # this part of them
_ENDLESS = 1_000_000_000
_NEXT_SEED = 1_000_000  # from the seed of one process to that of the next


@dataclass(frozen=True)
class Plan:
    """What a soak consists of."""

    backend: str
    languages: tuple[str, ...]  # none: all that are there
    runs: int
    kills: int
    seed: int
    every: int  # runs between two looks at the machine
    services: int = 0  # of a pool to submit to; 0: a sandbox of its own


class Supervisor:
    """Carries a plan out; the findings grow meanwhile, and may be told at any moment."""

    def __init__(self, plan: Plan, folder: Path, attacked: Attacked, findings: Findings) -> None:
        self._plan = plan
        self._folder = folder
        self._attacked = attacked
        self._findings = findings
        self._progress = Progress(plan.runs)
        self._watch = Watch(folder, docker_address() if plan.backend == "docker" else None)
        self._watch.hosts.add(int(attacked.places["host_process"]))

    def soak(self) -> None:
        """Goes through all of it. Ctrl-C ends it early, and in order.

        Raises:
            HostFailedError: a process that used a sandbox ended by itself.
        """
        self._use_once()  # the meter is compiled: from now on, the cache stays what it is
        start = self._watch.take()
        try:
            with self._host(self._plan.seed) as host:
                self._findings.languages = host.hear()["languages"]
                for first in range(0, self._plan.runs, self._plan.every):
                    end = min(first + self._plan.every, self._plan.runs)
                    for ran in self._ran(host, first, end):
                        self._findings.add(ran, self._plan.seed)
                        self._progress.show(self._findings)
                    self._look(f"after {end} runs", start)
                    self._kill_some(start, first, end)
                self._findings.look("by the host", {"descriptors": frozenset(host.close())})
        finally:
            self._look("at the end", start)
            self._progress.end()

    def _host(self, seed: int) -> Host:
        arguments = ["--backend", self._plan.backend, "--seed", str(seed), "--languages", *self._plan.languages]
        return Host(arguments, self._attacked.places, self._folder, self._watch)

    def _use_once(self) -> None:
        with self._host(self._plan.seed) as host:
            host.hear()
            list(self._ran(host, 0, 1))
            host.close()

    @staticmethod
    def _ran(host: Host, first: int, end: int) -> Iterator[Ran]:
        host.ask(first, end - first)
        while told := host.hear():
            yield Ran(**told)

    def _look(self, when: str, start: Found) -> None:
        left = self._watch.left(start)
        self._findings.look(when, {**left, "harm to the host": frozenset(self._attacked.harm())})
        self._progress.look(self._findings, when)

    def _kill_some(self, start: Found, first: int, end: int) -> None:
        """Kills as many as belong to these runs. Then another one starts, which has to tidy up after them."""
        numbers = range(*(self._plan.kills * at // self._plan.runs for at in (first, end)))
        for number in numbers:
            self._kill_one(number)
            self._findings.look(f"after kill {number}", self._watch.left(start, "processes"))
        if numbers:
            self._use_once()
            self._look(f"after kill {numbers[-1]} and another start", start)

    def _kill_one(self, number: int) -> None:
        seed = self._plan.seed + _NEXT_SEED * (number + 1)
        chance = random.Random(seed)
        during_start = chance.random() < _KILLED_DURING_START
        with self._host(seed) as host:
            host.ask(0, _ENDLESS)
            if not during_start:
                host.hear()
            moment = time.monotonic() + chance.uniform(0, _START_S if during_start else _LONGEST_BEFORE_KILL_S)
            while time.monotonic() < moment:
                if host.speaks(moment) and "wrong" in (told := host.hear()):
                    self._findings.judge(Ran(**told), seed)
            host.kill()
        self._findings.kills += 1
        self._progress.show(self._findings)
