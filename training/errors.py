"""What goes wrong in training."""

from __future__ import annotations

from afterburner.sandbox import AfterburnerError


class TrainingError(AfterburnerError):
    """Training cannot go on, or cannot begin. The message says what to do."""
