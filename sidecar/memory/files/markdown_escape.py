"""Texts and titles as they stand in a memory file, and back: every text reads back byte for byte. Pure.

A text can neither turn its file into a group, nor begin another entry, nor hide those that follow: a comment at the
start of a line is written `&lt;!--`, and a `##` heading or an unclosed code fence in a group has a backslash before it.
White space with which a text begins or ends is written as a character reference, such as `&#10;`, since the blank lines
of the file around a text are not part of it. What already looks escaped is escaped once more.
"""

import re

from sidecar.core.lazy_regex import lazy_regex

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
