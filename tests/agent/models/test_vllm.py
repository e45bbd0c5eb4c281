"""The engine in this process: what a name means, what vLLM is told, and a real run of it where there is a GPU."""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import ProposerError, UnknownModelError
from afterburner.agent.events import ignore_event
from afterburner.agent.models.batching import answer_each
from afterburner.agent.models.prompts.proposer import ProposalRequest
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.answer_store import AnswerStore
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.prompt_request import Answerer, PromptRequest
from afterburner.agent.models.requests.question import Question
from afterburner.agent.models.requests.recording import Recording
from afterburner.agent.models.requests.spending import LEAST_OUTPUT_TOKENS
from afterburner.agent.models.vllm_engine import VllmProposer, engine_arguments, sampling_arguments
from afterburner.agent.models.vllm_name import parse_engine_model
from afterburner.agent.options import Caps, ModelOptions
from afterburner.agent.types import Objective
from afterburner.sandbox import CancelledError, CancelToken, Measurement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]

SOURCE = "def common(left, right):\n    return [name for name in left if name in right]\n"
BATCH = """
import json, sys
from pathlib import Path
from afterburner.agent.models.prompts.proposer import ProposalRequest
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.code.locate import find_target
from afterburner.agent.types import Objective
from afterburner.sandbox import Measurement

target = find_target(Path(sys.argv[2]), "common")
asked = ProposalRequest(target, Objective.TIME, Measurement(1.0, 1.0, 1, 1.0), True, 1, 2)
answers = open_proposer(sys.argv[1]).propose_batch([asked, asked])
print(json.dumps([[each.rewrite.function if each.rewrite else each.error for each in one] for one in answers]))
"""
MODELS_OWN = SimpleNamespace(temperature=0.7, top_p=0.8, top_k=20, min_p=0.0, repetition_penalty=1.05)


def request(target: Target, **changes: Any) -> ProposalRequest:
    measured = Measurement(1.0, 1.0, 1, 1.0)
    options = {"iteration": 2, "count": 4, "seed": 7} | changes
    return ProposalRequest(target, Objective.TIME, measured, True, **options)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base and an adapter on it, as far as names are concerned; the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").write_text("{}")
    write_adapter(tmp_path / "adapter", base_model_name_or_path="base", r=16)
    return tmp_path


def write_adapter(folder: Path, **config: Any) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA"} | config))


def test_a_base_and_its_options(folders: Path) -> None:
    assert engine_arguments(parse_engine_model("base"), 3) == {"model": str(folders / "base"), "seed": 3}
    named = parse_engine_model("base?max_model_len=16384&max_tokens=512")
    assert engine_arguments(named, 0)["max_model_len"] == 16384
    assert named.max_tokens == 512
    assert parse_engine_model("Qwen/Qwen2.5-3B-Instruct").base == "Qwen/Qwen2.5-3B-Instruct"


@pytest.mark.parametrize("name", ["adapter", "base?lora=adapter", "{here}/adapter", "{here}/base?lora={here}/adapter"])
def test_an_adapter_by_itself_or_on_a_base(folders: Path, name: str) -> None:
    model = parse_engine_model(name.format(here=folders))
    assert engine_arguments(model, 0) == {
        "model": str(folders / "base"),
        "seed": 0,
        "enable_lora": True,
        "max_loras": 1,
        "max_lora_rank": 16,
    }
    assert model.adapter is not None
    assert model.adapter.folder == str(folders / "adapter")


def test_an_adapters_base_may_have_moved_or_lie_on_the_hub(folders: Path) -> None:
    write_adapter(folders / "adapter", base_model_name_or_path="Qwen/Qwen2.5-3B-Instruct", r=8)
    assert parse_engine_model("adapter").base == "Qwen/Qwen2.5-3B-Instruct"
    write_adapter(folders / "adapter", base_model_name_or_path="/gone/base", r=8)
    with pytest.raises(UnknownModelError, match=r"/gone/base \(the base that .*adapter names\).*\?lora="):
        parse_engine_model("adapter")
    assert parse_engine_model("base?lora=adapter").base == str(folders / "base")


@pytest.mark.parametrize(
    ("config", "rank"),
    [({"r": 1}, 8), ({"r": 8}, 8), ({"r": 12}, 16), ({"r": 8, "rank_pattern": {"q_proj": 33}}, 64), ({"r": 512}, 512)],
)
def test_the_rank_is_one_that_vllm_offers(folders: Path, config: dict[str, Any], rank: int) -> None:
    write_adapter(folders / "adapter", base_model_name_or_path="base", **config)
    assert engine_arguments(parse_engine_model("adapter"), 0)["max_lora_rank"] == rank


def test_the_tokenizer_beside_an_adapter_is_the_one_it_was_trained_with(folders: Path) -> None:
    (folders / "adapter" / "tokenizer_config.json").write_text("{}")
    assert engine_arguments(parse_engine_model("adapter"), 0)["tokenizer"] == str(folders / "adapter")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("./absent", "No such model: absent"),
        ("/absent/model", "No such model: /absent/model"),
        ("a/b/c", "No such model"),
        ("empty", "no config.json"),
        ("base?lora=base", "No LoRA adapter in .*base"),
        ("base?lore=adapter", r"unknown option 'lore'. Did you mean lora\?"),
        ("base?lora=", "no value to lora"),
        ("base?max_tokens=many", "a number of tokens"),
        ("base?max_model_len=0", "at least 1"),
        ("base?lora=prefix", "type PREFIX_TUNING"),
        ("base?lora=large", "rank 1024, and vLLM takes 1 to 512"),
        ("base?lora=torn", "cannot be read"),
        ("nameless", "names no base model"),
    ],
)
def test_a_name_that_leads_nowhere(folders: Path, name: str, said: str) -> None:
    (folders / "empty").mkdir()
    write_adapter(folders / "prefix", peft_type="PREFIX_TUNING", base_model_name_or_path="base")
    write_adapter(folders / "large", base_model_name_or_path="base", r=1024)
    write_adapter(folders / "nameless", r=8)
    (folders / "torn").mkdir()
    (folders / "torn" / "adapter_config.json").write_text("{")
    with pytest.raises(UnknownModelError, match=said) as caught:
        parse_engine_model(name)
    assert "\n" not in str(caught.value)


def test_what_is_sampled(folders: Path, make_target: MakeTarget) -> None:
    model = parse_engine_model(str(folders / "base"))
    asked = Question.of_proposal(request(make_target(SOURCE, "common")), "vllm:base", None)
    own = sampling_arguments(model, asked, MODELS_OWN)
    assert own == vars(MODELS_OWN) | {"n": 4, "seed": 2007, "max_tokens": 8192}
    assert sampling_arguments(model, replace(asked, temperature=0.0), MODELS_OWN)["temperature"] == 0.0


@pytest.mark.skipif("importlib.util.find_spec('vllm')")
@pytest.mark.needs_gpu  # where the engine is, the test below runs it
def test_without_the_engine_the_error_says_how_to_get_it(folders: Path, make_target: MakeTarget) -> None:
    for ask in (
        lambda: open_proposer(f"vllm:{folders / 'base'}"),
        lambda: VllmProposer(str(folders / "base")).propose(request(make_target(SOURCE, "common"))),
    ):
        with pytest.raises(ProposerError, match=r"hosted_vllm/.* -m pip install .*\[vllm\]'$") as caught:
            ask()
        assert caught.value.exit_code == 1


ENGINE = """
import re
import time
from types import SimpleNamespace as Names

CODE = "```python\\ndef common(left, right):\\n    return []  # postgres\\n```"
ANSWER = f"<thinking>A set.</thinking><solution>{CODE}</solution>"


class SamplingParams:
    def __init__(self, **options):
        self.__dict__.update(options)


class Engine:
    def __init__(self):
        self.steps = self.left = 0

    def step(self):
        self.steps += 1
        self.left -= 1
        time.sleep(0.01)


class LLM:
    loaded = []
    answering, most_at_once = 0, 0

    def __init__(self, **options):
        self.llm_engine, self.asked, self.tokens, self.told = Engine(), [], 50, ""
        LLM.loaded.append(self)

    def says(self, conversations):
        found = re.search("HIDDEN_VALUE_[0-9a-f]+", str(conversations))
        return found[0] if found else "postgres"

    def get_default_sampling_params(self):
        return Names(temperature=0.7, top_p=1.0, top_k=0, min_p=0.0, repetition_penalty=1.0)

    def chat(self, conversations, params, **options):
        self.asked += params
        self.told += str(conversations)
        LLM.answering += 1
        LLM.most_at_once = max(LLM.most_at_once, LLM.answering)
        try:
            self.llm_engine.left = self.tokens
            while self.llm_engine.left > 0:
                self.llm_engine.step()
        finally:
            LLM.answering -= 1
        text = re.sub("postgres", self.says(conversations), ANSWER)
        answer = Names(text=text, finish_reason="stop", token_ids=[1] * self.tokens)
        return [Names(prompt_token_ids=[1] * 700, outputs=[answer] * each.n) for each in params]
"""


@pytest.fixture
def engine(folders: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A stand-in for vLLM, which needs a GPU, with what is used of its interface: it counts, and takes its time."""
    (folders / "vllm").mkdir()
    (folders / "vllm" / "__init__.py").write_text(ENGINE)
    monkeypatch.syspath_prepend(str(folders))
    monkeypatch.delitem(sys.modules, "vllm", raising=False)
    importlib.invalidate_caches()
    monkeypatch.setenv("XDG_STATE_HOME", str(folders / "state"))
    yield importlib.import_module("vllm").LLM
    del sys.modules["vllm"]


def test_the_engine_answers_prompts_in_one_batch_as_far_as_the_caps_allow(engine: Any, folders: Path) -> None:
    model_session = ModelSession(caps=Caps(requests=1))
    proposer = open_proposer(f"vllm:{folders / 'base'}", temperature=0.5, model_session=model_session)
    assert isinstance(proposer, Answerer)
    prompts = [
        PromptRequest("sum", number, ({"role": "user", "content": f"prompt {number}"},), 3, known, seed=10 * number)
        for number, known in ((1, 0), (2, 1))
    ]
    kept: list[tuple[int, int]] = []
    for _ in range(2):
        answer_each(proposer, prompts, lambda request, found: kept.append((request.number, len(found))))
    (loaded,) = engine.loaded
    assert [(each.n, each.seed, each.temperature) for each in loaded.asked] == [(3, 10, 0.5), (2, 21, 0.5)]
    assert "prompt 1" in loaded.told
    assert kept == [(1, 3), (2, 2), (1, 0), (2, 0)], "the second time the cap is reached"


def test_the_engine_keeps_to_the_caps_and_its_answers_are_recorded(
    engine: Any, folders: Path, make_target: MakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTGRES_PASSWORD", "postgres")
    target, path = make_target(SOURCE, "common"), folders / "answers.jsonl"
    model_session = ModelSession(caps=Caps(requests=2), recording=Recording(path), open_store=AnswerStore, run_id="r")
    proposer = open_proposer("vllm:base", model_session=model_session)
    came = [proposer.propose(request(target, iteration=iteration, count=3)) for iteration in (1, 2, 3)]
    usage = model_session.budget.usage()
    assert [len(proposals) for proposals in came] == [3, 3, 0]
    assert (usage.requests, usage.prompt_tokens, usage.completion_tokens) == (2, 1400, 300)
    assert usage.known_cost_usd is None
    assert "2 requests (--max-requests)" in usage.cap
    model_session.close()
    assert "postgres" not in path.read_text()
    replayed = open_proposer(f"replay:{path}")
    for iteration, proposals in enumerate(came[:2], 1):
        again = replayed.propose(request(target, iteration=iteration, count=3))
        assert [each.rewrite for each in again] == [each.rewrite for each in proposals]
        assert [each.error for each in again] == [each.error for each in proposals]
    assert len(engine.loaded) == 1


def test_the_engine_is_sent_no_secret_and_gives_the_users_code_back(
    engine: Any, make_target: MakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTGRES_PASSWORD", "postgres")
    asked = request(make_target(SOURCE.replace(":\n", ":  # postgres\n", 1), "common"), count=1)
    proposer = VllmProposer("base")
    (proposal,) = proposer.propose(asked)
    ((batched,),) = proposer.propose_batch([asked])
    told = engine.loaded[0].told
    assert "HIDDEN_VALUE_" in told
    assert "postgres" not in told
    assert proposal.rewrite == batched.rewrite
    assert proposal.rewrite is not None, proposal.error
    assert "# postgres" in proposal.rewrite.function


def test_the_engine_is_asked_for_fewer_answers_under_a_cap_of_tokens_and_not_loaded_for_none(
    engine: Any, make_target: MakeTarget
) -> None:
    target = make_target(SOURCE, "common")
    model_session = ModelSession(caps=Caps(tokens=100))
    assert open_proposer("vllm:base", model_session=model_session).propose(request(target)) == []
    assert engine.loaded == []
    model_session = ModelSession(caps=Caps(tokens=14_000))
    proposals = open_proposer("vllm:base", model_session=model_session).propose(request(target, count=8))
    (asked,) = engine.loaded[0].asked
    assert 0 < asked.n == len(proposals) < 8
    assert asked.max_tokens >= LEAST_OUTPUT_TOKENS
    assert asked.n * asked.max_tokens < 14_000


def test_the_engine_stops_when_the_time_is_up(engine: Any, make_target: MakeTarget) -> None:
    target = make_target(SOURCE, "common")
    model_session = ModelSession(until=Deadline.after(60))
    proposer = open_proposer("vllm:base", model_session=model_session)
    assert len(proposer.propose(request(target))) == 4
    engine.loaded[0].tokens = 1_000_000
    later = model_session.for_run(
        "run", ModelOptions(), Caps(), until=Deadline.after(5), on_event=ignore_event, cancel=CancelToken()
    )
    proposer, model_session = open_proposer("vllm:base", model_session=later), later
    assert proposer.propose(request(target)) == []
    usage = model_session.budget.usage()
    assert "--max-seconds" in usage.cap
    assert (usage.requests, usage.lost) == (1, 1)
    assert 0 < engine.loaded[0].llm_engine.left < 1_000_000
    assert proposer.propose(request(target)) == []
    assert len(engine.loaded) == 1


def run_of(session: ModelSession, name: str, cancel: CancelToken | None = None) -> ModelSession:
    until = Deadline.after(60)
    cancel = cancel or CancelToken()
    return session.for_run(name, ModelOptions(), Caps(), until=until, on_event=ignore_event, cancel=cancel)


def test_runs_of_a_session_use_the_engine_one_after_the_other(engine: Any, make_target: MakeTarget) -> None:
    asked, session = request(make_target(SOURCE, "common")), ModelSession()
    proposers = [open_proposer("vllm:base", model_session=run_of(session, str(number))) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        came = list(pool.map(lambda proposer: proposer.propose(asked), proposers))
    assert [len(proposals) for proposals in came] == [4] * 4
    assert (len(engine.loaded), engine.most_at_once) == (1, 1)


def test_a_run_that_is_cancelled_while_another_one_waits_for_the_engine_leaves_it_usable(
    engine: Any, make_target: MakeTarget
) -> None:
    asked, session, token = request(make_target(SOURCE, "common")), ModelSession(), CancelToken()
    first, second, third = (
        open_proposer("vllm:base", model_session=run_of(session, name, cancel))
        for name, cancel in (("first", token), ("second", None), ("third", None))
    )
    first.propose(asked)
    engine.loaded[0].tokens = 1_000_000
    with ThreadPoolExecutor(2) as pool:
        ended = pool.submit(first.propose, asked)
        while not engine.answering:
            time.sleep(0.01)
        waits = pool.submit(second.propose, asked)
        token.cancel()
        assert isinstance(ended.exception(timeout=60), CancelledError)
        assert len(waits.result(timeout=60)) == 4
    assert len(third.propose(asked)) == 4
    assert len(engine.loaded) == 2, "half an answer was in the first one"


def test_a_run_that_waits_for_the_engine_can_be_cancelled(engine: Any, make_target: MakeTarget) -> None:
    asked, session, token = request(make_target(SOURCE, "common")), ModelSession(), CancelToken()
    first = open_proposer("vllm:base", model_session=run_of(session, "first"))
    second = open_proposer("vllm:base", model_session=run_of(session, "second", token))
    first.propose(asked)
    engine.loaded[0].tokens = 1_000_000
    with ThreadPoolExecutor(2) as pool:
        answers = pool.submit(first.propose, asked)
        while not engine.answering:
            time.sleep(0.01)
        waits = pool.submit(second.propose, asked)
        token.cancel()
        assert isinstance(waits.exception(timeout=60), CancelledError)
        assert not answers.done()
        engine.loaded[0].llm_engine.left = 1
        assert len(answers.result(timeout=60)) == 4
    assert len(engine.loaded) == 1


def test_a_cap_of_money_on_the_engine_is_refused_before_it_is_loaded(engine: Any) -> None:
    with pytest.raises(ProposerError, match=r"vllm:base .*no price.*--max-cost.*--max-tokens"):
        open_proposer("vllm:base", model_session=ModelSession(caps=Caps(cost_usd=1.0)))
    assert engine.loaded == []


@pytest.mark.nightly
@pytest.mark.slow
def test_an_adapter_as_peft_writes_it(local_models: Path) -> None:
    model = parse_engine_model(str(local_models / "adapter"))
    assert model.base == str(local_models / "random")
    assert engine_arguments(model, 0)["max_lora_rank"] == 16


@pytest.mark.slow
@pytest.mark.needs_gpu
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "usable"), [("good?max_tokens=512", True), ("adapter?max_tokens=32", False)])
def test_the_real_engine(request: pytest.FixtureRequest, make_target: MakeTarget, name: str, usable: bool) -> None:
    """Loads a model made on the spot into vLLM, and asks it for a batch; each in a process of its own."""
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed: it needs the extra `vllm`, and a machine with a GPU")
    if not importlib.import_module("torch").cuda.is_available():
        pytest.skip("no GPU here")
    local_models: Path = request.getfixturevalue("local_models")
    target = make_target(SOURCE, "common")
    done = subprocess.run(
        [sys.executable, "-c", BATCH, f"vllm:{local_models / name}&max_model_len=8192", target.path],
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert [len(answer) for answer in answers] == [2, 2]
    assert [("known = set(right)" in text) for answer in answers for text in answer] == [usable] * 4
