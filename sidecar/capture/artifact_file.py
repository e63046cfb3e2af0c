"""An artifact's text: as its user edits it, as a file on the memory branch, and in the commit message. Pure.

The same artifact gives the same bytes, so that a file that is already on the branch is recognised.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from sidecar.core import json_text
from sidecar.core.clock import rfc3339
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.core.text import clip, escape_markers
from sidecar.runs import Artifact
from sidecar.runs.artifact_provenance import origin_members
from sidecar.runs.model import ArtifactStatus

FOLDER = "continuity"
MAX_SUBJECT_TITLE = 60
MAX_LISTED = 20
"""Maximum number of artifacts listed in a commit message."""

_FOLDERS = {"devlog": "devlog", "adr": "adr", "rejectedApproach": "rejected"}
_SINGULAR_NAMES = {"devlog": "devlog entry", "adr": "decision", "rejectedApproach": "rejected approach"}
_PLURAL_NAMES = {"devlog": "devlog entries", "adr": "decisions", "rejectedApproach": "rejected approaches"}
_ID = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")
_FRONT_MATTER = frozenset(
    (
        "runId", "runs", "subChatId", "chatId", "provider", "sessionId", "taskFingerprint", "headCommit", "files",
        "sidecarVersion",
    )
)  # fmt: skip


def path_of(artifact: Artifact) -> str | None:
    """Return the file's path on the branch; None for an id that is not a valid file name everywhere."""
    if not _ID.fullmatch(artifact.id):
        return None
    return f"{FOLDER}/{_FOLDERS[artifact.type]}/{rfc3339(artifact.created_at_ms)[:7]}-{artifact.id}.md"


def file_of(artifact: Artifact) -> bytes:
    """Return the file: its provenance as YAML front matter (JSON is a subset of YAML), then the text."""
    origin = origin_members(artifact.provenance).items()
    members = {name: value for name, value in origin if name in _FRONT_MATTER and value is not None}
    matter = {
        "id": artifact.id,
        "type": artifact.type,
        "title": _line(artifact.title),
        "event": artifact.event,
        "createdAt": rfc3339(artifact.created_at_ms),
        **members,
    }
    lines = [f"{name}: {_yaml(value)}" for name, value in matter.items()]
    return ("\n".join(["---", *lines, "---", "", escape_markers(redact(artifact.body)).strip("\n")]) + "\n").encode(
        "utf-8", "replace"
    )


def message_of(artifacts: Sequence[Artifact], version: str) -> str:
    """Return the commit message: the titles of the artifacts, and the runs they come from."""
    lines = [
        f"- {_SINGULAR_NAMES[artifact.type]}: {_line(artifact.title)} ({artifact.id})"
        for artifact in artifacts[:MAX_LISTED]
    ]
    if len(artifacts) > MAX_LISTED:
        lines.append(f"- … and {len(artifacts) - MAX_LISTED} more")
    runs = [f"Run: {_line(run)}" for run in dict.fromkeys(artifact.provenance.run_id for artifact in artifacts)]
    return "\n".join(
        [
            _subject(artifacts),
            "",
            "Committed by the 1Code continuity sidecar, which stores what agents learned on this branch.",
            "",
            *lines,
            "",
            *[run for run in runs if run != "Run: "][:MAX_LISTED],
            f"Sidecar-Version: {version}",
            "",
        ]
    )


def _subject(artifacts: Sequence[Artifact]) -> str:
    if len(artifacts) == 1:
        title = _line(artifacts[0].title)
        short_title = clip(title, MAX_SUBJECT_TITLE)
        return f"Add a {_SINGULAR_NAMES[artifacts[0].type]}: {short_title}"
    kinds = [artifact.type for artifact in artifacts]
    counts = [(kinds.count(kind), kind) for kind in _SINGULAR_NAMES if kind in kinds]
    return "Add " + ", ".join(
        f"{count} {(_SINGULAR_NAMES if count == 1 else _PLURAL_NAMES)[kind]}" for count, kind in counts
    )


def _line(text: str) -> str:
    """Return a text as one line, with secrets masked and without control characters."""
    return re.sub(r"[\s\x00-\x1f\x7f]+", " ", escape_markers(redact(text))).strip()


def _yaml(value: Any) -> str:
    return json_text.dumps(value).decode()


_HEADING = lazy_regex(r"\A\s*+#[ \t]++((?:[^\n \t]++|[ \t]++(?=[^\n \t]))++)[ \t]*+(?:\n|\Z)")

_STATUS = lazy_regex(r"(?m)^(Status: )(?:draft|accepted|discarded)$")


class Text(NamedTuple):
    """A title and a Markdown body."""

    title: str
    body: str


def edited_text(before: Text, title: str | None, body: str | None, longest_title: int) -> Text:
    """Return the text after a change of title, body or both, with secrets masked.

    A new title replaces a heading equal to the old one; the first heading of a new body becomes the title unless one is
    given. Without either, nothing changes.
    """
    text = Text(before.title, before.body if body is None else redact(body).strip("\n") + "\n")
    if title is not None:
        name = redact(" ".join(title.split()))[:longest_title]
        return Text(name, _headed(text.body, before.title, name) if body is None else text.body)
    heading = _HEADING.match(text.body) if body is not None else None
    return text._replace(title=" ".join(heading[1].split())[:longest_title]) if heading else text


def with_status(body: str, status: ArtifactStatus) -> str:
    """Return a decision record whose status line shows the decision. Text that the user wrote there stays."""
    return _STATUS.sub(rf"\g<1>{status}", body, count=1)


def _headed(body: str, old: str, new: str) -> str:
    heading = _HEADING.match(body)
    if heading is None or heading[1] != old:
        return body
    return body[: heading.start(1)] + new + body[heading.end(1) :]
