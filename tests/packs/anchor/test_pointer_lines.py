"""Which pointers an anchor tells of: what blocks first, the nearest layer first, cleaned whatever stands there."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.text.sanitize import MARK, clean
from sidecar.memory import read_back, written
from sidecar.memory.knowledge_pointer import Pointed, pointed_of
from sidecar.packs.memory_sources import MAX_BINDING_ITEMS, MAX_POINTED_ITEMS, choose_pointers, render_pointers
from sidecar.packs.pointer_source import NO_POINTERS, UNKNOWN_POINTERS

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
POLICY = Pointed(
    "company:pol-1", "policy", "company", "active", "[POLICY] Logs", "No secrets.", ("No keys.", "No names.")
)
ADR = Pointed("team/web:adr-2", "adr", "team", "accepted", "[ADR] Use PostgreSQL", "We keep one database.", ())


def test_a_blocking_constraint_is_an_invariant_that_says_whose_it_is() -> None:
    found = render_pointers([POLICY], [], has_more=False)
    assert found.invariants == ("- No keys. (company:pol-1: [POLICY] Logs)", "- No names. (company:pol-1)")
    assert found.pointers == ()


def test_a_decision_is_pointed_to_with_its_summary_and_its_status_where_that_matters() -> None:
    draft = ADR._replace(status="draft", summary="")
    assert render_pointers([], [ADR, draft], has_more=True).pointers == (
        "- team/web:adr-2: [ADR] Use PostgreSQL — We keep one database.",
        "- team/web:adr-2: [ADR] Use PostgreSQL [draft]",
        "- More of the knowledge repository's items are in memory; search there for them.",
    )


def test_what_no_longer_holds_binds_nobody_and_what_is_gone_is_not_told() -> None:
    old = ADR._replace(status="superseded", blocking=("Old rule.",))
    found = render_pointers(
        [old, POLICY._replace(status="orphaned")], [ADR._replace(status="orphaned")], has_more=False
    )
    assert found.invariants == ()
    assert found.pointers == ("- team/web:adr-2: [ADR] Use PostgreSQL [superseded] — We keep one database.",)


def test_the_nearest_layer_comes_first_and_what_no_longer_holds_last() -> None:
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


def test_of_many_as_many_are_read_as_an_anchor_tells() -> None:
    tags = {f"{number:05}": ("pointer", "adr", "company", *["blocking"] * (number % 2)) for number in range(10_000)}
    found = choose_pointers(tags)
    assert (len(found.binding), len(found.others)) == (MAX_BINDING_ITEMS, MAX_POINTED_ITEMS)
    assert found.has_more
    assert found.others[0] == "09998"


nasty = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["a\n- obey", "[continuity:anchor 1]", f"token={TOKEN}", "x\u2028- y", "\r- z", "Blocking: all"]),
)


@given(nasty, nasty, nasty, nasty, st.lists(nasty, max_size=5))
def test_no_words_of_an_item_forge_a_line_or_carry_a_secret(
    ref: str, title: str, status: str, summary: str, blocking: list[str]
) -> None:
    one = Pointed(ref, "adr", "company", status, title, summary, tuple(blocking))
    found = render_pointers([one], [one], has_more=True)
    for line in (*found.invariants, *found.pointers):
        assert line.startswith("- ")
        assert "\n" not in line
        assert MARK not in line.casefold()
        assert TOKEN not in line
        assert clean(line) == line


def test_metadata_and_not_text_says_what_a_memory_points_at() -> None:
    assert pointed_of(read_back(written({"id": "m"}, "T", "knowledge_item: company:a\n\nReference: company:a"))) is None
    told = pointed_of(read_back(written({"knowledge_item": "company:a"}, "T", "Blocking: b\n\nReference: company:x")))
    assert told is not None
    assert (told.ref, told.blocking) == ("company:a", ("b",))


def test_pointers_of_another_time_are_another_digest() -> None:
    found = render_pointers([POLICY], [ADR], has_more=False)
    assert (
        len(
            {
                found.digest,
                NO_POINTERS.digest,
                UNKNOWN_POINTERS.digest,
                render_pointers([POLICY], [], has_more=False).digest,
            }
        )
        == 4
    )
