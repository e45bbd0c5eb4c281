"""What the floors above the sandbox need: a model, an editor, git, a cluster, a GPU. Nothing is sent anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from afterburner.agent.cli.config import app as config_app
from afterburner.agent.cli.settings import Layer, origin_of, without_password
from afterburner.agent.models.registry import open_proposer
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.commands.checks import Check, Status
from afterburner.sandbox.extras import install_command, is_installed, required_by_extras

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PROBE_TIMEOUT_S = 20.0
# Where VS Code and its kin keep extensions, below the home folder.
_EDITORS = {
    "VS Code": ".vscode/extensions",
    "VS Code (remote)": ".vscode-server/extensions",
    "VSCodium": ".vscode-oss/extensions",
    "Cursor": ".cursor/extensions",
}
_EXTENSION = "afterburner.afterburner-"  # publisher, name, and the version


def floor_checks() -> Iterator[tuple[str, Callable[[], list[Check]]]]:
    """What is to be looked at, by name; each is looked at when it is called."""
    yield "language model", check_model
    yield "editor", check_editor
    yield "pull requests", check_git
    yield "Ray", check_ray
    yield "GPU", check_gpu


def check_model() -> list[Check]:
    """Whether the model that the settings of this folder name, and its fallbacks, can be asked."""
    name = "language model"
    try:
        context = _config_context()
        model = str(context.params["model"])
        open_proposer(model, fallbacks=context.params["fallback"] or ())
    except (AfterburnerError, typer.BadParameter) as error:
        return [Check(name, Status.MISSING, "cannot be asked", str(error))]
    except ImportError as error:
        advice = f"Install it again: `{install_command('llm')}`."
        return [Check(name, Status.BROKEN, f"LiteLLM cannot be imported: {error}", advice)]
    origin = origin_of(context, "model")
    if origin.layer is not Layer.DEFAULT:
        return [Check(name, Status.OK, f"{without_password(model)} ({origin.place})")]
    if find_spec("litellm") is None:
        advice = f"Only if you want one: `{install_command('llm')}`."
        return [Check(name, Status.MISSING, "LiteLLM is not installed; the embedded rules need none", advice)]
    return [Check(name, Status.OK, f"none is set, so {model} is used; `--model openai/gpt-5` asks a language model")]


def _config_context() -> Any:
    """The settings as `config` reads them: from the environment, from pyproject.toml, or the defaults."""
    command = typer.main.get_command(config_app)
    return command.make_context("doctor", [])


def check_editor() -> list[Check]:
    """Whether the language server is installed, and which editor has our extension."""
    name = "editor"
    if find_spec("pygls") is None:
        advice = f"Only for editors: `{install_command('lsp')}`."
        return [Check(name, Status.MISSING, "the language server needs pygls, which is not installed", advice)]
    found = {editor: Path.home() / folder for editor, folder in _EDITORS.items() if (Path.home() / folder).is_dir()}
    having = [editor for editor, folder in found.items() if any(folder.glob(f"{_EXTENSION}*"))]
    server = "the language server is installed"
    if having:
        return [Check(name, Status.OK, f"{server}, and its extension in {', '.join(having)}")]
    if found:
        advice = "Only for editors: `make vscode` in a clone writes the extension, afterburner.vsix; install it there."
        return [Check(name, Status.MISSING, f"{server}; its extension is not, in {', '.join(found)}", advice)]
    return [Check(name, Status.OK, f"{server}; no VS Code was found, and other editors need no extension")]


def check_git() -> list[Check]:
    """Whether `ci` can look at commits: it needs git and the extra."""
    name = "pull requests"
    missing = [each for each in sorted(required_by_extras().get("ci", ())) if not is_installed(each)]
    if missing:
        advice = f"Only for `ci`: `{install_command('ci')}`."
        return [Check(name, Status.MISSING, f"not installed: {', '.join(missing)}", advice)]
    git = shutil.which("git")
    if git is None:
        advice = "Only for `ci`: install git with your system's packages."
        return [Check(name, Status.MISSING, "there is no git", advice)]
    return [Check(name, Status.OK, f"`ci` can compare branches with {git}")]


def check_ray() -> list[Check]:
    """Whether an evaluation can use a cluster."""
    if find_spec("ray") is None:
        return [
            Check(
                "Ray", Status.MISSING, "not installed", f"Only for evaluation on a cluster: `{install_command('ray')}`."
            )
        ]
    address = os.environ.get("RAY_ADDRESS")
    return [
        Check("Ray", Status.OK, f"the cluster at {address}" if address else "installed; RAY_ADDRESS names no cluster")
    ]


def check_gpu() -> list[Check]:
    """Which NVIDIA GPUs there are, by their driver: torch would take seconds to say so."""
    program = shutil.which("nvidia-smi")
    advice = "Only for training, and for a model in this process (`vllm:PATH`)."
    if program is None:
        return [Check("GPU", Status.MISSING, "no NVIDIA driver (nvidia-smi) was found", advice)]
    query = [program, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=False, timeout=_PROBE_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [Check("GPU", Status.BROKEN, f"nvidia-smi does not answer: {error}", advice)]
    listed = "; ".join(done.stdout.split("\n")).strip("; ")
    if done.returncode != 0 or not listed:
        said = " ".join((done.stderr or done.stdout).split())
        return [Check("GPU", Status.BROKEN, f"nvidia-smi finds none: {said}", advice)]
    return [Check("GPU", Status.OK, listed)]
