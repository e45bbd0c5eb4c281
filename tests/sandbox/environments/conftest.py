"""A small project with a package of its own in a folder of wheels, and a base image that the tests have made."""

from __future__ import annotations

import tempfile
import zipfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox.docker_daemon import DockerDaemon
from afterburner.sandbox.environments.images import environment_images, remove_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox.docker_settings import DockerOptions

SHOP = '''
from quickly import double

FACTOR = double(1)


def distinct(numbers: list[int]) -> list[int]:
    """Each number once, in order."""
    found = []
    for number in numbers:
        if number not in found:
            found.append(number)
    return found
'''
CALLS = """
import random
from shop import distinct

chance = random.Random(1)
for size in (300, 400, 500, 600, 700, 800):
    distinct([chance.randrange(size) for _ in range(size)])
"""


@dataclass(frozen=True)
class Shop:
    """A project whose one function needs a package that only its image has."""

    root: Path
    base: str

    @property
    def file(self) -> Path:
        return self.root / "shop.py"

    @property
    def calls(self) -> Path:
        return self.root / "calls.py"

    def write(self, name: str, text: str) -> None:
        place = self.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def names(self, daemon: DockerDaemon) -> list[str]:
        """Of the images that were made for it."""
        return [image.name for image in environment_images(daemon) if image.project == str(self.root)]


@pytest.fixture
def shop(docker_options: DockerOptions) -> Iterator[Shop]:
    """It lies where no container has its temporary files; its images are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="afterburner-shop-", dir="/var/tmp") as folder:
        made = Shop(Path(folder), docker_options.images["python"])
        made.write("shop.py", SHOP)
        made.write("calls.py", CALLS)
        made.write("requirements.txt", "--no-index\n--find-links wheels\nquickly==1.0\n")
        made.write(".devcontainer.json", f'{{"image": "{made.base}"}}')
        write_wheel(made.root / "wheels", "quickly", "def double(number):\n    return 2 * number\n")
        yield made
        with closing(DockerDaemon(docker_options.address)) as daemon:
            for name in made.names(daemon):
                remove_environment(daemon, name)


def write_wheel(folder: Path, name: str, source: str) -> None:
    """A wheel with one module."""
    folder.mkdir(parents=True, exist_ok=True)
    about = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", source)
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", f"{name}.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")
