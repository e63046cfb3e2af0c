"""What a run leaves for the project's memories: words, errors that came and went, memories that were named.

Collected with the run's record, so that nothing is lost; what of it is worth a memory is decided behind the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import apsw

from sidecar.capture.effects.tool_parts import Command, relative_to
from sidecar.capture.run import Finished
from sidecar.capture.test_results.runner_output import outcomes_in
from sidecar.capture.test_results.verdicts import Change
from sidecar.core.lazy_regex import regex
from sidecar.core.text.prose import cut, telling
from sidecar.memory import Digest, Kind, Note, Said, Trouble, leave, mending, screened, source_of, tag_of, worth_keeping
from sidecar.runs import Artifact, FailingTests, SessionKey, keys, ledger
from sidecar.runs.model import ArtifactType

MAX_SAID = 20_000
MAX_TROUBLE = 4_000
MAX_TOLD = 400
MAX_FILES = 5

_MEMORY_ID = regex(r"\bmem-\d{4}-\d{2}-\d{2}-\d{3,6}\b")


def leave_for_memory(
    tx: apsw.Connection, one: Finished, tests: Sequence[Change], before: Sequence[FailingTests]
) -> None:
    """Keeps what a run leaves until it is captured; `before` are the tests that failed before it."""
    digest = digest_of_run(one, tests, {failing.runner: failing.excerpt for failing in before})
    if not digest.is_empty:
        leave(tx, one.workspace.project_key, digest._replace(told=_told(tx, one)), one.now_ms)


def _told(tx: apsw.Connection, one: Finished) -> tuple[str, ...]:
    """Gives the ids of the memories that the run's session has been told of."""
    session = one.params.session.after or one.params.session.before
    if session is None:
        return ()
    held = ledger.known(tx, SessionKey(one.params.provider, session, False))
    return tuple(memory_id for key in held.items if (memory_id := keys.memory_id(key)) is not None)


def digest_of_run(one: Finished, tests: Sequence[Change], excerpts: Mapping[str, str]) -> Digest:
    """Gives what a run leaves; an agent's conclusions count only where it came to its end."""
    params = one.params
    said = _said("user", params.prompt, one.now_ms)
    cited: tuple[str, ...] = ()
    troubles: list[Trouble] = []
    if params.outcome == "completed":
        said += _said("assistant", one.conclusion, one.now_ms)
        troubles = [*_of_tests(one, tests, excerpts), *_of_commands(one)]
        cited = tuple(dict.fromkeys(_MEMORY_ID.findall(params.assistant.text if params.assistant else "")))
    session = params.session.after or params.session.before or params.sub_chat_id
    return Digest(session, params.run_id, tuple(said), tuple(troubles), (), cited)


def _said(author: Literal["user", "assistant"], text: str, now_ms: int) -> list[Said]:
    """Gives of a message what may become a memory: what is private, secret or only asked for does not even wait."""
    said = worth_keeping(Said(author, text[:MAX_SAID], now_ms))
    return [said] if said is not None else []


def _of_tests(one: Finished, tests: Sequence[Change], excerpts: Mapping[str, str]) -> Iterator[Trouble]:
    """Gives the tests that failed before the run, or in it, and pass now; others are known as failing."""
    for change in tests:
        if change.is_red or not change.was_red:
            continue
        failed = [outcome.excerpt for outcome in one.tests if outcome.runner == change.runner and outcome.failed]
        text = next((excerpt for excerpt in (*reversed(failed), excerpts.get(change.runner, "")) if excerpt), "")
        names = ", ".join(dict.fromkeys(map(_name, change.fixed[:MAX_FILES]))) or "the tests"
        yield Trouble(screened(text[:MAX_TROUBLE]).text, _mended(one), one.now_ms, f"{names} ({change.runner})")


def _name(test: str) -> str:
    """A test's own name, by which its failures are told apart, whatever file it stands in."""
    return re.split(r"::| › ", test)[-1]


def _of_commands(one: Finished) -> Iterator[Trouble]:
    """Gives each command that failed, with what was done if the same one then worked."""
    last: dict[str, Command] = {command.command: command for command in one.work.commands}
    failed = {
        command.command: command
        for command in one.work.commands
        if command.command and _has_failed(command) and not outcomes_in(command, one.params.cwd)
    }
    for name, command in failed.items():
        resolution = "" if _has_failed(last[name]) else _mended(one)
        yield Trouble(screened(command.output[-MAX_TROUBLE:]).text, resolution, one.now_ms)


def _has_failed(command: Command) -> bool:
    return bool(command.failed)


def _mended(one: Finished) -> str:
    """Says what ended an error: the agent's words, and the files it changed."""
    paths = (relative_to(one.params.cwd, path) for path in one.work.written)
    changed = list(dict.fromkeys(path for path in paths if path is not None))
    told = cut(mending(one.conclusion), MAX_TOLD) or telling(one.conclusion, MAX_TOLD)
    shown = ", ".join(f"`{path}`" for path in changed[:MAX_FILES])
    more = f" and {len(changed) - MAX_FILES} more" if len(changed) > MAX_FILES else ""
    files = f"Changed: {shown}{more}." if changed else ""
    return "\n\n".join(filter(None, (told, files)))


# An artifact that the user accepts is remembered: what was decided, what was given up. Its memory follows it.


KINDS: dict[ArtifactType, tuple[Kind, float]] = {
    "adr": ("decision", 0.9),
    "rejectedApproach": ("lesson", 0.9),
    "devlog": ("episodic", 0.8),
}
"""What a memory of an artifact is, and how sure the user's word makes it."""

MAX_TEXT = 1_500

_HEADING = regex(r"\A\s*#[^\n]*\n+")


def leave_accepted(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> None:
    """Keeps what an accepted artifact says until it is captured; the same artifact counts once."""
    kind, sure = KINDS[artifact.type]
    text = cut(_HEADING.sub("", artifact.body).strip(), MAX_TEXT) or artifact.title
    note = Note(kind, artifact.title, text, "user", now_ms, sure, (tag_of(artifact.id),), "durable")
    leave(tx, artifact.project, _digest(artifact, (note,)), now_ms)


def leave_taken_back(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> None:
    """Keeps that an artifact that had been accepted was discarded, until its memory has followed."""
    leave(tx, artifact.project, _digest(artifact, ()), now_ms)


def _digest(artifact: Artifact, notes: tuple[Note, ...]) -> Digest:
    session = str(artifact.provenance.get("sessionId") or artifact.id)
    return Digest(session, source_of(artifact.id), notes=notes)
