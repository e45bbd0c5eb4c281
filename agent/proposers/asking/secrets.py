"""Keeps the values of secret environment variables out of whatever is sent, stored or told."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from afterburner.agent.errors import ProposerError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$", re.IGNORECASE)
_SHORTEST = 8  # what is shorter is no secret, and would be found in any text
HIDDEN = "…"


class Scrubber:
    """Replaces secret values. They are read once, so that a text is scrubbed alike at all times of a run."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """Take the values of variables that are named like secrets, and passwords in addresses."""
        variables = os.environ if environment is None else environment
        found = {value.strip() for name, value in variables.items() if _SECRET.search(name)}
        found |= {password for value in variables.values() if (password := _password(value))}
        self._values = sorted((value for value in found if len(value) >= _SHORTEST), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Give the text without the values."""
        for value in self._values:
            text = text.replace(value, HIDDEN)
        return text

    def restored(self, code: str, original: str) -> str:
        """Put the value back into code that was written after an original which had it replaced.

        Args:
            code: what a model answered.
            original: the code that it was sent, as it was before.

        Raises:
            ProposerError: the code holds the sign for a value, and which value it stood for cannot be told.
        """
        hidden, rest = list[str](), original
        for value in self._values:
            if value in rest:
                hidden.append(value)
                rest = rest.replace(value, HIDDEN)
        if not hidden or HIDDEN not in code:
            return code
        if len(hidden) > 1 or HIDDEN in original:
            raise ProposerError(
                f"The answer holds {HIDDEN}, which stood for the value of a secret environment variable; of which one "
                "cannot be told. Take such values out of the code, or out of the environment."
            )
        return code.replace(HIDDEN, hidden[0])


def _password(value: str) -> str | None:
    if "://" not in value:
        return None
    try:
        return urlsplit(value).password
    except ValueError:
        return None
