"""What keeps a release back."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scripts.release import answers
from scripts.release.api import RELEASED, changed, check_api, public_api
from scripts.release.artefacts import check_meters
from scripts.release.bill import write_bill
from scripts.release.errors import ReleaseError
from scripts.release.licences import check_licences, dependencies, is_allowed, licence_of
from scripts.release.versions import check_versions

if TYPE_CHECKING:
    from importlib import metadata

PACKAGE = "lsp_server/clients/vscode/package.json"
CHANGES = "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2027-01-31\n\n### Added\n\n- Something.\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The files of a project that is ready."""
    (tmp_path / PACKAGE).parent.mkdir(parents=True)
    (tmp_path / PACKAGE).write_text(json.dumps({"version": "1.2.0"}))
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    return tmp_path


def test_one_version_everywhere(tree: Path) -> None:
    assert check_versions(tree) == "1.2.0"


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (PACKAGE, "1.2.0", "1.1.0", "package.json says 1.1.0, pyproject.toml says 1.2.0"),
        ("CHANGELOG.md", "[1.2.0]", "[1.1.0]", r"no section `## \[1.2.0\] - YYYY-MM-DD`"),
        ("CHANGELOG.md", " - 2027-01-31", "", "no section"),
        ("CHANGELOG.md", "## [1.2.0]", "- Late.\n\n## [1.2.0]", "still has unreleased entries"),
    ],
)
def test_versions_that_do_not_agree(tree: Path, file: str, old: str, new: str, message: str) -> None:
    text = (tree / file).read_text()
    assert old in text
    (tree / file).write_text(text.replace(old, new))
    with pytest.raises(ReleaseError, match=message):
        check_versions(tree)


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("MPL-2.0 AND (AGPL-3.0-only OR GPL-2.0-only)", False),
        ("(MIT AND GPL-2.0-only) OR (BSD-3-Clause AND ISC)", True),
        ("Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND BSL-1.0", True),
    ],
)
def test_the_parts_of_an_expression(expression: str, allowed: bool) -> None:
    assert is_allowed(expression) is allowed


@pytest.mark.nightly
def test_the_bill_names_every_dependency_with_its_licence_and_is_the_same_each_time(tmp_path: Path) -> None:
    wheel = tmp_path / "afterburner_agent-1.whl"
    wheel.write_bytes(b"wheel")
    told = [write_bill(wheel, tmp_path / name, 1_800_000_000) for name in ("one.json", "two.json")]
    assert told == [f"{len({each.name for each in dependencies()})} components, CycloneDX 1.6"] * 2
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    bill = json.loads((tmp_path / "one.json").read_text())
    assert bill["metadata"]["component"]["hashes"][0]["content"] == hashlib.sha256(b"wheel").hexdigest()
    names = {each["name"]: each for each in bill["components"]}
    assert names["langgraph"]["licenses"] == [{"license": {"id": "MIT"}}]
    assert all(each.get("licenses") and each["purl"].startswith("pkg:pypi/") for each in names.values())
    (ours,) = [each for each in bill["dependencies"] if each["ref"].startswith("pkg:pypi/afterburner-agent@")]
    assert any(each.startswith("pkg:pypi/langgraph@") for each in ours["dependsOn"])
    assert not any("pytest@" in each for each in ours["dependsOn"]), "what only developers need is no part of it"


class Described:
    """A distribution with these fields."""

    name = "some-package"

    def __init__(self, classifiers: tuple[str, ...] = (), **fields: str) -> None:
        self.metadata = _Fields(classifiers, fields)


class _Fields:
    def __init__(self, classifiers: tuple[str, ...], fields: dict[str, str]) -> None:
        self._classifiers, self._fields = classifiers, fields

    def get(self, name: str) -> str | None:
        return self._fields.get(name.replace("-", "_"))

    def get_all(self, name: str) -> list[str] | None:
        assert name == "Classifier"
        return list(self._classifiers) or None


@pytest.mark.parametrize(
    ("described", "licence"),
    [
        (Described(License_Expression="MIT OR Apache-2.0"), "MIT OR Apache-2.0"),
        (Described(("License :: OSI Approved :: BSD License",)), "BSD-3-Clause"),
        (Described(License="BSD-2-Clause"), "BSD-2-Clause"),
        (Described(License="MIT License\n\nCopyright (c) somebody"), "MIT"),
        (Described(License="proprietary"), ""),
        (Described(("License :: OSI Approved :: GNU General Public License (GPL)",)), ""),
        (Described(), ""),
    ],
)
def test_a_licence_as_packages_name_it(described: Any, licence: str) -> None:
    assert licence_of(described) == licence


def test_every_dependency_of_ours_may_be_used() -> None:
    found: dict[str, metadata.Distribution] = {each.name.lower(): each for each in dependencies()}
    assert {"litellm", "torch", "langgraph", "pygls", "httpx"} <= found.keys(), "of all extras, and indirect ones, too"
    assert "pytest" not in found, "what only developers use is not distributed"
    assert check_licences().startswith(f"{len(found)} dependencies")


def test_a_wheel_without_its_meter_or_with_another_is_held_back(tmp_path: Path) -> None:
    place = tmp_path / "x.whl"
    with zipfile.ZipFile(place, "w") as wheel:
        wheel.writestr("afterburner/sandbox/meter/meter.c", "")
    with pytest.raises(ReleaseError, match="has no meter: ziglang was missing"):
        check_meters(place)
    with zipfile.ZipFile(place, "w") as wheel:
        wheel.writestr("afterburner/sandbox/meter/built/sha256.json", json.dumps({"meter-x86_64": "0" * 64}))
        wheel.writestr("afterburner/sandbox/meter/built/meter-x86_64", b"another")
    with pytest.raises(ReleaseError, match="meter-x86_64 is not the meter that was built"):
        check_meters(place)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_floors_answer_where_they_are_installed(tmp_path: Path) -> None:
    """The whole walk is `make release-check`; here, the program of this checkout stands for the wheel's."""
    (tmp_path / "path").mkdir()
    for name in ("bwrap", "git"):
        (tmp_path / "path" / name).symlink_to(shutil.which(name) or "")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "afterburner-agent").symlink_to(Path(sys.executable).with_name("afterburner-agent"))
    (tmp_path / "home").mkdir()
    installed = answers.Installed(tmp_path, tmp_path / "home")
    for look in (
        answers.check_editor,
        answers.check_coding_agents,
        answers.check_evaluation,
        answers.check_training,
        answers.check_pull_request,
    ):
        assert look(installed) == "answers"
    with pytest.raises(ReleaseError, match=r"afterburner-agent eval datasets nosuch ended with \d: .*nosuch"):
        installed.run("eval", "datasets", "nosuch")


def test_the_changelog_names_what_has_changed_of_the_public_api_and_the_schemas() -> None:
    assert "all in the changelog" in check_api()


@pytest.mark.parametrize(
    ("section", "untold"),
    [
        ("- Nothing of interest.\n", "afterburner.agent.Job, run-schema.json"),
        ("- `Job` takes a seed. JobOptions are gone.\n", "run-schema.json"),
        ("- `afterburner.agent.Job` takes a seed; `run-schema.json` has it, too.\n", ""),
        ("- `Jobs` and Job.\n- `run-schema.json`.\n", "afterburner.agent.Job"),
    ],
)
def test_a_change_that_the_changelog_does_not_name_is_held_back(tmp_path: Path, section: str, untold: str) -> None:
    before = {"afterburner.agent.Job": "(path)", "afterburner.agent.Caps": "()", "run-schema.json": "0"}
    (tmp_path / "docs").mkdir()
    (tmp_path / RELEASED).write_text(json.dumps(before))
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## [Unreleased]\n\n{section}\n## [0.1.0] - 2026-01-01\n\n- `Job`.\n"
    )
    now = {**before, "afterburner.agent.Job": "(path, seed)", "run-schema.json": "1"}
    if not untold:
        assert check_api(tmp_path, now).startswith("2 changes")
        return
    with pytest.raises(ReleaseError, match=f"what has changed of {untold}. Name each"):
        check_api(tmp_path, now)


def test_the_api_is_described_by_what_callers_write() -> None:
    found = public_api()
    assert found["afterburner.sandbox.Limits"].startswith("(object) wall_time_s: float = …; ")
    assert "metavar" not in found["afterburner.agent.Caps"], "help may be reworded"
    assert "run-schema.json" in found
    assert not re.search("0x[0-9a-f]{6}", json.dumps(found))
    assert changed({"a": "1", "b": "2"}, {"b": "3", "c": "4"}) == ["a", "b", "c"]
