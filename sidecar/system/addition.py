"""What is added to a branch, as values, and whether a branch of that name can be made. Pure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sidecar.core.errors import Conflict, PolicyDenied

AUTHOR_NAME, AUTHOR_EMAIL = "1Code continuity", "continuity@onecode.invalid"
"""Who commits: never the user, and an address that cannot be anybody's (RFC 2606)."""

HEADS = "refs/heads/"

Files = Mapping[str, bytes]
"""Contents by path, the parts of one joined by slashes."""


class Addition(NamedTuple):
    """Files to add to a branch, with the commit's message and moment (seconds since 1970-01-01 UTC)."""

    files: Files
    message: str
    at_s: int


class Tip(NamedTuple):
    """A branch's newest commit that holds the files; `is_new` unless they were there already."""

    commit: str
    is_new: bool


def require_room(branch: str, refs: Iterable[str]) -> None:
    """Raises PolicyDenied where a ref's name is a folder of the branch's or the other way round."""
    name = HEADS + branch
    parts = name.split("/")
    above = {"/".join(parts[:count]) for count in range(3, len(parts))}
    for other in refs:
        if other in above or other.startswith(f"{name}/"):
            raise PolicyDenied(
                f"The branch `{other.removeprefix(HEADS)}` stands in the way of `{branch}`.",
                hint="Name another branch in the setting `memoryBranch`.",
            )


def in_another_place(name: str) -> Conflict:
    """Makes the error for a file in a folder's place on the branch, or the other way round."""
    return Conflict(f"`{name}` on the memory branch is something else than expected.", hint="Rename it there.")
