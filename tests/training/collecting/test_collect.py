"""Cold-start data: what of a model's answers is kept, what is counted, and how a collection goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, StoredRequest, serving
from typer.testing import CliRunner

from afterburner.sandbox import AfterburnerError
from afterburner.training.collecting.choosing import choose_answers
from afterburner.training.collecting.folder import Collection, StoredAnswer
from afterburner.training.collecting.lines import LinesFile
from afterburner.training.collecting.settings import Filters
from afterburner.training.commands.group import app
from afterburner.training.data.export import Program, export
from afterburner.training.data.reading import DataSet, read_data
from afterburner.training.data.settings import Recipe
from afterburner.training.data.writing import write_data
from afterburner.training.errors import TrainingError

from .sums import CHEAT, FAST, KNOWS_ONE, SLOW, SLOWER, WRONG, strict, write_prompts

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

PROGRAM = str(Path(sys.executable).with_name("afterburner-agent"))
MODEL = "hosted_vllm/writer"


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelServer], ModelServer]:
    """Makes a server the one that MODEL is at."""

    def at(server: ModelServer) -> ModelServer:
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", server.url)
        return server

    return at


def collect(data: Path, out: Path, *words: str, model: str = MODEL) -> Result:
    given = ["collect", "--from", str(data), "--out", str(out), "--model", model, *words]
    return CliRunner().invoke(app, given)


def problem_of(asked: StoredRequest) -> str:
    return "more" if "This is more." in asked.prompt else "sum"


@pytest.mark.slow
def test_strict_answers_that_pass_are_kept_as_they_came(
    tmp_path: Path, serve: Callable[[ModelServer], ModelServer]
) -> None:
    """Cheats, wrong code, code that knows the shown tests alone, another format and duplicates are left out."""
    bare = f"```python\n{FAST}```"
    texts = {"sum": [strict(FAST), strict(SLOWER), strict(WRONG), strict(FAST), bare, strict(CHEAT)]}
    texts["more"] = [strict(KNOWS_ONE), bare, bare, bare, bare, f" {strict(FAST)}\n"]
    said: dict[str, int] = {}

    def answer(asked: StoredRequest, _: int) -> str:
        name = problem_of(asked)
        said[name] = said.get(name, -1) + 1
        return texts[name][said[name]]

    data, out = write_prompts(tmp_path), tmp_path / "cold"
    with serving(ModelServer(answer)) as server:
        serve(server)
        done = collect(data, out, "--samples", "6", "--temperature", "0.9")
        assert done.exit_code == 0, done.output
        assert "12 answers: 7 strict, 4 passing, 3 kept" in done.stdout
        prompts = {row["problem_id"]: row["prompt"] for row in read_data(data).rows}
        assert {problem_of(each): each.body["messages"] for each in server.asked} == prompts
        assert {each.body["temperature"] for each in server.asked} == {0.9}
        count = len(server.asked)
        found = read_data(out)
        assert found.recipe is Recipe.COLD_START
        assert sorted((row["problem_id"], row["completion"][0]["content"]) for row in found.rows) == [
            ("more", f" {strict(FAST)}\n"),
            ("sum", strict(SLOWER)),
            ("sum", strict(FAST)),
        ]
        assert all(row["prompt"] == prompts[row["problem_id"]] for row in found.rows)
        before = (out / "train.parquet").read_bytes()
        again = collect(data, out, "--samples", "6", "--temperature", "0.9")
        assert again.exit_code == 0, again.output
        assert (out / "train.parquet").read_bytes() == before, "what is stored gives the same file"
        assert collect(data, out, "--samples", "6", "--temperature", "0.9", "--improving").exit_code == 0
        assert len(server.asked) == count, "no answer is asked for again"
    assert {row["completion"][0]["content"].strip() for row in read_data(out).rows} == {strict(FAST)}
    card = found.card
    assert card["left_out"] == {
        "the answer is not in the strict format": 5,
        "the code fails: wrong answer": 1,
        "the code fails: hidden tests": 1,
        "the code cheats": 1,
        "the answer is the same as an earlier one to its prompt": 1,
    }
    assert card["paper"] == {"asked": 3_392, "examples": 2_071}
    assert json.loads((out / "card.json").read_text())["left_out"]["the code is not better than the original"] == 1
    assert "| kept | 2 | 2,071 |" in (out / "README.md").read_text("utf-8")
    lines = export(found, Program.LLAMA_FACTORY, tmp_path / "llama").read_text("utf-8").splitlines()
    assert [json.loads(line)["messages"] for line in lines] == [
        [*row["prompt"], *row["completion"]] for row in found.rows
    ]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_killed_collection_goes_on_and_pays_for_no_answer_twice(
    tmp_path: Path, serve: Callable[[ModelServer], ModelServer]
) -> None:
    """The kill comes while the third prompt is under way: only that one is sent again, as the same request."""
    data, out = write_prompts(tmp_path, ("sum", "more", "third")), tmp_path / "cold"
    held = threading.Event()

    def answer(_: StoredRequest, number: int) -> str:
        if number == 3:
            held.wait(60)
        return strict(FAST)

    with serving(ModelServer(answer)) as server:
        serve(server)
        words = ["--samples", "1", "--jobs", "1"]
        given = ["train", "collect", "--from", str(data), "--out", str(out), "--model", MODEL, *words]
        first = subprocess.Popen([PROGRAM, *given], stderr=subprocess.DEVNULL)
        while len(server.asked) < 3:
            assert first.poll() is None
            time.sleep(0.05)
        first.send_signal(signal.SIGKILL)
        first.wait()
        held.set()
        assert len((out / "answers.jsonl").read_text().splitlines()) == 2
        with (out / "answers.jsonl").open("a") as file:
            file.write('{"row": 2, "sam')  # as a kill in the middle of writing would leave it
        done = collect(data, out, *words)
        assert done.exit_code == 0, done.output
    keys = [each.headers["Idempotency-Key"] for each in server.asked]
    assert len(keys) == 4
    assert len(set(keys)) == 3
    assert keys[3] == keys[2]
    assert [row["problem_id"] for row in read_data(out).rows] == [row["problem_id"] for row in read_data(data).rows]
    assert "3 answers: 3 strict, 3 passing, 3 kept" in done.stdout


@pytest.mark.slow
def test_a_cap_leaves_the_rest_for_the_next_call_and_counts_over_all_of_them(
    tmp_path: Path, serve: Callable[[ModelServer], ModelServer]
) -> None:
    data, out = write_prompts(tmp_path), tmp_path / "cold"
    with serving(ModelServer(lambda *_: strict(FAST))) as server:
        serve(server)
        words = ["--samples", "1", "--jobs", "1", "--max-requests"]
        for _ in range(2):
            done = collect(data, out, *words, "1")
            assert done.exit_code == 1
            assert "1 answers are missing: the cap of 1 requests (--max-requests) is reached" in done.stdout
        assert len(server.asked) == 1
        assert len(read_data(out).rows) == 1, "what came is judged and written all the same"
        assert collect(data, out, *words, "2").exit_code == 0
        assert len(server.asked) == 2
    assert len(read_data(out).rows) == 2
    other = collect(data, out, "--samples", "2")
    assert isinstance(other.exception, TrainingError)
    assert "was begun with another samples: 1, and now 2" in str(other.exception)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_answers_of_a_recording_are_taken_in_the_order_of_the_prompts(tmp_path: Path) -> None:
    data, recording = write_prompts(tmp_path), tmp_path / "answers.jsonl"
    texts = [strict(FAST), "no code", strict(SLOW), strict(WRONG)]
    recording.write_text("".join(json.dumps({"content": each}) + "\n" for each in texts))
    done = collect(data, tmp_path / "cold", "--samples", "2", model=f"replay:{recording}")
    assert done.exit_code == 0, done.output
    first, second = (row["problem_id"] for row in read_data(data).rows)
    assert [(row["problem_id"], row["completion"][0]["content"]) for row in read_data(tmp_path / "cold").rows] == [
        (first, strict(FAST)),
        (second, strict(SLOW)),
    ]


def test_what_the_sandbox_could_not_judge_is_counted_apart_and_is_no_failure(tmp_path: Path) -> None:
    collection = Collection.open(tmp_path, {})
    collection.keep(StoredAnswer(0, sample, strict(code), "m", "stop") for sample, code in enumerate((FAST, SLOW)))
    collection.keep([StoredAnswer(0, 2, "<thinking>so long", "m", "length")])
    rows, card = choose_answers(
        collection, DataSet(Recipe.GRPO, ({"problem_id": "p"},), {}), Filters(), {(0, 0): "no memory", (0, 1): "broken"}
    )
    assert not rows
    assert (card.asked, card.strict, card.passing, card.lost) == (3, 2, 0, ["no memory", "broken"])
    assert card.left_out == {
        "the sandbox could not judge the code": 2,
        "the limit of tokens cut the answer off": 1,
    }


def test_lines_survive_a_kill_in_the_middle_of_one(tmp_path: Path) -> None:
    file = LinesFile(tmp_path / "lines")
    assert file.read() == []
    file.append([{"a": 1}, {"a": "\u2028ü"}])
    file.path.write_bytes(file.path.read_bytes() + b'{"a": 3')
    with pytest.raises(TrainingError, match="cannot be used"):
        file.read()
    file.mend()
    file.append([{"a": 4}])
    assert file.read() == [{"a": 1}, {"a": "\u2028ü"}, {"a": 4}]


@pytest.mark.parametrize(
    ("model", "words", "said"),
    [
        ("rules", [], "rules cannot answer a prompt. Give one language model"),
        ("replay:nothing.jsonl", [], "No such recording"),
        ("replay:{tmp}/answers.jsonl", ["--benchmark", "{tmp}"], "is no benchmark of eval build"),
        ("replay:{tmp}/answers.jsonl", ["--benchmark", "{tmp}/other"], "has no problem 'sum'"),
        ("replay:{tmp}/answers.jsonl", ["--temperature", "0"], "Give --samples 1"),
        ("replay:{tmp}/answers.jsonl", ["--samples", "5000"], "from 1 to 1,000"),
        ("replay:{tmp}/answers.jsonl", ["--improving", "--least-gap", "1"], "above 1"),
        ("replay:{tmp}/answers.jsonl", ["--from", "{tmp}"], "holds no data set"),
        ("replay:{tmp}/recorded.jsonl", [], "was recorded by runs"),
        ("replay:{tmp}/empty.jsonl", [], "The model gave no answer"),
        ("replay:{tmp}/answers.jsonl", ["--out", "{tmp}/other"], "is not empty and holds no collection"),
    ],
)
def test_what_cannot_be_collected_says_why(tmp_path: Path, model: str, words: list[str], said: str) -> None:
    data, line = write_prompts(tmp_path), {"content": strict(FAST)}
    (tmp_path / "more").mkdir()
    write_prompts(tmp_path / "more", ("more",))
    (tmp_path / "more" / "benchmark").rename(tmp_path / "other")
    recorded = {**line, "asked": "m", "file": "a.py", "function": None, "iteration": 1, "candidate": 1}
    (tmp_path / "answers.jsonl").write_text(json.dumps(line))
    (tmp_path / "recorded.jsonl").write_text(json.dumps(recorded))
    (tmp_path / "empty.jsonl").write_text("")
    changed = [each.format(tmp=tmp_path) for each in words]
    done = collect(data, tmp_path / "cold", *changed, model=model.format(tmp=tmp_path))
    assert isinstance(done.exception, AfterburnerError)
    assert said in str(done.exception)
    assert not (tmp_path / "cold" / "train.parquet").exists()


def test_another_recipe_has_no_prompts_to_ask_and_cold_start_data_is_not_built(tmp_path: Path) -> None:
    data = write_prompts(tmp_path)
    answered = [{**row, "completion": [{"role": "assistant", "content": "x"}]} for row in read_data(data).rows]
    write_data(answered, {"recipe": "sft", "source": ""}, "", tmp_path / "sft")
    done = collect(tmp_path / "sft", tmp_path / "cold", model="replay:x")
    assert "Give one that train data grpo made" in str(done.exception)
    built = CliRunner().invoke(
        app, ["data", "cold-start", "--from", str(tmp_path / "benchmark"), "--out", str(tmp_path / "x")]
    )
    assert "afterburner-agent train collect --from DATA" in str(built.exception)
