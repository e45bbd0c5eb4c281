"""The modules that capture code uses inside the sandbox: blobs of calls, touched data, import with other text."""

from __future__ import annotations

import importlib
import os
import pathlib
import pickle
import shutil
import struct
import sys
import textwrap
import threading
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import CallCase, FunctionEntry, Program, Sandbox, UsageError
from afterburner.sandbox.differences import render_outcome
from afterburner.sandbox.driver import call_blobs, user_module
from afterburner.sandbox.interpreter import find_interpreter, python_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType


@pytest.fixture(autouse=True)
def clean_imports() -> Iterator[None]:
    """Whatever a test imports or puts on the path is gone after it."""
    path, finders, modules = sys.path[:], sys.meta_path[:], dict(sys.modules)
    yield
    sys.path[:], sys.meta_path[:] = path, finders
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]
    sys.modules.update(modules)


@pytest.fixture
def load(tmp_path: pathlib.Path) -> Callable[..., ModuleType]:
    def from_text(source: str, name: str = "target", path: pathlib.Path | None = None) -> ModuleType:
        path = path or tmp_path / f"{name}.py"
        return user_module.load_target(name, str(path), textwrap.dedent(source), [str(tmp_path)])  # type: ignore[no-any-return]

    return from_text


def touched(module: ModuleType, qualname: str = "f") -> list[str]:
    resolved = user_module.resolve(module, qualname)
    return call_blobs.touched_globals(resolved.function, module)  # type: ignore[no-any-return]


def test_touched_data_is_found_through_functions_classes_and_nested_code(load: Callable[..., ModuleType]) -> None:
    module = load("""
        import functools, math
        READ, WRITTEN, IN_LAMBDA, IN_HELPER, IN_CLASS, IN_CACHED, UNUSED, IN_BASE, SHADOWED = range(9)
        def helper(): return IN_HELPER
        @functools.lru_cache
        def cached(): return IN_CACHED
        class Base:
            def inherited(self): return IN_BASE
        class Thing(Base):
            limit = IN_CLASS
            def method(self): return IN_CLASS
        def f(SHADOWED):
            global WRITTEN, created
            WRITTEN = created = READ
            return [lambda: IN_LAMBDA + math.pi for _ in range(3)], helper(), cached(), Thing()
        class Owner:
            def g(self): return self.h()
            def h(self): return READ
    """)
    assert touched(module) == sorted(
        ["READ", "WRITTEN", "created", "IN_LAMBDA", "IN_HELPER", "IN_CACHED", "IN_CLASS", "IN_BASE"]
    )
    assert touched(module, "Owner.g") == ["READ"]


def test_a_snapshot_tells_what_is_missing_and_what_cannot_be_copied(load: Callable[..., ModuleType]) -> None:
    module = load("import threading\nROWS, LOCK = [1], threading.Lock()\n")
    snapshot = call_blobs.snapshot_globals(module, ["LOCK", "ROWS", "later"])
    assert snapshot == ({"ROWS": [1]}, ["later"], ["LOCK"])


def test_a_blob_keeps_what_arguments_share_and_nothing_of_the_original() -> None:
    rows: list[object] = [1]
    call = call_blobs.load_call(call_blobs.dump_call([rows, rows], {"k": rows}, {"G": rows}, ["later"]))
    first, second = call.args
    assert first == rows
    assert first is second is call.kwargs["k"] is call.globals["G"]
    assert first is not rows
    assert call.absent == ("later",)


def test_one_nan_stays_one_object_and_another_stays_another() -> None:
    nan, other, third = float("nan"), float("-nan"), float("nan")
    values = [nan, other, nan, -0.0, third, float("inf"), {"k": nan}, (other,)]
    call = call_blobs.load_call(call_blobs.dump_call([values, nan], {"k": {nan}}, {"G": complex(nan, 1)}))
    [again, one] = call.args
    assert again[0] is again[2] is again[6]["k"] is one
    assert call.kwargs["k"] == {one}
    assert again[1] is again[7][0] is not one
    assert again[4] is not one is not again[1]
    assert struct.pack(">4d", *again[:4]) == struct.pack(">4d", *values[:4])


def test_the_blob_of_nan_objects_that_occur_once_is_a_plain_pickle() -> None:
    for values in ([1.5, float("inf"), float("inf"), "x"], [float("nan"), float("nan")], [1e308] * 3):
        assert call_blobs.dump_call([values], {}, {}) == pickle.dumps(((values,), {}, {}, ()), 4)


class Unreadable:
    """Can be pickled, but not back."""

    def __reduce__(self) -> tuple[object, ...]:
        return int, ("no number",)


def deep_list() -> list[object]:
    result: list[object] = []
    for _ in range(100_000):
        result = [result]
    return result


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (lambda: eval("lambda: made", {"made": 1}), "lambda"),  # noqa: S307 - it has names of its own
        (lambda: (n for n in [1]), "generator"),
        (threading.Lock, "lock"),
        (lambda: open(os.devnull), "TextIOWrapper"),  # noqa: PTH123, SIM115 - garbage collection closes it
        (Unreadable, "cannot be rebuilt"),
        (deep_list, "nested too deeply"),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_cannot_be_copied_is_refused_with_a_reason(value: Callable[[], object], reason: str) -> None:
    with pytest.raises(call_blobs.NotCopyable, match=reason):
        call_blobs.dump_call([value()], {}, {})


def test_the_text_stands_in_for_the_file_for_everyone(load: Callable[..., ModuleType], tmp_path: pathlib.Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("from .main import f\n")
    (package / "main.py").write_text("raise SystemExit('the file itself was imported')\n")
    (package / "helper.py").write_text("from . import main\ndef g(): return main.f()\n")
    (package / "data.txt").write_text("data")
    source = "import pkgutil\nfrom . import helper\ndef f(): return pkgutil.get_data(__package__, 'data.txt')\n"
    module = load(source, "pkg.main", package / "main.py")
    assert module is sys.modules["pkg.main"] is sys.modules["__main__"]
    assert (module.__name__, module.__file__) == ("pkg.main", str(package / "main.py"))
    assert module.f() == module.helper.g() == sys.modules["pkg"].f() == b"data"


def test_a_package_itself_can_be_the_target(load: Callable[..., ModuleType], tmp_path: pathlib.Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "other.py").write_text("VALUE = 3\n")
    module = load("from .other import VALUE\n", "pkg", tmp_path / "pkg" / "__init__.py")
    assert module.VALUE == 3


def test_a_mark_or_a_coding_line_in_the_text_has_no_say(load: Callable[..., ModuleType]) -> None:
    assert load("\ufeff# -*- coding: latin-1 -*-\r\nVALUE = 'ü'\r\n", "marked").VALUE == "ü"


def test_a_stale_bytecode_file_is_not_used(load: Callable[..., ModuleType], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "stale.py"
    path.write_text("VALUE = 'from the file'\n")
    sys.path.insert(0, str(tmp_path))
    importlib.import_module("stale")
    del sys.modules["stale"]
    assert load("VALUE = 'from the text'\n", "stale", path).VALUE == "from the text"


def test_objects_pickled_by_the_script_find_their_classes(load: Callable[..., ModuleType]) -> None:
    module = load("class Thing: pass\n")
    call = call_blobs.load_call(b"\x80\x04((c__main__\nThing\n)\x81t}}t.")
    assert type(call.args[0]) is module.Thing


@pytest.mark.parametrize(
    ("qualname", "message"),
    [
        ("missing", "module target has no function 'missing'"),
        ("Missing.f", "module target has no class 'Missing'"),
        ("Thing.missing", "class Thing of module target has no function 'missing'"),
        ("VALUE", "target.VALUE is no function but a int"),
        ("Thing.value", "target.Thing.value is no function but a int"),
        ("f.inner", "module target has no class 'f'"),
    ],
)
def test_a_name_that_is_no_function_is_refused(load: Callable[..., ModuleType], qualname: str, message: str) -> None:
    module = load("VALUE = 1\nclass Thing:\n    value = 1\ndef f():\n    def inner(): pass\n")
    with pytest.raises(LookupError, match=message):
        user_module.resolve(module, qualname)


def other_pythons() -> Iterator[str]:
    """Every Python of another version that can be found here: on the search path, or put there by pyenv."""
    for minor in range(9, 16):
        found = shutil.which(f"python3.{minor}")
        if found:
            yield found
    root = pathlib.Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    yield from (str(path) for path in sorted(root.glob("versions/3.*/bin/python3")))


def test_the_driver_runs_on_every_supported_python_found_here(sandbox: Sandbox) -> None:
    source = "import dataclasses, itertools\n@dataclasses.dataclass\nclass P:\n    x: int\n"
    source += "def f(n):\n    print(n)\n    return P(n), [n], itertools.chain([n])\n"
    entry = FunctionEntry("target", "/afterburner/program/target.py", "f")
    case = CallCase((pickle.dumps(((3,), {}, {}, ()), 4),), passes=2, cold_caches=True)
    encoded: dict[tuple[int, int], bytes] = {}
    for python in [sys.executable, *other_pythons()]:
        try:
            environment = python_environment(sandbox, find_interpreter(python, pathlib.Path("/")))
        except UsageError:  # too old, or a launcher without anything behind it
            continue
        if environment.version not in encoded:
            report = sandbox.run(Program("python", source, entry, environment=environment), [case]).cases[0]
            assert report.verdict == "accepted", (python, report.detail, report.stderr)
            encoded[environment.version] = report.outcomes[0].encoded
    assert len(set(encoded.values())) == 1
    assert render_outcome(next(iter(encoded.values()))) == "returned (P(x=3), [3], <chain of [3]>), printed '3\\n'"


@pytest.mark.parametrize(
    ("qualname", "held"),
    [
        ("plain", "plain"),
        ("__plain", "__plain"),
        ("Box.__unique", "Box._Box__unique"),
        ("_Box.__Inner.__keep", "_Box._Box__Inner._Inner__keep"),
        ("Box.__len__", "Box.__len__"),
        ("__.__kept", "__.__kept"),
    ],
)
def test_a_private_name_is_held_under_the_name_of_its_class(qualname: str, held: str) -> None:
    """As the compiler does it: see "Private name mangling" in Python's reference."""
    assert user_module.attribute_names(qualname) == held.split(".")
    body = "pass"
    for name in reversed(qualname.split(".")):
        body = f"class {name}:\n" + textwrap.indent(body, "    ")
    names: dict[str, object] = {}
    exec(body, names)  # noqa: S102 - it is the text above
    found: object = None
    for name in held.split("."):
        found = names[name] if found is None else vars(found)[name]
    assert isinstance(found, type)
