"""Where `# afterburner: skip` counts."""

from __future__ import annotations

import pytest

from afterburner.agent.code.skip_marker import says_skip

BODY = "    return left\n"


@pytest.mark.parametrize(
    "text",
    [
        "def common(left):  # afterburner: skip\n" + BODY,
        "def common(left):  #AFTERBURNER:skip - the loop is clearer\n" + BODY,
        "def common(left):  # noqa: E501  # afterburner: skip\n" + BODY,
        "@cache  # afterburner: skip\ndef common(left):\n" + BODY,
        "@cache\n# afterburner: skip\ndef common(left):\n" + BODY,
        "def common(\n    left,  # afterburner: skip\n    right,\n):\n" + BODY,
        "async def common(left):  # afterburner: skip\n" + BODY,
        "    def common(self, left):  # afterburner: skip\n        return left\n",
    ],
)
def test_the_comment_counts_in_the_header(text: str) -> None:
    assert says_skip(text)


@pytest.mark.parametrize(
    "text",
    [
        "def common(left):\n    return left  # afterburner: skip\n",
        "def common(left):\n    # afterburner: skip\n" + BODY,
        "def common(left):\r    # afterburner: skip\r    return left\r",
        "def common(left='# afterburner: skip'):\n" + BODY,
        'def common(left):\n    """Say `# afterburner: skip`."""\n',
        "def common(left):  # afterburner: skipped\n" + BODY,
        "def common(left):  # afterburner\n" + BODY,
        "def outer(left):\n    def common(right):  # afterburner: skip\n        return right\n\n    return common\n",
        "def common(left:  # afterburner: skipping (",
    ],
)
def test_it_does_not_count_elsewhere(text: str) -> None:
    assert not says_skip(text)
