"""Roll a sync back to a checkpoint: at the user's request, after a failure, or after a process that was killed."""

from collections.abc import Iterable

from sidecar.call import Call
from sidecar.core.errors import NotFound
from sidecar.knowledge import store
from sidecar.knowledge.git_source import local_head
from sidecar.knowledge.item import POINTER_FOLDER, pointer_hash
from sidecar.knowledge.store import Checkpoint, FileImage
from sidecar.knowledge.sync_state import load_state, record_rollback, sync_lock
from sidecar.memory import FileChange, ManagedMemories, read_memory_file
from sidecar.workspace import Workspace

INTERRUPTED = "The syncing process ended before it finished."


def roll_back(call: Call, workspace: Workspace, checkpoint_id: str) -> tuple[int, list[str]]:
    """Restore a checkpoint. Return the number of restored files, and the paths skipped because they changed.

    Automatic syncs pause until the repository's head moves or somebody syncs.
    """
    with sync_lock(call.process.state_dir, workspace.project_key):
        recover_interrupted(call, workspace)
        before = load_state(call, workspace.project_key)
        head = local_head(call, call.process.settings(workspace.project_key)) or before.last_knowledge_commit
        return roll_back_to(call, workspace, checkpoint_id, "The user requested it.", rollback_commit=head)


def recover_interrupted(call: Call, workspace: Workspace) -> None:
    """Roll back a sync that was killed. The caller holds the lock."""
    with call.database.read() as tx:
        running = [
            checkpoint for checkpoint in store.checkpoints(tx, workspace.project_key) if checkpoint.status == "running"
        ]
    if running:
        roll_back_to(call, workspace, running[-1].id, INTERRUPTED)


def roll_back_to(
    call: Call, workspace: Workspace, checkpoint_id: str, reason: str, *, rollback_commit: str = ""
) -> tuple[int, list[str]]:
    """Restore the files and the state of a checkpoint, as `roll_back` does. The caller holds the lock."""
    project = workspace.project_key
    with call.database.read() as tx:
        checkpoint = _find_checkpoint(store.checkpoints(tx, project), checkpoint_id)
        images: list[FileImage] = store.images_since(tx, project, checkpoint.number)
    skipped = restore_files(ManagedMemories(call.process, workspace, POINTER_FOLDER), images)
    with call.database.write() as tx:
        store.restore_checkpoint(tx, project, checkpoint, call.now_ms(), reason)
        if rollback_commit:
            record_rollback(call, tx, project, rollback_commit)
    call.log.warning(
        "knowledge.rolledBack", checkpoint=checkpoint_id, reason=reason, files=len(images), skipped=len(skipped)
    )
    return len(images) - len(skipped), skipped


def _find_checkpoint(checkpoints: list[Checkpoint], checkpoint_id: str) -> Checkpoint:
    checkpoint = next(
        (candidate for candidate in checkpoints if candidate.id == checkpoint_id and candidate.status != "rolledBack"),
        None,
    )
    if checkpoint is None:
        raise NotFound("This checkpoint does not exist any more.", hint="`knowledge/status` lists them.")
    return checkpoint


def restore_files(placed: ManagedMemories, images: Iterable[FileImage]) -> list[str]:
    """Revert writes, the latest first. Return the pointers edited since, which are left unchanged."""
    skipped = []
    for image in images:
        current = placed.content(image.path)
        if current == image.before:
            continue
        if not _is_unchanged_since(current, image.after):
            skipped.append(image.path)
            continue
        skipped += [
            change.path for change, problem in placed.apply([FileChange(image.path, current, image.before)]) if problem
        ]
    placed.close()
    return skipped


def _is_unchanged_since(current: bytes | None, after: bytes | None) -> bool:
    """Whether a file is as a sync wrote it, apart from the counters that memory updates in it."""
    if current is None or after is None:
        return current == after
    return current == after or pointer_hash(read_memory_file(current)) == pointer_hash(read_memory_file(after))
