"""Counts how often the intervals of a simulated evaluation contain the truth, which is known; ours and the paper's.

    python -m scripts.bench_coverage [--size PxGxR ...] [--repetitions N] [--resamples N] [--seed N]
                                     [--json FILE] [--show FILE]

A size is the number of problems, of generations of each problem, and of measured runs of each generation. Intervals at
95% should contain the truth in 95 of 100 evaluations. Nothing is measured: all chance comes from the seed, and the
figures are the same on every machine. The results go to evals/report/coverage.json, which the report shows; sizes
that the file has already and that are not asked for stay there.

Ends with status 0 if our intervals contained the truth in 93% to 97% of the repetitions, for every metric of every size
of at least 43 problems; 1 if not.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.evals.metrics.coverage import coverage
from afterburner.evals.metrics.intervals import LEVEL

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS = Path(__file__).parent.parent / "evals" / "report" / "coverage.json"
SIZES = ("6x4x16", "12x4x16", "43x4x16")
LOW, HIGH = 0.93, 0.97
_FROM_PROBLEMS = 43  # fewer: shown, not required


def main() -> int:
    """Simulates what is wanted, writes and prints it."""
    options = _options()
    if options.show:
        results = json.loads(options.show.read_text("utf-8"))
    else:
        results = _simulated(options)
        if options.json.exists():
            results = _merged(json.loads(options.json.read_text("utf-8")), results)
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    print(text(results))
    required = [size for size in results["sizes"] if size["problems"] >= _FROM_PROBLEMS]
    return int(any(not LOW <= each["ours"] <= HIGH for size in required for each in size["metrics"].values()))


def text(results: dict[str, Any]) -> str:
    """The results as a table."""
    columns = f"{'truth':>6} {'mean':>6}  {'ours':>6} {'plain':>6} {'paper':>6}  half width, paper's"
    lines = [f"intervals at {results['level']:.0%}", f"{'size':>10}  {'metric':<9} {columns}"]
    for size in results["sizes"]:
        name = f"{size['problems']}x{size['generations']}x{size['runs']}"
        lines += [
            f"{name:>10}  {metric:<9} {each['truth']:6.3f} {each['mean_estimate']:6.3f}  "
            f"{each['ours']:6.1%} {each['plain']:6.1%} {each['paper']:6.1%}  "
            f"{each['our_half_width']:.4f}, {each['paper_half_width']:.4f}"
            for metric, each in size["metrics"].items()
        ]
        lines.append(f"{'':>10}  {size['repetitions']} repetitions, {size['resamples']} resamples each")
    return "\n".join(lines)


def _simulated(options: argparse.Namespace) -> dict[str, Any]:
    sizes = []
    for size in options.size:
        problems, generations, runs = (int(each) for each in size.split("x"))
        metrics = coverage(
            options.repetitions,
            problems,
            generations,
            runs,
            seed=options.seed,
            resamples=options.resamples,
            on_progress=_progress(size, options.repetitions),
        )
        counts = {"problems": problems, "generations": generations, "runs": runs}
        how = {"repetitions": options.repetitions, "resamples": options.resamples, "seed": options.seed}
        sizes.append({**counts, **how, "metrics": {name: asdict(each) for name, each in metrics.items()}})
    return {"level": LEVEL, "sizes": sizes}


def _merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    def key(size: dict[str, Any]) -> tuple[int, ...]:
        return (size["problems"], size["generations"], size["runs"])

    sizes = {key(size): size for size in (*old["sizes"], *new["sizes"])}
    return {**new, "sizes": [sizes[each] for each in sorted(sizes)]}


def _progress(size: str, repetitions: int) -> Callable[[int], None]:
    began_s = time.monotonic()

    def tell(done: int) -> None:
        if done % max(repetitions // 10, 1) == 0:
            left_s = (time.monotonic() - began_s) * (repetitions - done) / done
            sys.stderr.write(f"{size}: {done} of {repetitions}; about {left_s:.0f} s left\n")
            sys.stderr.flush()

    return tell


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--size", action="append", metavar="PxGxR", help=f"may be given several times; {' '.join(SIZES)}"
    )
    parser.add_argument("--repetitions", type=int, default=1000, help="of each size; %(default)s")
    parser.add_argument("--resamples", type=int, default=2000, help="of each bootstrap; %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="%(default)s")
    parser.add_argument("--json", type=Path, default=RESULTS, metavar="FILE", help="where the results go; %(default)s")
    parser.add_argument("--show", type=Path, metavar="FILE", help="simulate nothing: print these results")
    options = parser.parse_args()
    options.size = options.size or list(SIZES)
    return options


if __name__ == "__main__":
    sys.exit(main())
