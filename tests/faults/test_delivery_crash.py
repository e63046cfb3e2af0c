"""A process killed around a run: what it sent is sent again; what was confirmed stays confirmed."""

from collections.abc import Callable

from tests.support.conversation import Conversation, kinds, sent
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, shop

__all__ = ["shop"]


def test_after_a_kill_between_pre_run_and_post_run_everything_is_sent_again(
    start_process: Callable[..., SidecarProcess], shop: Repository
) -> None:
    first_process = start_process()
    first_process.client.initialize(settings={"mode": "active"})
    chat = Conversation(first_process.client, shop.path, provider="codex")
    first = chat.pre_run(PROMPT)
    first_process.popen.kill()

    second_process = start_process()
    second_process.client.initialize(settings={"mode": "active"})
    chat.client, chat.session_id = second_process.client, "session"
    again = chat.pre_run(PROMPT)
    assert sent(again) == sent(first)
    chat.post_run(again, PROMPT)
    second_process.popen.kill()

    third_process = start_process()
    third_process.client.initialize(settings={"mode": "active"})
    chat.client = third_process.client
    chat.post_run(first, PROMPT, session="session")
    assert kinds(chat.pre_run("and now fix it")) == []
