"""Health checks of a project's knowledge sync, and the linter of a knowledge repository. Nothing is changed."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeVar

from sidecar.call import Call
from sidecar.core.clean_text import count_noun, join_first
from sidecar.core.errors import Busy, SidecarError
from sidecar.knowledge import store
from sidecar.knowledge.automatic_sync import Triggers, auto_sync_enabled, configured_triggers
from sidecar.knowledge.git_source import GitSource, open_configured_source, open_source
from sidecar.knowledge.item import in_scope, is_scope_folder, item_location
from sidecar.knowledge.store import parse_state, sync_lock
from sidecar.knowledge.sync_inputs import SyncInputs, build_manifest, load_inputs, read_entries
from sidecar.knowledge.sync_plan import PlanRequest, invalid_resolutions
from sidecar.settings.resolve import Settings
from sidecar.storage.doctor_checks import Finding
from sidecar.workspace import Workspace

Level = Literal["ok", "warning", "error"]

MAX_NAMED = 5

Result = TypeVar("Result")


class SyncCheck(NamedTuple):
    """The result of one check."""

    name: str
    level: Level
    message: str
    hint: str = ""


def checks(call: Call, workspace: Workspace) -> Iterator[SyncCheck]:
    """Check settings, repository, state, lock and journal; if those are sound, also items and pointers."""
    settings = call.process.settings(workspace.project_key)
    if not settings["knowledge.repository"]:
        yield SyncCheck(
            "repository", "warning", "No knowledge repository is configured.", "Set `knowledge.repository`."
        )
        return
    yield _check_triggers(settings)
    yield from _check_resolutions(settings)
    yield _check_lock(call, workspace)
    yield from _check_journal(call, workspace)
    state = _check_state(call, workspace)
    yield state
    source = _try(lambda: open_configured_source(call, settings, fetch_first=True))
    if not isinstance(source, GitSource):
        yield SyncCheck("repository", "error", source.message, source.hint or "")
        return
    yield SyncCheck("repository", "ok", f"It can be read, at commit {source.commit[:12]}.")
    if state.level == "error":
        return
    inputs = _try(lambda: load_inputs(call, workspace, source))
    if isinstance(inputs, SyncInputs):
        yield from _check_inputs(inputs)
    else:
        yield SyncCheck("items", "error", inputs.message, inputs.hint or "")


def _check_inputs(inputs: SyncInputs) -> Iterator[SyncCheck]:
    yield from _check_items(inputs)
    yield from _check_scopes(inputs)
    yield from _check_pointers(inputs)


def _check_triggers(settings: Settings) -> SyncCheck:
    if configured_triggers(settings) == Triggers():
        return SyncCheck("triggers", "ok", "Automatic syncs are off; a sync runs only on request.")
    if not auto_sync_enabled(settings):
        message = f"Automatic syncs are off in mode {settings.mode}, which never writes into a project."
        return SyncCheck(
            "triggers", "warning", message, "Use `knowledge/sync`, or set `mode` to active with `settings/update`."
        )
    return SyncCheck("triggers", "ok", "A sync runs automatically after a run, when it is due.")


def _check_resolutions(settings: Settings) -> Iterator[SyncCheck]:
    if rows := invalid_resolutions(settings):
        message = f"These entries of `knowledge.resolutions` match no conflict: {join_first(rows, MAX_NAMED)}."
        yield SyncCheck("resolutions", "error", message, "Correct or remove them with `settings/update`.")


def _check_lock(call: Call, workspace: Workspace) -> SyncCheck:
    try:
        with sync_lock(call.database, workspace.project_key):
            return SyncCheck("lock", "ok", "No sync is running.")
    except Busy:
        return SyncCheck("lock", "warning", "A sync is running.", "Check again when it has finished.")


def _check_journal(call: Call, workspace: Workspace) -> Iterator[SyncCheck]:
    with call.database.read() as tx:
        running = [
            checkpoint for checkpoint in store.checkpoints(tx, workspace.project_key) if checkpoint.status == "running"
        ]
    if running:
        yield SyncCheck("journal", "warning", "A sync was interrupted.", "The next sync rolls it back.")


def _check_state(call: Call, workspace: Workspace) -> SyncCheck:
    with call.database.read() as tx:
        stored = store.state_bytes(tx, workspace.project_key)
    if stored is None:
        return SyncCheck("state", "ok", "No sync has run yet.")
    try:
        state = parse_state(stored[0]) if stored[1] else None
    except ValueError:
        state = None
    if state is None:
        return SyncCheck(
            "state",
            "error",
            "The sync's state is damaged.",
            "Sync twice: the first run sets it aside, the second rebuilds it.",
        )
    if quarantined := sorted(key for key, failed in state.failed.items() if failed.is_quarantined):
        message = f"Quarantined until they change, after five failed attempts: {join_first(quarantined, MAX_NAMED)}."
        hint = "`knowledge/status` shows why. After fixing an item, retry it with `knowledge/sync`."
        return SyncCheck("state", "warning", message, hint)
    return SyncCheck("state", "ok", f"Synced items: {len(state.items)}; pending: {len(state.pending)}.")


def _check_items(inputs: SyncInputs) -> Iterator[SyncCheck]:
    layers = Counter(entry.layer for entry in inputs.manifest.items.values())
    message = ", ".join(f"{number} of {layer}" for layer, number in sorted(layers.items()))
    if not layers:
        yield SyncCheck(
            "items", "warning", "The repository has no items.", "Items belong in folders such as `company/adrs`."
        )
    else:
        yield SyncCheck("items", "ok", f"Items: {message}.")
    for failure in inputs.manifest.failures[:MAX_NAMED]:
        yield SyncCheck("items", "error", f"{failure.path}: {failure.problem}", "Fix the file in the repository.")
    if len(inputs.manifest.failures) > MAX_NAMED:
        yield SyncCheck(
            "items", "error", f"{count_noun(len(inputs.manifest.failures) - MAX_NAMED, 'more file')} cannot be read."
        )


def _check_scopes(inputs: SyncInputs) -> Iterator[SyncCheck]:
    places = {scope: item_location(f"{scope}/adrs/x.md") for scope in inputs.source.scopes()}
    for glob in inputs.scopes:
        if not any(location is not None and in_scope(location, [glob]) for location in places.values()):
            yield SyncCheck(
                "scopes", "warning", f"`{glob}` matches no scope of the repository.", "Fix `knowledge.scopes`."
            )
    others = [scope for scope, location in places.items() if location is None or not in_scope(location, inputs.scopes)]
    if others:
        yield SyncCheck("scopes", "ok", f"Not in use: {join_first(others, MAX_NAMED)}.")


def _check_pointers(inputs: SyncInputs) -> Iterator[SyncCheck]:
    plan = inputs.plan(PlanRequest())
    manual = [f"{conflict.type} of {conflict.ref}" for conflict in plan.conflicts if conflict.resolution == "manual"]
    if manual:
        yield SyncCheck(
            "conflicts", "warning", f"For you to decide: {join_first(manual, MAX_NAMED)}.", "Use `knowledge/resolve`."
        )
    if plan.needs_force:
        message = f"A sync would delete {plan.deletions} of {plan.pointers} pointers, so it stops."
        yield SyncCheck(
            "pointers", "error", message, "Check repository and scopes; use `force` if the deletion is intended."
        )
    elif plan.is_empty:
        yield SyncCheck("pointers", "ok", f"Memory agrees with the repository; pointers: {len(inputs.pointers)}.")
    else:
        yield SyncCheck(
            "pointers",
            "warning",
            f"Memory differs from the repository; operations to do: {len(plan.operations)}.",
            "Use `knowledge/sync`.",
        )


def _try(load: Callable[[], Result]) -> Result | SidecarError:
    try:
        return load()
    except SidecarError as error:
        return error


def knowledge_findings(call: Call, workspace: Workspace) -> Iterator[Finding]:
    """Yield the problems of a project's knowledge sync; nothing when no repository is configured."""
    if not call.process.settings(workspace.project_key)["knowledge.repository"]:
        return
    for check in checks(call, workspace):
        if check.level != "ok":
            yield Finding(
                check.level,
                f"{check.name}: {check.message}",
                check.hint or "`onecode-sidecar knowledge doctor` has the details.",
            )


class Problem(NamedTuple):
    """A file of a knowledge repository that a sync cannot read as it claims to be."""

    path: str
    problem: str


_OUTSIDE_TYPES = "It is not below adrs/, policies/, patterns/ or specs/ at the top of its scope, so no sync reads it."
_OUTSIDE_SCOPES = "It is not below company/, orgs/<id>/, teams/<id>/ or projects/<id>/, so no sync reads it."


def lint_repository(folder: str) -> tuple[str, int, list[Problem]]:
    """Return the head commit of a knowledge repository, its number of items, and its problems; raise SyncFailed."""
    source = open_source(folder)
    entries = read_entries(source.files(), ["*"], {}, source.content)
    manifest = build_manifest(source.commit, entries, {})
    problems = [Problem(failure.path, failure.problem) for failure in manifest.failures]
    for path in source.misplaced_files():
        is_in_scope = is_scope_folder(path.partition("/")[0])
        problems.append(Problem(path, _OUTSIDE_TYPES if is_in_scope else _OUTSIDE_SCOPES))
    return source.commit, len(manifest.items), problems
