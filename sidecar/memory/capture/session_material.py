"""A session's material for memory: the user's words, the agent's conclusions, resolved errors, notes. Pure.

One reader for post-run parts, for the transcript of a Stop hook and for the transcript before a compaction: each is a
stream of the same events. An error counts as resolved if the agent explained it after a change: of a file, before the
same command succeeded; or of what an error names that the user pasted, if the next message does not show it again.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import sentences
from sidecar.core.terms import query_terms
from sidecar.language.common_words import is_distinctive
from sidecar.language.conclusions import StatementKind, explanation_in
from sidecar.system.safe_open import path_below
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
    is_pasted: bool = False
    """Whether the user's message shows it, rather than a command of the agent."""


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
        utterances=tuple(Utterance(**_with_tuples(item, "touched")) for item in value["utterances"]),
        errors=tuple(ErrorEvent(**_with_tuples(item, "changed")) for item in value["errors"]),
        notes=tuple(Note(**_with_tuples(item, "tags")) for item in value["notes"]),
        cited=tuple(value["cited"]),
        delivered=tuple(value.get("delivered", ())),  # absent in material of an older version, like the next
        near_misses=tuple(NearMiss(**item) for item in value.get("near_misses", ())),
        arm=value.get("arm", ""),
        is_statement=value.get("is_statement", False),
        withdrawn_source=value.get("withdrawn_source", ""),
    )


def _with_tuples(item: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {**item, **{name: tuple(item.get(name, ())) for name in names}}


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


class _Failure(NamedTuple):
    """A command that failed, or an error that the user pasted, and what happened since."""

    output: str
    at_ms: int
    written: list[str]
    texts: list[str]
    names: frozenset[str] = frozenset()
    """Files and symbols that a pasted error names: a change of something else does not resolve it."""


class _Reader:
    """Follows the events of a conversation in order."""

    def __init__(self, cwd: str, before: str) -> None:
        self.cwd = cwd
        self.utterances: list[Utterance] = []
        self.errors: list[ErrorEvent] = []
        self._calls: dict[str, ToolCall] = {}
        self._failed: dict[str, _Failure] = {}
        self._resolved: list[_Failure] = []
        self._pasted: _Failure | None = None
        self._errors_before = 0
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
        self._settle_pasted("")
        for failed in self._failed.values():
            self.errors.append(ErrorEvent(failed.output, "", failed.at_ms))
        return ConversationContent(tuple(self.utterances[-MAX_MESSAGES:]), tuple(self.errors[-MAX_ERRORS:]))

    def _read_message(self, message: Message) -> None:
        if message.author == "assistant":
            text = typed_words(message.text) or message.text.strip()
            for failed in self._failures:
                failed.texts.append(text)
            self._settle()
            self._before = text
            self.utterances.append(Utterance("assistant", text[:MAX_UTTERANCE_CHARACTERS], message.at_ms))
        elif (words := typed_words(message.text)) or not is_interrupt(message.text):
            self._settle_pasted(words)
            self._pasted, self._errors_before = _pasted_error(words, message.at_ms), len(self.errors)
            self._add_words(words, message.at_ms, self._before)

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
            for failed in self._failures:
                if not failed.names or _changes_any(call, paths, failed.names):
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
            self._failed.setdefault(command, _Failure(result.text[-MAX_OUTPUT_CHARACTERS:], result.at_ms, [], []))
        elif command and (failed := self._failed.pop(command, None)):
            self._resolved.append(failed._replace(output=vanished_lines(failed.output, result.text)))

    @property
    def _failures(self) -> list[_Failure]:
        """Failures that are not settled yet."""
        return [*self._failed.values(), *self._resolved, *([self._pasted] if self._pasted is not None else ())]

    def _settle(self) -> None:
        """Turn the commands that succeed again into errors with their resolution, if the agent explained it."""
        for failed in self._resolved:
            self.errors.append(_error_event(failed))
        self._resolved.clear()

    def _settle_pasted(self, following: str) -> None:
        """Turn a pasted error into one with its resolution, unless the next message or a command shows it again.

        A command of the agent that failed with it and passed again has its resolution.
        """
        pasted, self._pasted = self._pasted, None
        if pasted is None or any(error.resolution for error in self.errors[self._errors_before :]):
            return
        outputs = (following, *(failed.output for failed in self._failed.values()))
        is_left = any(_shows(output, pasted.output) for output in outputs)
        event = _error_event(pasted)._replace(is_pasted=True)
        self.errors.append(event._replace(resolution="") if is_left else event)

    def _relative(self, path: str) -> str:
        """Return a path relative to the working folder; one outside of it is not a file of the project."""
        if self.cwd and os.path.isabs(path):
            return path_below(self.cwd, path) or ""
        return "" if path.startswith(os.pardir) or os.path.isabs(path) else path.replace(os.sep, "/")


def _error_event(failed: _Failure) -> ErrorEvent:
    """Return an error with its resolution, if something was changed and the agent explained it."""
    explanation = explanation_in(_about("\n\n".join(failed.texts), failed), MAX_RESOLUTION_CHARACTERS)
    resolution = explanation if failed.written else ""
    return ErrorEvent(failed.output, resolution, failed.at_ms, "", tuple(failed.written[:MAX_FILES]))


def _about(text: str, failed: _Failure) -> str:
    """Return the agent's text; of one on a pasted error, the sentences that are about it and plan nothing."""
    if not failed.names:
        return text
    known = frozenset(filter(is_distinctive, query_terms(failed.output)))
    about = (
        sentence
        for sentence in sentences(text)
        if len(known.intersection(query_terms(sentence))) >= MIN_SHARED
        or not failed.names.isdisjoint(_IDENTIFIER.findall(sentence))
    )
    return "\n\n".join(sentence for sentence in about if not _NO_EXPLANATION.match(sentence))


MIN_SHARED = 2
"""Distinctive words that a sentence without a name of a pasted error shares with it if it is about it."""
_NO_EXPLANATION = lazy_regex(r"(?i)[✅✓☑]|(?:now |so |next |first |then )?(?:i|we) (?:still )?(?:need|have) to\b")
"""The beginning of a sentence that reports success or plans."""

MAX_LINE = 300
_MAX_READ = 20_000
_MAX_LINES = 2_000
_PATH = r"(?:\d{1,3}>)?(?:file://)?(?:[A-Za-z]:)?[^\s:()\[\]'\"]{1,300}"
_POSITION = r"(?::\d{1,7}(?::\d{1,5})?|\(\d{1,7}(?:[,:-] ?\d{1,5}){0,3}\)|: ?[\[(]\d{1,7}, ?\d{1,5}[\])])"
_POSITIONED = lazy_regex(
    r"(?P<mark>\[error\] |\[ERROR\] |e: |\*\* \(\w{1,60}Error\) |vet: )?"
    rf"(?P<place>{_PATH}){_POSITION}(?: ?: ?| - | )(?P<message>\S.+)"
)
"""A line with a path and a position, as compilers and linters write them; their marks of an error come first."""
_ERROR_WORD = lazy_regex(r"(?:fatal |syntax |parse |compile )?error\b", re.IGNORECASE)
_NO_ERROR_WORD = lazy_regex(
    r"(?:warning|note|info|hint|remark|help|suggestion|in function|in member function|first defined here)\b"
    r"|\w{0,60}Warning\b",
    re.IGNORECASE,
)
_LISTED = lazy_regex(
    r"\d{1,6}:\d{1,5}\s{1,8}error\s{1,8}(?P<message>\S.+)|Error(?: \(active\))?\t(?P<cells>[A-Z]{1,8}\d+\t.+)"
)
"""A row of a list of errors, whose file stands elsewhere."""
_CODED = lazy_regex(r"(?:[^\s:]{1,300} : |LINK : )?(?:fatal )?error [A-Z]{1,8}\d{2,6}\s?: .+|CMake Error at .+")
_NAMED = lazy_regex(
    r".{0,400}?(?P<line>(?:[\w.]{0,100}(?:Error|Exception|Failure|Warning|Panic)\b: .+)"
    r"|(?:\b(?:error|fatal|panic|failed|ERR!)(?:\[[\w-]{1,40}\])?: .+)|(?:\berror [A-Z]{1,8}\d+: .+))$"
)
_PHRASE = lazy_regex(
    r"command not found|No such file or directory|Permission denied|Connection refused|EADDRINUSE|Cannot find module"
    r"|is not recognized as|not found in PATH|Segmentation fault|undefined reference to|multiple definition of"
    r"|cannot find -l|Undefined symbols for"
)
"""Words that mark a line as an error wherever they stand."""
_HEAD = lazy_regex(
    r"(?:ERROR|FATAL|E|✘ \[ERROR\]|\[ERROR\]|\[error\])(?:: ?| )\s{0,3}(?P<line>\S.{4,})"
    r"|npm (?:ERR!|error) (?P<line2>(?:E[A-Z]{3,}|\d{3}|Missing|Invalid|Cannot|Unsupported) .+)"
    r"|(?P<line3>\*\* \([\w.]{1,80}\) .+|.{1,400} \((?:[A-Z]\w{0,60}::){0,4}[A-Z]\w{0,60}(?:Error|Exception)\))$"
    r"|(?P<line6>.{1,400} at [^\s]{1,200} line \d{1,7}\b.{0,200})"
    r"|> (?P<line4>Could not \w.+)|make(?:\[\d+\])?: \*\*\* (?P<line5>[^\[].+)"
)
"""A line that begins or ends with what marks an error."""
_SUMMARY = lazy_regex(
    r"\b(?:aborting due to|could not compile|(?:build|compilation|linker command) failed|failed with \d+|\d+ errors?\b"
    r"|(?:exited|returned \d+|^)\s?(?:with )?exit (?:code|status)|re-run|for more information|to see the full|see above"
    r"|help 1\]|errors have been logged|aborted at |error test failed|:compile \(|compilation error)",
    re.IGNORECASE,
)
"""Words of a line that only counts or announces errors."""
_BARE_MARK = lazy_regex(
    r"(?:\berror|^CMake Error at [^\n]{1,300}|^Undefined symbols [^\n]{1,100}):?(?: \[[\w-]{1,40}\])?:?$", re.IGNORECASE
)
"""The end of a line whose error is on the next one."""
_PROJECT_SUFFIX = lazy_regex(r" \[[^\]\n]{1,400}proj\]$")


class _ReadErrors(NamedTuple):
    """The lines of an output that name an error, by what they show of it, in order."""

    positioned: list[str]
    """Those with a path and a position, or an error code."""
    named: list[str]
    placed: list[str]
    """Those with a path and a position that nothing else marks as an error."""


def error_line(output: str, subject: str = "") -> str:
    """Return the line that names an error, after its subject; an output of one line is that line.

    The first with a position or a code comes before the last that only names an error.
    """
    found = _read_errors(output)
    lines = [*found.positioned[:1], *found.named[-1:], *found.placed[:1]]
    if subject:
        return f"{subject} failed{': ' + lines[0] if lines else ''}"[:MAX_LINE]
    if lines:
        return lines[0][:MAX_LINE]
    others = [line.strip() for line in output.splitlines() if any(map(str.isalpha, line))]
    others = [line for line in others if not _SUMMARY.search(line)] or others
    return others[0][:MAX_LINE] if len(others) == 1 else ""


def _read_errors(output: str) -> _ReadErrors:
    found = _ReadErrors([], [], [])
    lines = [line.strip()[:1_000] for line in output[-_MAX_READ:].splitlines()[-_MAX_LINES:] if line.strip()]
    for line, following in zip(lines, [*lines, ""][1:], strict=True):
        whole = _PROJECT_SUFFIX.sub("", f"{line} {following}".strip() if _BARE_MARK.search(line) else line)
        positioned = _POSITIONED.match(whole)
        message = positioned["message"] if positioned is not None else ""
        if positioned is not None and (_NO_ERROR_WORD.match(message) or _SUMMARY.search(message)):
            continue
        listed = _LISTED.match(whole)
        if (positioned is not None and (positioned["mark"] or _ERROR_WORD.match(message))) or _CODED.match(whole):
            found.positioned.append(_MARK.sub("", whole))
        elif listed is not None:
            found.positioned.append(" ".join((listed["message"] or listed["cells"]).split()))
        elif _SUMMARY.search(whole):
            continue
        elif _PHRASE.search(whole):
            found.named.append(whole)
        elif (named := _NAMED.match(whole) or _HEAD.match(whole)) is not None:
            found.named.append(next(text for text in named.groups() if text).strip())
        elif positioned is not None:
            found.placed.append(whole)
    return found


_MARK = lazy_regex(r"^(?:\[error\] |\[ERROR\] |e: |vet: |\d{1,3}>)")


def vanished_lines(output: str, passing: str) -> str:
    """Return the lines of a failed command that its output has no longer, whatever their numbers; all if none went."""
    left = {_NUMBER.sub("0", line.strip()) for line in passing.splitlines()}
    vanished = [line for line in output.splitlines() if line.strip() and _NUMBER.sub("0", line.strip()) not in left]
    return "\n".join(vanished) or output


_NUMBER = lazy_regex(r"\d+(?:\.\d+)?")


_SYMBOL = lazy_regex(r"['‘`\"“]([A-Za-z_][\w.]{2,100})|\b([A-Za-z]\w{0,60}(?:[a-z][A-Z]|_)\w{1,60})\b")
"""A name in quotation marks, or one that is written as code only."""
MAX_PASTED_LINES = 20


def _pasted_error(words: str, at_ms: int) -> _Failure | None:
    """Return the errors that a message shows as a tool wrote them; None without a line that has a place or a code."""
    found = _read_errors(words)
    lines = [*found.positioned, *(line for line in found.named if _EXCEPTION.match(line))][:MAX_PASTED_LINES]
    places = (match["place"] for line in lines if (match := _POSITIONED.match(line)) is not None)
    names = {re.split(r"[/\\]", place)[-1] for place in places}
    symbols = (part for line in lines for match in _SYMBOL.findall(line) for name in match for part in name.split("."))
    names.update(name for name in symbols if name and is_distinctive(name.casefold()))
    if not names:
        return None
    return _Failure("\n".join(lines)[:MAX_OUTPUT_CHARACTERS], at_ms, [], [], frozenset(names))


_EXCEPTION = lazy_regex(r"[\w.]{0,100}(?:Error|Exception)\b: ")


def _changes_any(call: ToolCall, paths: Iterable[str], names: Collection[str]) -> bool:
    """Whether a call changes one of the files or symbols that an error names."""
    files = [path.rpartition("/")[2] for path in paths]
    if any(file in names or file.partition(".")[0] in names for file in files):
        return True
    texts = (value for name, value in call.arguments.items() if name not in _PATH_MEMBERS)
    return not frozenset(_IDENTIFIER.findall(str(list(texts))[:_MAX_READ])).isdisjoint(names)


_IDENTIFIER = lazy_regex(r"[A-Za-z_]\w{2,100}")


def _shows(output: str, error: str) -> bool:
    """Whether an output has a line of an error, whatever its numbers."""
    lines = {_NUMBER.sub("0", line) for line in error.splitlines()}
    found = _read_errors(output)
    return any(_NUMBER.sub("0", line) in lines for line in (*found.positioned, *found.named))


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
