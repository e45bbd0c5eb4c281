"""What the commands work with, loaded when a command asks for it.

It is most of this program, and takes longer to import than the command line takes to read. So a command shows what it
was given (`show_beginning`), and asks for these meanwhile.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.cli.comparison_report import deliver_comparison
    from afterburner.agent.cli.many import run_many
    from afterburner.agent.cli.resume_stored import resume_stored
    from afterburner.agent.cli.run_one import run_one
    from afterburner.agent.cli.verification_report import deliver_verification
    from afterburner.agent.code.locate import functions_in, read_source
    from afterburner.agent.session.session import open_session
    from afterburner.agent.store.table import runs_kept_here

__all__ = [
    "deliver_comparison",
    "deliver_verification",
    "functions_in",
    "open_session",
    "read_source",
    "resume_stored",
    "run_many",
    "run_one",
    "runs_kept_here",
]
_HOMES = {
    "deliver_comparison": "cli.comparison_report",
    "deliver_verification": "cli.verification_report",
    "functions_in": "code.locate",
    "open_session": "session.session",
    "read_source": "code.locate",
    "resume_stored": "cli.resume_stored",
    "run_many": "cli.many",
    "run_one": "cli.run_one",
    "runs_kept_here": "store.table",
}


def __getattr__(name: str) -> object:
    """Load one of them.

    Raises:
        AttributeError: there is no such name.
    """
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"afterburner.agent.{_HOMES[name]}"), name)
