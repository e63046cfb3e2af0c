"""The output of a run on disk: its beginning and its end."""

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph.agent import runner
from sidecar.ralph.agent.runner import OutputLog

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
    expected = b"".join(chunks)
    output_log = OutputLog(file)
    for chunk in chunks:
        output_log.add(chunk)
    output_log.close()
    content = file.read_bytes()
    assert output_log.bytes == len(expected)
    if not output_log.truncated:
        assert content == expected
        return
    head, missing, tail = re.split(rb"\n\[\xe2\x80\xa6 (\d+) bytes omitted \xe2\x80\xa6\]\n", content)
    assert head == expected[:50]
    assert expected.endswith(tail)
    assert 30 <= len(tail) < 30 + 40
    assert len(head) + int(missing) + len(tail) == len(expected)


def test_beginning_is_written_immediately(file: Path) -> None:
    output_log = OutputLog(file)
    output_log.add(b"first words")
    assert file.read_bytes() == b"first words"
    output_log.close()


@pytest.mark.skipif(sys.platform != "linux", reason="there is no such device")
def test_full_disk_is_reported_and_stops_nothing() -> None:
    output_log = OutputLog(Path("/dev/full"))
    output_log.add(b"x" * 200)
    output_log.close()
    assert (output_log.bytes, output_log.truncated) == (200, True)
