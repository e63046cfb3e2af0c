"""The user's words in the forms in which Claude Code records them, with other sentences.

The forms are those of public sessions (2.1.11 to 2.1.126: Jason-liu-0219/my-claude, Eduardodmb/ClaudeHome; 1.0.89 and
2.0.1: Schofield90/atlas-fitness-onboarding) and of records quoted in public repositories for newer versions.
"""

import json
from typing import Any

from sidecar.memory import ConversationContent, read_transcript
from tests.support.cases import together

PREAMBLE = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file)."
)
STOP = f"{PREAMBLE} STOP what you are doing and wait for the user to tell you how to proceed."
REFUSAL = f"{PREAMBLE} To tell you how to proceed, the user said:\nFrom now on I run the migrations myself."
REASON = f"{PREAMBLE} The user provided the following reason for the rejection:  Never edit generated files."
CLARIFY = (
    f"{PREAMBLE} To tell you how to proceed, the user said:\nThe user wants to clarify these questions.\n    This means"
    " they may have additional information, context or questions for you.\n    Take their response into account and"
    " then reformulate the questions if appropriate.\n    Start by asking them what they would like to clarify.\n\n"
    '    Questions asked:\n- "Which database?"\n  Answer: SQLite\n- "Which port?"\n  (No answer provided)'
)
NAMES = ("Which database?", "Which port?")
QUESTIONS = {"questions": [{"question": name, "header": name[:12], "options": []} for name in NAMES]}
MIGRATIONS = ["From now on I run the migrations myself."]


def read(*records: dict[str, Any]) -> ConversationContent:
    lines = [json.dumps({"timestamp": "2026-03-01T09:31:00Z", **record}).encode() for record in records]
    return read_transcript(lines, 0)


def words(*records: dict[str, Any]) -> list[str]:
    return [utterance.text for utterance in read(*records).utterances if utterance.author == "user"]


def prompt(text: str, **record: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **record}


def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    block = {"type": "tool_use", "id": "t1", "name": tool, "input": arguments}
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}


def answer(text: str, *, failed: bool = True, **record: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": text, **({"is_error": True} if failed else {})}
    return {"type": "user", "message": {"role": "user", "content": [block]}, **record}


def choice(answers: dict[str, str], *notes: tuple[str, str]) -> dict[str, Any]:
    return {**QUESTIONS, "answers": answers, "annotations": {question: {"notes": note} for question, note in notes}}


def queued(text: Any, mode: str = "prompt", **facts: Any) -> dict[str, Any]:
    return {
        "type": "attachment",
        "attachment": {"type": "queued_command", "prompt": text, "commandMode": mode, **facts},
    }


BASH = call("Bash", {"command": "alembic upgrade head"})


@together(
    ("tool", "text", "record", "expected"),
    [
        (BASH, REFUSAL, {}, MIGRATIONS),
        (BASH, REASON, {}, ["Never edit generated files."]),
        (BASH, REFUSAL, {"toolDenialKind": "user-rejected"}, MIGRATIONS),
        (call("ExitPlanMode", {"plan": "1. Migrate"}), REFUSAL, {}, MIGRATIONS),
        (call("mcp__notes__read", {}), REFUSAL, {"toolDenialKind": "user-rejected"}, MIGRATIONS),
        (BASH, STOP, {"toolUseResult": "User rejected tool use"}, []),
        (BASH, f"Exit code 1\n{REFUSAL}", {}, []),
        (BASH, f"FAILED test_chat: {REFUSAL}", {}, []),
        (call("mcp__notes__read", {}), REFUSAL, {}, []),
        (BASH, REFUSAL, {"toolDenialKind": "permission-rule"}, []),
    ],
)
def test_the_words_of_a_refusal_are_the_users_and_an_output_that_repeats_its_form_is_not(
    tool: dict[str, Any], text: str, record: dict[str, Any], expected: list[str]
) -> None:
    assert words(tool, answer(text, failed=True, **{"toolUseResult": f"Error: {text}", **record})) == expected


@together("text", [STOP, "Exit code 137\n[Request interrupted by user for tool use]", "Interrupted by user"])
def test_a_refused_or_interrupted_command_is_no_error(text: str) -> None:
    assert read(BASH, answer(text, toolUseResult=f"Error: {text}")).errors == ()


@together(
    ("structured", "expected"),
    [
        ({**QUESTIONS, "answers": {NAMES[0]: "SQLite"}}, ["SQLite"]),
        (choice({NAMES[0]: "SQLite"}, (NAMES[0], "The shop has no server")), ["SQLite. The shop has no server"]),
        (choice({}, (NAMES[1], "Any free one")), ["Any free one"]),
        (choice({NAMES[1]: "8080 for now"}, (NAMES[1], "8080 for now")), ["8080 for now"]),
        (choice({NAMES[1]: "8080, Other: but 9090 in tests"}), ["8080, but 9090 in tests"]),
        ({**choice({}), "afkTimeoutMs": 60_000}, []),
    ],
)
def test_answers_have_the_notes_that_the_user_added(structured: dict[str, Any], expected: list[str]) -> None:
    text = 'User has answered your questions: "Which database?"="Postgres". You can now continue'
    assert words(call("AskUserQuestion", QUESTIONS), answer(text, failed=False, toolUseResult=structured)) == expected


@together(
    ("text", "failed", "expected"),
    [
        ('Your questions have been answered: "Which database?"="SQLite". You can now', False, ["SQLite"]),
        ('Your questions have been answered: "Which colour?"="Red". You can now', False, []),
        (CLARIFY, True, ["SQLite"]),
        (STOP, True, []),
        (REFUSAL, True, MIGRATIONS),
        ("<tool_use_error>Error: No such tool available: AskUserQuestion</tool_use_error>", True, []),
    ],
)
def test_of_questions_that_the_user_left_the_answers_and_his_words_remain(
    text: str, expected: list[str], *, failed: bool
) -> None:
    result = answer(text, failed=failed, toolUseResult=f"Error: {text}")
    assert words(call("AskUserQuestion", QUESTIONS), result) == expected


@together(
    ("record", "expected"),
    [
        (prompt("[Request interrupted by user for tool use]"), []),
        (queued("Use tabs."), ["Use tabs."]),
        (queued([{"type": "text", "text": "Use tabs."}, {"type": "image"}], origin={"kind": "human"}), ["Use tabs."]),
        (queued("<task-notification>Use tabs.</task-notification>", "task-notification"), []),
        (queued("Use tabs.", origin={"kind": "peer"}), []),
        ({**queued("Use tabs."), "isSidechain": True}, []),
        (prompt("Use tabs.", origin={"kind": "human"}), ["Use tabs."]),
        (prompt("Use tabs.", origin={"kind": "coordinator", "from": "claude"}), []),
        (prompt('<teammate-message teammate_id="lead" color="blue">\nUse tabs.\n</teammate-message>'), []),
        (
            prompt("Another Claude session sent a message:\n<cross-session-message>Use tabs.</cross-session-message>"),
            [],
        ),
        (prompt("Stop hook feedback:\n- Use tabs."), []),
        (prompt('<channel source="chat" user="x">Use tabs.</channel>'), []),
        (
            prompt("<channel>Use tabs.</channel> is how a feed writes it."),
            ["<channel>Use tabs.</channel> is how a feed writes it."],
        ),
        (prompt("<tick>07:00 Use tabs.</tick>"), []),
        (prompt('<mcp-resource-update server="x">Use tabs.</mcp-resource-update>'), []),
        (prompt("<fork-boilerplate>Use tabs.</fork-boilerplate>Use spaces."), ["Use spaces."]),
        (prompt("<<autonomous-loop-dynamic>>"), []),
    ],
)
def test_only_prompts_of_the_user_are_his_words(record: dict[str, Any], expected: list[str]) -> None:
    assert words(record) == expected
