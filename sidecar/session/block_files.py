"""The files with the managed block: which one to use, and writing and removing the block."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import Conflict, SidecarError
from sidecar.core.ides import IDES, RULES_FILES, IdeName, RulesFile, choose_rules_file, rules_file_named
from sidecar.session import user_files
from sidecar.session.managed_block import AmbiguousBlock, BlockState, block_state, with_block, without_block
from sidecar.session.model import BlockInfo
from sidecar.session.store import RecordedFile
from sidecar.system.git import NOT_A_REPOSITORY, Git, GitFailed

_OWN_COUNT = 2
"""Files and folders created for a block in a folder of ours, when our state has no record of it."""


class BlockFile(NamedTuple):
    """A file below a root that has a block, or may have one."""

    root: Path
    rules_file: RulesFile
    created_count: int = 0
    """Number of folders and files created for it."""

    @property
    def path(self) -> str:
        """The absolute path."""
        return os.path.join(self.root, *self.rules_file.file.split("/"))


def choose_block_file(root: Path, ide: IdeName, *, use_rules_file: bool) -> BlockFile:
    """Choose the file for the block; git decides which files are ignored."""
    row = IDES[ide]
    existing = {rules_file.file for rules_file in row.rules if os.path.lexists(BlockFile(root, rules_file).path)}
    shared = [rules_file.file for rules_file in row.local if not rules_file.is_own_folder]
    ignored = set() if use_rules_file or not shared else _ignored(root, shared)
    return BlockFile(root, choose_rules_file(ide, use_rules_file, ignored, existing))


def block_files_of(recorded: Sequence[RecordedFile], roots: Sequence[Path]) -> Iterator[BlockFile]:
    """Yield every file known to have a block, and those below the roots that have one."""
    known = [BlockFile(Path(record.root), rules_file_named(record.file), record.created_count) for record in recorded]
    yield from known
    seen = {(file.root, file.rules_file.file) for file in known}
    for root in dict.fromkeys(roots):
        for rules_file in RULES_FILES:
            if (root, rules_file.file) not in seen and block_info(BlockFile(root, rules_file)).state not in (
                "none",
                "unreadable",
            ):
                yield BlockFile(root, rules_file, _OWN_COUNT if rules_file.is_own_folder else 0)


def block_info(file: BlockFile) -> BlockInfo:
    """Return the state of a file's block."""
    try:
        content = user_files.read(file.root, file.rules_file).content
    except SidecarError:
        return BlockInfo(path=file.path, state="unreadable")
    return BlockInfo(path=file.path, state=_block_state(content))


def write_block(file: BlockFile, text: str, *, force: bool, overwrite_read_only: bool = False) -> int:
    """Write the block and return the number of created folders and files. Raise Conflict when the file is ambiguous."""
    before = user_files.read(file.root, file.rules_file)
    start = before.content if before.content is not None else file.rules_file.front_matter.encode()
    try:
        content = with_block(start, text, repair=force)
    except AmbiguousBlock as unclear:
        raise _conflict(file, unclear) from unclear
    return user_files.write(file.rules_file, before, content, overwrite_read_only=overwrite_read_only)


def remove_block(file: BlockFile, *, force: bool, overwrite_read_only: bool = False) -> None:
    """Remove the block, and the file if we created it and nothing else is in it. Raise Conflict."""
    before = user_files.read(file.root, file.rules_file)
    if before.content is None:
        return
    try:
        content = without_block(before.content, repair=force)
    except AmbiguousBlock as unclear:
        raise _conflict(file, unclear) from unclear
    if file.created_count and content in (b"", file.rules_file.front_matter.encode()):
        user_files.remove(file.rules_file, before, file.created_count)
    else:
        user_files.write(file.rules_file, before, content, overwrite_read_only=overwrite_read_only)


def _block_state(content: bytes | None) -> BlockState:
    return "none" if content is None else block_state(content)


def _conflict(file: BlockFile, unclear: AmbiguousBlock) -> Conflict:
    return Conflict(
        f"`{file.rules_file.file}` {unclear}; it was not changed.",
        hint="Repair it manually, or with `force`, which removes the markers and the lines known as ours.",
    )


def _ignored(root: Path, names: list[str]) -> set[str]:
    """Return the files that git ignores: all without a repository, none when git fails."""
    try:
        paths = "\0".join(names).encode()
        ignored = Git(root).run("check-ignore", "-z", "--stdin", stdin=paths, success_codes=(0, 1))
    except GitFailed as failed:
        return set(names) if failed.reason == NOT_A_REPOSITORY else set()
    return {name.decode() for name in ignored.split(b"\0") if name}
