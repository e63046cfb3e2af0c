"""Time of the registry: reading it cold and warm, a decision among ten thousand entities; and the accuracy of
decisions.

python -m tests.benchmarks.decide [entities] [rounds]

Prints medians in milliseconds from one run, as multiples of hashing the registry's file, which every refresh needs;
then the rates on the labelled intents, beside those of counting shared words.
"""

import gc
import random
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from sidecar.core.digests import digest_bytes
from sidecar.language.message_intent import creation_request
from sidecar.registry import RegistryIndex, hint_for
from sidecar.registry import parse_registry as parse
from sidecar.registry.project_registry import ProjectRegistry
from tests.benchmarks.arguments import parse_counts
from tests.benchmarks.programs import quiet_sidecar
from tests.registry.labelled.code_intents import CODE_INTENTS
from tests.registry.labelled.evaluation import Rates, keyword_overlap, ours, rates
from tests.registry.labelled.intents import INTENTS

PATH = ".chati/registry.yaml"
VERBS = "route validate render parse store send list build sign stream load merge split cache compress export".split()
NOUNS = (
    "request session cookie header template receipt invoice customer order price stock report email token file".split()
)
PLACES = "cart checkout ledger warehouse gateway profile billing search archive printer queue dashboard".split()


def registry(entities: int) -> str:
    """Return a registry's text whose words repeat as in a large project."""
    pick = random.Random(7)
    lines = ["metadata:", f"  entity_count: {entities}", "", "entities:", "  modules:"]
    for number in range(entities):
        verb, noun, place = pick.choice(VERBS), pick.choice(NOUNS), pick.choice(PLACES)
        more = " ".join(pick.sample(NOUNS + VERBS, 4))
        lines += [
            f"    {verb}-{noun}-{number}:",
            f"      path: src/{place}/{verb}_{noun}_{number}.py",
            "      type: module",
            f'      purpose: "{verb.title()} each {noun} of the {place}, {more}, batch{number % 500}"',
            f"      keywords: [{verb}, {noun}, {place}, step{number % 900}]",
            f"      dependencies: [{'' if number < 9 else ', '.join(_dependencies(lines, pick))}]",
            "      adaptability: 0.5",
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure everything in one project."""
    entities, rounds = parse_counts(__doc__, entities=10_000, rounds=30)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        (project / ".chati").mkdir(parents=True)
        text = registry(entities)
        (project / PATH).write_text(text, encoding="utf-8")
        for path in re.findall(r"^ +path: (\S+)$", text, re.MULTILINE):  # only what exists is an answer
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).touch()
        unit = timed(lambda: digest_bytes((project / PATH).read_bytes()), rounds)
        print(f"{entities} entities, {len(text) // 1024} KiB; reading and hashing the file takes {unit:.2f} ms\n")
        measure(project, Path(folder) / "state", text, unit, rounds)
    print()
    for registries, intents in (("curated", INTENTS), ("derived", CODE_INTENTS)):
        for name, rank in (("ours", ours), ("shared words", keyword_overlap)):
            show_rates(f"{registries}, {name}", len(intents), rates(rank, intents))


def measure(project: Path, state: Path, text: str, unit: float, rounds: int) -> None:
    """Measure loading and deciding, through the methods and below them."""
    sidecar = quiet_sidecar(state)
    sidecar.client.initialize()
    process = sidecar.app.process
    assert process is not None
    workspace = process.workspaces.get(str(project), None)

    def ask(verb: str, **params: Any) -> Any:
        return sidecar.client.request(f"registry/{verb}", {"cwd": str(project), **params})

    def fresh() -> ProjectRegistry:
        return ProjectRegistry(project, workspace.project_key, process)

    show("parse, cold", timed(lambda: parse(text), 3), unit)
    fresh().load()
    process.database.write_behind.flush() if hasattr(process.database.write_behind, "flush") else time.sleep(0.5)
    process.database.write_behind.flush()
    show("load from the cache on disk", timed(lambda: fresh().load(), rounds), unit)
    warm = fresh()
    entities = warm.load().registry.entities
    show("refresh, unchanged", timed(warm.load, rounds), unit)
    show("stem the words, once per registry", timed(lambda: RegistryIndex(entities), 3), unit)
    known = warm.index(warm.load().registry).words
    show("invert known words, once per process", timed(lambda: RegistryIndex(entities, known), 3), unit)
    hint_for(workspace, process, "a module")
    process.wait_idle(60)
    intents = [f"{verb} the {noun} of the {place}" for verb, noun, place in zip(VERBS, NOUNS, PLACES, strict=False)]
    ask("decide", intent=intents[0])
    show("registry/decide, warm", timed_each(lambda intent: ask("decide", intent=intent), intents, rounds), unit)
    show(
        "hint, warm",
        timed_each(lambda text: hint_for(workspace, process, f"a module to {text}"), intents, rounds),
        unit,
    )
    no_hint_ms = timed_each(lambda text: creation_request(f"Why does it {text}?"), intents, rounds)
    show("no hint, for a prompt without creation", no_hint_ms, unit)
    show("registry/impact, warm", timed(lambda: ask("impact", id=entities[0].id), rounds), unit)
    sidecar.close()


def show(what: str, times: float, unit: float) -> None:
    """Print a median."""
    print(f"{what:<46} {times:9.3f} ms  {times / unit:8.2f} × hashing")


def show_rates(name: str, intents: int, found: Rates) -> None:
    """Print the accuracy of a ranking."""
    print(
        f"{name:<23} {intents} intents: top 1 {found.top1:.0%}, top 3 {found.top3:.0%}, hinted {found.hinted:.0%},"
        f" decided correctly {found.decisions:.0%}, misled {found.misled:.0%}"
    )


def timed(work: Callable[[], object], rounds: int) -> float:
    """Return the median of `rounds` rounds in milliseconds."""
    return timed_each(lambda _: work(), [""], rounds)


def timed_each(work: Callable[[str], object], over: list[str], rounds: int) -> float:
    """Return the median over all texts, each measured `rounds` times, in milliseconds."""
    times = []
    gc.collect()
    for _ in range(rounds):
        for text in over:
            start = time.perf_counter()
            work(text)
            times.append((time.perf_counter() - start) * 1000)
    return quantiles(times, n=2)[0] if len(times) > 1 else median(times)


def _dependencies(lines: list[str], pick: random.Random) -> list[str]:
    """Return two earlier entities."""
    count = (len(lines) - 5) // 7
    return [lines[5 + 7 * pick.randrange(count)].strip().rstrip(":") for _ in range(2)]


if __name__ == "__main__":
    main()
