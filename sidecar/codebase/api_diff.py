"""Changes of a file's public API: public definitions and their signatures, before and after. Pure.

A changed body, comment or value, and an annotation where there was none, do not change the API. Additions do not
count either, because they break no caller.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.summary.languages import MAX_DEFINITIONS, MAX_SIGNATURE, code_on_one_line, strip_comment
from sidecar.codebase.summary.model import Definition, Summary
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import terms_of

HEAD_LINES = 60
"""Maximum number of lines in which the head of a definition is searched."""

_VALUE_KINDS = frozenset(("variable", "constant", "field", "property"))
_BODY_KINDS = frozenset(("type", "interface", "struct", "enum", "union", "record"))
"""Kinds whose body is part of the API."""
_NON_API_KINDS = frozenset(("impl", "test", "module", "namespace", "package"))
_FUNCTION_VALUE = lazy_regex(r"\s*=\s*(?:async\b|function\b|\(|<|\w+\s*=>)")
_VALUE = lazy_regex(r"(?<!\s)\s*+(?<![=!<>])=(?![=>]).*$", re.DOTALL)
_COMMENT_LINE = lazy_regex(r"(?://|/?\*|#)")
_IS_PYTHON = lazy_regex(r"(?:async )?(?:def|class) ")
_BODY_OF_PYTHON = lazy_regex(r":(?: .*)?$")
_TYPED_SCRIPTS = frozenset(("TypeScript", "TSX", "Vue"))
_OPENING, _CLOSING = "([{<", ")]}>"


class ApiChange(NamedTuple):
    """A public definition, or a whole file, that was changed or removed."""

    path: str
    name: str
    """Qualified name; empty for the file as a whole."""
    before: str
    after: str
    """Empty if it was removed."""
    moved_to: str = ""
    """The file it was moved to unchanged."""

    @property
    def identity(self) -> str:
        """The definition's id, independent of what happened to it."""
        return f"{self.path}#{self.name}"


class FileVersions(NamedTuple):
    """A file's summary before and after, if it existed; the texts complete signatures that were truncated."""

    before: Summary | None
    after: Summary | None
    old_text: str = ""
    new_text: str = ""


def api_changes(files: Mapping[str, FileVersions], moved: Mapping[str, str]) -> list[ApiChange]:
    """Compare files that changed together, by path; `moved` maps removed files to their new paths.

    A definition that moved between the files is reported as moved. A name that the file still re-exports is not
    removed.
    """
    changes: list[ApiChange] = []
    for path, versions in sorted(files.items()):
        if versions.before is None or not has_public_api(versions.before):
            continue
        if versions.after is None:
            changes.append(ApiChange(path, "", "module", "", moved.get(path, "")))
        elif _is_comparable(versions.before, versions.after):
            changes += _changes_in_file(path, versions)
    added = _new_definitions(files)
    remaining = [change for change in changes if change.after or not _is_inherited(change, added, files)]
    return [change if change.after or change.moved_to else _with_new_path(change, added, files) for change in remaining]


def has_public_api(summary: Summary) -> bool:
    """Whether a file has public definitions."""
    return any(definition.public and definition.kind not in _NON_API_KINDS for definition in summary.definitions)


def needs_texts(versions: FileVersions) -> bool:
    """Whether a signature of the same name is truncated on both sides, so that the texts are needed."""
    if versions.before is None or versions.after is None:
        return False
    truncated = {
        _qualified(definition)
        for definition in versions.before.definitions
        if definition.public and _is_truncated(definition)
    }
    return any(
        _is_truncated(definition) and _qualified(definition) in truncated for definition in versions.after.definitions
    )


def split_signature(signature: str) -> tuple[str, list[str], str]:
    """Split a signature into the part before its parameters, the parameters, and the part after them.

    Members in braces, as an enum has them, count as parameters.
    """
    start, brace = signature.find("("), signature.find("{")
    if 0 <= brace < start and signature.count("<", 0, brace) == signature.count(">", 0, brace):
        start = brace
    if signature.startswith("func (") and start == 5:  # Go's receiver
        start = signature.find("(", _end_of(signature, start))
    if start < 0:
        return signature, [], ""
    end = _end_of(signature, start)
    return signature[:start], _split(signature[start + 1 : end]), signature[end + 1 :].strip()


def _changes_in_file(path: str, versions: FileVersions) -> list[ApiChange]:
    assert versions.before is not None
    assert versions.after is not None
    before, after = (
        _signatures_by_name(versions.before, versions.old_text),
        _signatures_by_name(versions.after, versions.new_text),
    )
    reexported = {re.split(r"[.:/]+", specifier)[-1] for specifier in versions.after.imports}
    renamed = _renamed(before, after)
    language = versions.after.language
    changes = []
    for name, signatures in before.items():
        now = after.get(name)
        if now is None:
            if name not in reexported and not _container_was_removed(name, before, after):
                changes.append(ApiChange(path, name, "; ".join(signatures), renamed.get(name, "")))
            continue
        removed = [each for each in signatures if not any(_is_same(each, other, language) for other in now)]
        added = [each for each in now if not any(_is_same(other, each, language) for other in signatures)]
        if removed:
            changes.append(ApiChange(path, name, "; ".join(removed), "; ".join(added) or "; ".join(now)))
    return changes


def _signatures_by_name(summary: Summary, text: str) -> dict[str, list[str]]:
    """Return the signatures of public definitions, without values, by qualified name; overloads have several."""
    signatures: defaultdict[str, list[str]] = defaultdict(list)
    lines = text.split("\n")
    for definition in summary.definitions:
        if definition.public and definition.kind not in _NON_API_KINDS:
            signature = _api_signature(definition, summary, lines)
            if signature not in signatures[_qualified(definition)]:
                signatures[_qualified(definition)].append(signature)
    return signatures


def _api_signature(definition: Definition, summary: Summary, lines: Sequence[str]) -> str:
    """Return a definition's part of the API; a truncated signature is read from the text."""
    value = _VALUE.search(definition.signature) if definition.kind in _VALUE_KINDS else None
    if value is not None and not _FUNCTION_VALUE.match(value[0]):
        return definition.signature[: value.start()]
    if not _is_truncated(definition) or len(lines) < definition.line:
        return definition.signature
    if definition.kind in _BODY_KINDS:
        return _own_lines(definition, summary, lines) or definition.signature
    if definition.kind == "class" and not _IS_PYTHON.match(definition.signature):
        return definition.signature
    last = min(definition.end_line or len(lines), definition.line + HEAD_LINES - 1)
    return _head(lines[definition.line - 1 : last]) or definition.signature


def _own_lines(definition: Definition, summary: Summary, lines: Sequence[str]) -> str:
    """Return a type's own lines without those of its members."""
    members = [
        each for each in summary.definitions if each.container == _qualified(definition) and each.line > definition.line
    ]
    member_lines = {number for each in members for number in range(each.line, each.end_line + 1)}
    own = (
        lines[number - 1].strip()
        for number in range(definition.line, min(definition.end_line, len(lines)) + 1)
        if number not in member_lines
    )
    plain = (strip_comment(line).rstrip(" ,;") for line in own if line and not _COMMENT_LINE.match(line))
    return "\n".join(line for line in plain if line)


def _head(lines: Sequence[str]) -> str:
    """Return a definition's lines up to the closing parenthesis, and its return type."""
    text, depth, flat = "", 0, ""
    for line in lines:
        plain = strip_comment(line)
        text = f"{text} {plain}"
        depth += plain.count("(") - plain.count(")")
        if depth <= 0 and "(" in text:
            flat = code_on_one_line(text)
            end = _end_of(flat, flat.find("("))
            rest = _BODY_OF_PYTHON.sub("", flat[end:]) if _IS_PYTHON.match(flat) else flat[end:].partition("{")[0]
            flat = (flat[:end] + rest).rstrip("{:=; ")
            if not _is_open(rest):
                break
    return flat


def _is_open(rest: str) -> bool:
    """Whether a type's angle brackets continue on the next line."""
    plain = re.sub(r"[=-]>", "", rest)
    return plain.count("<") > plain.count(">")


def _renamed(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the new signatures of removed definitions, by name, where a new one differs only in its name.

    Of several that do, the one that shares most words of its name counts. One that suits several alike counts for none.
    """
    shared = {
        (name, other): len(set(terms_of(_own_name(name))) & set(terms_of(_own_name(other))))
        for name in before
        for other in after
        if name not in after and other not in before and _differs_in_name(name, before[name], other, after[other])
    }
    renamed = {}
    for (name, other), count in shared.items():
        rivals = [number for pair, number in shared.items() if (pair[0] == name) != (pair[1] == other)]
        if count > max(rivals, default=-1):
            renamed[name] = after[other][0]
    return renamed


def _differs_in_name(name: str, signatures: Sequence[str], other: str, others: Sequence[str]) -> bool:
    """Whether two functions of one container have the same signatures but for their names."""
    if name.rpartition(".")[0] != other.rpartition(".")[0] or "(" not in others[0]:
        return False
    own, new_name = rf"\b{re.escape(_own_name(name))}\b", _own_name(other)
    return [re.sub(own, new_name, signature) for signature in signatures] == others


def _own_name(name: str) -> str:
    return name.rpartition(".")[2]


def _container_was_removed(name: str, before: Mapping[str, object], after: Mapping[str, object]) -> bool:
    """Whether a member disappeared together with its container."""
    outer = name.rpartition(".")[0]
    return bool(outer) and outer in before and outer not in after


def _is_same(before: str, after: str, language: str | None) -> bool:
    if before == after or _normalized(before) == _normalized(after):
        return True
    if language in _TYPED_SCRIPTS:
        head, arguments, rest = split_signature(after)
        plain = f"{head}({', '.join(arguments)})"
        return rest.startswith(":") and not split_signature(before)[2] and _normalized(plain) == _normalized(before)
    return (
        not _is_annotated(before) and _is_annotated(after) and _normalized(_unannotated(after)) == _normalized(before)
    )


def _normalized(signature: str) -> str:
    return re.sub(r"[\s;]+|,(?=\s*[)\]}])", "", signature).replace("'", '"')


def _is_annotated(signature: str) -> bool:
    """Whether a Python signature has any type annotation."""
    if not _IS_PYTHON.match(signature):
        return True
    _, arguments, rest = split_signature(signature)
    return rest.startswith("->") or any(_annotation_at(parameter) >= 0 for parameter in arguments)


def _unannotated(signature: str) -> str:
    head, arguments, _ = split_signature(signature)
    return f"{head}({', '.join(_plain_parameter(parameter) for parameter in arguments)})"


def _plain_parameter(parameter: str) -> str:
    at = _annotation_at(parameter)
    if at < 0:
        return parameter
    _, separator, default = parameter[at:].rpartition("=")
    return parameter[:at] + (f"={default}" if separator else "")


def _annotation_at(parameter: str) -> int:
    match = re.match(r"\*{0,2}\w+\s*(?=:)", parameter)
    return match.end() if match else -1


def _qualified(definition: Definition) -> str:
    return f"{definition.container}.{definition.name}" if definition.container else definition.name


def _is_truncated(definition: Definition) -> bool:
    return len(definition.signature) >= MAX_SIGNATURE - 1


def _is_comparable(before: Summary, after: Summary) -> bool:
    """Whether both summaries are of the same kind and complete."""
    whole = len(before.definitions) < MAX_DEFINITIONS and len(after.definitions) < MAX_DEFINITIONS
    return whole and before.analysis == after.analysis and before.language == after.language


def _new_definitions(files: Mapping[str, FileVersions]) -> dict[tuple[str, str], str]:
    """Return the new definitions: (name, signature) → path."""
    definitions = {}
    for path, versions in files.items():
        if versions.after is not None:
            known = (
                {_qualified(definition) for definition in versions.before.definitions}
                if versions.before is not None
                else set()
            )
            lines = versions.new_text.split("\n")
            for definition in versions.after.definitions:
                if _qualified(definition) not in known:
                    definitions[
                        _qualified(definition), _normalized(_api_signature(definition, versions.after, lines))
                    ] = path
    return definitions


def _is_inherited(
    change: ApiChange, new_definitions: Iterable[tuple[str, str]], files: Mapping[str, FileVersions]
) -> bool:
    """Whether a member moved to a base class of its class, so that it is still there."""
    outer, _, name = change.name.rpartition(".")
    after = files[change.path].after
    if not outer or after is None:
        return False
    heads = [each.signature for each in after.definitions if _qualified(each) == outer]
    bases = {word for head in heads for word in re.findall(r"\w+", head)} - {outer.rpartition(".")[2]}
    new_containers = {
        place.rpartition(".")[0].rpartition(".")[2]
        for place, signature in new_definitions
        if place.rpartition(".")[2] == name and signature == _normalized(change.before)
    }
    return not bases.isdisjoint(new_containers)


def _with_new_path(
    change: ApiChange, new_definitions: Mapping[tuple[str, str], str], files: Mapping[str, FileVersions]
) -> ApiChange:
    if change.name:
        path = new_definitions.get((change.name, _normalized(change.before)), "")
        return change._replace(moved_to=path) if path != change.path else change
    before = files[change.path].before
    assert before is not None
    old, public = files[change.path].old_text.split("\n"), [each for each in before.definitions if each.public]
    places = Counter(
        new_definitions.get((_qualified(each), _normalized(_api_signature(each, before, old))), "") for each in public
    )
    place, count = places.most_common(1)[0]
    return change._replace(moved_to=place) if 2 * count > len(public) else change


def _end_of(text: str, start: int) -> int:
    """Return the position of the closing parenthesis or brace for the one at `start`; the text's end if none closes."""
    opening, closing = ("{", "}") if text[start : start + 1] == "{" else ("(", ")")
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == opening) - (text[at] == closing)
        if depth == 0:
            return at
    return len(text)


def _split(inside: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(inside):
        is_arrow = char == ">" and inside[at - 1 : at] in ("=", "-")
        depth += (char in _OPENING) - (char in _CLOSING and not is_arrow)
        if char == "," and depth <= 0:
            parts.append(inside[start:at].strip())
            start = at + 1
    return [part for part in (*parts, inside[start:].strip()) if part]


def removed_exports(before: Summary, after: Summary) -> list[str]:
    """Return the names that a package file re-exported from its own modules and no longer does."""
    own = {definition.name for definition in after.definitions}
    return [
        name
        for name in _reexported_names(before.imports)
        if name not in own and name not in _reexported_names(after.imports)
    ]


def _reexported_names(imports: Iterable[str]) -> list[str]:
    names = (
        re.split(r"[.:]+", specifier)[-1]
        for specifier in imports
        if specifier.startswith((".", "crate::", "self::", "super::")) and "/" not in specifier
    )
    return [name for name in dict.fromkeys(names) if name and not name.startswith("_")]
