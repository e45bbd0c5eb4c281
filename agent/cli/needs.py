"""Commands that need an extra: whoever lacks it is told how to get it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.sandbox import UsageError
from afterburner.sandbox.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def needing_extra(extra: str, what: str) -> Iterator[None]:
    """Say which extra is missing, where an import inside fails for want of one.

    Args:
        extra: its name.
        what: what needs it, as the message begins: `The language server`.

    Raises:
        UsageError: a package that is not ours is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("", "afterburner"):  # our own mistake, not the user's
            raise
        raise UsageError(
            f"{what} needs the Python module {error.name}, which is not installed. Install it: {install_command(extra)}"
        ) from None
