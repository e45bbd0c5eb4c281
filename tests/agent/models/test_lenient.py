"""Answers that break the format: what is made of them, under which name, and what is never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.agent.code.locate import find_target
from afterburner.agent.models.prompts.answer_format import Answer, AnswerFormatError, parse_answer
from afterburner.agent.models.prompts.lenient_reading import Wanted, read_answer
from afterburner.agent.models.prompts.reading_answers import proposal_from

CODE = "def f():\n    return 1\n"
OTHER = "def f():\n    return 2\n"
BLOCK = f"```python\n{CODE}```"
ROUNDABOUT = "import os\n\n\ndef f():\n    os.sep\n"
F = Wanted("f")
EOL = "\n"
REPEATED = "repeated tags, prose around"


def fenced(code: str, tag: str = "python") -> str:
    return f"```{tag}\n{code}```"


def think(text: str, name: str = "thinking") -> str:
    return f"<{name}>{text}</{name}>"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (f"{think('why')}<solution>{BLOCK}</solution>", "strict"),
        (f"{think('why')}<solution>{fenced(OTHER)}\nor\n{BLOCK}</solution>", "strict"),
        (BLOCK, "no tags"),
        (f"Sure, here it is:\n{BLOCK}\nEnjoy!", "no tags, prose around"),
        (f"<solution>{BLOCK}</solution>", "missing tags"),
        (f"{think('why')}{BLOCK}", "missing tags"),
        (f"{think('why')}\n{BLOCK}\n</solution>", "missing tags"),
        (f"<thinking>why<solution>{BLOCK}</solution>", "missing tags"),
        (f"why</thinking><solution>{BLOCK}</solution>", "missing tags"),
        (f"<thinking>why<solution>{BLOCK}</solution></thinking>", "missing tags"),
        (f"<solution>{BLOCK}</solution>{think('why')}", "missing tags, prose around"),
        (f"{think('why', 'think')}{BLOCK}", "think tags, missing tags"),
        (f"{think('why', 'think')}<solution>{BLOCK}</solution>", "think tags"),
        (f"why</think>\n<solution>{BLOCK}</solution>", "think tags"),
        (f"{think('why', 'think')}{think('so')}<solution>{BLOCK}</solution>", "think tags"),
        (
            f"{think('why')}<solution>{fenced(OTHER)}\n</solution><solution>{BLOCK}</solution>",
            "repeated tags, prose around",
        ),
        (f"{think('a <solution> b')}<solution>{BLOCK}</solution>", "repeated tags"),
        (f"Sure!\n{think('why')}<solution>{BLOCK}</solution>", "prose around"),
        (f"{think('why')}<solution>{BLOCK}</solution>\nBye.", "prose around"),
        (f"{think('why')}\nSo:\n<solution>{BLOCK}</solution>", "prose around"),
        (f"{think('why')}<solution>{CODE}</solution>", "no code block"),
        (CODE, "no tags, no code block"),
        (f"{think('why')}<solution>{CODE}", "missing tags, no code block"),
        (f"{think('why')}<solution>{BLOCK}\n{fenced('')}</solution>", "several code blocks"),
        (f"{fenced(OTHER)}\nBetter:\n{BLOCK}", "no tags, prose around, several code blocks"),
        (f"{BLOCK}\n{fenced('print(f())' + EOL)}\n{fenced('1' + EOL, 'text')}", "no tags, several code blocks"),
        (f"{fenced('pip install x' + EOL, 'bash')}\n{BLOCK}", "no tags, several code blocks"),
        (f"{think('why')}<solution>```python\n{CODE}</solution>", "truncated"),
        (f"{think('why')}<solution>```python\n{CODE}", "missing tags, truncated"),
        (f"{think('why')}<solution>{BLOCK}", "missing tags"),
        (f"{think(BLOCK.replace('1', '7'))}{BLOCK}", "missing tags"),
    ],
)  # fmt: skip
def test_what_is_meant_clearly_is_read_and_the_leniency_has_a_name(text: str, form: str) -> None:
    answer = read_answer(text, F)
    assert answer.form == form
    assert answer.code == CODE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sure, here you go!",
        f"<thinking>why {BLOCK}",
        f"<think>a draft: {BLOCK}\nNo, better",
        think(BLOCK),
        f"{think(BLOCK, 'think')}<solution></solution>",
        fenced("def g():\n    return 1\n"),
        fenced("def f(:\n    return 1\n"),
        fenced(CODE, "text"),
        f"Do this: {CODE}",
        "f",
        "```python\ndef f():\n    x = 1\n",
        f"{think('why')}<solution>```python\ndef f():\n    return (1,\n",
        f"{BLOCK}\nOr rather:\n```python\ndef f():\n    return (1,\n",
        f"{think('why')}<solution>def f():\n    x = 1\n",
        "```python\n" + "(" * 5000,
        "```python\n\0```",
    ],
)
def test_what_is_not_clear_is_not_guessed(text: str) -> None:
    with pytest.raises(AnswerFormatError, match=r"empty|Read leniently"):
        read_answer(text, F)


@pytest.mark.parametrize(
    ("text", "usable"),
    [
        (f"{think('why')}<solution>{BLOCK}", True),
        (f"{think('why')}<solution>{BLOCK}</solution>", True),
        (f"{BLOCK}\nThis is faster since", True),
        (f"{think('why')}<solution>```python\n{CODE}\nprint(", False),
        (f"{think('why')}<solution>```python\n{CODE}", False),  # `return 10` may have been meant
        (f"{think('why')}<solution>```python\n{CODE}\n\nX = 1", True),
        (f"{think('why')}<solution>```python\nX = 1\n{CODE}", False),
        (CODE, False),
    ],
)
def test_what_the_limit_of_tokens_cut_off_is_read_if_the_function_is_whole(text: str, usable: bool) -> None:
    if usable:
        answer = read_answer(text, F, cut_off=True)
        assert answer.code.startswith(CODE)
        assert answer.form.endswith("truncated") or answer.form == "strict"
    else:
        with pytest.raises(AnswerFormatError, match="cut off: the model's limit of tokens"):
            read_answer(text, F, cut_off=True)


def test_a_function_that_returns_nothing_is_whole_only_with_an_end_behind_it() -> None:
    assert read_answer(f"<solution>```python\n{ROUNDABOUT}</solution>", F).code == ROUNDABOUT
    with pytest.raises(AnswerFormatError):
        read_answer(f"<solution>```python\n{ROUNDABOUT}", F)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("class A:\n    def f(self):\n        return 1\n", Wanted("A.f")),
        ("def f(self):\n    return 1\n", Wanted("A.f")),
        ("    def f(self):\n        return 1\n", Wanted("A.f")),
        ("async def f():\n    return 1\n", F),
        ("if True:\n    def f():\n        return 1\n", F),
        ("import sys\nprint(sys.stdin.read())\n", Wanted()),
        ("int main() { return 0; }\n", Wanted(language="C++")),
    ],
)
def test_methods_programs_and_other_languages_are_read(code: str, wanted: Wanted) -> None:
    assert read_answer(f"So:\n{fenced(code, 'x')}", wanted).code == code


def test_code_of_another_language_without_an_end_is_not_taken() -> None:
    with pytest.raises(AnswerFormatError):
        read_answer("<solution>```c++\nint main() { return 0; }\n", Wanted(language="C++"))
    with pytest.raises(AnswerFormatError):
        read_answer("<solution>```python\nprint(1)\n", Wanted())


def test_thoughts_that_came_apart_are_the_thinking_and_cannot_disturb() -> None:
    thoughts = f"Maybe <solution>{fenced(OTHER)}</solution>?"
    strict = read_answer(f"<solution>{BLOCK}</solution>", F, reasoning=thoughts)
    assert (strict.thinking, strict.code, strict.form) == (thoughts, CODE, "strict")
    lenient = read_answer(BLOCK, F, reasoning=thoughts)
    assert (lenient.thinking, lenient.code, lenient.form) == (thoughts, CODE, "missing tags")
    both = read_answer(f"{think('so')}<solution>{BLOCK}</solution>", F, reasoning=thoughts)
    assert (both.thinking, both.form) == ("so", "strict")


def test_tags_inside_of_code_are_code() -> None:
    code = "def f():\n    return '<think></think><solution></solution>'\n"
    assert read_answer(f"Here:\n{fenced(code)}", F).code == code
    assert read_answer(f"{think('a', 'think')}\n<solution>\n{fenced(code)}\n</solution>", F).code == code


PIECES = st.sampled_from([
    "<thinking>", "</thinking>", "<solution>", "</solution>", "<think>", "</think>", "```python\n", "```\n", "\n```",
    "~~~\n", CODE, OTHER, "def f():\n", "x = '", "'''", "\\", "\0", "\r\n", "\x0c", " ", "\t", "é", "\ud800", "(",
])  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=14).map("".join),
    st.sampled_from([F, Wanted("A.f"), Wanted(), Wanted(language="Go")]),
    st.booleans(),
    st.sampled_from(["", "hm", "</thinking>", "<solution>"]),
)
def test_no_text_breaks_the_reader_and_strict_answers_are_read_as_before(
    text: str, wanted: Wanted, cut_off: bool, reasoning: str
) -> None:
    try:
        strict: Answer | None = parse_answer(text)
    except AnswerFormatError:
        strict = None
    try:
        lenient: Answer | None = read_answer(text, wanted, cut_off=cut_off, reasoning=reasoning)
    except AnswerFormatError:
        lenient = None
    if strict is not None:
        assert lenient == strict
    elif lenient is not None and not reasoning:
        assert lenient.form
        assert lenient.form != "strict"
        assert lenient.code.strip()
        assert lenient.code.strip() in text
        with pytest.raises(AnswerFormatError):
            read_answer(text, wanted, strict=True)


def test_a_proposal_says_how_its_answer_was_read(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("code") / "module.py"
    path.write_text("def f():\n    return 0 + 1\n")
    target = find_target(path, "f")
    assert proposal_from(BLOCK, target, "m").answer_form == "no tags"
    strict = proposal_from(BLOCK, target, "m", strict=True)
    assert (strict.rewrite, strict.answer_form) == (None, "")
    assert "no <thinking>" in strict.error
    cut = proposal_from("<thinking>I", target, "m", cut_off=True, reasoning="so far")
    assert cut.rewrite is None
    assert cut.error.startswith("The answer was cut off")
    assert cut.reasoning == "so far"
