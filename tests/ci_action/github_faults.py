"""What goes wrong on purpose in the stand-in for GitHub, and what happens in the middle of a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from github_calls import DOCS, NO_PERMISSION

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    from github_recording import Recorded

SECONDARY_LIMIT = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
    "If you reach out to GitHub Support for help, please include the request ID."
)
PRIMARY_LIMIT = "API rate limit exceeded for installation ID 1."
_MESSAGES = {
    401: "Bad credentials",
    403: NO_PERMISSION,
    404: "Not Found",
    409: "Git Repository is empty.",
    410: "This issue was deleted",
    422: "Validation Failed",
    429: PRIMARY_LIMIT,
    451: "Repository access blocked",
}
_UNICORN = "<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head><body></body></html>\n"


@dataclass
class Fault:
    """An answer in place of the right one, or none at all where the status is None."""

    method: str
    path: re.Pattern[str]
    status: int | None
    headers: Mapping[str, str]
    body: Any
    left: int
    is_done: bool  # the request is carried out, and only its answer is lost

    def fits(self, method: str, path: str) -> bool:
        """Say whether it is for a request, and still to come."""
        return self.left > 0 and self.method == method and self.path.search(path) is not None


@dataclass
class Hook:
    """What is called before a request is answered."""

    method: str
    path: re.Pattern[str]
    callback: Callable[[Recorded], object]
    left: int


@dataclass
class Faults:
    """All that is to go wrong or to happen; the first that fits a request is taken."""

    faults: list[Fault] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)

    def take(self, method: str, path: str) -> Fault | None:
        """Give the fault for a request and count it, if there is one."""
        for fault in self.faults:
            if fault.fits(method, path):
                fault.left -= 1
                return fault
        return None

    def hooks_for(self, method: str, path: str) -> list[Hook]:
        """Give what is to be called for a request, and count it."""
        found = [hook for hook in self.hooks if hook.left and hook.method == method and hook.path.search(path)]
        for hook in found:
            hook.left -= 1
        return found

    @property
    def left(self) -> list[str]:
        """The faults that no request has met."""
        return [f"{fault.method} {fault.path.pattern}: {fault.status}" for fault in self.faults if fault.left]


def body_of(status: int, message: str | None = None) -> Any:
    """Give what GitHub says with a status: JSON, and of its own failures a page."""
    if status >= 500 and message is None:
        return _UNICORN
    return {"message": message or _MESSAGES.get(status, ""), "documentation_url": DOCS, "status": str(status)}
