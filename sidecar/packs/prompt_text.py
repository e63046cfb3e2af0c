"""The reading of a prompt: its own words, its mentions, and what it asks to be done next. Pure.

`clean_prompt` drops the host's markers and secrets and shortens long prompts; the prompt itself goes to the provider
unchanged.
"""

import re
from functools import lru_cache

from sidecar.codebase import identifiers_of, without_outer_frames
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.language.common_words import TOOL_NAMES
from sidecar.language.message_intent import creation_request
from sidecar.language.rule_synonyms import FUNCTION_WORDS, folded

HEAD_CHARACTERS = 16_000
TAIL_CHARACTERS = 4_000
"""Only the beginning and the end of a longer prompt are read: the middle is pasted text."""

MAX_SHORT_PROMPT = 300
"""Characters of a prompt that may refer to what was said before by a number, or by "the same"."""

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


_ANNOUNCEMENT = lazy_regex(
    r"(?:(?:ok|okay|great|thanks|thank you|good|perfect|nice|and|but|so|then|now|for|alright|let['’]?s do|jetzt|nun"
    r"|ahora|maintenant|agora|ora|nu|теперь)[\s,.!:]{1,3}){0,4}+"
    r"(?:(?:an? )?(?:something (?:else|different|unrelated)|(?:another|different|new|next|separate|unrelated)"
    r" (?:topic|subject|task|issue|thing|question|problem|bug|feature|ticket|request|note|matter))"
    r"|unrelated|on (?:another|a different) note|chang(?:e|ing) (?:of |the )?(?:topic|subject)|moving on"
    r"|next(?: up)?(?=\s{0,2}[:：])|(?:et)?was (?:ganz )?anderes|(?:anderes|neues) thema"
    r"|(?:nächste|neue|andere) (?:aufgabe|frage)|themenwechsel|otra (?:cosa|pregunta)|otro tema|siguiente tarea"
    r"|(?:cambio|cambiando) de tema|autre (?:chose|sujet|question)|tâche suivante|chang(?:ement|eons) de sujet"
    r"|outr[oa] (?:coisa|assunto|pergunta)|próxima tarefa|mudando de assunto"
    r"|un['’ ]altra (?:cosa|domanda)|altro argomento|cambiando argomento|iets anders|ander onderwerp|volgende taak"
    r"|другое|другая тема|другой вопрос|следующая задача|换个(?:话题|问题)|(?:另外?一|下一)个(?:问题|话题|任务)"
    r"|別件(?:です)?(?:が|けど)?|別の(?:話|件|質問|問題|タスク)(?:です)?(?:が|けど)?|話は変わりますが|次のタスク)"
    r"\s{0,3}(?:[:：,，、.。;!—–-]{1,3}|\n)\s*+(?=\S)",
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
    r"(?: (?:for|of|to) (?:it|this|that|them|those|both(?: of them)?|the change|these changes|your changes?|the fix"
    r"|this fix|this change"
    r"|(?:the|that) (?:[a-z]{1,20} ){0,2}ones?)"
    r"| (?:dafür|dazu|pour (?:ça|cela|ce changement|cette fonction)|para (?:es[aeo]|est[aeo]|ello|iss?o|isto|ela?"
    r"|ele)))?"
    r"(?: hinzu| ab)?"
    r"(?:,? (?:too|as well|please|pls|plz|now|next|bitte|por favor|stp|svp|s['’]il te pla[iî]t)){0,2}\W{0,5}"
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


TESTS_OF = lazy_regex(
    r"(?:^|[.!?;]\s{1,3})(?:(?:ok|okay|and|now|then|also|please|can you|could you|add|write|create|the|some|an?|unit"
    r"|regression|missing|more)\b[\s,]{1,3}){0,6}+tests? (?:for|of|covering) `?([A-Za-z_][\w.]{2,60})`?"
    r"(?![\w/]|\s(?:is|are|was|were|fail\w*|break\w*|broke|still|do|don['’]t)\b)",
    re.IGNORECASE,
)
"""A request for tests of something that it names: "tests for `total`, please"."""

THAT_TEST = lazy_regex(
    r"\b(?:that|this|the (?:same|failing)|diese[rnms]?|ese|este|esse|cet?|questo|quel|deze|этот|этом)"
    r" (?:failing |flaky |broken )?(?:unit |regression )?(?:test|spec|тест[а-я]{0,2})\b"
    r"|[这那]个?测试|(?:その|この)テスト",
    re.IGNORECASE,
)
"""A test that was mentioned before the prompt: "skip that test for now"."""

_DOCUMENTS_NEXT = lazy_regex(
    r"(?:(?:ok|okay|great|thanks|good|perfect|and|now|then|next|also|please|can you|could you|do|adapt|adjust|update"
    r"|extend|document|mention|note|describe|add|und|jetzt|noch|auch|bitte|aktualisiere?|erwähne?|ergänze?|y"
    r"|ahora|también|actualiza|e|agora|também|atualiz[ae]|et|maintenant|aussi|mencion[ae](?:lo)?|mentionne(?:-l[ea])?)\b"
    r"[\s,.!:]{1,3}){0,6}+"
    r"(?:(?:it|this|that|them|das|es|eso|esto|isso|isto|ça|cela) )?(?:(?:in|to|im|en|na|no|dans) )?"
    r"(?:(?:the|its|our|die|der|la|os|as|a) ){0,2}+"
    r"(?:docs?|documentation|readme(?:\.md)?|doku|dokumentation|documentación|documentação|guide|manual)"
    r"(?: (?:for|of) (?:it|this|that|them|the change|this change|your changes?))?"
    r"(?: (?:erwähnen|ergänzen|nachziehen|anpassen|aktualisieren|beschreiben))?"
    r"(?:,? (?:too|as well|accordingly|please|now|an|bitte|por favor|también|também|aussi)){0,2}\W{0,5}"
    r"|(?:(?:ok|okay|and|now|then|also|please|und|bitte|y|e|et)\b[\s,.!:]{1,3}){0,4}+(?:document (?:it|this|that)"
    r"|dokumentiere? (?:das|es)|docum[eé]nt(?:a|e|alo)(?: (?:eso|esto|isso|isto|ça|cela)|-l[ea])?)"
    r"(?: too| bitte)?\W{0,5}",
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


_OPENING_SIGNS = " \n¿¡….,–—-*>("


def _request(prompt: str) -> str:
    """Return a prompt without the signs around it: "¿y las pruebas?", "... and the docs?"."""
    return clean_prompt(prompt).lstrip(_OPENING_SIGNS).rstrip()


_THEN_COMMIT = lazy_regex(
    r"[\s,;.]{1,3}(?:(?:and|then|und|dann|danach|y|luego|después|e|depois|et|puis|ensuite|en|daarna)\s){1,2}"
    r"(?:please |bitte )?(?:commit(?:te|ten|ter|tea|tear|tar|ear|ar)?|push(?:en|er|ea)?"
    r"|(?:haz|faz|fais|fai) (?:o |el |un |le )?commit)"
    r"(?: (?:and|und|y|e|et) push\w{0,2})?(?: (?:it|that|this|everything|das|alles|todo|tudo|tout))?\W{0,3}$",
    re.IGNORECASE,
)
"""The end of a request that also asks to commit: "and the docs, then commit"."""


def _is_only(request: re.Pattern[str], prompt: str) -> bool:
    prompt = _THEN_COMMIT.sub("", _request(prompt))
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
    prompt = _request(prompt)
    return len(prompt) <= MAX_SHORT_PROMPT and _ELSEWHERE.match(prompt) is not None


_OTHERS = lazy_regex(
    r"(?:(?:ok|okay|great|thanks|thank you|good|perfect|nice|cool|and|now|then|next|also|so|please|can you|could you"
    r"|let['’]?s|what about|how about|(?:continue|go on|carry on|proceed) with|move on to|und|jetzt|nun|noch|auch|bitte"
    r"|dann|danke|mach|y|ahora|también|gracias|e|agora|também|et|maintenant|merci|ora|adesso|anche|en|nu|doe|и|а"
    r"|теперь)\b[\s,.!:]{1,3}){0,5}+"
    r"(?:(?:do|make|apply|fix|change|update|convert|migrate|rename|remove|delete|add|finish|handle|refactor|review"
    r"|extend|adapt|haz|hazlo|fais|faça|fai|сделай) )?"
    r"(?:(?:(?:exactly )?(?:the )?same(?: thing| change| edit| fix| way)?|it|that|this|(?:das )?gleiche|dasselbe"
    r"|lo mismo|o mesmo|la même chose|pareil|lo stesso|hetzelfde|то же(?: самое)?)[\s,]{1,2})?"
    r"(?:(?:for|to|in|on|with|für|bei|mit|para|con|en|com|pour|dans|avec|per|voor|met|для|с|в) )?"
    r"(?:(?:all )?the (?:(?:other|remaining)(?: (?:one|ones|two|three|four|2|3|4))?"
    r"(?: (?:files?|functions?|methods?|class(?:es)?|modules?|components?|pages?))?|others|rest)"
    r"|(?:(?:all )?(?:the|its|their) )?(?:callers|call sites|usages)(?: of (?:it|that|this|them))?"
    r"|(?:der|den) rest|[oe]l? resto|le reste|il resto|de rest|остальное"
    r"|d(?:ie|as|en|er|em) (?:(?:beiden |zwei |drei )?andere[nrs]?|übrigen|restlichen)(?: (?:beiden|zwei|drei))?"
    r"(?: (?:datei(?:en)?|funktion(?:en)?|klassen?|methoden?|seiten?))?"
    r"|(?:el|la|los|las) otr[oa]s?(?: dos| tres)?|[oa]s? outr[oa]s?(?: dois| duas| três)?"
    r"|l['’]autre|les (?:deux |trois )?autres|l['’]altr[oa]|gli altri(?: due| tre)?|le altre(?: due| tre)?"
    r"|(?:de|het) anderen?(?: twee| drie)?|друг(?:ой|ого|ом|ую|им)|остальн(?:ые|ых|ыми))"
    r"(?: (?:archivos?|fich(?:eros?|iers?)|arquivos?|ficheiros?|file|bestand(?:en)?|файлы?|файл(?:а|ов|ами|е)))?"
    r"(?:,? (?:too|also|as well|please|pls|plz|now|next|again|likewise|the same way|auch|noch|bitte|también|por favor"
    r"|também|aussi|stp|svp|s['’]il te pla[iî]t|anche|ook|graag|тоже|также)){0,2}\W{0,5}"
    r"|(?:(?:hm+|no|but|ok|and|i think)\b[\s,.!:]{1,3}){0,2}+(?:i think )?you(?:['’]ve| have)? (?:just )?"
    r"(?:forgot(?:ten)?|missed|overlooked|left out) (?:some|one|a few|another(?: one)?|(?:the )?others|the rest)\W{0,5}"
    r"|(?:现在|然后|再|请|对|给|把|[，,\s]){0,4}(?:另外?(?:一|两|二|三)?[个個](?:文件)?|其他的?(?:文件)?|其余的?(?:文件)?)"
    r"(?:也|都|同样|一样|这样|这么|改|处理|做|一下|吧){0,6}[。！？]?"
    r"|(?:次は|では|[、\s]){0,2}(?:もう(?:一|1)つ|他の?|ほかの?|残りの?(?:二つ|2つ)?)(?:ファイル|方|ほう)?[もにを]"
    r"(?:同じ(?:ように|く)|お願い(?:します)?|やって|して|直して|ください|[、\s]){0,4}[。！？]?",
    re.IGNORECASE,
)
"""A request that only points at what is left of several things: "same for the other one", "now the others"."""

_NUMBER_OF_OTHERS = (
    (2, lazy_regex(r"\b(?:two|2|zwei|beiden|dos|dois|duas|deux|due|twee)\b|[两二]", re.IGNORECASE)),
    (3, lazy_regex(r"\b(?:three|3|drei|tres|três|trois|tre|drie)\b|三", re.IGNORECASE)),
)
_SEVERAL_OTHERS = lazy_regex(
    r"\b(?:others|ones|four|4|rest[oe]?|callers|call sites|usages|some|a few|остальное"
    r"|(?:other|remaining) (?:files|functions|methods|classes|modules|components"
    r"|pages)|die (?:anderen|übrigen|restlichen)|otr[oa]s|outr[oa]s"
    r"|autres|altri|altre|anderen|остальн\w+)\b|其他|其余|^他|ほか|残り",
    re.IGNORECASE,
)
MAX_OTHERS = 4


def number_of_others(prompt: str) -> int:
    """Return how many of several things a prompt asks to treat next, as in "do the same for the other two"; else 0."""
    prompt = _request(prompt)
    if len(prompt) > MAX_NEXT_REQUEST or _OTHERS.fullmatch(prompt) is None:
        return 0
    counted = next((number for number, words in _NUMBER_OF_OTHERS if words.search(prompt)), 0)
    return counted or (MAX_OTHERS if _SEVERAL_OTHERS.search(prompt) else 1)


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
    message = message.lstrip(_OPENING_SIGNS).rstrip()
    return len(message) <= MAX_PLACE_QUESTION and "\n" not in message and _PLACE_QUESTION.match(message) is not None


_THIS = (
    r"(?:(?:this|that|the (?:new|changed|renamed|same)) (?:[a-z]{2,20} )?(?!app\b|project|code\b|repo)[a-z]{3,20}"
    r"|it|this|that|them|these|those)"
)
_NAME = r"`?([^\W\d][\w.:$]{2,80})(?:\(\))?`?"
_THING = rf"(?:{_THIS}|{_NAME})"
_DAS = r"(?:das|es|sie|er|dies\w{0,2}(?: [^\W\d_]{3,30})?|die (?:funktion|methode|klasse|konstante|variable))"
_ESTO = r"(?:esto|eso|est[ae] [^\W\d_]{3,20}|es[ae] [^\W\d_]{3,20})"
_ISSO = r"(?:isso|isto|ess[ae] [^\W\d_]{3,20}|est[ae] [^\W\d_]{3,20})"
_CELA = r"(?:ça|cela|ceci|cette [^\W\d_]{3,20}|ce [^\W\d_]{3,20})"
_THIS_ZH = r"(?:它|这个?(?:函数|方法|类|组件|变量|常量)?)"
_USES_QUESTION = lazy_regex(
    r"(?:(?:(?:ok|okay|and|so|also|but|then|now|thanks|great|hmm?|wait|btw|please|can you|could you|show me|tell me"
    r"|find|list|check|und|y|e|et)\b[\s,.!:]{1,3}){0,4}+"
    r"(?:(?:from )?where(?: else| all)?(?:"
    rf"(?: (?:is|are|was|were)|['’]s) {_THING}(?: (?:still|also|actually|currently|being))?"
    r" (?:used|called|referenced|invoked|imported|needed|instantiated|consumed|rendered)"
    rf"| (?:do|does|did) (?:we|they|the (?:code|app)) (?:still |also )?(?:use|call|import|reference) {_THING})"
    r"(?: from| else| elsewhere| now)?"
    r"|(?:who|what|which (?:other )?[a-z]{3,20})(?: else| all)? (?:still |also |actually |currently )?"
    r"(?:calls?|uses?|references?|invokes?|imports?|depends? on|relies on|rely on|instantiates?|consumes?)"
    rf" {_THING}(?: (?:now|too|elsewhere|directly))?"
    rf"|(?:is|are) {_THING} (?:still |also |actually |being )?(?:used|called|referenced|needed)"
    r" (?:anywhere|somewhere|elsewhere|in other places)(?: else)?"
    r"|(?:are there |(?:what|who|where) are )?(?:(?:any|all|the|other|its|their) ){0,3}"
    rf"(?:callers|usages|call[ -]?sites)(?: (?:of|to) {_THING})?"
    r"|(?:are there |what are )?(?:the )?(?:(?:any|all|other) ){1,2}(?:uses|users|references)"
    rf"(?: (?:of|to) {_THING})?)"
    r"(?: (?:in|from|by|within|inside|outside)(?: of)? [^.?!,;]{2,40})?"
    rf"|wo (?:wird|werden) (?:(?:sonst|überall|noch) ){{0,2}}(?:{_DAS}|{_NAME})"
    r"(?: (?:denn|sonst|überall|noch|eigentlich|alles)){0,3} (?:verwendet|benutzt|genutzt|aufgerufen|gebraucht)"
    rf"|wer (?:ruft|nutzt|benutzt|verwendet) (?:{_DAS}|{_NAME})(?: (?:denn|sonst|noch|alles)){{0,2}}(?: auf)?"
    rf"|(?:desde )?d[óo]nde (?:más )?se (?:usa|utiliza|llama|invoca)n? (?:{_ESTO}|{_NAME})"
    rf"|qui[ée]n (?:más )?(?:usa|utiliza|llama) (?:a )?(?:{_ESTO}|{_NAME})"
    rf"|(?:de )?onde (?:mais )?(?:(?:{_ISSO}|{_NAME}) )?"
    r"(?:(?:é|está sendo) (?:usad[oa]|utilizad[oa]|chamad[oa])|se (?:usa|chama))"
    rf"(?: (?:{_ISSO}|{_NAME}))?"
    rf"|quem (?:mais )?(?:usa|utiliza|chama) (?:{_ISSO}|{_NAME})"
    r"|où (?:est-ce que |est-ce qu['’])?"
    rf"(?:c['’]est|est-ce|on|{_CELA} est(?:-(?:il|elle))?|{_NAME} est(?:-(?:il|elle))?)"
    rf" (?:encore )?(?:utilisée?|appelée?|utilise|appelle)(?: {_CELA})?"
    rf"|qui (?:d['’]autre )?(?:appelle|utilise) (?:{_CELA}|{_NAME})"
    rf"|(?:还有)?(?:哪里|哪儿|哪些地方|什么地方|谁)还?在?(?:使用|调用|引用|用)[到了]?{_THIS_ZH}"
    rf"|{_THIS_ZH}还?[在被]?(?:哪里|哪儿|哪些地方|谁)被?(?:使用|调用|引用|用)[到了过]?"
    r"|(?:これ|それ|この(?:関数|メソッド|クラス|変数))[はをって]{0,2}(?:他|ほか)?[にの]?は?(?:どこ|誰)[でからが]{1,2}[使呼]\S{1,12})"
    r"\W{0,4}",
    re.IGNORECASE,
)


def name_whose_uses_are_sought(prompt: str) -> str | None:
    """Return the name whose uses a short prompt asks for: "who calls `total`?"; empty if it only says `it` or `this`.

    None for any other prompt.
    """
    prompt = _request(prompt)
    match = _USES_QUESTION.fullmatch(prompt) if len(prompt) <= MAX_NEXT_REQUEST else None
    return next(filter(None, match.groups()), "") if match is not None else None


_NEW_NAME = lazy_regex(
    r"(?:\b(?:renam(?:e|ed|ing)|renomm\w{1,3}|renombr\w{1,4}|renomei\w{1,2}|benenne?|umbenenn\w{2})\b[^.!?\n]{1,80}?"
    r"\s(?:to|into|as|in|zu|en|a|para|por)"
    r"|\b(?:call|name|nenne?|appelle|llama|chame)[ -]"
    r"(?:it|this|that|them|the \w{2,20}|es|das|sie|ihn|le|la|isso de|o de)"
    r"|\bll[áa]ma(?:lo|la)|\bchame-[oa] de)"
    r"\s`?([A-Za-z_$][\w$]{2,80})(?![\w.])",
    re.IGNORECASE,
)


def without_new_name(prompt: str) -> str:
    """Return a short prompt without the names, spelled as in code, that something is to get: "rename it to a_b"."""
    if len(prompt) > MAX_SHORT_PROMPT:
        return prompt
    for match in reversed(list(_NEW_NAME.finditer(prompt))):
        if identifiers_of(match[1]):
            prompt = prompt[: match.start(1)] + prompt[match.end(1) :]
    return prompt


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


_MAY_LAST = lazy_regex(
    r"\b(?:always|never|remember|from now on|going forward|in (?:the )?future|for good|immer|nie(?:mals)?|merk(?:e|t)?"
    r"|ab (?:jetzt|sofort)|künftig|siempre|nunca|recuerda|de ahora en adelante|toujours|jamais|désormais|dorénavant"
    r"|retiens|souviens|sempre|lembr[ea]|a partir de agora|mai|ricorda|d['’]ora in poi|altijd|nooit|onthoud|vanaf nu"
    r"|всегда|никогда|запомни|отныне|впредь)\b|今後|これから|必ず|覚えて|总是|永远|以后|今后|记住",
    re.IGNORECASE,
)
"""Words of most statements that last; other prompts are not read for them, which loads many patterns."""

_ENDS_OF_REST = " \n,;:.，；：。、–—-"
_JOINING_WORD = lazy_regex(r"(?:^|[\s,;.])(?:and|but|und|aber|y|pero|e|mas|et|mais|ma|en|maar|и|а|но)$", re.IGNORECASE)


@lru_cache(maxsize=16)
def without_statements(prompt: str, *, on_product: bool = True) -> str:
    """Return a short prompt without what it states as lasting.

    What the product is to do from now on stays if `on_product` is False: only ways to work are about no code.
    """
    if len(prompt) > MAX_SHORT_PROMPT or _MAY_LAST.search(prompt) is None:
        return prompt
    rest, statements = _statements_in(prompt)
    for start, end, is_on_work in reversed(statements):
        if on_product or is_on_work:
            rest = f"{rest[:start].rstrip(_ENDS_OF_REST)}\n{rest[end:].lstrip(_ENDS_OF_REST)}"
    return _JOINING_WORD.sub("", rest.strip(_ENDS_OF_REST)).rstrip(_ENDS_OF_REST)


@lru_cache(maxsize=16)
def _statements_in(prompt: str) -> tuple[str, list[tuple[int, int, bool]]]:
    """Return a prompt without marks, and where each of its statements is and whether it is on how to work."""
    from sidecar.language.lasting_patterns import has_concept  # many patterns, which few prompts need
    from sidecar.language.lasting_statements import read_statements, without_marks

    text = without_marks(prompt)
    return text, [
        (statement.start, statement.end, has_concept(statement.text, "object|with contrast"))
        for statement in read_statements(text).statements
    ]


def without_rules(prompt: str) -> str:
    """Return a short prompt without what it states as lasting, if the rest only continues the work: "now the tests".

    Otherwise a rule stays: it may be what is to be done.
    """
    if (rest := without_statements(prompt)) == prompt:
        return prompt
    is_about_work = asks_for_tests_of_work(rest) or asks_for_documents_of_work(rest) or number_of_others(rest) > 0
    return rest if is_about_work or asks_to_go_on(rest) else prompt


_NEW_KIND = lazy_regex(
    r"\W{0,3}(?:[^\W\d_]{1,8}\s){0,3}(?:new|next|another|neue|nächste|nueva|próxima|nova|nouvelle|prochaine)\s"
    r"(?P<kind>[^\n]{3,60})",
    re.IGNORECASE,
)
_KIND_BEFORE_COLON = lazy_regex(r"\W{0,3}(?P<kind>[^\n:.,;]{3,40}):\s(?:add|create|write|new)\b", re.IGNORECASE)
_KIND_END = lazy_regex(
    r"[,:;.(]|\s(?:that|which|for|to|with|about|in|on|of|from|please|die|für|zu|mit|que|para|com|con|pour|qui|avec)\b",
    re.IGNORECASE,
)


def kind_to_create(prompt: str) -> str:
    """Return the words of the kind of which a prompt asks to create one more: "sqlite migration"; empty if it does not.

    A prompt may only begin with its name, as in "next sqlite migration, drop the column".
    """
    creation = creation_request(prompt)
    named = _NEW_KIND.match(prompt) or _KIND_BEFORE_COLON.match(prompt)
    texts = (named["kind"] if named is not None else "", creation.subject if creation is not None else "")
    return " ".join(_KIND_END.split(text, 1)[0].strip() for text in texts if text)


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
    if len(prompt) > MAX_SHORT_PROMPT:
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
