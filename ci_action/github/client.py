"""A small client of GitHub's REST API: retries, rate limits, pages, errors in words."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx

from afterburner.ci_action.github.errors import GitHubError, NotAllowedError
from afterburner.ci_action.report.words import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

API_VERSION = "2022-11-28"
TIMEOUT_S = 30.0
PAGE_SIZE = 100
MOST_PAGES = 50
MOST_TRIES = 5
LONGEST_WAIT_S = 180.0  # for all tries of one request together
_FIRST_WAIT_S = 1.0
_SECONDARY_WAIT_S = 60.0  # what GitHub asks for where it names no time
_SECONDS = re.compile(r"[0-9]{1,12}")
_LIMITED = (403, 429)
_NOT_ALLOWED = (401, 403, 404)
_REPEATABLE = ("GET", "PATCH", "PUT", "DELETE")  # the same again does nothing twice


@dataclass(slots=True)
class GitHub:
    """Sends requests as one token.

    Attributes:
        http: with the address of the API and the token in its headers. See `connect`.
        sleep: waits so many seconds.
    """

    http: httpx.Client
    sleep: Callable[[float], None] = field(default=time.sleep)

    def get(self, path: str, **query: Any) -> Any:
        """Read one thing.

        Raises:
            NotAllowedError: the token may not see it, or it is not there.
            GitHubError: GitHub refuses, or cannot be reached.
        """
        return self.send("GET", path, query=query)

    def pages(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Read a list to its end, page by page, `MOST_PAGES` at most.

        Raises:
            NotAllowedError, GitHubError: as `get`.
        """
        for page in range(1, MOST_PAGES + 1):
            found = self.get(path, **query, per_page=PAGE_SIZE, page=page)
            if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
                raise GitHubError(f"GitHub's answer to GET {path} is no list. Run the job again later.")
            yield from found
            if len(found) < PAGE_SIZE:
                return

    def send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, query: Mapping[str, Any] | None = None
    ) -> Any:
        """Send a request, and retry it where that helps and repeats nothing; gives the decoded answer.

        Raises:
            NotAllowedError: the token may not do it.
            GitHubError: GitHub refuses, or cannot be reached. A request that creates something is not repeated after an
                answer that leaves open whether it was created.
        """
        waited_s = 0.0
        for attempt in range(1, MOST_TRIES + 1):
            response, problem = self._tried(method, path, body, query)
            if response is not None and response.is_success:
                return _decoded(method, path, response)
            wait_s = _wait_s(method, response, attempt)
            if wait_s is None or attempt == MOST_TRIES or waited_s + wait_s > LONGEST_WAIT_S:
                raise _error(method, path, response, problem)
            self.sleep(wait_s)
            waited_s += wait_s
        raise AssertionError(attempt)

    def _tried(
        self, method: str, path: str, body: Mapping[str, Any] | None, query: Mapping[str, Any] | None
    ) -> tuple[httpx.Response | None, str]:
        try:
            return self.http.request(method, path, json=body, params=query), ""
        except httpx.ConnectError as error:
            return None, f"cannot be reached ({error})"
        except httpx.HTTPError as error:
            return None, f"did not answer ({type(error).__name__}: {error})"


def connect(api_url: str, token: str) -> httpx.Client:
    """The connection. The token goes to this address alone: redirects are not followed."""
    return httpx.Client(
        base_url=api_url,
        timeout=TIMEOUT_S,
        follow_redirects=False,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "User-Agent": "afterburner-agent",
            "X-GitHub-Api-Version": API_VERSION,
        },
    )


def _decoded(method: str, path: str, response: httpx.Response) -> Any:
    try:
        return response.json() if response.content else None
    except (ValueError, RecursionError) as error:
        raise GitHubError(f"GitHub's answer to {method} {path} is no JSON. Run the job again later.") from error


def _wait_s(method: str, response: httpx.Response | None, attempt: int) -> float | None:
    """How long to wait before the next try; None: trying again does not help, or might do something twice."""
    backoff_s = _FIRST_WAIT_S * 2 ** (attempt - 1)
    if response is None:
        return backoff_s if method in _REPEATABLE else None
    if response.status_code in _LIMITED and (limit_s := _limited_s(response)) is not None:
        return limit_s
    if response.status_code >= 500:
        return backoff_s if method in _REPEATABLE else None
    return None


def _limited_s(response: httpx.Response) -> float | None:
    """How long a rate limit lasts, by GitHub's own rules; None: the answer is about something else."""
    after = response.headers.get("retry-after", "")
    if _SECONDS.fullmatch(after):
        return float(after)
    if response.headers.get("x-ratelimit-remaining") == "0":
        until = response.headers.get("x-ratelimit-reset", "")
        return max(float(until) - time.time(), 1.0) if _SECONDS.fullmatch(until) else _SECONDARY_WAIT_S
    if response.status_code == 429 or "secondary rate limit" in response.text.lower():
        return _SECONDARY_WAIT_S
    return None


def _error(method: str, path: str, response: httpx.Response | None, problem: str) -> GitHubError:
    what = f"{method} {path}"
    if response is None:
        return GitHubError(f"GitHub {problem}: {what}. Run the job again later.")
    said = one_line(_message_of(response), 300)
    status = response.status_code
    if status in _LIMITED and _limited_s(response) is not None:
        return GitHubError(f"GitHub's rate limit does not end soon: {what}: {said}. Run the job again later.", status)
    if status in _NOT_ALLOWED:
        advice = _advice(method, path)
        return NotAllowedError(f"GitHub does not allow {what} ({status}: {said}). {advice}", status)
    advice = "Run the job again later." if status >= 500 else "This is a bug, or the repository has changed meanwhile."
    return GitHubError(f"GitHub refuses {what} ({status}: {said}). {advice}", status)


def _advice(method: str, path: str) -> str:
    if method == "POST" and path.endswith("/pulls"):
        return (
            "Allow it in the repository's settings (Actions, General: allow GitHub Actions to create and approve pull "
            "requests), or give `github-token` the token of an app."
        )
    needed = "contents: write" if "/git/" in path else "pull-requests: write"
    return f"Give the job `permissions: {needed}`, and a token of this repository."


def _message_of(response: httpx.Response) -> str:
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        return response.reason_phrase
    if not isinstance(answer, dict):
        return response.reason_phrase
    errors = answer.get("errors")
    return ": ".join(
        filter(None, [str(answer.get("message", "")), *map(_detail, errors if isinstance(errors, list) else ())])
    )


def _detail(error: object) -> str:
    return str(error.get("message") or error.get("code", "")) if isinstance(error, dict) else str(error)
