"""Cost of parsing an agent's output: the search for its promise, its decoding, and a hundred megabytes in one line.

    .venv/bin/python -m tests.benchmarks.promise [megabytes]

The first table shows megabytes per second of processor time, with text in pieces of 64 KB, as the median of five passes
in turn, beside Python's own `find` in the same bytes. The second runs a scripted agent that prints that many megabytes,
each in its own process, with the peak memory of that process.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from sidecar.core.clock import SystemClock
from sidecar.ralph.agent import (
    AgentOptions,
    AnsiStripper,
    OutputFormat,
    OutputParser,
    PromiseSearch,
    TimeLimits,
    agent_command,
)
from sidecar.ralph.agent.runner import run_agent
from tests.benchmarks.arguments import parse_counts
from tests.support.fake_agent import FakeAgent, Step, claude_result, floods, outputs

PIECE, PIECES, PASSES = 64 * 1024, 64, 5
PROMISE = "<promise>COMPLETE</promise>"
PROMPT = f"# Iteration 1 of 25\nWhen all is done, and only then, end your answer with {PROMISE}\n\nFix the parser.\n"

TEXTS = {
    "prose": "The parser now reads an empty list, and every test of it passes.\n",
    "one line, not UTF-8": "x\xff",
    "other tags": "<promise>LATER</promise> ",
    "unclosed tags": "<promise>COMPLETE ",
    "terminal colours": "\x1b[32mpassed\x1b[0m ",
    "only escapes": "\x1b[",
}


def main() -> None:
    """Measure the parts, then whole runs, each in its own process."""
    (megabytes,) = parse_counts(__doc__, megabytes=100)
    _parts()
    _events()
    for kind in RUNS:
        process = subprocess.run(
            (sys.executable, "-m", "tests.benchmarks.promise", "--run", kind, str(megabytes)), check=True, text=True
        )
        assert process.returncode == 0


def _parts() -> None:
    print(f"{'MB/s of CPU':<28}{'find':>9}{'matcher':>9}{'ratio':>7}{'with ANSI':>11}{'parser':>8}")
    for name, unit in TEXTS.items():
        raw = (unit.encode("latin-1") * PIECE)[:PIECE]
        text = raw.decode("utf-8", "replace")
        agent_result = partial(_parse_output, "plain", raw)
        rates = _rates(
            len(raw),
            partial(_plain_find, raw),
            partial(_search_promise, text),
            partial(_strip_and_search, text),
            agent_result,
        )
        find, matcher, ansi, whole = rates
        print(f"{name:<28}{find:>9.0f}{matcher:>9.0f}{find / matcher:>7.1f}{ansi:>11.0f}{whole:>8.0f}")


def _events() -> None:
    content = [{"type": "text", "text": TEXTS["prose"] * 8}]
    message = json.dumps({"type": "assistant", "message": {"content": content}}).encode() + b"\n"
    tool_result = json.dumps(
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "x" * 4_000}]}}
    )
    chunk = ((message + tool_result.encode() + b"\n") * 100)[:PIECE]
    find, parsed, agent_result = _rates(
        len(chunk),
        lambda: _plain_find(chunk),
        lambda: lambda: [json.loads(line) for line in chunk.split(b"\n")[:-1]],
        lambda: _parse_output("claude", chunk),
    )
    print(f"{'Claude’s events':<28}{find:>9.0f}{'':>9}{'':>7}{'':>11}{agent_result:>8.0f}  (json.loads {parsed:.0f})")


def _rates(size: int, *made: Callable[[], Callable[[], object]]) -> list[float]:
    spent: list[list[float]] = [[] for _ in made]
    for _ in range(PASSES):
        for number, make in enumerate(made):
            work = make()
            start = time.thread_time()
            for _ in range(PIECES):
                work()
            spent[number].append(time.thread_time() - start)
    return [size * PIECES / 1e6 / max(median(times), 1e-9) for times in spent]


def _plain_find(raw: bytes) -> Callable[[], object]:
    return lambda: raw.find(b"</promise><end>")


def _search_promise(text: str) -> Callable[[], object]:
    promise = PromiseSearch("COMPLETE", PROMPT)
    return lambda: promise.feed(text)


def _strip_and_search(text: str) -> Callable[[], object]:
    ansi, promise = AnsiStripper(), PromiseSearch("COMPLETE", PROMPT)
    return lambda: promise.feed(ansi.strip(text))


def _parse_output(output_format: OutputFormat, raw: bytes) -> Callable[[], object]:
    parser = OutputParser(output_format, PromiseSearch("COMPLETE", PROMPT), 0, None)
    return lambda: parser.stdout(raw)


RUNS: dict[str, tuple[str, Callable[[int], list[Step]]]] = {
    "one line": ("custom", lambda megabytes: [floods(megabytes), outputs(PROMISE)]),
    "one line, not UTF-8": ("custom", lambda megabytes: [floods(megabytes, b"a\xff"), outputs(PROMISE)]),
    "unclosed tags": ("custom", lambda megabytes: [floods(megabytes, b"<promise>COMPLETE "), outputs(PROMISE)]),
    "escapes": ("custom", lambda megabytes: [floods(megabytes, b"\x1b["), outputs(f"\n{PROMISE}")]),
    "one tool result": (
        "claude",
        lambda megabytes: [
            outputs('{"type":"user","message":"'),
            floods(megabytes),
            outputs('"}\n'),
            claude_result(PROMISE),
        ],
    ),
    "one message": (
        "claude",
        lambda megabytes: [
            outputs('{"type":"assistant","message":{"content":[{"type":"text","text":"'),
            floods(megabytes),
            outputs(f'{PROMISE}"}}]}}}}\n'),
        ],
    ),
}


def _run(kind: str, megabytes: int) -> None:
    harness, steps = RUNS[kind]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        agent = FakeAgent(folder / "agent", steps(megabytes))
        path = f"{agent.install_as('claude')}{os.pathsep}{os.environ['PATH']}"
        options = AgentOptions(harness, command=agent.command)
        before, start, cpu = _peak_mb(), time.perf_counter(), time.process_time()
        agent_result = run_agent(
            agent_command(options, PROMPT, folder, {**os.environ, "PATH": path}, prompt_file=folder / "prompt.md"),
            promise="COMPLETE",
            prompt=PROMPT,
            time_limits=TimeLimits(),
            stop=threading.Event(),
            clock=SystemClock(),
            log_path=folder / "output",
            stream=None,
        )
        assert agent_result.promise
        assert agent_result.exit_code == 0
        spent = f"{time.perf_counter() - start:6.2f} s, {time.process_time() - cpu:5.2f} s of them our CPU"
        stored_mb = (folder / "output").stat().st_size / 1e6
        print(
            f"{megabytes} MB, {kind:<20}{spent}; memory {before:.0f} → {_peak_mb():.0f} MB; stored {stored_mb:.1f} MB"
        )


def _peak_mb() -> float:
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        _run(sys.argv[2], int(sys.argv[3]))
    else:
        main()
