"""Files with the block: whatever they hold, putting blocks in and taking them out gives them back, or none at all."""

import tempfile
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sidecar.core.ides import PLACES, Place
from sidecar.session.block_files import Spot, put, shown, take_out
from sidecar.session.managed_block import ACTIVE_TEXT, INACTIVE_TEXT, outside
from tests.support.depth import examples

TEXTS = [ACTIVE_TEXT.format(agent=agent) for agent in ("dev", "architect")] + [INACTIVE_TEXT.format(agent="dev")]


@settings(max_examples=examples(60, 20))
@given(
    st.sampled_from(PLACES),
    st.one_of(st.none(), st.binary(max_size=60), st.text(max_size=60).map(str.encode)),
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4),
)
def test_any_file_comes_back_after_any_sequence(place: Place, content: bytes | None, texts: list[str]) -> None:
    assume(content is None or not content.startswith((b"\xff\xfe", b"\xfe\xff")))
    with tempfile.TemporaryDirectory() as folder:
        spot = Spot(Path(folder), place)
        file = Path(spot.path)
        if content is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        made = 0
        for text in texts:
            made = max(made, put(spot, text, force=False))
            assert outside(file.read_bytes()) == (spot.place.head.encode() if content is None else content)
        assert shown(spot).state == ("inactive" if texts[-1] == TEXTS[2] else "active")

        take_out(spot._replace(made=made), force=False)

        assert (file.read_bytes() if file.exists() else None) == content
        assert not list(Path(folder).rglob("*.new"))
        assert content is not None or list(Path(folder).iterdir()) == []
