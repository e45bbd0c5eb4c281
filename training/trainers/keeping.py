"""What all trainers do alike: a checkpoint that cannot be written ends the run, and the last whole one stays."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from afterburner.training.errors import TrainingError
from afterburner.training.trainers.following import check_finite
from afterburner.training.trainers.writing import WRITE_ERRORS, is_write_error


class KeepsCheckpoints:
    """To be mixed into a trainer of transformers."""

    args: Any
    state: Any

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """Write a checkpoint, or remove what there is of it.

        Raises:
            TrainingError: the disk is full, or cannot be written for another reason; or a weight is no number.
        """
        check_finite(model, self.state.global_step)
        try:
            super()._save_checkpoint(model, trial)  # type: ignore[misc]
        except WRITE_ERRORS as error:
            folder = Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}"
            shutil.rmtree(folder, ignore_errors=True)
            if not is_write_error(error):
                raise
            raise TrainingError(
                f"The checkpoint of step {self.state.global_step} cannot be written to {folder.parent}: "
                f"{' '.join(str(error).split())}. Earlier ones are kept: free some space and run the same "
                "command again."
            ) from error
