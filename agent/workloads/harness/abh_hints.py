"""Reads a function's type hints into shapes that inputs can be drawn from and grown to a size.

A shape is a tuple: a kind, then its parts. `("list", shape)`, `("set", shape)`, `("frozenset", shape)`,
`("deque", shape)`, `("tuple", shape)`, `("fixed", shapes)`, `("dict", key, value)`, `("union", shapes)`,
`("int",)`, `("float",)`, `("str",)`, `("bytes",)`, `("bool",)`, `("record", class, {name: shape})`, `("leaf", hint)`.
"""

import ast
import collections
import collections.abc
import dataclasses
import inspect
import typing

MAX_DEPTH = 6
CONTAINERS = frozenset(("list", "set", "frozenset", "deque", "tuple"))
_ABSTRACT = {
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
_MAPPINGS = (collections.abc.Mapping, collections.abc.MutableMapping, dict)
_PLAIN = {int: "int", float: "float", str: "str", bytes: "bytes", bool: "bool"}


class Unusable(Exception):  # noqa: N818 - it is told to the user as a reason, not as an error
    """No inputs can be made for this function; the message says for which parameter and why."""


def parameter_shapes(function, source, skip_first):
    """Map each parameter to (shape, is keyword-only, has a default). `*args` and `**kwargs` stay empty."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise Unusable("its signature cannot be read: %s" % error) from None
    namespace = _namespace(function, source)
    shapes = {}
    for parameter in parameters[1:] if skip_first else parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        optional = parameter.default is not parameter.empty
        if parameter.annotation is parameter.empty:
            if not optional:
                raise Unusable("parameter `%s` has no type hint" % parameter.name)
            continue
        shape = shape_of(_resolve(parameter, namespace), namespace)
        shapes[parameter.name] = (shape, parameter.kind is parameter.KEYWORD_ONLY, optional)
    return shapes


def class_shape(cls, source):
    """The shape of an instance, from the hints of its constructor."""
    if cls.__init__ is object.__init__ and not issubclass(cls, tuple):
        return ("record", cls, {})
    shapes = parameter_shapes(cls, source, skip_first=False)
    return ("record", cls, {name: shape for name, (shape, _, optional) in shapes.items() if not optional})


def shape_of(hint, namespace, depth=0):
    """The shape of a hint."""
    hint = getattr(hint, "__value__", hint)  # `type Alias = ...`
    hint = getattr(hint, "__supertype__", hint)  # NewType
    if isinstance(hint, str):
        hint = eval(hint, namespace)  # noqa: S307 - a hint of the user's file, in the sandbox
    if isinstance(hint, typing.TypeVar):
        hint = hint.__bound__ or (hint.__constraints__ or (int,))[0]
    if hint in (typing.Any, object) or depth > MAX_DEPTH:
        return ("int",)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is None and isinstance(hint, type):
        origin = hint

    def inner(index=0):
        return shape_of(arguments[index], namespace, depth + 1) if len(arguments) > index else ("int",)

    if hasattr(hint, "__metadata__"):
        return shape_of(hint.__origin__, namespace, depth + 1)
    if origin in _PLAIN:
        return (_PLAIN[origin],)
    if origin in _ABSTRACT:
        return (_ABSTRACT[origin], inner())
    if origin in _MAPPINGS:
        return ("dict", inner(0) if arguments else ("str",), inner(1))
    if origin is tuple:
        if not arguments or arguments[-1] is Ellipsis:
            return ("tuple", inner())
        return ("fixed", [inner(index) for index in range(len(arguments))])
    if _is_union(origin):
        return ("union", [shape_of(part, namespace, depth + 1) for part in arguments])
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = _class_hints(hint, namespace)
        fields = [field for field in dataclasses.fields(hint) if field.init]
        return ("record", hint, {field.name: shape_of(hints[field.name], namespace, depth + 1) for field in fields})
    return ("leaf", hint)


def _is_union(origin):
    import types  # noqa: PLC0415 - UnionType is there from Python 3.10 on

    return origin is typing.Union or origin is getattr(types, "UnionType", typing.Union)


def _class_hints(cls, namespace):
    try:
        return typing.get_type_hints(cls, localns=namespace)
    except Exception as error:  # noqa: BLE001 - evaluating a hint runs any expression
        raise Unusable("the type hints of `%s` cannot be resolved: %s" % (cls.__name__, error)) from None


def _resolve(parameter, namespace):
    hint = parameter.annotation
    try:
        return eval(hint, namespace) if isinstance(hint, str) else hint  # noqa: S307 - as above
    except Exception as error:  # noqa: BLE001 - as above
        raise Unusable("the type hint of `%s` cannot be resolved: %s" % (parameter.name, error)) from None


def _namespace(function, source):
    """What hints may name: the module, what it imports only for type checkers, and `typing` with its kin."""
    namespace = {}
    for module in (typing, collections.abc, collections):
        namespace.update({name: value for name, value in vars(module).items() if not name.startswith("_")})
    # A callable without `__globals__` (a class, a `functools.cache`) still has the module's name.
    import sys  # noqa: PLC0415 - beside its one use

    module = sys.modules.get(getattr(function, "__module__", None) or "")
    namespace.update(vars(module) if module else {})
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for statement in node.body:
                _try_statement(statement, namespace)
    return namespace


def _try_statement(statement, namespace):
    try:
        exec(compile(ast.Module([statement], []), "<type checking>", "exec"), namespace)  # noqa: S102 - in the sandbox
    except Exception:  # noqa: BLE001, S110 - what is missing shows when a hint names it
        pass
