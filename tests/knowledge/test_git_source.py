"""A remote knowledge repository: fetched into the state folder, at the ref that counts, and read where it cannot be."""

import hashlib
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.knowledge import mirror_folder
from sidecar.knowledge.git_source import FetchFailed, _reason, fetch
from sidecar.settings import is_remote, problem_with
from tests.support.git_server import serve_redirect, serve_repositories
from tests.support.knowledge_project import Knowledge, item

Make = Callable[..., Knowledge]

ADR, POLICY = "company/adrs/adr-1.md", "company/policies/pol-1.md"
TWO = {ADR: item("Use PostgreSQL"), POLICY: item("Logs hold no secret")}


@pytest.fixture
def knowledge(make_knowledge: Make) -> Knowledge:
    """A project that follows a repository by its address."""
    made = make_knowledge(TWO)
    made.set(repository=made.repository.path.as_uri())
    return made


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def mirror(knowledge: Knowledge) -> Path:
    process = knowledge.sidecar.app.process
    assert process is not None
    return mirror_folder(process.state_dir, knowledge.repository.path.as_uri())


def test_a_remote_repository_is_fetched_into_the_state_folder_and_stays_unchanged(knowledge: Knowledge) -> None:
    before = digests(knowledge.repository.path)
    done = knowledge.request("sync")
    assert digests(knowledge.repository.path) == before
    assert (done["mode"], done["counts"]["added"]) == ("full", 2)
    knowledge.repository.commit({ADR: item("Use SQLite")})
    assert knowledge.request("status")["inSync"], "what was not fetched yet is not known"
    done = knowledge.request("sync")
    assert (done["mode"], done["counts"]["updated"], done["commit"]) == ("incremental", 1, knowledge.repository.head())
    assert (mirror(knowledge) / "objects").is_dir()


def test_the_last_fetched_state_is_used_while_the_remote_is_unreachable(knowledge: Knowledge) -> None:
    knowledge.request("sync")
    moved = knowledge.repository.path.rename(knowledge.repository.path.with_name("away"))
    assert knowledge.request("status")["items"] == 2
    assert knowledge.request("conflicts")["conflicts"] == []
    refused = knowledge.error("sync")
    assert (refused.data["code"], refused.data["retryable"]) == ("KNOWLEDGE_UNAVAILABLE", True)
    assert "there is no repository at its address" in refused.message
    assert len(knowledge.files()) == 2
    moved.rename(knowledge.repository.path)
    assert knowledge.request("sync")["operations"] == []


def test_an_unreachable_folder_has_a_reason_on_windows_too() -> None:
    """Without one the local copy counts as damaged, and is deleted."""
    assert _reason("could not find repository at 'Z:/shared/knowledge.git'") == "there is no repository at its address"


def test_a_forced_push_leads_to_a_full_comparison_with_a_warning(knowledge: Knowledge) -> None:
    knowledge.request("sync")
    knowledge.repository.git("checkout", "--quiet", "--orphan", "anew")
    knowledge.repository.git("rm", "--quiet", "--force", POLICY)
    knowledge.repository.commit()
    knowledge.repository.git("branch", "--force", "main", "anew")
    knowledge.repository.git("checkout", "--quiet", "main")
    knowledge.repository.git("branch", "--delete", "--force", "anew")
    done = knowledge.request("sync")
    assert (done["mode"], done["counts"]["deleted"], len(done["warnings"])) == ("full", 1, 1)
    assert knowledge.request("plan")["operations"] == []


@pytest.mark.parametrize("remote", [True, False])
def test_the_ref_may_be_a_branch_a_tag_or_a_commit(make_knowledge: Make, *, remote: bool) -> None:
    knowledge = make_knowledge(TWO)
    repository = knowledge.repository
    if remote:
        knowledge.set(repository=repository.path.as_uri())
    first = repository.head()
    repository.git("checkout", "--quiet", "-b", "next")
    second = repository.commit({ADR: item("Use SQLite")})
    repository.git("tag", "--annotate", "--message", "of next", "v2")
    repository.git("checkout", "--quiet", "main")
    for ref, commit in (("next", second), ("main", first), ("v2", second), (first[:12], first), (None, first)):
        knowledge.set(ref=ref)
        assert knowledge.request("plan")["commit"] == commit
    knowledge.set(ref="nowhere")
    refused = knowledge.error("plan")
    assert (refused.data["code"], refused.data["retryable"]) == ("KNOWLEDGE_UNAVAILABLE", False)
    assert "`nowhere`" in refused.message


@pytest.mark.parametrize("harm", ["half", "emptied"])
def test_an_incomplete_mirror_is_rebuilt(knowledge: Knowledge, harm: str) -> None:
    knowledge.request("sync")
    (mirror(knowledge) / "FETCHED").unlink()
    if harm == "emptied":
        shutil.rmtree(mirror(knowledge) / "objects")
    assert knowledge.request("sync", mode="full")["operations"] == []


@pytest.mark.parametrize("harm", ["objects", "tree", "head"])
def test_a_damaged_mirror_is_rebuilt_by_the_next_attempt(knowledge: Knowledge, harm: str) -> None:
    knowledge.request("sync")
    knowledge.repository.commit({"company/specs/s.md": item("A spec")})
    if harm == "head":
        (mirror(knowledge) / "HEAD").write_text("nonsense")
    else:
        for path in [path for path in (mirror(knowledge) / "objects").rglob("*") if path.is_file()]:
            path.unlink()
    knowledge.sidecar.client.answer(knowledge.sidecar.client.start("knowledge/sync", {"cwd": str(knowledge.project)}))
    assert knowledge.request("sync", mode="full")["complete"]
    assert len(knowledge.files()) == 3


def test_a_moved_head_of_a_remote_makes_a_sync_due(knowledge: Knowledge) -> None:
    knowledge.set(onHeadMoved=True)
    knowledge.request("sync")
    assert knowledge.request("shouldSync")["shouldSync"] is False
    knowledge.repository.commit({ADR: item("Use SQLite")})
    answer = knowledge.request("shouldSync")
    assert (answer["shouldSync"], answer["reason"]) == (True, "head_moved")


def test_a_repository_url_must_be_known_to_git_and_have_no_password() -> None:
    for fine in ("https://git.example.org/k.git", "ssh://git@example.org/k", "git@example.org:team/k.git", "file:///k"):
        assert is_remote(fine)
        assert problem_with("knowledge.repository", fine) is None
    for wrong in ("https://ada:secret@example.org/k", "ext::sh -c x", "k", "https://a b/", "-oProxyCommand=x", 7):
        assert problem_with("knowledge.repository", wrong) is not None
    assert problem_with("knowledge.ref", "a..b") is not None


@pytest.fixture
def daemon(knowledge: Knowledge) -> Iterator[str]:
    """The address of a server that speaks git's own protocol."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    root = knowledge.repository.path.parent
    command = [
        "git",
        "daemon",
        "--export-all",
        "--listen=127.0.0.1",
        f"--port={port}",
        f"--base-path={root}",
        str(root),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    give_up_at = time.monotonic() + 20
    try:
        while time.monotonic() < give_up_at:
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"git://127.0.0.1:{port}/{knowledge.repository.path.name}"
    finally:
        process.terminate()
        process.wait(10)


def test_fetching_from_a_server_works_and_can_be_stopped(knowledge: Knowledge, daemon: str, tmp_path: Path) -> None:
    knowledge.set(repository=daemon)
    assert knowledge.request("sync")["counts"]["added"] == 2
    knowledge.repository.commit({ADR: item("Use SQLite")})
    assert knowledge.request("sync")["counts"]["updated"] == 1

    class GivenUp(Exception):
        pass

    def give_up() -> None:
        raise GivenUp

    with pytest.raises(GivenUp):
        fetch(tmp_path / "stopped.git", daemon, give_up)
    with pytest.raises(FetchFailed, match="there is no repository at its address"):
        fetch(tmp_path / "none.git", f"{daemon}-none", lambda: None)


def test_a_branch_deleted_on_the_remote_is_deleted_from_the_mirror(knowledge: Knowledge) -> None:
    knowledge.repository.git("branch", "old")
    knowledge.request("sync")
    knowledge.set(ref="old")
    assert knowledge.request("sync")["operations"] == []
    knowledge.repository.git("branch", "--delete", "old")
    assert "`old`" in knowledge.error("sync").message


def test_git_credential_helpers_are_used_without_prompting(
    knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{knowledge.repository.path.name}/.git"
    with serve_repositories(knowledge.repository.path.parent, password="hunter2") as address:
        knowledge.set(repository=f"{address}/{name}")
        refused = knowledge.error("plan")
        assert "rejects this machine's credentials" in refused.message
        assert address not in refused.message
        config = tmp_path / "gitconfig"
        config.write_text('[credential]\n\thelper = "!f() { echo username=ada; echo password=hunter2; }; f"\n')
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
        assert knowledge.request("sync")["counts"]["added"] == 2
        knowledge.repository.commit({ADR: item("Use SQLite")})
        assert knowledge.request("sync")["counts"]["updated"] == 1
    copies = (path for path in mirror(knowledge).parent.rglob("*") if path.is_file())
    assert not any(b"hunter2" in path.read_bytes() for path in copies)


def test_a_password_is_not_sent_to_the_target_of_a_redirect(
    knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "asked"
    config = tmp_path / "gitconfig"
    helper = f"!f() {{ echo asked >> {marker}; echo username=ada; echo password=hunter2; }}; f"
    config.write_text(f'[credential]\n\thelper = "{helper}"\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    name = f"{knowledge.repository.path.name}/.git"
    with (
        serve_repositories(knowledge.repository.path.parent, password="hunter2") as other,
        serve_redirect(other) as address,
    ):
        knowledge.set(repository=f"{address}/{name}")
        assert "rejects this machine's credentials" in knowledge.error("plan").message
    assert not marker.exists()


def test_a_credential_helper_of_the_current_folder_is_not_run(
    knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "asked"
    knowledge.repository.git("config", "credential.helper", f"!f() {{ echo asked >> {marker}; }}; f")
    monkeypatch.chdir(knowledge.repository.path)
    with serve_repositories(knowledge.repository.path.parent, password="hunter2") as address:
        knowledge.set(repository=f"{address}/{knowledge.repository.path.name}/.git")
        assert "rejects this machine's credentials" in knowledge.error("plan").message
    assert not marker.exists()


def test_a_fetch_above_the_size_limit_is_aborted(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.knowledge.git_source.MAX_FETCHED_BYTES", 10)
    with serve_repositories(knowledge.repository.path.parent) as address:
        knowledge.set(repository=f"{address}/{knowledge.repository.path.name}/.git")
        assert "it is larger than" in knowledge.error("plan").message
