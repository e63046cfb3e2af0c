"""Share of the answers to questions that is found: the product's index and search, beside plain FTS5.

    .venv/bin/python -m tests.benchmarks.recall --locomo locomo10.json
    .venv/bin/python -m tests.benchmarks.recall --notes FOLDER [FOLDER ...]

LoCoMo: one turn is one entry, a session is a group, and the question is the query. The weights are learned from all
other conversations, never from the one in question; `shipped` are the product's. Notes: the title is the question, the
note without its title the answer. Plain FTS5 (porter) searches any of the question's words.
"""

import argparse
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import apsw

from sidecar.core.token_estimate import estimate_tokens
from sidecar.memory import SHARED_ONLY, detail_levels, question_parser
from sidecar.memory.files import document
from sidecar.memory.memory_search import score_rows, search
from sidecar.memory.search_ranking import DEFAULT_PROFILES, NAMES, Profile, Profiles
from sidecar.memory.store.entry_queries import SearchFilters
from tests.benchmarks.listwise_softmax import Lesson, fit, hardest_rows
from tests.benchmarks.programs import quiet_sidecar
from tests.support.labelled_conversations import (
    LabelledConversation,
    read_conversations,
    turn_of,
    write_memories,
)
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.plain_full_text import PlainFullTextSearch

if TYPE_CHECKING:
    from collections.abc import Iterator

BUDGET = 500
DEEP = 100
DAY_MS = 86_400_000
TARGETS = {"recall@10": 0.82, "in 500 tokens": 0.80}

Figures = dict[str, list[float]]


class MemoryIndex(NamedTuple):
    """Indexed memories, and a way to search them."""

    memories: Memories
    now_ms: int

    def find(self, text: str, profiles: Profiles) -> tuple[list[str], list[float], list[int], float]:
        """Return ids, scores and tokens of the results, best first, and the milliseconds taken."""
        with self._read() as (tx, project):
            start = time.perf_counter()
            found = search(tx, project, SHARED_ONLY, text, SearchFilters(), DEEP, self.now_ms, profiles)
            spent = (time.perf_counter() - start) * 1000
        conversation = [
            detail_levels.render_memory("full", m.title, m.tags, m.text, ())
            for result in found
            for m in (result.entry.memory,)
        ]
        ids = [result.entry.memory.id for result in found]
        return ids, [result.score for result in found], [result.tokens for result in conversation], spent

    def lesson(self, text: str, right: frozenset[str]) -> Lesson:
        """Return the lesson of a question."""
        with self._read() as (tx, project):
            weighed = score_rows(
                tx, project, SHARED_ONLY, question_parser.parse_memory_query(text, self.now_ms), SearchFilters()
            )
            ids = dict(tx.execute("SELECT row_id, id FROM continuity_memories"))
        places = frozenset(
            index for index, result in enumerate(weighed) if turn_of(str(ids[result.row.row_id])) in right
        )
        lesson = Lesson([result.values for result in weighed], places)
        return hardest_rows(lesson, DEFAULT_PROFILES.grouped.weights) if places else lesson

    @contextmanager
    def _read(self) -> "Generator[tuple[apsw.Connection, str]]":
        index = self.memories.index()
        with index.process.database.read() as tx:
            yield tx, index.project


def main() -> int:
    """Measure conversations, notes, or both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locomo", type=Path, metavar="FILE")
    parser.add_argument("--notes", type=Path, nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--learn", action="store_true", help="print the weights learnt from all conversations")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sidecar = quiet_sidecar(Path(folder) / "state")
        sidecar.client.initialize()
        if chosen.locomo:
            _conversations(read_conversations(chosen.locomo), sidecar, Path(folder), learn=chosen.learn)
        for number, path in enumerate(chosen.notes):
            _notes(path, sidecar, Path(folder) / f"notes-{number}")
        sidecar.close()
    return 0


def _conversations(
    conversations: Sequence[LabelledConversation], sidecar: MemorySidecar, folder: Path, *, learn: bool
) -> None:
    indexes = [
        _index_conversation(conversation, sidecar, folder / f"conversation-{number}")
        for number, conversation in enumerate(conversations)
    ]
    lessons = [
        [result.lesson(question.text, question.evidence) for question in conversation.questions]
        for conversation, result in zip(conversations, indexes, strict=True)
    ]
    turns, questions = (
        sum(len(conversation.turns) for conversation in conversations),
        sum(len(conversation.questions) for conversation in conversations),
    )
    print(f"{len(conversations)} conversations, {turns} turns, {questions} questions")
    figures: dict[str, Figures] = defaultdict(lambda: defaultdict(list))
    for number, (conversation, result) in enumerate(zip(conversations, indexes, strict=True)):
        others = [lesson for index, some in enumerate(lessons) if index != number for lesson in some]
        learned = _profiles(fit(others, len(NAMES)))
        plain = PlainFullTextSearch({turn.id: turn.text for turn in conversation.turns})
        for question in conversation.questions:
            for name, profiles in (("learned from the others", learned), ("shipped", DEFAULT_PROFILES)):
                ids, scores, tokens, ms = result.find(question.text, profiles)
                _score(figures[name], [turn_of(found) for found in ids], scores, tokens, question.evidence, ms)
            for name, stop in (("plain FTS5", False), ("plain FTS5, no stop words", True)):
                found, ms = plain.find(question.text, stop=stop)
                tokens = [estimate_tokens(plain.texts[turn]) for turn in found]
                _score(figures[name], found, (), tokens, question.evidence, ms)
    _print(figures)
    if learn:
        weights = fit([lesson for some in lessons for lesson in some], len(NAMES))
        print({name: round(weight, 2) for name, weight in zip(NAMES, weights, strict=True)})


def _profiles(weights: Sequence[float]) -> Profiles:
    return DEFAULT_PROFILES._replace(grouped=Profile(tuple(weights), DEFAULT_PROFILES.grouped.bias))


def _index_conversation(conversation: LabelledConversation, sidecar: MemorySidecar, folder: Path) -> MemoryIndex:
    memories = Memories(sidecar, folder)
    write_memories(conversation, memories.folder)
    memories.index().refresh()
    last = max(turn.at for turn in conversation.turns)
    return MemoryIndex(memories, int(last.timestamp() * 1000) + DAY_MS)


def _score(
    figures: Figures,
    found: Sequence[str],
    scores: Sequence[float],
    tokens: Sequence[int],
    right: frozenset[str],
    ms: float,
) -> None:
    for depth in (5, 10):
        figures[f"recall@{depth}"].append(len(right.intersection(found[:depth])) / len(right))
    figures["MRR"].append(next((1 / rank for rank, result in enumerate(found, 1) if result in right), 0.0))
    packed = detail_levels.pack(scores, tokens, BUDGET) if scores else _in_order(tokens)
    figures["in 500 tokens"].append(len(right.intersection(found[index] for index in packed)) / len(right))
    figures["ms"].append(ms)


def _in_order(tokens: Sequence[int]) -> list[int]:
    """Return what fits, best first."""
    left, taken = BUDGET, list[int]()
    for index, result in enumerate(tokens):
        if result <= left:
            taken.append(index)
            left -= result
    return taken


def _print(figures: Mapping[str, Figures]) -> None:
    for name, measured in figures.items():
        summary = "  ".join(
            f"{figure} {_mean(figure, values):.3f}{_target(name, figure, values)}"
            for figure, values in measured.items()
        )
        print(f"  {name:26} {summary}")


def _mean(figure: str, values: Sequence[float]) -> float:
    return statistics.median(values) if figure == "ms" else statistics.fmean(values)


def _target(name: str, figure: str, values: Sequence[float]) -> str:
    if name.startswith("plain") or figure not in TARGETS:
        return ""
    return f" (target {TARGETS[figure]:.2f}{'' if statistics.fmean(values) >= TARGETS[figure] else ', missed'})"


def _notes(path: Path, sidecar: MemorySidecar, folder: Path) -> None:
    notes = dict(_titles(sorted(path.rglob("*.md"))))
    memories = Memories(sidecar, folder)
    for number, (_, text) in enumerate(notes.items()):
        content = document.new_memory({"id": f"mem-2026-03-01-{number:05d}", "type": "semantic"}, "Note", text)
        memories.write(f"shared/durable/{number:05d}.md", content)
    memories.index().refresh()
    plain = PlainFullTextSearch({f"mem-2026-03-01-{number:05d}": text for number, text in enumerate(notes.values())})
    notes_index, figures = (
        MemoryIndex(memories, sidecar.clock.now_ms()),
        defaultdict[str, Figures](lambda: defaultdict(list)),
    )
    for number, title in enumerate(notes):
        right = f"mem-2026-03-01-{number:05d}"
        finders: tuple[tuple[str, Callable[[], tuple[Sequence[str], float]]], ...] = (
            ("ours", lambda: _first_and_last(notes_index.find(title, DEFAULT_PROFILES))),  # noqa: B023 - called at once
            ("plain FTS5", lambda: plain.find(title, stop=False)),  # noqa: B023
            ("plain FTS5, no stop words", lambda: plain.find(title, stop=True)),  # noqa: B023
        )
        for name, finder in finders:
            found, ms = finder()
            rank = found.index(right) + 1 if right in found else 0
            for depth in (1, 10):
                figures[name][f"hit@{depth}"].append(float(0 < rank <= depth))
            figures[name]["MRR"].append(1 / rank if rank else 0.0)
            figures[name]["ms"].append(ms)
    print(f"{path}: {len(notes)} notes, title → note")
    _print(figures)


def _first_and_last(found: tuple[list[str], list[float], list[int], float]) -> tuple[list[str], float]:
    return found[0], found[-1]


def _titles(paths: Iterable[Path]) -> "Iterator[tuple[str, str]]":
    for path in paths:
        text = path.read_text("utf-8", "replace")
        title = re.match(r"\s*#\s+(.+)\n", text)
        if title and len(text) > title.end() + 40:
            yield title[1].strip(), text[title.end() :].strip()


if __name__ == "__main__":
    sys.exit(main())
