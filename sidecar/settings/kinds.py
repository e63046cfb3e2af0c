"""What each kind of setting accepts. Pure; imports little, because start-up uses it."""

from collections.abc import Callable

from sidecar.core.lazy_regex import lazy_regex

PROTECTED_BRANCHES = (
    "head", "main", "master", "mainline", "trunk", "default", "next",
    "dev", "develop", "development", "devel", "integration", "staging", "stage", "prod", "production", "live",
    "gh-pages",
)  # fmt: skip
PROTECTED_FOLDERS = (
    "refs", "release", "releases", "rel", "hotfix", "hotfixes", "support", "stable", "maint", "maintenance",
)  # fmt: skip
"""A branch with such a name, below it (`release/1.2`) or beside it (`release-1.2`), is a release branch."""

_RELEASE = lazy_regex(rf"(?:{'|'.join(PROTECTED_FOLDERS)})(?:[-_.].*)?|v?\d+(?:[-_.](?:\d+|x|stable|release|dev))*")
"""The first part of a release branch's name: `release-1.2`, `stable_4`, `7-0-stable`, `v18.x`, `3.11`."""

MAX_BRANCH_BYTES = 200
MAX_GLOBS, MAX_GLOB_CHARACTERS = 50, 200
MAX_FOLDER_CHARACTERS = 4_096

DURATION = lazy_regex(r"(?=\d)(?:([0-9]{1,5})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,7})m)?(?:([0-9]{1,8})s)?")
"""Days, hours, minutes and seconds, each at most once."""


REMOTE = lazy_regex(r"(?:https?|ssh|git|file)://[^\s\\]+|[\w.-]+@[\w.-]+:[^\s\\]+")
"""An address git fetches from: a URL, or `user@host:path`."""

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
    return isinstance(value, str) and _is_well_formed(value)


def is_resolution(value: object) -> bool:
    """Whether a value has the form of a conflict resolution. The sync checks the type and the resolution."""
    return isinstance(value, str) and RESOLUTION.fullmatch(value) is not None


def is_duration(value: object) -> bool:
    """Whether a value is a duration: days, hours, minutes, seconds, in this order and at least one of them."""
    return isinstance(value, str) and DURATION.fullmatch(value) is not None


def is_memory_branch(name: str) -> bool:
    """Whether artifacts may be committed to a branch: it is well-formed, and not a branch that people work on.

    Well-formed means what `git check-ref-format --branch` accepts, without names that cannot be file names everywhere.
    """
    return _is_well_formed(name) and not _is_protected(name)


def _is_well_formed(name: str) -> bool:
    parts = name.split("/")
    return (
        0 < len(name.encode(errors="replace")) <= MAX_BRANCH_BYTES
        and name != "@"
        and not name.startswith("-")
        and not name.endswith(".")
        and ".." not in name
        and "@{" not in name
        and all(part and not part.startswith(".") and not part.endswith(".lock") for part in parts)
        and not any(_is_forbidden(char) for char in name)
    )


def _is_forbidden(char: str) -> bool:
    return char in ' ~^:?*[\\"<>|' or ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) <= 0xDFFF


def _is_protected(name: str) -> bool:
    """Whether a branch is protected. Case is ignored: on many disks `Main` and `main` are the same branch."""
    folded = name.casefold()
    return folded in PROTECTED_BRANCHES or _RELEASE.fullmatch(folded.split("/")[0]) is not None


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_branch(value: object) -> bool:
    return isinstance(value, str) and is_memory_branch(value)


Check = Callable[[object], bool]
KINDS: dict[str, tuple[Check, str]] = {
    "bool": (_is_bool, "true or false"),
    "repository": (is_repository, "an absolute folder, or an address without a password"),
    "ref": (is_ref, "a branch, a tag or a commit"),
    "duration": (is_duration, "a duration such as 6h, 90m, 1h30m or 1d"),
    "branch": (_is_branch, "a branch that nobody works on"),
}
LISTS: dict[str, tuple[Check, int, str]] = {
    "globs": (is_glob, MAX_GLOBS, "globs, relative and with forward slashes"),
    "resolutions": (is_resolution, MAX_RESOLUTIONS, "like hash_mismatch=keep_memory"),
}
