"""English words derived from tiny catalogues in git repositories."""

import json
import subprocess
from pathlib import Path

import english_words
import pytest
from message_catalogues import repositories_in

KEYS = ("save", "file", "open", "delete", "button", "login")
ENGLISH = dict(zip(KEYS, ("Save", "Save file", "Open file", "Delete", "Delete button", "Log in"), strict=True))
GERMAN = dict(
    zip(KEYS, ("Speichern", "Datei speichern", "Datei öffnen", "Löschen", "Knopf löschen", "Anmelden"), strict=True)
)
CHINESE = dict(zip(KEYS, ("保存", "保存文件", "打开文件", "删除", "删除按钮", "登录"), strict=True))
NAMES = ("acme/json", "acme/gettext", "acme/android", "acme/yaml")


def catalogues(name: str, language: str, messages: dict[str, str]) -> dict[str, str]:
    """Return the files of a repository with the messages of a language, in the format after which it is named."""
    match name.partition("/")[2]:
        case "json":
            return {f"locales/{key}.json": json.dumps(of) for key, of in (("en", ENGLISH), (language, messages))}
        case "gettext":
            entries = (f'msgid "{ENGLISH[key]}"\nmsgstr "{text}"\n' for key, text in messages.items())
            return {f"po/{language}.po": "\n".join(entries)}
        case "android":
            return {
                f"res/{folder}/strings.xml": "".join(
                    f'<string name="{key}">{text}</string>' for key, text in of.items()
                )
                for folder, of in (("values", ENGLISH), (f"values-{language}", messages))
            }
        case _:
            return {
                f"config/{key}.yml": f"{key}:\n"
                + "".join(f"  {name}: {json.dumps(text)}\n" for name, text in of.items())
                for key, of in (("en", ENGLISH), (language, messages))
            }


def commit(place: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    for command in (("init", "--quiet"), ("add", "--all"), (*identity, "commit", "--quiet", "--message", "all")):
        subprocess.run(["git", "-C", place, *command], check=True)
    return subprocess.run(
        ["git", "-C", place, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Return the table of four repositories, of which two have the last German message."""
    rows = ["repository\tcommit"]
    for name in NAMES:
        has_login = name in NAMES[:2]
        german = {key: text for key, text in GERMAN.items() if key != "login" or has_login}
        place = tmp_path / name.replace("/", "+") / ("repo" if has_login else "")
        files = catalogues(name, "de", german) | catalogues(name, "zh", CHINESE)
        rows.append(f"{name}\t{commit(place, files)}")
    table = tmp_path / "sources.tsv"
    table.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return table


def words(folder: Path, language: str) -> dict[str, str]:
    lines = (folder / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines)


def test_words_are_aligned_across_formats_if_three_repositories_have_them(tmp_path: Path, sources: Path) -> None:
    repositories, missing = repositories_in(tmp_path, sources)
    assert missing == []
    english_words.write_words(repositories, ("de", "zh"), tmp_path)
    assert words(tmp_path, "de") == {
        "datei": "file",
        "knopf": "button",
        "loschen": "delete",
        "offnen": "open",
        "speichern": "save",
    }
    assert words(tmp_path, "zh") == {
        "保存": "save",
        "保存文件": "save file",
        "删除": "delete",
        "删除按钮": "delete button",
        "打开文件": "open file",
        "登录": "login",
    }


def test_a_commit_that_is_not_in_the_folder_is_reported(
    tmp_path: Path, sources: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sources.write_text(f"repository\tcommit\nacme/json\t{'1' * 40}\nacme/none\t{'2' * 40}\n", encoding="utf-8")
    monkeypatch.setattr(english_words, "SOURCES", sources)
    monkeypatch.setattr("sys.argv", ["english_words.py", str(tmp_path)])
    assert english_words.main() == 2
    assert f"acme/json at {'1' * 40}, acme/none at {'2' * 40}." in capsys.readouterr().err
