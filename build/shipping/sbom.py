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
from shipping.components import PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shipping.components import Component

_TYPES = {
    "project": ComponentType.APPLICATION,
    "package": ComponentType.LIBRARY,
    "library": ComponentType.LIBRARY,
    "interpreter": ComponentType.PLATFORM,
}


def sbom(found: Sequence[Component], target: str, at_seconds: int) -> str:
    """Return the SBOM of the components; deterministic for the same input."""
    parts = {component.name + (component.version or ""): _bom_component(component) for component in found}
    project = next(_bom_component(component) for component in found if component.name == PROJECT)
    project.properties.add(Property(name="onecode:target", value=target))
    others = [part for part in parts.values() if part.name != PROJECT]
    whole = Bom(
        serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{PROJECT} {target} {sorted(parts)}"),
        metadata=BomMetaData(component=project, timestamp=datetime.fromtimestamp(at_seconds, UTC)),
        components=others,
        dependencies=[Dependency(project.bom_ref, [Dependency(part.bom_ref) for part in others])],
    )
    document: dict[str, Any] = json.loads(JsonV1Dot6(whole).output_as_string())
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _bom_component(component: Component) -> Part:
    url = PackageURL(
        "pypi" if component.kind == "package" else "generic", name=component.name, version=component.version
    )
    licence = DisjunctiveLicense(name="1Code") if component.kind == "project" else LicenseExpression(component.licence)
    return Part(
        name=component.name,
        version=component.version,
        type=_TYPES[component.kind],
        bom_ref=str(url),
        purl=url,
        licenses=[licence],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=component.hashes[0][1])]
        if len(component.hashes) == 1
        else None,
        properties=[Property(name="onecode:bytes", value=str(component.size))],
    )
