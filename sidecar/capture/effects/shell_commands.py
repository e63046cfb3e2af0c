"""What a shell command line runs: its simple commands, whether they may write files, what they read. Pure.

No shell is imitated: where a line cannot be read for certain, it is a line that may write and reads nothing.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import regex

_OPERATORS = "();<>|&\n"
_MAX_CHARACTERS = 20_000
_SHELLS = frozenset("sh bash zsh dash ksh fish".split())
_ASSIGNMENT = regex(r"[A-Za-z_]\w*=")
_NOWHERE = frozenset(("/dev/null", "/dev/stderr", "/dev/stdout", "NUL", "$null"))

_WRAPPERS = frozenset("sudo env time nice nohup command exec builtin timeout xargs stdbuf caffeinate".split())
"""Programs that run the rest of their line."""

_SHOWING = frozenset(
    "cat bat nl less more head tail grep egrep fgrep rg ag ack sed awk echo printf ls tree find fd stat file git gh"
    " glab diff cmp wc sort uniq cut tr column jq curl cd pushd popd pwd which type whoami date test [ true false sleep"
    " yq ps du df env export set uname id basename dirname realpath readlink md5sum sha1sum sha256sum xxd hexdump"
    " strings exit wait read : seq tac rev od".split()
)
"""Programs that only show what stands somewhere, unless an option says otherwise."""

_CHECKING = frozenset(
    "pytest py.test unittest jest vitest mocha rspec phpunit tox nox mypy pyright tsc eslint flake8 pylint ruff"
    " shellcheck yamllint golangci-lint staticcheck ctest".split()
)
"""Programs that look at code and leave it as it is, unless an option says otherwise."""

_GIT_SHOWING = frozenset(
    "log status diff show blame rev-parse ls-files ls-tree grep describe remote cat-file shortlog reflog rev-list"
    " merge-base name-rev for-each-ref show-ref config version help whatchanged diff-tree diff-index fetch".split()
)
_SECOND_WORDS = {
    "gh": frozenset("view list status diff checks".split()),
    "glab": frozenset("view list status diff".split()),
    "cargo": frozenset("test check clippy tree metadata nextest bench".split()),
    "go": frozenset("test vet list version env doc".split()),
    "dotnet": frozenset(("test", "--version")),
    "node": frozenset(("--test", "--version")),
    "npm": frozenset("test t ls view outdated".split()),
    "yarn": frozenset(("test",)),
    "pnpm": frozenset(("test",)),
    "make": frozenset("test tests check lint".split()),
    "mvn": frozenset("test verify".split()),
    "gradle": frozenset("test check".split()),
    "gradlew": frozenset("test check".split()),
}
"""What of a larger program only shows or checks, by a word of its command line."""

_WRITING_OPTION = regex(
    r"(?:-i\S*|--in-place\S*|-o|-O|--output\S*|--fix\S*|-w|--write|-delete|-exec\S*|-ok\S*|-u|--update\S*|--snapshot-update"
    r"|--updateSnapshot|--inline-snapshot\S*|--allow-dirty|--emit\S*|--outDir\S*|--add|--unset|--replace-all)"
)
_HARMLESS = {
    **dict.fromkeys("cat bat nl less head tail grep egrep fgrep rg ag ack ls tree diff".split()),
    **dict.fromkeys("stat file echo wc jq du df test [ mocha ps date unittest".split()),
}  # fmt: skip
"""Programs of which those letters mean something else, or nothing."""

_READERS = frozenset("cat bat nl less more head tail sed awk tac".split())
_SCRIPTED = frozenset(("sed", "awk"))
_NUMBER = regex(r"[+-]?\d+[a-zA-Z]*")


class Simple(NamedTuple):
    """One program with its words, without wrappers and assignments; `redirected` says its output goes to a file."""

    words: tuple[str, ...]
    redirected: bool = False

    @property
    def program(self) -> str:
        """Its name without folder and ending."""
        name = re.split(r"[/\\]", self.words[0])[-1].casefold()
        return name.removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")


def simple_commands(line: str) -> tuple[Simple, ...] | None:
    """Splits a command line into its programs; None where that cannot be told (open quotes, here-documents)."""
    if len(line) > _MAX_CHARACTERS or "<<" in line or "$(" in line or "`" in line:
        return None
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    try:
        tokens = list(lexer)
    except ValueError:
        return None
    found: list[Simple] = []
    for words, redirected in _split(tokens):
        inner = _unwrapped(words)
        script = _script(inner)
        nested = simple_commands(script) if script is not None else (Simple(inner, redirected),)
        if nested is None:
            return None
        found.extend(simple for simple in nested if simple.words)
    return tuple(found)


def may_write(line: str) -> bool:
    """Whether a command line may change files: anything but programs known to show or check only."""
    commands = simple_commands(line)
    return commands is None or any(_may_write(command) for command in commands)


def only_shows(line: str) -> bool:
    """Whether every program of a command line only shows what stands somewhere: its output is another time's."""
    commands = simple_commands(re.sub(r"\$\(|`", ";", line))
    return bool(commands) and all(command.program in _SHOWING for command in commands or ())


def reads(line: str) -> tuple[str, ...]:
    """Gives the words of a command line that may be files it shows: `cat`, `sed -n`, `head` and their like."""
    found: list[str] = []
    folder = ""
    for command in simple_commands(line) or ():
        if command.program in ("cd", "pushd") and len(command.words) > 1:
            folder = posixpath.join(folder, command.words[1])
        elif command.program in _READERS and not _may_write(command):
            words = [word for word in command.words[1:] if not word.startswith("-") and not _NUMBER.fullmatch(word)]
            files = words[1:] if command.program in _SCRIPTED else words
            found.extend(posixpath.join(folder, file) for file in files)
    return tuple(dict.fromkeys(found))


def _split(tokens: list[str]) -> Iterator[tuple[list[str], bool]]:
    words: list[str] = []
    redirected, target_follows = False, False
    for token in [*tokens, ";"]:
        if set(token) <= set(_OPERATORS) and token:
            if token.startswith((">", "&>")):
                target_follows = True
                if words and words[-1].isdigit():
                    words.pop()
            elif token.startswith("<"):
                pass
            else:
                yield words, redirected
                words, redirected = [], False
        elif target_follows:
            target_follows = False
            redirected = redirected or not (token in _NOWHERE or token.isdigit())
        else:
            words.append(token)


def _unwrapped(words: list[str]) -> tuple[str, ...]:
    """Leaves out assignments and the programs that only run another one, with their options."""
    rest = list(words)
    while rest:
        if _ASSIGNMENT.match(rest[0]):
            rest.pop(0)
        elif rest[0] in _WRAPPERS and len(rest) > 1:
            rest.pop(0)
            while rest and (rest[0].startswith("-") or _NUMBER.fullmatch(rest[0])):
                rest.pop(0)
        else:
            break
    return tuple(rest)


def _script(words: tuple[str, ...]) -> str | None:
    """The script of `bash -lc '…'`."""
    if len(words) < 3 or Simple(words).program not in _SHELLS:
        return None
    return words[2] if re.fullmatch(r"-\w*c", words[1]) else None


def _may_write(command: Simple) -> bool:
    if command.redirected:
        return True
    words, program = command.words, command.program
    if program not in _HARMLESS and any(_WRITING_OPTION.fullmatch(word) for word in words[1:]):
        return True
    if program == "git":
        return _git_command(words) not in _GIT_SHOWING
    if program in _SECOND_WORDS:
        return not any(word in _SECOND_WORDS[program] for word in words[1:4])
    return program not in _SHOWING and not _checks(words)


def _git_command(words: tuple[str, ...]) -> str:
    rest = iter(words[1:])
    for word in rest:
        if word in ("-C", "-c"):
            next(rest, None)
        elif not word.startswith("-"):
            return word
    return "version"


def _checks(words: tuple[str, ...]) -> bool:
    """A checker by itself or behind a launcher: `npx jest`, `uv run pytest`, `python -m pytest`."""
    for word in words[:5]:
        name = re.split(r"[/\\]", word)[-1]
        if name in _CHECKING:
            return not ({"format", "--fix", "init"} & set(words))
    return False
