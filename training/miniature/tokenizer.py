"""The tokenizer of the miniature: Qwen's marks and chat template, and a byte-level BPE made of the prompts themselves.

Prose that many prompts share becomes one token per paragraph, or per line where a paragraph varies, so the instructions
cost a small model next to nothing. Everything else is byte-level BPE, so any text can be decoded exactly. There, no
token spans lines, and each digit is a token of its own: a line of code has the same tokens wherever it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import PreTrainedTokenizerFast

    from afterburner.training.data.prompts import Messages

PAD, START, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_PIECE = r"\d|[^\d\n]*\n|[^\d\n]+"
_BLOCK = re.compile(r"(?<=```python\n).*?(?=```)", re.DOTALL)
_PARAGRAPH = re.compile(r"(?:.+(?:\n|$))+\n*")
_LEAST_CHARACTERS = 3  # of prose that is a token
_ROLES = ("system\n", "user\n", "assistant\n")
_LEAST_SHARE = 0.01  # of the conversations, that a line of prose is in


def train_tokenizer(conversations: Sequence[Messages], vocabulary: int = 512) -> PreTrainedTokenizerFast:
    """Train a tokenizer on prompts with answers.

    Args:
        conversations: the messages of each.
        vocabulary: tokens of BPE, bytes among them; lines of prose and the marks come on top.

    Raises:
        TrainingError: there are no conversations, or the vocabulary has no room for all bytes.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415 - heavy
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415 - heavy

    alphabet = pre_tokenizers.ByteLevel.alphabet()
    if not conversations or vocabulary < len(alphabet):
        raise TrainingError(
            f"Cannot train a tokenizer of {vocabulary} tokens on {len(conversations)} conversations. Give at least one "
            f"conversation, and at least {len(alphabet)} tokens: one for each byte."
        )
    texts = [message["content"] for messages in conversations for message in messages]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECE), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, initial_alphabet=sorted(alphabet), show_progress=False)
    tokenizer.train_from_iterator(_code_and_figures(texts), trainer)
    tokenizer.add_special_tokens([PAD, START, END])
    prose = _constant_prose(texts, len(conversations))
    tokenizer.add_tokens([AddedToken(line, normalized=False) for line in (*_ROLES, *prose)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=[START],
        chat_template=TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def _code_and_figures(texts: Sequence[str]) -> list[str]:
    figures = [line for text in texts for line in _BLOCK.sub("", text).splitlines(keepends=True) if _has_digit(line)]
    return [*figures, *(code for text in texts for code in _BLOCK.findall(text))]


def _has_digit(line: str) -> bool:
    return re.search(r"\d", line) is not None


def _constant_prose(texts: Sequence[str], conversations: int) -> list[str]:
    """Paragraphs and lines that many conversations have, with their ends; of code, none but the answer's example."""
    counts: Counter[str] = Counter()
    for text in texts:
        paragraphs = _PARAGRAPH.findall(text)
        lines = _BLOCK.sub("", text).splitlines(keepends=True)
        counts.update({part for part in (*paragraphs, *lines) if len(part) >= _LEAST_CHARACTERS})
    least = _LEAST_SHARE * conversations
    return sorted(part for part, count in counts.items() if count >= least and not _has_digit(part))
