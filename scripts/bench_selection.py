"""Measures what the selection promises: identical code never wins, true gains are found, and what a decision costs.

    python -m scripts.bench_selection [--only idle|busy|judging|power|cost ...] [--trials N] [--gains N]
                                      [--functions NAMES] [--json FILE | --resume FILE | --show FILE]
                                      [--picture] [--write-docs]

A trial is one decision as a run makes it: six candidates are judged and screened, and who ranks first is confirmed; of
functions whose call takes from 5 µs to 500 ms. For the false accepts all six do the original's own work, to the byte or
in other words; every trial also puts the candidate that ranks first through the confirmatory test alone, whatever
screening saw in it (`--alone-every`). For the gains the original does exactly 10% or 20% more work than one of the six.
`busy` is the same beside one process for each core that computes without end; `judging` is the same, gains included,
beside our own judging, on the cores that timing leaves to it.

The whole takes hours; the forecast is printed first. Each trial is written down at once, and `--resume` goes on where a
run was broken off. Figures from a machine that has other work to do are worth little, and are marked so.

Ends with status 0 if no identical code was accepted, 1 if some was, 130 after an interrupt.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.sequential import ALPHA
from afterburner.agent.machine import describe_machine
from afterburner.sandbox import AfterburnerError, open_sandbox
from afterburner.sandbox.installations import own_environment
from scripts.selection_bench.book import Book, BookError, load
from scripts.selection_bench.examples import decisions
from scripts.selection_bench.picture import draw
from scripts.selection_bench.plan import FUNCTIONS, IDENTICAL, Function, Trial, forecast_s, plan
from scripts.selection_bench.show import text, write_page
from scripts.selection_bench.trials import Bench

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox.sandbox import Sandbox

PARTS = ("idle", "busy", "judging", "power", "cost")
EXAMPLE_S = 45.0  # of one run, for the forecast
_INTERRUPTED = 130


def main() -> int:
    """Measures what is not known yet, then prints, draws and writes what is wanted."""
    options = _options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    interrupted = False
    try:
        if options.show is not None:
            book = load(options.show)
        else:
            with open_sandbox("auto") as sandbox:
                book, place = _book(options, sandbox)
                try:
                    _measure(options, book, place, sandbox)
                except KeyboardInterrupt:
                    interrupted = True
    except (AfterburnerError, BookError) as error:
        sys.exit(f"error: {error}")
    print(text(book))
    if options.picture:
        draw(book)
    if options.write_docs:
        write_page(book)
    if interrupted:
        return _INTERRUPTED
    return int(any(record["offered"] is not None for record in book.trials if record["gain"] == IDENTICAL))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [function.name.replace(" ", "") for function in FUNCTIONS]
    parser.add_argument("--only", action="append", choices=PARTS, help="one part; may be given several times")
    parser.add_argument("--trials", type=int, default=300, help="on identical code, of each condition; %(default)s")
    parser.add_argument("--gains", type=int, default=150, help="of each size of a gain; %(default)s")
    parser.add_argument("--runs", type=int, default=3, help="of each example; %(default)s")
    parser.add_argument("--functions", help=f"some of {','.join(names)} (us for µs will do)")
    parser.add_argument("--alone-every", type=int, default=1, help="the test alone in every N-th trial; 0: never")
    parser.add_argument("--min-effect", type=float, default=0.05, help="%(default)s")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--json", type=Path, metavar="FILE", help="begin anew, and write the results there")
    place.add_argument("--resume", type=Path, metavar="FILE", help="go on with these results")
    place.add_argument("--show", type=Path, metavar="FILE", help="measure nothing: print (draw, write) these results")
    parser.add_argument("--picture", action="store_true", help="draw docs/images/selection.svg")
    parser.add_argument("--write-docs", action="store_true", help="write tables and picture of docs/trust.md")
    options = parser.parse_args()
    options.only = options.only or list(PARTS)
    wanted = options.functions.replace("us", "µs").replace(" ", "").split(",") if options.functions else names
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"--functions: there is no {', '.join(unknown)}; there are {', '.join(names)}")
    options.functions = [function for function in FUNCTIONS if function.name.replace(" ", "") in wanted]
    return options


def _book(options: argparse.Namespace, sandbox: Sandbox) -> tuple[Book, Path]:
    """A new book, or the one to go on with, and where it is kept.

    Raises:
        BookError: that cannot be continued here.
    """
    new = Book(asdict(describe_machine(sandbox, own_environment())), options.min_effect, ALPHA)
    if options.resume is None:
        return new, options.json or Path("selection-bench.json")
    book = load(options.resume)
    if not book.continues(new):
        raise BookError(f"{options.resume} is from another machine, Python or rule; figures of both do not add up.")
    return book, options.resume


def _measure(options: argparse.Namespace, book: Book, place: Path, sandbox: Sandbox) -> None:
    functions: Sequence[Function] = options.functions
    trials = plan(options.only, functions, options.trials, options.gains)
    missing = [trial for trial in trials if not book.has(trial.key)]
    runs = options.runs if "cost" in options.only else 0
    seconds = forecast_s(missing) + runs * EXAMPLE_S * 8
    load = os.getloadavg()[0]
    book.sessions.append({"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "load": load})
    book.save(place)
    _say(f"{len(missing)} of {len(trials)} trials are to be made; on an idle machine about {seconds / 60:.0f} min")
    _say(f"the load average is {load:.2f}; results go to {place}, and --resume {place} continues them")
    began_s = time.monotonic()
    bench = Bench(sandbox, options.min_effect, options.alone_every)
    for number, record in enumerate(bench.make(missing), start=1):
        book.trials.append(record)
        book.save(place)
        _tell(record, number, missing, time.monotonic() - began_s)
    for record in decisions(runs, len(book.examples)):
        book.examples.append(record)
        book.save(place)
        _say(f"{record['example']}: {record['decision']} after {record['seconds']:.1f} s")


def _tell(record: dict[str, object], number: int, missing: Sequence[Trial], elapsed_s: float) -> None:
    """A line on a trial, with the time that is left: the forecast, corrected by what was true of it so far."""
    correction = elapsed_s / max(forecast_s(missing[:number]), 1e-9)
    left_s = correction * forecast_s(missing[number:])
    offered, faster = record["offered"], record["faster"]
    if faster is None:
        verdict = "nothing offered" if offered is None else "FALSE ACCEPT"
    else:
        verdict = "found" if offered == faster else "missed" if offered is None else "THE WRONG ONE"
    what = f"{record['function']}, {record['condition']}, gain {record['gain']}"
    _say(f"{number}/{len(missing)} {what}: {verdict}, {record['seconds']:.1f} s; about {left_s / 60:.0f} min left")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
