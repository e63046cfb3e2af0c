"""Explicit forms in which users state what lasts: always statements, whatever the linear model says. Pure.

Besides "remember" and "from now on" there are sentences that bind later work in so many words. Each form of these is
written in English, Spanish, French, German, Portuguese, Japanese and Chinese. A report of what happens ("it always
resets"), an object that only points at the task and a supposition are none.
"""

import re
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.statement_features import Analysis, Context, Sentence, tokens_of
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


StatementForm = Literal["rule", "preference", "correction", "remember", "decision", "fact", "rejection"]

MIN_CONTENT = 2
"""Words that an explicit form needs beside its phrase."""

MAX_BESIDE_PASTE = 400
"""Characters of the user beside pasted text from which a message may be a ticket: its forms are scored like all"
" else."""


class ExplicitForm(NamedTuple):
    """A form by its name, and where its statement starts in the sentence."""

    name: str
    kind: StatementForm
    start: int
    is_sure: bool
    """Whether its statement is a standing one also in a message that says more."""

    is_doubtful: bool = False
    """Whether its statement may concern the product or the task at hand: it is never a standing one."""


_CLAUSE = (
    r"(?:^|[,;:—–(]\s{0,3}|\s-\s|\b(?:and|but|so|also|please|then|y|pero|et|mais|alors|und|aber|bitte|e|mas"
    r"|por favor|ma|en|maar|и|но|ok|okay|no|nein|non|não|nee)\b[\s,]{1,3}"
    r"|[，。、；：,]\s{0,3}|(?:请|另外|还有|ok|好的?)[，,]?\s{0,3})"
)
_PLEASE = (
    r"(?:(?:please|just|also|always|por favor|s['’]il (?:te|vous) pla[iî]t|bitte|alsjeblieft|per favore|пожалуйста)"
    r"[\s,]{1,3}){0,2}"
)
_REMEMBER = lazy_regex(
    _CLAUSE
    + _PLEASE
    + r"(?P<form>rememb?er(?!,? (?:when|how|what|why|where|who|last|the time|you|i |we (?:had|did|were)|yesterday"
    r"|earlier|me\b|(?:it|this|that|these|those)(?:['’]?s| is| are| was| were)\b|it['’]?s))|keep in mind|bear in mind"
    r"|(?:don['’]?t|do not|never) forget(?= that| we | our )|make a (?:mental )?note|note for (?:the )?(?:future"
    r"|later)|recuerd[ae]|recordá|ten(?:ga)? en cuenta|no (?:te )?olvides|acuérdate"
    r"|souviens[- ]toi|souvenez[- ]vous|rappelle[- ]toi|rappelez[- ]vous|n['’]oublie(?:z)? pas|retiens|retenez"
    r"|garde en tête|gardez en tête|note bien"
    r"|merke? dir|denke? (?:bitte )?(?:immer )?daran|denk dran|vergiss nicht|behalte im kopf|beachte|lembr(?:e"
    r"|a)(?:-se)?|tenha em mente|não (?:se )?esqueça|guarde"
    r"|ricorda(?:ti|te)?|tieni (?:presente|a mente)|non dimenticare|onthou[d]?|vergeet niet|denk eraan"
    r"|запомни(?:те)?|помни(?:те)?|не забывай(?:те)?|име(?:й|йте) в виду|учти(?:те)?"
    r"|(?:za)?pamiętaj(?:cie)?)\b[\s:,，：]{0,3}"
    r"(?:that\b|to\b|de\b|d['’]|que\b|dass\b|zu\b|di\b|che\b|om\b|dat\b|что\b|aby\b|żeby\b|że\b|this:|the following:"
    r"|questo:|esto:|ceci:|folgendes:|isto:|и\b)?"
    r"|(?:^|[，。、；：,\s])(?P<unspaced>(?:请)?(?:记住|牢记|别忘了|不要忘记|请记得)[:：，,]?|覚えておいて(?:ください|ね)?[:：、。]?|覚えて(?:ください|ね)[:：、。]?)"
    r"|(?P<closing>[^。\n]{4,200}(?:(?:こと|の|ように|と)(?:を|は|も)?(?:覚えておいて|覚えて|忘れないで|記憶して)))",
    re.IGNORECASE,
)
_FROM_NOW_ON = lazy_regex(
    r"(?:\b(?P<form>from (?:now|here|this point|today) (?:on(?:wards?)?|forward)|from now(?= (?:always|never|you|use"
    r"|all|please))|(?:(?<!is )(?<!are )(?<!for )(?<!of )(?<!keep )(?<!we )(?<!be )(?<!to )(?:going|moving) forward)"
    r"|henceforth"
    r"|(?:^|(?<=[,;.] ))(?:in (?:the )?future|as a (?:general )?rule)(?=, (?!(?:i|we|it|this|that|there|you)\b))"
    r"|(?:de|a partir de) ahora en adelante|a partir de ahora|desde ahora|de hoy en adelante|en adelante|dorénavant"
    r"|désormais|à partir de maintenant|à l['’]avenir|à compter de maintenant"
    r"|ab jetzt|ab sofort|von jetzt an|von nun an|künftig|zukünftig|in zukunft|daqui (?:em|para|pra) (?:diante"
    r"|frente)|de agora em diante|a partir de agora|d['’]ora in (?:poi|avanti)"
    r"|da ora in (?:poi|avanti)|da adesso in poi|vanaf nu|voortaan|in het vervolg|с этого момента|впредь|отныне"
    r"|с сегодняшнего дня|od teraz|na przyszłość)\b"
    r"|(?P<unspaced>从现在(?:开始|起)|从今以后|从今天起|今后|往后|(?:^|(?<=[，。、；,\s]))以后(?!再|的时候|我|可能|会)|今後(?:は|も)?|これから(?:は|も)|以後(?:は"
    r"|、)|次回から(?:は)?|次から(?:は)))",
    re.IGNORECASE,
)
_NO_LONGER = lazy_regex(
    r"\b(?:we|our \w{1,30}|the (?:team|project|company|app)) (?:are |is |do |does )?no longer\b|\bwe (?:don['’]?t"
    r"|do not|aren['’]?t|are not|won['’]?t) [^.,;]{2,120}\b(?:any ?more|any longer)\b"
    r"|\bya no (?:usa|utiliza|quere|necesita|soporta|trabaja|hace|tene|mantene)mos\b|\b(?:nous|on) n['’](?:e "
    r"|)?[^.,;]{2,60}\bplus\b|\b(?:nous|on) ne [^.,;]{2,60}\bplus\b"
    r"|\bwir [^.,;]{2,100}\b(?:nicht|kein\w{0,2}) (?:[^.,;]{1,60} )?mehr\b|\b(?:verwenden|nutzen|benutzen|brauchen"
    r"|unterstützen|haben) wir (?:[^.,;]{1,60} )?(?:nicht|kein\w{0,2}) (?:[^.,;]{1,60} )?mehr\b"
    r"|\b(?:(?:nós )?não (?:usa|utiliza|precisa|suporta|quere|trabalha|te|faze)mos"
    r"|a gente não \w{2,20}) (?:[^.,;]{1,60} )?mais\b|\bjá não (?:usa|utiliza)mos\b"
    r"|\bnon (?:usia|utilizzia|vogliam|supportia|abbia|faccia)mo? ?(?:[^.,;]{1,60} )?più\b|\b(?:we"
    r"|wij) [^.,;]{2,80}\b(?:niet|geen) (?:[^.,;]{1,40} )?meer\b"
    r"|\bмы (?:[^.,;]{1,40} )?больше не\b|\bбольше не (?:используем|пользуемся|поддерживаем)\b|\bjuż nie (?:używamy"
    r"|korzystamy)\b"
    r"|我们(?:已经|现在)?(?:不再|不用了?|弃用了?)|(?:已经|现在)不再使用|もう(?:[^。、\n]{0,40})(?:使っていません|使っていない|使いません|使わない|使わなくなり|サポートしていません)"
    r"|(?:使用|利用)(?:を|は)(?:やめました|廃止しました)",
    re.IGNORECASE,
)
_NO_ALWAYS = lazy_regex(
    r"^(?:no+|nope|nein|nee|non|não|nao|нет|nie)\b\s{0,3}[,.:;!—–-]{1,3}\s{1,3}(?!(?:it|that|this|he|she|they|you|i"
    r"|es|das|ich|du|ça|cela|je|tu|eso|isso|ele|ela|lo|io|het|ik|je|оно?|это|я|ты)\b)"
    r"[^?\n]{2,160}\b(?:is|are|must be|should be|has to be|have to be|goes?|comes?|uses?|gets?|ist|sind|wird|werden"
    r"|gehör\w{1,3}|est|sont|doit|doivent|es|son|está|están|debe|deben|é|são|está|estão|deve"
    r"|devem|è|sono|va|vanno|is|zijn|wordt|moet)\s(?:\w{1,20}\s){0,2}(?:always|never|immer|nie(?:mals)?|stets"
    r"|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit)\b"
    r"|^(?:no+|nope|nein|nee|non|não|nao)\b\s{0,3}[,.:;!—–-]{1,3}\s{1,3}[^?\n]{2,160}\b(?:always|never|siempre|nunca"
    r"|sempre|mai|toujours|immer|altijd|nooit) (?:is|are|es|son|é|são|è|sono|uses?|usa|va|goes?)\b"
    r"|^нет\b\s{0,3}[,.:—–-]{1,3}\s{0,3}[^?\n]{2,120}\b(?:всегда|никогда)\b|^(?:不|不是|不对"
    r"|不行)[，,。、\s]{1,3}[^？?\n]{1,80}(?:总是|永远|始终|一律|一直都?是|必须是)"
    r"|^(?:いいえ|いや|違う|違います|ちがう|ううん)[、,。\s]{1,3}[^？?\n]{1,80}(?:常に|いつも|必ず)",
    re.IGNORECASE,
)
_MEMORY_QUESTION = lazy_regex(
    r"[?？][\"')\]”»\s]{0,9}$|(?:でしょうか|んですか|いいですか|かな)[。\s]{0,3}$"
    r"|\b(?:do|did|can|will|don['’]?t|didn['’]?t) you (?:still |even )?remember\b",
    re.IGNORECASE,
)
_POINTER = (
    r"(?:this|that|it|them|these|those|all (?:of )?(?:this|that|them)|everything|esto|eso|lo|la|los|ça|cela|ceci|le|les"
    r"|das|dies|es|sie|diese[srn]?|isso|isto|questo|dit|dat|het|это|его|их|to|這個|这个|它|これ|それ)"
)
_POINTS_ONLY = lazy_regex(
    r"^[\s:,，：]{0,3}(?:(?:that|to|de|que|dass|zu|di|che|om|dat|что|aby)\s)?(?:(?:also|please|still|first|you|we|i"
    r"|have|need|to|must|no longer|don['’]?t)\s){0,4}(?:\w{1,20}\s){0,2}"
    + _POINTER
    + r"(?:\s(?:too|also|later|now|first|after|afterwards|please|again|up|out|off|yet|anymore|any more|as well"
    r"|when (?:you['’]?re|you are) done|tomorrow|today|next|también|aussi|auch|noch|später|morgen|também|depois"
    r"|mais|plus|mehr|più|meer))*[\s.!。！]{0,9}$",
    re.IGNORECASE,
)
_ONE_OFF = lazy_regex(
    r"\bnow[\s.!]{0,3}$|\b(?:later|for now|right now|not? yet|yet|this time|once (?:you|we|that|this|it)"
    r"|after (?:that|this|you|we|it)"
    r"|when (?:you['’]?re|you are) (?:done|finished)|before we|today|tomorrow|tonight|next step"
    r"|this (?:task|fix|bug|change|commit|file|function|page|screen|test|issue|feature|component|line|one)|luego"
    r"|más tarde|por ahora|todavía|pour l['’]instant|plus tard|später|erstmal|vorerst|noch nicht|danach"
    r"|por enquanto|mais tarde|per ora|più tardi|voorlopig|straks|пока|потом|позже)\b"
    r"|稍后|等下|待会|暂时|这次|あとで|今回|とりあえず",
    re.IGNORECASE,
)
_SYMPTOM = lazy_regex(
    r"\b(?:get(?:s|ting)?|see(?:s|ing)?|receive[sd]?|it|this|that|everything|nothing) (?:\w{1,20} ){0,2}(?:error"
    r"|errors|exception|crash\w{0,3}|fail\w{0,3}|works?|broken?|hangs?|shows?|loads?|freezes?|warning)\b"
    r"|\b(?:shows?|throws?|gives?|returns?|displays?|says?|gets?) (?:me )?(?:an? |the )?(?:\w{1,20} )?(?:errors?"
    r"|exceptions?"
    r"|warnings?|blank|404|500|nothing)\b|\b(?:muestra|da|lanza|mostra|dá|affiche|lance|zeigt|wirft)(?: \w+){0,3}"
    r" (?:un[ea]?|um|einen?|de|des)? ?(?:error|erro|erreurs?|fehler|errore)\b|エラーが|(?:显示|出现)(?:错误|异常)"
    r"|\b(?:funktioniert|geht|klappt) (?:es |das |nicht)"
    r"|\b(?:no funciona|ne (?:marche|fonctionne)|não funciona|non funziona|werkt niet|не работает|nie działa)\b|报错"
    r"|崩溃|エラー|動かな|動きません",
    re.IGNORECASE,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FORMS: tuple[tuple[str, StatementForm, re.Pattern[str], frozenset[str]], ...] = (
    ("remember", "remember", _REMEMBER, _words(
        "remember remeber rember mind forget recuerda recuerde recordá cuenta olvides acuérdate souviens souvenez"
        " rappelle"
        " rappelez n'oublie n'oubliez retiens"
        " retenez tête merk merke denk denke vergiss behalte beachte lembre lembra mente esqueça guarde ricorda"
        " ricordati ricordate presente"
        " dimenticare onthou onthoud vergeet запомни запомните помни помните забывай забывайте виду учти учтите"
        " pamiętaj zapamiętaj pamiętajcie"
    )),
    ("from now on", "rule", _FROM_NOW_ON, _words(
        "now here point today forward henceforth future rule ahora hoy adelante dorénavant désormais maintenant"
        " l'avenir jetzt sofort nun künftig zukünftig zukunft"
        " diante frente agora ora d'ora adesso nu voortaan vervolg момента впредь отныне дня teraz przyszłość"
    )),
    ("no longer", "rejection", _NO_LONGER, _words("longer anymore more ya já plus mehr mais più meer больше już")),
    ("no, always", "correction", _NO_ALWAYS, _words(
        "always never immer nie niemals stets toujours jamais siempre nunca sempre mai altijd nooit всегда никогда"
    )),
    ("always, never", "rule", ALWAYS_DO, _words(
        "always never ever every everytime each any anytime whenever siempre nunca sempre toujours jamais immer nie"
        " niemals stets"
    )),
    ("I do it", "rule", I_DO_IT, _words("myself own yo eu comigo je moi ich")),
    ("like everywhere", "rule", LIKE_EVERYWHERE, _words("like as como comme wie")),
    ("all must", "rule", ALL_MUST, _words(
        "must deben tienen doivent müssen devem têm precisam"
    )),
    ("tool instead", "rule", TOOL_INSTEAD, _words(
        "use usa utiliza utilise utilisez utiliser nimm nutze verwende benutze utilize gebruik"
    )),
    ("prefer", "preference", PREFER, _words(
        "prefer prefiero preferimos préfère préférons bevorzuge bevorzugen prefiro"
    )),
)  # fmt: skip
"""Name, kind and pattern of a form, and the words of which one occurs in it."""


_HYPOTHETICAL = frozenset({"from now on", "no longer", "always, never", "all must", "prefer", "I do it"})
_LASTING_TASK = frozenset({"always, never", "I do it", "all must", "like everywhere", "prefer"})
"""Forms that a word like "for now" or "later" makes part of the task at hand."""


def explicit_form(sentence: Sentence, analysis: Analysis, context: Context, previous: str = "") -> ExplicitForm | None:
    """Return the explicit form of a sentence that follows `previous`."""
    if context.has_paste and context.length > MAX_BESIDE_PASTE:
        return None
    text = sentence.text
    words = frozenset(analysis.tokens)
    if _cites_decision(text, words, previous, is_unspaced=bool(analysis.unspaced)):
        return ExplicitForm("cited decision", "correction", 0, True)
    forms = [form for form in _FORMS if analysis.unspaced or not form[3].isdisjoint(words)]
    if not forms or _MEMORY_QUESTION.search(text):
        return None
    for name, kind, pattern, _ in forms:
        match = pattern.search(text)
        if match is None or (name in _HYPOTHETICAL and SUPPOSITION.match(text)):
            continue
        start, content = _start_and_content(name, text, match)
        if name in _UNSURE and context.total > MAX_SENTENCES_OF_UNSURE:
            continue
        if _size(content) >= MIN_CONTENT and not (_points_only(name, content) or _SYMPTOM.search(content)):
            is_doubtful = any(("hypothesis" in analysis.concepts, _MIND.search(text), _PRODUCT.search(content)))
            return ExplicitForm(name, kind, start, name not in _UNSURE, is_doubtful)
    return None


def _start_and_content(name: str, text: str, match: re.Match[str]) -> tuple[int, str]:
    """Return where the statement of a form starts, and its words beside the phrase; none if it is for the task."""
    if name == "remember":
        if _concerns_another(text, match) or (match[0].rstrip().endswith(" to") and _ADDITION.match(text, match.end())):
            return 0, ""
        if match["closing"]:
            return 0, text[: match.end("closing")]
        return max(match.start("form"), match.start("unspaced")), text[match.end() :]
    if name == "from now on":
        start = match.start() if _begins_clause(text, match.start()) else 0
        return start, f"{text[: match.start()]} {text[match.end() :]}"
    return 0, "" if name in _LASTING_TASK and _ONE_OFF.search(text) else text


_UNSURE = frozenset({"all must", "prefer", "tool instead"})
"""Forms that also occur in specifications of one feature."""

MAX_SENTENCES_OF_UNSURE = 5
"""Sentences of a message from which an unsure form may belong to a specification."""

_ADDITION = lazy_regex(
    r"\s{0,3}(?:also\b|(?![^.]*\b(?:always|never|every|whenever|each)\b)[^.\n]{0,80}(?<!\w)@[\w./-]{2,})", re.IGNORECASE
)
"""Words after "remember to" that add a step to the task at hand: "also update the …", a mention of a file."""

_PRODUCT = lazy_regex(
    r"^[\s,:]{0,3}(?:please |and |but |also |so |just ){0,2}(?:(?:always|never) )?(?:show|display|hide|render|return"
    r"|redirect|highlight|open|close|scroll|appear|fade|play)s?\b"
    r"|^[\s,:]{0,3}(?:when|if|once) (?:an? |the )?(?:user|player|customer|client|guest|visitor)s?\b"
    r"|^[\s,:]{0,3}(?:the|an?|every|each) \w{2,20} (?:should|must|will|shall|needs? to|has to|can) (?:always |never )?"
    r"(?:show|display|hide|render|return|redirect|highlight|open|close|be (?:visible|shown|hidden|displayed))\b",
    re.IGNORECASE,
)
"""Words by which a sentence is about the behaviour of the product, not about the agent's."""

_MIND = lazy_regex(r"\b(?:keep|bear) in mind\b", re.IGNORECASE)
"""Words by which users also explain the task at hand."""

_DECIDED_WORDS = _words(
    "decided agreed settled said told decidimos acordamos dijimos decidido quedamos combinamos dissemos décidé dit"
    " convenu entschieden beschlossen gesagt vereinbart geeinigt"
)


def _cites_decision(text: str, words: frozenset[str], previous: str, *, is_unspaced: bool) -> bool:
    """Whether a sentence holds a decision against what the agent did: "why npm again? we decided on pnpm"."""
    if (_DECIDED_WORDS.isdisjoint(words) and not is_unspaced) or _MEMORY_QUESTION.search(text):
        return False
    if (decided := DECIDED.search(text)) is None or _size(text[decided.start() :]) < MIN_CONTENT + 1:
        return False
    return WHY_AGAIN.search(f"{previous}\n{text[: decided.start()]}") is not None


_TAIL = lazy_regex(r"(?:that|que|dass|che|dat|что|że|:|：)\s{0,3}$", re.IGNORECASE)


def _concerns_another(text: str, match: re.Match[str]) -> bool:
    """Whether "remember" is a wish about somebody else in the middle of a sentence: "it should … and remember them"."""
    before = text[: match.start()].strip()
    is_in_the_middle = bool(before) and text[match.start()].isalpha()
    return is_in_the_middle and _TAIL.search(match[0]) is None


def _begins_clause(text: str, position: int) -> bool:
    """Whether a form in the middle of a sentence opens a clause of its own, with more after it than the form."""
    return position > 0 and _size(text[position:]) > MIN_CONTENT + 3 and _CLAUSE_END.search(text[:position]) is not None


_CLAUSE_END = lazy_regex(
    r"(?:[,;:—–，；、]|\b(?:and|but|so|y|pero|et|mais|und|aber|e|mas|ma|en|maar|и|но))\s{0,3}$", re.IGNORECASE
)


def _points_only(name: str, content: str) -> bool:
    """Whether an explicit form only points at the task at hand: "remember to fix this"."""
    core = _NO_LONGER.sub(" ", content) if name == "no longer" else content
    return _POINTS_ONLY.search(core) is not None or (name == "remember" and _ONE_OFF.search(content) is not None)


def _size(text: str) -> int:
    """Return the number of words; two characters of languages without spaces count as a word."""
    unspaced = sum(1 for character in text if "\u3040" <= character <= "\u9fff")
    return (
        sum(1 for token in tokens_of(text) if token.isascii() or not "\u3040" <= token[0] <= "\u9fff") + unspaced // 2
    )
