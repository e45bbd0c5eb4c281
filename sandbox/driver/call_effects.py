"""What a call does beside returning, for a comparison that looks at more than its outcome.

Besides events (`call_events`): what it leaves in the project's modules and in their classes; the contents of files
that it opens to write; and what becomes of a second call after the caller has changed what the first one returned.
Files are put back, and so are the modules, so that each call begins alike.
"""

from __future__ import annotations

import collections
import contextlib
import enum
import functools
import sys

# signal's own functions make enums first
from _signal import ITIMER_REAL, SIG_DFL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]
from operator import is_
from time import monotonic
from types import BuiltinFunctionType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Collection,
    Dict,
    FrozenSet,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from . import (
    call_blobs,
    call_events,
    encoded_text,
    encoding_parts,
    executed_modules,
    held_values,
    module_state,
    opened_files,
    type_plans,
    value_encoder,
)

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_CODE = (
    *(FunctionType, BuiltinFunctionType, MethodType, ModuleType, type, staticmethod, classmethod, property),
    *(MemberDescriptorType, GetSetDescriptorType, functools.cached_property),
    type(vars(type_plans.Plan)["is_mutable"]),  # a field of a named tuple
)
_OF_CLASSES = frozenset(("__module__", "__qualname__", "__dict__", "__weakref__", "__doc__", "__slots__", "__hash__",
                         "__parameters__", "__orig_bases__", "__annotations__", "__firstlineno__", "__annotate__",
                         "__static_attributes__", "__match_args__", "__dataclass_fields__", "__dataclass_params__",
                         "__abstractmethods__", "__annotations_cache__"))  # fmt: skip
_MOST_ITEMS = 20_000  # of the containers of one module that are put back before each call
_MEMORIES = ("cache", "memo")  # in the name of data of another module that holds what it has computed, and no more
_WRAPPED = ("__wrapped__", "pyfunc")  # attributes that hold the function around which something was made
_MARK = "changed by the caller"
_BRIEF_S, _BRIEF_RATIO = 1.0, 5  # how long a call may take that nobody asked for, and times as long as the one before
_REPEAT_S = 0.1
_WRITING_OUT = ("flush", "fsync")
_MOST_MARKED = 1_000
_Key = Tuple[str, str]


class _BriefGlance(value_encoder.Glance):
    """For what modules hold: all of it is looked at before and after each call."""

    most_nodes = 3_000


class _Chosen:
    """What a module or a class holds of data, or of classes: chosen anew only if it holds other objects than before.

    For namespaces that are put back before each call, so that nothing lives longer for being held here.
    """

    def __init__(self) -> None:
        """Nothing was looked at."""
        self._seen: Dict[str, Any] = {}
        self._chosen: List[Tuple[str, Any]] = []

    def of(self, namespace: Mapping[str, Any], choose: Callable[[str, Any], bool]) -> List[Tuple[str, Any]]:
        """The names for which `choose` is true, each with what it holds."""
        if not module_state.holds_the_same(namespace, self._seen):
            self._seen = dict(namespace)
            self._chosen = [each for each in self._seen.items() if choose(*each)]
        return self._chosen


class Effects:
    """Looks at one call after the other of one function."""

    def __init__(self, module: ModuleType, known_names: Collection[str], roots: Sequence[str]) -> None:
        """Get ready, after the module was loaded.

        Args:
            module: the function's.
            known_names: names that occur in the original's text: data of the module under another is a rewrite's own.
            roots: the folders of the project's modules.
        """
        self._module, self._known, self._roots = module, frozenset(known_names), tuple(roots)
        self._events = call_events.Events(module.__name__)
        self._files = opened_files.OpenedFiles()
        self._before: Dict[_Key, Optional[str]] = {}
        self._loaded: List[Any] = []  # all that `sys.modules` held at the last look
        self._projects: List[ModuleType] = []  # those of the project among them
        self._may_change: List[Any] = []  # those whose type is that of no module yet: a lazy loader's changes
        self._compared: FrozenSet[str] = frozenset()
        others = [each for each in self._modules() if each is not module]
        self._cold = module_state.cold_states(others, _MOST_ITEMS)
        self._chosen: Dict[int, Tuple[Any, _Chosen]] = {}  # by the identity of a module or class, which is held
        self._held = held_values.HeldValues()
        self._has_hung = False
        self._too_large: Set[_Key] = set()
        self._own = module_state.KnownState(
            [(kind, name) for kind in self._own_classes() for name, _ in self._known_in(kind)]
        )

    def begin(self, call: call_blobs.Call) -> Tuple[Sequence[Any], Dict[str, Any]]:
        """Before a call, when its arguments and the module are ready: with what it is to be made."""
        self._own.restore()
        for cold in self._cold:
            cold.restore()
        self._compared = frozenset((*call.globals, *call.absent))  # a part of the outcome
        self._held.look_again()
        self._before = {key: self._digest(key, value) for key, value in self._data()}
        self._files.begin()
        # Only who writes out what it has written so far means others to find it: else that is a matter of buffers.
        writes_out = not self._known.isdisjoint(_WRITING_OUT)
        self._events.begin([*call.args, *call.kwargs.values()], self._files.sizes if writes_out else None)
        watched = self._events.watched
        return [watched(each) for each in call.args], {name: watched(each) for name, each in call.kwargs.items()}

    def end(self) -> None:
        """Right after it."""
        self._events.end()
        self._files.end()

    def trees(self) -> List[encoding_parts.Tree]:
        """What it did: events, what it left in modules, and in files."""
        return [self._events.tree(), encoding_parts.Tree("modules", *self._left()), self._files_tree()]

    def encode(self, tree: encoding_parts.Tree) -> bytes:
        """The canonical bytes of one of the trees."""
        encoded: bytes = value_encoder.Encoder(self._module.__name__).encode(tree)
        return encoded

    def _files_tree(self) -> encoding_parts.Tree:
        changed = self._files.changed()
        return encoding_parts.Tree("files", *(encoding_parts.Tree("file", *each) for each in changed))

    def put_back(self) -> None:
        """Let the next call find the files as this one did."""
        self._files.put_back()

    def again(
        self, make: Callable[[call_blobs.Call], Any], call: call_blobs.Call, blob: bytes, outcome: Any
    ) -> List[encoding_parts.Tree]:
        """What the same call does after the caller has changed what it returned; and whether it notes a shorter list.

        Of a call that returns None, such as a constructor's, the caller changes what the first argument holds.

        What it makes of the shorter list is no matter here, for it may be no input: only whether it is what it makes of
        an equal one. With one item less a call may never end, such as one that divides by the length: then nothing is
        known, and that counts as the same.

        Args:
            make: makes a call, and gives its outcome as a tree.
            call: the first call, with its arguments as it left them.
            blob: of it.
            outcome: its tree, `returned` or `raised`.
        """
        [first] = outcome.children
        before = self._parts_of(first)
        if outcome.tag == "returned":
            _mark(_held_by_first(call) if first is None else first)
        again = call_blobs.load_call(blob, lay_out=False)
        self._files.resume()
        began_s = monotonic()
        second = make(again)
        brief_s = max(_BRIEF_S, _BRIEF_RATIO * (monotonic() - began_s))
        self._files.end()
        shares = bool(before) and not before.isdisjoint(self._parts_of(second.children[0]))
        fresh = encoding_parts.Tree("args", *again.args)
        trees = [encoding_parts.Tree("again", second, shares, fresh, self._files_tree())]
        only = _only_list(call)
        if only is not None:
            only.pop()
            with contextlib.suppress(call_blobs.NotCopyable):
                equal = call_blobs.load_call(call_blobs.dump_call(call.args, call.kwargs, {}), lay_out=False)
                is_same = self._has_hung or self._do_the_same(make, call, equal, brief_s)
                trees.append(encoding_parts.Tree("fewer", is_same))
        return trees

    def _do_the_same(
        self, make: Callable[[call_blobs.Call], Any], one: call_blobs.Call, other: call_blobs.Call, most_s: float
    ) -> bool:
        """Whether two calls come to the same, as far as they end in time; if not, no further such call is made."""
        with _interrupted_after(most_s) as interrupted:
            made = [value_encoder.encode(make(call)) for call in (one, other)]
        self._has_hung = bool(interrupted)
        return self._has_hung or made[0] == made[1]

    def _modules(self) -> Sequence[ModuleType]:
        """The project's modules that are loaded, each once."""
        loaded = list(sys.modules.values())
        is_known = len(loaded) == len(self._loaded) and all(map(is_, loaded, self._loaded))
        if not is_known or any(type(module) is ModuleType for module in self._may_change):
            self._loaded, self._projects = loaded, list(self._projects_among(loaded))
            self._may_change = [module for module in loaded if type(module) is not ModuleType]
        return self._projects

    def _projects_among(self, loaded: Sequence[Any]) -> Iterator[ModuleType]:
        seen = set()
        for module in loaded:
            if type(module) is not ModuleType or id(module) in seen:
                continue
            seen.add(id(module))
            file = vars(module).get("__file__")
            if module is self._module or (type(file) is str and self._is_own(file)):
                yield module

    def _is_own(self, file: str) -> bool:
        return any(file.startswith(root.rstrip("/") + "/") for root in self._roots) and "-packages/" not in file

    def _is_data(self, value: Any) -> bool:
        """Whether it is data, and neither code nor what a library made around a function.

        What such an object keeps, as code that it compiles at the first call, is an affair of its library.
        """
        if isinstance(value, _CODE):
            return False
        module = executed_modules.named(str(type_plans.module_of(type(value))))
        if module is None or module is self._module or not callable(value):
            return True
        file = vars(module).get("__file__")
        return (type(file) is str and self._is_own(file)) or not any(_holds(value, name) for name in _WRAPPED)

    def _data(self) -> Iterator[Tuple[_Key, Any]]:
        """What the modules and their classes hold, but for code and for what is compared as a part of the outcome."""
        for module in self._modules():
            is_target = module is self._module
            for name, value in self._of_target() if is_target else self._chosen_in(module, self._may_be_changed):
                if not isinstance(value, type):
                    yield (module.__name__, name), value
                elif _is_of(value, module) and not issubclass(value, enum.Enum):
                    held = self._known_in(value) if is_target else self._chosen_in(value, self._is_class_data)
                    yield from (((module.__name__, name + "." + inner), part) for inner, part in held)

    def _of_target(self) -> List[Tuple[str, Any]]:
        names = self._known - self._compared
        held = list(vars(self._module).items())
        return [(name, value) for name, value in held if name in names and self._is_looked_at(name, value)]

    def _known_in(self, kind: type) -> List[Tuple[str, Any]]:
        held = list(vars(kind).items())
        return [(name, value) for name, value in held if name in self._known and self._is_class_data(name, value)]

    def _chosen_in(self, holder: Any, choose: Callable[[str, Any], bool]) -> List[Tuple[str, Any]]:
        known = self._chosen.get(id(holder))
        if known is None:
            known = self._chosen[id(holder)] = (holder, _Chosen())
        return known[1].of(vars(holder), choose)

    def _may_be_changed(self, name: str, value: Any) -> bool:
        return self._is_looked_at(name, value) and not any(word in name.lower() for word in _MEMORIES)

    def _is_looked_at(self, name: str, value: Any) -> bool:
        return name not in module_state.OF_EVERY_MODULE and (isinstance(value, type) or self._is_data(value))

    def _is_class_data(self, name: str, value: Any) -> bool:
        return name not in _OF_CLASSES and not name.startswith("_abc_") and self._is_data(value)

    def _own_classes(self) -> List[type]:
        held = vars(self._module).items()
        return [
            value
            for name, value in held
            if isinstance(value, type)
            and name in self._known
            and _is_of(value, self._module)
            and not issubclass(value, enum.Enum)
        ]

    def _left(self) -> Iterator[encoding_parts.Tree]:
        """What modules hold otherwise than before the call."""
        before = dict(self._before)
        self._held.look_again()
        for key, value in self._data():
            is_new = key not in before
            if is_new or before.pop(key) != self._digest(key, value):
                yield encoding_parts.Tree("named", ".".join(key), value)
        for key in before:
            yield encoding_parts.Tree("named", ".".join(key))

    def _digest(self, key: _Key, value: Any) -> Optional[str]:
        """What tells whether it has changed; None where it is too large to be read for each call."""
        if key in self._too_large:
            return None
        digest = self._held.digest_of(key, value)
        if digest is not None:
            return digest
        encoder = _BriefGlance(self._module.__name__)
        try:
            digest = encoded_text.digest_of(encoder.encode(value))
        except (value_encoder.TooLarge, MemoryError, RecursionError, RuntimeError):
            self._too_large.add(key)
            return None
        self._held.keep(key, value, digest)
        return digest

    def _parts_of(self, value: Any) -> "frozenset[int]":
        """The identities of what may be changed in a value."""
        encoder = value_encoder.Glance(self._module.__name__)
        try:
            encoder.encode(value)
        except (value_encoder.TooLarge, MemoryError, RecursionError, RuntimeError):
            return frozenset()
        return encoder.identities()


class _Interrupted(BaseException):
    """A call takes too long."""


@contextlib.contextmanager
def _interrupted_after(most_s: float) -> Iterator[List[bool]]:
    """End what runs in the block after so much wall time, and tell by an item of the list that it was ended.

    It is interrupted again and again, since a bare `except` may catch it.
    """
    told: List[bool] = []

    def interrupt(_number: int, _frame: object) -> None:
        told.append(True)
        raise _Interrupted

    before = signal(SIGALRM, interrupt)
    try:
        setitimer(ITIMER_REAL, most_s, _REPEAT_S)
        yield told
    except _Interrupted:
        pass
    finally:
        setitimer(ITIMER_REAL, 0)
        signal(SIGALRM, SIG_DFL if before is None else before)  # None: no handler that Python knows


def _is_of(kind: type, module: ModuleType) -> bool:
    """Whether a class was made in the module, and not imported."""
    return type_plans.module_of(kind) in (module.__name__, "__main__")


def _holds(value: Any, name: str) -> bool:
    """Whether an object has an attribute; a `__getattr__` in Python is not asked."""
    try:
        object.__getattribute__(value, name)
    except AttributeError:
        return False
    return True


def _held_by_first(call: call_blobs.Call) -> List[Any]:
    """What the first argument keeps as an object's attributes; what a class or a module holds is its own."""
    if not call.args or isinstance(call.args[0], (type, ModuleType)):
        return []
    try:
        return list(object.__getattribute__(call.args[0], "__dict__").values())
    except AttributeError:
        return []


def _only_list(call: call_blobs.Call) -> Optional[List[Any]]:
    """The one list among the arguments, if there is no other container beside it that may have to fit it."""
    held = [*call.args, *call.kwargs.values()]
    containers = [value for value in held if isinstance(value, (list, dict, set, tuple, frozenset, collections.deque))]
    if len(containers) == 1 and type(containers[0]) is list and len(containers[0]) > 1:
        return containers[0]
    return None


def _mark(value: Any) -> None:
    """Change what a caller may change in what was returned: every builtin container in it, from the outside in."""
    waiting = [value]
    seen: Dict[int, Any] = {}
    while waiting and len(seen) < _MOST_MARKED:
        current = waiting.pop()
        kind = type(current)
        if id(current) in seen:
            continue
        seen[id(current)] = current
        if kind in (list, collections.deque):
            waiting += current
            current.append(_MARK)
        elif kind is tuple:
            waiting += current
        elif kind in (dict, collections.OrderedDict, collections.defaultdict, collections.Counter):
            waiting += current.values()
            current[_MARK] = 1
        elif kind is set:
            current.add(_MARK)
        elif kind is bytearray:
            current += _MARK.encode("ascii")
