"""`continuity/preRun`, straight down: settings, conversation, repository, packs, ledger, answer, record."""

import string

from sidecar.call import Call
from sidecar.core.clock import Deadline
from sidecar.packs.answer import answer, untouched
from sidecar.packs.compose import Composed
from sidecar.packs.gather import Gathered, gather
from sidecar.packs.model import PreRunParams, PreRunResult
from sidecar.packs.offer import offered
from sidecar.packs.recording import keep_task
from sidecar.packs.shared import Question, question_of
from sidecar.packs.turn import begin
from sidecar.runs import keys

DEFAULT_DEADLINE_MS = 800

WHITE_SPACE = (
    string.whitespace + "\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
)
"""What the host's `trim` takes off a prompt before it looks for a slash (ECMAScript's white space)."""


def run(call: Call, params: PreRunParams) -> PreRunResult:
    """Decides what the agent is told before a run."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off" or params.is_local_model:
        return untouched(call, params, "off" if settings.mode == "off" else "localModel", None)
    turn = begin(call, params, workspace, settings)
    if params.prompt.lstrip(WHITE_SPACE).startswith("/"):
        return untouched(call, params, "slashCommand", turn)
    workspace.require()
    deadline = Deadline(call.received_ms + (params.deadline_ms or DEFAULT_DEADLINE_MS))
    question = question_of(turn)
    gathered = gather(question, params, turn.known, deadline, new_task=turn.task_is_new)
    if gathered.late:
        keep_task(turn)
        return untouched(call, params, "deadline", turn)
    composed = offered(turn, gathered)
    if not _is_confirmed(question, gathered, composed):
        again = gather(question, params, turn.known, deadline, new_task=turn.task_is_new)
        if not again.late:
            gathered, composed = again, offered(turn, again)
    call.cancellation.check()  # what nobody receives is not recorded
    return answer(turn, gathered, composed)


def _is_confirmed(question: Question, gathered: Gathered, composed: Composed) -> bool:
    """Says whether the files that are told of are as a watch had them: some writes no event tells of."""
    if gathered.state is None or not gathered.state.proof.startswith("watch"):
        return True
    told = (keys.context_path(item.key) for item in composed.delivered if item.kind == "context")
    paths = [path for path in told if path is not None]
    return not paths or question.repository.confirms(paths)
