import random

import pytest
from log_report import error_share, page_of, render, sample_log, summarize

LINES = [
    '10.0.0.1 - - [03/Mar/2025:10:00:00 +0000] "GET /item/17?ref=a HTTP/1.1" 200 500',
    '10.0.0.2 - - [03/Mar/2025:10:00:01 +0000] "GET /item/18/ HTTP/1.1" 304 -',
    '10.0.0.1 - - [03/Mar/2025:10:00:02 +0000] "POST /cart HTTP/1.1" 500 100',
    "10.0.0.1 - - [03/Mar",
    '10.0.0.3 - - [03/Mar/2025:10:00:03 +0000] "GET / HTTP/1.1" 200 1000',
]


@pytest.mark.parametrize(
    ("path", "page"),
    [("/", "/"), ("/cart?x=1", "/cart"), ("/item/17/", "/item/*"), ("/a/1/b/22", "/a/*/b/*"), ("?q=1", "/")],
)
def test_page_of(path, page):
    assert page_of(path) == page


def test_summarize_counts_everything():
    summary = summarize(LINES, [])
    assert (summary.requests, summary.unreadable, summary.bytes_sent) == (4, 1, 1600)
    assert (summary.new_clients, summary.repeat_requests) == (3, 1)
    assert summary.statuses == {"200": 2, "304": 1, "500": 1}
    assert list(summary.pages.items()) == [("/item/*", 2), ("/cart", 1), ("/", 1)]


def test_known_clients_are_not_new_and_stay_as_they_are():
    known = ["10.0.0.3", "10.0.0.1"]
    summary = summarize(LINES, known)
    assert (summary.new_clients, summary.repeat_requests) == (1, 3)
    assert known == ["10.0.0.3", "10.0.0.1"]


def test_an_empty_log_has_an_empty_report():
    summary = summarize([], [])
    assert error_share(summary) == 0.0
    assert render("today", summary).startswith("today: 0 requests, 0.0 MB, 0.00% failed")


def test_new_and_repeat_requests_add_up():
    lines = sample_log(random.Random(1), "01/Jan/2025", requests=400, clients=90)
    summary = summarize(lines, [])
    assert summary.requests == summary.new_clients + summary.repeat_requests == 399
    assert summary.new_clients == len({line.split()[0] for line in lines[:200] + lines[201:]})
