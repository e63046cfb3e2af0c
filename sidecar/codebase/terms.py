"""Texts → terms: identifiers split, case folded, any script. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\x00-\x7f]+")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:[.:][A-Za-z_]\w*)*")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_PATH = re.compile(r"(?:[\w@.+-]+[/\\])*[\w@+-][\w@.+-]*\.[A-Za-z][A-Za-z0-9]{0,9}\b")

STOP_WORDS = frozenset(
    (
        "a an and are as at be been being but by can could did do does doing done for from get had has have he her him his how i if in into is it its"
        " just let like make me my need no not now of on or our out please should so some such than that the their them then there these"
        " they this those to too up us use used using want was we were what when where which while who why will with would you your"
        " add added also any because before after again all both each few more most other only own same very via try new old way"
        " thing things something work works working look looks see show file files code"
        " e o os as de da do das dos em um uma para por com que não se na no nos el la los las un una y en del con"
        " le les des du et est pour dans sur une der die das und ist nicht ein eine zu mit den von im auf"
    ).split()
)


def terms_of(text: str) -> Iterator[str]:
    """Yields the terms of a text in order, with repetitions: whole words and the parts of identifiers."""
    for word in _WORD.findall(text):
        yield from _terms_of_word(word)


def count_terms(text: str) -> dict[str, int]:
    """Counts the terms of a text; each distinct word is taken apart once, which is most of the time saved."""
    counted: dict[str, int] = {}
    for word, count in Counter(_WORD.findall(text)).items():
        for term in _terms_of_word(word):
            counted[term] = counted.get(term, 0) + count
    return counted


@lru_cache(maxsize=32_768)
def _terms_of_word(word: str) -> tuple[str, ...]:
    if _UNSPACED.search(word):
        return tuple(_pairs(word))
    folded = word.casefold()
    if folded == word and not _DIGIT.search(word):
        return (stem(folded),)
    parts = _CAMEL.findall(word)
    if len(parts) < 2:
        return (stem(folded),)
    return (stem(folded), *(stem(part.casefold()) for part in parts if len(part) > 1))


def query_terms(text: str) -> list[str]:
    """Gives the significant terms of a prompt, each once, in order of first use."""
    found = (term for term in terms_of(text) if len(term) > 1 and term not in STOP_WORDS and not term.isdigit())
    return list(dict.fromkeys(found))


def query_words(text: str) -> dict[str, str]:
    """Gives the significant terms of a prompt with the word each was first read from."""
    words: dict[str, str] = {}
    for match in _WORD.finditer(text):
        for term in query_terms(match[0]):
            words.setdefault(term, match[0].casefold())
    return words


def identifiers_of(text: str) -> list[str]:
    """Gives the words of a prompt that look like names from code: camelCase, snake_case, dotted, quoted."""
    found = (
        match[0]
        for match in _IDENTIFIER.finditer(text)
        if re.search(r"[a-z][A-Z]|_|[.:]|\d", match[0].strip("_")) or match[0].startswith("_")
    )
    return list(dict.fromkeys(found))


def paths_in(text: str) -> list[str]:
    """Gives what looks like file paths in a prompt, slashes turned forward."""
    return list(dict.fromkeys(match[0].replace("\\", "/") for match in _PATH.finditer(text)))


def stem(word: str) -> str:
    """Takes the commonest English endings off, so that `caches`, `cached` and `caching` meet."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 5 and word.endswith("ing"):
        return _undouble(word[:-3])
    if len(word) > 4 and word.endswith("ed") and not word.endswith("eed"):
        return _undouble(word[:-2])
    if len(word) > 5 and word.endswith("ll"):
        return word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _undouble(word: str) -> str:
    doubled = len(word) > 3 and word[-1] == word[-2]
    return word[:-1] if doubled and (word[-1] not in "lsz" or len(word) > 5) else word


def _pairs(word: str) -> Iterator[str]:
    if len(word) == 1:
        yield word
    for left, right in zip(word, word[1:], strict=False):
        yield left + right
