"""Sentences by which users bind later work in so many words, beside "remember" and "from now on". Pure.

Each form is written in English, Spanish, French, German, Portuguese, Japanese and Chinese. A report of what happens
("it always resets"), an object that only points at the task and a supposition are none.
"""

import re

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.statement_patterns import TOOL

_LEAD = (
    r"^(?:(?:please|pls|but|and|also|so|ok(?:ay)?|no|hey|important|again|just|por favor|y|pero|et|mais|non"
    r"|s['’]il (?:te|vous) plaît|bitte|und|aber|nein|e|mas|não|请你?)[\s,.:;!—–-]{1,3}){0,3}"
)
_REPORT = (
    r"(?:mind|worry|be|been|was|were|is|are|had|have|has|seen|heard|did|does|do|knew|know|fails?|failed|works?|worked"
    r"|returns?|gets?|got|shows?|crash\w{0,3}|the|an?|it|that|this|used|happens?|comes?|came|goes|went|loads?|resets?"
    r"|breaks?|broken|saves?|wanted|thought|wrong|empty|on|off|null|zero|again|stops?|starts?|appears?|tried|there|in"
    r"|at"
    r"|with|from|about|dealt|made|took|found|met|ran|lost|felt|left|meant|see|my|your|our|their|his|her|\w+(?:ed|ing|es))"
)
_DO_ES = r"(?:escribe|usa|utiliza|ejecuta|haz|pon|responde|corre|crea|añade|agrega|mantén|revisa|pregunta)"
_DO_PT = r"(?:escreva|escreve|use|utilize|rode|execute|faça|coloque|responda|crie|mantenha|pergunte|verifique)"
_DO_FR = (
    r"(?:écri(?:s|vez|re)|utilis(?:e|ez|er)|lanc(?:e|ez|er)|fai(?:s|tes|re)|met(?:s|tez|tre)|répond(?:s|ez|re)"
    r"|gard(?:e|ez|er)|vérifi(?:e|ez|er)|demand(?:e|ez|er)|ajout(?:e|ez|er)|cré(?:e|ez|er))"
)
_DO_DE = r"(?:schreibe?|verwende|nutze|benutze|mache?|führe|antworte|frage?|prüfe|teste|halte)"
_TO_DO_DE = r"(?:schreiben|verwenden|nutzen|benutzen|machen|ausführen|antworten|fragen|prüfen|testen|halten)"
_POINTING = r"(?:it|this|that|them|these|those|lo|eso|esto|ça|cela|le|das|es|dies|isso|isto|o)"
_MINE = r"(?:do|handle|make|run|write|commit|push|deploy|test|manage|create|merge|update|start|restart|review)"

ALWAYS_DO = lazy_regex(
    _LEAD + rf"(?:we |(?:you|agents?) (?:must|should|may|have to|need to|are to) )?"
    rf"(?:always|never|(?:don['’]?t|do not) ever)\s+(?!{_REPORT}\b)[a-z]{{2,20}}\s+\S"
    r"|" + _LEAD + r"(?:i|we) (?:always|never) want (?!you\b|to\b|it\b|this\b|that\b)\S+ \S"
    r"|" + _LEAD + r"(?:whenever|(?:every|each|any) ?time) you (?!(?:have|are|get|can|want|feel|like)\b)[a-z]{2,20}"
    r" [^.,?!\n]{2,60}, "
    r"(?:please |also |always )?(?!i\b|we\b|it\b|this\b|that\b|the\b|there\b|you\b|you['’])[a-z]{2,20} \S"
    r"|" + _LEAD + r"(?:after|before|for|with) (?:every|each) (?!of\b)[\w-]+(?: [\w-]+)?, "
    r"(?:please |also |always )?(?:run|update|add|write|check|commit|ask|create|test|use|document|log|tell|format)\b \S"
    r"|" + _LEAD + rf"(?:siempre|nunca) {_DO_ES}\b|" + _LEAD + rf"{_DO_ES} (?:siempre|nunca)\b"
    r"|" + _LEAD + rf"(?:sempre|nunca) {_DO_PT}\b|" + _LEAD + rf"{_DO_PT} (?:sempre|nunca)\b"
    r"|" + _LEAD + rf"(?:toujours|ne jamais) {_DO_FR}\b|" + _LEAD + rf"(?:n['’]|ne )?{_DO_FR} (?:toujours|jamais)\b"
    r"|" + _LEAD + rf"{_DO_DE} (?:immer|nie(?:mals)?|stets)\b"
    r"|" + _LEAD + rf"(?:immer|nie(?:mals)?) [^.?!\n]{{2,60}}\b{_TO_DO_DE}\b"
    r"|^(?:请|請)?你?(?:总是要?|始终要?|一律|永远不要|千万不要|一定要|务必)(?:先|在|用|使用|写|运行|执行|保持|遵循|检查|回答|问)"
    r"|^(?:必ず|常に|いつも|絶対に)[^。\n]{2,60}(?:して|書いて|使って|実行して|答えて|確認して|ないで)(?:ください|ね)?[。!！]?$"
    r"|^[^。\n]{1,40}(?:二度と|絶対に)[^。\n]{0,20}(?:[うくるすつぬむぶぐ]な|ないで(?:ください|ね)?)[。!！]?$",
    re.IGNORECASE,
)
I_DO_IT = lazy_regex(
    rf"\bi(?:['’]?ll| will| always| do)?,? (?:always )?{_MINE} (?!(?:{_POINTING}|the same)\b)(?:[\w/'’-]+ ){{1,5}}?"
    r"(?:myself|on my own)\b(?! (?:later|now|today|first|then))"
    r"|\bi do (?:all )?(?:the|my|our) (?!same|work|test\b)\w+(?: \w+)? myself\b"
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
    r"|^(?:すべて|全て|全部)の[^。\n]{1,30}(?:使う|使用する|にする|する)(?:こと|必要|べき)|^(?:すべて|全て|全部)の[^。\n]{1,40}(?:なければ|必ず)"
    r"|^所有(?:的)?.{1,20}(?:必须|都必须|一律)",
    re.IGNORECASE,
)
PREFER = lazy_regex(
    r"(?:^|[,;.]\s|\b(?:and|but|because|so) )(?:i|we) (?:strongly |generally |usually |always |much |really )?prefer "
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
    r"|\bpor ?qué\b[^?\n]{0,80}\b(?:otra vez|de nuevo)\b|\bpor ?que\b[^?\n]{0,80}\b(?:de novo|outra vez)\b"
    r"|\bpourquoi\b[^?\n]{0,80}\b(?:encore|à nouveau|de nouveau)\b|\b(?:warum|wieso)\b[^?\n]{0,80}\bwieder\b"
    r"|为什么又|怎么又|(?:なぜ|どうして|なんで)[^？?\n]{0,40}また|また[^？?\n]{0,40}(?:なぜ|どうして|なんで)",
    re.IGNORECASE,
)
DECIDED = lazy_regex(
    r"\b(?:we|i)(?:['’]ve|['’]d| have| had)?(?: already| clearly)? (?:decided|agreed|settled|said|told you)\b"
    r"(?! (?:later|so|it|that['’]s))\s\S"
    r"|\b(?:decidimos|acordamos|dijimos|habíamos decidido|quedamos en)\s\w|\b(?:combinamos|decidimos|dissemos)\s\w"
    r"|\b(?:on|nous) (?:a|avait|avons|avions) (?:déjà )?(?:décidé|dit|convenu)\s\S"
    r"|\bwir (?:haben|hatten) (?:uns )?[^.?!\n]{1,80}\b(?:entschieden|beschlossen|gesagt|vereinbart|geeinigt)\b"
    r"|我们?(?:不是)?(?:已经)?(?:决定|说好|约定|说过)|(?:に|と)(?:決めた|決めました|言った|言いました)",
    re.IGNORECASE,
)
SUPPOSITION = lazy_regex(
    r"^(?:if|what if|maybe|perhaps|suppose|imagine|would|could|should|i (?:guess|think|wonder|wish)|si\b|tal vez"
    r"|quizás?"
    r"|et si|peut[- ]être|imagine|wenn|falls|vielleicht|se\b|talvez|e se|如果|也许|可能|要是|もし|たぶん|仮に)",
    re.IGNORECASE,
)
