"""The models of the miniature and the loops that they run: the main experiment, and the ablations."""

from __future__ import annotations

from dataclasses import dataclass

from afterburner.training.data.settings import Recipe

BASE, SFT, DPO, COLD_START, GRPO = "base", "sft", "dpo", "cold-start", "grpo"
DIRECT, LESS_CORRECTNESS = "direct", "grpo-less-correctness"


@dataclass(frozen=True, slots=True)
class Arm:
    """A model that is trained once for each seed.

    Attributes:
        name: of the model.
        starts_from: the model that it is trained from.
        config: of `training/configs/miniature`.
        data: that it is trained on.
        correctness_weight: of the reward; None: as the configuration says.
    """

    name: str
    starts_from: str
    config: str
    data: Recipe
    correctness_weight: float | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of the agent, run once for each seed on all held-out problems.

    Attributes:
        label: by which reports call it.
        model: that writes the answers.
        tell: what its prompts tell of the best code so far, as `--tell`.
        is_again: whether the same loop was run before.
    """

    label: str
    model: str
    tell: str = "paper"
    is_again: bool = False

    @property
    def folder(self) -> str:
        """The name of its folder."""
        tell = "" if self.tell == "paper" else f"-{self.tell}"
        return f"{self.model}{tell}{'-again' if self.is_again else ''}-loop"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two loops, by their labels, and the level of the interval of their difference."""

    after: str
    before: str
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class Experiment:
    """Models to train, each after the one that it starts from, the loops to run with them, and what is compared."""

    name: str  # of its figure
    title: str
    arms: tuple[Arm, ...]
    loops: tuple[Loop, ...]
    comparisons: tuple[Comparison, ...]


_BOTH = 0.975  # Bonferroni: two intervals that hold together at 95%
MAIN = Experiment(
    "figure-5",
    "Main experiment",
    (
        Arm(SFT, BASE, "sft", Recipe.SFT),
        Arm(DPO, SFT, "dpo", Recipe.DPO),
        Arm(COLD_START, BASE, "cold-start", Recipe.COLD_START),
        Arm(GRPO, COLD_START, "grpo", Recipe.GRPO),
    ),
    (Loop("base", BASE), Loop("SFT", SFT), Loop("DPO", DPO), Loop("cold start", COLD_START), Loop("GRPO", GRPO)),
    (Comparison("GRPO", "cold start"), Comparison("GRPO", "SFT", _BOTH), Comparison("GRPO", "DPO", _BOTH)),
)

# The loops that ablations are compared with, run in the same hours: a machine's speed changes.
_AGAIN = {
    model: Loop(f"{label} again", model, is_again=True) for label, model in (("SFT", SFT), ("DPO", DPO), ("GRPO", GRPO))
}
_TOLD_LESS = tuple(
    Loop(f"{again.label.removesuffix(' again')}, {tell.replace('-', ' ')}", model, tell)
    for model, again in _AGAIN.items()
    for tell in ("no-feedback", "no-original")
)
# Table 2 of the paper, its rebuttal's direct generation, and a smaller weight of correctness than the paper's 0.5.
ABLATIONS = Experiment(
    "ablations",
    "Ablations",
    (
        Arm(DIRECT, BASE, "sft", Recipe.DIRECT),
        Arm(LESS_CORRECTNESS, COLD_START, "grpo", Recipe.GRPO, correctness_weight=0.2),
    ),
    (
        *_AGAIN.values(),
        *_TOLD_LESS,
        Loop("direct SFT", DIRECT),
        Loop("GRPO, correctness 0.2", LESS_CORRECTNESS),
    ),
    (
        *(Comparison(loop.label, _AGAIN[loop.model].label) for loop in _TOLD_LESS),
        Comparison("direct SFT", _AGAIN[SFT].label),
        Comparison("GRPO, correctness 0.2", _AGAIN[GRPO].label),
    ),
)
