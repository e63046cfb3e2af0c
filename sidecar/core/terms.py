"""Texts → terms: identifiers split, case folded, accents dropped, any script. Pure."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise

from sidecar.core.lazy_regex import regex

MAX_WORD = 100
"""A longer run of letters and digits is data, not a word."""

MAX_KNOWN = 8_192
"""So many words are remembered with their terms, in some 3 MB; a file of code has about 300. Four times as many save
one part in fourteen of the time."""

_ONLY_WORDS = bytes(
    byte if chr(byte).isascii() and (chr(byte).isalnum() or byte == 0x5F) else 0x20 for byte in range(256)
)
_WORD = regex(r"[^\W_]+(?:_+[^\W_]+)*")
_CAMEL = regex(r"[A-Z]{2,}(?=s(?![a-z]))|[A-Z]+(?=[A-Z][a-z])|(?<=[A-Z])s(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_IDENTIFIER = regex(r"[A-Za-z_$][\w$]*(?:(?:\.|::?)[A-Za-z_]\w*)*")
_NAME_LIKE = regex(r"[a-z][A-Z]|_|[.:]|\d")
_UNSPACED_SCRIPTS = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_UNSPACED = regex(f"[{_UNSPACED_SCRIPTS}]")
_SCRIPT_RUN = regex(f"[{_UNSPACED_SCRIPTS}]+|[^{_UNSPACED_SCRIPTS}]+")
_ACCENT = regex("[\u0300-\u036f]")
_PATH_TOKEN = regex(r"[\w@.+/\\$\[\]~-]+")
_FILE_NAME = regex(r"\.?[^.].*\.[A-Za-z][A-Za-z0-9]{0,9}|\.[A-Za-z][\w-]+")
_NAMES_WITHOUT_SUFFIX = frozenset(
    ("Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Gemfile", "Rakefile", "Vagrantfile", "Justfile", "justfile")
)
_ABBREVIATIONS = frozenset(("e.g", "i.e", "z.B", "a.k.a"))

_VOWEL = regex("[aeiouy]")

_STOP_WORDS = (
    "a", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could", "did", "do", "does",
    "doing", "done", "for", "from", "get", "had", "has", "have", "he", "her", "him", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "just", "let", "like", "make", "me", "my", "need", "no", "not", "now", "of", "on", "or",
    "our", "out", "please", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "too", "up", "us", "use", "used", "using", "want", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you", "your", "add", "added",
    "also", "any", "because", "before", "after", "again", "all", "both", "each", "few", "more", "most", "other", "only",
    "own", "same", "very", "via", "try", "new", "old", "way", "thing", "things", "something", "work", "works",
    "working", "about", "around", "across", "today", "depend", "depends",
    "look", "looks", "see", "show", "file", "files", "code",
    "e", "o", "os", "da", "das", "dos", "em", "um", "uma", "para", "por", "com", "que", "não", "se", "na", "nos", "el",
    "la", "los", "las", "un", "una", "y", "en", "del", "con", "le", "les", "des", "du", "et", "est", "pour", "dans",
    "sur", "une", "der", "die", "und", "ist", "nicht", "ein", "eine", "zu", "mit", "den", "von", "im", "auf",
)  # fmt: skip


def terms_of(text: str) -> Iterator[str]:
    """Yields the terms of a text in order, with repetitions: whole words and the parts of identifiers."""
    for word in words_in(text):
        yield from _KNOWN[word]


def join_terms(text: str) -> str:
    """Gives the terms of a text in order, with repetitions, joined by spaces. No step of it is the interpreter's."""
    return " ".join(chain.from_iterable(map(_KNOWN.__getitem__, words_in(text))))


def count_terms(text: str) -> dict[str, int]:
    """Counts the terms of a text in the order of their first use. No step of it is a loop of the interpreter's."""
    return dict(Counter(chain.from_iterable(map(_KNOWN.__getitem__, words_in(text)))))


def query_terms(text: str) -> list[str]:
    """Gives the significant terms of a prompt, each once, in order of first use."""
    return list(query_words(text))


def query_words(text: str) -> dict[str, str]:
    """Gives the significant terms of a prompt with the word each was first read from."""
    words: dict[str, str] = {}
    for word in words_in(text):
        folded = word.strip("_").casefold()
        if folded in STOP_WORDS:
            continue
        whole, *parts = _KNOWN[word] or ("",)
        for term in (whole, *parts):
            if len(term) > 1 and term not in STOP_WORDS and not term.isdigit():
                words.setdefault(term, folded if term == whole or not parts else _part(folded, term))
    return words


def _part(word: str, term: str) -> str:
    """The part of a name that a term was read from, as far as it can be told: the stem is mostly its beginning."""
    parts = (part for part in word.split("_") if stem(part) == term)
    return next(parts, term)


def identifiers_of(text: str) -> list[str]:
    """Gives the words of a prompt that look like names from code: camelCase, snake_case, dotted, quoted."""
    found = (
        match[0]
        for match in _IDENTIFIER.finditer(text)
        if _NAME_LIKE.search(match[0].strip("_")) or match[0].startswith("_")
    )
    return list(dict.fromkeys(found))


def paths_in(text: str) -> list[str]:
    """Gives what looks like file paths in a prompt or a stack trace, slashes turned forward, none at the front."""
    found: dict[str, None] = {}
    for token in _PATH_TOKEN.findall(text):
        path = _unwrapped(token).replace("\\", "/").rstrip("./").lstrip("/")
        path = path.removeprefix("./")
        name = path.rpartition("/")[2]
        if path not in _ABBREVIATIONS and (_FILE_NAME.fullmatch(name) or name in _NAMES_WITHOUT_SUFFIX):
            found.setdefault(path)
    return list(found)


def stem(word: str) -> str:
    """Takes the commonest English endings off, so that `caches`, `cached` and `caching` meet."""
    if len(word) < 4 or not word.isascii():
        return word
    word = _singular(word)
    if word.endswith("ing") and len(word) > 5 and _VOWEL.search(word[:-3]):
        word = word[:-3]
    elif word.endswith("ied") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("ed") and not word.endswith("eed") and len(word) > 4 and _VOWEL.search(word[:-2]):
        word = word[:-2]
    elif word.endswith("ie") and len(word) > 4:
        return word[:-2] + "y"
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and (word[-1] not in "aeioulsz" or len(word) > 5):
        word = word[:-1]
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "shes", "sses", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


STOP_WORDS = frozenset(_STOP_WORDS) | frozenset(stem(word) for word in _STOP_WORDS)
"""Words that say nothing of a task, as they are written and as terms."""


def words_in(text: str) -> list[str]:
    """Cuts a text into words, some with low lines around them; in plain English by a table, ten times as fast."""
    if text.isascii():
        return text.encode().translate(_ONLY_WORDS).decode("ascii").split()
    return _WORD.findall(unicodedata.normalize("NFC", text))


class _Known(dict[str, tuple[str, ...]]):
    """Words → their terms, remembered up to a number of words, and then anew."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms = _terms_of_word(word.strip("_"))
        if len(word) <= MAX_WORD:
            if len(self) >= MAX_KNOWN:
                self.clear()
            self[word] = terms
        return terms


_KNOWN = _Known()


def forget_words() -> None:
    """Lets go of the words that are remembered with their terms: after many files, few are asked for again."""
    _KNOWN.clear()


def _terms_of_word(word: str) -> tuple[str, ...]:
    if "_" in word:
        return _terms_of_snake_case(word)
    if not 0 < len(word) <= MAX_WORD:
        return ()
    if word.isascii():
        return _terms_of_run(word)
    if _UNSPACED.search(word):
        return tuple(term for run in _SCRIPT_RUN.findall(word) for term in _terms_of_run(run))
    return _terms_of_run(word)


def _terms_of_snake_case(word: str) -> tuple[str, ...]:
    """The name as one term, so that `into_response` and `intoResponse` meet, and the terms of its parts."""
    parts = [part for part in word.split("_") if 0 < len(part) <= MAX_WORD]
    terms = tuple(term for part in parts for term in _terms_of_word(part))
    if len(parts) < 2 or len(word) > MAX_WORD:
        return terms
    return (stem(_without_accents("".join(parts)).casefold()), *terms)


def _terms_of_run(word: str) -> tuple[str, ...]:
    """The terms of a word in one kind of script: pairs where words are not spaced, else the word and its parts."""
    if word.isascii() and (word.islower() or word.isdigit()) and (word.isalpha() or word.isdigit()):
        return (stem(word),)
    if _UNSPACED.match(word):
        return _pairs(word)
    plain = _without_accents(word)
    whole = stem(plain.casefold())
    parts = _CAMEL.findall(plain) if plain.isascii() else _cased_parts(plain)
    if len(parts) < 2:
        return (whole,)
    return (whole, *(stem(part.casefold()) for part in parts if len(part) > 1))


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFKD", word)))


def _cased_parts(word: str) -> list[str]:
    """Splits where a small letter is followed by a capital one, in any script that has both."""
    cuts = [0, *(at for at, (left, right) in enumerate(pairwise(word), 1) if left.islower() and right.isupper())]
    return [word[start:end] for start, end in pairwise([*cuts, len(word)])]


def _pairs(word: str) -> tuple[str, ...]:
    return (word,) if len(word) == 1 else tuple(left + right for left, right in pairwise(word))


def _unwrapped(token: str) -> str:
    """Takes off brackets that enclose a path rather than belong to it, as in `app/[id]/page.tsx`."""
    if token.startswith("[") and (token.endswith("]") or "]" not in token):
        return token.strip("[]")
    return token.rstrip("]") if "[" not in token else token
