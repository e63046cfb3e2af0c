"""The explicit forms in which users state what lasts, in ten languages: their patterns and words. Pure.

Besides "remember" and "from now on" there are sentences that bind later work in so many words. The forms of these are
written in English, Spanish, French, German, Portuguese, Japanese and Chinese, the most frequent in Italian, Dutch,
Russian and Polish too.
"""

import re
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.lasting_patterns import TOOL
from sidecar.language.statement_phrases import (
    CLOSE,
    CONTRAST,
    DEFINITE,
    DO_DE,
    DO_ES,
    DO_FR,
    DO_IT,
    DO_NL,
    DO_PT,
    DO_RU,
    EVERYWHERE,
    HERE,
    HERE_WE,
    NOT_AT_HAND,
    REPOSITORY,
    TO_DO_DE,
    USE,
    WE_USE,
)

StatementForm = Literal["rule", "preference", "correction", "remember", "decision", "fact", "rejection"]

_LEAD = (
    r"^(?:(?:please|pls|but|and|also|so|ok(?:ay)?|no|hey|important|again|just|por favor|y|pero|et|mais|non"
    r"|s['’]il (?:te|vous) plaît|bitte|und|aber|nein|e|mas|não|nope|per favore|ma|alsjeblieft|en|maar|nee|нет"
    r"|пожалуйста|и|но|请你?)[\s,.:;!—–-]{1,3}){0,3}"
)
_REPORT = (
    r"(?:mind|worry|be|been|was|were|is|are|had|have|has|seen|heard|did|does|do|knew|know|fails?|failed|works?|worked"
    r"|returns?|gets?|got|shows?|crash\w{0,3}|the|an?|it|that|this|used|happens?|comes?|came|goes|went|loads?|resets?"
    r"|breaks|broken|saves?|wanted|thought|wrong|empty|on|off|null|zero|again|stops?|starts?|appears?|tried|there|in"
    r"|at|with|from|about|dealt|made|took|found|met|ran|lost|felt|left|meant|more|less|fewer|above|below|see|my|your"
    r"|our|their|his|her"
    r"|\w+(?:ed|ing|es))"
)
_DEV_STEP = (
    r"(?:commits?|push(?:es)?|merges?|releases?|deploy(?:ment|s)?|pull requests?|prs?|changes?|edits?|sessions?|tasks?"
    r"|migrations?|builds?|refactor\w*|steps?|phases?|answers?|responses?|repl(?:y|ies)|features?|fix(?:es)?"
    r"|iterations?|files?|modules?|components?|functions?|class(?:es)?|tests?|bugs?|endpoints?|prompts?)"
)
"""Steps of development, as opposed to events of the product ("after each request")."""
_DO_STEP = (
    r"(?:run|update|add|write|check|commit|ask|create|test|use|document|log|tell|format|lint|build|verify|regenerate)"
)
_OUTPUT = (
    r"(?:comments?|docstrings?|emojis?|markdown|readmes?|summar(?:y|ies)|docs|documentation|console\.logs?|prints?"
    r"|abbreviations?|default exports?|mocks?|mock data|todos?|placeholders?|fallbacks?|inline styles?"
    r"|hard ?-?coded \w+|(?:test |helper )?scripts?|type assertions?|dead code|workarounds?|git commits?"
    r"|permission|confirmation)"
)
_INFRASTRUCTURE = (
    r"(?:linter|formatter|package manager|test runner|bundler|build tool|runtime|framework|orm|database|db"
    r"|(?:default|main) branch|dev server|host(?:ing)?|ui library|component library|state management|css framework|ci"
    r"|primary keys?|auth(?:entication)?|styling|queue|message broker|cache|deployment|logger|validation)"
)
_POINTING = r"(?:it|this|that|them|these|those|lo|eso|esto|ça|cela|le|das|es|dies|isso|isto|o)"
_MINE = r"(?:do|handle|make|run|write|commit|push|deploy|test|manage|create|merge|update|start|restart|review)"

ALWAYS_DO = lazy_regex(
    _LEAD + rf"(?:we |(?:you|agents?) (?:must|should|may|have to|need to|are to) )?"
    rf"(?:always|never|(?:don['’]?t|do not) ever)\s+(?!{_REPORT}\b)[a-z]{{2,20}}\s+\S"
    r"|"
    + _LEAD
    + r"(?:never|nie(?:mals)?|nunca|jamais|mai|nooit|никогда не) (?:(?:hagas?|faça|faz|fais|fare) )?(?:auto[- ]?"
    r"|force[- ]?|direct(?:ly)? )?(?:push|commit|deploy|merg|rebas|squash|amend|releas|publish|publi|пуш|коммит|деплой)"
    r"\w{0,5}[\s.!]*$"
    r"|" + _LEAD + r"(?:i|we) (?:always|never) want (?!you\b|to\b|it\b|this\b|that\b)\S+ \S"
    r"|" + _LEAD + r"(?:whenever|(?:every|each|any) ?time) you (?!(?:have|are|get|can|want|feel|like)\b)[a-z]{2,20}"
    r" [^.,?!\n]{2,60}, "
    r"(?:please |also |always )?(?!i\b|we\b|it\b|this\b|that\b|the\b|there\b|you\b|you['’])[a-z]{2,20} \S"
    r"|" + _LEAD + rf"(?:after|before|for|with) (?:every|each) (?:[\w-]+ )?{_DEV_STEP}, "
    rf"(?:please |also |always )?{_DO_STEP}\b \S"
    r"|"
    + _LEAD
    + rf"(?:after|before|with|on) (?:every|each) {_DEV_STEP}(?: you make)? (?:please |also |always )?{_DO_STEP}\b \S"
    r"|" + _LEAD + rf"{_DO_STEP} [^.?!,\n]{{2,80}} (?:after|before|with) (?:every|each) {_DEV_STEP}[\s.!]*$"
    r"|(?:^|[,;.:] |\b(?:and|but|so) )(?:when(?:ever)?|if|before|after) (?:you|we|[a-z]{3,15}ing) [^.?!\n]{3,100}?, "
    rf"(?:please |you (?:must |should )?)?(?:always|never) (?!{_REPORT}\b)[a-z]{{2,20}}(?<!s) \S"
    rf"|(?:[,;:—–] so|[;:—–]) (?:please )?(?:always|never) (?!{_REPORT}\b)[a-z]{{2,20}}(?<!s) \S"
    r"|"
    + _LEAD
    + r"(?:make sure|be sure|take care|see to it)(?: that)? (?:you |we |to )(?:always|never) [a-z]{2,20} \S"
    r"|" + _LEAD + r"(?:don['’]?t|do not) (?!worry|mind|be\b|you\b|know|think|care|show|display|render|let\b)"
    r"[^.?!\n]{3,100}(?:, ever|\bever again|\bunder any circumstances?|\bno matter what)[.!\s]*$"
    r"|\b(?:it['’]?s|it is|that['’]?s|use) always [^.?!\n]{1,60}, never \S|\bit(?:['’]?s"
    r"| is) never [^.?!\n]{1,60}, always \S"
    r"|" + _LEAD + NOT_AT_HAND + rf"(?:(?:siempre|nunca(?: más)?) {DO_ES}|(?:no )?{DO_ES} (?:siempre|nunca)"
    rf"|(?:sempre|nunca(?: mais)?) {DO_PT}|(?:não )?{DO_PT} (?:sempre|nunca)"
    rf"|(?:toujours|ne jamais) {DO_FR}|(?:n['’]|ne )?{DO_FR} (?:toujours|jamais)"
    rf"|sempre {DO_IT}|(?:non )?{DO_IT} (?:sempre|mai)|{DO_NL} (?:hier )?(?:altijd|nooit)"
    rf"|(?:всегда|никогда не) [а-яё]{{2,16}}(?:й|йте|и|ите|ь|ьте)|(?:не )?{DO_RU} (?:всегда|никогда)"
    rf"|{DO_DE} (?:(?:bitte|hier) ){{0,2}}(?:immer|nie(?:mals)?|stets)) \S"
    r"|" + _LEAD + NOT_AT_HAND + rf"(?!(?:halt|mach|führ)e? (?:die|den|das|es)\b)(?:{DO_DE} (?!das\b (?:immer|nie)"
    r"|es\b|sie\b|ihn\b)[^.,?!\n]{2,60} (?:immer|stets|nie(?:mals)?) (?:an|ab|um|in ruhe|unter|in|nach|mit|auf|neben)"
    rf"|{DO_NL} (?!dat\b|het (?:altijd|nooit)|ze\b)[^.,?!\n]{{2,60}} (?:altijd|nooit)"
    r" (?:aan|in|onder|naar|met|op|naast|bij|weg|met rust))\b"
    r"|" + _LEAD + rf"(?:immer|nie(?:mals)?|grundsätzlich) (?:[^.?!\n]|\.\b){{2,60}}\b(?<!beim )(?<!zum ){TO_DO_DE}\b"
    r"|" + _LEAD + r"(?!(?:ich|es|das|er|sie|wir|man|warum|wieso|wenn|weil|da|dann)\b)"
    r"(?![^.?!\n]{0,80}\b(?:soll\w*|muss\w*|müss\w*|kann\w*|könn\w*|darf|dürf\w*|wird|werden|würde\w*)\b)"
    rf"[^.?!\n]{{2,60}} (?:immer|stets|grundsätzlich|nie(?:mals)?) (?:[\w-]+ ){{0,4}}{TO_DO_DE}[.!\s]*$"
    r"|^(?:请|請)?(?:总是|你?(?:总是要|始终要?|一律|永远不要|永远别|千万不要|千万别|绝不要?|绝对不要|一定要|务必))(?:先|在"
    r"|用|使用|写|运行|执行|保持|遵循"
    r"|检查|回答|问|直接|提交|推送|合并|部署|(?:改|动|碰|删除?|引入|添?加|修改)(?!这|那|它))"
    r"|^(?:请)?(?:不要|别)(?!这|那|它|再)[^，。？\n]{3,30}[，,](?:永远|绝对|任何时候都|千万)(?:不要|别)[。！!]?$"
    r"|^[^。？?，,“「\n]{2,30}(?:一律|务必|永远不要|千万不要|千万别|绝对不要)(?:先|在|用|使用|写|运行|执行|保持|遵循"
    r"|检查|改|动|提交|以)"
    r"|^(?:[^。\n]{1,40}(?:は|を|には|では|も|に|で|(?:では|じゃ)なく、?))?(?:必ず|常に|いつも|毎回"
    r"|絶対に)(?!今(?!後)|まだ|[^。\n]{0,60}(?:(?:実装|追加)して|忘れる|今すぐ))"
    r"[^。\n]{1,60}(?:して|書いて|使って|実行して|答えて|確認して|残して|入れて|続けて|進めて|ないで)(?:ください"
    r"|下さい|ね"
    r"|くれ)?[。!！]?$"
    r"|^[^。\n]{0,40}(?:二度と|絶対に)(?!今|まだ)[^。\n]{0,40}?(?:[うくるすつぬむぶぐ]な|ないで(?:ください|ね)?)[。!！]?$",
    re.IGNORECASE,
)
I_DO_IT = lazy_regex(
    rf"\bi(?:['’]?ll| will| always| do)?,? (?:always )?{_MINE} (?!(?:(?:all (?:of )?)?{_POINTING}|the same)\b)"
    r"(?:[\w/'’-]+ ){1,5}?"
    r"(?:myself|on my own)\b(?! (?:later|now|today|first|then))"
    r"|\bi do (?:all )?(?:the|my|our) (?!same|work|test\b)\w+(?: \w+)? myself\b"
    r"|\bi (?:always )?(?:commit|push|deploy|release|merge) myself\b(?! (?:later|now|today|first|then))"
    r"|^(?:please )?leave (?:all )?(?:the |my |our )?(?!(?:rest|this)\b)[a-z-]{3,30}s to me\b(?! (?:for|to) )"
    r"|\bhago (?:los|las|el|la) \w+ yo mism[oa]\b|\b(?:os|as) \w+ (?:quem faz sou eu|eu (?:mesm[oa] )?(?:faço|farei))\b"
    r"|\b(?:los|las|el|la) (?!que)\w+(?: \w+)? (?:los |las |lo |la )?hago yo\b"
    r"|\byo (?:mismo |misma )?(?:hago|haré|me encargo de) (?:el|la|los|las)\s\w+"
    r"|\bje (?:fais|ferai|gère|gérerai) (?:les?|la|mes|nos) \w+(?: \w+)? moi[- ]même\b"
    r"|\bje m['’]occupe (?:moi[- ]même )?des? \w+"
    r"|\b(?:die|den|das) \w+(?: \w+)? (?:mache|übernehme|erledige|schreibe) ich selbst\b"
    r"|\bich (?:mache|übernehme|erledige|schreibe) (?:die|den|das|alle) \w+(?: \w+)? selbst\b"
    r"|\beu (?:mesmo |mesma )?(?:faço|farei|cuido d)\s?(?:os?|as?)\s\w+|\bd?eixa (?:os?|as?) \w+ comigo\b"
    r"|(?!これ|それ|あれ)[\w一-龯ァ-ヶー]{2,12}(?:は|を)(?:自分|私|僕)(?:で|が)(?:やり|し|行い|書き)(?:ます|たい)"
    r"|(?!这|那|它)[\u4e00-\u9fff]{2,6}(?:由)?我自己(?:来|做|处理)|我自己(?:来)?(?:提交|部署|测试|运行|推送)",
    re.IGNORECASE,
)
LIKE_EVERYWHERE = lazy_regex(
    _LEAD + r"(?:use|do|keep|write|name|handle|style|format|call|import)\s[^.?!\n]{2,100}"
    r"\b(?:like|as) (?:everywhere(?: else)?|in the rest of|(?:in )?all (?:the )?other \w+"
    r"|we (?:always )?do (?:everywhere|elsewhere))\b"
    r"|" + _LEAD + rf"{USE} (?!{DEFINITE})[^?!,\n]{{2,60}} {CONTRAST} [^?!,\n]{{2,60}},? {EVERYWHERE}{CLOSE}"
    r"|" + _LEAD + rf"{USE} {EVERYWHERE} (?!{DEFINITE})[^?!,\n]{{2,60}} {CONTRAST} (?!{DEFINITE})[^?!,\n]{{2,60}}$"
    r"|" + _LEAD + rf"{USE} (?!{DEFINITE})[^?!,\n]{{2,60}} {EVERYWHERE} {CONTRAST} (?!{DEFINITE})[^?!,\n]{{2,60}}$"
    r"|" + _LEAD + rf"(?:use|stick to|avoid|prefer) (?!an?\b|{DEFINITE})[^?!,\n]{{2,60}}"
    rf" in (?:this|our) {REPOSITORY}{CLOSE}"
    r"|" + _LEAD + r"(?:usa|utiliza|haz|pon)\s[^.?!\n]{2,100}\bcomo (?:en todas partes|en todos lados|en el resto)\b"
    r"|" + _LEAD + r"(?:utilise[zr]?|fais|mets|prends)\s[^.?!\n]{2,100}\bcomme partout\b"
    r"|" + _LEAD + r"(?:nimm|verwende|nutze|benutze|mach)\s[^.?!\n]{2,100}\bwie (?:überall|sonst auch)\b"
    r"|" + _LEAD + r"(?:use|usa|utilize|faça|coloque)\s[^.?!\n]{2,100}\bcomo (?:em todo lugar"
    r"|em todos os lugares|no resto)\b"
    r"|(?:他|ほか)の?(?:ところ|箇所|画面|ファイル)?と同じ(?:よう)?に[^。\n]{1,40}(?:使って|して|書いて)"
    r"|(?:像|和|跟)其他地方一样.{0,4}(?:用|使用|写)|(?:用|使用).{1,40}(?:像|和|跟)其他地方一样",
    re.IGNORECASE,
)
ALL_MUST = lazy_regex(
    _LEAD + r"(?:all|every|each) (?!of\b|the\b|these\b|those\b|this\b|that\b|i\b|you\b|we\b)(?:[\w-]+ ){1,4}"
    r"must (?:always |never |only )?(?!have been|be (?:broken|wrong|missing))[a-z]\w+"
    r"|" + _LEAD + r"tod[oa]s l[oa]s (?:\w+ ){1,4}(?:deben|tienen que) \w"
    r"|" + _LEAD + r"tou(?:s|tes) les (?:[\w'’-]+ ){1,4}doivent \w"
    r"|" + _LEAD + r"alle (?!die|diese)(?:[\w-]+ ){1,4}müssen \w"
    r"|" + _LEAD + r"tod[oa]s [oa]s (?:\w+ ){1,4}(?:devem|têm que|precisam) \w"
    r"|^(?:すべて|全て|全部)の[^。\n]{1,30}(?:使う|使用する|にする|する)(?:こと|必要|べき)|^(?:すべて|全て"
    r"|全部)の[^。\n]{1,40}(?:なければ|必ず)"
    r"|^所有(?:的)?.{1,20}(?:必须|都必须|一律)",
    re.IGNORECASE,
)
PREFER = lazy_regex(
    r"(?:^|[,;.]\s|\b(?:and|also|but|because|so) )(?:i|we) (?:strongly |generally |usually |always |much |really )?"
    r"prefer "
    r"(?!this\b|that\b|it\b|these\b|those\b|options?\b|the (?:\w+ )?(?:first|second|third|last|other|new|old|latter"
    r"|former"
    r"|one|way|version|idea|approach)\b|your\b|if\b|when\b|to (?:see|wait|do|keep it|have)\b|not to\b|\w+ \d)[a-z`]"
    r"|" + _LEAD + r"prefer [^.?!\n]{2,80}\b(?:over|to) [a-z`]"
    r"|\b(?:prefiero|preferimos) (?!esto|eso|esa|este|que\b|la (?:opción|primera|segunda)|el (?:primero|segundo))\w"
    r"|\b(?:je préfère|nous préférons) (?!ça|cela|celui|celle|ce\b|cette|que\b|la (?:première|seconde|deuxième)"
    r"|le (?:premier|second|deuxième))\w"
    r"|\b(?:ich|wir) bevorzugen? (?!das\b|dies|die (?:erste|zweite)|option)\w"
    r"|\bprefiro (?!isso|isto|esse|essa|este|esta|que\b|a (?:opção|primeira|segunda)|o (?:primeiro|segundo))\w"
    r"|(?!こっち|そっち|これ|それ)[^。、\n]{2,20}の(?:方|ほう)が(?:好き|好み|いい)です|[^。、\n]{2,20}を好みます"
    r"|我们?(?:更喜欢|偏好|更倾向于?)(?!这|那|它|第)",
    re.IGNORECASE,
)
_INSTEAD = (
    r"(?:instead of|rather than|over|(?:and )?not|en (?:vez|lugar) de|y no|au lieu d(?:e |['’])|plutôt qu(?:e |['’])"
    r"|et pas|in plaats van|statt|anstatt|und nicht|nicht|em vez d[eo]|ao invés d[eo]|e não)"
)
TOOL_INSTEAD = lazy_regex(
    _LEAD
    + r"(?:use|usa|utiliza|utilise[zr]?|nimm|nutze|verwende|benutze|utilize|gebruik) (?:only |solo |immer |always )?"
    rf"(?:{TOOL}(?: [\w.]+)?,? {_INSTEAD} ?[`\w@.][\w.@/+-]*(?: [\d.]+)?"
    rf"|[`\w@.][\w.@/+-]*(?: [\d.]+)?,? {_INSTEAD} ?{TOOL}"
    r"(?: [\d.]+)?)\s{0,3}(?:[.!,;(]|$|\b(?:because|since|for (?:all|every)|everywhere|weil|porque|parce)\b)"
    rf"|^(?:请)?(?:使?用) ?{TOOL} ?[，,]?(?:而不是|不要用|代替) ?[\w.]+[。.!！]?$"
    rf"|^{TOOL}(?:ではなく|じゃなく|の代わりに) ?[\w.]+ ?を使(?:って|い)",
    re.IGNORECASE,
)
WHY_AGAIN = lazy_regex(
    r"\bwhy (?:did|do|are|have|would|the hell did) (?:you|u)\b|\bwhy\b[^?\n]{0,80}\bagain\b"
    r"|\bpor ?qu[eé]\b[^?\n]{0,80}\b(?:otra vez|de nuevo|outra vez|\w+[aiei]ste|has|estás|você|vc)\b"
    r"|\bpourquoi\b[^?\n]{0,80}\b(?:encore|à nouveau|de nouveau)\b|\bpourquoi (?:(?:tu|vous|t['’])\b|[\wà-ÿ]+-(?:tu"
    r"|vous)\b)|\b(?:warum|wieso|weshalb)\b[^?\n]{0,80}\bwieder\b|\b(?:warum|wieso|weshalb) [\wäöüß]+s?t (?:du|ihr)\b"
    r"|\bperché (?:hai|avete|stai|usi)\b|\bwaarom \w+ (?:je|jij|jullie)\b|\b(?:почему|зачем)(?: же)? (?:ты|вы)\b"
    r"|为什么又|怎么又|(?:为什么|怎么)(?:你|还是?|要)?(?:用|改|写|删|加|提交|推)"
    r"|(?:なぜ|どうして|なんで)[^？?\n]{0,40}(?:また|[たる]の|んですか|ました)|また[^？?\n]{0,40}(?:なぜ|どうして|なんで)",
    re.IGNORECASE,
)
DECIDED = lazy_regex(
    r"\b(?:we|i)(?:['’]ve|['’]d| have| had)?(?: already| clearly)? (?:decided|agreed|settled|said"
    r"|told you)\b(?! (?:later|so|it|that['’]s))\s\S|\b(?:decidimos|acordamos|dijimos|habíamos decidido"
    r"|quedamos en)\s\w|\b(?:combinamos|decidimos|dissemos)\s\w|\ba gente (?:já )?(?:tinha )?(?:combin|decid)(?:ou|iu"
    r"|ado|ido)\s\w|\bavevamo (?:già )?(?:deciso|concordato|detto)\s\w"
    r"|\bwe hadden (?:toch )?[^.?!\n]{0,80}\b(?:afgesproken|besloten)\b|\bмы(?: же| уже)? (?:договорились"
    r"|решили)[\s,]{1,2}\w|\b(?:on|nous) (?:a|avait|avons|avions) (?:déjà )?(?:décidé|dit|convenu)\s\S|\bwir (?:haben"
    r"|hatten) (?:uns )?[^.?!\n]{0,80}\b(?:entschieden|beschlossen|gesagt|vereinbart|geeinigt)\b"
    r"|我们?(?:不是)?(?:已经)?(?:决定|说好|约定|说过)|(?:に|と)(?:決めた|決めました|言った|言いました)",
    re.IGNORECASE,
)
ANY_MORE = lazy_regex(
    _LEAD
    + r"(?:(?:i|we) (?:don['’]?t|do not) want you to |you (?:don['’]?t|do not) (?:need|have) to |(?:don['’]?t|do not"
    r"|never) )(?!see\b|get\b|know\b|understand\b|show|display|render)[^.?!\n]{3,120}\b(?:any ?more|any longer)"
    r"(?: (?:please|from you|in (?:this|our) (?:project|repo\w*|code ?base)))?[.!\s]*$"
    r"|"
    + _LEAD
    + r"(?:no uses|no escribas|no hagas|no añadas|no crees|no pongas|no preguntes) [^.?!\n]{2,100}\bmás[.!\s]*$"
    r"|" + _LEAD + r"(?:não (?:use|usa|escreva|faça|crie|adicione|coloque|pergunte)s?) [^.?!\n]{2,100}\bmais[.!\s]*$"
    r"|" + _LEAD + r"(?:n['’]|ne )(?:utilise|écri|fai|ajoute|crée|met|demande)[sz]? plus \S"
    r"|" + _LEAD + r"(?:schreibe?|verwende|nutze|benutze|erstelle|frage?|lege?) (?:[\w-]+ ){0,5}?(?:nicht|keine?n?) "
    r"(?:[\w-]+ ){0,3}?mehr\b",
    re.IGNORECASE,
)
REPEATED = lazy_regex(
    r"\b(?:i(?:['’]?ve| have)? (?:already |clearly |repeatedly )?told you(?: (?:before|already|again|twice|\w+ times))?"
    r"|i (?:already|clearly) said|i keep (?:telling you|saying)|you (?:keep|always) forget(?:ting)?(?: this| that)?"
    r"|how (?:many times|often) (?:do|must|have) i\b[^.?!\n]{0,30})"
    r"(?:[?!:,—–-]{1,2} ?(?!i\b|it\b|this\b|that\b)\S| (?:not to|never to|to (?:always|never|only)) [a-z]+ \S)"
    r"|\bich habe? (?:dir |euch )?(?:schon|doch|bereits)(?: \w+)? gesagt[,:—–-]{1,2} ?(?:keine?n?|nie|immer|bitte"
    r"|du sollst)\b"
    r"|\bya te (?:dije|he dicho)(?: \w+ veces)?(?: que|[:,])"
    r" (?:no (?:\w{2,14}(?:es|as)|se (?:usa|toca|puede)|quiero)|nunca|siempre|uses|usa|escribas)\b"
    r"|\bje t['’]ai déjà dit(?: que (?:on|nous|tu) | de )\S"
    r"|\b(?:já te disse|eu já disse|já falei)(?:(?: que|[:,]) (?:não (?:é pr?a|é para|quero|pode|us[ae]"
    r"|mex[ae]|faz|faça)|nunca|sempre|use|usa)| (?:pra|para) (?:não|nunca|sempre))\b|我(?:已经|早就)?(?:说"
    r"|告诉)过你?(?:很多|好几|多少)?[次遍]?了?[，,：:]\S"
    r"|(?:前にも|何度も)(?:言いました|言った|伝えました)(?:が|けど|よね)?[、,。]\S",
    re.IGNORECASE,
)
FOR_LATER = lazy_regex(
    r"(?:^|(?<=[,;.:—–] )|(?<=\band )|(?<=\bplease )|(?<=\bnote )|(?<=\bи )|(?<=\bа ))"
    r"(?P<form>for (?:future reference|reference(?=[,:]))|на будущее|for (?:all |any )?(?:the future|(?:future"
    r"|later|further"
    r"|subsequent) (?:work|tasks?|sessions?|changes|prs?|commits|chats?|conversations?|edits|prompts|requests)"
    r"|next time)"
    r"|in (?:all )?(?:future|later) (?:work|tasks?|sessions?|changes|prs?|commits|chats?|edits|prompts)"
    r"|next time(?=[,:]| (?:please|don['’]?t|do not|use|run|ask|write|check|read)\b)"
    r"|für die zukunft|fürs nächste mal|(?:das )?nächste[sn]? mal|para el futuro|la próxima vez|pour la suite"
    r"|la prochaine fois|para o futuro|(?:d|n)a próxima vez|para a próxima)[,:]? "
    r"(?!(?:i|it|this|that|there|they|ich|es|je|ça|eu)\b|(?:we|you|users?) (?:can|could|may|might|will|would|want"
    r"|need)\b)(?=\S)"
    r"|(?:^|(?<=[，。]))(?P<unspaced>下次(?:请|要|记得|不要|别(?!的|人|处))|次回(?:から)?は)",
    re.IGNORECASE,
)
CONVENTION = lazy_regex(
    r"\b(?:that|this|it)(?:['’]?s| is) (?:our|(?:a|the) (?:team|project|house"
    r"|repo)(?:['’]?s)?) (?:\w+ )?(?:convention|rule|policy"
    r"|standard|guideline|practice)\b|\bour (?:\w+ )?(?:convention|rule|policy|guideline) (?:is|says|requires|for)\b"
    r"|^(?:by|per) (?:our )?convention\b"
    r"|\b(?:in|for|across) (?:this|our) (?:project|repo(?:sitory)?|code ?-?base|monorepo|team),? we (?:always |only "
    r"|never |all )?"
    r"(?:use|write|follow|keep|name|put|store|prefer|avoid|don['’]?t use|do not use|never|only)\b"
    r"|\bdas ist (?:bei uns|unsere?) (?:so )?(?:konvention|regel|vorgabe|standard)"
    r"|\bin diesem (?:projekt|repo) (?:verwenden|nutzen|schreiben|halten) wir\b"
    r"|\bes nuestra (?:convención|norma|regla)|\ben este (?:proyecto|repo) (?:solo |siempre )?(?:usamos|escribimos"
    r"|utilizamos|seguimos)\b"
    r"|\bc['’]est notre (?:convention|règle)|\bdans ce (?:projet|dépôt),? (?:on|nous) (?:utilis|écri|sui|respect)\w+"
    r"|\b(?:é|essa é) a nossa (?:convenção|regra)|\bneste (?:projeto|repo\w*),? (?:só |sempre )?(?:usamos|utilizamos"
    r"|escrevemos|seguimos)\b"
    r"|这是我们的(?:规范|约定|规定|规则)|^(?:本|这个|我们的?)项目(?:里|中)?(?:都|统一|只|一律)(?:用|使用|采用)"
    r"|(?:が|のが)(?:規約|ルール|決まり)です|^(?:この|本)プロジェクトでは[^。\n]{2,40}(?:を使(?:う|い|って)"
    r"|にして(?:い|く))",
    re.IGNORECASE,
)
HOUSE_CHOICE = lazy_regex(
    r"(?:^|[,;.:!?] |\b(?:and|but|because|since) )(?:here )?we (?:only|always|just|exclusively) (?:use|write|support"
    r"|deploy|run|commit"
    r"|merge|import|target|ship) (?!the same|it\b|this\b|that\b|(?:one|two|three|four|five|half"
    r"|some|\d+)\b|the (?:first|second|last)\b)\S"
    rf"|{HERE_WE}"
    r"|(?:^|[,;.:!?] )we (?:use|follow|stick to|run (?:the |our )?tests (?:with|via)) "
    r"(?!it\b|this\b|that\b|the (?!\w+ (?:pattern|style|convention|approach|layout|structure"
    r"|workflow)\b))"
    r"[^.?!\n;]{2,60}\b(?:here|everywhere)\b(?! and there)"
    r"|^(?:no+(?:,? wait)?|nope)\b\s?[,.:;!—–-]{1,3}\s{1,3}(?:we|in (?:this|our) \w+ we) (?:always |only |never )?"
    r"(?:use|run|write|deploy|name)"
    r" (?!it\b|this\b|that\b|them\b|the (?:same|wrong|first|second|other)\b)\S"
    rf"|(?:^|[,;.:!] )(?:the |our )?{_INFRASTRUCTURE} (?:is|are|runs? on|uses?|lives? (?:in|on)) "
    r"(?!empty|broken|down\b|slow|wrong|null|missing|locked|full|off\b|still|now)[^.?!,\n]{1,60}, (?:and )?not \S"
    r"|" + _LEAD + rf"stop (?:adding|writing|creating|generating|making|asking(?: me)? for) (?!the\b|this\b|that\b"
    rf"|these\b)(?:[\w-]+ )"
    rf"{{0,3}}{_OUTPUT}\b"
    rf"|(?:^|[,;.] )i (?:really )?(?:don['’]?t|do not|never) want (?:any |to see (?:any )?|you to (?:add|write"
    rf"|create) )?(?:[\w-]+ ){{0,3}}?"
    rf"{_OUTPUT}\b"
    r"|" + _LEAD + rf"(?:don['’]?t|do not|never) use {TOOL}(?: (?:in|for) \w+)?[;.,:—–-]+ ?(?:please )?use [`\w@.]",
    re.IGNORECASE,
)
_LANGUAGE = (
    r"(?:english|german|french|spanish|portuguese|italian|dutch|russian|polish|japanese|chinese|korean|vietnamese"
    r"|arabic"
    r"|hindi|turkish|ukrainian|thai|indonesian|malay|greek|czech|danish|swedish|norwegian|finnish|hungarian|romanian"
    r"|bulgarian|hebrew|persian|farsi|bengali|urdu|tamil|catalan|mandarin|cantonese|pt-br|deutsch|englisch|französisch"
    r"|spanisch|español|inglés|francés|alemán|portugu[êé]s"
    r"|ingl[êe]s"
    r"|fran[cç]ais|anglais|allemand|espagnol|italien|italiano|inglese|tedesco|nederlands|engels|русск\w*|английск\w*"
    r"|polsku|angielsku)"
)
ANSWER_LANGUAGE = lazy_regex(
    r"(?:^|[,;.!] |\b(?:please|and|but|pls) )(?:(?:please|always|only) ){0,2}(?:answer|reply|respond|speak|talk|write)"
    rf"(?: to me| me| back)? (?:only |always )?in {_LANGUAGE}\b"
    rf"|\b(?:antworte|antworten sie|sprich|schreib)(?: mir)?(?: bitte)?(?: immer| nur)? auf {_LANGUAGE}\b"
    rf"|\b(?:respóndeme|responde|contesta|contéstame|háblame|habla)(?: siempre)? en {_LANGUAGE}\b"
    rf"|\b(?:responda|responde|fale|fala|escreva)(?: sempre)?(?: comigo)? em {_LANGUAGE}\b"
    rf"|\b(?:répond[sz]?|répondez|parle[zs]?|écri[st])(?:[- ]moi)?(?: toujours)? en {_LANGUAGE}\b"
    rf"|\b(?:rispondi(?:mi)?|parla(?:mi)?|scrivi(?:mi)?)(?: sempre)? in {_LANGUAGE}\b"
    rf"|\b(?:antwoord|spreek)(?: altijd)? in het {_LANGUAGE}\b|\b(?:отвечай|пиши"
    rf"|говори)(?:те)? (?:мне )?(?:всегда )?(?:по[- ]|на )"
    rf"{_LANGUAGE}"
    r"|\byour (?:answers?|replies|responses?) (?:should|must|have to|need to) (?:always |only )?be in "
    rf"{_LANGUAGE}\b"
    rf"|\b(?:tus|sus) respuestas (?:deben|tienen que) (?:ser|estar)(?: siempre)? en {_LANGUAGE}\b"
    rf"|\bsuas respostas (?:devem|têm que|precisam) (?:ser|estar)(?: sempre)? em {_LANGUAGE}\b"
    rf"|\b(?:tes|vos) réponses doivent(?: toujours)? être en {_LANGUAGE}\b"
    rf"|\b(?:deine|ihre) antworten (?:sollen|sollten|müssen)(?: immer| bitte)? auf {_LANGUAGE}\b"
    rf"|\btue risposte (?:devono|dovrebbero)(?: sempre)? essere in {_LANGUAGE}\b"
    r"|(?:返答|回答|返信|応答|出力)は[^。\n]{0,6}(?:日本語|英語|中国語)|(?:日本語|英語)で(?:答えて|回答して|返答して"
    r"|返信して)"
    r"|(?:请|請)?(?:使)?用(?:中文|英文|日文|英语|日语)(?:来)?(?:回答|回复|答复|交流)我?",
    re.IGNORECASE,
)
ASK_FIRST = lazy_regex(
    _LEAD + r"ask (?:me )?(?:first )?before (?:you )?(?:ever )?(?!i\b|we\b|the\b)\w+"
    r"|\b(?:needs?|requires?) my (?:ok|okay|approval|permission|consent|sign[- ]?off)\b"
    r"|\b(?:never|don['’]?t|do not|no) [^.?!\n]{2,80}\bwithout (?:asking(?: me)?|my (?:ok|okay|approval|permission"
    r"|consent|explicit \w+))\b"
    r"|\b(?:nichts?|niemals?|keine?n?) [^.?!\n]{2,60}\bohne (?:mich zu fragen|meine (?:zustimmung|erlaubnis|freigabe)"
    r"|mein ok)\b"
    r"|\b(?:no|nada|nunca)\b [^.?!\n]{2,60}\bsin (?:que yo lo apruebe|preguntarme|mi (?:permiso|aprobación"
    r"|visto bueno))\b"
    r"|\b(?:não|nada|nunca)\b [^.?!\n]{2,60}\bsem (?:me perguntar|a? ?minha (?:aprovação|permissão))\b"
    r"|\b(?:pas|jamais|ne|rien)\b [^.?!\n]{2,60}\bsans (?:mon accord|me demander|ma (?:permission|validation))\b"
    r"|(?:许可|同意|确认)(?:之前|前)[^。\n]{0,6}(?:不要|别|不准)|(?:許可|承認|確認)(?:なし|無し)(?:に"
    r"|で)[^。\n]{1,20}(?:ないで|な$|禁止)",
    re.IGNORECASE,
)
BRIEF_RULE = lazy_regex(
    _LEAD + r"keep (?:your|the) (?:answers?|replies|responses?|explanations?|summaries) (?:short|brief|concise|terse"
    r"|to the point)\b"
    rf"|^(?:no,? )?(?:please )?{TOOL}(?: \w+)?,? not {TOOL}\b(?! (?:but|because it (?:fails|crashes)))"
    rf"|^no (?:more )?{_OUTPUT}(?: (?:in|please|at all|ever|anywhere)\b|[.!,]|$)"
    r"|" + _LEAD + r"(?:stop|quit) (?:giving me|telling me|apologi[sz]ing|summari[sz]ing|committing|pushing|guessing"
    r"|inventing"
    r"|starting the (?:dev )?server|running the (?:dev )?server|explaining)\b"
    r"|\b(?:let['’]?s make (?:that|this|it) (?:the|a) rule|make (?:that|this|it) a (?:habit|rule)"
    r"|get in(?:to)? the habit of)\b"
    r"|(?:^|[,;.] )(?:as a (?:general )?(?:habit|principle)|in general), (?:please )?(?!i\b|it\b|the\b|this\b|how\b"
    r"|what\b|is\b|are\b)\w+ \S"
    r"|\b(?:halt dich kurz|fass dich kurz|grundsätzlich gilt|gewöhn dir an)\b",
    re.IGNORECASE,
)
PLACE = lazy_regex(
    r"^(?:[\w-]+ )?[a-z-]+s (?:belong|live|go) (?:in|into|next to|under|beside) [^.?!\n]{2,80}\b(?:not|never) (?:in"
    r"|into|to|on|under|next)\b"
    r"|^(?:and |but |no,? )?our (?:[\w-]+ ){1,3}?(?:always|never|only) (?!work|fail|show|load|get|crash|break"
    r"|throw)[a-z]+s? "
    r"(?!null|undefined|an? error|empty|nothing)\S",
    re.IGNORECASE,
)
_CLAUSE = (
    r"(?:^|[,;:—–(]\s{0,3}|\s-\s|\b(?:and|but|so|also|please|then|y|pero|et|mais|alors|und|aber|bitte|e|mas"
    r"|por favor|ma|en|maar|и|но|ok|okay|no|nein|non|não|nee)\b[\s,]{1,3}"
    r"|[，。、；：,]\s{0,3}|(?:请|另外|还有|ok|好的?)[，,]?\s{0,3})"
)
_PLEASE = (
    r"(?:(?:please|pls|plz|just|also|always|por favor|porfa|oye|ey|hey|cara|ei|stp|svp"
    r"|s['’]il (?:te|vous) pla[iî]t|bitte|alsjeblieft|per favore|пожалуйста)"
    r"[\s,]{1,3}){0,2}"
)
_REMEMBER = lazy_regex(
    _CLAUSE
    + _PLEASE
    + r"(?P<form>rememb?er(?!,? (?:when|how|what|why|where|who|last|the time|you|i |we (?:had|did|were)|yesterday"
    r"|earlier|me\b|(?:it|this|that|these|those)(?:['’]?s| is| are| was| were)\b|it['’]?s))|(?:keep"
    r"|bear) in mind(?!,? ?(?:to\b|let['’]?s\b|lets\b|here\b|:? ?this is\b|the (?:[\w-]+ ){1,6}(?:defined|described"
    r"|mentioned|listed|documented)\b))|(?:don['’]?t|do not|never) forget(?= ?:|,? that| we | our "
    r"| `?[\w-]*[./_][\w./-]*`? (?:is|are|must|needs?|stays?)\b)|(?:make|take) a (?:mental )?note(?= ?[:,]| that)"
    r"|note for (?:the )?(?:future|later)|(?:add|save|store|put|commit|write|speicher\w?|merk\w?|schreib\w?|guarda"
    r"|a(?:ñ|gr)\w{2,4}|apunta|ajoute|mets|enregistre|guarde|salv[ae]|adiciona|anota|aggiungi|salva|metti|voeg|sla"
    r"|запиши|сохрани) (?:[\w'’-]+ ){0,2}?(?:to|in|into|a|à|en|dans|na|no|alla|nella|aan|im|ins"
    r"|в)\s(?:[\w'’]+ )?(?:memory|gedächtnis|memoria|mémoire|memória|geheugen|память)(?= ?[:,]| (?:that|dass|que|che"
    r"|dat|что)\b| qu['’])|recuerd[ae](?!,? (?:cuando|cómo|ayer)\b)|recordá|ten(?:ga)? (?:en cuenta|presente)"
    r"|no (?:te )?olvides(?= ?[:,]| (?:que|de que|nunca|siempre)\b)|acuérdate(?! del\b| de (?!que\b|no\b|nunca\b))"
    r"|souviens[- ]toi(?! d(?:u|es|e la|e l['’]\w+)\b| quand\b)|souvenez[- ]vous|rappelle[- ]toi(?! d(?:u|es|e la)\b)"
    r"|rappelez[- ]vous|n['’]oublie(?:z)? (?:pas|jamais)(?= ?[:,]| (?:que|de|toujours|jamais)\b| qu['’]| d['’])|retiens"
    r"|retenez|garde en tête|gardez en tête|notez? bien|pensez?(?= à (?:toujours|ne (?:jamais|pas))\b)"
    r"|merke? dir(?! das (?:mal|nicht)\b)|denke? (?:bitte )?(?:immer )?daran|denk dran|vergiss (?:nicht"
    r"|nie(?:mals)?)(?= ?[:,]| (?:dass|immer|nie|bitte)\b|[^.\n]{2,80}\bzu \w+en\b)|behalte im kopf|beachte"
    r"|merken?(?= ?:)|à retenir(?= ?:)|lembr(?:e|a)(?:-se)?(?! d[oa]s?\b| quando\b)|tenha em mente|guarde|não (?:se "
    r"|te )?esque(?:ças?|ce)(?= ?[:,]| (?:que|de que|nunca|sempre)\b)|ricorda(?:ti|te)?|tieni (?:presente|a mente)"
    r"|non dimenticare(?= ?[:,]| (?:che|di|mai|sempre)\b)|onthou[d]?|vergeet niet(?= ?[:,]| (?:dat|om|te)\b)|denk eraan"
    r"|запомни(?:те)?|помни(?:те)?|не забывай(?:те)?|не забудь(?:те)?(?= ?[:,])|име(?:й|йте) в виду|учти(?:те)?"
    r"|(?:za)?pamiętaj(?:cie)?)\b[\s:,，：]{0,3}(?:that\b|to\b|de\b|d['’]|que\b|dass\b|zu\b|di\b|che\b|om\b|dat\b|что\b"
    r"|aby\b|żeby\b|że\b|this:|the following:|questo:|esto:|ceci:|folgendes:|isto:|и\b)?|(?:^"
    r"|[，。、；：,\s])(?P<unspaced>(?:请)?(?:记住(?!密码|我|登录|用户|账号)|牢记|别忘了|不要忘记|请记得)[:：，,]?"
    r"|忘れないで(?:ください|ね)?[:：、,]|(?:メモリ|記憶)に(?:追加|保存|記録)して(?:ください)?[:：、,]|(?:记|存"
    r"|加)(?:到|进|入)(?:你的?)?(?:记忆|内存)[里中]?[:：，,]|覚えておいて(?:ください|ね)?[:：、。]?"
    r"|覚えて(?:(?:ください|ね)[:：、。]?|[:：、])|(?:帮我)?记一?下[:：，,])"
    r"|(?P<closing>[^。\n]{4,200}(?:(?:こと|の|ように|と)(?:を|は|も)?(?:覚えておいて|覚えて|忘れないで|記憶して)))",
    re.IGNORECASE,
)
_FROM_NOW_ON = lazy_regex(
    r"(?:\b(?P<form>from (?:now|here|this point|today) (?:on(?:wards?)?(?! the stack\b| the (?:trace|log"
    r"|text)\b(?! \w* ?(?:is|are|has|must|goes)\b))"
    r"|forward)|from now(?= (?:always|never|you|use"
    r"|all|please))|(?:(?<!is )(?<!are )(?<!for )(?<!of )(?<!keep )(?<!we )(?<!be )(?<!to )(?:going|moving) forward)"
    r"|henceforth|hereafter|(?:starting|as of) (?:today|tomorrow)(?!['’])|starting now(?!['’])"
    r"|as of now(?!['’]|\s{0,3}(?:[.!?;)]|$))"
    r"|a partir de (?:hoje|hoy)|ab (?:heute|morgen)(?= (?:immer|nie|nur|bitte|keine?)\b)"
    r"|à partir d['’]aujourd['’]hui|da oggi(?: in (?:poi|avanti)|(?= (?:solo|sempre|mai|niente|non)\b))"
    r"|(?:^|(?<=[,;.] ))(?:in (?:the )?future|as a (?:general )?rule)(?=[,:] (?!(?:i|we|it|this|that|there|you)\b))"
    r"|(?:de|a partir de) ahora en adelante|a partir de ahora|desde ahora|de hoy en adelante|en adelante|dorénavant"
    r"|désormais|à partir de maintenant|à l['’]avenir|à compter de maintenant"
    r"|ab jetzt|ab sofort|von jetzt an|von nun an|künftig|zukünftig|in zukunft|daqui (?:em|para|pra) (?:diante"
    r"|frente)|de agora em diante|a partir de agora|d['’]ora in (?:poi|avanti)"
    r"|da ora in (?:poi|avanti)|da adesso in poi|vanaf nu|voortaan|in het vervolg|с этого момента|впредь|отныне"
    r"|с сегодняшнего дня|od teraz|na przyszłość)\b"
    r"|(?P<unspaced>(?<!必须)从现在(?:开始|起)(?!，?就)|从今以后|从今天起|今后|往后|(?:^|(?<=[，。、；,\s]))以后(?!再"
    r"|的时候|我|可能"
    r"|会|如果|若|要是|考虑|想|需要|还|版本|扩展)|今後(?:は|も)?|これから(?:は|も)|今日から(?:は"
    r"|の)?(?=[^。\n]{2,60}(?:して|書いて|使って|答えて)(?:ください|ね|$))|以後(?:は"
    r"|、)|次回から(?:は)?|次から(?:は)))",
    re.IGNORECASE,
)
_WITHIN = r"(?:[^.,;]|[.](?=\w))"
"""A character within a clause; the dot of a version or a name ends none."""

NO_LONGER = lazy_regex(
    r"\b(?:we|our \w{1,30}|the (?:team|project|company|app)) (?:are |is |do |does )?no longer\b|\bwe (?:don['’]?t"
    rf"|do not|aren['’]?t|are not|won['’]?t) {_WITHIN}{{2,120}}\b(?:any ?more|any longer)\b"
    r"|\bya no (?:usa|utiliza|quere|necesita|soporta|trabaja|hace|tene|mantene)mos\b|\b(?:nous|on) n['’](?:e "
    rf"|)?{_WITHIN}{{2,60}}\bplus\b|\b(?:nous|on) ne {_WITHIN}{{2,60}}\bplus\b"
    rf"|\bwir {_WITHIN}{{2,100}}\b(?:nicht|kein\w{{0,2}}) (?:{_WITHIN}{{1,60}} )?mehr\b|\b(?:verwenden|nutzen|benutzen"
    rf"|brauchen"
    rf"|unterstützen|haben) wir (?:{_WITHIN}{{1,60}} )?(?:nicht|kein\w{{0,2}}) (?:{_WITHIN}{{1,60}} )?mehr\b"
    r"|\b(?:(?:nós )?não (?:usa|utiliza|precisa|suporta|quere|trabalha|te|faze)mos"
    rf"|a gente não \w{{2,20}}) (?:{_WITHIN}{{1,60}} )?mais\b"
    r"|\bjá não (?:(?:usa|utiliza|precisa|suporta|trabalha|te|faze)mos|quer\w+)\b"
    rf"|\bnon (?:usia|utilizzia|vogliam|supportia|abbia|faccia)mo? ?(?:{_WITHIN}{{1,60}} )?più\b|\b(?:we"
    rf"|wij) {_WITHIN}{{2,80}}\b(?:niet|geen) (?:{_WITHIN}{{1,40}} )?meer\b"
    rf"|\bмы (?:{_WITHIN}{{1,40}} )?больше не\b|\bбольше не (?:используем|пользуемся|поддерживаем)\b"
    rf"|\bjuż nie (?:używamy"
    r"|korzystamy)\b"
    r"|\bwe(?:['’]ve| have)? (?:stopped|quit) (?:using|supporting)\b|\b(?:hemos dejado|dejamos|deix[aá]mos)"
    r" de (?:us|utiliz|sop|sup)(?:ort)?ar\b"
    r"|\b(?:on a|nous avons) (?:arrêté|cessé) d(?:e |['’])(?:utiliser|supporter)\b"
    r"|我们(?:已经|现在)?(?:停止(?=支持|使用)|不再|不用了?|弃用了?)|(?:已经|现在)不再使用|もう(?:[^。、\n]{0,40})(?:使っていません"
    r"|使っていない|使いません|使わない|使わなくなり|(?:サポート|対応|利用|使用)(?:して(?:い)?(?:ません|ない)"
    r"|し(?:ません|ない)))"
    r"|(?:使用|利用|サポート|対応)(?:を|は)(?:やめました|廃止しました)",
    re.IGNORECASE,
)
_NO_ALWAYS = lazy_regex(
    r"^(?:no+|nope|nein|nee|non|não|nao|нет|nie)\b\s{0,3}[,.:;!—–-]{1,3}\s{1,3}(?!(?:it|that|this|he|she|they|you|i"
    r"|es|das|ich|du|ça|cela|je|tu|eso|isso|ele|ela|lo|io|het|ik|je|оно?|это|я|ты)\b)"
    r"[^?\n]{2,160}\b(?:is|are|must be|should be|has to be|have to be|go(?:es)?|comes?|uses?|gets?|ist|sind|wird|werden"
    r"|gehör\w{1,3}|liegen|liegt|stehen|steht|kommen|kommt|van|vont|staan|staat|liggen|ligt|ficam?|vão|est|sont|doit"
    r"|doivent|es|son|está|están|debe|deben|é|são|está|estão|deve"
    r"|devem|è|sono|va|vanno|is|zijn|wordt|moet)\s(?:\w{1,20}\s){0,2}(?:always|never|immer|nie(?:mals)?|stets"
    r"|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit)\b"
    r"|^(?:no+|nope|nein|nee|non|não|nao)\b\s{0,3}[,.:;!—–-]{1,3}\s{1,3}[^?\n]{2,160}\b(?:always|never|siempre|nunca"
    r"|sempre|mai|toujours|immer|altijd|nooit) (?:is|are|es|son|é|são|è|sono|uses?|usa|va|go(?:es)?)\b"
    r"|^(?:no+|nope|nein|nee|non|não|nao)\b\s{0,3}[,.:;!—–-]{1,3}\s{1,3}"
    r"(?!(?:it|that|this|he|she|they|you|i|es|das|ich|du|ça|cela|je|tu|eso|isso|ele|ela|lo|io)\b)"
    r"[^?\n]{2,120}\b(?:always|never|siempre|nunca|sempre|toujours|jamais|immer|nie(?:mals)?|stets)"
    r" (?!fail|crash|hang|break|throw|error|show|return|get|wieder|fehl|rot\b|leer\b)(?:[a-z]+ )?"
    r"(?:with|in|on|through|via|from|by|as|into|using|con|en|em|com|avec|dans|mit|über|auf|por|par|per)\b"
    r"|^(?:no+|nein|nee|non|não|nao)\b\s{0,3}[,.:;!—–-]{1,3}\s{1,3}(?:(?:we|wir|nous|on|nosotros|noi|nós|a gente|wij)\s"
    r"[^?\n]{2,60}\b(?:always|never|immer|nie(?:mals)?|stets|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit)"
    r"|(?:siempre|nunca|sempre|mai) \w+mos?)\b\s\S"
    r"|^нет\b\s{0,3}[,.:—–-]{1,3}\s{0,3}[^?\n]{2,120}\b(?:всегда|никогда)\b|^(?:不|不是|不对"
    r"|不行)[，,。、\s]{1,3}[^？?\n]{1,80}(?:总是|永远|始终|一律|一直都?[是用]|必须是)"
    rf"|^(?:no+|nein|nee|non|não|нет)\b\s{{0,3}}[,.:;!—–-]{{1,3}}\s{{1,3}}{NOT_AT_HAND}"
    rf"(?:{HERE} {WE_USE}|{WE_USE} {HERE}) \S"
    r"|^(?:no, |(?:いいえ|いや|違う|違います|ちがう|ううん)[、,。\s]{1,3})"
    r"(?:ここ|うち|この(?:リポジトリ|プロジェクト))では(?!この|その|あの|そちら)"
    r"(?![^。\n]{0,12}(?:番目|案|ほう|方を))[^。？?\n]{1,30}を使(?:います|う|って(?:います|いる|ください|ね))[。!！]?$"
    r"|^(?:いいえ|いや|違う|違います|ちがう|ううん)[、,。\s]{1,3}[^？?\n]{1,80}(?:常に|いつも|必ず)",
    re.IGNORECASE,
)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


class Form(NamedTuple):
    """A form of statement."""

    name: str
    kind: StatementForm
    pattern: re.Pattern[str]
    words: frozenset[str]
    """Words of which one occurs in it."""


FORMS: tuple[Form, ...] = (
    Form("remember", "remember", _REMEMBER, words_of(
        "remember remeber rember mind forget recuerda recuerde recordá cuenta olvides acuérdate souviens souvenez"
        " rappelle rappelez n'oublie n'oubliez retiens retenir merken notez pense pensez"
        " retenez tête merk merke denk denke vergiss behalte beachte lembre lembra mente esqueça guarde ricorda"
        " ricordati ricordate presente"
        " dimenticare onthou onthoud vergeet запомни запомните помни помните забывай забывайте виду учти учтите"
        " pamiętaj zapamiętaj pamiętajcie note memory gedächtnis memoria mémoire memória geheugen память esquece"
        " esqueças забудь"
        " забудьте niemals nie"
    )),
    Form("from now on", "rule", _FROM_NOW_ON, words_of(
        "now here point today tomorrow forward henceforth hereafter future rule"
        " ahora hoy adelante dorénavant désormais maintenant"
        " l'avenir jetzt sofort nun künftig zukünftig zukunft"
        " hoje heute morgen d'aujourd'hui oggi"
        " diante frente agora ora d'ora adesso nu voortaan vervolg момента впредь отныне дня teraz przyszłość"
    )),
    Form("no longer", "rejection", NO_LONGER, words_of(
        "longer anymore more stopped quit dejado dejamos deixamos deixámos arrêté cessé ya já plus mehr mais più meer"
        " больше już"
    )),
    Form("no, always", "correction", _NO_ALWAYS, words_of(
        "always never immer nie niemals stets toujours jamais siempre nunca sempre mai altijd nooit всегда никогда"
        " hier bei ici aquí aqui qui здесь тут нас"
    )),
    Form("always, never", "rule", ALWAYS_DO, words_of(
        "always never ever every everytime each any anytime whenever siempre nunca sempre toujours jamais immer nie"
        " niemals stets altijd nooit всегда никогда mai"
    )),
    Form("I do it", "rule", I_DO_IT, words_of("myself own me yo eu comigo je moi ich")),
    Form("like everywhere", "rule", LIKE_EVERYWHERE, words_of(
        "like as como comme wie everywhere repo repository project codebase monorepo"
        " überall partout partes lados lugar parte lugares ovunque dappertutto overal везде повсюду"
    )),
    Form("all must", "rule", ALL_MUST, words_of(
        "must deben tienen doivent müssen devem têm precisam"
    )),
    Form("tool instead", "rule", TOOL_INSTEAD, words_of(
        "use usa utiliza utilise utilisez utiliser nimm nutze verwende benutze utilize gebruik"
    )),
    Form("prefer", "preference", PREFER, words_of(
        "prefer prefiero preferimos préfère préférons bevorzuge bevorzugen prefiro"
    )),
    Form("not any more", "rejection", ANY_MORE, words_of("anymore more longer más mais plus mehr")),
    Form("said before", "correction", REPEATED, words_of(
        "told said telling saying forget forgetting often many gesagt dije dicho dit disse falei"
    )),
    Form("for later", "rule", FOR_LATER, words_of(
        "future reference будущее later further subsequent next zukunft nächste nächstes nächsten futuro próxima suite"
        " prochaine"
    )),
    Form("convention", "rule", CONVENTION, words_of(
        "convention rule policy standard guideline practice we wir konvention regel vorgabe convención norma regla"
        " usamos escribimos utilizamos seguimos règle on nous c'est convenção regra escrevemos"
    )),
    Form("house choice", "rule", HOUSE_CHOICE, words_of(
        "we not stop want use wir on nous usamos utilizamos escribimos gente escrevemos usiamo utilizziamo scriviamo"
        " wij используем пишем"
    )),
    Form("language of answers", "rule", ANSWER_LANGUAGE, words_of(
        "answer reply respond speak talk write antworte antworten sprich schreib respóndeme responde contesta"
        " contéstame háblame habla responda fale fala escreva réponds répond répondez parle parlez écris rispondi"
        " rispondimi parlami parla scrivi scrivimi antwoord spreek отвечай отвечайте пиши пишите говори говорите"
        " réponds-moi parle-moi answers replies response responses respuestas respostas réponses antworten"
        " risposte"
    )),
    Form("ask first", "rule", ASK_FIRST, words_of(
        "ask needs need requires require without ohne sin sem sans"
    )),
    Form("brief rule", "rule", BRIEF_RULE, words_of(
        "keep not no stop quit rule habit principle general kurz grundsätzlich gewöhn"
    )),
    Form("place", "fact", PLACE, words_of("not never always only")),
)  # fmt: skip
