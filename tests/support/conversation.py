"""A conversation in 1Code: pre-run, the agent's work, post-run, turn after turn."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.support.client import Client

_run_ids = itertools.count(1)

WORK_ACCOUNT = (
    "Fixed the cart total that ignored the discount. Moved its shared constants. Renamed two helper functions."
    " Removed the second rounding. Added a check of negative percents."
)
"""What an agent says that states more of its work than a title."""


class Conversation:
    """A sub-chat in a worktree with one provider; `session_id` is its current provider session."""

    def __init__(
        self, client: Client, cwd: Path, *, provider: str = "claude", sub_chat_id: str = "chat", **params: Any
    ) -> None:
        self.client = client
        self.cwd = cwd
        self.provider = provider
        self.sub_chat_id = sub_chat_id
        self.session_id: str | None = None
        self.common = params

    def pre_run(self, prompt: str, **changes: Any) -> Any:
        """Request what is sent with a prompt; the result also has the `runId`."""
        run_id = f"run-{next(_run_ids)}"
        return {**self.client.result(self.start_pre_run(prompt, runId=run_id, **changes)), "runId": run_id}

    def start_pre_run(self, prompt: str, **changes: Any) -> int:
        """Request the same without waiting, and return the request's id."""
        session = {"id": self.session_id, "willResume": self.session_id is not None, "isFork": False}
        params = {
            "runId": f"run-{next(_run_ids)}", "subChatId": self.sub_chat_id, "provider": self.provider,
            "mode": "agent", "cwd": str(self.cwd), "prompt": prompt, "session": session, "deadlineMs": 20_000,
            **self.common, **changes,
        }  # fmt: skip
        return self.client.start("continuity/preRun", params)

    def post_run(self, before: Any, prompt: str = "", *, session: str | None = "session", **changes: Any) -> Any:
        """Report the end of a pre-run's run; afterwards the conversation is in `session`."""
        params: dict[str, Any] = {
            "runId": before["runId"], "deliveryToken": before["deliveryToken"], "subChatId": self.sub_chat_id,
            "provider": self.provider, "mode": "agent", "cwd": str(self.cwd), "prompt": prompt, "outcome": "completed",
            "session": {"before": self.session_id, "after": session}, "startedAt": "2026-03-01T09:30:00.000Z",
            "finishedAt": "2026-03-01T09:31:00.000Z", **self.common, **changes,
        }  # fmt: skip
        if "parts" in params.get("assistant", {}):
            params["assistant"] = {"text": WORK_ACCOUNT, **params["assistant"]}
        params.pop("hostInjects", None)
        params.pop("tokenMode", None)
        result = self.client.request("continuity/postRun", params)
        self.session_id = session
        return result

    def turn(
        self,
        prompt: str,
        work: Callable[[], Sequence[dict[str, Any]]] = lambda: (),
        *,
        session: str = "session",
        text: str = WORK_ACCOUNT,
        **post: Any,
    ) -> Any:
        """Play one turn: pre-run, the agent's work (which returns its parts), post-run; return the pre-run's result."""
        before = self.pre_run(prompt)
        parts = list(work())
        after = self.post_run(before, prompt, session=session, assistant={"text": text, "parts": parts}, **post)
        return {**before, "after": after}

    @property
    def project_path(self) -> str:
        """The conversation's project."""
        return str(self.common.get("projectPath", self.cwd))

    def artifact(self, artifact_id: str) -> Any:
        """Return an artifact of the conversation's project."""
        return self.client.request("artifact/get", {"projectPath": self.project_path, "id": artifact_id})

    def decide(self, verb: str, artifact_id: str, **changes: Any) -> Any:
        """Update, accept or discard an artifact of the project."""
        params = {"projectPath": self.project_path, "id": artifact_id, **changes}
        return self.client.request(f"artifact/{verb}", params)

    def edit(self, path: str, content: str) -> dict[str, Any]:
        """Write a file as the agent does and return the message part for it."""
        target = self.cwd / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode())
        if self.provider == "codex":
            changes = {str(target): {"type": "update", "unified_diff": ""}}
            return {"type": "tool-Edit", "toolCallId": path, "state": "result", "input": {"changes": changes}}
        given = {"file_path": str(target)}
        return {"type": "tool-Write", "toolCallId": path, "state": "result", "input": given, "output": {}}


def bash(command: str, output: str, call_id: str = "bash") -> dict[str, Any]:
    """Return the part of a successful shell command, as Claude's are stored."""
    given, done = {"command": command}, {"stdout": output, "stderr": ""}
    return {"type": "tool-Bash", "toolCallId": call_id, "state": "result", "input": given, "output": done}


def sent(answer: Any) -> str:
    """Return everything a pre-run sends, as one text."""
    system = answer["system"]["text"] if answer["system"] else ""
    return system + "\n".join(block["text"] for block in answer["blocks"])


def kinds(answer: Any) -> list[str]:
    """Return the kinds of the blocks a pre-run sends, in order."""
    return [block["kind"] for block in answer["blocks"]]
