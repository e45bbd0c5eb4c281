"""Measures what `compare` promises: identical code is neither faster nor slower, and true gains and losses are found.

    python -m scripts.bench_compare [--trials N] [--changes N] [--functions NAMES] [--whole]
                                    [--json FILE | --resume FILE | --show FILE] [--write-docs]

A trial is one test of two versions that do the same: identical to the byte or in other words, or with one of them doing
exactly 10% or 20% more work, and either of them first. It is the timing decision alone; with `--whole` all that the
command does, from finding inputs to growth. Each trial is written down at once, and `--resume` continues.

Ends with status 0 if no test gave a wrong answer, 1 if one did, 130 after an interrupt.
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
from scripts.selection_bench.comparisons import false_answers, make_pair, plan_pairs, rows
from scripts.selection_bench.plan import FUNCTIONS
from scripts.selection_bench.show import circumstances, plain, table, write_between
from scripts.selection_bench.trials import Bench

if TYPE_CHECKING:
    from afterburner.sandbox.sandbox import Sandbox

PAGE = Path(__file__).resolve().parents[1] / "docs" / "compare.md"
BEGIN = "<!-- written by `make bench-compare` -->"
LONGEST_CALL_S = 0.1  # a test of longer calls takes minutes
_INTERRUPTED = 130


def main() -> int:
    """Measures what is not known yet, then prints and writes what is wanted."""
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
    print(plain(rows(book.trials)), circumstances(book), sep="\n\n")
    if options.write_docs:
        write_between(PAGE, BEGIN, f"{table(rows(book.trials))}\n\n{circumstances(book)}")
    if interrupted:
        return _INTERRUPTED
    return int(false_answers(book.trials) > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    chosen = [function for function in FUNCTIONS if function.call_s < LONGEST_CALL_S]
    names = [function.name.replace(" ", "") for function in chosen]
    parser.add_argument("--trials", type=int, default=300, help="on identical code; %(default)s")
    parser.add_argument("--changes", type=int, default=30, help="of each gain and loss; %(default)s")
    parser.add_argument("--functions", help=f"some of {','.join(names)} (us for µs will do)")
    parser.add_argument("--whole", action="store_true", help="by the whole command, not by the timing decision alone")
    parser.add_argument("--min-effect", type=float, default=0.05, help="%(default)s")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--json", type=Path, metavar="FILE", help="begin anew, and write the results there")
    place.add_argument("--resume", type=Path, metavar="FILE", help="go on with these results")
    place.add_argument("--show", type=Path, metavar="FILE", help="measure nothing: print (write) these results")
    parser.add_argument("--write-docs", action="store_true", help="write the table of docs/compare.md")
    options = parser.parse_args()
    wanted = options.functions.replace("us", "µs").replace(" ", "").split(",") if options.functions else names
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"--functions: there is no {', '.join(unknown)}; there are {', '.join(names)}")
    options.functions = [function for function in chosen if function.name.replace(" ", "") in wanted]
    return options


def _book(options: argparse.Namespace, sandbox: Sandbox) -> tuple[Book, Path]:
    """A new book, or the one to go on with, and where it is kept.

    Raises:
        BookError: that cannot be continued here.
    """
    new = Book(asdict(describe_machine(sandbox, own_environment())), options.min_effect, ALPHA)
    if options.resume is None:
        return new, options.json or Path("compare-bench.json")
    book = load(options.resume)
    if not book.continues(new):
        raise BookError(f"{options.resume} is from another machine, Python or rule; figures of both do not add up.")
    return book, options.resume


def _measure(options: argparse.Namespace, book: Book, place: Path, sandbox: Sandbox) -> None:
    planned = plan_pairs(options.functions, options.trials, options.changes, whole=options.whole)
    pairs = [pair for pair in planned if not book.has(pair.key)]
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    book.sessions.append({"at": at, "load": os.getloadavg()[0]})
    book.save(place)
    bench = Bench(sandbox, options.min_effect, 0)
    with bench.folder():
        for number, pair in enumerate(pairs, start=1):
            record = make_pair(bench, pair)
            book.trials.append(record)
            book.save(place)
            told = f"{pair.function}, ratio {pair.ratio:.3f}: {record['decision']}, {record['seconds']:.1f} s"
            sys.stderr.write(f"{number}/{len(pairs)} {told}\n")
            sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
