"""Wording by which users state what lasts: habits, tools, product and environment; prohibitions, choices, facts. Pure.

A pattern or form alone proves little; those that mean much the same are one feature of the linear model
(`sentence_features.FAMILIES`). The concepts that explicit forms combine are read from `lasting_words.txt`.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from sidecar.core.lazy_regex import lazy_regex

TOOL = (
    r"(?:npm|npx|pnpm|yarn|bun|uv|pip|poetry|conda|cargo|gradle|maven|eslint|prettier|ruff|tailwind\w*|bootstrap|shadcn"
    r"|daisy ?ui|mui|sonner|vitest|jest|pytest|playwright|cypress|prisma|drizzle|sequelize|sqlalchemy|ef"
    r"|entity framework|redux|zustand|axios|jquery|react|vue|svelte|angular|next\.?js|nuxt|vite|webpack|expo|flutter"
    r"|electron|django|flask|fastapi|express|nest\.?js|laravel|spring|typescript|javascript|python3?|java|kotlin|rust"
    r"|php|sql|graphql|websockets?|docker(?:[ -]compose)?|nginx|nodemailer|resend|stripe|redis|kafka|pandas|polars"
    r"|pytorch|openai|ollama|langchain|zod|sdk|mcp|orm|postgres\w*|mysql|sqlite|mongo\w*|supabase|firebase|vercel"
    r"|netlify|railway|heroku|aws|azure|gcp|cloudflare|vps|coolify|windows|linux|ubuntu|wsl|powershell|macbook|mac"
    r"|github|gitlab|node(?:\.?js)?|\.net|dotnet|icons?|fonts?|migrations?|git)"
)
"""Names of tools, libraries, platforms and languages."""

_OUTPUT = (
    r"(?:(?:\.?mds?|markdown|readmes?|docs?|documentation|summar(?:y|ies)|reports?|comments?|docstrings?|emoj\w+"
    r"|commit(?:s|ting)?|git commits?|push(?:ing)?|branches|pull requests?|prs?|(?:test |sql )?scripts?|mocks?"
    r"|mock data|placeholders?|dummy data|hard ?-?cod\w+|seeds?|tokens?|yap\w*|tables?|dashes|(?:new )?files?"
    r"|quick fixes|workarounds?|fallbacks?|tests?|migrations?|servers?|dependenc\w+|librar\w+|packages?|code|todos?"
    r"|spec\w*|changelog)\b)"
)
_LEAD = r"^(?:(?:please|pls|and|also|but|so|then|ok|yes|no|just|only|always|must)[ ,]+)*"

PATTERNS: Mapping[str, tuple[frozenset[str], re.Pattern[str]]] = {
    f"pattern {name}": (frozenset(triggers.split()), lazy_regex(pattern))
    for name, triggers, pattern in (
        (
            "ban on output",
            "i you never no stop quit avoid try please",
            (
                r"\b(?:i (?:really )?(?:don['’]?t|do not|never) (?:want|need|like)(?: you)?(?: to)?"
                r"|(?:you )?(?:must|should|can|may)(?: ?not|n['’]t)|never|no more|stop|quit|avoid|no need (?:to|for)"
                r"|you (?:don['’]?t|do not) (?:need|have) to|try not to|please (?:no|not|don['’]?t|do not))\s"
                r"(?:(?:writ(?:e|ing)|creat(?:e|ing)|mak(?:e|ing)|generat(?:e|ing)|add(?:ing)?|us(?:e|ing)|run(?:ning)?"
                r"|do(?:ing)?|git|put(?:ting)?|too many|any|more|new|all|so|many|much|unnecessary|extra|other"
                r"|edit(?:ing)?"
                r"|updat(?:e|ing)|wast(?:e|ing)|start(?:ing)?|commit|push|touch|delete|change|modify|ever|try\w*|to"
                r"|up|with"
                rf"|the|md|markdown|sql|test|prod|production)\s){{0,4}}{_OUTPUT}(?! (?:yet|now|here)\b)"
            ),
        ),
        (
            "without output",
            "no without",
            (
                r"^(?:(?:please|pls|and|also|but|so|ok)[ ,]+)*(?:no|without) (?:more |any )?(?:\w+ ){0,2}"
                rf"{_OUTPUT}(?:$|[.,!;]| (?:only|please|ever|at all|use|unless|until))"
            ),
        ),
        (
            "use of a tool",
            "use using run stick utilize",
            (
                r"^(?:(?:please|pls|and|also|but|so|ok|yes|no|just|only|always|you (?:should|must)"
                r"|we (?:should|must|will)|let['’]?s)[ ,]+)*(?:use|using|run with|stick (?:to|with)|utilize)\s(?:\w+ )?"
                rf"{TOOL}(?: \w+)?(?:$|[.,!;]| (?:instead|not|rather|for (?:all|every|the whole)|everywhere|only"
                rf"|package"
                r"|and not|over|as))"
            ),
        ),
        (
            "rejected tool",
            "don't dont do never stop avoid no not without stay get drop instead rather longer anymore",
            (
                r"\b(?:don['’]?t|do not|never|stop|avoid|no|not|without|stay away from|get rid of|drop"
                r"|instead of(?: using)?|rather than|no longer|anymore) (?:use |using |touch |install |any |the )?"
                rf"{TOOL}\b"
            ),
        ),
        (
            "tool in use",
            "i we i'm we're",
            (
                r"\b(?:i|we)(?:['’]?m|['’]?re| am| are)? (?:\w+ly |now |already |only )?(?:use|uses|using|run"
                r"|running|have|on|develop\w*|deploy\w*|host\w*|work\w* (?:on|with|in))\s(?:\w+ ){0,4}?"
                rf"{TOOL}\b"
            ),
        ),
        (
            "goal",
            (
                "goal goals objective objectives aim aims purpose intention intentions vision priority priorities"
                " proposition aiming"
                " targeting principle idea intent l'objectif objetivo intención ziel"
            ),
            (
                r"\b(?:goal|objective|aim|purpose|intention|vision|priority|priorities|value proposition)s?"
                r" (?:(?:of|for|here|with|behind) (?:[\w'’]+ ){1,5}?)?(?:is|are|was|should be)\b"
                r"|\b(?:we|i)(?:['’]?m|['’]?re| am| are) (?:aiming|targeting)\b"
                r"|\b(?:principle|idea|intent) (?:here )?is (?:to|i want|we)\b|l['’]objectif (?:est|de l|final)"
                r"|el objetivo|mi intenci|o objetivo|das ziel|目标是|目的是|ゴールは|目的は"
            ),
        ),
        (
            "generic plural",
            "should must need have are can may will cannot can't do don't",
            (
                r"^(?:(?:the|our|all|and|also) )*"
                r"(?!this|that|is|does|was|has|yes|its|it['’]s|thanks|sometimes|always|lets|lots|there)[a-z]+s"
                r" (?:should|must|need to|have to|are|can|may|will|cannot|can['’]t|do not|don['’]t)"
                r" (?:always|never|only|usually|not|be|have|still|also|stay|remain)\b"
            ),
        ),
        (
            "keep it so",
            "keep kept stay stays remain remains possible",
            (
                r"\b(?:keep|kept)\b(?: [^\s.,;]+){1,6} (?:updated|up[- ]to[- ]date|in sync|consistent|separated?"
                r"|organi[sz]ed)\b(?! for now)|\b(?:stay|remain)s? (?:consistent|in sync|as simple|as it is)\b"
                r"|\b(?:simple|small|lean|short|minimal) (?:and \w+ )?as possible\b"
            ),
        ),
        (
            "who I am",
            "i i'm im as",
            (
                r"\bi(?:['’]m| am|m) (?:(?:an?|the only|only|just|solely|more of|new to|mostly|very|no|not an?"
                r"|much of) )+"
                r"(?!not\b|bit|little|loss|few|lot|issue|error|sure|problem|able|happy|getting|seeing|ok\b|asking"
                r"|talking|worried"
                r"|trying|confident)\w+|\bi (?:don['’]?t|do not) (?:know (?:at all )?how to (?:code|program)"
                r"|understand code|have (?:a|any) (?:license|budget))|\bas an? (?:solo\w*|single|individual|beginner)"
            ),
        ),
        (
            "I do it",
            "i i'll i'm we need u you",
            (
                r"\bi(?:['’]?ll| will|['’]?m going to| am going to| always| usually| do)? (?:be )?(?:test|commit|run"
                r"|handle"
                r"|manage|deploy|push|review|start|restart|verify|do)(?:ing"
                r"|s)?\b(?! the same)(?: [^\s.,;]+){0,4} (?:myself|manually"
                r"|on my own)\b|\b(?:and|,|so) i(?:['’]ll| will) (?:always )?(?:manage|handle|test|commit|push|review"
                r"|deploy)\b|\b(?:i|we) will (?:always )?(?:test|handle|manage) (?:by|it|this|them|the|payments)\b"
                r"|\bno need (?:for you )?to (?:do|run|start|commit|push|test|build)\b|\b(?:u|you) run your own\b"
            ),
        ),
        (
            "amount",
            "only just usually most max maximum limit cap more per a each have want need",
            (
                r"\b(?:there (?:will be|are|is|may be)|we (?:have|only have)|i have) (?:just|only|usually|at most"
                r"|max\w*)\b"
                r"|\b(?:have|with|allow\w*) an? (?:max\w*|limit|cap) of \d*|\bat most \d+|\bno more than \d+"
                r"|\bonly (?:have|want|need) (?:about |one |two |1 |2 |a single )"
                r"|\b\d\w{0,12} (?:per|a|each) (?:day|hour|minute|month|user|request|call|week|account)\b"
            ),
        ),
        (
            "people",
            (
                "user users customer customers client clients guest guests people player players staff visitors"
                " students"
                " patients employees admin admins members owners vendors suppliers"
            ),
            (
                r"\b(?:users?|customers?|clients?|guests?|people|players?|staff|visitors|students|patients|employees"
                r"|admins?|sub-?admins?|members?|owners?|vendors?|suppliers?)\b (?:should|must|can|may|will|are|who"
                r"|only"
                r"|usually|often|never|always|do not|don['’]?t|cannot|can['’]?t|like|want|prefer|need|have)\b"
            ),
        ),
        (
            "liking",
            "i we me i'd we'd",
            (
                r"\b(?:i|we)(?:['’]?d| would)?(?: \w+ly| always| really| much)? (?:prefer|rather|favou?r)\b"
                r"(?! (?:options?\b|this|that\b|it\b|these|those|\d|the (?:\w+ )?(?:first|second|third|last|other|one"
                r"|latter|former)\b))"
                r"|\bi (?:really |always )?(?:like|love|hate|dislike)(?: to| it when|s)\b"
                r"|\b(?:better|easier|best|nicer) (?:with|for) me\b|\bwith me\b"
            ),
        ),
        (
            "reminder",
            "remember remeber rember keep bear don't forget make as",
            _LEAD + r"(?:reme?mb?er|remeber|keep in mind|bear in mind|don['’]?t forget)[ ,:]+(?:that|to|we|our"
            r"|the user|when|this is|you|never|always)\b|\b(?:make (?:this|it|that) (?:as )?a rule"
            r"|as a (?:general )?rule)\b",
        ),
        (
            "said before",
            "told asked said telling repeating asking many keep discussed agreed decided every everytime",
            (
                r"\b(?:i|we)(?:['’]ve| have)?(?: already| clearl?y| repeatedly| specifically)?"
                r" (?:told you (?:to|not|that|we|never|i)|asked you (?:not to|just to)|said (?:not to|no |never|i do"
                r"|only)"
                r"|keep (?:telling|repeating|asking))\b|\bhow many times (?:do|must|have|did)\b"
                r"|\byou keep (?:making|adding|creating|using|doing|changing|forgetting)|\bi never asked (?:for|you)\b"
                r"|\bwe (?:discussed|agreed|decided) (?:\w+ )?(?:to|that|on|not|only)\b"
                r"|\bevery ?time (?:i|you) (?:ask|answer|change|edit)\b"
            ),
        ),
        (
            "choice",
            "let's lets we i we'll i'll i'd instead we've i've",
            (
                r"\b(?:let['’]?s|we(?:['’]ll| will| should| shouldn['’]t| need to)"
                r"|i(?:['’]ll| will|['’]d like to| want to| decided to)) (?:just |not |be |only )?(?:go with|use|using"
                r"|stick (?:with|to)|get rid of|drop|switch (?:to|from)|move to|migrate to|remove|keep|self ?host"
                rf"|deploy (?:to|on)|host|rebuild)\s(?:\w+ ){{0,3}}?{TOOL}\b|\binstead of (?:using )?{TOOL}\b"
                r"|\b(?:we|i)(?:['’]ve| have)? (?:decided|chose|chosen|moved|switched|migrated|dropped|stopped using"
                r"|changed)\b(?! (?:it|this|that)\b)"
            ),
        ),
        (
            "no need",
            "we i",
            (
                r"\b(?:we|i) (?:don['’]?t|do not|won['’]?t|will not|wouldn['’]?t|shouldn['’]?t be|no longer)"
                r" (?:\w+ly |ever )?(?:need|want|use|using|care|allow|support|intend|plan|rely|accept|edit|touch)\b"
                r"(?! (?:to (?:see|know|do|talk|tell|show|say)|this\b|that\b|it\b|them\b|these\b|any code"
                r"|you to (?:code|write|do|generate)|the\b))"
            ),
        ),
        (
            "source of truth",
            "source only right correct standard official serve serves is",
            (
                r"\b(?:source of truth|the only (?:right|correct|valid) |the (?:right|correct|standard|official)"
                r" (?:way|version) (?:is|to)|is (?:the )?standard\b|serves? as"
                r"|is not an? [\w-]+[, ](?:application|app|but|it['’]s|just)|is (?:just|only|purely) (?:for|sample))\b"
            ),
        ),
        (
            "long term",
            "future term going now forever good again anymore more",
            (
                r"\b(?:in future|long[- ]term|going forward|from now on|forever|for good|ever again"
                r"|any ?more (?:unless|please)|never again)\b"
            ),
        ),
        (
            "style",
            (
                "color colors colour colours font fonts style styles theme design icon icons date dates time times"
                " number"
                " numbers percentages currency"
                " amounts mobile touch responsive emojis emoji emojies"
            ),
            (
                r"\b(?:primary|brand|main|accent|our|same) colou?rs?\b|\b(?:fonts?|colou?rs?|styles?|theme|design"
                r"|icons?"
                r"|dates?|times?|numbers|percentages|currency|amounts) (?:are|is|should be|must be|has to be|have to be"
                r"|need to be) (?:always |all |in |consistent\w* )*\w+|\b(?:mobile|touch)[- ](?:first|friendly"
                r"|responsive)"
                r"|\b(?:fully )?responsive\b|\bno emoj"
            ),
        ),
        (
            "style of code",
            (
                "naming convention conventions kebab camel snake hard hardcoded best design clean cleaner maintainable"
                " maintainability readable readability reusable separation"
                " driven functional funcional"
            ),
            (
                r"\b(?:naming|convention|kebab|camel|snake)[- ]?\w*|\bhard ?-?coded\b|\bbest practi[cs]es?\b"
                r"|\bdesign patterns?\b|\bclean(?:er)? (?:code|architecture)|\bmaintainab\w+|\breadab\w+|\breusab\w+"
                r"|\bseparation\b|\btest[- ]driven|\bfunctional programming|\bprogramación funcional"
            ),
        ),
        (
            "waste",
            "waste wasting wasted conserve save saving yap bs quick",
            (
                r"\b(?:wast(?:e|ing|ed)|conserve|sav(?:e|ing)) (?:\w+ )?(?:tokens?|time|money|credits)|\bless yap"
                r"|\bno bs\b"
                r"|\bquick fix\w*"
            ),
        ),
        (
            "rule in another language",
            (
                "nunca siempre jamais toujours immer niemals sempre всегда никогда nie zawsze luôn pamiętaj recuerda"
                " lembre rappelle ricorda quiero veux will não voglio хочу tôi arrête arrêtez deja dejen pare smetti"
                " hör"
                " przestań перестань pas debe debes deben deve devem doit doivent muss müssen devono musi muszą todo"
                " todos toda"
                " todas"
                " tous toutes alle tutti tutte все wszystkie cada chaque jede jeder jedes usamos utilizamos utilise"
                " utilisons"
                " nutzen verwenden benutzen usiamo используем używamy usando должен должна должно должны"
            ),
            (
                r"\b(?:nunca|siempre|jamais|toujours|immer|niemals|sempre|всегда|никогда|nie|zawsze|luôn)\b[^.?!]{3}"
                r"|\b(?:pamiętaj|recuerda|lembre|rappelle|ricorda)\b"
                r"|\b(?:no quiero|je ne veux pas|ich will (?:nicht|kein)|não quero|non voglio|nie chcę|я не хочу"
                r"|tôi không muốn|tôi chỉ)\b|\b(?:arrêtez?|deja|dejen|pare|smetti|hör|przestań|перестань)"
                r" (?:de |di |auf |делать)|\b(?:ne|n['’])\s?\w+ pas de\b"
                r"|\b(?:debe[ns]?|deve[m]?|doit|doivent|muss|müssen|devono|должн\w+|musi|muszą) (?:\w+ )?(?:siempre"
                r"|sempre"
                r"|toujours|immer|ser|être|sein|estar|быть|być|tener)\b"
                r"|\b(?:todos?|todas?|tous|toutes|alle|tutti|tutte|все|wszystkie|cada|chaque|jede[rs]?)\b(?: \w+){0,5}"
                r" (?:debe[rn]?|doi\w+|m[uü]ss\w*|sollen|deve\w*|devono|должны|powinny|tienen que|deber[ií]an?"
                r"|deber[ií]as?)\b|\b(?:usamos|utilizamos|on utilise|nous utilisons|wir (?:nutzen|verwenden|benutzen)"
                r"|usiamo|используем|używamy|estamos usando)\b"
            ),
        ),
        (
            "rule in Chinese",
            "",
            (
                r"(?:不要|不许|别|禁止|不准|不得)(?:再|使用|用|随便|擅自|私自|修改|动|改|自动|写|生成"
                r"|新增|创建|提交|推送|绕过|逃)(?!.{0,4}(?:其他|其它))|(?:必须|一律|统一|始终|总是|每次|永远|只能|务必)"
                r"|(?:都|全部|所有|每个).{0,12}(?:要|应该|必须|需要|用|使用|对应|按照|统一)|(?:征求|经过|问)我|是标准"
                r"|为准|为标准|应该一个|(?:我|我们)(?:使用|用)的? ?是|就够了|就别想|(?:我"
                r"|我们)(?:的)?(?:目标|目的|思路|原则)"
                r"|(?:用|以)(?:中文|英文|简体中文|繁體中文|日文)(?:回答|回复|输出|交流|写|沟通)"
            ),
        ),
        (
            "rule in Japanese",
            "",
            (
                r"(?:な[！!。]?|するな|さわるな|触るな|使うな|やめて|禁止|しないで|しないこと|許さない|許可を)[^。]{0,6}$"
                r"|(?:必ず|常に|絶対に|二度と|毎回|すべて|全て|今後)|(?:すること|使用すること|こと)[。)]?$"
                r"|(?:で|を)(?:開発|記載|記述|統一|使用|実装)(?:する|して(?:ね|ください)?)[。]?$"
                r"|(?:日本語|英語|中国語)で.{0,6}(?:出力|回答|答え|書|返|話|お願い)"
            ),
        ),
    )
}
"""Trigger words, of which a sentence needs one, and pattern for text in lower case, by name."""

UNSPACED_PATTERNS = frozenset({"pattern rule in Chinese", "pattern rule in Japanese"})
"""Patterns of languages without spaces."""

_OPENING = (
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
        _OPENING + r"(?:(?:you|we|agents?) (?:should|must|have to|need to|can) )?(?:always|never)\s+"
        rf"(?!{_IDLE}\b)[a-z]{{2,20}}\s+\S"
        r"|"
        + _OPENING
        + r"toujours (?:\w+(?:er|ez|ir|oir|dre)|utilise|mets|fais|écris|réponds|garde|vérifie|lance|ajoute)\s+\S"
        r"|" + _OPENING + r"(?:immer|niemals|nie|siempre|nunca|sempre|mai|altijd|nooit|всегда"
        r"|никогда не)\s+\w{3,20}\s+\S"
        r"|^(?:总是|始终|一律|永远不要|绝不要?|千万别|千万不要|不许|禁止|严禁)|^(?:常に|必ず|絶対に)"
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
        + _OPENING
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
        _OPENING + r"(?:let['’]?s |we |i )?(?:use|using|write|import|run|call|name|store|keep|choose|pick|stick (?:with"
        r"|to)|go with|throw|return) (?!this|that|it\b|them|these|those)"
        r"[^.?!\n]{1,80}(?:\binstead of\b|\brather than\b|\bin place of\b|,? (?:and )?not\b) ?\S"
        r"|" + _OPENING + r"(?:usa|utiliza|usemos|use|utilise[zr]?|utilisez|prends|nimm|nutzen?|verwenden?|benutzen?"
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
        _OPENING + r"(?:(?:you (?:need to|should|have to|must) )?(?:stop|quit|avoid|refrain from) (?!the\b|it\b|this"
        r"|that)\w{2,20}ing\b|no more \w|stay away from|(?:don['’]?t|do not|dont) (?:ever|use|create|make"
        r"|add comments|write"
        r"|commit|push|touch|edit|modify|change|generate|install|run)\b(?! (?:it|this|that|anything else)\b))"
        r"|\b(?:try to|please) (?:stay away from|avoid|stop|refrain)\b|\b(?:skip|no) \w{2,20}(?: \w{2,20})? (?:ever"
        r"|anymore|any more)\b|"
        + _OPENING
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
        _OPENING + r"(?:no|only) (?!idea|problem|worries|one|way|longer|now|then|errors?\b|it\b|i\b|you\b|what|that"
        r"|this|the\b)[\w.-]{2,20}(?: [\w./-]{1,20}){0,4}[\s,.;!]{1,3}"
        r"(?:only|just|ever|never|at all|use|needed|unless|i (?:will|do|want|use))\b"
        r"|" + _OPENING + r"no more (?!errors?\b|issues?\b)\w{2,20}(?: \w{2,20})?"
        r"|^only [\w.-]{2,20} (?:code|files?|names?|components?|scripts?)[\s.!]{0,3}$",
    ),
    "form no need": lazy_regex(
        r"\b(?:i|we) (?:don['’]?t|do not|dont|will not|won['’]?t) (?:need|want|care|like) (?!to (?:see|know|talk"
        r"|do that)\b|it\b|that\b|this\b|you\b|them\b|hover|header|footer)"
        r"|" + _OPENING + r"(?:there(?:['’]s| is) )?no need (?:for|to)\b|\bno hace falta\b|\bnie potrzebujemy\b"
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
        r"|"
        + _OPENING
        + r"(?:display|make|round|format|show|write|name|treat) (?:all|every|each|any) |(?:所有|每个|全部"
        r"|都)[^。\n]{0,30}(?:必须|应该|要|只用|统一)|(?:すべて|全て|全部)[^。\n]{0,40}(?:して|こと|べき)",
    ),
    "form people": lazy_regex(
        r"\b(?:users?|customers?|clients?|guests?|people|players?|staff|visitors|students|patients"
        r"|employees) (?:will|can|may|should|must|need to|have to|are|usually|often|only|never|always|do not"
        r"|don['’]?t|like|want|prefer) "
        r"|\bthere (?:will be|(?:is|are) usually|may be|might be|(?:is|are) (?:only|no|just)|will never be) "
        r"|" + _OPENING + r"(?:it|this|they|the \w{2,20}|our \w{2,20}) will (?:be|not|have|never|always|only)\b"
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


def _read_concepts(text: str) -> dict[str, str]:
    """Return the patterns of `lasting_words.txt` by name."""
    concepts = {"known tool": TOOL}
    for block in text.split("\n\n[")[1:]:
        header, _, lines = block.partition("\n")
        name, _, frame = header.partition("]")
        alternatives = "|".join(line for line in lines.replace("\n  ", "").split("\n") if line)
        pattern = (frame.strip() or "(?:…)").replace("…", alternatives)
        for part in set(_REFERENCE.findall(pattern)):
            pattern = pattern.replace(f"<<{part}>>", concepts[part])
        concepts[name] = pattern
    return {name: _CAPITAL.sub(lambda match: match[0].lower(), pattern) for name, pattern in concepts.items()}


_REFERENCE = lazy_regex(r"<<([a-z ]+)>>")
_CAPITAL = lazy_regex(r"(?<!\\)[A-Z]")
_CONCEPTS = _read_concepts((Path(__file__).parent / "lasting_words.txt").read_text(encoding="utf-8"))


@cache
def concept_pattern(names: str) -> re.Pattern[str]:
    """Return the pattern of one or more concepts, for text in lower case."""
    return lazy_regex("|".join(_CONCEPTS[name] for name in names.split("|")))


def lowered(text: str) -> str:
    """Return a text in lower case, with its offsets."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def has_concept(text: str, name: str) -> bool:
    """Whether a text has a concept of `lasting_words.txt`."""
    return concept_pattern(name).search(lowered(text)) is not None
