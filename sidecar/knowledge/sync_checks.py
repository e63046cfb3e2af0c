"""Looks a project's knowledge sync over, and says what is well, what is not, and what to do; nothing is changed."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeVar

from sidecar.call import Call
from sidecar.core.errors import Busy, SidecarError
from sidecar.core.findings import Finding
from sidecar.knowledge import store
from sidecar.knowledge.auto_sync import Triggers, runs_by_itself, triggers_of
from sidecar.knowledge.git_source import Source, source_of
from sidecar.knowledge.item import place_of
from sidecar.knowledge.manifest import counts
from sidecar.knowledge.state import from_bytes
from sidecar.knowledge.sync import one_at_a_time
from sidecar.knowledge.sync_inputs import Look, look
from sidecar.knowledge.sync_plan import Asked, unfit
from sidecar.settings.resolve import Settings
from sidecar.workspace import Workspace

Level = Literal["ok", "warning", "error"]

MAX_NAMED = 5

Result = TypeVar("Result")


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    level: Level
    told: str
    hint: str = ""


def checks(call: Call, workspace: Workspace) -> Iterator[Check]:
    """Looks at settings, repository, state, lock and journal, and, where those are well, at items and pointers."""
    settings = call.process.settings(workspace.project_key)
    if not settings["knowledge.repository"]:
        yield Check("repository", "warning", "No knowledge repository is set.", "Set `knowledge.repository`.")
        return
    yield _triggers(settings)
    yield from _resolutions(settings)
    yield _lock(call, workspace)
    yield from _unfinished(call, workspace)
    state = _state(call, workspace)
    yield state
    source = _tried(lambda: source_of(call, settings, fetches=True))
    if not isinstance(source, Source):
        yield Check("repository", "error", source.message, source.hint or "")
        return
    yield Check("repository", "ok", f"It is read at commit {source.commit[:12]}.")
    if state.level == "error":
        return
    seen = _tried(lambda: look(call, workspace, source))
    if isinstance(seen, Look):
        yield from _looked(seen)
    else:
        yield Check("items", "error", seen.message, seen.hint or "")


def _looked(seen: Look) -> Iterator[Check]:
    yield from _items(seen)
    yield from _scopes(seen)
    yield from _pointers(seen)


def _triggers(settings: Settings) -> Check:
    if triggers_of(settings) == Triggers():
        return Check("triggers", "ok", "A sync runs when somebody asks for one, and never by itself.")
    if not runs_by_itself(settings):
        told = f"Nothing runs by itself in mode {settings.mode}, which writes nothing into a project."
        return Check("triggers", "warning", told, "Use `knowledge sync`, or set `mode` to active.")
    return Check("triggers", "ok", "A sync runs by itself behind a run, when it is due.")


def _resolutions(settings: Settings) -> Iterator[Check]:
    if rows := unfit(settings):
        told = f"No conflict can be resolved like this: {_named(rows)}."
        yield Check("resolutions", "error", told, "Mend `knowledge.resolutions`.")


def _lock(call: Call, workspace: Workspace) -> Check:
    try:
        with one_at_a_time(call.process.state_dir, workspace.project_key):
            return Check("lock", "ok", "No sync is under way.")
    except Busy:
        return Check("lock", "warning", "A sync is under way.", "Look again when it is done.")


def _unfinished(call: Call, workspace: Workspace) -> Iterator[Check]:
    with call.database.read() as tx:
        running = [one for one in store.checkpoints(tx, workspace.project_key) if one.status == "running"]
    if running:
        yield Check("journal", "warning", "A sync was cut short.", "The next sync takes back what it had begun.")


def _state(call: Call, workspace: Workspace) -> Check:
    with call.database.read() as tx:
        kept = store.state_bytes(tx, workspace.project_key)
    if kept is None:
        return Check("state", "ok", "There was no sync yet.")
    try:
        state = from_bytes(kept[0]) if kept[1] else None
    except ValueError:
        state = None
    if state is None:
        return Check("state", "error", "The sync's state is damaged.", "Sync twice: it is set aside and rebuilt.")
    if parked := sorted(key for key, one in state.failed.items() if one.is_parked):
        told = f"Left alone until they change, because they failed five times: {_named(parked)}."
        hint = "`knowledge status` tells why; once that is mended, `knowledge sync --item ID` tries one again."
        return Check("state", "warning", told, hint)
    return Check("state", "ok", f"Known items: {len(state.items)}; pending: {len(state.pending)}.")


def _items(seen: Look) -> Iterator[Check]:
    layers = Counter(one.layer for one in seen.manifest.items.values())
    told = ", ".join(f"{number} of {layer}" for layer, number in sorted(layers.items()))
    if not layers:
        yield Check("items", "warning", "It holds no items.", "Items lie in folders like `company/adrs`.")
    else:
        yield Check("items", "ok", f"Items: {told}.")
    for failure in seen.manifest.failures[:MAX_NAMED]:
        yield Check("items", "error", f"{failure.path}: {failure.problem}", "Mend the file in the repository.")
    if len(seen.manifest.failures) > MAX_NAMED:
        yield Check("items", "error", f"{len(seen.manifest.failures) - MAX_NAMED} more files cannot be read.")


def _scopes(seen: Look) -> Iterator[Check]:
    places = {scope: place_of(f"{scope}/adrs/x.md") for scope in seen.source.scopes()}
    for glob in seen.scopes:
        if not any(place is not None and counts(place, [glob]) for place in places.values()):
            yield Check("scopes", "warning", f"`{glob}` names no scope of the repository.", "Mend `knowledge.scopes`.")
    others = [scope for scope, place in places.items() if place is None or not counts(place, seen.scopes)]
    if others:
        yield Check("scopes", "ok", f"These do not count: {_named(others)}.")


def _pointers(seen: Look) -> Iterator[Check]:
    found = seen.plan(Asked())
    open_ = [f"{one.type} of {one.ref}" for one in found.conflicts if one.resolution == "manual"]
    if open_:
        yield Check("conflicts", "warning", f"Left to you: {_named(open_)}.", "Use `knowledge resolve`.")
    if found.stops:
        told = f"A sync would delete {found.deletions} of {found.pointers} pointers, and stops."
        yield Check("pointers", "error", told, "Check repository and scopes; sync with `--force` if it is meant.")
    elif found.is_empty:
        yield Check("pointers", "ok", f"Memory agrees with it; pointers: {len(seen.pointers)}.")
    else:
        yield Check(
            "pointers",
            "warning",
            f"Memory does not agree with it; to be done: {len(found.operations)}.",
            "Use `knowledge sync`.",
        )


def _tried(act: Callable[[], Result]) -> Result | SidecarError:
    try:
        return act()
    except SidecarError as error:
        return error


def _named(names: list[str]) -> str:
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"{', '.join(names[:MAX_NAMED])}{more}"


# Looks whether a project's knowledge sync is well, where there is one.


def knowledge(call: Call, workspace: Workspace) -> Iterator[Finding]:
    """Looks at settings, repository, state, lock, journal, items and pointers, where a repository is set."""
    if not call.process.settings(workspace.project_key)["knowledge.repository"]:
        return
    for one in checks(call, workspace):
        if one.level != "ok":
            yield Finding(
                one.level, f"{one.name}: {one.told}", one.hint or "`onecode-sidecar knowledge doctor` tells more."
            )
