"""The note of a rejected approach: what was tried, why it failed, what came in its place. Pure."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sidecar.capture.drafting.abandoned import Abandoned
from sidecar.capture.drafting.devlog import Draft
from sidecar.capture.reading.direction import Dropped, TakenBack
from sidecar.codebase import query_terms
from sidecar.core.prose import cut, first_sentence, telling
from sidecar.core.regex import regex
from sidecar.core.secrets.redact import redact

MAX_TITLE, MAX_TEXT, MAX_NAMED = 160, 300, 6

_DETERMINER = regex(r"(?i)^(?:the|this|that|my|our|an?|using|trying|to)\s+")
_GENERIC = frozenset(
    "approach attempt idea strategy design direction route experiment prototype plan solution workaround try angle"
    " first second third initial original earlier previous prior old last version this that it change changes whole"
    " entire different other another work commit edit edits implementation".split()
)


class Rejected(NamedTuple):
    """An approach that a conversation gave up."""

    tried: str
    reason: str
    instead: str
    files: tuple[str, ...]
    """The files whose work was taken back for it."""
    said: str = ""
    """The agent's own sentence."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The words that tell it from others, however it is told."""
        return tuple(term for term in query_terms(self.tried) if term not in _GENERIC)


def rejected_of(
    said: Sequence[Abandoned], back: TakenBack | None, dropped: Dropped | None, earlier: str, objective: str
) -> list[Rejected]:
    """Gives what was rejected: what the agent says, else the work that was taken back, else the step that was dropped.

    `earlier` is what the agent said when it did that work.
    """
    files = back.files if back is not None else ()
    instead = dropped.instead[0] if dropped is not None else ""
    found = [
        Rejected(
            _named(one.tried, dropped, earlier, objective), one.reason, one.instead or instead, files, one.sentence
        )
        for one in said
    ]
    if found or (back is None and dropped is None):
        return found
    if dropped is not None:
        return [Rejected("; ".join((dropped.active or dropped.steps)[:MAX_NAMED]), "", instead, files)]
    return [Rejected(_named("", dropped, earlier, objective), "", "", files)]


def rejection(one: Rejected, objective: str, failing: Iterable[str]) -> Draft:
    """Writes the note. Its title stands alone, as sessions are told it: what, and why not."""
    tried = _shown(one.tried)
    title = cut(f"{tried[:1].upper()}{tried[1:]}{f' – {one.reason}' if one.reason else ''}", MAX_TITLE)
    where = f" In {_listed(one.files)}; taken back since." if one.files else ""
    tests = list(failing)
    lines = [f"# {title}", "", f"**Tried:** {cut(_stopped(one.tried), MAX_TEXT)}{where}", ""]
    lines += [
        f"**Why it failed:** {cut(_stopped(one.reason), MAX_TEXT) if one.reason else '_The run did not say._'}",
        "",
    ]
    if tests:
        lines += [f"Tests that failed meanwhile: {_listed(tests)}.", ""]
    if one.instead:
        lines += [f"**Instead:** {cut(_stopped(one.instead), MAX_TEXT)}", ""]
    if one.said:
        lines += [f"> {cut(one.said, MAX_TEXT)}", ""]
    if asked := first_sentence(redact(objective), 200):
        lines += [f"Task: {asked}"]
    return Draft(title, "\n".join(lines).rstrip("\n") + "\n")


def _named(tried: str, dropped: Dropped | None, earlier: str, objective: str) -> str:
    """What was tried; where the agent only says "this approach", what it did before, or was about to do, tells it."""
    if set(query_terms(tried)) - _GENERIC:
        return tried
    if dropped is not None:
        return dropped.steps[0]
    told = first_sentence(telling(earlier, 400), 200)
    return told or f"the first approach to: {first_sentence(redact(objective), 120)}"


def _shown(tried: str) -> str:
    return _DETERMINER.sub("", tried) if not tried.startswith("the first approach to:") else tried


def _stopped(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return f"{flat[:1].upper()}{flat[1:]}." if flat else ""


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name.replace('`', chr(39))[:160]}`" for name in names[:MAX_NAMED])
    return f"{shown} and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else shown
