"""A change of direction records the abandoned approach, linked to its task."""

from functools import partial
from typing import Any

import pytest

from sidecar.runs.model import RALPH_PREFIX
from tests.support.artifacts import store_artifact
from tests.support.conversation import Conversation, bash, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import text_of

PROMPT = "Make the totals of large carts faster"
CACHE = "".join(f"def cached_{name}(cart):\n    return cart.{name}_cache\n\n\n" for name in "abcdefgh")
RED = "FAILED tests/test_prices.py::test_discount - assert 99 == 100\n1 failed in 0.02s"


def drafted(conversation: Conversation, kind: str = "rejectedApproach") -> list[Any]:
    params = {"projectPath": conversation.project_path, "type": kind}
    found = conversation.client.request("artifact/list", params)["artifacts"]
    return [conversation.artifact(artifact["id"]) for artifact in found]


def writes(conversation: Conversation, **files: str) -> list[dict[str, Any]]:
    return [conversation.edit(path, content) for path, content in files.items()]


def begin(conversation: Conversation, *parts: dict[str, Any]) -> Any:
    work = partial(writes, conversation, **{"till/cache.py": CACHE})
    return conversation.turn(PROMPT, lambda: [*work(), *parts], text="Totals are kept in a cache beside the cart now.")


def delete(conversation: Conversation, path: str) -> dict[str, Any]:
    (conversation.cwd / path).unlink()
    return bash(f"rm {path}", "")


def test_an_explicitly_abandoned_approach_is_recorded_with_reason_and_task(
    conversation: Conversation,
) -> None:
    first = begin(conversation, bash("pytest", RED))
    text = "I abandoned the cache because totals were stale after a discount, and switched to a running sum.\n"
    text += "\nAdded a running sum of the totals for large carts. All 3 tests pass.\n"
    turn = conversation.turn(
        "go on with large carts", lambda: [delete(conversation, "till/cache.py")], text=text
    )  # fmt: skip

    (note,) = drafted(conversation)
    assert {"id": note["id"], "type": "rejectedApproach", "status": "draft"} in turn["after"]["artifacts"]
    assert note["title"] == "Cache – totals were stale after a discount"
    assert note["body"] == (
        "# Cache – totals were stale after a discount\n\n"
        "**Tried:** The cache. In `till/cache.py`; reverted since.\n\n"
        "**Why it failed:** Totals were stale after a discount.\n\n"
        "**Instead:** A running sum.\n\n"
        "> I abandoned the cache because totals were stale after a discount, and switched to a running sum.\n\n"
        "Task: Make the totals of large carts faster\n"
    )
    provenance = note["provenance"]
    assert note["event"] == "directionChanged"
    assert provenance["runs"] == [turn["runId"]]
    assert provenance["files"] == ["till/cache.py"]
    (entry,) = drafted(conversation, "devlog")
    assert entry["provenance"]["taskFingerprint"] == provenance["taskFingerprint"]
    assert entry["provenance"]["runs"] == [first["runId"], turn["runId"]]
    assert "Direction changed: Cache – totals were stale after a discount." in entry["body"]
    assert entry["event"] == "directionChanged"


def test_an_accepted_rejection_warns_the_projects_next_session(
    conversation: Conversation, active: MemorySidecar
) -> None:
    begin(conversation)
    conversation.turn("go on", text="I gave up on the cache because totals were stale after a discount.")
    (note,) = drafted(conversation)
    assert note["title"] not in sent(Conversation(active.client, conversation.cwd, sub_chat_id="b").pre_run(PROMPT))
    conversation.decide("accept", note["id"])
    other = Conversation(active.client, conversation.cwd, sub_chat_id="c")
    shown = sent(other.pre_run(PROMPT))
    assert f"rejected before: {note['title']}" in shown
    assert "Remembered" not in shown, "the anchor has it"


def test_a_reworded_approach_is_recorded_once(conversation: Conversation) -> None:
    begin(conversation)
    statements = (
        "I abandoned the total cache because it was stale.",
        "As said, I gave up on caching the totals since invalidation failed.",
        "The cache approach was abandoned.",
    )
    for text in statements:
        conversation.turn("go on", text=text)
    (note,) = drafted(conversation)
    conversation.decide("discard", note["id"])
    conversation.turn("go on", text="I scrapped the total cache.")
    assert [artifact["status"] for artifact in drafted(conversation)] == ["discarded"]


def test_silently_reverted_work_is_recorded(
    conversation: Conversation,
) -> None:
    begin(conversation)
    conversation.turn("try something else", lambda: [delete(conversation, "till/cache.py")], text="Totals are summed.")

    (note,) = drafted(conversation)
    assert note["title"] == "Totals are kept in a cache beside the cart now"
    assert "In `till/cache.py`; reverted since.\n\n**Why it failed:** _Open._" in note["body"]


def test_an_item_about_one_file_does_not_name_what_went(conversation: Conversation) -> None:
    item = "`till/cart.py` : a field for the totals of large carts"
    conversation.turn(PROMPT, partial(writes, conversation, **{"till/cache.py": CACHE}), text=f"{item}\n")
    conversation.turn("try something else", lambda: [delete(conversation, "till/cache.py")], text="Totals are summed.")
    (note,) = drafted(conversation)
    assert note["title"] == "Work in `till/cache.py`"


CALLS_OF_CACHE = "".join(f"warm_up_shelf({number})\n" for number in range(100, 110))


@pytest.mark.parametrize(
    ("path", "lines", "prompt", "named"),
    [
        ("till/limits.py", "CACHE_SECONDS = 30\nSTALE_TOTALS = True\n", PROMPT, "`CACHE_SECONDS`, `STALE_TOTALS`"),
        ("till/totals.py", "import redis\nfrom till.shelf import warm_up_shelf\n", PROMPT,
         "`redis`, `till.shelf`, `warm_up_shelf`"),
        ("till/build.gradle", "implementation 'redis:jedis'\njedis: '5.1.0'\n", PROMPT, "`jedis`"),
        ("web/totals.tsx", "  <TotalsCache seconds={30}>\n", PROMPT, "`TotalsCache`"),
        ("till/totals.py", "shelf.refresh(30)\nshelf.fill(9)\n", PROMPT, "`shelf.refresh`, `shelf.fill`"),
        ("till/totals.py", "shelf.refresh(30)\n", PROMPT, "Work"),
        ("till/totals.py", "", "Let each shelf warm up before it opens", "“Let each shelf warm up before it opens”"),
        ("till/totals.py", "", PROMPT, "Work"),
    ],
    ids=["settings", "modules", "a dependency", "an element", "members", "one member", "the request", "nothing"],
)  # fmt: skip
def test_the_names_in_the_lines_that_went_name_work_that_no_account_is_about(
    conversation: Conversation, path: str, lines: str, prompt: str, named: str
) -> None:
    content = f"{lines}{CALLS_OF_CACHE}"
    item = "`till/cart.py` : a field for the totals of large carts\n"
    conversation.turn(prompt, partial(writes, conversation, **{path: f"# top\n{content}"}), text=item)
    taken_out = partial(replace, conversation, path, content, "")
    conversation.turn("try something else", lambda: [taken_out()], text="Totals are summed.")

    (note,) = drafted(conversation)
    assert note["title"] == f"{named} in `{path}`"
    assert f"**Tried:** {named} in `{path}`. Reverted since.\n" in note["body"].replace("The work", "Work")


def test_lines_that_a_command_took_out_of_a_committed_file_name_the_work(
    conversation: Conversation, project: Repository
) -> None:
    item = "`till/cart.py` : a field for the totals of large carts\n"
    conversation.turn(PROMPT, partial(writes, conversation, **{"till/cache.py": CACHE}), text=item)
    project.commit()
    conversation.turn("try something else", lambda: [delete(conversation, "till/cache.py")], text="Totals are summed.")

    (note,) = drafted(conversation)
    names = "`cached_a`, `cached_b`, `cached_c`, `cached_d` and 4 more"
    assert note["title"] == f"{names} in `till/cache.py`"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("till/cache.py", CACHE.replace("    return", "        return").replace("\n\n\n", "\n")),
        ("till/cache.py", CACHE.replace("cached", "stored").replace("_cache", "_store")),
        ("till/cache.py", CACHE + "def cached_more(cart):\n    return cart.more\n"),
        ("till/store.py", CACHE),
    ],
    ids=["formatted anew", "written anew", "went on", "moved"],
)
def test_continued_work_is_not_a_reversal(conversation: Conversation, path: str, content: str) -> None:
    begin(conversation)

    def work() -> list[dict[str, Any]]:
        deletions = [delete(conversation, "till/cache.py")] if path != "till/cache.py" else []
        return [*deletions, conversation.edit(path, content)]

    conversation.turn("go on", work, text="The cache is tidier now.")
    assert drafted(conversation) == []


LONG = """def tag_of(cents):
    # whole euros are shown without cents, as on the shelf
    euros = cents / 100
    # below ten euros the tag has room for two digits
    if cents < 1000:
        return f"{euros:.2f}"
    # above that it has room for one digit at most
    if cents < 100000:
        thousands = cents / 1000
        return f"{thousands:.1f}"
    # nothing else fits on the tag of a shelf
    return f"{euros:.0f}"
"""
SHORT = """def tag_of(cents):
    if cents >= 100000:
        return f"{cents / 100:.0f}"
    return f"{cents / 1000:.1f}" if cents >= 1000 else f"{cents / 100:.2f}"
"""


def test_code_that_is_shortened_is_no_other_approach(conversation: Conversation) -> None:
    files = {"till/tag.py": LONG, "till/cache.py": CACHE}
    conversation.turn(PROMPT, partial(writes, conversation, **files), text="Tags.")
    work = partial(replace, conversation, "till/tag.py", LONG, SHORT)
    conversation.turn("go on with the tags", lambda: [work()], text="Tags.")
    assert drafted(conversation) == []


def test_user_reverts_and_scratch_files_are_not_direction_changes(
    conversation: Conversation, project: Repository
) -> None:
    begin(conversation)
    project.write({"till/cache.py": "# mine\n"})
    conversation.turn("go on", lambda: [conversation.edit("till/cache.py", "# ours\n")])
    conversation.turn("look", lambda: [conversation.edit("debug_totals.py", CACHE)])
    conversation.turn("go on", lambda: [delete(conversation, "debug_totals.py")])
    assert drafted(conversation) == []


def committed(conversation: Conversation, project: Repository, content: str) -> list[dict[str, Any]]:
    edit = conversation.edit("till/prices.py", content)
    project.commit({"till/prices.py": content})
    return [edit, bash("git commit -qam prices", "")]


@pytest.mark.parametrize("is_committed", [False, True])
def test_reverting_work_committed_by_its_run_is_recognized(
    conversation: Conversation, project: Repository, is_committed: bool
) -> None:
    plain = (project.path / "till/prices.py").read_text()
    statements = "Totals are kept in a cache beside the prices now."
    conversation.turn(PROMPT, lambda: committed(conversation, project, plain + CACHE), text=statements)
    commit = partial(committed, conversation, project, plain)
    edit = partial(writes, conversation, **{"till/prices.py": plain})
    conversation.turn("try something else", commit if is_committed else edit, text="Totals are summed.")

    (note,) = drafted(conversation)
    assert note["title"] == statements.removesuffix(".")


@pytest.mark.parametrize("how", ["edited", "restored", "committed"])
def test_work_the_user_removed_between_runs_is_not_attributed_to_the_next(
    conversation: Conversation, project: Repository, how: str
) -> None:
    plain = (project.path / "till/prices.py").read_text()
    commit = partial(committed, conversation, project, plain + CACHE)
    edit = partial(writes, conversation, **{"till/prices.py": plain + CACHE})
    conversation.turn(PROMPT, commit if how == "edited" else edit)
    project.write({"till/prices.py": plain})
    if how == "committed":
        project.commit({"till/prices.py": plain + "# mine\n"})
    conversation.turn("go on", lambda: [conversation.edit("till/prices.py", plain + "# ours\n")])
    assert drafted(conversation) == []


def test_a_dropped_plan_step_is_recorded(conversation: Conversation) -> None:
    def todos(*steps: tuple[str, str]) -> list[dict[str, str]]:
        return [{"content": content, "status": status} for content, status in steps]

    first_todos = todos(("Cache totals in Redis", "in_progress"), ("Write the benchmark", "pending"))
    worded = todos(("Keep the totals cached in Redis", "in_progress"), ("Write the benchmark", "pending"))
    turned = todos(("Sum lines while they are added", "in_progress"), ("Write the benchmark", "pending"))
    work = lambda: [conversation.edit("till/cache.py", "x = 1\n")]  # noqa: E731
    conversation.turn(PROMPT, work, todos=first_todos)
    conversation.turn("go on", todos=worded)
    assert drafted(conversation) == []
    conversation.turn("go on", todos=turned)

    (note,) = drafted(conversation)
    assert note["title"] == "Keep the totals cached in Redis"
    assert "**Instead:** Sum lines while they are added." in note["body"]
    done = todos(("Sum lines while they are added", "completed"), ("Write the benchmark", "completed"))
    conversation.turn("go on", todos=done)
    conversation.turn("go on", todos=todos(("Release it", "pending")))
    assert len(drafted(conversation)) == 1


def test_other_wordings_and_aborted_runs_are_not_direction_changes(conversation: Conversation) -> None:
    begin(conversation)
    conversation.turn("go on", text="I used const instead of let, and added a pivot table for the totals.")
    conversation.turn("go on", text="I abandoned the cache because it was stale.", outcome="aborted")
    assert drafted(conversation) == []


PRICES = "def discounted_price(cents, percent):\n    return 1\n"
LOGGED = PRICES + "\n\ndef log_discount(cents):\n    print('discount', cents)\n"


def small_work(conversation: Conversation) -> None:
    conversation.turn(
        PROMPT,
        lambda: [conversation.edit("till/prices.py", LOGGED)],
        text="Added `log_discount` to the prices, so that large carts can be measured.",
    )


def take_back(conversation: Conversation, prompt: str, *parts: dict[str, Any], **turn: Any) -> None:
    conversation.turn(prompt, lambda: [conversation.edit("till/prices.py", PRICES), *parts], **turn)


@pytest.mark.parametrize(
    "prompt",
    [
        "Undo that. The till prints garbage now.",
        "deshacé eso, se rompió la impresión",
        "We cannot use print in the till, the printer shows it.",
        "Annule ce dernier changement, la caisse imprime n'importe quoi.",
        "撤销刚才的修改，打印机坏了。",
    ],
)
def test_work_that_the_user_takes_back_is_recorded_whatever_its_size(conversation: Conversation, prompt: str) -> None:
    small_work(conversation)
    take_back(conversation, prompt, text="Removed it.")

    (note,) = drafted(conversation)
    work = "Added `log_discount` to the prices, so that large carts can be measured – "
    assert note["title"].startswith(
        "Print in the till – the printer shows it" if prompt.startswith("We cannot") else work
    )
    assert "In `till/prices.py`; reverted since." in note["body"]
    assert f"**Why it failed:** The user: “{prompt}”" in note["body"]


@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        ("Undo that. The till prints garbage now.", LOGGED + "\n\ndef more():\n    return 2\n"),
        ("Add an undo button, or we revert to the old till.", PRICES),
        ("Now round the discount, please.", PRICES),
        ("Remove the debug logs and unused imports.", PRICES),
    ],
    ids=["nothing went", "a feature that undoes", "no word of it", "cleanup"],
)
def test_words_alone_and_small_removals_alone_reject_nothing(
    conversation: Conversation, prompt: str, content: str
) -> None:
    small_work(conversation)
    conversation.turn(prompt, lambda: [conversation.edit("till/prices.py", content)], text="Rounded in whole cents.")
    assert drafted(conversation) == []


THEME = """BORDER = "1px solid rgba(185, 167, 255, 0.44)"
LABEL = make_label("DISPATCH", px=28, color="#d8ccff")
BOARD = make_board("lavender", opacity=0.26)
FRAME = make_frame(0x181225, 300)
KICKER = "<b>ATTEMPT RECORDED</b>"
"""
GOLD = """BORDER = "2px solid rgba(255, 210, 122, 0.5)"
LABEL = make_label("Board", px=30, color="#ffd27a")
BOARD = make_board("gold", opacity=0.3)
FRAME = make_frame(0x1a1424, 30)
KICKER = "<b>Your result</b>"
"""
CALLS = "".join(f"await store.update_{name}(game, state)\n" for name in "abc")
CLIENT = "".join(f"import http_{name} from 'slow_{name}'\n" for name in "abcdef")


@pytest.mark.parametrize(
    ("before", "prompt", "after", "count"),
    [
        (THEME, "I think the board can use gold instead of lavender", GOLD, 0),
        (THEME, "We don't want the theme in lavender", GOLD, 0),
        (THEME, "Take that back, lavender was better", GOLD, 1),
        (CALLS, "Instead of update it has to be save", CALLS.replace("update", "save"), 0),
        (CLIENT, "Use the fast clients instead of the slow ones", CLIENT.replace("slow_", "fast_"), 1),
    ],
    ids=["instead", "ruled out", "undone", "other methods", "other modules"],
)
def test_other_values_and_methods_are_no_other_approach_unless_undone(
    conversation: Conversation, before: str, prompt: str, after: str, count: int
) -> None:
    path = "till/theme.js"
    conversation.turn("Style the board", partial(writes, conversation, **{path: before}), text="Styled the theme.")
    conversation.turn(prompt, lambda: [replace(conversation, path, before, after)], text="The theme is as you want it.")
    assert len(drafted(conversation)) == count


def replace(conversation: Conversation, path: str, old: str, new: str) -> dict[str, Any]:
    """Edit a file as the agent does and return the part that shows both sides."""
    target = conversation.cwd / path
    target.write_text(target.read_text("utf-8").replace(old, new), "utf-8")
    given = {"file_path": str(target), "old_string": old, "new_string": new}
    return {"type": "tool-Edit", "toolCallId": path, "state": "result", "input": given, "output": {}}


def removes(conversation: Conversation, text: str) -> list[dict[str, Any]]:
    return [replace(conversation, "till/cache.py", text, "")]


FOUR = CACHE[: CACHE.index("def cached_e")]
SUMS = "".join(f"def sum_of_{name}(lines):\n    return total(lines, '{name}')\n\n\n" for name in "abcdefgh")
SUM = "def total(cart):\n    return sum(line.cents for line in cart.lines)\n\n\n"


@pytest.mark.parametrize(
    ("prompt", "old", "new", "count"),
    [
        ("Rewrite the totals as a running sum", FOUR, SUM, 1),
        ("Reemplaza la cache por una suma corrida", FOUR, SUM, 1),
        ("The totals should be a sum", FOUR, SUM, 0),
        ("Rewrite the receipts as records", CACHE[: CACHE.index("def cached_d")], "", 0),
        ("Rewrite the totals with stores", FOUR, FOUR.replace("_cache", "_store"), 0),
        ("Remove `cached_h` again", CACHE[CACHE.index("def cached_h") :], "", 1),
        ("Remove the eighth function", CACHE[CACHE.index("def cached_h") :], "", 0),
        ("No running sum, a total per line instead of the cache", CACHE[: CACHE.index("def cached_c")], SUM, 1),
    ],
    ids=[
        "replaced",
        "in Spanish",
        "no word of it",
        "other work",
        "changed lines",
        "named",
        "small and not named",
        "instead",
    ],
)
def test_words_count_beside_lines_that_went_without_a_counterpart(
    conversation: Conversation, prompt: str, old: str, new: str, count: int
) -> None:
    begin(conversation)
    conversation.turn(prompt, lambda: [replace(conversation, "till/cache.py", old, new)], text="Done as you said.")
    assert [note["provenance"]["files"] for note in drafted(conversation)] == [["till/cache.py"]] * count


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("schmeiß den Cache raus", "Den Cache"),
        ("schmeiß den Cache wieder raus, die Summen sind veraltet", "Den Cache – die Summen sind veraltet"),
        ("kick the cache out, the totals are stale", "Cache – the totals are stale"),
        ("haal de cache eruit", "De cache"),
        ("bau den Cache wieder aus", "The user: “bau den Cache wieder aus”"),
        ("kick it out", "Totals are kept in a cache beside the cart now"),
        ("wirf einen Blick auf den Cache", ""),
        ("kick off the build of the cache", ""),
    ],
)
def test_work_that_the_user_orders_out_in_other_words_is_rejected(
    conversation: Conversation, prompt: str, title: str
) -> None:
    begin(conversation)
    conversation.turn(prompt, lambda: [replace(conversation, "till/cache.py", FOUR, "")], text="Done.")
    assert [note["title"] for note in drafted(conversation)] == ([title] if title else [])


@pytest.mark.parametrize("prompt", ["Usa invece sqlite", "Nimm sqlite statt postgres", "Mejor usa sqlite"])
def test_work_that_the_user_orders_replaced_is_rejected_in_the_words_of_the_order(
    conversation: Conversation, prompt: str
) -> None:
    work = partial(writes, conversation, **{"till/store.py": REDIS})
    conversation.turn("Store the carts in postgres", work, text="Carts are stored there now.")
    conversation.turn(prompt, lambda: [replace(conversation, "till/store.py", REDIS, SUM)], text="Done.")
    assert [note["title"] for note in drafted(conversation)] == [f"The user: “{prompt}”"]


@pytest.mark.parametrize(
    ("prompt", "command", "count"),
    [
        ("Revert the commit about the cache, its totals are stale after a discount", "revert --no-edit HEAD", 1),
        ("Mach den letzten Commit rückgängig, die Summen sind veraltet", "revert --no-edit HEAD", 1),
        ("Undo the last commit, its totals are stale after a discount", "reset --hard HEAD~1", 1),
        ("Tidy up the history", "revert --no-edit HEAD", 0),
        ("Undo the last commit, its totals are stale after a discount", "log -1", 0),
    ],
    ids=["reverted", "in German", "reset", "without the user's word", "only shown"],
)
def test_a_commit_of_others_that_is_taken_back_at_the_users_word_is_rejected(
    conversation: Conversation, project: Repository, prompt: str, command: str, count: int
) -> None:
    project.commit({"till/cache.py": CACHE}, "Keep the totals of large carts in a cache")
    before = conversation.pre_run(prompt)
    output = project.git(*command.split())
    conversation.post_run(before, prompt, assistant={"text": "Done.", "parts": [bash(f"git {command}", output)]})
    notes = drafted(conversation)
    assert [note["provenance"]["files"] for note in notes] == [["till/cache.py"]] * count
    for note in notes:
        assert note["title"].startswith("Keep the totals of large carts in a cache – ")
        assert f"The user: “{prompt}”" in note["body"]


TAX = "def tax(cents):\n    return cents * 19 // 100\n\n\ndef with_tax(cents):\n    return cents + tax(cents)\n"
GROSS = "def gross(cents):\n    return tax(cents) + cents\n"
DOCUMENTED = 'def with_tax(cents):\n    """Return the sum."""\n    total = cents + tax(cents)\n    return total\n'


@pytest.mark.parametrize(
    ("prompt", "new", "count"),
    [
        ("Rename with_tax to gross please, and drop the comma in the docstring", GROSS, 0),
        ("Benenne with_tax in gross um und entferne das Komma", GROSS, 0),
        ("Renombra with_tax a gross y quita la coma", GROSS, 0),
        ("Drop tax from the name with_tax, call it gross", GROSS, 0),
        ("Remove the prefix with_ everywhere", GROSS + "\n\ntotal = gross(1)\n", 0),
        ("Inline with_tax into its caller, and drop the second argument", "", 0),
        ("Drop the blank line and describe with_tax", DOCUMENTED, 0),
        ("The accountant adds it, drop with_tax", "", 1),
        ("with_tax is wrong for exports, drop it", "", 1),
        ("with_tax bitte entfernen", "", 1),
    ],
)
def test_what_the_user_wants_dropped_is_work_that_went_and_not_a_name(
    conversation: Conversation, prompt: str, new: str, count: int
) -> None:
    helper = TAX + ("\n\ntotal = with_tax(1)\n" if "total" in new else "")
    conversation.turn("Add the tax", lambda: writes(conversation, **{"till/tax.py": helper}), text="Added tax helpers.")
    old = helper[helper.index("def with_tax") :]
    conversation.turn(prompt, lambda: [replace(conversation, "till/tax.py", old, new)], text="Done as you said.")
    assert len(drafted(conversation)) == count


REDIS = (
    "import redis\n\nclient = redis.Redis()\n\n\n"
    "def total(cart):\n    kept = client.get(cart.id)\n    return kept or sum_of(cart)\n\n\n"
)
STALE = "Two tills write at once, so totals were stale all afternoon."


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Redis is gone; a running sum takes its place.", 1),
        ("Replaced Redis with a running sum.", 1),
        ("Done, totals are right now.", 0),
        ("Removed the unused imports.", 0),
    ],
    ids=["gone", "replaced", "no word of it", "something else"],
)
def test_work_that_the_agent_names_as_removed_is_recorded_with_the_users_reason(
    conversation: Conversation, text: str, count: int
) -> None:
    work = partial(writes, conversation, **{"till/cache.py": REDIS + FOUR})
    conversation.turn(PROMPT, work, text="Totals are kept in Redis now.")
    conversation.turn(STALE, lambda: [replace(conversation, "till/cache.py", REDIS, SUM)], text=text)
    notes = drafted(conversation)
    assert [note["title"] for note in notes] == [f"Redis – {STALE[:-1]}"] * count
    assert all(f"The user: “{STALE}”" in note["body"] for note in notes)


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("Please also round the amounts to cents and add a column for the tax.", "_Open._"),
        ("continue with step two", "_Open._"),
        ("Looks great, thanks! Now do the invoices.", "_Open._"),
        ("Looks great. Redis was asleep all night. Now do the invoices.", "The user: “Redis was asleep all night.”"),
        ("Now do the invoices. The till is too slow.", "The user: “The till is too slow.”"),
    ],
    ids=["something else", "go on", "thanks", "about what went", "a fault"],
)
def test_only_sentences_on_what_went_or_on_a_fault_are_the_users_reason(
    conversation: Conversation, prompt: str, reason: str
) -> None:
    work = partial(writes, conversation, **{"till/cache.py": REDIS + FOUR})
    conversation.turn(PROMPT, work, text="Totals are kept in Redis now.")
    text = "Replaced Redis with a running sum."
    conversation.turn(prompt, lambda: [replace(conversation, "till/cache.py", REDIS, SUM)], text=text)
    (note,) = drafted(conversation)
    assert f"**Why it failed:** {reason}\n" in note["body"]


RETRY = (
    "def fetch(url):\n    for attempt in range(3):\n        try:\n            return get(url)\n"
    "        except OSError:\n            log(attempt)\n            time.sleep(2)\n    raise TimeoutError(url)\n"
)
BREAKER = "BREAKER = Breaker(limit=5)\n\n\ndef fetch(url):\n    with BREAKER:\n        return session.request(url)\n"
TRIES = "`fetch` retries three times in a loop."
BANNED = "because the provider bans clients that retry"


@pytest.mark.parametrize(
    ("account", "prompt", "text", "title"),
    [
        (TRIES, "go on", f"I replaced the retry loop with a breaker {BANNED}.", f"Retry loop – {BANNED[8:]}"),
        (
            TRIES,
            "go on",
            f"I dropped the retry loop {BANNED}; `fetch` uses a breaker now.",
            f"Retry loop – {BANNED[8:]}",
        ),
        (TRIES, "go on", f"The retry loop did not work {BANNED}. I use a breaker.", f"Retry loop – {BANNED[8:]}"),
        (
            TRIES,
            "The retry loop is wrong, they ban us.",
            "I replaced the retry loop with a breaker.",
            "Retry loop – The retry loop is wrong, they ban us",
        ),
        (
            "`fetch` wiederholt die Abfrage mit fester Pause.",
            "weiter",
            "Ich habe die feste Pause verworfen, weil sie die Kasse anhält.",
            "Die feste Pause – sie die Kasse anhält",
        ),
        (
            "Añadí un bucle de reintentos.",
            "sigue",
            "Reemplacé el bucle de reintentos por un interruptor porque nos bloquean.",
            "El bucle de reintentos – nos bloquean",
        ),
        (
            "固定の待ち時間で再試行します。",
            "続けて",
            "固定の待ち時間はループを止めるため、遮断器に置き換えました。",
            "固定の待ち時間 – ループを止める",
        ),
        (TRIES, "go on", "I replaced the retry loop with a breaker.", ""),
        (TRIES, "go on", "I replaced the message queue with a breaker because it is slow.", ""),
        ("Added a placeholder.", "go on", "I replaced the placeholder with the real thing because it is there.", ""),
    ],
)
def test_work_that_the_agent_gives_up_for_a_reason_is_recorded_in_the_words_of_its_account(
    conversation: Conversation, account: str, prompt: str, text: str, title: str
) -> None:
    conversation.turn("Make fetch robust", lambda: writes(conversation, **{"till/cache.py": RETRY}), text=account)
    conversation.turn(prompt, lambda: [replace(conversation, "till/cache.py", RETRY, BREAKER)], text=text)
    assert [note["title"] for note in drafted(conversation)] == [title] * bool(title)


def test_a_part_of_the_work_that_is_done_in_another_way_is_not_given_up(conversation: Conversation) -> None:
    work = RETRY + CACHE
    conversation.turn("Make fetch robust", lambda: writes(conversation, **{"till/cache.py": work}), text=TRIES)
    text = f"I replaced the retry loop with a breaker {BANNED}."
    conversation.turn("go on", lambda: [replace(conversation, "till/cache.py", RETRY, BREAKER)], text=text)
    assert drafted(conversation) == []


def test_the_prompt_of_a_loop_is_no_word_of_the_user(conversation: Conversation) -> None:
    loop = Conversation(conversation.client, conversation.cwd, sub_chat_id=f"{RALPH_PREFIX}1")
    work = partial(writes, loop, **{"till/cache.py": REDIS + FOUR})
    loop.turn(PROMPT, work, text="Totals are kept in Redis now.")
    loop.turn(STALE, lambda: [replace(loop, "till/cache.py", REDIS, SUM)], text="Replaced Redis with a running sum.")
    (note,) = drafted(conversation)
    assert note["title"] == "Redis"
    assert STALE not in note["body"].partition("Task: ")[0]


def test_a_deleted_file_is_recognized_by_its_name(conversation: Conversation) -> None:
    begin(conversation)
    conversation.turn(STALE, lambda: [delete(conversation, "till/cache.py")], text="I have deleted `cache.py`.")
    (note,) = drafted(conversation)
    assert "In `till/cache.py`" in note["body"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Removed `log_discount` from the prices.", "`log_discount` from the prices"),
        ("I replaced the printing `log_discount` with a counter of calls.", "Printing `log_discount`"),
        ("Quité `log_discount` de los precios.", "`log_discount` de los precios"),
        ("Done as you said.", "Added `log_discount` to the prices, so that large carts can be measured"),
    ],
    ids=["removed", "replaced", "in Spanish", "not named"],
)
def test_a_note_is_named_after_what_the_agent_took_out(conversation: Conversation, text: str, title: str) -> None:
    small_work(conversation)
    take_back(conversation, "Undo `log_discount`, the till prints it.", text=text)
    (note,) = drafted(conversation)
    assert note["title"] == f"{title} – Undo `log_discount`, the till prints it"


@pytest.mark.parametrize("prompt", ["Please remove all of that again", "thats pretty wrong. I want a sum of the lines"])
def test_a_users_sentence_that_names_nothing_is_no_title(conversation: Conversation, prompt: str) -> None:
    begin(conversation)
    conversation.turn(prompt, partial(removes, conversation, CACHE), text="Done so.")
    (note,) = drafted(conversation)
    assert note["title"].startswith("Totals are kept in a cache beside the cart now")


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("no me gusta el caché, quita eso por favor", "no me gusta el caché, quita eso por favor"),
        (
            "klappt nicht, nimm das wieder raus. Der Drucker zählt jeden Bon doppelt.",
            "Der Drucker zählt jeden Bon doppelt",
        ),
        ("não, o cache mostra preços velhos. Volta pro total calculado.", "o cache mostra preços velhos"),
        ("non mi piace questa cache, toglila", "non mi piace questa cache, toglila"),
    ],
    ids=["es", "de", "pt", "it"],
)
def test_a_titles_reason_keeps_its_negation_and_is_no_mere_order(
    conversation: Conversation, prompt: str, reason: str
) -> None:
    begin(conversation)
    conversation.turn(prompt, partial(removes, conversation, CACHE), text="Done so.")
    (note,) = drafted(conversation)
    assert note["title"] == f"Totals are kept in a cache beside the cart now – {reason}"


def test_a_title_has_the_users_reason_without_the_words_that_only_refuse(conversation: Conversation) -> None:
    code = "class BrotliResponder:\n" + "".join(f"    brotli_{number} = {number}\n" for number in range(6))
    conversation.turn(
        "try brotli", lambda: [conversation.edit("till/brotli.py", code)], text="Added `BrotliResponder`."
    )
    prompt = "hmm no, brotli needs a C extension, we can't have that as a dependency. remove it"
    text = "Removed `BrotliResponder`."
    (draft,) = conversation.turn(prompt, lambda: [conversation.edit("till/brotli.py", "")], text=text)["after"][
        "artifacts"
    ]
    title = conversation.artifact(draft["id"])["title"]
    assert title == "`BrotliResponder` – brotli needs a C extension, we can't have that as a dependency"


def test_a_run_that_explains_a_failure_does_not_name_the_work(conversation: Conversation) -> None:
    def memo(of: str) -> list[dict[str, Any]]:
        return writes(conversation, **{"till/prices.py": "".join(f"memo_{of}_{number} = ()\n" for number in range(9))})

    text = "I replaced the list of prices with `useMemo` in `prices`."
    conversation.turn("memoize the prices", lambda: memo("list"), text=text)
    text = "The failure: React may drop a memo at any time. I tried three things: freezing it, keying it, a tuple."
    conversation.turn("tests fail", lambda: memo("tuple"), text=text)
    prompt = "nah. i give up on this, put the list back. it is not worth it"
    back = partial(writes, conversation, **{"till/prices.py": "z = 1\n"})
    conversation.turn(prompt, back, text="The list is back.")
    (note,) = drafted(conversation)
    assert note["title"] == (
        "Replaced the list of prices with `useMemo` in `prices` – i give up on this, put the list back"
    )


def test_the_users_words_name_what_went_if_the_account_of_earlier_work_does_not(conversation: Conversation) -> None:
    conversation.turn(PROMPT, partial(writes, conversation, **{"till/cache.py": CACHE}), text="Styled the receipt.")
    prompt = "Six points are open. We don't need the title bar, nor the title."
    conversation.turn(prompt, lambda: [conversation.edit("till/cache.py", "z = 1\n")], text="All six points are done.")
    (note,) = drafted(conversation)
    assert note["title"] == "Title bar"
    assert "**Tried:** The title bar. In `till/cache.py`; reverted since." in note["body"]


def test_a_bare_noun_gives_way_to_the_users_fuller_name_of_what_went(conversation: Conversation) -> None:
    work = partial(writes, conversation, **{"till/meta.py": CACHE.replace("cache", "counter")})
    conversation.turn(PROMPT, work, text="Totals are read once now.")
    removal = partial(delete, conversation, "till/meta.py")
    prompt = "no, undo the meta counter, tills have their own"
    conversation.turn(prompt, lambda: [removal()], text="The counter is gone; only totals are read.")
    (note,) = drafted(conversation)
    assert note["title"] == "Meta counter – tills have their own"


def test_a_reason_in_a_title_finds_fault_or_is_about_what_went(conversation: Conversation) -> None:
    begin(conversation)
    prompt = "One arrow is for tags, two for tills and three for totals. I don't need the cache of the carts."
    work = lambda: [delete(conversation, "till/cache.py")]  # noqa: E731
    conversation.turn(prompt, work, text="Removed the cache of the carts.")
    (note,) = drafted(conversation)
    assert note["title"] == "Cache of the carts"


def test_the_users_words_are_not_repeated_in_a_title(conversation: Conversation) -> None:
    small_work(conversation)
    take_back(
        conversation, "Please revert `log_discount` in the prices", text="Removed `log_discount` from the prices."
    )
    (note,) = drafted(conversation)
    assert note["title"] == "`log_discount` from the prices"


def test_a_note_is_not_named_after_other_work_on_the_file_and_has_the_cause_that_the_run_states(
    conversation: Conversation,
) -> None:
    begin(conversation)
    tax = "TAX = 20\n\n\n"
    work = partial(replace, conversation, "till/cache.py")
    conversation.turn("Tax too", lambda: [work("def cached_a", f"{tax}def cached_a")], text="Added a tax to the shop.")
    text = "The totals follow each discount now.\n\nThe root cause was that the cache was never emptied."
    conversation.turn("Do the totals properly", lambda: [work(CACHE, SUMS)], text=text)
    (note,) = drafted(conversation)
    assert note["title"].startswith("Totals are kept in a cache beside the cart now")
    assert "**Why it failed:** The root cause was that the cache was never emptied." in note["body"]


def test_a_note_is_named_after_the_definitions_that_went_if_no_account_is_about_them(
    conversation: Conversation,
) -> None:
    text = "First I'm checking the current branch."
    code = f"for (const line of cart) {{\n{CACHE}"
    conversation.turn(PROMPT, partial(writes, conversation, **{"till/store.py": code}), text=text)
    work = partial(replace, conversation, "till/store.py", code, SUMS)
    conversation.turn("The totals are wrong after a discount", lambda: [work()], text="The totals follow it now.")
    (note,) = drafted(conversation)
    assert note["title"].startswith("`cached_a`, `cached_b`, `cached_c`")


def checked_out(conversation: Conversation, *parts: dict[str, Any]) -> list[dict[str, Any]]:
    (conversation.cwd / "till/prices.py").write_text(PRICES, encoding="utf-8")
    return [bash("git checkout -- .", ""), *parts]


@pytest.mark.parametrize(
    ("prompt", "text", "reason"),
    [
        (
            "take it back please",
            "Reverted. The reason: prices are not hashable, so the log cannot work.",
            "Prices are not hashable, so the log cannot work.",
        ),
        ("hm, undo please", "Undone.", "_Open._"),
        ("revert to before the move please", "Reverted.", "_Open._"),
        ("uh i think revert any changes you have", "Reverted.", "_Open._"),
        ("undo that, the printer is too slow", "Undone.", "The user: “undo that, the printer is too slow”"),
    ],
)
def test_an_order_alone_is_no_reason_and_the_agents_own_is_one(
    conversation: Conversation, prompt: str, text: str, reason: str
) -> None:
    small_work(conversation)
    conversation.turn(prompt, partial(checked_out, conversation), text=text)
    (note,) = drafted(conversation)
    assert f"**Why it failed:** {reason}\n" in note["body"]


def test_a_devlog_of_a_run_that_only_takes_work_back_is_named_after_that_work(conversation: Conversation) -> None:
    edit = partial(conversation.edit, "till/prices.py", LOGGED)
    conversation.turn(PROMPT, lambda: [edit(), bash("pytest", RED)], text="`discounted_price` has a log now.")
    green = bash("pytest", "3 passed in 0.02s", "green")
    conversation.turn("take it back please", partial(checked_out, conversation, green), text="Reverted.")
    (entry,) = drafted(conversation, "devlog")
    assert entry["title"] == "Taken back: `discounted_price` has a log now"


def test_a_note_names_no_task_that_the_work_has_moved_on_from(conversation: Conversation) -> None:
    begin(conversation)
    text = "I abandoned the printer queue because it blocked, and switched to a socket."
    conversation.turn("go on", lambda: [delete(conversation, "till/cache.py")], text=text)
    (note,) = drafted(conversation)
    assert "Task:" not in note["body"]


def test_a_note_names_no_task_that_is_the_users_complaint(conversation: Conversation) -> None:
    begin(conversation)
    prompt = "The receipts of the printer show old prices. Drop the cache, and sum the lines of each receipt"
    conversation.turn(prompt, partial(removes, conversation, CACHE), text="I removed the cache.")
    (note,) = drafted(conversation)
    assert "receipts of the printer" in note["body"]
    assert "Task: The receipts" not in note["body"]


def test_a_note_names_no_task_that_corrects_the_agent(conversation: Conversation) -> None:
    work = partial(writes, conversation, **{"till/cache.py": CACHE})
    conversation.turn("no, the cache of totals has cents here, not euros", work, text="The cache has cents now.")
    text = "I abandoned the cache because totals were stale, and sum the lines instead."
    conversation.turn("go on", lambda: [delete(conversation, "till/cache.py")], text=text)
    (note,) = drafted(conversation)
    assert "Task:" not in note["body"]


def test_two_parts_of_one_work_are_two_approaches(conversation: Conversation) -> None:
    begin(conversation)
    for letter, prompt in (("a", "Remove `cached_a` again"), ("h", "Drop the last one, `cached_h`: nobody calls it")):
        function = f"def cached_{letter}(cart):\n    return cart.{letter}_cache\n\n\n"
        conversation.turn(prompt, partial(removes, conversation, function), text="Gone.")
    assert len(drafted(conversation)) == 2


def test_work_that_the_agent_takes_back_with_git_is_recorded(conversation: Conversation) -> None:
    small_work(conversation)
    take_back(conversation, "go on", bash("git stash && git stash drop", ""), text="The log is gone.")
    assert [note["provenance"]["files"] for note in drafted(conversation)] == [["till/prices.py"]]


def test_a_note_on_a_git_revert_names_the_earlier_work(conversation: Conversation) -> None:
    small_work(conversation)
    revert = bash("git revert --no-edit HEAD", "")
    take_back(
        conversation, "The printer shows it, revert the commit", revert, text="Reverted the commit with `git revert`."
    )
    (note,) = drafted(conversation)
    assert note["title"].startswith("Added `log_discount` to the prices")


def test_a_note_on_work_that_was_stashed_has_the_reason(conversation: Conversation) -> None:
    small_work(conversation)
    text = "I stashed `log_discount` because the printer shows it."
    take_back(conversation, "go on", bash("git stash", ""), text=text)
    (note,) = drafted(conversation)
    assert "**Why it failed:** The printer shows it." in note["body"]


def test_work_that_the_user_reverted_is_recorded_when_the_user_mentions_it(
    conversation: Conversation, project: Repository
) -> None:
    small_work(conversation)
    project.write({"till/prices.py": PRICES})
    conversation.turn("Next: the invoices.", text="The invoices are listed.")
    assert drafted(conversation) == []
    small_work(conversation)
    project.write({"till/prices.py": PRICES})
    conversation.turn("I reverted that, because the printer shows it.", text="Understood.")
    (note,) = drafted(conversation)
    assert "because the printer shows it" in note["title"]


@pytest.mark.parametrize(
    ("prompt", "count"),
    [
        ("I removed `log_discount` myself, the printer shows it.", 1),
        ("I threw it away, the printer shows it.", 1),
        ("I did a git checkout on prices.py, the printer shows it.", 1),
        ("Ich habe es gelöscht, der Drucker zeigt es.", 1),
        ("Lo he revertido, sale en la impresora.", 1),
        ("I deleted the old receipts in the shop. Now the invoices.", 0),
        ("I removed my lunch from the calendar.", 0),
    ],
)
def test_work_that_the_user_took_out_by_hand_is_recorded_in_any_words(
    conversation: Conversation, project: Repository, prompt: str, count: int
) -> None:
    small_work(conversation)
    project.write({"till/prices.py": PRICES})
    conversation.turn(prompt, text="Understood.")
    assert len(drafted(conversation)) == count


LONG_SUMS = SUMS + SUMS.replace("sum_of", "net_of").replace("total", "net") + SUMS.replace("sum_of", "tax_of")


DIVIDE = "".join(f"def divide_{name}(left, right):\n    return left / right.{name}\n\n\n" for name in "abc")


@pytest.mark.parametrize(
    ("prompt", "is_recorded"),
    [
        ("dont add divide_a, just silence that error with a comment", True),
        ("you should not provide divide_a here", True),
        ("no queremos divide_a en este archivo", True),
        ("I meant an attribute, not divide_a", True),
        ("make it shorter, not slower", False),
        ("why is it divide_a and not divide_b?", False),
        ("silence that error with a comment", False),
    ],
)
def test_what_the_user_refuses_for_something_else_is_recorded_if_it_went(
    conversation: Conversation, prompt: str, is_recorded: bool
) -> None:
    written = CACHE + DIVIDE
    conversation.turn("add operators", lambda: writes(conversation, **{"till/paths.py": written}), text="Done.")
    silenced = [DIVIDE, "SILENCED = True\n"]
    conversation.turn(prompt, lambda: [replace(conversation, "till/paths.py", *silenced)], text="Silenced it.")
    assert bool(drafted(conversation)) is is_recorded


@pytest.mark.parametrize(
    ("prompt", "text", "title"),
    [
        ("test with mstest, not xunit or nunit", "All tests use mstest instead of xunit.", "Xunit – "),
        ("test with mstest, not xunit or nunit", "All tests are green now.", ""),
        ("test with mstest", "All tests use mstest instead of xunit.", ""),
    ],
    ids=["both", "the user alone", "the agent alone"],
)
def test_one_line_that_went_counts_if_user_and_agent_name_it(
    conversation: Conversation, prompt: str, text: str, title: str
) -> None:
    old, new = "import xunit\n", "import mstest\n"
    conversation.turn("test it", lambda: writes(conversation, **{"till/tests.py": old + FOUR}), text="Tested it.")
    conversation.turn(prompt, lambda: [replace(conversation, "till/tests.py", old, new)], text=text)
    notes = drafted(conversation)
    assert len(notes) == bool(title)
    assert all(note["title"].startswith(title) for note in notes)


HASHED = """
def digest(text):
    hasher = sha256.create()
    hasher.update(text.encode())
    found = sha256.finish(hasher)
    return sha256.to_hex(found)
"""
FAST = """
def digest(text):
    value = 0
    for letter in text:
        value = fnv.mix(value, letter)
"""


@pytest.mark.parametrize(
    ("words", "new", "count"),
    [
        ("I'll change the digest to use fnv instead of sha256.", FAST, 1),
        ("I'll change the digest to use fnv instead of md5.", FAST, 0),
        ("I'll change the digest to use blake instead of sha256.", FAST, 0),
    ],
    ids=["both names", "another old name", "another new name"],
)
def test_a_replacement_counts_if_the_lines_show_the_names_of_both_sides(
    conversation: Conversation, words: str, new: str, count: int
) -> None:
    conversation.turn("list the files", lambda: writes(conversation, **{"till/files.py": CACHE + HASHED}), text="Done.")
    announced = {"type": "text", "text": words}
    conversation.turn(
        "use fnv hashes",
        lambda: [announced, replace(conversation, "till/files.py", HASHED, new)],
        text="The build is green.",
    )
    assert [note["title"] for note in drafted(conversation)] == ["Sha256 – use fnv hashes"] * count


@pytest.mark.parametrize(
    ("prompt", "count"), [("The totals are wrong after a discount", 1), ("Now the totals after a discount", 0)]
)
def test_more_than_half_of_the_work_that_gives_way_is_given_up_if_the_user_finds_fault(
    conversation: Conversation, prompt: str, count: int
) -> None:
    begin(conversation)
    five = CACHE[: CACHE.index("def cached_f")]
    conversation.turn(prompt, lambda: [replace(conversation, "till/cache.py", five, SUMS)], text="They are right now.")
    assert len(drafted(conversation)) == count


@pytest.mark.parametrize(("went", "count"), [(FOUR, 1), ("", 0)])
def test_an_order_with_a_condition_counts_if_what_it_names_went(
    conversation: Conversation, went: str, count: int
) -> None:
    begin(conversation)
    prompt = "Remove the cached_a functions if nobody calls them"
    conversation.turn(prompt, lambda: removes(conversation, went) if went else (), text="Done as you said.")
    assert len(drafted(conversation)) == count


def test_what_a_bare_order_removes_is_named_by_the_agents_announcement(conversation: Conversation) -> None:
    begin(conversation)
    announced = {"type": "text", "text": "I'll remove the second half of the table."}
    text = "The build is green. I removed the fixture that built it."
    conversation.turn("remove", lambda: [announced, *removes(conversation, FOUR)], text=text)
    assert [note["title"] for note in drafted(conversation)] == ["Second half of the table"]


@pytest.mark.parametrize(
    ("prompt", "decided"),
    [
        ("Dont add divide_a here, just silence that error with a comment", True),
        ("divide_a does not exist here, look it up in the reference", False),
        ("Don't use divide_a for now, silence that error with a comment", False),
    ],
    ids=["against it", "a mistake", "for now"],
)
def test_what_the_user_decides_against_is_a_decision_if_it_went(
    conversation: Conversation, prompt: str, decided: bool
) -> None:
    conversation.turn("add operators", lambda: writes(conversation, **{"till/paths.py": CACHE + DIVIDE}), text="Done.")
    silenced = [DIVIDE, "SILENCED = True\n"]
    turn = conversation.turn(prompt, lambda: [replace(conversation, "till/paths.py", *silenced)], text="Silenced it.")
    assert [memory["text"] for memory in turn["after"]["remembered"]] == [prompt] * decided
    assert not any(memory["standing"] for memory in turn["after"]["remembered"])


def test_a_small_part_of_a_long_file_that_is_taken_back_is_recorded(conversation: Conversation) -> None:
    written = "".join(f"def number_{number}(left):\n    return left + {number}\n\n\n" for number in range(450))
    conversation.turn("add them", lambda: writes(conversation, **{"till/paths.py": written}), text="Done.")
    names = "abcdefghi"
    added = "".join(f"def divide_{name}(left, right):\n    return left / right.{name}\n\n\n" for name in names)
    work = partial(writes, conversation, **{"till/paths.py": written + added})
    conversation.turn("divide them, too", work, text="Added the division.")
    conversation.turn("no, drop the division", lambda: writes(conversation, **{"till/paths.py": written}), text="Done.")
    (note,) = drafted(conversation)
    assert "division" in note["title"].casefold()


@pytest.mark.parametrize(("old", "new", "count"), [(CACHE, SUMS, 1), (CACHE, LONG_SUMS, 1), (FOUR, SUMS, 0)])
def test_work_that_gives_way_to_another_way_is_recorded_without_any_words(
    conversation: Conversation, old: str, new: str, count: int
) -> None:
    begin(conversation)
    text = "The totals follow each discount now."
    conversation.turn(
        "The totals are wrong after a discount", lambda: [replace(conversation, "till/cache.py", old, new)], text=text
    )
    assert [note["title"] for note in drafted(conversation)] == count * [
        "Totals are kept in a cache beside the cart now – The totals are wrong after a discount"
    ]


def test_a_call_that_does_not_exist_where_it_runs_is_given_up_whatever_its_size(conversation: Conversation) -> None:
    old, new = "    http.client.timeout(30)\n", "    timer = Timer(30, stop)\n"
    content = f"import http\n\n\ndef fetch(url):\n{old}    return http.get(url)\n"
    conversation.turn("Stop slow requests", partial(writes, conversation, **{"till/fetch.py": content}), text="Done.")
    text = "Replaced unsupported `http.client.timeout(...)` with a timer."
    conversation.turn("AttributeError: timeout", lambda: [replace(conversation, "till/fetch.py", old, new)], text=text)
    (note,) = drafted(conversation)
    assert note["title"].startswith("Unsupported `http.client.timeout(...)`")


def test_a_statement_of_the_user_on_other_removals_takes_no_work_of_a_run_back(conversation: Conversation) -> None:
    begin(conversation)
    prompt = "I deleted the old receipts in the shop. Now sum the totals."
    conversation.turn(prompt, lambda: [replace(conversation, "till/cache.py", FOUR, SUM)], text="Done as you said.")
    assert drafted(conversation) == []


@pytest.mark.parametrize(
    ("prompt", "new", "count"),
    [
        ("Drop it, customers are all abroad", "", 1),
        ("quita eso, los clientes son de fuera", "", 1),
        ("Drop it into the list of functions", "def tax(cents):\n    return round(cents * 0.19)\n", 0),
        ("Customers are all abroad", "", 0),
    ],
)
def test_an_order_to_drop_the_work_counts_whatever_its_size(
    conversation: Conversation, prompt: str, new: str, count: int
) -> None:
    work = "def tax(cents):\n    return cents * 19 // 100\n"
    conversation.turn(
        "Add the tax", lambda: writes(conversation, **{"till/tax.py": f"y = 1\n{work}"}), text="Added it."
    )
    conversation.turn(prompt, lambda: [replace(conversation, "till/tax.py", work, new)], text="Done as you said.")
    assert len(drafted(conversation)) == count


@pytest.mark.parametrize(
    "refusal",
    [
        "No, do not cache the totals in Redis, we have no server for it.",
        "That is overkill. The tills: we have no server for it.",
        "Das ist übertrieben, we have no server for it.",
    ],
)
def test_a_refused_plan_is_recorded_with_the_users_words(conversation: Conversation, refusal: str) -> None:
    plan = {"type": "tool-ExitPlanMode", "toolCallId": "p", "state": "call",
            "input": {"plan": "# Cache the totals in Redis\n\nOne key per cart.\n"}}  # fmt: skip
    for answer, count in (("Yes, do it.", 0), (refusal, 1)):
        before = conversation.pre_run(PROMPT, mode="plan")
        conversation.post_run(before, PROMPT, mode="plan", assistant={"parts": [plan]})
        conversation.turn(answer, text="All right.")
        assert len(drafted(conversation)) == count
    (note,) = drafted(conversation)
    assert note["title"].startswith("Cache the totals in Redis – ")
    assert "we have no server for it" in note["body"]


def present(conversation: Conversation, prompt: str, plan: str) -> list[str]:
    """Play a run that presents a plan; return the names of the approaches that are rejected then."""
    part = {"type": "tool-ExitPlanMode", "toolCallId": "p", "state": "call", "input": {"plan": plan}}
    before = conversation.pre_run(prompt, mode="plan")
    conversation.post_run(before, prompt, mode="plan", assistant={"parts": [part]})
    return [note["title"].partition(" – ")[0] for note in drafted(conversation) if note["status"] == "draft"]


ZONES = (
    "# Time zones of tills\n\n1. `till/cart.py`: one process for each zone\n2. `till/prices.py`: group carts by zone\n"
)
OPTION = "# Time zones of tills\n\n1. `till/cart.py`: an option `zone` of the cart\n"


@pytest.mark.parametrize(
    ("refusal", "later", "rejected"),
    [
        ("no, not several processes. The zone is an option of the cart", OPTION, ["Several processes"]),
        ("No, I would rather group nothing", OPTION, ["`till/prices.py`: group carts by zone"]),
        ("No, nada de varios procesos", OPTION.replace("Time", "Zonas"), ["Varios procesos"]),
        ("nein, keine Prozesse je Zone, das ist zu viel", OPTION, ["Prozesse je Zone"]),
        ("no. think again", ZONES, []),
    ],
)
def test_of_a_refused_plan_what_the_refusal_or_the_next_plan_leaves_out_is_rejected(
    conversation: Conversation, refusal: str, later: str, rejected: list[str]
) -> None:
    assert present(conversation, PROMPT, ZONES) == []
    assert present(conversation, refusal, f"{later}\nNow.\n") == rejected


def test_a_plan_that_is_presented_again_is_no_longer_rejected(conversation: Conversation) -> None:
    present(conversation, PROMPT, ZONES)
    conversation.turn("no. not now", text="All right.")
    assert [note["title"].partition(" – ")[0] for note in drafted(conversation)] == ["Time zones of tills"]
    assert present(conversation, "do plan the zones of the tills", f"{ZONES}\nIn steps.\n") == []


def test_an_entry_does_not_take_a_refused_plan_for_its_request(conversation: Conversation) -> None:
    present(conversation, PROMPT, "# Plan: cache the totals in Redis\n\nOne key per cart and till.\n")
    text = (
        "The totals of each cart are now cached in memory, because each till summed all lines again."
        " Instead, nothing of them is stored on disk. All 3 tests pass."
    )
    work = partial(writes, conversation, **{"till/totals.py": "cart = 1\n" * 130})
    turn = conversation.turn("No. We have no server for Redis. Cache the totals in memory.", work, text=text)
    (entry,) = [each for each in turn["after"]["artifacts"] if each["type"] == "devlog"]
    draft = conversation.artifact(entry["id"])
    assert draft["title"].startswith("The totals of each cart are now cached in memory")
    assert f"\n\nRequest: {PROMPT}" in draft["body"]
    (note,) = drafted(conversation)
    assert note["title"].startswith("Cache the totals in Redis – ")
    assert "**Instead:** Nothing of them is stored on disk.\n" in note["body"]


def accept_behind_newer_ones(conversation: Conversation, active: MemorySidecar) -> None:
    """Accept the only draft, then store more accepted rejections than an anchor has room for."""
    (note,) = drafted(conversation)
    conversation.decide("accept", note["id"])
    process = active.app.process
    assert process is not None
    for number in range(14):
        store_artifact(
            process, conversation.project_path, id=f"r-{number}", type="rejectedApproach", status="accepted",
            title=f"Idea {number}", body="# No\n", created_at_ms=active.clock.now_ms() + number + 1,
        )  # fmt: skip
    assert process.wait_idle(20)


@pytest.mark.parametrize("prompt", ["Speed up till/prices.py", "Why is `log_discount` gone?"])
def test_an_accepted_rejection_reaches_a_session_on_its_file_or_symbol_behind_many_newer_ones(
    conversation: Conversation, active: MemorySidecar, prompt: str
) -> None:
    small_work(conversation)
    take_back(conversation, "Undo that, the till prints garbage now.", text="Removed it.")
    accept_behind_newer_ones(conversation, active)
    other = sent(Conversation(active.client, conversation.cwd, sub_chat_id="c").pre_run(prompt))
    assert "log_discount" in other
    assert "the till prints garbage" in other


@pytest.mark.parametrize(
    ("prompt", "is_warned"),
    [
        ("Keep the sessions of the cashiers in Redis", True),
        ("Wo legen wir die Sitzungen ab, in redis?", True),
        ("Round the discount up", False),
    ],
)
def test_an_accepted_rejection_reaches_a_session_on_its_technology(
    conversation: Conversation, active: MemorySidecar, prompt: str, is_warned: bool
) -> None:
    store = "import redis\n\nSTORE = redis.Redis()\n\ndef total_of(cart):\n    return STORE.get(cart.key)\n"
    conversation.turn(
        PROMPT, lambda: [conversation.edit("till/totals.py", store)], text="Totals of large carts are cached in Redis."
    )
    refusal = "We cannot use Redis, the shops have no server for it."
    conversation.turn(refusal, lambda: [delete(conversation, "till/totals.py")], text="Removed it.")
    accept_behind_newer_ones(conversation, active)
    other = sent(Conversation(active.client, conversation.cwd, sub_chat_id="c").pre_run(prompt))
    assert ("the shops have no server for it" in other) is is_warned


LOOKUP = "def price(names, name):\n    if name in names:\n        raise KeyError(name)\n    names[name] = 1\n"
SETDEFAULT = "def price(names, name):\n    stored = names.setdefault(name, 1)\n    return stored\n"


def write_lookup(conversation: Conversation, content: str) -> list[dict[str, Any]]:
    return writes(conversation, **{"till/prices.py": PRICES + content})


def return_to_the_lookup(conversation: Conversation, *, is_accepted: bool = False) -> Any:
    """Play three runs: a lookup, another approach instead, and the lookup again."""
    conversation.turn(
        "Refuse a second price of the same name",
        lambda: write_lookup(conversation, LOOKUP),
        text="`price` raises a `KeyError` now, since a lookup comes first.",
    )
    conversation.turn(
        "no, revert that, use setdefault instead",
        lambda: write_lookup(conversation, SETDEFAULT),
        text="`price` uses `setdefault` now.",
    )
    (note,) = drafted(conversation)
    if is_accepted:
        conversation.decide("accept", note["id"])
    return conversation.turn(
        "no good then, go back to the lookup",
        lambda: write_lookup(conversation, LOOKUP),
        text="Back to the lookup, because `setdefault` cannot tell a stored price from a new one.",
    )


def test_an_approach_that_work_comes_back_to_is_withdrawn_and_the_dropped_one_is_recorded(
    conversation: Conversation,
) -> None:
    turn = return_to_the_lookup(conversation)
    assert {(note["status"], note["title"].partition(" – ")[0]) for note in drafted(conversation)} == {
        ("discarded", "`price` raises a `KeyError` now, since a lookup comes first"),
        ("draft", "`price` uses `setdefault` now"),
    }
    assert {"type": "rejectedApproach", "status": "discarded"}.items() <= turn["after"]["artifacts"][-1].items()
    conversation.client.request("governor/rehydrate", {"subChatId": conversation.sub_chat_id})
    carried = text_of(conversation.pre_run("what is left?"), "carryover")
    assert "The user's corrections:\n- no good then, go back to the lookup\n" in carried
    assert "use setdefault instead" not in carried
    assert "- Rejected: `price` uses `setdefault` now" in carried
    assert "Rejected: `price` raises" not in carried
    conversation.turn(
        "no, revert that, use setdefault after all", lambda: write_lookup(conversation, SETDEFAULT), text="Done."
    )
    assert sorted(note["status"] for note in drafted(conversation)) == ["discarded", "discarded", "draft"]


def test_an_accepted_rejection_that_work_comes_back_to_warns_nobody_until_it_is_accepted_again(
    conversation: Conversation, active: MemorySidecar
) -> None:
    return_to_the_lookup(conversation, is_accepted=True)
    (returned,) = (note for note in drafted(conversation) if note["status"] == "accepted")
    assert "Taken up again since: its lines are back in `till/prices.py`." in returned["body"]

    def ask(name: str) -> str:
        return sent(Conversation(active.client, conversation.cwd, sub_chat_id=name).pre_run(PROMPT))

    assert "rejected before" not in ask("b")
    conversation.decide("accept", returned["id"])
    assert f"rejected before: {returned['title']}" in ask("c")
