"""Material that a session leaves for memory: the user's words, the agent's conclusions, resolved errors, notes. Pure.

One reader for post-run parts, for the transcript of a Stop hook and for the transcript before a compaction: each is a
stream of the same events. The user's words are prompts, answers to questions and the words of a refusal. A prompt
counts as typed only in a conversation at the top level: expanded commands, compaction summaries, interrupts, messages
of other agents and text that the harness inserts are nobody's words. An error counts as resolved if a command failed,
something was changed, the same command succeeded, and the agent explained it.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from sidecar.core.json_text import loads
from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.conclusions import StatementKind, explanation_in
from sidecar.transcripts.event_stream import read_events
from sidecar.transcripts.events import USER_REJECTED, Event, Message, ToolCall, ToolResult

Author = Literal["user", "assistant"]


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

    @property
    def is_empty(self) -> bool:
        """Whether it contains nothing."""
        return not (self.utterances or self.errors or self.notes or self.cited or self.near_misses)


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
    }


def from_json(value: Mapping[str, Any]) -> SessionSummary:
    """Return the summary that was serialized by `to_json`."""
    return SessionSummary(
        value["session"],
        value["source"],
        tuple(Utterance(**{**item, "touched": tuple(item.get("touched", ()))}) for item in value["utterances"]),
        tuple(ErrorEvent(**{**item, "changed": tuple(item.get("changed", ()))}) for item in value["errors"]),
        tuple(Note(**{**item, "tags": tuple(item["tags"])}) for item in value["notes"]),
        tuple(value["cited"]),
        tuple(value.get("delivered", ())),  # absent in material of an older version, like the next
        tuple(NearMiss(**item) for item in value.get("near_misses", ())),
        value.get("arm", ""),
    )


_HARNESS_TEXT = lazy_regex(
    r"<(system-reminder|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|task-notification|user-prompt-submit-hook"
    r"|ide_[a-z_]+|turn_aborted|user_instructions|environment_context|skill|user_action|teammate-message"
    r"|cross-session-message|agent-message|slack-tag-message|fetched-web-content)(?:\s[^>\n]{0,500})?>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
_EXPANSION = lazy_regex(r"\s*+<(?:command-(?:name|message|args)|local-command-[a-z]+)>")
"""Begins a command's record; what follows is the text that the command stands for."""
_COMMAND = lazy_regex(r"/[a-zA-Z][\w:-]*(?:\s|$)")
_INTERRUPT = lazy_regex(r"^\[Request interrupted by user[^\]\n]{0,40}\]\s*")
_NOT_TYPED = (
    "This session is being continued from a previous conversation",
    "Caveat: The messages below were generated by the user while running local commands",
    "Your task is to create a detailed summary",
    "Another Claude session sent a message:",
    "Stop hook feedback:",
    "Base directory for this skill:",
)
_REFUSAL = lazy_regex(
    r"(?:The user doesn't want to proceed with this tool use\.|Permission for this tool use was denied\.)[^\n:]{0,200}?"
    r"(?:the user said|the user provided the following reason for the rejection):(?P<words>.+)",
    re.IGNORECASE | re.DOTALL,
)
"""Matches from the beginning only: the output of a failed command may contain the same sentences."""
_DENIAL = lazy_regex(
    r"(?:The user doesn't want to (?:proceed with this tool use|take this action)|Interrupted by user"
    r"|Permission for this tool use was denied|Permission to use [^\n]{1,500} has been denied"
    r"|(?:Exit code \d{1,3}\n)?\[Request interrupted by user)"
)
_NOTE_AFTER_REFUSAL = lazy_regex(r"\n[^\S\n]*+(?:Note: The user's next message|\(The user|IMPORTANT:).*", re.DOTALL)
_QUESTIONS_REFUSED = (
    "The user wants to clarify these questions.",
    "The user has indicated they have provided enough answers",
)
"""Sentences for the agent whose questions the user left; the answers given so far follow."""
_ANSWER_PAIR = lazy_regex(r'"(?P<question>[^"\n]{3,500})"\s?=\s?"(?P<answer>[^"\n]{1,2000})"')
_LISTED_ANSWER = lazy_regex(
    r'^- "(?P<question>[^"\n]{3,500})"\n[^\S\n]*+Answer: (?P<answer>[^\n]{1,2000})', re.MULTILINE
)
_OTHER = lazy_regex(r"(?:^|(?<=, ))Other: ")
"""Precedes the words with which the user of 1Code answers instead of choosing, or besides."""

QUESTION_TOOLS = frozenset(("AskUserQuestion", "request_user_input", "ask_user_question"))
"""Tools with which Claude Code and Codex put questions to the user."""


class Answer(NamedTuple):
    """The user's answer to a question of the agent."""

    question: str
    words: str


def typed_words(text: str) -> str:
    """Return the part of a recorded prompt that the user typed; empty if there is none."""
    if _EXPANSION.match(text):
        return ""
    words = _INTERRUPT.sub("", _HARNESS_TEXT.sub("", text)).strip()
    if _COMMAND.match(words) or any(words.startswith(beginning) for beginning in _NOT_TYPED):
        return ""
    return words


def is_interrupt(text: str) -> bool:
    """Whether a recorded prompt only reports that the user interrupted the agent."""
    return _INTERRUPT.match(text.strip()) is not None


def refusal_words(text: str) -> str:
    """Return what the user wrote when refusing a tool or a plan; empty if nothing."""
    match = _REFUSAL.match(text)
    words = _NOTE_AFTER_REFUSAL.sub("", match["words"]).strip() if match is not None else ""
    return "" if words.startswith(_QUESTIONS_REFUSED) else words


def is_denial(text: str) -> bool:
    """Whether a tool's error only reports that the user or a rule denied the call, or that the user interrupted it."""
    return _DENIAL.match(text) is not None


def answers_of(arguments: Mapping[str, Any], output: Any) -> Iterator[Answer]:
    """Yield the answers to the questions that a tool call asked; `output` is its structured or its text result.

    A note that the user added to an answer is part of it.
    """
    questions = _questions(arguments)
    if isinstance(output, str) and output.lstrip().startswith("{"):
        output = _parsed(output)
    if isinstance(output, str):
        pattern = _LISTED_ANSWER if any(text in output for text in _QUESTIONS_REFUSED) else _ANSWER_PAIR
        for match in pattern.finditer(output):
            if not questions or match["question"] in questions.values():
                yield Answer(match["question"], _OTHER.sub("", match["answer"]))
        return
    answers, notes = ((output if isinstance(output, Mapping) else {}).get(name) for name in ("answers", "annotations"))
    given_answers = answers if isinstance(answers, Mapping) else {}
    notes_by_question = notes if isinstance(notes, Mapping) else {}
    for key in dict.fromkeys((*given_answers, *notes_by_question)):
        if words := _with_note(_answer_words(given_answers.get(key)), notes_by_question.get(key)):
            yield Answer(questions.get(str(key), str(key)), words)


def _with_note(answer: str, annotation: Any) -> str:
    note = annotation.get("notes") if isinstance(annotation, Mapping) else None
    if not isinstance(note, str) or note.strip() in answer:
        return answer
    return f"{answer.rstrip('.')}. {note.strip()}" if answer else note.strip()


def question_texts(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the questions that a tool call asked."""
    return tuple(dict.fromkeys(_questions(arguments).values()))


def _questions(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of each question by its id, header and text."""
    questions = arguments.get("questions")
    by_key: dict[str, str] = {}
    for question in questions if isinstance(questions, list) else []:
        if isinstance(question, Mapping) and isinstance(text := question.get("question"), str):
            keys = (question.get(name) for name in ("id", "header", "question"))
            by_key.update({key: text for key in keys if isinstance(key, str)})
    return by_key


def _answer_words(given: Any) -> str:
    """Return an answer as text: a string, a list of chosen labels, or an object with `answers`."""
    if isinstance(given, Mapping):
        given = given.get("answers", given.get("answer"))
    if isinstance(given, list):
        given = ", ".join(item for item in given if isinstance(item, str))
    return _OTHER.sub("", given.strip()) if isinstance(given, str) else ""


def _parsed(output: str) -> Any:
    try:
        return loads(output.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return output


MAX_UTTERANCE_CHARACTERS = 20_000
MAX_OUTPUT_CHARACTERS = 4_000
MAX_BEFORE_CHARACTERS = 1_200
MAX_RESOLUTION_CHARACTERS = 400
MAX_MESSAGES, MAX_ERRORS = 400, 100
"""Only the last messages and errors are used."""

MAX_TOUCHED = 2
MAX_FILES = 5

_PATH_MEMBERS = ("file_path", "notebook_path", "path")
_WRITING = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"))
_CHANGING = frozenset(("content", "new_string", "new_source", "edits", "changes"))
"""Tools that write files, and the arguments of one with another name."""


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
                Utterance("user", words[:MAX_UTTERANCE_CHARACTERS], at_ms, True, context, touched, question)
            )

    def _read_call(self, call: ToolCall) -> None:
        self._calls[call.call_id] = call
        if call.tool in _WRITING or not _CHANGING.isdisjoint(call.arguments):
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
        """Return a path relative to the working folder; one outside of it is no file of the project."""
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
