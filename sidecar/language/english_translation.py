"""English words for what a prompt says in another language, because most code is written in English; spellings. Pure.

Each line of a language's table (`english/*.txt`) is a folded word with its English words, the likeliest first.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import identifiers_of, stem, words_in
from sidecar.language.common_words import TOOL_NAMES
from sidecar.language.rule_synonyms import FUNCTION_WORDS_OF, concepts_of, folded, is_unspaced

MAX_CHARACTERS, MAX_WORDS = 4_000, 120
"""A text is read up to this length, and has at most this many English words."""

MIN_STEM, MAX_ENDING = 5, 2
"""A word that is not listed is read as the listed one with the longest common beginning: minimum length of that, and
maximum number of letters after it."""

MIN_PART = 4
LINKS = ("", "s", "n", "en", "es")
"""Letters between the parts of a German or Dutch compound."""

MAX_UNSPACED = 8
"""Characters of the longest word of a script without spaces that is looked up."""

LATIN = ("de", "es", "fr", "it", "nl", "pt")
SPACED, UNSPACED = (*LATIN, "ru"), ("ja", "zh")
COMPOUNDING = ("de", "nl")
OTHER_SCRIPTS = (*UNSPACED, "ru")
"""Languages whose words in Latin letters are names, and that share no words with other languages."""
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
    shown = {language for language, letters in _OWN_LETTERS.items() if not letters.isdisjoint(text.casefold())}
    counts = sorted(
        ((len(words & own) + (language in shown), language) for language, own in FUNCTION_WORDS_OF.items()),
        reverse=True,
    )
    (best, language), (second, _) = counts[0], counts[1]
    return language if best > second and best >= 2 else ""


_OWN_LETTERS = {"pt": frozenset("ãõ"), "es": frozenset("ñ¿¡"), "de": frozenset("äöüß"), "fr": frozenset("œêèû")}
"""Letters that hardly any other of the languages has."""


def are_translations(first: str, second: str) -> bool:
    """Whether the words of two languages differ, so that few of a statement's can be recognised."""
    if first == second:
        return False
    return bool(first and second) or not {first, second}.isdisjoint(OTHER_SCRIPTS)


def english_words(text: str) -> tuple[str, ...]:
    """Return the English words for a text in another language, each once; none for one in English.

    Of a text with names only the likeliest word for each of its own: the names say what it is about.
    """
    text = text[:MAX_CHARACTERS]
    language = _language(text)
    if language in UNSPACED:
        words = _of_unspaced(text, _lexicon(language))
    elif language in SPACED:
        words = _of_spaced(text, language)
    else:
        return ()
    limit = 1 if identifiers_of(text) else None
    return tuple(dict.fromkeys(word for english in words for word in english[:limit]))[:MAX_WORDS]


def english_by_word(text: str, language: str) -> list[frozenset[str]]:
    """Return the stems of the English words for each word of a text; a word without any has its own stem."""
    text = text[:MAX_CHARACTERS]
    found: list[frozenset[str]] = []
    if language in UNSPACED:
        found = [frozenset(map(stem, english)) for english in _of_unspaced(text, _lexicon(language)) if english]
    words = (word for word in dict.fromkeys(map(folded, words_in(text))) if not any(map(is_unspaced, word)))
    own = FUNCTION_WORDS_OF[language] if language in FUNCTION_WORDS_OF else frozenset[str]()
    parts = (part for word in words if word not in own for part in compound_parts(word, language))
    return [*found, *(meanings_of(part, language) or frozenset((stem(part),)) for part in parts)]


@lru_cache(maxsize=8_192)
def meanings_of(word: str, language: str) -> frozenset[str]:
    """Return the stems of the English words for a folded word, of an English one its own; empty for one without any.

    Words with a common meaning say the same in two languages, and much the same in one.
    """
    if language in UNSPACED:
        return frozenset(map(stem, _lexicon(language).get(word, ())))
    if language not in SPACED or word in _english_of(language):
        return frozenset((stem(word),)) if word.isascii() else frozenset()
    lexicon = _lexicon(language)
    listed = word if word in lexicon else _inflected(word, _table(language)) if word.isalpha() else ""
    return frozenset(stem(english) for english in lexicon.get(listed, ()))


@lru_cache(maxsize=4_096)
def compound_parts(word: str, language: str) -> tuple[str, ...]:
    """Return the two words that a folded German or Dutch word is made of, one of them listed; else that word."""
    if language not in COMPOUNDING or len(word) < 2 * MIN_PART or not word.isalpha():
        return (word,)
    lexicon, table = _lexicon(language), _table(language)
    if word in lexicon or _inflected(word, table) or word in _english_of(language):
        return (word,)
    return _parts(word, _part_words(language), table) or (word,)


@lru_cache(maxsize=len(COMPOUNDING))
def _part_words(language: str) -> frozenset[str]:
    """Return the words that a compound has as parts: the listed ones, and the English ones with their plurals."""
    english = _english_of(language)
    return frozenset((*_lexicon(language), *english, *(f"{word}s" for word in english)))


def _language(text: str) -> str:
    """Return the language of a text, also of a few words without a function word; empty without words."""
    language = language_of(text)
    words = [folded(word) for word in words_in(text)] if not language else []
    if not words:
        return language
    known = {language: sum(map(own.__contains__, words)) for language, own in FUNCTION_WORDS_OF.items()}
    known["en"] += text.count("n't")
    if known["en"] <= max(map(known.__getitem__, LATIN)):
        for language in LATIN:
            known[language] += sum(f"\n{word} " in _table(language) for word in words)
        known["en"] += sum(word not in FUNCTION_WORDS_OF["en"] and is_english(word) for word in words)
    return max(known, key=lambda name: (known[name], name == "en"))


@lru_cache(maxsize=16)
def _table(language: str) -> str:
    """Return a language's lines, sorted; each has a line end before and after it.

    They are searched as they are to tell the language: dictionaries of all would take a tenth of a second.
    """
    return "\n" + (_FOLDER / f"{language}.txt").read_text(encoding="utf-8")


@lru_cache(maxsize=16)
def _lexicon(language: str) -> Mapping[str, Sequence[str]]:
    """Return the English words of each word of one language."""
    return {word: english for word, *english in map(str.split, _table(language)[1:].splitlines())}


@lru_cache(maxsize=16)
def _english_of(language: str) -> frozenset[str]:
    """Return the English words of one language's table."""
    return frozenset(chain.from_iterable(_lexicon(language).values()))


def is_english(word: str) -> bool:
    """Whether a word is the English one of some listed word."""
    return any(f" {word} " in table or f" {word}\n" in table for table in map(_table, LATIN))


def _of_spaced(text: str, language: str) -> Iterator[Sequence[str]]:
    lexicon, table, english = _lexicon(language), _table(language), _english_of(language)
    for word in dict.fromkeys(map(folded, words_in(text))):
        if word in lexicon:
            yield lexicon[word]
        elif word.isalpha() and word not in FUNCTION_WORDS_OF[language] and word not in english:
            listed = _inflected(word, table)
            parts = (listed,) if listed else _parts(word, lexicon, table) if language in COMPOUNDING else ()
            for part in parts:
                yield lexicon[part]


def _inflected(word: str, table: str) -> str:
    """Return the listed word that differs from a word in its ending; empty if there is none."""
    for length in range(len(word), max(MIN_STEM, len(word) - MAX_ENDING) - 1, -1):
        at = table.find(f"\n{word[:length]}")
        if at >= 0:
            listed = table[at + 1 : table.index(" ", at)]
            return listed if len(listed) <= length + MAX_ENDING else ""
    return ""


def _parts(word: str, lexicon: Container[str], table: str) -> tuple[str, ...]:
    """Return the two listed words of a compound, the last one as long as possible; empty if it is none."""
    for at in range(MIN_PART, len(word) - MIN_PART + 1):
        last = word[at:] if word[at:] in lexicon else _inflected(word[at:], table)
        if last:
            firsts = (word[:at].removesuffix(link) for link in LINKS if word[:at].endswith(link))
            first = next((first for first in firsts if len(first) >= MIN_PART and first in lexicon), "")
            if first:
                return first, last
    return ()


def _of_unspaced(text: str, lexicon: Mapping[str, Sequence[str]]) -> Iterator[Sequence[str]]:
    for run in _UNSPACED_RUN.findall(text):
        at = 0
        while at < len(run):
            lengths = range(min(MAX_UNSPACED, len(run) - at), 0, -1)
            length = next((n for n in lengths if run[at : at + n] in lexicon), 0)
            yield lexicon.get(run[at : at + length], ())
            at += length or 1


def _spellings(by_language: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return for each language its words by their spelling without accents, from pairs as in `nao:não`."""
    return {language: dict(pair.split(":") for pair in pairs.split()) for language, pairs in by_language.items()}


_ACCENTS = _spellings(
    {
        "pt": "nao:não voce:você voces:vocês tambem:também codigos:códigos funcao:função funcoes:funções padrao:padrão"
        " convencao:convenção entao:então alemao:alemão variaveis:variáveis proxima:próxima",
        "es": "acuerdate:acuérdate respondeme:respóndeme contestame:contéstame hablame:háblame anadas:añadas"
        " espanol:español aleman:alemán ningun:ningún todavia:todavía convencion:convención despues:después"
        " tambien:también",
        "fr": "arrete:arrête arretez:arrêtez desormais:désormais dorenavant:dorénavant francais:français ecris:écris"
        " ecrire:écrire ecrivez:écrivez verifie:vérifie regle:règle meme:même reponses:réponses preferons:préférons",
        "it": "piu:più perche:perché cosi:così",
    }
)
"""Words by their spelling without accents, which no other language has."""

_AMBIGUOUS = _spellings(
    {
        "pt": "ja:já ate:até so:só ingles:inglês frances:francês portugues:português obvio:óbvio codigo:código"
        " comentario:comentário comentarios:comentários usuario:usuário usuarios:usuários",
        "es": "portugues:portugués ingles:inglés frances:francés mas:más anade:añade aqui:aquí asi:así jamas:jamás"
        " codigo:código",
        "fr": "deja:déjà ca:ça prefere:préfère apres:après cree:crée reponds:réponds",
        "it": "gia:già puo:può",
    }
)
"""Words that also are words of another language, or are spelled otherwise there."""

_LANGUAGE_OF_WORD = {word: language for language, words in _ACCENTS.items() for word in words}
_UNACCENTED = dict.fromkeys((*_LANGUAGE_OF_WORD, *(word for words in _AMBIGUOUS.values() for word in words)))
_WITHOUT_ACCENT = lazy_regex(rf"(?<!\w)(?:{'|'.join(_UNACCENTED)})(?!\w)", re.IGNORECASE)


def with_accents(text: str) -> str:
    """Return a text with the accents that its words are written without; offsets stay."""
    unaccented = [word.lower() for word in _WITHOUT_ACCENT.findall(text)]
    if not unaccented:
        return text
    evident = next((_LANGUAGE_OF_WORD[word] for word in unaccented if word in _LANGUAGE_OF_WORD), "")
    spelling = {**_AMBIGUOUS.get(evident or language_of(text), {})}
    for words in _ACCENTS.values():
        spelling.update(words)

    def accented(match: re.Match[str]) -> str:
        word = match[0]
        spelled = spelling.get(word.lower(), word)
        return spelled[:1].upper() + spelled[1:] if word[:1].isupper() else spelled

    return _WITHOUT_ACCENT.sub(accented, text)


@lru_cache(maxsize=8_192)
def are_cognate(first: str, second: str) -> bool:
    """Whether two words share their beginning up to an ending, or differ by one letter."""
    if is_unspaced(first[0]) or is_unspaced(second[0]):
        return len(first) >= 2 and len(second) >= 2 and (first in second or second in first)
    shorter, longer = sorted((first, second), key=len)
    if longer == f"{shorter}s":
        return True
    if len(shorter) < 3 or len(longer) - len(shorter) > 5:
        return False
    pairs = zip(shorter, longer, strict=False)
    common = next((at for at, (left, right) in enumerate(pairs) if left != right), len(shorter))
    if common >= max(min(4, len(shorter)), len(shorter) - 1) and (len(shorter) > 3 or len(longer) <= 4):
        return True
    if common >= 5 and common >= 0.6 * len(longer):
        return True
    return len(shorter) >= 5 and _differ_by_one(shorter[common:], longer[common:])


MIN_MISSPELT, MIN_TOOL, MIN_COMMON = 8, 6, 2
"""Letters of a name, and of a well-known tool's, from which one that differs by a letter is a slip; its first ones."""


def is_misspelt(first: str, second: str) -> bool:
    """Whether two names are one: with a plural's letter, as "PR" and "PRs", or with a slip in a long name."""
    shorter, longer = sorted((first, second), key=len)
    if longer == f"{shorter}s" and len(shorter) > 1 and shorter.isalpha():
        return True
    has_tool = first in TOOL_NAMES or second in TOOL_NAMES
    if len(shorter) < (MIN_TOOL if has_tool else MIN_MISSPELT) or any(char.isdigit() for char in shorter + longer):
        return False
    at = next(
        (at for at, (left, right) in enumerate(zip(shorter, longer, strict=False)) if left != right), len(shorter)
    )
    if at < MIN_COMMON or not _differ_by_one(shorter[at:], longer[at:]):
        return False
    return len(shorter) >= MIN_MISSPELT or _is_no_word(second if first in TOOL_NAMES else first)


def _is_no_word(text: str) -> bool:
    """Whether a text is neither a tool's name nor a known English word: "vercal"."""
    return text not in TOOL_NAMES and not concepts_of(text) and not is_english(text)


def _differ_by_one(shorter: str, longer: str) -> bool:
    """Whether two endings differ by one letter that is missing, other, or swapped with the next."""
    if len(shorter) == len(longer):
        is_swapped = len(shorter) > 1 and shorter[:2] == longer[1::-1] and shorter[2:] == longer[2:]
        return is_swapped or shorter[1:] == longer[1:]
    return len(longer) - len(shorter) == 1 and shorter == longer[1:]


_OPPOSITES = """
    separate:together split:merge hide:show hide:visible first:last small:capital small:large small:big
    lowercase:uppercase lowercase:capital start:end begin:finish short:long short:detailed single:several
    single:multiple single:separate same:different same:separate include:exclude top:bottom light:dark
    internal:external manually:automatically relative:absolute
"""
"""Pairs of words of which a statement has the other if it is about the same."""


@lru_cache(maxsize=1)
def _opposites() -> Mapping[str, frozenset[str]]:
    pairs = [tuple(map(stem, pair.split(":"))) for pair in _OPPOSITES.split()]
    sides = [*pairs, *((second, first) for first, second in pairs)]
    return {word: frozenset(other for first, other in sides if first == word) for word, _ in sides}


def opposites_of(meaning: str) -> frozenset[str]:
    """Return the stems of a stem's opposites."""
    return _opposites().get(meaning, frozenset())


_NEGATIVE_PREFIX = lazy_regex(r"(?:un|im|in|ir|il|dis|non|de)(?=[a-z]{4})")


def negates_by_prefix(rule: Sequence[str], stated: Sequence[str]) -> bool:
    """Whether one of the words is the other's opposite: "mutable" and "immutable"."""
    for words, others in ((rule, stated), (stated, rule)):
        alone = (word for word in words if _NEGATIVE_PREFIX.match(word) and word not in others)
        opposites = {_NEGATIVE_PREFIX.sub("", word, count=1) for word in alone}
        if any(word in opposites and word not in words for word in others):
            return True
    return False
