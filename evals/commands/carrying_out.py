"""Carries an evaluation out for the command line."""

from __future__ import annotations

import shlex
import shutil
import sys
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError, CancelledError
from afterburner.evals.commands.showing import show_evaluation, tell_outcome
from afterburner.evals.errors import DatasetError
from afterburner.evals.running.evaluate import evaluate

if TYPE_CHECKING:
    from afterburner.evals.running.evaluate import Resources
    from afterburner.evals.running.folder import RunFolder


def carry_out(folder: RunFolder, resources: Resources, *, is_new: bool, quiet: bool, verbose: bool) -> None:
    """Evaluate what is left of a run, show progress, and say what to do next.

    A new folder does not stay where nothing came of the run, so that another try may have its name.

    Raises:
        AfterburnerError: as `evaluate`.
    """
    try:
        with show_evaluation(quiet=quiet, detailed=verbose) as on_event:
            outcome = evaluate(folder, resources, on_event=on_event)
    except DatasetError:
        if not (folder.path / "problems").exists():  # nothing was measured
            shutil.rmtree(folder.path, ignore_errors=True)
        raise
    except AfterburnerError as error:
        is_stopped = isinstance(error, CancelledError)
        when = "Go on with" if is_stopped else "Once the error below is mended, go on with"
        sys.stderr.write(f"What is done is stored. {when}: {_resume(folder)}\n")
        raise
    except BaseException:
        sys.stderr.write(
            "What is done is stored, and so are a model's answers. Problems that were begun are measured again, and an "
            "answer that was under way is asked for again. "
            f"Go on with: {_resume(folder)}\n"
        )
        raise
    outcome.is_empty = outcome.is_empty and is_new
    if outcome.is_empty:
        shutil.rmtree(folder.path, ignore_errors=True)
    tell_outcome(outcome)


def _resume(folder: RunFolder) -> str:
    return f"afterburner-agent eval resume {shlex.quote(str(folder.path))}"
