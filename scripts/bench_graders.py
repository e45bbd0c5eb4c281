"""Holds our graders and timings against official ones: verdicts of LiveCodeBench and APPS, timings of human solutions.

    python -m scripts.bench_graders [livecodebench] [apps] [ranking] [--repeats N] [--page FILE]

It reads the real records that lie beside the repository, in ../shared/data. Every program runs in the sandbox.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox import AfterburnerError, open_sandbox
from scripts.grader_bench import apps, livecodebench, ranking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from afterburner.sandbox import Sandbox

DATA = Path(__file__).parents[2] / "shared" / "data"
PARTS = ("livecodebench", "apps", "ranking")
_HEAD = """\
# Our graders and timings beside the official ones

`make bench-graders` writes this page. Each program ran in the sandbox.
"""


def main() -> None:
    """Run the parts that were asked for, print them, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--repeats", type=int, default=3, help="of each solution that is timed")
    parser.add_argument("--page", type=Path, help="write the tables here, as Markdown")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there: the official verdicts and timings lie beside the repository.")
    texts = []
    try:
        with open_sandbox() as sandbox:
            for text in _tables(options.parts or PARTS, sandbox, options.repeats):
                print(text, flush=True)
                texts.append(text)
    except AfterburnerError as error:
        sys.exit(f"error: {error}")
    if options.page:
        options.page.write_text("\n".join([_HEAD, *texts]), "utf-8")


def _tables(parts: Sequence[str], sandbox: Sandbox, repeats: int) -> Iterator[str]:
    known: dict[str, Callable[[], str]] = {
        "livecodebench": lambda: livecodebench.table(DATA / "livecodebench", sandbox),
        "apps": lambda: apps.table(DATA / "apps", sandbox),
        "ranking": lambda: ranking.table(DATA / "venus_like", sandbox, repeats),
    }
    for part in parts:
        yield known[part]()


if __name__ == "__main__":
    main()
