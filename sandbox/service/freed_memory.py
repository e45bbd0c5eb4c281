"""Lets memory that was freed go back to the system, as a service runs for weeks."""

from __future__ import annotations

import os

_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1  # M_… of glibc's malloc.h
_ARENAS = 2
_LARGE_BYTES = 256 * 1024  # blocks from this size on get a mapping of their own, which is returned when they are freed
OF_OPERATORS = ("MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES")  # variables


def give_back_freed_memory() -> bool:
    """Limit glibc's malloc to two arenas, and let it return large blocks at once, for this whole process.

    By default glibc raises the size from which blocks get their own mapping to that of the largest that was freed, and
    has up to eight arenas for each core. Reports of some megabytes, read in many threads, then leave their memory
    behind in one arena after the other: a service grew in steps by two thirds.

    Returns:
        Whether it did: not if the C library has no `mallopt`, or if the environment sets these things itself.
    """
    if any(name in os.environ for name in OF_OPERATORS):
        return False
    try:
        import ctypes  # noqa: PLC0415 - some builds of Python lack it

        mallopt = ctypes.CDLL(None).mallopt
    except (ImportError, AttributeError, OSError):
        return False
    settings = {_ARENA_MAX: _ARENAS, _MMAP_THRESHOLD: _LARGE_BYTES, _TRIM_THRESHOLD: _LARGE_BYTES}
    taken = [mallopt(name, value) for name, value in settings.items()]  # each by itself, even if one is refused
    return all(taken)
