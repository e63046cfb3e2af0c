"""The Context Pack: per file its path, why it is here, and the definitions the prompt points at. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import Definition, Ranked, Summary, query_terms
from sidecar.packs.items import PackItem, Priority
from sidecar.packs.text import one_line, size
from sidecar.runs import keys

TAPER = ((2, 1_500), (6, 900), (12, 400))
"""Up to this rank, at most this many bytes; what comes after gets the last line's `REST_BYTES` (performance.md)."""

REST_BYTES = 160
TOP_RANKS = 6
"""Files up to this rank are top context, the others further context."""

SIGNATURE_CHARACTERS = 140


UNREAD = Summary("", 0, 0, "", (), {})
"""Stands for the summary of a file that was not read yet."""


class ContextFile(NamedTuple):
    """A chosen file with its content id, summary, and reasons."""

    ranked: Ranked
    content: str
    summary: Summary
    why: str


def context_items(files: Sequence[ContextFile], query: str, sendable_bytes: int) -> list[PackItem]:
    """Renders the files, the most relevant first; bytes taper with rank.

    `sendable_bytes` is what the call may send in all: no item comes near it, else it would never be sent.
    """
    terms = frozenset(query_terms(query))
    return [_item(file, rank, terms, sendable_bytes // 8) for rank, file in enumerate(files, 1)]


def why_here(ranked: Ranked, words: Mapping[str, str], *, mentioned: bool, changed: bool) -> str:
    """Says in a few words why a file was chosen; `words` are the request's own, by term."""
    reasons = []
    if mentioned:
        reasons.append("mentioned")
    elif "namedPath" in ranked.parts:
        reasons.append("named in the request")
    if "namedDefinition" in ranked.parts:
        reasons.append("defines a name from the request")
    if ranked.matched:
        matched = dict.fromkeys(words.get(term, term) for term in ranked.matched)
        reasons.append("matches " + ", ".join(list(matched)[:6]))
    if changed:
        reasons.append("changed")
    return "; ".join(reasons) or "near the request"


def gives_content(item: PackItem) -> bool:
    """Says whether a file's item shows more than that the file is there."""
    return item.kind == "context" and item.bytes > REST_BYTES


def _item(file: ContextFile, rank: int, terms: frozenset[str], item_bytes: int) -> PackItem:
    limit = min(next((most for last, most in TAPER if rank <= last), REST_BYTES), item_bytes)
    summary = file.summary
    purpose = f" — {one_line(summary.purpose, 160)}" if summary.purpose else ""
    about = f" ({summary.language}, {summary.lines} lines)" if summary is not UNREAD else ""
    head = f"{one_line(file.ranked.path, 300)}{about}{purpose}"
    lines = [head, f"  why: {one_line(file.why, 160)}"]
    left = limit - sum(size(line) + 1 for line in lines)
    shown = _choose(summary.definitions, terms, left)
    lines.extend(_definition_line(definition) for definition in shown)
    if 0 < len(shown) < len(summary.definitions):
        lines.append(f"  … {len(summary.definitions) - len(shown)} more definitions")
    return PackItem(
        key=keys.context_key(file.ranked.path),
        kind="context",
        priority=Priority.TOP_CONTEXT if rank <= TOP_RANKS else Priority.FURTHER_CONTEXT,
        text="\n".join(lines),
        digest=keys.content_digest(file.content),
        why=file.why,
        score=file.ranked.parts,
    )


def _choose(definitions: Sequence[Definition], terms: frozenset[str], limit_bytes: int) -> list[Definition]:
    """Takes the definitions whose names the prompt's words point at first, then the others in the file's order."""
    by_interest = sorted(
        definitions, key=lambda definition: (-len(terms & set(query_terms(definition.name))), definition.line)
    )
    chosen: list[Definition] = []
    left = limit_bytes
    for definition in by_interest:
        cost = size(_definition_line(definition)) + 1
        if cost > left:
            break
        chosen.append(definition)
        left -= cost
    return sorted(chosen)


def _definition_line(definition: Definition) -> str:
    return f"  L{definition.line} {one_line(definition.signature, SIGNATURE_CHARACTERS)}"
