"""The text of a prompt, and the task fingerprint: what a conversation is about, not how it is worded. Pure.

`clean_prompt` drops the host's markers and secrets and shortens long prompts; the prompt itself goes to the provider
unchanged.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

from sidecar.codebase import (
    PromptParts,
    as_quotations,
    identifiers_of,
    is_code,
    paths_in,
    pointing_words,
    prompt_parts,
    query_words,
    quoted_texts,
    scope_prefix,
    stem,
    without_outer_frames,
)
from sidecar.core.clean_text import one_line
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import described_problem
from sidecar.core.redact import redact
from sidecar.core.terms import DOCUMENTS_SCOPE, INTEGRATION_NAME
from sidecar.language.common_words import english_terms
from sidecar.language.english_translation import english_words
from sidecar.language.message_intent import (
    documents_scope,
    is_courtesy,
    reports_failing_test,
    subject_of,
)
from sidecar.language.rule_synonyms import FUNCTION_WORDS, TOOL_NAMES, folded
from sidecar.runs import RecentWork, Task

HEAD_CHARACTERS = 16_000
TAIL_CHARACTERS = 4_000
"""Only the beginning and the end of a longer prompt are read: the middle is pasted text."""

_MENTION = lazy_regex(r"@\[(file|folder):[^:\]\n]*:([^\]\n]{1,2000})\]")
_MARKER = lazy_regex(r"@\[[a-z]+:[^\]\n]{0,2000}\]")


def clean_prompt(prompt: str) -> str:
    """Return a prompt's own words, with the paths it mentions, and the innermost frames of a stack trace."""
    if len(prompt) > HEAD_CHARACTERS + TAIL_CHARACTERS:
        prompt = (
            f"{_drop_cut_word(prompt[:HEAD_CHARACTERS])}\n{_drop_cut_word(prompt[: -TAIL_CHARACTERS - 1 : -1])[::-1]}"
        )
    return _strip_markers(prompt)


def _drop_cut_word(cut: str) -> str:
    """Drop a word that was cut at the end: half a secret is not recognized as one."""
    at = len(cut) - 1
    while at > 0 and not cut[at].isspace():
        at -= 1
    return cut[: at or None]


@lru_cache(maxsize=16)
def _strip_markers(prompt: str) -> str:
    return redact(_MARKER.sub(" ", _MENTION.sub(r" \2 ", _COMMAND.sub(" ", without_outer_frames(prompt)))))


_COMMAND = lazy_regex(
    r"<command-(name|message)>[^<]*</command-\1>|</?command-args>"
    r"|<(local-command-\w{1,30})>(?:[^<]|<(?!/?local-command-))*+</\2>"
)
"""An expanded command of Claude Code: its name and its output say nothing about the repository, its arguments do."""


def mentioned_paths(prompt: str) -> tuple[list[str], list[str]]:
    """Return the files and the folders that the host's markers in a prompt name (Codex; Claude's are expanded)."""
    mentions = list(dict.fromkeys(_MENTION.findall(prompt)))[:200]
    return [path for kind, path in mentions if kind == "file"], [path for kind, path in mentions if kind == "folder"]


MAX_QUERY_CHARACTERS, MAX_TITLE_CHARACTERS = 4_000, 400
MAX_TERMS, OBJECTIVE_CHARACTERS = 300, 300
MIN_OWN_TERMS = 3
"""A prompt with fewer words of its own may be a follow-up in other words."""

_HAS_WORD = lazy_regex(r"[^\W\d_]{3}")
"""Excludes `e.g`, `i.e` and `v2`."""

_ABOUT_INTEGRATION = lazy_regex(
    r"\bCI (?:is|fails?|failing|failed|failure|broke|broken|red|config|configuration|jobs?|runs?|pipeline|workflow"
    r"|builds?|should|must|takes?|uses?|needs?|does)\b"
    r"|^\W{0,3}(?i:(?:please|can you|let's|we should) )?(?i:run|cache|skip|disable|enable|use|install|test|build|lint"
    r"|add|move|remove)\b[^.!?\n]{1,60} (?:in|on|to|from) (?:the |our )?CI\b"
    r"|\b(?i:fix|repair|update|change|speed up|set up|extend|debug) (?:the |our )?(?:\w{1,20} )?CI\b"
    r"|\b(?i:fails?|failing|failed|breaks?|broken|crashes|hangs|flaky|times out) (?:only )?(?:on|in) (?:the )?CI\b"
)
"""Continuous integration as a prompt's subject, not as in "so that CI passes"."""

MAX_OPENING = 60
_FIRST_WORD = lazy_regex(r"[^\W\d_]+")

_TEST_TERMS = frozenset(("test", "spec"))
"""Terms that a report of a failing test is not searched by: they lead to other tests."""

_FOLLOW_UP_WORDS = (
    "continue", "ok", "okay", "yes", "thanks", "great", "good", "nice", "cool", "proceed", "again", "retry", "next",
    "step", "finish", "fix", "run", "test", "commit", "push", "check", "explain", "error", "fail", "problem", "issue",
    "undo", "revert", "review", "still", "better", "wrong", "right", "sorry", "hello", "hi", "hey", "change", "edit",
    "one", "two", "first", "second", "last", "find", "whole", "everything", "anything", "something", "start", "let",
    "say", "implement", "plan", "task", "done", "go", "keep", "please", "update", "create", "write", "remove", "make",
)  # fmt: skip
_GREETING_PAIRS = frozenset(("你好", "谢谢", "您好", "안녕", "녕하", "하세", "감사", "사합"))
"""The pairs of characters that `query_words` makes of 你好, 谢谢, 您好, 안녕하세요 and 감사합니다.

They are written out because making them compiles two patterns at each start, 3 ms each.
"""
_GREETINGS = frozenset(query_words(
    "morning evening afternoon welcome cheers hola gracias buenas buenos días tardes bonjour salut merci coucou hallo"
    " danke servus moin guten tag morgen olá oi obrigado obrigada bom boa dia ciao grazie buongiorno salve hoi bedankt"
    " dank привет здравствуйте спасибо cześć dzień dobry dzięki dziękuję merhaba teşekkürler xin chào cảm ơn"
)) | _GREETING_PAIRS  # fmt: skip
_FOLLOW_UP_TERMS = frozenset(stem(word) for word in _FOLLOW_UP_WORDS) | _GREETINGS
"""Words about working, whatever the work is about: they do not tell two tasks apart."""

_FILLER_TERMS = frozenset(stem(word) for word in (
    "continue", "ok", "okay", "yes", "thanks", "great", "good", "nice", "cool", "proceed", "retry", "sorry", "hello",
    "hi", "hey", "better", "wrong", "right", "still", "whole", "everything", "anything", "say", "go", "keep", "explain",
    "find", "implement", "one",
)) | _GREETINGS  # fmt: skip
"""The subset of them that does not lead to a file either: `test`, `error` or `remove` may."""

_OPENING_TERMS = frozenset(map(stem, ("retry", "hello", "continue")))
"""Those that do lead to a file, unless only others come before them: "the retry link", but "ok, continue with it"."""

GENERAL_TERMS = _FOLLOW_UP_TERMS | frozenset(
    stem(word) for word in (
        "refactor", "try", "improve", "clean", "cleanup", "optimize", "help", "repo", "debug", "bug", "faster", "thing",
        "stuff", "project", "repository", "codebase", "code", "program", "overview", "summarize", "describe", "use",
        "understand", "analyze", "look", "read", "show", "tell", "give", "know", "need", "want", "work", "add", "unit",
    )
)  # fmt: skip
"""Words that lead to no file when a prompt consists of nothing else."""

_REFERS_BACK = lazy_regex(
    r"\W*(?:(?:and|then|also|but|so|or|plus|ah|oh|ok|okay|what about|how about)\b"
    r"|(?:[^\W\d_]+\W+){0,3}?(?:it|them|this|these|those|that's|that tests?)\b)",
    re.IGNORECASE,
)
"""Matches a prompt that continues a sentence, or says `it` before it names anything."""

_ANNOUNCEMENT = lazy_regex(
    r"(?:(?:ok|okay|great|thanks|thank you|good|perfect|nice|and|but|so|then|now|for|alright|let['’]?s do|jetzt|nun"
    r"|ahora|maintenant|agora|ora|nu|теперь)[\s,.!:]{1,3}){0,4}+"
    r"(?:(?:an? )?(?:something (?:else|different|unrelated)|(?:another|different|new|next|separate|unrelated)"
    r" (?:topic|subject|task|issue|thing|question|problem|bug|feature|ticket|request|note|matter))"
    r"|unrelated|on (?:another|a different) note|chang(?:e|ing) (?:of |the )?(?:topic|subject)|moving on"
    r"|next(?: up)?(?=\s{0,2}[:：])|(?:et)?was (?:ganz )?anderes|(?:anderes|neues) thema"
    r"|(?:nächste|neue|andere) (?:aufgabe|frage)|otra cosa|otro tema|siguiente tarea"
    r"|autre chose|autre sujet|tâche suivante|outra coisa|outro assunto|próxima tarefa"
    r"|un['’ ]altra cosa|altro argomento|iets anders|ander onderwerp|volgende taak"
    r"|другое|другая тема|следующая задача|换个话题|另外?一个问题|下一个任务|別件(?:です)?|次のタスク)"
    r"\s{0,3}(?:[:：,，.。;!—–-]{1,3}|\n)\s*+(?=\S)",
    re.IGNORECASE,
)
"""Words by which a prompt says that a new subject begins: "now something else:", "next: ", "unrelated, "."""


def without_announcement(prompt: str) -> str:
    """Return a prompt without first words which say that its subject is another; as it is without any."""
    match = _ANNOUNCEMENT.match(prompt)
    return prompt[match.end() :] if match is not None else prompt


_TESTS_NEXT = lazy_regex(
    r"(?:(?:ok|okay|great|thanks|good|perfect|and|now|then|next|also|please|can you|could you|let['’]?s|do|have"
    r"|go on|carry on|move on|continue|proceed|with|weiter|mit"
    r"|write|add|create|make|extend|update|adapt|cover|we need|i want|und|jetzt|nun|noch|auch|bitte|kannst du"
    r"|schreib\w{0,3}|füge?|ergänze?|erstelle?|mach|decke?|y|ahora|por favor|puedes|añad[ea]|agreg[ao]|escrib[ea]"
    r"|haz|crea|cubre|e|agora|você pode|adicion[ae]|escrev[ae]|crie|faça|cubra|et|maintenant|tu peux|peux-tu"
    r"|ajoute[rz]?|écri[st]|écrivez|écrire|fais|crée|couvre)\b[\s,.!:]{1,3}){0,6}+"
    r"(?:(?:it|this|that|them|das|es|ça|cela|eso|esto|isso|isto) (?:with|mit|avec|con|com) )?"
    r"(?:(?:the|some|an?|its|their|unit|integration|regression|missing|new|more|matching|die|eine?[nm]?|dazu|auch"
    r"|noch|une?|una|uns|unos|unas|uma?s?|las?|los|os|as|des|les) ){0,4}+"
    r"(?:(?:unit-?|regressions?-?)?tests?|specs?|test cases?|test coverage|testfälle|testes?|pruebas?)"
    r"(?: (?:unitaires?|unitari[ao]s?|unitários?|de regresión|de regressão|de non-régression))?"
    r"(?: (?:for|of|to) (?:it|this|that|them|those|the change|these changes|your changes?|the fix|this fix|this change)"
    r"| (?:dafür|dazu|pour (?:ça|cela|ce changement|cette fonction)|para (?:es[aeo]|est[aeo]|ello|iss?o|isto|ela?"
    r"|ele)))?"
    r"(?: hinzu| ab)?(?:,? (?:too|as well|please|now|next|bitte|por favor|stp|svp|s['’]il te pla[iî]t)){0,2}\W{0,5}"
    r"|(?:现在|再|请|帮我|麻烦|也|[，,\s]){0,4}(?:(?:给|为|对)(?:它|此|这个?(?:函数|方法|改动|修改|功能)?|上面的)?)?"
    r"(?:写|加|补充?|添加|增加|编写)(?:上|一下|一?个|一些|点|几个)?(?:单元|回归)?测试(?:用例)?(?:吧|一下)?[。！]?"
    r"|(?:(?:これ|それ|この(?:関数|変更|修正)|今の変更)(?:の|に|用の|に対する))?(?:単体|ユニット|回帰)?"
    r"テスト(?:コード|ケース)?[もを]?(?:書いて|追加して|作って|作成して|足して)(?:ください|下さい|くれ|もらえますか)?[。！]?",
    re.IGNORECASE,
)
MAX_NEXT_REQUEST = 80
"""Characters of a request that only continues the work before it."""


def asks_for_tests_of_work(prompt: str) -> bool:
    """Whether a prompt only asks for tests of what was done before it, as in "now the tests", or also documents."""
    return _is_only(_TESTS_NEXT, prompt) or _is_for_both(prompt)


_DOCUMENTS_NEXT = lazy_regex(
    r"(?:(?:ok|okay|great|thanks|good|perfect|and|now|then|next|also|please|can you|could you|do|adapt|adjust|update"
    r"|extend|document|und|jetzt|noch|auch|bitte|aktualisiere?|y|ahora|actualiza|e|agora|atualiz[ae]|et|maintenant)\b"
    r"[\s,.!:]{1,3}){0,6}+"
    r"(?:(?:it|this|that|them) in )?(?:(?:the|its|our|die|la|os|as|a) ){0,2}+"
    r"(?:docs?|documentation|readme(?:\.md)?|doku|dokumentation|documentación|documentação)"
    r"(?: (?:for|of) (?:it|this|that|them|the change|this change|your changes?))?"
    r"(?:,? (?:too|as well|accordingly|please|now|an|bitte|por favor)){0,2}\W{0,5}",
    re.IGNORECASE,
)


def asks_for_documents_of_work(prompt: str) -> bool:
    """Whether a prompt only asks for documents of what was done before it, or also for tests: "now the docs"."""
    return _is_only(_DOCUMENTS_NEXT, prompt) or _is_for_both(prompt)


_JOINED = lazy_regex(r",? (?:and|und|y|e|et|plus|&|\+) ", re.IGNORECASE)


def _is_for_both(prompt: str) -> bool:
    """Whether a prompt only asks for tests and documents: "now the tests and the readme"."""
    pairs = [(prompt[: match.start()], prompt[match.end() :]) for match in _JOINED.finditer(prompt[:MAX_NEXT_REQUEST])]
    pairs += [(last, first) for first, last in pairs]
    return any(_is_only(_TESTS_NEXT, tests) and _is_only(_DOCUMENTS_NEXT, documents) for tests, documents in pairs)


def _is_only(request: re.Pattern[str], prompt: str) -> bool:
    prompt = clean_prompt(prompt).strip()
    return len(prompt) <= MAX_NEXT_REQUEST and request.fullmatch(prompt) is not None


_ELSEWHERE = lazy_regex(
    r"(?:(?:ok|okay|great|thanks|and|now|also|then|please|no|nope|but|und|jetzt|y|ahora|e|agora|et|maintenant)\b"
    r"[\s,.!]{1,3}){0,4}+(?:(?:do|make|apply|add|fix|change|mach|haz|faz|fais) )?(?:(?:it|this|that) )?"
    r"(?:(?:the |exactly the )?same\b|(?:das )?gleiche\b|dasselbe\b|lo mismo\b|o mesmo\b|la même chose\b)"
    r"|no[pe]{0,2}\b[\s,.!]{1,3}(?:(?:i meant?|use|not (?:that|this)(?: one)?)\W{1,3})?the (?:other )?(?:one|ones)\b",
    re.IGNORECASE,
)


def is_about_another_place(prompt: str) -> bool:
    """Whether a prompt asks for the task's subject in another place: "and the same on the profile page"."""
    prompt = clean_prompt(prompt).strip()
    return len(prompt) <= OBJECTIVE_CHARACTERS and _ELSEWHERE.match(prompt) is not None


_PLACE_QUESTION = lazy_regex(
    r"(?:(?:ok|okay|and|so|also|but|then|now|thanks|great|hmm?|wait|btw|und|y|e|et)\b[\s,.!]{1,3}){0,3}+"
    r"(?:(?:(?:can|could) you )?(?:tell|show|remind) me |do you know )?"
    r"(?:where(?:['’]s| exactly)?|how|(?:in |by )?which (?:file|function|class|module|method|component|part)"
    r"|wo|wie|où|comment|d[oó]nde|c[oó]mo|onde|waar|hoe|dove|come|где|как)\b"
    r"(?!.{0,14}\b(?:you|i|u|du|ich|tu|vous|yo|você|eu|ты|вы|я|many|much|long|often|far|about|come|old|viele|lange|oft)\b)"
    r"|.{2,60}(?:在哪里?|在哪儿|是?怎么|如何|どこ(?:で|に|の)|どのように|どうやって)",
    re.IGNORECASE,
)
MAX_PLACE_QUESTION = 160


def asks_for_place(message: str) -> bool:
    """Whether a short message asks where or how the code does something; not what the agent or its user does."""
    message = message.strip()
    return len(message) <= MAX_PLACE_QUESTION and "\n" not in message and _PLACE_QUESTION.match(message) is not None


_GO_ON = lazy_regex(
    r"\b(?:continu(?:e|ing|a|e[zr]|ar|iamo|emos)|(?:go|going|carry|keep) (?:on|going)|proceed|resume|next step"
    r"|where (?:were we|(?:did )?(?:we|i) (?:left|leave|stop)\w*)|weiter(?:machen)?|sigue|sigamos|seguimos|poursui\w+"
    r"|reprend\w*|prosegu\w+|ga verder|продолж\w+)\b|继续|接着|続け|続き|계속",
    re.IGNORECASE,
)
MAX_GO_ON = 80


def asks_to_go_on(prompt: str) -> bool:
    """Whether a short prompt asks to go on with earlier work: "let's continue"."""
    return len(prompt) <= MAX_GO_ON and _GO_ON.search(prompt) is not None


FindEvidence = Callable[[str], Collection[str]]
"""Returns the paths, names and rare terms in a prompt that the repository has."""


def task_of(
    current: Task | None,
    prompt: str,
    find_evidence: FindEvidence,
    touched_names: Callable[[], Collection[str]] = tuple,
) -> tuple[Task, bool]:
    """Return the task of a prompt and whether it is new.

    A new task begins only if the prompt names something that the repository has, and shares nothing with the task so
    far or says itself that its subject is another. Thanks or praise begin none, and the first request after them does.
    `touched_names` returns the names in the files that the task's runs changed. The two functions are called only when
    the words of the prompts leave the question open.
    """
    prompt = clean_prompt(prompt)
    own = without_announcement(prompt)
    words, names = task_terms(own)
    if current is None or (not current.names and is_courtesy(current.objective) and not is_courtesy(own)):
        return _new_task(own, words, names), True
    terms = _terms_outside_paths(own)
    is_open = bool(names or terms) and (
        own != prompt
        or not (
            set(terms) & set(current.terms)
            or set(names) & set(current.names)
            or _REFERS_BACK.match(own)
            or is_about_another_place(own)
            or asks_for_tests_of_work(own)
            or asks_for_documents_of_work(own)
            or is_courtesy(own)
            or _names_touched_symbol(names, touched_names)
        )
    )
    if is_open and find_evidence(prompt):
        return _new_task(own, words, names), True
    extended = replace(
        current,
        terms=tuple(dict.fromkeys((*current.terms, *terms)))[:MAX_TERMS],
        names=tuple(dict.fromkeys((*current.names, *names)))[:MAX_TERMS],
        recent=_with_recent(current.recent, own),
    )
    return extended, False


RECENT_PROMPTS, MAX_RECENT_CHARACTERS = 3, 600


def _with_recent(recent: tuple[str, ...], prompt: str) -> tuple[str, ...]:
    query = _recent_query(prompt)
    return (*recent, query)[-RECENT_PROMPTS:] if query and recent[-1:] != (query,) else recent


@lru_cache(maxsize=16)
def _recent_query(prompt: str) -> str:
    return prompt_parts(search_query(prompt)).whole[:MAX_RECENT_CHARACTERS]


_NUMBERED_ITEM = lazy_regex(r"[ \t]{0,8}(?:[-*] )?(?:#{1,4} )?\*{0,2}#?(\d{1,3})\*{0,2}[.):]\s*(\S.*)")
_NUMBERS = lazy_regex(
    r"(?<![A-Za-z0-9_.:/$€£=-])#?\d{1,3}"
    r"(?:(?: {0,2}(?:[,;，、&+–～-]|と|から|和|与|跟|及|到|至|或) {0,2}(?:(?:and|und|y|et|e|en|и) )?"
    r"| (?:and|or|to|und|oder|bis|y|o|a|et|ou|à|e|en|tot|и|или|до) )#?\d{1,3})*"
    r"(?![A-Za-z0-9_/%=-]|[.,:]\d| [%€$£=])"
)
"""Numbers in a row, as in "2, 3 and 5"."""

_DIGITS = lazy_regex(r"\d+")
_RANGE = lazy_regex(r"(\d{1,3}) ?(?:[–～-]|to|bis|a|à|tot|до|至|到|から) ?(\d{1,3})")
_ITEM_WORD = lazy_regex(
    r"(?:(?:^|[^\w.])(?:items?|points?|numbers?|nos?\.|n[rº°]\.?|№|options?|steps?|issues?|problems?|questions?|tasks?"
    r"|findings?|suggestions?|proposals?|bullets?|todos?|bugs?|punkte?n?|nummern?|optionen|schritte?|aufgaben?|fragen?"
    r"|probleme|fehler|vorschl[aä]ge?|variante[ns]?|puntos?|números?|opci(?:ón|ones)|pasos?|problemas?|preguntas?"
    r"|tareas?|elementos?|numéros?|étapes?|problèmes?|tâches?|éléments?|propositions?|pontos?|opç(?:ão|ões)|passos?"
    r"|perguntas?|tarefas?|ite[mn]s?|punt[oi]|numer[oi]|opzion[ei]|pass[oi]|problem[ai]|domand[ae]|punten|nummers"
    r"|opties?|stap(?:pen)?|vragen|vraag|taken|taak|voorstel(?:len)?|(?:пункт|номер|вариант|шаг|проблем|вопрос|задач"
    r"|ошибк)[а-я]{0,3})|第|番号|項目|選択肢|问题|問題|步骤|选项|方案|编号)[ :.]{0,2}$",
    re.IGNORECASE,
)
_VALUE_WORD = lazy_regex(
    r"(?:[<>=]|\w (?:is|are|was|ist|es|est)|(?:^|\W)(?:of|than|by|below|above|until|within|every|exactly|most|least"
    r"|version|v|lines?|page|port|level|size|column|code|status|width|height|(?<!look )at|(?<!go )(?<!back )(?<!on )to"
    r"|statt|als|auf|höchstens|mindestens|maximal|zeile|seite|stufe|größe|máximo|mínimo|versión|línea|página|puerto"
    r"|nivel|maximum|minimum|ligne|niveau|à|até|versão|linha|porta|nível|massimo|minimo|versione|riga|pagina|livello|op"
    r"|hoogstens|minstens|(?:meer|minder) dan|versie|regel|poort|из|чем|на|до|вместо|верси[а-я]|строк[а-я]|страниц[а-я]"
    r"|порт[а-я]{0,2}|(?:m[aá]i?s|menos|plus|moins|più|meno|vez|lugar|lieu|invece|posto) (?:d[eoi]|que|che)"
    r"|(?:(?:el|la|las|los|il|lo|os?) |l['’])\w{1,30} a)"
    r"|版本|行|页|端口|改成|改为|设为|设成|超过|至少|最多|不是|バージョン|ページ|ポート)\s{0,2}$",
    re.IGNORECASE,
)
"""Words after which a number is a value or the number of something else."""

_COUNTED = lazy_regex(
    r"[ \t]{0,2}(?!s['’]il\b|per fav)(?:[^\W\d_\u3040-\u9fff](?! {0,2}\w)|([^\W\d_\u3040-\u9fff]+)"
    r"|(?![つ個件番点]目)(?:[个個位次回倍度分秒时時小天日月年周週文字行人枚本冊种種种类類页頁つ]|[か-ヶ]月|[ァ-ヴ]))"
)
_SENTENCE_END = lazy_regex(r"[.!?\n]\s|[。！？]")
_WORDS_AFTER = FUNCTION_WORDS.difference(
    "more most much many some such any all both each every over under per of a an de des du di del van von из mais mas"
    " plus piu fra".split()
) | frozenset(
    "first now only next later thanks thank ok okay look looks seem seems zuerst jetzt danke weg um fertig primero"
    " ahora solo tambien gracias stp svp maintenant seulement aussi merci primeiro agora tambem obrigado prima adesso"
    " ora anche grazie graag alsjeblieft alstublieft eerst nu bedankt пожалуиста сначала сеичас теперь тоже только"
    " спасибо потом dann dan luego puis depois poi done fixed".split()
)
"""Words that a number may have behind it without counting them; any other is what it counts."""

_NUMBERED_TOOLS = TOOL_NAMES - {"make", "next"}
MAX_REFERENCED, MAX_RANGE, MAX_ITEM_LINES = 12, 20, 8


def referenced_items(prompt: str, answer: str) -> list[str]:
    """Return the items of a numbered list in the agent's last answer that a short prompt refers to by number.

    A number of things, a version and a value refer to none; nor does a bare number after a number of things.
    """
    if len(prompt) > OBJECTIVE_CHARACTERS:
        return []
    items = _numbered_items(answer)
    if len(items) < 2:
        return []
    numbers: list[int] = []
    counted_until = -1
    for match in _NUMBERS.finditer(prompt):
        before = prompt[: match.start()]
        if match[0].startswith("#") or _ITEM_WORD.search(before) is not None:
            numbers += _numbers_in(match[0])
        elif _is_counting(prompt, match.end()):
            end = _SENTENCE_END.search(prompt, match.end())
            counted_until = end.start() if end is not None else len(prompt)
        elif match.start() > counted_until and not _precedes_value(before):
            numbers += _numbers_in(match[0])
    return [items[number] for number in dict.fromkeys(numbers) if number in items][:MAX_REFERENCED]


def _is_counting(text: str, end: int) -> bool:
    """Whether a number that ends at a place of a text has a unit or a counted noun behind it."""
    match = _COUNTED.match(text, end)
    return match is not None and (match[1] is None or folded(match[1]) not in _WORDS_AFTER)


def _precedes_value(before: str) -> bool:
    """Whether the next number after a text is a version, a value or the number of something else."""
    return _VALUE_WORD.search(before) is not None or not _NUMBERED_TOOLS.isdisjoint(folded(before).split()[-1:])


def _numbers_in(text: str) -> list[int]:
    """Return the numbers of a row, with those within its ranges."""
    numbers = [int(number) for number in _DIGITS.findall(text)]
    for match in _RANGE.finditer(text):
        first, last = int(match[1]), int(match[2])
        numbers += range(first, min(last, first + MAX_RANGE) + 1)
    return numbers


def _numbered_items(answer: str) -> dict[int, str]:
    """Return the numbered items of a text with their indented lines; of two lists, the last one's count."""
    items: dict[int, list[str]] = {}
    current: list[str] = []
    for line in answer.split("\n"):
        match = _NUMBERED_ITEM.match(line)
        if match is not None:
            items[int(match[1])] = current = [match[2]]
        elif line[:1].isspace() and line.strip() and len(current) < MAX_ITEM_LINES:
            current.append(line.strip())
        elif line.strip():
            current = []
    return {number: " ".join(lines) for number, lines in items.items()}


MAX_WORK_PATHS, MAX_ANSWER_NAMES = 8, 12


def work_query(task: Task, work: RecentWork) -> str:
    """Return the query of a session that lost its context: files edited and read, last prompts, last answer."""
    if not (work.edited or work.read or work.answer):
        return task.query
    paths = [*work.edited, *work.read][:MAX_WORK_PATHS]
    names = [name for name in identifiers_of(work.answer) if _HAS_WORD.search(name)][-MAX_ANSWER_NAMES:]
    recent = task.recent or (prompt_parts(task.query).whole[:MAX_RECENT_CHARACTERS],)
    return " ".join(dict.fromkeys((*paths, *names, *reversed(recent))))[:MAX_QUERY_CHARACTERS]


MAX_PLAN_NAMES = 24
_PLAN_TERMS = _FILLER_TERMS | {stem("plan")}
_CODE_NAME = lazy_regex(r"`([A-Za-z_][\w.]{2,60})(?:\(\))?`")


def _without_paths(text: str) -> str:
    for path in sorted(paths_in(text), key=len, reverse=True):
        text = text.replace(path, " ")
    return text


@lru_cache(maxsize=16)
def plan_query(plan: str) -> str:
    """Return the query of a plan that is carried out: the paths and names in it, and its title's words."""
    title = next((line for line in plan.lstrip("# \n").split("\n") if line.strip()), "")
    rest = _without_paths(plan)  # `cart.py` is no name of a part of `cart`
    names = (*paths_in(plan), *identifiers_of(rest), *_CODE_NAME.findall(rest))
    names = tuple(name for name in dict.fromkeys(names) if _HAS_WORD.search(name))
    text = title if names else plan
    return " ".join(dict.fromkeys((*names[:MAX_PLAN_NAMES], *_query_words(text, _PLAN_TERMS).split())))[
        :MAX_QUERY_CHARACTERS
    ]


def _names_touched_symbol(names: Sequence[str], touched_names: Callable[[], Collection[str]]) -> bool:
    """Whether a prompt names a symbol of the changed files; `cart.total` also counts by its last part."""
    name_parts = {part for name in names for part in (name, name.rpartition(".")[2])}
    return bool(name_parts) and not name_parts.isdisjoint(touched_names())


@lru_cache(maxsize=16)
def _terms_outside_paths(prompt: str) -> Sequence[str]:
    """Return a prompt's terms. A path adds only its file name's terms: many tasks share folders."""
    text = prompt
    for path in paths_in(prompt):
        text = text.replace(path, f" {path.rpartition('/')[2].partition('.')[0]} ")
    return list(task_terms(text)[0])


def _new_task(prompt: str, words: Mapping[str, str], names: Sequence[str]) -> Task:
    identity = _identity(words, names) or [re.sub(r"\s+", " ", prompt).strip().casefold()]
    return Task(
        fingerprint=short_id(identity, 16),
        terms=tuple(_terms_outside_paths(prompt)[:MAX_TERMS]),
        names=tuple(names[:MAX_TERMS]),
        query=search_query(prompt),
        objective=one_line(described_problem(prompt), OBJECTIVE_CHARACTERS),
        recent=_with_recent((), prompt),
    )


@lru_cache(maxsize=16)
def search_query(prompt: str) -> str:
    """Return the search query: a conventional commit's scope, names and paths unchanged, and the words.

    Words of a path are not repeated: they would match all its neighbours. The prompt itself is not stored, apart from
    what it quotes. A prompt of several lines has its title, and one that is long or has a fenced block its prose, as
    further parts. What a prompt says about working alone, as in "and add a test", leads to no file; nor does the word
    "test" where one is reported to fail, or a first "hello".
    """
    prompt = without_announcement(prompt)
    subject = subject_of(prompt)
    scope = scope_prefix(subject) or documents_scope(prompt)
    quoted = as_quotations(quoted_texts(prompt))
    prompt = subject
    opening = takewhile(_FILLER_TERMS.__contains__, map(stem, _FIRST_WORD.findall(prompt.casefold(), 0, MAX_OPENING)))
    omitted = _FILLER_TERMS - _OPENING_TERMS.difference(opening)
    omitted |= _TEST_TERMS if reports_failing_test(prompt) else frozenset()
    parts = prompt_parts(prompt)
    pointing = f" {' '.join(pointing_words(prompt))}" if parts.title else ""
    whole = f"{quoted} {_query_words(prompt, omitted)}{pointing}".strip()[:MAX_QUERY_CHARACTERS]
    return PromptParts(
        f"{scope} {whole}".strip(),
        _query_words(parts.title, omitted)[:MAX_TITLE_CHARACTERS],
        _query_words(parts.prose, omitted)[:MAX_QUERY_CHARACTERS],
    ).join()


def _query_words(text: str, omitted: frozenset[str]) -> str:
    paths = paths_in(text)
    rest = _with_english(_without_paths(text))
    spelled = _spelled_words(rest)
    words = {spelled.get(word, word) for term, word in query_words(rest).items() if term not in omitted}
    words.update(spelled[word] for word in spelled if stem(word) not in english_terms() | omitted)
    names = {name for name in identifiers_of(rest) if _HAS_WORD.search(name)}
    names.update(path for path in paths if _HAS_WORD.search(path) or (is_code(path) and path[-2] != "."))  # not `p.m`
    if _ABOUT_INTEGRATION.search(text) is not None:
        names.add(INTEGRATION_NAME)
    return " ".join(sorted({*words, *names}))


_CAPITALISED = lazy_regex(r"(?<![\w.])(?:(?<=[^\s.!?:] )([A-Z][A-Za-z]{2,60})|([A-Z][A-Za-z]{2,60}))(?![\w.])")
"""A capitalised word, by whether it is inside a sentence or begins one."""


def _spelled_words(text: str) -> dict[str, str]:
    """Return the words, by lower case, whose capital may be a name's: at the start of a sentence no English word."""
    found = _CAPITALISED.findall(text)
    words = (inside or first for inside, first in found if inside or stem(first.casefold()) not in english_terms())
    return {word.casefold(): word for word in words}


@lru_cache(maxsize=16)
def matches_query(prompt: str, query: str) -> bool:
    """Whether a prompt contains the same words and names as a query, in any order."""
    return _identity(*task_terms(_with_english(prompt))) == _identity(
        *task_terms(query.removeprefix(f"{DOCUMENTS_SCOPE} "))
    )


def _with_english(text: str) -> str:
    """Add the English words for a text in another language, apart from those that lead to no file."""
    return " ".join((text, *(word for word in english_words(text) if stem(word) not in _FILLER_TERMS)))


def _identity(words: Mapping[str, str], names: Sequence[str]) -> list[str]:
    return sorted({*words.values(), *names})


@lru_cache(maxsize=16)
def task_terms(prompt: str) -> tuple[Mapping[str, str], Sequence[str]]:
    """Return the words (by term) and the names in a prompt that tell one task from another."""
    words = {term: word for term, word in query_words(prompt).items() if term not in _FOLLOW_UP_TERMS}
    names = dict.fromkeys((*identifiers_of(prompt), *paths_in(prompt)))
    return words, [name for name in names if _HAS_WORD.search(name)]
