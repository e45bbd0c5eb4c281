"""Failed log-ins by address, from sshd's journal."""

import random


def parse(entry):
    parts = entry.split()
    if len(parts) < 6:
        return None
    return {"time": parts[0], "host": parts[1], "outcome": parts[2], "user": parts[3], "ip": parts[5]}


def suspicious_addresses(entries, threshold=3):
    """Addresses with at least `threshold` failures, in the order of their first failure."""
    order = []
    failures = {}
    i = 0
    while i < len(entries):
        rec = parse(entries[i])
        i += 1
        if rec is None:
            continue
        if rec["outcome"] != "Failed":
            continue
        ip = rec["ip"]
        if ip not in order:
            order.append(ip)
            failures[ip] = 0
        failures[ip] += 1
    return [(ip, failures[ip]) for ip in order if failures[ip] >= threshold]


def format_report(found):
    width = max((len(ip) for ip, _ in found), default=0)
    return "\n".join(f"{ip:<{width}}  {n:>5}" for ip, n in found)


def fake_journal(seed, n):
    rnd = random.Random(seed)
    out = []
    for k in range(n):
        ip = f"10.{rnd.randrange(4)}.{rnd.randrange(64)}.{rnd.randrange(16)}"
        outcome = rnd.choice(["Failed", "Failed", "Accepted"])
        user = rnd.choice(["root", "admin", "git", "pi"])
        out.append(f"2024-05-{1 + k % 28:02d}T{k % 24:02d}:00 gate{rnd.randrange(3)} {outcome} {user} from {ip}")
        if rnd.random() < 0.01:
            out.append("-- rotated --")
    return out


if __name__ == "__main__":
    for seed, n in ((1, 4000), (2, 5000), (3, 3000)):
        found = suspicious_addresses(fake_journal(seed, n))
        print(len(found))
        print(format_report(found[:10]))
