"""Split text into terms: split identifiers, fold case, drop accents, in any script. Pure."""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, pairwise

from sidecar.core.lazy_regex import lazy_regex

MAX_WORD_CHARACTERS = 100
"""Longer runs of letters and digits are data, not words."""

MAX_CACHED_WORDS = 8_192
"""Maximum number of words whose terms are cached (about 3 MB); a source file has about 300."""

MANY_WORDS = 65_536
"""The same for a process that reads a whole repository (about 20 MB)."""

_NO_SEPARATORS = bytes(byte if byte >= 0x80 or chr(byte).isalnum() or byte == 0x5F else 0x20 for byte in range(256))
_WORD = lazy_regex(r"[^\W_]+(?:_+[^\W_]+)*")
IP_VERSION = r"[iI][pP][vV][46](?!\d)"
"""Pattern of a name that the parts of identifiers have whole."""
_CAMEL = lazy_regex(
    IP_VERSION + r"|[A-Z]{2,}(?=s(?![a-z]))|[A-Z]+(?=[A-Z][a-z])|(?<=[A-Z])s(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+"
)
_IDENTIFIER = lazy_regex(r"[A-Za-z_$][\w$]*(?:(?:\.|::?)[A-Za-z_]\w*)*")
_OPTION = lazy_regex(r"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?![\w-])")
_NAME_LIKE = lazy_regex(r"[a-z][A-Z]|_|[.:]|\d")
_UNSPACED_SCRIPTS = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_UNSPACED = lazy_regex(f"[{_UNSPACED_SCRIPTS}]")
_SCRIPT_RUN = lazy_regex(f"[{_UNSPACED_SCRIPTS}]+|[^{_UNSPACED_SCRIPTS}]+")
_ACCENT = lazy_regex("[\u0300-\u036f]")
_PATH_TOKEN = lazy_regex(r"[\w@.+/\\$\[\]~-]+")
_FILE_NAME = lazy_regex(r"\.?[^.].*\.[A-Za-z][A-Za-z0-9]{0,9}|\.[A-Za-z][\w-]+")
_NAMES_WITHOUT_SUFFIX = frozenset(
    ("Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Gemfile", "Rakefile", "Vagrantfile", "Justfile", "justfile")
)
INTEGRATION_NAME = "CI"
"""Name of the configuration of a repository's checks, whatever its files are called."""

DOCUMENT_NAMES = frozenset(
    (
        INTEGRATION_NAME,
        "README",
        "Readme",
        "readme",
        "CHANGELOG",
        "Changelog",
        "changelog",
        "CONTRIBUTING",
        "LICENSE",
        "LICENCE",
    )
)
"""Names of documents at the top of a repository as prompts write them, without the ending that the files have."""

_NAMES_ALONE = _NAMES_WITHOUT_SUFFIX | DOCUMENT_NAMES
MAX_DOCUMENT_CHARACTERS = 300
"""In a longer text such a name is mostly a template's or an aside: "I have read the README"."""

PROSE_ENDINGS = (".md", ".mdx", ".rst", ".adoc")
"""Endings of the names of texts for people, which are never data or a build's input."""


def is_prose(path: str) -> bool:
    """Whether a file is a text for people, by its name."""
    return path.lower().endswith(PROSE_ENDINGS)


DOCUMENTS_SCOPE = "docs:"
"""Prefix of a query about documents."""

DOCUMENTS_PREFIX = lazy_regex(r"(?i)\s{0,8}(?:docs?(?:\([^()\n]{1,80}\))?|\w{1,20}\(docs?\))!?:\s")
"""Prefix of a text about documents, as of a conventional commit."""

_ABBREVIATIONS = frozenset(("e.g", "i.e", "z.B", "a.k.a"))

_VOWEL = lazy_regex("[aeiouy]")

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
    "look", "looks", "see", "show", "file", "files", "code", "here", "none", "sure", "come", "comes", "lose",
)  # fmt: skip
_FUNCTION_WORDS = {
    "Portuguese": (
        "a ao aos as até com como da das de deve deveria do dos e ela ele eles em fazer faz essa esse esta este está "
        "estão foi isso isto já mais mas muito na nas no nos num numa não o os ou para pela pelo pode por "
        "porque quando que se sem ser seu sua são também tem ter um uma você à às é"
    ),
    "Spanish": (
        "al antes aunque como con cuando de debe debería del desde después donde el ella en es ese eso hace hacer esta "
        "estas este esto estos está hay la las le lo los muy más ni o para pero por porque puede que se si su "
        "sus también tiene un una unos y ya"
    ),
    "French": (
        "au aux avec avoir ce ces cet cette comme dans de des donc du elle en est et faire fait il ils je la "
        "le les leur mais ne nous on ou où par pas peut pour quand que qui sa sans se ses si sont sur tous "
        "tout toute très tu un une vous y à être"
    ),
    "Italian": (
        "al alla anche che con da dal dei del della delle di e gli ha il in la le lo ma nel nella non o per "
        "più quando questa questo se si sono su un una è"
    ),
    "German": (
        "aber alle als am an auch auf aus bei beim bis bitte da dann das dass dem den der des die dies diese "
        "dieser dieses doch durch ein eine einem einen einer eines er es für gegen haben hat hatte ich ihr ihre im ist "
        "ja kann mehr mit muss nach nicht noch nur ob oder ohne schon sich sie sind soll sollte sondern um "
        "und uns vom von vor wenn werden wie wir wird worden wurde zu zum zur über"
    ),
    "Dutch": (
        "als bij dan dat de deze dit een en er het hij ik is je maar met naar niet nog ook op te uit van voor "
        "was wordt ze zijn"
    ),
    "Chinese": (
        "一个 不会 不是 不能 什么 他们 但是 你们 使得 只有 可以 因为 如果 已经 帮我 并且 应该 怎么 "
        "我们 所以 时候 是否 没有 然后 现在 而且 请帮 还是 这个 那个 需要"
    ),
    "Korean": ("그런 그리 니다 때문 세요 습니 않습 없습 에서 으로 입니 있는 있습 주세 하고 하는 하지 합니 해주"),
}
_CHINESE_FUNCTION_WORD = lazy_regex("|".join(_FUNCTION_WORDS["Chinese"].split()))
_FUNCTION_PAIR = lazy_regex(r"[\u3040-\u309f]+|.?[をのがはにで的了吗呢吧啊们这那是在和].?")
"""Pairs of characters around a particle, and hiragana alone, which writes endings and function words."""


def terms_of(text: str) -> Iterator[str]:
    """Yield the terms of a text in order, with repetitions: whole words and the parts of identifiers."""
    for word in words_in(text):
        yield from _TERM_CACHE[word]


def term_set(text: str) -> frozenset[str]:
    """Return the terms of a text. Contains no Python-level loop."""
    return frozenset(chain.from_iterable(map(_TERM_CACHE.__getitem__, words_in(text))))


def join_terms(text: str) -> str:
    """Return the terms of a text in order, with repetitions, joined by spaces. Contains no Python-level loop."""
    return " ".join(chain.from_iterable(map(_TERM_CACHE.__getitem__, _pieces(text))))


def count_terms(text: str) -> dict[str, int]:
    """Count the terms of a text in order of first use. Contains no Python-level loop."""
    return dict(Counter(chain.from_iterable(map(_TERM_CACHE.__getitem__, _pieces(text)))))


def inverse_frequency(holding: int, count: int) -> float:
    """Return BM25's weight of a term that `holding` of `count` texts contain."""
    return math.log(1 + (count - holding + 0.5) / (holding + 0.5))


def cache_many_words() -> None:
    """Cache the terms of more words, as a process needs that reads a whole repository."""
    _TERM_CACHE.limit = MANY_WORDS


SHORT_TERMS = 2
"""Number of other terms up to which a text is also about words that share a function word's stem, as `theme`: an index
cannot tell them apart.
"""


def query_terms(text: str) -> list[str]:
    """Return the significant terms of a prompt, each once, in order of first use."""
    return list(_significant_terms(list(_words_with_terms(text))))


def query_words(text: str) -> dict[str, str]:
    """Map the significant terms of a prompt to the word each was first read from."""
    words: dict[str, str] = {}
    read = list(_words_with_terms(text))
    significant = _significant_terms(read)
    for word, terms in read:
        folded = word.casefold()
        for term in terms:
            if term not in words and term in significant:
                is_whole = len(terms) == 1 or (term == terms[0] and (word.isascii() or not _is_mixed(word)))
                words[term] = folded if is_whole else _source_part(word, term)
    return words


def _significant_terms(words: list[tuple[str, tuple[str, ...]]]) -> dict[str, None]:
    """Return the significant terms of words; of a short text, also those that share an English function word's stem.

    What shares that of a foreign one alone, as `date`, is significant in any text: code hardly contains the other.
    """
    count = len({term for _, terms in words for term in terms if _is_significant(term)})
    unlikely = _ENGLISH_STOP_WORDS if count > SHORT_TERMS else frozenset()
    return dict.fromkeys(
        term
        for word, terms in words
        for term in terms
        if _is_significant(term) or (len(terms) == 1 and term not in unlikely and _shares_stem(word.casefold(), term))
    )


def _words_with_terms(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the words of a prompt that may say something, and their terms."""
    text = _with_named_options(text)
    if not text.isascii():
        text = _CHINESE_FUNCTION_WORD.sub(" ", text)
    for word in words_in(text):
        bare = word.strip("_")
        if bare.casefold() not in STOP_WORDS:
            yield bare, _TERM_CACHE[word]


def _is_significant(term: str) -> bool:
    is_function_pair = not term.isascii() and _FUNCTION_PAIR.fullmatch(term) is not None
    return len(term) > 1 and term not in STOP_WORDS and not term.isdigit() and not is_function_pair


def _shares_stem(word: str, term: str) -> bool:
    """Whether a word has the stem of a stop word that it is not a form of, as `theme` has that of `them`."""
    return term in STOP_WORDS and word in (f"{term}e", f"{term}es") and f"{term}e" not in STOP_WORDS


def _is_mixed(word: str) -> bool:
    """Whether a word is in two scripts."""
    return len(_WORD_PARTS.findall(word)) > 1


def _source_part(word: str, term: str) -> str:
    """Return the part of a name, or of a word in two scripts, that a term comes from; else the term."""
    parts = (part.casefold() for part in _WORD_PARTS.findall(word))
    return next((part for part in parts if stem(part) == term), term)


_WORD_PARTS = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


def _with_named_options(text: str) -> str:
    """Return a prompt with each option of several words, as `--dry-run`, spelled as the code names it: `dry_run`."""
    return _OPTION.sub(lambda option: option[1].replace("-", "_"), text) if "--" in text else text


def identifiers_of(text: str) -> list[str]:
    """Return the words of a prompt that look like identifiers: camelCase, snake_case, dotted, or a program's option."""
    identifiers = (
        match[0]
        for match in _IDENTIFIER.finditer(_with_named_options(text))
        if _NAME_LIKE.search(match[0].strip("_")) or match[0].startswith("_")
    )
    return list(dict.fromkeys(identifiers))


_MACRO = lazy_regex(r"(?<![\w!?.])([A-Za-z_]\w{1,60}!)(?=[(\[{`,.;:?)]|\s+[a-z(`])")


def macros_in(text: str) -> list[str]:
    """Return the words of a prompt that may be calls of macros, as `vpath!`, with their mark.

    A word at the end of a sentence is none. Whether it is one the definitions of the repository decide.
    """
    return list(dict.fromkeys(_MACRO.findall(text))) if "!" in text else []


def macro_term(name: str) -> str:
    """Return the term of a macro's name, which is told from other names by its mark."""
    return f"{name.casefold().removesuffix('!')}!"


def paths_in(text: str) -> list[str]:
    """Return what looks like file paths in a prompt or stack trace, with forward slashes and none at the start.

    The at sign of a mention, as in `@src/cart.py`, is left out.
    """
    paths: dict[str, None] = {}
    alone = _NAMES_ALONE if len(text) <= MAX_DOCUMENT_CHARACTERS else _NAMES_WITHOUT_SUFFIX
    for token in _PATH_TOKEN.findall(text):
        path = _without_brackets(token).replace("\\\\", "/").replace("\\", "/").rstrip("./").lstrip("/")
        path = path.removeprefix("./").removeprefix("@").lstrip("/")
        name = path.rpartition("/")[2]
        if path not in _ABBREVIATIONS and (_FILE_NAME.fullmatch(name) or name in alone):
            paths.setdefault(path)
    return list(paths)


_LAST_LETTERS = frozenset("sgde")
"""Last letters of the endings that `stem` removes."""


def stem(word: str) -> str:
    """Remove the most common English endings, so that `caches`, `cached` and `caching` match."""
    if len(word) < 4 or not word.isascii() or (word[-1] not in _LAST_LETTERS and word[-1] != word[-2]):
        return word
    if word[-1] in "sgde":
        if word.endswith("ie") and len(word) > 4:
            return word[:-2] + "y"
        word = _without_ending(word)
    if len(word) > 3 and word[-1] == word[-2] and (word[-1] not in "aeioulsz" or len(word) > 5):
        word = word[:-1]
    return word


def _without_ending(word: str) -> str:
    if word[-1] == "s":
        word = _singular(word)
    if word[-1] == "g":
        if word.endswith("ing") and len(word) > 5 and _VOWEL.search(word[:-3]):
            word = word[:-3]
    elif word[-1] == "d":
        if word.endswith("ied") and len(word) > 4:
            word = word[:-3] + "y"
        elif word.endswith("ed") and not word.endswith("eed") and len(word) > 4 and _VOWEL.search(word[:-2]):
            word = word[:-2]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def _singular(word: str) -> str:
    """Return a word that ends with `s` without the ending of a plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "shes", "sses", "zes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


@lru_cache(maxsize=512)
def words_of_file(path: str) -> frozenset[str]:
    """Return the stems of the words of a file's name: "changelog" of `CHANGELOG.md`, "env" of `.env`."""
    name, _, file_type = path.rpartition("/")[2].strip(".").casefold().rpartition(".")
    return frozenset(map(stem, _NAME_PART.findall(name or file_type)))


_NAME_PART = lazy_regex(r"[^\W_]+")


def without_combining_marks(text: str) -> str:
    """Return a text without the marks that combine with its letters."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def _stop_words() -> frozenset[str]:
    """Return the stop words; English ones also by their stems, which those of other languages may share by chance."""
    foreign = [word for line in _FUNCTION_WORDS.values() for word in line.split()]
    return _ENGLISH_STOP_WORDS.union(foreign, map(without_combining_marks, foreign))


def words_in(text: str) -> list[str]:
    """Split a text into words, some with surrounding underscores."""
    return _pieces(text) if text.isascii() else _WORD.findall(unicodedata.normalize("NFC", text))


def _pieces(text: str) -> list[str]:
    """Split a text at white space and at ASCII signs, by a table, which is ten times as fast as an expression.

    A piece in ASCII is a word; another one may contain several.
    """
    return text.encode("utf-8", "surrogatepass").translate(_NO_SEPARATORS).decode("utf-8", "surrogatepass").split()


class _TermCache(dict[str, tuple[str, ...]]):
    """Cache of pieces of a text and their terms; emptied when it is full."""

    limit = MAX_CACHED_WORDS

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if piece.isascii():
            is_plain = piece.isalpha() and piece.islower() and len(piece) <= MAX_WORD_CHARACTERS
            terms = (stem(piece),) if is_plain else _terms_of_word(piece.strip("_"))
        else:
            terms = tuple(chain.from_iterable(map(_terms_of_word, words_in(piece))))
        if len(piece) <= MAX_WORD_CHARACTERS:
            if len(self) >= self.limit:
                self.clear()
            self[piece] = terms
        return terms


_TERM_CACHE = _TermCache()
_ENGLISH_STOP_WORDS = frozenset((*_STOP_WORDS, *map(stem, _STOP_WORDS)))
STOP_WORDS = _stop_words()
"""Words that say nothing about a task, as written and as terms."""


def _terms_of_word(word: str) -> tuple[str, ...]:
    if "_" in word:
        return _terms_of_snake_case(word)
    if not 0 < len(word) <= MAX_WORD_CHARACTERS:
        return ()
    if word.isascii():
        return _terms_of_run(word)
    if _may_be_unspaced(word) and _UNSPACED.search(word):
        return tuple(term for run in _SCRIPT_RUN.findall(word) for term in _terms_of_run(run))
    return _terms_of_run(word)


def _may_be_unspaced(word: str) -> bool:
    """Whether a word has a character of the first script without spaces, or a later one: others need no expression."""
    return not word.isascii() and max(word) >= _UNSPACED_SCRIPTS[0]


def _terms_of_snake_case(word: str) -> tuple[str, ...]:
    """Return the whole name as one term, so that `into_response` matches `intoResponse`, and the terms of its parts."""
    parts = [part for part in word.split("_") if 0 < len(part) <= MAX_WORD_CHARACTERS]
    terms = tuple(chain.from_iterable(map(_TERM_CACHE.__getitem__, parts)))
    if len(parts) < 2 or len(word) > MAX_WORD_CHARACTERS:
        return terms
    return (stem(_without_accents("".join(parts)).casefold()), *terms)


def _terms_of_run(word: str) -> tuple[str, ...]:
    """Return the terms of a word in one script: character pairs in scripts without spaces, else word and parts."""
    if word.isascii():
        return _terms_of_ascii(word)
    if _may_be_unspaced(word) and _UNSPACED.match(word):
        return _pairs(word)
    plain = _without_accents(word)
    whole = stem(plain.casefold())
    parts = _CAMEL.findall(plain) if plain.isascii() else _cased_parts(plain)
    if len(parts) < 2:
        return (whole,)
    return (whole, *(stem(part.casefold()) for part in parts if len(part) > 1))


def _terms_of_ascii(word: str) -> tuple[str, ...]:
    """Return the same for a word in ASCII, which most are."""
    if word.isdigit() or (word.isalpha() and word.islower()):
        return (stem(word),)
    parts = _CAMEL.findall(word)
    if len(parts) < 2:
        return (stem(word.lower()),)
    return (stem(word.lower()), *[stem(part.lower()) for part in parts if len(part) > 1])


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFKD", word)))


def _cased_parts(word: str) -> list[str]:
    """Split where a lowercase letter precedes an uppercase one, in any script that has both."""
    if not any(map(str.isupper, word[1:])):
        return [word]
    cuts = [0, *(at for at, (left, right) in enumerate(pairwise(word), 1) if left.islower() and right.isupper())]
    return [word[start:end] for start, end in pairwise([*cuts, len(word)])]


def _pairs(word: str) -> tuple[str, ...]:
    return (word,) if len(word) == 1 else tuple(left + right for left, right in pairwise(word))


def _without_brackets(token: str) -> str:
    """Remove brackets that enclose a path, but not those that belong to it, as in `app/[id]/page.tsx`."""
    if token.startswith("[") and (token.endswith("]") or "]" not in token):
        return token.strip("[]")
    return token.rstrip("]") if "[" not in token else token
