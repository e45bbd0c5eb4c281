"""Where things are measured: the backends that can be had here, and the core that everything timed runs on."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.sandbox import Bind, Command, ContainerSpec, DockerOptions, Limits, Sandbox, open_sandbox
from afterburner.sandbox.cores import divide_cores
from scripts.bench.bare import UnableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox import RawResult
    from scripts.bench.bare import Bare

_INSIDE = "/bench"  # where a container shows the C programs
_LENDER = "scripts.docker_daemon"
_ROOT = Path(__file__).parents[2]
_LENT_IMAGE = "AFTERBURNER_TEST_IMAGE"  # set by scripts.docker_daemon for the command that it runs
_UNABLE = 75  # its status where it cannot
_LIMITS = Limits(wall_time_s=60.0, cpu_time_s=60.0)
_BUSY = 0.3  # of the cores, by the load average of the last minute


@dataclass(frozen=True)
class Place:
    """A sandbox, and the same machine without it."""

    name: str
    sandbox: Sandbox
    bare: Bare

    @contextmanager
    def core(self) -> Iterator[int]:
        """A core that no other sandbox of this user uses meanwhile; this thread keeps off it."""
        with divide_cores().lease() as cpu:
            yield cpu

    def run_c(self, cpu: int, name: str, *arguments: str) -> RawResult:
        """Runs one of the C programs in a container of its own.

        Raises:
            UnableError: it failed.
        """
        spec = ContainerSpec((Bind(str(self.bare.folder), _INSIDE),))
        raw = self.sandbox.run_raw(spec, Command((f"{_INSIDE}/{name}", *arguments)), b"", _LIMITS, cpu=cpu)
        if raw.exit_code != 0:
            raise UnableError(f"{name} failed in the sandbox: {raw.limit or raw.exit_code} {raw.stderr[-200:]!r}")
        return raw


@contextmanager
def open_place(backend: str, bare: Bare) -> Iterator[Place]:
    """Opens `bubblewrap` or `docker`.

    Raises:
        UnableError: no Docker daemon can be had.
        SandboxUnavailableError: no sandbox.
    """
    if backend == "bubblewrap":
        with open_sandbox("bubblewrap") as sandbox:
            yield Place(backend, sandbox, bare)
        return
    with _docker_options() as options, open_sandbox("docker", docker=options) as sandbox:
        yield Place(backend, sandbox, bare)


@contextmanager
def _docker_options() -> Iterator[DockerOptions]:
    """The daemon and the image that are given by the environment, else those that scripts.docker_daemon lends."""
    image = os.environ.get(_LENT_IMAGE)
    if image is not None:
        yield _options(image, None)
        return
    with _lender() as lending:
        told = lending.stdout.readline() if lending.stdout else ""
        if not told:
            _, complaint = lending.communicate()
            kind = "" if lending.returncode == _UNABLE else f"{_LENDER} failed: "
            raise UnableError(f"{kind}{complaint.strip()[-500:]}")
        lease = json.loads(told)
        yield _options(lease["image"], lease["url"])


def _lender() -> subprocess.Popen[str]:
    """Holds the daemon until its stdin ends, which leaving it as a context sees to."""
    return subprocess.Popen(
        [sys.executable, "-m", _LENDER],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,  # Ctrl-C is for us alone; then it ends in order
    )


def _options(image: str, address: str | None) -> DockerOptions:
    return DockerOptions(images=dict.fromkeys(("python", "cpp"), image), address=address)


def machine() -> dict[str, Any]:
    """What the figures come from, for the document."""
    cores = divide_cores()
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu_model": _cpu_model(),
        "cpus": len(os.sched_getaffinity(0)),
        "slots": list(cores.slots),
        "watching": sorted(cores.watching),
        "memory_kib": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024,
        "python": platform.python_version(),
    }


def is_busy(load: float) -> bool:
    """Whether a load average says that the cores have other work."""
    return load > _BUSY * len(os.sched_getaffinity(0))


def _cpu_model() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
