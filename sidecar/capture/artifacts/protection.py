"""Which branches artifacts are never committed to. Pure."""

from typing import NamedTuple

from sidecar.settings.kinds import is_memory_branch
from sidecar.system.refs import Uses

_OTHER = "Name a branch no one works on in the setting `memoryBranch`."


class Refusal(NamedTuple):
    """Why nothing is committed, and what to do about it."""

    sentence: str
    hint: str


def refusal(branch: str, uses: Uses) -> Refusal | None:
    """Says why a branch must not be written; None where it may be.

    Names are compared without case: on many disks `Memory` is the same branch as `memory`.
    """
    if not is_memory_branch(branch):
        return Refusal(f"`{branch}` is a branch that people work on or release from.", _OTHER)
    folded = branch.casefold()
    if folded in {name.casefold() for name in uses.remote_defaults}:
        return Refusal(f"`{branch}` is a remote's default branch.", _OTHER)
    if folded in {name.casefold() for name in uses.checked_out}:
        return Refusal(
            f"`{branch}` is checked out in a worktree, or a rebase or bisection goes back to it.",
            "Switch that worktree to another branch; `git worktree list` shows them.",
        )
    if uses.points_at is not None:
        return Refusal(f"`{branch}` is only another name for `{uses.points_at}`.", _OTHER)
    return None
