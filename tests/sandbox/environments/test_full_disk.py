"""A project's image is made where the daemon's disk is full before the installer has ended."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import docker
import pytest

from afterburner.sandbox import AfterburnerError, DockerOptions, open_sandbox
from afterburner.sandbox.docker_daemon import DockerDaemon
from afterburner.sandbox.environments.provide import environment_in_image
from afterburner.sandbox.project import stage_project
from scripts.debian_images import provide_image
from scripts.docker_daemon import clear, own_image, start_daemon, stop, wait_until_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Shop

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # the SDK leaves unconnected sockets
]

MIB = 1 << 20
MARGIN_BYTES = 120 * MIB  # for the daemon itself, and for containers
FILLER_BYTES = 600 * MIB


@pytest.fixture
def small_daemon(docker_options: DockerOptions) -> Iterator[str]:
    """The address of a daemon whose disk has room for the base image and little else."""
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        pytest.skip("needs root and dockerd: a daemon of its own on a small disk")
    with closing(docker.DockerClient(base_url=docker_options.address)) as client:
        image_bytes = client.images.get(own_image().name).attrs["Size"]
    folder = Path(tempfile.mkdtemp(prefix="afterburner-full-"))
    (folder / "data").mkdir()
    size = f"size={image_bytes + image_bytes // 5 + MARGIN_BYTES}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder / "data")], check=True)
    url = f"unix://{folder}/docker.sock"
    daemon = start_daemon(folder)
    try:
        wait_until_up(daemon, url)
        provide_image(url, own_image())
        yield url
    finally:
        stop(daemon, url)
        clear(folder)


def test_a_full_disk_is_told_in_one_message_and_leaves_nothing(small_daemon: str, shop: Shop) -> None:
    (wheel,) = (shop.root / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("filler.bin", bytes(FILLER_BYTES))
    shop.write("Dockerfile", f"FROM {shop.base}\nRUN head -c {FILLER_BYTES} /dev/zero >/filler\nRUN echo never\n")
    options = DockerOptions(images={"python": shop.base}, address=small_daemon, pool_size=1)
    for named in (None, "Dockerfile"):
        with open_sandbox("docker", docker=options) as sandbox:
            project = stage_project(shop.root, sandbox.staging_folder(), shop.file)
            with pytest.raises(AfterburnerError, match="No space left on device") as raised:
                environment_in_image(
                    sandbox,
                    project,
                    named=named,
                    requested=None,
                    import_paths=(str(shop.root),),
                    working_directory=str(shop.root),
                    say=lambda _line: None,
                )
        assert "Traceback" not in str(raised.value)
        with closing(DockerDaemon(small_daemon)) as daemon:
            assert shop.names(daemon) == []
            assert daemon.labelled(f"afterburner.environment.project={shop.root}") == []
