"""Notes what a call tells others on its way: log records, warnings, calls of functions that came with the arguments.

Records count whatever their level and their handlers, since another user's settings show them. Of the functions that
came with the arguments only those count that never gave a value back: they are called for what they do. One that
gives values may be asked as often as the rewrite likes; what it changes is looked at elsewhere. Where the original
writes files out while they are open, it counts how much of them such a function finds.
"""

from __future__ import annotations

import functools
import sys
import warnings
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from . import encoded_text, encoding_parts, type_plans, value_encoder

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_MOST_NOTED = 2_000  # of one call; those after them are folded into one
_MOST_SEARCHED = 1_000  # objects among the arguments that may hold a function
_GENERATOR_FLAGS = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_set_profile = sys.setprofile


class Events:
    """What the call that is being made has told others, in order."""

    def __init__(self, module_name: str) -> None:
        """Classes of `__main__` are named as of `module_name`."""
        self._module_name = module_name
        self._is_on = False
        self._noted: List[Tuple[int, str]] = []  # the code that was called or 0, and the encoded event
        self._watched: Dict[int, CodeType] = {}
        self._sizes: Optional[Callable[[], Any]] = None
        self._answering: Set[int] = set()  # code that has given a value back
        self._hooked: Any = None  # the module `logging` whose loggers tell us
        self._catching: Any = None

    def begin(self, arguments: Sequence[Any], sizes: Optional[Callable[[], Any]] = None) -> None:
        """Note from now on.

        Args:
            arguments: of the call.
            sizes: tells how much is in the files that the call writes; None: that is no effect.
        """
        self._sizes = sizes
        self._noted, self._answering = [], set()
        self._watched = {id(code): code for code in _codes_in(arguments)}
        self._hook_loggers()
        self._hook_warnings()
        self._is_on = True
        if self._watched:
            _set_profile(self._profile)

    def watched(self, argument: Any) -> Any:
        """What is to be given in place of an argument: a method of a builtin object, as `rows.append`, is not profiled.

        To be told of its calls by the interpreter takes many times as long as to be called in its place.
        """
        sizes = self._sizes
        if sizes is None or type(argument) is not BuiltinMethodType or type(argument.__self__) is ModuleType:
            return argument

        def method(*args: Any, **kwargs: Any) -> Any:
            if self._is_on:
                self._note(id(argument), "found", argument.__name__, sizes())
            value = argument(*args, **kwargs)
            if value is not None:
                self._answering.add(id(argument))
            return value

        return method

    def end(self) -> None:
        """Note no more."""
        if self._watched:
            _set_profile(None)
        self._is_on = False
        self._catching.__exit__(None, None, None)

    def tree(self) -> encoding_parts.Tree:
        """All of it."""
        texts = [text for code, text in self._noted if code not in self._answering]
        if len(texts) > _MOST_NOTED:
            rest = texts[_MOST_NOTED:]
            folded = encoded_text.digest_of("\n".join(rest).encode("ascii"))
            texts = [*texts[:_MOST_NOTED], '["rest",%d,"%s"]' % (len(rest), folded)]
        return encoding_parts.Tree("events", *map(encoding_parts.Encoded, texts))

    def _note(self, code: int, tag: str, *parts: Any) -> None:
        encoder = value_encoder.Glance(self._module_name)
        try:
            text = encoder.encode(encoding_parts.Tree(tag, *parts)).decode("ascii")
        except (value_encoder.TooLarge, MemoryError, RecursionError, RuntimeError):
            text = '["%s"]' % tag
        if len(text) > value_encoder.PLAIN_LEAF and len(self._noted) >= _MOST_NOTED:
            text = encoded_text.digest_of(text.encode("ascii"))
        self._noted.append((code, text))

    # Loggers

    def _hook_loggers(self) -> None:
        logging = sys.modules.get("logging")
        kind = getattr(logging, "Logger", None)
        if logging is self._hooked or not isinstance(kind, type):
            return
        self._hooked = logging
        is_wanted: Callable[[Any, int], bool] = kind.isEnabledFor  # type: ignore[attr-defined]
        handle: Callable[[Any, Any], None] = kind.handle  # type: ignore[attr-defined]

        def is_enabled_for(logger: Any, level: int) -> bool:
            return self._is_on or is_wanted(logger, level)

        def handle_noted(logger: Any, record: Any) -> None:
            if self._is_on:
                self._note_record(record)
            if is_wanted(logger, record.levelno):
                handle(logger, record)

        kind.isEnabledFor = is_enabled_for  # type: ignore[attr-defined]
        kind.handle = handle_noted  # type: ignore[attr-defined]

    def _note_record(self, record: Any) -> None:
        try:
            message: Any = str(record.getMessage())
        except Exception as error:  # noqa: BLE001 - arguments that do not fit the text, or their own code
            message = encoding_parts.Tree("raised", type_plans.class_name(type(error)))
        raised = record.exc_info[0] if type(record.exc_info) is tuple else None
        self._note(0, "logged", record.name, record.levelname, message, raised)

    # Warnings

    def _hook_warnings(self) -> None:
        self._catching = warnings.catch_warnings()
        self._catching.__enter__()
        if not any(entry[0] == "error" for entry in warnings.filters):
            warnings.simplefilter("always")
        warnings.showwarning = self._note_warning

    def _note_warning(self, message: Any, category: Any, *_place: Any, **_more: Any) -> None:
        # That a file was left for the garbage collector to close is a matter of chance, and hidden by default.
        if self._is_on and category is not ResourceWarning:
            self._note(0, "warned", category, str(message))

    # Functions

    def _profile(self, frame: Any, event: str, value: Any) -> None:
        code = frame.f_code
        if id(code) not in self._watched:
            return
        if event == "return":
            if value is not None:
                self._answering.add(id(code))
        elif event == "call":
            held = frame.f_locals
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4)]
            self._note(id(code), "called", code.co_name, *(held[name] for name in names if name != "self"))
            if self._sizes is not None:
                self._note(id(code), "found", code.co_name, self._sizes())


def _codes_in(arguments: Sequence[Any]) -> Iterator[CodeType]:
    """The code of the Python functions among the arguments, in containers and objects among them, too."""
    waiting: List[Any] = list(arguments)
    seen: Dict[int, Any] = {}
    while waiting and len(seen) < _MOST_SEARCHED:
        value = waiting.pop()
        kind = type(value)
        if id(value) in seen or kind in (int, float, str, bytes, bool, type(None)):
            continue
        seen[id(value)] = value
        if kind in (list, tuple, set, frozenset):
            waiting += value
        elif kind is dict:
            waiting += value.values()
        elif kind is MethodType:
            waiting.append(value.__func__)
        elif kind is functools.partial:
            waiting.append(value.func)
        elif kind is FunctionType:
            if not value.__code__.co_flags & _GENERATOR_FLAGS:
                yield value.__code__
        elif type(kind) is type:
            # An object that can be called, or that holds what can be called: a list of its listeners.
            called = next((vars(base)["__call__"] for base in kind.__mro__ if "__call__" in vars(base)), None)
            waiting += [called] if type(called) is FunctionType else []
            held = getattr(value, "__dict__", None)
            waiting += held.values() if type(held) is dict else []
