"""What goes wrong with Docker, and what is said of it."""

from __future__ import annotations

import gc
import os
import socket
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from docker_passage import Passage

from afterburner.sandbox import (
    Command,
    ContainerSpec,
    Limits,
    Program,
    Sandbox,
    SandboxInternalError,
    SandboxUnavailableError,
    TestCase,
)
from afterburner.sandbox.docker_backend import DockerBackend, _is_gone
from afterburner.sandbox.docker_daemon import DockerDaemon
from afterburner.sandbox.docker_settings import DockerOptions
from afterburner.sandbox.errors import ToolchainMissingError
from afterburner.sandbox.languages import find_language
from afterburner.sandbox.meter_build import meter_path
from afterburner.sandbox.types import Bind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_only_what_is_seen_to_be_gone_counts_as_left_behind(tmp_path: Path) -> None:
    """Another user's workspace cannot be looked at, and the containers of it are not ours to remove."""
    assert not _is_gone(tmp_path)
    assert _is_gone(tmp_path / "not" / "there")
    assert not _is_gone(tmp_path / ("x" * 300)), "this root may look at everything, but not at that"


def test_a_missing_image_is_told_with_the_command_that_gets_it(open_docker: Callable[..., Sandbox]) -> None:
    sandbox = open_docker(images={"python": "no-such/image:1"})
    with pytest.raises(ToolchainMissingError, match="docker pull no-such/image:1"):
        sandbox.run(Program("python", "print()"), [TestCase()])
    with pytest.raises(ToolchainMissingError, match="docker pull no-such/image:1"):
        sandbox.run_raw(ContainerSpec(image="no-such/image:1"), Command(("/bin/true",)), b"", Limits())


def test_an_image_that_cannot_be_pulled_is_told(open_docker: Callable[..., Sandbox]) -> None:
    name = "127.0.0.1:9/none:1"  # no registry listens there
    sandbox = open_docker(images={"python": name}, pull=True)
    with pytest.raises(SandboxUnavailableError, match=f"{name} cannot be pulled"):
        sandbox.backend.toolchain(find_language("python"))


def test_an_unknown_runtime_is_told(open_docker: Callable[..., Sandbox], docker_image: str) -> None:
    sandbox = open_docker(runtime="no-such-runtime")
    with pytest.raises(SandboxInternalError, match="no-such-runtime"):
        sandbox.run_raw(ContainerSpec(image=docker_image), Command(("/bin/true",)), b"", Limits())


def test_a_daemon_that_does_not_see_our_files_is_told(docker_sandbox: Sandbox, docker_image: str) -> None:
    spec = ContainerSpec((Bind("/nowhere/at/all", "/data"),), image=docker_image)
    with pytest.raises(SandboxUnavailableError, match="does not see the files"):
        docker_sandbox.run_raw(spec, Command(("/bin/true",)), b"", Limits())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the SDK leaves unconnected sockets
def test_without_a_daemon_it_is_told_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"unix://{tmp_path}/docker.sock"
    with pytest.raises(SandboxUnavailableError, match=r"No Docker daemon answers.*apt-get install docker.io"):
        DockerBackend(DockerOptions(address=address), meter_path(), tmp_path)
    with pytest.raises(SandboxUnavailableError, match="DOCKER_HOST"):
        DockerDaemon("ssh://somewhere")
    with closing(socket.socket(socket.AF_UNIX)) as closed:
        closed.bind(f"{tmp_path}/docker.sock")
        monkeypatch.setattr(os, "access", lambda _, mode: mode == os.F_OK)  # root may everything
        with pytest.raises(SandboxUnavailableError, match="usermod -aG docker"):
            DockerDaemon(address)
    gc.collect()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the SDK leaves unconnected sockets
def test_a_daemon_that_goes_away_says_nothing_of_the_program(
    open_docker: Callable[..., Sandbox], docker_options: DockerOptions, tmp_path: Path
) -> None:
    with Passage(docker_options.address or "", tmp_path / "docker.sock") as passage:
        sandbox = open_docker(address=f"unix://{tmp_path}/docker.sock", pool_size=0)
        program = Program("python", "import time; time.sleep(60)")
        threading.Timer(2.0, passage.close).start()
        with pytest.raises(SandboxInternalError, match="Docker daemon"):
            sandbox.run(program, [TestCase()], Limits(60, 60))
        sandbox.backend.close()
    gc.collect()
