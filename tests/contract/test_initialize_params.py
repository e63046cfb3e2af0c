"""The hand-written check of `initialize` and its model accept and refuse the same params.

That paths are absolute is the application's rule, not the check's nor the model's.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sidecar.connection_messages import InitializeParams
from sidecar.core.errors import InvalidParams
from sidecar.initialize_params import read_initialize
from sidecar.settings import SETTINGS, Setting
from tests.support.cases import together

JUNK: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, -1, 1.0, 1.5, 2**31, 2**32 - 1, 2**32, 2**53 - 1, 2**53, 2**64,
    "", "a", "1", "x" * 200, "x" * 201, "x" * 4096, "x" * 4097, "/tmp", "a\0b", "\n", "é" * 200,
    [], ["a"], {}, {"a": 1}, {"name": "a"}, {"name": "a", "version": "1"}, {"name": "a", "version": "1", "more": 1},
)  # fmt: skip
BRANCHES = (
    "memory/continuity", "main", "HEAD", "master", "develop", "a..b", "a b", "@", "@{", "/a", "a/", "a//b", "a.lock",
    "a.lock/b", ".a", "-a", "a.", "release/1", "releases/1", "hotfix/x", "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b",
    'a"b', "a\x7fb", "é", "x" * 200, "x" * 201, "a@b", "a\tb",
)  # fmt: skip

VALID: dict[str, Any] = {
    "protocolVersion": 1,
    "clientInfo": {"name": "1Code", "version": "0.0.72"},
    "processId": 4711,
    "stateDir": "/tmp/state",
    "logDir": None,
    "settings": {"mode": "active", "capture": {"changedLines": 5}},
    "capabilities": {},
}
NAMES = (*VALID, "protocol_version", "client_info", "state_dir", "unknown", "")

junk = st.sampled_from(JUNK)


def near(row: Setting) -> st.SearchStrategy[Any]:
    """Values on both sides of a setting's bounds."""
    default = list(row.default) if isinstance(row.default, tuple) else row.default  # as it is on the wire
    edges = (default, row.minimum - 1, row.minimum, row.maximum, row.maximum + 1, *row.choices)
    return st.one_of(st.sampled_from(edges), st.sampled_from(BRANCHES) if row.kind == "branch" else junk)


@st.composite
def settings(draw: st.DrawFn) -> dict[str, Any]:
    """A patch with a few settings, some of them wrong, some in the wrong place."""
    patch: dict[str, Any] = {}
    for row in draw(st.lists(st.sampled_from(SETTINGS), max_size=3)):
        group, _, name = row.name.rpartition(".")
        if not group or draw(st.integers(0, 9)) == 0:
            patch[name] = draw(near(row))
        elif isinstance(patch.setdefault(group, {}), dict):
            patch[group][name] = draw(near(row))
    if draw(st.integers(0, 4)) == 0:
        patch[draw(st.sampled_from(("capture", "budgets", "capture.changedLines", "token_mode", "no")))] = draw(junk)
    return patch


@st.composite
def near_misses(draw: st.DrawFn) -> dict[str, Any]:
    """Valid params with a few members changed, dropped or added."""
    params = dict(VALID)
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=2)):
        if draw(st.booleans()):
            params[name] = draw(junk)
        else:
            params.pop(name, None)
    if draw(st.booleans()):
        params["settings"] = draw(settings())
    if draw(st.integers(0, 3)) == 0:
        client = dict(VALID["clientInfo"])
        client[draw(st.sampled_from(("name", "version", "title")))] = draw(junk)
        params["clientInfo"] = client
    return params


def check_accepts(params: object) -> bool:
    try:
        read_initialize(params)
    except InvalidParams:
        return False
    return True


def model_accepts(params: object) -> bool:
    try:
        InitializeParams.model_validate(params, by_alias=True, by_name=False)
    except ValidationError:
        return False
    return True


@given(near_misses())
def test_check_and_model_agree_on_near_misses(params: Mapping[str, Any]) -> None:
    assert check_accepts(params) is model_accepts(params)


@given(settings())
def test_check_and_model_agree_on_settings(patch: dict[str, Any]) -> None:
    params = {**VALID, "settings": patch}
    assert check_accepts(params) is model_accepts(params)


@together("branch", BRANCHES)
def test_check_and_model_agree_on_branch_names(branch: str) -> None:
    params = {**VALID, "settings": {"memoryBranch": branch}}
    assert check_accepts(params) is model_accepts(params)


@together("name, value", product(VALID, JUNK))
def test_check_and_model_agree_on_each_member(name: str, value: Any) -> None:
    params = {**VALID, name: value}
    assert check_accepts(params) is model_accepts(params)


@pytest.mark.parametrize("params", [None, [], [VALID], "text", 1, {}, VALID], ids=repr)
def test_check_and_model_agree_on_non_objects(params: object) -> None:
    assert check_accepts(params) is model_accepts(params)


def test_the_stated_settings_are_accepted() -> None:
    parsed = read_initialize(VALID)
    assert parsed.settings == VALID["settings"]
    assert parsed.process_id == VALID["processId"]
    assert parsed.log_dir is None
