"""Read the notes block with which an agent's reply ends: rules, decisions, dropped approaches, facts. Pure.

The block is a claim of the agent; who relies on it verifies it. A block inside a code fence or a quotation is not
the agent's, and the last block of a reply counts. Every step is linear in the text's length.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from sidecar.core.clean_text import without_emphasis
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import without_combining_marks

NoteKey = Literal["rule", "decision", "dropped", "fact"]

REQUEST = """\
Notes block (requested by the app, which stores it): when, and only when, in this turn the user stated something \
lasting, a choice was made or an approach given up, end your reply, in its language, with at most five lines; \
otherwise write none:
  Notes for next time:
  - Rule: <what the user wants from now on, in the user's words>
  - Decision: <choice> because <reason>, instead of <alternative>
  - Dropped: <what was tried> because <why it failed>
  - Fact: <found out, not in the repository>
"""
"""The request in the anchor, at most 500 bytes."""

MAX_NOTES = 5
MAX_NOTE_CHARACTERS = 500
MAX_BLOCK_CHARACTERS = 6_000
"""A heading further than this from the end of a reply does not open its final block."""

MAX_CLOSING_CHARACTERS = 200
"""Length of the text that may follow a block, such as an offer to do more."""

MAX_BLOCK_LINES = 60

_HEADINGS = frozenset(
    """
    notes for next time/notes for the next time/note for next time/notes for next session/notes for the next session
    /notes for future sessions/notes for later/notes for the future/notes to remember
    /notas para depois/notas para mais tarde/notas para o futuro/anotações para a próxima vez
    /notas para as próximas sessões
    /notas para más tarde/notas para después/notas para el futuro/apuntes para la próxima vez
    /notas para futuras sesiones
    /notes pour plus tard/notes pour l'avenir/notes pour la suite/notes pour les prochaines sessions
    /notizen für später/notizen für die zukunft/notizen für künftige sitzungen/notizen für die nächsten sitzungen
    /notizen für das nächste gespräch/notizen für nächste sitzung/merkzettel für später/anmerkungen für das nächste mal
    /note per dopo/note per il futuro/appunti per dopo/note per le prossime sessioni
    /notities voor later/notities voor de toekomst/aantekeningen voor later/notities voor volgende sessies
    /заметки на потом/заметки на следующую сессию/заметки для будущих сессий/записи на будущее
    /今後のためのメモ/今後のメモ/後のためのメモ/次回以降のメモ/次回以降のためのメモ/引き継ぎメモ/申し送り事項
    /后续备注/以后的备注/留待下次/供下次参考/后续注意事项/给以后的备注/今后的备注/下次会话备注
    /notas para a próxima vez/notas para próxima vez/notas para a próxima/notas para a próxima sessão
    /notas para la próxima vez/notas para la próxima/notas para la próxima sesión/notas para la siguiente vez
    /notes pour la prochaine fois/notes pour la prochaine session/notes pour une prochaine fois
    /notizen für das nächste mal/notizen fürs nächste mal/notizen für nächstes mal/notizen für die nächste sitzung
    /hinweise für das nächste mal/hinweise fürs nächste mal/merkzettel für das nächste mal
    /note per la prossima volta/appunti per la prossima volta/note per la prossima sessione
    /notities voor de volgende keer/aantekeningen voor de volgende keer/notities voor volgende keer
    /notities voor de volgende sessie
    /заметки на следующий раз/заметки на будущее/заметки для следующего раза/записи на следующий раз
    /заметки для следующей сессии
    /次回へのメモ/次回のためのメモ/次回のメモ/次回用メモ/次回への覚え書き/次回に向けたメモ/次回セッションへのメモ/次回への申し送り
    /下次备注/下次的备注/给下次的备注/下次备忘/下次注意事项/下次须知/下次的笔记/下次笔记/留给下次的笔记/下次會話備註/下次备忘录
    """.replace("\n", " ").split("/")
)  # fmt: skip

_KEYS: dict[NoteKey, str] = {
    "rule": "rule rules regra regla règle regel vorgabe regola правило ルール 規則 规则 規則 规定",
    "decision": "decision decisão decisión décision entscheidung beschluss decisione beslissing besluit keuze решение"
    " 決定 决定 決策 决策 選択",
    "dropped": "dropped abandoned rejected descartado descartada abandonado rechazado abandonné écarté rejeté verworfen"
    " aufgegeben scartato abbandonato verworpen losgelaten afgevallen отброшено отвергнуто отклонено"
    " 不採用 断念 却下 中止 取りやめ 取り止め 見送り 撤回 放弃 放棄 已放弃 弃用 否决",
    "fact": "fact fato facto hecho dato fait fakt tatsache fatto feit факт 事実 事实 事實",
}

_FENCE = lazy_regex(r"[ \t>]{0,20}(`{3,}|~{3,})")
_QUOTE = lazy_regex(r"[ \t]{0,8}>")
_DECORATION = lazy_regex(r"[\s>#*_`=~|\-–—+•◦▪・:：.!\[\]()]+")
_MARKER = lazy_regex(r"[ \t>]{0,40}(?:(?:[-*+•◦▪・–—]|\d{1,2}[.)、]|\[[ xX]?\])[ \t]*){0,2}")
_KEY = lazy_regex(
    r"[*_`\[]{0,4}[ \t]?([^\W\d_]{2,14})[ \t]?(?:\([^()\n]{0,40}\))?[\]*_`]{0,4}[ \t]?"
    r"(?::|：|[ \t][-–—])[*_`]{0,4}[ \t]*"
)
_OTHER_LABEL = lazy_regex(
    r"[ \t>]{0,40}(?:[-*+•◦▪・–—]|\d{1,2}[.)、])[ \t]*[*_`\[]{0,4}[^\W\d_][^:：\n]{1,30}(?::[ \t*_`]|：)"
)
"""Beginning of a list item with a label that is none of a note's keys."""
_RULE_LINE = lazy_regex(r"[ \t>]{0,40}(?:[-*_=]{3,}|(?:[-*_=][ \t]){2,20}[-*_=])[ \t]*$")
_EMPTY = lazy_regex(
    r"(?:<.{0,300}>|none|nothing|n/?a|nenhuma?|nada|ningun[ao]|aucune?|rien|keine?s?|nichts|nessun[ao]?|niente|geen"
    r"|niets|нет|ничего|なし|無し|特になし|无|無|没有|[-–—.…\s]{0,20})[.。!]?",
    re.IGNORECASE | re.DOTALL,
)


class AgentNote(NamedTuple):
    """One line of a notes block."""

    key: NoteKey
    text: str
    """The whole statement on one line, without its key."""
    subject: str
    """The choice, or what was tried; the whole statement if it is neither a decision nor a dropped approach."""
    reason: str = ""
    alternative: str = ""


class NotesBlock(NamedTuple):
    """The notes of a reply, and the offsets of the block in it."""

    start: int
    """Offset of its heading's line."""
    end: int
    """Offset after its last line."""
    notes: tuple[AgentNote, ...]


class _TextLine(NamedTuple):
    start: int
    text: str
    in_fence: bool


def read_notes_block(reply: str) -> NotesBlock | None:
    """Return the notes block at the end of an agent's reply; None if it does not end with one."""
    lines = _last_lines(reply)
    heading_index = next((index for index in range(len(lines) - 1, -1, -1) if _is_heading(lines[index])), None)
    if heading_index is None:
        return None
    items: list[tuple[NoteKey, list[str]]] = []
    current: list[str] | None = None
    end = 0
    for line in lines[heading_index + 1 :]:
        if line.in_fence:
            return None
        if not line.text.strip(" \t>"):
            continue
        if _RULE_LINE.fullmatch(line.text):
            continue
        if (item := _item(line.text)) is not None:
            items.append(item)
            current = item[1]
        elif current is not None and _continues(line.text, follows=line.start == end + 1):
            current.append(_MARKER.sub("", line.text, count=1))
        elif _OTHER_LABEL.match(line.text):
            current = []
        elif current is not None and len(reply) - line.start <= MAX_CLOSING_CHARACTERS:
            break
        else:
            return None
        end = line.start + len(line.text)
    notes = [note for key, parts in items if (note := _note(key, parts)) is not None]
    return NotesBlock(lines[heading_index].start, end, tuple(notes[:MAX_NOTES])) if notes else None


def without_notes(reply: str) -> str:
    """Return a reply without its notes block."""
    block = read_notes_block(reply)
    return reply if block is None else (reply[: block.start].rstrip() + reply[block.end :]).rstrip()


def _last_lines(reply: str) -> list[_TextLine]:
    """Return the lines near the end of a text, each with whether a code fence is open there."""
    lines: list[_TextLine] = []
    fence = ""
    start = 0
    first_start = len(reply) - MAX_BLOCK_CHARACTERS
    for text in reply.split("\n"):
        mark = _FENCE.match(text)
        in_fence = bool(fence) or mark is not None
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        if start >= first_start:
            lines.append(_TextLine(start, text.removesuffix("\r"), in_fence))
        start += len(text) + 1
    return lines[-MAX_BLOCK_LINES:]


def _is_heading(line: _TextLine) -> bool:
    """Whether a line is a block's heading: it is neither in a code fence nor quoted."""
    if line.in_fence or len(line.text) > 120 or line.text.startswith(("    ", "\t")) or _QUOTE.match(line.text):
        return False
    words = _DECORATION.sub(" ", line.text)
    words = "".join(char for char in words if unicodedata.category(char)[0] not in "SC").strip().casefold()
    return words in _FOLDED_HEADINGS or without_combining_marks(words) in _FOLDED_HEADINGS


def _item(line: str) -> tuple[NoteKey, list[str]] | None:
    """Return the key of a line and its text; None if it is not a note."""
    at = _MARKER.match(line)
    match = _KEY.match(line, at.end() if at else 0)
    if match is None:
        return None
    word = match[1].casefold()
    key = _KEY_OF_WORD.get(word) or _KEY_OF_WORD.get(without_combining_marks(word))
    return (key, [line[match.end() :]]) if key is not None else None


def _continues(line: str, *, follows: bool) -> bool:
    """Whether a line belongs to the note above it: indented, or wrapped right below it and not a list item."""
    bare = line.lstrip("> ")
    if line.lstrip(">")[:2].strip() == "" or line.startswith("\t"):
        return True
    return follows and not bare.startswith(("#", "-", "*", "+", "•", "|")) and not bare[:1].isdigit()


def _note(key: NoteKey, parts: Sequence[str]) -> AgentNote | None:
    text = " ".join(without_emphasis(" ".join(parts)[: 2 * MAX_NOTE_CHARACTERS]).split())
    if _EMPTY.fullmatch(text) or len(text) > MAX_NOTE_CHARACTERS or not any(map(str.isalpha, text)):
        return None
    if key in ("rule", "fact"):
        return AgentNote(key, text, text)
    return AgentNote(key, text, *statement_parts(text))


_BECAUSE = lazy_regex(
    r"[\s,;.(–—-]{0,20}+(?:\b(?:because(?: of)?|since|due to|as it|as they|porque|pois|já que|por causa d[aeo]s?"
    r"|devido (?:ao?|à)s?|ya que|debido al?|puesto que|parce qu(?:e|['’])|car|puisqu(?:e|['’])"
    r"|en raison d(?:e|['’])|à cause d(?:e|u|['’])|weil|denn|wegen|aufgrund|perché"
    r"|poiché|dato che|a causa d(?:i|el|ella)"
    r"|omdat|(?<!i )(?<!we )(?<!you )(?<!they )(?<!to )(?<!user )(?<!users )(?<!not )(?<!also )(?<!just )want(?!"
    r" to\b)|vanwege|wegens"
    r"|потому что|так как|поскольку|из-за)(?:(?<=['’])|(?!\w))"
    r"|因为|因為|由于|由於|なぜなら|理由[はが:：]?)\s*[:：]?\s*",
    re.IGNORECASE,
)
_INSTEAD = lazy_regex(
    r"(?:\s{0,20}+,\s{0,20}+(?:and )?not(?!\w)|[\s,;.(–—-]{0,20}+\b(?:instead of|rather than|in place of"
    r"|em vez d[aeo]s?|ao invés d[aeo]s?|en vez de(?:l)?|en lugar de(?:l)?|au lieu d(?:e|u|es|['’])"
    r"|plutôt qu(?:e|['’])|anstatt|statt|anstelle (?:von|des|der)"
    r"|invece d(?:i|el|ella|ei)|anziché|al posto d(?:i|el|ella)|in plaats van"
    r"|вместо|а не)(?:(?<=['’])|(?!\w))|而不是|而非|代替|取代)\s*",
    re.IGNORECASE,
)
_MAIN_CLAUSE = lazy_regex(
    r",\s(?=(?:it|they|we|i|these|this|each|every|all)(?:\s(?:is|are|was|were|now)\b|['’](?:s|re|ve|m)\b))",
    re.IGNORECASE,
)
"""The clause that states the choice after an alternative which comes first: "instead of a loop, it now …"."""
_INSTEAD_BEFORE = lazy_regex(r"(.{1,200}?)(?:の代わりに|のかわりに|ではなく|じゃなく|よりも)(.{0,200})$", re.DOTALL)
_BECAUSE_BEFORE = lazy_regex(r"(.{1,300}?)(?:のため|ため|ので|だから|から)(?:です|に)?$", re.DOTALL)
_CLAUSE = lazy_regex(r"[、。，,；;]")
_KANA = lazy_regex(r"[\u3040-\u30ff]")
_TRIM = " \t,;.:，。、；：()（）"


class StatementParts(NamedTuple):
    """The parts of a statement; the last two may be empty."""

    subject: str
    reason: str = ""
    alternative: str = ""


def statement_parts(text: str) -> StatementParts:
    """Split a statement into its subject, its reason and the rejected alternative, in any order."""
    if _KANA.search(text):
        return _parts_of_clauses(text)
    because, instead = _BECAUSE.search(text), _INSTEAD.search(text)
    if instead is not None and because is not None and because.end() <= instead.start():
        instead = _last_instead(text, because.end()) or instead
    cuts = sorted((match.start(), match.end(), name) for match, name in ((because, 1), (instead, 2)) if match)
    if not cuts or not text[: cuts[0][0]].strip(_TRIM):
        return StatementParts(text)
    parts = [_trimmed(text[: cuts[0][0]]), "", ""]
    for (_, start, name), next_start in zip(cuts, [*(cut[0] for cut in cuts[1:]), len(text)], strict=True):
        parts[name] = _trimmed(text[start:next_start])
    if (clause := _MAIN_CLAUSE.search(parts[2])) is not None:
        parts[0] = f"{parts[0]}, {parts[2][clause.end() :]}"
        parts[2] = parts[2][: clause.start()]
    return StatementParts(*parts)


def _trimmed(text: str) -> str:
    """Return a part without marks at its ends; a bracket that closes one inside it stays."""
    core = text.strip(_TRIM)
    end = text.find(core) + len(core)
    for opening, closing in ("()", "（）"):
        if core.count(opening) == core.count(closing) + 1 and text[end : end + 1] == closing:
            return core + closing
    return core


def _last_instead(text: str, start: int) -> re.Match[str] | None:
    """Return the last rejection after a reason: the reason itself may reject something."""
    matches = list(_INSTEAD.finditer(text, start))
    return matches[-1] if matches else None


def _parts_of_clauses(text: str) -> StatementParts:
    """Split a Japanese statement, whose connectives follow their clause."""
    subject: list[str] = []
    reason = alternative = ""
    for clause in _clauses(text):
        rejected = _INSTEAD_BEFORE.match(clause) if not alternative else None
        alternative = rejected[1].strip() if rejected else alternative
        rest = rejected[2].strip() if rejected else clause
        cause = _BECAUSE_BEFORE.match(rest) or _BECAUSE.match(rest)
        if cause and not reason:
            reason = (cause[1] if cause.re.groups else rest[cause.end() :]).strip()
        elif rest:
            subject.append(rest)
    if not subject:
        return StatementParts(text)
    named = "、".join(subject)
    return StatementParts(named.removesuffix("は") if reason or alternative else named, reason, alternative)


def _clauses(text: str) -> Iterator[str]:
    yield from (clause.strip() for clause in _CLAUSE.split(text) if clause.strip())


_FOLDED_HEADINGS = frozenset(
    form for heading in _HEADINGS for form in (heading.strip(), without_combining_marks(heading.strip()))
)
_KEY_OF_WORD: dict[str, NoteKey] = {
    form: key
    for key, words in _KEYS.items()
    for word in words.split()
    for form in (word, without_combining_marks(word))
}
