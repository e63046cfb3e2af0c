"""Our hooks in Claude Code's settings; the rest stays byte for byte."""

import json

import pytest
from hypothesis import given
from hypothesis import settings as limited
from hypothesis import strategies as st

from sidecar.integrations import (
    HOOK_EVENTS,
    SettingsUnreadable,
    installed_events,
    same_settings,
    with_hooks,
    without_hooks,
)
from tests.support.cases import together
from tests.support.depth import examples

PROGRAM = "'/opt/1Code apps/onecode-sidecar'"
OTHERS = """{
\t"model": "opus",\r
\t"permissions": {"allow": ["Bash(ls)", "Read"], "n": 1.50},
\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], "Notification": []}
}"""

names = st.text(st.characters(codec="utf-8"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | names, lambda inner: st.lists(inner) | st.dictionaries(names, inner)
)
settings = st.dictionaries(names.filter(lambda name: name != "hooks"), values, max_size=4)
styles = st.sampled_from([{"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}, {"ensure_ascii": False}])


def test_each_hook_is_present_once_however_often_installed() -> None:
    once = with_hooks(OTHERS, PROGRAM)
    assert installed_events(once) == ["Stop", *(event for event in HOOK_EVENTS if event != "Stop")]
    assert with_hooks(once, PROGRAM) == once
    renewed = with_hooks(once, "/new/onecode-sidecar.exe")
    assert PROGRAM not in renewed
    assert renewed.count("onecode-sidecar.exe hook ") == len(HOOK_EVENTS)


def test_other_settings_stay_byte_for_byte() -> None:
    changed = with_hooks(OTHERS, PROGRAM)
    before_hooks = OTHERS[: OTHERS.index('"hooks"')]
    assert changed.startswith(before_hooks)
    assert json.loads(changed)["hooks"]["Stop"][0] == {"hooks": [{"type": "command", "command": "say done"}]}
    assert json.loads(without_hooks(changed)) == json.loads(OTHERS)
    assert list(json.loads(changed)) == ["model", "permissions", "hooks"]


@limited(max_examples=examples(100, 10))
@given(settings, styles)
def test_uninstalling_restores_settings_byte_for_byte(content: dict[str, object], style: dict[str, object]) -> None:
    text = json.dumps(content, **style)  # pyrefly: ignore[bad-argument-type]
    changed = with_hooks(text, PROGRAM)
    assert {name: value for name, value in json.loads(changed).items() if name != "hooks"} == content
    back = without_hooks(changed)
    assert same_settings(back, text)
    assert not content or back == text


@together("text", ["[]", "{,}", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "// no JSON\n{}"])
def test_unreadable_settings_are_rejected(text: str) -> None:
    with pytest.raises(SettingsUnreadable, match=r"."):
        with_hooks(text, PROGRAM)


@pytest.mark.parametrize("text", ["", "\ufeff", "{}", "{ }\n"])
def test_hooks_can_be_added_to_an_empty_file(text: str) -> None:
    changed = with_hooks(text, PROGRAM)
    assert installed_events(changed) == list(HOOK_EVENTS)
    assert same_settings(without_hooks(changed), "{}")
