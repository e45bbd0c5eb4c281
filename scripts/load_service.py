"""Loads a sandbox service with many clients at once, and counts what they are answered.

Starts a service of its own on a loopback port, unless it is given one. Fails if a verdict is wrong, if a request gets
no answer, or an answer other than 200, 429 and 503.

    load_service.py [--url URL] [--clients 64] [--seconds 60]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN_VARIABLE = "AFTERBURNER_SERVICE_TOKEN"  # noqa: S105 - the name of a variable
_GOOD_STATUSES = {200, 429, 503}
_LONGEST_PAUSE_S = 1.0
_ANSWER_S = 300.0
_TASKS = {
    "accepted": {"source": "print(sum(map(int, input().split())))", "stdin": "1 2 3", "expected_stdout": "6"},
    "wrong_answer": {"source": "print(input())", "stdin": "no", "expected_stdout": "yes"},
    "runtime_error": {"source": "print('yes'); raise SystemExit(3)", "expected_stdout": "yes"},
    "time_limit": {"source": "print('yes', flush=True)\nwhile True: pass", "expected_stdout": "yes"},
    "output_limit": {"source": "while True: print('yes')", "expected_stdout": "yes"},
    "memory_limit": {"source": "print('yes')\nkept = bytearray(b'x' * (96 << 20))", "expected_stdout": "yes"},
}
_LIMITS = {"cpu_time_s": 0.3, "wall_time_s": 30, "memory_kib": 65_536, "output_bytes": 100_000}


def main() -> int:
    """Runs the load and prints the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="a service that runs already; its token comes from the environment")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    if arguments.url:
        counts = asyncio.run(_load(arguments.url, os.environ.get(_TOKEN_VARIABLE, ""), arguments))
    else:
        token = secrets.token_hex(16)
        with _service(token) as url:
            counts = asyncio.run(_load(url, token, arguments))
    for name, number in sorted(counts.items()):
        print(f"{name:32} {number}")
    bad = [name for name in counts if name.startswith(("wrong", "lost", "unexpected"))]
    print("bad: " + ", ".join(bad) if bad else "no wrong verdict, no lost request, only 200, 429 and 503")
    return 1 if bad or not counts["answered 200"] else 0


async def _load(url: str, token: str, arguments: argparse.Namespace) -> Counter[str]:
    counts: Counter[str] = Counter()
    end = time.monotonic() + arguments.seconds
    async with (
        httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=_ANSWER_S,
            limits=httpx.Limits(max_connections=None),
            trust_env=False,
        ) as client,
        asyncio.TaskGroup() as clients,
    ):
        for number in range(arguments.clients):
            clients.create_task(_client(client, number, end, counts))
    return counts


async def _client(client: httpx.AsyncClient, number: int, end: float, counts: Counter[str]) -> None:
    """One client: a request at a time, each with a verdict that is known."""
    verdicts = list(_TASKS)
    while time.monotonic() < end:
        verdict = verdicts[number % len(verdicts)]
        number += 1
        task = _TASKS[verdict]
        body = {
            "program": {"language": "python", "source": task["source"]},
            "cases": [{name: task[name] for name in ("stdin", "expected_stdout") if name in task}],
            "limits": _LIMITS,
        }
        counts["sent"] += 1
        try:
            answer = await client.post("/run", json=body)
        except httpx.HTTPError as error:
            counts[f"lost ({type(error).__name__})"] += 1
            continue
        known = answer.status_code in _GOOD_STATUSES
        counts[f"{'answered' if known else 'unexpected'} {answer.status_code}"] += 1
        if answer.status_code == httpx.codes.OK:
            got = answer.json()["report"]["verdict"]
            counts[f"verdict {got}" if got == verdict else f"wrong verdict: {got}, not {verdict}"] += 1
        else:
            await asyncio.sleep(min(_LONGEST_PAUSE_S, float(answer.headers.get("Retry-After", "1"))))


@contextmanager
def _service(token: str) -> Iterator[str]:
    """A service of our own, on a free port."""
    command = [str(Path(sys.executable).with_name("afterburner-agent")), "sandbox", "serve", "--port", "0"]
    with tempfile.TemporaryFile("w+b") as log:
        environment = {**os.environ, _TOKEN_VARIABLE: token}
        process = subprocess.Popen([*command, "--queue", "32"], stderr=log, env=environment)
        try:
            yield _address(process, log)
        finally:
            process.terminate()
            print(f"{'exit code of the service':32} {process.wait()}")


def _address(process: subprocess.Popen[bytes], log: BinaryIO) -> str:
    """What the service says it listens on."""
    while True:
        log.seek(0)
        said = log.read().decode()
        if told := re.search(r"listening on (\S+)", said):
            return told[1]
        if process.poll() is not None:
            raise SystemExit(f"The service did not start: {said}")
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
