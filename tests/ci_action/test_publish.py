"""The comment and the review, against a stand-in for GitHub that checks each request against GitHub's description."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from documents import REWRITTEN, SLOW, blob_of, document, function, nothing, slower

from afterburner.ci_action.github.client import GitHub, connect
from afterburner.ci_action.github.event import Job
from afterburner.ci_action.github.publish import CommentMode, Published, PublishOptions, publish
from afterburner.ci_action.github.sticky import StickyComment, StickyText, find_sticky, mark_of, write_sticky
from afterburner.ci_action.report.document import CiDocument, EditPart, Mode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from github_api import GitHubApi
    from github_state import PullRequest, Repository


MARK = mark_of(Mode.OPTIMIZE)


@dataclass
class Desk:
    """A pull request that adds `shop.py`, and who comments on it."""

    github: GitHubApi
    shop: Repository
    pull: PullRequest
    waited_s: list[float] = field(default_factory=list)
    token: str = ""

    def publish(self, report: CiDocument | None = None, **options: Any) -> Published:
        """One run of the job that comments."""
        job = Job(self.github.url, "https://github.example", "octo/shop", "77", self.event())
        with connect(self.github.url, self.token or self.github.token) as http:
            return publish(GitHub(http, self.waited_s.append), job, report or document(), PublishOptions(**options))

    def event(self) -> dict[str, Any]:
        return {"pull_request": {"number": self.pull.number}}

    def push(self, text: str) -> None:
        """A new commit of the pull request."""
        self.pull.head_repository.push(self.pull.head_ref, {"shop.py": text})

    @property
    def comments(self) -> list[str]:
        return [each.body for each in self.pull.comments]


@pytest.fixture
def desk(github: GitHubApi) -> Iterator[Desk]:
    shop = github.add_repository("octo/shop", {"README.md": "Shop\n"})
    made = Desk(github, shop, shop.pull_request({"shop.py": SLOW}))
    yield made
    assert not github.faults.left


def test_the_first_run_comments_once_and_suggests_on_the_changed_lines(desk: Desk) -> None:
    published = desk.publish(report_url="https://github.example/artifact")
    assert (len(published.suggested), published.commented, published.problems) == (1, True, [])
    [comment] = desk.comments
    assert comment.startswith(MARK)
    assert "1 function of this pull request can be faster" in comment
    assert "**31.8x faster (30.7x to 33.4x)**" in comment
    assert "suggested in the review" in comment
    assert "```diff" not in comment
    assert "https://github.example/artifact" in comment
    assert f"/octo/shop/blob/{desk.pull.head_sha}/shop.py#L1" in comment
    [review] = desk.pull.review_comments
    assert (review.path, review.start_line, review.line, review.side) == ("shop.py", 2, 6, "RIGHT")
    assert review.commit_id == desk.pull.head_sha
    assert f"```suggestion\n{''.join(REWRITTEN)}```" in review.body


def test_a_second_run_updates_and_repeats_nothing(desk: Desk) -> None:
    desk.publish()
    published = desk.publish(document(elapsed_s=99.0))
    assert published.suggested == ()
    [comment] = desk.comments
    assert "99 s" in comment
    assert "suggested in the review" in comment
    assert len(desk.pull.review_comments) == 1


def test_a_push_elsewhere_repeats_nothing_and_one_to_the_function_is_looked_at_anew(desk: Desk) -> None:
    desk.publish()
    moved = f"import os\n\n\n{SLOW}"
    desk.push(moved)
    assert desk.publish(document(function(moved))).suggested == ()
    changed = moved.replace("result = []", "result = list()")
    desk.push(changed)
    assert desk.publish(document(function(changed))).suggested
    assert len(desk.comments) == 1
    assert [each.line for each in desk.pull.review_comments] == [6, 9]


def test_a_suggestion_that_was_deleted_is_not_made_again(desk: Desk) -> None:
    desk.publish()
    desk.pull.review_comments.clear()
    assert desk.publish().suggested == ()
    assert desk.pull.review_comments == []


def test_nothing_to_say_is_no_comment_unless_there_is_one_or_it_was_asked_for(desk: Desk) -> None:
    assert not desk.publish(nothing()).commented
    assert desk.comments == []
    assert desk.publish(nothing(), even_if_nothing=True).commented
    desk.pull.comments.clear()
    desk.publish()
    assert desk.publish(nothing()).commented
    [comment] = desk.comments
    assert "No faster rewrite was found" in comment


def test_a_rewrite_outside_the_diff_goes_into_the_comment_with_its_patch(github: GitHubApi) -> None:
    far = SLOW + "\n" * 20 + "LAST = 1\n"
    shop = github.add_repository("octo/shop", {"shop.py": far})
    changed = far.replace("LAST = 1", "LAST = 2")
    desk = Desk(github, shop, shop.pull_request({"shop.py": changed}))
    published = desk.publish(document(function(changed)))
    assert (published.suggested, published.problems) == ((), [])
    assert github.sent("POST", "/reviews$") == []
    [comment] = desk.comments
    assert "```diff\n--- a/shop.py" in comment
    assert "patch below, [receipt](https://github.example/octo/shop/actions/runs/77)" in comment


def test_a_file_that_is_not_the_measured_one_any_more_gets_no_suggestion(desk: Desk) -> None:
    desk.push("# One line more\n" + SLOW)
    published = desk.publish()
    assert (published.suggested, published.commented) == ((), True)
    assert "```diff" in desk.comments[0]


def test_a_diff_that_moves_while_one_reviews_costs_only_the_review(desk: Desk) -> None:
    desk.github.fail_next("POST", "/reviews$", 422)
    published = desk.publish()
    assert published.commented
    assert ["GitHub refuses POST" in each and "422" in each for each in published.problems] == [True]
    assert "```diff" in desk.comments[0]
    assert desk.pull.review_comments == []


def test_the_most_suggestions_and_the_modes_of_commenting(desk: Desk) -> None:
    assert desk.publish(most_suggestions=0).suggested == ()
    assert "```diff" in desk.comments[0]
    assert desk.publish(comment=CommentMode.SUMMARY).suggested == ()
    before = len(desk.github.requests)
    published = desk.publish(comment=CommentMode.NONE)
    assert len(desk.github.requests) == before
    assert "31.8x faster" in published.text


def test_the_comment_is_found_behind_a_hundred_others_and_a_strangers_copy_is_none(desk: Desk) -> None:
    desk.shop.comment(desk.pull, f"{MARK}\nI am the one", "mallory")
    for number in range(230):
        desk.shop.comment(desk.pull, f"Number {number}", "octocat")
    desk.publish()
    desk.publish(document(elapsed_s=99.0))
    ours = [each for each in desk.pull.comments if each.author == "github-actions[bot]"]
    assert [("99 s" in each.body) for each in ours] == [True]
    assert desk.pull.comments[0].body.endswith("I am the one")
    pages = [each.query["page"] for each in desk.github.sent("GET", "/comments$") if "issues" in each.path]
    assert ["3"] in pages


def test_a_person_with_an_own_token_has_an_own_comment(desk: Desk) -> None:
    desk.publish()
    desk.token = desk.github.new_token(login="maintainer", is_personal=True)
    desk.publish()
    desk.publish()
    assert [each.author for each in desk.pull.comments] == ["github-actions[bot]", "maintainer"]


@pytest.mark.parametrize("status", [403, 404])
def test_a_token_that_may_not_comment_leaves_the_text_and_says_what_is_missing(desk: Desk, status: int) -> None:
    if status == 403:
        desk.token = desk.github.new_token({"contents": "read", "pull-requests": "read", "issues": "read"})
    else:
        desk.github.fail_next("POST", "/reviews$", 404)
        desk.github.fail_next("POST", "/issues/", 404)
    published = desk.publish()
    assert (published.commented, published.suggested) == (False, ())
    assert any(f"({status}" in each and "permissions: pull-requests: write" in each for each in published.problems)
    assert "31.8x faster" in published.text
    assert desk.comments == []


def test_rate_limits_are_waited_for_as_github_asks(desk: Desk) -> None:
    desk.github.fail_next("GET", "/user$", 429, headers={"Retry-After": "7"})
    desk.github.limit_next("POST", "/reviews$", retry_after_s=3)
    desk.github.limit_next("POST", "/comments$", retry_after_s=5, times=2)
    published = desk.publish()
    assert desk.waited_s == [7.0, 3.0, 5.0, 5.0]
    assert (len(published.suggested), published.commented, published.problems) == (1, True, [])


def test_a_limit_that_lasts_too_long_is_told(desk: Desk) -> None:
    desk.github.fail_next("POST", "/issues/", 429, headers={"Retry-After": "3600"})
    published = desk.publish()
    assert not published.commented
    assert "rate limit does not end soon" in published.problems[0]
    assert desk.waited_s == []


def test_a_server_that_fails_is_asked_again_where_that_does_nothing_twice(desk: Desk) -> None:
    desk.github.fail_next("GET", "/files$", 502, times=2)
    desk.github.drop_next("GET", "/issues/")
    published = desk.publish()
    assert (len(published.suggested), published.commented) == (1, True)
    assert len(desk.waited_s) == 3


@pytest.mark.parametrize("is_dropped", [True, False])
def test_a_comment_whose_answer_was_lost_is_not_made_twice(desk: Desk, *, is_dropped: bool) -> None:
    if is_dropped:
        desk.github.drop_next("POST", "/issues/", is_done=True)
    else:
        desk.github.fail_next("POST", "/issues/", 502, is_done=True)
    published = desk.publish()
    assert (published.commented, published.problems) == (True, [])
    assert len(desk.comments) == 1


def test_a_comment_that_was_deleted_meanwhile_is_made_anew(desk: Desk) -> None:
    desk.publish()
    desk.github.on("PATCH", "/comments/", lambda _: desk.pull.comments.clear(), times=1)
    assert desk.publish().commented
    assert len(desk.comments) == 1


def test_a_long_report_stays_below_githubs_limit(desk: Desk) -> None:
    rewrite = function().rewrite
    assert rewrite is not None
    long = rewrite.model_copy(update={"patch": rewrite.patch + "+x\n" * 15_000, "block": None})
    functions = [function(name=name, rewrite=long) for name in ("common", "total")]
    functions += [slower(reason="y" * 1_500, evidence=["z" * 1_400] * 20) for _ in range(40)]
    published = desk.publish(document(*functions, left_out=[], notes=["n" * 1_500] * 50))
    assert published.commented
    assert len(desk.comments[0]) < 65_536
    assert "```diff" in desk.comments[0]
    assert "The report has the patch." in desk.comments[0]


def test_what_a_fork_measured_says_so_in_the_comment_and_in_each_suggestion(desk: Desk) -> None:
    desk.publish(by_fork=True)
    assert "Measured by the fork, not verified" in desk.comments[0]
    assert "Measured by the fork, not verified" in desk.pull.review_comments[0].body


class TestAfterAnotherRun:
    """The second half of the pair for forks: the pull request is found by what GitHub tells of the run."""

    @pytest.fixture
    def fork(self, github: GitHubApi) -> Desk:
        shop = github.add_repository("octo/shop", {"README.md": "Shop\n"})
        shop.pull_request({"other.py": "1\n"}, head="other")
        return Desk(github, shop, shop.pull_request({"shop.py": SLOW}, fork="mallory"))

    def run(self, desk: Desk, **changes: Any) -> Published:
        run = {
            "id": 5,
            "event": "pull_request",
            "head_sha": desk.pull.head_sha,
            "head_branch": desk.pull.head_ref,
            "head_repository": {"full_name": desk.pull.head_repository.name},
            **changes,
        }
        desk.event = lambda: {"workflow_run": run}  # type: ignore[method-assign]
        return desk.publish(by_fork=True)

    def test_the_comment_goes_to_the_pull_request_of_the_run(self, fork: Desk) -> None:
        assert self.run(fork).commented
        assert len(fork.comments) == 1
        assert "https://github.example/octo/shop/actions/runs/5" in fork.comments[0]
        assert all(not each.comments for each in fork.shop.pulls.values() if each is not fork.pull)

    @pytest.mark.parametrize(
        "changes",
        [
            {"head_sha": "c" * 40},
            {"head_repository": {"full_name": "octo/shop"}},
            {"head_repository": None},
            {"event": "push"},
            {"head_branch": "nothing\n& of=the kind#"},
        ],
        ids=["another commit", "another repository", "a deleted fork", "another event", "a strange branch"],
    )
    def test_no_other_pull_request_gets_it(self, fork: Desk, changes: dict[str, Any]) -> None:
        published = self.run(fork, **changes)
        assert not published.commented
        assert all(not each.comments for each in fork.shop.pulls.values())


class TestBranch:
    """The branch with the rewrites, and its pull request."""

    def test_it_has_a_commit_for_each_function_on_top_of_the_pull_request(self, desk: Desk) -> None:
        desk.shop.actions_may_open_pull_requests = True
        published = desk.publish(branch=True)
        assert published.problems == []
        made = desk.shop.pulls[max(desk.shop.pulls)]
        assert (made.base_ref, made.head_ref) == (desk.pull.head_ref, f"afterburner/{desk.pull.number}")
        assert len(made.commits()) == 1
        text = made.store.git("show", f"{made.head_sha}:shop.py")
        assert text == SLOW.replace("".join(SLOW.splitlines(keepends=True)[1:6]), "".join(REWRITTEN))
        assert "31.8x faster" in made.store.git("log", "-1", "--format=%B", made.head_sha)
        assert f"/pull/{made.number}" in desk.comments[0]

    def test_a_second_run_moves_it_and_opens_no_second_one(self, desk: Desk) -> None:
        desk.shop.actions_may_open_pull_requests = True
        desk.publish(branch=True)
        number = max(desk.shop.pulls)
        desk.push(f"import os\n\n\n{SLOW}")
        desk.publish(document(function(f"import os\n\n\n{SLOW}")), branch=True)
        assert max(desk.shop.pulls) == number
        made = desk.shop.pulls[number]
        assert made.store.git("show", f"{made.head_sha}:shop.py").startswith("import os\n")
        assert len(made.commits()) == 1

    def test_what_is_not_allowed_costs_only_the_branch(self, desk: Desk) -> None:
        desk.token = desk.github.new_token({"contents": "read", "pull-requests": "write"})
        published = desk.publish(branch=True)
        assert (len(published.suggested), published.commented) == (1, True)
        assert "GitHub does not allow POST /repos/octo/shop/git/blobs" in published.problems[0]

    def test_a_fork_never_gets_one(self, desk: Desk) -> None:
        assert desk.publish(branch=True, by_fork=True).commented
        assert desk.github.sent("POST", "/git/") == []

    def test_a_schedule_goes_to_the_default_branch(self, desk: Desk) -> None:
        desk.shop.actions_may_open_pull_requests = True
        head = desk.shop.push("main", {"shop.py": SLOW})
        desk.event = dict  # type: ignore[method-assign, assignment]
        published = desk.publish(document(mode=Mode.SCHEDULE, base=None, head=head), branch=True)
        made = desk.shop.pulls[max(desk.shop.pulls)]
        assert made.base_ref == "main"
        assert made.head_ref.startswith("afterburner/schedule-")
        assert f"/pull/{made.number}" in published.text

    def test_what_another_job_left_never_makes_one(self, desk: Desk) -> None:
        """A stranger's report may say that a schedule measured it."""
        run = {"id": 5, "event": "pull_request", "head_sha": "c" * 40, "head_branch": "x", "head_repository": None}
        for event in ({"workflow_run": run}, {"pull_request": {"number": desk.pull.number}}):
            desk.event = lambda event=event: event  # type: ignore[method-assign]
            for by_fork in (False, True):
                report = document(mode=Mode.SCHEDULE, base=None, head=desk.shop.head_sha())
                desk.publish(report, branch=True, by_fork=by_fork, comment=CommentMode.NONE)
        made = [each for each in desk.shop.pulls.values() if each.base_ref == "main" and each is not desk.pull]
        assert made == []

    def test_commits_of_somebody_else_on_it_are_left_alone(self, desk: Desk) -> None:
        branch = f"afterburner/{desk.pull.number}"
        theirs = desk.shop.push(branch, {"theirs.py": "1\n"})
        published = desk.publish(branch=True)
        assert "has commits that Afterburner Agent did not make" in published.problems[0]
        assert desk.shop.head_sha(branch) == theirs
        assert published.commented

    def test_the_setting_that_forbids_it_is_named(self, desk: Desk) -> None:
        published = desk.publish(branch=True)
        assert "allow GitHub Actions to create and approve pull requests" in published.problems[0]

    def test_a_file_keeps_its_mode_and_its_byte_order_mark(self, desk: Desk) -> None:
        desk.shop.actions_may_open_pull_requests = True
        marked = "\ufeff" + SLOW
        desk.push(marked)
        part = function(blob=blob_of(marked))
        assert part.rewrite is not None
        part = part.model_copy(update={"rewrite": part.rewrite.model_copy(update={"is_executable": True})})
        assert desk.publish(document(part), branch=True).problems == []
        made = desk.shop.pulls[max(desk.shop.pulls)]
        assert made.store.git("ls-tree", made.head_sha, "shop.py").startswith("100755")
        assert made.store.git("show", f"{made.head_sha}:shop.py").startswith("\ufeffdef common")

    def test_a_file_that_is_not_utf_8_costs_only_the_branch(self, desk: Desk) -> None:
        data = f"# coding: latin-1\n# ä\n{SLOW}".encode("latin-1")
        desk.pull.head_repository.push(desk.pull.head_ref, {"shop.py": data})
        blob = desk.pull.store.git("rev-parse", f"{desk.pull.head_sha}:shop.py").strip()
        published = desk.publish(document(function(blob=blob)), branch=True)
        assert "is not UTF-8" in published.problems[0]
        assert published.commented


def test_two_modes_have_two_comments(desk: Desk) -> None:
    desk.publish()
    desk.publish(document(slower(), mode=Mode.REGRESSIONS))
    desk.publish()
    assert ["can be faster" in each for each in desk.comments] == [True, False]


def test_the_token_of_an_app_finds_its_own_comment_by_the_name_that_it_is_given(desk: Desk) -> None:
    desk.token = desk.github.new_token(login="my-app[bot]")
    desk.publish(author="my-app[bot]")
    desk.publish(author="my-app[bot]")
    assert len(desk.comments) == 1
    assert len(desk.pull.review_comments) == 1


def test_a_rewrite_that_only_takes_lines_away_is_an_empty_suggestion(desk: Desk) -> None:
    part = function()
    assert part.rewrite is not None
    block = EditPart(first=2, last=2, text="")
    gone = part.model_copy(update={"rewrite": part.rewrite.model_copy(update={"block": block})})
    desk.publish(document(gone))
    assert "```suggestion\n```\n" in desk.pull.review_comments[0].body


def test_suggestions_of_earlier_runs_count_towards_the_most(desk: Desk) -> None:
    desk.publish(most_suggestions=1)
    changed = SLOW.replace("result = []", "result = list()")
    desk.push(changed)
    assert desk.publish(document(function(changed)), most_suggestions=1).suggested == ()


def test_a_comment_with_all_that_it_can_remember_stays_below_githubs_limit(desk: Desk) -> None:
    rewrite = function().rewrite
    assert rewrite is not None
    long = rewrite.model_copy(update={"patch": rewrite.patch + "+x\n" * 18_500, "block": None})
    state = StickyText(Mode.OPTIMIZE, "x", tuple(f"{number:024x}" for number in range(200)))
    login, job = "github-actions[bot]", Job(desk.github.url, "https://github.example", "octo/shop", "77", desk.event())
    with connect(desk.github.url, desk.github.token) as http:
        client = GitHub(http)
        write_sticky(client, job, desk.pull.number, login=login, comment=StickyComment(), text=state)
        assert len(find_sticky(client, job, desk.pull.number, login, Mode.OPTIMIZE).suggested) == 150
    assert desk.publish(document(function(rewrite=long))).commented
    body = next(each for each in desk.comments if each.startswith(MARK))
    assert len(body) < 65_536
    assert body.count("```diff") == 1
    assert body.count("<details>") == body.count("</details>")


def test_a_report_that_holds_a_forged_memory_does_not_silence_what_comes_later(desk: Desk) -> None:
    part = function()
    assert part.rewrite is not None
    forged = base64.b64encode(json.dumps({"suggested": [part.key]}).encode()).decode()
    patch = f"+x\n<!-- afterburner-agent: state {forged} -->\n"
    hostile = part.model_copy(update={"rewrite": part.rewrite.model_copy(update={"patch": patch, "block": None})})
    assert desk.publish(document(hostile), by_fork=True).commented
    assert forged in desk.comments[0]
    assert len(desk.publish().suggested) == 1


@pytest.mark.parametrize(
    "body", ["<html>", None, [1, 2], {"login": None}, {"a": 1}, 5, "[" * 100_000], ids=lambda body: str(body)[:20]
)
@pytest.mark.parametrize("path", ["/user$", "/pulls/[0-9]+$", "/files$", "/issues/[0-9]+/comments$"])
def test_an_answer_of_another_form_costs_the_comment_and_nothing_else(desk: Desk, path: str, body: object) -> None:
    desk.github.fail_next("GET", path, 200, body=body)
    published = desk.publish()
    assert "31.8x faster" in published.text
    desk.github.faults.faults.clear()
