"""Refused branches, and the content of an artifact's file and commit message."""

import re
from dataclasses import replace

import orjson
from hypothesis import given
from hypothesis import strategies as st

from sidecar.capture.artifact_commits import file_of, message_of, path_of, refusal
from sidecar.core.protected_branches import is_memory_branch
from sidecar.runs import Artifact, CommitMark, DevlogDetails
from sidecar.system.branch_commit import BranchUses
from tests.support.artifacts import PROVENANCE, make_artifact

UNUSED = BranchUses(frozenset(), frozenset(), None)
NAMES = st.from_regex(r"[a-zA-Z0-9]{1,8}(/[a-zA-Z0-9]{1,8}){0,2}", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


@given(NAMES, st.sampled_from(["as it is", "lower", "upper"]))
def test_a_branch_in_use_is_refused_in_any_case(name: str, case: str) -> None:
    used = {"as it is": name, "lower": name.lower(), "upper": name.upper()}[case]
    assert refusal(name, UNUSED._replace(checked_out=frozenset({used}))) is not None
    assert refusal(name, UNUSED._replace(remote_defaults=frozenset({used}))) is not None
    assert refusal(name, UNUSED._replace(symbolic_target="refs/heads/other")) is not None
    assert (refusal(name, UNUSED) is None) == is_memory_branch(name)


@given(NAMES, NAMES)
def test_uses_of_other_branches_are_allowed(name: str, other: str) -> None:
    uses = BranchUses(frozenset({f"{other}-x"}), frozenset({f"{other}-y"}), None)
    assert (refusal(name, uses) is None) == is_memory_branch(name)


def artifact(title: str = "One", body: str = "# One\n", artifact_id: str = "devlog-1", run: str = "run-1") -> Artifact:
    provenance = replace(PROVENANCE, run_id=run, runs=(run,), files=(title,), details=DevlogDetails(open=True))
    return make_artifact(id=artifact_id, title=title, body=body, provenance=provenance, created_at_ms=1_772_355_600_000)


@given(TEXTS, TEXTS)
def test_front_matter_has_one_json_value_per_line_for_any_title(title: str, body: str) -> None:
    text = file_of(artifact(title, body)).decode()
    front = text.split("\n---\n", maxsplit=1)[0].removeprefix("---\n").split("\n")
    members = {name: orjson.loads(value) for name, _, value in (line.partition(": ") for line in front)}
    assert list(members) == [
        "id", "type", "title", "event", "createdAt", "runId", "runs", "subChatId", "provider", "files",
        "sidecarVersion",
    ]  # fmt: skip
    assert not re.search(r"[\x00-\x1f]", members["title"])


@given(TEXTS, TEXTS)
def test_a_file_has_the_provenance_but_not_the_status(title: str, body: str) -> None:
    draft = artifact(title, body)
    later = replace(draft, status="committed", updated_at_ms=99)
    mark = CommitMark(branch="b", commit="c", path="p", accepted=False)
    committed = replace(later, provenance=replace(draft.provenance, committed=mark))
    assert file_of(draft) == file_of(later) == file_of(committed)


def test_an_id_that_is_not_a_valid_file_name_has_no_path() -> None:
    assert path_of(artifact()) == "continuity/devlog/2026-03-devlog-1.md"
    for artifact_id in ("", "../x", "a/b", "a\\b", "a\nb", "a.", ".git", "a" * 200, "ü"):
        assert path_of(artifact(artifact_id=artifact_id)) is None


@given(st.lists(TEXTS, min_size=1, max_size=40))
def test_a_commit_message_has_a_short_subject_and_lists_the_artifacts(titles: list[str]) -> None:
    many = [artifact(title, artifact_id=f"devlog-{n}", run=f"run-{n}") for n, title in enumerate(titles)]
    subject, blank, *rest = message_of(many, "1.0").split("\n")
    assert len(subject) <= 90
    assert blank == ""
    assert rest[-2] == "Sidecar-Version: 1.0"
    assert sum(line.startswith("- ") for line in rest) <= 21
    assert sum(line.startswith("Run: run-") for line in rest) == min(20, len(titles))
