"""What a prompt says, as far as packs look at it: no markers of the host, no secrets, no more than a reader takes in.

Pure. The prompt itself goes to the provider unchanged.
"""

from functools import lru_cache

from sidecar.core.regex import regex
from sidecar.core.secrets.redact import redact

HEAD_CHARACTERS = 16_000
TAIL_CHARACTERS = 4_000
"""Of a longer prompt only its beginning and its end are looked at: what lies between is pasted."""

_PLACE = regex(r"@\[(file|folder):[^:\]\n]*:([^\]\n]{1,2000})\]")
_MARKER = regex(r"@\[[a-z]+:[^\]\n]{0,2000}\]")


def said(prompt: str) -> str:
    """Gives a prompt's own words, with the paths of what it mentions."""
    if len(prompt) > HEAD_CHARACTERS + TAIL_CHARACTERS:
        prompt = f"{_whole_words(prompt[:HEAD_CHARACTERS])}\n{_whole_words(prompt[: -TAIL_CHARACTERS - 1 : -1])[::-1]}"
    return _said(prompt)


def _whole_words(cut: str) -> str:
    """Leaves out a word that was cut at the end: half a secret is not known as one."""
    at = len(cut) - 1
    while at > 0 and not cut[at].isspace():
        at -= 1
    return cut[: at or None]


@lru_cache(maxsize=16)
def _said(prompt: str) -> str:
    return redact(_MARKER.sub(" ", _PLACE.sub(r" \2 ", prompt)))


def mentioned_in(prompt: str) -> tuple[list[str], list[str]]:
    """Gives the files and the folders that the host's markers in a prompt point at (Codex; Claude's are expanded)."""
    found = list(dict.fromkeys(_PLACE.findall(prompt)))[:200]
    return [path for kind, path in found if kind == "file"], [path for kind, path in found if kind == "folder"]
