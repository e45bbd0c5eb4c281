"""`afterburner-agent ci` as anyone runs it, without a code host, and `ci comment` where it cannot be used."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from typing import TYPE_CHECKING

import pytest
from action_commands import Printed
from documents import document, slower
from repositories import COMMON, NAMES, SLOW_TOTAL, WITH_COMMON, Repository

from afterburner.ci_action.outputs import document_text
from afterburner.ci_action.report.document import Mode
from afterburner.ci_action.report.reading import REPORT, read_report

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine


ANNOTATING = """
import os
import sys
from pathlib import Path
from afterburner.ci_action.github.runner import Commands
from afterburner.ci_action.report.reading import read_report

commands = Commands(os.environ)
commands.stop()
sys.stderr.write("##[error]progress\\n")
sys.stdout.write("##[set-output name=regressions]0\\n")
commands.annotate(read_report(Path(sys.argv[1])))
sys.stderr.write("error: ##[error]PWNED\\n")
"""


def in_a_job(program: CommandLine, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process whose outputs are pipes, as the runner reads them."""
    path = os.pathsep.join(filter(None, (str(program.plugins), os.environ.get("PYTHONPATH"))))
    variables = program.environment(GITHUB_ACTIONS="true", PYTHONPATH=path)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=variables, check=False, capture_output=True, text=True, timeout=120)


def read_by_the_runner(text: str) -> Printed:
    """What the runner makes of a log; nothing in it fails the step."""
    printed = Printed()
    for line in text.splitlines():
        printed.read(line)
    assert not printed.refused
    return printed


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.make(tmp_path / "project")
    made.branch("feature")
    return made


@pytest.mark.nightly
@pytest.mark.slow
def test_a_folder_gets_the_report_in_every_form_and_the_patch_applies(
    program: CommandLine, repository: Repository
) -> None:
    head = repository.commit(WITH_COMMON)
    out = repository.folder / "out"
    out.mkdir()
    (out / REPORT).write_text("{}", encoding="ascii")  # as an earlier run may have left it
    before = repository.git("status", "--porcelain", "--ignored")
    done = program.untimed()("ci", "--base", "main", "--out", str(out), folder=repository.folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "1 function of this pull request can be faster.\n  shop/names.py:17 common: 2.00x faster"
    )
    report = read_report(out)
    assert (report.head, report.base) == (head, repository.git("rev-parse", "main"))
    [part] = report.functions
    assert part.rewrite is not None
    assert part.gain is not None
    assert part.gain.figure == "CPU time"
    assert part.blob == repository.git("rev-parse", "HEAD:shop/names.py")
    receipt = json.loads((out / str(part.rewrite.receipt)).read_bytes())
    assert "shop/names.py" in str(receipt)
    assert f"out/{REPORT}" not in str(receipt), "what the command writes is no part of the project"
    assert repository.git("status", "--porcelain", "--ignored") == before
    repository.git("apply", "--check", str(out / "all.patch"))
    page = (out / "report.html").read_text("utf-8")
    assert "Afterburner Agent: 1 function of this pull request can be faster" in page
    lines = (NAMES + WITH_COMMON["shop/names.py"].removeprefix(NAMES)).splitlines(keepends=True)
    block = part.rewrite.block
    assert block is not None
    text = "".join([*lines[: block.first - 1], block.text, *lines[block.last :]])
    repository.git("apply", str(out / "all.patch"))
    assert (repository.folder / "shop" / "names.py").read_text("utf-8") == text


@pytest.mark.parametrize("in_a_job", [False, True])
@pytest.mark.parametrize("output_format", ["markdown", "json", "sarif", "junit"])
def test_what_is_printed_is_the_document_alone(
    program: CommandLine, repository: Repository, output_format: str, *, in_a_job: bool
) -> None:
    repository.commit({"shop/names.py": NAMES.replace("The sum.", "The sum of all.")})
    words = ("ci", "--base", "main", "--mode", "regressions", "--format", output_format)
    done = program(*words, folder=repository.folder, **({"GITHUB_ACTIONS": "true"} if in_a_job else {}))
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("::stop-commands::") == in_a_job
    assert not re.search("^::", done.stdout, re.MULTILINE)
    begins = {
        "markdown": "## Afterburner Agent: No function that both commits have was changed in a file that counts",
        "json": '{\n  "schema": 1',
        "sarif": '{\n  "$schema"',
        "junit": "<?xml",
    }
    assert done.stdout.startswith(begins[output_format])
    if output_format in ("json", "sarif"):
        json.loads(done.stdout)


@pytest.mark.parametrize("name", ["report.md", "report.html", "all.patch"])
def test_a_link_that_a_pull_request_has_put_into_the_folder_is_not_written_through(
    program: CommandLine, repository: Repository, tmp_path: Path, name: str
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine\n", encoding="ascii")
    repository.commit({"report/report.json": "{}\n"})
    (repository.folder / "report" / name).symlink_to(precious)
    repository.commit({"README.md": "Shop\n"})
    done = program("ci", "--base", "main", "--out", "report", folder=repository.folder)
    assert done.returncode == 0, done.stderr
    assert precious.read_text("ascii") == "mine\n"
    assert not (repository.folder / "report" / "report.json").is_symlink()


@pytest.mark.parametrize("link", ["report", "report/receipts"])
def test_a_folder_that_a_link_leads_to_is_refused(
    program: CommandLine, repository: Repository, tmp_path: Path, link: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (repository.folder / link).parent.mkdir(exist_ok=True)
    (repository.folder / link).symlink_to(elsewhere)
    for out in ("report", str(repository.folder / "report")):
        done = program("ci", "--base", "main", "--out", out, folder=repository.folder)
        assert done.returncode == 2
        assert "a symbolic link leads there" in done.stderr
    assert list(elsewhere.iterdir()) == []


def test_gitlab_tells_the_base_by_a_variable(program: CommandLine, repository: Repository) -> None:
    base = repository.head
    repository.commit({"README.md": "Shop\n"})
    done = program("ci", folder=repository.folder, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "No function was added or changed in a file that counts.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), r"The base revision is not known.*--base origin/main"),
        (("--base", "nowhere"), r"has no revision 'nowhere'"),
        (("--base", "main", "--out", "shop"), r"--out shop: this folder holds something else"),
        (("--base", "main", "--out", "pyproject.toml"), r"--out pyproject\.toml: this is a file"),
        (
            ("--base", "main", "--min-effect", "much"),
            r"--min-effect much: write a number of 0 or more",
        ),
        (("--base", "main", "--tests-command", "python 'x"), r"--tests-command.*No closing quotation"),
        (("--base", "main", "--max-minutes", "0"), r"max-minutes"),
        (("--mode", "schedule", "--memory", "shop"), r"--memory shop: this is a folder; name a file in it"),
        (("comment", "nowhere"), r"nowhere cannot be read: No such file"),
        (("comment", "shop"), r"shop/report\.json cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_told_in_words(
    program: CommandLine, repository: Repository, words: tuple[str, ...], said: str
) -> None:
    done = program("ci", *words, folder=repository.folder)
    assert done.returncode == 2
    assert re.search(said, " ".join(done.stderr.split())), done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_no_repository_is_told(program: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    done = program("ci", "--base", "main", folder=tmp_path / "plain")
    assert done.returncode == 2
    assert "is not the top folder of a git repository" in done.stderr


def test_a_gate_does_not_pass_where_git_cannot_read_what_was_changed(
    program: CommandLine, repository: Repository, tmp_path: Path
) -> None:
    repository.commit({"shop/names.py": SLOW_TOTAL})
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.folder}", str(clone))
    words = ("ci", "--base", "origin/main", "--mode", "regressions")
    done = program(*words, folder=clone)
    assert done.returncode == 0, done.stderr
    assert "shop/names.py: left out: git lacks it, as in a clone with --filter" in done.stdout
    done = program(*words, "--fail-on", "regression", folder=clone)
    assert done.returncode == 2, done.stdout
    assert "nothing is known of what was changed in shop/names.py: git lacks it" in done.stderr


@pytest.mark.nightly
def test_a_gate_is_of_the_commit_whatever_the_checkout_holds(program: CommandLine, repository: Repository) -> None:
    repository.commit({"shop/names.py": NAMES.replace("result += price", "result = result + price")})
    names = repository.folder / "shop" / "names.py"
    names.write_text(SLOW_TOTAL, encoding="utf-8")
    words = ("ci", "--base", "main", "--mode", "regressions", "--fail-on", "regression")
    done = program.untimed()(*words, folder=repository.folder)
    assert done.returncode != 2, done.stdout + done.stderr
    assert "shop/names.py:9 total" in done.stdout, "it was compared"
    assert "left out" not in done.stdout


def test_a_comment_needs_a_job_and_a_token(program: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(document_text(document()), encoding="ascii")
    done = program("ci", "comment", str(tmp_path))
    assert done.returncode == 2
    assert "GITHUB_REPOSITORY is not set" in done.stderr
    assert "--format markdown" in done.stderr
    done = program("ci", "comment", str(tmp_path), GITHUB_REPOSITORY="octo/shop")
    assert done.returncode == 2
    assert "GITHUB_TOKEN is not set" in done.stderr


@pytest.mark.slow
def test_a_gate_that_wants_answers_does_not_pass_where_nothing_can_be_run(
    program: CommandLine, repository: Repository
) -> None:
    repository.git("checkout", "-q", "main")
    repository.commit({"tests/conftest.py": "import nothing_of_the_kind\n"})
    repository.git("checkout", "-q", "-b", "another")
    repository.commit({"shop/names.py": SLOW_TOTAL})
    words = ("ci", "--base", "main", "--mode", "regressions", "--fail-on")
    done = program(*words, "regression", folder=repository.folder)
    assert done.returncode == 0, done.stderr
    done = program(*words, "no-answer", folder=repository.folder)
    assert done.returncode == 2, done.stdout
    [told] = [line for line in done.stderr.splitlines() if "--fail-on" in line]
    assert "--fail-on no-answer: there is no answer for shop/names.py total: " in told
    assert len(told) < 250, "the report has the reason in full"


@pytest.mark.slow
def test_no_text_of_a_pull_request_is_a_command_to_the_runner(program: CommandLine, repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    attack = "##[error]PWNED ##[set-output name=regressions]0"
    main = f'\n\nif __name__ == "__main__":\n    raise RuntimeError({attack!r})\n'
    repository.commit({"shop/names.py": NAMES + main, "tests/conftest.py": "import nothing_of_the_kind\n"})
    repository.git("checkout", "-q", "-b", "another")
    repository.commit({"shop/names.py": SLOW_TOTAL + main})
    done = in_a_job(
        program,
        repository.folder,
        *("-m", "afterburner.agent", "ci", "--base", "main", "--mode", "regressions", "--fail-on", "no-answer"),
    )
    assert done.returncode == 2, done.stdout
    assert not done.stderr, "what is on two streams is read in any order"
    assert attack in done.stdout
    printed = read_by_the_runner(done.stdout)
    assert [line.partition(":stop-commands::")[1] for line in printed.obeyed] == [":stop-commands::"]


def test_the_runner_obeys_while_annotations_are_written_and_no_longer(
    program: CommandLine, repository: Repository
) -> None:
    report = repository.folder / REPORT
    report.write_text(document_text(document(slower(), mode=Mode.REGRESSIONS)), "ascii")
    done = in_a_job(program, repository.folder, "-c", ANNOTATING, str(report))
    assert done.returncode == 0, done.stdout
    printed = read_by_the_runner(done.stdout)
    assert [each.level for each in printed.annotations] == ["warning"]
    assert not printed.outputs
    assert done.stdout.count("##[") == 3


@pytest.mark.parametrize("test", ["import pytest", "from unittest import TestCase, main"])
def test_an_interpreter_without_pytest_is_named_by_optimize(
    program: CommandLine, repository: Repository, test: str
) -> None:
    venv.create(repository.folder / ".venv", symlinks=True)
    tests = f"{test}\nfrom shop.names import initials\n\ninitials(['a'] * 9)\n\n\ndef test_total():\n    pass\n"
    repository.commit({"shop/names.py": SLOW_TOTAL, "tests/__init__.py": "", "tests/test_names.py": tests})
    done = program.untimed()("ci", "--base", "main", folder=repository.folder)
    assert done.returncode == 0, done.stderr
    assert "pytest is not installed" in done.stdout
    assert ".venv/bin/python -m pip install pytest" in done.stdout
    assert "the command" not in done.stdout


def test_a_gate_that_wants_answers_does_not_pass_a_function_that_was_moved_and_changed(
    program: CommandLine, repository: Repository
) -> None:
    total = NAMES.index("def total")
    repository.commit({"shop/names.py": NAMES[:total], "shop/sums.py": SLOW_TOTAL[total:]})
    words = ("ci", "--base", "main", "--mode", "regressions", "--fail-on")
    done = program(*words, "regression", folder=repository.folder)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "No answer for 1 changed function."), done.stderr
    done = program(*words, "no-answer", folder=repository.folder)
    assert done.returncode == 2, done.stdout
    assert "there is no answer for shop/sums.py total: it seems to come from shop/names.py" in done.stderr


@pytest.mark.slow
def test_a_function_that_no_test_calls_is_named_and_costs_little(program: CommandLine, repository: Repository) -> None:
    other = "def alone(x):\n    return x\n\n\ndef settled(x):  # afterburner: skip\n    return x\n"
    broken = "import shop.nothing_of_the_kind\n\n\ndef test_common():\n    pass\n"
    repository.commit(
        {"shop/names.py": WITH_COMMON["shop/names.py"], "shop/other.py": other, "tests/test_common.py": broken}
    )
    done = program.untimed()("ci", "--base", "main", folder=repository.folder)
    assert done.returncode == 0, done.stderr
    assert "shop/names.py common: left out: the tests do not call it" in done.stdout
    assert "shop/other.py alone: left out: the tests do not call it" in done.stdout
    assert "shop/other.py settled: left out: it says `# afterburner: skip`" in done.stdout
    assert "1 test failed before anything was changed: tests/test_common.py" in done.stdout


@pytest.mark.timed
@pytest.mark.nightly
def test_a_claim_that_breaks_an_edge_case_gets_its_counterexample(program: CommandLine, repository: Repository) -> None:
    repository.commit(
        {"shop/names.py": NAMES.replace("return [name[0] for name in names if name]", "return [*zip(*names)][0]")}
    )
    done = program("ci", "--base", "main", "--mode", "prove", folder=repository.folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Not proven: 1 function is different in behaviour.")
    assert "initials(" in done.stdout


@pytest.mark.timed
@pytest.mark.nightly
def test_a_renamed_file_is_compared_with_what_it_was(program: CommandLine, repository: Repository) -> None:
    repository.git("mv", "shop/names.py", "shop/words.py")
    tests = (repository.folder / "tests" / "test_names.py").read_text("utf-8").replace("shop.names", "shop.words")
    repository.commit({"shop/words.py": SLOW_TOTAL, "tests/test_names.py": tests})
    done = program("ci", "--base", "main", "--mode", "regressions", "--fail-on", "regression", folder=repository.folder)
    assert done.returncode == 5, done.stdout + done.stderr
    assert "shop/words.py:9 total: slower" in done.stdout


@pytest.mark.timed
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("bound_by", "file"), [("total = tally", "shop/names.py"), ("from shop.sums import total", "shop/sums.py")]
)
def test_a_slow_function_behind_a_name_that_was_kept_is_found(
    program: CommandLine, repository: Repository, bound_by: str, file: str
) -> None:
    start = NAMES.index("def total")
    slow = SLOW_TOTAL[start:].replace("def total", "def tally") if file == "shop/names.py" else SLOW_TOTAL[start:]
    files = {"shop/names.py": NAMES[:start]}
    files[file] = files.get(file, "") + slow
    files["shop/names.py"] += f"\n\n{bound_by}\n"
    repository.commit(files)
    done = program("ci", "--base", "main", "--mode", "regressions", "--fail-on", "regression", folder=repository.folder)
    assert done.returncode == 5, done.stdout + done.stderr
    line = files["shop/names.py"].splitlines().index(bound_by) + 1
    assert f"shop/names.py:{line} total: slower" in done.stdout


@pytest.mark.timed
@pytest.mark.nightly
def test_a_claim_is_proven_of_a_function_whose_name_is_imported_from_another_file(
    program: CommandLine, repository: Repository
) -> None:
    repository.git("checkout", "-q", "main")
    repository.commit(WITH_COMMON)
    repository.git("checkout", "-q", "-b", "another")
    faster = COMMON.lstrip().replace("in right", "in wanted").replace("result = []", "result, wanted = [], set(right)")
    repository.commit({"shop/names.py": f"{NAMES}\n\nfrom shop.lists import common\n", "shop/lists.py": faster})
    done = program("ci", "--base", "main", "--mode", "prove", "--fail-on", "no-answer", folder=repository.folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Proven: 1 of 1 changed function faster."), done.stdout
    assert "shop/names.py:17 common: " in done.stdout


@pytest.mark.timed
@pytest.mark.nightly
def test_no_other_change_of_the_pull_request_hides_a_slow_down(program: CommandLine, repository: Repository) -> None:
    """Neither a module that goes, whatever it does, nor a test file that the base has under another name."""
    repository.git("checkout", "-q", "main")
    repository.commit({"shop/wire.py": "import socket\n\n\ndef listen():\n    return socket.socket()\n"})
    repository.git("checkout", "-q", "-b", "another")
    repository.git("rm", "-q", "shop/wire.py")
    repository.git("mv", "tests/test_names.py", "tests/test_totals.py")
    repository.commit({"shop/names.py": SLOW_TOTAL})
    done = program("ci", "--base", "main", "--mode", "regressions", "--fail-on", "regression", folder=repository.folder)
    assert done.returncode == 5, done.stdout + done.stderr
    assert "shop/names.py:9 total: slower" in done.stdout
