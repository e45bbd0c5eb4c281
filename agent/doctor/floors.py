"""What the floors above the sandbox need: a model, an editor, git, a cluster, a GPU. Nothing is sent anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import typer

from afterburner.agent.cli.config import app as config_app
from afterburner.agent.cli.settings import Layer, origin_of
from afterburner.agent.models.registry import open_proposer
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.commands.checks import Check, Status
from afterburner.sandbox.credentials import without_credentials
from afterburner.sandbox.extras import install_command, is_installed, required_by_extras
from afterburner.sandbox.host_commands import run_on_host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PROBE_TIMEOUT_S = 20.0
_MOST_LISTED = 8  # GPUs
_LOG_IN = ("github_copilot/", "chatgpt/")  # LiteLLM starts their login as soon as it is asked what they are
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
    try:
        context = _config_context()
    except (AfterburnerError, typer.BadParameter) as error:
        return [Check("settings", Status.BROKEN, "they cannot be used", without_credentials(str(error)))]
    model, fallbacks = str(context.params["model"]), tuple(context.params["fallback"] or ())
    origin = origin_of(context, "model")
    try:
        found = _of_model(model, fallbacks, None if origin.layer is Layer.DEFAULT else origin.place)
    except AfterburnerError as error:
        found = Status.BROKEN, "it cannot be used", without_credentials(str(error))
    except ImportError as error:
        found = Status.BROKEN, f"LiteLLM cannot be imported: {error}", f"Install it again: `{install_command('llm')}`."
    return [Check("language model", *found)]


def _of_model(model: str, fallbacks: tuple[str, ...], set_in: str | None) -> tuple[Status, str, str]:
    """What is found of a model that is set there; None: nowhere, so it is the default.

    Raises:
        AfterburnerError, ImportError: it cannot be asked.
    """
    shown = f"{without_credentials(model)} ({set_in})"
    if any(each.strip().startswith(_LOG_IN) for each in (*model.split(","), *fallbacks)):
        return Status.OK, f"{shown}; its provider logs in when it is asked, so it was not tried", ""
    open_proposer(model, fallbacks=fallbacks)
    if set_in is not None:
        return Status.OK, shown, ""
    if find_spec("litellm") is None:
        advice = f"Only if you want one: `{install_command('llm')}`."
        return Status.MISSING, "LiteLLM is not installed; the built-in rules work without it", advice
    return Status.OK, f"none is set, so {model} is used; `--model openai/gpt-5` asks a language model", ""


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
    folders = {editor: os.path.join(os.path.expanduser("~"), folder) for editor, folder in _EDITORS.items()}
    found = {editor: _names_in(folder) for editor, folder in folders.items() if os.path.isdir(folder)}
    having = [editor for editor, names in found.items() if any(name.startswith(_EXTENSION) for name in names)]
    server = "the language server is installed"
    if having:
        return [Check(name, Status.OK, f"{server}, and its extension in {', '.join(having)}")]
    if found:
        advice = "Only for editors: `make vscode` in a clone writes the extension, afterburner.vsix; install it there."
        return [Check(name, Status.MISSING, f"{server}; the extension is not installed in {', '.join(found)}", advice)]
    return [Check(name, Status.OK, f"{server}; no VS Code was found, and other editors need no extension")]


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


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
    address = without_credentials(os.environ.get("RAY_ADDRESS", ""))
    found = f"the cluster at {address}" if address else "installed; RAY_ADDRESS is not set"
    return [Check("Ray", Status.OK, found)]


def check_gpu() -> list[Check]:
    """List NVIDIA GPUs with nvidia-smi; importing torch takes seconds."""
    program = shutil.which("nvidia-smi")
    advice = "Only for training models that are larger than the miniature, and for `--model vllm:PATH`."
    if program is None:
        return [Check("GPU", Status.MISSING, "no NVIDIA driver (nvidia-smi) was found", advice)]
    query = [program, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = run_on_host(query, timeout_s=_PROBE_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return [Check("GPU", Status.BROKEN, f"nvidia-smi did not answer within {_PROBE_TIMEOUT_S:.0f} s", advice)]
    lines = done.stdout.decode(errors="replace").split("\n")
    listed = "; ".join(each.strip() for each in lines[:_MOST_LISTED] if each.strip())
    if done.returncode != 0 or not listed:
        said = " ".join((done.stderr or done.stdout).decode(errors="replace").split())[:200]
        return [Check("GPU", Status.BROKEN, f"nvidia-smi found no GPU: {said}", advice)]
    return [Check("GPU", Status.OK, listed)]
