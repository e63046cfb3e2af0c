"""The context pack: per file its path and the regions that matter for the prompt, then pointers to further files."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from sidecar.codebase import (
    FoundRegion,
    RankedFile,
    RankedRegion,
    Repository,
    Summary,
    content_identity,
    count_terms,
    is_generated,
    is_named_file,
    is_test,
    language_of_texts,
    line_span,
    numbered_lines,
    query_words,
    score_without_names,
)
from sidecar.core.clean_text import one_line, utf8_size
from sidecar.core.digests import digest_bytes
from sidecar.core.lazy_regex import lazy_regex
from sidecar.packs.byte_budget import ContextLimits
from sidecar.packs.pack_blocks import OVERHEAD_BYTES, PackItem, Priority, session_has
from sidecar.runs import SessionContents, entries
from sidecar.runs.ledger_entries import MAX_REGIONS, POINTER, FileEntry, SentRegion
from sidecar.runs.pre_run_record import RegionRecord

MAX_POINTERS = 8

TOP_FILES = 6
"""Files up to this position are top context, the others further context."""

PURPOSE_CHARACTERS, WHY_CHARACTERS = 80, 80
_MATCHES_PREFIX = "matches "

POINTER_GAP = 4.0
"""Log odds below the best file's at which a file is not even pointed at."""

REASON_SCORE = 0.3
"""Minimum value of a score's part that counts as a reason."""

_LINKS = {
    "changedTogether": "changes with",
    "changedWithTouched": "changes with",
    "changesWithAdditions": "changed with most additions to",
    "newestOfKind": "newest in",
    "imports": "imported by",
    "testPair": "has the name of",
    "testPairTouched": "has the name of",
}


class ShownRegion(NamedTuple):
    """A chosen region of a file."""

    order: int
    """Its place among all regions of the pack, by score for its size."""
    name: str
    lines: tuple[tuple[int, str], ...]
    """Line numbers, counted from 1, and lines."""
    sent: SentRegion
    """Its entry in the ledger."""
    parts: Mapping[str, float]
    goes_on: bool = False
    """Whether its statement continues below it."""

    def bytes_beside(self, shown: Container[int]) -> int:
        """Return the bytes of a gap's mark, and of the lines that are not shown yet."""
        return sum(utf8_size(text) + len(str(number)) + 3 for number, text in self.lines if number not in shown) + 4

    @property
    def record(self) -> RegionRecord:
        """Its explanation."""
        score = {name: part for name, part in self.parts.items() if part}
        return RegionRecord(lines=line_span(self), name=self.name, score=score)


class ContextFile(NamedTuple):
    """A chosen file with its content id, stated purpose, reasons, and chosen regions."""

    ranked: RankedFile
    content: str
    purpose: str
    why: str
    regions: tuple[ShownRegion, ...] = ()
    is_last: bool = False
    """Whether it comes after the others: a test or a generated file that the prompt does not ask for."""
    further: int = 0
    """Number of its candidate regions that were not chosen, and that the session is not known to have."""


class ContextItems(NamedTuple):
    """The context's items, the number of regions that are over its limits, and the files of which nothing is shown."""

    items: list[PackItem]
    omitted: int
    omitted_files: tuple[str, ...] = ()


def shown_region(order: int, found: FoundRegion) -> ShownRegion:
    """Return a found region as a pack contains it."""
    name, parts = found.ranked.region.name, found.ranked.parts
    return ShownRegion(order, name, found.lines, sent_region(found), parts, found.goes_on)


def region_texts(repository: Repository, contents: Mapping[str, str]) -> Callable[[RankedRegion], str]:
    """Return a function that returns a region's text; `contents` are content ids by path."""

    def text_of(region: RankedRegion) -> str:
        found = repository.region_lines(region, contents[region.path])
        return "\n".join(text for _, text in found.lines) if found is not None else ""

    return text_of


def sent_region(found: FoundRegion) -> SentRegion:
    """Return a region's entry in the ledger. Code between definitions has no name, nor have long docstrings."""
    region = found.ranked.region
    if not region.is_definition or region.is_prose:
        return SentRegion("", found.digest)
    name = f"{region.name}:{region.window}" if region.window else region.name
    return SentRegion(digest_bytes(name.encode("utf-8", "surrogatepass"))[:6], found.digest)


MATCHING_LINES = 4
"""Number of lines shown of a translation: those with the most of a prompt's rarest words."""


def lines_with_words(found: Sequence[FoundRegion], words: AbstractSet[str], order: int) -> ShownRegion | None:
    """Return the lines of some regions of one file that match a prompt best, as one region; None if no line does."""
    matched = {line: words & count_terms(line[1]).keys() for region in found for line in region.lines}
    counts = Counter(word for own in matched.values() for word in own)
    values = {line: math.fsum(1 / counts[word] for word in own) for line, own in matched.items() if own}
    best = sorted(values, key=lambda line: (-values[line], line))[:MATCHING_LINES]
    lines = tuple(sorted(line for line in best if 2 * values[line] >= values[best[0]]))
    if not lines:
        return None
    digest = digest_bytes("\n".join(text for _, text in lines).encode("utf-8", "surrogatepass"))[:8]
    return ShownRegion(order, "", lines, SentRegion("", digest), found[0].ranked.parts)


def known_file(known: SessionContents, path: str) -> FileEntry | None:
    """Return what a session has of a file; None for nothing."""
    item = known.items.get(entries.context_key(path))
    return item.entry if item is not None and isinstance(item.entry, FileEntry) else None


class _FileState(NamedTuple):
    """The state of a file in a session: its entry, and whether the session has its changes."""

    file: ContextFile
    entry: FileEntry
    is_requested: bool
    """Whether this prompt asks for the file, rather than its task."""
    changes_shown: bool
    """Whether the session has every hunk of the file's changes."""

    def has(self, region: ShownRegion) -> bool:
        """Whether the session has a region; an earlier version counts where its changes arrive as hunks.

        If they do not, or the agent opened the file without reading all of it, a prompt that asks for the file is
        answered with the region, and no other prompt.
        """
        entry = self.entry
        if region.sent in entry.regions or entry.content == content_identity(self.file.content):
            return True
        if entry.content:
            return self.changes_shown
        if entry.is_opened and not self.is_requested:
            return True
        has_earlier = bool(region.sent.name) and any(sent.name == region.sent.name for sent in entry.regions)
        return has_earlier and (self.changes_shown or not self.is_requested)

    def entry_with(self, chosen: Sequence[ShownRegion], known_regions: Sequence[ShownRegion]) -> FileEntry:
        """Return what the session has of the file once it has the chosen regions."""
        current = [region.sent for region in (*chosen, *(known_regions if self.changes_shown else ()))]
        regions = dict.fromkeys((*self.entry.regions, *current))
        content = (
            content_identity(self.file.content) if self.entry.content and self.changes_shown else self.entry.content
        )
        known = tuple(sorted(regions, key=_region_order)[:MAX_REGIONS])
        return FileEntry(content, known, self.entry.is_opened)


def _region_order(region: SentRegion) -> tuple[str, str]:
    return region.name, region.content


def context_items(
    files: Sequence[ContextFile],
    own_files: int,
    known: SessionContents,
    limits: ContextLimits,
    changes_shown: Collection[str] = (),
) -> ContextItems:
    """Return the items of a call: code first, then pointers. The first `own_files` belong to this prompt alone.

    The regions are taken in their order until the bytes are used up; those the session has cost nothing. A follow-up
    gets no more of a task's file that the session knows, be it by a pointer beside code of others, unless it points at
    that file itself.
    `changes_shown` are the changed files of which the session has every hunk.
    """
    states = [
        _FileState(
            file, known_file(known, file.ranked.path) or POINTER, at < own_files, file.ranked.path in changes_shown
        )
        for at, file in enumerate(files)
    ]
    has_code = any(state.entry.regions for state in states)
    left = limits.bytes - OVERHEAD_BYTES["context"]
    omitted = sum(file.further for file in (files[:own_files] if limits.is_follow_up else files))
    chosen: list[list[ShownRegion]] = [[] for _ in files]
    known_regions: list[list[ShownRegion]] = [[] for _ in files]
    numbers: list[set[int]] = [set() for _ in files]
    places = sorted(
        (at >= own_files, region.order, at, region) for at, file in enumerate(files) for region in file.regions
    )
    for is_shared, _, at, region in places:
        state = states[at]
        if state.has(region):
            known_regions[at].append(region)
            continue
        cost = region.bytes_beside(numbers[at]) + (0 if chosen[at] else utf8_size(_heading(state.file)) + 1)
        is_known = bool(state.entry.regions) or (has_code and known_file(known, state.file.ranked.path) is not None)
        if cost > left or (limits.is_follow_up and is_shared and is_known):
            omitted += 1
            continue
        left -= cost
        chosen[at].append(region)
        numbers[at].update(number for number, _ in region.lines)
    alone = {
        at
        for at, file in enumerate(files)
        if not known_regions[at] and _are_only_imports(chosen[at]) and not _are_only_imports(file.regions)
    }
    if alone:  # the code that they are for is over the limits: their bytes are for other code
        code = [_without_imports(file) if at in alone else file for at, file in enumerate(files)]
        result = context_items(code, own_files, known, limits, changes_shown)
        fewer = sum(len(files[at].regions) - len(code[at].regions) for at in alone)
        return result._replace(omitted=result.omitted + fewer)
    items = [*_code_items(states, chosen, known_regions), *_pointer_items(files, chosen, known_regions, known, left)]
    shown = {item.key for item in items}
    paths = (file.ranked.path for file in files)
    return ContextItems(items, omitted, tuple(path for path in paths if entries.context_key(path) not in shown))


def _are_only_imports(regions: Sequence[ShownRegion]) -> bool:
    return bool(regions) and all("imports" in region.parts for region in regions)


def _without_imports(file: ContextFile) -> ContextFile:
    return file._replace(regions=tuple(region for region in file.regions if "imports" not in region.parts))


def _code_items(
    states: Sequence[_FileState],
    chosen: Sequence[Sequence[ShownRegion]],
    known_regions: Sequence[Sequence[ShownRegion]],
) -> list[PackItem]:
    """Return the items of files that show code, in the order of their best regions."""
    shown = [at for at in range(len(states)) if chosen[at] or known_regions[at]]
    shown.sort(
        key=lambda at: (states[at].file.is_last, min(region.order for region in chosen[at] or known_regions[at]), at)
    )
    return [
        _code_item(
            states[at],
            chosen[at],
            known_regions[at],
            Priority.TOP_CONTEXT if position < TOP_FILES else Priority.FURTHER_CONTEXT,
        )
        for position, at in enumerate(shown)
    ]


def _code_item(
    state: _FileState, chosen: Sequence[ShownRegion], known_regions: Sequence[ShownRegion], priority: Priority
) -> PackItem:
    file, regions = state.file, chosen or known_regions
    return PackItem(
        key=entries.context_key(file.ranked.path),
        kind="context",
        priority=priority,
        text="\n".join([_heading(file), *numbered_lines(regions)]),
        entry=state.entry_with(chosen, known_regions),
        why=file.why,
        score=file.ranked.parts,
        is_known=not chosen,
        regions=tuple(region.record for region in regions),
    )


def _pointer_items(
    files: Sequence[ContextFile],
    chosen: Sequence[Sequence[ShownRegion]],
    known_regions: Sequence[Sequence[ShownRegion]],
    known: SessionContents,
    left: int,
) -> list[PackItem]:
    items: list[PackItem] = []
    for at, file in sorted(enumerate(files), key=lambda numbered: numbered[1].is_last):
        if chosen[at] or known_regions[at]:
            continue
        item = PackItem(
            key=entries.context_key(file.ranked.path), kind="context", priority=Priority.FURTHER_CONTEXT,
            text=_pointer_line(file), entry=POINTER, why=file.why, score=file.ranked.parts,
        )  # fmt: skip
        if not session_has(known, item):
            left -= item.bytes
        if len(items) == MAX_POINTERS or left < 0:
            break
        items.append(item)
    return items


def _heading(file: ContextFile) -> str:
    """The path in the first column, and what the file says about itself."""
    path = one_line(file.ranked.path, 300)
    return f"{path} — {one_line(file.purpose, PURPOSE_CHARACTERS)}" if file.purpose else path


def _pointer_line(file: ContextFile) -> str:
    return f"{_heading(file)} ({one_line(file.why, WHY_CHARACTERS)})"


def reasons_for(ranked: RankedFile, words: Mapping[str, str], *, mentioned: bool, changed: bool) -> str:
    """Return in a few words why a file was chosen; `words` are the request's own, by term."""
    reasons = []
    if mentioned:
        reasons.append("mentioned")
    elif "namedPath" in ranked.parts:
        reasons.append("named in the request")
    if "quoted" in ranked.parts:
        reasons.append("has the quoted text")
    if "usesQuoted" in ranked.parts:
        reasons.append("uses the quoted text")
    if "identifiers" in ranked.parts:
        reasons.append("defines a name from the request")
    if "usedRecently" in ranked.parts:
        reasons.append(f"{'edited' if 'editedRecently' in ranked.parts else 'read'} in an earlier conversation")
    if ranked.matched:
        matched = dict.fromkeys(words.get(term, term) for term in ranked.matched)
        reasons.append(_MATCHES_PREFIX + ", ".join(list(matched)[:6]))
    reasons.extend(_link_reason(ranked))
    if changed:
        reasons.append("changed")
    return "; ".join(reasons) or "near the request"


def path_only_files(query: str, ranked: Sequence[RankedFile]) -> tuple[ContextFile, ...]:
    """Return files by path alone: their contents count as not delivered, so that their summaries may follow."""
    words = query_words(query)
    return tuple(
        ContextFile(
            ranked_file,
            f"pointer:{ranked_file.path}",
            "",
            reasons_for(ranked_file, words, mentioned=False, changed=False),
        )
        for ranked_file in ranked
    )


def is_generated_file(path: str, summary: Summary | None) -> bool:
    """Whether a program writes a file, by its path or by what it says itself."""
    return is_generated(path) or (summary is not None and summary.is_generated)


_DEPRECATED = lazy_regex(
    r"\W{0,4}(?:(?:this|the) (?:\w{1,30} ){1,3}is )?(?:deprecated|obsolete)\b"
    r"(?=\s*(?:$|[.:,;(—–-]|alias\b|in favou?r\b|use\b|since\b|as of\b|and\b|module\b|file\b|api\b))",
    re.IGNORECASE,
)


def comes_last(
    ranked: RankedFile,
    summary: Summary | None,
    *,
    wants_tests: bool,
    wants_texts: bool = False,
    listed: Container[str] = (),
    is_failing: bool = False,
) -> bool:
    """Whether a file comes after the others: a failing test, or what nobody asks for.

    These are generated files, tests, the texts that users see, and files that call themselves deprecated.
    """
    is_unwanted = is_generated_file(ranked.path, summary) or (is_test(ranked.path) and not wants_tests)
    is_unwanted |= not wants_texts and bool(language_of_texts(ranked.path, listed))
    is_unwanted |= summary is not None and _DEPRECATED.match(summary.stated_purpose) is not None
    return is_failing or (is_unwanted and not is_named_file(ranked))


def near_best(ranked: Sequence[RankedFile]) -> list[RankedFile]:
    """Return the files whose scores stay near the best one's, and those the prompt names."""
    scores = {file.path: score_without_names(file) for file in ranked}
    least = max(scores.values(), default=0.0) - POINTER_GAP
    return [file for file in ranked if scores[file.path] >= least or is_named_file(file)]


def shows_content(item: PackItem) -> bool:
    """Whether a file's item shows more than that the file exists."""
    return item.kind == "context" and item.entry != POINTER


def _link_reason(ranked: RankedFile) -> list[str]:
    """The strongest link to another file, if it is strong enough."""
    links = [(ranked.parts.get(kind, 0.0), kind, seed) for kind, seed in ranked.related if kind in _LINKS]
    value, kind, seed = max(links, default=(0.0, "", ""))
    if value < REASON_SCORE:
        return []
    is_pair = kind.startswith("testPair") and is_test(ranked.path) != is_test(seed)
    return [f"{'test or subject of' if is_pair else _LINKS[kind]} {seed}"]
