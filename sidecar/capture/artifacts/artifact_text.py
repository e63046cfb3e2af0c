"""An artifact as a file on the memory branch, and the message of its commit. Pure.

The same artifact gives the same bytes, so that one which is on the branch already is recognised.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from sidecar.core import json_text
from sidecar.core.clock import rfc3339
from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact
from sidecar.runs import Artifact
from sidecar.runs.model import ArtifactStatus

FOLDER = "continuity"
MAX_SUBJECT_TITLE = 60
MAX_TOLD = 20
"""So many artifacts of a commit are named in its message."""

_FOLDERS = {"devlog": "devlog", "adr": "adr", "rejectedApproach": "rejected"}
_NAMES = {"devlog": "devlog entry", "adr": "decision", "rejectedApproach": "rejected approach"}
_MANY = {"devlog": "devlog entries", "adr": "decisions", "rejectedApproach": "rejected approaches"}
_ID = regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")
_TOLD = (
    "runId", "runs", "subChatId", "chatId", "provider", "sessionId", "taskFingerprint", "headCommit", "files",
    "sidecarVersion",
)  # fmt: skip


def path_of(artifact: Artifact) -> str | None:
    """Gives the file's path on the branch; None for an id that cannot be a file's name everywhere."""
    if not _ID.fullmatch(artifact.id):
        return None
    return f"{FOLDER}/{_FOLDERS[artifact.type]}/{rfc3339(artifact.created_at_ms)[:7]}-{artifact.id}.md"


def file_of(artifact: Artifact) -> bytes:
    """Gives the file: where it comes from as YAML front matter, of which JSON is a part, then the text."""
    told = {name: artifact.provenance[name] for name in _TOLD if artifact.provenance.get(name) is not None}
    matter = {
        "id": artifact.id,
        "type": artifact.type,
        "title": _line(artifact.title),
        "event": artifact.event,
        "createdAt": rfc3339(artifact.created_at_ms),
        **told,
    }
    lines = [f"{name}: {_yaml(value)}" for name, value in matter.items()]
    return ("\n".join(["---", *lines, "---", "", redact(artifact.body).strip("\n")]) + "\n").encode("utf-8", "replace")


def message_of(artifacts: Sequence[Artifact], version: str) -> str:
    """Gives the commit's message: what was kept, by its titles, and which runs it comes from."""
    told = [f"- {_NAMES[one.type]}: {_line(one.title)} ({one.id})" for one in artifacts[:MAX_TOLD]]
    if len(artifacts) > MAX_TOLD:
        told.append(f"- … and {len(artifacts) - MAX_TOLD} more")
    runs = [f"Run: {_line(run)}" for run in dict.fromkeys(str(one.provenance.get("runId", "")) for one in artifacts)]
    return "\n".join(
        [
            _subject(artifacts),
            "",
            "Committed by the 1Code continuity sidecar, which keeps what runs taught on this branch.",
            "",
            *told,
            "",
            *[run for run in runs if run != "Run: "][:MAX_TOLD],
            f"Sidecar-Version: {version}",
            "",
        ]
    )


def _subject(artifacts: Sequence[Artifact]) -> str:
    if len(artifacts) == 1:
        title = _line(artifacts[0].title)
        shown = title if len(title) <= MAX_SUBJECT_TITLE else title[: MAX_SUBJECT_TITLE - 1].rstrip() + "…"
        return f"Keep a {_NAMES[artifacts[0].type]}: {shown}"
    kinds = [one.type for one in artifacts]
    counts = [(kinds.count(kind), kind) for kind in _NAMES if kind in kinds]
    return "Keep " + ", ".join(f"{count} {(_NAMES if count == 1 else _MANY)[kind]}" for count, kind in counts)


def _line(text: str) -> str:
    """Makes one line of a text, its secrets masked and without control characters."""
    return re.sub(r"[\s\x00-\x1f\x7f]+", " ", redact(text)).strip()


def _yaml(value: Any) -> str:
    return json_text.dumps(value).decode()


# An artifact's text as its user changes it: title and first heading go together. Pure.


_HEADING = regex(r"\A\s*+#[ \t]++((?:[^\n \t]++|[ \t]++(?=[^\n \t]))++)[ \t]*+(?:\n|\Z)")

_STATUS = regex(r"(?m)^(Status: )(?:draft|accepted|discarded)$")


class Text(NamedTuple):
    """A title and a Markdown body."""

    title: str
    body: str


def revised(before: Text, title: str | None, body: str | None, longest_title: int) -> Text:
    """Gives the text after a change of title, body or both, its secrets masked.

    A new title replaces a heading that said the old one; a new body's first heading becomes the title, where no other
    is given. Neither given changes nothing.
    """
    now = Text(before.title, before.body if body is None else redact(body).strip("\n") + "\n")
    if title is not None:
        name = redact(" ".join(title.split()))[:longest_title]
        return Text(name, _headed(now.body, before.title, name) if body is None else now.body)
    heading = _HEADING.match(now.body) if body is not None else None
    return now._replace(title=" ".join(heading[1].split())[:longest_title]) if heading else now


def with_status(body: str, status: ArtifactStatus) -> str:
    """Gives a decision record whose status line says what was decided on it; what its user wrote there stays."""
    return _STATUS.sub(rf"\g<1>{status}", body, count=1)


def _headed(body: str, old: str, new: str) -> str:
    heading = _HEADING.match(body)
    if heading is None or heading[1] != old:
        return body
    return body[: heading.start(1)] + new + body[heading.end(1) :]
