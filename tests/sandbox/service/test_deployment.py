"""The image of the service is built and started; what Compose starts beside it is valid and asks for what is there."""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from docker import APIClient
from prometheus_client.parser import text_string_to_metric_families

from afterburner.sandbox.container_paths import SCRATCH
from afterburner.sandbox.service.metrics import Metrics
from scripts.release.images import build_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Packed

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "service"
SLOW = "import time; time.sleep(4); print('done')"


def test_the_dashboard_asks_for_metrics_that_the_service_has() -> None:
    metrics = Metrics(Idle())  # type: ignore[arg-type]  # it has the two numbers that are asked for
    metrics.count_request("/run", 200)
    metrics.count_report("python", "accepted", 1.0)
    families = list(text_string_to_metric_families(metrics.text().decode()))
    known = {sample.name for family in families for sample in family.samples}
    panels = json.loads((FOLDER / "grafana" / "dashboard.json").read_text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    asked = {name for expression in expressions for name in re.findall(r"afterburner_\w+", expression)}
    assert len(panels) == 6
    assert asked
    assert asked <= known


class Idle:
    running = 0
    admitted = 0


def test_compose_starts_what_the_page_says_and_asks_for_every_secret() -> None:
    text = (FOLDER / "compose.yml").read_text()
    services = yaml.safe_load(text)["services"]
    page = (ROOT / "docs" / "service.md").read_text()
    assert set(services) == {"sandbox", "proxy", "postgres", "prometheus", "grafana"}
    assert all(f"`{name}`" in page for name in services)
    assert all(service.get("image", "").count(":") == 1 for name, service in services.items() if name != "sandbox")
    secrets = re.findall(r"\$\{(\w+(?:TOKEN|PASSWORD)):\?", text)
    assert sorted(secrets) == ["AFTERBURNER_SERVICE_TOKEN", "GRAFANA_PASSWORD", "POSTGRES_PASSWORD"]
    for service in services.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert not source.startswith(".") or (FOLDER / source).is_file(), source


@pytest.fixture(scope="module")
def build(docker_options: Any, packed: Packed) -> Iterator[Callable[[str], str]]:
    """Builds an image from the wheel of what is committed, on a base that the tests have made; gives its name."""
    with closing(APIClient(base_url=docker_options.address, timeout=600)) as client:
        made: list[str] = []

        def image(target: str) -> str:
            made.append(build_image(client, packed.tree, packed.wheels, docker_options.images["python"], target))
            return made[-1]

        yield image
        for name in made:
            client.remove_image(name, force=True)


@pytest.fixture(scope="module")
def client(docker_options: Any) -> Iterator[APIClient]:
    with closing(APIClient(base_url=docker_options.address, timeout=600)) as client:
        yield client


@pytest.fixture
def started(build: Callable[[str], str], client: APIClient) -> Iterator[Callable[[str], Any]]:
    """The service in a container, as Compose starts it; gives what a Python text in the same container prints."""
    image = build("sandbox")
    limits = client.create_host_config(
        security_opt=["seccomp=unconfined", "apparmor=unconfined"],
        cap_drop=["ALL"],
        read_only=True,
        tmpfs={SCRATCH: "exec,mode=1777", "/run/lock": "mode=1777", "/home/afterburner": "mode=700,uid=10001"},
        network_mode="none",
    )
    limits |= {"MaskedPaths": [], "ReadonlyPaths": []}  # what Docker's own clients make of systempaths=unconfined
    settings = {"AFTERBURNER_SERVICE_TOKEN": "a-token-of-the-tests-0123456789"}
    made = client.create_container(
        image, ["--rate", "10000", "--grace", "60"], environment=settings, host_config=limits
    )
    client.start(made)

    def inside(source: str) -> Any:
        task = client.exec_create(made, ["python3", "-c", source])
        return client.exec_start(task).decode()

    inside.container, inside.client = made["Id"], client  # type: ignore[attr-defined]
    try:
        yield inside
    finally:
        client.remove_container(made, force=True, v=True)


ASK = """
import json, urllib.error, urllib.request
def ask(path, body=None):
    data = json.dumps(body).encode() if body is not None else None
    headers = {"Authorization": "Bearer a-token-of-the-tests-0123456789", "Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:8000" + path, data, headers)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except OSError as error:
        return 0, str(error)
def run(source, output):
    cases = [{"stdin": "", "expected_stdout": output}]
    return ask("/run", {"program": {"language": "python", "source": source}, "cases": cases})
"""


@pytest.mark.nightly
@pytest.mark.timeout(1200)  # the image of the tests, a wheel and its dependencies come first
def test_the_image_judges_turns_healthy_and_finishes_what_runs_before_it_ends(started: Any) -> None:
    client, container = started.client, started.container
    while (health := client.inspect_container(container)["State"]["Health"]["Status"]) == "starting":
        time.sleep(0.2)
    assert health == "healthy", client.logs(container).decode()
    status, answer = json.loads(started(f"{ASK}\nprint(json.dumps(run('print(3)', '3\\n')))"))
    assert status == 200, (answer, client.logs(container).decode())
    assert answer["report"]["verdict"] == "accepted", answer
    assert answer["report"]["backend"].startswith("bubblewrap")
    assert started("import os; print(os.getuid())").strip() == "10001"

    answers: list[str] = []
    slow = threading.Thread(target=lambda: answers.append(started(f"{ASK}\nprint(run({SLOW!r}, 'done\\n'))")))
    slow.start()
    while json.loads(started(f"{ASK}\nprint(json.dumps(ask('/health')[1]['queue']['running']))")) == 0:
        time.sleep(0.1)
    client.kill(container, "TERM")
    slow.join()
    assert answers[0].startswith("(200, "), answers
    assert "'accepted'" in answers[0]
    assert client.wait(container)["StatusCode"] == 0


@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.timeout(1200)
def test_the_image_of_the_program_proves_a_rewrite(build: Callable[[str], str], client: APIClient) -> None:
    image = build("agent")
    limits = client.create_host_config(
        security_opt=["seccomp=unconfined", "apparmor=unconfined"],
        cap_drop=["ALL"],
        binds=[f"{ROOT / 'examples' / 'log_report.py'}:/work/log_report.py:ro"],
        network_mode="none",
    )
    limits |= {"MaskedPaths": [], "ReadonlyPaths": []}
    words = ["run", "/work/log_report.py", "--model", "rules", "--iterations", "1", "--json", "-"]
    made = client.create_container(image, words, host_config=limits)
    try:
        client.start(made)
        status = client.wait(made)["StatusCode"]
        assert status == 0, client.logs(made).decode()[-3000:]
        told = json.loads(client.logs(made, stderr=False))
        assert told["decision"] == "improved"
    finally:
        client.remove_container(made, force=True, v=True)
