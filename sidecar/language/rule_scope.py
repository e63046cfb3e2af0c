"""Scope of a rule and of the user's words: another pace, bound, limit, condition or permission; whole parts. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import stem, words_of_file
from sidecar.language.english_translation import are_translations, language_of
from sidecar.language.lasting_statements import SCOPE
from sidecar.language.rule_synonyms import (
    FUNCTION_WORDS,
    LASTING,
    LIMITED,
    NOTHING_ELSE,
    bounded,
    folded,
    is_unspaced,
    reworded,
)
from sidecar.language.statement_clauses import (
    CLAUSE_MARK,
    HEDGE,
    RULE_TO_WRITE,
    Unit,
    Wording,
    is_same,
    is_why_question,
    limited_clauses,
    parts_of,
    tokens_of,
    wording_of,
)
from sidecar.language.statement_openings import LEAD_IN, without_assent
from sidecar.language.statement_values import (
    MIN_SUBJECTS,
    shared_count,
    shared_subjects,
    subjects_of,
)


def is_whole(rule: str, evidence: str) -> bool:
    """Whether a rule is all that the user's text has between two stops, word for word.

    A comparison of clauses can then say no more.
    """
    ours, theirs = [folded(match[0]) for match in _WORD.finditer(rule)], list(_WORD.finditer(evidence))
    stated = [folded(match[0]) for match in theirs]
    for at in range(len(stated) - len(ours) + 1) if len(ours) > MIN_SUBJECTS else ():
        if stated[at : at + len(ours)] == ours:
            before = CLAUSE_MARK.split(evidence[: theirs[at].start()])[-1]
            after = CLAUSE_MARK.split(evidence[theirs[at + len(ours) - 1].end() :], maxsplit=1)[0]
            return not (_WORD.search(before) or _WORD.search(after))
    return False


_WORD = lazy_regex(r"\w+")


def before_question(sentence: str) -> str:
    """Return what a sentence states before it asks: "this repo is public, does CI run?"; empty if it only asks."""
    match = _ASKING_CLAUSE.search(sentence)
    stated = sentence[: match.start()] if match is not None else ""
    return "" if _ASKS_FIRST.match(stated) else stated


_ASKING_WORDS = (
    r"(?:(?:can|could|should|would|will|shall|may|do|does|did|is|are|was|have|has) (?:you|we|i|it|they|there|this|that"
    r"|the)|how|why|what|where|which|who|whom|any (?:idea|way|chance)|kann\w{0,2}|könn\w+|soll\w*|hast du|weißt du|wie"
    r"|warum|was|wo|welche\w*|ist das|puedes|podemos|podrías|cómo|por qué|qué|cuál|dónde|você|pode\w*|como|por que|qual"
    r"|onde|peux[- ]tu|tu peux|est-ce|comment|pourquoi|quel\w*|où|puoi|possiamo|come|perché|quale|dove|kun je|kunnen we"
    r"|hoe|waarom|wat|welke|можешь|можно|как|почему|что|где|какой)\b"
)
_UNSPACED_ASKING = "吗|呢|么|是不是|能不能|怎么|为什么|哪|什么|如何|可否"
_ASKING_CLAUSE = lazy_regex(
    r"(?i)[,;]\s{1,2}(?:(?:and|but|so|or|also|now|then|und|aber|y|pero|e|mas|então|et|mais|donc|ma|en|maar|и|а|но)"
    rf"[\s,]{{1,2}}){{0,2}}(?:i (?:wonder|was wondering)\b|{_ASKING_WORDS})"
    rf"|[，,；](?=[^，,；。]{{1,60}}(?:{_UNSPACED_ASKING})[^，,；。]{{0,12}}[?？]?\W*$)"
)
_ASKS_FIRST = lazy_regex(
    rf"(?i)\W*(?:(?:and|but|so|hm+|ok|also) ){{0,2}}(?:{_ASKING_WORDS}|if|when|wenn|falls|si|se|als|если|или)\b"
    rf"|.*(?:{_UNSPACED_ASKING}|如果)"
)


def takes_another_pace(rule: str, evidence: str) -> bool:
    """Whether a rule does at once what the user wants step by step, or the reverse."""
    paces = [(AT_ONCE.search(text) is not None, STEPWISE.search(text) is not None) for text in (rule, evidence)]
    return paces in ([(True, False), (False, True)], [(False, True), (True, False)])


STEPWISE = lazy_regex(
    r"(?i)\b(?:one (?:step|thing|file|task|change) at a time|one at a time|one by one|step by step|bit by bit"
    r"|schritt für schritt|einzeln|nach und nach|paso a paso|poco a poco|uno por uno|passo a passo|um por um|aos poucos"
    r"|étape par étape|pas à pas|un par un|passo dopo passo|uno alla volta|stap voor stap|één voor één|шаг за шагом"
    r"|по одному|постепенно)\b|一步一步|逐步|逐个|一つずつ|少しずつ|順番に"
)
AT_ONCE = lazy_regex(
    r"(?i)\b(?:(?:all|everything|them|it) at once|in one go|in a single (?:step|pass)|auf einmal|alles zusammen"
    r"|de una (?:sola )?vez|todo junto|de uma (?:só )?vez|tudo junto|d['’]un (?:seul )?coup|tutto in una volta"
    r"|in één keer|всё сразу|сразу всё|одним разом)\b|一次性|一口气|一気に|まとめて"
)
CONTINUOUS = lazy_regex(
    r"(?i)\bkeep\b.{1,60}\b(?:up[ -]to[ -]date|updated|in sync|current)\b|\bas we (?:go|progress|proceed)\b"
    r"|\bthroughout\b|\b(?:max(?:imum)?|at most|no more than|at least|per) (?:\w+ ){0,2}\w+|\blaufend\b"
    r"|\baktuell (?:halten|zu halten)\b|\bhalte?\b.{1,60}\baktuell\b|\b(?:actualizad\w+|atualizad\w+|à jour"
    r"|aggiornat\w+|bijgewerkt) (?:siempre|sempre|toujours)\b|\bau fur et à mesure\b|保持.{0,12}(?:更新|同步|最新)"
    r"|最新の状態"
)
"""Words by which a request goes on, or sets a limit, instead of being done once."""


_BOUND = lazy_regex(
    r"(?i)(?P<upper>\b(?:at most|up to|max\w*|höchst\w*|massim\w*|máxim\w*|макс\w*|under|below|no more than|not exceed"
    r"|(?:less|fewer|smaller|shorter) than|within|unter|bis zu|(?:weniger|kleiner|kürzer) als|menos de|como mucho|hasta"
    r"|no máximo|até|abaixo|moins de|plus petit\w*|au plus|jusqu['’]à|meno di|al massimo|fino a|minder dan|hoogstens"
    r"|onder|не более|до|меньше)\b|以下|以内|未満|不超过|最多|至多)"
    r"|(?P<lower>\b(?:at least|over|above|exceed|(?:more|larger|longer|bigger) than|min(?:im\w*)?|mindest\w*|mínim\w*"
    r"|мин(?:им\w*)?|no less than|über|(?:mehr|größer|länger) als|wenigstens|más de|al menos|como mínimo|mais de"
    r"|pelo menos|no mínimo|plus (?:de|grand\w*)|au moins|almeno|più di|meer dan|minstens|не менее|больше)\b"
    r"|以上|超过|至少|最少)\D{0,30}\d|\d\D{0,12}(?P<after>以下|以内|未満|以上)"
)


def exchanges_bound(rule: str, evidence: str) -> bool:
    """Whether a rule has a number as the least, the user as the most, or the reverse."""
    ours, theirs = _bounds(rule), _bounds(evidence)
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def _bounds(text: str) -> frozenset[str]:
    return frozenset(
        "lower" if (match["lower"] or match["after"] == "以上") else "upper" for match in _BOUND.finditer(bounded(text))
    )


MIN_DROPPED = 2
"""Words of the user's ban that a wider ban lacks."""


def widens_ban(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule forbids something with less than half of the words by which the user limited the ban."""
    known = [part for part in window if not are_translations(rule.language, part.language)]
    known = [part for part in known if not is_why_question(part.text)]
    bans = [clause.units for part in known for clause in part.clauses if clause.is_denied]
    for units in (clause.units for clause in rule.clauses if clause.is_denied and not clause.is_open):
        subjects = subjects_of(units)
        if not bans or not subjects:
            continue
        nearest_ban = max(bans, key=partial(shared_count, subjects))
        if shared_count(subjects, nearest_ban) < len(subjects):
            continue
        own_subjects = subjects_of(nearest_ban)
        missing = [own for own in own_subjects if not shared_count([own], rule.units)]
        is_shorter = len(own_subjects) >= len(subjects) + MIN_DROPPED
        if any(unit.is_value for unit in missing) and not any(unit.is_value for unit in rule.units):
            return True
        if is_shorter and len(missing) >= MIN_DROPPED and 2 * len(missing) > len(own_subjects):
            return True
    return False


def drops_limit(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule holds for good or in all cases, while the user named an end, or an exception after its words."""
    if LIMITED.search(rule.text) is None and any(UNTIL.search(statement.text) for statement in window):
        return True
    if any(drops_condition(rule.text, statement.text) for statement in window):
        return True
    if CONCEDED.search(rule.text) and not any(
        CONCEDED.search(part.text) or STILL_HOLDS.search(part.text) for part in window
    ):
        return True
    exceptions = [(part.text, match) for part in window if (match := EXCEPT.search(part.text))]
    if exceptions and _INCLUDED.search(rule.text) and not any(_INCLUDED.search(part.text) for part in window):
        return True
    if EXCEPTED.search(rule.text) is not None:
        return False
    subjects = len(subjects_of(rule.units))
    return any(
        2 * shared_subjects(rule, wording_of(text[: match.start()])) >= subjects
        and not _names_exception(rule, text[match.end() :])
        for text, match in exceptions
    )


def _names_exception(rule: Wording, exception: str) -> bool:
    """Whether a rule of several clauses has what the user excepted, and all the values that hold for it."""
    units = subjects_of(wording_of(exception).units)
    values = [unit for unit in units if unit.is_value]
    is_named = values != [] and shared_count(values, rule.units) == len(values)
    return is_named and len(rule.clauses) > 1 and 2 * shared_count(units, rule.units) >= len(units)


_INCLUDED = lazy_regex(
    r"(?i)\b(?:included|inclusive|inclu(?:id|íd|s)[oa]s?|eingeschlossen|einschließlich|comprises?|compres[oaie]|inbegrepen"
    r"|(?:also|too|auch|también|também|aussi|anche|ook|тоже|также|включая))\b"
)
"""Words by which a rule has what the user excepted."""


UNTIL = lazy_regex(
    r"(?i)(?<![\w/])(?:until|till(?= (?:the|we|i|you|it|then|next)\b)|as long as|solange|hasta|mientras|jusqu['’]\w+"
    r"|bis(?! (?:zu[mr]?|an|auf|jetzt|bald|dann|später|\d\S*)\b)"
    r"|tant qu[e'’]|até que|enquanto|fino a\w*|finché|totdat|zolang|пока)(?![\w/])|まで(?!も)|直到|为止"
)
"""Words by which the user names an end."""
EXCEPT = lazy_regex(
    r"(?i)\b(?:except|unless|apart from|aside from|außer|ausgenommen|es sei denn|excepto|salvo|a menos|sauf|hormis"
    r"|à moins|exceto|a não ser|tranne|eccetto|a meno|behalve|tenzij|кроме"
    r"|(?<!ou )(?<!o )menos (?:l[oa]s?|el|os|as|en|no|na|nos|nas|em))\b|以外|除了|除非|を除|ただし"
    r"|\bif there(?:['’]s| is| are) (?:no|not)\b|\b(?:any|all|every|none)(?: \w+){0,2} but\b(?! (?:not|also|only))"
)
"""Words by which the user names an exception."""
EXCEPTED = lazy_regex(
    r"(?i)\b(?:except\w*|unless|apart|aside|other|else|rest|only|but|without|if|when|not|no|außer|ausgenommen|nur|ohne|wenn"
    r"|nicht|excepto|salvo|menos|solo|sin|si|sauf|hormis|moins|seulement|sans|pas|exceto|só|sem|não|tranne|eccetto"
    r"|meno|senza|non|behalve|tenzij|zonder|niet|кроме|только|без|не)\b|以外|除|ただし|只|だけ|ない|不|場合"
)
"""Words by which a rule may have the user's exception."""
CONCEDED = lazy_regex(
    r"(?i)\b(?:even|regardless|no matter|egal|selbst (?:wenn|bei|in|mit)|auch (?:nicht )?(?:wenn|bei|in|für|ohne)"
    r"|incluso|not even|nicht einmal|ni siquiera|même pas|nemmeno|neanche|nem mesmo|aunque|también (?:en|si|para"
    r"|cuando)|mesmo (?:se|que|com|em|quando)|também (?:em|se|para)|même (?:si|avec|pour|dans|quand)|anche (?:se|con"
    r"|per|in|quando)|persino|zelfs|ook (?:niet )?(?:als|bij|voor|in|zonder)|даже)\b|即使|就算|としても|であっても"
)
"""Words by which a rule holds where a condition or an exception would end it."""
STILL_HOLDS = lazy_regex(
    r"(?i)\b(?:still|too|also|in any case|auch|trotzdem|igual|también|também|ainda assim|quand même|aussi|comunque"
    r"|anche|toch|ook|тоже|также|всё равно)\b|也|还是|も"
)
"""Words of the user's that a concession repeats."""
RECALLED = lazy_regex(
    r"(?i)\b(?:i|we)(?: ha(?:ve|d)|['’](?:ve|d))? (?:already |clearly |just )?(?:told|asked) you(?: (?:not to|so|that"
    r"|this|before|already|again|twice|\w+ times)){0,3}\W*$"
    r"|\bich hab(?:e|['’])? (?:es )?(?:dir|euch) (?:das |es )?(?:doch |schon |bereits ){0,2}gesagt\W*$"
    r"|\bya te lo (?:dije|he dicho)\W*$|\bje te l['’]ai (?:déjà )?dit\W*$|\b(?:já|eu) te disse(?: isso)?\W*$"
)
"""The end of a complaint that leaves out what was said."""


def grants_more(rule: Wording, evidence: str) -> bool:
    """Whether a rule allows what the user does not, or has an exception that the user does not name."""
    if (
        _PERMITS.search(rule.text)
        and not _PERMITTED.search(evidence)
        and not any(part.is_denied for part in rule.clauses)
    ):
        return True
    return EXCEPT.search(rule.text) is not None and EXCEPTED.search(evidence) is None


_PERMITS = lazy_regex(
    r"(?i)\b(?:may|might|allowed|permitted|feel free|free to|optional\w*|(?:is|are) (?:fine|ok(?:ay)?)|darf|dürfen"
    r"|erlaubt|puede[ns]?|se permite\w*|permitid[oa]s?|podem?|peu(?:t|vent)|autorisée?s?|può|possono|mag|mogen|можно"
    r"|разреш\w+)\b|可以|てもよい|ても良い|てもいい|允许|随便"
)
"""Words by which a rule only allows something."""
_PERMITTED = lazy_regex(
    r"(?i)\b(?:may|can|could|might|able|allow\w*|permi\w*|feel free|fine|ok(?:ay)?|free|optional\w*|possible|if|when"
    r"|care|mind|need|kann\w*|könn\w+|darf|dürf\w+|erlaub\w*|wenn|egal|pued\w+|si|pod\w+|se|peu[xt]\w*|peuvent|può|possono"
    r"|kan|kun\w*|mag|mogen|als|можно|мо[гж]\w+|если|разреш\w+)\b|可|能|いい|よい|允许|随便|場合|时"
)
"""Words by which the user may allow it."""


def widens_all(rule: str, evidence: str) -> bool:
    """Whether a rule is about all of a kind, the user's words about those with a quality: "all deeper levels".

    Also whether each is about all of a kind that the other does not name: "every feature" for "every bug fix".
    """
    own_words = {folded(token) for _, token in tokens_of(rule)}
    stated = {(folded(match[1]), folded(match[2] or "")) for match in _ALL_WITH_QUALITY.finditer(evidence)}
    nouns = {folded(match[1]) for match in _ALL_WITH_QUALITY.finditer(rule)}
    kinds, stated_kinds = (wording_of(" ".join(words)).units for words in (nouns, {first for first, _ in stated}))
    is_known = shared_count(kinds, wording_of(evidence).units) or shared_count(stated_kinds, wording_of(rule).units)
    if language_of(rule) == language_of(evidence) and kinds and stated_kinds and not is_known:
        return True
    return any(noun in nouns and quality not in own_words and quality not in FUNCTION_WORDS for quality, noun in stated)


_ALL_WITH_QUALITY = lazy_regex(
    r"(?i)\b(?:all|every|each|any|alle[rnms]?|jede[rnms]?|tous les|toutes les|todos los|todas las|todos os|todas as"
    r"|tutti i|tutte le|все)\s(?=(?:(?:of |the |our |single )){0,2}(\w+)(?:\s(\w+))?)"
)
"""Words for all of a kind, the next word, and the one after it: "all deeper levels"."""

_ABSOLUTE = lazy_regex(
    r"(?i)\b(?:never|always|under no circumstances|exclusively|nie|niemals|immer|nunca|siempre|jamás|sempre|jamais"
    r"|toujours|mai|nooit|altijd|никогда|всегда)\b|绝不|永远|总是|絶対に|決して"
)
_EACH_OCCASION = lazy_regex(
    r"(?i)\b(?:every ?time|each time|(?:after|for|on|with) (?:every|each)|automatically|always|jedes mal|immer"
    r"|automatisch|(?:nach|bei) jede\w*|cada vez|(?:después de|tras|en|a) cada|siempre|automáticamente|toda vez"
    r"|(?:depois de|após|a) cada|sempre|automaticamente|(?:à|après) chaque|chaque fois|toujours|automatiquement"
    r"|ogni volta|(?:dopo|a) ogni|automaticamente|elke keer|(?:na|bij) (?:elke|ieder)|каждый раз|всегда|автоматически)"
    r"\b|每次|每当|总是|自动|毎回|いつも|自動"
)
_DENIES = lazy_regex(
    r"(?i)\b(?:not|don['’]?t|never|stop|no|nicht|kein\w*|nie|niemals|ne|pas|jamais|não|nunca|jamás|non|mai|niet|geen"
    r"|nooit|не|никогда)\b"
)
_WITHOUT = lazy_regex(r"(?i)\b(?:without|ohne|sin|sem|sans|senza|zonder|без)\b")


def drops_condition(rule: str, statement: str) -> bool:
    """Whether a rule forbids or demands always what the user did only where possible, not each time, or not without.

    A ban of what the user only did without on one occasion is wider too.
    """
    if HEDGE.search(statement) and HEDGE.search(rule) is None and _ABSOLUTE.search(rule):
        return True
    denial, own_denial = _DENIES.search(statement), _DENIES.search(rule)
    if denial is None and _WITHOUT.search(statement) and own_denial and not _WITHOUT.search(rule):
        return _ABSOLUTE.search(rule) is not None and _ABSOLUTE.search(statement) is None
    if denial is None or own_denial is None or LIMITED.search(rule) is not None:
        return False
    return any(
        (limit := pattern.search(statement, denial.end())) is not None
        and not CLAUSE_MARK.search(statement, denial.end(), limit.start())
        and pattern.search(rule, own_denial.end()) is None
        for pattern in (_EACH_OCCASION, _WITHOUT)
    )


_ONLY = lazy_regex(
    r"(?i)\b(?:only|solely|exclusively|purely|nur|ausschließlich|lediglich|s[oó]lo|solamente|[uú]nicamente|exclusivamente|só"
    r"|somente|apenas|seulement|uniquement|exclusivement|soltanto|solamente|unicamente|alleen|uitsluitend|enkel|только"
    r"|лишь)\b(?! (?:one\b|(?:uma?|una?|eine?|une|een) (?:coisa|cosa|sache|frage|chose|ding)))"
    r"|\b(?:ne |n['’])(?!pas|plus|jamais|rien).{1,40} qu[e'’]|只|仅|僅|才|だけ|のみ|限り"
)
_LIMITS = lazy_regex(
    r"(?i)\b(?:just|alone|nothing but|nobody|no one|unless|except|limit\w*|restrict\w*|max\w*|at most|beyond"
    r"|before (?:each|every|any)|vor jede\w*|avant (?:chaque|tou\w+)|antes de (?:cada|tod[oa])|prima di ogni"
    r"|перед каждым|allein\w*|niemand|außer|beschränk\w*|höchstens|salvo|excepto|nadie|limitad\w*|sauf|personne|exceto"
    r"|ningu[eé]m|eccetto|nessuno|behalve|niemand|кроме|никто)\b|以外|除了|而已"
)


def object_of_only(text: str) -> str | None:
    """Return what follows the word by which a statement holds only for something, at its end what precedes it."""
    match = _ONLY.search(text)
    if match is None:
        return None
    behind = CLAUSE_MARK.split(text[match.end() :], maxsplit=1)[0]
    before = CLAUSE_MARK.split(text[: match.start()])[-1].split()
    return behind if behind.strip() else " ".join(before[-WORDS_BEFORE_ONLY:])


def names_limit(text: str) -> bool:
    """Whether a statement limits something in other words than "only"."""
    return _LIMITS.search(text) is not None or NOTHING_ELSE.search(text) is not None


_EACH_TIME = lazy_regex(
    r"(?i)\b(?:always|every ?time|each time|at all times|immer|jedes mal|stets|siempre|cada vez|sempre|toda vez"
    r"|toujours|chaque fois|ogni volta|altijd|elke keer|steeds|всегда|каждый раз)\b|每次|总是|一律|毎回|いつも|常に"
    r"|必ず"
)


def holds_each_time(text: str) -> bool:
    """Whether the user's words are about all of a kind or each occasion, forbid, or demand for good."""
    return _HOLDS_EACH_TIME.search(text) is not None


_HOLDS_EACH_TIME = lazy_regex(
    r"(?i)\b(?:all|any|every\w*|each|always|never|no|not|don['’]?t|must|should|needs? to|ha(?:ve|s) to|whenever"
    r"|throughout|forever|permanent\w*|rather|instead|prefer\w*|only|we (?:use|want|keep|run|write|put|do)|project"
    r"|alle[rnms]?|jede[rnms]?|immer|nie\w*|nicht|kein\w*|muss|müssen|soll\w*|wir|unser\w*|grundsätzlich|tod[oa]s?|cada"
    r"|siempre|nunca|no|debe\w*|tienen? que|hay que|sempre|deve\w*|tem que|não|jamais|toujours|tous|toutes|chaque|pas"
    r"|doi\w+|faut|ogni|tutt[ieo]|mai|non|alle|elke?|altijd|nooit|geen|niet|moet\w*|все\w*|кажд\w*|никогда|не|должн\w*"
    r"|только)\b|所有|都|每|总是|一律|必须|不|别|すべて|全て|必ず|常に|毎|ない|禁止|べき"
)


OBJECT_WORDS = 2
"""First words after "only" that say to what a rule applies."""

WORDS_BEFORE_ONLY = 3
"""Words before an "only" at a clause's end that say the same: "in the client only"."""

MIN_RESTATED = 0.5
"""Share of a clause's words with which a rule restates it."""


def drops_place(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule restates most of a clause but not the place to which the user limited it."""
    clauses = [
        (clause, statement.language, subjects_of(wording_of(clause).units))
        for statement in window
        for clause in limited_clauses(without_lasting(statement.text))
    ]
    matches = [{unit.word for unit in units if any(is_same(own, unit) for own in rule.units)} for *_, units in clauses]
    stated = [unit for *_, units in clauses for unit in units]
    subjects = subjects_of(rule.units)
    has_unknown = len([unit for unit in subjects if shared_count([unit], stated)]) < len(subjects)
    for (clause, language, units), matched in zip(clauses, matches, strict=True):
        if (are_translations(rule.language, language) and has_unknown) or any(matched < other for other in matches):
            continue
        parts = parts_of(clause, language)
        places = [unit for unit in units if unit.word in parts or unit.word.partition(".")[0] in parts]
        missing = [unit for unit in places if unit.word not in matched and not unit.names_project]
        if missing and matched and len(matched) >= MIN_RESTATED * (len(units) - len(missing)):
            return True
    return False


def claims_more(rule: Wording, window: Sequence[Wording], evidence: str) -> bool:
    """Whether a rule is wider or narrower than the user's words."""
    return (
        widens_ban(rule, window)
        or widens_all(rule.text, evidence)
        or _has_other_limit(rule, window)
        or grants_more(rule, evidence)
    )


def _has_other_limit(rule: Wording, window: Sequence[Wording]) -> bool:
    """Whether a rule holds only for something, or each time, while the user limits nothing or wants one thing once.

    Also whether it lacks that to which alone the user's words apply.
    """
    main = max(window, key=partial(shared_subjects, rule))
    only = object_of_only(rule.text)
    limits = [object_of_only(part.text) for part in window]
    near = [part for part in window if part is main or shared_subjects(rule, part)]
    is_limited = any(object_of_only(part.text) is not None or names_limit(part.text) for part in near)
    is_limited |= all(any(clause.is_gated for clause in part.clauses) for part in (rule, main))
    if only is not None and not is_limited:
        named = subjects_of(wording_of(only).units)[:OBJECT_WORDS]
        contrasts = [part for part in near if any(clause.is_denied for clause in part.clauses)]
        if not any(shared_count(named, part.units) == len(named) for part in contrasts):
            return True
    is_ban = any(clause.is_denied for clause in rule.clauses)
    for part, limit in zip(window, limits, strict=True):
        named = subjects_of(wording_of(limit).units)[:1] if limit and only is None and not is_ban else []
        if named and not are_translations(rule.language, part.language) and not shared_count(named, rule.units):
            return True
    return _EACH_TIME.search(rule.text) is not None and not (
        holds_each_time(main.text) or RULE_TO_WRITE.match(main.text) or is_wide(main.text)
    )


def is_wide(sentence: str) -> bool:
    """Whether a sentence has words by which it holds for more than one occasion."""
    plain = sentence.casefold()
    return SCOPE.search(sentence) is not None or any(marker in plain for marker in LASTING)


def without_lasting(text: str) -> str:
    """Return a text without the words by which it lasts, some of which have a preposition: "a partir de ahora"."""
    plain = text.casefold()
    for marker in LASTING:
        if " " in marker and (start := plain.find(marker)) >= 0 and len(plain) == len(text):
            text = f"{text[:start]}{text[start + len(marker) :]}"
            plain = text.casefold()
    return text


_BAN = lazy_regex(r"(?i)\b(?:never|do not|don['’]?t|must not|nie|niemals|nicht|nunca|jamais|mai|nooit|никогда)\b")
_BESIDE = lazy_regex(r"(?i)\bother than\b|\bbesides\b|\boutside(?: of)?\b")
_PERMISSION = lazy_regex(
    r"(?i)\b(?:may|can|(?:is|are) (?:allowed|permitted|fine|ok(?:ay)?|(?:edited|changed|maintained|updated) by hand)"
    r"|darf|dürfen|puede[ns]?|peu(?:t|vent)|pode[mn]?|può|possono|mag|mogen|можно)\b"
)
_ALSO = lazy_regex(r"(?i)\b(?:too|also|as well|allowed now|auch|también|aussi|também|anche|ook|тоже|также)\b")
_DENIAL = lazy_regex(
    r"(?i)\b(?:not|never|no|cannot|only|nicht|kein\w*|nie|nunca|jamais|pas|não|non|niet|geen|не)\b|n['’]t\b"
)
_CLAUSE_END = lazy_regex(r"[;.]\s")
_FOLDER = lazy_regex(r"(?<![\w/.-])[\w@.-]{1,80}/[\w@./-]{0,160}")


def extends_exception(text: str, ban: str) -> bool:
    """Whether a text allows a path that a ban forbids beside those it excepts: "lang/de may be edited, too".

    It has to name an excepted path as well, or say that it adds to what is allowed.
    """
    exception = _BESIDE.search(ban) or EXCEPT.search(ban)
    if exception is None or _BAN.search(ban, 0, exception.start()) is None:
        return False
    clause = _CLAUSE_END.split(text, maxsplit=1)[0]
    allowed, banned = _folders(clause), _folders(ban[: exception.start()])
    excepted = _folders(_CLAUSE_END.split(ban[exception.end() :], maxsplit=1)[0])
    adds = not allowed.isdisjoint(excepted) or _ALSO.search(clause)
    if not adds or _PERMISSION.search(clause) is None or _DENIAL.search(clause):
        return False
    return any(path.startswith(f"{folder}/") for path in allowed - excepted for folder in banned)


def _folders(text: str) -> set[str]:
    return {path.rstrip("/.") for path in _FOLDER.findall(text)}


def has_other_limit(new: str, old: str) -> bool:
    """Whether a statement demands only on an occasion what an older one demands always, or always what it limited."""
    if _narrows(new, old):
        return True
    plain = _without_lead_in(new) if _ONLY.search(new) is None and _narrows(old, new) else ""
    limit = _LIMITED_TO.search(plain)
    return plain != "" and is_wide(new) and (limit is None or _OF_ALL.match(plain, limit.end()) is not None)


def _narrows(new: str, old: str) -> bool:
    """Whether "only write tests for bug fixes" limits what an older statement demands: all its words are there."""
    parts = _SENTENCE_PART.split(_without_lead_in(new)) if _ONLY.search(new) else ()
    clause = next(filter(_ONLY.search, parts), "")
    if not clause or any(part.is_denied for part in (*wording_of(old).clauses, *wording_of(clause).clauses)):
        return False
    wording, language = wording_of(old), language_of(new)
    core, preposition = _demand_of(_without_lead_in(old), wording.language)
    is_of_value = any(unit.is_value for unit in core) and _ON_OCCASION.search(old) is None
    for main, limit, place in _splits(clause):
        stated, added = (subjects_of(wording_of(part, language).units) for part in (main, limit))
        is_limit = not place or place == preposition or (place != "to" and is_of_value)
        is_same_demand = _name_all(wording.units, stated) and _name_all(stated + added, core)
        if core and is_limit and is_same_demand and not _name_all(core, added):
            return True
    return False


def _splits(clause: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a clause with "only" demands, what it limits that to, and the preposition of a place."""
    only = _ONLY.search(clause)
    if only is None:
        return
    before, behind = clause[: only.start()], clause[only.end() :]
    if only[0] in ("だけ", "のみ"):
        yield behind, before, ""
    elif is_unspaced(only[0][0]):
        if _UNSPACED_LIMIT.search(behind):
            yield before, behind, ""
    else:
        plain = f"{before}{' ' * len(only[0])}{behind}"
        for match in _LIMITED_TO.finditer(plain, only.end() if _WORD.search(behind) else 0):
            yield plain[: match.start()], plain[match.end() :], (match["place"] or "").lower()


def _demand_of(text: str, language: str) -> tuple[list[Unit], str]:
    """Return the words of what a statement demands, with its paths, and the preposition before "all" or "every".

    The place or occasion that it names is left out.
    """
    if language in ("ja", "zh"):
        return subjects_of(wording_of(_UNSPACED_OCCASION.sub("", text) or text).units), ""
    limit = _LIMITED_TO.search(text)
    units = subjects_of(wording_of(text[: limit.start()] if limit else text, language).units)
    if limit is None or (not units and limit["place"]):
        return subjects_of(wording_of(text, language).units), ""
    preposition = (limit["place"] or "").lower() if _OF_ALL.match(text, limit.end()) else ""
    first, comma, rest = text[limit.end() :].partition(",")
    named = subjects_of(wording_of(rest if comma and not units else first, language).units)
    paths = [unit for unit in named if words_of_file(unit.word) != {stem(unit.word)}]
    return [*units, *paths] if units else named if comma else named[1:], preposition


def _name_all(units: Iterable[Unit], named: Iterable[Unit]) -> bool:
    """Whether words are all among others; a file is named by the words of its name."""
    words = [(unit, stem(unit.word), words_of_file(unit.word)) for unit in units]
    return all(
        any(
            is_same(unit, other) or stem(unit.word) in parts or word in words_of_file(unit.word)
            for other, word, parts in words
        )
        for unit in named
    )


def _without_lead_in(text: str) -> str:
    return LEAD_IN.sub(" ", reworded(without_assent(text.partition("\n\n")[0])))


_SENTENCE_PART = lazy_regex(
    r"[;:.!?]\s|,\s(?!(?:when(?:ever)?|if|wenn|falls|sobald|quand|lorsque|si|cuando|quando|se|als|если|когда)\s)|[，。；！？]"
)
_LIMITED_TO = lazy_regex(
    r"(?i)\b(?:(?P<place>in|inside|within|on|to|im|auf|unter|en|dans|sur|em|na|nas|nos|nel\w*|su|op|в|на)"
    r"|for|when(?:ever)?|if|once|after|before|while|during|für|bei|beim|wenn|falls|sobald|nach|vor|pour|quand|lorsque|si"
    r"|avant|après|para|cuando|antes|después|quando|se|após|depois|per|dopo|prima|voor|als|bij|для|при|если|когда|после"
    r"|перед)\s"
)
"""Words that lead to a place, an occasion or a purpose."""
_ON_OCCASION = lazy_regex(
    r"(?i)\b(?:when(?:ever)?|if|once|after|before|while|during|wenn|sobald|nach|vor|bevor|quand|lorsque|avant|après"
    r"|cuando|antes|después|quando|após|depois|dopo|prima|voordat|als|если|когда|после|перед)\s"
)
_OF_ALL = lazy_regex(
    r"(?i)\s*(?:(?:the|das|el|la|le|o|a|il|het) )?(?:every\w*|each|all|any|whole|entire|jede\w*|alle\w*|ganze\w*|chaque"
    r"|tou\w+|cada|tod[oa]s?|ogni|tutt\w+|elke?|hele|все\w*|кажд\w+)\b"
)
_UNSPACED_LIMIT = lazy_regex(r"时|時|才|[对在为给当]")
_UNSPACED_OCCASION = lazy_regex(
    r"^.{1,60}(?:都要?|[时前后後](?:に|は|必须|都|要)?|たびに|とき[はに]?|場合[はに]?|ごとに)"
)
