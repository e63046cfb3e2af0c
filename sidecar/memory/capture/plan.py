"""What a capture is going to write, kept before the first file is touched: what a killed process began, the next ends.

All values are final ones, no increments, and what stands already is passed over: a plan may be carried out again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sidecar.memory.entry import Keeping
from sidecar.memory.files import document
from sidecar.memory.files.front_matter import Value
from sidecar.memory.files.layout import SHARED, file_of, folder_of
from sidecar.memory.store import entries, related
from sidecar.memory.store.entries import Indexed
from sidecar.memory.writing import Writer, moment

MAX_GROUP_BYTES = 256 * 1024
"""A digest beyond this goes on in another file."""


class Entry(NamedTuple):
    """A new memory; its facts hold its id."""

    id: str
    owner: str
    keeping: Keeping
    title: str
    text: str
    facts: dict[str, Value]


class Plan(NamedTuple):
    """What one digest comes to."""

    session: str
    source: str
    agent: str
    """Empty where no agent asked."""
    at_ms: int
    day: str
    """`YYYY-MM-DD`."""
    entries: tuple[Entry, ...] = ()
    amended: Mapping[str, dict[str, Value]] = {}
    """The facts that known memories have from then on, by their ids."""
    met: tuple[tuple[str, int], ...] = ()
    """Wordings that the source has told, each with its time."""
    repeated: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()


def as_json(plan: Plan) -> dict[str, Any]:
    """Gives a plan as a JSON value."""
    return {**plan._asdict(), "entries": [one._asdict() for one in plan.entries]}


def from_json(value: Mapping[str, Any]) -> Plan:
    """Gives the plan that `as_json` made a value of."""
    values: Any = {name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
    values["entries"] = tuple(Entry(**one) for one in value["entries"])
    values["met"] = tuple((digest, at_ms) for digest, at_ms in value["met"])
    return Plan(**values)


def carry_out(writer: Writer, plan: Plan) -> tuple[str, ...]:
    """Writes what is not written yet, and gives the new entries' paths; the folder's lock is held by the caller."""
    known = [(found.memory, facts) for one, facts in plan.amended.items() for found in _known(writer, one)[:1]]
    for path in writer.amend(known):
        writer.process.log.warning("memory.capture.leftAlone", path=path)
    left = [one for one in plan.entries if not _known(writer, one.id)]
    owners = sorted({one.owner for one in left if one.keeping == "daily"})
    paths = [_write_group(writer, plan, owner, left) for owner in owners]
    return (*paths, *(_write_alone(writer, plan, one) for one in left if one.keeping != "daily"))


def _known(writer: Writer, memory_id: str) -> list[Indexed]:
    with writer.process.database.read() as tx:
        return entries.with_id(tx, writer.project, memory_id, writer.reach.owners)


def _write_alone(writer: Writer, plan: Plan, one: Entry) -> str:
    path = file_of(one.owner, one.keeping, one.id, one.title)
    facts = {**one.facts, "session": plan.session}
    writer.folder.create(path, document.new_memory(facts, one.title, one.text))
    writer.index.refresh([path])
    return path


def _write_group(writer: Writer, plan: Plan, owner: str, left: Sequence[Entry]) -> str:
    path, content = _group(writer, plan, owner)
    after = content or document.new_group(_group_facts(plan, owner), f"Session digest, {plan.day}")
    for one in left:
        if one.owner == owner and one.keeping == "daily":
            after = document.with_entry(after, one.facts, one.title, one.text)
    if content is None:
        writer.folder.create(path, after)
    else:
        writer.folder.replace(path, content, after)
    writer.index.refresh([path])
    return path


def _group_facts(plan: Plan, owner: str) -> dict[str, Value]:
    agent = plan.agent or ("" if owner == SHARED else owner)
    return {
        "session": plan.session,
        **({"agent": agent} if agent else {}),
        "date": plan.day,
        "created_at": moment(plan.at_ms),
    }


def _group(writer: Writer, plan: Plan, owner: str) -> tuple[str, bytes | None]:
    """Gives the day's file of the session with its bytes, or the next new one's path."""
    folder = folder_of(owner, "daily", plan.day)
    with writer.process.database.read() as tx:
        path = related.group_of(tx, writer.project, folder, plan.session)
        taken = related.files_in(tx, writer.project, folder)
    if path is not None:
        content, _ = writer.folder.read(path)
        if len(content) < MAX_GROUP_BYTES and document.is_editable(content):
            return path, content
    numbers = (one.rpartition("/session-")[2].partition("-")[0] for one in taken)
    number = 1 + max((int(one) for one in numbers if one.isdecimal()), default=0)
    return f"{folder}/session-{number:03d}-digest.md", None
