"""Lets a client submit thousands of programs to a pool, kills and restarts services, and counts the answers."""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.remote import open_remote
from scripts.soak.findings import Ran
from scripts.soak.pool import Pool
from scripts.soak.progress import Progress
from scripts.soak.samples import Samples
from scripts.soak.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox import Report, Task
    from afterburner.sandbox.remote import RemoteSandbox
    from scripts.soak.findings import Findings
    from scripts.soak.pool import Service
    from scripts.soak.supervisor import Plan
    from scripts.soak.watch import Found
    from tests.sandbox.attack_host import Host as Attacked

_CLIENTS = 8  # submissions under way at a time
_GRACEFUL = 0.25  # share of interruptions by SIGTERM, as in an upgrade, instead of SIGKILL
_DURING_START = 0.2  # share of kills after which the new process is killed, too, while it starts
_START_S = 0.5
_PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024


class PoolSupervisor:
    """Carries a plan out on a pool, whose first service is never killed: its memory and descriptors must stay flat."""

    def __init__(self, plan: Plan, folder: Path, attacked: Attacked, findings: Findings) -> None:
        self._plan = plan
        self._attacked = attacked
        self._findings = findings
        self._progress = Progress(plan.runs)
        self._watch = Watch(folder, None)
        self._watch.hosts.add(int(attacked.places["host_process"]))
        self._pool = Pool(plan.services, folder, self._watch)
        self._chance = random.Random(plan.seed)
        self._kill_after = set(self._chance.sample(range(1, plan.runs), min(plan.kills, plan.runs - 1)))
        self._stopped = 0
        self._longest_wait = (0.0, "")  # of a submission for its report: seconds, and the name of the program

    def soak(self) -> None:
        """Runs the whole plan. Ctrl-C ends it early, gracefully.

        Raises:
            HostFailedError: the pool did not start, or a service ended by itself or with an error.
        """
        start = None
        try:
            with self._pool, open_remote(self._pool.url) as client:
                samples = Samples(self._plan.seed, self._languages(client), self._attacked.places, of_a_service=True)
                list(self._submitted(client, samples, range(1)))  # the meter is compiled
                for service in self._pool.services:
                    service.wait()
                start = self._watch.take()
                for first in range(0, self._plan.runs, self._plan.every):
                    end = min(first + self._plan.every, self._plan.runs)
                    for ran in self._submitted(client, samples, range(first, end)):
                        self._findings.add(ran, self._plan.seed)
                        self._progress.show(self._findings)
                        self._disturb(ran.index)
                    self._settle()
                    self._look(f"after {end} runs", start)
        except KeyboardInterrupt:
            self._findings.interrupted = True
            raise
        finally:
            if start is not None:
                self._look("at the end", start)
                self._count_answers()
            self._progress.end()

    def _languages(self, client: RemoteSandbox) -> list[str]:
        """The requested languages that the service has; if none were requested, all that it has."""
        has = [language.name for language in client.health().languages if language.version is not None]
        self._findings.languages = [name for name in has if name in (self._plan.languages or has)]
        return self._findings.languages

    def _submitted(self, client: RemoteSandbox, samples: Samples, indices: range) -> Iterator[Ran]:
        """Submits samples side by side and yields results in order; one without a report is yielded as wrong."""
        threads = ThreadPoolExecutor(_CLIENTS)
        with client.branch() as branch:
            try:
                running = [threads.submit(_timed, branch, samples[index].task) for index in indices]
                begin = time.monotonic()
                for index, future in zip(indices, running, strict=True):
                    result, waited_s = future.result()
                    self._longest_wait = max(self._longest_wait, (waited_s, samples[index].name))
                    if isinstance(result, AfterburnerError):
                        wrong = f"no report: {result}"
                    else:
                        wrong = samples[index].wrong(result)
                    end = time.monotonic()
                    yield self._ran(samples, index, end - begin, wrong)
                    begin = end
            finally:
                branch.stop()
                threads.shutdown(cancel_futures=True)

    def _ran(self, samples: Samples, index: int, seconds: float, wrong: str) -> Ran:
        process = Path(f"/proc/{self._pool.services[0].pid}")
        resident_kib = int((process / "statm").read_text("ascii").split()[1]) * _PAGE_KIB
        descriptors = sum(1 for _ in (process / "fd").iterdir())
        sample = samples[index]
        return Ran(index, sample.name, sample.language, sample.is_attack, seconds, wrong, resident_kib, descriptors)

    def _disturb(self, index: int) -> None:
        """Restarts services that have ended; kills or stops one if that is due after this run."""
        for service in self._pool.services:
            if service.is_ending and service.has_ended():
                service.start()
        if index in self._kill_after:
            self._end_one(self._chance.choice(self._pool.services[1:]))
            self._progress.show(self._findings)

    def _end_one(self, service: Service) -> None:
        self._findings.killed_at.append(self._findings.runs)
        time.sleep(self._chance.uniform(0, _START_S))
        if self._chance.random() < _GRACEFUL and not service.is_ending:
            self._stopped += 1
            service.wait()  # one that does not serve yet has nothing to finish
            service.ask_to_end()
            return
        service.kill()
        self._findings.kills += 1
        service.start()
        if self._chance.random() < _DURING_START:
            time.sleep(self._chance.uniform(0, _START_S))
            service.kill()
            service.start()

    def _settle(self) -> None:
        """Waits until every service answers, so that no start or shutdown is under way when we look."""
        for service in self._pool.services:
            if service.is_ending:
                service.end()
                service.start()
            service.wait()

    def _look(self, when: str, start: Found) -> None:
        left = self._watch.left(start)
        self._findings.look(when, {**left, "harm to the host": frozenset(self._attacked.harm())})
        self._progress.look(self._findings, when)

    def _count_answers(self) -> None:
        answers = self._pool.answers()
        expected = self._findings.runs + 1  # plus the first submission, which had the meter compiled
        sent_on, reports = answers.pop("sent on", 0), answers.pop("200", 0)
        others = ", ".join(f"{number} times {status}" for status, number in sorted(answers.items()))
        self._findings.notes |= {
            "stopped gracefully": str(self._stopped),
            "longest wait": "{:.1f} s, of {}".format(*self._longest_wait),
            "sent on": f"{sent_on} submissions to another service",
            "answers": f"{reports} reports for {expected} submissions" + (f"; {others}" if others else ""),
        }
        if reports != expected and not self._findings.interrupted:
            self._findings.wrong.append(f"the proxy gave {reports} reports for {expected} submissions")


def _timed(client: RemoteSandbox, task: Task) -> tuple[Report | AfterburnerError, float]:
    """The report of a task, or why there is none, and the seconds until it came."""
    begin = time.monotonic()
    try:
        result: Report | AfterburnerError = client.run_task(task)
    except AfterburnerError as error:
        result = error
    return result, time.monotonic() - begin
