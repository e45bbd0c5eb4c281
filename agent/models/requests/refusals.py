"""Why we end an exchange with a model's server ourselves, or do not begin it."""

from __future__ import annotations

MOST_RESPONSE_BYTES = 64 * 1024 * 1024  # many answers of the longest kind, with every character escaped


class RefusedError(Exception):
    """We refuse to send or to read on; asking again does not help."""


class RedirectedError(RefusedError):
    """A server sends its client to another host: the user's code and keys would go along."""

    def __init__(self, server: str, destination: str) -> None:
        super().__init__(server, destination)
        self.server = server
        self.destination = destination

    def __str__(self) -> str:
        """One line that says what to do."""
        return f"Its server {self.server} sends us to {self.destination}; if you trust that one, give its address."


class EndlessResponseError(RefusedError):
    """A server sends more than any answer holds; its connection is closed."""

    def __str__(self) -> str:
        """One line."""
        return f"Its server's response is longer than {MOST_RESPONSE_BYTES >> 20} MiB."


class UnguardedError(RefusedError):
    """LiteLLM would send our request by a client that goes where the server says, and cannot be stopped."""

    def __str__(self) -> str:
        """One line that says what to do."""
        return (
            "Something else in this process has replaced the class of the module `litellm`, so it does not use our "
            "HTTP client. Ask models in a process of their own."
        )
