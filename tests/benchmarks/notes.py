"""Share of rules in notes blocks that are verified rightly: true ones supported, all others not.

    .venv/bin/python -m tests.benchmarks.notes FOLDER [FOLDER ...]

A folder holds `cases.jsonl`: `kind`, `supported`, `rule`, `message`, `before` and `repo` of each case. Recorded
messages belong to their authors and are not part of this repository; without a folder nothing is measured.
"""

import argparse
import json
import math
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from sidecar.memory import TypedMessage, verify_rule

NORMAL_95 = 1.96


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--repository", action="append", default=[], help="only cases of this repository")
    parser.add_argument("--show", default="", help="print the wrong cases of this kind")
    arguments = parser.parse_args()
    missing = [folder for folder in arguments.folders if not (folder / "cases.jsonl").is_file()]
    if missing or not arguments.folders:
        print(f"no labelled cases: {', '.join(map(str, missing)) or 'name a folder with cases.jsonl'}")
        return 1
    outcomes: dict[str, list[bool]] = defaultdict(list)
    started = time.perf_counter()
    for case in (case for folder in arguments.folders for case in read_cases(folder)):
        if arguments.repository and case["repo"] not in arguments.repository:
            continue
        support = verify_rule(case["rule"], [TypedMessage(case["message"], case["before"])])
        is_right = (support is not None) == case["supported"]
        outcomes[case["kind"]].append(is_right)
        outcomes["all true" if case["supported"] else "all false"].append(is_right)
        if case["kind"] == arguments.show and not is_right:
            print(f"{case['rule']}\n    {support.evidence if support else 'unsupported'}")
    total_ms = (time.perf_counter() - started) * 1000
    print_shares(outcomes)
    print(f"{total_ms / max(1, len(outcomes['all true']) + len(outcomes['all false'])):.2f} ms a rule")
    return 0


def read_cases(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()]


def print_shares(outcomes: dict[str, list[bool]]) -> None:
    for kind, rights in sorted(outcomes.items()):
        low, high = interval(sum(rights), len(rights))
        share = sum(rights) / len(rights)
        print(f"{kind:16} {sum(rights):5} of {len(rights):5}  {share:.3f}  [{low:.3f}, {high:.3f}]")


def interval(right: int, total: int) -> tuple[float, float]:
    """The Wilson interval of a share, 95 %."""
    share, square = right / total, NORMAL_95**2
    center = share + square / (2 * total)
    spread = NORMAL_95 * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    return (center - spread) / (1 + square / total), (center + spread) / (1 + square / total)


if __name__ == "__main__":
    sys.exit(main())
