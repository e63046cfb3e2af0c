"""A finished run with everything understood about it, and what every draft takes from it."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sidecar.call import Call
from sidecar.capture.effects.direction_change import commits_taken_back
from sidecar.capture.effects.run_activity import Loss, RunActivity, ToolFailure
from sidecar.capture.effects.run_changes import RunEffects
from sidecar.capture.effects.shell_commands import commit_messages, takes_work_back
from sidecar.capture.effects.surviving_lines import NO_SURVIVING_LINES, SurvivingLines, names_in
from sidecar.capture.model import PostRunParams
from sidecar.capture.test_results import RunnerOutcome
from sidecar.codebase import is_generated
from sidecar.core.clean_text import clip_at_word, with_capital
from sidecar.core.clock import HOUR_MS
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import (
    MAX_PROSE_CHARACTERS,
    first_informative_paragraph,
    sentences,
    split_sentences,
    word_count,
)
from sidecar.core.redact import redact
from sidecar.core.terms import query_terms
from sidecar.language.closing_message import (
    MAX_STATEMENT,
    MIN_TERMS,
    NAMES_WHOLE,
    NO_ACCOUNT,
    AccountStatement,
    Candidate,
    WorkAccount,
    account_of,
    announces_more,
    is_bookkeeping,
    title_text,
)
from sidecar.language.closing_message_patterns import (
    CAUSE,
    CODE,
    FAULT,
    FAULT_LABEL,
    FILE_ITEM,
    INLINE_LABEL,
    ITEM,
    VAGUE_TITLE,
)
from sidecar.language.common_words import account_terms, is_distinctive
from sidecar.language.conclusions import REASON, cause_in, refused_in
from sidecar.language.message_intent import complaints_in, is_correction
from sidecar.language.notes_block import NotesBlock, read_notes_block, without_notes
from sidecar.language.own_words import own_words
from sidecar.language.work_taken_back import (
    MAX_REVERSAL_MESSAGE,
    MAX_SENTENCE,
    RemovedWork,
    Reversal,
    removed_work,
    reversal_in,
)
from sidecar.runs import Artifact, CallRecord, SubChat
from sidecar.runs.artifact_provenance import ArtifactProvenance, Boundary, Details
from sidecar.runs.model import RALPH_PREFIX
from sidecar.runs.pre_run_record import RolloutDecision
from sidecar.settings.resolve import Settings
from sidecar.transcripts.transcript_tail import TranscriptTail
from sidecar.workspace import Workspace

REACHED_OUTCOMES = ("completed", "aborted", "error")
"""Outcomes of runs that reached the provider, provided the session is known."""


MAX_PLAN_BYTES = 4_000


def stored_plan(text: str) -> str:
    """Return the stored part of a proposed plan: its first whole lines, with secrets masked."""
    lines: list[str] = []
    bytes_left = MAX_PLAN_BYTES
    for line in redact(text[:MAX_PROSE_CHARACTERS]).strip("\n").splitlines():
        bytes_left -= len(line.encode("utf-8", "replace")) + 1
        if bytes_left < 0:
            return "\n".join([*lines, "…"])
        lines.append(line)
    return "\n".join(lines)


def _final_text(activity: RunActivity, params: PostRunParams) -> str:
    return activity.conclusion or (params.assistant.text if params.assistant else "")


MAX_DIFF_CHARACTERS = 40_000
MAX_NEW_FILES = 20
MAX_LAST_TEXTS = 4
MAX_REQUEST_CHARACTERS = 600
"""Beginning of a request whose words name the work; a long one shares words with every title."""

_PARTS = lazy_regex(r"[;,:]\s|\s[–—]\s|[、，；]")
"""End of a part of a sentence."""
_INSTEAD = lazy_regex(
    r"(?:(?:instead|in its place|stattdessen|en su lugar|en lugar de eso|à la place|em vez disso|em seu lugar|invece"
    r"|al suo posto|in plaats daarvan|вместо этого),?\s|(?:代わりに|取而代之)[、，,]?)(?P<what>.{12,400})",
    re.IGNORECASE,
)
"""A sentence on what replaced the lost work."""
_LAST_OF_LIST = lazy_regex(r"\s{0,3}(?:and|or|und|oder|et|ou|y|o|e|ed|en|of|и|или)\s", re.IGNORECASE)
"""Beginning of the last of several things: the verb after it belongs to all."""


def _removals(texts: Iterable[str]) -> tuple[RemovedWork, ...]:
    spoken = (text for text in texts if len(text) <= MAX_SENTENCE)
    parts = (part.strip() for text in spoken for part in (text, *_PARTS.split(text)) if not _LAST_OF_LIST.match(part))
    return tuple(removed for part in dict.fromkeys(parts) if (removed := removed_work(part)) is not None)


@dataclass
class FinishedRun:
    """A finished run."""

    call: Call
    params: PostRunParams
    workspace: Workspace
    settings: Settings
    activity: RunActivity
    tests: tuple[RunnerOutcome, ...]
    """Test outcomes of its commands, in order."""
    own_pre_run: CallRecord | None
    """Its own pre-run, also one that passed through."""
    pre_run: CallRecord | None
    """The same, unless it passed through."""
    effects: RunEffects
    loss: Loss
    now_ms: int
    failures: tuple[ToolFailure, ...] = ()
    """Its failed tool calls, from the host and the transcript."""
    transcript: TranscriptTail | None = None
    """The end of the provider's transcript, if the host named it."""
    boundaries: tuple[Boundary, ...] = ()
    """Boundaries that its changes touch, compared with the commit it started at."""
    surviving_lines: SurvivingLines = NO_SURVIVING_LINES
    """Surviving lines of the conversation's work in the files that the run changed."""

    @property
    def reached_provider(self) -> bool:
        """Whether the provider received what the run was given."""
        return self.params.outcome in REACHED_OUTCOMES and self.params.session.after is not None

    @property
    def delivered_call(self) -> CallRecord | None:
        """The pre-run whose answer the host used, by its token. The packs of any other pre-run were never sent."""
        token = self.params.delivery_token
        return self.pre_run if self.pre_run is not None and self.pre_run.delivery_token == token else None

    @property
    def is_shadow(self) -> bool:
        """Whether nothing was really sent."""
        return self.pre_run.shadow if self.pre_run is not None else self.settings.mode == "passive"

    @property
    def rollout(self) -> RolloutDecision | None:
        """The chat's place in the rollout; None if the settings' mode holds for it."""
        return self.own_pre_run.details.metadata.rollout if self.own_pre_run is not None else None

    @property
    def is_measured_only(self) -> bool:
        """Whether the user chose for this chat that nothing of it is used."""
        return self.rollout is not None and self.rollout.decided_by == "chat" and self.rollout.mode == "passive"

    @property
    def reads_notes(self) -> bool:
        """Whether the agent was asked for notes."""
        return self.settings.mode == "active" and bool(self.settings["notes"])

    @cached_property
    def notes_block(self) -> NotesBlock | None:
        """The notes block in its final words."""
        return read_notes_block(_final_text(self.activity, self.params)) if self.reads_notes else None

    @cached_property
    def conclusion(self) -> str:
        """The agent's final words without its notes block; its whole text if the message parts do not show them."""
        text = _final_text(self.activity, self.params)
        return without_notes(text) if self.reads_notes else text

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The agent's texts between its tool calls and after them, in order, without its notes block."""
        texts = self.activity.texts
        return tuple(map(without_notes, texts)) if self.reads_notes else texts

    @cached_property
    def changed_terms(self) -> frozenset[str]:
        """The words of the paths that it changed, of the lines it added, and of the commands it ran."""
        texts = [change.path for change in self.effects.changes]
        texts += [command.command[:400] for command in self.activity.commands]
        return frozenset(term for text in (*texts, self.added_text) for term in query_terms(text))

    @cached_property
    def added_text(self) -> str:
        """The lines that it added, as far as they are in no commit, and the beginning of each new file."""
        diffs = (self.effects.diffs.get(path) for path in sorted(self.effects.own_paths))
        hunks = "\n".join(diff.hunks for diff in diffs if diff is not None)[:MAX_DIFF_CHARACTERS]
        added = (line[1:] for line in hunks.splitlines() if line.startswith("+"))
        return "\n".join((*added, "\n".join(self._new_texts())[:MAX_DIFF_CHARACTERS]))

    def _new_texts(self) -> Iterator[str]:
        """Yield the text of each file that it created and that git does not track yet."""
        state = self.effects.state
        untracked = {file.path for file in state.changed if file.kind == "untracked"} if state is not None else set()
        for path in sorted(untracked & self.effects.own_paths)[:MAX_NEW_FILES]:
            if not is_generated(path) and (text := self.workspace.slices.repository.new_file_text(path)) is not None:
                yield text

    @cached_property
    def reversal(self) -> Reversal | None:
        """The user's words in its prompt that take work back."""
        return reversal_in(self.typed_prompt)

    @property
    def commits_taken_back(self) -> tuple[str, ...]:
        """The subjects of others' commits that the agent took back with git at the user's word; its own lost lines."""
        is_ordered = self.reversal is not None and self.reversal.by_hand is None and not self.reversal.is_conditional
        if not is_ordered or self.surviving_lines.lost.lines:
            return ()
        commands = [command.command for command in self.activity.commands if not command.failed]
        is_by_git = any(map(takes_work_back, commands))
        return tuple(map(redact, commits_taken_back(self.effects.moved))) if is_by_git else ()

    @cached_property
    def complaints(self) -> list[str]:
        """The sentences of its prompt that find fault."""
        return complaints_in(self.typed_prompt[:MAX_REVERSAL_MESSAGE])

    @cached_property
    def refused(self) -> frozenset[str]:
        """The distinctive names in its prompt of what the user refuses for something else."""
        return frozenset(filter(is_distinctive, names_in(refused_in(self.typed_prompt))))

    @property
    def typed_prompt(self) -> str:
        """The user's prompt; empty in a loop, whose prompt nobody typed."""
        return "" if self.params.sub_chat_id.startswith(RALPH_PREFIX) else self.params.prompt

    @cached_property
    def removals(self) -> tuple[RemovedWork, ...]:
        """The work that its final words say was taken out or replaced."""
        changes = [statement.text for statement in self.account.statements if statement.section == "change"]
        return _removals((*changes, *sentences(self.conclusion)))

    @cached_property
    def earlier_removals(self) -> tuple[RemovedWork, ...]:
        """The work that its other texts say was, or will be, taken out: many runs end with the result of a build."""
        return _removals(sentences("\n\n".join(self.texts)[-MAX_PROSE_CHARACTERS:]))

    @property
    def stated_replacement(self) -> str:
        """The replacement of the lost work, as the final words state it; empty if they do not."""
        stated = (_INSTEAD.match(sentence) for sentence in sentences(self.conclusion))
        return next((redact(match["what"]) for match in stated if match is not None), "")

    @cached_property
    def place_of_lost(self) -> frozenset[str]:
        """The words of the paths that lost earlier lines, without the names of new and of deleted files."""
        state, files = self.effects.state, self.effects.files
        new = {file.path for file in state.all_changed if file.kind == "untracked"} if state is not None else set()
        lost = self.surviving_lines.lost.files
        paths = (path if path in files and path not in new else path.rpartition("/")[0] for path in lost)
        return frozenset(query_terms(" ".join(paths)))

    def cause_of(self, removed: RemovedWork | None) -> str:
        """Return its first statement of a problem or cause that has a word of the lost work.

        A run that only takes work back explains nothing else.
        """
        about = self.surviving_lines.lost.vanished.union(query_terms(removed.what) if removed is not None else ())
        causes = [each.text for each in self.account.statements if each.section in ("problem", "cause")]
        if self.only_takes_back:
            return next(iter(causes), self.stated_cause)
        return next((cause for cause in causes if any(map(is_distinctive, about.intersection(query_terms(cause))))), "")

    @cached_property
    def account(self) -> WorkAccount:
        """The account of the work in its final words; in its last texts if the final ones do not name it."""
        request = query_terms(own_words(self.params.prompt[:MAX_PROSE_CHARACTERS])[:MAX_REQUEST_CHARACTERS])
        account = account_of(self.conclusion, self.changed_terms, request)
        if not account.title.names_whole:
            account = with_commit(account, self.commit_account, is_own_work=bool(self.effects.changes))
        if not account.title.names_whole:
            account = with_plan(account, self.params.prompt)
        if account.title.text or not self.texts:
            return account
        return account_of("\n\n".join(self.texts[-MAX_LAST_TEXTS:]), self.changed_terms, request)

    @cached_property
    def stated_cause(self) -> str:
        """Cause of a failure as the final words state it, without its label; empty if they state none."""
        return with_capital(INLINE_LABEL.sub("", redact(cause_in(self.conclusion, MAX_CAUSE))))

    @property
    def only_takes_back(self) -> bool:
        """Whether it did nothing but take out lines of earlier runs."""
        lost = self.surviving_lines.lost
        return bool(lost.lines) and not lost.new and not lost.by_user

    @cached_property
    def commit_account(self) -> WorkAccount:
        """The account of the work in the messages of the commits that the agent made."""
        commands = [command.command for command in self.activity.commands if not command.failed]
        messages = [message for command in commands for message in commit_messages(command)]
        return commit_account(messages, self.changed_terms)

    @property
    def is_named_by_commit(self) -> bool:
        """Whether a commit message names the work: all that no earlier title names, not this run's alone."""
        return bool(self.commit_account.title.text) and self.account.title == self.commit_account.title

    @property
    def plan(self) -> str:
        """The plan that the run presented, as it is stored; empty without one."""
        return stored_plan(self.activity.plan or "")

    @property
    def duration_ms(self) -> int:
        """Duration of the run by the host's clock."""
        return max(0, int((self.params.finished_at - self.params.started_at).total_seconds() * 1000))

    @property
    def start_head(self) -> str | None:
        """The commit at which the run started; the current one if that is unknown."""
        start = self.pre_run.details.baseline.head if self.pre_run is not None else None
        state = self.effects.state
        return start or (state.head if state is not None else None)


MAX_CAUSE = 400
PROMPT_CHARACTERS = 4_000
MAX_RUNS = 50
DEDUPE_HOURS = 24
"""The same event does not draft another artifact within this time."""


def window_begin_ms(run: FinishedRun) -> int:
    """Return the start of the window in which the same event drafts nothing again."""
    return run.now_ms - DEDUPE_HOURS * HOUR_MS


def provenance_of(
    run: FinishedRun, state: SubChat, files: Sequence[str], earlier: Artifact | None, details: Details
) -> ArtifactProvenance:
    """Return the provenance of a draft. Its runs and start commit continue those of an earlier draft."""
    before = earlier.provenance if earlier is not None else None
    runs = runs_of_draft(run, earlier)
    return ArtifactProvenance(
        run_id=run.params.run_id,
        runs=runs,
        sub_chat_id=run.params.sub_chat_id,
        chat_id=run.params.chat_id,
        provider=run.params.provider,
        session_id=run.params.session.after,
        task_fingerprint=_fingerprint(state),
        start_commit=(before.start_commit if before is not None else None) or run.start_head,
        head_commit=run.effects.state.head if run.effects.state else None,
        files=tuple(files),
        sidecar_version=run.call.process.version,
        arm=run.rollout.mark if run.rollout is not None else "",
        details=details,
    )


def runs_of_draft(run: FinishedRun, earlier: Artifact | None) -> tuple[str, ...]:
    """Return the runs that contributed to a draft, this one last."""
    before = earlier.provenance.runs if earlier is not None else ()
    run_id = run.params.run_id
    return (*(other for other in before if other != run_id), run_id)[-MAX_RUNS:]


def _fingerprint(state: SubChat) -> str | None:
    return state.task.fingerprint if state.task else None


def objective_of(run: FinishedRun, state: SubChat) -> str:
    """Return the task's objective in the user's words. Secrets are masked before it is cut."""
    return state.task.objective if state.task else redact(run.params.prompt[:PROMPT_CHARACTERS])


RELATED = 0.25
"""Part of an objective's distinctive words that a run's work must contain to be about it."""


def related_objective(run: FinishedRun, state: SubChat) -> str:
    """Return the task's objective if the run's words or changes are about it; empty if the work has moved on.

    What corrects the agent names no task either.
    """
    objective = objective_of(run, state)
    if is_correction(objective):
        return ""
    terms = {term for term in query_terms(objective) if is_distinctive(term)}
    shared = terms & (run.changed_terms | set(query_terms(f"{run.params.prompt}\n{run.conclusion}")))
    return objective if len(shared) >= RELATED * len(terms) else ""


def name_of_work(conclusion: str, files: Sequence[str]) -> str:
    """Return the name of the work that a run's final words state on files; empty for an announcement or a fault."""
    title = account_of(conclusion, query_terms(" ".join(files))).title.text
    opening = first_informative_paragraph(conclusion, 400).partition("\n")[0]
    is_no_work = announces_more(opening) or ITEM.match(opening) or FAULT_LABEL.match(opening)
    named = title or ("" if is_no_work or opening.startswith(("#", "|")) else title_text(opening))
    return "" if FAULT_LABEL.match(named) or FILE_ITEM.match(named) else named


def is_growing(artifact: Artifact, run: FinishedRun, state: SubChat) -> bool:
    """Whether runs still extend a draft: it is recent, of the same task, and not edited by the user."""
    return (
        artifact.status == "draft"
        and not artifact.provenance.edited
        and artifact.provenance.task_fingerprint == _fingerprint(state)
        and artifact.created_at_ms >= window_begin_ms(run)
    )


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
        AccountStatement("also", account.title.text, account.title.score)
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


def _commit_statements(body: str, terms: Collection[str]) -> Iterator[AccountStatement]:
    for paragraph in _paragraphs(body):
        for sentence in split_sentences(paragraph):
            if word_count(CODE.sub("", sentence)) >= MIN_COMMIT_WORDS and not sentence.endswith((":", "：")):
                score = 2.0 + min(len(set(query_terms(sentence)) & set(terms)), 3) + 0.5 * states_reason(sentence)
                yield AccountStatement("commit", clip_at_word(redact(sentence), MAX_STATEMENT).rstrip("."), score)


def states_reason(sentence: str) -> bool:
    """Whether a sentence of a commit message states a fault, a cause or a purpose."""
    return gives_reason(sentence) or FAULT.search(CODE.sub("", sentence)) is not None


def gives_reason(sentence: str) -> bool:
    """Whether a sentence states a cause or a purpose."""
    return bool(CAUSE.search(sentence) or REASON.search(sentence))


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
