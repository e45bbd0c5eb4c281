# ruff: noqa: PTH108, PTH119, PTH120 - os.path is loaded anyway; the harness starts once for each question
"""The harness's entry: reads a request, does one job, sends one JSON record a frame as they come."""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Dict, Mapping, Sequence, Tuple

from ....sandbox.driver.call_blobs import dump_call, snapshot_globals, touched_globals
from ....sandbox.driver.executed_modules import named
from ....sandbox.driver.host_channel import leave_import_path, read_request, take_output
from ....sandbox.driver.user_module import resolve
from .call_recorder import NoRecorder, Recorder
from .import_hook import watch

if TYPE_CHECKING:
    from .harness_types import Copy, Record, Request, Write

RECORD = b"R"
JOBS = {
    "main": ("user_code", "run_main"),
    "calls": ("user_code", "run_calls_file"),
    "command": ("user_command", "run_command"),
    "doctest": ("doctest_calls", "run_doctests"),
    "pytest": ("pytest_calls", "run_tests"),
    "generate": ("generated_calls", "generate_calls"),
    "derive": ("derived_calls", "derive_calls"),
    "assumptions": ("assumptions", "find_assumptions"),
    "stated": ("stated_assumptions", "try_stated"),
    "mutate": ("mutated_calls", "mutate_calls"),
    "explore": ("explored_calls", "explore_calls"),
    "suggest": ("suggested_calls", "suggest_calls"),
    "write": ("written_calls", "write_calls"),
    "shrink": ("smaller_calls", "shrink_call"),
    "scale": ("resized_calls", "scale_calls"),
    "tell": ("told_calls", "tell_calls"),
    "try": ("told_calls", "try_tests"),
    "lines": ("line_profiler", "profile_calls"),
    "reach": ("branch_meter", "find_unreached"),
    "compile": ("compiled_modules", "compile_modules"),
    "whole": ("whole_run", "run_whole"),
}
PROFILES = {
    "time": ("time_profiler", "profile_time"),
    "memory": ("memory_profiler", "profile_memory"),
    "lines": ("line_profiler", "profile_program"),
    "files": ("workload_profiler", "profile_files"),
    "none": ("workload_profiler", "no_profile"),
}


def main() -> None:
    """Do the job that the request on stdin names. Leaves without waiting for threads that user code started."""
    request = json.loads(read_request())
    output = take_output()
    silence_stdout()
    set_stdin(request.get("stdin", "").encode("latin-1"))

    def write(record: Record) -> None:
        output.send(RECORD, json.dumps(record).encode("ascii"))

    job = load(JOBS[request["job"]])
    profile = None if request["qualname"] else load(PROFILES[request["profile"]])
    leave_import_path()
    add_import_paths(request)
    sys.modules.pop(request["module"], None)  # a file of the user's may be called like a module that we have imported
    sys.dont_write_bytecode = True
    if profile is None:
        recorder: Any = Recorder(request["qualname"], copy_with_globals(request, write), write, request["module"])
        watch(request, recorder)
        job(request, recorder, write)
        recorder.finish()
    else:
        recorder = NoRecorder(request["mentions"])
        profile(job, request, recorder, write)
    write({"kind": "done", "calls": recorder.count})
    sys.stderr.flush()
    os._exit(0)


def add_import_paths(request: Request) -> None:
    """Let the project's modules be found: before all others, or right after the standard library's."""
    sys.path[:0] = [path for path in request["import_paths"] if path not in sys.path]
    standard = os.path.dirname(os.__file__)
    known = [at for at, path in enumerate(sys.path) if path == standard or os.path.basename(path) == "lib-dynload"]
    place = max(known) + 1 if known else len(sys.path)
    sys.path[place:place] = [path for path in request.get("later_import_paths", ()) if path not in sys.path]
    sys.path.extend(filter(None, [request.get("extra_site")]))


def load(place: Tuple[str, str]) -> Any:
    """A function of the harness; only what a job needs is imported, for the harness starts once for each question."""
    module_name, name = place
    return getattr(importlib.import_module("." + module_name, __package__), name)


def copy_with_globals(request: Request, write: Write) -> Copy:
    """A function that makes the blob of a call, together with the module state that the call depends on."""
    known: Dict[str, Any] = {}

    def copy(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bytes:
        module = named(request["module"])
        if not known:
            known["names"] = touched_globals(resolve(module, request["qualname"]).function, module)
        snapshot = snapshot_globals(module, known["names"])
        for name in snapshot.uncopyable:
            if name not in known:
                known[name] = True
                reason = "`%s` cannot be copied: every call sees it as importing the module left it" % name
                write({"kind": "skipped", "origin": "module state", "reason": reason})
        return dump_call(args, kwargs, snapshot.values, snapshot.absent)

    return copy


def silence_stdout() -> None:
    """What user code prints while calls are collected is of no interest, and must not fill the sandbox's disk."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1, inheritable=True)
    os.close(nowhere)


def set_stdin(data: bytes) -> None:
    """Let user code read `data` from stdin."""
    if not data:
        return
    path = "/tmp/.afterburner-stdin"  # noqa: S108 - the sandbox's own tmpfs
    with open(path, "wb") as file:  # noqa: PTH123 - plain and quick
        file.write(data)
    descriptor = os.open(path, os.O_RDONLY)
    os.unlink(path)
    os.dup2(descriptor, 0, inheritable=True)
    os.close(descriptor)
