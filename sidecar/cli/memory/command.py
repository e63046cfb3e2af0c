"""`onecode-sidecar memory`: what agents remember of a project, the private memories of each among it.

The command line is the user: all memories are within reach.
"""

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.cli.artifacts.editor import edit
from sidecar.cli.failed import CommandFailed
from sidecar.cli.in_process import InProcess, on_users_state
from sidecar.cli.memory import arguments as taken
from sidecar.cli.memory import report
from sidecar.cli.places import project_folder, state_folder
from sidecar.cli.telling import Said, read_text, shown, told
from sidecar.system.environment import environment

MOST = 500
_FEW = 5


add_arguments = taken.add_arguments


class Asked(NamedTuple):
    """What a command works with."""

    sidecar: InProcess
    project: Path
    arguments: argparse.Namespace

    def request(self, method: str, **params: Any) -> Any:
        """Asks about the project's memories; raises CommandFailed with the sidecar's own sentence."""
        given = {name: value for name, value in params.items() if value is not None}
        return self.sidecar.request(f"memory/{method}", {"cwd": str(self.project), **given})

    def id_of(self, given: str) -> str:
        """Gives the one id that is given or ends so; raises CommandFailed for several, and for none."""
        listed = self.sidecar.request("memory/list", {"cwd": str(self.project), "archived": None, "limit": MOST})
        ids = [one["id"] for one in listed["memories"]]
        found = [one for one in ids if one.endswith(given)]
        if given in ids or not found:
            return given
        if len(found) > 1:
            raise CommandFailed(f"Several memories' ids end so: {', '.join(found[:_FEW])}.", kind="ambiguous")
        return str(found[0])


def run(arguments: argparse.Namespace) -> int:
    """Does what was asked; a failure is one sentence on stderr and a status of its own."""
    return told("memory", arguments, lambda: _done(arguments))


def _done(arguments: argparse.Namespace) -> Said:
    state, project = state_folder(arguments.state_dir), project_folder(arguments.project)
    with on_users_state(state) as sidecar:
        return _VERBS[arguments.verb](Asked(sidecar, project, arguments))


def _status(asked: Asked) -> Said:
    answer = asked.request("status")
    return Said(answer, list(report.state(answer)))


def _list(asked: Asked) -> Said:
    chosen = asked.arguments
    filters = {name: getattr(chosen, name) for name in ("owner", "keeping", "tier", "type", "tag")}
    answer = asked.request("list", limit=chosen.limit, archived=bool(chosen.archived), **filters)
    found = answer["memories"]
    lines = list(report.table(found, _width())) if found else [f"No such memories of {asked.project}."]
    if answer["total"] > len(found):
        lines.append(f"The newest {len(found)} of {answer['total']}; --limit shows more.")
    return Said(answer, lines)


def _search(asked: Asked) -> Said:
    chosen = asked.arguments
    level = "full" if chosen.full else "chunks"
    answer = asked.request("search", query=" ".join(chosen.query), limit=chosen.limit, level=level)
    lines = list(report.found(answer["memories"], _width()))
    return Said(answer, lines or ["Nothing was found."])


def _show(asked: Asked) -> Said:
    memory = asked.request("get", id=asked.id_of(asked.arguments.id))
    return Said(memory, list(report.card(memory)))


def _add(asked: Asked) -> Said:
    chosen = asked.arguments
    text = read_text(chosen.file) if chosen.file else " ".join(chosen.text)
    if not text.strip():
        raise CommandFailed("There is no text.", hint="Give it behind the command, or with --file.")
    memory = asked.request(
        "add", text=text, title=chosen.title, type=chosen.type, tags=chosen.tag or [], keeping=chosen.keeping,
        confidence=chosen.confidence, owner=chosen.owner, author="user",
    )  # fmt: skip
    return Said(memory, [report.line(memory, "kept", _width())])


def _edit(asked: Asked) -> Said:
    chosen = asked.arguments
    before = asked.request("get", id=asked.id_of(chosen.id))
    facts = {"title": chosen.title, "type": chosen.type, "confidence": chosen.confidence, "tags": chosen.tag}
    facts["keeping"] = "durable" if chosen.durable else None
    if chosen.file:
        facts["text"] = read_text(chosen.file)
    if all(value is None for value in facts.values()):
        after = _edited(asked, before)
    else:
        after = asked.request("update", id=before["id"], **facts)
    changed = after["version"] != before["version"]
    return Said(after, [report.line(after, "changed", _width()) if changed else "Nothing was changed."])


def _edited(asked: Asked, before: Any) -> Any:
    """Has the text changed in the user's editor; if it cannot be kept, its file stays."""
    edited = edit(before["text"], f"{before['id']}.md", environment())
    text = edited.text.strip("\n")
    if not text.strip():
        edited.discard()
        raise CommandFailed("The text is empty, so nothing was changed.", hint="`memory delete` removes a memory.")
    try:
        is_same = text == before["text"]
        after = before if is_same else asked.request("update", id=before["id"], version=before["version"], text=text)
    except CommandFailed as error:
        raise CommandFailed(error.message, kind=error.kind, hint=f"Your text is in {edited.path}.") from error
    edited.discard()
    return after


def _delete(asked: Asked) -> Said:
    """Finds every id before it deletes any."""
    found = [asked.request("get", id=asked.id_of(given)) for given in dict.fromkeys(asked.arguments.ids)]
    answers = [asked.request("delete", id=one["id"], version=one["version"]) for one in found]
    return Said({"memories": answers}, [report.line(one, "deleted", _width()) for one in found])


def _restore(asked: Asked) -> Said:
    memory = asked.request("restore", id=asked.id_of(asked.arguments.id))
    return Said(memory, [report.line(memory, "restored", _width())])


def _maintain(asked: Asked) -> Said:
    answer = asked.request("maintain", dryRun=bool(asked.arguments.dry_run))
    return Said(answer, list(report.upkeep(answer)))


def _proposals(asked: Asked) -> Said:
    chosen = asked.arguments
    if chosen.accept or chosen.reject:
        word = "accept" if chosen.accept else "reject"
        answer = asked.request("resolveProposal", id=asked.id_of(chosen.accept or chosen.reject), word=word)
        rule = [f"For a rule file of yours: {shown(answer['rule'])}"] if answer["rule"] else []
        return Said(answer, [report.line(answer["memory"], f"{word}ed", _width()), *rule])
    answer = asked.request("proposals")
    lines = [f"{one['memory']['id']}  {shown(one['rule'])}" for one in answer["proposals"]]
    return Said(answer, lines or ["No rule is proposed."])


def _width() -> int:
    return shutil.get_terminal_size().columns


_VERBS: dict[str, Callable[[Asked], Said]] = {
    "status": _status,
    "list": _list,
    "search": _search,
    "show": _show,
    "add": _add,
    "edit": _edit,
    "delete": _delete,
    "restore": _restore,
    "maintain": _maintain,
    "proposals": _proposals,
}
