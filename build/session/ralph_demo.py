"""Run the ralph loop with a scripted agent: half done, then a refused promise, then an accepted one."""

from __future__ import annotations

import json
import marshal
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

AGENT = Path(__file__).resolve().parents[2] / "tests" / "support" / "agent_program.py"
CHANGE = "write-the-plan"
TASK = "Write PLAN.md, one line a step, and commit it."
HINT = "Each step begins with a verb."
CHECK = "git ls-files --error-unmatch PLAN.md"
PROMISE = b"<promise>COMPLETE</promise>\n"
LOOP_SECONDS = 120

ITERATIONS: list[list[dict[str, Any]]] = [
    [{"out": b"The first step is written down.\n"}, {"write": "PLAN.md", "content": b"Measure the counts.\n"}],
    [{"out": PROMISE}, {"write": "PLAN.md", "content": b"Measure the counts.\nKeep them in a table.\n"}],
    [{"run": ["git", "add", "PLAN.md"]}, {"run": ["git", "commit", "-qm", "Plan", "PLAN.md"]}, {"out": PROMISE}],
]
"""The agent's actions and output per iteration; the second does not commit, so its promise is not accepted."""

_AUTHOR = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (
    ("NAME", "An agent"), ("EMAIL", "agent@localhost"))}  # fmt: skip


def run_ralph_loop(program: Path, repository: Path, state_dir: Path, work: Path) -> dict[str, Any]:
    """Run the loop to its end; return its output, its history, and the content of its prompts."""
    agent = _scripted(work / "agent")
    _run(program, repository, ["--add-context", HINT])
    arguments = [TASK, "--harness", "custom", "--verify", CHECK, "--continuity", "--state-dir", os.fspath(state_dir)]
    done = _run(program, repository, arguments, command=agent)
    folder = repository / ".spool" / ".state" / "ralph" / CHANGE
    prompts = [(folder / "iterations" / f"{number:04}.prompt.md").read_text("utf-8") for number in (1, 2, 3)]
    return {
        "command": f'spool ralph "{TASK}" --change {CHANGE} --harness custom --verify "{CHECK}" --continuity',
        "exitCode": done.returncode,
        "printed": done.stdout.splitlines(),
        "history": [json.loads(line) for line in (folder / "history.jsonl").read_text("utf-8").splitlines()],
        "promptBytes": [len(prompt.encode()) for prompt in prompts],
        "contextIn": [number for number, prompt in enumerate(prompts, 1) if HINT in prompt],
        "failedCheckIn": [number for number, prompt in enumerate(prompts, 1) if "these checks failed" in prompt],
    }


def _scripted(folder: Path) -> str:
    folder.mkdir(parents=True)
    script = folder / "agent.script"
    script.write_bytes(marshal.dumps((0, ITERATIONS)))
    return shlex.join([sys.executable, os.fspath(AGENT), os.fspath(script)])


def _run(
    program: Path, repository: Path, arguments: list[str], command: str | None = None
) -> subprocess.CompletedProcess[str]:
    named = {} if command is None else {"ONECODE_RALPH_COMMAND": command}
    return subprocess.run(
        [os.fspath(program), "ralph", "--change", CHANGE, *arguments],
        cwd=repository,
        env={**os.environ, **_AUTHOR, **named},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LOOP_SECONDS,
        check=False,
    )


def loop_rows(result: dict[str, Any]) -> list[str]:
    """Return the lines for the terminal."""
    lines = [
        f"$ {result['command']}",
        *(f"| {line}" for line in result["printed"]),
        f"exit status {result['exitCode']}",
    ]
    sizes = ", ".join(f"{size / 1024:.1f} KiB" for size in result["promptBytes"])
    packs = ", ".join(f"{iteration['continuity']['injectedBytes'] / 1024:.1f} KiB" for iteration in result["history"])
    lines.append(f"prompt sizes: {sizes}; packs in them: {packs}")
    context, failed = _listed(result["contextIn"]), _listed(result["failedCheckIn"])
    lines.append(f"added context in prompts {context}, failed check in {failed}")
    return lines


def _listed(numbers: list[int]) -> str:
    return ", ".join(str(number) for number in numbers) or "none"
