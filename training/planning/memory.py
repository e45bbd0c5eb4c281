"""Predicts the peak memory of one device, term by term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.training.config.schema import Method
from afterburner.training.planning.activations import (
    FLOAT32,
    Batch,
    backward_bytes,
    checkpoint_bytes,
    head_bytes,
    layer_bytes,
    mask_bytes,
    precision_of,
)
from afterburner.training.planning.hardware import GIB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.training.config.batches import BatchPlan
    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.planning.architectures import Architecture
    from afterburner.training.planning.hardware import Hardware

STEP, ROLLOUT = "forward and backward", "rollout"  # phases, beside the update
# What is there without a model: PyTorch's libraries in a process (measured), or the context of CUDA, cuBLAS and NCCL
# (without NCCL, 0.75 to 0.81 GiB on an H100).
_PROGRAM_GIB = {"cpu": 0.85, "gpu": 1.5}
# DeepSpeed's defaults, in numbers: stage3_max_live_parameters and reduce_bucket_size, also how much of the optimizer it
# updates at a time (sub_group_size).
_ZERO_LIVE, _ZERO_BUCKET, _ZERO_GROUP = 1_000_000_000, 500_000_000, 1_000_000_000


@dataclass(frozen=True, slots=True)
class Term:
    """A part of the memory, in bytes."""

    name: str
    size_bytes: float

    @property
    def gib(self) -> float:
        """The same in GiB."""
        return self.size_bytes / GIB


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of one device.

    Attributes:
        standing: what is held all the time.
        phases: what a step holds beside it; only one phase is active at a time.
    """

    standing: tuple[Term, ...]
    phases: dict[str, tuple[Term, ...]]

    @property
    def largest_phase(self) -> str:
        """The phase in which the peak is."""
        return max(self.phases, key=lambda name: sum(each.size_bytes for each in self.phases[name]))

    @property
    def peak_gib(self) -> float:
        """The predicted peak."""
        terms = (*self.standing, *self.phases[self.largest_phase])
        return sum(each.gib for each in terms)


def predict_memory(config: TrainConfig, model: Architecture, batches: BatchPlan, hardware: Hardware) -> Memory:
    """Predict the peak memory of one device.

    Where the trainers and their libraries hold what: `trainers/models.py` trains all weights in float32, and an adapter
    in float32 on frozen weights in `model.dtype`. Sharding divides as in Rajbhandari et al., "ZeRO" (2020), section 3.
    """
    batch = batch_of(config, batches)
    phases = {
        STEP: tuple(_step(config, model, batch, hardware)),
        "update": tuple(_update(config, model, hardware)),
    }
    if config.method is Method.GRPO and config.grpo.vllm is None:
        phases[ROLLOUT] = tuple(_rollout(config, model, hardware))
    return Memory(tuple(_standing(config, model, hardware)), phases)


def batch_of(config: TrainConfig, batches: BatchPlan) -> Batch:
    """What one device computes at a time; DPO has a chosen and a rejected answer for each example."""
    if config.method is Method.GRPO:
        return Batch(batches.per_device, config.grpo.prompt_tokens + config.grpo.answer_tokens)
    return Batch(batches.per_device * (2 if config.method is Method.DPO else 1), config.max_tokens)


def optimizer_bytes(config: TrainConfig, model: Architecture) -> float:
    """The states of the optimizer, over all devices."""
    match config.optimizer.name:
        case "sgd":
            return 0.0
        case "adamw_bnb_8bit":  # transformers keeps those of the embedding in float32; blocks of 256 share a scale
            embedding = 0 if config.lora else model.embedding
            return 2 * FLOAT32 * embedding + (2 + 2 * FLOAT32 / 256) * (model.trainable - embedding)
        case _:
            return 2 * FLOAT32 * model.trainable


def _shards(config: TrainConfig, hardware: Hardware) -> int:
    return 1 if config.sharding == "none" else hardware.devices


def _standing(config: TrainConfig, model: Architecture, hardware: Hardware) -> Iterator[Term]:
    computed, shards = precision_of(config).computed, _shards(config, hardware)
    stored = computed if config.sharding == "zero3" else FLOAT32  # DeepSpeed has a float32 copy beside, below
    weights = computed * model.frozen + stored * model.trainable
    yield Term("program", _PROGRAM_GIB[hardware.kind] * GIB)
    yield Term("weights", weights / shards)
    yield Term("gradients", stored * model.trainable / shards)
    if shards < hardware.devices:  # torch.nn.parallel.DistributedDataParallel copies them into buckets that it sends
        yield Term("gradients in exchange", FLOAT32 * model.trainable)
    yield Term("optimizer states", optimizer_bytes(config, model) / shards)
    if stored != FLOAT32:
        yield Term("float32 copy of the weights", FLOAT32 * model.trainable / shards)
    if config.method is Method.DPO and config.lora is None:
        yield Term("reference model", weights / shards)
    if config.grpo.vllm is not None and config.grpo.vllm.mode == "colocate":
        yield Term("vLLM", config.grpo.vllm.gpu_memory_share * hardware.memory_gib * GIB)


def _step(config: TrainConfig, model: Architecture, batch: Batch, hardware: Hardware) -> Iterator[Term]:
    """The forward and backward pass; what is largest in either counts."""
    on_cpu = hardware.kind == "cpu"
    layer = layer_bytes(model, config, batch, on_cpu=on_cpu)
    copies = _autocast_copies(config, model)
    if config.gradient_checkpointing:
        recomputed = layer + backward_bytes(model, config, batch)
        yield Term("inputs of the layers", checkpoint_bytes(model, config, batch))
        if copies > recomputed:  # the copies are gone when the first layer is recomputed
            yield Term("bfloat16 copies of the weights", copies)
        else:
            yield Term("one layer, recomputed", recomputed)
    else:
        yield Term("activations of all layers", model.layers * layer)
        yield Term("gradients of one layer's activations", backward_bytes(model, config, batch))
        if copies:
            yield Term("bfloat16 copies of the weights", copies)
    yield Term("embedding and log-probabilities", head_bytes(model, config, batch, on_cpu=on_cpu))
    if mask := mask_bytes(config, batch):
        yield Term("attention mask", mask)
    if gathered := _gathered(config, model):
        yield Term("gathered weights", gathered)


def _autocast_copies(config: TrainConfig, model: Architecture) -> int:
    """Autocast keeps each float32 weight's bfloat16 copy until the forward pass ends."""
    is_autocast = config.lora is None and config.sharding == "none" and config.model.dtype == "bfloat16"
    return 2 * model.layers * model.per_layer if is_autocast else 0


def _gathered(config: TrainConfig, model: Architecture) -> int:
    """The weights of other devices that one needs at the moment, and the gradients that it sends."""
    computed = precision_of(config).computed
    match config.sharding:
        case "zero3":
            return computed * (min(model.parameters, _ZERO_LIVE) + min(model.parameters, _ZERO_BUCKET))
        case "fsdp":  # a layer, the next one, and the first one's gradients; the ends are a unit of their own
            return computed * (3 * model.per_layer + 2 * (model.embedding + model.head))
        case _:
            return 0


def _update(config: TrainConfig, model: Architecture, hardware: Hardware) -> Iterator[Term]:
    share = model.trainable / _shards(config, hardware)
    if config.sharding == "zero3":
        share = min(share, _ZERO_GROUP)
        yield Term("float32 gradients of one group", FLOAT32 * share)
    if config.optimizer.name == "adamw_torch":  # on GPUs PyTorch takes all tensors at once, on CPUs one after the other
        at_once = share if hardware.kind == "gpu" else min(share, model.embedding)
        yield Term("temporary tensors of the optimizer", FLOAT32 * at_once)


def _rollout(config: TrainConfig, model: Architecture, hardware: Hardware) -> Iterator[Term]:
    """Generation by transformers: TRL has all answers of a device generated at once."""
    computed, grpo = precision_of(config).computed, config.grpo
    tokens = grpo.prompts * grpo.rollouts // hardware.devices * (grpo.prompt_tokens + grpo.answer_tokens)
    yield Term("cache of keys and values", 2 * computed * tokens * model.kv_width * model.layers)
    yield Term("keys and values of one layer, extended", 2 * computed * tokens * (model.kv_width + model.query_width))
    if copies := _autocast_copies(config, model):
        yield Term("bfloat16 copies of the weights", copies)
    if config.sharding != "none":
        yield Term("gathered weights", computed * model.parameters)
