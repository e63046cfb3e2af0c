"""Split statements into clauses: the words that say something, and whether their clause denies them. Pure.

Also finds where a statement holds: the paths, file types and parts of a project that limit it; and whether two of them
are one statement with another value ("the log level is debug", "the log level is warn").
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.common_words import TOOL_NAMES, plain_words
from sidecar.language.english_translation import (
    OTHER_SCRIPTS,
    are_cognate,
    compound_parts,
    is_misspelt,
    language_of,
    meanings_of,
)
from sidecar.language.rule_synonyms import (
    FUNCTION_WORDS,
    FUNCTION_WORDS_OF,
    NEGATIONS,
    UNSPACED_NEGATIONS,
    Stance,
    concepts_of,
    concepts_of_name,
    exact_concepts,
    folded,
    is_generic,
    is_unspaced,
    reversing_concepts,
    reworded,
    split_unspaced,
    stances_of,
)

MAX_SENTENCES = 120
MIN_SHOUTED = 3
"""Words in capitals from which a text in capitals is shouted."""


OF_GENERIC, OF_PROJECT, OF_PLAIN, OF_VALUE = 0.2, 0.3, 0.5, 1.5
"""Information of a word that says little, names the project, is of any talk, or is a value; of others one."""


class Unit(NamedTuple):
    """A word of a statement that says something about its subject."""

    word: str
    concepts: frozenset[int]
    is_value: bool
    """Whether it is a number, version, path, identifier or name: it must occur as it is."""
    language: str = ""
    """The language of its statement; empty if that does not show it."""

    @property
    def information(self) -> float:
        """Weight of what it says about a subject; an ordinary word has one."""
        if is_generic(self.concepts):
            return OF_GENERIC
        if self.is_value:
            return OF_VALUE
        if self.names_project:
            return OF_PROJECT
        is_rest = len(self.word) == 1 and not self.concepts and is_unspaced(self.word)
        return OF_PLAIN if is_rest or self.word in plain_words() else 1.0

    @property
    def is_reversing(self) -> bool:
        """Whether it is against what it names: "hide", "skip"."""
        return not self.concepts.isdisjoint(reversing_concepts())

    @property
    def names_project(self) -> bool:
        """Whether it names the project itself, as in "this project uses …"."""
        return not self.concepts.isdisjoint(concepts_of("project"))


class Clause(NamedTuple):
    """A part of a statement that is denied or stated as a whole."""

    units: tuple[Unit, ...]
    is_denied: bool
    is_open: bool = False
    """Whether it is a condition or a purpose, which states and denies nothing."""
    is_gated: bool = False
    """Whether it is denied or stated only on a condition: "never … without …", "… only after …"."""
    refers_back: bool = False
    """Whether it begins with a pronoun for what the clause before is about."""
    is_users_act: bool = False
    """Whether it is what the user does himself: "that I do myself"."""

    @property
    def is_against(self) -> bool:
        """Whether it denies something, or removes it; not to remove something is for it."""
        return self.is_denied != any(unit.is_reversing for unit in self.units)


class Wording(NamedTuple):
    """A statement by its clauses; the language is empty if its words do not show it."""

    text: str
    clauses: tuple[Clause, ...]
    language: str

    @property
    def units(self) -> list[Unit]:
        """The words of all clauses."""
        return [unit for clause in self.clauses for unit in clause.units]


@lru_cache(maxsize=8_192)
def is_same(rule_unit: Unit, unit: Unit) -> bool:
    """Whether two words say the same: in any form, by a concept or a common translation; a value as it is."""
    if rule_unit.word == unit.word or not rule_unit.concepts.isdisjoint(unit.concepts):
        return True
    if rule_unit.is_value or unit.is_value:
        return is_misspelt(rule_unit.word, unit.word) or (
            not (rule_unit.concepts or unit.concepts)
            and rule_unit.language != unit.language
            and _have_one_meaning(rule_unit, unit)
        )
    if are_cognate(rule_unit.word, unit.word):
        return True
    return _have_one_meaning(rule_unit, unit)


def _have_one_meaning(unit: Unit, other: Unit) -> bool:
    return not meanings_of(unit.word, unit.language).isdisjoint(meanings_of(other.word, other.language))


_TOKEN = lazy_regex(
    r"@?https?://[^\s<>\"'`)\]]+|(?<![\w@~.*+#$/\\-])(?:[\u3040-\u30ff\u3400-\u9fff々]+(?=https?://)"
    r"|[\w@~.*+#$/\\-]*[\w*#+$/])|[\u3040-\u30ff\u3400-\u9fff々]"
)
_SENTENCE_END = lazy_regex(
    r"(?<=[.!?。！？;；])(?=\s|[^\x00-\x7f]|$)|(?<=\w\.\.\.)(?=\w)|\n+"
    r"|\s(?=\((?:[1-9]|[a-d])\)\s)"
)
_CLAUSE_END = lazy_regex(
    r"[,;:.!?、，。；：！？()（）\n](?:\s|$|(?=[^\x00-\x7f]))|\s[–—-]{1,2}\s|\b(?:but|aber|sondern|mais(?=\s(?:pas|non|je|on|il|le|la|les|seulement|plutôt|utilis\w*)\b)|pero|sino|mas"
    r"|porem|ma|bensi|maar|но|а|while|whereas|however|because|weil|porque|perche|omdat)\b|\b(?:and|und|et|y|e|en|и|i|or|oder|ou|o|of"
    r"|nor|so|also|donc|daher|deshalb|entonces|portanto|quindi|dus|поэтому)\b(?=\s+(?:(?:that|que|dass|che|dat"
    r"|что|i|we|you|it|they|wir|ich|du|nous|on|je|wij|мы) )?(?:is|are|do|does|must|should|may|can|will|dürfen|darf"
    r"|sollen|soll|deben?|devem?|doivent|doit|devono|mogen|mag)?\s?(?:not|never|no|nothing|without|don['’]?t|nie|niemals|ohne|jamais|sans|nunca|jamás|sin|sem|mai|senza|nooit|zonder|nicht|kein\w*|ne|pas|não"
    r"|no|non"
    r"|niet|geen|не|nie)\b)"
    r"|\s(?<!\bif\s)(?<!\bthat\s)(?<!\bwhen\s)(?<!\bwhat\s)(?<!\bwhere\s)(?<!\bsince\s)(?<!\bwhile\s)(?<!\bones\s)"
    r"(?=(?:i|you|it)\s(?:do|does|did|should|must|can|will|would|need)\s(?:not|never)\b)"
    r"|\band\b(?=\s\w+ing\b[^,;.]{0,40}\b(?:is|are)\s(?:not|never)\b)|\b(?:nor|ni|né|ни)\b|\b(?:and|und|et|y|e|en)\b(?=\s+(?:always|immer|siempre|sempre|toujours|altijd"
    r"|should|must|therefore|thus|instead|rather|use|take|switch to|go with|usa"
    r"|utiliza|utilise|nutze|nimm"
    r"|gebruik)\b)|\s(?=so\s(?:always|use|give|make|keep|put|write|do|let|stick|go|add)\b)|\s(?=let\s{1,2}(?:use|go|do|keep|make|take)\b)|[，,、。；]|而是|但|(?=而不是|而非)|(?<=ではなく)"
    r"|(?<=じゃなく)|(?<=代わりに)"
)
_PATH_OR_NUMBER = lazy_regex(r"(?>.*?\d).*|(?>.*?[\w*\])}][./\\_@#$][\w*\[({]).*|\*\.\w+|[/.]\w.*|\w+/")
_BACKSLASH = lazy_regex(r"(?<=[\w.:~])\\(?=[\w.@*-]|[\s`'\"),.;:!?]|$)")
"""A separator in a path of Windows, also at its end."""
_SEPARATOR = lazy_regex(r"[-/]|(?<=\w)\+(?=\w)")
_ALTERNATIVES = lazy_regex(r"[^\W\d_]+/[^\W\d_]+")
_MIXED_CASE = lazy_regex(r"(?>.*?[a-z][A-Z]).*")
_QUOTED = lazy_regex(r"[`\"“”«»「」]([^`\"“”«»「」\n]{1,80})[`\"“”«»「」]")


def wordings_of(text: str) -> list[Wording]:
    """Return the sentences of a text, at most `MAX_SENTENCES`."""
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    language = language_of(text)
    return [wording_of(part, language) for part in parts if part][:MAX_SENTENCES]


@lru_cache(maxsize=512)
def wording_of(text: str, context: str = "") -> Wording:
    """Return the words of a statement that are not function words, by clause.

    The context is the language of the text around it, which counts if its own words show none.
    """
    text = _BACKSLASH.sub("/", text)
    quoted = frozenset(folded(match[1].strip()) for match in _QUOTED.finditer(text))
    if _TYPE_ANY.search(text):
        quoted |= {"any"}
    language = language_of(text) or context
    clauses: list[Clause] = []
    was_denied = False
    is_complaint = is_why_question(text)
    is_reproach = is_complaint and _AGAIN.search(text) is not None
    plain = _INTERJECTION.sub(" ", _REPEATED.sub(" ", _unshouted(HEDGE.sub(" ", text))))
    plain = reworded(_REMINDER.sub("remember", _ORDINARY_NEXT.sub(" ", plain)))
    parts = list(_clauses(_CONTRACTION.sub(" ", plain)))
    for part in parts:
        stances = stances_of(part, language, is_alone=len(parts) == 1)
        if was_denied and not any(stance.is_denied for stance in stances) and _ALTERNATIVE.match(part):
            stances = [stance._replace(is_denied=True) for stance in stances]
        was_denied = any(stance.is_denied for stance in stances)
        units = [
            (start, unit._replace(language=language))
            for whole in tokens_of(part)
            for start, token in _cut(*whole, stances)
            for unit in _units_of(
                token, quoted, language, is_name=language != "de" and start > 0 and token[0].isupper()
            )
        ]
        for at, stance in enumerate(stances):
            end = stances[at + 1].start if at + 1 < len(stances) else len(part)
            side = tuple(unit for start, unit in units if stance.start <= start < end)
            if side:
                gated = stance.is_gated and not is_complaint
                clause = Clause(side, stance.is_denied != is_complaint, stance.is_open, gated)
                if not at and _REFERS_BACK.match(part):
                    clause = clause._replace(refers_back=True, is_users_act=USERS_ACT.search(part) is not None)
                clauses.append(clause)
                clauses += [Clause(side, stance.is_denied)] if is_reproach else []
    return Wording(text, tuple(clauses), language)


_TYPE_ANY = lazy_regex(
    r"(?i)(?:\b(?:us(?:e|es|a|as|ar|o|amos|ing)|utilis\w{1,4}|utiliz\w{1,4}|verwende\w{0,2}|benutze\w{0,2}|nutze\w{0,2}"
    r"|no|kein|pas d['’]|nada de|sem|sin) `?|(?:用|使用|禁止) ?`?)any`?"
    r"(?=\s{0,3}(?:$|[.,;:!。、，！)]|(?:in|en|em|no|im|dans|a partir|de ahora|desde|from|types?|ab)\b"
    r"|[\u3040-\u9fff]))"
    r"|(?<![\w-])any ?(?:禁止|は|を|型|使|类型)"
)
"""The type `any` of TypeScript, which is a function word elsewhere."""


def _cut(start: int, token: str, stances: Sequence[Stance]) -> Iterator[tuple[int, str]]:
    """Yield a token and its offset; one of a script without spaces by the stances that it has."""
    cuts = [stance.start - start for stance in stances if 0 < stance.start - start < len(token)]
    for first, last in pairwise((0, *(cuts if is_unspaced(token[0]) else ()), len(token))):
        yield start + first, token[first:last]


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for match in _CLAUSE_END.finditer(text):
        if match.start() > start:
            yield text[start : match.start()]
        start = match.start() if match[0].strip().isalpha() else match.end()
    if start < len(text):
        yield text[start:]


_WHY = lazy_regex(
    r"(?i)\W*(?:(?:but|and|so|hm+|oh|ok|pero|y|mais|et|aber|und|но|а)\s)?"
    r"(?:why|por ?qu[eéê]|pourquoi|warum|wieso|perch[eé]"
    r"|waarom|почему|зачем|为什么|為什麼|为何|なぜ|なんで|どうして).{1,300}[?？]\W*$"
)
"""A complaint that asks for what it denies: "why do we not run the tests?"."""


def is_why_question(sentence: str) -> bool:
    """Whether a sentence complains by asking for a reason."""
    return _WHY.match(sentence) is not None


def _unshouted(text: str) -> str:
    """Return a text in small letters if it is shouted: its capitals make no names."""
    words = _LONG_WORD.findall(text)
    shouted = sum(word.isupper() for word in words)
    return text.lower() if shouted >= MIN_SHOUTED and shouted >= 0.8 * len(words) else text


_REPEATED = lazy_regex(
    r"(?i)^\W*(?:(?:like|as) )?(?:i|we)(?: (?:have|already|just|clearly)|['’]ve){0,2} (?:told you|said|mentioned"
    r"|asked you)(?: (?:before|already|earlier|again|twice|last time|\w+ times))+(?: that| to)?\b,?"
    r"|^\W*(?:wie (?:schon )?gesagt|(?:ya )?te (?:lo )?dije(?: antes| ya)?|como (?:ya )?(?:te )?dije"
    r"|je (?:te )?l['’]ai déjà dit|comme (?:je l['’]ai )?dit|come (?:ho )?(?:già )?detto|como (?:eu )?(?:já )?disse"
    r"|zoals (?:ik )?(?:al )?zei)\b[,:]?"
    r"|\b(?:i(?:['’]d| would)? (?:prefer|like|love|appreciate) (?:it )?(?:if|when) you|it would be (?:nice|great|good"
    r"|better) if you|(?:ich )?fände es (?:gut|besser),? wenn du|me gustaría que|j['’]aimerais que tu"
    r"|prefer(?:iria|ia|o) que você|vorrei che|ik heb liever dat je)\b"
)
"""A beginning by which the user repeats or softens a rule: "I told you before …", "I prefer if you …"."""

_LONG_WORD = lazy_regex(r"[^\W\d_]{2,}")

_INTERJECTION = lazy_regex(
    r"(?i)^\W*(?:(?:yeah|yes|yep|ok(?:ay)?|nah|oh|well|hmm?|uh|um|wait|ah|and|but|so)[\s,]{1,3}){0,3}(?:no[\s,.!]{1,3}){1,3}"
    r"(?=(?:we|i|you|it|they|he|she|that|this|these|there|please|always|just|do|don['’]?t|never|let['’]?s)\b)"
)
"""The "no" that objects to what the agent did, before a sentence in which it denies nothing: "no we use X"."""

_AGAIN = lazy_regex(
    r"(?i)\b(?:again|wieder|otra vez|de nuevo|de novo|outra vez|encore|à nouveau|di nuovo|ancora|weer|alweer|опять"
    r"|снова)\b|又|また"
)
"""Words by which a complaint names what may be banned or wanted: "why did you use moment again?"."""

_REMINDER = lazy_regex(
    r"(?i)\b(?:(?:don['’]?t|do not|never) forget|no (?:te |se )?olvides?|n[ãa]o (?:se )?esque[cç]as?"
    r"|n['’]oublie[zs]? pas"
    r"|vergiss nicht|non dimenticare|vergeet niet|не забывай(?:те)?|не забудь(?:те)?)\b|不要忘记|别忘了|忘れないで"
)
"""Words that remind, in which nothing is denied."""

_CONTRACTION = lazy_regex(
    r"(?i)\b(?:l|d|c|j|(?<!plutôt )(?<!mieux )qu|m|t|s|un|dell|all|nell|sull|dall)['’](?=\w)"
    r"|(?<=\w)['’](?:s|re|ve|ll|d|m)\b"
)
_REFERS_BACK = lazy_regex(
    r"(?i)\W*(?:they|it|that|these|those|sie|es|das|diese|ils|elles|ça|cela|ellos|ellas|eso|esto|eles|elas|isso|essi|esse"
    r"|quello|questo|ze|dat|dit|они|оно|это)\b|(?:它|他)们?|それ"
)
USERS_ACT = lazy_regex(
    r"(?i)\b(?:i|myself|user|himself|herself|ich|nutzer|benutzer|yo|usuario|eu|usuário|je|moi|utilisateur|io|utente|ik|zelf"
    r"|gebruiker|я|сам|пользовател\w+)\b|我|用户|私|俺|僕|ユーザー"
)
"""Words for the user as the one who does something."""
_ALTERNATIVE = lazy_regex(r"(?i)\W*(?:or|nor|ou|oder|noch|o|ni|né|of|или|ни)\b")


def tokens_of(clause: str) -> Iterator[tuple[int, str]]:
    """Yield the words, numbers and paths of a clause with their offsets."""
    for match in _TOKEN.finditer(clause):
        start = match.start()
        if _DATE_FORMAT.fullmatch(match[0]):
            yield start, match[0].casefold().replace("jjjj", "yyyy").translate(_ENGLISH_DATE_LETTERS)
            continue
        for part in _SCRIPTS.finditer(match[0]):
            yield start + part.start(), part[0]


_DATE_FORMAT = lazy_regex(r"(?i)(?=.*m)(?:[djtgmayдгм]{1,4}[./-]){1,2}[djtgmayдгм]{1,4}")
_ENGLISH_DATE_LETTERS = str.maketrans("jtgaдгм", "dddydym")
"""Letters of day, month and year by those of other languages: JJ/MM/AAAA, TT.MM.JJJJ."""


_SCRIPTS = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff々]+|[^\u3040-\u30ff\u3400-\u9fff々]+")


def _units_of(token: str, quoted: frozenset[str], language: str, *, is_name: bool) -> Iterator[Unit]:
    if is_unspaced(token[0]):
        for word, concepts in split_unspaced(token):
            yield from _unspaced_units(word, concepts)
        return
    bare = token.strip("-.+~\\").removeprefix("@")
    address = _SCHEME.match(bare)
    bare = bare.rstrip("/") if address is None else bare[address.end() :].rstrip("/.,")
    word = folded(bare if bare.startswith("*") else bare.lstrip("./@"))
    is_acronym = bare.isupper() and len(bare) > 1
    is_function_word = word in FUNCTION_WORDS_OF.get(language, FUNCTION_WORDS)
    if (
        not word
        or word in NEGATIONS
        or word == "until"
        or (is_function_word and not (is_acronym or _is_tool(word, language) or (word == "any" and word in quoted)))
    ):
        return
    is_path = address is not None or _PATH_OR_NUMBER.fullmatch(bare) is not None
    if is_path and not _ALTERNATIVES.fullmatch(bare):
        yield Unit(word, concepts_of_name(word), True)
    elif is_path or _SEPARATOR.search(word):
        for part in _SEPARATOR.split(word):
            if part and part not in FUNCTION_WORDS:
                concepts = concepts_of(part)
                is_exact = part in TOOL_NAMES or not concepts.isdisjoint(exact_concepts())
                yield Unit(part, concepts, is_exact or (is_path and not concepts))
    elif len(word) > 1:
        is_foreign = word.isascii() and language in OTHER_SCRIPTS
        is_identifier = is_name or is_acronym or is_foreign or word in quoted or bool(_MIXED_CASE.fullmatch(bare))
        parts = compound_parts(word, language)
        for part in parts:
            yield _plain_unit(part, is_identifier=is_identifier and len(parts) == 1)


_SCHEME = lazy_regex(r"https?://(?:www\.)?")


def _is_tool(word: str, language: str) -> bool:
    """Whether a word that one language has as a function word names a tool in another: "jest"."""
    return word in TOOL_NAMES and word in FUNCTION_WORDS_OF["other"] and language != "other"


def _plain_unit(word: str, *, is_identifier: bool) -> Unit:
    concepts = concepts_of(word)
    is_exact = not concepts.isdisjoint(exact_concepts())
    return Unit(word, concepts, is_exact or word in TOOL_NAMES or (is_identifier and not concepts))


def _unspaced_units(word: str, concepts: frozenset[int]) -> Iterator[Unit]:
    if concepts:
        yield Unit(word, concepts, not concepts.isdisjoint(exact_concepts()))
        return
    for part in _RUNS.findall(word):
        plain = part
        for negation in UNSPACED_NEGATIONS:
            plain = plain.removeprefix(negation)
        if plain and ("\u30a0" <= plain[0] <= "\u30ff" or plain[0] >= "\u3400"):
            yield Unit(plain, concepts, False)


_RUNS = lazy_regex(r"[\u30a0-\u30ff]+|[\u3040-\u309f]+|[\u3400-\u9fff々]+")


class Places(NamedTuple):
    """The words of a statement that limit where it holds."""

    paths: Mapping[str, str]
    """Paths and addresses by the names that replace them."""
    narrow: frozenset[str]
    """Words after "in" or "for"."""
    wide: frozenset[str]
    """Words after these and other prepositions, and a path that the statement is about."""
    parts: frozenset[str]
    """Paths, file types and parts of a project that it is limited to."""
    is_placing: bool
    """Whether the statement puts something somewhere, so that a path is its value."""


def places_of(plain: str, paths: Mapping[str, str]) -> Places:
    """Return the places of a statement whose paths `without_paths` replaced by names."""
    text = " ".join(plain.replace("`", " ").split())
    subjects = frozenset(folded(match[1] or match[2]) for match in _SUBJECT_PATH.finditer(text))
    return Places(
        paths,
        narrow=frozenset(_scoped_words(_NARROW, text)),
        wide=frozenset(_scoped_words(_WIDE, text)) | subjects,
        parts=frozenset(paths.get(part, part) for part in (*_parts(text), *subjects)),
        is_placing=_PLACING.search(plain) is not None,
    )


def without_paths(text: str) -> tuple[str, dict[str, str]]:
    """Return a text with names in place of its paths and addresses, and the paths by these names."""
    paths: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        word = f"zq{chr(ord('a') + len(paths) % 26)}"
        paths[word] = match[0].rstrip("/.").casefold()
        return f" {word.upper()} "

    return _PATH.sub(name, _BACKSLASH.sub("/", text)), paths


def _scoped_words(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield the words that follow a preposition of place, purpose or time."""
    for match in pattern.finditer(text):
        for word in match[1].split():
            yield from (folded(word), *folded(word).split("-"))


def _parts(text: str) -> Iterator[str]:
    """Yield the names of parts: after "in" any word, after "for" a path or what a noun shows to be a part."""
    for match in _PART.finditer(text):
        words = [folded(word) for word in match[2].split()]
        end = next((at for at, word in enumerate(words) if word in _NO_PART), len(words))
        for at, word in enumerate(words[:end]):
            if _is_path_name(word):
                yield word
                break
            if word in _CONTAINERS:
                yield words[at - 1] if at else words[1] if end > 1 else word
                break
            if word in _CONTENTS:
                yield from words[max(0, at - 1) : at + 1]
                break
        else:
            if folded(match[1]) in _INSIDE:
                yield from words[: min(end, 1)]


def _is_path_name(word: str) -> bool:
    return len(word) == 3 and word.startswith("zq")


_PATH = lazy_regex(
    r"https?://[^\s<>\"'`)\]]+|(?<![A-Za-z0-9_@~.*/-])(?:[A-Za-z0-9_@~.*-]{0,60}/){1,12}[A-Za-z0-9_.*-]{0,60}(?<![.])"
    r"|(?<![\w*.])\*\.[a-z]{1,6}\b|(?<![A-Za-z0-9_./-])[A-Za-z0-9_-]{1,60}\.(?:py|tsx?|jsx?|md|json|toml|ya?ml|go|rs"
    r"|java|css|html|sql|sh|txt|env)\b"
)
_PLACING = lazy_regex(
    r"(?i)\b(?:put|place|store|keep|move|save|lives?|goes|go|belongs?|is|are|creat\w*|add|write|leg\w*|speicher\w*"
    r"|ablegen|pon\w*|guard\w*|coloc\w*|met[st]\w*|rang\w*|salva\w*|plaats|zet|bewaar|клад\w*|храни\w*|помест\w*)\b|置"
    r"|入れ|保存|放|存"
)
_PREPOSITIONS = (
    "in|inside|within|for|when|if|while|für|im|innerhalb|bei|en|dans|pour|para|em|no|na|nos|nas|nel|nella|nei|per|voor"
    "|binnen|в|во|для"
)
_ARTICLES = "the|our|all|every|der|die|das|den|dem|la|le|les|el|los|las|il|de|het"
_SCOPED = rf"(?=\s+((?:(?:{_ARTICLES}) )?[^\s,.;:!?]+(?: [^\s,.;:!?]+)?))"
_NARROW = lazy_regex(rf"(?i)(?<!\w)(?:{_PREPOSITIONS}){_SCOPED}")
_WIDE = lazy_regex(
    rf"(?i)(?<!\w)(?:{_PREPOSITIONS}|on|at|of|to|under|before|after|auf|zu|sur|su|op|naar|на|перед){_SCOPED}"
)
_INSIDE = frozenset(
    "in inside within under below im innerhalb unter en dans em no na nos nas nel nella nei binnen в во".split()
)
_PART = lazy_regex(
    rf"(?i)(?<!\w)({'|'.join(sorted(_INSIDE))}|for|on|f[üu]r|bei|pour|para|per|voor|для)"
    rf"(?=\s+(?:(?:{_ARTICLES}|this|that|these|those|my|your|unser\w*|mein\w*|des|du|da|do|dos|das|del|della|van) )"
    r"{0,2}([^\s,.;:!?]+(?: [^\s,.;:!?]+){0,2}))"
)
_SUBJECT_PATH = lazy_regex(
    r"(?i)^\W*(zq[a-z])\b(?=\s*(?:[:,]|(?:uses?|is|should|must|nutzt|verwendet|usa|utilise)\b))"
    r"|\b(zq[a-z])(?=\s*(?:では|で|内|里|中|下|目录|ディレクトリ|フォルダ))"
)
"""A path that a sentence is about: "tools/: …", "tools/ uses …"."""
_CONTAINERS = frozenset(
    """
    folder folders directory directories dir subfolder subdirectory file files package packages module modules
    ordner verzeichnis dateien datei paket pakete modul carpeta directorio archivos paquete pasta diretorio arquivos
    pacote dossier repertoire fichiers paquet cartella pacchetto map bestanden pakket папке папки файлов
    """.split()
)
"""Words for a part that its name precedes."""
_CONTENTS = frozenset(
    """
    test tests spec specs docs documentation script scripts service services app apps frontend backend ci component
    components examples example migrations fixtures website plugin plugins tools tooling notebooks demos benchmarks
    testes pruebas skripte тестов тестах
    """.split()
)
_NO_PART = frozenset(
    """
    whole entire general everything everywhere anything all any every each both project projects repo repos repository
    repositories codebase monorepo code workspace root here there future now place lieu favor favour order addition case
    most parallel sequence advance total detail full short end way me us you it this that instead longer more need
    projekt repository gesamten ganzen allen allem jedem zukunft proyecto todo toda todos todas vez lugar projeto tudo
    projet tout toute tous progetto tutto tutta luogo posto plaats heel hele alle проекте всём всем
    """.split()
)
"""Words after "in" that limit nothing."""


def limited_clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence; one that only names a place belongs to the next."""
    clauses: list[str] = []
    for part in _PLACE_CLAUSE.split(sentence):
        if clauses and _ONLY_PLACE.fullmatch(clauses[-1].strip()):
            clauses[-1] += f" {part}"
        else:
            clauses.append(part)
    return clauses


def parts_of(clause: str, language: str) -> frozenset[str]:
    """Return the names of the parts of a project to which a clause is limited, folded."""
    plain, paths = without_paths(clause if language == "pt" else _DENYING_NO.sub(" ", clause))
    unspaced = (folded(match[match.lastindex or 0]) for match in _UNSPACED_PLACE.finditer(clause))
    parts = (places_of(plain, paths).parts | frozenset(unspaced)) - _PLACES_OF_MIND
    return frozenset(part for part in parts if concepts_of(part).isdisjoint(exact_concepts()))


_DENYING_NO = lazy_regex(r"(?i)\bno\s")
"""The English and Spanish word, which in Portuguese means "in the"."""
_PLACE_CLAUSE = lazy_regex(
    r"[,;:.–—、，；：。](?=\s|$|[^\x00-\x7f])\s?|\s(?=(?:and|but|or|so(?! that)|because|und|aber|weil|y|pero|porque"
    r"|et|mais"
    r"|car|e|mas|ma|perché|en|maar|omdat|и|но|поэтому)\s)"
)
_ONLY_PLACE = lazy_regex(
    r"(?i)(?:(?:and|but|und|aber|y|pero|et|mais|e|mas) )?(?:only |nur |solo |só |seulement )?(?:in|inside|within|for"
    r"|on|im|für|unter|bei|en|para|dans|pour|em|no|na|nos|nas|nel\w*|per|voor|в|для)\s\S+(?: \S+){0,3}"
)
_UNSPACED_PLACE = lazy_regex(
    r"([\w/.]{1,12}?)(?:では|の中では|内では)|([\w/.]{1,12}?)(?:里面?|目录下|文件夹)(?=[^\w]|[\u4e00-\u9fff])"
)
_PLACES_OF_MIND = frozenset(
    "format formato mind memory note moment example poi adelante zukunft futuro futur avenir head".split()
)

HEDGE = lazy_regex(
    r"(?i)\b(?:(?:if|when|where|whenever|wherever|as far as|as much as) (?:at all )?possible|ideally|preferably|usually"
    r"|wenn möglich|möglichst|falls möglich|nach möglichkeit|meistens|(?:si|cuando|siempre que) (?:es|sea) posible"
    r"|de ser posible|normalmente|(?:se|quando|sempre que) possível|geralmente|(?:si|quand|lorsque)"
    r" (?:c['’]est )?possible|dans la mesure du possible|(?:se|quando) possibile|preferibilmente|indien mogelijk"
    r"|zo mogelijk"
    r"|(?:i|we) do(?:n['’]?t| not) (?:care|mind)|(?:mir|uns) egal|me da igual|tanto faz|peu importe"
    r"|non (?:mi )?importa|maakt niet uit|всё равно"
    r"|по возможности|если возможно|обычно)\b|无所谓|尽可能|尽量|なるべく|できるだけ|可能なら|可能であれば"
)
"""Words by which a wish need not always be met."""

CLAUSE_MARK = lazy_regex(r"[,;:.!?—、，；：。]")

_ORDINARY_NEXT = lazy_regex(
    r"(?i)\bnext(?= (?:to|time|step|week|month|day|version|release|one)\b)"
    r"|(?<=\bthe )moment\b(?! js)|(?<=\b(?:au|le|du|ce|un|im|am|al|el|il|no) )moment\b(?! js)"
    r"|\b(?:express|fetch|bootstrap)(?= (?:it|them|the|an?|this|that|these|those|all|each|every)\b)"
    r"|\bleft(?= (?:out|over|as|in|alone|blank|empty|unchanged)\b)|\btop(?= (?:priority|of|level)\b)"
    r"|(?<=\b(?:el|al|il|le|du|au) )(?:público|pubblico|public)\b(?=\s*(?:[.,;:]|$|es|son|est|sont|è|sono))"
)
"""A word that elsewhere is the name of a tool, or has an opposite."""

RULE_TO_WRITE = lazy_regex(
    r"(?i)^\W{0,9}(?:(?:please|pls|can you|could you|and|now|also|bitte|por favor|stp)[\s,]{1,3}){0,3}(?:write|create"
    r"|add|make|schreibe?|erstelle?|füge?|escribe|crea|agrega|añade|écris|crée|ajoute|escreva|crie|adicione|scrivi"
    r"|aggiungi"
    r"|schrijf|maak|voeg|напиши|создай|добавь)(?:te)? (?:me |mir |us |uns )?(?:(?:an?|the|one|eine?|une?|una|uma|een"
    r"|new|another|neue|nueva|nova|nouvelle|nuova|nieuwe|новое) ){0,2}(?:[\w.-]+ )?(?:rules?|regel|regla|regra|règle"
    r"|regola|правило)\b(?! (?:engine|file|set|parser|class|test))[^.!?\n]{3,}|^(?:请|帮我|再){0,3}(?:写|加|添加"
    r"|新增)(?:一?[条个])[^。\n]{0,12}(?:规则|規則)[^。\n]{2,}|^[^。\n]{1,60}というルールを(?:追加|作成|書)"
)
"""A request to write down a rule, which states that rule."""
