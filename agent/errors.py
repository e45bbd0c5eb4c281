"""The agent's leaves of the exception tree; the root is drawn in `afterburner.sandbox.errors`.

AfterburnerError
├── UsageError            exit 2
│   ├── TargetError       exit 2   no such file, not Python, no such function, …
│   ├── SettingsError     exit 2   what the environment or pyproject.toml sets cannot be used
│   └── RunNotFoundError  exit 2   no such run is stored
├── WorkloadError         exit 4   nothing to judge on, or the original fails on it
├── ProposerError         exit 1   missing key, a model that cannot be asked or started, broken recording
│   └── UnknownModelError exit 2   no model goes by that name (a UsageError, too)
├── NotTrustedError       exit 1   whoever decides did not let anything of the project run
├── TargetChangedError    exit 1   the file changed while we worked; nothing was written
├── RunStoreError         exit 1   where runs are kept cannot be read or written
└── RunInUseError         exit 1   another process works on that run
"""

from afterburner.sandbox import AfterburnerError, UsageError


class TargetError(UsageError):
    """What is to be optimised cannot be found or read."""


class SettingsError(UsageError):
    """A setting of the environment or of a project file cannot be used."""


class WorkloadError(AfterburnerError):
    """There is nothing to judge a rewrite on, or the original fails on it."""

    exit_code = 4


class NoInputsError(WorkloadError):
    """A function has no inputs that a rewrite could be judged on, or too few: so many were `usable`."""

    def __init__(self, message: str, usable: int = 0) -> None:
        super().__init__(message)
        self.usable = usable


class ProposerError(AfterburnerError):
    """The model, its key, its answer or the recording is unusable."""


class UnknownModelError(UsageError, ProposerError):
    """No model, and no recording, goes by the name that was given."""


class NotTrustedError(AfterburnerError):
    """Whoever decides about trust did not let anything of the project run."""


class TargetChangedError(AfterburnerError):
    """The user's file changed since it was read, so nothing was written."""


class RunNotFoundError(UsageError):
    """No run of that name is stored, or more than one."""


class RunStoreError(AfterburnerError):
    """The place where runs are kept cannot be read or written."""


class RunInUseError(AfterburnerError):
    """Another process works on the run."""
