"""The sections of a group's Markdown: a `##` heading, its facts on one line, its text. Pure.

    ## JWT in place of sessions
    <!-- id=mem-2026-03-01-002 type=decision author=user at=2026-03-01T09:30:00Z confidence=0.8 -->

A heading inside a code fence is none, unless facts with an id follow it: an unclosed fence hides no entry.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import orjson

from sidecar.core.regex import regex
from sidecar.memory.files.front_matter import Value, shown

_HEADING = regex(
    r"^##[ \t]++((?:[^\r\n \t#]++|[ \t#]++(?=[^\r\n \t#]))*+)[ \t#]*+(\r?\n|\Z)|^ {0,3}(`{3,}|~{3,})([^\r\n]*)",
    re.MULTILINE,
)
_FACTS = regex(r"[ \t\r\n]*<!--((?:[^\r\n-]|-(?!->))*)-->[ \t]*")
_FACT = regex(r'([A-Za-z_][\w-]{0,80})=("(?:[^"\\]|\\.)*"|[^\s",]+(?:,[^\s",]+)*)')
_BARE = regex(r"[A-Za-z0-9][\w.:/+@-]*")
_COMMENT = regex(r"^([ \t]*)<!--", re.MULTILINE)


class Section(NamedTuple):
    """Where an entry stands in its file's text, and its parts."""

    start: int
    end: int
    title: str
    title_at: tuple[int, int]
    facts: str | None
    """Between `<!--` and `-->`; None where it has none."""
    facts_at: tuple[int, int]
    text: str
    text_at: tuple[int, int]


def sections(text: str, begin: int) -> tuple[Section, ...]:
    """Finds the sections of a text from a position on; none unless one of them has facts with an id."""
    if "<!--" not in text or "id=" not in text:
        return ()
    headings = list(_headings(text, begin))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    found = tuple(_section(text, heading, end) for heading, end in zip(headings, ends, strict=True))
    return found if any(one.facts is not None and "id=" in one.facts for one in found) else ()


def facts_of(line: str) -> dict[str, str | tuple[str, ...]]:
    """Reads `key=value` pairs; a list's items are joined by commas."""
    facts: dict[str, str | tuple[str, ...]] = {}
    for name, value in _FACT.findall(line):
        if value.startswith('"'):
            try:
                facts.setdefault(name, str(orjson.loads(value)))
            except orjson.JSONDecodeError:
                facts.setdefault(name, value.strip('"'))
        else:
            facts.setdefault(name, tuple(value.split(",")) if "," in value else value)
    return facts


def changed_facts(line: str, changes: Mapping[str, Value]) -> str:
    """Gives a line of facts with some values changed in place; new ones stand at its end."""
    rest = {name: _fact(value) for name, value in changes.items()}

    def put(found: "re.Match[str]") -> str:
        return f"{found[1]}={rest.pop(found[1])}" if found[1] in rest else found[0]

    line = _FACT.sub(put, line)
    return " ".join([line.rstrip() or "", *(f"{name}={value}" for name, value in rest.items())]).rstrip() + " "


def rendered(title: str, facts: Mapping[str, Value], text: str, line_end: str) -> str:
    """Gives an entry as a section, to stand at the end of a group."""
    lines = [f"## {heading(title)}", f"<!--{changed_facts('', facts)}-->", ""]
    return "\n".join([*lines, *inside(text).split("\n"), ""]).replace("\n", line_end)


def heading(title: str) -> str:
    """Makes one line of a title that reads back as it is."""
    return re.sub(r"\s+", " ", title).strip().rstrip("#").strip()[:200] or "Untitled"


def inside(text: str) -> str:
    """Makes a text safe to stand inside an entry: it can neither begin another one nor hide those that follow."""
    text = _COMMENT.sub(r"\1&lt;!--", text.replace("\r\n", "\n").replace("\r", "\n").strip("\n"))
    lines, fence = [], ""
    for line in text.split("\n"):
        fence = _fence_after(fence, line)
        lines.append(f"#{line}" if not fence and re.match(r"##[ \t]", line) else line)
    return "\n".join([*lines, *([fence] if fence else [])])


def _fact(value: Value) -> str:
    if isinstance(value, str):
        return value if _BARE.fullmatch(value) else _quoted(value)
    if isinstance(value, int | float):
        return shown(value)
    items = [re.sub(r"[\s\",]+|--+", "-", item) for item in value]
    return ",".join(filter(None, items)) or '""'


def _quoted(value: str) -> str:
    """In double quotes, and without what would end the comment or the line."""
    quoted = orjson.dumps(value.encode("utf-8", "replace").decode()).decode()
    return quoted.replace("-->", "--\\u003e").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _headings(text: str, begin: int) -> Iterator["re.Match[str]"]:
    fence = ""
    for found in _HEADING.finditer(text, begin):
        if found[3]:
            fence = _fence_after(fence, found[0])
        elif not fence:
            yield found
        elif (facts := _FACTS.match(text, found.end())) and "id=" in facts[1]:
            fence = ""
            yield found


def _fence_after(fence: str, line: str) -> str:
    """Gives the fence that is open after a line; empty when none is."""
    found = re.match(r" {0,3}(`{3,}|~{3,})(.*)", line)
    if found is None:
        return fence
    if not fence:
        return "" if "`" in found[2] and found[1][0] == "`" else found[1]
    is_end = found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip()
    return "" if is_end else fence


def _section(text: str, found: "re.Match[str]", end: int) -> Section:
    facts = _FACTS.match(text, found.end(), end)
    after = facts.end() if facts else found.end()
    body = text[after:end]
    start = after + len(body) - len(body.lstrip("\r\n"))
    stop = max(start, after + len(body.rstrip()))
    return Section(
        start=found.start(),
        end=end,
        title=found[1].strip(),
        title_at=found.span(1),
        facts=facts[1] if facts else None,
        facts_at=facts.span(1) if facts else (after, after),
        text=text[start:stop],
        text_at=(start, stop),
    )
