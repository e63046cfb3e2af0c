"""Stub of a decision record for the boundaries that a task touches: one per task until the user decides on it.

It states what the work touched of others' contracts and what is known of the decision.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import apsw

from sidecar.capture.devlog_draft import MAX_TITLE, DraftText
from sidecar.capture.effects.architectural_boundaries import kind_of
from sidecar.capture.finished_run import (
    MAX_RUNS,
    PROMPT_CHARACTERS,
    FinishedRun,
    is_growing,
    provenance_of,
    related_objective,
)
from sidecar.codebase import ApiChange, split_signature
from sidecar.core.clean_text import clip_at_word, count_noun, join_first, with_capital
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import described_problem, first_informative_paragraph, sentences
from sidecar.core.redact import redact
from sidecar.core.terms import query_terms
from sidecar.language.closing_message import NO_ACCOUNT, WorkAccount, announces_more, title_text
from sidecar.language.closing_message_patterns import CHANGE
from sidecar.language.common_words import is_distinctive
from sidecar.language.conclusions import REASON, match_conclusion
from sidecar.language.notes_block import statement_parts
from sidecar.language.own_words import own_words, without_console_lines
from sidecar.language.work_taken_back import removed_work
from sidecar.runs import Artifact, SubChat, artifact_store, run_records
from sidecar.runs.artifact_provenance import AdrDetails, ArtifactEvent, Boundary, Statements
from sidecar.runs.model import ArtifactStatus

MAX_FILES = 8
MAX_CONTRACTS = 8
"""Maximum number of contracts per file."""

MAX_NAMED = 6
MAX_CONTEXT = 500
MAX_SENTENCE = 300
MAX_STATEMENTS = 3
MAX_WHY = 2
MAX_NAMED_IN_TITLE = 2
LONG_SIGNATURE = 90
MIN_OBJECT_TERMS = 2
"""Significant words of a choice without which it has no object."""

_FOR = (
    r"(?:so that|in order to|to avoid|avoiding|to keep|to (?:be|stay|remain) (?:consistent|compatible)|for consistency"
    r"|to (?:prevent|reduce|allow|ensure|support|match)|para que|para evitar|a fin de|afin qu|afin d|pour que"
    r"|pour éviter|damit|um \S+ zu|così da|affinché|per evitare|zodat|om \S+ te|чтобы)(?!\w{3})"
    r"|so (?:they|it|we|you|users|each|all)\b|为了|為了|以便|以免"
)
_PURPOSE = lazy_regex(rf"[\s,;(–—，、-]{{1,4}}(?={_FOR}|ように)", re.IGNORECASE)
"""Connectives that open the purpose of a choice: its intended consequence."""

_PURPOSE_FIRST = lazy_regex(rf"^((?:{_FOR})[^,，]{{3,120}}|[^、,]{{3,80}}(?:ように|ために))[,，、]\s*", re.IGNORECASE)
_VERB_AT_END = lazy_regex(r"\s(?:gewählt|entschieden|genommen|gekozen|besloten)$")

_CONSEQUENCE = lazy_regex(
    r"(?:as a (?:consequence|result)|consequently|in consequence|folglich|infolgedessen|dadurch|como consecuencia"
    r"|en consecuencia|como consequência|em consequência|par conséquent|en conséquence|di conseguenza|daardoor"
    r"|als gevolg daarvan|bijgevolg|в результате|следовательно)\b|(?:その結果|結果として|因此|其结果)",
    re.IGNORECASE,
)
"""Openings of a sentence that states what follows from a choice."""


def with_conclusion(
    statements: Statements,
    conclusion: str,
    noted: Sequence[str] = (),
    account: WorkAccount = NO_ACCOUNT,
    dropped: Sequence[str] = (),
    touched: frozenset[str] = frozenset(),
    typed: str = "",
) -> Statements:
    """Add another run's conclusion to the statements; the decisions of its notes block replace those it states.

    What the run states of problem and cause is the context; without that, what it changed, or its first paragraph.
    """
    why = [statement.text for statement in account.statements if statement.section in ("problem", "cause")]
    done = [statement.text for statement in account.statements if statement.section in ("change", "commit")]
    opening = first_informative_paragraph(conclusion, MAX_CONTEXT)
    context = why[:MAX_WHY] or [" ".join(done[:MAX_WHY]) or ("" if announces_more(opening) else opening)]
    return Statements(
        concluded=_latest((*statements.concluded, *context)),
        decided=_first_and_latest((*statements.decided, *(noted or decisions_of(conclusion, touched, typed)))),
        dropped=_latest((*statements.dropped, *dropped)),
    )


def _first_and_latest(texts: Sequence[str]) -> tuple[str, ...]:
    distinct = tuple(dict.fromkeys(text for text in texts if text))
    return (*distinct[:1], *distinct[1:][1 - MAX_STATEMENTS :])


def _latest(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))[-MAX_STATEMENTS:]


_LEFT_OUT = lazy_regex(r"(['\"“‘«]) (['\"”’»])")
"""Quotation marks around a quotation that is not the user's own words and is left out."""


def adr(objective: str, statements: Statements, boundaries: Sequence[Boundary], changed: Collection[str]) -> DraftText:
    """Write the stub; `changed` are the files that the work changed. What is unknown is marked as open."""
    decided = [sentence for sentence in statements.decided if not _CONSEQUENCE.match(sentence)]
    follows = [f"- {sentence}" for sentence in statements.decided if sentence not in decided]
    choices = [_choice(sentence) for sentence in decided]
    title = _title(boundaries, choices) or title_text(statements.decided[-1])
    lines = [f"# {title}", "", "Status: draft", "", "## Context", ""]
    if objective_text := clip_at_word(_LEFT_OUT.sub(r"\1…\2", " ".join(redact(objective).split())), MAX_CONTEXT):
        lines += [f"Request: {objective_text}", ""]
    concluded = [text for text in statements.concluded if text not in statements.decided]
    context = [*concluded, *(f"Reason: {choice.reason}" for choice in choices if choice.reason)]
    for paragraph in dict.fromkeys(context):
        lines += [paragraph, ""]
    if boundaries:
        lines += ["## Affected contracts", ""]
    for boundary in boundaries[:MAX_FILES]:
        lines += _affected(boundary)
    if len(boundaries) > MAX_FILES:
        lines.append(f"- … and {count_noun(len(boundaries) - MAX_FILES, 'more file')}")
    lines += ["", "## Decision", "", " ".join(map(with_capital, decided)) or "_Open._", ""]
    purposes = [f"- Intended: {choice.purpose}" for choice in choices if choice.purpose]
    lines += ["## Consequences", "", *([*purposes, *follows, *_consequences(boundaries, changed)] or ["_Open._"]), ""]
    alternatives = [f"- Not chosen: {choice.alternative}" for choice in choices if choice.alternative]
    alternatives += [f"- {text}" for text in statements.dropped]
    lines += ["## Alternatives", "", *(dict.fromkeys(alternatives) or ["_Open._"])]
    return DraftText(title, re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n")


def _title(boundaries: Sequence[Boundary], choices: Sequence[_Choice]) -> str:
    """Name the first choice, which stays the same over runs, with the contracts that it does not name.

    Without a choice that has an object, name what was touched; nothing without that either.
    """
    named = (choice.subject for choice in choices if not _POINTS_BACK.search(choice.subject))
    subjects = [subject for subject in named if len(query_terms(subject)) >= MIN_OBJECT_TERMS]
    if boundaries and not subjects:
        return title_of_boundaries(boundaries)
    title = title_text(next(iter((*subjects, *(choice.subject for choice in choices))), ""))
    names = _names_of(boundaries)
    named = names if set(query_terms(" ".join(names))).isdisjoint(query_terms(title)) else []
    return f"{title} ({join_first([f'`{name}`' for name in named], MAX_NAMED_IN_TITLE)})" if named else title


class _Choice(NamedTuple):
    """A decision's parts; a part that is not stated is empty."""

    subject: str
    reason: str
    purpose: str
    alternative: str


_POINTS_BACK = lazy_regex(r"(?i)(?:^|,\s)(?:it|they|this|these|that|those|она|они|sie|ça|cela|eso|isso|それ|它)(?!\w)")
"""A subject that is named elsewhere: "in `save`, they're extracted"."""
_BY_USER = lazy_regex(r"^The user: “(.*)”$")


def _choice(sentence: str) -> _Choice:
    """Split a decision into what was chosen, why, what for, and what was not chosen."""
    sentence = _BY_USER.sub(r"\1", sentence)
    first_part = _PURPOSE_FIRST.match(sentence)
    subject, reason, alternative = statement_parts(sentence[first_part.end() :] if first_part else sentence)
    parts = [_split_at_purpose(part) for part in (subject, reason, alternative)]
    purpose = first_part[1] if first_part else next((rest[0] for _, *rest in parts if rest), "")
    bare = [_VERB_AT_END.sub("", first.strip(" .,;:，。")) for first, *_ in parts]
    removed = removed_work(sentence) if not bare[2] else None
    replaced = removed.what if removed is not None and removed.instead else ""
    return _Choice(bare[0], bare[1], purpose.strip(" .,;:，。"), bare[2] or replaced)


def _split_at_purpose(part: str) -> list[str]:
    """Split a part of a decision before its purpose, if it states one; "decided to keep" only says what was chosen."""
    starts = (match for match in _PURPOSE.finditer(part) if _VERB_OF_CHOICE.search(part[: match.start()]) is None)
    first = next(starts, None)
    return [part] if first is None else [part[: first.start()], part[first.end() :]]


_VERB_OF_CHOICE = lazy_regex(
    r"\b(?:decid\w+|chose|choosing|choose|agreed?|prefer\w*|want\w*|plan\w*|had|have|need\w*|going|opted|entschieden"
    r"|beschlossen|besloten|décidé|решил\w*)$",
    re.IGNORECASE,
)
"""The verb before an infinitive that is what was chosen, at the end of a text."""


def title_of_boundaries(boundaries: Sequence[Boundary]) -> str:
    """Name what was touched, not how the run was worded."""
    contracts, names = [contract for boundary in boundaries for contract in boundary.contracts], _names_of(boundaries)
    kinds = {bool(contract.after or contract.moved_to) for contract in contracts if contract.name}
    verb = "Removed" if kinds == {False} else "Changed"
    if all(contract.moved_to for contract in contracts):
        verb = "Moved"
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join((*shown, name))) > MAX_TITLE - 30:
            break
        shown.append(name)
    noun = "contract" if len(names) == 1 else "contracts"
    return f"{verb} {noun}: {join_first(names, len(shown))}"[:200]


def _names_of(boundaries: Sequence[Boundary]) -> list[str]:
    return list(dict.fromkeys(_named(contract) for boundary in boundaries for contract in boundary.contracts))


def decisions_of(conclusion: str, touched: frozenset[str] = frozenset(), typed: str = "") -> list[str]:
    """Return at most two sentences that state a choice with a reason or an alternative, and what follows from it.

    Where the agent states none, a sentence on what was touched decides that says what replaced it, or why it was done;
    else the user's own sentence that does, or that has a word of such a sentence. `touched` are the words of the
    touched contracts and files, `typed` what the user typed.
    """
    every = list(sentences(conclusion))
    matches = [sentence for sentence in every if _states_a_decision(sentence)][:2]
    matches = matches or [sentence for sentence in every if _explains_change(sentence, touched)][:1]
    about = touched.union(*(query_terms(sentence) for sentence in every if _is_about(sentence, touched)))
    matches = matches or [f"The user: “{text}”" for text in sentences(typed) if _is_explained_wish(text, about)][:1]
    matches += [sentence for sentence in every if matches and _CONSEQUENCE.match(sentence)][:1]
    return [redact(clip_at_word(_LEAD_IN_END.sub(".", sentence), MAX_SENTENCE)) for sentence in matches]


_LEAD_IN_END = lazy_regex(r"\s?[:：]$")
"""The end of a decision that opened a list."""


def _explains_change(sentence: str, touched: Collection[str]) -> bool:
    """Whether an agent's sentence on what was touched states what took its place, or a change with its reason."""
    is_no_choice = _REPAIRED.match(sentence) or announces_more(_LEAD_IN_END.sub("", sentence))
    if len(sentence) > MAX_SENTENCE or is_no_choice or not _is_about(sentence, touched):
        return False
    removed = removed_work(sentence)
    return bool(removed.instead) if removed is not None else bool(CHANGE.match(sentence) and _has_reason(sentence))


_REPAIRED = lazy_regex(
    r"\W{0,4}(?:(?:i|we)(?:['’]ve| have)? )?(?:fixed|corrected|repaired|correg\w+|corrig\w+|arregl\w+|behoben"
    r"|korrigiert|corretto|исправ\w+|修正|修复)",
    re.IGNORECASE,
)
"""Openings of a sentence on a repair, which chooses nothing that lasts."""


def _is_explained_wish(sentence: str, touched: Collection[str]) -> bool:
    """Whether a user's sentence on what was touched states a reason or an alternative, and asks nothing."""
    is_short = len(sentence) <= MAX_SENTENCE and not sentence.endswith(("?", "？"))
    return is_short and _has_reason(sentence) and _is_about(sentence, touched)


def _is_about(sentence: str, touched: Collection[str]) -> bool:
    return any(term in touched and is_distinctive(term) for term in query_terms(sentence))


def _has_reason(sentence: str) -> bool:
    return bool(REASON.search(sentence) or _PURPOSE.search(sentence))


def _states_a_decision(sentence: str) -> bool:
    stated = match_conclusion(sentence)
    return (
        stated is not None and stated.is_reasoned and len(query_terms(statement_parts(sentence)[0])) >= MIN_OBJECT_TERMS
    )


def described(contract: ApiChange) -> str:
    """Describe in Markdown how one contract changed."""
    if contract.moved_to:
        return f"{_code(contract.before) if contract.name else 'the module'} moved to `{contract.moved_to}`"
    if not contract.name:
        return _described_file(contract)
    if kind_of(contract.path) == "manifest":
        before, after = (_code(side) if side else "nothing" for side in (contract.before, contract.after))
        return f"`{contract.name}`: {before} → {after}"
    if not contract.after:
        return f"{_code(contract.before)} removed"
    if "\n" in contract.before and "\n" in contract.after:
        return _by_lines(contract)
    if contract.before and "(" in contract.before and max(len(contract.before), len(contract.after)) > LONG_SIGNATURE:
        return _by_parameters(contract)
    return f"{_code(contract.before)} → {_code(contract.after)}"


def _described_file(contract: ApiChange) -> str:
    if contract.before == contract.after:
        return "changed"
    if contract.before in ("module", "file") and not contract.after:
        return "removed with everything it exported"
    return f"added: {_code(contract.after)}" if not contract.before else f"removed: {_code(contract.before)}"


def _by_parameters(contract: ApiChange) -> str:
    """Describe only what differs of a long signature."""
    (old_head, old, old_return), (new_head, new, new_return) = (
        split_signature(contract.before),
        split_signature(contract.after),
    )
    changes = _differing(old, new)
    if old_return != new_return:
        changes.append(f"returns {_code(new_return.removeprefix('->').removeprefix(':').strip() or 'nothing stated')}")
    if old_head != new_head:
        changes.append(f"is {_code(new_head.strip())} now")
    return f"`{contract.name}(…)`: {', '.join(changes[:MAX_NAMED]) or 'the order of its parameters'}"


def _by_lines(contract: ApiChange) -> str:
    """Describe only the lines that differ of a type's body."""
    changes = _differing(contract.before.split("\n"), contract.after.split("\n"))
    return f"`{contract.name}`: {join_first(changes, MAX_NAMED, 'line') or 'the order of its lines'}"


def _differing(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return what was replaced, added and removed; parts of the same name are compared."""
    removed = {_parameter_name(part): part for part in old if part not in new}
    added = {_parameter_name(part): part for part in new if part not in old}
    changes = [f"{_code(removed[name])} → {_code(added[name])}" for name in removed if name in added]
    changes += [f"{_code(part)} added" for name, part in added.items() if name not in removed]
    return changes + [f"{_code(part)} removed" for name, part in removed.items() if name not in added]


def _parameter_name(parameter: str) -> str:
    match = re.search(r"\w+", parameter)
    return match[0] if match else parameter


def _affected(boundary: Boundary) -> list[str]:
    changes = list(dict.fromkeys(described(contract) for contract in boundary.contracts))
    lines = [f"- `{boundary.path}`, {boundary.why}:", *(f"  - {contract}" for contract in changes[:MAX_CONTRACTS])]
    if changes == ["changed"]:
        return [f"- `{boundary.path}`, {boundary.why}"]
    return [*lines, f"  - … and {len(changes) - MAX_CONTRACTS} more"] if len(changes) > MAX_CONTRACTS else lines


def _consequences(boundaries: Iterable[Boundary], changed: Collection[str]) -> list[str]:
    lines = []
    for boundary in boundaries:
        changed_importers = [path for path in boundary.importers if path in changed]
        unchanged_importers = [path for path in boundary.importers if path not in changed]
        if changed_importers:
            lines.append(f"- Changed together with `{boundary.path}`: {_listed(changed_importers)}")
        if unchanged_importers:
            lines.append(f"- Not changed, although it uses `{boundary.path}`: {_listed(unchanged_importers)}")
    return lines[: 2 * MAX_FILES]


def _listed(paths: Sequence[str]) -> str:
    return join_first([f"`{path}`" for path in paths], MAX_NAMED)


def _named(contract: ApiChange) -> str:
    return (
        contract.name.removesuffix(".__init__")
        if contract.name and kind_of(contract.path) != "manifest"
        else contract.path
    )


def _code(text: str) -> str:
    flat = " ".join(redact(text).split())
    fence = "``" if "`" in flat else "`"
    return f"{fence}{flat}{fence}"


MAX_BOUNDARIES = 40
MAX_NAMES_IN_EVENT = 4


def boundary_events(boundaries: Sequence[Boundary]) -> list[ArtifactEvent]:
    """Return an event for each touched contract; those of one file have the same wording."""
    return [
        ArtifactEvent(kind="boundaryTouched", key=_key(contract), line=_event_line(boundary))
        for boundary in boundaries
        for contract in boundary.contracts
    ]


def store_adrs(
    tx: apsw.Connection,
    run: FinishedRun,
    state: SubChat,
    boundaries: Sequence[Boundary],
    covered: Container[str],
    noted: Sequence[str] = (),
    dropped: Sequence[str] = (),
) -> list[Artifact]:
    """Draft the stub, or extend the task's own one if the user has not decided on it yet; return what changed.

    `covered` are the keys of events that an artifact already covers, whatever its status; these draft nothing. `noted`
    are the decisions of the run's notes block, `dropped` what it gives up. Contracts that the run took back leave the
    conversation's drafts, whatever their task; a stub is discarded unless a decision of it stands.
    """
    key = f"adr:{run.params.sub_chat_id}"
    every = artifact_store.artifacts_of_event(tx, run.workspace.project_key, key)
    drafts = [each for each in every if each.status == "draft" and not each.provenance.edited]
    open_draft = every[0] if every and is_growing(every[0], run, state) else None
    restored = {_key(contract) for draft in drafts for contract in _restored(run, _details(draft), boundaries)}
    new_boundaries = _new_boundaries(boundaries, covered, restored)
    is_new = bool(new_boundaries) or any(_decision_key(sentence) not in covered for sentence in noted)
    stored: list[Artifact] = []
    for draft in drafts:
        known = _details(draft)
        remaining = _without_taken_back(run, known, boundaries)
        if remaining != known and not remaining.events and _is_decision_valid(tx, run, draft):
            remaining = replace(remaining, events=_decision_events(known.statements.decided))
        is_extended = draft is open_draft and is_new
        if remaining == known and not is_extended:
            continue
        reduced = _with_details(draft, remaining, run)
        if is_extended:
            open_draft = reduced
        else:
            stored.append(reduced)
    if is_new:
        known = _details(open_draft)
        is_same_base = known.base == run.start_head
        shown = _merged(known.boundaries, boundaries, is_same_base=is_same_base) if open_draft else new_boundaries
        artifact = _artifact(run, state, shown[:MAX_BOUNDARIES], new_boundaries, open_draft, noted, dropped)
        stored.insert(0, replace(artifact, event_key=key))
    for artifact in stored:
        artifact_store.put(tx, artifact)
    return stored


def _is_decision_valid(tx: apsw.Connection, run: FinishedRun, draft: Artifact) -> bool:
    """Whether lines of a stub's work are left in its files, and no word of what it decides was lost with the others."""
    decided = _details(draft).statements.decided
    by_run = run_records.stored_surviving_lines(tx, run.params.sub_chat_id, MAX_RUNS)
    earlier = (by_run[run_id] for run_id in draft.provenance.runs if run_id in by_run)
    lines = frozenset[str]().union(*(file.lines for files in earlier for file in files.values()))
    is_left = any(not lines.isdisjoint(file.lines) for file in run.surviving_lines.by_path.values())
    subjects = set(query_terms(" ".join(_choice(sentence).subject for sentence in decided)))
    return bool(decided) and is_left and subjects.isdisjoint(run.surviving_lines.lost.vanished)


def _decision_events(decided: Iterable[str]) -> tuple[ArtifactEvent, ...]:
    return tuple(ArtifactEvent(kind="decisionStated", key=_decision_key(text), line=text) for text in decided)


_REQUEST = lazy_regex(r"(?m)^Request: (?P<text>.+)$")


def _with_details(draft: Artifact, details: AdrDetails, run: FinishedRun) -> Artifact:
    """Return a stub with what is left of it; discarded if that is nothing."""
    changed = replace(draft, provenance=replace(draft.provenance, details=details), updated_at_ms=run.now_ms)
    if not details.events:
        return replace(changed, status="discarded")
    request = _REQUEST.search(draft.body)
    text = adr(request["text"] if request is not None else "", details.statements, details.boundaries, details.changed)
    event = "boundaryTouched" if details.boundaries else "decisionStated"
    files = tuple(boundary.path for boundary in details.boundaries)
    provenance = replace(changed.provenance, files=files)
    return replace(changed, title=text.title, body=text.body, event=event, provenance=provenance)


def _restored(run: FinishedRun, known: AdrDetails, boundaries: Sequence[Boundary]) -> Iterator[ApiChange]:
    """Yield the contracts that changed back to what they were before a stub whose work was committed since."""
    before = {each.identity: each.before for boundary in known.boundaries for each in boundary.contracts}
    for boundary in boundaries if known.base != run.start_head else ():
        yield from (each for each in boundary.contracts if each.after and each.after == before.get(each.identity))


def _without_taken_back(run: FinishedRun, known: AdrDetails, boundaries: Sequence[Boundary]) -> AdrDetails:
    """Return a stub's details without the contracts that are as before in files that the run changed."""
    changed = {change.path for change in run.effects.changes}
    if known.base == run.start_head:
        current = {contract.identity for boundary in boundaries for contract in boundary.contracts}
    else:
        restored = {each.identity for each in _restored(run, known, boundaries)}
        current = {each.identity for boundary in known.boundaries for each in boundary.contracts} - restored
    present = [
        replace(boundary, contracts=tuple(each for each in boundary.contracts if each.identity in current))
        if boundary.path in changed
        else boundary
        for boundary in known.boundaries
    ]
    remaining = tuple(boundary for boundary in present if boundary.contracts)
    if remaining == known.boundaries:
        return known
    taken_back = {event.key for event in boundary_events(known.boundaries)} - {
        event.key for event in boundary_events(remaining)
    }
    events = tuple(event for event in known.events if event.key not in taken_back)
    return replace(known, boundaries=remaining, events=events)


def _details(artifact: Artifact | None) -> AdrDetails:
    details = artifact.provenance.details if artifact is not None else None
    return details if isinstance(details, AdrDetails) else AdrDetails()


def _artifact(
    run: FinishedRun,
    state: SubChat,
    shown: Sequence[Boundary],
    new_boundaries: Sequence[Boundary],
    earlier: Artifact | None,
    noted: Sequence[str],
    dropped: Sequence[str],
) -> Artifact:
    known = _details(earlier)
    changed = run.effects.changed_paths | set(known.changed)
    typed, touched = own_words(run.typed_prompt[:PROMPT_CHARACTERS]), _words_of(new_boundaries)
    statements = with_conclusion(known.statements, run.conclusion, noted, run.account, dropped, touched, typed)
    draft = adr(without_console_lines(own_words(_request(run, state, shown))), statements, shown, changed)
    news = (*boundary_events(new_boundaries), *_decision_events(noted))
    events = {event.key: event for event in (*known.events, *news)}
    importers = {path for boundary in shown for path in boundary.importers}
    details = AdrDetails(
        base=run.start_head,
        statements=statements,
        boundaries=tuple(shown),
        changed=tuple(sorted(changed & importers)),
        events=tuple(events.values()),
    )
    return Artifact(
        id=earlier.id if earlier else f"adr-{run.call.process.new_id()[:12]}",
        project=run.workspace.project_key,
        type="adr",
        status="draft",
        title=draft.title,
        body=draft.body,
        event="boundaryTouched" if shown else "decisionStated",
        event_key="",
        provenance=provenance_of(run, state, [boundary.path for boundary in shown], earlier, details),
        created_at_ms=earlier.created_at_ms if earlier else run.now_ms,
        updated_at_ms=run.now_ms,
    )


def _request(run: FinishedRun, state: SubChat, boundaries: Sequence[Boundary]) -> str:
    """Return the run's prompt if it names what was touched, else the objective of the task that the run is about."""
    prompt = described_problem(run.params.prompt[:PROMPT_CHARACTERS])
    is_about = not _words_of(boundaries).isdisjoint(query_terms(prompt))
    return (prompt if is_about else "") or related_objective(run, state) or prompt


def _words_of(boundaries: Sequence[Boundary]) -> frozenset[str]:
    """Return the words of the touched contracts and their files' names."""
    names = {contract.name for boundary in boundaries for contract in boundary.contracts}
    return frozenset(query_terms(" ".join((*names, *(boundary.path.rpartition("/")[2] for boundary in boundaries)))))


def _decision_key(sentence: str) -> str:
    return f"decision:{short_id(sorted(query_terms(sentence)))}"


def _new_boundaries(boundaries: Sequence[Boundary], *covered: Container[str]) -> list[Boundary]:
    boundaries_found = []
    for boundary in boundaries:
        contracts = tuple(each for each in boundary.contracts if not any(_key(each) in keys for keys in covered))
        if contracts:
            boundaries_found.append(replace(boundary, contracts=contracts))
    return boundaries_found


def _merged(stored: Sequence[Boundary], current: Sequence[Boundary], *, is_same_base: bool) -> list[Boundary]:
    """Merge current boundaries over earlier ones; if they were compared with another commit, both remain."""
    joined = {boundary.path: boundary for boundary in stored}
    for boundary in current:
        seen = {contract.identity for contract in boundary.contracts}
        before = joined[boundary.path].contracts if boundary.path in joined and not is_same_base else ()
        earlier = tuple(contract for contract in before if contract.identity not in seen)
        joined[boundary.path] = replace(boundary, contracts=(*earlier, *boundary.contracts))
    return [joined[path] for path in sorted(joined)]


def _key(contract: ApiChange) -> str:
    return f"boundary:{contract.identity}:{short_id([contract.before, contract.after, contract.moved_to], 8)}"


def _event_line(boundary: Boundary) -> str:
    names = list(dict.fromkeys(contract.name for contract in boundary.contracts if contract.name))
    shown = join_first([f"`{name}`" for name in names], MAX_NAMES_IN_EVENT)
    return f"Boundary touched: `{boundary.path}`, {boundary.why}{f' ({shown})' if shown else ''}."


_STATUS = lazy_regex(r"(?m)^(Status: )(?:draft|accepted|discarded)$")


def with_status(body: str, status: ArtifactStatus) -> str:
    """Return a decision record whose status line shows the decision. Text that the user wrote there stays."""
    return _STATUS.sub(rf"\g<1>{status}", body, count=1)
