"""The JSON that GitHub answers for what the stand-in knows, complete enough for GitHub's own description."""

from __future__ import annotations

import base64
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from github_addresses import REPOSITORY_PATHS, USER_PATHS
from github_state import BOT

if TYPE_CHECKING:
    from github_git import ChangedFile
    from github_state import Comment, PullRequest, Repository, Review, ReviewComment

Json = dict[str, Any]
SITE = "https://github.com"
_BOT_ID = 41898282
_LARGEST_CONTENT = 1024 * 1024  # GitHub gives what is larger only raw
_COUNTS = ("forks", "forks_count", "stargazers_count", "watchers", "watchers_count", "size", "network_count")
_NOTHING = ("description", "homepage", "language", "license", "mirror_url")


def time_text(seconds: int) -> str:
    """Write a time as GitHub does."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Renderer:
    """Writes JSON whose addresses lead back to the stand-in."""

    def __init__(self, api: str) -> None:
        self._api = api

    def user(self, login: str) -> Json:
        """A user or a bot."""
        is_bot = login.endswith("[bot]")
        number = _BOT_ID if login == BOT else zlib.crc32(login.encode())
        url = f"{self._api}/users/{login}"
        return {
            "login": login,
            "id": number,
            "node_id": _node("U", number),
            "avatar_url": f"https://avatars.githubusercontent.com/u/{number}?v=4",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{SITE}/{login}",
            **{f"{name}_url": url + path for name, path in USER_PATHS.items()},
            "type": "Bot" if is_bot else "User",
            "site_admin": False,
        }

    def public_user(self, login: str) -> Json:
        """What `GET /user` tells of who a token is for."""
        unknown = dict.fromkeys(("name", "company", "blog", "location", "email", "hireable", "bio"))
        counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
        times = dict.fromkeys(("created_at", "updated_at"), "2024-01-01T00:00:00Z")
        return {**self.user(login), **unknown, **counts, **times}

    def repository(self, repository: Repository) -> Json:
        """A repository, as it stands alone and within a pull request."""
        url, site = self._repository_url(repository), f"{SITE}/{repository.name}"
        times = dict.fromkeys(("created_at", "updated_at", "pushed_at"), "2025-01-01T00:00:00Z")
        open_pulls = sum(pull.state == "open" for pull in repository.pulls.values())
        return {
            "id": repository.id,
            "node_id": _node("R", repository.id),
            "name": repository.short_name,
            "full_name": repository.name,
            "owner": self.user(repository.owner),
            "private": repository.is_private,
            "visibility": "private" if repository.is_private else "public",
            "fork": repository.parent is not None,
            "default_branch": repository.default_branch,
            "url": url,
            "html_url": site,
            "clone_url": f"{site}.git",
            "git_url": f"git://github.com/{repository.name}.git",
            "ssh_url": f"git@github.com:{repository.name}.git",
            "svn_url": site,
            **{f"{name}_url": url + path for name, path in REPOSITORY_PATHS.items()},
            **dict.fromkeys(_NOTHING),
            **dict.fromkeys(_COUNTS, 0),
            "subscribers_count": 0,
            "open_issues": open_pulls,
            "open_issues_count": open_pulls,
            **dict.fromkeys(("has_issues", "has_projects", "has_wiki", "has_downloads"), True),
            **dict.fromkeys(("has_pages", "has_discussions", "archived", "disabled", "is_template"), False),
            "allow_forking": True,
            "web_commit_signoff_required": False,
            "topics": [],
            **times,
        }

    def pull_request(self, pull: PullRequest) -> Json:
        """A pull request as lists have it."""
        url, site = self._pull_url(pull), f"{SITE}/{pull.base_repository.name}/pull/{pull.number}"
        issue = url.replace("/pulls/", "/issues/")
        statuses = f"{self._repository_url(pull.base_repository)}/statuses/{pull.head_sha}"
        links = {
            "self": url,
            "html": site,
            "issue": issue,
            "comments": f"{issue}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{self._repository_url(pull.base_repository)}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": statuses,
        }
        named = ("issue", "comments", "review_comments", "review_comment", "commits", "statuses")
        return {
            "id": pull.id,
            "node_id": _node("PR", pull.id),
            "number": pull.number,
            "state": pull.state,
            "locked": pull.is_locked,
            "draft": pull.is_draft,
            "title": pull.title,
            "body": pull.body,
            "user": self.user(pull.author),
            "author_association": "CONTRIBUTOR" if pull.is_from_fork else "MEMBER",
            "labels": [self._label(pull.base_repository, name) for name in pull.labels],
            "head": self._side(pull.head_repository, pull.head_ref, pull.head_sha),
            "base": self._side(pull.base_repository, pull.base_ref, pull.base_sha),
            "merge_commit_sha": pull.merge_sha,
            "url": url,
            "html_url": site,
            "diff_url": f"{site}.diff",
            "patch_url": f"{site}.patch",
            **{f"{name}_url": links[name] for name in named},
            "_links": {name: {"href": address} for name, address in links.items()},
            "created_at": time_text(pull.created_s),
            "updated_at": time_text(pull.created_s),
            **dict.fromkeys(("closed_at", "merged_at", "milestone", "assignee", "auto_merge", "active_lock_reason")),
            **{name: [] for name in ("assignees", "requested_reviewers", "requested_teams")},
        }

    def whole_pull_request(self, pull: PullRequest) -> Json:
        """A pull request as it stands alone, with what it changes counted."""
        files = pull.files()
        return {
            **self.pull_request(pull),
            "merged": False,
            "merged_by": None,
            "mergeable": pull.merge_sha is not None,
            "mergeable_state": "clean" if pull.merge_sha else "dirty",
            "rebaseable": pull.merge_sha is not None,
            "maintainer_can_modify": pull.is_from_fork,
            "comments": len(pull.comments),
            "review_comments": len(pull.review_comments),
            "commits": len(pull.commits()),
            "additions": sum(each.additions for each in files),
            "deletions": sum(each.deletions for each in files),
            "changed_files": len(files),
        }

    def file(self, pull: PullRequest, changed: ChangedFile) -> Json:
        """A changed file of a pull request."""
        site = f"{SITE}/{pull.base_repository.name}"
        contents = f"{self._repository_url(pull.base_repository)}/contents/{changed.path}?ref={pull.head_sha}"
        return {
            "sha": changed.blob,
            "filename": changed.path,
            "status": changed.status,
            "additions": changed.additions,
            "deletions": changed.deletions,
            "changes": changed.additions + changed.deletions,
            "blob_url": f"{site}/blob/{pull.head_sha}/{changed.path}",
            "raw_url": f"{site}/raw/{pull.head_sha}/{changed.path}",
            "contents_url": contents,
            **({} if changed.patch is None else {"patch": changed.patch}),
            **({} if changed.previous_path is None else {"previous_filename": changed.previous_path}),
        }

    def comment(self, pull: PullRequest, comment: Comment) -> Json:
        """A comment below a pull request."""
        url = self._repository_url(pull.base_repository)
        return {
            "id": comment.id,
            "node_id": _node("IC", comment.id),
            "url": f"{url}/issues/comments/{comment.id}",
            "html_url": f"{SITE}/{pull.base_repository.name}/pull/{pull.number}#issuecomment-{comment.id}",
            "issue_url": f"{url}/issues/{pull.number}",
            "user": self.user(comment.author),
            "body": comment.body,
            "author_association": "NONE",
            "created_at": time_text(comment.created_s),
            "updated_at": time_text(comment.updated_s),
        }

    def review(self, pull: PullRequest, review: Review) -> Json:
        """A review."""
        site = f"{SITE}/{pull.base_repository.name}/pull/{pull.number}#pullrequestreview-{review.id}"
        return {
            "id": review.id,
            "node_id": _node("PRR", review.id),
            "user": self.user(review.author),
            "body": review.body,
            "state": review.state,
            "commit_id": review.commit_id,
            "html_url": site,
            "pull_request_url": self._pull_url(pull),
            "author_association": "NONE",
            "submitted_at": time_text(review.submitted_s),
            "_links": {"html": {"href": site}, "pull_request": {"href": self._pull_url(pull)}},
        }

    def review_comment(self, pull: PullRequest, comment: ReviewComment) -> Json:
        """A comment on lines; GitHub calls lines that are no longer in the newest diff null."""
        is_current = comment.commit_id == pull.head_sha
        url = f"{self._repository_url(pull.base_repository)}/pulls/comments/{comment.id}"
        site = f"{SITE}/{pull.base_repository.name}/pull/{pull.number}#discussion_r{comment.id}"
        links = {"self": url, "html": site, "pull_request": self._pull_url(pull)}
        return {
            "id": comment.id,
            "node_id": _node("PRRC", comment.id),
            "url": url,
            "html_url": site,
            "pull_request_url": self._pull_url(pull),
            "_links": {name: {"href": address} for name, address in links.items()},
            "pull_request_review_id": comment.review_id,
            "user": self.user(comment.author),
            "author_association": "NONE",
            "path": comment.path,
            "body": comment.body,
            "diff_hunk": comment.hunk,
            "commit_id": comment.commit_id,
            "original_commit_id": comment.commit_id,
            "line": comment.line if is_current else None,
            "original_line": comment.line,
            "start_line": comment.start_line if is_current else None,
            "original_start_line": comment.start_line,
            "side": comment.side,
            "start_side": comment.start_side,
            "subject_type": "line",
            "created_at": time_text(comment.created_s),
            "updated_at": time_text(comment.created_s),
        }

    def content(
        self, repository: Repository, path: str, ref: str, *, kind: str, sha: str, data: bytes | None = None
    ) -> Json:
        """A file with its content, or without it an entry of a folder."""
        url, site = self._repository_url(repository), f"{SITE}/{repository.name}"
        addresses = {
            "self": f"{url}/contents/{path}?ref={ref}",
            "git": f"{url}/git/{'trees' if kind == 'dir' else 'blobs'}/{sha}",
            "html": f"{site}/blob/{ref}/{path}",
        }
        body = {}
        if data is not None:
            is_small = len(data) <= _LARGEST_CONTENT
            text = base64.encodebytes(data).decode() if is_small else ""
            body = {"encoding": "base64" if is_small else "none", "content": text}
        return {
            "type": kind,
            "name": path.rsplit("/", 1)[-1],
            "path": path,
            "sha": sha,
            "size": len(data or b""),
            "url": addresses["self"],
            "git_url": addresses["git"],
            "html_url": addresses["html"],
            "download_url": None,
            "_links": addresses,
            **body,
        }

    def reference(self, repository: Repository, name: str, sha: str) -> Json:
        """A git reference, as `refs/heads/main`."""
        url = self._repository_url(repository)
        pointed = {"type": "commit", "sha": sha, "url": f"{url}/git/commits/{sha}"}
        return {"ref": name, "node_id": _node("REF", sha), "url": f"{url}/git/{name}", "object": pointed}

    def git_url(self, repository: Repository, kind: str, sha: str) -> str:
        """The address of a git object, as of the kind `trees`."""
        return f"{self._repository_url(repository)}/git/{kind}/{sha}"

    def _side(self, repository: Repository, ref: str, sha: str) -> Json:
        return {
            "label": f"{repository.owner}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": self.user(repository.owner),
            "repo": self.repository(repository),
        }

    def _label(self, repository: Repository, name: str) -> Json:
        number = zlib.crc32(name.encode())
        return {
            "id": number,
            "node_id": _node("LA", number),
            "url": f"{self._repository_url(repository)}/labels/{name}",
            "name": name,
            "color": "ededed",
            "default": False,
            "description": "",
        }

    def _repository_url(self, repository: Repository) -> str:
        return f"{self._api}/repos/{repository.name}"

    def _pull_url(self, pull: PullRequest) -> str:
        return f"{self._repository_url(pull.base_repository)}/pulls/{pull.number}"


def _node(kind: str, number: object) -> str:
    return f"{kind}_{base64.urlsafe_b64encode(str(number).encode()).decode().rstrip('=')}"
