"""Recognize an agent's sentences that are worth storing: a choice with its reason, the explanation of an error. Pure.

Plans, possibilities and offers are not conclusions; nor is a report that something was done.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import sentences, split_sentences, word_count
from sidecar.core.redact import redact
from sidecar.core.terms import query_terms
from sidecar.core.text import clip_at_word
from sidecar.language.closing_message import (
    MAX_STATEMENT,
    MIN_TERMS,
    NAMES_WHOLE,
    NO_ACCOUNT,
    Account,
    Candidate,
    WorkAccount,
    is_bookkeeping,
    title_text,
)
from sidecar.language.closing_message_patterns import (
    CAUSE,
    CODE,
    FAULT,
    ITEM,
    VAGUE_TITLE,
)
from sidecar.language.common_words import account_terms

StatementKind = Literal[
    "decision", "error_pattern", "resolution", "user_correction", "preference", "validated_pattern", "gotcha", "lesson",
    "episodic", "semantic",
]  # fmt: skip


class Conclusion(NamedTuple):
    """Whether a sentence states a choice with a reason or an alternative, and the confidence in it."""

    is_reasoned: bool
    confidence: float


_CHOICE = lazy_regex(
    r"(?:^|[,;:—–(]\s{0,3}|\b(?:so|and|but|therefore|then)\s)(?:i|we)(?:['’]ve| have| had)? (?:\w+ly |therefore "
    r"|also )?"
    r"(?:decided|chose|chosen|opted|settled on|went with|picked|switched|moved|migrated|dropped|rejected)\b.{8,}"
    r"|^(?:so )?(?:decided|opted|settled on|went with|chose|picked|switched from|moved from|rejected)\b.{8,}"
    r"|(?:^|\b(?:so|and|but)\s)(?:i|we)(?:['’]ve| have)? (?:used|kept)\b.{2,90}\b(?:instead of|rather than)\b.{2,}"
    r"|^(?:the )?decision(?: is| was)?\b:?.{10,}|\b(?:was|were|is|are) (?:deliberately |therefore )?chosen\b.{5,}"
    r"|\b(?:ich habe|wir haben) (?:mich|uns)\b.{2,80}\bentschieden\b|\b(?:j['’]ai|nous avons|on a) (?:choisi"
    r"|décidé)\b.{5,}"
    r"|\b(?:he|hemos) (?:elegido|decidido|optado)\b.{5,}|\b(?:escolhi|decidi|optei|escolhemos|decidimos|ho scelto"
    r"|ho deciso"
    r"|abbiamo scelto)\b.{5,}|\b(?:ik heb|we hebben) (?:.{2,60} )?(?:gekozen|besloten)\b|(?:я|мы) (?:решил"
    r"|выбрал).{5,}"
    r"|(?:(?:我们?|已经?|最终)决定|选择了|改用了?).{4,}|(?:に決めました|を選びました|を採用しました|に変更しました)",
    re.IGNORECASE,
)
_REASON = lazy_regex(
    r"\b(?:because|since|so that|due to|as (?:it|this|that|the)|to avoid|to keep|in order to|instead of|rather than"
    r"|in favou?r of|over (?!time\b|the (?:last|next)\b)[\w`]|weil|damit|statt|anstatt|sondern|parce qu|afin|au"
    r" lieu d"
    r"|plutôt qu|porque|para que|ya que|pois|já que|en (?:vez|lugar) de|em vez de|ao invés|perché|invece d|così da"
    r"|omdat"
    r"|in plaats van|потому что|чтобы|так как|вместо)"
    r"|\b(?:switched|moved|migrated|changed)\b.{1,60}\bfrom\b.{2,40}\bto\b|因为|由于|而不是|而非|代替|以便|ため"
    r"|ので|ではなく|の代わりに",
    re.IGNORECASE,
)
_TENTATIVE = lazy_regex(
    r"[?？]$|^next\b|\b(?:could|might|may|would|if you|shall|perhaps|maybe|likely|probably|possibly|i think|seems?"
    r"|appears?|let me|i['’]ll|i will|i['’]m going to|going to|todo|should (?:we|i)|what you used|you (?:decided"
    r"|chose|picked))\b"
    r"|\b(?:könnte|vielleicht|peut-être|quizás|talvez)\b",
    re.IGNORECASE,
)
_POINTING = lazy_regex(
    r"\b(?:decided|chose|opted|picked|switched|moved|went)(?: to \w+| for| with)? (?:it|this|that|them|one|these"
    r"|both)\b",
    re.IGNORECASE,
)
_PASSING = lazy_regex(
    r"\b(?:picked|chosen|chose|selected) (?:up|by you|the (?:file|first|next|wrong))\b"
    r"|\b(?:moved|switched) (?:on|to the next|the file|back to)\b"
    r"|\b(?:moved|migrated)\b.{0,60}?\b(?:files?|folders?|director(?:y|ies)|tests?)\b"
    r"|^(?:this|that|it|these|they) (?:was|were|is|are) (?:\w+ )?chosen\b",
    re.IGNORECASE,
)
CONFIDENCE = 0.7
MIN_WORDS = 6
MIN_UNSPACED_CHARACTERS = 12


def match_conclusion(sentence: str) -> Conclusion | None:
    """Return what an agent's sentence decides; None if it reports, plans or supposes."""
    text = sentence.strip()
    claimed = _REASON.split(text, maxsplit=1)[0]
    if _TENTATIVE.search(claimed) or text.endswith(("?", "？")) or _PASSING.search(text) or _POINTING.search(text):
        return None
    if not _CHOICE.search(text) or _size(text) < MIN_WORDS:
        return None
    return Conclusion(_REASON.search(text) is not None, CONFIDENCE)


_CAUSE = lazy_regex(
    r"\b(?:root cause|culprit|actual (?:cause|problem|bug)|because|due to|caused by|turned out|stems? from|came from"
    r"|(?:problem|issue|bug|error|failure|reason) (?:was|is|were|comes?)|(?:was|were|is|are) (?:missing|wrong|not"
    r"|never|still"
    r"|undefined|null|outdated|incompatible|hard-?coded)|(?:did|does|do)(?:n['’]t| not)|(?:had|has|have) no\b|no"
    r" longer"
    r"|so (?:i|we) (?:added|changed|replaced|moved|renamed|removed|installed|set|pinned|used|switched|upgraded)"
    r"|(?:fixed|solved|resolved|cured)\b.{0,80}\bby|the fix (?:was|is) to|(?:needs?|expects?|requires?|lacked"
    r"|lacks)\b"
    r"|instead of|rather than|which (?:meant|broke|caused|made)|only (?:works?|accepts?|supports?)"
    r"|ursache|weil|fehlte|behoben|parce qu|manquait|corrigé|causa|porque|faltaba|faltava|debido|devido|perché"
    r"|mancava"
    r"|omdat|oorzaak|ontbrak|потому|из-за|причин)"
    r"|原因|因为|由于|缺少|ため|ので|が原因|なかった",
    re.IGNORECASE,
)
_COMPLETION = lazy_regex(
    r"^(?:the fix|everything|all (?:tests|\d+)|it|this|that|tests?)\b.{0,30}\b(?:complete|done|in place|works?"
    r"|working|pass\w*"
    r"|green|ready|successful\w*|fixed|resolved)\b[^,;:]{0,30}$",
    re.IGNORECASE,
)
_TEST_NAME = lazy_regex(r"\btest_\w+|\b\w+::\w+|\b\w+\.(?:test|spec)\.\w+|[✓✗✘❌✅]")
MAX_TEST_NAMES = 2
MAX_EXPLANATIONS = 2


def explanation_in(text: str, limit: int) -> str:
    """Return an agent's sentences on the cause or the fix of an error; empty if it explains nothing.

    A report of success and a list of tests explain nothing.
    """
    chosen: list[str] = []
    for sentence in sentences(text):
        claimed = _REASON.split(sentence, maxsplit=1)[0]
        is_explanation = _CAUSE.search(sentence) and not _TENTATIVE.search(claimed) and not _COMPLETION.search(sentence)
        if is_explanation and _size(sentence) >= MIN_WORDS and len(_TEST_NAME.findall(sentence)) <= MAX_TEST_NAMES:
            chosen.append(sentence)
    return clip_at_word(" ".join(dict.fromkeys(chosen[-MAX_EXPLANATIONS:])), limit)


def _size(text: str) -> int:
    """Return the number of words; scripts without spaces count by characters."""
    unspaced = sum("\u3040" <= character <= "\u9fff" for character in text)
    return max(len(text.split()), MIN_WORDS if unspaced >= MIN_UNSPACED_CHARACTERS else 0)


_COMMIT_TYPE = lazy_regex(r"^(?P<type>[a-z]{2,12})(?:\([^)\n]{1,60}\))?!?:\s{1,3}(?=\S)")
_MINOR_TYPES = frozenset("docs doc chore style wip".split())
_TRAILER = lazy_regex(
    r"^(?:[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){1,3}: |\W{0,4}Generated (?:with|by) |\(cherry picked )"
)
_ANSWERS_REVIEW = lazy_regex(
    r"^(?:address|apply|resolve|fix|handle|incorporate|implement|tidy|final)\w{0,3}\b.{0,60}\b(?:comments?|findings?|feedback"
    r"|suggestions?|review)\b",
    re.IGNORECASE,
)
"""A subject that points to somebody's remarks and names no work."""
MIN_COMMIT_WORDS = 4
NAMES_COMMIT = 2.0
"""Added to the score of a title for a commit's subject: it is written to name the work."""
MAX_NAMED_COMMITS = 3


def commit_account(messages: Sequence[str], terms: Collection[str]) -> WorkAccount:
    """Return what an agent's commit messages state about its work: the fullest names it, the others are listed."""
    accounts = [account for message in dict.fromkeys(messages) if (account := _read_commit(message, terms)).title.text]
    if not accounts:
        return NO_ACCOUNT
    best = max(accounts, key=lambda account: (account.title.names_whole, len(account.statements)))
    others = [
        Account("also", account.title.text, account.title.score)
        for account in accounts
        if account is not best and account.title.names_whole
    ]
    return WorkAccount((*best.statements, *others[-MAX_NAMED_COMMITS:]), best.title)


def with_commit(account: WorkAccount, commit: WorkAccount, *, is_own_work: bool) -> WorkAccount:
    """Return an account that its conclusion does not name, named and explained by the agent's commit messages.

    The conclusion of a run that only commits is about the commit: of it the evidence and what is open stay.
    """
    if not commit.title.names_whole:
        return account
    left_out = {"change"} if is_own_work else {"change", "problem", "cause"}
    is_explained = bool(commit.statements) or not is_own_work
    stated = [each for each in account.statements if each.section not in left_out or not is_explained]
    return WorkAccount((*commit.statements, *stated), commit.title)


_PLAN = lazy_regex(
    r"\s{0,20}(?:please )?implement (?:the|this) (?:following )?plan\b[^\n#]{0,40}\s{1,20}#{1,3} {1,4}"
    r"(?:(?:implementation )?plan {0,2}[:—–-] {0,2})?(?P<title>[^\n]{8,200})",
    re.IGNORECASE,
)
"""The words that a host puts before an accepted plan, and the plan's heading."""


def with_plan(account: WorkAccount, prompt: str) -> WorkAccount:
    """Return an account that its conclusion does not name, named by the plan that the prompt hands over."""
    plan = _PLAN.match(prompt)
    title = title_text(plan["title"]) if plan is not None else ""
    if not account.statements or len(set(query_terms(title)) - account_terms()) < MIN_TERMS:
        return account
    return account._replace(
        title=Candidate(f"Implemented: {redact(title)}", NAMES_WHOLE + NAMES_COMMIT, names_whole=True)
    )


def _read_commit(message: str, terms: Collection[str]) -> WorkAccount:
    subject, _, body = message.strip().partition("\n")
    kind = _COMMIT_TYPE.match(subject)
    title = title_text(subject[kind.end() :] if kind is not None else subject)
    named = {term for term in query_terms(title) if term not in account_terms()}
    is_minor = (kind is not None and kind["type"] in _MINOR_TYPES) or is_bookkeeping(title)
    is_name = len(named) >= MIN_TERMS and not (_ANSWERS_REVIEW.search(title) or VAGUE_TITLE.search(title))
    is_name &= not is_minor
    score = NAMES_WHOLE + NAMES_COMMIT if is_name else 0.0
    return WorkAccount(tuple(_commit_statements(body, terms)), Candidate(redact(title), score, is_name))


def _commit_statements(body: str, terms: Collection[str]) -> Iterator[Account]:
    for paragraph in _paragraphs(body):
        for sentence in split_sentences(paragraph):
            if word_count(CODE.sub("", sentence)) >= MIN_COMMIT_WORDS and not sentence.endswith((":", "：")):
                score = 2.0 + min(len(set(query_terms(sentence)) & set(terms)), 3) + 0.5 * states_reason(sentence)
                yield Account("commit", clip_at_word(redact(sentence), MAX_STATEMENT).rstrip("."), score)


def states_reason(sentence: str) -> bool:
    """Whether a sentence of a commit message states a fault, a cause or a purpose."""
    return bool(CAUSE.search(sentence) or FAULT.search(CODE.sub("", sentence)) or _REASON.search(sentence))


def _paragraphs(body: str) -> Iterator[str]:
    """Yield the paragraphs and items of a message without line breaks; trailers are left out."""
    lines: list[str] = []
    for line in (*body.splitlines(), ""):
        is_item = ITEM.match(line) is not None
        if lines and (is_item or not line.strip()):
            yield " ".join(lines)
            lines = []
        if line.strip() and not _TRAILER.match(line):
            lines.append(ITEM.sub("", line).strip())
