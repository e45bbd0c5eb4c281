"""Where the text of an encoding goes: into the result, or into the digest of a part that is folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

try:
    from _blake2 import blake2b  # hashlib takes longer to import than most of the rest together
except ImportError:
    from hashlib import blake2b

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_DIGEST_BYTES = 24
_PENDING_TEXTS = 512


class EncodedText:
    """Takes text in the order in which it is written; what a subclass writes while it folds becomes one digest."""

    def __init__(self, budget: int) -> None:
        """`budget` characters are shown; each that is written counts, and the subclass folds when none is left."""
        self._text: List[str] = []
        self._budget = budget
        self._fold: Optional[Any] = None
        self._pending: List[str] = []  # text on its way into the digest

    def write(self, text: str) -> None:
        """Put text into the encoding."""
        if self._fold is not None:
            self._pending.append(text)
            if len(self._pending) >= _PENDING_TEXTS:
                self._digest_pending()
        else:
            self._text.append(text)
            self._budget -= len(text)

    def digest(self, data: bytes) -> str:
        """What stands for bytes that tell a person nothing."""
        return digest_of(data)

    def _begin_fold(self) -> None:
        self._fold = blake2b(digest_size=_DIGEST_BYTES)

    def _end_fold(self) -> str:
        self._digest_pending()
        digest: str = self._fold.hexdigest() if self._fold else ""
        self._fold = None
        return digest

    def _digest_pending(self) -> None:
        if self._fold is not None:
            self._fold.update("".join(self._pending).encode("utf-8", "backslashreplace"))
        self._pending.clear()


def digest_of(data: bytes) -> str:
    """What stands for data that is too large to be written out."""
    return blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()
