"""Rewards whole batches: the codes of each problem in a series of their own, problems side by side on all cores."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from afterburner.evals.problems import code_id
from afterburner.sandbox import CancelToken
from afterburner.sandbox.cores import divide_cores
from afterburner.training.errors import TrainingError
from afterburner.training.reward.baselines import Baselines
from afterburner.training.reward.meter import Effort, MeteredSlots
from afterburner.training.reward.samples import CHEATS, ReadAnswer, Sample, Scored, read_answer
from afterburner.training.reward.series import Series, SeriesRunner
from afterburner.training.reward.settings import RewardSettings
from afterburner.training.reward.terms import Side, failing, reward_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from afterburner.agent import Problem
    from afterburner.sandbox import Sandbox
    from afterburner.sandbox.cores import Slots


@dataclass(slots=True)
class RewardJudge:
    """Rewards answers to the prompts of some problems.

    Attributes:
        sandbox: where every code runs.
        problems: by id.
        hidden: the same problems with further tests that a code has to pass, by id; they are never measured.
        settings: of the reward.
        slots: that series lease, one each.
        cancel: ends a batch between two runs.
        baselines: what is known of originals.
        effort: what the last batch took.
    """

    sandbox: Sandbox
    problems: Mapping[str, Problem]
    hidden: Mapping[str, Problem] = field(default_factory=dict)
    settings: RewardSettings = field(default_factory=RewardSettings)
    slots: Slots = field(default_factory=divide_cores)
    cancel: CancelToken = field(default_factory=CancelToken)
    baselines: Baselines = field(default_factory=Baselines)
    effort: Effort = field(default_factory=Effort)

    def score(self, samples: Sequence[Sample], *, progress: float, seed: int = 0) -> list[Scored]:
        """Reward a batch, in its order.

        A sample that cannot be judged for a reason that is not the model's has no reward: it is to be left out, as
        neither a reward nor a punishment would be deserved.

        Args:
            samples: the answers.
            progress: share of the training that is done, from 0 to 1.
            seed: of the orders in which codes are measured.

        Raises:
            TrainingError: a sample is of a problem that is not known.
            UsageError: the sandbox refuses what is asked of it, such as limits above those of a service.
            SandboxUnavailableError: there is none, or it cannot run the language.
            CancelledError: it was cancelled.
        """
        self.check_knows(each.problem_id for each in samples)
        read = [read_answer(each, self.problems[each.problem_id].language) for each in samples]
        by_problem: dict[str, list[tuple[Sample, ReadAnswer]]] = defaultdict(list)
        for sample, found in zip(samples, read, strict=True):
            by_problem[sample.problem_id].append((sample, found))
        slots, began = MeteredSlots(self.slots), monotonic()
        with ThreadPoolExecutor(len(slots.slots), thread_name_prefix="reward") as pool:
            done = pool.map(lambda name: self._series(name, by_problem[name], slots, seed), by_problem)
            series = dict(zip(by_problem, done, strict=True))
        runs = sum(each.runs for each in series.values())
        self.effort = Effort(monotonic() - began, sum(slots.held_s), len(slots.slots), runs)
        return [
            self._scored(sample, found, series[sample.problem_id], progress)
            for sample, found in zip(samples, read, strict=True)
        ]

    def check_knows(self, problem_ids: Iterable[str]) -> None:
        """Find out whether answers to problems can be judged.

        Raises:
            TrainingError: a problem is not known.
        """
        if unknown := sorted(set(problem_ids) - self.problems.keys()):
            raise TrainingError(
                f"The benchmark has no problem {unknown[0]!r}, but a prompt asks about it. Give the benchmark that "
                "the prompts were built from."
            )

    def _series(self, problem_id: str, answers: Sequence[tuple[Sample, ReadAnswer]], slots: Slots, seed: int) -> Series:
        originals = list(dict.fromkeys(sample.original for sample, _ in answers if sample.original))
        codes = list(dict.fromkeys(found.code for _, found in answers if found.code))
        runner = SeriesRunner(
            self.sandbox,
            slots,
            self.cancel,
            self.settings,
            self.baselines,
            problem_id,
            self.problems[problem_id],
            self.hidden.get(problem_id),
            seed,
        )
        return runner.run(originals, codes)

    def _scored(self, sample: Sample, read: ReadAnswer, series: Series, progress: float) -> Scored:
        if series.failed:
            return Scored(sample, read, "", dropped=series.failed)
        key = code_id(read.code)
        verdict = CHEATS if read.cheat else series.verdicts.get(key, "")
        if key in series.lost:
            return Scored(sample, read, verdict, dropped=series.lost[key])
        known = self.baselines.of(sample.problem_id, sample.original) if sample.original else None
        before = failing(sample.objective) if known is None else Side(passed=True, figure=known.of(sample.objective))
        after = failing(sample.objective)
        if key in series.figures:
            figure = series.figures[key].of(sample.objective) / series.drift[sample.objective]
            after = Side(passed=True, figure=figure)
        terms = reward_terms(before, after, sample.objective, self.settings, strict=read.strict, progress=progress)
        return Scored(sample, read, verdict, before, after, terms)
