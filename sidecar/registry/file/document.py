"""The registry's YAML → entities, as intelligence-layer.md 5.1 writes it; what does not fit is told. Pure."""

from collections.abc import Iterator

from sidecar.core.yaml_nodes import Damaged, Node, nodes_of
from sidecar.registry.entity import UNSAID, Entity, Metadata, Registry, Remark

__all__ = ["Damaged", "is_checksum", "parse"]

CHECKSUM_ALGORITHM = "sha256"


def parse(text: str) -> Registry:
    """Reads a registry; raises Damaged for what is no YAML or no list of keys.

    A declared count that differs, an entry that is no mapping, an adaptability out of range are remarks.
    """
    root = nodes_of(text)
    if root is None:
        return Registry((), Metadata())
    if root.kind != "mapping":
        raise Damaged("The file is not one list of keys with values.")
    remarks: list[Remark] = []
    metadata = _metadata(root.get("metadata"), remarks)
    entities = tuple(_entities(root.get("entities"), remarks))
    if metadata.entity_count is not None and metadata.entity_count != len(entities):
        remarks.append(
            Remark(
                _line(root.get("metadata"), "entity_count"),
                "metadata",
                f"The file declares {metadata.entity_count} entities and holds {len(entities)}.",
            )
        )
    return Registry(entities, metadata, remarks)


def is_checksum(text: str) -> bool:
    """Says whether a text is a SHA-256 in hexadecimal digits, and not a place kept for one."""
    return len(text) == 64 and all(char in "0123456789abcdefABCDEF" for char in text)


def _metadata(node: Node | None, remarks: list[Remark]) -> Metadata:
    if node is None:
        return Metadata()
    said = {key: value.text for key, (_, value) in node.pairs.items()}
    count = said.get("entity_count", "")
    algorithm = said.get("checksum_algorithm", "")
    if algorithm and algorithm.lower() != CHECKSUM_ALGORITHM:
        remarks.append(
            Remark(node.line, "metadata", f"Checksums are {CHECKSUM_ALGORITHM} only, not `{algorithm[:40]}`.")
        )
    return Metadata(
        said.get("version", ""), said.get("last_updated", ""), int(count) if _is_count(count) else None, algorithm
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _entities(node: Node | None, remarks: list[Remark]) -> Iterator[Entity]:
    for category, (_, group) in (node.pairs if node else {}).items():
        if group.kind != "mapping":
            if group.text or group.kind != "scalar":
                remarks.append(Remark(group.line, category, "The category is no list of entities."))
            continue
        for key, (at, value) in group.pairs.items():
            if value.kind != "mapping":
                remarks.append(Remark(at.line, f"{category}/{key}", "The entry is no list of keys with values."))
            else:
                yield _entity(category, key, value, remarks)
        if len(group.pairs) != len(group.fields):
            remarks.append(Remark(group.line, category, "The category has a key twice; the first one counts."))


def _entity(category: str, key: str, node: Node, remarks: list[Remark]) -> Entity:
    fields = {name: value for name, (_, value) in node.pairs.items()}
    text = {name: fields[name].text for name in ("path", "type", "purpose", "checksum") if name in fields}
    name = f"{category}/{key}"
    missing = (field for field in ("path", "purpose") if not text.get(field))
    remarks.extend(Remark(node.line, name, f"The entry has no `{field}`.") for field in missing)
    checksum = text.get("checksum", "")
    return Entity(
        category,
        key,
        text.get("path", ""),
        text.get("type") or category.removesuffix("s"),
        text.get("purpose", ""),
        _texts(fields.get("keywords")),
        _texts(fields.get("dependencies")),
        _adaptability(fields.get("adaptability"), name, remarks),
        checksum.lower() if is_checksum(checksum) else "",
    )


def _texts(node: Node | None) -> tuple[str, ...]:
    """The texts of a list; a scalar alone counts as a list of it."""
    if node is None:
        return ()
    return tuple(item.text for item in node.items or (node,) if item.text)


def _adaptability(node: Node | None, name: str, remarks: list[Remark]) -> float:
    if node is None or not node.text:
        return UNSAID
    try:
        value = float(node.text)
    except ValueError:
        value = -1.0
    if 0.0 <= value <= 1.0:
        return value
    remarks.append(Remark(node.line, name, "The adaptability is not between 0.0 and 1.0."))
    return UNSAID


def _line(node: Node | None, key: str) -> int:
    found = node.get(key) if node else None
    return found.line if found else 0
