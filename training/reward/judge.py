"""Rewards whole batches: codes of one problem are measured in turns beside its originals, problems side by side."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.evals.problems import code_id
from afterburner.evals.running.measure import measure_codes
from afterburner.sandbox import AfterburnerError, CancelledError, CancelToken, Verdict
from afterburner.sandbox.cores import Cores, divide_cores
from afterburner.training.errors import TrainingError
from afterburner.training.reward.baselines import Baselines, smallest
from afterburner.training.reward.samples import CHEATS, ReadAnswer, Sample, Scored, read_answer
from afterburner.training.reward.settings import RewardSettings
from afterburner.training.reward.terms import Side, failing, reward_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from afterburner.agent import Problem
    from afterburner.agent.types import Objective
    from afterburner.evals.problems import Figures
    from afterburner.evals.running.measure import Measured
    from afterburner.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class _Series:
    """What was measured of one problem in one batch."""

    figures: Mapping[str, Figures] = field(default_factory=dict)  # of codes that pass, by id
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)  # the worst of each code's repeats
    drift: Mapping[Objective, float] = field(default_factory=dict)
    failed: str = ""  # why nothing could be measured


@dataclass(slots=True)
class RewardJudge:
    """Rewards answers to the prompts of some problems.

    Attributes:
        sandbox: where every code runs.
        problems: by id.
        settings: of the reward.
        cores: that series lease, one each.
        cancel: ends a batch between two runs.
        baselines: what is known of originals.
    """

    sandbox: Sandbox
    problems: Mapping[str, Problem]
    settings: RewardSettings = field(default_factory=RewardSettings)
    cores: Cores = field(default_factory=divide_cores)
    cancel: CancelToken = field(default_factory=CancelToken)
    baselines: Baselines = field(default_factory=Baselines)

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
            CancelledError: it was cancelled.
        """
        if unknown := sorted({each.problem_id for each in samples} - self.problems.keys()):
            raise TrainingError(f"There is no problem {unknown[0]!r} to judge an answer by. Give the problems' file.")
        read = [read_answer(each, self.problems[each.problem_id].language) for each in samples]
        by_problem: dict[str, list[tuple[Sample, ReadAnswer]]] = defaultdict(list)
        for sample, found in zip(samples, read, strict=True):
            by_problem[sample.problem_id].append((sample, found))
        with ThreadPoolExecutor(len(self.cores.slots), thread_name_prefix="reward") as pool:
            series = dict(
                zip(
                    by_problem,
                    pool.map(lambda name: self._measure(name, by_problem[name], seed), by_problem),
                    strict=True,
                )
            )
        return [
            self._scored(sample, found, series[sample.problem_id], progress)
            for sample, found in zip(samples, read, strict=True)
        ]

    def _measure(self, problem_id: str, answers: Sequence[tuple[Sample, ReadAnswer]], seed: int) -> _Series:
        """Measure the originals that are new, and then all codes in turns, the originals among them as anchors."""
        originals = list(dict.fromkeys(sample.original for sample, _ in answers if sample.original))
        codes = list(dict.fromkeys(found.code for _, found in answers if found.code))
        try:
            new = self.baselines.missing(problem_id, originals)
            if new:
                measured = self._run(problem_id, new, self.settings.baseline_repeats, seed)
                if broken := _internal(measured):
                    return _Series(failed=broken)
                self.baselines.keep(problem_id, new, measured)
            anchors = [code for code in originals if self.baselines.of(problem_id, code) is not None]
            measured = self._run(problem_id, [*anchors, *codes], self.settings.repeats, seed) if codes else []
        except CancelledError:
            raise
        except AfterburnerError as error:
            return _Series(failed=str(error))
        found = smallest(measured)
        verdicts = {each.code_id: each.verdict for each in measured}  # a code that fails is not run again
        return _Series(found, verdicts, self.baselines.drift(problem_id, anchors, found))

    def _run(self, problem_id: str, codes: Sequence[str], repeats: int, seed: int) -> list[Measured]:
        problem = self.problems[problem_id]
        return measure_codes(self.sandbox, self.cores, problem, codes, repeats=repeats, seed=seed, cancel=self.cancel)

    def _scored(self, sample: Sample, read: ReadAnswer, series: _Series, progress: float) -> Scored:
        if series.failed:
            return Scored(sample, read, "", dropped=series.failed)
        verdict = series.verdicts.get(code_id(read.code)) if read.code else None
        said = CHEATS if read.cheat else verdict.value if verdict is not None else ""
        if verdict is Verdict.INTERNAL_ERROR:
            return Scored(sample, read, said, dropped="the sandbox failed on it")
        known = self.baselines.of(sample.problem_id, sample.original) if sample.original else None
        before = failing(sample.objective) if known is None else Side(passed=True, figure=known.of(sample.objective))
        used = series.figures.get(code_id(read.code)) if read.code else None
        after = failing(sample.objective)
        if used is not None:
            after = Side(passed=True, figure=used.of(sample.objective) / series.drift[sample.objective])
        terms = reward_terms(before, after, sample.objective, self.settings, strict=read.strict, progress=progress)
        return Scored(sample, read, said, before, after, terms)


def _internal(measured: Iterable[Measured]) -> str:
    """What failed of the sandbox itself; empty: nothing."""
    return next(
        (f"the sandbox failed: {each.detail}" for each in measured if each.verdict is Verdict.INTERNAL_ERROR), ""
    )
