"""Intent of a message: it corrects the agent, finds fault, takes something back, wants something made, thanks. Pure.

A correction: the work is wrong, incomplete or not what was requested. Only the beginning of the message and short
sentences count: a long task that mentions an error is a task. What the user pasted is blanked first. Questions for
information and new wishes are not corrections.

A request to create is found in English, Portuguese, Spanish, French and German. Questions about creating, negated
requests, quoted text and code do not count. The intent is the rest of the sentence after the verb; it is the input of
the reuse decision.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import sentences
from sidecar.core.terms import DOCUMENTS_PREFIX, DOCUMENTS_SCOPE, MAX_DOCUMENT_CHARACTERS, query_terms
from sidecar.language.common_words import WORKING_WORDS
from sidecar.language.own_words import own_words
from sidecar.language.statement_openings import CHANGED_MIND, FORGET, WITHDRAWAL_TAIL, states_what_holds, without_assent

MAX_OPENING = 240
"""Characters of a message's beginning that are read."""

_REFUSALS = (
    r"^(?:no|nope|nah|não|nein|non|нет|nie)\b(?!\s+(?:problem|worries|need|idea|rush|hurry|issue|longer|objection)\b)",
    r"^(?:wrong|incorrect|stop|wait,? no|hmm,? no|undo|revert|roll ?back)\b",
    r"^(?:不对|不是|错了|不行|違い|違う|ちがう|いや|いいえ)",
)
"""Refusals that open a message."""

_FORMS = (
    *_REFUSALS,
    # Not what was requested.
    r"\b(?:that|this|it)(?:'s| is|s) (?:not (?:what|right|correct|how|the|it)|wrong|incorrect)\b",
    r"^(?:\w+ ){1,5}(?:is|are|was) (?:not (?:correct|right|true|there)|incorrect|wrong|broken)\b",
    r"\bi meant\b|\bhow (?:come|can (?:we|you|it|this) be)\b|^not (?:there|quite|really|yet)\b",
    r"\bnot what i (?:asked|meant|want(?:ed)?|said|need(?:ed)?)\b",
    r"\bi (?:didn'?t|did not|never) (?:ask|say|want|tell|mean)\b|\bi (?:already )?(?:told|asked) you\b",
    r"\bwhy (?:did|do|are|would|have) you\b",
    r"\byou (?:forgot|missed|broke|removed|deleted|ignored|misunderstood)\b",
    r"\byou (?:didn'?t|did not|haven'?t|have not|shouldn'?t have|should have|were supposed)\b",
    r"\b(?:undo|revert) (?:that|this|it|the|your|all|those|these)\b|\bput (?:it|that) back\b",
    # Still broken.
    r"\bstill (?:not|doesn'?t|don'?t|isn'?t|fails?|failing|broken|wrong|the same)\b",
    r"\bstill (?:getting|seeing|shows?|happen\w*|have)\b",
    r"\b(?:it|that|this) (?:didn'?t|doesn'?t|did not|does not|isn'?t) (?:work\w*|help|fix\w*|compile|build|change)\b",
    r"\bsame (?:error|issue|problem|result|thing)\b|\bnot (?:working|fixed)\b|\bdoesn'?t work\b",
    r"^nothing\b|\bnothing (?:is )?(?:happen|chang|show|appear)",
    r"\bno (?:difference|change|effect)\b|\bit'?s (?:just )?the same\b",
    r"\b(?:they|it|it's|they're|you|you're|is|are|i|i'm) still\b(?! (?:need|want|have to|possible|ok|fine|good|think))",
    r"\b(?:don'?t|can'?t|cannot|couldn'?t|not) see (?:any|the|it|them|that|my|a)\b",
    r"\bcaus(?:es|ed|ing) (?:\w+ ){0,4}(?:errors?|problems?)\b",
    r"\b(?:not|n't|no longer|stopped) (?:show|display|appear|load|open|sav|respond|render|updat)(?:s|e|es|ed|ing)?\b",
    # The same in the other supported languages.
    r"\b(?:eso|esto|así) no (?:es|funciona|era)\b|\bsigue (?:sin|fallando|igual)\b",
    r"\bno (?:funciona|es lo que|era eso)\b|\bte (?:dije|pedí)\b",
    r"\bce n'est pas (?:ça|ce que|correct|bon)\b|\bc'est faux\b|\bne (?:marche|fonctionne) (?:toujours )?pas\b",
    r"\bje t'ai (?:dit|demandé)\b|\btoujours (?:pas|vide|le même|la même|une? erreur)\b|\bn'arrive (?:pas|plus)\b",
    r"\b(?:n'affiche|ne s'affiche|ne s'ouvre|n'apparaî?t|ne change|ne fait) (?:pas|plus|rien)\b",
    r"\bno (?:me deja|se ve|aparece|hace|sale|carga|guarda|muestra|ha |has )",
    r"\bdas (?:ist|war) (?:falsch|nicht)\b|\b(?:geht|funktioniert|klappt) (?:immer noch |noch )?nicht\b",
    r"\bimmer noch\b|\bhabe? (?:ich )?(?:doch )?gesagt\b|\bdu hast \w+ (?:vergessen|gelöscht)\b",
    r"\bisso não (?:é|funciona)\b|\bnão (?:funciona|funcionou|era isso|é isso)\b",
    r"\bcontinua (?:com|sem|dando|igual)\b|\beu (?:pedi|disse)\b",
    r"\bnon (?:funziona|è (?:quello|giusto|corretto))\b|\bè sbagliato\b|\bti ho (?:detto|chiesto)\b",
    r"\bdat (?:is|klopt) (?:niet|fout)\b|\bwerkt (?:nog steeds )?niet\b|\bnog steeds\b|\bik (?:zei|vroeg)\b",
    r"\bне (?:работает|то|так|правильно)\b|\bвс[её] ещ[её]\b|\bопять\b|\bя же (?:сказал|просил|говорил)\b",
    r"\b(?:nadal|wciąż|dalej) nie\b|\bnie działa\b|\bto nie tak\b",
    r"まだ(?:動|直|でき|同じ|エラー)|動きません|動かない|直っていません|直ってない|言ったのに|そうじゃな|違います",
    r"还是(?:不行|报错|一样|没有|有问题)|没有(?:生效|效果|解决)|不工作|我说过|我不是让你|你(?:忘|漏|删)",
)
"""Forms in the supported languages; a first prompt of a chat is never examined."""

_CORRECTION = lazy_regex("|".join(f"(?:{form})" for form in _FORMS), re.IGNORECASE)


_REFUSAL = lazy_regex("|".join(_REFUSALS), re.IGNORECASE)


def is_refusal(message: str) -> bool:
    """Whether a message begins by refusing or taking back what the agent did: "no, …", "undo that"."""
    return _REFUSAL.match(message.lstrip()) is not None


def is_correction(message: str) -> bool:
    """Whether the user's own words at the beginning of a message correct what the agent did before."""
    opening = " ".join(own_words(message).split())[:MAX_OPENING].replace("’", "'")
    return _CORRECTION.search(opening) is not None


_COURTESY_WORDS = frozenset(
    "thanks thank thx ty cheers appreciated ok okay sure fine great nice cool perfect excellent awesome amazing"
    " wonderful lovely brilliant fantastic super neat clear understood lgtm sense hello hi hey welcome worries bye"
    " goodbye morning evening afternoon night good goodnight done alright"
    " danke dank servus hallo moin tschüss klar verstanden super prima toll perfekt gut morgen abend okay"
    " gracias hola vale claro entendido perfecto genial buenos buenas adiós bien"
    " obrigado obrigada valeu olá entendi claro perfeito ótimo beleza bom boa tchau"
    " merci bonjour bonsoir salut compris clair parfait génial super bien"
    " grazie ciao capito chiaro perfetto ottimo bene buongiorno"
    " bedankt dankjewel hoi duidelijk begrepen prima perfect goed"
    " спасибо привет понятно понял поняла ясно отлично хорошо супер".split()
)
"""Words of thanks, assent, praise, greeting and farewell."""

_COURTESY_FILLER = frozenset(
    "a again all and are at been bit for from got great help here i i'm is it it's its job let like looks lot many me"
    " much my no not now of one problem really right see so sounds stop that that's the then there this to today too us"
    " very was we well what work works yes you you're your explanation answer makes have day later tomorrow until"
    " then leave weekend enough"
    " alles auch bis das dein deine dem den der die dir du es für guten gute hilfe ich ist ja jetzt mir nun schön sehr"
    " so tag vielen viel von war wunderbar dann lass lassen wir nacht"
    " de eso esta está está es todo muchas mucho muy por tu sí ya lo la el ahora días tardes noches luego noche"
    " entonces déjalo dejémoslo así"
    " é isso está tudo muito muita por sua seu sim já agora dia tarde noite o a então deixa assim"
    " c'est ça beaucoup bien pour ton votre aide tout très oui j'ai je est le la maintenant journée alors laisse"
    " bonne nuit"
    " tutto molto mille per il tuo aiuto sì ho è adesso ora allora va lascia così buonanotte"
    " buona notte"
    " dat dit het is je jouw voor hulp alles heel veel erg ja nu wel dan laat maar zo nacht welterusten"
    " большое за это всё все очень да теперь тебе вам мне помощь тогда оставь так спокойной ночи".split()
)
"""Words that say nothing beside them."""

_WIDE_COURTESY = lazy_regex(
    r"(?:(?:どうも)?ありがとう(?:ございま(?:す|した))?|了解(?:です|しました)?|承知しました|なるほど|分かりました|わかりました"
    r"|お疲れ(?:様|さま)(?:です|でした)?|完璧(?:です)?|素晴らしい(?:です)?|いいですね|こんにちは|おはよう(?:ございます)?|(?:では|じゃあ)|そのままで(?:いいです|大丈夫です)?|おやすみ(?:なさい)?"
    r"|非常感谢|多谢|谢谢(?:你|您)?|感谢|好的?|明白了?|清楚了|知道了|很好|不错|太好了|完美|辛苦了|你好|您好|再见|那就(?:这样|算了)吧?|晚安"
    r"|[\s、。，！!.,~〜～])+"
)
_WORDS = lazy_regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_MORE_THAN_WORDS = lazy_regex(r"[`/\\_@#<>{}\[\]=\d]")
MAX_COURTESY = 120


def is_courtesy(message: str) -> bool:
    """Whether a message only thanks, agrees, praises or greets; it has no request and says nothing about the work."""
    text = message.strip().replace("’", "'")
    if not text or len(text) > MAX_COURTESY or _MORE_THAN_WORDS.search(text):
        return False
    if not text.isascii() and _WIDE_COURTESY.fullmatch(text):
        return True
    words = _WORDS.findall(text.casefold())
    return not _COURTESY_WORDS.isdisjoint(words) and all(
        word in _COURTESY_WORDS or word in _COURTESY_FILLER for word in words
    )


_WITHOUT_SUBJECT = WORKING_WORDS | _COURTESY_WORDS

_WIDE_WORKING = lazy_regex(
    r"(?:请|也|再|并|然后|最后|同时|先|不要|别|写|添加|加上|补充|增加|更新|运行|跑|确保|通过|所有|全部|一下|一个|单元|回归|测试"
    r"|用例|文档|提交|代码|计划|方案|给我|看|谢谢|修复|这个|问题|检查|没有|的|和|[，、\s])+"
    r"|(?:テスト|単体|回帰|も|を|が|に|は|の|で|追加|書いて|作成|更新|実行|して|ください|下さい|お願いします|すべて|全部|全て|通る"
    r"|こと|確認|ドキュメント|コミット|プラン|計画|まず|先に|コード|まだ|書かないで|最後|説明|修正|この|問題|ありがとう"
    r"|ございます|ようにして|[、\s])+"
)
_WORKING_VERBS = (
    r"add|also|check|commit|create|don't|do not|ensure|explain|finally|fix|follow|include|keep|let me|make sure|open"
    r"|please|push|read|review|run|show|tell|test|think|update|verify|write"
    r"|aktualisiere|ergänze|erkläre|führe|füge|lass|schreib|schreibe|stelle?"
    r"|actualiza|agrega|añade|asegúrate|ejecuta|escribe|explica|adicione|atualize|escreva|execute|explique|garanta|rode"
    r"|ajoute|assure|écris|explique|lance|mets|aggiorna|aggiungi|assicurati|esegui|scrivi|spiega"
    r"|draai|leg|schrijf|voeg|voer|zorg|добавь|запусти|напиши|обнови|объясни|убедись"
)
_CLAUSE_END = lazy_regex(
    rf"((?<=[.!?;…])\s+|(?<=[。！？])|\n|:\s+"
    rf"|(?:,\s*+|,?\s(?:and then|and|then|also|plus|und|y|e|et|en|и)\s)(?=(?:{_WORKING_VERBS})\b))",
    re.IGNORECASE,
)
_BESIDE = lazy_regex(
    r"\b(?:(?:unit|integration|regression)[- ])?(?:tests?|specs?|coverage|testes|docs?|documentation|dokumentation"
    r"|documentación|documentação|documentazione|documentatie|readme|changelog|lint(?:er|ing)?|commits?|committe"
    r"|pull requests?|prs?)\b",
    re.IGNORECASE,
)
_TEST = lazy_regex(r"\b(?:tests?|testes|specs?)\b|テスト|测试|тест", re.IGNORECASE)
_NO_TEST = lazy_regex(
    r"\b(?:no|not|n't|without|skip|keine?|ohne|sin|sem|sans|senza|zonder|geen|без|run|pass|running|existing)\b"
    r"[^.!?\n]{0,30}\b(?:tests?|testes|specs?|тест)\Z",
    re.IGNORECASE,
)
_FAILURE = lazy_regex(r"\b(?:fail\w*|flak\w+|broken|breaks?|error\w*|crash\w*|red|hang\w*|times? out)\b", re.IGNORECASE)
_FAILING_FIRST = lazy_regex(
    r"\b(?:write|add|start with|schreib\w*|escrib\w+|écri\w+|scriv\w+|escrev\w+|schrijf)\b[^.!?\n]{0,30}"
    r"\b(?:failing|fails?|fehlschlag\w*|falla|échoue|fallisce|falha|faalt)\b",
    re.IGNORECASE,
)
"""A test that is to fail before the work begins."""

_TEST_FAILS = lazy_regex(
    r"\b(?:tests?|specs?|suite)\b[^.!?\n]{0,80}\b(?:(?i:fail\w*|broken|breaks|red|crash\w*)|FAIL\w*)\b"
    r"|\b(?i:failing|failed|broken|red)\b (?:\w+ ){0,2}(?:tests?|specs?)\b|\bFAIL(?:ED|URES?)?\b"
    r"|\b(?i:broke|breaks|broken|fails?|failing|failed)\b (?:\w+ ){0,3}[`\"']?"
    r"(?:test_\w|Test[A-Z]\w|\w{1,60}\.test[A-Z]\w)"
    r"|\b(?i:broke|breaks) (?:\w+ ){0,3}(?:tests?|specs?)\b"
    r"|\b(?:test_\w{1,80}|Test[A-Z]\w{1,80})\b[^.!?\n]{0,40}\b(?i:fail\w*|breaks|broken?|red|crash\w*)\b"
)
_WORK_ON_TESTS = lazy_regex(
    r"\b(?:add|write|create|implement|generate|extend|rename|move|split|cover)\b[^.!?\n]{0,40}"
    r"\b(?:tests?|specs?|coverage)\b",
    re.IGNORECASE,
)

_TESTS_OF = lazy_regex(
    r"\W{0,3}(?:(?:please|can you|could you|let's|bitte|por favor) ){0,2}(?:add|write|create|implement|generate"
    r"|schreib\w{0,2}|erstelle?|ergänze|füge|escrib[ea]|agrega|añade|escreva|adicione|écri[st]|ajoute[rz]?|scrivi"
    r"|aggiungi|schrijf|voeg|напиши|добавь)\b[^.!?\n]{0,40}\b(?:tests?|testes|specs?|pruebas?|тесты?)\s(?:cases? )?"
    r"(?:for|of|on|covering|that|which|where|when|für|para|pour|per|voor|de|do|da|du|della|на|для)\s",
    re.IGNORECASE,
)
"""A message whose task is the tests of something."""

_REQUEST = lazy_regex(
    rf"(?:{_WORKING_VERBS}|then|and|also|next|fix|implement|refactor|change|correct|rename|move|remove|delete|replace"
    rf"|make"
    r"|use|repair|improve|behebe?|danach|dann|und|corrige|arregla|después|depois|corrija|corrigez?|puis|ensuite|poi"
    r"|correggi|repareer|daarna|исправь|потом)\b",
    re.IGNORECASE,
)
"""A clause that asks for other work."""


def reports_failing_test(message: str) -> bool:
    """Whether a message reports that a test fails, and asks for no work on tests: it is about the code under test."""
    return _TEST_FAILS.search(message) is not None and _WORK_ON_TESTS.search(message) is None


_NAMES_SOMETHING = lazy_regex(r"[`/\\_@#<>{}\[\]=\d]|\w\.\w|\(\)")
_ENDS = " \t.,:;!?…。！？"


@lru_cache(maxsize=16)
def adds_tests(message: str) -> bool:
    """Whether a message asks for tests beside its subject."""
    subject = subject_of(message)
    if subject == message or _TEST.search(subject) is not None:
        return False
    return any(_NO_TEST.search(message, 0, match.end()) is None for match in _TEST.finditer(message))


@lru_cache(maxsize=16)
def subject_of(message: str) -> str:
    """Return what a message is about: without the clauses that only tell how to work, such as "and add a test".

    Beside a clause with a subject, the others lose their words for tests, documents and commits, unless they name
    something or report a failure. A message without a subject, one with a block of code, and one that asks for the
    tests of something, then only says what these are, is returned as it is.
    """
    if "```" in message or len(message) > MAX_PROMPT:
        return message
    first, *rest = _CLAUSE_END.split(message)
    if _TESTS_OF.match(first) and not any(map(_REQUEST.match, rest[1::2])):
        return message
    clauses = [_Clause.of(*parts) for parts in [("", first), *zip(rest[::2], rest[1::2], strict=True)]]
    has_subject = any(len(clause.others) >= MIN_SUBJECT_WORDS and not clause.is_beside for clause in clauses)
    subject = [clause for clause in clauses if not clause.is_about_working(has_subject=has_subject)]
    if not any(clause.text.strip(_ENDS) for clause in subject):
        return message
    texts = (clause.text if clause.is_open or not has_subject else _BESIDE.sub(" ", clause.text) for clause in subject)
    return "".join(f"{clause.mark}{text}" for clause, text in zip(subject, texts, strict=True)).lstrip(_ENDS)


_DOCUMENT_NOUN = (
    r"(?:(?<!manual )(?<!generated )docs?|documentation|(?<!style )(?<!to )guides?|tutorials?|documentaci[oó]n"
    r"|gu[ií]as?|documenta[cç][aã]o|documentazione|dokumentation|doku|anleitung|handbuch|dokumentacj[a-ząę]"
    r"|документаци[а-я]{1,3}|руководств[а-я]{1,3})"
)
_DOCUMENTS_AS_SUBJECT = lazy_regex(
    rf"(?i)\b{_DOCUMENT_NOUN}\b(?!-|\s(?:generator|builder|parser|viewer|server|search|theme|strings?|tests?"
    r"|tool|users?|the user)\b)|文档|教程|ドキュメント|チュートリアル|문서|튜토리얼"
    r"|^\s{0,8}(?:(?:please|can you|could you|let's) )?document"
    r" (?:the|how|that|when|why|what|which|this|all|our|its|each|every|new|`)"
)
_CITED_DOCUMENTS = lazy_regex(
    r"(?i)\b(?:according to|as per|per|see|read|reading|follow(?:ing|s)?|based on|check|checked|as in|like in|from|doc)"
    rf" (?:the|our|their|its|your)? ?(?:[\w.-]{{1,30}} )?{_DOCUMENT_NOUN}\b"
    rf"|\b{_DOCUMENT_NOUN} (?:says?|states?|claims?|mentions?|suggests?|promises?|describes?)\b"
)


_COMMENTS_OF_CODE = lazy_regex(
    r"(?i)\b(?:(?:js|java|go|rust|ts|php)docs?|docstrings?|doc[- ]?comments?|doc ?blocks?)\b"
)


@lru_cache(maxsize=16)
def wants_documents(message: str) -> bool:
    """Whether a short message is about documents: to write or change them, not only what they say."""
    if len(message) > MAX_DOCUMENT_CHARACTERS or _COMMENTS_OF_CODE.search(message):
        return False
    if DOCUMENTS_PREFIX.match(message):
        return True
    return _DOCUMENTS_AS_SUBJECT.search(_CITED_DOCUMENTS.sub(" ", subject_of(message))) is not None


def documents_scope(message: str) -> str:
    """Return the prefix of a query about documents, the message's own if it has one; empty for another subject."""
    if not wants_documents(message):
        return ""
    own = DOCUMENTS_PREFIX.match(message)
    return own[0].strip() if own is not None else DOCUMENTS_SCOPE


MIN_SUBJECT_WORDS = 2
"""A clause with fewer words besides those of working has no subject of its own."""

MAX_OTHER_SHARE = 0.2
"""Share of other words in a clause about tests, documents or commits that is about working all the same."""


class _Clause(NamedTuple):
    mark: str
    """Separator from the clause before."""
    text: str
    words: int
    others: tuple[str, ...]
    """Its words that are neither words of working nor function words."""
    is_beside: bool
    """Whether it mentions tests, documents or commits."""
    is_open: bool
    """Whether it names something or reports a failure, so that every word may lead to a file."""

    @classmethod
    def of(cls, mark: str, text: str) -> "_Clause":
        """Read a clause."""
        words = _WORDS.findall(text.replace("’", "'").casefold())
        others = tuple(word for word in words if word not in _WITHOUT_SUBJECT and query_terms(word))
        reports_failure = _FAILURE.search(text) is not None and _FAILING_FIRST.search(text) is None
        is_open = _NAMES_SOMETHING.search(text) is not None or reports_failure
        return cls(mark, text, len(words), others, _BESIDE.search(text) is not None, is_open)

    def is_about_working(self, *, has_subject: bool) -> bool:
        """Whether it names nothing, and has no words besides those of working; few, if another clause has a subject."""
        if not self.text.isascii() and _WIDE_WORKING.fullmatch(self.text.strip(_ENDS)):
            return True
        is_outcome = self.words == 1 and self.is_open  # as in `test_cart.py ... FAILED`
        if not self.words or is_outcome or _NAMES_SOMETHING.search(self.text):
            return False
        is_lenient = self.is_beside and has_subject and not self.is_open
        return len(self.others) <= (MAX_OTHER_SHARE * self.words if is_lenient else 0)


MAX_PROMPT = 4_000
"""Maximum number of characters searched: a request comes at the beginning, or is not one sentence."""

MAX_INTENT = 300

_VERBS = (
    r"create|build|write|implement|make|add|develop|design|generate|introduce|set up|scaffold|draft|code|crie|criar"
    r"|cria|construa|construir|escreva|escrever|implemente|implementar|adicione|adicionar|desenvolva|desenvolver|faça"
    r"|fazer|gere|gerar|monte|montar|crea|crear|construye|construir|escribe|escribir|implementa|añade|añadir|agrega"
    r"|agregar|desarrolla|desarrollar|haz|hacer|genera|generar|diseña|diseñar|crée|créer|crée-moi|construis|construire"
    r"|écris|écrire|implémente|implémenter|ajoute|ajouter|développe|développer|génère|générer|fais|faire|conçois"
    r"|concevoir|erstelle|erstellen|baue|bauen|schreibe|schreib|schreiben|implementiere|implementieren|ergänze"
    r"|entwickle|entwickeln"
)
_REQUEST_PREFIXES = (
    r"please|pls|can you|could you|would you|now|then|and|also|let's|lets|let us|help me|go ahead and|next"
    r"|(?:i|we)(?: would like| want| need| have|'d like)(?: you)? to|you should|we should|i'll need you to"
    r"|por favor|agora|(?:eu )?(?:quero|preciso)(?: que você| de)?|você pode|pode|ahora|(?:yo )?(?:quiero|necesito)"
    r"|puedes|podrías|s'il te plaît|s'il vous plaît|maintenant|(?:je )?(?:veux|voudrais)|peux-tu|pouvez-vous|il faut"
    r"|bitte|jetzt|kannst du|ich (?:will|möchte|brauche)"
)
_NEED_PREFIXES = (
    r"(?:i|we) (?:need|want|would like)|(?:i|we)'d like|(?:eu )?(?:preciso de|quero)|precisamos de|queremos"
    r"|(?:yo )?(?:necesito|quiero)|necesitamos|(?:j'ai|nous avons) besoin d(?:e |')|(?:je veux|il me faut|il nous faut)"
    r"|(?:ich|wir) (?:brauche|brauchen|möchte|möchten|hätte gern)"
)
_ARTICLES = (
    r"a|an|another|some|the|new|um|uma|outro|outra|novo|nova|un|una|otro|otra|nuevo|nueva|une|une autre|un autre"
    r"|nouveau|nouvelle|des|ein|eine|einen|noch ein|me a|us a|me an|me um|me uma|me un|me una|moi un|moi une|mir ein"
    r"|mir eine|mir einen"
)
_CREATION_REQUEST = lazy_regex(
    rf"(?:^|[.!;:\n]\s{{0,20}}+|,\s{{0,20}}+)(?:(?:{_REQUEST_PREFIXES})[,\s]{{1,20}}+){{0,3}}(?P<verb>{_VERBS})\s+(?P<rest>[^\n.!?;]{{3,{MAX_INTENT}}})",
    re.IGNORECASE,
)
_NEED_STATEMENT = lazy_regex(
    rf"(?:^|[.!;:\n]\s{{0,20}}+)(?:{_NEED_PREFIXES})\s*(?:{_ARTICLES})\s+(?P<rest>[^\n.!?;]{{3,{MAX_INTENT}}})",
    re.IGNORECASE,
)
_LEADING_ARTICLES = lazy_regex(rf"^(?:(?:{_ARTICLES}|me|us|moi|mir|nos)\s+)+", re.IGNORECASE)
_QUOTED = lazy_regex(r"```.*?(?:```|\Z)|`[^`\n]*`|^>.*$|\"[^\"\n]{40,}\"", re.MULTILINE | re.DOTALL)
_NOT_CREATION = lazy_regex(
    r"^(?:sure|sense|use of|it|them|that|this|these|those|sure that|changes?|a change|a fix|a commit|commits?"
    r"|the tests? pass|certeza|isso|isto|ele|ela|eso|esto|lo|ça|cela|das|es|attention)\b",
    re.IGNORECASE,
)

_REQUEST = lazy_regex(
    r"\b(?:can|could|would|will) you\b|puedes|podrías|pode\b|peux-tu|pouvez-vous|kannst du", re.IGNORECASE
)


class CreationRequest(NamedTuple):
    """A request to create something, in its own words."""

    text: str
    """From its verb on, if it has one."""
    subject: str


@lru_cache(maxsize=16)
def creation_request(prompt: str) -> CreationRequest | None:
    """Return what a prompt asks to create; None if it asks for nothing new."""
    text = _QUOTED.sub(" ", prompt[:MAX_PROMPT]).replace("’", "'")
    matches = (match for pattern in (_CREATION_REQUEST, _NEED_STATEMENT) for match in pattern.finditer(text))
    for match in sorted(matches, key=lambda match: match.start()):
        rest, following = match["rest"].strip(), text[match.end("rest") :]
        is_request = _REQUEST.search(match[0]) is not None and following.startswith("?")  # as `can you …?` is
        if is_request or not (_NOT_CREATION.match(rest) or following.lstrip().startswith("?")):
            subject, verb = _LEADING_ARTICLES.sub("", rest), match.groupdict().get("verb")
            return CreationRequest(f"{verb} {rest}" if verb else subject, subject) if subject else None
    return None


def is_reversal(text: str) -> bool:
    """Whether the words of a sentence take something back that was valid before, or say what is valid instead."""
    return takes_back(text) or states_what_holds(text)


def takes_back(text: str) -> bool:
    """Whether the words of a sentence take something back that was valid before."""
    has_words = any(pattern.search(text) for pattern in (BACK, MAY, _NO_LONGER))
    return has_words or forgets(text) or release_of(text) is not None


def forgets(text: str) -> bool:
    """Whether a sentence asks to forget an earlier statement, or says that a rule ended, and states nothing itself."""
    return bool(FORGET.search(text) or _EXPIRED.search(text)) and not KEEP_IN_MIND.search(text)


def without_withdrawal(text: str) -> str:
    """Return a sentence without the words that withdraw: what is left is their subject."""
    subject = FORGET.sub(" ", _EXPIRED.sub(r" \g<before> \g<after> ", text))
    return _RULE_AT_END.sub("", subject) if subject != text else text


def allows_for_good(text: str) -> bool:
    """Whether a permission lasts: "you can commit now" holds for the task at hand."""
    return _LASTS.search(text) is not None


class Release(NamedTuple):
    """A sentence that ends what an earlier statement demands, or allows what it forbids, for good."""

    is_of_ban: bool
    """Whether it allows what a ban forbids, rather than ends a demand."""
    subject: str
    """The sentence without the words that end it."""


def release_of(text: str) -> Release | None:
    """Return what a sentence ends; None if it ends nothing, or only for the task at hand."""
    text = without_assent(text)
    if _SPECIFIC.match(text):
        return None
    if _ENDED.search(text) and _ENDS_FOR_GOOD.search(text):
        return Release(False, _ENDS_FOR_GOOD.sub(" ", _ENDED.sub(" ", text)))
    is_allowed = _ALLOWED.search(text) or (_FINE.search(text) and _ACTIVITY.match(text))
    if is_allowed and _HOLDS_FROM_NOW.search(text):
        return Release(True, _HOLDS_FROM_NOW.sub(" ", _ALLOWED.sub(" ", _FINE.sub(" ", text))))
    return Release(True, _MAY_AGAIN.sub(" ", text)) if _MAY_AGAIN.match(text) else None


_MAY_AGAIN = lazy_regex(
    r"(?i)^\W{0,3}(?:(?:and|but|so) )?(?:you|we) (?:may|can|are allowed to)\b(?=[^?]{1,120}\bagain\W*$)"
    r"|^\W{0,3}(?:(?:und|aber) )?(?:du|wir) (?:darfst|kannst|dürfen|können)\b(?=[^?]{1,120}\bwieder\b)"
    r"|^\W{0,3}(?:ya )?puedes\b(?=[^?]{1,120}\b(?:de nuevo|otra vez)\W*$)"
    r"|^\W{0,3}(?:você )?pode\b(?=[^?]{1,120}\bde novo\W*$)|^\W{0,3}tu peux\b(?=[^?]{1,120}\bde nouveau\b)"
)
"""A permission that returns what a ban had taken."""


BACK = lazy_regex(
    r"(?i)\b(?:(?:switch(?:ed)?|go(?:ne)?|went|moved?|changed?|revert(?:ed)?|come|came) )?back to\b|\bagain\b"
    r"|\b(?:wieder|zur[üu]ck (?:zu|auf)|de nouveau|[àa] nouveau|reviens [àa]|de nuevo|otra vez|vuelv[ae]n? a|volver a"
    r"|de novo|novamente|volt[ea]r? a|di nuovo|torna(?:re)? a|weer|opnieuw|terug naar|снова|опять|обратно"
    r"|верн(?:ись|итесь|емся) к)\b|もう一度|再び|に戻(?:して|し|す|る)|改回|换回|恢复"
)
MAY = lazy_regex(
    r"(?i)\b(?:you (?:don['’]?t|do not) (?:need|have) to ask(?: me)?(?: (?:first|for permission))?(?: before)?"
    r"|no need to ask(?: me)?(?: first)?(?: before)?|(?:don['’]?t|do not|stop|never) ask(?:ing)?(?: me)?(?: again)?"
    r" (?:first|before)|frage? (?:mich )?nicht (?:mehr )?(?:vorher|bevor|vor)|ne (?:me )?demande[zs]? (?:plus"
    r"|pas) avant"
    r"|no (?:me )?preguntes (?:más )?antes|não (?:me )?pergunt[ea]s? (?:mais )?antes|non chieder(?:e|mi) (?:più )?prima"
    r"|vraag (?:me |mij )?niet (?:meer )?voor(?:dat)?|не спрашивай (?:меня )?(?:больше )?перед|you (?:may|can"
    r"|are (?:free|allowed) to)|feel free to"
    r"|it(?:['’]s| is) (?:ok|okay|fine)(?: (?:to|if you))?|puedes|puede|podes|podés|pode|peux|pouvez|darfst|kannst"
    r"|d[üu]rft|puoi|potete|mag je|je mag|kun je|можешь|можете|можно)\b"
    r"|(?:ても|なくて)(?:いい|良い|よい|構いません|かまいません)|可以|允许你|(?:不用|不要|别)(?:先)?问(?=我)"
)
_NO_LONGER = lazy_regex(
    r"(?i)\b(?:any ?more|no longer(?! (?:work|compile|build|load|start|pass|respond|render|connect|exist|appear)s?\b)"
    r"|dropped|ditched|nicht mehr|kein\w{0,2} .{1,30} mehr|ne .{1,30} plus|n['’]\w{1,20} plus|ya no"
    r"|n[ãa]o .{1,40} mais|j[áa] n[ãa]o|non .{1,40} pi[ùu]|niet meer|geen .{1,30} meer|больше не)\b"
    r"|もう.{1,30}(?:ない|ません)|不再|不要再|别再"
)
_RULE_AT_END = lazy_regex(
    rf"(?i)[,;，；、]? ?{CHANGED_MIND}[.!。！]?$"
    r"|的?(?:那条|这条|那个|这个)?(?:规则|规定|约定)?(?:都)?(?:从(?:你的)?(?:记忆|记录)[里中]?)?(?:删掉|删除|去掉|忘掉|取消)?[。！!\s]{0,9}$"
    r"|(?:-regel(?: (?:bitte )?weg)?|,? nehme ich (?:wieder )?zurück|,? neem ik terug)?"
    r" ?(?:\b(?:from|aus|de|da|dalla|uit|из) (?:your |deinem |dem |tu |ta |sua |tua |je )?(?:memory|notes|gedächtnis"
    r"|speicher|memoria|mémoire|memória|geheugen|памяти))?"
    rf"(?:,? {WITHDRAWAL_TAIL}){{0,3}}[.!\s]{{0,9}}$"
)
"""Words at the end of a withdrawal that name no subject."""
KEEP_IN_MIND = lazy_regex(
    r"(?i)\b(?:don['’]?t|do not|never) (?:forget|ignore)|vergiss nicht|vergeet niet|no olvides|n[ãa]o esque|n['’]oublie"
    r"|non dimentica|не забудь|不要忘|别忘|忘れない"
)
_EXPIRED = lazy_regex(
    r"(?i)\b(?:the|my|that|this|our|die|diese|la|esa|esta|cette|a|essa|quella|de|deze) "
    r"(?P<before>(?:[^\s,.;:!?]{1,30} ){0,3}(?:[^\s,.;:!?-]{1,30}-)?)(?:rule|instruction|requirement|convention"
    r"|policy|restriction|thing|regel|regla|règle|regra|regola)(?P<after>(?: [^\s,.;:!?]{1,30}){0,6}?) "
    r"(?:no longer (?:appl(?:y|ies)|holds?|counts?)|does(?:n['’]?t| not) (?:apply|hold|count)(?: any ?more)?"
    r"|is (?:now )?(?:no longer valid|not valid any ?more|obsolete|outdated|over|history|void|gone(?! from))"
    r"|gilt nicht mehr|ya no (?:aplica|vale)|ne s['’]applique plus|n[ãa]o vale mais|non vale pi[ùu]|geldt niet meer)\b"
)
_FOR_GOOD = (
    r"from (?:now|here|today) on(?:wards)?|in (?:the )?future|going forward|for good|ab (?:jetzt|sofort)|in zukunft"
    r"|a partir de (?:agora|ahora|hoje|hoy)|de ahora en adelante|de agora em diante|daqui (?:pra|para) frente"
    r"|dorénavant|von (?:jetzt|nun) an|(?:zu)?künftig|désormais|à partir de maintenant|d['’]ora in poi|vanaf nu|отныне"
)
_ENDED = lazy_regex(
    r"(?i)\b(?:you|we) (?:don['’]?t|do not|no longer) (?:need|have) to\b|\b(?:you|we) (?:can|may) (?:now )?(?:skip"
    r"|omit)\b|\bno need (?:to|for)\b|\b(?:is|are) (?:no longer|not|n['’]t) (?:needed|required|necessary|wanted)\b"
    r"|^(?:please |ok(?:ay)?,? |just ){0,2}no more(?= \S)|^(?:please |ok(?:ay)?,? "
    r"|just ){0,2}stop(?= [^\s,]{2,30}ing\b)|^\W*(?:we|i) no longer\b|^\W*wir\b(?=.{1,80}\bnicht mehr\b)"
    r"|^\W*(?:nosotros )?ya no\b(?! (?:hace|es|son)\b)|^\W*(?:nós )?já não\b|\b(?:du (?:musst"
    r"|brauchst)|(?:musst|brauchst) du)\b(?=.{1,80}\bnicht mehr\b)|\b(?:ist|sind)(?= nicht mehr (?:nötig|notwendig"
    r"|erforderlich)\b)|\bya no (?:hace falta|es necesario|son necesari[ao]s)\b|\bn['’]est plus nécessaire\b"
    r"|\bplus besoin de\b|\bn[ãa]o (?:é|são) mais necessári[ao]s?\b|\bnon (?:è|sono) più necessari[oae]?\b"
    r"|\bniet meer nodig\b|\bбольше не нужн[оаы]\b|もう(?=.{1,30}なくて)"
)
_ENDS_FOR_GOOD = lazy_regex(
    rf"(?i)\b(?:{_FOR_GOOD}|any ?more|no longer|no more|stop(?= [^\s,]{{2,30}}ing\b)|já não"
    r"|nicht mehr(?: (?:nötig|notwendig|erforderlich))?|ya no|n['’]est plus|plus besoin|mais necessári\w?"
    r"|più necessari|niet meer|больше не)\b|もう(?=.{1,30}なくて)"
)
_SPECIFIC = lazy_regex(
    r"(?i)(?:\W{0,3}(?:ok(?:ay)?|and|but|so|now|no)\b\W{1,3})?(?:the|this|that|these|those|it|they|die|das)\b"
    r"(?!.{1,60}\b(?:musst|brauchst) du\b)"
)
_ALLOWED = lazy_regex(
    r"(?i)\b(?:is|are) (?:now |again |also )?(?:allowed|permitted)\b|\b(?:ist|sind) (?:jetzt |wieder )?(?:in ordnung"
    r"|ok(?:ay)?|erlaubt)\b"
    r"|\b(?:está|están) (?:ahora )?(?:bien|permitid[ao]s?)\b"
    r"|\b(?:est|sont) (?:maintenant )?(?:autorisée?s?|permise?s?|ok)\b|\b(?:está|estão) (?:agora )?permitid[ao]s?\b"
    r"|\b(?:è|sono) (?:ora )?permess[oaie]\b|\bis (?:nu )?toegestaan\b|\bтеперь можно\b"
)
_LASTS = lazy_regex(
    rf"(?i)\b(?:{_FOR_GOOD}|always|again|any ?more|need to ask|ask\w* (?:me )?before|without|sans|sin|ohne|sem|senza"
    r"|zonder|без|wieder|siempre|sempre|toujours|immer|altijd|всегда)\b|今後|これから|以后|今后|从现在|往后|聞かず|不用问"
)
_FINE = lazy_regex(r"(?i)\b(?:is|are) (?:now |again |also )?(?:fine|ok|okay|acceptable)\b(?: with me)?")
_ACTIVITY = lazy_regex(r"(?i)\W*(?:(?:actually|ok(?:ay)?|and|so|but|yes)\b\W{1,3}){0,2}\w{2,30}ing\b")
"""A practice as the subject: "the tests are fine now" says how things are."""

_HOLDS_FROM_NOW = lazy_regex(
    rf"(?i)\b(?:{_FOR_GOOD}|now|again|any ?more|jetzt|wieder|ahora|maintenant|agora|ora|nu|теперь)\b"
)

COMPLAINT = lazy_regex(
    r"(?i)\b(?:wrong\w*|bad|broke\w*|breaks?|fail(?:s|ed|ing)?|crash\w*|stale|slow\w*|flak\w*|useless|garbage|ugly"
    r"|(?:does|did|is|are|was|were|ca|wo)(?:n['’]?t| not)|['’]s not|do(?:n['’]?t| not) (?:want|like|need)|cannot"
    r"|too (?:much|many|big|large|complex|complicated|expensive|late|early|heavy|long)"
    r"|falsch\w*|kaputt|langsam\w*|klappt nicht|geht nicht|zu (?:langsam|groß|viel)|fall[aóo]|rot[oa]|lent[oae]"
    r"|no (?:funciona|sirve|va)|não funciona|falh\w+|quebr\w+|ne (?:marche|fonctionne)|mauvais\w*|faux|cassée?|non"
    r" (?:funziona|va)|sbagliat\w+|rott[oa]|traag|werkt niet|verkeerd|не работает|сломал\w*|неверн\w+|медленн\w+)\b"
    r"|壊れ|動かない|遅い|間違|不对|不行|错了|太慢|坏了"
)
"""Words that find fault, in ten languages."""
UNUSABLE = lazy_regex(
    r"(?i)\b(?:unsupported|unavailable|incompatib\w+|nonexistent|not (?:supported|available)|does(?:n['’]t| not) exist"
    r"|no (?:soportad|disponibl|compatibl)\w+|não (?:suportad|dispon)\w+|non (?:supporté|disponib|supportat)\w*"
    r"|nicht (?:unterstützt|verfügbar)|niet (?:ondersteund|beschikbaar)|не поддерживает\w*)\b|非対応|未対応|不支持"
)
"""Words for what cannot be used where the work runs, in ten languages."""

REFUSAL_ALONE = lazy_regex(
    r"(?i)^(?:(?:hm+|uh|oh|ah|nope|nah|well|ok(?:ay)?|sorry|wait|stop|actually|nein|nee|нет)(?:[\s,.!;:…–—-]{1,3}|$)"
    r"|(?:no+|ne+|non|n[ãa]o)(?:\s?[,.!;:…–—-]\s?|\s(?=i\b|we\b|the\b|you\b|that\b|this\b|it\b)|$))+"
)
"""Words that only refuse. "No", "non" and "não" before a verb deny it."""


BACK_TO_STATE = lazy_regex(
    r"(?i)\b(?:revert|undo|roll ?back|go back|reset|restore)\b[^,.;:!?–—]{0,40}?\bto (?:(?:right |just )?before|how"
    r"|where|when|(?:the )?(?:state|version|point|commit|way)\b)(?:(?!\b(?:because|since|as|so)\b)[^,.;:!?–—]){0,120}"
)
"""An order to bring back an earlier state, which says neither what goes nor why: "revert to before the move"."""


def complaints_in(message: str) -> list[str]:
    """Return the sentences of a message that the user typed and that find fault."""
    return list(filter(COMPLAINT.search, sentences(own_words(message))))
