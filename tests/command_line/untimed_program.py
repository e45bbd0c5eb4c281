"""The program with a judge that times nothing, for the tests of all that is not about time.

As a script, it is started in place of `afterburner-agent`.
"""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

HOLD = "AFTERBURNER_TEST_HOLD"  # names a file: as long as it is there, rewrites are not judged any further
_LOOPS = str(Path(__file__).parents[1] / "loops")


def time_nothing() -> None:
    """From now on each rewrite that does the same counts as twice as fast.

    Growth, larger inputs, later calls, most made inputs, and the search for a smaller counterexample are left out.
    """
    running: Any = import_module("afterburner.agent.session.one_run")
    gather: Any = import_module("afterburner.agent.evidence.gather")
    behaviour: Any = import_module("afterburner.agent.judge.behaviour")
    confirming: Any = import_module("afterburner.agent.judge.confirming")
    larger: Any = import_module("afterburner.agent.judge.slower_on_larger")
    first_calls: Any = import_module("afterburner.agent.judge.first_calls")
    cores: Any = import_module("afterburner.sandbox.cores")
    growth = import_module("afterburner.agent.evidence.growth").Growth(
        note="cannot tell how time grows: nothing is timed"
    )
    running.Judge = _held(_loops().UntimedJudge)
    gather.measure_growth = lambda *_: growth
    behaviour.OFFER_ROUNDS = behaviour.OFFER_LEAST = 1  # of made inputs
    behaviour.glance_at_larger_inputs = lambda *_, **_named: larger.LargerGlances()
    running.make_ladder = confirming.make_larger_inputs = lambda *_: None
    confirming.SHRINKING_S = 0.0
    confirming.on_larger_inputs = lambda *_: None
    confirming.look_at_later_calls = lambda *_: first_calls.FirstCalls()
    cores.lock_folder = _leases
    cpu = sorted(cores.usable_cpus())[os.getpid() % len(cores.usable_cpus())]
    cores.usable_cpus = lambda: frozenset({cpu})  # or the samples of all workers would share one


def _leases() -> Path:
    """A folder of this user's: nobody waits for a core."""
    folder = Path.home().with_name("leases")
    folder.mkdir(exist_ok=True)
    return folder


def _loops() -> ModuleType:
    if _LOOPS not in sys.path:
        sys.path.append(_LOOPS)
    return import_module("loops")


def _held(judge: type[Any]) -> type[Any]:
    class Held(judge):  # type: ignore[misc]  # it is known when it runs
        def screen(self, *arguments: Any, **named: Any) -> Any:
            while os.path.exists(os.environ.get(HOLD, "")):  # noqa: PTH110 - an empty name is no path
                time.sleep(0.02)
            return super().screen(*arguments, **named)

    return Held


if __name__ == "__main__":
    time_nothing()
    sys.exit(import_module("afterburner.agent.cli.main").main())
