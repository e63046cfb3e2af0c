"""Which files a text names by path: as the repository has it, by its end, or as it stands on another machine. Pure."""

from typing import NamedTuple

from sidecar.codebase.search.documents import Documents
from sidecar.core.terms import paths_in

MAX_MENTIONS = 200
"""A text of more paths is a listing."""

AMBIGUOUS_NAMES = 3
"""A name that ends more paths than this names none of them."""


class Named(NamedTuple):
    """The files a text names, each with how surely it is meant; and the text without what names them."""

    files: dict[str, float]
    rest: str


def named_files(documents: Documents, text: str) -> Named:
    """Gives the files a text names; where only the end of a path is given, only if few files are meant."""
    files: dict[str, float] = {}
    rest = text
    for mention in paths_in(text)[:MAX_MENTIONS]:
        inside = _longest_end(documents, mention)
        ends = [inside] if inside is not None else documents.ending_with(mention)
        if not ends or len(ends) > AMBIGUOUS_NAMES:
            continue
        for path in ends:
            files[path] = max(files.get(path, 0.0), 1 / len(ends))
        rest = rest.replace(mention, " ")  # the words of a path that was found lead to nothing else
    return Named(files, rest)


def _longest_end(documents: Documents, mention: str) -> str | None:
    """The file a mention is, or that an absolute path from elsewhere ends with; the longest such path."""
    rest = mention
    while rest not in documents:
        _, slash, rest = rest.partition("/")
        if not slash:
            return None
    is_whole = rest == mention or "/" in rest or len(documents.ending_with(rest)) == 1
    return rest if is_whole else None
