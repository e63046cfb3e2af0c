"""Reads what the block is made of from the project's files: bounded, never through a link out of the project."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.context.project.handoff import ENDING
from sidecar.context.project.pipeline import Pipeline, agent_before, next_agent, pipeline_of, score_of
from sidecar.core.errors import PolicyDenied, SidecarError, WorkspaceUnavailable
from sidecar.core.instruction_files import AGENT_PATHS
from sidecar.core.text.yaml_read import read_mapping
from sidecar.session import unlocked
from sidecar.system.atomic_write import write_whole
from sidecar.system.safe_open import read_below

FILE_BYTES = 256 * 1024
MAX_FOLDERS = 40

FRAMEWORK = "chati.dev"
CONSTITUTION, CONFIG, SESSION = f"{FRAMEWORK}/constitution.md", f"{FRAMEWORK}/config.yaml", ".chati/session.yaml"
AGENTS = f"{FRAMEWORK}/agents"
ORCHESTRATOR = "orchestrator"
HANDOFFS = (f"{FRAMEWORK}/artifacts/handoffs", ".chati/artifacts/handoffs")


class Text(NamedTuple):
    """A file of the project, its path relative to the root it was found under."""

    path: str
    text: str


class Sources(NamedTuple):
    """What the project's files say; None or empty for what it does not have."""

    constitution: Text | None
    instructions: tuple[Text, ...]
    """Read only where there is no constitution."""
    config: Mapping[str, Any]
    pipeline: Pipeline | None
    """None without a session."""
    agent: str
    """The active agent's name; empty where none is active."""
    definition: Text | None
    handoff: Text | None
    warnings: tuple[str, ...]


class Reader:
    """Reads files of one workspace, the project's before the worktree's, and remembers what was wrong."""

    def __init__(self, project: Path, cwd: Path) -> None:
        self._roots = list(dict.fromkeys((str(project), str(cwd))))
        self.warnings: list[str] = []

    def text(self, path: str) -> Text | None:
        """Reads a file by its path; None where no root has it, with a warning where it may not be read."""
        for root in self._roots:
            content = read_below(root, path, FILE_BYTES)
            if content is not None:
                return Text(path, unlocked(content.decode("utf-8", "replace").removeprefix("\ufeff")))
            if os.path.lexists(os.path.join(root, path)):
                self.warnings.append(
                    f"{path} is not read: it is no plain file of the project of at most {FILE_BYTES // 1024} KiB."
                )
        return None

    def mapping(self, path: str) -> Mapping[str, Any] | None:
        """Reads a YAML file; None, with a warning, for a damaged one."""
        found = self.text(path)
        if found is None:
            return None
        value = read_mapping(found.text)
        if value is None:
            self.warnings.append(f"{path} is damaged YAML and is left out.")
        return value

    def folders(self, path: str) -> list[str]:
        """Gives a folder's own folders in every root, sorted; links are not followed."""
        found: set[str] = set()
        for root in self._roots:
            try:
                with os.scandir(os.path.join(root, path)) as entries:
                    found.update(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
            except OSError:
                continue
        return sorted(found)[:MAX_FOLDERS]


def gather(project: Path, cwd: Path, asked_agent: str | None) -> Sources:
    """Reads all sources; one that is missing or damaged is left out, the latter with a warning."""
    reader = Reader(project, cwd)
    constitution = reader.text(CONSTITUTION)
    instructions = () if constitution else tuple(found for path in AGENT_PATHS if (found := reader.text(path)))
    config = reader.mapping(CONFIG) or {}
    session = reader.mapping(SESSION)
    pipeline = pipeline_of(session) if session is not None else None
    agent = asked_agent or (pipeline.current if pipeline is not None else "")
    return Sources(
        constitution,
        instructions,
        config,
        pipeline,
        agent,
        _definition(reader, agent),
        _handoff(reader, pipeline, agent),
        tuple(reader.warnings),
    )


def _definition(reader: Reader, agent: str) -> Text | None:
    """The file that defines an agent, wherever below the agents' folder the framework's version keeps it."""
    if not is_name(agent):
        return None
    if agent == ORCHESTRATOR:
        return reader.text(f"{FRAMEWORK}/orchestrator/chati.md")
    places = (
        f"{AGENTS}/{agent}.md",
        *(f"{AGENTS}/{agent}/{name}" for name in (f"{agent}.md", "agent.md", "README.md")),
        *(f"{AGENTS}/{folder}/{agent}.md" for folder in reader.folders(AGENTS) if folder != agent),
    )
    return _first(reader, places)


def _handoff(reader: Reader, pipeline: Pipeline | None, agent: str) -> Text | None:
    """What the agent before handed on: as the session names it, else by that agent's name."""
    if pipeline is None:
        return None
    sender = agent_before(pipeline, agent)
    named = [f"{folder}/{sender}{ENDING}" for folder in HANDOFFS] if is_name(sender) else []
    told = pipeline.last_handoff
    return _first(reader, [told, *named] if is_handoff(told) else named)


def _first(reader: Reader, paths: Sequence[str]) -> Text | None:
    return next((found for path in paths if (found := reader.text(path))), None)


def is_name(agent: str) -> bool:
    """Says whether an agent's name may stand in a path."""
    return 0 < len(agent) <= 64 and agent.replace("-", "").replace("_", "").isalnum() and agent.isascii()


def is_handoff(path: str) -> bool:
    """Says whether a path that a session names lies in a folder of hand-offs, and is no more than a name there."""
    folder, _, name = path.rpartition("/")
    return folder in HANDOFFS and name.endswith(".md") and is_name(name.removesuffix(".md"))


# Where an orchestrated project stands after a run, as its session file says: for the governor's spawn criteria.


TICK_MS = 2_000
"""The coarsest clock of a file system in use (FAT)."""


class Standing(NamedTuple):
    """The agent at work, its score in percent (None where unknown), and whether it became done with another waiting."""

    agent: str = ""
    score: float | None = None
    next_agent_pending: bool = False


def standing_of(project: Path, cwd: Path, since_ms: int) -> Standing:
    """Reads the session file; nothing is known of a project without one.

    That another agent waits counts for the run that said so: only while the file was written since it began. Else
    every run until the orchestrator moves on would ask for a fresh session again.
    """
    reader = Reader(project, cwd)
    session = reader.mapping(SESSION)
    if not session:
        return Standing()
    pipeline = pipeline_of(session)
    is_news = any(_written_ms(root) >= since_ms - TICK_MS for root in (project, cwd))
    return Standing(pipeline.current, score_of(pipeline, pipeline.current), is_news and bool(next_agent(pipeline)))


def _written_ms(root: Path) -> int:
    try:
        return os.stat(os.path.join(root, SESSION), follow_symlinks=False).st_mtime_ns // 1_000_000
    except OSError:
        return 0


# Writes a file of ours below the project's `.chati`: whole or not at all, through no link, and left alone by git.


FOLDER = ".chati"

_IGNORE = b"# Kept by onecode-sidecar on this machine only.\n*\n"


def write_own(project: Path, folder: str, name: str, content: bytes) -> str:
    """Writes `.chati/<folder>/<name>` and gives its path below the project.

    A folder that is made for it ignores itself in git. Raises PolicyDenied where a link or a file stands in the way,
    WorkspaceUnavailable where it cannot be written.
    """
    outer = os.path.join(project, FOLDER)
    inner = os.path.join(outer, folder)
    try:
        for place in (outer, inner):
            if _make(place):
                write_whole(os.path.join(place, ".gitignore"), _IGNORE)
        write_whole(os.path.join(inner, name), content)
    except OSError as error:
        raise _failed(f"{FOLDER}/{folder}/{name}", error) from error
    return f"{FOLDER}/{folder}/{name}"


def _make(place: str) -> bool:
    """Makes a folder and says so; False where it is there."""
    try:
        os.mkdir(place)
    except FileExistsError:
        found = os.lstat(place)
        is_junction = bool(getattr(found, "st_file_attributes", 0) & 0x400)
        if not stat.S_ISDIR(found.st_mode) or is_junction:
            name = os.path.basename(place)
            raise PolicyDenied(f"`{name}` is no real folder, so nothing is written below it.") from None
        return False
    return True


def _failed(path: str, error: OSError) -> SidecarError:
    """Makes the error for a file that cannot be written."""
    why = (error.strerror or type(error).__name__).lower()
    return WorkspaceUnavailable(f"`{path}` cannot be written: {why}.", hint="Check the project's disk and permissions.")
