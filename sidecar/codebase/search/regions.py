"""Split a file into regions: definitions, windows of long ones, heads of types, code between them, sections. Pure.

Every line belongs to at most one region; lines that only close something belong to the region above. A region is small
enough to be shown whole.
"""

from collections.abc import Container, Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from sidecar.codebase.summary.invariants import COMMENT, leading_lines
from sidecar.codebase.summary.model import Definition, Summary
from sidecar.codebase.summary.pattern_languages import COMPONENT, MARKUP, NOTEBOOK
from sidecar.core.lazy_regex import lazy_regex

WINDOW_LINES = 36
"""A longer region is split between statements into windows of about this many lines."""

MAX_BLANK_LINES, MAX_CLOSING_LINES = 2, 8
"""Number of blank lines, and of lines that only close something, that belong to the region above them."""

MAX_REGIONS = 4_000

MAX_SIGNATURE_LINES = 10
"""A longer signature is shown by its first line alone with the later windows of its definition."""

CALLABLE_KINDS = frozenset(("function", "method", "constructor", "macro", "test"))
_DOCSTRING = lazy_regex(r"\s*(?:@(?:module|type)?doc\s+(?:~[sS])?)?[rRbBuU]{0,2}(\"\"\"|''')")
MIN_PROSE_LINES = 7
"""A shorter comment or docstring is shown with its definition."""

MAX_WARNING_LINES = WINDOW_LINES // 2
"""A warning at most this far above a definition is shown with it, however long the comment."""

DOCSTRING_WITHIN = 20
"""Number of lines of a region in which its docstring begins."""

MIN_LICENCE_LINES, MAX_LICENCE_LINES = 3, 60
_LICENCE = lazy_regex(r"(?i)copyright|licen[sc]ed?\b|spdx-|all rights reserved")
_BLOCK_COMMENTS = (("/*", "*/"), ("<!--", "-->"))
_SCRIPT_ENDS = ("</script>", "---")
_BEFORE_LICENCE = ("#!", "<?php", "<?xml", "# -*-")

_CLOSING = lazy_regex(r"\s*(?:[)\]}]|end\b|else\b|elif\b|except\b|finally\b|catch\b|rescue\b|ensure\b)")
_ONLY_CLOSES = lazy_regex(r"\s*(?:[)\]};,]+|end;?|</[\w.:-]{1,80}>|#\s*endif\b.*)\s*")
"""A line that only closes what was opened above."""

_GOES_ON = lazy_regex(r".*[,(\[]\s*")

_IMPORT = lazy_regex(r"\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|use\s|using\s|require\b|package\s)")


_FRAME = lazy_regex(
    r"\s*(?:\[[\w.:()\", ]{1,120}\]|@[\w.]{1,80}(?:\([^()]{0,120}\))?|[{(]|(?:namespace|package|module)\b.*"
    r"|(?:(?:public|private|internal|protected|export|default|abstract|final|sealed|static|partial|open|fileprivate|data"
    r"|inner|unsafe|pub(?:\([\w: ]{1,40}\))?)\s+){0,4}"
    r"(?:class|enum|struct|interface|trait|object|protocol|extension|impl|mod|actor)\b[^;=]{0,160})\s*"
)
"""A line that opens a namespace or a type."""


class Region(NamedTuple):
    """Some lines of a file, counted from 1; `last` is included."""

    first: int
    last: int
    name: str = ""
    """The definition it is or belongs to, with its container; empty at the top of a file."""
    head: int = 0
    """For a later window of a definition, the line that states what it belongs to; else 0."""
    head_last: int = 0
    """The last line of the signature that begins there."""
    window: int = 0
    """Number of windows of the same code before it."""
    is_definition: bool = False
    """Whether it is a definition of its own or part of one, rather than code between definitions."""
    is_imports: bool = False
    is_frame: bool = False
    """Whether it only opens a namespace or a type."""
    encloser_last: int = 0
    """For a region between definitions, the last line of the definition it is in; 0 at the top of a file."""
    is_prose: bool = False
    """Whether it is a long comment or the rest of a long docstring."""
    gap: tuple[int, int] = (0, 0)
    """First and last lines of a long docstring's rest, which is a region of its own."""
    goes_on: bool = False
    """Whether its statement or comment continues below it, in another region."""
    is_test: bool = False
    """Whether it is a test beside the code, as in Zig and Rust."""
    is_declaration: bool = False
    """Whether it declares a function that is implemented elsewhere, as in an interface."""

    @property
    def numbers(self) -> list[int]:
        """The numbers of its lines, without the gap."""
        first, last = self.gap
        return [number for number in range(self.first, self.last + 1) if not first <= number <= last]


def split_regions(lines: Sequence[str], summary: Summary) -> tuple[Region, ...]:
    """Return a file's regions, without those of blank lines only; each includes the blank lines that follow it.

    Those of a notebook are its cells: what follows a cell belongs to no region.
    """
    if summary.language == NOTEBOOK:
        return tuple(_cells(lines, summary))
    regions = _regions(lines, summary)
    firsts = {region.first for region in regions}
    return tuple(_with_lines_below(lines, region, firsts) for region in regions)


def _with_lines_below(lines: Sequence[str], region: Region, firsts: Container[int]) -> Region:
    """Add the blank lines below a region, and those that close what is around it."""
    last, blank, closing = region.last, 0, 0
    while last < len(lines) and last + 1 not in firsts:
        if not lines[last].strip():
            blank += 1
        elif not region.is_prose and _ONLY_CLOSES.fullmatch(lines[last]):
            blank, closing = 0, closing + 1
        else:
            break
        if blank > MAX_BLANK_LINES or closing > MAX_CLOSING_LINES:
            break
        last += 1
    return region._replace(last=last) if last > region.last else region


def _regions(lines: Sequence[str], summary: Summary) -> Sequence[Region]:
    licence = _licence_end(lines)
    regions: list[Region] = list(_code(lines, 1, licence, "", is_prose=True))
    at = licence + 1
    for definition, first, last in _blocks(lines, summary, at):
        regions.extend(_between(lines, summary, at, first - 1))
        name = f"{definition.container}.{definition.name}" if definition.container else definition.name
        is_test = definition.kind == "test" or _is_rust_test(definition.container, summary)
        region = Region(
            first,
            last,
            name,
            definition.line,
            is_definition=True,
            is_test=is_test,
            is_declaration=definition.kind in CALLABLE_KINDS and _is_bodiless(lines, definition.line, last, summary),
        )
        regions.extend(_windows(lines, region))
        at = last + 1
        if len(regions) >= MAX_REGIONS:
            return regions
    regions.extend(_between(lines, summary, at, len(lines)))
    return regions


_BODY = lazy_regex(r"\{|=(?:[\s>]|$)")

_BRACED = frozenset(("C", "C++", "C#", "Dart", "Go", "Java", "Kotlin", "PHP", "Rust", "Swift", "TypeScript"))


def _is_bodiless(lines: Sequence[str], first: int, last: int, summary: Summary) -> bool:
    """Whether a function of a language with braces has none, as in an interface, nor a value in their place."""
    if last - first >= MAX_SIGNATURE_LINES or summary.language not in _BRACED:
        return False
    return not any(map(_BODY.search, lines[first - 1 : last]))


_RUST_TESTS = lazy_regex(r"\s*#\[cfg\(test\)\]")


def _is_rust_test(container: str, summary: Summary) -> bool:
    """Whether a definition is in the module of tests that a file in Rust ends with."""
    return summary.language == "Rust" and container.partition(".")[0] in ("test", "tests")


def _cells(lines: Sequence[str], summary: Summary) -> Iterator[Region]:
    """Yield the cells of a notebook."""
    for cell in islice(summary.definitions, MAX_REGIONS):
        last = min(cell.end_line, len(lines))
        yield from _windows(lines, Region(cell.line, last, cell.name, cell.line, is_definition=True))


def _licence_end(lines: Sequence[str]) -> int:
    """Return the last line of the licence with which a file begins; 0 without one."""
    first = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith(_BEFORE_LICENCE)), None)
    if first is None or not COMMENT.match(lines[first]):
        return 0
    head = lines[first : first + MAX_LICENCE_LINES]
    closing = next((end for opening, end in _BLOCK_COMMENTS if head[0].lstrip().startswith(opening)), "")
    if closing:
        count = next((at + 1 for at, line in enumerate(head) if closing in line), 0)
    else:
        count = next((at for at, line in enumerate(head) if not COMMENT.match(line)), len(head))
    is_licence = count >= MIN_LICENCE_LINES and _LICENCE.search("\n".join(head[:count])) is not None
    return first + count if is_licence else 0


def _blocks(lines: Sequence[str], summary: Summary, at: int) -> Iterator[tuple[Definition, int, int]]:
    """Yield the outermost callable definitions, and small types, with their first and last lines, from a line on.

    A suite is no region of its own: each of its tests is one.
    """
    definitions = _cut_at(summary)
    parents = {definition.container for definition in definitions}
    for number, definition in enumerate(definitions):
        if definition.line < at:
            continue
        last = definition.end_line
        if not last:  # found by a pattern: it ends where the next one begins
            last = definitions[number + 1].line - 1 if number + 1 < len(definitions) else len(lines)
        full_name = f"{definition.container}.{definition.name}" if definition.container else definition.name
        is_leaf = full_name not in parents and last > definition.line
        is_suite = definition.kind == "test" and _encloses_a_test(definitions, number)
        if not is_suite and (definition.kind in CALLABLE_KINDS or not definition.end_line or is_leaf):
            last = min(max(last, definition.line), len(lines))
            is_markup = definition.kind == MARKUP
            leading = _below_script(lines, definition.line, at) if is_markup else definition.line
            yield definition, _with_leading(lines, summary, leading, at), last
            at = last + 1


def _cut_at(summary: Summary) -> Sequence[Definition]:
    """Return the definitions at which a file is split: the values of a component's script stay together."""
    if summary.language != COMPONENT:
        return summary.definitions
    return [each for each in summary.definitions if each.kind in (*CALLABLE_KINDS, "class", MARKUP)]


def _below_script(lines: Sequence[str], line: int, at: int) -> int:
    """Return the first line of markup, with the end of the script above it."""
    above = next((number for number in range(line - 1, at - 1, -1) if lines[number - 1].strip()), line)
    return above if above < line and lines[above - 1].strip().lower() in _SCRIPT_ENDS else line


def _encloses_a_test(definitions: Sequence[Definition], number: int) -> bool:
    end = definitions[number].end_line
    inner = takewhile(lambda definition: definition.line <= end, islice(definitions, number + 1, None))
    return any(definition.kind == "test" for definition in inner)


def _with_leading(lines: Sequence[str], summary: Summary, line: int, at: int) -> int:
    """Return the first line of a definition with its decorators and comments, which begin at `at` at the earliest.

    A long comment is a region of its own, apart from a warning at its end.
    """
    start, code = leading_lines(lines, line, at)
    if code - start < MIN_PROSE_LINES:
        return start
    nearest = max(start, code - MAX_WARNING_LINES)
    return next((landmine.line for landmine in summary.landmines if nearest <= landmine.line < code), code)


def _between(lines: Sequence[str], summary: Summary, first: int, last: int) -> Iterator[Region]:
    """Yield the code between two definitions: heads and fields of types, constants, imports."""
    if not any(line.strip() for line in lines[first - 1 : last]):
        return  # most methods follow each other
    definitions = _cut_at(summary)
    cuts = [
        definition
        for definition in definitions
        if first <= definition.line <= last and definition.end_line > definition.line
    ]
    start, (name, end) = first, _enclosing(definitions, first)
    for definition in cuts:
        begin = _with_leading(lines, summary, definition.line, start)
        yield from _code(lines, start, begin - 1, name, end)
        start, end = begin, definition.end_line
        name = f"{definition.container}.{definition.name}" if definition.container else definition.name
    yield from _code(lines, start, last, name, end)


def _enclosing(definitions: Sequence[Definition], line: int) -> tuple[str, int]:
    """Return the full name and the last line of the innermost definition around a line."""
    around = [definition for definition in definitions if definition.line < line <= definition.end_line]
    if not around:
        return "", 0
    inner = max(around, key=lambda definition: definition.line)
    return f"{inner.container}.{inner.name}" if inner.container else inner.name, inner.end_line


def _code(
    lines: Sequence[str], first: int, last: int, name: str, encloser_last: int = 0, *, is_prose: bool = False
) -> Iterator[Region]:
    while first <= last and not lines[first - 1].strip():
        first += 1
    while first <= last and not lines[last - 1].strip():
        last -= 1
    filled = [line for line in lines[first - 1 : last] if line.strip()]
    if not all(map(_ONLY_CLOSES.fullmatch, filled)):
        is_imports = 2 * sum(_IMPORT.match(line) is not None for line in filled) > len(filled)
        is_frame = not is_imports and all(_IMPORT.match(line) or _FRAME.fullmatch(line) for line in filled)
        comments = sum(COMMENT.match(line) is not None for line in filled)
        is_prose = is_prose or (comments >= MIN_PROSE_LINES and comments == len(filled))
        yield from _windows(
            lines,
            Region(
                first,
                last,
                name,
                is_imports=is_imports,
                is_frame=is_frame,
                encloser_last=encloser_last,
                is_prose=is_prose,
                is_test=_RUST_TESTS.match(filled[0]) is not None,
            ),
        )


def _windows(lines: Sequence[str], region: Region) -> Iterator[Region]:
    """Split a long region between statements, and its long docstring from it."""
    first, last = region.first, region.last
    while last > first and not lines[last - 1].strip():
        last -= 1
    gap = (0, 0) if region.is_prose else _docstring(lines, first, last)
    if gap[1] == last and _is_text(lines, first, last):  # above what it describes, as in Elixir
        region, gap = region._replace(is_prose=True), (0, 0)
    if gap[0]:
        head = region.head or first
        signature = min(_signature_end(lines, head), gap[0] - 1)
        rest = region._replace(first=gap[0], last=gap[1], head=head, head_last=signature, is_prose=True)
        yield from _pieces(lines, rest, gap[0], gap[1], (0, 0))
    yield from _pieces(lines, region, first, last, gap)


def _is_text(lines: Sequence[str], first: int, last: int) -> bool:
    """Whether lines that end with a docstring have only comments above it."""
    above = takewhile(lambda line: not _DOCSTRING.match(line), islice(lines, first - 1, last))
    return all(not line.strip() or COMMENT.match(line) is not None for line in above)


def _docstring(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Return the lines of a long docstring after its first one; zeros without one."""
    for number in range(first, min(last, first + DOCSTRING_WITHIN) + 1):
        match = _DOCSTRING.match(lines[number - 1])
        if match is None:
            continue
        if match[1] in lines[number - 1][match.end() :]:
            return (0, 0)
        begin = number + 1 if lines[number - 1].strip("rRbBuU\"' \t") else number + 2
        for end in range(number + 1, last + 1):
            if match[1] in lines[end - 1]:
                return (begin, end) if end - begin + 1 >= MIN_PROSE_LINES else (0, 0)
        return (0, 0)
    return (0, 0)


def _pieces(lines: Sequence[str], region: Region, first: int, last: int, gap: tuple[int, int]) -> Iterator[Region]:
    hidden = gap[1] - gap[0] + 1 if gap[0] else 0
    start, count = first, max(1, -(-(last - first + 1 - hidden) // WINDOW_LINES))
    for window in range(count - 1):
        inside = hidden if start <= gap[0] else 0
        target = start + inside + (last - start + 1 - inside) // (count - window)
        cut = _best_cut(lines, max(start, gap[1] if inside else start), target, last)
        yield _window(lines, region, start, cut - 1, gap)._replace(window=window, goes_on=True)
        start = cut
    yield _window(lines, region, start, last, gap)._replace(window=count - 1)


def _window(lines: Sequence[str], region: Region, first: int, last: int, gap: tuple[int, int]) -> Region:
    inside = gap if first <= gap[0] and gap[1] <= last else (0, 0)
    head = region.head if first > region.head else 0
    if (region.first, region.last, region.head, region.gap) == (first, last, head, inside):
        return region
    signature = min(_signature_end(lines, head), first - 1) if head else 0
    return region._replace(first=first, last=last, head=head, head_last=signature, gap=inside)


def _signature_end(lines: Sequence[str], first: int) -> int:
    """Return the line in which the brackets of a signature are closed; its first line if they are long open."""
    depth = 0
    for number in range(first, min(first + MAX_SIGNATURE_LINES, len(lines) + 1)):
        line = lines[number - 1]
        depth += sum(map(line.count, "([")) - sum(map(line.count, ")]"))
        if depth <= 0:
            return number
    return first


def _best_cut(lines: Sequence[str], start: int, target: int, last: int) -> int:
    """Return the line near `target` at which a new window begins best: the outermost statement close to it.

    A line below an open bracket or a comma rarely begins one.
    """
    reach = WINDOW_LINES // 3
    candidates = range(max(start + 4, target - reach), min(last - 2, target + reach) + 1)
    best, best_cost = min(max(target, start + 1), last), float("inf")
    for line in candidates:
        text = lines[line - 1]
        if not text.strip() or _CLOSING.match(text):
            continue
        indent = len(text) - len(text.lstrip())
        blank_before = not lines[line - 2].strip()
        is_inside = _GOES_ON.fullmatch(lines[line - 2]) is not None
        cost = indent * 1.0 + abs(line - target) * 0.35 - 2.0 * blank_before + 4.0 * is_inside
        if cost < best_cost:
            best, best_cost = line, cost
    return best
