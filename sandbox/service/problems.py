"""Why there is no report: the reasons, and the HTTP status of each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from afterburner.sandbox.form_mistakes import describe_mistake
from afterburner.sandbox.service_schema import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.sandbox.errors import AfterburnerError

_STATUSES = {"usage": 422, "checker": 422, "unavailable": 501, "internal": 500}
_SHOWN_MISTAKES = 5
_NO_OBJECT = "This is not a JSON object, or the header `Content-Type: application/json` is missing"


class RefusalError(Exception):
    """A request is answered with something else than a report."""

    def __init__(self, status: int, kind: str, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(status, kind, message)
        self.status = status
        self.kind = kind
        self.message = message
        self.retry_after_s = retry_after_s
        self.hangs_up = False  # the client still sends what nobody wants

    def __str__(self) -> str:
        """What the client is told."""
        return self.message

    def response(self) -> JSONResponse:
        """What the client gets."""
        headers = {}
        if self.retry_after_s is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after_s)))
        if self.hangs_up:
            headers["Connection"] = "close"
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        return JSONResponse(
            {"status": "error", "kind": self.kind, "error": self.message}, status_code=self.status, headers=headers
        )


def busy(message: str) -> RefusalError:
    """The service takes no more work just now."""
    return RefusalError(503, "busy", message, retry_after_s=1.0)


def failure() -> RefusalError:
    """A mistake in the service. What it was is for the log alone."""
    return RefusalError(500, "internal", "The service failed; its log says where.")


def refusal_of(error: AfterburnerError) -> RefusalError:
    """One of our errors as an answer."""
    for kind, cause in KINDS.items():
        if isinstance(error, cause):
            return RefusalError(_STATUSES[kind], kind, str(error))
    return RefusalError(500, "internal", str(error))


def explain_mistakes(mistakes: Sequence[Mapping[str, object]]) -> RefusalError:
    """What is wrong with a request's form, without repeating what it says."""
    lines = [_described(mistake) for mistake in mistakes[:_SHOWN_MISTAKES]]
    if len(mistakes) > _SHOWN_MISTAKES:
        lines.append(f"and {len(mistakes) - _SHOWN_MISTAKES} more")
    return RefusalError(422, "usage", "The request is not in the form that /docs describes. " + "; ".join(lines))


def _described(mistake: Mapping[str, object]) -> str:
    if mistake.get("loc") == ("body",) and mistake.get("type") == "model_attributes_type":
        return f"body: {_NO_OBJECT}"
    return describe_mistake(mistake)
