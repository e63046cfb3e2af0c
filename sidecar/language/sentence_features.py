"""Split a message into sentences, and describe each by the concepts and shapes that the weights know. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from sidecar.core.clean_text import without_emphasis
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import UNSPACED
from sidecar.language.common_words import end_of_working_words
from sidecar.language.lasting_patterns import FORM_WORDS, FORMS, PATTERNS, UNSPACED_PATTERNS
from sidecar.language.own_words import adjoins_paste, stated_words, without_fences
from sidecar.language.rule_synonyms import LASTING
from sidecar.language.statement_phrases import TERMS, UNSPACED_TERMS

MAX_TYPED = 500
"""Characters of a message up to which its marks of emphasis are typed."""

MAX_SENTENCE = 400
"""Characters of a sentence; longer ones, as in dictation, are divided at commas."""

MIN_JOINED = 40
"""Characters of a line from which a following line in lower case continues its sentence."""

_END = lazy_regex(r"[.!?…]{1,9}[\"'”»)\]]{0,3}(?=\s)|[。！？；]{1,9}[」』”)]{0,3}|;(?=\s)")
_ABBREVIATION = lazy_regex(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|bzw|z\.B|d\.h|p\.ej|ex|Dr|Mr|Nr|No|cf|ca)|^\s{0,9}(?:[-*•] )?\d{1,2})\.$"
)
_BULLET = lazy_regex(r"\s*+(?:[-*•+–—·]|\(?\d{1,2}[.):]|[a-zA-Z][.)]|[①-⑳])\s{1,9}")
_COMMA = lazy_regex(r"[,;，、；]\s?|\s(?=(?:and|but|so|because|y|pero|porque|et|mais|und|aber|weil|e|mas|ma|и|но)\s)")
_TOKEN = lazy_regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_PATH = lazy_regex(
    r"[\w.@-]{1,80}[/\\][\w./\\@-]{2,200}|\b[\w-]{1,60}\.(?:py|ts|tsx|js|jsx|md|json|ya?ml|html?|css|kt|java|go|rs"
    r"|cs|sql|sh|toml|txt|env)\b"
)
_IDENTIFIER = lazy_regex(r"`[^`\n]{1,80}`|\b[a-z]{1,40}[A-Z]\w{0,60}|\b\w{1,40}_\w{1,60}|\b\w{1,40}\(\)")
_VERSION = lazy_regex(r"\bv?\d+\.\d+|\b\d+\b")
_SHOUT = lazy_regex(r"\b[A-Z]{2,20}\s+[A-Z]{2,20}\s+[A-Z]{2,20}\b|!!")
_QUESTION = lazy_regex(r"[?？][\"')\]”»\s]{0,9}$|(?:でしょうか|んですか|いいですか|かな|嗎|吗|么)[。\s]{0,3}$")
_MARKUP = lazy_regex(r"\*\*|</?[a-z]+>|^#+ |=>|->|→")
_MENTION = lazy_regex(r"(?<!\w)@[\w./-]{2,200}")


class Sentence(NamedTuple):
    """A sentence of a message; `paragraph` numbers the lines that belong together."""

    start: int
    end: int
    text: str
    paragraph: int
    is_item: bool


def without_marks(message: str) -> str:
    """Return a short message without marks of emphasis, if they make nothing of it somebody else's words."""
    plain = without_emphasis(message) if len(message) <= MAX_TYPED else message
    is_same = plain != message and stated_words(plain).split() == without_emphasis(stated_words(message)).split()
    return plain if is_same else message


def split_sentences(words: str) -> list[Sentence]:
    """Split a user's own words into sentences with their offsets."""
    sentences: list[Sentence] = []
    blocks = (part for block in _blocks(words) for part in _inline_items(words, *block))
    for paragraph, (start, end, is_item) in enumerate(blocks):
        position = start
        for match in _END.finditer(words, start, end):
            if match[0] == "." and _ABBREVIATION.search(words, max(position, match.end() - 16), match.end()):
                continue
            sentences.extend(_trimmed(words, position, match.end(), paragraph, is_item))
            position = match.end()
        sentences.extend(_trimmed(words, position, end, paragraph, is_item))
    return sentences


def as_request(text: str) -> tuple[int, str]:
    """Return a sentence that only has the form of a question as a request, and where it starts: "…, ok?"."""
    polite = _POLITE.match(text)
    tag = _TAG_QUESTION.search(text)
    start = polite.end() if polite else 0
    return start, text[start : tag.start() if tag else len(text)].rstrip(" ?？" if polite else "")


_POLITE = lazy_regex(
    r"(?:(?:and|but|so|also|please)[\s,]{1,3}){0,2}(?:(?:can|could|would|will) you(?: please)?|kannst du(?: bitte)?"
    r"|puedes|peux-tu|você pode|puoi|kun je) "
    r"(?=(?:always|never|immer|nie|siempre|nunca|toujours|sempre|altijd|nooit) (?!be\b|have\b|\w+ed\b)"
    r"[^?]{4,160}\?\s*$)",
    re.IGNORECASE,
)
"""A wish in the form of a question: "can you always answer in one sentence?"."""

_TAG_QUESTION = lazy_regex(
    r"\s{0,3}[,.–—-]?\s{1,3}(?:ok(?:ay)?|please|deal|got it|understood|alright|vale|de acuerdo|d['’]accord|va bene"
    r"|combinado|einverstanden|verstanden|хорошо|ладно)\s{0,3}[?？]\s*$|[，,]?(?:好吗|好么)[?？]?\s*$",
    re.IGNORECASE,
)
"""Words after a statement that ask for no more than a yes."""


def _blocks(words: str) -> Iterator[tuple[int, int, bool]]:
    """Yield lines, joined with the lines that continue them, and whether each is an item of a list."""
    begin = end = -1
    is_item = False
    position = 0
    for line in words.split("\n"):
        start, stop = position, position + len(line)
        position = stop + 1
        bullet = _BULLET.match(line)
        text = line.strip()
        previous = words[begin:end].rstrip() if begin >= 0 else ""
        joins = (
            bool(text) and bullet is None and len(previous) >= MIN_JOINED
            and end + 1 == start and previous[-1] not in ".!?:;。！？：；" and text[0].islower()
        )  # fmt: skip
        if joins:
            end = stop
            continue
        if begin >= 0:
            yield begin, end, is_item
        begin, end = (-1, -1) if not text else (start + (bullet.end() if bullet else 0), stop)
        is_item = bullet is not None
    if begin >= 0:
        yield begin, end, is_item


def _inline_items(words: str, start: int, end: int, is_item: bool) -> Iterator[tuple[int, int, bool]]:
    """Yield the items of a list numbered within its line, after the words before it; a bullet is its first number."""
    numbers = list(_INLINE_NUMBER.finditer(words, start, end))
    values = [*[1] * is_item, *(int(match["number"]) for match in numbers)]
    if len(values) < MIN_INLINE_ITEMS or values != [*range(1, len(values) + 1)]:
        yield start, end, is_item
        return
    yield start, numbers[0].start(), is_item
    ends = (*(match.start() for match in numbers[1:]), end)
    yield from ((match.end(), stop, True) for match, stop in zip(numbers, ends, strict=True))


MIN_INLINE_ITEMS = 2
_INLINE_NUMBER = lazy_regex(r"(?<=[\s:：,，;；])\(?(?P<number>\d{1,2})(?:[)）、]\s?|\.\s)(?=[^\W\d])")


def _trimmed(words: str, start: int, end: int, paragraph: int, is_item: bool) -> Iterator[Sentence]:
    """Yield the text without surrounding spaces, in parts if it is long or a request about the work comes first."""
    if opening := end_of_working_words(words[start:end]):
        yield from _stripped(words, start, start + opening, paragraph, is_item)
        start += opening
    while end - start > MAX_SENTENCE:
        cuts = [cut.start() for cut in _COMMA.finditer(words, start + MAX_SENTENCE // 3, start + MAX_SENTENCE)]
        if not cuts:
            break
        yield from _stripped(words, start, cuts[-1], paragraph, is_item)
        start = cuts[-1]
    yield from _stripped(words, start, end, paragraph, is_item)


def _stripped(words: str, start: int, end: int, paragraph: int, is_item: bool) -> Iterator[Sentence]:
    text = words[start:end]
    stripped = text[leading.end() :] if (leading := _LEADING.match(text)) else text
    start += len(text) - len(stripped)
    stripped = stripped.rstrip()
    if stripped and any(character.isalpha() for character in stripped):
        yield Sentence(start, start + len(stripped), stripped, paragraph, is_item)


_LEADING = lazy_regex("[ \\t,;，、；\u2600-\u27bf\ufe0f\u200d\U0001f300-\U0001faff]*")
"""Spaces, marks and pictures before the words of a sentence."""

_DOCUMENT = lazy_regex(
    r"(?m)\b[a-z]+—[a-z]+\b|^[^\n]{0,60}(?<![\w.])\d{1,2}[.)] (?:[A-Z][\w-]{1,30} (?:and |of |the |for |to |& )?){0,5}"
    r"[A-Z][\w-]{1,30}:$|^#{1,6} \S|^\s{0,8}[-*•] \*\*"
)
"""Signs of a document: a dash without spaces, numbered or marked headings. Hardly anybody types them into a chat."""

_INLINE_CODE = lazy_regex(r"`[^`\n]{1,120}`")
"""Code that a user names in a sentence: it is not pasted."""

MAX_OWN = 0.98
"""Share of the user's own characters below which a message has pasted parts."""


class Context(NamedTuple):
    """Position of a sentence in its conversation, and what is around it."""

    position: int
    total: int
    is_answer: bool
    is_opening: bool
    follows_question: bool = False
    precedes_question: bool = False
    length: int = 0
    """Characters of the message in the user's own words."""
    has_paste: bool = False
    has_unfenced_paste: bool = False
    may_be_pasted: bool = False
    """Whether the sentence is in a document, or in a paragraph with text that was pasted without a fence."""
    in_quotation: bool = False
    """Whether the sentence begins inside quotation marks that an earlier one opened."""


def contexts_of(sentences: Sequence[Sentence], message: str, words: str, before: str) -> list[Context]:
    """Return the context of each sentence of a message that answers `before`; `words` are the user's own."""
    length = len("".join(words.split()))
    own, whole = (len("".join(_INLINE_CODE.sub("", text).split())) for text in (words, message))
    is_document = _DOCUMENT.search(words) is not None
    has_paste = own < MAX_OWN * whole or is_document
    unfenced = without_fences(message) if has_paste else words
    has_unfenced_paste = is_document or unfenced.split() != words.split()
    before = before.rstrip()
    is_answer, is_opening = before.endswith(("?", "？")), not before
    asks = [False, *(_QUESTION.search(sentence.text) is not None for sentence in sentences), False]
    return [
        Context(
            position=position,
            total=len(sentences),
            is_answer=is_answer,
            is_opening=is_opening,
            follows_question=asks[position],
            precedes_question=asks[position + 2],
            length=length,
            has_paste=has_paste,
            has_unfenced_paste=has_unfenced_paste,
            may_be_pasted=is_document or (has_paste and adjoins_paste(unfenced, words, sentence.start, sentence.end)),
            in_quotation=_is_open(words[: sentence.start]),
        )
        for position, sentence in enumerate(sentences)
    ]


def _is_open(before: str) -> bool:
    """Whether a text ends inside quotation marks."""
    return before.count('"') % 2 == 1 or any(
        before.count(mark) > before.count(end) for mark, end in ("“”", "«»", "「」")
    )


@cache
def _spaced_terms() -> Mapping[str, Sequence[tuple[tuple[str, ...], str]]]:
    """Return the phrases by their first word, longest first."""
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for concept, phrases in TERMS.items():
        for phrase in phrases.split(","):
            words = tuple(tokens_of(phrase))
            if words:
                table.setdefault(words[0], []).append((words, concept))
    return {first: sorted(set(rows), key=lambda row: (-len(row[0]), row[1])) for first, rows in table.items()}


@cache
def _unspaced_terms() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the phrases of languages without spaces by their first character, longest first."""
    table: dict[str, list[tuple[str, str]]] = {}
    for concept, phrases in UNSPACED_TERMS.items():
        for phrase in (part.strip() for part in phrases.split(",")):
            table.setdefault(phrase[0], []).append((phrase, concept))
    return {first: sorted(set(rows), key=lambda row: (-len(row[0]), row[1])) for first, rows in table.items()}


def tokens_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _TOKEN.findall(text.lower().replace("’", "'").replace("-", " "))


def concepts_of(text: str, tokens: Sequence[str]) -> dict[str, int]:
    """Return the concepts in a sentence, each with the position of its first phrase."""
    found: dict[str, int] = {}
    table = _spaced_terms()
    for position, token in enumerate(tokens):
        for words, concept in table.get(token, ()):
            if concept not in found and tuple(tokens[position : position + len(words)]) == words:
                found[concept] = position
    if UNSPACED.search(text):
        unspaced = _unspaced_terms()
        for position, character in enumerate(text):
            for phrase, concept in unspaced.get(character, ()):
                if concept not in found and text.startswith(phrase, position):
                    found[concept] = position // 2
    return found


class Analysis(NamedTuple):
    """Lower-case words of a sentence, its concepts, and its number of Chinese and Japanese characters."""

    tokens: list[str]
    concepts: dict[str, int]
    unspaced: int


def analyze(text: str) -> Analysis:
    """Return the words and concepts of a sentence, which forms and features refer to."""
    tokens = tokens_of(text)
    return Analysis(tokens, concepts_of(text, tokens), 0 if text.isascii() else len(UNSPACED.findall(text)))


FAMILIES: Mapping[str, frozenset[str]] = {
    name: frozenset(members.split("; "))
    for name, members in {
        "permanence": "form always, never; form must always, must never; form upkeep; form only, no; pattern long term",
        "reminder": "pattern reminder; pattern said before; form reminder of a rule",
        "habit": "pattern ban on output; pattern without output; pattern waste",
        "own work": "form I do it; pattern I do it",
        "tool": "pattern use of a tool; pattern rejected tool",
        "choice": "pattern choice; form use instead",
        "liking": "form prefer; pattern liking; form we use",
        "ban": "form stop",
        "no need": "pattern no need; form no need",
        "world": "pattern who I am; pattern goal; form fact; pattern amount; pattern tool in use",
        "people": "pattern people; form people; pattern generic plural",
        "all": "form all must; form whole project; pattern keep it so",
        "style": "pattern style; pattern style of code; pattern source of truth",
        "another language": "pattern rule in another language",
        "Chinese": "pattern rule in Chinese",
        "Japanese": "pattern rule in Japanese",
    }.items()
}
"""Forms and patterns that mean much the same: one feature, since a single one occurs in too few repositories."""

STRONG_FAMILIES = frozenset({"permanence", "reminder", "habit", "own work", "tool", "choice"})
"""Families of which a statement has one; the others occur as often in requests for the task at hand."""

_FAMILY_OF = {member: family for family, members in FAMILIES.items() for member in members}

TIES = ("now", "screen", "trouble", "hypothesis", "doubt", "scope")
"""Concepts that tie a sentence to the task at hand."""


def features_of(sentence: Sentence, analysis: Analysis, context: Context) -> list[str]:
    """Return the names of a sentence's features."""
    text = sentence.text
    tokens, concepts, unspaced = analysis
    size = len(tokens) + unspaced // 2
    features = [f"has {concept}" for concept in concepts]
    features.append(f"length {_step(size, (3, 6, 12, 20, 35))}")
    if "work" not in concepts and "request" not in concepts:
        features.append("states, asks for nothing")
    features += [name for name, pattern in _SHAPES if pattern.search(text)]
    if not _QUESTION.search(text):
        lower, words = text.lower(), frozenset(tokens)
        features += _family_features(families_of(lower, words, analysis), concepts)
    if sentence.is_item:
        features.append("list item")
    features += _context_features(context)
    return list(dict.fromkeys(features))


def _context_features(context: Context) -> Iterator[str]:
    yield f"sentences {_step(context.total, (1, 3, 8, 20))}"
    if context.position == 0:
        yield "first sentence"
    elif context.position == context.total - 1:
        yield "last sentence"
    if context.is_answer:
        yield "answers a question"
    if context.is_opening:
        yield "opens the conversation"
    yield f"message of {_step(context.length, (100, 300, 700, 1500))} characters"
    if context.has_paste:
        yield "pasted text in the message"
    if context.follows_question:
        yield "follows a question"
    if context.precedes_question:
        yield "precedes a question"


def _step(number: int, limits: Sequence[int]) -> int:
    """Return the first limit that a number does not exceed; 99 if it exceeds all."""
    return next((limit for limit in limits if number <= limit), 99)


def families_of(text: str, words: frozenset[str], analysis: Analysis) -> set[str]:
    """Return the families of a sentence in lower case."""
    forms = (
        name
        for name, form in FORMS.items()
        if (analysis.unspaced or not FORM_WORDS.get(name, words).isdisjoint(words)) and form.search(text)
    )
    patterns = (
        name
        for name, (triggers, pattern) in PATTERNS.items()
        if (analysis.unspaced if name in UNSPACED_PATTERNS else not triggers.isdisjoint(words)) and pattern.search(text)
    )
    return {_FAMILY_OF[name] for name in (*forms, *patterns)}


def _family_features(families: set[str], concepts: Mapping[str, int]) -> Iterator[str]:
    """Yield the families of a sentence, and what ties a strong one to the task at hand."""
    yield from (f"family {family}" for family in sorted(families))
    if STRONG_FAMILIES.isdisjoint(families):
        return
    if len(families) > 1:
        yield "strong and another family"
    ties = [f"strong family with {concept}" for concept in TIES if concept in concepts]
    yield from ties or ["strong family without a tie"]


_SHAPES = (
    ("question", _QUESTION),
    ("path", _PATH),
    ("identifier", _IDENTIFIER),
    ("number", _VERSION),
    ("shouting", _SHOUT),
    ("mention", _MENTION),
    ("markup", _MARKUP),
)


THIS_DAY = (
    r"(?:today|tomorrow|tonight|heute|(?<!jeden )(?<!elke )morgen|hoy|(?<!la )(?<!cada )mañana|hoje|amanhã"
    r"|aujourd['’]hui|demain|oggi|domani|vandaag|сегодня|завтра)"
)
"""This day and the next, in languages with spaces between words."""

ONE_OFF = lazy_regex(
    r"\bnow[\s.!]{0,3}$|\b(?:accordingly|later|for now|right now|not? yet|yet|this time|once (?:you|we|that|this|it)"
    r"|after (?:that|this|you|we|it)|when (?:you['’]?re|you are) (?:done|finished)|before we|next step|this (?:task|fix"
    r"|bug|change|commit|file|function|page|screen|test|issue|feature|component|line|one|pr|pull request|branch"
    r"|session)|est[ea] (?:archivo|fichero|tarea|cambio|función|prueba|rama|arquivo|tarefa|mudança|função|teste)|(?:ce"
    r"|cette) (?:fichier|tâche|modification|fonction|branche|test)|diese[mnrs]? (?:datei|aufgabe|änderung|funktion"
    r"|test)|quest[oa] (?:file|compito|modifica|funzione|test)|этот файл|luego|más tarde|por ahora|todavía"
    r"|pour l['’]instant|plus tard|später|erstmal|vorerst|noch nicht|danach"
    rf"|por enquanto|mais tarde|per ora|più tardi|voorlopig|straks|пока|потом|позже|{THIS_DAY})\b"
    r"|稍后|等下|待会|暂时|这次|这个文件|あとで|今回|とりあえず|このファイル",
    re.IGNORECASE,
)
"""Words by which what an explicit form asks for is part of the task at hand."""

_STEP = (
    r"(?:prs?|pull[- ]requests?|mrs?|merge requests?|tasks?|commits?|fix|change|branch|session|chat|run|bug|ticket"
    r"|issue|release|refactor\w*|step|prompt|conversation|aufgabe|änderung|sitzung|tarea|cambio|sesión|rama|tâche"
    r"|branche|modification|tarefa|mudança|sessão|compito|modifica|taak|wijziging|sessie|задач[уи]|коммита?)"
)
_WEEKDAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes"
    r"|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|segunda"
    r"|terça|quarta|quinta|sexta|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|maandag|dinsdag|woensdag"
    r"|donderdag|vrijdag|zaterdag|zondag|понедельника|вторника|среды|четверга|пятницы|субботы|воскресенья)"
)
_THIS_ONE = (
    r"(?:this (?:function|method|file|class|page|component|test|line|bug|screen|module)|diese\w? (?:funktion|methode"
    r"|datei|klasse|seite|zeile|test)|est[ea] (?:función|método|archivo|clase|página|test)|cett?e? (?:fonction|méthode"
    r"|fichier|classe|page|test)|ess[ea] (?:função|método|arquivo|classe|página|teste)|quest[oa] (?:funzione|metodo"
    r"|file|classe|pagina|test)|(?:deze|dit) (?:functie|methode|bestand|klasse|pagina)|эт(?:у|от) (?:функцию|метод"
    r"|файл|класс)|[\w/-]{1,60}\.[a-z]{1,5}|(?:the|den|die|das|el|la|los|las|le|les|o|a|il|lo) \w{2,20})"
)
_TOUCH_NOTHING_ELSE = (
    r"(?:(?:don['’]?t|do not|without) (?:touch|change|modify|edit)(?:ing)? (?:anything else|other files?)|(?:fass"
    r"|änder)\w* (?:bitte )?(?:sonst nichts|nichts anderes)(?: an)?|no (?:toques|cambies|modifiques) (?:nada más"
    r"|lo demás|el resto)|ne (?:touche|change|modifie)\w* (?:rien d['’]autre|pas (?:au?|le) reste)|não (?:mexa|mude"
    r"|altere|toque|toca|mexe) (?:em |n)?(?:mais nada|o resto)|non (?:toccare|cambiare) (?:nient['’]altro|il resto)"
    r"|(?:raak|verander|wijzig) (?:verder niets|niets anders)|ничего (?:больше|другого) не (?:меняй|трогай))"
)
_DEADLINE = lazy_regex(
    rf"\b(?:until|til|till|bis(?: zum)?|hasta(?: el| la)?|jusqu['’](?:à|au|en)|até(?: a| o| à)?|fino a(?:l|lla)?"
    rf"|tot(?: en met)?|до) (?:the |next |nächste[nrs]? |próxim[ao] |prochaine? |volgende )?(?:{_WEEKDAY}|{THIS_DAY}"
    rf"|(?:end of|ende|fin de|fin|fim d[aeo]"
    r"|fine|eind|конца)\b|week(?:end)?|month|release|launch|demo|code freeze|woche\w*|monats\w*|semana|mes|mês|semaine"
    r"|week-end|lanzamiento|lançamento|settimana|\d{1,2}[.:/hu])|\bthrough the (?:code )?(?:freeze|release|holidays)"
    r"|\b(?:while|solange|mientras|tant qu[e'’]|enquanto|finché|zolang|пока) [^,.\n]{1,30}\b(?:vacation|holiday|away"
    r"|sick|ill|broken|down|kaputt|krank|weg|urlaub|vacaciones|enferm[oa]|caíd[oa]|roto|vacances|absente?|malade|cassé"
    r"|en panne|férias|doente|fora do ar|quebrado|ferie|malat[oa]|rott[oa]|vakantie|ziek|kapot|отпуске|болеет|сломан)\b"
    r"|(?:[月火水木金土日]曜日?|来週|週末|月末|リリース)までは?|(?:周|星期|礼拜)[一二三四五六日天](?:之前|以前|前)"
    r"|到(?:周|星期|礼拜)[一二三四五六日天](?:为止|之前)?",
    re.IGNORECASE,
)
"""A day until which a wish holds, or a state of affairs that ends."""

_REMINDER = r"(?:(?:an?|to|te|noch|zur|als|per) )?(?:remind|remember|note|lembr|recuerd|rappel|erinner|ricord)"
_ONLY_THIS = lazy_regex(
    rf"^\W*(?:(?:please|pls|bitte|por favor|stp|per favore|alsjeblieft|пожалуйста)[\s,]{{1,3}})?(?:(?:only|just|nur"
    rf"|solo|sólo|solamente|únicamente|só|somente|apenas|seulement|soltanto|alleen|только) (?!{_REMINDER})"
    rf"(?:\w+ ){{0,3}}?{_THIS_ONE}"
    rf"|(?:\w+ ){{1,3}}(?:only|just|nur|solo|sólo|solamente|únicamente|só|somente|apenas|seulement|soltanto|alleen"
    rf"|только|que(?! (?:el|las?|les?|los|os?|as?)\b)) {_THIS_ONE})"
    r"(?=[^\n]{0,80}\b(?:no|not|don['’]?t|nothing|keine?n?|nichts?|nada|ne|n['’]\w+|pas"
    rf"|rien|não|non|niente|niets|geen|не|ничего)\b)|\b{_TOUCH_NOTHING_ELSE}(?! than)\b"
    r"|この(?!プロジェクト|リポジトリ|リポ|コード)\S{1,8}?(?:だけ|以外|のみ)|だけ(?:修正|変更"
    r"|直)し[^。\n]{1,40}(?:ないで|触ら)|(?:除了|只(?:改|修|动)|此|这个?)\s?(?!项目|仓库)[\w.]{0,8}(?:函数|文件|方法"
    r"|类|页面|组件|测试)(?:以外|之外|外)?[^。\n]{0,12}(?:不|别)"
    r"|只改\s?[\w./]+[^。\n]{0,10}(?:不|别)",
    re.IGNORECASE,
)
"""A wish that one thing is changed and nothing else."""

_THIS_STEP = lazy_regex(
    r"\b(?:for|in|on|für|bei|por|para|en|pour|dans|per|nel|voor|для|в) "
    r"(?:this|the current|diese[mnrs]?|este|esta|cette|cet?|esse|essa|quest[oa]|dit|deze|эт(?:ой|ого|у|ом)) "
    rf"(?:one |single )?{_STEP}\b"
    rf"|\bn?[dn]es[st][ea] {_STEP}\b"
    r"|\b(?:in|on|for) this (?:script|function|file|page|table|endpoint|component|class|method|query|screen|form)\b"
    r"|\bjust (?:this\b(?! (?:repo\w*|project|package|folder))|once\b|for (?:now|this|today)\b)"
    r"|\bthis once\b|\b(?:only|just) this one\b"
    r"|(?:这个|这条|当前|本次) ?(?:pr|分支|任务|提交|会话)(?:里|中|上|先|就|只|不)"
    r"|この ?(?:pr|ブランチ|タスク|コミット|セッション)(?:では|だけ|に限|のみ|で)|別(?:チケット|件|タスク)なので"
    r"|\b(?:is|that['’]s) (?:for )?(?:a |an )?(?:separate|another|different) (?:ticket|issue|task)\b",
    re.IGNORECASE,
)
FOR_NOW = lazy_regex(
    r"\bfor (?:now|the moment|the time being)\b|\btemporarily\b|\bright now\b|\bthis time\b|\b(?:dieses mal|diesmal"
    r"|d?esta vez|dessa vez|cette fois|stavolta|questa volta|deze keer|(?:в|на) этот раз)\b|\b(?:this (?:week(?:end)?"
    r"|month|sprint|morning|afternoon|evening)|over the weekend|(?<!erst )diese woche|diesen monat|dieses wochenende"
    r"|est[ae] (?:semana|mes|fin de semana|mês)|essa semana|n?[ea]ssa semana|cette semaine|ce (?:mois-ci|week-end)"
    r"|questa settimana|questo mese|deze (?:week|maand)|(?:im|en este|en ce|neste) moment\w?|(?:на )?эт(?:ой"
    r"|у) недел[еюи])\b|今週|今月|しばらく(?:は|の間)|当面|当分|这(?:一?周|个?星期|个月|几天)|本周|目前先|眼下"
    r"|\b(?:vorerst|erstmal|erst einmal|fürs erste|vorübergehend|por ahora|de momento|por el momento|pour l['’]instant"
    r"|pour le moment|por enquanto|per ora|per adesso|voorlopig|voor nu|временно|пока что)\b"
    rf"|\b{THIS_DAY}\b|这次|今回|暂时|今天|明天|とりあえず|ひとまず|今日|明日",
    re.IGNORECASE,
)
_PRODUCT_WISH = lazy_regex(
    r"^\W*(?:(?:i|we)(?:['’]d)? (?:want|need|like|would like) (?:the|my|our|this) (?!code|tests?|commits?"
    r"|docs)\w+ to\b|the (?:app|site|page|system|till|shop|form|editor|game|bot) (?:should|must|needs? to|has to)\b"
    r"|ich (?:will|möchte|brauche),? dass (?:die|der|das) (?:app|seite)|quiero que (?:la|el) (?:app|aplicación|página)"
    r"|quero que (?:o|a) (?:app|site|página)|je veux que l(?:['’]app|e site|a page)|voglio che l['’]app"
    r"|ik wil dat de app)[^.?!\n]{0,120}[,;] ?(?:and |und |y |e |et )?"
    r"(?:from now on|ab jetzt|a partir de (?:ahora|agora)|désormais|d['’]ora in poi|vanaf nu)",
    re.IGNORECASE,
)
"""A wish for what is built: "the app should …, from now on it must …"."""

_EDIT_OF_FILE = lazy_regex(
    r"^\W*(?:(?:please|pls|bitte|por favor|stp|now|and|then|can you)[\s,]{1,3}){0,2}(?:change|rename|set|replace"
    r"|update|edit|bump|raise|lower|ändere?|benenne?|setze?|ersetze?|cambia|renombra|reemplaza|actualiza|mude|altere"
    r"|renomeie|substitua|atualize|renomme|remplace|modifie|rinomina|sostituisci|wijzig|hernoem|vervang|измени"
    r"|переименуй|замени)\s[^\n]{3,120}?\s(?:in|en|em"
    r"|no|na|dans|nel|в)\s[`\"']?[\w/.-]{1,60}\.[a-z]{1,5}[`\"']?[\s.!]*$",
    re.IGNORECASE,
)
"""A change of one file: "set the timeout to 30 from now on in settings.py"."""

_OFTEN = lazy_regex(
    r"\b(?:always|every|each|whenever|immer|jede\w?|siempre|cada|sempre|toujours|chaque|ogni|altijd)\b", re.IGNORECASE
)
_SINCE_TODAY = lazy_regex(
    r"\b(?:(?:from|as of|starting) (?:today|tomorrow)|ab (?:heute|morgen)"
    r"|(?:desde|de|a partir de) (?:hoy|mañana|hoje|amanhã)"
    r"|(?:dès|à partir d(?:e|['’])) ?(?:aujourd['’]hui|demain)|da (?:oggi|domani)|vanaf (?:vandaag|morgen)"
    r"|с сегодняшнего)\b"
    r"|从(?:今天|明天)(?:起|开始)|(?:今日|明日)から",
    re.IGNORECASE,
)
"""A day from which on something holds."""
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
    r"|(?:还是)?算了|やっぱり(?:なし|やめ)"
    r"|(?:(?:is|was) (?:that|this|it|he|she) (?:really |still |actually )?(?:true|right|correct|so)\b"
    r"|does (?:that|this|it) (?:make sense|still (?:apply|hold))\b|do you agree\b|what (?:does (?:that|this|it|he|she)"
    r" mean|is that about)\b|stimmt das\b|ist das (?:wahr|richtig|korrekt|so)\b|hat (?:er|sie) recht\b"
    r"|¿?\s?(?:es (?:verdad|cierto|correcto|así)|tiene razón)\b|(?:isso )?(?:é verdade|está certo|procede)\b"
    r"|(?:c['’]est|est-ce) (?:vrai|exact|correct)\b|a-t-(?:il|elle) raison\b|è (?:vero|corretto|giusto)\b|ha ragione\b"
    r"|klopt dat\b|is dat (?:waar|zo|juist)\b|heeft (?:hij|zij) gelijk\b|(?:это )?(?:правда|верно)\b|так ли это\b)"
    r"(?=[^.!\n]{0,60}\?)|(?:(?:それ|これ)は)?(?:本当|正しい)(?:なの|の)?(?:です)?か|(?:这|那)?(?:是真的|真的|正确|对)(?:吗|么))",
    re.IGNORECASE,
)
"""Words that take the sentence before them back, or ask whether it is true."""


def is_for_one_task(text: str) -> bool:
    """Whether a wish holds for the task at hand or for a day: "for this PR only", "not today".

    Words such as "always" outweigh those for the time: "this time always …" is a complaint.
    """
    if _THIS_STEP.search(text) or _DEADLINE.search(text):
        return True
    plain = text.casefold()
    if _PRODUCT_WISH.search(text) or (_EDIT_OF_FILE.search(text) and _OFTEN.search(text) is None):
        return True
    if _ONLY_THIS.search(text) and not any(word in plain for word in LASTING):
        return True
    text = _SINCE_TODAY.sub(" ", text)
    plain = text.casefold()
    return FOR_NOW.search(text) is not None and not any(word in plain for word in LASTING)


_SHRUG = lazy_regex(
    r"(?i)[,;.–—-]? ?(?:\b(?:but|though)\b (?:whatever|never ?mind|fine|ok(?:ay)?|i don['’]?t (?:care|mind)"
    r"|it['’]?s (?:ok(?:ay)?|fine|nothing))|\b(?:aber|naja) (?:egal|was soll['’]?s|passt schon|ist ok)|\bmais (?:bon"
    r"|tant pis|peu importe|c['’]est pas grave)|\bpero (?:bueno|da igual|no importa|vale)|\bmas (?:tudo bem|tanto faz"
    r"|beleza|enfim)|\bma (?:va bene|fa niente|vabbè)|\bmaar (?:goed|maakt niet uit)|но (?:ладно|неважно)|(?:まあ|でも"
    r"|けど)(?:いい|別に)(?:か|や|けど)?|不过(?:算了|无所谓|没关系)|但(?:是)?(?:算了|无所谓|随便))[\s.!…。]{0,4}$"
)
"""The end of a sentence whose wish the user does not insist on."""


def is_shrugged_off(sentence: str) -> bool:
    """Whether a sentence ends with words by which the user does not insist on it: "but whatever"."""
    return _SHRUG.search(sentence) is not None


def is_retraction(sentence: str) -> bool:
    """Whether a sentence takes back the one before it: "wait, scrap that"."""
    return _RETRACTION.match(sentence) is not None
