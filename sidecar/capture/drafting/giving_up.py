"""How agents say that they gave an approach up: the words and the sentences, as tables. Pure."""

import re

from sidecar.core.regex import regex

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
