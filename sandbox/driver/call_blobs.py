"""The blob of one call: its arguments and the module state that it depends on, as one pickle.

One pickle for all of it, so that two arguments that are the same object stay one. Blobs are made and read inside
the sandbox only; the host carries them as opaque bytes.
"""

from __future__ import annotations

from types import CodeType, FunctionType, ModuleType
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from . import blob_pickler, call_files, calls_file, code_names, constructor_changes, made_functions

PROTOCOL = 4  # the newest that every supported Python writes by itself
_CODE_TYPES = (FunctionType, ModuleType, type, staticmethod, classmethod, property)


class NotCopyable(Exception):  # noqa: N818 - it is told to the user as a reason, not as an error
    """A value that cannot be carried to another process; the message says which type and why."""


class NotMade(NotCopyable):
    """An object lacks what the constructor of this version adds, and that cannot be made; the message says why."""


class Call(NamedTuple):
    """The arguments of one call, and the module-level data that it starts from.

    `absent` names data that the function may create and that is not there yet; `files` are those that it needs.
    """

    args: Tuple[Any, ...]
    kwargs: Dict[str, Any]
    globals: Dict[str, Any]
    absent: Tuple[str, ...] = ()
    files: call_files.Files = ()


def dump_call(
    args: Sequence[Any], kwargs: Mapping[str, Any], globals_: Mapping[str, Any], absent: Sequence[str] = ()
) -> bytes:
    """The blob of a call, with the files that it names. It is read back once: some objects can only be written.

    Raises:
        NotCopyable: an argument or a global cannot be pickled, or its pickle cannot be read.
    """
    parts = (tuple(args), dict(kwargs), dict(globals_), tuple(absent))
    blob = _pickle(parts)
    paths = blob_pickler.scratch_paths(parts, PROTOCOL) if call_files.may_name_files(blob) else ()
    files = call_files.FILES.needed(paths)
    call_files.FILES.lay_out(files, remember=False)  # they may have been taken away for another call
    return _with_what_it_needs(blob, files)


def _with_what_it_needs(blob: bytes, files: call_files.Files) -> bytes:
    """The pickle of a call as a blob; it is read for that.

    Raises:
        NotCopyable: it cannot be read.
    """
    _, classes = _load(blob)
    blob = constructor_changes.with_digests(blob, classes)
    return call_files.with_files(calls_file.with_definitions(blob), files)


def _load(blob: bytes) -> Tuple[Any, Dict[Tuple[str, str], Any]]:
    """The parts of a call, and the classes that its pickle names."""
    try:
        return blob_pickler.load_with_classes(blob)
    except Exception as error:  # unpickling runs code of any class, which may raise anything
        raise NotCopyable("it cannot be rebuilt: %s" % _reason(error)) from error


def load_call(blob: bytes, *, lay_out: bool = True) -> Call:
    """Fresh copies of the arguments and the globals of a blob that `dump_call` made.

    Its files are laid out in place of those of the call that was read before, unless `lay_out` is false.

    Raises:
        NotCopyable: the pickle cannot be read here, for instance since a class of the module is gone.
        NotMade: an object lacks what its constructor adds here, and that cannot be made.
    """
    files, rest = call_files.without_files(blob)
    if lay_out:
        call_files.FILES.lay_out(files)
    pickled = calls_file.without_definitions(rest)
    parts, classes = _load(pickled)
    try:
        constructor_changes.complete(parts, pickled, classes, PROTOCOL)
    except constructor_changes.Unlike as error:
        raise NotMade(str(error)) from error
    return Call(*parts)._replace(files=files)


def dump_item(value: object) -> bytes:
    """The pickle of one value, for `with_items`.

    Raises:
        NotCopyable: it cannot be pickled.
    """
    return _pickle(value)


def with_items(blob: bytes, items: Mapping[Any, Sequence[bytes]]) -> bytes:
    """The blob with an iterator over a list of these items in the place of some arguments, and all else as it is.

    An item is no part of anything else in the call, whatever it was when it was pickled.

    Args:
        blob: from `dump_call`, where these arguments are placeholders; two that are the same object stay one.
        items: pickles from `dump_item`, by the index or the name of the argument.

    Raises:
        NotCopyable: an item cannot be read back.
    """
    files, rest = call_files.without_files(blob)
    try:
        call = Call(*blob_pickler.load(calls_file.without_definitions(rest)))
        made: Dict[int, Iterator[Any]] = {}
        args, kwargs = list(call.args), dict(call.kwargs)
        for argument, pickles in items.items():
            holder: Any = kwargs if isinstance(argument, str) else args
            placeholder = id(call.kwargs[argument] if isinstance(argument, str) else call.args[argument])
            if placeholder not in made:
                made[placeholder] = iter([blob_pickler.load(each) for each in pickles])
            holder[argument] = made[placeholder]
    except Exception as error:  # likewise
        raise NotCopyable("it cannot be rebuilt: %s" % _reason(error)) from error
    return _with_what_it_needs(_pickle((tuple(args), kwargs, call.globals, call.absent)), files)


def copied(value: Any) -> Any:
    """A copy that has nothing in common with the value, whatever functions it holds.

    Raises:
        NotCopyable: it cannot be pickled.
    """
    return blob_pickler.load(_pickle(value))


def is_copyable(value: object) -> bool:
    """Whether the value survives a pickle."""
    return _pickle_that_survives(value) is not None


def _pickle_that_survives(value: object) -> Optional[bytes]:
    """The pickle of a value, if it can be read back."""
    try:
        blob = _pickle(value)
        blob_pickler.load(blob)
    except Exception:  # noqa: BLE001 - as in load_call
        return None
    return blob


def _is_data(value: object, pickled: bytes) -> bool:
    """Whether a module's data may go back before each call: not if code is in it, for a rewrite brings its own.

    What the file of calls has put there is no part of any rewrite.
    """
    may_hold_code = made_functions.NAME.encode("ascii") in pickled
    return not (may_hold_code and blob_pickler.holds_code(value, PROTOCOL))


def _pickle(value: object) -> bytes:
    try:
        return blob_pickler.dump(value, PROTOCOL)
    except Exception as error:  # likewise
        raise NotCopyable(_reason(error)) from error


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    text = str(error).split("\n", 1)[0][:200]
    return "%s: %s" % (type(error).__name__, text) if text else type(error).__name__


class Snapshot(NamedTuple):
    """The module-level data before a call. The values are not copied yet: `dump_call` does that.

    `uncopyable` names what no copy can hold (a lock, an open file): a replay leaves it as importing the module made it.
    """

    values: Dict[str, Any]
    absent: List[str]
    uncopyable: List[str]


def snapshot_globals(module: ModuleType, names: Sequence[str]) -> Snapshot:
    """What the module holds under `names` (from `touched_globals`) right now."""
    snapshot = Snapshot({}, [], [])
    for name in names:
        if name not in vars(module):
            snapshot.absent.append(name)
            continue
        value = vars(module)[name]
        pickled = _pickle_that_survives(value)
        if pickled is not None and _is_data(value, pickled):
            snapshot.values[name] = value
        else:
            snapshot.uncopyable.append(name)
    return snapshot


def touched_globals(function: Callable[..., Any], module: ModuleType) -> List[str]:
    """Names of the module-level data that the function reads or writes, sorted.

    Followed through functions and classes of the same module. Modules, functions and classes themselves are no
    data. A method brings its whole class along, since what `self` calls cannot be told from the code.
    """
    names: Set[str] = set()
    seen: Set[int] = set()
    waiting: List[Any] = [function]
    owner = getattr(function, "__qualname__", "").split(".")[0]
    if isinstance(vars(module).get(owner), type):
        waiting.append(vars(module)[owner])
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        for code in _code_of(value, module):
            for name, is_write in code_names.global_names(code):
                held = vars(module).get(name)
                if isinstance(held, _CODE_TYPES) or hasattr(held, "__wrapped__"):
                    waiting.append(held)
                elif (name in vars(module) or is_write) and not name.startswith("__"):
                    names.add(name)
    return sorted(names)


def _code_of(value: Any, module: ModuleType) -> Iterator[CodeType]:
    """The code objects of a function or a class of this module, through decorators that tell what they wrap."""
    if isinstance(value, type):
        if value.__module__ not in (module.__name__, "__main__"):
            return
        for member in vars(value).values():
            yield from _code_of_function(member, module)
        for base in value.__bases__:
            yield from _code_of(base, module)
    else:
        yield from _code_of_function(value, module)


def _code_of_function(value: Any, module: ModuleType) -> Iterator[CodeType]:
    if isinstance(value, property):
        for accessor in (value.fget, value.fset, value.fdel):
            yield from _code_of_function(accessor, module)
        return
    for _ in range(32):
        if isinstance(value, FunctionType) and value.__globals__ is vars(module):
            yield value.__code__
        inner = getattr(value, "__wrapped__", None) or getattr(value, "__func__", None) or getattr(value, "func", None)
        if inner is None:
            return
        value = inner
