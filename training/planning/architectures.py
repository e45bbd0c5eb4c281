"""Finds a model's architecture and counts its parameters without loading weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.training.errors import TrainingError
from afterburner.training.planning.adapter_bases import ADAPTER, find_base, is_folder, may_be_on_hub
from afterburner.training.planning.hub import is_cached, quieten_hub, why_not_on_hub

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterburner.training.config.schema import LoraConfig

# What transformers raises of a configuration that is damaged, or not of a language model.
_UNUSABLE = (
    OSError,
    ValueError,
    ImportError,
    RuntimeError,
    TypeError,
    KeyError,
    AttributeError,
    RecursionError,
    ZeroDivisionError,
)
_LONGEST = 300  # characters of a library's message
EARLIER_STAGE = (
    "If an earlier stage has still to write it, run that one first, or give --model with the model that this stage "
    "starts from."
)
CHECK_MODEL = "Check --model."


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of a Qwen2 decoder, as its `config.json` on the Hugging Face hub gives them."""

    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    vocabulary: int = 151_936
    tied: bool = True  # the head is the transposed embedding


_QWEN_0_5B = Sizes(896, 4_864, 24, 14, 2)
_QWEN_1_5B = Sizes(1_536, 8_960, 28, 12, 2)
_QWEN_3B = Sizes(2_048, 11_008, 36, 16, 2)
_QWEN_7B = Sizes(3_584, 18_944, 28, 28, 4, vocabulary=152_064, tied=False)
# A plan for the paper's models needs no network. The test compares their parameter counts with the model cards'.
KNOWN = {
    f"Qwen/Qwen2.5-{family}{size}{kind}": sizes
    for size, sizes in {"0.5B": _QWEN_0_5B, "1.5B": _QWEN_1_5B, "3B": _QWEN_3B, "7B": _QWEN_7B}.items()
    for family in ("", "Coder-")
    for kind in ("", "-Instruct")
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """A model as the planner sees it.

    Attributes:
        name: where its configuration is from.
        hidden: width of the residual stream.
        intermediate: width of the feed-forward part.
        layers: number of decoder layers.
        heads: attention heads of the queries.
        kv_heads: attention heads of the keys and values.
        head_width: width of one head.
        vocabulary: rows of the embedding.
        parameters: of the model, without an adapter.
        embedding: parameters of the input embedding.
        head: parameters of the output layer if it is not the embedding itself; otherwise 0.
        adapter: parameters of the adapter; 0 without one.
    """

    name: str
    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    vocabulary: int
    parameters: int
    embedding: int
    head: int
    adapter: int

    @property
    def trainable(self) -> int:
        """The parameters that training changes."""
        return self.adapter or self.parameters

    @property
    def frozen(self) -> int:
        """The parameters beneath an adapter."""
        return self.parameters if self.adapter else 0

    @property
    def per_layer(self) -> int:
        """The parameters of one decoder layer."""
        return (self.parameters - self.embedding - self.head) // self.layers

    @property
    def query_width(self) -> int:
        """The width of all heads of the queries."""
        return self.heads * self.head_width

    @property
    def kv_width(self) -> int:
        """The width of all heads of the keys, which is that of the values."""
        return self.kv_heads * self.head_width


def find_architecture(path: str, lora: LoraConfig | None = None, *, advice: str = EARLIER_STAGE) -> Architecture:
    """Build a model on the meta device, where tensors have shapes and no data, and count its parameters.

    Args:
        path: a model's folder, an adapter's folder, or a name on the hub, as `model.path`.
        lora: the adapter to train; None trains all weights.
        advice: the end of the message if there is no model of that name.

    Raises:
        TrainingError: the model is not there, is not a decoder, or has no layers that fit `lora.targets`.
    """
    import torch  # noqa: PLC0415 - heavy
    from transformers import AutoModelForCausalLM  # noqa: PLC0415 - heavy

    config = _find_config(path, advice)
    models: Any = AutoModelForCausalLM
    try:
        with torch.device("meta"):
            model = models.from_config(config, trust_remote_code=False)
    except _UNUSABLE as error:
        raise TrainingError(f"{path} is not a causal language model: {why_unusable(error)}") from error
    parameters, embedding, head = _count(model.parameters()), *_ends(model)
    text = config.get_text_config()
    return Architecture(
        name=path,
        hidden=text.hidden_size,
        intermediate=getattr(text, "intermediate_size", None) or 4 * text.hidden_size,
        layers=text.num_hidden_layers,
        heads=text.num_attention_heads,
        kv_heads=getattr(text, "num_key_value_heads", None) or text.num_attention_heads,
        head_width=getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads,
        vocabulary=text.vocab_size,
        parameters=parameters,
        embedding=embedding,
        head=head,
        adapter=_adapter_parameters(model, lora) if lora else 0,
    )


def _find_config(path: str, advice: str) -> Any:
    """The configuration of transformers: of a folder, of a known model, or of the hub.

    Raises:
        TrainingError: there is none.
    """
    from transformers import AutoConfig, Qwen2Config  # noqa: PLC0415 - heavy

    check_is_there(path, advice)
    if is_folder(path) and (Path(path) / ADAPTER).is_file():
        base = find_base(Path(path))
        if is_folder(base) and (Path(base) / ADAPTER).is_file():
            raise TrainingError(f"The base of the adapter {path} is itself an adapter: {base}. Merge that one first.")
        return _find_config(base, advice)
    if sizes := KNOWN.get(path):
        return Qwen2Config(
            hidden_size=sizes.hidden,
            intermediate_size=sizes.intermediate,
            num_hidden_layers=sizes.layers,
            num_attention_heads=sizes.heads,
            num_key_value_heads=sizes.kv_heads,
            vocab_size=sizes.vocabulary,
            tie_word_embeddings=sizes.tied,
        )
    quieten_hub()
    try:
        return AutoConfig.from_pretrained(path, trust_remote_code=False)
    except _UNUSABLE as error:
        if is_folder(path):
            raise TrainingError(f"The folder {path} holds no model that can be used: {why_unusable(error)}") from error
        why = why_not_on_hub(path, error, advice)
        raise TrainingError(why or f"No model can be loaded from {path}: {why_unusable(error)}") from error


def _ends(model: Any) -> tuple[int, int]:
    """The parameters of the embedding and of the output layer; those that they share count once."""
    embedding, head = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    return embedding.numel(), 0 if head is embedding else head.numel()


def _adapter_parameters(model: Any, lora: LoraConfig) -> int:
    """Add the adapter, and count what it adds.

    Raises:
        TrainingError: no layer is named by `lora.targets`.
    """
    import peft  # noqa: PLC0415 - heavy

    targets = lora.targets if isinstance(lora.targets, str) else list(lora.targets)
    wanted = peft.LoraConfig(r=lora.rank, lora_alpha=lora.alpha, target_modules=targets, task_type="CAUSAL_LM")
    try:
        peft.inject_adapter_in_model(wanted, model)  # freezes the rest
    except ValueError as error:
        raise TrainingError(f"lora.targets do not fit the model: {why_unusable(error)}") from error
    return _count(each for each in model.parameters() if each.requires_grad)


def _count(parameters: Iterable[Any]) -> int:
    return sum(each.numel() for each in parameters)


def is_here(path: str) -> bool:
    """Whether a model's files are on this machine: its path is a folder, or the hub's cache holds it."""
    return is_folder(path) or is_cached(path)


def needs_hub(path: str) -> bool:
    """Whether the hub has to be asked for a model's architecture."""
    return path not in KNOWN and not is_here(path) and may_be_on_hub(path)


def check_is_there(path: str, advice: str = EARLIER_STAGE) -> None:
    """Find out whether what can only be a folder is one: the hub has names such as `gpt2` and `Qwen/Qwen2.5-3B`.

    Raises:
        TrainingError: it is not.
    """
    if not is_folder(path) and not may_be_on_hub(path):
        raise TrainingError(f"There is no folder {path}, which is to hold a model. {advice}")


def why_unusable(error: BaseException) -> str:
    """What a library says of a model that it cannot use, in one line.

    A model with code of its own is refused: such code would run here, outside the sandbox.
    """
    if "trust_remote_code" in str(error):
        return "it needs its own code, which this program does not run. Use a model that transformers supports"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:_LONGEST]}"
