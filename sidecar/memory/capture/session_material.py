"""A session's material for memory: the user's words, the agent's conclusions, resolved errors, notes. Pure.

One reader for post-run parts, for the transcript of a Stop hook and for the transcript before a compaction: each is a
stream of the same events. An error counts as resolved if a command failed, something was changed, the same command
succeeded, and the agent explained it.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from sidecar.language.conclusions import StatementKind, explanation_in
from sidecar.transcripts.events import EDITING_TOOLS, USER_REJECTED, Author, Event, Message, ToolCall, ToolResult
from sidecar.transcripts.transcript_tail import read_events
from sidecar.transcripts.typed_words import (
    QUESTION_TOOLS,
    answers_of,
    is_denial,
    is_interrupt,
    question_texts,
    refusal_words,
    typed_words,
)


class Utterance(NamedTuple):
    """A message of a session, verbatim."""

    author: Author
    text: str
    at_ms: int
    is_typed: bool = False
    """Whether the user typed it in a conversation at the top level."""
    before: str = ""
    """The end of the agent's text, the question, or the refused proposal that it answers."""
    touched: tuple[str, ...] = ()
    """The files that were written last before it."""
    question: str = ""
    """The agent's question that it answers; empty if none was asked."""


class ErrorEvent(NamedTuple):
    """An error, and what resolved it."""

    text: str
    resolution: str
    """Empty while unresolved."""
    at_ms: int
    subject: str = ""
    """The thing that failed, such as a test's name; empty if the error is clear by itself."""
    changed: tuple[str, ...] = ()
    """The files that were changed to resolve it."""


class Note(NamedTuple):
    """A statement worth storing, with its kind."""

    type: StatementKind
    title: str
    text: str
    author: str
    at_ms: int
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    retention: Literal["daily", "durable"] = "daily"
    """`durable` if the user confirmed it; it then has a file of its own."""
    is_standing_instruction: bool = False
    """Whether a message that the user typed in a top-level conversation states it as lasting."""
    reversal: Literal["", "statement", "candidate"] = ""
    """Whether the user typed words that take something back. It is a standing instruction if it takes back an active
    one; a candidate is stored only then."""
    withdraws: str = ""
    """Words of its sentence that take an earlier statement back: this one replaces it."""


NearMissReason = Literal["belowThreshold", "withoutReason"]
"""belowThreshold: the user's sentence scored too low; withoutReason: a choice of the agent without reason."""


class NearMiss(NamedTuple):
    """A sentence that nearly became a memory, masked."""

    reason: NearMissReason
    text: str
    score: float
    at_ms: int


class SessionSummary(NamedTuple):
    """Material of one session, or of part of it."""

    session: str
    source: str
    """A run or a compaction. The same source counts once, however often it is captured."""
    utterances: tuple[Utterance, ...] = ()
    errors: tuple[ErrorEvent, ...] = ()
    notes: tuple[Note, ...] = ()
    cited: tuple[str, ...] = ()
    """Ids of memories that an answer cites."""
    delivered: tuple[str, ...] = ()
    """Ids of memories delivered to the session: its agent's statements of them are not new evidence."""
    near_misses: tuple[NearMiss, ...] = ()
    arm: str = ""
    """Mark of the experiment's arm that the chat belongs to; empty outside of an experiment."""
    is_statement: bool = False
    """Whether the user's message consists of what it states as lasting."""
    withdrawn_source: str = ""
    """The source before, whose message the user takes back with this one; empty without such words."""

    @property
    def is_empty(self) -> bool:
        """Whether it contains nothing."""
        return not (
            self.utterances or self.errors or self.notes or self.cited or self.near_misses or self.withdrawn_source
        )


def session_source(session: str, part: str) -> str:
    """Name a source that covers a whole session, as each of its compactions does."""
    return f"{session}:{part}"


def to_json(summary: SessionSummary) -> dict[str, Any]:
    """Return a summary as a JSON value, for storage until it is captured."""
    return {
        "session": summary.session,
        "source": summary.source,
        "utterances": [item._asdict() for item in summary.utterances],
        "errors": [item._asdict() for item in summary.errors],
        "notes": [item._asdict() for item in summary.notes],
        "cited": list(summary.cited),
        "delivered": list(summary.delivered),
        "near_misses": [item._asdict() for item in summary.near_misses],
        "arm": summary.arm,
        "is_statement": summary.is_statement,
        "withdrawn_source": summary.withdrawn_source,
    }


def from_json(value: Mapping[str, Any]) -> SessionSummary:
    """Return the summary that was serialized by `to_json`."""
    return SessionSummary(
        session=value["session"],
        source=value["source"],
        utterances=tuple(Utterance(**_with_tuple(item, "touched")) for item in value["utterances"]),
        errors=tuple(ErrorEvent(**_with_tuple(item, "changed")) for item in value["errors"]),
        notes=tuple(Note(**_with_tuple(item, "tags")) for item in value["notes"]),
        cited=tuple(value["cited"]),
        delivered=tuple(value.get("delivered", ())),  # absent in material of an older version, like the next
        near_misses=tuple(NearMiss(**item) for item in value.get("near_misses", ())),
        arm=value.get("arm", ""),
        is_statement=value.get("is_statement", False),
        withdrawn_source=value.get("withdrawn_source", ""),
    )


def _with_tuple(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**item, name: tuple(item.get(name, ()))}


MAX_UTTERANCE_CHARACTERS = 20_000
MAX_OUTPUT_CHARACTERS = 4_000
MAX_BEFORE_CHARACTERS = 1_200
MAX_RESOLUTION_CHARACTERS = 400
MAX_MESSAGES, MAX_ERRORS = 400, 100
"""Only the last messages and errors are used."""

MAX_TOUCHED = 2
MAX_FILES = 5

_PATH_MEMBERS = ("file_path", "notebook_path", "path")
_CHANGING = frozenset(("content", "new_string", "new_source", "edits", "changes"))
"""Arguments of a tool with another name that writes files."""


class ConversationContent(NamedTuple):
    """Content of a conversation, oldest first."""

    utterances: tuple[Utterance, ...] = ()
    errors: tuple[ErrorEvent, ...] = ()


class _FailedCommand(NamedTuple):
    """A command that failed, and what happened since."""

    output: str
    at_ms: int
    written: list[str]
    texts: list[str]


class _Reader:
    """Follows the events of a conversation in order."""

    def __init__(self, cwd: str, before: str) -> None:
        self.cwd = cwd
        self.utterances: list[Utterance] = []
        self.errors: list[ErrorEvent] = []
        self._calls: dict[str, ToolCall] = {}
        self._failed: dict[str, _FailedCommand] = {}
        self._resolved: list[_FailedCommand] = []
        self._touched: list[str] = []
        self._before = before

    def read(self, event: Event) -> None:
        """Take the next event in."""
        match event:
            case Message():
                self._read_message(event)
            case ToolCall():
                self._read_call(event)
            case ToolResult():
                self._read_result(event)
            case _:
                pass

    def finish(self) -> ConversationContent:
        """Return what was read; commands that still fail are unresolved errors."""
        self._settle()
        for failed in self._failed.values():
            self.errors.append(ErrorEvent(failed.output, "", failed.at_ms))
        return ConversationContent(tuple(self.utterances[-MAX_MESSAGES:]), tuple(self.errors[-MAX_ERRORS:]))

    def _read_message(self, message: Message) -> None:
        if message.author == "assistant":
            text = typed_words(message.text) or message.text.strip()
            for failed in (*self._failed.values(), *self._resolved):
                failed.texts.append(text)
            self._settle()
            self._before = text
            self.utterances.append(Utterance("assistant", text[:MAX_UTTERANCE_CHARACTERS], message.at_ms))
        elif not (is_interrupt(message.text) and not typed_words(message.text)):
            self._add_words(typed_words(message.text), message.at_ms, self._before)

    def _add_words(self, words: str, at_ms: int, before: str, question: str = "") -> None:
        if words:
            touched = tuple(dict.fromkeys(self._touched[-MAX_TOUCHED:]))
            context = before[-MAX_BEFORE_CHARACTERS:]
            self.utterances.append(
                Utterance(
                    author="user",
                    text=words[:MAX_UTTERANCE_CHARACTERS],
                    at_ms=at_ms,
                    is_typed=True,
                    before=context,
                    touched=touched,
                    question=question,
                )
            )

    def _read_call(self, call: ToolCall) -> None:
        self._calls[call.call_id] = call
        if call.tool in EDITING_TOOLS or not _CHANGING.isdisjoint(call.arguments):
            paths = [path for path in map(self._relative, _written_paths(call)) if path]
            self._touched.extend(path for path in paths if path not in self._touched[-MAX_TOUCHED:])
            for failed in self._failed.values():
                failed.written.extend(path for path in paths if path not in failed.written)

    def _read_result(self, result: ToolResult) -> None:
        call = self._calls.get(result.call_id)
        if call is not None and call.tool in QUESTION_TOOLS:
            output = result.structured if result.structured is not None else result.text
            for answer in answers_of(call.arguments, output):
                self._add_words(answer.words, result.at_ms, answer.question, answer.question)
        if words := _refusal(result, call):
            self._add_words(words, result.at_ms, _refused(call) or self._before)
        if result.failed and (result.denial or is_denial(result.text)):
            return
        command = result.command or _command_of(call)
        if command and result.failed:
            self._failed.setdefault(command, _FailedCommand(result.text[-MAX_OUTPUT_CHARACTERS:], result.at_ms, [], []))
        elif command and (failed := self._failed.pop(command, None)):
            self._resolved.append(failed)

    def _settle(self) -> None:
        """Turn the commands that succeed again into errors with their resolution, if the agent explained it."""
        for failed in self._resolved:
            explanation = explanation_in("\n\n".join(failed.texts), MAX_RESOLUTION_CHARACTERS)
            is_proven = bool(explanation and failed.written)
            changed = tuple(failed.written[:MAX_FILES])
            self.errors.append(ErrorEvent(failed.output, explanation if is_proven else "", failed.at_ms, "", changed))
        self._resolved.clear()

    def _relative(self, path: str) -> str:
        """Return a path relative to the working folder; one outside of it is not a file of the project."""
        relative = os.path.relpath(path, self.cwd) if self.cwd and os.path.isabs(path) else path
        return "" if relative.startswith(os.pardir) or os.path.isabs(relative) else relative.replace(os.sep, "/")


def read_conversation(events: Iterable[Event], cwd: str = "", before: str = "") -> ConversationContent:
    """Return what a conversation's events leave; paths are relative to `cwd`, `before` is what the agent wrote last."""
    reader = _Reader(cwd, before)
    for event in events:
        reader.read(event)
    return reader.finish()


def read_transcript(lines: Iterable[bytes], since_ms: int, cwd: str = "") -> ConversationContent:
    """Read what was said and run after a moment; damaged and unknown records are skipped."""
    return read_conversation(read_events(lines, since_ms + 1, Message, ToolCall, ToolResult), cwd)


def _written_paths(call: ToolCall) -> Iterator[str]:
    for name in _PATH_MEMBERS:
        if isinstance(path := call.arguments.get(name), str) and path:
            yield path
    changes = call.arguments.get("changes")
    if isinstance(changes, dict):
        yield from (path for path in changes if isinstance(path, str) and path)


def _command_of(call: ToolCall | None) -> str:
    command = call.arguments.get("command") if call is not None else None
    if isinstance(command, list):
        command = " ".join(str(word) for word in command)
    return command if isinstance(command, str) else ""


def _refusal(result: ToolResult, call: ToolCall | None) -> str:
    """Return the user's words in a refusal.

    Where the record does not name who denied the call, the error of an external tool may be anybody's words.
    """
    if not result.failed or result.exit_code is not None:
        return ""
    is_external = call is None or call.tool.startswith("mcp__")
    is_refusal = result.denial == USER_REJECTED if result.denial else not is_external
    return refusal_words(result.text) if is_refusal else ""


def _refused(call: ToolCall | None) -> str:
    """Return what the user refused: questions, a plan, a command, or a change of a file."""
    if call is None:
        return ""
    if questions := question_texts(call.arguments):
        return " ".join(questions)
    plan = call.arguments.get("plan")
    if isinstance(plan, str):
        return plan
    command = _command_of(call)
    paths = ", ".join(_written_paths(call))
    return f"{call.tool}: {command or paths}" if command or paths else ""
