"""The parts of a text that an anchor needs: list items, sections, code blocks, the title, a workflow's lines. Pure."""

import re
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import Code, Heading, Line, markdown_blocks, split_front_matter
from sidecar.core.prose_sentences import STATES_RULE, split_at_full_stops

_BULLET = lazy_regex(r"^\s{0,3}(?:[-*+]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?(.+)$")
_TITLE_FIELD = lazy_regex(r"(?m)^title:\s*+[\"']?(.+?)[\"']?[^\S\n]{0,9}$")
_NON_PROSE_PREFIXES = ("#", "[!", "![", "<", "|", ">", "```", "---", "===", ":", "..", "[`", "{%", "{{", "{:")
_LINK = lazy_regex(
    r"\[([^\]]{0,300})\](?:\([^)]{0,900}\)|\[[^\]]{0,90}\])|(?<![^\s(])`([^`<]{1,300}?)\s{0,4}(?:<[^`>]{0,900}>)?`_++"
)
_SHORT_LINK = lazy_regex(r"(?<!\w)\[(\w[^\]]{0,300})\]")
_MARKUP = lazy_regex(r"(`[^`\n]+`)|<(https?://[^\s<>]{1,300})>|</?\w[^<>]*>|\*\*|__(?=\S)|(?<=\S)__")
_APPEAL = lazy_regex(r"(?i)\b(?:sponsor\w*|funding|donat\w+|backers?|star us|join (?:us|our))\b")
_ADDRESS = lazy_regex(r"https?://\S{1,900}")
_PLACEHOLDER = lazy_regex(
    r"(?i)(?:add your description|a new flutter (?:project|plugin|package)|here are some ideas|description of your"
    r"|your (?:project )?description|(?:project )?description goes here|todo\b|a description of this package"
    r"|this template (?:provides|should help|helps)\b|this is a \[?next\.js\]?[^.]{0,60} project bootstrapped"
    r"|this project was (?:bootstrapped|generated|created) (?:with|using)\b|getting started with create react app"
    r"|this website is built using\b"
    r"|look at the \[?nuxt|everything you need to build a svelte project"
    r"|(?:wip|tbd|(?:this is a )?work in progress|under construction|coming soon)\W*\Z)"
)
_WORD = lazy_regex(r"(?!nbsp|amp)[^\W\d_]{2,40}")
_DEFINITION = lazy_regex(
    r"^an? |^(?!(?:there|these|this|if|i|we|you|my|our|your)\b|\w{1,20}ing (?:the|an?|your|this|it|`))\w.{1,120}?"
    r"\b(?:is|are) (?:an?|the|one|written)\b",
    re.IGNORECASE,
)

MIN_WORDS = 4
"""Number of words beside an address from which a paragraph says what something is."""

MAX_PARAGRAPHS = 6
"""Maximum number of a README's paragraphs searched for the one that introduces it."""


def prose_lines(text: str) -> Iterator[Line]:
    """Yield the lines outside of code, without headings."""
    for block in markdown_blocks(text, underlined_headings=True):
        if isinstance(block, Line):
            yield block


_RUN_FROM = lazy_regex(
    r"(?i)\b(?:(?:run|execute)(?: (?:all|these|this|them|the|following|commands?|everything))*"
    r"|commands? (?:are|must be|should be|have to be|need to be) (?:run|executed))"
    r" (?:from|inside|within|in)(?: the)? `([\w./-]{1,100}?)/?`"
)
"""A statement of the folder that commands are for."""

_FOLDER_COMMENT = lazy_regex(r"(?:run )?(?:in|from|inside) (?:the )?`?([\w.-]+(?:/[\w.-]+)*)/?`?(?=[\s,;:)]|$)")
_CLONED = lazy_regex(r"\bgit clone (?:-\S+ )*\S{0,200}/([\w.-]{1,100}?)(?:\.git)?(?=\s|\Z)")


def cloned_names(text: str) -> list[str]:
    """Return the names of the repositories that a text clones."""
    return _CLONED.findall(text)


class CodeLine(NamedTuple):
    """A line of a fenced code block, without a prompt and a comment."""

    text: str
    folder: str
    """The folder to run it in, with a trailing slash; empty for the top."""
    block: Code
    lead: str
    """The line of prose above the block."""


def code_lines(text: str, areas: Container[str]) -> Iterator[CodeLine]:
    """Yield the lines of the fenced code blocks, in the folder that a `cd`, a comment or a sentence above names.

    `areas` are the folders of the repository, each with a trailing slash.
    """
    cloned = cloned_names(text)
    lead, stated, level = "", "", 0
    heading_level = 0
    for block in markdown_blocks(text, underlined_headings=True):
        if isinstance(block, Heading):
            lead, heading_level = "", block.level
            stated = stated if block.level > level else ""
        elif isinstance(block, Line):
            lead = block.text.strip() or lead
            named = _RUN_FROM.search(block.text)
            if named and f"{named[1]}/" in areas and not lead.endswith(":"):
                stated, level = f"{named[1]}/", heading_level
        elif block.is_closed:
            named = _RUN_FROM.search(lead)
            own = f"{named[1]}/" if named else ""
            yield from _lines_in_folders(block, lead, own if own in areas else stated, cloned, areas)
            lead = ""


def _lines_in_folders(
    block: Code, lead: str, folder: str, cloned: Sequence[str], areas: Container[str]
) -> Iterator[CodeLine]:
    """Yield a block's lines; a comment that names a folder also holds for the next lines with the same program."""
    program = inner = ""
    to_enter = set(cloned)
    for line in block.lines:
        text, _, comment = line.strip().removeprefix("$ ").removeprefix("> ").partition(" #")
        text = text.strip()
        if text.startswith("cd "):
            target = text[3:].strip().rstrip("/")
            is_clone = target in to_enter
            folder = "" if is_clone else _entered(folder, target + "/", areas)
            to_enter.discard(target)
            continue
        for name in cloned:  # a path from the folder above the clone
            if f"{name}/" not in areas:
                text = re.sub(rf"(?<=\s){re.escape(name)}/(?=\w)", "", text)
        named = _FOLDER_COMMENT.match(comment.strip())
        if named and f"{named[1]}/" in areas:
            program, inner = text.partition(" ")[0], f"{named[1]}/"
        elif text.partition(" ")[0] != program:
            inner = ""
        yield CodeLine(text, inner or folder, block, lead)


def _entered(folder: str, target: str, areas: Container[str]) -> str:
    """The folder after a `cd`; a folder that the repository lacks is its own clone, which is the top."""
    target = target.removeprefix("./")
    if target.startswith("../"):
        folder, target = "", target[3:]
    return next((path for path in (folder + target, target) if path in areas), "" if target else folder)


class WorkflowLine(NamedTuple):
    """A line of a workflow, and the folder that its step runs in."""

    text: str
    folder: str
    """With a trailing slash; empty for the top."""


MAX_DIRECTORIES = 200
"""Maximum number of `working-directory` entries read of a workflow: each may hold for all of its lines."""

_DIRECTORY = lazy_regex(r"\s*+(?:- )?working-directory:\s*+[\"']?([^\"'#]{1,200})")
_TOP = lazy_regex(r"(?:\$\{\{ ?github\.workspace ?\}\}|\$\{?GITHUB_WORKSPACE\}?)/?")


def workflow_lines(text: str, areas: Container[str]) -> Iterator[WorkflowLine]:
    """Yield the lines of a workflow that run in a known folder, by `working-directory` and by the `cd` above them.

    A folder that is not among `areas`, as one in a variable, is unknown.
    """
    lines = text.splitlines()
    columns = [_column_of(line) for line in lines]
    folders: list[str | None] = [""] * len(lines)
    stated = [(match, at) for at, line in enumerate(lines) if (match := _DIRECTORY.match(line))]
    blocks = [
        (_block(lines, columns, _scope_of(lines, columns, at)), match[1]) for match, at in stated[:MAX_DIRECTORIES]
    ]
    for block, target in sorted(blocks, key=lambda pair: -len(pair[0])):
        folder = _workflow_folder("", target, areas)
        for at in block:
            folders[at] = folder
    level, inside = -1, None
    for line, column, folder in zip(lines, columns, folders, strict=True):
        command = line[column:].rstrip() if column >= 0 else ""
        if 0 <= column < level:
            level = -1
        current = inside if level >= 0 else folder
        if command.startswith(("cd ", "pushd ")):
            inside = _workflow_folder(current, command.partition(" ")[2], areas)
            level = column
        elif current is not None and command:
            yield WorkflowLine(line.rstrip(), current)


def _column_of(line: str) -> int:
    """Return where a line's text begins, behind an item's dash; -1 for an empty line."""
    text = line.lstrip()
    return len(line) - len(text.removeprefix("- ")) if text else -1


def _scope_of(lines: Sequence[str], columns: Sequence[int], at: int) -> int:
    """The line whose block a `working-directory` holds for: its own, or the `defaults` that it belongs to."""
    parents = [at]
    while len(parents) < 3 and (parent := _parent(columns, parents[-1])) >= 0:
        parents.append(parent)
    is_default = [lines[parent].strip() for parent in parents[1:]] == ["run:", "defaults:"]
    return parents[-1] if is_default else at


def _parent(columns: Sequence[int], at: int) -> int:
    return next((above for above in range(at - 1, -1, -1) if 0 <= columns[above] < columns[at]), -1)


def _block(lines: Sequence[str], columns: Sequence[int], at: int) -> range:
    """The lines of the item or table that a line is an entry of."""

    def begins_item(number: int) -> bool:
        return columns[number] == columns[at] and lines[number].lstrip().startswith("- ")

    start, end = at, at + 1
    while start > 0 and not begins_item(start) and not 0 <= columns[start - 1] < columns[at]:
        start -= 1
    while end < len(lines) and not begins_item(end) and not 0 <= columns[end] < columns[at]:
        end += 1
    return range(start, end)


def _workflow_folder(folder: str | None, target: str, areas: Container[str]) -> str | None:
    """The folder that a step enters from another one; None if it is unknown."""
    named = target.strip().strip("\"'").rstrip("/")
    path, is_absolute = _TOP.subn("", f"{named}/", count=1)
    path = path.removeprefix("./")
    if path in ("", "/", "../", "-/"):
        return ""
    if folder is None and not is_absolute:
        return None
    return _entered("" if is_absolute else folder or "", path, areas) or None


def bullets(text: str) -> list[Line]:
    """Return the list items outside of code, each joined with its continuation lines, at its first line's number."""
    items: list[Line] = []
    last = 0
    for line in prose_lines(text):
        bullet = _BULLET.match(line.text)
        continues = line.number == last + 1 and line.text.startswith("  ")
        if bullet:
            items.append(line._replace(text=bullet[1]))
        elif continues and items and line.text.strip()[:1] not in ("", "-", "*", "+"):
            items[-1] = items[-1]._replace(text=f"{items[-1].text} {line.text.strip()}")
        else:
            continue
        last = line.number
    return items


def introduced_items(text: str) -> dict[int, list[Line]]:
    """Return the list items below each line that ends with a colon, by that line's number."""
    items = {item.number: item for item in bullets(text)}
    introduced: dict[int, list[Line]] = {}
    introduction = last = 0
    for line in prose_lines(text):
        stripped = line.text.strip()
        if line.number - last > MAX_GAP:  # code lies between, or a heading: that is what the line introduced
            introduction = 0
        last = line.number
        if stripped.endswith((":", "：")):
            introduction = line.number
        elif line.number in items and introduction:
            introduced.setdefault(introduction, []).append(items[line.number])
        elif stripped and not line.text.startswith("  "):
            introduction = 0
    return introduced


MAX_GAP = 2
"""Maximum distance of two lines of prose between which there is nothing but an empty line."""

_NOT_PROSE = lazy_regex(r"[-+|>#<\[!]|\*(?!\*[\w`])|\*\*[^*\n]{1,200}(?::\*\*|\*\*:)$|`{3}")
_BOLD_END = lazy_regex(r"(?<=[.!?])\*\*(?=\s|$)")
"""Marks behind the end of a sentence."""


def numbered_sentences(text: str) -> list[Line]:
    """Return the sentences of the paragraphs outside of lists, each at the number of the line it begins in."""
    paragraphs: list[list[Line]] = []
    for line in prose_lines(text):
        stripped = line.text.strip()
        if not stripped or _NOT_PROSE.match(stripped) or line.text.startswith(("  ", "\t")) or _BULLET.match(stripped):
            paragraphs.append([])
        elif paragraphs and paragraphs[-1] and line.number == paragraphs[-1][-1].number + 1:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return [sentence for paragraph in paragraphs for sentence in _split_sentences(paragraph)]


def _split_sentences(paragraph: Sequence[Line]) -> Iterator[Line]:
    opened: Line | None = None
    for line in paragraph:
        for part in split_at_full_stops(_BOLD_END.sub("", line.text.strip())):
            opened = line._replace(text=part) if opened is None else opened._replace(text=f"{opened.text} {part}")
            if part.endswith((".", "!", "?", "。", "！", "？")):
                yield opened
                opened = None
    if opened is not None:
        yield opened


def document_title(text: str) -> str:
    """Return the title: from the front matter, else the first heading; empty without one."""
    named = _TITLE_FIELD.search(split_front_matter(text).matter or "")
    if named:
        return named[1]
    blocks = markdown_blocks(text, underlined_headings=True)
    return next((block.title for block in blocks if isinstance(block, Heading)), "")


def outer_title(text: str) -> str:
    """Return the heading that a whole text stands under; empty if the first one is one section of several."""
    headings = [block for block in markdown_blocks(text, underlined_headings=True) if isinstance(block, Heading)]
    if not headings:
        return ""
    first = headings[0]
    is_alone = all(heading.level > first.level for heading in headings[1:])
    return first.title if first.level == 1 or is_alone else ""


class _Paragraph(NamedTuple):
    """A paragraph of prose and the nearest heading above it; empty above the first."""

    text: str
    heading: str


def introduction(text: str) -> str:
    """Return the paragraph that says what something is; else the first one under the title, which may be news.

    No address or rule, and nothing that only leads to a list or stands in a section such as "Installation".
    """
    text = _without_comments(split_front_matter(text).body)
    paragraphs = [
        paragraph
        for _, paragraph in zip(range(MAX_PARAGRAPHS), _paragraphs(text), strict=False)
        if not (_APPEAL.search(paragraph.text) or is_placeholder(paragraph.text) or STATES_RULE.match(paragraph.text))
    ]
    paragraphs[:0] = [paragraph for paragraph in _html_paragraphs(text) if not _APPEAL.search(paragraph.text)]
    defining = (paragraph.text for paragraph in paragraphs if _DEFINITION.search(paragraph.text))
    stated = next((paragraph for paragraph in defining if not _only_leads(paragraph)), "")
    if _is_bare_title(paragraphs):
        paragraphs = paragraphs[1:]
    return _without_lead_in(stated or next((first.text for first in paragraphs[:1] if _may_introduce(first, text)), ""))


def _without_comments(text: str) -> str:
    """Drop the comments in HTML, which may have empty lines; one that is not closed stays."""
    begin = text.find("<!--")
    while begin >= 0 and (end := text.find("-->", begin)) >= 0:
        text = text[:begin] + text[end + 3 :]
        begin = text.find("<!--", begin)
    return text


def _is_bare_title(paragraphs: Sequence[_Paragraph]) -> bool:
    """Whether the first of several paragraphs is the title of a text without headings: a few words, no sentence."""
    first = paragraphs[0] if len(paragraphs) > 1 and not (paragraphs[0].heading or paragraphs[1].heading) else None
    if first is None or first.text.endswith((".", "!", "?", ":", "。", "！", "？", "：")):
        return False
    return len(first.text.split()) < MIN_WORDS and not _is_address(first.text)


def _without_lead_in(text: str) -> str:
    """Drop a last sentence that only leads to the list or code below the paragraph."""
    parts = list(split_at_full_stops(text)) if text.endswith((":", "：")) else []
    return text[: -len(parts[-1])].rstrip() if len(parts) > 1 else text


def _html_paragraphs(text: str) -> Iterator[_Paragraph]:
    """Yield the paragraphs and subtitles in HTML at the top of a text, which many pages have in the middle of a line.

    Those with links or pictures in them are badges and menus.
    """
    for match in _HTML_PARAGRAPH.finditer(text[:MAX_HTML_CHARACTERS]):
        words = re.sub(r"\s+", " ", match[2]).strip()
        if len(_WORD.findall(words)) >= MIN_WORDS:
            yield _Paragraph(words, "")


MAX_HTML_CHARACTERS = 4_000
_HTML_PARAGRAPH = lazy_regex(r"(?i)<(p|h[2-6])\b[^<>]{0,200}>([^<>]{10,600})</\1>")


def _may_introduce(paragraph: _Paragraph, text: str) -> bool:
    """Whether the first paragraph of a text is about the whole, and no address."""
    headings = (block.title for block in markdown_blocks(text, underlined_headings=True) if isinstance(block, Heading))
    is_under_title = paragraph.heading in ("", next(headings, ""))
    is_about_all = is_under_title or _ABOUT_HEADING.search(paragraph.heading) is not None
    is_instruction = _COMMAND_FIRST.match(paragraph.text) is not None
    return is_about_all and not (_only_leads(paragraph.text) or is_instruction or _is_address(paragraph.text))


def _only_leads(text: str) -> bool:
    """Whether a paragraph is a short sentence with a colon, which says nothing without what follows."""
    is_short = len(text.encode("utf-8", "surrogatepass")) < MAX_LEAD_IN and ". " not in text
    return is_short and text.endswith((":", "："))


_COMMAND_FIRST = lazy_regex(
    r"\$ \S|`[^`\s]{1,60}\s[^`]{1,200}`,? (?:to|will|starts?|runs?|builds?|generates?|creates?)\b"
)
"""A paragraph that begins with a command: the instruction of a list of these."""

MAX_LEAD_IN = 60
"""Bytes below which a paragraph with a colon only leads to what follows: "To start the server:"."""


_ABOUT_HEADING = lazy_regex(
    r"(?i)about|overview|introduc|what (?:is|it)|what['’]s this|summary|descri|abstract|purpose|readme|project$|goals?$"
    r"|über|einleitung|beschreibung|sobre|propos|présentation|visão geral|panoramica|overzicht|описание|о проекте"
    r"|概要|简介|介绍|概述|概覽|簡介|はじめに"
)
"""Headings of sections that say what the whole is."""


def is_placeholder(text: str) -> bool:
    """Whether a description is the one that a tool wrote into a new project."""
    return _PLACEHOLDER.match(text) is not None


def _is_address(paragraph: str) -> bool:
    """Whether a paragraph says hardly more than where something is."""
    rest, count = _ADDRESS.subn(" ", paragraph)
    return count > 0 and len(_WORD.findall(rest)) < MIN_WORDS


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    """Yield the prose: no headings, badges, pictures, tables, quotes or code, nothing indented."""
    paragraph: list[str] = []
    heading = ""
    last = 0
    other = is_in_directive = False
    for line in prose_lines(text):
        stripped = line.text.strip()
        is_in_directive = (is_in_directive and line.text[:1] in ("", " ", "\t")) or (
            stripped.startswith("..") and "::" in stripped
        )
        begins_otherwise = (
            line.text.startswith("    ") or stripped.startswith(_NON_PROSE_PREFIXES) or bool(_BULLET.match(line.text))
        )
        other = bool(stripped) and (
            begins_otherwise or other
        )  # the continuation of a field or a quote is not prose either
        is_prose = bool(stripped) and not (other or is_in_directive)
        if paragraph and not (is_prose and line.number == last + 1):
            yield from _as_paragraph(paragraph, heading)
            paragraph = []
        if is_prose:
            heading = line.headings[-1] if line.headings else ""
            paragraph.append(stripped)
            last = line.number
    if paragraph:
        yield from _as_paragraph(paragraph, heading)


def _as_paragraph(lines: Sequence[str], heading: str) -> Iterator[_Paragraph]:
    """Yield the paragraph of some lines, unless they are a menu: several links without a word between them."""
    text = " ".join(lines)
    rest, links = _LINK.subn(" ", text)
    if links < MIN_LINKS or _WORD.search(rest) is not None:
        yield _Paragraph(_SHORT_LINK.sub(r"\1", plain(text)), heading)


MIN_LINKS = 2
"""Number of links alone in a paragraph from which it is a menu."""


def plain(text: str) -> str:
    """Drop the addresses of links with a text, tags and bold marks, which are noise in plain text; code stays."""
    return _MARKUP.sub(
        lambda mark: mark[1] or mark[2] or "", _LINK.sub(lambda link: link[1] or link[2] or "", text)
    ).strip()


def normalize(text: str) -> str:
    """Return a text without marks, repeated spaces and case: two texts that are equal after this say the same."""
    return re.sub(r"[\s*_`\"']+", " ", text.casefold()).strip(" .;:!")
