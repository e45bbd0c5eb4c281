"""The action, the example workflows and their scripts, as the linters of their kind see them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
WORKFLOWS = sorted(
    path for folder in ("examples/workflows", ".github/workflows") for path in (ROOT / folder).glob("*.yml")
)
STEPS = sorted((ROOT / "ci_action" / "steps").glob("*.sh"))
BIN = Path(sys.executable).parent


def test_zizmor_finds_nothing() -> None:
    done = subprocess.run(
        [BIN / "zizmor", "--offline", "--no-progress", ACTION, *WORKFLOWS],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.count("completed") == 1 + len(WORKFLOWS)


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-actions", [ACTION]),
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.gitlab-ci", [ROOT / "examples" / "gitlab-ci.yml"]),
    ],
)
def test_the_files_are_of_their_schema(schema: str, files: list[Path]) -> None:
    done = subprocess.run(
        [BIN / "check-jsonschema", "--builtin-schema", schema, *files],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_input_is_described_in_the_docs_and_is_used() -> None:
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    used = ACTION.read_text("utf-8").partition("\nruns:")[2]
    for name, given in action["inputs"].items():
        assert given["description"].strip(), name
        assert f"| `{name}` |" in page, f"docs/ci.md lacks the input {name}"
        assert f"inputs.{name}" in used, f"nothing uses the input {name}"
    for name in action["outputs"]:
        assert f"| `{name}` |" in page, f"docs/ci.md lacks the output {name}"


def test_no_step_gets_what_it_could_run_and_none_that_measures_gets_a_token() -> None:
    steps = yaml.safe_load(ACTION.read_text("utf-8"))["runs"]["steps"]
    for step in steps:
        assert "${{" not in step.get("run", ""), "values come in variables, never as text of a script"
    with_token = [step["name"] for step in steps if "github-token" in str(step.get("env", {}))]
    assert with_token == ["Find the base", "Comment"]
    with_key = [step["name"] for step in steps if "api-key" in str(step.get("env", {}))]
    assert with_key == ["Measure"]


def test_workflows_check_out_without_credentials_and_never_for_a_strangers_pull_request_with_a_token() -> None:
    assert WORKFLOWS
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text("utf-8"))
        triggers = workflow[True]  # `on` is a boolean in YAML 1.1
        assert "pull_request_target" not in triggers
        assert workflow["permissions"] == {}
        for job in workflow["jobs"].values():
            checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
            assert all(step["with"]["persist-credentials"] is False for step in checkouts), path.name
            if "workflow_run" in triggers and checkouts:
                assert set(job["permissions"].values()) == {"read"}
                assert "secrets." not in str(job)


def test_actions_are_pinned_by_their_commits() -> None:
    for path in [ACTION, *WORKFLOWS]:
        used = re.findall(r"uses: (\S+)", path.read_text("utf-8"))
        assert used
        assert all(re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", each) for each in used), path.name


@pytest.mark.parametrize("script", STEPS, ids=lambda path: path.name)
def test_the_scripts_are_strict_and_keep_pythons_path_out(script: Path) -> None:
    text = script.read_text("utf-8")
    assert script.stat().st_mode & 0o111
    assert "\nset -euo pipefail\n" in text
    subprocess.run(["bash", "-n", script], check=True, timeout=10)
    if "EXECUTABLE" in text:
        assert "unset PYTHONPATH PYTHONHOME PYTHONSTARTUP" in text
