"""Artifacts as a terminal shows them. Pure."""

import argparse
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.cli.editor import edit
from sidecar.cli.errors import CommandFailed
from sidecar.cli.in_process import InProcess, on_users_state
from sidecar.cli.output import Said, cut, read_text, shown, told
from sidecar.cli.paths import add_verb, project_folder, state_folder
from sidecar.system.environment import environment

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


# `onecode-sidecar artifacts`: what runs left for the user to decide on, in the state the app uses.


STATUSES = ("draft", "accepted", "discarded", "committed")
MOST = 500
_FEW = 5
"""So many candidates are named for an id that is not whole."""


class Asked(NamedTuple):
    """What a command works with."""

    sidecar: InProcess
    project: Path
    arguments: argparse.Namespace

    def request(self, method: str, **params: Any) -> Any:
        """Asks about the project; raises CommandFailed with the sidecar's own sentence."""
        return self.sidecar.request(f"artifact/{method}", {"projectPath": str(self.project), **params})

    def id_of(self, given: str) -> str:
        """Gives the one id that is given or begins so; raises CommandFailed for none and for several."""
        found = self.request("list", idPrefix=given, limit=_FEW + 1)["artifacts"] if given else []
        ids = [one["id"] for one in found]
        if given in ids or len(ids) == 1:
            return given if given in ids else str(ids[0])
        if not ids:
            raise CommandFailed(
                f"No artifact of {self.project} has an id that begins with `{given}`.",
                kind="notFound",
                hint="`onecode-sidecar artifacts list` shows them; --project names another project.",
            )
        some = ", ".join(ids[:_FEW]) + (", …" if len(ids) > _FEW else "")
        raise CommandFailed(f"Several artifacts' ids begin with `{given}`: {some}.", kind="ambiguous")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    parser.epilog = (
        "An ID may be cut short as long as it is the only one that begins so. Exit status: 0 done, 1 failed,"
        " 2 wrong usage, 3 not exactly one such artifact or no state, 4 changed meanwhile, 5 not allowed."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listed = _verb(verbs, "list", _list, "list a project's artifacts, the newest first")
    listed.add_argument("--status", choices=STATUSES, help="only those of this status")
    listed.add_argument("--kind", choices=tuple(KINDS), help="only those of this kind")
    listed.add_argument(
        "--limit", type=_limit, default=50, metavar="N", help=f"at most so many, 1 to {MOST}; 50 unless given"
    )
    _verb(verbs, "show", _show, "show an artifact's text and where it comes from").add_argument("id", metavar="ID")
    edited = _verb(verbs, "edit", _edit, "change an artifact's text, in $VISUAL or $EDITOR unless it is given here")
    edited.add_argument("id", metavar="ID")
    edited.add_argument("--title", help="the new title")
    edited.add_argument("--body", metavar="FILE", help="a file with the new text, in Markdown; - for stdin")
    accepted = _verb(verbs, "accept", _decide, "accept artifacts: the project's next sessions are told of them")
    discarded = _verb(verbs, "discard", _decide, "discard artifacts: sessions are told of them no more")
    for decided in (accepted, discarded):
        decided.add_argument("ids", metavar="ID", nargs="+")
    committed = _verb(verbs, "commit", _commit, "commit artifacts to the memory branch, and to no other")
    committed.add_argument("ids", metavar="ID", nargs="*", help="every accepted artifact, unless given")


def _verb(verbs: Any, name: str, act: Callable[[Asked], Any], text: str) -> argparse.ArgumentParser:
    parser = add_verb(verbs, name, text)
    parser.set_defaults(act=act)
    return parser


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"1 to {MOST}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Does what was asked; a failure is one sentence on stderr and a status of its own."""
    return told("artifacts", arguments, lambda: _done(arguments))


def _done(arguments: argparse.Namespace) -> Said:
    state, project = state_folder(arguments.state_dir), project_folder(arguments.project)
    with on_users_state(state) as sidecar:
        said: Said = arguments.act(Asked(sidecar, project, arguments))
        return said


def _list(asked: Asked) -> Said:
    chosen = asked.arguments
    filters = {"status": chosen.status, "type": KINDS.get(chosen.kind)}
    answer = asked.request("list", limit=chosen.limit, **{name: one for name, one in filters.items() if one})
    found = answer["artifacts"]
    lines = list(table(found, _width())) if found else [f"No artifacts of {asked.project}."]
    if len(found) == chosen.limit < MOST:
        lines.append(f"The newest {chosen.limit}; --limit shows more.")
    return Said(answer, lines)


def _show(asked: Asked) -> Said:
    artifact = asked.request("get", id=asked.id_of(asked.arguments.id))
    return Said(artifact, list(card(artifact)))


def _decide(asked: Asked) -> Said:
    """Finds every id before it decides on any."""
    ids = [asked.id_of(given) for given in asked.arguments.ids]
    decided = [asked.request(asked.arguments.verb, id=one) for one in dict.fromkeys(ids)]
    return Said({"artifacts": decided}, [line(one, _width()) for one in decided])


def _edit(asked: Asked) -> Said:
    chosen = asked.arguments
    before = asked.request("update", id=asked.id_of(chosen.id))  # changes nothing, and says what cannot be changed
    if chosen.title is None and chosen.body is None:
        after = _edited(asked, before)
    else:
        body = {} if chosen.body is None else {"body": read_text(chosen.body)}
        title = {} if chosen.title is None else {"title": chosen.title}
        after = asked.request("update", id=before["id"], **title, **body)
    changed = after["updatedAt"] != before["updatedAt"]
    return Said(after, [line(after, _width()) if changed else "Nothing was changed."])


def _edited(asked: Asked, before: Any) -> Any:
    """Has the text changed in the user's editor; if it cannot be kept, its file stays."""
    edited = edit(before["body"], f"{before['id']}.md", environment())
    if not edited.text.strip():
        edited.discard()
        raise CommandFailed("The text is empty, so nothing was changed.", hint="`artifacts discard` discards it.")
    moment = before["updatedAt"]
    try:
        after = asked.request("update", id=before["id"], body=edited.text, expectedUpdatedAt=moment)
    except CommandFailed as error:
        raise CommandFailed(error.message, kind=error.kind, hint=f"Your text is in {edited.path}.") from error
    edited.discard()
    return after


def _commit(asked: Asked) -> Said:
    ids = list(dict.fromkeys(asked.id_of(given) for given in asked.arguments.ids))
    answer = asked.request("commit", **({"ids": ids} if ids else {}))
    done = answer["artifacts"]
    if not done:
        return Said(answer, ["Nothing is accepted and not committed yet."])
    lines = [f"{one['commit'][:12]}  {one['id']}" for one in done]
    return Said(answer, [f"On the branch {answer['branch']}:", *lines])


def _width() -> int:
    return shutil.get_terminal_size().columns
