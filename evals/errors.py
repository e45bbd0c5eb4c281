"""The leaves that evaluation adds to the exception tree; the root is drawn in `afterburner.sandbox.errors`.

AfterburnerError
├── DatasetError          exit 4   a dataset cannot be found, read or used
│   ├── RecordError       exit 4   one record of it; the others are used
│   └── UnknownDatasetError exit 2 no dataset, file, split or problem goes by that name (a UsageError, too)
└── EvaluationError       exit 1   an evaluation cannot begin, go on, or be read
"""

from __future__ import annotations

from afterburner.sandbox import AfterburnerError, UsageError


class DatasetError(AfterburnerError):
    """A dataset cannot be found, read or used as a whole."""

    exit_code = 4


class RecordError(DatasetError):
    """A field of one record is missing, or not what it has to be."""

    def __init__(self, field: str, reason: str = "") -> None:
        """Name the field and what is wrong with it; whoever reads records adds which one it was."""
        super().__init__(f"{field}: {reason}" if reason else field)
        self.field = field
        self.reason = reason

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, str]]:
        """Travel between processes by both parts, as a worker of a cluster sends it."""
        return type(self), (self.field, self.reason)


class UnknownDatasetError(UsageError, DatasetError):
    """No dataset, no file, no split or no problem goes by the name that was given."""


class EvaluationError(AfterburnerError):
    """An evaluation cannot begin, go on, or be read."""
