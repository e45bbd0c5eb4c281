"""Nightly report on the web server's access log: what was asked for, what failed, and who came back.

    python log_report.py

reads the logs that `sample_logs` makes up; a real installation hands the lines of yesterday's file to `summarize`.
"""

import random
import re
from collections import Counter
from dataclasses import dataclass, field

LINE = re.compile(
    r'(?P<client>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] "(?P<method>[A-Z]+) (?P<path>\S+) [^"]*" '
    r"(?P<status>\d{3}) (?P<size>\d+|-)"
)


@dataclass
class Summary:
    """What one log file says."""

    requests: int = 0
    unreadable: int = 0
    bytes_sent: int = 0
    new_clients: int = 0
    repeat_requests: int = 0
    statuses: Counter = field(default_factory=Counter)
    pages: Counter = field(default_factory=Counter)


def page_of(path: str) -> str:
    """The page without its query, and without the number of the item: `/item/17?ref=a` is `/item/*`."""
    page = path.split("?", 1)[0].rstrip("/") or "/"
    return re.sub(r"/\d+", "/*", page)


def summarize(lines: list[str], known_clients: list[str]) -> Summary:
    """Count requests, bytes, statuses and pages; a client is new at its first request unless it is in `known_clients`."""
    summary = Summary()
    seen = list(known_clients)
    for line in lines:
        match = LINE.match(line)
        if match is None:
            summary.unreadable += 1
            continue
        summary.requests += 1
        client = match["client"]
        if client in seen:
            summary.repeat_requests += 1
        else:
            seen.append(client)
            summary.new_clients += 1
        if match["size"] != "-":
            summary.bytes_sent += int(match["size"])
        summary.statuses[match["status"]] += 1
        summary.pages[page_of(match["path"])] += 1
    return summary


def error_share(summary: Summary) -> float:
    """The part of the requests that the server itself failed on."""
    failed = sum(count for status, count in summary.statuses.items() if status.startswith("5"))
    return failed / summary.requests if summary.requests else 0.0


def render(day: str, summary: Summary) -> str:
    """The report of one day, a few lines of text."""
    lines = [
        f"{day}: {summary.requests} requests, {summary.bytes_sent / 1e6:.1f} MB, {error_share(summary):.2%} failed",
        f"  clients: {summary.new_clients} new, {summary.repeat_requests} repeat requests",
    ]
    lines += [f"  {count:6d} {page}" for page, count in summary.pages.most_common(3)]
    if summary.unreadable:
        lines.append(f"  {summary.unreadable} lines could not be read")
    return "\n".join(lines)


def sample_log(rng: random.Random, day: str, requests: int, clients: int) -> list[str]:
    """A log such as a small shop has; the same for the same seed."""
    addresses = [f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}" for _ in range(clients)]
    paths = ["/", "/cart", "/health", *(f"/item/{number}" for number in range(900)), "/search?q=lamp"]
    asked = zip(
        rng.choices(addresses, k=requests),
        rng.choices(paths, weights=[300, 300, 300, *[1] * 900, 200], k=requests),
        rng.choices(["200", "304", "404", "500"], weights=[90, 5, 4, 1], k=requests),
    )
    lines = []
    for number, (address, path, status) in enumerate(asked):
        second = number * 86_400 // requests
        time = f"{day}:{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d} +0000"
        size = "-" if status == "304" else 200 + number * 7919 % 40_000
        lines.append(f'{address} - - [{time}] "GET {path} HTTP/1.1" {status} {size}')
    lines[requests // 2] = lines[requests // 2][:30]  # the disk was full for a moment
    return lines


if __name__ == "__main__":
    rng = random.Random(20)
    office = [f"192.168.1.{host}" for host in range(2, 60)]
    for date, visitors in [("03/Mar/2025", 3500), ("04/Mar/2025", 5200), ("05/Mar/2025", 6000), ("06/Mar/2025", 2500)]:
        log = sample_log(rng, date, requests=7000, clients=visitors)
        print(render(date, summarize(log, office)))
