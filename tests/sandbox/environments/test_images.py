"""Images of projects, with a real Docker daemon and a base image that the tests have made."""

from __future__ import annotations

import gc
import hashlib
import io
import json
import re
import tarfile
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from docker_passage import Passage

from afterburner.sandbox import (
    CancelledError,
    CancelToken,
    Program,
    Sandbox,
    SandboxInternalError,
    TestCase,
    UsageError,
)
from afterburner.sandbox.archives import add_bytes
from afterburner.sandbox.cancel import cancellable
from afterburner.sandbox.docker_daemon import DockerDaemon
from afterburner.sandbox.docker_images import install_in_image, labelled_images, remove_image
from afterburner.sandbox.environments.images import remove_environment
from afterburner.sandbox.environments.provide import environment_in_image
from afterburner.sandbox.project import stage_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Shop

    from afterburner.sandbox import PythonEnvironment
    from afterburner.sandbox.docker_settings import DockerOptions

pytestmark = pytest.mark.slow


def environment(sandbox: Sandbox, shop: Shop, say: Callable[[str], object], **named: str | None) -> PythonEnvironment:
    """As a run makes it."""
    project = stage_project(shop.root, sandbox.staging_folder(), shop.file)
    return environment_in_image(
        sandbox,
        project,
        named=named.get("named"),
        requested=named.get("requested"),
        import_paths=(str(shop.root),),
        working_directory=str(shop.root),
        say=say,
    )


def quiet(_line: str) -> None:
    """Nobody listens."""


def printed(sandbox: Sandbox, found: PythonEnvironment, source: str) -> str:
    report = sandbox.run(Program("python", source, environment=found), [TestCase()])
    assert report.verdict == "accepted", report.cases[0].stderr
    return report.cases[0].stdout.decode().strip()


@pytest.mark.nightly
def test_what_is_declared_is_installed_once_and_found_again(
    docker_sandbox: Sandbox, docker_daemon: DockerDaemon, shop: Shop
) -> None:
    lines: list[str] = []
    found = environment(docker_sandbox, shop, lines.append)
    assert found.executable == "/opt/afterburner/environment/bin/python3"
    assert found.image is not None
    assert "quickly" in found.image.modules
    assert ("quickly", "1.0") in [(each.name, each.version) for each in found.image.packages]
    assert any("Successfully installed quickly-1.0" in line for line in lines), lines
    source = "import shop, sys; print(shop.distinct([1, 2, 2]), shop.FACTOR, shop.__file__, sys.prefix)"
    assert printed(docker_sandbox, found, source) == f"[1, 2] 2 {shop.file} /opt/afterburner/environment"

    again: list[str] = []
    assert environment(docker_sandbox, shop, again.append).image == found.image, "also where a run still stands on it"
    assert again == []

    shop.write("requirements.txt", "--no-index\n--find-links wheels\nquickly\n")
    other = environment(docker_sandbox, shop, again.append)
    assert other.image is not None
    assert other.image.identity != found.image.identity
    assert len(shop.names(docker_daemon)) == 2


@pytest.mark.nightly
def test_the_project_is_read_from_the_containers_own_file_system(docker_sandbox: Sandbox, shop: Shop) -> None:
    """A bound folder of a virtual machine is slow, and what is slow there would count as the program's."""
    found = environment(docker_sandbox, shop, quiet)
    mounts = printed(docker_sandbox, found, "print(open('/proc/self/mountinfo').read())")
    places = [line.split()[4] for line in mounts.splitlines()]
    assert str(shop.root) not in places
    assert not any(place.startswith("/afterburner/inside") for place in places)
    assert "/afterburner/program" in places
    with pytest.raises(AssertionError, match="Read-only file system"):
        printed(docker_sandbox, found, f"open({str(shop.root / 'new')!r}, 'w')")


@pytest.mark.nightly
def test_images_of_folders_are_gone_with_the_sandbox(
    open_docker: Callable[..., Sandbox], docker_daemon: DockerDaemon, shop: Shop
) -> None:
    sandbox = open_docker()
    before = {image["Id"] for image in labelled_images(docker_daemon, "afterburner.sandbox")}
    with sandbox.branch() as branch:
        printed(branch, environment(branch, shop, quiet), "import shop")
        made = {image["Id"] for image in labelled_images(docker_daemon, "afterburner.sandbox")} - before
        assert len(made) == 1
    with sandbox.branch() as branch:  # the first one's folder is gone, and so is its image
        printed(branch, environment(branch, shop, quiet), "import shop")
        now = {image["Id"] for image in labelled_images(docker_daemon, "afterburner.sandbox")} - before
        assert len(now) == 1
        assert now != made
    sandbox.backend.close()
    assert {image["Id"] for image in labelled_images(docker_daemon, "afterburner.sandbox")} <= before
    (name,) = shop.names(docker_daemon)  # the environment stays
    remove_environment(docker_daemon, name)
    left = labelled_images(docker_daemon, "afterburner.environment")
    assert str(shop.root) not in {value for image in left for value in image["Labels"].values()}


def test_a_named_image_is_used_as_it_is(docker_sandbox: Sandbox, docker_daemon: DockerDaemon, shop: Shop) -> None:
    lines: list[str] = []
    found = environment(docker_sandbox, shop, lines.append, named=shop.base)
    assert (found.executable, lines, shop.names(docker_daemon)) == ("/usr/bin/python3", [], [])
    assert found.image is not None
    assert "quickly" not in found.image.modules
    assert (
        environment(docker_sandbox, shop, lines.append, named=shop.base, requested="/usr/bin/python3").version
        == found.version
    )


def test_a_dockerfile_is_built_and_keeps_what_dockerignore_names_out(
    docker_sandbox: Sandbox, docker_daemon: DockerDaemon, shop: Shop
) -> None:
    shop.write("Dockerfile", f"FROM {shop.base}\nARG OUT=/seen\nCOPY . /seen\nENV TZ=Asia/Tokyo SECRET_TOKEN=1\n")
    shop.write(".dockerignore", "# not these\nwheels\n*.txt\n**/data\n!data/kept\n")
    for name in (".env", "data/customers.csv", "a/b/data/x", "data/kept"):
        shop.write(name, "secret")
    lines: list[str] = []
    found = environment(docker_sandbox, shop, lines.append, named="Dockerfile")
    source = """
        import os
        names = sorted(os.path.join(place, name)[6:] for place, _, names in os.walk("/seen") for name in names)
        print(names, os.environ["TZ"], "SECRET_TOKEN" in os.environ)
    """
    assert printed(docker_sandbox, found, textwrap.dedent(source)) == (
        "['.dockerignore', 'Dockerfile', 'calls.py', 'data/kept', 'shop.py'] Asia/Tokyo False"
    )
    assert lines[0] == "building Dockerfile"
    assert len(shop.names(docker_daemon)) == 1
    shop.write("Dockerfile", f"FROM {shop.base}\nRUN exit 3\n")
    with pytest.raises(UsageError, match=r"(?s)cannot be built: .*a non-zero code: 3.*--environment-from"):
        environment(docker_sandbox, shop, lines.append, named="Dockerfile")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("requirements", "message"),
    [
        (
            "--no-index\nnothing==1\n",
            r"could not be installed \(exit code 1\).*No matching.*nothing",
        ),
        ("-r missing.txt\n", r"could not be installed.*No such file.*missing.txt"),
        ("not a requirement\n", "could not be installed.*Invalid requirement"),
    ],
)
def test_what_cannot_be_installed_is_told_and_leaves_nothing(
    docker_sandbox: Sandbox, docker_daemon: DockerDaemon, shop: Shop, requirements: str, message: str
) -> None:
    shop.write("requirements.txt", requirements)
    with pytest.raises(UsageError, match=f"(?s){message}.*--environment-from") as raised:
        environment(docker_sandbox, shop, quiet)
    assert str(shop.root) in str(raised.value)
    assert shop.names(docker_daemon) == []
    assert not left_behind(docker_daemon, shop)


def test_a_base_that_is_missing_or_has_no_python_is_told(docker_sandbox: Sandbox, shop: Shop) -> None:
    shop.write(".devcontainer.json", '{"image": "127.0.0.1:9/none:1"}')
    with pytest.raises(
        UsageError, match=r"The image 127.0.0.1:9/none:1 cannot be pulled: .*docker pull 127.0.0.1:9/none:1"
    ):
        environment(docker_sandbox, shop, quiet)
    with pytest.raises(UsageError, match=r"has no Python that runs here: /no/python does not start"):
        environment(docker_sandbox, shop, quiet, named=shop.base, requested="/no/python")
    with pytest.raises(UsageError, match=r"has no Python that runs here: /bin/sh does not start \(/bin/sh"):
        environment(docker_sandbox, shop, quiet, named=shop.base, requested="/bin/sh")


def test_an_image_of_another_machine_is_told(docker_sandbox: Sandbox, docker_daemon: DockerDaemon, shop: Shop) -> None:
    name = "afterburner-foreign:1"
    with docker_daemon.told("load an image") as client:
        list(client.load_image(saved_image(name, "riscv64")))
        try:
            with pytest.raises(UsageError, match=r"is for riscv64, and the Docker daemon runs on (x86_64|aarch64)"):
                environment(docker_sandbox, shop, quiet, named=name)
        finally:
            client.remove_image(name)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the SDK leaves unconnected sockets
def test_an_installer_whose_daemon_goes_away_is_told(
    docker_options: DockerOptions, docker_daemon: DockerDaemon, shop: Shop, tmp_path: Path
) -> None:
    labels = {"afterburner.environment.project": str(shop.root)}
    with (
        Passage(docker_options.address or "", tmp_path / "docker.sock") as passage,
        closing(DockerDaemon(f"unix://{tmp_path}/docker.sock")) as daemon,
        pytest.raises(SandboxInternalError, match="Docker daemon"),
    ):
        install_in_image(
            daemon,
            shop.base,
            empty_archive(tmp_path),
            "echo begun; sleep 60",
            tag="afterburner-test-installed:1",
            variables={},
            kept={},
            labels=labels,
            say=lambda _: passage.close(),
        )
    for container in left_behind(docker_daemon, shop):  # nobody could tell the daemon; the next of ours removes it
        docker_daemon.remove(container)
    gc.collect()


def test_an_installer_gets_no_secret_and_few_rights(docker_daemon: DockerDaemon, shop: Shop, tmp_path: Path) -> None:
    lines: list[str] = []
    script = """
        env; id -u; ls /var/run /root; grep -E 'CapEff|NoNewPrivs' /proc/self/status; ls /dev
    """
    image = install_in_image(
        docker_daemon,
        shop.base,
        empty_archive(tmp_path),
        script,
        tag="afterburner-test-installed:1",
        variables={"A": "1"},
        kept={"PATH": "/kept:/bin"},
        labels={"afterburner.test": "ü$HOME"},
        say=lines.append,
    )
    found = docker_daemon.image("afterburner-test-installed:1")
    remove_image(docker_daemon, image)
    assert found["Id"] == image
    assert found["Config"]["Env"] == ["PATH=/kept:/bin"], "what the script was given is not kept"
    assert found["Config"]["Labels"]["afterburner.test"] == "ü$HOME"
    said = "\n".join(lines)
    assert "docker.sock" not in said
    given = {line.partition("=")[0] for line in lines if re.match(r"[A-Za-z_]+=", line)}
    assert given == {"A", "HOME", "HOSTNAME", "PATH", "PWD"}
    assert "NoNewPrivs:\t1" in said
    assert int(next(line for line in lines if "CapEff" in line).split()[1], 16) == 0b11001011  # see `_INSTALLER_MAY`
    assert not any(name.startswith(("sd", "vd", "nvme", "kmsg", "mem")) for name in lines)


def test_a_cancelled_installation_ends_at_once_and_leaves_nothing(
    docker_daemon: DockerDaemon, shop: Shop, tmp_path: Path
) -> None:
    token = CancelToken()
    with cancellable(token), pytest.raises(CancelledError):
        install_in_image(
            docker_daemon,
            shop.base,
            empty_archive(tmp_path),
            "echo begun; sleep 1000",
            tag="afterburner-test-installed:1",
            variables={},
            kept={},
            labels={"afterburner.environment.project": str(shop.root)},
            say=lambda _: threading.Timer(0.3, token.cancel).start(),
        )
    assert not left_behind(docker_daemon, shop)
    assert not docker_daemon.has_image("afterburner-test-installed:1")


def test_a_cancelled_build_ends_in_the_daemon_too(
    docker_sandbox: Sandbox, docker_daemon: DockerDaemon, shop: Shop
) -> None:
    token = CancelToken()
    shop.write("Dockerfile", f"FROM {shop.base}\nRUN echo begun && sleep 1000\n")

    def hear(line: str) -> None:
        if line == "begun":
            threading.Timer(0.3, token.cancel).start()

    with cancellable(token), pytest.raises(CancelledError):
        environment(docker_sandbox, shop, hear, named="Dockerfile")
    with docker_daemon.told("list containers") as client:
        while any("sleep 1000" in each["Command"] for each in client.containers()):
            time.sleep(0.1)  # the daemon has heard that we hung up; the test's own limit of time is this loop's
    assert shop.names(docker_daemon) == []


@pytest.mark.nightly
def test_two_that_want_one_image_make_it_once(docker_sandbox: Sandbox, docker_daemon: DockerDaemon, shop: Shop) -> None:
    lines: list[str] = []
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: environment(docker_sandbox, shop, lines.append), range(2)))
    assert made[0].image == made[1].image
    assert len([line for line in lines if line.startswith("making an image ")]) == 1
    assert len(shop.names(docker_daemon)) == 1


def empty_archive(folder: Path) -> Path:
    path = folder / "empty.tar"
    with tarfile.open(path, "w"):
        pass
    return path


@pytest.mark.nightly
def test_a_devcontainer_builds_in_its_own_hidden_folder_outside_a_repository_too(
    docker_sandbox: Sandbox, shop: Shop
) -> None:
    settings = {"build": {"dockerfile": "../docker/Dockerfile", "context": "."}}
    shop.write(".devcontainer.json", "")
    (shop.root / ".devcontainer.json").unlink()
    shop.write(".devcontainer/devcontainer.json", json.dumps(settings))
    shop.write(".devcontainer/motd", "hello")
    shop.write("docker/Dockerfile", f"FROM {shop.base}\nCOPY motd /motd\n")
    found = environment(docker_sandbox, shop, quiet)
    assert printed(docker_sandbox, found, "import shop; print(open('/motd').read())") == "hello"


@pytest.mark.nightly
def test_where_the_image_has_something_already_the_project_is_bound(docker_sandbox: Sandbox, shop: Shop) -> None:
    """Two versions of a project in one folder would leave modules that were deleted."""
    shop.write("Dockerfile", f"FROM {shop.base}\nRUN mkdir -p {shop.root} && touch {shop.root}/deleted.py\n")
    found = environment(docker_sandbox, shop, quiet, named="Dockerfile")
    assert "deleted.py" not in printed(docker_sandbox, found, f"import os; print(os.listdir({str(shop.root)!r}))")


def saved_image(name: str, architecture: str) -> bytes:
    """An image without files, as `docker save` writes one."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w"):
        pass
    digest = hashlib.sha256(layer.getvalue()).hexdigest()
    config = {
        "architecture": architecture,
        "os": "linux",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    saved = io.BytesIO()
    with tarfile.open(fileobj=saved, mode="w") as archive:
        add_bytes(archive, layer.getvalue(), "layer.tar")
        add_bytes(archive, json.dumps(config).encode(), "config.json")
        add_bytes(archive, json.dumps(manifest).encode(), "manifest.json")
    return saved.getvalue()


def left_behind(daemon: DockerDaemon, shop: Shop) -> list[str]:
    """Containers that were made for the project."""
    return [each["Id"] for each in daemon.labelled(f"afterburner.environment.project={shop.root}")]
