"""Wording by which users bind an agent's habits, choose tools, or describe product and environment. Pure.

A pattern alone proves little; those that mean much the same are one feature of the linear model
(`statement_features.FAMILIES`).
"""

import re
from collections.abc import Mapping

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
