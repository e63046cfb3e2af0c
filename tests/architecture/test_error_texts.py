"""Errors, hints and remedies are sentences, and the commands, options, methods and settings that they name exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import SidecarError
from sidecar.settings import BY_NAME, GROUPS
from tests.architecture.test_pages import ANSWERED, COMMANDS, help_of
from tests.contract.catalog import ROWS
from tests.support.syntax_trees import nodes_of

SIDECAR = Path(__file__).parents[2] / "sidecar"
CALLS = frozenset(("CommandFailed", "Finding", "warn", *(error.__name__ for error in SidecarError.__subclasses__())))
KEYWORDS = frozenset(("hint", "hint_if_empty", "message", "remedy"))
NAMED = re.compile(rf"\b(?:{'|'.join(sorted(CALLS | KEYWORDS))})\b")
"""Names without which a module shows no text; half of the modules are parsed."""
VALUE = "…"
"""Stands for a value that a text inserts."""


class ShownText(NamedTuple):
    """A text that a user or a client sees, and its place."""

    place: str
    text: str


def texts_of(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression can have."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else VALUE for part in parts)
        case ast.IfExp(body=body, orelse=other):
            yield from texts_of(body)
            yield from texts_of(other)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield "".join((*texts_of(left), *texts_of(right)))
        case _:
            pass


def _values_of(call: ast.Call) -> Iterator[ast.expr]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in CALLS:
        yield from call.args
    yield from (keyword.value for keyword in call.keywords if keyword.arg in KEYWORDS)


@cache
def shown_texts() -> tuple[ShownText, ...]:
    found = []
    for path in sorted(SIDECAR.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in nodes_of(ast.parse(source)) if NAMED.search(source) else ():
            if isinstance(node, ast.Assign):
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
                values = [node.value] if not KEYWORDS.isdisjoint(names) else []
            elif isinstance(node, ast.Call):
                values = list(_values_of(node))
            else:
                continue
            place = f"{path.relative_to(SIDECAR).as_posix()}:{node.lineno}"
            for value in values:
                found += [ShownText(place, text) for text in texts_of(value) if " " in text]
    return tuple(found)


def test_texts_are_found() -> None:
    assert len(shown_texts()) > 300


def test_errors_hints_and_remedies_are_sentences() -> None:
    begins = re.compile(rf"[A-Z`“\"$\d{VALUE}]|--[a-z]|git |METHODS")
    ends = re.compile(rf"(?:[.?!]|{VALUE})\Z")
    wrong = [f"{place}: {text}" for place, text in shown_texts() if not begins.match(text) or not ends.search(text)]
    assert wrong == [], "\n".join(wrong)


def test_errors_hints_and_remedies_begin_with_a_sentence_and_not_with_a_label() -> None:
    wrong = [f"{place}: {text}" for place, text in shown_texts() if re.match(r"(?:`[^`]+`|[A-Z][a-z]+):", text)]
    assert wrong == [], "\n".join(wrong)


def named(pattern: str) -> set[str]:
    return {name for _, text in shown_texts() for name in re.findall(pattern, text)}


def test_every_option_that_they_name_exists() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (SIDECAR / "cli").glob("*.py"))
    assert named(r"(?<![\w-])--[a-z][a-z-]+") - set(re.findall(r'"(--[a-z][a-z-]+)"', code)) == set()


def test_options_are_named_to_users_only() -> None:
    """Texts of methods name params, which a command replaces by its options; a whole command line is the same for all.

    `--fix` is that of the doctor, whose remedies are read by users.
    """
    wrong = [
        f"{place}: {text}"
        for place, text in shown_texts()
        if not place.startswith("cli/")
        and set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", re.sub(r"`onecode-sidecar [^`]+`", "", text))) - {"--fix"}
    ]
    assert wrong == [], "\n".join(wrong)


def test_every_kind_of_data_that_they_remove_exists() -> None:
    kinds = named(r"--kind (\w+)")
    assert kinds
    choices = re.search(r"--kind {([\w,]+)}", help_of("purge"))
    assert choices is not None
    assert kinds - set(choices[1].split(",")) == set()


def test_every_command_that_they_name_exists() -> None:
    commands = named(r"(?:onecode-sidecar|spool) ([a-z]+(?: [a-z]+)?)")
    assert commands
    for words in map(str.split, commands):
        assert words[0] in COMMANDS - {"serve", "selfcheck"}
        assert len(words) == 1 or "usage:" in help_of(*words), words


def test_every_method_and_setting_that_they_name_exists() -> None:
    nouns = {name.split("/")[0] for name in ROWS if "/" in name}
    methods = {name for name in named(r"`([a-z]+/[a-z][A-Za-z]+)`") if name.split("/")[0] in nouns}
    assert methods
    assert methods - set(ROWS) == set()
    settings = named(rf"`((?:{'|'.join(GROUPS)})\.[a-z]\w+)`")
    assert settings
    assert settings - ANSWERED - set(BY_NAME) == set()
