"""Runs an agent once: feeds it the prompt, listens until it ends or has to be ended, and says what was heard."""

import os
import queue
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import IO

from sidecar.core.clock import Clock
from sidecar.core.errors import AgentUnavailable, WorkspaceUnavailable
from sidecar.ralph.agent.agent_result import Bounds, Command, EndedBy, Heard
from sidecar.ralph.agent.discovery import find_program
from sidecar.ralph.agent.output_parser import Hearing
from sidecar.ralph.agent.promise import Promise
from sidecar.system.process_tree import end_group, end_tree, start
from sidecar.system.safe_open import opened

# Keeps the output of a run in a file: the beginning and the end of it, whatever its size.


HEAD_BYTES = 1024 * 1024
TAIL_BYTES = 1024 * 1024
KEPT_BYTES = 2 * (HEAD_BYTES + TAIL_BYTES)
"""No file of ours is larger, whatever the size of its last piece."""


class Kept:
    """A file that grows to two megabytes at most. A file that cannot be written stops no run: `truncated` says so."""

    def __init__(self, path: Path) -> None:
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._left_out = 0
        self._room = HEAD_BYTES
        self.bytes = 0
        self.truncated = False
        self._file: FileIO | None = None
        try:
            self._file = FileIO(opened(str(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb")
        except OSError:
            self.truncated = True

    def add(self, chunk: bytes) -> None:
        """Takes the next piece."""
        self.bytes += len(chunk)
        head, rest = chunk[: self._room], chunk[self._room :]
        if head:
            self._room -= len(head)
            self._write(head)
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
        while self._tail and self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES:
            dropped = len(self._tail.popleft())
            self._tail_bytes -= dropped
            self._left_out += dropped

    def close(self) -> None:
        """Writes the end, after a line that says how much is missing before it."""
        if self._left_out:
            self.truncated = True
            self._write(f"\n[… {self._left_out} bytes left out …]\n".encode())
        for chunk in self._tail:
            self._write(chunk)
        self._tail.clear()
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def _write(self, chunk: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(chunk)
        except OSError:
            self.truncated = True


CHUNK_BYTES = 64 * 1024
_QUEUED_CHUNKS = 16
_TICK_SECONDS = 0.05

QUIET_MS, REST_MS = 250.0, 2_000.0
"""How long an open pipe may be quiet after the agent's end, and how long it is read, before what it left is ended."""

Chunk = tuple[bool, bytes]
"""Whether it is from standard error, and what was read: nothing at the end."""


def run_agent(
    command: Command,
    *,
    promise: str,
    prompt: str,
    bounds: Bounds,
    stop: threading.Event,
    clock: Clock,
    keep: Path,
    stream: Callable[[str], None] | None,
    at_once: threading.Event | None = None,
) -> Heard:
    """Runs an agent to its end; raises AgentUnavailable or WorkspaceUnavailable before anything runs.

    `prompt` is what it is told, so that its echo is known; `keep` is the file for its output; `stream` is shown what it
    says as it says it. It ends by itself, or is ended: by a bound, by `stop`, or with the grace after its result over.
    No grace is left to it once `at_once` is set.
    """
    started_at_ms, start_ms = clock.now_ms(), clock.monotonic_ms()
    hearing = Hearing(command.speech, Promise(promise, prompt), started_at_ms, stream)
    mark = str(keep)
    process = _started(command, mark)
    kept = Kept(keep)
    pipes = _Pipes(process, command.stdin)
    try:
        ended_by = _listen(process, pipes, hearing, kept, bounds, stop, clock)
        if ended_by != "exit":
            end_tree(process, mark, bounds.grace_ms, clock, at_once)
        _drain(process, pipes, hearing, kept, clock)
    finally:
        if process.poll() is None:
            end_tree(process, mark, 0, clock)
        pipes.leave()
        kept.close()
    code = process.returncode
    hearing.close(code if ended_by == "exit" else None)
    return Heard(
        started_at_ms=started_at_ms,
        duration_ms=round(clock.monotonic_ms() - start_ms),
        exit_code=code if code >= 0 else None,
        signal=_signal_name(-code) if code < 0 else None,
        ended_by=ended_by,
        promise=hearing.promise,
        final_text=hearing.final_text,
        output_bytes=kept.bytes,
        output_truncated=kept.truncated,
        input_tokens=hearing.counted.input_tokens,
        output_tokens=hearing.counted.output_tokens,
        cost_usd=hearing.counted.cost_usd,
        session_id=hearing.session_id,
        usage_limit=hearing.limit,
        failed=hearing.failed,
    )


def _started(command: Command, mark: str) -> "subprocess.Popen[bytes]":
    program = find_program(command.argv[0], command.cwd, command.environment)
    try:
        return start(
            (program, *command.argv[1:]),
            command.cwd,
            command.environment,
            mark=mark,
            has_input=bool(command.stdin),
        )
    except OSError as error:
        if not command.cwd.is_dir():
            raise WorkspaceUnavailable(f"The folder {command.cwd} is gone.") from error
        raise AgentUnavailable(
            f"The agent {program} cannot be started: {error.strerror or type(error).__name__}.",
            hint="Start it by hand once; a script needs a first line that names its interpreter.",
        ) from error


class _Pipes:
    """The threads at the ends of an agent's pipes: one feeds it, two read it, into a queue that bounds what waits."""

    def __init__(self, process: "subprocess.Popen[bytes]", stdin: bytes) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._queue: queue.Queue[Chunk] = queue.Queue(_QUEUED_CHUNKS)
        self._left = threading.Event()
        self.open = 2
        for name, work, *arguments in (
            ("agent-stdout", self._read, process.stdout, False),
            ("agent-stderr", self._read, process.stderr, True),
            ("agent-stdin", _feed, process.stdin, stdin),
        ):
            threading.Thread(target=work, args=arguments, name=name, daemon=True).start()

    def next(self, seconds: float) -> Chunk | None:
        """Gives what was read next, or null after some seconds; counts the pipes that are still open."""
        try:
            chunk = self._queue.get(timeout=seconds)
        except queue.Empty:
            return None
        if not chunk[1]:
            self.open -= 1
        return chunk

    def leave(self) -> None:
        """Takes nothing more; a pipe that somebody keeps open is closed when something comes."""
        self._left.set()

    def _read(self, pipe: IO[bytes], is_error: bool) -> None:
        with pipe, suppress(OSError):
            while not self._left.is_set():
                chunk = os.read(pipe.fileno(), CHUNK_BYTES)
                self._put((is_error, chunk))
                if not chunk:
                    return
        self._put((is_error, b""))

    def _put(self, chunk: Chunk) -> None:
        while not self._left.is_set():
            with suppress(queue.Full):
                self._queue.put(chunk, timeout=_TICK_SECONDS)
                return


def _feed(pipe: IO[bytes] | None, text: bytes) -> None:
    """Writes the prompt; an agent may close its input early, or never read it."""
    if pipe is not None:
        with suppress(OSError), pipe:
            view = memoryview(text)
            while view:
                view = view[os.write(pipe.fileno(), view[:CHUNK_BYTES]) :]


def _listen(
    process: "subprocess.Popen[bytes]",
    pipes: _Pipes,
    hearing: Hearing,
    kept: Kept,
    bounds: Bounds,
    stop: threading.Event,
    clock: Clock,
) -> EndedBy:
    """Listens until the agent has ended, or says why it has to be."""
    start_ms = heard_ms = clock.monotonic_ms()
    finished_ms: float | None = None
    while process.poll() is None:
        chunk = pipes.next(_TICK_SECONDS)
        now_ms = clock.monotonic_ms()
        if chunk is not None:
            heard_ms = now_ms
            _take(chunk, hearing, kept)
        finished_ms = None if not hearing.finished else finished_ms or now_ms
        if stop.is_set():
            return "stopped"
        if finished_ms is not None and now_ms - finished_ms >= bounds.grace_ms:
            return "result"
        if bounds.wall_ms is not None and now_ms - start_ms >= bounds.wall_ms:
            return "wall"
        if bounds.idle_ms is not None and now_ms - heard_ms >= bounds.idle_ms:
            return "idle"
    return "exit"


def _drain(process: "subprocess.Popen[bytes]", pipes: _Pipes, hearing: Hearing, kept: Kept, clock: Clock) -> None:
    """Reads what is left in the pipes; one that a daemon of the agent's holds open is not waited for."""
    _read_rest(pipes, hearing, kept, clock, QUIET_MS)
    end_group(process, clock)
    _read_rest(pipes, hearing, kept, clock, 2 * QUIET_MS)


def _read_rest(pipes: _Pipes, hearing: Hearing, kept: Kept, clock: Clock, quiet_ms: float) -> None:
    start_ms = clock.monotonic_ms()
    while pipes.open and clock.monotonic_ms() - start_ms < REST_MS:
        chunk = pipes.next(quiet_ms / 1000)
        if chunk is None:
            return
        _take(chunk, hearing, kept)


def _take(chunk: Chunk, hearing: Hearing, kept: Kept) -> None:
    is_error, piece = chunk
    kept.add(piece)
    if is_error:
        hearing.stderr(piece)
    else:
        hearing.stdout(piece)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
