"""What the Hugging Face hub, or its cache on this machine, has of a model."""

from __future__ import annotations

from logging import ERROR, getLogger
from typing import TYPE_CHECKING

from transformers.utils.hub import cached_file

if TYPE_CHECKING:
    from collections.abc import Iterator


def is_cached(name: str) -> bool:
    """Whether the cache on this machine holds a model's tokenizer."""
    try:
        return cached_file(name, "tokenizer_config.json", local_files_only=True) is not None
    except OSError:  # it is not there, or the name is none of the hub's
        return False


def quieten_hub() -> None:
    """Silence what the hub's library prints of each attempt to reach it: one error tells of them all."""
    getLogger("huggingface_hub").setLevel(ERROR)


def why_not_on_hub(name: str, error: BaseException, advice: str) -> str:
    """What to tell of a model that is no folder and could not be loaded from the hub; empty: its files are at fault.

    Args:
        name: of the model.
        error: that transformers raised.
        advice: the end of the message if there is no such model.
    """
    kinds = {
        kind.__name__ for each in _causes(error) for kind in type(each).__mro__
    }  # of what the hub's library raises
    if "GatedRepoError" in kinds:
        return f"The hub gives {name} only to users with access. Ask on the model's page, then run hf auth login."
    if "RepositoryNotFoundError" in kinds:
        return f"There is no model at {name}, neither as a folder nor on the hub. {advice}"
    if kinds & {"ConnectionError", "LocalEntryNotFoundError"}:
        return (
            f"There is no folder {name}, and the Hugging Face hub could not be reached to look for it there. Check the "
            "network, or give a model's folder with --model."
        )
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and what it was raised from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
