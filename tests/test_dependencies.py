"""What our code imports is what pyproject.toml declares: an environment of a developer has more than a user's."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.test_layering import NAMESPACE, imports_by_module

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
# Imported beside the library that is built on it, and that requires it at any time.
COMES_WITH = {
    "h11": "uvicorn",
    "jinja2": "torch",
    "langchain-core": "langgraph",
    "langsmith": "langchain-core",
    "lsprotocol": "pygls",
    "pydantic-core": "pydantic",
    "requests": "docker",
    "safetensors": "transformers",
    "starlette": "fastapi",
    "tokenizers": "transformers",
}


def declared() -> set[str]:
    extras = [text for texts in PROJECT["optional-dependencies"].values() for text in texts]
    return {canonicalize_name(Requirement(text).name) for text in [*PROJECT["dependencies"], *extras]}


def imported() -> dict[str, str]:
    """The distributions that our modules import, each with one of the modules."""
    homes, known, found = packages_distributions(), declared(), {}
    for module, imports in imports_by_module().items():
        for each in imports:
            name = each.module.partition(".")[0]
            if name and name != NAMESPACE and name not in sys.stdlib_module_names:
                names = [canonicalize_name(home) for home in homes.get(name, [name])]  # `langgraph` has several
                found[next((home for home in names if home in known), names[0])] = module
    return found


@pytest.mark.slow
def test_every_library_that_is_imported_is_declared_or_comes_with_one_that_is() -> None:
    known = declared()
    strange = {name: module for name, module in imported().items() if name not in known}
    assert {name: module for name, module in strange.items() if name not in COMES_WITH} == {}
    assert strange.keys() == COMES_WITH.keys(), "nothing is excused that nobody imports"


@pytest.mark.parametrize("name", COMES_WITH)
def test_what_comes_with_another_is_required_by_it(name: str) -> None:
    parent = COMES_WITH[name]
    assert parent in declared() or parent in COMES_WITH
    try:
        required = [Requirement(text) for text in requires(parent) or ()]
    except PackageNotFoundError:
        pytest.skip(f"{parent} is not installed here")
    always = {canonicalize_name(each.name) for each in required if each.marker is None or each.marker.evaluate()}
    assert name in always
