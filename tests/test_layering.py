"""The house rules of imports: arrows point down, no circles, one import name, nothing heavy until it is used."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from subprocess import run

import pytest

ROOT = Path(__file__).parent.parent
NAMESPACE = "afterburner"
MAY_IMPORT = {
    "sandbox": set(),
    "agent": {"sandbox"},
    "evals": {"agent", "sandbox"},
    "training": {"evals", "agent", "sandbox"},
    "lsp_server": {"agent"},
    "ci_action": {"agent"},
}
# Packages that are bound into the sandbox, under another root and under whatever Python the user has.
INSIDE_THE_SANDBOX = (
    ROOT / "sandbox" / "driver",
    ROOT / "agent" / "inputs" / "inside",
    ROOT / "evals" / "inside",
)
# Modules, or all of a room, that import others of ours inside a function; anything else imports them at the top.
DOORS = {
    "afterburner.sandbox.opening": "a backend may need an extra that is not installed",
    "afterburner.sandbox.commands.checks": "likewise",
    "afterburner.sandbox.commands.environment": "likewise",
    "afterburner.sandbox.commands.serve": "likewise",
    "afterburner.sandbox.environments.provide": "likewise",
    "afterburner.agent.store.connect": "PostgreSQL is an extra",
    "evals/commands": "NumPy and pyarrow are an extra",
    "training/commands": "likewise",
    "afterburner.lsp_server.commands": "pygls is an extra",
    "afterburner.lsp_server.mcp_server.commands": "the SDK of MCP is an extra",
}
# They may belong to the user's interpreter; a script looks for them when it needs them.
MAY_BE_THERE = {"hypothesis", "pytest"}
HEAVY = {
    "datasets",
    "hypothesis",
    "langgraph",
    "libcst",
    "litellm",
    "matplotlib",
    "openai",
    "psycopg",
    "pyarrow",
    "ray",
    "scipy",
    "torch",
    "transformers",
    "vllm",
}


@dataclass(frozen=True)
class Import:
    """One imported module, whether only the type checker sees the import, and whether a function makes it."""

    module: str
    line: int
    typing_only: bool
    lazy: bool


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports_in(node: ast.AST, *, typing_only: bool = False, lazy: bool = False) -> list[Import]:
    """All imports below `node`, those inside functions too."""
    if isinstance(node, ast.Import):
        return [Import(alias.name, node.lineno, typing_only, lazy) for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        names = [f"{'.' * node.level}{node.module or ''}"]
        if not node.module:
            names = [f"{'.' * node.level}{alias.name}" for alias in node.names]
        elif node.module in SUBPACKAGES and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        return [Import(name, node.lineno, typing_only, lazy) for name in names]
    lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    typed = node.body if isinstance(node, ast.If) and is_type_checking(node) else []
    return [
        found
        for child in ast.iter_child_nodes(node)
        for found in imports_in(child, typing_only=typing_only or child in typed, lazy=lazy)
    ]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join((NAMESPACE, *(parts[:-1] if parts[-1] == "__init__" else parts)))


def absolute(imported: Import, path: Path) -> Import:
    """The import as one of a module by its full name: inside the sandbox, packages of ours import relatively."""
    dots = len(imported.module) - len(imported.module.lstrip("."))
    if not dots or path.parent not in INSIDE_THE_SANDBOX:
        return imported
    package = [NAMESPACE, *path.parent.relative_to(ROOT).parts]
    return replace(imported, module=".".join((*package[: len(package) - dots + 1], imported.module[dots:])))


def python_files(folder: str) -> list[Path]:
    """Those of ours."""
    return [path for path in sorted((ROOT / folder).rglob("*.py")) if "node_modules" not in path.parts]


FILES = {module_name(path): path for floor in MAY_IMPORT for path in python_files(floor)}
SUBPACKAGES = {name for name, path in FILES.items() if path.name == "__init__.py"}


@cache
def imports_by_module() -> dict[str, list[Import]]:
    """What each of our modules imports."""
    return {
        name: [absolute(imported, path) for imported in imports_in(ast.parse(path.read_text(encoding="utf-8")))]
        for name, path in FILES.items()
    }


EVERY_FILE = [*FILES.values(), *python_files("tests"), *python_files("scripts")]


def place(module: str, line: int) -> str:
    return f"{FILES[module].relative_to(ROOT)}:{line}"


def floor_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == NAMESPACE and len(parts) > 1 else None


def test_every_floor_of_the_repository_has_its_rule() -> None:
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert folders == MAY_IMPORT.keys()


def test_arrows_point_down() -> None:
    upwards = [
        f"{place(module, imported.line)} imports {imported.module}"
        for module, imports in imports_by_module().items()
        for imported in imports
        if (own := floor_of(module)) is not None
        and (other := floor_of(imported.module)) not in {None, own}
        and other not in MAY_IMPORT[own]
    ]
    assert upwards == []


def test_nobody_imports_a_folder_by_its_bare_name() -> None:
    begins = re.compile(rf"(?m)^\s*(?:import|from)\s+(?:{'|'.join(MAY_IMPORT)})\b")  # to parse few of the files
    texts = {path: path.read_text(encoding="utf-8") for path in EVERY_FILE}
    bare = [
        f"{path.relative_to(ROOT)}:{imported.line} imports {imported.module}"
        for path, text in texts.items()
        if begins.search(text)
        for imported in imports_in(ast.parse(text))
        if imported.module.split(".")[0] in MAY_IMPORT
    ]
    assert bare == []


def test_the_floors_import_absolutely() -> None:
    relative = [
        f"{place(module, imported.line)} imports {imported.module}"
        for module, imports in imports_by_module().items()
        for imported in imports
        if imported.module.startswith(".")
    ]
    assert relative == []


def test_there_are_no_circles_between_modules() -> None:
    """Imports inside functions and those for types alone count: they would hide a circle, not undo it."""
    assert [" -> ".join(circle) for circle in circles(import_graph())] == []


def test_there_are_no_circles_between_rooms() -> None:
    rooms: dict[str, set[str]] = {room_of(module): set() for module in import_graph()}
    for module, others in import_graph().items():
        rooms[room_of(module)] |= {room_of(other) for other in others}
    assert [" -> ".join(circle) for circle in circles(rooms)] == []


def lazy_imports(module: str) -> list[Import]:
    """What a module imports of ours inside functions."""
    return [imported for imported in imports_by_module()[module] if imported.lazy and home_of(imported.module)]


def test_our_own_modules_are_imported_at_the_top() -> None:
    lazy = [
        f"{place(module, imported.line)} imports {imported.module}"
        for module in imports_by_module()
        if not {module, room_of(module)} & DOORS.keys()
        for imported in lazy_imports(module)
    ]
    assert lazy == []


def test_every_door_is_in_use() -> None:
    used = {name for module in imports_by_module() if lazy_imports(module) for name in (module, room_of(module))}
    assert DOORS.keys() - used == set()


def room_of(module: str) -> str:
    """The folder of a module. At the top of `agent/` lie the words that rooms share: each module there is a room."""
    folder = FILES[module].parent.relative_to(ROOT)
    return module if folder == Path("agent") else str(folder)


def home_of(imported: str) -> str | None:
    """The module of ours that an import names; `from package import name` may name a module or something in it."""
    while imported and imported not in FILES:
        imported = imported.rpartition(".")[0]
    return imported or None


@cache
def import_graph() -> dict[str, set[str]]:
    """Which of our modules each of them imports."""
    return {
        module: {home for imported in imports if (home := home_of(imported.module))} - {module}
        for module, imports in imports_by_module().items()
    }


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    found: list[list[str]] = []
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> None:
        if module in path:
            found.append([*path[path.index(module) :], module])
            return
        if module in done:
            return
        for other in sorted(graph.get(module, set()) - {module}):
            visit(other, [*path, module])
        done.add(module)

    for start in sorted(graph):
        visit(start, [])
    return found


def test_a_circle_would_be_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == [["b", "c", "b"]]


@pytest.mark.parametrize("folder", INSIDE_THE_SANDBOX, ids=lambda folder: folder.name)
def test_what_runs_inside_the_sandbox_needs_only_a_python_of_3_9(folder: Path) -> None:
    packages = {module_name(home) for home in INSIDE_THE_SANDBOX}
    foreign = [
        f"{path.name}:{imported.line} imports {imported.module}"
        for path in sorted(folder.glob("*.py"))
        for imported in imports_in(ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9)))
        if not (imported.module.startswith(".") and absolute(imported, path).module.rpartition(".")[0] in packages)
        and imported.module.split(".")[0] not in sys.stdlib_module_names | MAY_BE_THERE
    ]
    assert foreign == []


@pytest.mark.parametrize(
    "module",
    ["afterburner.sandbox", "afterburner.agent", "afterburner.agent.session.session", "afterburner.agent.cli.run"],
)
def test_importing_a_front_door_loads_nothing_heavy(module: str) -> None:
    script = f"import sys, {module}; print(*sorted({HEAVY!r} & {{name.split('.')[0] for name in sys.modules}}))"
    done = run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
