"""What the packs slice holds in memory."""

from sidecar.call import Process
from sidecar.packs.anchor.cache import AnchorCache
from sidecar.packs.anchor.decisions import PointerCache
from sidecar.packs.context_pack import PassageCache, RenderCache
from sidecar.packs.prefetch import RebuildBurst
from sidecar.packs.request import ConversationCache
from sidecar.packs.task_pack import PackCache, RecentQueries


class PacksState:
    """Caches of packs and memory pointers, for the lifetime of the process."""

    def __init__(self, process: Process) -> None:
        self.pack_cache = PackCache(process)
        self.pointers = PointerCache()


class WorkspacePacks:
    """Conversations, recent queries, and caches of rendered parts, for the lifetime of a workspace."""

    def __init__(self) -> None:
        self.conversations = ConversationCache()
        self.recent_queries = RecentQueries()
        self.anchors = AnchorCache()
        self.passages = PassageCache()
        self.rendered = RenderCache()
        self.rebuild_burst = RebuildBurst()
