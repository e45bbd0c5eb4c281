"""The commands `train sft`, `train dpo`, `train cold-start` and `train grpo`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.text import display_path, scrub
from afterburner.training.commands.needs import needing_training, tell_of_download
from afterburner.training.config.schema import Method

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.data.reading import DataSet
    from afterburner.training.trainers.running import Outcome

_INTERRUPTED = 130
Config = Annotated[
    str,
    typer.Option(metavar="FILE|NAME", help="YAML file, or a shipped one such as paper/sft.", show_default=False),
]
Data = Annotated[
    str, typer.Option(metavar="DIR", help="Data set. Default: data in the configuration.", show_default=False)
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder of the run.", show_default=False)]
Model = Annotated[
    str,
    typer.Option(
        metavar="PATH|NAME",
        help="Model or adapter to start from. Default: model.path in the configuration.",
        show_default=False,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, max=2**32 - 1, metavar="N", help="Default: seed in the configuration.", show_default=False),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what the run needs, check that it fits, and train nothing.")
]
Sandbox = Annotated[
    str, typer.Option(metavar="BACKEND", help="auto, bubblewrap, docker or the address of a sandbox service.")
]


def sft(
    *, config: Config, out: Out, data: Data = "", model: Model = "", seed: Seed = None, dry_run: DryRun = False
) -> None:
    """Train a model on worse and better solutions, or on the answers of any data set sft or direct.

    The same command goes on with a run that was stopped.
    """
    _train(_read(Method.SFT, config, data, model, seed), out, name=config, dry_run=dry_run)


def dpo(
    *, config: Config, out: Out, data: Data = "", model: Model = "", seed: Seed = None, dry_run: DryRun = False
) -> None:
    """Train a model to prefer the best of three solutions to the worst.

    The same command goes on with a run that was stopped.
    """
    _train(_read(Method.DPO, config, data, model, seed), out, name=config, dry_run=dry_run)


def cold_start(
    *, config: Config, out: Out, data: Data = "", model: Model = "", seed: Seed = None, dry_run: DryRun = False
) -> None:
    """Train a model on answers of another that are well-formed and correct.

    The same command goes on with a run that was stopped.
    """
    _train(_read(Method.COLD_START, config, data, model, seed), out, name=config, dry_run=dry_run)


def grpo(
    *,
    config: Config,
    out: Out,
    data: Data = "",
    model: Model = "",
    seed: Seed = None,
    dry_run: DryRun = False,
    sandbox: Sandbox = "auto",
) -> None:
    """Train a model on its own answers, rewarded by what the sandbox measures.

    The same command goes on with a run that was stopped.
    """
    _train(_read(Method.GRPO, config, data, model, seed), out, sandbox, name=config, dry_run=dry_run)


COMMANDS: dict[Method, Callable[..., None]] = {
    Method.SFT: sft,
    Method.DPO: dpo,
    Method.COLD_START: cold_start,
    Method.GRPO: grpo,
}


def _read(method: Method, name: str, data: str, model: str, seed: int | None) -> TrainConfig:
    """The configuration with what the command line says in its place.

    Raises:
        UsageError: it is for another method.
    """
    with needing_training():
        from afterburner.training.config.reading import read_config

        config = read_config(name)
    if config.method is not method:
        raise UsageError(f"{name} is for {config.method.value}: use train {config.method.value}, or another --config.")
    changes = {
        **({"data": data} if data else {}),
        **({"model": config.model.model_copy(update={"path": model})} if model else {}),
        **({"seed": seed} if seed is not None else {}),
    }
    return config.model_validate(config.model_copy(update=changes).model_dump(exclude_unset=True))


def _train(config: TrainConfig, out: Path, sandbox: str = "auto", *, name: str, dry_run: bool) -> None:
    if dry_run:
        _show_plan(config, out, name)
        return
    with needing_training():
        _check_inputs(config)  # before PyTorch is imported, which takes a while
        from afterburner.training.trainers.running import train

        outcome = train(config, out, sandbox=sandbox)
    if outcome.tells:
        _tell(outcome)


def _check_inputs(config: TrainConfig) -> None:
    """Check that the model and the data set exist.

    Raises:
        TrainingError: one of them does not.
    """
    from afterburner.training.data.reading import read_data
    from afterburner.training.planning.architectures import check_is_there

    check_is_there(config.model.path)
    if config.data and not Path(config.data).is_dir():
        read_data(Path(config.data))  # says what stands in the way


def _show_plan(config: TrainConfig, out: Path, name: str) -> None:
    with needing_training():
        from afterburner.training.data.reading import read_data
        from afterburner.training.planning.architectures import is_here
        from afterburner.training.planning.checks import check_data, check_plan_and_launch
        from afterburner.training.planning.dry_run import to_lines
        from afterburner.training.planning.hardware import detect_hardware
        from afterburner.training.planning.notes import plan_notes
        from afterburner.training.planning.plan import make_plan

        data = read_data(Path(config.data)) if config.data else None
        rows = len(data.rows) if data is not None else None
        unchecked = []
        if data is None:
            unchecked.append("Not checked: the data set, since neither --data nor the configuration names one.")
        else:
            check_data(data, config)
            if is_here(config.model.path):
                rows = _count_trainable(data, config)
            else:
                unchecked.append(
                    f"Not checked: the lengths of the examples, since the tokenizer of {config.model.path} is not on "
                    "this machine."
                )
        tell_of_download(config.model.path)
        plan = make_plan(config, detect_hardware(), rows=rows)
        notes = [*unchecked, *plan_notes(plan, name=name)]
    typer.echo(scrub("\n".join(to_lines(plan, notes))))
    check_plan_and_launch(plan, out)


def _count_trainable(data: DataSet, config: TrainConfig) -> int:
    """The rows that training would take."""
    from afterburner.training.trainers.models import load_tokenizer
    from afterburner.training.trainers.preflight import check_machine
    from afterburner.training.trainers.rows import trainable_rows

    check_machine(config)
    return len(trainable_rows(data, config, load_tokenizer(config.model.path)).dataset)


def _tell(outcome: Outcome) -> None:
    if outcome.too_long:
        sys.stderr.write(f"left out: {outcome.too_long:,} examples with too many tokens\n")
    if outcome.stopped:
        sys.stderr.write(f"stopped after step {outcome.steps}; run the same command again to go on\n")
        raise typer.Exit(_INTERRUPTED)
    typer.echo(f"trained for {outcome.steps:,} steps: {display_path(str(outcome.folder.model))}")
