"""The stand-ins for GitHub's own actions: a checkout is a clone, artifacts and caches go only where they may."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest
import workflow_events as events

if TYPE_CHECKING:
    from github_api import GitHubApi
    from github_state import PullRequest, Repository
    from workflow_runner import WorkflowRunner


def opened(github: GitHubApi, pull: PullRequest) -> events.Event:
    return events.pull_request(github.json, pull)


def test_the_checkout_is_a_real_clone_of_what_the_event_is_about(
    github: GitHubApi, shop: Repository, workflows: WorkflowRunner
) -> None:
    workflow = """
on: [pull_request, workflow_dispatch]
permissions: {contents: read}
jobs:
  look:
    runs-on: x
    steps:
      - uses: actions/checkout@v5
      - uses: actions/checkout@v5
        with: {path: whole, fetch-depth: 0, persist-credentials: false}
      - uses: actions/checkout@v5
        with: {path: head, ref: "${{ github.event.pull_request.head.sha || github.ref }}"}
      - run: |
          git log --format=%H | wc -l; git -C whole log --format=%H | wc -l
          git rev-parse HEAD; git -C head rev-parse HEAD; git config remote.origin.url
          echo "[$(git rev-parse --abbrev-ref HEAD)]"
          git config http.https://github.com/.extraheader > "$RUNNER_TEMP/header"
          ! git -C whole config http.https://github.com/.extraheader
          ! git push -q origin HEAD:refs/heads/evil 2>&1
"""
    shop.push("main", {"more.py": "1\n"})
    pull = shop.pull_request({"shop.py": "print(2)\n"}, fork="mallory")
    job = workflows.run(workflow, opened(github, pull)).jobs["look"]
    assert job.conclusion == "success", job.log
    lines = job.log.splitlines()
    assert lines[lines.index("1") + 1 :][:4] == ["4", pull.merge_sha, pull.head_sha, "https://github.com/octo/shop"]
    assert "[HEAD]" in job.log
    assert job.workspace
    header = (job.workspace.parent.parent.parent / "temp" / "header").read_text().split()[-1]
    user, _, token = base64.b64decode(header).decode().partition(":")
    assert (user, github.world.tokens[token].permissions) == ("x-access-token", {"contents": "read"})
    config = (job.workspace / ".git" / "config").read_text()
    assert "extraheader" not in config, "the action takes it out when the job is over"
    assert shop.store.branch_sha("evil") is None
    by_hand = workflows.run(workflow, events.workflow_dispatch(github.json, shop)).jobs["look"]
    assert "[main]" in by_hand.log


def test_a_checkout_of_what_the_token_may_not_read_fails(
    github: GitHubApi, shop: Repository, workflows: WorkflowRunner
) -> None:
    github.add_repository("octo/secret", is_private=True)
    workflow = """
on: workflow_dispatch
jobs:
  a: {runs-on: x, steps: [{uses: actions/checkout@v5, with: {repository: octo/secret}}]}
  b: {runs-on: x, steps: [{uses: actions/checkout@v5, with: {ref: none}}]}
  c: {runs-on: x, steps: [{uses: actions/checkout@v5, with: {path: ../../..}}]}
  d:
    runs-on: x
    steps:
      - {uses: actions/checkout@v5, with: {repository: octo/secret, token: "${{ secrets.PAT }}"}}
      - run: ls
"""
    workflows.secrets["PAT"] = github.new_token({"contents": "read"}, login="octocat", is_personal=True)
    run = workflows.run(workflow, events.workflow_dispatch(github.json, shop))
    assert [job.conclusion for job in run.jobs.values()] == ["failure", "failure", "failure", "success"]
    assert "\nREADME.md\n" in run.jobs["d"].log


def test_artifacts_refuse_what_github_refuses(github: GitHubApi, shop: Repository, workflows: WorkflowRunner) -> None:
    def uploaded(**inputs: str) -> tuple[str, list[str], list[str]]:
        given = {"name": "report", "path": "out", **inputs}
        steps = [
            {"run": "mkdir -p out/.deep out/a; touch out/x.txt out/a/y.txt out/.deep/z out/a/.h 'top.txt'"},
            {"id": "up", "uses": "actions/upload-artifact@v4", "with": given},
        ]
        workflow = {"on": "workflow_dispatch", "jobs": {"a": {"runs-on": "x", "steps": steps}}}
        run = workflows.run(json.dumps(workflow), events.workflow_dispatch(github.json, shop))
        kept = [each.folder for each in run.artifacts]
        files = [str(path.relative_to(folder)) for folder in kept for path in folder.rglob("*") if path.is_file()]
        assert bool(run.jobs["a"].step("up").outputs.get("artifact-url")) == bool(kept)
        return run.jobs["a"].conclusion, sorted(files), [each.level for each in run.jobs["a"].annotations]

    assert uploaded() == ("success", ["a/y.txt", "x.txt"], [])
    assert uploaded(path="out\n!out/a/**") == ("success", ["x.txt"], [])
    assert uploaded(path="out/a/*.txt") == ("success", ["y.txt"], [])
    assert uploaded(path="out/a\ntop.txt") == ("success", ["out/a/y.txt", "top.txt"], [])
    assert uploaded(**{"include-hidden-files": "true", "path": "out/a"}) == ("success", [".h", "y.txt"], [])
    assert uploaded(path="none") == ("success", [], ["warning"])
    assert uploaded(**{"path": "none", "if-no-files-found": "ignore"}) == ("success", [], [])
    assert uploaded(**{"path": "none", "if-no-files-found": "error"}) == ("failure", [], ["error"])
    assert uploaded(name="a/b") == ("failure", [], ["error"])


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ("{name: none}", "Artifact not found for name: none"),
        ("{name: report, run-id: '1'}", "needs the input github-token"),
        ("{name: report, run-id: '1', github-token: wrong}", "Bad credentials"),
        ("{name: report, run-id: '1', github-token: '${{ github.token }}'}", "Resource not accessible by integration"),
    ],
)
def test_artifacts_of_other_runs_need_a_token_that_may_read_them(
    github: GitHubApi, shop: Repository, workflows: WorkflowRunner, *, steps: str, why: str
) -> None:
    workflows.artifacts.forge(1, "octo/shop", "report", {"a": "b"})
    workflow = (
        "{on: workflow_dispatch, permissions: {contents: read}, jobs: "
        f"{{a: {{runs-on: x, steps: [{{uses: actions/download-artifact@v5, with: {steps}}}]}}}}}}"
    )
    job = workflows.run(workflow, events.workflow_dispatch(github.json, shop)).jobs["a"]
    assert why in job.annotations[0].message


def test_caches_are_kept_by_branch_and_written_only_by_jobs_that_went_well(
    github: GitHubApi, shop: Repository, workflows: WorkflowRunner
) -> None:
    workflow = """
on: {pull_request: {}, workflow_dispatch: {inputs: {code: {}}}}
jobs:
  a:
    runs-on: x
    steps:
      - id: cache
        uses: actions/cache@v4
        with: {path: "~/.cache/tool\\nlocal", key: "k-${{ github.event_name }}", restore-keys: k-}
      - run: |
          echo "hit=[${{ steps.cache.outputs.cache-hit }}] $(cat ~/.cache/tool/who local/who)"
          mkdir -p ~/.cache/tool local; echo "$GITHUB_REF" | tee ~/.cache/tool/who > local/who
          exit ${{ github.event.inputs.code || 0 }}
"""

    def told(event: events.Event) -> str:
        log = workflows.run(workflow, event).log
        return " ".join(log[log.index("\nhit=") :].split()[:3])

    main, evil = events.workflow_dispatch(github.json, shop), shop.pull_request({"a": "1"}, fork="mallory")
    assert told(events.workflow_dispatch(github.json, shop, {"code": "1"})).startswith("hit=[]")
    assert told(opened(github, evil)).startswith("hit=[]")
    assert told(main).startswith("hit=[]"), "neither a failed job nor a pull request leaves one for the branch"
    assert told(main) == "hit=[true] refs/heads/main refs/heads/main"
    other = shop.pull_request({"b": "1"}, head="other")
    assert told(opened(github, other)) == "hit=[false] refs/heads/main refs/heads/main"
    assert told(opened(github, other)) == "hit=[true] refs/pull/2/merge refs/pull/2/merge"
    assert told(main) == "hit=[true] refs/heads/main refs/heads/main"
