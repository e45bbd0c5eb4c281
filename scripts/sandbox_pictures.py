"""Draws the pictures of docs/sandbox.md: what encloses a program, and how its memory is measured.

The second one shows a run that this script makes in the real sandbox.

    python scripts/sandbox_pictures.py
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from afterburner.sandbox import Command, ContainerSpec, Limits, open_sandbox

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
INK, SOFT, TRUSTED, HOSTILE, ACCENT = "#1f2933", "#7b8794", "#e3f2ec", "#fdeeea", "#c2410c"
PROGRAM = """
import time
kept = []
for size in (8, 16, 4, 24):
    kept.append(bytearray(b"x") * (size << 20))
    time.sleep(0.012)
    if size == 16:
        kept.clear()
"""


@dataclass
class Picture:
    """An SVG that grows by shapes; lengths are in pixels from the top left."""

    width: int
    height: int
    shapes: list[str] = field(default_factory=list)

    def box(self, x: float, y: float, width: float, height: float, fill: str, *, dashed: bool = False) -> None:
        """Adds a rectangle."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.shapes.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{fill}" stroke="{SOFT}"{dash}/>'
        )

    def text(self, x: float, y: float, *lines: str, size: int = 13, bold: bool = False, colour: str = INK) -> None:
        """Adds lines of text, the first with its baseline at y."""
        weight = ' font-weight="600"' if bold else ""
        for number, line in enumerate(lines):
            self.shapes.append(
                f'<text x="{x}" y="{y + number * size * 1.4:.1f}" font-size="{size}" fill="{colour}"{weight}>'
                f"{escape(line)}</text>"
            )

    def arrow(self, x1: float, y1: float, x2: float, y2: float, label: str = "") -> None:
        """Adds an arrow, its label above the middle."""
        self.shapes.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{INK}" stroke-width="1.5" marker-end="url(#tip)"/>'
        )
        if label:
            self.text(min(x1, x2) + 6, (y1 + y2) / 2 - 6, label, size=11, colour=SOFT)

    def save(self, name: str) -> None:
        """Writes the file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'font-family="system-ui, sans-serif"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" '
            f'markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="{INK}"/></marker></defs>'
            f'<rect width="{self.width}" height="{self.height}" fill="white"/>'
        )
        IMAGES.mkdir(parents=True, exist_ok=True)
        (IMAGES / name).write_text("\n".join([head, *self.shapes, "</svg>"]) + "\n", encoding="utf-8")


def draw_walls() -> None:
    """Who is where, and what passes between them."""
    picture = Picture(1000, 430)
    picture.text(20, 28, "Host process", bold=True)
    picture.box(20, 40, 310, 370, TRUSTED)
    picture.text(36, 66, "Scheduler", "one task, one core; the rest wait", size=12)
    picture.text(36, 126, "Own clock, own kill", "a meter that does not answer is overruled", size=12)
    picture.text(36, 186, "Judge", "expected outputs stay here;", "outputs are compared as they stream", size=12)
    picture.text(36, 266, "What the meter claims is checked", "against clocks, limits and lengths;", size=12)
    picture.text(36, 300, "a doubt is an internal error, never a verdict", size=12)
    picture.text(36, 350, "/sys/fs/cgroup: memory, pids", "hard stop, and the count of kills", size=12)

    picture.text(470, 28, "Container: bubblewrap or Docker, one for each task", bold=True)
    picture.box(470, 40, 510, 370, "white", dashed=True)
    picture.box(486, 56, 478, 84, TRUSTED)
    picture.text(502, 80, "Meter, process 1 (static C)", bold=True)
    picture.text(502, 100, "samples /proc every 0.1 ms, then every 1 ms, from another core", size=12)
    picture.text(502, 118, "enforces limits, reaps, kills the rest, empties what was written", size=12)
    picture.box(486, 176, 478, 104, HOSTILE)
    picture.text(502, 200, "Program: a fresh process for each case", bold=True)
    picture.text(502, 220, "descriptors 0, 1, 2; its own session; nobody's user; no capabilities", size=12)
    picture.text(502, 238, "pinned to its core; system calls filtered (seccomp)", size=12)
    picture.text(502, 256, "no network, no host processes, no expected output", size=12)
    picture.text(502, 312, "read-only", bold=True, size=12)
    picture.text(590, 312, "/usr, interpreter, project, /afterburner/program", size=12)
    picture.text(502, 338, "writable", bold=True, size=12)
    picture.text(590, 338, "/tmp, /dev/shm: in memory, sized, emptied between cases", size=12)  # noqa: S108
    picture.text(502, 364, "not there", bold=True, size=12)
    picture.text(590, 364, "home, keys, .git, .env, other users, sockets of the host", size=12)
    picture.text(502, 390, "denied", bold=True, size=12)
    picture.text(590, 390, "ptrace, mount, bpf, io_uring, keyrings, SysV IPC, vsock …", size=12)

    picture.arrow(330, 84, 484, 84, "command, stdin, limits")
    picture.arrow(484, 120, 330, 120, "output, times, samples")
    picture.arrow(690, 140, 690, 174)
    picture.text(700, 162, "fork, exec, watch, kill", size=11, colour=SOFT)
    picture.save("sandbox.svg")


def measured() -> tuple[list[tuple[float, float]], float, float]:
    """Points (ms since the start, MiB) of a real run, its peak in MiB and its integral in MiB·s."""
    with open_sandbox("bubblewrap") as sandbox:
        python = sandbox.backend.python()
        if python is None:
            raise SystemExit("This backend has no interpreter of its own.")
        command = Command((python.executable, "-I", "-S", "-c", PROGRAM))
        result = sandbox.run_raw(ContainerSpec(python.binds), command, b"", Limits())
    start = result.memory_samples[0][0]
    points = [((at - start) * 1000, kib / 1024) for at, kib in result.memory_samples]
    used = result.measurement
    return points, used.peak_memory_kib / 1024, used.memory_integral_kib_s / 1024


def draw_numbers() -> None:
    """The samples of a run, the area that they enclose, and its peak."""
    points, peak_mib, integral_mib_s = measured()
    picture = Picture(860, 320)
    left, top, width, height = 60, 40, 770, 220
    end_ms = points[-1][0]
    most_mib = peak_mib * 1.15

    def place(ms: float, mib: float) -> tuple[float, float]:
        return left + ms / end_ms * width, top + height - mib / most_mib * height

    outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
    base = f"{left},{top + height} {outline} {left + width},{top + height}"
    picture.shapes.append(f'<polygon points="{base}" fill="{TRUSTED}"/>')
    picture.shapes.append(f'<polyline points="{outline}" fill="none" stroke="{INK}" stroke-width="1.2"/>')
    for point in points:
        x, y = place(*point)
        picture.shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6" fill="{ACCENT}"/>')
    picture.text(left, 24, f"A run of {end_ms:.0f} ms, {len(points)} samples", bold=True)
    picture.text(left + 330, 24, f"peak {peak_mib:.1f} MiB, integral {integral_mib_s:.3f} MiB·s (shaded)", size=12)
    change_ms = min(20.0, end_ms)
    x, _ = place(change_ms, 0)
    picture.shapes.append(
        f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{top + height}" stroke="{SOFT}" stroke-dasharray="4 4"/>'
    )
    picture.text(x - 92, top + height + 34, "10 kHz until here", size=11, colour=SOFT)
    picture.text(x + 8, top + height + 34, "1 kHz from here on", size=11, colour=SOFT)
    for ms in range(0, int(end_ms) + 1, 10):
        x, y = place(ms, 0)
        picture.text(x - 6, y + 18, str(ms), size=11, colour=SOFT)
    for mib in range(0, int(most_mib) + 1, 10):
        x, y = place(0, mib)
        picture.text(left - 46, y + 4, f"{mib} MiB", size=11, colour=SOFT)
    picture.save("sandbox-numbers.svg")


if __name__ == "__main__":
    draw_walls()
    draw_numbers()
