"""Explicit forms in which users state what lasts: always statements, whatever the linear model says. Pure.

The forms themselves are in `explicit_forms`. A report of what happens ("it always resets"), an object that only points
at the task, somebody else's words, a supposition and the behaviour of the product that is to be built are none, or no
standing instruction.
"""

import re
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.explicit_forms import DECIDED, FORMS, NO_LONGER, WHY_AGAIN, StatementForm, words_of
from sidecar.language.statement_features import Analysis, Context, Sentence, tokens_of

SUPPOSITION = lazy_regex(
    r"^(?:if|what if|maybe|perhaps|suppose|imagine|would|could|should|i (?:guess|think|wonder|wish)|si\b|tal vez"
    r"|quizás?"
    r"|et si|peut[- ]être|imagine|wenn|falls|vielleicht|se\b|talvez|e se|如果|也许|可能|要是|もし|たぶん|仮に)",
    re.IGNORECASE,
)


MIN_CONTENT = 2
"""Words that an explicit form needs beside its phrase."""

MAX_BESIDE_PASTE = 400
"""Characters of the user beside pasted text from which a message may be a ticket: its forms are scored like all"
" else."""


class ExplicitForm(NamedTuple):
    """A form by its name, and where its statement starts in the sentence."""

    name: str
    kind: StatementForm
    start: int
    is_sure: bool
    """Whether its statement is a standing one also in a message that says more."""

    is_doubtful: bool = False
    """Whether its statement may concern the product or the task at hand: it is never a standing one."""


_MEMORY_QUESTION = lazy_regex(
    r"[?？][\"')\]”»\s]{0,9}$|(?:でしょうか|んですか|いいですか|かな)[。\s]{0,3}$"
    r"|\b(?:do|did|can|will|don['’]?t|didn['’]?t) you (?:still |even )?remember\b",
    re.IGNORECASE,
)
_POINTER = (
    r"(?:this|that|it|them|these|those|all (?:of )?(?:this|that|them)|everything|esto|eso|lo|la|los|ça|cela|ceci|le|les"
    r"|das|dies|es|sie|diese[srn]?|isso|isto|questo|dit|dat|het|это|его|их|to|這個|这个|它|これ|それ)"
)
_POINTS_ONLY = lazy_regex(
    r"^[\s:,，：]{0,3}(?:(?:that|to|de|que|dass|zu|di|che|om|dat|что|aby)\s)?(?:(?:also|please|still|first|you|we|i"
    r"|have|need|to|must|no longer|don['’]?t)\s){0,4}(?:\w{1,20}\s){0,2}"
    + _POINTER
    + r"(?:\s(?:too|also|later|now|first|after|afterwards|please|again|up|out|off|yet|anymore|any more|as well"
    r"|when (?:you['’]?re|you are) done|tomorrow|today|next|también|aussi|auch|noch|später|morgen|também|depois"
    r"|mais|plus|mehr|più|meer))*[\s.!。！]{0,9}$",
    re.IGNORECASE,
)
_ONE_OFF = lazy_regex(
    r"\bnow[\s.!]{0,3}$|\b(?:later|for now|right now|not? yet|yet|this time|once (?:you|we|that|this|it)"
    r"|after (?:that|this|you|we|it)"
    r"|when (?:you['’]?re|you are) (?:done|finished)|before we|today|tomorrow|tonight|next step"
    r"|this (?:task|fix|bug|change|commit|file|function|page|screen|test|issue|feature|component|line|one)|luego"
    r"|más tarde|por ahora|todavía|pour l['’]instant|plus tard|später|erstmal|vorerst|noch nicht|danach"
    r"|por enquanto|mais tarde|per ora|più tardi|voorlopig|straks|пока|потом|позже)\b"
    r"|稍后|等下|待会|暂时|这次|あとで|今回|とりあえず",
    re.IGNORECASE,
)
_SYMPTOM = lazy_regex(
    r"\b(?:get(?:s|ting)?|see(?:s|ing)?|receive[sd]?|it|this|that|everything|nothing) (?:\w{1,20} ){0,2}(?:error"
    r"|errors|exception|crash\w{0,3}|fail\w{0,3}|works?|broken?|hangs?|shows?|loads?|freezes?|warning)\b"
    r"|\b(?:shows?|throws?|gives?|returns?|displays?|says?|gets?) (?:me )?(?:an? |the )?(?:\w{1,20} )?(?:errors?"
    r"|exceptions?"
    r"|warnings?|blank|404|500|nothing)\b|\b(?:muestra|da|lanza|mostra|dá|affiche|lance|zeigt|wirft)(?: \w+){0,3}"
    r" (?:un[ea]?|um|einen?|de|des)? ?(?:error|erro|erreurs?|fehler|errore)\b|エラーが|(?:显示|出现)(?:错误|异常)"
    r"|\b(?:funktioniert|geht|klappt) (?:es |das |nicht)"
    r"|\b(?:no funciona|ne (?:marche|fonctionne)|não funciona|non funziona|werkt niet|не работает|nie działa)\b|报错"
    r"|崩溃|エラー|動かな|動きません",
    re.IGNORECASE,
)

_HYPOTHETICAL = frozenset(
    ("from now on", "no longer", "always, never", "all must", "prefer", "I do it", "for later", "house choice", "place")
)
_LASTING_TASK = frozenset(
    (
        "always, never",
        "I do it",
        "all must",
        "like everywhere",
        "prefer",
        "not any more",
        "house choice",
        "convention",
        "language of answers",
        "ask first",
        "brief rule",
    )
)
"""Forms that a word like "for now" or "later" makes part of the task at hand."""


def explicit_form(sentence: Sentence, analysis: Analysis, context: Context, previous: str = "") -> ExplicitForm | None:
    """Return the explicit form of a sentence that follows `previous`."""
    if context.has_paste and context.length > MAX_BESIDE_PASTE:
        return None
    text = sentence.text
    words = frozenset(analysis.tokens)
    if _cites_decision(text, words, previous, is_unspaced=bool(analysis.unspaced)):
        return ExplicitForm("cited decision", "correction", 0, True)
    forms = [form for form in FORMS if analysis.unspaced or not form.words.isdisjoint(words)]
    if not forms or _MEMORY_QUESTION.search(text):
        return None
    for name, kind, pattern, _ in forms:
        match = pattern.search(text)
        if match is None or (name in _HYPOTHETICAL and SUPPOSITION.match(text)):
            continue
        if _REPORTED.search(text[: match.start()]) or _TASK_AT_END.search(text):
            continue
        start, content = _start_and_content(name, text, match)
        if name in _UNSURE and context.total > MAX_SENTENCES_OF_UNSURE:
            continue
        if _size(content) >= MIN_CONTENT and not (_points_only(name, content) or _SYMPTOM.search(content)):
            is_doubtful = name == "place" or any(
                ("hypothesis" in analysis.concepts, _MIND.search(text), _PRODUCT.search(content))
            )
            return ExplicitForm(name, kind, start, name not in _UNSURE, is_doubtful)
    return None


def _start_and_content(name: str, text: str, match: re.Match[str]) -> tuple[int, str]:
    """Return where the statement of a form starts, and its words beside the phrase; none if it is for the task."""
    if name == "remember":
        if _concerns_another(text, match) or (match[0].rstrip().endswith(" to") and _ADDITION.match(text, match.end())):
            return 0, ""
        if match["closing"]:
            return 0, text[: match.end("closing")]
        return max(match.start("form"), match.start("unspaced")), text[match.end() :]
    if name in ("from now on", "for later"):
        start = match.start() if _begins_clause(text, match.start()) else 0
        return start, f"{text[: match.start()]} {text[match.end() :]}"
    return 0, "" if name in _LASTING_TASK and _ONE_OFF.search(text) else text


_UNSURE = frozenset({"all must", "prefer", "tool instead", "house choice", "place", "not any more", "brief rule"})
"""Forms that also occur in specifications of one feature."""

MAX_SENTENCES_OF_UNSURE = 5
"""Sentences of a message from which an unsure form may belong to a specification."""

_ADDITION = lazy_regex(
    r"\s{0,3}(?:also\b|(?![^.]*\b(?:always|never|every|whenever|each)\b)[^.\n]{0,80}(?<!\w)@[\w./-]{2,})", re.IGNORECASE
)
"""Words after "remember to" that add a step to the task at hand: "also update the …", a mention of a file."""

_PRODUCT = lazy_regex(
    r"^[\s,:]{0,3}(?:please |and |but |also |so |just ){0,2}(?:(?:always|never) )?(?:show|display|hide|render|return"
    r"|redirect|highlight|open|close|scroll|appear|fade|play)s?\b"
    r"|^[\s,:]{0,3}(?:when|if|once) (?:an? |the )?(?:user|player|customer|client|guest|visitor)s?\b"
    r"|^[\s,:]{0,3}(?:all |every |each |the |our )?(?:users?|players?|customers?|clients?|guests?|visitors?)"
    r" (?:sees?|gets?|can|cannot|should|must|will|are|is|have|has|needs?|who|that|with)\b"
    r"|^[\s,:]{0,3}(?:(?:los?|las?|el|os?|as?|les?|die|der|das|i|gli|il|sollen|sollten|müssen|können) ){0,2}"
    r"(?:usuari[oa]s?|clientes?|kund(?:en|innen)|(?:be)?nutzer(?:innen)?|abonnés|utilisateurs?|clients|utenti"
    r"|bot[óã]o|botón"
    r"|bouton|button|пользовател\w+|клиент\w*|кнопк\w+)\b"
    r"|^[\s,:：、，]{0,3}(?:ユーザー|利用者|お客様|ボタン|用户|顾客|客户|按钮)"
    r"|^[\s,:]{0,3}(?:every|each|all|any) (?:\w+ )?(?:rows?|buttons?|columns?|pages?|modals?|fields?|inputs?|cards?"
    r"|cells?"
    r"|checkbox(?:es)?|forms?|screens?|tables?|dialogs?|icons?|headers?|tabs?|links?|menus?|lists?)\b"
    r"|^[\s,:]{0,3}prefer (?:the|a|an) "
    r"|^[\s,:]{0,3}(?:the|an?|every|each) \w{2,20} (?:should|must|will|shall|needs? to|has to|can) (?:always |never )?"
    r"(?:show|display|hide|render|return|redirect|highlight|open|close|be (?:visible|shown|hidden|displayed))\b",
    re.IGNORECASE,
)
"""Words by which a sentence is about the behaviour of the product, not about the agent's."""

_REPORTED = lazy_regex(
    r"\b(?:tickets?|issue|docs?|documentation|readme|contributing|guides?|guidelines?|spec\w*|messages?|warnings?"
    r"|errors?"
    r"|logs?|section|line|note|sentence|paragraph|text|banner|toast|label|tooltip|article|post|linter|review\w*)\b"
    r"[^.?!\n]{0,40}\b(?:says?|saying|said|states?|stating|reads?|reading|mention\w*|explain\w*|tells?|telling|that"
    r"|sagt|steht|dice|diz|dit)\b[\s:,\"'“«„]*$"
    r"|(?:^|\s)(?!(?:i|we|you)\b)\w+ (?:says?|said|wrote|writes|sagte?|meinte?|dijo|disse|a dit)\b[\s:,\"'“«„]*$",
    re.IGNORECASE,
)
"""Words before a form that somebody or something else states, or that the agent is to write."""

_TASK_AT_END = lazy_regex(
    r"[,;] (?:so |and |please |can you |could you ){0,3}(?:implement|build|add|fix|change|apply|do|explain) (?:it"
    r"|that|this|the)\b(?! (?:from now|in future|always))"
    r"[^.?!\n]{0,40}[\s.!]*$|[,;] (?:hazlo|impleméntalo|agrégalo|implementa(?: isso| aí)?|faz isso|ajoute (?:la|le"
    r"|les|une?)\b.*"
    r"|fais[- ]le|implementalo|also .{3,60} dran|bau (?:das|es) .*|сделай это|добавь это)[\s.!]*$"
    r"|(?:機能|処理)を(?:追加|実装)し|[，,]把这个(?:改|加|做|实现)",
    re.IGNORECASE,
)
"""A request that makes the words before it the task at hand."""

_MIND = lazy_regex(r"\b(?:keep|bear) in mind\b", re.IGNORECASE)
"""Words by which users also explain the task at hand."""

_DECIDED_WORDS = words_of(
    "decided agreed settled said told decidimos acordamos dijimos decidido quedamos combinamos dissemos décidé dit"
    " convenu entschieden beschlossen gesagt vereinbart geeinigt"
)


def _cites_decision(text: str, words: frozenset[str], previous: str, *, is_unspaced: bool) -> bool:
    """Whether a sentence holds a decision against what the agent did: "why npm again? we decided on pnpm"."""
    if (_DECIDED_WORDS.isdisjoint(words) and not is_unspaced) or _MEMORY_QUESTION.search(text):
        return False
    if (decided := DECIDED.search(text)) is None or _size(text[decided.start() :]) < MIN_CONTENT + 1:
        return False
    return WHY_AGAIN.search(f"{previous}\n{text[: decided.start()]}") is not None


_TAIL = lazy_regex(r"(?:that|que|dass|che|dat|что|że|:|：)\s{0,3}$", re.IGNORECASE)


def _concerns_another(text: str, match: re.Match[str]) -> bool:
    """Whether "remember" is a wish about somebody else in the middle of a sentence: "it should … and remember them"."""
    before = text[: match.start()].strip()
    is_in_the_middle = bool(before) and text[match.start()].isalpha()
    return is_in_the_middle and _TAIL.search(match[0]) is None


def _begins_clause(text: str, position: int) -> bool:
    """Whether a form in the middle of a sentence opens a clause of its own, with more after it than the form."""
    return position > 0 and _size(text[position:]) > MIN_CONTENT + 3 and _CLAUSE_END.search(text[:position]) is not None


_CLAUSE_END = lazy_regex(
    r"(?:[,;:—–，；、]|\b(?:and|but|so|y|pero|et|mais|und|aber|e|mas|ma|en|maar|и|но))\s{0,3}$", re.IGNORECASE
)


def _points_only(name: str, content: str) -> bool:
    """Whether an explicit form only points at the task at hand: "remember to fix this"."""
    core = NO_LONGER.sub(" ", content) if name == "no longer" else content
    return _POINTS_ONLY.search(core) is not None or (name == "remember" and _ONE_OFF.search(content) is not None)


def _size(text: str) -> int:
    """Return the number of words; two characters of languages without spaces count as a word."""
    unspaced = sum(1 for character in text if "\u3040" <= character <= "\u9fff")
    return (
        sum(1 for token in tokens_of(text) if token.isascii() or not "\u3040" <= token[0] <= "\u9fff") + unspaced // 2
    )
