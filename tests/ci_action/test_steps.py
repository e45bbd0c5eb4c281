"""The scripts of the action's steps, with stand-ins for the machine's programs on their path."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

STEPS = Path(__file__).parents[2] / "ci_action" / "steps"


@dataclass
class Machine:
    """A folder with the only programs that there are, and what they were called with."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def program(self, name: str, body: str = "") -> None:
        """Put a program there that writes down how it was called."""
        place = self.folder / "bin" / name
        place.write_text(f'#!/bin/bash\necho "{name} $*" >>"{self.folder}/calls"\n{body}\n', encoding="utf-8")
        place.chmod(0o755)

    def real(self, *names: str) -> None:
        """Put links to real programs there."""
        for name in names:
            (self.folder / "bin" / name).symlink_to(f"/usr/bin/{name}")

    def run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a script as a step does."""
        environment = {
            "PATH": f"{self.folder}/bin",
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "RUNNER_TEMP": str(self.folder),
        }
        return subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", STEPS / script],
            cwd=self.folder,
            env=environment | self.variables | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def read(self, name: str) -> str:
        place = self.folder / name
        return place.read_text("utf-8") if place.exists() else ""

    @property
    def calls(self) -> list[str]:
        return self.read("calls").splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "bin").mkdir()
    made = Machine(tmp_path)
    made.real("id", "cat", "tee", "env", "mktemp", "rm", "cp", "rmdir")
    made.program("sudo", '[ "$1" = -n ] && shift; exec "$@"')
    return made


class TestSandbox:
    def test_docker_is_taken_where_an_engine_runs(self, machine: Machine) -> None:
        machine.program("docker")
        assert machine.run("sandbox.sh", SANDBOX="auto").returncode == 0
        assert machine.read("output") == "sandbox=docker\n"
        assert machine.calls == ["docker info"]

    def test_without_an_engine_bubblewrap_is_installed_and_gets_its_profile(self, machine: Machine) -> None:
        machine.program("docker", "exit 1")
        machine.program("apt-get", f'if [ "$1" = install ]; then cp /bin/true "{machine.folder}/bin/bwrap"; fi')
        machine.program("apparmor_parser")
        (machine.folder / "restriction").write_text("1\n", encoding="ascii")
        (machine.folder / "profiles").mkdir()
        done = machine.run(
            "sandbox.sh",
            SANDBOX="auto",
            RESTRICTION=f"{machine.folder}/restriction",
            PROFILES=f"{machine.folder}/profiles",
        )
        assert done.returncode == 0, done.stderr
        assert machine.read("output") == "sandbox=bubblewrap\n"
        assert any("install -y -qq --no-install-recommends bubblewrap" in call for call in machine.calls)
        profile = machine.read("profiles/afterburner-bwrap")
        assert f"profile afterburner-bwrap {machine.folder}/bin/bwrap flags=(unconfined)" in profile
        assert "userns," in profile
        assert machine.calls[-1] == f"apparmor_parser -r {machine.folder}/profiles/afterburner-bwrap"

    def test_what_is_there_is_left_as_it_is(self, machine: Machine) -> None:
        machine.program("bwrap")
        (machine.folder / "restriction").write_text("0\n", encoding="ascii")
        done = machine.run("sandbox.sh", SANDBOX="bubblewrap", RESTRICTION=f"{machine.folder}/restriction")
        assert done.returncode == 0, done.stderr
        assert machine.calls == []
        assert machine.read("output") == "sandbox=bubblewrap\n"

    def test_a_machine_without_either_is_told_what_to_do(self, machine: Machine) -> None:
        done = machine.run("sandbox.sh", SANDBOX="auto")
        assert done.returncode != 0
        assert "bubblewrap is missing" in done.stderr
        assert machine.read("output") == ""


_WORDS = {
    "STAGE": "all",
    "COMMENT": "review",
    "FAIL_ON": "never",
    "IF_NOTHING": "false",
    "BRANCH": "false",
    "BY_FORK": "false",
}


class TestInstall:
    @pytest.mark.parametrize("name", _WORDS)
    def test_a_word_that_is_none_of_those_allowed_ends_the_job(self, machine: Machine, name: str) -> None:
        machine.program("own-agent")
        path = f"{machine.folder}/bin/own-agent"
        done = machine.run("install.sh", ACTION_PATH="/nowhere", EXECUTABLE=path, **{**_WORDS, name: "regressions"})
        assert done.returncode != 0
        assert "is 'regressions'. Write one of: " in done.stderr
        assert machine.calls == []

    def test_a_program_that_is_there_is_used(self, machine: Machine) -> None:
        machine.program("own-agent", "echo afterburner-agent 0.1.0")
        path = f"{machine.folder}/bin/own-agent"
        for given in ({"EXECUTABLE": path}, {"EXECUTABLE": "", "AFTERBURNER_EXECUTABLE": path}):
            (machine.folder / "output").unlink(missing_ok=True)
            done = machine.run("install.sh", ACTION_PATH="/nowhere", **_WORDS, **given)
            assert done.returncode == 0, done.stderr
            assert machine.read("output") == f"executable={path}\n"


_ASKED = {
    "MODE": "optimize",
    "BASE": "",
    "INCLUDE": "",
    "EXCLUDE": "",
    "MAX_FUNCTIONS": "5",
    "TESTS_COMMAND": "",
    "PROJECT_PYTHON": "/opt/python",
    "SANDBOX": "docker",
    "OBJECTIVE": "time",
    "MIN_EFFECT": "",
    "MAX_MINUTES": "10",
    "MODEL": "rules",
    "MAX_COST": "",
    "MEMORY": ".memory",
    "STAGE": "measure",
    "REPORT": "/report",
    "GITHUB_WORKSPACE": "/workspace",
}


class TestMeasure:
    def words(self, machine: Machine, **changes: str) -> list[str]:
        machine.program("agent", f'printf "%s\\0" "$@" >"{machine.folder}/words"; env >"{machine.folder}/environment"')
        done = machine.run("measure.sh", EXECUTABLE=f"{machine.folder}/bin/agent", **{**_ASKED, **changes})
        assert done.returncode == 0, done.stderr
        return machine.read("words").split("\0")[:-1]

    def test_only_what_was_asked_for_is_passed_on(self, machine: Machine) -> None:
        assert self.words(machine) == [
            *("ci", "--mode", "optimize", "--out", "/report", "--sandbox", "docker", "--objective", "time"),
            *("--max-functions", "5", "--max-minutes", "10", "--model", "rules", "--python", "/opt/python"),
        ]

    def test_values_are_words_and_never_commands(self, machine: Machine) -> None:
        evil = '$(touch pwned) `touch pwned`; "touch" pwned\n--sandbox none'
        words = self.words(machine, BASE=evil, INCLUDE=evil, TESTS_COMMAND=evil, MODE="schedule", MIN_EFFECT="10%")
        assert words.count(evil) == 3
        assert words[-2:] == ["--memory", "/workspace/.memory/tried.json"]
        assert not (machine.folder / "pwned").exists()

    def test_pythons_own_variables_do_not_reach_it(self, machine: Machine) -> None:
        self.words(machine, PYTHONPATH="/workspace", PYTHONHOME="/workspace", PYTHONSTARTUP="/workspace/x.py")
        names = {line.partition("=")[0] for line in machine.read("environment").splitlines()}
        assert not [name for name in names if name.startswith("PYTHON")]


def test_the_step_that_comments_passes_its_switches_on(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    machine = Machine(tmp_path, {"PATH": f"{tmp_path}/bin:{os.defpath}"})
    machine.program("agent")
    variables = {
        "REPORT": "/report",
        "COMMENT": "review",
        "MAX_SUGGESTIONS": "5",
        "REPORT_URL": "",
        "AUTHOR": "",
        "MODE": "optimize",
        "MEMORY": "m",
        "GITHUB_WORKSPACE": "/w",
    }
    switches = {"IF_NOTHING": "true", "BRANCH": "true", "BY_FORK": "true"}
    executable = {"EXECUTABLE": f"{tmp_path}/bin/agent"}
    for given in (switches, dict.fromkeys(switches, "false")):
        done = machine.run("comment.sh", **executable, **variables, **given)
        assert done.returncode == 0, done.stderr
    begin = "agent ci comment /report --comment review --max-suggestions 5"
    assert machine.calls == [f"{begin} --even-if-nothing --branch --by-fork", begin]
