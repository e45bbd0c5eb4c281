"""Editors with a real server each; none outlives its test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from editor_client import VS_CODE, Editor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from editor_client import StartEditor


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what servers look up apart from the runs of other tests, and of whoever runs them."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of its own, which no other project is around."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    return folder


@pytest.fixture
def start_editor(project: Path) -> Iterator[StartEditor]:
    editors: list[Editor] = []

    def start(capabilities: dict[str, Any] = VS_CODE, **options: Any) -> Editor:
        editor = Editor(capabilities, **options)
        editors.append(editor)
        editor.start(project)
        return editor

    yield start
    for editor in editors:
        editor.close()
