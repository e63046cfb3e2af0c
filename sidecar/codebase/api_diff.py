"""What a file promises others, before and after a change: public definitions and their signatures. Pure.

A changed body is no change of a contract, nor is a comment, a value, or an annotation where there was none. Something
new breaks nobody, and is none either.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.summary.line_patterns import MAX_DEFINITIONS, MAX_SIGNATURE, without_comment
from sidecar.codebase.summary.model import Definition, Summary
from sidecar.core.lazy_regex import regex

HEAD_LINES = 60
"""A definition's head is looked for in so many lines."""

_VALUES = frozenset(("variable", "constant", "field", "property"))
_SHAPES = frozenset(("type", "interface", "struct", "enum", "union", "record"))
"""What they promise is their body."""
_NO_CONTRACT = frozenset(("impl", "test", "module", "namespace", "package"))
_FUNCTION_VALUE = regex(r"\s*=\s*(?:async\b|function\b|\(|<|\w+\s*=>)")
_VALUE = regex(r"(?<!\s)\s*+(?<![=!<>])=(?![=>]).*$", re.DOTALL)
_COMMENT_LINE = regex(r"(?://|/?\*|#)")
_IS_PYTHON = regex(r"(?:async )?(?:def|class) ")
_BODY_OF_PYTHON = regex(r":(?: .*)?$")
_OPENING, _CLOSING = "([{<", ")]}>"


class Contract(NamedTuple):
    """A promise of a file that was changed or taken back."""

    path: str
    name: str
    """What it is called, with what it is a member of; empty for the file as a whole."""
    before: str
    after: str
    """Empty where it is gone."""
    moved_to: str = ""
    """The file it is in now, where it was moved as it is."""

    @property
    def identity(self) -> str:
        """Names the promise, whatever became of it."""
        return f"{self.path}#{self.name}"


class Sides(NamedTuple):
    """A file before and after, as far as there was one; the texts help where a signature was cut."""

    before: Summary | None
    after: Summary | None
    old_text: str = ""
    new_text: str = ""


def changed_contracts(files: Mapping[str, Sides], moved: Mapping[str, str]) -> list[Contract]:
    """Compares files that changed together, by path; `moved` gives where a file that is gone has gone to.

    What moved from one of the files to another is told as moved; what a file still passes on to others is not gone.
    """
    found: list[Contract] = []
    for path, sides in sorted(files.items()):
        if sides.before is None or not offers(sides.before):
            continue
        if sides.after is None:
            found.append(Contract(path, "", "module", "", moved.get(path, "")))
        elif _is_comparable(sides.before, sides.after):
            found += _within(path, sides)
    gained = _gained(files)
    kept = [one for one in found if one.after or not _is_inherited(one, gained, files)]
    return [one if one.after or one.moved_to else _with_new_place(one, gained, files) for one in kept]


def offers(summary: Summary) -> bool:
    """Says whether a file defines anything that is meant for others."""
    return any(one.public and one.kind not in _NO_CONTRACT for one in summary.definitions)


def needs_texts(sides: Sides) -> bool:
    """Says whether a signature of the same name was cut on both sides, so that the texts must tell."""
    if sides.before is None or sides.after is None:
        return False
    cut = {_qualified(one) for one in sides.before.definitions if one.public and _is_cut(one)}
    return any(_is_cut(one) and _qualified(one) in cut for one in sides.after.definitions)


def parameters(signature: str) -> tuple[str, list[str], str]:
    """Cuts a signature at its parameters: what stands before, each of them, what stands after them."""
    start = signature.find("(")
    if signature.startswith("func (") and start == 5:  # Go's receiver
        start = signature.find("(", _end_of(signature, start))
    if start < 0:
        return signature, [], ""
    end = _end_of(signature, start)
    return signature[:start], _split(signature[start + 1 : end]), signature[end + 1 :].strip()


def _within(path: str, sides: Sides) -> list[Contract]:
    assert sides.before is not None
    assert sides.after is not None
    before, after = _by_name(sides.before, sides.old_text), _by_name(sides.after, sides.new_text)
    passed_on = {re.split(r"[.:/]+", specifier)[-1] for specifier in sides.after.imports}
    found = []
    for name, signatures in before.items():
        now = after.get(name)
        if now is None:
            if name not in passed_on and not _is_inside_of_gone(name, before, after):
                found.append(Contract(path, name, "; ".join(signatures), _renamed(name, signatures, before, after)))
            continue
        gone = [one for one in signatures if not any(_is_same(one, other) for other in now)]
        come = [one for one in now if not any(_is_same(other, one) for other in signatures)]
        if gone:
            found.append(Contract(path, name, "; ".join(gone), "; ".join(come) or "; ".join(now)))
    return found


def _by_name(summary: Summary, text: str) -> dict[str, list[str]]:
    """The public definitions' signatures, without values, by name; an overloaded one has several."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    lines = text.split("\n")
    for one in summary.definitions:
        if one.public and one.kind not in _NO_CONTRACT:
            signature = _promise(one, summary, lines)
            if signature not in found[_qualified(one)]:
                found[_qualified(one)].append(signature)
    return found


def _promise(one: Definition, summary: Summary, lines: Sequence[str]) -> str:
    """What a definition says to others; where its signature was cut, as the text has it."""
    value = _VALUE.search(one.signature) if one.kind in _VALUES else None
    if value is not None and not _FUNCTION_VALUE.match(value[0]):
        return one.signature[: value.start()]
    if not _is_cut(one) or len(lines) < one.line:
        return one.signature
    if one.kind in _SHAPES:
        return _shape(one, summary, lines) or one.signature
    if one.kind == "class" and not _IS_PYTHON.match(one.signature):
        return one.signature
    last = min(one.end_line or len(lines), one.line + HEAD_LINES - 1)
    return _head(lines[one.line - 1 : last]) or one.signature


def _shape(one: Definition, summary: Summary, lines: Sequence[str]) -> str:
    """A type's own lines; those of its members are theirs."""
    inside = [each for each in summary.definitions if each.container == _qualified(one) and each.line > one.line]
    theirs = {number for each in inside for number in range(each.line, each.end_line + 1)}
    own = (lines[number - 1].strip() for number in range(one.line, one.end_line + 1) if number not in theirs)
    told = (without_comment(line).rstrip(" ,;") for line in own if line and not _COMMENT_LINE.match(line))
    return "\n".join(line for line in told if line)


def _head(lines: Sequence[str]) -> str:
    """A definition's lines up to where its parentheses close, and the rest of what it gives back."""
    text, depth, flat = "", 0, ""
    for line in lines:
        plain = without_comment(line)
        text = f"{text} {plain}"
        depth += plain.count("(") - plain.count(")")
        if depth <= 0 and "(" in text:
            flat = " ".join(text.split()).replace("( ", "(").replace(", )", ")").replace(" )", ")")
            end = _end_of(flat, flat.find("("))
            rest = _BODY_OF_PYTHON.sub("", flat[end:]) if _IS_PYTHON.match(flat) else flat[end:].partition("{")[0]
            flat = (flat[:end] + rest).rstrip("{:=; ")
            if not _is_open(rest):
                break
    return flat


def _is_open(rest: str) -> bool:
    """Whether a type's angle brackets go on in the next line."""
    plain = re.sub(r"[=-]>", "", rest)
    return plain.count("<") > plain.count(">")


def _renamed(name: str, signatures: Sequence[str], before: Mapping[str, object], after: Mapping[str, list[str]]) -> str:
    """The one new definition that is the same but for its name; empty where there is none."""
    own = name.rpartition(".")[2]
    for other, now in after.items():
        if other not in before and other.rpartition(".")[0] == name.rpartition(".")[0]:
            called = other.rpartition(".")[2]
            if [re.sub(rf"\b{re.escape(own)}\b", called, one) for one in signatures] == now and "(" in now[0]:
                return now[0]
    return ""


def _is_inside_of_gone(name: str, before: Mapping[str, object], after: Mapping[str, object]) -> bool:
    """A member goes with what it is a member of."""
    outer = name.rpartition(".")[0]
    return bool(outer) and outer in before and outer not in after


def _is_same(before: str, after: str) -> bool:
    if before == after or _bare(before) == _bare(after):
        return True
    return not _is_annotated(before) and _is_annotated(after) and _bare(_unannotated(after)) == _bare(before)


def _bare(signature: str) -> str:
    return re.sub(r"[\s;]+|,(?=\s*[)\]}])", "", signature).replace("'", '"')


def _is_annotated(signature: str) -> bool:
    """Whether a Python signature says of any type what it is."""
    if not _IS_PYTHON.match(signature):
        return True
    _, given, rest = parameters(signature)
    return rest.startswith("->") or any(_annotation_at(one) >= 0 for one in given)


def _unannotated(signature: str) -> str:
    head, given, _ = parameters(signature)
    return f"{head}({', '.join(_plain_parameter(one) for one in given)})"


def _plain_parameter(one: str) -> str:
    at = _annotation_at(one)
    if at < 0:
        return one
    _, separator, default = one[at:].rpartition("=")
    return one[:at] + (f"={default}" if separator else "")


def _annotation_at(one: str) -> int:
    found = re.match(r"\*{0,2}\w+\s*(?=:)", one)
    return found.end() if found else -1


def _qualified(one: Definition) -> str:
    return f"{one.container}.{one.name}" if one.container else one.name


def _is_cut(one: Definition) -> bool:
    return len(one.signature) >= MAX_SIGNATURE - 1


def _is_comparable(before: Summary, after: Summary) -> bool:
    """Two readings of the same kind, neither of them cut off."""
    whole = len(before.definitions) < MAX_DEFINITIONS and len(after.definitions) < MAX_DEFINITIONS
    return whole and before.analysis == after.analysis and before.language == after.language


def _gained(files: Mapping[str, Sides]) -> dict[tuple[str, str], str]:
    """Where definitions are new: name and signature → path."""
    found = {}
    for path, sides in files.items():
        if sides.after is not None:
            known = {_qualified(one) for one in sides.before.definitions} if sides.before is not None else set()
            lines = sides.new_text.split("\n")
            for one in sides.after.definitions:
                if _qualified(one) not in known:
                    found[_qualified(one), _bare(_promise(one, sides.after, lines))] = path
    return found


def _is_inherited(one: Contract, gained: Iterable[tuple[str, str]], files: Mapping[str, Sides]) -> bool:
    """Whether a member went to a class that its own one is made from: it is there as before."""
    outer, _, name = one.name.rpartition(".")
    after = files[one.path].after
    if not outer or after is None:
        return False
    heads = [each.signature for each in after.definitions if _qualified(each) == outer]
    bases = {word for head in heads for word in re.findall(r"\w+", head)} - {outer.rpartition(".")[2]}
    homes = {
        place.rpartition(".")[0].rpartition(".")[2]
        for place, signature in gained
        if place.rpartition(".")[2] == name and signature == _bare(one.before)
    }
    return not bases.isdisjoint(homes)


def _with_new_place(one: Contract, gained: Mapping[tuple[str, str], str], files: Mapping[str, Sides]) -> Contract:
    if one.name:
        path = gained.get((one.name, _bare(one.before)), "")
        return one._replace(moved_to=path) if path != one.path else one
    before = files[one.path].before
    assert before is not None
    old, public = files[one.path].old_text.split("\n"), [each for each in before.definitions if each.public]
    places = Counter(gained.get((_qualified(each), _bare(_promise(each, before, old))), "") for each in public)
    place, count = places.most_common(1)[0]
    return one._replace(moved_to=place) if 2 * count > len(public) else one


def _end_of(text: str, start: int) -> int:
    """Where the parenthesis at `start` closes; the end of the text where it does not."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
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


def gone_exports(before: Summary, after: Summary) -> list[str]:
    """Gives the names that a package's own file took from its modules for others, and takes no more."""
    own = {one.name for one in after.definitions}
    return [name for name in _taken(before.imports) if name not in own and name not in _taken(after.imports)]


def _taken(imports: Iterable[str]) -> list[str]:
    names = (re.split(r"[.:]+", one)[-1] for one in imports if one.startswith((".", "crate::", "self::", "super::")))
    return [name for name in dict.fromkeys(names) if name and not name.startswith("_")]
