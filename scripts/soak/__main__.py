"""Runs thousands of programs, a third of them attacks, and looks whether anything is left behind or grows.

    python -m scripts.soak [--backend bubblewrap|docker] [--runs 10000] [--kills 50] [--seed 0] [--languages NAME ...]
    python -m scripts.soak --services 3 [--runs …]

One process runs them all, side by side, in one sandbox. Its memory and descriptors must stay flat, and every verdict
must be what the program's file says. Others that do the same are killed (SIGKILL) at random moments. Every 500 runs,
after the kills and at the end, no process, mount, control group, container or file may be there that was not at the
start. What a killed one could not tidy up, the next start of a sandbox has to.

With `--services N`, a client submits programs to N sandbox services behind nginx, configured by
examples/service/nginx.conf. All but the first service are interrupted at random moments and start again: three in four
times by SIGKILL, otherwise by SIGTERM, as in an upgrade. Each submission must get exactly one report, and the right
one. The memory and descriptors of the first service must not grow.

Docker is looked for as usual (DOCKER_HOST); `python -m scripts.docker_daemon python -m scripts.soak --backend docker`
lends a daemon and an image. Ctrl-C or SIGTERM ends it early, with what was found so far. Ends with status 1 if
something is wrong. Nothing else may run in the sandbox or in Docker meanwhile: it would count as left behind.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.languages import LANGUAGES
from scripts.soak.findings import Findings
from scripts.soak.hosts import HostFailedError
from scripts.soak.picture import draw
from scripts.soak.pool_supervisor import PoolSupervisor
from scripts.soak.supervisor import Plan, Supervisor
from tests.sandbox.attack_host import attacked_host


def main() -> int:
    """Soaks, and prints a table of it."""
    plan, picture = _plan()
    for number in (signal.SIGINT, signal.SIGTERM):  # a job in the background would ignore the first
        signal.signal(number, signal.default_int_handler)
    findings = Findings()
    failure = ""
    with tempfile.TemporaryDirectory(prefix="afterburner-soak-") as folder, attacked_host() as attacked:
        try:
            supervisor = PoolSupervisor if plan.services else Supervisor
            supervisor(plan, Path(folder), attacked, findings).soak()
        except KeyboardInterrupt:
            findings.interrupted = True
        except (HostFailedError, AfterburnerError) as error:
            failure = str(error)
    print(*findings.table(), *filter(None, [failure]), sep="\n", flush=True)
    if picture:
        draw(findings, plan)
    if findings.interrupted:
        return 130
    return 1 if findings.complaints or failure else 0


def _plan() -> tuple[Plan, bool]:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--backend", choices=("bubblewrap", "docker"), default="bubblewrap")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--languages", nargs="+", choices=LANGUAGES, default=(), help="all that are installed without it"
    )
    parser.add_argument("--every", type=int, default=500, help="runs between two looks")
    parser.add_argument(
        "--services", type=int, default=0, help="how many services the pool has, at least 2; 0: no pool"
    )
    parser.add_argument("--picture", action="store_true", help="draw docs/images/soak.svg")
    options = parser.parse_args()
    if options.runs < 1 or options.kills < 0 or options.every < 1:
        parser.error("--runs and --every are at least 1, --kills at least 0")
    if options.services < 0 or options.services == 1 or (options.services and options.backend != "bubblewrap"):
        parser.error("--services is 0 or at least 2; with it, leave out --backend: each service chooses its own")
    plan = Plan(
        options.backend,
        tuple(options.languages),
        options.runs,
        options.kills,
        options.seed,
        options.every,
        options.services,
    )
    return plan, options.picture


if __name__ == "__main__":
    sys.exit(main())
