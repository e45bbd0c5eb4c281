"""Trains models of random weights on this machine's GPU, and holds memory and speed against what `train plan` says.

    python -m scripts.bench_training [CASE ...] [--out DIR] [--json FILE]

No weights are downloaded: what a step takes does not depend on what the weights are. Each case runs a few steps in a
process of its own, by the trainer that `train` uses, on examples that are about as long as the configuration allows.
The first step warms up and does not count.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.training_bench.cases import CASES, Case
from scripts.training_bench.models import write_model

_MOST_S = 600


def main() -> int:
    """Measures the cases that are wanted, and prints them as a table."""
    options = _options()
    out = options.out or Path(tempfile.mkdtemp(prefix="bench-training-"))
    out.mkdir(parents=True, exist_ok=True)
    found = []
    known = {each.name: each for each in CASES}
    for case in [known[name] for name in options.cases or known]:
        model = out / case.model
        if not model.exists():
            write_model(case.model, model)
        found.append(_measured(case, model, out))
        print(_line(found[-1]), flush=True)
        if options.json:
            options.json.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    print("\n".join(["", *_table(found)]))
    return int(any("failed" in each for each in found))


def _measured(case: Case, model: Path, out: Path) -> dict[str, Any]:
    """What a case took, or why it failed."""
    folder = out / case.name
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "scripts.training_bench.one", case.name, str(model), str(folder)]
    with (out / f"{case.name}.log").open("w", encoding="utf-8") as log:
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=log, text=True, timeout=_MOST_S, check=False)
        except subprocess.TimeoutExpired:
            return {"case": case.name, "failed": f"it took more than {_MOST_S} s"}
    shutil.rmtree(folder, ignore_errors=True)  # models and checkpoints are large
    if done.returncode:
        return {"case": case.name, "failed": (out / f"{case.name}.log").read_text("utf-8").strip()[-2000:]}
    return {"case": case.name, **json.loads(done.stdout.splitlines()[-1])}


def _line(found: dict[str, Any]) -> str:
    if "failed" in found:
        return f"{found['case']}: failed: {found['failed'].splitlines()[-1]}"
    return (
        f"{found['case']}: {found['tokens_per_s']:,.0f} tokens/s, {found['measured_gib']:.1f} GiB, "
        f"planned {found['planned_gib']:.1f}"
    )


def _table(every: list[dict[str, Any]]) -> list[str]:
    """The results as Markdown."""
    title = "| case | tokens/s | of the peak | GiB, planned | measured | in tensors | planned / measured |"
    rows = [
        f"| `{each['case']}` | {each['tokens_per_s']:,.0f} | {each['utilisation']:.0%} | {each['planned_gib']:.1f} | "
        f"{each['measured_gib']:.1f} | {each['allocated_gib']:.1f} | "
        f"{each['planned_gib'] / each['measured_gib']:.2f} |"
        for each in every
        if "failed" not in each
    ]
    return [title, "| --- | ---: | ---: | ---: | ---: | ---: | ---: |", *rows]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(each.name for each in CASES)}")
    parser.add_argument("--out", type=Path, help="folder for models and logs, with room for a checkpoint")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    if unknown := set(options.cases) - {each.name for each in CASES}:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    sys.exit(main())
