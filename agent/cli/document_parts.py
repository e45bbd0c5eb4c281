"""Parts that several JSON documents of the command line share. They are made from the objects of the same fields."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from afterburner.agent.events import EventKind, Stage
from afterburner.agent.types import Decision
from afterburner.agent.usage import Usage
from afterburner.sandbox import Verdict
from afterburner.sandbox.terminal.document import Document, Number

EmptyAsNull = Annotated[str | None, BeforeValidator(lambda text: text or None)]


class MachinePart(Document):
    """Where the figures come from; ratios travel to other machines, seconds do not."""

    system: str = Field(description="Kernel and architecture.")
    cpu_model: str
    cpus: int = Field(ge=1, description="Logical CPUs.")
    memory_kib: NonNegativeInt = Field(description="Main memory, KiB.")
    python: str = Field(description="Version of the Python that ran the code.")
    backend: str = Field(description="The sandbox and its version.")
    tier: str = Field(description="How limits were watched: `rlimits`, ….")
    toolchain: str = Field(
        description="Of a program in another language: its compiler or interpreter; empty for Python."
    )


class SkippedPart(Document):
    """What could not be used."""

    origin: str = Field(description="In words.")
    reason: str = Field(description="Why.")


class KindPart(Document):
    """How many made inputs of a kind agreed."""

    kind: str = Field(description="How they were made.")
    inputs: PositiveInt


class StagePart(Document):
    """The time that a job spent on one of its steps."""

    stage: Stage
    step: EventKind = Field(description="What the job did; a step lasts until the next one begins.")
    times: PositiveInt = Field(description="How often the step occurred.")
    seconds: NonNegativeFloat = Field(description="Total wall time of the step, seconds.")


class GainPart(Document):
    """How many times smaller the figure of the objective became: 2.0 is half."""

    ratio: Number
    low: Number = Field(description="Lower bound of the interval.")
    high: Number = Field(description="Upper bound of the interval.")
    confidence: float = Field(
        ge=0, le=1, description="Of the interval. 0: a candidate that was only screened; 1: counted, not measured."
    )
    pairs: NonNegativeInt = Field(description="Blocks of interleaved fresh processes.")


class MeasurementPart(Document):
    """What a program used for all calls."""

    wall_time_s: Number = Field(description="Seconds.")
    cpu_time_s: Number = Field(description="Seconds.")
    peak_memory_kib: Number = Field(description="KiB (1024 bytes).")
    memory_integral_kib_s: Number = Field(description="Resident memory summed over time, KiB times seconds.")
    samples: NonNegativeInt = Field(description="Samples behind the memory figures.")
    sampling_interval_s: Number = Field(description="Seconds between two samples.")
    tier: str = Field(description="How memory was watched.")


class CandidatePart(Document):
    """A candidate and what became of it."""

    id: str = Field(description="`1.3`: iteration 1, third candidate.")
    iteration: NonNegativeInt = Field(description="From 1.")
    proposer: str = Field(description="Who wrote it.")
    verdict: Verdict | None = Field(description="What became of it on the workload; null if it was not run.")
    decision: Decision = Field(description="What was decided.")
    reason: str = Field(description="One sentence: why.")
    gain: GainPart | None = Field(description="Over the incumbent of its iteration; null if it was not timed.")
    measurement: MeasurementPart | None = Field(description="Null if it was not measured.")
    counterexample: str | None = Field(description="A call and what differs there; null unless it behaved differently.")
    answer_form: EmptyAsNull = Field(
        description="How a model's answer was read: strict, or the names of the leniency that it took, with commas "
        "between; null if it could not be read, or no model was asked."
    )


class UnreadUsagePart(Document):
    """Requests whose use is not known."""

    requests: NonNegativeInt
    most_tokens: NonNegativeInt = Field(description="The most tokens that they can have used.")
    most_cost_usd: NonNegativeFloat | None = Field(
        description="The most they can have cost, US dollars; null where no price is known."
    )


class UsagePart(Document):
    """What language models have used."""

    requests: NonNegativeInt = Field(description="Requests that were sent, each try counted.")
    cached: NonNegativeInt = Field(description="Requests answered from the cache of answers, at no cost.")
    prompt_tokens: NonNegativeInt = Field(description="Tokens of prompts, as the providers say.")
    completion_tokens: NonNegativeInt = Field(description="Tokens of answers, as the providers say.")
    cost_usd: NonNegativeFloat | None = Field(description="US dollars; null where the price of a model is not known.")
    lost: UnreadUsagePart = Field(description="Requests that brought no answer that could be read.")
    unsaid: UnreadUsagePart = Field(description="Requests whose answer does not say what it used; in no other number.")
    cap_reached: str | None = Field(description="Which cap ended the requests; null: none.")

    @classmethod
    def of(cls, usage: Usage | None) -> Self | None:
        """None if no model took part."""
        if usage is None:
            return None
        priced = not usage.unpriced
        return cls(
            requests=usage.requests,
            cached=usage.cached,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd=usage.known_cost_usd,
            lost=UnreadUsagePart(
                requests=usage.lost,
                most_tokens=usage.lost_tokens,
                most_cost_usd=usage.lost_cost_usd if priced else None,
            ),
            unsaid=UnreadUsagePart(
                requests=usage.unsaid,
                most_tokens=usage.unsaid_tokens,
                most_cost_usd=usage.unsaid_cost_usd if priced else None,
            ),
            cap_reached=usage.cap or None,
        )
