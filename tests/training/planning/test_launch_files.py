"""The files for `accelerate launch`: accelerate reads them, and they fit the configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterburner.training.config.reading import read_config, shipped

FOLDER = Path(__file__).parents[3] / "training" / "configs" / "accelerate"


@pytest.mark.parametrize(
    ("name", "kind", "processes", "nodes"),
    [
        ("eight-gpus", "MULTI_GPU", 8, 1),
        ("eight-gpus-zero3", "DEEPSPEED", 8, 1),
        ("zero3-two-nodes", "DEEPSPEED", 16, 2),
        ("fsdp-two-nodes", "FSDP", 16, 2),
    ],
)
def test_accelerate_reads_them(name: str, kind: str, processes: int, nodes: int) -> None:
    from accelerate.commands.config.config_args import load_config_from_file  # noqa: PLC0415 - heavy

    read = load_config_from_file(str(FOLDER / f"{name}.yaml"))
    assert (read.distributed_type.value, read.num_processes, read.num_machines) == (kind, processes, nodes)
    assert read.mixed_precision == "bf16"
    if kind == "DEEPSPEED":
        assert read.deepspeed_config["zero_stage"] == 3


def test_they_are_no_configurations_of_training() -> None:
    assert not [name for name in shipped() if name.startswith("accelerate/")]


@pytest.mark.parametrize("name", [name for name in shipped() if name.startswith(("eight-gpus/", "nodes/"))])
def test_each_configuration_names_a_launch_file_that_shards_alike(name: str) -> None:
    text = (FOLDER.parent / f"{name}.yaml").read_text("utf-8")
    file = text.partition("--config_file training/configs/accelerate/")[2].partition(" ")[0]
    assert (FOLDER / file).is_file()
    assert ("zero3" in file) == (read_config(name).sharding == "zero3")
