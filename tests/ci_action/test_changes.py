"""Which functions a pull request changes, on real repositories."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from repositories import BASE, COMMON, NAMES, WITH_COMMON, Repository

from afterburner.agent import UsageError
from afterburner.ci_action.changes import Changes, LeftOut, find_changes
from afterburner.ci_action.options import patterns_in
from afterburner.ci_action.paths import PathFilter
from afterburner.ci_action.repository import find_range, open_repository

if TYPE_CHECKING:
    from pathlib import Path


def changes(
    repository: Repository, base: str = "main", wanted: PathFilter | None = None, *, of_checkout: bool = True
) -> Changes:
    with open_repository(repository.folder) as opened:
        return find_changes(opened, find_range(opened, base), wanted or PathFilter.of(), of_checkout=of_checkout)


def names(found: Changes) -> list[tuple[str, str]]:
    return [(each.file, each.name) for each in found.functions]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.make(tmp_path / "project")
    made.branch("feature")
    return made


def test_added_and_changed_functions_are_found_with_their_lines(repository: Repository) -> None:
    repository.commit({"shop/names.py": NAMES.replace("name[0]", "name[:1]") + COMMON})
    found = changes(repository)
    assert names(found) == [("shop/names.py", "initials"), ("shop/names.py", "common")]
    assert [each.is_new for each in found.functions] == [False, True]
    lines = (NAMES + COMMON).splitlines()
    common = found.functions[1]
    assert lines[common.first_line - 1] == "def common(left, right):"
    assert lines[common.last_line - 1] == "    return result"
    assert common.blob == repository.git("rev-parse", "HEAD:shop/names.py")


def test_words_and_layout_are_no_change(repository: Repository) -> None:
    text = NAMES.replace("The sum.", "The sum of all.").replace("result += price", "result += price  # one more")
    repository.commit(
        {"shop/names.py": text.replace('"""Names."""', '"""Names, and prices."""'), "README.md": "Shop\n"}
    )
    assert changes(repository) == Changes((), ())


def test_a_renamed_file_shows_only_what_was_changed_in_it(repository: Repository) -> None:
    repository.git("mv", "shop/names.py", "shop/words.py")
    repository.commit({"shop/words.py": NAMES.replace("name[0]", "name[:1]")})
    found = changes(repository)
    assert names(found) == [("shop/words.py", "initials")]
    assert found.functions[0].base_file == "shop/names.py"
    assert not found.functions[0].is_new


def test_methods_and_functions_of_several_files_are_found(repository: Repository) -> None:
    row = "    class Row:\n        def size(self):\n            return 1\n\n"
    shelf = f"class Shelf:\n{row}    def add(self, book):\n        return book\n"
    repository.commit({"shop/shelf.py": shelf, "lib/other.py": "if True:\n    def one():\n        return 1\n"})
    assert names(changes(repository)) == [
        ("lib/other.py", "one"),
        ("shop/shelf.py", "Shelf.Row.size"),
        ("shop/shelf.py", "Shelf.add"),
    ]


def test_what_the_base_has_won_since_is_no_change_of_the_pull_request(repository: Repository) -> None:
    repository.commit(WITH_COMMON)
    repository.git("checkout", "-q", "main")
    repository.commit({"shop/names.py": NAMES.replace("name[0]", "name[:1]")}, "Elsewhere")
    repository.git("checkout", "-q", "feature")
    assert names(changes(repository)) == [("shop/names.py", "common")]


def test_a_merge_of_the_base_into_the_branch_adds_nothing(repository: Repository) -> None:
    repository.commit({"shop/more.py": "def more():\n    return 1\n"})
    repository.git("checkout", "-q", "main")
    repository.commit({"shop/names.py": NAMES.replace("name[0]", "name[:1]")}, "Elsewhere")
    repository.git("checkout", "-q", "feature")
    repository.git("merge", "-q", "--no-edit", "main")
    assert names(changes(repository)) == [("shop/more.py", "more")]


@pytest.mark.parametrize("depth", ["1", "2"])
def test_a_shallow_clone_works_from_the_merge_commit_or_says_what_to_do(tmp_path: Path, depth: str) -> None:
    made = Repository.make(tmp_path / "project")
    base = made.head
    made.branch("feature")
    made.commit(WITH_COMMON)
    made.git("checkout", "-q", "main")
    made.git("merge", "-q", "--no-ff", "--no-edit", "feature")  # as GitHub merges for refs/pull/1/merge
    clone = Repository(tmp_path / "clone")
    subprocess.run(
        ["git", "clone", "-q", "--depth", depth, f"file://{made.folder}", str(clone.folder)], check=True, timeout=60
    )
    if depth == "2":
        assert names(changes(clone, base)) == [("shop/names.py", "common")]
        return
    with pytest.raises(UsageError, match=r"This clone is shallow\..*fetch-depth: 0"):
        changes(clone, base)


def test_tests_notebooks_generated_hidden_and_linked_files_are_passed_over(repository: Repository) -> None:
    text = "def one():\n    return 1\n"
    files = {
        "tests/test_more.py": text,
        "conftest.py": text,
        "shop/made_pb2.py": text,
        "shop/made.py": f"# This file is @generated by a program\n{text}",
        ".github/helper.py": text,
        "notes.ipynb": "{}",
        "shop/kept.py": text,
    }
    repository.commit(files)
    (repository.folder / "shop" / "linked.py").symlink_to("kept.py")
    repository.commit({})
    assert names(changes(repository)) == [("shop/kept.py", "one")]


def test_patterns_choose_the_files_that_count(repository: Repository) -> None:
    text = "def one():\n    return 1\n"
    files = ("src/a.py", "src/deep/b.py", "src/deep/made_gen.py", "lib/c.py", "top.py")
    repository.commit(dict.fromkeys(files, text))
    wanted = PathFilter.of(patterns_in("/src/\n/*.py"), patterns_in("*_gen.py, nothing"))
    assert [file for file, _ in names(changes(repository, wanted=wanted))] == ["src/a.py", "src/deep/b.py", "top.py"]
    none = changes(repository, wanted=PathFilter.of((), ("*.py",)))
    assert none == Changes((), (), ("the patterns (include, exclude) leave out 5 changed files, and no other is left",))
    with pytest.raises(UsageError, match="--include: no file of this repository matches"):
        changes(repository, wanted=PathFilter.of(("scr/",)))
    assert changes(repository, wanted=PathFilter.of(("/shop/",))).functions == ()
    assert not PathFilter.of(["/src/*.py"]).takes("src/deep/b.py")
    assert PathFilter.of(["**/b.py"]).takes("src/deep/b.py")
    assert PathFilter.of().takes("anything/at/all.py")


def test_a_base_that_has_everything_is_told(repository: Repository) -> None:
    repository.commit({"a.py": "def one():\n    return 1\n"})
    assert changes(repository, "HEAD").notes == (
        "the base has all that is checked out, so there is nothing to compare; name another --base",
    )


def test_a_file_that_cannot_be_read_is_told_and_costs_the_others_nothing(repository: Repository) -> None:
    repository.commit({"shop/broken.py": "def one(:\n", "shop/fine.py": "def one():\n    return 1\n"})
    found = changes(repository)
    assert names(found) == [("shop/fine.py", "one")]
    assert [each.file for each in found.left_out] == ["shop/broken.py"]
    assert "syntax error in line 1" in found.left_out[0].reason
    assert found.left_out[0].line == 1
    assert not found.left_out[0].is_unknown, "it is new: nothing can have become slower in it"


@pytest.mark.parametrize(
    ("text", "is_unknown"),
    [
        pytest.param("def initials(:\n", True, id="a syntax error"),
        pytest.param("", False, id="nothing is left of it"),
    ],
)
def test_nothing_is_known_of_a_file_that_cannot_be_read_any_more(
    repository: Repository, text: str, *, is_unknown: bool
) -> None:
    repository.commit({"shop/names.py": text})
    [left] = changes(repository).left_out
    assert (left.file, left.is_unknown) == ("shop/names.py", is_unknown)


def test_what_is_on_the_disk_has_to_be_what_was_committed(repository: Repository) -> None:
    repository.commit(WITH_COMMON)
    (repository.folder / "shop" / "names.py").write_text(NAMES, encoding="utf-8")
    found = changes(repository)
    assert names(found) == []
    assert "is not the file of the commit" in found.left_out[0].reason
    assert found.left_out[0].is_unknown
    assert names(changes(repository, of_checkout=False)) == [("shop/names.py", "common")]


@pytest.mark.parametrize("attribute", ["text eol=crlf", "ident"])
def test_what_git_makes_of_a_file_in_the_checkout_does_not_keep_a_commit_from_being_compared(
    repository: Repository, attribute: str
) -> None:
    names_py = repository.folder / "shop" / "names.py"
    text = "# $Id$\n" + NAMES
    repository.commit({".gitattributes": f"*.py {attribute}\n", "shop/names.py": text}, "Let git write it")
    repository.commit({"shop/names.py": text.replace("name[0]", "name[:1]")})
    names_py.unlink()
    repository.git("checkout", "shop/names.py")
    assert repository.git("status", "--porcelain") == ""
    assert names_py.read_bytes().decode() != text.replace("name[0]", "name[:1]")
    found = changes(repository, "HEAD~1", of_checkout=False)
    assert (names(found), found.left_out) == ([("shop/names.py", "initials")], ())
    found = changes(repository, "HEAD~1")
    assert ".gitattributes" in found.left_out[0].reason


def test_a_file_that_a_partial_clone_lacks_is_not_known(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"shop/names.py": NAMES.replace("name[0]", "name[:1]")})
    repository.git("mv", "shop/names.py", "shop/words.py")
    repository.commit({"shop/words.py": NAMES.replace("name[0]", "name[:1]") + COMMON})
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.folder}", str(clone))
    found = changes(Repository(clone), "origin/main", of_checkout=False)
    assert {each.is_new for each in found.functions} == {True}, "without the old file, git takes it for a new one"
    assert names(found) == [("shop/words.py", name) for name in ("initials", "total", "common")]
    repository.git("checkout", "-q", "-b", "other", "main")
    repository.commit({"shop/names.py": NAMES.replace("name[0]", "name[:1]")})
    other = tmp_path / "other"
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.folder}", str(other))
    found = changes(Repository(other), "origin/main", of_checkout=False)
    [left] = found.left_out
    assert (found.functions, left.file, left.is_unknown) == ((), "shop/names.py", True)
    assert "clone without" in left.reason


def test_names_of_any_kind_are_told_exactly(repository: Repository) -> None:
    strange = "shop/we`ird\n<b>name.py"
    repository.commit({strange: "def one():\n    return 1\n", "shop/späte äpfel.py": "def two():\n    return 2\n"})
    assert names(changes(repository)) == [("shop/späte äpfel.py", "two"), (strange, "one")]


def test_settings_of_the_repository_start_nothing(repository: Repository, tmp_path: Path) -> None:
    """A clone of a stranger's may bring a configuration, attributes and hooks."""
    trap, mark = tmp_path / "trap", tmp_path / "it-ran"
    trap.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    repository.commit({**WITH_COMMON, ".gitattributes": "*.py diff=evil filter=evil\n"})
    for setting in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean"):
        repository.git("config", setting, str(trap))
    repository.git("config", "core.hooksPath", str(tmp_path))
    mark.unlink(missing_ok=True)  # git itself, as the test used it, may have run the trap
    assert names(changes(repository)) == [("shop/names.py", "common")]
    assert not mark.exists()


def test_a_folder_without_git_and_an_unknown_revision_are_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the top folder of a git repository"):
        changes(Repository(tmp_path))
    made = Repository.make(tmp_path / "project", BASE)
    with pytest.raises(UsageError, match="has no revision 'nowhere'"):
        changes(made, "nowhere")
    with pytest.raises(UsageError, match="has no revision '--help'"):
        changes(made, "--help")


def test_a_base_that_only_the_remote_has_is_named_as_the_remote_has_it(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"README.md": "Shop\n"})
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--branch", "feature", f"file://{repository.folder}", str(clone))
    with pytest.raises(UsageError, match=r"no branch 'main', but that of its remote: --base origin/main\."):
        changes(Repository(clone), "main")
    assert names(changes(Repository(clone), "origin/main")) == []


def test_a_function_that_only_moved_is_no_change_and_one_that_was_changed_as_well_tells_from_where(
    repository: Repository,
) -> None:
    initials, total = NAMES.index("def initials"), NAMES.index("def total")
    files = {
        "shop/names.py": NAMES[:initials],
        "shop/texts.py": NAMES[initials:total],
        "shop/sums.py": NAMES[total:].replace("result += price", "result = result + price"),
    }
    repository.commit(files)
    [found] = changes(repository).functions
    assert (found.file, found.name, found.moved_from) == ("shop/sums.py", "total", "shop/names.py")


INITIALS, TOTAL = (NAMES.index(f"def {name}") for name in ("initials", "total"))
OTHER_TOTAL = NAMES[TOTAL:].replace("result += price", "result = result + price")


@pytest.mark.parametrize(
    ("files", "line", "bound_by"),
    [
        pytest.param(
            {"shop/names.py": NAMES[:TOTAL] + OTHER_TOTAL.replace("def total", "def tally") + "\n\ntotal = tally\n"},
            17,
            "total = tally\n",
            id="renamed, and given its old name again",
        ),
        pytest.param(
            {"shop/names.py": f"from .sums import total\n\n\n{NAMES[INITIALS:TOTAL]}", "shop/sums.py": OTHER_TOTAL},
            1,
            "from .sums import total\n",
            id="moved, and imported back",
        ),
        pytest.param(
            {"shop/names.py": f"{NAMES}\n\ntry:\n    from .sums import total\nexcept ImportError:\n    pass\n"},
            18,
            "    from .sums import total\n",
            id="still defined, and bound again below",
        ),
    ],
)
def test_a_function_whose_name_the_head_binds_to_something_else_is_changed(
    repository: Repository, files: dict[str, str], line: int, bound_by: str
) -> None:
    repository.commit(files)
    [found] = [each for each in changes(repository).functions if each.name == "total" and not each.is_new]
    assert (found.file, found.base_file, found.is_bound) == ("shop/names.py", "shop/names.py", True)
    assert (found.first_line, found.text) == (line, bound_by)
    assert not any(each.moved_from for each in changes(repository).functions), "it is compared in its old file"


def test_a_method_that_its_class_binds_to_something_else_is_changed(repository: Repository) -> None:
    cart = "class Cart:\n    def size(self):\n        return 1\n"
    repository.commit({"shop/cart.py": cart}, "base")
    repository.commit({"shop/cart.py": "from shop.names import total\n\n\nclass Cart:\n    size = total\n"})
    [found] = changes(repository, "HEAD~1").functions
    assert (found.name, found.first_line, found.is_bound) == ("Cart.size", 5, True)


def test_a_function_that_only_moved_and_is_imported_back_is_no_change(repository: Repository) -> None:
    files = {"shop/names.py": f"from .sums import total\n\n\n{NAMES[INITIALS:TOTAL]}", "shop/sums.py": NAMES[TOTAL:]}
    repository.commit(files)
    assert changes(repository).functions == ()


def test_a_name_that_is_bound_to_other_code_is_changed_even_if_a_copy_lies_elsewhere(repository: Repository) -> None:
    files = {
        "shop/names.py": f"from .sums import tally as total\n\n\n{NAMES[INITIALS:TOTAL]}",
        "shop/sums.py": OTHER_TOTAL.replace("def total", "def tally"),
        "shop/legacy.py": NAMES[TOTAL:],
    }
    repository.commit(files)
    [found] = [each for each in changes(repository).functions if each.name == "total"]
    assert (found.file, found.is_bound) == ("shop/names.py", True)


def test_a_binding_that_the_base_has_as_well_is_no_change(repository: Repository) -> None:
    text = "try:\n    from fast import f\nexcept ImportError:\n    def f(x):\n        return x\n"
    repository.commit({"shop/more.py": text}, "base")
    repository.commit({"shop/more.py": f"LIMIT = 3\n{text}"})
    assert changes(repository, "HEAD~1").functions == ()


def test_a_function_that_two_files_lost_tells_both(repository: Repository) -> None:
    repository.commit({"shop/more.py": NAMES[TOTAL:]}, "base")
    repository.commit({"shop/names.py": NAMES[:TOTAL], "shop/more.py": "LIMIT = 3\n", "shop/sums.py": OTHER_TOTAL})
    [found] = changes(repository, "HEAD~1").functions
    assert (found.file, found.moved_from) == ("shop/sums.py", "shop/more.py and shop/names.py")


def test_functions_under_except_and_case_are_seen(repository: Repository) -> None:
    text = "try:\n    from fast import f\nexcept ImportError:\n    def f(x):\n        return x\n"
    text += "match 1:\n    case 1:\n        def g():\n            return 1\n"
    repository.commit({"shop/more.py": text})
    assert [name for _, name in names(changes(repository))] == ["f", "g"]


@pytest.mark.parametrize(("before", "encoding"), [("", "utf-8-sig"), ("# coding: latin-1\n", "latin-1")])
def test_a_file_is_read_by_its_own_encoding_on_both_sides(repository: Repository, before: str, encoding: str) -> None:
    text = f"{before}def f():\n    return 'ä'\n\n\ndef g():\n    return 1\n"
    for each, message in ((text, "base"), (text.replace("return 1", "return 2"), "head")):
        (repository.folder / "shop" / "coded.py").write_bytes(each.encode(encoding))
        repository.commit({}, message)
    found = changes(repository, "HEAD~1")
    assert [(each.name, each.is_new) for each in found.functions] == [("g", False)]


def test_hints_are_words_unless_a_decorator_may_read_them(repository: Repository) -> None:
    decorated = "import functools\n\n\n@functools.singledispatch\ndef f(x):\n    return x\n"
    repository.commit({"shop/more.py": decorated}, "base")
    hinted = NAMES.replace("def total(prices):", "def total(prices: list[float]) -> float:")
    repository.commit({"shop/names.py": hinted, "shop/more.py": decorated.replace("f(x)", "f(x: int)")})
    assert names(changes(repository, "HEAD~1")) == [("shop/more.py", "f")]


def test_changed_code_outside_of_functions_is_told(repository: Repository) -> None:
    repository.commit({"shop/names.py": NAMES + "\nLIMIT = 3\n"})
    found = changes(repository)
    assert found.functions == ()
    assert found.notes == ("shop/names.py: code outside of functions was changed, too, and is not measured by itself",)


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        ("", "import re\nfrom collections import Counter\n", False),
        ("import os\n", "import os\nimport os.path\n", False),
        ("from math import sqrt\n", "", False),
        ("from cmath import sqrt\nimport re\n", "import re\nfrom math import sqrt\n", True),
        ("import json\n", "try:\n    import simplejson as json\nexcept ImportError:\n    import json\n", True),
        ("", "from math import *\n", True),
        ("", "from numpy import sum\n", True),
        ("from numpy import sum\n", "", True),
        ("from math import sqrt\n", "def sqrt(x):\n    return x\n", True),
        ("from a import x\nfrom b import x\n", "from b import x\nfrom a import x\n", True),
        ("import a.b as b\n", "from a import b\n", False),
        ("from . import b\n", "from .. import b\n", True),
        ("class C:\n    from a import x\n", "from b import x\nclass C:\n    from a import x\n", False),
        ("def f():\n    import re\n    return re\n", "def f():\n    import regex as re\n    return re\n", False),
    ],
)
def test_an_import_counts_as_changed_code_only_where_it_takes_a_name_from_elsewhere(
    repository: Repository, before: str, after: str, *, is_told: bool
) -> None:
    repository.commit({"shop/more.py": before + "\nLIMIT = 3\n"}, "base")
    repository.commit({"shop/more.py": after + "\nLIMIT = 3\n"})
    assert bool(changes(repository, "HEAD~1").notes) == is_told


def test_names_that_a_report_cannot_hold_are_told_and_nothing_else_suffers(repository: Repository) -> None:
    text = "def one():\n    return 1\n"
    repository.commit({"a\\b.py": text, "shop/fine.py": text})
    found = changes(repository)
    assert names(found) == [("shop/fine.py", "one")]
    assert [each.file for each in found.left_out] == ["a?b.py"]


def test_the_checkout_of_another_user_is_read_as_in_the_container_of_a_job(repository: Repository) -> None:
    if os.geteuid() != 0:
        repository.git("status")  # only root can give a file away; as another user the first half is left out
    else:
        for place in (repository.folder, *repository.folder.rglob("*")):
            os.chown(place, 12345, 12345)
    assert changes(repository).functions == ()


def test_a_typed_base_that_is_not_there_is_an_error_even_on_a_merge(repository: Repository) -> None:
    repository.commit(WITH_COMMON)
    repository.git("checkout", "-q", "main")
    repository.commit({"README.md": "Shop\n"})
    repository.git("merge", "-q", "--no-edit", "feature")
    with pytest.raises(UsageError, match="has no revision 'origin/typo'"):
        changes(repository, "origin/typo")


def test_a_file_that_only_now_says_that_a_program_wrote_it_is_looked_at_all_the_same(repository: Repository) -> None:
    generated = "# @generated by a program\n"
    repository.commit({"shop/made.py": f"{generated}def f():\n    return 1\n"}, "base")
    slower = generated + NAMES.replace("result += price", "result = result + price")
    repository.commit({"shop/names.py": slower, "shop/made.py": f"{generated}def f():\n    return 2\n"})
    found = changes(repository, "HEAD~1")
    assert names(found) == [("shop/names.py", "total")]
    assert [each.file for each in found.left_out] == ["shop/made.py"]


def test_code_that_cannot_be_read_whole_costs_only_its_file(repository: Repository) -> None:
    chain = "def f(x):\n    if x == 0:\n        return 0\n"
    chain += "".join(f"    elif x == {number}:\n        return {number}\n" for number in range(1, 3_000))
    long = "f" * 1_001
    files = {
        "shop/chain.py": chain,
        "shop/long.py": f"def {long}():\n    return 1\n",
        "shop/fine.py": "def गति(x):\n    return x\n",
    }
    repository.commit(files)
    found = changes(repository)
    assert names(found) == [("shop/fine.py", "गति")]
    assert [each.file for each in found.left_out] == ["shop/chain.py", "shop/long.py"]


def test_a_pipe_in_place_of_a_changed_file_is_not_opened(repository: Repository) -> None:
    repository.commit(WITH_COMMON)
    place = repository.folder / "shop" / "names.py"
    place.unlink()
    os.mkfifo(place)
    [left] = changes(repository).left_out
    assert (left.file, left.reason) == ("shop/names.py", "it is not a regular file in this checkout")


def test_a_property_that_was_changed_is_named(repository: Repository) -> None:
    text = "class Cart:\n    @property\n    def total(self):\n        return {}\n\n"
    text += "    def size(self):\n        return 1\n"
    repository.commit({"shop/cart.py": text.format(3)}, "base")
    repository.commit({"shop/cart.py": text.format(4)})
    found = changes(repository, "HEAD~1")
    assert names(found) == []
    assert found.left_out == (
        LeftOut("shop/cart.py", "it is a property, which is not looked at by itself", "Cart.total"),
    )
