"""The parts of a prompt: its prose, and the frames, places, hunks and names in what is pasted into it. Pure."""

from bisect import bisect
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from sidecar.codebase.search.mentioned_files import INSTALLED, STANDARD, path_in_package
from sidecar.codebase.search.query import EXAMPLE_WORDS, names_in_code, wants_tests
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import query_terms, stem

LONG_WORDS = 60
"""A prompt with more words than this, or with a fenced block, is also searched by its first line and by its prose."""

HUNK_CONTEXT = 3
"""Number of unchanged lines with which a diff's hunk begins."""

_FENCE = lazy_regex(r"(?ms)^\s{0,80}+(?:```|~~~).*?(?:^[^\S\n]*+(?:```|~~~)\s*$|\Z)")

_CODE_LINE = lazy_regex(r"^(?: {4}|\t|>>>|\.\.\. |\+\+\+ |--- |@@ )")

_PYTHON_FRAME = lazy_regex(r"File \"([^\"\n]{1,300})\", line (\d+)(?:, in ([\w<>.]+))?")

_PYTEST_FRAME = lazy_regex(r"(?m)^([\w./\\-]+\.\w{1,5}):(\d+):(?: in (\w+)|(?: \w+(?:Error|Exception)?)?[ \t]*$)")

_FILE_URL = r"(?:file://(?:/(?=[A-Za-z]:))?)?"

_CALL_FRAME = lazy_regex(
    r"\bat (?:async )?([\w$.<>]+) ?\(" + _FILE_URL
    + r"([^\s():]*[\w$-]\.\w{1,6}|[A-Za-z]:[^():\n]{1,300}[\w$-]\.\w{1,6}):(\d+)"
)  # fmt: skip

_PLAIN_FRAME = lazy_regex(
    r"(?:^|[\s(])" + _FILE_URL
    + r"((?:[A-Za-z]:)?[/\\]?(?:[\w.@%-]+[/\\])*[\w.@-]+\.(?:[a-z]{1,5}|psm?1)):(?:line )?(\d+)\b"
)  # fmt: skip

_PLACE = r"(?<![\w.@/\\-])((?:[A-Za-z]:)?[/\\]?(?:[\w.@-]{1,80}[/\\]){0,20}[\w.@-]{1,80}\.[A-Za-z]{1,5})"

_BRACKET_FRAME = lazy_regex(_PLACE + r":?[(\[](\d+)(?:,\d+)?[)\]](?:: (?:[\w\\]+(?:->|::))?(\w+)\()?")

_ON_LINE_FRAME = lazy_regex(_PLACE + r"(?::| on)?,? line (\d+)\b")

_RUBY_FRAME = lazy_regex(_PLACE + r":(\d+):in [`'](?:[\w:]+[#.])?(\w+)")

_LISTED_FILE = lazy_regex(r"\s{0,4}" + _PLACE + r"\s*")

_LISTED_PLACE = lazy_regex(r"\s*(\d+):\d+\s+(?:(?:[Ee]rror|[Ww]arning)\b|[✖×⚠])")

_CAUSE = lazy_regex(r"(?m)^[ \t]*(?:Caused by:|\[cause\]:)")
"""The line above the trace of what caused the error before it."""

_DIFF_FILE = lazy_regex(r"\+\+\+ (?:b/)?(\S+)")

_OLD_FILE = lazy_regex(r"--- (?:a/)?(\S+)")

_HUNK = lazy_regex(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@(?:.*?\b(\w++)\s*+(?:\(|:|\{|$))?")

_CALL = lazy_regex(r"(?<![\w.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w{2,})\(")

_MACRO = lazy_regex(r"(?<![\w!])([A-Za-z_]\w{1,60})!(?![\w!])")

_QUOTED_NAME = lazy_regex(
    r"[`'\"‘“](?:(?:struct|union|enum|class|interface|trait|type) |&(?:mut )?)?([A-Za-z_][\w.]{2,60})(?:\(\))?[`'\"’”]"
)

_REPORTED_NAME = lazy_regex(
    r"\b(?:undefined|undeclared name|[Uu]nresolved reference|has no field or method|unknown field"
    r"|in struct literal of type|\(type|symbol: {1,4}(?:variable|method|class)|location: (?:class|interface|enum)):?"
    r" \*?(?:\w{1,60}\.){0,12}([A-Za-z_]\w{2,60})\b"
)
"""A name in a compiler's message without quotes, as in `undefined: total`."""

MAX_NAME_QUERY = 200
"""Number of characters up to which a text may be a name."""

PART_SEPARATOR = "\f"
"""Separates the parts of a stored query."""


class PromptParts(NamedTuple):
    """The texts that a prompt is searched by; the last only for one with pasted code or many words."""

    whole: str
    title: str = ""
    prose: str = ""

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts whose rankings are combined."""
        return (self.whole, self.title, self.prose) if self.title and self.prose else (self.whole,)

    def join(self) -> str:
        """Return the parts as one text, from which `prompt_parts` returns them."""
        return PART_SEPARATOR.join(part for part in self if part)


def prompt_parts(text: str) -> PromptParts:
    """Return the parts of a prompt, or of a query that was joined from them."""
    if PART_SEPARATOR in text:
        return PromptParts(*text.split(PART_SEPARATOR)[:3])
    unfenced = _FENCE.sub("\n", text)
    title = first_line(unfenced) or first_line(text)
    if title == text.strip():
        return PromptParts(text)
    has_prose = unfenced.strip() if unfenced != text else len(text.split()) > LONG_WORDS
    return PromptParts(text, title, prose_of(unfenced) if has_prose else "")


class Frame(NamedTuple):
    """A place that a stack trace or a message names."""

    path: str
    line: int
    function: str

    def lies_in(self, path: str) -> bool:
        """Whether one of its path and a file's ends with the other; an installed copy counts below its package."""
        own = path_in_package(self.path) or self.path
        return f"/{own}".endswith(f"/{path}") or path.endswith(f"/{own}")


class PromptEvidence(NamedTuple):
    """The parts of a prompt that point at places in the code."""

    title: tuple[str, ...]
    """Terms of the first line."""
    wants_tests: bool
    """Whether it asks for tests."""
    wants_examples: bool
    """Whether it speaks of examples or benchmarks."""
    frames: tuple[Frame, ...]
    """The innermost ones of a stack trace come first."""
    symbols: frozenset[str]
    """Terms of the names that the prompt spells out or calls."""
    chains: frozenset[tuple[str, str]]
    """Terms of a container and its member, as in `Cart.total`."""
    is_long: bool
    """Whether it is also searched by its parts."""


def read_evidence(text: str) -> PromptEvidence:
    """Read a prompt's evidence."""
    parts = prompt_parts(text)
    text = parts.whole
    names = [*names_in_code(text), *(match[1] for match in _CALL.finditer(text))]
    names += [match[1] for match in _QUOTED_NAME.finditer(text)]
    names += _MACRO.findall(text) if "!" in text else []
    name_parts = [[term for part in name.split(".") for term in query_terms(part)[:1]] for name in names[:MAX_SYMBOLS]]
    title = tuple(query_terms(parts.title or text))
    return PromptEvidence(
        title=title,
        wants_tests=wants_tests(parts.title or text),
        wants_examples=not EXAMPLE_WORDS.isdisjoint(title),
        frames=tuple(_frames(text))[:MAX_FRAMES],
        symbols=frozenset(term for terms in name_parts for term in terms[-1:]),
        chains=frozenset(pair for terms in name_parts for pair in pairwise(terms)),
        is_long=len(parts.searched) > 1,
    )


_ABOUT_NAMES = frozenset(map(stem, ("call", "caller", "defined", "definition", "declared", "reference", "usage")))


def sole_name(text: str) -> str:
    """Return the term of the compound name that a text consists of, apart from words about names; else empty."""
    names = names_in_code(text) if len(text) <= MAX_NAME_QUERY else []
    parts = query_terms(names[0]) if len(names) == 1 and "." not in names[0] else []
    return parts[0] if len(parts) > 1 and _ABOUT_NAMES.issuperset({*query_terms(text)} - {*parts}) else ""


_TEMPLATE_LINE = lazy_regex(
    r"(?i)\s{0,8}(?:[-*] \[[ x]\]|(?:#{1,6} ?|\*\*|\d\. )?(?:describe the (?:bug|feature|issue|solution|problem)"
    r"|bug (?:report|description)|description|to reproduce|steps to reproduce|repro(?:duction)?"
    r"|(?:expected|actual|current) (?:behaviou?r|results?|outcome)|what happened|environment(?: info)?|system info"
    r"|versions?|screenshots?|logs?|additional (?:context|information)|checklist|is there an existing issue[^\n]{0,80}"
    r"|code of conduct|prerequisites|summary|feature request|your project|minimal .{0,30}example)[\s:?*]{0,8}$"
    r"|(?:[-*] )?\**(?:os|platform|browser|node|npm|python|java|go|rust|package|app)?[ _-]?(?:version|system|os)\**:)"
)
"""The fixed part of an issue template: a checkbox, a heading, a line of the environment."""

_LOG_LINE = lazy_regex(
    r"\s*\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\s*\[?\d\d:\d\d:\d\d"
    r"|\s*(?:DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE)\b[:\]\s]"
)

_HUNK_LINES = ("+", "-", " ", "\\")


def _without_comments(text: str) -> str:
    """Return a text without the HTML comments of a template."""
    first, *rest = text.split("<!--")
    return first + " ".join(part.partition("-->")[2] if "-->" in part else f"<!--{part}" for part in rest)


def first_line(text: str) -> str:
    """Return the first line that is neither empty nor the heading of an issue template."""
    lines = [line.strip() for line in _without_comments(text).split("\n") if line.strip()]
    return next((line for line in lines if not _TEMPLATE_LINE.match(line)), lines[0] if lines else "")


def prose_of(text: str) -> str:
    """Return a text without code blocks, diffs, logs, quoted lines and the fixed parts of issue templates."""
    prose_lines: list[str] = []
    in_hunk = False
    for line in _without_comments(_FENCE.sub("\n", text)).split("\n"):
        in_hunk = line.startswith("@@ ") or (in_hunk and line.startswith(_HUNK_LINES))
        is_quoted = in_hunk or line.startswith(("> ", "diff --git ", "index "))
        if not (is_quoted or _CODE_LINE.match(line) or _TEMPLATE_LINE.match(line) or _LOG_LINE.match(line)):
            prose_lines.append(line)
    return "\n".join(prose_lines)


def pointing_words(text: str) -> list[str]:
    """Return a prompt's places, the names in the messages about them, and calls, as `read_evidence` recognizes them."""
    frames = _frames(text)[:MAX_FRAMES]
    places = [
        f"at {frame.function} ({frame.path}:{frame.line})" if frame.function else f"{frame.path}:{frame.line}"
        for frame in frames
    ]
    reported = [*_REPORTED_NAME.findall(text), *_QUOTED_NAME.findall(text)] if frames else []
    names = (f"{name}()" for name in (*reported[:MAX_REPORTED], *_CALL.findall(text)))
    return list(dict.fromkeys((*places, *names)))[:MAX_SYMBOLS]


_INSTALLED_FRAME = lazy_regex(r"\s*(?:File \"[^\"\n]{1,400}\", line \d+(?:, in (.*))?|.{0,300}?[\w.-]:\d+\b)")

_LINE_NUMBER = lazy_regex(r"(?<=line )\d+|(?<=:)\d+")

INNERMOST_FRAMES = 3
"""Number of functions of installed packages that a stack trace may point at: those in which it failed."""


def without_outer_frames(text: str) -> str:
    """Return a text without the stack frames in installed packages, apart from the innermost ones.

    They are last in a trace of Python and first in any other; each is left out with its lines of source.
    """
    if INSTALLED.search(text) is None:
        return text
    lines = text.split("\n")
    frames = [at for at, line in enumerate(lines) if INSTALLED.search(line) and _INSTALLED_FRAME.match(line)]
    innermost: dict[str, int] = {}
    for at in reversed(frames) if any(lines[at].lstrip().startswith("File ") for at in frames) else frames:
        innermost.setdefault(_LINE_NUMBER.sub("", lines[at]), at)
    left_out = set(frames) - set(list(innermost.values())[:INNERMOST_FRAMES])
    chosen, is_open = list[str](), False
    for at, line in enumerate(lines):
        is_source = is_open and line.startswith("    ") and not _INSTALLED_FRAME.match(line)
        is_open = at in left_out or is_source
        if not is_open:
            chosen.append(line)
    return "\n".join(chosen)


def _frames(text: str) -> list[Frame]:
    """Return the places in a text: those of the last cause first, and of each stack trace the innermost ones.

    These are last in a trace of Python and first in any other.
    """
    found = dict(_listed_places(text))
    python = dict[int, Frame]()
    if ":" in text or "(" in text or "line " in text:
        python = {
            match.start(1): Frame(_path(match[1]), int(match[2]), match[3] or "")
            for pattern in (_PYTHON_FRAME, _PYTEST_FRAME)
            for match in pattern.finditer(text)
        }
        found = {**dict(_plain_frames(text)), **found, **dict(_call_frames(text)), **python}
    causes = [match.start() for match in _CAUSE.finditer(text)]
    innermost = iter(sorted(python, reverse=True))
    frames = dict[tuple[str, int], Frame]()
    for at in sorted(found, key=lambda at: (-bisect(causes, at), at)):
        frame = found[next(innermost) if at in python else at]
        known = frames.setdefault((frame.path, frame.line), frame)
        if not known.function:
            frames[frame.path, frame.line] = frame
    cut = {(frame.path.rpartition(" ")[2], frame.line) for frame in frames.values() if " " in frame.path}
    return [frame for place, frame in frames.items() if place not in cut and not STANDARD.search(frame.path)]


def _call_frames(text: str) -> Iterator[tuple[int, Frame]]:
    """Yield the places in a text that may have functions, by where they are in it."""
    for match in _CALL_FRAME.finditer(text):
        yield match.start(2), Frame(_path(match[2]), int(match[3]), match[1].rpartition(".")[2])
    for pattern in (_RUBY_FRAME, _BRACKET_FRAME):
        for match in pattern.finditer(text):
            yield match.start(1), Frame(_path(match[1]), int(match[2]), match[3] or "")


def _plain_frames(text: str) -> Iterator[tuple[int, Frame]]:
    for pattern in (_PLAIN_FRAME, _ON_LINE_FRAME):
        for match in pattern.finditer(text):
            yield match.start(1), Frame(_path(match[1]), int(match[2]), "")


def _listed_places(text: str) -> Iterator[tuple[int, Frame]]:
    """Yield the places of a diff's hunks, and of a linter's list below each file, by where they are in a text."""
    path, at = "", 0
    for line in text.split("\n"):
        if (old := _OLD_FILE.match(line)) is not None:
            path = old[1]
        elif (new := _DIFF_FILE.match(line)) is not None:
            path = path if new[1] == "/dev/null" else new[1]
        elif path and (hunk := _HUNK.match(line)) is not None:
            yield at, Frame(path, int(hunk[1]) + HUNK_CONTEXT, hunk[2] or "")
        elif path and (place := _LISTED_PLACE.match(line)) is not None:
            yield at, Frame(_path(path), int(place[1]), "")
        elif line[:1] not in ("+", "-", " ", "\\") and (listed := _LISTED_FILE.fullmatch(line)) is not None:
            path = listed[1]
        at += len(line) + 1


def _path(path: str) -> str:
    return _UP.sub("", path.replace("\\", "/"))


_UP = lazy_regex(r"^(?:\.{1,2}/){1,20}")

MAX_FRAMES, MAX_SYMBOLS, MAX_REPORTED = 60, 200, 8
