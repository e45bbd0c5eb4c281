"""A real Prometheus, with the configuration that Compose gives it, scrapes a real service for the dashboard."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Service

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "service"
UNPACKED = ROOT / ".venv" / "servers" / "usr" / "bin"  # by setup.sh
PATIENCE_S = 120


def program(name: str) -> str:
    """The one of this machine, or the unpacked one."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:{UNPACKED}")
    if found is None:
        pytest.skip(f"{name} is missing: make setup-tests")
    return found


def configuration(token: str) -> str:
    text = yaml.safe_load((FOLDER / "compose.yml").read_text())["configs"]["prometheus"]["content"]
    assert text.count("${") == 1
    return str(text.replace("${AFTERBURNER_SERVICE_TOKEN}", token))


@pytest.fixture
def prometheus(service: Service, tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of it. It looks for the service on this machine instead of by its name, and looks more often."""
    told = yaml.safe_load(configuration(service.token or ""))
    told["global"]["scrape_interval"] = "1s"
    (job,) = told["scrape_configs"]
    job["static_configs"] = [{"targets": [service.url.removeprefix("http://")]}]
    del job["dns_sd_configs"]
    (tmp_path / "prometheus.yml").write_text(yaml.safe_dump(told))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [program("prometheus"), "--config.file=prometheus.yml", "--storage.tsdb.path=data"]
    with (tmp_path / "log").open("w") as log:
        running = subprocess.Popen([*command, f"--web.listen-address=127.0.0.1:{port}"], cwd=tmp_path, stderr=log)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            wait_for(lambda: is_ready(client), (tmp_path / "log").read_text)
            yield client
    finally:
        running.terminate()
        running.wait()


def is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/-/ready").is_success
    except httpx.TransportError:
        return False


def wait_for(is_so: Callable[[], bool], told: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, told()
        time.sleep(0.2)


def test_prometheus_takes_the_configuration_of_compose(tmp_path: Path) -> None:
    (tmp_path / "prometheus.yml").write_text(configuration("a-token"))
    checked = [program("promtool"), "check", "config", str(tmp_path / "prometheus.yml")]
    done = subprocess.run(checked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_query_of_the_dashboard_gives_figures(service: Service, prometheus: httpx.Client) -> None:
    panels = json.loads((FOLDER / "grafana" / "dashboard.json").read_text())["panels"]
    queries = [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]

    def found(query: str) -> list[Any]:
        answer = prometheus.get("/api/v1/query", params={"query": query.replace("$__rate_interval", "1m")}).json()
        assert answer["status"] == "success", answer
        return [each for each in answer["data"]["result"] if each["value"][1] != "NaN"]

    def all_found() -> bool:
        service.run("print(sum(range(100_000)))")  # a rate needs a counter that goes on
        return all(found(query) for _, query in queries)

    wait_for(all_found, lambda: [title for title, query in queries if not found(query)])
    (target,) = prometheus.get("/api/v1/targets").json()["data"]["activeTargets"]
    assert target["health"] == "up", target
