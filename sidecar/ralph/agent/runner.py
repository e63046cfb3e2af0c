"""Runs an agent process once: writes the prompt, parses the output, enforces the time limits, returns the result."""

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
from sidecar.ralph.agent.harnesses import AgentCommand, AgentProcess, AgentResult, EndedBy, TimeLimits, find_program
from sidecar.ralph.agent.output_parser import OutputParser
from sidecar.ralph.agent.promise import PromiseSearch
from sidecar.system.process_tree import kill_group, start, start_time, terminate_tree
from sidecar.system.safe_open import open_real_parent, open_regular

HEAD_BYTES = 1024 * 1024
TAIL_BYTES = 1024 * 1024
MAX_LOG_BYTES = 2 * (HEAD_BYTES + TAIL_BYTES)
"""Maximum size of an output file, whatever the size of its last piece."""


class OutputLog:
    """The file with the first and the last megabyte of a run's output.

    A file that cannot be written does not stop the run; `truncated` reports it.
    """

    def __init__(self, path: Path) -> None:
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._omitted_bytes = 0
        self._head_room = HEAD_BYTES
        self.bytes = 0
        self.truncated = False
        self._file: FileIO | None = None
        try:
            with open_real_parent(str(path)) as (folder, name):
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                self._file = FileIO(open_regular(folder.at(name), flags, mode=0o600, folder_fd=folder.fd), "wb")
        except OSError:
            self.truncated = True

    def add(self, chunk: bytes) -> None:
        """Append the next piece."""
        self.bytes += len(chunk)
        head, rest = chunk[: self._head_room], chunk[self._head_room :]
        if head:
            self._head_room -= len(head)
            self._write(head)
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
        while self._tail and self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES:
            dropped = len(self._tail.popleft())
            self._tail_bytes -= dropped
            self._omitted_bytes += dropped

    def close(self) -> None:
        """Write the end, after a line with the number of omitted bytes."""
        if self._omitted_bytes:
            self.truncated = True
            self._write(f"\n[… {self._omitted_bytes} bytes omitted …]\n".encode())
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
"""Time an open pipe may be silent after the agent's end, and total time it is read, before its child processes are
ended.
"""

Chunk = tuple[bool, bytes]
"""Whether it comes from standard error, and the bytes read; empty at the end."""


def run_agent(
    command: AgentCommand,
    *,
    promise: str,
    prompt: str,
    time_limits: TimeLimits,
    stop: threading.Event,
    clock: Clock,
    log_path: Path,
    stream: Callable[[str], None] | None,
    no_grace: threading.Event | None = None,
    on_start: Callable[[AgentProcess | None], None] | None = None,
) -> AgentResult:
    """Run an agent to its end; raise AgentUnavailable or WorkspaceUnavailable before anything runs.

    `prompt` is passed to detect its echo; `log_path` is the output file; `stream` receives the agent's text as it
    arrives; `on_start` receives the process, and None once it has ended. The agent ends by itself, at a time limit, by
    `stop`, or when the grace after its result is over. There is no grace once `no_grace` is set.
    """
    started_at_ms, start_ms = clock.now_ms(), clock.monotonic_ms()
    parser = OutputParser(command.output_format, PromiseSearch(promise, prompt), started_at_ms, stream)
    mark = f"{log_path}@{started_at_ms}"
    process = _start_process(command, mark)
    output_log = OutputLog(log_path)
    pipes = _Pipes(process, command.stdin)
    try:
        if on_start is not None:
            on_start(AgentProcess(process.pid, start_time(process.pid), mark))
        ended_by = _read_until_end(process, pipes, parser, output_log, time_limits, stop, clock)
        if ended_by != "exit":
            terminate_tree(process, mark, time_limits.grace_ms, clock, no_grace)
        _drain(process, pipes, parser, output_log, clock)
    finally:
        if process.poll() is None:
            terminate_tree(process, mark, 0, clock)
        pipes.stop_reading()
        output_log.close()
    if on_start is not None:
        on_start(None)
    code = process.returncode
    parser.close(code if ended_by == "exit" else None)
    return AgentResult(
        started_at_ms=started_at_ms,
        duration_ms=round(clock.monotonic_ms() - start_ms),
        exit_code=code if code >= 0 else None,
        signal=_signal_name(-code) if code < 0 else None,
        ended_by=ended_by,
        promise=parser.promise,
        final_text=parser.final_text,
        output_bytes=output_log.bytes,
        output_truncated=output_log.truncated,
        input_tokens=parser.usage.input_tokens,
        output_tokens=parser.usage.output_tokens,
        cost_usd=parser.usage.cost_usd,
        session_id=parser.session_id,
        usage_limit=parser.limit,
        error=parser.error,
        last_message=parser.last_message,
        edited_files=frozenset(parser.edited_files),
    )


def _start_process(command: AgentCommand, mark: str) -> "subprocess.Popen[bytes]":
    program = find_program(command.argv[0], command.cwd, command.environment)
    try:
        return start(
            (program, *command.argv[1:]),
            command.cwd,
            command.environment,
            mark=mark,
            has_input=bool(command.stdin),
            is_verbatim=command.is_verbatim,
        )
    except OSError as error:
        if not command.cwd.is_dir():
            raise WorkspaceUnavailable(f"The folder {command.cwd} no longer exists.") from error
        raise AgentUnavailable(
            f"The agent {program} cannot be started: {error.strerror or type(error).__name__}.",
            hint="Run it by hand once; a script needs a shebang line.",
        ) from error


class _Pipes:
    """The threads at an agent's pipes: one writes stdin, two read into a bounded queue."""

    def __init__(self, process: "subprocess.Popen[bytes]", stdin: bytes) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._queue: queue.Queue[Chunk] = queue.Queue(_QUEUED_CHUNKS)
        self._is_stopped = threading.Event()
        self.open = 2
        for name, work, *arguments in (
            ("agent-stdout", self._read, process.stdout, False),
            ("agent-stderr", self._read, process.stderr, True),
            ("agent-stdin", _write_stdin, process.stdin, stdin),
        ):
            threading.Thread(target=work, args=arguments, name=name, daemon=True).start()

    def next(self, seconds: float) -> Chunk | None:
        """Return the next chunk, or null after some seconds; update the number of open pipes."""
        try:
            chunk = self._queue.get(timeout=seconds)
        except queue.Empty:
            return None
        if not chunk[1]:
            self.open -= 1
        return chunk

    def stop_reading(self) -> None:
        """Stop reading; a pipe that another process holds open is closed when data arrives."""
        self._is_stopped.set()

    def _read(self, pipe: IO[bytes], is_error: bool) -> None:
        with pipe, suppress(OSError):
            while not self._is_stopped.is_set():
                chunk = os.read(pipe.fileno(), CHUNK_BYTES)
                self._put((is_error, chunk))
                if not chunk:
                    return
        self._put((is_error, b""))

    def _put(self, chunk: Chunk) -> None:
        while not self._is_stopped.is_set():
            with suppress(queue.Full):
                self._queue.put(chunk, timeout=_TICK_SECONDS)
                return


def _write_stdin(pipe: IO[bytes] | None, text: bytes) -> None:
    """Write the prompt; an agent may close its input early or never read it."""
    if pipe is not None:
        with suppress(OSError), pipe:
            view = memoryview(text)
            while view:
                view = view[os.write(pipe.fileno(), view[:CHUNK_BYTES]) :]


def _read_until_end(
    process: "subprocess.Popen[bytes]",
    pipes: _Pipes,
    parser: OutputParser,
    output_log: OutputLog,
    time_limits: TimeLimits,
    stop: threading.Event,
    clock: Clock,
) -> EndedBy:
    """Read the output until the agent ends; return why it ended or must be ended."""
    start_ms = last_output_ms = clock.monotonic_ms()
    finished_ms: float | None = None
    while process.poll() is None:
        chunk = pipes.next(_TICK_SECONDS)
        now_ms = clock.monotonic_ms()
        if chunk is not None:
            last_output_ms = now_ms
            _process_chunk(chunk, parser, output_log)
        finished_ms = None if not parser.finished else finished_ms or now_ms
        if stop.is_set():
            return "stopped"
        if finished_ms is not None and now_ms - finished_ms >= time_limits.grace_ms:
            return "result"
        if time_limits.wall_ms is not None and now_ms - start_ms >= time_limits.wall_ms:
            return "wall"
        if time_limits.idle_ms is not None and now_ms - last_output_ms >= time_limits.idle_ms:
            return "idle"
    return "exit"


def _drain(
    process: "subprocess.Popen[bytes]", pipes: _Pipes, parser: OutputParser, output_log: OutputLog, clock: Clock
) -> None:
    """Read the rest of the pipes; do not wait for one that a daemon of the agent holds open."""
    _read_rest(pipes, parser, output_log, clock, QUIET_MS)
    kill_group(process, clock)
    _read_rest(pipes, parser, output_log, clock, 2 * QUIET_MS)


def _read_rest(pipes: _Pipes, parser: OutputParser, output_log: OutputLog, clock: Clock, quiet_ms: float) -> None:
    start_ms = clock.monotonic_ms()
    while pipes.open and clock.monotonic_ms() - start_ms < REST_MS:
        chunk = pipes.next(quiet_ms / 1000)
        if chunk is None:
            return
        _process_chunk(chunk, parser, output_log)


def _process_chunk(chunk: Chunk, parser: OutputParser, output_log: OutputLog) -> None:
    is_error, piece = chunk
    output_log.add(piece)
    if is_error:
        parser.stderr(piece)
    else:
        parser.stdout(piece)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
