"""Whether anything happened to a worktree since one last asked, told by a watch and never by its silence alone."""

import itertools
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.worktree.watch_plan import Survey, Unsettled, identity, stamp, survey
from sidecar.core.clock import Clock, SystemClock
from sidecar.system.log import Log
from sidecar.system.threads import Idle
from sidecar.system.watch import Folders, Unwatchable, Watch, open_watch

RETRY_MS = (1_000.0, 10_000.0, 60_000.0, 300_000.0)
"""How long a worktree that could not be watched, or no longer, is left alone: longer each time."""

UNSETTLED_MS = 200.0

_IDLE_NAMES = frozenset(("COMMIT_EDITMSG", "FETCH_HEAD", "gc.log", "gc.pid"))
"""Files directly in the git directory that say nothing about the state."""

MAX_STEPS = 64
"""So many steps back it is known what changed in each."""

MAX_NAMED = 1_000
"""More changed files than this in one step are not told one by one."""

GROWN = 200
"""So many more watched folders than at the survey: some may be new ones that git ignores."""

_COOKIES = ".watchman-cookie-"
_RULES = (".gitignore", ".gitattributes", ".gitmodules")


Open = Callable[[Folders, Path], Watch]


class Looked(NamedTuple):
    """What a question about a worktree gave."""

    generation: int
    is_proven: bool
    """Whether "the same generation as before" proves that nothing happened."""
    changed: frozenset[str] | None
    """Absolute paths that may have changed since the generation asked about; None where they cannot be named."""
    survey: Survey | None
    is_exact: bool
    """Whether the watch misses nothing; otherwise what matters has to be looked at besides."""


class Watching:
    """Watches one worktree, once it was looked at twice. Thread-safe.

    The *generation* is another whenever anything happened that the state may depend on. What was read after
    `look` gave a generation is still true when `look` gives the same one, provided it calls it proven.
    """

    def __init__(
        self, cwd: Path, state_dir: Path, idle: Idle, clock: Clock, log: Log, open_: Open = open_watch
    ) -> None:
        self._cwd = cwd
        self._state_dir = state_dir
        self._idle = idle
        self._clock = clock
        self._log = log
        self._open = open_
        self._file_clock = SystemClock()  # file times are the machine's own, whatever clock the process was given
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._let_go: Callable[[], object] = _nothing
        self._survey: Survey | None = None
        self._generation = 0
        self._steps: deque[frozenset[str] | None] = deque(maxlen=MAX_STEPS)
        """Changes of the latest generations, oldest first; None where they have no names."""
        self._rules = 0
        self._surveyed = -1
        """Value of `_rules` when the plan was made: what is skipped depends on rules, index and configuration."""
        self._surveyed_size = 0
        self._asked = False
        self._looks = 0
        self._failures = 0
        self._not_before_ms = 0.0
        self.distrusted = False

    def look(self, since: int | None = None) -> Looked:
        """Tells whether anything happened, and what happened since an earlier generation."""
        with self._lock:
            self._looks += 1
            running = self._running()
            if running is None:
                self._next(None)
                self._ask()
                return Looked(self._generation, False, None, None, False)
            goes_on = self._take(*running)
            is_proven = goes_on and self._surveyed == self._rules
            if not is_proven or self._has_grown():
                self._ask()
            changed = self._changed_since(since)
            return Looked(self._generation, is_proven, changed, self._survey, running[0].is_exact)

    def proven_survey(self) -> Survey | None:
        """Gives what the worktree was found to be, if that still held at the last look."""
        with self._lock:
            return self._survey if self._surveyed == self._rules else None

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

    def _next(self, changed: frozenset[str] | None) -> None:
        self._generation += 1
        self._steps.append(changed)

    def _changed_since(self, generation: int | None) -> frozenset[str] | None:
        steps = self._generation - generation if generation is not None else MAX_STEPS + 1
        if steps > len(self._steps):
            return None
        named: set[str] = set()
        for changed in itertools.islice(reversed(self._steps), steps):
            if changed is None:
                return None
            named |= changed
        return frozenset(named)

    def _has_grown(self) -> bool:
        return self._watch is not None and self._watch.size > self._surveyed_size + GROWN

    def _take(self, watch: Watch, known: Survey) -> bool:
        """Looks at what happened since the last look; says whether the watch goes on."""
        changes = watch.sync()
        outside = any(stamp(path) != before for path, before in known.outside)
        moved = any(identity(path) != before for path, before in known.identities)
        relevant = [path for path in changes.paths if _counts(path, known)]
        rules = outside or any(_changes_rules(path, known) for path in relevant)
        if relevant or changes.everything or outside or moved:
            is_named = not (rules or changes.everything or moved) and len(relevant) <= MAX_NAMED
            self._next(frozenset(relevant) if is_named else None)
        if rules or changes.everything or _holds_skipped(changes.folders, known.folders.skipped):
            self._rules += 1
        reason = watch.broken
        if moved or f"{known.root}/.git" in changes.paths:
            reason = "the repository was replaced"
        elif any(path.lower().endswith("/.git") for path in relevant):
            reason = "the worktree contains another repository"
        if reason is not None:
            self._give_up(reason)
        return reason is None

    def _give_up(self, reason: str) -> None:
        self._drop()
        self._wait(reason)

    def _drop(self) -> None:
        self._let_go()
        self._watch, self._survey, self._let_go = None, None, _nothing
        self._next(None)

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
        watch = self._open(found.folders, Path(found.git_dir))
        with self._lock:
            if self.distrusted:
                watch.close()
                return
            # The watch is another thread's and the system's; nothing of it refers to this object.
            let_go = weakref.finalize(self, watch.close)
            let_go.atexit = False
            self._watch, self._survey, self._let_go = watch, found, let_go
            self._next(None)
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
            self._next(None)
        if found.outside != known.outside:
            self._next(None)
        self._survey, self._surveyed, self._failures = found, rules, 0
        self._surveyed_size = watch.size

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


def _holds_skipped(folders: frozenset[str], skipped: frozenset[str]) -> bool:
    """Says whether a skipped folder lies in one that came or went: other rules may hold for it now."""
    return any(path.startswith(f"{folder}/") for folder in folders for path in skipped)


def _changes_rules(path: str, known: Survey) -> bool:
    """Says whether a changed path may change what is ignored, what is tracked or how git is configured."""
    return os.path.basename(path).lower() in _RULES or path.startswith((f"{known.git_dir}/", f"{known.common_dir}/"))
