"""Any agent output is parsed in seconds, with little memory, and stored in part."""

import os
import time
from collections.abc import Sequence

import psutil

from tests.support.fake_agent import FakeAgent, Step, claude_result, floods, outputs, outputs_error
from tests.support.ralph_command import Ralph

PROMISE = "<promise>COMPLETE</promise>"
MEGABYTES, MEMORY_BYTES, SECONDS = 100, 64 * 1024 * 1024, 60.0


def played(
    ralph: Ralph, agent: FakeAgent, steps: Sequence[Step], *flags: str, **variables: str
) -> tuple[int, float, int]:
    """Run a loop to its end and return its exit code, its seconds, and its peak memory.

    The memory is what the process has to itself: the pages of libraries are everybody's.
    """
    agent.set_runs(list(steps))
    start, highest = time.monotonic(), 0
    loop = ralph.start("Fix the till.", "--no-stream", *flags, **variables)
    watched = psutil.Process(loop.pid)
    while loop.poll() is None:
        highest = max(highest, memory_of(watched))
        time.sleep(0.02)
    return loop.returncode, time.monotonic() - start, highest


def memory_of(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().uss)
    except psutil.Error:
        return 0


def test_a_hundred_megabyte_line_uses_less_than_sixty_four_megabytes(ralph: Ralph, agent: FakeAgent) -> None:
    code, seconds, highest = played(ralph, agent, [floods(MEGABYTES, b"a\xff"), outputs(PROMISE)])
    assert code == 0
    assert 0 < highest < MEMORY_BYTES
    assert seconds < SECONDS


def test_a_huge_tool_result_does_not_hide_a_promise(ralph: Ralph, agent: FakeAgent) -> None:
    steps = [
        outputs('{"type":"user","message":"'),
        floods(MEGABYTES),
        outputs('"}\n'),
        claude_result(f"Done. {PROMISE}"),
    ]
    path = f"{agent.install_as('claude')}{os.pathsep}{os.environ['PATH']}"
    code, seconds, highest = played(ralph, agent, steps, "--harness", "claude", PATH=path)
    assert code == 0
    assert 0 < highest < MEMORY_BYTES
    assert seconds < SECONDS


def test_megabytes_on_both_streams_do_not_deadlock(ralph: Ralph, agent: FakeAgent) -> None:
    noise = [step for _ in range(40) for step in (outputs_error("e" * 100_000), outputs("o" * 100_000))]
    assert played(ralph, agent, [*noise, outputs(PROMISE)])[0] == 0
    assert ralph.history()[0]["outputBytes"] == 8_000_000 + len(PROMISE)
