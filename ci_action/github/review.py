"""Suggestions: rewrites as a review, on exactly the lines that they change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.wording import count
from afterburner.ci_action.formats.inert import code, fenced, prose
from afterburner.ci_action.formats.phrases import verdict
from afterburner.ci_action.report.document import LONGEST_BLOCK, Decision

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from afterburner.ci_action.github.client import GitHub
    from afterburner.ci_action.github.diff_lines import FileDiff
    from afterburner.ci_action.github.event import Job, PullRequest
    from afterburner.ci_action.report.document import CiDocument, FunctionPart

MOST_SUGGESTIONS = 5
_MARK = re.compile(r"<!-- afterburner-agent: suggestion ([0-9a-f]{24}) -->")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A rewrite as one block of lines in place of others.

    Attributes:
        function: that is rewritten.
        first: the first line that the block replaces, at the head.
        last: the last one.
        text: what comes in their place.
    """

    function: FunctionPart
    first: int
    last: int
    text: str


def made_before(github: GitHub, job: Job, number: int, login: str) -> set[str]:
    """The keys of the functions that reviews of our own already have a suggestion for, resolved ones included.

    Raises:
        NotAllowedError, GitHubError: the comments cannot be read.
    """
    comments = github.pages(f"{job.repository_path}/pulls/{number}/comments")
    bodies = (str(each.get("body") or "") for each in comments if (each.get("user") or {}).get("login") == login)
    return {found[1] for body in bodies if (found := _MARK.match(body))}


def suggestions_of(
    document: CiDocument, diff: Mapping[str, FileDiff], known: Collection[str], most: int
) -> list[Suggestion]:
    """The rewrites that can be suggested: their lines lie in one hunk of the diff, and nobody suggested them before.

    A rewrite that changes several places, such as an import as well, becomes one block from the first to the last of
    them: a reader who took only a part of it would break the code.

    Args:
        document: the report.
        diff: of the pull request as it is now.
        known: the keys of the functions that a suggestion was made for before.
        most: how many.
    """
    improved = [each for each in document.of(Decision.IMPROVED) if each.key not in known]
    found = [suggestion for each in improved if (suggestion := _suggestion(each, diff.get(each.file))) is not None]
    apart: list[Suggestion] = []
    for each in found:
        if not any(_overlap(each, other) for other in apart):
            apart.append(each)
    return apart[:most]


def post_review(
    github: GitHub,
    job: Job,
    pull_request: PullRequest,
    *,
    document: CiDocument,
    suggestions: Sequence[Suggestion],
    by_fork: bool,
) -> None:
    """Write one review with all suggestions; `by_fork` says that a fork measured them.

    Raises:
        NotAllowedError: the token may not review.
        GitHubError: GitHub refuses; with status 422 the diff has moved meanwhile.
    """
    body = {
        "commit_id": pull_request.head_sha,
        "event": "COMMENT",
        "body": f"Afterburner Agent suggests {count(len(suggestions), 'rewrite')}, each with its proof.",
        "comments": [_comment(each, document, by_fork=by_fork) for each in suggestions],
    }
    github.send("POST", f"{job.repository_path}/pulls/{pull_request.number}/reviews", body)


def _suggestion(function: FunctionPart, diff: FileDiff | None) -> Suggestion | None:
    block = function.rewrite.block if function.rewrite is not None else None
    if block is None or diff is None or not 0 <= block.last - block.first < LONGEST_BLOCK:
        return None
    if diff.blob != function.blob or not diff.shows(block.first, block.last):
        return None
    return Suggestion(function, block.first, block.last, block.text)


def _comment(suggestion: Suggestion, document: CiDocument, *, by_fork: bool) -> dict[str, Any]:
    function = suggestion.function
    warning = "**Measured by the fork, not verified.** " if by_fork else ""
    evidence = "".join(f"\n- {prose(each)}" for each in function.evidence)
    caveat = f"**Before you take it:** {prose(function.caveat)}\n\n" if function.caveat else ""
    body = (
        f"<!-- afterburner-agent: suggestion {function.key} -->\n"
        f"{warning}{code(function.function, 80)}: **{verdict(function, document)}**\n\n"
        f"{fenced(suggestion.text, 'suggestion')}\n"
        f"{caveat}"
        f"<details><summary>What this rests on</summary>\n{evidence}\n\n</details>\n"
    )
    place: dict[str, Any] = {"path": function.file, "line": suggestion.last, "side": "RIGHT", "body": body}
    if suggestion.first != suggestion.last:
        place |= {"start_line": suggestion.first, "start_side": "RIGHT"}
    return place


def _overlap(one: Suggestion, other: Suggestion) -> bool:
    return one.function.file == other.function.file and one.first <= other.last and other.first <= one.last
