"""A service gives the memory of large reports back, whichever of its threads read them."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

READING = """
import random, sys, threading
from afterburner.sandbox.service import freed_memory

def resident_mib():
    with open("/proc/self/statm") as told:
        return int(told.read().split()[1]) * 4096 >> 20

def read_reports(seed):
    draw = random.Random(seed)
    kept = []
    for _ in range(12):
        parts = [bytes(draw.randrange(200_000, 4_000_000)) for _ in range(4)]
        kept.append(bytearray(draw.randrange(100, 5000)))
        b"".join(parts).decode("latin-1")

assert freed_memory.give_back_freed_memory()
before = resident_mib()
for number in range(2):
    threads = [threading.Thread(target=read_reports, args=(8 * number + each,)) for each in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(resident_mib() - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="the C library has no mallopt")
def test_memory_that_many_threads_freed_goes_back_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", READING], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 30  # MiB; without it, glibc keeps more than 60
