"""What a fresh session is told of the one it continues. Pure."""

from typing import Any

from sidecar.core.digests import short_id
from sidecar.packs.items import PackItem, Priority
from sidecar.packs.plan import step_lines
from sidecar.packs.text import one_line


def carryover_item(snapshot: dict[str, Any]) -> PackItem:
    """Renders the structured state of the last snapshot: goal, steps, files touched, failing tests."""
    lines = [f"Goal: {one_line(str(snapshot.get('objective', '')), 300)}"]
    steps = tuple((content, status) for content, status in snapshot.get("todos") or [])
    if steps:
        lines += ["Steps:", *step_lines(steps)]
    files = snapshot.get("files") or []
    if files:
        lines.append("Files this conversation changed: " + ", ".join(one_line(path, 120) for path in files[:40]))
    failing = snapshot.get("failing") or []
    if failing:
        lines.append("Failing tests: " + ", ".join(one_line(name, 160) for name in failing[:20]))
    conclusion = str(snapshot.get("conclusion", ""))
    if conclusion:
        lines.append(f"Last conclusion: {one_line(conclusion, 600)}")
    text = "\n".join(lines)
    return PackItem("carryover", "carryover", Priority.CARRYOVER, text, short_id(text), "the session was turned over")
