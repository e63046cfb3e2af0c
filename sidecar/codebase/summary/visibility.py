"""Which definitions other files may use, by each language's own rules. Pure."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from sidecar.codebase.summary.languages import Visibility
from sidecar.core.lazy_regex import lazy_regex

_PRIVATE = lazy_regex(r"\b(?:private|fileprivate)\b")
_MODIFIER = lazy_regex(r"\b(?:public|internal|protected)\b")
_STATIC = lazy_regex(r"\bstatic\b")
_PUB = lazy_regex(r"(?:#\[[^\]]*+\]\s*+)*+pub\b")
_PRIVATE_MEMBER = lazy_regex(r"(?:private|protected)\b")
_OWNER = lazy_regex(r"(\w+)\.(?:prototype\.)?\w+\s*=")
"""JavaScript: the object a function becomes a member of by assignment."""

_HEAD = 200
"""Modifiers occur within this many characters."""


class Container(NamedTuple):
    """What a definition is a member of."""

    kind: str
    head: str
    public: bool


class DefinitionHead(NamedTuple):
    """A definition as the rules see it."""

    name: str
    head: str
    """Its text up to the body."""
    container: Container | None
    exported: AbstractSet[str]
    """Names that the file exports separately from their definitions."""


def is_public(rule: Visibility, definition: DefinitionHead) -> bool:
    """Whether other files may use a definition."""
    if definition.container is not None and not definition.container.public and rule not in ("pub", "capital"):
        return False
    return _RULES[rule](definition._replace(head=definition.head[:_HEAD]))


def _underscore(definition: DefinitionHead) -> bool:
    is_special = definition.name.startswith("__") and definition.name.endswith("__")
    return is_special or not definition.name.startswith("_")


def _exported(definition: DefinitionHead) -> bool:
    if definition.container is not None:
        return not definition.name.startswith("#") and not _PRIVATE_MEMBER.match(definition.head)
    owner = _OWNER.match(definition.head)
    if owner is not None and owner[1] in definition.exported:
        return not definition.name.startswith("_")
    return definition.head.startswith(("export", "declare", "module.exports")) or definition.name in definition.exported


def _capital(definition: DefinitionHead) -> bool:
    return definition.name[:1].isupper()


def _pub(definition: DefinitionHead) -> bool:
    container_ = definition.container
    if container_ is not None and (
        container_.kind == "trait" or (container_.kind == "impl" and " for " in container_.head)
    ):
        return True
    return bool(_PUB.match(definition.head)) or definition.head.startswith(("impl", "unsafe impl", "macro_rules"))


def _not_private(definition: DefinitionHead) -> bool:
    return not _PRIVATE.search(definition.head)


def _modifier(definition: DefinitionHead) -> bool:
    if definition.container is None or definition.container.kind in ("interface", "namespace"):
        return not _PRIVATE.search(definition.head)
    return bool(_MODIFIER.search(definition.head))


def _not_static(definition: DefinitionHead) -> bool:
    is_member = definition.container is not None and definition.container.kind != "namespace"
    return is_member or not _STATIC.search(definition.head)


def _section(definition: DefinitionHead) -> bool:
    return not definition.name.startswith("_")


_RULES: dict[Visibility, Callable[[DefinitionHead], bool]] = {
    "underscore": _underscore,
    "exported": _exported,
    "capital": _capital,
    "pub": _pub,
    "not-private": _not_private,
    "modifier": _modifier,
    "not-static": _not_static,
    "section": _section,
}
