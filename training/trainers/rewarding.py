"""The reward as GRPO's trainer asks for it: a function of a batch of answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.types import Objective
from afterburner.training.errors import TrainingError
from afterburner.training.reward.log import RewardLog, summary
from afterburner.training.reward.samples import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from transformers import TrainerState

    from afterburner.training.reward.judge import RewardJudge


@dataclass(slots=True)
class SandboxReward:
    """Judges the answers of a rollout in the sandbox.

    Attributes:
        judge: rewards answers.
        log: a line for each answer.
    """

    judge: RewardJudge
    log: RewardLog
    __name__ = "sandbox"  # by which TRL names it in the metrics

    def __call__(
        self,
        completions: Sequence[list[dict[str, str]]],
        problem_id: Sequence[str],
        objective: Sequence[str],
        original: Sequence[str],
        trainer_state: TrainerState,
        log_metric: Callable[[str, float], object],
        **_: Any,
    ) -> list[float | None]:
        """Reward answers; None: the answer could not be judged, and TRL leaves it out of the group and of the loss.

        Args:
            completions: each a message with the answer's text.
            problem_id: of each answer, as the next two.
            objective: that its prompt names.
            original: the code in its prompt.
            trainer_state: tells how far training is; the weight of efficiency grows with it.
            log_metric: takes figures for the metrics.

        Raises:
            TrainingError: no answer could be judged.
        """
        samples = [
            Sample(problem, Objective(aim), code, messages[0]["content"])
            for problem, aim, code, messages in zip(problem_id, objective, original, completions, strict=True)
        ]
        step = trainer_state.global_step
        progress = step / max(1, trainer_state.max_steps - 1)
        scored = self.judge.score(samples, progress=progress, seed=step)
        self.log.append(step + 1, scored)
        if all(each.terms is None for each in scored):
            raise TrainingError(
                f"At step {step + 1} no answer could be judged: {scored[0].dropped}. Mend the sandbox "
                "(afterburner-agent doctor) and run the same command again: it goes on from the last checkpoint."
            )
        for name, value in summary(scored).items():
            log_metric(f"judged/{name}", value)
        effort = self.judge.effort
        log_metric("reward/time_s", effort.elapsed_s)
        log_metric("reward/runs", effort.runs)
        if effort.runs:
            log_metric("reward/slots_busy", effort.busy_share)
            log_metric("reward/runs_per_s", effort.runs / effort.elapsed_s)
        return [each.terms.total if each.terms is not None else None for each in scored]
