"""Read the messages of public repositories in other languages and in English from their catalogues.

Formats: JSON, ARB, YAML, gettext, XLIFF, Qt, Android, .NET, Java, Apple, Fluent and PHP. The files are read from git
objects, so a bare repository will do.
"""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

MAX_CHARACTERS = 90
"""Maximum length of a message: longer ones align badly."""

LANGUAGES = {
    "pt": r"pt(?:[-_]?r?(?:br|pt))?|portuguese",
    "es": r"es(?:[-_]r?(?:es|mx|ar|419))?|spanish",
    "fr": r"fr(?:[-_]r?(?:fr|ca))?|french",
    "de": r"de(?:[-_]r?de)?|german",
    "it": r"it(?:[-_]r?it)?|italian",
    "nl": r"nl(?:[-_]r?nl)?|dutch",
    "ru": r"ru(?:[-_]r?ru)?|russian",
    "ja": r"ja(?:[-_]r?jp)?|jp|japanese",
    "zh": r"zh(?:[-_](?:hans(?:[-_]cn)?|r?cn|chs))?|cn|schinese",
}
"""How paths name the language of a catalogue."""
ENGLISH = ("en", "en-US", "en_US", "en-us", "en_us", "en-GB", "en_GB", "english", "base", "Base", "template", "source")
LANGUAGE_GROUPS = "|".join(f"(?P<{name}>{form})" for name, form in LANGUAGES.items())
LANGUAGE_IN_PATH = re.compile(
    rf"(?<![a-z0-9])(?:{LANGUAGE_GROUPS})(?![a-z0-9]|[-_](?:r?tw|r?hk|hant))",
    re.IGNORECASE,
)
NO_CATALOGUE = re.compile(
    r"(^|/)(node_modules|vendor|third_party|fixtures?|testdata|tests?|spec|docs?|fastlane|metadata|moment|cldr)/"
    r"|countr|currenc|time_?zone|language_?names|/languages\.|tzdata|datepicker|emoji",
    re.IGNORECASE,
)

QUOTED = r'"((?:[^"\\]|\\.)*)"'
MARKUP = re.compile(
    r'<string name="(?P<key>[^"]+)"[^>]*>(?P<text>[^<]*)</string>'  # Android
    r'|<data name="(?P<resource>[^"]+)"[^>]*>\s*<value>(?P<value>[^<]*)</value>'  # .NET
    r"|<source[^>]*>(?P<source>[^<]*)</source>\s*<(?:target[^>]*|translation)>(?P<target>[^<]*)</",  # XLIFF, Qt
)
PROPERTY = re.compile(r"^[ \t]*([^#!\s=:;\[.][^=:\n]*?)[ \t]*[=:][ \t]*(.+)$", re.MULTILINE)
APPLE_STRING = re.compile(rf"^\s*{QUOTED}\s*=\s*{QUOTED}\s*;", re.MULTILINE)
PHP_ENTRY = re.compile(r"""^\s*(['"])(.+?)\1\s*=>\s*(['"])(.*?)\3\s*,""", re.MULTILINE)
GETTEXT_ENTRY = re.compile(
    r'^msgid\s+((?:"(?:[^"\\]|\\.)*"\s*)+)(?:msgid_plural.*\n(?:".*\n)*)?msgstr(?:\[0\])?\s+((?:"(?:[^"\\]|\\.)*"\s*)+)',
    re.MULTILINE,
)

PLACE_KEY = re.compile(r"[a-z]{2}([-_][a-zA-Z]{2,4})?|[A-Z]{2,3}|(Country|Continent|Language|Currency)_[a-zA-Z]{2,3}")
"""Key of the name of a country, a language or a currency: its code."""
KEY = re.compile(r"[^ ]*[a-z][._/-][a-zA-Z][^ ]*|[^ ]*[a-z][A-Z][^ ]*|[a-z0-9_]+|[A-Z0-9_.]+")

Message = tuple[str, str]
"""A message in another language and in English."""


class Repository:
    """Files of a git repository at one commit."""

    def __init__(self, path: Path, commit: str) -> None:
        self.path = path
        listed = self._git("ls-tree", "-r", "-z", commit).decode("utf-8", "replace").split("\0")
        rows = (line.partition("\t") for line in listed if " blob " in line)
        self.blobs = {name: head.split()[2] for head, _, name in rows}

    def texts(self, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Return the text of each file that is there: a partial clone lacks some."""
        output = self._git("cat-file", "--batch", given="".join(f"{self.blobs[name]}\n" for name in names).encode())
        at = 0
        for name in names:
            head, at = output[at : output.index(b"\n", at)], output.index(b"\n", at) + 1
            if head.endswith(b" missing"):
                continue
            size = int(head.split()[2])
            content, at = output[at : at + size], at + size + 1
            encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
            yield name, content.decode(encoding, "replace").replace("\r\n", "\n")

    def _git(self, *command: str, given: bytes = b"") -> bytes:
        variables = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
        return subprocess.run(
            ("git", "-C", self.path, *command), input=given, stdout=subprocess.PIPE, env=variables, check=True
        ).stdout


def repositories_in(folder: Path, table: Path) -> tuple[dict[str, Repository], list[str]]:
    """Return the repositories of a table by name, and the rows whose commit is not in the folder."""
    present: dict[str, Repository] = {}
    missing: list[str] = []
    for line in table.read_text(encoding="utf-8").splitlines()[1:]:
        name, commit = line.split("\t")
        place = folder / name.replace("/", "+")
        try:
            present[name] = Repository(place / "repo" if (place / "repo").is_dir() else place, commit)
        except subprocess.CalledProcessError:
            missing.append(f"{name} at {commit}")
    return present, missing


def messages_of(repository: Repository) -> Iterator[tuple[str, str, Message]]:
    """Return the messages of a repository, each with its language and its key."""
    catalogues: dict[str, tuple[str, str]] = {}
    for name in repository.blobs:
        if PurePosixPath(name).suffix.lower() in READERS and not NO_CATALOGUE.search(name):
            matches = list(LANGUAGE_IN_PATH.finditer(name))
            for match in reversed(matches):
                english = next((other for other in _english_names(name, match) if other in repository.blobs), "")
                if english or match is matches[0]:
                    catalogues[name] = str(match.lastgroup), english
                    break
    names = sorted({*catalogues, *(english for _, english in catalogues.values() if english)})
    entries = {name: read_catalogue(name, text) for name, text in repository.texts(names)}
    for name, (language, other) in catalogues.items():
        sources = dict(entries.get(other, ()))
        for key, text in entries.get(name, ()):
            last = key.rpartition("\x1f")[2]
            source = sources.get(key) or ("" if KEY.fullmatch(last) else last)
            if source and text and source != text and max(len(source), len(text)) <= MAX_CHARACTERS:
                yield language, last, (text, source)


def is_place(key: str, message: Message) -> bool:
    """Whether a message is the name of a country, a language or a currency."""
    return PLACE_KEY.fullmatch(key) is not None and len(message[1]) > 3


def _english_names(name: str, match: re.Match[str]) -> Iterator[str]:
    start, end = name[: match.start()], name[match.end() :]
    yield from (start + form + end for form in ENGLISH)
    if start[-1:] in ("-", "_", "."):
        yield start[:-1] + end
    if start.endswith("/"):
        yield start + end[1:] if end.startswith("/") else start + "messages" + end


def read_catalogue(name: str, text: str) -> list[tuple[str, str]]:
    """Return the messages of a file by their keys; none of one that is malformed."""
    with suppress(ValueError, YAMLError, RecursionError):
        return list(READERS[PurePosixPath(name).suffix.lower()](text))
    return []


def _read_json(text: str) -> Iterator[tuple[str, str]]:
    return _flat(json.loads(text))


def _read_yaml(text: str) -> Iterator[tuple[str, str]]:
    loader = YAML(typ="safe")
    loader.allow_duplicate_keys = True
    content: Any = loader.load(text)
    is_wrapped = isinstance(content, dict) and len(content) == 1  # the language
    return _flat(next(iter(content.values())) if is_wrapped else content)


def _flat(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _flat(part, f"{key}\x1f{name}" if key else str(name))


def _read_gettext(text: str) -> Iterator[tuple[str, str]]:
    for entry in re.split(r"\n\s*\n", text):
        if "#, fuzzy" not in entry:
            for source, target in GETTEXT_ENTRY.findall(entry):
                yield _unquoted(source), _unquoted(target)


def _unquoted(text: str) -> str:
    return _unescaped("".join(re.findall(QUOTED, text)))


def _unescaped(text: str) -> str:
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    return text.replace("\\n", " ").replace("\\'", "'").replace('\\"', '"')


def _read_markup(text: str) -> Iterator[tuple[str, str]]:
    for entry in MARKUP.finditer(text):
        key = entry["key"] or entry["resource"] or entry["source"]
        yield html.unescape(key), _unescaped(html.unescape(entry["text"] or entry["value"] or entry["target"] or ""))


def _read_properties(text: str) -> Iterator[tuple[str, str]]:
    return ((key, _unescaped(value.strip('" '))) for key, value in PROPERTY.findall(text))


def _read_apple_strings(text: str) -> Iterator[tuple[str, str]]:
    return ((_unescaped(key), _unescaped(value)) for key, value in APPLE_STRING.findall(text))


def _read_php(text: str) -> Iterator[tuple[str, str]]:
    return ((_unescaped(key), _unescaped(value)) for _, key, _, value in PHP_ENTRY.findall(text))


READERS = {
    **dict.fromkeys((".json", ".arb"), _read_json),
    **dict.fromkeys((".yml", ".yaml"), _read_yaml),
    **dict.fromkeys((".xml", ".resx", ".ts", ".xlf", ".xliff"), _read_markup),
    **dict.fromkeys((".properties", ".ini", ".ftl"), _read_properties),
    ".po": _read_gettext,
    ".strings": _read_apple_strings,
    ".php": _read_php,
}
