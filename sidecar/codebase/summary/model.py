"""What a file is, as values: definitions, invariants, imports, references, purpose, terms by chunk; and their JSON."""

from typing import Literal, NamedTuple, cast

Analysis = Literal["syntax", "patterns", "prose", "binary", "minified", "large", "failed", "unread"]
"""How a file was read: by its grammar, by patterns over its lines (no grammar, or it took too long), as plain text;
or why it was not: binary, minified, too large, the reading failed, not read yet."""


class Definition(NamedTuple):
    """A named thing in a file; lines count from 1."""

    line: int
    name: str
    signature: str
    end_line: int = 0
    """The last line; 0 where only patterns were looked for."""
    kind: str = ""
    """What the language calls it: function, class, method, type, variable, …"""
    public: bool = True
    """Whether other files can or are meant to use it, by the language's own rules."""
    container: str = ""
    """The type, module or namespace it is a member of, dotted where these are nested."""


class Invariant(NamedTuple):
    """Something the file insists on: a check, a guarded raise, a rule told in a comment, a constrained type."""

    line: int
    text: str


class Summary(NamedTuple):
    """A file's summary as packs and the ranker use it."""

    language: str
    bytes: int
    lines: int
    purpose: str
    definitions: tuple[Definition, ...]
    chunks: tuple[dict[str, int], ...]
    """How often which terms stand in each run of lines."""
    invariants: tuple[Invariant, ...] = ()
    imports: tuple[str, ...] = ()
    """Module specifiers as the file writes them, in its order."""
    references: tuple[str, ...] = ()
    """Names that are called or used as types and not defined here, the most frequent first."""
    analysis: Analysis = "unread"
    derived: bool = False
    """Whether the purpose is put together from the definitions, because the file does not say one."""

    @property
    def stated_purpose(self) -> str:
        """The purpose as the file itself says it; empty where it does not."""
        return "" if self.derived else self.purpose


CHUNK_LINES = 40
MAX_CHUNKS = 400
"""A longer file has longer chunks."""


def chunk_lines(lines: int) -> int:
    """Gives how many lines each chunk of a file of so many lines has."""
    return max(CHUNK_LINES, -(-lines // MAX_CHUNKS))


def to_json(summary: Summary) -> list[object]:
    """Packs a summary for the file cache."""
    return [
        *summary[:4],
        [list(definition) for definition in summary.definitions],
        list(summary.chunks),
        [list(invariant) for invariant in summary.invariants],
        list(summary.imports),
        list(summary.references),
        summary.analysis,
        summary.derived,
    ]


def from_json(value: list[object]) -> Summary:
    """Unpacks what `to_json` packed."""
    language, size, lines, purpose, definitions, chunks, invariants, imports, references, analysis, derived = value
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
    )
