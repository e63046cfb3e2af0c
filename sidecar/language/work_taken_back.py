"""Find where an agent states that it gave an approach up, and where a user takes work back. Pure: a grammar of sentences.

Excluded are other people's work, questions, denials, suppositions, plans, quotations, code, and one construct written
in place of another ("use const instead of let"). If work was lost, an announcement of its removal counts, too, and
a user's sentence in ten languages.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from sidecar.core.clean_text import clip_at_word
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import sentences
from sidecar.core.redact import redact
from sidecar.language.closing_message_patterns import CHANGE, REMEDY
from sidecar.language.conclusions import BARE_ORDER, points_at_work, without_conditions
from sidecar.language.own_words import REPAIR, own_words

_ADVERB = r"(?>(?:then|therefore|thus|so|also|later|first|again|now|\w+ly)\b\s++)*+"
_WE = rf"(?:^|[,;:–—(]\s*|\b(?:so|and|but|then|because|which is why|that's why)\s+|^(?:after|following|having|in the end|at first|at that point)\b[^,;]{{0,60}}?,?\s+)(?:i|we)(?:'ve|\s+have|\s+had)?\s+{_ADVERB}"
_BEGIN = rf"^{_ADVERB}(?:and\s+|but\s+|so\s+)?{_ADVERB}"
NOUN = r"(?:approach|attempt|idea|strategy|design|direction|route|experiment|prototype|plan|solution|workaround|try|angle|technique|spike|avenue|scheme)(?:es|s)?"
_THE = r"(?:the|this|that|my|our|an?|any|using|trying|both|all|these|those)\b"

_STRONG = r"(?:abandoned|gave up on|given up on|scrapped|ditched|backed out of)"
_REVERTED = r"(?:reverted|rolled back|backed out|undid|undone|threw (?:away|out)|thrown (?:away|out)|discarded|removed|dropped|took out|ripped out|pulled out)"
_GIVING_UP = r"(?:abandoning|giving up on|scrapping|ditching|dropping|reverting|backing out)"

BROKE = lazy_regex(
    r"(?i)\b(?:broke|breaks|broken|breaking|fail\w*|errors?|errored|crash\w*|conflict\w*|regress\w*|incompatib\w*|unsupported|unreliabl\w*|flaky|fragile|brittle|rac(?:e|es|y)|deadlock\w*|leak\w*|cannot|couldn't|could not|can't|impossible|(?:does|did|do|was|were|is|are|would|will|wo)(?:n't| not)|too (?:slow|complex|complicated|much|many|large|big|fragile|invasive|expensive|costly|heavy|risky|late)|slow\w*|overhead|worse|hang\w*|hung|timed? ?out|timeouts?|unavailable|dead end|not (?:viable|feasible|possible|work\w*|enough|available|supported|thread.safe)|never|wrong|gave up|given up|corrupt\w*|lost|loses|blocked|no longer(?! (?:needed|used|required|necessary|relevant))|doubled|tripled|caused|introduced|unmaintain\w*|hides?|missed|misses|infeasible|duplicat\w+|out of memory|without (?:a|any))\b"
)
UNREAL = lazy_regex(
    r"(?i)^(?:if|unless|should|had|suppose|assuming|in case|when(?:ever)?|before|instead of|rather than|without|to)\b|\b(?:if|unless|whether|in case|could|might|may|should|would|on purpose)\b"
)
MEANT = lazy_regex(r"(?i)\b(?:as|is|was) (?:expected|intended|designed)\b|\bas it should\b")
ELSEWHERE = lazy_regex(
    r"(?i)\bupstream\b|\bin (?:19|20)\d\d\b|\byears? ago\b|\bby (?:its|their|the) (?:maintain|author|vend)\w+"
)
REASON = lazy_regex(
    r"(?i)[,;]?\s+(?:because(?: of)?|since|as (?=it|this|that|they|the|there)|due to|given that|after (?=it|this|that|they|the|finding|seeing|realis|realiz|discover|measur|two|three|several|\d)|when (?=it|they)|for being|which|once (?=it|they))\s*|\s*(?:[:;–—]|\s-)\s*(?=it|this|that|they|the|there|too|not)|,\s+(?:but|and) (?=it|this|that|they)\s*|\s+but\s+"
)
INSTEAD = lazy_regex(
    r"(?i),?\s+(?:in favou?r of\s+(?P<favoured>.+)|(?:and|so|then)\s+(?:(?:i|we|it)\s+)?(?:now\s+|instead\s+)*(?:switched (?:back )?to|moved (?:back )?to|went (?:back to|with)|fell back (?:to|on)|settled on|replaced (?:it|that|them) (?:with|by)|opted for|ended up with|uses?|used|chose)\s+(?P<chosen>.+)|(?:and|so)\s+(?:i|we)\s+(?:now\s+)?(?P<done>\w+.+))"
)
FOLLOWS = lazy_regex(r"(?i)^(?:it|this|that|they|the|there|each|every|because)\b")
IN_ITS_PLACE = lazy_regex(r"(?i)^(?:instead|in its place|now),?\s+(?P<what>.+)")

KEYWORDS = frozenset(
    "let const var val def tabs spaces quotes single double any unknown int string none null self".split()
)
NOT_OURS = lazy_regex(
    r"(?i)^(?:the |this |that |my |our |an? )?(?:\w+ )?(?:transactions?|migrations?|database|deploy\w*|releases?|branch\w*|tables?|index(?:es)?|columns?|carts?|sessions?|connections?|version bump|unused\b.*|stale\b.*"
    r"|dead code|debug\b.*|placeholders?\b.*|stubs?\b.*|dummy\b.*|temporary\b.*|temp\b.*|deprecated\b.*|obsolete\b.*|leftover\b.*|redundant\b.*|duplicated?\b.*|console\.log\w*|print\w*( statements?)?|imports?|comments?|whitespace\b.*|formatting\b.*"
    r"|messages?|packets?|frames?|events?|rows?|requests?)(?=$|[,.;]|\s+(?:that|which|who|with|without|from|in|of|for|when|where|to|as)\b|\s+`)"
)
_PLACE = lazy_regex(r"(?i)^(?:it|them|those|these)\s+(?:from|out|back|in|to)\b")
"""Something taken from a place, as in "removed it from the index": no approach is named."""

ONLY_TRIED = lazy_regex(
    r"(?i)^(?:(?:\w+\s){1,4}?(?:attempt|try)s?\s(?=to\s))?(?:to )?(?:reproduc|repro|run|find|install|build|verify|check|test|log|open|reach|connect|fetch|download"
    r"|search|read\b|locate|access|edit\b)"
)

_SUBJECT = rf"(?:the|this|that|my|our)\s+(?!(?:current|existing)\b)(?:[\w-]+\s+){{0,4}}?{NOUN}(?:\s+(?:of|with|to|using|based on|in|via|for)\s+[^,;]+?)?"
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


_ONLY_TRY = lazy_regex(rf"(?i)^(?:i|we)(?:['’]ve| have)?\s{_ADVERB}(?:tried|attempted)\s")
_IT_FAILED = lazy_regex(rf"(?i)^(?:it|that|this)\s{_FAILED}")
_GAVE_UP = lazy_regex(r"(?i)^(?:i |we )?(?:then )?gave (?:it |that )?up(?: on [^,;]{1,60}?)?\s(?:because|since|as)\s")
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
    is_explicit: bool = True
    """Whether the words alone state that an approach failed or was given up; "removed" and "dropped" do not."""


def abandoned_approaches(text: str) -> Iterator[AbandonedApproach]:
    """Yield the approaches that a conclusion says were given up, in order."""
    texts = [sentence for sentence in sentences(without_conditions(text)) if len(sentence) <= MAX_SENTENCE]
    for at, sentence in enumerate(texts):
        following = texts[at + 1] if at + 1 < len(texts) else ""
        fails_next = _ONLY_TRY.match(sentence) and _IT_FAILED.match(following)
        joined = f"{sentence.rstrip('.')}, but {following[:1].lower()}{following[1:]}" if fails_next else sentence
        abandoned = _read(joined, following)
        if abandoned is not None:
            yield abandoned._replace(sentence=redact(f"{sentence} {following}")) if fails_next else abandoned


def _read(sentence: str, following: str) -> AbandonedApproach | None:
    masked = _mask(sentence)
    if sentence.endswith("?") or ELSEWHERE.search(masked) or MEANT.search(masked):
        return None
    for kind, pattern in PATTERNS:
        match = pattern.search(masked)
        if match is not None and not UNREAL.search(masked[: match.end() if kind == "failed" else _what_at(match)]):
            abandoned = _abandoned_in(kind, match, sentence, following)
            if abandoned is not None:
                return abandoned._replace(is_explicit=kind in ("given up", "failed", "tried"))
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
        tried, why = re.sub(r"(?i)\s(?:at )?first$", "", tried), _GAVE_UP.sub("", why)
    elif kind == "failed":
        tried, why = what, sentence[end:].strip(" .,")
    else:
        tried = what[: reason.start()] if reason else what
        why = what[reason.end() :] if reason else _reason_in(sentence[end:])
    instead = sentence[match.start("instead") : match.end("instead")] if groups.get("instead") else ""
    if groups.get("instead") and (cut := REASON.search(_mask(instead))) is not None:
        why, instead = instead[cut.end() :], instead[: cut.start()]
    states_result = CHANGE.search(following) or REMEDY.search(following)
    if not why and FOLLOWS.match(following) and BROKE.search(following) and not states_result:
        why = following
    if kind == "reason" and not BROKE.search(why):
        return None
    if kind in ("failed", "reason") and (UNREAL.search(_mask(tried)) or _is_small(tried)):
        return None
    if kind == "failed" and (ONLY_TRIED.match(tried) or not _goes_on(why, tried)):
        return None
    abandoned = _tidied(sentence, tried, _reason_in(why, why) if kind == "failed" else why, instead, following)
    is_ours = kind == "given up" or not (NOT_OURS.match(abandoned.tried) or _PLACE.match(abandoned.tried))
    return abandoned if is_ours else None


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


def _goes_on(remainder: str, tried: str) -> bool:
    """Whether an approach failed: the text calls it an approach, or says what was done in its place."""
    return bool(
        re.search(rf"(?i)\b{NOUN}\b", tried) or re.search(r"(?i)\b(?:so|and|therefore|hence|instead)\b", remainder)
    )


def _reason_in(text: str, default: str = "") -> str:
    reason = REASON.search(_mask(text))
    return text[reason.end() :] if reason else default


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
    return text.strip(" .,;:–—-!。✅❌").strip()


class RemovedWork(NamedTuple):
    """Work that an agent took out, its replacement and the reason; empty if the agent names none."""

    what: str
    instead: str = ""
    reason: str = ""
    is_certain: bool = True
    """Whether the sentence states that it was taken out, and not only that it failed."""


_BY_WHOM = r"^(?:(?:(?:i|we)(?:['’]ve| have)?|j['’]ai|nous avons|he|hemos|se han?|ho|abbiamo|eu|я|мы)\s+)?(?:\w+ly\s+|also\s+)?"
_SUBJECT_WORDS = r"(?:[^.;:,]|[.:](?=\S)){2,80}?"
_NAMED = r"(?:[^.;]|\.(?=\S))+?"
_REPLACED = lazy_regex(
    rf"{_BY_WHOM}(?:replaced|swapped(?: out)?)\s+(?P<what>{_NAMED})\s+(?:with|by|for)\s+(?P<instead>.+)|{_BY_WHOM}(?:switched|changed|converted|migrated|moved)\s+(?:[^.;]{{1,60}}?\s+)?from\s+(?P<what2>{_NAMED})\s+to\s+(?P<instead2>.+)"
    rf"|{_BY_WHOM}(?:reemplacé|reemplaza(?:d[oa]s?|mos)|sustituí|sustituid[oa]s?|sustituimos|substituí|substituíd[oa]s?|substituímos|troquei|trocamos|remplacé\w*|sostituito|sostituit[aei])\s+(?P<what3>{_NAMED})\s+(?:por|par|con)\s+(?P<instead3>.+)"
    rf"|{_BY_WHOM}(?:converti|migré|passé|basculé|convertí|cambié|cambiado|migrado|pasado|mudei|mudamos|migrei|passei|cambiato|migrato|passato|convertito)\s+(?:[^.;]{{1,60}}?\s+)?(?:d['’]un\w*|de|da|do|dal)\s+(?P<what8>{_NAMED})\s+(?:vers|à|a|para|al?)\s+(?P<instead13>.+)"
    r"|^(?:ich habe |wir haben |ik heb |we hebben )?(?:[^.;]{1,60}?\s)?(?:von|van) (?P<object11>[^.;]+?) (?:auf|zu|naar) (?P<instead14>[^.;]+?) (?:umgestellt|migriert|gewechselt|umgestiegen|umgebaut|omgezet|overgestapt|gemigreerd)"
    rf"|^(?P<subject3>{_SUBJECT_WORDS})\s(?:wurden?|ist|sind|is|werd(?:en)?)\s(?:(?:jetzt|nun|nu|wieder|auch)\s)?(?:durch|door)\s(?P<instead10>[^.;]+?)\s(?:ersetzt|vervangen)"
    r"|^(?:ich habe |wir haben |ik heb |we hebben )?(?P<object4>[^.;]+?)\s+(?:durch|door)\s+(?P<instead4>[^.;]+?)\s+(?:ersetzt|vervangen)(?=\W*$|,\s(?:weil|da|denn|omdat|want)\s)"
    rf"|{_BY_WHOM}заменил[аи]?\s+(?P<what5>[^.;]+?)\s+на\s+(?P<instead5>.+)|{_BY_WHOM}(?:переш[её]л|перешли|перев[её]л|перевели)\s+(?:[^.;]{{1,60}}?\s+)?с\s+(?P<what9>{_NAMED})\s+на\s+(?P<instead15>.+)"
    r"|^(?:[^。、]{1,30}を)?(?P<object12>[^。、を]{2,60}?)から(?P<instead16>[^。、]{2,60}?)(?:に|へ)(?:変更し|移行し|切り替え)|^(?P<object6>[^。、]{2,60}?)を(?P<instead6>[^。、]{2,60}?)に(?:置き換え|変更し|切り替え)|^(?P<object10>[^。、は]{2,60}?)は[^。]{2,80}?(?:ため|ので)、(?P<instead12>[^。、]{2,60}?)に(?:置き換え|変更し|切り替え)"
    r"|(?:(?:将|把)(?:[^，。]{1,30}?从)?|从)(?P<object7>[^，。]{2,60}?)(?:替换|改|换|切换|迁移|转换)(?:成了|为了|为|成|到)(?P<instead7>[^，。]{2,60})"
    rf"|^(?P<subject2>{_SUBJECT_WORDS})\s(?:est|sont|a été|ont été|fue(?:ron)?|ha sido|han sido|está|foi|foram|è stat[oa]|sono stat[ei])\s"
    r"(?:maintenant\s|ahora\s|agora\s|ora\s)?(?:remplacé\w*|reemplazad\w+|sustituid\w+|substituíd\w+|sostituit\w)\s(?:par|por|con|da|dal\w*)\s(?P<instead9>.+)"
    rf"|^(?P<subject>{_SUBJECT_WORDS})\s(?:is|are|was|were|has been|have been)\s(?:now\s)?(?:replaced|swapped)\s(?:by|with|for)\s(?P<instead8>.+)|^(?P<subject4>{_SUBJECT_WORDS})\sзамен[её]н[аоы]?\sна\s(?P<instead11>.+)",
    re.IGNORECASE,
)
_REMOVED = lazy_regex(
    rf"{_BY_WHOM}(?:removed|deleted|dropped|reverted|rolled back|took out|taken out|ripped out|threw out|threw away|pulled out|scrapped|undid|discarded|stashed|shelved|got rid of)\s+(?P<what>.+)"
    rf"|{_BY_WHOM}(?:took|taken|ripped|threw|pulled)\s+(?P<what3>[^\s.;:,][^.;:,]{{1,60}}?)\s(?:(?:back|right)\s)?out(?:\sagain)?(?=\W*$|[.,;:]|\s(?:because|since|as|so|and)\b)"
    rf"|{_BY_WHOM}(?:eliminé|eliminamos|elimin[aoó]d[oa]s?|eliminando|quité|quitamos|quitad[oa]s?|quitando|revertí|revertid[oa]s?|deshice|removi|removemos|removid[oa]s?|removendo|retirei|reverti|desfiz|supprim(?:ée?s?|ant)|retir(?:ée?s?|ant)|annulée?s?|enlevée?s?|rimoss[oaei]|rimuovendo|eliminat[oaei]|annullat[oaei]|tolt[oaei]|levat[oaei]|buttat[oaei] via|удалил[аи]?|убрал[аи]?|откатил[аи]?|отказал(?:ся|ась|ись) от|отбросил[аи]?|abandoné|descarté|abandonei|descartei|abandonnée?s?|abbandonat[oaei]|scartat[oaei])\s+(?P<what2>.+)"
    rf"|^(?P<subject4>{_SUBJECT_WORDS})\s(?:wurden?|ist|sind|is|werd(?:en)?|zijn)\s"
    r"(?:(?:wieder|weer|jetzt|nun|nu|heute|auch|ook|komplett|vollständig|ganz|daher|also|bereits|schon|al)\s){0,3}(?:(?:aus|von|vom|im|in|uit|van)\s[^.;:,]{1,40}?\s)?(?:entfernt|gelöscht|raus|weg|ausgebaut|verwijderd)"
    r"|^(?:ich habe |wir haben |ik heb |we hebben )?(?P<object3>[^.;]+?)\s+(?:wieder )?(?:entfernt|gelöscht|zurückgesetzt|ausgebaut|verworfen|aufgegeben|verwijderd|teruggedraaid|verworpen|opgegeven)(?=\W*$|,\s(?:weil|da|denn|omdat|want)\s)"
    r"|^(?P<object4>[^。、]{2,60}?)を(?:削除|除去|撤去|撤回|外し|元に戻し|断念し|取りやめ|やめ(?:まし)?た)|^[^。、]{2,80}?(?:ため|ので)、(?P<object13>[^。、]{2,60}?)を(?:削除|除去|撤去|撤回|外し|断念し|取りやめ|やめ(?:まし)?た)|^(?P<object8>[^。、は]{2,40}?)は[^。]{2,80}?(?:ため|ので)、(?:断念し|取りやめ|やめ(?:まし)?た)|^(?:已经?)?(?:删除|移除|去掉|撤销|回退|放弃)(?:了|掉了?)?(?P<what5>[^，。]{2,80})|^(?P<object9>[^，。]{2,40}?)(?:方案|方法)?在[^，。]{2,40}失败，(?:所以|因此)(?:我们?)?放弃"
    rf"|^(?P<subject>{_SUBJECT_WORDS})\s(?:is|are|was|were|got|(?:has|have)(?:\s(?:now|since|also))?\sbeen)\s"
    r"(?:(?:now|all|completely|entirely|fully|also|already|therefore|again)\s)?(?:gone|removed|deleted|dropped|reverted|taken out|thrown out|ripped out|out(?:\sagain)?(?=\W*$|[;,])|no longer (?:used|imported|needed|a dependency))"
    r"(?!\s(?:when|if|after|once|by|on|as|before|unless|automatically)\b)"
    rf"|^(?P<subject2>{_SUBJECT_WORDS})\s(?:est|sont|a été|ont été|fue(?:ron)?|ha sido|han sido|foi|foram|è stat[oa]|sono stat[ei])\s"
    r"(?:supprimé\w*|retiré\w*|enlevé\w*|abandonné\w*|eliminad\w+|quitad\w+|retirad\w+|removid\w+|rimoss\w|eliminat\w)"
    rf"|^(?P<subject3>{_SUBJECT_WORDS})\s(?:não é mais|ya no se|n['’]est plus|non è più)\s(?:usad\w+|importad\w+|usa|importa|utilisée?|importée?|usat\w|importat\w)"
    rf"|^(?P<subject5>{_SUBJECT_WORDS})\s(?:удал[её]н[аоы]?|убран[аоы]?|больше не используется)"
    r"|^(?P<subject6>[^，。]{2,60}?)(?:版本|方案)?(?:已经?|已全部|都)(?:删除|移除|去掉|撤掉|撤销|回退)|^(?P<object6>[^.,]{2,60}?)(?:을|를) (?:제거|삭제)|^(?P<bare>(?:[^\s,;:]+ ){0,3}?[^\s,;:]+)\s(?:removed|dropped|reverted|retirée?s?|supprimée?s?|enlevée?s?|eliminad[oa]s?"
    r"|quitad[oa]s?|removid[oa]s?|retirad[oa]s?|rimoss[oaei]|usunięt\w{1,2}|a?fuera)(?=\W*$|[,;:]|\s(?:again|and|et|y|e)\b)",
    re.IGNORECASE,
)
_PREFERRED = lazy_regex(
    rf"^(?P<instead>{_NAMED})\s(?:instead of|rather than|in place of|au lieu d(?:es?|u|['’])|plutôt qu['’e]|en (?:vez|lugar) del?(?=\s)|em vez d[eoa]s?|ao invés d[eoa]s?|statt|anstatt|anstelle|invece d(?:i|ell['’ao]?)|in plaats van|вместо)\s*(?P<what>\S.+)",
    re.IGNORECASE,
)
_TO_USE = lazy_regex(r"(?i)^(?:(?:now,? )?(?:i|we|let)\b|\w{2,16}(?:ed|ing)\b)[^.;]{0,200}\bto use\s+(?=\S)")
"""Words before the replacement itself: "I've updated all test projects to use MSTest"."""
_CLAUSE_BEFORE = lazy_regex(r"(?i)^[^.;]{1,100}?\b(?:is|are|was|were)\s[^.;]{1,60}?\sand\s(?=(?:the|all|our|both)\s)")
"""Another clause before the subject: "the build is green and the old parts"."""
_REMAINDER = lazy_regex(
    r"(?i)\s{1,3}(?:and|und|et|y|e|en|so that|since|because|because of|that was added)\s.*|[(–—].*|\s-\s.*|:.*|,\s.*"
)
_BECAUSE = lazy_regex(
    r"(?i)[,;]?\s(?:because|since|as (?=it|they|the|there)|due to|porque|ya que|debido a|pois|já que|devido a|parce que|car|puisque|weil|da (?=sie|er|es|die|der|das)|perché|poiché|omdat|want|потому что|так как|поскольку)\s|[,;]?\s(?:parce qu|puisqu)['’]|，?(?:因为|由于)"
)
_BECAUSE_BEFORE = lazy_regex(
    r"(?:は|^)(?P<why>[^。は]{2,80}?)(?:ため|ので)、|在(?P<why2>[^，。]{2,40}失败)，(?:所以|因此)"
)
_SEQUEL = lazy_regex(
    r"(?i)\s?[;；]\s?|,?\s(?:and|so|und|daher|sodass|y|así que|e|então|et|donc|quindi|en|dus|и|поэтому)\s(?=[^;]{0,80}\b(?:now|instead|jetzt|nun|stattdessen|ahora|agora|maintenant|ora|nu|теперь)\b)"
)
_IN_PLACE = lazy_regex(r"(?i)\sand (?:put|added|wrote) (?P<instead>[^,;]{2,80}?) in (?:its|their) place\b")
_FAILED_WORK = lazy_regex(
    rf"(?i)^(?:but\s|however,\s)?(?P<what>(?:the|this|that|my|our)\s(?!(?:current|existing)\b)(?:(?!(?:tests?|builds?|checks?|command|pipeline|ci)\s)[^\s,;:.]+\s){{1,6}}?)(?P<why>{_FAILED}|blocked|blocks|hit|exceeded|broke|crashed|deadlocked|leaked|kept \w+ing)\b"
)

_QUESTION = lazy_regex(r"(?:[^.!?;:…–—]|[.:](?=\S))*[?？]|.*吗[。！]?$")
_NEGATIVE_OR_CONDITION = lazy_regex(
    r"(?i)(?:(?:and|but|so|also|almost|nearly)\s)?(?:no(?!\slonger)|none|not|nothing|nobody|neither|never|hardly|if|unless|when(?:ever)?|whether|once|upon|automatically|later|keine?\w{0,2}|nichts|niemand|aucune?|rien|personne"
    r"|ningun[oa]s?|ningún|nada|nadie|nenhuma?s?|ninguém|nessun\w*|niente|nulla|geen|niets|ничего|никак\w+|ни|nic|wenn|falls|sobald|ob|si|se(?!\shan?\b)|als|indien|wanneer|quando|cuando|quand|если|когда|пока)\b(?!-)|(?:on|by"
    r"|at)\s(?:the\s)?(?:\w+\s)?(?:logout|login|exit|startup|shutdown|start|demand|job|next|default)\b|もし|如果|若|假如|是否|没有|失败|[^，。]{0,40}(?:会|可能)"
)
_DENIED = lazy_regex(
    r"(?i)\b(?:(?:nicht|nie|niet|nooit|niemals|kaum)(?:\s\w+)?|no|não|non|не|nunca|jamais|mai|jamás|not|never|nothing|nichts|niets|nada|rien|niente|ничего)$|(?:没有?|尚未|未|不会)$|\bn['’]\w+$"
)
_SUBORDINATE = lazy_regex(
    r"(?i)(?<!\bthe\s)\b(?:when(?:ever)?|once|until|after|before|while|as soon as|so that|now that|wenn|falls|sobald)\b(?!-)|^(?:i|we|you|they|it turns out|please|consider|let|what|which|who|how|why|with|make sure|expect|imagine)\b|^(?:check|verify|confirm|ensure|assume)\s(?:that|the|your|all|it)\b|\bwhose\b|\s(?:that|which|who|que|qui|che)$|^[^,]*\b(?:wird|werden|würden?|soll\w*|kann|können|könnte\w*|muss|müssen|darf|dürfen|worden|wordt)\b"
)
_RELATIVE = lazy_regex(r"(?i)\s(?:that|which|who|where)\s")
_NO_BARE_SUBJECT = lazy_regex(
    r"(?i)\b(?:is|isn|are|aren|was|wasn|were|weren|be|been|being|hasn?|haven?|hadn?|not|never|cannot|can|couldn?|shouldn?|must|will|would|wouldn|may|might|to|gets?|yet|keep|want|need|have|pas|jamais|été|est|sont|ne|n['’]\w+|ha|sido|fue|no|não|foi|non|è|stat[oa]|nie|sin|sem|sans|senza)\b"
)
_NOT_DONE = lazy_regex(
    r"(?i)[\s:]+(?:none|nothing|no|nada|aucune?|\d+)\b|\s?(?:하지|되지|할|하면|해야|하려|해\s?주)|[^、。]{0,5}?(?:ない|なかった|ません|すると|すれば|したら|する(?:予定|必要|場合|べき|か|前)|でき|ください|場合|ますか|ましょう|たい)"
)
_HABIT = lazy_regex(
    r"(?i)\s(?:every|each|at|during|nightly|daily|hourly|weekly|periodically|whenever|until|upon|later|in the background)\b"
)
_ATTRIBUTE = lazy_regex(
    r"(?i)(?!(?:the|an?|this|that|these|those|all|our|my|its|what|every|both|some|any)\b)(?:(?!(?:that|which|who|whose|we|i|you|it|they|because|since|as|so|and|but|when|where|how|if|nothing|no)\b)[\w-]+ ){1,4}(?:is|are|was|were|will|would|can|could|may|must|should|has|have|had|stays?|remains?|gets? (?:an?|the|new|no)|(?:go|come)s? (?:to|back)|never)\b"
)
"""Continuation of "deleted" where it is an attribute: "deleted rows are …"."""
_HEAD_END = lazy_regex(
    r"(?i)\s(?:on|in|of|at|from|for|when|during|after|before|that|which|by|with|while|de|del|du|des|di|da|do|en|van|von|im|beim|в|при)\s.*|,.*"
)
_FAULT = lazy_regex(
    r"(?i)(?:\b(?:bugs?|errors?|leaks?|crash(?:es)?|flicker(?:ing)?|deadlocks?|regressions?|race(?:s| conditions?)?|glitch(?:es)?|flakiness|failures?|problems?|issues?|exceptions?|warnings?|freezes?|hangs?|stutter(?:ing)?|mismatch(?:es)?|lag|faults?|defects?|slowdowns?|fuites?|erreurs?|plantages?|fallos?|fugas?|erros?|falhas?|vazamentos?|errore|errori|fout(?:en)?|ошибк[аи]|утечк[аи]|сбо[йи])|fehler|abstürze|absturz|leck|flackern|バグ|不具合|エラー|错误|泄漏|崩溃)$"
)
_TEMPORARY = lazy_regex(
    r"(?i)\b(?:debug\w*|console\.\w+|print (?:statements?|lines?|calls?)|unused|dead code|placeholders?|depuración|depuração|débogage|отладоч\w+|duplicat\w+|redundant|(?:is|are|was|were) (?:no longer|not) (?:needed|used|necessary)|que ya no se (?:usa|necesita)\w*|sin uso|duplicad[oa]s?|doublons?|inutilisé\w*|doppelt\w*|überflüssig\w*|unbenutzt\w*|inutilizzat\w+|duplicat[oaie]|ongebruikt\w*|dubbele|дублир\w+|неиспользу\w+)|デバッグ|调试|調試|重複|未使用|重复|不再(?:使用|需要)"
)
_PUBLISHED = lazy_regex(
    r"(?i)\b(?:versions?|releases?|updates?|betas?|previews?|articles?|posts?|news|patch(?:es)?)\b|\d$"
)


_ANNOUNCED = lazy_regex(
    r"(?i)^(?:(?:(?:based on|as) [^.;:]{2,40}, |now |first,? |so |ok(?:ay)?,? )?(?:i['’]ll|i will|i['’]m going to|i need to|let me|let['’]s)(?: now| just| also| first| then| go ahead and)? (?:remove|delete|drop|revert|take out|get rid of)|removing"
    r"|(?:(?:ahora|primero|agora|maintenant|d['’]abord|jetzt|nun|ora|nu|теперь|сначала),? )?(?:(?:voy a|vamos a|vou|vamos|debo|necesito|preciso|je vais|nous allons|vado a|devo) (?:eliminar|quitar|borrar|remover|retirar|apagar|supprimer|enlever|retirer|rimuovere|togliere|eliminare)|(?:elimino|quito|borro|removo|retiro|je (?:supprime|retire)|j['’]enlève|rimuovo|tolgo|(?:ich )?entferne(?: ich)?|(?:ik )?verwijder(?: ik)?|(?:я )?удал(?:яю|ю)|(?:я )?убираю))) (?=\S)|(?:现在)?我(?:将|会|来|需要)?(?:删除|移除|去掉)"
)


def _removes_nothing(match: re.Match[str], masked: str) -> bool:
    """Whether the words deny or suppose a removal, plan it, or state a habit, a mended fault or a publication."""
    name = next(name for name, text in match.groupdict().items() if text and not name.startswith("instead"))
    named, before, after = masked[slice(*match.span(name))], masked[: match.start(name)], masked[match.end() :]
    head = _plain(_HEAD_END.sub("", _BECAUSE.split(named, maxsplit=1)[0]))
    is_small = _FAULT.search(head) or _TEMPORARY.search(_head(match[name]))
    if is_small or _NEGATIVE_OR_CONDITION.match(named) or _NOT_DONE.match(after):
        return True
    if name.startswith("what"):
        is_attribute = " " not in before.strip() and _ATTRIBUTE.match(named)
        return bool(is_attribute or re.search(r"(?i)\b(?:nearly|hardly|barely)\s", before))
    main, *relative = _RELATIVE.split(named, maxsplit=1)
    is_cut = bool(relative) and re.match(r"\s(?!(?:and|from|in|because|since|again|so|too|now)\b)\w", after)
    is_denied = any(_DENIED.search(text) for text in (named, before.rstrip("把将")))
    if is_cut or is_denied or _BECAUSE.search(named) or UNREAL.search(main) or _SUBORDINATE.search(named):
        return True
    if name == "bare":
        return _NO_BARE_SUBJECT.search(named) is not None
    is_present = re.search(r"(?i)\b(?:is|are)\s(?:\w+\s)?(?:removed|deleted|dropped|reverted)$", match[0])
    is_published = match[0].casefold().endswith(" out") and _PUBLISHED.search(named)
    return bool((is_present and _HABIT.match(after)) or is_published)


def removed_work(sentence: str) -> RemovedWork | None:
    """Return what an agent's sentence says it removed, or replaced and by what; None if it states neither.

    What it announces to remove at once is returned without replacement: only lost lines show that it did so. Denials,
    questions, suppositions, other plans, habits and repaired faults do not count. Only the beginning is read.
    """
    sentence = " ".join(sentence.split())[:MAX_SENTENCE]
    if announced := _ANNOUNCED.sub("Removed ", sentence) if _ANNOUNCED.match(sentence) else "":
        removed = removed_work(announced) if not UNREAL.search(_mask(announced)) else None
        return removed._replace(instead="") if removed is not None else None
    masked = _mask(sentence)
    if _QUESTION.match(masked):
        return None
    why, before = _BECAUSE.search(masked), _BECAUSE_BEFORE.search(masked)
    reason, *sequel = _SEQUEL.split(sentence[why.end() :] if why is not None else "", maxsplit=1)
    for pattern in (_REPLACED, _REMOVED, _PREFERRED):
        match = pattern.search(sentence)
        if match is None or (pattern is _PREFERRED and UNREAL.search(masked)):
            continue
        if _removes_nothing(match, masked):
            return None
        groups = match.groupdict()
        subject, bare, object_, what, instead = (
            next((text for name, text in groups.items() if name.startswith(kind) and text), "")
            for kind in ("subject", "bare", "object", "what", "instead")
        )
        instead = _TO_USE.sub("", instead) if pattern is _PREFERRED else instead
        what, instead = _head(what or object_) or _plain(_CLAUSE_BEFORE.sub("", subject) or bare), _head(instead)
        place = _IN_PLACE.search(sentence)
        instead = instead or (place["instead"] if place is not None else _plain(sequel[0]) if sequel else "")
        reason = reason or (next(filter(None, before.groups()), "") if before is not None else "")
        if what:
            return _removed(what, instead, reason)
    failed = _FAILED_WORK.search(masked)
    if failed is not None and not (UNREAL.search(masked) or MEANT.search(masked) or ELSEWHERE.search(masked)):
        stated, *rest = _SEQUEL.split(sentence[failed.start("why") :], maxsplit=1)
        instead = _plain(next(iter((*sequel, *rest)), ""))
        return _removed(_plain(failed["what"]), instead, reason or stated)._replace(is_certain=False)
    return None


def _head(text: str) -> str:
    """Return what a text names before its reason or remainder."""
    masked = _mask(text)
    ends = [match.start() for pattern in (_BECAUSE, _REMAINDER) if (match := pattern.search(masked)) is not None]
    return _plain(text[: min(ends, default=len(text))])


def _removed(what: str, instead: str, reason: str) -> RemovedWork:
    return RemovedWork(
        clip_at_word(redact(what), MAX_TRIED),
        clip_at_word(redact(instead), MAX_TRIED),
        clip_at_word(redact(_plain(reason)), MAX_REASON),
    )


ReversalKind = Literal["undo", "ban", "drop", "replacement", "rework", "refusal", "by hand"]


class Reversal(NamedTuple):
    """A user's words that take work back: undo it, rule something out, drop or replace a part of it, or refuse it.

    Words that only state what the user took out have the kind "by hand".
    """

    kind: ReversalKind
    sentence: str
    words: str
    """The user's own words around it, which say why."""
    order: str = ""
    """The sentence from the clause of the order on; the whole sentence unless it orders to drop something."""
    by_hand: str | None = None
    """Work that the user states to have taken out without the agent; empty for a pronoun, None without a statement."""
    is_conditional: bool = False
    """Whether an order to drop something depends on a condition: "remove the cache if nobody uses it"."""


MAX_REVERSAL_WORDS = 300
MAX_REVERSAL_MESSAGE = 2_000
"""Longer messages are specifications; what they remove is part of a plan."""

_ORDER = (
    r"(?:^|[.,;:!?…—–()]\s*|\b(?:and|so|then|but|please|pls|just|let['’]?s|now|can you|could you|can we|we (?:have|need) to|you (?:have|need) to|i want (?:you )?to|y|pero|entonces|por favor|ahora|tenemos que|tienes que|hay que"
    r"|vamos a|puedes|podés|quiero que|mejor|et|mais|donc|on va|il faut|peux[- ]tu|tu peux|merci de|je veux que tu|e|mas|então|agora|temos que|vamos|pode|und|aber|bitte|dann|jetzt|kannst du|wir müssen|lass uns|ma|quindi|ora|puoi"
    r"|dobbiamo|en|maar|dan|nu|kun je|we moeten|laten we|и|но|давай|теперь|надо|нужно|пожалуйста|можешь|ok|okay|no|non|não|nein|nee|нет|nvm|nah|hm+|hey|wait|actually|tuve que|i had to|i)\s+)"
)
_PREVIOUS = r"(?:(?:the |our |my )?(?:previous|old|earlier|original|last|prior|former|initial)\b|how it was|what it was|the way it was|before\b|(?:that|this|the) (?:commit|version|state|approach|plan|design))"
_UNDO = lazy_regex(
    rf"{_ORDER}(?:undo(?! (?:itself|should|is|seems|works|and redo|stack|history|system|does|button))|revert(?:ed)?|roll(?:ed)?\s?back|back out|backed out|undid|scratch (?:that|this|it)|(?:go|went|switch|change|move|put|get|bring) (?:it |that |this "
    rf"|everything |all )?back (?:to|as)|take (?:it|that|this|them) back|go back|(?:put|bring) (?:it|that|this|them) back|restore(?:d)? {_PREVIOUS})\b|{_ORDER}(?:revert[íieáao]\w*|deshac\w+|desh[aá]z\w*|volv(?:é|amos|ed)\s+(?:a"
    rf" (?:la|lo|como|una)|al|atrás|para atrás)|vuelve\s+(?:a (?:la|lo|como)|al|atrás)|regresa\w*\s+(?:a (?:la|lo)|al)|dejalo como estaba|déjalo como estaba)\b|{_ORDER}(?:annule[rz]?|reven(?:ir|ons|ez)|revien[st]?|remet[st]?(?:ons"
    rf"|tez|tre)? (?:comme|l[ea] (?:version|code|état)|en l)|rétabli[rs]?\w*|j['’]abandonne|abandonn(?:e|ons|er))\b|\b(?:l[oa]s?\s)?(?:he|hemos)\s(?:revertido|deshecho|restaurado)\b|\b(?:(?:eu|yo)(?: l[oa]s?)?|(?<!no )l[oa]s?) (?:revertí|reverti|deshice|desfiz)\b|\b(?:on vient d['’]annuler|j['’]ai (?:annulé|remis|restauré))\b|{_ORDER}(?:desfaz\w*|desfaça|desfiz"
    rf"|revert[ae]\b|reverti\b|volt[ae]\w*\s+(?:a|ao|à|para|pr[ao]s?|atrás)|restaur[ae]\b)|{_ORDER}(?:mach\w* (?:das|es|die|den|alles)?\s?.{{0,30}}rückgängig|setz\w* .{{0,30}}zurück|geh\w* (?:zurück|wieder) (?:auf|zu)|zurück (?:auf"
    rf"|zu[mr]?)|stell\w* .{{0,40}}wieder her|nimm .{{0,30}}zurück)|\bich habe .{{0,40}}(?:zurückgesetzt|rückgängig gemacht)\b|{_ORDER}(?:annulla\w*|torna(?:re|mo)? (?:indietro|a|al|alla)|ripristina\w*|rimetti)\b|\bho"
    rf" (?:annullato|ripristinato)\b|{_ORDER}(?:maak .{{0,30}}ongedaan|draai .{{0,30}}terug|ga terug|zet .{{0,30}}terug|herstel)\b|\bik heb .{{0,40}}(?:teruggedraaid|ongedaan gemaakt)\b|(?:^|[.,;!?]\s*|{_ORDER})(?:отмени\w*"
    rf"|откати\w*|верни\w*|верн[её]мся|вернуть|вернись|я (?:откатил|отменил|вернул))"
    r"|元に戻(?:し|す|そ)|(?:前|以前|元)の.{0,16}に?戻(?:し|す|そ)|取り消し|撤销|撤回|回退|回滚|还原|改回|恢复(?:到|成|原|之前|以前|到之前)|退回(?:到|去)",
    re.IGNORECASE,
)
_SOMETHING = r"(?!(?:una?|uma?|el|la|os?|as?) (?:excep[cç]\w+|error|erro|fotos?|capturas?|prints?|screenshots?|release|versión|versão|copia|cópia|backup)\b)\S"
_DROP = lazy_regex(
    rf"{BARE_ORDER}|{_ORDER}(?:drop(?! (?:by|in|off)\b| (?:me |us |him |her |them )?(?:an?|the) (?:line|note|hint|message|mail|comment)\b)|scrap|ditch|get rid of|throw (?:out|away)(?! (?:an?|some|a few) ideas?)|take out|rip out|remove"
    rf"|delete|forget (?:about )?|abandon)\s+\S|{_ORDER}take (?!(?:\S+ )?(?:look|time|care)\b)(?:(?!(?:and|or|to|then|notes?|find|figure|fill|try|rush)\b)[^\s,;:]+ ){{1,4}}out\b(?! (?:of|loud)\b)|{_ORDER}(?:kick|rip|yank|tear|chuck|toss) (?:out\b|(?:(?!(?:and|or|to|then|from|off)\b)[^\s,;:]+ ){{1,4}}out\b(?! (?:of|loud)\b))|{_ORDER}(?:sac[aáo]\w*"
    rf"|quit[aáe]\w*|elimin[aáe]\w*|borr[aáe]\w*|descart[aáe]\w*)\s+{_SOMETHING}|{_ORDER}(?:qu[ií]t|s[aá]c|elim[ií]n|b[oó]rr)al[oa]s?\b|{_ORDER}(?:enlève\w*|supprime\w*|retire\w*|vire\w*|dégage\w*|jette\w*(?! (?:un (?:œil|oeil|coup)|une? (?:erreur|exception))\b)|laisse tomber)\b|{_ORDER}(?:tir[ae]\w*"
    rf"|remov[ae]\w*|apag[au]\w*|descart[ae]\w*|esquece|jog(?:a|ue) fora|bot[ae] fora)\s+{_SOMETHING}|{_ORDER}(?:entfern\w*|lösch\w*|verwirf|(?:wirf|werft|nimm|nehmt|schmei(?:ß|ss)\w*|mach\w*|tu|tut|hau\w*|reiß\w*|kick\w*) (?:\S+ ){{0,5}}(?:raus|heraus|weg)|(?:bau\w*|mach\w*) (?:\S+ ){{0,5}}wieder (?:aus|ab)(?=\W*$|[,.;]|\s(?:und|weil|denn)\b))\b|{_ORDER}(?:\S+ ){{1,5}}(?:raus(?:schmei(?:ß|ss)|werf|nehm|bau)en|wegwerfen|wieder ausbauen)\b|{_ORDER}(?:butta(?:te|lo|la)? via|leva(?:te)?)\s+\S|{_ORDER}(?:togli\w*|rimuovi\w*|elimina\w*|scarta\w*"
    rf"|lascia perdere)\b|{_ORDER}(?:verwijder\w*|(?:haal|gooi|sloop|mik) (?:\S+ ){{0,5}}(?:weg|eruit|er (?:weer )?uit)(?=\W*$|[,.;]|\s(?:want|omdat|weer|aub|alsjeblieft)\b))|(?:^|[.,;!?]\s*|{_ORDER})(?:убери\w*|удали\w*|выкинь|выброси\w*|выпили(?:те)? )|(?:を|は)(?:削除して|消して|やめ(?:て|ま|よ)|外して|取り除いて)|(?:去掉|删掉|删除|移除|取消|不要了|别用|拿掉|砍掉)",
    re.IGNORECASE,
)
_BAN = lazy_regex(
    r"\b(?:we|i|you) (?:can ?not|can['’]?t|must ?n['’]?t|must not|should ?n['’]?t|should not|don['’]?t want to|do not want to|aren['’]?t allowed to|may not|won['’]?t) (?:use|have|depend on|rely on|go with|keep)\b|\b(?:is"
    r"|are)(?: not|n['’]t) (?:allowed|permitted|an option|acceptable)\b|\b(?:don['’]?t|do not) use\b|\b(?:i|we) don['’]?t (?:want|like) (?:this|that|it)\b|\bno (?:podemos|queremos|uses|usemos|se puede) (?:usar|depender)?"
    r"|\bno quiero (?:usar|depender|este|esta|eso|que (?:uses|sea|haya))\b|\b(?:on ne peut pas utiliser|je ne veux pas (?:de|utiliser|que)|n['’]utilise pas|pas question d)|\bnão (?:podemos|use|dá para|quero (?:usar"
    r"|isso|esse|essa)) |\b(?:wir können|wir dürfen|ich will) (?:\S+ ){0,3}(?:nicht|kein\w*) (?:verwenden|benutzen|nutzen|haben)|\b(?:non possiamo usare|non voglio (?:usare|questo|che)|non usare)\b|\b(?:we kunnen|ik wil"
    r"|gebruik) (?:\S+ ){0,3}(?:niet|geen)\b|\b(?:мы не можем использовать|не используй\w*|нельзя использовать|не хочу (?:использовать|этот|эту))\b|は使えません|は使わないで|使いたくない|不能用|不要用|不能使用|不要使用|别用",
    re.IGNORECASE,
)
_REFUSAL = lazy_regex(
    r"^(?:no+\b(?! (?:need|problem|worries|idea|clue|rush|hurry|doubt|comment|changes needed|(?:lo )?sé\b|tengo idea))|nope|nah|not (?:like )?(?:this|that)|that['’]?s not|i don['’]?t (?:want|like|agree)|don['’]?t do (?:it|that"
    r"|this)|stop\b(?! (?:(?:the|all|my|this|that) )?(?:\w+ )?(?:servers?|process\w*|containers?|services?|timers?|jobs?|apps?)\b)|wrong|non\b(?! (?:lo )?so\b)|pas (?:comme|du tout)|je ne veux pas|nein\b|não\b(?! sei\b)|nee\b"
    r"|нет\b|esto no|así no|いや|違(?:う|い)|だめ|(?:that|this|it)(?:['’]s| is| seems| looks| feels| would be) (?:(?:a bit|completely|totally|way|far|kind of|quite|rather) )?(?:an? )?over-?(?:kill|engineer\w*)|das (?:ist|wäre) (?:\w+ )?(?:übertrieben|overkill)|(?:eso )?es (?:un poco )?exagerado|(?:isso )?é (?:um )?exager\w+|c['’]est (?:un peu )?exagéré|è (?:un po['’] )?esagerato|dat is (?:wat )?overdreven|это перебор|(?:それは|これは)?(?:大げさ|やりすぎ)|小题大做|过度设计|不(?:要(?!紧)|行|对|是)|别(?!担心|急|的))",
    re.IGNORECASE,
)
_CONSENT = lazy_regex(
    r"\b(?:it|that|this|all|everything)(?:['’]?s| is| looks)? (?:\w+ly )?(?:fine|good|ok(?:ay)?|great|perfect|right|correct)\b|\bthanks?\b|\b(?:leave|keep) it as|go ahead|keine ahnung|danke|passt|alles (?:gut|ok)|gracias|está (?:bien|ótimo)"
    r"|obrigad[oa]|merci|c['’]est bon|grazie|va bene|bedankt|prima|geen idee|спасибо|всё хорошо|大丈夫|没事|谢谢",
    re.IGNORECASE,
)
"""Words of a user who declines an offer or is content: "no, it's fine"."""
_OBJECTION = lazy_regex(
    r"\b(?:not|\w+n['’]?t(?! (?:worry|bother))|wrong|instead|but|too|rather|nicht|kein\w*|aber|falsch|pero|mas|mais|pas|ma|maar|niet|не|но)\b|しかし|但|不对",
    re.IGNORECASE,
)
_REPLACEMENT = lazy_regex(
    r"\b(?:instead(?! of (?:the )?default)|rather than|in place of|(?:a )?different (?:approach|way)|not quite|(?:that|this)(?:['’]?s| is) (?:\w+ )?wrong|the (?:only )?right way|en (?:vez|lugar) de|mejor que sea|otra (?:manera"
    r"|forma)|au lieu d\w*|plutôt qu\w*|autrement|em vez d\w+|ao invés|de outr[ao] (?:jeito|forma)|stattdessen|anstatt|lieber|anders|invece d\w+|piuttosto|in plaats (?:van|daarvan)|liever|вместо|по-другому|иначе|en su lugar|(?:mets|mettez|mettons|utilis\w+|prends|fais) (?:\S+ ){0,8}à la place|al (?:suo )?posto (?:d\w+|suo)|(?:us|mett|prend|facci)\w* (?:\S+ ){0,4}invece|invece (?:us|mett|prend|fa)\w*|(?:us[aeo]|usemos|pon|haz) (?:\S+ ){0,4}en cambio|(?:mejor|en cambio) (?:us[ae]|usemos|pon|haz|hagamos)|(?:utilis|prend|mets|mett|fais|passe)\w* (?:\S+ ){0,4}plutôt|plutôt (?:utilis|prend)\w*|(?:nimm|nehm\w*|benutz\w*|verwend\w*|nutz\w*) (?:\S+ ){1,5}statt|(?:используй|возьми)\w* (?:\S+ ){0,2}лучше|лучше (?:используй|возьми)\w*)\b|ではなく|代わりに|別の方法|而不是|改用|换成|换一种",
    re.IGNORECASE,
)
_UNNEEDED = lazy_regex(
    r"\buse [^.,;:]{2,60}?,? not (?:the |an? )?\w|\b(?:does|do|should)(?:n['’]?t| not) need (?:this|that|these|those|the|an|any|a|to (?:make|have|use|add|create|show|keep|include|display|mention))\b|\bno need (?:for|to (?:make|have|use|add|create|show|keep|include))\b"
    r"|\b(?:should|must|to) only (?:have|contain|show|be|use|include|keep)\b|\b(?:only|just) (?:keep|have|show|use)\b|\bno (?:hace falta|necesit\w+)|\by no (?:el|la|los|las|una?|con)\b|\bque (?:solo|sólo|solamente) (?:tenga|quede"
    r"|muestre|aparezca|use)\w*|\bpas besoin d|\bet (?:pas|non) (?:l[ea]s?|une?|des)\b|\bne (?:comporte|contienne|garde|montre|laisse)\w* (?:plus )?que\b|\bnão precis\w+|\be não (?:[oa]s?|uma?)\b|\bque (?:só|apenas) (?:tenha"
    r"|mostre|fique|use)\w*|\bbrauch\w* (?:\S+ ){0,3}(?:nicht|kein\w*)|\bund nicht (?:de[rnm]|die|das|eine?\w?)\b|\bnur noch\b|\bnon (?:serv\w+|c['’]è bisogno)|\be non (?:il|la|lo|i|gli|le|una?)\b|\bche (?:mostri|abbia"
    r"|contenga|usi) solo\b|\bniet nodig|\ben niet (?:de|het|een)\b|\balleen nog\b|\bа не\b|\bне нуж\w+|\bостав\w+ только\b|だけ(?:に(?:して|し)|を?残|を?表示)|(?:必要|要り?)(?:ない|ありません)|いらない|只(?:要|留|保留|显示)|不需要",
    re.IGNORECASE,
)
_REWORK = lazy_regex(
    r"\b(?:replac(?:e|ing)|switch(?:ing)?|rewrit(?:e|ing)|rework|redesign|restructur(?:e|ing)|redo|convert|migrate|eliminat(?:e|ing)|simplif(?:y|ying)|remov(?:e|ing)|delet(?:e|ing)|drop(?! (?:me|us|by|in|off|an? (?:line|note"
    r"|comment))\b)|get rid of|no longer|reempla[cz]\w+|elimin\w+|quit(?:a|ar|es|emos)|cambi(?:a|ar|emos)\b.{2,60}\bpor|simplifi\w+|remplac\w+|supprim\w+|enl[eè]v\w+|substitu\w+|troqu\w+|troc\w+|ersetz\w*|entfern\w*|umstell\w*"
    r"|sostitu\w+|rimuov\w+|vervang\w*|verwijder\w*|замен\w+|удал\w+|убра\w+|перепиш\w+|переписа\w+)\b|置き換え|書き換え|書き直|作り直|削除|やめて|替换|换掉|重写|重构|删除|移除|去掉",
    re.IGNORECASE,
)
_CLEANUP = lazy_regex(
    r"\b(?:console|logs?|logging|logger|debug\w*|comments?|unused|(?:not|never|no longer) us(?:ed|ing)|dead code|duplicat\w+|imports?|warnings?|temp(?:orary)?"
    r"|commas?|semicolons?|full stops?|newlines?|(?:trailing|leading|blank|empty|double) (?:lines?|spaces?)|line breaks?|docstrings?|punctuation|typos?"
    r"|kommas?|semikolons?|leerzeilen?|leerzeichen|comas?|vírgulas?|virgules?|virgol[ae]|запят\w+|пробел\w*|todos?|whitespace|emojis?|\.?md files?|old|legacy|obsolete|deprecated|stale"
    r"|comentarios?|duplicad\w+|sin uso|commentaires?|inutilisé\w*|doublons?|kommentare?|unbenutzt\w*|commenti|ongebruikt\w*|комментари\w+)\b|ログ|コメント|注释|日志|カンマ|読点|空行|逗号|空格",
    re.IGNORECASE,
)
_BY_HAND = lazy_regex(
    r"(?:^|[.,;:!?]\s{0,3}|\b(?:so|and|but)\s)(?:i|we)(?:['’]ve| have)?\s(?:just |already |now |simply )?(?:removed|deleted|dropped|threw|thrown|ripped|discarded|scrapped|got rid of|took(?=[^.,;:]{1,40}\sout\b)|(?:did|ran|used) (?:an? )?`?git (?:checkout|restore|reset|stash|revert))\b"
    r"|\bich habe (?P<object>[^.,;]{1,60}?) (?:gelöscht|entfernt|rausgeworfen|weggeworfen|verworfen)\b|\b(?:he|hemos) (?:quitado|borrado|eliminado|descartado|tirado)\b|\b(?:quité|borré|eliminé|descarté|removi|apaguei|tirei|descartei|joguei)\b"
    r"|\bj['’](?:en )?ai (?:supprimé|enlevé|retiré|viré|jeté)|\bje l['’]ai (?:supprimé|enlevé|retiré|viré|jeté)|\b(?:l['’])?ho (?:rimosso|tolto|cancellato|eliminato|buttato|scartato)\b|\bik heb (?P<object2>[^.,;]{1,60}?) (?:verwijderd|weggegooid)\b"
    r"|\bя (?:удалил|убрал|выкинул)|(?P<object3>[^。、]{1,40})を(?:削除|消去|消)しました|我(?:已经?)?(?:把(?P<object4>[^，。]{1,20}?))?(?:删|去掉|扔)",
    re.IGNORECASE,
)
"""The beginning of a user's statement on work that the user took out, or all of it where the verb ends it."""
_CLAUSE_END = lazy_regex(r"[,;:!?，。、]|\.(?:\s|$)|\s(?:because|since|weil|porque|parce|perché|omdat|потому)\s")
_CONDITION = lazy_regex(r"如果|假如|もし|\b(?:if|unless)\b(?! (?:needed|necessary)\b)", re.IGNORECASE)
"""The condition of an order: the order was given if its lines are lost."""
_NO_ORDER = lazy_regex(
    r"\b(?:or update|as necessary|if (?:needed|necessary)|branch|branche|rama|or (?:we|i)(?:['’]re| are|['’]ll| will)?\b|how (?:do|can|to)|what (?:are|is)|do not take"
    r" action|without (?:reverting|removing)|don['’]?t (?:undo|revert|remove|delete|drop)|no (?:borres|elimines|saques)|never (?:remove|delete|revert)|(?:button|botón|bouton|feature|función|funcionalidad|sistema de undo|history|shortcut)(?![^.;]*,\s))\b",
    re.IGNORECASE,
)


def reversal_in(message: str) -> Reversal | None:
    """Return the user's words that take work back; None for questions, suppositions and features that undo something.

    An order on a condition counts only where no other words do.
    """
    words = own_words(message[: 2 * MAX_REVERSAL_MESSAGE]).strip()
    if not words or len(words) > MAX_REVERSAL_MESSAGE:
        return None
    texts = [sentence for sentence in sentences(words) if len(sentence) <= MAX_SENTENCE]
    by_hand = next((text for sentence in texts if (text := _taken_out(sentence)) is not None), None)
    kinds: tuple[tuple[ReversalKind, re.Pattern[str]], ...] = (
        ("undo", _UNDO), ("ban", _BAN), ("drop", _DROP), ("replacement", _REPLACEMENT),
        ("replacement", _UNNEEDED), ("rework", _REWORK), ("refusal", _REFUSAL),
        ("by hand", _BY_HAND),
    )  # fmt: skip
    conditional: Reversal | None = None
    for kind, pattern in kinds:
        for at, sentence in enumerate(texts):
            masked = _mask(sentence)
            match = pattern.search(masked)
            if match is None or _NO_ORDER.search(masked) or (kind == "replacement" and REPAIR.search(masked)):
                continue
            is_conditional = _CONDITION.search(masked) is not None
            if is_conditional and (kind != "drop" or conditional is not None):
                continue
            is_part_of_work = kind in ("drop", "ban", "rework") or pattern is _UNNEEDED
            order = masked[: match.end()] + _CLAUSE_END.split(masked[match.end() :], maxsplit=1)[0]
            if is_part_of_work and (_CLEANUP.search(order) or sentence.endswith("?")):
                continue
            answer = sentence if " " in sentence else " ".join(texts[at : at + 2])
            if kind == "refusal" and _CONSENT.search(answer) and not _OBJECTION.search(answer):
                continue
            order = _from_clause(sentence, match) if kind == "drop" else sentence
            words = clip_at_word(redact(" ".join(texts[max(0, at - 1) : at + 2])), MAX_REVERSAL_WORDS)
            reversal = Reversal(kind, redact(sentence), words, redact(order), by_hand, is_conditional)
            if not is_conditional:
                return reversal
            conditional = reversal
    return conditional


def _taken_out(sentence: str) -> str | None:
    """Return what a user's sentence states to have been taken out by hand, in its words."""
    match = _BY_HAND.search(_mask(sentence)) if not sentence.endswith("?") else None
    if match is None:
        return None
    name = next((name for name, text in match.groupdict().items() if text), None)
    return redact(
        sentence[slice(*match.span(name))] if name else _CLAUSE_END.split(sentence[match.end() :], maxsplit=1)[0]
    )


_NEXT_CLAUSE = lazy_regex(
    r"[.,;:!?…—–、，；]|\b(?:and|then|so|but|und|dann|aber|y|pero|et|puis|mais|e|mas|ma|en|maar|и|но)\b", re.IGNORECASE
)


def _from_clause(sentence: str, match: re.Match[str]) -> str:
    """Return a sentence from the clause on in which an order stands; the whole one if the order names nothing."""
    starts = [clause.start() for clause in _NEXT_CLAUSE.finditer(sentence, 0, match.end())]
    order = sentence[max((start for start in starts if start <= match.start()), default=0) :]
    return sentence if points_at_work(order) else order
