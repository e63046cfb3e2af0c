"""Files with the block: whatever they hold, putting blocks in and taking them out gives them back, or none at all."""

import tempfile
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sidecar.core.ide_rules_files import RULES_FILES, RulesFile
from sidecar.session import ACTIVE_TEXT, INACTIVE_TEXT, user_content
from sidecar.session.managed_block import BlockFile, block_info, remove_block, write_block
from tests.support.depth import examples

TEXTS = [ACTIVE_TEXT.format(agent=agent) for agent in ("dev", "architect")] + [INACTIVE_TEXT.format(agent="dev")]


@settings(max_examples=examples(60, 20))
@given(
    st.sampled_from(RULES_FILES),
    st.one_of(st.none(), st.binary(max_size=60), st.text(max_size=60).map(str.encode)),
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4),
)
def test_removing_the_block_restores_any_file(rules_file: RulesFile, content: bytes | None, texts: list[str]) -> None:
    assume(content is None or not content.startswith((b"\xff\xfe", b"\xfe\xff")))
    with tempfile.TemporaryDirectory() as folder:
        block_file = BlockFile(Path(folder), rules_file)
        file = Path(block_file.path)
        if content is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        created_count = 0
        for text in texts:
            created_count = max(created_count, write_block(block_file, text, force=False))
            assert user_content(file.read_bytes()) == (
                block_file.rules_file.front_matter.encode() if content is None else content
            )
        assert block_info(block_file).state == ("inactive" if texts[-1] == TEXTS[2] else "active")

        remove_block(block_file._replace(created_count=created_count), force=False)

        assert (file.read_bytes() if file.exists() else None) == content
        assert not list(Path(folder).rglob("*.new"))
        assert content is not None or list(Path(folder).iterdir()) == []
