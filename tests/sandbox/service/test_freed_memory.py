"""A service gives the memory of large reports back, whichever of its threads read them."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

from afterburner.sandbox.service import freed_memory

READING = """
import os, random, sys, threading
from afterburner.sandbox.service import freed_memory

def resident_mib():
    with open("/proc/self/statm") as told:
        return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

def read_reports(seed):
    draw = random.Random(seed)
    kept = []
    for _ in range(12):
        parts = [bytes(draw.randrange(200_000, 4_000_000)) for _ in range(4)]
        kept.append(bytearray(draw.randrange(100, 5000)))
        b"".join(parts).decode("latin-1")

if sys.argv[1] == "given back":
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
    given_back, kept = (kept_mib(how) for how in ("given back", "as usual"))
    assert given_back < 30
    assert kept > given_back + 20


def kept_mib(how: str) -> int:
    """MiB that a process which read large reports in threads still has afterwards."""
    without = {name: value for name, value in os.environ.items() if name not in freed_memory.OF_OPERATORS}
    done = subprocess.run([sys.executable, "-c", READING, how], check=True, env=without, capture_output=True, text=True)
    return int(done.stdout)


@pytest.mark.parametrize("name", freed_memory.OF_OPERATORS)
def test_what_an_operator_sets_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "8")
    assert not freed_memory.give_back_freed_memory()
