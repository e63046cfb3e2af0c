"""The devlog entry: what a stretch of work changed, for a reader. Pure; no model is called."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import is_generated
from sidecar.core.redact import redact

MAX_FILES = 20
MAX_CONCLUSION = 700


class Change(NamedTuple):
    """A file a run changed; lines are against the head commit after the run, or of its commits."""

    path: str
    added: int
    removed: int


class Draft(NamedTuple):
    """A title and a Markdown body."""

    title: str
    body: str


def devlog(objective: str, changes: Sequence[Change], conclusion: str, tests: Sequence[str], runs: int) -> Draft:
    """Writes the entry: what was asked, what changed, how the tests stand, what the agent concluded."""
    title = redact(_first_sentence(objective, 90)) or "Work without a stated goal"
    lines = [f"# {title}", ""]
    if conclusion:
        lines += [_conclusion(conclusion), ""]
    lines += [f"Changed over {runs} run{'s' if runs != 1 else ''}:", ""]
    ordered = sorted(
        changes, key=lambda change: (is_generated(change.path), -(change.added + change.removed), change.path)
    )
    lines += [f"- `{change.path}` +{change.added} −{change.removed}" for change in ordered[:MAX_FILES]]
    if len(ordered) > MAX_FILES:
        lines.append(f"- … and {len(ordered) - MAX_FILES} more files")
    if tests:
        lines += ["", "Tests:", "", *(f"- {line}" for line in tests)]
    return Draft(title, "\n".join(lines) + "\n")


def merged(before: Mapping[str, Sequence[int]], changes: Sequence[Change]) -> dict[str, list[int]]:
    """Lays a run's changes over what earlier runs of the same entry changed; the newest counts of a file stand."""
    return {
        **{path: list(counts) for path, counts in before.items()},
        **{change.path: [change.added, change.removed] for change in changes},
    }


def _conclusion(text: str) -> str:
    """The agent's own last paragraph of prose, without code and headings."""
    prose = re.sub(r"```[\s\S]*?(?:```|\Z)", "", text)
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\n\s*\n", prose)]
    telling = [paragraph for paragraph in paragraphs if paragraph and not paragraph.startswith(("#", "|", ">"))]
    chosen = redact(telling[0] if telling else prose.strip())
    return chosen if len(chosen) <= MAX_CONCLUSION else chosen[:MAX_CONCLUSION].rsplit(" ", 1)[0] + " …"


def _first_sentence(text: str, limit: int) -> str:
    flat = re.sub(r"\s+", " ", text).strip()
    end = re.search(r"[.!?](?=\s|$)", flat)
    sentence = flat[: end.start()] if end else flat
    return sentence if len(sentence) <= limit else sentence[: limit - 1].rsplit(" ", 1)[0] + "…"
