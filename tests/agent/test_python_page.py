"""The page on Python shows code that runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, serving

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
SHOP = """\
class Stock:
    def value(self, price):
        return 2 * price


if __name__ == "__main__":
    print(Stock().value(2), Stock().value(3))
"""
ADDS = "<thinking>why</thinking>\n<solution>\n```python\nprint(sum(map(int, input().split())))\n```\n</solution>"


@pytest.mark.slow
def test_every_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The function is too small for a gain, so nothing is confirmed; the problem is solved by the first answer."""
    (tmp_path / "shop.py").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    ran: list[dict[str, Any]] = []
    with serving(ModelServer(lambda _asked, _number: ADDS)) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        for example in examples:
            names: dict[str, Any] = {}
            exec(compile(example, str(PAGE), "exec"), names)  # noqa: S102 - our own page
            ran.append(names)
    on_a_file, on_a_problem, calls = ran
    assert not on_a_file["result"].improved
    assert on_a_problem["result"].best_source.strip() == "print(sum(map(int, input().split())))"
    assert calls["problem"].function == "Solution.twoSum"
