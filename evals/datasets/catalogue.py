"""What there is to know of each benchmark: size, licence, rule, and where it comes from."""

from __future__ import annotations

from afterburner.evals.datasets import apps, effibench_x, enamel, livecodebench, venus
from afterburner.evals.datasets.packages.functions import describe
from afterburner.evals.problems import DatasetInfo

VENUS = DatasetInfo(
    name="venus",
    hub="Elfsong/Venus_Python",
    size="984 problems for training (2,181 elsewhere in the paper), 300 for testing; 107 solutions each",
    licence="not stated; statements are LeetCode's",
    grader="The problem's own evaluate(expected, output) says so of every case.",
    source="Afterburner, arXiv 2505.23387",
    splits=("train", "test"),
)
VENUS_HUB = DatasetInfo(
    name="venus-hub",
    hub="Elfsong/Venus",
    size="2,480 problems in Python, fewer in other languages; no tests",
    licence="not stated; statements are LeetCode's",
    grader="None: it has no tests. Add them, or make a benchmark of it by eval build.",
    source="Afterburner, arXiv 2505.23387",
    splits=("train",),
    configurations=venus.CONFIGURATIONS,
)
APPS = DatasetInfo(
    name="apps",
    hub="codeparrot/apps",
    size="5,000 problems for training, 5,000 for testing; some without tests",
    licence="MIT",
    grader="Lenient: order of lines and tokens, repetitions and rounding to 3 places are forgiven.",
    source="Hendrycks et al., arXiv 2105.09938",
    splits=("train", "test"),
    configurations=("all", *apps.DIFFICULTIES),
)
APPS_PYTHON = DatasetInfo(
    name="apps-python",
    hub="Elfsong/APPS_Python",
    size="24 tests and 33 measured solutions a problem, on average",
    licence="MIT, as APPS",
    grader="The same output but for whitespace at its beginning and end.",
    source="Afterburner, arXiv 2505.23387",
    splits=("train", "test"),
)
LIVECODEBENCH = DatasetInfo(
    name="livecodebench",
    hub="livecodebench/code_generation_lite",
    size="400, 511, 612, 713, 880, 1,055 problems in release_v1 to release_v6",
    licence="cc, no version named",
    grader="Equal lines, or equal decimal numbers; calls by == without tolerance. Scored on public and private tests.",
    source="LiveCodeBench, arXiv 2403.07974",
    configurations=(*livecodebench.RELEASES, *livecodebench.PARTS),
)
MERCURY = DatasetInfo(
    name="mercury",
    hub="Elfsong/Mercury",
    size="1,633 problems for training, 256 for evaluation",
    licence="CC-BY-NC-4.0",
    grader="The problem's own evaluate_offline says so of every call; one instance makes all of them.",
    source="Mercury, arXiv 2402.07844",
    splits=("train", "eval"),
)
EFFIBENCH = DatasetInfo(
    name="effibench",
    hub="DONG19/EffiBench",
    size="1,000 problems",
    licence="not stated; statements are LeetCode's",
    grader="The script of solution and asserts ends well; strict: each assert as a call of its own.",
    source="EffiBench, arXiv 2402.02037",
    splits=("train",),
)
EFFIBENCH_X = DatasetInfo(
    name="effibench-x",
    hub="EffiBench/effibench-x",
    size="623 problems, each for six languages",
    licence="Apache-2.0",
    grader="The problem's own evaluate(output, expected) says so of every case.",
    source="EffiBench-X, arXiv 2505.13004",
    configurations=effibench_x.CONFIGURATIONS,
)
ENAMEL = DatasetInfo(
    name="enamel",
    hub="",
    size="142 problems; with the configuration all, the 22 that ENAMEL's own evaluation leaves out, too",
    licence="Apache-2.0",
    grader="The problem's own __check(input, answer, output) says so at every level of inputs.",
    source="ENAMEL, arXiv 2406.06647; enamel.csv of github.com/q-rz/enamel",
    configurations=(enamel.ALL,),
)
COFFE = DatasetInfo(
    name="coffe",
    hub="",
    size="398 functions",
    licence="Apache-2.0",
    grader="Equal to the answer as JSON, floats close as in allclose; stress inputs answered by the reference.",
    source="COFFE, arXiv 2502.02827; github.com/JohnnyPeng18/Coffe",
)
PACKAGES = describe()
CATALOGUE = (
    VENUS,
    VENUS_HUB,
    APPS,
    APPS_PYTHON,
    LIVECODEBENCH,
    MERCURY,
    EFFIBENCH,
    EFFIBENCH_X,
    ENAMEL,
    COFFE,
    PACKAGES,
)
