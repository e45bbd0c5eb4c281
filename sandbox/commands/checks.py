"""What this machine has that the sandbox needs or can use: each thing is looked at, and tried where it can be."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.commands.hello import EXPECTED, HELLO
from afterburner.sandbox.control_groups import find_control_groups
from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.errors import AfterburnerError, SandboxUnavailableError
from afterburner.sandbox.extras import install_command, is_installed, required_by_extras
from afterburner.sandbox.folders import cache_folder, state_folder
from afterburner.sandbox.interpreter import find_interpreter
from afterburner.sandbox.languages import LANGUAGES
from afterburner.sandbox.meter_build import comes_with_wheel, meter_path
from afterburner.sandbox.opening import open_sandbox
from afterburner.sandbox.preflight import find_bubblewrap
from afterburner.sandbox.types import Limits, Program, TestCase, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from afterburner.sandbox.languages import Language
    from afterburner.sandbox.sandbox import Sandbox

_PROBE_TIMEOUT_S = 20.0
_PATIENT = Limits(wall_time_s=60.0, cpu_time_s=60.0)
SANDBOX = "sandbox"
PYTHON_RUNS = "runs python"
_OF_DEVELOPERS = "dev"  # an extra


class Status(StrEnum):
    """Whether a thing is of use."""

    OK = "ok"
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was found, and what to do about it if it is not as it should be."""

    name: str
    status: Status
    found: str
    advice: str = ""


def sandbox_checks() -> Generator[tuple[str, Callable[[], list[Check]]], None, None]:
    """What is to be looked at, by name, from the ground up; each is looked at when it is called."""
    with ExitStack() as stack:
        opened: list[Sandbox] = []
        yield "system", check_system
        yield "bubblewrap", check_bubblewrap
        yield "user namespaces", check_namespaces
        yield "meter", check_meter
        yield "control groups", check_control_groups
        yield "cores", check_cores
        yield "docker", check_docker
        yield SANDBOX, partial(check_sandbox, stack, opened)
        for language in LANGUAGES.values():
            yield f"runs {language.name}", partial(check_language, language, opened)
        yield "interpreter", check_interpreter
        yield "folders", check_folders
        yield "extras", check_extras


def check_system() -> list[Check]:
    """The kernel and the kind of machine."""
    found = f"{platform.system()} {platform.release()} {platform.machine()}"
    if sys.platform == "linux":
        return [Check("system", Status.OK, found)]
    return [Check("system", Status.MISSING, found, "bubblewrap needs Linux; here, use Docker or a virtual machine.")]


def check_bubblewrap() -> list[Check]:
    """Whether bubblewrap is there and really starts a container."""
    try:
        found = find_bubblewrap()
    except SandboxUnavailableError as error:
        there = shutil.which("bwrap")
        return [Check("bubblewrap", Status.BROKEN if there else Status.MISSING, there or "not found", str(error))]
    return [Check("bubblewrap", Status.OK, f"{found.version}, {found.path}, starts containers")]


def check_namespaces() -> list[Check]:
    """Whether any program of this user may make a user namespace; bubblewrap may be allowed to where others are not."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return [Check("user namespaces", Status.OK, "not tried by themselves (no `unshare`); see bubblewrap")]
    command = [unshare, "--user", "--map-root-user", "true"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_PROBE_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [Check("user namespaces", Status.BROKEN, str(error), "See bubblewrap: it has to be able to make them.")]
    if done.returncode == 0:
        return [Check("user namespaces", Status.OK, "allowed")]
    said = done.stderr.decode(errors="replace").strip()
    return [Check("user namespaces", Status.BROKEN, said, "Nothing, if bubblewrap works: it alone needs them.")]


def check_meter() -> list[Check]:
    """Whether the wheel's meter is whole; in a checkout, whether it is compiled, or can be."""
    is_of_wheel = comes_with_wheel()
    try:
        path = meter_path()
    except SandboxUnavailableError as error:
        return [Check("meter", Status.MISSING, "damaged" if is_of_wheel else "not compiled", str(error))]
    return [Check("meter", Status.OK, f"{'from the wheel' if is_of_wheel else 'compiled'}, {path}")]


def check_control_groups() -> list[Check]:
    """Whether the kernel itself can hold the memory and the number of processes of a container."""
    groups = find_control_groups()
    if groups is None:
        advice = (
            "Memory is then watched by sampling alone, at 1 kHz, which what allocates fast enough outruns. Run as "
            "root, or as `systemd-run --user --scope --property=Delegate=yes afterburner-agent ...`."
        )
        return [Check("control groups", Status.MISSING, "none that this user may use; tier rlimits", advice)]
    return [Check("control groups", Status.OK, f"{groups.tier}, {groups.parents[0]}: memory is held by the kernel")]


def check_cores() -> list[Check]:
    """How the cores are divided between programs and what watches them."""
    cores = divide_cores()
    slots, watching = (",".join(map(str, sorted(each))) for each in (cores.slots, cores.watching))
    found = f"programs on {slots}; meters and everything else on {watching}"
    if cores.watching.isdisjoint(cores.slots):
        return [Check("cores", Status.OK, found)]
    return [Check("cores", Status.OK, found, "With a single core the meter disturbs what it measures: allow a second.")]


def check_docker() -> list[Check]:
    """Whether the Docker SDK is installed, and a daemon answers that we may use."""
    if importlib.util.find_spec("docker") is None:
        advice = f"Only for `--sandbox docker`: `{install_command('docker')}`."
        return [Check("docker", Status.MISSING, "the docker package is not installed", advice)]
    from afterburner.sandbox.docker_daemon import DockerDaemon

    try:
        daemon = DockerDaemon()
    except SandboxUnavailableError as error:
        return [Check("docker", Status.MISSING, "no daemon that can be used", f"Only for `--sandbox docker`: {error}")]
    try:
        return [Check("docker", Status.OK, f"{daemon.engine.name} at {daemon.address}")]
    finally:
        daemon.close()


def check_sandbox(stack: ExitStack, opened: list[Sandbox]) -> list[Check]:
    """Opens the sandbox that commands use when they are told nothing else, for the checks that follow."""
    try:
        opened.append(stack.enter_context(open_sandbox("auto")))
    except AfterburnerError as error:
        return [Check(SANDBOX, Status.MISSING, "none works here", str(error))]
    backend, tier = opened[0].describe()
    return [Check(SANDBOX, Status.OK, f"{backend}, tier {tier}")]


def check_language(language: Language, opened: list[Sandbox]) -> list[Check]:
    """Compiles and runs a program that says hello, in the sandbox."""
    name = f"runs {language.name}"
    if not opened:
        return [Check(name, Status.MISSING, "not tried: there is no sandbox")]
    backend = opened[0].backend
    program = Program(language.name, HELLO[language.name])
    try:
        environment = backend.python() if language.name == "python" else None
        toolchain = environment.executable if environment is not None else backend.toolchain(language).version
        report = opened[0].run(program, [TestCase(b"", EXPECTED)], _PATIENT)
    except SandboxUnavailableError as error:
        return [Check(name, Status.MISSING, "no toolchain", str(error))]
    except AfterburnerError as error:
        return [Check(name, Status.BROKEN, "the sandbox failed", str(error))]
    if report.verdict is not Verdict.ACCEPTED:
        told = report.cases[0].stderr.strip().splitlines()[-1:]
        advice = f"Install it again: `apt-get install {' '.join(language.packages)}` (Debian, Ubuntu). {' '.join(told)}"
        return [Check(name, Status.BROKEN, f"{toolchain}: {report.verdict}, {report.cases[0].detail}", advice)]
    return [Check(name, Status.OK, toolchain)]


def check_interpreter() -> list[Check]:
    """The Python that programs of this folder are run under."""
    try:
        return [Check("interpreter", Status.OK, f"{find_interpreter(None, Path.cwd())} (for programs in this folder)")]
    except AfterburnerError as error:
        return [Check("interpreter", Status.BROKEN, "none that can be used", str(error))]


def check_folders() -> list[Check]:
    """Whether the cache and the state can be written, or be made."""
    folders = (("cache", cache_folder(), "XDG_CACHE_HOME"), ("state", state_folder(), "XDG_STATE_HOME"))
    return [_check_folder(*each) for each in folders]


def _check_folder(name: str, folder: Path, variable: str) -> Check:
    existing = next(place for place in (folder, *folder.parents) if os.access(place, os.F_OK))
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return Check(name, Status.OK, str(folder))
    return Check(name, Status.BROKEN, str(folder), f"It cannot be written: point {variable} to a folder that can.")


def check_extras() -> list[Check]:
    """Which optional parts of this distribution have all that they require; what its developers need is left out."""
    required = {extra: names for extra, names in required_by_extras().items() if extra != _OF_DEVELOPERS}
    installed = {name for name in set().union(*required.values()) if is_installed(name)}
    checks = []
    for extra, names in sorted(required.items()):
        missing = ", ".join(sorted(names - installed))
        if missing:
            advice = f"Only if you want it: `{install_command(extra)}`."
            checks.append(Check(f"extra {extra}", Status.MISSING, f"not installed: {missing}", advice))
        else:
            checks.append(Check(f"extra {extra}", Status.OK, ", ".join(sorted(names))))
    return checks
