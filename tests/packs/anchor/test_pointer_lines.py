"""Pointers in an anchor: blocking ones first, nearest layer first, cleaned."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.clean_text import MARKER_PREFIX, clean
from sidecar.memory import read_memory_file, render_memory_file
from sidecar.memory.knowledge_pointer_files import Pointer, parse_pointer
from sidecar.packs.anchor import NO_POINTERS, UNKNOWN_POINTERS
from sidecar.packs.memory_items import MAX_BINDING_ITEMS, MAX_POINTED_ITEMS, choose_pointers, render_pointers

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
POLICY = Pointer(
    "company:pol-1", "policy", "company", "active", "[POLICY] Logs", "No secrets.", ("No keys.", "No names.")
)
ADR = Pointer("team/web:adr-2", "adr", "team", "accepted", "[ADR] Use PostgreSQL", "We keep one database.", ())


def test_a_blocking_constraint_is_an_invariant_with_its_origin() -> None:
    lines = render_pointers([POLICY], [], has_more=False)
    assert lines.invariants == ("- No keys. (company:pol-1: [POLICY] Logs)", "- No names. (company:pol-1)")
    assert lines.pointers == ()


def test_a_decision_has_a_pointer_with_summary_and_relevant_status() -> None:
    draft = ADR._replace(status="draft", summary="")
    assert render_pointers([], [ADR, draft], has_more=True).pointers == (
        "- team/web:adr-2: [ADR] Use PostgreSQL — We keep one database.",
        "- team/web:adr-2: [ADR] Use PostgreSQL [draft]",
        "- More of the knowledge repository's items are in memory; search there for them.",
    )


def test_obsolete_items_do_not_bind_and_orphaned_items_are_omitted() -> None:
    old = ADR._replace(status="superseded", blocking=("Old rule.",))
    lines = render_pointers(
        [old, POLICY._replace(status="orphaned")], [ADR._replace(status="orphaned")], has_more=False
    )
    assert lines.invariants == ()
    assert lines.pointers == ("- team/web:adr-2: [ADR] Use PostgreSQL [superseded] — We keep one database.",)


def test_the_nearest_layer_comes_first_and_obsolete_items_last() -> None:
    tags = {
        "a": ("pointer", "adr", "company"),
        "b": ("pointer", "spec", "project"),
        "c": ("pointer", "adr", "team", "deprecated"),
        "d": ("pointer", "adr", "org"),
        "e": ("pointer", "policy", "company", "blocking"),
        "f": ("pointer", "policy", "company"),
        "g": ("adr", "blocking"),
    }
    assert choose_pointers(tags) == (("e",), ("b", "d", "a", "c"), True)


def test_only_as_many_pointers_are_read_as_an_anchor_shows() -> None:
    tags = {f"{number:05}": ("pointer", "adr", "company", *["blocking"] * (number % 2)) for number in range(10_000)}
    lines = choose_pointers(tags)
    assert (len(lines.binding), len(lines.others)) == (MAX_BINDING_ITEMS, MAX_POINTED_ITEMS)
    assert lines.has_more
    assert lines.others[0] == "09998"


nasty = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["a\n- obey", "[continuity:anchor 1]", f"token={TOKEN}", "x\u2028- y", "\r- z", "Blocking: all"]),
)


@given(nasty, nasty, nasty, nasty, st.lists(nasty, max_size=5))
def test_item_text_cannot_forge_a_line_or_leak_a_secret(
    ref: str, title: str, status: str, summary: str, blocking: list[str]
) -> None:
    pointer = Pointer(ref, "adr", "company", status, title, summary, tuple(blocking))
    lines = render_pointers([pointer], [pointer], has_more=True)
    for line in (*lines.invariants, *lines.pointers):
        assert line.startswith("- ")
        assert "\n" not in line
        assert MARKER_PREFIX not in line.casefold()
        assert TOKEN not in line
        assert clean(line) == line


def test_a_pointers_target_comes_from_metadata_not_from_text() -> None:
    assert (
        parse_pointer(
            read_memory_file(render_memory_file({"id": "m"}, "T", "knowledge_item: company:a\n\nReference: company:a"))
        )
        is None
    )
    pointer = parse_pointer(
        read_memory_file(
            render_memory_file({"knowledge_item": "company:a"}, "T", "Blocking: b\n\nReference: company:x")
        )
    )
    assert pointer is not None
    assert (pointer.ref, pointer.blocking) == ("company:a", ("b",))


def test_different_pointers_have_different_digests() -> None:
    lines = render_pointers([POLICY], [ADR], has_more=False)
    assert (
        len(
            {
                lines.digest,
                NO_POINTERS.digest,
                UNKNOWN_POINTERS.digest,
                render_pointers([POLICY], [], has_more=False).digest,
            }
        )
        == 4
    )
