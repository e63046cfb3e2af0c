"""Which files a text names by path: as the repository has it, by its end, or as it stands on another machine. Pure."""

from sidecar.codebase.search.documents import Documents
from sidecar.codebase.terms import paths_in

AMBIGUOUS_NAMES = 3
"""A name that ends more paths than this names none of them."""


def named_paths(documents: Documents, text: str) -> set[str]:
    """Gives the files a text names; where only the end of a path is given, only if few files are meant."""
    named: set[str] = set()
    for mention in paths_in(text):
        inside = _longest_end(documents, mention)
        if inside is not None:
            named.add(inside)
            continue
        ends = documents.ending_with(mention)
        if len(ends) <= AMBIGUOUS_NAMES:
            named.update(ends)
    return named


def _longest_end(documents: Documents, mention: str) -> str | None:
    """The file a mention is, or that an absolute path from elsewhere ends with; the longest such path."""
    rest = mention
    while rest not in documents:
        _, slash, rest = rest.partition("/")
        if not slash:
            return None
    is_whole = rest == mention or "/" in rest or len(documents.ending_with(rest)) == 1
    return rest if is_whole else None
