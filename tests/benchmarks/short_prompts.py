"""Are the right files in the context of short first prompts, in ten languages?

    python -m tests.benchmarks.short_prompts --mirrors FOLDER [--half learning|judging] [--language CODE ...]

`short_prompts.jsonl` has prompts made up for 23 public applications of different kinds, each wholly in one half, with
the files that an agent would want and patterns of others that are useful, written before any run; prompts without
wanted files should bring nothing. Those in other languages than English are translations of the others, apart from ten.
`FOLDER/owner+name/repo` is a repository's git directory.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.programs import sidecar_on_clone
from tests.benchmarks.recorded_context import entries_of
from tests.support.conversation import Conversation
from tests.support.shop import text_of

PROMPTS = Path(__file__).with_name("short_prompts.jsonl")
DEPTHS = (1, 3, 6)
PATIENCE_SECONDS = 600.0


class ShortPrompt(NamedTuple):
    """A prompt, and the files that its work needs."""

    half: str
    repository: str
    commit: str
    language: str
    prompt: str
    expected: list[str]
    useful: list[str]
    """Patterns of other files that serve the work."""


class Found(NamedTuple):
    """What a prompt brought: the files of its context block, in order."""

    prompt: ShortPrompt
    files: Sequence[str]

    @property
    def rank(self) -> int:
        """The place of the first wanted file, from 0; the number of files if there is none."""
        return next((rank for rank, path in enumerate(self.files) if path in self.prompt.expected), len(self.files))

    @property
    def useless(self) -> int:
        """Number of files that are neither wanted nor useful."""
        other = [path for path in self.files if path not in self.prompt.expected]
        return sum(not any(re.search(pattern, path) for pattern in self.prompt.useful) for path in other)


def read_prompts() -> list[ShortPrompt]:
    """Return all prompts."""
    return [ShortPrompt(**json.loads(line)) for line in PROMPTS.read_text(encoding="utf-8").splitlines()]


def files_found(mirror: Path, prompts: Sequence[ShortPrompt]) -> Iterator[Found]:
    """Yield what the prompts of one repository bring, each in a conversation of its own."""
    with sidecar_on_clone(mirror) as (sidecar, worktree):
        subprocess.run(["git", "checkout", "-q", prompts[0].commit], cwd=worktree, check=True)
        texts = [prompt.prompt for prompt in prompts]
        yield from map(Found, prompts, files_shown(sidecar.client, worktree, texts))


def files_shown(client: Any, worktree: Path, prompts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the files that the context of each prompt shows or names, best first, in a conversation of its own."""
    client.request("codebase/index", {"cwd": str(worktree)}, patience=PATIENCE_SECONDS)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=worktree, check=True, capture_output=True)
    tree = frozenset(listed.stdout.decode().split("\0"))
    for number, prompt in enumerate(prompts):
        answer = Conversation(client, worktree, sub_chat_id=f"chat-{number}").pre_run(prompt)
        block = text_of(answer, "context") if answer["blocks"] else ""
        yield list(dict.fromkeys(entry.path for entry in entries_of(block, tree)))


def figures_of(found: Sequence[Found]) -> str:
    """Return the shares of some prompts."""
    answerable = [result for result in found if result.prompt.expected]
    others = [result for result in found if not result.prompt.expected]
    count = len(answerable) or 1

    def share(depth: int) -> float:
        return sum(result.rank < min(depth, len(result.files)) for result in answerable) / count

    shares = ", ".join(f"acc@{depth} {share(depth):.2f}" for depth in DEPTHS)
    useless = sum(result.useless for result in answerable) / count
    wrong = f"; {sum(bool(result.files) for result in others)} of {len(others)} others not empty" if others else ""
    return f"n = {len(answerable)}: {shares}, anywhere {share(sys.maxsize):.2f}, useless files {useless:.1f}{wrong}"


def main() -> int:
    """Print the figures by half and language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--half", choices=("learning", "judging"))
    parser.add_argument("--language", nargs="+")
    options = parser.parse_args()
    chosen = [
        prompt
        for prompt in read_prompts()
        if options.half in (None, prompt.half) and (not options.language or prompt.language in options.language)
    ]
    groups = defaultdict[tuple[str, str], list[Found]](list)
    for repository in dict.fromkeys(prompt.repository for prompt in chosen):
        mirror = options.mirrors / repository.replace("/", "+") / "repo"
        if not mirror.is_dir():
            print(f"{mirror} does not exist: {repository} is left out.")
            continue
        for found in files_found(mirror, [prompt for prompt in chosen if prompt.repository == repository]):
            for language in {found.prompt.language, "en" if found.prompt.language == "en" else "others"}:
                groups[found.prompt.half, language].append(found)
        print(f"{repository}: done", file=sys.stderr, flush=True)
    for (half, language), own in sorted(groups.items()):
        print(f"{half:9} {language:6} {figures_of(own)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
