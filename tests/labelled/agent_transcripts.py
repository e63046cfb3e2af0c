"""Turns of transcripts that agents write themselves: Claude Code, Codex and OpenCode, as Entire stores them.

Sub-agents, compaction summaries and what the host adds are left out. Edits are recorded as they were performed.
"""

import difflib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.labelled.turns import Hunk, Step, Turn

CONTEXT_LINES = 3
MAX_OUTPUT = 20_000
_HOST = ("<", "[Request interrupted", "Caveat:", "# AGENTS.md", "This session is being continued")


class Act(NamedTuple):
    """A message of the user, words of the agent, or something it did; one of them is set."""

    prompt: str = ""
    words: str = ""
    hunks: tuple[Hunk, ...] = ()
    command: str = ""
    output: str = ""


def parse_transcript(path: Path) -> list[Turn]:
    """Return the turns of a transcript; an empty list if its form is unknown."""
    text = path.read_text("utf-8", errors="replace")
    entries = list(_entries(text))
    if len(entries) == 1 and "messages" in entries[0]:
        return _turns(_opencode(entries[0]))
    is_codex = any(entry.get("type") == "session_meta" for entry in entries[:5])
    return _turns(_codex(entries) if is_codex else _claude(entries))


def _entries(text: str) -> Iterator[dict[str, Any]]:
    try:
        whole = json.loads(text)
    except ValueError:
        for line in text.split("\n"):
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                yield entry
    else:
        if isinstance(whole, dict):
            yield whole


def _turns(acts: Iterator[Act]) -> list[Turn]:
    turns: list[Turn] = []
    words: list[str] = []

    def close() -> None:
        if turns and words:
            turns[-1] = turns[-1]._replace(steps=(*turns[-1].steps, Step("\n\n".join(words))))
        words.clear()

    for act in acts:
        if act.prompt:
            close()
            turns.append(Turn(len(turns) + 1, act.prompt, "", ()))
        elif turns and act.words:
            words.append(act.words)
            answer = "\n\n".join(part for part in (turns[-1].answer, act.words) if part)
            turns[-1] = turns[-1]._replace(answer=answer)
        elif turns and (act.hunks or act.command):
            spoken = "\n\n".join(words)
            words.clear()
            steps = [Step("", hunk) for hunk in act.hunks] or [Step("", None, act.command, act.output)]
            steps[0] = steps[0]._replace(words=spoken)
            turns[-1] = turns[-1]._replace(steps=(*turns[-1].steps, *steps))
    close()
    return turns


def _is_typed(text: str) -> bool:
    return bool(text.strip()) and not text.lstrip().startswith(_HOST)


def _text_of(content: object, kinds: Sequence[str] = ("text",)) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(str(each.get("text", "")) for each in blocks if isinstance(each, dict) and each["type"] in kinds)


def _claude(entries: Sequence[dict[str, Any]]) -> Iterator[Act]:
    results: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for entry in entries:
        content = (entry.get("message") or {}).get("content")
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                results[str(block.get("tool_use_id"))] = (block, entry)
    for entry in entries:
        if entry.get("type") not in ("user", "assistant") or entry.get("isSidechain"):
            continue
        content = (entry.get("message") or {}).get("content")
        if entry["type"] == "user":
            text = _text_of(content)
            if _is_typed(text) and not entry.get("isMeta") and not entry.get("isCompactSummary"):
                yield Act(prompt=text.strip())
            continue
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "text" and str(block.get("text", "")).strip():
                yield Act(words=block["text"].strip())
            elif block.get("type") == "tool_use":
                yield from _claude_tool(block, *results.get(block["id"], ({}, {})), str(entry.get("cwd") or ""))


def _claude_tool(block: dict[str, Any], result: dict[str, Any], entry: dict[str, Any], cwd: str) -> Iterator[Act]:
    given, name = block.get("input") or {}, block.get("name")
    if name == "Bash":
        yield Act(command=str(given.get("command", "")), output=_text_of(result.get("content"))[:MAX_OUTPUT])
        return
    path = _relative(str(given.get("file_path", "")), cwd)
    if name not in ("Edit", "Write", "MultiEdit") or path is None or result.get("is_error") or not result:
        return
    patch = (entry.get("toolUseResult") or {}).get("structuredPatch")
    if patch:
        yield Act(hunks=tuple(Hunk(path, tuple(part["lines"])) for part in patch))
    elif name == "Write":
        yield Act(hunks=(_hunk(path, "", str(given.get("content", ""))),))
    else:
        edits: list[dict[str, Any]] = given.get("edits") or [given]
        yield Act(hunks=tuple(_hunk(path, str(e.get("old_string", "")), str(e.get("new_string", ""))) for e in edits))


def _opencode(session: dict[str, Any]) -> Iterator[Act]:
    if session.get("info", {}).get("parentID"):
        return
    cwd = str(session.get("info", {}).get("directory", ""))
    for message in session["messages"]:
        is_user = message["info"].get("role") == "user"
        for part in message.get("parts", ()):
            if part.get("type") == "text" and not part.get("synthetic") and str(part.get("text", "")).strip():
                text = part["text"].strip()
                if not is_user:
                    yield Act(words=text)
                elif _is_typed(text):
                    yield Act(prompt=text)
            elif part.get("type") == "tool" and (part.get("state") or {}).get("status") == "completed":
                yield from _opencode_tool(part, cwd)


def _opencode_tool(part: dict[str, Any], cwd: str) -> Iterator[Act]:
    state, tool = part["state"], part.get("tool")
    given = state.get("input") or {}
    path = _relative(str(given.get("filePath", "")), cwd)
    if tool == "bash":
        yield Act(command=str(given.get("command", "")), output=str(state.get("output", ""))[:MAX_OUTPUT])
    elif tool == "apply_patch":
        yield Act(hunks=tuple(_patch(str(given.get("patchText", "")), cwd)))
    elif tool == "edit" and path:
        yield Act(hunks=(_hunk(path, str(given.get("oldString", "")), str(given.get("newString", ""))),))
    elif tool == "write" and path:
        yield Act(hunks=(_hunk(path, "", str(given.get("content", ""))),))


def _codex(entries: Sequence[dict[str, Any]]) -> Iterator[Act]:
    outputs: dict[str, str] = {}
    cwd = ""
    for entry in entries:
        payload = entry.get("payload") or {}
        cwd = cwd or str(payload.get("cwd") or "")
        if payload.get("type") in ("function_call_output", "custom_tool_call_output"):
            output = payload.get("output")
            outputs[str(payload.get("call_id"))] = output if isinstance(output, str) else _text_of(output)
    for entry in entries:
        payload = entry.get("payload") or {}
        kind = payload.get("type")
        if entry.get("type") == "event_msg" and kind == "user_message":
            text = str(payload.get("message", ""))
            if _is_typed(text):
                yield Act(prompt=text.strip())
        elif kind == "message" and payload.get("role") == "assistant":
            if words := _text_of(payload.get("content"), ("output_text",)).strip():
                yield Act(words=words)
        elif kind == "patch_apply_end" and payload.get("success"):
            yield Act(hunks=tuple(_codex_changes(payload.get("changes") or {}, cwd)))
        elif kind == "function_call":
            yield from _codex_command(payload, outputs.get(str(payload.get("call_id")), ""), cwd)


def _codex_changes(changes: dict[str, dict[str, Any]], cwd: str) -> Iterator[Hunk]:
    for name, change in changes.items():
        path = _relative(name, cwd)
        if path is not None and change.get("type") == "add":
            yield _hunk(path, "", str(change.get("content", "")))
        elif path is not None and change.get("type") == "update":
            yield from _patch(f"*** Update File: {path}\n{change.get('unified_diff', '')}", "")


def _codex_command(payload: dict[str, Any], output: str, cwd: str) -> Iterator[Act]:
    try:
        arguments = json.loads(str(payload.get("arguments") or ""))
    except ValueError:
        return
    command = arguments.get("cmd") or arguments.get("command") if isinstance(arguments, dict) else None
    if isinstance(command, list):
        command = " ".join(map(str, command[2:] if command[1:2] in (["-lc"], ["-c"]) else command))
    if isinstance(command, str) and "*** Begin Patch" in command:
        yield Act(hunks=tuple(_patch(command, cwd)))
    elif isinstance(command, str):
        yield Act(command=command, output=output[:MAX_OUTPUT])


def _patch(text: str, cwd: str) -> Iterator[Hunk]:
    """Yield the hunks of a patch in the form of Codex."""
    path: str | None = None
    lines: list[str] = []
    for line in (*text.split("\n"), "*** End Patch"):
        is_head = line.startswith(("*** ", "@@"))
        if is_head and path and any(each[:1] in "+-" for each in lines):
            yield Hunk(path, tuple(lines))
        if is_head:
            lines = []
        elif line[:1] in ("+", "-", " "):
            lines.append(line)
        if line.startswith(("*** Update File: ", "*** Add File: ")):
            path = _relative(line.partition(": ")[2].strip(), cwd)


def _relative(path: str, cwd: str) -> str | None:
    """Return a path below the working directory; None for one outside."""
    plain, base = path.replace("\\", "/"), cwd.replace("\\", "/").rstrip("/") + "/"
    plain = plain.removeprefix(base)
    is_outside = plain.startswith("/") or plain[1:3] == ":/" or ".." in plain.split("/") or not plain
    return None if is_outside else plain.replace(".git/", "_git/")


def _hunk(path: str, before: str, after: str) -> Hunk:
    """Return an edit's lines with their marks, and some context."""
    old, new = before.split("\n") if before else [], after.split("\n") if after else []
    diff = difflib.unified_diff(old, new, lineterm="", n=CONTEXT_LINES)
    return Hunk(path, tuple(line for line in diff if not line.startswith(("---", "+++", "@@"))))
