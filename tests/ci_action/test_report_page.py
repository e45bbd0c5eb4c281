"""The demo repository's pull request from end to end, measured for real: its comment, and its page in a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import PHONE
from repositories import BASE, WITH_COMMON
from workflow_events import pull_request
from workflow_runner import WorkflowRunner

from afterburner.ci_action.report.document import Decision
from afterburner.ci_action.report.reading import read_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from browser import Visit
    from conftest import CommandLine
    from github_api import GitHubApi

ROOT = Path(__file__).parents[2]
PROGRAM = str(Path(sys.executable).with_name("afterburner-agent"))
TEXTS = ("body", "nav a", ".verdict strong", "dt", "ins", "del", "footer")


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timed
def test_a_measured_pull_request_gets_its_comment_within_its_budget_and_a_page_for_people(
    github: GitHubApi, tmp_path: Path, program: CommandLine, visit: Callable[..., Visit]
) -> None:
    shop = github.add_repository("octo/shop", {**BASE, "requirements.txt": "pytest\n"})
    machine = {"AFTERBURNER_EXECUTABLE": PROGRAM, "XDG_CACHE_HOME": program.variables["XDG_CACHE_HOME"]}
    actions = {"your-organisation/afterburner-agent": ROOT}
    runner = WorkflowRunner(github, tmp_path / "jobs", actions=actions, machine=machine)
    pull = shop.pull_request(WITH_COMMON)
    done = runner.run(ROOT / "examples" / "workflows" / "pull-request.yml", pull_request(github.json, pull))
    assert done.conclusion == "success", done.log
    [artifact] = done.artifacts
    report = read_report(artifact.folder)
    [part] = report.functions
    assert part.decision is Decision.IMPROVED
    assert part.gain is not None
    assert part.gain.low > 1.05
    assert [each for each in report.functions if each.decision is Decision.NOT_REACHED] == []
    [comment] = pull.comments
    assert f"{part.gain.ratio:.1f}"[:2] in comment.body
    assert "growth with" in comment.body
    for width, scheme in ((1000, "light"), (PHONE, "dark")):
        seen = visit(artifact.folder / "report.html", width=width, scheme=scheme)
        assert seen.requested == [(artifact.folder / "report.html").as_uri()]
        assert seen.complaints == []
        assert seen.overflow() == 0
        for name in ("The change", "Samples", "Growth", "How it was measured"):
            assert seen.page.get_by_role("heading", name=name, exact=True).is_visible(), name
        assert seen.page.locator("svg").count() == 2
        assert report.head in seen.page.locator("body").inner_text()
        assert [
            text for selector in TEXTS if seen.page.locator(selector).count() for text in seen.hard_to_read(selector)
        ] == []
