"""The output of a run on disk: its beginning and its end."""

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph.agent import runner
from sidecar.ralph.agent.runner import Kept

CHUNKS = st.lists(st.binary(max_size=40), max_size=30)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "HEAD_BYTES", 50)
    monkeypatch.setattr(runner, "TAIL_BYTES", 30)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept") / "output"


@given(CHUNKS)
def test_log_has_everything_or_both_ends_and_the_omitted_size(file: Path, chunks: list[bytes]) -> None:
    whole = b"".join(chunks)
    keeping = Kept(file)
    for chunk in chunks:
        keeping.add(chunk)
    keeping.close()
    content = file.read_bytes()
    assert keeping.bytes == len(whole)
    if not keeping.truncated:
        assert content == whole
        return
    head, missing, tail = re.split(rb"\n\[\xe2\x80\xa6 (\d+) bytes left out \xe2\x80\xa6\]\n", content)
    assert head == whole[:50]
    assert whole.endswith(tail)
    assert 30 <= len(tail) < 30 + 40
    assert len(head) + int(missing) + len(tail) == len(whole)


def test_beginning_is_written_immediately(file: Path) -> None:
    keeping = Kept(file)
    keeping.add(b"first words")
    assert file.read_bytes() == b"first words"
    keeping.close()


@pytest.mark.skipif(sys.platform != "linux", reason="there is no such device")
def test_full_disk_is_reported_and_stops_nothing() -> None:
    keeping = Kept(Path("/dev/full"))
    keeping.add(b"x" * 200)
    keeping.close()
    assert (keeping.bytes, keeping.truncated) == (200, True)
