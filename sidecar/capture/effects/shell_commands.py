"""Analysis of shell command lines: their simple commands, whether they may write files, what they read. Pure.

This does not emulate a shell. A line that cannot be parsed reliably counts as one that may write and reads nothing.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex

_OPERATORS = "();<>|&\n"
_MAX_CHARACTERS = 20_000
_SHELLS = frozenset("sh bash zsh dash ksh fish".split())
_SCRIPT_OPTIONS = {
    "powershell": frozenset(("-command", "-c")), "pwsh": frozenset(("-command", "-c")), "cmd": frozenset(("/c", "//c")),
}  # fmt: skip
"""Shells of Windows, and the options whose script is the rest of the line; Git Bash doubles the slash."""
_SEPARATOR = lazy_regex(r"(?<=[\w.:~])\\{1,2}(?=[\w.@-])")
"""A backslash between two names of a Windows path; what a shell escapes with one is mostly another sign."""
_PROGRAM = r"(?:^|[;&|(\n])[ \t]{0,9}(?:\"[^\"\n]{1,200}|'[^'\n]{1,200}|[^\s\"';&|()]{1,200})"
_SUFFIX = lazy_regex(rf"(?i)({_PROGRAM})\.exe(?=[\"'\s;&|)]|$)")
_PIECE = lazy_regex(r"\"(?:[^\"\\]|\\.)*+\"?|'[^']*+'?|(?:[^\"'\\]|\\.)++|\\", re.DOTALL)
"""Quoted text, or text without quotes."""
_QUOTED_PATH = lazy_regex(r"[\"'](?:[A-Za-z]:|\\\\|\.{1,2}\\|[\w.@~\\ -]+\.\w{1,5}[\"'])")
_NAMES_DRIVE = lazy_regex(r"(?<!\w)(?:[A-Za-z]:\\{1,2}|[A-Z]:/)[\w.~-]{2}")
_STARTS_SHELL = lazy_regex(
    r"(?i)(?:^|[;&|(\n])[ \t]{0,9}(?:[^\s;&|()]{0,200}[/\\])?(?:powershell|pwsh|cmd)(?:\.exe)?\s"
)
"""Signs that a command line is one of Windows, wherever it ran; a letter after `C:\\` alone may be an escape."""
_ROOT, _DRIVE_OF_GIT_BASH = lazy_regex(r"(?:[A-Za-z]:|[/\\])[/\\]"), lazy_regex(r"^/([A-Za-z])(?=/)")
"""Begin of an absolute path of Windows: a drive, or a server."""
_ASSIGNMENT = lazy_regex(r"[A-Za-z_]\w*=")
_NULL_TARGETS = frozenset(("/dev/null", "/dev/stderr", "/dev/stdout", "NUL", "$null"))

_WRAPPERS = frozenset("sudo env time nice nohup command exec builtin timeout xargs stdbuf caffeinate".split())
"""Programs that run the rest of their line."""

_READ_ONLY = frozenset(
    "cat bat nl less more head tail grep egrep fgrep rg ag ack sed awk echo printf ls tree find fd stat file git gh"
    " glab diff cmp wc sort uniq cut tr column jq curl cd pushd popd pwd which type whoami date test [ true false sleep"
    " yq ps du df env export set uname id basename dirname realpath readlink md5sum sha1sum sha256sum xxd hexdump"
    " strings exit wait read : seq tac rev od".split()
)
"""Programs that only display existing content, unless an option changes that."""

_DISPLAYS_OF_WINDOWS = frozenset(
    "dir findstr get-content get-childitem select-string select-object where-object test-path get-location set-location"
    " write-output write-host measure-object sort-object format-table out-string".split()
)
"""Commands of Windows' shells that only display existing content."""

_CHECKERS = frozenset(
    "pytest py.test unittest jest vitest mocha rspec phpunit tox nox mypy pyright tsc eslint flake8 pylint ruff"
    " shellcheck yamllint golangci-lint staticcheck ctest".split()
)
"""Programs that check code without changing it, unless an option changes that."""

_GIT_READ_ONLY = frozenset(
    "log status diff show blame rev-parse ls-files ls-tree grep describe remote cat-file shortlog reflog rev-list"
    " merge-base name-rev for-each-ref show-ref config version help whatchanged diff-tree diff-index fetch".split()
)
_READ_ONLY_SUBCOMMANDS = {
    "gh": frozenset("view list status diff checks".split()),
    "glab": frozenset("view list status diff".split()),
    "cargo": frozenset("test check clippy tree metadata nextest bench".split()),
    "go": frozenset("test vet list version env doc".split()),
    "dotnet": frozenset(("test", "--version")),
    "node": frozenset(("--test", "--version")),
    "npm": frozenset("test t ls view outdated".split()),
    "yarn": frozenset(("test",)),
    "pnpm": frozenset(("test",)),
    "bun": frozenset(("test",)),
    "deno": frozenset("test lint check info".split()),
    "mix": frozenset(("test",)),
    "rake": frozenset(("test",)),
    "rails": frozenset(("test",)),
    "swift": frozenset(("test",)),
    "flutter": frozenset("test analyze doctor".split()),
    "dart": frozenset("test analyze".split()),
}
"""Subcommands of larger programs that only display or check."""

_GOALS_THAT_CHECK = {
    "make": frozenset("test tests check lint".split()),
    "mvn": frozenset("clean test verify".split()),
    "gradle": frozenset("clean test check".split()),
    "gradlew": frozenset("clean test check".split()),
}
"""Programs that run several goals one after another, and the goals that only check; all of a line have to."""

_OPTIONS_WITH_VALUE = frozenset(
    "-C --prefix --cwd --dir --filter -F --workspace --manifest-path -p -f -R --repo".split()
)
_SCRIPT_RUNNERS = frozenset("run run-script exec dlx".split())
_LAUNCHERS = {
    **dict.fromkeys("npx bunx pnpx uvx node php".split(), frozenset({""})),
    **dict.fromkeys("yarn pnpm bun".split(), _SCRIPT_RUNNERS | {""}),
    "npm": _SCRIPT_RUNNERS,
    **dict.fromkeys("uv poetry pipenv pdm hatch rye coverage".split(), frozenset({"run"})),
    **dict.fromkeys("python python3 py".split(), frozenset({"-m"})),
    "bundle": frozenset({"exec"}),
}
"""Programs that run another one, and the words one of which comes before it; empty where none has to."""
MAX_LAUNCHERS = 3

_WRITING_OPTION = lazy_regex(
    r"(?:-i\S*|--in-place\S*|-o|-O|--output\S*|--fix\S*|-w|--write|-delete|-exec\S*|-ok\S*|-u|--update\S*|--snapshot-update"
    r"|--updateSnapshot|--inline-snapshot\S*|--allow-dirty|--emit\S*|--outDir\S*|--add|--unset|--replace-all)"
)
_HARMLESS_OPTIONS = frozenset(
    "cat bat nl less head tail grep egrep fgrep rg ag ack ls tree diff stat file echo wc jq du df test [ mocha ps date"
    " unittest".split()
)
"""Programs for which those options mean something else, or nothing."""

_READERS = frozenset("cat bat nl less more head tail sed awk tac".split())
_READERS_OF_WINDOWS = frozenset(("type", "get-content"))
_LOOKUPS = _READERS | frozenset("grep egrep fgrep rg ag ack ls tree find fd".split())
_LOOKUPS_OF_WINDOWS = _READERS_OF_WINDOWS | frozenset("findstr dir get-childitem select-string".split())
"""Shell counterparts of the tools that read, search and list files; elsewhere `type` displays what a command is."""

_FILTERS = frozenset(
    "head tail sed awk grep egrep fgrep rg cut less more findstr select-string select-object where-object".split()
)
_PART_OPTIONS = frozenset(("-totalcount", "-head", "-first", "-tail", "-last"))
"""PowerShell's options for the first or last lines of a file."""
_FOLDER_CHANGES = frozenset(("cd", "pushd", "set-location"))
_SCRIPT_FIRST = frozenset(("sed", "awk"))
_NUMBER = lazy_regex(r"[+-]?\d+[a-zA-Z]*")


class SimpleCommand(NamedTuple):
    """A program with its words, without wrappers and assignments. `redirected`: its output goes to a file."""

    words: tuple[str, ...]
    redirected: bool = False
    is_of_windows: bool = False

    @property
    def program(self) -> str:
        """Its name without folder and extension."""
        name = re.split(r"[/\\]", self.words[0])[-1].casefold()
        return name.removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")

    @property
    def new_folder(self) -> str | None:
        """The folder that it changes to."""
        if self.program not in _FOLDER_CHANGES:
            return None
        return next((word for word in self.words[1:] if word.casefold() not in ("/d", "-path")), None)

    @property
    def is_reader(self) -> bool:
        """Whether its shell has it display files."""
        return self.program in _READERS or (self.is_of_windows and self.program in _READERS_OF_WINDOWS)

    @property
    def is_lookup(self) -> bool:
        """Whether its shell has it read, search or list files."""
        is_of_git = self.words[:2] == ("git", "grep")
        return self.program in _LOOKUPS or is_of_git or (self.is_of_windows and self.program in _LOOKUPS_OF_WINDOWS)

    @property
    def only_displays(self) -> bool:
        """Whether it only displays existing content, unless an option changes that."""
        return self.program in _READ_ONLY or (self.is_of_windows and self.program in _DISPLAYS_OF_WINDOWS)


def in_posix_form(line: str, cwd: str) -> str:
    """Return a command line that ran in `cwd`: programs without `.exe`, and on Windows paths with slashes."""
    return _in_posix_form(line, is_of_windows=_is_of_windows(line, cwd))


def _is_of_windows(line: str, cwd: str) -> bool:
    """Whether a line ran in a folder of Windows, names a drive or starts a shell of Windows."""
    return any((_ROOT.match(cwd), _NAMES_DRIVE.search(line), _STARTS_SHELL.search(line)))


def _in_posix_form(line: str, *, is_of_windows: bool) -> str:
    """Return a line with slashes in Windows paths; quoted text that is not a path, such as a pattern, is unchanged."""
    if is_of_windows:
        line = "".join(
            piece if piece[0] in "\"'" and not _QUOTED_PATH.match(piece) else _SEPARATOR.sub("/", piece)
            for piece in _PIECE.findall(line)
        )
    return _SUFFIX.sub(r"\1", line)


def relative_path(path: str, folder: str) -> str | None:
    """Return a path below a folder relative to it, with slashes; None for any other path.

    A folder with a drive or a server is one of Windows: case does not matter there, and `/c/src` is what Git Bash
    writes for `c:/src`.
    """
    is_of_windows = _ROOT.match(folder) is not None
    if is_of_windows:
        path, folder = _DRIVE_OF_GIT_BASH.sub(r"\1:", path.replace("\\", "/")), folder.replace("\\", "/")
    prefix = f"{folder.rstrip('/')}/"
    start = path[: len(prefix)]
    is_below = start == prefix or (is_of_windows and start.lower() == prefix.lower())
    return path[len(prefix) :] if is_below else None


def simple_commands(line: str, cwd: str = "") -> tuple[SimpleCommand, ...] | None:
    """Split a command line that ran in `cwd` into its programs; None if not possible (open quotes, here-documents).

    It is read as one of Windows if it ran in a folder there, names a drive, or starts a shell of Windows.
    """
    return _commands_in(line, is_of_windows=_is_of_windows(line, cwd))


def _commands_in(line: str, *, is_of_windows: bool) -> tuple[SimpleCommand, ...] | None:
    if len(line) > _MAX_CHARACTERS or "<<" in line or "$(" in line or "`" in line:
        return None
    line = _in_posix_form(line.replace("\\\n", " "), is_of_windows=is_of_windows)
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    try:
        tokens = list(lexer)
    except ValueError:
        return None
    commands: list[SimpleCommand] = []
    for words, redirected in _split(tokens):
        inner = _without_wrappers(words)
        script, simple = _inner_script(inner), SimpleCommand(inner, redirected, is_of_windows)
        is_inner_of_windows = is_of_windows or (script is not None and simple.program in _SCRIPT_OPTIONS)
        nested = _commands_in(script, is_of_windows=is_inner_of_windows) if script is not None else (simple,)
        if nested is None:
            return None
        commands.extend(command for command in nested if command.words)
    return tuple(commands)


def may_write(line: str, cwd: str = "") -> bool:
    """Whether a command line may change files: anything but programs known to only display or check."""
    commands = simple_commands(line, cwd)
    return commands is None or any(_may_write(command) for command in commands)


def only_displays(line: str, cwd: str = "") -> bool:
    """Whether every program only displays existing content, so that the output is from another time."""
    commands = simple_commands(re.sub(r"\$\(|`", ";", line), cwd)
    return bool(commands) and all(command.only_displays for command in commands or ())


def takes_work_back(line: str) -> bool:
    """Whether a command line has git undo changes or set them aside; switching branches does not."""
    return any(command.program == "git" and _takes_back(command.words) for command in simple_commands(line) or ())


def _takes_back(words: tuple[str, ...]) -> bool:
    command = _git_command(words)
    rest = words[words.index(command) + 1 :] if command in words else ()
    if command == "restore":
        return "--staged" not in rest or "--worktree" in rest
    if command == "stash":
        return not rest or rest[0] in ("push", "save") or rest[0].startswith("-")
    if command == "checkout":
        return "--" in rest or "." in rest
    return (command == "revert" and "--abort" not in rest) or (command == "reset" and "--hard" in rest)


def merges_others_commits(lines: Sequence[str]) -> bool:
    """Whether command lines merge or pull with git and commit nothing themselves: all new commits are merged ones."""
    commands = [simple_commands(line) for line in lines if "git" in line]
    if None in commands or any(_COMMITTING.search(line) for line in lines):
        return False
    return any(
        each.program == "git" and _git_command(each.words) in ("merge", "pull")
        for command in commands
        for each in command or ()
    )


def merges_own_commits(lines: Sequence[str]) -> bool:
    """Whether command lines commit with git, then switch to another branch and merge there: what they committed."""
    steps = [step[1] for line in lines for step in _BRANCH_STEP.finditer(line[:_MAX_CHARACTERS])]
    committed = steps[steps.index("commit") :] if "commit" in steps else []
    left = next((number for number, step in enumerate(committed) if step in ("checkout", "switch")), len(committed))
    return "merge" in committed[left:]


_BRANCH_STEP = lazy_regex(r"\bgit(?:\s{1,4}-[Cc]\s{1,4}\S{1,200})?\s{1,4}(commit|checkout|switch|merge)\b(?!-)")
"""A command of git that commits, merges or goes to another branch."""

_COMMITTING = lazy_regex(r"commit|cherry-pick|revert|rebase|release|version|\bam\b|--continue|--squash")
"""A word of a command that may make a commit."""


def is_lookup(line: str, cwd: str = "") -> bool:
    """Whether a command line looks something up: it displays or searches files, and does nothing else."""
    if may_write(line, cwd) or not only_displays(line, cwd):
        return False
    return any(command.is_lookup for command in simple_commands(line, cwd) or ())


def files_read(line: str, cwd: str = "", *, whole: bool = False) -> tuple[str, ...]:
    """Return the words of a command line that may be files it displays: `cat`, `sed -n`, `head` and the like.

    With `whole`, only those of which nothing is left out.
    """
    paths: list[str] = []
    folder = ""
    commands = simple_commands(line, cwd) or ()
    if whole and any(_leaves_out_lines(command) for command in commands):
        return ()
    for command in commands:
        if command.new_folder is not None:
            folder = _joined(folder, command.new_folder)
        elif command.is_reader and not _may_write(command):
            words = [word for word in command.words[1:] if not word.startswith("-") and not _NUMBER.fullmatch(word)]
            files = words[1:] if command.program in _SCRIPT_FIRST else words
            paths.extend(_joined(folder, file) for file in files)
    return tuple(dict.fromkeys(paths))


def _leaves_out_lines(command: SimpleCommand) -> bool:
    return command.program in _FILTERS or not _PART_OPTIONS.isdisjoint(map(str.casefold, command.words))


def _joined(folder: str, path: str) -> str:
    return path if _ROOT.match(path) else posixpath.join(folder, path)


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
            redirected = redirected or not (token in _NULL_TARGETS or token.isdigit())
        else:
            words.append(token)


def _without_wrappers(words: list[str]) -> tuple[str, ...]:
    """Remove assignments and programs that only run another one, with their options."""
    rest = list(words)
    while rest:
        if rest[0].startswith(("$env:", "[Console]::")):
            return ()  # an assignment of PowerShell, which is a command of its own
        if _ASSIGNMENT.match(rest[0]):
            rest.pop(0)
        elif rest[0] in _WRAPPERS and len(rest) > 1:
            rest.pop(0)
            while rest and (rest[0].startswith("-") or _NUMBER.fullmatch(rest[0])):
                rest.pop(0)
        else:
            break
    return tuple(rest)


def _inner_script(words: tuple[str, ...]) -> str | None:
    """Return the script of `bash -lc '…'`, `powershell -Command …` or `cmd /c …`."""
    if len(words) < 3:
        return None
    program = SimpleCommand(words).program
    if program in _SHELLS:
        return words[2] if re.fullmatch(r"-\w*c", words[1]) else None
    options = _SCRIPT_OPTIONS.get(program, frozenset())
    starts = (at for at, word in enumerate(words, 1) if word.casefold() in options)
    return " ".join(words[next(starts, len(words)) :]) or None


def _may_write(command: SimpleCommand) -> bool:
    if command.redirected:
        return True
    words, program = command.words, command.program
    if command.is_of_windows and program in _DISPLAYS_OF_WINDOWS:
        return False
    if program not in _HARMLESS_OPTIONS and any(_WRITING_OPTION.fullmatch(word) for word in words[1:]):
        return True
    if program == "git":
        return _git_command(words) not in _GIT_READ_ONLY
    arguments = _arguments(words)
    if program in _GOALS_THAT_CHECK:
        goals = {goal.rpartition(":")[2] for goal in arguments if not goal.isdecimal()}
        return not goals or not goals <= _GOALS_THAT_CHECK[program]
    if program in _READ_ONLY_SUBCOMMANDS:
        named = arguments[1:2] if program in _NOUN_FIRST else arguments[:1]
        return _READ_ONLY_SUBCOMMANDS[program].isdisjoint((*words[1:2], *named)) and not _checks(words)
    return program not in _READ_ONLY and not _checks(words)


_NOUN_FIRST = frozenset(("gh", "glab"))
"""Programs whose subcommand follows a noun: `gh pr view`."""


def _arguments(words: tuple[str, ...]) -> list[str]:
    """Return the words after a program that are neither options, their values nor `run`."""
    rest, arguments = iter(words[1:]), list[str]()
    for word in rest:
        if word in _OPTIONS_WITH_VALUE:
            next(rest, None)
        elif not word.startswith(("-", "+")) and not (word in _SCRIPT_RUNNERS and not arguments):
            arguments.append(word)
    return arguments


def _git_command(words: tuple[str, ...]) -> str:
    rest = iter(words[1:])
    for word in rest:
        if word in ("-C", "-c"):
            next(rest, None)
        elif not word.startswith("-"):
            return word
    return "version"


def _checks(words: tuple[str, ...]) -> bool:
    """Whether it runs a checker, directly or through a launcher: `npx jest`, `uv run pytest`, `python -m pytest`."""
    rest = words
    for _ in range(MAX_LAUNCHERS):
        before = _LAUNCHERS.get(SimpleCommand(rest).program)
        if before is None:
            break
        rest = rest[1:]
        if rest and rest[0] in before:
            rest = rest[1:]
        elif "" not in before:
            return False
        while rest and rest[0].startswith("-") and rest[0] not in ("-m", "--"):
            rest = rest[1:]
        rest = rest[1:] if rest and rest[0] in ("-m", "--") else rest
        if not rest:
            return False
    return SimpleCommand(rest).program in _CHECKERS and not {"format", "--fix", "init"} & set(words)


_COMMIT = lazy_regex(r"\bgit\s(?:-[cC]\s\S{1,200}\s){0,3}commit\s")
_HERE_DOCUMENT = lazy_regex(r"<<-?\s?(['\"]?)(\w{2,20})\1\n")
_MESSAGE = lazy_regex(
    r"(?:^|\s)(?:-[a-zA-Z]{0,3}m|--message)[\s=]{0,2}(?:\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^']*)')",
    re.DOTALL,
)
_OTHER_REPOSITORY = lazy_regex(r"\bgit\s(?:-\S{1,80}\s){0,3}init\b|\bmktemp\b")
"""A script that commits to a repository it has just made, as a trial does."""
_ESCAPED = lazy_regex(r"\\([\"\\$`])")


def commit_messages(line: str) -> list[str]:
    """Return the messages of the commits that a command line makes, as far as it shows them."""
    if len(line) > _MAX_CHARACTERS or _OTHER_REPOSITORY.search(line):
        return []
    starts = [match.end() for match in _COMMIT.finditer(line)]
    return [
        message
        for start, end in zip(starts, [*starts[1:], len(line)], strict=False)
        if (message := _message_in(line[start - 1 : end]).strip())
    ]


def _message_in(options: str) -> str:
    document = _HERE_DOCUMENT.search(options)
    if document is not None:
        text, _, rest = f"{options[document.end() :]}\n".partition(f"\n{document[2]}")
        return text if rest else ""
    paragraphs = [
        match["single"] if match["single"] is not None else _ESCAPED.sub(r"\1", match["double"])
        for match in _MESSAGE.finditer(options)
    ]
    return "" if any("$(" in text for text in paragraphs) else "\n\n".join(paragraphs)
