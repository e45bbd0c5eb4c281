"""A stored run, for what is made of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, serving
from shop import CHEAT, FAST, WRONG, Store, answer, write_shop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine


@pytest.fixture(scope="module")
def store(new_program: Callable[[Path], CommandLine], tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A real run in which a model gave a better rewrite, a wrong one, and one that cheats."""
    folder = tmp_path_factory.mktemp("runs")
    project = folder / "shop"
    write_shop(project)
    texts = iter([answer(FAST, "A set."), answer(WRONG, "Less."), answer(CHEAT, "A frame.")])
    program = new_program(folder).untimed()
    with serving(ModelServer(lambda *_: next(texts, ""))) as server:
        done = program(
            *("run", "stock.py", "--function", "common", "--model", "hosted_vllm/m", "--no-cache", "--yes"),
            *("--candidates", "3", "--iterations", "1", "--tell", "paper", "--temperature", "1", "--no-sceptic"),
            folder=project,
            HOSTED_VLLM_API_BASE=server.url,
        )
        assert done.returncode == 0, done.stderr + done.stdout
    (found,) = folder.rglob("runs.sqlite")
    return Store(found.parent, project, server.asked[0])
