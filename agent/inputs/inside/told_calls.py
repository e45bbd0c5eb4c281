"""Writes calls, and what the function does in each, as expressions; tries tests that are made of these.

Both run in a process that holds one version of the function, and know nothing of the other.
"""

from __future__ import annotations

import base64
import functools
import importlib
import importlib.util
import pathlib
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Set

from ....sandbox.driver.call_blobs import Call, load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from .call_literals import LiteralWriter
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

MADE = "made"  # the helper of a test that makes an object of its attributes


def tell_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Make the calls of the request in one process; write each with what it does.

    `helpers` is the source that tests have at their top: what a test observes of a call is what is told here.
    """
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is not None:
        with recorder.removed(module):
            guarded(write, "run", lambda: _tell(request, module, write))


def _tell(request: Request, module: ModuleType, write: Write) -> None:
    target = resolve(module, request["qualname"])
    helpers = _loaded("afterburner_helpers", request["helpers"])
    usual = dict(vars(module))
    for encoded in request["blobs"]:
        call = load_call(base64.b64decode(encoded))
        state = {name: value for name, value in call.globals.items() if _text(value) != _text(usual.get(name))}
        writer = LiteralWriter([*call.args, *call.kwargs.values(), *state.values()], MADE)
        told: Dict[str, Any] = {
            "binding": target.kind,
            "definitions": [list(each.partition(" = ")[::2]) for each in writer.definitions],
            "state": [[name, writer.text(value)] for name, value in state.items()],
            "args": [writer.text(value) for value in call.args],
            "kwargs": [[name, writer.text(value)] for name, value in call.kwargs.items()],
            "before": _standing(call, call.globals),
        }
        for name in call.absent:
            vars(module).pop(name, None)
        vars(module).update(call.globals)
        outcome = helpers.observed(target.function, *call.args, **call.kwargs)
        told["outcome"] = _text(outcome)
        told["links"] = helpers.linked((call.args, call.kwargs, outcome))
        told["after"] = _standing(call, {name: vars(module).get(name) for name in call.globals})
        told["state"] += _changed(told["before"], told["after"], {name for name, _ in told["state"]})
        write({"kind": "told", "body": told})


def _text(value: Any) -> str:
    return LiteralWriter([], MADE).text(value)


def _standing(call: Call, state: Dict[str, Any]) -> List[List[str]]:
    """What stands in the arguments and in the module: where, and the value."""
    places = [["arguments", _text(list(call.args))], ["named", _text(call.kwargs)]]
    return places + [["module." + name, _text(value)] for name, value in state.items()]


def _changed(before: List[List[str]], after: List[List[str]], known: Set[str]) -> Iterator[List[str]]:
    """What the call changes in the module, as it was: another test in the same process starts from that."""
    stood = {each[0]: each[1] for each in before}
    for place, text in after:
        name = place.partition("module.")[2]
        if name and name not in known and stood[place] != text:
            yield [name, stood[place]]


def try_tests(request: Request, recorder: Recorder, write: Write) -> None:
    """Run the test function `name` of each source of the request; write whether it passes."""
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    with recorder.removed(module):
        for number, source in enumerate(request["tests"]):
            passed = guarded(write, "run", functools.partial(_passes, source, request["name"], number))
            write({"kind": "told", "body": {"passed": bool(passed)}})


def _passes(source: str, name: str, number: int) -> bool:
    getattr(_loaded("afterburner_counterexample_%d" % number, source), name)()
    return True


def _loaded(name: str, source: str) -> Any:
    """The module of a source text."""
    path = pathlib.Path(tempfile.gettempdir(), name + ".py")
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, str(path))
    module: Any = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]  # there is one for every such path
    sys.modules[name] = module
    spec.loader.exec_module(module)  # type: ignore[union-attr]  # likewise
    return module
