"""Growth, the choice between time and memory, and the receipt, as the command line shows and writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

import jsonschema
import pytest

from afterburner.agent.cli.deliver import deliver
from afterburner.agent.cli.offer import weigh
from afterburner.agent.cli.outputs import Outputs
from afterburner.agent.cli.run_document import document_of
from afterburner.agent.cli.summary import print_summary
from afterburner.agent.evidence.gather import Evidence
from afterburner.agent.evidence.growth import Growth
from afterburner.agent.evidence.receipt_reading import read_receipt
from afterburner.sandbox import Measurement, UsageError

from ..evidence.conftest import GROWTH, RECEIPT  # noqa: TID252 - the same hand-made evidence

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings

    Render = Callable[..., str]


@pytest.fixture
def proven(improved: RunResult) -> RunResult:
    """The improvement with its evidence, and a candidate that needs less memory."""
    lean = replace(improved.candidates[3], measurement=Measurement(1.5, 1.4, 10_240, 20_000.0))
    fast = replace(improved.candidates[0], measurement=improved.best)
    return replace(
        improved,
        candidates=(fast, *improved.candidates[1:3], lean),
        evidence=Evidence(GROWTH, RECEIPT, "measured again on inputs 4 times as large: 9.1x"),
    )


def test_the_report_shows_growth_with_its_chart_and_the_choice(proven: RunResult, render: Render) -> None:
    text = render(lambda console: print_summary(console, proven, weigh(proven, 0.0)))
    lines = [line.split() for line in text.splitlines()]
    assert "Growth       n² → n: CPU time of one call by len(left) + len(right), measured exponent 2.0 → 1.0" in text
    assert "original: n" in text
    assert "Larger       measured again on inputs 4 times as large: 9.1x" in text
    assert "No other candidate beats these in both time and memory" in text
    assert ["1.1", "200", "ms", "20.5", "MiB", "3.91", "MiB·s"] in lines
    assert ["1.4", "1.40", "s", "10.0", "MiB", "19.5", "MiB·s"] in lines
    assert not any(line[:1] == ["original"] and len(line) > 2 for line in lines)  # it is beaten


def test_without_a_choice_or_growth_there_is_no_word_of_them(improved: RunResult, render: Render) -> None:
    text = render(lambda console: print_summary(console, improved, weigh(improved, 0.0)))
    assert "Growth" not in text
    assert "leaner" not in text
    told = replace(improved, evidence=Evidence(Growth(note="cannot tell how time grows: no size")))
    text = render(lambda console: print_summary(console, told, weigh(told, 0.0)))
    assert "Growth       cannot tell how time grows: no size" in text


def test_the_json_holds_growth_and_the_front(proven: RunResult, settings: RunSettings) -> None:
    document = document_of(proven, settings).to_json()
    jsonschema.validate(document, json.loads((files("afterburner.agent.cli") / "run-schema.json").read_text("utf-8")))
    growth = document["growth"]
    assert (growth["sentence"], growth["scaled"]) == ("n² → n", "len(left) + len(right)")
    assert (growth["original"]["class"], growth["rewrite"]["class"]) == ("n²", "n")
    assert growth["points"][0] == {"size": 250, "original_s": 2e-9 * 250 * 250, "rewrite_s": 4e-8 * 250}
    assert document["larger_inputs"] == "measured again on inputs 4 times as large: 9.1x"
    front = {each["id"]: each["on_front"] for each in document["pareto"]}
    assert front == {"1.1": True, "1.4": True, "original": False}


def test_receipt_and_picture_are_written_where_they_are_wanted(
    proven: RunResult, settings: RunSettings, tmp_path: Path
) -> None:
    outputs = Outputs(receipt=str(tmp_path / "r.json"), growth_svg=str(tmp_path / "g.svg"))
    deliver(proven, settings, outputs)
    assert read_receipt(tmp_path / "r.json") == RECEIPT
    assert "<title>report.py total: n² → n</title>" in (tmp_path / "g.svg").read_text("utf-8")


def test_the_page_is_written_whatever_was_found(
    proven: RunResult, unimproved: RunResult, settings: RunSettings, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    deliver(proven, settings, Outputs(html=str(path)))
    page = path.read_text("utf-8")
    assert "<strong>Improved:</strong> CPU time improved 8.00x.</p>" in page
    assert '<svg class="picture growth"' in page
    deliver(unimproved, settings, Outputs(html=str(path)))
    page = path.read_text("utf-8")
    assert "<strong>No improvement:</strong> nothing is offered: none of 4 candidates was correct" in page
    assert "rules: rule-4" in page


def test_stdout_may_carry_the_page(proven: RunResult, settings: RunSettings, capfd: pytest.CaptureFixture[str]) -> None:
    deliver(proven, settings, Outputs(html="-"))
    shown = capfd.readouterr()
    assert (shown.out.startswith("<!doctype html>"), shown.out.endswith("</html>\n")) == (True, True)
    assert "Improved" in shown.err, "the report moves to stderr"


def test_the_page_says_why_an_improvement_is_not_offered(
    proven: RunResult, settings: RunSettings, tmp_path: Path
) -> None:
    strict = replace(settings, proof=replace(settings.proof, min_gain_per_line=100.0))
    deliver(proven, strict, Outputs(html=str(tmp_path / "page.html")))
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<li>not offered: gain per added line 3.5 is below --min-gain-per-line 100;" in page


def test_what_cannot_be_written_for_want_of_evidence_is_told(
    unimproved: RunResult, settings: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deliver(unimproved, settings, Outputs(receipt=str(tmp_path / "r.json"), growth_svg=str(tmp_path / "g.svg")))
    shown = capsys.readouterr().out
    assert "No receipt was written: nothing was confirmed." in shown
    assert "No picture was written: growth was not measured." in shown
    assert list(tmp_path.iterdir()) == []


def test_every_result_needs_a_place_of_its_own(tmp_path: Path) -> None:
    target = tmp_path / "slow.py"
    target.write_text("x = 1\n")
    with pytest.raises(UsageError, match="--json and --receipt name the same place"):
        Outputs(json=str(tmp_path / "x"), receipt=str(tmp_path / "x")).check(target)
    with pytest.raises(UsageError, match=r"--receipt .*: this is the file to optimise"):
        Outputs(receipt=str(target)).check(target)
    with pytest.raises(UsageError, match="--json and --html name the same place"):
        Outputs(json=str(tmp_path / "x"), html=str(tmp_path / "x")).check(target)
    assert Outputs(growth_svg="-").take_stdout
    assert Outputs(html="-").take_stdout
