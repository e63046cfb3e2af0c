"""The memory files: layout, parsing, atomic writes, watching."""

from sidecar.memory.files import document, front_matter
from sidecar.memory.files.document import Edit
from sidecar.memory.files.front_matter import MalformedFrontMatter
from sidecar.memory.files.layout import location_of
from sidecar.memory.files.watch import MAX_WATCHES
