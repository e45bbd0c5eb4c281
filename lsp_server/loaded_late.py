"""What the server loads when a run needs it: it brings the judge, which is slow to import."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.lsp_server.comparisons import details_of_comparison, message_of_comparison

__all__ = ["details_of_comparison", "message_of_comparison"]
_HOME = "afterburner.lsp_server.comparisons"


def __getattr__(name: str) -> object:
    """Load one of them.

    Raises:
        AttributeError: there is no such name.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME), name)
