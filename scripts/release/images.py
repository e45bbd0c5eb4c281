"""The images of examples/service, built as its Dockerfile says, from a wheel and a folder of its dependencies."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING

from afterburner.sandbox.archives import add_file
from scripts.release.errors import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from docker import APIClient

EXTRAS = {"sandbox": "service", "agent": "ci,docker"}  # by target
_COPIED = ("examples/service/Dockerfile", "examples/service/healthy.py", "requirements/dev.lock")
_TOLD_LINES = 20


def download_dependencies(tree: Path, wheel: Path, place: Path) -> list[Path]:
    """All wheels that the images need: ours first, the others in the locked versions.

    Args:
        tree: a clean copy of what is committed.
        wheel: ours.
        place: an empty folder.

    Raises:
        ReleaseError: pip cannot get them.
    """
    locked = (tree / "requirements/dev.lock").read_text("utf-8")
    locked = re.sub(r"^ *--hash.*\n?| *\\$", "", locked, flags=re.MULTILINE)
    (place / "versions.txt").write_text(locked, encoding="utf-8")
    wheels = place / "wheels"
    extras = ",".join(EXTRAS.values())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--dest", str(wheels)]
    command = [*pip, "--constraint", str(place / "versions.txt"), f"{wheel}[{extras}]"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReleaseError(f"pip could not download what the images need: {done.stderr[-800:]}")
    return [wheel, *(each for each in wheels.iterdir() if each.name != wheel.name)]


def build_image(client: APIClient, tree: Path, wheels: Sequence[Path], base: str, target: str) -> str:
    """Build one of the two images without a network, and name it `afterburner-test-TARGET:1`.

    Args:
        client: for a daemon that has the base image.
        tree: a clean copy of what is committed.
        wheels: our wheel, then those of its dependencies.
        base: an image with venv, bubblewrap, a C++ compiler and the Python version that runs this.
        target: `sandbox` or `agent`, a target of the Dockerfile.

    Returns:
        The image's name.

    Raises:
        ReleaseError: the daemon cannot build it.
    """
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name in _COPIED:
            add_file(archive, tree / name, name)
        for path in wheels:
            add_file(archive, path, f"dist/{path.name}")
    data.seek(0)
    image = f"afterburner-test-{target}:1"
    steps = client.build(
        fileobj=data,
        custom_context=True,
        dockerfile="examples/service/Dockerfile",
        target=target,
        tag=image,
        buildargs={
            "BASE": base,
            "EXTRAS": EXTRAS[target],
            "PIP_OPTIONS": "--no-index --find-links /opt/afterburner-install",
        },
        rm=True,
        forcerm=True,
        decode=True,
    )
    said = [str(step.get("stream") or step.get("error") or "") for step in steps]
    if not said or "Successfully tagged" not in said[-1]:
        raise ReleaseError(f"The image {target} could not be built: {''.join(said[-_TOLD_LINES:])}")
    return image
