"""What is done about conflicts where not as suggested: by type, and by type and item. Pure."""

from collections.abc import Mapping
from typing import get_args

from sidecar.knowledge.plan import DEFAULTS, ConflictType, Resolution
from sidecar.settings.kinds import RESOLUTION
from sidecar.settings.resolve import Settings

Resolutions = Mapping[tuple[str, str], Resolution]
"""By type and ref; the ref is empty where it counts for all of a type."""

_NEITHER: tuple[Resolution, ...] = ("keep_memory", "manual")


def fits(kind: ConflictType, resolution: Resolution) -> bool:
    """Says whether a conflict can be resolved so: as suggested, or by leaving memory as it is."""
    return resolution in (DEFAULTS[kind], *_NEITHER)


def configured(settings: Settings) -> Resolutions:
    """Reads the project's setting; a row that no conflict can be resolved by says nothing, as `unfit` tells."""
    read = [_read(row) for row in settings["knowledge.resolutions"]]
    return {(kind, item): resolution for kind, item, resolution in filter(None, read)}


def unfit(settings: Settings) -> list[str]:
    """Gives the rows of the setting that say nothing."""
    return [str(row) for row in settings["knowledge.resolutions"] if _read(row) is None]


def _read(row: str) -> tuple[ConflictType, str, Resolution] | None:
    found = RESOLUTION.fullmatch(row)
    if found is None:
        return None
    kinds: tuple[ConflictType, ...] = get_args(ConflictType)
    ways: tuple[Resolution, ...] = get_args(Resolution)
    kind = next((one for one in kinds if one == found[1]), None)
    way = next((one for one in ways if one == found[3]), None)
    return (kind, found[2] or "", way) if kind is not None and way is not None and fits(kind, way) else None
