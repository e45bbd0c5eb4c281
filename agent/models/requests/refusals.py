"""Why we end an exchange with a model's server ourselves: it sends us elsewhere, or its response has no end."""

from __future__ import annotations

MOST_RESPONSE_BYTES = 64 * 1024 * 1024  # many answers of the longest kind, with every character escaped


class RefusedError(Exception):
    """What a server wants is refused; asking it again does not help."""


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
