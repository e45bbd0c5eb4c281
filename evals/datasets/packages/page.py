"""Writes the page of results, docs/packages.md, from what was measured."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.evals.datasets.packages.pinned import Package

    Results = Sequence[tuple[Package, Mapping[str, Any]]]
    Target = Mapping[str, Any]

HEAD = """\
# Results on published packages

This page shows what `afterburner-agent run DIR --model rules` finds in small packages of the Python package index, with
only their own tests as inputs and judge. `make bench-packages` fetches them (pinned by hash in
`evals/datasets/packages/pinned.py`), makes a repository of each, runs the search, applies all patches with git, and
runs the package's tests again in the sandbox. It keeps finished results in `build/bench-packages` and continues where
it was stopped; `make bench-packages BENCH=--fresh` starts over. The command writes this page. Functions of the same
packages are the dataset `packages` of `afterburner-agent eval`, on which models are measured.
"""
FOOT = """\
## How to read it

*Share*: the most that a rewrite could save, as a share of all the time that the tests spend in the package's files. It
includes half of the time in functions that are called repeatedly, so shares overlap. *Passed over*: functions that the
tests call and for which no rule has a proposal. *Gain*: from the winner's confirmatory test, on the calls that the
tests make. A gain that is not proven above the minimum effect of 1.05x is never offered. Nothing here is tuned to a
package.

Tests call most functions with a few elements, too few for another data structure to pay off. The rules are made for
code whose data grows: provide such data with a command (`-- python app.py`).
"""
_NOT_TRIED = ("nothing_to_propose", "no_workload", "not_reached")


def page(results: Results) -> str:
    """Give the whole page."""
    parts = [HEAD, _table(results)]
    for package, result in results:
        parts.append(f"## {package.name} {package.version}\n\n{_functions(result)}")
    return "\n".join([*parts, FOOT])


def _table(results: Results) -> str:
    lines = [
        "| package | tried | improved | passed over | not reached | its tests, all patches applied | minutes |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    total: Counter[str] = Counter()
    for package, result in results:
        targets = result["document"]["targets"]
        decisions = Counter(target["decision"] for target in targets)
        decisions["tried"] = sum(target["decision"] not in _NOT_TRIED for target in targets)
        total += decisions
        tests = _tests(result) if decisions["improved"] else "no patch"
        lines.append(
            f"| {package.name} {package.version} {_counts(decisions)} | {tests} | {result['elapsed_s'] / 60:.1f} |"
        )
    lines.append(f"| together {_counts(total)} | | |")
    machine = next((run["machine"] for run in _runs(results)), None)
    if machine:
        lines.append(f"\nMeasured on {machine['cpu_model']}, {machine['cpus']} CPUs, Python {machine['python']}.")
    return "\n".join(lines) + "\n"


def _tests(result: Mapping[str, Any]) -> str:
    """How the tests do with all patches applied, beside how they did before."""
    after, before = result["tests"], result["document"]["tests"]
    if after is None:
        return "did not come to their end"
    known = set(before["failing_before"]) & set(after["failing"]) if before else set()
    new = len(after["failing"]) - len(known)
    told = f"{after['passed']} pass" + (f", {len(known)} fails without patches, too" if known else "")
    return f"{told}, {new} BROKEN" if new else told


def _counts(decisions: Mapping[str, int]) -> str:
    names = ("tried", "improved", "nothing_to_propose", "not_reached")
    return "| " + " | ".join(str(decisions[name]) for name in names)


def _functions(result: Mapping[str, Any]) -> str:
    lines = ["| function | share | gain | interval | by, or what was tried |", "| --- | --- | --- | --- | --- |"]
    for target in result["document"]["targets"]:
        if target["decision"] in _NOT_TRIED:
            continue
        gain, why = None, _tried(target)
        if target["decision"] == "improved":
            gain = target["run"]["gain"]
            why = next(_rule(each) for each in target["run"]["candidates"] if each["decision"] == "improved")
        ratio = f"{gain['ratio']:.2f}x" if gain else "-"
        interval = f"{gain['low']:.2f}x to {gain['high']:.2f}x" if gain else "-"
        lines.append(f"| `{target['function']}` | {target['share']:.1%} | {ratio} | {interval} | {why} |")
    passed_over = [each for each in result["document"]["targets"] if each["decision"] == "nothing_to_propose"]
    if passed_over:
        told = ", ".join(f"`{each['function']}` ({each['share']:.1%})" for each in passed_over)
        lines.append(f"\nPassed over: {told}.")
    return "\n".join(lines) + "\n"


def _tried(target: Target) -> str:
    """What became of each rule's proposal, the same words said once; or why there is none."""
    candidates = target["run"]["candidates"] if target["run"] else []
    rules: dict[str, list[str]] = {}
    for each in candidates:
        rules.setdefault(_short(each["reason"]), []).append(_rule(each))
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in rules.items()) or _short(target["reason"])


def _rule(candidate: Mapping[str, Any]) -> str:
    return str(candidate["proposer"]).removeprefix("rules: ")


def _short(reason: str) -> str:
    """The first line, as a cell of a table can hold it."""
    line = reason.splitlines()[0].replace("|", "/").removesuffix(" Tried:")
    return line.partition(": ")[2] if line.split(":")[0].endswith(".py") else line


def _runs(results: Results) -> list[Mapping[str, Any]]:
    return [target["run"] for _, result in results for target in result["document"]["targets"] if target["run"]]
