"""Judge one message of a user: rules, preferences, choices and facts that outlast the task at hand. Pure.

Explicit forms ("from now on …", "remember: …", and clauses that combine what lasts) are always statements. All
sentences are scored by a linear model of their words and concepts, too; `tests/labelled/fit.py` fits its weights. It
finds what has no form, and decides with a doubtful form whether it is a standing instruction. Every decision names the
features that made it.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import UNSPACED
from sidecar.core.terms import query_terms
from sidecar.language.common_words import TOOL_NAMES, common_terms
from sidecar.language.english_translation import with_accents
from sidecar.language.lasting_patterns import has_concept
from sidecar.language.match_statement_form import (
    CORRECTED_VALUE,
    DENIAL,
    HABITS,
    SUPPOSITION,
    ExplicitForm,
    belongs_to_task,
    complains,
    explicit_form,
    holds_on,
    is_request_to_remember,
    is_specified,
)
from sidecar.language.own_words import is_banter, reports_others, stated_words
from sidecar.language.sentence_features import (
    Analysis,
    Context,
    Sentence,
    analyze,
    contexts_of,
    features_of,
    is_for_one_task,
    is_retraction,
    split_sentences,
    without_marks,
)
from sidecar.language.statement_forms import StatementForm

MIN_STATEMENT_SCORE = 0.8
"""Score of a statement; `tests.labelled.fit --cross-validate` prints what lower and higher ones find."""

MIN_STANDING_SCORE = 0.85
"""Score of a standing instruction, if it is a rule."""

MIN_CONFIRMING_SCORE = 0.5
"""The same for a sentence in an explicit form that alone is not certain to last."""

MAX_SCORED_CHARACTERS = 500
"""Characters of a message without spaces up to which its sentences become standing instructions by their score."""

MIN_RULE_PROBABILITY = 0.5
"""Probability from which what lasts is a rule rather than a fact."""

MAX_BRIEF = 240
"""Characters of a message that says little else."""

MAX_SPECIFICATION = 1200
"""Characters of a message without spaces from which it may be a specification: it has no standing instructions."""

MIN_NEAR_MISS_SCORE = 0.3
"""Score from which a sentence that is not a statement counts as a near miss."""

MAX_TASK_SCORE = MIN_STATEMENT_SCORE - 0.01
"""Score of a sentence that belongs to the task at hand: a near miss at best."""

MAX_STATEMENTS, MAX_REASONS, MAX_SENTENCES, EXPLICIT_SCORE = 5, 5, 200, 0.99


class Statement(NamedTuple):
    """A lasting statement; `text` is the message between `start` and `end`."""

    text: str
    kind: StatementForm
    score: float
    is_standing: bool
    reasons: tuple[str, ...]
    start: int
    end: int
    form: str = ""
    """Name of its explicit form; empty if it was found by its score."""

    @property
    def corrects_value(self) -> bool:
        """Whether it corrects a value that the agent used: only what the agent wrote says which."""
        return self.form == CORRECTED


class Reading(NamedTuple):
    """The statements of a message in its order, and the sentences that came close."""

    statements: tuple[Statement, ...]
    near_misses: tuple[Statement, ...]


def read_statements(message: str, before: str = "") -> Reading:
    """Return the lasting statements of a user's message; `before` is the assistant's text that it answers."""
    message = without_marks(message)
    own = with_accents(stated_words(message))
    sentences = split_sentences(own)[:MAX_SENTENCES]
    analyses = [analyze(sentence.text) for sentence in sentences]
    is_brief = len(own.strip()) <= MAX_BRIEF
    declared = _declared_items(sentences, own)
    statements: list[Statement] = []
    near: list[Statement] = []
    for index, (sentence, analysis, context) in enumerate(
        zip(sentences, analyses, contexts_of(sentences, message, own, before), strict=True)
    ):
        if is_request_to_remember(sentence.text) and (index or not before):
            continue
        previous = sentences[index - 1].text if index else ""
        following = sentences[index + 1].text if index + 1 < len(sentences) else ""
        others = [(sentences[at], analyses[at]) for at in range(len(sentences)) if at != index]
        statement = _explicit(sentence, analysis, context, (previous, following), others, is_brief=is_brief)
        if index in declared and (statement is None or not statement.is_standing):
            statement = _declared(sentence, analysis, context) or statement
        is_habit = statement is None or statement.form in HABITS
        is_below_ticket = is_habit and index > 0 and has_concept(sentences[0].text, "ticket")
        is_foreign = is_below_ticket or has_concept(sentence.text, "words instead of code")
        is_of_task = is_habit and belongs_to_task(sentence.text, following)
        is_of_one_task = is_foreign or is_of_task or has_concept(sentence.text, "replacement at hand")
        statement = None if is_foreign else statement
        if statement is None or _may_become_standing(statement):
            scored = _scored(sentence, analysis, context)
            if is_specified(following) or has_concept(sentence.text, "task at end") or is_of_one_task:
                scored = scored._replace(score=min(scored.score, MAX_TASK_SCORE), is_standing=False)
            if statement is None:
                statement = scored._replace(is_standing=scored.is_standing and scored.score >= MIN_STANDING_SCORE)
            elif scored.is_standing and scored.score >= MIN_CONFIRMING_SCORE and not _is_fact_for(others, statement):
                statement = statement._replace(is_standing=True, reasons=(*statement.reasons, *scored.reasons))
        if is_retraction(following):
            statement = statement._replace(score=min(statement.score, MAX_TASK_SCORE), is_standing=False)
        if statement.score < MIN_NEAR_MISS_SCORE:
            continue
        statement = _with_neighbours(message, statement, sentences, index)
        (statements if statement.score >= MIN_STATEMENT_SCORE else near).append(statement)
    limit = min(MAX_STATEMENTS + len(declared), MAX_DECLARED)
    best = sorted(statements, key=lambda statement: -statement.score)[:limit]
    return Reading(
        tuple(sorted(_disjoint(best), key=lambda statement: statement.start)),
        tuple(sorted(near, key=lambda statement: -statement.score)[:MAX_STATEMENTS]),
    )


MAX_LEAD_WORDS = 2
"""Words before a statement in its sentence that only lead to it: "hey, remember …"."""


def states_only(message: str, noted: Sequence[str] = ()) -> bool:
    """Whether a message consists of what it states as lasting; `noted` are rules of a notes block that it supports.

    A sentence that a rule restates may have little more than its words.
    """
    message = without_marks(message)
    sentences = split_sentences(stated_words(message))
    spans = [(statement.start, statement.end) for statement in read_statements(message).statements]
    return bool(sentences) and all(
        _is_stated(sentence, spans) or _is_noted(sentence.text, noted) or is_request_to_remember(sentence.text)
        for sentence in sentences
    )


def _is_stated(sentence: Sentence, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether a statement fills a sentence but for its lead-in and its end."""
    return any(
        start < sentence.end
        and end > sentence.start
        and len(sentence.text[: max(0, start - sentence.start)].split()) <= MAX_LEAD_WORDS
        and (sentence.end - end <= 1 or is_request_to_remember(sentence.text[end - sentence.start :]))
        for start, end in spans
    )


def _is_noted(sentence: str, noted: Iterable[str]) -> bool:
    """Whether a rule has most words of a sentence."""
    terms = frozenset(query_terms(sentence))
    return any(2 * len(terms.intersection(query_terms(rule))) > len(terms) for rule in noted)


def _declared_items(sentences: Iterable[Sentence], own: str) -> set[int]:
    """Return the positions of what "our conventions:" declares: items, or sentences up to an empty line."""
    found, lines, end = set[int](), 0, 0
    for position, sentence in enumerate(sentences):
        if has_concept(sentence.text, "label of rules"):
            lines = 2
        elif has_concept(sentence.text, "declared rules"):
            lines = 1
        elif own.count("\n", end, sentence.start) < lines or (lines > 1 and sentence.is_item):
            found.add(position)
        else:
            lines = 0
        end = sentence.end
    return found


def _declared(sentence: Sentence, analysis: Analysis, context: Context) -> Statement | None:
    """Return a declared rule as a standing instruction; None if it is a question, a task or about the product."""
    start, end, text = sentence[:3]
    is_other = text[0] in "(（" or text[-1] in "?？" or has_concept(text, "behaviour of the product|question of memory")
    is_task = not sentence.is_item and _is_task(sentence, analysis)
    if context.has_paste or context.length > MAX_SPECIFICATION or is_other or is_task or len(text) < MIN_DECLARED:
        return None
    return Statement(text, "rule", EXPLICIT_SCORE, True, ("explicit form: declared",), start, end, "declared")


MIN_DECLARED, MAX_DECLARED = 6, 20
"""Characters of an item that can be understood without the line above it; statements of a message with items."""


def _explicit(
    sentence: Sentence,
    analysis: Analysis,
    context: Context,
    around: tuple[str, str],
    others: Iterable[tuple[Sentence, Analysis]],
    *,
    is_brief: bool,
) -> Statement | None:
    """Return the statement of a sentence in an explicit form; `others` are the message's other sentences.

    It is weak if it only serves the task at hand: a reminder or "ask if unsure" beside a task, an addition, a report.
    """
    form = explicit_form(sentence, analysis, context, *around) or _corrected_value(sentence, context, around[0])
    if form is None:
        return None
    text, start = sentence.text[form.start : form.end], sentence.start + form.start
    is_vague = has_concept(text, "added words") or (form.name == "remember" and form.is_doubtful)
    is_plain = is_brief or (form.is_sure and context.length <= MAX_SPECIFICATION)
    is_of_task = form.name == "when unsure" or _is_reminder(form, sentence.text)
    if is_plain and (form.may_be_task or is_of_task):
        beside = (*others, *_beside(form, sentence)) if is_of_task else others
        is_plain = complains(sentence.text) or not any(
            _is_task(*other) or (form.name == "when unsure" and "work" in other[1].concepts) for other in beside
        )
    is_for_the_task = is_of_task or (form.name in _OF_TASK_WITHOUT_SCOPE and SCOPE.search(text) is None)
    serves_task = (
        is_for_one_task(sentence.text)
        or is_banter(sentence.text)
        or (reports_others(sentence.text) and form.name != "remember")
        or has_concept(text, "needed now")
        or (is_vague and SCOPE.search(text) is None)
        or (is_for_the_task and not is_plain)
    )
    of_user = _REQUESTED if context.has_unfenced_paste else _REQUESTED | _LASTING_BESIDE_FENCE
    is_own = not context.has_paste or (form.name in of_user and not context.may_be_pasted)
    is_choice = form.kind == "preference" and has_concept(sentence.text, "chosen here")
    is_once = is_choice or (form.name == "working order" and SCOPE.search(sentence.text) is None)
    is_standing = is_plain and is_own and not (form.is_doubtful or is_once)
    return Statement(
        text=text,
        kind=form.kind,
        score=MAX_TASK_SCORE if serves_task else EXPLICIT_SCORE,
        is_standing=is_standing and not serves_task,
        reasons=(f"explicit form: {form.name}",),
        start=start,
        end=start + len(text),
        form=form.name,
    )


def _may_become_standing(statement: Statement) -> bool:
    """Whether the score decides if a statement of a doubtful form is standing."""
    is_decided = statement.is_standing or statement.corrects_value or statement.kind == "decision"
    return not is_decided and statement.score >= MIN_STATEMENT_SCORE


def _is_fact_for(others: Iterable[tuple[Sentence, Analysis]], statement: Statement) -> bool:
    """Whether a habit is what a task beside it has to fit: "We use Postgres. Write me a query …"."""
    return statement.form == "convention" and any(_is_task(*other) for other in others)


def _corrected_value(sentence: Sentence, context: Context, previous: str) -> ExplicitForm | None:
    """Return the form of a sentence that refuses what the agent wrote, and names a value or a limit of the project.

    "No, the port is 8081": a port, an address, a branch, a database, a variable, a command, a file or a version. "No,
    the core must not get options." It is not certain that it lasts, so it is found by relevance.
    """
    text = sentence.text.lower()
    is_question = text.endswith(("?", "？"))
    if context.has_paste or context.in_quotation or is_question or len(text) != len(sentence.text):
        return None
    denial = DENIAL.match(text)
    start = denial.end() if denial is not None else 0
    is_refused = denial is not None or DENIAL.fullmatch(previous.lower()) is not None
    if is_refused and has_concept(text[start:], "constraint") and not has_concept(text, "no constraint"):
        return ExplicitForm("constraint", "decision", start, False, is_doubtful=True)
    match = CORRECTED_VALUE.match(text, start)
    if match is None or context.is_opening:
        return None
    is_denied = is_refused or match[2] is not None
    variable = match.span(1)
    if not is_denied or (variable[0] >= 0 and not sentence.text[slice(*variable)].isupper()):
        return None
    return ExplicitForm(CORRECTED, "correction", start, False, match.end(), is_doubtful=True)


CORRECTED = "corrected value"

_ASKS = lazy_regex(
    r"[?？]\s*$|^(?:(?:ok(?:ay)?|and|but|so|now|then|also|next|please|pls|first|alright|great|awesome"
    r"|yes)[\s,.!]{1,3}){0,3}(?:i(?:['’]d| would)? (?:want|need|like)|let['’]?s|lets|(?:can|could|would|will) (?:you"
    r"|we)|we (?:need|want) to"
    r"|there (?:is|are)|it (?:is|was|does|did))\b|^(?:请|帮我|你可以|继续|修复|检查|现在)",
    re.IGNORECASE,
)


def _is_task(sentence: Sentence, analysis: Analysis) -> bool:
    """Whether a sentence asks for something at hand, and is no complaint: what is beside it may belong to it."""
    begins_with_work = "work" in analysis.concepts and analysis.concepts["work"] <= MAX_WORDS_BEFORE
    is_polite = analysis.concepts.get("request") == 0 and _LASTING.isdisjoint(analysis.concepts)
    is_request = begins_with_work or is_polite or _ASKS.search(sentence.text) is not None
    return is_request and not complains(sentence.text)


MAX_WORDS_BEFORE = 1
"""Words before the verb of a request: "please fix …"."""

_LASTING = frozenset({"always", "never", "from_now_on", "must", "stop", "permission", "convention", "use", "prefer"})
"""Concepts by which a polite sentence may be a rule itself: "please use pnpm"."""

SCOPE = lazy_regex(
    r"\b(?:always|never|ever|every\w{0,5}|anywhere|each|when(?:ever)?|any ?more|from now|before|after"
    r"|siempre|nunca|cada|antes"
    r"|toujours|jamais|chaque|avant|immer|nie(?:mals)?|jede[mnrs]?|sempre|mai|ogni|altijd|nooit|elke?|всегда|никогда"
    r"|кажд\w{0,4})\b|每|总是|永远|一律|以后|必ず|常に|毎回|今後|前に",
    re.IGNORECASE,
)
"""Words by which a sentence holds for more than one occasion."""

_REQUESTED = frozenset({"remember", "from now on"})
"""Forms that are the user's own words also in a paragraph beside pasted text."""

_LASTING_BESIDE_FENCE = frozenset({"no longer", "no, always", "always, never"})
"""Forms that are so beside a fenced block; the others often belong to the task that the block shows."""

_OF_TASK_WITHOUT_SCOPE = frozenset({"answers", "conduct"})
"""Forms of clauses that only shape the task beside them, unless a word says that they hold for more."""

_TO_DO = lazy_regex(
    r"^[^\n]{0,60}?\b(?:remember|forget|recuerd[ae]|olvides|acuérdate|oublie[zs]?(?: pas)?|lembre|lembra|esqueça"
    r"|ricorda(?:ti)?|dimenticare"
    r"|vergeet niet|onthoud|vergiss nicht)\b[\s:,]{0,3}"
    r"(?:(?:to|de|di|om)\b|d['’]|(?:that |que |che |dass )?(?:(?:we|you|i) (?:still |also |just )?"
    r"(?:(?:need|have) to|must|should)\b|tenemos que\b|hay que\b|necesitamos\b|debemos\b"
    r"|temos que\b|precisamos\b|devemos\b|nous devons\b"
    r"|on doit\b|il faut\b|dobbiamo\b))"
    r"|^(?:请)?(?:记得|别忘了|不要忘记)[，,]?(?:我们)?(?:还)?(?:需要|要|得|把)"
    r"|(?:しなければならない|する必要がある)(?:こと|の)を",
    re.IGNORECASE,
)
"""A reminder of something to do."""


def _is_reminder(form: ExplicitForm, text: str) -> bool:
    """Whether a request to remember is a reminder of what the task beside it needs."""
    if form.name != "remember" or SCOPE.search(text, form.start) or has_concept(text[form.start :], "of the project"):
        return False
    reminder = text[form.start :]
    is_for_now = _TO_DO.search(reminder) is not None or has_concept(reminder, "course of a task")
    return is_for_now or has_concept(text[: form.start], "added request")


def _beside(form: ExplicitForm, sentence: Sentence) -> Iterator[tuple[Sentence, Analysis]]:
    """Yield the parts of a sentence before and after its form."""
    for text in (sentence.text[: form.start], sentence.text[form.end or len(sentence.text) :]):
        if text.strip():
            yield sentence._replace(text=text.strip(" ,;，；、。")), analyze(text)


def _scored(sentence: Sentence, analysis: Analysis, context: Context) -> Statement:
    """Return the sentence with the score of the linear model, and the features that decided.

    What lasts may be a standing instruction if it is a rule rather than a fact, and no part of a long message.
    """
    features = (*features_of(sentence, analysis, context), *word_features(sentence.text))
    table = weights()
    score = score_of(features, table.lasting)
    is_of_task = is_for_its_task(sentence, context)
    if is_of_task:
        score = min(score, MAX_TASK_SCORE)
    if score < MIN_NEAR_MISS_SCORE:
        return Statement(
            text="", kind="fact", score=score, is_standing=False, reasons=(), start=sentence.start, end=sentence.end
        )
    parts = sorted(
        ((table.lasting[feature], feature) for feature in features if feature in table.lasting),
        key=lambda part: (-abs(part[0]), part[1]),
    )
    kind = _kind_of(analysis)
    other = "behaviour of the product|chosen here" if kind == "preference" else "behaviour of the product"
    is_bound = is_of_task or "mention" in features or "#file:" in sentence.text or has_concept(sentence.text, other)
    is_rule = score_of(features, table.rule) >= MIN_RULE_PROBABILITY
    is_standing = is_rule and context.length <= MAX_SCORED_CHARACTERS and not is_bound
    return Statement(
        text=sentence.text,
        kind="rule" if is_rule and kind == "fact" else kind,
        score=score,
        is_standing=is_standing,
        reasons=tuple(f"{feature} {weight:+.2f}" for weight, feature in parts[:MAX_REASONS]),
        start=sentence.start,
        end=sentence.end,
    )


def score_of(features: Iterable[str], table: Mapping[str, float]) -> float:
    """Return the probability that a logistic model gives a sentence."""
    total = table[""] + sum(table.get(feature, 0.0) for feature in features)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def is_for_its_task(sentence: Sentence, context: Context) -> bool:
    """Whether a sentence is of the task at hand whatever its words weigh: a wish, a guess, a part of a document."""
    text = sentence.text
    return (
        context.has_paste
        or context.in_quotation
        or context.length > MAX_SPECIFICATION
        or _IS_WISH.search(text) is not None
        or SUPPOSITION.match(_CONJUNCTION.sub("", text).lower()) is not None
        or is_for_one_task(text)
        or reports_others(text)
        or has_concept(text, "points only")
        or (len(text) >= MIN_SHOUTED and text.upper() == text != text.lower())
    )


MIN_SHOUTED = 20

_IS_WISH = lazy_regex(
    r"\bable to\b|[?？]\s*$"
    r"|^(?:(?:also|so|what|now|and|but|ok|okay|well|actually|hi|hey|then|please|next|all|the (?:only|next|first) thing)"
    r"[\s,]+){0,3}(?:(?:i|we|i['’]d|we['’]d)\s)?(?:(?:just|really|also|still|now|only|would)\s){0,2}"
    r"(?:want|need|like|wish|have to|should|must)\b"
    r"(?!.*\b(?:always|never|every|any ?time|whenever|prefer|from now|not \w+ing|you to (?:not|ask|never|always)"
    r"|rather)\b)"
    r"|^(?:can|could|would|will|do|does|is|are|what|how|why|where|which|who|if|maybe|perhaps|i think|i guess|i wonder"
    r"|let['’]?s|lets)\b|^(?:then|next|first|second|third|finally|after that|once (?:that|this|it))\b"
    r"|\b(?:if|as|where|when) (?:you )?(?:need(?:ed)?(?: to| be)?|necessary)\b"
    r"|\b(?:don['’]?t|do not|can['’]?t|cannot) (?:remember|recall|know)\b|\bwhether\b",
    re.IGNORECASE,
)
"""A wish for what is built, a question, a guess: each may have the words of a rule."""

_CONJUNCTION = lazy_regex(r"^(?:and|but|so|because|coz|then|y|pero|et|mais|und|aber|e|mas)[\s,]{1,3}", re.IGNORECASE)

"""A move that is made once, a report of what happens to the user, what others may do, and "no need to write code"."""


_KINDS: Sequence[tuple[StatementForm, frozenset[str]]] = (
    ("remember", frozenset({"remember"})),
    ("correction", frozenset({"complaint"})),
    ("rejection", frozenset({"no_longer", "dropped"})),
    ("preference", frozenset({"prefer"})),
    ("decision", frozenset({"decided"})),
    (
        "rule",
        frozenset({"always", "never", "from_now_on", "must", "stop", "permission", "convention", "use", "likeness"}),
    ),
)


def _kind_of(analysis: Analysis) -> StatementForm:
    return next((kind for kind, signs in _KINDS if not signs.isdisjoint(analysis.concepts)), "fact")


_REASON = lazy_regex(
    r"^(?:except|unless|ausgenommen|außer|sauf|salvo|excepto|exceto|tranne|behalve|кроме|ただし|除了|除非"
    r"|because|since|as (?:we|it|that)|otherwise|the reason|reason|grund\b|motivo\b|razón\b|raison\b"
    r"|so that|that way|porque|ya que|si no|parce qu|car|sinon|weil|denn|sonst|damit|pois|senão|perché|altrimenti"
    r"|omdat|anders|reden\b|причина\b|理由|原因|потому|иначе|так как|因为|否则|なぜなら|そうしないと|でないと)",
    re.IGNORECASE,
)
_REFERS = lazy_regex(
    r"^(?:[\w'’]{1,20}[\s,:]{1,3}){0,7}(?:it(?!(?:['’]s| is| was| would be| will be) (?:\w{1,12} ){0,2}"
    r"(?:better|best|important|easier|possible|necessary|likely|good|fine|clear|hard|safe|worth)\b)|them)\b|"
    r"^(?:(?:please|so|and|but|always|never|don['’]?t|do not|just|only|use|keep|put|do|make|we|i|you|should|must"
    r"|want|need|to|that|prefer|also)\s){0,5}(?:it|them|they|those|these|this|that)\b"
    r"|^(?:please )?(?:remember|note) (?:that|this)(?: for| in|[\s.!]*$)"
    r"|^(?:ça|cela|ceci|das|dies|eso|esto|isso|isto|questo|dit|dat|это|这|它|これ|それ)",
    re.IGNORECASE,
)


def only_points(rule: str) -> bool:
    """Whether a rule names its subject by a word such as "these" alone: nobody understands it in another session."""
    return has_concept(rule, "subject that points")


MAX_JOINED = 500
"""Characters of a statement with its neighbours."""


def _with_neighbours(message: str, statement: Statement, sentences: Sequence[Sentence], index: int) -> Statement:
    """Return the statement with the reason that follows it, and the sentence that its pronoun refers to."""
    start, end = statement.start, statement.end
    if index + 1 < len(sentences) and statement.end == sentences[index].end:
        following = sentences[index + 1]
        is_addition = holds_on(following.text) or has_concept(following.text, "exception after")
        if (
            (is_addition or _REASON.match(following.text))
            and following.end - start <= MAX_JOINED
            and _adjoins(sentences[index], following)
        ):
            end = following.end
    if index > 0 and _REFERS.search(statement.text):
        previous = sentences[index - 1]
        if end - previous.start <= MAX_JOINED and _adjoins(previous, sentences[index]):
            start = previous.start
    return statement._replace(text=" ".join(message[start:end].split()), start=start, end=end)


def _adjoins(first: Sentence, second: Sentence) -> bool:
    return second.start - first.end <= 3 and not second.is_item


def _disjoint(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements without those inside a better one."""
    chosen: list[Statement] = []
    for statement in statements:
        if all(statement.end <= other.start or statement.start >= other.end for other in chosen):
            chosen.append(statement)
    return chosen


WEIGHTS_FILE = Path(__file__).parent / "statement_weights.txt"

MAX_RUN = 3
"""Characters of a run in a language without spaces."""

_TOKEN = lazy_regex(
    r"`[^`\n]{1,120}`|[\w.@-]{0,80}[/_][\w./@-]{1,200}|[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*|[?:;,.!—–-]"
)
_MIXED_CASE = lazy_regex(r"[a-z][A-Z]")
_BEGIN, _END = "^", "$"


class Weights(NamedTuple):
    """The parts that features have in the odds that a sentence lasts, and in those that what lasts is a rule.

    The empty name has what every sentence begins with.
    """

    lasting: dict[str, float]
    rule: dict[str, float]


@cache
def weights() -> Weights:
    """Return the weights of all features that have one."""
    found = Weights({}, {})
    for line in WEIGHTS_FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# "):
            lasting, rule, feature = line.split("\t")
            found.lasting[feature] = float(lasting)
            found.rule[feature] = float(rule)
    return found


def word_features(text: str) -> list[str]:
    """Return the features of a sentence, each once: code, numbers and names of tools stand for all of their kind.

    A sentence ends with a full stop, typed or not; the tokens of Chinese and Japanese have none.
    """
    tokens = [_plain_token(match[0]) for match in _TOKEN.finditer(text)]
    if text.endswith(("`", ")")) or (text[-1:].isalnum() and not UNSPACED.match(text[-1])):
        tokens.append(".")
    features = [f"word {token}" for token in tokens]
    features += [f"words {first} {second}" for first, second in pairwise((_BEGIN, *tokens, _END))]
    features += _runs(text)
    return list(dict.fromkeys(features))


def _plain_token(token: str) -> str:
    if token[0] == "`" or "/" in token or "_" in token or _MIXED_CASE.search(token):
        return "<code>"
    if token[0].isdigit():
        return "<number>"
    word = token.lower().replace("’", "'")
    return "<tool>" if word in TOOL_NAMES and word not in common_terms() else word


def _runs(text: str) -> Iterator[str]:
    if text.isascii():
        return
    characters = "".join(UNSPACED.findall(text))
    for length in range(1, MAX_RUN + 1):
        for start in range(len(characters) - length + 1):
            yield f"characters {characters[start : start + length]}"
