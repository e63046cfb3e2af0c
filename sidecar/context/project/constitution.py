"""The constitution in short: every article's title, and as many of its key sentences as there is room for. Pure.

A project without a constitution has instruction files; they are digested alike, by what they ask for.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.context.block.xml_writer import text_line
from sidecar.context.project.markdown_sections import Section, sections_of, statements
from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact_lines
from sidecar.core.text.sanitize import one_line
from sidecar.core.tokens import weigh

TITLE_CHARACTERS, SENTENCE_CHARACTERS = 120, 180
KEPT_SENTENCES = 12
"""Sentences of one article that may be told."""

_ARTICLE = regex(r"(?i)article\s+([IVXLC]+|\d+)\b[\s:.–—-]*(.*)")
_KEY = regex(r"(?i)^key(?:\s+\w+)?\s*:\s*")
_FORCE = regex(r"(?i)^enforcement\s*:\s*(\w+)")
_STRICT = regex(
    r"\b(?:MUST|SHALL|NEVER|REQUIRED|ONLY)\b"
    r"|(?i:\b(?:must|shall|never|always|cannot|mandatory|required|do not|don't|not allowed|no \w+ may|only)\b)"
)
_SOFT = regex(r"(?i)\b(?:prefer|avoid|ensure|use|run|write|keep)\b")
_SENTENCE = regex(r"(?<=[.!?;])\s+(?=[A-Z`\"(])")
_MARKUP = regex(r"\[([^\]]{0,300})\]\([^)]{0,500}\)")


class Article(NamedTuple):
    """A heading, what it is enforced by (empty where it does not say), and its key sentences, the first first."""

    title: str
    force: str
    keys: tuple[str, ...]


class Digest(NamedTuple):
    """A governing document in short."""

    path: str
    articles: tuple[Article, ...]
    numbers: tuple[str, ...]
    """The articles' numbers as written; empty for a document without articles."""


class Fit(NamedTuple):
    """The lines that are told, and how many of the key sentences and titles there was no room for."""

    lines: tuple[str, ...]
    left_out: int


@lru_cache(maxsize=32)
def digest_of(path: str, text: str, *, is_constitution: bool) -> Digest:
    """Reads a constitution's articles, or what an instruction file asks for under each heading; secrets are masked."""
    sections = sections_of(redact_lines(text))
    numbered = _numbered(sections) if is_constitution else []
    if numbered:
        articles = [_article(f"Article {number}: {title}".rstrip(": "), parts) for number, title, parts in numbered]
        return Digest(path, tuple(articles), tuple(number for number, _, _ in numbered))
    found = (_article(section.title, [section]) for section in sections if section.level <= 3)
    return Digest(path, tuple(article for article in found if article.keys), ())


def _numbered(sections: Sequence[Section]) -> list[tuple[str, str, list[Section]]]:
    """The articles with all sections that belong to them."""
    found: list[tuple[str, str, list[Section]]] = []
    level = 0
    for section in sections:
        if heading := _ARTICLE.match(section.title):
            found.append((heading[1], heading[2], [section]))
            level = section.level
        elif found and section.level > level:
            found[-1][2].append(section)
        else:
            level = 7  # a heading beside the articles: what follows is none of theirs
    return found


def _article(title: str, sections: Sequence[Section]) -> Article:
    said = [statement for section in sections for statement in statements(section.lines)]
    force = next((found[1].upper() for text in said if (found := _FORCE.match(text))), "")
    named = [_KEY.sub("", text) for text in said if _KEY.match(text)]
    others = [text for text in said if not _KEY.match(text) and not _FORCE.match(text) and not text.startswith("|")]
    others = [text for text in others if not text.endswith(":")]  # what only opens a list
    strict = [text for text in others if _STRICT.search(text)]
    soft = [text for text in others if _SOFT.search(text) and text not in strict]
    keys = dict.fromkeys(_short(text) for text in (*named, *strict, *soft))
    return Article(one_line(title, TITLE_CHARACTERS), force, tuple(key for key in keys if key)[:KEPT_SENTENCES])


def _short(text: str) -> str:
    """The sentence of a statement that says what is asked for."""
    sentences = _SENTENCE.split(_MARKUP.sub(r"\1", text))
    chosen = next((sentence for sentence in sentences if _STRICT.search(sentence)), sentences[0])
    return one_line(chosen, SENTENCE_CHARACTERS).rstrip(" .;:")


@lru_cache(maxsize=64)
def fitted(digests: tuple[Digest, ...], weight: float) -> Fit:
    """Tells what it is about and each title, then key sentences in rounds, an article's first one before any second.

    `weight` is what the lines may weigh, in tokens; the opening line is always told.
    """
    opening = _opening(digests)
    articles = [article for digest in digests for article in digest.articles]
    left = weight - weigh(text_line(opening, 1))
    told: list[list[str]] = []
    for article in articles:
        left -= weigh(text_line(_line(article, ()), 1))
        if left < 0:
            break
        told.append([])
    more = _add_keys(articles[: len(told)], told, left)
    untold = sum(1 + len(article.keys) for article in articles[len(told) :])
    lines = [_line(article, keys) for article, keys in zip(articles, told, strict=False)]
    return Fit((opening, *lines), more + untold)


def _add_keys(articles: Sequence[Article], told: Sequence[list[str]], left: float) -> int:
    """Adds key sentences round by round, and gives how many did not fit."""
    left_out = 0
    for turn in range(KEPT_SENTENCES):
        for article, keys in zip(articles, told, strict=True):
            if turn >= len(article.keys):
                continue
            cost = weigh(text_line(f"; {article.keys[turn]}", 0))
            if cost > left:
                left_out += 1
                continue
            left -= cost
            keys.append(article.keys[turn])
    return left_out


def _line(article: Article, keys: Sequence[str]) -> str:
    force = f" [{article.force}]" if article.force else ""
    return f"{article.title}{force}{' — ' + '; '.join(keys) if keys else ''}"


def _opening(digests: Sequence[Digest]) -> str:
    numbers = digests[0].numbers
    if numbers:
        span = f"Articles {numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else f"Article {numbers[0]}"
        return f"{span} govern every agent; in full in {digests[0].path}. Key:"
    return f"Rules of this project; in full in {', '.join(digest.path for digest in digests)}. Key:"
