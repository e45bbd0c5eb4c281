"""The paper's numbers, held against its text and that of the rebuttal."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from afterburner.evals.report import paper_numbers as paper
from afterburner.evals.report import rebuttal_numbers as rebuttal
from afterburner.evals.report.measures import BEYOND_I, MEASURES, PASSING, Score
from afterburner.evals.report.paper_models import paper_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def printed(score: Score) -> str:
    return f"{score.value:.2f}" if score.low is None else f"{score.value:.2f} ({score.low:.2f}, {score.high:.2f})"


def run_together(values: Iterable[float]) -> re.Pattern[str]:
    """How a row of the rebuttal's tables looks in its text: number after number, with as many zeros as it likes."""
    return re.compile("".join(re.escape(f"{each:.2f}".rstrip("0").rstrip(".")) + r"(\.?0*)" for each in values))


def test_the_tables_of_the_paper_are_as_printed(paper_folder: Path) -> None:
    text = (paper_folder / "paper.txt").read_text("utf-8")
    for row in (*paper.TABLE_1.values(), *paper.TABLE_9.values()):
        assert " | ".join(printed(row[each]) for each in MEASURES) in text
    for shares in paper.TABLE_3.values():
        assert " | ".join(f"{each:.2f}" for each in shares) in text
        assert all(sum(shares[at : at + 4]) == pytest.approx(100, abs=0.7) for at in (0, 4, 8))
    for kinds in paper.TABLE_2.values():
        whole = kinds["paper"]
        assert " | ".join(printed(whole[each]) for each in MEASURES) in text
        for kind in ("no-feedback", "no-original"):
            cells = ((kinds[kind][each].value, whole[each].value) for each in MEASURES)
            assert " | ".join(f"{value:.2f} ({value - base:+.2f})" for value, base in cells) in text


def test_the_tables_of_the_rebuttal_are_as_printed(paper_folder: Path) -> None:
    text = (paper_folder / "reviews-and-rebuttal.txt").read_text("utf-8")
    curves: list[Mapping[object, Mapping[int, float]]] = [
        *rebuttal.WITH_HISTORY.values(),
        *rebuttal.WITHOUT_HISTORY.values(),
        *rebuttal.VANILLA.values(),
        *rebuttal.BENCHMARKS.values(),
        rebuttal.STARTS,
        rebuttal.LONG_STARTS,
        rebuttal.PUBLIC_CURVES,
        rebuttal.PRIVATE_CURVES,
        rebuttal.SFT_CURVES,
    ]
    series = list(chain.from_iterable(each.values() for each in curves))
    assert len(series) == 50
    for each in series:
        assert run_together(each.values()).search(text), each
    for (_, measure), levels in rebuttal.LEVELS.items():
        assert f"({measure.value}){''.join(map(str, levels.values()))}" in text
    for name in ("passed", "time_s", "mean_time_s", "memory_gib", "mean_memory_gib"):
        assert run_together(getattr(each, name) for each in rebuttal.GAINS.values()).search(text), name
    for measure, r in rebuttal.PEARSON_R.items():
        assert f"{measure.value.removesuffix('@1')}: {r:.4f}" in text


def test_the_numbers_agree_with_one_another() -> None:
    last = rebuttal.PUBLIC_CURVES
    table_1 = paper.TABLE_1[paper.GRPO]
    assert all(last[each][10] == table_1[each].value for each in MEASURES)
    assert rebuttal.WITHOUT_HISTORY[paper.GRPO][BEYOND_I][7] == last[BEYOND_I][7]
    assert paper.TABLE_2[paper.GRPO]["paper"][PASSING].value == last[PASSING][paper.ABLATION_ITERATION]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("hosted_vllm/Qwen/Qwen2.5-3B-Instruct", paper.QWEN_3B),
        ("vllm:/models/Qwen2.5-3B", paper.QWEN_3B),
        ("openai/Qwen/Qwen2.5-Coder-7B-Instruct", paper.QWEN_CODER_7B),
        ("openai/gpt-4o-2024-08-06", paper.GPT_4O),
        ("anthropic/claude-3-7-sonnet-20250219", paper.SONNET),
        ("openai/o4-mini", paper.O4_MINI),
        ("vllm:out/afterburner-3b-grpo", paper.GRPO),
        ("openai/gpt-4o-mini", ""),
        ("openai/Qwen/Qwen2.5-Coder-3B-Instruct", ""),
        ("vllm:out/afterburner-7b-grpo", ""),
        ("rules", ""),
        ("", ""),
    ],
)
def test_a_model_has_the_papers_numbers_only_if_the_paper_has_it(model: str, name: str) -> None:
    assert paper_model(model) == name
