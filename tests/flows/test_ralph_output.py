"""Any agent output is parsed in linear time, with little memory, and stored in part."""

import contextlib
import os
import time
from collections.abc import Callable, Sequence

import psutil
import pytest

from tests.support.depth import examples
from tests.support.fake_agent import FakeAgent, Step, claude_result, floods, outputs, outputs_error
from tests.support.growth import takes_linear_time
from tests.support.ralph_command import Ralph

PROMISE = "<promise>COMPLETE</promise>"
MEGABYTES, MEMORY_BYTES = examples(100, 60), 64 * 1024 * 1024
QUICK_SECONDS = 20.0
"""Processor time of a loop that reads them; a quadratic search would take hours."""

Played = tuple[int, int]


class LoopPlayer:
    """Runs loops to their end and adds up their processor time."""

    def __init__(self, ralph: Ralph, agent: FakeAgent) -> None:
        self.processor_seconds = 0.0
        self._ralph = ralph
        self._agent = agent

    def play(self, steps: Sequence[Step], *flags: str, **variables: str) -> Played:
        """Run a loop and return its exit code and its peak memory.

        The memory is what the process has to itself: the pages of libraries are everybody's.
        """
        self._agent.set_runs(list(steps))
        loop = self._ralph.start("Fix the till.", "--no-stream", *flags, **variables)
        watched, highest, spent = psutil.Process(loop.pid), 0, 0.0
        while loop.poll() is None:
            with contextlib.suppress(psutil.Error):
                highest = max(highest, int(watched.memory_full_info().uss))
                spent = sum(watched.cpu_times()[:2])
            time.sleep(0.02)
        self.processor_seconds += spent
        return loop.returncode, highest

    def takes_linear_time(self, play: Callable[[int], Played]) -> bool:
        """Whether the processor time of loops grows linearly with the megabytes that they read in little memory."""

        def work_of(megabytes: int) -> Callable[[], None]:
            def play_and_check() -> None:
                code, highest = play(megabytes)
                assert code == 0
                assert 0 < highest < MEMORY_BYTES

            return play_and_check

        return takes_linear_time(
            work_of, MEGABYTES // 4, quick_seconds=QUICK_SECONDS, clock=lambda: self.processor_seconds
        )


@pytest.fixture
def player(ralph: Ralph, agent: FakeAgent) -> LoopPlayer:
    return LoopPlayer(ralph, agent)


def test_a_line_of_many_megabytes_uses_less_than_sixty_four_megabytes(player: LoopPlayer) -> None:
    assert player.takes_linear_time(lambda megabytes: player.play([floods(megabytes, b"a\xff"), outputs(PROMISE)]))
    assert player.processor_seconds > 0


def test_a_huge_tool_result_does_not_hide_a_promise(player: LoopPlayer, agent: FakeAgent) -> None:
    start, end = outputs('{"type":"user","message":"'), [outputs('"}\n'), claude_result(f"Done. {PROMISE}")]
    path = f"{agent.install_as('claude')}{os.pathsep}{os.environ['PATH']}"
    assert player.takes_linear_time(
        lambda megabytes: player.play([start, floods(megabytes), *end], "--harness", "claude", PATH=path)
    )


def test_megabytes_on_both_streams_do_not_deadlock(player: LoopPlayer, ralph: Ralph) -> None:
    noise = [step for _ in range(40) for step in (outputs_error("e" * 100_000), outputs("o" * 100_000))]
    assert player.play([*noise, outputs(PROMISE)])[0] == 0
    assert ralph.history()[0]["outputBytes"] == 8_000_000 + len(PROMISE)
