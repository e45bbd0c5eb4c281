"""What is told of code that fails while inputs are looked for."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from afterburner.agent.inputs.inside.user_code import guarded

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_notes_do_not_take_the_place_of_the_exception(capsys: pytest.CaptureFixture[str]) -> None:
    """Hypothesis notes what it had drawn, over several lines."""

    def fail() -> None:
        error = ValueError("no such strategy")
        error.add_note("Failing test case: collect(\n    data=data(...),\n)")
        raise error

    told: list[dict[str, Any]] = []
    guarded(told.append, "run", fail)
    assert told == [{"kind": "failed", "stage": "run", "reason": "ValueError: no such strategy"}]
    assert capsys.readouterr().err.endswith("ValueError: no such strategy\n")


def test_a_syntax_error_is_told_with_its_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("x = 1\ny = = 2\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("broken", file)
    assert spec is not None
    assert spec.loader is not None
    loader, module = spec.loader, importlib.util.module_from_spec(spec)
    told: list[dict[str, Any]] = []
    guarded(told.append, "import", lambda: loader.exec_module(module))
    assert [each["reason"] for each in told] == [f"{file}:2: SyntaxError: invalid syntax"]
