"""Words by which rules are compared within and across ten languages: shared concepts, negations, function words. Pure.

A row of `rule_concepts.txt` lists what means much the same in English, Portuguese, Spanish, French, German, Italian,
Dutch, Russian, Japanese and Chinese. A word that ends with `*` stands for all words with that beginning. Accents are
left out. Words that look alike in two languages need no row. The rows before the empty line are words that carry a
rule and say little about its subject.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.common_words import TOOL_NAMES

NEGATIONS = frozenset(
    """
    not never no nothing nada nichts rien niente nulla niets ничего don't dont doesn't isn't aren't can't cannot won't shouldn't mustn't without avoid stop nor neither
    forbidden prohibited banned taboo tabu less fewer nobody gone niemand nadie ninguem nessuno никто
    nao nunca jamais sem evitar evite pare nem proibido
    menos sin evita evitar tampoco ni prohibido ningun ninguna
    ne n' pas jamais sans eviter evitez aucun aucune ni interdit plus
    weder weniger nicht nie niemals kein keine keinen keinem keiner ohne vermeide vermeiden verboten nimmer
    meno non mai senza evita evitare nessun nessuna vietato niente
    minder niet nooit geen zonder vermijd vermijden verboden
    меньше не нет никогда без нельзя избегай избегать запрещено никаких никакие никакого никакой
    nie nigdy bez unikaj khong dung
    cancel cancela cancele annule annulez arrete arretez cesse smetti хватит прекрати
    """.split()
)
"""Words that deny what their clause states, without accents."""

NEGATION_BEGINNINGS = (
    "forbid", "prohib", "proib", "interdi", "verbot", "verbod", "verbiet", "vietat", "запре", "avoid", "evit", "vermeid",
    "vermij", "избега", "abandon", "exempt", "abgeschaff", "afgeschaf", "abolish", "exclud", "reduc", "reduz", "redui", "diminu", "unnecess", "inutil", "unnotig", "innecesar", "desnecess", "onnodig", "overbodig", "uberfluss", "superflu", "ненужн", "излишн", "minimis", "minimiz", "verringer",
)  # fmt: skip

_INSTEAD_OF = (
    "instead of", "instead off", "rather than", "rather then", "better than", "em vez d", "ao inves d", "en vez d", "en lugar d",
    "au lieu d", "plutot qu", "mieux qu", "statt ", "anstelle ", "besser als", "invece d", "anziche", "al posto d", "meglio d",
    "in plaats van", "beter dan", "a la place d", "a la place  d", "invece che", "вместо", "лучше чем", "mejor que", "melhor que", "melhor do que",
)  # fmt: skip
NEGATIONS_AFTER = (
    *_INSTEAD_OF, "stay away from", "turn off", "get rid of", "prevents ", "prevent ", "preventing ", "no more", "no longer",
    "frei von ", "deja de ", "deje de ", "dejar de ", "dejen de ", "pare de ", "parar de ", "parem de ",
    "arrete de ", "arreter de ", "arretez de ", "hor auf", "smetti di ", "smettere di ", "smettila di ", "stop met ", "перестань",
    "empeche", "verhinder", "impide", "impede", "impedisc", "voorkom",
)  # fmt: skip
UNSPACED_NEGATIONS = (
    "不要", "不许", "不能", "不可", "不准", "不用", "不得", "不需", "不", "别", "勿", "禁止", "没", "无需", "避免",
    "でなく", "ではなく", "じゃなく", "代わりに", "すぎ", "過ぎ", "太多", "しない", "ない", "せず", "ません", "禁止", "避け", "やめ", "弃用", "避开", "さわるな", "触るな", "使うな", "するな", "ぬ", "ずに", "なし", "無し", "抜き", "廃止", "废弃", "淘汰",
)  # fmt: skip

_FUNCTION_WORDS = {
    "en": """
    a an the and or but if then so than that this these those there here it its i me my we us our you your he him his
    she her they them their of in on at in to from by for with as is are was were be been being am do does did will
    would can could should shall must may might have has had not no nor never just also too very more most much
    many any some such own up out off over under again once about into onto through while when where which who
    myself yourself himself herself itself ourselves themselves what how why because since until let lets please try want like get got make sure though ever going now
    try remember think know really well vs via per etc e.g i.e instead rather whenever every each all both""",
    "pt": """
    o a os as um uma uns umas de do da dos das em no na nos nas por para com e ou mas se que como ao aos pelo pela este
    esta isso isto esse essa ele ela eles elas eu voce voces meu minha seu sua nao sim ser estar ter tem foi muito mais vamos vai""",
    "es": """
    el la los las un una unos unas y o pero si del al en por para con su sus mi tu lo le les se que como este esta
    estos estas eso esto ese esa es son ser esta estan hay muy mas menos ya cuando donde porque quiero vamos ir va de
    no""",
    "fr": """
    le la les un une des du de et ou mais si que qui dans sur par pour avec ce cet cette ces il elle ils elles je tu
    nous vous on ne pas est sont etre avoir a ai au aux son sa ses leur y en se tres plus""",
    "de": """
    der die das den dem des ein eine einen einem einer und oder aber wenn dass in im an am auf aus bei mit nach von vor
    zu zum zur ist sind war sein haben hat wird werden ich du er sie es wir ihr man sich nicht auch noch nur so wie als
    fur bitte keine kein keinen uber unter""",
    "it": """
    il lo la i gli le un uno una e o ma se che di a da in con su per tra fra del della dei delle al alla ai nel nella
    e sono essere ha hanno si non piu come questo questa""",
    "nl": """
    de het een en of maar als dat die dit deze in op aan van voor met bij naar uit om te is zijn was worden wordt heeft
    hebben ik je jij u hij zij ze wij we niet ook nog alleen geen""",
    "ru": """
    и или но если что как в во на с со из к ко по для от до за о об при это этот эта эти тот та я ты он она мы вы они
    их его ее не же бы ли так""",
    "other": """
    i w na z do dla o jest sa sie nie to ten ta te oraz aby zeby jak
    toi ban la cua cho va mot nhung duoc khong the voi trong""",
}
FUNCTION_WORDS_OF = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}
FUNCTION_WORDS = frozenset(word for words in FUNCTION_WORDS_OF.values() for word in words)

_EXACT_WORDS = """
    2 3 5 10, rouge green blue yellow orange purple black white grey pink light dark, left right_side top bottom, tab, old,
    english german spanish french portuguese italian russian japanese chinese, public private,
    monday tuesday wednesday thursday friday saturday sunday
""".split(",")
"""Words in whose place another of their kind would be another rule: they must be the user's too, in any language."""

UNSPACED_FUNCTION = (
    "について", "に関して", "として", "ところ", "けど", "ので", "から", "まで", "より", "など", "こと", "もの", "という",
    "的", "了", "和", "在", "是", "我", "你", "他", "们", "把", "请", "吧", "呢", "也", "就", "将", "被", "给", "这", "那",
    "个", "着", "过", "与", "及", "或", "而", "并", "之", "其", "为", "以", "于", "对", "从", "到", "上", "下", "里", "中", "时", "後",
)  # fmt: skip
"""Particles of Chinese and Japanese; hiragana that no row lists says nothing either."""

LASTING = (
    "from now on", "going forward", "in future", "in the future", "always", "every time", "each time", "never again",
    "never", "remember", "as a rule", "make this a rule", "by default", "a partir de agora", "daqui em diante", "sempre",
    "lembre", "a partir de ahora", "de ahora en adelante", "siempre", "recuerda", "nunca", "désormais", "dorénavant",
    "à partir de maintenant", "toujours", "jamais", "ab jetzt", "von nun an", "künftig", "in zukunft", "immer", "nie wieder",
    "niemals", "merk dir", "d'ora in poi", "da ora in poi", "sempre", "mai più", "ricorda", "vanaf nu", "voortaan", "altijd",
    "nooit", "onthoud", "с этого момента", "впредь", "отныне", "всегда", "никогда", "запомни", "今後", "これから", "いつも", "常に",
    "必ず", "二度と", "覚えて", "从现在开始", "以后", "今后", "总是", "永远", "每次", "记住", "别再",
)  # fmt: skip
"""Words by which a user makes a statement lasting."""


def folded(word: str) -> str:
    """Return a word in lower case and without accents."""
    if word.isascii():
        return word.casefold()
    plain = unicodedata.normalize("NFKD", word.casefold())
    unmarked = "".join(char for char in plain if not unicodedata.combining(char) or "\u3099" <= char <= "\u309a")
    return unicodedata.normalize("NFC", unmarked.replace("đ", "d").replace("ł", "l").replace("ß", "ss"))


def is_unspaced(char: str) -> bool:
    """Whether a character belongs to a script without spaces between words."""
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or char == "々"


class _Table:
    """Concepts by whole word, by beginning, and by word of an unspaced script."""

    def __init__(self) -> None:
        self.words: dict[str, frozenset[int]] = {}
        self.beginnings: dict[str, frozenset[int]] = {}
        self.unspaced: dict[str, frozenset[int]] = {}
        generic, content = (Path(__file__).parent / "rule_concepts.txt").read_text(encoding="utf-8").split("\n\n")
        self.generic_count = len(generic.splitlines())
        for concept, row in enumerate((*generic.splitlines(), *content.splitlines())):
            for word in row.split():
                target = self.unspaced if is_unspaced(word[0]) else self.beginnings if word[-1] == "*" else self.words
                key = folded(word.rstrip("*"))
                target[key] = target.get(key, frozenset()) | {concept}
        self.longest_unspaced = max(map(len, self.unspaced))


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table()


@lru_cache(maxsize=4_096)
def concepts_of(word: str) -> frozenset[int]:
    """Return the concepts of a folded word; empty if no row lists it. The longest listed beginning wins."""
    table = _table()
    concepts = table.words.get(word, frozenset())
    for length in range(min(len(word), 14), 1, -1):
        if (listed := table.beginnings.get(word[:length])) is not None and len(word) - length <= 6:
            return concepts | listed
    return concepts


def concepts_of_name(name: str) -> frozenset[int]:
    """Return the concepts of a folded path, number or identifier, which no beginning stands for."""
    return _table().words.get(name, frozenset())


def is_generic(concepts: frozenset[int]) -> bool:
    """Whether concepts say nothing about a rule's subject."""
    return bool(concepts) and max(concepts) < _table().generic_count


@lru_cache(maxsize=1)
def exact_concepts() -> frozenset[int]:
    """Return the concepts that must occur: numbers, colours, languages, and words that have an opposite."""
    return frozenset().union(*exact_kinds())


@lru_cache(maxsize=1)
def exact_kinds() -> tuple[frozenset[int], ...]:
    """Return these concepts by kind."""
    return tuple(
        frozenset(concept for word in kind.split() for concept in _table().words.get(word, ())) for kind in _EXACT_WORDS
    )


@lru_cache(maxsize=1)
def reversing_concepts() -> frozenset[int]:
    """Return the concepts by which a demand is against what it names: "hide A" is "A is not visible"."""
    return frozenset(concept for word in _REVERSING_WORDS for concept in concepts_of(word))


_REVERSING_WORDS = ("remove", "hide", "hidden", "skip", "disable")


def split_unspaced(run: str) -> list[tuple[str, frozenset[int]]]:
    """Split a run of Chinese or Japanese into listed words and the rest between them, which has no concepts."""
    table = _table()
    words: list[tuple[str, frozenset[int]]] = []
    rest = at = 0
    while at < len(run):
        for length in range(min(table.longest_unspaced, len(run) - at), 0, -1):
            word = run[at : at + length]
            concepts = table.unspaced.get(word)
            if concepts is not None or word in UNSPACED_FUNCTION:
                if rest < at:
                    words.append((run[rest:at], frozenset()))
                if concepts is not None:
                    words.append((word, concepts))
                at += length
                rest = at
                break
        else:
            at += 1
    if rest < at:
        words.append((run[rest:at], frozenset()))
    return words


def reworded(text: str) -> str:
    """Return a text whose idioms that deny something are those that the comparison knows."""
    text = NOTHING_ELSE.sub(" ", text)
    text = _LEFT_ALONE.sub(r"not touch\1", _REPLACED.sub(r"instead of \1, use ", text))
    text = _ONE_WORD.sub(
        lambda match: "".join(filter(None, match.groups())),
        _RATHER_THAN.sub("rather than", _OFF_LIMITS.sub("forbidden", text)),
    )
    text = _LEFT_OUT.sub(r"not\1\2", _NE_QUE.sub(r"\1seulement ", _RULED_OUT.sub("forbidden", text)))
    text = bounded(_CAN_NOT.sub("can not ", _NEGATED_VERB.sub(r"\1 not ", _OR_NOT.sub("", text))))
    text = _TOPIC_PAUSE.sub("", _QUANTITY.sub(lambda match: f"{match[1]} {_UNITS[match[2].casefold()]}", text))
    text = _QUANTITY_BEFORE.sub(r"\1 \2", _THOUSANDS.sub("", text))
    text = _UNTOUCHED.sub(
        "not changed", _UP_TO_DATE.sub("current", _LESS_THAN.sub("below", _NOT_MORE.sub("below", text)))
    )
    return _AS_LONG_AS_NOT.sub(r"until \1", _FREE_OF.sub("without", _DEPRECATED.sub("forbidden", text)))


def bounded(text: str) -> str:
    """Return a text whose denied comparisons with a number are bounds: "never more than 2" as "at most 2"."""
    return _DENIED_COMPARISON.sub(
        lambda match: f"{_DENIAL.sub('', match['action'])} at {'least' if match['less'] else 'most'}", text
    )


_DENIAL_WORDS = (
    r"(?i)\b(?:never|not|no|nie|niemals|nicht|keine?[nrm]?|nunca|jamás|ne|jamais|pas|não|non|mai|nooit|niet|geen"
    r"|никогда|не)\b"
)
_DENIAL = lazy_regex(_DENIAL_WORDS)
_NUMBER = r"\D{0,12}\d|\s(?:a single|one|two|three|four|five|ten|ein\w{0,2}|zwei|drei|un[oae]?|deux|trois|dos|tres|dois|duas|due|tre|een|twee|drie|одн\w{2,3}|двух|трех)\b"
_DENIED_COMPARISON = lazy_regex(
    rf"{_DENIAL_WORDS}(?P<action>(?:(?!\b(?:no|not|never)\b)[^,;.!?\n]){{0,60}}?)\b(?:(?P<less>(?:less|fewer|smaller|shorter|lower) than|below|under"
    r"|(?:kleiner|weniger|kürzer) als|unter|menos de|menor\w* (?:de|do|que|a)|más pequeñ\w+ (?:de|que)|moins de"
    r"|plus (?:petit|court)\w* (?:que|de)|inférieur\w* à|meno di|più (?:piccol|cort)\w* di|(?:minder|kleiner|korter) dan"
    r"|меньше|менее)|(?:more|larger|bigger|longer|greater|higher) than|over|above|exceed|(?:größer|mehr|länger) als|über"
    r"|más (?:de|largo\w* (?:de|que)|grande\w* (?:de|que))|mayor\w* (?:de|que|a)|plus (?:de|(?:grand|long)\w* (?:que|de))"
    r"|supérieur\w* à|mais (?:de|d[eo] que)|maior\w* (?:de|do|que)|più (?:di|(?:grand|lung)\w* di)|(?:meer|groter|langer) dan"
    rf"|больше|более)(?={_NUMBER})"
)
_LESS_THAN = lazy_regex(
    r"(?i)\b(?:(?:less|fewer) than|weniger als|menos (?:de|que)|moins de|meno di|minder dan|(?:меньше|менее)(?: чем)?)"
    rf"(?={_NUMBER})"
)
_OR_NOT = lazy_regex(
    r"(?i)(?<=whether )or not\b|(?<=\s)(?:or not|oder nicht|o no|ou (?:não|non|pas)|o non|of niet|или нет)(?=\s*[,.;:?!]|\s*$)"
)
"""The other answer to a question that is to be decided, in which nothing is denied: "ask whether or not …"."""
_FREE_OF = lazy_regex(r"(?i)\bfree (?:of|from)\b")
_OFF_LIMITS = lazy_regex(r"(?i)\boff[ -]limits\b")
_RATHER_THAN = lazy_regex(r"(?i)\brath\w{1,3} th[ae]n\b")
_ONE_WORD = lazy_regex(
    r"(?i)\b(?:(drop)[ -](down)|(file|user|host)[ -](names?)|(code|data)[ -](bases?)|(time)[ -](stamps?)|(end)[ -](points?)|(bug|hot)[ -](fix(?:es)?)|(pull|merge)[ -](requests?)|(auto)[ -](increment\w*)"
    r"|(white)[ -](space)|(front|back)[ -](end))\b"
)
"""A noun that is written as one word, too."""
_TOPIC_PAUSE = lazy_regex(r"(?<=[\u30a0-\u30ff\u3400-\u9fffA-Za-z][はをに])、|(?<=[\u30a0-\u30ff\u3400-\u9fff]から)、")
"""A pause behind the particle of a Japanese noun, after which its clause goes on."""
_UNITS = {"s": "seconds", "sec": "seconds", "secs": "seconds", "min": "minutes", "mins": "minutes", "h": "hours"}
_UNITS |= {"hr": "hours", "hrs": "hours", "am": "am", "pm": "pm"}
_QUANTITY = lazy_regex(rf"(?i)(?<![\w.,/-])(\d+(?:[.,]\d+)?) ?({'|'.join(_UNITS)})(?![\w/-])")
"""A number with the short name of a unit: "8s" is "8 seconds"."""
_QUANTITY_BEFORE = lazy_regex(r"(?<![\w.,/-])(\d+(?:[.,]\d+)?)-([^\W\d_]{3,})(?![\w/.-])")
"""A number with its unit before what it measures: "a 30-day trial"."""
_THOUSANDS = lazy_regex(r"(?<=\d),(?=\d{3}(?!\d))")
_UNTOUCHED = lazy_regex(r"(?i)\b(?:untouched|unchanged|unverändert|intacte?s?|inchangée?s?|intact[oa]s?|ongewijzigd)\b")
_DEPRECATED = lazy_regex(
    r"(?i)\b(?:is|are|ist|sind|est|sont|es|está|tá|é|è|is) (?:now |already |jetzt |ya |já )?(?:deprecated|obsolete|outdated"
    r"|discontinued|veraltet|obsol[eè]t[aeo]s?|dépréciée?s?|descontinuad[ao]s?|deprecad[ao]s?|deprecat[aoie]|verouderd)\b"
)
_NOT_MORE = lazy_regex(
    r"(?i)\b(?:not|no|não|non|ne pas|nicht|niet) (?:exceed|go over|be (?:more|longer|larger|bigger) than|exceder|superare?"
    r"|ultrapassar|dépasser|überschreiten|overschrijden)\b"
)
_REPLACED = lazy_regex(
    r"(?i)\b(?:replace|swap|substitute|refactor|convert|migrate|switch|change|ersetze?n?|remplace[rz]?|reemplaza\w*"
    r"|substitu\w+|sostitui\w*|vervang\w*)\b ((?:[^,;.]|\.(?=\w)){1,60}?) (?:with|by|to instead (?:just )?use|durch|par|por|con|door)\b"
)
_LEFT_OUT = lazy_regex(
    r"(?i)\b(?:(?:keep|leave|stay)((?: [^\s,;]+){0,8}?) out of|(?:garde|laisse|maint[ei]en)\w*((?: [^\s,;]+){1,8}?) hors d[eu])\b"
)
"""Words that forbid something in a place: "keep secrets out of the log"."""
_RULED_OUT = lazy_regex(r"(?i)\b(?:(?:is|are|be) ruled out|rules? out)\b")
_NE_QUE = lazy_regex(
    r"(?i)\b(?:ne |n['’])((?:(?!(?:pas|plus|jamais|rien|point|aucune?)\b)[\w'’-]+ ){1,5}?)qu(?:e |['’])"
)
"""The French "only": "il ne tourne qu'en CI"."""
_AS_LONG_AS_NOT = lazy_regex(
    r"(?i)\b(?:as long as|solange|tant que|finché|zolang|пока)\b([^,;.]{1,60}?)\b(?:not|nicht|pas|non|niet|не)\b"
)
NOTHING_ELSE = lazy_regex(
    r"(?i)[\s,]{1,3}(?:(?:and|und|y|et|e|en|и)\s)?(?:nothing else|that['’]s it|(?:sonst|weiter) nichts|nichts weiter"
    r"|nada m[aá]s|mais nada|rien d['’]autre|c['’]est tout|basta|nient['’]altro|verder (?:niets|niks)|больше ничего"
    r"|otherwise not|sonst nicht|de lo contrario no|sinon (?:non|pas)|senão não|altrimenti no|anders niet|иначе нет)"
    r"\s*(?=$|[,.;!])|[\s,]{1,3}и всё\s*(?=$|[,.;!])"
)
"""Words at the end of a clause by which it holds for nothing else; they deny nothing that it names."""
_LEFT_ALONE = lazy_regex(
    r"(?i)\b(?:leave|lass\w*|laisse\w*|deja\w*|lascia\w*|deix\w*)\b(.{1,60}?)\b(?:alone|as (?:is|it is|they are)"
    r"|in ruhe|tranquilles?|en paz"
    r"|in pace|em paz)\b"
)
"""Words that forbid to touch something."""
_CAN_NOT = lazy_regex(r"(?i)\bcan(?:['’]?|no)t\b")
_NEGATED_VERB = lazy_regex(r"(?i)\b(do|does|did|is|are|was|were|wo|should|must|could|would|has|have|need)n['’]?t\b")
LIMITED = lazy_regex(
    r"(?i)\b(?:un)?til\b|\b(?:as|so) long as\b|\b(?:before|while|once|after|unless|when|if|without|first|only|bis"
    r"|solange|bevor|ehe|nachdem|sobald|wenn|erst|ohne|hasta|mientras|antes|después|cuando|si|sin|jusqu['’]\w+"
    r"|tant qu[e'’]|avant|après|quand|sans|até|enquanto|depois|quando|se|sem|fino a\w*|finché|prima|dopo|tot(?:dat)?"
    r"|zolang|voor(?:dat)?|als|пока|до|прежде|после|если)\b|まで|前|ない|場合|たら|直到|之前|以前|为止|后|时|不"
)
"""Words by which a rule may have the end that the user named."""
_UP_TO_DATE = lazy_regex(r"(?i)\b(?:up[ -]to[ -]date|auf dem neuesten stand|à jour|al día|em dia)\b")


class Stance(NamedTuple):
    """Attitude of a clause to its words, from an offset to that of the next stance."""

    start: int
    is_denied: bool = False
    is_open: bool = False
    """Whether the words are a condition or a purpose."""
    is_gated: bool = False
    """Whether the words hold only on a condition, which the clause states."""


def stances_of(clause: str, language: str, *, is_alone: bool = True) -> list[Stance]:
    """Return what a clause states, denies, and allows only on a condition, in the order of its words.

    "Never A without B", "A only after B", "B before A" and "A requires approval" all demand B for A. A condition that is
    a sentence's only clause contains what it is for: "when you edit A edit B".
    """
    if _CONDITION.match(clause) and (demand := _RUN_ON_BAN.match(clause)) is not None:
        return [Stance(0, is_open=True), Stance(demand.end(), is_denied=True)]
    if not is_alone and (_CONDITION.match(clause) or _is_only_place(clause, language)):
        return [Stance(0, is_open=True)]
    aside = _PURPOSE.search(clause)
    if aside is not None:
        main = stances_of(clause[: aside.start()], language) if aside.start() else []
        return [*main, Stance(aside.start(), is_open=True)]
    exception = _BUT_FOR.search(clause)
    if exception is not None:
        main = stances_of(clause[: exception.start()], language) if clause[: exception.start()].strip() else []
        return [*main, Stance(exception.start(), is_open=True)]
    gate = _ONLY_ON.search(clause)
    aside = CONDITION_AFTER.search(clause) if gate is None else None
    if aside is not None:
        return [*stances_of(clause[: aside.start()], language), Stance(aside.start(), is_open=True)]
    without = _WITHOUT.search(clause)
    if without is not None:
        return _stances_without(clause, language, without)
    denial = _denial(clause, language)
    if denial is not None:
        start, end = denial
        condition = _UNLESS.search(clause, start)
        if condition is not None and condition[0] in ("まで", "之前") and clause[condition.end() :].strip():
            return [Stance(0), Stance(condition.end(), is_denied=True, is_gated=True)]
        if condition is not None and condition.start() > start:
            return _gated(start, condition.start(), is_denied=True)
        stances = [Stance(0), Stance(start, is_denied=True)] if start else [Stance(0, is_denied=True)]
        return [*stances, Stance(end)] if end < len(clause) else stances
    return _stances_undenied(clause, gate)


def _is_only_place(clause: str, language: str) -> bool:
    is_pronoun = language == "fr" and _FRENCH_ON.match(clause) is not None
    is_denial = language != "pt" and _BARE_NO.match(clause) is not None
    return not (is_pronoun or is_denial) and _ONLY_PLACE.fullmatch(clause) is not None


def _stances_undenied(clause: str, gate: re.Match[str] | None) -> list[Stance]:
    """Return the stances of a clause that denies nothing."""
    if (exception := _EXCEPTION.search(clause)) is not None:
        return [Stance(0), Stance(exception.start(), is_open=True)]
    if (gate := gate or _REQUIRES.search(clause)) is not None:
        return _gated(0, gate.start(gate.lastgroup or 0), is_denied=False)
    if (before := _BEFORE.search(clause)) is not None and clause[: before.start()].strip():
        return [Stance(0), Stance(before.start(), is_gated=True)]
    if (before := _UNSPACED_BEFORE.search(clause)) is not None:
        return _gated(0, before.end(), is_denied=False)
    return [Stance(0)]


def _stances_without(clause: str, language: str, without: re.Match[str]) -> list[Stance]:
    """Return the stances of a clause that names what is missing; "no A without B" demands B."""
    start, end = without.span()
    if (denial := _denial(clause[:start], language)) is not None:
        return _gated(denial[0], end, is_denied=True)
    missing = end if without["unspaced"] else _end_of_word(clause, end)
    if _denial(clause[missing:], language) is not None:
        gated = Stance(missing, is_denied=True, is_gated=True)
        return [gated._replace(start=0), Stance(start), gated] if clause[:start].strip() else [Stance(0), gated]
    stances = [Stance(0), Stance(start, is_denied=True)]
    return [*stances, Stance(end)] if without["unspaced"] else stances


def _gated(start: int, condition: int, *, is_denied: bool) -> list[Stance]:
    """Return stances of what is gated from an offset, and of its condition, which is stated."""
    stances = [Stance(start, is_denied=is_denied, is_gated=True), Stance(condition)]
    return [Stance(0), *stances] if start else stances


def _denial(clause: str, language: str) -> tuple[int, int] | None:
    """Return where the denied part of a clause begins and ends; None if nothing is denied."""
    plain = folded(clause)
    replaced = [(plain.find(phrase), len(phrase)) for phrase in _INSTEAD_OF if phrase in plain]
    starts = [plain.find(phrase) for phrase in NEGATIONS_AFTER if phrase in plain]
    starts += [start for start, _ in replaced] + [match.end() for match in (_PREFERRED_OVER.search(plain),) if match]
    if starts:
        start = min(starts)
        length = dict(replaced).get(start, 0)
        if length and _denial(clause[:start], language) is not None:  # "never A instead of B"
            return 0, start
        is_fronted = length > 0 and not plain[:start].strip()
        return start, _end_of_replaced(clause, start + length) if is_fronted else len(clause)
    bare = _ATTRIBUTE.sub("", clause)
    if any(form in bare for form in UNSPACED_NEGATIONS) or _BAN.search(bare):
        return 0, len(clause)
    words = [(match.start(), folded(match[0]), match[0]) for match in _WORD.finditer(clause)]
    for index, (start, word, written) in enumerate(words):
        if start and written.istitle():
            continue
        if (
            word in NEGATIONS and (word, language) != ("no", "pt") and (word != "plus" or not index)
        ) or word.startswith(NEGATION_BEGINNINGS):
            before = [known for _, known, _ in words[:index]]
            is_after = word in _AFTER_ONLY and (word, language) != ("no", "es")
            is_after &= not (before and before[-1] in _AUXILIARIES) and not _ends_habit(word, before, clause)
            is_contrast = is_after and start > 0 and word in _CONTRASTING
            return start if is_after else 0, _end_of_contrast(clause, start + len(word)) if is_contrast else len(clause)
    return None


def _ends_habit(word: str, before: Sequence[str], clause: str) -> bool:
    """Whether a ban's verb is before its denied object: "schreib keine …", "maak na elke taak geen … meer"."""
    if word not in _DENIED_OBJECT:
        return False
    verbs = [other for other in before if other not in FUNCTION_WORDS]
    return _NO_MORE.search(clause) is not None or (len(verbs) == 1 and verbs[0] not in TOOL_NAMES)


def _end_of_contrast(clause: str, start: int) -> int:
    """Return where what is denied ends: before the place in "A, not B, in C", which holds for both."""
    first = (match.end() for match in _WORD.finditer(clause, start) if folded(match[0]) not in FUNCTION_WORDS)
    end = next(first, len(clause))
    return end if _ONLY_PLACE.match(clause, end) else len(clause)


def _end_of_replaced(clause: str, start: int) -> int:
    """Return where what is to be replaced ends in a clause that begins with it: "instead of A use B"."""
    first = _end_of_word(clause, start)
    end, is_over = first, False
    for match in _WORD.finditer(clause, first):
        word = folded(match[0])
        if not concepts_of("use").isdisjoint(concepts_of(word)):
            is_last = not clause[match.end() :].strip()  # "statt A den B verwenden"
            return match.start() if not is_last else end if is_over else first
        is_over = is_over or word in FUNCTION_WORDS
        end = end if is_over else match.end()
    return len(clause)


def _end_of_word(clause: str, start: int) -> int:
    """Return where the first word that says something ends, from an offset."""
    words = (match for match in _WORD.finditer(clause, start) if folded(match[0]) not in FUNCTION_WORDS)
    return next((match.end() for match in words if not is_generic(concepts_of(folded(match[0])))), len(clause))


_WORD = lazy_regex(r"[^\W\d_]+")
_CONDITION = lazy_regex(
    r"(?i)\W*(?:if|when(?:ever)?|once(?! an?\b)|as (?:long|soon) as|provided that|in (?:the )?case (?:that|where)?|wenn|falls|sobald|solange|si|cuando"
    r"|en cuanto|siempre que|mientras|quand|lorsque|dès que|tant que|se|quando|assim que|sempre que|enquanto|desde que"
    r"|appena|finché|als|zodra|zolang|wanneer|если|когда|как только|пока)\s"
)
_ONLY_PLACE = lazy_regex(
    r"(?i)\W*(?:in|for|inside|within|under|on|at|im|für|bei|beim|unter|en|para|dans|pour|sous|em|no|na|nos|nas|nel\w*|per"
    r"|voor|bij|в|на|для|при)\s\S+(?: \S+){0,3}\s*"
)
_RUN_ON_BAN = lazy_regex(
    r"(?i)\W*(?:\w+\s){3,12}?(?<!you )(?<!they )(?<!we )(?<!i )(?=(?:please |just )?(?:do not|never)\s"
    r"|(?:it|they|you|we|this|that|there) (?:should|must|may|can) not\s)"
)
"""A condition before a ban from which no comma divides it: "if a test fails do not skip it"."""
_BARE_NO = lazy_regex(r"(?i)\W*no\s")
_FRENCH_ON = lazy_regex(r"(?i)\W*on\s")
"""The word that only in Portuguese begins a place."""
CONDITION_AFTER = lazy_regex(
    r"(?i)(?<=\w),?\s(?:if|when|where(?=[^,;]{0,40}\bnot\b)|whenever|wenn|falls|cuando|quand|lorsque|quando|wanneer|если|когда)\s"
)
_PURPOSE = lazy_regex(
    r"(?i)\b(?:to (?:avoid|prevent|not)|so that|without (?:need\w*|having|the need) to|sin (?:necesidad|tener)|sem (?:precisar|ter)|sans avoir|senza dover|um\b.{1,60}\bzu (?:vermeiden|verhindern)|damit|para (?:evitar|que|impedir)"
    r"|pour (?:ne pas|éviter|empêcher|que)|per (?:evitare|non|impedire)|affinché|om\b.{1,60}\bte (?:voorkomen|vermijden)"
    r"|zodat|чтобы)\b|以免|以防|以避免"
)
"""Words that open a purpose: a negation in it forbids nothing."""
_WITHOUT = lazy_regex(
    r"(?i)\b(?:without|ohne|sin|sem|sans|senza|zonder|без)\b"
    r"|(?P<unspaced>(?:未经|不经|无需|不需要?|不用|不必|没有?)[^，。]{0,6}?(?:同意|许可|批准|审批|允许|确认|询问)|無断で?"
    r"|(?:許可|確認|承認|同意|断り|連絡)(?:なし|を?得ず|せず)(?:で|に)?)"
)
"""Words for what is missing; Chinese and Japanese have what is done without it after them."""
_UNLESS = lazy_regex(
    r"(?i)\b(?:unless|until|till(?= (?:the|we|i|you|it|then|next)\b)|before(?! (?:each|every|any)\b)|es sei denn|bis|bevor|ehe|außer|salvo|a menos|hasta|antes|jusqu\w*|tant qu\w*"
    r"|à moins|sauf|avant|até|a não ser|finché|a meno|prima|tot|totdat|tenzij|voordat|пока|кроме|прежде)\b|除非|之前|直到|まで"
)
ONLY_WHEN = lazy_regex(
    r"(?i)\b(?:only|nur|erst|s[oó]lo|só|somente|apenas|seulement|uniquement|ne|soltanto|alleen|только|лишь)\b[^,;.]{0,60}?"
    r"\b(?:after|once|when|if|nachdem|wenn|después|cuando|si|depois|quando|se|após|dopo|après|quand|lorsque|nadat|als"
    r"|wanneer|после|если|когда)\b"
)
"""Words by which the user allows something on a condition alone."""
_EXCEPTION = lazy_regex(
    r"(?i)(?<=\w)\s(?:unless|es sei denn|a menos que|à moins|a meno che|a não ser|tenzij|если не)\b"
)
_BUT_FOR = lazy_regex(
    r"(?i)\b(?:except|apart from|aside from|außer(?! wenn)|ausgenommen|excepto|salvo(?! que)|sauf(?! si)|hormis|exceto|tranne"
    r"|eccetto|behalve|кроме|(?<!ou )(?<!o )menos (?:l[oa]s?|el|os|as|en|no|na|nos|nas|em)|(?:exception|ausnahme|excepción|exceção"
    r"|eccezione|uitzondering|исключение)(?=\s*$))\b"
)
"""Words for an exception, of which a clause states nothing."""
_ONLY_ON = lazy_regex(
    r"(?i)\b(?:only|nur|erst|s[oó]lo|só|somente|apenas|seulement|uniquement|ne|soltanto|alleen|только|лишь)\b"
    r"[^,;.]{0,60}?\b(?P<condition>after|once|when|if|with|on|by|upon|nach|wenn|mit|auf|bei|después|cuando|si|tras|con|depois"
    r"|quando|se|com|após|dopo|(?:que )?(?:après|quand|si|avec|sur|lorsque)|na|als|met|wanneer|после|если|когда|с)\b"
)
_APPROVAL = (
    r"approv\w*|permission|consent|confirm\w*|sign[ -]?off|zustimm\w*|erlaubnis|freigabe|genehmig\w*|permiso|aprob\w*"
    r"|autoriz\w*|permiss\w*|aprova\w*|accord|autoris\w*|approb\w*|consenso|approvaz\w*|toestemming|goedkeur\w*"
    r"|разреш\w*|одобр\w*|соглас\w*"
)
_REQUIRES = lazy_regex(
    r"(?i)\b(?:requires?|needs?|must be|has to be|have to be|erforder\w*|brauch\w*|bedarf|muss|müssen|requier\w*"
    r"|necesit\w*|requer\w*|exig\w*|nécessit\w*|precisa\w*|richied\w*|vereis\w*|требу\w*)\b"
    rf"(?=[^,;.]{{0,40}}?\b(?:{_APPROVAL})\b)"
)
_DATE = (
    r"\s(?:(?:the|den|el|le|o|il|de) )?(?:v?\d[\d.:/-]*(?:\s?[ap]m)?|(?:version|release) \d\S*|noon|midnight|mittag|mitternacht"
    r"|mediod[ií]a|medianoche|midi|minuit|meio-dia|meia-noite|mezzogiorno|mezzanotte|полудн\w+|полуноч\w+)(?![\w/-])"
)
"""A number, date, version or time of day: none of these is a step of the work."""
_BEFORE = lazy_regex(
    r"(?i)\b(?:before|prior to|bevor|ehe|vor (?:dem|der|den|jede\w*)|antes de|avant (?:de|chaque|tout\w*|d['’])|antes d[aeo]s?"
    r"|prima d\w*|voordat|voor elke?|перед|прежде чем)(?!\w)"
    rf"(?!{_DATE})"
)
_UNSPACED_BEFORE = lazy_regex(r"(?:之前|以前|前)(?=$|一定|必|先|要|に|は|请|得|应)")
"""Words before which a Chinese or Japanese clause has what is allowed only afterwards."""
_PREFERRED_OVER = lazy_regex(
    r"\b(?:prefer\w*|favou?r|use|choose|pick)\b.{1,80}\bover\b|\brather\b.{1,80}\bthan\b|\blieber\b.{1,80}\bals\b"
    r"|\bliever\b.{1,80}\bdan\b|\bprefer\w*\b.{1,80}\b(?:antes que|por encima de|do que|frente a|aux|alle|agli|a (?:las|los)|às|aos)\b|\bлучше\b.{1,80}\bчем\b"
    r"|\bgegenuber\b(?=.{1,80}\b(?:bevorzug|vorzu))"
    r"|\bprefer(?! to\b)(?: [\w./-]+){1,2} to\b(?! (?:be|use|have|do|not|get|see|keep|run)\b)"
)
_ATTRIBUTE = lazy_regex(
    r"不(?:再)?(?:需要|用|必要|必须)的|没用的|无用的|[级类区分特个识判性]别|别名|[^\W]不[了到好动出起]"
    r"|([\u3400-\u9fff])不\1|有没有"
)
"""Words with a negation that deny nothing: "what is not needed", "can or cannot", as Chinese asks."""
_BAN = lazy_regex(
    r"[ぁ-ん一-龯ー](?:うな|るな|すな|くな|むな)(?:よ|[！!。]|$)|(?:[わかがさたばせけべめれえ]|(?<!かな)ら)ず(?=[、,に。]|\s*$)"
    r"|(?i:\b(?:bad|poor|terrible|awful|schlechte[rs]?|mala|mauvaise|má|cattiva|slecht) (?:practice|idea|design|style"
    r"|habit"
    r"|idee|praxis|stil|práctica|idée|pratique|prática|ideia|pratica|idee)\b)"
)
_AFTER_ONLY = frozenset(
    """
    not no non less fewer menos weniger meno minder меньше without sin sem sans ohne senza zonder без kein keine
    keinen geen nothing nada
    """.split()
)
_DENIED_OBJECT = frozenset(("kein", "keine", "keinen", "geen"))
_NO_MORE = lazy_regex(r"(?i)\b(?:kein\w*|geen)\b.*\b(?:mehr|meer)\W*$")
_CONTRASTING = frozenset(("not", "non"))
_AUXILIARIES = frozenset(
    "do does did should must shall can could will would may is are was be stay remain need needs has have had uses".split()
)
