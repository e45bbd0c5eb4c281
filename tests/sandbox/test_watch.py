"""What the watch in the driver's process notices, and that it notices nothing where nothing is left."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).resolve().parents[2] / "sandbox" / "driver"
AROUND = """\
import json, sys
import random, threading, types
package = sys.modules["_afterburner_inside"] = types.ModuleType("_afterburner_inside")
package.__path__ = [{driver!r}]
from _afterburner_inside import kept_memory, process_watch
watch = process_watch.Watch()
watch.snapshot()
{body}
print(json.dumps(watch.complaints()))
sys.stdout.flush()
import os; os._exit(0)
"""


def complaints_after(body: str) -> list[str]:
    """What it complains about; without processes, since others run on this machine while the test does."""
    script = AROUND.format(driver=str(DRIVER), body=body)
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, check=True, encoding="utf-8")
    found = json.loads(done.stdout)
    return [each for each in found if not each.startswith(("processes", "files"))]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("import time; time.process_time_ns = int", "patched: time.process_time_ns"),
        ("import builtins; builtins.sorted = list", "patched: builtins.sorted"),
        ("random.Random.shuffle = print", "patched: random.Random.shuffle"),
        ("import io; sys.stderr = io.StringIO()", "patched: sys.stderr"),
        ("import json.decoder as fake; sys.modules['random'] = fake", "patched: random"),
        ("import builtins; builtins.known = {}", "stored: builtins.known"),
        ("sys.setrecursionlimit(2345)", "recursion limit: changed from 1000 to 2345"),
        ("import gc; gc.disable()", "garbage collection: changed"),
        ("sys.setprofile(lambda *each: None)", "tracing: changed"),
        ("import signal; signal.signal(signal.SIGUSR1, print)", "signal handlers: changed"),
        ("import signal; signal.setitimer(signal.ITIMER_PROF, 100)", "timers: changed"),
        ("import os; os.environ['KNOWN'] = '1'", "environment: KNOWN"),
        ("import os; os.chdir('/')", "working directory: changed from "),
        ("threading.Thread(target=threading.Event().wait, daemon=True).start()", "threads: 1 still running"),
        ("import atexit; atexit.register(print)", "exit handlers: 1 more"),
        ("kept = open('/dev/null')", "descriptors: 1 more are open"),
        ("sys.meta_path.insert(0, random.Random())", "imports: the way modules are found"),
    ],
)
def test_what_is_left_changed_is_told(body: str, complaint: str) -> None:
    [found] = complaints_after(body)
    assert found.startswith(complaint)


@pytest.mark.parametrize(
    "body",
    [
        "thread = threading.Thread(target=print, args=('',), kwargs={'end': ''}); thread.start(); thread.join()",
        "import asyncio; asyncio.run(asyncio.sleep(0))",
        "import decimal, tempfile, logging, unittest.mock; tempfile.gettempdir(); logging.getLogger().handlers",
        "import warnings; warnings.simplefilter('ignore'); warnings.warn('something')",
        "import re; re.compile('x+').findall('xx'); random.seed(1); random.shuffle([1, 2])",
        "import gc; gc.disable(); gc.enable(); open('/dev/null').close()",
        "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()): print('something')",
    ],
)
def test_what_is_put_back_or_belongs_to_python_is_not(body: str) -> None:
    assert complaints_after(body) == []


def test_a_c_library_that_tells_no_scheduling_policy_is_no_fault_of_the_code() -> None:
    """As musl, the one of Alpine: what it lacks is told by an error."""
    lacks = "import os\ndef missing(_):\n    raise OSError(38, 'Not implemented')\nos.sched_getscheduler = missing\n"
    script = lacks + AROUND.format(driver=str(DRIVER), body="import os; os.chdir('/')")
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, check=True, encoding="utf-8")
    [found] = [each for each in json.loads(done.stdout) if not each.startswith(("processes", "files"))]
    assert found.startswith("working directory: changed from ")


def test_a_watch_can_start_over_after_a_fork() -> None:
    """The child is compared with itself, but functions stay those of the parent."""
    changed = "import os, time\nsys.setrecursionlimit(2345)\ntime.time = int\n"
    forked = "if os.fork():\n    os.wait()\n    os._exit(0)\nwatch.start()"
    assert complaints_after(changed + forked) == ["patched: time.time"]


def test_memory_that_a_module_keeps_is_told() -> None:
    body = (
        "import types, functools\nmodule = types.ModuleType('kept')\n"
        "exec('import functools\\n@functools.lru_cache(None)\\ndef get(n): return bytes(n)', vars(module))\n"
        "before = kept_memory.kept_bytes(module)\nmodule.get(100_000)\n"
        "sys.setrecursionlimit(1000 + (kept_memory.kept_bytes(module) - before) // 1000)"
    )
    assert complaints_after(body) == ["recursion limit: changed from 1000 to 1100"]


LAZY = """\
import functools, importlib.util, sys
source = '''
import functools
class Wrapper:
    def __init__(self, inner): self.__wrapped__ = inner
    def __call__(self, *given): return self.__wrapped__(*given)
def inner(n): return n
def first(n):
    globals()["made_inner_1"] = inner
    globals()["made_wrapper_2"] = Wrapper(inner)
    return inner(n)
'''
lazy = sys.modules["lazy"] = types.ModuleType("lazy")
exec(source, vars(lazy))
watch.learn()
watch.snapshot()
"""


def test_what_a_library_compiles_of_its_own_at_the_first_call_is_its_own_affair() -> None:
    assert complaints_after(LAZY + "lazy.first(1)") == []


@pytest.mark.parametrize(
    "stored",
    [
        "lambda n: n",
        "lazy.Wrapper(lambda n: n)",
        "functools.lru_cache(lazy.inner)",
        "functools.wraps(lazy.inner)(lambda n: n)",
        "{}",
    ],
)
def test_what_somebody_else_stores_in_a_library_is_told(stored: str) -> None:
    assert complaints_after(LAZY + f"lazy.made_inner_1 = {stored}") == ["stored: lazy.made_inner_1"]
