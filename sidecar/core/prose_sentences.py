"""The prose of a message or document: its paragraphs and sentences, without code, headings and greetings. Pure."""

import re
from collections.abc import Collection, Iterator, Sequence

from sidecar.core.clean_text import clip_at_word, clip_bytes, utf8_size, without_emphasis
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact

MAX_PROSE_CHARACTERS = 20_000
"""Maximum number of characters of an agent's message that are read."""

MIN_INFORMATIVE_WORDS = 5
"""A paragraph of fewer words is a greeting or a heading."""

MIN_FALLBACK_WORDS = 3
"""Minimum words of the fallback paragraph; "Done." is not one."""

_CODE_BLOCK = lazy_regex(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)")
_QUOTE_OR_TABLE = lazy_regex(r"(?m)^[ \t]*[>|].*$")
_HEADING_LINE = lazy_regex(r"(?m)^[ \t]*(?:#{1,6}[ \t].*|\*\*[^*\n]+\*\*:?[ \t]*|[-*_=]{3,}[ \t]*)$")
_ITEM = lazy_regex(r"(?m)^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_LEAD_IN = lazy_regex(
    r"(?i)^(?:(?:now|next|then|ok(?:ay)?|so|first|ahora|primero|bien|agora|primeiro|maintenant|d'abord|ora|prima|jetzt"
    r"|zuerst|nu|eerst|теперь|сначала)[,.!]? )?(?:let me|i['’]?ll|i will|i['’]?m going to|here['’]?s|here is|here are"
    r"|below|let['’]?s|(?:search|explor|check|read|look|scann|investigat|trac)ing"
    r"|(?:voy|vamos) a|d[ée]jame|vou|deixe-me|je vais|laisse[zr]?-moi|commen[çc]ons|ich werde|ich (?:schaue|prüfe|lese)"
    r"|lass mich|ik (?:ga|zal)|laat me|vado a|ora (?:controllo|leggo)|controllerò|давайте|сейчас"
    r"|я (?:проверю|посмотрю))\b"
    r"|^(?:好的[，,。]?)?(?:让我|我(?:来|先|会|将|去|接下来)|接下来|现在(?:让我|我)|まず|これから|次に|では[、,])"
)
_GREETING = lazy_regex(
    r"(?i)^(?:(?:perfect|great|excellent|awesome|done|all (?:done|set)|sure|of course|certainly|absolutely|thanks?"
    r"|you'?re (?:absolutely )?right)\b[^.!?:\n]*[.!]+\s*)+"
)
_OFFER = lazy_regex(
    r"(?i)^(?:let me know|feel free|if you (?:want|like|need|prefer)|would you like|shall i|do you want)"
)
_SENTENCE_END = lazy_regex(
    r"(?<=[.!?])[\"')\]*]{0,4}\s{1,9}(?=[\"'(\[`*]{0,4}[A-ZÀ-ÞА-ЯЁ0-9`¿¡])|(?<=[。！？])(?![」』）”])"
    r"|\s{1,9}(?=[✅❌→•])|\n+"
)
_FULL_STOP = lazy_regex(r"(?<!\be\.g)(?<!\bi\.e)(?<!\ba\.k\.a)(?<!\bvs)(?<!\betc)(?<!\s)[.!?](?=\s|$)|[。！？]")
_ABBREVIATION = lazy_regex(
    r"(?i)(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|no|mr|dr|z\.b|p\.ej|bzw)\.|(?<!\d )(?<!['’])\b[A-Z]\.)$"
)
_ABBREVIATION_CHARACTERS = 16
"""Maximum number of characters of an abbreviation and the one before it."""
_LEADING_FULL_STOP = lazy_regex(r"[.!?](?=\s|$)")
_SPACE = lazy_regex(r"\s+")
UNSPACED = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff]")
"""A character of Chinese or Japanese, which have no spaces between words."""

STATES_RULE = lazy_regex(
    r"(?i)(?:every|each|all|any|no(?: one|body)?)\s[^.!?]{1,200}?\b(?:must|ha(?:s|ve) to|shall|may(?: not| never)?)\b"
    r"|(?:please )?(?:always|never|do not|don['’]t) (?-i:[a-z])(?![^.!?]{0,80}\bagain\b)"
)
"""Beginning of a paragraph that states a rule, and not what something is."""


def word_count(text: str) -> int:
    """Return the number of words of a text; two characters of an unspaced script count as a word."""
    return len(text.split()) + len(UNSPACED.findall(text)) // 2


def without_code(text: str) -> str:
    """Remove code blocks, quoted lines and tables from the beginning of a text."""
    return _QUOTE_OR_TABLE.sub("", _CODE_BLOCK.sub("\n", text[:MAX_PROSE_CHARACTERS].replace("\r\n", "\n")))


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of prose, without headings; the items of a list are one paragraph."""
    for paragraph in re.split(r"\n[ \t]*\n", _HEADING_LINE.sub("\n", without_code(text))):
        if stripped := paragraph.strip():
            yield stripped


def first_informative_paragraph(text: str, limit: int) -> str:
    """Return the first informative paragraph, clipped at a word, its secrets masked.

    Skips "I'll summarize:", a list's heading, and offers. The result is empty for a text without prose.
    """
    candidates = list(paragraphs(text))
    informative = (stripped for paragraph in candidates if (stripped := _informative_part(paragraph)))
    chosen = next(informative, None) or next(
        (paragraph for paragraph in candidates if word_count(paragraph) >= MIN_FALLBACK_WORDS), ""
    )
    return clip_at_word(redact(chosen), limit)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of prose, each on one line, without list and emphasis marks."""
    for paragraph in paragraphs(text):
        for item in _ITEM.split(paragraph):
            plain = _SPACE.sub(" ", without_emphasis(item))
            yield from split_sentences(plain)


def split_sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line; an abbreviation ends none, and none is empty.

    Only the end of a sentence is searched for an abbreviation, so that the time is linear in the length of the line.
    """
    parts: list[str] = []
    end = ""
    for part in _SENTENCE_END.split(line):
        text = part.rstrip() if parts else part.strip()
        if not text:
            continue
        parts.append(text)
        end = f"{end} {text}"[-_ABBREVIATION_CHARACTERS:]
        if not _ABBREVIATION.search(end):
            yield " ".join(parts)
            parts, end = [], ""
    if parts:
        yield " ".join(parts)


def first_sentence(text: str, limit: int) -> str:
    """Return the first sentence of a text on one line, without its full stop."""
    flat = _SPACE.sub(" ", text).strip()
    end = _FULL_STOP.search(flat)
    return clip_at_word(flat[: end.start()] if end else flat, limit)


def up_to_full_stop(text: str) -> str:
    """Return a text up to its first full stop; that of an abbreviation is none."""
    end = _FULL_STOP.search(text)
    return text[: end.end()] if end else text


def split_at_full_stops(text: str) -> Iterator[str]:
    """Yield the parts of a text that end with a full stop, and the rest, whatever a sentence begins with."""
    start = 0
    while start < len(text):
        match = _LEADING_FULL_STOP.match(text, start) or _FULL_STOP.search(text, start)
        end = match.end() if match else len(text)
        yield text[start:end]
        space = _SPACE.match(text, end)
        start = space.end() if space else end


def _informative_part(paragraph: str) -> str:
    """Return a paragraph without its greeting and lead-in line; empty if nothing informative is left."""
    text = _GREETING.sub("", paragraph).strip()
    first, _, rest = text.partition("\n")
    if first.rstrip("*_ ").endswith(":") and not _ITEM.match(first):
        text = rest.strip()
    if _OFFER.match(text) or (_LEAD_IN.match(text) and not rest) or text.endswith("?"):
        return ""
    return text if word_count(text) >= MIN_INFORMATIVE_WORDS else ""


def shortened(sentence: str, limit_bytes: int) -> str:
    """Return the main clause of a sentence, what limits it, and as many of its other clauses as fit, in their order.

    The result has at most `limit_bytes`. Asides go first. An omission is marked by "…".
    """
    if utf8_size(sentence) <= limit_bytes:
        return sentence
    core = _ASIDE.sub(lambda aside: aside[0] if _denies(aside[0]) else "", sentence).strip()
    clauses = _clauses(core)
    main = next((index for index, clause in enumerate(clauses) if not _CONDITION.match(clause.lstrip(_MARKS))), 0)
    chosen = set(range(main + 1))
    others = range(main + 1, len(clauses))
    exceptions = [index for index in others if _EXCEPTS.search(clauses[index])]
    denials = [index for index in others if _denies(clauses[index])]
    for index in (*exceptions, *denials):
        if utf8_size(_joined(clauses, chosen | {index})) <= limit_bytes:
            chosen.add(index)
    for index in others:
        if utf8_size(_joined(clauses, chosen | {index})) <= limit_bytes:
            chosen.add(index)
        elif _REASON.match(clauses[index].lstrip(_MARKS)) is None:
            break
    title = _joined(clauses, chosen)
    return title if utf8_size(title) <= limit_bytes else _clip_around(title, limit_bytes)


_MARKS = " ,;:—–-(，；。、.!?"


def _clauses(core: str) -> list[str]:
    """Return the clauses of a sentence, each with the mark before it; enclosed parts are not divided."""
    masked = _ENCLOSED.sub(lambda match: "x" * len(match[0]), core)
    ends = [match.start() for match in _CLAUSE.finditer(masked)]
    clauses = [core[start:end] for start, end in zip([0, *ends], [*ends, len(core)], strict=True)]
    return [clause for clause in clauses if clause.strip(_MARKS)]


def _joined(clauses: Sequence[str], chosen: Collection[int]) -> str:
    """Return the chosen clauses, with "…" for those left out."""
    text = ""
    for index, clause in enumerate(clauses):
        if index in chosen:
            text += f" {clause.lstrip(_MARKS)}" if text.endswith("…") else clause
        elif not text.endswith("…"):
            text = f"{text.rstrip(_MARKS)}{'…' if index > max(chosen) else ' …'}"
    return text.strip()


_EXCEPTS = lazy_regex(
    r"\b(?:except|unless|other than|apart from|außer|ausgenommen|es sei denn|sauf|excepté|à moins|salvo|excepto|exceto"
    r"|menos (?:en|no|na)|a no ser|tranne|eccetto|a meno|behalve|tenzij|кроме|если только)\b|以外|を除|除了|除非"
    r"|^\W{0,4}(?:but|aber|mais|pero|mas|ma|maar|но)\b.*\b(?:never|not|no|nie(?:mals)?|nicht|kein\w*|jamais|pas|nunca"
    r"|não|mai|non|nooit|niet|никогда|не)\b",
    re.IGNORECASE,
)
"""Words by which a clause limits the rule before it."""

_CONDITION = lazy_regex(
    r"(?:when(?:ever)?|if|before|after|once|while|for|with|on|in|as soon as|(?:every|each) time|wenn|wann immer|falls"
    r"|bevor"
    r"|nachdem|sobald|bei|für|vor|nach|quand|lorsqu\w*|si|avant|après|dès|pour|chaque fois|à chaque|cuando|antes"
    r"|después"
    r"|tras|al|para|por cada|cada vez|quando|se|depois|ao|toda vez|sempre que|prima|dopo|per|ogni volta|als|wanneer"
    r"|voordat|nadat|bij|voor|elke keer|если|когда|перед|после|при|для)\b|[^。、，]{1,40}(?:時は?|場合は?|とき(?:は"
    r"|に)?|たびに|前に|後に|的时候|时|之?前|之?后)$",
    re.IGNORECASE,
)
"""Beginning of a clause that only says when the main clause after it holds."""


def _denies(clause: str) -> bool:
    """Whether a clause that is not a reason has a negation outside of code: `None` denies nothing."""
    return _REASON.match(clause.lstrip(_MARKS)) is None and _NEGATION.search(_CODE.sub(" ", clause)) is not None


_REASON = lazy_regex(r"(?:because|since|so that|weil|parce que|porque|perché)\s")
_CODE = lazy_regex(r"`[^`]*`|(?<![\w.])[\w.]{1,200}\([^()]*\)")


def _clip_around(title: str, limit_bytes: int) -> str:
    """Return the beginning of a title that is too long; from before its first negation if that comes late."""
    match = _NEGATION.search(title)
    start = 0 if match is None or utf8_size(title[: match.end()]) < limit_bytes - 40 else max(0, match.start() - 40)
    return f"{'… ' if start else ''}{clip_bytes(title[start:].lstrip(), limit_bytes - utf8_size('… '))}"


_CLAUSE = lazy_regex(
    r"\s{0,4}(?:[,;:]\s|\s[—–-]\s|\s\(|[，；。、]|(?<=[.!?])\s"
    r"|\s(?:because|since|so that|weil|parce que|porque|perché)\s)"
)
_NEGATION = lazy_regex(
    r"\b(?:no|not|never|none|without|don['’]?t|doesn['’]?t|do not|cannot|can['’]?t|won['’]?t|mustn['’]?t|isn['’]?t"
    r"|aren['’]?t"
    r"|stop|avoid|instead|rather|except|unless|only|nicht|nie(?:mals)?|kein\w*|ohne|jamais|pas|sans|nunca|não|sem|mai"
    r"|non"
    r"|senza|niet|nooit|geen|zonder|никогда|не|нет|без)\b|不|别|勿|没|ない|ません|禁止",
    re.IGNORECASE,
)
_ENCLOSED = lazy_regex(r"\([^()]*\)|\[[^\[\]]*\]|`[^`]*`|\"[^\"]*\"|“[^“”]*”|（[^（）]*）")
"""Parts that a title has whole or not at all."""

_ASIDE = lazy_regex(r"(?<!\s)\s+\([^()]*\)|（[^（）]*）")


_FORM_HEADING = lazy_regex(
    r"(?m)^[ \t]{0,3}(?:#{1,6}[ \t]{1,4}(?P<mark>[^\n]{2,120})$|\*\*(?P<bold>[^*\n]{2,120})\*\*:?)"
)
_ASKS_PROBLEM = lazy_regex(
    r"(?i)[?？]\W{0,4}$|\b(?:bugs?|issue|problem\w*|probleem|problème|describ\w+|description|reproduc\w+|behaviou?r|expected|actual"
    r"|environment|versions?|beschreib\w*|fehler|schritte|umgebung|descri(?:be|ção|pción|zione)|pasos|passos|passi|comportam\w+"
    r"|entorno|ambiente|erreur|étapes|environnement|comportement|stappen|omgeving|gedrag|описание|проблема|шаги"
    r"|поведение|окружение)\b|バグ|問題|説明|再現|環境|问题|描述|复现|环境"
)
"""Headings of a form for reports."""
_ASKS_FACTS = lazy_regex(
    r"(?i)\b(?:which|versions?|environment|platform|runtime|operating system|os|browser|packages?|check ?list"
    r"|searched|expect\w*|additional|logs?|screenshots?|welche\w*|umgebung|erwartet\w*|versión|versão|versione|entorno"
    r"|ambiente|esperado|espera\w*|navegador|quelle?|environnement|attendu\w*|quale|atteso|welke|versie|omgeving|verwacht\w*|версия"
    r"|окружение|ожида\w+)\b|バージョン|環境|期待|版本|环境|预期"
)
"""Headings of a form below which nothing describes what is wrong."""
_ASKS_DESCRIPTION = lazy_regex(
    r"(?i)\b(?:descri(?:be|ption|bed|ção|pción|zione)|what happen\w*|current behaviou?r|beschreib\w*|описание)\b"
    r"|説明|描述"
)
"""Headings of a form below which the problem is, if it has one."""
_CHECKBOX = lazy_regex(r"(?m)^[ \t]{0,8}[-*] \[[ xX]\] [^\n]*\n?")
MIN_FORM_HEADINGS = 2


def described_problem(message: str) -> str:
    """Return the title and the described problem of a report that was written into a form, without the form's headings.

    A first heading that asks nothing is the title. Checked boxes are left out. Any other message is returned as it is.
    """
    headings = list(_FORM_HEADING.finditer(message, 0, MAX_PROSE_CHARACTERS))
    titles = [heading["mark"] or heading["bold"] for heading in headings]
    if not titles:
        return message
    lead = message[: headings[0].start()].strip()
    is_titled = not lead and headings[0]["mark"] is not None and _ASKS_PROBLEM.search(titles[0]) is None
    ends = [*(heading.start() for heading in headings[1:]), len(message)]
    bodies = [
        _CHECKBOX.sub("", message[heading.end() : end]).strip() for heading, end in zip(headings, ends, strict=True)
    ]
    parts = list(zip(titles, bodies, strict=True))[is_titled:]
    if len(parts) < MIN_FORM_HEADINGS or 2 * sum(_ASKS_PROBLEM.search(text) is not None for text, _ in parts) < len(
        parts
    ):
        return message
    stated = [part for part in parts if not _ASKS_FACTS.search(part[0]) and " " in part[1]]
    described = next((body for text, body in stated if _ASKS_DESCRIPTION.search(text)), "")
    described = described or next((body for _, body in stated), "") or max((body for _, body in parts), key=len)
    head = f"{titles[0].strip()}\n{bodies[0]}".strip() if is_titled else lead
    return f"{head}\n\n{described}".strip()
