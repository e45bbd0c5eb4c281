"""The runner of actions gives steps what GitHub's gives them, reads of them what that reads, and refuses the rest."""

from __future__ import annotations

import base64
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from action_values import ExpressionError
from workflow_events import pull_request, workflow_dispatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from action_job import JobRun
    from action_runner import ActionStep
    from github_api import GitHubApi
    from github_state import Repository
    from workflow_runner import WorkflowRunner

    RunSteps = Callable[..., JobRun]


@pytest.fixture
def run_steps(workflows: WorkflowRunner, github: GitHubApi, shop: Repository) -> RunSteps:
    """Runs steps, written as YAML, in a job of the default branch."""

    def run(steps: str, **job: Any) -> JobRun:
        workflow = {
            "on": "workflow_dispatch",
            "jobs": {"job": {"runs-on": "any", "steps": yaml.safe_load(steps), **job}},
        }
        return workflows.run(yaml.safe_dump(workflow), workflow_dispatch(github.json, shop)).jobs["job"]

    return run


@pytest.fixture
def make_action(tmp_path: Path, workflows: WorkflowRunner) -> Callable[[str], Path]:
    """Makes the composite action `octo/act`, and gives its folder."""

    def make(manifest: str) -> Path:
        folder = tmp_path / "act"
        folder.mkdir()
        (folder / "action.yml").write_text(manifest)
        workflows.actions["octo/act"] = folder
        return folder

    return make


def test_a_step_has_the_variables_and_the_shell_that_github_gives_it(run_steps: RunSteps, github: GitHubApi) -> None:
    job = run_steps(
        """
        - run: |
            env | sort; pwd; echo "options $- $0"
            false | true; echo "no pipefail"
        - shell: bash
          env: {GITHUB_SHA: forged, MINE: "${{ github.job }} on ${{ runner.os }}", PATH_TO: 3}
          run: |
            echo "$GITHUB_SHA $MINE $PATH_TO"; cat "$GITHUB_EVENT_PATH"; test -z "$(cat)"
            false | true
            echo not reached
        """,
        env={"JOB": "${{ github.repository }}"},
    )
    first, second = job.steps
    variables = dict(line.split("=", 1) for line in first.log.splitlines() if "=" in line)
    assert variables["GITHUB_API_URL"] == github.url
    assert variables["GITHUB_REPOSITORY"] == variables["JOB"] == "octo/shop"
    assert variables["GITHUB_REF"] == "refs/heads/main"
    assert (variables["GITHUB_EVENT_NAME"], variables["GITHUB_ACTIONS"], variables["CI"]) == (
        "workflow_dispatch",
        "true",
        "true",
    )
    assert variables["GITHUB_WORKSPACE"] == str(job.workspace) in first.log.splitlines()
    assert "GITHUB_TOKEN" not in variables
    assert not {name for name in variables if name.startswith(("INPUT_", "PYTEST_", "AFTERBURNER_"))}
    assert variables["HOME"] != os.environ.get("HOME")
    assert "no pipefail" in first.log
    assert "forged" not in second.log.split("env:", 1)[1].split("MINE", 1)[1]
    assert "job on Linux 3" in second.log
    assert '"repository"' in second.log
    assert "not reached" not in second.log.split("shell:", 1)[1]
    assert (second.outcome, job.conclusion) == ("failure", "failure")
    assert second.annotations[-1].message == "Process completed with exit code 1."


def test_files_carry_outputs_variables_paths_and_summaries_to_later_steps(run_steps: RunSteps) -> None:
    job = run_steps(
        """
        - id: first
          run: |
            printf 'text<<E_O_F\\nline 1\\nline=2\\nE_O_F\\nplain=1\\n' >> "$GITHUB_OUTPUT"
            printf 'JOB=changed\\nNEW=new\\nNODE_OPTIONS=--evil\\nGITHUB_SHA=forged\\n' >> "$GITHUB_ENV"
            mkdir tools; printf '#!/bin/sh\\necho from a tool' > tools/tool; chmod +x tools/tool
            echo "$PWD/tools" >> "$GITHUB_PATH"
            echo '# Title' >> "$GITHUB_STEP_SUMMARY"
            echo "state=1" >> "$GITHUB_STATE"
        - run: |
            echo "$JOB $NEW ${{ env.NEW }} [${NODE_OPTIONS-}]"; tool
            test "$GITHUB_SHA" = "${{ github.sha }}"
            echo '## More' >> "$GITHUB_STEP_SUMMARY"
          env: {TEXT: "${{ steps.first.outputs.text }}"}
        - run: test -s "$GITHUB_OUTPUT" || echo "an own file"
        """,
        env={"JOB": "job"},
        outputs={"all": "${{ toJSON(steps.first.outputs) }}", "none": "${{ steps.first.outputs.none }}"},
    )
    assert job.conclusion == "success", job.log
    assert job.outputs["all"] == '{\n  "text": "line 1\\nline=2",\n  "plain": "1"\n}'
    assert job.outputs["none"] == ""
    assert "changed new new []\nfrom a tool" in job.log
    assert "NODE_OPTIONS" in job.steps[0].annotations[0].message
    assert job.summary == "# Title\n\n## More\n"
    assert "an own file" in job.steps[2].log


@pytest.mark.parametrize(
    "script", ["echo no-value >> $GITHUB_OUTPUT", "echo 'A<<E' >> $GITHUB_ENV", "echo ::set-env name=A::1"]
)
def test_a_step_that_tells_nonsense_fails(run_steps: RunSteps, script: str) -> None:
    job = run_steps(f"- run: {script!r}")
    assert job.steps[0].outcome == "failure"
    assert job.annotations[-1].level == "error"


def test_a_summary_that_is_too_long_is_not_shown_and_fails_nothing(run_steps: RunSteps) -> None:
    job = run_steps("- run: head -c 1048577 /dev/zero | tr '\\0' x > $GITHUB_STEP_SUMMARY")
    assert (job.conclusion, job.summary) == ("success", "")
    assert "supports content up to a size of 1024k" in job.annotations[0].message


def test_conditions_and_failures_decide_which_steps_run(run_steps: RunSteps) -> None:
    job = run_steps(
        """
        - {id: soft, run: exit 3, continue-on-error: true}
        - {id: after_soft, run: "true", if: "steps.soft.outcome == 'failure' && steps.soft.conclusion == 'success'"}
        - {id: hard, run: exit 4}
        - {id: skipped, run: "true"}
        - {id: skipped_too, run: "true", if: steps.hard.outcome == 'failure'}
        - {id: told, run: "true", if: failure()}
        - {id: always, run: "echo ${{ job.status }}", if: "${{ !cancelled() }}"}
        """
    )
    assert {step.id: (step.outcome, step.conclusion) for step in job.steps} == {
        "soft": ("failure", "success"),
        "after_soft": ("success", "success"),
        "hard": ("failure", "failure"),
        "skipped": ("skipped", "skipped"),
        "skipped_too": ("skipped", "skipped"),
        "told": ("success", "success"),
        "always": ("success", "success"),
    }
    assert "\nfailure\n" in job.steps[-1].log
    assert job.conclusion == "failure"


def test_secrets_are_masked_in_logs_and_summaries_and_do_not_leave_as_outputs(run_steps: RunSteps) -> None:
    encoded = base64.b64encode(b"open-sesame").decode()
    job = run_steps(
        f"""
        - run: |
            echo "key is $KEY and {encoded}"
            echo "::add-mask::hush"
            echo "now hush"; echo "hush" >> $GITHUB_STEP_SUMMARY
            echo "::warning::$KEY"
            echo "key=$KEY" >> $GITHUB_OUTPUT
          id: told
          env: {{KEY: "${{{{ secrets.KEY }}}}"}}
        - run: echo quiet
          env: {{KEY: "${{{{ secrets.KEY }}}}", T: "${{{{ github.token }}}}"}}
        """,
        outputs={"key": "${{ steps.told.outputs.key }}"},
    )
    assert "open-sesame" not in job.log
    assert encoded not in job.log
    assert "key is *** and ***\n" in job.log
    assert "now ***" in job.log
    assert job.summary == "***\n"
    assert job.annotations[0].message == "***"
    assert "Skip output 'key'" in job.annotations[-1].message
    assert job.outputs == {}
    assert [step.leaks for step in job.steps] == [2, 0]
    assert "  T: ***" in job.steps[1].log


def test_what_steps_leave_running_ends_with_the_job_and_not_before(run_steps: RunSteps, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    job = run_steps(
        f"""
        - run: setsid sleep 300 > /dev/null 2>&1 & echo $! > {mark}
        - run: kill -0 $(cat {mark})
        """
    )
    assert job.conclusion == "success", job.log
    stat = Path(f"/proc/{mark.read_text().strip()}/stat")
    deadline = time.monotonic() + 20
    while stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] != "Z" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def test_a_step_that_takes_too_long_fails(run_steps: RunSteps) -> None:
    job = run_steps("- {run: echo begun; sleep 300, timeout-minutes: 0.005}")
    assert "begun" in job.log
    assert job.annotations[-1].message == "The action has timed out."


ACTION = """
name: Act
description: For a test.
inputs:
  size: {description: How much., default: "${{ github.repository_owner }} 1"}
  must: {description: It is not insisted on., required: true}
outputs:
  seen: {description: What was seen., value: "${{ steps.look.outputs.seen }}"}
runs:
  using: composite
  steps:
    - id: look
      shell: bash
      env: {SIZE: "${{ inputs.size }}"}
      working-directory: ${{ github.action_path }}
      run: |
        echo "seen=$SIZE|${{ inputs.must }}|$OUTER|${GITHUB_ACTION_PATH##*/}|$(ls)" >> $GITHUB_OUTPUT
        echo "${INPUT_SIZE-no input variables}"
        echo "FROM_ACTION=yes" >> $GITHUB_ENV
    - {shell: bash, run: exit 5, if: inputs.size == 'fail'}
    - {shell: bash, run: echo "not after a failure"}
    - {shell: bash, run: "echo cleaned", if: always()}
"""


def test_a_composite_action_has_inputs_and_outputs_of_its_own(
    run_steps: RunSteps, make_action: Callable[[str], Path]
) -> None:
    make_action(ACTION)
    job = run_steps(
        """
        - {id: one, uses: octo/act@v1, env: {OUTER: outer}}
        - {id: two, uses: octo/act@v1, with: {SIZE: "", must: 7, unknown: 1}}
        - {id: three, uses: octo/act@v1, with: {size: fail}, continue-on-error: true}
        - run: echo "$FROM_ACTION [${{ steps.look.outputs.seen }}]"
        """
    )
    one, two, three, last = job.steps
    assert one.outputs == {"seen": "octo 1||outer|act|action.yml"}
    assert two.outputs["seen"].startswith("|7||")
    assert "Unexpected input(s) ['unknown'], valid inputs are ['must', 'size']" in two.annotations[0].message
    assert (three.outcome, three.conclusion) == ("failure", "success")
    assert [step.outcome for step in three.steps] == ["success", "failure", "skipped", "success"]
    assert three.outputs["seen"].startswith("fail|"), "outputs are there of an action that failed, too"
    assert "no input variables" in job.log
    assert "yes []" in last.log
    assert job.step("look") is one.steps[0]


@pytest.mark.parametrize(
    ("steps", "error"),
    [
        ("- {shell: bash, run: 'echo ${{ secrets.KEY }}'}", "Unrecognized named-value: 'secrets'"),
        ("- {run: 'true'}", "Required property is missing: shell"),
        ("- {shell: bash, run: 'true', id: a}\n- {shell: bash, run: 'true', id: a}", "more than once"),
    ],
)
def test_an_action_that_github_would_refuse_is_refused(
    run_steps: RunSteps, make_action: Callable[[str], Path], steps: str, error: str
) -> None:
    make_action(yaml.safe_dump({"name": "A", "runs": {"using": "composite", "steps": yaml.safe_load(steps)}}))
    with pytest.raises(ExpressionError, match=error):
        run_steps("- uses: octo/act@v1")


@pytest.mark.parametrize(
    ("steps", "error"),
    [
        ("- uses: actions/github-script@v7", "no stand-in for the action actions/github-script@v7"),
        ("- uses: docker://alpine@3", "no stand-in"),
        ("- {run: 'true', shell: pwsh}", "the shell pwsh"),
        ("- {run: 'true', retries: 3}", "retries"),
        ("- {uses: actions/checkout@v5, with: {submodules: true}}", "submodules"),
        ("- {uses: octo/act@v1}", "node20"),
    ],
)
def test_what_it_does_not_know_it_refuses_loudly(
    run_steps: RunSteps, make_action: Callable[[str], Path], steps: str, error: str
) -> None:
    make_action("{name: A, runs: {using: node20, main: index.js}}")
    with pytest.raises(NotImplementedError, match=error):
        run_steps(steps)


def test_a_stand_in_may_fail_the_step(run_steps: RunSteps, workflows: WorkflowRunner) -> None:
    def refuse(step: ActionStep) -> dict[str, str]:
        step.log(f"asked for {step.inputs.get('what')}")
        raise step.fail("no, not " + step.inputs.get("what"))

    workflows.actions["others/action"] = refuse
    job = run_steps("- {uses: others/action@v2, with: {what: 'a ${{ github.job }}'}}")
    assert (job.steps[0].outcome, job.annotations[0].message) == ("failure", "no, not a job")
    assert "asked for a job" in job.log


def test_one_action_alone_runs_after_a_checkout(
    workflows: WorkflowRunner, make_action: Callable[[str], Path], github: GitHubApi, shop: Repository
) -> None:
    make_action(
        """
name: Act
inputs: {token: {default: "${{ github.token }}"}}
runs:
  using: composite
  steps:
    - uses: actions/setup-python@v5
      with: {python-version: "3.12"}
    - shell: python
      run: |
        import os, sys, urllib.request
        print(sys.executable, open("shop.py").readline())
        address = os.environ["GITHUB_API_URL"] + "/repos/octo/shop/issues/1/comments"
        headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
        urllib.request.urlopen(urllib.request.Request(address, b'{"body": "Hello"}', headers))
      env: {TOKEN: "${{ inputs.token }}"}
"""
    )
    pull = shop.pull_request({"shop.py": "print(2)\n"})
    event = pull_request(github.json, pull)
    allowed = workflows.run_action("octo/act@v1", event, permissions={"contents": "read", "pull-requests": "write"})
    assert allowed.conclusion == "success", allowed.log
    assert f"{sys.executable} print(2)" in allowed.log
    refused = workflows.run_action("octo/act@v1", event, permissions={"contents": "read"})
    assert "HTTP Error 403" in refused.log
    assert refused.conclusion == "failure"
    assert [comment.author for comment in pull.comments] == ["github-actions[bot]"]
