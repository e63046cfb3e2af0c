"""Files with a few changes laid over them are what a plain mapping would be, and tell what differs."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.files import FileMap, delta_between

PATHS = st.text("ab/ü", min_size=1, max_size=3)
CONTENTS = st.sampled_from(("1", "2", "3"))
TRACKED = st.dictionaries(PATHS, CONTENTS, max_size=8)
LAID = st.dictionaries(PATHS, st.one_of(st.none(), CONTENTS), max_size=6)


def plain(base: dict[str, str], *overlay: dict[str, str | None]) -> dict[str, str]:
    whole: dict[str, str | None] = {**base}
    for one in overlay:
        whole |= one
    return {path: content for path, content in sorted(whole.items()) if content is not None}


@given(TRACKED, LAID, LAID)
def test_they_are_what_a_mapping_put_together_in_order_would_be(
    base: dict[str, str], overlay: dict[str, str | None], more: dict[str, str | None]
) -> None:
    files = FileMap(dict(sorted(base.items())), overlay).with_overlay(more)
    wanted = plain(base, overlay, more)
    assert list(files.items()) == list(wanted.items())
    assert (list(files), list(files.keys()), list(files.values())) == ([*wanted], [*wanted], [*wanted.values()])
    assert len(files) == len(wanted)
    for path in {*base, *overlay, *more, "absent"}:
        assert (path in files, files.get(path)) == (path in wanted, wanted.get(path))


@given(TRACKED, LAID, LAID, TRACKED)
def test_what_differs_is_told_whether_or_not_one_comes_from_the_other(
    base: dict[str, str], overlay: dict[str, str | None], more: dict[str, str | None], other: dict[str, str]
) -> None:
    first = FileMap(dict(sorted(base.items())), overlay)
    for before in (first, plain(base, overlay)):
        for after in (first.with_overlay(more), first.replaced_by(other), FileMap(dict(sorted(other.items())), more)):
            delta = after.changed_since(before)
            assert delta == delta_between(dict(before), dict(after))
            assert [*delta.added] == sorted(after.keys() - before.keys())
            assert [*delta.removed] == sorted(before.keys() - after.keys())
            both = before.keys() & after.keys()
            assert [*delta.changed] == sorted(path for path in both if before[path] != after[path])
    assert first.replaced_by(other) == other
    many = FileMap({f"{number:03}": "1" for number in range(100)}, {})
    assert many.replaced_by({**many, **other}).base is many.base or len(other) > 3
    assert first.changed_since(first) == ((), (), ())
