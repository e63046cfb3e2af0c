"""A memory file's bytes and its entries: read whole, changed only where a change was asked for. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import orjson

from sidecar.core.errors import PolicyDenied
from sidecar.core.lazy_regex import regex
from sidecar.memory.entry import Document, Memory
from sidecar.memory.files import front_matter
from sidecar.memory.files.entry_fields import Facts, Said, memory_of
from sidecar.memory.files.front_matter import Damaged, Value, shown
from sidecar.memory.files.layout import Place

# The sections of a group's Markdown: a `##` heading, its facts on one line, its text. Pure.
#
# ## JWT in place of sessions
# <!-- id=mem-2026-03-01-002 type=decision author=user at=2026-03-01T09:30:00Z confidence=0.8 -->
#
# A heading inside a code fence is none, unless facts with an id follow it: an unclosed fence hides no entry.


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


MAX_FILE_BYTES = 1024 * 1024

_ID_LINE = regex(r"^id:[ \t]*[\"']?(mem-[\w-]+)", re.MULTILINE)
_TITLE = regex(r"\A\s*+#[ \t]++((?:[^\r\n \t#]++|[ \t#]++(?=[^\r\n \t#]))*+)[ \t#]*+(?:\r?\n|\Z)")


class Edit(NamedTuple):
    """What changes in an entry; None leaves its title or text."""

    facts: Mapping[str, Value]
    title: str | None = None
    text: str | None = None


def read(content: bytes, path: str, place: Place, modified_ms: int) -> Document:
    """Reads a file's entries; what cannot be read is told, and what can be is read nevertheless.

    `modified_ms` stands for the times a file does not tell.
    """
    text, warning = _decoded(content)
    parts, said, damage = _matter(text)
    whole = Facts(said, path, place, modified_ms)
    begin = len(text) - len(parts.body)
    found = sections(text, begin)
    memories = tuple(_entry(whole, one, position) for position, one in enumerate(found))
    if not memories:
        title, body = title_and_text(parts.body)
        memories = (memory_of(whole, title, body, 0),)
    return Document(memories, bool(found), warning or damage or whole.warning)


def new_memory(facts: Mapping[str, Value], title: str, text: str) -> bytes:
    """Gives the file of a new stand-alone memory."""
    matter = front_matter.change("", facts)
    return f"{matter}\n# {heading(title)}\n\n{_standing_alone(text)}\n".encode("utf-8", "replace")


def new_group(facts: Mapping[str, Value], title: str) -> bytes:
    """Gives the file of a new group, without entries yet."""
    return f"{front_matter.change('', facts)}\n# {heading(title)}\n".encode("utf-8", "replace")


def with_entry(content: bytes, facts: Mapping[str, Value], title: str, text: str) -> bytes:
    """Gives a group's file with one more entry at its end."""
    before = _editable(content)
    line_end = "\r\n" if "\r\n" in before else "\n"
    gap = line_end if before.endswith("\n") else 2 * line_end
    added = rendered(title, facts, text, line_end)
    return f"{before}{gap}{added}".encode("utf-8", "replace")


def edited(content: bytes, memory: Memory, edit: Edit, *, is_group: bool) -> bytes:
    """Gives a file with one entry changed; every other byte stays. Raises PolicyDenied for a file that is damaged."""
    text = _editable(content)
    changed = _edited_section(text, memory.position, edit) if is_group else _edited_file(text, edit)
    return changed.encode("utf-8", "replace")


def without(content: bytes, memory: Memory) -> bytes | None:
    """Gives a group's file without one of its entries; None when no entry is left."""
    text = _editable(content)
    found = _sections(text)
    if len(found) <= 1:
        return None
    one = found[memory.position]
    return (text[: one.start] + text[one.end :]).encode("utf-8", "replace")


def alone(content: bytes, memory: Memory) -> bytes:
    """Gives the file that an entry of a group would have by itself, with all facts of its own and of its group's."""
    text = _editable(content)
    parts, one = front_matter.split(text), _sections(text)[memory.position]
    group = front_matter.values(parts.matter) if parts.matter else {}
    said = {**group, **facts_of(one.facts or "")}
    facts = {name: value for name, value in said.items() if value is not None and name != "id"}
    return new_memory({"id": memory.id, **facts}, one.title, one.text)


def is_editable(content: bytes) -> bool:
    """Says whether a file can be changed, or has to be left alone because it is damaged."""
    try:
        _editable(content)
    except PolicyDenied:
        return False
    return True


def _entry(whole: Facts, one: Section, position: int) -> Memory:
    own = whole.overlaid(facts_of(one.facts or ""), one.title)
    return memory_of(own, one.title, one.text, position)


def _matter(text: str) -> tuple[front_matter.Parts, Said, str]:
    """Cuts a text and reads its front matter; of one that is damaged only the id, which is what others know it by."""
    parts, damage = front_matter.Parts("", None, text), ""
    try:
        parts = front_matter.split(text)
        return parts, front_matter.values(parts.matter) if parts.matter else {}, ""
    except Damaged as error:
        damage = str(error)
    found = _ID_LINE.search(text[: front_matter.MAX_MATTER_CHARACTERS])
    return parts, {"id": found[1]} if found else {}, damage


def _decoded(content: bytes) -> tuple[str, str]:
    if len(content) > MAX_FILE_BYTES:
        return "", "The file is larger than 1 MiB and is not read."
    try:
        return content.decode(), ""
    except UnicodeDecodeError:
        return content.decode("utf-8", "replace"), "The file is not UTF-8."


def _editable(content: bytes) -> str:
    text, problem = _decoded(content)
    try:
        parts = front_matter.split(text)
        if parts.matter:
            front_matter.read(parts.matter)
    except Damaged as damage:
        problem = problem or str(damage)
    if problem:
        raise PolicyDenied(
            f"The memory's file is left alone, because it is damaged: {problem}", hint="Repair it in an editor first."
        )
    return text


def _sections(text: str) -> tuple[Section, ...]:
    return sections(text, len(text) - len(front_matter.split(text).body))


def _edited_file(text: str, edit: Edit) -> str:
    if edit.facts:
        text = front_matter.change(text, edit.facts)
    if edit.title is None and edit.text is None:
        return text
    body = front_matter.split(text).body
    head = text[: len(text) - len(body)]
    line_end = "\r\n" if "\r\n" in text else "\n"
    title, old = title_and_text(body)
    new = _standing_alone(edit.text) if edit.text is not None else old
    new_heading = heading(edit.title if edit.title is not None else title)
    if edit.text is None and (found := _TITLE.match(body)) is not None:
        return head + body[: found.start(1)] + new_heading + body[found.end(1) :]
    return head + f"\n# {new_heading}\n\n{new}\n".replace("\r\n", "\n").replace("\n", line_end)


def _edited_section(text: str, position: int, edit: Edit) -> str:
    one = _sections(text)[position]
    line_end = "\r\n" if "\r\n" in text else "\n"
    if edit.text is not None:
        new = inside(edit.text).replace("\n", line_end)
        text = text[: one.text_at[0]] + new + text[one.text_at[1] :]
    if edit.facts:
        facts = changed_facts(one.facts or "", edit.facts)
        put = facts if one.facts is not None else f"<!--{facts}-->{line_end}"
        text = text[: one.facts_at[0]] + put + text[one.facts_at[1] :]
    if edit.title is not None:
        text = text[: one.title_at[0]] + heading(edit.title) + text[one.title_at[1] :]
    return text


def _standing_alone(text: str) -> str:
    """A text that stands alone may have sections of its own, but cannot pass for a group."""
    return re.sub(r"^([ \t]*)<!--", r"\1&lt;!--", text, flags=re.MULTILINE).strip("\r\n")


def title_and_text(body: str) -> tuple[str, str]:
    """Gives what follows the front matter as title and text."""
    found = _TITLE.match(body)
    if found:
        return found[1].strip(), body[found.end() :].strip()
    first = next((line.strip() for line in body.splitlines() if line.strip()), "")
    return first.lstrip("# ")[:200], body.strip()
