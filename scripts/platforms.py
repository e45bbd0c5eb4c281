"""Asks a package index on which machines the program and each of its extras install without a compiler.

    python -m scripts.platforms [--pythons 3.11 3.14]

Prints the table of docs/install.md: a cell says "yes" if wheels of all dependencies are there, and otherwise names the
first package without one. Nothing is installed: uv, which the command brings into a temporary environment, resolves
for a machine that it is told of. It takes the address of the index from the environment (UV_DEFAULT_INDEX).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
MACHINES = {
    "Linux, x86_64": "x86_64-unknown-linux-gnu",
    "Linux, aarch64": "aarch64-unknown-linux-gnu",
    "Alpine (musl), x86_64": "x86_64-unknown-linux-musl",
    "Alpine (musl), aarch64": "aarch64-unknown-linux-musl",
    "macOS, Apple silicon": "aarch64-apple-darwin",
    "macOS, Intel": "x86_64-apple-darwin",
}
BASE = "the program itself"
# What one package asks for and nothing of ours imports, so that an installer may be told to leave it out.
NEEDLESS = "sqlite-vec ; sys_platform == 'none'\n"
_CULPRIT = re.compile(r"Because (?:only |all versions of )?([A-Za-z0-9][\w.-]*)")


def missing_wheel(uv: Path, overrides: Path, extra: str, machine: str, python: str) -> str:
    """The first package that has no wheel for a machine; empty if all have one.

    Args:
        uv: the resolver.
        overrides: a file of packages that are left out.
        extra: of ours; empty: the program alone.
        machine: as uv names it.
        python: its version.
    """
    extras = ["--extra", extra] if extra else []
    target = ["--python-platform", machine, "--python-version", python, "--override", str(overrides)]
    command = [str(uv), "pip", "compile", "--quiet", "--only-binary", ":all:", *target, *extras, "pyproject.toml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    if "No solution found" not in done.stderr:
        raise SystemExit(f"uv could not ask the index: {done.stderr.strip()}")
    found = _CULPRIT.search(done.stderr)
    return found.group(1) if found else "a package"


def cell(missing: dict[str, str]) -> str:
    """What the table says, of what is missing under each Python."""
    if not any(missing.values()):
        return "yes"
    if len(set(missing.values())) == 1:
        return f"no: {next(iter(missing.values()))}"
    return "; ".join(f"{python}: {f'no: {name}' if name else 'yes'}" for python, name in missing.items())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pythons", nargs="+", default=["3.11", "3.14"], metavar="VERSION")
    pythons = parser.parse_args().pythons
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = sorted(set(project["optional-dependencies"]) - {"dev"})
    print(f"| wheels for Python {' and '.join(pythons)} | {' | '.join(MACHINES)} |")
    print(f"| --- |{' --- |' * len(MACHINES)}")
    with tempfile.TemporaryDirectory(prefix="afterburner-platforms-") as folder:
        home, overrides = Path(folder) / "env", Path(folder) / "overrides.txt"
        venv.create(home, with_pip=True)
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv"]
        subprocess.run(pip, check=True)
        for extra in ("", *extras):
            cells = []
            for name, machine in MACHINES.items():
                print(f"{extra or BASE}: {name}", file=sys.stderr)
                # as a user is told to install there
                overrides.write_text(NEEDLESS if extra and "musl" in machine else "", encoding="utf-8")
                cells.append(
                    cell(
                        {each: missing_wheel(home / "bin" / "uv", overrides, extra, machine, each) for each in pythons}
                    )
                )
            print(f"| {f'`{extra}`' if extra else BASE} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
