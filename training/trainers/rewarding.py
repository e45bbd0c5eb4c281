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

_MOST_UNJUDGED = 3
_SEEDS_APART = 1_000_000  # more than a run has steps


@dataclass(slots=True)
class SandboxReward:
    """Judges the answers of a rollout in the sandbox.

    Attributes:
        judge: rewards answers.
        log: a line for each answer.
        seed: of the run.
        updates_per_rollout: the last rollout is as many steps before the end.
        processes: how many train together; each judges its own answers.
        sharing: how many of these share the slots of `judge`: those on this machine, or all with a service.
    """

    judge: RewardJudge
    log: RewardLog
    seed: int = 0
    updates_per_rollout: int = 1
    processes: int = 1
    sharing: int = 1
    _unjudged: int = 0  # rollouts in a row of which no answer could be judged
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
            TrainingError: no answer of several rollouts in a row could be judged.
        """
        samples = [
            Sample(problem, Objective(aim), code, messages[0]["content"])
            for problem, aim, code, messages in zip(problem_id, objective, original, completions, strict=True)
        ]
        step = trainer_state.global_step
        progress = step / max(1, trainer_state.max_steps - self.updates_per_rollout)
        scored = self.judge.score(samples, progress=progress, seed=self.seed * _SEEDS_APART + step)
        self.log.append(step + 1, scored)
        self._unjudged = self._unjudged + 1 if all(each.terms is None for each in scored) else 0
        if self._unjudged == _MOST_UNJUDGED:
            raise TrainingError(
                f"None of the answers of {_MOST_UNJUDGED} rollouts in a row could be judged: {scored[0].dropped}. Mend "
                "the sandbox (afterburner-agent doctor) and run the same command again."
            )
        for name, value in summary(scored).items():
            log_metric(f"judged/{name}", value)
        effort = self.judge.effort
        log_metric("reward/time_s", effort.elapsed_s)
        # TRL takes the mean over all processes, and these are sums over them.
        log_metric("reward/runs", self.processes * effort.runs)
        if effort.runs:
            log_metric("reward/slots_busy", self.sharing * effort.held_s / (effort.elapsed_s * effort.slots))
            log_metric("reward/runs_per_s", self.processes * effort.runs / effort.elapsed_s)
        return [each.terms.total if each.terms is not None else None for each in scored]
