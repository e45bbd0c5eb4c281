"""How large the miniature is: what its protocol fixes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from afterburner.training.miniature.base import BaseSettings


@dataclass(frozen=True, slots=True)
class Size:
    """What is made, and how much of it.

    Attributes:
        train_problems: that SFT, DPO, cold start and GRPO train on.
        test_problems: held out; the loop runs on them.
        train_solutions: of each problem to train on, chosen among its 27, that are measured.
        test_solutions: likewise of a held-out one.
        split_seed: of the choice of problems.
        base: the base model.
        all_orders: whether the base model sees every problem that is not held out, or those to train on alone.
        samples: answers of the base model to each prompt, for the cold start.
        seeds: of post-training and evaluation.
        iterations: of the loop, after the first code.
        steps: of each method; None: as its configuration says.
        batch: of all methods but GRPO; None: likewise.
        rollout: of GRPO, prompts and answers to each; None: likewise.
    """

    train_problems: int = 40
    test_problems: int = 12
    train_solutions: int = 10
    test_solutions: int = 27
    split_seed: int = 4
    base: BaseSettings = field(default_factory=BaseSettings)
    all_orders: bool = True
    samples: int = 2
    seeds: int = 5
    iterations: int = 10
    steps: int | None = None
    batch: int | None = None
    rollout: tuple[int, int] | None = None


FULL = Size()
# The same protocol with ten times the parameters, for a GPU.
LARGE = replace(
    FULL, base=BaseSettings(hidden=256, feed_forward=768, layers=6, heads=8, steps=4000, batch=64, learning_rate=1e-3)
)
# The same path in about 3 minutes of CPU time: its base model knows two problems by heart; its figures mean nothing.
SMOKE = Size(
    train_problems=2,
    test_problems=1,
    train_solutions=4,
    test_solutions=4,
    split_seed=4,
    base=BaseSettings(hidden=64, feed_forward=128, layers=2, steps=200, batch=8, learning_rate=1e-2),
    all_orders=False,
    samples=2,
    seeds=1,
    iterations=1,
    steps=2,
    batch=4,
    rollout=(2, 4),
)
