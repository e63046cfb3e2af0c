"""Text below a user's request that comes from elsewhere: a document, a sender, a program. Pure.

No sign alone decides. Points count for a line above that names a document or a sender ("Nominatim usage policy"), for
marks that only documents, transcripts and programs make, for a request that hands the text over ("bob left this"), and
for another register than the request's. A heading of the user's own list ("rules:", "my preferences:") names no source.
Doubt counts as pasted: the words still make an agent's note. Names of texts are in `document_words.txt`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Self

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.common_words import TOOL_NAMES, plain_words
from sidecar.language.english_translation import is_english, language_of
from sidecar.language.statement_openings import TASK, is_own_voice

MIN_POINTS = 6
"""Points from which text is pasted."""

OF_DOCUMENT, OF_CARRIER = 3, 2
"""Points of a heading with a word for a document, which has an author, or for a text that may be a topic: "page"."""

OF_ORIGIN, OF_OWNER, OF_NAME, OF_MODIFIER = 3, 2, 2, 1
"""Points of a heading for where a text is from, whose it is, a name, and any other word beside its kind."""

OF_POSITION, OF_TITLE, OF_LOCATOR = 1, 2, 2
"""Points of an empty line above, of a title above sentences, and of a place in a document: "section 3"."""

OF_MARK, OF_INDENT = 5, 1
"""Points of marks that only documents, transcripts and programs make, and of indented text below a heading."""

OF_HANDED_OVER = 3
"""Points of a request that hands over the text below it, or is about somebody else's: "bob left this on my PR"."""

OF_REGISTER, OF_WRAPPING, OF_LANGUAGE, OF_IMPERSONAL, OF_DUTY = 3, 2, 2, 2, 1
"""Points of neater sentences than the request's, broken lines, another language, nobody's voice, and duties."""

OWN_REQUEST, OWN_LIST, OWN_PERSON, OWN_IMPERATIVES = -4, -3, -4, -1
"""Points of a heading that asks for something or begins one's own list, of the first person, and of imperatives."""

MAX_HEADING_WORDS, MAX_TITLE_WORDS, MAX_HEADING = 12, 6, 100
"""Words of a heading and of a title, and characters of a heading without a colon."""

MAX_RETURN_LINES = 4
"""Lines of a paragraph below pasted text that still is the user's."""

MAX_REQUEST, MAX_EVIDENCE = 400, 2_000
"""Characters of the request, and of the text below it, that are judged."""


class Line(NamedTuple):
    """A line of a text with its offsets."""

    start: int
    end: int
    text: str


class _Heading(NamedTuple):
    """A line that is not a sentence, or the label before a colon, and what follows it in the line."""

    label: str
    inline: str
    has_colon: bool


class _Message(NamedTuple):
    """The lines of a message as they are and with known pastes blanked; none of its own lines is before `first`."""

    own: str
    originals: Sequence[str]
    lines: Sequence[Line]
    first: int
    end: int
    """Number of the line from which each paragraph turns to the agent."""


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a text."""
    position = 0
    for line in text.split("\n"):
        yield Line(position, position + len(line), line)
        position += len(line) + 1


def pasted_blocks(message: str, own: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of pasted text; `own` is the message in which known pastes are blanked."""
    lines = list(lines_of(own))
    first = next((number for number, line in enumerate(lines) if line.text.strip()), len(lines))
    text = _Message(own, message.split("\n"), lines, first, _end_of_pasted(lines))
    at = first
    while at < len(lines):
        end = _end_of_block(text, at) if lines[at].text.strip() else at
        if end > at:
            yield lines[at].start, lines[end - 1].end
        at = max(end, at + 1)
    yield from _lines_below_paste(text)


def _end_of_pasted(lines: Sequence[Line]) -> int:
    """Return the number of the line from which each paragraph turns to the agent."""
    end = begin = len(lines)
    while begin > 0:
        begin -= 1
        if not lines[begin].text.strip():
            continue
        last = begin + 1
        while begin > 0 and lines[begin - 1].text.strip():
            begin -= 1
        if not turns_to_agent(lines[begin:last]):
            return last
        end = begin
    return end


def turns_to_agent(paragraph: Sequence[Line]) -> bool:
    """Whether a short paragraph begins with a request, a question or words in the first person."""
    text = paragraph[0].text.strip()
    if len(paragraph) > MAX_RETURN_LINES or LIST_MARK.match(text):
        return False
    is_task = TASK.match(text) is not None and not text[0].isupper()
    return is_task or RETURN.match(text) is not None or text.endswith(("?", "？"))


def _end_of_block(text: _Message, at: int) -> int:
    """Return the number of the line after the pasted text that begins at a line; that line's if none begins there."""
    begins = at > text.first and not text.originals[at - 1].strip()
    heading = _heading_of(text.lines[at].text)
    if heading is not None and not begins and (at == text.first if heading.inline else not heading.has_colon):
        heading = None  # a sentence of the user's, or a line inside a paragraph
    named = _points_of_heading(heading) if heading is not None else 0
    body = at if heading is not None and heading.inline else _line_below(text, at)
    if body is None or (named == OF_CARRIER + OF_MODIFIER and LIST_MARK.match(text.lines[body].text)):
        named = 0  # "Testing guidelines" above the user's own list
    if not named and not begins:
        return at
    body = body if named and body is not None else at
    end = _paragraph_end(text, body)
    evidence = "\n".join(line.text for line in text.lines[body:end])
    if named and heading is not None and heading.inline:
        evidence = heading.inline + evidence[len(text.lines[at].text) :]
    evidence = evidence[:MAX_EVIDENCE]
    is_printed = not named and _PRINTED.search(evidence) is not None
    is_titled = not named and _is_title(text.lines[at : at + 2])
    points = named + _points_of_title(text, at, heading, is_named=named > 0, is_titled=is_titled)
    points += OF_MARK * (is_printed or _MARKS.search(evidence) is not None) + OF_POSITION * begins
    points += _points_of_voice(evidence, is_marked=points >= OF_MARK)
    points += _points_of_register(evidence, _request_above(text, at), is_headed=is_titled or body != at)
    points += OF_HANDED_OVER * (begins and _hands_over(text, at))
    if points < MIN_POINTS:
        return at
    return end if is_printed else max(end, text.end)


def _hands_over(text: _Message, at: int) -> bool:
    """Whether the two sentences above a paragraph hand over a text, or are about one that somebody else wrote."""
    above = text.own[max(0, text.lines[at].start - MAX_REQUEST) : text.lines[at].start].rstrip()
    paragraph = above[above.rfind("\n\n") + 1 :].strip()
    sentences = [part for part in _SENTENCE_END.split(paragraph) if part.strip()]
    return any(_HANDS_OVER.search(sentence) for sentence in sentences[-2:])


def _request_above(text: _Message, at: int) -> str:
    """Return the beginning of the user's own words above a line."""
    start = text.lines[text.first].start
    return text.own[start : min(text.lines[at].start, start + MAX_REQUEST)]


def _paragraph_end(text: _Message, at: int) -> int:
    """Return the number of the line after the paragraph of a line."""
    return next(
        (number for number in range(at, len(text.lines)) if not text.originals[number].strip()), len(text.lines)
    )


def _line_below(text: _Message, at: int) -> int | None:
    """Return the number of the line below a heading; None if there is none, or a paste that ends by itself."""
    below = next((number for number in range(at + 1, len(text.lines)) if text.originals[number].strip()), None)
    if below is None or text.lines[below].text.strip():
        return below
    return None if text.originals[below].lstrip().startswith(_DELIMITERS) else below


def _heading_of(line: str) -> _Heading | None:
    """Return the heading that a line is, or has before a colon; None for a sentence and an item of a list."""
    if LIST_MARK.match(line):
        return None
    text = _HEADING_MARK.sub("", line.strip()).strip("*_ ")
    match = _LABEL.match(text)
    if match is not None:
        heading = _Heading(match["label"].strip(), text[match.end() :].strip(), has_colon=True)
    elif len(text) > MAX_HEADING or text.endswith(_SENTENCE_ENDS):
        return None
    else:
        heading = _Heading(text, "", has_colon=False)
    return heading if len(heading.label.split()) <= MAX_HEADING_WORDS else None


def _points_of_heading(heading: _Heading) -> int:
    """Return the points for naming a text and where it is from; zero if a heading names none."""
    label = heading.label
    is_task = TASK.match(label) is not None
    if not is_task and (_POINTS_AT_PASTE.search(label) or (heading.has_colon and _SENDER.fullmatch(label))):
        return OF_DOCUMENT + OF_ORIGIN
    if PERSONAL.search(label):
        return 0
    if _ADDRESS.fullmatch(label):
        return OF_DOCUMENT + OF_OWNER
    words = [word.casefold() for word in _WORD.findall(label)]
    is_document = names_document(label)
    is_carrier = any(map(_document_words()[1].has, words)) or _CARRIER_NAME.search(label) is not None
    if not (is_document or is_carrier) or _PATH.fullmatch(label):
        return 0
    if not heading.has_colon and (_VERB.search(label) or is_own_voice(label)):
        return 0
    origin = _points_of_origin(label, is_document=is_document)
    others = any(word not in plain_words() and not _names_text(word) for word in words)
    name = _has_name(heading, is_document=is_document)
    source = origin + (OF_NAME if name else OF_MODIFIER * (others and not heading.has_colon))
    if not source:
        return 0
    is_own = origin < OF_ORIGIN and _OWN_LIST.search(label) is not None
    is_request = is_task or _REQUEST.match(label) is not None or (origin < OF_ORIGIN and is_own_voice(label))
    kind = OF_DOCUMENT if is_document else OF_CARRIER
    return max(0, kind + source + OWN_LIST * is_own + OWN_REQUEST * is_request)


def _names_text(word: str) -> bool:
    return any(words.has(word) for words in _document_words()[:2])


def names_document(label: str) -> bool:
    """Whether a label has a word for a text with an author: "handbook", "minutes"."""
    is_named = _DOCUMENT_NAME.search(label) is not None
    return is_named or any(map(_document_words()[0].has, map(str.casefold, _WORD.findall(label))))


def _points_of_origin(label: str, *, is_document: bool) -> int:
    if ORIGIN.search(label) or _PERSON.search(label):
        return OF_ORIGIN
    return OF_OWNER * (is_document and _OWNER.search(label) is not None)


def _has_name(heading: _Heading, *, is_document: bool) -> bool:
    """Whether a heading has the name of a product, an organization or a person."""
    tokens = _WORD.findall(heading.label)
    long = [token for token in tokens if len(token) > SHORT_WORD]
    is_capitalized = len(long) > 1 and all(token[0].isupper() for token in long)
    is_unspaced = UNSPACED.search(heading.label) is not None
    for number, token in enumerate(tokens):
        word = token.casefold()
        if _names_text(word) or word in _document_words()[2].whole:
            continue
        if word in TOOL_NAMES or _INNER_CAPITAL.search(token) or (token.isascii() and token.isupper() and token[1:]):
            return True
        if not (token.isascii() and token.isalpha()) or word in plain_words():
            continue
        if is_unspaced:
            return True
        is_inside = number > 0 and token[0].isupper() and not is_capitalized and language_of(heading.label) != "de"
        is_opening = is_document or (not heading.has_colon and token[0].isupper())
        if is_inside or (is_opening and not word.endswith("ing") and not is_english(word)):
            return True
    return False


def _is_title(lines: Sequence[Line]) -> bool:
    """Whether the first of two lines is a short one without a stop, and the second one ends with it."""
    title, below = lines[0].text.strip(), lines[-1].text.strip()
    if LIST_MARK.match(title) or len(title.split()) > MAX_TITLE_WORDS:
        return False
    return title[-1].isalnum() and len(below) > len(title) and below.endswith((".", "。", "!", "！"))


def _points_of_title(text: _Message, at: int, heading: _Heading | None, *, is_named: bool, is_titled: bool) -> int:
    """Return the points of a line's form: of a title, of a place in a document, and of the head of one's own list."""
    if heading is None:
        return OF_TITLE * is_titled
    is_own_list = not is_named and heading.has_colon and not heading.inline and any(text.originals[at + 1 : at + 2])
    has_locator = (is_named or is_titled) and _LOCATOR.search(heading.label) is not None
    below = text.originals[at + 1 : _paragraph_end(text, at)]
    is_indented = is_named and bool(below) and all(line.startswith(("  ", "\t")) for line in below)
    return OF_TITLE * is_titled + OF_LOCATOR * has_locator + OWN_LIST * is_own_list + OF_INDENT * is_indented


def _points_of_voice(evidence: str, *, is_marked: bool) -> int:
    """Return the points for whose voice some text has: the user's, nobody's, or that of duties."""
    sentences = _sentences_of(evidence)
    own = sum(map(is_own_voice, sentences))
    has_duty = _DUTY.search(evidence) is not None
    points = OF_DUTY * has_duty
    if PERSONAL.search(evidence):
        points += OWN_PERSON * (not is_marked)
    elif own == 0:
        points += OF_IMPERSONAL * (len(sentences) > 1 or has_duty)
    elif own == len(sentences):
        points += OWN_IMPERATIVES
    return points


def _points_of_register(evidence: str, request: str, *, is_headed: bool) -> int:
    """Return the points of some text for being neater than the request, broken into lines, or in another language."""
    manner = _manner_of(request)
    sentences = _sentences_of(evidence)
    is_comparable = is_headed or (len(sentences) > 1 and UNSPACED.search(request) is None)
    is_neater = manner.is_careless and is_comparable and _is_careful(sentences)
    is_wrapped = not manner.is_wrapped and _WRAPPED.search(evidence) is not None
    other = language_of(evidence) if manner.language else ""
    is_foreign = other not in ("", manner.language)
    return OF_REGISTER * is_neater + OF_WRAPPING * is_wrapped + OF_LANGUAGE * is_foreign


class _Manner(NamedTuple):
    """Manner in which a request is written; the language is empty if its words do not show it."""

    is_careless: bool
    is_wrapped: bool
    language: str


@lru_cache(maxsize=8)
def _manner_of(request: str) -> _Manner:
    """Return how a request is written; an empty one is in no manner that differs from a text's."""
    is_wrapped = not request.strip() or _WRAPPED.search(request) is not None
    return _Manner(_is_careless(request), is_wrapped, language_of(request))


def _sentences_of(text: str) -> list[str]:
    """Return the sentences of a text without marks of lists; broken lines are joined."""
    lines = (LIST_MARK.sub("", line.strip()) for line in _UNWRAPPED.sub(" ", text).split("\n"))
    return [part.strip() for line in lines for part in _SENTENCE_END.split(line) if part.strip()]


def _is_careless(request: str) -> bool:
    """Whether half of a request's sentences begin with a small letter; without such letters, if no stop ends it."""
    sentences = [part for part in _sentences_of(request) if part[0].isalpha()]
    cased = [part for part in sentences if part[0].islower() or part[0].isupper()]
    if not cased:
        return bool(sentences) and not sentences[-1].endswith(("。", "！", "？"))
    return 2 * sum(part[0].islower() for part in cased) >= len(cased)


def _is_careful(sentences: Sequence[str]) -> bool:
    """Whether no sentence begins with a small letter, and half of them end with a stop."""
    parts = [part for part in sentences if part[0].isalpha()]
    if not parts or any(part[0].islower() for part in parts):
        return False
    return 2 * sum(part.endswith((".", "!", ":", "。", "！")) for part in parts) >= len(parts)


def _lines_below_paste(text: _Message) -> Iterator[tuple[int, int]]:
    """Yield the lines below a blanked one in a paragraph below the request, unless they turn to the agent."""
    is_inside = has_request = False
    for number, line in enumerate(text.lines):
        words, original = line.text.strip(), text.originals[number].strip()
        if not original:
            is_inside = False
        elif not words:
            above = text.originals[number - 1].strip() if number else original
            begins = not above or _FILE.fullmatch(above.strip(" `*:")) is not None
            is_inside = is_inside or (begins and has_request and not original.startswith(_DELIMITERS))
        elif is_inside and not (PERSONAL.search(words) or TASK.match(words) or RETURN.match(words)):
            yield line.start, line.end
        else:
            has_request = True


SHORT_WORD = 3
FENCES = ("```", "~~~")
_DELIMITERS = (*FENCES, ">", '"', "“", "«", "「", "„", "'")
"""Beginnings of a paste that shows by itself where it ends."""
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？", ",", ";", "…")
SOMEBODY = (
    r"(?:client|customer|boss|manager|colleague|co-?worker|teammate|reviewer|tester|qa|support|pm|po|user|he|she|they"
    r"|someone|somebody|designer|team ?lead|cliente|cliente d[aeo] \w+|chefe|colega|revisor|gerente|usu[áa]ri[oa]"
    r"|suporte|el[ea]s?|jefe|compañer[oa]|usuario|soporte|él|ella|kunde|kundin|chefin?|kollegin?|kollege|nutzer|er|sie"
    r"|cliente?|coll[èe]gue|relecteur|utilisateur|il|elle|capo|collega|utente|klant|baas|gebruiker|клиент|заказчик"
    r"|начальник|коллега)"
)
STATES = (
    r"(?:says?|said|writes?|wrote|asked|asks|sent|posted|commented|reported|complained|replied"
    r"|diz|disse|falou|escreveu|mandou|pediu|comentou|respondeu|enviou"
    r"|dice|dijo|escribi[óo]|escribe|mand[óo]|pidi[óo]|coment[óo]|respondi[óo]|envi[óo]"
    r"|schreibt|schrieb|sagt|sagte|meint|meinte|hat (?:mir |uns )?(?:geschrieben|geschickt|gesagt)|fragt|will"
    r"|dit|a dit|[ée]crit|a [ée]crit|a envoy[ée]|demande|a demand[ée]|commente|a comment[ée]|r[ée]pond"
    r"|ha (?:detto|scritto|chiesto|mandato)|scrive|zegt|zei|schrijft|schreef|пишет|написала?|сказала?|просит)"
)
SOURCE = (
    r"(?:read ?me|contributing|docs?|documentation|(?:style ?)?guides?|guidelines?|manual|wiki|article|blog|post"
    r"|tutorial|spec|linter|compiler|warning|error(?: message)?|log|stack ?overflow|chatgpt|copilot|gemini"
    r"|doku(?:mentation)?|anleitung|artikel|fehlermeldung|documentación|documentação|guía|guia|manuale|artículo|artigo"
    r"|mensaje|mensagem|documentazione|guida|документация|статья|линтер|(?:team ?|tech ?)?lead|[\w-]+\.md)"
)
_WORD = lazy_regex(r"[^\W_]+(?:[-.’'][^\W_]+)*")
_HEADING_MARK = lazy_regex(r"\A#{1,6}\s")
UNSPACED = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff]")
_PATH = lazy_regex(r"[^\s/]*+/\S*+")
_INNER_CAPITAL = lazy_regex(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
LIST_MARK = lazy_regex(r"\A\s*+(?:[-*•+–・]|\(?\d{1,2}[.)]|\d{1,2}(?=\s)|[a-z]\))\s{1,9}")
_LABEL = lazy_regex(r"(?P<label>(?:[^:：.!?。！？\n(]|\([^()\n]{0,40}\)|\.(?=\w)){2,100}?)\s?(?::(?=\s|$)|：)")
_SENTENCE_END = lazy_regex(r"(?<=[.!?])\s+|(?<=[。！？])")


class _Words(NamedTuple):
    """Words, and endings of compounds."""

    whole: frozenset[str]
    endings: tuple[str, ...]

    @classmethod
    def of(cls, listed: Sequence[str]) -> Self:
        """Return listed words, of which those that begin with a star are endings."""
        endings = tuple(word[1:] for word in listed if word.startswith("*"))
        return cls(frozenset(word for word in listed if not word.startswith("*")), endings)

    def has(self, word: str) -> bool:
        """Whether a word in small letters is listed or ends as one of the endings."""
        return word in self.whole or word.endswith(self.endings)


@lru_cache(maxsize=1)
def _document_words() -> tuple[_Words, _Words, _Words]:
    """Return words for texts with an author, for texts that may be topics ("login page"), and for topics alone."""
    text = (Path(__file__).parent / "document_words.txt").read_text(encoding="utf-8")
    documents, carriers, topics = (_Words.of(section.split()) for section in text.split("\n\n"))
    return documents, carriers, topics


_DOCUMENT_NAME = lazy_regex(
    r"(?i)(?<!\w)#[a-z][\w-]+|readme(?=[\u3040-\u9fff])|\b[\w-]+\.(?:md|rst|txt|pdf|docx?|adoc)\b"
    r"|\b(?:release notes|man page|stack ?overflow"
    r"|code of conduct|terms of \w+|privacy policy|rule file|pull request|argument reference|(?:exercise|homework"
    r"|assignment|trabalho\w*|práctica|exercice|aufgabe|übung|esercizio|opdracht|задание)(?: \w+)? \d+)\b"
    r"|(?:ドキュメント|マニュアル|手引き?|規約|契約書|ライセンス|議事録|記事|規程|要綱|抜粋|説明書|仕様書|ガイドライン|ボット|文档|文檔|手册|手冊|规程|合同|许可证|协议|纪要|文章|条款|章程|须知|摘录|说明书|机器人"
    r"|通知|公告|规范)(?=\W*$|\W{0,3}[(（《【第]|\s?[vV]?\d|より|から|に(?:は|よると))"
)
_CARRIER_NAME = lazy_regex(
    r"(?:ガイド|ルール|要件|ページ|ファイル|レポート|出力|回答|コメント|レビュー|メール|メッセージ|チャット|ログ|お知らせ|注意事項|チェックリスト|指南|规则|要求|页面|文件|报告|输出|回答|评论|评审|邮件"
    r"|消息|聊天|日志|提示|注释|清单|说明)(?=\W*$|\W{0,3}[(（《【第]|\s?[vV]?\d|より|から|に(?:は|よると))"
)
ORIGIN = lazy_regex(
    r"(?i)(?<!\w)#[a-z][\w-]+|\b(?:in|im|on|auf|en|no|sur|su|via|в|op|per|par) (?:\w+ )?(?:slack|teams|\w*chat|discord"
    r"|whatsapp|telegram|e-?mail|jira|stand-?up|meeting|retro)\b|\b(?:yesterday|today|this morning|last (?:week|month)"
    r"|gestern|heute|ayer|hoy|hier|ontem|ieri|oggi|gisteren|вчера|сегодня)\b|昨日|今日|昨天|今天"
    r"|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}|\b(?:from|pasted|copied|quoted|excerpt|aus|vom|von|desde|sacado|copiado|pegado"
    r"|colado|tirado|depuis|tiré|copiée?s?|collée?s?|dal|dalla|dallo|copiat\w|uit|gekopieerd|kopiert|eingefügt|из|от"
    r"|скопировано)\b|から|より|来自|摘自|复制|粘贴|https?://|\bwww\."
)
"""Words that say where a text is from."""

_OWNER = lazy_regex(r"(?i)\b(?:of|by|de|do|da|dos|das|del|du|des|di|della|van|der|par|por)\b|\bd['’]|\bdell['’]|の|的")
_PERSON = lazy_regex(
    rf"(?i)\w['’]s\b|(?<!\w)(?:of|by|d[aeo]|del|der|des|vom|van|du|della?|por|par) (?:the |la |le |el |il |lo |mi "
    rf"|meu |mon )?(?:{SOMEBODY}|profe\w*|docent)(?!\w)|(?:上司|先輩|同僚|お客|客户|老板|同事|领导|经理|老师)"
)
_SENDER = lazy_regex(
    r"(?i)(?:from|von|vom|da|de|del|от|van) (?!(?:now|today|here|nun|jetzt|ora|oggi|ahora|agora|nu)\b)\w[\w .]{1,40}"
    r"|chatgpt|copilot|deepseek|grok|perplexity|\w[\w.]{1,24}(?:,? \w+)? (?:in|im|on|auf|en|no|sur|su|via|в|op)"
    rf" (?:the |le |el )?(?:slack|teams|\w*chat|discord|whatsapp|telegram|jira)(?: \w+)?|(?:{SOMEBODY}) (?:in|im|on|am"
    r"|via|en|no|na|dans|nel\w*|op|в) [^:]{2,40}"
)
"""A label that is a person, or where that person wrote."""

_FILE = lazy_regex(r"[\w-]{1,40}\.[a-z]{2,5}")
_ADDRESS = lazy_regex(
    r"(?:https?://\S+|(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|ai|gov|edu|app|info|eu|de|fr|it|es|nl|ru|jp|cn|br)(?:/\S*)?)"
)

_LOCATOR = lazy_regex(
    r"(?i)\b(?:pp?|page|section|sec|slide|chapter|clause|seite|kapitel|abschnitt|página|sección|seção|capítulo"
    r"|chapitre|punto|capitolo|hoofdstuk|стр|глава|раздел|пункт)\W{0,2}\d|第\s?\d|\d[.-]\d|#\d|[§№]"
)
"""A place in a document: "section 3", "p. 7"."""

_OWN_LIST = lazy_regex(
    r"(?i)\b(?:i|my|our|we|some|few|these|those|following|mein\w*|unser\w*|einige|mis?|nuestr\w+|algun[oa]s|meus?"
    r"|minhas?|noss[oa]s?|algum[oa]s|mon|mes|nos|notre|quelques|miei|nostr[ioae]|alcun[ie]|mijn|onze|enkele|мои|мой"
    r"|наши|наш|несколько)\b|我的?|我们|私の|うちの|以下|下面"
)
_REQUEST = lazy_regex(
    r"(?i)\W{0,3}(?:please|pls|follow|use|make|keep|add|write|create|put|bitte|folge|por favor|sigue|usa|siga|suis"
    r"|utilise|segui|volg|соблюдай|используй|请|遵守|按照)\b"
)
_VERB = lazy_regex(
    r"(?i)\b(?:is|are|was|were|has|have|should|must|can|will|do|does|doesn['’]t|need|needs|want|looks?|ist|sind|soll"
    r"|muss|está|están|debe|es|son|est|sont|doit|è|sono|deve|é|são|het is|moet|нужно|надо|должен)\b"
)
_LAYOUT = (
    r"\A-{3,}\n[\w-]+: |^[^\n]{2,60}\n(?:-{3,}|={3,})$|^(?:Q|F|P|D|В|问|問)\s?\d{0,2}[:：.] ?[^\n]+\n(?:A|R|О|答)"
    r"\s?\d{0,2}[:：.]|^\s*(?:§+ ?\d|п\. ?\d|ст\. ?\d|(?:Art(?:\.|ikel|icle|ículo|igo|icolo)?|Section|Abschnitt"
    r"|Sección|Seção|Clause) ?\d|第[\d一二三四五六七八九十]{1,3}[条條章]|\d{1,2}(?:\.\d{1,2}){1,3}\.? +[^\n.]{2,60}$)"
    r"|^\s*[✅❌✖✗⚠✘☑🔴ℹ]\ufe0f? |^[^\n>]{2,40} > [^\n>]{2,40} > \S|(?-i:^[A-Z]{3,}(?: [A-Z]+)?\n\s{3,}\S)"
)
"""Front matter, underlined headings, questions with answers, numbered clauses, check marks, paths of pages."""
_TRACKING = (
    r"^\s*\[?\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\]? \w|^\w+(?: \w+)? [\[(]?\d{1,2}:\d\d"
    r"|^[\w. ]{2,30}, ?\[?\d{1,2}[./]\d{1,2}[./]\d{2,4}|^\[\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?,? \d{1,2}:\d\d"
    r"|^commit [0-9a-f]{7,40}$|^(?:#?\d{2,6}|[A-Z]{2,10}-\d{1,6}:?) [^\n]{3,80}\n[^\n:]{2,24}: |^opened by \w+"
    r"|^(?:answered|edited) \w+ \d|^\d+ (?:votes|upvotes|likes)$|^(?:Signed-off-by|Co-authored-by|Reviewed-by): "
    r"|^what['’]?s new in \S+$|^(?:priority|severity|story points?|due(?: date)?|attendees|anwesend|presentes?|présents"
    r"|приоритет|优先级)\s?[:：]|^\W{0,4}nit(?:pick)?:\s|^@\w[\w-]* on \S+: |^AC ?\d|^US-?\d|\bLGTM\b"
    r"|\([A-Z]{1,4}\d{3,5}\)$"
    r"|^\s*(?::param|:raises|:returns?|@param|@throws|@returns?)\b|^v?\d+\.\d+\.\d+(?:$| \()|exit code \d|^hint: [a-z]"
    r"|^as an? [\w ]{2,30},? i (?:want|need|can)\b|^your (?:task|solution|goal) (?:is|must|should|has)\b"
    r"|^this (?:pull request|issue|pr) (?:was|has)\b|\bhope (?:this|that) helps\b| at \d{1,2}:\d\d(?: ?[AP]M)?$"
)
"""Times of a chat, and what trackers of work print beside a text."""
_LETTER_FORM = (
    r"\A(?:hi|hello|hey|hallo|moin|hola|olá|oi|ciao|salut|bonjour|привет)\b|[.!?)] (?:thx|thanks|cheers|vg|lg|gracias"
    r"|merci|grazie|danke)[,!]? (?-i:[A-ZÀ-Þ])\w+\W*\Z|^(?:hi|hello|dear|hey|hallo|liebe[rs]?|sehr geehrte[rs]?|bonjour"
    r"|chers?|ch[eè]res?|hola|estimad[oa]s?|olá|prezad[oa]s?|caros?|ciao|gentil[ei]|beste|geachte|здравствуйте"
    r"|уважаем\w+|привет|коллеги)(?: [^\n,.:!?]{1,40})?[,:!]$|^[^\n]{0,12}(?:お世話になって|お疲れ(?:様|さま))|^(?:各位"
    r"|尊敬的|大家好)[^\n]{0,16}[：:，,]?$|^(?:Certainly|Absolutely|Great question|Of course|Sure thing|Gerne|Natürlich"
    r"|Bien sûr|¡?Claro|Certo|Natuurlijk|Конечно|当然|もちろん)[^\n]{0,12}[!！]|^here(?:['’]s| is) an? (?:breakdown"
    r"|summary|overview|list|complete|step)|^(?:(?:(?:Best|Kind|Warm)(?: regards)?|Regards|Cheers"
    r"|Mit freundlichen Grüßen|Viele Grüße|Saludos|Atenciosamente|Cordialement|Cordiali saluti"
    r"|(?:Met vriendelijke )?Groet(?:en)?|С уважением|Att|Abraços?|LG|MfG)[,.!]?(?: \w+)?|よろしくお願い\w*[。！]?"
    r"|谢谢配合[！。]?)$"
)
"""The beginning and the end of a letter, and the beginning of an assistant's answer."""
_MARKS = lazy_regex(f"{_LAYOUT}|{_TRACKING}|{_LETTER_FORM}", re.MULTILINE | re.IGNORECASE)
_PRINTED = lazy_regex(
    r"\bERR_[A-Z_]{3,}|\bready in \d+ ?m?s\b|^\s*(?:remote|fatal|stderr|stdout): "
    r"|^\s*(?:[\w@./-]{2,30} )?(?:warn|error|err) [-–|] "
    r"|^\s*[\w@./-]{2,30} (?:warn(?:ing)?|error|lint|notice|deprecated): |\b[a-z]{2,20}/[a-z]{2,20}[A-Z]\w{2,40}\b",
    re.MULTILINE,
)
"""Words that only programs print."""

_WRAPPED = lazy_regex(r"[^\n.!?:;,]{30,100}(?<=[\w-])\n[a-z]{2,}")
_UNWRAPPED = lazy_regex(r"(?<=[\w,-])\n(?=[a-z]{2})")
"""A sentence that goes on in the next line, as in a file or a page."""

_POINTS_AT_PASTE = lazy_regex(
    r"(?i)\b(?:this|that|these|the following|das(?: hier)?|dies\w*|folgendes|est[aoe]|lo siguiente|isso|isto|esse"
    r"|o seguinte|ça|ceci|quest[oa]|dit|это|вот) (?:was |came |is |kam |ist |vino |veio |vient |viene )?(?:from|by|vom"
    r"|von|aus|de|del|do|da|dal|dalla|van|uit|от|из) \w|これ.{0,8}(?:から|より)|来自"
)
"""Words that point at the text below a line: "just got this from accounting"."""

_STATED_BY_OTHERS = (
    r"(?:wrote|writes|said|says|mailed|sent|left|posted|commented|replied|answered|recommend(?:s|ed)|suggest(?:s|ed)"
    r"|summari[sz]ed|described|explained|complain(?:s|ed)|rejected|closed|blocked|declined|reported|prints|printing"
    r"|(?:told|gave) (?:me|us)|objected|came back|(?:i|we) (?:got|found|read|asked|received|typed|copied|pasted)"
    r"|(?:got|found|copied|received) (?:this|that|it)|schreibt|schrieb|meint|meinte|sagt|sagte|gemailt|geschickt"
    r"|gemeldet|manda|mandó|mandou|dice|dijo|escribi[óo]|disse|escreveu|dit|écrit|envoyé|scritto|scrive|detto|schreef"
    r"|zegt|zei|пишет|написал\w*|сказал\w*|прислал\w*)\b|言われ|書いて(?:きた|いた)|来た|说了|写道|发来"
)
_OTHERS_TEXT = (
    r"(?:below|attached|as specified|the following \w+|this (?:text|passage|section|sentence|comment|mail|message"
    r"|answer|interface|review)|(?:see|from|in|of|per) (?:their|its)|remarks|findings|siehe|adjunt\w+|anexo|ci-joint"
    r"|voici|ecco|zie|см|reviewer|user stor(?:y|ies)|javadoc|docstring|upstream|vendor\w*|partners?|agency|homework"
    r"|assignment|(?:coding )?(?:test|challenge) for|coding (?:test|challenge)|take[- ]?home|exam|interview|eslint"
    r"|golint|linter|chatgpt|gemini|opus|copilot|reddit|stack ?overflow|another (?:ai|chat|agent|model)|rulebook|retro"
    r"|besprechung|hausaufgabe|rückmeldung|comentarios?|comentários?|tarea|devoir|commentaires?|compito|opdracht"
    r"|задани\w+|замечани\w+)\b|課題|レビュー|指摘|作业|题目|评审"
)
_HANDED_OVER = (
    r"(?:(?:from|per|after|see|address|apply|handle|resolve|got|this|that|their|his|her|here(?:['’]s| is)|\w+['’]s)"
    r" (?:\w+ ){0,2}|do )(?:reviews?|feedback|tickets?)(?=\W*$|[:,]|\s(?:from|by|on|of|comments?|notes?|says|#?\d))"
)
_HANDS_OVER = lazy_regex(
    rf"(?i)\b(?:{_STATED_BY_OTHERS}|{_OTHERS_TEXT}|{_HANDED_OVER})"
    r"|(?:\b(?:(?<!fix )this|these|below|following|folgendes|unten|esto|abajo|isto|abaixo|ceci|ci-dessous|questo"
    r"|hieronder|ниже|вот)|以下|如下|下記)\W*$"
)
"""Words at a request's end by which what is below it is somebody else's."""

_DUTY = lazy_regex(
    r"(?i)\b(?:must|shall|may (?:not|only|be)|has to|have to|(?:is|are) (?:required|forbidden|prohibited|not allowed"
    r"|limited|rejected|reserved|expected|mandatory)|cannot|muss|müssen|darf|dürfen|sind zu|ist zu|deben?|deberán?"
    r"|devem?|deverá|doit|doivent|devono|deve|vanno|moet|moeten|mag|mogen|должн[аоы]|должен|необходимо|следует"
    r"|запрещ\w+)\b|必须|不得|须|应当?|禁止|なければならない|ものとする|すること|必ず"
)
_SELF = (
    r"(?:i (?:am|was|have|had|do|did|don['’]t|want|need|think|like|love|hate|prefer|would|will|can|could|can['’]t|use"
    r"|get|got|see|saw|found|tried|guess|mean|just|still|also|never|always|only)|i['’](?:m|d|ve|ll)|ich|yo|quiero"
    r"|necesito|eu|quero|preciso|je (?:veux|voudrais|pense|préfère|crois|suis)|j['’]\w+|io|voglio|vorrei|ik|я)(?!\w)"
)
PERSONAL = lazy_regex(
    rf"(?i)\b(?:{_SELF}|my|please|pls|let['’]s|(?:can|could|would) you|mir|mich|mein\w*|bitte|por favor|meu|minha|mon"
    rf"|stp|mijn|from me|for (?:claude|codex|the agent)|von mir"
    r"|graag|мне|пожалуйста|давай|everywhere|from (?:now|today) on"
    r"|(?:in|for) (?:this|the whole) (?:project|app|repo\w*|code ?base)|in (?:diesem|dem ganzen) (?:projekt|repo)"
    r"|en (?:este|todo el) proyecto|(?:neste|em todo o) projeto|dans (?:ce|tout le) projet"
    r"|in (?:questo|tutto il) progetto|в (?:этом|нашем) проекте)\b|このプロジェクト|(?:本|这个|整个)项目|私|僕"
    r"|俺|お願い|ほしい|我|请你?帮|帮我|麻烦"
)
"""Words of somebody who speaks of himself, or asks."""

RETURN = lazy_regex(
    rf"(?i)\W{{0,3}}(?:(?:ok(?:ay)?|so|now|also|and|but|then|und|aber|y|pero|e|mas|et|mais|ma|en|maar|и"
    rf"|но)[\s,]{{1,3}}){{0,2}}(?:{_SELF}|(?:can|could|would|do|did) (?:you|we)\b|let['’]?s\b|kannst du|puedes|pode\b"
    rf"|peux-tu|tu peux|puoi\b|kun je|можешь)|请帮|帮我|我想|我要|我们?希望"
)
"""The beginning of a paragraph in which the user speaks to the agent again."""
