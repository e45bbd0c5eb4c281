"""Which programs nothing else beats in both time and memory."""

from __future__ import annotations

from afterburner.agent.evidence.pareto import pareto_front, says_something
from afterburner.agent.types import Decision, JudgedCandidate
from afterburner.sandbox import Measurement, Verdict


def used(cpu_s: float, mib: int) -> Measurement:
    return Measurement(cpu_s, cpu_s, mib * 1024, cpu_s * mib * 1024)


def record(name: str, cpu_s: float, mib: int, decision: Decision = Decision.NOT_BETTER) -> JudgedCandidate:
    return JudgedCandidate(name, 1, "rules", Verdict.ACCEPTED, decision, "", measurement=used(cpu_s, mib))


def test_the_front_is_what_nothing_beats_in_both() -> None:
    records = [
        record("fast", 0.1, 300, Decision.IMPROVED),
        record("middle", 0.5, 90),
        record("beaten", 0.6, 95),
        record("slow", 2.0, 200),
        record("lean", 0.9, 40),
    ]
    points = pareto_front(records, used(1.0, 100))
    assert [point.id for point in points if point.on_front] == ["fast", "middle", "lean"]
    assert [point.id for point in points] == ["fast", "middle", "beaten", "lean", "original", "slow"]
    assert says_something(points)


def test_small_differences_are_none() -> None:
    points = pareto_front([record("same", 0.98, 101)], used(1.0, 100))
    assert all(point.on_front for point in points)
    assert [point.id for point in pareto_front([record("a", 0.5, 101)], used(1.0, 100)) if point.on_front] == ["a"]


def test_only_what_is_right_and_was_measured_takes_part() -> None:
    records = [
        record("wrong", 0.1, 10, Decision.WRONG),
        record("refused", 0.1, 10, Decision.REFUSED),
        JudgedCandidate("never run", 1, "rules", None, Decision.REFUSED, ""),
        JudgedCandidate("failed", 1, "rules", Verdict.TIME_LIMIT, Decision.WRONG, "", measurement=used(0.1, 1)),
    ]
    points = pareto_front(records, used(1.0, 100))
    assert [point.id for point in points] == ["original"]
    assert not says_something(points)
