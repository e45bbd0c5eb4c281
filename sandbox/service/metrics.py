"""What `GET /metrics` tells: counts of requests and verdicts, and how busy the service is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from afterburner.sandbox.service.crew import Crew

_BUCKETS_S = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


class Metrics:
    """The numbers of one service."""

    def __init__(self, crew: Crew) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "afterburner_requests",
            "Requests, by what they were answered with.",
            ["path", "status"],
            registry=self._registry,
        )
        self._reports = Counter(
            "afterburner_reports",
            "Programs that ran, by what became of them.",
            ["language", "verdict"],
            registry=self._registry,
        )
        self._cpu = Histogram(
            "afterburner_task_cpu_seconds",
            "CPU time of all cases of a task.",
            ["language"],
            registry=self._registry,
            buckets=_BUCKETS_S,
        )
        running = Gauge("afterburner_running", "Tasks that run.", registry=self._registry)
        running.set_function(lambda: crew.running)
        admitted = Gauge("afterburner_admitted", "Requests that run or wait.", registry=self._registry)
        admitted.set_function(lambda: crew.admitted)

    def count_request(self, path: str, status: int) -> None:
        """One request was answered."""
        self._requests.labels(path, str(status)).inc()

    def count_report(self, language: str, verdict: str, cpu_time_s: float | None) -> None:
        """One program ran; `language` is one that the sandbox knows."""
        self._reports.labels(language, verdict).inc()
        if cpu_time_s is not None:
            self._cpu.labels(language).observe(cpu_time_s)

    def text(self) -> bytes:
        """All of them, in Prometheus' text format."""
        return generate_latest(self._registry)
