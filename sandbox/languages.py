"""The languages that the sandbox compiles and runs, one entry each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.sandbox.container_paths import PROGRAM_FOLDER, SCRATCH
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.types import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMPILER = Limits(
    wall_time_s=60.0,
    cpu_time_s=60.0,
    memory_kib=2_097_152,
    output_bytes=64 * 1024 * 1024,
    processes=256,
    file_kib=524_288,
)

# The class with the main method may have any name. Only javac knows for sure which name a public class asks its file
# to have, and says so; only javap, which class can be started.
_COMPILE_JAVA = r"""
quick='-J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-XX:-UsePerfData'
build() { javac $quick -J-Xss16m -encoding UTF-8 -proc:none -d /tmp/classes "$1" >/tmp/said 2>&1; }
file=Main.java
if ! build "$SOURCE"; then
    file=$(sed -n 's/.* should be declared in a file named \(.*\.java\)$/\1/p' /tmp/said | head -n 1)
    case $file in '' | */*) cat /tmp/said; exit 1 ;; esac
    cp "$SOURCE" "/tmp/$file"
    build "/tmp/$file" || { cat /tmp/said; exit 1; }
fi
cat /tmp/said
find /tmp/classes -name '*.class' >/tmp/found
{ grep -F "/${file%.java}.class" /tmp/found || :; cat /tmp/found; } >/tmp/list
main=$(xargs -d '\n' javap $quick -public </tmp/list | sed -n '
    s/^.*\(class\|interface\) \([^ <]*\).*{$/\2/; t name
    / static .*void main(java\.lang\.String\(\[\]\|\.\.\.\))/{ x; p; q; }
    b
    :name
    h')
[ -n "$main" ] || { echo 'error: no class has a public static void main(String[])'; exit 1; }
jar $quick -c -f "$ARTEFACT" -e "$main" -C /tmp/classes .
"""


@dataclass(frozen=True, slots=True)
class Language:
    """How one language is compiled and run.

    Names of programs without a slash are looked for on the toolchain's PATH.

    Attributes:
        name: what it is called in a `Program`.
        aliases: what else people call it.
        source: the name of the file that holds the program.
        run: the command that runs it; `{memory_mib}` stands for the memory limit.
        image: the Docker image that has its toolchain.
        programs: what compiles and runs it; the first tells version and home.
        probe: the command that prints the version.
        home: the command that prints where the toolchain is installed; None: beside the program's `bin`.
        parts: what of that folder is needed to compile and run, as patterns.
        packages: the Debian packages of the toolchain.
        compile: a shell script that makes one file, `$ARTEFACT`, of `$SOURCE`, in `/tmp`; None: it is not compiled.
        artefact: the name of that file at run time.
        environment: variables of program and compiler.
        compile_limits: what the compiler may use.
    """

    name: str
    aliases: tuple[str, ...]
    source: str
    run: tuple[str, ...]
    image: str
    programs: tuple[str, ...]
    probe: tuple[str, ...]
    home: tuple[str, ...] | None
    parts: tuple[str, ...]
    packages: tuple[str, ...]
    compile: str | None = None
    artefact: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    compile_limits: Limits = _COMPILER


_PYTHON = Language(
    name="python",
    aliases=("py", "python3", "cpython"),
    source="main.py",
    run=("python3", f"{PROGRAM_FOLDER}/main.py"),
    image="python:3.9.19-bullseye",
    programs=("python3",),
    probe=("python3", "--version"),
    home=("python3", "-I", "-S", "-c", "import sys; print(sys.base_prefix)"),
    parts=("bin/python3*", "lib*/python3*", "lib*/libpython3*"),
    packages=("python3",),
)

_CPP = Language(
    name="cpp",
    aliases=("c++", "cxx", "cc", "cplusplus"),
    source="main.cpp",
    run=(f"{PROGRAM_FOLDER}/main",),
    image="gcc:11.2.0-bullseye",
    programs=("g++",),
    probe=("g++", "--version"),
    home=None,
    parts=("bin", "include", "lib*", "*-linux-gnu"),
    packages=("g++",),
    compile='g++ -O2 -std=gnu++17 -pthread -o "$ARTEFACT" "$SOURCE"',
    artefact="main",
)

_JAVA = Language(
    name="java",
    aliases=("jdk", "openjdk"),
    source="Main.java",
    # The JVM sizes itself by the host's memory and cores, where it should by its limits and the one core that measured
    # programs have. Of a single core it concludes that every CompletableFuture needs a thread: hence the parallelism.
    run=(
        *("java", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1", "-XX:-UsePerfData", "-Xms64m", "-Xmx{memory_mib}m"),
        *("-Xss64m", "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2", "-Dfile.encoding=UTF-8"),
        *("-jar", f"{PROGRAM_FOLDER}/main.jar"),
    ),
    image="openjdk:11.0.12-jdk-bullseye",
    programs=("java", "javac", "javap", "jar"),
    probe=("java", "--version"),
    home=("java", "-XshowSettings:properties", "-version"),
    parts=("bin", "conf", "lib", "release"),
    packages=("default-jdk-headless",),
    compile=_COMPILE_JAVA,
    artefact="main.jar",
)

_JAVASCRIPT = Language(
    name="javascript",
    aliases=("js", "node", "nodejs"),
    source="main.js",
    # The meter gives every program a stack of 64 MiB; V8 believes in one, and in a heap made for the host's memory.
    run=("node", "--stack-size=49152", "--max-old-space-size={memory_mib}", f"{PROGRAM_FOLDER}/main.js"),
    image="node:22-bullseye",
    programs=("node",),
    probe=("node", "--print", "'Node.js ' + process.version"),
    home=("node", "--print", "path.dirname(path.dirname(process.execPath))"),
    parts=("bin/node", "lib/libnode*"),
    packages=("nodejs",),
)

_GO = Language(
    name="go",
    aliases=("golang",),
    source="main.go",
    run=(f"{PROGRAM_FOLDER}/main",),
    image="golang:1.17.0-bullseye",
    programs=("go",),
    probe=("go", "version"),
    home=("go", "env", "GOROOT"),
    parts=("bin", "lib", "pkg", "src", "VERSION", "go.env"),
    packages=("golang-go",),
    compile='GOMAXPROCS=4 go build -o "$ARTEFACT" "$SOURCE"',
    artefact="main",
    environment={
        "GO111MODULE": "off",  # one file, the standard library, no network
        "GOTOOLCHAIN": "local",
        "GOENV": "off",
        "GOPATH": f"{SCRATCH}/go",
        "GOCACHE": f"{SCRATCH}/go-cache",
        "CGO_ENABLED": "0",
        "GOMAXPROCS": "1",  # as with other languages' threads: measured programs have one core
    },
    # Since 1.20 the standard library does not come compiled.
    compile_limits=replace(_COMPILER, wall_time_s=180.0, cpu_time_s=180.0),
)

_RUBY = Language(
    name="ruby",
    aliases=("rb",),
    source="main.rb",
    run=("ruby", f"{PROGRAM_FOLDER}/main.rb"),
    image="ruby:3.0.2-bullseye",
    programs=("ruby",),
    probe=("ruby", "--version"),
    home=("ruby", "-e", "puts RbConfig::CONFIG['prefix']"),
    parts=("bin/ruby", "lib/ruby", "lib/libruby*"),
    packages=("ruby",),
    environment={"RUBY_THREAD_VM_STACK_SIZE": str(16 * 1024 * 1024)},  # 1 MiB ends at about 10,000 calls
)

_RUST = Language(
    name="rust",
    aliases=("rs", "rustc"),
    source="main.rs",
    run=(f"{PROGRAM_FOLDER}/main",),
    image="rust:1.85.0-bullseye",
    programs=("rustc", "cc"),  # rustc links by the C compiler
    probe=("rustc", "--version"),
    home=("rustc", "--print", "sysroot"),
    parts=("bin/rustc", "lib/*.so*", "lib/rustlib"),
    packages=("rustc", "gcc"),
    compile='rustc --edition 2021 -C opt-level=3 -o "$ARTEFACT" "$SOURCE"',
    artefact="main",
)

LANGUAGES = {language.name: language for language in (_PYTHON, _CPP, _JAVA, _JAVASCRIPT, _GO, _RUBY, _RUST)}

_OTHER_SUFFIXES = {".cc": "cpp", ".cxx": "cpp", ".c++": "cpp"}


def language_of_suffix(suffix: str) -> Language | None:
    """The language that the suffix of a file's name tells, such as `.cpp`; None if it tells none."""
    known = {language.source.partition(".")[2]: language for language in LANGUAGES.values()}
    suffix = suffix.lower()
    return known.get(suffix.removeprefix(".")) or LANGUAGES.get(_OTHER_SUFFIXES.get(suffix, ""))


def find_language(name: str) -> Language:
    """The entry of a language, by its name or an alias, in capitals or not.

    Raises:
        UsageError: there is none.
    """
    wanted = name.strip().lower()
    for language in LANGUAGES.values():
        if wanted in (language.name, *language.aliases):
            return language
    raise UsageError(f"The sandbox does not know the language {name!r}. It knows {', '.join(LANGUAGES)}.")
