"""What a rewrite must not use unless the original does, each with the reason that the user reads.

Only what no honest rewrite needs is refused. What an honest one may need (threads, a cache, the recursion limit) is
left to the gates that measure and watch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.judge.world_uses import COMPUTED
from afterburner.sandbox.inside import INSIDE_ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.world_uses import Use

_ANY = "*"  # an attribute of whatever object


@dataclass(frozen=True, slots=True)
class Rule:
    """A family of things with one reason against them.

    `names` are full names, and what lies below them belongs to the family too. If `shared`, an original that uses one
    of the family may have a rewrite that uses the others; if not, only what it uses by that very name.
    """

    kind: str
    reason: str  # goes on after "it"
    names: frozenset[str]
    shared: bool = False

    def holds(self, name: str) -> bool:
        """Whether a full name, or what it lies below, is in the family."""
        parts = name.split(".")
        return any(".".join(parts[:length]) in self.names for length in range(1, len(parts) + 1))


def _names(*modules: str, **members: str) -> frozenset[str]:
    """Whole modules, and members of modules; two underscores in a keyword stand for a dot."""
    inside = (f"{module.replace('__', '.')}.{name}" for module, names in members.items() for name in names.split())
    return frozenset((*modules, *inside))


def _attributes(names: str) -> frozenset[str]:
    return frozenset(f"{_ANY}.{name}" for name in names.split())


RULES: tuple[Rule, ...] = (
    Rule(
        "caller",
        "looks at its own caller",
        _names(
            "traceback",
            sys="_getframe _getframemodulename _current_frames _current_exceptions",
            inspect="currentframe stack trace getouterframes getinnerframes getframeinfo",
        )
        | _attributes("f_back f_globals f_locals f_builtins f_code f_trace tb_frame gi_frame cr_frame ag_frame")
        | _attributes("_getframe _current_frames currentframe"),
    ),
    Rule(
        "harness",
        "looks at the code that runs and measures it",
        _names(
            *("__main__", "platform", "resource", "psutil", "tracemalloc"),
            gc="get_objects get_referrers get_referents callbacks get_stats get_count",
            sys="modules argv orig_argv flags _xoptions path path_hooks path_importer_cache meta_path getrefcount "
            "gettrace getprofile",
            os="environ environb getenv getpid getppid getpgid getpgrp getsid getuid geteuid getlogin getcwd times "
            "sched_getaffinity getloadavg readlink ttyname isatty uname",
            builtins="__builtins__ __loader__ __spec__",
        ),
    ),
    Rule(
        "harness",
        "looks into functions, or for objects that are not its own",
        _attributes("__subclasses__ __globals__ __builtins__ __closure__ cell_contents __code__ __loader__")
        | _attributes("get_objects get_referrers"),
    ),
    Rule(
        "memory",
        "reaches into the memory of the interpreter, or shares it with others",
        _names(
            *("ctypes", "_ctypes", "cffi", "mmap", "_testcapi", "_testinternalcapi", "_posixshmem"),
            *("_xxsubinterpreters", "_interpreters", "multiprocessing.shared_memory"),
        ),
    ),
    Rule(
        "clock",
        "uses a clock, so it can tell when it is measured",
        _names(
            *("timeit", "sched"),
            time="time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time process_time_ns "
            "thread_time thread_time_ns clock_gettime clock_gettime_ns clock_settime localtime gmtime ctime sleep",
            datetime__datetime="now utcnow today",
            datetime__date="today",
        ),
        shared=True,
    ),
    Rule(
        "exit",
        "can end its process or send signals",
        _names(
            *("signal", "_signal", "faulthandler", "posix", "_posixsubprocess"),
            os="_exit abort kill killpg pidfd_open",
        ),
        shared=True,
    ),
    Rule(
        "later",
        "leaves work for after its return",
        _names("atexit", weakref="finalize", threading="_register_atexit", os="register_at_fork", sys="addaudithook")
        | {f"{_ANY}.def __del__"},
        shared=True,
    ),
    Rule(
        "processes",
        "starts processes, whose work is not measured as its own",
        _names(
            *("subprocess", "multiprocessing", "pty", "_posixsubprocess", "concurrent.futures.process"),
            concurrent__futures="ProcessPoolExecutor InterpreterPoolExecutor",
            os="fork forkpty system popen posix_spawn posix_spawnp execv execve execvp execvpe execl execle execlp "
            "spawnv spawnl spawnve spawnvp",
        ),
        shared=True,
    ),
    Rule(
        "network",
        "opens connections",
        _names(
            *("socket", "_socket", "socketserver", "ssl", "http", "urllib.request", "ftplib", "smtplib", "poplib"),
            *("imaplib", "xmlrpc", "requests", "httpx", "aiohttp"),
        ),
        shared=True,
    ),
    Rule(
        "files",
        "opens or looks at files",
        _names(
            *("tempfile", "shutil", "shelve", "dbm", "sqlite3", "fcntl", "select", "selectors", "fileinput", "glob"),
            *("linecache", "io.open", "_io.open", "codecs.open", "sys.stdin"),
            builtins="open input __file__",
            io="FileIO open_code",
            _io="FileIO open_code",
            os="open read write pread pwrite readv writev preadv pwritev splice copy_file_range pipe pipe2 eventfd "
            "openpty get_blocking set_blocking get_inheritable set_inheritable dup dup2 fdopen close closerange "
            "memfd_create mkfifo sendfile "
            "listdir scandir walk stat lstat fstat access mkdir makedirs remove unlink rename replace symlink link "
            "truncate ftruncate lseek",
            os__path="exists isfile isdir getsize getmtime",
        )
        | _attributes("read_text write_text read_bytes write_bytes"),
        shared=True,
    ),
    Rule(
        "text",
        "runs code that it makes from text",
        _names(
            *("marshal", "code", "codeop", "runpy", "importlib.util", "importlib.machinery", "importlib.abc"),
            builtins="eval exec compile breakpoint",
            types="FunctionType CodeType LambdaType",
            importlib="reload _bootstrap _bootstrap_external",
        ),
        shared=True,
    ),
    Rule(
        "imports",
        "may import by a computed name, which --allow-imports cannot judge",
        _names(
            *("pkgutil", "imp", "zipimport", "pydoc", "unittest", "doctest", "importlib.metadata", "logging.config"),
            *("_imp", "_frozen_importlib", "_frozen_importlib_external"),
            builtins="__import__",
            importlib="import_module __import__ find_loader",
            pickle="load loads Unpickler _Unpickler",
            _pickle="load loads Unpickler",
            typing="get_type_hints",
        )
        | _attributes("__import__ import_module"),
    ),
    Rule(
        "tracing",
        "switches tracing or profiling",
        _names(
            sys="settrace setprofile monitoring _settraceallthreads _setprofileallthreads",
            threading="settrace setprofile settrace_all_threads setprofile_all_threads",
        ),
    ),
    Rule(
        "settings",
        "changes settings of the whole process",
        _names(
            sys="setswitchinterval setdlopenflags set_asyncgen_hooks _clear_type_cache",
            os="sched_yield nice setpriority sched_setaffinity sched_setscheduler sched_setparam chdir fchdir umask "
            "putenv unsetenv setpgid setsid",
            gc="freeze unfreeze set_debug",
            locale="setlocale",
        ),
        shared=True,
    ),
)

_SENSITIVE = frozenset(("sys", "os", "gc", "time", "builtins", "inspect", "importlib", "posix", "threading", "_thread"))
_INNER = frozenset(
    ("sys", "os", "gc", "time", "builtins", "inspect", "ctypes", "importlib", "pkgutil")
)  # found inside of other modules
_PLACES = ("/proc", "/dev/shm", "/sys/", "/tmp", "/var/tmp", "/dev/fd", "/afterburner")  # noqa: S108 - what is looked for
_OWN_MODULES = frozenset(
    (
        *("call_driver", "sample_template", "sample_processes", "process_watch"),
        *(
            "value_encoder",
            "constructor_changes",
            "copied_matches",
            "encoded_text",
            "executed_modules",
            "host_channel",
            "call_blobs",
            "module_state",
            "held_values",
            "made_functions",
            "module_sentinels",
        ),
    )
)


def objection(use: Use, known: Sequence[Use]) -> tuple[str, str] | None:
    """The kind of what is wrong with a use that is new, and why in words after "it"; None if nothing is.

    Args:
        use: of the rewrite.
        known: all uses of the original.
    """
    if use.way == "text" and use.name.startswith(_PLACES):
        return "harness", "names places of the machine"
    if use.way == "text" and (use.name in _OWN_MODULES or use.name.startswith(INSIDE_ROOT)):
        return "harness", "names parts of what measures it"
    if use.way == "set":
        return "patch", "replaces or stores something in another module"
    if use.way == "whole" and use.name in _SENSITIVE:
        return "harness", "passes a whole module on, so that its use cannot be read"
    if use.way == "read" and COMPUTED in use.name.split("."):
        return "text", "computes the name of what it uses"
    return _against_rules(use, known)


def _against_rules(use: Use, known: Sequence[Use]) -> tuple[str, str] | None:
    name = _as_name(use)
    for rule in RULES:
        if not rule.holds(name) or (use.way == "text" and rule.shared):
            continue
        if not (rule.shared and any(rule.holds(_as_name(each)) for each in known)):
            return rule.kind, rule.reason
    return None


def _as_name(use: Use) -> str:
    """How the rules call it."""
    match use.way:
        case "attribute" | "text":
            return f"{_ANY}.{use.name}"
        case "define":
            return f"{_ANY}.def {use.name}"
    return _without_detour(use.name)


def _without_detour(name: str) -> str:
    """`random._os.fork` is `os.fork`: many modules hold others."""
    parts = [part.removeprefix("_") for part in name.split(".")]
    inner = max((at for at, part in enumerate(parts[:-1]) if at and part in _INNER), default=0)
    return ".".join((parts[inner], *name.split(".")[inner + 1 :])) if inner else name
