"""Valid values of settings, compared with the model and with git."""

import subprocess
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from sidecar.core.protected_branches import PROTECTED_BRANCHES, PROTECTED_FOLDERS, SHADOWING_FOLDERS, is_memory_branch
from sidecar.settings import (
    BY_NAME,
    GROUPS,
    SETTINGS,
    flatten,
    from_environment,
    problem_with,
    problems_with,
)
from sidecar.settings.model import SettingsPatch
from tests.support.cases import together
from tests.support.depth import examples

VALUES: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers(-5, 2**54)
    | st.floats(allow_nan=False)
    | st.sampled_from(
        ["active", "passive", "off", "low", "normal", "debug", "auto-write-manual-commit", "main", "a/b", "x"]
    )
    | st.text(max_size=5)
)
PLAIN = [row.name for row in SETTINGS if "." not in row.name]
PATCHES = st.dictionaries(
    st.sampled_from([*PLAIN, *GROUPS, "unknown"]),
    VALUES | st.dictionaries(st.sampled_from([row.name.split(".")[-1] for row in SETTINGS]), VALUES, max_size=3),
    max_size=4,
)


def model_accepts(patch: dict[str, Any]) -> bool:
    try:
        SettingsPatch.model_validate(patch)
    except ValidationError:
        return False
    return True


@given(PATCHES)
def test_the_plain_check_and_the_model_accept_the_same(patch: dict[str, Any]) -> None:
    assert (not problems_with(patch)) == model_accepts(patch)


def test_every_default_is_a_value_of_its_setting() -> None:
    assert all(problem_with(row.name, row.default) is None for row in SETTINGS)
    assert len(BY_NAME) == len(SETTINGS)


def test_each_invalid_value_is_named_once_without_its_text() -> None:
    problems = problems_with(
        {
            "mode": "kumquat",
            "capture": {"changedLines": 0, "nope": 1},
            "snapshot": "kumquat",
            "budgets": 7,
            "huh huh": 1,
        }
    )
    text = " ".join(problems)
    for name in ("`mode`", "`capture.changedLines`", "capture.nope", "`snapshot`", "`budgets`"):
        assert name in text
    assert "kumquat" not in text
    assert "huh huh" not in text


def test_null_for_a_group_removes_each_of_its_settings() -> None:
    taken_back = flatten({"capture": None, "mode": "off"})
    assert taken_back == {"mode": "off", **{row.name: None for row in SETTINGS if row.name.startswith("capture.")}}


@together(
    ("text", "value"),
    [
        ("1", True),
        ("TRUE", True),
        ("on", True),
        ("yes", True),
        ("0", False),
        ("False", False),
        ("off", False),
        (" no ", False),
    ],
)
def test_booleans_in_the_environment_have_the_usual_spellings(text: str, value: bool) -> None:
    assert from_environment({"ONECODE_CONTINUITY_ENABLE_SNAPSHOT": text}) == ({"snapshot": value}, [])


def test_each_variable_of_the_environment_sets_its_setting() -> None:
    values, problems = from_environment(
        {
            "ONECODE_CONTINUITY_MODE": " Active",
            "ONECODE_CONTINUITY_ENABLE_SNAPSHOT": "0",
            "ONECODE_CONTINUITY_ENABLE_REHYDRATE": "1",
            "ONECODE_CONTINUITY_ARTIFACT_POLICY": "auto-write-memory-branch",
            "ONECODE_CONTINUITY_MEMORY_BRANCH": "notes/agent",
            "ONECODE_TOKEN_MODE": "low",
            "ONECODE_KNOWLEDGE_REPOSITORY": "https://git.example.org/knowledge.git",
            "ONECODE_KNOWLEDGE_REF": "release/2",
            "ONECODE_KNOWLEDGE_SCOPES": "teams/web, projects/*",
        }
    )
    assert problems == []
    assert values == {
        "mode": "active",
        "snapshot": False,
        "rehydrate": True,
        "artifactPolicy": "auto-write-memory-branch",
        "memoryBranch": "notes/agent",
        "tokenMode": "low",
        "knowledge.repository": "https://git.example.org/knowledge.git",
        "knowledge.ref": "release/2",
        "knowledge.scopes": ["teams/web", "projects/*"],
    }


def test_an_invalid_variable_is_skipped_and_named_and_an_empty_one_is_ignored() -> None:
    values, problems = from_environment(
        {"ONECODE_CONTINUITY_MODE": "kumquat", "ONECODE_CONTINUITY_MEMORY_BRANCH": "main", "ONECODE_TOKEN_MODE": " "}
    )
    assert values == {}
    assert [problem.split()[0] for problem in problems] == [
        "ONECODE_CONTINUITY_MODE",
        "ONECODE_CONTINUITY_MEMORY_BRANCH",
    ]
    assert "kumquat" not in "".join(problems)


@together(
    "name",
    ["main", "master", "develop", "HEAD", "Main", "release", "release/1.0", "Release/1", "releases/x", "hotfix/y",
     "trunk", "production", "staging", "stable", "release-1.2", "releases-2", "hotfix-1", "release_3", "stable/4.2.x",
     "7-0-stable", "v18.x", "3.11", "1.x", "support-2", "gh-pages"],
)  # fmt: skip
def test_branches_that_people_work_on_are_refused(name: str) -> None:
    assert not is_memory_branch(name)


@together(
    "name", ["memory/continuity", "memory", "releasenotes", "memory/release", "stables/x", "vista", "chat/1", "mainly"]
)
def test_a_name_that_only_resembles_a_protected_branch_is_allowed(name: str) -> None:
    assert is_memory_branch(name)


ODD_NAMES = [
    "a", "a/b", "memory/continuity", "ü/日本", "", "/", "a/", "/a", "a//b", ".a", "a/.b", "a.", "a./b", "a..b",
    "a.lock", "a.lock/b", "a.locked", "-a", "a/-b", "--", "@", "a@b", "@{u}", "a@{1}", "@a", "a b", "a~1", "a^", "a:b",
    "a?", "a*", "a[b", "a]b", "a\\b", "a\tb", "a\x7fb", "a\nb", "HEAD", "a/HEAD", "a'b", "a{b}", "(a)", "a!",
    "#a", "$a", "a,b",
]  # fmt: skip


def git_accepts(name: str) -> bool:
    done = subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True, check=False)
    return done.returncode == 0 and done.stdout.decode() == f"{name}\n"


@together("name", ODD_NAMES)
def test_a_branch_name_is_well_formed_if_git_accepts_it_and_it_is_not_head(name: str) -> None:
    assert is_memory_branch(name) == (git_accepts(name) and name not in {"HEAD", "@"})


@settings(max_examples=examples(120, 25))
@given(st.text(st.sampled_from("ab./-@{}~^:?*[\\ _lock\x01\x7fé"), max_size=8))
def test_any_branch_name_is_judged_as_git_judges_it(name: str) -> None:
    folder, folded = name.split("/", maxsplit=1)[0].casefold(), name.casefold()
    protected = name == "@" or folded in PROTECTED_BRANCHES or folder in (*PROTECTED_FOLDERS, *SHADOWING_FOLDERS)
    assert is_memory_branch(name) == (git_accepts(name) and not protected)
