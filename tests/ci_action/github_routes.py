"""What the stand-in for GitHub does about users, repositories, pull requests, comments and reviews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from github_calls import NO_PERMISSION, Answer, Call, RefusedError, Route, invalid, invalid_field
from github_diff import commented_hunk
from github_state import Review, ReviewComment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from github_state import PullRequest

LONGEST_BODY = 65_536
_TOO_LONG = f"Body is too long (maximum is {LONGEST_BODY} characters)"
_STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}


def _get_user(call: Call) -> Answer:
    if not call.token.is_personal:
        raise RefusedError(403, NO_PERMISSION)
    return Answer(body=call.json.public_user(call.token.login))


def _get_repository(call: Call) -> Answer:
    return Answer(body=call.json.repository(call.repository))


def _list_pulls(call: Call) -> Answer:
    call.demand("read", "pull-requests")
    state, head, base = call.asked("state", "open"), call.asked("head"), call.asked("base")
    found = [
        pull
        for pull in call.repository.pulls.values()
        if state in {"all", pull.state}
        # GitHub does not filter by a head that names no owner
        and (":" not in head or head.lower() == pull.head_label.lower())
        and base in {"", pull.base_ref}
    ]
    found.sort(key=lambda pull: pull.number, reverse=call.asked("direction", "desc") == "desc")
    return call.page([call.json.pull_request(pull) for pull in found])


def _open_pull(call: Call) -> Answer:
    call.demand("write", "pull-requests")
    repository = call.repository
    if not call.token.is_personal and not repository.actions_may_open_pull_requests:
        raise RefusedError(403, "GitHub Actions is not permitted to create or approve pull requests.")
    owner, _, branch = str(call.body["head"]).rpartition(":")
    name = f"{owner or repository.owner}/{repository.short_name}".lower()
    source = call.world.repositories.get(name)
    base = str(call.body["base"])
    if source is None or source.store.branch_sha(branch) is None:
        raise _invalid_pull("head")
    if repository.store.branch_sha(base) is None:
        raise _invalid_pull("base")
    if "title" not in call.body:
        raise invalid_field("PullRequest", "title", "title is missing")
    _check_new_pull(call, f"{source.owner}:{branch}", base)
    if source.head_sha(branch) == repository.head_sha(base):
        raise invalid_field("PullRequest", "base", f"No commits between {base} and {branch}")
    pull = repository.open(source, branch, base, author=call.token.login, title=str(call.body["title"]))
    pull.body = call.body.get("body")
    pull.is_draft = bool(call.body.get("draft"))
    return Answer(201, call.json.whole_pull_request(pull))


def _invalid_pull(name: str) -> RefusedError:
    error = {"resource": "PullRequest", "field": name, "code": "invalid"}
    return RefusedError(422, "Validation Failed", [error])


def _check_new_pull(call: Call, label: str, base: str) -> None:
    for pull in call.repository.pulls.values():
        if pull.state == "open" and (pull.head_label, pull.base_ref) == (label, base):
            message = f"A pull request already exists for {label}."
            error = {"resource": "PullRequest", "code": "custom", "message": message}
            raise RefusedError(422, "Validation Failed", [error])


def _get_pull(call: Call) -> Answer:
    call.demand("read", "pull-requests")
    if call.accept in {"application/vnd.github.diff", "application/vnd.github.v3.diff"}:
        return Answer(body=call.pull.store.diff(call.pull.base_sha, call.pull.head_sha))
    return Answer(body=call.json.whole_pull_request(call.pull))


def _change_pull(call: Call) -> Answer:
    call.demand("write", "pull-requests")
    pull = call.pull
    pull.title = call.body.get("title", pull.title)
    pull.body = call.body.get("body", pull.body)
    pull.state = call.body.get("state", pull.state)
    pull.base_ref = call.body.get("base", pull.base_ref)
    return Answer(body=call.json.whole_pull_request(pull))


def _list_files(call: Call) -> Answer:
    call.demand("read", "pull-requests")
    pull = call.pull
    return call.page([call.json.file(pull, changed) for changed in pull.files()])


def _list_pulls_of_commit(call: Call) -> Answer:
    call.demand("read", "pull-requests")
    repository, sha = call.repository, call.values["sha"]
    if repository.store.kind(sha) != "commit":
        raise RefusedError(422, f"No commit found for SHA: {sha}")
    # asked of the base, GitHub lists no pull request of a fork; the fork itself gives it
    pulls = [pull for other in call.world.repositories.values() for pull in other.pulls.values()]
    found = [pull for pull in pulls if pull.head_repository is repository and sha in pull.commits()]
    return call.page([call.json.pull_request(pull) for pull in found])


def _list_comments(call: Call) -> Answer:
    call.demand("read", "issues", "pull-requests")
    return call.page([call.json.comment(call.pull, comment) for comment in call.pull.comments])


def _add_comment(call: Call) -> Answer:
    call.demand("write", "issues", "pull-requests")
    pull = call.pull
    if pull.is_locked:
        raise RefusedError(403, "Unable to create comment because issue is locked.")
    _check_comment(call.body["body"])
    return Answer(201, call.json.comment(pull, call.repository.comment(pull, call.body["body"], call.token.login)))


def _change_comment(call: Call) -> Answer:
    call.demand("write", "issues", "pull-requests")
    pull, comment = call.comment()
    _check_comment(call.body["body"])
    comment.body = call.body["body"]
    comment.updated_s = call.world.now_s()
    return Answer(body=call.json.comment(pull, comment))


def _remove_comment(call: Call) -> Answer:
    call.demand("write", "issues", "pull-requests")
    pull, comment = call.comment()
    pull.comments.remove(comment)
    return Answer(204)


def _check_comment(body: str) -> None:
    if not body.strip():
        raise invalid_field("IssueComment", "body", "Body can't be blank")
    if len(body) > LONGEST_BODY:
        raise invalid_field("IssueComment", "body", _TOO_LONG)


def _list_reviews(call: Call) -> Answer:
    call.demand("read", "pull-requests")
    return call.page([call.json.review(call.pull, review) for review in call.pull.reviews])


def _list_review_comments(call: Call) -> Answer:
    call.demand("read", "pull-requests")
    return call.page([call.json.review_comment(call.pull, comment) for comment in call.pull.review_comments])


def _add_review(call: Call) -> Answer:
    """Make a review with all its comments, or nothing."""
    call.demand("write", "pull-requests")
    pull = call.pull
    event, body = _review_event(call, pull), call.body.get("body", "")
    commit = call.body.get("commit_id", pull.head_sha)
    if not pull.has_commit(commit):
        raise invalid("Commit is not part of the pull request")
    number, now_s = next(call.world.ids), call.world.now_s()
    comments = [_review_comment(call, pull, given, commit, number) for given in call.body.get("comments", ())]
    review = Review(number, call.token.login, body, _STATES[event], commit, now_s)
    pull.review_comments.extend(comments)
    pull.reviews.append(review)
    return Answer(body=call.json.review(pull, review))


def _review_event(call: Call, pull: PullRequest) -> str:
    event, body = call.body.get("event"), call.body.get("body", "")
    if event is None:  # GitHub would keep the review pending, where nobody but its author sees it
        raise invalid("The stand-in keeps no pending reviews: say the event")
    if pull.is_locked:
        raise RefusedError(403, "Unable to create comment because issue is locked.")
    if event != "COMMENT" and pull.author == call.token.login:
        raise invalid(f"Can not {event.lower().replace('_', ' ')} on your own pull request")
    if event == "APPROVE" and not call.token.is_personal and not pull.base_repository.actions_may_open_pull_requests:
        raise invalid("GitHub Actions is not permitted to approve pull requests.")
    if event != "APPROVE" and not body.strip():
        raise invalid("Body can't be blank")
    if len(body) > LONGEST_BODY:
        raise invalid(_TOO_LONG)
    return str(event)


def _review_comment(
    call: Call, pull: PullRequest, given: Mapping[str, Any], commit: str, review_id: int
) -> ReviewComment:
    side = given.get("side", "RIGHT")
    start_line = given.get("start_line")
    start_side = given.get("start_side", side) if start_line is not None else None
    if "position" in given:
        raise RefusedError(501, "The stand-in knows no positions: give lines")
    if not {side, start_side} <= {"LEFT", "RIGHT", None}:
        raise invalid("Side is not included in the list")
    if not given["body"].strip():
        raise invalid("Body can't be blank")
    if len(given["body"]) > LONGEST_BODY:
        raise invalid(_TOO_LONG)
    changed = {each.path: each for each in pull.store.changes(pull.base_sha, commit)}.get(given["path"])
    if changed is None or changed.patch is None:
        raise invalid("Path could not be resolved")
    if "line" not in given:
        raise invalid("Line could not be resolved")
    hunk, problem = commented_hunk(changed.patch, given["line"], side, start_line, start_side)
    if hunk is None:
        raise invalid(problem)
    return ReviewComment(
        id=next(call.world.ids),
        review_id=review_id,
        author=call.token.login,
        path=changed.path,
        body=given["body"],
        commit_id=commit,
        line=given["line"],
        side=side,
        start_line=start_line,
        start_side=start_side,
        hunk=hunk.text,
        created_s=call.world.now_s(),
    )


def _get_issue_comment(call: Call) -> Answer:
    call.demand("read", "issues", "pull-requests")
    return Answer(body=call.json.comment(*call.comment()))


_REPOSITORY = "/repos/{owner}/{repo}"
_PULL = f"{_REPOSITORY}/pulls/{{number}}"
ROUTES = (
    Route("GET", "/user", _get_user),
    Route("GET", _REPOSITORY, _get_repository),
    Route("GET", f"{_REPOSITORY}/pulls", _list_pulls),
    Route("POST", f"{_REPOSITORY}/pulls", _open_pull),
    Route("GET", _PULL, _get_pull),
    Route("PATCH", _PULL, _change_pull),
    Route("GET", f"{_PULL}/files", _list_files),
    Route("GET", f"{_PULL}/reviews", _list_reviews),
    Route("POST", f"{_PULL}/reviews", _add_review),
    Route("GET", f"{_PULL}/comments", _list_review_comments),
    Route("GET", f"{_REPOSITORY}/issues/{{number}}/comments", _list_comments),
    Route("POST", f"{_REPOSITORY}/issues/{{number}}/comments", _add_comment),
    Route("GET", f"{_REPOSITORY}/issues/comments/{{id}}", _get_issue_comment),
    Route("PATCH", f"{_REPOSITORY}/issues/comments/{{id}}", _change_comment),
    Route("DELETE", f"{_REPOSITORY}/issues/comments/{{id}}", _remove_comment),
    Route("GET", f"{_REPOSITORY}/commits/{{sha}}/pulls", _list_pulls_of_commit),
)
