"""Split an agent's final words into sentences and headings, and find what is worth storing among them. Pure.

A choice with its reason and the explanation of an error are; plans, possibilities and offers are not conclusions, nor
is a report that something was done. What the user refuses is found, too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from sidecar.core.clean_text import clip_at_word, with_capital, without_links
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import Code, Heading, Line, markdown_blocks
from sidecar.core.prose_sentences import sentences, split_sentences
from sidecar.language import closing_message_patterns as patterns
from sidecar.language.closing_message_patterns import Section
from sidecar.language.own_words import own_words

StatementKind = Literal[
    "decision", "error_pattern", "resolution", "user_correction", "preference", "validated_pattern", "gotcha", "lesson",
    "episodic", "semantic",
]  # fmt: skip


class Conclusion(NamedTuple):
    """Whether a sentence states a choice with a reason or an alternative, and the confidence in it."""

    is_reasoned: bool
    confidence: float


_CHOICE = lazy_regex(
    r"(?:^|[,;:—–(]\s{0,3}|\b(?:so|and|but|therefore|then)\s)(?:i|we)(?:['’]ve| have| had)? (?:\w+ly |therefore "
    r"|also )?"
    r"(?:decided|chose|chosen|opted|settled on|went with|picked|switched|moved|migrated|dropped|rejected)\b.{8,}"
    r"|^(?:so )?(?:decided|opted|settled on|went with|chose|picked|switched from|moved from|rejected)\b.{8,}"
    r"|(?:^|\b(?:so|and|but)\s)(?:i|we)(?:['’]ve| have)? (?:used|kept)\b.{2,90}\b(?:instead of|rather than)\b.{2,}"
    r"|^(?:the )?decision(?: is| was)?\b:?.{10,}|\b(?:was|were|is|are) (?:deliberately |therefore )?chosen\b.{5,}"
    r"|^(?:entscheidung|beschluss|décision|decisión|decisão|decisione|besluit|beslissing|keuze|принято решение|決定"
    r"|决[定策])\s?[:：].{8,}|\b(?:entscheidung|wahl) fiel (?:auf|für)\b.{5,}"
    r"|\b(?:ich habe|wir haben) (?:mich|uns)\b.{2,80}\bentschieden\b|\b(?:ich habe|wir haben|habe ich|haben wir)\b"
    r".{2,120}\b(?:gewählt|(?<!kauf )(?<!angriff )(?<!anspruch )genommen)\b|\b(?:ich wählte|wir wählten)\b.{5,}"
    r"|\b(?:(?:i['’]m|i am|we['’]re|we are) going with|(?:i|we) (?:choose|opt for|settle on))\b.{8,}"
    r"|\b(?:wir nehmen|ich nehme|nehmen wir)\b(?! (?:an|mit|vor|mir|uns)\b)(?![^,;]*\s(?:an|auf|mit|raus|weg|vor|zurück"
    r"|heraus|ab|hin)(?:[,.;]|$)).{5,}|\b(?:wir wählen|ich wähle|wir setzen auf|ich setze auf|wir entscheiden uns für"
    r"|ich entscheide mich für)\b.{5,}|\b(?:on prend|nous prenons|je prends|on choisit|nous choisissons|je choisis"
    r"|on retient|nous retenons|on part sur|on opte pour|nous optons pour)\b(?! (?:en|note|soin|le temps)\b).{5,}"
    r"|\b(?:nos quedamos|me quedo|nos decantamos|ficamos|fico) (?:con|com|por)\b.{5,}"
    r"|\b(?:scegliamo|scelgo|optiamo per|prendiamo(?! (?:in|nota)\b))\b.{5,}"
    r"|\b(?:we (?:nemen|kiezen|gaan voor)|ik (?:neem|kies|ga voor))\b(?! aan\b)(?![^,;]*\s(?:mee|op|af)(?:[,.;]"
    r"|$|\s(?:omdat|want)\b)).{5,}"
    r"|\b(?:бер[её]м|выбираем|выбираю|останавливаемся на|остановились на)\b.{5,}"
    r"|を(?:採用します|採用する|使うことにし)|(?:我们|最终)(?:采用|选用|选择).{4,}"
    r"|(?:^|\b(?:so|and|but)\s)(?:i|we) use\b.{2,90}\b(?:instead of|rather than)\b.{2,}"
    r"|\b(?:wir|ich) (?:verwenden?|nutzen?|benutzen?)\b.{2,90}\b(?:statt|anstatt|anstelle)\b.{2,}"
    r"|\b(?:ich habe|wir haben)\b.{2,90}\b(?:statt|anstatt|anstelle)\b.{2,90}\b(?:verwendet|benutzt|genutzt)\b"
    r"|\b(?:usamos|utilizamos|usé|utilicé|usei|vamos (?:a )?usar)\b.{2,90}\b(?:en (?:vez|lugar)|em vez|ao invés) d.{2,}"
    r"|\b(?:(?:on|nous) utilis(?:e|ons)|(?:j['’]ai|nous avons|on a) utilisé)\b.{2,90}\b(?:au lieu d|plutôt qu).{2,}"
    r"|\b(?:usiamo|(?:ho|abbiamo) usato)\b.{2,90}\b(?:invece d|anziché|piuttosto che).{2,}"
    r"|\b(?:we gebruiken|ik gebruik|(?:we hebben|ik heb)\b.{2,60}\bgebruikt)\b.{2,90}\bin plaats van\b.{2,}"
    r"|\b(?:использу(?:ем|ю)|использовал[аи]?)\b.{2,90}\bвместо\b.{2,}|ではなく.{2,60}を(?:使|用い|使用し)"
    r"|我们?(?:使)?用.{1,60}而(?:不是|非).{1,}"
    r"|\b(?:j['’]ai|nous avons|on a) (?:choisi|décidé|opté)\b"
    r".{5,}|\b(?:he|hemos) (?:elegido|decidido|optado)\b.{5,}|\b(?:elegí|elegimos|opté por|optamos por|decidí)\b.{5,}"
    r"|\b(?:escolhi|decidi|optei|escolhemos|decidimos|ho scelto|ho deciso|abbiamo scelto)\b.{5,}"
    r"|\b(?:ik heb|we hebben) (?:.{2,60} )?(?:gekozen|besloten)\b|\b(?:ik koos|we kozen)\b.{5,}|(?:я|мы) (?:решил"
    r"|выбрал).{5,}"
    r"|(?:(?:我们?|已经?|最终)决定|选择了|改用了?).{4,}|(?:に決めました|を選びました|を採用しました|に変更しました)",
    re.IGNORECASE,
)
REASON = lazy_regex(
    r"\b(?:because|since|so that|due to|as (?:it|this|that|the)|to avoid|to keep|in order to|instead of|rather than"
    r"|in favou?r of|over (?!time\b|the (?:last|next)\b)[\w`]|weil|damit|statt|anstatt|sondern|parce qu|afin|au"
    r" lieu d"
    r"|plutôt qu|porque|para que|ya que|pois|já que|en (?:vez|lugar) de|em vez de|ao invés|perché|invece d|così da"
    r"|omdat"
    r"|in plaats van|потому что|чтобы|так как|вместо)"
    r"|\b(?:switched|moved|migrated|changed)\b.{1,60}\bfrom\b.{2,40}\bto\b|因为|由于|而不是|而非|代替|以便|ため"
    r"|ので|ではなく|の代わりに",
    re.IGNORECASE,
)
_TENTATIVE = lazy_regex(
    r"[?？]$|^next\b|\b(?:could|might|may|would|if you|shall|perhaps|maybe|likely|probably|possibly|i think|seems?"
    r"|appears?|let me|i['’]ll|i will|i['’]m going to|going to|todo|should (?:we|i)|what you used|you (?:decided"
    r"|chose|picked))\b"
    r"|\b(?:könnte|vielleicht|peut-être|quizás|talvez)\b",
    re.IGNORECASE,
)
_POINTING = lazy_regex(
    r"\b(?:decided|chose|opted|picked|switched|moved|went)(?: to \w+| for| with)? (?:it|this|that|them|one|these"
    r"|both)\b",
    re.IGNORECASE,
)
_PASSING = lazy_regex(
    r"\b(?:picked|chosen|chose|selected) (?:up|by you|the (?:file|first|next|wrong))\b"
    r"|\b(?:moved|switched) (?:on|to the next|the file|back to)\b"
    r"|\b(?:moved|migrated)\b.{0,60}?\b(?:files?|folders?|director(?:y|ies)|tests?)\b"
    r"|^(?:this|that|it|these|they) (?:was|were|is|are) (?:\w+ )?chosen\b",
    re.IGNORECASE,
)
CONFIDENCE = 0.7
MIN_WORDS = 6
MIN_UNSPACED_CHARACTERS = 12


def match_conclusion(sentence: str) -> Conclusion | None:
    """Return what an agent's sentence decides; None if it reports, plans or supposes."""
    text = sentence.strip()
    claimed = REASON.split(text, maxsplit=1)[0]
    if _TENTATIVE.search(claimed) or text.endswith(("?", "？")) or _PASSING.search(text) or _POINTING.search(text):
        return None
    if not _CHOICE.search(text) or _size(text) < MIN_WORDS:
        return None
    return Conclusion(REASON.search(text) is not None, CONFIDENCE)


def refused_in(message: str) -> str:
    """Return the words for what a user's sentences refuse, most often for something else: "X, not Y", "don't add Y"."""
    own = own_words(message[:MAX_CONTRASTED])
    begins = [0, *(end.end() for end in _SENTENCE_END.finditer(own))]
    found = (
        match
        for match in _CONTRAST.finditer(own)
        if match["needless"] or not _ASKS.match(own, max(begin for begin in begins if begin <= match.start()))
    )
    return " ".join(text for match in found for text in match.groups() if text)


MAX_CONTRASTED = 2_000
"""Characters of a message that are searched for what it refuses."""
_THING = r"(?:(?! (?:can|could|so|because|but|just|please|since|instead)\b)[^.,;:!?\n]){2,60}"
_CONTRAST = lazy_regex(
    r"(?i)\b(?:do not|don['’]?t|dont|never|no need to|should(?: not|n['’]?t)|must(?: not|n['’]?t)|rather not) (?:add"
    r"|create|make|write|put|introduce|implement|generate|expose|include|use|have|want|like|need|keep|provide|show|display"
    r"|store|return|pass|import|require|contain|handle|manage|depend on|rely on)(?: to (?:add|use|have|expose|see))?"
    rf" ({_THING})|\bstop (?:using|adding|creating|making|writing|showing) ({_THING})"
    r"|\b(?:no (?:quiero|queremos|uses|necesit\w+|deber[ií]an? (?:\w+[aei]r|haber))|je ne veux pas (?:de |d['’])?|não"
    r" (?:quero|queremos|use|precis\w+ d\w+|deveria \w+[aei]r)|(?:ich will|wir wollen|ich möchte|wir brauchen)"
    r" kein\w{0,2}|non (?:voglio|vogliamo|usare|serv\w+)|(?:ik wil|we willen) geen|не (?:хочу|используй\w*|нуж\w+))"
    rf" ({_THING})"
    r"|(?<!\bif)(?<!\bwhy)(?<!\bor)(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bdo)(?<!\bdoes)(?<!\bdid)(?<!\bcan)(?<!\bwill)"
    rf"(?<!\bhas)(?<!\bhave)(?<!\bshould),? (?:and )?not (?:just |as |in |with |for |by |the |an? )*({_THING})"
    rf"|\bprefer \S{_THING}? (?:over|to) ({_THING})|\b(?:instead of|rather than) ({_THING})"
    rf"|(?:^|[.,;:!?]\s|\n)({_THING}?) (?:is|are)(?: not|n['’]?t) (?:required|needed|necessary|wanted)\b"
    rf"|(?:^|[.,;:!?]\s|\n)({_THING}?) (?:does|do)(?: not|n['’]?t) exist\b"
    rf"|\bwhy (?:do|does|did|is|are) (?:\w+ )?(?:they|it|we|you|this|that|these|those) (?:need|have) to (?:be )?"
    rf"(?P<needless>{_THING})|, (?:y )?(?:no|pas|nicht|não|non|niet|а не) (?:(?:el|la|los|las|un|una|les?|des|une"
    rf"|die|der|das|den|os?|as?|i|il|de|het|een|con|avec|mit|com|met) )?({_THING})"
)
"""Words of a sentence around what it refuses."""
_SENTENCE_END = lazy_regex(r"[.!?\n]\s*")
_ASKS = lazy_regex(r"(?i)(?:but |and |so )?(?:why|how|what|which|when|is|are|does|did|was|were)\b")


BARE_ORDER = r"^(?:(?:yes|ok(?:ay)?|no|please|pls),?\s){0,2}(?:remove|delete|drop|scrap)(?:,? please)?[.!]{0,3}$"
"""A user's order that names nothing: what it is about went before."""
_MANNER = (
    r"(?:wieder|bitte|komplett|einfach|mal|lieber|back|again|please|completely|all|daqui|da[íi]|aí|de ahí|weer|er"
    r"|di qui|por favor)"
)
_DROPS_THAT = lazy_regex(
    rf"{BARE_ORDER}|(?:\b(?:nimm|mach|wirf|schmei(?:ß|ss)|tu|bau|lösch\w*|entfern\w*) (?:das|es|dies|alles|sie|ihn)"
    r"|\b(?:drop|scrap|remove|delete|ditch|take|get rid of|throw|kick|rip|yank|tear|chuck|toss)"
    r" (?:it|that|this|them|all of (?:it|that))"
    r"|\b(?:quit[ae]|sac[ae]|elimin[ae]|borr[ae]) (?:eso|esto|todo eso)|\b(?:qu[ií]t|s[aá]c|elim[ií]n|b[oó]rr)al[oa]s?"
    r"|\b(?:enlève|supprime|retire|vire)[sz]?[- ](?:ça|ca|cela|l[ea]s?)"
    r"|\b(?:tir[ae]|remov[ae]|apag[au]e?) (?:isso|isto|tudo isso)|\b(?:togli|rimuovi|elimina) (?:quello|questo)"
    r"|\b(?:togli|leva|butta)l[oa]|\b(?:haal|gooi|sloop|verwijder) (?:dat|het|dit)"
    r"|\b(?:убери|удали|выкинь)(?:те)? (?:это|его|её))"
    rf"(?: {_MANNER}){{0,3}}(?: (?:raus|weg|out|away|uit|eruit|wieder aus|via))?(?: {_MANNER}){{0,2}}"
    r"(?=\s{0,3}(?:$|[.,;:!…]|(?:and|und|y|et|e|en|и|because|weil)\b))"
    r"|(?:それ|これ)(?:を|は)?(?:削除|消し|外し|やめ)|(?:去掉|删掉|删除)(?:它|这个|那个|吧|$)",
    re.IGNORECASE,
)
"""A pronoun for what is to be dropped: "take that out again"."""


ORDER_PARTICLE = lazy_regex(
    r"^\W{0,3}(?:(?:wieder|back|weer|er) ){0,2}(?:raus|heraus|weg|aus|out|away|e?r?uit|via|fora)(?!\w)", re.IGNORECASE
)
"""The rest of an order's verb behind its object, at the beginning of what follows that."""


def points_at_work(sentence: str) -> bool:
    """Whether a user's sentence names what is to go by a pronoun alone."""
    return _DROPS_THAT.search(sentence) is not None


def picked_option(message: str, proposal: str) -> str:
    """Return the option of a proposal that a message picks: "(b) keep them on disk" by "b, always"; else nothing."""
    picked = _PICKED.match(message)
    letter = (picked["named"] or picked["alone"]).casefold() if picked is not None else ""
    options = list(_OPTION.finditer(proposal)) if letter else []
    ends = [*(option.start() for option in options[1:]), len(proposal)]
    chosen = (
        proposal[option.end() : end]
        for option, end in zip(options, ends, strict=False)
        if option["mark"].casefold() == letter
    )
    return next((_OPTION_END.split(text.strip(" ,;("), maxsplit=1)[0] for text in chosen), "")


_PICKED = lazy_regex(
    r"(?i)\W*(?:(?:yes|ok(?:ay)?|then|let['’]?s (?:go with|take|do)|go with|take|i(?:['’]d)? (?:prefer|take)|nimm|ja"
    r"|lieber|vamos con|vamos com|prends)[\s,:]{1,3}){0,2}(?:(?:option|variante?|opci[óo]n|opção|opzione|optie|вариант"
    r"|方案|选项?|案) ?\(?(?P<named>[a-d1-4])(?!\w)|\(?(?P<alone>[a-d1-4])(?:[),.:;、，。]|\s(?:please|pls|bitte"
    r"|por favor|stp"
    r"|and|und|y|et|e)\b))"
)
_OPTION = lazy_regex(r"(?:^|[\s(])(?P<mark>[a-dA-D1-4])[).:]\s")
_OPTION_END = lazy_regex(r"[?？\n]|\.\s")


_LISTED_CONDITIONS = lazy_regex(
    r"^(?=[^\n]*\b(?:whether|if|unless|ob|wenn|si|se|als|если|ли)\b)[^\n]*[:：][ \t]{0,3}\n"
    r"(?>[ \t]{0,8}(?:[-*•]|\d{1,2}[.)])[ \t][^\n]*(?:\n|$))+",
    re.IGNORECASE | re.MULTILINE,
)


def without_conditions(text: str) -> str:
    """Return an agent's text without lists of conditions: "The console will show whether:", and what follows."""
    return _LISTED_CONDITIONS.sub("\n", text)


_CAUSE = lazy_regex(
    r"\b(?:root cause|culprit|actual (?:cause|problem|bug)|because|due to|caused by|turned out|stems? from|came from"
    r"|(?:problem|issue|bug|error|failure|reason) (?:was|is|were|comes?)|(?:was|were|is|are) (?:missing|wrong|not"
    r"|never|still"
    r"|undefined|null|outdated|incompatible|hard-?coded)|(?:did|does|do)(?:n['’]t| not)|(?:had|has|have) no\b|no"
    r" longer"
    r"|so (?:i|we) (?:added|changed|replaced|moved|renamed|removed|installed|set|pinned|used|switched|upgraded)"
    r"|(?:fixed|solved|resolved|cured)\b.{0,80}\bby|the fix (?:was|is) to|(?:needs?|expects?|requires?|lacked"
    r"|lacks)\b"
    r"|instead of|rather than|which (?:meant|broke|caused|made)|only (?:works?|accepts?|supports?)"
    r"|ursache|weil|fehlte|behoben|parce qu|manquait|corrigé|causa|porque|faltaba|faltava|debido|devido|perché"
    r"|mancava"
    r"|omdat|oorzaak|ontbrak|потому|из-за|причин)"
    r"|原因|因为|由于|缺少|ため|ので|が原因|なかった",
    re.IGNORECASE,
)
_COMPLETION = lazy_regex(
    r"^(?:the fix|everything|all (?:tests|\d+)|it|this|that|tests?)\b.{0,30}\b(?:complete|done|in place|works?"
    r"|working|pass\w*"
    r"|green|ready|successful\w*|fixed|resolved)\b[^,;:]{0,30}$",
    re.IGNORECASE,
)
_TEST_NAME = lazy_regex(r"\btest_\w+|\b\w+::\w+|\b\w+\.(?:test|spec)\.\w+|[✓✗✘❌✅]")
MAX_TEST_NAMES = 2
MAX_EXPLANATIONS = 2


_UNAFFECTED = lazy_regex(
    r"\b(?:is|are|was|were|stays?|remains?|stayed|remained) (?:not|un) ?(?:affected|changed|touched)\b"
    r"|\bnicht (?:betroffen|berührt)|\bunverändert|\bpas (?:affectée?s?|concernée?s?|touchée?s?)|\binchangée?s?\b"
    r"|\bno (?:se (?:ve|ven) )?afectad[oa]s?|\bno cambian?\b|\bnão (?:é|são|foi|foram) afetad|\binalterad[oa]s?\b"
    r"|\bnon (?:è|sono) (?:stat[oaei] )?(?:toccat|modificat)|\binvariat[oaei]\b|\bniet (?:geraakt|gewijzigd)"
    r"|\bongewijzigd|\bне затронут|\bбез изменений|影響(?:は)?(?:ありません|しません|を受けません|ない)"
    r"|不受影响|没有(?:受到)?影响",
    re.IGNORECASE,
)
"""A report that something is as before."""


def explanation_in(text: str, limit: int) -> str:
    """Return an agent's sentences on the cause or the fix of an error; empty if it explains nothing.

    A report of success, a list of tests, what stays as it was and what was not done explain nothing. Without any,
    they are how it was and the change that follows.
    """
    chosen = [sentence for sentence in sentences(text) if _explains(sentence)] or _change_of_state(text)
    return clip_at_word(" ".join(dict.fromkeys(chosen[-MAX_EXPLANATIONS:])), limit)


def _change_of_state(text: str) -> list[str]:
    """Return the last sentence on how it was, and the change that follows; empty without any."""
    every = list(pieces(text))
    former = former_states(every)
    at = every.index(former[-1]) if former else len(every)
    return [piece.text for piece in every[at : at + 2]]


def _explains(sentence: str) -> bool:
    claimed = REASON.split(sentence, maxsplit=1)[0]
    if not _CAUSE.search(sentence) or _TENTATIVE.search(claimed) or _COMPLETION.search(sentence):
        return False
    if _UNAFFECTED.search(sentence) or patterns.OPEN.search(claimed):
        return False
    return _size(sentence) >= MIN_WORDS and len(_TEST_NAME.findall(sentence)) <= MAX_TEST_NAMES


def cause_in(text: str, limit: int) -> str:
    """Return an agent's sentences on the cause of an error: those below their label, else how it was before the change.

    Without either, they are those that explain it, unless they state a choice.
    """
    every = list(pieces(text))
    ends = [number for number, piece in enumerate(every, 1) if _is_labelled_cause(piece)][-1:]
    below: list[str] = []
    for piece in reversed(every[: ends[0]] if ends else ()):
        if not _is_labelled_cause(piece):
            break
        below.insert(0, piece.text)
    stated = below[:MAX_EXPLANATIONS] or [piece.text for piece in former_states(every)][:MAX_EXPLANATIONS]
    chosen = [sentence for sentence in sentences(text) if _explains(sentence) and match_conclusion(sentence) is None]
    return clip_at_word(" ".join(stated or dict.fromkeys(chosen[-MAX_EXPLANATIONS:])), limit)


def _is_labelled_cause(piece: Piece) -> bool:
    is_cause = piece.section == "cause" and not piece.is_heading and not _TENTATIVE.search(piece.text)
    return is_cause and _size(piece.text) >= MIN_WORDS


_WAS = lazy_regex(
    r"(?<!if )(?<!when )\b(?:was|were|had|did|used to|never|wasn['’]t|weren['’]t|didn['’]t|war|waren|wurden?|hatten?"
    r"|était|étaient|avai(?:t|ent)|eran?|estaban?|habían?|estavam?|foi|foram|tinham?|erano|aveva(?:no)?|werd(?:en)?|был[аои]?)\b"
    r"|(?:だった|でした|ていた|いました)|(?:之前|原来|原本|以前)",
    re.IGNORECASE,
)
"""Words that state how something was."""
_BY_SPEAKER = lazy_regex(
    r"(?:so |and |also )?(?:i|we|you|ich|wir|je|j['’]|nous|on|yo|eu|io|ik|я|мы)\b|我", re.IGNORECASE
)


def former_states(every: Sequence[Piece]) -> list[Piece]:
    """Return the sentences that state how it was, each right before a change in the same paragraph of prose."""
    return [
        piece
        for piece, following in itertools.pairwise(every)
        if piece.paragraph == following.paragraph
        and piece.section is None
        and not (piece.item or piece.is_heading or following.is_heading)
        and _states_former(piece.text)
        and patterns.CHANGE.search(following.text)
        and not patterns.EVIDENCE.search(following.text)
    ]


def _states_former(sentence: str) -> bool:
    """Whether a sentence states how something was: a fault, and nothing that anybody did or ran."""
    if not _WAS.search(sentence) or _size(sentence) < MIN_WORDS or sentence.endswith(("?", "？")):
        return False
    is_other = any(
        pattern.search(sentence)
        for pattern in (patterns.CHANGE, patterns.EVIDENCE, patterns.NOT_WORK, patterns.OPEN, _TENTATIVE, _UNAFFECTED)
    )
    is_fault = patterns.FAULT.search(patterns.CODE.sub("", sentence)) is not None
    return is_fault and not is_other and not _BY_SPEAKER.match(sentence)


def _size(text: str) -> int:
    """Return the number of words; scripts without spaces count by characters."""
    unspaced = sum("\u3040" <= character <= "\u9fff" for character in text)
    return max(len(text.split()), MIN_WORDS if unspaced >= MIN_UNSPACED_CHARACTERS else 0)


MAX_LABEL = 70

_LABEL_PATTERNS: tuple[tuple[Section | None, str], ...] = (
    ("change", (
     r"error[- ]handling|gestion d(?:es |['’])erreurs?|(?:manejo|gestión) de errores|tratamento de erros"
     r"|fehlerbehandlung|gestione (?:degli )?errori|foutafhandeling|обработк\w{1,3} ошибок|エラー(?:処理|ハンドリング)"
     r"|错误处理")),
    ("cause", (
     r"\bwhy (?:it|this|that|they|the [\w` -]{2,40}) (?!work)(?:was|were|did|had|broke|went|hung|got|happen\w*|fail\w*"
     r"|crash\w*|occur\w*|\w{3,}ed)\b|\bpourquoi (?:ça|cela|l[ae]s? \w+) (?:\w+ai(?:t|ent)|plant\w*|échou\w*|arriv\w*)"
     r"|\bpor qué (?:fall|ocurr|pas|suced|romp)\w+"
     r"|\bwarum (?:es|das|der|die) .{0,30}(?:passiert\w*|fehlschlug|hing)\b")),
    (None, (
     r"(?<!next )(?<!remaining )\bsteps?\b(?! \d)|\b(?:what you|you['’]ll see|impact|why|how to|how it|usage|use it"
     r"|try|test (?:it|the|now|this|checklist|plan|steps)|testing (?:instructions|steps|checklist)|to test|expected"
     r"|refresh|commands?|examples?|benefits?|required (?:setup|steps|actions?)|setup required|features?|advantages?"
     r"|why this|how (?:should|does)|options?|alternatives?|recommend\w*|plan|before|current|instructions"
     r"|troubleshoot\w*|cómo|pasos para|comment|wie |come |como (?:testar|usar)|hoe |как |прим)\b|使用方法|使い方"
     r"|確認方法|テスト方法|手順|如何|测试步骤|使用说明|示例|预期|建议|改进方向|优化方向|提案|改善案")),
    ("open", (
     r"\b(?:next steps?|remaining|(?:still |nog )?open(?=$)|open (?:points|questions|items|issues)"
     r"|known (?:issues|limitations)|limitations?|follow[- ]?ups?|not (?:done|tested|covered)|left to do"
     r"|pending|caveats?|trade-?offs?|out of scope|not included|próximos pasos"
     r"|pend[ie]+ntes?|falta\w*|próximos passos|pendências|prochaines étapes|reste à faire|à faire|nächste schritte"
     r"|em aberto|reste ouvert|aperto|offen\w*|noch zu tun|prossimi passi|da fare|volgende stappen|nog te doen"
     r"|следующие шаги|осталось|не сделано)\b"
     r"|次のステップ|残(?:り|課題|件)|今後|未(?:対応|解決)|下一步|待办|后续|剩余|未完成")),
    ("cause", (
     r"\b(?:root causes?|causes?|culprit|reason|diagnos(?:is|tic|e|i|tico)|analysis|why (?:it|this|that)|causas?"
     r"|raison|origine|ursachen?|grund|motivo|oorza\w+|reden|причин\w+)\b|原因|理由")),
    ("problem", (
     r"\b(?:problems?|issues?|bugs?|symptoms?|what was wrong|what went wrong|what happened|problemas?|problèmes?"
     r"|erreurs?|fehler|probleme?|problemi|problemen|fouten|проблем\w*|ошибк\w+)\b|問題|不具合|现象|問題点|问题")),
    ("evidence", (
     r"\b(?:verification|verified|validation|(?:test|build|check) results?|tests?|checks|verificaci\w+|verificaç\w+"
     r"|vérification|prüfung|verifica|verificatie|проверк\w+|pruebas|testes)\b|検証|テスト結果|验证|测试结果")),
    ("change", (
     r"\b(?:fix(?:es|ed)?|solutions?|changes?|changed|what (?:i|we|was|has)|summary|implementation|implemented"
     r"|applied|updates?|updated|added|created|removed|done|complete[d]?|results?|modifi\w+|now|soluci\w+|cambios|resumen"
     r"|realizad\w+|soluç\w+|alteraç\w+|mudanças|resumo|corre\w+|résumé|changements|ajouts?|lösung|änderung\w*"
     r"|zusammenfassung|behoben|soluzione|modifiche|riepilogo|oplossing|wijziging\w*|samenvatting|решени\w+"
     r"|изменени\w+|итог\w*|исправлен\w*|сделан\w*)\b|変更|修正|対応|実装|まとめ|結果|解決|修复|改动|修改|更改|总结"
     r"|解决|完成|实现|更新|变更|变化")),
)  # fmt: skip
LABELS = tuple((section, lazy_regex(pattern, re.IGNORECASE)) for section, pattern in _LABEL_PATTERNS)


class Piece(NamedTuple):
    """A sentence or a heading, with the section of the label above it."""

    section: Section | None
    text: str
    is_heading: bool = False
    item: int = 0
    """Its number in a list, 0 outside: an item is a part of the work more often than the whole, a later one more so."""
    paragraph: int = 0
    opens: bool = False
    """Whether a list or a section follows: it sums up what follows."""
    is_nested: bool = False
    """Whether it is an item of an item: it often leaves its object to the item above."""
    of_part: bool = False
    """Whether the heading above is a numbered part of the work or a file: it is about that alone."""
    has_label: bool = False
    """Whether its own line begins with the label."""


def pieces(text: str) -> Iterator[Piece]:
    """Yield the sentences of a conclusion and its headings."""
    section: Section | None = None
    is_skipped = skips_items = of_part = False
    item = paragraph = 0
    blocks = [block for block in markdown_blocks(text, underlined_headings=False) if not isinstance(block, Code)]
    for number, block in enumerate(blocks):
        if isinstance(block, Heading):
            label = patterns.NUMBER.sub("", plain_text(block.title))
            section, is_skipped = _label_section(label)
            of_part = _names_part(block.title)
            paragraph, item = paragraph + 1, 0
            yield Piece(None, label, is_heading=True, paragraph=paragraph, of_part=of_part)
            continue
        line = plain_line(block.text)
        if not line:
            paragraph += 1
            continue
        is_item = patterns.ITEM.match(block.text) is not None
        is_nested = is_item and block.text[:2].isspace()
        if not is_item:
            section = None if section == "open" and item else section
            skips_items = line.endswith((":", "：")) and _leads_to_no_work(line)
        elif skips_items or (section == "open" and is_nested):
            continue
        item, paragraph = item + 1 if is_item else 0, paragraph + is_item
        line = f"{line} {_nested_below(blocks[number + 1 :])}".strip() if is_item and _leaves_object(line) else line
        bold = patterns.BOLD_LINE.match(line)
        if bold is not None or (line.endswith((":", "：")) and len(line) <= MAX_LABEL):
            *spoken, label = list(_sentences(bold[1] if bold is not None else line)) or [""]
            yield from (
                Piece(section, sentence, item=item, paragraph=paragraph, of_part=of_part)
                for sentence in spoken
                if not is_skipped
            )
            if not item:
                section, is_skipped = _label_section(label)
                of_part = of_part if bold is None else _names_part(label)
            yield Piece(
                None,
                label,
                is_heading=True,
                item=item,
                paragraph=paragraph,
                opens=not item,
                is_nested=is_nested,
                of_part=of_part and not item,
            )
            continue
        if is_skipped:
            continue
        own, rest = _labelled(line, "open" if "[ ] " in block.text[:8] else section)
        opens = not is_item and _is_opened(blocks[number + 1 :])
        spoken = list(_sentences(rest))
        has_label = own is not None and rest != line
        for place, sentence in enumerate(spoken, 1):
            is_opening = opens and place == len(spoken)
            label, words = _labelled(sentence, own)
            own, has_label = label, has_label or words != sentence
            yield Piece(own, words, False, item, paragraph, is_opening, is_nested, of_part, has_label)


MAX_NESTED = 3
"""Nested items that complete an item which ends in a colon."""


def _leads_to_no_work(line: str) -> bool:
    """Whether the list below a line is expected, planned, offered or an instruction."""
    clause = re.split(r"[.;。；！!]\s?", line)[-1]
    return patterns.EXPECTED.search(line) is not None or (
        patterns.NOT_WORK.search(plain_text(clause)) is not None and not patterns.SUMMARY.search(clause)
    )


def _leaves_object(line: str) -> bool:
    """Whether an item states a change whose object follows in nested items."""
    return line.endswith((":", "：")) and patterns.CHANGE.match(plain_text(line)) is not None


def _nested_below(following: Sequence[Heading | Line]) -> str:
    """Return the first nested items that come next on one line; empty if they state changes of their own."""
    texts = []
    for block in following[:MAX_NESTED]:
        if isinstance(block, Heading) or not block.text[:2].isspace() or patterns.ITEM.match(block.text) is None:
            break
        texts.append(plain_line(block.text).rstrip(".;:"))
    return "" if any(patterns.CHANGE.match(plain_text(text)) for text in texts) else "; ".join(texts)


def _names_part(heading: str) -> bool:
    """Whether a heading names a numbered part of the work or a file."""
    return patterns.PART.match(plain_text(heading)) is not None or patterns.PATH.search(heading) is not None


def _is_opened(following: Sequence[Heading | Line]) -> bool:
    """Whether a list or a section is what comes next."""
    after = next((block for block in following if isinstance(block, Heading) or plain_line(block.text)), None)
    return isinstance(after, Heading) or (after is not None and patterns.ITEM.match(after.text) is not None)


MAX_LABEL_WORDS, MAX_QUESTION_WORDS = 3, 6
"""Words of a label before its text, and of one that asks: "Why the first request failed:"."""
_QUESTION = lazy_regex(r"(?:why|pourquoi|por qué|warum)\b", re.IGNORECASE)


def _labelled(line: str, section: Section | None) -> tuple[Section | None, str]:
    """Return the section that a label at the line's beginning names, and the line without that label."""
    label = patterns.INLINE_LABEL.match(line)
    if label is None or "`" in label[1]:
        return section, line
    own, _ = _label_section(label[1])
    words = len(label[1].split())
    is_short = words <= MAX_LABEL_WORDS or (words <= MAX_QUESTION_WORDS and _QUESTION.match(label[1]) is not None)
    is_plain_label = is_short and own is not None and not patterns.CHANGE.search(label[1])
    return (own, line[label.end() :]) if is_plain_label else (section, line)


def _label_section(label: str) -> tuple[Section | None, bool]:
    """Return the section that a label opens, and whether what follows is not about the work."""
    for section, pattern in LABELS:
        if pattern.search(label):
            return section, section is None
    return None, False


def _sentences(line: str) -> Iterator[str]:
    for sentence in split_sentences(line.replace("→", "\0")):
        if plain := plain_text(patterns.GREETING.sub("", plain_text(sentence.replace("\0", "→")))):
            yield from map(with_capital, _RESULT.split(plain, maxsplit=1)) if _RESULT.search(plain) else (plain,)


_RESULT = lazy_regex(
    r",? (?:and|y|e|et|und|en|и) (?=(?:(?:committed|pushed) (?:it|them|that|the change|everything)\b.{0,120}"
    r"|(?:all|the|every\w*|both|\d[\d,.]*|tod[oa]s|las|tou[st]e?s?|les|alle|die|tutt[ie]|i|os|as|de|все) "
    r"(?:(?!that\b|which\b|who\b|to\b|que\b|qui\b|che\b)\S+ ){0,5}?(?:pass(?:es|ed|ing)?|green|succeed\w*|pasan"
    r"|passent|bestehen|laufen|grün|passam|passano|slagen|проходят)"
    r"(?: (?:now|again|too|locally|cleanly|unchanged|successfully))?(?: ?\([^()]{1,60}\))?)\W{0,3}$)"
    r"|,? and (?=everything (?:passes|works|is green)(?: ?\([^()]{1,60}\))?\W{0,3}$)",
    re.IGNORECASE,
)
"""The beginning of a result behind what was done: "… and all tests pass"."""


def plain_line(line: str) -> str:
    """Return a line without the mark of an item and pictures; empty for a quote, a table, a rule or a done item."""
    stripped = line.strip()
    if stripped.startswith((">", "|")) or patterns.DONE_ITEM.match(line) or re.fullmatch(r"[-*_=\s]{3,}", stripped):
        return ""
    return patterns.ITEM.sub("", patterns.PICTURE.sub(" ", stripped)).strip()


def plain_text(text: str) -> str:
    """Return a text on one line, without emphasis, links and pictures."""
    text = without_links(text)
    text = patterns.EMPHASIS.sub(lambda match: match[1] or match[2] or "", patterns.PICTURE.sub(" ", text))
    plain = " ".join(text.split())
    return plain.replace(" ( )", "").strip(" -–—•:→").lstrip("¡")
