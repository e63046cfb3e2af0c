"""What processes and a folder take, and whether that grows without bound."""

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
"""Before so much was seen nothing is said: caches fill at first, and files have their first pages."""
GROWTH = {"rss_bytes": 24 << 20, "descriptors": 6, "threads": 6, "watches": 6}
"""How much more a process may take at the end of its life than early in it, once it is warm."""


class Usage(NamedTuple):
    """What a process and the state folder take; `runs` were acknowledged so far, `folders` are there to be watched."""

    pid: int
    runs: int
    folders: int
    rss_bytes: int
    descriptors: int
    watches: int
    threads: int
    state_bytes: int
    state_files: int


def usage_of(pid: int, state_dir: Path, runs: int, folders: int) -> Usage:
    """Looks at a process and the state folder."""
    process = psutil.Process(pid)
    sizes = list(_sizes(state_dir))
    return Usage(
        pid, runs, folders, process.memory_info().rss, _descriptors(process), _watches(process), process.num_threads(),
        sum(sizes), len(sizes),
    )  # fmt: skip


def beyond(usage: Usage) -> list[str]:
    """Says what a process takes beyond any bound."""
    watched = usage.watches - usage.folders
    most = (
        ("rss_bytes", usage.rss_bytes, MOST_RSS_BYTES), ("descriptors", usage.descriptors, MOST_DESCRIPTORS),
        ("threads", usage.threads, MOST_THREADS), ("watches beyond folders", watched, 40),
        ("state_files", usage.state_files, MOST_FILES),
    )  # fmt: skip
    return [f"{name} is {value}" for name, value, bound in most if value > bound]


def grown(usages: Sequence[Usage]) -> list[str]:
    """Says what the process that lived longest takes more and more of, and what the state folder does by the run."""
    lives = {pid: [one for one in usages if one.pid == pid] for pid in {one.pid for one in usages}}
    life = max(lives.values(), key=len)
    warm = life[len(life) // 3 :]
    if len(warm) < LEAST_SAMPLES:
        return []
    third = len(warm) // 3
    found = []
    for name, most in GROWTH.items():
        early, late = (statistics.median(getattr(one, name) for one in part) for part in (warm[:third], warm[-third:]))
        more_folders = max(0, warm[-1].folders - warm[0].folders) if name == "watches" else 0
        if late - early > most + more_folders:
            found.append(f"{name} grew from {early} to {late} in {warm[-1].runs - warm[0].runs} runs")
    runs = warm[-1].runs - warm[0].runs
    of_a_run = (warm[-1].state_bytes - warm[0].state_bytes) / max(1, runs)
    if runs >= LEAST_RUNS and of_a_run > MOST_BYTES_OF_A_RUN:
        found.append(f"the state grows by {of_a_run:.0f} bytes with each run")
    return found


def _sizes(folder: Path) -> Iterable[int]:
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # SQLite takes its own files away meanwhile
            yield path.stat().st_size


def _descriptors(process: psutil.Process) -> int:
    return int(process.num_fds() if sys.platform != "win32" else process.num_handles())


def _watches(process: psutil.Process) -> int:
    """Counts inotify watches, where the system tells them."""
    count = 0
    for file in Path(f"/proc/{process.pid}/fdinfo").glob("*"):
        with contextlib.suppress(OSError):
            count += file.read_text().count("inotify wd:")
    return count
