"""Writes docs/packages.md from what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scripts.bench_packages.packages import Package

HEAD = """\
# Packages that others wrote

What `afterburner-agent run DIR --model rules` finds in small packages of the Python package index, with nothing but
their own tests as inputs and judge. `make bench-packages` fetches them (pinned by hash in
`scripts/bench_packages/packages.py`), makes a repository of each, runs the search, applies all patches with git, and
runs the package's tests again in the sandbox. What is finished is kept in `build/bench-packages`, so that it goes on
where it was stopped; `make bench-packages BENCH=--fresh` begins anew. This page is written by that command.
"""
FOOT = """\
## How to read it

*Fits no rule*: functions that the tests call and that no rule has a proposal for. *Not improved* says why: a gain
that is not proven above the minimum effect is never offered, and where the machine is busy or the time runs out, fewer
are proven. Nothing here is tuned to a package.

Where rules gain little in packages like these, there are two reasons. Most of the time goes into functions that no rule
fits. And the tests call functions on inputs of a few elements, on which a pattern compiled beforehand or a list built
another way does not pay for itself by more than the minimum effect. The rules are made for code whose lists grow with
the data: give such data with a command (`-- python app.py`).
"""


def page(results: Sequence[tuple[Package, Mapping[str, Any]]]) -> str:
    """Give the whole page."""
    parts = [HEAD, _table(results)]
    for package, result in results:
        parts.append(f"## {package.name} {package.version}\n\n{_functions(result)}")
    return "\n".join([*parts, FOOT])


def _table(results: Sequence[tuple[Package, Mapping[str, Any]]]) -> str:
    lines = [
        "| package | tried | improved | fits no rule | its tests, all patches applied | minutes |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    totals = [0, 0]
    for package, result in results:
        targets = result["document"]["targets"]
        passed_over = [target for target in targets if target["decision"] == "nothing_to_propose"]
        improved = [target for target in targets if target["decision"] == "improved"]
        tried = len(targets) - len(passed_over)
        totals[0] += tried
        totals[1] += len(improved)
        lines.append(
            f"| {package.name} {package.version} | {tried} | {len(improved)} | {len(passed_over)} "
            f"({min(sum(target['share'] for target in passed_over), 1.0):.0%} of the time) | {result['tests']} "
            f"| {result['elapsed_s'] / 60:.1f} |"
        )
    lines.append(f"| together | {totals[0]} | {totals[1]} | | | |")
    machine = next((run["machine"] for run in _runs(results)), None)
    where = (
        f"\nMeasured on {machine['cpu_model']}, {machine['cpus']} CPUs, Python {machine['python']}.\n"
        if machine
        else ""
    )
    return "\n".join(lines) + "\n" + where


def _functions(result: Mapping[str, Any]) -> str:
    lines = ["| function | share | gain | interval | by, or why not |", "| --- | --- | --- | --- | --- |"]
    for target in result["document"]["targets"]:
        if target["decision"] == "nothing_to_propose":
            continue
        gain, why = None, target["reason"]
        if target["decision"] == "improved":
            gain = target["run"]["gain"]
            made = [each for each in target["run"]["candidates"] if each["decision"] == "improved"]
            why = made[0]["proposer"] if made else ""
        ratio = f"{gain['ratio']:.2f}x" if gain else "-"
        interval = f"{gain['low']:.2f}x to {gain['high']:.2f}x" if gain else "-"
        short = why.splitlines()[0].removesuffix(" Tried:").replace("|", "/")
        short = short.replace(f"{target['file']}: ", "")
        lines.append(f"| `{target['function']}` | {target['share']:.1%} | {ratio} | {interval} | {short} |")
    return "\n".join(lines) + "\n"


def _runs(results: Sequence[tuple[Package, Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    return [target["run"] for _, result in results for target in result["document"]["targets"] if target["run"]]
