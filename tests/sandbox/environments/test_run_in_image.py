"""The whole way: a function needs a package that only the image of its project has, and is proven there."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import Job, Search, open_session
from afterburner.sandbox import docker_daemon, open_sandbox
from scripts.debian_images import DebianImage, UnableError, provide_image

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine, Shop

    from afterburner.sandbox.docker_settings import DockerOptions, Engine

pytestmark = pytest.mark.slow


@pytest.fixture
def docker_program(program: CommandLine, docker_options: DockerOptions) -> CommandLine:
    return replace(program, variables={**program.variables, "DOCKER_HOST": docker_options.address or ""})


@pytest.mark.slow
@pytest.mark.timed
def test_a_function_is_proven_in_the_image_of_its_project(docker_program: CommandLine, shop: Shop) -> None:
    asked = ("--function", "distinct", "--calls", str(shop.calls), "--environment", "image")
    done = docker_program("run", str(shop.file), *asked, "--json", "-", "--iterations", "1")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["decision"] == "improved", done.stderr
    assert document["machine"]["backend"].startswith("Docker")
    assert "environment: Successfully installed quickly-1.0" in done.stderr

    listed = json.loads(docker_program("environment", "list", "--json", "-").stdout)["environments"]
    (made,) = [each for each in listed if each["project"] == str(shop.root)]
    assert made["declared"] == ".devcontainer.json with requirements.txt"
    assert made["size_bytes"] > 1_000_000
    table = docker_program("environment", "list").stdout
    assert made["name"] in table

    again = docker_program(
        "verify",
        str(shop.file),
        "--against",
        str(shop.file),
        "--function",
        "distinct",
        "--calls",
        str(shop.calls),
        "--environment",
        "image",
        "--max-seconds",
        "10",
    )
    assert again.returncode == 0, again.stderr
    assert "installed" not in again.stderr

    removed = docker_program("environment", "remove", made["name"])
    assert (removed.returncode, removed.stdout) == (0, f"removed {made['name']}\n")
    unknown = docker_program("environment", "remove", made["name"])
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "No such image" in unknown.stderr


@pytest.mark.nightly
@pytest.mark.timed
def test_where_the_daemon_runs_in_a_virtual_machine_an_image_is_made_without_being_asked_for(
    docker_options: DockerOptions, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS, as far as a daemon right here can stand for one that is not."""
    plain: Callable[..., Engine] = docker_daemon._engine
    monkeypatch.setattr(docker_daemon, "_engine", lambda *given: replace(plain(*given), is_here=False))
    job = Job.from_file(shop.file, function="distinct")
    with open_sandbox("docker", docker=docker_options) as sandbox, open_session(sandbox=sandbox, store=None) as session:
        job = replace(job, inputs=replace(job.inputs, calls=str(shop.calls)))
        result = session.optimize(job, Search(iterations=1))
    assert result.decision == "improved"


def test_host_and_an_image_exclude_each_other(program: CommandLine, shop_file: Path) -> None:
    done = program("run", str(shop_file), "--environment", "host", "--environment-from", "python:3.13-slim")
    assert done.returncode == 2
    assert "leave out --environment-from" in done.stderr


@pytest.fixture
def shop_file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text("def one():\n    return 1\n")
    return path


@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("release", "least"), [("bullseye", (3, 9)), ("trixie", (3, 13)), ("sid", (3, 14))])
def test_a_function_is_proven_under_the_python_of_its_project(
    docker_program: CommandLine, docker_options: DockerOptions, shop: Shop, release: str, least: tuple[int, int]
) -> None:
    """An older Python than ours, and the newest two."""
    try:
        base = provide_image(docker_options.address or "", DebianImage(release, ("python3", "python3-venv")))
    except UnableError as error:
        pytest.skip(str(error))
    shop.write(".devcontainer.json", json.dumps({"image": base}))
    asked = ("--function", "distinct", "--calls", str(shop.calls), "--environment", "image")
    done = docker_program("run", str(shop.file), *asked, "--json", "-", "--iterations", "1")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["decision"] == "improved", done.stderr
    version = tuple(map(int, document["machine"]["python"].split(".")[:2]))
    assert version == least or (version > least and release == "sid"), "that one moves"
