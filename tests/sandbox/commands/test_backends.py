"""`afterburner-agent sandbox run` on Docker, and on a service that `sandbox serve` offers."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import CommandLine

    from afterburner.sandbox import DockerOptions

    Write = Callable[[str, str | bytes], str]

pytestmark = pytest.mark.slow
SUM = "print(sum(map(int, input().split())))\n"


@pytest.mark.nightly
@pytest.mark.parametrize("file", ["sum.py", "sum.cpp"])
def test_a_program_in_an_image(program: CommandLine, write: Write, docker_options: DockerOptions, file: str) -> None:
    write("sum.py", SUM)
    write("sum.cpp", "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n")
    done = program(
        *("sandbox", "run", file, "--stdin", write("in", "1 2\n"), "--expect", write("out", "3\n")),
        *("--sandbox", "docker", "--image", docker_options.images["python"]),
        DOCKER_HOST=str(docker_options.address),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3\n"
    assert ", Docker " in done.stderr


@pytest.mark.nightly
def test_an_image_that_is_not_there(program: CommandLine, write: Write, docker_options: DockerOptions) -> None:
    command = ("sandbox", "run", write("sum.py", SUM), "--sandbox", "docker", "--image", "afterburner-none:1")
    done = program(*command, DOCKER_HOST=str(docker_options.address))
    assert done.returncode == 3
    assert "docker pull afterburner-none:1" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.nightly
def test_the_doctor_finds_a_daemon(program: CommandLine, docker_options: DockerOptions) -> None:
    done = program("doctor", DOCKER_HOST=str(docker_options.address))
    assert re.search(r"^ok      docker: Docker \d", done.stdout, re.MULTILINE), done.stdout


@contextmanager
def serving(program: CommandLine) -> Iterator[str]:
    """The address of a service that runs meanwhile."""
    with program.start("sandbox", "serve", "--port", "0") as service:
        assert service.stderr is not None
        try:
            yield next(found[0] for line in service.stderr if (found := re.search(r"http://\S+", line)))
        finally:
            service.terminate()
            service.communicate()


def test_a_program_by_a_service(program: CommandLine, write: Write) -> None:
    with serving(program) as address:
        command = ("sandbox", "run", write("sum.py", SUM), "--stdin", write("in", "1 2\n"), "--sandbox", address)
        right = program(*command, "--expect", write("out", "3\n"))
        wrong = program(*command, "--expect", write("other", "4\n"))
        refused = program(*command, "--python", "python3")
    assert (right.returncode, right.stdout) == (0, "3\n"), right.stderr
    assert wrong.returncode == 1
    assert "wrong answer: line 1: expected '4', got '3'" in wrong.stderr
    assert refused.returncode == 2
    assert "--python" in refused.stderr


def test_a_service_that_is_not_there(program: CommandLine, write: Write) -> None:
    done = program("sandbox", "run", write("sum.py", SUM), "--sandbox", "http://127.0.0.1:9")
    assert done.returncode == 3
    assert done.stderr.startswith("error: ")
    assert "127.0.0.1:9" in done.stderr
