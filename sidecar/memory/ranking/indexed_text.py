"""What of an entry's wording the index keeps: its terms in order, and what kind of telling it is. Pure."""

from enum import IntFlag
from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.core.terms import STOP_WORDS, count_terms, join_terms, stem, words_in

MANY = 3


class Trait(IntFlag):
    """What can be seen of a wording without knowing what was asked."""

    QUESTION = 1
    """It asks something."""
    MOMENT = 2
    """It says when: a weekday, a month, last week, yesterday."""
    NUMBER = 4
    NAMES = 8
    """It has names within its sentences."""
    QUOTES = 16
    CAUSE = 32
    """It says why."""
    PLACE = 64
    """It says where: a preposition before a name."""
    ENDS_ASKING = 128
    MANY_NAMES = 256


class Wording(NamedTuple):
    """The terms of an entry's title, text and tags, each joined by spaces, and its traits."""

    title: str
    text: str
    tags: str
    traits: int

    @property
    def terms(self) -> str:
        """All of them: title, text, tags."""
        return " ".join(filter(None, (self.title, self.text, self.tags)))


NO_WORDING = Wording("", "", "", 0)

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
_CAUSE = regex(r"\b(?:so that|so as|due to|in order|motivat\w+)\b")
_DIGIT = regex(r"\d")
_NAME = regex(r"[A-Z](?:(?<=[^\W\d_A-Z] [A-Z])|(?<=, [A-Z]))[a-z]+")
"""Begins with what is rare: a capital is found at memory speed, and only then looked at what stands before it."""
_QUOTE = regex(r"[\"“”«»`]")
_BEFORE_PLACES = ("in", "at", "from", "to", "near", "em", "en", "à", "nach")
_PLACE = regex(" [A-Z](?:{})".format("|".join(rf"(?<=\b{word} [A-Z])" for word in _BEFORE_PLACES)))
_ASKS = regex(r"[?？؟]")
_NO_SIGNS = bytes(byte for byte in range(128) if chr(byte) not in '?"`0123456789')
"""What three of the patterns look for is rare: in plain English all else is taken out at once before they run."""
_ENDS_ASKING = regex(r"[?？؟][\s)\]'\"”]*\Z")


def wording_of(title: str, text: str, tags: tuple[str, ...]) -> Wording:
    """Takes an entry's words apart; a title that only repeats how the text begins is not counted twice."""
    told = "" if text.startswith(title) else join_terms(title)
    return Wording(told, join_terms(text), join_terms(" ".join(tags)), int(_traits_of(text)))


def significant(text: str) -> tuple[str, ...]:
    """Gives a question's terms without the words that only make it one, each once; all of them if none is left."""
    every = tuple(term for term in count_terms(text) if len(term) > 1 or not term.isascii())
    return tuple(term for term in every if term not in QUESTION_WORDS) or every


def _traits_of(text: str) -> Trait:
    """Looks for words among words, and for what only a pattern can tell where a sign of it stands."""
    small = text.lower()
    words = frozenset(words_in(small))
    found = Trait(0)
    signs = text.encode().translate(None, _NO_SIGNS).decode() if text.isascii() else text
    if _ASKS.search(signs) is not None:
        found |= Trait.QUESTION | (Trait.ENDS_ASKING if _ENDS_ASKING.search(text) is not None else Trait(0))
    if not words.isdisjoint(_MOMENTS) or "this morning" in small:
        found |= Trait.MOMENT
    if not words.isdisjoint(_NUMBERS) or _DIGIT.search(signs) is not None:
        found |= Trait.NUMBER
    if _QUOTE.search(signs) is not None:
        found |= Trait.QUOTES
    if not words.isdisjoint(_CAUSES) or _tells_why(small):
        found |= Trait.CAUSE
    return found if small == text else found | _names_in(text)


def _tells_why(small: str) -> bool:
    return any(sign in small for sign in _CAUSE_SIGNS) and _CAUSE.search(small) is not None


def _names_in(text: str) -> Trait:
    found = Trait.PLACE if _PLACE.search(text) is not None else Trait(0)
    if _NAME.search(text) is None:
        return found
    return found | Trait.NAMES | (Trait.MANY_NAMES if len(_NAME.findall(text)) >= MANY else Trait(0))


_ASKING = (
    "go", "goes", "gone", "went", "kind", "type", "someone", "anyone", "ever", "happen", "many", "much", "often",
    "long", "say", "said", "tell", "told", "think", "during", "whose", "she", "doesn", "didn", "don", "isn", "wasn",
    "won", "ve", "ll", "re", "decide", "decided", "decision", "remember", "recall",
    "quando", "onde", "qual", "quais", "quem", "quanto", "como", "cuando", "cuándo", "dónde", "cuál", "quién", "qué",
    "cómo", "quand", "où", "quel", "quelle", "qui", "quoi", "comment", "wann", "wo", "wer", "was", "warum", "wie",
    "welche",
)  # fmt: skip
_TELLING = (
    "add", "added", "because", "before", "after", "again", "all", "both", "each", "few", "more", "most", "other",
    "only", "same", "via", "try", "new", "old", "way", "work", "works", "working", "across", "today", "depend",
    "depends", "look", "looks", "see", "show", "file", "files", "code", "use", "used", "using", "need", "want", "make",
    "let", "done", "out", "up", "into", "from", "without", "not", "no", "now",
)  # fmt: skip
"""Words that say little of what a task is about, and something of what a memory says."""
QUESTION_WORDS = (STOP_WORDS | frozenset(term for word in _ASKING for term in (word, stem(word)))) - frozenset(
    term for word in _TELLING for term in (word, stem(word))
)
"""Terms that make a question and say nothing of what it is about."""
