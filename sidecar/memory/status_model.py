"""What `memory/status` tells."""

from pydantic import Field

from sidecar.core.wire import WireModel
from sidecar.memory.capture.model import CaptureState
from sidecar.memory.model import MemoryCount, MemoryIndexState, MemoryWarning
from sidecar.memory.upkeep.model import LastUpkeep


class MemoryStatusResult(WireModel):
    """What is remembered within reach, and in what state it is."""

    folder: str = Field(description="Where the files are.")
    present: bool = Field(description="Whether there is a folder of memories.")
    memories: int
    counts: list[MemoryCount]
    index: MemoryIndexState
    capture: CaptureState
    upkeep: LastUpkeep | None = Field(description="What `memory/maintain` did last; null when it never ran.")
    warnings: list[MemoryWarning]
