r"""A stateful stand-in for GitHub's REST API: a real HTTP server on this machine, over real git repositories.

    with GitHubApi() as github:
        repository = github.add_repository("octo/shop", {"shop.py": "print(1)\n"})
        pull = repository.pull_request({"shop.py": "print(2)\n"}, fork="mallory")
        ...                                       # a client with github.url and github.token
        assert [comment.body for comment in pull.comments] == ["Hello"]
        assert github.sent("POST", "/comments$")[0].authorized

It checks each request against GitHub's own description, and leaving the block fails where one was not as described.
"""

from __future__ import annotations

import re
import sys
import tempfile
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from github_faults import SECONDARY_LIMIT, Fault, Faults, Hook, body_of
from github_http import Handler
from github_json import Renderer
from github_recording import Recorded, sent
from github_state import EVERYTHING, World
from openapi_check import github_description

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from github_state import Level, Repository

_ALWAYS = 1_000_000


class GitHubApi:
    """The stand-in. Its repositories, pull requests and comments are read and changed in place.

    Args:
        folder: Where its git repositories lie; without one, in a folder that goes away with it.

    Raises:
        DescriptionMissingError: GitHub's description is not installed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.description = github_description()
        self._own_folder = None if folder else tempfile.TemporaryDirectory()
        self.world = World(folder or Path(self._own_folder.name if self._own_folder else ""))
        self.requests: list[Recorded] = []
        self.violations: list[str] = []
        self.faults = Faults()
        self.lock = threading.RLock()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.json = Renderer(self.url)
        self.token = self.new_token()
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if self._own_folder:
            self._own_folder.cleanup()
        if kind is None:
            self.check()

    # What a test sets up

    def add_repository(
        self, name: str, files: Mapping[str, str | bytes | None] | None = None, **details: Any
    ) -> Repository:
        """Make a repository; `details` as `World.add_repository` takes them."""
        return self.world.add_repository(name, files, **details)

    def new_token(self, permissions: Mapping[str, Level] = EVERYTHING, **details: Any) -> str:
        """Make a token: a job's, or with `is_personal` a person's; `details` as `World.new_token` takes them."""
        return self.world.new_token(permissions, **details)

    def fail_next(
        self,
        method: str,
        path: str,
        status: int,
        *,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        times: int = 1,
        is_done: bool = False,
    ) -> None:
        """Answer the next requests of a method whose path a pattern finds with a failure.

        Args:
            method: The method, as `POST`.
            path: A regular expression.
            status: What to answer.
            headers: Headers beside the usual ones.
            body: What to answer with; without it, what GitHub says with this status.
            times: How many requests fail.
            is_done: Whether the request is carried out all the same, and only its answer lost.
        """
        given = body_of(status) if body is None else body
        self.faults.faults.append(Fault(method, re.compile(path), status, headers or {}, given, times, is_done))

    def limit_next(self, method: str, path: str, *, retry_after_s: int = 1, times: int = 1) -> None:
        """Answer with the secondary rate limit, which asks to wait."""
        body = body_of(403, SECONDARY_LIMIT)
        self.fail_next(method, path, 403, headers={"Retry-After": str(retry_after_s)}, body=body, times=times)

    def drop_next(self, method: str, path: str, *, times: int = 1, is_done: bool = False) -> None:
        """Close the connection without an answer; with `is_done`, after the request was carried out."""
        self.faults.faults.append(Fault(method, re.compile(path), None, {}, None, times, is_done))

    def on(self, method: str, path: str, callback: Callable[[Recorded], object], *, times: int = _ALWAYS) -> None:
        """Call a function before a request is answered: a push while one is commenting."""
        self.faults.hooks.append(Hook(method, re.compile(path), callback, times))

    # What a test looks at

    def sent(self, method: str, path: str = "") -> list[Recorded]:
        """Give the requests that came of one method, whose path a pattern finds."""
        return sent(self.requests, method, path)

    def take_violations(self) -> list[str]:
        """Give what the requests did that GitHub's description does not allow, and forget it: the test expects it."""
        taken, self.violations = self.violations, []
        return taken

    def check(self) -> None:
        """Fail where a request was not as GitHub describes it."""
        assert not self.violations, "requests that GitHub's description does not allow:\n" + "\n".join(self.violations)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, github: GitHubApi) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.github = github

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what went wrong within the stand-in, or within a test's own function, for the end of the test."""
        del request, client_address
        error = sys.exception()
        if not isinstance(error, ConnectionError):  # the client may leave
            self.github.violations.append(f"the stand-in itself failed: {error!r}")
