"""The documentation as a site: every link leads somewhere, and what comes out of the code is there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built in a copy: another worker may look at the checkout."""
    copy = tmp_path_factory.mktemp("checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source, place = ROOT / name, copy / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            place.symlink_to(source.readlink())
        elif source.is_file():
            shutil.copy(source, place)
    program = str(Path(sys.executable).with_name("zensical"))
    for command in ([sys.executable, "-m", "scripts.site.pages"], [program, "build", "--strict"]):
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return copy / "build" / "site"


@pytest.mark.slow
def test_every_page_of_the_documentation_is_in_the_site_and_in_its_navigation(site: Path) -> None:
    navigation = (site / "index.html").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert (site / f"{page.stem}.html").is_file(), page.name
        assert f"{page.stem}.html" in navigation, f"zensical.toml does not list {page.name}"


def test_the_reference_comes_out_of_the_code(site: Path) -> None:
    commands = (site / "commands.html").read_text()
    assert "environment remove" in commands
    assert "--environment-from" in commands
    assert "Optimise one target, and prove the gain" in (site / "api" / "agent.html").read_text()
    assert "open_sandbox" in (site / "api" / "sandbox.html").read_text()


def test_the_picture_of_the_house_shows_every_floor_and_only_arrows_that_point_down(site: Path) -> None:
    page = (site / "architecture.html").read_text()
    for floor in ("sandbox", "agent", "evals", "training", "lsp_server", "ci_action"):
        assert f">{floor}</text>" in page
    assert page.count("marker-end") == 8  # those that test_layering allows


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r"""<(?:script|link|img)[^>]+(?:src|href)=["']?(https?://[^"' >]+)""", page.read_text())
        assert not [each for each in loaded if "rel=canonical" not in each], page.name


def test_it_can_be_searched_and_read_in_the_dark(site: Path) -> None:
    page = (site / "index.html").read_text()
    assert 'data-md-color-scheme="slate"' in page or "data-md-color-scheme=slate" in page
    assert any(site.rglob("search*.json")), [path.name for path in site.iterdir()]
