"""Time of a search among many memories: half are short entries in groups of ten, half are single notes.

.venv/bin/python -m tests.benchmarks.search [memories ...]

The words are as unevenly frequent as in real texts. `search` is the ranking with its index reads; `memory/search` is
the whole call, which first refreshes the files; `plain FTS5` searches the question's words in the same table and
returns the first hundred rows by BM25. Medians from one run, in milliseconds of processor time of the whole process.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from sidecar.core.yaml_text import Value
from sidecar.memory import SHARED_ONLY
from sidecar.memory.files import document
from sidecar.memory.indexed_text import terms_without_question_words
from sidecar.memory.memory_search import search
from sidecar.memory.store.entry_queries import SearchFilters
from sidecar.memory.store.index_tables import scope_token
from tests.benchmarks.programs import quiet_sidecar
from tests.benchmarks.synthetic import Words
from tests.support.memory_project import Memories

GROUP, QUERIES, WARM = 10, 60, 5
OLD_SECONDS, TEN_YEARS_MS = 1_700_000_000, 315_360_000_000
TARGETS = {10_000: 10.0, 100_000: 40.0}


def main() -> None:
    """Measure each number of memories in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("memories", nargs="*", type=int, default=[10_000, 100_000], help="default: 10000 100000")
    for count in parser.parse_args().memories:
        with tempfile.TemporaryDirectory() as folder:
            _measure(count, Path(folder))


def _measure(count: int, folder: Path) -> None:
    sidecar = quiet_sidecar(folder / "state")
    sidecar.clock.advance(TEN_YEARS_MS)  # long after the files were written
    sidecar.client.initialize()
    memories = Memories(sidecar, folder / "project")
    words = Words(1, 30_000)
    _fill(memories.folder, count, words)
    start = time.perf_counter()
    memories.index().refresh()
    print(f"{count} memories, indexed in {time.perf_counter() - start:.1f} s")
    queries = [_query(words) for _ in range(QUERIES)]
    index = memories.index()
    now_ms = sidecar.clock.now_ms()

    def ours(query: str) -> object:
        with index.process.database.read() as tx:
            return search(tx, index.project, SHARED_ONLY, query, SearchFilters(), 10, now_ms)

    def plain(query: str) -> object:
        match = (
            f"scope : {scope_token(index.project, 'shared')} AND ({' OR '.join(terms_without_question_words(query))})"
        )
        with index.process.database.read() as tx:
            return list(
                tx.execute(
                    "SELECT rowid FROM continuity_memory_text WHERE continuity_memory_text MATCH ? ORDER BY rank"
                    " LIMIT 100",
                    (match,),
                )
            )

    bare = _median_ms(plain, queries)
    print(f"  plain FTS5      {bare:7.1f} ms")
    took = _median_ms(ours, queries)
    print(f"  search          {took:7.1f} ms  {took / bare:4.1f} × plain")
    look = _median_ms(lambda _: index.refresh(), queries)
    print(f"  refresh         {look:7.1f} ms")
    whole = _median_ms(lambda query: memories.ask("search", query=query), queries)
    target = TARGETS.get(count)
    verdict = f"  (target {target:.0f}{'' if whole <= target else ', missed'})" if target else ""
    print(f"  memory/search   {whole:7.1f} ms  {whole / bare:4.1f} × plain{verdict}")
    sidecar.close()


def _median_ms(work: Callable[[str], object], queries: list[str]) -> float:
    for query in queries[:WARM]:
        work(query)
    times = []
    for query in queries:
        start = time.process_time()
        work(query)
        times.append((time.process_time() - start) * 1000)
    return median(times)


def _query(words: Words) -> str:
    return f"why did we {' '.join(words.take(4))} the {' '.join(words.take(2))}"


def _fill(root: Path, count: int, words: Words) -> None:
    """Write the files, old enough to be recognised by their stamps."""
    for number in range(0, count // 2, GROUP):
        content = document.new_group({"session": f"s-{number}"}, "Session")
        for entry in range(GROUP):
            author = "user" if entry % 2 else "assistant"
            facts: dict[str, Value] = {
                "id": f"mem-2026-01-01-{number + entry:06d}",
                "type": "decision",
                "author": author,
            }
            content = document.append_entry(content, facts, " ".join(words.take(5)), " ".join(words.take(25)))
        _write(root / f"shared/daily/2026-01-{number // GROUP % 28 + 1:02}/session-{number:06d}-digest.md", content)
    for number in range(count // 2, count):
        facts = {"id": f"mem-2026-01-01-{number:06d}", "type": "semantic"}
        content = document.new_memory(
            facts, " ".join(words.take(5)), "\n\n".join(" ".join(words.take(30)) for _ in "123")
        )
        _write(root / f"shared/durable/{number % 97:02}/{number:06d}.md", content)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (OLD_SECONDS, OLD_SECONDS))


if __name__ == "__main__":
    main()
