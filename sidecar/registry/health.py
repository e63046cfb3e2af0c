"""The seven health checks of a registry and its files; advisory. Pure."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.registry.entities import Entity, Registry, checksum_of

MIN_ARTICLES = 14
"""Minimum number of consecutive articles in a constitution; fifteen are valid too."""

SECTIONS: dict[str, tuple[str, ...]] = {
    "mission": ("mission",),
    "inputs": ("input", "inputs", "on activation", "context requirements", "prerequisites"),
    "outputs": ("output", "outputs", "deliverable", "deliverables", "artifact", "artifacts"),
    "criteria": ("criteria", "self-validation", "validation", "success"),
}
"""The sections of an agent's definition, each with its accepted headings."""

_ARTICLE = lazy_regex(
    r"^[ \t]*(?:#{1,6}[ \t]*|\*\*[ \t]*)?Article[ \t]+([IVXLC]+|\d{1,3})\b[ \t]*(?:[:.—–-]|\*\*|$)", re.MULTILINE
)
_HEADING = lazy_regex(r"^[ \t]*+(?:#{1,6}[ \t]++(.+)|\*\*(.+?)\*\*.*)$", re.MULTILINE)
_FENCED = lazy_regex(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_PLACEHOLDER = lazy_regex(
    r"\{\{[^{}\n]{1,200}\}\}|\$\{[^{}\n]{1,200}\}|\{[A-Za-z][^{}\n:\"']{0,80}\}|<[A-Za-z][\w -]{0,80}>"
    r"|\[[A-Z][^\[\]\n]{0,80}\](?!\()|%[A-Z_]{2,40}%"
)
_FORM = lazy_regex(r"^[ \t]*(?:sections|fields|placeholders)[ \t]*:[ \t]*(?:\S.*)?$", re.MULTILINE)
_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


class Articles(NamedTuple):
    """The articles of a constitution."""

    present: int
    """Number of expected articles that exist."""
    expected: int
    missing: tuple[str, ...]
    """Roman numerals of the missing ones."""


def articles_in(text: str) -> Articles:
    """Count the article headings; missing are those below the highest, or below the fourteenth."""
    numbers = {_number(numeral) for numeral in _ARTICLE.findall(text)} - {0}
    expected = max(MIN_ARTICLES, max(numbers, default=0))
    missing = [number for number in range(1, expected + 1) if number not in numbers]
    return Articles(expected - len(missing), expected, tuple(map(roman, missing)))


def missing_sections(text: str) -> list[str]:
    """Return the sections an agent's definition lacks; headings in examples do not count."""
    headings = [
        (hashes_heading or bold_heading).strip().lower()
        for hashes_heading, bold_heading in _HEADING.findall(_FENCED.sub("", text))
    ]
    return [
        name
        for name, headings_of_section in SECTIONS.items()
        if not any(
            re.search(rf"\b{re.escape(word)}\b", heading) for word in headings_of_section for heading in headings
        )
    ]


def has_placeholder(text: str) -> bool:
    """Whether a template has a placeholder: `{{name}}`, `{name}`, `<name>`, `[Name]`, or the fields of a form."""
    return _PLACEHOLDER.search(text) is not None or _FORM.search(text) is not None


def problem_with_json(text: str) -> str:
    """Return what is wrong with a schema's JSON; empty if it is an object."""
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        return f"It is not valid JSON in line {line}."
    except RecursionError:
        return "It is nested too deeply for a schema."
    return "" if isinstance(value, (dict, bool)) else "It is JSON but not a schema."


def roman(number: int) -> str:
    """Return a number below 400 as a Roman numeral."""
    steps = (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")
    text = ""
    for value, digits in steps:
        text += digits * (number // value)
        number %= value
    return text


def _number(numeral: str) -> int:
    """Return the value of a numeral; 0 if malformed."""
    if numeral.isdigit():
        return int(numeral)
    values = [_DIGITS[digit] for digit in numeral]
    total = sum(-value if value < next_ else value for value, next_ in zip(values, [*values[1:], 0], strict=True))
    return total if roman(total) == numeral else 0


CheckName = Literal["entities", "schemas", "constitution", "agents", "templates", "checksums", "dependencies"]

FIX = "`onecode-sidecar health --fix`"


class EntityFile(NamedTuple):
    """An entity's file."""

    state: Literal["there", "missing", "irregular", "outside", "large"]
    content: bytes = b""

    @property
    def text(self) -> str:
        """The content as text; invalid UTF-8 is replaced."""
        return self.content.decode("utf-8", "replace")


ReadFile = Callable[[str], EntityFile]
"""Returns a file by its path relative to the project."""


class RegistryFinding(NamedTuple):
    """A problem or a note about an entity or a file."""

    check: CheckName
    severity: Literal["problem", "note"]
    """Notes do not affect whether the state is healthy."""
    id: str
    file: str
    message: str
    remedy: str
    fixable: bool = False
    """Whether `health --fix` repairs it."""


class CheckResult(NamedTuple):
    """The result of one check."""

    name: CheckName
    passed: int
    total: int
    findings: tuple[RegistryFinding, ...]


def run_checks(
    registry: Registry, read_file: ReadFile, registry_path: str, constitution: str | None, *, exists: bool = True
) -> list[CheckResult]:
    """Run the seven checks on the entities of the registry's file.

    `constitution` is the path of the framework's, used if the registry has none; None without a framework. `exists` is
    whether the registry has a file.
    """
    written = [entity for entity in registry.entities if entity.origin == "file"]
    contents = {entity.id: read_file(entity.path) for entity in written}
    existing = [entity for entity in written if contents[entity.id].state in ("there", "large")]
    readable = [entity for entity in written if contents[entity.id].state == "there"]
    texts = {entity.id: contents[entity.id].text for entity in readable if entity.type in _READ}
    named = next((entity.path for entity in written if entity.key == "constitution"), constitution)
    return [
        _check(
            "entities",
            existing,
            written,
            [
                *_remarks(registry, registry_path),
                *_missing_files(written, contents),
                *_emptiness(written, registry_path, exists=exists),
            ],
        ),
        _check_files("schemas", "schema", readable, written, texts, _schema),
        _constitution(named, read_file),
        _check_files("agents", "agent", readable, written, texts, _agent),
        _check_files("templates", "template", readable, written, texts, _template),
        _checksums(readable, contents),
        _dependencies(registry, written, registry_path),
    ]


_READ = ("schema", "agent", "template")


def _check(
    name: CheckName, passed: Sequence[Entity], of: Sequence[Entity], findings: Sequence[RegistryFinding]
) -> CheckResult:
    return CheckResult(name, len(passed), len(of), tuple(findings))


def _remarks(registry: Registry, path: str) -> Iterator[RegistryFinding]:
    for remark in registry.remarks:
        fixable = remark.about == "metadata" and "declares" in remark.message
        remedy = FIX if fixable else f"Change line {remark.line}." if remark.line else "Fix the file by hand."
        yield RegistryFinding("entities", "problem", remark.about, path, remark.message, remedy, fixable)


def _emptiness(written: Sequence[Entity], path: str, *, exists: bool) -> Iterator[RegistryFinding]:
    if not written:
        message = "The registry contains no entities." if exists else "The registry does not exist."
        yield RegistryFinding("entities", "problem", "", path, message, "Add entities with `registry/put`.")


class FileProblem(NamedTuple):
    """A reason why an entity has no file: a sentence, the end of one that begins with the path, and what to do."""

    message: str
    about_path: str
    remedy: str


FILE_PROBLEMS = {
    "missing": FileProblem(
        "The file is missing.", "does not exist", "Restore the file, change the entry's path, or remove the entry."
    ),
    "irregular": FileProblem(
        "It is not a regular file.", "is not a regular file", "Change the entry's path to a file, or remove the entry."
    ),
    "outside": FileProblem(
        "The path is outside the project.", "is outside the project", "Use a path relative to the project."
    ),
}
"""By the file's state; the other states are no problem."""


def _missing_files(entities: Sequence[Entity], contents: dict[str, EntityFile]) -> Iterator[RegistryFinding]:
    for entity in entities:
        problem = FILE_PROBLEMS.get(contents[entity.id].state)
        if problem is not None and entity.path:  # the file's remarks name an entry without a path
            yield RegistryFinding("entities", "problem", entity.id, entity.path, problem.message, problem.remedy)


def _check_files(
    name: CheckName,
    type_: str,
    readable: Sequence[Entity],
    written: Sequence[Entity],
    texts: dict[str, str],
    problem_with: Callable[[str], tuple[str, str]],
) -> CheckResult:
    findings = []
    for entity in readable:
        message, remedy = problem_with(texts[entity.id]) if entity.type == type_ else ("", "")
        if message:
            findings.append(RegistryFinding(name, "problem", entity.id, entity.path, message, remedy))
    total = sum(entity.type == type_ for entity in written)
    return CheckResult(name, sum(entity.type == type_ for entity in readable) - len(findings), total, tuple(findings))


def _schema(text: str) -> tuple[str, str]:
    return problem_with_json(text), "Fix the JSON."


def _agent(text: str) -> tuple[str, str]:
    missing = missing_sections(text)
    return (f"It has no section for {', '.join(missing)}." if missing else ""), "Add a heading for each."


def _template(text: str) -> tuple[str, str]:
    return (
        "" if has_placeholder(text) else "It has no placeholder."
    ), "Mark the parts to fill in, for example as `{{name}}`."


def _constitution(path: str | None, read_file: ReadFile) -> CheckResult:
    if path is None:
        return CheckResult("constitution", 0, 0, ())
    content = read_file(path)
    if content.state != "there":
        message, remedy = "The constitution is missing.", "Restore the file."
        return CheckResult(
            "constitution", 0, MIN_ARTICLES, (RegistryFinding("constitution", "problem", "", path, message, remedy),)
        )
    articles = articles_in(content.text)
    findings: tuple[RegistryFinding, ...] = ()
    if articles.missing:
        message = f"The constitution lacks Article {', '.join(articles.missing)}."
        findings = (
            RegistryFinding("constitution", "problem", "", path, message, "Restore them under their headings."),
        )
    return CheckResult("constitution", articles.present, articles.expected, findings)


def _checksums(readable: Sequence[Entity], contents: dict[str, EntityFile]) -> CheckResult:
    findings, matching, recorded = [], 0, 0
    for entity in readable:
        if not entity.checksum:
            findings.append(_without_checksum(entity))
            continue
        recorded += 1
        if checksum_of(contents[entity.id].content) == entity.checksum:
            matching += 1
        else:
            message = "The file changed after its checksum was recorded."
            remedy = f"Review the change; if it is intended, {FIX} records the new checksum."
            findings.append(
                RegistryFinding("checksums", "problem", entity.id, entity.path, message, remedy, fixable=True)
            )
    return CheckResult("checksums", matching, recorded, tuple(findings))


def _without_checksum(entity: Entity) -> RegistryFinding:
    message, remedy = "No checksum is recorded.", f"{FIX} records it."
    return RegistryFinding("checksums", "note", entity.id, entity.path, message, remedy, fixable=True)


def _dependencies(registry: Registry, written: Sequence[Entity], path: str) -> CheckResult:
    total = sum(len(entity.dependencies) for entity in written)
    orphans = [(entity, name) for entity, name in registry.orphans() if entity.origin == "file"]
    remedy = "Register it, or remove it from the dependencies."
    findings = tuple(
        RegistryFinding(
            "dependencies", "problem", entity.id, path, f"It depends on `{name}`, which is not in the registry.", remedy
        )
        for entity, name in orphans
    )
    return CheckResult("dependencies", total - len(orphans), total, findings)
