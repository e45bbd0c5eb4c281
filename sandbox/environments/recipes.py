"""The scripts that install what a project asks for into a virtual environment of an image."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from afterburner.sandbox.environments.declaration import Recipe
from afterburner.sandbox.environments.python_version import table
from afterburner.sandbox.environments.requirements import MAIN, find_requirements, listed_in, with_referenced
from afterburner.sandbox.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox.environments.declaration import ProjectReader

FOLDER = "/opt/afterburner"
ENVIRONMENT = f"{FOLDER}/environment"
PROJECT = f"{FOLDER}/project"  # where the files of a recipe lie while it runs
CERTIFICATES = f"{FOLDER}/certificates.pem"  # likewise
_TOOLS = f"{FOLDER}/tools"
# Not pinned to one version each: they have to run under whatever Python the project asks for.
_UV, _POETRY = "'uv>=0.8,<1'", "'poetry>=2,<3'"
_LISTED = "afterburner-requirements.txt"
_MOST_MEMBERS = 500  # of a workspace
_TEST_TOOLS = ("pytest", "hypothesis")
_NOT_READ = {
    "setup.py": "it would have to be run",
    "setup.cfg": "only pyproject.toml is read",
    "Pipfile.lock": "pipenv is not supported",
    "pdm.lock": "PDM is not supported",
    "environment.yml": "conda is not supported",
}

_BEGIN = f"""\
python=$(command -v python3 || command -v python) || {{ echo "There is no python3 in this image."; exit 1; }}
"$python" -m venv %s{ENVIRONMENT}
cd {PROJECT}
"""
# Tests need a runner and made inputs a library; a project without them is judged on less, and that is no error. What is
# locked stays as it is.
_ENDING = """\
%(pip)s freeze --all --exclude-editable > {folder}/constraints.txt
for tool in %(tools)s; do
  {environment}/bin/python -c "import $tool" 2>/dev/null ||
    %(pip)s install --retries 1 -c {folder}/constraints.txt "$tool" ||
    echo "$tool could not be installed; the project does not require it, so we continue without it."
done
cd /
rm -rf {project} {tools} {folder}/constraints.txt {certificates} "${{HOME:-/root}}/.cache"
chmod -R a+rX {folder}
"""
_END = _ENDING.format(environment=ENVIRONMENT, project=PROJECT, tools=_TOOLS, folder=FOLDER, certificates=CERTIFICATES)
_PIP = f"{ENVIRONMENT}/bin/python -m pip --no-cache-dir --disable-pip-version-check --no-input"


def recipe_of(reader: ProjectReader, settings: dict[str, Any], *, on_others: bool) -> tuple[Recipe, str]:
    """How to install what a project asks for, and the file that asks.

    The first of these counts: `uv.lock`, `poetry.lock`, requirements files, `pyproject.toml`. Without a plain
    `requirements.txt`, what `pyproject.toml` lists counts beside the others. The project itself is not installed.

    Args:
        reader: of the project.
        settings: its `pyproject.toml`.
        on_others: whether packages that the image has already are kept in sight.

    Raises:
        UsageError: a file cannot be read.
    """
    begin = _BEGIN % ("--system-site-packages " if on_others else "")
    if (locked := reader.read("uv.lock")) is not None:
        return _uv(reader, locked, begin), "uv.lock"
    if (locked := reader.read("poetry.lock")) is not None:
        return _poetry(reader, locked, begin), "poetry.lock"
    names = find_requirements(reader)
    listed = with_referenced(reader, names)
    origins = list(names)
    if MAIN not in names or listed.own_extras is not None:
        own = listed_in(settings, listed.own_extras or ())
        if own:
            listed.files[_LISTED] = "\n".join((*own, "")).encode()
            names, origins = [_LISTED, *names], ["pyproject.toml", *origins]
    listed.notes += [
        f"{name} is not read: {why}. Name an image that has what it asks for with --environment-from"
        for name, why in _NOT_READ.items()
        if not names and reader.path(name) is not None
    ]
    if not names and table(settings, "tool", "poetry", "dependencies"):
        listed.notes.append("tool.poetry.dependencies are not read without a poetry.lock: run `poetry lock`")
    install = f"{_PIP} install {shlex.join(_options(names))}\n" if names else ""
    recipe = Recipe(begin + install + _end(), tuple(sorted(listed.files.items())), tuple(listed.notes))
    return recipe, " and ".join(origins) or "nothing to install"


def plain_recipe() -> Recipe:
    """An environment with nothing but what tests and made inputs need."""
    return Recipe(_BEGIN % "" + _end())


def _options(names: list[str]) -> list[str]:
    return [part for name in names for part in ("-r", name)]


def _end() -> str:
    return _END % {"tools": " ".join(_TEST_TOOLS), "pip": _PIP}


def _tool(requirement: str) -> str:
    pip = f"{_TOOLS}/bin/python -m pip --no-cache-dir --disable-pip-version-check --no-input"
    return f'"$python" -m venv {_TOOLS}\n{pip} install {requirement}\n'


def _uv(reader: ProjectReader, locked: bytes, begin: str) -> Recipe:
    """`uv sync` installs exactly what is locked, for development, too; members of a workspace are known by name."""
    members: dict[str, bytes | Path] = {name: reader.folder / name for name in _members(reader)}
    if "pyproject.toml" not in members:
        raise UsageError(
            f"{reader.folder} has a uv.lock but no pyproject.toml. Add it, or name an image with --environment-from."
        )
    sync = (
        f"UV_PROJECT_ENVIRONMENT={ENVIRONMENT} UV_PYTHON_DOWNLOADS=never UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy "
        f"UV_NO_CACHE=1 {_TOOLS}/bin/uv sync --frozen --inexact --all-packages --no-progress "
        "--no-install-project --no-install-workspace --no-install-local\n"
    )
    files = {**members, "uv.lock": locked}
    return Recipe(begin + _tool(_UV) + sync + _end(), tuple(sorted(files.items())))


def _members(reader: ProjectReader) -> list[str]:
    """Every `pyproject.toml` of the project from this folder on."""
    names = [name for name in reader.names_from_here() if name.rpartition("/")[2] == "pyproject.toml"]
    return sorted((name for name in names if reader.path(name)), key=lambda name: (name.count("/"), name))[
        :_MOST_MEMBERS
    ]


def _poetry(reader: ProjectReader, locked: bytes, begin: str) -> Recipe:
    text = reader.read("pyproject.toml")
    if text is None:
        raise UsageError(
            f"{reader.folder} has a poetry.lock but no pyproject.toml. Add it, or name an image with "
            "--environment-from."
        )
    install = (
        f"VIRTUAL_ENV={ENVIRONMENT} PATH={ENVIRONMENT}/bin:$PATH POETRY_VIRTUALENVS_CREATE=false "
        f"POETRY_CACHE_DIR={_TOOLS}/cache {_TOOLS}/bin/poetry install --no-root --no-interaction --no-ansi\n"
    )
    files: tuple[tuple[str, bytes | Path], ...] = (("poetry.lock", locked), ("pyproject.toml", text))
    return Recipe(begin + _tool(_POETRY) + install + _end(), files)
