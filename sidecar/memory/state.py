"""What the memory slice holds in memory, for the lifetime of the process."""

from sidecar.call import Process
from sidecar.memory.files.watch import OpenWatches
from sidecar.memory.index import IndexFileWrites, IndexRegistry
from sidecar.memory.retrieval.recall import PreloadCache, Relevance


class MemoryState:
    """Indexes of memory files, their watches, and results of the last searches."""

    def __init__(self, process: Process) -> None:
        self.indexes = IndexRegistry()
        self.index_files = IndexFileWrites()
        self.watches = OpenWatches(process)
        self.relevance = Relevance()
        self.preloads = PreloadCache()
