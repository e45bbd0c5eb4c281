# ruff: noqa: PTH100, PTH120 - os.path is loaded anyway; the harness starts once for each question
"""Runs user code under the recorder: the file's own main block, or a file of calls."""

from __future__ import annotations

import ast
import os
import sys
import traceback
from typing import TYPE_CHECKING, Callable, List, Optional, Sequence, TypeVar

from ....sandbox.driver.calls_file import Definitions
from ....sandbox.driver.executed_modules import imported
from .harness_types import Interrupted

if TYPE_CHECKING:
    import types

    from .call_recorder import Recorder
    from .harness_types import Request, Write

T = TypeVar("T")


def run_main(request: Request, recorder: Recorder, write: Write) -> None:
    """Import the target's file, then run its `if __name__ == "__main__":` blocks in its own namespace.

    The module keeps its import name, so that the classes of captured arguments can be found again on replay;
    only while the block runs `__name__` says `__main__`.
    """
    sys.argv = [request["path"], *request.get("arguments", ())]
    recorder.origin = "captured from the file's top level"
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    recorder.origin = request["origin"]
    blocks = main_blocks(request["source"], request["path"])
    if not blocks and not recorder.count:
        write({"kind": "failed", "stage": "no_main", "reason": 'the file has no `if __name__ == "__main__":` block'})
    if blocks:
        guarded(write, "run", lambda: run_blocks(module, blocks, request["path"]))


def run_calls_file(request: Request, recorder: Recorder, write: Write) -> None:
    """Run the user's file of calls. It may import the target, and it finds the module's names in its namespace.

    It is the main program, but its module is called `__calls__`: what it defines is found by that name on replay.
    """
    path, source = request["calls_path"], request["calls_source"]
    try:
        tree = ast.parse(source, path)
        for block in _main_blocks(tree):
            block.test = ast.copy_location(ast.Constant(value=True), block.test)
        code = compile(tree, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        write({"kind": "failed", "stage": "syntax", "reason": _said_by(error)})
        return
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    recorder.origin = request["origin"]
    sys.argv = [path]
    sys.path.append(os.path.dirname(path))
    definitions = Definitions(path, source, module.__name__)
    script = sys.modules["__main__"] = definitions.install()
    definitions.run_as_a_whole()
    vars(script).update({name: value for name, value in vars(module).items() if not name.startswith("__")})
    vars(script)[module.__name__.rpartition(".")[2]] = sys.modules[request["module"]]
    guarded(write, "run", lambda: exec(code, vars(script)), path)  # noqa: S102 - this is the sandbox


def main_blocks(source: str, path: str) -> List[ast.If]:
    """The top-level `if` statements of the file whose test asks for `__main__`."""
    return _main_blocks(ast.parse(source, path))


def run_blocks(module: types.ModuleType, blocks: Sequence[ast.stmt], path: str) -> None:
    """Run these statements as if the module were the main program."""
    name = module.__name__
    sys.modules["__main__"] = module
    module.__name__ = "__main__"
    try:
        for block in blocks:
            exec(compile(ast.Module([block], []), path, "exec", dont_inherit=True), vars(module))  # noqa: S102
    finally:
        module.__name__ = name


def guarded(write: Write, stage: str, action: Callable[[], T], path: str = "") -> Optional[T]:
    """Do it; what goes wrong becomes a `failed` record, and its traceback goes to stderr for the host to quote.

    An exception is told with the line of the file at `path` that it came from, if it came from one.
    """
    try:
        return action()
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            code = int(leaving.code) if isinstance(leaving.code, bool) else leaving.code  # unittest leaves with True
            write({"kind": "failed", "stage": stage, "reason": "it left with exit code %s" % (code,)})
    except Interrupted as reason:
        write({"kind": "failed", "stage": stage, "reason": str(reason)})
    except BaseException as error:  # noqa: BLE001 - whatever the user's code raises is reported
        _print_traceback(error)
        write({"kind": "failed", "stage": stage, "reason": _line_in(path, error) + _said_by(error)})
    return None


def _main_blocks(tree: ast.Module) -> List[ast.If]:
    return [node for node in tree.body if isinstance(node, ast.If) and _asks_for_main(node.test)]


def _asks_for_main(test: ast.expr) -> bool:
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    texts = {node.value for node in ast.walk(test) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return "__name__" in names and "__main__" in texts


def _line_in(path: str, error: BaseException) -> str:
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == path]
    return "line %d: " % lines[-1] if lines else ""


def _said_by(error: BaseException) -> str:
    """The kind of an exception and its message; of a syntax error also where it is."""
    told = _without_notes(error)[-1].strip()
    if isinstance(error, SyntaxError) and error.filename and error.lineno and not error.filename.startswith("<"):
        return "%s:%d: %s" % (error.filename, error.lineno, told)
    return told


def _without_notes(error: BaseException) -> List[str]:
    """The lines of an exception without those that somebody has added, as Hypothesis adds what it has drawn."""
    lines = traceback.format_exception_only(type(error), error)
    return lines if isinstance(error, SyntaxError) else lines[:1]


def _print_traceback(error: BaseException) -> None:
    """Print it without the frames of this harness."""
    here = os.path.dirname(os.path.abspath(__file__))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(here)]
    lines = traceback.format_list([frame for frame in frames if "importlib" not in frame.filename])
    sys.stderr.write("".join(lines + _without_notes(error)))
