"""What a name stands for in a file: an imported thing, a builtin, or something of the file's own."""

from __future__ import annotations

import builtins
import functools

import libcst as cst

from afterburner.agent.rules.analysis.free_names import Names, names_in, text
from afterburner.agent.rules.analysis.tree import walk


class Resolver:
    """Knows what the names of one file stand for, as far as the text alone tells."""

    def __init__(self, module: cst.Module) -> None:
        self.module = module
        self.names: Names = names_in(module)
        self._imports = _imports(module, self.names)
        self._functions: dict[str, list[cst.FunctionDef]] = {}
        self._classes: dict[str, list[cst.ClassDef]] = {}
        for node in walk(module):
            if isinstance(node, cst.ClassDef):
                self._classes.setdefault(node.name.value, []).append(node)
            if isinstance(node, cst.FunctionDef):
                self._functions.setdefault(node.name.value, []).append(node)

    def functions(self, name: str) -> list[cst.FunctionDef]:
        """Give the functions and methods of the file that have this name."""
        return self._functions.get(name, [])

    def constructors(self, name: str) -> list[cst.FunctionDef] | None:
        """Give what runs when an object of a class of the file is made; None if the name is no class of it."""
        classes = self._classes.get(name, [])
        if len(classes) != 1 or self.names.binds[name] != 1:
            return None
        makers = {"__init__", "__new__", "__post_init__"}
        body = classes[0].body.body
        return [node for node in body if isinstance(node, cst.FunctionDef) and node.name.value in makers]

    def is_record(self, name: str) -> bool:
        """Tell whether the name is a dataclass or named tuple of the file, which making it only fills."""
        if self.constructors(name) != []:
            return False
        [node] = self._classes[name]
        bases = [self.qualified(base.value) for base in node.bases]
        decorators = [each.decorator for each in node.decorators]
        functions = [each.func if isinstance(each, cst.Call) else each for each in decorators]
        if any(self.qualified(function) != "dataclasses.dataclass" for function in functions):
            return False
        return bases == ["typing.NamedTuple"] or (bool(functions) and not bases)

    def qualified(self, expression: cst.BaseExpression) -> str | None:
        """Give the full name: "re.search", "builtins.len"; None if it is not an import's or a builtin."""
        if isinstance(expression, cst.Attribute):
            owner = self.qualified(expression.value)
            return f"{owner}.{expression.attr.value}" if owner else None
        if not isinstance(expression, cst.Name):
            return None
        name = expression.value
        if name in self._imports:
            return self._imports[name]
        if name not in self.names.binds and name not in self.names.shared and hasattr(builtins, name):
            return f"builtins.{name}"
        return None

    def is_call(self, node: cst.CSTNode, *qualified: str) -> bool:
        """Tell whether the node calls one of these functions."""
        return isinstance(node, cst.Call) and self.qualified(node.func) in qualified

    def spelled(self, qualified: str) -> str | None:
        """Give how the file writes an imported module or a builtin; None if it has no name for it."""
        owner, _, name = qualified.rpartition(".")
        if owner == "builtins":
            return name if name not in self.names.binds else None
        return next((alias for alias, full in self._imports.items() if full == qualified), None)

    def module_import(self, module_name: str) -> tuple[str, tuple[str, ...]] | None:
        """Give how to write a module and the import that this needs; None if the file uses its name otherwise.

        An import that the top of the file has already costs nothing; one inside a function is repeated at the top.
        """
        for statement in self.module.body:
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    for alias in small.names if isinstance(small, cst.Import) else ():
                        spelled = text(alias.asname.name) if alias.asname else text(alias.name)
                        if text(alias.name) == module_name and self._imports.get(spelled) == module_name:
                            return spelled, ()
        if self._imports.get(module_name, module_name) != module_name:
            return None
        if module_name in self.names.all and module_name not in self._imports:
            return None
        return module_name, (f"import {module_name}",)


@functools.lru_cache(maxsize=2)
def resolver_of(module: cst.Module) -> Resolver:
    """Give the resolver of a file; all rules look at one file after the other."""
    return Resolver(module)


def _imports(module: cst.Module, names: Names) -> dict[str, str]:
    """Map each name that is bound by imports of one and the same thing, and by nothing else."""
    found: dict[str, list[str]] = {}
    for node in walk(module):
        if isinstance(node, cst.Import):
            for alias in node.names:
                full = text(alias.name)
                local = text(alias.asname.name) if alias.asname else full.split(".")[0]
                found.setdefault(local, []).append(full if alias.asname else local)
        elif isinstance(node, cst.ImportFrom) and not isinstance(node.names, cst.ImportStar):
            owner = "." * len(node.relative) + (text(node.module) if node.module else "")
            for alias in node.names:
                local = text(alias.asname.name) if alias.asname else text(alias.name)
                found.setdefault(local, []).append(f"{owner}.{text(alias.name)}")
    return {local: full[0] for local, full in found.items() if len(set(full)) == 1 and names.binds[local] == len(full)}
