"""What `onecode-sidecar memory` takes."""

import argparse
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from sidecar.cli.editor import edit
from sidecar.cli.errors import CommandFailed
from sidecar.cli.in_process import InProcess, on_users_state
from sidecar.cli.output import Said, cut, read_text, shown, told
from sidecar.cli.paths import add_verb, project_folder, state_folder
from sidecar.system.environment import environment

MOST = 500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    parser.epilog = (
        "An ID may be cut to its end as long as no other ends so. Exit status: 0 done, 1 failed, 2 wrong usage,"
        " 3 not exactly one such memory or no state, 4 changed meanwhile, 5 not allowed."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    add_verb(verbs, "status", "tell what is remembered, what was captured last, what was dropped and why")
    _listed(add_verb(verbs, "list", "list a project's memories, the newest first"))
    _searched(add_verb(verbs, "search", "find memories by a question or keywords"))
    add_verb(verbs, "show", "show a memory with all that is known of it").add_argument("id", metavar="ID")
    _added(add_verb(verbs, "add", "keep a memory"))
    _edited(add_verb(verbs, "edit", "change a memory, in $VISUAL or $EDITOR unless it is given here"))
    deleted = add_verb(verbs, "delete", "delete memories for good; the same is not captured again")
    deleted.add_argument("ids", metavar="ID", nargs="+")
    add_verb(verbs, "restore", "bring a memory back from the archive").add_argument("id", metavar="ID")
    upkeep = add_verb(verbs, "maintain", "move memories between tiers and what is over to the archive")
    upkeep.add_argument("--dry-run", action="store_true", help="say what is due and change nothing")
    proposed = add_verb(verbs, "proposals", "show the rules that memories suggest, or decide on one")
    word = proposed.add_mutually_exclusive_group()
    word.add_argument("--accept", metavar="ID", help="the memory is validated and kept for good")
    word.add_argument("--reject", metavar="ID", help="it is not proposed again")


def _listed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--owner", choices=_owners(), metavar="OWNER", help="shared, or an agent")
    parser.add_argument("--keeping", choices=_keepings(), help="only those kept so")
    parser.add_argument("--tier", choices=("hot", "warm", "cold"), help="only those of this tier")
    parser.add_argument("--type", choices=_types(), metavar="TYPE", help=f"one of {', '.join(_types())}")
    parser.add_argument("--tag", metavar="TAG", help="only those with this tag")
    parser.add_argument("--archived", action="store_true", help="those in the archive instead")
    _limited(parser, 50)


def _searched(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="WORD", nargs="+")
    parser.add_argument("--full", action="store_true", help="show each whole")
    _limited(parser, 10, 100)


def _added(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="WORD", nargs="*")
    parser.add_argument("--file", metavar="FILE", help="a file with the text, in Markdown; - for stdin")
    parser.add_argument("--title", help="unless given, the text's first line")
    parser.add_argument("--type", choices=_types(), default="semantic", metavar="TYPE", help="semantic unless given")
    parser.add_argument("--tag", metavar="TAG", action="append", help="may be given several times")
    parser.add_argument("--owner", choices=_owners(), default="shared", metavar="OWNER", help="shared, or an agent")
    parser.add_argument("--keeping", choices=_keepings(), default="durable", help="durable unless given")
    parser.add_argument("--confidence", type=_share, default=1.0, metavar="SHARE", help="0 to 1; 1 unless given")


def _edited(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--title", help="the new title")
    parser.add_argument("--file", metavar="FILE", help="a file with the new text; - for stdin")
    parser.add_argument("--type", choices=_types(), metavar="TYPE", help="the new type")
    parser.add_argument("--tag", metavar="TAG", action="append", help="the new tags, in place of those it has")
    parser.add_argument("--confidence", type=_share, metavar="SHARE", help="0 to 1")
    parser.add_argument("--durable", action="store_true", help="keep it for good")


def _limited(parser: argparse.ArgumentParser, usual: int, most: int = MOST) -> None:
    def limit(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"1 to {most}")
        return int(text)

    parser.add_argument(
        "--limit", type=limit, default=usual, metavar="N", help=f"at most so many; {usual} unless given"
    )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError("0 to 1")
    return share


def _owners() -> tuple[str, ...]:
    from sidecar.memory.files.layout import OWNERS

    return OWNERS


def _types() -> tuple[str, ...]:
    from sidecar.memory.entry import MemoryType

    return get_args(MemoryType)


def _keepings() -> tuple[str, ...]:
    from sidecar.memory.files.layout import KEEPINGS

    return KEEPINGS


# Memories as a terminal shows them. Pure.


_LEAST_TITLE = 20


def table(memories: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Gives a line for each memory under a heading."""
    ids, owners, types = (max(len(str(one[name])) for one in memories) for name in ("id", "owner", "type"))
    left = max(_LEAST_TITLE, width - ids - owners - types - len("  warm  0.70  1×      "))
    yield f"{'ID':<{ids}}  {'OWNER':<{owners}}  {'TYPE':<{types}}  TIER  SURE  MET  TITLE"
    for one in memories:
        tier = "arch" if one["archived"] else one["tier"]
        facts = f"{one['id']:<{ids}}  {one['owner']:<{owners}}  {one['type']:<{types}}  {tier:<4}"
        yield f"{facts}  {one['confidence']:.2f}  {one['evidence']:>3}  {cut(shown(one['title']), left)}"


def card(memory: Mapping[str, Any]) -> Iterator[str]:
    """Gives a memory with what is known of it, then its text."""
    times = f"met {memory['evidence']} times, opened {memory['accessCount']} times"
    facts = {
        "id": memory["id"],
        "type": f"{memory['type']}, {memory['sector']}",
        "owner": f"{memory['owner']}, {memory['keeping']}{', archived' if memory['archived'] else ''}",
        "tier": f"{memory['tier']}, confidence {memory['confidence']:.2f}, {times}",
        "said": " ".join(filter(None, (_moment(memory["at"]), f"by {memory['author']}" if memory["author"] else ""))),
        "session": memory["sessionId"] or "",
        "tags": ", ".join(memory["tags"]),
        "instead": ", ".join(memory["supersedes"]),
        "against": ", ".join(memory["contradicts"]),
        "file": memory["path"],
        "warning": memory["warning"] or "",
    }
    yield from (f"{name:<8} {shown(fact)}" for name, fact in facts.items() if fact)
    yield ""
    yield f"# {shown(memory['title'])}"
    yield ""
    yield shown(memory["text"]).rstrip("\n")


def found(memories: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Gives what a search found, each with its score and what it says."""
    for one in memories:
        begin = f"{one['score']:.2f}  {one['id']}  "
        yield begin + cut(shown(one["title"]), max(_LEAST_TITLE, width - len(begin)))
        yield from (f"      {cut(shown(line), max(_LEAST_TITLE, width - 6))}" for line in _lines(one["text"]))
        yield f"      = {cut(_score(one), max(_LEAST_TITLE, width - 8))}"


def _score(one: Mapping[str, Any]) -> str:
    """Tells what a score is the product of, and what speaks for and against the memory most."""
    factors = " × ".join(f"{name} {value:.2g}" for name, value in one["factors"].items())
    return f"{factors}; {', '.join(f'{name} {share:+.1f}' for name, share in one['reasons'].items())}"


def line(memory: Mapping[str, Any], word: str, width: int) -> str:
    """Says in a line what became of a memory."""
    begin = f"{word}  {memory['id']}  "
    return begin + cut(shown(memory["title"]), max(_LEAST_TITLE, width - len(begin)))


def state(status: Mapping[str, Any]) -> Iterator[str]:
    """Tells what is remembered, what was captured last, what was dropped and why, and what upkeep did."""
    if not status["present"]:
        yield f"No memories yet; they are kept in {status['folder']}."
    else:
        memories = counted(status["memories"], "memory", "memories")
        yield f"{memories} in {counted(status['index']['files'], 'file', 'files')} of {status['folder']}"
        yield from (_count(one) for one in status["counts"])
    yield ""
    yield from _captured(status["capture"])
    yield _upkeep(status["upkeep"])
    yield from (f"warning: {shown(one['path'])}: {shown(one['warning'])}" for one in status["warnings"])


def upkeep(answer: Mapping[str, Any]) -> Iterator[str]:
    """Tells what was due."""
    will = "would be " if answer["dryRun"] else ""
    for one in answer["tiers"]:
        yield f"{one['id']}  {will}{one['after']}, was {one['before']}"
    for name, what in (("archived", "archived"), ("cleaned", "removed, its session is over")):
        yield from (f"{shown(one['path'])}  {will}{what} ({one['reason']})" for one in answer[name])
    yield from (f"{shown(path)}  left alone: it is damaged or in use" for path in answer["leftAlone"])
    counts = answer["totals"]
    yield (
        f"{counts['tiers']} tiers, {counts['archived']} files archived, {counts['cleaned']} cleaned"
        f"{'; nothing was changed' if answer['dryRun'] else ''}."
    )


def _captured(capture: Mapping[str, Any]) -> Iterator[str]:
    if capture["last"] is None:
        yield "Nothing was captured yet."
    else:
        last = capture["last"]
        yield f"Last capture  {_moment(last['at'])}, {last['origin']} of session {shown(last['sessionId'])}:"
        yield f"  {_became(last)}"
        yield f"In all, of {counted(capture['captures'], 'capture', 'captures')}:"
        yield f"  {_became(capture)}"
    if capture["waiting"]:
        yield f"Still to be captured: {counted(capture['waiting'], 'run', 'runs')}."


def _became(counts: Mapping[str, Any]) -> str:
    told = f"{counts['kept']} kept, {counts['repeated']} met again"
    if counts["withheld"]:
        told += f", {counts['withheld']} withheld (the project's mode is not active)"
    dropped = sum(one["count"] for one in counts["dropped"])
    reasons = ", ".join(f"{one['count']} {_REASONS[one['reason']]}" for one in counts["dropped"])
    return f"{told}, {dropped} dropped{f': {reasons}' if reasons else ''}"


_REASONS = {
    "tooShort": "too short",
    "tooLong": "too long",
    "question": "a question",
    "toolOutput": "a tool's output",
    "instructionFile": "in a rule file already",
    "private": "private",
    "injected": "our own text",
    "deletedByUser": "deleted by you before",
    "unresolvedError": "an error that nothing has ended yet",
}


def _count(one: Mapping[str, Any]) -> str:
    where = "archive" if one["archived"] else one["keeping"]
    return f"  {one['memories']:>5}  {one['owner']}, {where}, {one['tier']}"


def _upkeep(last: Mapping[str, Any] | None) -> str:
    if last is None:
        return "Upkeep never ran."
    counts = f"{last['tiers']} tiers, {last['archived']} files archived, {last['cleaned']} cleaned"
    return f"Last upkeep   {_moment(last['at'])}: {counts}"


def _lines(text: str | None) -> list[str]:
    return [one for one in (text or "").splitlines() if one.strip()]


def counted(number: int, one: str, many: str) -> str:
    """Gives a number with its noun."""
    return f"{number} {one if number == 1 else many}"


def _moment(text: str) -> str:
    return f"{text[:10]} {text[11:16]} UTC"


# `onecode-sidecar memory`: what agents remember of a project, the private memories of each among it.
#
# The command line is the user: all memories are within reach.


MOST_COMMAND = 500
_FEW = 5


add_arguments_command = add_arguments


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
        listed = self.sidecar.request(
            "memory/list", {"cwd": str(self.project), "archived": None, "limit": MOST_COMMAND}
        )
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
    return Said(answer, list(state(answer)))


def _list(asked: Asked) -> Said:
    chosen = asked.arguments
    filters = {name: getattr(chosen, name) for name in ("owner", "keeping", "tier", "type", "tag")}
    answer = asked.request("list", limit=chosen.limit, archived=bool(chosen.archived), **filters)
    found = answer["memories"]
    lines = list(table(found, _width())) if found else [f"No such memories of {asked.project}."]
    if answer["total"] > len(found):
        lines.append(f"The newest {len(found)} of {answer['total']}; --limit shows more.")
    return Said(answer, lines)


def _search(asked: Asked) -> Said:
    chosen = asked.arguments
    level = "full" if chosen.full else "chunks"
    answer = asked.request("search", query=" ".join(chosen.query), limit=chosen.limit, level=level)
    lines = list(found(answer["memories"], _width()))
    return Said(answer, lines or ["Nothing was found."])


def _show(asked: Asked) -> Said:
    memory = asked.request("get", id=asked.id_of(asked.arguments.id))
    return Said(memory, list(card(memory)))


def _add(asked: Asked) -> Said:
    chosen = asked.arguments
    text = read_text(chosen.file) if chosen.file else " ".join(chosen.text)
    if not text.strip():
        raise CommandFailed("There is no text.", hint="Give it behind the command, or with --file.")
    memory = asked.request(
        "add", text=text, title=chosen.title, type=chosen.type, tags=chosen.tag or [], keeping=chosen.keeping,
        confidence=chosen.confidence, owner=chosen.owner, author="user",
    )  # fmt: skip
    return Said(memory, [line(memory, "kept", _width())])


def _edit(asked: Asked) -> Said:
    chosen = asked.arguments
    before = asked.request("get", id=asked.id_of(chosen.id))
    facts = {"title": chosen.title, "type": chosen.type, "confidence": chosen.confidence, "tags": chosen.tag}
    facts["keeping"] = "durable" if chosen.durable else None
    if chosen.file:
        facts["text"] = read_text(chosen.file)
    if all(value is None for value in facts.values()):
        after = _edited_command(asked, before)
    else:
        after = asked.request("update", id=before["id"], **facts)
    changed = after["version"] != before["version"]
    return Said(after, [line(after, "changed", _width()) if changed else "Nothing was changed."])


def _edited_command(asked: Asked, before: Any) -> Any:
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
    return Said({"memories": answers}, [line(one, "deleted", _width()) for one in found])


def _restore(asked: Asked) -> Said:
    memory = asked.request("restore", id=asked.id_of(asked.arguments.id))
    return Said(memory, [line(memory, "restored", _width())])


def _maintain(asked: Asked) -> Said:
    answer = asked.request("maintain", dryRun=bool(asked.arguments.dry_run))
    return Said(answer, list(upkeep(answer)))


def _proposals(asked: Asked) -> Said:
    chosen = asked.arguments
    if chosen.accept or chosen.reject:
        word = "accept" if chosen.accept else "reject"
        answer = asked.request("resolveProposal", id=asked.id_of(chosen.accept or chosen.reject), word=word)
        rule = [f"For a rule file of yours: {shown(answer['rule'])}"] if answer["rule"] else []
        return Said(answer, [line(answer["memory"], f"{word}ed", _width()), *rule])
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
