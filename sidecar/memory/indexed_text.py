"""An entry's text as stored in the index: its terms in order, and traits of its wording. Pure."""

from enum import IntFlag
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import STOP_WORDS, count_terms, join_terms, stem, words_in

MIN_MANY_NAMES = 3


class Trait(IntFlag):
    """Query-independent traits of a text."""

    QUESTION = 1
    """Contains a question."""
    MOMENT = 2
    """Names a time: a weekday, a month, last week, yesterday."""
    NUMBER = 4
    NAMES = 8
    """Has names within its sentences."""
    QUOTES = 16
    CAUSE = 32
    """Has a reason."""
    PLACE = 64
    """Names a place: a preposition before a name."""
    ENDS_WITH_QUESTION = 128
    MANY_NAMES = 256


class IndexedText(NamedTuple):
    """The terms of an entry's title, text and tags, each joined by spaces, and its traits."""

    title: str
    text: str
    tags: str
    traits: int

    @property
    def terms(self) -> str:
        """All terms: title, text, tags."""
        return " ".join(filter(None, (self.title, self.text, self.tags)))


NO_TEXT = IndexedText("", "", "", 0)

_MOMENTS = frozenset((
    "yesterday", "today", "tonight", "tomorrow", "last", "next", "ago", "recently", "weekend", "week", "weeks",
    "month", "months", "year", "years", "ontem", "hoje", "amanhã", "semana", "ayer", "hoy", "mañana", "hier", "demain",
    "semaine", "gestern", "heute", "morgen", "woche",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
    "novembro", "dezembro", "enero", "febrero", "marzo", "mayo", "junio", "julio", "septiembre", "octubre",
    "noviembre", "diciembre", "janvier", "février", "mars", "avril", "juin", "juillet", "août", "septembre", "octobre",
    "novembre", "décembre", "januar", "februar", "märz", "juni", "juli", "oktober", "dezember",
    *map(str, range(1900, 2100)),
))  # fmt: skip
_NUMBERS = frozenset((
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "once", "twice", "couple", "few",
    "several", "many",
))  # fmt: skip
_CAUSES = frozenset((
    "because", "since", "wanted", "reason", "inspired", "help", "helps", "avoid", "avoids", "porque", "parce", "weil",
))  # fmt: skip
_CAUSE_SIGNS = ("so that", "so as", "due to", "in order", "motivat")
_CAUSE = lazy_regex(r"\b(?:so that|so as|due to|in order|motivat\w+)\b")
_DIGIT = lazy_regex(r"\d")
_NAME = lazy_regex(r"[A-Z](?:(?<=[^\W\d_A-Z] [A-Z])|(?<=, [A-Z]))[a-z]+")
"""The pattern begins with what is rare: a capital is found at memory speed, and only then what precedes it is checked.
"""
_QUOTE = lazy_regex(r"[\"“”«»`]")
_BEFORE_PLACES = ("in", "at", "from", "to", "near", "em", "en", "à", "nach")
_PLACE = lazy_regex(" [A-Z](?:{})".format("|".join(rf"(?<=\b{word} [A-Z])" for word in _BEFORE_PLACES)))
_QUESTION_MARK = lazy_regex(r"[?？؟]")
_NOT_SIGNS = bytes(byte for byte in range(128) if chr(byte) not in '?"`0123456789')
"""Three of the patterns look for rare characters: in ASCII text all others are removed at once before they run."""
_FINAL_QUESTION_MARK = lazy_regex(r"[?？؟][\s)\]'\"”]*\Z")


def index_text(title: str, text: str, tags: tuple[str, ...]) -> IndexedText:
    """Index an entry's words; a title that only repeats the beginning of the text is not counted twice."""
    title_terms = "" if text.startswith(title) else join_terms(title)
    return IndexedText(title_terms, join_terms(text), join_terms(" ".join(tags)), int(_traits_of(text)))


def terms_without_question_words(text: str) -> tuple[str, ...]:
    """Return a query's terms without question words, each once; all terms if none would remain."""
    terms = tuple(term for term in count_terms(text) if len(term) > 1 or not term.isascii())
    return tuple(term for term in terms if term not in QUESTION_WORDS) or terms


def _traits_of(text: str) -> Trait:
    """Detect traits by word sets, and by a pattern only where a sign of it occurs."""
    lowercase = text.lower()
    words = frozenset(words_in(lowercase))
    traits = Trait(0)
    signs = text.encode().translate(None, _NOT_SIGNS).decode() if text.isascii() else text
    if _QUESTION_MARK.search(signs) is not None:
        traits |= Trait.QUESTION | (
            Trait.ENDS_WITH_QUESTION if _FINAL_QUESTION_MARK.search(text) is not None else Trait(0)
        )
    if not words.isdisjoint(_MOMENTS) or "this morning" in lowercase:
        traits |= Trait.MOMENT
    if not words.isdisjoint(_NUMBERS) or _DIGIT.search(signs) is not None:
        traits |= Trait.NUMBER
    if _QUOTE.search(signs) is not None:
        traits |= Trait.QUOTES
    if not words.isdisjoint(_CAUSES) or _has_reason(lowercase):
        traits |= Trait.CAUSE
    return traits if lowercase == text else traits | _names_in(text)


def _has_reason(lowercase: str) -> bool:
    return any(sign in lowercase for sign in _CAUSE_SIGNS) and _CAUSE.search(lowercase) is not None


def _names_in(text: str) -> Trait:
    traits = Trait.PLACE if _PLACE.search(text) is not None else Trait(0)
    if _NAME.search(text) is None:
        return traits
    return traits | Trait.NAMES | (Trait.MANY_NAMES if len(_NAME.findall(text)) >= MIN_MANY_NAMES else Trait(0))


_QUESTION_FILLERS = (
    "go", "goes", "gone", "went", "kind", "type", "someone", "anyone", "ever", "happen", "many", "much", "often",
    "long", "say", "said", "tell", "told", "think", "during", "whose", "she", "doesn", "didn", "don", "isn", "wasn",
    "won", "ve", "ll", "re", "decide", "decided", "decision", "remember", "recall",
    "quando", "onde", "qual", "quais", "quem", "quanto", "como", "cuando", "cuándo", "dónde", "cuál", "quién", "qué",
    "cómo", "quand", "où", "quel", "quelle", "qui", "quoi", "comment", "wann", "wo", "wer", "was", "warum", "wie",
    "welche",
)  # fmt: skip
_CONTENT_WORDS = (
    "add", "added", "because", "before", "after", "again", "all", "both", "each", "few", "more", "most", "other",
    "only", "same", "via", "try", "new", "old", "way", "work", "works", "working", "across", "today", "depend",
    "depends", "look", "looks", "see", "show", "file", "files", "code", "use", "used", "using", "need", "want", "make",
    "let", "done", "out", "up", "into", "from", "without", "not", "no", "now",
)  # fmt: skip
"""Stop words of a task that carry meaning in a memory."""
QUESTION_WORDS = (
    STOP_WORDS | frozenset(term for word in _QUESTION_FILLERS for term in (word, stem(word)))
) - frozenset(term for word in _CONTENT_WORDS for term in (word, stem(word)))
"""Terms that make a question and say nothing about its subject."""
