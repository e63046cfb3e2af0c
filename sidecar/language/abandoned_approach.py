"""Finds where an agent says in so many words that it gave an approach up, and why. Pure: a grammar of sentences.

What somebody else did, what is asked, denied, supposed or planned, quoted or code, is none; nor is one construct
written in place of another ("use const instead of let").
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact
from sidecar.core.text.prose import sentences

# How agents say that they gave an approach up: the words and the sentences, as tables. Pure.


_ADVERB = r"(?>(?:then|therefore|thus|so|also|later|first|again|now|\w+ly)\b\s++)*+"
_WE = rf"(?:^|[,;:–—(]\s*|\b(?:so|and|but|then|because|which is why|that's why)\s+|^(?:after|following|having|in the end|at first|at that point)\b[^,;]{{0,60}}?,?\s+)(?:i|we)(?:'ve|\s+have|\s+had)?\s+{_ADVERB}"
_BEGIN = rf"^{_ADVERB}(?:and\s+|but\s+|so\s+)?{_ADVERB}"
NOUN = r"(?:approach|attempt|idea|strategy|design|direction|route|experiment|prototype|plan|solution|workaround|try|angle|technique|spike|avenue|scheme)(?:es|s)?"
_THE = r"(?:the|this|that|my|our|an?|any|using|trying|both|all|these|those)\b"

_STRONG = r"(?:abandoned|gave up on|given up on|scrapped|ditched|backed out of)"
_TAKEN_BACK = r"(?:reverted|rolled back|backed out|undid|undone|threw (?:away|out)|thrown (?:away|out)|discarded|removed|dropped|took out|ripped out|pulled out)"
_GIVING_UP = r"(?:abandoning|giving up on|scrapping|ditching|dropping|reverting|backing out)"

BROKE = regex(
    r"(?i)\b(?:broke|breaks|broken|breaking|fail\w*|errors?|errored|crash\w*|conflict\w*|regress\w*|incompatib\w*|unsupported"
    r"|unreliabl\w*|flaky|fragile|brittle|rac(?:e|es|y)|deadlock\w*|leak\w*|cannot|couldn't|could not|can't|impossible"
    r"|(?:does|did|do|was|were|is|are|would|will|wo)(?:n't| not)|too (?:slow|complex|complicated|much|many|large|big|fragile"
    r"|invasive|expensive|costly|heavy|risky|late)|slow\w*|overhead|worse|hang\w*|hung|timed? ?out|timeouts?|unavailable"
    r"|dead end|not (?:viable|feasible|possible|work\w*|enough|available|supported|thread.safe)|never|wrong|corrupt\w*"
    r"|lost|loses|blocked|no longer|doubled|tripled|caused|introduced|unmaintain\w*|hides?|missed|misses|infeasible"
    r"|duplicat\w+|out of memory|without (?:a|any))\b"
)
UNREAL = regex(
    r"(?i)^(?:if|unless|should|had|suppose|assuming|in case|when(?:ever)?|before|instead of|rather than|without|to)\b"
    r"|\b(?:if|unless|whether|in case|could|might|may|should|would|on purpose)\b"
)
MEANT = regex(r"(?i)\bas (?:expected|intended|designed|it should)\b")
ELSEWHERE = regex(
    r"(?i)\bupstream\b|\bin (?:19|20)\d\d\b|\byears? ago\b|\bby (?:its|their|the) (?:maintain|author|vend)\w+"
)
REASON = regex(
    r"(?i)[,;]?\s+(?:because(?: of)?|since|as (?=it|this|that|they|the|there)|due to|given that|after (?=it|this|that|they|the"
    r"|finding|seeing|realis|realiz|discover|measur|two|three|several|\d)|when (?=it|they)|for being|which|once (?=it|they))\s*"
    r"|\s*(?:[:;–—]|\s-)\s*(?=it|this|that|they|the|there|too|not)|,\s+(?:but|and) (?=it|this|that|they)\s*"
    r"|\s+but\s+"
)
INSTEAD = regex(
    r"(?i),?\s+(?:in favou?r of\s+(?P<favoured>.+)|(?:and|so|then)\s+(?:(?:i|we|it)\s+)?(?:now\s+|instead\s+)*"
    r"(?:switched (?:back )?to|moved (?:back )?to|went (?:back to|with)|fell back (?:to|on)|settled on|replaced (?:it|that|them)"
    r" (?:with|by)|opted for|ended up with|uses?|used|chose)\s+(?P<chosen>.+)|(?:and|so)\s+(?:i|we)\s+(?:now\s+)?(?P<done>\w+.+))"
)
FOLLOWS = regex(r"(?i)^(?:it|this|that|they|the|there|each|every|because)\b")
IN_ITS_PLACE = regex(r"(?i)^(?:instead|in its place|now),?\s+(?P<what>.+)")

KEYWORDS = frozenset(
    "let const var val def tabs spaces quotes single double any unknown int string none null self".split()
)
NOT_OURS = regex(
    r"(?i)^(?:the |this |that |my |our |an? )?(?:\w+ )?(?:transactions?|migrations?|database|deploy\w*|releases?|branch\w*|tables?|index(?:es)?"
    r"|columns?|carts?|sessions?|connections?|version bump|unused\b.*|stale\b.*|dead code|debug\b.*|temporary\b.*|temp\b.*|deprecated\b.*"
    r"|obsolete\b.*|leftover\b.*|redundant\b.*|duplicated?\b.*|console\.log\w*|print\w*( statements?)?|imports?|comments?|whitespace\b.*|formatting\b.*"
    r"|messages?|packets?|frames?|events?|rows?|requests?)(?=$|[,.;]|\s+(?:that|which|who|with|without|from|in|of|for|when|where|to|as)\b|\s+`)"
)
ONLY_TRIED = regex(
    r"(?i)^(?:to )?(?:reproduc|repro|run|find|install|build|verify|check|test|log|open|reach|connect|fetch|download|search)"
)

_SUBJECT = (
    rf"(?:the|this|that|my|our)\s+(?:[\w-]+\s+){{0,4}}?{NOUN}(?:\s+(?:of|with|to|using|based on|in|via|for)\s+[^,;]+?)?"
)
_FAILED = r"(?:(?:did|does|do|could|would|wo|will)(?:n't| not)\s+(?:really\s+|quite\s+)?(?:work|pan|hold|scale|help|fly)(?:\s+out|\s+up)?|failed|fails|was a dead end|is a dead end|turned out (?:not )?to (?:be|work|have|need|break|fail)|turned out \w+|proved (?:to be )?\w+|(?:was|is)(?:n't| not) (?:viable|feasible|workable|possible)|had to go|led nowhere)"

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, regex(f"(?i){pattern}"))
    for kind, pattern in (
        ("given up", rf"(?:{_WE}){_STRONG}\s+(?P<what>.+)"),
        ("given up", rf"{_BEGIN}{_STRONG}\s+(?P<what>{_THE}.*)"),
        ("certain", rf"(?:^|[,;:–—]\s*|\b(?:so|and|but)\s+)(?:i'm|we're|i am|we are)\s+{_ADVERB}{_GIVING_UP}\s+(?P<what>[^,;]*\b{NOUN}\b.*)"),
        ("certain", rf"(?:{_WE}|{_BEGIN}){_TAKEN_BACK}\s+(?P<what>(?:the|this|that|my|our)\s+(?:[\w-]+\s+){{0,4}}?{NOUN}\b.*)"),
        ("certain", rf"(?:^|[,;:–—]\s*)(?P<what>{_SUBJECT})\s+(?:was|were|has been|had to be|is)\s+{_ADVERB}(?:abandoned|scrapped|dropped|reverted|rejected|discarded|backed out)\b"),
        ("failed", rf"(?:^|[,;:–—]\s*)(?P<what>{_SUBJECT})\s+{_FAILED}\b"),
        ("failed", rf"^(?:but\s+)?(?P<what>(?:using|trying|patching|caching|wrapping|moving|making|adding|storing|parsing|reusing|sharing|running|letting|switching|calling|hooking|overriding|subclassing|mocking|monkey-?patching|relying|passing|keeping|computing|loading|batching|polling|locking|splitting|inlining|\w+ing\s+(?:the|it|them|a))\b[^,;]*?)\s+{_FAILED}\b"),
        ("reason", rf"(?:{_WE}|{_BEGIN}){_TAKEN_BACK}\s+(?P<what>(?:the|this|that|my|our|it|those|these)\b.*)"),
        ("reason", rf"(?:{_WE}|{_BEGIN})(?:switched|moved|migrated|pivoted|changed)\s+(?:away\s+)?from\s+(?P<what>.+?)\s+to\s+(?P<instead>.+)"),
        ("reason", rf"(?:{_WE}|{_BEGIN})(?:moved|pivoted|stepped|backed)\s+away from\s+(?P<what>.+)"),
        ("reason", rf"(?:{_WE}|{_BEGIN})decided against\s+(?P<what>.+)"),
        ("reason", rf"(?:{_WE}|{_BEGIN})(?:went with|took|chose|switched to|tried)\s+(?P<instead>(?:a|an)\s+(?:\w+\s+)?(?:different|other|another)\s+{NOUN}|another\s+{NOUN})"),
        ("tried", rf"(?:{_WE}|{_BEGIN})(?:tried|attempted|experimented with|started (?:out )?(?:with|by))\s+(?P<what>.+?)(?:,\s*|\s+)(?:but|which|however,?)\s+(?P<why>.+)"),
    )
)  # fmt: skip


MAX_TRIED, MAX_REASON = 160, 300
MAX_SENTENCE = 600
"""A longer one is no sentence of somebody's who tells what was tried, and reading it takes time by its square."""


class Abandoned(NamedTuple):
    """An approach that was given up."""

    sentence: str
    tried: str
    """What it was, in the agent's words."""
    reason: str
    """Why it was given up; empty where the agent does not say."""
    instead: str
    """What came in its place; empty where the agent does not say."""


def abandonments(text: str) -> Iterator[Abandoned]:
    """Yields the approaches that a conclusion says were given up, in its order."""
    told = [sentence for sentence in sentences(text) if len(sentence) <= MAX_SENTENCE]
    for at, sentence in enumerate(told):
        following = told[at + 1] if at + 1 < len(told) else ""
        found = _read(sentence, following)
        if found is not None:
            yield found


def _read(sentence: str, following: str) -> Abandoned | None:
    masked = _masked(sentence)
    if sentence.endswith("?") or ELSEWHERE.search(masked) or MEANT.search(masked):
        return None
    for kind, pattern in PATTERNS:
        match = pattern.search(masked)
        if match is not None and not UNREAL.search(masked[: match.end() if kind == "failed" else _what_at(match)]):
            found = _told(kind, match, sentence, following)
            if found is not None:
                return found
    return None


def _told(kind: str, match: re.Match[str], sentence: str, following: str) -> Abandoned | None:
    groups = match.groupdict()
    start, end = match.span("what") if groups.get("what") else (match.end(), match.end())
    what = sentence[start:end]
    reason = REASON.search(_masked(what))
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
    if groups.get("instead") and (cut := REASON.search(_masked(instead))) is not None:
        why, instead = instead[cut.end() :], instead[: cut.start()]
    if not why and FOLLOWS.match(following) and BROKE.search(following):
        why = following
    if kind == "reason" and not BROKE.search(why):
        return None
    if kind in ("failed", "reason") and (UNREAL.search(_masked(tried)) or _is_small(tried)):
        return None
    if kind == "failed" and not _goes_on(why, tried):
        return None
    found = _tidied(sentence, tried, _why_of(why) if kind == "failed" else why, instead, following)
    return None if kind != "given up" and NOT_OURS.match(found.tried) else found


def _tidied(sentence: str, tried: str, why: str, instead: str, following: str) -> Abandoned:
    tried, instead = _parted(tried, instead)
    why, instead = _parted(why, instead)
    if not instead and (place := IN_ITS_PLACE.match(following)) is not None:
        instead = place["what"]
    tried = _plain(re.sub(rf"(?i)(\b{NOUN}) and \w+ (?:the|it|a|my)\b.*$", r"\1", tried))
    return Abandoned(
        redact(sentence), _cut(tried, MAX_TRIED), _cut(_plain(why), MAX_REASON), _cut(_plain(instead), MAX_TRIED)
    )


def _parted(text: str, instead: str) -> tuple[str, str]:
    """Takes off what came in the place of an approach."""
    found = INSTEAD.search(text)
    if found is None:
        return text, instead
    place = next(group for group in found.groups() if group)
    return text[: found.start()], instead or re.sub(r"(?i),? instead\b", "", place)


def _why_of(rest: str) -> str:
    """Of what an approach came to, the reason where one is told."""
    found = REASON.search(rest)
    return rest[found.end() :] if found is not None else rest


def _goes_on(rest: str, tried: str) -> bool:
    """Whether a failure is an approach's: it is called one, or the sentence tells what was done in its place."""
    return bool(re.search(rf"(?i)\b{NOUN}\b", tried) or re.search(r"(?i)\b(?:so|and|therefore|hence|instead)\b", rest))


def _after(rest: str) -> str:
    reason = REASON.search(_masked(rest))
    return rest[reason.end() :] if reason else ""


def _is_small(tried: str) -> bool:
    """Whether only one word of the language's own was put in place of another."""
    words = re.findall(r"\w+", tried.casefold())
    return bool(words) and all(word in KEYWORDS or word in ("the", "a", "keyword", "to") for word in words)


def _what_at(match: re.Match[str]) -> int:
    groups = match.groupdict()
    return match.start("what" if groups.get("what") else "instead")


def _masked(text: str) -> str:
    """Puts signs that match no word in the place of code and of what is quoted; every place stays where it is."""
    return re.sub(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)", lambda found: "§" * len(found[0]), text)


def _plain(text: str) -> str:
    return text.strip(" .,;:–—-!").strip()


def _cut(text: str, limit: int) -> str:
    text = redact(text)
    return text if len(text) <= limit else text[: limit - 2].rsplit(" ", 1)[0] + " …"
