"""The token that a service asks its clients for: where either of them finds it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

BEARER_VARIABLE = "AFTERBURNER_SERVICE_TOKEN"
_SHORTEST_TOKEN = 16  # characters


def read_token(file: Path | None) -> str | None:
    """The token: from a file, else from the environment variable; never from the command line, which others can read.

    Raises:
        UsageError: it cannot be read, or is no token.
    """
    if file is None:
        token, origin = os.environ.get(BEARER_VARIABLE), f"The environment variable {BEARER_VARIABLE}"
        if token is None:
            return None
    else:
        origin = f"The file {file}"
        try:
            token = file.read_text("ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"The token cannot be read from {file}: {error}.") from error
    if len(token) < _SHORTEST_TOKEN or not (token.isascii() and token.isprintable()) or " " in token:
        raise UsageError(
            f"{origin} holds no usable token: at least {_SHORTEST_TOKEN} ASCII characters, no spaces. "
            "`openssl rand -hex 32` makes a good one."
        )
    return token
