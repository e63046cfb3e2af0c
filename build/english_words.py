"""Derive `sidecar/language/english/*.txt` from the message catalogues of public repositories.

    .venv/bin/python build/english_words.py FOLDER [--language de ...]

FOLDER has a git repository, bare or not, as `owner+name` or `owner+name/repo` for each row of
english_words_sources.tsv. The catalogues at the row's commit are read from the repository, never from its work tree.
A pair of words is listed if it aligns in at least three repositories.
"""

from __future__ import annotations

import argparse
import html
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

from message_catalogues import LANGUAGES, Message, Repository, is_place, messages_of, repositories_in

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sidecar.core.terms import stem
from sidecar.language.english_translation import COMPOUNDING, LATIN, LINKS, MIN_PART, UNSPACED
from sidecar.language.rule_synonyms import FUNCTION_WORDS_OF, folded

SOURCES = Path(__file__).with_name("english_words_sources.tsv")
OUTPUT = Path(__file__).resolve().parents[1] / "sidecar" / "language" / "english"

MIN_REPOSITORIES, MAX_ENGLISH = 3, 3
MAX_WORDS = 9
"""Longer messages align badly."""
ROUNDS = 5
MIN_LINK, MIN_SHARE, MIN_BEST_SHARE, MIN_RARE_SHARE, RARE = 0.3, 0.2, 0.33, 0.45, 5
"""Probability of a link that counts; share of a word's links that a translation has, the first one, and that of a pair
which fewer than `RARE` repositories have."""

PLACEHOLDER = re.compile(
    r"<[^>]*>|\{\{.*?\}\}|[$%#]?\{[^}]*\}|%\([^)]*\)\w?|%[-\d$.]*[sdifux@]\b|%@|\$\w+|__\w+__|(?<!\w):[a-z_]{2,}|https?:\S+"
)
SHORTCUT = re.compile(r"\s*[(（][&_]?[A-Z][)）]|&(?=\w)")
CODE = re.compile(r"\w[_/\\]\w+[_/\\]|\w\(\)|^-{1,2}\w|[A-Z_]{3,}_")
WORD = re.compile(r"[^\W\d_]+")
MIN_COMPOUND = 9
"""Length from which a word may be a compound."""
END_MARKS = re.compile(r"[\s:：.。…!！?？、,，]+$")
UNSPACED_WORD = re.compile(r"[ァ-ヺー]{2,12}|[ぁ-ヺー一-鿿々]{2,6}")
UNSPACED_RUN = re.compile(r"[ァ-ヺー]+|[一-鿿々]+|[a-z]+")
KATAKANA_INSIDE = re.compile("[ァ-ヺー](?=[ァ-ヺー])")
PARTICLES = re.compile(r"无法|没有|[的时与和在将被请于从到以为个中来此该每由向对是否不没无您你我们]")
NEGATION, NEGATED = re.compile(r"[不未无無非]"), re.compile(r"un|in|im|il|dis|non|no|mis|anon|fail|ignore|off")
"""Beginning of a negative word, and those of its English words."""
NEGATIVE = re.compile(r"(un|in|dis)(?=\w{3})")
PHRASE = re.compile(
    r"^(?:すべて|全て|全部|所有|更多|没有|未知|请|您|无|是否|我的|新)|(?:する|します|した|された|ください|です|ません|ない|中)$"
)

JOINED: Mapping[Words, str] = {
    tuple(word.split("-")): word.replace("-", "")
    for word in (
        "log-in log-out set-up back-up pop-up drop-down user-name side-bar tool-bar check-box time-out time-zone "
        "key-board data-base dash-board play-list sub-title web-site work-space name-space screen-shot plug-in add-on "
        "time-stamp full-screen check-out roll-back e-mail e-mails"
    ).split()
}
SPELLINGS = {"colour": "color", "favourite": "favorite", "favourites": "favorites", "centre": "center"}
LANGUAGE_NAMES = frozenset("english german french spanish portuguese italian dutch russian japanese chinese".split())
"""Names that are listed, because prompts ask for translations."""
FUNCTION_WORDS = FUNCTION_WORDS_OF["en"] | frozenset(
    "a b c d e f g h j k l m n p q r s t u v w x y z ll ve re isn don doesn didn couldn won cannot yes ok without "
    "within before after during between already still yet only other another others here there either neither same few "
    "less please whether although upon per anything something nothing everything".split()
)

Words = tuple[str, ...]


class Alignment(NamedTuple):
    """Words of a message in another language and in English, and the repositories that have both."""

    foreign: Words
    english: Words
    repositories: frozenset[str]

    @property
    def emphasis(self) -> float:
        """Return the weight of a message by its length: a single word is certain."""
        if len(self.foreign) == len(self.english) == 1:
            return 3.0
        return 1.5 if max(len(self.foreign), len(self.english)) <= 2 else 1.0


def main() -> int:
    """Write the words of each language; status 2 if no repository is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--language", choices=LANGUAGES, nargs="+", default=list(LANGUAGES))
    arguments = parser.parse_args()
    repositories, missing = repositories_in(arguments.folder, SOURCES)
    if missing:
        print(f"{len(missing)} sources are missing in {arguments.folder}: {', '.join(missing)}.", file=sys.stderr)
    if not repositories:
        return 2
    write_words(repositories, arguments.language, OUTPUT)
    return 0


def write_words(repositories: Mapping[str, Repository], languages: Iterable[str], output: Path) -> None:
    """Write a file of words for each language."""
    messages: dict[str, dict[Message, set[str]]] = {language: defaultdict(set) for language in languages}
    places: set[str] = set()
    for name, repository in repositories.items():
        for language, key, message in messages_of(repository):
            if is_place(key, message):
                places.add(message[1].lower())
            elif language in messages:
                messages[language][message].add(name)
    for language, found in messages.items():
        words = words_of(language, found, places - LANGUAGE_NAMES)
        rows = (f"{word} {' '.join(english)}\n" for word, english in sorted(words.items()))
        (output / f"{language}.txt").write_text("".join(rows), encoding="utf-8")
        print(f"{language}: {len(words)} words from {len(found)} messages")


def words_of(language: str, messages: Mapping[Message, set[str]], places: AbstractSet[str]) -> dict[str, Words]:
    """Return the words of a language with their English words."""
    alignments = list(_with_phrases(language, _tokenized(language, messages)))
    links = _links(alignments)
    words: dict[str, Words] = {}
    for word, translations in sorted(links.items()):
        is_short = len(word) < (2 if language in UNSPACED else 3)
        if is_short or word in FUNCTION_WORDS_OF.get(language, ()) or (language not in LATIN and word.isascii()):
            continue
        english = [part for name in _translations(translations, places) for part in name.split()]
        if NEGATION.match(word):
            english = list(filter(NEGATED.match, english))
        chosen = tuple(dict.fromkeys(part for part in english if part not in FUNCTION_WORDS))[:MAX_ENGLISH]
        if len(LANGUAGE_NAMES.intersection(chosen)) > 1:
            chosen = tuple(name for name in chosen if name != "english")  # each language is named in itself
        if chosen and chosen != (word,):
            words[word] = chosen
    return _without_partial_compounds(words) if language in COMPOUNDING else words


def _without_partial_compounds(words: Mapping[str, Words]) -> dict[str, Words]:
    """Return the words without the compounds whose English word is that of one part: both parts say more."""
    return {word: english for word, english in words.items() if not _is_partial_compound(word, english, words)}


def _is_partial_compound(word: str, english: Words, words: Mapping[str, Words]) -> bool:
    for at in range(MIN_PART, len(word) - MIN_PART + 1) if len(english) == 1 else ():
        firsts = (word[:at].removesuffix(link) for link in LINKS if word[:at].endswith(link))
        first, last = next((words[first] for first in firsts if first in words), ()), words.get(word[at:], ())
        if first and last and (english[0] in first) != (english[0] in last):
            return True
    return False


def _translations(repositories: Mapping[str, Mapping[str, float]], places: AbstractSet[str]) -> list[str]:
    """Return the English words that have most of a word's links, one of each root."""
    scores = {english: sum(math.log2(1 + link) for link in of.values()) for english, of in repositories.items()}
    scores = {name: score for name, score in scores.items() if not _is_denial(name, scores)}
    roots: dict[str, list[str]] = defaultdict(list)
    for english in scores:
        roots[" ".join(map(stem, english.split()))].append(english)
    total = sum(scores.values())
    ranked: list[tuple[float, str, int]] = []
    for forms in roots.values():
        found = {name for form in forms for name, link in repositories[form].items() if link >= MIN_LINK}
        ranked.append((sum(map(scores.__getitem__, forms)) / total, max(forms, key=scores.__getitem__), len(found)))
    ranked.sort(key=lambda row: (-row[0], row[1]))
    share, best, count = ranked[0]
    minimum = MIN_BEST_SHARE if count >= RARE else MIN_RARE_SHARE
    if best in FUNCTION_WORDS or best in places or share < minimum:
        return []
    chosen = [name for share, name, count in ranked[:3] if share >= MIN_SHARE and count >= MIN_REPOSITORIES]
    return chosen if best in chosen else []


def _is_denial(name: str, scores: Mapping[str, float]) -> bool:
    """Whether an English word stems from the denial of another: "invalid" for "not valid"."""
    return NEGATIVE.match(name) is not None and 4 * scores.get(NEGATIVE.sub("", name, count=1), 0) > scores[name]


def _tokenized(language: str, messages: Mapping[Message, set[str]]) -> list[Alignment]:
    plain: dict[Message, set[str]] = defaultdict(set)
    for (foreign, english), repositories in messages.items():
        plain[_plain(foreign), _plain(english)] |= repositories
    known = _unspaced_words(plain) if language in UNSPACED else frozenset()
    words: dict[tuple[Words, Words], set[str]] = defaultdict(set)
    for (foreign, english), repositories in plain.items():
        own = _unspaced(foreign, known) if language in UNSPACED else tuple(map(folded, WORD.findall(foreign)))
        translated = _english(english)
        if 0 < len(own) <= MAX_WORDS and 0 < len(translated) <= MAX_WORDS and own != translated:
            words[own, translated] |= repositories
    return [Alignment(*pair, frozenset(repositories)) for pair, repositories in sorted(words.items())]


def _plain(text: str) -> str:
    """Return a message in lower case without placeholders, markup and shortcuts; empty if it is code."""
    text = SHORTCUT.sub("", PLACEHOLDER.sub(" ; ", html.unescape(text)))
    if text.count("_") == 1:
        text = text.replace("_", "")
    return "" if CODE.search(text) else text.replace("’", "'").lower().strip()


def _english(text: str) -> Words:
    words = tuple(SPELLINGS.get(word, word) for word in WORD.findall(text.replace("'s ", " ")))
    return _joined(words, JOINED)


def _unspaced_words(messages: Mapping[Message, set[str]]) -> frozenset[str]:
    """Return whole messages that two repositories have for one English word, or three for two words."""
    counts: dict[str, dict[int, set[str]]] = defaultdict(lambda: {1: set(), 2: set()})
    for (foreign, english), repositories in messages.items():
        word = END_MARKS.sub("", foreign)
        if UNSPACED_WORD.fullmatch(word) and not (len(word) > 3 and PHRASE.search(word)):
            content = [part for part in _english(english) if part not in FUNCTION_WORDS]
            if len(content) in (1, 2):
                counts[word][len(content)] |= repositories
    return frozenset(
        word
        for word, by_length in counts.items()
        if (single := len(by_length[1])) >= max(2, (double := len(by_length[2]))) or double >= max(3, single + 1)
    )


def _unspaced(text: str, known: frozenset[str]) -> Words:
    """Return the longest known words of a text, and the runs of one script between them."""
    words: list[str] = []
    borders = set(range(len(text) + 1)).difference(match.end() for match in KATAKANA_INSIDE.finditer(text))
    at = start = 0
    while at <= len(text):
        sizes = (size for size in range(min(12, len(text) - at), 1, -1) if text[at : at + size] in known)
        length = next((size for size in sizes if borders.issuperset((at, at + size))), 0)
        if length or at == len(text):
            runs = UNSPACED_RUN.findall(PARTICLES.sub(" ", text[start:at]))
            words += (run for run in runs if len(run) <= 4 or run[0] < "一")
            words += [text[at : at + length]] if length else []
            start = at + length
        at += length or 1
    return tuple(words)


def _with_phrases(language: str, alignments: Sequence[Alignment]) -> Iterator[Alignment]:
    """Return the alignments with two English words joined where they translate a single word: "response time"."""
    phrases: dict[str, set[Words]] = defaultdict(set)
    for foreign, english, repositories in alignments:
        is_compound = language in COMPOUNDING and len(foreign[0]) >= MIN_COMPOUND
        is_phrase = len(foreign) == 1 and len(english) == 2 and FUNCTION_WORDS.isdisjoint(english)
        if is_phrase and (is_compound or len(repositories) >= 2):
            phrases[foreign[0]].add(english)
    for alignment in alignments:
        known = set().union(*(phrases[word] for word in alignment.foreign if word in phrases))
        yield alignment._replace(english=_joined(alignment.english, {pair: " ".join(pair) for pair in known}))


def _joined(words: Words, pairs: Mapping[Words, str]) -> Words:
    joined: list[str] = []
    for word in words:
        pair = (*joined[-1:], word)
        joined[-1:] = [pairs[pair]] if pair in pairs else pair
    return tuple(joined)


def _links(alignments: Sequence[Alignment]) -> dict[str, dict[str, dict[str, float]]]:
    """Return for each word and English word the weight of their links in each repository."""
    forward = _probabilities([(pair.foreign, pair.english, _weight(pair)) for pair in alignments])
    backward = _probabilities([(pair.english, pair.foreign, _weight(pair)) for pair in alignments])
    links: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(float)))
    for pair in alignments:
        of_english = {word: _total(forward, pair.foreign, word) for word in pair.english}
        of_foreign = {word: _total(backward, pair.english, word) for word in pair.foreign}
        for word in pair.foreign:
            for english in pair.english:
                both = forward[word].get(english, 0.0) * backward[english].get(word, 0.0)
                link = math.sqrt(both / of_english[english] / of_foreign[word])
                if link > MIN_LINK:
                    for name in pair.repositories:
                        links[word][english][name] += link * pair.emphasis
    return links


def _weight(pair: Alignment) -> float:
    return float(len(pair.repositories) ** 0.7) * pair.emphasis


def _total(table: Mapping[str, Mapping[str, float]], words: Words, target: str) -> float:
    return sum(table[word].get(target, 0.0) for word in words) + table[""].get(target, 0.0) / 2 + 1e-9


def _probabilities(pairs: Sequence[tuple[Words, Words, float]]) -> dict[str, dict[str, float]]:
    """Return the probability of each translation of a word (IBM model 1); "" stands for words without a source."""
    table: dict[str, dict[str, float]] = defaultdict(dict)
    for _ in range(ROUNDS):
        counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for sources, targets, weight in pairs:
            rows = [(counts[word], table[word], 1.0) for word in sources]
            rows.append((counts[""], table[""], 0.5))
            for target in targets:
                shares = [row.get(target, 1.0) * prior for _, row, prior in rows]
                scale = weight / sum(shares)
                for (count, _, _), share in zip(rows, shares, strict=True):
                    count[target] += share * scale
        for word, count in counts.items():
            total = sum(count.values())
            table[word] = {target: value / total for target, value in count.items()}
    return table


if __name__ == "__main__":
    sys.exit(main())
