"""What the Delta Pack says of the task list: all of it at first, then what was added, done or dropped. Pure."""

from collections.abc import Sequence

from sidecar.core.text import one_line
from sidecar.packs.composing.items import PackItem, Priority
from sidecar.runs import Known, keys

MAX_TODOS = 40
TODO_CHARACTERS = 200

_MARKS = {"completed": "x", "in_progress": "~"}
_VERBS = {"completed": "done", "in_progress": "begun"}


def todos_items(todos: Sequence[tuple[str, str]], known: Known) -> list[PackItem]:
    """Gives the task list, to a session that has it as what became of it since."""
    told = known.items.get(keys.TODOS)
    if todos:
        digest = keys.todos_digest(todos)
        changes = _changes(todos, told.digest) if told is not None and told.digest != digest else []
        return [_item(_changed_text(todos, changes) if changes else _whole_text(todos), digest)]
    if told is not None and told.digest != keys.GONE:
        return [_item("Task list: empty now.", keys.GONE)]
    return []


def _item(text: str, digest: str) -> PackItem:
    return PackItem(keys.TODOS, "delta", Priority.DELTA, text, digest, "the task list as last reported")


def _whole_text(todos: Sequence[tuple[str, str]]) -> str:
    lines = [f"  [{_MARKS.get(status, ' ')}] {one_line(content, TODO_CHARACTERS)}" for content, status in todos]
    return "\n".join(["Task list:", *_bounded(lines)])


def _changed_text(todos: Sequence[tuple[str, str]], changes: Sequence[str]) -> str:
    done = sum(status == "completed" for _, status in todos)
    return "\n".join([f"Task list, since you last saw it ({done} of {len(todos)} done):", *_bounded(changes)])


def _bounded(lines: Sequence[str]) -> list[str]:
    more = [f"  … {len(lines) - MAX_TODOS} more"] if len(lines) > MAX_TODOS else []
    return [*lines[:MAX_TODOS], *more]


def _changes(todos: Sequence[tuple[str, str]], told_digest: str) -> list[str]:
    """What became of each task; nothing where the whole list says it better, or only its order is another."""
    told = keys.told_todos(told_digest)
    before = {one: status for one, status, _ in told}
    present = {keys.todo_id(content) for content, _ in todos}
    lines = [f"  dropped: {one_line(content, TODO_CHARACTERS)}" for one, _, content in told if one not in present]
    for content, status in todos:
        one, text = keys.todo_id(content), one_line(content, TODO_CHARACTERS)
        if one not in before:
            lines.append(f"  added: [{_MARKS.get(status, ' ')}] {text}")
        elif before[one] != status:
            lines.append(f"  {_VERBS.get(status, 'open again')}: {text}")
    return lines if len(lines) < max(2, len(todos)) else []
