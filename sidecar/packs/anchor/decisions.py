"""What was decided and specified: the sentence of an accepted decision, and where the others stand. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import regex
from sidecar.core.text.sanitize import one_line
from sidecar.packs.anchor.markdown_outline import first_sentence, folded, plain, prose, title_of
from sidecar.packs.anchor.rules import Document
from sidecar.packs.pointer_source import NO_POINTERS, Pointers
from sidecar.runs import Artifact

MAX_POINTERS = 12

_STATUS = regex(
    r"(?im)^[^\S\n]*+(?:[-*][^\S\n]*+)?(?:\*\*)?status(?:\*\*)?\s*+:?\s*+(?:\*\*)?\s*+:?\s*+\"?([A-Za-z][\w -]{2,30})"
)
_STATUS_HEADING = regex(r"(?im)^#{1,4}[^\S\n]*+status[^\S\n]*+\n\s*+(?:[-*]\s*+)?\**+([A-Za-z][\w -]{2,30})")
_ACCEPTED = regex(r"(?i)^(?:accepted|approved|adopted|implemented|active|decided)\b")
_DECISION = regex(r"(?i)^\W*(?:\d+[.)]\s*)?(?:the )?decision(?: outcome)?\W*$")
_CHOSEN = regex(r"(?i)^\s*(?:we (?:have )?(?:chosen|decided)|chosen option)\b")
_OPEN = regex(r"(?i)[\W_]*(?:still |left )?(?:open|undecided|tbd|to be (?:decided|done))(?:[\W_]*|:.*)")
"""What stands where nothing is decided yet."""

_NUMBER = regex(r"(?i)^\s*+(?:adr|rfc)?[\s-]*+\d++\s*+[.:)-]\s*+")
_CHANGE = regex(r"^(?:.+/)?openspec/changes/([^/]+)/")


class Decided(NamedTuple):
    """The lines of the decisions: those that hold are rules, the others are pointed to."""

    rules: list[str]
    pointers: list[str]


def decided(decisions: Sequence[Document], kept: Sequence[Document] = ()) -> Decided:
    """Gives an accepted decision's sentence where it has one, and a pointer with its status for each other.

    `kept` are decisions that were accepted but stand in no file of the worktree, first; one that has since been
    written up there is told once.
    """
    lines = Decided([], [])
    there = {folded(_title(document)) for document in decisions}
    elsewhere = [(one, "accepted") for one in kept if folded(_title(one)) not in there]
    for document, status in (*elsewhere, *((one, status_of(one.text)) for one in decisions[-MAX_POINTERS:])):
        title, path = _title(document), one_line(document.path, 200)
        state = f" [{status}]" if status else ""
        sentence = decision_in(document.text) if status and _ACCEPTED.match(status) else ""
        sentence = "" if _OPEN.fullmatch(sentence) else sentence
        if sentence:
            lines.rules.append(f"- {one_line(sentence, 220)} ({path}: {title}{state})")
        else:
            lines.pointers.append(f"- {path}: {title}{state}")
    return lines


def specified(specifications: Sequence[Document], others: Sequence[str]) -> list[str]:
    """Gives a pointer to each specification with its title and status; `others` were not read."""
    lines = []
    for document in specifications:
        change = _CHANGE.match(document.path)
        status = status_of(document.text) or ("proposed change" if change else "")
        state = f" [{status}]" if status else ""
        title = _title(document)
        said = f": {title}" if folded(title) not in folded(document.path.replace("-", " ")) else ""
        lines.append(f"- {one_line(document.path, 200)}{said}{state}")
    if others:
        folders = dict.fromkeys("/".join(path.split("/")[:-1][:2]) + "/" for path in others)
        lines.append(f"- More specifications in {one_line(', '.join(folders), 200)}")
    return lines


def status_of(text: str) -> str:
    """Gives the status a document states, in small letters; empty without one."""
    found = _STATUS_HEADING.search(text) or _STATUS.search(text)
    return one_line(found[1], 30).lower().strip() if found else ""


def decision_in(text: str) -> str:
    """Gives the first sentence of what was decided; empty where none is marked as such."""
    said: list[str] = []
    for line in prose(text):
        if (line.headings and _DECISION.match(line.headings[-1])) or (not said and _CHOSEN.match(line.text)):
            if line.text.strip():
                said.append(line.text.strip().removeprefix("- ").removeprefix("* "))
            elif said:
                break
        elif said:
            break
    return first_sentence(plain(" ".join(said)))


def _title(document: Document) -> str:
    return one_line(_NUMBER.sub("", title_of(document.text)) or document.path.rsplit("/", 1)[-1], 120)


# What holds beside the worktree's files, as far as an anchor tells it: accepted artifacts, pointers. Pure.


class Accepted(NamedTuple):
    """Approaches that were rejected, decisions that no file in the worktree holds, and the knowledge repository's."""

    rejected: tuple[str, ...] = ()
    """Their titles, sorted."""
    decisions: tuple[Document, ...] = ()
    """Their texts, sorted by path: a file on the memory branch as git names it, else the artifact's id."""
    pointers: Pointers = NO_POINTERS

    @property
    def digest(self) -> str:
        """Tells it from what was accepted at another time."""
        return short_id([self.rejected, [list(one) for one in self.decisions], self.pointers.digest])


NOTHING_ACCEPTED = Accepted()


def accepted_of(
    rejected: Sequence[Artifact], decisions: Sequence[Artifact], pointers: Pointers = NO_POINTERS
) -> Accepted:
    """Gives what an anchor is told of accepted artifacts and of pointers."""
    documents = sorted(Document(_path(one), _with_title(one)) for one in decisions)
    return Accepted(tuple(sorted(one.title for one in rejected)), tuple(documents), pointers)


def _path(artifact: Artifact) -> str:
    """Where a decision can be read: `git show` takes the name of a committed one."""
    where = artifact.provenance.get("committed") or {}
    return f"{where['branch']}:{where['path']}" if "branch" in where and "path" in where else artifact.id


def _with_title(artifact: Artifact) -> str:
    return artifact.body if artifact.body.lstrip().startswith("# ") else f"# {artifact.title}\n\n{artifact.body}"
