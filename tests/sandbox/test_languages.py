"""Every language of the table, as people use it: under bubblewrap, with the toolchains of this machine."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import CaseReport, Limits, Program, Report, Sandbox, TestCase
from afterburner.sandbox.errors import ToolchainMissingError, UsageError
from afterburner.sandbox.languages import LANGUAGES, find_language
from afterburner.sandbox.toolchains import find_toolchain

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAMS = Path(__file__).parent / "programs"
SUFFIXES = {language.name: Path(language.source).suffix for language in LANGUAGES.values()}
KNOWN_GOOD = sorted(path for path in PROGRAMS.glob("*/*") if path.suffix == SUFFIXES[path.parent.name])
GENEROUS = Limits(wall_time_s=60.0, cpu_time_s=30.0)  # a busy machine; nothing here is about time

# Greets a line of stdin; fails in the way of its language if there is none; leaves with 3 if it is "leave".
GREETERS = {
    "python": """
        import sys
        name = input()
        if name == "leave": sys.exit(3)
        print("Grüß dich,", name)
    """,
    "cpp": """
        #include <iostream>
        #include <stdexcept>
        #include <string>
        int main() {
            std::string name;
            if (!std::getline(std::cin, name)) throw std::runtime_error("nothing to read");
            if (name == "leave") return 3;
            std::cout << "Grüß dich, " << name << std::endl;
        }
    """,
    "java": """
        import java.util.Scanner;
        public class Greeter {
            public static void main(String[] arguments) {
                String name = new Scanner(System.in, "UTF-8").nextLine();
                if (name.equals("leave")) System.exit(3);
                System.out.println("Grüß dich, " + name);
            }
        }
    """,
    "javascript": """
        const [name, ...rest] = require('fs').readFileSync(0, 'utf8').split('\\n');
        if (rest.length === 0) throw new Error('nothing to read');
        if (name === 'leave') process.exit(3);
        console.log(`Grüß dich, ${name}`);
    """,
    "go": """
        package main
        import ("bufio"; "fmt"; "os"; "strings")
        func main() {
            name, err := bufio.NewReader(os.Stdin).ReadString('\\n')
            if err != nil { panic("nothing to read") }
            if name == "leave\\n" { os.Exit(3) }
            fmt.Println("Grüß dich,", strings.TrimSpace(name))
        }
    """,
    "ruby": """
        name = $stdin.readline(chomp: true)
        exit 3 if name == 'leave'
        puts "Grüß dich, #{name}"
    """,
    "rust": """
        fn main() {
            let mut name = String::new();
            assert!(std::io::stdin().read_line(&mut name).unwrap() > 0, "nothing to read");
            if name == "leave\\n" { std::process::exit(3); }
            println!("Grüß dich, {}", name.trim());
        }
    """,
}
BROKEN = {
    "cpp": ("int main() { return undeclared; }", "main.cpp:1:21: error:", "undeclared"),
    "java": ('public class Greeter {\n    int count = "text";\n}', "Greeter.java:2: error:", "incompatible types"),
    "go": ("package main\nfunc main() { undeclared() }", "main.go:2:15:", "undefined: undeclared"),
    "rust": ("fn main() { undeclared(); }", "error[E0425]", "main.rs:1:13"),
}

Greet = tuple[CaseReport, ...]


def _run(sandbox: Sandbox, program: Program, *cases: TestCase, limits: Limits = GENEROUS) -> Report:
    try:
        find_toolchain(find_language(program.language))
    except ToolchainMissingError as error:
        pytest.skip(str(error))
    return sandbox.run(program, cases, limits)


@pytest.fixture(scope="module")
def greet(sandbox: Sandbox) -> Callable[[str], Greet]:
    """What a language's greeter does when it is greeted, told to leave, and given nothing."""
    done: dict[str, Greet] = {}

    def greeted(language: str) -> Greet:
        if language not in done:
            inputs = ("世界 🌍\n".encode(), b"leave\n", b"")
            program = Program(language, textwrap.dedent(GREETERS[language]))
            done[language] = _run(sandbox, program, *(TestCase(each) for each in inputs)).cases
        return done[language]

    return greeted


@pytest.mark.slow
@pytest.mark.parametrize("path", KNOWN_GOOD, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_good_program_is_accepted(path: Path, sandbox: Sandbox) -> None:
    stdin = path.with_suffix(".in")
    case = TestCase(stdin.read_bytes() if stdin.exists() else b"", path.with_suffix(".out").read_bytes())
    report = _run(sandbox, Program(path.parent.name, path.read_text("utf-8")), case)
    assert report.verdict == "accepted", (report.cases[0].detail, report.cases[0].stderr)
    assert report.cases[0].stdout == case.expected_stdout
    assert report.measurement.peak_memory_kib >= (100 * 1024 if path.stem == "storage" else 256)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_good_programs(language: str) -> None:
    names = {path.stem for path in KNOWN_GOOD if path.parent.name == language}
    assert len(names) >= 3
    assert names >= {"words", "storage"}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_reads_stdin_and_prints_more_than_ascii(language: str, greet: Callable[[str], Greet]) -> None:
    greeted, _, _ = greet(language)
    assert (greeted.verdict, greeted.stdout.decode()) == ("accepted", "Grüß dich, 世界 🌍\n"), greeted.stderr


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_exit_code_other_than_zero_is_a_runtime_error(language: str, greet: Callable[[str], Greet]) -> None:
    _, left, _ = greet(language)
    assert (left.verdict, left.exit_code, left.detail) == ("runtime_error", 3, "exit code 3"), left.stderr


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_exception_that_nobody_catches_is_a_runtime_error(language: str, greet: Callable[[str], Greet]) -> None:
    _, _, failed = greet(language)
    assert failed.verdict == "runtime_error"
    told = {"python": "EOFError", "java": "NoSuchElementException", "ruby": "EOFError"}
    assert told.get(language, "nothing to read") in failed.stderr
    if failed.signal is None:
        assert told.get(language, "nothing to read") in failed.detail


@pytest.mark.slow
@pytest.mark.parametrize("language", BROKEN)
def test_what_does_not_compile_is_a_compile_error_in_the_compilers_words(language: str, sandbox: Sandbox) -> None:
    source, *words = BROKEN[language]
    report = _run(sandbox, Program(language, source), TestCase())
    assert report.verdict == "compile_error"
    assert report.compilation is not None
    assert not report.compilation.succeeded
    for word in words:
        assert word in report.compilation.message


def test_only_compiled_languages_have_no_run_without_an_artefact() -> None:
    assert {name for name, language in LANGUAGES.items() if language.compile} == set(BROKEN)
    for language in LANGUAGES.values():
        assert (language.compile is None) == (language.artefact is None)
        assert language.run[-1] == f"/afterburner/program/{language.artefact or language.source}"


JAVA_LAYOUTS = {
    "no public class": "class Other { } class Start { public static void main(String[] a) { System.out.print(1); } }",
    "a package": "package a.b; public class Other { public static void main(String[] a) { System.out.print(1); } }",
    "an interface": "public interface Other { static void main(String[] a) { System.out.print(1); } }",
    "a misleading comment": "/*\npublic class Wrong {\n*/ public class Right { public static void main(String[] a) "
    "{ System.out.print(1); } }",
    "several": "class A { public static void main(String[] a) { System.out.print(2); } } public class Main { "
    "public static void main(String[] a) { System.out.print(1); } }",
}


@pytest.mark.slow
@pytest.mark.parametrize("layout", JAVA_LAYOUTS)
def test_the_java_class_with_the_main_method_is_found(layout: str, sandbox: Sandbox) -> None:
    report = _run(sandbox, Program("java", JAVA_LAYOUTS[layout]), TestCase(b"", b"1"))
    assert report.verdict == "accepted", report.cases[0].stderr


@pytest.mark.slow
def test_a_java_program_without_a_main_method_does_not_compile(sandbox: Sandbox) -> None:
    report = _run(sandbox, Program("java", "public class Main { void main(int a) { } }"), TestCase())
    assert report.verdict == "compile_error"
    assert "no class has a public static void main" in report.cases[0].detail


HUNGRY = {
    "java": "import java.util.*; class Main { public static void main(String[] a) { List<int[]> kept = new "
    "ArrayList<>(); while (true) { int[] part = new int[262144]; Arrays.fill(part, 1); kept.add(part); } } }",
    "javascript": "const kept = []; for (;;) kept.push(Array.from({ length: 10000 }, (_, i) => ({ i })));",
    "go": "package main\nfunc main() { kept := [][]byte{}\nfor { part := make([]byte, 1<<20); for i := range part "
    "{ part[i] = 1 }; kept = append(kept, part) } }",
    "ruby": "kept = []; loop { kept << 'x' * 1_000_000 }",
}


@pytest.mark.slow
@pytest.mark.parametrize("language", HUNGRY)
def test_a_runtime_with_its_own_heap_meets_the_memory_limit(language: str, sandbox: Sandbox) -> None:
    limits = Limits(wall_time_s=60.0, cpu_time_s=60.0, memory_kib=200 * 1024)
    report = _run(sandbox, Program(language, HUNGRY[language]), TestCase(), limits=limits)
    assert report.verdict == "memory_limit", (report.cases[0].detail, report.cases[0].stderr[-500:])


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        *(("c++", "cpp"), ("C++", "cpp"), ("js", "javascript"), ("node", "javascript"), ("golang", "go")),
        *(("py", "python"), ("Python3", "python"), ("rb", "ruby"), ("rs", "rust"), (" Java ", "java")),
    ],
)
def test_a_language_is_found_by_its_usual_names(alias: str, name: str) -> None:
    assert find_language(alias).name == name


def test_no_name_stands_for_two_languages() -> None:
    names = [name for language in LANGUAGES.values() for name in (language.name, *language.aliases)]
    assert len(names) == len(set(names))


def test_an_unknown_language_is_told_from_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"'cobol'.*python, cpp, java, javascript, go, ruby, rust"):
        find_language("cobol")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_missing_toolchain_names_the_program_and_the_package(language: str, tmp_path: Path) -> None:
    entry = LANGUAGES[language]
    with pytest.raises(ToolchainMissingError) as caught:
        find_toolchain(entry, search_path=str(tmp_path))
    assert f"needs the program {entry.programs[0]}," in str(caught.value)
    assert f"apt-get install {' '.join(entry.packages)}" in str(caught.value)
