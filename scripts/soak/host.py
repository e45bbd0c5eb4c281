"""The process that uses a sandbox, until it is done or killed; `scripts.soak` starts it.

The first line of its stdin is JSON: where the things are that attacks are aimed at. Each further line is two numbers,
`FIRST COUNT`: it runs these samples. It writes JSON, too: first which languages it has, then of each run, and `null`
when they are done. At the end of its stdin, or upon Ctrl-C, it closes the sandbox and leaves.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox import AfterburnerError, DockerOptions, SandboxUnavailableError, open_sandbox
from afterburner.sandbox.languages import LANGUAGES, find_language
from scripts.soak.findings import Ran
from scripts.soak.samples import IMAGE, Samples

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.sandbox import Sandbox

_IN_THE_IMAGE = ("python", "cpp")
_PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024


def main() -> int:
    """Runs what it is told to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--languages", nargs="*", required=True)
    options = parser.parse_args()
    before = _descriptors()
    try:
        places = json.loads(sys.stdin.readline())
        with open_sandbox(options.backend, docker=_docker_options()) as sandbox:
            languages = _usable(sandbox, options.languages)
            samples = Samples(options.seed, languages, places)
            _say({"languages": languages})
            for line in sys.stdin:
                first, count = map(int, line.split())
                for ran in run(sandbox, samples, range(first, first + count)):
                    _say(asdict(ran))
                _say(None)
    except (KeyboardInterrupt, BrokenPipeError):
        return 130
    except AfterburnerError as error:
        print(error, file=sys.stderr)
        return 1
    _say({"descriptors": sorted(_descriptors() - before)})
    return 0


def run(sandbox: Sandbox, samples: Samples, indices: range) -> Iterator[Ran]:
    """Runs samples side by side, in order. One at which the sandbox itself fails is told, and left out."""
    while indices:
        begin = time.monotonic()
        try:
            for report in sandbox.run_many(samples[index].task for index in indices):
                end = time.monotonic()
                yield _ran(samples, indices[0], end - begin, samples[indices[0]].wrong(report))
                indices, begin = indices[1:], end
        except AfterburnerError as error:
            yield _ran(samples, indices[0], time.monotonic() - begin, f"no verdict: {error}")
            indices = indices[1:]


def _ran(samples: Samples, index: int, seconds: float, wrong: str) -> Ran:
    sample = samples[index]
    resident_kib = int(Path("/proc/self/statm").read_text("ascii").split()[1]) * _PAGE_KIB
    descriptors = len(_descriptors())
    return Ran(index, sample.name, sample.language, sample.is_attack, seconds, wrong, resident_kib, descriptors)


def _docker_options() -> DockerOptions:
    image = os.environ.get(IMAGE)
    return DockerOptions(images=dict.fromkeys(_IN_THE_IMAGE, image) if image else {})


def _usable(sandbox: Sandbox, wanted: Sequence[str]) -> list[str]:
    """The languages that were asked for, all of them; or without any, those that are there."""
    found = []
    for name in wanted or LANGUAGES:
        language = find_language(name)
        with suppress(*(() if wanted else (SandboxUnavailableError,))):
            sandbox.backend.toolchain(language)
            found.append(language.name)
    return found


def _descriptors() -> set[str]:
    folder = "/proc/self/fd"
    found = set()
    for name in os.listdir(folder):  # noqa: PTH208 - they are numbers, not paths
        with suppress(FileNotFoundError):  # the one that lists them is closed by now
            found.add(f"{name} {os.readlink(f'{folder}/{name}')}")  # noqa: PTH115 - it may not be a path
    return found


def _say(what: object) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    sys.exit(main())
