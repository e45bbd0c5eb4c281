"""Checks what can be checked of a release without a network, and prints one line for each step.

    python -m scripts.release.check [--out DIR] [--images]

It looks at what is committed, not at what lies in the folder. With `--out`, the source distribution, the wheel, the
extension of VS Code and the bill of materials are kept there, with their hashes. With `--images`, the two images of
examples/service are built as well, on a Debian of this machine's release: this needs a Docker daemon (or dockerd, to
start one), a package index and, unless the Debian image is cached, root and debootstrap. Exit code 0: ready to
release; 1: a step has failed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from docker import APIClient
from docker.errors import DockerException
from requests import RequestException

from scripts.debian_images import UnableError
from scripts.docker_daemon import lend
from scripts.release import answers
from scripts.release.api import check_api
from scripts.release.artefacts import build_artefacts, check_metadata, check_meters, committed_s, sha256
from scripts.release.bill import write_bill
from scripts.release.errors import ReleaseError
from scripts.release.extension import package_extension
from scripts.release.images import EXTRAS, build_image, download_dependencies
from scripts.release.licences import check_licences
from scripts.release.versions import check_versions

if TYPE_CHECKING:
    from collections.abc import Callable

_ROOT = Path(__file__).resolve().parents[2]
_BILL = "afterburner-agent.cdx.json"
_EXTENSION = "afterburner.vsix"


def main() -> int:
    """Run all steps; a failed one does not keep the others from being run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep what was built")
    parser.add_argument("--images", action="store_true", help="build the images, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        return _check(Path(name), options.out, with_images=options.images)


def _check(place: Path, out: Path | None, *, with_images: bool) -> int:
    passed = [_step("version", partial(check_versions, _ROOT)), _step("api", check_api)]
    passed.append(_step("licences", check_licences))
    try:
        sources, wheel = build_artefacts(_ROOT, place)
    except ReleaseError as error:
        return _say("build", f"FAILED: {error}", code=1)
    _say("build", f"the same wheel twice, {wheel.name}, sha256 {sha256(wheel)}")
    passed += [
        _step("metadata", partial(check_metadata, sources, wheel)),
        _step("meters", partial(check_meters, wheel)),
        _step("bill", partial(write_bill, wheel, place / _BILL, committed_s(_ROOT))),
        _step("extension", partial(package_extension, _ROOT, place / "tree", place / _EXTENSION)),
    ]
    if with_images:
        passed.append(_step("images", partial(_check_images, place, wheel)))
    installed = answers.install(wheel, place)
    for title, look in (
        ("demo", answers.check_demo),
        ("lsp", answers.check_editor),
        ("mcp", answers.check_coding_agents),
        ("ci", answers.check_pull_request),
        ("eval", answers.check_evaluation),
        ("train", answers.check_training),
    ):
        passed.append(_step(title, partial(look, installed)))
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        kept = [built for built in (sources, wheel, place / _EXTENSION, place / _BILL) if built.is_file()]
        for built in kept:
            shutil.copy(built, out)
        listed = "".join(f"{sha256(built)}  {built.name}\n" for built in kept)
        (out / "SHA256SUMS").write_text(listed, encoding="utf-8")
    return 0 if all(passed) else 1


def _check_images(place: Path, wheel: Path) -> str:
    """Check that both images can be built; returns their sizes.

    Raises:
        ReleaseError: they cannot.
    """
    (place / "images").mkdir()
    wheels = download_dependencies(place / "tree", wheel, place / "images")
    sizes = {}
    try:
        with lend() as (url, base), closing(APIClient(base_url=url, timeout=600)) as client:
            for target in EXTRAS:
                name = build_image(client, place / "tree", wheels, base, target)
                sizes[target] = client.images(name)[0]["Size"] // 1_000_000
                client.remove_image(name, force=True)
    except (UnableError, DockerException, RequestException) as error:
        raise ReleaseError(f"The images cannot be built here: {error}") from error
    return ", ".join(f"{target} {size} MB" for target, size in sizes.items())


def _step(title: str, look: Callable[[], str]) -> bool:
    try:
        told = look()
    except ReleaseError as error:
        return _say(title, f"FAILED: {error}", code=1) == 0
    return _say(title, told) == 0


def _say(title: str, told: str, code: int = 0) -> int:
    print(f"{title:10}{told}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
