"""Names of branches: which one the memory branch may have, and which belong to users and hosts. Pure."""

from sidecar.core.lazy_regex import lazy_regex

PROTECTED_BRANCHES = (
    "head", "main", "master", "mainline", "trunk", "default", "next",
    "dev", "develop", "development", "devel", "integration", "staging", "stage", "prod", "production", "live",
    "gh-pages", "stash", "notes/commits",
)  # fmt: skip


PROTECTED_FOLDERS = (
    "refs", "release", "releases", "rel", "hotfix", "hotfixes", "support", "stable", "maint", "maintenance",
)  # fmt: skip
"""A branch with such a name, below it (`release/1.2`) or beside it (`release-1.2`), is a release branch."""

SHADOWING_FOLDERS = (
    "heads", "tags", "remotes", "origin", "upstream", "bisect", "replace", "rewritten", "worktree",
)  # fmt: skip
"""git finds, or confuses, other refs by names below these: `heads/main` is `main`."""

_RELEASE = lazy_regex(rf"(?:{'|'.join(PROTECTED_FOLDERS)})(?:[-_.].*)?|v?\d+(?:[-_.](?:\d+|x|stable|release|dev))*")
"""The first part of a release branch's name: `release-1.2`, `stable_4`, `7-0-stable`, `v18.x`, `3.11`."""

MAX_BRANCH_BYTES = 200


def is_memory_branch(name: str) -> bool:
    """Whether artifacts may be committed to a branch: it is well-formed, and not a branch that people work on."""
    return is_well_formed(name) and not _is_protected(name)


def is_well_formed(name: str) -> bool:
    """Whether `git check-ref-format --branch` accepts a name, and every file system does."""
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
    first = folded.split("/")[0]
    hides_other_refs = first in SHADOWING_FOLDERS or folded.endswith("_head")
    return folded in PROTECTED_BRANCHES or _RELEASE.fullmatch(first) is not None or hides_other_refs
