"""Text between a line that introduces it and the user's last words: "QA sheet, row 14:", …, "is that done?". Pure.

No list of sources decides, because they have no end, but the form: an opening that introduces, a text, and the user's
own closing words. The text is the user's if the opening adopts it: it addresses the agent, states what the user wants,
begins the user's own list, or names a mere topic; or if the closing words adopt it. Doubt counts as pasted.
"""

import re
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
    SOURCE,
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

MAX_ABOUT_TEXT = 240
"""Characters of a first paragraph that is about the text below it."""

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
    if parts is None:
        yield from _shown_text(message, lines)
    yield from _conversations(lines)
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


def _shown_text(message: str, lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield the span of a text that is to be looked at, answered or rewritten, and not to be followed.

    The opening says so, in its line or above ("explain this text: …"), or else the last words ("is this relevant?").
    """
    texts = [line.text for line in lines]
    filled = [number for number, text in enumerate(texts) if text.strip()]
    for number in filled[:MAX_OPENING_LINES]:
        found = (*_SHOWS.finditer(texts[number]), *filter(_names_source, _INLINE_LABEL.finditer(texts[number])))
        shows = next((match for match in found if not (_TO_OBEY.search(match[0]) or _OF_CODE.search(match[0]))), None)
        if shows is None:
            continue
        has_text = bool(texts[number][shows.end() :].strip())
        if not has_text and (number == filled[-1] or message[lines[number].end :].lstrip().startswith(FENCES)):
            return
        last = _last_text_line(texts, filled, number - has_text)
        if last is not None:
            yield lines[number].start + shows.end(), lines[last].end
        return
    if filled:
        yield from _text_beside_words_about_it(lines, filled)


def _names_source(match: re.Match[str]) -> bool:
    """Whether the label of a text in its line says where the text is from."""
    label = match["label"]
    is_own = PERSONAL.search(label) is not None or _SPOKEN.search(label) is not None
    has_source = _OBTAINED.search(label) is not None or ORIGIN.search(label) is not None
    return has_source and not (is_own or _LINKED.match(label) or _adopts(label))


def _text_beside_words_about_it(lines: Sequence[Line], filled: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the span of a text that the first paragraph is about ("what does she mean?"), or the last one."""
    texts = [line.text for line in lines]
    first = next((number for number in range(filled[0], len(texts)) if not texts[number].strip()), len(texts))
    opening = " ".join(text.strip() for text in texts[filled[0] : first])
    is_short = len(opening) <= MAX_ABOUT_TEXT and first < filled[-1]
    if is_short and _is_about_text(opening, "\n".join(texts[first:])):
        last = _last_text_line(texts, filled, first)
        if last is not None:
            yield lines[first].start, lines[last].end
        return
    closing = _closing_of(texts, filled, -1, needs_voice=False)
    if closing is not None:
        words = " ".join(text.strip() for text in texts[closing:])
        if _is_about_text(words, "\n".join(texts[:closing])) or _POINTS_UP.search(words):
            yield lines[0].start, lines[closing - 1].end


def _last_text_line(texts: Sequence[str], filled: Sequence[int], opening: int) -> int | None:
    """Return the last line of a text above the user's last words; None if these adopt it."""
    closing = _closing_of(texts, filled, opening, needs_voice=True)
    if closing is None or not any(opening < number < closing for number in filled):
        return filled[-1]
    return None if _ADOPTS_ABOVE.search(" ".join(texts[closing:])) else closing - 1


def _is_about_text(words: str, text: str) -> bool:
    """Whether a paragraph is about a text that it does not tell to follow, and that is not in the user's voice."""
    if _TO_OBEY.search(words) or _LASTS.search(words):
        return False
    asks = _asks(words) and not (PERSONAL.search(text) or _REMINDS.search(text))
    return _ABOUT_TEXT.search(words) is not None or (asks and _POINTS_AT_TEXT.search(words) is not None)


def _conversations(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield the lines of at least two people that speak in turn."""
    spoken = [(line, match[1].casefold()) for line in lines if (match := _TURN.match(line.text))]
    names = [name for _, name in spoken if _is_name(name)]
    if len(names) == len(spoken) > len(set(names)) > 1:
        yield spoken[0][0].start, spoken[-1][0].end


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
    above = [lines[at] for at in filled if opening < at < first]
    if above and _HEADING.match(above[-1]):
        return None
    is_apart = is_apart and sum(map(len, paragraph)) <= MAX_CLOSING and bool(above)
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


_HEADING = lazy_regex(r"\s*#{1,6}\s")
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
    r"(?i)\W{0,3}(?:(?:ok(?:ay)?|so|now|and|also|but|then|perfect|great|thanks|first|next|und|jetzt|y|ahora|et|e"
    r"|agora"
    r"|и|теперь)[\s,!]{1,3}){0,2}(?:follow|use|make|keep|add|write|create|put|remember|note|stick|obey|respect|apply"
    r"|change|do|don['’]?t|ensure|consider|implement|fix|build|check|explore|analy[sz]e|describe|design|develop"
    r"|prepare|generate|convert|run|test|improve|include|explain|outline|update"
    r"|replace|remove|rename|refactor|set|start|only|let['’]?s?|lets|give|tell|show|look|find|try|go|take|work|stop"
    r"|avoid|never|always|to (?:answer|fix|clarify)|answering|here(?:['’]s| is| are) what|follow|beachte|halte?"
    r"|nutze?"
    r"|verwende|mach|merk|sigue|usa|haz|recuerda|ten en|siga|use|faça|lembre|suis|utilise|respecte|fais|segui"
    r"|usa|ricorda"
    r"|volg|gebruik|onthoud|adicion[ea]|agrega|corrige|sposta|ajoute|füge|ojo|соблюдай|используй|запомни|сделай)\b"
    r"|[请帮把]|按照|遵守|记住|注意|修改|覚えて|守って"
)
"""The beginning of an opening that tells the agent what to do with the text below."""

_WILL = lazy_regex(
    r"(?i)\b(?:(?:i|we)(?:['’](?:d|ll)| would| really| still| also| always| now| just){0,2} (?:want|need|prefer"
    r"|like|expect|wish"
    r"|insist|decided|agreed|use|have (?:to|the following|these|some|a few|\w+ (?:rules?|requests?|concerns?"
    r"|wishes)))"
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
    r"|graag|moet(?:en)?|altijd|nooit|хочу|нужно|надо|должн\w+|всегда|никогда|пожалуйста)\b|我要|我想|我希望"
    r"|我们?需要"
    r"|需要|必须|应该|你|请|以后|今后|ほしい|してください|お願い|必ず|常に|لطفا|می‌?خواهم|میخوام|باید|همیشه"
)
"""Words of somebody who states what is to be."""

_LIST_NOUN = (
    r"(?:rules?|requirements?|conventions?|preferences?|constraints?|guidelines?|notes?|reminders?|standards?|style"
    r"|workflow|important|(?:things?|points?|issues?|concerns?|remarks?|requests?|changes?|questions?|problems?|bugs?"
    r"|tasks?|todos?|steps?|tweaks?|fixes)(?! from\b)|regeln?|vorgaben|wünsche|punkte|hinweise|wichtig|aufgaben"
    r"|konventionen|richtlinien|afspraken|normas|соглашения|reglas?|requisitos|convenciones|puntos?|cosas|notas?|importante|tareas|regras?|convenções|pontos?|coisas|tarefas"
    r"|règles?"
    r"|consignes|conventions|points?|choses|regol[ea]|requisiti|convenzioni|punti|cose|regels|eisen|punten|правила?"
    r"|требования|замечани[яй]|важно|задачи)"
)
_OWN_LIST = lazy_regex(
    rf"(?i)(?<!\w){_LIST_NOUN}(?: (?:for|in|on|of|about|für|im|para|de|del|do|pour|du|per|del|voor"
    rf"|для) [^,()]{{1,40}})?$"
    r"|(?:规则|要求|约定|规范|注意事项|需求|问题|几点|ルール|規則|要件|注意点|お願い)"
    r"(?:は(?:以下|次)の(?:通り|とおり)(?:です)?|如下)?$"
)
"""The end of the heading of one's own list."""

_SOURCE = lazy_regex(
    r"(?i)[@/\\]|\b(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun|mon|diens|donners|frei|sams|sonn)(?:day|tag)\b|\b(?:bob|old|previous|former|someone|somebody|reported"
    r"|copied"
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
    r"(?i)^(?!.*\bthis$)\W{0,3}(?:(?:ok(?:ay)?|so|now|also|and|but|then|jetzt|noch|ahora|además|bueno|agora|então"
    r"|maintenant|alors"
    r"|bon|ora|allora|nu|теперь|ещё)\b|(?:very )?important|wichtig|importante|важно|(?:the |some "
    r"|(?:a )?few )?things?\b)"
    r"|\b(?:i|we|i['’]m|we['’]re|ich|wir|yo|nosotros|eu|nós|je|nous|io|noi|ik|wij|я|мы)\b"
)
"""Words of somebody who speaks for himself."""

_OBTAINED = lazy_regex(
    r"(?i)\b(?:get|got|gets|getting|found|copied|pasted|quoted|re-?read|read|saw|see|received|asked|downloaded"
    r"|exported|took|ran"
    r"|run|tried|noticed|dug|sent|gave|wrote|writes|said|says|told|posted|was|were|bekommen|gefunden|kopiert|gelesen"
    r"|gesehen|erhalten|geschickt|schreibt|schrieb|sagt|sagte|encontr\w+|copi\w+|leí|leído|recib\w+|pas(?:ó|aron|ou"
    r"|aram)"
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

_TURN = lazy_regex(r"[-*•]? ?[@<]?([^\W\d_]{2,15})>?\s?[:：]\s\S")

_LOOKS = (
    r"(?:(?:have|take) a (?:quick )?look at|look at|check(?: out)?|see|read(?: through)?|explain|summari[sz]e"
    r"|translate|proof-?read|rephrase|rewrite|reword|paraphrase|shorten|simplify|polish|correct|format|answer|reply to"
    r"|respond to|analy[sz]e|interpret|review|understand|copy|paste|convert|implement|comment on)"
)
_LOOKS_ELSEWHERE = (
    r"(?:(?:schau|guck|lies|sieh)(?:t|en)? (?:dir |euch )?(?:mal )?(?:das|dies\w*)"
    r"|(?:erkläre?|übersetze?|fasse?|beantworte?|prüfe?|formuliere?) (?:mir |bitte |mal ){0,2}(?:das|dies\w*"
    r"|folgend\w+|den text|die mail)|(?:mira|lee|revisa|explica(?:me)?|resume|traduce|contesta|responde a?) (?:esto"
    r"|este|esta|el siguiente|lo siguiente)|(?:regarde|lis|explique(?:-moi)?|résume|traduis|réponds à|relis) (?:ça"
    r"|ceci|cela|ce|cet|cette|le suivant)|(?:olha|olhe|veja|leia|lê|explica|explique|resume|resuma|traduz|traduza"
    r"|responde|responda) (?:a )?(?:isso|isto|este|esta|esse|essa|o seguinte)|(?:guarda|leggi|spiega(?:mi)?|riassumi"
    r"|traduci|rispondi a) (?:questo|questa|quest['’]\w+|il seguente)|(?:kijk|lees|leg|vat|vertaal|beantwoord) (?:eens"
    r" |even ){0,2}(?:naar |hier)?(?:dit|deze|dat|naar)|(?:посмотри|прочитай|объясни|переведи|перескажи|ответь) (?:мне"
    r" )?(?:на )?(?:это\w*|эт[иу]|следующ\w+|вот (?:это|что)))"
)
_FOUND_ELSEWHERE = (
    r"(?:(?:ich )?(?:hab(?:e)?|haben) (?:das|dies\w*|folgendes) (?:(?:hier )?(?:auf|im|in|aus|bei|von) \S+"
    r" )?(?:gefunden|gelesen|bekommen)|(?:so |das )?steht (?:das )?(?:im|in (?:der|den|unserem|unserer)) \S+"
    r"|(?:encontré|leí|recibí|vi|me llegó) (?:esto|este|esta)|(?:esto|lo que) (?:dice|pone|es lo que)|(?:j['’]ai"
    r" (?:trouvé|lu|reçu|vu)|on m['’]a envoyé) (?:ça|ceci|cela|ce)|voi(?:là|ci) ce que (?:dit|disent|écrit)|(?:achei"
    r"|encontrei|li|recebi|vi) (?:isso|isto|este|esta|esse|essa)|(?:isso|é o que) (?:é o que )?(?:diz|está)|(?:ho"
    r" (?:trovato|letto|ricevuto|visto)) (?:questo|questa)|(?:ecco cosa dice|questo è quello che dice)|(?:dit|deze)"
    r" (?:vond|las|kreeg) ik|(?:ik )?(?:vond|las|kreeg) (?:dit|deze)|dit staat (?:in|op)|(?:я )?(?:нашёл|нашел|нашла"
    r"|прочитала?|получила?) (?:это|вот)|вот что (?:пишут|написано|пишет|сказано))"
)
_SHOWS = lazy_regex(
    r"(?i)(?:^\W{0,3}|(?<=[.!?] ))(?:(?:hey|hi|fyi|ok(?:ay)?|so|and|now|also|please|pls|(?:can|could|would) (?:you|u)"
    r"|help me(?: to)?|i need to)[\s,]{1,3}){0,4}(?:"
    rf"{_LOOKS}(?: (?:to )?me)? (?:this|that|the following|(?:this|these|the) (?:\w+ ){{0,2}}?(?:text|mail|e-?mail"
    r"|message|comment|paragraph|sentence|quote|error|log|ticket|issue|post|article|answer|snippet|section|spec))(?:"
    r" (?:into|to|in|for|from) [^:：?？\n]{1,40})?|(?:i |we )?(?:just |also )?(?:found|saw|read|got|received|copied"
    r"|came across|stumbled (?:up)?on) (?:this|the following)(?: (?!errors?\b|warnings?\b|exceptions?\b|output\b"
    r"|results?\b|log\b)\w+){0,2}(?: (?:in|on|at|from|via|by) [^:：?？\n]{1,40})?|(?:this|here|that)(?: is|['’]s)"
    r" (?:what|how) [^:：?？\n]{1,40}? (?:says?|said|states?|wrote|writes?|put it|recommends?|suggests?|answered"
    r"|replied)|here(?: is|['’]s) (?:the|a|an|another|their|his|her) (?:\w+ ){0,2}?(?:ticket|issue|mail|e-?mail"
    r"|message|comment|review|feedback|article|post|answer|quote|excerpt|text)(?: (?:from|by|of)"
    r" [^:：?？\n]{1,40})?|(?:(?:pr|mr|code|peer|github|gitlab|customer|client|user|qa|bot|new|another|last)"
    r" ){0,2}(?:review|reviewer|pr|github|gitlab|customer|client|user|qa|bot|copilot|sonar\w*|lint\w*) (?:comment"
    r"|feedback|remark|suggestion|request|complaint|message|mail|e-?mail|ticket|review)s?(?: (?:on|about|for|from|of"
    r"|in) [^:：?？\n]{1,40})?|does this make sense|what does this mean"
    rf"|{_LOOKS_ELSEWHERE}(?: [^\W\d_]\S*){{0,5}}?|{_FOUND_ELSEWHERE}(?: [^\W\d_]\S*){{0,5}}?"
    r")\s?(?:[:：?？](?:\s|$)|$)|^(?:ちょっと)?(?:これ|この[^\s、。:：]{1,10}?|次の[^\s、。:：]{1,10}?|以下)(?:を"
    r"|の意味を)(?:見て|読んで|説明して|要約して|翻訳して|訳して|レビューして"
    r"|確認して)[^:：。\n]{0,8}[:：。]?|^[^:：。\n]{1,24}(?:に(?:書いてあった|書いてある|載っていた)|で見つけた"
    r"|から(?:もらった|届いた|来た))[^:：。\n]{0,12}[:：]|^(?:请|帮我|麻烦|你){0,2}(?:帮忙)?(?:看看|看一下|看下|读一下"
    r"|解释一下|解释|翻译一下|翻译|总结一下|总结|概括|回复)(?:这|下面|以下)[^:：。\n]{0,12}[:：。]?|^我?(?:在"
    r"|从)[^:：。\n]{1,20}(?:看到|找到|收到|复制|读到)[^:：。\n]{0,10}[:：]|^[^:：。\n]{1,12}(?:写着|写道|说的是)[:：]"
)
"""An opening that hands over a text to be read, explained, answered or rewritten."""

_OF_CODE = lazy_regex(
    r"(?i)\b(?:errors?|logs?|issues?|snippets?|check(?: out)?|review|see|read|implement|correct|format|analy[sz]e)\b"
    r"[^:：?？]*$"
)
"""A request without a colon that is rather about code than about a text below it: "check this error"."""

_INLINE_LABEL = lazy_regex(r"(?:^\W{0,3}|(?<=[.!?] ))(?P<label>[^:：.!?\n]{3,80})[:：]\s(?=\S)")

_TO_OBEY = lazy_regex(
    r"(?i)\b(?:rules?|conventions?|preferences?|instructions?|carefully|again|remember|regel\w*"
    r"|reglas?|règles?|regras?|regole)\b"
)
"""Words of an opening whose text is to be followed."""

_TEXT_NOUN = (
    r"(?:comments?|remarks?|reviews?|feedback|mails?|e-?mails?|messages?|tickets?|answers?|repl(?:y|ies)"
    r"|responses?|suggestions?|posts?|articles?|transcripts?|minutes|excerpts?|quotes?|paragraphs?|page|section"
    r"|snippets?|opinion|take|findings?)"
)
_ABOUT_TEXT = lazy_regex(
    r"(?i)\b(?:what|which \w+|who|why)\b[^?\n]{0,40}\b(?:mean(?:s|t|ing)?|talking about|refer(?:s|ring)? to|trying to"
    r" say)\b|\b(?:reasoning|rationale|idea|point) (?:behind|of) (?:it|this|that)\b|\b(?:turn|convert|transform"
    r"|condense|boil|make) (?:this|that|it|these)(?: down)? (?:in)?to\b|^\W*convert (?:in)?to\b|^\W*(?:(?:pls|please"
    r"|can (?:you|u)|ok)\s){0,2}(?:summari[sz]e|tl;?dr|translate|proof-?read|eli5|explain)(?: (?:this|that|it|pls"
    r"|please))?\W*$|\b(?:action items|key points|main points|the gist)\b|\b(?:pasting|pasted|copied|forwarded|fwd"
    r"|quoting)\b"
    rf"|\b(?!(?:let|it|that|what|here|there|today|who|he|she)['’]s)\w+['’]s (?:\w+ )?{_TEXT_NOUN}\b"
    rf"|\b(?<!my )(?:notes|{_TEXT_NOUN}) (?:from|of|by|under|about) (?:yesterday['’]?s?|today['’]?s?|last|the|our|a"
    rf"|an|my|\w+['’]s)\b"
    rf"|\b(?:got|received|found|read|saw) (?:this|these|(?:a|an|the|two|three|\d) (?:\w+ )?{_TEXT_NOUN})\b"
    rf"|\bhere(?: is|['’]s|s) (?:the|a|an|our|their|his|her) (?:\w+ ){{0,3}}{_TEXT_NOUN}\b"
    r"|\b(?:has|have|contains?) this (?:part|section|rule|line|sentence|paragraph)\b|\bwith (?:regard|respect) to"
    r" this\b|\b(?:ends? with|says|reads|prints|states)\W*$|\bfor comparison\b|\bcompare (?:this|it|that) (?:with"
    r"|to)\b|\bwho(?:['’]s| is) right\b|\b(?:is|was) (?:this|that|it) (?:still )?(?:true|accurate|bullshit|legit)\b"
    r"|\b(?:meint|meinen|meinte)\b[^?\n]{0,30}\bdamit\b|\bwas (?:soll|heißt|bedeutet) das\b|\bstimmt das\b|\bsteht"
    r" (?:so|das|hier)? ?(?:im|in|auf)\b|\b(?:fass|übersetz|erklär|formulier)\w* (?:mir |bitte |mal ){0,2}(?:das"
    r"|dies\w*)\b|^\W*(?:zusammenfassen|übersetzen)\W*$|\b(?:antwort|kommentar|mail|nachricht|feedback|rückmeldung"
    r"|protokoll|auszug|ticket) (?:von|vom|aus|zu[mr]?)\b|\b(?:qué (?:quiere decir|significa)|es (?:verdad|cierto)"
    r"|resume(?:lo)?|traduce(?:lo)?|explícame|pásalo|conviértelo)\b|\b(?:respuesta|comentarios?|correo|mensaje|notas"
    r"|acta|encontré|me (?:llegó|mandaron|escribieron|pasaron)) (?:de|del|en|por|esto|este)\b|\b(?:qu['’]est-ce"
    r" qu['’](?:il|elle)|que veut dire|ça veut dire quoi|c['’]est vrai|de (?:quel\w*|quoi|qui)[^?\n]{0,30}(?:il"
    r"|elle)s? parle\w*|résume|traduis|explique(?:-moi)?)\b|\bj['’]ai reçu\b|\b(?:réponse|commentaires?|mail|message"
    r"|remarques?|retour|compte[- ]rendu) (?:de|du|des|sur)\b|\bon m['’]a (?:écrit|envoyé|répondu)\b|\b(?:o que (?:ele"
    r"|ela|isso) quer dizer|o que significa|é verdade|procede|resum[ea]|traduz\w*|achei ess[ea])\b|\b(?:resposta"
    r"|comentários?|e-?mail|mensagem|recado|ata|feedback) (?:d[aeo]s?)\b|\b(?:isso|isto) (?:tá|está|consta|vem)"
    r" (?:n[ao]|d[ao])\b|\b(?:cosa (?:vuol dire|intende|significa)|è vero|riassumi|traduci|ho (?:ricevuto|trovato)|mi"
    r" (?:hanno|ha) (?:scritto|mandato))\b|\b(?:risposta|commento|mail|messaggio|verbale|appunti|feedback) (?:di|del"
    r"|dal|della|da)\b|\bsalvalo (?:in|come)\b|\b(?:wat (?:bedoelt|betekent)|klopt (?:dit|dat)|vat (?:dit|dat) samen"
    r"|vertaal (?:dit|dat))\b|\b(?:antwoord|reactie|opmerking|mail|bericht|notulen|feedback) (?:van|uit|op)\b|\b(?:что"
    r" (?:он|она|они|это) (?:имеет|имела?|значит|имеют)|это правда|объясни разницу|прилетело|прислал[аи]?|переведи"
    r"|перескажи|кусок (?:статьи|текста)|(?:ответ|комментарий|письмо|отзыв|сообщение|статья|статьи) (?:от|из|с"
    r"|на))(?!\w)|(?:コメント|レビュー|メール|記事|メッセージ|指摘|要望|回答)(?:の意味|です|が(?:来|届)|を(?:もらっ"
    r"|要約|翻訳|訳))|これ(?:は)?本当|どういう意味|要約して|翻訳して|からの(?:要望|メール|連絡|コメント)|什么意思"
    r"|(?:这|下面|以下)(?:是|段|条|封).{0,12}(?:评论|邮件|回复|文章|文档|意见|消息|反馈)|(?:翻译|总结|解释)一下"
    r"|是真的吗|他说的是|她说的是"
)
"""Words of a paragraph that is about a text of somebody else: what it means, where it is from, what to make of it."""

_POINTS_AT_TEXT = lazy_regex(
    r"(?i)\b(?:this|that|it|here|below|above|she|he|das|dies|hier|er|sie|esto|eso|aquí|él|ella|ça|ceci|cela|ici|il"
    r"|elle|isso|isto|aqui|ele|ela|questo|qui|lui|lei|dit|dat|hij|zij|это|тут|он|она|они)(?=\s*(?:[.,:;?!)(]|$|\s(?:in"
    r"|on|from|to|for|and|or|mean|supposed|right|true|about|with|is|does|do|im|aus|für|de|en|para|du|dans|no|na|per"
    r"|van|из|в|на|он|significa|quer)\b))"
    rf"|(?<!\w)(?:{SOURCE}|{_TEXT_NOUN})(?!\w)|これ|ここ|この|这|下面|以下|上面"
)
"""A pronoun that points at a text, or the name of one and of its author."""

_REMINDS = lazy_regex(
    r"(?i)\b(?:don['’]?t forget|remember|as (?:we|i) (?:discussed|said|agreed)|we (?:discussed|agreed|decided))\b"
)

_LASTS = lazy_regex(
    r"(?i)\b(?:always|never|from now on|going forward|in (?:the )?future|every time|immer|nie(?:mals)?|ab jetzt"
    r"|künftig|siempre|nunca|jamás|de ahora en adelante|a partir de ahora|toujours|jamais|plus jamais|désormais"
    r"|dorénavant|à l['’]avenir|sempre|mai|d['’]ora in (?:poi|avanti)|a partir de agora|daqui (?:em|pra) (?:diante"
    r"|frente)|altijd|nooit|voortaan|vanaf nu|всегда|никогда|отныне|впредь|теперь)\b|必ず|絶対|今後|二度と|以后|今后"
    r"|总是|永远|必须|一律"
)
"""Words of a paragraph by which it states something that lasts."""

_POINTS_UP = lazy_regex(
    r"(?i)^\W{0,3}(?:(?:hey|ok(?:ay)?|so|and|now|also|please|pls|(?:can|could|would) (?:you"
    r"|u))[\s,]{1,3}){0,3}(?:(?:is|are|was|were) (?:this|that|these|any of (?:this|that|it)) (?:\w+ ){0,2}?(?:relevant"
    r"|applicable|true|useful|valid|important|outdated|up to date|a good idea|good advice)\b[^?？\n]{0,60}[?？]"
    r"|(?:does|do) (?:this|that|these|any of (?:this|that|it)) (?:\w+ ){0,2}?(?:apply|matter|concern|affect"
    r"|hold)\b[^?？\n]{0,60}[?？]|what do you (?:think|make) (?:of|about) (?:this|that|it)\b|(?:any )?thoughts(?: on"
    r" (?:this|that|it))?[?？]|(?:should|do) we (?:do|follow|adopt|care about|worry about|need) (?:this|that|any of"
    r" (?:this|that|it))\b[^?？\n]{0,40}[?？]"
    rf"|{_LOOKS} (?:this|that|it|the above|the (?:\w+ )?(?:text|mail|e-?mail|message|comment|article))(?: (?:to"
    rf"|into|for|in)"
    r" [^\n]{1,40})?[.!?]?$|what does (?:this|that|it) mean\b)|^\W{0,2}(?:\^+|↑+)|^\W{0,3}(?:this|that|the (?:above"
    r"|text above)|these|those) (?:is|was|are|were|comes?|came|stands?|says?) (?:\w+ )?(?:from|in|what|on|by)\b"
    r"|^\W{0,3}(?:(?:ist|gilt|sind|betrifft) (?:das|dies) [^?\n]{0,40}(?:relevant|für uns|uns|richtig|sinnvoll|wichtig"
    r"|aktuell)[^?\n]{0,20}\?|was (?:hältst|haltet|denkst|meinst) (?:du|ihr)\b|das (?:ist|steht|stammt|kommt) (?:aus"
    r"|im|in|von)\b|qué (?:opinas|te parece|significa esto)|(?:¿)?(?:esto|eso) (?:es|nos|aplica)[^?\n]{0,40}\?|(?:esto"
    r"|eso) (?:es|viene|está|sale) (?:de|del|en)\b|qu['’](?:en penses-tu|est-ce que tu en penses)|tu en penses quoi"
    r"|(?:est-ce que )?(?:c['’]est|ça) [^?\n]{0,40}(?:pertinent|vrai|nous concerne|s['’]applique)[^?\n]{0,20}\?|(?:ça"
    r"|c['’]est|cela) (?:vient|provient|tiré|est) (?:de|du|dans)\b|o que (?:você )?(?:acha|achas|achou|significa isso)"
    r"|(?:isso|isto) (?:vale|se aplica|é relevante|é verdade)[^?\n]{0,40}\?|(?:isso|isto) (?:é|veio|está) (?:d[aeo]"
    r"|n[ao])\b|(?:che|cosa) ne pensi|(?:è|vale|si applica) [^?\n]{0,30}(?:rilevante|per noi|vero|a"
    r" noi)[^?\n]{0,20}\?|(?:questo|questa) (?:è|viene) (?:d[ai]|dal|nel)\b|wat vind je (?:hiervan|ervan|van)|(?:is"
    r"|geldt) (?:dit|dat) [^?\n]{0,40}\?|(?:dit|dat) (?:komt|staat|is) (?:uit|in|van)\b|(?:что|как) (?:ты )?(?:думаешь"
    r"|скажешь|думаете|тебе)|(?:это|нас это) (?:актуально|касается|относится|верно|правда)[^?\n]{0,30}\?|это (?:из|с"
    r"|от)\b)|^(?:これ|この|上).{0,24}(?:関係|必要|本当|正しい|当てはまる|どう思う|どう思います|意味).{0,8}[？?か]"
    r"|^どう思(?:う|います)|^(?:これ|上)は.{1,16}(?:から|の抜粋|の引用|に書いて)|(?:你觉得|你怎么看|怎么看|什么意思"
    r"|跟我们有关|适用吗|有关系吗|对吗|有道理吗)|^(?:这|以上|上面).{0,6}(?:是|来自|摘自).{0,12}(?:里|上|的|中)"
)
"""Last words that are about the text above them, and not in its favour."""

_ADOPTS_ABOVE = lazy_regex(
    r"(?i)(?<!don['’]t )(?<!do not )(?<!not to )(?<!never )\b(?:follow|stick to|obey|apply|remember|respect"
    r"|adopt|keep to|comply with"
    r"|go by|do|fix|implement) (?:all )?(?:of )?(?:these|those|them|this|that|the (?:above|rules?|conventions"
    r"|guidelines))\b(?!.{0,80}[?？]$)|\b(?:halte? dich (?:bitte )?(?:an|daran)|beachte (?:das|die)|merk dir"
    r"|gilt (?:auch )?(?:hier|bei uns|für"
    r" uns)|s[ií]gue(?:l[ao]s)?|respeta|aplica(?:l[ao]s)?|cumple|suis|respecte|applique|siga|aplique|respeite|segui"
    r"|rispetta|applica|volg|onthoud|соблюдай|следуй|запомни)\b|(?:遵守|照做|记住|照着)|按(?:照?这|以上)|守って"
    r"|従って|覚えて"
)
"""Last words that make the text above them the user's own."""

_DISOWNS = lazy_regex(
    r"(?i)\b(?:(?:not|nothing) (?:for|of|to do with) us|nobody (?:has )?decided|no decision|ignore (?:it|that"
    r"|this|the|them"
    r"|those)|not our|(?:doesn['’]?t|does not|don['’]?t|do not) (?:apply|concern|affect)|gilt (?:hier |für uns "
    r"|bei uns )?"
    r"nicht|nicht für uns|betrifft uns nicht|no es para nosotros|no nos (?:afecta|aplica)|não é (?:para"
    r"|com) (?:a gente"
    r"|nós)|pas pour nous|ne nous concerne pas|non (?:è per noi|ci riguarda)|niet voor ons|не для нас"
    r"|нас не касается)\b"
    r"|先不管|不用管|与我们无关|跟我们没关系|不关我们|関係(?:ない|ありません)|対応不要"
)
"""Last words by which the text above them is not for the agent."""
