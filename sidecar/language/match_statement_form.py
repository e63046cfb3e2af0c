"""Explicit forms in which users state what lasts: always statements, whatever the linear model says. Pure.

Anchored forms ("from now on …") are in `statement_forms`. A clause without one lasts by what it combines:
an occasion and no symptom, a tool against another, a habit of the team. Its concepts are in `lasting_words.txt`, in
ten languages; `_CLAUSES` combines them. A report of what happens ("it always resets"), an object that only points at
the task, a supposition and the behaviour of the product to be built are none, or no standing instruction.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.lasting_patterns import concept_pattern, has_concept, lowered
from sidecar.language.rule_synonyms import LASTING
from sidecar.language.sentence_features import ONE_OFF, Analysis, Context, Sentence, analyze, as_request, tokens_of
from sidecar.language.statement_forms import DECIDED, FORMS, NO_LONGER, WHY_AGAIN, StatementForm, words_of
from sidecar.language.statement_openings import TASK

MIN_CONTENT = 2
"""Words that an explicit form needs beside its phrase."""

MAX_BESIDE_PASTE = 400
"""Characters of the user beside pasted text from which a message may be a ticket: its forms are scored only."""


class ExplicitForm(NamedTuple):
    """A form by its name, and where its statement starts in the sentence."""

    name: str
    kind: StatementForm
    start: int
    is_sure: bool
    """Whether its statement is a standing one also in a message that says more."""
    end: int | None = None
    """End of its statement in the sentence; None where the sentence ends."""
    is_doubtful: bool = False
    """Whether its statement may concern the product or the task at hand: it is never a standing one."""

    may_be_task: bool = False
    """Whether its statement may belong to a task beside it in the message: it is a standing one only without."""


_HYPOTHETICAL = frozenset(
    ("from now on", "no longer", "always, never", "all must", "prefer", "I do it", "for later", "house choice", "place")
)
_LASTING_TASK = frozenset((
    "always, never", "I do it", "all must", "like everywhere", "prefer", "not any more", "house choice", "convention",
    "language of answers", "ask first", "brief rule",
))  # fmt: skip
"""Forms that a word like "for now" or "later" makes part of the task at hand."""


_IS_SUPPOSED, _IS_CONDITION, _IS_WRITTEN, _LOCATED, _HOLDS_ON, DENIAL, CORRECTED_VALUE = map(
    concept_pattern, ("supposition", "condition", "writing", "located", "mark after", "denial", "corrected value")
)
_BAN_OF_TASK, _AT_ONCE, _PRODUCT, _SYMPTOM, _REPORTED = map(
    concept_pattern, ("ban of task", "at once", "behaviour of the product", "report of a fault", "words of another")
)
_OPENING, _PLACE_FIRST, _ASIDE, _JOINED_RULE, _CONCLUSION, SUPPOSITION = map(
    concept_pattern, ("opening", "place first", "aside", "joined rule", "conclusion", "uncertain opening")
)


def is_specified(following: str) -> bool:
    """Whether a sentence makes the one before it a specification of what is to be built: "Implement that"."""
    return has_concept(following, "specified")


def holds_on(following: str) -> bool:
    """Whether a sentence makes the one before it last: "No exceptions", "That goes for all modules"."""
    return _HOLDS_ON.match(lowered(following)) is not None


def complains(sentence: str) -> bool:
    """Whether a sentence holds something against the agent: "again with …", "how many times …"."""
    lower = lowered(sentence)
    return _COMPLAINT.search(lower) is not None or _INSIST.search(lower) is not None


def without_lasting_words(sentence: str) -> str:
    """Return a sentence without words that only make it last, or say that it was stated before: "from now on …".

    A single word, such as "pnpm", says nothing without them.
    """
    lower = lowered(sentence)
    lead, end = concept_pattern("lasting lead").match(lower), concept_pattern("complaint end").search(lower)
    core = sentence[lead.end() if lead else 0 : end.start() if end else len(sentence)].strip()
    return core if " " in core or (core and not core.isascii()) else sentence


def is_request_to_remember(sentence: str) -> bool:
    """Whether a sentence only asks to remember the one before it: "Please remember this for next time"."""
    return concept_pattern("request to remember").match(lowered(sentence)) is not None


def _remembered_form(sentence: Sentence, analysis: Analysis, following: str) -> ExplicitForm | None:
    """Return the form of a statement that its own last words, or the next sentence, ask to remember."""
    text = lowered(sentence.text)
    request = concept_pattern("request to remember").search(text)
    if request is None and not is_request_to_remember(following):
        return None
    end = request.start() if request else len(text)
    content = text[:end].rstrip()
    lasts = "dont" in analysis.concepts or any(word in content for word in LASTING)
    is_task = analysis.concepts.get("work", MIN_CONTENT) < MIN_CONTENT and not lasts
    if is_task or _size(content) < MIN_CONTENT or SUPPOSITION.match(content) or _reports_fault(content):
        return None
    if _points_only("remember", content) or has_concept(content, "question of memory|wish to build"):
        return None
    return ExplicitForm("remember", "remember", 0, True, end)


def explicit_form(
    sentence: Sentence, analysis: Analysis, context: Context, previous: str = "", following: str = ""
) -> ExplicitForm | None:
    """Return the explicit form of a sentence between `previous` and `following`.

    Opening words state nothing: "Actually, …". A rule after an aside, joined to a task or drawn from a reason is judged
    by itself: "btw we never …", "fix it, and never use …", "we're on 3.9, so never use …".
    """
    opening = _OPENING.match(lowered(sentence.text))
    if opening is not None:
        stated = sentence._replace(text=sentence.text[opening.end() :])
        form = explicit_form(stated, analyze(stated.text), context, previous, following)
        return None if form is None else _moved(form, opening.end())
    if is_specified(following) or has_concept(sentence.text, "hedge at end"):
        return None
    form = _request_form(sentence, analysis, context, previous, following)
    for start in _rule_starts(sentence.text):
        if form is not None and not form.is_doubtful and form.start >= start:
            return form._replace(is_doubtful=_is_joined(form, sentence.text))
        rule = sentence._replace(text=sentence.text[start:])
        own = _request_form(rule, analyze(rule.text), context, "", following)
        if own is not None and not own.is_doubtful:
            joined = _moved(own, start)._replace(is_doubtful=_is_joined(own, sentence.text), may_be_task=False)
            reason = _CONCLUSION.search(lowered(sentence.text)) if len(sentence.text) <= MAX_CLAUSE else None
            return joined._replace(start=0) if reason is not None and reason.end() == start else joined
    return form


def _moved(form: ExplicitForm, by: int) -> ExplicitForm:
    """Return a form of a text's end in the whole text, which begins `by` characters earlier."""
    return form._replace(start=by + form.start, end=None if form.end is None else by + form.end)


def _is_joined(form: ExplicitForm, text: str) -> bool:
    """Whether a form's rule is about a thing of the task to which it is joined: "…, but never drop the column"."""
    return form.name in HABITS and has_concept(text, "joined to the task")


def _rule_starts(text: str) -> Iterator[int]:
    """Yield where a rule may start in a sentence: after an aside, a reason, and where it is joined to a task."""
    aside = _ASIDE.match(lower := lowered(text))
    if aside is not None:
        yield aside.end()
    begin = aside.end() if aside else 0
    for match in islice(_JOINED_RULE.finditer(lower, begin), MAX_JOINED):
        task = lower[begin : match.start()]
        is_rule = not _OF_RULES.isdisjoint(analyze(task).concepts)
        if _requests_work(task) and not is_rule and not has_concept(lower[match.end() :], "rule of the task"):
            yield match.end()
    conclusion = _CONCLUSION.search(lower, begin)
    reason = lower[begin : conclusion.start()] if conclusion else ""
    if conclusion and not (_requests_work(reason) or SUPPOSITION.match(reason)):
        yield conclusion.end()


def _requests_work(text: str) -> bool:
    """Whether the part of a sentence before a conjunction is a task."""
    begins_with_work = analyze(text).concepts.get("work", MIN_CONTENT) < MIN_CONTENT
    return begins_with_work or TASK.match(text) is not None or has_concept(text, "task verb")


MAX_JOINED = 3
"""Conjunctions of a sentence after which a rule is looked for."""

_OF_RULES = frozenset({"always", "never", "from_now_on", "must", "convention", "use", "prefer", "stop"})
"""Concepts by which the part before a conjunction is a rule itself."""


def _request_form(
    sentence: Sentence, analysis: Analysis, context: Context, previous: str, following: str
) -> ExplicitForm | None:
    """Return the form of a sentence; one in the form of a question may be a request."""
    start, text = as_request(sentence.text)
    for reordered in _with_place_later(text):
        form = _form(sentence._replace(text=reordered), analysis, context, previous, following)
        if form is not None and not form.is_doubtful and form.start == 0 and form.end in (None, len(reordered)):
            return form._replace(end=None)
    form = _form(sentence._replace(text=text), analysis, context, previous, following)
    if form is None or text == sentence.text:
        return form
    return form._replace(start=start + form.start, end=start + (len(text) if form.end is None else form.end))


def _with_place_later(text: str) -> Iterator[str]:
    """Yield a sentence that begins with its place ("in tests/, never …") in the orders in which forms are known."""
    if (place := _PLACE_FIRST.match(lowered(text))) is None:
        return
    where, rest = place[0].strip(" ,，:："), text[place.end() :].rstrip(" .!。")
    first, _, others = rest.partition(" ")
    yield from (f"{rest} {where}", f"{first} {where} {others}", rest)


def _form(
    request: Sentence, analysis: Analysis, context: Context, previous: str, following: str
) -> ExplicitForm | None:
    """Return the better of a request's anchored form and that of its lasting clause."""
    anchored = _remembered_form(request, analysis, following) or _anchored_form(request, analysis, context, previous)
    combined = None
    if anchored is None or anchored.is_doubtful:
        combined = _combined_form(request, analysis, context, previous, following)
    form = combined if anchored is None or (combined is not None and not combined.is_doubtful) else anchored
    if form is None or form.name not in HABITS or not _serves_repair(request.text, following):
        return form
    return None if _is_report(request.text, following) else form._replace(is_doubtful=True)


HABITS = frozenset(("always, never", "always", "never"))
"""Forms whose words also report what goes wrong: "we never close it"."""


def _is_report(text: str, following: str) -> bool:
    """Whether a text with "always" or "never" is the report of a fault, or the words of another."""
    is_found = has_concept(text, "fault found") or has_concept(following, "fault named")
    return (is_found and has_concept(text, "habit of somebody")) or has_concept(text, "cause of a fault|named source")


def belongs_to_task(text: str, following: str) -> bool:
    """Whether a sentence has a habit or ban that is of the task or a report, whatever its words score."""
    return has_concept(text, "joined to the task") or _serves_repair(text, following)


def _serves_repair(text: str, following: str) -> bool:
    """Whether a habit is a fault that is reported or to be repaired, or is stated below the label of another."""
    if _is_report(text, following):
        return True
    is_repaired = has_concept(text, "repair of it") or has_concept(following, "repair of it|fault found")
    return has_concept(text, "habit of somebody") and (is_repaired or has_concept(text, "label of another"))


def _combined_form(
    sentence: Sentence, analysis: Analysis, context: Context, previous: str, following: str
) -> ExplicitForm | None:
    """Return the form of a sentence's lasting clause; none in a message that is a specification."""
    text = lowered(sentence.text)
    if context.has_paste or context.in_quotation or context.total > MAX_SENTENCES_OF_UNSURE:
        return None
    is_task = has_concept(text, "task at end") or _IS_WRITTEN.search(text) is not None
    if _IS_SUPPOSED.match(text) or (is_task and not _IS_CONDITION.match(text)):
        return None
    found = _lasting_clause(text, lowered(previous), lowered(following))
    if found is None:
        return None
    form, start, end = found
    is_shown = _PRODUCT.search(text[start:end]) is not None and not has_concept(text[start:], "to me")
    if is_shown or _REPORTED.search(text[:start]):
        return None
    bans_next_step = form.name == "conduct" and _BAN_OF_TASK.search(text) is not None
    is_of_task = bans_next_step or form.name in _OFTEN_OF_THE_TASK or _AT_ONCE.match(text, start) is not None
    is_loose = not form.is_sure or "hypothesis" in analysis.concepts or has_concept(text[start:], "diagnosis")
    may_be_task = form.name not in _BESIDE_TASK
    return ExplicitForm(form.name, form.kind, start, False, end, is_loose or is_of_task, may_be_task)


def _anchored_form(sentence: Sentence, analysis: Analysis, context: Context, previous: str) -> ExplicitForm | None:
    if context.has_paste and context.length > MAX_BESIDE_PASTE:
        return None
    text = sentence.text
    words = frozenset(analysis.tokens)
    if _cites_decision(text, words, previous, is_unspaced=bool(analysis.unspaced)):
        return ExplicitForm("cited decision", "correction", 0, True)
    forms = [form for form in FORMS if analysis.unspaced or not form.words.isdisjoint(words)]
    if not forms or has_concept(text, "question of memory"):
        return None
    denied = "no, " if DENIAL.fullmatch(lowered(previous)) else ""
    for name, kind, pattern, _ in forms:
        match = pattern.search(f"{denied}{text}" if name == "no, always" else text)
        if match is None or (name in _HYPOTHETICAL and SUPPOSITION.match(lowered(text))):
            continue
        is_of_task = name != "no longer" and has_concept(text, "task at end")
        if is_of_task or _REPORTED.search(lowered(text[: match.start()])):
            continue
        start, content = _start_and_content(name, text, match)
        end = _end(name, text, match)
        if name in _UNSURE and context.total > MAX_SENTENCES_OF_UNSURE:
            continue
        is_tool = name == "from now on" and has_concept(content, "tool")
        if (is_tool or _size(content) >= MIN_CONTENT) and not (_points_only(name, content) or _reports_fault(content)):
            if _is_of_one_feature(name, content):
                continue
            is_stated = context.total == 1 and _TAIL.search(match[0]) and not has_concept(content, "possibility")
            is_loose = name == "place" or (has_concept(text, "keep in mind") and not is_stated)
            is_diagnosis = name == "always, never" and has_concept(content, "diagnosis")
            is_guess = is_diagnosis or "hypothesis" in analysis.concepts
            is_doubtful = is_loose or is_guess or has_concept(content, "behaviour of the product")
            return ExplicitForm(name, kind, start, name not in _UNSURE, end, is_doubtful)
    return None


def _reports_fault(content: str) -> bool:
    """Whether a text reports a fault; what its things do instead is none: "never raise, they return an error"."""
    lower = lowered(content)
    consequence = concept_pattern("consequence").search(lower)
    return _SYMPTOM.search(lower, 0, consequence.start() if consequence else len(lower)) is not None


def _is_of_one_feature(name: str, content: str) -> bool:
    """Whether a preference or requirement is about one place of the product, not about all that is to come."""
    if (concept := _OF_ONE_FEATURE.get(name)) is not None:
        return has_concept(content, concept)
    if name not in ("prefer", "all must", "tool instead"):
        return False
    if name == "prefer" and has_concept(content, "one thing") and not _TECHNICAL.search(lowered(content)):
        return True
    is_shown = name != "tool instead" and _PRODUCT.search(lowered(content)) and not has_concept(content, "ours")
    return bool(is_shown) or _LOCATED.search(lowered(content)) is not None


_OF_ONE_FEATURE = {
    "from now on": "news or role", "no longer": "one part", "always, never": "specified display",
    "convention": "rule in a state",
}  # fmt: skip


def _start_and_content(name: str, text: str, match: re.Match[str]) -> tuple[int, str]:
    """Return where the statement of a form starts, and its words beside the phrase; none if it is for the task."""
    if name == "remember":
        content = text[match.end() :]
        if _concerns_another(text, match) or (match[0].rstrip().endswith(" to") and has_concept(content, "added step")):
            return 0, ""
        if has_concept(match[0], "not to forget") and analyze(content).concepts.get("work") == 0:
            return 0, ""
        if match["closing"]:
            return 0, text[: match.end("closing")]
        return max(match.start("form"), match.start("unspaced")), content
    if name in ("from now on", "for later"):
        task = _ELLIPSIS.match(text, 0, match.start())
        start = match.start() if _begins_clause(text, match) else task.end() if task else 0
        return start, f"{text[: match.start()]} {text[match.end() :]}"
    if name == "said before":
        content = text[match.end() - 1 :]
        return 0, text if concept_pattern("known tool").search(content) else content
    if name == "language of answers":
        return _start_of_language(text, match), text
    if name == "no longer" and has_concept(text[: match.start()], "part of a task"):
        return 0, ""
    return 0, "" if name in _LASTING_TASK and ONE_OFF.search(text) else text


def _start_of_language(text: str, match: re.Match[str]) -> int:
    """Return where a language for answers starts: words before it are the task, unless they only lead to it."""
    before = text[: match.start()]
    if _size(before) <= MAX_LEAD and not _UNSPACED_END.search(before):
        return 0
    return match.end() - len(match[0].lstrip(" ,;.!，。；"))


def _end(name: str, text: str, match: re.Match[str]) -> int | None:
    """Return where the statement of a form ends, if the task follows it in the sentence."""
    if name == "language of answers" and match.end() < len(text) and text[match.end()] in "，,。；":
        return match.end() if _size(match[0]) <= MAX_LEAD * 2 and not match[0].isascii() else None
    after = concept_pattern("task after" if name == "no longer" else "request after")
    tail = after.search(lowered(text), match.end())
    return tail.start() if tail else None


MAX_LEAD = 3
"""Words before a language for answers that only lead to it: "ok, from you please"."""

_UNSPACED = lazy_regex(r"[\u3040-\u9fff]")
_UNSPACED_END = lazy_regex(r"[\u3040-\u9fff][\s，,、；]{0,3}\Z")
_ELLIPSIS = lazy_regex(r".*(?:\.{3,}|…)\s{0,3}")
_UNSURE = frozenset({"all must", "prefer", "tool instead", "house choice", "place", "not any more", "brief rule"})
"""Forms that also occur in specifications of one feature."""

MAX_SENTENCES_OF_UNSURE = 5
"""Sentences of a message from which an unsure form may belong to a specification."""

_DECIDED_WORDS = words_of(
    "decided agreed settled said told decidimos acordamos dijimos decidido quedamos combinamos dissemos décidé dit"
    " convenu entschieden beschlossen gesagt vereinbart geeinigt combinou decidiu combinado deciso concordato detto"
    " afgesproken besloten договорились решили"
)


def _cites_decision(text: str, words: frozenset[str], previous: str, *, is_unspaced: bool) -> bool:
    """Whether a sentence holds a decision against what the agent did: "why npm again? we decided on pnpm"."""
    if (_DECIDED_WORDS.isdisjoint(words) and not is_unspaced) or has_concept(text, "question of memory"):
        return False
    if (decided := DECIDED.search(text)) is None or _size(text[decided.start() :]) < MIN_CONTENT + 1:
        return False
    return WHY_AGAIN.search(f"{previous}\n{text[: decided.start()]}") is not None


_TAIL = lazy_regex(r"(?:that|que|dass|che|dat|что|że|:|：)\s{0,3}$", re.IGNORECASE)


def _concerns_another(text: str, match: re.Match[str]) -> bool:
    """Whether "remember" is a wish about somebody else in the middle of a sentence: "it should … and remember them"."""
    before = text[: match.start()].strip()
    return bool(before) and text[match.start()].isalpha() and _TAIL.search(match[0]) is None


def _begins_clause(text: str, form: re.Match[str]) -> bool:
    """Whether a form in the middle of a sentence opens a clause of its own, which is more than a reason."""
    before, after = text[: form.start()], text[form.end() :]
    is_long = _size(text[form.start() :]) > MIN_CONTENT + 3
    return is_long and has_concept(before, "end of a clause") and not has_concept(after, "reason of a wish")


def _points_only(name: str, content: str) -> bool:
    """Whether an explicit form only points at the task at hand: "remember to fix this"."""
    core = NO_LONGER.sub(" ", content) if name == "no longer" else content
    if name == "remember":
        core = concept_pattern("value now").sub(r"\1", lowered(core))
    is_one_off = name == "remember" and ONE_OFF.search(core) is not None
    is_past = name == "remember" and has_concept(core, "past day")
    lasts = has_concept(core, "each") or any(word in core.lower() for word in LASTING)
    return is_past or has_concept(core, "points only") or (is_one_off and not lasts)


def _size(text: str) -> int:
    """Return the number of words; two characters of languages without spaces count as a word, as one left over does."""
    unspaced = sum(1 for character in text if "\u3040" <= character <= "\u9fff")
    return len(tokens_of(_UNSPACED.sub(" ", text))) + (unspaced + 1) // 2


class _Clause(NamedTuple):
    """A form of clauses by the concepts of which a clause has all, and those of which it has none."""

    name: str
    kind: StatementForm
    needs: tuple[re.Pattern[str], ...]
    without: re.Pattern[str] | None
    is_sure: bool
    """Whether a statement is a standing one, not only found by relevance."""

    may_ask: bool
    after_complaint: bool
    """Whether it is one only after a complaint."""

    def fits(self, has: Callable[[re.Pattern[str]], bool]) -> bool:
        """Whether a clause has the form; `has` says whether it has a concept."""
        return all(map(has, self.needs)) and not (self.without is not None and has(self.without))


def _clause(
    name: str,
    kind: StatementForm,
    needs: str,
    without: str = "",
    *,
    is_sure: bool = True,
    may_ask: bool = False,
    after_complaint: bool = False,
) -> _Clause:
    concepts = tuple(concept_pattern(names) for names in needs.split(" & "))
    return _Clause(
        name, kind, concepts, concept_pattern(without) if without else None, is_sure, may_ask, after_complaint
    )


_CLAUSES = (
    _clause("decision", "decision", "decision label", "request", is_sure=False),
    _clause("complaint", "correction", "told & technical", may_ask=True),
    _clause("complaint", "correction", "technical|scope|only these|our way", "symptom|request", after_complaint=True),
    _clause("complaint", "correction", "pointing ban", after_complaint=True),
    _clause("complaint", "correction", "insist & object|config", may_ask=True),
    _clause("habit", "rule", "occasion", "symptom|product event|report"),
    _clause("habit", "rule", "when you", "symptom|report"),
    _clause("habit", "rule", "every change|meant|declared rules|seen again|for all time", "symptom|report"),
    _clause("told again", "rule", "told again & we habit|rule is|scoped|team rule|impersonal", "symptom|report"),
    _clause("habit", "rule", "treat", may_ask=True),
    _clause("habit", "rule", "each time & technical", "symptom|happening|report"),
    _clause("habit", "rule", "step event", "symptom|definite"),
    _clause("habit", "rule", "imperfective & object", "definite"),
    _clause("when unsure", "rule", "unsure"),
    _clause("when unsure", "rule", "unclear & no guess"),
    _clause("ask first", "rule", "ask first|without asking", "product does"),
    _clause("working order", "rule", "first then|plan first|branch work|run with"),
    _clause("working order", "rule", "stepwise", is_sure=False),
    _clause("conduct", "rule", "stop|not asked|no explaining|whatever"),
    _clause("conduct", "rule", "stop using & scope|tool|for more"),
    _clause("conduct", "rule", "stop using", is_sure=False),
    _clause("conduct", "rule", "not do & object", "definite|part of the screen"),
    _clause("conduct", "rule", "do not act", "in place"),
    _clause("conduct", "rule", "annoys & negative"),
    _clause("always", "rule", "unspaced always & object|error", "built"),
    _clause("always", "rule", "always answer"),
    _clause("always", "rule", "never infinitive & object|main branch"),
    _clause("always", "rule", "never use infinitive"),
    _clause("never", "rule", "do not & never"),
    _clause("never", "rule", "never do & object", "definite|located"),
    _clause("never", "rule", "team rule", "uncertain habit|points only"),
    _clause("never", "rule", "rule of things & of all things", "symptom|uncertain habit"),
    _clause("never", "rule", "rule of things", "symptom|uncertain habit", is_sure=False),
    _clause("never", "rule", "modal rule & technical", "symptom|located|state of a value"),
    _clause("hands off", "rule", "hands off|allowed except"),
    _clause("banned", "rule", "banned & technical|scope", "banned person|conjecture"),
    _clause("banned", "rule", "unspaced ban & code|tool|mention"),
    _clause("no more", "rule", "ban object"),
    _clause("who does what", "rule", "who", "happening"),
    _clause("about me", "fact", "about me|beginner"),
    _clause("answers", "rule", "answer shape|style of answers", "getting"),
    _clause("answers", "rule", "push back", "getting|product does"),
    _clause("preference", "preference", "prefer & conduct & wide"),
    _clause("preference", "preference", "liking & technical"),
    _clause("preference", "preference", "rather have & object"),
    _clause("preference", "preference", "dislike & object", "part of the screen", is_sure=False),
    _clause("preference", "preference", "preference is"),
    _clause("preference", "preference", "praise & object", is_sure=False),
    _clause("preference", "preference", "praise always", is_sure=False),
    _clause("use", "rule", "your & with contrast"),
    _clause("use", "rule", "use generic|use for & with contrast|reason after", "definite"),
    _clause("contrast", "rule", "contrast|use not", "located|symptom"),
    _clause("convention", "rule", "mark inside|rule is|in general|existing"),
    _clause("convention", "rule", "we habit & technical", "we the"),
    _clause("convention", "rule", "scoped & technical|norm verb", "search"),
    _clause("convention", "rule", "scoped & we habit"),
    _clause("convention", "rule", "impersonal & object"),
    _clause("convention", "rule", "always is", "symptom"),
    _clause("always", "rule", "always with", "symptom|fault or place"),
    _clause("convention", "rule", "in all & norm verb|wanted"),
    _clause("glossary", "fact", "glossary"),
    _clause("glossary", "fact", "not word", is_sure=False),
    _clause("format", "rule", "format|unspaced format", "located"),
    _clause("format", "rule", "one per|value first|everywhere|line length|small|topic style", "on line"),
    _clause("format", "rule", "quantity", "symptom|field"),
    _clause("format", "rule", "two languages & dev|text", "translates"),
    _clause("contrast", "rule", "never after"),
    _clause("place", "rule", "place"),
    _clause("norm", "rule", "topic norm", "symptom|located"),
    _clause("norm", "rule", "topic must", "built"),
    _clause("norm", "rule", "topic stays"),
    _clause("all of a kind", "rule", "all of kind & dev & norm verb", "located|yours", is_sure=False),
    _clause("all of a kind", "rule", "on every & dev", "yours", is_sure=False),
    _clause("all of a kind", "rule", "each new", "located"),
    _clause("as the others", "rule", "as others", is_sure=False),
)
"""Forms that combine concepts, each a reason by its name."""

_BESIDE_TASK = frozenset(("ask first", "who does what", "about me", "no more", "always", "never"))
"""Forms of clauses that last whatever task is beside them."""

_OFTEN_OF_THE_TASK = frozenset(("convention", "format", "norm"))
"""Forms of clauses that were right in less than .85 of the messages of all repositories: found by relevance alone."""

_HOLDS_FOR_ALL = _clause("holds for all", "rule", "technical", "symptom")
"""A sentence that the following one extends to all."""
MAX_CLAUSE = 260
"""Characters of a clause that lasts; longer ones describe a task."""

_HEAD, _TASK_TAIL, _TIED, _PEOPLE, _QUESTION_OPENING = (
    concept_pattern(name) for name in ("head", "task tail", "tied", "people", "question")
)
_COMPLAINT, _INSIST, _TECHNICAL, _CONTENT = map(
    concept_pattern, ("complaint", "insist|told", "technical", "technical|negative")
)
_QUESTION = lazy_regex(r"[?？][\"')\]”»\s]{0,9}$")
_COMMA = lazy_regex(r"[,;，；] ?|\s[–—-]\s")


def _lasting_clause(text: str, previous: str, following: str) -> tuple[_Clause, int, int] | None:
    """Return the form of a sentence's lasting clause, and where the clause is; the task beside it is left out."""
    head = _HEAD.match(text)
    start = head.end() if head else 0
    tail = _TASK_TAIL.search(text, start)
    end = tail.start() if tail else len(text)
    clause = text[start:end]
    if not clause or len(clause) > MAX_CLAUSE or _TIED.search(clause) or _PEOPLE.match(clause):
        return None
    asks = (tail is None and _QUESTION.search(clause) is not None) or _QUESTION_OPENING.match(clause) is not None
    known: dict[re.Pattern[str], bool] = {}

    def has(concept: re.Pattern[str]) -> bool:
        if (answer := known.get(concept)) is None:
            answer = known[concept] = concept.search(clause) is not None
        return answer

    if not asks and _HOLDS_ON.match(following) and _HOLDS_FOR_ALL.fits(has):
        return _HOLDS_FOR_ALL, start, len(text)
    for form in _CLAUSES:
        if (asks and not form.may_ask) or not form.fits(has):
            continue
        if form.after_complaint and not _COMPLAINT.search(f"{previous}\n{text[:start]}"):
            continue
        first = form.needs[0].search(clause)
        start += _length_of_aside(clause, first.start() if first else 0)
        return form, start, len(text[:end].rstrip(" ?？"))
    return None


def _length_of_aside(clause: str, position: int) -> int:
    """Return the length of the words before the part with a form, if they name nothing of the work."""
    end = max((match.end() for match in _COMMA.finditer(clause, 0, position + 1)), default=0)
    aside = clause[:end]
    return 0 if _CONTENT.search(aside) or analyze(aside).concepts.get("use") == 0 else end
