"""Build the anchor from its sections, small and stable. Pure: text in, lines out."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from sidecar.core.clean_text import count_noun, fitting_lines, one_line, utf8_size
from sidecar.core.lazy_regex import lazy_regex
from sidecar.memory.standing_instruction_register import fitting_instructions
from sidecar.packs.anchor.commands import LEFT_OUT
from sidecar.packs.anchor.decisions import (
    NO_ACCEPTED_RECORDS,
    AcceptedRecords,
    rejected_line,
    specification_lines,
    split_decisions,
)
from sidecar.packs.anchor.markdown_parts import introduction, plain
from sidecar.packs.anchor.rules import ProjectDocument, rule_file_lines, rule_lines, trap_lines

INVARIANTS, RULES, SETTINGS, COMMANDS, MAP, DEPENDENCIES, ENTRY_POINTS, TRAPS, LANDMINES, FRAGILE_FILES, POINTERS = (
    "Invariants", "Rules", "Tool settings", "Commands", "Map", "Dependencies", "Entry points", "Known traps",
    "Landmines", "Fragile files", "Decisions and specifications",
)  # fmt: skip
ORDER = (
    INVARIANTS,
    RULES,
    SETTINGS,
    COMMANDS,
    MAP,
    DEPENDENCIES,
    ENTRY_POINTS,
    TRAPS,
    LANDMINES,
    FRAGILE_FILES,
    POINTERS,
)
STANDING_INSTRUCTIONS, ACCEPTED_RULES = "Standing instructions from the user", "Rules the user accepted"
"""They come first, and are the last to be shortened."""
_WEIGHTS = {INVARIANTS: 2, RULES: 4, MAP: 2}
"""Shares of sections when not everything fits; the other sections have one part each."""

_WITHOUT_REPOSITORY = frozenset({ACCEPTED_RULES, INVARIANTS})
"""Known without the repository's state: an anchor of these alone was built when everything else was not ready."""

_DERIVED_SECTIONS = (DEPENDENCIES, FRAGILE_FILES, LANDMINES)
"""Known only once every file and the history are indexed: their absence proves nothing."""

MAX_OMITTED = 60

SHOWN_RULE_FILES = 6

MAX_LANDMINES = 8
"""More are omitted from the anchor even where they fit; a region shows its own."""

_FOLDER_ROW = lazy_regex(
    r"(?m)^[ \t]*(?:\|[ \t]*|[-*][ \t]+)(?:\*\*)?`(?:\./)?([\w.-]+(?:/[\w.-]+){0,4}/)`(?:\*\*)?"
    r"(?:[ \t]*(?:\||[:—–])|[ \t]+-)[ \t]+([^|\n]{8,600})"
)
"""A row of a table or an item of a list that states what a folder is for."""

_LINE_NUMBER = lazy_regex(r":\d+\)$")


class AnchorSources(NamedTuple):
    """Everything the anchor is built from."""

    instructions: tuple[ProjectDocument, ...] = ()
    """Instruction files and contributing guides, most binding first."""
    sent: frozenset[str] = frozenset()
    """Instruction files that the agent receives from the host."""
    nested: tuple[str, ...] = ()
    """Instruction files of single folders."""
    rule_files: tuple[ProjectDocument, ...] = ()
    """Rules for some kind of work."""
    readme: ProjectDocument | None = None
    description: str = ""
    """The description of the repository in its build file."""
    decisions: tuple[ProjectDocument, ...] = ()
    specifications: tuple[ProjectDocument, ...] = ()
    more_specifications: tuple[str, ...] = ()
    areas: tuple[tuple[str, str], ...] = ()
    """Folders a map may name, each with its contents as a fallback for a missing purpose."""
    purposes: Mapping[str, str] = {}
    """The stated purpose of each folder."""
    settings: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    rejected_commands: tuple[str, ...] = ()
    """Commands of the project that contradict a standing instruction."""
    entries: tuple[str, ...] = ()
    accepted: AcceptedRecords = NO_ACCEPTED_RECORDS


class Anchor(NamedTuple):
    """An anchor's lines, and those that did not fit."""

    lines: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    """Under the titles of their sections."""
    is_complete: bool = True
    """Whether every source was readable; what an incomplete anchor omits may still hold."""


NO_ANCHOR = Anchor(is_complete=False)
"""Before anything of a repository is known."""


def build_anchor(
    sections: Mapping[str, Sequence[str]], limit_bytes: int, accepted: AcceptedRecords = NO_ACCEPTED_RECORDS
) -> Anchor:
    """Return the anchor's lines in a fixed order; unused bytes of a section go to the others.

    Standing instructions and accepted rules have their bytes before every other section. Where even these do not fit,
    the newest do.
    """
    user_lines, user_omitted = _user_sections(accepted, limit_bytes)
    rest = _build_sections(sections, limit_bytes - sum(utf8_size(line) + 1 for line in user_lines))
    rejected = [f"{LEFT_OUT}:", *sections[LEFT_OUT]] if sections.get(LEFT_OUT) else []
    omitted = (*user_omitted, *rejected, *rest.omitted)
    return Anchor((*user_lines, *rest.lines), omitted[:MAX_OMITTED])


def user_anchor(accepted: AcceptedRecords, limit_bytes: int) -> Anchor:
    """Return the lines that hold whatever the repository's state is: of the user, and of binding knowledge."""
    return build_anchor({INVARIANTS: accepted.pointers.invariants}, limit_bytes, accepted)._replace(is_complete=False)


def _user_sections(accepted: AcceptedRecords, limit_bytes: int) -> tuple[list[str], list[str]]:
    """The lines of the sections that the user wrote or accepted, and those without room."""
    every = [instruction.line for instruction in accepted.standing_instructions]
    listed = fitting_instructions(accepted.standing_instructions)
    newest = [item.line for item in sorted(listed, key=lambda item: -item.at_ms)]
    sources = tuple(f"({instruction.id}, accepted)" for instruction in listed)
    rules = [rule for rule in accepted.pointers.rules if not rule.endswith(sources)]
    shown: list[str] = []
    omitted: list[str] = []
    for title, lines, newest_first in (
        (STANDING_INSTRUCTIONS, every, newest),
        (ACCEPTED_RULES, rules, rules[::-1]),
    ):
        left = limit_bytes - sum(utf8_size(line) + 1 for line in shown) - utf8_size(title) - 2
        retained = frozenset(fitting_lines(newest_first, left))
        shown += [f"{title}:", *(line for line in lines if line in retained)] if retained else []
        missing = [line for line in lines if line not in retained]
        omitted += [f"{title}:", *missing] if missing else []
    return shown, omitted


def _build_sections(sections: Mapping[str, Sequence[str]], limit_bytes: int) -> Anchor:
    sections = {title: sections[title] for title in ORDER if sections.get(title)}
    shown = {title: body[:MAX_LANDMINES] if title == LANDMINES else body for title, body in sections.items()}
    costs = {title: utf8_size(title) + 2 + sum(utf8_size(line) + 1 for line in body) for title, body in shown.items()}
    shares = _shares(costs, limit_bytes)
    lines: list[str] = []
    omitted: list[str] = []
    for title, body in sections.items():
        taken = fitting_lines([f"{title}:", *shown[title]], shares[title])
        shown_count = max(0, len(taken) - 1)
        lines.extend(taken if shown_count else ())
        omitted.extend((f"{title}:", *body[shown_count:]) if shown_count < len(body) else ())
    return Anchor(tuple(lines), tuple(omitted))


def omissions(anchor: Anchor) -> list[tuple[str, str]]:
    """Name what did not fit into an anchor: the section, the number of lines, and the first of them."""
    sections: list[tuple[str, list[str]]] = []
    for line in anchor.omitted:
        if line.startswith("- "):
            sections[-1][1].append(line)
        else:
            sections.append((line.rstrip(":"), []))
    return [(f"anchor: {title}", _omission(title, lines)) for title, lines in sections if lines]


def _omission(title: str, lines: Sequence[str]) -> str:
    if title == LEFT_OUT:
        return one_line("; ".join(line.removeprefix("- ") for line in lines), 400)
    return f"no room for {count_noun(len(lines), 'line')}, from {one_line(lines[0].removeprefix('- '), 80)}"


def changed_lines(before: str, after: str, omitted: Sequence[str] = ()) -> list[str]:
    """Return how a newer anchor differs: lines that are new, and lines that no longer hold.

    A line that only moved within its file is unchanged, and a line in `omitted` still holds. Facts that are unknown
    while a repository is being indexed are not changes: neither that they are missing, nor `late_lines`. Nor is a line
    that only now has room. Standing instructions are compared elsewhere.
    """
    old, new = _statements_by_text(before.splitlines()), _statements_by_text(after.splitlines())
    without_room = _statements_by_text(omitted)
    known = {title for title, _ in new.values()}
    still_valid = {*new, *without_room}
    late = frozenset((*late_lines(before, after), *_lines_with_room(old, new, without_room)))
    added = [f"now: {line}" for text, (_, line) in new.items() if text not in old and line not in late]
    removed = [
        f"no longer: {line}"
        for text, (title, line) in old.items()
        if text not in still_valid and (title not in _DERIVED_SECTIONS or title in known)
    ]
    return added + removed


def _lines_with_room(
    old: Mapping[str, tuple[str, str]], new: Mapping[str, tuple[str, str]], omitted: Mapping[str, tuple[str, str]]
) -> Iterator[str]:
    """Yield the last lines of each section that lost none and is still cut: what went before them left its bytes."""
    lost = {title for text, (title, _) in old.items() if text not in new}
    for cut_title in {title for title, _ in omitted.values()} - lost:
        section = [(text, line) for text, (title, line) in new.items() if title == cut_title]
        yield from (line for _, line in takewhile(lambda item: item[0] not in old, reversed(section)))


def late_lines(before: str, after: str) -> list[str]:
    """Return the lines of an anchor whose section was not ready when an older one was built: they are not changes."""
    old_titles = {title for title, _ in _statements_by_text(before.splitlines()).values()}
    late_titles = _DERIVED_SECTIONS if old_titles - _WITHOUT_REPOSITORY else (ACCEPTED_RULES, *ORDER)
    new = _statements_by_text(after.splitlines()).values()
    return [line for title, line in new if title in late_titles and title not in old_titles]


def _statements_by_text(lines: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Statement → its section's title, and its line; without marker and introduction."""
    statements: dict[str, tuple[str, str]] = {}
    title = ""
    for line in lines:
        if line.startswith("- ") and title != STANDING_INSTRUCTIONS:
            text = line.removeprefix("- ")
            statements[_LINE_NUMBER.sub(")", text)] = (title, text)
        elif not line.startswith("- "):
            title = line.rstrip(":")
    return statements


def sections_of(sources: AnchorSources) -> dict[str, Sequence[str]]:
    """Return the lines of each section by title, except those derived from imports and history."""
    decisions = split_decisions(sources.decisions, sources.accepted.decisions)
    rejected = [rejected_line(title) for title in sources.accepted.rejected]
    return {
        INVARIANTS: sources.accepted.pointers.invariants,
        RULES: [
            *rule_lines(sources.instructions, sources.sent, sources.nested),
            *rule_file_lines(sources.rule_files)[:SHOWN_RULE_FILES],
            *decisions.rules,
        ],
        SETTINGS: sources.settings,
        COMMANDS: sources.commands,
        LEFT_OUT: sources.rejected_commands,
        MAP: _map_lines(sources),
        ENTRY_POINTS: sources.entries,
        TRAPS: rejected + trap_lines(sources.instructions, sources.sent),
        POINTERS: [
            *decisions.pointers,
            *specification_lines(sources.specifications, sources.more_specifications),
            *sources.accepted.pointers.pointers,
        ],
    }


def _map_lines(sources: AnchorSources) -> list[str]:
    """The repository's description and the purpose of each area; without counts, so that a new file changes nothing."""
    lines = []
    description = one_line(plain(sources.description), 160)
    introduction_text = introduction(sources.readme.text) if sources.readme is not None else ""
    if sources.description:
        lines.append(f"- {one_line(plain(sources.description), 260)}")
    elif sources.readme is not None and introduction_text:
        lines.append(f"- {one_line(introduction_text, 260)} ({sources.readme.path})")
    guides = [*sources.instructions, *([sources.readme] if sources.readme is not None else [])]
    rows = [row for guide in guides if guide.path not in sources.sent for row in _FOLDER_ROW.findall(guide.text)]
    stated = dict(reversed(rows))
    for area, contents in sources.areas:
        text = one_line(plain(sources.purposes.get(area, "") or stated.get(area, "")).lstrip("> "), 160)
        if not text and not any(inner != area and inner.startswith(area) for inner in sources.purposes):
            text = one_line(contents, 300)
        if text and text != description:
            lines.append(f"- {one_line(area, 120)}: {text}")
    return lines


def _shares(costs: Mapping[str, int], limit_bytes: int) -> dict[str, int]:
    """Give each section its cost or its weight's share of the bytes; unused bytes enlarge the other shares."""
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
