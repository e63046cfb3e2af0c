"""Recognize a user's sentences that correct, prefer or decide, by their grammar in ten languages. Pure.

Precision before recall: a request of one task ("fix the login") is not a correction, nor is a bug report ("it always
fails"). A missed memory can be added; a wrong one is injected again and again.
"""

import re
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.conclusions import StatementKind, Table, compile_table


class CorrectionRule(NamedTuple):
    """A sentence pattern, its kind, and its confidence."""

    pattern: re.Pattern[str]
    type: StatementKind
    confidence: float


_BREAK = r"[\s,.:;!—–-]+"
_NAMES = {
    "LEAD": r"(?:(?:please|but|and|also|so|then|well|ok(?:ay)?|yes|yeah|right|good|great|no|nope|nah|hey|note|remember"
    r"|important|going forward|from now on|in future|in (?:this|our|the) (?:project|repo|repository|codebase))"
    r"\b[\s,.:;!—–-]*)*",
    "HERE": r"here|throughout|everywhere|(?:in|for|across|of) (?:this|our|the|all) (?:whole )?(?:project|repo"
    r"|repository|codebase|code|team|company|api|tests?|services?|packages?|modules?|components?)",
    "DO": r"use|using|prefer|take|choose|pick|go with|write|put|call|name|keep|return|import|store|run|make|format"
    r"|place|commit|pass|read|throw|raise|log|test|set|add|stick (?:with|to)|target|import",
    "DONT": r"don['’]?t|do not|never|stop|avoid",
    "BREAK": _BREAK,
    "FACT": r"mind|ever|been|seen|had|heard|fails?|failed|returns?|gets?|is|was|were|did|does|the|happens?|works?"
    r"|worked|crash(?:es|ed)?|shows?|throws|a|an|it|that|this|again|hit|reached|finish(?:es|ed)?|thought|knew|known|runs|null",
    "IDLE": r"worry|know|think|understand|care|forget|see|get|have|you|mind|hesitate|bother|need|believe|want|remember"
    r"|recall|like|even|really|seem|work|exist|we|i|they|it|expect|know(?:ing)?|working",
    "GIVEN": r"the|a|an|this|that|these|those|my|your|our|his|her|its|their|any|one|there|here",
    "CARRIER": r"https?|ssh|tls|ssl|tcp|udp|ip|quic|grpc|websockets?|sockets?|stdio|ipc|usb|vpn|ports?|wifi|internet",
    "SHOULD": r"should|must|needs? to|has to|have to|want",
}
_TABLE: Table = (
    ("user_correction", 0.9, r"""
        // English
        ^<LEAD>(?:(?:you|we) (?:should|must|have to|need to) )?(?:always|never)\s+(?!<FACT>\b)\w+
        ^<LEAD>(?:don['’]?t|do not|stop|avoid)\s+(?!<IDLE>\b)\w+.{3,}
        ^<LEAD>(?:i said |i meant |you should |we should |just )?<DO>\b.{1,90}(?:\binstead of\b|\brather than\b)
        ^<LEAD>(?:i said |i meant |you should |we should |just )?<DO>\b.{1,90}(?:\bin place of\b|,? \bnot\b
          >|\binstead[.!]?$)
        ^<LEAD>(?:prefer|favou?r)\s+(?!(?:not|to|which|what|whatever|one|it|that|this)\b)[\w`'"].{3,}
        ^<LEAD>(?:use|choose|pick)\s+(?!<GIVEN>\b)[\w`-]+(?: [\w`-]+){0,3} over (?!(?:<GIVEN>|<CARRIER>)\b|\d)[\w`-]+
          >(?: [\w`-]+){0,3}\W*$
        ^<LEAD><DO>\b.{1,90},? never\b.{3,}
        ^<LEAD>only (?:ever )?use (?!<GIVEN>\b)\w+.{3,}
        ^no (?!(?:problem|worr|rush|hurry|need|idea)\w*\b)[\w -]{2,40},? please\W*$
        ^(?:the |our )?(?:user|team|owner|client|customer|maintainer)s? (?:\w+ly |always )?(?:prefers?|favou?rs?)\b
          >.{2,80}\b(?:over|to|rather than|instead of)\b.{2,}
        \b(?:is|are) (?:always |strongly |generally )?(?:preferred|favou?red) (?:over|to)\b.{2,}
        \b(?:i|we) (?:(?:always|strongly|generally|usually) )?favou?r\b.{3,}
        \b(?:i|we)(?:['’]d| would) (?:(?:much|really) )?rather (?:not )?(?:use|have|keep|see|write|name|mock|add|avoid)
          >\b.{3,}
        \b(?:i|we) like (?!(?:it|this|that|the)\b).{2,60}\b(?:better|more) than\b.{2,}
        ^(?:no|nope|nah)\b<BREAK>(?:please )?(?:just )?(?:<DO>|<DONT>|we (?:use|need|want|<DONT>))\b.{3,}
        ^(?:no|nope|nah)\b<BREAK>(?:i (?:want|prefer|said|meant)|(?:it|that|this|the \w+) (?:should|must)|only)\b.{3,}
        ^(?:actually|wait|hm+|sorry)\b<BREAK>(?:please )?(?:<DO>|<DONT>|always|i (?:want|prefer|meant))\b.{3,}
        ^(?:actually|wait|hm+|sorry)\b<BREAK>(?:we|you|it|that|this|the)\b.{0,80}\b(?:<SHOULD>|uses?|is not
          >|isn['’]?t|aren['’]?t)\b.{3,}
        \b(?:i|we)(?:['’]d| would)? (?:(?:always|strongly|generally|usually|really|much) )*prefer\b.{3,}
        ^(?:no[,.]? )?that['’]?s (?:not (?:right|correct|what i \w+(?: for)?)|wrong|incorrect)\b\s*[,.:;—–-].{10,}
        ^(?:no[,.]? )?i (?:said|meant|told you to|asked you to)\b.{6,}
        \bwe (?:don['’]?t|do not|never) (?:<DO>|do|allow|mock|want|ship|merge)\b.{3,}
        \b(?:must|should) (?:always|never)\b.{3,}
        ^(?:from now on|going forward|in future)\b.{6,}
        // German
        ^(?:nein|nee|halt|moment|eigentlich|stopp)\b<BREAK>.{0,60}\b(?:nimm|nutze?|verwende?n?|benutze?|bitte|nicht
          >|keine?n?|statt|soll(?:te|en)?)\b.{2,}
        ^(?:bitte |aber |und )*(?:nimm|nutze?|verwende?|benutze?|schreibe?|mach)\b.{2,80}\b(?:statt|anstatt|anstelle
          >|nicht|immer|nie(?:mals)?|stattdessen)\b
        \b(?:wir|ich) (?:verwenden|nutzen|benutzen|nehmen|wollen|will|machen?)\b.{0,40}\b(?:nie(?:mals)?|keine?n?
          >|nicht|immer|lieber|grundsätzlich)\b
        \b(?:ich|wir) bevorzugen?\b.{3,}
        ^(?:bitte )?bevorzugen?\b.{5,}
        ^(?:bitte )?(?:immer|niemals|nie|ab jetzt|künftig)\b(?! (?:noch|wieder|mehr)\b).{6,}
        // French
        ^(?:non|en fait|attends?|plutôt)\b<BREAK>.{0,40}\b(?:utilise[rz]?|n['’]utilise|il faut|je (?:veux|préfère)
          >|ne |pas|mets|prends)\b.{2,}
        ^(?:s['’]il te plaît,? )?(?:utilise|utilisez|prends|mets|écris)\b.{2,80}\b(?:au lieu d|plutôt qu|pas
          >|toujours|jamais)
        \b(?:je|on|nous) (?:préfère|préférons|n['’]utilis\w+ (?:jamais|pas)|utilis\w+ toujours)\b.{2,}
        ^(?:s['’]il te plaît,? )?(?:préfère|préférez|privilégiez?)\b.{5,}
        ^(?:n['’]utilise|ne)\b.{0,30}\b(?:jamais|pas)\b.{3,}
        // Spanish
        ^(?:no|en realidad|espera|mejor)\b<BREAK>.{0,40}\b(?:usa|usar|use|utiliza|quiero|prefiero|debe|pon|haz)\b.{2,}
        ^(?:por favor,? )?(?:usa|utiliza|pon|escribe|usemos)\b.{0,80}\b(?:en (?:vez|lugar) de|siempre|nunca|y no|no)\b
        \b(?:prefiero|preferimos)\b.{3,}
        ^(?:por favor,? )?(?:prefiere|prefiera)\b.{2,60}\b(?:a|sobre|antes que|en (?:vez|lugar) de)\b.{2,}
        ^(?:siempre|nunca) (?:us|utili|pon|hag|escrib)\w+.{2,}|^no (?:uses|utilices|pongas|toques|escribas)\b.{2,}
        // Portuguese
        ^(?:não|na verdade|espera|melhor)\b<BREAK>.{0,40}\b(?:usa|use|usar|utilize|quero|prefiro|deve|coloque
          >|faça)\b.{2,}
        ^(?:por favor,? )?(?:use|usa|utilize|coloque|escreva)\b.{0,80}\b(?:em vez d|ao invés d|sempre|nunca|e não)
        ^(?:por favor,? )?(?:prefira|dê preferência)\b.{5,}
        ^(?:sempre|nunca) (?:us|utili|coloqu|faç|escrev)\w+.{2,}|^não (?:use|utilize|coloque|mexa|escreva)\b.{2,}
        // Italian
        ^(?:no|in realtà|aspetta|meglio)\b<BREAK>.{0,40}\b(?:usa|usare|usiamo|voglio|preferisco|deve|metti)\b.{2,}
        ^(?:per favore,? )?(?:usa|metti|scrivi)\b.{0,80}\b(?:invece d|al posto d|sempre|mai|e non)
        \bpreferi(?:sco|amo)\b.{3,}|^(?:per favore,? )?preferisci\b.{5,}|^non (?:usare|mettere|toccare|scrivere)\b.{3,}
        // Dutch
        ^(?:nee|eigenlijk|wacht)\b<BREAK>.{0,40}\b(?:gebruik|liever|moet|niet|geen)\b.{2,}|^(?:altijd|nooit) .{6,}
        ^(?:(?:ik|wij|we) )?gee?(?:f|ven) de voorkeur aan\b.{3,}
        ^gebruik\b.{2,80}\b(?:in plaats van|altijd|nooit|niet|geen)\b
        // Russian
        ^(?:нет|вообще-то|на самом деле|стоп)\b<BREAK>.{0,40}(?:используй|использовать|нужно|надо|хочу|лучше
          >|не\b).{2,}
        ^(?:пожалуйста,? )?(?:используй(?:те)?|пиши(?:те)?)\b.{2,80}(?:вместо|а не|всегда|никогда)
        ^(?:всегда|никогда не) \w{4,}.{3,}|\bпредпочита(?:ю|ем|й|йте)\b.{2,}|^не (?:используй|трогай|пиши
          >|добавляй)(?:те)?\b.{2,}
        // Chinese
        ^(?:不|不对|不是|其实|等等)[,，。、:：\s].{0,40}(?:用|使用|应该|要|别|不要).+|(?:用|使用).{1,20}(?:代替
          >|而不是|而非).+
        (?:不要|别|禁止)(?:再)?(?:使用|用|修改|提交|写|改).+|(?:总是|始终|一律|永远不要|必须)(?:使用|用|写|先|在).+
        // Japanese
        ^(?:いや|いえ|違う|違います|実は|待って)[、。,，\s].{0,60}(?:使って|してください|にして|ではなく|じゃなく
          >|べき)
        (?:ではなく|じゃなくて|の代わりに).{0,40}(?:使って|使用して|使う|してください|にして)
        .より.{1,30}を(?:優先|使)(?:し|っ)て.*
        (?:常に|必ず|絶対に|今後は).{0,60}(?:使って|てください|しないで|こと)|(?:を|は)(?:使わ|使用し|変更し
          >|触ら)ないで
    """),
    ("decision", 0.9, r"""
        ^<LEAD>(?:let['’]?s|we['’]?ll|we will|i['’]?ll) (?:go with|use|stick (?:with|to)|settle on|choose|pick
          >|opt for)\b.{3,}
        ^<LEAD>(?:we|i) (?:go with|stick (?:with|to)|settle on|opt for)\b.{3,}
        \b(?:we|i)(?:['’]ve| have)? (?:decided|chose|chosen|settled on|agreed (?:on|to))\b.{3,}
        \bwir (?:nehmen|entscheiden uns)\b.{3,}|\bwir haben (?:uns )?.{0,60}\bentschieden\b
        \b(?:on|nous) (?:part|partons) sur\b.{2,}|\b(?:on a|nous avons) (?:décidé|choisi)\b.{3,}
        \b(?:vamos con|hemos decidido|decidimos|vamos com|abbiamo deciso|andiamo con|we hebben besloten
          >|we kiezen voor)\b.{2,}
        (?:мы решили|решено|выбираем).{3,}
        (?:我们决定|就用|决定使用|决定采用).+|(?:に決めました|に決めた|を採用します|で行きましょう|でいきましょう)
    """),
    ("validated_pattern", 0.85, r"""
        \bwe (?:always |usually |generally )?(?:use|put|keep|name|write|store|wrap|follow)\b.{2,80}\b<HERE>\b
        \b(?:this|our) (?:project|repo|repository|codebase|team) (?:always |only )?(?:uses|follows|keeps|puts
          >|expects)\b.{3,}
        \b(?:our|the) (?:convention|rule|policy|style) (?:here )?is\b.{3,}
        \b(?:unsere|die) (?:konvention|regel) ist\b.{3,}|\bdieses projekt (?:nutzt|verwendet)\b.{2,}
        \b(?:ce projet|notre convention) (?:utilise|est)\b.{2,}|\beste (?:proyecto|projeto) usa\b.{2,}
    """),
)  # fmt: skip

RULES = tuple(CorrectionRule(*row) for row in compile_table(_TABLE, _NAMES))

_QUESTION = lazy_regex(
    r"[?？][\"')\]]*$|^(?:why|how|what|where|when|who|which|can|could|would|should|is|are|does|do (?:you|we|i)|did|may"
    r"|warum|wieso|wie|was|kannst|könntest|pourquoi|comment|peux|por qué|cómo|puedes|perché|come mai|почему|как)\b",
    re.IGNORECASE,
)
_CASE = lazy_regex(r"^(?:if|when|whenever|in case|unless|wenn|falls|si|quand|se|если)\b", re.IGNORECASE)


def match_correction(sentence: str) -> CorrectionRule | None:
    """Return the rule a user's sentence matches; None if it neither corrects nor decides."""
    text = sentence.strip(" \t\"'“”«»*_")
    if _CASE.match(text):
        text = text.partition(",")[2].strip() or text
    if is_question(text):
        return None
    return next((rule for rule in RULES if rule.pattern.search(text)), None)


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return _QUESTION.search(sentence.strip()) is not None
