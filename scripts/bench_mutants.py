"""Measures made inputs on mutants: how many wrong functions they tell from the right one, beside two rivals.

    python -m scripts.bench_mutants [--mutants N] [--seconds S] [--without NAME]... [--json FILE | --show FILE]

The functions are those of MBPP+ (`../shared/data/mbpp`). A mutant is the reference with one small mistake; it counts if
it passes the problem's base inputs and fails one of the plus inputs, which the searches never see. Made inputs start
from the base inputs; Hypothesis and CrossHair are told type hints that fit these. `make setup` installs
both; `--without "CrossHair alone"` leaves one out.

Ends with status 0.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.harness_answers import FoundCall
from afterburner.agent.inputs.replayed_calls import Replay
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge.measuring.workbench import Workbench
from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.agent.types import Workload
from afterburner.sandbox import AfterburnerError, CallCase, FunctionEntry, Limits, Program, Verdict, open_sandbox
from afterburner.sandbox.driver.call_blobs import dump_call
from scripts.judge_bench.mbpp import DATA, hints_for, read_problems
from scripts.judge_bench.mutants import mutants_of
from scripts.judge_bench.rivals import Pair, crosshair_finds, hypothesis_finds
from scripts.selection_bench.show import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox import Sandbox
    from scripts.judge_bench.mbpp import MbppProblem

LIMITS = Limits(wall_time_s=3.0, cpu_time_s=3.0)
MOST_TRIED = 25  # mutants of a problem, until one is of use
SEARCHES = ("made inputs", "Hypothesis alone", "CrossHair alone")


def main() -> int:
    """Tries as many mutants as asked for, then prints what came out."""
    options = _options()
    if options.show:
        book = json.loads(options.show.read_text(encoding="utf-8"))
    elif not DATA.exists():
        sys.exit(f"error: {DATA} is not there; this benchmark needs the data of MBPP+.")
    else:
        try:
            with open_sandbox("auto") as sandbox:
                book = _try_all(sandbox, options)
        except AfterburnerError as error:
            sys.exit(f"error: {error}")
    _print(book)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mutants", type=int, default=100, help="how many, each of another problem; %(default)s")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each search; %(default)s")
    parser.add_argument("--only", metavar="TEXT", default="", help="problems whose name has this text")
    parser.add_argument("--without", action="append", choices=SEARCHES[1:], default=[], help="leave a rival out")
    parser.add_argument("--reveal", action="store_true", help="show the mutants that made inputs miss")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--json", type=Path, metavar="FILE", default=Path("mutants-bench.json"))
    place.add_argument("--show", type=Path, metavar="FILE", help="try nothing: print these results")
    return parser.parse_args()


def _try_all(sandbox: Sandbox, options: argparse.Namespace) -> dict[str, Any]:
    problems = [each for each in read_problems() if options.only in each.name]
    random.Random(0).shuffle(problems)
    book: dict[str, Any] = {"seconds": options.seconds, "reveal": options.reveal, "trials": []}
    for problem in problems:
        if len(book["trials"]) >= options.mutants:
            break
        with tempfile.TemporaryDirectory(prefix="mutants-bench-") as folder:
            path = Path(folder) / "solution.py"
            path.write_text(problem.source, encoding="utf-8")
            for record in _trials(sandbox, problem, path, options):
                book["trials"].append(record)
                options.json.write_text(json.dumps(book, indent=1) + "\n", encoding="utf-8")
                told = ", ".join(f"{name} {'yes' if record[name] else 'no'}" for name in SEARCHES if name in record)
                print(f"{len(book['trials'])} {problem.name}: {told}", file=sys.stderr, flush=True)
    return book


def _trials(
    sandbox: Sandbox, problem: MbppProblem, path: Path, options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """At most one mutant of the problem, and which searches tell it from the reference."""
    bench = _bench(sandbox, problem, path)
    if bench is None or not problem.plus:
        return
    mutant = _mutant(bench, problem)
    if mutant is None:
        return
    record: dict[str, Any] = {"problem": problem.name, "mutant": mutant}
    began_s = time.monotonic()
    search = DifferenceSearch(bench, problem.source, seed=0, shrinking_s=0.1)
    found = search.against(mutant, Deadline.after(options.seconds))
    record["made inputs"] = isinstance(found, Counterexample)
    record["seconds"] = round(time.monotonic() - began_s, 1)
    record["inputs"] = 0 if isinstance(found, Counterexample) else found.inputs
    pair = Pair(problem.source, mutant, problem.function, hints_for(problem))
    for name, finds in (("Hypothesis alone", hypothesis_finds), ("CrossHair alone", crosshair_finds)):
        if name not in options.without:
            record[name] = finds(sandbox, pair, options.seconds)
    yield record


def _bench(sandbox: Sandbox, problem: MbppProblem, path: Path) -> Workbench | None:
    """The function with its base inputs as workload; None if the reference does not take them as JSON has them."""
    target = find_target(path, problem.function)
    staged = stage(target, sandbox)
    found = [
        FoundCall(dump_call(arguments, {}, {}), "base", f"base {number}", "returned", number, 0.0)
        for number, arguments in enumerate(problem.base, start=1)
    ]
    calls, _ = Replay(sandbox, target, staged.environment, LIMITS).keep_usable(found)
    if not calls or len(calls) < len(found) or any(b'["raised"' in call.expected for call in calls):
        return None
    return Workbench(target, Workload(tuple(calls)), sandbox, staged.environment, LIMITS, None)


def _mutant(bench: Workbench, problem: MbppProblem) -> str | None:
    """A mutant that the base inputs do not tell from the reference, and a plus input does."""
    plus = [dump_call(arguments, {}, {}) for arguments in problem.plus]
    entry = FunctionEntry(bench.target.module, bench.target.path, problem.function)
    program = Program("python", problem.source, entry=entry, environment=bench.environment)

    def expected(hash_seed: int) -> tuple[bytes, ...] | None:
        [report] = bench.sandbox.run(program, [CallCase(tuple(plus), hash_seed=hash_seed)], LIMITS).cases
        usable = report.verdict is Verdict.ACCEPTED
        return tuple(outcome.encoded for outcome in report.outcomes) if usable else None

    first, again = expected(0), expected(1)
    if first is None or again is None:
        return None
    steady = [at for at, (one, other) in enumerate(zip(first, again, strict=True)) if one == other]
    if not steady:
        return None
    base_case = bench.call_case(bench.workload.calls, hash_seed=0)
    plus_case = CallCase(tuple(plus[at] for at in steady), tuple(first[at] for at in steady))
    mutants = list(mutants_of(problem.source))
    random.Random(problem.name).shuffle(mutants)
    for mutant in mutants[:MOST_TRIED]:
        base, more = bench.sandbox.run(replace(program, source=mutant), [base_case, plus_case], LIMITS).cases
        if base.verdict is Verdict.ACCEPTED and more.verdict is Verdict.WRONG_ANSWER:
            return mutant
    return None


def _print(book: dict[str, Any]) -> None:
    trials = book["trials"]
    rows = [
        [name, f"{sum(each[name] for each in known)} of {len(known)}", f"{_share(known, name):.1%}"]
        for name in SEARCHES
        if (known := [each for each in trials if name in each])
    ]
    print(table([["search", "mutants found", "share"], *rows]))
    print(f"\n{book['seconds']:g} s for each search.")
    if book["reveal"]:
        for each in trials:
            if not each["made inputs"]:
                print(f"\n{each['problem']} ({each['inputs']} inputs agreed)\n{each['mutant']}")


def _share(trials: list[dict[str, Any]], name: str) -> float:
    return sum(bool(each[name]) for each in trials) / max(len(trials), 1)


if __name__ == "__main__":
    sys.exit(main())
