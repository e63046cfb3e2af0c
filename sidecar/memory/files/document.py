"""A memory file's bytes and its entries: parsed whole, edited only where a change was requested. Pure.

An entry of a group file is a section: a `##` heading, its facts on one line, its text.

    ## JWT in place of sessions
    <!-- id=mem-2026-03-01-002 type=decision author=user at=2026-03-01T09:30:00Z confidence=0.8 -->

A heading inside a code fence does not count, unless facts with an id follow it: an unclosed fence hides no entry.

Texts and titles are escaped, and every text reads back byte for byte. A text can neither turn its file into a group,
nor begin another entry, nor hide those that follow: a comment at the start of a line is written `&lt;!--`, and a `##`
heading or an unclosed code fence in a group has a backslash before it. White space with which a text begins or ends is
written as a character reference, such as `&#10;`, since the blank lines of the file around a text are not part of it.
What already looks escaped is escaped once more.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import orjson

from sidecar.core.errors import PolicyDenied
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import FrontMatter
from sidecar.core.redact import redact
from sidecar.core.yaml_text import Value, quoted
from sidecar.memory.entry import Memory, ParsedMemoryFile
from sidecar.memory.files import front_matter
from sidecar.memory.files.front_matter import (
    EntryFields,
    FieldValues,
    MalformedFrontMatter,
    build_memory,
    inline_front_matter,
)
from sidecar.memory.files.layout import MemoryLocation, id_in_name

MAX_TITLE = 200
UNTITLED = "Untitled"

_COMMENT = lazy_regex(r"^([ \t\r]*+)(<|&(?:amp;)*+lt;)(?=!--)", re.MULTILINE)
_ESCAPED_COMMENT = lazy_regex(r"^([ \t\r]*+)&((?:amp;)*+)lt;(?=!--)", re.MULTILINE)
_END = lazy_regex(r"\A(?:\s|&(?:amp;)*+#[0-9]{1,5};)|(?:\s|&(?:amp;)*+#[0-9]{1,5};)\Z")
_MARK = lazy_regex(r"( {0,3})(\\*+)(##[ \t]|`{3,}|~{3,})")
_FENCE = lazy_regex(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
_CLOSING_MARK = lazy_regex(r"(?:^|(?<![ \t])[ \t]++)#++$")
_LINE_BREAK = lazy_regex(r"(?<!\s)\s*[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")


def escape_heading(title: str) -> str:
    """Return a title as the text of a heading: one line, which ends with a closing mark if it looked like one."""
    line = _LINE_BREAK.sub(" ", title).strip()[:MAX_TITLE].rstrip() or UNTITLED
    return f"{line} #" if _CLOSING_MARK.search(line) else line


def unescape_heading(heading: str) -> str:
    """Return the title of a heading, without a closing mark."""
    return (_CLOSING_MARK.sub("", heading) if heading.endswith("#") else heading).strip()


def escape_text(text: str) -> str:
    """Escape a stand-alone memory's text: it may have sections, but cannot be mistaken for a group."""
    return _END.sub(_escaped_end, _COMMENT.sub(_escaped_comment, text))


def unescape_text(text: str) -> str:
    """Return the text that was escaped for a file of its own. The patterns run only where a sign of them is."""
    if text.startswith("&") or text.endswith(";"):
        text = _END.sub(_unescaped_end, text)
    if "lt;!--" not in text:
        return text
    return _ESCAPED_COMMENT.sub(lambda match: f"{match[1]}{'&' + match[2][4:] + 'lt;' if match[2] else '<'}", text)


def escape_entry_text(text: str) -> str:
    """Escape the text of an entry in a group."""
    lines = escape_text(text).split("\n")
    fence, opened_at, at = "", 0, 0
    escaped = dict[int, str]()
    while at < len(lines):
        before, fence = fence, fence_after(fence, lines[at])
        if not before and fence:
            opened_at = at
        elif not before and (match := _MARK.match(lines[at])) and (match[2] or match[3].startswith("##")):
            escaped[at] = _with_backslash(lines[at])
        at += 1
        if at == len(lines) and fence:  # it is never closed, so it opens nothing
            escaped[opened_at], fence, at = _with_backslash(lines[opened_at]), "", opened_at + 1
    return "\n".join(escaped.get(number, line) for number, line in enumerate(lines))


def unescape_entry_text(text: str) -> str:
    """Return the text that was escaped for an entry of a group."""
    fence = ""
    lines = []
    for line in text.split("\n"):
        before, fence = fence, fence_after(fence, line)
        match = _MARK.match(line) if not before else None
        lines.append(f"{match[1]}{line[match.start(2) + 1 :]}" if match and match[2] else line)
    return unescape_text("\n".join(lines))


def fence_after(fence: str, line: str) -> str:
    """Return the code fence that is open after a line; empty if none is."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if not fence:
        return "" if "`" in match[2] and match[1][0] == "`" else match[1]
    is_end = match[1][0] == fence[0] and len(match[1]) >= len(fence) and not match[2].strip()
    return "" if is_end else fence


def _escaped_comment(match: "re.Match[str]") -> str:
    return f"{match[1]}&lt;" if match[2] == "<" else f"{match[1]}&amp;{match[2][1:]}"


def _escaped_end(match: "re.Match[str]") -> str:
    if match[0].isspace():
        return f"&#{ord(match[0])};"
    return f"&amp;{match[0][1:]}" if _is_space_reference(match[0]) else match[0]


def _unescaped_end(match: "re.Match[str]") -> str:
    if not _is_space_reference(match[0]):
        return match[0]
    return f"&{match[0][5:]}" if match[0].startswith("&amp;") else chr(_code_point(match[0]))


def _is_space_reference(text: str) -> bool:
    return not text.isspace() and chr(_code_point(text)).isspace()


def _code_point(reference: str) -> int:
    return int(reference[reference.index("#") + 1 : -1])


def _with_backslash(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    return f"{line[:indent]}\\{line[indent:]}"


_HEADING = lazy_regex(
    r"^##[ \t]++((?:[^\r\n \t]++|[ \t]++(?=[^\r\n \t]))*+)[ \t]*+(\r?\n|\Z)|^ {0,3}(`{3,}|~{3,})([^\r\n]*)",
    re.MULTILINE,
)
_FACTS = lazy_regex(r"[ \t\r\n]*<!--((?:[^\r\n-]|-(?!->))*)-->[ \t]*")
_FACT = lazy_regex(r'([A-Za-z_][\w-]{0,80})=("(?:[^"\\]|\\.)*"|[^\s",]+(?:,[^\s",]+)*)')
_BARE = lazy_regex(r"[A-Za-z0-9][\w.:/+@-]*")


class MemorySection(NamedTuple):
    """Position and parts of an entry in its file's text."""

    start: int
    end: int
    title: str
    title_at: tuple[int, int]
    facts: str | None
    """Between `<!--` and `-->`; None if there are none."""
    facts_at: tuple[int, int]
    text: str
    text_at: tuple[int, int]


def sections(text: str, begin: int) -> tuple[MemorySection, ...]:
    """Return the sections of a text from a position on; none unless one of them has facts with an id."""
    if "<!--" not in text or "id=" not in text:
        return ()
    headings = list(_headings(text, begin))
    if not headings:
        return ()
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    parsed = tuple(_section(text, heading, end) for heading, end in zip(headings, ends, strict=True))
    return parsed if any(section.facts is not None and "id=" in section.facts for section in parsed) else ()


def parse_facts(line: str) -> dict[str, str | tuple[str, ...]]:
    """Parse `key=value` pairs; a list's items are separated by commas."""
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


def edit_facts(line: str, changes: Mapping[str, Value]) -> str:
    """Return a line of facts with some values changed in place; new ones are appended."""
    new_facts = {name: _fact(value) for name, value in changes.items()}

    def replace(match: "re.Match[str]") -> str:
        return f"{match[1]}={new_facts.pop(match[1])}" if match[1] in new_facts else match[0]

    line = _FACT.sub(replace, line)
    return " ".join([line.rstrip() or "", *(f"{name}={value}" for name, value in new_facts.items())]).rstrip() + " "


def render_section(title: str, facts: Mapping[str, Value], text: str, line_end: str) -> str:
    """Return an entry as a section, for the end of a group."""
    lines = [f"## {escape_heading(title)}", f"<!--{edit_facts('', facts)}-->", ""]
    return "\n".join([*lines, *escape_entry_text(text).split("\n"), ""]).replace("\n", line_end)


def _fact(value: Value) -> str:
    if isinstance(value, str):
        return value if _BARE.fullmatch(value) else _quoted_fact(value)
    if isinstance(value, int | float):
        return inline_front_matter(value)
    items = [re.sub(r"[\s\",]+|--+", "-", item) for item in value]
    return ",".join(filter(None, items)) or '""'


def _quoted_fact(value: str) -> str:
    """Quote a value without characters that would end the comment or the line."""
    return quoted(value).replace("-->", "--\\u003e")


def _headings(text: str, begin: int) -> Iterator["re.Match[str]"]:
    fence = ""
    for match in _HEADING.finditer(text, begin):
        if match[3]:
            fence = fence_after(fence, match[0])
        elif not fence:
            yield match
        elif (facts := _FACTS.match(text, match.end())) and "id=" in facts[1]:
            fence = ""
            yield match


def _section(text: str, heading_match: "re.Match[str]", end: int) -> MemorySection:
    facts = _FACTS.match(text, heading_match.end(), end)
    after = facts.end() if facts else heading_match.end()
    body = text[after:end]
    start = after + len(body) - len(body.lstrip("\r\n"))
    stop = max(start, after + len(body.rstrip()))
    return MemorySection(
        start=heading_match.start(),
        end=end,
        title=unescape_heading(heading_match[1]),
        title_at=heading_match.span(1),
        facts=facts[1] if facts else None,
        facts_at=facts.span(1) if facts else (after, after),
        text=text[start:stop],
        text_at=(start, stop),
    )


MAX_FILE_BYTES = 1024 * 1024
BYTE_ORDER_MARK = "\ufeff".encode()

_TITLE = lazy_regex(r"\A\s*+#[ \t]++((?:[^\r\n \t]++|[ \t]++(?=[^\r\n \t]))*+)[ \t]*+(?:\r?\n|\Z)")


class Edit(NamedTuple):
    """A change to an entry; None leaves its title or text."""

    facts: Mapping[str, Value]
    title: str | None = None
    text: str | None = None


def read(content: bytes, path: str, place: MemoryLocation, modified_ms: int) -> ParsedMemoryFile:
    """Parse a file's entries; unreadable parts become a warning, the rest is returned.

    `modified_ms` replaces times the file does not state. A damaged text without an id is not a memory.
    """
    if not content.removeprefix(BYTE_ORDER_MARK).strip():
        return ParsedMemoryFile((), is_group=False, warning="The file is empty.")
    text, warning = _decode(content)
    parts, fields, problem = _split_matter(text, path)
    if text and (warning or problem) and "id" not in fields:
        return ParsedMemoryFile((), is_group=False, warning=warning or problem)
    file_fields = EntryFields(fields, path, place, modified_ms)
    begin = len(text) - len(parts.body)
    parsed = sections(text, begin)
    memories = tuple(_entry(file_fields, section, position) for position, section in enumerate(parsed))
    if not memories:
        title, body = split_title(parts.body)
        memories = (build_memory(file_fields, title, unescape_text(body), 0),)
        if text and not (title or body):
            file_fields.warn("The file has neither a title nor a text.")
    return ParsedMemoryFile(memories, bool(parsed), warning or problem or file_fields.warning)


def new_memory(facts: Mapping[str, Value], title: str, text: str) -> bytes:
    """Return the file of a new stand-alone memory."""
    matter = front_matter.change("", masked_facts(facts))
    return f"{matter}\n# {escape_heading(title)}\n\n{escape_text(text)}\n".encode("utf-8", "replace")


def masked_facts(facts: Mapping[str, Value]) -> dict[str, Value]:
    """Return facts with secrets masked, whatever their name."""
    return {name: _masked(value) for name, value in facts.items()}


def _masked(value: Value) -> Value:
    if isinstance(value, str):
        return redact(value)
    return value if isinstance(value, int | float) else [redact(item) for item in value]


def new_group(facts: Mapping[str, Value], title: str) -> bytes:
    """Return the file of a new group without entries."""
    return f"{front_matter.change('', masked_facts(facts))}\n# {escape_heading(title)}\n".encode("utf-8", "replace")


def append_entry(content: bytes, facts: Mapping[str, Value], title: str, text: str) -> bytes:
    """Return a group's file with one entry appended."""
    before = _decode_editable(content)
    line_end = "\r\n" if "\r\n" in before else "\n"
    gap = line_end if before.endswith("\n") else 2 * line_end
    added = render_section(title, masked_facts(facts), text, line_end)
    return f"{before}{gap}{added}".encode("utf-8", "replace")


def edit_entry(content: bytes, memory: Memory, edit: Edit, *, is_group: bool) -> bytes:
    """Return a file with one entry changed and every other byte unchanged. Raise PolicyDenied for a damaged file."""
    text = _decode_editable(content)
    edit = edit._replace(facts=masked_facts(edit.facts))
    changed = _edit_section(text, memory.position, edit) if is_group else _edit_file(text, edit)
    return changed.encode("utf-8", "replace")


def remove_entry(content: bytes, memory: Memory) -> bytes | None:
    """Return a group's file without one of its entries; None if no entry remains."""
    text = _decode_editable(content)
    parsed = _sections(text)
    if len(parsed) <= 1:
        return None
    section = parsed[memory.position]
    return (text[: section.start] + text[section.end :]).encode("utf-8", "replace")


def extract_entry(content: bytes, memory: Memory) -> bytes:
    """Return a group entry as a file of its own, with the group's facts and its own."""
    text = _decode_editable(content)
    parts, section = front_matter.split(text), _sections(text)[memory.position]
    group = front_matter.read_values(parts.matter) if parts.matter else {}
    fields = {**group, **parse_facts(section.facts or "")}
    facts = {name: value for name, value in fields.items() if value is not None and name != "id"}
    return new_memory({"id": memory.id, **facts}, section.title, unescape_entry_text(section.text))


def is_editable(content: bytes) -> bool:
    """Whether a file can be changed; a damaged one cannot."""
    try:
        _decode_editable(content)
    except PolicyDenied:
        return False
    return True


def _entry(file_fields: EntryFields, section: MemorySection, position: int) -> Memory:
    fields = file_fields.with_entry_values(parse_facts(section.facts or ""), section.title)
    return build_memory(fields, section.title, unescape_entry_text(section.text), position)


def _split_matter(text: str, path: str) -> tuple[FrontMatter, FieldValues, str]:
    """Split a text and parse its front matter; of damaged front matter only the id, by which others refer to it.

    A text whose front matter cannot be located begins at its first heading.
    """
    parts = FrontMatter("", None, text[front_matter.heading_start(text) or 0 :])
    try:
        parts = front_matter.split(text)
        return parts, front_matter.read_values(parts.matter) if parts.matter else {}, ""
    except MalformedFrontMatter as error:
        memory_id = front_matter.stated_id(text) or id_in_name(path)
        return parts, {"id": memory_id} if memory_id else {}, str(error)


def _decode(content: bytes) -> tuple[str, str]:
    """Return a file's text with lines that LF ends, and what is wrong with its bytes."""
    if len(content) > MAX_FILE_BYTES:
        return "", "The file is larger than 1 MiB and is not read."
    try:
        text, problem = content.decode(), ""
    except UnicodeDecodeError:
        text, problem = content.decode("utf-8", "replace"), "The file is not UTF-8."
    if "\r" in text and "\n" not in text:
        return text.replace("\r", "\n"), problem or "The file's lines end with CR alone; save it with LF or CRLF."
    return text, problem


def _decode_editable(content: bytes) -> str:
    text, problem = _decode(content)
    try:
        parts = front_matter.split(text)
        if parts.matter:
            front_matter.read_yaml(parts.matter)
    except MalformedFrontMatter as error:
        problem = problem or str(error)
    if problem:
        raise PolicyDenied(
            f"The memory file is damaged and was not changed: {problem}", hint="Repair it in an editor first."
        )
    return text


def _sections(text: str) -> tuple[MemorySection, ...]:
    return sections(text, len(text) - len(front_matter.split(text).body))


def _edit_file(text: str, edit: Edit) -> str:
    if edit.facts:
        text = front_matter.change(text, edit.facts)
    if edit.title is None and edit.text is None:
        return text
    body = front_matter.split(text).body
    head = text[: len(text) - len(body)]
    line_end = "\r\n" if "\r\n" in text else "\n"
    title, old = split_title(body)
    new = escape_text(edit.text) if edit.text is not None else old
    new_heading = escape_heading(edit.title if edit.title is not None else title)
    if edit.text is None and (match := _TITLE.match(body)) is not None:
        return head + body[: match.start(1)] + new_heading + body[match.end(1) :]
    return head + f"\n# {new_heading}\n\n{new}\n".replace("\r\n", "\n").replace("\n", line_end)


def _edit_section(text: str, position: int, edit: Edit) -> str:
    section = _sections(text)[position]
    line_end = "\r\n" if "\r\n" in text else "\n"
    if edit.text is not None:
        new = escape_entry_text(edit.text).replace("\n", line_end)
        text = text[: section.text_at[0]] + new + text[section.text_at[1] :]
    if edit.facts:
        facts = edit_facts(section.facts or "", edit.facts)
        replacement = facts if section.facts is not None else f"<!--{facts}-->{line_end}"
        text = text[: section.facts_at[0]] + replacement + text[section.facts_at[1] :]
    if edit.title is not None:
        text = text[: section.title_at[0]] + escape_heading(edit.title) + text[section.title_at[1] :]
    return text


def split_title(body: str) -> tuple[str, str]:
    """Split what follows the front matter into title and text."""
    match = _TITLE.match(body)
    if match:
        return unescape_heading(match[1]), body[match.end() :].strip()
    first = next((line.strip() for line in body.splitlines() if line.strip()), "")
    return first.lstrip("# ")[:200], body.strip()
