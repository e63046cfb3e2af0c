"""Quality of `registry/decide` on packages that nothing was tuned on: `python -m tests.benchmarks.intents FOLDER`.

FOLDER holds a clone of each package under its name. The intents (`labelled/package_intents.tsv`) are our own words,
written from the packages' public documentation before any answer was seen, with the names of the right entities.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.memory_sidecar import MemorySidecar

INTENTS = Path(__file__).parent.parent / "registry" / "labelled" / "package_intents.tsv"
LISTED = 1_000


class PackageIntent(NamedTuple):
    """An intent, and the names of the right entities of its package."""

    package: str
    right: tuple[str, ...]
    intent: str


def read_intents(file: Path = INTENTS) -> list[PackageIntent]:
    """Return the labelled intents."""
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [PackageIntent(package, tuple(right.split()), intent) for package, right, intent in rows]


def is_named(entity_id: str, names: Sequence[str]) -> bool:
    """Whether an entity has one of some names: that of its definition, or of its file.

    Case and underscores do not count: the type `TupleWindows` is what the method `tuple_windows` returns.
    """
    name = _plain(entity_id.rpartition("#")[2].rpartition("/")[2])
    stem = name.partition(".")[0] if "#" not in entity_id else name
    return any(right in {name, stem} or name.endswith(f".{right}") for right in map(_plain, names))


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


class Answer(NamedTuple):
    """The answer to an intent."""

    labelled: PackageIntent
    decision: str
    first: str
    score: float

    @property
    def is_right(self) -> bool:
        """Whether the right entity comes first."""
        return is_named(self.first, self.labelled.right)


def answers(sidecar: MemorySidecar, folder: Path, intents: Sequence[PackageIntent]) -> list[Answer]:
    """Derive a package's registry and decide on its intents."""
    cwd = {"cwd": str(folder)}
    sidecar.client.request("registry/refresh", {**cwd, "fromCode": True})
    result: list[Answer] = []
    for labelled in intents:
        answer = sidecar.client.request("registry/decide", {**cwd, "intent": labelled.intent})
        best = answer["recommendations"][:1]
        first, score = (best[0]["entity"]["id"], best[0]["score"]) if best else ("", 0.0)
        result.append(Answer(labelled, answer["decision"], first, score))
    return result


def unknown_names(sidecar: MemorySidecar, folder: Path, intents: Sequence[PackageIntent]) -> list[str]:
    """Return the labelled names without an entity."""
    listed: list[Any] = []
    while True:
        params = {"cwd": str(folder), "offset": len(listed), "limit": LISTED}
        page = sidecar.client.request("registry/list", params)["entities"]
        listed += [entity["id"] for entity in page]
        if len(page) < LISTED:
            break
    return [
        " ".join(labelled.right)
        for labelled in intents
        if labelled.right and not any(is_named(entity, labelled.right) for entity in listed)
    ]


def figures(given: Sequence[Answer]) -> str:
    """Return the rates of some answers in one line."""
    with_answer = [answer for answer in given if answer.labelled.right]
    first = sum(answer.is_right for answer in with_answer)
    suggested = sum(answer.is_right and answer.decision != "CREATE" for answer in with_answer)
    wrong = sum(answer.decision != "CREATE" and not answer.is_right for answer in given)
    return (
        f"right first {first / len(with_answer):.2f}, suggested {suggested / len(with_answer):.2f}"
        f" (n={len(with_answer)}), wrong suggestions {wrong / len(given):.3f} (n={len(given)})"
    )


def main() -> int:
    """Print the rates by package and together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("packages", nargs="*", help="default: all")
    parser.add_argument("--verbose", action="store_true", help="print each answer that is not as labelled")
    chosen = parser.parse_args()
    intents, total = read_intents(), []
    for package in chosen.packages or dict.fromkeys(labelled.package for labelled in intents):
        own = [labelled for labelled in intents if labelled.package == package]
        with tempfile.TemporaryDirectory() as state:
            sidecar = MemorySidecar(Path(state) / "state", prints_log=False)
            try:
                sidecar.client.initialize()
                given = answers(sidecar, chosen.folder / package, own)
                missing = unknown_names(sidecar, chosen.folder / package, own)
            finally:
                sidecar.close()
        print(f"{package}: {figures(given)}" + (f"; no entity for {', '.join(missing)}" if missing else ""))
        for answer in given if chosen.verbose else ():
            if answer.is_right != bool(answer.labelled.right) or (answer.decision == "CREATE") is answer.is_right:
                right = " ".join(answer.labelled.right) or "-"
                print(f"  {answer.score:5.1f} {answer.labelled.intent!r}: {answer.first}, labelled {right}")
        total += given
    print(f"all: {figures(total)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
