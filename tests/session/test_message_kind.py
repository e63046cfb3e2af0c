"""Leaving takes the whole message; everything else stays inside, whatever it sounds like."""

import unicodedata

from hypothesis import assume, given
from hypothesis import strategies as st

from sidecar.session.message_kind import EXIT_PHRASES, EXIT_WORDS, route
from sidecar.session.message_kind import OFF_TOPIC as RULES
from tests.session.messages import COMMANDS, EXIT, OFF_TOPIC, STAYS
from tests.support.cases import together

EXITS = (*EXIT_PHRASES, *(f"/chati {word}" for word in EXIT_WORDS))
SPACES = st.text(" \t\n\u00a0\u2003", min_size=1, max_size=4)
ACCENTS = st.sampled_from(["", "\u0301", "\u0300", "\u0302", "\u0303", "\u0327"])


@together("message", EXIT)
def test_exit_messages_are_recognized(message: str) -> None:
    assert route(message).intent == "exit"


@together(("message", "command"), COMMANDS.items())
def test_commands_are_recognized(message: str, command: str) -> None:
    assert (route(message).intent, route(message).command) == ("command", command)


@together("message", STAYS)
def test_all_other_messages_go_to_the_agent(message: str) -> None:
    assert route(message).intent == "onTopic"


@together(("message", "rule"), OFF_TOPIC.items())
def test_off_topic_messages_match_their_rule(message: str, rule: str) -> None:
    assert (route(message).intent, route(message).rule) == ("offTopic", rule)


def test_every_off_topic_rule_has_labelled_messages() -> None:
    assert len({*EXIT, *COMMANDS, *STAYS, *OFF_TOPIC}) >= 240
    assert {rule.name for rule in RULES} == set(OFF_TOPIC.values())


@given(st.sampled_from(EXITS), st.data())
def test_case_spaces_and_accents_are_ignored(phrase: str, data: st.DataObject) -> None:
    written = data.draw(SPACES)
    for char in phrase:
        accent = data.draw(ACCENTS) if char.isalpha() else ""
        upper = data.draw(st.booleans())
        written += data.draw(SPACES) if char == " " else (char.upper() if upper else char) + accent

    assert route(written).intent == "exit"
    assert route(unicodedata.normalize("NFC", written)).intent == "exit"


@given(st.sampled_from(EXITS), st.from_regex(r"[a-z]{2,12}", fullmatch=True), st.booleans())
def test_an_additional_word_is_not_an_exit(phrase: str, word: str, before: bool) -> None:
    assume(word not in {"please", "now", "thanks", "ok", "okay", "agora", "ahora", "gracias", "vale", "merci"})
    assume(word not in {"alright", "maintenant", "obrigado", "obrigada", "certo", "bueno"})

    assert route(f"{word} {phrase}" if before else f"{phrase} {word}").intent != "exit"


@given(st.sampled_from(EXITS), st.sampled_from(['"', "'", "`", "“", "«", "> ", "```\n", "?", "¿", "(", "* ", "# "]))
def test_quoted_questioned_or_marked_up_phrases_are_not_exits(phrase: str, mark: str) -> None:
    assert route(mark + phrase).intent != "exit"
    assert route(phrase + mark.strip()).intent != "exit" or mark == "> "
    assert route(mark + phrase + mark).intent != "exit"


@given(st.text())
def test_any_text_is_routed_and_a_very_long_text_is_on_topic(text: str) -> None:
    assert route(text).intent in ("exit", "command", "onTopic", "offTopic")
    assert route("exit chati " + text + "x" * 4_000).intent == "onTopic"


def test_mentions_of_an_exit_are_detected() -> None:
    assert route("how do I exit chati?").mentions_exit
    assert route("como eu saio do chati? quero sair").mentions_exit
    assert not route("fix the exit code").mentions_exit
    assert route("/chati how do I exit?").mentions_exit
    assert not route("/chati fix the build").mentions_exit
