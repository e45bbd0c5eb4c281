# ruff: noqa: PTH103, PTH118 - os.path is loaded anyway
"""Where Hypothesis keeps what it knows of Unicode.

Each process of ours has an empty folder for it. Hypothesis would go through all characters to see which of them UTF-8
can encode, which takes a second or two, so the folder already holds the answer: all but surrogates.
"""

from __future__ import annotations

import gzip
import json
import os
import unicodedata

FOLDER = "/tmp/hypothesis"  # noqa: S108 - the sandbox's own tmpfs
_ENCODABLE = [[0, 0xD7FF], [0xE000, 0x10FFFF]]
# By name, as versions of Hypothesis call it; the newer ones add which characters do not decode to themselves.
_FILES = {"codec-v2-utf-8": [_ENCODABLE, []], "codec-utf-8": _ENCODABLE}


def import_hypothesis() -> None:
    """Import it now, whole: what a time limit leaves half imported is broken for as long as the process lives.

    Raises:
        ImportError: there is none.
    """
    import hypothesis  # noqa: F401, PLC0415 - heavy, and only now may it be there


def provide_storage(folder: str = FOLDER) -> None:
    """Let Hypothesis, which need not be imported yet, use this folder."""
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
    place = os.path.join(folder, "unicode_data", unicodedata.unidata_version)
    os.makedirs(place, exist_ok=True)
    for name, content in _FILES.items():
        with gzip.open(os.path.join(place, name + ".json.gz"), "wb") as file:
            file.write(json.dumps(content).encode("ascii"))
