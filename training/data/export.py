"""Writes a data set in the formats of the programs that the paper trained with: LLaMA-Factory and verl."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from afterburner.evals.files import write_whole
from afterburner.training.data.settings import Recipe
from afterburner.training.data.writing import CARD
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from afterburner.training.data.examples import Example
    from afterburner.training.data.reading import DataSet

INFO, ROWS = "dataset_info.json", "train.parquet"
DATA_SOURCE = "afterburner"  # by which verl chooses a reward
_TAGS = {
    "role_tag": "role",
    "content_tag": "content",
    "user_tag": "user",
    "assistant_tag": "assistant",
    "system_tag": "system",
}


class Program(StrEnum):
    """Programs that train."""

    LLAMA_FACTORY = "llama-factory"  # SFT, DPO and direct
    VERL = "verl"  # GRPO


def export(data: DataSet, program: Program, out: Path) -> Path:
    """Write a data set for another program, and return the file that holds the rows.

    For LLaMA-Factory these are `afterburner-RECIPE.jsonl` in its ShareGPT format, which is entered in the folder's
    `dataset_info.json` beside what that has; for verl `train.parquet`, whose `reward_model.ground_truth` is the
    problem's id (see `training/reward/verl_reward.py`).

    Raises:
        TrainingError: the program does not train by this recipe, or the folder cannot be written.
    """
    is_verls = data.recipe is Recipe.GRPO
    if is_verls != (program is Program.VERL):
        other = Program.VERL if is_verls else Program.LLAMA_FACTORY
        raise TrainingError(f"A data set for {data.recipe} is not for {program}. Give --format {other}.")
    if (out / CARD).exists():
        raise TrainingError(f"{out} holds a data set that this program wrote. Give another folder.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        return _write_verl(data, out) if is_verls else _write_llama_factory(data, out)
    except OSError as error:
        raise TrainingError(f"{out} cannot be written: {error.strerror or error}.") from error


def _write_llama_factory(data: DataSet, out: Path) -> Path:
    columns = {"messages": "messages"}
    name = f"{DATA_SOURCE}-{data.recipe}"
    lines = out / f"{name}.jsonl"
    about: dict[str, Any] = {"file_name": lines.name, "formatting": "sharegpt", "columns": columns, "tags": _TAGS}
    if data.recipe is Recipe.DPO:
        columns |= {"chosen": "chosen", "rejected": "rejected"}
        about["ranking"] = True
    known = _known(out / INFO)
    write_whole(lines, "".join(json.dumps(row) + "\n" for row in _conversations(data)))
    write_whole(out / INFO, json.dumps({**known, name: about}, indent=2) + "\n")
    return lines


def _known(info: Path) -> dict[str, Any]:
    """The data sets that LLaMA-Factory knows in a folder."""
    try:
        known = json.loads(info.read_text("utf-8")) if info.exists() else {}
    except ValueError as error:
        raise TrainingError(f"{info} is not JSON: {error}. Fix it, or give another folder.") from error
    if not isinstance(known, dict):
        raise TrainingError(f"{info} is not a JSON object of data sets by name. Fix it, or give another folder.")
    return known


def _conversations(data: DataSet) -> Iterator[dict[str, Any]]:
    for row in data.rows:
        if data.recipe is Recipe.DPO:
            (chosen,), (rejected,) = row["chosen"], row["rejected"]
            yield {"messages": row["prompt"], "chosen": chosen, "rejected": rejected}
        else:
            yield {"messages": [*row["prompt"], *row["completion"]]}


def _write_verl(data: DataSet, out: Path) -> Path:
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    unfinished = (out / ROWS).with_suffix(".unfinished")
    pq.write_table(pa.Table.from_pylist([_prompt(row, at) for at, row in enumerate(data.rows)]), unfinished)
    return unfinished.replace(out / ROWS)


def _prompt(row: Example, index: int) -> dict[str, Any]:
    return {
        "data_source": DATA_SOURCE,
        "prompt": row["prompt"],
        "ability": "code",
        "reward_model": {"style": "rule", "ground_truth": row["problem_id"]},
        "extra_info": {
            "index": index,
            "split": "train",
            "objective": row["objective"],
            "original": row["original"],
        },
    }
