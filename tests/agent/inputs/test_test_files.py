"""Which test files are run for the calls of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.inputs.inside.pytest_calls import MAX_FILES, find_test_files

if TYPE_CHECKING:
    from pathlib import Path


def numbers(folder: Path) -> None:
    """A package whose function no test names: they call it through a table of modules."""
    package, tests = folder / "numbers_in", folder / "tests"
    package.mkdir()
    tests.mkdir()
    languages = [f"lang_{first}{second}" for first in "abv" for second in "abcdefghij"]
    listed = ",\n    ".join(languages)
    (package / "__init__.py").write_text(f"from . import (\n    {listed})\n\ndef words(n, lang): ...\n")
    for name in languages:
        (package / f"{name}.py").write_text("def spelt(n): ...\n")
        test = f"from numbers_in import words\n\ndef test_one():\n    words(1, {name[-2:]!r})\n"
        (tests / f"test_{name[-2:]}.py").write_text(test)
    (tests / "test_nothing.py").write_text("def test_nothing(): ...\n")


def test_tests_that_only_import_what_imports_the_module_are_found_and_the_one_of_its_name_first(tmp_path: Path) -> None:
    numbers(tmp_path)
    assert find_test_files(str(tmp_path), "numbers_in.lang_vi", ["spelt"]) == []
    found = find_test_files(str(tmp_path), "numbers_in.lang_vi", ["spelt"], "alone")
    assert found[:3] == ["tests/test_vi.py", "tests/test_aa.py", "tests/test_ab.py"]
    assert len(found) == MAX_FILES
