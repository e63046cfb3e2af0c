"""Turns of a chat with real edits, and the first chat: ten turns on any repository, made from its own definitions."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from session.repository_copy import git

_DEFINITION = re.compile(
    r"^[ \t]*(?:export |pub |public |static |async |default )*"
    r"(?:def|class|function|func|fn|interface|struct|trait|type|module|const)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w{3,})",
    re.MULTILINE,
)
_COMMENTS = {
    **dict.fromkeys((".py", ".rb", ".sh", ".ex", ".jl", ".r", ".pl"), "# {}"),
    **dict.fromkeys((".ts", ".tsx", ".js", ".jsx", ".mjs", ".go", ".rs", ".java", ".kt", ".swift"), "// {}"),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".php", ".scala", ".dart", ".zig"), "// {}"),
    **dict.fromkeys((".sql", ".lua", ".hs", ".elm"), "-- {}"),
}
MIN_NAME_LENGTH = 8
"""A shorter name is often an everyday word, and is used only when there is no longer one."""

_TEST = "tests/test_counts.py"
_TEST_TEXT = "def test_counts_from_one() -> None:\n    assert list(range(1, 3)) == [1, 2]\n"

_TESTS = re.compile(r"(^|[/_.-])tests?([/_.-]|$)")


@dataclass(frozen=True)
class Target:
    """A file of the repository and a name that it defines."""

    path: str
    name: str


@dataclass(frozen=True)
class File:
    """A file that the agent writes."""

    path: str
    text: str


@dataclass(frozen=True)
class Turn:
    """One prompt, and the agent's actions."""

    provider: str
    mode: str
    prompt: str
    used_tokens: int
    meanwhile: Target | None = None
    """The user's edits before this prompt."""
    edit: Target | None = None
    note: str = ""
    active: bool = True
    fresh: bool = False
    tests: str = ""
    failing: str = f"{_TEST}::test_counts_from_one"
    """The failing test."""
    commits: bool = False
    creates: tuple[File, ...] = ()
    deletes: str | None = None
    """The files that the agent removes with a shell command."""
    todos: tuple[tuple[str, str], ...] = ()
    """The agent's task list: content and status."""
    text: str = ""
    """The agent's final text; a default when empty."""
    chat: int = 1


def first_chat_turns(first: Target, second: Target, third: Target) -> list[Turn]:
    """Return the chat about three definitions of the repository: passive, then active, then with another provider."""
    return [
        Turn("claude", "agent", f"How does `{first.name}` work, and what depends on it?", 14_000,
             edit=first, note="what depends on this is named in its tests", active=False, fresh=True),
        Turn("claude", "agent", f"Make `{first.name}` refuse empty input.", 33_000,
             edit=first, note="empty input is refused here", active=False),
        Turn("claude", "agent", f"Let `{first.name}` also say what it skipped, and run the tests.", 61_000,
             edit=first, note="what was skipped is counted", tests="failed",
             creates=(File(_TEST, _TEST_TEXT),)),
        Turn("claude", "agent", "One test fails. Find out why and fix it.", 92_000,
             edit=first, note="counts from one, as its callers expect", tests="passed", commits=True),
        Turn("claude", "agent", "I changed something too. Go on, and run the tests again.", 104_000,
             meanwhile=second, edit=first, note="agrees with what was changed meanwhile", tests="passed"),
        Turn("claude", "plan", f"Plan how to split {third.path} so that `{third.name}` stands alone.", 128_000),
        Turn("claude", "agent", "Do the first step of that plan.", 163_000,
             edit=third, note="first step of the split", tests="passed"),
        Turn("codex", "agent", f"Review today's changes around `{first.name}` and `{third.name}`.", 9_000, fresh=True),
        Turn("codex", "agent", "Fix what you have found.", 18_000,
             edit=third, note="reviewed and corrected", tests="failed"),
        Turn("codex", "agent", "Run the tests again and finish.", 27_000,
             edit=third, note="promises the same bytes for the same input", tests="passed"),
    ]  # fmt: skip


def targets_in(repository: Path) -> list[Target]:
    """Return three definitions in different files, those of the latest commits first."""
    names = [name for name in _latest_files(repository) if Path(name).suffix in _COMMENTS]
    usual = Counter(Path(name).suffix for name in names).most_common(1)
    targets: list[Target] = []
    everyday: list[Target] = []
    for name in sorted(names, key=lambda name: (bool(_TESTS.search(name)), Path(name).suffix != usual[0][0])):
        defined = _DEFINITION.findall(_text(repository / name))[:8]
        longest: str = max(defined, key=len, default="")
        if longest and all(longest != target.name for target in (*targets, *everyday)):
            (targets if len(longest) >= MIN_NAME_LENGTH else everyday).append(Target(name, longest))
        if len(targets) == 3:
            return targets
    readme = Target("README.md", "README")
    return [*targets, *everyday, readme, readme, readme][:3]


def interfere(turn: Turn, repository: Path) -> str:
    """Make the user's edit before a prompt, and describe it."""
    if turn.meanwhile is None:
        return ""
    path = repository / turn.meanwhile.path
    comment = comment_of(turn.meanwhile.path, f"{turn.meanwhile.name}: looked at by hand.")
    before = path.read_bytes() if path.exists() else b""
    path.write_bytes(before + (b"" if before.endswith(b"\n") or not before else b"\n") + f"{comment}\n".encode())
    return f"the user edited {turn.meanwhile.path}"


def perform(turn: Turn, repository: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """Perform the agent's actions; return the stored parts, the failed tool calls, and a description."""
    parts: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    descriptions = []
    for file in turn.creates:
        parts.append(_create(file, repository))
        descriptions.append(f"created {file.path}")
    if turn.deletes:
        (repository / turn.deletes).unlink()
        parts.append(_part("Bash", {"command": f"rm {turn.deletes}"}, {"stdout": "", "stderr": ""}))
        descriptions.append(f"removed {turn.deletes}")
    if turn.edit:
        parts.append(_edit(turn, turn.edit, repository))
        descriptions.append(f"edited {turn.edit.path}")
    if turn.tests:
        part, error = _test_run(turn)
        parts.append(part)
        errors += error
        descriptions.append(f"tests {turn.tests}")
    if turn.commits:
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--no-verify", "--message", turn.prompt)
        descriptions.append("committed")
    if turn.mode == "plan":
        plan = "1. Move the definition into a file of its own.\n2. Point its callers there.\n3. Run the tests."
        parts.append(_part("ExitPlanMode", {"plan": plan}, {"plan": plan}))
        descriptions.append("proposed a plan of three steps")
    if turn.todos:
        listed = [{"content": content, "status": status, "activeForm": content} for content, status in turn.todos]
        parts.append(_part("TodoWrite", {"todos": listed}, {}))
    if turn.text:
        parts.append({"type": "text", "text": turn.text})
    return parts, errors, ", ".join(descriptions)


def comment_of(path: str, text: str) -> str:
    """Return text as a one-line comment in the file's language."""
    return _COMMENTS.get(Path(path).suffix, "{}").format(text)


def _latest_files(repository: Path) -> list[str]:
    try:
        latest = git(repository, "log", "-n", "80", "--name-only", "--pretty=format:", "-z").replace("\n", "\0")
    except subprocess.CalledProcessError:
        latest = ""
    tracked = git(repository, "ls-files", "-z").split("\0")
    present = set(tracked)
    ordered = [name for name in latest.split("\0") if name in present] + tracked
    return [name for name in dict.fromkeys(ordered) if name and (repository / name).is_file()]


def _text(path: Path) -> str:
    return path.read_bytes()[:200_000].decode("utf-8", "replace")


def _create(file: File, repository: Path) -> dict[str, Any]:
    path = repository / file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(file.text, encoding="utf-8", newline="\n")
    return _part("Write", {"file_path": os.fspath(path), "content": file.text}, {"filePath": os.fspath(path)})


def _edit(turn: Turn, target: Target, repository: Path) -> dict[str, Any]:
    """Insert a comment above the definition, and return the tool call as the host stores it."""
    path = repository / target.path
    before = path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""
    comment = comment_of(target.path, f"{target.name}: {turn.note}.")
    lines = before.splitlines(keepends=True)
    line_number = next((number for number, line in enumerate(lines) if target.name in line), len(lines))
    below = lines[line_number] if line_number < len(lines) else ""
    indent = below[: len(below) - len(below.lstrip(" \t"))]
    after = "".join([*lines[:line_number], f"{indent}{comment}\n", *lines[line_number:]])
    path.write_bytes(after.encode("utf-8", "surrogateescape"))
    if turn.provider == "codex":
        diff = "".join(difflib.unified_diff(lines, after.splitlines(keepends=True), n=2))
        change = {"type": "update", "unified_diff": diff, "move_path": None}
        return _part("Edit", {"changes": {os.fspath(path): change}}, {"status": "completed"})
    patch = {
        "oldStart": line_number + 1,
        "oldLines": 0,
        "newStart": line_number + 1,
        "newLines": 1,
        "lines": [f"+{indent}{comment}"],
    }
    return _part("Edit", {"file_path": os.fspath(path)}, {"filePath": os.fspath(path), "structuredPatch": [patch]})


def _test_run(turn: Turn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a test run as the host stores it; Claude reports a failed command's output separately."""
    command = {"command": "pytest -q"}
    if turn.tests == "failed":
        output = f"FAILED {turn.failing} - assert 0 == 1\n1 failed, 41 passed in 2.10s"
        part = {**_part("Bash", command, None), "state": "call"}
        error = {"toolCallId": part["toolCallId"], "toolName": "Bash", "text": output, "exitCode": 1}
        return part, [error]
    output = "42 passed in 2.05s"
    if turn.provider == "codex":
        return _part("Bash", command, {"stdout": output, "stderr": "", "exit_code": 0, "status": "completed"}), []
    return _part("Bash", command, {"stdout": output, "stderr": ""}), []


def _part(tool: str, given: dict[str, Any], output: dict[str, Any] | None) -> dict[str, Any]:
    call_id = f"call-{tool}-{abs(hash(repr(given))) % 10**8}"
    part = {"type": f"tool-{tool}", "toolCallId": call_id, "toolName": tool, "input": given, "state": "result"}
    return part if output is None else {**part, "output": output}
