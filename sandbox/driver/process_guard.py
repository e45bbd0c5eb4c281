"""Keeps other processes of the sandbox from looking into one of ours."""

from __future__ import annotations

from typing import Any

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36


def guard_process() -> Any:
    """Become the parent of orphans, and one that is not dumpable: nobody can read our memory or open our descriptors.

    Returns:
        A function that is called with 0 or 1 and says whether other processes of this user may look into this one.

    Raises:
        ImportError, AttributeError, OSError: this Python or this kernel cannot do that; it needs ctypes.
    """
    import ctypes  # noqa: PLC0415 - most processes need no guard

    call = ctypes.CDLL(None, use_errno=True).prctl

    def control(what: int, value: int) -> None:
        if call(what, value, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")

    control(_PR_SET_CHILD_SUBREAPER, 1)
    control(_PR_SET_DUMPABLE, 0)
    return lambda value: control(_PR_SET_DUMPABLE, value)
