"""`onecode-sidecar artifacts`: list, show, edit, accept, discard and commit the artifacts of runs."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.cli.common_arguments import add_limit_argument, add_verb, project_folder, state_folder
from sidecar.cli.in_process import InProcess, on_users_state
from sidecar.cli.output import (
    CommandAnswer,
    CommandFailed,
    cut,
    read_text,
    run_and_print,
    terminal_safe,
    terminal_width,
)
from sidecar.cli.text_editor import edited_text
from sidecar.core.clock import utc_minute

KINDS = {"devlog": "devlog", "adr": "adr", "rejected": "rejectedApproach"}
"""Artifact types by their names on the command line."""

_NAMES = {kind: name for name, kind in KINDS.items()}
_MIN_TITLE_WIDTH = 20


def table(artifacts: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Yield a heading and one line per artifact, at most `width` columns wide if the ids leave room for a title."""
    ids = max(len(artifact["id"]) for artifact in artifacts)
    left = max(_MIN_TITLE_WIDTH, width - ids - len("  committed  2026-03-01  "))
    yield f"{'ID':<{ids}}  {'STATUS':<9}  {'CREATED':<10}  TITLE"
    for artifact in artifacts:
        facts = f"{artifact['id']:<{ids}}  {_status(artifact):<9}  {artifact['createdAt'][:10]}"
        yield f"{facts}  {cut(terminal_safe(artifact['title']), left)}"


def _card_lines(artifact: Mapping[str, Any]) -> Iterator[str]:
    """Yield an artifact's facts, then its text."""
    source = artifact["provenance"]
    edited = ", edited" if source["edited"] else ""
    facts = {
        "id": artifact["id"],
        "type": f"{_NAMES[artifact['type']]}, from {artifact['event']}",
        "status": f"{artifact['status']}{edited}",
        "created": utc_minute(artifact["createdAt"]),
        "changed": utc_minute(artifact["updatedAt"]) if artifact["updatedAt"] != artifact["createdAt"] else "",
        "run": f"{source['runId']} of chat {source['subChatId']} with {source['provider']}",
        "session": source["sessionId"] or "",
        "head": (source["headCommit"] or "")[:12],
        "branch": f"{source['branch']} at {source['commit'][:12]}" if source["branch"] and source["commit"] else "",
    }
    yield from (f"{name:<8} {terminal_safe(fact)}" for name, fact in facts.items() if fact)
    yield ""
    yield terminal_safe(artifact["body"]).rstrip("\n")


def line(artifact: Mapping[str, Any], width: int) -> str:
    """Return an artifact's current state in one line."""
    begin = f"{artifact['status']:<9}  {artifact['id']}  "
    return begin + cut(terminal_safe(artifact["title"]), max(_MIN_TITLE_WIDTH, width - len(begin)))


def _status(artifact: Mapping[str, Any]) -> str:
    return "damaged" if artifact["damaged"] else str(artifact["status"])


STATUSES = ("draft", "accepted", "discarded", "committed")
MAX_LIMIT = 500
MAX_CANDIDATES = 5
"""Maximum number of candidates named for an ambiguous id."""


class ArtifactContext(NamedTuple):
    """The context of one verb."""

    sidecar: InProcess
    project: Path
    arguments: argparse.Namespace

    def request(self, method: str, **params: Any) -> Any:
        """Send a request about the project; raise CommandFailed with the sidecar's message."""
        return self.sidecar.request(f"artifact/{method}", {"projectPath": str(self.project), **params})

    def id_of(self, given: str) -> str:
        """Return the only id that equals or starts with `given`; raise CommandFailed for none and for several."""
        matches = self.request("list", idPrefix=given, limit=MAX_CANDIDATES + 1)["artifacts"] if given else []
        ids = [artifact["id"] for artifact in matches]
        if given in ids or len(ids) == 1:
            return given if given in ids else str(ids[0])
        if not ids:
            raise CommandFailed(
                f"No artifact of {self.project} has an id that starts with `{given}`.",
                kind="notFound",
                hint="`onecode-sidecar artifacts list` shows the ids; --project selects another project.",
            )
        candidates = ", ".join(ids[:MAX_CANDIDATES]) + (", …" if len(ids) > MAX_CANDIDATES else "")
        raise CommandFailed(f"Several artifact ids start with `{given}`: {candidates}.", kind="ambiguous")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = (
        "An ID may be shortened to a unique prefix. Exit status: 0 success, 1 failure, 2 wrong usage, 3 no unique"
        " artifact or no state, 4 changed meanwhile, 5 not allowed."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listed = _verb(verbs, "list", _list, "list a project's artifacts, newest first")
    listed.add_argument("--status", choices=STATUSES, help="only this status")
    listed.add_argument("--kind", choices=tuple(KINDS), help="only this kind")
    add_limit_argument(listed, 50, MAX_LIMIT)
    _verb(verbs, "show", _show, "show an artifact's text and its origin").add_argument("id", metavar="ID")
    edited = _verb(verbs, "edit", _edit, "edit an artifact in $VISUAL or $EDITOR, or with the options below")
    edited.add_argument("id", metavar="ID")
    edited.add_argument("--title", help="the new title")
    edited.add_argument("--body", metavar="FILE", help="a file with the new text, in Markdown; - for stdin")
    accepted = _verb(verbs, "accept", _decide, "accept artifacts: they are sent to the project's next sessions")
    discarded = _verb(verbs, "discard", _decide, "discard artifacts: they are no longer sent to sessions")
    for decided in (accepted, discarded):
        decided.add_argument("ids", metavar="ID", nargs="+")
    committed = _verb(verbs, "commit", _commit, "commit artifacts to the memory branch, and to no other")
    committed.add_argument("ids", metavar="ID", nargs="*", help="default: every accepted artifact")


def _verb(verbs: Any, name: str, act: Callable[[ArtifactContext], Any], text: str) -> argparse.ArgumentParser:
    parser = add_verb(verbs, name, text)
    parser.set_defaults(act=act)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the verb and print its answer. A failure is one sentence on stderr and its own exit status."""
    return run_and_print("artifacts", arguments, lambda: _run_verb(arguments))


def _run_verb(arguments: argparse.Namespace) -> CommandAnswer:
    state, project = state_folder(arguments.state_dir), project_folder(arguments.project)
    with on_users_state(state) as sidecar:
        answer: CommandAnswer = arguments.act(ArtifactContext(sidecar, project, arguments))
        return answer


def _list(ctx: ArtifactContext) -> CommandAnswer:
    chosen = ctx.arguments
    filters = {"status": chosen.status, "type": KINDS.get(chosen.kind)}
    answer = ctx.request("list", limit=chosen.limit, **{name: value for name, value in filters.items() if value})
    artifacts = answer["artifacts"]
    lines = list(table(artifacts, terminal_width())) if artifacts else [f"No artifacts of {ctx.project}."]
    if len(artifacts) == chosen.limit < MAX_LIMIT:
        lines.append(f"Newest {chosen.limit} only; --limit shows more.")
    return CommandAnswer(answer, lines)


def _show(ctx: ArtifactContext) -> CommandAnswer:
    artifact = ctx.request("get", id=ctx.id_of(ctx.arguments.id))
    return CommandAnswer(artifact, list(_card_lines(artifact)))


def _decide(ctx: ArtifactContext) -> CommandAnswer:
    """Accept or discard artifacts; every id is resolved before the first decision."""
    ids = [ctx.id_of(given) for given in ctx.arguments.ids]
    decided = [ctx.request(ctx.arguments.verb, id=id_) for id_ in dict.fromkeys(ids)]
    return CommandAnswer({"artifacts": decided}, [line(id_, terminal_width()) for id_ in decided])


def _edit(ctx: ArtifactContext) -> CommandAnswer:
    chosen = ctx.arguments
    before = ctx.request(
        "update", id=ctx.id_of(chosen.id)
    )  # changes nothing, and fails for an artifact that cannot be changed
    if chosen.title is None and chosen.body is None:
        after = _edit_in_editor(ctx, before)
    else:
        body = {} if chosen.body is None else {"body": read_text(chosen.body)}
        title = {} if chosen.title is None else {"title": chosen.title}
        after = ctx.request("update", id=before["id"], **title, **body)
    changed = after["updatedAt"] != before["updatedAt"]
    return CommandAnswer(after, [line(after, terminal_width()) if changed else "Nothing was changed."])


def _edit_in_editor(ctx: ArtifactContext, before: Any) -> Any:
    hint = "Use `artifacts discard` to discard it."
    options = "--title and --body"
    with edited_text(before["body"], f"{before['id']}.md", options=options, hint_if_empty=hint) as text:
        return ctx.request("update", id=before["id"], body=text, expectedUpdatedAt=before["updatedAt"])


def _commit(ctx: ArtifactContext) -> CommandAnswer:
    ids = list(dict.fromkeys(ctx.id_of(given) for given in ctx.arguments.ids))
    answer = ctx.request("commit", **({"ids": ids} if ids else {}))
    committed = answer["artifacts"]
    if not committed:
        return CommandAnswer(answer, ["There are no accepted artifacts to commit."])
    lines = [f"{artifact['commit'][:12]}  {artifact['id']}" for artifact in committed]
    return CommandAnswer(answer, [f"On the branch {answer['branch']}:", *lines])
