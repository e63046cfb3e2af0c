"""Resource usage of processes and of a folder, and whether it grows without bound."""

import contextlib
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

MOST_RSS_BYTES, MOST_DESCRIPTORS, MOST_THREADS = 400 << 20, 120, 60
MOST_FILES, MOST_BYTES_OF_A_RUN = 60, 24_000
LEAST_SAMPLES, LEAST_RUNS = 12, 100
"""Growth is only judged from this many samples and runs: caches fill at first, and files get their first pages."""
GROWTH = {"rss_bytes": 24 << 20, "descriptors": 6, "threads": 6, "watches": 6}
"""Maximum growth between a warm process's early and late life."""


class Usage(NamedTuple):
    """Usage of a process and the state folder; `runs` were acknowledged so far, `folders` exist to be watched."""

    pid: int
    runs: int
    folders: int
    rss_bytes: int
    descriptors: int
    watches: int
    threads: int
    state_bytes: int
    state_files: int


def measure_usage(pid: int, state_dir: Path, runs: int, folders: int) -> Usage:
    """Measure a process and the state folder."""
    process = psutil.Process(pid)
    sizes = list(_sizes(state_dir))
    return Usage(
        pid, runs, folders, process.memory_info().rss, _descriptors(process), _watches(process), process.num_threads(),
        sum(sizes), len(sizes),
    )  # fmt: skip


def exceeded_limits(usage: Usage) -> list[str]:
    """Return the limits that a process exceeds."""
    watched = usage.watches - usage.folders
    limits = (
        ("rss_bytes", usage.rss_bytes, MOST_RSS_BYTES), ("descriptors", usage.descriptors, MOST_DESCRIPTORS),
        ("threads", usage.threads, MOST_THREADS), ("watches beyond folders", watched, 40),
        ("state_files", usage.state_files, MOST_FILES),
    )  # fmt: skip
    return [f"{name} is {value}" for name, value, bound in limits if value > bound]


def growth(usages: Sequence[Usage]) -> list[str]:
    """Return what grows in the longest-lived process, and what each run adds to the state folder."""
    by_process = {pid: [usage for usage in usages if usage.pid == pid] for pid in {usage.pid for usage in usages}}
    longest = max(by_process.values(), key=len)
    warm = longest[len(longest) // 3 :]
    if len(warm) < LEAST_SAMPLES:
        return []
    third = len(warm) // 3
    findings = []
    for name, limits in GROWTH.items():
        early, late = (
            statistics.median(getattr(usage, name) for usage in part) for part in (warm[:third], warm[-third:])
        )
        more_folders = max(0, warm[-1].folders - warm[0].folders) if name == "watches" else 0
        if late - early > limits + more_folders:
            findings.append(f"{name} grew from {early} to {late} in {warm[-1].runs - warm[0].runs} runs")
    runs = warm[-1].runs - warm[0].runs
    of_a_run = (warm[-1].state_bytes - warm[0].state_bytes) / max(1, runs)
    if runs >= LEAST_RUNS and of_a_run > MOST_BYTES_OF_A_RUN:
        findings.append(f"the state grows by {of_a_run:.0f} bytes with each run")
    return findings


def _sizes(folder: Path) -> Iterable[int]:
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # SQLite deletes its own files in the meantime
            yield path.stat().st_size


def _descriptors(process: psutil.Process) -> int:
    return int(process.num_fds() if sys.platform != "win32" else process.num_handles())


def _watches(process: psutil.Process) -> int:
    """Count inotify watches, where the system reports them."""
    count = 0
    for file in Path(f"/proc/{process.pid}/fdinfo").glob("*"):
        with contextlib.suppress(OSError):
            count += file.read_text().count("inotify wd:")
    return count
