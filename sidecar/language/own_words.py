"""The user's own words of a message: pasted logs, code, quotes and canned text are blanked; offsets stay. Pure.

A missed paste becomes a false memory; a typed line taken for a paste is only a missed memory. Doubt counts as pasted.
"""

import re
from collections.abc import Iterator, Sequence

from sidecar.core.clean_text import clip
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import MAX_PROSE_CHARACTERS, first_sentence, word_count
from sidecar.core.redact import redact
from sidecar.language.introduced_text import introduced_blocks
from sidecar.language.pasted_blocks import FENCES, SOMEBODY, SOURCE, STATES, Line, lines_of, pasted_blocks
from sidecar.language.statement_openings import (
    OUTPUT_BELOW,
    SHORT_ROLE,
    is_own_voice,
    is_spoken_by_tool,
    names_source,
)

MAX_CHARACTERS = 60_000
"""Characters that are examined; a longer message is pasted material, and its rest is blanked."""

MAX_LINE = 8_000
"""Characters of a line that a person types."""

_CODE_LINE = lazy_regex(
    r"\s*+(?:[{}\[\]<│├└┌╭╰─|]|//|/\*|\*/|#include|@@ |\+\+\+ |--- [ab]/|diff --git |\$ |>>> |(?:import|from(?! now)"
    r"|export|const|let|var|def|class|func|fn|return|public|private|protected|static|async|void|int|package|using"
    r"|namespace|struct|interface|val|fun|override|if|for|while|else|try|catch|SELECT|INSERT|UPDATE|CREATE|ALTER"
    r"|DROP) ?.{0,200}[;{}()=:]$|[\w.$\[\]'\"]{1,60} ?(?:=|\+=|:=|=>) ?\S.{0,200}[;{(\[,'\")\d]$|(?:\"[\w-]{1,60}\": ?"
    r"|(?!(?i:remember|merke?|recuerda|lembr[ea]|ricorda|retiens|onthoud|запомни|覚えて"
    r"|记住)\b)[\w-]{1,60}: ?(?!(?:\"[^\"\n]*\"|'[^'\n]*'|\[[^\]\n]*\]"
    r"|\d\S*)(?:\s[^\W\d_][\w'’-]*+[,;]?){2}))(?:[\"'\[{]|\d(?!\d?[.)]\s)).{0,200},?$|[\w.$]{1,60},$"
    r"|[\w.$\"]{1,60}: [\w.$]{1,60}(?: (?:\|\||\?\?) .{0,80})?,$|\.\w{1,40}\(|[\w.$]{1,80}\(.{0,200}\)[;{,]?$"
    r"|(?!(?:[^\W\d_][\w'’-]*+[,;:]?\s++){4,}[\w'’-]++;$).{0,300}[;{}]$|\d+[,;]?$|\d{1,5}\s{0,4}[│|]"
    r"|[\w./\\-]{3,200}:\d+\b|curl |python3? -c )"
)
_DIAGNOSTIC = lazy_regex(
    r"\s*+(?:PS [A-Z]:\\|[A-Za-z]:\\|at [\w.$<>]+[ .]?\(|at (?:async |<anonymous>|\S{1,200}:\d+:\d)|File \""
    r"|Traceback \(|Caused by:|Uncaught |---> \S+(?:Exception|Error)\b|npm (?:ERR!|error|warn|WARN|notice)|(?:yarn|pnpm"
    r"|pip|bun|cargo|go|docker)(?: \w{1,12})? (?:WARN|warn(?:ing)?|error)\b|\[[\w:-]{2,30}\] ?(?i:warn(?:ing)?|error"
    r"|info)\b|error TS\d|error\[|warning[:\[]|Error: |[\w.]{3,80}(?:Error|Exception|Warning)\b[:(]"
    r"|(?:[a-z_]\w{0,40}\.){2,6}[A-Z]\w{1,60}: |(?:INFO|DEBUG|WARN|WARNING|ERROR|FATAL|TRACE)\b|(?:HINT|DETAIL|NOTICE"
    r"|CONTEXT):\s{2}|\[?\d{4}-\d\d-\d\d[T ,]\d\d:|\[?\d{4}(?:-\w{2,3}-|/\d\d/)\d\d[ T]\d|\[?\d{1,2}:\d\d:\d\d\b"
    r"|(?:\([\w.-]{1,20}\) )?[\w.-]{1,40}@[\w.-]{1,60}(?::\S{0,80}[#$]| .{1,60} %)(?: |$)|[\w./:\\-]{3,200}:\d+:[\d ]"
    r"|\S{1,200}\(\d+(?:,\d+)?\): |\d+:\d+\s+(?:error|warning)\b|\([\w.]{2,30} \d+\.\d+[\d.]*\) \S+:\d+|(?:GET|POST|PUT"
    r"|PATCH|DELETE|OPTIONS) (?:/|http)|HTTP/\d|(?:✓|✗|✘|✖|❯|√|×|⨯|➜) |panic: |PHP [A-Z]\w+(?: \w+)?: "
    r"|FAIL(?:ED)?\s+\S+[./]|not ok \d|E {3,}|e: file:|.{20,300}\s[a-z]{3,20}:S\d{2,5}$|(?:[^\t\n]{1,300}\t){3}"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |[IWEF]\d{4} \d\d:\d\d:\d\d\.\d|[\w.-]{1,40}[-_]\d{1,3} {1,20}\| "
    r"|\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d\d(?:\s?[AP]M)? - \w[^:\n]{0,40}: )"
)
_STRUCTURE_LINE = lazy_regex(
    r"\s*+(?:#{1,6} \S|[-*•+] {1,3}\*\*|\*\*[^*\n]{1,80}\*\*:?$|\d{1,2}[.)] {1,3}\*\*|\|.*\|$|[-*_=]{3,}$"
    r"|(?:[-*•+] {1,3})?[✅❌⚠🔴🟢🟡🎯📋🚀⏺⎿⭐📝🔧💡]|[-*•+] \[[ xX]\] )"
)
_CONTINUED_DUMP = lazy_regex(r"\s{2,}\S|\s*(?:= )?(?i:hint|note|help|tip|info|suggestion|see also|caused by):\s")
"""A line below one of a log that belongs to it."""
_FILE_HEADING = lazy_regex(
    r"\s*+(?:(?:#|//|--|/\*|;|<!--)\s?(?:[\w.-]+/)*+[\w-]+\.\w{1,5}\b"
    r"|(?:(?:[\w.-]+/)*+[\w-]+\.\w{1,5}|Dockerfile|Makefile)\b[^:：.\n]{0,30}[:：]\s*$)"
)
_COMMENT = lazy_regex(r"\s*+(?:#\s|//|--\s|/\*|;\s|<!--)\s?\S")
_BANNER = lazy_regex(r"\s*+[\w.@/-]+(?: \w+)? v?\d+\.\d+(?:\.\d+)?\S*(?: \(.{1,80}\))?\s*$")
_LEVEL = lazy_regex(r"\s*+\[?(?i:warn(?:ing)?|error|info|notice|deprecat\w+)\]?[:\s]")
_AGENT_MARK = lazy_regex(r"\s*+(?:⏺|⎿|●) ")
_FENCE = lazy_regex(r"\s*+(?:[^\s`~].{0,300}?)?(?P<mark>```|~~~)")
_QUOTE_LINE = lazy_regex(r"\s*+>(?!=)")
_MAIL_LINE = lazy_regex(
    r"\s*+\**(?:From|To|Cc|Subject|Date|Sent|Von|An|Betreff|Gesendet|De|À|Para|Asunto|Enviado|Objet|Da|Oggetto|Van|Aan"
    r"|Onderwerp|От|Кому|Тема|发件人|收件人|主题|差出人|宛先|件名|Reporter|Assignee|Priority|Status|Labels|Issue"
    r"|Ticket|Reviewer|Author|Commit|Description|Summary|Component|Beschreibung|Descripción|Descrição|Descrizione|描述"
    r"|説明):\** ?\S"
)
_OPENING_TAG = lazy_regex(r"<(?P<name>[a-zA-Z][\w:-]{1,60})(?: [^<>]{0,300})?>")
_QUOTATION = lazy_regex(
    r"(?<![\w\"])\"(?:[^\"\n]{1,11}|(?P<a>[^\"\n]{12,1500}))\"|“(?P<b>[^”\n]{12,1500})”|„(?P<c>[^“”\n]{12,1500})[“”]"
    r"|«(?P<d>[^»\n]{12,1500})»|「(?P<e>[^」\n]{8,800})」|『(?P<f>[^』\n]{8,800})』|`(?:[^`\n]{1,24}"
    r"|(?P<g>[^`\n]{25,1500}))`|(?<!\w)'(?P<h>[^'\n]{25,400})'(?!\w)"
)
_CANNED = lazy_regex(
    r"Implement the (?:following )?plan\b|@agent (?:Try Again|Continue)|\[Request interrupted|Continue to iterate\?"
    r"|Continue: |This session is being continued from a previous conversation|Caveat: The messages below"
    r"|Please continue the conversation from where|Sorry, the response hit the (?:length|rate) limit"
    r"|Verify these issues exist and fix them|\[?Pasted text #\d|DO NOT respond to these messages"
    r"|If this plan can be broken down into multiple|If you need specific details from before exiting plan mode"
    r"|Your task is to create a detailed summary|The user opened the file|The following (?:files|tools|skills) (?:are"
    r"|were) "
)
_WHOLE_CANNED = lazy_regex(
    r"Implement the (?:following )?plan\b|This session is being continued from|Caveat: The messages below"
    r"|Your task is to create a detailed summary"
    r"|Verify these issues exist and fix them|<(?:command-(?:name|message|args)|local-command-\w+)>"
)
_ROLE = lazy_regex(
    r"\s*+(?:#{1,3} (?:role|system|instructions?|context|task|goal|objective)s?\b|(?:\**(?:role|system prompt)\**:)"
    r"|you are (?:an?|the) (?!right|idiot|bit|little|liar|moron)|you are [^.\n]{3,60} (?:—|–|, an?) "
    r"|you are (?-i:[A-Z])\w{1,30}[.,]|act as (?:an?|the) |(?:tu es|vous êtes) une? |eres una? |du bist eine? "
    r"|você é uma? |sei una? |ты (?:—|-) "
    r"|你是一[个名位]|あなたは)",
    re.IGNORECASE,
)
_OF_PROMPT = lazy_regex(r"(?i)\bprompts?\b|промпт|プロンプト|提示词")
_INTRODUCTION = lazy_regex(
    r"(?!.{0,200}\b(?:your questions?|my answers?|error (?:handling|messages?|codes?))\b).{0,400}\b(?:says?|said|log"
    r"|logs|output|error|errors|response|answer(?:ed|s)?|review|feedback|ticket|issue|mail|e-?mail|prompt|plan|report"
    r"|traceback|stack ?trace|console|terminal|summary|spec|document|comment|transcript|message|chatgpt|claude|gemini"
    r"|gpt|dice|respuesta|salida|réponse|sortie|dit|sagt|ausgabe|antwort|fehler(?:meldung)?|resposta|saída|risposta"
    r"|dice|uscita|antwoord|uitvoer|zegt|ответ|ошибка|вывод)\b.{0,60}:\s*$|(?!.{0,40}(?:规[则范]|约定|ルール|規約"
    r"|決まり)).{0,200}(?:日志|报错|错误|输出|回复|回答|提示|如下|ログ|エラー|出力|以下)(?!处理|處理"
    r"|処理)[^：:\n]{0,20}[：:]\s*$"
    r"|.{0,200}(?:日志|报错|错误|输出|回复|回答|提示|方案|ログ|エラー|出力)[^：:\n]{0,8}(?:如下|以下の?通り)\W{0,2}$",
    re.IGNORECASE,
)
_EDITOR_CONTEXT = lazy_regex(r"\s*+# Context from my IDE setup:[\s\S]*?^## My request for Codex:[ \t]*$", re.MULTILINE)
"""Text that Codex's editor extension puts before the user's message: open files, and a heading."""

_COMMAND_DOCUMENT = lazy_regex(r"\s*+-{2,} ?(?:Cursor Command|End Command|BEGIN|Begin|START)\b")

LONG_ROLE = 300
"""Characters of a message from which a role at its beginning is a template."""

MIN_STRUCTURE_LINES = 3
MIN_DUMP_LINES = 2
QUOTED_WORDS = 4


def own_words(message: str) -> str:
    """Return the message in which all but the user's own words is blanked by spaces; length and line breaks stay."""
    if not message.strip():
        return message
    head = message[:MAX_CHARACTERS]
    if _WHOLE_CANNED.match(head.lstrip()):
        return _blanked(message, [(0, len(message))])
    context = _EDITOR_CONTEXT.match(head)
    spans = [context.span()] if context is not None else []
    spans += _elements(_blanked(head, spans))
    spans += _triple_quotations(_blanked(head, spans))
    lines = list(lines_of(_blanked(head, spans)))
    spans += _fences(lines)
    lines = list(lines_of(_blanked(head, spans)))
    for find in (_documents, _dumps, _quoted_lines):
        spans += find(lines)
    spans += _quotations(_blanked(head, spans))
    if len(message) > MAX_CHARACTERS:
        spans.append((MAX_CHARACTERS, len(message)))
    return _blanked(message, spans)


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the text with spans blanked; line breaks stay."""
    if not spans:
        return text
    parts: list[str] = []
    position = 0
    for start, end in sorted(spans):
        if end <= position:
            continue
        begin = max(start, position)
        parts.append(text[position:begin])
        parts.append(re.sub(r"[^\n]", " ", text[begin:end]))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _elements(text: str) -> Iterator[tuple[int, int]]:
    """Yield closed XML elements: expanded commands, reminders, HTML; an unclosed tag is a word."""
    if "</" not in text:
        return
    position = 0
    while (tag := _OPENING_TAG.search(text, position)) is not None:
        end = text.find(f"</{tag['name']}>", tag.end())
        if end < 0:
            position = tag.end()
            continue
        position = end + len(tag["name"]) + 3
        yield tag.start(), position


_TRIPLE_QUOTES = ('"""', "'''")


def _triple_quotations(text: str) -> Iterator[tuple[int, int]]:
    """Yield what is between triple quotation marks, over any number of lines; an unclosed mark is none."""
    for mark in _TRIPLE_QUOTES:
        position = 0
        while (start := text.find(mark, position)) >= 0 and (end := text.find(mark, start + len(mark))) >= 0:
            position = end + len(mark)
            yield start, position


def _fences(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield fenced blocks; an unclosed one ends with the message."""
    opened: int | None = None
    mark = ""
    for line in lines:
        if opened is None:
            if (fence := _FENCE.match(line.text)) is not None:
                start = line.start + fence.start("mark")
                if fence["mark"] in line.text[fence.end() :]:
                    yield start, line.end
                else:
                    opened, mark = start, fence["mark"]
        elif mark in line.text:
            yield opened, line.end
            opened = None
    if opened is not None:
        yield opened, lines[-1].end


def _documents(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield Markdown documents, mails, role prompts, agents' answers and expanded commands."""
    end = lines[-1].end
    length = sum(len(line.text.strip()) for line in lines)
    structured = [line for line in lines if line.text and _STRUCTURE_LINE.match(line.text)]
    if len(structured) >= MIN_STRUCTURE_LINES:
        yield structured[0].start, end
    mail = 0
    for line in lines:
        if not line.text.strip():
            continue
        if _CANNED.search(line.text):
            yield line.start, line.end
        if _AGENT_MARK.match(line.text) or _COMMAND_DOCUMENT.match(line.text):
            yield line.start, end
        if _ROLE.match(line.text) and (length >= LONG_ROLE or _OF_PROMPT.search(lines[0].text) is not None):
            yield line.start, end
        mail = mail + 1 if _MAIL_LINE.match(line.text) else 0
        if mail == 2:
            yield lines[max(0, lines.index(line) - 1)].start, end
        if len(line.text) > MAX_LINE:
            yield line.start, line.end


def _dumps(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield lines of code and logs, with the lines between them, and what a line such as "the log:" introduces."""
    paragraph: list[Line] = []
    above: list[Line] = []
    for line in (*lines, Line(lines[-1].end, lines[-1].end, "")):
        if line.text.strip():
            paragraph.append(line)
        elif paragraph:
            if len(above) == 1 and len(paragraph) > 1 and _INTRODUCTION.match(above[0].text):
                yield paragraph[0].start, paragraph[-1].end
            else:
                yield from _dumped(paragraph, above[-1].text if above else "")
            paragraph, above = [], paragraph


def _dumped(paragraph: Sequence[Line], above: str) -> Iterator[tuple[int, int]]:
    """Yield what is pasted in lines without an empty one between them, below a line."""
    marks = [_is_dump_line(line.text) for line in paragraph]
    for index in (*range(len(marks)), *range(len(marks) - 1, -1, -1)):
        if any(marks[max(0, index - 1) : index + 2]) and _COMMENT.match(paragraph[index].text):
            marks[index] = True
    count = sum(marks)
    if count >= MIN_DUMP_LINES:
        first, last = marks.index(True), len(marks) - 1 - marks[::-1].index(True)
        if 2 * count >= last - first + 1:
            marks[first : last + 1] = [True] * (last - first + 1)
    yield from _printed(paragraph, marks, above)
    for index, line in enumerate(paragraph[:-1]):
        if len(paragraph) - index > 2 and _INTRODUCTION.match(line.text):
            yield paragraph[index + 1].start, paragraph[-1].end
            return


def _printed(paragraph: Sequence[Line], marks: Sequence[bool], above: str) -> Iterator[tuple[int, int]]:
    """Yield lines of code, and those that a source heads, up to one in the user's own voice."""
    is_headed = len(paragraph) > 1 and _heads_file_or_run(paragraph[0].text, paragraph[1].text)
    is_headed = is_headed or _introduces_output(above)
    is_code = False
    for line, mark in zip(paragraph, marks, strict=True):
        has_source = _DIAGNOSTIC.match(line.text) is not None or names_source(line.text)
        is_headed = has_source or (is_headed and (mark or _goes_on(line.text, above)))
        is_code = mark or (is_code and _CONTINUED_DUMP.match(line.text) is not None)
        if is_headed or is_code:
            yield line.start, line.end
        is_headed = is_headed or _introduces_output(line.text)
        above = line.text


def _heads_file_or_run(line: str, following: str) -> bool:
    """Whether a line names the file, or the program and its version, that the line below comes from."""
    if _FILE_HEADING.match(line):
        return _COMMENT.match(following) is not None or _is_dump_line(following)
    return _BANNER.match(line) is not None and _LEVEL.match(following) is not None


def _is_dump_line(line: str) -> bool:
    return _CODE_LINE.match(line) is not None or _DIAGNOSTIC.match(line) is not None


def _goes_on(line: str, above: str) -> bool:
    """Whether a line below one that a source prints belongs to it."""
    return _COMMENT.match(line) is not None or not is_own_voice(line, above)


def _introduces_output(line: str) -> bool:
    """Whether a line ends with the name of what a program printed: "I get this error:"."""
    return OUTPUT_BELOW.search(line) is not None and _INTRODUCTION.match(line) is not None


def _quoted_lines(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    for line in lines:
        if _QUOTE_LINE.match(line.text):
            yield line.start, line.end


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Yield quoted sentences, those that open a line with their marks; a quoted name or value is the user's."""
    for match in _QUOTATION.finditer(text):
        group = match.lastgroup
        if group is None:
            continue  # a short one, whose closing mark opens no other
        content = match[group]
        is_banned = _NOT_TO_WRITE.search(text, max(0, match.start() - 40), match.start()) is not None
        if quotes_sentence(content) and not is_banned and not (group == "g" and _CODE_MARK.search(content)):
            opens_line = not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
            yield match.span() if opens_line else match.span(group)


_NOT_TO_WRITE = lazy_regex(
    r"(?i)\b(?:(?:stop|quit|no more|avoid) (?:\w+ly )?(?:writing|saying|putting|adding|using|ending with|starting with"
    r"|answering)|(?:don['’]?t|do not|never) (?:ever |always )?(?:write|say|put|add|use|end with|start with|answer)"
    r"|schreib\w* (?:nie\w*|nicht)|(?:no|nunca) (?:escribas|pongas|digas|escreva|diga)|n['’]écris (?:pas|plus|jamais)"
    r"|ne (?:dis|mets) (?:pas|plus|jamais)|non scrivere)\W{1,3}$"
)
"""Words before a quotation that the agent is not to write: the user's own words."""


def quotes_sentence(quoted: str) -> bool:
    """Whether quoted text may be a sentence; a few English words are a name or a value."""
    return len(quoted.split()) >= QUOTED_WORDS or not quoted.isascii()


_CODE_MARK = lazy_regex(r"[{}=<>|]|(?<!\w)--?[a-z]|\w\(|;$")
"""A mark of code or a command, which a sentence between backticks has not."""

_LETTER = (
    r"(?:message|mail|e-?mail|comment|feedback|note|request|ticket|issue|review|mensagem|coment[áa]rio|chamado|retorno"
    r"|mensaje|correo|nachricht|kommentar|rückmeldung|courriel|commentaire|retour|messaggio|commento|bericht|opmerking)"
)
_MESSAGE_HEAD = (
    r"[^\W\d_][\w'’.-]{0,20}(?: [^\W\d_][\w'’.-]{0,20}){0,3}(?:(?:\s?[,—–|•·(]\s?| {2,4}|\t)(?:(?:today|yesterday|heute"
    r"|gestern|hoy|ayer|hoje|ontem|aujourd['’]hui|hier|oggi|ieri|\d[\d./-]{3,9})[, ]{1,2}(?:at |um |a las |às |à "
    r"|alle )?)?\d{1,2}[:h.]\d\d(?:\s?[ap]m| uhr)?| \d{1,2}:\d\d\s?[ap]m| (?:commented|replied|reviewed|wrote"
    r"|added a comment|left a (?:comment|review|reply))(?!\w)[^.!?\n]{0,24}(?: ago|\d[:/. -]\w)[^!?\n]{0,20})\)?\s*$"
)
"""The head of a message that is copied from a conversation: a name and a time."""

_REPORTED_WORDS = lazy_regex(
    rf"{_MESSAGE_HEAD}|"
    rf"(?=[^:：\n]{{1,120}}[:：]\s*$)(?:[^:：\n]{{0,60}}?(?<!\w)(?:{SOMEBODY}|{SOURCE})(?: \w+){{0,3}}? "
    rf"(?:{STATES}|complains?|warns?|prints?|shows|outputs|meldet)(?!\w)"
    rf"|(?:here(?:['’]s| is)|this is|i (?:get|got|see)|hier ist|aqu[íi] está|voici|ecco|hier is|вот)\s[^:：\n]{{0,40}}?"
    rf"(?<!\w){SOURCE}(?!\w)"
    rf"|[^:：\n]{{0,40}}?(?<!\w){_LETTER}(?!\w)[^:：\n]{{0,30}}?(?<!\w)(?:from|d[aeo]|del|d['’]|von|vom|du|des|van|от"
    r"|(?:on|en|no) (?:slack|whats\w*|teams|zap|jira))(?!\w)|(?:(?:this|the|here['’]?s the|este|esse|o|el|das|dieses|le"
    r"|ce|aqui o|aquí el|hier(?: ist)? das) )?(?:ticket|issue|chamado|slack|jira)(?: (?:from|by|von|d[aeo]|van"
    r"|от) \w+){0,1}\s*[:：]|[^:：\n]{0,30}(?:チケット|メール|問い合わせ|要望|レビュー|リンター|出力|(?:slack|teams"
    r"|line)(?=[\u3040-\u9fff])|スラック|お客(?:様|さん)|客先|上司|先輩|同僚|[^\s:：]{1,8}さん)(?:[^:：\n]{0,16}(?:から"
    r"|より|の(?:コメント|メッセージ|連絡|要望|指摘|発言)|[がは](?:言|書|送)|お願い|対応|です|曰く))?[^:：\n]{0,6}[:：]"
    r"|[^:：\n]{0,12}(?:客户(?!端)|甲方|同事|老板|领导|经理|工单|邮件|评审|群里|微信|钉钉|飞书|linter|文档)[^:：\n]{0,16}[:：])",
    re.IGNORECASE,
)
"""A line after which somebody else speaks: "the customer writes:", "Anna, 10:32"."""

_TO_WRITE = (
    r"(?:write|add|append|insert|put|change|rename|set|draft|print|display|schreibe?|ändere|füge|escribe|cambia|añade"
    r"|agrega|escreva|mude|adicione|écris|ajoute|scrivi|aggiungi|schrijf|напиши|добавь)"
)
_TO_TRANSLATE = r"(?:translate|übersetze?|traduce|traduza|traduis|traduci|vertaal|переведи)"
_PLACE_OF_TEXT = (
    r"(?:\w+\.md|changelog|readme|docs?|documentation|guide|wiki|label|title|text|button|message|comment|head(?:ing|er)"
    r"|placeholder|string|texto|título|etiqueta|bot[óã]o|botón|texte|titre|libellé|bouton|beschriftung|titel|testo"
    r"|titolo|etichetta|pulsante|текст|заголовок)"
)
_TEXT_TO_SHOW = (
    r"(?:commit message|pr (?:title|description)|todo|fixme|release notes?|headline|toast|tooltip|banner|caption"
    r"|(?:button|error) (?:text|label|message)|subject line)"
)
_DOCUMENT = r"(?:ticket|user story|system prompt|spec(?:ification)?|slack|e-?mail|tweet|blog post)"
_OURSELVES = r"(?:i|we|you|ich|wir|yo|eu|je|nous|nós|io|noi|ik|wij|я|мы)"
_IN_LABEL = r"(?:[^:：.!?\n]|\.(?=\w))"
_RULES_TO_WRITE = (
    r"(?:(?:please|pls|can you|could you|and|now|bitte|por favor|stp)[\s,]{1,3}){0,3}(?:write|create|draft|generate"
    r"|make|prepare|schreibe?|erstelle?|entwirf|escribe|crea|redacta|genera|écris|crée|rédige|escreva|crie|gere|scrivi"
    r"|schrijf|maak|напиши|создай) (?:me |mir |us |uns )?(?:an?|eine?[nrm]?|une?|una|um|uma"
    r"|een)? ?(?:\w+ )?(?:agents\.md|claude\.md|\.?cursorrules|contributing(?:\.md)?|style ?guide|system prompt"
    r"|\w*richtlinie\w*|guía|guide|guia|guida)(?!\w)[^:：\n]{0,60}[:：]\s(?P<rules>[^\n]+)"
)
_DICTATED = lazy_regex(
    rf"^{_RULES_TO_WRITE}|"
    r"(?:^|(?<=[.!?。！？] ))(?!(?:[^:：\n]{0,80}\b(?:rules?|memor\w*|remember|claude\.md|agents\.md|conventions?"
    r"|preferences?|merke?|beachte|denke? d(?:a)?ran|recu[eé]rd\w{1,6}|acuérdate|lembr\w{1,4}|souv(?:iens|enez)"
    r"|rappel\w{1,4}|retiens|ricord\w{1,4}|onthoud?|запомни\w{0,2}|помни\w{0,2})\b))"
    r"(?:(?:and|now|then|also|please|pls|ok|can you|could you|would you)[\s,]{1,3}){0,3}"
    rf"(?:(?:{_IN_LABEL}{{0,60}}(?<!\w){_DOCUMENT}(?!\w){_IN_LABEL}{{0,30}}"
    rf"|(?!(?:\w+ )?{_OURSELVES}\s)\w[\w.-]{{1,24}}(?: \w{{1,12}})? (?:{STATES}|suggests?|suggested|recommends?"
    r"|recommended|told (?:me|us)|claims?|claimed|thinks|announced))\s?[:：]\s(?P<others>[^\n]+)"
    rf"|(?:{_TO_TRANSLATE}(?!\w){_IN_LABEL}{{1,80}}"
    rf"|{_TO_WRITE}(?!\w){_IN_LABEL}{{1,60}}?(?<!\w){_PLACE_OF_TEXT}(?!\w){_IN_LABEL}{{0,30}}"
    rf"|(?:the )?{_TEXT_TO_SHOW}(?!\w){_IN_LABEL}{{0,40}})"
    r"\s?[:：]\s(?P<text>[^\n]{1,400}?(?:[.!?。！？](?=\s|$)|$)))",
    re.IGNORECASE | re.MULTILINE,
)
"""A text in its line that somebody else wrote, or that is to be written somewhere: "change the label to: …"."""

_CLAIMS = (
    r"(?:says?|said|writes?|wrote|states?|stated|claims?|claimed|thinks?|complain(?:s|ed)|recommends?|recommended"
    r"|suggests?|suggested|insists?|wants (?:us|me|you) to|told (?:me|us|you)|tells (?:me|us|you)|sagte?|schreibt"
    r"|behauptet|meinte?|steht|empfiehlt|will,? dass|dice|dijo|recomienda|sugiere|afirma|quiere que|dit|a dit|écrit"
    r"|recommande|veut qu[e'’]|prétend|diz|disse|recomenda|sugere|quer que|ha detto|scrive|consiglia|vuole che|zegt"
    r"|zei|schrijft|beweert|говорит|пишет|сказала?|советует)"
)
_REPORTED_BY_OTHERS = lazy_regex(
    rf"^(?:(?!\b(?:if|when|whenever|wenn|falls|si|cuando|quand|se|quando|als|если|когда)\b)[^.!?\n]){{0,40}}?(?<!\w)"
    rf"(?:{SOMEBODY}|{SOURCE})(?:\s\w+){{0,2}}?,?\s{_CLAIMS}(?!\w)"
    r"|^\W*(?:\w+\s){0,2}(?:according to|laut|gemäß|según|selon|volgens|согласно)\s(?!(?:me|mir|moi|mí|mim)\b)"
    r"|\b(?:according to|laut|gemäß|según|selon|volgens|согласно)\s(?:(?:the|our|de[rmn]?|die|la|el|los|les?|il"
    rf"|het)\s)?(?:{SOURCE}|{SOMEBODY})(?!\w)"
    rf"|\b(?:im|in der|en el|en la|no|na|dans le|dans la|nel|nella|in (?:the|our))\s{SOURCE}(?:\s\w+){{0,3}}?\s"
    r"(?:it says|says|steht|dice|diz|il est écrit|c['’]est écrit|está escrito|c['’]è scritto)(?!\w)|(?:read ?me"
    r"|ドキュメント|資料|記事|上司|先輩|同僚|リーダー|マニュアル|規約)(?:に|では|が|は|によると)[^。\n]{0,60}(?:と"
    r"|って)(?:書|言|あ(?:る|り)|の)"
    r"|(?:read ?me|文档|文章|老板|同事|领导|经理|教程|手册|规范|他|她)(?:里|中|上)?(?:面)?"
    r"(?:说|写|要求|建议|让我们|觉得)",
    re.IGNORECASE,
)
"""Words by which a sentence reports what somebody else or a text states."""

_AGREED = lazy_regex(
    r"(?i)\b(?:(?:and|which) (?:i agree|(?:he|she|it|that|they)(?:['’]s| is|['’]re| are) right)|so (?:please "
    r"|let['’]?s |we )?(?:always|never|do|follow|stick|keep|use|don['’]?t)|follow (?:it|that|this)|halte? dich"
    r"|recht hat|tiene razón|a raison|tem razão)\b|その通り|没错"
)
"""Words by which the user makes reported words the user's own."""

_PAST = (
    r"(?:yesterday|last (?:week|time|month|night)|earlier|gestern|letzte woche|letztes mal|ayer|la semana pasada|hier"
    r"|la semaine dernière|ontem|(?:na )?semana passada|ieri|la settimana scorsa|gisteren|вчера)"
)
_BANTER = lazy_regex(
    r"^\W*(?:always|never) (?:an?|the|happy|glad|nice|good|great|fun|something|too|there)\b"
    r"|^\W*(?:immer (?:wieder )?gern|siempre un placer|sempre um prazer|toujours un plaisir|sempre un piacere)\b"
    r"|\bfrom now on,? (?:i['’]?m|i am|you(?:['’]?re| are)) (?:an?|on|my|so|not? longer (?:an?|my))\s|\b(?:ab jetzt"
    r"|von nun an|ab sofort),? (?:bist du|bin ich|du bist|ich bin) (?:ein|eine|mein|meine|im|in)\s|\b(?:a partir de"
    r"|de) ahora(?: en adelante)?,? (?:tú )?(?:eres|soy|estoy) (?:una?|mi|de|en)\s|\b(?:à partir de maintenant"
    r"|désormais|dorénavant),? (?:tu es|je suis) (?:une?|mon|ma|en)\s|\b(?:a partir de agora"
    r"|daqui em diante),? (?:você é|tu és|(?:eu )?sou|(?:eu )?estou) (?:uma?|meu|minha|de|em)\s"
    r"|\bd['’]ora in poi (?:sei|sono) (?:un|una|il mio|in)\s|\bvanaf nu (?:ben je|ben ik) (?:een|mijn|op)\s|(?:今から"
    r"|これから|今後)(?:あなた|君|お前)は[^。\n]{1,20}(?:です|だ|ね)?[。！!]?$|(?:从现在(?:开始|起)"
    r"|以后)你(?:就)?是(?:一[个只名])?"
    rf"|\b(?:remember|(?:denk(?:e)?|erinner\w*) (?:dich )?(?:dr?an|daran)|recuerd[ae]|souviens|rappelle|lembr[ae]"
    rf"|ricord[ai]|onthoud|помни)[^.?!\n]{{0,30}}?\b(?:you|du|tú|te|tu|\w+iste|vous|você|hai|je"
    rf"|ты)\b[^.?!\n]{{0,60}}?\b{_PAST}\b"
    r"|(?:昨日|さっき|先週)[^。\n]{1,40}(?:覚えて|忘れない)|记住你?(?:昨天|上周|刚才)",
    re.IGNORECASE,
)
"""Small talk, a role to play and a reproach, in the words of a rule."""


def is_banter(text: str) -> bool:
    """Whether a sentence jokes, gives somebody a role, or reproaches, in words that elsewhere make a rule."""
    return _BANTER.search(text) is not None


def reports_others(sentence: str) -> bool:
    """Whether a sentence reports what others state, and the user does not agree."""
    return _REPORTED_BY_OTHERS.search(sentence) is not None and _AGREED.search(sentence) is None


MAX_REQUEST_BELOW = 120
"""Characters of a line below somebody else's words that still is the user's."""


def stated_words(message: str) -> str:
    """Return the user's own words without those of somebody else and those to be written somewhere; offsets stay.

    A line such as "the customer writes:" attributes all that follows, but for a last paragraph of one short line.
    """
    own = own_words(message)
    own = _blanked(own, [match.span(match.lastgroup or 0) for match in _DICTATED.finditer(own)])
    lines = list(lines_of(own))
    foreign = (line for line in lines if SHORT_ROLE.match(line.text) or is_spoken_by_tool(line.text))
    spans = [*_specified_items(lines), *((line.start, line.end) for line in foreign)]
    own = _blanked(own, spans)
    own = _blanked(own, [*pasted_blocks(message, own), *introduced_blocks(message, own)])
    return _blanked(own, list(_reported_words(message, own)))


def _reported_words(message: str, own: str) -> Iterator[tuple[int, int]]:
    """Yield the span below a line such as "the customer writes:", but for a last paragraph of one short line."""
    lines = list(lines_of(own))
    at = next((number for number, line in enumerate(lines) if _REPORTED_WORDS.match(line.text.strip())), len(lines))
    below = [line for line in lines[at + 1 :] if line.text.strip()]
    if below and not message[lines[at].end :].lstrip().startswith(FENCES):  # they show where they end
        last = below[-1]
        *between, above, _ = message[lines[at].end : last.end].split("\n")
        is_alone = any(map(str.strip, between)) and not above.strip() and len(last.text) <= MAX_REQUEST_BELOW
        yield below[0].start, last.start if is_alone else last.end


def without_fences(message: str) -> str:
    """Return a message in which fenced blocks are blanked; offsets stay."""
    return _blanked(message, [fence.span() for fence in _FENCED.finditer(message)])


def adjoins_paste(message: str, words: str, start: int, end: int) -> bool:
    """Whether the paragraph of a part of a message has text that is not among the user's own words."""
    start = max((match.end() for match in _PARAGRAPH_END.finditer(message, 0, start)), default=0)
    end = next((match.start() for match in _PARAGRAPH_END.finditer(message, end)), len(message))
    return "".join(message[start:end].split()) != "".join(words[start:end].split())


_FENCED = lazy_regex(r"(?P<fence>```|~~~)[\s\S]*?(?:(?P=fence)|\Z)")
_PARAGRAPH_END = lazy_regex(r"\n[ \t]*\n")


def _specified_items(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield the items of a list of what is to be built: "Acceptance criteria"."""
    is_inside = False
    for line in lines:
        if _SPECIFICATION_HEADING.fullmatch(line.text.strip()):
            is_inside = True
        elif is_inside and _ITEM.match(line.text):
            yield line.start, line.end
        elif line.text.strip():
            is_inside = False


_ITEM = lazy_regex(r"\s*+(?:[-*•+–]|\d{1,2}[.)]|\[[ xX]?\])\s")
_SPECIFICATION_HEADING = lazy_regex(
    r"[#*_\s]{0,6}(?:(?:functional |technical )?requirements?|acceptance criteria|acs?|definition of done|specs?"
    r"|specification|user stor(?:y|ies)|features?|to-?dos?|todo list|tasks?|please (?:implement|build)|anforderungen"
    r"|akzeptanzkriterien|aufgaben|funktionen|exigences|critères d['’]acceptation|tâches|requisitos"
    r"|criterios de aceptación|critérios de aceit(?:e|ação)|tareas|tarefas|requisiti|criteri di accettazione|compiti"
    r"|eisen|acceptatiecriteria|taken|требования|критерии приёмки|задачи"
    r"|要件|要求|仕様|受け?入れ?(?:条件|基準)|タスク|需求|要求|验收(?:标准|条件)|规格"
    r"|任务)[*_\s]{0,6}[:：]?[*_\s]{0,4}",
    re.IGNORECASE,
)
"""A line above what is to be built."""

MAX_REQUEST = 200
_CONSOLE_LINE = lazy_regex(
    r"(?:\.\w{1,5}|>):\d+|^\s*(?:/|[A-Z]:\\)\S+/\S+|\d{4}-\d\d-\d\d[ T]\d\d:\d\d"
    r"|\bfix the code to dismiss\b|\bdisable this overlay\b"
)
"""A line of a console or a path: not the user's words."""

MIN_REQUEST_WORDS = 4
"""A request with fewer words, such as "go on", names nothing."""

MAX_REQUEST_IN_FULL = 300
_LIST_NUMBER = lazy_regex(r"[\s:：]{1,3}\d{1,2}$")


MIN_INTRODUCTION_WORDS = 8
"""Words of a sentence before pasted text from which it names something by itself."""
_POINTS_BELOW = lazy_regex(
    r"(?i)\b(?:following|these|this|below|here|steps|folgende\w*|siguientes?|seguintes?|suivante?s?|seguent[ei]"
    r"|volgende|следующ\w+)\W*$|(?:以下|次の|下面)\S{0,12}$"
)
"""The end of a sentence that names nothing but what is below it."""


def request_of(text: str) -> str:
    """Return the first sentence that the user typed of a request; empty if it names nothing, as "go on" does."""
    prose = without_console_lines(own_words(text[:MAX_PROSE_CHARACTERS]))
    sentence = _LIST_NUMBER.sub("", first_sentence(redact(prose), MAX_REQUEST)).rstrip()
    if word_count(sentence) >= MIN_INTRODUCTION_WORDS and not _POINTS_BELOW.search(sentence):
        sentence = sentence.rstrip(":：")
    is_whole = not sentence.endswith(("…", ":", "：", ",", "，", " following"))
    return sentence if is_whole and word_count(sentence) >= MIN_REQUEST_WORDS else ""


def without_console_lines(words: str) -> str:
    """Return what the user typed without pasted lines of a console."""
    return "\n".join(line for line in words.splitlines() if not _CONSOLE_LINE.search(line))


def request_in_full(text: str) -> str:
    """Return the beginning of what the user typed of a request, on one line; empty if it names nothing."""
    words = redact(" ".join(own_words(text[:MAX_PROSE_CHARACTERS]).split()))
    return clip(words, MAX_REQUEST_IN_FULL) if word_count(words) >= MIN_REQUEST_WORDS else ""


REPAIR = lazy_regex(
    r"\bfix\w*\b[^.]{0,80}\b(?:bug|error|issue|problem)s?\b(?![^.]*\bus(?:e|ing)\b)|修复[^。]{0,60}(?:错误|问题)"
    r"|\bi (?:\w{1,12} )?(?:get|got|getting|see|receive)\b[^.\n]{0,80}\binstead of\b",
    re.IGNORECASE,
)
"""Words for a fault that is to be repaired; "instead of" beside them states what should happen."""
