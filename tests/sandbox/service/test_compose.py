"""A real Docker Compose starts the pool, its proxy, PostgreSQL and Prometheus; then the pool is upgraded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docker
import pytest
import yaml

from scripts.debian_images import DebianImage, provide_image
from scripts.docker_daemon import in_networks_of, own_image, start_daemon, stop, wait_until_up
from scripts.release.images import build_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Packed
    from docker import DockerClient

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # the SDK leaves unconnected sockets
]

SERVERS = DebianImage("sid", ("docker-compose", "nginx", "postgresql-18", "prometheus"))
STARTED = ("sandbox", "proxy", "postgres", "prometheus")  # no distribution has Grafana
PROJECT = "com.docker.compose.project=afterburner"
SECRETS = {
    "AFTERBURNER_SERVICE_TOKEN": "a-token-of-the-tests-0123456789",
    "POSTGRES_PASSWORD": "a-password-of-the-tests",
    "GRAFANA_PASSWORD": "unused",
    "SANDBOX_MEMORY": "2g",
}
# What the images of the registry do with what Compose gives them: their servers' majors are the same as Debian's.
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
SLOW = "import time; time.sleep(20); print('done')"


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

    def containers(self, service: str = "") -> list[Any]:
        labels = [PROJECT] + ([f"com.docker.compose.service={service}"] if service else [])
        return self.client.containers.list(filters={"label": labels}, all=True)

    def logs(self) -> str:
        return "".join(f"\n{each.name}:\n{each.logs(tail=30).decode()}" for each in self.containers())

    def inside(self, service: str, *command: str) -> str:
        (container,) = self.containers(service)
        return str(container.exec_run(list(command)).output.decode())

    def here(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run our command where the published ports are."""
        command = in_networks_of(self.daemon, [str(Path(sys.executable).with_name("afterburner-agent")), *words])
        return subprocess.run(
            command, env={**os.environ, **SECRETS, **variables}, capture_output=True, text=True, check=False
        )

    def judge(self, source: str, folder: Path) -> dict[str, Any]:
        """What the pool says of a program."""
        file = folder / f"{abs(hash(source))}.py"
        file.write_text(source)
        words = ["sandbox", "run", str(file), "--backend", "http://127.0.0.1:8000", "--wall", "60", "--json", "-"]
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
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def pool(packed: Packed) -> Iterator[Pool]:
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        pytest.skip("needs root and dockerd: a daemon with networks of its own")
    services = yaml.safe_load((packed.tree / "examples" / "service" / "compose.yml").read_text())["services"]
    with networked_daemon() as (daemon, socket):
        url = f"unix://{socket}"
        for image in (own_image(), SERVERS):
            provide_image(url, image)
        with closing(docker.DockerClient(base_url=url, timeout=900)) as client:
            built = build_image(client.api, packed.tree, packed.wheels, own_image().name, "sandbox")
            client.images.get(built).tag("afterburner-sandbox")
            for service, text in IMAGES.items():
                client.images.build(
                    fileobj=BytesIO(f"FROM {SERVERS.name}\n{text}\n".encode()), tag=services[service]["image"]
                )
            yield Pool(client, daemon, socket, packed.tree)


def wait_for(is_so: Any, told: Any) -> None:
    deadline = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < deadline, told()
        time.sleep(0.5)


def test_a_pool_judges_keeps_runs_is_watched_is_upgraded_and_leaves_nothing(pool: Pool, tmp_path: Path) -> None:
    pool.compose("up", "--no-build", "--detach", "--wait", "--scale", "sandbox=2", *STARTED)
    assert len(pool.containers("sandbox")) == 2
    assert pool.judge("print(3)", tmp_path)["verdict"] == "accepted"

    store = f"postgresql://afterburner:{SECRETS['POSTGRES_PASSWORD']}@127.0.0.1/afterburner"
    runs = pool.here("runs", AFTERBURNER_STORE=store)
    assert runs.returncode == 0, runs.stderr + pool.logs()

    def watched() -> str:
        return pool.inside("prometheus", "promtool", "query", "instant", "http://127.0.0.1:9090", "up == 1")

    wait_for(lambda: watched().count('job="sandbox"') == 2, lambda: watched() + pool.logs())

    # The upgrade of docs/service.md: new services beside the old ones, which then finish what they run.
    old = pool.containers("sandbox")
    answers: list[dict[str, Any]] = []
    slow = threading.Thread(target=lambda: answers.append(pool.judge(SLOW, tmp_path)))
    slow.start()
    up = ("up", "--no-build", "--detach", "--wait", "--no-deps", "--no-recreate")
    pool.compose(*up, "--scale", "sandbox=4", "sandbox")
    for container in old:
        container.stop(timeout=150)
        assert container.wait()["StatusCode"] == 0, pool.logs()
        container.remove()
    slow.join()
    assert [answer["verdict"] for answer in answers] == ["accepted"]
    assert pool.judge("print(4)", tmp_path)["verdict"] == "accepted"
    assert len(pool.containers("sandbox")) == 2

    pool.compose("down", "--volumes")
    assert pool.containers() == []
    assert pool.client.networks.list(filters={"label": PROJECT}) == []
    assert pool.client.volumes.list(filters={"label": PROJECT}) == []
