"""The root of the exception tree, and the sandbox's part of it.

Every message says what happened, where, and what to do next. The command line prints the message and leaves
with `exit_code`; a user never sees a traceback of one of these.

    AfterburnerError                 exit 1
    ├── UsageError                   exit 2   the request cannot be carried out
    ├── SandboxUnavailableError      exit 3   no real sandbox here, and how to get one
    │   └── ToolchainMissingError             what compiles or runs a language is not there, and how to get it
    ├── CheckerError                 exit 1   a checker failed, so nothing is said of the program
    ├── CancelledError               exit 130 whoever began the work has cancelled it
    └── SandboxInternalError         exit 1   our fault, never the program's

`afterburner.agent.errors` adds the agent's leaves.
"""


class AfterburnerError(Exception):
    """Something that the user can read and act on."""

    exit_code = 1


class UsageError(AfterburnerError):
    """The request cannot be carried out as it was put."""

    exit_code = 2


class SandboxUnavailableError(AfterburnerError):
    """This machine offers no real sandbox; the message names what to install or switch on."""

    exit_code = 3


class ToolchainMissingError(SandboxUnavailableError):
    """What compiles or runs a language is not there; the message names what to install."""


class CheckerError(AfterburnerError):
    """A checker program gave no verdict: it crashed, went over a limit or does not compile."""


class CancelledError(AfterburnerError):
    """Whoever began the work has cancelled it. It says nothing about the program, and nothing is tried again."""

    exit_code = 130

    def __init__(self, message: str = "The work was cancelled.") -> None:
        super().__init__(message)


class SandboxInternalError(AfterburnerError):
    """The sandbox itself failed. It says nothing about the program that was to run."""
