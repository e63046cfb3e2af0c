"""The texts that a prompt quotes from a screen, a log or a terminal, and the places in files that they come from. Pure.

A quoted text is searched as a phrase. Where the source has a placeholder, as in `Could not open {name}`, the quoted
text may have any words. From an entry of a catalogue of texts its key leads to the files that use the key.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sidecar.codebase.files import is_document
from sidecar.codebase.search.mentioned_files import english_paths
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import lowercase_in_place
from sidecar.core.terms import count_terms, identifiers_of, query_terms, stem

MAX_QUOTED, MAX_QUOTED_CHARACTERS, MAX_WORDS = 4, 240, 40
"""Number of quoted texts of a prompt that are searched, their length, and the words of one."""

MAX_PLACES = 8
"""A text in more files than this, or a key used in more, says too little."""

MARKS = "\"“”„«»「'‘’`:\n"
"""A text without any of these signs quotes nothing."""

_QUOTED = lazy_regex(
    r'(?<![=\w])"(?=\S)([^"\n]{3,240})(?<=\S)"'
    r"|[“„](?=\S)([^“”„\n]{3,240})[”“]"
    r"|[«»]\s?([^«»\n]{3,240})[«»]"
    r"|「([^「」\n]{2,240})」"
    r"|(?<![=\w])['‘](?=\S)((?:[^'‘’\n]|(?<=\w)['’](?=\w)){3,240})(?<=\S)['’](?!\w)"
    r"|(?<!`)`(?=\S)([^`\n(){}=;_/\\]{3,240})(?<=\S)`(?!`)"
)

_IN_BACKTICKS, _CODE_SIGN = 6, lazy_regex(r"::|->|\(\)|[{}*\\]")
"""The group of a quotation in backticks; what is in code and hardly ever in a text for people."""

_HEADER = lazy_regex(r"[\"'“„«‘`\s]{0,3}[A-Z][A-Za-z]{0,30}(?:-[A-Z][A-Za-z]{0,30}){1,4}: ")
"""The header of a message between programs, such as `Content-Type: text/html`: the source has its parts apart."""

_PRINTED_VALUE = lazy_regex(r": [A-Z]\w{0,60}(?: ?\{| ?\().*")
"""The value that a program prints behind a message, such as an error with its fields."""

_MESSAGE = lazy_regex(
    r"(?m)^[ \t>]{0,20}(?:\[[^\]\n]{1,40}\][: \t]{1,4})?"
    r"(?:(?:[Ee]rror|[Ww]arning|[Ff]atal|[Pp]anic)(?:\[\w{1,10}\])?: (?![ \t])([^\n]{8,240})"
    r"|((?:Error|Failed|Failure|Could(?:n't| not)|Can(?:'t|not)|Unable|Invalid|Unknown|Unexpected|Missing|Unsupported)"
    r" [^\n]{8,240}))"
    r"|(?<![\w.$])[A-Za-z_$][\w.$]{0,80}(?:Error|Exception): (?!(?<=AssertionError: )expected )([^\n]{8,240})"
    r"|\b(?:says?|shows?|prints?|logs?|logged|gives?|got|message|lines?|stderr|stdout|output|answers?|with)\b"
    r"[^:\n\"“'`]{0,30}: ([^\n]{8,240})"
)
"""A message that a prompt repeats without quotation marks: an error, or what follows `it says:`.

Several spaces after `Error:` align a test runner's table, and an assertion that fails says what it `expected`.
"""

_OF_RUNNER = lazy_regex(
    r"(?i)(?:e )?\s{0,20}(?:[\w.$]{0,80}(?:error|exception): \s{0,20})?"
    r"(?:(?:error message|stack trace|standard output messages|(?:expected|actual|received)(?: \w{1,12})?):?$"
    r"|failed (?:asserting that\b|[\w]{1,60}\.[\w.+]{1,200})|block \(\d{1,2} levels?\) in\b"
    r"|(?:error trace|(?:expected|actual|received)(?: (?:calls?|length|path|pattern|size|substring|value))?):"
    r"|(?:error message )?not equal:|should (?:not )?be (?:empty|false|in|true|zero)\b|expect\(|expected values to\b"
    r"|(?<=assertionerror: )expected |(?:true|false|none) is (?:not )?\w{1,9}$"
    r"|(?:dicts?|lists?|sequences?|sets?|tuples?) differ:"
    r"|assert [^\n]{1,200} (?:[=!<>]=|[<>]|in|is|not) |[\"'\[][^\n]{1,200} (?:[!=]=|not found in|should have) )"
)
"""A line that a test runner prints whatever fails: its label, the name of the test, or the assertion in its words."""

MAX_PASTED_LINES, MIN_PASTED_WORDS = 8, 4
"""In a text of at most this many lines, one of several words with an empty line before it and after it is pasted."""

_UNSPACED = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{3}")

_WORD, _LONG_WORD = lazy_regex(r"[^\W_]+"), lazy_regex(r"[^\W\d_]{2,}")


def quoted_texts(text: str) -> list[str]:
    """Return the texts of several words that a prompt quotes, and the messages it repeats; or those of a query."""
    if not any(mark in text for mark in MARKS) and not _MESSAGE.match(text):
        return []
    quoted = (next(filter(None, match.groups())) for match in _QUOTED.finditer(text) if _is_prose(match))
    messages = (next(filter(None, match.groups())) for match in _MESSAGE.finditer(text))
    found = (
        part.strip()
        for parts in (quoted, messages, _pasted_lines(text))
        for part in map(_without_value, parts)
        if ((" " in part and len(_LONG_WORD.findall(part)) > 1) or _UNSPACED.search(part))
        and not _OF_RUNNER.match(part.strip())
    )
    texts: list[str] = []
    for part in map(_plain, found):
        if not any(part in text for text in texts):
            texts.append(part)
    return texts[:MAX_QUOTED]


def _is_prose(quotation: re.Match[str]) -> bool:
    """Whether a quotation is neither code nor a header: in backticks, short lowercase words are a command."""
    if _HEADER.match(quotation[0]):
        return False
    in_backticks = quotation[_IN_BACKTICKS]
    if in_backticks and len(in_backticks.split()) < MIN_PASTED_WORDS and not in_backticks[0].isupper():
        return False
    return _CODE_SIGN.search(_without_value(quotation[0])) is None


def _without_value(text: str) -> str:
    """Return a message without the value that follows it, as in `no such cart: Os { code: 2 }`."""
    return _PRINTED_VALUE.sub("", text)


def as_quotations(texts: Sequence[str]) -> str:
    """Return texts as `quoted_texts` reads them in a query."""
    return " ".join(f"“{text}”" for text in texts)


def _plain(text: str) -> str:
    return re.sub(r"[“”„\s]+", " ", text).strip()[:MAX_QUOTED_CHARACTERS]


def _pasted_lines(text: str) -> Iterator[str]:
    if "\n" not in text:
        return
    lines = text.strip().split("\n")
    if len(lines) > MAX_PASTED_LINES:
        return
    for at, line in enumerate(lines[1:], 1):
        is_alone = not lines[at - 1].strip() and (at + 1 == len(lines) or not lines[at + 1].strip())
        is_message = len(line.split()) >= MIN_PASTED_WORDS and line[:1] not in "-*#>" and not line.endswith("?")
        if is_alone and is_message and len(line) <= MAX_QUOTED_CHARACTERS:
            yield line


class QuotedPlace(NamedTuple):
    """A line that has a quoted text, or uses the key of one in a catalogue."""

    path: str
    line: int
    share: float
    """1 if there is no other place, less for each of several."""
    is_use: bool = False


FindCandidates = Callable[[str], Sequence[str]]
"""Returns the paths of the files that contain most of a text's words close together, best first."""

ReadFiles = Callable[[Sequence[str]], Mapping[str, str]]

MIN_STATIC_SHARE = 0.25
"""Share of a quoted text's words that a source with placeholders must have."""

NEAR_BEST = 0.75
"""Places that match less well than this share of the best match are ignored."""

PARTIAL = 0.7
"""Match of a phrase that is only a part of a text in the source, or in a comment."""

MAX_FILLED, MAX_ANCHORS, MAX_HITS, MAX_LINES, MAX_LINE_CHARACTERS = 16, 12, 3_000, 200, 600
"""Number of files whose texts with placeholders are compared, of words that lead to lines, of their places in a file,
and of lines with two of them.
"""


def find_quoted(text: str, candidates: FindCandidates, read: ReadFiles) -> list[QuotedPlace]:
    """Return the places that a prompt's quoted texts come from, or that a key it names stands for, and their uses."""
    places: list[QuotedPlace] = []
    for quoted in quoted_texts(text):
        if words := _words(quoted):
            places += _places_of(quoted, words, candidates, read)
    if not _WORDS_FOR_TEXTS.isdisjoint(query_terms(text)):
        for name in identifiers_of(text)[:MAX_QUOTED]:
            places += _entry_with_key(name, candidates, read)
    return places


_WORDS_FOR_TEXTS = frozenset(map(stem, (
    "string", "text", "label", "caption", "wording", "translation", "translate", "language", "locale", "localization",
    "localize", "i18n", "l10n",
)))  # fmt: skip
"""A prompt with one of these words may name a text by its key, which other prompts name as a part of the code."""

MAX_CATALOGUES = 4
"""Number of catalogues that are searched for a key, the likeliest first."""


def _entry_with_key(name: str, candidates: FindCandidates, read: ReadFiles) -> list[QuotedPlace]:
    """Return the entry with a key in the catalogue that the others are translated from, and the uses of the key."""
    catalogues = (path for path in candidates(name) if is_document(path) and _CATALOGUE_FOLDER.search(path))
    for path in sorted(catalogues, key=_catalogue_order)[:MAX_CATALOGUES]:
        lines = read([path]).get(path, "").split("\n")
        last = name.rpartition(".")[2]
        for number in (number for number, line in enumerate(lines, 1) if last in line):
            key = _key_in(path, lines, number)
            if f".{key}".endswith(f".{name}"):
                return [QuotedPlace(path, number, 1.0), *_uses(path, key, candidates, read)]
    return []


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)][:MAX_WORDS]


def _places_of(quoted: str, words: Sequence[str], candidates: FindCandidates, read: ReadFiles) -> list[QuotedPlace]:
    texts = read(candidates(quoted))
    found = dict(_phrases(texts, quoted, words)) or dict(_phrases(texts, quoted, words, any_case=True))
    if not found:
        filled = ((path, max(_filled_lines(text, words), default=(0.0, 0))) for path, text in texts.items())
        found = {path: (value, -line) for path, (value, line) in islice(filled, MAX_FILLED) if value}
    best = max((value for value, _ in found.values()), default=0.0)
    lines_of = {path: line for path, (value, line) in found.items() if value >= NEAR_BEST * best}
    keys = {path: entry_key(path, texts[path], line) for path, line in lines_of.items()}
    for path in _translations(keys):
        del lines_of[path]
    if not 0 < len(lines_of) <= MAX_PLACES:
        return []
    places = [QuotedPlace(path, line, 1 / math.sqrt(len(lines_of))) for path, line in lines_of.items()]
    for path in lines_of:
        if keys[path]:
            places += _uses(path, keys[path], candidates, read)
    return places


_SPACED_GAP, _GAP = r"(?=[^\w\s]{0,6}\s)\W{1,24}+", r"[\W_]{1,12}+"
"""Signs between two words in the source, matched in one way only."""


def _phrases(
    texts: Mapping[str, str], quoted: str, words: Sequence[str], *, any_case: bool = False
) -> Iterator[tuple[str, tuple[float, int]]]:
    """Yield the files that have a phrase, how well its best place matches, up to 1, and the number of its line."""
    gaps = [_SPACED_GAP if " " in gap else _GAP for gap in _WORD.split(quoted)[1 : len(words)]]
    written = words if any_case else _WORD.findall(quoted)
    phrase = "".join(re.escape(word) + gap for word, gap in zip(written, (*gaps, r"(?![^\W_])"), strict=False))
    for path, text in texts.items():
        best = (0.0, 0)
        for match in re.finditer(phrase, lowercase_in_place(text) if any_case else text):
            start, end = match.span()
            value = 1.0 if _is_whole(text, start, end) else PARTIAL
            if value > best[0] and not text[max(0, start - 1) : start].isalnum():
                best = value, text.count("\n", 0, start) + 1
        if best[1]:
            yield path, best


_BEFORE, _AFTER = lazy_regex(r"(?:[\"'`>]|^|: |=)\s*\Z"), lazy_regex(r"[^\w\n\"'`<]{0,4}(?:[\"'`<]|$)")


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a phrase is a whole text in the source, between quotation marks or tags or alone in its line."""
    before = text[max(0, start - 40) : start].rpartition("\n")[2]
    return _BEFORE.search(before) is not None and _AFTER.match(text[end : end + 10].partition("\n")[0]) is not None


_PLACEHOLDER = lazy_regex(
    r"\$?\{\{?[^{}\n]{0,60}\}?\}|#\{[^{}\n]{0,60}\}|%\{\w{1,40}\}|%\(\w{1,40}\)[a-z]|\\\([^()\n]{0,60}\)"
    r"|%(?:\d\$)?[-+#0]{0,3}\d{0,3}(?:\.\d{1,3})?[a-zA-Z@]{1,2}(?![a-zA-Z])|%[sdvqw@]"
    r"|<%[^%\n]{0,80}%>|\$[a-z]\w{0,40}|(?<![\w:]):[a-z]\w{1,30}|\\[nrt]"
)

_LITERAL = lazy_regex(
    r"\"((?:[^\"\\\n]|\\.){4,400})\"|'((?:[^'\\\n]|\\.){4,400})'|`([^`\n]{4,400})`|>([^<>\n]{4,400})<"
)

_VALUE = lazy_regex(r"\s{0,80}[\w.-]{1,80}\s?[:=]\s?(.{4,400})")


def _filled_lines(text: str, words: Sequence[str]) -> Iterator[tuple[float, int]]:
    """Yield the lines with a text with placeholders that a quoted text fills, and the share of words they have."""
    anchors = sorted({word for word in words if len(word) > 3 and word.isalpha()}, key=lambda word: (-len(word), word))
    if not anchors:
        return
    expression = r"(?i)(?<![^\W_])(?:" + "|".join(map(re.escape, anchors[:MAX_ANCHORS])) + r")(?![^\W_])"
    found: dict[int, set[str]] = {}
    for match in islice(re.finditer(expression, text), MAX_HITS):
        nearest = max(0, match.start() - MAX_LINE_CHARACTERS)
        first = max(nearest, text.rfind("\n", nearest, match.start()) + 1)
        found.setdefault(first, set()).add(match[0].casefold())
    likely = (first for first, own in found.items() if len(own) > 1 or len(anchors) == 1)
    for first in islice(likely, MAX_LINES):
        line = text[first : first + MAX_LINE_CHARACTERS].partition("\n")[0]
        value = max((_filled(piece, words) for piece in _pieces(line)), default=0.0)
        if value:
            yield value, -text.count("\n", 0, first) - 1


def _pieces(line: str) -> list[str]:
    """Return the texts in a line of source: its literals, all of them as one, and what follows a key."""
    literals = [next(filter(None, match.groups())) for match in _LITERAL.finditer(line)]
    value = _VALUE.match(line)
    joined = ["{}".join(literals)] if len(literals) > 1 else []
    return [*literals, *joined, *([value[1]] if value is not None else []), *([] if literals else [line])]


def _filled(piece: str, words: Sequence[str]) -> float:
    """Return the share of a quoted text's words that a text with placeholders has, if it can be filled to be it."""
    runs = [_words(run) for run in _PLACEHOLDER.split(piece)]
    static = sum(map(len, runs))
    if static < 2 or static > len(words) or static < MIN_STATIC_SHARE * len(words):
        return 0.0
    at, first = 0, -1
    for run in filter(None, runs):
        place = _index_of(words, run, at)
        if place < 0:
            return 0.0
        first, at = (place if first < 0 else first), place + len(run)
    start, end = (0 if not runs[0] else first), (len(words) if not runs[-1] else at)
    return static / len(words) if 2 * (end - start) >= len(words) else 0.0


def _index_of(words: Sequence[str], run: Sequence[str], at: int) -> int:
    last = len(words) - len(run)
    return next((place for place in range(at, last + 1) if words[place : place + len(run)] == run), -1)


_XML_KEY = lazy_regex(r"<\w[^>\n]{0,80}\s(?:\w:)?(?:[Nn]ame|[Kk]ey|[Ii]d)=\"([\w.-]{1,120})\"")

_KEY = lazy_regex(r"(\s{0,80})(?:(?:[a-z]{2,10}|String) ){0,5}[\"']?([A-Za-z_][\w.-]{0,120})[\"']?\s{0,40}(?:=>|:|=)")

_CATALOGUE_FOLDER = lazy_regex(
    r"(?i)(?:^|[/._-])(?:i18n|intl|l10n|langs?|languages?|locales?|locali[sz]ations?|messages|translations|values"
    r"|strings|lproj|nls)(?=[/._-])"
)

_CONSTANT = lazy_regex(r"[A-Z][A-Z\d]{0,40}_[A-Z\d_]{1,80}")

_DISTINCTIVE = lazy_regex(r"[a-z\d][A-Z]|[_-]|\d")

MAX_LEVELS = 8


def entry_key(path: str, text: str, number: int) -> str:
    """Return the key of a catalogue's entry in a line, with the keys around it and dots between; empty if none.

    A named constant in code counts as one.
    """
    return _key_in(path, text.split("\n"), number)


def _key_in(path: str, lines: Sequence[str], number: int) -> str:
    line = lines[number - 1]
    is_catalogue = is_document(path) or _CATALOGUE_FOLDER.search(path) is not None
    if is_catalogue and (xml := _XML_KEY.search(line)) is not None:
        return xml[1]
    match = _KEY.match(line)
    if match is None and number > 1 and lines[number - 2].rstrip().endswith((":", "=", "=>")):
        match, number = _KEY.match(lines[number - 2]), number - 1
    if match is None:
        return ""
    if not is_catalogue:
        return match[2] if _CONSTANT.fullmatch(match[2]) else ""
    keys, indent = [match[2]], len(match[1])
    for above in reversed(lines[: number - 1]):
        if indent == 0 or len(keys) == MAX_LEVELS:
            break
        if len(above) - len(above.lstrip()) < indent and (outer := _KEY.match(above)) is not None:
            indent = len(outer[1])
            keys.insert(0, outer[2])
    return ".".join(keys)


def _translations(keys: Mapping[str, str]) -> set[str]:
    """Return the catalogues that repeat another one, in the language that the program is written in.

    They have the same key, or the same name in another folder.
    """
    entries: dict[str, list[str]] = {}
    for path, key in keys.items():
        if key:
            entries.setdefault(key.rpartition(".")[2], []).append(path)
        if _CATALOGUE_FOLDER.search(path) is not None:
            entries.setdefault(path.rpartition("/")[2], []).append(path)
    return {path for paths in entries.values() for path in sorted(paths, key=_catalogue_order)[1:]}


def _catalogue_order(path: str) -> tuple[bool, int, str]:
    return not _is_original(path), len(path), path


def _is_original(path: str) -> bool:
    """Whether a catalogue's path says that it is in English, or in no particular language."""
    return not _ORIGINAL.isdisjoint(re.split(r"[/._-]", path.lower())) or "values" in path.split("/")


_ORIGINAL = frozenset(("en", "base", "english", "default"))


def likelihood_order(path: str) -> int:
    """Return the order of files that are equally likely to have a text: those in another language are last."""
    return (0 if _is_original(path) else 2) if _CATALOGUE_FOLDER.search(path) is not None else 1


MIN_KEYS, MAX_KEYS, MIN_LETTERS = 2, 24, 4
"""Number of keys that have to share a word, of entries that are read for one, and of letters of a word looked up."""


def code_words_of_labels(term: str, paths: Sequence[str], read: ReadFiles) -> list[str]:
    """Return the words that most keys of a catalogue's entries with a term share, if hardly any code has the term.

    `paths` are the files with the term. What users see as "passkey", the code may call `webauthn`.
    """
    catalogues = [path for path in paths if is_document(path) and _CATALOGUE_FOLDER.search(path) is not None]
    sources = [path for path in paths if not is_document(path)]
    if not catalogues or len(sources) > MAX_SOURCES or len(term) < MIN_LETTERS:
        return []
    path = min(catalogues, key=_catalogue_order)
    lines = read([path]).get(path, "").split("\n")
    numbers = [number for number, line in enumerate(lines, 1) if _is_seen(term.removesuffix("y"), line)]
    keys = list(dict.fromkeys(filter(None, (_key_in(path, lines, number) for number in numbers[:MAX_KEYS]))))
    counts = Counter(word for key in keys for word in count_terms(key))
    least = max(MIN_KEYS, len(keys) / 2)
    common = [word for word, count in counts.most_common() if count >= least and word != term]
    return [word for word in common if word not in _WORDS_OF_EVERY_KEY]


MAX_TEXT_LINES, MIN_TOGETHER, MIN_DICE, WORDS_OF_TERM = 4_000, 2, 0.5, 2
"""Number of lines of a catalogue that are compared; number of entries in which an English word stands for a term, and
twice their share of the entries with either; and number of words for one term.
"""


def words_of_translated_texts(files: Mapping[str, Collection[str]], read: ReadFiles) -> list[str]:
    """Return the words for terms that only translations have, likeliest first.

    `files` are the translations with each term. The entries with "Schlagwort" have keys and English texts with "tag".
    """
    counts = Counter(path for paths in files.values() for path in paths)
    path = min(counts, key=lambda path: (-counts[path], _catalogue_order(path)), default="")
    translated = _texts_by_key(path, read)
    english = next(filter(None, (_texts_by_key(other, read) for other in english_paths(path))), {})
    words = {
        key: frozenset(query_terms(f"{_KEY_PARTS.sub(' ', key)} {english[key]}"))
        for key in translated
        if key in english
    }
    with_word = Counter(word for own in words.values() for word in own)
    with_term: dict[str, list[str]] = {}
    for key in words:
        for term in files.keys() & count_terms(translated[key]).keys():
            with_term.setdefault(term, []).append(key)
    found: dict[str, float] = {}
    for keys in with_term.values():
        together = Counter(word for key in keys for word in words[key])
        dice = {word: 2 * n / (len(keys) + with_word[word]) for word, n in together.items() if n >= MIN_TOGETHER}
        for word in sorted(dice, key=lambda word: (-dice[word], word))[:WORDS_OF_TERM]:
            found[word] = max(dice[word], found.get(word, 0.0))
    likely = [word for word, value in found.items() if value >= MIN_DICE and word not in files]
    return sorted(likely, key=lambda word: (-found[word], word))


_KEY_PARTS = lazy_regex(r"(?<=[a-z])(?=[A-Z])|[._-]")


def _texts_by_key(path: str, read: ReadFiles) -> dict[str, str]:
    """Return what users see of a catalogue's entries, without those whose keys several have."""
    texts: dict[str, str] = {}
    keys = Counter[str]()
    for line in read([path]).get(path, "").split("\n")[:MAX_TEXT_LINES] if path else ():
        match = _XML_KEY.search(line) or _KEY.match(line)
        if match is not None:
            key = match[match.lastindex or 0]
            keys[key] += 1
            texts[key] = _shown_text(line)
    return {key: text for key, text in texts.items() if keys[key] == 1}


_MARKUP = lazy_regex(r"<[^<>\n]{0,400}>")


def _shown_text(line: str) -> str:
    """Return what users see of a catalogue's entry."""
    plain = _MARKUP.sub(" ", line)
    return plain if plain != line else _KEY_END.split(line, 1)[-1]


def _is_seen(start: str, line: str) -> bool:
    """Whether a catalogue's entry has a word with a start in its text, and not only in its key."""
    text = _KEY_END.split(line[:MAX_LINE_CHARACTERS].casefold(), 1)[-1]
    return start in text and any(word.startswith(start) for word in _WORD.findall(text))


_KEY_END = lazy_regex(r"[:=>]")

MAX_SOURCES = 3
"""A term in more files of code than this leads to them."""

_WORDS_OF_EVERY_KEY = frozenset(map(stem, (
    "page", "label", "title", "text", "message", "string", "localization", "localizations", "unit", "value", "button",
    "menu", "error", "form", "field", "name", "settings", "tooltip", "description", "heading", "common", "general",
)))  # fmt: skip


def _uses(catalogue: str, key: str, candidates: FindCandidates, read: ReadFiles) -> list[QuotedPlace]:
    """Return the lines that use an entry's key, or the end of it that is used."""
    parts = key.split(".")
    name = catalogue.rpartition("/")[2]
    folder, ending = catalogue.removesuffix(name), name.rpartition(".")[2]
    texts = read(
        [
            path
            for path in candidates(" ".join(parts[-2:]))
            if path.rpartition("/")[2] != name
            and not (path.startswith(folder) and path.endswith(f".{ending}") and is_document(catalogue))
            and not (is_document(path) and _CATALOGUE_FOLDER.search(path))
        ]
    )
    for used in (f"{name.partition('.')[0]}.{key}", *(".".join(parts[at:]) for at in range(len(parts)))):
        is_clear = "." in used or _DISTINCTIVE.search(used) is not None
        found = {path: at for path, text in texts.items() if (at := _used_at(text, used, is_clear=is_clear)) >= 0}
        if len(found) > MAX_PLACES:
            return []
        if found:
            share = 1 / math.sqrt(len(found))
            return [
                QuotedPlace(path, texts[path].count("\n", 0, at) + 1, share, is_use=True) for path, at in found.items()
            ]
    return []


def _used_at(text: str, key: str, *, is_clear: bool) -> int:
    """Return where a text has a key; a plain word counts only as a string or the last part of a name."""
    at = text.find(key)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(key) : at + len(key) + 1]
        if not _is_name_part(after) and (not _is_name_part(before) if is_clear else before in _BEFORE_KEY):
            return at
        at = text.find(key, at + 1)
    return -1


_BEFORE_KEY = frozenset("./\"'`:@")


def _is_name_part(char: str) -> bool:
    return char.isalnum() or char in ("_", "-")
