"""What an earlier version left behind is read, or refused in a sentence; nothing of it is lost.

The earlier version is the last release, or, as long as there is none, a commit that stored runs in an older way.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.timed, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
WITHOUT_A_RELEASE = "5dd5ba2"
START = "import sys; sys.path.insert(0, {!r}); from afterburner.agent.cli.main import main; sys.exit(main())"
DENIED, TOO_NOISY = 5, 6  # what `replay-receipt` may find, and says without an error
SLOW = (ROOT / "tests" / "pages" / "stage" / "flat" / "report.py").read_text("utf-8")
FUNCTION = "def " + SLOW.split("def ", 1)[1].split("\n\n\n")[0]
FAST = FUNCTION.replace("    counts = {}", "    known = set(known)\n    counts = {}")
ANSWER = f"<thinking>\nA set.\n</thinking>\n<solution>\n```python\n{FAST}\n```\n</solution>"


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages of the earlier version."""
    releases = git("tag", "--list", "v*.*", "--merged", "HEAD", "--no-contains", "HEAD", "--sort", "-version:refname")
    name = next(iter(releases.split()), WITHOUT_A_RELEASE)
    if subprocess.run(["git", "cat-file", "-e", f"{name}^{{commit}}"], cwd=ROOT, check=False).returncode:
        pytest.skip(f"needs the commit {name}: git fetch --unshallow")
    folder = tmp_path_factory.mktemp("earlier")
    tree = folder / "tree"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(tree)], check=True)
    subprocess.run(["git", "checkout", "--quiet", name], cwd=tree, check=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(folder / "packages"), str(tree)], check=True)
    return folder / "packages"


@pytest.fixture
def model() -> Iterator[dict[str, str]]:
    """The variables that lead to a model."""
    with serving(ModelServer(lambda *_: ANSWER)) as server:
        yield {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "sk-test"}


@pytest.fixture
def left_behind(earlier: Path, program: CommandLine, model: dict[str, str], sandbox: Sandbox) -> CommandLine:
    """The program in the home of a user who had the earlier one: a run that ended, one that was killed, a recording."""
    del sandbox  # skips where there is none
    home = program.home
    (home / "report.py").write_text(SLOW, encoding="utf-8")
    (home / "pyproject.toml").write_text('[tool.afterburner]\nobjective = "time"\nmin-effect = 0.1\n', encoding="utf-8")
    run = ("run", "report.py", "--function", "summarise", "--model", "openai/gpt-4o", "--iterations", "1")
    command = [sys.executable, "-c", START.format(str(earlier)), *run]
    kept = ("--record", "answers.jsonl", "--receipt", "report.receipt.json", "--json", "report.json")
    variables = program.environment(**model)
    first = subprocess.run([*command, *kept], cwd=home, env=variables, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    assert json.loads((home / "report.json").read_text())["decision"] == "improved"
    second = subprocess.Popen(command, cwd=home, env=variables, stderr=subprocess.PIPE, text=True)
    assert second.stderr is not None
    while "measuring the original" not in (line := second.stderr.readline()):
        assert line, "it ended before it was killed"
    second.kill()
    second.communicate()
    return program


def test_what_an_earlier_version_left_is_read_or_refused_in_a_sentence(
    left_behind: CommandLine, model: dict[str, str]
) -> None:
    program = left_behind
    newest, oldest = json.loads(program("runs", "--json", "-").stdout)["runs"]
    assert oldest["state"] == "finished"
    assert newest["state"] != "finished"
    for command in (
        ("show", oldest["run_id"]),
        ("show", newest["run_id"]),
        ("resume", oldest["run_id"]),
        ("resume", newest["run_id"]),
        ("run", "report.py", "--function", "summarise", "--model", "replay:answers.jsonl", "--iterations", "1"),
        ("replay-receipt", "report.receipt.json"),
        ("config", "report.py"),
    ):
        done = program(*command, **model)
        said = done.stdout + done.stderr
        assert "Traceback" not in said, (command, said)
        if done.returncode != 0 and (command[0], done.returncode) not in (
            ("replay-receipt", DENIED),
            ("replay-receipt", TOO_NOISY),
        ):
            sentences = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
            assert len(sentences) == 1, (command, said)
            assert "version" in sentences[0], (command, said)
    kept = json.loads(program("runs", "--json", "-").stdout)["runs"]
    assert {newest["run_id"], oldest["run_id"]} <= {each["run_id"] for each in kept}
    assert "min-effect" in program("config", "report.py").stdout
    assert (program.home / "report.py").read_text(encoding="utf-8") == SLOW
