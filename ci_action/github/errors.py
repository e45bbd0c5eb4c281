"""The leaves that GitHub adds to the exception tree; the root is drawn in `afterburner.sandbox.errors`.

AfterburnerError
└── GitHubError             exit 1   the API refused, or cannot be reached
    └── NotAllowedError     exit 1   the token may not do this, or may not see this
"""

from afterburner.agent import AfterburnerError


class GitHubError(AfterburnerError):
    """GitHub refused a request, or cannot be reached. `status` is that of its answer; 0: there was none."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class NotAllowedError(GitHubError):
    """The token may not do this: GitHub answers 401, 403 or 404."""
