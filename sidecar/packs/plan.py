"""The plan contract: what holds during a planning run, and the plan so far. Pure."""

from sidecar.core.digests import short_id
from sidecar.packs.items import PackItem, Priority
from sidecar.packs.text import one_line
from sidecar.runs import Task

RULES = (
    "- Plan only: change no file and run nothing that changes one.",
    "- Name the files each step touches, and how each step will be checked.",
    "- Say what is left open, and what was considered and rejected.",
)


def plan_item(task: Task, todos: tuple[tuple[str, str], ...]) -> PackItem:
    """Gives the contract of a planning run: the plan's steps where the host sent them, else the objective."""
    steps = [f"- {one_line(content, 200)} ({one_line(status, 20)})" for content, status in todos[:40]]
    objective = f"Objective: {one_line(task.objective, 300)}"
    text = "\n".join([objective, *(["Plan so far:", *steps] if steps else []), "Rules:", *RULES])
    return PackItem("plan", "plan", Priority.PLAN, text, short_id(text), "this is a planning run", every_time=True)
