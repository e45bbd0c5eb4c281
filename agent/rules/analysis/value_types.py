"""What type of value an expression of a function gives, where its text tells: `list`, `str`, … and of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.uses import Kind, Use, is_stored

if TYPE_CHECKING:
    from afterburner.agent.rules.analysis.scope import Analysis, Region

UNHASHABLE = frozenset(("list", "dict", "set", "bytearray", "deque"))
SEQUENCES = frozenset(("list", "tuple", "str", "bytes", "range", "deque"))
_CONTAINERS = frozenset(("list", "tuple", "set", "frozenset", "dict", "deque", "iterator"))
_MAX_DEPTH = 6  # names that are looked through; real code needs two or three

_BY_FUNCTION = {
    **{name: name for name in ("list", "tuple", "set", "frozenset", "dict", "str", "bytes", "bytearray", "range")},
    **dict.fromkeys(("int", "len", "ord", "hash", "id", "math.isqrt", "math.floor", "math.ceil"), "int"),
    **dict.fromkeys(("repr", "chr", "hex", "oct", "bin", "ascii", "format", "input"), "str"),
    **dict.fromkeys(("enumerate", "zip", "map", "filter", "iter", "reversed"), "iterator"),
    **dict.fromkeys(("collections.Counter", "collections.defaultdict", "collections.OrderedDict"), "dict"),
    "sorted": "list", "open": "file", "float": "float", "bool": "bool", "isinstance": "bool",
    "collections.deque": "deque", "sys.stdin": "file", "sys.stdin.readline": "str",
}  # fmt: skip
_BY_METHOD = {
    **dict.fromkeys(("split", "rsplit", "splitlines", "readlines", "findall", "most_common", "tolist"), "list"),
    **dict.fromkeys(
        (
            "capitalize", "casefold", "center", "expandtabs", "format", "isoformat", "ljust", "lower", "lstrip",
            "removeprefix", "removesuffix", "rjust", "rstrip", "strftime", "strip", "swapcase", "title", "translate",
            "upper", "zfill",
        ),
        "str",
    ),
    **dict.fromkeys(("keys", "items", "values"), "view"),
}  # fmt: skip
_STR_TO_LIST = frozenset(("split", "rsplit", "splitlines", "readlines", "findall"))
_ANNOTATIONS = {
    **{name: name for name in ("list", "tuple", "set", "frozenset", "dict", "str", "bytes", "int", "float", "bool")},
    "List": "list", "Tuple": "tuple", "Set": "set", "FrozenSet": "frozenset", "Dict": "dict", "Counter": "dict",
    "defaultdict": "dict", "DefaultDict": "dict", "deque": "deque", "Deque": "deque", "Sequence": "sequence",
    "Iterable": "iterable", "Collection": "iterable", "Iterator": "iterator", "Mapping": "dict", "TextIO": "file",
    "IO": "file", "bytearray": "bytearray",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Type:
    """A type's name, and the type of the elements where that is known."""

    name: str
    element: Type | None = None


class Types:
    """Answers for the functions of one scope."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._variables: dict[tuple[Region, str], Type | None] = {}

    def name(self, expression: cst.CSTNode | None, region: Region) -> str | None:
        """Give the name of an expression's type; None where the text does not tell."""
        found = self.of(expression, region)
        return found.name if found else None

    def is_list(self, name: str, region: Region) -> bool:
        """Tell whether a variable of the region is bound to lists only, and only by plain assignments."""
        binds = [use for use in self._analysis.uses(name, region) if use.kind in {Kind.BIND, Kind.REBIND}]
        return bool(binds) and all(use.kind is Kind.BIND and self.name(use.value, region) == "list" for use in binds)

    def may_hash(self, expression: cst.CSTNode | None, region: Region) -> bool:
        """Tell whether nothing speaks against hashing the value."""
        return self.hashes(self.of(expression, region))

    def elements_may_hash(self, expression: cst.CSTNode | None, region: Region) -> bool:
        """Tell whether nothing speaks against hashing the elements of the value."""
        found = self.of(expression, region)
        return found is None or self.hashes(found.element)

    def of(self, expression: cst.CSTNode | None, region: Region, depth: int = 0) -> Type | None:
        """Give the type of an expression; None where the text does not tell."""
        if expression is None or depth > _MAX_DEPTH:
            return None
        found: Type | None = None
        match expression:
            case cst.Name():
                found = self._of_name(expression, region, depth + 1)
            case cst.Call():
                found = self._of_call(expression, region, depth + 1)
            case cst.Subscript():
                found = self._of_subscript(expression, region, depth + 1)
            case cst.BinaryOperation():
                found = self._of_binary(expression, region, depth + 1)
            case cst.IfExp():
                found = self._of_choice(expression, region, depth + 1)
            case cst.Attribute() if self._analysis.resolver.qualified(expression) == "sys.stdin":
                found = Type("file")
            case cst.BaseExpression():
                found = self._of_literal(expression, region, depth + 1)
        return found

    def of_annotation(self, annotation: cst.CSTNode | None) -> Type | None:
        """Read an annotation: `list[str]`, `Optional[Sequence[int]]`, `"dict"`."""
        if isinstance(annotation, cst.Annotation):
            annotation = annotation.annotation
        if isinstance(annotation, cst.SimpleString) and isinstance(annotation.raw_value, str):
            try:
                annotation = cst.parse_expression(annotation.raw_value)
            except cst.ParserSyntaxError:
                return None
        if isinstance(annotation, cst.BinaryOperation) and text(annotation.right) == "None":
            return self.of_annotation(annotation.left)
        if not isinstance(annotation, cst.Subscript):
            name = _ANNOTATIONS.get(text(annotation).rpartition(".")[2]) if annotation is not None else None
            return Type(name) if name else None
        owner = text(annotation.value).rpartition(".")[2]
        inner = annotation.slice[0].slice
        element = self.of_annotation(inner.value) if isinstance(inner, cst.Index) else None
        if owner == "Optional":
            return element
        name = _ANNOTATIONS.get(owner)
        return Type(name, element) if name else None

    @staticmethod
    def hashes(found: Type | None) -> bool:
        """Tell whether nothing speaks against hashing a value of this type."""
        while found is not None and found.name == "tuple":
            found = found.element
        return found is None or found.name not in UNHASHABLE

    def _of_literal(self, node: cst.BaseExpression, region: Region, depth: int) -> Type | None:
        if isinstance(node, cst.List | cst.Set | cst.Tuple):
            elements = [each.value for each in node.elements if isinstance(each, cst.Element)]
            found = {self.of(each, region, depth) for each in elements}
            return Type(type(node).__name__.lower(), found.pop() if len(found) == 1 else None)
        if isinstance(node, cst.ListComp | cst.SetComp | cst.GeneratorExp):
            names = {cst.ListComp: "list", cst.SetComp: "set", cst.GeneratorExp: "iterator"}
            return Type(names[type(node)], self.of(node.elt, region, depth))
        if isinstance(node, cst.BaseString):
            prefix = text(node).replace('"', "'").split("'")[0].lower()
            return Type("bytes" if "b" in prefix else "str")
        names_of_kinds = {cst.Dict: "dict", cst.DictComp: "dict", cst.Integer: "int", cst.Float: "float"}
        name = names_of_kinds.get(type(node))
        return Type(name) if name else None

    def _of_binary(self, node: cst.BinaryOperation, region: Region, depth: int) -> Type | None:
        left = self.of(node.left, region, depth)
        right = self.of(node.right, region, depth)
        left_name, right_name = left and left.name, right and right.name
        if isinstance(node.operator, cst.Add):
            for name in ("list", "tuple", "str", "bytes"):
                if name in {left_name, right_name}:
                    return left if left == right else Type(name)
        if isinstance(node.operator, cst.Multiply):
            for side in (left, right):
                if side is not None and side.name in {"list", "tuple", "str", "bytes"}:
                    return side
        if isinstance(node.operator, cst.BitOr | cst.Subtract | cst.BitAnd) and left_name in {
            "set",
            "frozenset",
            "dict",
        }:
            return left if left == right else Type(left.name) if left else None
        if isinstance(node.operator, cst.Modulo) and left_name in {"str", "bytes"}:
            return left
        if left_name == right_name == "int" and not isinstance(node.operator, cst.Divide | cst.Power):
            return left
        return None

    def _of_choice(self, node: cst.IfExp, region: Region, depth: int) -> Type | None:
        first, second = self.of(node.body, region, depth), self.of(node.orelse, region, depth)
        if first is None or second is None or first.name != second.name:
            return None
        return first if first == second else Type(first.name)

    def _of_subscript(self, node: cst.Subscript, region: Region, depth: int) -> Type | None:
        owner = self.of(node.value, region, depth)
        if owner is None or len(node.slice) != 1:
            return None
        if isinstance(node.slice[0].slice, cst.Slice):
            return owner if owner.name in SEQUENCES else None
        return self._element(owner) if owner.name in SEQUENCES | {"sequence"} else None

    @staticmethod
    def _element(owner: Type | None) -> Type | None:
        if owner is None:
            return None
        if owner.name in {"str", "file"}:
            return Type("str")
        return Type("int") if owner.name in {"bytes", "range"} else owner.element

    def _of_call(self, node: cst.Call, region: Region, depth: int) -> Type | None:
        qualified = self._analysis.resolver.qualified(node.func)
        if qualified is not None:
            return self._of_function(qualified.removeprefix("builtins."), node, region, depth)
        if not isinstance(node.func, cst.Attribute):
            return None
        method, owner = node.func.attr.value, node.func.value
        if method == "join":
            return self.of(owner, region, depth) if isinstance(owner, cst.SimpleString) else Type("str")
        if method in {"copy", "replace"}:
            return self.of(owner, region, depth)
        name = _BY_METHOD.get(method)
        if name == "str" and self.name(owner, region) == "bytes":
            name = "bytes"
        return Type(name, Type("str") if method in _STR_TO_LIST - {"findall"} else None) if name else None

    def _of_function(self, name: str, call: cst.Call, region: Region, depth: int) -> Type | None:
        if name == "open":
            return Type("file") if not any("b" in text(arg.value) for arg in call.args[1:2]) else None
        found = _BY_FUNCTION.get(name)
        if found not in _CONTAINERS or name in {"enumerate", "zip", "filter", "map"} or not call.args:
            return Type(found) if found else None
        return Type(found, self._element(self.of(call.args[0].value, region, depth))) if found else None

    def _of_name(self, node: cst.Name, region: Region, depth: int) -> Type | None:
        """Look at everything that a variable is bound to: all of it has to agree."""
        analysis = self._analysis
        names = analysis.names(region)
        if not names.binds[node.value] or node.value in names.shared:
            return None
        if analysis.region_of(node) is not region and node in analysis.tree.parents:
            return None
        key = (region, node.value)
        if key not in self._variables:
            self._variables[key] = None
            self._variables[key] = self._of_variable(key, depth)
        return self._variables[key]

    def _of_variable(self, key: tuple[Region, str], depth: int) -> Type | None:
        """Put together what a variable is bound to; `x = x[1:]` is read with what is known of `x` by then."""
        region, name = key
        found: set[Type | None] = set()
        for use in self._analysis.uses(name, region):
            if use.kind is Kind.BIND:
                annotated = use.holder.annotation if isinstance(use.holder, cst.AnnAssign) else None
                found.add(self.of_annotation(annotated) or self.of(use.value, region, depth))
            elif use.kind is Kind.REBIND:
                found.add(self._of_rebound(use, region, depth))
            elif use.kind is Kind.METHOD and use.method == "append" and len(use.call.args) == 1:
                found = {self._grown(each, use.call.args[0].value, region, depth) for each in found}
            self._variables[key] = next((each for each in found if each), None)
        if None in found or len({each.name for each in found if each}) != 1:
            return None
        return found.pop() if len(found) == 1 else Type(next(each.name for each in found if each))

    def _grown(self, owner: Type | None, added: cst.BaseExpression, region: Region, depth: int) -> Type | None:
        """Learn what is in a list that starts empty from what is appended."""
        if owner is None or owner.name != "list" or owner.element is not None:
            return owner
        return Type("list", self.of(added, region, depth))

    def _of_rebound(self, use: Use, region: Region, depth: int) -> Type | None:
        if isinstance(use.holder, cst.Param):
            if isinstance(region, cst.FunctionDef) and use.holder is region.params.star_arg:
                return Type("tuple", self.of_annotation(use.holder.annotation))
            return self.of_annotation(use.holder.annotation)
        if isinstance(use.holder, cst.For | cst.CompFor) and not is_stored(self._analysis.tree, use.name):
            return self._element(self.of(use.holder.iter, region, depth))
        if isinstance(use.holder, cst.AsName):
            item = self._analysis.tree.parents.get(use.holder)
            return self.of(item.item, region, depth) if isinstance(item, cst.WithItem) else None
        return None
