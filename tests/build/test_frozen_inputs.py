"""What the frozen program has beside its modules: compiled patterns and code, and the list of first modules."""

import builtins
import dataclasses
import re
from pathlib import Path
from typing import Any, NamedTuple

import frozen_inputs
import pytest

from sidecar.core import lazy_regex, precompiled_code
from sidecar.core.lazy_regex import CompiledPatterns, LazyPattern
from tests.support.depth import sample


def stored(folder: Path, content: bytes) -> CompiledPatterns:
    path = folder / "patterns"
    path.write_bytes(content)
    with path.open("rb") as file:
        return CompiledPatterns(file)


def test_a_restored_pattern_equals_the_compiled_one(tmp_path: Path) -> None:
    patterns = [pattern for pattern in frozen_inputs.all_patterns() if pattern[0] != "("]  # another test's invalid one
    assert len(patterns) > 800
    chosen = sample(patterns, 50)
    restored = stored(tmp_path, frozen_inputs.compiled_file(chosen))
    assert len(restored) == len(chosen)
    for pattern, flags in chosen:
        assert restored.restore(pattern, flags) == re.compile(pattern, flags)


def test_a_restored_pattern_has_its_groups_and_searches_bytes(tmp_path: Path) -> None:
    patterns: list[tuple[str | bytes, int]] = [(r"(?P<word>[a-z]+)(\d)?", int(re.IGNORECASE)), (rb"\d+", 0)]
    restored = stored(tmp_path, frozen_inputs.compiled_file(patterns))
    words, digits = (restored.restore(*pattern) for pattern in patterns)
    assert words is not None
    assert digits is not None
    assert (words.groups, dict(words.groupindex), words.flags) == (2, {"word": 1}, int(re.IGNORECASE | re.UNICODE))
    assert [match.groupdict() for match in words.finditer("Ab1 c")] == [{"word": "Ab"}, {"word": "c"}]
    assert digits.findall(b"a12b3") == [b"12", b"3"]


def test_a_pattern_that_is_not_stored_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    restored = stored(tmp_path, frozen_inputs.compiled_file([("a+", 0)]))
    monkeypatch.setattr(lazy_regex, "compiled_patterns", lambda: restored)
    assert restored.restore("a+", int(re.IGNORECASE)) is None
    assert LazyPattern("a+", re.IGNORECASE).fullmatch("AA")
    assert LazyPattern("a+", 0).fullmatch("aa")


def test_patterns_of_another_interpreter_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = frozen_inputs.compiled_file([("a+", 0)])
    monkeypatch.setattr(lazy_regex, "INTERPRETER", ("another",))
    assert len(stored(tmp_path, content)) == 0


@pytest.mark.parametrize("content", [b"", b"not a pattern", b"\xff" * 64])
def test_without_a_usable_file_patterns_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    (tmp_path / lazy_regex.COMPILED_FILE).write_bytes(content)
    monkeypatch.setattr(lazy_regex, "__file__", str(tmp_path / "lazy_regex.py"))
    lazy_regex.compiled_patterns.cache_clear()
    try:
        assert len(lazy_regex.compiled_patterns()) == 0
        assert LazyPattern("b+", 0).fullmatch("bb")
    finally:
        lazy_regex.compiled_patterns.cache_clear()


def test_the_first_modules_include_all_of_a_pre_run() -> None:
    names = frozen_inputs.first_modules()
    assert {"sidecar.packs.pre_run", "sidecar.codebase.repository", "sidecar.rpc.dispatch", "pydantic.main"} <= {*names}


def made_classes() -> tuple[Any, Any]:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Place:
        """A place with a default that no other class has."""

        latitude_of_the_test: int
        height: int = 7

    class Step(NamedTuple):
        """A step whose annotation is in quotes."""

        first_of_the_test: "builtins.int"
        second: int = 2

    return Place, Step


def test_classes_made_with_stored_code_equal_those_made_from_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with frozen_inputs.recorded_code() as codes:
        made_classes()
    assert {name for name, _ in codes} == {"exec", "eval", "compile"}
    (tmp_path / precompiled_code.CODE_FILE).write_bytes(precompiled_code.packed(codes))
    monkeypatch.setattr(precompiled_code, "__file__", str(tmp_path / "precompiled_code.py"))
    assert precompiled_code.stored_code() == codes
    compiled: list[object] = []
    run = builtins.exec

    def run_and_keep(code: Any, *scopes: Any) -> None:
        compiled.append(code)
        run(code, *scopes)

    monkeypatch.setattr(builtins, "exec", run_and_keep)
    with precompiled_code.precompiled_code():
        place, step = made_classes()
    assert compiled
    assert not [code for code in compiled if isinstance(code, str)]
    assert repr(place(3)) == "made_classes.<locals>.Place(latitude_of_the_test=3, height=7)"
    assert place(3) == place(3, 7) != place(4)
    assert step(1) == (1, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        place(3).height = 8
    assert not hasattr(dataclasses, "exec"), "the module compiles by itself again"


def test_a_text_without_stored_code_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with frozen_inputs.recorded_code() as codes:
        dataclasses.make_dataclass("Other", ["only"])
    (tmp_path / precompiled_code.CODE_FILE).write_bytes(precompiled_code.packed(codes))
    monkeypatch.setattr(precompiled_code, "__file__", str(tmp_path / "precompiled_code.py"))
    with precompiled_code.precompiled_code():
        place, step = made_classes()
    assert (place(3).height, step(1)) == (7, (1, 2))


@pytest.mark.parametrize("content", [b"", b"not packed", b"\xff" * 64, "of another interpreter"])
def test_without_usable_code_classes_are_made_from_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | str
) -> None:
    if isinstance(content, str):
        content = precompiled_code.packed({("eval", "1"): compile("1", "", "eval")})
        monkeypatch.setattr(precompiled_code, "INTERPRETER", ("another",))
    (tmp_path / precompiled_code.CODE_FILE).write_bytes(content)
    monkeypatch.setattr(precompiled_code, "__file__", str(tmp_path / "precompiled_code.py"))
    assert not precompiled_code.stored_code()
    with precompiled_code.precompiled_code():
        place, _ = made_classes()
    assert place(3).height == 7
