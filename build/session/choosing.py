"""Which files were chosen for a prompt and why, as `continuity/explain` tells it, in lines that people read."""

from __future__ import annotations

from typing import Any

SHOWN_FILES = 4
"""The rest stands in the packs, and in what `--json` prints."""
PATH_WIDTH = 46
INDENT = 11
FAINT = 0.05
"""A smaller part of a score is not worth a word."""

_DISPOSITIONS = {"sent": "", "alreadyDelivered": "(kept) ", "trimmed": "(left out) "}

MEANINGS = {
    "mentioned": "the user pointed at it",
    "namedPath": "the prompt spells its path",
    "identifiers": "defines names that the prompt spells out",
    "text": "its content has the prompt's words",
    "passage": "one place in it has many of them",
    "path": "its path has them",
    "names": "its definitions' names have them",
    "scope": "its path fits the scope of a `fix(scope): ...`",
    "nearestCommits": "past commits worded like the prompt changed it",
    "similarCommits": "past commits very much alike changed it",
    "latest": "one of the last few commits changed it",
    "recent": "one of the last few hundred commits changed it",
    "changedTogether": "changes in the same commits as the best files",
    "imports": "the best files import it",
    "testPair": "the test of one of the best files, or what one tests",
    "changedWithTouched": "changes in the same commits as files this conversation touched",
    "testPairTouched": "test or subject of a file this conversation touched",
    "folderTouched": "beside a file this conversation touched",
    "changed": "has the words, and is not committed as it is",
    "length": "long files say more",
    "testRequested": "a test, and the prompt speaks of tests",
    "test": "a test",
    "document": "prose or data, and the prompt speaks of neither",
    "documentRequested": "prose or data, and the prompt speaks of it",
    "unknownLanguage": "of no language we know",
    "generated": "made by a program",
}
"""What a part of a score stands for; how much each may weigh says sidecar/codebase/search/ranking.py."""


def chosen_files(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Gives the files of a pack, best first and numbered, each with its score's parts, the heaviest first."""
    files = [
        {
            "path": item["item"].partition(":")[2],
            "score": round(sum(item["score"].values()), 2),
            "parts": dict(sorted(item["score"].items(), key=lambda part: -abs(part[1]))),
            "why": item["why"],
            "disposition": item["disposition"],
        }
        for item in items
        if item["item"].startswith("context:")
    ]
    files.sort(key=lambda file: (-file["score"], file["path"]))
    return [{"rank": rank, **file} for rank, file in enumerate(files, 1)]


def table(files: list[dict[str, Any]], width: int) -> list[str]:
    """Gives two lines a file: rank, score, path and parts, then the reasons in words; of the first few files."""
    shown = files[:SHOWN_FILES]
    column = min(PATH_WIDTH, max((len(file["path"]) for file in shown), default=0))
    lines = []
    for file in shown:
        head = f"{file['rank']:>2}  {file['score']:>5.2f}  {_shortened(file['path'], column):<{column}}  "
        lines.append(head + parts_line(file["parts"], width - len(head)))
        why = f"{_DISPOSITIONS[file['disposition']]}{file['why']}"
        lines.append(" " * INDENT + (why if len(why) <= width - INDENT else why[: width - INDENT - 3] + "..."))
    if len(files) > len(shown):
        lines.append(" " * INDENT + f"and {len(files) - len(shown)} more")
    return lines


def parts_line(parts: dict[str, float], width: int) -> str:
    """Gives as many parts as fit, the heaviest first, and how many more there are."""
    told = [f"{name} {value:.2f}" for name, value in parts.items() if abs(value) >= FAINT]
    fitting = len(told)
    while fitting > 1 and len(_joined(told, fitting)) > width:
        fitting -= 1
    return _joined(told, fitting)


def legend(turns: list[dict[str, Any]]) -> list[str]:
    """Says what the parts mean that were seen in these turns."""
    weight: dict[str, float] = {}
    for told in turns:
        for file in told["chosen"][:SHOWN_FILES]:
            for name, value in file["parts"].items():
                weight[name] = max(weight.get(name, 0.0), abs(value))
    ordered = sorted((name for name in weight if weight[name] >= FAINT), key=lambda name: -weight[name])
    return [f"{name:<16} {MEANINGS.get(name, '')}".rstrip() for name in ordered]


def _joined(told: list[str], fitting: int) -> str:
    more = f", +{len(told) - fitting}" if fitting < len(told) else ""
    return ", ".join(told[:fitting]) + more


def _shortened(path: str, width: int) -> str:
    """Leaves the front of a long path out: its end tells files apart."""
    return path if len(path) <= width else "..." + path[len(path) - width + 3 :]
