"""Makes test cases by a dataset's own generator, and prints them as one line of JSON.

The host sends this text with the call of `generate` behind it, as one program (`evals/datasets/generating.py`).
"""

from __future__ import annotations

import json
import os
import sys


def generate(source: str) -> None:
    """Call `generate_test_cases` of the source with the number and the seed from stdin; what it prints is left out."""
    request = json.loads(sys.stdin.buffer.read())
    result = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    names = {"__name__": "generator"}
    exec(compile(source, "generator", "exec"), names)  # noqa: S102 - in the sandbox
    cases = names["generate_test_cases"](request["num_cases"], seed=request["seed"])  # type: ignore[operator]
    with os.fdopen(result, "wb") as out:
        out.write(json.dumps(list(cases)).encode("ascii") + b"\n")
