"""What a project declares: which file counts, which Python, which packages, and what is never shown to an installer."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.sandbox import UsageError
from afterburner.sandbox.environments.declaration import Declaration, Dockerfile, ProjectReader, Recipe
from afterburner.sandbox.environments.declared import (
    package_sources,
    plain_declaration,
    read_declaration,
    trusted_certificates,
)
from afterburner.sandbox.environments.python_version import asked_version

if TYPE_CHECKING:
    from pathlib import Path

UV_LOCK = 'version = 1\nrequires-python = ">=3.11"\n'
PROJECT = '[project]\nname = "shop"\nversion = "1"\n'


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root


def declared(root: Path, files: dict[str, str], named: str | None = None) -> tuple[Declaration, Recipe]:
    found = read_declaration(write(root, files), root, named)
    assert found.recipe is not None
    return found, found.recipe


def installed_files(recipe: Recipe) -> dict[str, bytes]:
    return {name: data if isinstance(data, bytes) else data.read_bytes() for name, data in recipe.files}


@pytest.mark.parametrize(
    ("files", "counts", "command"),
    [
        (("uv.lock", "poetry.lock", "requirements.txt"), "uv.lock", "uv sync --frozen"),
        (("poetry.lock", "requirements.txt"), "poetry.lock", "poetry install --no-root"),
        (("requirements.txt",), "requirements.txt", "install -r requirements.txt"),
        (("requirements-dev.txt",), "pyproject.toml and requirements-dev.txt", "-r afterburner-requirements.txt"),
        ((), "pyproject.toml", "install -r afterburner-requirements.txt"),
    ],
)
def test_the_strictest_file_counts(tmp_path: Path, files: tuple[str, ...], counts: str, command: str) -> None:
    project = PROJECT + 'requires-python = "==3.12.*"\ndependencies = ["numpy>=2"]\n'
    texts = dict.fromkeys(files, "") | {"uv.lock": UV_LOCK, "pyproject.toml": project}
    found, recipe = declared(
        tmp_path, {name: text for name, text in texts.items() if name in {*files, "pyproject.toml"}}
    )
    assert (found.base, found.summary) == ("python:3.12-slim", f"{counts}, Python 3.12")
    assert command in recipe.script
    assert "hypothesis pytest" in recipe.script or "pytest hypothesis" in recipe.script


def test_a_project_that_declares_nothing_gets_the_newest_python_that_has_most_wheels(tmp_path: Path) -> None:
    found, recipe = declared(tmp_path, {"shop.py": ""})
    assert (found.base, found.summary) == ("python:3.13-slim", "nothing to install, Python 3.13")
    assert " -r " not in recipe.script
    _, recipe = declared(tmp_path, {"setup.py": "import os; os.abort()"})
    assert "setup.py is not read: it would have to be run" in recipe.notes[0]


@pytest.mark.parametrize(
    ("settings", "pin", "version"),
    [
        ({"project": {"requires-python": ">=3.10"}}, "", "3.13"),
        ({"project": {"requires-python": ">=3.10,<3.12"}}, "", "3.11"),
        ({"project": {"requires-python": ">=3.14"}}, "", "3.14"),
        ({"project": {"requires-python": "~=3.9.2"}}, "", "3.9"),
        ({"project": {"requires-python": ">=3.10"}}, "3.12.4\n", "3.12"),
        ({}, "cpython-3.11\n", "3.11"),
        ({"tool": {"poetry": {"dependencies": {"python": "^3.10"}}}}, "", "3.13"),
        ({"tool": {"poetry": {"dependencies": {"python": "~3.11"}}}}, "", "3.11"),
        ({"tool": {"poetry": {"dependencies": {"python": "3.12"}}}}, "", "3.12"),
        ({"tool": {"poetry": {"dependencies": {"python": "*"}}}}, "", "3.13"),
        ({"tool": {"poetry": {"dependencies": {"python": "~3.9 || ^3.12"}}}}, "", "3.13"),
        ({"project": {"requires-python": 3}, "tool": []}, "", "3.13"),
    ],
)
def test_the_version_that_the_project_asks_for(
    tmp_path: Path, settings: dict[str, Any], pin: str, version: str
) -> None:
    if pin:
        write(tmp_path, {".python-version": pin})
    assert asked_version(ProjectReader(tmp_path), settings)[0] == version


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[project]\nrequires-python = ">=3.15"',
            r"requires-python asks for Python >=3.15; the sandbox runs 3.9, .*3.14",
        ),
        ('[project]\nrequires-python = "new"', "requires-python asks for Python 'new', which cannot be read"),
        ("[project", r"pyproject.toml is not TOML"),
        ("\udcff", "is not UTF-8"),
    ],
)
def test_what_cannot_be_met_or_read_is_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=message):
        read_declaration(tmp_path, tmp_path, None)


def test_requirements_bring_what_they_refer_to_and_not_the_project_itself(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "-r requirements/base.txt\n-c limits.txt\n--find-links=wheels\n-e .\n./shop\nnumpy # it\n",
        "requirements/base.txt": "rich \\\n  >=13\n-f local\n--requirement ../more.txt\n",
        "requirements/local/one.whl": "one",
        "more.txt": "typer\n-r https://example.org/far.txt\n",
        "limits.txt": "numpy<3",
        "wheels/two.whl": "two",
        "requirements-test.txt": "-r requirements.txt\nattrs\n",
        "docs/requirements.txt": "sphinx",
    }
    _, recipe = declared(tmp_path, files)
    assert installed_files(recipe) == {
        "limits.txt": b"numpy<3\n",
        "more.txt": b"typer\n-r https://example.org/far.txt\n",
        "requirements-test.txt": b"-r requirements.txt\nattrs\n",
        "requirements.txt": b"-r requirements/base.txt\n-c limits.txt\n--find-links=wheels\nnumpy # it\n",
        "requirements/base.txt": b"rich    >=13\n-f local\n--requirement ../more.txt\n",
        "requirements/local/one.whl": b"one",
        "wheels/two.whl": b"two",
    }
    assert [note.partition(": the")[0] for note in recipe.notes] == [
        "requirements.txt: '-e .' is left out",
        "requirements.txt: './shop' is left out",
    ]


def test_groups_for_tests_are_installed_with_those_that_they_include(tmp_path: Path) -> None:
    project = """
        [project]
        dependencies = ["numpy", 3, "a\\nb"]
        optional-dependencies = { test = ["attrs"], docs = ["sphinx"] }
        [dependency-groups]
        dev = ["ruff", { include-group = "lint" }, { include-group = "dev" }]
        lint = ["mypy"]
    """
    _, recipe = declared(tmp_path, {"pyproject.toml": project})
    assert installed_files(recipe)["afterburner-requirements.txt"] == b"numpy\nruff\nmypy\nattrs\n"


def test_a_workspace_brings_the_settings_of_its_members(tmp_path: Path) -> None:
    names = ("pyproject.toml", "parts/one/pyproject.toml")
    _, recipe = declared(tmp_path, {**dict.fromkeys(names, PROJECT), "uv.lock": UV_LOCK, ".venv/pyproject.toml": ""})
    assert sorted(installed_files(recipe)) == sorted([*names, "uv.lock"])
    with pytest.raises(UsageError, match=r"has a uv.lock but no pyproject.toml"):
        declared(tmp_path / "alone", {"uv.lock": UV_LOCK})


def test_nothing_outside_and_no_key_is_shown_to_an_installer(tmp_path: Path) -> None:
    """What an installer is given leaves this machine for a container with a network."""
    secret = write(tmp_path, {"home/.ssh/id_rsa": "secret", "home/.netrc": "secret"}) / "home"
    root = write(
        tmp_path / "shop",
        {"requirements.txt": "-r ../home/.netrc\n-r .env\n-r keys.txt\n-f vendor\n", ".env": "secret"},
    )
    (root / "keys.txt").symlink_to(secret / ".netrc")
    (root / "vendor").symlink_to(secret / ".ssh")
    _, recipe = declared(root, {})
    assert b"secret" not in b"".join(installed_files(recipe).values())
    assert sorted(installed_files(recipe)) == ["requirements.txt"]
    (root / "requirements.txt").unlink()
    (root / "requirements.txt").symlink_to(secret / ".netrc")
    assert declared(root, {})[1].files == ()


def test_a_link_within_the_project_does_not_lead_to_what_is_not_its_own(tmp_path: Path) -> None:
    """A repository may hold links to what lies there unseen: the token of a checkout, or ignored files."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(tmp_path, {".gitignore": "ignored.txt\nignored\n", "ignored.txt": "secret", ".env": "secret"})
    write(tmp_path, {".git/config": "secret", "ignored/a.whl": "secret"})
    for name, target in {"token.txt": ".git/config", "env.txt": ".env", "other.txt": "ignored.txt"}.items():
        (tmp_path / name).symlink_to(target)
    (tmp_path / "wheels").symlink_to("ignored")
    names = ("-r token.txt", "-r env.txt", "-r other.txt", "-r ignored.txt", "-r .", "-r a\0b")
    asked = "\n".join((*names, "-f wheels", "-f ignored", "-f /", "-f /nowhere"))
    _, recipe = declared(tmp_path, {"requirements.txt": asked})
    assert sorted(installed_files(recipe)) == ["requirements.txt"]


def test_forms_without_a_space_and_archives_are_read_as_pip_reads_them(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "-rbase.txt\n-climits.txt\n./vendor/one.whl\n# no \\\nrich\n",
        "base.txt": "",
        "limits.txt": "",
        "vendor/one.whl": "wheel",
    }
    _, recipe = declared(tmp_path, files)
    assert sorted(installed_files(recipe)) == sorted(files)
    assert b"# no \\\nrich\n" in installed_files(recipe)["requirements.txt"]


def test_a_file_that_installs_the_project_brings_what_the_project_requires(tmp_path: Path) -> None:
    project = PROJECT + 'dependencies = ["numpy"]\noptional-dependencies = { fast = ["numba"], docs = ["sphinx"] }\n'
    found, recipe = declared(tmp_path, {"pyproject.toml": project, "requirements.txt": "-e .[fast]\nattrs\n"})
    assert installed_files(recipe)["afterburner-requirements.txt"] == b"numpy\nnumba\n"
    assert found.summary == "pyproject.toml and requirements.txt, Python 3.13"


def test_the_nearest_declaration_counts_and_a_lock_file_before_others(tmp_path: Path) -> None:
    root = write(tmp_path, {"backend/pyproject.toml": PROJECT + 'dependencies = ["rich"]\n', "backend/shop/a.py": ""})
    found = read_declaration(root, root / "backend" / "shop", None)
    assert found.summary == "pyproject.toml of backend, Python 3.13"
    write(root, {"backend/shop/requirements/orders.py": "", ".python-version": "3.11"})
    assert read_declaration(root, root / "backend" / "shop", None).base == "python:3.11-slim"
    write(root, {"backend/.python-version": "3.12"})
    assert read_declaration(root, root / "backend" / "shop", None).summary == "pyproject.toml of backend, Python 3.12"
    write(root, {"uv.lock": UV_LOCK, "pyproject.toml": PROJECT})
    assert read_declaration(root, root / "backend" / "shop", None).summary == "uv.lock, Python 3.11"


def test_what_belongs_to_no_project_obeys_no_file_of_its_folder() -> None:
    found = plain_declaration(None)
    assert (found.base, found.summary) == ("python:3.13-slim", "no project, Python 3.13")
    assert plain_declaration("shop:1") == Declaration("shop:1", "shop:1")


@pytest.mark.parametrize("place", [".devcontainer/devcontainer.json", ".devcontainer.json"])
def test_a_devcontainers_image_comes_before_a_plain_python(tmp_path: Path, place: str) -> None:
    text = """{
        // the team's
        "image": "ghcr.io/team//shop:1", /* "image": "other" */
        "features": {},
    }"""
    found, recipe = declared(tmp_path, {place: text, "requirements.txt": ""})
    assert (found.base, found.summary) == ("ghcr.io/team//shop:1", f"{place} with requirements.txt")
    assert "--system-site-packages" in recipe.script


@pytest.mark.parametrize(
    ("settings", "base"),
    [
        (
            {"build": {"dockerfile": "Dockerfile", "context": "..", "args": {"B": 1, "A": "x"}, "target": "dev"}},
            Dockerfile(".devcontainer/Dockerfile", ".devcontainer/..", (("A", "x"), ("B", "1")), "dev"),
        ),
        ({"dockerFile": "../Dockerfile"}, Dockerfile(".devcontainer/../Dockerfile", ".devcontainer")),
    ],
)
def test_a_devcontainers_dockerfile_is_built_with_its_arguments(
    tmp_path: Path, settings: dict[str, Any], base: Dockerfile
) -> None:
    found, _ = declared(tmp_path, {".devcontainer/devcontainer.json": json.dumps(settings)})
    assert found.base == base


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"dockerComposeFile": "compose.yml"}', "names neither an image nor a Dockerfile"),
        ('{"image": "shop:${localEnv:SECRET}"}', "contains a variable"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_devcontainer_that_cannot_be_used_is_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        declared(tmp_path, {".devcontainer.json": text})


def test_what_the_user_names_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"docker/Dockerfile": "FROM scratch", "requirements.txt": "numpy", "Other": ""})
    assert read_declaration(tmp_path, tmp_path, "shop:1") == Declaration("shop:1", "shop:1")
    expected = Declaration(Dockerfile("docker/Dockerfile", "."), "docker/Dockerfile")
    assert read_declaration(tmp_path, tmp_path, "docker/Dockerfile") == expected
    monkeypatch.chdir(tmp_path / "docker")
    assert read_declaration(tmp_path, tmp_path, "Dockerfile") == expected
    with pytest.raises(UsageError, match=r"there is no such file. Give a Dockerfile or the name of an image"):
        read_declaration(tmp_path, tmp_path, "./Dockerfile.dev")
    (tmp_path / "outside").mkdir()
    with pytest.raises(UsageError, match="only a Dockerfile that belongs to the project"):
        read_declaration(tmp_path / "outside", tmp_path / "outside", str(tmp_path / "Other"))


def test_certificates_are_shown_to_installers_and_keys_are_not(tmp_path: Path) -> None:
    certificates = "-----BEGIN CERTIFICATE-----\n"
    write(
        tmp_path, {"ca.pem": certificates, "client.pem": f"{certificates}-----BEGIN RSA PRIVATE KEY-----\n", "x": "x"}
    )
    data, variables, notes = trusted_certificates({"SSL_CERT_FILE": str(tmp_path / "ca.pem")})
    assert (data, notes) == (certificates.encode(), [])
    assert variables["PIP_CERT"] == variables["SSL_CERT_FILE"] == "/opt/afterburner/certificates.pem"
    for name in ("client.pem", "x", "missing"):
        data, variables, notes = trusted_certificates({"PIP_CERT": str(tmp_path / name)})
        assert (data, variables, len(notes)) == (b"", {}, 1)


def test_addresses_with_a_password_are_not_passed_to_installers() -> None:
    passed, notes = package_sources(
        {
            "PIP_INDEX_URL": "https://me:secret@example.org/simple",
            "HTTPS_PROXY": "http://proxy:8080",
            "OPENAI_API_KEY": "secret",
            "no_proxy": "",
        }
    )
    assert passed == {"HTTPS_PROXY": "http://proxy:8080"}
    assert notes == ["PIP_INDEX_URL contains a user name or password: the installer does not get it"]
