"""Languages and file summaries as values, and the JSON form of summaries."""

import re
from typing import Literal, NamedTuple, cast

from sidecar import __version__

UNKNOWN_LANGUAGE = "text"

DOCSTRING = '"'
PROSE = ""

Visibility = Literal["underscore", "exported", "capital", "pub", "not-private", "modifier", "not-static", "section"]
"""Mark of the definitions that other files may use."""

Ends = Literal["indent", "equations", "statement", "next"]
"""End of a definition that a pattern found: of its indented block; the same, and lines that begin with its name belong
to it; of its statement; or where the next one begins.
"""


class Grammar(NamedTuple):
    """A tree-sitter grammar: its module, the function that returns it, and its query file."""

    module: str
    query: str
    function: str = "language"
    visibility: Visibility = "underscore"
    more: str = ""
    """A second query file, for what a language adds to the first one's."""


class Language(NamedTuple):
    """One language; `definitions` are patterns for single lines with a group that is the definition's name.

    The group is called `name`, and a keyword before it is the kind; or it is called after the kind. Of a function
    without a keyword (group `call`) those inside of other functions are calls, and do not count.
    Lines come from untrusted files, so a pattern must take linear time: no two adjacent repetitions may match the same
    characters, which possessive ones (`++`, `*+`) ensure.
    """

    name: str
    suffixes: tuple[str, ...]
    definitions: tuple[re.Pattern[str], ...]
    comment: str = "#"
    """Prefix of a leading comment's lines; or DOCSTRING, or PROSE if the text itself is the description."""
    grammar: Grammar | None = None
    names: tuple[str, ...] = ()
    """File names without a suffix, in lower case."""
    interpreters: tuple[str, ...] = ()
    """Programs named in a script's first line."""
    checks: re.Pattern[str] | None = None
    """Lines that state an invariant, for languages without a grammar."""
    imports: tuple[re.Pattern[str], ...] = ()
    """Import statements, for languages without a grammar: with the group `module`, and `names` below it in braces."""
    ends: Ends = "indent"
    quotes: str = ""
    """Mark around a text of several lines, in which nothing is defined."""
    clauses: bool = False
    """Whether a function can have several clauses one after the other, each with its head."""
    public: re.Pattern[str] | None = None
    """Beginning of the definitions that other files may use, if those without it are private."""
    scripts: bool = False
    """Whether a file has its script in tags or between dashes at the top, which alone is parsed."""


Analysis = Literal[
    "syntax", "patterns", "prose", "binary", "minified", "recordedChat", "large", "failed", "unread", "outline"
]
"""Way in which a file was read: by its grammar, by line patterns (no grammar, or it took too long), as plain text; or
the reason why it was not: binary, minified, a recorded chat, too large, failed, not read yet.
An outline is by line patterns for the time until the file is analysed; it is never stored.
"""


class Definition(NamedTuple):
    """A named definition in a file; lines count from 1."""

    line: int
    name: str
    signature: str
    end_line: int = 0
    """The last line; 0 if only patterns were used."""
    kind: str = ""
    """The language's term: function, class, method, type, variable, …"""
    public: bool = True
    """Whether other files can or should use it, by the language's own rules."""
    container: str = ""
    """The type, module or namespace of a member, dotted if nested."""


class Invariant(NamedTuple):
    """A requirement in a file: a check, a guarded raise, a rule in a comment, a constrained type."""

    line: int
    text: str


class Landmine(NamedTuple):
    """A warning in the comment directly above a definition, at the line in which it begins."""

    line: int
    name: str
    """The definition, with its container."""
    text: str


class Summary(NamedTuple):
    """A file's summary as used by packs and ranking."""

    language: str
    bytes: int
    lines: int
    purpose: str
    definitions: tuple[Definition, ...]
    chunks: tuple[dict[str, int], ...]
    """Term counts of each chunk of lines."""
    invariants: tuple[Invariant, ...] = ()
    imports: tuple[str, ...] = ()
    """Module specifiers as written, in order."""
    references: tuple[str, ...] = ()
    """Names called or used as types and not defined here, most frequent first."""
    analysis: Analysis = "unread"
    derived: bool = False
    """Whether the purpose is derived from the definitions, because the file does not state one."""
    landmines: tuple[Landmine, ...] = ()
    is_clean: bool = False
    """Whether the text is known to contain no secret that has to be masked."""
    is_generated: bool = False
    """Whether a comment in the first lines says that a program wrote the file."""

    @property
    def stated_purpose(self) -> str:
        """The purpose if the file itself states it, else empty."""
        return "" if self.derived else self.purpose


CHUNK_LINES = 40
MAX_CHUNKS = 400
"""Longer files have longer chunks."""


def chunk_lines(lines: int) -> int:
    """Return the number of lines per chunk of a file with `lines` lines."""
    return max(CHUNK_LINES, -(-lines // MAX_CHUNKS))


def to_json(summary: Summary) -> list[object]:
    """Encode a summary for the file cache."""
    return [
        *summary[:4],
        [list(definition) for definition in summary.definitions],
        list(summary.chunks),
        [list(invariant) for invariant in summary.invariants],
        list(summary.imports),
        list(summary.references),
        summary.analysis,
        summary.derived,
        [list(landmine) for landmine in summary.landmines],
        __version__ if summary.is_clean else "",
        summary.is_generated,
    ]


def from_json(value: list[object]) -> Summary:
    """Decode what `to_json` encoded; a text is clean only by the secret formats of this version."""
    language, size, lines, purpose, definitions, chunks, invariants, imports, references, *rest = value
    analysis, derived, landmines, clean_in, is_generated = rest
    return Summary(
        str(language),
        cast("int", size),
        cast("int", lines),
        str(purpose),
        tuple(map(Definition._make, cast("list[list[object]]", definitions))),
        tuple(cast("list[dict[str, int]]", chunks)),
        tuple(map(Invariant._make, cast("list[list[object]]", invariants))),
        tuple(cast("list[str]", imports)),
        tuple(cast("list[str]", references)),
        cast("Analysis", analysis),
        bool(derived),
        tuple(map(Landmine._make, cast("list[list[object]]", landmines))),
        clean_in == __version__,
        bool(is_generated),
    )
