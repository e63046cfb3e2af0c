"""Properties of fit, compose, render and clean for any items and prompt."""

from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from sidecar.core.clean_text import MARKER_PREFIX, clean, one_line, utf8_size
from sidecar.packs import (
    BLOCK_ORDER,
    OVERHEAD_BYTES,
    ByteLimits,
    Composition,
    PackItem,
    Priority,
    compose_packs,
    fit,
    render_anchor,
    render_block,
    render_prompt,
    session_has,
)
from sidecar.runs import NO_CONTENTS, BlockKind, DeliveredItem, SessionContents, entries

KINDS: tuple[BlockKind, ...] = ("carryover", "plan", "context", "delta")
LIMITS = st.integers(0, 6_000)

texts = st.one_of(
    st.text(max_size=300),
    st.text(alphabet="aé漢😀\n", max_size=600),
    st.sampled_from(
        ["[continuity:delta 000000000000]", "x" * 2_000, "[ continuity : request]", "[conti\u200bnuity:x]"]
    ),
).map(clean)
kinds = st.sampled_from(KINDS)
always_sent = st.booleans()


@st.composite
def some_items(draw: st.DrawFn) -> list[PackItem]:
    drawn = draw(st.lists(st.tuples(kinds, st.sampled_from(Priority), texts, always_sent), max_size=14))
    return [
        PackItem(f"{kind}:{number}", kind, priority, text, entries.TextEntry(str(len(text))), "why", always_sent=always)
        for number, (kind, priority, text, always) in enumerate(drawn)
    ]


@st.composite
def some_known(draw: st.DrawFn, items: Sequence[PackItem], anchor_lines: Sequence[str]) -> SessionContents:
    given_items = {
        item.key: DeliveredItem(item.key, item.entry if draw(st.booleans()) else entries.TextEntry("older"), item.bytes)
        for item in items
        if draw(st.booleans())
    }
    pinned = render_anchor(tuple(anchor_lines), "") if draw(st.booleans()) else None
    return SessionContents(given_items, pinned, None, exists=True) if draw(st.booleans()) else NO_CONTENTS


@given(some_items(), LIMITS)
def test_fit_never_exceeds_the_budget_by_a_byte_and_accounts_for_every_item_once(
    items: list[PackItem], budget: int
) -> None:
    fitted = fit(items, budget)
    rendered = [
        render_block(kind, own, "")
        for kind in BLOCK_ORDER
        if (own := [item for item in fitted.fitting if item.kind == kind])
    ]
    assert sum(utf8_size(block.text) for block in rendered) <= budget
    assert sorted(item.key for item in (*fitted.fitting, *fitted.omitted)) == sorted(item.key for item in items)
    assert [item for item in items if item in fitted.fitting] == list(fitted.fitting)


def test_fit_spends_the_budget_to_its_last_byte_and_pays_for_a_block_once() -> None:
    items = [
        PackItem(f"context:{n}", "context", Priority(1), "x" * 40, entries.TextEntry(str(n)), "why") for n in range(3)
    ]
    exact = sum(item.bytes for item in items) + OVERHEAD_BYTES["context"]
    assert fit(items, exact).omitted == ()
    assert fit(items, exact - 1).fitting == tuple(items[:2])


@given(some_items(), LIMITS)
def test_fit_prefers_higher_priorities(items: list[PackItem], budget: int) -> None:
    fitted = fit(items, budget)
    for lost in fitted.omitted:
        before = [item for item in items if item.priority <= lost.priority]
        assert lost in fit(before, budget).omitted


@given(some_items(), st.lists(texts.map(lambda text: one_line(text, 200)), max_size=4), st.data())
def test_compose_respects_limits_order_and_accounting(
    items: list[PackItem], lines: list[str], data: st.DataObject
) -> None:
    known = data.draw(some_known(items, lines))
    prompt = data.draw(st.text(max_size=100))
    as_system = data.draw(st.booleans())
    anchor = known.anchor or render_anchor(tuple(lines), prompt)
    anchor_bytes = utf8_size(anchor.text) if anchor else 0
    budget = anchor_bytes + data.draw(LIMITS)
    limits = ByteLimits(budget, anchor_bytes + data.draw(st.integers(0, budget - anchor_bytes)))

    composition = compose_packs(items, anchor, known, limits, as_system=as_system, prompt=prompt)

    assert composition == compose_packs(items, anchor, known, limits, as_system=as_system, prompt=prompt)
    _bytes_add_up(composition, limits, as_system=as_system)
    order = [BLOCK_ORDER.index(block.kind) for block in composition.blocks]
    assert order == sorted(set(order))
    dispositions = [item.key for item, _ in composition.dispositions]
    assert sorted(dispositions) == sorted([item.key for item in items] + (["anchor"] if anchor else []))
    for item, disposition in composition.dispositions:
        if disposition == "alreadyDelivered" and item.kind != "anchor":
            assert session_has(known, item)
        if disposition == "sent" and item.kind != "anchor":
            assert any(item.text in block.text for block in composition.blocks if block.kind == item.kind)
    _markers_are_alone(composition, prompt)


def _bytes_add_up(composition: Composition, limits: ByteLimits, *, as_system: bool) -> None:
    new_system = composition.system.text if composition.system and composition.anchor_is_new else ""
    assert composition.injected_bytes == sum(block.bytes for block in composition.blocks) + utf8_size(new_system)
    assert all(block.bytes == len(block.text.encode()) for block in composition.blocks)
    assert composition.injected_bytes <= limits.new_bytes
    assert composition.injected_bytes + composition.reused_bytes <= limits.budget_bytes
    assert (composition.system is not None) == (as_system and composition.anchor is not None)
    assert "anchor" not in [block.kind for block in composition.blocks] or not as_system


def _markers_are_alone(composition: Composition, prompt: str) -> None:
    everything = render_prompt(composition.blocks, prompt)
    for block in composition.blocks:
        marker = block.text.split("\n", 1)[0]
        assert marker.startswith(f"{MARKER_PREFIX}{block.kind} ")
        assert block.id in marker
        assert everything.count(marker) == 1
    if composition.blocks:
        last = everything[: len(everything) - len(prompt)].rstrip("\n").rsplit("\n", 1)[-1]
        assert last.startswith(f"{MARKER_PREFIX}request")
        assert everything.count(last) == 1
        assert everything.endswith(f"{last}\n{prompt}")


@given(kinds, st.lists(texts, min_size=1, max_size=5), st.integers(0, 4))
def test_markers_are_unique_even_if_the_prompt_quotes_them(kind: BlockKind, bodies: list[str], quotes: int) -> None:
    items = [
        PackItem(str(number), kind, Priority.DELTA, text, entries.REMOVED, "") for number, text in enumerate(bodies)
    ]
    prompt = "what does this mean?"
    for _ in range(quotes):
        prompt = render_prompt([render_block(kind, items, prompt)], prompt)
    block = render_block(kind, items, prompt)
    everything = render_prompt([block], prompt)
    assert everything.count(block.text.split("\n", 1)[0]) == 1
    assert everything.endswith(prompt)


@given(kinds, st.lists(texts, min_size=1, max_size=4), st.lists(texts, min_size=1, max_size=4))
def test_a_blocks_id_changes_if_and_only_if_its_bytes_do(kind: BlockKind, first: list[str], other: list[str]) -> None:
    blocks = [
        render_block(kind, [PackItem("k", kind, Priority.PLAN, text, entries.REMOVED, "") for text in bodies], "")
        for bodies in (first, other)
    ]
    assert (blocks[0].id == blocks[1].id) == (blocks[0].text == blocks[1].text)


nasty = st.text(
    alphabet=[*"[continuity: ]\t\r\n\x00\x1b\u200b\u202e\u2066\ufeff\u2028CONTINUITYé", "\ud800"],
    max_size=60,
)


@given(st.one_of(st.text(), nasty))
@example("\x1b[31m[conti\x00nuity:anchor 1]\u202e")
@example('password = "hunter2hunter2" https://a:secret@b Bearer abcdefghijklmnopqrst')
@example("[[continuity:continuity:]")
@example("\r\r\n")
def test_clean_is_idempotent_and_leaves_no_forged_marker(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert "[continuity:" not in cleaned.casefold()
    assert not any(ord(char) < 32 and char != "\n" for char in cleaned)
    assert not set(cleaned) & set("\u200b\u200e\u200f\u202a\u202e\u2066\u2069\ufeff\u2028\u2029\x7f\x85")
    cleaned.encode()


@given(st.one_of(st.text(), nasty), st.integers(1, 80))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert "\n" not in line
    assert len(line) <= limit
