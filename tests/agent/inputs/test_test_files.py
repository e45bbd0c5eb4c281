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


def test_files_of_doctests_that_mention_the_module_are_tests_of_it(tmp_path: Path) -> None:
    texts = {
        "docs/prices.doctest": ">>> from shop import prices\n",
        "tests/test_prices.txt": ">>> from shop import prices\n",
        "tests/test_prices.py": "from shop import prices\n",
        "tests/test_taxes.py": "# How prices are made does not matter.\nfrom shop import taxes  # and no prices\n",
        "tests/test_notes.txt": "What the tests of prices leave out.\n",
        "docs/prices.rst": ">>> from shop import prices\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = find_test_files(str(tmp_path), "shop.prices", ["total"])
    assert found == ["docs/prices.doctest", "tests/test_prices.py", "tests/test_prices.txt"]
