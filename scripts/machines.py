"""Installs the wheel in fresh Debian containers as a user would, and times each step up to the first proven offer.

    python -m scripts.machines [--wheel dist/NAME.whl] [--releases bookworm trixie sid] [--ways pip pipx uv uvx]

Each machine is a container with a minimal Debian, on the host's network. An ordinary user installs and runs the
program; user namespaces are allowed, as on a real machine. "system" is the time apt takes to install Python and
bubblewrap. The offer is that of `make demo`. Needs root, debootstrap and a Docker daemon (`scripts.docker_daemon`
starts one if none answers). pip and uv take index addresses and certificates from the environment (PIP_INDEX_URL,
UV_DEFAULT_INDEX, SSL_CERT_FILE). Ends with status 1 if any way of installing ends without a proven offer.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import docker
from docker.errors import DockerException

from scripts.debian_images import DebianImage, UnableError, provide_image
from scripts.docker_daemon import UNABLE, lend

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "log_report.py"
PASSED_ON = ("PIP_INDEX_URL", "PIP_TRUSTED_HOST", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "HTTP_PROXY", "HTTPS_PROXY")
CERTIFICATES = "SSL_CERT_FILE"
USER = "somebody"
PYTHONS = {"bookworm": "3.11", "trixie": "3.13", "sid": "3.14"}
OWN_UV = "{python} -m venv /home/somebody/uv && /home/somebody/uv/bin/pip install uv"
RUN = "afterburner-agent run log_report.py --model rules --json result.json"


@dataclass(frozen=True, slots=True)
class Way:
    """How users install: shell commands, in which `{python}` and `{wheel}` stand for what they name."""

    system: str  # the packages that apt has to bring
    install: str
    start: str  # goes before the command; empty: it is found on the PATH
    place: str  # the folder that holds what was installed


WAYS = {
    "pip": Way(
        "{python} {python}-venv",
        "{python} -m venv /home/somebody/env && /home/somebody/env/bin/pip install {wheel}",
        "/home/somebody/env/bin/",
        "/home/somebody/env",
    ),
    "pipx": Way(
        "{python} {python}-venv pipx",
        "pipx install --python {python} {wheel}",
        "/home/somebody/.local/bin/",
        "/home/somebody/.local",
    ),
    "uv": Way(
        "{python} {python}-venv",
        f"{OWN_UV} && /home/somebody/uv/bin/uv tool install --python {{python}} {{wheel}}",
        "/home/somebody/.local/bin/",
        "/home/somebody/.local/share/uv",
    ),
    "uvx": Way(
        "{python} {python}-venv",
        OWN_UV,
        "/home/somebody/uv/bin/uvx --python {python} --from {wheel} ",
        "/home/somebody/.cache/uv",
    ),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What one way took on one machine."""

    release: str
    python: str
    way: str
    system_s: float
    install_s: float
    offer_s: float
    size_mb: float
    gain: str

    @property
    def line(self) -> str:
        """The row of the table."""
        minutes = (self.system_s + self.install_s + self.offer_s) / 60
        return (
            f"| Debian {self.release} | {self.python} | {self.way} | {self.system_s:.0f} s | {self.install_s:.0f} s | "
            f"{self.offer_s:.0f} s | {minutes:.1f} min | {self.size_mb:.0f} MB | {self.gain} |"
        )


def main() -> int:
    """Tries each way on each machine, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="the newest of dist/ without it")
    parser.add_argument("--releases", nargs="+", choices=PYTHONS, default=list(PYTHONS))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    options = parser.parse_args()
    wheel = options.wheel or max((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime, default=None)
    if wheel is None:
        parser.error("there is no wheel in dist/: run `make wheel`")
    failed = False
    print("| machine | Python | way | system | install | to the offer | from nothing | size | gain |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    try:
        with lend() as (url, _):
            for release in options.releases:
                for way in options.ways:
                    try:
                        print(try_out(url, release, way, wheel).line, flush=True)
                    except UnableError as error:
                        print(f"| Debian {release} | {PYTHONS[release]} | {way} | failed: {error} |", flush=True)
                        failed = True
    except (UnableError, DockerException) as error:
        print(error, file=sys.stderr)
        return UNABLE
    return 1 if failed else 0


def try_out(url: str, release: str, way: str, wheel: Path) -> Trial:
    """Installs and runs on a new machine.

    Raises:
        UnableError: the machine cannot be made, or a step fails; it says which.
    """
    python, steps = f"python{PYTHONS[release]}", WAYS[way]
    names = {"python": python, "wheel": f"/wheel/{wheel.name}"}
    image = provide_image(url, DebianImage(release, ("ca-certificates",)))
    with machine(url, image, wheel) as box:
        packages = steps.system.format(**names)
        system_s = box.seconds(
            # A mirror of a release that moves may be late.
            f"useradd --create-home {USER} && apt-get -o Acquire::Check-Valid-Until=false update && "
            f"apt-get install -y --no-install-recommends {packages} bubblewrap",
            user="root",
        )
        install_s = box.seconds(steps.install.format(**names))
        offer_s = box.seconds(f"cp /examples/log_report.py . && {steps.start.format(**names)}{RUN}")
        result = json.loads(box.output("cat result.json"))
        if result["decision"] != "improved":
            raise UnableError(f"no offer: {result['reason']}")
        size_mb = int(box.output(f"du -sm {steps.place} | cut -f1"))
        return Trial(
            release, PYTHONS[release], way, system_s, install_s, offer_s, size_mb, f"{result['gain']['ratio']:.1f}x"
        )


@contextmanager
def machine(url: str, image: str, wheel: Path) -> Iterator[Machine]:
    """A container of an image, with the wheel and the example in it."""
    shown = [f"{wheel.resolve().parent}:/wheel:ro", f"{EXAMPLE.parent}:/examples:ro"]
    variables = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    if certificates := os.environ.get(CERTIFICATES):
        shown.append(f"{certificates}:/certificates.pem:ro")
        variables |= dict.fromkeys((CERTIFICATES, "PIP_CERT", "REQUESTS_CA_BUNDLE"), "/certificates.pem")
    with closing(docker.APIClient(base_url=url, timeout=3600)) as client:
        # A container's own profiles would forbid the user namespaces that a real machine has.
        rights = client.create_host_config(
            network_mode="host", binds=shown, init=True, security_opt=["seccomp=unconfined", "apparmor=unconfined"]
        )
        rights |= {"MaskedPaths": [], "ReadonlyPaths": []}  # what Docker's own clients make of systempaths=unconfined
        variables |= {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        made = client.create_container(image, ["sleep", "infinity"], environment=variables, host_config=rights)
        try:
            client.start(made)
            yield Machine(client, made["Id"])
        finally:
            client.remove_container(made, force=True)


@dataclass(frozen=True, slots=True)
class Machine:
    """A container that runs."""

    client: docker.APIClient
    identity: str

    def seconds(self, script: str, *, user: str = USER) -> float:
        """What a step takes.

        Raises:
            UnableError: it fails.
        """
        started = time.monotonic()
        self.output(script, user=user)
        return time.monotonic() - started

    def output(self, script: str, *, user: str = USER) -> str:
        """What a step prints.

        Raises:
            UnableError: it fails.
        """
        home = "/root" if user == "root" else f"/home/{user}"
        begun = self.client.exec_create(
            self.identity, ["sh", "-ec", script], user=user, environment={"HOME": home}, workdir=home
        )["Id"]
        text = self.client.exec_start(begun).decode(errors="replace")
        status = self.client.exec_inspect(begun)["ExitCode"]
        if status != 0:
            raise UnableError(f"`{script[:80]}` ended with {status}: {' '.join(text.splitlines()[-5:])[-600:]}")
        return text


if __name__ == "__main__":
    sys.exit(main())
