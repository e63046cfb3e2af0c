"""The Anchor Pack: what holds for the whole repository, small and stable. Pure: text in, lines out."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from sidecar.packs.render import overhead_bytes
from sidecar.packs.text import one_line, size

ANCHOR_BYTES = {"low": 2_400, "normal": 3_900, "debug": 6_000}
"""What the anchor may take, by token mode; under 4 KB in `normal`."""

ANCHOR_SHARE = 0.4
"""More of what a call may send the anchor never takes, however little that is: the rest is for what is new."""

MAX_RULES = 24
MAX_POINTERS = 12

_AGENT_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "copilot-instructions.md")
"""Files written for agents: there any bullet that asks for something is a rule, elsewhere only a strict one."""

_RULE = re.compile(
    r"(?i)\b(must(?: not|n't)?|never|always|do not|don't|only|required?|forbidden|shall|avoid|prefer|ensure|use)\b"
)
_STRONG = re.compile(r"(?i)\b(must(?: not|n't)?|never|always|do not|don't|forbidden|shall|required)\b")
_BULLET = re.compile(r"^\s{0,3}(?:[-*+]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?(.+)$")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$")
_TRAP_HEADING = re.compile(
    r"(?i)\b(gotchas?|pitfalls?|landmines?|caveats?|known issues?|traps?|beware|common mistakes)\b"
)
_STATUS = re.compile(r"(?im)^\s*(?:[-*]\s*)?(?:\*\*)?status(?:\*\*)?\s*:?\s*(?:\*\*)?\s*:?\s*([A-Za-z][\w -]{2,30})")
_LINE_NUMBER = re.compile(r":\d+\)$")
_STATUS_HEADING = re.compile(r"(?im)^#{1,4}\s*status\s*\n+\s*(?:[-*]\s*)?\**([A-Za-z][\w -]{2,30})")


class Document(NamedTuple):
    """An instruction file, a README, an ADR or a specification."""

    path: str
    text: str


class Sources(NamedTuple):
    """Everything the anchor is made of."""

    instructions: tuple[Document, ...]
    """Instruction files and contributing guides, the most binding first."""
    readme: Document | None
    decisions: tuple[Document, ...]
    specifications: tuple[str, ...]
    areas: tuple[tuple[str, str], ...]
    """The folders a map names, each with what it holds."""
    purposes: Mapping[str, str]
    """What a folder says of itself, by folder."""
    commands: tuple[tuple[str, str], ...]
    """(command, the file that declares it)."""
    rejected: tuple[str, ...]
    """Titles of accepted rejected approaches."""
    host_sends: frozenset[str]
    """Names of instruction files the host or the provider sends by itself."""


def anchor_limit(token_mode: str, sendable_bytes: int) -> int:
    """Gives the bytes an anchor's lines may take, when a call may send so many in all."""
    return min(ANCHOR_BYTES[token_mode], int(sendable_bytes * ANCHOR_SHARE) - overhead_bytes("anchor"))


def anchor_lines(sources: Sources, limit_bytes: int) -> list[str]:
    """Gives the anchor's lines in a fixed order, each section trimmed so that the whole stays within the limit."""
    sections = [
        ("Rules", _rules(sources)),
        ("Map", _map(sources)),
        ("Commands", [f"- `{one_line(command, 100)}` ({origin})" for command, origin in sources.commands]),
        ("Known traps", _traps(sources)),
        ("Decisions and specifications", _pointers(sources)),
    ]
    lines: list[str] = []
    left = limit_bytes
    present = [(title, body) for title, body in sections if body]
    for number, (title, body) in enumerate(present):
        share = left // (len(present) - number)
        if number == 0:
            share = max(share, limit_bytes * 2 // 5)
        taken = _within([f"{title}:", *body], min(share, left))
        if len(taken) > 1:
            lines.extend(taken)
            left -= sum(size(line) + 1 for line in taken)
    return lines


def changed_lines(before: str, after: str) -> list[str]:
    """Tells what a newer anchor says otherwise: lines that are new, and lines that no longer hold.

    A line that only stands elsewhere in its file now says the same.
    """
    old, new = _statements(before), _statements(after)
    added = [f"now: {line}" for said, line in new.items() if said not in old]
    gone = [f"no longer: {line}" for said, line in old.items() if said not in new]
    return added + gone


def _statements(anchor: str) -> dict[str, str]:
    """The anchor's statements without marker, introduction and titles: what is said → the line that says it."""
    lines = [line.removeprefix("- ") for line in anchor.splitlines()[2:] if line.startswith("- ")]
    return {_LINE_NUMBER.sub(")", line): line for line in lines}


def _rules(sources: Sources) -> list[str]:
    lines: list[str] = []
    for document in sources.instructions:
        name = document.path.rsplit("/", 1)[-1]
        if name in sources.host_sends:
            lines.append(f"- {document.path} holds the project's instructions (you have it already).")
            continue
        rules = _rules_in(document.text, _RULE if name in _AGENT_FILES else _STRONG)
        lines.extend(f"- {one_line(rule, 220)} ({document.path}:{number})" for number, rule in rules[:MAX_RULES])
    return lines


def _rules_in(text: str, pattern: re.Pattern[str]) -> list[tuple[int, str]]:
    """The bullets that state a rule, strong ones first, each with its line."""
    found = [(number, bullet) for number, bullet in _bullets(text) if pattern.search(bullet)]
    return sorted(found, key=lambda rule: (not _STRONG.search(rule[1]), rule[0]))


def _bullets(text: str) -> list[tuple[int, str]]:
    """The list items outside of code, with the lines that continue them, each with its first line's number."""
    found: list[tuple[int, str]] = []
    fenced = open_item = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        bullet = None if fenced else _BULLET.match(line)
        if bullet:
            found.append((number, bullet[1]))
        elif open_item and line.startswith("  ") and line.strip()[:1] not in ("", "-", "*", "+") and not fenced:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
            continue
        open_item = bool(bullet)
    return found


def _map(sources: Sources) -> list[str]:
    """What the repository is, and what each area is for; without counts, so that a new file changes nothing."""
    lines = []
    if sources.readme is not None:
        about = _first_paragraph(sources.readme.text)
        if about:
            lines.append(f"- {one_line(about, 260)} ({sources.readme.path})")
    for area, holdings in sources.areas:
        purpose = sources.purposes.get(area)
        lines.append(f"- {one_line(area, 120)}: {one_line(purpose, 160) if purpose else holdings}")
    return lines


def _traps(sources: Sources) -> list[str]:
    lines = [f"- rejected before: {one_line(title, 200)}" for title in sources.rejected]
    for document in sources.instructions:
        if document.path.rsplit("/", 1)[-1] in sources.host_sends:
            continue
        under_trap = False
        for number, line in enumerate(document.text.splitlines(), 1):
            heading = _HEADING.match(line)
            if heading:
                under_trap = bool(_TRAP_HEADING.search(heading[1]))
            bullet = _BULLET.match(line)
            if under_trap and bullet:
                lines.append(f"- {one_line(bullet[1], 220)} ({document.path}:{number})")
    return lines


def _pointers(sources: Sources) -> list[str]:
    lines = []
    for document in sources.decisions[:MAX_POINTERS]:
        status = _STATUS.search(document.text) or _STATUS_HEADING.search(document.text)
        state = f" [{one_line(status[1], 30).lower()}]" if status else ""
        lines.append(f"- {one_line(document.path, 200)}: {one_line(_title(document), 120)}{state}")
    lines.extend(f"- {one_line(path, 200)}" for path in sources.specifications[:MAX_POINTERS])
    return lines


def _title(document: Document) -> str:
    for line in document.text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            return heading[1]
        named = re.match(r"title:\s*[\"']?(.+?)[\"']?\s*$", line)
        if named:
            return named[1]
    return document.path.rsplit("/", 1)[-1]


def _first_paragraph(text: str) -> str:
    """The first prose of a README: no headings, badges, pictures, tables or code."""
    paragraph: list[str] = []
    fenced = False
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        prose = (
            not fenced
            and stripped
            and not stripped.startswith(("#", "[!", "![", "<", "|", ">", "```", "---", "===", ":"))
        )
        if prose:
            paragraph.append(stripped)
        elif paragraph:
            break
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph))


def _within(lines: list[str], limit_bytes: int) -> list[str]:
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
