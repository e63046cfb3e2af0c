"""A project is recognized after it was moved: what is stored for it follows it, and goes to no other one."""

import shutil
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.app import Phase
from sidecar.call import Process
from sidecar.core.errors import StateDegraded, WorkspaceUnavailable
from sidecar.system.git import common_dir_of
from sidecar.system.safe_open import FolderIdentity
from sidecar.workspace import ProjectFolder, Workspace, project_key, without_prefix
from tests.support.conversation import Conversation
from tests.support.mac import use_mac_files
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository, git, make_repository

FILES = {"src/cart.py": "def total(prices):\n    return sum(prices)\n", "docs/guide.md": "# Guide\n"}
RULE = "Always use pnpm instead of npm."
PROMPT = f"From now on {RULE[0].lower()}{RULE[1:]} Then look at total."


class Projects:
    """A sidecar on a state folder, and what it knows of projects."""

    def __init__(self, open_sidecar: Callable[..., MemorySidecar], folder: Path) -> None:
        self._open = open_sidecar
        self.folder = folder
        self.sidecar = self._started()

    def _started(self) -> MemorySidecar:
        sidecar = self._open()
        sidecar.client.initialize(settings={"mode": "active"})
        return sidecar

    def restart(self) -> None:
        """End the sidecar and start another on the same state."""
        self.sidecar.close()
        self.sidecar = self._started()

    @property
    def process(self) -> Process:
        assert self.sidecar.app.wait_for_phase(Phase.SERVING_RUNS, 20)
        assert self.sidecar.app.process is not None
        return self.sidecar.app.process

    def run_sql(self, sql: str, *values: Any) -> Any:
        with self.process.database.write() as tx:
            return tx.execute(sql, values).get

    def request(self, method: str, project: Path, **params: Any) -> Any:
        return self.sidecar.client.request(method, {"projectPath": str(project), **params})

    def set_mode(self, project: Path, mode: str = "off") -> None:
        self.request("settings/update", project, settings={"mode": mode})
        self.process.database.write_behind.flush()

    def mode(self, project: Path) -> str | None:
        """Return the mode that was set for a project; None if none was."""
        settings = {entry["name"]: entry for entry in self.request("settings/get", project)["settings"]}
        return settings["mode"]["value"] if settings["mode"]["source"] == "project" else None

    def project_of(self, cwd: Path) -> Path:
        """Return the project of a worktree."""
        return self.process.workspaces.get(str(cwd), None).project

    def rules(self, project: Path) -> list[str]:
        status = self.sidecar.client.request("memory/status", {"cwd": str(project)})
        return [entry["text"] for entry in status["standingInstructions"]]

    def findings(self, project: Path, check: str) -> list[str]:
        return [
            f"{entry['message']} {entry['remedy']}"
            for entry in self.request("state/doctor", project)["findings"]
            if entry["check"] == check
        ]


@pytest.fixture
def projects(open_sidecar: Callable[..., MemorySidecar], tmp_path: Path) -> Projects:
    return Projects(open_sidecar, tmp_path)


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(file.relative_to(folder)): (file.stat().st_mtime_ns, file.read_bytes())
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_settings_rules_and_muted_items_follow_a_moved_project(projects: Projects) -> None:
    till = make_repository(projects.folder / "till", FILES).path
    Conversation(projects.sidecar.client, till).turn(PROMPT, list)
    item = "context:src/cart.py"
    projects.request("continuity/mute", till, item=item)
    projects.request("settings/update", till, settings={"notes": False})
    assert projects.rules(till) == [RULE]
    projects.set_mode(till)
    projects.restart()
    before = contents(till)
    moved = till.rename(projects.folder / "till-2")
    assert projects.mode(moved) == "off"
    answer = Conversation(projects.sidecar.client, moved, sub_chat_id="other").pre_run("Look at total.")
    assert (answer["action"], answer["reason"]) == ("passthrough", "off")
    assert contents(moved) == before  # nothing is written into a project
    assert projects.findings(moved, "project") == []
    projects.set_mode(moved, "active")
    assert projects.rules(moved) == [RULE]
    answer = Conversation(projects.sidecar.client, moved, sub_chat_id="third").pre_run("Look at total.")
    assert RULE in answer["system"]["text"]
    key = project_key(moved)
    assert (
        projects.run_sql("SELECT kind FROM continuity_overrides WHERE project = ? AND item = ?", key, item) == "never"
    )
    assert projects.run_sql("SELECT count(*) FROM continuity_runs WHERE project = ?", project_key(till)) == 0


def test_a_project_is_recognized_wherever_and_however_it_is_moved(projects: Projects) -> None:
    home = projects.folder
    (home / "work").mkdir()
    top = make_repository(home / "work" / "till", FILES)
    linked = top.add_worktree(home / "chat-1", "chat/1").path
    path = top.path
    projects.set_mode(path)

    def move(target: Path) -> Path:
        target.parent.mkdir(exist_ok=True)
        return path.rename(target)

    path = move(home / "work" / "renamed")
    assert projects.mode(path) == "off"
    path = move(home / "elsewhere" / "renamed")
    assert projects.mode(path) == "off"
    path = move(home / "work" / "till")  # back to where it was, while the sidecar has that path open
    assert projects.mode(path) == "off"
    git(path, "worktree", "repair", str(linked))
    assert projects.project_of(linked) == path
    (home / "work").rename(home / "code")
    path = home / "code" / "till"
    git(path, "worktree", "repair", str(linked))
    assert (projects.project_of(linked), projects.mode(path)) == (path, "off")
    assert projects.run_sql("SELECT count(DISTINCT project) FROM continuity_settings") == 1
    if sys.platform != "win32":
        path = move(home / "code" / "linked-from")
        (home / "code" / "till").symlink_to(path)
        assert projects.mode(home / "code" / "till") == "off"
    part = path / "docs"
    projects.set_mode(part, "passive")
    path = move(home / "code" / "again")
    assert (projects.mode(path / "docs"), projects.mode(path), projects.mode(path / "src")) == ("passive", "off", None)


def test_a_project_moved_to_the_path_of_another_leaves_what_is_stored_for_both(projects: Projects) -> None:
    till, shop = (make_repository(projects.folder / name, FILES).path for name in ("till", "shop"))
    elsewhere = projects.folder / "elsewhere"
    projects.set_mode(till)
    projects.set_mode(shop, "passive")
    shop.rename(elsewhere)
    till.rename(shop)
    assert (projects.mode(shop), projects.mode(elsewhere)) == ("passive", None)
    shop.rename(till)
    elsewhere.rename(shop)
    assert (projects.mode(till), projects.mode(shop)) == ("off", "passive")


def test_what_the_user_set_at_the_new_path_stays(projects: Projects) -> None:
    till = make_repository(projects.folder / "till", FILES).path
    projects.set_mode(till)
    moved = projects.folder / "till-2"
    sql = "INSERT INTO continuity_settings VALUES (?, 'mode', '\"passive\"', 0)"
    projects.run_sql(sql, project_key(moved))  # of a sidecar that did not recognize moved projects
    till.rename(moved)
    assert projects.mode(moved) == "passive"


class Place:
    """A project with a mode and a rule, in a folder of its own, and where somebody puts another repository."""

    def __init__(self, projects: Projects, name: str) -> None:
        self.folder = projects.folder / name
        self.till = make_repository(self.folder / "till", FILES).path
        self.key = project_key(self.till)
        self.run_sql = projects.run_sql
        projects.set_mode(self.till)
        projects.sidecar.client.request("memory/add", {"cwd": str(self.till), "text": RULE, "type": "preference"})
        confirmed = "SELECT project, id, digest, 'confirmed', 0 FROM continuity_memories WHERE project = ?"
        projects.run_sql(f"INSERT INTO continuity_standing_instructions {confirmed}", self.key)

    def record(self, column: str, value: object) -> Path:
        """Change what was recorded of the project's folder, move it, and return its new path."""
        self.run_sql(f"UPDATE continuity_project_folders SET {column} = ? WHERE project = ?", value, self.key)
        return self.till.rename(self.folder / "other")

    def copied(self) -> Path:
        other = Path(shutil.copytree(self.till, self.folder / "other"))
        shutil.rmtree(self.till)
        return other

    def cloned(self) -> Path:
        other = self.folder / "other"
        git(self.folder, "clone", "--quiet", str(self.till), str(other))
        shutil.copytree(self.till / ".chati", other / ".chati")
        shutil.rmtree(self.till)
        return other

    def with_the_number_of_a_deleted_one(self) -> Path:
        return self.record("created_ns", 1)

    def without_a_time_of_creation(self) -> Path:
        return self.record("created_ns", 0)

    def on_another_disk(self) -> Path:
        return self.record("device", "another")

    def beside_the_moved_one(self) -> Path:
        self.till.rename(self.folder / "moved")
        other = make_repository(self.folder / "other", FILES).path
        shutil.copytree(self.folder / "moved" / ".chati", other / ".chati")
        return other

    def with_a_file_that_leads_to_the_moved_git_directory(self) -> Path:
        other = self.beside_the_moved_one()
        shutil.rmtree(other / ".git")
        (other / ".git").write_text("gitdir: ../moved/.git\n")
        return other

    def with_a_link_to_the_moved_git_directory(self) -> Path:
        other = self.beside_the_moved_one()
        if sys.platform != "win32":
            shutil.rmtree(other / ".git")
            (other / ".git").symlink_to(self.folder / "moved" / ".git")
        return other

    def with_the_moved_common_directory(self) -> Path:
        other = self.beside_the_moved_one()
        (other / ".git" / "commondir").write_text("../../moved/.git\n")
        return other

    def while_another_is_at_the_old_path(self) -> Path:
        moved = self.till.rename(self.folder / "other")
        make_repository(self.till, FILES)
        return moved

    def below_the_moved_one(self) -> Path:
        return self.till.rename(self.folder / "moved") / "src"


REPORTED = (Place.on_another_disk, Place.while_another_is_at_the_old_path)
SILENT = (
    Place.copied, Place.cloned, Place.with_the_number_of_a_deleted_one, Place.without_a_time_of_creation,
    Place.beside_the_moved_one, Place.with_a_file_that_leads_to_the_moved_git_directory,
    Place.with_a_link_to_the_moved_git_directory, Place.with_the_moved_common_directory, Place.below_the_moved_one,
)  # fmt: skip


def test_a_repository_that_is_not_provably_the_moved_one_inherits_nothing(projects: Projects) -> None:
    count = "SELECT count(*) FROM continuity_standing_instructions WHERE project = ?"
    for put in (*REPORTED, *SILENT):
        place = Place(projects, put.__name__)
        assert (projects.mode(place.till), projects.rules(place.till)) == ("off", [RULE])
        other = put(place)
        assert (put, projects.mode(other), projects.rules(other)) == (put, None, [])
        assert projects.run_sql(count, place.key) == 1
        texts = projects.findings(other, "project")
        assert (put, len(texts)) == (put, put in REPORTED)
        assert all(f"{place.till} " in text and f"--key {place.key} " in text for text in texts)


def test_a_folder_without_git_that_may_have_been_moved_is_reported_until_it_is_purged(projects: Projects) -> None:
    notes = projects.folder / "notes"
    notes.mkdir()
    Conversation(projects.sidecar.client, notes).turn(PROMPT, list)
    projects.set_mode(notes)
    path = notes
    (projects.folder / "archive").mkdir()
    for target in (projects.folder / "renamed", projects.folder / "archive" / "notes"):
        path = path.rename(target)
        assert projects.mode(path) is None
        (text,) = projects.findings(path, "project")
        assert f"The project {notes} is gone; {path} may be it." in text
    assert f"purge --key {project_key(notes)} --kind runs --kind settings --kind artifacts" in text
    kinds = ["runs", "settings", "artifacts"]
    projects.sidecar.client.request("state/purge", {"project": project_key(notes), "kinds": kinds})
    assert projects.findings(path, "project") == []


def test_without_times_of_creation_a_moved_project_is_reported_and_not_moved(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the number would be left, and a file system may give that of a deleted folder to the next one."""
    monkeypatch.setattr("sidecar.system.safe_open._creation_time_ns", lambda _path, _status: 0)
    till = make_repository(projects.folder / "till", FILES).path
    projects.set_mode(till)
    moved = till.rename(projects.folder / "till-2")
    assert projects.mode(moved) is None
    (text,) = projects.findings(moved, "project")
    assert f"The project {till} is gone; {moved} may be it." in text


def test_a_folder_is_forgotten_when_nothing_else_of_its_project_is_stored(projects: Projects) -> None:
    till = make_repository(projects.folder / "till", FILES).path
    projects.set_mode(till)
    count = "SELECT count(*) FROM continuity_project_folders"
    for kind, remaining in (("caches", 1), ("settings", 0)):
        projects.sidecar.client.request("state/purge", {"project": project_key(till), "kinds": [kind]})
        assert (kind, projects.run_sql(count)) == (kind, remaining)


def test_a_move_that_cannot_be_stored_fails_instead_of_losing_the_settings(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    till = make_repository(projects.folder / "till", FILES).path
    projects.set_mode(till)
    moved = till.rename(projects.folder / "till-2")

    def fail(*_arguments: object, **_options: object) -> None:
        raise StateDegraded("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr("sidecar.workspace.move_project", fail)
        refused = projects.sidecar.client.error("settings/get", {"projectPath": str(moved)})
        assert refused.message == "The disk is full."
    assert projects.mode(moved) == "off"


@pytest.mark.skipif(sys.platform == "win32", reason="Python itself corrects the case there")
def test_on_macos_a_folder_in_two_spellings_is_one_project(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    use_mac_files(monkeypatch)
    composed, decomposed = (unicodedata.normalize(form, "Büro") for form in ("NFC", "NFD"))
    for stored, other in (("Work/Till", "work/till"), (decomposed, composed), (f"a/{composed}", f"A/{decomposed}")):
        till = make_repository(projects.folder / stored, FILES).path
        Conversation(projects.sidecar.client, till, sub_chat_id=stored).turn(PROMPT, list)
        projects.set_mode(till, "passive")
        spelled = projects.folder / other
        assert (stored, projects.mode(spelled), projects.rules(spelled)) == (stored, "passive", [RULE])
        assert projects.process.workspaces.get(str(spelled), None) is projects.process.workspaces.get(str(till), None)
        assert projects.findings(spelled, "project") == []
    assert projects.run_sql("SELECT count(*) FROM continuity_project_folders") == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Python itself corrects the case there")
def test_on_macos_a_project_follows_a_new_spelling_of_its_name(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path before is not vacant: it still leads to the same folder."""
    use_mac_files(monkeypatch)
    till, shop = (make_repository(projects.folder / name, FILES).path for name in ("Till", "Shop"))
    projects.set_mode(till)
    till.rename(projects.folder / "till")
    for path in (projects.folder / "till", projects.folder / "Till"):
        assert (path, projects.mode(path), projects.findings(path, "project")) == (path, "off", [])
    former = ProjectFolder("key", shop, "", FolderIdentity("", "1", 1))
    assert (projects.project_of(shop), former.is_vacant()) == (shop, False)
    monkeypatch.setattr("sidecar.system.safe_open.spelling_on_disk", lambda path: path.replace("Shop", "shop"))
    assert (projects.project_of(shop), former.is_vacant()) == (projects.folder / "shop", True)
    assert common_dir_of(shop) == projects.folder / "shop" / ".git"


def test_a_folder_without_git_is_the_same_project_under_a_new_spelling_of_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    former, current, other = (
        ProjectFolder(name, Path("/work", name), None, FolderIdentity("1", "2", 0)) for name in ("Notes", "notes", "n")
    )
    monkeypatch.setattr("sidecar.workspace.is_same_file", lambda _path, _other: True)
    assert former.was_moved_to(current)
    assert not former.was_moved_to(other)
    assert not former.was_moved_to(current._replace(identity=FolderIdentity("1", "2", 3)))
    monkeypatch.setattr("sidecar.workspace.is_same_file", lambda _path, _other: False)
    assert not former.was_moved_to(current)


@pytest.mark.skipif(sys.platform == "win32", reason="creating links needs a right there")
def test_no_purge_is_offered_for_another_path_of_the_same_folder(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored for that path is what the folder has there, as below a mount, for which a link stands here."""
    monkeypatch.setattr("sidecar.workspace.real_path", Path)
    (projects.folder / "mount").symlink_to(projects.folder)
    till = make_repository(projects.folder / "till", FILES).path
    projects.set_mode(till)
    mounted = projects.folder / "mount" / "till"
    for table in ("continuity_project_folders", "continuity_settings"):
        projects.run_sql(f"UPDATE {table} SET project = ? WHERE project = ?", project_key(mounted), project_key(till))
    projects.run_sql("UPDATE continuity_project_folders SET path = ?", bytes(mounted))
    assert projects.findings(till, "project") == []


@pytest.mark.parametrize("layout", ["repository", "folder beside its worktrees"])
def test_the_worktrees_of_a_bare_repository_share_memories_that_outlive_them(projects: Projects, layout: str) -> None:
    made = make_repository(projects.folder / "made", FILES)
    top = projects.folder / "till"
    bare = top / ".bare" if layout == "folder beside its worktrees" else top
    made.git("clone", "--quiet", "--bare", str(made.path), str(bare))
    if bare != top:
        (top / ".git").write_text("gitdir: ./.bare\n")
    first, second = top.parent / "first", top.parent / "second"
    for name, path in (("one", first), ("two", second)):
        git(bare, "worktree", "add", "--quiet", "-b", name, str(path))
    client = projects.sidecar.client
    Conversation(client, first).turn(PROMPT, list, projectPath=None)
    assert projects.rules(second) == [RULE]
    assert Repository(first).git("status", "--porcelain") == ""
    git(bare, "worktree", "remove", str(first))
    assert projects.rules(second) == [RULE]
    projects.set_mode(top)
    assert projects.findings(top, "repository") == []
    git(bare, "fsck", "--strict")
    moved = top.rename(projects.folder / "till-2")
    git(moved / ".bare" if bare != top else moved, "worktree", "repair", str(second))
    assert (projects.project_of(second), projects.mode(moved)) == (moved, "off")
    projects.set_mode(moved, "active")
    assert projects.rules(second) == [RULE]


def test_a_workspace_without_its_folder_names_what_a_moved_project_needs(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceUnavailable) as refused:
        Workspace(tmp_path, tmp_path / "gone").require_project()
    assert refused.value.hint == "If it was moved, name its new path; what is stored for a git repository follows it."


def test_a_path_of_windows_with_the_prefix_for_long_paths_is_the_same_path() -> None:
    assert without_prefix(r"\\?\C:\src\till") == r"C:\src\till"
    assert without_prefix(r"\\?\UNC\server\src\till") == r"\\server\src\till"
    for path in (r"C:\src\till", r"\\server\src\till", r"UNC\till", "/src/till"):
        assert without_prefix(path) == path
