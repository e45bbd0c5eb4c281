"""What takes long to make, made once for all workers of a test run: a stored run, for what is made of runs."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, serving
from shop import CHEAT, FAST, WRONG, Store, answer, write_shop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine

MADE = "made"


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """Give a folder of this name that one worker fills; the others wait for it. It is not to be changed."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def made(name: str, fill: Callable[[Path], object]) -> Path:
        folder = shared / name
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / MADE).exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a worker that failed
                folder.mkdir()
                fill(folder)
                (folder / MADE).touch()
        return folder

    return made


@pytest.fixture(scope="session")
def store_run(
    new_program: Callable[[Path], CommandLine], made_once: Callable[[str, Callable[[Path], object]], Path]
) -> Callable[[str], Store]:
    """Give a real run in which a model gave a better rewrite, a wrong one, and one that cheats, by what it was told."""

    def fill(folder: Path, tell: str) -> None:
        write_shop(folder / "shop")
        texts = iter([answer(FAST, "A set."), answer(WRONG, "Less."), answer(CHEAT, "A frame.")])
        program = new_program(folder).untimed()
        with serving(ModelServer(lambda *_: next(texts, ""))) as server:
            done = program(
                *("run", "stock.py", "--function", "common", "--model", "hosted_vllm/m", "--no-cache", "--yes"),
                *("--candidates", "3", "--iterations", "1", "--tell", tell, "--temperature", "1", "--no-sceptic"),
                folder=folder / "shop",
                HOSTED_VLLM_API_BASE=server.url,
            )
        assert done.returncode == 0, done.stderr + done.stdout
        (folder / "sent.json").write_text(json.dumps(server.asked[0].body["messages"]))

    def stored(tell: str) -> Store:
        folder = made_once(f"stored-run-{tell}", lambda folder: fill(folder, tell))
        (found,) = folder.rglob("runs.sqlite")
        return Store(found.parent, folder / "shop", json.loads((folder / "sent.json").read_text()))

    return stored


@pytest.fixture(scope="session")
def store(store_run: Callable[[str], Store]) -> Store:
    """Such a run with the paper's prompt."""
    return store_run("paper")
