"""The slices' state in memory, as named fields with a lifetime: that of the process, or of a workspace.

`call.py` and `workspace.py` lie below the slices: they name these classes as types only; `app.py` creates the objects.
A slice is loaded and its state created on first use, so that a command which needs one slice loads no other.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from sidecar.call import Process
    from sidecar.capture.check_notes_block import TypedPrompts
    from sidecar.capture.measure_outcome import RecentPrompts
    from sidecar.codebase.repository import CodebaseState, Repository
    from sidecar.core.lru_cache import LruCache
    from sidecar.daily_metrics import ErrorCounter
    from sidecar.experiment import StoredArm
    from sidecar.knowledge.automatic_sync import KnowledgeState
    from sidecar.memory.recall import MemoryState
    from sidecar.packs.prefetch import PacksState, WorkspacePacks
    from sidecar.ralph.lock_and_stop import RunningLoops
    from sidecar.registry.project_registry import RegistryState
    from sidecar.workspace import Workspace

State = TypeVar("State")


class created_once(Generic[State]):  # noqa: N801  (a decorator, like `property`)
    """A field that is created on first use, by one thread; `functools.cached_property` has no lock from Python 3.12."""

    def __init__(self, create: Callable[[Any], State]) -> None:
        self._create = create
        self.__doc__ = create.__doc__
        self._lock = threading.RLock()

    def __get__(self, owner: object, _type: type | None = None) -> State:
        name = self._create.__name__
        with self._lock:
            if name not in vars(owner):
                vars(owner)[name] = self._create(owner)  # later reads find it here, without this function
            value: State = vars(owner)[name]
            return value


class ProcessSlices:
    """The slices' state that lives as long as the process."""

    def __init__(self, process: "Process") -> None:
        self._process = process

    @created_once
    def error_counter(self) -> "ErrorCounter":
        """Counts of error responses that are not written yet."""
        from sidecar.daily_metrics import ErrorCounter

        return ErrorCounter(self._process)

    @created_once
    def codebase(self) -> "CodebaseState":
        """Caches of summaries and search results; the watches of worktrees."""
        from sidecar.codebase.repository import CodebaseState

        return CodebaseState(self._process)

    @created_once
    def memory(self) -> "MemoryState":
        """Indexes of memory files, their watches, and results of the last searches."""
        from sidecar.memory.recall import MemoryState

        return MemoryState(self._process)

    @created_once
    def registry(self) -> "RegistryState":
        """Open registries and their caches."""
        from sidecar.registry.project_registry import RegistryState

        return RegistryState(self._process)

    @created_once
    def packs(self) -> "PacksState":
        """Caches of packs and memory pointers."""
        from sidecar.packs.prefetch import PacksState

        return PacksState(self._process)

    @created_once
    def assignments(self) -> "LruCache[tuple[str, str], StoredArm]":
        """Arms of recent chats by experiment and sub-chat."""
        from sidecar.experiment.rollout import create_cache

        return create_cache()

    @created_once
    def recent_prompts(self) -> "RecentPrompts":
        """Words of recent prompts, by chat of an experiment."""
        from sidecar.capture.measure_outcome import RecentPrompts

        return RecentPrompts()

    @created_once
    def typed_prompts(self) -> "TypedPrompts":
        """Messages of recent conversations since the last notes block."""
        from sidecar.capture.check_notes_block import TypedPrompts

        return TypedPrompts()

    @created_once
    def knowledge(self) -> "KnowledgeState":
        """Inputs of the last syncs, and automatic syncs in progress."""
        from sidecar.knowledge.automatic_sync import KnowledgeState

        return KnowledgeState()

    @created_once
    def ralph_loops(self) -> "RunningLoops":
        """Loops that run in this process; they end before it does."""
        from sidecar.ralph.lock_and_stop import RunningLoops

        loops = RunningLoops()
        self._process.close_callbacks.append(loops.stop_all)
        return loops


class WorkspaceSlices:
    """The slices' state that lives as long as a workspace."""

    def __init__(self, workspace: "Workspace", process: "Process") -> None:
        self._workspace = workspace
        self._process = process

    @created_once
    def repository(self) -> "Repository":
        """The repository at the workspace's `cwd`."""
        from sidecar.codebase.repository import Repository

        return Repository(self._workspace, self._process)

    @created_once
    def packs(self) -> "WorkspacePacks":
        """Conversations, recent queries, and caches of rendered parts."""
        from sidecar.packs.prefetch import WorkspacePacks

        return WorkspacePacks(self._workspace, self._process)
