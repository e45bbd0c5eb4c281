"""Evaluation's libraries are an extra: whoever lacks them is told how to get them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.evals.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXTRAS = {"datasets": "hub", "ray": "ray"}
_OURS = frozenset({"datasets", "duckdb", "matplotlib", "numpy", "pyarrow", "ray", "scipy"})


@contextmanager
def needing_extra() -> Iterator[None]:
    """Say which extra is missing, where one is.

    Raises:
        EvaluationError: a library of evaluation is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _OURS:
            raise
        extra = _EXTRAS.get(missing, "evals")
        raise EvaluationError(
            f"This needs {missing}, which is not installed. Install it: pip install '.[{extra}]' in the clone."
        ) from error
