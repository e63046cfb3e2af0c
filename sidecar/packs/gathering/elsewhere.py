"""What the registry and the memories have of what a prompt asks for; they hold no prompt up."""

from __future__ import annotations

from concurrent.futures import wait

from sidecar.packs.gathering.gathered import Begin, Gathered, LeftMs, Take, leave_out, nothing_more
from sidecar.packs.gathering.shared import Question
from sidecar.packs.model import PreRunParams, Trimmed
from sidecar.packs.prompt import said
from sidecar.runs import Known


def begin_elsewhere(
    begin: Begin, gathered: Gathered, question: Question, params: PreRunParams, known: Known, *, new_task: bool
) -> Take:
    """Asks the registry and the memories; loaded behind the way to a first answer, they hold no prompt up."""
    if not question.process.loaded.is_set():
        gathered.omissions.append(Trimmed(item="memories", reason="still being loaded"))
        return nothing_more
    from sidecar.registry import hint_for

    gathered.hint = hint_for(question.workspace, question.process, said(params.prompt))
    return _begin_memories(begin, gathered, question, params, known, new_task=new_task)


def _begin_memories(
    begin: Begin, gathered: Gathered, question: Question, params: PreRunParams, known: Known, *, new_task: bool
) -> Take:
    """Takes the memories that are known for the prompt, or begins to look for them; gives what takes those.

    A follow-up is looked for together with what its task is about: its own words often say little.
    """
    from sidecar.memory import Relevance
    from sidecar.packs.context.remembering import MAX_MEMORIES, told_before

    process, workspace = question.process, question.workspace
    text = said(params.prompt) if new_task else f"{said(params.prompt)}\n{question.task.objective}"
    relevance = process.part(Relevance, Relevance)
    try:
        found = relevance.at_hand(process, workspace, text)
        told = told_before(known)
        gathered.remembered = relevance.standing(process, workspace, told) if told else None
    except Exception as error:
        leave_out(gathered, "memories", error, process.log)
        return nothing_more
    if found is not None:
        gathered.memories = found
        return nothing_more
    looking = begin(relevance.look, process, workspace, text, MAX_MEMORIES)

    def take(left_ms: LeftMs) -> None:
        wait((looking,), timeout=left_ms() / 1000)
        try:
            gathered.memories = looking.result(0)
        except Exception as error:
            leave_out(gathered, "memories", error, process.log)

    return take
