"""Judge one message of a user: rules, preferences, choices and facts that outlast the task at hand. Pure.

Explicit forms ("from now on …", "remember: …") are always statements. The other sentences are scored by a linear model;
`tests/labelled/fit.py` fits its weights. Every decision names the features that made it.
"""

import math
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.own_words import own_words
from sidecar.language.statement_features import (
    Analysis,
    Context,
    Sentence,
    analyze,
    features_of,
    split_sentences,
    tokens_of,
)
from sidecar.language.statement_forms import UNTIED
from sidecar.language.statement_weights import BIAS, WEIGHTS

StatementForm = Literal["rule", "preference", "correction", "remember", "decision", "fact", "rejection"]

FALLBACK = 0.79
"""Score of a statement. By repository, precision is .86 and recall .18 from here on in cross-validation of the learning
half, .55 (11 of 20) and .06 on the judging half: a sentence alone seldom shows what lasts, so an agent's notes come
first.
"""

MAX_BRIEF = 240
"""Characters of a message that says little else: there a strong form without a tie to the task is a standing one."""

NEAR_MISS = 0.3
"""Score from which a sentence that is not a statement counts as a near miss."""

MAX_STATEMENTS = 5
MAX_REASONS = 5
MAX_SENTENCES = 200
EXPLICIT_SCORE = 0.99
MIN_CONTENT = 2
"""Words that an explicit form needs beside its phrase."""


class Statement(NamedTuple):
    """A lasting statement; `text` is the message between `start` and `end`."""

    text: str
    kind: StatementForm
    score: float
    is_standing: bool
    reasons: tuple[str, ...]
    start: int
    end: int


class Reading(NamedTuple):
    """The statements of a message in its order, and the sentences that came close."""

    statements: tuple[Statement, ...]
    near_misses: tuple[Statement, ...]


_CLAUSE = (
    r"(?:^|[,;:—–(]\s{0,3}|\s-\s|\b(?:and|but|so|also|please|then|y|pero|et|mais|alors|und|aber|bitte|e|mas"
    r"|por favor|ma|en|maar|и|но|ok|okay|no|nein|non|não|nee)\b[\s,]{1,3}"
    r"|[，。、；：,]\s{0,3}|(?:请|另外|还有|ok|好的?)[，,]?\s{0,3})"
)
_PLEASE = (
    r"(?:(?:please|just|also|always|por favor|s['’]il (?:te|vous) pla[iî]t|bitte|alsjeblieft|per favore|пожалуйста)"
    r"[\s,]{1,3}){0,2}"
)
_REMEMBER = lazy_regex(
    _CLAUSE
    + _PLEASE
    + r"(?P<form>rememb?er(?!,? (?:when|how|what|why|where|who|last|the time|you|i |we (?:had|did|were)|yesterday"
    r"|earlier|me\b|(?:it|this|that|these|those)(?:['’]?s| is| are| was| were)\b|it['’]?s))|keep in mind|bear in mind"
    r"|(?:don['’]?t|do not|never) forget(?= that| we | our )|make a (?:mental )?note|note for (?:the )?(?:future"
    r"|later)|recuerd[ae]|recordá|ten(?:ga)? en cuenta|no (?:te )?olvides|acuérdate"
    r"|souviens[- ]toi|souvenez[- ]vous|rappelle[- ]toi|rappelez[- ]vous|n['’]oublie(?:z)? pas|retiens|retenez"
    r"|garde en tête|gardez en tête|note bien"
    r"|merke? dir|denke? (?:bitte )?(?:immer )?daran|denk dran|vergiss nicht|behalte im kopf|beachte|lembr(?:e"
    r"|a)(?:-se)?|tenha em mente|não (?:se )?esqueça|guarde"
    r"|ricorda(?:ti|te)?|tieni (?:presente|a mente)|non dimenticare|onthou[d]?|vergeet niet|denk eraan"
    r"|запомни(?:те)?|помни(?:те)?|не забывай(?:те)?|име(?:й|йте) в виду|учти(?:те)?"
    r"|(?:za)?pamiętaj(?:cie)?)\b[\s:,，：]{0,3}"
    r"(?:that\b|to\b|de\b|d['’]|que\b|dass\b|zu\b|di\b|che\b|om\b|dat\b|что\b|aby\b|żeby\b|że\b|this:|the following:"
    r"|questo:|esto:|ceci:|folgendes:|isto:|и\b)?"
    r"|(?:^|[，。、；：,\s])(?P<unspaced>(?:请)?(?:记住|牢记|别忘了|不要忘记|请记得)[:：，,]?|覚えておいて(?:ください|ね)?[:：、。]?|覚えて(?:ください|ね)[:：、。]?)"
    r"|(?P<closing>[^。\n]{4,200}(?:(?:こと|の|ように|と)(?:を|は|も)?(?:覚えておいて|覚えて|忘れないで|記憶して)))",
    re.IGNORECASE,
)
_FROM_NOW_ON = lazy_regex(
    r"(?:\b(?P<form>from (?:now|here|this point|today) (?:on(?:wards?)?|forward)|from now(?= (?:always|never|you|use"
    r"|all|please))|(?:(?<!is )(?<!are )(?<!for )(?<!of )(?<!keep )(?<!we )(?<!be )(?<!to )(?:going|moving) forward)"
    r"|henceforth"
    r"|(?:de|a partir de) ahora en adelante|a partir de ahora|desde ahora|de hoy en adelante|en adelante|dorénavant"
    r"|désormais|à partir de maintenant|à l['’]avenir|à compter de maintenant"
    r"|ab jetzt|ab sofort|von jetzt an|von nun an|künftig|zukünftig|in zukunft|daqui (?:em|para|pra) (?:diante"
    r"|frente)|de agora em diante|a partir de agora|d['’]ora in (?:poi|avanti)"
    r"|da ora in (?:poi|avanti)|da adesso in poi|vanaf nu|voortaan|in het vervolg|с этого момента|впредь|отныне"
    r"|с сегодняшнего дня|od teraz|na przyszłość)\b"
    r"|(?P<unspaced>从现在(?:开始|起)|从今以后|从今天起|今后|往后|(?:^|(?<=[，。、；,\s]))以后(?!再|的时候|我|可能|会)|今後(?:は|も)?|これから(?:は|も)|以後(?:は"
    r"|、)|次回から(?:は)?|次から(?:は)))",
    re.IGNORECASE,
)
_NO_LONGER = lazy_regex(
    r"\b(?:we|our \w{1,30}|the (?:team|project|company|app)) (?:are |is |do |does )?no longer\b|\bwe (?:don['’]?t"
    r"|do not|aren['’]?t|are not|won['’]?t) [^.,;]{2,120}\b(?:any ?more|any longer)\b"
    r"|\bya no (?:usa|utiliza|quere|necesita|soporta|trabaja|hace|tene|mantene)mos\b|\b(?:nous|on) n['’](?:e "
    r"|)?[^.,;]{2,60}\bplus\b|\b(?:nous|on) ne [^.,;]{2,60}\bplus\b"
    r"|\bwir [^.,;]{2,100}\b(?:nicht|kein\w{0,2}) (?:[^.,;]{1,60} )?mehr\b|\b(?:verwenden|nutzen|benutzen|brauchen"
    r"|unterstützen|haben) wir (?:[^.,;]{1,60} )?(?:nicht|kein\w{0,2}) (?:[^.,;]{1,60} )?mehr\b"
    r"|\b(?:(?:nós )?não (?:usa|utiliza|precisa|suporta|quere|trabalha|te|faze)mos"
    r"|a gente não \w{2,20}) (?:[^.,;]{1,60} )?mais\b|\bjá não (?:usa|utiliza)mos\b"
    r"|\bnon (?:usia|utilizzia|vogliam|supportia|abbia|faccia)mo? ?(?:[^.,;]{1,60} )?più\b|\b(?:we"
    r"|wij) [^.,;]{2,80}\b(?:niet|geen) (?:[^.,;]{1,40} )?meer\b"
    r"|\bмы (?:[^.,;]{1,40} )?больше не\b|\bбольше не (?:используем|пользуемся|поддерживаем)\b|\bjuż nie (?:używamy"
    r"|korzystamy)\b"
    r"|我们(?:已经|现在)?(?:不再|不用了?|弃用了?)|(?:已经|现在)不再使用|もう(?:[^。、\n]{0,40})(?:使っていません|使っていない|使いません|使わない|使わなくなり|サポートしていません)"
    r"|(?:使用|利用)(?:を|は)(?:やめました|廃止しました)",
    re.IGNORECASE,
)
_NO_ALWAYS = lazy_regex(
    r"^(?:no+|nope|nein|nee|non|não|nao|нет|nie)\b\s{0,3}[,.:;!—–-]{1,3}\s{1,3}(?!(?:it|that|this|he|she|they|you|i"
    r"|es|das|ich|du|ça|cela|je|tu|eso|isso|ele|ela|lo|io|het|ik|je|оно?|это|я|ты)\b)"
    r"[^?\n]{2,160}\b(?:is|are|must be|should be|has to be|have to be|goes?|comes?|uses?|gets?|ist|sind|wird|werden"
    r"|gehör\w{1,3}|est|sont|doit|doivent|es|son|está|están|debe|deben|é|são|está|estão|deve"
    r"|devem|è|sono|va|vanno|is|zijn|wordt|moet)\s(?:\w{1,20}\s){0,2}(?:always|never|immer|nie(?:mals)?|stets"
    r"|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit)\b"
    r"|^(?:no+|nope|nein|nee|non|não|nao)\b\s{0,3}[,.:;!—–-]{1,3}\s{1,3}[^?\n]{2,160}\b(?:always|never|siempre|nunca"
    r"|sempre|mai|toujours|immer|altijd|nooit) (?:is|are|es|son|é|são|è|sono|uses?|usa|va|goes?)\b"
    r"|^нет\b\s{0,3}[,.:—–-]{1,3}\s{0,3}[^?\n]{2,120}\b(?:всегда|никогда)\b|^(?:不|不是|不对"
    r"|不行)[，,。、\s]{1,3}[^？?\n]{1,80}(?:总是|永远|始终|一律|一直都?是|必须是)"
    r"|^(?:いいえ|いや|違う|違います|ちがう|ううん)[、,。\s]{1,3}[^？?\n]{1,80}(?:常に|いつも|必ず)",
    re.IGNORECASE,
)
_MEMORY_QUESTION = lazy_regex(
    r"[?？][\"')\]”»\s]{0,9}$|\b(?:do|did|can|will|don['’]?t|didn['’]?t) you (?:still |even )?remember\b", re.IGNORECASE
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
    r"\b(?:later|for now|right now|not? yet|yet|this time|once (?:you|we|that|this|it)|after (?:that|this|you|we|it)"
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
    r"|\b(?:funktioniert|geht|klappt) (?:es |das |nicht)"
    r"|\b(?:no funciona|ne (?:marche|fonctionne)|não funciona|non funziona|werkt niet|не работает|nie działa)\b|报错"
    r"|崩溃|エラー|動かな|動きません",
    re.IGNORECASE,
)


def read_statements(message: str, before: str = "") -> Reading:
    """Return the lasting statements of a user's message; `before` is the assistant's text that it answers."""
    own = own_words(message)
    sentences = split_sentences(own)[:MAX_SENTENCES]
    is_brief = len(own.strip()) <= MAX_BRIEF
    is_answer, is_opening = before.rstrip().endswith(("?", "？")), not before.strip()
    statements: list[Statement] = []
    near: list[Statement] = []
    for index, sentence in enumerate(sentences):
        analysis = analyze(sentence.text)
        statement = explicit_statement(sentence, analysis)
        if statement is None:
            context = Context(index, len(sentences), is_answer, is_opening)
            statement = _scored(sentence, analysis, context, is_brief=is_brief)
        if statement.score < NEAR_MISS:
            continue
        statement = _with_neighbours(message, statement, sentences, index)
        (statements if statement.score >= FALLBACK else near).append(statement)
    best = sorted(statements, key=lambda statement: -statement.score)[:MAX_STATEMENTS]
    return Reading(
        tuple(sorted(_disjoint(best), key=lambda statement: statement.start)),
        tuple(sorted(near, key=lambda statement: -statement.score)[:MAX_STATEMENTS]),
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FORMS: tuple[tuple[str, StatementForm, re.Pattern[str], frozenset[str]], ...] = (
    ("remember", "remember", _REMEMBER, _words(
        "remember remeber rember mind forget recuerda recuerde recordá cuenta olvides acuérdate souviens souvenez"
        " rappelle"
        " rappelez n'oublie n'oubliez retiens"
        " retenez tête merk merke denk denke vergiss behalte beachte lembre lembra mente esqueça guarde ricorda"
        " ricordati ricordate presente"
        " dimenticare onthou onthoud vergeet запомни запомните помни помните забывай забывайте виду учти учтите"
        " pamiętaj zapamiętaj pamiętajcie"
    )),
    ("from now on", "rule", _FROM_NOW_ON, _words(
        "now here point today forward henceforth ahora hoy adelante dorénavant désormais maintenant l'avenir jetzt"
        " sofort nun künftig zukünftig zukunft"
        " diante frente agora ora d'ora adesso nu voortaan vervolg момента впредь отныне дня teraz przyszłość"
    )),
    ("no longer", "rejection", _NO_LONGER, _words("longer anymore more ya já plus mehr mais più meer больше już")),
    ("no, always", "correction", _NO_ALWAYS, _words(
        "always never immer nie niemals stets toujours jamais siempre nunca sempre mai altijd nooit всегда никогда"
    )),
)  # fmt: skip
"""Name, kind and pattern of a form, and the words of which one occurs in it."""


def explicit_statement(sentence: Sentence, analysis: Analysis) -> Statement | None:
    """Return the statement of a sentence in a form that is always stored."""
    text = sentence.text
    words = frozenset(analysis.tokens)
    forms = [form for form in _FORMS if analysis.unspaced or not form[3].isdisjoint(words)]
    if not forms or _MEMORY_QUESTION.search(text):
        return None
    for name, kind, pattern, _ in forms:
        match = pattern.search(text)
        if match is None:
            continue
        start, content = 0, text
        if name == "remember":
            if _concerns_another(text, match):
                continue
            content = text[: match.end("closing")] if match["closing"] else text[match.end() :]
            start = 0 if match["closing"] else max(match.start("form"), match.start("unspaced"))
        elif name == "from now on":
            content = f"{text[: match.start()]} {text[match.end() :]}"
            start = match.start() if _begins_clause(text, match.start()) else 0
        if _size(content) < MIN_CONTENT or _points_only(name, content) or _SYMPTOM.search(content):
            continue
        reasons = (f"explicit form: {name}",)
        return Statement(text[start:], kind, EXPLICIT_SCORE, True, reasons, sentence.start + start, sentence.end)
    return None


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
    core = _NO_LONGER.sub(" ", content) if name == "no longer" else content
    return _POINTS_ONLY.search(core) is not None or (name == "remember" and _ONE_OFF.search(content) is not None)


def _size(text: str) -> int:
    """Return the number of words; two characters of languages without spaces count as a word."""
    unspaced = sum(1 for character in text if "\u3040" <= character <= "\u9fff")
    return (
        sum(1 for token in tokens_of(text) if token.isascii() or not "\u3040" <= token[0] <= "\u9fff") + unspaced // 2
    )


def _scored(sentence: Sentence, analysis: Analysis, context: Context, *, is_brief: bool) -> Statement:
    """Return a sentence with the score of the linear model, and the features that decided.

    A word like "remember" outside of its explicit form says nothing about what lasts.
    """
    features = features_of(sentence, analysis, context)
    parts = [(weight, feature) for feature in features if (weight := WEIGHTS.get(feature)) is not None]
    total = BIAS + sum(weight for weight, _ in parts)
    score = 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
    if score < NEAR_MISS:
        return Statement("", "fact", score, False, (), sentence.start, sentence.end)
    parts.sort(key=lambda part: -abs(part[0]))
    reasons = tuple(f"{feature} {weight:+.2f}" for weight, feature in parts[:MAX_REASONS])
    kind = _kind_of(analysis)
    if kind == "remember":
        score = min(score, NEAR_MISS)
    is_standing = score >= FALLBACK and UNTIED in features and is_brief and kind not in ("fact", "decision")
    return Statement(sentence.text, kind, score, is_standing, reasons, sentence.start, sentence.end)


_KINDS: Sequence[tuple[StatementForm, frozenset[str]]] = (
    ("remember", frozenset({"remember"})),
    ("correction", frozenset({"complaint"})),
    ("rejection", frozenset({"no_longer", "dropped"})),
    ("preference", frozenset({"prefer"})),
    ("decision", frozenset({"decided"})),
    (
        "rule",
        frozenset({"always", "never", "from_now_on", "must", "stop", "permission", "convention", "use", "likeness"}),
    ),
)


def _kind_of(analysis: Analysis) -> StatementForm:
    return next((kind for kind, signs in _KINDS if not signs.isdisjoint(analysis.concepts)), "fact")


_REASON = lazy_regex(
    r"^(?:because|since|as (?:we|it|that)|otherwise|the reason|reason|so that|that way|porque|ya que|si no|parce qu"
    r"|car|sinon|weil|denn|sonst|damit|pois|senão|perché|altrimenti|omdat|anders"
    r"|потому|иначе|так как|因为|否则|なぜなら|そうしないと|でないと)",
    re.IGNORECASE,
)
_REFERS = lazy_regex(
    r"^(?:[\w'’]{1,20}[\s,:]{1,3}){0,7}(?:it|them)\b|"
    r"^(?:(?:please|so|and|but|always|never|don['’]?t|do not|just|only|use|keep|put|do|make|we|i|you|should|must"
    r"|want|need|to|that|prefer|also)\s){0,5}(?:it|them|they|those|these|this|that)\b"
    r"|^(?:ça|cela|ceci|das|dies|eso|esto|isso|isto|questo|dit|dat|это|这|它|これ|それ)",
    re.IGNORECASE,
)
MAX_JOINED = 500
"""Characters of a statement with its neighbours."""


def _with_neighbours(message: str, statement: Statement, sentences: Sequence[Sentence], index: int) -> Statement:
    """Return the statement with the reason that follows it, and the sentence that its pronoun refers to."""
    start, end = statement.start, statement.end
    if index + 1 < len(sentences):
        following = sentences[index + 1]
        if (
            _REASON.match(following.text)
            and following.end - start <= MAX_JOINED
            and _adjoins(sentences[index], following)
        ):
            end = following.end
    if index > 0 and _REFERS.search(statement.text):
        previous = sentences[index - 1]
        if end - previous.start <= MAX_JOINED and _adjoins(previous, sentences[index]):
            start = previous.start
    return statement._replace(text=" ".join(message[start:end].split()), start=start, end=end)


def _adjoins(first: Sentence, second: Sentence) -> bool:
    return second.start - first.end <= 3 and not second.is_item


def _disjoint(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements without those inside a better one."""
    chosen: list[Statement] = []
    for statement in statements:
        if all(statement.end <= other.start or statement.start >= other.end for other in chosen):
            chosen.append(statement)
    return chosen
