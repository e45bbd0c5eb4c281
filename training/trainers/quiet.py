"""Leaves the terminal to our own progress."""

from __future__ import annotations

import warnings
from logging import ERROR, getLogger

import datasets
from transformers.utils import logging


def quieten() -> None:
    """Silence what libraries print while they train, load and save."""
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    datasets.disable_progress_bars()
    getLogger("trl").setLevel(ERROR)  # it shows prompts and answers that have no reward, control characters and all
    # of names that TRL still uses
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"transformers\..*")
