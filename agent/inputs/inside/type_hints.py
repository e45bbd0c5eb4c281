"""Reads a function's type hints into shapes that inputs can be drawn from and grown to a size.

A shape is a tuple: a kind, then its parts. `("list", shape)`, `("set", shape)`, `("frozenset", shape)`,
`("deque", shape)`, `("tuple", shape)`, `("fixed", shapes)`, `("dict", key, value)`, `("union", shapes)`,
`("int",)`, `("float",)`, `("str",)`, `("bytes",)`, `("bool",)`, `("record", class, {name: shape})`, `("leaf", hint)`.
"""

from __future__ import annotations

import ast
import collections
import collections.abc
import contextlib
import dataclasses
import inspect
import types
import typing
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ....sandbox.driver.executed_modules import named

Shape = Tuple[Any, ...]
Shapes = Dict[str, Tuple[Shape, bool, bool]]  # by parameter: shape, keyword-only, has a default

MAX_DEPTH = 6
CONTAINERS = frozenset(("list", "set", "frozenset", "deque", "tuple"))
_ABSTRACT: Dict[Any, str] = {
    collections.abc.Iterable: "list",
    collections.abc.Collection: "list",
    collections.abc.Sequence: "list",
    collections.abc.MutableSequence: "list",
    collections.abc.Reversible: "list",
    collections.abc.Set: "set",
    collections.abc.MutableSet: "set",
    list: "list",
    set: "set",
    frozenset: "frozenset",
    collections.deque: "deque",
}
_MAPPINGS: Tuple[Any, ...] = (collections.abc.Mapping, collections.abc.MutableMapping, dict)
UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))  # the latter from Python 3.10 on
_PLAIN: Dict[Any, str] = {int: "int", float: "float", str: "str", bytes: "bytes", bool: "bool"}
_PLAINEST: Dict[str, Any] = {"str": "", "bytes": b"", "int": 0, "float": 0.0, "bool": False}


class Unusable(Exception):  # noqa: N818 - it is told to the user as a reason, not as an error
    """No inputs can be made for this function; the message says for which parameter and why."""


def parameter_shapes(function: Callable[..., Any], source: str, *, skip_first: bool) -> Shapes:
    """Map each parameter to (shape, is keyword-only, has a default). `*args` and `**kwargs` stay empty."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise Unusable("its signature cannot be read: %s" % error) from None
    namespace = hint_namespace(function, source)
    shapes: Shapes = {}
    for parameter in parameters[1:] if skip_first else parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        optional = parameter.default is not parameter.empty
        if parameter.annotation is parameter.empty:
            if not optional:
                raise Unusable("parameter `%s` has no type hint" % parameter.name)
            continue
        shape = _resolve(parameter, namespace)
        shapes[parameter.name] = (shape, parameter.kind is parameter.KEYWORD_ONLY, optional)
    return shapes


def class_shape(cls: Any, source: str) -> Shape:
    """The shape of an instance, from the hints of its constructor."""
    if cls.__init__ is object.__init__ and not issubclass(cls, tuple):
        return ("record", cls, {})
    shapes = parameter_shapes(cls, source, skip_first=False)
    return ("record", cls, {name: shape for name, (shape, _, optional) in shapes.items() if not optional})


def shape_of(hint: Any, namespace: Dict[str, Any], depth: int = 0) -> Shape:
    """The shape of a hint."""
    hint = bare_hint(hint, namespace)
    if hint in (typing.Any, object) or depth > MAX_DEPTH:
        return ("int",)
    if hint in _PLAIN:
        return (_PLAIN[hint],)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = _class_hints(hint, namespace)
        names = [field.name for field in dataclasses.fields(hint) if field.init]
        return ("record", hint, {name: shape_of(hints[name], namespace, depth + 1) for name in names})
    if typing.get_origin(hint) is typing.Literal:
        return ("leaf", hint)  # its parts are values, and no hints
    parts = typing.get_args(hint)
    shapes = [shape_of(part, namespace, depth + 1) for part in parts if part is not Ellipsis and _is_hint(part)]
    return _composed(typing.get_origin(hint) or hint, parts, shapes) or ("leaf", hint)


def _composed(origin: Any, parts: Tuple[Any, ...], shapes: List[Shape]) -> Optional[Shape]:
    """The shape of a container or a union of these shapes; what is not said about elements is an integer."""
    first = shapes[0] if shapes else ("int",)
    if origin in _ABSTRACT:
        return (_ABSTRACT[origin], first)
    if origin in _MAPPINGS:
        return ("dict", *shapes[:2]) if len(shapes) == 2 else ("dict", ("str",), ("int",))
    if origin is tuple:
        return ("tuple", first) if not parts or parts[-1] is Ellipsis else ("fixed", shapes)
    if origin in UNIONS:
        return ("union", shapes)
    return None


def scalars_in(shape: Shape) -> Iterator[Any]:
    """The plainest value of each scalar type that a hint names itself, not as an element."""
    if shape[0] == "union":
        for part in shape[1]:
            yield from scalars_in(part)
    elif shape[0] in _PLAINEST:
        yield _PLAINEST[shape[0]]


def bare_hint(hint: Any, namespace: Dict[str, Any], unbound: Any = int) -> Any:
    """The hint behind names, aliases, `NewType`, `Annotated` and type variables; `unbound` for one of any type."""
    if isinstance(hint, str):
        hint = eval(hint, namespace)  # noqa: S307 - a hint of the user's file, in the sandbox
    for attribute in ("__value__", "__supertype__"):
        hint = getattr(hint, attribute, hint)
    if hasattr(hint, "__metadata__"):
        hint = hint.__origin__
    if isinstance(hint, typing.TypeVar):
        hint = hint.__bound__ or (typing.Union[hint.__constraints__] if hint.__constraints__ else unbound)
    return bare_hint(hint.__forward_arg__, namespace, unbound) if isinstance(hint, typing.ForwardRef) else hint


def _is_hint(part: Any) -> bool:
    return not isinstance(part, (list, int, bytes)) or isinstance(part, type)


def _class_hints(cls: Any, namespace: Dict[str, Any]) -> Dict[str, Any]:
    try:
        return typing.get_type_hints(cls, localns=namespace)
    except Exception as error:  # noqa: BLE001 - evaluating a hint runs any expression
        raise Unusable("the type hints of `%s` cannot be resolved: %s" % (cls.__name__, error)) from None


def _resolve(parameter: inspect.Parameter, namespace: Dict[str, Any]) -> Shape:
    try:
        return shape_of(parameter.annotation, namespace)
    except Unusable:
        raise
    except Exception as error:  # noqa: BLE001 - as above
        raise Unusable("the type hint of `%s` cannot be resolved: %s" % (parameter.name, error)) from None


def hint_namespace(function: Callable[..., Any], source: str) -> Dict[str, Any]:
    """What hints may name: the module, what it imports only for type checkers, and `typing` with its kin."""
    namespace: Dict[str, Any] = {}
    for module in (typing, collections.abc, collections):
        namespace.update({name: value for name, value in vars(module).items() if not name.startswith("_")})
    # By its module's name: a class or a `functools.cache` has no `__globals__`.
    own = named(getattr(function, "__module__", None) or "")
    namespace.update(vars(own) if own else {})
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for statement in node.body:
                with contextlib.suppress(Exception):  # what is missing shows when a hint names it
                    exec(compile(ast.Module([statement], []), "<hints>", "exec"), namespace)  # noqa: S102 - in the sandbox
    return namespace
