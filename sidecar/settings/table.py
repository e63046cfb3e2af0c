"""Every setting, declared once (name, kind, default, meaning), and what each kind accepts.

Imports little, because start-up uses it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from sidecar.core.errors import loggable_name, nested_form
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.protected_branches import is_memory_branch, is_well_formed

MAX_GLOBS, MAX_GLOB_CHARACTERS = 50, 200
MAX_FOLDER_CHARACTERS = 4_096
MAX_PATTERNS = 50

DURATION = lazy_regex(r"(?=\d)(?:([0-9]{1,5})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,7})m)?(?:([0-9]{1,8})s)?")
"""Days, hours, minutes and seconds, each at most once."""


REMOTE = lazy_regex(r"(?:https?|ssh|git|file)://[^\s\\]+|[\w.-]+@[\w.-]+:[^\s\\]+")
"""An address git fetches from: a URL, or `user@host:path`."""

NAME = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")

RESOLUTION = lazy_regex(r"([a-z_]{1,40})(?:@([^\s=]{1,300}))?=([a-z_]{1,40})")
"""A conflict type, optionally one item, and the resolution: `hash_mismatch@company:adr-1=manual`."""
MAX_RESOLUTIONS = 500


def is_glob(value: object) -> bool:
    """Whether a value is a glob of files below a worktree's top folder."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= MAX_GLOB_CHARACTERS
        and not value.startswith("/")
        and "\\" not in value
        and ".." not in value.split("/")
        and value.isprintable()
    )


def is_folder(value: object) -> bool:
    """Whether a value is the path of an absolute folder, on this platform or another."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= MAX_FOLDER_CHARACTERS
        and value.isprintable()
        and (value[0] in "/\\" or value[1:3] in (":\\", ":/"))
    )


def is_repository(value: object) -> bool:
    """Whether a value names a git repository: a folder, or a remote address without a password."""
    return is_folder(value) or (isinstance(value, str) and is_remote(value))


def is_remote(value: str) -> bool:
    """Whether a value is an address git fetches from, without a password in it."""
    fits = len(value) <= MAX_FOLDER_CHARACTERS and value.isprintable() and REMOTE.fullmatch(value) is not None
    user = value.partition("://")[2].partition("/")[0].rpartition("@")[0]
    return fits and ":" not in user


def is_ref(value: object) -> bool:
    """Whether a value is the name of a branch, tag or commit."""
    return isinstance(value, str) and is_well_formed(value)


def is_resolution(value: object) -> bool:
    """Whether a value has the form of a conflict resolution. The sync checks the type and the resolution."""
    return isinstance(value, str) and RESOLUTION.fullmatch(value) is not None


def is_name(value: object) -> bool:
    """Whether a value is a short name of letters, digits, dots, dashes and underscores, first a letter or digit."""
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def is_secret_pattern(value: object) -> bool:
    """Whether a value is a pattern of secrets that is matched in linear time."""
    return isinstance(value, str) and _pattern_problem(value) is None


def _pattern_problem(value: str) -> str | None:
    from sidecar.core.secret_formats import pattern_problem  # start-up without own patterns does not need it

    return pattern_problem(value)


def is_duration(value: object) -> bool:
    """Whether a value is a duration: days, hours, minutes, seconds, in this order and at least one of them."""
    return isinstance(value, str) and DURATION.fullmatch(value) is not None


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_branch(value: object) -> bool:
    return isinstance(value, str) and is_memory_branch(value)


ValueCheck = Callable[[object], bool]
KINDS: dict[str, tuple[ValueCheck, str]] = {
    "bool": (_is_bool, "true or false"),
    "repository": (is_repository, "an absolute folder, or an address such as https://host/path, without a password"),
    "ref": (is_ref, "a branch, a tag or a commit"),
    "duration": (is_duration, "a duration such as 6h, 90m, 1h30m or 1d"),
    "branch": (_is_branch, "a branch that nobody works on"),
    "name": (is_name, "at most 40 letters, digits, dots, dashes and underscores, first a letter or digit"),
}
LISTS: dict[str, tuple[ValueCheck, int, str]] = {
    "globs": (
        is_glob,
        MAX_GLOBS,
        f"relative globs with forward slashes, at most {MAX_GLOB_CHARACTERS} characters each",
    ),
    "resolutions": (is_resolution, MAX_RESOLUTIONS, "like hash_mismatch=keep_memory"),
    "patterns": (is_secret_pattern, MAX_PATTERNS, "patterns such as acme_[A-Za-z0-9]{32}"),
}


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
    per_project: bool = True
    """Whether a project may have a value of its own."""


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "mode",
        "choice",
        "passive",
        "off: injects and captures nothing. passive: records what it would send, injects nothing. active: injects.",
        choices=("off", "passive", "active"),
        env="ONECODE_CONTINUITY_MODE",
    ),
    Setting(
        "rollout.share",
        "int",
        100,
        "Share of new chats, in percent, that receive packs while the mode is active. The others receive what a chat"
        " receives in passive mode.",
        maximum=100,
    ),
    Setting(
        "rollout.experiment",
        "name",
        None,
        "Name of the experiment that compares the chats with packs with the others; needs a share from 1 to 99."
        " Another name reassigns chats. null: no comparison.",
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
        "auto-write-manual-commit: artifacts stay in the database until `artifact/commit`."
        " auto-write-memory-branch: after a run in active mode, accepted ones are also committed to memoryBranch.",
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
        "notes",
        "bool",
        True,
        "Whether the anchor asks the agent to end a reply with notes when something lasting came up, and post-run"
        " stores them. Active mode only. An anchor limited to less than 1,500 bytes does not ask.",
    ),
    Setting(
        "sessionLockFile",
        "choice",
        "local",
        "local: the session lock's block is in a file that git ignores, if the IDE reads one."
        " rules: it is in the IDE's rules file, such as CLAUDE.md for Claude Code.",
        choices=("local", "rules"),
    ),
    Setting(
        "budgets.low",
        "int",
        14_000,
        "Maximum bytes of all packs of one call in token mode low; less as the context window fills.",
        minimum=1_000,
    ),
    Setting(
        "budgets.normal",
        "int",
        24_000,
        "Maximum bytes of all packs of one call in token mode normal; less as the context window fills.",
        minimum=1_000,
    ),
    Setting(
        "budgets.debug",
        "int",
        42_000,
        "Maximum bytes of all packs of one call in token mode debug; less as the context window fills.",
        minimum=1_000,
    ),
    Setting(
        "budgets.context",
        "int",
        12_288,
        "Maximum bytes of a session's first context block, at most 52 % of the call's bytes; a third of it for a"
        " follow-up. Times 0.6 in token mode low, 1.75 in debug; less as the context window fills.",
        minimum=1_000,
    ),
    Setting(
        "budgets.newBytesPerCall",
        "int",
        None,
        "Maximum bytes one call adds to a provider session, its anchor included. null: the token mode's budget. A host"
        " may ask for less with `maxNewBytes`.",
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
        "Days for which runs and their deliveries are stored, for all projects. Artifacts, memories and settings are"
        " not affected.",
        minimum=1,
        maximum=36_500,
        per_project=False,
    ),
    Setting(
        "secretPatterns",
        "patterns",
        (),
        "Formats of your own secrets, such as `acme_[A-Za-z0-9]{32}`, masked in every project besides the known ones."
        " A pattern has characters, classes and repetitions, each repetition followed by what it does not match."
        " Holds from the next start.",
    ),
    Setting(
        "cache.hotBytes",
        "int",
        16 * 2**20,
        "Maximum bytes of cache entries in memory, for all projects. Holds from the next start.",
        minimum=2**16,
        per_project=False,
    ),
    Setting(
        "cache.diskBytes",
        "int",
        256 * 2**20,
        "Maximum bytes of the file cache in the state file, for all projects; the pack cache may have a quarter of it,"
        " the other caches an eighth each. Holds from the next start.",
        minimum=2**20,
        per_project=False,
    ),
)

BY_NAME = {row.name: row for row in SETTINGS}
SHARED_BY_PROJECTS = frozenset(row.name for row in SETTINGS if not row.per_project)
"""Names of the settings that have one value for all projects."""
SUSPENDED = "rollout.suspended"
"""Stored beside the settings, as `{reason, time}`; only the experiment's guard and `rollout/resume` write it."""


def rollout_problem(experiment: object, share: object) -> str | None:
    """Return why an experiment cannot compare chats at a share of the rollout, or None if it can."""
    if experiment is None or share not in (0, 100):
        return None
    return (
        f"an experiment needs chats with packs and chats without, but `rollout.share` is {share}: set it to 1 to 99,"
        " or `rollout.experiment` to null"
    )


def shared_value_problem(name: str) -> str:
    """Return what is wrong with a project's own value of a setting that has one for all projects."""
    return f"`{name}` has one value for all projects"


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
        return None if fits else f"`{name}` must be a whole number from {row.minimum} to {row.maximum}"
    if row.kind == "choice":
        fits = isinstance(value, str) and value in row.choices
        return None if fits else f"`{name}` must be one of {', '.join(row.choices)}"
    if row.kind in LISTS:
        is_valid_entry, max_entries, words = LISTS[row.kind]
        fits = isinstance(value, (list, tuple)) and len(value) <= max_entries and all(map(is_valid_entry, value))
        if not fits and row.kind == "patterns" and (problem := _first_pattern_problem(value)):
            return problem
        return None if fits else f"`{name}` must be a list of at most {max_entries} {words}"
    is_valid, words = KINDS[row.kind]
    return None if is_valid(value) else f"`{name}` must be {words}"


def _first_pattern_problem(value: object) -> str | None:
    texts = (text for text in value if isinstance(text, str)) if isinstance(value, (list, tuple)) else ()
    return next((f"a pattern of secrets {problem}" for text in texts if (problem := _pattern_problem(text))), None)


def problems_with(patch: dict[str, Any]) -> list[str]:
    """Return one sentence for each problem of the settings of `initialize`; an experiment there states its share."""
    groups = [
        f"`{name}` must be an object"
        for name in patch
        if name in GROUPS and not isinstance(patch[name], (dict, type(None)))
    ]
    values = (problem_with(name, value) for name, value in flatten(patch).items() if name not in GROUPS)
    dotted = [f"there is no setting {loggable_name(name)}{nested_form(name)}" for name in patch if "." in name]
    problems = groups + dotted + [problem for problem in values if problem]
    flat = flatten(patch)
    share = flat.get("rollout.share")
    problem = rollout_problem(
        flat.get("rollout.experiment"), BY_NAME["rollout.share"].default if share is None else share
    )
    return problems + ([problem] if problem else [])


def list_entries(text: str) -> list[str]:
    """Return the entries of a list that a user wrote as one text: separated by commas outside brackets and braces."""
    entries, depth = [""], 0
    for character in text:
        depth += (character in "[{(") - (character in "]})")
        if character == "," and depth <= 0:
            entries.append("")
        else:
            entries[-1] += character
    return [entry.strip() for entry in entries if entry.strip()]


def from_environment(environment: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return the settings from environment variables, and one sentence for each invalid value, which is skipped."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for row in SETTINGS:
        text = environment.get(row.env or "", "").strip()
        if not text:
            continue
        value: Any = _BOOLEANS.get(text.lower(), text) if row.kind == "bool" else text
        value = text.lower() if row.kind == "choice" else value
        value = list_entries(text) if row.kind in LISTS else value
        problem = problem_with(row.name, value)
        if problem:
            problems.append(f"{row.env} is ignored: {problem}.")
        else:
            values[row.name] = value
    return values, problems


_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
