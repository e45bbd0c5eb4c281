"""Compiles the modules of the project that importing the target loads, so that the processes to come need not."""

from __future__ import annotations

import base64
import marshal
import sys
from importlib.util import MAGIC_NUMBER
from types import ModuleType
from typing import TYPE_CHECKING, Any, Iterator

from ....sandbox.driver.executed_modules import imported
from .user_code import guarded

if TYPE_CHECKING:
    from .call_recorder import Recorder
    from .harness_types import Request, Write


def compile_modules(request: Request, _recorder: Recorder, write: Write) -> None:
    """Write the code of each module as Python keeps it in `__pycache__`, without the header, and what the header takes.

    The target is not among them: it is always loaded from text.
    """
    if guarded(write, "import", lambda: imported(request["module"])) is None:
        return
    modules = []
    for path in dict.fromkeys(_project_files(request["project_root"])):
        if path != request["path"]:
            with open(path, "rb") as file:  # noqa: PTH123 - plain and quick
                code = compile(file.read(), path, "exec", dont_inherit=True)
            modules.append([path, base64.b64encode(marshal.dumps(code)).decode("ascii")])
    magic = base64.b64encode(MAGIC_NUMBER).decode("ascii")
    write({"kind": "told", "body": {"tag": sys.implementation.cache_tag, "magic": magic, "modules": modules}})


def _project_files(root: str) -> Iterator[str]:
    for module in list(sys.modules.values()):
        file: Any = vars(module).get("__file__") if type(module) is ModuleType else None
        if type(file) is str and file.endswith(".py") and file.startswith(root.rstrip("/") + "/"):
            yield file
