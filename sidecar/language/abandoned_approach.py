"""Find where an agent states explicitly that it gave an approach up, and why. Pure: a grammar of sentences.

Excluded are other people's work, questions, denials, suppositions and plans, quotations and code, and one construct
written in place of another ("use const instead of let").
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import sentences
from sidecar.core.redact import redact
from sidecar.core.text import clip_at_word

_ADVERB = r"(?>(?:then|therefore|thus|so|also|later|first|again|now|\w+ly)\b\s++)*+"
_WE = rf"(?:^|[,;:–—(]\s*|\b(?:so|and|but|then|because|which is why|that's why)\s+|^(?:after|following|having|in the end|at first|at that point)\b[^,;]{{0,60}}?,?\s+)(?:i|we)(?:'ve|\s+have|\s+had)?\s+{_ADVERB}"
_BEGIN = rf"^{_ADVERB}(?:and\s+|but\s+|so\s+)?{_ADVERB}"
NOUN = r"(?:approach|attempt|idea|strategy|design|direction|route|experiment|prototype|plan|solution|workaround|try|angle|technique|spike|avenue|scheme)(?:es|s)?"
_THE = r"(?:the|this|that|my|our|an?|any|using|trying|both|all|these|those)\b"

_STRONG = r"(?:abandoned|gave up on|given up on|scrapped|ditched|backed out of)"
_REVERTED = r"(?:reverted|rolled back|backed out|undid|undone|threw (?:away|out)|thrown (?:away|out)|discarded|removed|dropped|took out|ripped out|pulled out)"
_GIVING_UP = r"(?:abandoning|giving up on|scrapping|ditching|dropping|reverting|backing out)"

BROKE = lazy_regex(
    r"(?i)\b(?:broke|breaks|broken|breaking|fail\w*|errors?|errored|crash\w*|conflict\w*|regress\w*|incompatib\w*|unsupported"
    r"|unreliabl\w*|flaky|fragile|brittle|rac(?:e|es|y)|deadlock\w*|leak\w*|cannot|couldn't|could not|can't|impossible"
    r"|(?:does|did|do|was|were|is|are|would|will|wo)(?:n't| not)|too (?:slow|complex|complicated|much|many|large|big|fragile"
    r"|invasive|expensive|costly|heavy|risky|late)|slow\w*|overhead|worse|hang\w*|hung|timed? ?out|timeouts?|unavailable"
    r"|dead end|not (?:viable|feasible|possible|work\w*|enough|available|supported|thread.safe)|never|wrong|corrupt\w*"
    r"|lost|loses|blocked|no longer|doubled|tripled|caused|introduced|unmaintain\w*|hides?|missed|misses|infeasible"
    r"|duplicat\w+|out of memory|without (?:a|any))\b"
)
UNREAL = lazy_regex(
    r"(?i)^(?:if|unless|should|had|suppose|assuming|in case|when(?:ever)?|before|instead of|rather than|without|to)\b"
    r"|\b(?:if|unless|whether|in case|could|might|may|should|would|on purpose)\b"
)
MEANT = lazy_regex(r"(?i)\bas (?:expected|intended|designed|it should)\b")
ELSEWHERE = lazy_regex(
    r"(?i)\bupstream\b|\bin (?:19|20)\d\d\b|\byears? ago\b|\bby (?:its|their|the) (?:maintain|author|vend)\w+"
)
REASON = lazy_regex(
    r"(?i)[,;]?\s+(?:because(?: of)?|since|as (?=it|this|that|they|the|there)|due to|given that|after (?=it|this|that|they|the"
    r"|finding|seeing|realis|realiz|discover|measur|two|three|several|\d)|when (?=it|they)|for being|which|once (?=it|they))\s*"
    r"|\s*(?:[:;–—]|\s-)\s*(?=it|this|that|they|the|there|too|not)|,\s+(?:but|and) (?=it|this|that|they)\s*"
    r"|\s+but\s+"
)
INSTEAD = lazy_regex(
    r"(?i),?\s+(?:in favou?r of\s+(?P<favoured>.+)|(?:and|so|then)\s+(?:(?:i|we|it)\s+)?(?:now\s+|instead\s+)*"
    r"(?:switched (?:back )?to|moved (?:back )?to|went (?:back to|with)|fell back (?:to|on)|settled on|replaced (?:it|that|them)"
    r" (?:with|by)|opted for|ended up with|uses?|used|chose)\s+(?P<chosen>.+)|(?:and|so)\s+(?:i|we)\s+(?:now\s+)?(?P<done>\w+.+))"
)
FOLLOWS = lazy_regex(r"(?i)^(?:it|this|that|they|the|there|each|every|because)\b")
IN_ITS_PLACE = lazy_regex(r"(?i)^(?:instead|in its place|now),?\s+(?P<what>.+)")

KEYWORDS = frozenset(
    "let const var val def tabs spaces quotes single double any unknown int string none null self".split()
)
NOT_OURS = lazy_regex(
    r"(?i)^(?:the |this |that |my |our |an? )?(?:\w+ )?(?:transactions?|migrations?|database|deploy\w*|releases?|branch\w*|tables?|index(?:es)?"
    r"|columns?|carts?|sessions?|connections?|version bump|unused\b.*|stale\b.*|dead code|debug\b.*|temporary\b.*|temp\b.*|deprecated\b.*"
    r"|obsolete\b.*|leftover\b.*|redundant\b.*|duplicated?\b.*|console\.log\w*|print\w*( statements?)?|imports?|comments?|whitespace\b.*|formatting\b.*"
    r"|messages?|packets?|frames?|events?|rows?|requests?)(?=$|[,.;]|\s+(?:that|which|who|with|without|from|in|of|for|when|where|to|as)\b|\s+`)"
)
ONLY_TRIED = lazy_regex(
    r"(?i)^(?:to )?(?:reproduc|repro|run|find|install|build|verify|check|test|log|open|reach|connect|fetch|download|search)"
)

_SUBJECT = (
    rf"(?:the|this|that|my|our)\s+(?:[\w-]+\s+){{0,4}}?{NOUN}(?:\s+(?:of|with|to|using|based on|in|via|for)\s+[^,;]+?)?"
)
_FAILED = r"(?:(?:did|does|do|could|would|wo|will)(?:n't| not)\s+(?:really\s+|quite\s+)?(?:work|pan|hold|scale|help|fly)(?:\s+out|\s+up)?|failed|fails|was a dead end|is a dead end|turned out (?:not )?to (?:be|work|have|need|break|fail)|turned out \w+|proved (?:to be )?\w+|(?:was|is)(?:n't| not) (?:viable|feasible|workable|possible)|had to go|led nowhere)"

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, lazy_regex(f"(?i){pattern}"))
    for kind, pattern in (
        ("given up", rf"(?:{_WE}){_STRONG}\s+(?P<what>.+)"),
        ("given up", rf"{_BEGIN}{_STRONG}\s+(?P<what>{_THE}.*)"),
        ("certain", rf"(?:^|[,;:–—]\s*|\b(?:so|and|but)\s+)(?:i'm|we're|i am|we are)\s+{_ADVERB}{_GIVING_UP}\s+(?P<what>[^,;]*\b{NOUN}\b.*)"),
        ("certain", rf"(?:{_WE}|{_BEGIN}){_REVERTED}\s+(?P<what>(?:the|this|that|my|our)\s+(?:[\w-]+\s+){{0,4}}?{NOUN}\b.*)"),
        ("certain", rf"(?:^|[,;:–—]\s*)(?P<what>{_SUBJECT})\s+(?:was|were|has been|had to be|is)\s+{_ADVERB}(?:abandoned|scrapped|dropped|reverted|rejected|discarded|backed out)\b"),
        ("failed", rf"(?:^|[,;:–—]\s*)(?P<what>{_SUBJECT})\s+{_FAILED}\b"),
        ("failed", rf"^(?:but\s+)?(?P<what>(?:using|trying|patching|caching|wrapping|moving|making|adding|storing|parsing|reusing|sharing|running|letting|switching|calling|hooking|overriding|subclassing|mocking|monkey-?patching|relying|passing|keeping|computing|loading|batching|polling|locking|splitting|inlining|\w+ing\s+(?:the|it|them|a))\b[^,;]*?)\s+{_FAILED}\b"),
        ("reason", rf"(?:{_WE}|{_BEGIN}){_REVERTED}\s+(?P<what>(?:the|this|that|my|our|it|those|these)\b.*)"),
        ("reason", rf"(?:{_WE}|{_BEGIN})(?:switched|moved|migrated|pivoted|changed)\s+(?:away\s+)?from\s+(?P<what>.+?)\s+to\s+(?P<instead>.+)"),
        ("reason", rf"(?:{_WE}|{_BEGIN})(?:moved|pivoted|stepped|backed)\s+away from\s+(?P<what>.+)"),
        ("reason", rf"(?:{_WE}|{_BEGIN})decided against\s+(?P<what>.+)"),
        ("reason", rf"(?:{_WE}|{_BEGIN})(?:went with|took|chose|switched to|tried)\s+(?P<instead>(?:a|an)\s+(?:\w+\s+)?(?:different|other|another)\s+{NOUN}|another\s+{NOUN})"),
        ("tried", rf"(?:{_WE}|{_BEGIN})(?:tried|attempted|experimented with|started (?:out )?(?:with|by))\s+(?P<what>.+?)(?:,\s*|\s+)(?:but|which|however,?)\s+(?P<why>.+)"),
    )
)  # fmt: skip


MAX_TRIED, MAX_REASON = 160, 300
MAX_SENTENCE = 600
"""Longer sentences rarely state what was tried, and matching time grows with the square of the length."""


class AbandonedApproach(NamedTuple):
    """An approach that was given up."""

    sentence: str
    tried: str
    """The approach in the agent's words."""
    reason: str
    """Reason for giving it up; empty if the agent does not state one."""
    instead: str
    """Replacement; empty if the agent does not name one."""


def abandoned_approaches(text: str) -> Iterator[AbandonedApproach]:
    """Yield the approaches that a conclusion says were given up, in order."""
    texts = [sentence for sentence in sentences(text) if len(sentence) <= MAX_SENTENCE]
    for at, sentence in enumerate(texts):
        following = texts[at + 1] if at + 1 < len(texts) else ""
        abandoned = _read(sentence, following)
        if abandoned is not None:
            yield abandoned


def _read(sentence: str, following: str) -> AbandonedApproach | None:
    masked = _mask(sentence)
    if sentence.endswith("?") or ELSEWHERE.search(masked) or MEANT.search(masked):
        return None
    for kind, pattern in PATTERNS:
        match = pattern.search(masked)
        if match is not None and not UNREAL.search(masked[: match.end() if kind == "failed" else _what_at(match)]):
            abandoned = _abandoned_in(kind, match, sentence, following)
            if abandoned is not None:
                return abandoned
    return None


def _abandoned_in(kind: str, match: re.Match[str], sentence: str, following: str) -> AbandonedApproach | None:
    groups = match.groupdict()
    start, end = match.span("what") if groups.get("what") else (match.end(), match.end())
    what = sentence[start:end]
    reason = REASON.search(_mask(what))
    if kind == "tried":
        tried, why = what, sentence[match.start("why") :]
        if ONLY_TRIED.match(tried) or not BROKE.search(why):
            return None
    elif kind == "failed":
        tried, why = what, sentence[end:].strip(" .,")
    else:
        tried = what[: reason.start()] if reason else what
        why = what[reason.end() :] if reason else _after(sentence[end:])
    instead = sentence[match.start("instead") : match.end("instead")] if groups.get("instead") else ""
    if groups.get("instead") and (cut := REASON.search(_mask(instead))) is not None:
        why, instead = instead[cut.end() :], instead[: cut.start()]
    if not why and FOLLOWS.match(following) and BROKE.search(following):
        why = following
    if kind == "reason" and not BROKE.search(why):
        return None
    if kind in ("failed", "reason") and (UNREAL.search(_mask(tried)) or _is_small(tried)):
        return None
    if kind == "failed" and not _goes_on(why, tried):
        return None
    abandoned = _tidied(sentence, tried, _why_of(why) if kind == "failed" else why, instead, following)
    return None if kind != "given up" and NOT_OURS.match(abandoned.tried) else abandoned


def _tidied(sentence: str, tried: str, why: str, instead: str, following: str) -> AbandonedApproach:
    tried, instead = _split_replacement(tried, instead)
    why, instead = _split_replacement(why, instead)
    if not instead and (place := IN_ITS_PLACE.match(following)) is not None:
        instead = place["what"]
    tried = _plain(re.sub(rf"(?i)(\b{NOUN}) and \w+ (?:the|it|a|my)\b.*$", r"\1", tried))
    return AbandonedApproach(
        redact(sentence),
        clip_at_word(redact(tried), MAX_TRIED),
        clip_at_word(redact(_plain(why)), MAX_REASON),
        clip_at_word(redact(_plain(instead)), MAX_TRIED),
    )


def _split_replacement(text: str, instead: str) -> tuple[str, str]:
    """Split off what replaced an approach."""
    match = INSTEAD.search(text)
    if match is None:
        return text, instead
    place = next(group for group in match.groups() if group)
    return text[: match.start()], instead or re.sub(r"(?i),? instead\b", "", place)


def _why_of(remainder: str) -> str:
    """Return the reason in the description of a failure, if it states one."""
    match = REASON.search(remainder)
    return remainder[match.end() :] if match is not None else remainder


def _goes_on(remainder: str, tried: str) -> bool:
    """Whether an approach failed: the text calls it an approach, or says what was done in its place."""
    return bool(
        re.search(rf"(?i)\b{NOUN}\b", tried) or re.search(r"(?i)\b(?:so|and|therefore|hence|instead)\b", remainder)
    )


def _after(remainder: str) -> str:
    reason = REASON.search(_mask(remainder))
    return remainder[reason.end() :] if reason else ""


def _is_small(tried: str) -> bool:
    """Whether only one keyword of a language replaced another."""
    words = re.findall(r"\w+", tried.casefold())
    return bool(words) and all(word in KEYWORDS or word in ("the", "a", "keyword", "to") for word in words)


def _what_at(match: re.Match[str]) -> int:
    groups = match.groupdict()
    return match.start("what" if groups.get("what") else "instead")


def _mask(text: str) -> str:
    """Replace code and quotations with characters that match no word; all positions stay the same."""
    return re.sub(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)", lambda match: "§" * len(match[0]), text)


def _plain(text: str) -> str:
    return text.strip(" .,;:–—-!").strip()
