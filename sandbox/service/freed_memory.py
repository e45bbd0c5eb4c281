"""Lets memory that was freed go back to the system, as a service runs for weeks."""

from __future__ import annotations

import ctypes

_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1  # M_… of glibc's malloc.h
_ARENAS = 2
_LARGE_BYTES = 256 * 1024  # of a block that is mapped for itself, and so given back at once


def give_back_freed_memory() -> bool:
    """Have glibc's malloc give large blocks back at once, and threads share its arenas. Tells whether it could.

    By default glibc raises the size from which a block is mapped for itself to that of the largest that was freed, and
    has up to eight arenas for each core. Reports of some megabytes, read in many threads, then leave their memory
    behind in one arena after the other: a service grew in steps by two thirds. Other C libraries have no `mallopt`.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    settings = {_ARENA_MAX: _ARENAS, _MMAP_THRESHOLD: _LARGE_BYTES, _TRIM_THRESHOLD: _LARGE_BYTES}
    taken = [mallopt(name, value) for name, value in settings.items()]  # each by itself, even if one is refused
    return all(taken)
