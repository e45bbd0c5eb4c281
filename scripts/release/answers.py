"""The wheel, installed where there is no compiler and no network, answers on every floor."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.release.errors import ReleaseError

_ROOT = Path(__file__).resolve().parents[2]
_NEEDED = ("bwrap", "git", "unshare")  # all that is on the PATH
_MOST_S = 300.0
_LSP: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
_MCP = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "release-check", "version": "1"}}
_TINY_MODEL = {
    "model_type": "qwen2",
    "architectures": ["Qwen2ForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
}


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment with the wheel, and a home folder of its own."""

    environment: Path
    home: Path

    def run(self, *words: str, stdin: str = "") -> str:
        """What a command prints.

        Raises:
            ReleaseError: it fails, or takes too long.
        """
        variables = {"PATH": str(self.environment / "path"), "HOME": str(self.home), "LANG": "C.UTF-8"}
        command = [str(self.environment / "bin" / "afterburner-agent"), *words]
        try:
            done = subprocess.run(
                command,
                cwd=self.home,
                env=variables,
                input=stdin,
                capture_output=True,
                text=True,
                timeout=_MOST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ReleaseError(f"afterburner-agent {' '.join(words)}: no answer within {_MOST_S:.0f} s.") from None
        if done.returncode != 0:
            raise ReleaseError(
                f"afterburner-agent {' '.join(words)} ended with {done.returncode}: {done.stderr[-800:]}"
            )
        return done.stdout


def install(wheel: Path, place: Path) -> Installed:
    """Install the wheel into a fresh environment. Its dependencies are those of this one: nothing is downloaded."""
    environment, home = place / "environment", place / "home"
    home.mkdir()
    venv.create(environment, symlinks=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python"), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    (environment / "path").mkdir()
    for name in _NEEDED:
        found = shutil.which(name)
        if found:
            (environment / "path" / name).symlink_to(found)
    return Installed(environment, home)


def check_demo(installed: Installed) -> str:
    """That a rewrite of the demo is proven."""
    shutil.copy(_ROOT / "examples" / "log_report.py", installed.home)
    told = json.loads(installed.run("run", "log_report.py", "--quiet", "--json", "-"))
    if told["decision"] != "improved":
        raise ReleaseError(f"the demo came to {told['decision']}: {told['summary']}")
    return str(told["summary"])


def check_editor(installed: Installed) -> str:
    """That the language server names its abilities."""
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": _LSP},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = (json.dumps({"jsonrpc": "2.0", **each}) for each in messages)
    said = installed.run("lsp", stdin="".join(f"Content-Length: {len(each)}\r\n\r\n{each}" for each in bodies))
    return _expected(said, "codeActionProvider", "the language server")


def check_coding_agents(installed: Installed) -> str:
    """That the MCP server names itself."""
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _MCP}
    return _expected(installed.run("mcp", stdin=f"{json.dumps(hello)}\n"), "serverInfo", "the MCP server")


def check_pull_request(installed: Installed) -> str:
    """That `ci` looks at a branch; this one changes nothing."""
    git = ["git", "-c", "user.name=Check", "-c", "user.email=check@example.org"]
    folder = installed.home / "repository"
    folder.mkdir()
    for words in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "First"]):
        subprocess.run([*git, *words], cwd=folder, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull})
    inside = Installed(installed.environment, folder)
    return _expected(inside.run("ci", "--base", "main", "--format", "markdown"), "No function", "`ci`")


def check_evaluation(installed: Installed) -> str:
    """That the datasets are listed."""
    return _expected(installed.run("eval", "datasets"), "venus", "`eval`")


def check_training(installed: Installed) -> str:
    """That a training run is planned, of a model whose architecture lies here: no weights are loaded."""
    model = installed.home / "model"
    model.mkdir()
    (model / "config.json").write_text(json.dumps(_TINY_MODEL), encoding="utf-8")
    said = installed.run("train", "plan", "--config", "paper/sft", "--model", str(model), "--device-memory-gib", "80")
    return _expected(said, "GiB", "`train plan`")


def _expected(said: str, word: str, who: str) -> str:
    if word not in said:
        raise ReleaseError(f"{who} did not answer as it should: {said[:500]!r}")
    return "answers"
