"""Devlog entry of a conversation: what its runs did and why, drafted once it is due or an event happened.

Events are identified by what happened and not by their wording; no model is called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import apsw

from sidecar.capture.effects.architectural_boundaries import is_test_or_example
from sidecar.capture.effects.direction_change import overlap, runs_taken_back
from sidecar.capture.finished_run import (
    MAX_RUNS,
    FinishedRun,
    gives_reason,
    provenance_of,
    related_objective,
    runs_of_draft,
    states_reason,
)
from sidecar.capture.test_results import FIXED, IDENTIFIER, PASSING, short_names, test_lines, without_failures
from sidecar.codebase import is_generated
from sidecar.core.clean_text import clip, count_noun, join_first
from sidecar.core.terms import PROSE_ENDINGS, query_terms
from sidecar.language.closing_message import (
    AccountStatement,
    WorkAccount,
    announces_more,
    is_bookkeeping,
    is_work,
    title_text,
    without_reversed,
    without_statements_of,
)
from sidecar.language.closing_message_patterns import CHANGE, FILE_ITEM, Section
from sidecar.language.common_words import account_terms
from sidecar.language.own_words import request_of
from sidecar.runs import Artifact, SubChat, artifact_store, run_records
from sidecar.runs.artifact_provenance import (
    ArtifactEvent,
    DevlogDetails,
    EventKind,
    RunsTally,
    add_run,
    next_tally,
    totals,
)
from sidecar.runs.model import FileChange

RANK: tuple[EventKind, ...] = ("directionChanged", "boundaryTouched", "testsFixed")
"""The first of these among an entry's events names the entry."""


def name_of(events: Iterable[ArtifactEvent]) -> EventKind | None:
    """Return the event that names an entry."""
    kinds = {event.kind for event in events}
    return next((kind for kind in RANK if kind in kinds), None)


MAX_FILES = 20
MAX_TITLE = 110
TAKEN_BACK = "Taken back: "
"""Beginning of the title of a run that only takes back what earlier runs did, tests that pass again included."""
MAX_OF_SECTION: dict[Section, int] = {"problem": 2, "cause": 2, "change": 6, "commit": 6, "evidence": 3, "open": 3}
_SECTION_NAMES: dict[Section, str] = {
    "problem": "Problem", "cause": "Cause", "change": "Change", "commit": "From the commit", "evidence": "Evidence",
    "open": "Open", "also": "Also",
}  # fmt: skip
SAME_STATEMENT = 0.6
"""Statements that share at least this part of their words state the same."""


class DraftText(NamedTuple):
    """A title and a Markdown body."""

    title: str
    body: str


def devlog(
    title: str,
    changes: Sequence[FileChange],
    account: WorkAccount,
    tests: Sequence[str],
    runs: int,
    event_lines: Sequence[str] = (),
    deleted_files: Container[str] = (),
    request: str = "",
) -> DraftText:
    """Write the entry: the request, what the agent states of the work by section, events, changed files.

    `deleted_files` are files that appeared and disappeared within it.
    """
    lines = [f"# {title}", ""]
    if request:
        lines += [f"Request: {request}", ""]
    stated = [statement for statement in account.statements if _adds_to_title(statement.text, title)]
    for section, name in _SECTION_NAMES.items():
        texts = [statement.text for statement in stated if statement.section == section]
        if section == "evidence":
            texts = [*without_failures(texts, tests), *tests]
        elif section == "open":
            fixed = IDENTIFIER.findall("\n".join(line for line in event_lines if line.startswith(FIXED)))
            texts = without_failures(texts, tests, frozenset(fixed))
        lines += _section_lines(name, texts)
    for event in event_lines:
        lines += [event, ""]
    ordered = sorted(changes, key=_by_size)
    lines += [f"Changed over {count_noun(runs, 'run')}:", ""]
    lines += [
        f"- `{change.path}`{_counts(change) or (' (deleted again)' if change.path in deleted_files else '')}"
        for change in ordered[:MAX_FILES]
    ]
    if len(ordered) > MAX_FILES:
        lines.append(f"- … and {count_noun(len(ordered) - MAX_FILES, 'more file')}")
    return DraftText(title, "\n".join(lines) + "\n")


def _adds_to_title(statement: str, title: str) -> bool:
    """Whether a statement is not what the entry's title states, or has the reason that the title lacks."""
    return title_text(statement) != title or (gives_reason(statement) and not gives_reason(title))


def _section_lines(name: str, texts: Sequence[str]) -> list[str]:
    """Return a section's lines: one statement beside its name, several as a list; nothing without statements."""
    if len(texts) == 1:
        return [f"**{name}:** {texts[0]}", ""]
    return [f"**{name}:**", "", *(f"- {text}" for text in texts), ""] if texts else []


def merged_account(earlier: WorkAccount, later: WorkAccount, *, is_follow_up: bool = False) -> WorkAccount:
    """Sum up two accounts: the one of the larger change names the entry, the other's title is listed.

    Of the same work the best statements win. Evidence and open ends are those stated last. A follow-up, such as a test
    of the work, is the same work, and does not name it unless nothing else does.
    """
    is_named_later = _naming(later) >= _naming(earlier) and not (is_follow_up and earlier.title.text)
    main, other = (later, earlier) if is_named_later else (earlier, later)
    titles = [statement for statement in (*earlier.statements, *later.statements) if statement.section == "also"]
    if is_follow_up:
        main = main._replace(title=main.title._replace(lines=main.title.lines + other.title.lines))
    elif not _is_same_work(main, other):
        titles += _title_of(other)
        other = other._replace(statements=() if other.title.text or is_named_later else _evidence(other))
    first, last = (other, main) if is_named_later else (main, other)
    chosen: list[AccountStatement] = []
    for section, limit in MAX_OF_SECTION.items():
        before, after = (
            [statement for statement in account.statements if statement.section == section] for account in (first, last)
        )
        if section in ("evidence", "open"):
            before = [] if after or (section == "open" and last.statements) else before
        distinct = _distinct(before, after)
        best = sorted(distinct, key=lambda statement: -statement.score)[:limit]
        chosen += [statement for statement in distinct if statement in best]
    others = [
        statement
        for number, statement in enumerate(titles)
        if statement.text != main.title.text and not _same_statement(statement, titles[:number])
    ]
    return WorkAccount((*chosen, *others[-MAX_TITLES:]), main.title)


MAX_TITLES = 3
"""Titles of other work that an entry lists."""
SAME_WORK = 0.5
"""Accounts that share at least this part of their words are about the same work."""


def _naming(account: WorkAccount) -> tuple[bool, bool, int]:
    """Return how well an account names an entry: by a whole title, by any, by the size of what it names."""
    return account.title.names_whole, bool(account.title.text), account.title.lines


def _title_of(account: WorkAccount) -> list[AccountStatement]:
    """Return the statement that lists an account beside another one; none if its title does not name its work."""
    title = account.title
    return [AccountStatement("also", title.text, title.score)] if title.names_whole else []


def _is_same_work(left: WorkAccount, right: WorkAccount) -> bool:
    """Whether two accounts share most words; two that each name a whole have the same title."""
    if left.title.names_whole and right.title.names_whole:
        return left.title.text == right.title.text
    return overlap(_terms(left), _terms(right)) >= SAME_WORK


def _terms(account: WorkAccount) -> set[str]:
    return {
        term
        for statement in account.statements
        if statement.section not in ("also", "evidence")
        for term in query_terms(statement.text)
    }


def _evidence(account: WorkAccount) -> tuple[AccountStatement, ...]:
    return tuple(statement for statement in account.statements if statement.section == "evidence")


def _distinct(before: Sequence[AccountStatement], after: Sequence[AccountStatement]) -> list[AccountStatement]:
    """Return two runs' statements of which none is in both; the one that explains more stays.

    Statements of one run state different things, however alike they are: a list with an item for each file.
    """
    distinct = list(before)
    for statement in after:
        same = _same_statement(statement, before)
        if same is None or same not in distinct:
            distinct.append(statement)
        elif statement.score > same.score:
            distinct[distinct.index(same)] = statement
    return distinct


def _same_statement(statement: AccountStatement, others: Sequence[AccountStatement]) -> AccountStatement | None:
    terms = set(query_terms(statement.text))
    return next((other for other in others if overlap(terms, set(query_terms(other.text))) >= SAME_STATEMENT), None)


def files_title(changes: Sequence[FileChange], files: Container[str]) -> str:
    """Name a change after its largest files, for an agent that did not say what it did."""
    ordered = sorted(changes, key=_by_size)
    is_addition = all(not change.removed and change.added and change.path in files for change in ordered)
    verb = "Added to" if is_addition else "Changed"
    if all(change.path not in files for change in ordered):
        verb = "Removed"
    names = [f"`{change.path.rpartition('/')[2]}`" for change in ordered]
    return clip(f"{verb} {join_first(names, 2, 'file')}", MAX_TITLE)


def _by_size(change: FileChange) -> tuple[bool, int, str]:
    return is_generated(change.path), -(change.added + change.removed), change.path


def is_due(changes: Sequence[FileChange], lines: int, files: int) -> bool:
    """Whether changes reach a threshold of lines or of files; generated files do not count."""
    counted = [change for change in changes if not is_generated(change.path)]
    return sum(change.added + change.removed for change in counted) >= lines or len(counted) >= files


def _counts(change: FileChange) -> str:
    return f" +{change.added} −{change.removed}" if change.added or change.removed else ""


def store_devlog(
    tx: apsw.Connection,
    run: FinishedRun,
    state: SubChat,
    events: Sequence[ArtifactEvent],
    is_void: Callable[[ArtifactEvent], bool],
) -> Artifact | None:
    """Sum up a completed run, and draft an entry once the sum reaches the capture threshold or an event happens.

    It waits for a run that states what was done and more than that; a test that passes again is a statement by itself.
    A run that changes direction names it itself: the title of an earlier run can be of what was given up.

    Until then the conversation has a tally, which is not an artifact. An entry repeats nothing of an earlier one.
    A tally that stays small over many runs starts over: no title names so many small steps. A due one waits longer.

    `is_void` states which earlier events the run took back.
    """
    key = f"devlog:{run.params.sub_chat_id}"
    latest = next(iter(artifact_store.artifacts_of_event(tx, run.workspace.project_key, key)), None)
    if latest is not None and _is_tally(latest) and _is_scattered(run, latest):
        latest = _started_over(latest)
    is_turned = any(event.kind == "directionChanged" for event in events)
    sum_so_far = latest if latest is not None and _is_tally(latest) else None
    if sum_so_far is not None:
        sum_so_far = _without_taken_back(tx, run, sum_so_far, is_void, is_turned=is_turned)
    if sum_so_far is not None and _is_work_of_its_own(run, sum_so_far):
        latest = sum_so_far = _started_over(sum_so_far)
    tally = add_run(_tally(latest, is_open=sum_so_far is not None), run.start_head, run.effects.changes)
    if not _counts_towards_entry(run, latest, sum_so_far, events):
        return None
    due = _is_due(run, tally) and not _is_of_documents(tally)
    has_event = bool(_events_so_far(sum_so_far, events))
    account = _account_so_far(run, sum_so_far, tally, events)
    is_current = not is_turned or account.title.text == run.account.title.text
    tests = {**_details(sum_so_far).tests, **test_lines(run.tests)}
    may_be_named = is_current and not announces_more("\n\n".join(run.texts[-2:]) or run.conclusion)
    is_informative = may_be_named and _is_informative(account, _lines(tally), tests, has_event=has_event)
    is_fixed = any(event.kind == "testsFixed" for event in events)
    is_entry = is_fixed or ((due or has_event) and is_informative)
    artifact = _artifact(run, state, sum_so_far, tally, is_entry=is_entry, events=events)
    artifact_store.put(tx, replace(artifact, event_key=key))
    return artifact if is_entry else None


def _without_taken_back(
    tx: apsw.Connection,
    run: FinishedRun,
    tally: Artifact,
    is_void: Callable[[ArtifactEvent], bool],
    *,
    is_turned: bool,
) -> Artifact:
    """Return a tally without the events that the run took back.

    Where the direction changed, it is also without what runs stated of lines that are gone, and without tests that
    passed before: they show nothing of what is left.
    """
    known, chat = _details(tally), run.params.sub_chat_id
    is_same_base = known.tally.start == run.start_head
    events = [
        each for each in known.events if not is_void(each) or (each.kind == "boundaryTouched" and not is_same_base)
    ]
    known = replace(known, events=tuple(events))
    if is_turned:
        by_run = run_records.stored_surviving_lines(tx, chat, MAX_RUNS)
        taken_back = runs_taken_back(by_run, run.surviving_lines.by_path)
        runs = run_records.run_summaries(tx, chat, MAX_RUNS)
        outdated = [each.conclusion for each in runs if each.run_id in taken_back]
        valid = [each.conclusion for each in runs if each.run_id not in taken_back]
        tests = {runner: line for runner, line in known.tests.items() if not line.endswith(PASSING)}
        if outdated:
            known = replace(known, account=without_statements_of(known.account, outdated, valid), tests=tests)
    return replace(tally, provenance=replace(tally.provenance, details=known))


MAX_TALLY_RUNS = 5
"""Runs after which a tally starts over, unless an event happened in them."""
MAX_DUE_RUNS = 10
"""The same for a tally that is due and waits for a run that explains it."""


def _is_scattered(run: FinishedRun, tally: Artifact) -> bool:
    known = _details(tally)
    limit = MAX_DUE_RUNS if _is_due(run, known.tally) else MAX_TALLY_RUNS
    return len(tally.provenance.runs) >= limit and not known.events


def _started_over(tally: Artifact) -> Artifact:
    """Return a tally without its runs; what they changed is not counted again, and their whole titles stay."""
    known = _details(tally)
    titles = [statement for statement in known.account.statements if statement.section == "also"]
    titles += _title_of(known.account)
    details = DevlogDetails(tally=next_tally(known.tally), account=WorkAccount(tuple(titles[-MAX_TITLES:])), open=True)
    return replace(tally, provenance=replace(tally.provenance, runs=(), start_commit=None, details=details))


def _is_due(run: FinishedRun, tally: RunsTally) -> bool:
    """Whether what a tally counts reaches a threshold of the settings."""
    settings = run.settings
    return is_due(totals(tally), int(settings["capture.changedLines"]), int(settings["capture.changedFiles"]))


def _is_of_documents(tally: RunsTally) -> bool:
    """Whether a tally counts documents alone, such as plans and notes: they name no work that was done."""
    paths = [change.path.lower() for change in totals(tally) if not is_generated(change.path)]
    return all(path.endswith(PROSE_ENDINGS) or path.rpartition("/")[2] == "readme" for path in paths)


def _is_work_of_its_own(run: FinishedRun, sum_so_far: Artifact) -> bool:
    """Whether a run is an entry without the runs before it: due by itself, named, and of other or the larger work."""
    known = _details(sum_so_far)
    if known.events or not run.account.title.names_whole or _is_follow_up(run):
        return False
    alone = add_run(next_tally(known.tally), run.start_head, run.effects.changes)
    is_other = bool(_terms(known.account)) and not _is_same_work(known.account, run.account)
    together = add_run(known.tally, run.start_head, run.effects.changes)
    return _is_due(run, alone) and (is_other or _lines(alone) < NAMING_SHARE * _lines(together))


def _is_follow_up(run: FinishedRun) -> bool:
    """Whether a run changed nothing but tests: they belong to the work before."""
    return all(is_test_or_example(change.path) for change in run.effects.changes)


MIN_STATEMENTS = 2
"""Statements that an entry has beside its title if none says why; passing tests are one, an event stands for one."""
MIN_NEW_TERMS = 2
"""Words that a statement has beside those of the title, or it states nothing more."""
_REASONS = frozenset({"problem", "cause"})
NAMING_SHARE = 0.6
"""Part of an entry's changed lines that the run which names it changed."""


def _is_informative(account: WorkAccount, lines: int, tests: Iterable[str], *, has_event: bool) -> bool:
    """Whether an account names the work and states more of it than the name and the files."""
    named = set(query_terms(account.title.text))
    about = [
        each
        for each in account.statements
        if each.section in _REASONS
        or (each.section in ("change", "commit") and _is_new(each.text, account.title.text, named))
    ]
    stated = [statement.section for statement in about if not is_bookkeeping(statement.text)]
    is_named = account.title.names_whole and account.title.lines >= NAMING_SHARE * lines
    is_shown_to_work = any(each.section == "evidence" for each in account.statements) or bool(tests)
    has_reason = not _REASONS.isdisjoint(stated) or any(
        states_reason(each.text) if each.section == "commit" else each.section == "change" and gives_reason(each.text)
        for each in account.statements
    )
    is_whole = has_event or (has_reason and is_shown_to_work)
    is_named &= is_whole or any(map(is_work, about))
    is_explained = has_reason or len(stated) + is_shown_to_work >= MIN_STATEMENTS - has_event
    return is_named and is_explained and (is_whole or _entry_score(account, has_reason=has_reason) >= ENTRY_SCORE)


ENTRY_SCORE = 9.5
"""Sum of a title's score and of what the body states; with a reason and evidence, or an event, none is needed."""
MAX_DONE = 5
REASON = 4.0
"""Part of that sum for a problem or a cause; a statement of something done counts 1."""


def _entry_score(account: WorkAccount, *, has_reason: bool) -> float:
    done = sum(
        each.section == "commit"
        or (each.section == "change" and CHANGE.match(FILE_ITEM.sub("", each.text)) is not None)
        for each in account.statements
    )
    return account.title.score + min(done, MAX_DONE) + REASON * has_reason


def _is_new(text: str, title: str, named: Collection[str]) -> bool:
    new = set(query_terms(text)).difference(named)
    return title_text(text) != title and len(new) >= MIN_NEW_TERMS and not new <= account_terms()


def _events_so_far(earlier: Artifact | None, events: Sequence[ArtifactEvent]) -> list[ArtifactEvent]:
    return list({event.key: event for event in (*_details(earlier).events, *events)}.values())


def _growth(before: RunsTally, after: RunsTally) -> int:
    """Return the lines by which a run changed what its entry changed before."""
    known = {change.path: change for change in totals(before)}
    return sum(
        abs(change.added - known[change.path].added) + abs(change.removed - known[change.path].removed)
        if change.path in known
        else change.added + change.removed
        for change in totals(after)
        if not is_generated(change.path)
    )


def _lines(tally: RunsTally) -> int:
    return sum(change.added + change.removed for change in totals(tally) if not is_generated(change.path))


def _account_so_far(
    run: FinishedRun, earlier: Artifact | None, tally: RunsTally, events: Sequence[ArtifactEvent]
) -> WorkAccount:
    known = _details(earlier)
    lost = run.surviving_lines.lost
    removed = 0 if lost.by_user else lost.lines + lost.new
    lines = max(_growth(known.tally if earlier is not None else RunsTally(), tally), removed)
    if run.is_named_by_commit:
        named = known.account.title.lines if known.account.title.names_whole else 0
        lines = max(lines, _lines(tally) - named)
    account = run.account
    before = without_reversed(known.account, f"{run.typed_prompt}\n{run.conclusion}" if lost.lines else "")
    is_fixed, is_follow_up = any(event.kind == "testsFixed" for event in events), _is_follow_up(run)
    if is_fixed and run.stated_cause and not is_follow_up:
        before, account = map(_without_causes, (before, account))  # they are of other work
        cause = title_text(run.stated_cause)
        others = (statement for statement in account.statements if title_text(statement.text) != cause)
        account = account._replace(statements=(AccountStatement("cause", run.stated_cause, REASON), *others))
    if is_fixed and not before.title.names_whole:
        lines = max(lines, before.title.lines)
    account = account._replace(title=account.title._replace(lines=lines))
    return merged_account(before, account, is_follow_up=is_follow_up)


def _without_causes(account: WorkAccount) -> WorkAccount:
    return account._replace(statements=tuple(each for each in account.statements if each.section != "cause"))


def _is_tally(artifact: Artifact) -> bool:
    """Whether an artifact's row is a sum of runs that is extended; one of an earlier version may be an entry."""
    return artifact.status == "draft" and _details(artifact).open and not artifact.provenance.edited


def _counts_towards_entry(
    run: FinishedRun, latest: Artifact | None, sum_so_far: Artifact | None, events: Sequence[ArtifactEvent]
) -> bool:
    """Whether a run is summed up: it changed more than generated files, or explains or fixes what is summed up.

    If the run's own start is unknown, the changes must exceed what an earlier entry contains.
    """
    if all(is_generated(change.path) for change in run.effects.changes):
        return sum_so_far is not None and bool(events or run.effects.changes or run.account.statements)
    if events:
        return True
    if latest is not None and run.pre_run is None:
        known = {path for counts in (_details(latest).tally.base, _details(latest).tally.counts) for path in counts}
        return any(change.path not in known for change in run.effects.changes)
    return True


def _artifact(
    run: FinishedRun,
    state: SubChat,
    earlier: Artifact | None,
    tally: RunsTally,
    *,
    is_entry: bool,
    events: Sequence[ArtifactEvent],
) -> Artifact:
    changes, known = totals(tally), _details(earlier)
    events_of_entry = _events_so_far(earlier, events)
    account = _account_so_far(run, earlier, tally, events)
    details = DevlogDetails(
        tally=tally,
        events=tuple(events_of_entry),
        account=account,
        request=_request(run, state, known, account),
        tests={**known.tests, **test_lines(run.tests)},
        open=not is_entry,
    )
    draft = _draft(run, details, changes, len(runs_of_draft(run, earlier)))
    return Artifact(
        id=earlier.id if earlier else f"devlog-{run.call.process.new_id()[:12]}",
        project=run.workspace.project_key,
        type="devlog",
        status="draft",
        title=draft.title,
        body=draft.body,
        event=(name_of(events_of_entry) or "mergedDiff") if is_entry else artifact_store.TALLY_EVENT,
        event_key="",
        provenance=provenance_of(run, state, [change.path for change in changes], earlier, details),
        created_at_ms=run.now_ms,
        updated_at_ms=run.now_ms,
    )


def _details(artifact: Artifact | None) -> DevlogDetails:
    details = artifact.provenance.details if artifact is not None else None
    return details if isinstance(details, DevlogDetails) else DevlogDetails()


def _tally(latest: Artifact | None, *, is_open: bool) -> RunsTally:
    if latest is None:
        return RunsTally()
    tally = _details(latest).tally
    return tally if is_open else next_tally(tally)


def _draft(run: FinishedRun, details: DevlogDetails, changes: Sequence[FileChange], runs: int) -> DraftText:
    shown_events = shown_event_lines(event.line for event in details.events)
    deleted_files = {change.path for change in changes if change.path not in run.effects.files}
    lines = {event.kind: event.line.rstrip(".") for event in details.events}
    of_event = lines.get("testsFixed") or lines.get(name_of(details.events) or "testsFixed", "")
    of_event = short_names(of_event) if len(of_event) > MAX_TITLE else of_event
    if run.only_takes_back:
        direction = lines.get("directionChanged", "")
        of_event = f"{TAKEN_BACK}{direction.partition(': ')[2] or files_title(changes, run.effects.files)}"
    title = details.account.title.text or clip(of_event, MAX_TITLE) or files_title(changes, run.effects.files)
    tests = list(details.tests.values())
    return devlog(title, changes, details.account, tests, runs, shown_events, deleted_files, details.request)


def shown_event_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines of events that announce no step; of those that differ in the names they list, the longest."""
    by_subject: dict[str, str] = {}
    for line in lines:
        subject = line.partition(" (`")[0]
        if not any(announces_more(part.rstrip("…. ")) for part in line.partition(": ")[2].split(" – ")):
            by_subject[subject] = max(by_subject.get(subject, ""), line, key=len)
    return list(by_subject.values())


def _request(run: FinishedRun, state: SubChat, known: DevlogDetails, account: WorkAccount) -> str:
    """Return the user's words before the run that names the entry; the task's objective if they name nothing.

    A refused plan is left out.
    """
    if known.request and account.title.text and account.title.text == known.account.title.text:
        return known.request
    plan = request_of(state.plan.lstrip("# \n").partition("\n")[0]) if run.reversal is None else ""
    terms = _terms(account) | set(query_terms(account.title.text))
    requests = (request_of(run.params.prompt) or plan, known.request)
    related = (text for text in requests if len(terms & set(query_terms(text))) >= MIN_SHARED)
    objective = related_objective(run, state)
    is_changed = len(run.changed_terms.intersection(query_terms(objective))) >= MIN_SHARED
    return next(related, "") or (request_of(objective) if is_changed else "")


MIN_SHARED = 2
"""Words that a request shares with the account of the work, or it is about something else."""
