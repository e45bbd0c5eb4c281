"""Which model of the paper a run's model is, by its name."""

from __future__ import annotations

import re

from afterburner.evals.report.paper_numbers import (
    DEEPSEEK,
    DPO,
    GPT_4O,
    GRPO,
    HAIKU,
    LLAMA,
    O4_MINI,
    QWEN_3B,
    QWEN_7B,
    QWEN_CODER_7B,
    QWQ,
    SFT,
    SONNET,
)

TRAINED = (SFT, DPO, GRPO)
_DATED = r"(-\d{8}|-\d{4}-\d{2}-\d{2}|-\d{4})?"  # "-20241022": the day of a release
_NAMES = {
    r"qwen-?2-5-3b(-instruct)?": QWEN_3B,
    r"qwen-?2-5-coder-7b(-instruct)?": QWEN_CODER_7B,
    r"qwen-?2-5-7b(-instruct)?": QWEN_7B,
    r"llama-?4-scout(-17b-16e)?(-instruct)?": LLAMA,
    r"deepseek-v3": DEEPSEEK,
    r"qwq-32b": QWQ,
    r"gpt-4o": GPT_4O,
    r"claude-3-5-haiku(-latest)?": HAIKU,
    r"claude-3-7-sonnet(-latest)?": SONNET,
    r"o4-mini": O4_MINI,
    r"afterburner(-3b)?-sft(-3b)?": SFT,
    r"afterburner(-3b)?-dpo(-3b)?": DPO,
    r"afterburner(-3b)?-grpo(-3b)?": GRPO,
}
PAPER_MODELS = tuple(_NAMES.values())


def paper_model(model: str) -> str:
    """The paper's name of a model; empty: the paper has no such one.

    Args:
        model: as `--model` takes it: `openai/gpt-4o`, `vllm:models/afterburner-grpo`. The last part of the path
            counts: a model that was tuned by us belongs into a folder that says by which method.
    """
    last = re.split(r"[/]", model.lower().rstrip("/"))[-1].split("vllm:")[-1]
    name = re.sub(r"[^a-z0-9]+", "-", last).strip("-")
    return next((found for pattern, found in _NAMES.items() if re.fullmatch(pattern + _DATED, name)), "")
