"""The stub of a decision record: what the run touched of others' ground, and what of the decision is known. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sidecar.capture.drafting.devlog import MAX_TITLE, Draft
from sidecar.capture.reading.boundaries import Boundary, kind_of
from sidecar.codebase import Contract, parameters
from sidecar.core.prose import cut, sentences, telling
from sidecar.core.regex import regex
from sidecar.core.secrets.redact import redact

MAX_FILES = 8
MAX_CONTRACTS = 8
"""Of one file."""

MAX_NAMED = 6
MAX_CONTEXT = 500
MAX_SENTENCE = 300
MAX_SAID = 3
LONG_SIGNATURE = 90

_DECIDED = regex(
    r"(?i)\b(?:decided (?:to|on|against|that|not to)|chose|opted (?:for|to)|settled on|went with"
    r"|picked \S+ (?:over|because)|the decision (?:is|was)|decision:|rather than|instead of|in favou?r of|deliberately"
    r"|on purpose)\b"
)
_UNDECIDED = regex(
    r"(?i)\?|n't (?:yet )?(?:been )?(?:decide|chose)|\b(?:not (?:yet )?(?:been )?(?:decided|chosen)|never|could|might"
    r"|may|should|would|will|let me|if|whether|until|once|options?|please"
    r"|later|tbd|to be decided|you (?:decided|chose))\b"
)
_REASON = regex(r"(?i)\b(?:because|since|so that|as it|as they)\b")


class Said(NamedTuple):
    """What runs said of the change: what they concluded, and what they decided."""

    concluded: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()

    def and_then(self, conclusion: str) -> "Said":
        """Adds what another run said."""
        told = (*self.concluded, telling(conclusion, MAX_CONTEXT))
        decided = (*self.decided, *decisions_of(conclusion))
        return Said(*(tuple(dict.fromkeys(one for one in each if one))[-MAX_SAID:] for each in (told, decided)))


def adr(objective: str, said: Said, boundaries: Sequence[Boundary], changed: Collection[str]) -> Draft:
    """Writes the stub; `changed` are the files that the work changed. What is not known is left open, and says so."""
    title = title_of(boundaries)
    lines = [f"# {title}", "", "Status: draft", "", "## Context", ""]
    if asked := cut(" ".join(redact(objective).split()), MAX_CONTEXT):
        lines += [f"Asked for: {asked}", ""]
    for told in said.concluded:
        lines += [told, ""]
    lines += ["## Affected contracts", ""]
    for boundary in boundaries[:MAX_FILES]:
        lines += _affected(boundary)
    if len(boundaries) > MAX_FILES:
        lines.append(f"- … and {len(boundaries) - MAX_FILES} more files")
    lines += ["", "## Decision", "", " ".join(said.decided) or "_Open: the run did not say why it is done so._", ""]
    lines += ["## Consequences", "", *(_consequences(boundaries, changed) or ["_Open._"])]
    return Draft(title, "\n".join(lines) + "\n")


def title_of(boundaries: Sequence[Boundary]) -> str:
    """Names what was touched, not how the run was worded."""
    names = list(dict.fromkeys(_named(one) for boundary in boundaries for one in boundary.contracts))
    kinds = {bool(one.after or one.moved_to) for boundary in boundaries for one in boundary.contracts if one.name}
    verb = "Removed" if kinds == {False} else "Changed"
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join((*shown, name))) > MAX_TITLE - 30:
            break
        shown.append(name)
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    noun = "contract" if len(names) == 1 else "contracts"
    return f"{verb} {noun}: {', '.join(shown)}{more}"[:200]


def decisions_of(conclusion: str) -> list[str]:
    """Gives the sentences of a conclusion that state a decision, two at most."""
    found = [
        one for one in sentences(conclusion)
        if _DECIDED.search(one) and not _UNDECIDED.search(_REASON.split(one)[0]) and not one.endswith("?")
    ]  # fmt: skip
    return [redact(cut(one, MAX_SENTENCE)) for one in found[:2]]


def described(one: Contract) -> str:
    """Tells of one contract what became of it, in Markdown."""
    if one.moved_to:
        return f"{_code(one.before) if one.name else 'the module'} is in `{one.moved_to}` now"
    if not one.name:
        return _described_file(one)
    if kind_of(one.path) == "manifest":
        before, after = (_code(side) if side else "nothing" for side in (one.before, one.after))
        return f"`{one.name}`: {before} → {after}"
    if not one.after:
        return f"{_code(one.before)} is gone"
    if "\n" in one.before and "\n" in one.after:
        return _by_lines(one)
    if one.before and "(" in one.before and max(len(one.before), len(one.after)) > LONG_SIGNATURE:
        return _by_parameters(one)
    return f"{_code(one.before)} → {_code(one.after)}"


def _described_file(one: Contract) -> str:
    if one.before == one.after:
        return "changed"
    if one.before in ("module", "file") and not one.after:
        return "removed, with all that it offered"
    return f"added: {_code(one.after)}" if not one.before else f"removed: {_code(one.before)}"


def _by_parameters(one: Contract) -> str:
    """Of a long signature only what is another."""
    (head, old, rest), (other, new, then) = parameters(one.before), parameters(one.after)
    told = _differing(old, new)
    if rest != then:
        told.append(f"returns {_code(then.removeprefix('->').removeprefix(':').strip() or 'nothing said')}")
    if head != other:
        told.append(f"is {_code(other.strip())} now")
    return f"`{one.name}(…)`: {', '.join(told[:MAX_NAMED]) or 'the order of its parameters'}"


def _by_lines(one: Contract) -> str:
    """Of a type's body only the lines that are others."""
    told = _differing(one.before.split("\n"), one.after.split("\n"))
    more = f" and {len(told) - MAX_NAMED} lines more" if len(told) > MAX_NAMED else ""
    return f"`{one.name}`: {', '.join(told[:MAX_NAMED]) or 'the order of its lines'}{more}"


def _differing(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """What went, what came, and what became of parts of the same name."""
    gone = {_parameter_name(each): each for each in old if each not in new}
    come = {_parameter_name(each): each for each in new if each not in old}
    told = [f"{_code(gone[name])} → {_code(come[name])}" for name in gone if name in come]
    told += [f"{_code(each)} added" for name, each in come.items() if name not in gone]
    return told + [f"{_code(each)} removed" for name, each in gone.items() if name not in come]


def _parameter_name(parameter: str) -> str:
    found = re.search(r"\w+", parameter)
    return found[0] if found else parameter


def _affected(boundary: Boundary) -> list[str]:
    told = list(dict.fromkeys(described(one) for one in boundary.contracts))
    lines = [f"- `{boundary.path}`, {boundary.why}:", *(f"  - {one}" for one in told[:MAX_CONTRACTS])]
    if told == ["changed"]:
        return [f"- `{boundary.path}`, {boundary.why}"]
    return [*lines, f"  - … and {len(told) - MAX_CONTRACTS} more"] if len(told) > MAX_CONTRACTS else lines


def _consequences(boundaries: Iterable[Boundary], changed: Collection[str]) -> list[str]:
    lines = []
    for one in boundaries:
        along = [path for path in one.importers if path in changed]
        left = [path for path in one.importers if path not in changed]
        if along:
            lines.append(f"- Changed along with `{one.path}`: {_listed(along)}")
        if left:
            lines.append(f"- Not changed, though using `{one.path}`: {_listed(left)}")
    return lines[: 2 * MAX_FILES]


def _listed(paths: Sequence[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:MAX_NAMED])
    return f"{shown} and {len(paths) - MAX_NAMED} more" if len(paths) > MAX_NAMED else shown


def _named(one: Contract) -> str:
    return one.name.removesuffix(".__init__") if one.name and kind_of(one.path) != "manifest" else one.path


def _code(text: str) -> str:
    flat = " ".join(redact(text).split())
    fence = "``" if "`" in flat else "`"
    return f"{fence}{flat}{fence}"
