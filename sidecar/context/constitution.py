"""The summary of the constitution. Pure.

It has every article's title, and as many of its key sentences as fit. A project without a constitution has instruction
files; their imperative sentences are summarized in the same way.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.context.xml_budget import text_line
from sidecar.core.clean_text import one_line
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import Section, split_sections, statements
from sidecar.core.redact import redact_lines
from sidecar.core.token_estimate import token_weight

TITLE_CHARACTERS, SENTENCE_CHARACTERS = 120, 180
MAX_SENTENCES = 12
"""Maximum number of key sentences per article."""

_ARTICLE = lazy_regex(r"(?i)article\s+([IVXLC]+|\d+)\b[\s:.–—-]*(.*)")
_KEY = lazy_regex(r"(?i)^key(?:\s+\w+)?\s*:\s*")
_ENFORCEMENT = lazy_regex(r"(?i)^enforcement\s*:\s*(\w+)")
_STRICT = lazy_regex(
    r"\b(?:MUST|SHALL|NEVER|REQUIRED|ONLY)\b"
    r"|(?i:\b(?:must|shall|never|always|cannot|mandatory|required|do not|don't|not allowed|no \w+ may|only)\b)"
)
_SOFT = lazy_regex(r"(?i)\b(?:prefer|avoid|ensure|use|run|write|keep)\b")
_SENTENCE = lazy_regex(r"(?<=[.!?;])\s+(?=[A-Z`\"(])")
_MARKUP = lazy_regex(r"\[([^\]]{0,300})\]\([^)]{0,500}\)")


class Article(NamedTuple):
    """A heading, its enforcement level (empty when not stated), and its key sentences in order of importance."""

    title: str
    enforcement: str
    keys: tuple[str, ...]


class RulesSummary(NamedTuple):
    """Summary of a governing document."""

    path: str
    articles: tuple[Article, ...]
    numbers: tuple[str, ...]
    """The articles' numbers as written; empty for a document without articles."""


class FittedRules(NamedTuple):
    """The lines that fit, and the number of omitted key sentences and titles."""

    lines: tuple[str, ...]
    omitted: int


@lru_cache(maxsize=32)
def summarize_rules(path: str, text: str, *, is_constitution: bool) -> RulesSummary:
    """Summarize a constitution's articles, or an instruction file's rules by heading. Secrets are masked."""
    sections = split_sections(redact_lines(text))
    numbered = _numbered(sections) if is_constitution else []
    if numbered:
        articles = [_article(f"Article {number}: {title}".rstrip(": "), parts) for number, title, parts in numbered]
        return RulesSummary(path, tuple(articles), tuple(number for number, _, _ in numbered))
    articles_by_heading = (_article(section.title, [section]) for section in sections if section.level <= 3)
    return RulesSummary(path, tuple(article for article in articles_by_heading if article.keys), ())


def _numbered(sections: Sequence[Section]) -> list[tuple[str, str, list[Section]]]:
    """Return the articles with all of their sections."""
    articles: list[tuple[str, str, list[Section]]] = []
    level = 0
    for section in sections:
        if heading := _ARTICLE.match(section.title):
            articles.append((heading[1], heading[2], [section]))
            level = section.level
        elif articles and section.level > level:
            articles[-1][2].append(section)
        else:
            level = 7  # a heading beside the articles: the following sections belong to none of them
    return articles


def _article(title: str, sections: Sequence[Section]) -> Article:
    stated = [statement for section in sections for statement in statements(section.lines)]
    enforcement = next((match[1].upper() for text in stated if (match := _ENFORCEMENT.match(text))), "")
    named = [_KEY.sub("", text) for text in stated if _KEY.match(text)]
    others = [
        text for text in stated if not _KEY.match(text) and not _ENFORCEMENT.match(text) and not text.startswith("|")
    ]
    others = [text for text in others if not text.endswith(":")]  # introduces a list
    strict = [text for text in others if _STRICT.search(text)]
    soft = [text for text in others if _SOFT.search(text) and text not in strict]
    keys = dict.fromkeys(_key_sentence(text) for text in (*named, *strict, *soft))
    return Article(one_line(title, TITLE_CHARACTERS), enforcement, tuple(key for key in keys if key)[:MAX_SENTENCES])


def _key_sentence(text: str) -> str:
    """Return the sentence of a statement that has the requirement."""
    sentences = _SENTENCE.split(_MARKUP.sub(r"\1", text))
    chosen = next((sentence for sentence in sentences if _STRICT.search(sentence)), sentences[0])
    return one_line(chosen, SENTENCE_CHARACTERS).rstrip(" .;:")


@lru_cache(maxsize=64)
def fit_rules(summaries: tuple[RulesSummary, ...], weight: float) -> FittedRules:
    """Return the opening line, each title, and key sentences: each article's first before any second one.

    `weight` is the maximum weight of the lines, in tokens; the opening line is always included.
    """
    opening = _opening(summaries)
    articles = [article for summary in summaries for article in summary.articles]
    left = weight - token_weight(text_line(opening, 1))
    keys_by_article: list[list[str]] = []
    for article in articles:
        left -= token_weight(text_line(_line(article, ()), 1))
        if left < 0:
            break
        keys_by_article.append([])
    more = _add_keys(articles[: len(keys_by_article)], keys_by_article, left)
    unlisted = sum(1 + len(article.keys) for article in articles[len(keys_by_article) :])
    lines = [_line(article, keys) for article, keys in zip(articles, keys_by_article, strict=False)]
    return FittedRules((opening, *lines), more + unlisted)


def _add_keys(articles: Sequence[Article], keys_by_article: Sequence[list[str]], left: float) -> int:
    """Add key sentences round by round, and return how many did not fit."""
    omitted = 0
    for round_number in range(MAX_SENTENCES):
        for article, keys in zip(articles, keys_by_article, strict=True):
            if round_number >= len(article.keys):
                continue
            cost = token_weight(text_line(f"; {article.keys[round_number]}", 0))
            if cost > left:
                omitted += 1
                continue
            left -= cost
            keys.append(article.keys[round_number])
    return omitted


def _line(article: Article, keys: Sequence[str]) -> str:
    enforcement = f" [{article.enforcement}]" if article.enforcement else ""
    return f"{article.title}{enforcement}{' — ' + '; '.join(keys) if keys else ''}"


def _opening(summaries: Sequence[RulesSummary]) -> str:
    numbers = summaries[0].numbers
    if numbers:
        span = f"Articles {numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else f"Article {numbers[0]}"
        return f"{span} govern every agent; full text in {summaries[0].path}. Key:"
    return f"Rules of this project; full text in {', '.join(summary.path for summary in summaries)}. Key:"
