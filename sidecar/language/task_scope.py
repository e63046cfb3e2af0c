"""Words by which a user's wish holds for one occasion, and by which the user takes back what precedes. Pure."""

import re
from itertools import pairwise

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.rule_synonyms import LASTING
from sidecar.language.statement_features import split_sentences

THIS_DAY = (
    r"(?:today|tomorrow|tonight|heute|(?<!jeden )(?<!elke )morgen|hoy|(?<!la )(?<!cada )mañana|hoje|amanhã"
    r"|aujourd['’]hui|demain|oggi|domani|vandaag|сегодня|завтра)"
)
"""This day and the next, in languages with spaces between words."""

ONE_OFF = lazy_regex(
    r"\bnow[\s.!]{0,3}$|\b(?:accordingly|later|for now|right now|not? yet|yet|this time|once (?:you|we|that|this|it)"
    r"|after (?:that|this|you|we|it)"
    r"|when (?:you['’]?re|you are) (?:done|finished)|before we|next step"
    r"|this (?:task|fix|bug|change|commit|file|function|page|screen|test|issue|feature|component|line|one|pr"
    r"|pull request|branch|session)|luego"
    r"|más tarde|por ahora|todavía|pour l['’]instant|plus tard|später|erstmal|vorerst|noch nicht|danach"
    rf"|por enquanto|mais tarde|per ora|più tardi|voorlopig|straks|пока|потом|позже|{THIS_DAY})\b"
    r"|稍后|等下|待会|暂时|这次|あとで|今回|とりあえず",
    re.IGNORECASE,
)
"""Words by which what an explicit form asks for is part of the task at hand."""

_STEP = (
    r"(?:prs?|pull[- ]requests?|mrs?|merge requests?|tasks?|commits?|fix|change|branch|session|chat|run|bug|ticket"
    r"|issue|release|refactor\w*|step|prompt|conversation|aufgabe|änderung|sitzung|tarea|cambio|sesión|rama|tâche"
    r"|branche|modification|tarefa|mudança|sessão|compito|modifica|taak|wijziging|sessie|задач[уи]|коммита?)"
)
_THIS_STEP = lazy_regex(
    r"\b(?:for|in|on|für|bei|por|para|en|pour|dans|per|nel|voor|для|в) "
    r"(?:this|the current|diese[mnrs]?|este|esta|cette|cet?|esse|essa|quest[oa]|dit|deze|эт(?:ой|ого|у|ом)) "
    rf"(?:one |single )?{_STEP}\b"
    rf"|\bn?[dn]es[st][ea] {_STEP}\b"
    r"|\bjust (?:this\b(?! (?:repo\w*|project|package|folder))|once\b|for (?:now|this|today)\b)"
    r"|\b(?:only )?this (?:once|time)\b|\b(?:only|just) this one\b"
    r"|\b(?:dieses mal|diesmal|esta vez|cette fois|d[es]ss?ta vez|dessa vez|stavolta|questa volta|deze keer)\b"
    r"|\b(?:в|на) этот раз\b|这次|今回",
    re.IGNORECASE,
)
_FOR_NOW = lazy_regex(
    r"\bfor (?:now|the moment|the time being)\b|\btemporarily\b|\bright now\b"
    r"|\b(?:vorerst|erstmal|erst einmal|fürs erste|vorübergehend|por ahora|de momento|por el momento|pour l['’]instant"
    r"|pour le moment|por enquanto|per ora|per adesso|voorlopig|voor nu|временно|пока что)\b"
    rf"|\b{THIS_DAY}\b|暂时|今天|明天|とりあえず|ひとまず|今日|明日",
    re.IGNORECASE,
)
_RETRACTION = lazy_regex(
    r"^(?:(?:oh|ah|hm+|uh|no|nope|ok|okay|wait|actually|sorry|hold on|nein|ach|nee|moment|warte|no|espera|perd[oó]n|não"
    r"|opa|non|attends|pardon|aspetta|scusa|wacht|нет|стоп|подожди)[\s,.!…–—-]{1,4}){0,3}"
    r"(?:(?:scrap|scratch|strike|forget|ignore|disregard|undo) (?:that|it|this|what i (?:just )?(?:said|wrote))"
    r"(?: last (?:one|part))?(?=\s{0,3}(?:[,.;!:–—-]|$))"
    r"|no,? wait\b(?! (?:for|until|till|time)\b)|wait,? no\b(?! need\b)|never ?mind\b|nvm\b|on second thoughts?\b"
    r"|i take (?:that|it) back\b|(?:vergiss|streich) (?:das|es)\b|(?:nein,? )?doch nicht\b|(?:olvida|olvídalo|olvide)\b"
    r"(?= eso\b|\s{0,3}(?:[,.;!]|$))|mejor no\b|(?:esquece|esqueça)\b(?= isso\b|\s{0,3}(?:[,.;!]|$))|melhor não\b"
    r"|oublie(?:z)? (?:ça|cela)\b|finalement non\b|lascia (?:stare|perdere)\b|laat maar\b|toch niet\b"
    r"|забудь(?: это)?(?=\s{0,3}(?:[,.;!]|$))"
    r"|(?:还是)?算了|やっぱり(?:なし|やめ))",
    re.IGNORECASE,
)


def is_for_one_task(text: str) -> bool:
    """Whether a wish holds for the task at hand or for a day: "for this PR only", "not today"."""
    if _THIS_STEP.search(text):
        return True
    plain = text.casefold()
    return _FOR_NOW.search(text) is not None and not any(word in plain for word in LASTING)


def is_retraction(sentence: str) -> bool:
    """Whether a sentence takes back the one before it: "wait, scrap that"."""
    return _RETRACTION.match(sentence) is not None


def without_retracted(words: str) -> str:
    """Return a user's own words in which each sentence that the next one takes back is blanked; offsets stay."""
    sentences = split_sentences(words)
    for sentence, following in pairwise(sentences):
        if is_retraction(following.text):
            blank = re.sub(r"[^\n]", " ", words[sentence.start : sentence.end])
            words = f"{words[: sentence.start]}{blank}{words[sentence.end :]}"
    return words
