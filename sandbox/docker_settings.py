"""How to use Docker, and what a container of ours is allowed, in the words of the Engine API ("Create a container")."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from afterburner.sandbox.container_paths import (
    METER,
    PROGRAM_FOLDER,
    SCRATCH,
    SHARED_MEMORY,
    SHARED_MEMORY_KIB,
    WRITABLE,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from afterburner.sandbox.types import ContainerSpec

_NOBODY = 65534
_METER_KIB = 65_536  # the meter's buffers count as the container's
_OOM_SCORE = 500  # rather than anything else of the machine
# What Docker hides by itself, and what tells of the machine or can be written: a program has no use for it. Of /sys
# only the container's control group is left, which the meter reads. Names that a kernel does not have are passed over.
_HIDDEN = (
    *("/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats"),
    *("/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/dev/mqueue", "/etc/resolv.conf"),
    *("/sys/block", "/sys/bus", "/sys/class", "/sys/dev", "/sys/devices", "/sys/firmware", "/sys/hypervisor"),
    *("/sys/kernel", "/sys/module", "/sys/power", "/sys/fs/bcachefs", "/sys/fs/bpf", "/sys/fs/btrfs", "/sys/fs/erofs"),
    *("/sys/fs/ext4", "/sys/fs/f2fs", "/sys/fs/fuse", "/sys/fs/nfs", "/sys/fs/nfsd", "/sys/fs/ocfs2"),
    *("/sys/fs/orangefs", "/sys/fs/pstore", "/sys/fs/resctrl", "/sys/fs/selinux", "/sys/fs/smackfs", "/sys/fs/xfs"),
    "/sys/fs/zonefs",
)
_RECURSIVELY_READ_ONLY = (1, 44)  # since this version of the API a read-only bind covers what is mounted below it


@dataclass(frozen=True, slots=True)
class DockerOptions:
    """How to use Docker.

    Attributes:
        images: by language; the table's is used for those that are not named.
        runtime: one that the daemon knows, such as `runsc`; None: the daemon's default.
        pool_size: how many containers of each kind to keep ready.
        cpuset: the cores that containers may use, such as `2-5`; None: all.
        address: of the daemon, `unix:///…` or `tcp://…`; None: `DOCKER_HOST`, or the system's socket.
        pull: get images that the daemon does not have from their registries.
        install_network: what a project's packages are installed over: a network of the daemon's, or `host`; None: its
            default.
    """

    images: Mapping[str, str] = field(default_factory=dict)
    runtime: str | None = None
    pool_size: int = 2
    cpuset: str | None = None
    address: str | None = None
    pull: bool = False
    install_network: str | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """What is known of the daemon.

    Attributes:
        name: technology and version, for reports.
        api: the version of the API that is spoken.
        cgroup: 1 or 2, the version of its control groups; 0: it cannot limit memory and processes.
        is_here: it runs on this machine, under this kernel, and sees the same files. Not in a virtual machine.
        machine: whose programs it runs, in the kernel's words, such as `x86_64` or `aarch64`.
    """

    name: str
    api: tuple[int, ...]
    cgroup: int
    is_here: bool
    machine: str = ""


@dataclass(frozen=True, slots=True)
class Choices:
    """What stays the same from container to container."""

    meter: Path
    labels: Mapping[str, str]
    runtime: str | None
    cpuset: str | None


def container_settings(
    spec: ContainerSpec, volumes: tuple[str, ...], folder: Path, engine: Engine, choices: Choices
) -> dict[str, Any]:
    """A container with the meter as process 1 on the line, and nothing that a program could keep or reach.

    Args:
        spec: the image that is its root, read-only, what else it shows, and how much it may use.
        volumes: folders that the image wants to be written outside of it; they are empty, and read-only as well.
        folder: what the host puts in later lies here.
        engine: the daemon.
        choices: what the user chose.
    """
    binds = [
        *((bind.source, bind.destination) for bind in dict.fromkeys(spec.binds)),
        *((str(choices.meter), METER), (str(folder), PROGRAM_FOLDER)),
    ]
    return {
        "Image": spec.image,
        "Entrypoint": [METER],
        "Cmd": ["0", "1", "-", *_counters(engine), *WRITABLE],
        "User": f"{_NOBODY}:{_NOBODY}",
        "Hostname": "sandbox",
        "WorkingDir": "/",
        "Labels": dict(choices.labels),
        "Healthcheck": {"Test": ["NONE"]},  # the image's would be a process beside the program
        "NetworkDisabled": True,
        "OpenStdin": True,
        "StdinOnce": True,  # when whoever is attached goes, however it went, the meter hears, and leaves
        **{f"Attach{name}": True for name in ("Stdin", "Stdout", "Stderr")},
        "HostConfig": {
            **_permissions(engine, choices),
            **_resources(spec, engine, choices),
            "Mounts": [*(_bind(*bind, engine) for bind in binds), *(_emptied(path) for path in volumes)],
            "Tmpfs": {
                SCRATCH: _tmpfs(spec.writable_kib),
                SHARED_MEMORY: _tmpfs(min(SHARED_MEMORY_KIB, spec.writable_kib)),
            },
        },
    }


def _permissions(engine: Engine, choices: Choices) -> dict[str, Any]:
    return {
        "AutoRemove": True,
        "Init": False,
        "NetworkMode": "none",
        "IpcMode": "none",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges"],
        "MaskedPaths": list(_HIDDEN),
        "ReadonlyPaths": ["/proc"],
        "LogConfig": {"Type": "none"},
        **({"CgroupnsMode": "private"} if engine.cgroup == 2 else {}),
        **({"Runtime": choices.runtime} if choices.runtime else {}),
    }


def _resources(spec: ContainerSpec, engine: Engine, choices: Choices) -> dict[str, Any]:
    """A little beyond what the meter stops by itself, and says so."""
    memory = (spec.memory_kib + 2 * spec.writable_kib + _METER_KIB) * 1024
    return {
        "Memory": memory,
        "MemorySwap": memory,  # both together: no swap
        "PidsLimit": 2 * spec.processes + 16,
        "OomScoreAdj": _OOM_SCORE,
        **({"MemorySwappiness": 0} if engine.cgroup == 1 else {}),
        **({"CpusetCpus": choices.cpuset} if choices.cpuset else {}),
    }


def _counters(engine: Engine) -> tuple[str, str]:
    """The files inside the container that count kills for memory, and CPU time."""
    if engine.cgroup == 2:
        return "/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/cpu.stat"
    return "/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/cpuacct/cpuacct.usage"


def _tmpfs(size_kib: int) -> str:
    """The meter, which empties it, owns it."""
    return f"rw,exec,nosuid,nodev,mode=1777,uid={_NOBODY},gid={_NOBODY},size={max(4, size_kib)}k"


def _bind(source: str, destination: str, engine: Engine) -> dict[str, Any]:
    """Without what is mounted below it if that could be written."""
    recursive = engine.api >= _RECURSIVELY_READ_ONLY
    options = {"Propagation": "rprivate", "NonRecursive": not recursive}
    return {"Type": "bind", "Source": source, "Target": destination, "ReadOnly": True, "BindOptions": options}


def _emptied(path: str) -> dict[str, Any]:
    return {"Type": "tmpfs", "Target": path, "ReadOnly": True, "TmpfsOptions": {"SizeBytes": 4096, "Mode": 0o555}}
