"""The files selected for a prompt and the reasons, from `continuity/explain`, as lines for the terminal."""

from __future__ import annotations

from typing import Any

SHOWN_FILES = 4
"""Number of files shown; the others are in the packs and in the output of `--json`."""
PATH_WIDTH = 46
INDENT = 11
MIN_PART_VALUE = 0.05
"""Parts of a score below this value are not shown."""

_DISPOSITIONS = {"sent": "", "alreadyDelivered": "(reused) ", "trimmed": "(trimmed) "}

PART_MEANINGS = {
    "mentioned": "mentioned by the user",
    "namedPath": "the prompt names its path, or means it: the checks (CI), a dependency",
    "quoted": "has a text that the prompt quotes",
    "usesQuoted": "uses the key of a text that the prompt quotes",
    "identifiers": "defines identifiers named in the prompt",
    "text": "contains words of the prompt",
    "contents": "contains words of the prompt, found before the index was ready",
    "passage": "has a passage with many of them",
    "path": "its path contains them",
    "names": "names of its definitions contain them",
    "scope": "its path matches the scope of `fix(scope): ...`",
    "nearestCommits": "changed by commits worded like the prompt",
    "similarCommits": "changed by very similar commits",
    "latest": "changed by one of the last few commits",
    "recent": "changed in the last few hundred commits",
    "outside": "outside of the workspace's folder",
    "view": "a page, component or style, and the prompt has words about a screen",
    "translation": "texts in another language than English, and the prompt is not about languages",
    "changedTogether": "changes together with the best files",
    "imports": "imported by the best files",
    "testPair": "test or subject of one of the best files",
    "changedWithTouched": "changes together with files touched in this conversation",
    "testPairTouched": "test or subject of a file touched in this conversation",
    "notFound": "does not match the prompt by itself",
    "changesWithAdditions": "changed with most of the last additions to a folder",
    "bestOfRequest": "best for one of several requests in the prompt",
    "newestOfKind": "newest of the kind that the prompt asks to create",
    "usedRecently": "used in one of the project's last conversations",
    "usedInSeveral": "used in several of them",
    "editedRecently": "edited in one of them",
    "folderTouched": "next to a file touched in this conversation",
    "changed": "has the words and uncommitted changes",
    "length": "correction for file length",
    "testRequested": "a test, and the prompt mentions tests",
    "test": "a test",
    "document": "prose or data, which the prompt does not mention",
    "documentRequested": "prose or data, which the prompt mentions",
    "fileName": "the prompt has the words of its name",
    "dataNamed": "data or configuration whose path contains the prompt's words",
    "unknownLanguage": "unsupported language",
    "generated": "generated file",
}
"""Meaning of each part of a score; the weights are in sidecar/codebase/search/ranking.py."""


def chosen_files(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the files of a pack, ranked by score, each with the parts of its score, the largest first."""
    files = [_chosen_file(item) for item in items if item["item"].startswith("context:")]
    files.sort(key=lambda file: (-file["score"], file["path"]))
    return [{"rank": rank, **file} for rank, file in enumerate(files, 1)]


def _chosen_file(item: dict[str, Any]) -> dict[str, Any]:
    """Return a file with the parts of its score, and the score of each of its regions: `12-40 name`."""
    parts: dict[str, float] = item["score"]
    return {
        "path": item["item"].partition(":")[2],
        "score": round(sum(parts.values()), 2),
        "parts": dict(sorted(parts.items(), key=lambda part: -abs(part[1]))),
        "regions": {
            f"{region['lines']} {region['name']}".rstrip(): round(sum(region["score"].values()), 2)
            for region in item["regions"]
        },
        "why": item["why"],
        "disposition": item["disposition"],
    }


def table(files: list[dict[str, Any]], width: int) -> list[str]:
    """Return two lines per file, for the first few files: rank, score, path and parts, then the reasons."""
    shown = files[:SHOWN_FILES]
    column = min(PATH_WIDTH, max((len(file["path"]) for file in shown), default=0))
    lines = []
    for file in shown:
        head = f"{file['rank']:>2}  {file['score']:>5.2f}  {_shortened(file['path'], column):<{column}}  "
        lines.append(head + parts_line(file["parts"], width - len(head)))
        shown_regions = f"; shows {', '.join(file['regions'])}" if file["regions"] else ""
        why = f"{_DISPOSITIONS[file['disposition']]}{file['why']}{shown_regions}"
        lines.append(" " * INDENT + (why if len(why) <= width - INDENT else why[: width - INDENT - 3] + "..."))
    if len(files) > len(shown):
        lines.append(" " * INDENT + f"and {len(files) - len(shown)} more")
    return lines


def parts_line(parts: dict[str, float], width: int) -> str:
    """Return as many parts as fit, the largest first, and the number of omitted ones."""
    texts = [f"{name} {value:.2f}" for name, value in parts.items() if abs(value) >= MIN_PART_VALUE]
    count = len(texts)
    while count > 1 and len(_joined(texts, count)) > width:
        count -= 1
    return _joined(texts, count)


def legend(turns: list[dict[str, Any]]) -> list[str]:
    """Return the meanings of the parts shown for these turns."""
    weight: dict[str, float] = {}
    for turn in turns:
        for file in turn["chosen"][:SHOWN_FILES]:
            for name, value in file["parts"].items():
                weight[name] = max(weight.get(name, 0.0), abs(value))
    ordered = sorted((name for name in weight if weight[name] >= MIN_PART_VALUE), key=lambda name: -weight[name])
    return [f"{name:<18} {PART_MEANINGS.get(name, '')}".rstrip() for name in ordered]


def _joined(texts: list[str], count: int) -> str:
    more = f", +{len(texts) - count}" if count < len(texts) else ""
    return ", ".join(texts[:count]) + more


def _shortened(path: str, width: int) -> str:
    """Shorten a path at its start; its end distinguishes files."""
    return path if len(path) <= width else "..." + path[len(path) - width + 3 :]
