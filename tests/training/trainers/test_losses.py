"""Each trainer's loss is that of its paper: the same figure is computed here from the model's logits alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("trl", reason="training is an extra")

import torch
from torch.nn.functional import cross_entropy, log_softmax, logsigmoid

from afterburner.training.config.batches import plan_batches
from afterburner.training.data.reading import read_data
from afterburner.training.trainers.folder import RunFolder
from afterburner.training.trainers.models import load_tokenizer
from afterburner.training.trainers.parts import Parts
from afterburner.training.trainers.preferences import preference_trainer
from afterburner.training.trainers.rollouts import rollout_trainer
from afterburner.training.trainers.rows import trainable_rows
from afterburner.training.trainers.supervised import supervised_trainer

from .tiny import END, config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.training.config.schema import TrainConfig

    from .conftest import Mini

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::FutureWarning")]
LORA = {"rank": 4, "alpha": 8}


def parts(settings: TrainConfig, folder: Path) -> Parts:
    tokenizer = load_tokenizer(settings.model.path)
    rows = trainable_rows(read_data(Path(settings.data)), settings, tokenizer)
    plan = plan_batches(settings, 1)
    return Parts(settings, plan, RunFolder(folder), settings.model.path, tokenizer, rows.dataset, ())


def log_probabilities(model: Any, tokenizer: Any, prompt: Any, answer: Any) -> torch.Tensor:
    """Of each of the answer's tokens, its end included, rendered as a chat."""
    asked = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
    whole = tokenizer.apply_chat_template(prompt + answer, tokenize=False)
    skip, ids = len(tokenizer(asked)["input_ids"]), torch.tensor([tokenizer(whole)["input_ids"]], device=model.device)
    found = log_softmax(model(input_ids=ids).logits[0, :-1].float(), dim=-1)
    return found.gather(1, ids[0, 1:, None])[skip - 1 :, 0]


def disturb(model: Any, *, only: str = "") -> None:
    """Move the weights a little, as a few steps would."""
    torch.manual_seed(1)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if only in name:
                weight.add_(0.05 * torch.randn_like(weight))


def test_the_loss_of_sft_is_the_cross_entropy_of_the_answers_and_their_ends(mini: Mini, tmp_path: Path) -> None:
    settings = config("sft", mini.model, mini.sft, batch={"size": 3, "per_device": 3})
    made = parts(settings, tmp_path)
    trainer = supervised_trainer(made)
    trainer.model.eval()
    batch = next(iter(trainer.get_train_dataloader()))
    learnt = [made.tokenizer.decode(row[row >= 0]) for row in batch["labels"]]
    answers = [each[0]["content"] + END + "\n" for each in made.dataset["completion"]]
    assert set(learnt) <= set(answers), "the answer carries loss, with its end, and nothing of the prompt does"
    rows = [made.dataset[answers.index(text)] for text in learnt]
    with torch.no_grad():
        each = [log_probabilities(trainer.model, made.tokenizer, row["prompt"], row["completion"]) for row in rows]
        loss = float(trainer.compute_loss(trainer.model, batch))
        labels, logits = batch["labels"][:, 1:], trainer.model(batch["input_ids"]).logits[:, :-1]
    assert loss == pytest.approx(-float(torch.cat(each).mean()), rel=1e-5)
    assert loss == pytest.approx(float(cross_entropy(logits.flatten(0, 1), labels.flatten())), rel=1e-5)


def test_the_loss_of_dpo_is_the_sigmoid_loss_against_the_model_it_starts_from(mini: Mini, tmp_path: Path) -> None:
    beta = 0.3
    settings = config("dpo", mini.model, mini.dpo, lora=LORA, dpo={"beta": beta}, batch={"size": 3, "per_device": 3})
    made = parts(settings, tmp_path)
    trainer = preference_trainer(made)
    trainer.model.eval()
    batch = next(iter(trainer.get_train_dataloader()))
    with torch.no_grad():
        assert float(trainer.compute_loss(trainer.model, batch)) == pytest.approx(0.693147, abs=1e-5)
    disturb(trainer.model, only="lora_B")
    rows = [made.dataset[place] for place in order_of(batch, made)]

    def ratio(row: Any, part: str) -> torch.Tensor:
        given = trainer.model, made.tokenizer, row["prompt"], row[part]
        policy = log_probabilities(*given).sum()
        with trainer.model.disable_adapter():
            return policy - log_probabilities(*given).sum()

    with torch.no_grad():
        margins = torch.stack([ratio(row, "chosen") - ratio(row, "rejected") for row in rows])
        expected = float(-logsigmoid(beta * margins).mean())
        assert expected != pytest.approx(0.693147, abs=1e-3)
        assert float(trainer.compute_loss(trainer.model, batch)) == pytest.approx(expected, rel=1e-4)


def order_of(batch: Any, made: Parts) -> list[int]:
    """Which rows of the data set a batch of DPO holds: their chosen answers come first, then the rejected ones."""
    texts = [made.tokenizer.decode(row) for row in batch["input_ids"]]
    pairs = zip(texts[: len(texts) // 2], texts[len(texts) // 2 :], strict=True)
    keys = [tuple(row[part][0]["content"] for part in ("prompt", "chosen", "rejected")) for row in made.dataset]
    asked = [row["prompt"][-1]["content"] for row in made.dataset]
    return [
        next(
            place
            for place, (_, best, worst) in enumerate(keys)
            if asked[place] in chosen and best in chosen and worst in rejected
        )
        for chosen, rejected in pairs
    ]


class FixedRewards:
    """Rewards that are known beforehand; None: the answer could not be judged."""

    __name__ = "fixed"

    def __init__(self, rewards: Sequence[float | None]) -> None:
        self.rewards = rewards

    def __call__(self, **_: Any) -> list[float | None]:
        return list(self.rewards)


def test_grpo_clips_the_ratio_and_holds_each_answer_against_its_group(mini: Mini, tmp_path: Path) -> None:
    """An answer without a reward moves neither the others' advantages nor the weights."""
    rewards = (1.0, 0.0, None, 0.5, 0.2, 0.2, 0.2, 0.2)
    clip = 0.2
    settings = config(
        "grpo",
        mini.model,
        mini.grpo,
        batch={"size": 8, "per_device": 8},
        grpo={"rollouts": 4, "prompts": 2, "answer_tokens": 12, "clip": clip},
    )
    made = parts(settings, tmp_path)
    trainer = rollout_trainer(made, FixedRewards(rewards))  # type: ignore[arg-type] # in the place of the sandbox
    trainer.model.train()
    (rows,) = list(trainer.get_train_dataloader())[:1]
    inputs = trainer._generate_and_score_completions(rows)
    first = torch.tensor([1.0, 0.0, 0.5])
    known = ((first - first.mean()) / (first.std() + 1e-4)).tolist()
    assert inputs["advantages"].tolist() == pytest.approx([known[0], known[1], 0.0, known[2], 0, 0, 0, 0], abs=1e-5)

    with torch.no_grad():
        ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], dim=1)
        mask = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], dim=1)
        logits = trainer.model(input_ids=ids, attention_mask=mask).logits
        width = inputs["completion_ids"].shape[1]
        now = log_softmax(logits[:, -width - 1 : -1].float(), dim=-1)
        now = now.gather(2, inputs["completion_ids"][..., None])[..., 0]
        torch.manual_seed(2)
        before = now + 0.5 * torch.randn_like(now)  # so that some ratios are beyond the clip
        inputs["old_per_token_logps"] = before
        ratio, advantage = torch.exp(now - before), inputs["advantages"][:, None]
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)
        tokens = inputs["completion_mask"]
        expected = -float(((gain * tokens).sum(1) / tokens.sum(1)).mean())
        unclipped = -float(((ratio * advantage * tokens).sum(1) / tokens.sum(1)).mean())
        trainer.current_gradient_accumulation_steps = 1
        loss = float(trainer.compute_loss(trainer.model, inputs))
    assert loss == pytest.approx(expected, rel=1e-4)
    assert loss != pytest.approx(unclipped, rel=1e-2), "the clip has an effect"
    assert trainer.ref_model is None, "there is no KL term"
