"""The file that calls the functions of a module, as it is begun."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from afterburner.lsp_server.calls_file import calls_for, stub_for

if TYPE_CHECKING:
    from pathlib import Path

RELATIVE = "from .stock import RATE\n\n\ndef price(net, *, rate=RATE):\n    return net * rate\n"


@pytest.mark.parametrize("folder", ["inventory", "src/inventory"])
def test_it_imports_a_module_of_a_package_by_its_whole_name(tmp_path: Path, folder: str) -> None:
    package = tmp_path / folder
    package.mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    for name, text in {"__init__.py": "", "stock.py": "RATE = 2\n", "words.py": RELATIVE}.items():
        (package / name).write_text(text)
    stub = stub_for(package / "words.py", "price", RELATIVE.partition("\n\n\n")[2])
    assert stub.startswith('"""Calls of words.py: ')
    assert "from inventory.words import price\n" in stub
    assert "# price(net, rate)" in stub
    (package / "words_calls.py").write_text(f"{stub}print(price(3))\n")
    assert calls_for(package / "words.py", "price") == package / "words_calls.py"
    done = subprocess.run(
        [sys.executable, str(package / "words_calls.py")],
        env={"PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "6\n", done.stderr
