"""Artifacts as a terminal shows them. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sidecar.cli.telling import cut, shown

KINDS = {"devlog": "devlog", "adr": "adr", "rejected": "rejectedApproach"}
"""What the command line calls an artifact's types."""

_NAMES = {kind: name for name, kind in KINDS.items()}
_LEAST_TITLE = 20


def table(artifacts: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Gives a line for each artifact under a heading, none wider than `width` where the ids leave room for a title."""
    ids = max(len(one["id"]) for one in artifacts)
    left = max(_LEAST_TITLE, width - ids - len("  committed  2026-03-01  "))
    yield f"{'ID':<{ids}}  {'STATUS':<9}  {'CREATED':<10}  TITLE"
    for one in artifacts:
        yield f"{one['id']:<{ids}}  {_status(one):<9}  {one['createdAt'][:10]}  {cut(shown(one['title']), left)}"


def card(artifact: Mapping[str, Any]) -> Iterator[str]:
    """Gives an artifact with where it comes from, then its text."""
    source = artifact["provenance"]
    edited = ", edited" if source["edited"] else ""
    facts = {
        "id": artifact["id"],
        "type": f"{_NAMES[artifact['type']]}, because of {artifact['event']}",
        "status": f"{artifact['status']}{edited}",
        "created": _moment(artifact["createdAt"]),
        "changed": _moment(artifact["updatedAt"]) if artifact["updatedAt"] != artifact["createdAt"] else "",
        "run": f"{source['runId']} of chat {source['subChatId']} with {source['provider']}",
        "session": source["sessionId"] or "",
        "head": (source["headCommit"] or "")[:12],
        "branch": f"{source['branch']} at {source['commit'][:12]}" if source["branch"] and source["commit"] else "",
    }
    yield from (f"{name:<8} {shown(fact)}" for name, fact in facts.items() if fact)
    yield ""
    yield shown(artifact["body"]).rstrip("\n")


def line(artifact: Mapping[str, Any], width: int) -> str:
    """Says in a line what an artifact is now."""
    begin = f"{artifact['status']:<9}  {artifact['id']}  "
    return begin + cut(shown(artifact["title"]), max(_LEAST_TITLE, width - len(begin)))


def _status(artifact: Mapping[str, Any]) -> str:
    return "damaged" if artifact["damaged"] else str(artifact["status"])


def _moment(text: str) -> str:
    return f"{text[:10]} {text[11:16]} UTC"
