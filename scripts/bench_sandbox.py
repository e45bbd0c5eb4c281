"""Measures the sandbox: how fast, how true, how steady, and what it costs. Each figure beside its reference.

    python -m scripts.bench_sandbox [--quick] [--only PART ...] [--backend bubblewrap|docker|all] [--rounds N]
                                    [--json FILE]

References are made in the same run, in turn with what is held against them: bare processes from a small C program,
pinned to the same core, and programs that know their own memory and CPU time. Only ratios and errors mean anything
elsewhere; milliseconds are this machine's. A busy machine is told, and spoils the figures.

Docker is measured where a daemon can be had: that of AFTERBURNER_TEST_IMAGE and DOCKER_HOST, or the one that
scripts.docker_daemon lends, which takes root, dockerd and debootstrap, and two minutes the first time.

Ends with status 0 if everything could be measured or is told to be missing, whatever the goals; Ctrl-C prints what
there is so far.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.cli.interrupts import raise_on_signals
from afterburner.sandbox import AfterburnerError
from scripts.bench.bare import UnableError, build
from scripts.bench.fidelity import measure_cpu_time, measure_memory, measure_perturbation
from scripts.bench.layers import measure_layers
from scripts.bench.noise import measure_noise
from scripts.bench.place import Place, is_busy, machine, open_place
from scripts.bench.results import KINDS, Missing, Row, table
from scripts.bench.throughput import measure_overhead, measure_throughput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SCHEMA = 1
_BACKENDS = ("bubblewrap", "docker")
_ABOUT = ("throughput", "layers", "overhead", "memory", "cpu-time", "perturbation", "noise")
_INTERRUPTED = 130


def main() -> int:
    """Measures, and prints and writes what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less of everything: about a minute")
    parser.add_argument("--backend", choices=(*_BACKENDS, "all"), default="all")
    parser.add_argument("--only", nargs="+", choices=_ABOUT, default=_ABOUT, help="measure only these parts")
    parser.add_argument("--rounds", type=int, help="of each comparison; 5, or 2 with --quick")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found there")
    options = parser.parse_args()
    rounds = options.rounds or (2 if options.quick else 5)
    if rounds < 1:
        parser.error("--rounds has to be at least 1")
    was_interrupted = raise_on_signals()
    begin, load = time.monotonic(), os.getloadavg()[0]
    rows: list[Row] = []
    missing: list[Missing] = []
    interrupted = False
    try:
        for found in _measure(options.backend, options.only, rounds=rounds, quick=options.quick):
            _tell(found, time.monotonic() - begin)
            (rows if isinstance(found, Row) else missing).append(found)  # type: ignore[arg-type]  # each into its list
    except (KeyboardInterrupt, OSError):  # a folder that is being removed makes another error of an interrupt
        if not was_interrupted():
            raise
        interrupted = True
    except (AfterburnerError, UnableError) as error:
        sys.exit(f"error: {error}")
    loads = (load, os.getloadavg()[0])
    document = {
        "schema": SCHEMA,
        "machine": machine(),
        "load_average": {"before": loads[0], "after": loads[1]},
        "busy": is_busy(load),
        "quick": options.quick,
        "rounds": rounds,
        "elapsed_s": time.monotonic() - begin,
        "interrupted": interrupted,
        "kinds": KINDS,
        "rows": [row.as_json() for row in rows],
        "missing": [{"what": each.what, "reason": each.reason} for each in missing],
    }
    _print(document, rows, missing)
    if options.json is not None:
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return _INTERRUPTED if interrupted else 0


def _measure(backend: str, only: Sequence[str], *, rounds: int, quick: bool) -> Iterator[Row | Missing]:
    with tempfile.TemporaryDirectory(prefix="afterburner-bench-") as folder:
        bare = build(Path(folder))
        for name in _BACKENDS if backend == "all" else (backend,):
            try:
                with open_place(name, bare) as place:
                    parts = _parts(place, rounds=rounds, quick=quick)
                    yield from chain.from_iterable(parts[name] for name in _ABOUT if name in only)
            except (AfterburnerError, UnableError) as error:
                yield Missing(f"{name}, or the rest of it", str(error))


def _parts(place: Place, *, rounds: int, quick: bool) -> Mapping[str, Iterator[Row | Missing]]:
    """What can be measured; nothing is until it is iterated."""
    return {
        "throughput": measure_throughput(place, rounds=rounds, quick=quick),
        "layers": measure_layers(place, rounds=rounds),
        "overhead": measure_overhead(place, rounds=3 * rounds),
        "memory": measure_memory(place, quick=quick),
        "cpu-time": measure_cpu_time(place, quick=quick),
        "perturbation": measure_perturbation(place, rounds=3 * rounds),
        "noise": measure_noise(place, runs=15 if quick else 40),
    }


def _tell(found: Row | Missing, elapsed_s: float) -> None:
    shown = found.what if isinstance(found, Missing) else f"{found.what}, {found.backend}"
    sys.stderr.write(f"[{elapsed_s:5.1f} s] {'missing: ' if isinstance(found, Missing) else ''}{shown}\n")


def _print(document: dict[str, Any], rows: list[Row], missing: list[Missing]) -> None:
    place, load = document["machine"], document["load_average"]
    print(f"\n{place['cpu_model']}, {place['cpus']} CPUs, {place['system']}, Python {place['python']}")
    print(f"programs on CPU {place['slots']}, everything else on {place['watching']}")
    print(f"load average {load['before']:.2f} before, {load['after']:.2f} after")
    if document["busy"]:
        print("THIS MACHINE WAS BUSY WITH OTHER WORK: the figures say little about it.")
    print()
    print(table(sorted(rows, key=_order(rows))))
    for each in missing:
        print(f"\nmissing: {each.what}: {each.reason}")
    note = ", interrupted" if document["interrupted"] else ""
    print(f"\n{document['elapsed_s']:.0f} s{note}. Results are medians over pairs that were measured in turn.")


def _order(rows: list[Row]) -> Any:
    """Groups in the order in which they were first measured, so that the backends stand beside each other."""
    groups = list(dict.fromkeys(row.group for row in rows))
    return lambda row: groups.index(row.group)


if __name__ == "__main__":
    sys.exit(main())
