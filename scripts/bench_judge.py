"""Measures the judge on real code: how many wrong rewrites it offers, how many right ones it refuses, and how long.

    python -m scripts.bench_judge [--part open|held_out] [--kind honest|wrong] [--only TEXT] [--max-seconds S]
                                  [--reveal] [--json FILE | --resume FILE | --show FILE]

The corpus is `tests/judge_corpus/`: functions in the manner of real applications, each with rewrites as a language
model would write them. A trial is a whole run with one of them as the model's only answer. Each is written down at
once, and `--resume` continues.

Ends with status 0, or with 130 after an interrupt.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.machine import describe_machine
from afterburner.sandbox import AfterburnerError, open_sandbox
from afterburner.sandbox.installations import own_environment
from scripts.judge_bench.corpus import HELD_OUT, PARTS, Kind, read_corpus
from scripts.judge_bench.figures import HEADS, mistakes, rows
from scripts.judge_bench.trial import try_rewrite
from scripts.selection_bench.show import table

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox
    from scripts.judge_bench.corpus import CorpusRewrite

SCHEMA = 1
_INTERRUPTED = 130


def main() -> int:
    """Tries what is not known yet, then prints what came out."""
    options = _options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    status = 0
    if options.show:
        book = _read(options.show)
    else:
        place = options.resume or options.json or Path("judge-bench.json")
        try:
            with open_sandbox("auto") as sandbox:
                book = _read(place) if options.resume else _begun(sandbox)
                try:
                    _try_all(sandbox, _wanted(options), book, place, options.max_seconds)
                except KeyboardInterrupt:
                    status = _INTERRUPTED
        except AfterburnerError as error:
            sys.exit(f"error: {error}")
    shown = [each for each in book["trials"] if each["part"] != HELD_OUT or options.reveal]
    print(table([HEADS, *rows(book["trials"])]), "", *mistakes(shown), "", _circumstances(book), sep="\n")
    return status


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--part", choices=PARTS, help="one part of the corpus; default: both")
    parser.add_argument("--kind", choices=[*Kind], help="what the rewrites are; default: both")
    parser.add_argument("--only", metavar="TEXT", default="", help="rewrites whose name has this text")
    parser.add_argument("--max-seconds", type=float, default=120.0, help="of each run; %(default)s")
    parser.add_argument("--reveal", action="store_true", help="name the mistakes on held-out rewrites, too: at the end")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--json", type=Path, metavar="FILE", help="begin anew, and write the results there")
    place.add_argument("--resume", type=Path, metavar="FILE", help="continue with these results")
    place.add_argument("--show", type=Path, metavar="FILE", help="try nothing: print these results")
    return parser.parse_args()


def _wanted(options: argparse.Namespace) -> list[CorpusRewrite]:
    parts = (options.part,) if options.part else PARTS
    return [each for each in read_corpus(parts) if options.only in each.key and options.kind in (None, each.kind)]


def _begun(sandbox: Sandbox) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "at": time.strftime("%Y-%m-%d", time.gmtime()),
        "load": os.getloadavg()[0],
        "machine": asdict(describe_machine(sandbox, own_environment())),
        "trials": [],
    }


def _read(place: Path) -> dict[str, Any]:
    try:
        book: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
        usable = book["schema"] == SCHEMA and isinstance(book["trials"], list)
    except (OSError, ValueError, TypeError, KeyError) as error:
        sys.exit(f"error: {place} cannot be read: {error}")
    if not usable:
        sys.exit(f"error: {place} is of another version of this benchmark; begin anew with --json.")
    return book


def _try_all(
    sandbox: Sandbox, wanted: list[CorpusRewrite], book: dict[str, Any], place: Path, max_seconds: float
) -> None:
    known = {record["key"] for record in book["trials"]}
    rest = [each for each in wanted if each.key not in known]
    for number, rewrite in enumerate(rest, start=1):
        record = try_rewrite(sandbox, rewrite, max_seconds)
        book["trials"].append(record)
        temporary = place.with_name(f"{place.name}.{os.getpid()}")
        temporary.write_text(json.dumps(book, indent=1) + "\n", encoding="utf-8")
        temporary.replace(place)
        told = f"{rewrite.kind}, {record['outcome']}, {record['seconds']} s"
        print(f"{number}/{len(rest)} {rewrite.key}: {told}", file=sys.stderr, flush=True)


def _circumstances(book: dict[str, Any]) -> str:
    machine = book["machine"]
    return (
        f"Begun on {book['at']} with a load of {book['load']:.1f}, on {machine['cpus']} CPUs ({machine['cpu_model']}), "
        f"Python {machine['python']}, {machine['backend']}."
    )


if __name__ == "__main__":
    sys.exit(main())
