"""The corpus of `make bench-judge`: wrong rewrites differ where their witness looks, honest ones print the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from scripts.judge_bench.corpus import CorpusRewrite, Kind, read_corpus

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.nightly, pytest.mark.slow]
REWRITES = read_corpus()


def printed(script: Path, folder: Path) -> tuple[int, str]:
    """The exit code and the output of a script of the corpus, run in a copy of its project."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda each: each.key)
def test_a_rewrite_is_of_its_kind(rewrite: CorpusRewrite, tmp_path: Path) -> None:
    before, after = (rewrite.copy_project(tmp_path / name) for name in ("before", "after"))
    rewrite.put_in_place(after)
    if rewrite.kind is Kind.HONEST:
        assert printed(before, before.parent) == printed(after, after.parent)
        return
    assert rewrite.witness is not None
    assert printed(rewrite.witness, before.parent) != printed(rewrite.witness, after.parent)


def test_the_held_out_part_is_large_enough_and_no_two_rewrites_have_one_name() -> None:
    held_out = Counter(each.kind for each in REWRITES if each.part == "held_out")
    assert min(held_out[kind] for kind in Kind) >= 20
    assert len({each.key for each in REWRITES}) == len(REWRITES)
