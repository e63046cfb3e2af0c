"""Intent of a message, and what it is about. Pure.

It corrects the agent, repeats an earlier one, asks to create something, or only thanks.

A correction: the work is wrong, incomplete or not what was requested. Only the beginning of the message and short
sentences count: a long task that mentions an error is a task. What the user pasted is blanked first. Questions for
information and new wishes are not corrections.

A request to create is found in English, Portuguese, Spanish, French and German. Questions about creating, negated
requests, quoted text and code do not count. The intent is the rest of the sentence after the verb; it is the input of
the reuse decision.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import query_terms
from sidecar.language.own_words import own_words

MAX_OPENING = 240
"""Characters of a message's beginning that are read."""

_FORMS = (
    # Refusals that open a message.
    r"^(?:no|nope|nah|não|nein|non|нет|nie)\b(?!\s+(?:problem|worries|need|idea|rush|hurry|issue|longer|objection)\b)",
    r"^(?:wrong|incorrect|stop|wait,? no|hmm,? no|undo|revert|roll ?back)\b",
    r"^(?:不对|不是|错了|不行|違い|違う|ちがう|いや|いいえ)",
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


def is_correction(message: str) -> bool:
    """Whether the user's own words at the beginning of a message correct what the agent did before."""
    opening = " ".join(own_words(message).split())[:MAX_OPENING].replace("’", "'")
    return _CORRECTION.search(opening) is not None


_COURTESY_WORDS = frozenset(
    "thanks thank thx ty cheers appreciated ok okay sure fine great nice cool perfect excellent awesome amazing"
    " wonderful lovely brilliant fantastic super neat clear understood lgtm sense hello hi hey welcome worries bye"
    " goodbye morning evening afternoon night good done alright"
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
    " alles auch bis das dein deine dem den der die dir du es für guten gute hilfe ich ist ja jetzt mir nun schön sehr"
    " so tag vielen viel von war wunderbar"
    " de eso esta está está es todo muchas mucho muy por tu sí ya lo la el ahora días tardes noches luego"
    " é isso está tudo muito muita por sua seu sim já agora dia tarde noite o a"
    " c'est ça beaucoup bien pour ton votre aide tout très oui j'ai je est le la maintenant journée"
    " tutto molto mille per il tuo aiuto sì ho è adesso ora"
    " dat dit het is je jouw voor hulp alles heel veel erg ja nu wel"
    " большое за это всё все очень да теперь тебе вам мне помощь".split()
)
"""Words that say nothing beside them."""

_WIDE_COURTESY = lazy_regex(
    r"(?:(?:どうも)?ありがとう(?:ございま(?:す|した))?|了解(?:です|しました)?|承知しました|なるほど|分かりました|わかりました"
    r"|お疲れ(?:様|さま)(?:です|でした)?|完璧(?:です)?|素晴らしい(?:です)?|いいですね|こんにちは|おはよう(?:ございます)?"
    r"|非常感谢|多谢|谢谢(?:你|您)?|感谢|好的?|明白了?|清楚了|知道了|很好|不错|太好了|完美|辛苦了|你好|您好|再见"
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


_WORKING_WORDS = frozenset(
    (
        "a about accordingly add adjust afterwards again agent agents all also always and any anything anything's are "
        "ask at be because before best branch break breaks broken bug build by can careful carefully cases change "
        "changed changelog changes check checked checker ci clarify clean code coding commit commits compile compiles "
        "complete confirm conventions correct correctly could cover coverage create deeply did do doc docs "
        "documentation don't done each edit else end ensure everything execute existing explain explanation extend "
        "fail fails files final finally find finish finished first fix fixed follow following for format formatter "
        "from go good green hard have hello help here hey hi how i if implement implementing in include integration "
        "into investigate is issue it it's its keep know let let's like lint linter list look looks make me merge "
        "minimal modify more my need new no not nothing notice noticed of on once one open or other our outline own "
        "pass passes passing plan please pr practices problem proceed produce production project proper properly "
        "proposal propose provide pull push quality question questions quick quickly read readme ready regression "
        "relevant repo repository request rerun resolve result results review right root run show simple small so "
        "solution solve some something spec specs start step steps still style subagent subagents succeed such suite "
        "summarize summary sure take task tell test tests than thank thanks that that's the their them then there "
        "these they they're think this thorough thoroughly through time to todo todos too tool tools touch type "
        "typecheck types ultrathink unclear unit unrelated until up update use validate verify want was we well what "
        "when which while whole why will with without work working works would write yet you your "
        "aktualisiere alle alles am anderes auch aus ausführen behebe bestehenden bitte code commite committe dafür "
        "danach danke darum das dass deine den der dich die doku dokumentation du durch durchlaufen durchläuft ein "
        "eine einen einer ende ergänze erkläre erst fehler finde funktioniert füge führe für geändert grün hallo "
        "halte hast hinzu ich ist kannst kein keine keinen klein kümmere lass lauf laufen mach mache minimal mir mit "
        "nichts noch nur plan problem problems prüfe schreib schreibe schreiben sicher sonst stelle stil test tests "
        "und ursache vorher was wie wir zeig zeige zuerst ändere änderung änderungen "
        "a actualiza además agrega agregar ahora antes arregla arreglar asegurate asegúrate añade añadir aún cambiado "
        "cambios causa con corre corrige código de del después documentación ejecuta el encuentra escribe escribir "
        "esta este estilo esto existente explica favor funcione gracias haz hola la las lo los luego me muestra "
        "muéstrame mínimos no pase pasen plan por primero problema prueba pruebas puedes que qué sigue sin soluciona "
        "también todas todavía todo todos un una y "
        "a adicionar adicione ainda antes atualize causa com commit corrige corrija código de depois documentação e "
        "encontre escreva escrever estilo execute existente explique favor faça funcione garanta isso me mostre "
        "mudanças mudou mínimas não o obrigada obrigado olá os para passe passem plano pode por primeiro problema que "
        "rode sem siga também teste testes todas todos tudo um uma "
        "a ajoute ajouter assure aussi avant bonjour cause "
        "ceci cela changement changements changé code commit corrige corriger "
        "d'abord de des documentation du encore ensuite est et existant explique exécute fais fonctionne il jour la "
        "lance le les merci mets mettre minimaux montre ne pas passe passent peux plait plan plaît pour problème que "
        "s'il sans style suis te test tests toi tous tout toutes trouve tu un une à ça écrire écris "
        "aggiorna aggiungi anche ancora assicurati causa che ciao codice commit con correggi così di documentazione e "
        "esegui esistente fai favore funzioni grazie il la lancia le minime modifiche mostra non passi passino per "
        "piano poi prima problema puoi questo scrivi segui senza spiega stile test trova tutti tutto un una "
        "alle alles alsjeblieft bedankt bestaande bij code commit daarna dat dit documentatie doe draai een eerst en "
        "er hallo ik je kun laat leg met minimaal niet nog ook oorzaak op plan probleem schrijf slaagt stijl test "
        "tests toe uit veranderd vind voeg voer volg voor werk werkt wijzigingen zien zorg "
        "без все всё для добавь добавьте документацию запусти запустите "
        "затем и их его и изменения изменил исправь код коммит "
        "минимальные мне можешь найди напиши напишите не обнови план пожалуйста пока покажи потом привет причину "
        "проблема проверь проходит проходят работает сделай сначала спасибо стиль также тест тесты убедись убедитесь "
        "что это "
    ).split()
)
"""Words of clauses that tell how to work, whatever the work is about, in eight languages."""

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
_NAMES_SOMETHING = lazy_regex(r"[`/\\_@#<>{}\[\]=\d]|\w\.\w|\(\)")
_ENDS = " \t.,:;!?…。！？"


def subject_of(message: str) -> str:
    """Return what a message is about: without the clauses that only tell how to work, such as "and add a test".

    A message that consists of nothing else, and one with a block of code, is returned as it is.
    """
    if "```" in message or len(message) > MAX_PROMPT:
        return message
    first, *rest = _CLAUSE_END.split(message)
    clauses = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
    subject = [(mark, clause) for mark, clause in clauses if not _is_about_working(clause)]
    if not any(clause.strip(_ENDS) for _, clause in subject):
        return message
    return "".join(f"{mark}{clause}" for mark, clause in subject).lstrip(_ENDS)


def _is_about_working(clause: str) -> bool:
    """Whether a clause names nothing and contains no word besides those of working."""
    if _NAMES_SOMETHING.search(clause):
        return False
    if not clause.isascii() and _WIDE_WORKING.fullmatch(clause.strip(_ENDS)):
        return True
    words = _WORDS.findall(clause.replace("’", "'").casefold())
    return bool(words) and all(word in _WORKING_WORDS for word in words)


MIN_TERMS, SAME_MESSAGE = 3, 0.8
"""A message repeats an earlier one if both share this part of all their terms; shorter messages are follow-ups."""


def terms_of(message: str) -> frozenset[str]:
    """Return the terms of the user's own words in a message."""
    return frozenset(query_terms(own_words(message)))


def is_repetition(terms: frozenset[str], earlier: Iterable[frozenset[str]]) -> bool:
    """Whether a message has nearly the terms of an earlier one."""
    if len(terms) < MIN_TERMS:
        return False
    return any(len(terms & other) >= SAME_MESSAGE * len(terms | other) for other in earlier)


MAX_PROMPT = 4_000
"""Maximum number of characters searched: a request comes at the beginning, or is not one sentence."""

MAX_INTENT = 300

_VERBS = (
    r"create|build|write|implement|make|add|develop|design|generate|introduce|set up|scaffold|draft|code"
    r"|crie|criar|cria|construa|construir|escreva|escrever|implemente|implementar|adicione|adicionar|desenvolva|desenvolver"
    r"|faça|fazer|gere|gerar|monte|montar"
    r"|crea|crear|construye|construir|escribe|escribir|implementa|añade|añadir|agrega|agregar|desarrolla|desarrollar|haz"
    r"|hacer|genera|generar|diseña|diseñar"
    r"|crée|créer|crée-moi|construis|construire|écris|écrire|implémente|implémenter|ajoute|ajouter|développe|développer"
    r"|génère|générer|fais|faire|conçois|concevoir"
    r"|erstelle|erstellen|baue|bauen|schreibe|schreib|schreiben|implementiere|implementieren|ergänze|entwickle|entwickeln"
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
    rf"(?:^|[.!;:\n]\s{{0,20}}+|,\s{{0,20}}+)(?:(?:{_REQUEST_PREFIXES})[,\s]{{1,20}}+){{0,3}}(?:{_VERBS})\s+(?P<rest>[^\n.!?;]{{3,{MAX_INTENT}}})",
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


@lru_cache(maxsize=16)
def creation_intent(prompt: str) -> str | None:
    """Return what a prompt asks to create, in its own words; None if it asks for nothing new."""
    text = _QUOTED.sub(" ", prompt[:MAX_PROMPT]).replace("’", "'")
    matches = (match for pattern in (_CREATION_REQUEST, _NEED_STATEMENT) for match in pattern.finditer(text))
    for match in sorted(matches, key=lambda match: match.start()):
        rest = match["rest"].strip()
        if not _NOT_CREATION.match(rest) and not text[match.end("rest") :].lstrip().startswith("?"):
            return _LEADING_ARTICLES.sub("", rest) or None
        if "?" in text[match.end("rest") :][:1] and _is_request(match[0]):
            return _LEADING_ARTICLES.sub("", rest) or None
    return None


def _is_request(text: str) -> bool:
    """Whether a question is a request, as `can you …?` is."""
    return _REQUEST.search(text) is not None
