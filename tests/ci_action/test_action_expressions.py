"""Expressions and commands mean what GitHub's documentation, and the code of its runner, say."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from action_commands import FileCommandError, Printed, read_pairs
from action_expressions import Scope, holds, interpolate, value_of
from action_files import hash_files, load_yaml
from action_values import Exact, ExpressionError

if TYPE_CHECKING:
    from pathlib import Path

LABELS = [{"name": "Fast"}, {"name": "it's"}, {"colour": "red"}]
CONTEXTS: dict[str, Any] = {
    "github": {
        "ref": "refs/heads/main",
        "event": {"number": 7, "draft": False, "label": None, "pull_request": {"labels": LABELS}},
    },
    "inputs": {"max-minutes": "20", "empty": "", "flag": "true"},
    "env": Exact({"PATH_OF": "a", "Path_of": "b"}),
    "steps": {"one": {"outputs": {"found": "0"}, "outcome": "failure", "conclusion": "success"}},
    "needs": {"measure": {"result": "success", "outputs": {"n": "3"}}},
}


def scope(*, has_failed: bool = False) -> Scope:
    statuses = {"always": True, "success": not has_failed, "failure": has_failed, "cancelled": False}
    return Scope(CONTEXTS, {name: lambda value=value: value for name, value in statuses.items()})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain ${ text", "plain ${ text"),
        ("${{ github.ref }}", "refs/heads/main"),
        ("a ${{ inputs.MAX-minutes }} b ${{inputs.empty}}.", "a 20 b ."),
        ("${{ env.PATH_OF }}${{ env.Path_of }}${{ env.path_of }}", "ab"),
        ("${{ github.event.number }} ${{ github.event.draft }} ${{ github.event.nothing.at.all }}", "7 false "),
        ("${{ github.event }} ${{ github.event.pull_request.labels }}", "Object Array"),
        ("${{ github['event']['pull_request'].labels[1].name }}", "it's"),
        ("${{ 'it''s }} ' }}", "it's }} "),
        ("${{ contains(github.event.pull_request.labels.*.name, 'fast') }}", "true"),
        ("${{ contains(github.event.pull_request.labels.*.name, 'fas') }}", "false"),
        ("${{ contains('Hello', 'ELL') && startsWith('Hello', 'he') && endsWith('Hello', 'LO') }}", "true"),
        ("${{ join(github.event.pull_request.labels.*.name, ' + ') }}", "Fast + it's"),
        ("${{ format('{0} of {1}, {{{0}}}', 1, 2.50) }}", "1 of 2.5, {1}"),
        ("${{ fromJSON('{\"a\": [1, true]}').a[1] }}", "true"),
        ("${{ toJSON(github.event.label) }}", "null"),
        ("${{ inputs.flag && 'yes' || 'no' }} ${{ inputs.empty && 'yes' || 'no' }}", "yes no"),
        (
            "${{ 1 == '1' }} ${{ 'A' == 'a' }} ${{ null == '' }} ${{ true == 1 }} ${{ 'x' == 0 }}",
            "true true true true false",
        ),
        ("${{ 'x' > 0 || 'x' <= 0 }} ${{ 3 >= '3' }} ${{ 0x10 < 16.5 }}", "false true true"),
        ("${{ !github.event.draft && !(1 != 1) }}", "true"),
        ("${{ needs.measure.result == 'success' && needs.measure.outputs.n > 2 }}", "true"),
        ("${{ 1e3 }} ${{ -0.5 }} ${{ 1000000000000000000000 }}", "1000 -0.5 1e+21"),
    ],
)
def test_an_expression_has_githubs_value(text: str, value: str) -> None:
    assert interpolate(text, scope()) == value


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("${{ secrets.KEY }}", "Unrecognized named-value: 'secrets'"),
        ("${{ false && secrets.KEY }}", "Unrecognized named-value: 'secrets'"),
        ("${{ evil() }}", "Unrecognized function: 'evil'"),
        ("${{ github.ref", "not closed"),
        ("${{ 'open }}", "not closed"),
        ("${{ (1 }}", "Expected"),
        ("${{ 1 2 }}", "Unexpected symbol: '2'"),
        ("${{ github. }}", "Unexpected end"),
        ("${{ }}", "Unexpected end"),
        ('${{ "double" }}', "Unexpected symbol"),
        ("${{ format('{1}', 0) }}", "format string is invalid"),
        ("${{ fromJSON('{') }}", "fromJSON"),
    ],
)
def test_what_github_refuses_is_refused(text: str, error: str) -> None:
    with pytest.raises(ExpressionError, match=error):
        interpolate(text, scope())


def test_only_the_side_that_counts_is_evaluated_but_all_names_are_checked() -> None:
    assert interpolate("${{ inputs.empty && fromJSON(inputs.empty) }}", scope()) == ""
    assert value_of("${{ fromJSON('[1]') }}", scope()) == [1]
    assert value_of(" ${{ 1 == 1 }} ", scope()) is True
    assert value_of("x${{ 1 == 1 }}", scope()) == "xtrue"
    assert value_of(True, scope()) is True


@pytest.mark.parametrize(
    ("condition", "when_well", "when_failed"),
    [
        ("success()", True, False),
        ("github.event.number == 7", True, False),
        ("${{ github.event.number == 8 }}", False, False),
        ("always() && github.event.number == 7", True, True),
        ("${{ !cancelled() }}", True, True),
        ("failure()", False, True),
        ("steps.one.outcome == 'failure' && (success() || failure())", True, True),
        (True, True, False),
        (False, False, False),
        ("steps.one.outputs.found", True, False),  # '0' is a text, and true
    ],
)
def test_a_condition_includes_success_unless_it_asks_for_a_status(
    *, condition: Any, when_well: bool, when_failed: bool
) -> None:
    assert holds(condition, scope()) is when_well
    assert holds(condition, scope(has_failed=True)) is when_failed


def test_a_condition_that_is_only_in_part_an_expression_would_always_be_true() -> None:
    for condition in ("${{ github.ref }} == 'refs/heads/main'", "! ${{ inputs.flag }}", "${{ a }} ${{ b }}"):
        with pytest.raises(ExpressionError, match="only in part"):
            holds(condition, scope())


def test_yaml_is_read_as_github_reads_it() -> None:
    read = load_yaml("on:\n  push:\nyes: no\ndate: 2025-01-02\nflag: true\nempty:\nbase: &a {x: 1}\nagain: *a\n")
    assert read["on"] == {"push": None}
    assert (read["yes"], read["date"], read["flag"], read["empty"]) == ("no", "2025-01-02", True, None)
    assert read["again"] == {"x": 1}
    with pytest.raises(yaml.YAMLError, match="merge"):
        load_yaml("base: &a {x: 1}\nmore: {<<: *a, y: 2}\n")
    with pytest.raises(yaml.YAMLError, match="'a' is already defined"):
        load_yaml("a: 1\na: 2\n")
    with pytest.raises(yaml.YAMLError):
        load_yaml("a: !!python/object/apply:os.system ['true']\n")


def test_files_are_hashed_as_hash_files_does(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name, text in (("a/x.lock", "1"), ("a/y.txt", "2"), ("z.lock", "3")):
        (tmp_path / name).write_text(text)
    digests = b"".join(hashlib.sha256(text.encode()).digest() for text in "13")
    assert hash_files(tmp_path, "**/*.lock") == hashlib.sha256(digests).hexdigest()
    assert hash_files(tmp_path, "**/*.lock", "!a/**") == hash_files(tmp_path, "z.lock")
    assert hash_files(tmp_path, "*.none") == ""


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a=1\n\nb=x=y<<z\n", [("a", "1"), ("b", "x=y<<z")]),
        ("a<<END\none\n\ntwo=2\nEND\nb=", [("a", "one\n\ntwo=2"), ("b", "")]),
        ("a<<E\nE\n", [("a", "")]),
        ("a<<E=F\nv\nE=F\n", [("a", "v")]),
        ("a<<E\nx\nEE\n E\nE", [("a", "x\nEE\n E")]),
        ("", []),
    ],
)
def test_files_of_pairs_are_read_as_the_runner_reads_them(text: str, pairs: list[tuple[str, str]]) -> None:
    assert read_pairs(text) == pairs


@pytest.mark.parametrize("text", ["novalue\n", "=1\n", "a<<\nx\n", "<<E\nx\nE\n", "a<<E\nx\n"])
def test_files_that_the_runner_cannot_read_are_refused(text: str) -> None:
    with pytest.raises(FileCommandError):
        read_pairs(text)


def printed(*lines: str) -> tuple[Printed, list[str]]:
    """Read lines, and give with what they did those that were none of a runner's business."""
    reader = Printed()
    return reader, [line for line in lines if not reader.read(line)]


def test_commands_are_found_where_the_runner_finds_them() -> None:
    reader, left = printed(
        "::error file=a%2Cb.py,line=3,title=Slow%3A::100%25 bad%0Aindeed",
        "  ::warning::indented",
        "text ::error::not at the start",
        "::unknown::command",
        "::error without end",
        "progress ##[set-output name=x;]injected",
        "::notice line=4::fine",
        "::add-mask::sesame",
        "::group::quiet",
    )
    assert left == ["text ::error::not at the start", "::unknown::command", "::error without end"]
    error, warning, deprecated, notice = reader.annotations
    assert (error.level, error.file, error.line, error.message) == ("error", "a,b.py", 3, "100% bad\nindeed")
    assert error.properties["title"] == "Slow:"
    assert (warning.message, notice.line) == ("indented", 4)
    assert "deprecated" in deprecated.message
    assert reader.outputs == {"x": "injected"}
    assert reader.masks == ["sesame"]
    assert not reader.refused


def test_stopped_commands_are_text_until_the_token_comes_again() -> None:
    reader, left = printed(
        "::stop-commands::T0ken",
        "::set-output name=a::1",
        "::error::no",
        "##[error]no",
        "::other::",
        "::stop-commands::mine",
        "::mine::",
        "::t0ken::",
        "::error::yes",
    )
    assert [each.message for each in reader.annotations] == ["yes"]
    assert reader.outputs == {}
    assert len(left) == 6
    assert reader.obeyed == ["::stop-commands::T0ken", "::t0ken::", "::error::yes"]


def test_commands_that_the_runner_refuses_fail_the_step() -> None:
    assert printed("::set-env name=PATH::/evil")[0].refused == ["The `set-env` command is disabled."]
    assert printed("::add-path::/evil")[0].refused
    assert printed("::stop-commands::error")[0].refused
    assert printed("::stop-commands::")[0].refused
    assert printed("::set-output::1")[0].refused
    with pytest.raises(NotImplementedError, match="add-matcher"):
        printed("::add-matcher::x.json")
