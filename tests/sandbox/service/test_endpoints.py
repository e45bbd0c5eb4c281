"""What the service answers, on real programs."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Service


def test_a_program_is_run_and_judged_on_its_cases(service: Service) -> None:
    cases = [{"stdin": "21", "expected_stdout": "42"}, {"stdin": "4", "expected_stdout": "9"}, {"stdin": "x"}]
    answer = service.run("print(int(input()) * 2)", cases=cases)
    assert answer.status_code == 200
    report = answer.json()["report"]
    assert report["verdict"] == "runtime_error"
    assert [case["verdict"] for case in report["cases"]] == ["accepted", "wrong_answer", "runtime_error"]
    assert report["cases"][0]["stdout"] == {"content": "42\n", "base64": False}
    assert report["cases"][1]["detail"] == "line 1: expected '9', got '8'"
    assert "ValueError" in report["cases"][2]["stderr"]
    assert report["measurement"]["cpu_time_s"] > 0
    assert report["measurement"]["memory_integral_kib_s"] > 0


def test_bytes_travel_as_text_or_in_base64(service: Service) -> None:
    data = bytes(range(256))
    given = {"content": base64.b64encode(data).decode(), "base64": True}
    source = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    checker = {"kind": "exact"}
    answer = service.run(source, cases=[{"stdin": given, "expected_stdout": given}], checker=checker).json()
    assert answer["report"]["verdict"] == "accepted"
    assert answer["report"]["cases"][0]["stdout"] == given
    text = "größe\0\r\n"
    answer = service.run(source, cases=[{"stdin": text, "expected_stdout": text}], checker=checker).json()
    assert answer["report"]["cases"][0]["stdout"] == {"content": text, "base64": False}


@pytest.mark.parametrize(
    ("checker", "verdict"),
    [
        ({"kind": "exact"}, "wrong_answer"),
        ({"kind": "lines"}, "wrong_answer"),
        ({"kind": "tokens"}, "wrong_answer"),
        ({"kind": "floats", "absolute": 0.5}, "accepted"),
        ({"kind": "custom", "program": {"language": "python", "source": ""}}, "accepted"),
        ({"kind": "custom", "program": {"language": "python", "source": "exit(1)"}}, "wrong_answer"),
    ],
)
def test_the_checker_is_the_clients(service: Service, checker: dict[str, object], verdict: str) -> None:
    cases = [{"expected_stdout": "1.0  2"}]
    assert service.run("print('1.1 2')", cases=cases, checker=checker).json()["report"]["verdict"] == verdict


def test_a_checker_that_fails_is_the_clients_mistake_and_no_verdict(service: Service) -> None:
    checker = {"kind": "custom", "program": {"language": "python", "source": "exit(7)"}}
    answer = service.run("print(1)", cases=[{"expected_stdout": "1"}], checker=checker)
    assert (answer.status_code, answer.json()["kind"]) == (422, "checker")
    assert "exit code 7" in answer.json()["error"]


def test_limits_are_the_clients_up_to_the_maxima_of_the_service(service: Service) -> None:
    answer = service.run("while True: pass", limits={"cpu_time_s": 0.2, "memory_kib": 1 << 32}).json()
    assert answer["report"]["verdict"] == "time_limit"
    assert answer["limits"]["cpu_time_s"] == 0.2
    assert answer["limits"]["memory_kib"] == 4 * 1024 * 1024
    assert answer["limits"]["wall_time_s"] == 10


def test_a_report_quotes_no_more_of_an_output_than_is_wanted(service: Service) -> None:
    case = service.run("print('x' * 1000)", keep_stdout_bytes=10).json()["report"]["cases"][0]
    assert (case["stdout"]["content"], case["stdout_bytes"]) == ("x" * 10, 1001)


@pytest.mark.slow
def test_many_cases_make_one_report_in_order(service: Service) -> None:
    cases = [{"stdin": str(number), "expected_stdout": str(number % 18)} for number in range(20)]
    reports = service.run("print(input())", cases=cases).json()["report"]["cases"]
    assert [report["verdict"] for report in reports] == ["accepted"] * 18 + ["wrong_answer"] * 2
    reports = service.run("print(input())", cases=cases, stop_at_failure=True).json()["report"]["cases"]
    assert len(reports) == 19


def test_a_program_that_does_not_compile_is_told_in_the_compilers_words(service: Service) -> None:
    program = {"language": "cpp", "source": "int main() { return nothing; }"}
    report = service.run("", program=program, cases=[{}] * 20).json()["report"]
    assert report["verdict"] == "compile_error"
    assert "nothing" in report["compilation"]["message"]
    assert len(report["cases"]) == 20


def test_more_than_the_service_allows_is_refused_in_words(service: Service) -> None:
    answer = service.run("", cases=[{}] * 21)
    assert (answer.status_code, answer.json()["kind"]) == (422, "usage")
    assert "21 cases" in answer.json()["error"]
    answer = service.run("", cases=[{}] * 20, limits={"wall_time_s": 100})
    assert answer.status_code == 422
    assert "fewer cases" in answer.json()["error"]
    answer = service.run("", program={"language": "cobol", "source": ""})
    assert answer.status_code == 422
    assert "cobol" in answer.json()["error"]
    with service.client() as client:
        answer = client.post("/run", content=b'{"program": {}}', headers={"Content-Type": "text/plain"})
    assert answer.status_code == 422
    assert "Content-Type: application/json" in answer.json()["error"]


def test_health_tells_what_the_service_is(service: Service) -> None:
    with service.client() as client:
        health = client.get("/health").json()
    assert health["status"] == "ok"
    assert health["version"] == "1.2.3"
    assert health["backend"].startswith("bubblewrap ")
    assert health["tier"] in {"cgroup v1", "cgroup v2", "rlimits"}
    assert "python" in {language["name"] for language in health["languages"]}
    assert health["queue"]["jobs"] >= 1
    assert health["most"]["memory_kib"] == 4 * 1024 * 1024


def test_the_openapi_page_describes_every_endpoint(service: Service) -> None:
    with service.client(authorization="") as client:
        page, schema = client.get("/docs"), client.get("/openapi.json").json()
    assert page.status_code == 200
    assert set(schema["paths"]) == {"/run", "/execute", "/health", "/metrics"}
    assert {"200", "401", "413", "422", "429", "500", "503"} <= set(schema["paths"]["/run"]["post"]["responses"])
    assert "memory_integral_kib_s" in schema["components"]["schemas"]["MeasurementModel"]["properties"]


def test_metrics_count_requests_and_verdicts(service: Service) -> None:
    def read(line: str) -> float:
        with service.client() as client:
            text = client.get("/metrics").text
        return sum(float(each.rsplit(" ", 1)[1]) for each in text.splitlines() if each.startswith(line))

    counted = 'afterburner_reports_total{language="python",verdict="accepted"}'
    before = read(counted)
    service.run("print(1)")
    assert read(counted) == before + 1
    assert read('afterburner_requests_total{path="/run",status="200"}') >= 1


def execute(service: Service, code: str, **request: object) -> dict[str, object]:
    with service.client() as client:
        answer = client.post("/execute", json={"code": code, "language": "python"} | request)
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert isinstance(result, dict)
    assert set(result) >= {"task_id", "status", "error", "output_dict"}
    return result


def test_execute_answers_in_the_original_form(service: Service) -> None:
    result = execute(service, "print(input())", libraries=[], timeout=30, run_profiling=True, stdin="Success\n")
    output = result["output_dict"]
    assert isinstance(output, dict)
    assert (result["status"], result["error"], result["verdict"]) == ("success", None, "accepted")
    assert output["stdout"] == "Success\n"
    assert output["peak_memory"] == max(kib for _, kib in output["log"])
    assert output["duration"] == pytest.approx((output["log"][-1][0] - output["log"][0][0]) / 1e6, rel=0.2)
    area = sum(
        (later[0] - sooner[0]) / 1e6 * (later[1] + sooner[1]) / 2
        for sooner, later in zip(output["log"], output["log"][1:], strict=False)
    )
    assert output["integral"] == pytest.approx(area, rel=0.05)
    assert output["time_v"]["exit_status"] == 0


def test_execute_without_profiling_leaves_the_log_out(service: Service) -> None:
    output = execute(service, "print(1)", language="python3", libraries=None, run_memory_profile=False)["output_dict"]
    assert isinstance(output, dict)
    assert output["log"] == []
    assert output["time_v"]["max_resident_set_kb"] == output["peak_memory"] > 0


@pytest.mark.parametrize(
    ("code", "status", "verdict"),
    [
        ("raise SystemExit(3)", "success", "runtime_error"),
        ("while True: pass", "timeout", "time_limit"),
        ("print('Success'); kept = bytearray(b'x' * (2 << 30))", "error", "memory_limit"),
        ("while True: print('Success')", "error", "output_limit"),
    ],
)
def test_execute_has_the_original_status_and_our_verdict(
    service: Service, code: str, status: str, verdict: str
) -> None:
    result = execute(service, code, timeout=1 if status == "timeout" else 20)
    assert (result["status"], result["verdict"]) == (status, verdict)
    assert (result["output_dict"] is None) == (status == "timeout")
    assert (result["error"] is None) == (status == "success")


def test_execute_reports_what_the_compiler_said(service: Service) -> None:
    result = execute(service, "int main() { return nothing; }", language="c++")
    assert (result["status"], result["verdict"]) == ("error", "compile_error")
    assert "nothing" in str(result["error"])


@pytest.mark.parametrize(
    "request_body",
    [
        {"language": "python"},
        {"code": "", "language": "python"},
        {"code": "print(1)"},
        {"code": "print(1)", "language": "cobol"},
        {"code": "print(1)", "language": "python", "libraries": ["numpy"]},
        {"code": "print(1)", "language": "python", "timeout": -1},
    ],
)
def test_execute_refuses_what_it_cannot_do(service: Service, request_body: dict[str, object]) -> None:
    with service.client() as client:
        answer = client.post("/execute", json=request_body)
    assert answer.status_code == 422
    assert answer.json()["status"] == "error"
