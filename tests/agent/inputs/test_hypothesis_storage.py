"""What Hypothesis would find out anew in each process is in its folder already, and right."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from afterburner.agent.inputs.inside import hypothesis_storage

if TYPE_CHECKING:
    from pathlib import Path

_SCRIPT = """\
import sys
from afterburner.agent.inputs.inside.hypothesis_storage import provide_storage

if sys.argv[2] == "provided":
    provide_storage(sys.argv[1])

from hypothesis import find, strategies
from hypothesis.internal.charmap import intervals_from_codec

find(strategies.text(), lambda text: True)
print(intervals_from_codec("utf-8"))
"""


_INTERRUPTED = """\
import sys
from afterburner.agent.inputs.inside import hinted_values

hinted_values.DRAWING_S = 0.1  # less than the import takes, as the limit is on a busy machine

def takes(number: int): ...

hinted_values.hinted_values(takes, "", 0)
assert "hypothesis" in sys.modules
from hypothesis import find, strategies
print(find(strategies.lists(strategies.integers()), lambda numbers: len(numbers) > 1))
"""


def _said(folder: Path, word: str) -> str:
    """What Hypothesis takes for encodable, with its storage in this folder."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(folder), word],
        env={"HYPOTHESIS_STORAGE_DIRECTORY": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_hypothesis_is_told_what_it_would_find_out_itself(tmp_path: Path) -> None:
    """It reads what was provided: the same as it computes, and it computes and writes nothing of its own."""
    provided, computed = tmp_path / "provided", tmp_path / "computed"
    assert _said(provided, "provided") == _said(computed, "computed")
    [made] = (computed / "unicode_data").glob("*/codec-*utf-8.json.gz")
    [known] = (provided / "unicode_data").glob(f"*/{made.name}")
    assert known.parent.name == made.parent.name
    assert not (provided / "tmp").exists()


def test_a_time_limit_for_drawing_does_not_leave_hypothesis_half_imported(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED],
        env={"HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "[0, 0]\n"), done.stderr  # a callback of Hypothesis may be cut off


def test_all_characters_but_surrogates_are_encodable() -> None:
    """Each way to write it down says what encoding each character shows."""
    encodable = [at for at in range(0x110000) if _encodes(chr(at))]
    for content in hypothesis_storage._FILES.values():
        intervals = content if isinstance(content[0][0], int) else content[0]
        assert [at for first, last in intervals for at in range(first, last + 1)] == encodable


def _encodes(character: str) -> bool:
    try:
        return character.encode("utf-8").decode("utf-8") == character
    except UnicodeEncodeError:
        return False
