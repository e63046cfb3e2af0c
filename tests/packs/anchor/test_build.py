"""The anchor pack respects its byte limit, and its changes are described."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.clean_text import utf8_size
from sidecar.packs import ANCHOR_BYTES, anchor_limit, render_anchor
from sidecar.packs.anchor import (
    DEPENDENCIES,
    FRAGILE_FILES,
    LANDMINES,
    MAX_LANDMINES,
    MAX_OMITTED,
    AcceptedRecords,
    AnchorSources,
    ProjectDocument,
    build_anchor,
    changed_lines,
    count_files,
    late_lines,
    omissions,
    sections_of,
)

NOTHING = AnchorSources()
paths = st.lists(st.text(alphabet="ab/.é[\n:", min_size=1, max_size=20), max_size=12)
bodies = st.text(alphabet=st.sampled_from("-*# \nnever must always é[continuity:]"), max_size=400)


def rendered(**sources: Any) -> str:
    derived = {title: sources.pop(title, ()) for title in (DEPENDENCIES, FRAGILE_FILES)}
    block = render_anchor(build_anchor({**sections_of(NOTHING._replace(**sources)), **derived}, 3_900).lines, "")
    return block.text if block is not None else ""


@given(paths, bodies, bodies, st.integers(-200, 4_000))
def test_an_anchor_never_exceeds_its_bytes(names: list[str], rules: str, readme: str, limit: int) -> None:
    sources = NOTHING._replace(
        instructions=(ProjectDocument("AGENTS.md", rules), ProjectDocument("CLAUDE.md", rules)),
        readme=ProjectDocument("README.md", readme),
        decisions=tuple(ProjectDocument(name, rules) for name in names),
        specifications=tuple(ProjectDocument(name, rules) for name in names),
        areas=count_files(names).outline.areas,
        nested=tuple(names),
        accepted=AcceptedRecords(tuple(names), tuple(ProjectDocument(name, rules) for name in names)),
    )
    anchor = build_anchor(sections_of(sources), limit)
    lines = anchor.lines
    assert sum(utf8_size(line) + 1 for line in lines) <= max(0, limit)
    assert anchor == build_anchor(sections_of(sources), limit)
    whole = build_anchor(sections_of(sources), 10**9)
    assert not whole.omitted
    assert set(whole.lines) == {*lines, *anchor.omitted} or len(anchor.omitted) == MAX_OMITTED
    assert len(omissions(anchor)) == len([line for line in anchor.omitted if not line.startswith("- ")])
    assert not any("\n" in line or "[continuity:" in line.casefold() for line in lines)


def test_an_anchor_stays_under_four_kilobytes_and_in_its_share() -> None:
    rules = "".join(f"- Never do number {number}, whatever anybody says about it.\n" for number in range(200))
    text = rendered(instructions=(ProjectDocument("AGENTS.md", rules),), accepted=AcceptedRecords(tuple("abc")))
    assert 1_500 < utf8_size(text) < 4_096
    assert "rejected before: c" in text
    assert anchor_limit("normal", 24_000) == ANCHOR_BYTES["normal"]
    assert anchor_limit("low", 1_000) < 400


def test_an_anchors_id_follows_its_bytes() -> None:
    first, other = (render_anchor((f"- {text}",), "") for text in "ab")
    assert first is not None
    assert other is not None
    assert first.id != other.id
    assert render_anchor(("- a",), "") == first
    assert render_anchor((), "") is None


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("- Never a.\n- Never b.\n", "- Never b.\n- Never a.\n", []),
        ("- Never a.\n", "\n\n- Never a.\n", []),
        ("- Never a.\n", "- Never b.\n", ["now: Never b. (AGENTS.md:1)", "no longer: Never a. (AGENTS.md:1)"]),
        ("- Never a.\n", "", ["no longer: Never a. (AGENTS.md:1)"]),
    ],
)
def test_anchor_changes_depend_on_text_not_on_line_numbers(before: str, after: str, changes: list[str]) -> None:
    texts = [rendered(instructions=(ProjectDocument("AGENTS.md", text),)) for text in (before, after)]
    assert changed_lines(*texts) == changes


def test_an_omitted_line_is_named_and_not_reported_as_removed() -> None:
    rules = "".join(f"- Never do number {number}, whatever anybody says about it.\n" for number in range(10, 99))
    few = "".join(rules.splitlines(keepends=True)[:9])
    pinned = rendered(instructions=(ProjectDocument("AGENTS.md", few),), accepted=AcceptedRecords(("floats",)))
    instructions = (ProjectDocument("AGENTS.md", "- Never x.\n" + rules),)
    longer = build_anchor(sections_of(NOTHING._replace(instructions=instructions)), 500)
    block = render_anchor(longer.lines, "")
    assert block is not None
    changes = changed_lines(pinned, block.text, longer.omitted)
    assert "now: Never x. (AGENTS.md:1)" in changes
    assert [line for line in changes if line.startswith("no longer")] == ["no longer: rejected before: floats"]
    assert [item for item, _ in omissions(longer)] == ["anchor: Rules"]


def test_derived_sections_are_not_reported_as_removed_during_indexing() -> None:
    settings = ("- mypy: strict (mypy.ini)",)
    pinned = rendered(settings=settings, **{DEPENDENCIES: ("- packs → runs",), FRAGILE_FILES: ("- a.py",)})
    assert changed_lines(pinned, rendered(settings=settings)) == []
    assert changed_lines(pinned, rendered(**{DEPENDENCIES: ("- packs → core",)})) == [
        "now: packs → core", "no longer: mypy: strict (mypy.ini)", "no longer: packs → runs",
    ]  # fmt: skip


def test_sections_that_were_not_ready_are_no_change() -> None:
    settings = ("- mypy: strict (mypy.ini)",)
    pinned = rendered(settings=settings)
    indexed = rendered(settings=settings, **{DEPENDENCIES: ("- packs → runs",), FRAGILE_FILES: ("- a.py",)})
    assert changed_lines(pinned, indexed) == []
    assert late_lines(pinned, indexed) == ["packs → runs", "a.py"]
    assert late_lines(indexed, rendered(**{DEPENDENCIES: ("- packs → core",)})) == []
    assert changed_lines("", indexed) == []
    assert late_lines("", indexed) == ["mypy: strict (mypy.ini)", "packs → runs", "a.py"]


def test_landmines_that_are_not_shown_are_no_change_and_named() -> None:
    landmines = [f"- `pay{number}`: Do not call twice. (pay.py:{number})" for number in range(1, MAX_LANDMINES + 2)]
    anchor = build_anchor({LANDMINES: landmines}, 3_900)
    assert anchor.lines == ("Landmines:", *landmines[:-1])
    assert omissions(anchor) == [
        ("anchor: Landmines", "no room for 1 line, from `pay9`: Do not call twice. (pay.py:9)")
    ]
    before = build_anchor({LANDMINES: landmines[1:]}, 3_900)
    assert changed_lines("\n".join(before.lines), "\n".join(anchor.lines), anchor.omitted) == [
        "now: `pay1`: Do not call twice. (pay.py:1)"
    ]


def test_a_line_that_only_now_has_room_is_no_change() -> None:
    rules = [f"- Never do number {number}, whatever anybody says. (AGENTS.md:{number})" for number in range(10, 40)]

    def changes(now: list[str], bytes_now: int) -> list[str]:
        before, after = build_anchor({"Rules": rules}, 500), build_anchor({"Rules": now}, bytes_now)
        assert before.omitted
        assert after.omitted
        return changed_lines("\n".join(before.lines), "\n".join(after.lines), after.omitted)

    assert changes(rules, 700) == []
    assert changes(rules, 300) == []
    assert changes(["- Never x. (AGENTS.md:9)", *rules], 700) == ["now: Never x. (AGENTS.md:9)"]
    assert changes(["- Never x. (AGENTS.md:10)", *rules[1:]], 700) == [
        "now: Never x. (AGENTS.md:10)",
        *(f"now: {line.removeprefix('- ')}" for line in rules[8:12]),
        "no longer: Never do number 10, whatever anybody says. (AGENTS.md:10)",
    ]


def test_the_map_takes_the_purpose_of_a_folder_from_a_table_or_list_of_a_guide() -> None:
    table = "| Path | What |\n|---|---|\n| `app/` | The till with **otters**. |\n| `lib/` | Its parts. |\n"
    readme = ProjectDocument(
        "README.md", "# Shop\n\n- `app/`: something else entirely\n- `mail/` — sends the receipts\n"
    )
    sources = NOTHING._replace(
        instructions=(ProjectDocument("AGENTS.md", table),),
        readme=readme,
        areas=(("app/", "contains a/, b/, c/"), ("lib/", ""), ("mail/", ""), ("web/", "contains d/")),
        purposes={"lib/": "What its README states."},
    )
    shown = ["- app/: The till with otters.", "- lib/: What its README states.", "- mail/: sends the receipts"]
    assert list(sections_of(sources)["Map"]) == [*shown, "- web/: contains d/"]
    sent = sections_of(sources._replace(sent=frozenset(("AGENTS.md",))))["Map"]
    assert sent[0] == "- app/: something else entirely"


def test_unused_bytes_of_a_section_go_to_the_others() -> None:
    rules = "".join(f"- Never do number {number}, whatever anybody says about it.\n" for number in range(90))
    areas = tuple((f"src/area{number}/", "some words about what it holds") for number in range(60))
    both = build_anchor(
        sections_of(NOTHING._replace(instructions=(ProjectDocument("AGENTS.md", rules),), areas=areas)), 2_000
    ).lines
    alone = build_anchor(sections_of(NOTHING._replace(areas=areas, accepted=AcceptedRecords(("floats",)))), 2_000).lines
    assert sum(utf8_size(line) + 1 for line in both) > 1_850
    assert sum(utf8_size(line) + 1 for line in alone) > 1_900
    assert "- rejected before: floats" in alone
    assert "Map:" in both
