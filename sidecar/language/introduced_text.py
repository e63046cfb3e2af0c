"""Text between a line that introduces it and the user's last words: "QA sheet, row 14:", …, "is that done?". Pure.

No list of sources decides, because they have no end, but the form: an opening that introduces, a text, and the user's
own closing words. The text is the user's if the opening adopts it: it addresses the agent, states what the user wants,
begins the user's own list, or names a mere topic; or if the closing words adopt it. Doubt counts as pasted.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.common_words import TOOL_NAMES, plain_words
from sidecar.language.english_translation import is_english
from sidecar.language.pasted_blocks import (
    FENCES,
    LIST_MARK,
    ORIGIN,
    PERSONAL,
    RETURN,
    UNSPACED,
    Line,
    lines_of,
    names_document,
    turns_to_agent,
)
from sidecar.language.statement_openings import LEAD_IN, TASK

MAX_OPENING_LINES = 3
"""Lines of the opening paragraph of which one introduces the text."""

MAX_TITLE_WORDS, MAX_UNSPACED_TITLE = 8, 24
"""Words of a title, and its characters in a script without spaces."""

MAX_TOPIC_WORDS, MAX_LINKED_TOPIC_WORDS, MAX_UNSPACED_TOPIC = 3, 7, 6
"""Words of a topic, without and with a preposition before it, and its characters in a script without spaces."""

MAX_LIST_WORDS = 6
"""Words of the heading of the user's own list."""

MAX_CLOSING_LINES, MAX_CLOSING = 4, 400
"""Lines and characters of the last paragraph that still is the user's."""


class _Parts(NamedTuple):
    """Numbers of the line that introduces a text, and of the first line of the user's last words."""

    opening: int
    closing: int


def introduced_blocks(message: str, own: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text that the opening introduces, and of lines that somebody else speaks.

    `own` is the message in which known pastes are blanked.
    """
    lines = list(lines_of(own))
    parts = _parts_of(message.split("\n"))
    if parts is not None and lines[parts.opening].text.strip():
        yield lines[parts.opening + 1].start, lines[parts.closing - 1].end
    for number, (line, below) in enumerate(zip(lines, (*lines[1:], None), strict=True)):
        is_row = not number and _ROW.match(line.text) is not None and _has_voice(lines[-1].text.strip())
        if is_row or _is_spoken_by_others(line, below):
            yield line.start, line.end


def _parts_of(lines: Sequence[str]) -> _Parts | None:
    """Return where the text that a message introduces begins and ends; None if it introduces none."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    opening = _opening_of(lines, filled)
    below = next((lines[number] for number in filled if opening is not None and number > opening), "")
    if opening is None or _asks(below) or below.lstrip().startswith(FENCES):
        return None  # a fence shows by itself where it ends
    is_sure = _COLON.search(lines[opening]) is not None or _has_source(lines[opening])
    closing = _closing_of(lines, filled, opening, needs_voice=not is_sure)
    if closing is None or not any(opening < number < closing for number in filled):
        return None
    words = " ".join(line.strip() for line in lines[closing:])
    disowns = _DISOWNS.search(words) is not None
    if not disowns and (_adopts(lines[opening]) or _ADOPTS_ABOVE.search(words)):
        return None
    return _Parts(opening, closing)


def _opening_of(lines: Sequence[str], filled: Sequence[int]) -> int | None:
    """Return the line of the first paragraph that ends with a colon; else the first line if it alone is a title."""
    for number in filled[:MAX_OPENING_LINES]:
        if number and not lines[number - 1].strip() and number > filled[0]:
            break
        if _COLON.search(lines[number]):
            return None if _ITEM.match(lines[number]) else number
    return filled[0] if filled and _is_title(lines[filled[0]].strip()) else None


def _is_title(line: str) -> bool:
    """Whether a line is a noun phrase that no verb, stop or first person makes a sentence or a request."""
    if _ITEM.match(line) or _NO_TITLE.search(line) or PERSONAL.search(line) or TASK.match(line):
        return False
    bare = _ASIDE.sub("", line).strip()
    if UNSPACED.search(bare):
        is_short = len(bare) <= MAX_UNSPACED_TITLE and _UNSPACED_SENTENCE.search(bare) is None
        return is_short and (bare != line or names_document(bare) or _UNSPACED_OWNER.search(bare) is not None)
    is_short = 1 < len(bare.split()) <= MAX_TITLE_WORDS
    return is_short and bare[0].isupper() and _VERB.search(bare) is None


def _closing_of(lines: Sequence[str], filled: Sequence[int], opening: int, *, needs_voice: bool) -> int | None:
    """Return the first line of the user's last words; None if the text goes on to the end."""
    last = first = filled[-1]
    while first - 1 > opening and lines[first - 1].strip():
        first -= 1
    paragraph = [line.strip() for line in lines[first : last + 1]]
    is_apart = first - 1 > opening and len(paragraph) <= MAX_CLOSING_LINES and not LIST_MARK.match(lines[first])
    is_apart = is_apart and sum(map(len, paragraph)) <= MAX_CLOSING and any(opening < at < first for at in filled)
    if is_apart and (not needs_voice or any(map(_has_voice, paragraph))):
        return _with_paragraphs_above(lines, filled, opening, first)
    return last if last - 1 > opening and _has_voice(lines[last].strip()) else None


def _with_paragraphs_above(lines: Sequence[str], filled: Sequence[int], opening: int, closing: int) -> int:
    """Return the first line of the paragraphs above the last one that turn to the agent, too, but for the first."""
    while True:
        end = max((number + 1 for number in filled if opening < number < closing), default=opening)
        start = end - 1
        while start - 1 > opening and lines[start - 1].strip():
            start -= 1
        paragraph = [Line(0, 0, line) for line in lines[start:end]]
        if start <= opening + 2 or not turns_to_agent(paragraph):
            return closing
        closing = start


def _has_voice(line: str) -> bool:
    """Whether a line asks, requests or is in the first person."""
    if _asks(line):
        return True
    if LIST_MARK.match(line) and not PERSONAL.search(line):
        return False
    is_personal = PERSONAL.search(line) is not None or _PLEASE.search(line) is not None
    return is_personal or any(TASK.match(part) or RETURN.match(part) for part in _sentences_of(line))


def _asks(line: str) -> bool:
    return any(part.endswith(_QUESTION_MARKS) for part in _sentences_of(line))


def _sentences_of(line: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.split(line) if part.strip()]


def _adopts(opening: str) -> bool:
    """Whether an opening makes what it introduces the user's own."""
    label = _COLON.sub("", _sentences_of(opening)[-1]).strip(" *_#")
    if TASK.match(label) or LEAD_IN.search(label) or _IMPERATIVE.match(label) or _WILL.search(label):
        return True
    if _has_source(label) or _OBTAINED.search(label):
        return False
    words = label.split()
    is_own_list = len(words) <= MAX_LIST_WORDS and _OWN_LIST.search(label) is not None
    return (
        is_own_list or _SPOKEN.search(label) is not None or _is_topic(label, words, is_title=label == opening.strip())
    )


def _has_source(label: str) -> bool:
    """Whether a line names a document, a place or a time that a text is from."""
    return ORIGIN.search(label) is not None or _SOURCE.search(label) is not None or names_document(label)


def _is_topic(label: str, words: Sequence[str], *, is_title: bool) -> bool:
    """Whether a label only says what the text is about: "error handling", "on the league view"."""
    if is_title and any(map(is_english, words)) and any(_is_name(word.casefold()) for word in words if word.isascii()):
        return False
    if _NO_TOPIC.search(label):
        return False
    if UNSPACED.search(label):
        return len(label) <= MAX_UNSPACED_TOPIC or _UNSPACED_TOPIC.search(label) is not None
    if _LINKED.match(label):
        return len(words) <= MAX_LINKED_TOPIC_WORDS
    return len(words) <= MAX_TOPIC_WORDS and not any(word[0].isupper() for word in words[1:])


def _is_spoken_by_others(line: Line, below: Line | None) -> bool:
    """Whether a line is a row of a table, a numbered clause, a form, or what one of several people states."""
    text = line.text.strip()
    if _FOREIGN_LINE.match(text):
        return True
    speakers = [_SPEAKER.match(part.text.strip()) for part in (line, below) if part is not None]
    names = [match[1].casefold() for match in speakers if match is not None]
    return len(names) == 2 and names[0] != names[1] and all(map(_is_name, names))


def _is_name(word: str) -> bool:
    return not (word in TOOL_NAMES or word in plain_words() or is_english(word) or word.endswith("ing"))


_COLON = lazy_regex(r"[:：]\W{0,3}$")
_ITEM = lazy_regex(r"\s*+(?:[-*•+–・]|\(?\d{1,2}\s?[-.)、])")
_NO_TITLE = lazy_regex(r"[.!?;,。！？؟…，；]$|: |：.|https?://|^\W*@")
_SENTENCE = lazy_regex(r"(?<=[.!?؟])\s+(?=\S)|(?<=[。！？])(?=.)")
_QUESTION_MARKS = ("?", "？", "؟")
_ASIDE = lazy_regex(r"\([^()\n]{0,60}\)|（[^（）\n]{0,60}）|\s@\S{1,30}")
_UNSPACED_OWNER = lazy_regex(r"..[の的][^の的]{2,12}$")
_UNSPACED_SENTENCE = lazy_regex(r"[，、。]|[请把被怎吗呢吧你]|帮|什么|修|して|ください|ない|ます|です|たい")
_VERB = lazy_regex(
    r"(?i)\b(?:is|are|was|were|has|have|should|must|can|will|do|does|did|need|needs|get|gets|getting|got|not|don['’]t"
    r"|works?|fails?|ist|sind|soll|muss|hat|geht|está|están|debe|es|son|tiene|est|sont|doit|a|è|sono|deve|é|são|tem"
    r"|het is|moet|нужно|надо|не)\b"
)

_IMPERATIVE = lazy_regex(
    r"(?i)\W{0,3}(?:(?:ok(?:ay)?|so|now|and|also|but|then|perfect|great|thanks|first|next|und|jetzt|y|ahora|et|e|agora"
    r"|и|теперь)[\s,!]{1,3}){0,2}(?:follow|use|make|keep|add|write|create|put|remember|note|stick|obey|respect|apply"
    r"|change|do|don['’]?t|ensure|consider|implement|fix|build|check|explore|analy[sz]e|describe|design|develop|prepare|generate|convert|run|test|improve|include|explain|outline|update"
    r"|replace|remove|rename|refactor|set|start|only|let['’]?s?|lets|give|tell|show|look|find|try|go|take|work|stop"
    r"|avoid|never|always|to (?:answer|fix|clarify)|answering|here(?:['’]s| is| are) what|follow|beachte|halte?|nutze?"
    r"|verwende|mach|merk|sigue|usa|haz|recuerda|ten en|siga|use|faça|lembre|suis|utilise|respecte|fais|segui"
    r"|usa|ricorda"
    r"|volg|gebruik|onthoud|adicion[ea]|agrega|corrige|sposta|ajoute|füge|ojo|соблюдай|используй|запомни|сделай)\b"
    r"|[请帮把]|按照|遵守|记住|注意|修改|覚えて|守って"
)
"""The beginning of an opening that tells the agent what to do with the text below."""

_WILL = lazy_regex(
    r"(?i)\b(?:(?:i|we)(?:['’](?:d|ll)| would| really| still| also| always| now| just){0,2} (?:want|need|prefer"
    r"|like|expect|wish"
    r"|insist|decided|agreed|use|have (?:to|the following|these|some|a few|\w+ (?:rules?|requests?|concerns?|wishes)))"
    r"|you|your|yourself|please|pls|should|must|have to|has to|needs? to|ought to|from now on|going forward"
    r"|in (?:the )?"
    r"future|(?:for|in) (?:all|every|each|this|the whole)|always|never|everywhere|want you|(?:can|could"
    r"|would) (?:you|we)"
    r"|my (?:rules?|style|preferences?|conventions?|requirements?|wishes|notes?|habits?)|from me"
    r"|ich (?:will|möchte|brauche|hätte)|wir (?:wollen|brauchen)|du|dir|dich|bitte|soll(?:en|te|ten)?|müssen|muss|ab"
    r" (?:jetzt|sofort)|immer|nie|für alle|quiero|quisiera|necesito|prefiero|tienes|debes?|deben|por favor"
    r"|siempre|nunca"
    r"|para (?:todos?|todas?|este)|quero|preciso|prefiro|você|devem?|sempre|je (?:veux|voudrais|préfère)"
    r"|on (?:veut|doit)"
    r"|tu|vous|stp|svp|doit|doivent|toujours|jamais|pour (?:tous|toutes)|voglio|vorrei|preferisco|devono|deve|ik wil"
    r"|graag|moet(?:en)?|altijd|nooit|хочу|нужно|надо|должн\w+|всегда|никогда|пожалуйста)\b|我要|我想|我希望|我们?需要"
    r"|需要|必须|应该|你|请|以后|今后|ほしい|してください|お願い|必ず|常に|لطفا|می‌?خواهم|میخوام|باید|همیشه"
)
"""Words of somebody who states what is to be."""

_LIST_NOUN = (
    r"(?:rules?|requirements?|conventions?|preferences?|constraints?|guidelines?|notes?|reminders?|standards?|style"
    r"|workflow|important|(?:things?|points?|issues?|concerns?|remarks?|requests?|changes?|questions?|problems?|bugs?"
    r"|tasks?|todos?|steps?|tweaks?|fixes)(?! from\b)|regeln?|vorgaben|wünsche|punkte|hinweise|wichtig|aufgaben|reglas?"
    r"|requisitos|convenciones|puntos?|cosas|notas?|importante|tareas|regras?|convenções|pontos?|coisas|tarefas|règles?"
    r"|consignes|conventions|points?|choses|regol[ea]|requisiti|convenzioni|punti|cose|regels|eisen|punten|правила?"
    r"|требования|замечани[яй]|важно|задачи)"
)
_OWN_LIST = lazy_regex(
    rf"(?i)(?<!\w){_LIST_NOUN}(?: (?:for|in|on|of|about|für|im|para|de|del|do|pour|du|per|del|voor"
    rf"|для) [^,()]{{1,40}})?$"
    r"|(?:规则|要求|约定|规范|注意事项|需求|问题|几点|ルール|規則|要件|注意点|お願い)$"
)
"""The end of the heading of one's own list."""

_SOURCE = lazy_regex(
    r"(?i)[@/\\]|\b(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun|mon|diens|donners|frei|sams|sonn)(?:day|tag)\b|\b(?:bob|old|previous|former|someone|somebody|reported|copied"
    r"|alte[nrs]?|vorherige\w*|anterior|antigu\w+|antig\w+|ancien\w*|vecchi\w|oude|стар\w+)\b"
)
"""Words of a heading by which its list is from elsewhere."""

_LINKED = lazy_regex(
    r"(?i)(?:and |also |now |so )*(?:for|on|in|at|regarding|about|für|im|bei|beim|zu[mr]?|para|sobre|en|em|no|na|pour"
    r"|sur|dans|per|nel\w*|voor|для|в|про)\b"
)
_UNSPACED_TOPIC = lazy_regex(r"(?:について|に関して)(?:は|の)?$|^(?:关于|對於|对于)")
_NO_TOPIC = lazy_regex(r"[,;()（）\d#@\"“”«»、，/]|['’]s\b")
_SPOKEN = lazy_regex(
    r"(?i)^(?!.*\bthis$)\W{0,3}(?:(?:ok(?:ay)?|so|now|also|and|but|then|jetzt|noch|ahora|además|bueno|agora|então|maintenant|alors"
    r"|bon|ora|allora|nu|теперь|ещё)\b|(?:very )?important|wichtig|importante|важно|(?:the |some "
    r"|(?:a )?few )?things?\b)"
    r"|\b(?:i|we|i['’]m|we['’]re|ich|wir|yo|nosotros|eu|nós|je|nous|io|noi|ik|wij|я|мы)\b"
)
"""Words of somebody who speaks for himself."""

_OBTAINED = lazy_regex(
    r"(?i)\b(?:get|got|gets|getting|found|copied|pasted|quoted|re-?read|read|saw|see|received|asked|downloaded|exported|took|ran"
    r"|run|tried|noticed|dug|sent|gave|wrote|writes|said|says|told|posted|was|were|bekommen|gefunden|kopiert|gelesen"
    r"|gesehen|erhalten|geschickt|schreibt|schrieb|sagt|sagte|encontr\w+|copi\w+|leí|leído|recib\w+|pas(?:ó|aron|ou|aram)"
    r"|mand\w+|dice|dijo|achei|li|receb\w+|disse|trouvé|copié|lu|relu|reçu|vu|envoyé|dit|écrit|trovato|letto|ricevuto"
    r"|scritto|detto|gevonden|gelezen|gekregen|gezien|schreef|zegt|нашёл|нашел|скопировал\w*|прочитал\w*|получил\w*"
    r"|пишет|написал\w*|прислал\w*)\b"
)
"""Verbs of getting or stating a text."""

_PLEASE = lazy_regex(r"لطفا|می‌?خواهم|میخوام|kérlek|proszę|lütfen|부탁|주세요|해줘")
_ROW = lazy_regex(
    r"(?i)(?:row|line item|zeile|fila|linha|ligne|riga|rij|строка|行) \d{1,4}\s?[:：]\s|第 ?\d{1,4} ?行\s?[:：]"
)
_FOREIGN_LINE = lazy_regex(
    r"(?i)(?:name|nombre|nome|nom|naam|user|from|имя|姓名|名前)\s?[:：] ?[^.:：\n]{1,40}[.;,|] ?(?:message|comment"
    r"|text|feedback"
    r"|mensaje|mensagem|nachricht|kommentar|messaggio|commentaire|bericht|сообщение|留言|内容|メッセージ)\s?[:：]"
    r"|第[\d一二三四五六七八九十]{1,3}[条條章]\s"
    r"|[・\-*•]? ?(?:部長|課長|社長|係長|店長|上司|先輩|同僚|お客様?|[\u4e00-\u9fff]{1,3}さん"
    r"|老板|经理|领导|同事|客户|主管|总监|产品经理)\s?[:：]"
    r"|[-*•]? ?(?:the )?(?:boss|manager|client|customer|reviewer|chef|chefin|kunde|jefe|cliente|chefe|capo|baas|klant"
    r"|начальник|заказчик|клиент)\s?[:：]\s"
)
"""A line that shows by itself that somebody else speaks, or that it is an entry of a text."""

_SPEAKER = lazy_regex(r"[-*•]? ?([A-ZÀ-Þ][a-zà-ÿ]{1,14})\s?[:：]\s\S")

_ADOPTS_ABOVE = lazy_regex(
    r"(?i)(?<!don['’]t )(?<!do not )(?<!not to )(?<!never )\b(?:follow|stick to|obey|apply|remember|respect"
    r"|adopt|keep to|comply with"
    r"|go by|do|fix|implement) (?:all )?(?:of )?(?:these|those|them|this|that|the (?:above|rules?|conventions"
    r"|guidelines))\b(?!.{0,80}[?？]$)|\b(?:halte? dich (?:bitte )?(?:an|daran)|beachte (?:das|die)|merk dir"
    r"|gilt (?:auch )?(?:hier|bei uns|für"
    r" uns)|s[ií]gue(?:l[ao]s)?|respeta|aplica(?:l[ao]s)?|cumple|suis|respecte|applique|siga|aplique|respeite|segui"
    r"|rispetta|applica|volg|onthoud|соблюдай|следуй|запомни)\b|(?:遵守|照做|记住|照着)|按(?:照?这|以上)|守って|従って|覚えて"
)
"""Last words that make the text above them the user's own."""

_DISOWNS = lazy_regex(
    r"(?i)\b(?:(?:not|nothing) (?:for|of|to do with) us|nobody (?:has )?decided|no decision|ignore (?:it|that"
    r"|this|the|them"
    r"|those)|not our|(?:doesn['’]?t|does not|don['’]?t|do not) (?:apply|concern|affect)|gilt (?:hier |für uns "
    r"|bei uns )?"
    r"nicht|nicht für uns|betrifft uns nicht|no es para nosotros|no nos (?:afecta|aplica)|não é (?:para|com) (?:a gente"
    r"|nós)|pas pour nous|ne nous concerne pas|non (?:è per noi|ci riguarda)|niet voor ons|не для нас"
    r"|нас не касается)\b"
    r"|先不管|不用管|与我们无关|跟我们没关系|不关我们|関係(?:ない|ありません)|対応不要"
)
"""Last words by which the text above them is not for the agent."""
