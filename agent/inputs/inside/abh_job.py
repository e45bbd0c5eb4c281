# ruff: noqa: PTH100, PTH108, PTH120 - os.path is loaded anyway; the harness starts once for each question
"""The harness's entry: reads a request, does one job, sends one JSON record a frame as they come."""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Dict, Mapping, Sequence, Tuple

if TYPE_CHECKING:
    from afterburner.agent.inputs.inside.abh_hook import watch
    from afterburner.agent.inputs.inside.abh_recorder import NoRecorder, Recorder
    from afterburner.agent.inputs.inside.abh_words import Copy, Record, Request, Write
    from afterburner.sandbox.driver.ab_calls import dump_call, snapshot_globals, touched_globals
    from afterburner.sandbox.driver.ab_channel import leave_driver_folder, read_request, take_output
    from afterburner.sandbox.driver.ab_modules import resolve
else:
    from ab_calls import dump_call, snapshot_globals, touched_globals
    from ab_channel import leave_driver_folder, read_request, take_output
    from ab_modules import resolve
    from abh_hook import watch
    from abh_recorder import NoRecorder, Recorder

RECORD = b"R"
JOBS = {
    "main": ("abh_run", "run_main"),
    "calls": ("abh_run", "run_calls_file"),
    "command": ("abh_command", "run_command"),
    "doctest": ("abh_doctest", "run_doctests"),
    "pytest": ("abh_pytest", "run_tests"),
    "generate": ("abh_generate", "generate_calls"),
    "derive": ("abh_derive", "derive_calls"),
    "mutate": ("abh_mutate", "mutate_calls"),
    "shrink": ("abh_shrink", "shrink_call"),
    "scale": ("abh_scale", "scale_calls"),
    "lines": ("abh_lines", "profile_calls"),
}
PROFILES = {
    "time": ("abh_profile", "profile_time"),
    "memory": ("abh_memory", "profile_memory"),
    "lines": ("abh_lines", "profile_program"),
    "files": ("abh_survey", "profile_files"),
    "none": ("abh_survey", "no_profile"),
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
    for folder in (None, os.path.dirname(os.path.abspath(__file__))):
        leave_driver_folder(folder)
    sys.path[:0] = [path for path in request["import_paths"] if path not in sys.path]
    sys.path.extend(filter(None, [request.get("extra_site")]))
    sys.modules.pop(request["module"], None)  # a file of the user's may be called like a module that we have imported
    sys.dont_write_bytecode = True
    if profile is None:
        recorder: Any = Recorder(request["qualname"], copy_with_globals(request, write), write)
        watch(request, recorder)
        job(request, recorder, write)
    else:
        recorder = NoRecorder(request["mentions"])
        profile(job, request, recorder, write)
    write({"kind": "done", "calls": recorder.count})
    sys.stderr.flush()
    os._exit(0)


def load(place: Tuple[str, str]) -> Any:
    """A function of the harness; only what a job needs is imported, for the harness starts once for each question."""
    module_name, name = place
    return getattr(importlib.import_module(module_name), name)


def copy_with_globals(request: Request, write: Write) -> Copy:
    """A function that makes the blob of a call, together with the module state that the call depends on."""
    known: Dict[str, Any] = {}

    def copy(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bytes:
        module = sys.modules[request["module"]]
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
