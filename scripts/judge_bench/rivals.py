"""What else looks for a difference of two functions: Hypothesis by itself, and CrossHair by itself, in the sandbox."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.sandbox import Limits, Program, TestCase
from afterburner.sandbox.installations import OWN_SITE, own_environment, own_package_binds

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox

_FOUND = b"different\n"
_HYPOTHESIS = """\
import json, sys, time, typing
sys.path.append({site!r})
before, after, name, hints, seconds = json.loads({job!r})
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
until = time.monotonic() + seconds
def made(source):
    namespace = {{}}
    exec(source, namespace)
    return namespace[name]
def outcome(function, arguments):
    import copy
    try:
        value = function(*copy.deepcopy(arguments))
    except Exception as error:
        return type(error).__name__
    return type(value).__name__, repr(value)
one, other = made(before), made(after)
class Different(Exception): pass
class Late(Exception): pass
@settings(max_examples=10**6, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
          suppress_health_check=list(HealthCheck))
@given(st.tuples(*(st.from_type(eval(hint)) for hint in hints)))
def compare(arguments):
    if time.monotonic() > until: raise Late
    if outcome(one, list(arguments)) != outcome(other, list(arguments)): raise Different
try:
    compare()
except Different:
    print("different")
except Late:
    print("same")
except BaseException as error:
    print("different" if "Different" in repr(error) else "same")
else:
    print("same")
"""
_CROSSHAIR = """\
import json, pathlib, sys
sys.path.append({site!r})
before, after, name, seconds = json.loads({job!r})
for folder, text in (("before", before), ("after", after)):
    pathlib.Path("/tmp", folder + ".py").write_text(text)
sys.path.insert(0, "/tmp")
from crosshair.main import unwalled_main
import contextlib, io
told = io.StringIO()
with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
    try:
        unwalled_main(["diffbehavior", "before." + name, "after." + name, "--per_condition_timeout", str(seconds)])
    except SystemExit:
        pass
print("different" if "Given:" in told.getvalue() else "same")
"""
_CROSSHAIR_PACKAGES = (
    *("crosshair-tool", "z3-solver", "typing-inspect", "typeshed-client", "typing_extensions", "mypy_extensions"),
    *("packaging", "pygls", "lsprotocol", "cattrs", "attrs"),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts of one function, and a type hint for each of its parameters."""

    before: str
    after: str
    function: str
    hints: tuple[str, ...]


def hypothesis_finds(sandbox: Sandbox, pair: Pair, seconds: float) -> bool:
    """Whether Hypothesis finds a difference, with a strategy made of the type hints alone."""
    job = json.dumps([pair.before, pair.after, pair.function, pair.hints, seconds])
    return _finds(sandbox, _HYPOTHESIS.format(site=OWN_SITE, job=job), ("hypothesis", "sortedcontainers"), seconds)


def crosshair_finds(sandbox: Sandbox, pair: Pair, seconds: float) -> bool:
    """Whether CrossHair's `diffbehavior` finds a difference of the functions with these type hints."""
    job = json.dumps([_hinted(pair.before, pair), _hinted(pair.after, pair), pair.function, seconds])
    return _finds(sandbox, _CROSSHAIR.format(site=OWN_SITE, job=job), _CROSSHAIR_PACKAGES, seconds)


def _finds(sandbox: Sandbox, script: str, packages: tuple[str, ...], seconds: float) -> bool:
    environment = own_environment()
    environment = replace(environment, binds=(*environment.binds, *own_package_binds(*packages)))
    limits = Limits(wall_time_s=4 * seconds + 10, cpu_time_s=2 * seconds + 10, memory_kib=2 << 20)
    [report] = sandbox.run(Program("python", script, environment=environment), [TestCase()], limits).cases
    return report.stdout.endswith(_FOUND)


def _hinted(source: str, pair: Pair) -> str:
    """The text with hints for the parameters of the function."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == pair.function:
            for parameter, hint in zip(node.args.args, pair.hints, strict=False):
                parameter.annotation = ast.parse(hint, mode="eval").body
    return ast.unparse(tree) + "\n"
