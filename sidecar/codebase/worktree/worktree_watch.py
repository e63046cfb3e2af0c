"""Watch of a worktree: whether anything has changed since the last check, never concluded from silence alone."""

import itertools
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.worktree.watch_plan import Unsettled, WatchPlan, file_signature, folder_identity, make_watch_plan
from sidecar.core.clock import Clock, SystemClock
from sidecar.system.log import Log
from sidecar.system.threads import IdleQueue
from sidecar.system.watch import Unwatchable, Watch, WatchedFolders, open_watch

RETRY_MS = (1_000.0, 10_000.0, 60_000.0, 300_000.0)
"""Delays before a worktree that could not be watched is tried again."""

UNSETTLED_MS = 200.0

_IDLE_NAMES = frozenset(("COMMIT_EDITMSG", "FETCH_HEAD", "gc.log", "gc.pid"))
"""Files in the git directory that do not affect the state."""

MAX_GENERATIONS = 64
"""Number of latest generations whose changes are known."""

MAX_NAMED_CHANGES = 1_000
"""Maximum number of changed files named per generation."""

REPLAN_GROWTH = 200
"""Number of additional watched folders that triggers a new plan: some may be new ignored ones."""

_COOKIES = ".watchman-cookie-"
_RULES = (".gitignore", ".gitattributes", ".gitmodules")


OpenWatch = Callable[[WatchedFolders, Path], Watch]


class WatchResult(NamedTuple):
    """Result of a check."""

    generation: int
    is_proven: bool
    """Whether an unchanged generation proves that nothing has changed."""
    changed: frozenset[str] | None
    """Absolute paths that may have changed since the given generation; None if they are unknown."""
    plan: WatchPlan | None
    is_exact: bool
    """Whether the watch misses nothing; otherwise callers must also check what matters to them."""


class WorktreeWatch:
    """Watch of one worktree, started at its second check. Thread-safe.

    The *generation* changes whenever anything happens on which the state may depend. What was read after a check is
    still true when a later proven check returns the same generation.
    """

    def __init__(
        self, cwd: Path, state_dir: Path, idle_queue: IdleQueue, clock: Clock, log: Log, open_: OpenWatch = open_watch
    ) -> None:
        self._cwd = cwd
        self._state_dir = state_dir
        self._idle_queue = idle_queue
        self._clock = clock
        self._log = log
        self._open = open_
        self._file_clock = SystemClock()  # file times come from the machine, whatever clock the process has
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._close_watch: Callable[[], object] = _do_nothing
        self._plan: WatchPlan | None = None
        self._generation = 0
        self._recent_changes: deque[frozenset[str] | None] = deque(maxlen=MAX_GENERATIONS)
        """Changes of the latest generations, oldest first; None where they have no names."""
        self._rules = 0
        self._planned_rules = -1
        """Value of `_rules` when the plan was made: what is skipped depends on rules, index and configuration."""
        self._planned_size = 0
        self._is_preparing = False
        self._checks = 0
        self._failures = 0
        self._retry_at_ms = 0.0
        self.is_disabled = False

    def check(self, since_generation: int | None = None) -> WatchResult:
        """Return whether anything has changed, and what has since an earlier generation."""
        with self._lock:
            self._checks += 1
            running = self._running()
            if running is None:
                self._advance_generation(None)
                self._schedule_preparation()
                return WatchResult(self._generation, False, None, None, False)
            continues = self._process_changes(*running)
            is_proven = continues and self._planned_rules == self._rules
            if not is_proven or self._has_grown():
                self._schedule_preparation()
            changed = self._changed_since(since_generation)
            return WatchResult(self._generation, is_proven, changed, self._plan, running[0].is_exact)

    def proven_plan(self) -> WatchPlan | None:
        """Return the watch plan if it was still valid at the last check."""
        with self._lock:
            return self._plan if self._planned_rules == self._rules else None

    def disable(self) -> None:
        """Stop watching for good, because the watch missed a change."""
        with self._lock:
            self.is_disabled = True
            self._discard_watch()

    def close(self) -> None:
        """Stop the watch; a later check would start it again."""
        with self._lock:
            self._discard_watch()

    @property
    def size(self) -> int:
        """Number of watched folders."""
        return self._watch.size if self._watch is not None else 0

    def _running(self) -> tuple[Watch, WatchPlan] | None:
        return (self._watch, self._plan) if self._watch is not None and self._plan is not None else None

    def _advance_generation(self, changed: frozenset[str] | None) -> None:
        self._generation += 1
        self._recent_changes.append(changed)

    def _changed_since(self, generation: int | None) -> frozenset[str] | None:
        steps = self._generation - generation if generation is not None else MAX_GENERATIONS + 1
        if steps > len(self._recent_changes):
            return None
        paths: set[str] = set()
        for changed in itertools.islice(reversed(self._recent_changes), steps):
            if changed is None:
                return None
            paths |= changed
        return frozenset(paths)

    def _has_grown(self) -> bool:
        return self._watch is not None and self._watch.size > self._planned_size + REPLAN_GROWTH

    def _process_changes(self, watch: Watch, plan: WatchPlan) -> bool:
        """Process the changes since the last check; return whether the watch continues."""
        changes = watch.sync()
        external_changed = any(file_signature(path) != before for path, before in plan.external_files)
        moved = any(folder_identity(path) != before for path, before in plan.folder_identities)
        relevant = [path for path in changes.paths if _is_relevant(path, plan)]
        rules = external_changed or any(_changes_rules(path, plan) for path in relevant)
        if relevant or changes.is_incomplete or external_changed or moved:
            is_named = not (rules or changes.is_incomplete or moved) and len(relevant) <= MAX_NAMED_CHANGES
            self._advance_generation(frozenset(relevant) if is_named else None)
        if rules or changes.is_incomplete or _contains_skipped(changes.folders, plan.folders.skipped):
            self._rules += 1
        reason = watch.failure
        if moved or f"{plan.root}/.git" in changes.paths:
            reason = "the repository was replaced"
        elif any(path.lower().endswith("/.git") for path in relevant):
            reason = "the worktree contains another repository"
        if reason is not None:
            self._stop_for_now(reason)
        return reason is None

    def _stop_for_now(self, reason: str) -> None:
        self._discard_watch()
        self._delay_retry(reason)

    def _discard_watch(self) -> None:
        self._close_watch()
        self._watch, self._plan, self._close_watch = None, None, _do_nothing
        self._advance_generation(None)

    def _delay_retry(self, reason: str) -> None:
        delay_ms = RETRY_MS[min(self._failures, len(RETRY_MS) - 1)]
        self._failures += 1
        self._retry_at_ms = self._clock.monotonic_ms() + delay_ms
        self._log.info("codebase.watch.off", reason=reason, retryMs=delay_ms)

    def _schedule_preparation(self) -> None:
        if self._is_preparing or self.is_disabled or self._checks < 2 or self._clock.monotonic_ms() < self._retry_at_ms:
            return
        self._is_preparing = True
        self._idle_queue.submit(_weakly(self, WorktreeWatch._prepare))

    def _prepare(self) -> None:
        """Make a plan, start to watch, and make a second plan that the watch already covers."""
        try:
            if self._watch is None:
                self._start_watch(make_watch_plan(self._cwd, self._state_dir, self._now_ns()))
            self._confirm_plan()
        except Unsettled:
            with self._lock:
                self._retry_at_ms = self._clock.monotonic_ms() + UNSETTLED_MS
        except Unwatchable as error:
            with self._lock:
                self._stop_for_now(error.reason)
        finally:
            with self._lock:
                self._is_preparing = False

    def _start_watch(self, new_plan: WatchPlan) -> None:
        watch = self._open(new_plan.folders, Path(new_plan.git_dir))
        with self._lock:
            if self.is_disabled:
                watch.close()
                return
            # The watch belongs to another thread and the system; it holds no reference to this object.
            close_watch = weakref.finalize(self, watch.close)
            close_watch.atexit = False
            self._watch, self._plan, self._close_watch = watch, new_plan, close_watch
            self._advance_generation(None)
            self._rules += 1

    def _confirm_plan(self) -> None:
        """Make a plan whose rules cannot have changed unnoticed: the watch was running before it."""
        with self._lock:
            running = self._running()
            if running is None or not self._process_changes(*running):
                return
            rules = self._rules
        new_plan = make_watch_plan(self._cwd, self._state_dir, self._now_ns())
        with self._lock:
            running = self._running()
            if running is not None:
                self._adopt_plan(new_plan, rules, *running)

    def _adopt_plan(self, new_plan: WatchPlan, rules: int, watch: Watch, plan: WatchPlan) -> None:
        """Watch what a plan says; what was unwatched until now may have changed unnoticed."""
        if (new_plan.folders.roots, new_plan.folder_identities) != (plan.folders.roots, plan.folder_identities):
            self._stop_for_now("the repository was replaced")
            return
        if new_plan.folders != plan.folders:
            unskipped = plan.folders.skipped - new_plan.folders.skipped
            if new_plan.folders.skipped_names != plan.folders.skipped_names:
                unskipped |= {plan.root}
            watch.update_folders(new_plan.folders, unskipped)
            self._advance_generation(None)
        if new_plan.external_files != plan.external_files:
            self._advance_generation(None)
        self._plan, self._planned_rules, self._failures = new_plan, rules, 0
        self._planned_size = watch.size

    def _now_ns(self) -> int:
        return self._file_clock.now_ms() * 1_000_000


def _weakly(worktree_watch: WorktreeWatch, job: Callable[[WorktreeWatch], None]) -> Callable[[], None]:
    reference = weakref.ref(worktree_watch)

    def run() -> None:
        alive = reference()
        if alive is not None:
            job(alive)

    return run


def _do_nothing() -> None:
    pass


def _is_relevant(path: str, plan: WatchPlan) -> bool:
    """Whether a changed path may affect the state; only surely irrelevant ones do not."""
    folder, _, name = path.rpartition("/")
    if folder in (plan.git_dir, plan.common_dir):
        if name in _IDLE_NAMES or name.startswith(_COOKIES) or name.endswith(".lock"):
            return False
        return not (name == "index" and folder != plan.git_dir)
    return not (name.endswith(".lock") and path.startswith(f"{plan.common_dir}/"))


def _contains_skipped(folders: frozenset[str], skipped: frozenset[str]) -> bool:
    """Whether a skipped folder is in one that appeared or disappeared: other rules may apply to it now."""
    return any(path.startswith(f"{folder}/") for folder in folders for path in skipped)


def _changes_rules(path: str, plan: WatchPlan) -> bool:
    """Whether a changed path may affect what is ignored, what is tracked or how git is configured."""
    return os.path.basename(path).lower() in _RULES or path.startswith((f"{plan.git_dir}/", f"{plan.common_dir}/"))
