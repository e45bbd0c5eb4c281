# ruff: noqa: B905, PTH109, PTH208 - zip has no `strict` in Python 3.9, and pathlib takes a while to import
"""Notices what code leaves changed or running in its process: patched functions, threads, files, settings.

A `Watch` is made before user code is loaded and asked when the calls are over. It only tells; whether a complaint
counts is for the host to say, which compares what the original and its rewrite are told about:
`afterburner.agent.judge.gates.judge_complaints`. So the text of a complaint holds nothing that differs from run to
run. All functions are bound here, when this module is imported: user code may replace them in theirs.
"""

from __future__ import annotations

import gc
import os
import sys
from _signal import (  # type: ignore[import-not-found]  # signal's own functions make enums first
    ITIMER_PROF,
    ITIMER_REAL,
    ITIMER_VIRTUAL,
    getitimer,
    getsignal,
)
from _thread import _count as count_threads  # threading's own count can be fooled
from atexit import _ncallbacks as count_exit_handlers
from operator import is_  # in C: it is asked of some thousand names
from os import (
    environ,
    fsdecode,
    getcwd,
    getpid,
    getpriority,
    listdir,
    sched_getaffinity,
    sched_getscheduler,
    statvfs,
    umask,
)
from resource import getrlimit
from time import sleep
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Tuple

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_OWN = __name__.partition(".")[0]  # the name below which all modules of ours are
_WRITABLE = ("/tmp", "/dev/shm")  # noqa: S108 - the only places in the sandbox that can be written to
_RLIMITS = range(16)  # the kernel's numbers, RLIMIT_RTTIME being the last
_SIGNALS = [number for number in range(1, 65) if number not in (32, 33)]  # those two are the C library's own
_TIMERS = (ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF)
_STREAMS = frozenset(("stdin", "stdout", "stderr", "environ"))  # not callable, and not to be replaced either
_REGISTERING = ("logging", "multiprocessing.util")  # whoever imports them leaves an exit handler, and means no harm
_SETTLING_S = (0.0005, 0.001, 0.002, 0.005, 0.01)  # what has ended may be seen for another moment
_MAX_NAMED = 8
_MOST_WRAPPED = 32  # functions around one another
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8  # of `type.__flags__`; the second is set since Python 3.10
_MISSING: Any = object()
_plain = (int, float, str)  # what may be shown: the repr of anything else may run user code


class _Saved(NamedTuple):
    """What a namespace held; the values are kept so that their identities stay theirs."""

    name: str
    namespace: Mapping[str, Any]
    names: Tuple[str, ...]
    values: Tuple[Any, ...]
    is_class: bool


class _Moment(NamedTuple):
    """What importing may change for good reasons, so it is compared with how it was right before the calls."""

    tasks: int
    descriptors: int
    exit_handlers: int
    finders: Tuple[Any, ...]


class Watch:
    """Remembers how the process is, and tells what is different later."""

    def __init__(self) -> None:
        """Take in the process and its modules as they are now: no user code may have run yet."""
        self._known: Dict[int, _Saved] = {}
        self._modules: Dict[str, ModuleType] = {}
        self.learn()
        self.start()

    def start(self) -> None:
        """Take in the process once more: after a fork, and still before user code is loaded."""
        self._threads = count_threads()
        self._processes = _processes()
        self._files = _inodes()
        self._variables = _variables()
        self._settings = _settings()
        self._moment = _moment()

    def learn(self) -> None:
        """Take in the modules that were imported since, for instance by the unchanged project.

        Their functions must not be replaced from now on.
        """
        for name, module in list(sys.modules.items()):
            if type(module) is not ModuleType or name == "__main__" or name.partition(".")[0] == _OWN:
                continue
            self._modules.setdefault(name, module)
            namespace = vars(module)
            if id(namespace) in self._known:
                continue
            self._remember(name, namespace, is_class=False)
            for value in list(namespace.values()):
                if isinstance(value, type) and _can_change(value) and value.__module__ == name:
                    self._remember("%s.%s" % (name, value.__qualname__), vars(value), is_class=True, key=id(value))

    def snapshot(self) -> None:
        """Call it right before the timed calls, when the module under test has been loaded."""
        self._moment = _moment()

    def complaints(self) -> List[str]:
        """What is not as it was, as `kind: what`, in a fixed order; empty for well-behaved code."""
        found = [*self._patches(), *_changed_settings(self._settings)]
        variables = _variables()
        changed = {name for name in {*variables, *self._variables} if variables.get(name) != self._variables.get(name)}
        if changed:
            found.append("environment: " + _listed(sorted(map(fsdecode, changed))))
        for folder, before, now in zip(_WRITABLE, self._files, _inodes()):
            if now > before:
                found.append("files: %d more in %s" % (now - before, folder))
        return found + self._running() + self._left_behind()

    def _running(self) -> List[str]:
        found = []
        threads = count_threads() - self._threads
        tasks = _settled(lambda: _count("/proc/self/task") - self._moment.tasks)
        if threads > 0 or tasks > 0:
            found.append("threads: %d still running" % max(threads, tasks))
        processes = _settled(lambda: len(_processes() - self._processes - {getpid()}))
        if processes > 0:
            found.append("processes: %d still there" % processes)
        return found

    def _left_behind(self) -> List[str]:
        found = []
        before, now = self._moment, _moment()
        if now.descriptors > before.descriptors:
            gc_collect()  # a cycle may have held a file
            now = _moment()
        if now.descriptors > before.descriptors:
            found.append("descriptors: %d more are open" % (now.descriptors - before.descriptors))
        if now.exit_handlers > before.exit_handlers:
            found.append("exit handlers: %d more" % (now.exit_handlers - before.exit_handlers))
        if not _same(now.finders, before.finders):
            found.append("imports: the way modules are found")
        return found

    def _remember(self, name: str, namespace: Mapping[str, Any], *, is_class: bool, key: int = 0) -> None:
        self._known[key or id(namespace)] = _Saved(
            name, namespace, tuple(namespace), tuple(namespace.values()), is_class
        )

    def _patches(self) -> List[str]:
        patched, stored = [], []
        for name, module in self._modules.items():
            if sys_modules.get(name, module) is not module:
                patched.append(name)
        for saved in self._known.values():
            namespace = saved.namespace
            if len(namespace) == len(saved.values) and all(map(is_, namespace.values(), saved.values)):
                continue
            for name, value in zip(saved.names, saved.values):
                if namespace.get(name, _MISSING) is not value and _is_fixed(name, value):
                    patched.append("%s.%s" % (saved.name, name))
            known = set(saved.names)
            added = [name for name in namespace if name not in known]
            stored += [
                "%s.%s" % (saved.name, name)
                for name in added
                if _is_stored(name, namespace[name], is_class=saved.is_class)
                and not self._is_known_code(namespace[name])
            ]
        return ["patched: " + name for name in sorted(patched)] + ["stored: " + name for name in sorted(stored)]

    def _is_known_code(self, value: Any) -> bool:
        """Whether it is a function of a module that was there before, perhaps inside an object of such a module.

        A library may compile a function of its own at its first call, and keep with itself what that needs.
        """
        for _ in range(_MOST_WRAPPED):
            if type(value) is FunctionType:
                return id(value.__globals__) in self._known
            if id(type(value)) not in self._known:
                return False
            try:
                value = object.__getattribute__(value, "__wrapped__")
            except AttributeError:
                return False
        return False


def _can_change(kind: type) -> bool:
    """Whether attributes of the class can be replaced: not those of one that is written in C."""
    return bool(kind.__flags__ & _HEAP_TYPE) and not kind.__flags__ & _IMMUTABLE_TYPE


def _same(one: Tuple[Any, ...], other: Tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(map(is_, one, other))


def _is_fixed(name: str, value: Any) -> bool:
    """Whether a name of a module should mean the same for ever: modules do rebind data of their own."""
    return name in _STREAMS or isinstance(value, (staticmethod, classmethod, property)) or callable(value)


def _is_stored(name: str, value: Any, *, is_class: bool) -> bool:
    """Whether somebody keeps something of theirs there. Importing adds submodules, and `warnings` a registry."""
    if isinstance(value, ModuleType) or (name.startswith("__") and name.endswith("__")):
        return False
    return not is_class or isinstance(value, (FunctionType, dict, list, set, staticmethod, classmethod, property))


def _settled(count: Callable[[], int]) -> int:
    number = count()
    for pause in _SETTLING_S:
        if number <= 0:
            break
        sleep(pause)
        number = count()
    return number


def _count(folder: str) -> int:
    return len(listdir(folder))


def _processes() -> "frozenset[int]":
    return frozenset(int(name) for name in listdir("/proc") if name.isdigit())


def _inodes() -> List[int]:
    """How many files there are in each place that can be written to, those without a name too."""
    used = []
    for folder in _WRITABLE:
        try:
            status = statvfs(folder)
            used.append(status.f_files - status.f_ffree if status.f_files else len(listdir(folder)))
        except OSError:  # there is no such place
            used.append(0)
    return used


def _variables() -> Dict[Any, Any]:
    return dict(environ._data)  # type: ignore[attr-defined]  # noqa: SLF001 - its own methods can be replaced


def _moment() -> _Moment:
    return _Moment(
        tasks=_count("/proc/self/task"),
        descriptors=_count("/proc/self/fd"),
        exit_handlers=count_exit_handlers() - sum(name in sys_modules for name in _REGISTERING),
        finders=(*sys.meta_path, *sys.path_hooks),
    )


def _settings() -> Dict[str, Any]:
    """What holds for the process as a whole."""
    mask = umask(0o077)
    umask(mask)
    return {
        "tracing": (gettrace(), getprofile(), *_monitors()),
        "garbage collection": (gc_enabled(), *gc_thresholds(), *gc.callbacks),
        "recursion limit": (recursion_limit(),),
        "switch interval": (switch_interval(),),
        "digits of an integer": (digits_limit(),),
        "working directory": (_working_directory(),),
        "file mode mask": (mask,),
        "priority": (getpriority(os.PRIO_PROCESS, 0), _scheduling_policy()),
        "CPU affinity": (*sorted(sched_getaffinity(0)),),
        "resource limits": tuple(getrlimit(number) for number in _RLIMITS),
        "signal handlers": tuple(getsignal(number) for number in _SIGNALS),
        "timers": tuple(getitimer(which)[1] > 0 or getitimer(which)[0] > 0 for which in _TIMERS),
    }


def _scheduling_policy() -> int:
    """How the kernel schedules the process; -1 where the C library does not tell, as musl."""
    try:
        return sched_getscheduler(0)
    except OSError:
        return -1


def _changed_settings(before: Dict[str, Any]) -> List[str]:
    found = []
    for name, now in _settings().items():
        old = before[name]
        if len(old) == len(now) and all(one is other or _equal(one, other) for one, other in zip(old, now)):
            continue
        shown = all(type(value) in _plain for value in (*old, *now))
        found.append("%s: changed from %s to %s" % (name, _listed(old), _listed(now)) if shown else name + ": changed")
    return found


def _equal(one: Any, other: Any) -> bool:
    """Whether values of builtin types are equal; of any other, only one and the same is."""
    plain = (bool, int, float, str, tuple)
    return type(one) is type(other) and type(one) in plain and bool(one == other)


def _monitors() -> List[Any]:
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    return [monitoring.get_tool(number) for number in range(6)] if monitoring is not None else []


def _working_directory() -> str:
    try:
        return getcwd()
    except OSError:  # it has been removed
        return ""


def _listed(values: Any) -> str:
    named = [str(value) for value in list(values)[:_MAX_NAMED]]
    return ", ".join(named) + (", …" if len(values) > _MAX_NAMED else "")


sys_modules = sys.modules
gc_collect = gc.collect
gc_enabled = gc.isenabled
gc_thresholds = gc.get_threshold
gettrace = sys.gettrace
getprofile = sys.getprofile
recursion_limit = sys.getrecursionlimit
switch_interval = sys.getswitchinterval
digits_limit: Callable[[], int] = getattr(sys, "get_int_max_str_digits", int)  # since Python 3.11
