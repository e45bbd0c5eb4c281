"""Holds our graders and timings against official ones: verdicts of LiveCodeBench and APPS, timings of human solutions.

    python -m scripts.bench_graders [livecodebench] [apps] [ranking] [--repeats N] [--page FILE]

It reads the real records that lie beside the repository, in ../shared/data. Every program runs in the sandbox. The page
holds what each part said when it was run last.
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

CACHE = Path(__file__).parents[1] / "build" / "bench-graders"  # what each part said last, for the page
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
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        with open_sandbox() as sandbox:
            for part, text in _tables(options.parts or PARTS, sandbox, options.repeats):
                print(text, flush=True)
                (CACHE / f"{part}.md").write_text(text, "utf-8")
    except AfterburnerError as error:
        sys.exit(f"error: {error}")
    if options.page:
        known = [place.read_text("utf-8") for part in PARTS if (place := CACHE / f"{part}.md").is_file()]
        options.page.write_text("\n".join([_HEAD, *known]), "utf-8")


def _tables(parts: Sequence[str], sandbox: Sandbox, repeats: int) -> Iterator[tuple[str, str]]:
    known: dict[str, Callable[[], str]] = {
        "livecodebench": lambda: livecodebench.table(DATA / "livecodebench", sandbox),
        "apps": lambda: apps.table(DATA / "apps", sandbox),
        "ranking": lambda: ranking.table(DATA / "venus_like", sandbox, repeats),
    }
    for part in parts:
        yield part, known[part]()


if __name__ == "__main__":
    main()
