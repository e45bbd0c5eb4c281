"""Waits for other threads end with what these give, and are open to signals that did not wake them."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future

import pytest

from afterburner.sandbox.waiting import next_of, result_of

WAITS = {
    "a result": "from concurrent.futures import Future\nfrom afterburner.sandbox.waiting import result_of\n"
    "wait = lambda: result_of(Future())",
    "a queue": "import queue\nfrom afterburner.sandbox.waiting import next_of\n"
    "wait = lambda: next_of(queue.SimpleQueue(), 3600)",
    "a token": "from concurrent.futures import Future\nfrom afterburner.sandbox import CancelToken\n"
    "wait = lambda: CancelToken().wait_for(Future())",
}
# Only the other thread is given signals, as the system may do with any thread's leave.
PROGRAM = """
import os, signal, threading
{wait}
waiting = threading.Event()
def other():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    waiting.wait()
    print(flush=True)
    threading.Event().wait()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
threading.Thread(target=other, daemon=True).start()
try:
    waiting.set()
    wait()
except KeyboardInterrupt:
    os._exit(7)
"""


@pytest.mark.parametrize("name", WAITS)
def test_a_signal_that_another_thread_gets_is_handled(name: str) -> None:
    program = subprocess.Popen([sys.executable, "-c", PROGRAM.format(wait=WAITS[name])], stdout=subprocess.PIPE)
    assert program.stdout is not None
    with program:
        try:
            assert program.stdout.readline() == b"\n"
            program.send_signal(signal.SIGINT)
            assert program.wait(120) == 7
        finally:
            program.kill()


def test_what_comes_is_given_and_what_is_raised_is_raised() -> None:
    ended: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Timer(0.6, ended.put, [3]).start()
    assert next_of(ended) == 3
    with pytest.raises(queue.Empty):
        next_of(ended, 0.6)
    future: Future[int] = Future()
    threading.Timer(0.6, future.set_exception, [LookupError("gone")]).start()
    with pytest.raises(LookupError, match="gone"):
        result_of(future)
