"""By how many lines a run made the difference grow; what the user switched to or brought back does not count. Pure."""

from collections.abc import Collection, Mapping

from sidecar.codebase import is_generated


def grown_lines(
    touched: Collection[str],
    now: Mapping[str, int],
    committed: Mapping[str, int],
    before: Mapping[str, int] | None,
    changed_before: Collection[str],
) -> int | None:
    """Gives the lines that the files a run touched differ by more than before it, what it committed included.

    `now` and `before` are the lines by which each file differs from the head commit; None where they were not counted,
    and then so is the growth. A file that had changed before without being counted has not grown.
    """
    if before is None:
        return None
    uncounted = {path for path in changed_before if path not in before}
    return sum(
        max(0, now.get(path, 0) + committed.get(path, 0) - before.get(path, 0))
        for path in touched
        if path not in uncounted and not is_generated(path)
    )
