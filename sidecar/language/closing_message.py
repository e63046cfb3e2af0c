"""Statements of an agent's final words about its work: problem, cause, change, evidence, open ends, and a title. Pure.

A statement is sorted by the heading or label above it and by its own words, in ten languages.
Announcements, offers, instructions to the user and praise are not statements about the work.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sidecar.core.clean_text import clip_at_word, with_capital, with_full_stop
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import UNSPACED, word_count
from sidecar.core.redact import redact
from sidecar.core.terms import query_terms
from sidecar.language import closing_message_patterns as patterns
from sidecar.language.closing_message_patterns import Section
from sidecar.language.common_words import account_terms
from sidecar.language.conclusions import Piece, former_states, pieces, plain_line, plain_text

SECTIONS: tuple[Section, ...] = ("problem", "cause", "change", "evidence", "open")

MAX_CHARACTERS = 40_000
"""Characters of a conclusion that are read, from its end: the account of the work comes last."""

MAX_STATEMENT = 400
MAX_SENTENCE = 600
MAX_TITLE = 120
MIN_TERMS = 2
"""Words without which a statement names nothing; one of them is informative, in a title all are."""

MIN_PARTS = 2
"""Headings of parts from which a conclusion has a section for each."""
NAMES_WORK = 1.5
"""Added to the score of the statement that gives the title, so that each run of an entry is represented."""


class AccountStatement(NamedTuple):
    """A statement of the agent about its work. A greater score explains more."""

    section: Section
    text: str
    score: float


class Candidate(NamedTuple):
    """A title, and how well it names the work."""

    text: str
    score: float
    names_whole: bool = False
    """Whether a reader who has not seen the conversation learns from it what was done, and not a part of that."""
    lines: int = 0
    """Lines that the run changed which it names."""


class WorkAccount(NamedTuple):
    """The statements of a conclusion in order, and the best title among them."""

    statements: tuple[AccountStatement, ...] = ()
    title: Candidate = Candidate("", 0.0)


NO_ACCOUNT = WorkAccount()

MIN_LABELLED_WORDS = 4
"""Words beside code that make a statement of a line below "Problem" or "Cause"; fewer are an item of a list."""


def account_of(conclusion: str, terms: Collection[str] = (), request: Collection[str] = ()) -> WorkAccount:
    """Return what a conclusion states about the work.

    Statements that share `terms` with the change explain more; a title names what the terms of the `request` name.
    """
    every = _sorted_pieces(conclusion, terms)
    headed = [piece.paragraph for piece, *_ in every if piece.is_heading and not piece.opens and not piece.item]
    listed = [_informative(piece.text) for piece, kind, _ in every if piece.item and kind == "change"]
    is_of_parts = sum(piece.is_heading and piece.of_part for piece, *_ in every) >= MIN_PARTS
    work = Work(frozenset(terms), frozenset(request), listed, is_of_parts)
    statements: dict[str, AccountStatement] = {}
    headings: set[str] = set()
    candidates: list[tuple[Candidate, str]] = []
    is_listing = False
    sentences = changes = 0
    for piece, kind, sequel in every:
        is_above = sum(heading < piece.paragraph for heading in headed) <= MAX_HEADINGS_ABOVE
        place = Place(sentences, not is_listing, is_above and not is_listing and changes < MAX_BEFORE)
        sentences += not piece.is_heading
        if kind is None or (kind == "change" and patterns.STATUS.search(piece.text)):
            continue
        words = _informative(piece.text)
        if not words or (kind != "evidence" and len({*words, *query_terms(piece.text)}) < MIN_TERMS):
            continue
        score = 1.0 + min(len(words & work.changed), 3) + 0.5 * bool(patterns.CAUSE.search(piece.text))
        score -= 1.0 * piece.is_nested + 0.002 * max(0, len(piece.text) - 200) + 1.0 * is_bookkeeping(piece.text)
        whole = _statement_text(piece)
        statements.setdefault(whole, AccountStatement(kind, whole + sequel, round(score, 2)))
        headings |= {whole} if piece.is_heading else set()
        if (candidate := _candidate(piece, place, kind, work)) is not None:
            candidates.append((candidate, whole))
        changes += kind == "change" and not piece.is_heading
        is_listing = is_listing or piece.item > 0
    best, named_by = max(candidates, key=lambda each: each[0].score, default=(Candidate("", 0.0), ""))
    if not best.text:
        stated = [account for text, account in statements.items() if text not in headings]
        return WorkAccount(_without_bookkeeping(stated, ""))
    sections = {account.section for account in statements.values()}
    is_explained = "evidence" in sections and not sections.isdisjoint(("problem", "cause"))
    best = best._replace(
        names_whole=best.names_whole and best.score >= (NAMES_EXPLAINED if is_explained else NAMES_WHOLE)
    )
    if best.names_whole:
        _add_listed(statements, [piece for piece, *_ in every], named_by, work.changed)
    naming = statements[named_by]
    statements[named_by] = naming._replace(score=round(naming.score + NAMES_WORK, 2))
    headings.discard(named_by)
    stated = [account for text, account in statements.items() if text not in headings]
    return WorkAccount(_without_bookkeeping(stated, named_by), best)


class SortedPiece(NamedTuple):
    """A piece of a conclusion, its section, and what follows it that only points at it."""

    piece: Piece
    kind: Section | None
    sequel: str = ""


def _sorted_pieces(conclusion: str, terms: Collection[str]) -> list[SortedPiece]:
    """Return the pieces of a conclusion with their sections.

    A cause without a label belongs to the work only beside a statement of the same paragraph; the reason of what the
    code does now is part of the change. A sentence that points at the one before belongs to it, or names nothing.
    """
    read = list(pieces(_report(conclusion[-MAX_CHARACTERS:])))
    former = former_states(read)
    every: list[SortedPiece] = []
    kinds = [_kind_of(piece, former) for piece in read]
    changed = {piece.paragraph for piece, kind in zip(read, kinds, strict=True) if kind == "change"}
    for piece, own_kind in zip(read, kinds, strict=True):
        kind = own_kind
        is_bound = piece.section in ("problem", "cause") or piece.paragraph in changed
        if kind == "cause" and not is_bound and not patterns.CAUSE_FIRST.search(piece.text):
            is_reason = any(each.kind == "change" for each in every) and _is_reason_of_code(piece, terms)
            kind = "change" if is_reason else None
        last = every[-1] if every else SortedPiece(piece, None)
        if kind in _JOINED and every and _points_at(piece, last.piece):
            is_title = not any(each.kind for each in every[:-1])
            if last.kind in _JOINED and not is_title and len(last.piece.text) + len(piece.text) < MAX_STATEMENT:
                every[-1] = last._replace(sequel=f"{last.sequel} {_statement_text(piece)}")
                kind = None
            kind = kind if last.kind is not None else None
        every.append(SortedPiece(piece, kind))
    return every


def _kind_of(piece: Piece, former: Collection[Piece]) -> Section | None:
    """Return the section of a piece: what its label calls a fix is a change, how it was before a change the problem."""
    kind = _section_of(piece)
    if kind in (None, "cause") and piece.has_label and piece.section == "change":
        is_statement = _is_about_work(piece.text) and not patterns.POINTS_BACK.match(piece.text)
        is_whole = word_count(patterns.CODE.sub("", piece.text)) >= MIN_LABELLED_WORDS
        is_fix = is_statement and is_whole and not patterns.CAUSE_FIRST.match(piece.text)
        return "change" if is_fix and not patterns.NOTHING_OPEN.search(piece.text) else kind
    return "problem" if kind is None and piece in former else kind


_JOINED = frozenset({"problem", "cause", "change"})
_POINTS = lazy_regex(
    r"(?:it(?! (?:was because|is because|turn))|its|they|their|dies\w*|esto|ello|cela|ça|isso|isto|questo|dit|это)\b"
    r"|それ|它",
    re.IGNORECASE,
)
"""A subject that the sentence before names."""


def _points_at(piece: Piece, before: Piece) -> bool:
    """Whether a sentence's subject is named by the one before it, in the same paragraph or item."""
    is_beside = (piece.paragraph, piece.item) == (before.paragraph, before.item) and not before.is_heading
    return is_beside and _POINTS.match(piece.text) is not None


def _is_reason_of_code(piece: Piece, terms: Collection[str]) -> bool:
    """Whether a sentence with a reason is about what changed, and of no fault."""
    is_about = not _informative(piece.text).isdisjoint(terms)
    is_fault = patterns.FAULT.search(patterns.CODE.sub("", piece.text)) is not None
    return is_about and not is_fault and not piece.is_heading and patterns.PRONOUN.search(piece.text) is None


def _add_listed(
    statements: dict[str, AccountStatement], pieces: Sequence[Piece], named_by: str, terms: Collection[str]
) -> None:
    """Add the items of lists below the statement that names the work: they say what it consists of."""
    texts = [_statement_text(piece) for piece in pieces]
    begin = texts.index(named_by) + 1
    is_listing = False
    for piece, text in zip(pieces[begin:], texts[begin:], strict=True):
        if is_listing and not piece.item:
            break
        is_listing = is_listing or piece.item > 0
        is_part = piece.item and not piece.is_nested and not piece.is_heading and piece.section in (None, "change")
        if not is_part or text in statements or not _is_about_work(piece.text) or patterns.OPEN.search(piece.text):
            continue
        words = _informative(piece.text)
        if len(words) >= MIN_TERMS and word_count(patterns.CODE.sub("", text)) >= MIN_LABELLED_WORDS:
            statements[text] = AccountStatement(
                "change", text, 0.8 - 0.4 * text.startswith("`") + 0.2 * min(len(words & set(terms)), 3)
            )


MIN_CHANGES = 2
"""Changes beside which bookkeeping is left out."""


def _without_bookkeeping(stated: Sequence[AccountStatement], named_by: str) -> tuple[AccountStatement, ...]:
    """Return what an account states without the progress of tasks, and without bookkeeping beside real changes."""
    work = [
        account
        for account in stated
        if account.text == named_by
        or not (
            patterns.STATUS.search(account.text)
            or (patterns.SUMS_UP.match(account.text) and patterns.VAGUE_TITLE.search(title_text(account.text)))
            or _is_bare_name(account.text)
            or _is_repeated(account, stated, named_by)
        )
    ]
    changes = sum(account.section == "change" and not is_bookkeeping(account.text) for account in work)
    if changes <= MIN_CHANGES:
        return tuple(work)
    return tuple(
        account
        for account in work
        if account.text == named_by or account.section != "change" or not is_bookkeeping(account.text)
    )


def _is_repeated(account: AccountStatement, stated: Sequence[AccountStatement], named_by: str) -> bool:
    """Whether all words of a statement are in a longer one of its section, or of a change in the one that names it."""
    terms = set(query_terms(account.text))
    return any(
        terms < set(query_terms(other.text)) or (other.text == named_by and terms == set(query_terms(other.text)))
        for other in stated
        if other != account and other.section == account.section
    )


def _statement_text(piece: Piece) -> str:
    plain = patterns.PRAISE_CLAUSE.sub("", patterns.DANGLING.sub("", piece.text))
    plain = _impersonal(patterns.REQUEST_REFERENCE.sub("", plain))
    plain = plain.capitalize() if piece.is_heading and plain.isupper() else plain
    is_sentence = piece.section != "evidence" or patterns.CHANGE.match(plain)
    plain = with_capital(plain) if piece.has_label and is_sentence else plain
    return clip_at_word(redact(plain), MAX_STATEMENT).rstrip("!:：")


def _impersonal(text: str) -> str:
    return patterns.YOUR.sub(lambda match: "The" if match[0][0] == "Y" else "the", text)


MAX_BEFORE = 2
"""Sentences about changes from which on another one names a part."""
MAX_HEADINGS_ABOVE = 1
"""Headings above a sentence that sums up what follows; below more of them it is about a section."""


def _report(conclusion: str) -> str:
    """Return what follows the last part that announces a next step; parts are separated by rules."""
    parts = _RULE.split(conclusion)
    begins = [number for number, part in enumerate(parts[:-1], 1) if announces_more(part)]
    after = "\n\n".join(parts[begins[-1] :]) if begins else ""
    return after if after.strip() else conclusion


_RULE = lazy_regex(r"(?m)^[ \t]{0,3}-{3,}[ \t]*$")

MIN_NAMING_TERMS = 3
"""Informative words of a title that names the whole work."""
MIN_REQUEST_TERMS = 4
"""A request with fewer informative words, such as "go on", names no work."""

TITLE_WEIGHTS: dict[str, float] = {
    "comes early": 2.2,
    "before a list": 1.9,
    "states a change": 1.5,
    "first person": 1.2,
    "opens a list or section": 0.6,
    "requested words": 0.6,
    "changed words": 0.3,
    "heading": -0.5,
    "item of a list": -1.2,
    "long": -0.7,
    "bookkeeping": -2.0,
    "finding": -1.0,
    "excluded": -3.0,
}
"""Weights of the parts whose sum tells how well a statement names the whole work."""
NAMES_WHOLE = 5.5
"""Sum of the parts from which a title names the whole work."""
NAMES_EXPLAINED = 3.0
"""The same beside a cause and evidence: who states both sums up one piece of work."""
LONG = 240
"""Characters from which a statement explains more than it names."""


class Work(NamedTuple):
    """Words and structure that the candidates of a conclusion are compared with."""

    changed: frozenset[str]
    """Words of the files and lines that changed."""
    requested: frozenset[str]
    listed: list[set[str]]
    """Words of each listed change."""
    is_of_parts: bool
    """Whether the conclusion has a section for each part of the work."""


class Place(NamedTuple):
    """Position of a piece in a conclusion."""

    sentences: int
    """Sentences and items before it."""
    before_list: bool
    is_first: bool
    """Whether no list, few changes and at most a heading are above it."""


def title_parts(title: str, piece: Piece, place: Place, kind: Section, work: Work) -> dict[str, float]:
    """Return the parts of which `TITLE_WEIGHTS` has the weights."""
    words = _informative(title)
    minor = patterns.MINOR.search(patterns.PATH.sub("", title))
    is_minor = minor is not None and work.requested.isdisjoint(query_terms(minor[0]))
    parts = {
        "comes early": 1 / (1 + place.sentences),
        "before a list": float(place.before_list and not piece.item),
        "states a change": float(kind == "change"),
        "first person": float(bool(patterns.SUMS_UP.match(piece.text))),
        "opens a list or section": float(piece.opens and place.is_first),
        "requested words": min(len(words & work.requested), 4),
        "changed words": min(len(words & work.changed), 3),
        "heading": float(piece.is_heading),
        "item of a list": float(piece.item > 0),
        "long": float(len(piece.text) > LONG),
        "bookkeeping": float(is_minor or patterns.BARE_OBJECT.match(title) is not None),
        "finding": float(bool(patterns.FINDING.match(piece.text))),
    }
    return parts | {"excluded": float(_is_excluded(title, piece, place, work, parts))}


def _is_excluded(title: str, piece: Piece, place: Place, work: Work, parts: dict[str, float]) -> bool:
    """Whether a title cannot name the whole: cut, vague, about something named elsewhere, or a part by its place."""
    words = _informative(title)
    opens = bool(parts["opens a list or section"])
    is_lead = opens or bool(parts["first person"])
    is_label = piece.is_heading and not opens and not patterns.DONE_HEADING.search(piece.text)
    is_beside = patterns.ALSO.match(piece.text) or patterns.FILE_ITEM.match(title)
    is_part = is_label or piece.item or (piece.of_part and work.is_of_parts) or is_beside
    is_vague = patterns.VAGUE_TITLE.search(title) or patterns.PRONOUN.search(title) or title.endswith("…")
    is_undone = UNSPACED.search(title) and not patterns.DONE_UNSPACED.search(piece.text)
    is_document = patterns.DOCUMENT.search(title) and not any(map(patterns.DOCUMENT_TERM.fullmatch, work.requested))
    requested, listed = len(words & work.requested), sum(bool(words & item) for item in work.listed)
    has_no_person = UNSPACED.search(title) is not None  # so that nothing tells a sentence that sums up from others
    changed = parts["changed words"]
    is_related = requested + listed + changed >= 1 if is_lead else max(requested, listed, changed * has_no_person) >= 2
    is_other = len(work.requested - account_terms()) >= MIN_REQUEST_TERMS and not is_related
    names_little = len(words) < MIN_NAMING_TERMS or len(_informative(patterns.CODE.sub("", title))) < MIN_TERMS
    is_aside = not (is_lead or place.is_first) or is_other or not _states_change(title, piece.text)
    return bool(is_part or is_vague or is_undone or is_document or is_aside or names_little)


def _states_change(title: str, statement: str) -> bool:
    """Whether what a title leaves of a statement still states a change, and no plan or cause beside it."""
    change, cause = patterns.CHANGE.search(statement), patterns.CAUSE.search(statement)
    last = title[-8:]
    if change is None or last not in statement:
        return True
    end = statement.find(last) + len(last)
    return change.start() < end and (cause is None or change.start() < cause.start())


def _candidate(piece: Piece, place: Place, kind: Section, work: Work) -> Candidate | None:
    """Return a statement as a title, which may name the whole unless excluded; None for one that names no work."""
    title = title_text(piece.text)
    is_guess = kind in ("cause", "problem") and not patterns.CAUSE_FIRST.search(piece.text)
    is_nameless = len(_informative(title)) < MIN_TERMS or _OBJECT_PRONOUN.match(title) is not None
    is_nameless |= not query_terms(patterns.CODE.sub("", title))
    if kind in ("evidence", "open") or is_guess or is_nameless or announces_more(title):
        return None
    is_done = patterns.CHANGE.search(piece.text) or patterns.FILE_ITEM.match(piece.text)
    if kind == "change" and not (is_done or piece.is_heading):
        return None
    parts = title_parts(title, piece, place, kind, work)
    score = round(sum(TITLE_WEIGHTS[part] * value for part, value in parts.items()), 2)
    return Candidate(redact(title), score, not parts["excluded"])


_OBJECT_PRONOUN = lazy_regex(r"(?i)\w+ (?:it|that|this|them|those|these)(?=$|[;:,.])")
"""A change without an object of its own: "Changed it; …"."""


def is_bookkeeping(statement: str) -> bool:
    """Whether a statement is of tidying or of documents beside the work, or names a file and nothing of it."""
    is_minor = patterns.MINOR.search(statement) or patterns.DOCUMENT.search(statement)
    file = patterns.FILE_ITEM.match(statement)
    is_file = file is not None and not patterns.CHANGE.search(statement[file.end() :])
    return bool(is_minor and not patterns.CAUSE.search(statement)) or is_file or _is_bare_name(statement)


def is_work(statement: AccountStatement) -> bool:
    """Whether a statement is of a fault, of something done, or names code; a list of features alone is not."""
    is_work_by_section = statement.section in ("problem", "cause", "commit")
    return is_work_by_section or bool(patterns.CHANGE.search(statement.text) or patterns.CODE.search(statement.text))


def _is_bare_name(statement: str) -> bool:
    beside = word_count(patterns.CODE.sub("", statement))
    return patterns.BARE_FILE.search(statement) is not None or (
        patterns.PATH.search(statement) is not None and beside < MIN_BESIDE
    )


MIN_BESIDE = 3
"""Words beside code without which a statement with a path only names it."""


def announces_more(conclusion: str) -> bool:
    """Whether the last line of a text announces a next step, or states that the run was cancelled."""
    last = next((line for line in map(plain_line, reversed(conclusion.splitlines())) if line), "")
    return last.endswith((":", "：")) or patterns.UNFINISHED.search(plain_text(last)) is not None


def title_text(statement: str) -> str:
    """Return a statement as a title on one line: without greeting, person and asides, cut at a clause."""
    plain = patterns.BASIS.sub("", plain_text(patterns.GREETING.sub("", plain_text(statement))))
    plain = patterns.PRAISE_CLAUSE.sub(
        "", patterns.DANGLING.sub("", plain_text(patterns.PERSON.sub("", patterns.PERSON.sub("", plain))))
    )
    praised, plain = plain, patterns.SUCCESS.sub("", plain)
    plain = patterns.TASK_NUMBER.sub("", plain if plain == praised else _ARTICLE.sub(r"\1n ", plain))
    plain = quoted[1] if (quoted := _QUOTED_NAME.match(plain)) is not None else plain
    plain = _impersonal(patterns.REQUEST_REFERENCE.sub("", plain))
    plain = patterns.PRESENT_AFTER_PAST.sub(r"\1", plain)
    if len(plain) > MAX_TITLE:
        plain = _LONG_PATH.sub("", plain)
    if len(plain) + len(UNSPACED.findall(plain)) > MAX_TITLE:
        ends = [match.start() for match in patterns.CUT.finditer(plain) if 24 <= match.start() <= MAX_TITLE]
        ends = [end for end in ends if _is_balanced(plain[:end])]
        if not ends:
            ends = [match.start() for match in patterns.LOOSE_CUT.finditer(plain) if 40 <= match.start() <= MAX_TITLE]
            ends = [end for end in ends if _is_balanced(plain[:end])]
        plain = plain[: ends[-1]] if ends else clip_at_word(plain, MAX_TITLE)
    plain = plain.rstrip(" .!:;,，。：；、！-–—(*")
    if plain.isupper() and len(plain.split()) > 1:
        plain = plain.capitalize()
    if plain.count("`") % 2:
        plain = plain.replace("`", "")
    return with_capital(plain)


_BY_USER = lazy_regex(r"^The user: “(.*)”\W?$")


def impersonal_sentence(statement: str) -> str:
    """Return a statement as a whole sentence without greeting and person, for readers of another conversation."""
    plain = _BY_USER.sub(r"\1", plain_text(patterns.GREETING.sub("", plain_text(statement))))
    plain = patterns.PERSON.sub("", patterns.PERSON.sub("", plain)).strip()
    return with_full_stop(with_capital(plain)) if plain else ""


_LONG_PATH = lazy_regex(r"(?<=`)(?:[\w.@$+-]++/)++(?=[\w.@$+-]+/[\w.@$+-]+`)")
"""Folders of a path in backticks before its last two parts."""
_LONE_ADJECTIVE = lazy_regex(r"\b(?:an?|un[ea]?|um|uma|eine?[nmr]?|een) \w+\W?$", re.IGNORECASE)
"""An article and one word, before a comma: the noun follows."""
_ARTICLE = lazy_regex(r"\b([Aa]) (?=(?!on(?:e|ce)\b|eu)[aeio][a-z])")


_QUOTED_NAME = lazy_regex(r"[\"“]([^\"“”]{12,})[\"”]")
"""A name of work in quotation marks, after which its place follows."""


def _is_balanced(text: str) -> bool:
    """Whether a text ends outside quotation marks, code, parentheses and a list of adjectives."""
    is_inside = text.count('"') % 2 or text.count("`") % 2 or text.count("(") > text.count(")")
    return not (is_inside or _LONE_ADJECTIVE.search(text))


_MAPPING = lazy_regex(r"[^→]{1,40}→")
"""A line of a table in words: a name, an arrow, what it stands for."""
_QUOTED = lazy_regex(r"[\"“„«][^\"”“»]{1,80}[\"”“»]|`[^`]*`")
"""Quoted text: what it states is not stated of the work."""


def _section_of(piece: Piece) -> Section | None:
    """Return the section of a statement: its own words count before the label above it."""
    text, section = piece.text, piece.section
    if not _is_about_work(text):
        return None
    if piece.is_heading:
        is_change = patterns.CHANGE.search if UNSPACED.search(text) else patterns.CHANGE.match
        is_done = is_change(text) or patterns.DONE_HEADING.search(text)
        return "change" if is_done and not patterns.VAGUE_HEADING.match(text) else None
    if patterns.NOTHING_OPEN.search(text) or patterns.POINTS_BACK.match(text):
        return None
    plain = patterns.CODE.sub("", text).strip(" :：-–—")
    is_plan = section == "open" and UNSPACED.search(text) and not patterns.DONE_UNSPACED.search(text)
    is_open = (
        is_plan
        or (patterns.OPEN.search(_QUOTED.sub("", text)) and (section == "open" or not UNSPACED.search(text)))
        or (section == "open" and not patterns.CHANGE.search(text))
    )
    if is_open:
        return "change" if not is_plan and patterns.CHANGE.match(plain) else "open"
    is_evidence = patterns.EVIDENCE.search(text) and not patterns.CONDITION.search(text)
    if is_evidence and (patterns.TESTS_FIRST.match(text) or not patterns.CHANGE.search(text)):
        return "evidence"
    is_change = patterns.CHANGE.search if UNSPACED.search(text) else patterns.CHANGE.match
    if section in ("problem", "cause") and not is_change(text) and not is_change(text.partition(": ")[2]):
        is_sentence = word_count(patterns.CODE.sub("", text)) >= MIN_LABELLED_WORDS
        if patterns.REMEDY.search(text):
            return None
        is_fault = (
            (piece.has_label and section == "cause") or patterns.FAULT.search(patterns.CODE.sub("", text)) is not None
        ) and not _MAPPING.match(text)
        return section if (is_sentence and is_fault) or patterns.CAUSE.search(text) else None
    is_stated = patterns.CHANGE.search(text) or (patterns.FILE_ITEM.match(text) and patterns.CHANGE.match(plain))
    if is_stated and not patterns.CAUSE_FIRST.match(text) and not patterns.NO_STATEMENT.match(text):
        return "change"
    if patterns.CAUSE.search(text):
        return "cause"
    return "evidence" if section == "evidence" and is_evidence else None


def _is_about_work(text: str) -> bool:
    """Whether a text is whole and neither a plan, an instruction, a step of every work nor mere praise."""
    if len(text) > MAX_SENTENCE or text.count('"') % 2 or patterns.ROUTINE.search(text):
        return False
    if patterns.CUT_OFF.search(patterns.DANGLING.sub("", text)):
        return False
    is_report = patterns.SUMS_UP.match(text) and patterns.CHANGE.match(text) and not text.endswith(("?", "？"))
    if patterns.NOT_WORK.search(text) and not is_report:
        return False
    text = patterns.PRAISE_CLAUSE.sub("", text)
    if patterns.PRAISE.search(text) or (patterns.HOLLOW.search(text) and not patterns.CAUSE.search(text)):
        return False
    return not patterns.BARE_UPDATE.match(patterns.CODE.sub("", text))


def _informative(text: str) -> set[str]:
    """Return the words of a text that name something; unspaced scripts count by pairs of characters."""
    words = {term for term in query_terms(text) if term not in account_terms()}
    unspaced = len(UNSPACED.findall(text))
    return words | {f"\0{number}" for number in range(unspaced // 4)}


def without_reversed(account: WorkAccount, later: str) -> WorkAccount:
    """Return an account without what later words about the same state the other way round: the first, not the last."""
    sentences = [(set(_WORD.findall(text)), set(query_terms(text))) for text in _SENTENCE_END.split(later.lower())]

    def is_reversed(statement: str) -> bool:
        words, terms = set(_WORD.findall(statement.lower())), set(query_terms(statement))
        opposites = {_OPPOSITES[word] for word in words & _OPPOSITES.keys() if _OPPOSITES[word] not in words}
        return any(
            not opposites.isdisjoint(other)
            and all(word not in other for word in words if _OPPOSITES.get(word) in opposites)
            and len(terms & about) >= max(MIN_SHARED, len(terms) / 2)
            for other, about in sentences
        )

    if not later:
        return account
    statements = tuple(each for each in account.statements if not is_reversed(each.text))
    return WorkAccount(statements, NO_ACCOUNT.title if is_reversed(account.title.text) else account.title)


def without_statements_of(account: WorkAccount, outdated: Iterable[str], valid: Iterable[str]) -> WorkAccount:
    """Return an account without evidence and without what only texts that no longer hold state."""
    outdated_terms, valid_terms = ([set(query_terms(text)) for text in texts] for texts in (outdated, valid))

    def is_outdated(text: str) -> bool:
        terms = set(query_terms(text))
        return any(map(terms.issubset, outdated_terms)) and not any(map(terms.issubset, valid_terms))

    stated = (each for each in account.statements if each.section != "evidence" and not is_outdated(each.text))
    return WorkAccount(tuple(stated), NO_ACCOUNT.title if is_outdated(account.title.text) else account.title)


MIN_SHARED = 2
"""Words that two statements share at least, or they are about different work."""

_WORD, _SENTENCE_END = lazy_regex(r"[^\W\d_]+"), lazy_regex(r"[.!?;]\s|\n")
_PAIRS = (
    "first last before after always never left right top bottom min max minimum maximum ascending descending oldest"
    " newest upper lower include exclude includes excludes inclusive exclusive enabled disabled inside outside above"
    " below ersten letzten vor nach links rechts premier dernier avant après primer último primero último antes después"
    " primeiro último primo ultimo prima dopo eerste laatste voor na первый последний первого последнего"
).split()
_OPPOSITES = {**dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True)), **dict(zip(_PAIRS[1::2], _PAIRS[::2], strict=True))}
"""Words by their opposite: a later statement with the other one takes an earlier one back."""
