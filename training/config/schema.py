"""The fields of a training configuration.

The defaults are those of the field's libraries; `training/configs/paper/` sets what the paper does. A file gives the
fields by these names, nested as here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from afterburner.training.reward.settings import RewardSettings

Count = Annotated[int, Field(ge=1)]
Share = Annotated[FiniteFloat, Field(ge=0, lt=1)]


class Method(StrEnum):
    """How a model is trained: the recipes of section 4 of the paper."""

    SFT = "sft"
    DPO = "dpo"
    COLD_START = "cold-start"
    GRPO = "grpo"


class Section(BaseModel):
    """A part of the file. An unknown key is an error: a misspelt setting must not be ignored for hours."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelConfig(Section):
    """The model that training starts from."""

    path: str = Field(min_length=1)
    """A model's folder, an adapter's folder, or a name on the Hugging Face hub. An adapter is merged first."""
    dtype: Literal["bfloat16", "float32"] = "bfloat16"
    """Of the weights and of the computation."""
    attention: Literal["eager", "sdpa", "flash_attention_2"] = "sdpa"
    """The implementation of attention."""


class LoraConfig(Section):
    """A low-rank adapter. Without this section, all weights are trained."""

    rank: Count = 8
    alpha: Count = 16
    dropout: Share = 0.0
    targets: Literal["all-linear"] | tuple[str, ...] = "all-linear"
    """The layers that get an adapter: all linear ones but the head, or these names."""


class BatchConfig(Section):
    """The batch of one update of the weights; it stays the same on any number of devices."""

    size: Count
    """Examples in one update, over all devices; with GRPO, answers."""
    per_device: Count = 1
    """The most that one device takes at a time; the rest is accumulated."""


class OptimizerConfig(Section):
    """How the weights are updated."""

    name: Literal["adamw_torch", "adamw_torch_fused", "adamw_bnb_8bit", "sgd"] = "adamw_torch"
    learning_rate: Annotated[FiniteFloat, Field(gt=0)]
    schedule: Literal["cosine", "linear", "constant", "constant_with_warmup"] = "cosine"
    warmup_steps: Annotated[int, Field(ge=0)] = 0
    weight_decay: Annotated[FiniteFloat, Field(ge=0)] = 0.0
    gradient_clip: Annotated[FiniteFloat, Field(gt=0)] = 1.0
    """The largest norm of the gradient."""


class DpoConfig(Section):
    """What DPO needs beside."""

    beta: Annotated[FiniteFloat, Field(gt=0)] = 0.1
    largest_fall_nats: Annotated[FiniteFloat, Field(gt=0)] | None = None
    """Stop when the mean log-probability of the chosen answers is this far below the reference's: from there on, a
    model usually forgets how to answer at all."""


class VllmConfig(Section):
    """vLLM for rollouts. Without this section, transformers generates them."""

    mode: Literal["colocate", "server"] = "colocate"
    """colocate: in the training processes, sharing their GPUs; server: `trl vllm-serve` on other GPUs."""
    server: str = "http://127.0.0.1:8000"
    gpu_memory_share: Annotated[FiniteFloat, Field(gt=0, le=1)] = 0.3
    """Of each GPU, colocated."""
    tensor_parallel: Count = 1
    correct_mismatch: bool = False
    """Weight each token by the ratio of the trainer's probability to vLLM's, at most 3. The paper does not."""


class GrpoConfig(Section):
    """What GRPO needs beside. `batch.size` counts answers."""

    benchmark: str = ""
    """The benchmark of `eval build` whose tests judge answers; empty: the one that the data's card names."""
    split: str = "train"
    """The split of the benchmark that the prompts are from."""
    rollouts: Annotated[int, Field(ge=2)] = 16
    """Answers to each prompt."""
    prompts: Count = 32
    """Prompts that are answered before the weights are updated."""
    temperature: Annotated[FiniteFloat, Field(gt=0, le=2)] = 1.0
    clip: Annotated[FiniteFloat, Field(gt=0, lt=1)] = 0.2
    """The ratio of probabilities is clipped to [1 - clip, 1 + clip]."""
    prompt_tokens: Count = 2048
    """The most; longer prompts are left out and counted."""
    answer_tokens: Count = 8192
    """The most; the answer is cut there."""
    learn_from_cut: bool = True
    """Whether answers that were cut count, as in the paper; otherwise they are left out of the loss."""
    vllm: VllmConfig | None = None


class TrainConfig(Section):
    """A whole training run."""

    method: Method
    model: ModelConfig
    data: str = ""
    """The folder of a data set of `train data` or `train collect`; `--data` takes precedence."""
    lora: LoraConfig | None = None
    batch: BatchConfig
    optimizer: OptimizerConfig
    epochs: Annotated[FiniteFloat, Field(gt=0)] = 1.0
    steps: Count | None = None
    """Updates of the weights; if given, it takes the place of `epochs`."""
    max_tokens: Count = 4096
    """The most of a prompt with its answer; longer examples are left out and counted. Not for GRPO."""
    gradient_checkpointing: bool = True
    """Compute activations twice to save memory."""
    sharding: Literal["none", "zero3", "fsdp"] = "none"
    """How `accelerate launch` divides the weights among devices; a run that is launched otherwise is refused."""
    checkpoint_every: Count = 50
    """Steps between checkpoints."""
    checkpoints_kept: Annotated[int, Field(ge=2)] = 2
    """With one, a kill at the wrong moment would leave none."""
    log_every: Count = 1
    """Steps between lines of the metrics."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    dpo: DpoConfig = DpoConfig()
    grpo: GrpoConfig = GrpoConfig()
    reward: RewardSettings = RewardSettings()

    @model_validator(mode="after")
    def _sections_fit_the_method(self) -> TrainConfig:
        """Refuse sections of another method, which would be ignored.

        Raises:
            ValueError: there is one; pydantic adds where.
        """
        allowed = {Method.DPO: {"dpo"}, Method.GRPO: {"grpo", "reward"}}.get(self.method, set())
        if strange := sorted({"dpo", "grpo", "reward"} & self.model_fields_set - allowed):
            raise ValueError(f"the section {strange[0]} has no effect with the method {self.method.value}; remove it")
        return self
