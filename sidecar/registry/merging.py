"""What is written by hand and what was derived from code become one registry: the user's word wins. Pure."""

from collections.abc import Collection, Sequence

from sidecar.registry.entity import Entity, Registry


def merged(written: Registry, derived: Sequence[Entity], unwanted: Collection[str], digest: str) -> Registry:
    """Adds derived entities to those of the file, but for what the file has, and what the user removed.

    The file has a derived entity where it has one of the same id, or one for the same file as a whole.
    """
    ids = written.by_id
    files = {entity.path for entity in written.entities}
    added = [one for one in derived if one.id not in ids and one.id not in unwanted and not _is_in(files, one)]
    return Registry((*written.entities, *added), written.metadata, written.remarks, digest)


def _is_in(files: Collection[str], derived: Entity) -> bool:
    return derived.key == derived.path and derived.path in files
