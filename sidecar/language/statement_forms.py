"""Forms of sentences by which users state what lasts: prohibitions, preferences, choices, facts. Pure.

Forms that mean much the same are one feature of the linear model (`statement_features.FAMILIES`).
"""

from sidecar.core.lazy_regex import lazy_regex

_LEAD = (
    r"^(?:(?:please|pls|but|and|also|so|then|well|ok(?:ay)?|yes|no|nope|hey|note|important|again|just|por favor|y|pero"
    r"|s['’]il (?:te|vous) plaît|et|mais|non|bitte|und|aber|nein|e|mas|não|per favore|ma|alsjeblieft|en|maar|nee"
    r"|пожалуйста|и|но|нет|请|请你)\b[\s,.:;!—–-]{0,3}){0,3}"
)
_IDLE = (
    r"(?:mind|worry|be|been|was|were|is|are|had|have|has|seen|heard|did|does|do|knew|know|fails?|failed|works?|worked"
    r"|returns?|gets?|got|shows?|crash\w{0,3}|the|a|an|it|that|this|used|happens?|comes?|came|goes|went|loads?)"
)
FORMS = {
    "form always, never": lazy_regex(
        _LEAD + r"(?:(?:you|we|agents?) (?:should|must|have to|need to|can) )?(?:always|never)\s+"
        rf"(?!{_IDLE}\b)[a-z]{{2,20}}\s+\S"
        r"|"
        + _LEAD
        + r"toujours (?:\w+(?:er|ez|ir|oir|dre)|utilise|mets|fais|écris|réponds|garde|vérifie|lance|ajoute)\s+\S"
        r"|" + _LEAD + r"(?:immer|niemals|nie|siempre|nunca|sempre|mai|altijd|nooit|всегда"
        r"|никогда не)\s+\w{3,20}\s+\S"
        r"|^(?:总是|始终|一律|永远不要|绝不要?|千万别|千万不要|不许|禁止|严禁|必须)|^(?:常に|必ず|絶対に)"
        r"|\b(?:verwende|nutze|benutze|schreibe?|utilise|utilisez|usa|use|utiliza|escribe|escreva|scrivi|gebruik"
        r"|schrijf|используй|пиши)"
        r"\b[^.?!\n]{0,60}\b(?:immer|niemals|nie|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit|всегда"
        r"|никогда)\b",
    ),
    "form must always, must never": lazy_regex(
        r"(?<!n't )(?<!n’t )\b(?:must|should|shall|may|has to|have to|needs? to) (?:always|never|not ever)\b"
        r"|(?<!there )\b(?:is"
        r"|are) (?:always|never|strictly) (?!been|be\b|a\b|the\b|this|working)\w"
        r"|\b(?:muss|müssen|soll|sollen|darf|dürfen) [^.?!\n]{0,40}\b(?:immer"
        r"|nie(?:mals)?|stets)\b"
        r"|\b(?:debe|deben|deve|devem|devono|doit|doivent|moet|moeten) (?:siempre|nunca|sempre|mai|toujours|jamais"
        r"|altijd|nooit)\b",
    ),
    "form prefer": lazy_regex(
        r"\b(?:i|we)(?:['’]?d| would)? (?:(?:always|strongly|generally|usually|really|much) ){0,2}prefer\b"
        r"(?! (?:options?\b|this|that\b|it\b|these|those|\d|the (?:\w+ )?(?:first|second|third|last|other|one|latter"
        r"|former)\b))"
        r"|\b(?:i|we)(?:['’]?d| would) (?:much |really )?rather (?:not )?(?:use|have|keep|see|write|avoid)\b|"
        + _LEAD
        + r"(?:prefer|favou?r|prefiere|préfère|préférez|privilégiez?|bevorzuge|prefira|preferisci)\s"
        r"|\b(?:prefiero|preferimos|je préfère|nous préférons|on préfère|bevorzuge|bevorzugen|prefiro|preferisco"
        r"|preferiamo|предпочитаю|предпочитаем|wolę)\b"
        r"|\b(?:customers?|clients?|owner|team|boss|user) (?:\w{2,9}ly )?prefers? \w+ \w+ (?:over|to|rather)\b"
        r"|\b(?:is|are) (?:\w{2,9}ly )?(?:preferred|favou?red) (?:over|to)\b|\b(?:i|we) (?:\w{2,9}ly )?favou?r\b"
        r"|\b(?:i|we) like [^.?!\n]{2,60}\b(?:better|more) than (?!before|it\b|that)|\b(?:geef|geven) de voorkeur aan\b"
        r"|\bпредпочитай(?:те)?\b|^(?:use|choose|pick) (?!the\b|a\b|any\b)[\w-]+(?: [\w-]+){0,3} over (?!the\b|a\b"
        r"|tls|ssl|http)[a-z]"
        r"|.より.{1,30}を(?:優先|使)(?:し|っ)て|优先(?:使用|考虑)",
    ),
    "form use instead": lazy_regex(
        _LEAD + r"(?:let['’]?s |we |i )?(?:use|using|write|import|run|call|name|store|keep|choose|pick|stick (?:with"
        r"|to)|go with|throw|return) (?!this|that|it\b|them|these|those)"
        r"[^.?!\n]{1,80}(?:\binstead of\b|\brather than\b|\bin place of\b|,? (?:and )?not\b) ?\S"
        r"|" + _LEAD + r"(?:usa|utiliza|usemos|use|utilise[zr]?|utilisez|prends|nimm|nutzen?|verwenden?|benutzen?"
        r"|usa|usiamo|gebruik|используй(?:те)?|użyj|używaj)\b[^.?!\n]{1,80}"
        r"\b(?:en (?:vez|lugar) de|y no|au lieu d|plutôt qu|et pas|statt|anstatt|anstelle|nicht|em vez d|ao invés d"
        r"|e não|invece d|al posto di|e non|in plaats van|niet|вместо|а не|zamiast|a nie)"
        r"|(?:用|使用).{1,20}(?:代替|而不是|而非|不要用)|(?:ではなく|じゃなく|の代わりに).{0,40}(?:使って|使用|使う|書いて)",
    ),
    "form we use": lazy_regex(
        r"\b(?:we|our (?:team|company|project)|this (?:project|repo|repository|codebase)) (?:always |only |already "
        r"|never |don['’]?t |do not |doesn['’]?t )?(?:use|uses|follow|follows|name|deploy|run|ship|support|allow"
        r"|mock|write|host|target)s?\b(?! (?:it|this|that|them)\b)"
        r"|\bwir (?:nutzen|verwenden|benutzen|setzen)\b|\b(?:on|nous) (?:utilise|utilisons|n['’]utilise)\b"
        r"|\b(?:usamos|utilizamos|usiamo|utilizziamo)\b|\bwe gebruiken\b|\bмы используем\b|\bużywamy\b"
        r"|我们(?:用|使用|采用|都)|(?:を使っています|を使用しています|を採用しています)",
    ),
    "form stop": lazy_regex(
        _LEAD + r"(?:(?:you (?:need to|should|have to|must) )?(?:stop|quit|avoid|refrain from) (?!the\b|it\b|this"
        r"|that)\w{2,20}ing\b|no more \w|stay away from|(?:don['’]?t|do not|dont) (?:ever|use|create|make"
        r"|add comments|write"
        r"|commit|push|touch|edit|modify|change|generate|install|run)\b(?! (?:it|this|that|anything else)\b))"
        r"|\b(?:try to|please) (?:stay away from|avoid|stop|refrain)\b|\b(?:skip|no) \w{2,20}(?: \w{2,20})? (?:ever"
        r"|anymore|any more)\b|"
        + _LEAD
        + r"(?:deja de|dejen de|pare de|para de|arrête de|arrêtez de|évite|hör auf|vermeide|smetti di|evita|stop met"
        r"|перестань|не используй|не трогай|не пиши|не добавляй|nunca m[aá]s|plus jamais|nie wieder|mai più"
        r"|no (?:uses|utilices|pongas|toques|escribas)|não (?:use|utilize|coloque|mexa|escreva)|n['’]utilise"
        r"|non usare|verwende kein|nutze kein|gebruik geen)\b"
        r"|(?<!先)(?:不要|别)(?:再|总是|使用|用|动|碰|写|加|自动|擅自)|(?:使う|する|さわる|触る|書く|入れる|変える|作る)な(?:[!！。\s]|$)|(?:使わ|使用し|触ら|書か"
        r"|変更し|追加し|作ら|コミットし)ないで",
    ),
    "form whole project": lazy_regex(
        r"\b(?:everywhere|for everything|in every (?:case|file|page|view)|across (?:the )?(?:whole |entire )?(?:app"
        r"|project|site|codebase|board)|in all (?:cases|files|pages|places|coded? files)|throughout the"
        r"|project[- ]wide|app[- ]wide"
        r"|like (?:everywhere|we do|in the rest)|in (?:this|our) (?:project|repo|repository|codebase)"
        r"|en todo el proyecto|en todas partes|partout|dans tout le projet|überall|im ganzen projekt"
        r"|em todo o projeto|em todos os|ovunque|in tutto il progetto|overal|in het hele project|везде"
        r"|во всём проекте)\b"
        r"|整个项目|所有(?:页面|文件|地方|组件)|すべての(?:ファイル|ページ|画面)|プロジェクト全体|全てに",
    ),
    "form only, no": lazy_regex(
        _LEAD + r"(?:no|only) (?!idea|problem|worries|one|way|longer|now|then|errors?\b|it\b|i\b|you\b|what|that"
        r"|this|the\b)[\w.-]{2,20}(?: [\w./-]{1,20}){0,4}[\s,.;!]{1,3}"
        r"(?:only|just|ever|never|at all|use|needed|unless|i (?:will|do|want|use))\b"
        r"|" + _LEAD + r"no more (?!errors?\b|issues?\b)\w{2,20}(?: \w{2,20})?"
        r"|^only [\w.-]{2,20} (?:code|files?|names?|components?|scripts?)[\s.!]{0,3}$",
    ),
    "form no need": lazy_regex(
        r"\b(?:i|we) (?:don['’]?t|do not|dont|will not|won['’]?t) (?:need|want|care|like) (?!to (?:see|know|talk"
        r"|do that)\b|it\b|that\b|this\b|you\b|them\b|hover|header|footer)"
        r"|" + _LEAD + r"(?:there(?:['’]s| is) )?no need (?:for|to)\b|\bno hace falta\b|\bnie potrzebujemy\b"
        r"|\bpas besoin d|\bwir brauchen kein|\bnon serve\b|\bnão precisa(?:mos)?\b|не нужн"
        r"|不需要|必要(?:は)?(?:ない|ありません)",
    ),
    "form I do it": lazy_regex(
        r"\bi(?:['’]?ll| will| do|['’]?m going to)? (?:do|test|run|handle|commit|push|deploy|manage|review|write"
        r"|check|restart) (?!the same)[^.?!\n]{0,40}\b(?:myself|manually|on my own)\b|\bi (?:will"
        r"|['’]?ll) (?:be )?(?:test"
        r"|handle|testing|handling|commit)"
        r"|\b(?:u|you) (?:run|do|test) your own\b|\bi (?:do|make|handle) (?:the|all) (?!same)\w|\b(?:mache|teste"
        r"|committe) ich selbst\b|\bmach ich selbst\b|\blo hago yo\b|\byo mismo\b|\bmoi[- ]même\b|\beu mesmo\b"
        r"|\blo faccio io\b|\bdoe ik zelf\b|\bсделаю сам\b"
        r"|我自己(?:来|做|改|测试)|自分で(?:やる|やります|する|します|実行)",
    ),
    "form all must": lazy_regex(
        r"\b(?:all|every|each|any|everything|both|todos?|todas?|cada|tous|toutes|chaque|alle|jede[rs]?|tutti|tutte"
        r"|ogni|elke|все|каждый|wszystkie)\b[^.?!\n]{0,60}\b(?:should|must|has to|have to|needs? to|ought|debe[nr]?"
        r"|tienen? que|doi(?:t|vent)|m(?:u|ü)ss(?:en)?|sollen?|deve(?:m|r)?|devono|moet(?:en)?|должн\w|musz?ą?)\b"
        r"|" + _LEAD + r"(?:display|make|round|format|show|write|name|treat) (?:all|every|each|any) |(?:所有|每个|全部"
        r"|都)[^。\n]{0,30}(?:必须|应该|要|只用|统一)|(?:すべて|全て|全部)[^。\n]{0,40}(?:して|こと|べき)",
    ),
    "form people": lazy_regex(
        r"\b(?:users?|customers?|clients?|guests?|people|players?|staff|visitors|students|patients"
        r"|employees) (?:will|can|may|should|must|need to|have to|are|usually|often|only|never|always|do not"
        r"|don['’]?t|like|want|prefer) "
        r"|\bthere (?:will be|(?:is|are) usually|may be|might be|(?:is|are) (?:only|no|just)|will never be) "
        r"|" + _LEAD + r"(?:it|this|they|the \w{2,20}|our \w{2,20}) will (?:be|not|have|never|always|only)\b"
        r"|\b(?:should|must|may|can)(?: not|n['’]?t) be (?!able)\w+ed\b",
    ),
    "form reminder of a rule": lazy_regex(
        r"\b(?:i|we) (?:already |have |['’]ve )?(?:told you|said|asked you)(?: \w{1,12}){0,3} (?:to \w\w|not to|that"
        r"|never|always|no|only|we|i do|use|don['’]?t)\b|\bhow (?:many times|often) (?:do|must|have|should)\b"
        r"|\bstop \w{2,20}ing\b[^.?!\n]{0,60}\b(?:every ?time|all the time|again|each time)\b"
        r"|\b(?:te dije|ya te dije"
        r"|je t['’]ai (?:déjà )?dit|habe (?:dir )?(?:doch )?gesagt|hatte ich gesagt|ich sagte|já (?:te )?(?:disse"
        r"|falei)|(?<!che )ti ho (?:già )?detto|ik zei|heb ik (?:al )?gezegd|я (?:же |уже )?(?:говорил|сказал))\b"
        r"|说过|说了多少次"
        r"|何度も言|言ったはず|言ったでしょ",
    ),
    "form upkeep": lazy_regex(
        r"\b(?:keep|kept) (?:\S{1,30} ){1,6}(?:updated|up[- ]to[- ]date|in sync|clean"
        r"|consistent)\b|\b(?:ask|tell|confirm with|check with) me (?:first|before|for)\b"
        r"|\bwithout (?:asking|my (?:permission|approval|consent))\b|\b(?:until|unless) i (?:say|ask|approve|tell"
        r"|explicitly|confirm)\b|(?:征求|经过)我的|私の(?:許可|承認)|勝手に",
    ),
    "form fact": lazy_regex(
        r"\b(?:our|my) (?:\w{2,20} ){0,2}(?:server|hosting|database|api|client|customer|customers|users|team|company"
        r"|deployment|staging|production|machine|laptop|host|provider|plan|account)s? (?:is|are|runs?|uses?|has|have"
        r"|only|does|doesn['’]?t|don['’]?t|cannot|can['’]?t|allows?)\b"
        r"|\b(?:i|we) (?:don['’]?t|do not|dont|didn['’]?t|didnt) (?:have|own|use|need) (?!to\b|time|idea|any idea"
        r"|it\b|that|this|you)\w|\b(?:production|prod|staging) (?:is|runs|uses) \w|\bi['’]?m (?:on|running"
        r"|using) (?:windows|mac|linux|ubuntu|wsl|node|python)|\b(?:goal|intention|purpose"
        r"|aim) (?:of \w{1,20} (?:\w{1,20} )?)?is\b"
        r"|\bour (?:goal|aim|users|customers)\b|\b(?:is|as) (?:the|our) (?:single |one )?source of truth\b"
        r"|\bi am (?:solely|the only|targeting|going to (?:run|host|deploy))\b|\bmi intención|\bel objetivo (?:es"
        r"|de)\b|\bl['’]objectif (?:est|de)\b|\bdas ziel ist\b|\bo objetivo é\b|\bl['’]obiettivo è\b|\bhet doel is\b"
        r"|\bцель\b",
    ),
}
"""Patterns of sentence forms by name, for text in lower case; a question has none."""

_FREQUENCY = (
    "always never immer niemals nie toujours jamais siempre nunca sempre mai altijd nooit всегда никогда stets strictly"
    " not"
)
FORM_WORDS = {
    name: frozenset(words.split())
    for name, words in {
        "form always, never": _FREQUENCY,
        "form must always, must never": _FREQUENCY,
        "form prefer": "prefer prefers preferred favor favour favors favours favored favoured rather better over"
        " prefiere préfère"
        " préférez privilégie privilégiez bevorzuge bevorzugen prefira preferisci prefiero preferimos préférons prefiro"
        " preferisco preferiamo предпочитаю предпочитаем предпочитай предпочитайте wolę geef geven",
        "form stop": "stop quit avoid refrain no don't do dont never ever more skip away deja dejen pare para arrête"
        " arrêtez évite hör"
        " vermeide smetti evita перестань не nunca plus nie mai não n'utilise non verwende nutze gebruik",
        "form no need": "need want care like falta potrzebujemy besoin brauchen serve precisa precisamos нужен нужна"
        " нужно нужны",
        "form I do it": "i i'll i'm u you selbst hago mismo même mesmo faccio zelf сам",
        "form all must": "all every each any everything both todo todos toda todas cada tous toutes chaque alle jede"
        " jeder jedes"
        " tutti tutte ogni elke все каждый wszystkie",
        "form we use": "we team company project repo repository codebase wir on nous usamos utilizamos usiamo"
        " utilizziamo мы"
        " używamy",
        "form people": "user users customer customers client clients guest guests people player players staff visitors"
        " students patients employees there will be",
        "form fact": "our my i we production prod staging i'm goal intention purpose aim source intención objetivo"
        " l'objectif ziel obiettivo doel цель",
        "form use instead": "instead rather place not vez lugar no invés lieu plutôt pas statt anstatt anstelle nicht"
        " não invece posto non plaats niet вместо а zamiast nie",
        "form whole project": "everywhere everything every across all throughout wide like project repo repository"
        " codebase proyecto todas partout projet überall projekt projeto todos ovunque progetto overal везде проекте",
        "form upkeep": "keep kept ask tell confirm check asking permission approval consent until unless",
        "form only, no": "no only",
        "form reminder of a rule": "i we how stop dije t'ai dir doch gesagt sagte disse falei ti zei heb я",
    }.items()
}
"""Words of which a sentence has one if it has the form; sentences without spaces are always searched."""
