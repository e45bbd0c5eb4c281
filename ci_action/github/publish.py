"""Says on a pull request what was found: a review, one comment, and the job's own summary where neither is allowed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from afterburner.ci_action.formats.markdown import Surroundings
from afterburner.ci_action.formats.markdown import summary as summary_of
from afterburner.ci_action.formats.phrases import has_something_to_say
from afterburner.ci_action.github.branch import Goal, accepted_rewrites, propose_branch
from afterburner.ci_action.github.diff_lines import read_diff
from afterburner.ci_action.github.errors import GitHubError
from afterburner.ci_action.github.event import find_pull_request
from afterburner.ci_action.github.review import MOST_SUGGESTIONS, made_before, post_review, suggestions_of
from afterburner.ci_action.github.sticky import StickyText, find_sticky, own_login, write_sticky
from afterburner.ci_action.report.document import Mode

if TYPE_CHECKING:
    from afterburner.ci_action.github.client import GitHub
    from afterburner.ci_action.github.event import Job, PullRequest
    from afterburner.ci_action.report.document import CiDocument

BRANCH = "afterburner"
_UNEXPECTED = (KeyError, TypeError, ValueError, AttributeError, IndexError)  # of an answer that is not as described


class CommentMode(StrEnum):
    """What is written on a pull request."""

    REVIEW = "review"  # suggestions where they fit, and the comment
    SUMMARY = "summary"  # the comment
    NONE = "none"


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """How it is said.

    Attributes:
        comment: what is written on the pull request.
        most_suggestions: on one pull request, those of earlier runs included.
        even_if_nothing: whether to comment where nothing was found.
        by_fork: whether a fork measured it, and nobody else.
        branch: whether to make a branch and a pull request with the rewrites.
        report_url: of the artifact; empty: the page of the run.
        author: the login that the token writes as, such as `my-app[bot]`; empty: GitHub is asked.
    """

    comment: CommentMode = CommentMode.REVIEW
    most_suggestions: int = MOST_SUGGESTIONS
    even_if_nothing: bool = False
    by_fork: bool = False
    branch: bool = False
    report_url: str = ""
    author: str = ""


@dataclass(slots=True)
class Published:
    """What was said where.

    Attributes:
        text: the summary as it was last put together.
        suggested: the keys of the functions that were suggested now.
        commented: whether the comment is up to date.
        proposed: whether the branch with the rewrites is up to date.
        problems: what could not be done, in words for the job's log.
    """

    text: str = ""
    suggested: tuple[str, ...] = ()
    commented: bool = False
    proposed: bool = False
    problems: list[str] = field(default_factory=list)


def publish(github: GitHub, job: Job, document: CiDocument, options: PublishOptions) -> Published:
    """Say what was found. What cannot be done is noted, and the rest is done all the same.

    Args:
        github: with the job's token.
        job: the job.
        document: the report, of which nothing is believed but what its form allows.
        options: how it is said.
    """
    publisher = _Publisher(github, job, document, options)
    publisher.publish()
    return publisher.published


@dataclass(slots=True)
class _Publisher:
    github: GitHub
    job: Job
    document: CiDocument
    options: PublishOptions
    published: Published = field(default_factory=Published)
    around: Surroundings = field(init=False)

    def __post_init__(self) -> None:
        """Begin with what is known without asking GitHub."""
        url = self.options.report_url or self.job.run_url(by_fork=self.options.by_fork)
        self.around = Surroundings(report_url=url, by_fork=self.options.by_fork)

    def publish(self) -> None:
        try:
            if self.options.branch or self.options.comment is not CommentMode.NONE:
                self._publish()
        except GitHubError as error:
            self._note(error)
        except _UNEXPECTED as error:
            self._note(GitHubError(f"GitHub's answer has another form than it describes ({error!r})"))
        self.published.text = summary_of(self.document, self.around)

    def _publish(self) -> None:
        pull_request = find_pull_request(self.github, self.job)
        if pull_request is None:
            if self._is_schedule:
                self._propose(self._goal_of_schedule())
            return
        blob_url = f"{self.job.server_url}/{self.job.repository}/blob/{pull_request.head_sha}"
        self.around = replace(self.around, blob_url=blob_url)
        if self.options.branch and not self.options.by_fork and pull_request.head_repository == self.job.repository:
            branch = f"{BRANCH}/{pull_request.number}"
            self._propose(Goal(pull_request.head_sha, pull_request.head_branch, branch))
        if self.options.comment is not CommentMode.NONE:
            self._comment(pull_request)

    @property
    def _is_schedule(self) -> bool:
        """Whether this job itself has measured the default branch: what another job left makes no branch."""
        is_own = not self.options.by_fork and not {"workflow_run", "pull_request"} & self.job.event.keys()
        return is_own and self.options.branch and self.document.mode is Mode.SCHEDULE

    def _comment(self, pull_request: PullRequest) -> None:
        number = pull_request.number
        login = self.options.author or own_login(self.github)
        comment = find_sticky(self.github, self.job, number, login, self.document.mode)
        known = [*comment.suggested]
        if self.options.comment is CommentMode.REVIEW:
            known = self._review(pull_request, login, known)
        says = has_something_to_say(self.document) or self.options.even_if_nothing
        if not says and comment.id is None:
            return
        text = StickyText(self.document.mode, summary_of(self.document, self.around), tuple(known))
        write_sticky(self.github, self.job, number, login=login, comment=comment, text=text)
        self.published.commented = True

    def _review(self, pull_request: PullRequest, login: str, known: list[str]) -> list[str]:
        """Make the suggestions that were not made before; gives the keys of all that were made until now."""
        try:
            there = made_before(self.github, self.job, pull_request.number, login)
            made = [*known, *there]
            diff = read_diff(self.github, self.job, pull_request)
            new = suggestions_of(self.document, diff, made, max(self.options.most_suggestions - len(there), 0))
            if new:
                post_review(
                    self.github,
                    self.job,
                    pull_request,
                    document=self.document,
                    suggestions=new,
                    by_fork=self.options.by_fork,
                )
        except GitHubError as error:
            self._note(error)
            return known
        self.published.suggested = tuple(each.function.key for each in new)
        made += self.published.suggested
        self.around = replace(self.around, suggested=frozenset(made))
        return made

    def _propose(self, goal: Goal) -> None:
        try:
            url = propose_branch(self.github, self.job, goal, self.document)
        except GitHubError as error:
            self._note(error)
        else:
            self.published.proposed = True
            self.around = replace(self.around, pull_request_url=url)

    def _goal_of_schedule(self) -> Goal:
        repository = self.github.get(self.job.repository_path)
        keys = "".join(each.key for each in accepted_rewrites(self.document))
        # A branch of its own for each set of rewrites: that of an earlier night may wait to be merged.
        name = f"{BRANCH}/schedule-{hashlib.sha256(keys.encode()).hexdigest()[:10]}"
        return Goal(self.document.head, str(repository["default_branch"]), name)

    def _note(self, error: GitHubError) -> None:
        self.published.problems.append(str(error))
