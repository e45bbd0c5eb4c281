"""Messages of the program, in the words of an editor."""

from __future__ import annotations

import pytest

from afterburner.lsp_server.settings import in_editor_words


@pytest.mark.parametrize(
    ("told", "in_words"),
    [
        (
            "openai/gpt-5 needs a key: set OPENAI_API_KEY in the environment.",
            (
                "openai/gpt-5 needs a key: set OPENAI_API_KEY in the environment that the editor is started in, "
                "and start it again."
            ),
        ),
        ("the time (--max-seconds) is up", "the time (the setting afterburner.max-seconds) is up"),
        (
            "There is no Python at /a b/py3.12, which is --python /a b/py3.12. Give the right one with --python.",
            (
                "There is no Python at /a b/py3.12, which the setting afterburner.python names. Give the right one "
                "with the setting afterburner.python."
            ),
        ),
        (
            'the same provided that `a` ascends; state it with --assume "a == sorted(a)" --assume "type(b) is int"',
            (
                'the same provided that `a` ascends; state it with the setting "afterburner.assume": '
                '["a == sorted(a)", "type(b) is int"]'
            ),
        ),
        (
            """state it with --assume "kind in ("it's", 'é')" --assume "width > 0". Which of the two is faster""",
            (
                r"""state it with the setting "afterburner.assume": ["kind in (\"it's\", 'é')", "width > 0"]. """
                "Which of the two is faster"
            ),
        ),
        (
            """state it with --assume ""it's" in row". Give more""",
            r"""state it with the setting "afterburner.assume": ["\"it's\" in row"]. Give more""",
        ),
        (
            '--assume "a == 1" holds in none of the 3 real calls: it is false.',
            'the setting afterburner.assume "a == 1" holds in none of the 3 real calls: it is false.',
        ),
        (
            "only rounding differs, and by at most 1.0e-16; --float-tolerance 1e-15 allows it",
            "only rounding differs, and by at most 1.0e-16; the setting afterburner.float-tolerance 1e-15 allows it",
        ),
        ("call 1 returned '--max-seconds' instead of 2", "call 1 returned '--max-seconds' instead of 2"),
    ],
)
def test_options_and_the_environment_are_those_of_the_editor(told: str, in_words: str) -> None:
    assert in_editor_words(told) == in_words
