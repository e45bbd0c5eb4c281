"""Reads what code uses of the world around it: which functions of which modules, under whatever name it has them.

A reader of text can be deceived, so it is a first gate and not the last: what is read here needs no measurement to be
refused; what is hidden from it meets the watch in the process and the comparison of outcomes.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BUILTINS = frozenset(dir(builtins)) | {"__builtins__"}
_MAX_ALIAS_ROUNDS = 4  # an alias of an alias of an alias
_IMPORTING = frozenset(("builtins.__import__", "importlib.import_module", "importlib.__import__", "sys.modules.get"))
COMPUTED = "?"  # stands for a name that only running the code would tell


@dataclass(frozen=True, slots=True)
class Use:
    """Something of another module, or what may lead to it.

    `way` tells what `name` is: `read`, `set` (bound anew, or an item of it is) and `whole` (a module that is handed on)
    go with a full name ("sys._getframe", "builtins.open"); `attribute` with one of any object, `text` with a string,
    `define` with the name of a new function.
    """

    name: str
    way: str
    line: int


def uses_of(statements: Sequence[ast.stmt], module: ast.Module) -> list[Use]:
    """Everything that the statements use, with names as the whole `module` defines them."""
    reader = _Reader(_Names(module))
    for statement in statements:
        reader.visit(statement)
    return reader.uses


def changed_statements(original: ast.Module, rewrite: ast.Module) -> list[ast.stmt]:
    """The statements of the rewrite that the original does not have; of a class that it has, the members."""
    known = {ast.dump(statement) for statement in original.body}
    classes = {node.name: node for node in original.body if isinstance(node, ast.ClassDef)}
    changed: list[ast.stmt] = []
    for statement in rewrite.body:
        if ast.dump(statement) in known:
            continue
        before = classes.get(statement.name) if isinstance(statement, ast.ClassDef) else None
        if before is not None and isinstance(statement, ast.ClassDef):
            members = {ast.dump(member) for member in before.body}
            changed += [member for member in statement.body if ast.dump(member) not in members]
        else:
            changed.append(statement)
    return changed


def without_main(module: ast.Module) -> list[ast.stmt]:
    """The statements of a module without `if __name__ == "__main__"`: what that does is no part of a call."""
    return [each for each in module.body if not (isinstance(each, ast.If) and _is_main(each.test))]


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def text_of(node: ast.expr) -> str | None:
    """The string that an expression of constants makes; None if it takes running it."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            one, other = text_of(left), text_of(right)
            return None if one is None or other is None else one + other
        case ast.JoinedStr(values=values):
            parts = [text_of(each.value if isinstance(each, ast.FormattedValue) else each) for each in values]
            return None if None in parts else "".join(part or "" for part in parts)
    return None


class _Names:
    """What names stand for, in the module and in the functions that are being read."""

    def __init__(self, module: ast.Module) -> None:
        self.modules: set[str] = set()
        self._scopes: list[dict[str, str | None]] = []  # of each name what it stands for, if that is known
        self._enter(module.body, {})

    def enter(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Go into a function: its own names hide those outside."""
        self._enter(function.body, dict.fromkeys(each.arg for each in _parameters(function.args)))

    def enter_lambda(self, function: ast.Lambda, call: ast.Call | None) -> None:
        """Go into a lambda; `call` is the call of it, where it is called in place."""
        arguments = function.args
        plain = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        given: dict[str, ast.expr | None] = dict(
            zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True)
        )
        given.update(zip((each.arg for each in arguments.kwonlyargs), arguments.kw_defaults, strict=True))
        if call is not None:
            given.update(zip(plain, call.args, strict=False))
            given.update((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None)
        parameters: dict[str, str | None] = {}
        for each in _parameters(arguments):
            value = given.get(each.arg)
            parameters[each.arg] = None if value is None else self.resolve(value)
        self._enter([function.body], parameters)

    def enter_comprehension(self, generators: Sequence[ast.comprehension]) -> None:
        """Go into a comprehension: only what it loops over is bound in it, and nothing of that outside."""
        targets: dict[str, str | None] = {}
        for each in generators:
            for node in ast.walk(each.target):
                self._bind(node, targets)
            if isinstance(each.target, ast.Name) and isinstance(each.iter, ast.List | ast.Tuple | ast.Set):
                known = [full for full in map(self.resolve, each.iter.elts) if full is not None]
                targets[each.target.id] = known[0] if known else None
        self._scopes.append(targets)

    def leave(self) -> None:
        """Come out of what was entered last."""
        self._scopes.pop()

    def _enter(self, body: Sequence[ast.stmt | ast.expr], parameters: Mapping[str, str | None]) -> None:
        scope = dict(parameters)
        self._scopes.append(scope)
        nodes = list(_walk_scope(body))
        for node in nodes:
            self._bind(node, scope)
        for name in _passing_names(nodes):
            scope.setdefault(name, None)
        if len(self._scopes) == 1:
            # What a module binds may be bound later, unbound again, or never be bound: then the builtin is meant.
            for name in [name for name, full in scope.items() if full is None and name in _BUILTINS]:
                del scope[name]
        for node in nodes:
            if isinstance(node, ast.Global | ast.Nonlocal):
                for name in node.names:
                    scope.pop(name, None)
        assigned = [node for node in nodes if isinstance(node, ast.Assign | ast.NamedExpr | ast.AnnAssign)]
        for _ in range(_MAX_ALIAS_ROUNDS):
            news = [self._alias(node, scope) for node in assigned]
            if not any(news):
                break

    def resolve(self, node: ast.expr) -> str | None:
        """The full name of what an expression is; None if that is not known."""
        match node:
            case ast.Name(id=name):
                return self._resolve_name(name)
            case ast.Attribute(value=value, attr=attribute):
                base = self.resolve(value)
                return None if base is None else f"{base}.{attribute}"
            case ast.Call():
                return self._resolve_call(node)
            case ast.Subscript(value=value, slice=key):
                return self._resolve_item(value, key)
        return None

    def _resolve_name(self, name: str, *, of_module: bool = False) -> str | None:
        for scope in self._scopes[:1] if of_module else reversed(self._scopes):
            if name in scope:
                return scope[name]
        return f"builtins.{name}" if name in _BUILTINS else None

    def _resolve_call(self, call: ast.Call) -> str | None:
        function = self.resolve(call.func)
        if function == "builtins.getattr" and len(call.args) >= 2:
            base = self.resolve(call.args[0])
            return None if base is None else f"{base}.{text_of(call.args[1]) or COMPUTED}"
        if function in _IMPORTING and call.args:
            return self._as_module(text_of(call.args[0]))
        return None

    def _resolve_item(self, value: ast.expr, key: ast.expr) -> str | None:
        text = text_of(key)
        namespace = self.resolve(value.func) if isinstance(value, ast.Call) else None
        if namespace in ("builtins.globals", "builtins.locals"):
            of_module = namespace == "builtins.globals"
            return COMPUTED if text is None else self._resolve_name(text, of_module=of_module)
        if self.resolve(value) == "sys.modules":
            return self._as_module(text)
        if isinstance(value, ast.Call) and self.resolve(value.func) == "builtins.vars" and value.args:
            base = self.resolve(value.args[0])
        elif isinstance(value, ast.Attribute) and value.attr == "__dict__":
            base = self.resolve(value.value)
        else:
            return None
        return None if base is None else f"{base}.{text or COMPUTED}"

    def _as_module(self, name: str | None) -> str:
        self.modules.add(name or COMPUTED)
        return name or COMPUTED

    def _bind(self, node: ast.AST, scope: dict[str, str | None]) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name if alias.asname else alias.name.partition(".")[0]
                scope[alias.asname or full] = full
                self.modules |= {full, alias.name}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                scope[alias.asname or alias.name] = _from(node, alias)
        elif isinstance(node, _DEFINITIONS):
            scope.setdefault(node.name, None)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            scope.setdefault(node.id, None)

    def _alias(self, node: ast.Assign | ast.NamedExpr | ast.AnnAssign, scope: dict[str, str | None]) -> bool:
        """Take in `t = time` and the like; whether it was news."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [each.id for each in targets if isinstance(each, ast.Name) and scope.get(each.id, "") is None]
        full = self.resolve(node.value) if names and node.value is not None else None
        if full is None:
            return False
        scope.update(dict.fromkeys(names, full))
        return True


class _Reader(ast.NodeVisitor):
    """Collects uses; of `a.b.c` only the whole is one."""

    def __init__(self, names: _Names) -> None:
        self.uses: list[Use] = []
        self._names = names

    def visit_Attribute(self, node: ast.Attribute) -> None:
        full = self._names.resolve(node)
        if full is not None:
            self._add(full, _way(node.ctx), node)
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            self._add(inner.attr, "attribute", inner)
            inner = inner.value
        if full is None or not isinstance(inner, ast.Name):
            self.visit(inner)

    def visit_Name(self, node: ast.Name) -> None:
        full = self._names.resolve(node)
        if full is not None and isinstance(node.ctx, ast.Load):
            self._add(full, "whole" if full in self._names.modules else "read", node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        full, base = self._names.resolve(node), self._names.resolve(node.value)
        way = _way(node.ctx)
        if full is not None:
            self._add(full, way, node)
        if base is not None and way == "set":
            self._add(base, "set", node)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        full = self._names.resolve(node)
        if full is not None:
            self._add(full, "read", node)
        function = self._names.resolve(node.func)
        if function in ("builtins.setattr", "builtins.delattr") and len(node.args) >= 2:
            base = self._names.resolve(node.args[0])
            if base is not None:
                self._add(f"{base}.{text_of(node.args[1]) or COMPUTED}", "set", node)
        known = function in ("builtins.getattr", "builtins.setattr", "builtins.vars") and node.args
        if isinstance(node.func, ast.Lambda):
            self._visit_lambda(node.func, node)
        else:
            self.visit(node.func)
        for child in [*node.args[1 if known else 0 :], *node.keywords]:
            self.visit(child)
        if known and not isinstance(node.args[0], ast.Name):
            self.visit(node.args[0])

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.visit(target)
        known = [isinstance(each, ast.Name) and self._names.resolve(each) is not None for each in node.targets]
        if not (isinstance(node.value, ast.Name) and all(known)):
            self.visit(node.value)  # a plain alias is no use by itself: what is done under the new name is

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._add(node.value, "text", node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(alias.name, "read", node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._add(_from(node, alias), "read", node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_definition(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_definition(node)

    def _visit_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._add(node.name, "define", node)
        for child in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if child is not None:
                self.visit(child)
        for annotation in (*(each.annotation for each in _parameters(node.args)), node.returns):
            # It is carried out where the function is defined; one that calls nothing only names types.
            if annotation is not None and any(isinstance(each, ast.Call) for each in ast.walk(annotation)):
                self.visit(annotation)
        self._names.enter(node)
        for statement in node.body[1:] if ast.get_docstring(node) is not None else node.body:
            self.visit(statement)
        self._names.leave()

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_lambda(node, None)

    def _visit_lambda(self, node: ast.Lambda, call: ast.Call | None) -> None:
        for child in (*node.args.defaults, *node.args.kw_defaults):
            if child is not None:
                self.visit(child)
        self._names.enter_lambda(node, call)
        self.visit(node.body)
        self._names.leave()

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._visit_comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._visit_comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._visit_comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._visit_comprehension(node)

    def _visit_comprehension(self, node: Comprehension) -> None:
        first = node.generators[0].iter
        self.visit(first)  # it is made outside, where the loop's names mean what they meant before
        self._names.enter_comprehension(node.generators)
        for generator in node.generators:
            for child in (generator.target, generator.iter, *generator.ifs):
                if child is not first:
                    self.visit(child)
        for child in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(child)
        self._names.leave()

    def _add(self, name: str, way: str, node: ast.expr | ast.stmt) -> None:
        self.uses.append(Use(name, way, node.lineno))


def _walk_scope(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All that binds names in one scope: not what is in nested functions, classes and comprehensions."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_DEFINITIONS, *_COMPREHENSIONS, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def _passing_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Names that a scope binds in passing: in `except`, in a `case`, and by `:=` in the comprehensions in it."""
    for node in nodes:
        match node:
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
        if isinstance(node, _COMPREHENSIONS):
            yield from _walrus_names(node)


def _walrus_names(comprehension: ast.AST) -> Iterator[str]:
    waiting = [comprehension]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.NamedExpr):
            yield node.target.id
        if not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    variable = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *variable]


def _way(context: ast.expr_context) -> str:
    return "read" if isinstance(context, ast.Load) else "set"


def _from(node: ast.ImportFrom, alias: ast.alias) -> str:
    """The full name of what `from … import` brings."""
    return f"{'.' * node.level}{node.module or ''}.{alias.name}"
