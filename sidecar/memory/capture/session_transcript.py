"""What a provider's transcript tells of a session: who said what, which commands failed and then worked. Pure.

Claude's session files and Codex's rollouts (host.md). What the program itself puts into a user's turn is nobody's word.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from sidecar.core.lazy_regex import regex
from sidecar.core.text.prose import telling
from sidecar.memory.capture.session_summary import Author, Said, Trouble
from sidecar.transcripts.records import parse_record, written_ms

MAX_SAID = 20_000
MAX_OUTPUT = 4_000
MAX_RESOLUTION = 400
LAST_MESSAGES, LAST_TROUBLES = 400, 100
"""Of more the last ones are taken."""

_WORTH_PARSING = (b'"user"', b'"assistant"', b'"user_message"', b'"agent_message"', b'"exec_command_end"')
_PROGRAMS_OWN = regex(
    r"<(system-reminder|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|task-notification|user-prompt-submit-hook"
    r"|ide_[a-z_]+)>.*?(?:</\1>|\Z)",
    re.DOTALL,
)


class Ran(NamedTuple):
    """A command that was run, and how it ended."""

    command: str
    has_failed: bool
    output: str
    at_ms: int


class Told(NamedTuple):
    """What a transcript tells; the oldest first."""

    said: tuple[Said, ...] = ()
    troubles: tuple[Trouble, ...] = ()


def told_in(lines: Iterable[bytes], since_ms: int) -> Told:
    """Reads what was said and run after a moment; damaged and foreign records are passed over."""
    steps = list(_steps(lines, since_ms))
    said = [step for step in steps if isinstance(step, Said)]
    return Told(tuple(said[-LAST_MESSAGES:]), tuple(_troubles(steps))[-LAST_TROUBLES:])


def _steps(lines: Iterable[bytes], since_ms: int) -> Iterator[Said | Ran]:
    called: dict[str, str] = {}
    for line in lines:
        if not any(word in line for word in _WORTH_PARSING):
            continue
        record = parse_record(line)
        at_ms = written_ms(record)
        if at_ms is None or at_ms <= since_ms or any(record.get(name) is True for name in _NOT_SAID):
            continue
        payload, message = record.get("payload"), record.get("message")
        if isinstance(payload, Mapping):
            yield from _codex(payload, at_ms)
        elif isinstance(message, Mapping) and record.get("type") in ("user", "assistant"):
            yield from _claude(cast("Author", record["type"]), message.get("content"), at_ms, called)


_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary")


def _claude(author: Author, content: Any, at_ms: int, called: dict[str, str]) -> Iterator[Said | Ran]:
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, Mapping):
            continue
        kind, given = part.get("type"), part.get("input")
        if kind == "text":
            yield from _said(author, part.get("text"), at_ms)
        elif kind == "tool_use" and isinstance(given, Mapping) and isinstance(given.get("command"), str):
            called[str(part.get("id"))] = given["command"]
        elif kind == "tool_result" and (command := called.get(str(part.get("tool_use_id")))):
            yield Ran(command, part.get("is_error") is True, _text(part.get("content")), at_ms)


def _codex(payload: Mapping[str, Any], at_ms: int) -> Iterator[Said | Ran]:
    kind = payload.get("type")
    if kind == "exec_command_end":
        output = _text(payload.get("aggregated_output") or payload.get("stdout"))
        yield Ran(str(payload.get("command")), bool(payload.get("exit_code")), output, at_ms)
    elif kind in ("user_message", "agent_message"):
        yield from _said("user" if kind == "user_message" else "assistant", payload.get("message"), at_ms)


def _said(author: Author, text: Any, at_ms: int) -> Iterator[Said]:
    words = _PROGRAMS_OWN.sub("", text).strip() if isinstance(text, str) else ""
    if words:
        yield Said(author, words[:MAX_SAID], at_ms)


def _troubles(steps: Iterable[Said | Ran]) -> Iterator[Trouble]:
    """Pairs each command that failed with what the agent said before the same one worked."""
    failed: dict[str, Ran] = {}
    conclusion = ""
    for step in steps:
        if isinstance(step, Said):
            conclusion = step.text if step.author == "assistant" else conclusion
        elif step.has_failed:
            failed[step.command], conclusion = step, ""
        elif before := failed.pop(step.command, None):
            yield Trouble(before.output, telling(conclusion, MAX_RESOLUTION), before.at_ms)
    yield from (Trouble(one.output, "", one.at_ms) for one in failed.values())


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content[-MAX_OUTPUT:]
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))[-MAX_OUTPUT:]
