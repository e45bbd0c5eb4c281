import pytest
from phrases import Hits, find_phrases


def test_case_and_spacing_do_not_matter() -> None:
    song = ["Row, row", "row  your   BOAT", "gently"]
    assert find_phrases(song, ["Row your", "row"]) == {"Row your": Hits(1, 1), "row": Hits(3, 0)}


def test_a_blank_phrase_is_refused() -> None:
    with pytest.raises(ValueError, match="blank phrase"):
        find_phrases(["la"], ["la", " "])
