"""The languages that the sandbox compiles and runs, one entry each: the only place that knows how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.types import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROGRAM = "/afterburner/program"
_COMPILER = Limits(
    wall_time_s=60.0, cpu_time_s=60.0, memory_kib=2_097_152, output_bytes=64 * 1024 * 1024, file_kib=524_288
)
_LEAST_HEAP_MIB = 64  # a runtime may refuse to start with less; the sandbox holds the limit, however small

# A runtime sizes itself by the machine that it sees, where it would have to look at its limits: at their memory, and at
# the one core that a measured program has. Of a single core Java concludes that each asynchronous task needs a thread
# of its own: hence the second worker. Performance data would be a file in /tmp.
_JVM = (
    *("-XX:+UseSerialGC", "-Xms64m", "-Xmx{memory_mib}m", "-Xss64m", "-XX:ActiveProcessorCount=1"),
    *("-Djava.util.concurrent.ForkJoinPool.common.parallelism=2", "-XX:-UsePerfData"),
)

# A public class has to lie in a file of its name: javac, which alone can tell, is asked for it. The classes that have
# a `main` are found likewise; of several, `Main` is taken, or one that is public.
_JAVAC = r"""
small='-J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-XX:ActiveProcessorCount=1 -J-XX:-UsePerfData'
compile() { javac $small -J-Xmx1g -J-Xss64m -encoding UTF-8 -proc:none -nowarn -d /tmp/classes "$1"; }
mkdir /tmp/classes
if ! compile "$SOURCE" 2>/tmp/said; then
    name=$(sed -n -E 's/.* error: [a-z]+ ([^ ]+) is public, should be declared in a file named .*/\1/p' /tmp/said)
    case $name in '' | *[[:space:]]*) cat /tmp/said; exit 1 ;; esac
    cp "$SOURCE" "/tmp/$name.java"
    compile "/tmp/$name.java"
fi
cd /tmp/classes
javap $small -package $(find . -name '*.class' ! -name '*$*') | sed -n -E \
    -e '/^[^ ].*\{$/{s/^(public )?.*(class|interface) ([^ <]+).*/\1\3/;h;}' \
    -e '/ static .* main\(java\.lang\.String(\[\]|\.\.\.)\)/{g;p;}' >/tmp/entries
main=$({ grep -E '(^|[ .])Main$' /tmp/entries; grep '^public ' /tmp/entries; cat /tmp/entries; } | sed 's/^public //;q')
if [ -z "$main" ]; then echo 'error: no class has a method public static void main(String[])'; exit 1; fi
jar $small --create --no-compress --file "$ARTEFACT" --main-class "$main" .
"""


@dataclass(frozen=True, slots=True)
class Language:
    """How one language is compiled and run.

    Attributes:
        name: what the sandbox calls it.
        source: the name of the file that holds a program.
        run: what starts it; a name without a slash is looked for on the toolchain's PATH, `{memory_mib}` is the limit.
        image: the Docker image, by default (table 6 of the paper).
        probe: prints the version, in its first line.
        programs: what has to be on the PATH to compile and run.
        packages: the Debian packages that bring them.
        compile: a shell script that makes one file, `$ARTEFACT`, of `$SOURCE`, in `/tmp`; None: nothing to compile.
        artefact: the name that the artefact is given where it runs.
        environment: for the compiler and for the program.
        compile_limits: for the compiler.
        aliases: what else it is called.
    """

    name: str
    source: str
    run: tuple[str, ...]
    image: str
    probe: tuple[str, ...]
    programs: tuple[str, ...]
    packages: tuple[str, ...]
    compile: str | None = None
    artefact: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    compile_limits: Limits = _COMPILER
    aliases: tuple[str, ...] = ()

    def command(self, limits: Limits) -> tuple[str, ...]:
        """What starts a program that has these limits."""
        memory_mib = max(_LEAST_HEAP_MIB, limits.memory_kib // 1024)
        return tuple(part.format(memory_mib=memory_mib) for part in self.run)


LANGUAGES = {
    language.name: language
    for language in (
        Language(
            name="python",
            source="main.py",
            run=("python3", f"{_PROGRAM}/main.py"),
            image="python:3.9.19-bullseye",
            probe=("python3", "-I", "-S", "--version"),
            programs=("python3",),
            packages=("python3",),
            aliases=("py", "python3", "py3"),
        ),
        Language(
            name="cpp",
            source="main.cpp",
            run=(f"{_PROGRAM}/main",),
            image="gcc:11.2.0-bullseye",
            probe=("g++", "--version"),
            programs=("g++",),
            packages=("g++",),
            compile='g++ -O2 -std=gnu++17 -pthread -o "$ARTEFACT" "$SOURCE"',
            artefact="main",
            aliases=("c++", "cxx", "g++"),
        ),
        Language(
            name="java",
            source="Main.java",
            run=("java", *_JVM, "-jar", f"{_PROGRAM}/main.jar"),
            image="openjdk:11.0.12-jdk-bullseye",
            probe=("javac", "-version"),
            programs=("java", "javac", "javap", "jar"),
            packages=("default-jdk-headless",),
            compile=_JAVAC,
            artefact="main.jar",
        ),
        Language(
            name="javascript",
            source="main.js",
            # The stack is 64 MiB; what a script may take of it has to leave some for the runtime's own functions.
            run=("node", "--stack-size=57344", "--max-old-space-size={memory_mib}", f"{_PROGRAM}/main.js"),
            image="node:22-bullseye",
            probe=("node", "--print", "'node ' + process.version"),
            programs=("node",),
            packages=("nodejs",),
            aliases=("js", "node", "nodejs"),
        ),
        Language(
            name="go",
            source="main.go",
            run=(f"{_PROGRAM}/main",),
            image="golang:1.17.0-bullseye",
            probe=("go", "version"),
            programs=("go",),
            packages=("golang-go",),
            compile='GOMAXPROCS=4 go build -p 4 -o "$ARTEFACT" "$SOURCE"',
            artefact="main",
            environment={
                "CGO_ENABLED": "0",
                "GO111MODULE": "off",
                "GOCACHE": "/tmp/go-cache",  # noqa: S108 - inside the container
                "GOENV": "off",
                "GOMAXPROCS": "1",
                "GOPATH": "/tmp/go",  # noqa: S108 - likewise
                "GOTOOLCHAIN": "local",
            },
            aliases=("golang",),
        ),
        Language(
            name="ruby",
            source="main.rb",
            run=("ruby", f"{_PROGRAM}/main.rb"),
            image="ruby:3.0.2-bullseye",
            probe=("ruby", "--disable-gems", "--version"),
            programs=("ruby",),
            packages=("ruby",),
            # A quarter of the stack for its own, which is a part of it: about 150,000 calls deep.
            environment={"RUBY_THREAD_VM_STACK_SIZE": "16777216"},
            aliases=("rb",),
        ),
        Language(
            name="rust",
            source="main.rs",
            run=(f"{_PROGRAM}/main",),
            image="rust:1.85.0-bullseye",
            probe=("rustc", "--version"),
            programs=("rustc", "cc"),
            packages=("rustc", "gcc"),
            compile='rustc -O --edition 2021 -o "$ARTEFACT" "$SOURCE"',
            artefact="main",
            aliases=("rs",),
        ),
    )
}


def find_language(name: str) -> Language:
    """The entry of a language, by its name or one of its usual others.

    Raises:
        UsageError: there is none; the message lists those that there are.
    """
    wanted = name.strip().lower()
    for language in LANGUAGES.values():
        if wanted == language.name or wanted in language.aliases:
            return language
    raise UsageError(f"The sandbox does not know the language {name!r}. It knows {', '.join(LANGUAGES)}.")
