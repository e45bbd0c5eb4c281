"""The page that shows the house in one picture: its floors and rooms, with arrows as the imports have them."""

from __future__ import annotations

import ast
from collections import Counter
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("lsp_server", "ci_action", "training", "evals", "agent", "sandbox")  # the upper ones first
PURPOSES = {
    "sandbox": "runs untrusted programs and measures them",
    "agent": "the loop, the judge, models, the command line",
    "evals": "benchmarks, graders, reports",
    "training": "data sets, reward, SFT, DPO, GRPO",
    "lsp_server": "the loop in the editor",
    "ci_action": "the loop on a pull request",
}
_NAMESPACE = "afterburner."
# Column and row of each in the picture.
_GRID = {
    "training": (0, 0),
    "evals": (0, 1),
    "lsp_server": (1, 1),
    "ci_action": (2, 1),
    "agent": (1, 2),
    "sandbox": (1, 3),
}
_WIDTH, _HEIGHT, _GAP, _ROW = 250, 84, 30, 140
_MARGIN = 20
_BACKGROUND = "var(--md-default-bg-color, none)"  # of the page around


def imports_between_floors() -> Counter[tuple[str, str]]:
    """How many import statements lead from one floor to another."""
    found: Counter[tuple[str, str]] = Counter()
    for floor in FLOORS:
        for path in (ROOT / floor).rglob("*.py"):
            for name in _imported(path):
                target = name.removeprefix(_NAMESPACE).partition(".")[0]
                if name.startswith(_NAMESPACE) and target != floor:
                    found[floor, target] += 1
    return found


def rooms(floor: str) -> list[tuple[str, str, int]]:
    """The packages of a floor, with the first sentence of their docstring and the number of their modules."""
    found = []
    for init in sorted((ROOT / floor).rglob("__init__.py")):
        modules = [path for path in init.parent.glob("*.py") if path != init]
        name = init.parent.relative_to(ROOT).as_posix()
        if name != floor and (modules or (ast.get_docstring(ast.parse(init.read_text("utf-8"))) or "")):
            text = ast.get_docstring(ast.parse(init.read_text("utf-8"))) or ""
            found.append((name, text.strip().partition("\n")[0], len(modules)))
    return found


def architecture_page() -> str:
    """The page, picture included."""
    lines = [
        "# Architecture",
        "",
        (
            "Six floors. Arrows are imports, drawn from the code when this page is made; numbers count the statements. "
            "They point down only, and a test keeps it so."
        ),
        "",
        picture(imports_between_floors()),
        "",
    ]
    for floor in reversed(FLOORS):
        lines += [f"## {floor}", "", f"{PURPOSES[floor][0].upper()}{PURPOSES[floor][1:]}.", ""]
        if found := rooms(floor):
            lines += ["| room | what is in it | modules |", "| --- | --- | --- |"]
            lines += [f"| `{name}` | {_cell(text)} | {count} |" for name, text, count in found]
            lines.append("")
    return "\n".join(lines)


def picture(arrows: Counter[tuple[str, str]]) -> str:
    """An SVG that takes the colours of the page around it."""
    places = _places()
    width = max(x for x, _ in places.values()) + _WIDTH + _MARGIN
    height = max(y for _, y in places.values()) + _HEIGHT + _MARGIN
    parts = [
        (
            f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" style="max-width: 100%; height: auto" '
            'fill="none" stroke="currentColor" font-family="sans-serif">'
        ),
        "<title>The floors of Afterburner Agent and the imports between them</title>",
        (
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" fill="currentColor" stroke="none"/></marker></defs>'
        ),
    ]
    parts += [_arrow(places, begin, end, count) for (begin, end), count in sorted(arrows.items())]
    for floor, (x, y) in places.items():
        modules = len([*(ROOT / floor).rglob("*.py")])
        parts += [
            f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="8" fill="{_BACKGROUND}"/>',
            _text(x, y + 28, floor, 16, bold=True),
            _text(x, y + 50, PURPOSES[floor], 10),
            _text(x, y + 70, f"{modules} modules", 10),
        ]
    return "\n".join([*parts, "</svg>"])


def _places() -> dict[str, tuple[int, int]]:
    return {floor: (_MARGIN + column * (_WIDTH + _GAP), _MARGIN + row * _ROW) for floor, (column, row) in _GRID.items()}


def _arrow(places: dict[str, tuple[int, int]], begin: str, end: str, count: int) -> str:
    """From the lower edge of one floor to the upper edge of the next, or past it to the left side of one below."""
    (x, y), (to_x, to_y) = places[begin], places[end]
    below = y + _HEIGHT
    if _GRID[end][1] - _GRID[begin][1] == 1:
        start, stop = x + _WIDTH // 2, to_x + _WIDTH // 2 + (x - to_x) // 4
        path, label_x, label_y = (
            f"M{start} {below} L{stop} {to_y - 2}",
            (start + stop) // 2 + 8,
            (below + to_y) // 2 + 4,
        )
    else:
        # Two that lead to one floor must not hide one another.
        start, level = x + 30 * (_GRID[end][1] - _GRID[begin][1]), to_y + _HEIGHT // 4 * (_GRID[begin][1] + 1)
        path, label_x, label_y = f"M{start} {below} Q{start} {level} {to_x - 2} {level}", to_x - 90, level - 8
    return (
        f'<path d="{path}" marker-end="url(#tip)" opacity="0.6"/>'
        f'<text x="{label_x}" y="{label_y}" font-size="10" fill="currentColor" stroke="none">{count}</text>'
    )


def _text(x: int, y: int, text: str, size: int, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x + _WIDTH // 2}" y="{y}" font-size="{size}"{weight} text-anchor="middle" fill="currentColor" '
        f'stroke="none">{escape(text)}</text>'
    )


def _imported(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    names = [
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module and not node.level
    ]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return names


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
