"""An artifact's text as its user changes it: title and first heading go together. Pure."""

from typing import NamedTuple

from sidecar.core.regex import regex
from sidecar.core.secrets.redact import redact
from sidecar.runs.model import ArtifactStatus

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
