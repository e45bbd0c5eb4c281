"""What an offer says of itself before anybody applies it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from lsprotocol import types

from afterburner.agent.judge.input_gains import Outweighed
from afterburner.agent.types import Gain, GainRange, JudgedCandidate, Objective, Skipped, WorkloadCall
from afterburner.lsp_server.conditions import summary_of
from afterburner.lsp_server.lenses import lenses_of
from afterburner.lsp_server.offer_commands import without_offer
from afterburner.lsp_server.offers import Offer, Offers
from afterburner.lsp_server.text.documents import Document, Documents
from afterburner.lsp_server.text.outline import outline

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult


REAL = WorkloadCall(b"", "captured from __main__", "f(1)", 0.1)


@dataclass(frozen=True)
class Result:
    """What an offer looks at of the result of a run."""

    objective: Objective = Objective.TIME
    summary: str = "CPU time improved 13.5x"
    gain: Gain = field(default_factory=lambda: Gain(13.5, 11.8, 13.9, 0.99, 8))
    by_size: GainRange | None = None
    caveat: str = ""
    invented_inputs: str = ""
    on_real_calls: str = ""
    assume: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    candidates: tuple[JudgedCandidate, ...] = ()
    run_id: str = "20261130-1"


def result_of(**found: object) -> RunResult:
    return cast("RunResult", Result(**found))  # type: ignore[arg-type]


def offer_of(**found: object) -> Offer:
    return Offer("file:///shop.py", result_of(**found), "f", "", "", "", "")


def test_an_offer_says_what_is_stated_of_its_inputs() -> None:
    assert offer_of().short == "13.5x faster (11.8x to 13.9x), proven"
    assert offer_of(assume=("width > 0",)).short == "13.5x faster (11.8x to 13.9x), proven given `width > 0`"
    assert summary_of(result_of()) == "CPU time improved 13.5x"
    assert summary_of(result_of(assume=("a > 0", "b > 0"))) == "CPU time improved 13.5x, given `a > 0` and `b > 0`"


def test_an_offer_says_that_the_real_calls_do_not_show_the_gain() -> None:
    told = Outweighed((REAL,) * 40, 1.01, "").told
    assert offer_of(on_real_calls=told).short == (
        "13.5x faster (11.8x to 13.9x), proven; on the 40 real calls alone it gains 1.01x"
    )


NO_PYTEST = Skipped(
    "pytest", "tests/test_shop.py would be run, but pytest is not installed: /usr/bin/python3 -m pip install pytest"
)
OTHER = Skipped("doctest", "it has no examples")
NONE_FITS = "nothing is offered: no rule fits; a language model may find more"


def test_a_run_without_an_offer_says_that_its_inputs_are_made_and_which_tests_lack_pytest() -> None:
    made = {"summary": NONE_FITS, "invented_inputs": "6 calls made from type hints"}
    assert without_offer(result_of(**made, skipped=(OTHER,))).message == (
        f"{NONE_FITS}. None of its inputs is from your project."
    )
    assert without_offer(result_of(**made, skipped=(OTHER, NO_PYTEST))).message == (
        f"{NONE_FITS}. None of its inputs is from your project; "
        "tests/test_shop.py would be run, but pytest is not installed."
    )
    assert without_offer(result_of(summary=NONE_FITS, skipped=(NO_PYTEST,))).message == f"{NONE_FITS}."


def test_an_offer_on_made_inputs_says_which_tests_lack_pytest() -> None:
    told = "CPU time improved 13.5x; workload: 6 calls made from type hints; none is from your project"
    made = result_of(summary=told, invented_inputs="6 calls made from type hints", skipped=(NO_PYTEST,))
    assert summary_of(made) == f"{told}; tests/test_shop.py would be run, but pytest is not installed"


def test_a_lens_has_a_short_line_and_the_whole_of_it_in_its_tooltip() -> None:
    found = {
        "caveat": "it differs",
        "by_size": GainRange(1 / 2.07, 20.0),
        "invented_inputs": "6 calls",
        "on_real_calls": Outweighed((REAL,) * 40, 1.01, "").told,
    }
    assert offer_of().brief == offer_of().short
    told = {
        ("len(rows) == len(columns)",): "given what you state; 4 more caveats",
        ("width > 0",): "given `width > 0`; 4 more caveats",
        (): "differs on other kinds; 3 more caveats",
    }
    for assume, limits in told.items():
        assert offer_of(**found, assume=assume).brief == f"13.5x faster, proven; {limits}"
    memory = offer_of(**found, objective=Objective.INTEGRAL)
    assert memory.brief == "13.5x less memory over time, proven; 4 caveats"
    slower = offer_of(by_size=GainRange(1 / 2.07, 20.0))
    assert slower.brief == "13.5x faster, proven; 2.07x slower on small inputs"
    text = "def f():\n    return 1\n"
    offers, offer = Offers(), replace(offer_of(**found), rewrite=text)
    offers.keep(offer)
    gain, *buttons = [each.command for each in lenses_of(opened(offer.uri, text), outline(text), offers)]
    assert gain is not None
    assert (gain.title, gain.tooltip) == (offer.brief, offer.short)
    assert [each.title for each in buttons if each is not None] == ["report", "revert"]


def test_the_latest_run_of_a_file_goes_before_a_later_one_of_another_file() -> None:
    offers = Offers()
    assert offers.latest("file:///shop.py") is None
    first, second, third = (result_of(run_id=f"20261130-{number}") for number in (1, 2, 3))
    offers.keep(replace(offer_of(), result=first))
    offers.keep_without("file:///shop.py", "g", second)
    offers.keep_without("file:///other.py", "h", third)
    assert offers.latest("file:///shop.py") == ("file:///shop.py", "g", second)
    assert offers.latest("file:///none.py") == ("file:///other.py", "h", third)
    offers.forget("file:///other.py")
    assert offers.latest("file:///none.py") == ("file:///shop.py", "g", second)


def opened(uri: str, text: str) -> Document:
    documents = Documents("file:///")
    documents.put_text_document(types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text))
    document = documents.document(uri)
    assert document is not None
    return document
