"""How a repository's folders depend on each other, in an anchor's words; and what they are called. Pure."""

from collections.abc import Container, Iterable, Mapping, Sequence

from sidecar.codebase import Names
from sidecar.core.regex import regex
from sidecar.core.text import one_line
from sidecar.packs.anchor import parsed
from sidecar.packs.anchor.census import is_beside

MAX_NAMED = 8

_GO_MODULE = regex(r"(?m)^module\s+(\S+)")


def names_of(areas: Sequence[str], texts: Mapping[str, str], files: Container[str]) -> Names:
    """Gives what those that import the areas call them, by their manifests and by where Python packages begin."""
    packages = []
    for area in areas:
        package = parsed.json(texts.get(f"{area}package.json", "")).get("name")
        crate = parsed.within(parsed.toml(texts.get(f"{area}Cargo.toml", "")), "package").get("name")
        packages += [(package, area)] if isinstance(package, str) else []
        packages += [(crate.replace("-", "_"), area)] if isinstance(crate, str) else []
    module = _GO_MODULE.search(texts.get("go.mod", ""))
    return Names(tuple(packages), tuple(_modules(areas, files)), module[1] if module else "")


def _modules(areas: Iterable[str], files: Container[str]) -> Iterable[tuple[str, str]]:
    """Dotted names: from the workspace, and from the folder above the outermost package."""
    for area in areas:
        parts = area.rstrip("/").split("/")
        yield ".".join(parts), area
        if len(parts) > 1 and f"{parts[0]}/__init__.py" not in files and f"{area}__init__.py" in files:
            yield ".".join(parts[1:]), area


def dependency_lines(reach: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    """Gives a line for each folder that imports others, those it imports in the order of their names."""
    lines = []
    for area in sorted(reach):
        reached = sorted(reach[area], key=lambda one: (-reach[area][one].bit_length(), one))
        told = [one for one in reached if not is_beside(one)][:MAX_NAMED]
        if told and not is_beside(area):
            said = ", ".join(sorted(_short(one, area) for one in told))
            lines.append(f"- {one_line(area.rstrip('/') or 'files at the top', 120)} → {one_line(said, 200)}")
    return tuple(lines)


def _short(other: str, area: str) -> str:
    """A folder's name as seen from one beside it."""
    above = area.rstrip("/").rpartition("/")[0]
    return other.rstrip("/").removeprefix(f"{above}/" if above else "")
