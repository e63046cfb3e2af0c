"""The worker's side of an index run: read files and send their words, then their summaries, as lines of JSON."""

import base64
import itertools
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from sidecar.codebase.files import FileContent, read_contents
from sidecar.codebase.search.postings import InvertedUnits, invert
from sidecar.codebase.search.shared_documents import definition_terms
from sidecar.codebase.summary.model import Landmine, Summary, to_json
from sidecar.codebase.summary.summarize import MAX_ANALYSED_BYTES, Words, count_words, summarize, unanalysed_summary
from sidecar.core.clock import SystemClock
from sidecar.core.secret_formats import set_own_patterns
from sidecar.core.terms import cache_many_words
from sidecar.system.git import GitFailed

WORDS, SUMMARIES = 1, 2
"""The stages: the words of contents, then definitions, imports and purposes."""

SEND_AFTER_MS = 100.0
"""A worker sends its results after this time, because each message interrupts the other process."""


class AnalysedFile(NamedTuple):
    """A file's summary, with the content id the file was listed under."""

    path: str
    content: str
    summary: Summary


class SummarizedFile(NamedTuple):
    """A file's summary as a worker sends it: the parts that the index needs, and its JSON for the file cache.

    The text is stored as it is: decoding and encoding all definitions would take longer than adding them.
    """

    path: str
    content: str
    language: str
    imports: Sequence[str]
    landmines: Sequence[Landmine]
    names: dict[str, int]
    """Term counts of the names of its definitions."""
    stored: bytes

    @classmethod
    def of(cls, path: str, content: str, summary: Summary) -> "SummarizedFile":
        """Return these parts of a summary without words."""
        stored, names = orjson.dumps(to_json(summary)), definition_terms(summary)
        return cls(path, content, summary.language, summary.imports, summary.landmines, names, stored)

    def parts(self) -> list[object]:
        """Return what is sent in one line with the parts of other files."""
        return [self.path, self.content, self.language, self.imports, list(map(list, self.landmines)), self.names]


class FileWords(NamedTuple):
    """The words of some files, by term, as the index adds them at once."""

    files: dict[str, str]
    """Path → content id that the file was listed under."""
    counts: tuple[int, ...]
    """Number of passages of each file."""
    words: InvertedUnits
    stored: tuple[bytes, ...]
    """The words of each file as JSON, for the file cache."""
    requested: int
    """Number of files that were to be read; those that changed or disappeared meanwhile are left out."""


def analyse(cwd: Path, files: Mapping[str, str]) -> Iterator[AnalysedFile]:
    """Read and summarize files in this thread; a file that changed meanwhile is left out. Raise GitFailed."""
    for read in read_contents(cwd, files, MAX_ANALYSED_BYTES, with_large=True):
        yield AnalysedFile(read.path, read.content_id, _summary_of(read))


def handle_request(line: bytes) -> Iterator[bytes]:
    """Handle one request in the worker: send words, or summaries; report errors of git.

    Each file is announced before it is read if the request says so.
    """
    request = orjson.loads(line)
    cwd, files = Path(os.fsdecode(bytes.fromhex(request["cwd"]))), dict(request["files"])
    set_own_patterns(request["patterns"])
    cache_many_words()
    contents = read_contents(cwd, files, MAX_ANALYSED_BYTES, with_large=True)
    try:
        if request["stage"] == WORDS:
            yield from _answer_words(contents, announces=request["announces"])
        else:
            yield from _answer_summaries(contents, frozenset(request["clean"]), announces=request["announces"])
    except GitFailed as error:
        yield orjson.dumps(["failed", error.reason])


def _answer_summaries(contents: Iterable[FileContent], clean: frozenset[str], *, announces: bool) -> Iterator[bytes]:
    """Yield lines for several files each; the first file has a line of its own, which shows that the worker works."""
    summaries: list[SummarizedFile] = []
    timer = _Timer(0.0)
    for file in contents:
        if announces:
            yield orjson.dumps(["started", file.path])
        summary = _summary_of(file, with_words=False, is_clean=file.path in clean)
        summaries.append(SummarizedFile.of(file.path, file.content_id, summary))
        if announces or timer.is_due():
            yield from _lines_of(summaries)
            summaries = []
    if summaries:
        yield from _lines_of(summaries)


def _lines_of(summaries: Sequence[SummarizedFile]) -> Iterator[bytes]:
    """Yield one line for the parts of all summaries, then one for the JSON of each."""
    yield orjson.dumps(["summaries", [file.parts() for file in summaries]])
    yield from (file.stored for file in summaries)


ReadFile = tuple[str, str, int, bool]
"""A file's path, its content id, the number of its passages, and whether it contains no secrets."""


def _answer_words(contents: Iterable[FileContent], *, announces: bool) -> Iterator[bytes]:
    """Yield one line for all files, with the summaries of those that need no parsing; then one for the words of each.

    The JSON of these summaries follows. Meanwhile empty lists show that the worker works.
    """
    files: list[ReadFile] = []
    chunks: list[tuple[dict[str, int], ...]] = []
    summaries: list[SummarizedFile] = []
    timer = _Timer(SEND_AFTER_MS)
    for file in contents:
        if announces:
            yield orjson.dumps(["started", file.path])
        elif timer.is_due():
            yield orjson.dumps(["summaries", []])
        words = (
            count_words(file.path, file.content) if file.content is not None else Words((), summary=_summary_of(file))
        )
        files.append((file.path, file.content_id, len(words.chunks), words.is_clean))
        chunks.append(words.chunks)
        if words.summary is not None:
            summaries.append(SummarizedFile.of(file.path, file.content_id, words.summary))
    arrays = [base64.b64encode(numbers.tobytes()).decode() for numbers in invert(itertools.chain.from_iterable(chunks))]
    yield orjson.dumps(["words", files, [file.parts() for file in summaries], *arrays])
    yield from map(orjson.dumps, chunks)
    yield from (file.stored for file in summaries)


class _Timer:
    """Time of a worker's next line."""

    def __init__(self, first_ms: float) -> None:
        self._clock = SystemClock()
        self._due_ms = self._clock.monotonic_ms() + first_ms

    def is_due(self) -> bool:
        """Whether the time is over; if so, it starts again."""
        now_ms = self._clock.monotonic_ms()
        is_due = now_ms >= self._due_ms
        if is_due:
            self._due_ms = now_ms + SEND_AFTER_MS
        return is_due


def read_words(files: Sequence[ReadFile], arrays: Sequence[str], lines: Iterator[bytes], requested: int) -> FileWords:
    """Return what `handle_request` yielded for words."""
    numbers = [array(code, base64.b64decode(text)) for code, text in zip("QIII", arrays, strict=True)]
    stored = tuple(_texts(lines, len(files)))
    contents, counts = {path: content for path, content, *_ in files}, tuple(count for _, _, count, _ in files)
    return FileWords(contents, counts, InvertedUnits(*numbers), stored, requested)


def read_summaries(files: Sequence[Sequence[Any]], lines: Iterator[bytes]) -> list[SummarizedFile]:
    """Return what `handle_request` yielded for summaries."""
    return [
        SummarizedFile(path, content, language, imports, [Landmine(*landmine) for landmine in landmines], names, stored)
        for (path, content, language, imports, landmines, names), stored in zip(
            files, _texts(lines, len(files)), strict=True
        )
    ]


def _texts(lines: Iterator[bytes], count: int) -> Iterator[bytes]:
    """Yield the next lines without their ends."""
    return (line.rstrip(b"\n") for line in itertools.islice(lines, count))


def _summary_of(file: FileContent, *, with_words: bool = True, is_clean: bool = False) -> Summary:
    if file.content is None:
        return unanalysed_summary(file.path, file.size, "large")
    return summarize(file.path, file.content, with_words=with_words, is_clean=is_clean)
