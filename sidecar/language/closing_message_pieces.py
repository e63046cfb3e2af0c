"""Sentences and headings of an agent's final words, each with the label above it. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecar.core.clean_text import without_links
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import Code, Heading, Line, markdown_blocks
from sidecar.core.prose_sentences import split_sentences
from sidecar.language import closing_message_patterns as patterns
from sidecar.language.closing_message_patterns import Section

MAX_LABEL = 70

_LABEL_PATTERNS: tuple[tuple[Section | None, str], ...] = (
    ("change", (
     r"error[- ]handling|gestion d(?:es |['’])erreurs?|(?:manejo|gestión) de errores|tratamento de erros"
     r"|fehlerbehandlung|gestione (?:degli )?errori|foutafhandeling|обработк\w{1,3} ошибок|エラー(?:処理|ハンドリング)"
     r"|错误处理")),
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
     r"|pending|caveats?|próximos pasos"
     r"|pendientes?|falta\w*|próximos passos|pendências|prochaines étapes|reste à faire|à faire|nächste schritte"
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
            paragraph += 1
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
        for place, sentence in enumerate(spoken, 1):
            is_opening = opens and place == len(spoken)
            has_label = own is not None and rest != line
            yield Piece(own, sentence, False, item, paragraph, is_opening, is_nested, of_part, has_label)


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


def _labelled(line: str, section: Section | None) -> tuple[Section | None, str]:
    """Return the section that a label at the line's beginning names, and the line without that label."""
    label = patterns.INLINE_LABEL.match(line)
    if label is None or "`" in label[1]:
        return section, line
    own, _ = _label_section(label[1])
    is_plain_label = len(label[1].split()) <= 3 and own is not None and not patterns.CHANGE.search(label[1])
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
            yield plain


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
