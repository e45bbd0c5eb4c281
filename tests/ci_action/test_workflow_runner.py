"""Whole workflows: which events start them, what their jobs may do, and what goes from one run to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import workflow_events as events
from action_values import ExpressionError

if TYPE_CHECKING:
    from github_api import GitHubApi
    from github_state import PullRequest, Repository
    from workflow_runner import WorkflowRunner

MEASURE = """
name: Measure
on:
  pull_request:
    types: [opened, synchronize, labeled]
jobs:
  measure:
    runs-on: ubuntu-latest
    permissions: {contents: write, pull-requests: write}
    steps:
      - uses: actions/checkout@v5
        with: {persist-credentials: false}
      - run: |
          echo "key: [$KEY]"
          cat shop.py > report.json; echo hidden > .hidden
          curl -s -o answer.json -X POST -H "Authorization: Bearer $TOKEN" -d '{"body": "Hello"}' \\
            "$GITHUB_API_URL/repos/octo/shop/issues/1/comments"
          cat answer.json
        env: {KEY: "${{ secrets.KEY }}", TOKEN: "${{ github.token }}"}
      - uses: actions/upload-artifact@v4
        with: {name: report, path: "*.json\\n.hidden", if-no-files-found: error}
"""
TELL = """
name: Tell
on:
  workflow_run: {workflows: [Measure], types: [completed]}
permissions: {pull-requests: write, actions: read}
jobs:
  tell:
    if: github.event.workflow_run.event == 'pull_request' && github.event.workflow_run.conclusion == 'success'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/download-artifact@v5
        with:
          name: report
          path: from-the-run
          run-id: ${{ github.event.workflow_run.id }}
          github-token: ${{ github.token }}
      - run: |
          ls -A . from-the-run; echo "key: [$KEY]"
          curl -sf -X POST -H "Authorization: Bearer $TOKEN" -d '{"body": "Told"}' \\
            "$GITHUB_API_URL/repos/octo/shop/issues/1/comments"
        env: {KEY: "${{ secrets.KEY }}", TOKEN: "${{ github.token }}"}
"""


def opened(github: GitHubApi, pull: PullRequest, action: str = "opened", **details: str) -> events.Event:
    return events.pull_request(github.json, pull, action, **details)


@pytest.mark.parametrize("fork", [None, "mallory"])
def test_a_strangers_pull_request_gets_no_secrets_and_may_only_read(
    github: GitHubApi, shop: Repository, workflows: WorkflowRunner, fork: str | None
) -> None:
    pull = shop.pull_request({"shop.py": "print(2)\n"}, fork=fork)
    run = workflows.run(MEASURE, opened(github, pull))
    job = run.jobs["measure"]
    assert run.conclusion == "success", run.log
    if fork:
        assert job.permissions == {"contents": "read", "pull-requests": "read"}
        assert "key: []" in job.log
        assert "Resource not accessible by integration" in job.log
        assert pull.comments == []
    else:
        assert "key: [***]" in job.log
        assert [comment.body for comment in pull.comments] == ["Hello"]
    assert [token.is_revoked for token in github.world.tokens.values()] == [False, True], (
        "the job's is worth nothing now"
    )


def test_the_run_that_follows_has_the_token_and_the_artifact_but_not_the_code(
    github: GitHubApi, shop: Repository, workflows: WorkflowRunner
) -> None:
    pull = shop.pull_request({"shop.py": "print(2)\n"}, fork="mallory")
    measured = workflows.run(MEASURE, opened(github, pull))
    event = events.workflow_run(github.json, measured)
    assert event.payload["workflow_run"]["pull_requests"] == []
    assert event.payload["workflow_run"]["head_sha"] == pull.head_sha
    assert event.payload["workflow_run"]["head_repository"]["full_name"] == "mallory/shop"
    assert event.sha == shop.head_sha()
    told = workflows.run(TELL, event)
    assert told.conclusion == "success", told.log
    assert "from-the-run\n\nfrom-the-run:\nanswer.json\nreport.json\nkey: [***]" in told.log, "hidden files stay behind"
    assert [comment.body for comment in pull.comments] == ["Told"]
    assert [each.name for each in measured.artifacts] == ["report"]
    workflows.artifacts.forge(measured.id, "octo/shop", "report", {"../a": b"", "report.json": "[" * 10})
    assert "[[[[" not in workflows.run(TELL, event).log
    measured.jobs["measure"].conclusion = "failure"
    assert workflows.run(TELL, events.workflow_run(github.json, measured)).conclusion == "skipped"


def test_events_are_as_github_describes_them(github: GitHubApi, shop: Repository, workflows: WorkflowRunner) -> None:
    for fork in (None, "mallory"):
        pull = shop.pull_request({"shop.py": f"print({fork})\n"}, head="x", fork=fork, labels=("slow",))
        for action in ("opened", "synchronize", "reopened", "closed"):
            payload = opened(github, pull, action).payload
            assert github.description.event_problems(f"pull-request-{action}", payload) == []
        labeled = opened(github, pull, "labeled", label="slow").payload
        assert labeled["label"]["name"] == "slow"
        assert github.description.event_problems("pull-request-labeled", labeled) == []
        run = workflows.run("{name: W, on: pull_request, jobs: {}}", opened(github, pull))
        followed = events.workflow_run(github.json, run).payload
        assert github.description.event_problems("workflow-run-completed", followed) == []
        assert len(followed["workflow_run"]["pull_requests"]) == (0 if fork else 1)
    by_hand = events.workflow_dispatch(github.json, shop, {"a": "b"}).payload
    assert github.description.event_problems("workflow-dispatch", by_hand) == []


@pytest.mark.parametrize(
    ("on", "why"),
    [
        ("push", "does not start for pull_request"),
        ("{pull_request: {types: [opened, labeled]}}", "only for"),
        ("{pull_request: {branches: [release/**]}}", "for the branch main"),
        ("{pull_request: {branches-ignore: [m*]}}", "for the branch main"),
        ("[push, pull_request]", None),
        ("{pull_request: {branches: [main], types: [synchronize]}}", None),
        ("pull_request", None),
    ],
)
def test_a_workflow_starts_for_what_it_names(
    github: GitHubApi, shop: Repository, workflows: WorkflowRunner, *, on: str, why: str | None
) -> None:
    event = opened(github, shop.pull_request({"shop.py": "1\n"}), "synchronize")
    workflow = f"{{on: {on}, jobs: {{a: {{runs-on: x, steps: [{{run: 'true'}}]}}}}}}"
    if why:
        with pytest.raises(ValueError, match=why):
            workflows.run(workflow, event)
    else:
        assert workflows.run(workflow, event).conclusion == "success"
    with pytest.raises(ValueError, match="only for"):
        workflows.run(workflow.replace(on, "{pull_request: {types: [opened]}}"), event)


def test_schedules_and_inputs_by_hand(github: GitHubApi, shop: Repository, workflows: WorkflowRunner) -> None:
    workflow = """
on:
  schedule: [{cron: "0 3 * * *"}]
  workflow_dispatch:
    inputs:
      deep: {type: boolean, default: false}
      kind: {type: choice, options: [time, memory], default: time}
      what: {required: true}
jobs:
  all:
    runs-on: x
    steps:
      - run: echo "${{ github.event_name }} ${{ inputs.deep == true }} ${{ inputs.kind }}/${{ inputs.what }}."
"""
    assert "schedule false /." in workflows.run(workflow, events.schedule(github.json, shop, "0 3 * * *")).log
    with pytest.raises(ValueError, match="does not start at"):
        workflows.run(workflow, events.schedule(github.json, shop, "1 1 1 1 1"))

    def by_hand(**inputs: Any) -> str:
        return workflows.run(workflow, events.workflow_dispatch(github.json, shop, inputs)).log

    assert "workflow_dispatch true memory/all." in by_hand(deep="true", kind="memory", what="all")
    assert "workflow_dispatch false time/x." in by_hand(what="x")
    for inputs in ({}, {"what": "x", "kind": "size"}, {"what": "x", "more": "1"}):
        with pytest.raises(ValueError, match="nput"):
            by_hand(**inputs)


def test_jobs_wait_for_those_that_they_need(github: GitHubApi, shop: Repository, workflows: WorkflowRunner) -> None:
    workflow = """
on: workflow_dispatch
env: {LEVEL: workflow, TOP: "1"}
defaults: {run: {shell: bash}}
jobs:
  last:
    needs: [skipped, bad]
    if: always() && needs.bad.result == 'failure'
    runs-on: x
    steps: [{run: 'echo "last ${{ needs.first.outputs.n }} $NEEDS"', env: {NEEDS: "${{ toJSON(needs) }}"}}]
  first:
    runs-on: x
    env: {LEVEL: job}
    outputs: {n: "${{ steps.a.outputs.n }}"}
    steps: [{id: a, run: 'echo "n=$LEVEL$TOP" >> $GITHUB_OUTPUT; [[ -o pipefail ]]'}]
  bad: {needs: first, runs-on: x, steps: [{run: "echo ${{ needs.first.outputs.n }}; exit 1"}]}
  skipped: {needs: bad, runs-on: x, steps: [{run: echo never}]}
  rescue: {needs: skipped, if: failure(), runs-on: x, steps: [{run: echo rescue}]}
"""
    run = workflows.run(workflow, events.workflow_dispatch(github.json, shop))
    found = {key: job.conclusion for key, job in run.jobs.items()}
    assert found == {
        "first": "success",
        "bad": "failure",
        "skipped": "skipped",
        "last": "success",
        "rescue": "success",
    }
    assert run.conclusion == "failure"
    assert "\njob1\n" in run.jobs["bad"].log
    assert '"result": "skipped"' in run.jobs["last"].log
    assert "last  {" in run.jobs["last"].log, "only the outputs of what it needs itself"
    with pytest.raises(ExpressionError, match="need one another"):
        workflows.run(workflow.replace("needs: first", "needs: last"), events.workflow_dispatch(github.json, shop))


@pytest.mark.parametrize(
    ("permissions", "allowed"),
    [
        ("", {"contents": "read", "packages": "read"}),
        ("permissions: {}", {}),
        ("permissions: {issues: write}", {"issues": "write"}),
        ("permissions: read-all", {"contents": "read", "pull-requests": "read"}),
        ("permissions: write-all", {"contents": "write", "pull-requests": "write"}),
        ("permissions: {all: write}", None),
    ],
)
def test_the_token_has_exactly_the_permissions_that_are_named(
    github: GitHubApi, shop: Repository, workflows: WorkflowRunner, *, permissions: str, allowed: dict[str, str] | None
) -> None:
    workflow = f"on: workflow_dispatch\n{permissions}\njobs: {{a: {{runs-on: x, steps: [{{run: 'true'}}]}}}}\n"
    event = events.workflow_dispatch(github.json, shop)
    if allowed is None:
        with pytest.raises(ValueError, match="unknown permission all"):
            workflows.run(workflow, event)
        return
    told = workflows.run(workflow, event).jobs["a"].permissions
    assert dict(told) == allowed or (permissions.endswith("-all") and allowed.items() <= told.items())


@pytest.mark.parametrize(
    ("workflow", "what"),
    [
        ("{on: workflow_dispatch, jobs: {a: {runs-on: x, strategy: {matrix: {a: [1]}}, steps: []}}}", "strategy"),
        ("{on: workflow_dispatch, jobs: {a: {uses: ./.github/workflows/b.yml}}}", "uses"),
        ("{on: workflow_dispatch, concurency: x, jobs: {}}", "concurency"),
        ("{on: {workflow_dispatch: {branches: [a]}}, jobs: {}}", "branches"),
        ("{on: workflow_dispatch, jobs: {a: {runs-on: x, environment: prod, steps: []}}}", "environment prod"),
    ],
)
def test_what_it_does_not_know_it_refuses_loudly(
    github: GitHubApi, shop: Repository, workflows: WorkflowRunner, *, workflow: str, what: str
) -> None:
    with pytest.raises(NotImplementedError, match=what):
        workflows.run(workflow, events.workflow_dispatch(github.json, shop))


def test_environments_give_secrets_of_their_own(github: GitHubApi, shop: Repository, workflows: WorkflowRunner) -> None:
    workflows.environments["models"] = {"KEY": "of the environment", "MODEL": "m"}
    steps = "[{run: 'test \"$K\" = \"of the environment\"', env: {K: '${{ secrets.KEY }}'}}]"
    workflow = f"{{on: pull_request, jobs: {{a: {{runs-on: x, environment: models, steps: {steps}}}}}}}"
    assert workflows.run(workflow, opened(github, shop.pull_request({"a": "1"}))).conclusion == "success"
    stranger = shop.pull_request({"a": "2"}, fork="mallory")
    assert workflows.run(workflow, opened(github, stranger)).conclusion == "failure"


def test_a_pull_request_that_conflicts_starts_nothing(github: GitHubApi, shop: Repository) -> None:
    pull = shop.pull_request({"shop.py": "1\n"})
    shop.push("main", {"shop.py": "2\n"})
    with pytest.raises(ValueError, match="conflicts"):
        opened(github, pull)
