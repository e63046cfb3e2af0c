"""The Anchor Pack: what holds for the whole repository, small and stable. Pure: text in, lines out."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.core.text.sanitize import one_line, size
from sidecar.packs.anchor.decisions import NOTHING_ACCEPTED, Accepted, decided, specified
from sidecar.packs.anchor.markdown_outline import introduction, plain
from sidecar.packs.anchor.rules import Document, rule_lines, trap_lines
from sidecar.packs.render import overhead_bytes

ANCHOR_BYTES = {"low": 2_400, "normal": 3_900, "debug": 6_000}
"""What the anchor may take, by token mode; under 4 KB in `normal`."""

ANCHOR_SHARE = 0.4
"""More of what a call may send the anchor never takes, however little that is: the rest is for what is new."""

INVARIANTS, RULES, SETTINGS, COMMANDS, MAP, DEPENDENCIES, ENTRIES, TRAPS, REPAIRED, POINTERS = (
    "Invariants", "Rules", "Settings of its tools", "Commands", "Map", "Dependencies", "Entry points", "Known traps",
    "Often repaired", "Decisions and specifications",
)  # fmt: skip
ORDER = (INVARIANTS, RULES, SETTINGS, COMMANDS, MAP, DEPENDENCIES, ENTRIES, TRAPS, REPAIRED, POINTERS)
_WEIGHTS = {INVARIANTS: 2, RULES: 4, MAP: 2}
"""What a section may take, against the others' one part each, where not all fits."""

_DERIVED = (DEPENDENCIES, REPAIRED)
"""Known only once every file and the history are read: their absence says nothing."""

MAX_LEFT_OUT = 60

_LINE_NUMBER = regex(r":\d+\)$")


class Sources(NamedTuple):
    """Everything the anchor is made of."""

    instructions: tuple[Document, ...] = ()
    """Instruction files and contributing guides, the most binding first."""
    sent: frozenset[str] = frozenset()
    """Those of them that the agent has without us."""
    nested: tuple[str, ...] = ()
    """Instruction files of single folders."""
    readme: Document | None = None
    described: str = ""
    """What its build file says the repository is."""
    decisions: tuple[Document, ...] = ()
    specifications: tuple[Document, ...] = ()
    more_specifications: tuple[str, ...] = ()
    areas: tuple[tuple[str, str], ...] = ()
    """The folders a map may name, each with what to say of it where it has no purpose."""
    purposes: Mapping[str, str] = {}
    """What a folder says of itself, by folder."""
    settings: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    accepted: Accepted = NOTHING_ACCEPTED


class Anchor(NamedTuple):
    """An anchor's lines, and those that its bytes had no room for."""

    lines: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Under their sections' titles."""
    is_whole: bool = True
    """Whether all it is made of could be read; what one that is not whole leaves out may still hold."""


NO_ANCHOR = Anchor(is_whole=False)
"""Before anything of a repository is known."""


def anchor_limit(token_mode: str, sendable_bytes: int) -> int:
    """Gives the bytes an anchor's lines may take, when a call may send so many in all."""
    return min(ANCHOR_BYTES[token_mode], int(sendable_bytes * ANCHOR_SHARE) - overhead_bytes("anchor"))


def anchor_of(sections: Mapping[str, Sequence[str]], limit_bytes: int) -> Anchor:
    """Gives the anchor's lines in a fixed order; what a section does not need the others may take."""
    sections = {title: sections[title] for title in ORDER if sections.get(title)}
    costs = {title: size(title) + 2 + sum(size(line) + 1 for line in body) for title, body in sections.items()}
    shares = _shares(costs, limit_bytes)
    lines: list[str] = []
    left_out: list[str] = []
    for title, body in sections.items():
        taken = _within([f"{title}:", *body], shares[title])
        told = max(0, len(taken) - 1)
        lines.extend(taken if told else ())
        left_out.extend((f"{title}:", *body[told:]) if told < len(body) else ())
    return Anchor(tuple(lines), tuple(left_out[:MAX_LEFT_OUT]))


def omissions(anchor: Anchor) -> list[tuple[str, str]]:
    """Names what an anchor had no room for: a section, and how many of its lines, from which one on."""
    found: list[tuple[str, list[str]]] = []
    for line in anchor.left_out:
        if line.startswith("- "):
            found[-1][1].append(line)
        else:
            found.append((line.rstrip(":"), []))
    return [
        (f"anchor: {title}", f"no room for {len(lines)} more from {one_line(lines[0].removeprefix('- '), 80)}")
        for title, lines in found
        if lines
    ]


def changed_lines(before: str, after: str, left_out: Sequence[str] = ()) -> list[str]:
    """Tells what a newer anchor says otherwise: lines that are new, and lines that no longer hold.

    A line that only stands elsewhere in its file now says the same, and one that is only `left_out` still holds.
    What is not known yet of a repository that is being read is not gone.
    """
    old, new = _statements(before.splitlines()), _statements(after.splitlines())
    known = {title for title, _ in new.values()}
    still = {*new, *_statements(left_out)}
    added = [f"now: {line}" for said, (_, line) in new.items() if said not in old]
    gone = [
        f"no longer: {line}"
        for said, (title, line) in old.items()
        if said not in still and (title not in _DERIVED or title in known)
    ]
    return added + gone


def _statements(lines: Sequence[str]) -> dict[str, tuple[str, str]]:
    """What is said → its section's title, and the line that says it; without marker and introduction."""
    found: dict[str, tuple[str, str]] = {}
    title = ""
    for line in lines:
        if line.startswith("- "):
            said = line.removeprefix("- ")
            found[_LINE_NUMBER.sub(")", said)] = (title, said)
        else:
            title = line.rstrip(":")
    return found


def sections_of(sources: Sources) -> dict[str, Sequence[str]]:
    """Gives what each section says, by its title; those that imports and history tell are not among them."""
    decisions = decided(sources.decisions, sources.accepted.decisions)
    rejected = [f"- rejected before: {one_line(title, 200)}" for title in sources.accepted.rejected]
    return {
        INVARIANTS: sources.accepted.pointers.invariants,
        RULES: rule_lines(sources.instructions, sources.sent, sources.nested)
        + decisions.rules
        + list(sources.accepted.pointers.rules),
        SETTINGS: sources.settings,
        COMMANDS: sources.commands,
        MAP: _map(sources),
        ENTRIES: sources.entries,
        TRAPS: rejected + trap_lines(sources.instructions, sources.sent),
        POINTERS: [
            *decisions.pointers,
            *specified(sources.specifications, sources.more_specifications),
            *sources.accepted.pointers.pointers,
        ],
    }


def _map(sources: Sources) -> list[str]:
    """What the repository is, and what each area is for; without counts, so that a new file changes nothing."""
    lines = []
    whole = one_line(plain(sources.described), 160)
    about = introduction(sources.readme.text) if sources.readme is not None else ""
    if sources.described:
        lines.append(f"- {one_line(plain(sources.described), 260)}")
    elif sources.readme is not None and about:
        lines.append(f"- {one_line(about, 260)} ({sources.readme.path})")
    for area, holdings in sources.areas:
        said = one_line(plain(sources.purposes.get(area, "")).lstrip("> "), 160)
        if not said and not any(inner != area and inner.startswith(area) for inner in sources.purposes):
            said = one_line(holdings, 300)
        if said and said != whole:
            lines.append(f"- {one_line(area, 120)}: {said}")
    return lines


def _shares(costs: Mapping[str, int], limit_bytes: int) -> dict[str, int]:
    """Gives each section what it costs or its weight's share of the bytes, which those that need less leave larger."""
    shares: dict[str, int] = {}
    left = max(0, limit_bytes)
    while open_ := {title: _WEIGHTS.get(title, 1) for title in costs if title not in shares}:
        unit = left // sum(open_.values())
        content = [title for title, weight in open_.items() if costs[title] <= unit * weight]
        if not content:
            return shares | {title: unit * weight for title, weight in open_.items()}
        for title in content:
            shares[title] = costs[title]
            left -= costs[title]
    return shares


def _within(lines: Sequence[str], limit_bytes: int) -> list[str]:
    """Gives the first lines that fit."""
    taken: list[str] = []
    left = limit_bytes
    for line in lines:
        cost = size(line) + 1
        if cost > left:
            break
        taken.append(line)
        left -= cost
    return taken
