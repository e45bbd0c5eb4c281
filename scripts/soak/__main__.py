"""Runs thousands of programs, a third of them attacks, and looks whether anything is left behind or grows.

    python -m scripts.soak [--backend bubblewrap|docker] [--runs 10000] [--kills 50] [--seed 0] [--languages NAME ...]

One process runs them all, side by side, in one sandbox. Its memory and descriptors must stay flat, and every verdict
must be what the program's file says. Others that do the same are killed (SIGKILL) at random moments. Every 500 runs,
after the kills and at the end, no process, mount, control group, container or file may be there that was not at the
start. What a killed one could not tidy up, the next start of a sandbox has to.

Docker is looked for as usual (DOCKER_HOST); `scripts/docker_daemon.py python -m scripts.soak --backend docker` lends
a daemon and an image. Ctrl-C ends it early, with what was found so far. Ends with status 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from afterburner.sandbox.languages import LANGUAGES
from scripts.soak.findings import Findings
from scripts.soak.hosts import HostFailedError
from scripts.soak.supervisor import Plan, Supervisor
from tests.sandbox.attack_host import attacked_host


def main() -> int:
    """Soaks, and prints a table of it."""
    plan = _plan()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore it
    findings = Findings()
    failure = ""
    with tempfile.TemporaryDirectory(prefix="afterburner-soak-") as folder, attacked_host() as attacked:
        try:
            Supervisor(plan, Path(folder), attacked, findings).soak()
        except KeyboardInterrupt:
            findings.interrupted = True
        except HostFailedError as error:
            failure = str(error)
    print(*findings.table(), *filter(None, [failure]), sep="\n", flush=True)
    if findings.interrupted:
        return 130
    return 1 if findings.complaints or failure else 0


def _plan() -> Plan:
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
    options = parser.parse_args()
    if options.runs < 1 or options.kills < 0 or options.every < 1:
        parser.error("--runs and --every are at least 1, --kills at least 0")
    return Plan(options.backend, tuple(options.languages), options.runs, options.kills, options.seed, options.every)


if __name__ == "__main__":
    sys.exit(main())
