"""A file's purpose in one line: from its own description, its first definition's comment, or its definitions.

Also the purpose and comment of a definition, and its description in a README.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from sidecar.codebase.files import is_test
from sidecar.codebase.summary.languages import language_of, strip_comment
from sidecar.codebase.summary.model import DOCSTRING, PROSE, Definition, Language
from sidecar.codebase.summary.pattern_languages import MARKUP, cell_texts
from sidecar.core.clean_text import clip_at_word, without_emphasis, without_links
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import STATES_RULE, up_to_full_stop

MAX_PURPOSE = 160
MAX_COMMENT_CHARACTERS = 800

_HEAD_LINES = 80
_HEAD_OF_DEFINITION = 60
"""Maximum lines of a definition's head: each parameter may have its own."""

_COMMENT_LINES = 400
"""Maximum lines of a definition's comment: its purpose is at the top, above its parameters and examples."""

_DOC_LINES = 40
_MAX_LISTED = 6
_TYPES = frozenset(("class", "struct", "interface", "trait", "protocol", "enum", "record", "object", "module", "type"))
_MARKUP = ("#", "<", "[", "!", "---", "===", "///", "..", ":", "|")
_LINKED_PROSE = lazy_regex(r"\[[^\[\]!]{1,120}\](?:\([^()\s]{0,300}\)|\[[^\[\]]{0,80}\])")
_LINKED_SUBJECT = lazy_regex(_LINKED_PROSE.pattern + r"\s(?:is|are|provides|contains|implements|lets|helps)\b")
"""The link with which a paragraph's line begins, or a whole paragraph."""
_RAW_HTML = ("<style", "<script", "</style", "</script")
_FENCES = ("```", "~~~")
_DIRECTIVES = (
    "#!",
    "# -*-",
    "#:",
    "#pragma",
    "#include",
    "#ifndef",
    "#if",
    "#define",
    "#endif",
    "#[",
    "//go:",
    "/// <reference",
    "/// <amd-",
    "// +build",
    "#![",
)
_PREAMBLE = ("<?php", "'use", '"use', "#")
_OPENING = lazy_regex(r"^(?:/\*+!?|//[/!]?|\*+(?!/)|#+'?|--+(?:\s?\|)?|;+|<!--|%+|\(\*+)\s?")
_CLOSING = lazy_regex(r"(?<!\s)\s*+(?:(?<!\*)\*++/|-->|\*\)|\"\"\"|''')\s*$")
_TAG = lazy_regex(
    r"^@(?:file|fileoverview|fileOverview|module|overview|packageDocumentation|brief|desc\w*|dev|notice|title)\b\s*"
)
_OTHER_TAG = lazy_regex(r"^(?:[@\\]\w|:\w+)")
_LINE_CHARACTERS = 1_000
"""Number of characters of a line that are searched for a comment before a name."""

_COMMENT_BEFORE = lazy_regex(r"/\*\*((?:[^*]|\*(?!/))*+)\*/[\s\w$.*#\"']*$")
"""A comment before a name on one line, with keywords and `exports.` between."""

_VERSION_MARK = lazy_regex(
    r"\$(?:Id|Header|Revision|Date|Author|Source|Log|Name|HeadURL|LastChanged\w{2,8}|(?:Open|Net|Free)BSD)(?::[^$\n]{0,300})?\$"
)
"""A mark that a version control system fills in: RCS, CVS or Subversion."""

_RULER = lazy_regex(r"^[\s*=#~/_.:;|+-]*$")
_LINK = lazy_regex(r"!?\[([^\[\]\n]{0,200})\](?:\([^()\s]{0,300}\)|\[[^\[\]\n]{0,80}\])")
_LIST_ITEM = lazy_regex(r"(?:[-*+•]|\d{1,3}[.)])(?:\s|$)")
_NUMBERED_ITEM = lazy_regex(r"\d{1,3}[.)]\s")
_TORN_LINK = lazy_regex(r"[^\[\]()]{0,80}\]\(")
"""The second line of a badge."""
_IMAGE = lazy_regex(r"!\[[^\[\]\n]{0,200}\]\([^()\s]{0,300}\)")
_ADDRESS = lazy_regex(r"<[^<>]{1,300}>|\bhttps?://[^\s<>]{1,300}")
_WEB_ADDRESS = lazy_regex(r"\bhttps?://[^\s<>\[\]()]{1,300}")
_PROSE_LINES = 8
_MODULE_TEXT = lazy_regex(r"\s*+@moduledoc\s++(?:~[sS])?(\"\"\"|\")")
_FIRST_CELLS = 3
_MIN_PROSE_WORDS = 3
"""Number of words of a paragraph's first sentence that can be what a document is about."""
_ATTRIBUTE = lazy_regex(r"[\w-]+=[\"']")
"""Start of a line inside a tag that spans several lines."""
_XML = lazy_regex(
    r"\{@(?:template|endtemplate|macro)\b[^{}]{0,80}\}|</?(?:summary|remarks|para|p|code|b|i|em|strong|c)\b[^<>]{0,80}>|\{@\w{1,20}\s+([^{}]{0,100})\}"
)
_ASIDE = lazy_regex(
    r"(?i)(?:examples?\b|>>>|```|@example|\.\. (?:code|version|deprecated)|(?:version|changed|added) ?\w* in\b)"
)
_TAGGED = lazy_regex(r"[@:\\]\w+(?: \{[^{}]{0,80}\})?|``?")
_CODE = lazy_regex(r"[\w.]+(?:\(| [:+]?=[ >])|(?:from|import|const|let|var|return|await) \S+ ?[=({]")
_NOTE = lazy_regex(r"(?i)\W{0,8}(?:\w{1,20}+ )?(?:note|warning|caution|important|tip|deprecat\w{1,12}|attention)\b\W")
_TEST = lazy_regex(r"(?i)test")
_CREATED = lazy_regex(r"Created by .{1,80} on \d")
"""A line that development environments write at the top of a new file."""
_COMMENTS = ("//", "#", "/*", "*", "--")
_MAX_LINE = 2_000
_BLOCK_STARTS = ("#", "|", "<", "![", ">", *_FENCES)
_NAMED_ITEM = lazy_regex(r"\s{0,8}[-*+]\s+(?=[\[*_`\w$])")
_HEADING = lazy_regex(r"#{2,6}\s+")
_DASH = lazy_regex(r":\s|\s[—–]\s|\s--?\s")
_NAME = lazy_regex(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_REFERENCE = lazy_regex(r"\[([^\[\]\n]{1,200})\](?:\[[^\[\]\n]{0,80}\])?")
_HTML_TAG = lazy_regex(r"<[^<>]{1,80}>")
MIN_DESCRIPTION_WORDS = 2
"""Number of words of a description in a README; fewer are a type or a default value."""

_SPACES = lazy_regex(r"\s+")
_NOT_A_PURPOSE = lazy_regex(
    r"(?i)(?:copyright|\W*licen[sc]ed?\b|the mit license|apache license|spdx|@license|eslint|prettier|ts-|@ts|@flow"
    r"|@jsx|@vitest|@jest|istanbul|noinspection|nolint|type:\s*ignore|pylint|flake8|ruff|vim:|\(c\)|©"
    r"|ignore(?:_for_file)?:|resharper|luacheck|shellcheck|solhint|credo:|swiftlint|tflint|sqlfluff|checkov|cspell|rubocop:"
    r"|all rights reserved|use of this source|redistribution|this (?:file|source code) is (?:part|licensed|subject)"
    r"|(?:source|origin(?:al)?|from|see|ref(?:erence)?s?|credits?|adapted from|based on|taken from)\b:? ?<?https?://"
    r"|(?:exit|fail|stop|abort|bail(?: out)?|die|quit)s? (?:(?:immediately|early|script) ){0,2}"
    r"(?:on|if|in case of|when)\b.{0,40}\b(?:error|fail)"
    r"|table of contents|generated by|(?:minimum )?typescript version|author|frozen_string_literal|encoding[:=]"
    r"|\W{0,6}(?:(?:warning|hack|danger|caution|beware|todo|fixme|xxx)\W{0,3}[:!—(]|(?-i:WARNING|DANGER|CAUTION|BEWARE)\b"
    r"|beware of\b|(?:please )?(?:do not|don['’]t) (?-i:[a-z]))"
    r"|typed: (?:true|false|ignore|strict|strong)\b"
    r"|(?-i:(?:Create|Alter|Drop|Add|Rename|Redefine)(?:Table|Index|Enum|ForeignKey|PrimaryKey|View|Column)s?\b)"
    r"|import\b|global|module (?:dependencies|exports|variables)\b"
    r"|(?:external|internal|local|other|standard|third[- ]party) (?:dependencies|imports|libraries|modules|packages)\b)"
)

_STATES_NOTHING = lazy_regex(
    r"(?i)(?:create|alter|drop|insert) (?:(?:the|an?) )?\w+$|(?:hi|hello|hey)\b[,!]"
    r"|(?:for \b[^.]{1,60}, )?(?:please )?(?:see|refer to) (?:also )?(?:the )?\[?`?[\w:./#-]{1,80}`?\]?\.?$"
    r"|(?:results?|values?|usage|options?|arguments?|returns?|param(?:eter)?s|inputs?|outputs?|examples?|requires?|steps?)"
    r"\s?:"
)
"""A comment at a file's top that is about the next statement, or only greets, refers or lists."""

_INSTRUCTION = lazy_regex(
    r"(?i)if you |(?:in order )?to (?:run|start|stop|build|install|set ?up|deploy|get started)\b|make sure\b|please\b"
    r"|(?:run|start|stop|install|clone|download|edit|rename|copy|open|execute|follow|click|launch) "
    r"(?:(?:the|this|these|it)\b|`)|`[^`\s]{1,60} [^`]{1,200}`,? to\b"
)
"""A first sentence that tells what to do instead of what something is; what follows it does so too."""


_CHANGELOG = lazy_regex(r"(?i)(?:^|/)(?:change[-_ ]?logs?|changes|history|news|release[-_ ]?notes)(?:\.\w{2,4})?$")
_RELEASE = lazy_regex(r"(?i)\W{0,6}(?:(?:version |release )?\[?v?\d{1,4}[.-]\d|unreleased\b)")


def is_changelog(path: str) -> bool:
    """Whether a file lists the changes of each release."""
    return _CHANGELOG.search(path) is not None


def changelog_purpose(lines: Sequence[str], language: Language | None) -> str:
    """Return what a changelog says about itself above its first release."""
    return file_purpose([*takewhile(lambda line: not _RELEASE.match(line), lines[:_HEAD_LINES])], language)


def file_purpose(lines: Sequence[str], language: Language | None) -> str:
    """Return the first sentence of a module's docstring, leading comment or first paragraph; empty if there is none."""
    comment = language.comment if language else "#"
    if comment == DOCSTRING:
        return _module_docstring(lines)
    if comment == PROSE:
        sentence = next((sentence for paragraph in _paragraphs(lines) if (sentence := _about_document(paragraph))), "")
        return "" if _INSTRUCTION.match(sentence) else sentence
    if language is not None and language.quotes and (stated := _module_text(lines)):
        return stated
    for block in _leading_comments(lines[:_HEAD_LINES], comment):
        text = " ".join(block)[:200].strip()
        if text and not (_NOT_A_PURPOSE.match(text) or _STATES_NOTHING.match(text) or _is_licence(block)):
            sentence = _first_sentence(block)
            return sentence if " " in sentence or not sentence.isascii() else ""
    return ""


def _module_text(lines: Sequence[str]) -> str:
    """Return the first sentence of the text that an Elixir module has in its body."""
    for number, line in enumerate(lines[:_HEAD_LINES]):
        match = _MODULE_TEXT.match(line)
        if match is not None:
            text = _docstring(lines, number, match[1], match.end() - len(line) + len(line.lstrip()))
            return _first_sentence(text)
    return ""


def notebook_purpose(lines: Sequence[str], cells: Sequence[Definition]) -> str:
    """Return the first sentence of a notebook's first texts, else its title."""
    texts = [text for cell in cells[:_FIRST_CELLS] for text in ["", *cell_texts(lines[cell.line - 1 : cell.end_line])]]
    sentences = (_about_document(paragraph) for paragraph in _paragraphs(texts))
    return next(filter(None, sentences), "") or (cells[0].name if cells else "")


def _is_licence(block: Sequence[str]) -> bool:
    """Whether a comment is a project's name above its copyright, or says which file it is in and who created it."""
    filled = [text for text in block if text]
    if len(filled) < 2 or " " in filled[0]:
        return False
    return _NOT_A_PURPOSE.match(filled[1]) is not None or any(map(_CREATED.match, filled[1:4]))


def main_definition_purpose(
    path: str, lines: Sequence[str], language: Language | None, definitions: Sequence[Definition]
) -> str:
    """Return the comment of the file's main definition, if there is one.

    That is the one the file is named after, else one that makes up two thirds of all public code.
    """
    for definition in _main_definitions(path, definitions):
        sentence = _first_sentence(_definition_comment(lines, definition.line - 1, language))
        if (
            len(sentence) > len(definition.name) + 8
            and not _NOT_A_PURPOSE.match(sentence)
            and not _CODE.match(sentence)
        ):
            names_itself = sentence.lower().startswith((definition.name.lower(), f"`{definition.name.lower()}"))
            return (sentence if names_itself else f"{definition.name}: {sentence}")[:MAX_PURPOSE]
    return ""


def _main_definitions(path: str, definitions: Sequence[Definition]) -> list[Definition]:
    """Return the candidates for a file's main definition, most likely first; none among many tests."""
    public = [definition for definition in definitions if definition.public and not definition.container]
    stem = _letters(path.rpartition("/")[2].partition(".")[0])
    same_name = [definition for definition in public if stem and _letters(definition.name) == stem]
    most = sum(map(_length, public)) * 2 / 3
    large = [definition for definition in public if _length(definition) >= most] if not is_test(path) else []
    return [*sorted(same_name, key=lambda definition: (definition.kind not in _TYPES, definition.line)), *large]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _length(definition: Definition) -> int:
    return max(definition.end_line - definition.line, 0) + 1


def definition_purpose(lines: Sequence[str], definition: Definition, path: str) -> str:
    """Return the first sentence of a definition's docstring or comment; empty if there is none."""
    sentence = _first_sentence(_comment_of(lines, definition, path))
    return "" if _NOT_A_PURPOSE.match(sentence) else sentence


def definition_comment(lines: Sequence[str], definition: Definition, path: str) -> str:
    """Return a definition's docstring or comment, limited in length, without examples and history."""
    return _clean_comment(_comment_of(lines, definition, path))


def _comment_of(lines: Sequence[str], definition: Definition, path: str) -> list[str]:
    """Return the lines of a definition's docstring or comment: before it on its own line, else around it.

    What is above the line of a whole class is not about its members.
    """
    line = lines[definition.line - 1][:_LINE_CHARACTERS] if definition.line <= len(lines) else ""
    before = _before_name(line, definition.name)
    opening = before.rfind("/**")
    comment = _COMMENT_BEFORE.match(before, opening) if opening >= 0 else None
    if comment is not None:
        return [comment[1].strip()]
    class_name = definition.container.rpartition(".")[2]
    is_inside = bool(class_name) and "{" in before and class_name in before
    return [] if is_inside else _definition_comment(lines, definition.line - 1, language_of(path))


def _before_name(line: str, name: str) -> str:
    """Return what a line has before a name that is not in a comment."""
    at = line.find(name)
    while at > 0 and line.count("/*", 0, at) > line.count("*/", 0, at):
        at = line.find(name, at + 1)
    return line[: max(at, 0)]


def comment_text(lines: Sequence[str]) -> str:
    """Return the text of a file's whole-line comments; at most `MAX_COMMENT_CHARACTERS` characters."""
    stripped = (line.strip() for line in lines)
    return _clean_comment(
        [_strip_markers(text) for text in stripped if text.startswith(_COMMENTS) and not text.startswith(_DIRECTIVES)]
    )


def _clean_comment(block: Sequence[str]) -> str:
    lines_: list[str] = []
    for line in block:
        if _ASIDE.match(line):
            break
        if not _NOT_A_PURPOSE.match(line) and not _RULER.match(line):
            lines_.append(_TAGGED.sub(" ", _XML.sub(r"\1", _WEB_ADDRESS.sub(" ", line))))
    return _SPACES.sub(" ", " ".join(lines_))[:MAX_COMMENT_CHARACTERS]


def derived_purpose(path: str, definitions: Sequence[Definition], imports: Sequence[str]) -> str:
    """Derive a purpose from the file's definitions, or from what it re-exports."""
    tests = [
        definition
        for definition in definitions
        if definition.kind == "test" or (is_test(path) and _is_test_function(definition))
    ]
    shown = [
        definition
        for definition in definitions
        if definition.public and not definition.container and definition.kind != "test"
    ]
    if tests and (is_test(path) or not shown):
        return _list_names("Tests:", tests)
    listed = shown or [definition for definition in definitions if definition.kind != MARKUP]
    if listed:
        language = language_of(path)
        is_prose = language is not None and language.comment == PROSE
        return _list_names(
            "Sections:" if is_prose else "Defines",
            sorted(listed, key=lambda definition: (-_length(definition), definition.line)),
        )
    stem = path.rpartition("/")[2].split(".")[0]
    if imports and stem in ("index", "__init__", "mod", "lib", "main"):
        return f"Re-exports {', '.join(imports[:_MAX_LISTED])}"[:MAX_PURPOSE]
    return ""


def _is_test_function(definition: Definition) -> bool:
    return definition.kind in ("function", "method") and bool(_TEST.match(definition.name))


def _list_names(verb: str, definitions: Sequence[Definition]) -> str:
    names = list(dict.fromkeys(definition.name for definition in definitions))
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return f"{verb} {', '.join(names[:_MAX_LISTED])}"[: MAX_PURPOSE - len(more)] + more


def _module_docstring(lines: Sequence[str]) -> str:
    for number, line in enumerate(lines[:_HEAD_LINES]):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = re.match(r"[rRuU]?(\"\"\"|'''|\"|')", text)
        return _first_sentence(_below_title(_docstring(lines, number, match[1], match.end()))) if match else ""
    return ""


def _below_title(text_lines: list[str]) -> list[str]:
    """Drop an underlined title that is a module's name: its path says the same."""
    filled = [text for text in text_lines if text]
    is_title = len(filled) > 2 and " " not in filled[0] and len(filled[1]) > 2 and _RULER.match(filled[1]) is not None
    return text_lines[text_lines.index(filled[1]) + 1 :] if is_title else text_lines


def _docstring(lines: Sequence[str], index: int, quote: str, start: int) -> list[str]:
    """Return the lines of a docstring that starts in a line, without the quotes."""
    text_lines: list[str] = []
    for line in (lines[index].strip()[start:], *(line.strip() for line in lines[index + 1 : index + _DOC_LINES])):
        text, closed, _ = line.partition(quote)
        text_lines.append(_VERSION_MARK.sub("", text).strip())
        if closed:
            break
    return text_lines


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the first paragraphs that are no heading, badge, list, markup or code."""
    paragraph: list[str] = []
    inside = in_directive = in_list = in_aside = False
    for line in lines[: _HEAD_LINES * 2]:
        text = line.strip()
        if text.startswith(_RAW_HTML):
            in_aside = "</" not in text
        elif text.startswith("///"):  # the start or the end of a block of Markdown
            in_aside = _NOTE.match(f"{text} ") is not None
        if text and not line[0].isspace():
            in_directive = text.startswith(".. ")
        fenced = text.startswith(_FENCES)
        if fenced or (text == "---" and (inside or line is lines[0])):
            inside = not inside
        in_list = bool(text) and (in_list or _LIST_ITEM.match(text) is not None)
        if (
            not (inside or fenced or in_directive or in_list or in_aside)
            and text
            and (not text.startswith(_MARKUP) or (_LINKED_PROSE if paragraph else _LINKED_SUBJECT).match(text))
            and not (_RULER.match(text) or _ATTRIBUTE.match(text) or _TORN_LINK.match(text) or text.count(" | ") > 1)
        ):
            paragraph.append(text.lstrip("> "))
        elif paragraph:
            yield paragraph
            paragraph = []
    yield paragraph


def _about_document(paragraph: Sequence[str]) -> str:
    """Return a paragraph's first sentence, links as their texts; empty for a note, a rule or an introduction."""
    if not paragraph or any(each.match(paragraph[0]) for each in (_NOTE, STATES_RULE)) or _only_introduces(paragraph):
        return ""
    text = without_emphasis(_LINK.sub(r"\1", _IMAGE.sub("", " ".join(paragraph[:_PROSE_LINES]))))
    sentence = _first_sentence([text])
    is_short = len(_ADDRESS.sub("", sentence).split()) < _MIN_PROSE_WORDS and sentence.isascii()
    return "" if is_short or _NOT_A_PURPOSE.match(sentence) else sentence


def _only_introduces(paragraph: Sequence[str]) -> bool:
    """Whether a paragraph is one sentence that introduces what follows."""
    text = " ".join(paragraph)
    return text.endswith(":") and up_to_full_stop(text) == text


def _leading_comments(lines: Sequence[str], comment: str) -> Iterator[list[str]]:
    """Yield the comment blocks before the code starts."""
    comment_lines: list[str] = []
    inside = False
    for line in lines:
        text = line.strip()
        if inside or text.startswith(("/*", "<!--")) or (text.startswith(comment) and not text.startswith(_DIRECTIVES)):
            inside = (inside or text.startswith(("/*", "<!--"))) and "*/" not in text and "-->" not in text
            comment_lines.append(_strip_markers(text))
        elif not text or text.startswith(_DIRECTIVES) or text.startswith(_PREAMBLE):
            yield comment_lines
            comment_lines = []
        else:
            break
    yield comment_lines


def _strip_markers(text: str) -> str:
    return _VERSION_MARK.sub("", _OPENING.sub("", _CLOSING.sub("", text))).strip()


def _definition_comment(lines: Sequence[str], index: int, language: Language | None) -> list[str]:
    """Return the comment above a definition, or the docstring below its head."""
    if language is not None and language.comment == DOCSTRING:
        return _docstring_below(lines, index)
    row = index - 1
    while row >= 0 and lines[row].strip().startswith(("@", "#[", "[", "template")):
        row -= 1
    if row > 0 and not lines[row].strip() and lines[row - 1].strip().endswith("*/"):
        row -= 1  # some styles leave an empty line below it
    if row > 0 and lines[row].strip() == '"""':
        return _text_above(lines, row)
    start = _block_start(lines, row)
    if start is not None:
        return [_strip_markers(line.strip()) for line in lines[start : row + 1]]
    comment_lines: list[str] = []
    while row >= 0 and index - row <= _COMMENT_LINES:
        text = lines[row].strip()
        if not text.startswith(_COMMENTS) or text.startswith(_DIRECTIVES):
            break
        comment_lines.append(_strip_markers(text))
        if text.startswith("/*"):
            break
        row -= 1
    return comment_lines[::-1]


def _block_start(lines: Sequence[str], last: int) -> int | None:
    """Return the row where the block comment starts that ends in a row, with or without markers between; else None."""
    text = lines[last].strip() if last >= 0 else ""
    if not text.endswith("*/") or text.startswith(("//", "#", "--")):
        return None
    for row in range(last, max(-1, last - _COMMENT_LINES), -1):
        if "/*" in lines[row]:
            return row if lines[row].lstrip().startswith("/*") else None
    return None


def _text_above(lines: Sequence[str], last: int) -> list[str]:
    """Return the text in quotes that ends in a line, as Elixir and Julia have it above a definition."""
    for row in range(last - 1, max(-1, last - _HEAD_LINES), -1):
        text = lines[row].strip()
        if text.endswith('"""'):
            is_text = text == '"""' or text.startswith("@doc")
            return [line.strip() for line in lines[row + 1 : last]] if is_text else []
    return []


def _docstring_below(lines: Sequence[str], index: int) -> list[str]:
    for row in range(index, min(index + _HEAD_OF_DEFINITION, len(lines) - 1)):
        if lines[row].rstrip().endswith(":"):
            match = re.match(r"[rRuU]?(\"\"\"|''')", lines[row + 1].strip())
            return _docstring(lines, row + 1, match[1], match.end()) if match else []
    return []


def _first_sentence(block: Sequence[str]) -> str:
    text_lines: list[str] = []
    for line in block:
        text = _XML.sub(r"\1", _TAG.sub("", line)).strip()
        ends = text_lines and (not text or _RULER.match(text) or _NUMBERED_ITEM.match(text))
        if _OTHER_TAG.match(text) or ends:
            if text_lines:
                break
            continue
        if text and not _RULER.match(text):
            text_lines.append(text)
        if len(text_lines) > 4:
            break
    text = _SPACES.sub(" ", strip_comment(" ".join(text_lines))).strip("*/#\"' ")
    return clip_at_word(up_to_full_stop(text).rstrip(":"), MAX_PURPOSE)


class Description(NamedTuple):
    """The text of a README about a name."""

    name: str
    text: str


def descriptions_in(lines: Sequence[str]) -> list[Description]:
    """Return the descriptions of names in a README, the first one of each, in order.

    They are rows of a table, items of a list and paragraphs below a heading. Many packages describe their functions
    only there: `isEmail(str)` | check if the string is an email.
    """
    descriptions: dict[str, Description] = {}
    fenced = False
    for number, line in enumerate(lines):
        if line.lstrip().startswith(_FENCES):
            fenced = not fenced
        elif not fenced and len(line) <= _MAX_LINE:
            for description in _described(line, lines, number):
                descriptions.setdefault(description.name, description)
    return list(descriptions.values())


def _described(line: str, lines: Sequence[str], number: int) -> Iterator[Description]:
    item, heading = _NAMED_ITEM.match(line), _HEADING.match(line)
    if heading is not None:
        name, text = line[heading.end() :], " ".join(_paragraph_below(lines, number + 1))
    elif item is not None:
        dash = _DASH.search(line, item.end())
        end, start = dash.span() if dash is not None else (len(line), len(line))
        name, text = line[item.end() : end], " ".join((line[start:], *_continuation(lines, number + 1)))
    elif "|" in line:
        name, *cells = line.strip().strip("|").split("|")
        text = max(cells, key=len, default="")
    else:
        return
    plain_name, plain_text = _plain_name(name), _plain_text(text)
    if plain_name and len(plain_text.split()) >= MIN_DESCRIPTION_WORDS:
        yield Description(plain_name, plain_text)


def _paragraph_below(lines: Sequence[str], start: int) -> Iterator[str]:
    """Yield the lines of the paragraph below a heading, if one follows it."""
    is_started = False
    for line in lines[start : start + 20]:
        text = line.strip()
        if (not text and is_started) or text.startswith(_BLOCK_STARTS) or _NAMED_ITEM.match(line):
            return
        is_started = is_started or bool(text)
        yield text


def _continuation(lines: Sequence[str], start: int) -> Iterator[str]:
    """Yield the indented lines that continue an item of a list."""
    for line in lines[start : start + 20]:
        if not line.startswith("  ") or not line.strip() or _NAMED_ITEM.match(line):
            return
        yield line.strip()


def _plain_name(text: str) -> str:
    """Return the name in a heading or a cell, without markup and parameters; empty if it is not a name alone."""
    name = _REFERENCE.sub(r"\1", without_links(text)).strip(" *_`").partition("(")[0].strip(" *`")
    return name if _NAME.fullmatch(name) else ""


def _plain_text(text: str) -> str:
    words = without_emphasis(_HTML_TAG.sub(" ", _REFERENCE.sub(r"\1", without_links(text)))).replace("`", "")
    return _SPACES.sub(" ", words).strip()[:MAX_COMMENT_CHARACTERS]
