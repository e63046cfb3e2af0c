"""What of an entry's wording the index keeps: its terms in order, and what kind of telling it is. Pure."""

import re
from enum import IntFlag
from typing import NamedTuple

from sidecar.core.regex import regex
from sidecar.core.terms import STOP_WORDS, stem, terms_of

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

_MONTHS = (
    "january|february|march|april|june|july|august|september|october|november|december|janeiro|fevereiro|março|abril"
    "|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|enero|febrero|marzo|mayo|junio|julio|septiembre"
    "|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|décembre|januar"
    "|februar|märz|juni|juli|oktober|dezember"
)
_MOMENT = regex(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|this (?:week|month|year|weekend|morning)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|weeks?|months?|years?|(?:19|20)\d\d|ontem|hoje|amanhã"
    r"|semana|ayer|hoy|mañana|hier|demain|semaine|gestern|heute|morgen|woche|" + _MONTHS + r"|May)\b",
    re.IGNORECASE,
)
_NUMBER = regex(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|many)\b", re.IGNORECASE
)
_NAME = regex(r"(?<=[^\W\d_A-Z] )[A-Z][a-z]+|(?<=, )[A-Z][a-z]+")
_QUOTE = regex(r"[\"“”«»`]")
_CAUSE = regex(
    r"\b(?:because|since|so that|so as|due to|wanted|reason|inspired|motivat\w+|in order|helps?|avoids?|porque|parce"
    r"|weil)\b",
    re.IGNORECASE,
)
_PLACE = regex(r"\b(?:in|at|from|to|near|em|en|à|nach) [A-Z]")
_ASKS = regex(r"[?？؟]")
_ENDS_ASKING = regex(r"[?？؟][\s)\]'\"”]*\Z")


def wording_of(title: str, text: str, tags: tuple[str, ...]) -> Wording:
    """Takes an entry's words apart; a title that only repeats how the text begins is not counted twice."""
    told = "" if text.startswith(title) else " ".join(terms_of(title))
    return Wording(told, " ".join(terms_of(text)), " ".join(terms_of(" ".join(tags))), int(_traits_of(text)))


def significant(text: str) -> tuple[str, ...]:
    """Gives a question's terms without the words that only make it one, each once; all of them if none is left."""
    every = tuple(dict.fromkeys(term for term in terms_of(text) if len(term) > 1 or not term.isascii()))
    return tuple(term for term in every if term not in QUESTION_WORDS) or every


def _traits_of(text: str) -> Trait:
    found = Trait(0)
    for trait, pattern in _PATTERNS:
        if pattern.search(text) is not None:
            found |= trait
    if found & Trait.NAMES and len(_NAME.findall(text)) >= MANY:
        found |= Trait.MANY_NAMES
    return found


_PATTERNS = (
    (Trait.QUESTION, _ASKS),
    (Trait.ENDS_ASKING, _ENDS_ASKING),
    (Trait.MOMENT, _MOMENT),
    (Trait.NUMBER, _NUMBER),
    (Trait.NAMES, _NAME),
    (Trait.QUOTES, _QUOTE),
    (Trait.CAUSE, _CAUSE),
    (Trait.PLACE, _PLACE),
)

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
