"""Evaluation's libraries are an extra: whoever lacks them is told how to get them."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.evals.errors import EvaluationError
from afterburner.sandbox.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from afterburner.sandbox import AfterburnerError

EXTRAS: Mapping[str, str] = {
    "datasets": "hub",
    "matplotlib": "evals",
    "numpy": "evals",
    "pyarrow": "evals",
    "ray": "ray",
    "scipy": "evals",
}
NOTHING_STORED = "Nothing is stored yet. To begin anew, run the same command again.\n"  # of a run that is interrupted


def needing_extra(model: str = "") -> AbstractContextManager[None]:
    """Say which extra of evaluation is missing, where one is, with an EvaluationError.

    Args:
        model: that is going to be asked: one of LiteLLM's needs an extra, too, and both are named at once.
    """
    from afterburner.agent.models.registry import needs_litellm

    return needing(EXTRAS, EvaluationError, ("llm",) if model and needs_litellm(model) else ())


@contextmanager
def nothing_stored_yet() -> Iterator[None]:
    """Where a new run is interrupted within the block, say that nothing is stored, and how to begin again."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write(NOTHING_STORED)
        raise


@contextmanager
def needing(extras: Mapping[str, str], error_kind: type[AfterburnerError], more: Sequence[str] = ()) -> Iterator[None]:
    """Say which extra is missing, where one is.

    Args:
        extras: the extra of each module that belongs to one.
        error_kind: what is raised.
        more: extras that are needed as well, whose modules are not asked for until later.

    Raises:
        AfterburnerError: of that kind: one of the modules is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in extras:
            raise
        install = install_command(extras[missing], *more)
        message = f"This needs {missing}, which is not installed. Install it: {install}"
        raise error_kind(message) from error
