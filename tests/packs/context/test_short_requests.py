"""Short requests about the work before them: its tests and documents, that test, the same beside it."""

import pytest

from sidecar.codebase import RankedFile
from sidecar.packs import files_of_prompt
from tests.packs.context.test_follow_ups import play_request_for_tests
from tests.support.repositories import Contents, Repository
from tests.support.shop import PROMPT, StartChat, text_of

EDITED = "packages/till/src/open.js"
CLOCK = "it('closes at night', () => {\n  setClock(23)\n  expect(closed()).toBe(true)\n})\n"
PACKAGES: dict[str, Contents] = {
    "package.json": "{}",
    **{f"packages/{name}/package.json": "{}" for name in ("till", "cart", "mail")},
    EDITED: "export function opened(hour) {\n  return hour > 8\n}\n",
    "packages/till/src/drawer.test.js": "it('has a drawer', () => {\n  expect(1).toBe(1)\n})\n",
    "packages/till/README.md": "# Till\n\nA till is `opened` in the morning.\n",
    "README.md": "# Shop\n\nSome packages.\n",
    "packages/cart/src/open.test.js": f"import {{ opened }} from './open'\n\n{CLOCK}",
    "packages/mail/src/clock.test.js": CLOCK.replace("night", "noon"),
}


def paths_below_packages(text: str) -> list[str]:
    """Return the files of a context block."""
    return [line.split(" ")[0] for line in text.splitlines() if line.startswith(("packages/", "README"))]


@pytest.fixture(autouse=True)
def _packages(shop: Repository) -> None:
    shop.commit(PACKAGES)


def test_requested_tests_and_documents_are_those_of_the_edited_package(start_chat: StartChat, shop: Repository) -> None:
    test, readme = "packages/till/src/drawer.test.js", "packages/till/README.md"
    for follow_up, expected in (
        ("now the tests", [test]),
        ("go on with the tests", [test]),
        ("nah leave that. tests for opened please, with a fake clock", [test]),
        ("now the readme", [readme]),
        ("now the tests and the readme", [readme, test]),
    ):
        shop.write({EDITED: PACKAGES[EDITED]})
        edited = str(PACKAGES[EDITED]).replace("> 8", "> 9")
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        text = play_request_for_tests(chat, PROMPT, EDITED, edited, follow_up)
        assert sorted(paths_below_packages(text)) == expected, follow_up


@pytest.mark.parametrize("report", ["the tests for opened fail", "fix it. the tests for opened are red now"])
def test_a_report_of_failing_tests_is_no_request_for_tests(report: str) -> None:
    assert files_of_prompt.TESTS_OF.search(report) is None
    assert files_of_prompt.TESTS_OF.search("the tests for opened please") is not None


def test_that_test_is_the_one_that_failed_before(start_chat: StartChat) -> None:
    failing = "FAIL packages/cart/src/open.test.js > closes at night\n\nsince yesterday, why?"
    for follow_up in ("skip that test for now", "ok then fake the clock in that test, don't touch the code"):
        chat = start_chat(sub_chat_id=f"of {follow_up}")
        chat.turn(failing, session=f"session of {follow_up}")
        assert set(paths_below_packages(text_of(chat.pre_run(follow_up), "context"))) <= {
            "packages/cart/src/open.test.js"
        }, follow_up


def test_the_same_for_the_others_means_the_files_beside_the_edited_one() -> None:
    siblings_first = vars(files_of_prompt)["_siblings_first"]
    matched = {"config.py": 1, "plugins/mail.py": 1, "plugins/log.py": 0, "lib/both.py": 2}
    ranked = [RankedFile(path, 5.0, {}, ("plugin", "sms")[:count], ()) for path, count in matched.items()]
    beside = [file.path for file in siblings_first(ranked, {"plugin"}, ("plugins/sms.py",))]
    assert beside == ["plugins/mail.py", "config.py", "plugins/log.py", "lib/both.py"]
    both = siblings_first(ranked, {"plugin", "sms"}, ("plugins/sms.py",))
    assert [file.path for file in both] == list(matched), "another file has more words of the other place"
    assert siblings_first(ranked, {"other"}, ("plugins/sms.py",)) == ranked, "none has its words"
    weak = [file._replace(score=1.0) for file in ranked]
    assert siblings_first(weak, {"plugin"}, ("plugins/sms.py",)) == weak


def test_a_bare_changelog_is_that_of_the_edited_package(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"CHANGELOG.md": "# Changelog\n", "packages/till/CHANGELOG.md": "# Changelog\n\n- A till.\n"})
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit(EDITED, "export function opened(hour) {\n  return hour > 9\n}\n")])
    text = text_of(chat.pre_run("changelog?"), "context")
    assert [line.split(" ")[0] for line in text.splitlines() if "CHANGELOG.md" in line] == [
        "packages/till/CHANGELOG.md"
    ]
