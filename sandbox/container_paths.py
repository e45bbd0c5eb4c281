"""Paths inside a container, the same in every technology."""

from __future__ import annotations

HOME = "/afterburner"  # what the sandbox itself puts into a container lies here
METER = f"{HOME}/meter"
PROGRAM_FOLDER = f"{HOME}/program"  # what the host puts in; the program can only read it
SCRATCH = "/tmp"
SHARED_MEMORY = "/dev/shm"
WRITABLE = (SCRATCH, SHARED_MEMORY)  # the meter empties them between runs
SHARED_MEMORY_KIB = 65_536
