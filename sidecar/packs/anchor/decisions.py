"""Decisions and specifications in the anchor.

An accepted decision contributes its sentence, another one a pointer. Accepted artifacts and memory's pointers apply
besides the worktree's files.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sidecar.core.clean_text import one_line
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import Line
from sidecar.core.prose_sentences import up_to_full_stop
from sidecar.core.terms import query_terms
from sidecar.language.closing_message import impersonal_sentence
from sidecar.memory.standing_instruction_register import StandingInstruction
from sidecar.packs.anchor.markdown_parts import (
    document_title,
    introduced_items,
    normalize,
    plain,
    prose_lines,
)
from sidecar.packs.anchor.rules import ProjectDocument

if TYPE_CHECKING:
    from sidecar.runs import Artifact


class Pointers(NamedTuple):
    """The anchor's lines from memory."""

    invariants: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Learned from work, and accepted by the user."""
    is_known: bool = True
    """False where some may exist that are not loaded yet."""

    @property
    def digest(self) -> str:
        """Identifies the lines; empty without any."""
        return short_id([self.invariants, self.pointers, self.rules, self.is_known]) if self != NO_POINTERS else ""


NO_POINTERS = Pointers()
UNKNOWN_POINTERS = Pointers(is_known=False)

MAX_POINTERS = 12

_STATUS = lazy_regex(
    r"(?im)^[^\S\n]*+(?:[-*][^\S\n]*+)?(?:\*\*)?status(?:\*\*)?\s*+:?\s*+(?:\*\*)?\s*+:?\s*+\"?([A-Za-z][\w -]{2,30})"
)
_STATUS_HEADING = lazy_regex(r"(?im)^#{1,4}[^\S\n]*+status[^\S\n]*+\n\s*+(?:[-*]\s*+)?\**+([A-Za-z][\w -]{2,30})")
_ACCEPTED = lazy_regex(r"(?i)^(?:accepted|approved|adopted|implemented|active|decided)\b")
_OUTDATED = lazy_regex(r"(?i)^(?:superseded|replaced|deprecated|rejected|withdrawn|obsolete)\b")
_DECISION = lazy_regex(r"(?i)^\W*(?:\d+[.)]\s*)?(?:the )?decision(?: outcome)?\W*$")
_CHOSEN = lazy_regex(r"(?i)^\s*(?:we (?:have )?(?:chosen|decided)|chosen option)\b")
_OPEN = lazy_regex(r"(?i)[\W_]*(?:still |left )?(?:open|undecided|tbd|to be (?:decided|done))(?:[\W_]*|:.*)")
"""Placeholder text where nothing is decided yet."""

_NUMBER = lazy_regex(r"(?i)^\s*+(?:adr|rfc)?[\s-]*+\d++\s*+[.:)-]\s*+")
_CHANGE = lazy_regex(r"^(?:.+/)?openspec/changes/([^/]+)/")


class DecisionLines(NamedTuple):
    """The lines of the decisions: accepted ones are rules, the others are pointers."""

    rules: list[str]
    pointers: list[str]


def split_decisions(decisions: Sequence[ProjectDocument], accepted: Sequence[ProjectDocument] = ()) -> DecisionLines:
    """Return the sentence of each accepted decision that has one, and a pointer with its status for each other.

    At most half of the pointers lead to outdated decisions, the latest of them.
    `accepted` are decisions that are in no file of the worktree; they come first. One that has since been written to a
    file is shown once.
    """
    lines = DecisionLines([], [])
    outdated: list[str] = []
    titles = {normalize(_title(document)) for document in decisions}
    accepted_elsewhere = [(document, "accepted") for document in accepted if normalize(_title(document)) not in titles]
    for document, status in (
        *accepted_elsewhere,
        *_latest(decisions),
    ):
        title, path = _title(document), one_line(document.path, 200)
        status_note = f" [{status}]" if status else ""
        sentence = decision_in(document.text) if status and _ACCEPTED.match(status) else ""
        sentence = "" if _OPEN.fullmatch(sentence) else sentence
        if sentence and document in accepted:
            sentence = impersonal_sentence(sentence)
            path += "" if set(query_terms(title)) <= set(query_terms(sentence)) else f": {title}"
            lines.rules.append(f"- {one_line(sentence, 220)} ({path}{status_note})")
        elif sentence:
            lines.rules.append(f"- {one_line(sentence, 220)} ({path}: {title}{status_note})")
        else:
            lines.pointers.append(f"- {path}: {title}{status_note}")
            outdated += lines.pointers[-1:] if _OUTDATED.match(status) else []
    too_many = max(0, 2 * len(outdated) - len(lines.pointers))
    return lines._replace(pointers=[line for line in lines.pointers if line not in outdated[:too_many]])


def _latest(decisions: Sequence[ProjectDocument]) -> list[tuple[ProjectDocument, str]]:
    """Return the latest decisions with their statuses; outdated ones have at most half of the places."""
    known = [(document, status_of(document.text)) for document in decisions]
    outdated = [entry for entry in known if _OUTDATED.match(entry[1])][-MAX_POINTERS // 2 :]
    valid = [entry for entry in known if not _OUTDATED.match(entry[1])]
    left = max(0, MAX_POINTERS - len(valid))
    chosen = [*valid[-MAX_POINTERS:], *(outdated[-left:] if left else ())]
    return [entry for entry in known if entry in chosen]


def specification_lines(specifications: Sequence[ProjectDocument], others: Sequence[str]) -> list[str]:
    """Return a pointer to each specification with its title and status; `others` were not read."""
    lines = []
    for document in specifications:
        change = _CHANGE.match(document.path)
        status = status_of(document.text) or ("proposed change" if change else "")
        status_note = f" [{status}]" if status else ""
        title = _title(document)
        description = f": {title}" if normalize(title) not in normalize(document.path.replace("-", " ")) else ""
        lines.append(f"- {one_line(document.path, 200)}{description}{status_note}")
    if others:
        folders = dict.fromkeys("/".join(path.split("/")[:-1][:2]) + "/" for path in others)
        lines.append(f"- More specifications in {one_line(', '.join(folders), 200)}")
    return lines


def status_of(text: str) -> str:
    """Return the status a document states, in lower case; empty without one."""
    match = _STATUS_HEADING.search(text) or _STATUS.search(text)
    return one_line(match[1], 30).lower().strip() if match else ""


def decision_in(text: str) -> str:
    """Return the first sentence of the decision, with the items that it introduces; empty where none is marked."""
    lines: list[Line] = []
    for line in prose_lines(text):
        if (line.headings and _DECISION.match(line.headings[-1])) or (not lines and _CHOSEN.match(line.text)):
            if line.text.strip():
                lines.append(line)
            elif lines:
                break
        elif lines:
            break
    stated = (line.text.strip().removeprefix("- ").removeprefix("* ") for line in lines)
    sentence = up_to_full_stop(plain(" ".join(stated)))
    if not sentence.endswith((":", "：")):
        return sentence
    items = introduced_items(text).get(lines[-1].number, [])
    return f"{sentence} {'; '.join(plain(item.text).rstrip('.;,') for item in items)}" if items else ""


def _title(document: ProjectDocument) -> str:
    return one_line(_NUMBER.sub("", document_title(document.text)) or document.path.rsplit("/", 1)[-1], 120)


def rejected_line(title: str) -> str:
    """Return the line of an accepted rejection."""
    return f"- rejected before: {one_line(title, 200)}"


class AcceptedRecords(NamedTuple):
    """Rejected approaches, decisions that are in no file of the worktree, and memory's pointers."""

    rejected: tuple[str, ...] = ()
    """Their titles, sorted."""
    decisions: tuple[ProjectDocument, ...] = ()
    """Their texts, sorted by path: a file on the memory branch as git names it, else the artifact's id."""
    pointers: Pointers = NO_POINTERS
    standing_instructions: tuple[StandingInstruction, ...] = ()
    """All active ones, best supported and newest first."""


NO_ACCEPTED_RECORDS = AcceptedRecords()


@lru_cache(maxsize=64)
def accepted_digest(accepted: AcceptedRecords) -> str:
    """Return a digest of the content."""
    documents = [list(document) for document in accepted.decisions]
    instructions = [instruction.line for instruction in accepted.standing_instructions]
    return short_id([accepted.rejected, documents, accepted.pointers.digest, instructions])


def accepted_of(rejected: "Sequence[Artifact]", decisions: "Sequence[Artifact]") -> AcceptedRecords:
    """Return the accepted artifacts of an anchor."""
    documents = sorted(ProjectDocument(_path(artifact), _with_title(artifact)) for artifact in decisions)
    return AcceptedRecords(tuple(sorted(artifact.title for artifact in rejected)), tuple(documents))


def _path(artifact: "Artifact") -> str:
    """Location of a decision: `git show` accepts the name of a committed one."""
    committed = artifact.provenance.committed
    return f"{committed.branch}:{committed.path}" if committed is not None else artifact.id


def _with_title(artifact: "Artifact") -> str:
    return artifact.body if artifact.body.lstrip().startswith("# ") else f"# {artifact.title}\n\n{artifact.body}"
