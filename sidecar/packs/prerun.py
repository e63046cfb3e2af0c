"""`continuity/preRun`, straight down: settings, conversation, repository, packs, ledger, answer, record."""

import string
from typing import NamedTuple

from sidecar.call import Call
from sidecar.core.clock import Deadline
from sidecar.packs.composing.answer import answer, untouched
from sidecar.packs.composing.compose import Composed
from sidecar.packs.composing.offer import offered
from sidecar.packs.gathering.gather import gather
from sidecar.packs.gathering.gathered import Gathered
from sidecar.packs.gathering.shared import Question, question_of, remember
from sidecar.packs.model import PreRunParams, PreRunResult
from sidecar.packs.recording import record, record_untouched
from sidecar.packs.turn import Turn, begin
from sidecar.runs import keys

DEFAULT_DEADLINE_MS = 800

WHITE_SPACE = (
    string.whitespace + "\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
)
"""What the host's `trim` takes off a prompt before it looks for a slash (ECMAScript's white space)."""


class Decided(NamedTuple):
    """What a call came to. Without something composed, the prompt passes through for a reason."""

    reason: str
    turn: Turn | None = None
    """None where nothing is even looked at."""
    question: Question | None = None
    gathered: Gathered | None = None
    composed: Composed | None = None


def run(call: Call, params: PreRunParams) -> PreRunResult:
    """Decides what the agent is told before a run, and keeps it."""
    decided = decide(call, params)
    call.cancellation.check()  # what nobody receives is not recorded
    token = call.process.new_id()
    result = answer_of(call, params, decided, token)
    if decided.question is not None:
        remember(params.sub_chat_id, decided.question)
    if decided.turn is not None and decided.gathered is not None and decided.composed is not None:
        record(decided.turn, decided.gathered, decided.composed, result, token)
    elif decided.reason != "off":
        record_untouched(call, params, decided.turn, result, token)
    return result


def decide(call: Call, params: PreRunParams) -> Decided:
    """Decides what the agent would be told now; keeps nothing."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off" or params.is_local_model:
        return Decided("off" if settings.mode == "off" else "localModel")
    turn = begin(call, params, workspace, settings)
    if params.prompt.lstrip(WHITE_SPACE).startswith("/"):
        return Decided("slashCommand", turn)
    workspace.require()
    deadline = Deadline(call.received_ms + (params.deadline_ms or DEFAULT_DEADLINE_MS))
    question = question_of(turn)
    gathered = gather(question, params, turn.known, deadline, new_task=turn.task_is_new)
    if gathered.late:
        return Decided("deadline", turn, question)
    composed = offered(turn, gathered)
    if not _is_confirmed(question, gathered, composed):
        again = gather(question, params, turn.known, deadline, new_task=turn.task_is_new)
        if not again.late:
            gathered, composed = again, offered(turn, again)
    return Decided("", turn, question, gathered, composed)


def answer_of(call: Call, params: PreRunParams, decided: Decided, token: str | None) -> PreRunResult:
    """Makes the answer; `token` is the delivery's, if there is one."""
    if decided.turn is None or decided.gathered is None or decided.composed is None:
        return untouched(call, params, decided.reason, decided.turn)
    return answer(decided.turn, decided.gathered, decided.composed, token)


def _is_confirmed(question: Question, gathered: Gathered, composed: Composed) -> bool:
    """Says whether the files that are told of are as a watch had them: some writes no event tells of."""
    if gathered.state is None or not gathered.state.proof.startswith("watch"):
        return True
    told = (keys.context_path(item.key) for item in composed.delivered if item.kind == "context")
    paths = [path for path in told if path is not None]
    return not paths or question.repository.confirms(paths)
