"""The beginning of a statement, a task or a foreign line: assent, lead-in, first clause; and withdrawals. Pure."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.common_words import TOOL_NAMES
from sidecar.language.rule_synonyms import LASTING

_ASSENT = lazy_regex(
    r"(?i)^\W{0,3}(?:(?:(?:ok(?:ay|ey)?|alright|nah|nope|nein|nee|нет)\b[\s,.!:;–—-]*(?<!\s\.)"
    r"|(?:right|all right|sure|fine|yes|yeah|yep|well|good|great|so|then|gut|klar|d['’]accord|bon|bien|vale|bueno"
    r"|de acuerdo|t[áa]|certo|beleza|va bene|goed|хорошо|ладно|no|non|n[ãa]o)\b(?:(?:\s?[,!:;–—]|\s-(?=\s)|\.(?=\s))\s*"
    r"|\s(?=(?:from|so|then|you|we|ab jetzt|à partir|a partir|désormais|d['’]ora)\b))"
    r"|no\s(?=(?:the|our|we|it|its|it['’]s|this|that|these|those|my|el)\b)|non\s(?=(?:on|nous|il)\b|l['’]|c['’]est\b"
    r"|(?:le|la|les)\s.{1,60}\b(?:est|sont|s['’]appelle)\b)"
    r"|(?:いや|いいえ|違います?|了解(?:です)?|はい|わかった|不对?|不是|好的?|行)[、，,。\s])\s*)+"
)
"""Words of assent or denial at the beginning of a statement, which state nothing by themselves."""

LEAD_IN = lazy_regex(
    r"(?i)\b(?:from (?:now|here|today) on|going forward|in (?:the )?future|henceforth|as a rule|by default"
    r"|remember(?: that)?|please|ab (?:jetzt|sofort|heute)|von nun an|k(?:ü|ue)nftig|in zukunft|zuk(?:ü|ue)nftig|bitte"
    r"|merke? dir|retiens(?: que)?|recuerda(?: que)?|lembre(?:-se)?(?: (?:que|de que))?|ricorda(?: che)?"
    r"|onthoud(?: dat)?|запомни(?:те)?|a partir de (?:agora|ahora|hoje|hoy)|de (?:agora|ahora) (?:em|en) (?:diante"
    r"|adelante)|daqui em diante|d[ée]sormais|dor[ée]navant|[àa] partir de maintenant|[àa] l['’]avenir|d['’]ora in poi"
    r"|da (?:ora|adesso) in poi|vanaf nu|voortaan|in het vervolg|отныне|впредь|с этого момента|теперь)\b\s?[,:：]?"
    r"|今後は?|これから(?:は)?|以后|今后|从现在(?:开始|起)|往后|(?:记住|覚えて(?:おいて)?)[:：,，、]?"
)
"""Words by which a statement lasts, and words of request."""


def without_assent(text: str) -> str:
    """Return a statement without the "ok", "right" or "no" at its beginning."""
    return _ASSENT.sub("", text) or text


SHORT_ROLE = lazy_regex(
    r"\A\s*+(?:you are (?:an? |my |the )?(?:very |highly |world[- ]class )?(?:senior|expert|experienced|professional"
    r"|skilled|principal|software|full[- ]?stack|python|developer|engineer|architect|assistant|reviewer|designer)\b"
    r"|act as (?:an?|the|my) \w|du bist (?:ein(?:e)?|mein(?:e)?) (?:\w+ ){0,2}(?:entwickler|ingenieur|experte"
    r"|assistent|senior)\w*|(?:tu es|vous êtes) une? (?:\w+ ){0,2}(?:développeu\w+|ingénieure?|expert\w*|assistant\w*"
    r"|senior)|eres una? (?:\w+ ){0,2}(?:desarrollador\w*|ingenier\w+|expert\w+|asistente|senior)"
    r"|você é uma? (?:\w+ ){0,2}(?:desenvolvedor\w*|engenheir\w+|especialista|assistente|sênior)"
    r"|sei una? (?:\w+ ){0,2}(?:sviluppat\w+|ingegnere|espert\w+|assistente)|je bent een (?:\w+ ){0,2}(?:ontwikkelaar"
    r"|expert|senior)"
    r"|ты (?:—|-)? ?(?:опытный|старший|senior)"
    r"|你是一[个名位](?:资深|高级|专业|经验)|あなたは(?:経験豊富な|優秀な|シニア|プロの?|熟練))",
    re.IGNORECASE,
)
"""The beginning of a line that gives the agent a role; what follows is a prompt's template."""

_CHECKER = (
    r"(?:[ejt]slint|stylelint|pylint|flake8|ruff|clippy|rubocop|shellcheck|mypy|pyright|sonar\w{0,5}|checkstyle"
    r"|golangci-lint)"
)
_SPEAKING_TOOL = lazy_regex(
    r"\A\s*+(?:(?P<somebody>(?:the|der|el|o|le|il|de) (?:linter|compiler|reviewer)|reviewer)"
    rf"|{_CHECKER}|error|fatal|линтер|リンター)"
    r"(?: \([^()\n]{1,40}\))?\s?[:：]\s(?![^\n]{0,80}(?:\b(?:run|enable|disable|install|configure)\b|\s--\w))",
    re.IGNORECASE,
)
"""The beginning of a line that a tool or a reviewer speaks: "ESLint: …"."""


def is_spoken_by_tool(line: str) -> bool:
    """Whether a tool or a reviewer speaks a line; "eslint: please …" is the user's request."""
    match = _SPEAKING_TOOL.match(line)
    if match is None:
        return False
    spoken = line[match.end() :]
    return match["somebody"] is not None or not spoken[:1].islower() or not is_own_voice(spoken)


_LABEL = lazy_regex(
    r"\s*+(?P<name>\[[\w.:@/-]{2,30}\](?=\s)"
    r"|[^\s:：][^:：.!?\n]{0,40}?(?:\.\w[^:：\n]{0,20})?(?=\s?(?::\s|:error:|：)))\s?[:：]?\s*+"
)
_OUTPUT = (
    r"(?:log|console|terminale?|output|stdout|stderr|error|erro|saída|salida|consola|erreur|sortie|fehler(?:meldung)?"
    r"|ausgabe|konsole|errore|uscita|foutmelding|uitvoer|ошибка|лог|вывод|консоль)"
)
_SPEAKER = (
    rf"(?:{_OUTPUT}|compiler|linter|warning|notice|hint|note|ci|aviso|dica|nota|registro|advertencia"
    r"|avertissement|astuce|warnung|hinweis|avviso|fout|melding|waarschuwing|предупреждение|заметка)"
)
_UNSPACED_SPEAKER = r"(?:日志|日誌|报错|错误|警告|输出|提示|控制台|终端|エラー|ログ|出力|コンソール)"
_SPEAKER_IN_LABEL = lazy_regex(
    rf"(?i)(?:.{{0,40}}(?<!\w))?{_SPEAKER}(?:\s(?:from|of|von|vom|aus|d[eaoiu]|del|della|dal|des|d['’]|van|uit|из|от)"
    rf"\b.{{1,30}})?|(?:ошибка|предупреждение|лог|вывод) \w+|.{{0,12}}{_UNSPACED_SPEAKER}"
)
"""A label for what a program prints: "nginx log", "Fehler vom Compiler"."""
_MACHINE = lazy_regex(rf"(?i){_CHECKER}|[\w-]*config|ci|build|compiler|linter|console|konsole|consola")
_REPORTS = lazy_regex(
    rf"(?i).{{0,40}}(?<!\w)(?:says?|shows?|prints?|reports?|complain(?:s|ed)|warns?|fail(?:s|ed) with|meldet|zeigt|sagt"
    rf"|dice|muestra|diz|mostra|dit|affiche|zegt|toont|meldt|пишет|показывает)(?: (?:that|this|me|us|now|again))?"
    rf"|.{{0,12}}{_UNSPACED_SPEAKER}显示"
)
"""A label that ends with a verb of printing: "the console shows"."""
_CODE_OR_VERSION = lazy_regex(
    r"(?:\S+ ){0,3}(?!(?:RFC|ISO|SHA|ES|UTF|HTTP)\d)(?:[A-Z]{1,8}\d{3,6}|[A-Z]{2,6}-0\d{3,5})|[\w.@/-]+ v?\d+\.\d+\.\d+"
    r"|(?:[A-Z]\w+ ){0,2}(?:Deprecat\w+|Unhandled|Fatal|Parse|Syntax|Type|Runtime|import) (?i:runtime )?"
    r"(?i:error|warning|notice|exception|rejection)(?: on line \d+)?"
    r"|(?i:\S+ (?:log|console|output|notice))|\[.{2,30}\]|.{2,12}(?:日志|日誌|输出|控制台|ログ|出力|コンソール)"
)
"""A label that ends with a diagnostic's code or a program's version, or that names a kind of fault or a log."""
_LEVEL = r"(?i:error|warn(?:ing)?|fatal|notice|deprecat\w+|panic)"
_PRINTED = lazy_regex(
    rf"{_LEVEL}(?:[\[(][^\])\n]{{0,40}}[\])]|\s[A-Z]{{0,8}}\d{{2,6}})?\s?[:：]|\[[\w .-]{{0,12}}{_LEVEL}\]"
    r"|[A-Z]\w{2,60}(?:Error|Warning|Exception|Notice)\s?:|\S{1,200}:\d+:\d+:"
)
"""Text that only a program prints after its name: a level, a class of faults, a place."""
_PRINTED_BY_SPEAKER = lazy_regex(
    r"(?:ERROR|WARN(?:ING)?|FATAL|NOTICE|INFO|DEBUG|PANIC|FAIL(?:ED)?)\b(?!\s(?:levels?|in|for|only|and|or|on|if)\b)"
    r"|(?:Error|Warning|Notice)\s\d|(?!(?:RFC|ISO|SHA|ES|UTF|HTTP)\d)[A-Z]{1,8}-?\d{3,6}\b|[a-z]+(?:-[a-z]+)+\s[A-Z]"
)
_CHECK = lazy_regex(
    r"(?:[✖✗✘×❌⚠⨯]\ufe0f?\s++)?(?:[a-z]\w*(?:[-/_]\w+)+\s?:|[A-Za-z]+/[A-Z]\w+:)\s|[✖✗✘×❌⚠⨯]\ufe0f?\s"
)
"""The symbol or the name of a check before what it found."""
MAX_LABEL_WORDS = 5
MIN_FOUND_WORDS = 3


def names_source(line: str) -> bool:
    """Whether a line is printed by a source that its label names: "mypy: error: …", "nginx log: …", "TS2345: …"."""
    label = _LABEL.match(line)
    if label is None:
        return False
    name, printed = label["name"], line[label.end() :]
    words = name.casefold().split()
    if len(words) > MAX_LABEL_WORDS or not (_is_printed(name, words, printed) or _is_found(name, words, printed)):
        return False
    return not is_own_voice(name)


def _is_printed(name: str, words: Sequence[str], printed: str) -> bool:
    """Whether only a program prints a text after its name, or a label states that it does."""
    if _PRINTED.match(printed):
        return True
    if _REPORTS.fullmatch(name) and (_names_machine(words) or any(map(_SPEAKER_IN_LABEL.fullmatch, words))):
        return True
    if _PRINTED_BY_SPEAKER.match(printed) is None:
        return False
    return bool(TOOL_NAMES & {words[0], words[-1]}) or _SPEAKER_IN_LABEL.fullmatch(name) is not None


def _is_found(name: str, words: Sequence[str], printed: str) -> bool:
    """Whether a text is a sentence that a tool prints below its label, not a request of the user."""
    check = _CHECK.match(printed)
    if check is not None:
        printed = printed[check.end() :]
    elif _CODE_OR_VERSION.fullmatch(name) is None:
        is_of_machine = len(words) > 1 and _names_machine(words)
        if not is_of_machine or _SPEAKER_IN_LABEL.fullmatch(name) is None:
            return False
    is_sentence = len(printed.split()) >= MIN_FOUND_WORDS or _OTHER_SCRIPT.search(printed) is not None
    return is_sentence and not is_own_voice(printed)


def _names_machine(words: Sequence[str]) -> bool:
    return any(word in TOOL_NAMES or _MACHINE.fullmatch(word) is not None for word in words)


_REQUEST_OPENING = lazy_regex(
    r"\W{0,3}(?:(?:and|also|but|so|then|now|und|aber|y|pero|e|mas|et|mais|ma|en|maar|и|но)\s)?(?:(?:always|never"
    r"|don['’]?t|do not|no|not|only|just|must|should|use|keep|put|treat|avoid|prefer|ensure|make|let['’]?s|how|why|what"
    r"|fix|replace|remove|review|check|change|add|rename|refactor|update|implement|explain|write|look|try|show|tell"
    r"|immer|nie(?:mals)?|kein\w*|nur|nicht|verwend\w+|nutz\w+|siempre|nunca|jamás|s[óo]lo|usa[rs]?|sempre|mai"
    r"|toujours|jamais|ne|utilise[rz]?|altijd|nooit|geen|niet|alleen|gebruik|всегда|никогда|не|используй\w*|только"
    r"|rules?|regeln?|regla|regra|règle|regola|правило|ps|btw|fyi|important\w*|wichtig)\b|n['’]"
    r"|常に|必ず|絶対|一律|总是|總是|永远|不要|别|请|必须|统一|禁止|务必|规则|ルール)",
    re.IGNORECASE,
)
_FIRST_PERSON = lazy_regex(
    r"(?i)\b(?:i(?:['’](?:m|ve|d|ll)| (?:want|need|have|had|am|was|do|did|don['’]?t|would|think|get|got|see|like|tried"
    r"|can|use))|we|my|our|ich|wir|mir|mein\w*|unser\w*|yo|nosotros|eu|nós|meu|minha|você|je|nous|mon"
    r"|notre|noi|mio|mia|ik|wij|mijn|я|мы|мне)\b|\bj['’]|(?<!\S)@[\w-]{0,40}[./]\w|私|僕|俺|我们?"
    r"|(?:ください|下さい|ほしい|こと|ないで)[。！!]?$"
)
_OTHER_SCRIPT = lazy_regex(r"[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]")


def is_own_voice(line: str, above: str = "") -> bool:
    """Whether a line requests something, is in the first person, or in another script than the line above."""
    if above and _OTHER_SCRIPT.search(line) and not _OTHER_SCRIPT.search(above):
        return True
    if line.rstrip().endswith(("?", "？")) and not line[:1].isupper():
        return True
    is_request = _REQUEST_OPENING.match(line) or TASK.match(line) or LEAD_IN.search(line)
    return is_request is not None or _FIRST_PERSON.search(line) is not None


OUTPUT_BELOW = lazy_regex(
    rf"(?i)(?<!\w)(?:{_OUTPUT}|errors?|logs)(?!\w)[^:\n]{{0,40}}:\s*$"
    r"|(?:日志|报错|错误|输出|ログ|エラー|出力)[^：:\n]{0,20}[：:]\s*$"
)
"""The end of a line that announces what a program printed."""


class Opening(NamedTuple):
    """The first clause of a statement; empty if it is the only one, or if another limits or excepts something."""

    text: str
    has_rejection: bool
    """Whether the next clause only says what does not hold: "…, not debug"."""


@lru_cache(maxsize=512)
def opening_of(text: str) -> Opening:
    """Return the first clause of a statement."""
    statement = without_assent(text.partition("\n\n")[0])
    match = _OPENING_END.search(statement)
    if match is None or _LIMITS.search(statement, match.end()):
        return Opening("", False)
    return Opening(statement[: match.start()], _REJECTION.match(statement, match.end()) is not None)


_OPENING_END = lazy_regex(r"(?<=\S{2})(?:[,;]\s|[，、；]|\s[–—-]\s|[.!]\s(?=\S))")
_LIMITS = lazy_regex(
    r"(?i)\b(?:only|just|except|unless|if|when|while|in|inside|within|for|nur|außer|ausser|wenn|solange|im|für|bei|sauf"
    r"|seulement|uniquement|dans|pour|si|excepto|salvo|solo|sólo|para|en|exceto|apenas|só|em|na|tranne|nella?|per"
    r"|alleen|behalve|voor|только|кроме|если|в|для)\b|[/]|だけ|のみ|以外|では|只|仅|除了|如果"
)


def adds_to_others(text: str) -> bool:
    """Whether a statement holds beside others: "bob reviews them, too"."""
    return _ADDS.search(text) is not None


_ADDS = lazy_regex(
    r"(?i)\b(?:too|also|either|as well|additionally|besides|auch|ebenfalls|zusätzlich|aussi|également|también|tampoco"
    r"|também|anche|pure|ook|тоже|также)\b|[はがで]?も(?=[^うっとの]|$)|也|还要"
)


def supposes(sentence: str) -> bool:
    """Whether a sentence begins with a supposition: "what if we …"."""
    return _SUPPOSED.match(sentence) is not None


def observes(sentence: str) -> bool:
    """Whether a sentence begins with what the user sees or what there is: "I see …", "there is …"."""
    return _OBSERVATION.match(sentence) is not None


_OBSERVATION = lazy_regex(
    r"(?i)\W{0,9}(?:(?:(?:but|and|so|ok(?:ay)?|now|also|[aeo]h|hm+|still|pero|y|mais|et|aber|und|mas|e)[\s,]{1,3}){0,2}"
    r"(?:i(?:['’]?m| am)? (?:still |also |just |only )?(?:see|seeing|saw|get|getting|got|noticed?|found)"
    r"|there(?:['’]?s| is| are| was| were)|ich (?:sehe|bekomme|habe gesehen)|es gibt|veo|hay(?! que)|je vois"
    r"|j['’]ai vu|il y a|vejo|há|vedo|c['’]è|ci sono|ik zie|er (?:is|zijn)|вижу)\b|.{0,10}(?:发现|看到))"
)


def asks_for_work(sentence: str) -> bool:
    """Whether a question asks for something to be done: "can you …"."""
    return _REQUEST.match(sentence) is not None


TAG_QUESTION = lazy_regex(
    r"(?i)[,，\s]\s?remember\s?\?\W*$|[,，]\s?(?:ok(?:ay)?|alright|please|pls|einverstanden"
    r"|te parece|vale|de acuerdo|tá(?: bom)?|combinado|d['’]accord"
    r"|va bene|akkoord|ладно|хорошо|好吗|好吧|可以吗)\s?[?？]\W*$"
)
"""A question for consent after a statement: "…, ok?"."""
QUESTION = lazy_regex(r"[?？][\"'”»)\]\s]{0,5}$|(?:でしょうか|ですか|かな|吗|么)[。\s]{0,3}$")
_REQUEST = lazy_regex(
    r"(?i)\W*(?:[^?？\n]{3,160},\s)?(?:(?:and|but|also|so|please|und|y|et|e)\s){0,2}(?:(?:can|could|would|will) (?:you"
    r"|we)(?! (?:not (?:see|find|reach|access|read|open|understand|know|get|connect|load)|(?:please )?(?:explain|tell"
    r"|describe))\b)|kannst du|könntest du"
    r"|puedes|podrías|tu peux|peux[- ]tu|pourrais[- ]tu|(?:você )?pode(?:ria)?|puoi|potresti|kun je|можешь"
    r"|why (?:don['’]?t|not))|.*(?:て(?:もらえ|くれ|いただけ)ま(?:すか|せんか)|能不能|可不可以|可以)"
)
STOPS = lazy_regex(
    r"(?i)\b(?:stop|turn off|switch off|disable|not|don['’]?t|no more|without|instead of|rather than|nicht|keine?n?"
    r"|ohne|statt|no|sin|dejar de|pas|ne plus|sans"
    r"|arrêter|não|sem|parar de|non|senza|niet|geen|не|без)\b|ないで|不要|别"
)
_SUPPOSED = lazy_regex(
    r"(?i)[¿\W]*(?:(?:and|but|so|hm+|ok|y|et|e|und|aber)[\s,]{1,3}){0,2}(?:what if|suppose|supposing|imagine"
    r"|let['’]?s (?:say|suppose|assume|pretend)|assuming|hypothetically|i (?:wonder|guess|wish)|maybe we|perhaps we"
    r"|would it|was wäre|angenommen|stell dir vor|ob wir|et si|imagine|supposons|je me demande|qué (?:pasa|pasaría) si"
    r"|supongamos|me pregunto|e se|suponha|imagina|será que|stel dat|что если|представь|допустим|如果.{1,40}(?:会怎"
    r"|怎么样|呢)|假如|假设|もし.{1,40}(?:どう|かな)|仮に)"
)

MAX_ANSWER_WORDS = 30
"""A longer message states its rule itself."""
_ANSWER = lazy_regex(
    r"(?i)^\W*(?:yes|yeah|yep|ok|okay|sure|right|exactly|correct|agreed|perfect|good|great|do|please do|sim|isso|certo"
    r"|exato|combinado|s[ií]|vale|de acuerdo|exacto|claro|oui|d['’]accord|exactement|parfait|ja|genau|richtig"
    r"|einverstanden|passt|va bene|esatto|d['’]accordo|klopt|precies|akkoord|да|хорошо|верно|именно|согласен)(?!\w)"
)
_UNSPACED_ANSWER = lazy_regex(r"^\W*(?:はい|うん|そう|それで|了解|是|对|好|可以|同意|没错|嗯)")


def accepts_as_lasting(message: str) -> bool:
    """Whether a short message accepts a proposal as lasting: "yes, do that from now on"."""
    text = " ".join(message.split())
    plain = text.casefold()
    is_lasting = any(marker in plain for marker in LASTING)
    accepts = _ANSWER.match(text) is not None or _UNSPACED_ANSWER.match(text) is not None
    return is_lasting and accepts and len(text.split()) <= MAX_ANSWER_WORDS and len(text) <= 200


def states_what_holds(text: str) -> bool:
    """Whether a statement denies another one by saying what holds, or says what holds from now on."""
    return _DENIES_BY_FACT.search(text) is not None or _HOLDS_NOW.search(text) is not None


_DENIES_BY_FACT = lazy_regex(
    r"(?i)^\W*(?:no|nope|nah|nein|non|n[ãa]o|nee|нет)\b[\s,.:;!–—]{1,3}(?=(?:the|our|we|it|it['’]s|these|those|all"
    r"|der|die"
    r"|das|wir|es|le|la|les|on|nous|el|los|las|nosotros|o|os|a|as|nós|il|lo|i|gli|noi|de|het|мы)\s|l['’]|c['’]est\b"
    r"|\S+ (?:always|is|are|go|goes)\b)|^\W*(?:いや|いいえ|違います?|不对?|不是)[、，,。]"
)
_HOLDS_NOW = lazy_regex(
    r"(?i)\b(?:we|our|always|is|are|was|happens?|runs?|lives?|goes?|called)\b.{1,80}\bnow[\s.!]*$"
    r"|\b(?:wir|ist|sind|heißt|heißen|läuft|laufen|nous|on|est|sont|s['’]appelle|es|son|está|están|usamos|são|fica|é|è"
    r"|sono|is|zijn|мы)\b.{0,60}\b(?:jetzt|maintenant|ahora|agora|adesso|nu|теперь)\b"
    r"|^\W*(?:jetzt|maintenant|ahora|agora|adesso|теперь)\b.{1,60}\b(?:ist|sind|heißt|läuft|est|sont|es|son|são|é|è"
    r"|sono)\b"
    r"|今は.{1,40}(?:です|ます)|现在(?:都|是|用|在|叫|改)"
)
_REJECTION = lazy_regex(
    r"(?i)(?:(?:and|und|et|y|e|en) )?(?:not|no longer|nicht|kein\w*|pas|plus|no|ya no|não|non|niet|не|instead of"
    r"|statt)\b"
    r"|不是|不用|而不是"
)


_LEAD_OF_WITHDRAWAL = (
    r"(?:(?:oh|ah|hm+|uh|no|nope|ok(?:ay)?|wait|actually|sorry|hold on|please|pls|just|then|well|nein|ach|nee|moment"
    r"|bitte|ok,? dann|espera|perd[oó]n|por favor|n[ãa]o|opa|cara|non|attends|pardon|en fait|stp|aspetta|scusa|wacht"
    r"|never ?mind|нет|стоп|やっぱり?|あ|ごめん|すみません|いや|不|哦|啊|等等|还是|算了)[\s,.!…、。，！–—-]{0,4}){0,4}"
)
_POINTED = (
    r"(?:(?:that|it|this)(?: (?:rule|instruction|one|last one|last part))?|what i (?:just )?(?:said|wrote|told you)"
    r"|(?:my|the) last (?:message|instruction|rule|one|thing))"
)
_WITHDRAWS_LAST = lazy_regex(
    _LEAD_OF_WITHDRAWAL
    + rf"(?:(?:forget|scratch|scrap|strike|ignore|disregard) (?:about )?{_POINTED}|i take (?:that|it) back"
    r"|(?:esque[cç][ae]|ignor[ae]|desconsider[ae]) (?:isso|isto|(?:o|tudo) que (?:eu )?(?:disse|falei)|essa regra)"
    r"|(?:olvid[aáe]|ignor[aáe]|descart[aáe]) (?:eso|esto|lo que (?:te )?dije|lo (?:anterior|último)|esa regla)"
    r"|olv[ií]dal[oa]|olvidate de eso|(?:oublie|ignore)[sz]? (?:ça|ca|cela|ce que (?:je viens de dire|j['’]ai dit)"
    r"|cette règle|mon dernier message)|(?:vergiss|vergesst|ignorier(?:e|t)?|streich(?:e|t)?) (?:das|es|dies"
    r"|diese regel|meine letzte nachricht|was ich (?:gerade|eben) (?:gesagt|geschrieben) hab(?:e)?)(?: wieder| bitte)?"
    r"|(?:dimentica|ignora) (?:questo|quello|ciò che ho detto|questa regola)|dimenticalo|(?:vergeet|negeer) (?:dat|dit"
    r"|het|wat ik net zei)|забудь(?:те)?(?: (?:это|об этом|что я сказала?))?|(?:今|いま|さっき|先ほど)の(?:話|指示"
    r"|ルール|件|発言|こと)?(?:は|を)?(?:なし|無し|忘れて|取り消し|取り消して|撤回|無視して)(?:で|に)?|(?:それ"
    r"|これ)は?忘れて|忘(?:掉|了|记)(?:这个|那个|这条|那条|它|刚才(?:说)?的(?:话)?)|忘了吧|当我没说(?:过)?|(?:刚才"
    r"|刚刚|上一条)(?:我?说)?的?(?:话)?(?:不算|作废)|收回刚才(?:说)?的话)"
    r"(?=\s{0,3}(?:$|[,.;!…、。，！–—-])|ください|下さい|お願い|して|ね|吧|了| (?:please|pls|por favor|stp|svp)\b)",
    re.IGNORECASE,
)
_WITHDRAWS_ALONE = lazy_regex(
    _LEAD_OF_WITHDRAWAL
    + r"(?:never ?mind(?: that)?|nvm|forget it|esque[cç][ae]|deixa (?:pra|para) l[áa]|olvida|mejor no|d[ée]jalo|oublie"
    r"|laisse tomber|finalement non|vergiss(?: es)?|doch nicht|lass mal|lascia (?:stare|perdere)|laat maar|toch niet"
    r"|неважно|算了(?:吧)?|(?:やっぱり?)?(?:なし|いいや|いいです|やめ)で?)",
    re.IGNORECASE,
)
_COURTESY_AFTER = lazy_regex(
    r"(?:please|pls|thanks|thank you|sorry|again|bitte|danke|por favor|gracias|obrigad[oa]|valeu|stp"
    r"|s['’]il te pla[iî]t|merci|grazie|ください|下さい|お願いします|お願い|して|ね|吧|了|谢谢|[\s,.;!…、。，！–—-])*",
    re.IGNORECASE,
)


def withdraws_last(words: str) -> bool:
    """Whether a message takes back the one before it: "forget that", and what follows does not belong to it.

    Words that also decline an offer ("never mind") do so only as the whole message.
    """
    text = " ".join(words.split())
    if _WITHDRAWS_LAST.match(text):
        return True
    alone = _WITHDRAWS_ALONE.match(text)
    return alone is not None and _COURTESY_AFTER.fullmatch(text, alone.end()) is not None


_STATED_BEFORE = r"(?:that )?(?:i|we)(?: ha(?:ve|d)|['’]ve)? (?:just )?(?:said|told you|wrote|asked)"
_FORGET = r"(?:forget|ignore|disregard|scratch|drop|scrap|skip|ditch|cancel|revoke|never ?mind)"
_WITHDRAW = r"(?:lift|remove|delete)"
_OWN = r"(?:the|my|that|this|your|our)(?: (?:earlier|old|previous|former|last))?"
_RULE = r"(?:rule|instruction|preference|requirement|convention|policy|restriction)s?"
_FORGET_IT = (
    r"forget|scrap|drop|ditch|vergiss|vergesst|olvid[aáe]|esque[cç][ae]|oublie[zr]?|dimentica|vergeet|забудь(?:те)?"
)
WITHDRAWAL_TAIL = r"(?:again|please|now|any ?more|completely|from now on|going forward|for good|wieder|bitte)"
CHANGED_MIND = (
    r"(?:i(?:['’]ve| have)? changed my mind|ich hab(?:['’]s|e? es|e? das)? mir (?:es |das )?anders überlegt"
    r"|(?:he )?cambi(?:é|ado) de (?:opinión|idea)|(?:eu )?mudei de (?:ideia|opinião)|j['’]ai changé d['’]avis"
    r"|ho cambiato idea|ik ben van gedachten veranderd|я передумала?|(?:気|考え)が変わ(?:った|りました)"
    r"|我改(?:变)?了?主意了?)"
)
"""Words that announce another statement in place of an earlier one."""

FORGET = lazy_regex(
    rf"(?i)\b(?:forget|ignore|disregard|scratch) (?:(?:about )?(?:what|everything|anything|all|the \w{{1,20}})"
    rf" (?:{_STATED_BEFORE})(?: (?:about|on|regarding))?"
    r"|about(?= \S))|\bi(?:['’]ve| have)? changed my mind (?:about|on)\b"
    rf"|\b(?:{_FORGET}|{_WITHDRAW}) (?:about )?{_OWN} (?:{_RULE}|thing)"
    r" (?:about|on|regarding|with|for|that|to|against)\b"
    rf"|\b(?:{_FORGET}|{_WITHDRAW}) (?={_OWN} (?:[^\s,.;:!?]{{1,30}} ){{1,4}}{_RULE} from (?:your )?(?:memory|notes)\b)"
    rf"|\b{_FORGET} (?:about )?(?={_OWN} (?:[^\s,.;:!?]{{1,30}} ){{1,4}}(?:{_RULE}|thing)"
    rf"(?:,? {WITHDRAWAL_TAIL}){{0,3}}\W*$)"
    r"|\b(?:vergiss|vergesst|streich(?:e|t)?|ignorier(?:e|t)?) (?:(?:die|diese|meine) regel|das|die sache)"
    r" (?:mit|zu[mr]?|über|für|von)\b(?: de[nmr]\b)?|-regel kannst du (?:vergessen|streichen|ignorieren)\b"
    r"|-regel(?: bitte| wieder){0,2} (?:vergessen|streichen|löschen|entfernen|aufheben|ignorieren)\b"
    r"|\b(?:lösch|entfern|streich|vergiss|ignorier)e? (?:bitte )?(?:(?:die|meine) regel (?:mit|zu[mr]?|über|für)\b"
    r"(?: de[nmr]\b)?|(?=(?:die|meine) \S{1,30}-regel\b))"
    r"|\blass(?:t|en wir)? (?=(?:die|meine) \S{1,30}-regel (?:bitte )?weg\b)"
    r"|\bwas ich (?:über|zu) (?=.{1,60} gesagt habe,? nehme ich zur)"
    r"|\b(?:olv[ií]da(?:te de)?|ignora|quita) (?:(?:la|esa|mi) regla|lo) (?:de(?: l[ao]s?\b)?|del|sobre)\b"
    r"|\b(?:oublie[zr]?|ignore[zr]?|laisse[zr]? tomber) (?:la|cette|ma) règle (?:sur|de|du|des|concernant)\b"
    r"(?: l[ae]s?\b)?"
    r"|\b(?:pode )?(?:esque[cç](?:e|a|er)|ignor(?:e|a|ar)) (?:(?:a|essa|aquela|minha) (?:regra|história|coisa)|aquilo)"
    r" (?:d[eoa]s?|sobre)\b"
    r"|\b(?:dimentica|ignora|lascia perdere) (?:la|quella|mia) regola (?:su|sul|sui|sulle|del|dei|delle|di)\b"
    r"|\b(?:vergeet|negeer) (?:(?:de|die|mijn) regel|dat) (?:over|van|met)\b"
    r"|\bзабудь(?:те)? (?:это |моё )?правило (?:про|о|об)\b|\bvergiss,? was ich (?:dir )?(?:(?:über|zu|von) )?"
    r"|\b(?:olvida|olvide|olvid[aá]te de) lo que (?:te )?(?:dije|he dicho)(?: (?:sobre|de|acerca de))?"
    r"|\besque[cç][ae] o que (?:eu )?(?:disse|falei)(?: (?:sobre|de|do|da))?"
    r"|\boublie[zr]? ce que j['’]ai dit(?: (?:sur|de|à propos de))?"
    r"|\bdimentica(?:te)? (?:quello|ciò) che ho detto(?: (?:su|di|del|sul))?"
    r"|\bvergeet wat ik (?:heb gezegd |zei )?(?:over )?"
    r"|\bзабудь(?:те)?,? (?:то,? )?что я (?:говорил[аи]?|сказал[аи]?)(?: (?:про|о|об))?"
    r"|\bi (?:take|took) back (?:what i (?:just )?said (?:about|on)|(?:the|my) rule (?:about|on|for))"
    r"|\b(?:ich nehme? (?:das )?zurück,? was ich (?:dir )?(?:(?:über|zu|von) )?"
    r"|(?:je retire|je reprends|ritiro|retiro|borra|elimina|quita|apaga|apague|remova|supprime[zr]?|efface[zr]?"
    r"|retire[zr]?|cancella|rimuovi|verwijder|schrap|ik neem terug|удали(?:те)?|беру назад(?:,? то)?|отмени(?:те)?)"
    r",? (?:ce que j['’]ai dit|lo que (?:te )?dije|o que (?:eu )?(?:disse|falei)|(?:quello|ciò) che ho detto"
    r"|wat ik(?: zei| heb gezegd)?|что я (?:говорил|сказал)[аи]?|(?:la|a|de|mi|a minha|mijn) (?:r[eè]gle|regla|regra"
    r"|regola|regel)|правило)(?: (?:sobre|sur|su|sul|de|del|do|da|di|over|van|про|о|об))?)\b(?: l[ao]s?\b| [ao]s?\b)?"
    rf"|^\W*(?:(?:ok(?:ay)?|no|wait|actually|please|bitte|por favor)\b[\s,.]{{1,3}})?(?:{_FORGET_IT}) "
    r"(?:(?:about|the|den|die|das|el|la|le|il|het|про|o|a|de) ){0,2}"
    rf"(?=[^,.;:!?\n]{{2,40}}[,.;:–—-]{{1,2}} ?(?:(?:and|und|y|e|et) )?{CHANGED_MIND})"
    rf"|忘(?:掉|记|了) ?(?=[^，。；\n]{{1,20}}[，。；] ?{CHANGED_MIND})"
    rf"|(?:は|を)忘れて(?:ください)?[、。] ?(?={CHANGED_MIND})"
    r"|\b(?:das|die sache) (?:mit|über|zu[mr]?)(?: de[nmr])?(?=\s[^,.;:\n]{1,40} nehme ich (?:wieder )?zurück)"
    r"|\bdat (?:over|met|van)(?=\s[^,.;:\n]{1,40} neem ik terug)"
    rf"|关于 ?(?=[^，。\n]{{1,20}}[，,]? ?{CHANGED_MIND})"
    r"|\bich (?:nehme?|nehm['’]) das mit(?: de[nmr])?(?=\s[^,.;:\n]{1,40} zurück)"
    rf"|{CHANGED_MIND},? (?:about|on|over|sobre|con|quanto a|com|sur|pour|concernant|su|sul\w*|bei|mit|wegen|zu[mr]?"
    r"|насч[её]т|про|об?)\b"
    r"|について(?:は)?(?:考え|気)が変わ(?:った|りました)"
    r"|\bi take (?:that|it|the \w+) (?:thing )?about (?=[^,.;:\n]{2,40} back\b)"
    r"|について(?:言った|話した)(?:こと|の)は?忘れて|(?:という|って|の)?(?:ルール|規則)(?:は|を)?(?:もう)?(?:忘れて|なし(?:で|に)|取り消し|取消|撤回|無効|廃止)"
    r"|の(?:件|話|指示)は(?:もう)?(?:忘れて|取り消し|撤回)|忘(?:记|掉)(?:我(?:之前|以前)?(?:说的?|讲的?))?(?:关于)?"
    r"|把(?:关于)?(?=[^。，！\n]{1,30}(?:规则|规定|约定)(?:都)?(?:从(?:你的)?(?:记忆|记录)[里中]?)?(?:删掉|删除|去掉|忘掉|取消))"
    r"|(?:收回|撤回)(?:我)?(?:之前)?(?:说的?)?关于|删除(?:关于)(?=[^。，！\n]{1,30}(?:规则|规定|约定))"
    r"|(?:のルール|の規則)[をは](?:メモリ|記憶)?(?:から)?(?:削除|消|忘れ|取り消)\w{0,6}|について(?:言った|話した)(?:こと|の)[はを](?:取り消|撤回)\w{0,5}"
    r"|(?:取消|撤销|去掉|删掉)(?:关于)?(?=[^。，！\n]{1,30}(?:规则|规定|约定)[。！!]?$)"
    r"|的?(?:那条|这条|那个|这个)?(?:规则|规定|约定)(?:就|都|已经)?(?:不用管|不用遵守|作废|取消|不再适用|不适用|不算|失效)了?"
)


_LEAD = (
    r"^\W{0,9}(?:(?:please|pls|and|then|now|also|so|ok(?:ay)?|hey|hi|first|next|just|quickly|can you|could you"
    r"|would you|will you|let['’]?s|i (?:want|need) you to|bitte|und|dann|jetzt|noch|mal|por favor|y|ahora|primero"
    r"|s['’]il (?:te|vous) plaît|stp|et|maintenant|e|agora|primeiro|per favore|ora|en|nu|и|теперь"
    r"|пожалуйста)[\s,.!:]{1,3}){0,4}"
)
TASK = lazy_regex(
    rf"(?i){_LEAD}(?:"
    r"(?:fix|correct|repair|debug|add|create|build|implement|remove|delete|drop|update|upgrade|move|change|replace"
    r"|refactor|rewrite|clean up|convert|migrate|port|translate|install|revert|undo|merge|deploy|release|run|rerun"
    r"|start|restart|check|review|investigate|make|generate|set up|bump|continue|finish|analy[sz]e|explain|describe"
    r"|inspect|look (?:at|into)|show me)(?:$|[\s.!]{0,3}$| (?:the|this|that|these|those|an?|my|our|its?|them|all the|up"
    r"|with|and)\b)|rename \S|(?:commit|push)(?: and (?:commit|push)| (?:this|that|it|the|these|them|everything|all)\b"
    r"|[\s.!]{0,3}$)|(?:write|add) (?:an?|the|some|more)? ?(?:unit |missing )?tests? for (?:the|this|that|these"
    r"|[\w/-]+\.\w+)|(?:füge?|erstell|beheb|korrigier|lösch|entfern|benenn|änder|verschieb|aktualisier|implementier|bau"
    r"|reparier|fix|übersetz|mach|ersetz|start|schreib|analysier|erklär)e? (?:(?:bitte|mal|noch|mir|jetzt) ){0,3}(?:den"
    r"|die|das|dem|der|eine?[nmrs]?|dies\w*|es|\w+ (?:in|zu) \w+ um)\b|(?:ajoute|corrige|supprime|renomme|modifie|crée"
    r"|remplace|déplace|implémente|répare|traduis|lance|change|fais|mets|analyse|explique)[rz]?(?: |-)(?:l['’]"
    r"|(?:à jour|les?|la|une?|ce|cet|cette|ces|moi)\b)|(?:agrega|añade|arregla|corrige|elimina|borra|renombra|cambia"
    r"|crea|actualiza|implementa|mueve|reemplaza|traduce|corre|ejecuta|haz|pon|quita|analiza|explica)(?:me)? (?:el|la"
    r"|los|las|una?|est[eao]s?|es[eao]s?|commit)\b|(?:adicion[ae]|corrij[ae]|corrige|remov[ae]|apagu?[ae]|renomei[ae]"
    r"|mud[ae]|cri[ae]|atualiz[ae]|implement[ae]|mov[ae]|substitu[ai]|traduz[ai]?|rod[ae]|faz|faça|tir[ae]|analis[ae]"
    r"|expli(?:ca|que)) (?:os?|as?|uma?|ess[ea]s?|est[ea]s?|isso)\b|(?:aggiungi|correggi|elimina|rinomina|cambia|crea"
    r"|aggiorna|implementa|sposta|sostituisci|traduci|esegui|fai|analizza|spiegami) (?:il|lo|la|i|gli|le|l['’]|un[oa]?"
    r"|quest[oaie])|(?:voeg|herstel|verwijder|hernoem|wijzig|maak|verplaats|vervang|vertaal|los|werk) (?:de|het|een|dit"
    r"|deze)\b|(?:добавь|исправь|удали|переименуй|измени|создай|обнови|перенеси|замени|переведи|запусти"
    r"|сделай)(?:те)? \S)|^(?:请|帮我|麻烦|再|先){0,3}(?:修复|修一下|加(?:一?个|上)|添加一?个|删除|删掉|实现|创建一?个"
    r"|新建|重命名|更新一下|跑一下|运行一下)|^(?:请|帮我)?把.{1,30}(?:改成|改为|改名为|删掉|移到)"
    r"|^[^はも。\n]{1,40}[をに](?:追加|修正|削除|実装|作成|変更|更新|リネーム|直|作)(?:って|して)(?:ください|下さい"
    r"|くれ|ほしい|ね)?[。！!]?$|^[^はも。\n]{1,40}を直して(?:ください|下さい|くれ|ほしい|ね)?[。！!]?$"
)
"""The beginning of a request for one piece of work."""

OCCASION = lazy_regex(
    r"(?i)\b(?:if|when|once|unless|wenn|falls|sobald|bei|si|cuando|quand|lorsque|dès que|se|quando|als|zodra|если"
    r"|когда|при"
    r"|(?<!punto )per(?! favore| cortesia)|for (?:all|any|each|every|new)|only|nothing|not|no"
    r"|don['’]?t|nicht|kein\w*|ne|pas|não|non|niet"
    r"|geen|не|must|should|instead|rather|note|memory|mind|everywhere)\b|时|的话|場合|とき|時は|たら|ずつ|ごと|不|别"
    r"|ない"
)
"""Words by which a request holds on some occasion, or forbids something."""


def is_for_now(sentence: str, message: str) -> bool:
    """Whether a ban ends with the task at hand: it holds "yet", or keeps a task of its message off a part.

    A reason, or a word for good, makes it last: "don't touch legacy/, another team owns it".
    """
    if _FOR_GOOD.search(sentence) is not None:
        return False
    if _NOT_YET.search(sentence) is not None:
        return True
    if (ban := _SIDE_BAN.search(sentence)) is None:
        return False
    parts = _TASK_PART.split(message.replace(sentence, sentence[: ban.start()]))
    return any(TASK.match(part.lstrip()) is not None for part in parts)


_NOT_YET = lazy_regex(
    r"(?i)\b(?:do not|don['’]?t)\b[^.!?\n]{0,40}\byet\b|\bnoch (?:nicht|kein\w*)\b.{0,40}en\b|\b(?:todavía|aún) no\b"
    r"|\bno [^.!?\n]{1,40} (?:todavía|aún)\b|\bnão [^.!?\n]{1,40} ainda\b|\bainda não\b"
    r"|\bne [^.!?\n]{1,40} pas encore\b"
    r"|\bnon [^.!?\n]{1,40} ancora\b|\bnog (?:niet|geen)\b|\b(?:ещё|пока) не\b|先(?:不要|别)|まだ.{1,20}ないで"
)
_SIDE_BAN = lazy_regex(
    r"(?i)(?:^|[,;–—]\s|\b(?:but|and|just|aber|und|pero|y|mais|et|mas|e|ma|maar|en|но|и)\s)(?:(?:please|bitte) )?"
    r"(?:(?:do not|don['’]?t) (?:touch|change|edit|modify|rename|move)|no (?:toques|cambies|modifiques|edites)"
    r"|ne (?:touche|change|modifie)[sz]? pas|não (?:toque|mexa|altere|mude)|non (?:toccare|cambiare|modificare)"
    r"|не (?:трогай|меняй)(?:те)?)\b[^,;:!?\n]{1,60}$"
)
"""A ban without a reason, at the end of a sentence."""
_FOR_GOOD = lazy_regex(
    r"(?i)\b(?:never|ever|always|at all|any ?more|in general|because|since|nie\w*|immer|weil|nunca|jamás|siempre"
    r"|porque|jamais"
    r"|toujours|car|parce|sempre|mai|perché|nooit|altijd|omdat|никогда|всегда|потому)\b|永远|总是|以后|今後|常に|二度と"
)
_TASK_PART = lazy_regex(r"(?<=[.!?;])\s|\n|,\s|\s(?=(?:but|and|aber|und|pero|y|mais|et|mas|e)\s)")


_CLAUSE = r"(?:^|[.,;:!?…—–()、。，；！]\s{0,3}|\b(?:and|but|so|please|und|aber|y|pero|mas|mais|et|e|ma|en|maar|и)\s)"
_NAME = r"[^.,;:!?…—–()、。，；！\n]{2,80}"
_RULED_OUT = lazy_regex(
    rf"{_CLAUSE}(?:(?:do not|don['’]t|no need (?:to|for)|(?:we|i) (?:do not|don['’]t) (?:want|need)|no more|no|not"
    r"|without|never|instead of|rather than|nada de|sin|no (?:quiero|queremos|uses|usemos|hagas|hace falta)"
    r"|en (?:vez|lugar) de|sem|não (?:quero|queremos|use|faça|precisa de|precisamos de)|em vez de"
    r"|pas de|surtout pas|pas|sans|(?:je|on) ne veu[xt] pas(?: de)?|au lieu de"
    r"|(?:bitte |wir wollen |ich will )?(?:kein\w{0,2}|nicht)|ohne|statt|anstatt"
    r"|niente|non (?:voglio|vogliamo|usare)|non|senza|invece di"
    r"|(?:we willen |ik wil )?(?:geen|niet)|zonder|in plaats van|не надо|не нужно|не|без|никаких|вместо)\s"
    rf"|pas d['’]|不要|别用?|不用|而不是)(?P<what>{_NAME})"
    r"|(?P<before>[^.,;:!?、。，\n]{2,40}?)(?:ではなく|じゃなく|は(?:不要|いら|やめ|なし)|を(?:使わ|やめ)|なしで)",
    re.IGNORECASE,
)


def ruled_out(words: str) -> list[str]:
    """Return what a user's words rule out at the beginning of a clause: "no, not several processes"."""
    found = (match["what"] or match["before"] for match in _RULED_OUT.finditer(words))
    return [text.strip() for text in found if text.strip()]


_ORDER = lazy_regex(
    rf"{_CLAUSE}(?:(?:undo|revert|roll back|drop|remove|delete|scrap|ditch|discard|get rid of|take out|rip out|abandon"
    r"|throw (?:out|away)|forget(?: about)?|(?:we|i|you) (?:cannot|can ?not|can['’]?t|must not|should not|do not"
    r"|don['’]?t) (?:want to )?(?:use|have|depend on|rely on|go with|keep|need|want)|(?:do not|don['’]t) use"
    r"|no need for|quit[aáe]\w?|elimin[aáe]\w?|borr[aáe]\w?|sac[aá]\w?|descart[aáe]\w?|deshaz|deshacé|revierte"
    r"|no (?:podemos|queremos) usar|tir[ae]|remov[ae]|apag(?:a|ue)|desfaz|desfaça|reverte|não (?:podemos|queremos) usar"
    r"|enlève[sz]?|supprime[sz]?|retire[sz]?|annule[sz]?|on ne peut pas utiliser|entfern\w{0,2}|lösche?|verwirf|wirf"
    r"|(?:nimm|schmei(?:ß|ss)|kick|rip|yank|toss|haal|gooi|sloop)(?=[^.,;:!?]{1,60}\s(?:raus|heraus|weg|out|e?r?uit)\b)"
    r"|wir (?:können|dürfen)|togli|leva|butta via|rimuovi|annulla|scarta|non possiamo usare|verwijder|we kunnen"
    r"|убери(?:те)?|удали(?:те)?|откати(?:те)?|отмени(?:те)?|мы не можем использовать)\s"
    rf"|去掉|删掉|删除|移除|撤销|取消|别用|不要用|不能用)(?P<what>{_NAME})"
    r"|(?P<before>[^.,;:!?、。，\n]{2,40}?)(?:を(?:削除|消|外|やめ|元に戻)|は使えま)",
    re.IGNORECASE,
)
_ORDER_END = lazy_regex(
    r"(?i)\s(?:(?:again|please|completely|back|out|away|wieder|bitte|raus|weg|terug|uit|eruit|er (?:weer )?uit|de nuevo"
    r"|por favor|de novo|di nuovo|s['’]il te plaît|nicht (?:verwenden|benutzen|nutzen)|niet gebruiken|because|since"
    r"|weil|porque|parce que|perché|omdat|потому что)\b.*)$"
)
_POINTS_ONLY = lazy_regex(
    r"(?i)(?:(?:all of )?(?:that|this|it|them|these|those)|all|everything|eso|est[aeo]|todo(?: eso)?|isso|isto"
    r"|tudo(?: isso)?|ça|cela|tout(?: ça)?|das|dies\w*|es|alles|quello|questo|tutto|dat|dit|это|всё|[这那它]个?"
    r"|それ|これ)"
    r"|(?:all|any|your?|the|my|ce|el|les?|die|il|o|de|este|esta|esto) (?:\w+ ){0,2}(?:changes?|edits?|cambios?"
    r"|mudanças?|changements?|änderung(?:en)?|modific\w+|wijziging(?:en)?)\b.*"
)
"""Words that name nothing: "that", "your last change"."""


def object_of_order(words: str) -> str:
    """Return what a user's words order to drop or rule out; empty if they name nothing, as "undo that" does."""
    for match in _ORDER.finditer(words):
        text = _ORDER_END.sub("", match["what"] or match["before"]).strip()
        if text and _POINTS_ONLY.fullmatch(text) is None:
            return text
    return ""
