"""Every setting, declared once: name, kind, default, meaning. Imports little, because start-up uses it."""

from typing import Any, NamedTuple

from sidecar.core.names import loggable_name
from sidecar.settings.kinds import KINDS, LISTS


class Setting(NamedTuple):
    """One row. `problem_with` knows the kinds; the environment variable `env` overrides every other layer."""

    name: str
    kind: str
    default: bool | int | str | tuple[str, ...] | None
    doc: str
    choices: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 2**53 - 1
    env: str | None = None


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "mode",
        "choice",
        "passive",
        "off: does nothing. passive: records what it would send, injects nothing. active: injects.",
        choices=("off", "passive", "active"),
        env="ONECODE_CONTINUITY_MODE",
    ),
    Setting(
        "tokenMode",
        "choice",
        "normal",
        "The byte budget of a call for which the host names none.",
        choices=("low", "normal", "debug"),
        env="ONECODE_TOKEN_MODE",
    ),
    Setting(
        "snapshot",
        "bool",
        True,
        "Whether the governor may take snapshots of a conversation's state.",
        env="ONECODE_CONTINUITY_ENABLE_SNAPSHOT",
    ),
    Setting(
        "rehydrate",
        "bool",
        False,
        "Whether the governor may request a fresh provider session.",
        env="ONECODE_CONTINUITY_ENABLE_REHYDRATE",
    ),
    Setting(
        "artifactPolicy",
        "choice",
        "auto-write-manual-commit",
        "auto-write-manual-commit: drafts stay in the database."
        " auto-write-memory-branch: they are also committed to memoryBranch.",
        choices=("auto-write-manual-commit", "auto-write-memory-branch"),
        env="ONECODE_CONTINUITY_ARTIFACT_POLICY",
    ),
    Setting(
        "memoryBranch",
        "branch",
        "memory/continuity",
        "The only branch that artifacts are committed to.",
        env="ONECODE_CONTINUITY_MEMORY_BRANCH",
    ),
    Setting(
        "sessionLockFile",
        "choice",
        "local",
        "local: the session lock's block is in a file that git ignores, if the IDE reads one."
        " rules: it is in the IDE's rules file, such as CLAUDE.md for Claude Code.",
        choices=("local", "rules"),
    ),
    Setting("budgets.low", "int", 14_000, "Maximum bytes of all packs of one call in token mode low.", minimum=1_000),
    Setting(
        "budgets.normal", "int", 24_000, "Maximum bytes of all packs of one call in token mode normal.", minimum=1_000
    ),
    Setting(
        "budgets.debug", "int", 42_000, "Maximum bytes of all packs of one call in token mode debug.", minimum=1_000
    ),
    Setting(
        "budgets.newBytesPerCall",
        "int",
        None,
        "Maximum bytes one call adds to a provider session. null: the token mode's budget.",
        minimum=1_000,
    ),
    Setting(
        "capture.changedLines",
        "int",
        120,
        "Number of changed lines since the last devlog at which the next one is due.",
        minimum=1,
    ),
    Setting(
        "capture.changedFiles",
        "int",
        8,
        "Number of changed files since the last devlog at which the next one is due.",
        minimum=1,
    ),
    Setting("capture.dedupeHours", "int", 24, "Hours during which the same event does not draft another artifact."),
    Setting(
        "capture.boundaries",
        "globs",
        (),
        "Files whose changes always draft a decision record, as globs from the worktree's top: `api/**`, `*.proto`.",
    ),
    Setting(
        "knowledge.repository",
        "repository",
        None,
        "The knowledge repository: an absolute folder, or an address git fetches from (`https://…`, `ssh://…`,"
        " `git@host:path`), without a password. null: no sync.",
        env="ONECODE_KNOWLEDGE_REPOSITORY",
    ),
    Setting(
        "knowledge.ref",
        "ref",
        None,
        "The branch, tag or commit of the knowledge repository. null: its HEAD.",
        env="ONECODE_KNOWLEDGE_REF",
    ),
    Setting(
        "knowledge.resolutions",
        "resolutions",
        (),
        "Overrides for conflict resolution, per conflict type or per type and item:"
        " `hash_mismatch=keep_memory`, `orphaned_pointer@company:adr-1=manual`.",
    ),
    Setting(
        "knowledge.scopes",
        "globs",
        (),
        "Scopes to sync besides the company's, as globs of the repository's folders: `teams/web`, `projects/*`.",
        env="ONECODE_KNOWLEDGE_SCOPES",
    ),
    Setting(
        "knowledge.stalenessThreshold",
        "duration",
        None,
        "Time after the last sync at which the next one is due: `6h`, `90m`, `1h30m`, `1d`. null: never.",
    ),
    Setting(
        "knowledge.sessionThreshold",
        "int",
        None,
        "Number of sessions after which a sync is due. null: never.",
        minimum=1,
    ),
    Setting("knowledge.onHeadMoved", "bool", False, "Whether a sync is due when the repository's head has moved."),
    Setting(
        "knowledge.writesPerSecond", "int", 90, "Maximum number of pointers a sync writes per second. 0: unlimited."
    ),
    Setting(
        "retention.days",
        "int",
        180,
        "Days for which runs and their deliveries are stored. Artifacts, memories and settings are not affected.",
        minimum=1,
        maximum=36_500,
    ),
    Setting("cache.hotBytes", "int", 16 * 2**20, "Maximum bytes of cache entries in memory.", minimum=2**16),
    Setting("cache.diskBytes", "int", 256 * 2**20, "Maximum bytes of each cache in the state file.", minimum=2**20),
)

BY_NAME = {row.name: row for row in SETTINGS}
GROUPS = frozenset(row.name.split(".")[0] for row in SETTINGS if "." in row.name)


def flatten(patch: dict[str, Any]) -> dict[str, Any]:
    """Turn `{"budgets": {"low": 5000}}` into `{"budgets.low": 5000}`."""
    flat: dict[str, Any] = {}
    for name, value in patch.items():
        if name in GROUPS and isinstance(value, dict):
            flat.update({f"{name}.{inner}": setting for inner, setting in value.items()})
        elif name in GROUPS and value is None:
            flat.update({row.name: None for row in SETTINGS if row.name.startswith(f"{name}.")})
        else:
            flat[name] = value
    return flat


def problem_with(name: str, value: object) -> str | None:
    """Return one sentence on what is wrong with a value for a setting, or None if it is valid."""
    row = BY_NAME.get(name)
    if row is None:
        return f"there is no setting {loggable_name(name)}"
    if value is None:
        return None
    if row.kind == "int":
        fits = isinstance(value, int) and not isinstance(value, bool) and row.minimum <= value <= row.maximum
        return None if fits else f"`{name}` is a whole number from {row.minimum} to {row.maximum}"
    if row.kind == "choice":
        fits = isinstance(value, str) and value in row.choices
        return None if fits else f"`{name}` is one of {', '.join(row.choices)}"
    if row.kind in LISTS:
        is_valid_entry, max_entries, words = LISTS[row.kind]
        fits = isinstance(value, list | tuple) and len(value) <= max_entries and all(map(is_valid_entry, value))
        return None if fits else f"`{name}` is a list of at most {max_entries} {words}"
    is_valid, words = KINDS[row.kind]
    return None if is_valid(value) else f"`{name}` is {words}"


def problems_with(patch: dict[str, Any]) -> list[str]:
    """Return one sentence for each problem of a nested patch of settings."""
    groups = [
        f"`{name}` is an object" for name in patch if name in GROUPS and not isinstance(patch[name], (dict, type(None)))
    ]
    dotted = [f"there is no setting {loggable_name(name)}" for name in patch if "." in name]  # `budgets.low` is nested
    values = (problem_with(name, value) for name, value in flatten(patch).items() if name not in GROUPS)
    return groups + dotted + [problem for problem in values if problem]


def from_environment(environment: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return the settings from environment variables, and one sentence for each invalid value, which is skipped.

    The entries of a list are separated by commas.
    """
    values: dict[str, Any] = {}
    problems: list[str] = []
    for row in SETTINGS:
        text = environment.get(row.env or "", "").strip()
        if not text:
            continue
        value: Any = _BOOLEANS.get(text.lower(), text) if row.kind == "bool" else text
        value = [entry.strip() for entry in text.split(",") if entry.strip()] if row.kind in LISTS else value
        problem = problem_with(row.name, value)
        if problem:
            problems.append(f"{row.env} is ignored: {problem}.")
        else:
            values[row.name] = value
    return values, problems


_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
