"""Plays a recorded session: performs its steps in the repository and calls the sidecar as 1Code would.

A person reads and types between two prompts. The player pauses too: after each run and each change by the user it lets
the sidecar's background work run, at most for the recorded pause. So no figure depends on the machine's speed; the time
used is reported.
"""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sidecar.call import Process
from sidecar.core.clock import SystemClock, rfc3339
from sidecar.runs import conversations
from tests.replay.figures import TurnFigures
from tests.replay.reader import Line, Recorded, ReplayFailed, chat_of
from tests.replay.recording import MAIN, End, Event, InRun, Pause, Prompt, Session, Step
from tests.replay.staging import Stage
from tests.replay.stored_parts import StoredStep, in_worktree, stored
from tests.replay.turn_figures import UNPAUSED, Answered, Chat, PackQuery, Paused, row

BEGINS_AT_MS = 1_767_258_000_000  # 2026-01-01T09:00:00Z
WINDOW_TOKENS = 200_000

REACHED = frozenset(("completed", "aborted", "error"))
"""Outcomes of runs that reached the provider."""

FORGOTTEN = frozenset(("reset", "deleted"))
"""Events after which the host has no session to resume."""


class RecordedClock:
    """The recorded time of day, which advances only with runs and pauses. Durations are real."""

    def __init__(self) -> None:
        self._now_ms = BEGINS_AT_MS
        self.monotonic_ms = SystemClock().monotonic_ms

    def now_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        return self._now_ms

    def now(self) -> str:
        """The current time as RFC 3339."""
        return rfc3339(self._now_ms)

    def pass_seconds(self, seconds: float) -> None:
        """Advance the clock."""
        self._now_ms += round(seconds * 1000)


class CountedIds:
    """Ids that are the same in every replay."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made = 0

    def __call__(self) -> str:
        """Return the next id: 32 hexadecimal digits."""
        with self._lock:
            self._made += 1
            return f"{self._made:012x}".ljust(32, "0")


@dataclass(frozen=True)
class Sidecar:
    """The running sidecar that a session is played against."""

    request: Callable[[str, dict[str, Any]], Any]
    """Returns a method's result; raises ReplayFailed."""
    notify: Callable[[str, dict[str, Any]], None]
    """Sends a notification, and returns when it is processed."""
    process: Process
    clock: RecordedClock


class Options(NamedTuple):
    """Options of a replay."""

    deadline_ms: int
    forgetful: bool = False
    """Whether each prompt starts a provider session; the bytes sent are then the measured baseline."""


@dataclass
class _Run:
    """The current run of a chat."""

    prompt: Prompt
    common: dict[str, Any]
    resumed: str | None
    answer: dict[str, Any]
    began_at: str
    steps: list[StoredStep] = field(default_factory=list)


def play(sidecar: Sidecar, stage: Stage, recorded: Recorded, options: Options) -> list[TurnFigures]:
    """Play a session and return a row per prompt; raise ReplayFailed with the line that cannot be played."""
    player = _Player(sidecar, stage, recorded, options)
    for line in recorded.lines:
        try:
            player.play(line)
        except ReplayFailed as error:
            raise ReplayFailed(f"Session {recorded.session.session!r}, line {line.number}: {error}") from error
    return player.turns


class _Player:
    """The host's side of a session."""

    def __init__(self, sidecar: Sidecar, stage: Stage, recorded: Recorded, options: Options) -> None:
        self._sidecar = sidecar
        self._clock = sidecar.clock
        self._stage = stage
        self._session = recorded.session
        self._options = options
        self._chats: dict[str, Chat] = {}
        self._runs: dict[str, _Run] = {}
        self._edits: Counter[str] = Counter()
        self._unreported: dict[str, list[str]] = {}
        self._sent_systems: set[tuple[str, str]] = set()
        self._paused = UNPAUSED
        self._run_count = 0
        self.turns: list[TurnFigures] = []

    def play(self, line: Line) -> None:
        """Play one line."""
        entry = line.entry
        match entry:
            case Prompt():
                self._begin(line.number, entry)
            case Event():
                self._send_event(entry)
            case Pause():
                self._pause(entry.pause)
            case Step():
                self._do(entry, chat_of(entry, list(self._runs), line.number))
            case End() | InRun():
                chat = chat_of(entry, list(self._runs), line.number)
                assert chat is not None  # the recording was checked when it was read
                if isinstance(entry, End):
                    self._end(chat, entry)
                else:
                    self._runs[chat].steps.append(entry)
            case Session():
                raise AssertionError(entry)

    def _do(self, step: Step, chat: str | None) -> None:
        """Perform a step. The agent's steps become parts of its run; the next hint reports the changed files."""
        run = self._runs[chat] if chat is not None else None
        worktree = step.worktree or (run.prompt.worktree if run else MAIN)
        paths = self._stage.do(step, worktree, self._clock.now())
        self._unreported.setdefault(worktree, []).extend(paths)
        if run is None:
            self._edits[worktree] += 1
        elif isinstance(step, StoredStep) and worktree == run.prompt.worktree:
            run.steps.append(step)

    def _pause(self, seconds: float) -> None:
        """Let the background work run while a person reads or types."""
        began_ms = self._clock.monotonic_ms()
        settled = self._sidecar.process.wait_idle(seconds)
        took_ms = self._clock.monotonic_ms() - began_ms
        self._clock.pass_seconds(seconds)
        self._paused = Paused(self._paused.took_ms + took_ms, settled=settled)

    def _hint(self) -> bool:
        """Report changed files, as the host's watcher does; return whether there were any."""
        for worktree, paths in self._unreported.items():
            self._sidecar.notify("continuity/repoChanged", {"cwd": self._cwd(worktree), "paths": paths})
        changed = bool(self._unreported)
        self._unreported.clear()
        return changed

    def _send_event(self, event: Event) -> None:
        chat = self._chats.setdefault(event.chat, Chat())
        provider = chat.provider or "claude"
        session_id = chat.sessions.get(provider)
        worktree = chat.last.worktree if chat.last else MAIN
        steps = {"event": event.event, "cwd": self._cwd(worktree), "subChatId": event.chat, "provider": provider}
        self._sidecar.notify("continuity/sessionEvent", {**steps, "sessionId": session_id})
        if event.event in FORGOTTEN:
            chat.sessions.pop(provider, None)

    def _begin(self, line: int, prompt: Prompt) -> None:
        if self._hint():
            self._pause(self._session.pause_seconds)
        chat = self._chats.setdefault(prompt.chat, Chat())
        provider = chat.provider = prompt.provider or chat.provider or "claude"
        self._run_count += 1
        resumed = None if prompt.fresh or self._options.forgetful else chat.sessions.get(provider)
        common = self._common(prompt, provider)
        began_ms = self._clock.monotonic_ms()
        answer = self._sidecar.request("continuity/preRun", {**common, **self._pre_run_params(prompt, resumed)})
        took_ms = self._clock.monotonic_ms() - began_ms
        if answer["governor"]["startFreshSession"]:
            resumed = None
        query = PackQuery(
            prompt.worktree, provider, prompt.mode, self._task(prompt.chat), prompt.token_mode,
            self._edits[prompt.worktree],
        )  # fmt: skip
        known = None if prompt.fork else resumed
        text = answer["system"]["text"] if answer["system"] else ""
        answered = Answered(answer, took_ms, known is None or (known, text) not in self._sent_systems, known)
        self.turns.append(row(self._session, line, prompt, query, chat.last, answered, self._paused))
        chat.last, self._paused = query, UNPAUSED
        self._runs[prompt.chat] = _Run(prompt, common, resumed, answer, self._clock.now())

    def _end(self, chat: str, end: End) -> None:
        run = self._runs.pop(chat)
        cwd, provider = run.common["cwd"], run.common["provider"]
        self._hint()
        self._clock.pass_seconds(end.seconds)
        after = self._session_after(run, end)
        made = stored(run.steps, provider, cwd, end.text)
        parts = made.parts if end.parts is None else in_worktree(end.parts, cwd)
        errors = made.errors if end.tool_errors is None else in_worktree(end.tool_errors, cwd)
        steps = {
            **run.common,
            "deliveryToken": run.answer["deliveryToken"],
            "outcome": end.end,
            "session": {"before": run.resumed, "after": after},
            "assistant": {"text": end.text, "parts": parts},
            "toolErrors": errors,
            "startedAt": run.began_at,
            "finishedAt": self._clock.now(),
        }
        self._sidecar.request("continuity/postRun", steps)
        if after is not None:
            self._chats[chat].sessions[provider] = after
            if run.answer["system"] and end.end in REACHED:
                self._sent_systems.add((after, run.answer["system"]["text"]))
        self._pause(self._session.pause_seconds)

    def _session_after(self, run: _Run, end: End) -> str | None:
        if end.provider_session is not None or end.end not in REACHED:
            return end.provider_session or run.resumed
        goes_on = run.resumed is not None and not run.prompt.fork
        return run.resumed if goes_on else f"{run.common['provider']}-session-{self._run_count}"

    def _common(self, prompt: Prompt, provider: str) -> dict[str, Any]:
        """Return the params that pre-run and post-run share."""
        return {
            "runId": f"run-{self._run_count}",
            "subChatId": prompt.chat,
            "provider": provider,
            "mode": prompt.mode,
            "cwd": self._cwd(prompt.worktree),
            "projectPath": self._cwd(MAIN),
            "prompt": prompt.prompt,
        }

    def _pre_run_params(self, prompt: Prompt, resumed: str | None) -> dict[str, Any]:
        query: dict[str, Any] = {
            "session": {
                "id": resumed,
                "willResume": resumed is not None,
                "isFork": prompt.fork and resumed is not None,
            },
            "deadlineMs": self._options.deadline_ms,
            "mentions": {"files": prompt.files},
            "hostInjects": prompt.host_injects,
            "tokenMode": prompt.token_mode,
        }
        if prompt.used_tokens is not None:
            query["usage"] = {"usedTokens": prompt.used_tokens, "maxTokens": WINDOW_TOKENS}
        return query

    def _cwd(self, worktree: str) -> str:
        return str(self._stage.roots[worktree])

    def _task(self, chat: str) -> str | None:
        with self._sidecar.process.database.read() as tx:
            task = conversations.sub_chat(tx, chat).task
        return task.fingerprint if task is not None else None
