"""The command `train mini`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from afterburner.sandbox import UsageError
from afterburner.sandbox.extras import install_command, is_installed, required_by_extras
from afterburner.sandbox.terminal.text import display_path
from afterburner.training.commands.needs import needing_training
from afterburner.training.errors import TrainingError


def mini(
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder.", show_default=False)],
    smoke: Annotated[
        bool,
        typer.Option(
            "--smoke",
            help="All stages at a tiny size, in 2 to 20 minutes on two cores; the figures mean nothing.",
        ),
    ] = False,
    large: Annotated[
        bool, typer.Option("--large", help="Train models with ten times the parameters; meant for a GPU.")
    ] = False,
    ablations: Annotated[
        bool,
        typer.Option(
            "--ablations", help="Also run Table 2's ablations, direct generation, and a smaller correctness weight."
        ),
    ] = False,
) -> None:
    """Train small models from scratch by all four methods, and draw the paper's Figure 5 for them.

    Run the same command again to go on after an interruption.
    """
    _check_installed()
    _tell("loading PyTorch and TRL …")
    with needing_training():
        from afterburner.training.miniature.arms import ABLATIONS, MAIN
        from afterburner.training.miniature.running import MEANS_NOTHING, Miniature
        from afterburner.training.miniature.size import FULL, LARGE, SMOKE

        experiments = (MAIN, ABLATIONS) if ablations else (MAIN,)
        if smoke and large:
            raise UsageError("Give either --smoke or --large, not both.")
        size = SMOKE if smoke else LARGE if large else FULL
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"Cannot create --out {out}: {error.strerror or error}. Give another folder.") from error
        try:
            Miniature(out, size, _tell, experiments).make()
        except KeyboardInterrupt:
            _tell("To go on, run the same command again: it keeps the stages that are done.")
            raise
    if smoke:
        _tell(MEANS_NOTHING)
    _tell(told_of_models(display_path(str(out))))
    typer.echo(f"report: {display_path(str(out / 'report' / 'report.md'))}")


def told_of_models(out: str) -> str:
    """Where the models are, and the commands that serve one of them and score it."""
    folder = shlex.quote(out)
    return f"""\
models: {out}/SEED/METHOD/model. Those of sft and dpo are adapters. To merge one into its base, and serve it:
  afterburner-agent train merge {folder}/0/dpo/model --out models/mini-dpo
In another terminal, in the same folder:
  (cd models && transformers serve --port 8000)
When it listens (`Uvicorn running on …`), score the model:
  HOSTED_VLLM_API_BASE=http://127.0.0.1:8000/v1 afterburner-agent eval run \\
      --dataset {folder}/train-benchmark --split train --model hosted_vllm/mini-dpo \\
      --iterations 2 --generations 1 --repeats 1 --out runs/mini"""


def _check_installed() -> None:
    """Find out before any work what some stage will need: the last one comes after an hour.

    Raises:
        TrainingError: something is not installed.
    """
    missing = [name for name in sorted(required_by_extras().get("miniature", ())) if not is_installed(name)]
    if missing:
        raise TrainingError(
            f"train mini needs what is not installed: {', '.join(missing)}. Install it: {install_command('miniature')}"
        )


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
