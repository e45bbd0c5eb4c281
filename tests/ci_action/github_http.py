"""How the stand-in for GitHub reads a request off the wire, checks it, and writes the answer."""

from __future__ import annotations

import json
import socket
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from github_calls import Answer, Call, RefusedError
from github_git import GitError
from github_git_routes import ROUTES as GIT_ROUTES
from github_recording import Recorded, without_secrets
from github_routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from github_api import GitHubApi
    from github_state import Token

_LIMIT, _RESET_S = 5000, 1_790_000_000
_VERSIONS = {"", "2022-11-28", "2026-03-10"}
_NO_LINE = ".line: None is not of type 'integer'"  # GitHub answers null for old lines, whatever its description says
_JSON_TYPES = ("*/*", "application/json", "application/vnd.github+json", "application/vnd.github.v3+json")
_OTHER_TYPES = (
    "application/vnd.github.diff",
    "application/vnd.github.v3.diff",
    "application/vnd.github.raw+json",
    "application/vnd.github.raw",
)


class Handler(BaseHTTPRequestHandler):
    """Answers one request and closes the connection."""

    server: Any  # with the stand-in as `github`

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PATCH(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""

    def _answer(self) -> None:
        github: GitHubApi = self.server.github
        token = _token(github, self.headers.get("Authorization", ""))
        recorded, leaks = self._recorded(github, is_authorized=token is not None)
        github.requests.append(recorded)
        for hook in github.faults.hooks_for(recorded.method, recorded.path):
            hook.callback(recorded)
        with github.lock:
            github.violations += leaks
            answer = _answered(github, recorded, token)
        if answer is None:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        recorded.status = answer.status
        self._write(answer, used=len(github.requests))

    def _recorded(self, github: GitHubApi, *, is_authorized: bool) -> tuple[Recorded, list[str]]:
        """Read the request, and take out of it each token: it belongs into one header, and anywhere else it leaks."""
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        headers = without_secrets(dict(self.headers))
        leaks = []
        texts = [self.path, data, *headers.values()]
        for value in github.world.tokens:
            if any(value in text for text in texts):
                leaks.append(f"{self.command} {self.path.replace(value, '***')}: a token is in the request itself")
                texts = [text.replace(value, "***") for text in texts]
        parts = urlsplit(texts[0])
        return Recorded(
            self.command,
            parts.path,
            parse_qs(parts.query, keep_blank_values=True),
            dict(zip(headers, texts[2:], strict=True)),
            _parsed(texts[1]),
            is_authorized,
        ), leaks

    def _write(self, answer: Answer, used: int) -> None:
        kind, data = _encoded(answer.body)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            "X-GitHub-Media-Type": "github.v3; format=json",
            "X-GitHub-Request-Id": f"0000:{used:04X}",
            "X-RateLimit-Limit": str(_LIMIT),
            "X-RateLimit-Remaining": str(max(_LIMIT - used, 0)),
            "X-RateLimit-Used": str(used),
            "X-RateLimit-Reset": str(_RESET_S),
            "X-RateLimit-Resource": "core",
        }
        self.send_response(answer.status)
        for name, value in _merged(headers, answer.headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _answered(github: GitHubApi, recorded: Recorded, token: Token | None) -> Answer | None:
    """Make the answer to a request, or None for none."""
    fault = github.faults.take(recorded.method, recorded.path)
    if fault is None:
        return _carried_out(github, recorded, token)
    if fault.is_done:
        _carried_out(github, recorded, token)
    else:
        github.violations += _problems(github, recorded)
    return None if fault.status is None else Answer(fault.status, fault.body, fault.headers)


def _carried_out(github: GitHubApi, recorded: Recorded, token: Token | None) -> Answer:
    try:
        _check_headers(recorded.headers)
        answer = _routed(github, recorded, _checked(github, recorded, token))
    except RefusedError as refused:
        if refused.status == 501:
            github.violations.append(f"{recorded.method} {recorded.path}: {refused}")
        return Answer(refused.status, refused.body)
    except GitError as error:
        return Answer(422, RefusedError(422, str(error)).body)
    if not isinstance(answer.body, bytes | str):
        found = github.description.answer_problems(recorded.method, recorded.path, answer.status, answer.body)
        github.violations += [f"the stand-in itself: {each}" for each in found if not each.endswith(_NO_LINE)]
    return answer


def _checked(github: GitHubApi, recorded: Recorded, token: Token | None) -> Token:
    if token is None:
        raise RefusedError(401, "Bad credentials")
    problems = _problems(github, recorded)
    github.violations += problems
    if problems:
        raise RefusedError(422, f"Invalid request.\n\n{problems[0]}")
    return token


def _problems(github: GitHubApi, recorded: Recorded) -> list[str]:
    if recorded.body is not None and not isinstance(recorded.body, dict):
        return [f"{recorded.method} {recorded.path}: the body is no JSON object"]
    return github.description.request_problems(
        recorded.method, recorded.path, recorded.query, recorded.body, has_body=recorded.body is not None
    )


def _routed(github: GitHubApi, recorded: Recorded, token: Token) -> Answer:
    for route in (*ROUTES, *GIT_ROUTES):
        values = route.match(recorded.method, recorded.path)
        if values is not None:
            call = Call(
                world=github.world,
                token=token,
                json=github.json,
                url=github.url + recorded.path,
                values=values,
                query=recorded.query,
                body=recorded.body or {},
                accept=recorded.headers.get("accept", "*/*"),
            )
            return route.handle(call)
    raise RefusedError(501, f"The stand-in does not know {recorded.method} {recorded.path}")


def _check_headers(headers: Mapping[str, str]) -> None:
    if not headers.get("user-agent"):
        raise RefusedError(403, "Request forbidden by administrative rules. Please make sure to send a User-Agent.")
    if headers.get("x-github-api-version", "") not in _VERSIONS:
        raise RefusedError(400, "The version in X-GitHub-Api-Version is not supported")
    accepted = {each.split(";")[0].strip() for each in headers.get("accept", "*/*").split(",")}
    if not accepted & {*_JSON_TYPES, *_OTHER_TYPES}:
        raise RefusedError(415, "Unsupported 'Accept' header. Must accept 'application/json'.")


def _token(github: GitHubApi, authorization: str) -> Token | None:
    scheme, _, value = authorization.partition(" ")
    found = github.world.tokens.get(value.strip()) if scheme.lower() in {"bearer", "token"} else None
    return None if found is None or found.is_revoked else found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text


def _encoded(body: Any) -> tuple[str, bytes]:
    if body is None:
        return "text/plain", b""
    if isinstance(body, bytes):
        return "application/vnd.github.raw+json; charset=utf-8", body
    if isinstance(body, str):
        return "text/html; charset=utf-8", body.encode("utf-8", "surrogateescape")
    return "application/json; charset=utf-8", json.dumps(body).encode()


def _merged(usual: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Put headers over the usual ones, whatever case their names are in."""
    named = {name.lower() for name in given}
    return {**{name: value for name, value in usual.items() if name.lower() not in named}, **given}
