"""What a handler of the stand-in for GitHub is given, what it answers, and how it refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from github_json import Renderer
    from github_state import Comment, Level, PullRequest, Repository, Token, World

DOCS = "https://docs.github.com/rest"
NOT_FOUND = "Not Found"
NO_PERMISSION = "Resource not accessible by integration"
_PAGE, _LARGEST_PAGE = 30, 100


class RefusedError(Exception):
    """GitHub refuses a request."""

    def __init__(self, status: int, message: str, errors: Sequence[object] = (), **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        more = {"errors": list(errors)} if errors else {}
        self.body = {"message": message, **more, "documentation_url": DOCS, "status": str(status)}


def not_found() -> RefusedError:
    """Give the refusal for what is not there, or not for this token to know."""
    return RefusedError(404, NOT_FOUND)


def invalid(*errors: str) -> RefusedError:
    """Give the refusal whose errors are sentences."""
    return RefusedError(422, "Unprocessable Entity", errors)


def invalid_field(resource: str, name: str, message: str) -> RefusedError:
    """Give the refusal that names a field."""
    error = {"resource": resource, "code": "custom", "field": name, "message": message}
    return RefusedError(422, "Validation Failed", [error])


@dataclass(frozen=True)
class Answer:
    """An answer: JSON, a text for another media type than JSON, or nothing."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """One request, read."""

    world: World
    token: Token
    json: Renderer
    url: str  # without the query
    values: Mapping[str, str]
    query: Mapping[str, Sequence[str]]
    body: Mapping[str, Any]
    accept: str

    def asked(self, name: str, default: str = "") -> str:
        """Give what the query says last for a name."""
        return self.query[name][-1] if self.query.get(name) else default

    @property
    def repository(self) -> Repository:
        """The repository that the address names, if the token may know of it."""
        found = self.world.repositories.get(f"{self.values['owner']}/{self.values['repo']}".lower())
        if found is None or (found.is_private and not self.token.reaches(found.name)):
            raise not_found()
        return found

    @property
    def pull(self) -> PullRequest:
        """The pull request that the address names."""
        found = self.repository.pulls.get(int(self.values["number"]))
        if found is None:
            raise not_found()
        return found

    def comment(self) -> tuple[PullRequest, Comment]:
        """Give the comment that the address names, and where it is."""
        for pull in self.repository.pulls.values():
            for comment in pull.comments:
                if comment.id == int(self.values["id"]):
                    return pull, comment
        raise not_found()

    def demand(self, level: Level, *permissions: str) -> None:
        """Check that the token has one of some permissions; whoever reads what is public needs none.

        Raises:
            RefusedError: It has none of them.
        """
        repository = self.repository
        if level == "read" and not repository.is_private:
            return
        if self.token.reaches(repository.name) and any(self.token.allows(each, level) for each in permissions):
            return
        who = "personal access token" if self.token.is_personal else "integration"
        raise RefusedError(403, f"Resource not accessible by {who}")

    def page(self, items: Sequence[Any]) -> Answer:
        """Give one page of a list, with the addresses of its neighbours as the header `Link`."""
        size = min(max(int(self.asked("per_page", str(_PAGE))), 1), _LARGEST_PAGE)
        number = max(int(self.asked("page", "1")), 1)
        last = max(-(-len(items) // size), 1)
        neighbours = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
        shown = {
            name: page
            for name, page in neighbours.items()
            if (number < last if name in {"next", "last"} else number > 1)
        }
        link = ", ".join(f'<{self._address(page)}>; rel="{name}"' for name, page in shown.items())
        start = (number - 1) * size
        return Answer(body=items[start : start + size], headers={"Link": link} if link else {})

    def _address(self, page: int) -> str:
        others = [(name, value) for name, values in self.query.items() if name != "page" for value in values]
        query = "&".join(f"{quote(name)}={quote(value)}" for name, value in [*others, ("page", str(page))])
        return f"{self.url}?{query}"


class Route:
    """An operation that the stand-in knows: method, path and handler; `{name...}` takes all that is left."""

    def __init__(self, method: str, path: str, handle: Callable[[Call], Answer]) -> None:
        self.method = method
        self.path = path
        self.handle = handle
        pattern = re.sub(r"\{(\w+)\.\.\.\}", r"(?P<\1>.+)", path)
        self._pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern))

    def match(self, method: str, path: str) -> dict[str, str] | None:
        """Give the values of its parameters in a path, or None where it is another's."""
        found = self._pattern.fullmatch(path) if method == self.method else None
        return {name: unquote(value) for name, value in found.groupdict().items()} if found else None
