"""The JSON of a run: schema 1, described in docs/run-json.md and in run-schema.json beside this file."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from afterburner.agent.cli.offer import weigh
from afterburner.agent.evidence.pareto import pareto_front

if TYPE_CHECKING:
    from afterburner.agent.evidence.classes import Fit
    from afterburner.agent.evidence.growth import Growth
    from afterburner.agent.evidence.pareto import ParetoPoint
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Gain, HeldOut, JudgedCandidate
    from afterburner.agent.usage import Usage
    from afterburner.sandbox import Measurement

SCHEMA = 1


def to_json(result: RunResult, settings: RunSettings, *, applied: bool = False) -> dict[str, Any]:
    """Give the documented dictionary of a finished run; it holds no NaN and no infinity.

    `applied` says whether the rewrite was written to the user's file.
    """
    offer = weigh(result, settings.proof.min_gain_per_line)
    document = {
        "schema": SCHEMA,
        "run_id": result.run_id,
        "target": {
            "file": result.target.path,
            "function": result.target.function,
            "language": result.target.language,
        },
        "objective": result.objective.value,
        "model": result.model,
        "decision": "improved" if result.improved else "no_improvement",
        "summary": result.summary,
        "gain": _gain(result.gain) if result.improved else None,
        "original": _measurement(result.original),
        "best": _measurement(result.best),
        "held_out": _held_out(result.held_out),
        "candidates": [candidate_entry(candidate) for candidate in result.candidates],
        "notes": list(result.notes),
        "patch": result.patch,
        "offer": {
            "offered": offer.offered,
            "reason": offer.reason,
            "gain_per_line": offer.gain_per_line,
            "applied": applied,
        },
        "readability": asdict(result.readability) if result.readability else None,
        "workload": {
            "origins": [{"origin": origin, "inputs": inputs} for origin, inputs in result.workload_origins],
            "skipped": [asdict(skipped) for skipped in result.skipped],
        },
        "growth": _growth(result.evidence.growth) if result.evidence and result.evidence.growth else None,
        "larger_inputs": result.evidence.larger_inputs if result.evidence else "",
        "pareto": [_pareto(point) for point in pareto_front(result.candidates, result.original)],
        "machine": asdict(result.machine),
        "usage": usage_to_json(result.usage),
        "elapsed_s": result.elapsed_s,
        "seed": settings.search.seed,
        "settings": asdict(replace(settings, unsaved=(), problem="")),
    }
    cleaned = clean(document)
    assert isinstance(cleaned, dict)  # noqa: S101 - narrows the type; a dictionary went in
    return cleaned


def to_json_text(result: RunResult, settings: RunSettings, *, applied: bool = False) -> str:
    """Give the same as ASCII text that every JSON reader takes, with a newline at the end."""
    return json_text(to_json(result, settings, applied=applied))


def json_text(document: dict[str, Any]) -> str:
    """A document as ASCII text; what JSON cannot carry is left out of it."""
    return json.dumps(clean(document), indent=2, allow_nan=False) + "\n"


def _gain(gain: Gain | None) -> dict[str, Any] | None:
    return asdict(gain) if gain else None


def _measurement(measurement: Measurement) -> dict[str, Any]:
    return asdict(measurement)


def _held_out(held_out: HeldOut) -> dict[str, Any]:
    return {"inputs": held_out.inputs, "passed": held_out.passed, "gain": _gain(held_out.gain)}


def candidate_entry(candidate: JudgedCandidate) -> dict[str, Any]:
    """A candidate and what became of it."""
    return {
        "id": candidate.id,
        "iteration": candidate.iteration,
        "proposer": candidate.proposer,
        "verdict": candidate.verdict.value if candidate.verdict else None,
        "decision": candidate.decision.value,
        "reason": candidate.reason,
        "gain": _gain(candidate.gain),
        "measurement": _measurement(candidate.measurement) if candidate.measurement else None,
        "counterexample": candidate.counterexample,
        "answer_form": candidate.answer_form or None,
    }


def usage_to_json(usage: Usage | None) -> dict[str, Any] | None:
    """What models have used; None if none took part."""
    if usage is None:
        return None
    return {
        "requests": usage.requests,
        "cached": usage.cached,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost_usd": usage.known_cost_usd,
        "lost": {
            "requests": usage.lost,
            "most_tokens": usage.lost_tokens,
            "most_cost_usd": None if usage.unpriced else usage.lost_cost_usd,
        },
        "unsaid": {
            "requests": usage.unsaid,
            "most_tokens": usage.unsaid_tokens,
            "most_cost_usd": None if usage.unpriced else usage.unsaid_cost_usd,
        },
        "cap_reached": usage.cap or None,
    }


def _growth(growth: Growth) -> dict[str, Any]:
    return {
        "sentence": growth.sentence,
        "scaled": growth.scaled,
        "original": _fit(growth.original),
        "rewrite": _fit(growth.winner),
        "points": [
            {"size": point.size, "original_s": point.original_s, "rewrite_s": point.winner_s} for point in growth.points
        ],
        "note": growth.note,
        "disagreement": growth.disagreement,
    }


def _fit(fit: Fit | None) -> dict[str, Any] | None:
    if fit is None:
        return None
    return {
        "class": fit.name,
        "rivals": list(fit.rivals),
        "exponent": fit.exponent,
        "error": fit.error,
        "reason": fit.reason,
    }


def _pareto(point: ParetoPoint) -> dict[str, Any]:
    return {
        "id": point.id,
        "on_front": point.on_front,
        "cpu_time_s": point.cpu_time_s,
        "peak_memory_kib": point.peak_memory_kib,
        "memory_integral_kib_s": point.measurement.memory_integral_kib_s,
    }


def clean(value: object) -> object:
    """Turn figures that JSON cannot carry into null, and lone surrogates into U+FFFD, at any depth."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value
