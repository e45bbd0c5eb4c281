"""What the user asked `verify` for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """The options of one comparison, typed."""

    file: str
    against: str
    function: str
    calls_file: str | None = None
    python: str | None = None
    seed: int = 0
    max_seconds: float = 60.0
    float_tolerance: float | None = None  # the largest relative difference of two floats; None: none at all
