"""The software bill of materials of a release, as CycloneDX JSON."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component as Part
from cyclonedx.model.component import ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from shipping.inside import PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shipping.inside import Component

_TYPES = {
    "project": ComponentType.APPLICATION,
    "package": ComponentType.LIBRARY,
    "library": ComponentType.LIBRARY,
    "interpreter": ComponentType.PLATFORM,
}


def bill(found: Sequence[Component], target: str, at_seconds: int) -> str:
    """Gives the bill of what was found inside; the same for the same things at the same time."""
    parts = {one.name + (one.version or ""): _part(one) for one in found}
    project = next(_part(one) for one in found if one.name == PROJECT)
    project.properties.add(Property(name="onecode:target", value=target))
    others = [part for part in parts.values() if part.name != PROJECT]
    whole = Bom(
        serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{PROJECT} {target} {sorted(parts)}"),
        metadata=BomMetaData(component=project, timestamp=datetime.fromtimestamp(at_seconds, UTC)),
        components=others,
        dependencies=[Dependency(project.bom_ref, [Dependency(part.bom_ref) for part in others])],
    )
    told: dict[str, Any] = json.loads(JsonV1Dot6(whole).output_as_string())
    return json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _part(one: Component) -> Part:
    url = PackageURL("pypi" if one.kind == "package" else "generic", name=one.name, version=one.version)
    licence = DisjunctiveLicense(name="1Code") if one.kind == "project" else LicenseExpression(one.licence)
    return Part(
        name=one.name,
        version=one.version,
        type=_TYPES[one.kind],
        bom_ref=str(url),
        purl=url,
        licenses=[licence],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one.hashes[0][1])] if len(one.hashes) == 1 else None,
        properties=[Property(name="onecode:bytes", value=str(one.size))],
    )
