"""Watch of a worktree: whether anything has changed since the last check, never concluded from silence alone."""

import itertools
import os
import stat
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.content_ids import ObjectFormat
from sidecar.codebase.worktree.git_metadata import (
    Conversion,
    GitIndex,
    conversion_of,
    flags_in_file,
    may_have_replace_refs,
    read_index,
)
from sidecar.codebase.worktree.state import SIDECAR_FOLDERS
from sidecar.core.clock import Clock, SystemClock
from sidecar.system.environment import environment
from sidecar.system.folder_watch import Unwatchable, Watch, WatchedFolders, folder_identity, open_watch
from sidecar.system.git import Git, GitFailed, common_dir_of, find_root, git_dir_of
from sidecar.system.log import Log
from sidecar.system.worker_threads import IdleQueue

SETTLED_NS = 100_000_000
"""A file changed more recently than this may change again without changing its stat."""

COARSE_SETTLED_NS = 2_500_000_000
"""The same where times have steps of one or two seconds."""

MAX_EXTERNAL_FILES = 100
"""Configuration in more files than this is not followed."""

_BELOW_GIT_DIR = ("refs", "info", "reftable")
_CONFIGURATION = ("config", "config.worktree")
_MUST_NOT_BE_LINKS = (
    "HEAD", "index", "packed-refs", "info/exclude", "info/attributes", "info/sparse-checkout",
    *_CONFIGURATION, *_BELOW_GIT_DIR,
)  # fmt: skip
_PROGRAMS: dict[tuple[object, ...], Path] = {}
_SIDECAR_NAMES = frozenset(name.rstrip("/") for name in SIDECAR_FOLDERS)

FileSignature = tuple[int, int, int, int, int]


class Unsettled(Unwatchable):
    """Unwatchable at this moment, because something is changing."""


class ComparisonRules(NamedTuple):
    """Data needed to compare single files with the index as git does."""

    git_index: GitIndex
    conversion: Conversion
    object_format: ObjectFormat


class WatchPlan(NamedTuple):
    """Folders and files to watch of one worktree."""

    folders: WatchedFolders
    root: str
    git_dir: str
    common_dir: str
    folder_identities: tuple[tuple[str, tuple[int, int]], ...]
    """Folders by path, with their device and inode, which must not change: moving a parent folder has no event."""
    external_files: tuple[tuple[str, FileSignature | None], ...]
    """Files outside the watched folders that git reads, with their stat; None for a missing one."""
    git_index: GitIndex | None
    """None if only git can read it."""
    rules: ComparisonRules | None
    """None if only git can compare."""


def make_watch_plan(cwd: Path, state_dir: Path, now_ns: int) -> WatchPlan:
    """Determine what to watch without taking any lock; raise Unwatchable."""
    try:
        return _make_watch_plan(cwd, state_dir, now_ns)
    except GitFailed as error:
        raise Unwatchable(error.reason) from error
    except OSError as error:
        raise Unsettled("the repository is being changed") from error


def file_signature(path: str) -> FileSignature | None:
    """Return a file's stat signature, following links; None if nothing is there."""
    try:
        signature = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(signature.st_mode):
        return 0, 0, 0, signature.st_ino, signature.st_mode
    return signature.st_mtime_ns, signature.st_ctime_ns, signature.st_size, signature.st_ino, signature.st_mode


def _make_watch_plan(cwd: Path, state_dir: Path, now_ns: int) -> WatchPlan:
    root = find_root(cwd)
    git_dir = git_dir_of(root) if root is not None else None
    common = common_dir_of(root) if root is not None else None
    if root is None or git_dir is None or common is None or root.parent == root:
        raise Unwatchable("there is no repository")
    git_dir = git_dir.resolve()
    if root.is_relative_to(git_dir) or root.is_relative_to(common):
        raise Unwatchable("the worktree is inside a git directory")
    git = Git(cwd, root=root)
    _require_standard_layout(git, root, git_dir, common)
    before = {path: file_signature(path) for path in _standard_files(git)}
    settings = _settings(git)
    external_files = _external_files(git, settings, root, git_dir, common, now_ns)
    if not before.items() >= set(external_files) and _settings(git) != settings:
        raise Unsettled("the configuration is being changed")
    has_rules = not _has_replace_refs(git, settings, common)
    conversion = _conversion(settings, root, common, external_files) if has_rules else None
    object_format = _object_format(settings)
    index = read_index(git_dir, object_format)
    folders = _folders(Git(root, root=root), root, git_dir, common, state_dir, index)
    if not folders.covers(cwd.as_posix()):
        raise Unwatchable("the folder is ignored")
    folder_identities = []
    for path in dict.fromkeys((root.as_posix(), cwd.as_posix(), git_dir.as_posix(), common.as_posix())):
        identity_ = folder_identity(path)
        if identity_ is None:
            raise Unwatchable("a folder is missing")
        folder_identities.append((path, identity_))
    return WatchPlan(
        folders,
        root.as_posix(),
        git_dir.as_posix(),
        common.as_posix(),
        tuple(folder_identities),
        external_files,
        index,
        ComparisonRules(index, conversion, object_format) if index is not None and conversion is not None else None,
    )


def _has_replace_refs(git: Git, settings: list[tuple[str, str, str]], common: Path) -> bool:
    """Whether replace refs exist, which only git applies."""
    is_in_files = all(name != "extensions.refstorage" for _, name, _ in settings)
    if is_in_files and not may_have_replace_refs(common):
        return False
    return bool(git.run("for-each-ref", "--count=1", "refs/replace/"))


def comparison_rules(root: Path, git_dir: Path, common: Path, now_ns: int, content: bytes) -> ComparisonRules | None:
    """Return the rules of a worktree with this index, for one comparison; None if only git can compare.

    Raise GitFailed, IndexUnreadable, or Unwatchable if the configuration is changing.
    """
    git = Git(root, root=root)
    settings = _settings(git)
    external_files = _external_files(git, settings, root, git_dir, common, now_ns)
    conversion = _conversion(settings, root, common, external_files)
    object_format = _object_format(settings)
    return ComparisonRules(GitIndex(content, object_format), conversion, object_format) if conversion else None


def _object_format(settings: list[tuple[str, str, str]]) -> ObjectFormat:
    values = {name: value for _, name, value in settings}
    return "sha256" if values.get("extensions.objectformat") == "sha256" else "sha1"


def _conversion(
    settings: list[tuple[str, str, str]],
    root: Path,
    common: Path,
    external_files: tuple[tuple[str, FileSignature | None], ...],
) -> Conversion | None:
    values = {name: value for _, name, value in settings}
    conversion = conversion_of(values)
    if conversion is None:
        return None
    files = [path for path, _ in external_files if os.path.basename(path) in ("attributes", "gitattributes")]
    files += [str(common / "info" / "attributes"), str(root / _expand_user(values.get("core.attributesfile", "")))]
    flags = conversion.global_flags
    for path in files:
        flags |= flags_in_file(path) if os.path.isfile(path) else 0
    return conversion._replace(global_flags=flags)


def _require_standard_layout(git: Git, root: Path, git_dir: Path, common: Path) -> None:
    """Raise Unwatchable if git reads its own files from elsewhere than the watched places."""
    output = git.run("rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    top, git_dir_path, common_dir_path = (Path(os.fsdecode(line)) for line in output.removesuffix(b"\n").split(b"\n"))
    if top.resolve() != root or git_dir_path.resolve() != git_dir or (git.cwd / common_dir_path).resolve() != common:
        raise Unwatchable("git uses another worktree or git directory")
    for folder in {git_dir, common}:
        if any((folder / name).is_symlink() for name in _MUST_NOT_BE_LINKS):
            raise Unwatchable("a part of the git directory is a link")


def _folders(
    git: Git, root: Path, git_dir: Path, common: Path, state_dir: Path, index: GitIndex | None
) -> WatchedFolders:
    flat_roots = {git_dir.as_posix(), common.as_posix()}
    below = {f"{folder}/{name}" for folder in flat_roots for name in _BELOW_GIT_DIR}
    skipped = {f"{root.as_posix()}/.git", *_ignored(git, root.as_posix())}
    names: frozenset[str] = frozenset()
    may_be_tracked = index is None or index.contains([f"{name}/".encode() for name in _SIDECAR_NAMES])
    globs = (f":(glob)**/{name}/**" for name in _SIDECAR_NAMES)
    if not (may_be_tracked and git.run("ls-files", "-z", "--", *globs)):
        names = _SIDECAR_NAMES
    if state_dir.is_relative_to(root) and state_dir != root:
        if git.run("ls-files", "-z", "--", f":(literal){state_dir.relative_to(root).as_posix()}"):
            raise Unwatchable("the sidecar's state is part of the repository")
        skipped.add(state_dir.as_posix())
    return WatchedFolders(
        frozenset({root.as_posix(), *flat_roots, *below}), frozenset(flat_roots), frozenset(skipped), names, ".git"
    )


def _ignored(git: Git, prefix: str) -> set[str]:
    """Return the folders that an ignore rule matches and that contain nothing tracked: git never enters them."""
    output = git.run(
        "status", "--porcelain=v1", "-z", "--ignored=matching", "--untracked-files=all", "--ignore-submodules=all",
        "--no-renames",
    )  # fmt: skip
    return {
        f"{prefix}/{entry[3:-1]}"
        for entry in output.decode("utf-8", "surrogateescape").split("\0")
        if entry.startswith("!! ") and entry.endswith("/")
    }


def _settings(git: Git) -> list[tuple[str, str, str]]:
    """Return the origin, name and value of each setting."""
    fields = git.run("config", "--list", "--show-origin", "-z").decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return [(origin, *_split_setting(setting)) for origin, setting in pairs]


def _split_setting(setting: str) -> tuple[str, str]:
    name, _, value = setting.partition("\n")
    return name.lower(), value


def _external_files(
    git: Git, settings: list[tuple[str, str, str]], root: Path, git_dir: Path, common: Path, now_ns: int
) -> tuple[tuple[str, FileSignature | None], ...]:
    """Return the files git reads outside the watched folders, with the stat of each; raise Unwatchable."""
    files = _standard_files(git)
    for origin, name, value in settings:
        kind, _, path = origin.partition(":")
        if kind != "file":
            continue
        if value.startswith("%("):
            raise Unwatchable("a path of the configuration depends on how git was built")
        origin_file = root / path  # the repository's own is relative to git's working directory
        files.add(str(origin_file))
        if name in ("core.excludesfile", "core.attributesfile"):
            files.add(str(root / _expand_user(value)))
        elif name.startswith("include") and name.endswith(".path"):
            files.add(str(origin_file.parent / _expand_user(value)))
    files -= {str(folder / name) for folder in (git_dir, common) for name in _CONFIGURATION}  # these are watched
    if len(files) > MAX_EXTERNAL_FILES:
        raise Unwatchable("the configuration is spread over too many files")
    signatures = tuple((path, file_signature(path)) for path in sorted(files))
    if any(signature is not None and not _is_settled(signature, now_ns) for _, signature in signatures):
        raise Unsettled("the configuration is being changed")
    return signatures


def _standard_files(git: Git) -> set[str]:
    """Return the possible places of configuration, ignore rules and attributes, existing or not."""
    variables = environment()
    home = Path(variables.get("HOME") or Path.home())
    xdg = Path(variables.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    programs = _git_programs(git, variables)
    installed = programs.parent.parent if programs.parent.name == "libexec" else programs.parent
    systems = {installed, installed.parent, Path("/"), Path("/usr/local"), Path("/opt/homebrew")}
    files = {home / ".gitconfig", xdg / "config", xdg / "ignore", xdg / "attributes"}
    files |= {system / "etc" / name for system in systems for name in ("gitconfig", "gitattributes")}
    files |= {Path(variables[name]) for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM") if variables.get(name)}
    return {str(file) for file in files}


def _git_programs(git: Git, variables: Mapping[str, str]) -> Path:
    """Return the folder of git's own programs; git is asked once for each program that the environment names."""
    from shutil import which  # slow to import, and needed after the first answer

    program = which("git", path=variables.get("PATH"))
    signature = file_signature(program) if program is not None else None
    key = (program, signature, variables.get("GIT_EXEC_PATH"))
    if key not in _PROGRAMS:
        _PROGRAMS.clear()
        _PROGRAMS[key] = Path(git.text("--exec-path"))
    return _PROGRAMS[key]


def _expand_user(value: str) -> str:
    return os.path.expanduser(value.removeprefix(":(optional)"))


def _is_settled(signature: FileSignature, now_ns: int) -> bool:
    changed_at_ns = max(signature[:2])
    coarse = changed_at_ns % 1_000_000_000 == 0
    return now_ns - changed_at_ns >= (COARSE_SETTLED_NS if coarse else SETTLED_NS)


RETRY_MS = (1_000.0, 10_000.0, 60_000.0, 300_000.0)
"""Delays before a worktree that could not be watched is tried again."""

UNSETTLED_MS = 200.0

START_AFTER_MS = 500.0
"""Delay before a worktree's watch is started: what is requested at the end of a run comes first."""

REPLAN_AFTER_MS = 250.0
"""Delay before a new plan, for which git is asked: what a checkout changed is asked about first, by a call that waits.
"""

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
                return WatchResult(
                    generation=self._generation, is_proven=False, changed=None, plan=None, is_exact=False
                )
            continues = self._process_changes(*running)
            is_proven = continues and self._planned_rules == self._rules
            if not is_proven or running[0].size > self._planned_size + REPLAN_GROWTH:
                self._schedule_preparation()
            changed = self._changed_since(since_generation)
            return WatchResult(
                generation=self._generation,
                is_proven=is_proven,
                changed=changed,
                plan=self._plan,
                is_exact=running[0].is_exact,
            )

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
        delay_ms = REPLAN_AFTER_MS if self._watch is not None else START_AFTER_MS
        self._idle_queue.submit(_weakly(self, WorktreeWatch._prepare), delay_ms)

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
