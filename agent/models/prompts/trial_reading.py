"""Reads a long answer on trial, in a process of its own that ends with its time: so no answer holds a run up.

Python's parser and other compiled code take the square of the length of some texts, and no thread can be stopped in
them. What the process has read and put in place in time takes this one as long and no longer, so it gives nothing back
but that it came to its end. Short answers need no trial: the square of their length is little.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from afterburner.agent.code.additions import RewriteError
from afterburner.sandbox.host_commands import run_on_host

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.types import Target

LONG_CHARS = 10_000
MOST_S = 10.0  # of CPU time
MOST_SHARE = 1 / 8  # of the time that is left: an answer is read twice and put in place twice, and is seldom alone
MOST_BYTES = 2 << 30
_PROGRAM = "afterburner.agent.models.prompts.trial_process"
_STARTING_S = 10.0
_WAITING = 4  # seconds for each second of CPU time, on a machine that is busy


def try_reading(
    text: str, target: Target, how: Mapping[str, Any], *, until: Deadline | None = None, most_s: float = MOST_S
) -> None:
    """Read an answer and put it in place, and forget what comes of it.

    Args:
        text: the answer.
        target: what it has to rewrite.
        how: it is read: the further arguments of `read_answer`.
        until: the end of the run; None: there is none.
        most_s: of CPU time, for one answer.

    Raises:
        RewriteError: it cannot be done within the time or the memory.
        CancelledError: the run was cancelled.
    """
    if len(text) <= LONG_CHARS:
        return
    left_s = until.left_s() if until is not None else math.inf
    cpu_s = min(most_s, MOST_SHARE * left_s)
    if cpu_s <= 0:
        raise RewriteError("The time of the run was over before this answer was read.")
    limits = {"cpu_s": cpu_s, "bytes": MOST_BYTES}
    request = json.dumps({"text": text, "target": asdict(target), "how": how, "limits": limits})
    if not _comes_to_its_end(request, min(left_s, _STARTING_S + _WAITING * cpu_s)):
        raise RewriteError(f"The answer takes more than {cpu_s:.2g} s or {MOST_BYTES >> 30} GiB to be read.")


def _comes_to_its_end(request: str, timeout_s: float) -> bool:
    command = [sys.executable, "-P", "-m", _PROGRAM]
    with suppress(subprocess.TimeoutExpired):
        return run_on_host(command, stdin=request.encode(), timeout_s=timeout_s).returncode == 0
    return False
