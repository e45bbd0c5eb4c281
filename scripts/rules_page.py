"""Writes docs/rules.md: what each embedded rule does, in the words of its own docstring."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from afterburner.agent.rules import all_rules

PAGE = Path(__file__).parent.parent / "docs" / "rules.md"
HEAD = """\
# The embedded rules

`--model rules` needs no key and no network. The rules propose source-to-source rewrites; only the judge decides, by
running the code. Each rule is tried alone; then those that gained are combined. `make rules-page` writes this page.
"""


def page() -> str:
    """The page as it should be."""
    sections = [f"## {rule.name}\n\n{_as_markdown(inspect.getdoc(rule) or '')}\n" for rule in all_rules()]
    return "\n".join([HEAD, *sections])


def _as_markdown(docstring: str) -> str:
    """Docstrings mark code by `::` and by indentation; Markdown by indentation and an empty line."""
    return docstring.replace("::\n", ":\n").strip()


def main() -> int:
    """Write the page; with --check, only tell whether it is current."""
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if sys.argv[1:] == ["--check"]:
        return 0 if current == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
