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
"""Of JavaScript: what a function is made a member of by assigning it."""

_HEAD = 200
"""Modifiers stand within this many characters."""


class Container(NamedTuple):
    """What a definition is a member of."""

    kind: str
    head: str
    public: bool


class Named(NamedTuple):
    """A definition as the rules see it."""

    name: str
    head: str
    """Its text up to the body."""
    container: Container | None
    exported: AbstractSet[str]
    """Names that the file exports apart from their definitions."""


def is_public(rule: Visibility, named: Named) -> bool:
    """Says whether a definition is for others."""
    if named.container is not None and not named.container.public and rule not in ("pub", "capital"):
        return False
    return _RULES[rule](named._replace(head=named.head[:_HEAD]))


def _underscore(named: Named) -> bool:
    is_special = named.name.startswith("__") and named.name.endswith("__")
    return is_special or not named.name.startswith("_")


def _exported(named: Named) -> bool:
    if named.container is not None:
        return not named.name.startswith("#") and not _PRIVATE_MEMBER.match(named.head)
    owner = _OWNER.match(named.head)
    if owner is not None and owner[1] in named.exported:
        return not named.name.startswith("_")
    return named.head.startswith(("export", "declare", "module.exports")) or named.name in named.exported


def _capital(named: Named) -> bool:
    return named.name[:1].isupper()


def _pub(named: Named) -> bool:
    inside = named.container
    if inside is not None and (inside.kind == "trait" or (inside.kind == "impl" and " for " in inside.head)):
        return True
    return bool(_PUB.match(named.head)) or named.head.startswith(("impl", "unsafe impl", "macro_rules"))


def _not_private(named: Named) -> bool:
    return not _PRIVATE.search(named.head)


def _modifier(named: Named) -> bool:
    if named.container is None or named.container.kind in ("interface", "namespace"):
        return not _PRIVATE.search(named.head)
    return bool(_MODIFIER.search(named.head))


def _not_static(named: Named) -> bool:
    is_member = named.container is not None and named.container.kind != "namespace"
    return is_member or not _STATIC.search(named.head)


def _section(named: Named) -> bool:
    return not named.name.startswith("_")


_RULES: dict[Visibility, Callable[[Named], bool]] = {
    "underscore": _underscore,
    "exported": _exported,
    "capital": _capital,
    "pub": _pub,
    "not-private": _not_private,
    "modifier": _modifier,
    "not-static": _not_static,
    "section": _section,
}
