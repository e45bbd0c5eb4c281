"""How many bytes a training step keeps for its backward pass.

The method is that of Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models" (2022),
section 4: add up the tensors that the backward pass of each operation needs. Their sums are for GPT; these are for the
code of transformers for Qwen2 (RMSNorm in float32, grouped queries, SwiGLU), which is that of Llama and Mistral too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.planning.architectures import Architecture

FLOAT32 = 4
_HEAD_TOKENS, _HEAD_COLUMNS = 4_096, 32_768  # the tile of trl.kernels.chunked_logprob: no trainer builds all logits
_HEAD_CPU_BYTES = 33  # for each element of the tile: without Triton, eight float32 copies and a mask live at once

_MASK_CPU_BYTES, _MASK_GPU_BYTES = FLOAT32, 1  # what dropout keeps of each number: factors, or whether it was dropped


@dataclass(frozen=True, slots=True)
class Precision:
    """Bytes of one number.

    Attributes:
        computed: of what matrix products take and give.
        residual: of the residual stream. Autocast leaves it in the weights' type, which is float32 when all weights are
            trained on one device; DeepSpeed and FSDP cast the weights themselves.
    """

    computed: int
    residual: int


@dataclass(frozen=True, slots=True)
class Batch:
    """What one device computes at a time."""

    sequences: int
    tokens_each: int

    @property
    def tokens(self) -> int:
        """Of all sequences, padded."""
        return self.sequences * self.tokens_each


def precision_of(config: TrainConfig) -> Precision:
    """The precision of a run, as the trainers load and train its model."""
    computed = 2 if config.model.dtype == "bfloat16" else FLOAT32
    is_autocast = config.lora is None and config.sharding == "none"
    return Precision(computed, FLOAT32 if is_autocast else computed)


def layer_bytes(model: Architecture, config: TrainConfig, batch: Batch, *, on_cpu: bool) -> int:
    """What one decoder layer keeps for its backward pass."""
    precision = precision_of(config)
    keys = model.query_width if _is_padded(config, batch) else model.kv_width
    norms = 2 * FLOAT32 * model.hidden
    attention = precision.computed * 2 * (model.query_width + keys) + FLOAT32 * model.heads
    if config.model.attention == "eager":
        attention += (FLOAT32 + precision.computed) * model.heads * batch.tokens_each
    feed_forward = precision.computed * 3 * model.intermediate
    return batch.tokens * (norms + attention + feed_forward + _inputs(model, config, precision, on_cpu=on_cpu))


def _inputs(model: Architecture, config: TrainConfig, precision: Precision, *, on_cpu: bool) -> int:
    """The inputs of the linear layers that are trained, for each token."""
    last = model.intermediate  # of the product of gate and up; the attention's own output is counted there
    if config.lora is None:
        casts = 0 if precision.residual == precision.computed else precision.computed
        return 2 * model.hidden * (precision.residual + casts) + precision.computed * last
    if precision.computed == FLOAT32:
        return FLOAT32 * (2 * model.hidden + last)
    # PEFT casts the input to the adapter's float32, and autocast back: a copy for each of the seven layers.
    width = 5 * model.hidden + model.query_width + last
    mask = 0 if not config.lora.dropout else _MASK_CPU_BYTES if on_cpu else _MASK_GPU_BYTES
    return width * (precision.computed + mask)


def backward_bytes(model: Architecture, config: TrainConfig, batch: Batch) -> int:
    """The gradients that live at once in the backward pass of a layer."""
    precision = precision_of(config)
    gradients = batch.tokens * (3 * precision.computed * model.intermediate + 2 * FLOAT32 * model.hidden)
    weight = 0 if config.lora else model.intermediate * model.hidden * (precision.computed + FLOAT32)
    return gradients + weight


def head_bytes(model: Architecture, config: TrainConfig, batch: Batch, *, on_cpu: bool) -> int:
    """What the ends of the model take: embedding, last norm, and log-probabilities, computed tile by tile."""
    precision = precision_of(config)
    ends = batch.tokens * model.hidden * (2 * precision.residual + 3 * FLOAT32)
    tile = min(batch.tokens, _HEAD_TOKENS) * min(model.vocabulary, _HEAD_COLUMNS)
    gradient = 0 if config.lora else FLOAT32 * model.vocabulary * model.hidden
    return ends + tile * (precision.computed + (_HEAD_CPU_BYTES if on_cpu else 0)) + gradient


def mask_bytes(config: TrainConfig, batch: Batch) -> int:
    """The attention mask: sequences of unequal length are padded, and `sdpa` then takes one for each pair of tokens."""
    if not _is_padded(config, batch):
        return 0
    return batch.sequences * batch.tokens_each**2 * (1 + precision_of(config).computed)


def checkpoint_bytes(model: Architecture, config: TrainConfig, batch: Batch) -> int:
    """The inputs of all layers, which are all that gradient checkpointing keeps."""
    return model.layers * batch.tokens * model.hidden * precision_of(config).residual


def _is_padded(config: TrainConfig, batch: Batch) -> bool:
    return batch.sequences > 1 and config.model.attention != "flash_attention_2"
