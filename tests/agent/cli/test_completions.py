"""A real shell completes functions of the file on the line, and stored runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.options import RunSettings
from afterburner.agent.store.stored_run import StoredRequest
from afterburner.agent.store.table import open_runs

if TYPE_CHECKING:
    from collections.abc import Callable

RUN = "20260102-000001-aaaaaa"
PROGRAM = Path(sys.executable).with_name("afterburner-agent")
BASH = r"""
eval "$(afterburner-agent --show-completion bash)"
COMP_WORDS=($LINE "")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
if [ -n "$BEGUN" ]; then COMP_WORDS[$COMP_CWORD]=$BEGUN; fi
$(complete -p afterburner-agent | sed 's/.*-F \([^ ]*\).*/\1/') afterburner-agent
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def complete(tmp_path: Path) -> Callable[..., list[str]]:
    """What bash offers at the end of a line, in a folder with a file and no stored run."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is missing")
    (tmp_path / "shop.py").write_text("def one():\n    pass\n\nclass Till:\n    def open(self):\n        pass\n")
    (tmp_path / "broken.py").write_text("def one(:\n")

    def offered(line: str, begun: str = "") -> list[str]:
        variables = {"PATH": f"{PROGRAM.parent}:/usr/bin:/bin", "HOME": str(tmp_path), "LINE": line, "BEGUN": begun}
        done = subprocess.run(
            [bash, "-c", BASH], cwd=tmp_path, env=variables, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return done.stdout.split()

    return offered


def test_functions_of_the_file_on_the_line_are_completed(complete: Callable[..., list[str]]) -> None:
    assert complete("afterburner-agent run shop.py --function") == ["one", "Till.open"]
    assert complete("afterburner-agent verify shop.py --against shop.py -f", "T") == ["Till.open"]
    assert complete("afterburner-agent compare shop.py shop.py --function", "o") == ["one"]


def test_the_value_of_an_option_is_not_the_file(complete: Callable[..., list[str]], tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text("def make_calls():\n    pass\n")
    assert complete("afterburner-agent run --calls calls.py shop.py --function") == ["one", "Till.open"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_show_the_line_beside_the_name(
    complete: Callable[..., list[str]], tmp_path: Path, shell: str
) -> None:
    del complete  # it has written the file
    variables = {
        "HOME": str(tmp_path),
        "_AFTERBURNER_AGENT_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": "afterburner-agent run shop.py --function T",
    }
    done = subprocess.run([PROGRAM], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert "Till.open" in done.stdout
    assert "line 5" in done.stdout
    assert "one" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("file", ["broken.py", "nowhere.py", "~nobody-here/x.py", f"{'x' * 5000}.py", ".", ""])
def test_where_no_function_can_be_found_nothing_is_said(complete: Callable[..., list[str]], file: str) -> None:
    assert complete(f"afterburner-agent run {file} --function") == []


def test_stored_runs_are_completed_and_no_store_is_made_for_it(
    complete: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert complete("afterburner-agent show") == []
    assert not (tmp_path / ".local").exists()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    with open_runs() as runs:
        runs.begin(RUN, StoredRequest(RunSettings("shop.py"), {}, str(tmp_path)), None)
    assert complete("afterburner-agent resume") == ["latest", RUN]
    assert complete("afterburner-agent show", RUN[:4]) == [RUN]
