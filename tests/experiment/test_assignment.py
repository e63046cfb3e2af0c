"""The rollout by share: who receives packs, and that this stays so."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.status import rollout_line
from sidecar.core.errors import InvalidParams
from sidecar.experiment.rollout import arm_of
from tests.support.command import run_command
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat

NAME = "packs-1"


def chat_in(arm: str, number: int = 0, *, share: int = 50, experiment: str = NAME) -> str:
    """Return the id of a chat that is drawn into an arm."""
    ids = (f"chat-{index}" for index in range(10_000))
    return [chat_id for chat_id in ids if arm_of(experiment, chat_id, share) == arm][number]


def roll_out(active: MemorySidecar, share: int = 50, experiment: str | None = NAME, **settings: Any) -> None:
    changes = {"rollout": {"share": share, "experiment": experiment}, **settings}
    active.client.request("settings/update", {"settings": changes})


def rollout_of(answer: Any) -> Any:
    return answer["metadata"]["rollout"]


def is_treated(answer: Any) -> bool:
    assert (answer["action"] == "inject") == bool(answer["blocks"] or answer["system"])
    return bool(answer["action"] == "inject")


def test_where_every_chat_receives_packs_no_rollout_is_shown_even_after_a_resumption(active: MemorySidecar) -> None:
    assert active.client.request("rollout/resume", {}) == {"rollout": None, "experiment": None}
    assert active.client.request("state/status", {})["rollout"] is None
    roll_out(active)
    assert active.client.request("rollout/resume", {})["rollout"]["share"] == 50


def test_a_control_chat_receives_what_a_passive_chat_receives(active: MemorySidecar, start_chat: StartChat) -> None:
    roll_out(active)
    treated, control = (start_chat(sub_chat_id=chat_in(arm)).turn(PROMPT) for arm in ("treated", "control"))

    assert is_treated(treated)
    assert rollout_of(treated) == {
        "mode": "active", "decidedBy": "share", "arm": "treated", "share": 50, "experiment": NAME,
    }  # fmt: skip
    assert (control["action"], control["reason"], control["prompt"]) == ("passthrough", "passive", PROMPT)
    assert (control["system"], control["blocks"], control["governor"]["startFreshSession"]) == (None, [], False)
    assert control["metadata"]["wouldInjectBytes"] > 0
    assert rollout_of(control) | {"mode": "active", "arm": "treated"} == rollout_of(treated)
    explained = active.client.request("continuity/explain", {"runId": control["runId"]})
    assert explained["metadata"]["rollout"] == rollout_of(control)
    shown = active.client.request("state/status", {})
    assert shown["rollout"] == {
        "share": 50, "experiment": NAME, "problem": None, "suspended": None, "treated": 1, "control": 1, "left": 0,
    }  # fmt: skip
    assert shown["rollout"] == shown["projects"][0]["rollout"]


def test_arms_are_balanced_and_the_same_on_every_machine() -> None:
    chats = [f"chat-{number}" for number in range(20_000)]
    for share in (1, 20, 50, 99):
        treated = sum(arm_of(NAME, chat, share) == "treated" for chat in chats) / len(chats)
        assert treated == pytest.approx(share / 100, abs=0.012)
    assert [arm_of(NAME, f"chat-{number}", 50) for number in range(8)] == [
        "treated", "control", "treated", "treated", "control", "treated", "treated", "control",
    ]  # fmt: skip
    pairs = Counter((arm_of("a", chat, 50), arm_of("b", chat, 50)) for chat in chats)
    assert min(pairs.values()) > 4_700, "another name draws independently"
    moved = [chat for chat in chats if arm_of(NAME, chat, 20) == "treated" and arm_of(NAME, chat, 40) == "control"]
    assert moved == [], "a larger share takes the packs from nobody"


def test_an_arm_is_stored_with_the_first_run_and_survives_a_restart_and_another_share(
    active: MemorySidecar, open_sidecar: Callable[..., MemorySidecar], shop: Repository
) -> None:
    roll_out(active, 1)
    chat_id = chat_in("control", share=1)
    Conversation(active.client, shop.path, sub_chat_id=chat_id).turn(PROMPT)
    new_id = next(chat for chat in (f"new-{n}" for n in range(999)) if arm_of(NAME, chat, 99) == "treated")
    active.close()

    later = open_sidecar()
    later.client.initialize(settings={"mode": "active"})
    later.client.request("state/purge", {"kinds": ["runs"]})  # its ids start again
    roll_out(later, 99)
    old, new = (Conversation(later.client, shop.path, sub_chat_id=name).pre_run(PROMPT) for name in (chat_id, new_id))

    assert (rollout_of(old)["arm"], rollout_of(old)["share"]) == ("control", 1)
    assert (rollout_of(new)["arm"], rollout_of(new)["share"]) == ("treated", 99)


def test_sub_chats_and_forks_have_the_arm_of_their_chat(active: MemorySidecar, start_chat: StartChat) -> None:
    roll_out(active)
    treated, control = chat_in("treated"), chat_in("control")
    origin = start_chat(sub_chat_id=treated)
    origin.turn(PROMPT)

    forked = {
        "id": "session",
        "willResume": True,
        "isFork": True,
        "forkedFrom": {"subChatId": treated, "sessionId": "session"},
    }
    fork = start_chat(sub_chat_id=control).pre_run(PROMPT, session=forked)
    implicit = start_chat(sub_chat_id=chat_in("control", 1)).pre_run(
        PROMPT, session={"id": "session", "willResume": True, "isFork": False}
    )
    sibling = start_chat(sub_chat_id="sub-2", chatId=control).pre_run(PROMPT)

    assert (rollout_of(fork)["arm"], rollout_of(implicit)["arm"]) == ("treated", "treated")
    assert rollout_of(sibling)["arm"] == "control"
    assert active.client.request("rollout/status", {})["rollout"]["treated"] == 1, "forks are not units of their own"


def test_chats_from_before_and_loops_are_no_part_of_a_rollout(active: MemorySidecar, start_chat: StartChat) -> None:
    control = chat_in("control")
    earlier = start_chat(sub_chat_id=control)
    earlier.turn(PROMPT)
    roll_out(active)

    assert is_treated(earlier.pre_run("Which discount does the invoice show?"))
    assert rollout_of(earlier.pre_run("go on")) is None
    loops = [f"ralph:{n}" for n in range(99) if arm_of(NAME, f"ralph:{n}", 50) == "control"]
    assert rollout_of(start_chat(sub_chat_id=loops[0]).pre_run(PROMPT)) is None


@pytest.mark.parametrize(
    ("settings", "mode", "is_sent"),
    [("active", "passive", False), ("passive", "active", True), ("off", "active", True), ("active", "off", False)],
)
def test_the_users_choice_for_a_chat_wins(
    settings: str, mode: str, is_sent: bool, active: MemorySidecar, start_chat: StartChat
) -> None:
    active.client.request("settings/update", {"settings": {"mode": settings}})
    chat = start_chat(continuityMode=mode)
    before = chat.pre_run(PROMPT)

    assert is_treated(before) is is_sent
    assert rollout_of(before)["decidedBy"] == "chat"
    chat.common.clear()
    after = chat.post_run(before, PROMPT)
    assert after["accepted"] is (mode != "off")


def test_a_choice_leaves_the_experiment(active: MemorySidecar, start_chat: StartChat) -> None:
    roll_out(active)
    chat = start_chat(sub_chat_id=chat_in("control"))
    chat.turn(PROMPT)
    assert is_treated(chat.pre_run("go on", continuityMode="active"))

    again = rollout_of(chat.pre_run("go on"))
    assert (again["arm"], again["experiment"]) == ("control", None)
    counts = active.client.request("rollout/status", {})["rollout"]
    assert (counts["control"], counts["left"]) == (0, 1)


def test_the_environment_still_switches_everything_off(
    open_sidecar: Callable[..., MemorySidecar], shop: Repository
) -> None:
    killed = open_sidecar(environment={"ONECODE_CONTINUITY_MODE": "off"})
    killed.client.initialize(settings={"mode": "active"})
    answer = Conversation(killed.client, shop.path).pre_run(PROMPT, continuityMode="active")
    assert (answer["reason"], rollout_of(answer)) == ("off", None)


@pytest.mark.parametrize("share", [0, 100])
def test_an_experiment_without_chats_to_compare_is_refused(share: int, active: MemorySidecar, shop: Repository) -> None:
    both = {"rollout": {"share": share, "experiment": NAME}}
    assert active.client.error("settings/update", {"settings": both}).code == InvalidParams.code
    roll_out(active)
    for path in ({}, {"projectPath": str(shop.path)}):
        error = active.client.error("settings/update", {**path, "settings": {"rollout": {"share": share}}})
        assert error.code == InvalidParams.code
        assert "`rollout.share`" in error.message
    assert active.client.request("rollout/status", {})["rollout"]["share"] == 50


def test_an_experiment_is_checked_across_the_layers_of_settings(
    open_sidecar: Callable[..., MemorySidecar], shop: Repository
) -> None:
    first = open_sidecar()
    error = first.client.error(
        "initialize", {**first.client.handshake(), "settings": {"rollout": {"experiment": NAME}}}
    )
    assert error.code == InvalidParams.code
    first.client.initialize(settings={"mode": "active", "rollout": {"share": 20}})
    own = {"projectPath": str(shop.path), "settings": {"rollout": {"experiment": NAME}}}
    first.client.request("settings/update", own)  # the share comes from `initialize`
    error = first.client.error("settings/update", {"settings": {"rollout": {"share": 100}}})
    assert (error.code, "project" in error.message) == (InvalidParams.code, True)
    first.close()

    later = open_sidecar()
    later.client.initialize(settings={"mode": "active"})  # a host that no longer states a share
    shown = later.client.request("rollout/status", {"projectPath": str(shop.path)})["rollout"]
    assert shown["problem"].startswith("Nothing is compared: an experiment needs chats with packs")


def test_an_experiment_in_passive_mode_states_that_no_chat_receives_packs(active: MemorySidecar) -> None:
    active.client.request("settings/update", {"settings": {"mode": "passive"}})
    roll_out(active, 20)
    shown = active.client.request("rollout/status", {})
    assert shown["rollout"]["problem"].startswith("The mode is passive, so no chat receives packs")
    assert "The mode is passive" in rollout_line(shown["rollout"])


def test_a_rollout_in_an_active_project_is_not_called_passive(active: MemorySidecar, start_chat: StartChat) -> None:
    roll_out(active, 20)
    chat = start_chat(sub_chat_id="first")
    active.client.request("settings/update", {"settings": {"mode": "passive"}})
    own = {"projectPath": chat.project_path}
    active.client.request("settings/update", {**own, "settings": {"mode": "active"}})
    assert chat.pre_run(PROMPT)["metadata"]["rollout"] is not None
    sentence = "The mode is passive except in 1 project, so only chats there receive packs: "
    for method in ("rollout/status", "state/status"):
        assert active.client.request(method, {})["rollout"]["problem"].startswith(sentence)
    assert active.client.request("rollout/status", own)["rollout"]["problem"] is None


def test_a_share_without_an_experiment_applies_to_new_chats(active: MemorySidecar, start_chat: StartChat) -> None:
    roll_out(active, 0, None)
    assert not is_treated(start_chat(sub_chat_id="first").turn(PROMPT))
    roll_out(active, 100, None)
    assert is_treated(start_chat(sub_chat_id="first").pre_run(PROMPT))


def test_a_control_session_starts_without_context_in_a_terminal(active: MemorySidecar, shop: Repository) -> None:
    roll_out(active)
    sessions = {arm: name for name in map(str, range(99)) for arm in [arm_of(NAME, f"claude-code:{name}", 50)]}

    def reason(session: str, event: str) -> Any:
        hook = {"session_id": session, "cwd": str(shop.path), "prompt": PROMPT, "source": "startup"}
        return active.client.request("hook/run", {"event": event, "input": hook})["emptyReason"]

    assert reason(sessions["control"], "SessionStart") == "passive"
    assert reason(sessions["control"], "UserPromptSubmit") == "passive"
    assert reason(sessions["treated"], "UserPromptSubmit") is None


def test_the_command_changes_and_shows_the_rollout(active: MemorySidecar, state_dir: Path, tmp_path: Path) -> None:
    active.close()

    def run(*arguments: str) -> str:
        state = ("--state-dir", str(state_dir))
        return run_command("rollout", *arguments, *state, cwd=tmp_path, temporary=tmp_path).stdout.decode().strip()

    assert run() == "Every chat follows the mode."
    shown = run("--share", "20", "--experiment", NAME)
    assert shown.startswith(
        f"20 % of new chats, experiment {NAME}: 0 chats with packs, 0 without. The mode is passive, "
    )
    assert run("--end", "--share", "100") == run()


def test_a_single_chat_with_packs_is_written_in_the_singular() -> None:
    rollout = {"treated": 1, "control": 2, "left": 0, "experiment": None, "suspended": None, "problem": "", "share": 50}
    assert rollout_line(rollout) == "50 % of new chats: 1 chat with packs, 2 without"
