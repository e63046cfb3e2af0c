"""Files that programs write, files excluded from the index by default, and files that are never shown.

Recorded chats, agents' session files, minified and vendored files, and those of a desktop are not indexed. They are
read and shown if the prompt names them, if they are edited in the worktree, or if one of the last commits changed them.
A new file is not an edit: recorders and package managers write new files all the time. Files with secret or unsafe
names are never shown.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sidecar.codebase.worktree.state import DESKTOP_FILES, is_sidecar_path, path_from_cwd
from sidecar.core.clean_text import UNSAFE_CLASS
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.system.git import Git, GitFailed
from sidecar.system.safe_open import read_below

_TOOLS = (
    r"\.(?:agents?|ai|amp|claude|cline|codex|continue|copilot|cursor|gemini|goose|kiro|llm|opencode|qwen|roo|windsurf)"
)
_RECORDINGS = (
    r"(?:agent-transcripts|archived_sessions|chats?|conversations|debug|dev_data|file-history|history|logs?|projects"
    r"|sessions?|session-env|session-state|shell-snapshots|statsig|storage|threads|tmp|todos|transcripts)"
)
_TEXT_SUFFIXES = (".docx", ".json", ".jsonl", ".log", ".md", ".srt", ".txt", ".vtt")
_NAMED_SUFFIXES = (*_TEXT_SUFFIXES, *DESKTOP_FILES)
_TEXT = rf"(?:{'|'.join(map(re.escape, _TEXT_SUFFIXES))})"
_TALKS = r"(?:ai|chat|chatgpt|claude|codex|conversation|copilot|cursor|gemini|instruction|llm|prompts?)"
_RECORDS = r"(?:exports?|history|histories|logs?|transcripts?)"
_DATED = r"(?:[._-](?:current|auto-save)?[\d_.tz-]*)?"

UNINDEXED_PATHS: Mapping[str, str] = {
    "chats of SpecStory": r"(?:.*/)?\.specstory/.*",
    "chats of aider": r"(?:.*/)?\.aider\.(?:chat\.history\.md|input\.history|llm\.history|tags\.cache.*)",
    "agents' session files": rf"(?:.*/)?{_TOOLS}/(?:{_RECORDINGS}/.*|history\.jsonl?)",
    "session of Codex": r"(?:.*/)?rollout-\d{4}-\d\d-\d\dt.*\.jsonl",
    "session of Claude Code": r"(?:.*/)?(?:agent-[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl",
    "task of Cline or Roo": r"(?:.*/)?tasks/[^/]+/(?:ui_messages|api_conversation_history|task_metadata)\.json",
    "exported task of Cline or Roo": r"(?:.*/)?(?:cline|roo)_task_.*\.md",
    "chat or prompt log": rf"(?:.*/)?(?:[^/]*[._ -])?{_TALKS}[._ -]?{_RECORDS}{_DATED}{_TEXT}",
    "folder of chats or prompt logs": rf"(?:.*/)?(?:ai|chat|conversation|llm|prompt)s?[._ -]?{_RECORDS}/.*{_TEXT}",
    "log of a model or of prompts": rf"(?:.*/)?(?:[^/]*[._ -])?{_TALKS}\.log",
    "dated chat": rf"(?:.*/)?(?:chatgpt|chat|conversation)s?[._ -]?\d{{4}}[\d_.tz-]*{_TEXT}",
    "exported conversations": r"(?:.*/)?conversations\.json",
    "exported session": r"(?:.*/)?(?:session-ses_[0-9a-z]+\.(?:json|md)|\d{4}-\d\d-\d\d-this-session-is-being-.*\.txt)",
    "transcript": rf"(?:.*/)?(?:[^/]*[._ -])?transcripts?{_TEXT}|(?:.*/)?transcripts/.*{_TEXT}",
    "folder of session logs": rf"(?:.*/)?sessions?[._ -]?(?:logs|transcripts)/.*{_TEXT}",
    "files of a desktop": rf"(?:.*/)?(?:\._[^/]+|{'|'.join(map(re.escape, DESKTOP_FILES))})",
    "minified": r".*[.-]min\.(?:[cm]?js|css|html|svg)|.*\.bundle\.(?:[cm]?js|css)",
}
"""Paths in lowercase, by kind."""

_UNINDEXED_PATH = lazy_regex("|".join(f"(?:{pattern})" for pattern in UNINDEXED_PATHS.values()))


CACHED_PATHS = 65_536
"""Number of paths of which the answers that follow from the path alone are cached: each new state needs them again."""


@lru_cache(maxsize=CACHED_PATHS)
def is_unindexed(path: str) -> bool:
    """Whether a file is not indexed by default, by its path alone."""
    lowercase = path.lower()
    may_match = lowercase.endswith(_NAMED_SUFFIXES) or "/." in f"/{lowercase}" or "min." in lowercase
    return (may_match or ".bundle." in lowercase) and _UNINDEXED_PATH.fullmatch(lowercase) is not None


_GENERATED_NAMES = frozenset(
    (
        "package-lock.json", "pnpm-lock.yaml", "bun.lockb", "go.sum", "packages.lock.json", "requirements.lock",
        "npm-shrinkwrap.json", "package.resolved", "gradle.lockfile",
    )
)  # fmt: skip
_GENERATED_MARKS = (
    "_pb2.py", "_pb2_grpc.py", "_pb.js", "_pb.ts", ".pb.go", ".pb.ex", ".pb.dart", ".pbenum.dart", ".pbjson.dart",
    ".g.dart", ".gr.dart", ".freezed.dart", ".mapper.dart", ".mocks.dart", ".gen.ts", ".gen.tsx", ".gen.go", ".g.cs",
    ".designer.cs", ".generated.", "frb_generated.", "generated_plugin", "-lock.json",
)  # fmt: skip
_GENERATED_SUFFIXES = (".lock", ".import", ".uid", ".meta", "modelsnapshot.cs")
"""Lists of locked versions, and what game engines and Entity Framework write beside each file."""
_GENERATED_MARK = lazy_regex("|".join(map(re.escape, _GENERATED_MARKS)))
_BUNDLE = lazy_regex(r"(?i)(?:.*/)?dist/.*\.(?:[cm]?jsx?|css|map|d\.[cm]?ts)|.*\.(?:[cm]?js|css)\.map")


def is_generated(path: str) -> bool:
    """Whether a file is generated by a program, as lock files, bundles and recorded chats are."""
    name = path.rsplit("/", 1)[-1].lower()
    is_generated_name = (
        name in _GENERATED_NAMES or name.endswith(_GENERATED_SUFFIXES) or _GENERATED_MARK.search(name) is not None
    )
    return is_generated_name or is_unindexed(path) or _BUNDLE.fullmatch(path) is not None


_THIRD_PARTY = lazy_regex(
    r"(?i)(?:^|/)(?:third[_-]?party|3rd[_-]?party|vendor(?:ed)?|externals?|node_modules|bower_components|pods|carthage)/"
)


def is_third_party(path: str) -> bool:
    """Whether a folder is named as those of copied libraries are: its warnings are for others, its text may matter."""
    return _THIRD_PARTY.search(path) is not None


_AGENT_FILE = lazy_regex(
    rf"/(?:{_TOOLS}/|skill\.md\Z|\.github/(?:agents|chatmodes|instructions|prompts|skills)/)|\.mdc\Z"
)


def is_agent_file(path: str) -> bool:
    """Whether a file tells agents how to work here, as skills and commands do, by its path alone."""
    return _AGENT_FILE.search(f"/{path.lower()}") is not None


_EXAMPLE = lazy_regex(r"(?i)(?:^|/)(?:benches|benchmarks|examples?|samples)/")


def is_example(path: str) -> bool:
    """Whether a file only shows or measures how the code is used, by its folder."""
    return _EXAMPLE.search(path) is not None


_RECORDED_TEXT = lazy_regex(
    r"<!-- Generated by SpecStory|^_Exported on .{1,60} from Cursor|^# aider chat started at |^_\*\*(?:User|Human)\b"
    r"|^\{\"(?:parentUuid|sessionId)\":|^\{\"timestamp\":\"[^\"]{1,40}\",\"type\":\"session_meta\""
    r"|^\*\*Session ID:\*\* ses_|\A\s*+(?:[╭─╮]++\s++)?(?:[│|]\s*+)?✻ Welcome to Claude Code"
    r"|\A\s*+▐▛███▜▌\s+Claude Code",
    re.MULTILINE,
)
_HEAD_CHARACTERS = 1_500
_RECORDED_SUFFIXES = (".md", ".txt", ".jsonl", ".log")

_SPEAKER = (
    r"(?:[^\w\s*#>]{1,3}[ ])?(?:(User|Human|You)|Assistant|AI|Agent|ChatGPT|Claude(?:[ ]Code)?|Codex"
    r"|(?:GitHub[ ])?Copilot|Cursor|Gemini|GPT-?[\w.]{1,4})(?:[ ]\([^()\n]{1,60}\)|[ ]\d[\dTZ:.+/ -]{1,40})?"
)
_TURNS = (
    lazy_regex(rf"(?mi)^#{{1,4}}[ ]{_SPEAKER}:?[ \t]*$"),
    lazy_regex(rf"(?mi)^_?\*\*{_SPEAKER}:?\*\*_?:?(?=\s|$)"),
    lazy_regex(rf"(?m)^{_SPEAKER}:(?=\s|$)"),
)
"""The lines that begin a turn: headings, bold names, plain names; a group is a user's."""

_DIALOGUE_CHARACTERS = 20_000
_MAX_TITLE_LINES = 6
_PLACEHOLDER = lazy_regex(r"(?m)^(?:\w+:)?[ \t]*(?:\{+[^{}\n]{1,60}\}+|\$\w+|<\w+>|\[\w+\])[ \t]*$")
_EXAMPLES = lazy_regex(
    r"(?i)(?:^|/)_*(?:datasets?|evals?|examples?|fixtures?|prompts?|snapshots?|templates?|tests?|testdata)_*/"
)


def is_recorded_chat(path: str, text: str) -> bool:
    """Whether a text is a recorded chat, by the header that its recorder writes or by its speakers."""
    if not path.endswith(_RECORDED_SUFFIXES):
        return False
    if _RECORDED_TEXT.search(text[:_HEAD_CHARACTERS]):
        return True
    head = text[:_DIALOGUE_CHARACTERS]
    return not _EXAMPLES.search(path) and any(_is_dialogue(head, list(turns.finditer(head))) for turns in _TURNS)


def _is_dialogue(text: str, turns: Sequence[re.Match[str]]) -> bool:
    """Whether a text consists of the turns of a user and an agent, and not of a prompt that is to be filled in.

    Only a title precedes the first turn, and most headings of its level are turns.
    """
    if not turns or turns[0][1] is None or _PLACEHOLDER.search(text):
        return False
    start = turns[0].start()
    opening = text[start : turns[0].start(1)]
    title = [line for line in text[:start].splitlines() if line.strip()]
    if not opening.startswith(("#", "_", "*")):  # plain names are in many texts
        is_title = len(title) < 2 and all(line.startswith("# ") for line in title)
    else:
        is_title = len(title) <= _MAX_TITLE_LINES and not any(line.startswith(("```", opening)) for line in title)
    ends = [*(turn.start() for turn in turns[1:]), len(text)]
    has_answer = any(
        turn[1] is None and re.search(r"\w", text[turn.end() : end]) for turn, end in zip(turns, ends, strict=True)
    )
    level = opening[: opening.rfind("#") + 1]
    return is_title and has_answer and (not level or 2 * len(turns) > len(re.findall(rf"(?m)^{level} ", text)))


class _Manifest(NamedTuple):
    """The list that a package manager writes of what it copied."""

    ending: str
    """End of the manifest's path."""
    levels: int
    """Number of components that separate the manifest from the folder that its entries are relative to."""


MANIFESTS = (
    _Manifest("vendor/modules.txt", 1),  # Go
    _Manifest("vendor/vendor.json", 1),  # Go, govendor
    _Manifest("/vendor.txt", 1),  # Python, vendoring
    _Manifest("/vendored.txt", 1),
    _Manifest("composer/installed.json", 2),  # PHP
    _Manifest("/.cargo-checksum.json", 1),  # Rust
    _Manifest("node_modules/.package-lock.json", 2),  # npm
    _Manifest("Pods/Manifest.lock", 1),  # CocoaPods
)
ATTRIBUTES_FILE = ".gitattributes"
_SOURCES = (*(manifest.ending for manifest in MANIFESTS), ATTRIBUTES_FILE)
MAX_MANIFEST_BYTES = 8 * 2**20
_ENTRY = lazy_regex(r"[\w@.+~/-]+")
_MARKED = (":(attr:linguist-vendored)", ":(attr:linguist-vendored=true)")


class VendoredState(NamedTuple):
    """The files that are vendored, by their manifests and attributes. Immutable."""

    entries: Mapping[str, frozenset[str]] = MappingProxyType({})
    """For each folder with a manifest, the entries in it."""
    marked: frozenset[str] = frozenset()


class VendoredFiles:
    """Finds vendored files; reads manifests and attributes again only after they changed."""

    def __init__(self) -> None:
        self._sources: tuple[tuple[str, int, int], ...] = ()
        self._entries: dict[str, frozenset[str]] = {}
        """For each folder with a manifest, the entries in it."""
        self._marked: frozenset[str] = frozenset()

    def update(self, cwd: Path, prefix: str, paths: Collection[str]) -> None:
        """Read the manifests and attributes among a workspace's files, and the attributes in the folders above.

        `prefix` is the workspace's folder relative to the repository's root, with a trailing slash.
        """
        names = sorted(path for path in paths if path.endswith(_SOURCES))
        names += ["../" * levels + ATTRIBUTES_FILE for levels in range(1, prefix.count("/") + 1)]
        sources = tuple(stat for name in dict.fromkeys(names) if (stat := _stat(cwd, name)) is not None)
        self._marked &= frozenset(paths)
        if sources == self._sources and not any(name.endswith(ATTRIBUTES_FILE) for name, *_ in sources):
            return
        self._sources = sources
        self._entries, self._marked = {}, frozenset()
        for name, *_ in sources:
            manifest = next((row for row in MANIFESTS if f"/{name}".endswith(row.ending)), None)
            if manifest is not None:
                folder = "/".join(name.split("/")[: -manifest.levels])
                text = _read_source(cwd, name).decode("utf-8", "replace")
                self._entries[folder] = self._entries.get(folder, frozenset()) | _entries(text)
        attributes = (name for name, *_ in sources if name.endswith(ATTRIBUTES_FILE))
        if any(b"linguist-vendored" in _read_source(cwd, name) for name in attributes):
            self._marked = _marked_files(cwd, prefix)

    @property
    def state(self) -> VendoredState:
        """The manifests' entries and the marked files."""
        return VendoredState(self._entries, self._marked)

    def among(self, paths: Collection[str]) -> set[str]:
        """Return the vendored ones of many paths."""
        vendored = {path for path in paths if path in self._marked} if self._marked else set[str]()
        for folder, entries in self._entries.items():
            start = f"{folder}/" if folder else ""
            below = (path for path in paths if path.startswith(start))
            vendored.update(path for path in below if _is_listed(path[len(start) :], entries))
        return vendored

    def __contains__(self, path: object) -> bool:
        """Whether a file is marked as vendored, or listed by a manifest in a folder above it."""
        if path in self._marked or not isinstance(path, str):
            return path in self._marked
        return any(
            _is_listed(path[len(folder) + 1 :] if folder else path, entries)
            for folder, entries in self._entries.items()
            if not folder or path.startswith(f"{folder}/")
        )


def _stat(cwd: Path, name: str) -> tuple[str, int, int] | None:
    try:
        stat = os.stat(cwd / name, follow_symlinks=False)
    except OSError:
        return None
    return name, stat.st_mtime_ns, stat.st_size


def _read_source(cwd: Path, name: str) -> bytes:
    path = Path(os.path.normpath(cwd / name))
    return read_below(str(path.parent), path.name, MAX_MANIFEST_BYTES) or b""


def _entries(text: str) -> frozenset[str]:
    return frozenset(entry.strip("/").lower() for entry in _ENTRY.findall(text))


def _is_listed(path: str, entries: frozenset[str]) -> bool:
    """Whether a manifest lists a path below its folder, or a folder that it is in."""
    path = path.lower()
    first, slash, _ = path.partition("/")
    module = first if slash else first.rpartition(".")[0]
    if module and (module in entries or module.replace("_", "-") in entries):
        return True
    end = path.find("/")
    while end >= 0:
        if path[:end] in entries:
            return True
        end = path.find("/", end + 1)
    return path in entries


def _marked_files(cwd: Path, prefix: str) -> frozenset[str]:
    """Return the tracked files whose attributes mark them as vendored; none if git cannot tell.

    Git matches attributes only from the repository's root.
    """
    root = cwd.parents[prefix.count("/") - 1] if prefix else cwd
    try:
        output = Git(root).run("ls-files", "-z", "--", *_MARKED)
    except GitFailed:
        return frozenset()
    paths = output.decode("utf-8", "surrogateescape").split("\0")
    return frozenset(path_from_cwd(prefix, path) for path in paths if path)


RECENT_COMMITS = 50


def recently_changed(cwd: Path, head: str) -> frozenset[str]:
    """Return the files that the last commits changed and did not add, relative to `cwd`."""
    try:  # without a filter, which would also skip commits
        output = Git(cwd).run(
            "log", f"--max-count={RECENT_COMMITS}", "--format=", "--name-status", "--no-renames", "-z", "--relative",
            head, "--",
        )  # fmt: skip
    except GitFailed:
        return frozenset()
    fields = output.decode("utf-8", "surrogateescape").split("\0")
    return frozenset(path for status, path in zip(fields[::2], fields[1::2], strict=False) if status == "M")


_UNSAFE_NAME = lazy_regex(rf"[\n\r\t\ud800-\udfff{UNSAFE_CLASS}]")
_LONG_WORD = lazy_regex(r"[A-Za-z0-9_=.-]{20}")
"""No token is shorter, few names are as long."""


def has_unsafe_name(path: str) -> bool:
    """Whether a path cannot be decoded, contains a secret, or has control or bidirectional characters."""
    if not path.isprintable() and (path.isascii() or _UNSAFE_NAME.search(path)):
        return True
    return has_secret_name(path)


def has_secret_name(path: str) -> bool:
    """Whether a path contains a secret."""
    return _LONG_WORD.search(path) is not None and redact(path) != path


_SECRET_NAMES = lazy_regex(
    r"""(?ix) (?:
      \.env(?:rc|[._-].+)? | .+\.env
      | .*\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|ovpn|tfstate|tfstate\.backup|tfvars|secrets?)
      | id_(?:rsa|dsa|ecdsa|ed25519)(?:\..*)? | [._]netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.htpasswd
      | \.git-credentials | (?:.*[._-])?credentials(?:\.(?:json|ya?ml|toml|ini|csv|txt))?
      | (?:.*[._-])?secrets?\.(?:json|ya?ml|toml|ini|env|txt|properties) | client_secret.*\.json
      | service[-_]?account.*\.json | \.dockercfg | kubeconfig | \.s3cfg | \.boto | \.vault[-_](?:token|pass(?:word)?)
    )"""
)
_HARMLESS_NAMES = lazy_regex(
    r"(?i)\.env[._-](?:example|sample|template|dist|defaults?)|(?:example|sample|template)\.env"
)

_SECRET_FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"))


def is_secret_path(path: str) -> bool:
    """Whether a file is secret by its name or folder."""
    *folders, name = path.split("/")
    if any(folder.lower() in _SECRET_FOLDERS for folder in folders):
        return True
    return bool(_SECRET_NAMES.fullmatch(name)) and not _HARMLESS_NAMES.fullmatch(name)


_INSTALLED_FOLDERS = frozenset(("node_modules", "bower_components", "site-packages", "__pycache__", ".venv", ".git"))
"""Folders that only a tool writes to, whose names nobody uses for own code."""


@lru_cache(maxsize=CACHED_PATHS)
def is_withheld(path: str) -> bool:
    """Whether a file is secret, ours, or installed by a tool, by its path alone."""
    return not _INSTALLED_FOLDERS.isdisjoint(path.split("/")[:-1]) or is_secret_path(path) or is_sidecar_path(path)


_HOOK_SETTINGS = lazy_regex(r"(?:.*/)?\.(?:claude/settings\.json|codex/hooks\.json)")
_HOOK_SETTINGS_BACKUP = lazy_regex(rf"{_HOOK_SETTINGS.pattern}\.before-onecode")
_HOOK_LINE = lazy_regex(
    r"[\s{}\[\],]*+(?:\"(?:hooks|SessionStart|UserPromptSubmit|PostToolUse|PreCompact|Stop)\": *[\[{]"
    r"|\"type\": *\"command\"|\"timeout\": *\d+|\"matcher\": *\"[\w|]+\"|\"command\": *\".*\")?"
    r"[\s{}\[\],]*"
)


def adds_only_our_hooks(path: str, hunks: str) -> bool:
    """Whether a file is changed by `hook install --project` alone: the agent's settings, or their backup."""
    if _HOOK_SETTINGS_BACKUP.fullmatch(path):
        return True
    if not hunks or _HOOK_SETTINGS.fullmatch(path) is None:
        return False
    changed = [line for line in hunks.splitlines() if line[:1] in ("+", "-")]
    removed = {line[1:].rstrip(",") for line in changed if line[0] == "-"}
    added = [line[1:] for line in changed if line[0] == "+"]
    others = [line for line in added if line.rstrip(",") not in removed]
    if not removed.issubset(line.rstrip(",") for line in added):  # only a comma may have been added
        return False
    commands = [line for line in others if '"command":' in line]
    are_ours = bool(commands) and all("sidecar" in command and " hook " in command for command in commands)
    return are_ours and all(map(_HOOK_LINE.fullmatch, others))
