"""Leaving takes the whole message; everything else stays inside, whatever it sounds like."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidecar.language.exit_phrases import EXIT_PHRASES, EXIT_WORDS
from sidecar.language.exit_phrases import OFF_TOPIC as RULES
from sidecar.session.routing import route
from tests.session.messages import COMMANDS, EXIT, OFF_TOPIC, STAYS

EXITS = (*EXIT_PHRASES, *(f"/chati {word}" for word in EXIT_WORDS))
SPACES = st.text(" \t\n\u00a0\u2003", min_size=1, max_size=4)
ACCENTS = st.sampled_from(["", "\u0301", "\u0300", "\u0302", "\u0303", "\u0327"])


@pytest.mark.parametrize("message", EXIT)
def test_an_exit_is_an_exit(message: str) -> None:
    assert route(message).intent == "exit"


@pytest.mark.parametrize(("message", "command"), COMMANDS.items())
def test_a_command_is_one_and_stays_inside(message: str, command: str) -> None:
    assert (route(message).intent, route(message).command) == ("command", command)


@pytest.mark.parametrize("message", STAYS)
def test_everything_else_is_the_agents(message: str) -> None:
    assert route(message).intent == "onTopic"


@pytest.mark.parametrize(("message", "rule"), OFF_TOPIC.items())
def test_only_a_named_rule_says_off_topic(message: str, rule: str) -> None:
    assert (route(message).intent, route(message).rule) == ("offTopic", rule)


def test_the_labelled_messages_are_many_and_every_rule_has_some() -> None:
    assert len({*EXIT, *COMMANDS, *STAYS, *OFF_TOPIC}) >= 240
    assert {rule.name for rule in RULES} == set(OFF_TOPIC.values())


@given(st.sampled_from(EXITS), st.data())
def test_case_spaces_and_accents_change_nothing(phrase: str, data: st.DataObject) -> None:
    written = data.draw(SPACES)
    for char in phrase:
        accent = data.draw(ACCENTS) if char.isalpha() else ""
        upper = data.draw(st.booleans())
        written += data.draw(SPACES) if char == " " else (char.upper() if upper else char) + accent

    assert route(written).intent == "exit"
    assert route(unicodedata.normalize("NFC", written)).intent == "exit"


@given(st.sampled_from(EXITS), st.from_regex(r"[a-z]{2,12}", fullmatch=True), st.booleans())
def test_one_more_word_is_another_intent(phrase: str, word: str, before: bool) -> None:
    assume(word not in {"please", "now", "thanks", "ok", "okay", "agora", "ahora", "gracias", "vale", "merci"})
    assume(word not in {"alright", "maintenant", "obrigado", "obrigada", "certo", "bueno"})

    assert route(f"{word} {phrase}" if before else f"{phrase} {word}").intent != "exit"


@given(st.sampled_from(EXITS), st.sampled_from(['"', "'", "`", "“", "«", "> ", "```\n", "?", "¿", "(", "* ", "# "]))
def test_quoted_asked_or_marked_up_it_is_no_exit(phrase: str, mark: str) -> None:
    assert route(mark + phrase).intent != "exit"
    assert route(phrase + mark.strip()).intent != "exit" or mark == "> "
    assert route(mark + phrase + mark).intent != "exit"


@given(st.text())
def test_any_text_is_routed_and_a_very_long_one_is_work(text: str) -> None:
    assert route(text).intent in ("exit", "command", "onTopic", "offTopic")
    assert route("exit chati " + text + "x" * 4_000).intent == "onTopic"


def test_speaking_of_leaving_without_doing_it_is_noticed() -> None:
    assert route("how do I exit chati?").speaks_of_leaving
    assert route("como eu saio do chati? quero sair").speaks_of_leaving
    assert not route("fix the exit code").speaks_of_leaving
