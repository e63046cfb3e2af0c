"""The notes block at the end of a reply is read in ten languages, in any Markdown, and only where it is a block."""

from functools import partial

import pytest

from sidecar.language.notes_block import (
    MAX_NOTES,
    REQUEST,
    NotesBlock,
    read_notes_block,
    statement_parts,
    without_notes,
)  # fmt: skip
from tests.support.cases import together
from tests.support.growth import takes_linear_time

BLOCKS = {
    "en": ("Notes for next time", "Rule", "Decision", "SQLite because it needs no server, instead of Postgres",
           "Dropped", "Redis because the host lacks it", "Fact"),
    "pt": ("Notas para a próxima vez", "Regra", "Decisão", "SQLite porque não precisa de servidor, em vez de Postgres",
           "Descartado", "Redis porque o host não tem", "Fato"),
    "es": ("Notas para la próxima vez", "Regla", "Decisión", "SQLite porque no necesita servidor, en vez de Postgres",
           "Descartado", "Redis porque el host no lo tiene", "Hecho"),
    "fr": ("Notes pour la prochaine fois", "Règle", "Décision",
           "SQLite parce qu’il ne faut pas de serveur, au lieu de Postgres",
           "Abandonné", "Redis car l'hébergeur ne l'offre pas", "Fait"),
    "de": ("Notizen für das nächste Mal", "Regel", "Entscheidung",
           "SQLite, weil es keinen Server braucht, statt Postgres",
           "Verworfen", "Redis, weil der Hoster es nicht hat", "Fakt"),
    "it": ("Note per la prossima volta", "Regola", "Decisione", "SQLite perché non serve un server, invece di Postgres",
           "Scartato", "Redis perché l'host non lo offre", "Fatto"),
    "nl": ("Notities voor de volgende keer", "Regel", "Besluit",
           "SQLite omdat er geen server nodig is, in plaats van Postgres",
           "Verworpen", "Redis want de host heeft het niet", "Feit"),
    "ru": ("Заметки на следующий раз", "Правило", "Решение", "SQLite, потому что не нужен сервер, вместо Postgres",
           "Отброшено", "Redis, так как на хостинге его нет", "Факт"),
    "ja": ("次回へのメモ", "ルール", "決定",
           "サーバーが不要なため、Postgresの代わりにSQLite",
           "不採用", "Redis、ホストにないため", "事実"),
    "zh": ("下次备注", "规则", "决定", "SQLite，因为不需要服务器，而不是 Postgres",
           "放弃", "Redis，因为主机没有", "事实"),
}  # fmt: skip


def block(text: str) -> NotesBlock:
    """Return the block of a text that has one."""
    found = read_notes_block(text)
    assert found is not None
    return found


@pytest.mark.parametrize("language", BLOCKS)
@pytest.mark.parametrize("style", ["plain", "bold", "heading", "dash"])
def test_blocks_are_read_in_ten_languages_and_any_markdown(language: str, style: str) -> None:
    heading, rule, decision, choice, dropped, approach, fact = BLOCKS[language]
    pairs = ((rule, "use `make dev`"), (decision, choice), (dropped, approach), (fact, "port 5000 is taken"))
    lines = {
        "plain": [f"{heading}:", *(f"- {key}: {text}" for key, text in pairs)],
        "bold": [f"**{heading}:**", "", *(f"• **{key}:** {text}" for key, text in pairs)],
        "heading": [f"## 📝 {heading.upper()}", *(f"1. **{key}**： {text}" for key, text in pairs)],
        "dash": [f"*{heading}*", "", *(f"* {key} – {text}" for key, text in pairs)],
    }[style]
    text = "Done.\n\n" + "\n".join(lines) + "\n\n"
    read = block(text)
    assert [note.key for note in read.notes] == ["rule", "decision", "dropped", "fact"]
    assert read.notes[0].text == "use `make dev`"
    assert (read.notes[1].subject, read.notes[1].alternative) == ("SQLite", "Postgres")
    assert read.notes[1].reason
    assert (read.notes[2].subject, bool(read.notes[2].reason)) == ("Redis", True)
    assert text[read.start : read.end] == "\n".join(lines)
    assert without_notes(text) == "Done."


@together(
    "heading",
    [
        "Notes for later",
        "Notizen für später",
        "Notes pour plus tard",
        "Notas para más tarde",
        "Notas para depois",
        "Note per dopo",
        "Notities voor later",
        "Заметки на потом",
        "今後のためのメモ",
        "后续备注",
    ],
)
def test_a_heading_may_name_any_later_time(heading: str) -> None:
    assert [note.text for note in block(f"{heading}:\n- Rule: use pnpm").notes] == ["use pnpm"]


@together(
    "text",
    [
        "Done.",
        "Notes for next time:",
        "Notes for next time:\n- Rule: none\n- Fact: <found out, not in the repository>",
        "Notes for next time: use pnpm.",
        "```\nNotes for next time:\n- Rule: use pnpm\n```",
        "~~~~\n```\nNotes for next time:\n- Rule: use pnpm\n",
        "> The README says:\n> Notes for next time:\n> - Rule: use pnpm",
        "> Notes for next time:\n> - Rule: use pnpm",
        "    Notes for next time:\n    - Rule: use pnpm",
        'The file ends with "Notes for next time:\n- Rule: use pnpm"',
        "Notes for next time:\n- Rule: use pnpm\n\nThen I changed the cart, which was broken.\n\n" + "So. " * 99,
        "Notes for next time:\n\n```\n- Rule: use pnpm\n```",
        "Notes for next time:\n- Ruel: use pnpm",
    ],
)
def test_what_is_no_block_at_the_end_is_not_read(text: str) -> None:
    assert read_notes_block(text) is None
    assert without_notes(text) == text


def test_the_last_of_several_blocks_counts() -> None:
    text = "Notes for next time:\n- Rule: use npm\n\nWait.\n\nNotes for next time:\n- Rule: use pnpm"
    assert [note.text for note in block(text).notes] == ["use pnpm"]


def test_at_most_five_notes_are_read_and_all_are_folded() -> None:
    text = "Notes for next time:\n" + "\n".join(f"- Fact: fact number {number}" for number in range(9))
    assert len(block(text).notes) == MAX_NOTES
    assert block(text).end == len(text)


def test_wrapped_and_nested_lines_belong_to_their_note() -> None:
    lines = ("- Rule: use pnpm", "  in web/", "- Decision:", "  - SQLite", "  - because it is small", "- Fact: x y")
    text = "\n".join(("Notes for next time:", *lines))
    assert [note.text for note in block(text).notes] == ["use pnpm in web/", "SQLite because it is small", "x y"]


def test_a_line_with_another_label_is_folded_and_leaves_the_other_lines() -> None:
    for at in range(3):
        lines = ["- Rule: sort the cart", "- Fact: port 5000 is taken"]
        lines.insert(at, "- **Open question:** who prints\nthe receipts")
        text = "Done.\n\nNotes for next time:\n" + "\n".join(lines)
        assert [(note.key, note.text) for note in block(text).notes] == [
            ("rule", "sort the cart"), ("fact", "port 5000 is taken"),
        ]  # fmt: skip
        assert without_notes(text) == "Done."
    assert read_notes_block("Notes for next time:\n- Open question: who prints?\n- Server: till-1") is None
    for label in ("取りやめ", "見送り", "撤回"):
        (note,) = block(f"次回へのメモ:\n- {label}: Redis、ホストにないため").notes
        assert note.key == "dropped"


def test_a_huge_line_is_left_out_and_a_heading_far_above_opens_nothing() -> None:
    assert [note.text for note in block(f"Notes for next time:\n- Rule: {'a' * 900}\n- Fact: b c").notes] == ["b c"]
    assert read_notes_block("Notes for next time:\n" + "- Fact: a fact\n" * 2_000) is None


def test_a_denied_choice_is_not_taken_for_its_alternative() -> None:
    note = block("Notes for next time:\n- Decision: do not use Redis because the host lacks it").notes[0]
    assert (note.subject, note.reason, note.alternative) == ("do not use Redis", "the host lacks it", "")


def test_a_bracket_that_closes_one_of_the_choice_belongs_to_it() -> None:
    parts = statement_parts("Logger as func(string) because it needs no package, instead of *log.Logger")
    assert parts == ("Logger as func(string)", "it needs no package", "*log.Logger")
    assert statement_parts("keep the list (because it is short)").subject == "keep the list"


def test_an_alternative_that_comes_first_ends_before_the_choice() -> None:
    parts = statement_parts(
        "In the shop, instead of dropping the prompts, they're now stored because readers need them"
    )
    assert parts == ("In the shop, they're now stored", "readers need them", "dropping the prompts")


def test_a_closing_line_may_follow_the_block() -> None:
    text = "Done.\n\nNotes for next time:\n- Rule: use pnpm\n\nLet me know if anything is missing."
    assert without_notes(text) == "Done.\n\nLet me know if anything is missing."


def test_the_request_is_short_and_no_block_itself() -> None:
    assert len(REQUEST.encode()) <= 500
    assert "when, and only when" in REQUEST
    assert read_notes_block(REQUEST) is None


UNITS = ("- ", "> ", "*", "`", " ", "Notes for next time:\n", "- Rule: a because ", "、ため", "\t-\n")


@together("unit", UNITS)
def test_reading_takes_linear_time(unit: str) -> None:
    first = "Notes for next time:\n- Rule: "
    assert takes_linear_time(lambda size: partial(read_notes_block, first + unit * (size // len(unit))), 100_000)


def test_a_note_keeps_names_that_look_like_emphasis() -> None:
    block = read_notes_block(
        "Done.\n\nNotes for next time:\n- **Rule:** use the constants of __init__.py, **not** *.cfg"
    )
    assert block is not None
    assert [note.text for note in block.notes] == ["use the constants of __init__.py, not *.cfg"]


def test_the_topic_of_a_japanese_note_ends_without_its_particle() -> None:
    parts = statement_parts("SQLite への保存は、この端末で使えないため")
    assert parts == ("SQLite への保存", "この端末で使えない", "")
    assert statement_parts("日付は UTC").subject == "日付は UTC"
