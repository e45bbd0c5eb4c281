"""The miniature from scratch to Figure 5: each stage is made once, so that a run that was stopped goes on.

Folders of the output: `base`, `train-benchmark` and `test-benchmark`, `data/RECIPE`, `SEED/MODEL` (training runs),
`SEED/MODEL-loop` (evaluations), `report`.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from afterburner.evals.files import claimed
from afterburner.evals.recipe.build import BuildRequest, build_benchmark
from afterburner.evals.recipe.framing import read_raw_problems
from afterburner.evals.recipe.settings import RecipeSettings
from afterburner.evals.running.evaluate import begin_evaluation, evaluate
from afterburner.evals.running.folder import RunFolder as Evaluation
from afterburner.evals.running.settings import EvaluationSettings, Resources
from afterburner.sandbox import open_sandbox
from afterburner.training.collecting.collect import collect
from afterburner.training.collecting.settings import CollectSettings, Filters
from afterburner.training.data.building import build_data
from afterburner.training.data.contamination import HeldOut
from afterburner.training.data.settings import DataSettings, Recipe
from afterburner.training.data.sources import problems_of
from afterburner.training.errors import TrainingError
from afterburner.training.miniature.arms import ABLATIONS, GRPO, MAIN, Experiment
from afterburner.training.miniature.base import new_model, pretrain
from afterburner.training.miniature.configuring import Device, config_of
from afterburner.training.miniature.corpus import conversations
from afterburner.training.miniature.costs import grpo_cost, note_time, stage_times_s, was_begun
from afterburner.training.miniature.dataset import write_raw
from afterburner.training.miniature.families import Split, split_problems
from afterburner.training.miniature.outcome import check_scored, read_loops
from afterburner.training.miniature.record import check_same
from afterburner.training.miniature.report import Results, write_report
from afterburner.training.miniature.serving import served
from afterburner.training.miniature.size import SMOKE
from afterburner.training.miniature.tokenizer import train_tokenizer
from afterburner.training.reward.settings import RewardSettings
from afterburner.training.trainers.models import merge_adapter
from afterburner.training.trainers.quiet import quieten
from afterburner.training.trainers.running import train
from afterburner.training.trainers.writing import whole_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from afterburner.training.miniature.arms import Arm, Loop
    from afterburner.training.miniature.base import Progress
    from afterburner.training.miniature.size import Size

_TOKENIZER_TEXTS = 2_000
_CORPUS_SEED, _TOKENIZER_SEED = 0, 1
_REPORTS = 20  # lines of progress that pretraining prints
_BASE = "base model"  # the one stage that does not resume
_ONCE = RewardSettings(baseline_repeats=1, anchor_repeats=1)  # the cold start asks only what passes
MEANS_NOTHING = "This was --smoke: every stage ran at a tiny size, and the figures mean nothing."
_JOBS = 6  # problems at a time: the server answers six prompts together almost as fast as one


class _Stage(NamedTuple):
    """What is made once: its name, the file or folder that is there once it is made, and what makes it."""

    name: str
    made: Path
    make: Callable[[Path], object]


@dataclass(frozen=True, slots=True)
class Miniature:
    """A miniature in a folder.

    Attributes:
        out: the folder.
        size: how much is made.
        on_progress: receives a line for each stage.
        experiments: that are made, one after the other.
    """

    out: Path
    size: Size
    on_progress: Callable[[str], object]
    experiments: tuple[Experiment, ...] = (MAIN,)

    def make(self) -> None:
        """Make what is missing.

        Raises:
            TrainingError: a stage cannot be made.
            AfterburnerError: another of the tree in `afterburner.sandbox.errors`.
        """
        quieten()
        check_same(self.out, self.size, self.experiments)
        with claimed(self.out):
            self._make()

    def _make(self) -> None:
        split = self._split
        for name, problems in (("train", split.train), ("test", split.test)):
            write_raw(problems, self._raw(name))
        stages = list(self._stages(split))
        done = sum(each.made.exists() for each in stages)
        if 0 < done < len(stages):
            self.on_progress(f"{done} of {len(stages)} stages are done already")
        for number, each in enumerate(stages, start=1):
            if not each.made.exists():
                self._carry_out(each, f"stage {number} of {len(stages)}: {each.name}")
        self._report()

    def _stages(self, split: Split) -> Iterator[_Stage]:
        """All stages in their order, those that are done as well."""
        yield _Stage(_BASE, self.out / "base", partial(self._pretrain, split))
        for name in ("train", "test"):
            yield _Stage(f"{name} benchmark", self.out / f"{name}-benchmark.done", partial(self._build, name))
        for recipe in (Recipe.SFT, Recipe.DPO, Recipe.GRPO, Recipe.DIRECT):
            yield _Stage(f"{recipe.value} data", self.out / "data" / recipe.value, partial(self._data, recipe))
        yield _Stage("cold-start data", self.out / "data" / "cold-start.done", self._collect)
        for experiment in self.experiments:
            for seed in range(self.size.seeds):
                yield from self._stages_of_seed(experiment, seed)

    @property
    def _split(self) -> Split:
        return split_problems(self.size.train_problems, self.size.test_problems, self.size.split_seed)

    def _raw(self, name: str) -> Path:
        """The problems of a benchmark, before they are measured."""
        return self.out / f"{name}.jsonl"

    def _stages_of_seed(self, experiment: Experiment, seed: int) -> Iterator[_Stage]:
        for arm in experiment.arms:
            yield _Stage(f"{arm.name}, seed {seed}", self._model(arm.name, seed), partial(self._train, arm, seed))
        for loop in experiment.loops:
            folder = self.out / str(seed) / loop.folder
            done = folder.with_suffix(".done")
            yield _Stage(f"loop of {loop.label}, seed {seed}", done, partial(self._evaluate, loop, seed, folder))

    def _carry_out(self, stage: _Stage, title: str) -> None:
        """Make what a stage makes, and note how long it took, also if it does not come to its end."""
        again = " from its beginning" if stage.name == _BASE and was_begun(self.out, stage.name) else ""
        self.on_progress(f"{title}{again} …")
        began = time.monotonic()
        try:
            stage.make(stage.made)
            if not stage.made.exists():  # a stage that writes into a folder bit by bit is marked once it is whole
                stage.made.parent.mkdir(parents=True, exist_ok=True)
                stage.made.touch()
        finally:
            took_s = time.monotonic() - began
            note_time(self.out, stage.name, took_s, finished=stage.made.exists())
        self.on_progress(f"{stage.name}: {took_s:.0f} s")

    def _pretrain(self, split: Split, out: Path) -> None:
        seen = split.pretraining if self.size.all_orders else split.train
        tokenizer = train_tokenizer(list(islice(conversations(seen, _TOKENIZER_SEED), _TOKENIZER_TEXTS)))
        model = new_model(tokenizer, self.size.base)

        def told(progress: Progress) -> None:
            self.on_progress(f"  step {progress.step}/{self.size.base.steps}: loss {progress.loss:.3f}")

        every = max(1, self.size.base.steps // _REPORTS)
        pretrain(model, tokenizer, conversations(seen, _CORPUS_SEED), self.size.base, every=every, on_progress=told)
        with whole_folder(out) as unfinished:
            model.save_pretrained(unfinished)
            tokenizer.save_pretrained(unfinished)

    def _build(self, name: str, _: Path) -> None:
        raw = self._raw(name)
        most = self.size.train_solutions if name == "train" else self.size.test_solutions
        settings = RecipeSettings(
            cases=1,
            private_cases=0,
            least_solutions=min(most, 2),
            most_solutions=most,
            repeats=1 if name == "train" else 2,
            test_share=0.0 if name == "train" else 1.0,
        )
        request = BuildRequest(raw, self.out / f"{name}-benchmark", settings, note="Generated.")
        with open_sandbox() as sandbox:
            summary = build_benchmark(request, read_raw_problems(raw, "python"), sandbox)
        if summary.left_out:
            raise TrainingError(f"{summary.left_out[0][0]} cannot be built: {summary.left_out[0][1]}")

    def _data(self, recipe: Recipe, out: Path) -> None:
        benchmark = self.out / "train-benchmark"
        settings = DataSettings(recipe, examples=2 if recipe is Recipe.GRPO else None)
        build_data(problems_of(benchmark, "train"), settings, HeldOut(), out, source=str(benchmark))

    def _collect(self, _: Path) -> None:
        """The base model's own answers: there is no stronger model here."""
        with served(self.out / "base", self.out / "cold-start.log") as name:
            settings = CollectSettings(name, self.size.samples, 1.0)
            out = self.out / "data" / "cold-start"
            found = collect(self.out / "data" / "grpo", out, settings, Filters(), reward=_ONCE)
        if found.missing:
            raise TrainingError(f"{found.missing} answers for the cold start did not come. Run the command again.")

    def _model(self, name: str, seed: int) -> Path:
        """A model as it was trained: with SFT and DPO an adapter."""
        return self.out / "base" if name == "base" else self.out / str(seed) / name / "model"

    def _whole(self, name: str, seed: int) -> Path:
        """A model as a server takes it."""
        model = self._model(name, seed)
        if not (model / "adapter_config.json").is_file():
            return model
        merged = model.with_name("merged")
        if not merged.is_dir():
            merge_adapter(model, merged)
        return merged

    def _train(self, arm: Arm, seed: int, model: Path) -> None:
        start, data = self._model(arm.starts_from, seed), self.out / "data" / arm.data.value
        config = config_of(arm, self.size, Device.found(), seed=seed, start=start, data=data)
        if train(config, model.parent).interrupted:
            raise KeyboardInterrupt

    def _evaluate(self, loop: Loop, seed: int, folder: Path, _: Path) -> None:
        whole = self._whole(loop.model, seed)
        with served(whole, folder.with_suffix(".log")) as name:
            settings = EvaluationSettings(
                str(self.out / "test-benchmark"),
                model=name,
                iterations=self.size.iterations,
                repeats=1,
                seed=seed,
                temperature="1.0",
                tell=loop.tell,
            )
            if (folder / "run.json").is_file():
                run = Evaluation.open(folder)
            else:
                shutil.rmtree(folder, ignore_errors=True)
                run = begin_evaluation(folder, f"{loop.label} {seed}", settings)
            outcome = evaluate(run, Resources(jobs=_JOBS))
        if not outcome.is_complete:
            why = next(iter(outcome.failed.values()), "it was stopped")
            raise TrainingError(
                f"The loop of {loop.label} with seed {seed} is not complete: {why}. Run the command again."
            )
        check_scored(folder, self._split.test)

    def _is_made(self, experiment: Experiment) -> bool:
        """Whether an earlier command has made all of an experiment, so that a report has it, too."""
        seeds = range(self.size.seeds)
        return all(each.made.exists() for seed in seeds for each in self._stages_of_seed(experiment, seed))

    def _reported(self) -> tuple[Experiment, ...]:
        """The experiments of this command, and those of the protocol that earlier ones have made."""
        asked = {each.name: each for each in self.experiments}
        known = {each.name: each for each in (MAIN, ABLATIONS) if each.name in asked or self._is_made(each)}
        return tuple({**known, **asked}.values())  # in the order of `known`

    def _report(self) -> None:
        seeds = range(self.size.seeds)
        reported = self._reported()
        scores = {
            loop.label: read_loops([self.out / str(seed) / loop.folder for seed in seeds], self._split.test)
            for experiment in reported
            for loop in experiment.loops
        }
        cost = grpo_cost([self.out / str(seed) / GRPO / "metrics.jsonl" for seed in seeds])
        warning = MEANS_NOTHING if self.size == SMOKE else ""
        write_report(Results(reported, scores, stage_times_s(self.out), cost, warning), self.out / "report")
