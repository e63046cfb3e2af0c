"""The seven checks, over a registry and what its files hold. Pure: the files are given."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.registry.entity import Entity, Registry

# What a file of the framework has to hold: articles, sections, placeholders, JSON. Pure.


LEAST_ARTICLES = 14
"""A constitution has at least so many, without a gap; fifteen are right too (decisions.md, Registry)."""

SECTIONS: dict[str, tuple[str, ...]] = {
    "mission": ("mission",),
    "inputs": ("input", "inputs", "on activation", "context requirements", "prerequisites"),
    "outputs": ("output", "outputs", "deliverable", "deliverables", "artifact", "artifacts"),
    "criteria": ("criteria", "self-validation", "validation", "success"),
}
"""The sections of an agent's definition (intelligence-layer.md 5.3), each with the headings that say it."""

_ARTICLE = regex(
    r"^[ \t]*(?:#{1,6}[ \t]*|\*\*[ \t]*)?Article[ \t]+([IVXLC]+|\d{1,3})\b[ \t]*(?:[:.—–-]|\*\*|$)", re.MULTILINE
)
_HEADING = regex(r"^[ \t]*+(?:#{1,6}[ \t]++(.+)|\*\*(.+?)\*\*.*)$", re.MULTILINE)
_FENCED = regex(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_PLACEHOLDER = regex(
    r"\{\{[^{}\n]{1,200}\}\}|\$\{[^{}\n]{1,200}\}|\{[A-Za-z][^{}\n:\"']{0,80}\}|<[A-Za-z][\w -]{0,80}>"
    r"|\[[A-Z][^\[\]\n]{0,80}\](?!\()|%[A-Z_]{2,40}%"
)
_FORM = regex(r"^[ \t]*(?:sections|fields|placeholders)[ \t]*:[ \t]*(?:\S.*)?$", re.MULTILINE)
_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


class Articles(NamedTuple):
    """The articles of a constitution."""

    present: int
    """Different ones that are there, of those expected."""
    expected: int
    missing: tuple[str, ...]
    """Roman numbers of those that are not."""


def articles_in(text: str) -> Articles:
    """Counts the articles that a constitution heads; missing are those below the highest, or below the fourteenth."""
    found = {_number(numeral) for numeral in _ARTICLE.findall(text)} - {0}
    expected = max(LEAST_ARTICLES, max(found, default=0))
    missing = [number for number in range(1, expected + 1) if number not in found]
    return Articles(expected - len(missing), expected, tuple(map(roman, missing)))


def missing_sections(text: str) -> list[str]:
    """Gives the sections that an agent's definition does not have; headings of examples do not count."""
    headings = [(one or two).strip().lower() for one, two in _HEADING.findall(_FENCED.sub("", text))]
    return [
        name
        for name, said in SECTIONS.items()
        if not any(re.search(rf"\b{re.escape(word)}\b", heading) for word in said for heading in headings)
    ]


def has_placeholder(text: str) -> bool:
    """Says whether a template has anything to fill in: `{{name}}`, `{name}`, `<name>`, `[Name]`, or a form's fields."""
    return _PLACEHOLDER.search(text) is not None or _FORM.search(text) is not None


def problem_with_json(text: str) -> str:
    """Says what is wrong with a schema's JSON; empty where it is an object."""
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        return f"It is not valid JSON in line {line}."
    except RecursionError:
        return "It is nested too deep to be a schema."
    return "" if isinstance(value, dict | bool) else "It is JSON, but no schema."


def roman(number: int) -> str:
    """Writes a number below 400 in Roman digits."""
    steps = (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")
    text = ""
    for value, digits in steps:
        text += digits * (number // value)
        number %= value
    return text


def _number(numeral: str) -> int:
    """Reads a number; 0 for what is no well-formed one."""
    if numeral.isdigit():
        return int(numeral)
    values = [_DIGITS[digit] for digit in numeral]
    total = sum(-one if one < next_ else one for one, next_ in zip(values, [*values[1:], 0], strict=True))
    return total if roman(total) == numeral else 0


CheckName = Literal["entities", "schemas", "constitution", "agents", "templates", "checksums", "dependencies"]

FIX = "`onecode-sidecar health --fix`"


class Content(NamedTuple):
    """An entity's file."""

    state: Literal["there", "missing", "outside", "large"]
    content: bytes = b""

    @property
    def text(self) -> str:
        """As text; what is not UTF-8 is replaced."""
        return self.content.decode("utf-8", "replace")


Files = Callable[[str], Content]
"""Gives a file by its path below the project."""


class Finding(NamedTuple):
    """Something that should be looked at."""

    check: CheckName
    severity: Literal["problem", "note"]
    """A note is worth knowing; the state is healthy with it."""
    id: str
    file: str
    message: str
    remedy: str
    fixable: bool = False
    """Whether `health --fix` mends it."""


class Check(NamedTuple):
    """How one check went."""

    name: CheckName
    passed: int
    total: int
    findings: tuple[Finding, ...]


def run_checks(registry: Registry, files: Files, registry_path: str, constitution: str | None) -> list[Check]:
    """Runs the seven checks on what is written in the registry's file, in the specification's order.

    `constitution` is the path of the framework's, where the registry names none; None where there is no framework.
    """
    written = [one for one in registry.entities if one.origin == "file"]
    there = {one.id: files(one.path) for one in written}
    present = [one for one in written if there[one.id].state in ("there", "large")]
    readable = [one for one in written if there[one.id].state == "there"]
    texts = {one.id: there[one.id].text for one in readable if one.type in _READ}
    named = next((one.path for one in written if one.key == "constitution"), constitution)
    return [
        _check("entities", present, written, [*_remarks(registry, registry_path), *_gone(written, there)]),
        _each("schemas", "schema", readable, written, texts, _schema),
        _constitution(named, files),
        _each("agents", "agent", readable, written, texts, _agent),
        _each("templates", "template", readable, written, texts, _template),
        _checksums(readable, there),
        _dependencies(registry, written, registry_path),
    ]


_READ = ("schema", "agent", "template")


def _check(name: CheckName, passed: Sequence[Entity], of: Sequence[Entity], findings: Sequence[Finding]) -> Check:
    return Check(name, len(passed), len(of), tuple(findings))


def _remarks(registry: Registry, path: str) -> Iterator[Finding]:
    for remark in registry.remarks:
        fixable = remark.about == "metadata" and "declares" in remark.message
        remedy = FIX if fixable else f"Change line {remark.line}." if remark.line else "Mend the file by hand."
        yield Finding("entities", "problem", remark.about, path, remark.message, remedy, fixable)


def _gone(entities: Sequence[Entity], there: dict[str, Content]) -> Iterator[Finding]:
    for one in entities:
        state = there[one.id].state
        if state == "missing":
            remedy = "Put the file back, or change the entry's path, or remove the entry."
            yield Finding("entities", "problem", one.id, one.path, "The file is not there.", remedy)
        elif state == "outside":
            remedy = "Name a path relative to the project."
            yield Finding("entities", "problem", one.id, one.path, "The path leads out of the project.", remedy)


def _each(
    name: CheckName,
    type_: str,
    readable: Sequence[Entity],
    written: Sequence[Entity],
    texts: dict[str, str],
    problem_with: Callable[[str], tuple[str, str]],
) -> Check:
    findings = []
    for one in readable:
        message, remedy = problem_with(texts[one.id]) if one.type == type_ else ("", "")
        if message:
            findings.append(Finding(name, "problem", one.id, one.path, message, remedy))
    total = sum(one.type == type_ for one in written)
    return Check(name, sum(one.type == type_ for one in readable) - len(findings), total, tuple(findings))


def _schema(text: str) -> tuple[str, str]:
    return problem_with_json(text), "Mend the JSON."


def _agent(text: str) -> tuple[str, str]:
    missing = missing_sections(text)
    return (f"It has no section for {', '.join(missing)}." if missing else ""), "Add a heading for each."


def _template(text: str) -> tuple[str, str]:
    return ("" if has_placeholder(text) else "It has no placeholder."), "Mark what is to be filled in, as `{{name}}`."


def _constitution(path: str | None, files: Files) -> Check:
    if path is None:
        return Check("constitution", 0, 0, ())
    found = files(path)
    if found.state != "there":
        message, remedy = "The constitution is not there.", "Put the file back."
        return Check(
            "constitution", 0, LEAST_ARTICLES, (Finding("constitution", "problem", "", path, message, remedy),)
        )
    articles = articles_in(found.text)
    findings: tuple[Finding, ...] = ()
    if articles.missing:
        message = f"Missing: Article {', '.join(articles.missing)}."
        findings = (Finding("constitution", "problem", "", path, message, "Put them back under their headings."),)
    return Check("constitution", articles.present, articles.expected, findings)


def _checksums(readable: Sequence[Entity], there: dict[str, Content]) -> Check:
    findings, matching, noted = [], 0, 0
    for one in readable:
        if not one.checksum:
            findings.append(_unverified(one))
            continue
        noted += 1
        if hashlib.sha256(there[one.id].content).hexdigest() == one.checksum:
            matching += 1
        else:
            message = "The file is not as it was when its checksum was noted."
            remedy = f"Look at what changed; if it is meant, {FIX} notes the new checksum."
            findings.append(Finding("checksums", "problem", one.id, one.path, message, remedy, fixable=True))
    return Check("checksums", matching, noted, tuple(findings))


def _unverified(one: Entity) -> Finding:
    message, remedy = "No checksum is noted: unverified.", f"{FIX} notes it."
    return Finding("checksums", "note", one.id, one.path, message, remedy, fixable=True)


def _dependencies(registry: Registry, written: Sequence[Entity], path: str) -> Check:
    total = sum(len(one.dependencies) for one in written)
    orphans = [(one, name) for one, name in registry.orphans() if one.origin == "file"]
    remedy = "Register it, or take it out of the dependencies."
    findings = tuple(
        Finding("dependencies", "problem", one.id, path, f"It depends on `{name}`, which nothing is called.", remedy)
        for one, name in orphans
    )
    return Check("dependencies", total - len(orphans), total, findings)
