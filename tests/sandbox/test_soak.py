"""Hundreds of mixed runs, and hosts that are killed in the middle, leave nothing behind; and the soak would tell."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox.errors import ToolchainMissingError
from afterburner.sandbox.languages import LANGUAGES
from scripts.soak.pool import find_nginx

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox
    from afterburner.sandbox.docker_backend import DockerOptions

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into Linux's /proc"),
]

ROOT = Path(__file__).parents[2]
SOAK = [sys.executable, "-m", "scripts.soak", "--seed", "1"]


def table_of(printed: str) -> dict[str, str]:
    """The rows of the table that a soak ends with."""
    return {line[:18].strip(): line[19:].strip() for line in printed.splitlines()}


def soak(*arguments: str, **variables: str) -> dict[str, str]:
    """The table of a soak that has nothing to complain of."""
    environment = {**os.environ, **variables}
    done = subprocess.run([*SOAK, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return table_of(done.stdout)


@pytest.mark.timeout(900)
def test_nothing_is_left_under_bubblewrap_in_seven_languages(sandbox: Sandbox) -> None:
    try:
        for language in LANGUAGES.values():
            sandbox.backend.toolchain(language)
    except ToolchainMissingError as error:
        pytest.skip(str(error))
    table = soak("--runs", "120", "--kills", "3", "--every", "60", "--languages", *LANGUAGES)
    assert table["runs"].startswith("120 (")
    assert (table["kills"], table["wrong verdicts"]) == ("3", "0")
    assert table["left behind"].startswith("0 ")


@pytest.mark.timeout(600)
def test_nothing_is_left_in_docker(docker_options: DockerOptions) -> None:
    table = soak(
        *("--backend", "docker", "--runs", "30", "--kills", "1", "--languages", "python", "cpp"),
        DOCKER_HOST=docker_options.address or "",
        AFTERBURNER_TEST_IMAGE=docker_options.images["python"],
    )
    assert (table["kills"], table["wrong verdicts"]) == ("1", "0")
    assert table["left behind"].startswith("0 ")


@pytest.fixture
def nginx() -> None:
    if find_nginx() is None:
        pytest.skip("nginx is missing: make setup-tests")


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("sandbox", "nginx")
def test_a_pool_whose_services_are_killed_loses_no_submission_and_answers_none_twice() -> None:
    table = soak("--services", "3", "--runs", "80", "--kills", "8", "--every", "40", "--languages", "python")
    assert table["runs"].startswith("80 (")
    assert int(table["kills"]) + int(table["stopped gracefully"]) == 8
    assert table["wrong verdicts"] == "0"
    assert table["answers"].startswith("81 reports for 81 submissions")
    assert table["left behind"].startswith("0 ")


@pytest.mark.usefixtures("sandbox", "nginx")
def test_an_interrupt_ends_a_pool_gracefully() -> None:
    assert interrupted("--services", "2")["left behind"].startswith("0 ")


@pytest.mark.usefixtures("sandbox")
def test_an_interrupt_ends_it_in_order() -> None:
    assert interrupted()["left behind"].startswith("0 ")


def interrupted(*arguments: str) -> dict[str, str]:
    """The table of a soak that was interrupted after its first look."""
    command = [*SOAK, *arguments, "--runs", "100000", "--every", "5", "--kills", "0", "--languages", "python"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:
        assert process.stdout is not None
        assert "looked after 5 runs" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        printed, complaints = process.communicate()
    assert (process.returncode, complaints) == (130, "")
    table = table_of(printed)
    assert (table["ended"], table["wrong verdicts"]) == ("early, by Ctrl-C", "0")
    return table


# Leaves what a sandbox might, one after another, and prints what the watch says of each.
LEAVER = """
import os, signal, subprocess, sys
from contextlib import nullcontext
from pathlib import Path
from afterburner.sandbox.control_groups import find_control_groups
from scripts.soak.watch import Watch

folder, groups = Path(sys.argv[1]), find_control_groups()
watch = Watch(folder, None)
watch.all_hosts.add(os.getpid())
start = watch.take()

def tell(kind):
    now = watch.take()
    print(kind, *(f"{other}: {thing}" for other, things in now.items() for thing in things - start[other]))

with groups.make() if groups else nullcontext():
    tell("group" if groups else "nothing")
(folder / "left").touch()
tell("file")
(folder / "left").unlink()
detached = "import os, time; print(os.fork() or (os.setsid(), time.sleep(60)), flush=True)"
left = subprocess.Popen([sys.executable, "-c", detached], stdout=subprocess.PIPE)
pid = int(left.stdout.readline())
left.wait()
tell("process")
os.kill(pid, signal.SIGKILL)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
tell("nothing")
"""


def test_whatever_is_left_is_found(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVER, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    told = dict(line.partition(" ")[::2] for line in done.stdout.splitlines())
    assert told["nothing"] == ""
    if "group" in told:  # this user may make some here
        assert re.fullmatch(r"(control groups: \S+/afterburner-\d+-\d+-\d+-\d+ ?)+", told["group"])
    assert told["file"] == "files: left"
    assert re.match(r"processes: \d+ \(S\) \S+ -c import os", told["process"])
