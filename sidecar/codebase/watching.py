"""Whether anything happened to a worktree since one last asked, told by a watch and never by its silence alone."""

import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

from sidecar.codebase.survey import Survey, Unsettled, identity, stamp, survey
from sidecar.core.clock import Clock, SystemClock
from sidecar.system.idle import Idle
from sidecar.system.log import Log
from sidecar.system.watch import Unwatchable, Watch, open_watch

RETRY_MS = (1_000.0, 10_000.0, 60_000.0, 300_000.0)
"""How long a worktree that could not be watched, or no longer, is left alone: longer each time."""

UNSETTLED_MS = 200.0

_IDLE_NAMES = frozenset(("COMMIT_EDITMSG", "FETCH_HEAD", "gc.log", "gc.pid"))
"""Files directly in the git directory that say nothing about the state."""

_COOKIES = ".watchman-cookie-"
_RULES = (".gitignore",)


class Watching:
    """Watches one worktree, once it was looked at twice. Thread-safe.

    The *generation* is another whenever anything happened that the state may depend on. What was read after
    `look` gave a generation is still true when `look` gives the same one, provided it calls it proven.
    """

    def __init__(self, cwd: Path, state_dir: Path, idle: Idle, clock: Clock, log: Log) -> None:
        self._cwd = cwd
        self._state_dir = state_dir
        self._idle = idle
        self._clock = clock
        self._log = log
        self._file_clock = SystemClock()  # file times are the machine's own, whatever clock the process was given
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._let_go: Callable[[], object] = _nothing
        self._survey: Survey | None = None
        self._generation = 0
        self._rules = 0
        self._surveyed = -1
        """At which `_rules` the survey was made: what is skipped depends on rules, index and configuration."""
        self._asked = False
        self._looks = 0
        self._failures = 0
        self._not_before_ms = 0.0
        self.distrusted = False

    def look(self) -> tuple[int, bool]:
        """Gives the generation, and whether "the same as before" proves that nothing happened."""
        with self._lock:
            self._looks += 1
            running = self._running()
            if running is None:
                self._generation += 1
                self._ask()
                return self._generation, False
            goes_on = self._take(*running)
            is_proven = goes_on and self._surveyed == self._rules
            if not is_proven:
                self._ask()
            return self._generation, is_proven

    def distrust(self) -> None:
        """Watches no more, because the watch was caught missing something."""
        with self._lock:
            self.distrusted = True
            self._drop()

    def close(self) -> None:
        """Ends the watch; a later look would begin anew."""
        with self._lock:
            self._drop()

    @property
    def size(self) -> int:
        """How many folders are watched."""
        return self._watch.size if self._watch is not None else 0

    def _running(self) -> tuple[Watch, Survey] | None:
        return (self._watch, self._survey) if self._watch is not None and self._survey is not None else None

    def _take(self, watch: Watch, known: Survey) -> bool:
        """Looks at what happened since the last look; says whether the watch goes on."""
        changes = watch.sync()
        outside = any(stamp(path) != before for path, before in known.outside)
        moved = any(identity(path) != before for path, before in known.identities)
        relevant = [path for path in changes.paths if _counts(path, known)]
        if relevant or changes.everything or outside or moved:
            self._generation += 1
        if changes.folders or outside or any(_changes_rules(path, known) for path in relevant):
            self._rules += 1
        reason = watch.broken
        if moved or f"{known.root}/.git" in changes.paths:
            reason = "the repository was replaced"
        elif any(path.lower().endswith("/.git") for path in relevant):
            reason = "there is a repository inside"
        if reason is not None:
            self._give_up(reason)
        return reason is None

    def _give_up(self, reason: str) -> None:
        self._drop()
        self._wait(reason)

    def _drop(self) -> None:
        self._let_go()
        self._watch, self._survey, self._let_go = None, None, _nothing
        self._generation += 1

    def _wait(self, reason: str) -> None:
        delay_ms = RETRY_MS[min(self._failures, len(RETRY_MS) - 1)]
        self._failures += 1
        self._not_before_ms = self._clock.monotonic_ms() + delay_ms
        self._log.info("codebase.watch.off", reason=reason, retryMs=delay_ms)

    def _ask(self) -> None:
        if self._asked or self.distrusted or self._looks < 2 or self._clock.monotonic_ms() < self._not_before_ms:
            return
        self._asked = True
        self._idle.submit(_weakly(self, Watching._prepare))

    def _prepare(self) -> None:
        """Makes a survey, begins to watch, and makes a second one that the watch already covers."""
        try:
            if self._watch is None:
                self._begin(survey(self._cwd, self._state_dir, self._now_ns()))
            self._confirm()
        except Unsettled:
            with self._lock:
                self._not_before_ms = self._clock.monotonic_ms() + UNSETTLED_MS
        except Unwatchable as error:
            with self._lock:
                self._give_up(error.reason)
        finally:
            with self._lock:
                self._asked = False

    def _begin(self, found: Survey) -> None:
        watch = open_watch(found.folders, Path(found.git_dir))
        with self._lock:
            if self.distrusted:
                watch.close()
                return
            # The watch is another thread's and the system's; nothing of it refers to this object.
            let_go = weakref.finalize(self, watch.close)
            let_go.atexit = False
            self._watch, self._survey, self._let_go = watch, found, let_go
            self._generation += 1
            self._rules += 1

    def _confirm(self) -> None:
        """Takes a survey whose rules cannot have changed unseen: the watch was there before it."""
        with self._lock:
            running = self._running()
            if running is None or not self._take(*running):
                return
            rules = self._rules
        found = survey(self._cwd, self._state_dir, self._now_ns())
        with self._lock:
            running = self._running()
            if running is not None:
                self._adopt(found, rules, *running)

    def _adopt(self, found: Survey, rules: int, watch: Watch, known: Survey) -> None:
        """Watches what a survey says; what was not watched until now may have changed unseen."""
        if (found.folders.tops, found.identities) != (known.folders.tops, known.identities):
            self._give_up("the repository was replaced")
            return
        if found.folders != known.folders:
            entered = known.folders.skipped - found.folders.skipped
            if found.folders.skipped_names != known.folders.skipped_names:
                entered |= {known.root}
            watch.follow(found.folders, entered)
            self._generation += 1
        if found.outside != known.outside:
            self._generation += 1
        self._survey, self._surveyed, self._failures = found, rules, 0

    def _now_ns(self) -> int:
        return self._file_clock.now_ms() * 1_000_000


def _weakly(watching: Watching, job: Callable[[Watching], None]) -> Callable[[], None]:
    reference = weakref.ref(watching)

    def run() -> None:
        alive = reference()
        if alive is not None:
            job(alive)

    return run


def _nothing() -> None:
    pass


def _counts(path: str, known: Survey) -> bool:
    """Says whether a changed path may change the state; only what is surely idle does not."""
    folder, _, name = path.rpartition("/")
    if folder in (known.git_dir, known.common_dir):
        if name in _IDLE_NAMES or name.startswith(_COOKIES) or name.endswith(".lock"):
            return False
        return not (name == "index" and folder != known.git_dir)
    return not (name.endswith(".lock") and path.startswith(f"{known.common_dir}/"))


def _changes_rules(path: str, known: Survey) -> bool:
    """Says whether a changed path may change what is ignored, what is tracked or how git is configured."""
    return os.path.basename(path) in _RULES or path.startswith((f"{known.git_dir}/", f"{known.common_dir}/"))
