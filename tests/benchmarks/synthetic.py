"""Synthetic git repositories of any size: the same seed and size give the same repository.

Sources of 2 to 8 KB in Python and TypeScript, folders a few levels deep, identifiers whose words are as unevenly
frequent as in real code, and a history of a few hundred commits.
"""

import itertools
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.support.repositories import Repository, make_repository

VERSION = 1
"""Part of a stored repository's name: a change of the generator builds a new one."""

COMMITS = 300
FILES_A_MODULE = 12
MODULES_AN_AREA = 20
BEGAN_AT = 1_700_000_000
HOUR = 3_600

_SYLLABLES = ("ba", "cor", "de", "fil", "gra", "ho", "in", "jo", "ka", "lum", "mer", "no", "or", "pa", "qui", "ru",
              "sta", "ter", "ul", "ve", "wi", "xo", "yar", "zen")  # fmt: skip
_VERBS = ("load", "save", "parse", "render", "apply", "merge", "check", "build", "send", "read", "find", "split")
_SUBJECTS = ("Fix", "Add", "Speed up", "Rework", "Document", "Test", "Rename", "Simplify")
_AGENTS = """# Rules for agents

- Always run the tests before you commit.
- Never edit generated files by hand.
- Public functions must have a docstring.
"""
_PROJECT = (
    '[project]\nname = "synthetic"\nversion = "1"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n[tool.ruff]\n'
)


class Words:
    """A vocabulary with Zipf-distributed frequencies."""

    def __init__(self, seed: int, size: int) -> None:
        self.random = random.Random(seed)
        paths = (
            "".join(syllables) for length in (2, 3, 4) for syllables in itertools.product(_SYLLABLES, repeat=length)
        )
        pool = list(itertools.islice(paths, size * 2))
        self.random.shuffle(pool)
        self._words = pool[:size]
        self._weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(size)))

    def take(self, count: int) -> list[str]:
        """Return `count` words, frequent ones more often."""
        return self.random.choices(self._words, cum_weights=self._weights, k=count)


def synthetic(folder: Path, files: int, seed: int = 1) -> Repository:
    """Return the repository of that size below a folder, built if it does not exist."""
    path = folder / f"synthetic-{VERSION}-{seed}-{files}"
    finished = path / ".git" / "synthetic-finished"
    if not finished.exists():
        shutil.rmtree(path, ignore_errors=True)
        repository = make_repository(path)
        repository.git("config", "gc.auto", "0")
        repository.git("config", "core.compression", "1")
        _import(path, _history(files, seed))
        repository.git("reset", "--quiet", "--hard", "main")
        finished.touch()
    repository = Repository(path)
    repository.git("reset", "--quiet", "--hard", "main")
    return repository


def paths_of(files: int, words: Words) -> list[str]:
    """Return the paths of a repository of that size, including its instructions and package files."""
    paths = ["README.md", "AGENTS.md", "pyproject.toml", "docs/adr/0001-one-process.md"]
    while len(paths) < files:
        area, top = "_".join(words.take(2)), words.random.choice(("src", "packages", "services", "tests"))
        for _ in range(min(MODULES_AN_AREA, (files - len(paths)) // FILES_A_MODULE + 1)):
            suffix, head = (".py", "__init__.py") if words.random.random() < 0.5 else (".ts", "index.ts")
            module = f"{top}/{area}/{'/'.join(words.take(words.random.choice((1, 1, 2))))}"
            paths.append(f"{module}/{head}")
            paths.extend(f"{module}/{'_'.join(words.take(2))}{suffix}" for _ in range(FILES_A_MODULE - 1))
        paths = list(dict.fromkeys(paths))
    return paths[:files]


def content_of(path: str, words: Words) -> str:
    """Return a file's text."""
    name = path.rsplit("/", 1)[-1]
    fixed = {"AGENTS.md": _AGENTS, "pyproject.toml": _PROJECT}
    if name in fixed:
        return fixed[name]
    if name.endswith(".md"):
        return f"# {' '.join(words.take(3)).title()}\n\nStatus: accepted\n\n{' '.join(words.take(80)).capitalize()}.\n"
    size = words.random.randint(2_000, 8_000)
    begins = _python_head if name.endswith(".py") else _typescript_head
    function = _python_function if name.endswith(".py") else _typescript_function
    parts = [begins(words)]
    written = len(parts[0])
    while written < size:
        parts.append(function(words))
        written += len(parts[-1])
    return "".join(parts)


def _python_head(words: Words) -> str:
    noun, other, *sentence = words.take(10)
    return (
        f'"""{" ".join(sentence).capitalize()}."""\n\nimport {noun}\nfrom {other} import {noun}_{other}\n\nLIMIT = 10\n'
    )


def _python_function(words: Words) -> str:
    a, b, c, d, e, f, g, h, *sentence = words.take(14)
    verb, number = words.random.choice(_VERBS), words.random.randint(0, 99)
    return (
        f"\n\ndef {verb}_{a}_{b}({c}: {d.title()}{e.title()}, {f}: int = {number}) -> {g.title()}:\n"
        f'    """{" ".join(sentence).capitalize()}."""\n'
        f"    {h}_{a} = {c}.{verb}_{e}({f})\n"
        f'    if {h}_{a} is None:\n        raise ValueError("{g} has no {h}")\n'
        f"    for {b} in {h}_{a}.{d}_{g}():\n        {c}.{e}_{f}({b}, {f})\n"
        f"    return {g.title()}({h}_{a})\n"
    )


def _typescript_head(words: Words) -> str:
    noun, other, *sentence = words.take(10)
    return f'// {" ".join(sentence).capitalize()}.\nimport {{ {noun}{other.title()} }} from "../{other}/{noun}"\n\n'


def _typescript_function(words: Words) -> str:
    a, b, c, d, e, f, g, h, *sentence = words.take(14)
    verb, number = words.random.choice(_VERBS), words.random.randint(0, 99)
    return (
        f"/** {' '.join(sentence).capitalize()}. */\n"
        f"export function {verb}{a.title()}{b.title()}({c}: {d.title()}{e.title()}, {f} = {number}): "
        f"{g.title()} {{\n  const {h}{a.title()} = {c}.{verb}{e.title()}({f})\n"
        f'  if (!{h}{a.title()}) {{\n    throw new Error("{g} has no {h}")\n  }}\n'
        f"  return {h}{a.title()}.{d}{g.title()}(({b}) => {c}.{e}{f.title()}({b}))\n}}\n\n"
    )


def _history(files: int, seed: int) -> Iterator[bytes]:
    """Return the stream for `git fast-import`: all files at once, then commits that each change a few."""
    words = Words(seed, min(200_000, 20_000 + files))
    paths = paths_of(files, words)
    yield _commit(0, "Begin")
    for path in paths:
        yield _file(path, content_of(path, words))
    for number in range(1, COMMITS):
        first = words.random.randrange(len(paths))
        changed = paths[first : first + words.random.randint(1, 5)]
        yield _commit(number, f"{words.random.choice(_SUBJECTS)} {' '.join(words.take(4))}")
        for path in changed:
            yield _file(path, content_of(path, words))


def _commit(number: int, message: str) -> bytes:
    at = BEGAN_AT + number * HOUR
    author = f"Ada <ada@example.org> {at} +0000"
    text = message.encode()
    return b"commit refs/heads/main\ncommitter %s\ndata %d\n%s\n" % (author.encode(), len(text), text)


def _file(path: str, content: str) -> bytes:
    text = content.encode()
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(text), text)


def _import(path: Path, stream: Iterator[bytes]) -> None:
    command = ["git", "-c", "core.compression=1", "fast-import", "--quiet"]
    with subprocess.Popen(command, cwd=path, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for piece in stream:
            process.stdin.write(piece)
    if process.returncode != 0:
        raise RuntimeError("git fast-import failed")
