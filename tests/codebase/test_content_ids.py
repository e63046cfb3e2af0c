"""A file map with an overlay equals a plain dict, and reports its differences."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase import FileMap, delta_between

PATHS = st.text("ab/ü", min_size=1, max_size=3)
CONTENTS = st.sampled_from(("1", "2", "3"))
TRACKED = st.dictionaries(PATHS, CONTENTS, max_size=8)
LAID = st.dictionaries(PATHS, st.one_of(st.none(), CONTENTS), max_size=6)


def plain(base: dict[str, str], *overlay: dict[str, str | None]) -> dict[str, str]:
    whole: dict[str, str | None] = {**base}
    for layer in overlay:
        whole |= layer
    return {path: content for path, content in sorted(whole.items()) if content is not None}


@given(TRACKED, LAID, LAID)
def test_file_map_equals_a_sorted_merged_dict(
    base: dict[str, str], overlay: dict[str, str | None], more: dict[str, str | None]
) -> None:
    files = FileMap(dict(sorted(base.items())), overlay).with_overlay(more)
    expected = plain(base, overlay, more)
    assert list(files.items()) == list(expected.items())
    assert (list(files), list(files.keys()), list(files.values())) == ([*expected], [*expected], [*expected.values()])
    assert len(files) == len(expected)
    for path in {*base, *overlay, *more, "absent"}:
        assert (path in files, files.get(path)) == (path in expected, expected.get(path))


@given(TRACKED, LAID, LAID, TRACKED)
def test_delta_is_equal_for_derived_and_unrelated_maps(
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
