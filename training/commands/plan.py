"""The command `train plan`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from afterburner.sandbox.terminal.destinations import write_result
from afterburner.sandbox.terminal.options import json_option
from afterburner.sandbox.terminal.text import scrub
from afterburner.training.commands.needs import needing_training, tell_of_download

_HARDWARE, _ASSUMED = "Hardware", "Assumptions"


def plan(
    *,
    config: Annotated[
        str, typer.Option(metavar="FILE|NAME", help="Configuration, such as paper/sft.", show_default=False)
    ],
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Data set. Default: as many rows as the paper's.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Output folder; its free space is checked.", show_default=False),
    ] = None,
    model: Annotated[
        str,
        typer.Option(metavar="MODEL", help="Architecture, if model.path is still to be trained.", show_default=False),
    ] = "",
    devices: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Devices that train. Default: 1.", show_default=False, rich_help_panel=_HARDWARE
        ),
    ] = None,
    device_memory_gib: Annotated[
        float | None,
        typer.Option(
            metavar="GIB",
            help="Memory of each GPU. Default: this machine's GPU, or its free memory.",
            show_default=False,
            rich_help_panel=_HARDWARE,
        ),
    ] = None,
    slots: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Programs that are judged side by side. Default: this machine's.",
            show_default=False,
            rich_help_panel=_ASSUMED,
        ),
    ] = None,
    seconds_per_run: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Mean time of a program on all its test cases.",
            show_default=False,
            rich_help_panel=_ASSUMED,
        ),
    ] = None,
    mean_share: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Mean length of an example, as a share of the longest.",
            show_default=False,
            rich_help_panel=_ASSUMED,
        ),
    ] = None,
    generated_tokens_per_s: Annotated[
        float | None,
        typer.Option(
            metavar="N", help="Tokens each device generates a second.", show_default=False, rich_help_panel=_ASSUMED
        ),
    ] = None,
    device_tflops: Annotated[
        float | None,
        typer.Option(
            metavar="N", help="Peak of each device, 10^12 operations/s.", show_default=False, rich_help_panel=_ASSUMED
        ),
    ] = None,
    to_json: Annotated[str | None, json_option()] = None,
) -> None:
    """Show what a training run needs, and check that the memory suffices. No weights are loaded.

    The hours rest on assumptions, which the options change; memory and counts do not.
    """
    with needing_training():
        from afterburner.training.config.reading import read_config
        from afterburner.training.data.reading import read_data
        from afterburner.training.planning.assumptions import usual_assumptions
        from afterburner.training.planning.checks import check_data, check_plan
        from afterburner.training.planning.dry_run import to_document, to_lines
        from afterburner.training.planning.hardware import detect_hardware
        from afterburner.training.planning.notes import plan_notes
        from afterburner.training.planning.plan import make_plan

        hardware = detect_hardware(devices, device_memory_gib)
        given: dict[str, Any] = {
            "slots": slots,
            "seconds_per_run": seconds_per_run,
            "mean_share": mean_share,
            "generated_tokens_per_s": generated_tokens_per_s,
            "device_tflops": device_tflops,
        }
        assumed = replace(
            usual_assumptions(hardware.kind), **{name: value for name, value in given.items() if value is not None}
        )
        wanted, rows = read_config(config), None
        if data is not None:
            found = read_data(data)
            check_data(found, wanted)
            rows = len(found.rows)
        tell_of_download(model or wanted.model.path)
        made = make_plan(wanted, hardware, rows=rows, model=model, assumed=assumed)
    if to_json is None:
        options = {**given, "devices": devices}
        notes = plan_notes(made, name=config, given=[each for each, value in options.items() if value is not None])
        typer.echo(scrub("\n".join(to_lines(made, notes))))
    else:
        write_result("--json", to_json, f"{json.dumps(to_document(made), indent=2)}\n".encode("ascii"))
    check_plan(made, out)
