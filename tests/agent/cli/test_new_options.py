"""An option that is added to a command becomes a setting by itself, whatever its type."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - the parser looks at the annotations
from typing import Annotated, Literal

import pytest
import typer
from typer.testing import CliRunner

from afterburner.agent.cli.settings import SettingsCommand, origin_of
from afterburner.agent.errors import SettingsError

seen: dict[str, object] = {}


def work(
    context: typer.Context,
    places: Annotated[list[str], typer.Argument()],
    *,
    sizes: Annotated[list[int] | None, typer.Option()] = None,
    names: Annotated[list[str] | None, typer.Option(metavar="NAMES")] = None,
    mode: Annotated[Literal["plain", "greedy"], typer.Option()] = "plain",
    most: Annotated[float | None, typer.Option(min=0.0)] = None,
    keep: Annotated[bool, typer.Option("--keep/--drop")] = True,
    source: Annotated[str | None, typer.Option(metavar="FILE")] = None,
    folder: Annotated[Path | None, typer.Option()] = None,
    words: Annotated[str, typer.Option(metavar="WORDS")] = "all",
) -> None:
    """Do nothing."""
    seen.clear()
    seen.update(sizes=sizes, names=names, mode=mode, most=most, keep=keep, source=source, folder=folder, words=words)
    seen.update(places=places, origin=origin_of(context, "sizes").place)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "pyproject.toml"


def call(*arguments: str) -> dict[str, object]:
    app = typer.Typer(add_completion=False)
    app.command(cls=SettingsCommand)(work)
    CliRunner().invoke(app, list(arguments), catch_exceptions=False, standalone_mode=False)
    return dict(seen)


def test_a_project_file_sets_them(place: Path) -> None:
    place.write_text(
        "[tool.afterburner]\n"
        "sizes = [3, 4]\nnames = ['a']\nmode = 'greedy'\nmost = 2\nkeep = false\nwords = 'few'\n"
    )  # fmt: skip
    found = call("x.py", "y.py")
    assert found["places"] == ["x.py", "y.py"]
    assert (found["sizes"], found["names"], found["mode"], found["most"]) == ([3, 4], ["a"], "greedy", 2.0)
    assert (found["keep"], found["words"], found["origin"]) == (False, "few", str(place))
    assert call("x.py", "--keep", "--sizes", "9")["sizes"] == [9]
    assert seen["keep"] is True


def test_variables_set_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SIZES", "3 4"), ("MODE", "greedy"), ("KEEP", "off"), ("SOURCE", "x"), ("FOLDER", "/srv")):
        monkeypatch.setenv(f"AFTERBURNER_{name}", value)
    found = call("x.py")
    assert (found["sizes"], found["mode"], found["keep"]) == ([3, 4], "greedy", False)
    assert (found["source"], str(found["folder"])) == ("x", "/srv")
    assert found["origin"] == "AFTERBURNER_SIZES"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("sizes = 3", r"an array, each element an integer"),
        ("sizes = [3, '4']", r"an array, each element an integer"),
        ("mode = 4", r"a string: one of plain, greedy"),
        ("mode = 'odd'", r"mode = \"odd\": "),
        ("most = -1", r"most = -1: "),
        ("keep = 1", r"true or false"),
        ("source = 'x'", r"may not set this by itself"),
        ("folder = '/tmp'", r"may not set this by itself"),
        ("places = ['x']", r"places is given on the command line only"),
    ],
)
def test_wrong_types_and_dangerous_texts_are_refused(place: Path, line: str, complaint: str) -> None:
    place.write_text(f"[tool.afterburner]\n{line}\n")
    with pytest.raises(SettingsError, match=complaint):
        call("x.py")
