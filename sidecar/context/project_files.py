"""Read the block's sources from the project's files, and write our own files below `.chati`.

Reads are bounded and never follow a link out of the project. Writes are atomic, follow no link, and are ignored by git.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.context.agent_pipeline_parser import (
    ENDING,
    AgentPipeline,
    agent_score,
    next_agent,
    parse_pipeline,
    previous_agent,
)
from sidecar.core.errors import PolicyDenied, SidecarError, WorkspaceUnavailable
from sidecar.core.ide_rules_files import AGENT_PATHS
from sidecar.core.yaml_text import read_mapping
from sidecar.system.atomic_write import OWN_FOLDER, remove_abandoned_once, write_atomic
from sidecar.system.safe_open import open_real_folder, read_below

FILE_BYTES = 256 * 1024
MAX_FOLDERS = 40

FRAMEWORK = "chati.dev"
CONSTITUTION, CONFIG, SESSION = f"{FRAMEWORK}/constitution.md", f"{FRAMEWORK}/config.yaml", ".chati/session.yaml"
AGENTS = f"{FRAMEWORK}/agents"
ORCHESTRATOR = "orchestrator"
HANDOFFS = (f"{FRAMEWORK}/artifacts/handoffs", ".chati/artifacts/handoffs")


class Text(NamedTuple):
    """A file of the project, its path relative to the root that has it."""

    path: str
    text: str


class ProjectSources(NamedTuple):
    """The content of the project's files; None or empty for those that do not exist."""

    constitution: Text | None
    instructions: tuple[Text, ...]
    """Read only when there is no constitution."""
    config: Mapping[str, Any]
    pipeline: AgentPipeline | None
    """None without a session."""
    agent: str
    """The active agent's name; empty when none is active."""
    definition: Text | None
    handoff: Text | None
    warnings: tuple[str, ...]


class ProjectReader:
    """Reads files of one workspace, the project's before the worktree's, and collects warnings."""

    def __init__(self, project: Path, cwd: Path) -> None:
        self._roots = list(dict.fromkeys((str(project), str(cwd))))
        self.warnings: list[str] = []

    def text(self, path: str) -> Text | None:
        """Read a file; None when no root has it, with a warning when it must not be read."""
        from sidecar.session import strip_session_lock  # loads the session lock, which no pre-run needs

        for root in self._roots:
            content = read_below(root, path, FILE_BYTES)
            if content is not None:
                return Text(path, strip_session_lock(content.decode("utf-8", "replace").removeprefix("\ufeff")))
            if os.path.lexists(os.path.join(root, path)):
                self.warnings.append(
                    f"{path} is not read: it is not a plain file of the project of at most {FILE_BYTES // 1024} KiB."
                )
        return None

    def mapping(self, path: str) -> Mapping[str, Any] | None:
        """Read a YAML file; None, with a warning, for a damaged one."""
        file = self.text(path)
        if file is None:
            return None
        value = read_mapping(file.text)
        if value is None:
            self.warnings.append(f"{path} is damaged YAML and is ignored.")
        return value

    def folders(self, path: str) -> list[str]:
        """Return a folder's subfolders in every root, sorted, without links."""
        names: set[str] = set()
        for root in self._roots:
            try:
                with os.scandir(os.path.join(root, path)) as entries:
                    names.update(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
            except OSError:
                continue
        return sorted(names)[:MAX_FOLDERS]


def read_project_sources(project: Path, cwd: Path, requested_agent: str | None) -> ProjectSources:
    """Read all sources; missing and damaged ones are left out, the latter with a warning."""
    reader = ProjectReader(project, cwd)
    constitution = reader.text(CONSTITUTION)
    if constitution is not None and not constitution.text.strip():
        reader.warnings.append(f"{CONSTITUTION} is empty.")
        constitution = None
    instructions = () if constitution else tuple(file for path in AGENT_PATHS if (file := reader.text(path)))
    config = reader.mapping(CONFIG) or {}
    session = reader.mapping(SESSION)
    pipeline = parse_pipeline(session) if session is not None else None
    agent = requested_agent or (pipeline.current if pipeline is not None else "")
    return ProjectSources(
        constitution=constitution,
        instructions=instructions,
        config=config,
        pipeline=pipeline,
        agent=agent,
        definition=_definition(reader, agent),
        handoff=_handoff(reader, pipeline, agent),
        warnings=tuple(reader.warnings),
    )


def _definition(reader: ProjectReader, agent: str) -> Text | None:
    """Return the file that defines an agent, wherever the framework's version has it below the agents' folder."""
    if not is_agent_name(agent):
        return None
    if agent == ORCHESTRATOR:
        return reader.text(f"{FRAMEWORK}/orchestrator/chati.md")
    places = (
        f"{AGENTS}/{agent}.md",
        *(f"{AGENTS}/{agent}/{name}" for name in (f"{agent}.md", "agent.md", "README.md")),
        *(f"{AGENTS}/{folder}/{agent}.md" for folder in reader.folders(AGENTS) if folder != agent),
    )
    return _first_existing(reader, places)


def _handoff(reader: ProjectReader, pipeline: AgentPipeline | None, agent: str) -> Text | None:
    """Return the previous agent's hand-off: as named by the session, otherwise by that agent's name."""
    if pipeline is None:
        return None
    sender = previous_agent(pipeline, agent)
    named = [f"{folder}/{sender}{ENDING}" for folder in HANDOFFS] if is_agent_name(sender) else []
    handoff_path = pipeline.last_handoff
    return _first_existing(reader, [handoff_path, *named] if is_handoff_path(handoff_path) else named)


def _first_existing(reader: ProjectReader, paths: Sequence[str]) -> Text | None:
    return next((file for path in paths if (file := reader.text(path))), None)


def is_agent_name(agent: str) -> bool:
    """Whether an agent's name is safe in a path."""
    return 0 < len(agent) <= 64 and agent.replace("-", "").replace("_", "").isalnum() and agent.isascii()


def is_handoff_path(path: str) -> bool:
    """Whether a path named by a session is a file directly in a hand-off folder."""
    folder, _, name = path.rpartition("/")
    return folder in HANDOFFS and name.endswith(".md") and is_agent_name(name.removesuffix(".md"))


MTIME_RESOLUTION_MS = 2_000
"""Coarsest timestamp resolution of a file system in use (FAT)."""


class AgentProgress(NamedTuple):
    """The active agent, its score in percent (None when unknown), and whether it is done and another waits."""

    agent: str = ""
    score: float | None = None
    next_agent_pending: bool = False


def agent_progress(project: Path, cwd: Path, since_ms: int) -> AgentProgress:
    """Read the agent's progress from the session file, for the governor's restart criteria.

    A waiting agent counts only for the run that reported it: the file must be modified since that run began. Otherwise
    every later run would ask for a fresh session again until the orchestrator moves on.
    """
    reader = ProjectReader(project, cwd)
    session = reader.mapping(SESSION)
    if not session:
        return AgentProgress()
    pipeline = parse_pipeline(session)
    is_recent = any(_modified_ms(root) >= since_ms - MTIME_RESOLUTION_MS for root in (project, cwd))
    return AgentProgress(
        pipeline.current, agent_score(pipeline, pipeline.current), is_recent and bool(next_agent(pipeline))
    )


def _modified_ms(root: Path) -> int:
    try:
        return os.stat(os.path.join(root, SESSION), follow_symlinks=False).st_mtime_ns // 1_000_000
    except OSError:
        return 0


_GITIGNORE = b"# Managed by onecode-sidecar, on this machine only.\n*\n"


def write_chati_file(project: Path, folder: str, name: str, content: bytes) -> str:
    """Write `.chati/<folder>/<name>` and return its path below the project.

    A folder created for it gets a `.gitignore` that ignores everything. Raise PolicyDenied when a link or a file is in
    the way, WorkspaceUnavailable when writing fails.
    """
    parts: tuple[str, ...] = (OWN_FOLDER,)
    try:
        for parts in ((OWN_FOLDER,), (OWN_FOLDER, folder)):
            is_new = not os.path.lexists(os.path.join(project, *parts))
            with open_real_folder(str(project), parts, make=True) as place:
                remove_abandoned_once(os.path.join(project, *parts))
                if is_new:
                    write_atomic(".gitignore", _GITIGNORE, folder=place)
                if len(parts) > 1:
                    write_atomic(name, content, folder=place)
    except NotADirectoryError:
        raise PolicyDenied(f"`{parts[-1]}` is not a real folder, so nothing is written below it.") from None
    except OSError as error:
        raise _write_error(f"{OWN_FOLDER}/{folder}/{name}", error) from error
    return f"{OWN_FOLDER}/{folder}/{name}"


def _write_error(path: str, error: OSError) -> SidecarError:
    """Return the error for a file that cannot be written."""
    why = (error.strerror or type(error).__name__).lower()
    return WorkspaceUnavailable(f"`{path}` cannot be written: {why}.", hint="Check the project's disk and permissions.")
