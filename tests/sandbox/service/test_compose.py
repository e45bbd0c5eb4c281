"""A real Docker Compose starts the pool, its proxy, PostgreSQL and Prometheus; then the pool is upgraded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docker
import pytest
import yaml

from scripts.debian_images import DebianImage, UnableError, provide_image
from scripts.docker_daemon import clear, in_networks_of, own_image, start_daemon, stop, wait_until_up
from scripts.release.images import build_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Packed
    from docker import DockerClient
    from docker.models.containers import Container

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # the SDK leaves unconnected sockets
]

SERVERS = DebianImage("sid", ("docker-compose", "nginx", "postgresql-18", "prometheus"))
STARTED = ("sandbox", "proxy", "postgres", "prometheus")  # Debian has no Grafana
ROOT = Path(__file__).parents[3]
PROJECT = "com.docker.compose.project=afterburner"
SECRETS = {
    "AFTERBURNER_SERVICE_TOKEN": "a-token-of-the-tests-0123456789",
    "POSTGRES_PASSWORD": "a-password-of-the-tests",
    "GRAFANA_PASSWORD": "unused",
    "SANDBOX_MEMORY": "2g",
}
# Stand-ins for the entry points of the registry's images, on Debian's servers.
IMAGES = {
    "proxy": 'CMD ["nginx", "-g", "daemon off;"]',
    "prometheus": (
        'CMD ["prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]'
    ),
    "postgres": r"""ENV PATH=/usr/lib/postgresql/18/bin:$PATH
RUN mkdir -p /var/run/postgresql && chown postgres /var/run/postgresql
CMD ["sh", "-c", "set -e; data=/var/lib/postgresql/18/docker; \
    if [ ! -e $data ]; then \
        install -d -o postgres $data; echo \"$POSTGRES_PASSWORD\" >/tmp/password; chmod 644 /tmp/password; \
        setpriv --reuid postgres --clear-groups initdb --encoding UTF8 --locale C.UTF-8 \
            --auth-host scram-sha-256 --username \"$POSTGRES_USER\" --pwfile /tmp/password $data; \
        echo 'host all all all scram-sha-256' >>$data/pg_hba.conf; \
        setpriv --reuid postgres --clear-groups pg_ctl --pgdata $data --wait start; \
        setpriv --reuid postgres --clear-groups createdb --username \"$POSTGRES_USER\" \"$POSTGRES_USER\"; \
        setpriv --reuid postgres --clear-groups pg_ctl --pgdata $data --wait stop; \
    fi; \
    exec setpriv --reuid postgres --clear-groups postgres -D $data -c listen_addresses='*'"]""",
}
# Of the services of one machine one runs a task at a time, so while these last each has its turn.
TASKS = 6
SLOW = "import time; time.sleep(12); print('done')"
ANSWERED = b" POST /run 200 "  # in a service's log
HEALTH = """
import os, urllib.request
headers = {"Authorization": "Bearer " + os.environ["AFTERBURNER_SERVICE_TOKEN"]}
print(urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:8000/health", None, headers)).read().decode())
"""


@dataclass
class Pool:
    """What Compose has started, by a daemon with networks of its own."""

    client: DockerClient
    daemon: subprocess.Popen[bytes]
    socket: Path
    tree: Path

    def compose(self, *words: str) -> str:
        """Run Docker Compose in a container that has the daemon's socket; gives what it says."""
        folder = str(self.tree)
        made = self.client.containers.create(
            SERVERS.name,
            ["docker-compose", "--file", f"{folder}/examples/service/compose.yml", *words],
            environment=SECRETS | {"DOCKER_HOST": f"unix://{self.socket}"},
            volumes={name: {"bind": name, "mode": "rw"} for name in (str(self.socket), folder)},
            network_mode="none",
        )
        try:
            made.start()
            status, said = made.wait()["StatusCode"], made.logs().decode("utf-8", "replace")
        finally:
            made.remove(force=True)
        assert status == 0, said[-4000:] + self.logs()
        return said

    def containers(self, service: str = "") -> list[Container]:
        labels = [PROJECT] + ([f"com.docker.compose.service={service}"] if service else [])
        return list(self.client.containers.list(filters={"label": labels}, all=True))

    def logs(self) -> str:
        return "".join(f"\n{each.name}:\n{each.logs(tail=30).decode()}" for each in self.containers())

    def inside(self, service: str, *command: str) -> str:
        (container,) = self.containers(service)
        done = container.exec_run(list(command))
        assert done.exit_code == 0, done.output
        return str(done.output.decode())

    def here(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run our command where the published ports are."""
        command = in_networks_of(self.daemon, [str(Path(sys.executable).with_name("afterburner-agent")), *words])
        return subprocess.run(
            command, env={**os.environ, **SECRETS, **variables}, capture_output=True, text=True, check=False
        )

    def judge(self, file: Path) -> dict[str, Any]:
        """What the pool says of a program."""
        words = ["sandbox", "run", str(file), "--sandbox", "http://127.0.0.1:8000", "--wall", "120", "--json", "-"]
        done = self.here(*words)
        assert done.returncode == 0, done.stderr + self.logs()
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@contextmanager
def networked_daemon() -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A daemon, and its socket."""
    folder = Path(tempfile.mkdtemp(prefix="afterburner-compose-"))
    daemon = start_daemon(folder, with_networks=True)
    socket = folder / "docker.sock"
    try:
        wait_until_up(daemon, f"unix://{socket}")
        yield daemon, socket
    finally:
        stop(daemon, f"unix://{socket}")
        clear(folder)


@pytest.fixture
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    missing = [name for name in ("dockerd", "debootstrap", "ip", "nsenter") if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        pytest.skip(f"a Docker daemon with networks of its own needs root and {', '.join(missing) or 'nothing else'}")
    packed: Packed = request.getfixturevalue("packed")
    services = yaml.safe_load((packed.tree / "examples" / "service" / "compose.yml").read_text())["services"]
    with networked_daemon() as (daemon, socket):
        url = f"unix://{socket}"
        try:
            for image in (own_image(), SERVERS):
                provide_image(url, image)
        except UnableError as error:
            pytest.skip(str(error))
        with closing(docker.DockerClient(base_url=url, timeout=900)) as client:
            built = build_image(client.api, packed.tree, packed.wheels, own_image().name, "sandbox")
            client.images.get(built).tag("afterburner-sandbox")
            for service, text in IMAGES.items():
                client.images.build(
                    fileobj=BytesIO(f"FROM {SERVERS.name}\n{text}\n".encode()), tag=services[service]["image"]
                )
            yield Pool(client, daemon, socket, packed.tree)


def wait_for(is_so: Callable[[], bool], told: Callable[[], str]) -> None:
    deadline = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < deadline, told()
        time.sleep(0.5)


def test_the_pool_works_as_the_page_says_from_up_to_down(pool: Pool, tmp_path: Path) -> None:
    """It judges through the proxy, keeps runs, is watched, is upgraded under a running task, and leaves nothing."""
    up = ("up", "--no-build", "--detach", "--wait")
    pool.compose(*up, "--scale", "sandbox=2", *STARTED)
    assert len(pool.containers("sandbox")) == 2
    quick, slow = tmp_path / "quick.py", tmp_path / "slow.py"
    quick.write_text("print(3)")
    slow.write_text(SLOW)
    assert pool.judge(quick)["verdict"] == "accepted"

    store = f"postgresql://afterburner:{SECRETS['POSTGRES_PASSWORD']}@127.0.0.1/afterburner"
    words = ["run", str(ROOT / "examples" / "log_report.py"), "--model", "rules", "--iterations", "1", "--json", "-"]
    run = pool.here(*words, AFTERBURNER_STORE=store)
    assert run.returncode == 0, run.stderr + pool.logs()
    assert json.loads(run.stdout)["run_id"] in pool.here("runs", AFTERBURNER_STORE=store).stdout

    def watched() -> str:
        return pool.inside("prometheus", "promtool", "query", "instant", "http://127.0.0.1:9090", "up == 1")

    wait_for(lambda: watched().count('job="sandbox"') == 2, lambda: watched() + pool.logs())

    old = pool.containers("sandbox")
    pool.client.images.build(fileobj=BytesIO(b"FROM afterburner-sandbox\nLABEL new=yes\n"), tag="afterburner-sandbox")
    pool.compose(*up, "--no-deps", "--scale", "sandbox=4", "--no-recreate", "sandbox")
    new = [each for each in pool.containers("sandbox") if each not in old]
    with ThreadPoolExecutor(TASKS) as waiting:
        answers = [waiting.submit(pool.judge, slow) for _ in range(TASKS)]
        wait_for(lambda: any(map(is_running, old)), pool.logs)
        for container in sorted(old, key=is_running, reverse=True):
            container.stop(timeout=150)
        assert [answer.result()["verdict"] for answer in answers] == ["accepted"] * TASKS
    assert [container.wait()["StatusCode"] for container in old] == [0, 0]
    # Each was answered once, whichever services were told to stop meanwhile.
    assert sum(each.logs().count(ANSWERED) for each in (*old, *new)) == 1 + TASKS, pool.logs()
    for container in old:
        container.remove()
    pool.compose(*up, "--no-deps", "--scale", "sandbox=2", "--no-recreate", "sandbox")
    assert {each.id for each in pool.containers("sandbox")} == {each.id for each in new}
    assert {each.image.labels.get("new") for each in new} == {"yes"}
    assert pool.judge(quick)["verdict"] == "accepted"

    pool.compose("down", "--volumes")
    assert pool.containers() == []
    assert pool.client.networks.list(filters={"label": PROJECT}) == []
    assert pool.client.volumes.list(filters={"label": PROJECT}) == []


def is_running(service: Container) -> bool:
    """Whether a service has a task."""
    asked = service.exec_run(["python3", "-c", HEALTH])
    assert asked.exit_code == 0, asked.output
    return bool(json.loads(asked.output)["queue"]["running"])
