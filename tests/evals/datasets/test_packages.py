"""Functions of published packages: fetched by hash, kept as repositories, optimised with the package's own tests."""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import CancelToken, Caps, Search, open_session
from afterburner.agent.option_kinds import Selection
from afterburner.evals.datasets.packages.bench import measure
from afterburner.evals.datasets.packages.fetching import checkout, git
from afterburner.evals.datasets.packages.functions import PackageFunction, describe, job_of, load_packages
from afterburner.evals.datasets.packages.page import FOOT, HEAD, page
from afterburner.evals.datasets.packages.pinned import PACKAGES, Package
from afterburner.evals.errors import DatasetError
from afterburner.evals.evaluation import load_evaluation
from afterburner.evals.problems import Rejected
from afterburner.evals.running.evaluate import begin_evaluation
from afterburner.evals.running.local import evaluation_session
from afterburner.evals.running.loops import LoopRunner
from afterburner.evals.running.one_function import evaluate_function
from afterburner.evals.running.settings import EvaluationSettings
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox

ROOT = Path(__file__).parents[3]
SHOP = '''\
"""A shop."""


def common(left, right):
    """The items of one list that the other one holds."""
    return [each for each in left if each in right]


class Till:
    """What was paid."""

    def __init__(self):
        self.paid = []

    def pay(self, amount):
        """Pay an amount, and get all that was paid."""
        self.paid.append(amount)
        return sum(self.paid)
'''
TESTS = """\
import pytest
from tinyshop import Till, common


@pytest.mark.parametrize("size", [300, 310, 320, 330, 340, 350])
def test_common(size):
    assert common(list(range(size)), list(range(size // 2, 2 * size))) == list(range(size // 2, size))


def test_till():
    till = Till()
    assert [till.pay(3), till.pay(4)] == [3, 7]
"""
FILES = {
    "PKG-INFO": "Metadata-Version: 2.1\nName: tinyshop\nVersion: 1.0\n",
    "pyproject.toml": (
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "tinyshop"\nversion = "1.0"\n[tool.setuptools]\npackages = ["tinyshop"]\n'
    ),
    ".gitignore": "tests/\n",  # it is about somebody's working tree, and the published tests have to be seen
    "tinyshop/__init__.py": SHOP,
    "tests/test_tinyshop.py": TESTS,
}
BY_FILE = {"tinyshop/__init__.py": ("common", "Till.pay")}
SHOP_IDS = ["tinyshop-1.0/tinyshop/__init__.py::common", "tinyshop-1.0/tinyshop/__init__.py::Till.pay"]
# It is no package of any index: a folder is asked in its place.
MISSING = Package("no-such-shop", "2.0", "0" * 64, "shop", {"shop.py": ("pay",)})


def write_archive(folder: Path, files: dict[str, str], name: str = "tinyshop-1.0") -> Package:
    """A source distribution as the package index has them, and its pin."""
    folder.mkdir(exist_ok=True)
    archive = folder / f"{name}.tar.gz"
    with tarfile.open(archive, "w:gz") as content:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(text)
            content.addfile(entry, io.BytesIO(text.encode()))
    package, _, version = name.rpartition("-")
    return Package(package, version, hashlib.sha256(archive.read_bytes()).hexdigest(), "tinyshop", BY_FILE, top=2)


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in place of the package index."""
    folder = tmp_path_factory.mktemp("archives")
    write_archive(folder, FILES)
    return folder


@pytest.fixture(scope="module")
def shop(archives: Path) -> Package:
    return Package(
        "tinyshop",
        "1.0",
        hashlib.sha256((archives / "tinyshop-1.0.tar.gz").read_bytes()).hexdigest(),
        "tinyshop",
        BY_FILE,
        top=2,
    )


@pytest.fixture(scope="module")
def cache(archives: Path, shop: Package, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which the shop lies already."""
    folder = tmp_path_factory.mktemp("cache")
    checkout(shop, folder, archives)
    return folder


def test_the_functions_of_a_package_come_with_its_files_and_tests(cache: Path, archives: Path, shop: Package) -> None:
    common, pay = load_packages(cache, packages=[shop], archives=archives)
    assert isinstance(common, PackageFunction)
    assert isinstance(pay, PackageFunction)
    assert [common.id, pay.id] == SHOP_IDS
    assert (common.package, common.version, common.sha256) == ("tinyshop", "1.0", shop.sha256)
    assert common.path.read_text() == SHOP
    tracked = git(common.folder, "ls-files").decode().split()
    assert sorted(tracked) == sorted(FILES)
    assert git(common.folder, "status", "--porcelain", "--ignored") == b""
    job = job_of(pay)
    assert (job.path, job.function, job.inputs.python) == (str(pay.path), "Till.pay", sys.executable)
    assert job_of(pay, "python3").inputs.python == "python3"


def test_what_is_there_is_not_fetched_again_and_what_was_changed_is_made_anew(
    cache: Path, tmp_path: Path, shop: Package
) -> None:
    nowhere = tmp_path  # fetching from it would fail
    folder = checkout(shop, cache, nowhere)
    before = folder.stat().st_ino
    assert checkout(shop, cache, nowhere).stat().st_ino == before
    (folder / "tinyshop" / "__init__.py").write_text("import os\n")
    (folder / "tests" / "conftest.py").write_text("import os\n")
    assert checkout(shop, cache, nowhere) == folder
    assert (folder / "tinyshop" / "__init__.py").read_text() == SHOP
    assert not (folder / "tests" / "conftest.py").exists()
    assert not [path for path in folder.parent.iterdir() if path.name not in {"lock", folder.name}]


def test_a_package_that_is_not_there_is_told_and_the_rest_goes_on(cache: Path, archives: Path, shop: Package) -> None:
    rejected, common, _ = load_packages(cache, packages=[MISSING, shop], archives=archives)
    assert isinstance(rejected, Rejected)
    assert rejected.line.startswith("no-such-shop-2.0: archive: pip cannot fetch no-such-shop-2.0: ")
    assert "No matching distribution" in rejected.reason
    assert isinstance(common, PackageFunction)


def test_a_package_is_fetched_when_it_is_its_turn(cache: Path, archives: Path, shop: Package, tmp_path: Path) -> None:
    fresh = tmp_path / "cache"
    loading = load_packages(fresh, packages=[shop, MISSING], archives=archives)
    assert not fresh.exists()
    assert isinstance(next(loading), PackageFunction)
    assert not list(fresh.glob("*no-such-shop*"))
    only = load_packages(cache, only=["tinyshop"], packages=[MISSING, shop], archives=tmp_path)
    assert [type(each) for each in only] == [PackageFunction, PackageFunction]


def test_functions_are_chosen_by_id_and_a_mistaken_name_is_an_error(cache: Path, shop: Package) -> None:
    (pay,) = load_packages(cache, only=[SHOP_IDS[1]], packages=[MISSING, shop])
    assert isinstance(pay, PackageFunction)
    assert pay.function == "Till.pay"
    with pytest.raises(DatasetError, match=r"no package and no function 'tinyshob'\. Did you mean tinyshop\?"):
        list(load_packages(cache, only=["tinyshob"], packages=[shop]))


def test_an_archive_with_another_hash_is_an_error_and_never_looked_into(
    archives: Path, shop: Package, tmp_path: Path
) -> None:
    pinned = replace(shop, sha256="ab" * 32)
    cache = tmp_path / "cache"
    with pytest.raises(DatasetError, match=r"another archive than the pinned one, whose sha256 is (ab){32}") as caught:
        list(load_packages(cache, packages=[pinned], archives=archives))
    assert shop.sha256 in str(caught.value)
    assert not [path for path in cache.rglob("*") if path.is_file() and path.name != "lock"]
    # Nor one that somebody put into the cache.
    (cache / "tinyshop-1.0.tar.gz").write_bytes(b"something else")
    with pytest.raises(DatasetError, match=f"has the hash .*, not {shop.sha256}. Remove it"):
        list(load_packages(cache, packages=[shop], archives=archives))


def test_a_function_that_its_file_lacks_is_told_and_the_rest_goes_on(cache: Path, shop: Package) -> None:
    pinned = replace(shop, by_file={"tinyshop/__init__.py": ("comon", "common"), "tinyshop/gone.py": ("pay",)})
    misspelt, common, gone = load_packages(cache, packages=[pinned])
    assert isinstance(misspelt, Rejected)
    assert misspelt.place == "tinyshop-1.0/tinyshop/__init__.py::comon"
    assert misspelt.field == "function"
    assert "common" in misspelt.reason
    assert isinstance(common, PackageFunction)
    assert isinstance(gone, Rejected)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (".git/hooks/pre-commit", "holds a .git of its own"),
        ("tests/.GIT/config", "holds a .git of its own"),
        ("../../escaped.py", "cannot be unpacked"),
    ],
)
def test_an_archive_that_reaches_further_than_its_folder_is_refused(path: str, why: str, tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "cache"
    cache.mkdir(parents=True)
    pinned = write_archive(cache, {**FILES, path: "import os\n"})  # in the cache: pip would refuse some of them, too
    (rejected,) = load_packages(cache, packages=[pinned])
    assert isinstance(rejected, Rejected)
    assert (rejected.place, rejected.field) == ("tinyshop-1.0", "archive")
    assert why in rejected.reason
    assert not list(tmp_path.rglob("escaped.py"))
    assert not list(tmp_path.rglob("pre-commit"))


@pytest.mark.nightly
@pytest.mark.slow
def test_a_function_is_judged_on_the_calls_of_the_packages_tests(
    cache: Path, archives: Path, shop: Package, sandbox: Sandbox
) -> None:
    (common,) = load_packages(cache, only=[SHOP_IDS[0]], packages=[shop], archives=archives)
    assert isinstance(common, PackageFunction)
    with open_session(sandbox=sandbox, store=None) as session:
        result = session.optimize(job_of(common), Search(selection=Selection.PAPER, iterations=1))
    assert "pytest: tests/test_tinyshop.py" in dict(result.workload_origins)
    assert Verdict.ACCEPTED in {each.verdict for each in result.candidates}
    assert git(common.folder, "status", "--porcelain", "--ignored") == b""


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timed
def test_an_evaluation_tells_what_the_product_would_offer(
    cache: Path, archives: Path, shop: Package, sandbox: Sandbox, tmp_path: Path
) -> None:
    """The loop of a user, once for each generation; its gains are stored, and there are no scores."""
    (common,) = load_packages(cache, only=[SHOP_IDS[0]], packages=[shop], archives=archives)
    assert isinstance(common, PackageFunction)
    settings = EvaluationSettings(
        "packages", model="rules", start="original", selection="verified", objective="time", iterations=1, generations=2
    )
    folder = begin_evaluation(tmp_path / "run", "rules", settings)
    with evaluation_session(folder, Caps(), sandbox) as session:
        loops = LoopRunner(session, folder, lambda _: None, CancelToken())
        folder.keep(common.id, evaluate_function(loops, common))
    found = load_evaluation(folder.path)
    assert not found.problems
    assert [(row["problem_id"], row["generation"], row["decision"]) for row in found.gains] == [
        (SHOP_IDS[0], generation, "improved") for generation in (0, 1)
    ]
    assert all(1 < row["low"] <= row["ratio"] <= row["high"] for row in found.gains)
    assert all("set(right)" in row["patch"] for row in found.gains)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.usefixtures("sandbox")
def test_the_page_tells_what_the_rules_gain_and_how_the_tests_do(archives: Path, shop: Package, tmp_path: Path) -> None:
    result = measure(shop, tmp_path, archives)
    folder = checkout(shop, tmp_path, archives)
    text = page([(shop, result)])
    assert re.search(r"\| tinyshop 1\.0 \| 1 \| 1 \| [12] \| 0 \| 7 pass \| \d+\.\d \|", text)
    assert re.search(r"\| `common` \| \d+\.\d% \| \d+\.\d\dx \| ", text)
    assert text.startswith(HEAD)
    assert text.endswith(FOOT)
    assert "+" in (tmp_path / "patches" / "tinyshop-1.0" / "all.patch").read_text()
    assert (folder / "tinyshop" / "__init__.py").read_text() == SHOP  # the patch is not left in what others load


def test_the_pinned_functions_are_named_once_and_told() -> None:
    ids = [f"{package.folder}/{file}::{name}" for package in PACKAGES for file, name in package.functions]
    assert len(ids) == len(set(ids)) > 60
    assert all(file.startswith(f"{package.place}/") for package in PACKAGES for file, _ in package.functions)
    assert describe().size == f"{len(ids)} functions of {len(PACKAGES)} packages"


def test_the_page_in_the_docs_is_what_the_code_writes() -> None:
    text = (ROOT / "docs" / "packages.md").read_text(encoding="utf-8")
    assert text.startswith(HEAD)
    assert text.endswith(FOOT)
    assert re.findall(r"^## (\w+) ([\d.]+)$", text, re.MULTILINE) == [(each.name, each.version) for each in PACKAGES]


def test_the_script_refuses_a_package_that_it_does_not_know() -> None:
    command = [sys.executable, "-m", "scripts.bench_packages", "inflections"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no package inflections; there are inflection, pygorithm, algorithms" in done.stderr


@pytest.mark.nightly
@pytest.mark.slow
def test_every_pinned_function_is_in_what_the_package_index_gives(tmp_path: Path) -> None:
    loaded = list(load_packages(tmp_path))
    rejected = [each for each in loaded if isinstance(each, Rejected)]
    if rejected and all(each.reason.startswith("pip cannot fetch") for each in rejected):
        pytest.skip(f"the package index does not answer: {rejected[0].line}")
    assert rejected == []
    assert len(loaded) == sum(len(package.functions) for package in PACKAGES)
