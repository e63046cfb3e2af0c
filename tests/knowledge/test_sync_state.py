"""The stored sync state: its JSON form, and the forms of earlier versions."""

import orjson
import pytest

from sidecar.knowledge import FailedItem, SyncedItem, SyncState, parse_state, serialize_state

STATE = SyncState(
    last_sync_at_ms=1,
    last_knowledge_commit="c1",
    items={"company:a": SyncedItem("content", "render", "company/adrs/a.md", "pointer-1", "a.md")},
    pending=("company:b",),
    target_commit="c2",
    failed={"company:x": FailedItem(attempts=2, fingerprint="f", problem="It is not UTF-8 text.")},
    rollback_commit="c0",
)


def test_a_state_is_restored_from_its_json() -> None:
    assert parse_state(serialize_state(STATE)) == STATE


@pytest.mark.parametrize("rollback", [{"heldAt": "c0"}, {}])
def test_a_state_of_version_2_is_upgraded(rollback: dict[str, str]) -> None:
    document = orjson.loads(serialize_state(STATE))
    del document["rollbackCommit"]
    former = {**document, "version": 2, "failed": {"company:x": [2, "f", "It is not UTF-8 text."]}, **rollback}
    assert parse_state(orjson.dumps(former)).rollback_commit == rollback.get("heldAt", "")
    assert parse_state(orjson.dumps(former)).failed == STATE.failed


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"version": 99}', b'{"version": 2}'])
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_state(content)
