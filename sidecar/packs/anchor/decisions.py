"""Decisions and specifications: the sentence of an accepted decision, and pointers to the others. Pure.

Accepted artifacts and memory's pointers hold besides the worktree's files.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.text.sanitize import one_line
from sidecar.packs.anchor.markdown_outline import first_sentence, normalize, plain, prose_lines, title_of
from sidecar.packs.anchor.rules import Document
from sidecar.packs.pointer_source import NO_POINTERS, Pointers
from sidecar.runs import Artifact

MAX_POINTERS = 12

_STATUS = lazy_regex(
    r"(?im)^[^\S\n]*+(?:[-*][^\S\n]*+)?(?:\*\*)?status(?:\*\*)?\s*+:?\s*+(?:\*\*)?\s*+:?\s*+\"?([A-Za-z][\w -]{2,30})"
)
_STATUS_HEADING = lazy_regex(r"(?im)^#{1,4}[^\S\n]*+status[^\S\n]*+\n\s*+(?:[-*]\s*+)?\**+([A-Za-z][\w -]{2,30})")
_ACCEPTED = lazy_regex(r"(?i)^(?:accepted|approved|adopted|implemented|active|decided)\b")
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


def split_decisions(decisions: Sequence[Document], accepted: Sequence[Document] = ()) -> DecisionLines:
    """Return the sentence of each accepted decision that has one, and a pointer with its status for each other.

    `accepted` are decisions that are in no file of the worktree; they come first. One that has since been written to a
    file is shown once.
    """
    lines = DecisionLines([], [])
    titles = {normalize(_title(document)) for document in decisions}
    accepted_elsewhere = [(document, "accepted") for document in accepted if normalize(_title(document)) not in titles]
    for document, status in (
        *accepted_elsewhere,
        *((document, status_of(document.text)) for document in decisions[-MAX_POINTERS:]),
    ):
        title, path = _title(document), one_line(document.path, 200)
        status_note = f" [{status}]" if status else ""
        sentence = decision_in(document.text) if status and _ACCEPTED.match(status) else ""
        sentence = "" if _OPEN.fullmatch(sentence) else sentence
        if sentence:
            lines.rules.append(f"- {one_line(sentence, 220)} ({path}: {title}{status_note})")
        else:
            lines.pointers.append(f"- {path}: {title}{status_note}")
    return lines


def specification_lines(specifications: Sequence[Document], others: Sequence[str]) -> list[str]:
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
    """Return the first sentence of the decision; empty where none is marked as such."""
    lines: list[str] = []
    for line in prose_lines(text):
        if (line.headings and _DECISION.match(line.headings[-1])) or (not lines and _CHOSEN.match(line.text)):
            if line.text.strip():
                lines.append(line.text.strip().removeprefix("- ").removeprefix("* "))
            elif lines:
                break
        elif lines:
            break
    return first_sentence(plain(" ".join(lines)))


def _title(document: Document) -> str:
    return one_line(_NUMBER.sub("", title_of(document.text)) or document.path.rsplit("/", 1)[-1], 120)


# Accepted artifacts and pointers from memory.


class AcceptedRecords(NamedTuple):
    """Rejected approaches, decisions that are in no file of the worktree, and memory's pointers."""

    rejected: tuple[str, ...] = ()
    """Their titles, sorted."""
    decisions: tuple[Document, ...] = ()
    """Their texts, sorted by path: a file on the memory branch as git names it, else the artifact's id."""
    pointers: Pointers = NO_POINTERS

    @property
    def digest(self) -> str:
        """Identifies the content."""
        return short_id([self.rejected, [list(document) for document in self.decisions], self.pointers.digest])


NO_ACCEPTED_RECORDS = AcceptedRecords()


def accepted_of(
    rejected: Sequence[Artifact], decisions: Sequence[Artifact], pointers: Pointers = NO_POINTERS
) -> AcceptedRecords:
    """Return the accepted artifacts and pointers of an anchor."""
    documents = sorted(Document(_path(artifact), _with_title(artifact)) for artifact in decisions)
    return AcceptedRecords(tuple(sorted(artifact.title for artifact in rejected)), tuple(documents), pointers)


def _path(artifact: Artifact) -> str:
    """Where to read a decision: `git show` accepts the name of a committed one."""
    committed = artifact.provenance.committed
    return f"{committed.branch}:{committed.path}" if committed is not None else artifact.id


def _with_title(artifact: Artifact) -> str:
    return artifact.body if artifact.body.lstrip().startswith("# ") else f"# {artifact.title}\n\n{artifact.body}"
