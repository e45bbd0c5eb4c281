# ruff: noqa: PTH108, PTH112, PTH118, PTH120, PTH123, PTH208 - every Python has os.path loaded when it starts
"""The template: loads once what all sides of a comparison import, then forks one process for each sample.

Stdin holds the request (`afterburner.sandbox.duels` writes it): four bytes of length, a JSON header, the texts of all
sides, the blobs of the calls. `groups` names the sides of each group of samples that run at once, on one core: the
kernel gives them turns of a few milliseconds, so that they meet the same changes of the machine's speed. With
`call_by_call` they make each call one after the other, and only one runs at a time. `watched` are the groups (of one,
counted from 0) that tell what they have left changed: to look takes longer than to run a small function. Frames go
to stdout:

    P  JSON: which modules were loaded beforehand, and which could not be
    S  one sample: side, wait status, CPU ns of its processes as the kernel says, start and end on CLOCK_MONOTONIC in
       ns, ns that it could have run and did not get the core, how many threads and processes it started, the length of
       the complaints, the complaints (a JSON list), then all that the sample's driver wrote
    X  JSON: what kept the template from going on; nothing follows
    E  the end

This process runs nothing of the sides and nothing of the user's project: it imports the packages that the original
needs from elsewhere, in the order in which a scout process did. It cannot be looked into by the samples (it is not
dumpable), ends whatever they leave running, removes what they leave in files, and tells of both. It becomes the parent
of processes that a sample hands on (by a parent that ends first), whose CPU time is in no account of the sample's.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import struct
import sys
import time
from typing import Any, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Set, Tuple

from . import (
    call_driver,
    host_channel,
    kept_memory,
    process_guard,
    process_watch,
    sample_processes,
    stderr_text,
    taking_turns,
    user_module,
)

SAMPLE = struct.Struct(">BiQQQQII")
_WRITABLE = ("/tmp", "/dev/shm", "/var/tmp")  # noqa: S108 - the sandbox's own
_NAMED = 5


class Request(NamedTuple):
    """What the host wants: see `afterburner.sandbox.duels`."""

    header: Dict[str, Any]
    sources: List[str]
    blobs: List[bytes]


def read_request(data: bytes) -> Request:
    """Take the request apart."""
    (length,) = struct.unpack_from(">I", data)
    header = json.loads(data[4 : 4 + length])
    position = 4 + length
    parts: List[bytes] = []
    for size in [*header["sources_bytes"], *header["call_bytes"]]:
        parts.append(data[position : position + size])
        position += size
    sides = len(header["sources_bytes"])
    return Request(header, [part.decode("utf-8", "surrogatepass") for part in parts[:sides]], parts[sides:])


class Template:
    """Takes the samples of one request, one group of processes at a time."""

    def __init__(self, request: Request, output: host_channel.Output, dumpable: Any) -> None:
        """`dumpable` is called with 0 or 1 and says whether other processes of this user may look into ours."""
        self._request = request
        self._output = output
        self._dumpable = dumpable
        self._files = _files()
        self._own = {1, os.getpid()}
        stderr_text.install()  # before the watch, which would take it for the sample's doing
        self._watch = process_watch.Watch()

    def run(self) -> None:
        """Prepare, then take one sample after the other."""
        names, threads = self._scout()
        loaded = [] if threads else [name for name in names if _imported(name)]
        missing = [name for name in names if name not in sys.modules]
        self._clean()
        self._watch.learn()
        self._output.send(b"P", json.dumps({"loaded": len(loaded), "missing": missing[:_NAMED]}).encode("ascii"))
        gc.collect()
        gc.freeze()
        header = self._request.header
        for number, sides in enumerate(header["groups"]):
            last = sample_processes.last_task()
            all_ended = self._fork(sides, is_watched=number in header["watched"])
            tasks = sample_processes.tasks_since(last, len(sides))
            complaints = self._clean()
            for side, ended in zip(sides, all_ended):  # noqa: B905 - Python 3.8 has no strict
                # What the original does by itself is known; of several others nobody knows whose it was.
                is_known = len(sides) == 1 or (side and len(sides) == 2)
                self._send(side, ended, *((tasks, complaints) if is_known else (0, [])))
        self._output.send(b"E", b"")

    def _send(self, side: int, ended: sample_processes.Ended, tasks: int, complaints: List[str]) -> None:
        told = json.dumps(complaints).encode("ascii")
        head = SAMPLE.pack(side, ended.status, ended.cpu, ended.start, ended.end, ended.queued, tasks, len(told))
        self._output.send(b"S", head + told + ended.written)

    def _scout(self) -> Tuple[List[str], int]:
        """The modules from outside the project that the original imports, and how many threads run afterwards."""
        [ended] = self._fork([None])
        try:
            found = json.loads(ended.written)
            return [str(name) for name in found["modules"]], int(found["threads"])
        except (ValueError, KeyError, TypeError):
            return [], 0  # each sample will say by itself what is wrong with its side

    def _fork(self, sides: Sequence[Optional[int]], *, is_watched: bool = False) -> List[sample_processes.Ended]:
        """Take a sample of each side, all at the same time; of None be the scout."""
        count = len(sides)
        waiting, letting_go = os.pipe()
        ring = [os.pipe() for _ in sides] if count > 1 else []
        children: List[sample_processes.Child] = []
        for place, side in enumerate(sides):
            reading, writing = os.pipe()
            start = time.monotonic_ns()
            pid = os.fork()
            if pid == 0:
                os.close(letting_go)
                os.close(reading)
                for child in children:
                    child.close()  # what it writes is none of this one's business
                turns = sample_processes.place_in(ring, place) if ring else None
                watch = self._watch if is_watched else None
                self._become_sample(sample_processes.Place(side, writing, waiting, turns, count == 1, watch))
            os.close(writing)
            children.append(sample_processes.Child(pid, reading, start))
        if ring:
            os.write(ring[0][1], b"t")
        for descriptor in (waiting, letting_go, *(end for pipe in ring for end in pipe)):
            os.close(descriptor)  # with `letting_go` all of them begin
        return sample_processes.wait_for(children, self._request.header["sample_limit_s"] * count)

    def _become_sample(self, place: sample_processes.Place) -> NoReturn:
        """In the child: make the calls of one side, or be the scout.

        Samples that run together must not look into each other: of these none is dumpable.
        """
        try:
            self._output.close()
            os.read(place.waiting, 1)
            os.close(place.waiting)
            self._dumpable(int(place.is_alone))
            output = host_channel.Output(place.writing, host_channel.capture())
            header, blobs = self._request.header, self._request.blobs
            source = self._request.sources[place.side or 0]
            if place.side is None:
                self._be_scout(header, source, place.writing)
            else:
                turns = None
                if place.turns is not None:
                    turns = taking_turns.Turns(*place.turns, call_by_call=header["call_by_call"])
                request = call_driver.Request(header, source, blobs)
                driver = call_driver.Driver(request, output, place.watch, kept_memory.kept_bytes, turns)
                if place.watch is not None:
                    place.watch.start()
                driver.run()
        except BaseException:  # noqa: BLE001 - nothing of the child may run on in the template's place
            os._exit(1)
        os._exit(0)

    def _be_scout(self, header: Dict[str, Any], source: str, writing: int) -> None:
        before = set(sys.modules)
        user_module.load_target(header["module"], header["path"], source, header["import_paths"])
        names = [name for name in list(sys.modules) if name not in before and _is_outside(name, header)]
        threads = sys.modules["_thread"]._count()  # noqa: SLF001 - threading's own count can be fooled
        _write_all(writing, json.dumps({"modules": names, "threads": threads}).encode("ascii", "replace"))

    def _clean(self) -> List[str]:
        """End what still runs and remove what was left in files; tell of both."""
        complaints = []
        running = _processes() - self._own
        left = len(running) + sample_processes.reap_orphans()
        if left:
            complaints.append("processes: %d were left or handed on" % left)
            while _processes() - self._own:
                try:
                    os.kill(-1, signal.SIGKILL)  # all but the first process and ourselves
                except ProcessLookupError:
                    break
                time.sleep(0.0005)
            sample_processes.reap_orphans()
        files = _files() - self._files
        if files:
            complaints.append("files: " + ", ".join(sorted(files)[:_NAMED]))
            for path in files:
                shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else _remove(path)
        return complaints


def _imported(name: str) -> bool:
    """Import a module; whether that worked. A package may refuse to be imported piece by piece."""
    try:
        __import__(name)
    except BaseException:  # noqa: BLE001 - a sample will import it itself, and tell
        return False
    return True


def _is_outside(name: str, header: Dict[str, Any]) -> bool:
    """Whether a module is no part of the user's project: installed, or Python's own."""
    if name == "__main__" or name.split(".", maxsplit=1)[0] == header["module"].split(".")[0]:
        return False
    spec = getattr(sys.modules.get(name), "__spec__", None)
    origin = getattr(spec, "origin", None)
    if not isinstance(origin, str):
        return False
    if origin in ("built-in", "frozen"):
        return True
    if "site-packages" in origin or "dist-packages" in origin:
        return True
    return origin.startswith((os.path.dirname(os.__file__) + os.sep, *_EXTENSIONS))


_EXTENSIONS = tuple({os.path.join(root, "lib") + os.sep for root in (sys.base_prefix, sys.base_exec_prefix)})


def _processes() -> Set[int]:
    return {int(name) for name in os.listdir("/proc") if name.isdigit() and not _is_dead(name)}


def _is_dead(name: str) -> bool:
    """Whether it has ended and waits for its parent to notice."""
    try:
        with open("/proc/%s/stat" % name, "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except OSError:
        return True


def _files() -> Set[str]:
    found = set()
    for folder in _WRITABLE:
        try:
            found |= {os.path.join(folder, name) for name in os.listdir(folder)}
        except OSError:
            continue
    return found


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def main() -> None:
    """Serve one request, then leave at once."""
    output = host_channel.take_output()
    request = read_request(host_channel.read_request())
    host_channel.leave_import_path()
    host_channel.leave_modules()
    try:
        dumpable = process_guard.guard_process()
    except (ImportError, AttributeError, OSError) as error:
        reason = "this Python cannot protect the process that starts the samples: %s" % error
        output.send(b"X", json.dumps({"stage": "template", "type": "Unsupported", "message": reason}).encode("ascii"))
        os._exit(1)
    Template(request, output, dumpable).run()
    os._exit(0)
