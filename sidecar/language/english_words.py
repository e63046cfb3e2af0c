"""English words for what a prompt says in another language, because most code is written in English. Pure.

A language's words (`english/*.txt`, a word and its translations per line) are read when a prompt is in it.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import words_in
from sidecar.language.rule_synonyms import FUNCTION_WORDS_OF, folded, is_unspaced

Lexicon = Mapping[str, tuple[str, ...]]
"""A folded word → its English words, the likeliest first."""

MAX_CHARACTERS, MAX_WORDS = 4_000, 120
"""A text is read up to this length, and has at most this many English words."""

MIN_STEM, MAX_ENDING = 5, 2
"""A word that is not listed is read as the listed one with the longest common beginning: minimum length of that, and
maximum number of letters after it."""

MIN_PART = 4
_LINKS = ("", "s", "n", "en", "es")
"""Letters between the parts of a German or Dutch compound."""

_SPACED = ("de", "es", "fr", "it", "nl", "pt")
_COMPOUNDING = ("de", "nl")
_UNSPACED_RUN = lazy_regex("[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]{1,200}")
_WORD = lazy_regex(r"[^\W\d_]+")
_FOLDER = Path(__file__).parent / "english"


def language_of(text: str) -> str:
    """Return the language of a text by its script and its function words; empty if they do not show it."""
    if any(map(is_unspaced, text)):
        return "ja" if any("\u3040" <= char <= "\u30ff" for char in text) else "zh"
    if sum("\u0400" <= char <= "\u04ff" for char in text) > len(text) / 4:
        return "ru"
    words = set(_WORD.findall(folded(text)))
    counts = sorted(((len(words & own), language) for language, own in FUNCTION_WORDS_OF.items()), reverse=True)
    (best, language), (second, _) = counts[0], counts[1]
    return language if best > second and best >= 2 else ""


def english_words(text: str) -> tuple[str, ...]:
    """Return the English words for a text in another language, each once; none for one in English."""
    text = text[:MAX_CHARACTERS]
    language = _language(text)
    if not language:
        return ()
    lexicon = _lexicon(language)
    found = _of_unspaced(text, lexicon) if language in ("ja", "zh") else _of_spaced(text, lexicon, language)
    return tuple(dict.fromkeys(found))[:MAX_WORDS]


def _language(text: str) -> str:
    """Return the language of a text; empty for English, and for a few words that say too little."""
    language = language_of(text)
    if not language:
        words = [folded(word) for word in words_in(text)]
        known = {language: sum(map(own.__contains__, words)) for language, own in FUNCTION_WORDS_OF.items()}
        if known["en"] <= max(known[language] for language in _SPACED):
            known = {
                language: known[language] + sum(map(_lexicon(language).__contains__, words)) for language in _SPACED
            }
            known["en"] = sum(word in FUNCTION_WORDS_OF["en"] or word in _english() for word in words)
        language = max(known, key=lambda name: (known[name], name == "en"))
    return "" if language == "en" else language


@lru_cache(maxsize=16)
def _lexicon(language: str) -> Lexicon:
    rows = map(str.split, (_FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines())
    return {word: tuple(english) for word, *english in rows}


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    """Return the English words of the spaced languages."""
    return frozenset(word for language in _SPACED for words in _lexicon(language).values() for word in words)


@lru_cache(maxsize=16)
def _beginnings(language: str) -> Mapping[str, str]:
    """Return the shortest listed word for each beginning of at least `MIN_STEM` letters."""
    beginnings: dict[str, str] = {}
    for word in sorted(_lexicon(language), key=lambda word: (len(word), word)):
        for length in range(max(MIN_STEM, len(word) - MAX_ENDING), len(word) + 1):
            beginnings.setdefault(word[:length], word)
    return beginnings


def _of_spaced(text: str, lexicon: Lexicon, language: str) -> Iterator[str]:
    for written in words_in(text):
        word = folded(written)
        if word in FUNCTION_WORDS_OF[language] or not word.isalpha() or (word in _english() and word not in lexicon):
            continue
        listed = _listed(word, lexicon, language)
        if listed:
            yield from lexicon[listed]
        elif language in _COMPOUNDING:
            for part in _parts(word, lexicon, language):
                yield from lexicon[part]


def _listed(word: str, lexicon: Lexicon, language: str) -> str:
    """Return a word as it is listed, or the one that differs in its ending; empty if there is none."""
    if word in lexicon:
        return word
    beginnings = _beginnings(language)
    lengths = range(len(word), max(MIN_STEM, len(word) - MAX_ENDING) - 1, -1)
    return next((beginnings[word[:length]] for length in lengths if word[:length] in beginnings), "")


def _parts(word: str, lexicon: Lexicon, language: str) -> tuple[str, ...]:
    """Return the two listed words of a compound, the last one as long as possible."""
    for at in range(MIN_PART, len(word) - MIN_PART + 1):
        last = _listed(word[at:], lexicon, language)
        if not last:
            continue
        for link in _LINKS:
            first = word[:at].removesuffix(link) if link else word[:at]
            if len(first) >= MIN_PART and (link == "" or word[:at].endswith(link)) and first in lexicon:
                return first, last
    return ()


def _of_unspaced(text: str, lexicon: Lexicon) -> Iterator[str]:
    longest = max(map(len, lexicon), default=0)
    for run in _UNSPACED_RUN.findall(text):
        at = 0
        while at < len(run):
            length = next((n for n in range(min(longest, len(run) - at), 0, -1) if run[at : at + n] in lexicon), 0)
            yield from lexicon.get(run[at : at + length], ())
            at += length or 1
