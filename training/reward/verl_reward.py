"""The reward as verl takes it: a function that scores a whole batch.

    custom_reward_function.path=…/training/reward/verl_reward.py
    custom_reward_function.name=compute_score
    reward_model.reward_manager=batch
    +custom_reward_function.reward_kwargs.benchmark=BENCHMARK
    +custom_reward_function.reward_kwargs.calls=TOTAL          of training batches
    +custom_reward_function.reward_kwargs.log=rewards.jsonl    a run that is resumed goes on from it
    +custom_reward_function.reward_kwargs.noise_floor=0.05     and any other field of RewardSettings

Written for verl 0.4 to 0.6, whose batch manager calls the function once for a batch, in one process. verl has no way
to leave a sample out. One that could not be judged gets the mean reward of its prompt, so that its advantage is 0; the
deviation that the other advantages are divided by is then a little smaller. The log says which samples these are.
"""

from __future__ import annotations

import atexit
import json
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from afterburner.agent.types import Objective
from afterburner.sandbox import open_sandbox
from afterburner.training.errors import TrainingError
from afterburner.training.reward.benchmark import judge_of_benchmark
from afterburner.training.reward.log import RewardLog
from afterburner.training.reward.samples import Sample, Scored
from afterburner.training.reward.settings import Counted, RewardSettings, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.training.reward.judge import RewardJudge


@dataclass(slots=True)
class _State:
    """What a process of verl keeps between its calls, which are to a bare function."""

    judges: dict[str, RewardJudge] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)  # for training made so far, by the log
    sandboxes: ExitStack = field(default_factory=ExitStack)


_STATE = _State()
TRAIN = "train"


def compute_score(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[str],
    extra_infos: Sequence[Mapping[str, Any]],
    *,
    benchmark: str,
    calls: int,
    log: str = "",
    **settings: Any,
) -> list[float]:
    """Reward a batch of answers.

    Args:
        data_sources: of each answer; all are `afterburner`.
        solution_strs: the texts of the answers.
        ground_truths: ids of the problems.
        extra_infos: with `objective`, `original` and `split`.
        benchmark: the folder of `eval build` that the prompts are from.
        calls: how many batches are trained on; the weight of efficiency grows over them.
        log: a file for a line of JSON for each answer of a training batch; empty: none.
        settings: fields of `RewardSettings`.

    Raises:
        TrainingError: an answer is of another data source or problem, or the whole batch could not be judged.
        UsageError: a setting is out of bounds.
    """
    if others := set(data_sources) - {"afterburner"}:
        raise TrainingError(f"This reward is for the data source afterburner, and not for {', '.join(sorted(others))}.")
    samples = [
        Sample(problem, Objective(extra["objective"]), extra["original"], text)
        for problem, text, extra in zip(ground_truths, solution_strs, extra_infos, strict=True)
    ]
    is_training = all(extra.get("split", TRAIN) == TRAIN for extra in extra_infos)
    done = _STATE.calls.setdefault(log, _calls_in(log))
    judge = replace(_judge_of(benchmark), settings=_settings(settings))
    scored = judge.score(samples, progress=done / max(1, calls - 1), seed=done)
    if is_training:
        _STATE.calls[log] += 1
        if log:
            RewardLog(Path(log)).append(done, scored)
    return totals(scored)


def _settings(given: Mapping[str, Any]) -> RewardSettings:
    """The settings of the reward.

    Raises:
        TrainingError: there is no such setting.
    """
    known = {each.name for each in fields(RewardSettings)}
    if unknown := sorted(given.keys() - known):
        raise TrainingError(f"The reward has no setting {unknown[0]}. There are: {', '.join(sorted(known))}.")
    kinds = {"shape": Shape, "counted": Counted}
    read: dict[str, Any] = {name: kinds[name](value) if name in kinds else value for name, value in given.items()}
    return RewardSettings(**read)


def _calls_in(log: str) -> int:
    """How many batches an earlier process has logged."""
    if not log or not Path(log).is_file():
        return 0
    lines = Path(log).read_text("utf-8").splitlines()
    return 1 + max((int(json.loads(line)["step"]) for line in lines if line.strip()), default=-1)


def totals(scored: Sequence[Scored]) -> list[float]:
    """The rewards; a sample without one gets the mean of those with its prompt, or else of the batch.

    Raises:
        TrainingError: none has a reward.
    """
    known: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for each in scored:
        if each.terms is not None:
            known[_prompt_of(each.sample)].append(each.terms.total)
    every = [total for group in known.values() for total in group]
    if not every:
        raise TrainingError(
            f"No answer of the batch could be judged: {scored[0].dropped if scored else 'it is empty'}."
        )
    return [
        each.terms.total if each.terms is not None else fmean(known.get(_prompt_of(each.sample)) or every)
        for each in scored
    ]


def _prompt_of(sample: Sample) -> tuple[str, str, str]:
    return sample.problem_id, sample.objective.value, sample.original


def _judge_of(benchmark: str) -> RewardJudge:
    """The judge of a benchmark, which lives as long as the process."""
    if benchmark not in _STATE.judges:
        sandbox = _STATE.sandboxes.enter_context(open_sandbox())
        atexit.register(_STATE.sandboxes.close)
        _STATE.judges[benchmark] = judge_of_benchmark(Path(benchmark), sandbox)
    return _STATE.judges[benchmark]
