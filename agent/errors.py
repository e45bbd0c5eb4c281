"""The agent's leaves of the exception tree; the root is drawn in `afterburner.sandbox.errors`.

AfterburnerError
├── UsageError            exit 2
│   └── TargetError       exit 2   no such file, not Python, no such function, …
├── WorkloadError         exit 4   nothing to judge on, or the original fails on it
├── ProposerError         exit 1   unknown model, missing key, broken recording
└── TargetChangedError    exit 1   the file changed while we worked; nothing was written
"""

from afterburner.sandbox import AfterburnerError, UsageError


class TargetError(UsageError):
    """What is to be optimised cannot be found or read."""


class WorkloadError(AfterburnerError):
    """There is nothing to judge a rewrite on, or the original fails on it."""

    exit_code = 4


class ProposerError(AfterburnerError):
    """The model, its key, its answer or the recording is unusable."""


class TargetChangedError(AfterburnerError):
    """The user's file changed since it was read, so nothing was written."""
